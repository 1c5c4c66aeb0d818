// SPDX-License-Identifier: MIT
// Derivatives.
// Rules: SPV-22, run-derivative-undefined.
#include "spirv/compile/arithmetic/derivative.hpp"

#include <spirv/unified1/spirv.hpp>

#include "isa/quad_remark.hpp"
#include "spirv/compile/operations/operations.hpp"

namespace heddle::spirv::compiler {

using isa::Type;

void mark_quads(ShaderContext& t) {
  if (!t.lanes.may_be_killed() && has_derivatives(t.entry)) t.b.remark(isa::kQuadRemark);
}

namespace {

void derivative(ShaderContext& t) {
  const Type type = result_scalar(t);
  if (type == Type::DF) {
    t.refuse("a derivative of 64-bit floating point");
    return;
  }
  mark_quads(t);
  each_scalar(t, [&](unsigned i) {
    const Part x = t.values.part(t.operand(0), i);
    const std::string name = t.result_name("d");
    switch (t.at->opcode) {
      case spv::OpDPdx:  // either is allowed; fine is the better one
      case spv::OpDPdxFine:
        return derivative_of(t.b, x, Axis::X, false, name);
      case spv::OpDPdxCoarse:
        return derivative_of(t.b, x, Axis::X, true, name);
      case spv::OpDPdy:
      case spv::OpDPdyFine:
        return derivative_of(t.b, x, Axis::Y, false, name);
      case spv::OpDPdyCoarse:
        return derivative_of(t.b, x, Axis::Y, true, name);
      default:
        break;
    }
    const bool coarse = t.at->opcode == spv::OpFwidthCoarse;
    const Part dx = derivative_of(t.b, x, Axis::X, coarse, "dx"), dy = derivative_of(t.b, x, Axis::Y, coarse, "dy");
    return t.b.make("add", type, {magnitude(dx), magnitude(dy)}, name);
  });
}

}  // namespace

std::span<const Op> derivative_ops() {
  static constexpr Op kOps[] = {
      {spv::OpDPdx, derivative},       {spv::OpDPdy, derivative},       {spv::OpFwidth, derivative},
      {spv::OpDPdxFine, derivative},   {spv::OpDPdyFine, derivative},   {spv::OpFwidthFine, derivative},
      {spv::OpDPdxCoarse, derivative}, {spv::OpDPdyCoarse, derivative}, {spv::OpFwidthCoarse, derivative},
  };
  return kOps;
}

}  // namespace heddle::spirv::compiler
