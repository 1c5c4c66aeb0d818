// SPDX-License-Identifier: MIT
#pragma once
// A compiled shader through Intel's finalizer.

#include <string>

#include "spirv/compile/compile.hpp"

namespace heddle::test {

/// Compiles the module, writes it as .isa and hands it to GenX_IR; what is wrong, or nothing when Gen code came out
/// without a complaint. That registers were spilled is none.
[[nodiscard]] std::string finalizer_problem(const spirv::Module& module, const spirv::CompileOptions& options);

}  // namespace heddle::test
