// SPDX-License-Identifier: MIT
#pragma once
// heddle vulkan --suite.

#include <string>
#include <vector>

#include "base/diagnostic.hpp"
#include "tools/suite/suite_file.hpp"

namespace heddle::tools {

struct SuiteOptions {
  std::string file, output = "results";
  std::string shard, junit;         ///< I/N; a file
  std::vector<std::string> merged;  ///< folders that shards left: nothing runs
  unsigned jobs = 0;                ///< 0: as many as there are cores
  SuiteAdditions more;
};

/// Runs the suite with the driver that the environment names, and writes OUTPUT/results.csv and failures.csv.
/// 1 where a case is no success.
[[nodiscard]] base::ExitCode run_suite_command(const SuiteOptions& options);

}  // namespace heddle::tools
