// SPDX-License-Identifier: MIT
// Words of the code: greatest and least values are kMax and kMin, spelling is American.

#include <gtest/gtest.h>

#include <filesystem>
#include <regex>
#include <string>

#include "support/process.hpp"

namespace heddle {
namespace {

namespace fs = std::filesystem;
const fs::path kRoot = HEDDLE_SOURCE_DIR;

/// The first place of a match in each source below a folder fails the test.
void expect_none(const std::string& folder, const std::regex& word, const char* instead) {
  for (const auto& entry : fs::recursive_directory_iterator(kRoot / folder)) {
    const std::string extension = entry.path().extension().string();
    if (extension != ".cpp" && extension != ".hpp" && extension != ".inc") continue;
    const std::string text = test::read_text(entry.path());
    std::smatch found;
    EXPECT_FALSE(std::regex_search(text, found, word))
        << entry.path().lexically_relative(kRoot).string() << " has '" << found.str() << "': " << instead;
  }
}

TEST(Words, GreatestAndLeastValuesAreMaxAndMin) {
  const std::regex other("\\bk(Most|Least|Greatest|Smallest)([A-Z]\\w*)?\\b");
  for (const char* folder : {"src", "layer", "include", "python", "bench", "examples"})
    expect_none(folder, other, "kMax and kMin");
}

TEST(Words, IdentifiersAreAmerican) {
  const std::regex british(
      "\\b\\w*(Behaviour|behaviour|Colour|colour_|Specialis|specialis|Normalis|normalis|Initialis|initialis)\\w*\\b");
  for (const char* folder : {"src", "layer", "include"}) expect_none(folder, british, "American spelling");
}

}  // namespace
}  // namespace heddle
