// SPDX-License-Identifier: MIT
#pragma once
// heddle vulkan --profile: which profiles the driver has.

#include <string>

#include "base/diagnostic.hpp"
#include "tools/command_line/options.hpp"

namespace heddle::tools {

/// `name`: "all", a profile of this program's tables, or a file (a name with a slash, or that ends in .txt) with a
/// table of its own. Exit code 5: a profile that was named, or one of the file, is missed. Ids: profile-unknown,
/// profile-line, profile-name.
[[nodiscard]] base::ExitCode run_profile_command(const std::string& name, OutputFormat format);

}  // namespace heddle::tools
