// SPDX-License-Identifier: MIT
#pragma once
// Programs that run with Heddle's Vulkan driver.

#include <string>
#include <vector>

#include "base/diagnostic.hpp"

namespace heddle::tools {

/// Says what went wrong (id vulkan-driver), and is `code`.
base::ExitCode driver_failure(base::ExitCode code, std::string message, std::string note = {});
/// The driver's manifest beside this program: of the build, or installed. Empty: there is none.
[[nodiscard]] std::string driver_manifest();
/// Makes the driver the one of every program that is started from now on. Not done: the manifest is missing, or a
/// variable of the driver has a value that it does not take.
[[nodiscard]] base::ExitCode use_driver();
/// Runs a program (found through PATH) to its end: its own exit code, and 128 and the signal's number where one ended
/// it, as shells say it. Signals that end this process go to the program.
[[nodiscard]] base::ExitCode run_to_end(const std::vector<std::string>& words);
/// The same; with HEDDLE_CHECK=error 5 where the program, or one that it started, had findings.
[[nodiscard]] base::ExitCode run_checked(const std::vector<std::string>& words);
base::ExitCode cannot_run(const std::string& program, int problem);
/// For posix_spawn and exec: pointers into `words`, and a null.
[[nodiscard]] std::vector<char*> argument_list(std::vector<std::string>& words);

}  // namespace heddle::tools
