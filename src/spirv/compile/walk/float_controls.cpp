// SPDX-License-Identifier: MIT
// Rules: C36, NUM-92, SPV-40.
#include "spirv/compile/walk/float_controls.hpp"

#include <spirv/unified1/GLSL.std.450.h>

#include <spirv/unified1/spirv.hpp11>
#include <vector>

#include "spirv/newer_opcodes.hpp"

namespace heddle::spirv::compiler {

using Spv = spv::Op;

namespace {

// %cr0 (NUM-92): subnormals are kept where the bit of their type is set.
constexpr std::uint32_t kKeepHalf = 0x400, kKeepSingle = 0x80, kKeepDouble = 0x40;

/// The bits of the control register for widths.
std::uint32_t control_bits(std::uint32_t widths) {
  return ((widths & 16) != 0 ? kKeepHalf : 0) | ((widths & 32) != 0 ? kKeepSingle : 0) |
         ((widths & 64) != 0 ? kKeepDouble : 0);
}

/// Arithmetic and conversions of SPIR-V proper, whose results are rounded as the modes say.
bool is_rounded(Spv op) {
  switch (op) {
    case Spv::OpFAdd:
    case Spv::OpFSub:
    case Spv::OpFMul:
    case Spv::OpFDiv:
    case Spv::OpVectorTimesScalar:
    case Spv::OpMatrixTimesScalar:
    case Spv::OpVectorTimesMatrix:
    case Spv::OpMatrixTimesVector:
    case Spv::OpMatrixTimesMatrix:
    case Spv::OpOuterProduct:
    case Spv::OpDot:
    case Spv::OpConvertSToF:
    case Spv::OpConvertUToF:
    case Spv::OpFConvert:
      return true;
    default:
      return static_cast<std::uint16_t>(op) == kFma;
  }
}

/// Those of GLSL.std.450 that are rounded once, or are sums and products.
bool is_rounded(std::uint32_t number) {
  switch (number) {
    case GLSLstd450Fma:
    case GLSLstd450FMix:
    case GLSLstd450Fract:
    case GLSLstd450Sqrt:
      return true;
    default:
      return false;
  }
}

/// What else must not give subnormal numbers where they are flushed.
bool is_flushed(Spv op) {
  return is_rounded(op) || op == Spv::OpFNegate || op == Spv::OpFRem || op == Spv::OpFMod || op == Spv::OpExtInst;
}

Part one_of(isa::Type type) {
  return constant(type, type == isa::Type::DF ? 0x3ff0000000000000u : type == isa::Type::HF ? 0x3c00u : 0x3f800000u);
}

bool is_glsl(const Module& module, const Instruction& i) {
  if (i.operands.size() < 2) return false;
  const Instruction* const set = module.find(i.operands[0]);
  return set != nullptr && Module::string_at(set->operands, 0) == "GLSL.std.450";
}

}  // namespace

/// Half floats keep their subnormal numbers unless the module says otherwise: a thread starts without (C36).
void write_float_controls(ShaderContext& t) {
  const std::uint32_t half = t.float_modes.has_half && (t.float_modes.flush & 16) == 0 ? 16 : 0;
  const std::uint32_t kept = control_bits(t.float_modes.preserve | half), flushed = control_bits(t.float_modes.flush);
  if (kept != 0) t.b.set_control(kept);
  if (flushed != 0) t.b.clear_control(flushed);
}

bool rounds_to_zero(ShaderContext& t, const Instruction& i) {
  if (t.float_modes.to_zero == 0 || i.result == 0 || i.type == 0) return false;
  const auto op = static_cast<Spv>(i.opcode);
  if (!is_rounded(op) && !(op == Spv::OpExtInst && is_glsl(t.module, i) && is_rounded(i.operands[1]))) return false;
  // A conversion that says how it rounds does so by itself.
  if (t.annotations.decoration(i.result, static_cast<std::uint32_t>(spv::Decoration::FPRoundingMode)).has_value())
    return false;
  const std::vector<isa::Type> types = t.types.scalars(i.type);
  return !types.empty() && t.float_modes.rounds_to_zero(types.front());
}

/// vISA's mov keeps subnormal numbers, signs included: a product with 1 flushes them.
void flush_result(ShaderContext& t, const Instruction& i) {
  if (t.float_modes.flush == 0 || i.result == 0 || !is_flushed(static_cast<Spv>(i.opcode))) return;
  Value* const found = t.values.computed(i.result);
  if (found == nullptr) return;
  for (Part& part : found->parts)
    if (part.kind != Part::Kind::Undefined && t.float_modes.flushes(part.type))
      part = t.b.make("mul", part.type, {part, one_of(part.type)}, "flushed");
}

}  // namespace heddle::spirv::compiler
