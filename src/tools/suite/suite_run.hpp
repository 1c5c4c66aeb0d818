// SPDX-License-Identifier: MIT
#pragma once
// All cases of a suite, over several processes at a time.

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/diagnostic.hpp"
#include "tools/suite/shard.hpp"
#include "tools/suite/statuses.hpp"
#include "tools/suite/suite_file.hpp"

namespace heddle::tools {

struct SuiteCase {
  std::string name;  ///< with the prefix of its part
  CaseStatus found = CaseStatus::Missing;
  std::optional<CaseStatus> again;  ///< where it failed unexpectedly, and ran once more
  Verdict verdict;
};

struct SuiteRun {
  unsigned jobs = 1;
  Shard shard;         ///< of the groups: others do not run, and their cases have no place in the results
  std::string folder;  ///< absolute: for the files of chunks; those without an unexpected failure are removed
  std::function<void(std::uint64_t cases)> progress;
  /// Lines as results.csv has them, of each chunk when it has run; one call at a time. A case that runs once more comes
  /// again, and its last line counts.
  std::function<void(const std::string& lines)> note;
  /// Why cases are missing; one call at a time.
  std::function<void(const base::Diagnostic& problem)> report;
};

/// Every case of the shard once, in the order of the suite, whichever process ran it; cases that failed unexpectedly a
/// second time.
[[nodiscard]] std::vector<SuiteCase> run_suite(const std::vector<SuitePart>& parts, const SuiteRun& how);

}  // namespace heddle::tools
