// SPDX-License-Identifier: MIT
#pragma once
// What a Vulkan program draws and dispatches, as a page.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tools/run/explore_input.hpp"

namespace heddle::tools {

/// The first and the last, counted from 0.
struct NumberRange {
  std::uint32_t first = 0, last = UINT32_MAX;
};

/// What of a program is explored.
struct ProgramPart {
  NumberRange draws = {};                  ///< of the captured commands
  std::optional<NumberRange> frames = {};  ///< that it presents; it is ended behind the last one
  std::optional<explore::Beginning> begin = {};
};

/// Runs the program with the driver's capture, and writes the report when it has ended: then its own exit code.
[[nodiscard]] base::ExitCode explore_program(const std::vector<std::string>& words, const ProgramPart& part,
                                             const ReportFile& report);

}  // namespace heddle::tools
