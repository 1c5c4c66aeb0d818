// SPDX-License-Identifier: MIT
#pragma once
// Cases of one deqp-like program, in a process of their own.

#include <span>
#include <string>
#include <vector>

#include "tools/suite/statuses.hpp"
#include "tools/suite/suite_file.hpp"

namespace heddle::tools {

/// Runs the cases; the status of each. A case that the program dies of, or that takes too long, is told by what the
/// program printed last, and the cases behind it run in a new process. `stem`: of the files of each attempt:
/// STEM.r1.caselist.txt, .log, .qpa.
[[nodiscard]] std::vector<CaseStatus> run_chunk(const SuitePart& part, std::span<const std::string> cases,
                                                const std::string& stem);

}  // namespace heddle::tools
