// SPDX-License-Identifier: MIT
#pragma once
// The flags of `heddle run` as members of a job (docs/job-file.md): one reader serves both.

#include "base/node.hpp"
#include "tools/run/run_options.hpp"

namespace heddle::tools {

/// A table of the members that the flags give; all of them are marked as coming from the command line. Ids: usage-flag.
[[nodiscard]] base::Result<base::Node> job_flags(const RunOptions& options);

}  // namespace heddle::tools
