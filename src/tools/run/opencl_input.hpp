// SPDX-License-Identifier: MIT
#pragma once
// What ocloc wrote, as the program of a job: a folder of dumps, a binary, or the text of one kernel beside them.

#include "base/result.hpp"
#include "job/job.hpp"
#include "tools/run/program_file.hpp"

namespace heddle::tools {

/// Where the job's program means dumps: chooses its kernel, reads it with its functions, and takes the binary and the
/// platform that the job leaves open. Nothing happens where it is something else. Ids: those of find_dumps,
/// choose_dump and read_dump; dump-platform.
[[nodiscard]] base::Result<base::Done> open_dump(job::Job& job, GivenProgram& program, const base::Limits& limits);

}  // namespace heddle::tools
