// SPDX-License-Identifier: MIT
#pragma once
// Lines that flags name: of the program's text, of a file that is part of it, or of the source that it was made from.

#include <memory>
#include <string>
#include <unordered_set>

#include "base/result.hpp"
#include "isa/program.hpp"
#include "tools/run/program_file.hpp"
#include "tools/run/run_options.hpp"

namespace heddle::tools {

struct LineChoice {
  std::shared_ptr<std::unordered_set<const isa::Instruction*>> instructions;
  std::string text;  ///< "line 7", "scene.frag:5"
};

/// LINE, FIRST-LAST, FILE:LINE or FILE:FIRST-LAST. Without a file: of a shader its own lines, unless --keep writes what
/// it was compiled to; else those of the program's text. `last`: of instructions that follow each other only the last
/// one, behind which the line is done. Id: usage-flag.
[[nodiscard]] base::Result<LineChoice> choose_lines(const std::string& flag, const std::string& text,
                                                    const RunPrograms& programs, const RunOptions& options, bool last);

}  // namespace heddle::tools
