// SPDX-License-Identifier: MIT
#pragma once
// What a Vulkan program draws and dispatches, as a page.

#include <cstdint>
#include <string>
#include <vector>

#include "tools/run/explore_input.hpp"

namespace heddle::tools {

/// The first and the last of the captured commands, counted from 0.
struct CommandRange {
  std::uint32_t first = 0, last = UINT32_MAX;
};

/// Runs the program with the driver's capture, and writes the report when it has ended: then its own exit code.
[[nodiscard]] base::ExitCode explore_program(const std::vector<std::string>& words, CommandRange draws,
                                             const ReportFile& report);

}  // namespace heddle::tools
