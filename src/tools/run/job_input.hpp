// SPDX-License-Identifier: MIT
#pragma once
// The job that an input and flags make up.

#include <string>

#include "base/diagnostic.hpp"
#include "job/job.hpp"
#include "tools/run/program_file.hpp"
#include "tools/run/run_options.hpp"

namespace heddle::tools {

/// The job with the text that its messages point into.
struct JobInput {
  std::string file, toml;  ///< empty where flags alone make the job
  GivenProgram program;    ///< where it is the input itself
  job::Job job;
};

/// Reads the job file under the flags, or makes a job of the flags. Done, or an exit code after printing.
[[nodiscard]] base::ExitCode read_job_input(const RunOptions& options, JobInput& input);

}  // namespace heddle::tools
