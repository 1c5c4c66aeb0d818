// SPDX-License-Identifier: MIT
#pragma once

#include "base/result.hpp"
#include "job/job.hpp"
#include "tools/run/run_options.hpp"

namespace heddle::tools {

/// No two outputs of a run may be one file: the `save`s of the job and the files that flags name. Compared as absolute
/// paths, links followed. Standard output takes several, as do devices and pipes. Id: job-value.
[[nodiscard]] base::Result<base::Done> check_outputs(const job::Job& job, const RunOptions& options);

}  // namespace heddle::tools
