// Float controls: the control register at the kernel's start, and instructions that round or flush otherwise.
// Rules: C36, NUM-92, SPV-40.
#include "spirv/compile/module/float_modes.hpp"

#include <fmt/format.h>

#include <spirv/unified1/GLSL.std.450.h>

#include <spirv/unified1/spirv.hpp11>

#include "spirv/compile/core/context.hpp"

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
      return false;
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

std::uint32_t* widths_of(FloatModes& modes, std::uint32_t mode) {
  switch (static_cast<spv::ExecutionMode>(mode)) {
    case spv::ExecutionMode::DenormPreserve:
      return &modes.preserve;
    case spv::ExecutionMode::DenormFlushToZero:
      return &modes.flush;
    case spv::ExecutionMode::RoundingModeRTE:
      return &modes.to_even;
    case spv::ExecutionMode::RoundingModeRTZ:
      return &modes.to_zero;
    default:
      return nullptr;
  }
}

}  // namespace

void ShaderTranslator::read_float_modes() {
  for (const Instruction& i : module.instructions) {
    const auto op = static_cast<Spv>(i.opcode);
    if (op == Spv::OpFunction) break;
    if (op == Spv::OpTypeFloat && !i.operands.empty() && i.operands[0] == 16) has_half_ = true;
    if (op != Spv::OpExecutionMode || i.operands.size() < 3 || i.operands[0] != entry.function) continue;
    std::uint32_t* const widths = widths_of(float_modes, i.operands[1]);
    if (widths == nullptr) continue;
    at = &i;
    const std::uint32_t width = i.operands[2];
    if (width != 16 && width != 32 && width != 64) {
      refuse(fmt::format("floating-point numbers have 16, 32 or 64 bits, not {}", width));
      continue;
    }
    *widths |= width;
    if ((float_modes.preserve & float_modes.flush & width) != 0)
      refuse(fmt::format("subnormal numbers of {} bits are both preserved and flushed", width));
    if ((float_modes.to_even & float_modes.to_zero & width) != 0)
      refuse(fmt::format("numbers of {} bits are rounded both to the nearest even number and to zero", width));
  }
}

/// Half floats keep their subnormal numbers unless the module says otherwise: a thread starts without (C36).
void ShaderTranslator::write_float_modes() {
  const std::uint32_t half = has_half_ && (float_modes.flush & 16) == 0 ? 16 : 0;
  const std::uint32_t kept = control_bits(float_modes.preserve | half), flushed = control_bits(float_modes.flush);
  if (kept != 0) b.set_control(kept);
  if (flushed != 0) b.clear_control(flushed);
}

bool ShaderTranslator::rounds_to_zero(const Instruction& i) {
  if (float_modes.to_zero == 0 || i.result == 0 || i.type == 0) return false;
  const auto op = static_cast<Spv>(i.opcode);
  if (!is_rounded(op) && !(op == Spv::OpExtInst && is_glsl(i) && is_rounded(i.operands[1]))) return false;
  // A conversion that says how it rounds does so by itself.
  if (decoration(i.result, static_cast<std::uint32_t>(spv::Decoration::FPRoundingMode)).has_value()) return false;
  const std::vector<isa::Type> types = scalars(i.type);
  return !types.empty() && float_modes.rounds_to_zero(types.front());
}

bool ShaderTranslator::is_glsl(const Instruction& i) const {
  if (i.operands.size() < 2) return false;
  const Instruction* const set = module.find(i.operands[0]);
  return set != nullptr && Module::string_at(set->operands, 0) == "GLSL.std.450";
}

/// vISA's mov keeps subnormal numbers, signs included: a product with 1 flushes them.
void ShaderTranslator::flush_result(const Instruction& i) {
  if (float_modes.flush == 0 || i.result == 0 || !is_flushed(static_cast<Spv>(i.opcode))) return;
  const auto found = values_.find(i.result);
  if (found == values_.end()) return;
  for (Part& part : found->second.parts)
    if (part.kind != Part::Kind::Undefined && float_modes.flushes(part.type))
      part = b.make("mul", part.type, {part, one_of(part.type)}, "flushed");
}

}  // namespace heddle::spirv::compiler
