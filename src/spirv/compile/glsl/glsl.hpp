// SPDX-License-Identifier: MIT
#pragma once
// Parts of GLSL.std.450, which instructions come to by OpExtInst.

#include <span>
#include <vector>

#include "spirv/compile/arithmetic/real.hpp"
#include "spirv/compile/core/handler.hpp"

namespace heddle::spirv::compiler {

[[nodiscard]] std::span<const Op> glsl_ops();

[[nodiscard]] Real square_root(const Real& x);
[[nodiscard]] Real dot(const std::vector<Real>& x, const std::vector<Real>& y);
/// x / divisor, rounded to nearest but for rare cases.
[[nodiscard]] Real quotient(const Real& x, double divisor);

/// Each tries the current instruction; false: it is none of its kind.
[[nodiscard]] bool glsl_elementwise(ShaderContext& t);  // glsl_math.cpp: floating-point functions of single components
[[nodiscard]] bool glsl_integer(ShaderContext& t);      // glsl_bits.cpp: integers
[[nodiscard]] bool glsl_pack(ShaderContext& t);         // glsl_bits.cpp: pack and unpack, frexp, modf, ldexp
[[nodiscard]] bool glsl_vector(ShaderContext& t);       // glsl_vector.cpp: lengths, products, matrices
[[nodiscard]] bool glsl_interpolate(ShaderContext& t);  // glsl_vector.cpp

}  // namespace heddle::spirv::compiler
