// SPDX-License-Identifier: MIT
#pragma once
// tests/data/bits: hashes of results that every build, processor, engine and number of threads must give
// (docs/bits.md).

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <map>
#include <set>
#include <sstream>
#include <string>

#include "base/bits/bits.hpp"
#include "support/process.hpp"

namespace heddle::test {

/// One file: "# bits: N", then lines as sha256sum writes them. HEDDLE_UPDATE_BITS=1 writes it anew.
class BitsFile {
 public:
  explicit BitsFile(const std::string& name)
      : path_(std::filesystem::path(HEDDLE_TEST_DIR) / "data" / "bits" / (name + ".txt")),
        updates_(std::getenv("HEDDLE_UPDATE_BITS") != nullptr) {
    if (updates_) return;
    std::istringstream lines(read_text(path_));
    std::string line;
    std::getline(lines, line);
    EXPECT_EQ(line, head()) << path_ << ": the number of src/base/bits/bits.hpp, under which these hashes were written";
    while (std::getline(lines, line)) hashes_[line.substr(kHashAndBlanks)] = line.substr(0, kHashAndBlanks - 2);
  }
  BitsFile(const BitsFile&) = delete;
  BitsFile& operator=(const BitsFile&) = delete;
  ~BitsFile() {
    if (!updates_) return;
    std::string text = head() + "\n";
    for (const auto& [what, hash] : hashes_) text += hash + "  " + what + "\n";
    write_text(path_, text);
  }

  /// `way`: how the result was come by, for messages.
  void check(const std::string& what, const std::string& hash, const std::string& way) {
    checked_.insert(what);
    if (updates_) hashes_.emplace(what, hash);
    const auto found = hashes_.find(what);
    if (found == hashes_.end())
      ADD_FAILURE() << path_ << " has no hash of " << what << "; HEDDLE_UPDATE_BITS=1 writes it";
    else
      EXPECT_EQ(hash, found->second) << what << ", " << way << ": a change of bits needs a new number (docs/bits.md)";
  }
  /// Every line was checked.
  void expect_complete() const {
    for (const auto& [what, hash] : hashes_) EXPECT_TRUE(checked_.contains(what)) << what << " is not checked any more";
  }

 private:
  static std::string head() { return "# bits: " + std::to_string(base::kBits); }
  static constexpr std::size_t kHashAndBlanks = 66;
  std::filesystem::path path_;
  bool updates_;
  std::map<std::string, std::string> hashes_;
  std::set<std::string> checked_;
};

}  // namespace heddle::test
