// SPDX-License-Identifier: MIT
#pragma once
// One entry point on its way from SPIR-V to vISA.

#include "spirv/compile/core/context.hpp"

namespace heddle::spirv::compiler {

/// Writes the whole program of an entry point (OpEntryPoint) to t.b; false when something was reported as an error.
/// What cannot be translated is reported, and translation goes on, so that all of it is reported at once.
[[nodiscard]] bool translate(ShaderContext& t, const Instruction& point);

}  // namespace heddle::spirv::compiler
