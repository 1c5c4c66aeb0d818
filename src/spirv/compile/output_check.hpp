// SPDX-License-Identifier: MIT
#pragma once
// What the compiler wrote, read back and checked.

#include <string>
#include <string_view>

#include "base/diagnostic.hpp"
#include "isa/platform.hpp"

namespace heddle::spirv::compiler {

/// Whether the text is a program that keeps all rules on the platform; else compile-internal with the findings.
/// `file`: the module's.
[[nodiscard]] bool check_output(std::string_view text, const std::string& file, isa::Platform platform,
                                base::Diagnostics& diagnostics);

}  // namespace heddle::spirv::compiler
