// SPDX-License-Identifier: MIT
#pragma once
// What is explored, out of inputs and flags; and the report as a file.

#include <cstdint>
#include <string>

#include "explore/exploration.hpp"
#include "tools/command_line/progress.hpp"
#include "tools/run/run_options.hpp"

namespace heddle::tools {

/// The commands of a job, a shader or program with flags, or of a folder that a capture wrote. Done, or an exit code
/// after printing.
[[nodiscard]] base::ExitCode load_commands(const RunOptions& run, explore::Exploration& exploration);

struct ReportFile {
  std::string path, title;
  std::uint64_t size = 0;  ///< bytes that it may have
  bool quiet = false;
};
/// Runs all commands and writes the report. Done, or an exit code after printing.
[[nodiscard]] base::ExitCode write_report(const explore::Exploration& exploration,
                                          const explore::ExploreOptions& options, const ReportFile& file,
                                          Progress& progress);

}  // namespace heddle::tools
