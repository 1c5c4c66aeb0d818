// SPDX-License-Identifier: MIT
#pragma once
// The texture unit's lanes as LLVM bitcode, carried inside the program.

#include <string_view>

namespace heddle::engine::jit {

/// `wide`: for machines with AVX-512 (x86-64-v4), else for those with AVX2, or any of arm64. Empty: this build has
/// none.
[[nodiscard]] std::string_view kernel_bitcode(bool wide);

}  // namespace heddle::engine::jit
