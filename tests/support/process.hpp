// SPDX-License-Identifier: MIT
#pragma once
// Running programs from tests: the heddle program itself and the peers it is compared with.

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace heddle::test {

struct Outcome {
  int exit_code = -1;  ///< meaningful unless `signal` is set
  int signal = 0;      ///< the program died of this signal
  bool timed_out = false;
  std::string out, err;
};

/// Runs a program (found through PATH) to its end, at most `seconds` of processor time (times kSlowness; or 20 times as
/// long); `input` is its standard input. Output beyond 64 MiB is cut.
Outcome run(const std::vector<std::string>& words, const std::string& input = {},
            const std::filesystem::path& folder = {}, double seconds = 60);
/// True when PATH has the program.
bool have_program(const std::string& name);

/// A folder of its own, removed at the end of the scope.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  [[nodiscard]] std::filesystem::path operator/(const std::string& name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

std::string read_text(const std::filesystem::path& path);
std::vector<std::uint8_t> read_bytes(const std::filesystem::path& path);
void write_text(const std::filesystem::path& path, const std::string& text);
void write_bytes(const std::filesystem::path& path, const std::vector<std::uint8_t>& bytes);

/// The slow sweeps are wanted: HEDDLE_TEST_ALL (./dev test --all).
bool test_all();

}  // namespace heddle::test
