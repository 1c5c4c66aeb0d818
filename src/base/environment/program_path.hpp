// SPDX-License-Identifier: MIT
#pragma once
// Where a program's file is.

#include <string>

namespace heddle::base {

/// As execvp finds it, through PATH where the name has no slash; empty: nowhere.
[[nodiscard]] std::string find_program(const std::string& name);

}  // namespace heddle::base
