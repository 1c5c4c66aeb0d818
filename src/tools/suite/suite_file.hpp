// SPDX-License-Identifier: MIT
#pragma once
// suite.toml and the lists that it names, in the formats of deqp-runner.

#include <map>
#include <regex>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "tools/suite/statuses.hpp"

namespace heddle::tools {

/// The longest name or pattern that a list may have: the time and the stack of a regular expression grow with both.
inline constexpr std::size_t kLongestLine = 4096;

/// A list of regular expressions, one a line; # begins a comment line. A name matches where one is found in it.
class NamePatterns {
 public:
  /// Adds the lines of a file. Ids: suite-list, those of files.
  [[nodiscard]] base::Result<base::Done> add_file(const std::string& path);
  /// False: it is no regular expression, or longer than kLongestLine.
  [[nodiscard]] bool add(const std::string& pattern);
  [[nodiscard]] bool match(const std::string& name) const;
  [[nodiscard]] bool empty() const { return patterns_.empty(); }

 private:
  std::vector<std::regex> patterns_;
};

/// One [[deqp]] of a suite: a program and its cases.
struct SuitePart {
  std::string program;  ///< its path
  std::vector<std::string> arguments;
  std::map<std::string, std::string> environment;
  std::string prefix;              ///< before the names of its cases in results and lists
  std::vector<std::string> cases;  ///< that run, in the order of the lists, without the prefix
  Baseline baseline;               ///< by name with the prefix, as in `flakes`
  NamePatterns flakes;
  double timeout = 60;      ///< seconds of a case
  std::size_t group = 500;  ///< most cases of one process
};

/// What the command line adds to every part.
struct SuiteAdditions {
  std::string baseline, flakes, skips;  ///< files; empty: none
};

/// Ids: suite-key, suite-type, suite-value, suite-missing, suite-list, toml-syntax, those of files.
[[nodiscard]] base::Result<std::vector<SuitePart>> read_suite(const std::string& path, const SuiteAdditions& more);

/// "name,Status" lines (# begins a comment line): expected failures, added to `baseline`.
[[nodiscard]] base::Result<base::Done> read_baseline(const std::string& path, Baseline& baseline);

}  // namespace heddle::tools
