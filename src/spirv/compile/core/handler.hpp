// SPDX-License-Identifier: MIT
#pragma once
// Opcodes and the functions that translate them, and what those functions ask for most.

#include <cstdint>
#include <utility>
#include <vector>

#include "spirv/compile/core/context.hpp"

namespace heddle::spirv::compiler {

using Handler = void (*)(ShaderContext&);
struct Op {
  std::uint16_t opcode;
  Handler handler;
};

/// Scalar type of the current instruction's result, or of an operand's components.
[[nodiscard]] isa::Type result_scalar(ShaderContext& t);
[[nodiscard]] isa::Type scalar_of(ShaderContext& t, std::uint32_t id);
/// All scalars of an operand.
[[nodiscard]] std::vector<Part> parts_of(ShaderContext& t, std::uint32_t id);
/// False, and reported, when the type is DF and the platform has none in hardware.
bool has_double(ShaderContext& t, isa::Type type);
/// Sets the result: `f(i)` gives its scalar i.
template <class F>
void each_scalar(ShaderContext& t, F f) {
  const unsigned count = t.types.of(t.at->type).flat;
  std::vector<Part> parts;
  for (unsigned i = 0; i < count; ++i) parts.push_back(f(i));
  t.set(std::move(parts));
}

/// Of the current OpExtInst: the instruction's number in its set; the id of operand k.
[[nodiscard]] inline std::uint32_t extended_number(const ShaderContext& t) { return t.operand(1); }
[[nodiscard]] inline std::uint32_t extended_operand(const ShaderContext& t, unsigned k) { return t.operand(k + 2); }

}  // namespace heddle::spirv::compiler
