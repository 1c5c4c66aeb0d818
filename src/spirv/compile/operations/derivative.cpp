// Derivatives: differences inside quads, lanes 0 1 / 2 3 of each group of four. Helper lanes are active lanes like the
// others.
// Rules: SPV-22, run-derivative-undefined.

#include <algorithm>
#include <spirv/unified1/spirv.hpp>

#include "isa/quad_remark.hpp"
#include "spirv/compile/arithmetic/derivative.hpp"
#include "spirv/compile/arithmetic/scalar.hpp"

namespace heddle::spirv::compiler {

using isa::Type;

namespace {}  // namespace

Part derivative_of(VisaWriter& b, const Part& value, Axis axis, bool coarse, std::string_view hint) {
  const Type type = value.type;
  if (value.kind != Part::Kind::Variable || value.stride == 0) return real_of(type, 0);
  Part x = value;
  if (x.stride != 1 || x.offset % b.grf() != 0) {  // copied whole: neighbors may be inactive
    x = b.lanes(type, "whole");
    b.op("mov", x, {value}, {{}, false, true});
  }
  const Part dst = b.lanes(type, hint);
  // Lane offsets of the two values, and how the lanes of a quad share them.
  const unsigned step = axis == Axis::X ? 1 : 2;
  const RegionShape shape = coarse            ? RegionShape{4, 4, 0}
                            : axis == Axis::X ? RegionShape{2, 2, 0}
                                              : RegionShape{0, 2, 1};
  // Fine vertical differences 2-0 3-1 2-0 3-1 have a region only inside one quad.
  const unsigned lanes = !coarse && axis == Axis::Y ? 4 : std::min(b.simd(), 16u);
  for (unsigned start = 0; start < b.simd(); start += lanes) {
    const Piece piece{start, lanes};
    b.instruction("add", piece,
                  {b.destination(dst, piece), b.region(x, start + step, shape), b.region(negated(x), start, shape)});
  }
  return dst;
}

bool has_derivatives(const ShaderTranslator& t) {
  const auto mode = [&](spv::ExecutionMode m) { return t.entry.modes.count(static_cast<std::uint32_t>(m)) != 0; };
  return t.stage == isa::ShaderStage::Fragment || mode(spv::ExecutionModeDerivativeGroupQuadsNV) ||
         mode(spv::ExecutionModeDerivativeGroupLinearNV);
}

void mark_quads(ShaderTranslator& t) {
  if (!t.kills && has_derivatives(t)) t.b.remark(isa::kQuadRemark);
}

namespace {

void derivative(ShaderTranslator& t) {
  const Type type = result_scalar(t);
  if (type == Type::DF) {
    t.refuse("a derivative of 64-bit floating point");
    return;
  }
  mark_quads(t);
  each_scalar(t, [&](unsigned i) {
    const Part x = t.part(t.operand(0), i);
    const std::string name = t.name_of(t.at->result, "d");
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
