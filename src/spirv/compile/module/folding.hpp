// SPDX-License-Identifier: MIT
#pragma once
// Operations on scalars that are known: those that OpSpecConstantOp may have in
// a shader.

#include <cstdint>

#include "spirv/compile/writer/part.hpp"

namespace heddle::spirv::compiler {

/// How OpFConvert rounds, and whether a subnormal result becomes zero (SPV-40).
struct Narrowing {
  bool to_zero = false, flush = false;
};

/// result = op(a, b), in the result's type; false: not an operation that
/// constants may have.
[[nodiscard]] bool fold(std::uint32_t op, const Part& a, const Part& b, const Narrowing& narrowing, Part& result);

}  // namespace heddle::spirv::compiler
