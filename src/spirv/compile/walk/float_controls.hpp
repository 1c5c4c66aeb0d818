// SPDX-License-Identifier: MIT
#pragma once
// Float controls: the control register at the kernel's start, and instructions that round or flush otherwise.

#include "spirv/compile/core/context.hpp"

namespace heddle::spirv::compiler {

void write_float_controls(ShaderContext& t);
/// Whether the modes ask for an instruction's result to be rounded to zero.
[[nodiscard]] bool rounds_to_zero(ShaderContext& t, const Instruction& i);
/// Subnormal results become zero, where the modes say so and the instruction itself does not.
void flush_result(ShaderContext& t, const Instruction& i);

}  // namespace heddle::spirv::compiler
