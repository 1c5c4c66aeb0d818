// SPDX-License-Identifier: MIT
#pragma once
// What a suite leaves, and what shards of one have left.

#include <string>
#include <vector>

#include "base/result.hpp"
#include "tools/suite/suite_run.hpp"

namespace heddle::tools {

/// "name,Status" lines: of all cases, or of those that are no success, which is the next baseline.
[[nodiscard]] std::string results_csv(const std::vector<SuiteCase>& cases);
[[nodiscard]] std::string failures_csv(const std::vector<SuiteCase>& cases);

/// As CI systems read it: a test suite, a test case for each case.
[[nodiscard]] std::string junit_of(const std::string& suite, const std::vector<SuiteCase>& cases);

/// The cases of a suite in its order, from the results.csv of folders that its shards left.
/// Ids: suite-merge: a case is missing, there twice, or of no suite; those of files.
[[nodiscard]] base::Result<std::vector<SuiteCase>> merge_results(const std::vector<SuitePart>& parts,
                                                                 const std::vector<std::string>& folders);

}  // namespace heddle::tools
