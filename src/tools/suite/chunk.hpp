// SPDX-License-Identifier: MIT
#pragma once
// Cases of one deqp-like program, in a process of their own.

#include <span>
#include <string>
#include <vector>

#include "base/diagnostic.hpp"
#include "tools/suite/statuses.hpp"
#include "tools/suite/suite_file.hpp"

namespace heddle::tools {

struct ChunkRun {
  std::vector<CaseStatus> statuses;  ///< of each case
  /// Why cases are missing: the program cannot be started, or a file cannot be written; a warning: it began no case.
  /// Ids: suite-program, those of files.
  std::vector<base::Diagnostic> problems;
};

/// Runs the cases. A case that the program dies of, or that takes too long, is told by what the
/// program printed last, and the cases behind it run in a new process. `stem`: of the files of each attempt:
/// STEM.r1.caselist.txt, .log, .qpa.
/// A process that gives no case a result is the last one.
[[nodiscard]] ChunkRun run_chunk(const SuitePart& part, std::span<const std::string> cases, const std::string& stem);

}  // namespace heddle::tools
