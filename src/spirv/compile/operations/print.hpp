// SPDX-License-Identifier: MIT
#pragma once
// Messages that shaders print.

#include "spirv/compile/core/context.hpp"

namespace heddle::spirv::compiler {

/// Bytes of the buffer that a run's messages are written to.
inline constexpr std::uint32_t kPrintBytes = 1 << 20;

/// OpExtInst of NonSemantic.DebugPrintf.
void translate_print(ShaderContext& t);

}  // namespace heddle::spirv::compiler
