// SPDX-License-Identifier: MIT
#pragma once
// Where a program's file is, and what it is started with.

#include <map>
#include <string>
#include <vector>

namespace heddle::base {

/// As execvp finds it, through PATH where the name has no slash; empty: nowhere.
[[nodiscard]] std::string find_program(const std::string& name);
/// All variables of this process as "NAME=value", with others in the place of those of their names.
[[nodiscard]] std::vector<std::string> environment_with(const std::map<std::string, std::string>& others);

}  // namespace heddle::base
