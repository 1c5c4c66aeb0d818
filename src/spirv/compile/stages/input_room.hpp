// SPDX-License-Identifier: MIT
#pragma once
// SPV-52: where the inputs of a thread have room.

#include "spirv/compile/core/context.hpp"

namespace heddle::spirv::compiler {

/// Registers that a thread finds filled lie in the first 255 of 32 bytes.
inline constexpr std::uint32_t kMaxInputBytes = 255 * 32;

[[nodiscard]] inline bool inputs_fit(const ShaderContext& t) { return t.inputs.end() <= kMaxInputBytes; }

}  // namespace heddle::spirv::compiler
