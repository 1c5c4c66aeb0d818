// SPDX-License-Identifier: MIT
#include "support/spirv_mutator.hpp"

#include <algorithm>
#include <map>
#include <unordered_map>

#define SPV_ENABLE_UTILITY_CODE
#include <spirv/unified1/GLSL.std.450.h>

#include <spirv/unified1/spirv.hpp>

namespace heddle::test {
namespace {

/// Operations that take operands of the same kinds and number.
const std::vector<std::vector<std::uint16_t>>& families() {
  using namespace spv;
  static const std::vector<std::vector<std::uint16_t>> kFamilies = {
      {OpIAdd, OpISub, OpIMul, OpUDiv, OpSDiv, OpUMod, OpSRem, OpSMod, OpShiftRightLogical, OpShiftRightArithmetic,
       OpShiftLeftLogical, OpBitwiseOr, OpBitwiseXor, OpBitwiseAnd},
      {OpFAdd, OpFSub, OpFMul, OpFDiv, OpFRem, OpFMod},
      {OpSNegate, OpNot, OpBitReverse, OpBitCount, OpCopyObject},
      {OpFNegate, OpCopyObject, OpDPdx, OpDPdy, OpFwidth, OpDPdxFine, OpDPdyCoarse, OpFwidthCoarse, OpQuantizeToF16},
      {OpIEqual, OpINotEqual, OpUGreaterThan, OpSGreaterThan, OpUGreaterThanEqual, OpSGreaterThanEqual, OpULessThan,
       OpSLessThan, OpULessThanEqual, OpSLessThanEqual},
      {OpFOrdEqual, OpFUnordEqual, OpFOrdNotEqual, OpFUnordNotEqual, OpFOrdLessThan, OpFUnordLessThan,
       OpFOrdGreaterThan, OpFUnordGreaterThan, OpFOrdLessThanEqual, OpFUnordLessThanEqual, OpFOrdGreaterThanEqual,
       OpFUnordGreaterThanEqual},
      {OpLogicalEqual, OpLogicalNotEqual, OpLogicalOr, OpLogicalAnd},
      {OpConvertFToU, OpConvertFToS},
      {OpConvertSToF, OpConvertUToF},
      {OpUConvert, OpSConvert, OpFConvert, OpBitcast, OpCopyObject, OpCopyLogical},
      {OpIsNan, OpIsInf},
      {OpAny, OpAll},
      {OpVectorTimesScalar, OpMatrixTimesScalar, OpVectorTimesMatrix, OpMatrixTimesVector, OpMatrixTimesMatrix,
       OpOuterProduct, OpDot},
      {OpIAddCarry, OpISubBorrow, OpUMulExtended, OpSMulExtended},
      {OpBitFieldSExtract, OpBitFieldUExtract},
      {OpImageSampleImplicitLod, OpImageFetch, OpImageRead},
      {OpImageSampleExplicitLod, OpImageFetch, OpImageRead},
      {OpImageSampleDrefImplicitLod, OpImageGather, OpImageDrefGather, OpImageSampleProjDrefImplicitLod},
      {OpImageSampleImplicitLod, OpImageSampleProjImplicitLod, OpImageQueryLod},
      {OpImageQuerySize, OpImageQueryLevels, OpImageQuerySamples},
      {OpAtomicIAdd, OpAtomicISub, OpAtomicSMin, OpAtomicUMin, OpAtomicSMax, OpAtomicUMax, OpAtomicAnd, OpAtomicOr,
       OpAtomicXor, OpAtomicExchange},
      {OpAtomicIIncrement, OpAtomicIDecrement, OpAtomicLoad},
      {OpGroupNonUniformIAdd, OpGroupNonUniformIMul, OpGroupNonUniformSMin, OpGroupNonUniformUMin,
       OpGroupNonUniformSMax, OpGroupNonUniformUMax, OpGroupNonUniformBitwiseAnd, OpGroupNonUniformBitwiseOr,
       OpGroupNonUniformBitwiseXor},
      {OpGroupNonUniformFAdd, OpGroupNonUniformFMul, OpGroupNonUniformFMin, OpGroupNonUniformFMax},
      {OpGroupNonUniformShuffle, OpGroupNonUniformShuffleXor, OpGroupNonUniformShuffleUp, OpGroupNonUniformShuffleDown,
       OpGroupNonUniformBroadcast, OpGroupNonUniformQuadBroadcast, OpGroupNonUniformQuadSwap},
      {OpGroupNonUniformAll, OpGroupNonUniformAny, OpGroupNonUniformInverseBallot},
      {OpKill, OpReturn, OpUnreachable, OpTerminateInvocation},
      {OpAccessChain, OpInBoundsAccessChain},
      {OpConstantTrue, OpConstantFalse, OpSpecConstantTrue, OpSpecConstantFalse, OpConstantNull, OpUndef},
      {OpConstant, OpSpecConstant},
      {OpConstantComposite, OpSpecConstantComposite},
      {OpTypeVector, OpTypeMatrix},
  };
  return kFamilies;
}

/// Extended instructions by how many operands they take.
std::uint32_t glsl_operands(std::uint32_t number) {
  if (number == 0 || number > GLSLstd450NClamp) return 0;
  static constexpr std::uint32_t kTwo[] = {
      GLSLstd450Atan2, GLSLstd450Pow,     GLSLstd450FMin, GLSLstd450UMin, GLSLstd450SMin,    GLSLstd450FMax,
      GLSLstd450UMax,  GLSLstd450SMax,    GLSLstd450Step, GLSLstd450Modf, GLSLstd450Frexp,   GLSLstd450Ldexp,
      GLSLstd450Cross, GLSLstd450Reflect, GLSLstd450NMin, GLSLstd450NMax, GLSLstd450Distance};
  static constexpr std::uint32_t kThree[] = {GLSLstd450FClamp,      GLSLstd450UClamp,  GLSLstd450SClamp,
                                             GLSLstd450FMix,        GLSLstd450Fma,     GLSLstd450SmoothStep,
                                             GLSLstd450FaceForward, GLSLstd450Refract, GLSLstd450NClamp};
  if (std::ranges::find(kTwo, number) != std::end(kTwo)) return 2;
  if (std::ranges::find(kThree, number) != std::end(kThree)) return 3;
  return 1;
}

}  // namespace

struct SpirvMutator::Instruction {
  std::size_t at = 0;  ///< first word
  std::uint16_t opcode = 0;
  std::uint32_t count = 0, type = 0, result = 0;
  std::size_t operands = 0;  ///< words before the operands
};

/// What a module defines, read anew for each change.
struct SpirvMutator::Index {
  std::vector<Instruction> instructions;
  std::unordered_map<std::uint32_t, std::size_t> definition;
  std::map<std::uint32_t, std::vector<std::uint32_t>> of_type;    ///< type id -> values
  std::map<std::uint16_t, std::vector<std::uint32_t>> of_opcode;  ///< OpType... and OpLabel -> ids
  std::size_t functions = 0;                                      ///< the first OpFunction

  explicit Index(std::span<const std::uint32_t> words) {
    for (std::size_t at = 5; at < words.size();) {
      Instruction i;
      i.at = at;
      i.opcode = static_cast<std::uint16_t>(words[at] & 0xffffu);
      i.count = words[at] >> 16;
      if (i.count == 0 || i.count > words.size() - at) break;
      bool has_result = false, has_type = false;
      spv::HasResultAndType(static_cast<spv::Op>(i.opcode), &has_result, &has_type);
      i.operands = 1;
      if (has_type && i.operands < i.count) i.type = words[at + i.operands++];
      if (has_result && i.operands < i.count) i.result = words[at + i.operands++];
      if (i.result != 0) {
        definition[i.result] = instructions.size();
        if (i.type != 0)
          of_type[i.type].push_back(i.result);
        else
          of_opcode[i.opcode].push_back(i.result);
      }
      if (i.opcode == spv::OpFunction && functions == 0) functions = instructions.size();
      instructions.push_back(i);
      at += i.count;
    }
    if (functions == 0) functions = instructions.size();
  }
};

std::uint32_t SpirvMutator::extreme() {
  static constexpr std::uint32_t kValues[] = {
      0,          1,          2,          3,          4,          5,          7,          8,          9,
      15,         16,         17,         31,         32,         33,         63,         64,         65,
      127,        128,        255,        256,        257,        1023,       1024,       4095,       4096,
      4097,       8192,       65535,      65536,      1u << 20,   20'000'000, 0x7fffffff, 0x80000000, 0x80000001,
      0xfffffff0, 0xffffffff, 0x7f800000, 0xff800000, 0x7fc00000, 0x3f800000, 0x00000001, 0x7f7fffff};
  return kValues[below(std::size(kValues))];
}

bool SpirvMutator::exchange_operand(std::vector<std::uint32_t>& words, const Index& index) {
  const std::size_t n = index.instructions.size();
  // Mostly instructions of functions; of the rest too.
  const std::size_t first = below(4) == 0 ? 0 : std::min(index.functions, n - 1);
  const Instruction& i = index.instructions[first + below(n - first)];
  if (i.count <= i.operands) return false;
  std::uint32_t& word = words[i.at + (below(8) == 0 && i.type != 0 ? 1 : i.operands + below(i.count - i.operands))];
  const auto found = index.definition.find(word);
  if (found == index.definition.end()) return false;
  const Instruction& defined = index.instructions[found->second];
  const std::vector<std::uint32_t>& others =
      defined.type != 0 ? index.of_type.at(defined.type) : index.of_opcode.at(defined.opcode);
  word = others[below(others.size())];
  return true;
}

bool SpirvMutator::exchange_operation(std::vector<std::uint32_t>& words, const Index& index) {
  const Instruction& i = index.instructions[below(index.instructions.size())];
  if (i.opcode == spv::OpExtInst && i.count > 5) {
    std::uint32_t& number = words[i.at + 4];
    const std::uint32_t taken = glsl_operands(number);
    for (unsigned attempt = 0; attempt < 32; ++attempt) {
      const std::uint32_t other = 1 + below(GLSLstd450NClamp);
      if (glsl_operands(other) != taken) continue;
      number = other;
      return true;
    }
    return false;
  }
  std::vector<const std::vector<std::uint16_t>*> own;
  for (const std::vector<std::uint16_t>& family : families())
    if (std::ranges::find(family, i.opcode) != family.end()) own.push_back(&family);
  if (own.empty()) return false;
  const std::vector<std::uint16_t>& family = *own[below(own.size())];
  words[i.at] = (words[i.at] & 0xffff0000u) | family[below(family.size())];
  return true;
}

bool SpirvMutator::change_constant(std::vector<std::uint32_t>& words, const Index& index) {
  std::vector<std::size_t> constants;
  for (std::size_t k = 0; k < index.functions; ++k)
    if (index.instructions[k].opcode == spv::OpConstant || index.instructions[k].opcode == spv::OpSpecConstant)
      constants.push_back(k);
  if (constants.empty()) return false;
  const Instruction& i = index.instructions[constants[below(constants.size())]];
  if (i.count <= i.operands) return false;
  words[i.at + i.operands + below(i.count - i.operands)] = extreme();
  return true;
}

bool SpirvMutator::change_decoration(std::vector<std::uint32_t>& words, const Index& index) {
  std::vector<std::size_t> decorations;
  for (std::size_t k = 0; k < index.functions; ++k) {
    const std::uint16_t opcode = index.instructions[k].opcode;
    if (opcode == spv::OpDecorate || opcode == spv::OpMemberDecorate || opcode == spv::OpExecutionMode)
      decorations.push_back(k);
  }
  if (decorations.empty()) return false;
  const Instruction& i = index.instructions[decorations[below(decorations.size())]];
  const std::size_t kind = i.opcode == spv::OpMemberDecorate ? 3 : 2;
  if (i.count <= kind) return false;
  if (i.count > kind + 1 && below(4) != 0) {
    words[i.at + kind + 1 + below(i.count - kind - 1)] = below(2) == 0 ? extreme() : below(48);
    return true;
  }
  static constexpr std::uint32_t kPlain[] = {
      spv::DecorationFlat,          spv::DecorationNoPerspective,    spv::DecorationCentroid,
      spv::DecorationSample,        spv::DecorationRowMajor,         spv::DecorationColMajor,
      spv::DecorationCoherent,      spv::DecorationNonWritable,      spv::DecorationBlock,
      spv::DecorationBufferBlock,   spv::DecorationRestrict,         spv::DecorationInvariant,
      spv::DecorationNoContraction, spv::DecorationRelaxedPrecision, spv::DecorationNonReadable,
      spv::DecorationVolatile};
  static constexpr std::uint32_t kNumbered[] = {
      spv::DecorationLocation, spv::DecorationComponent,    spv::DecorationIndex,        spv::DecorationBinding,
      spv::DecorationOffset,   spv::DecorationArrayStride,  spv::DecorationMatrixStride, spv::DecorationBuiltIn,
      spv::DecorationSpecId,   spv::DecorationDescriptorSet};
  if (i.opcode == spv::OpExecutionMode)
    words[i.at + kind] = below(40);
  else
    words[i.at + kind] =
        i.count == kind + 1 ? kPlain[below(std::size(kPlain))] : kNumbered[below(std::size(kNumbered))];
  return true;
}

bool SpirvMutator::change_type(std::vector<std::uint32_t>& words, const Index& index) {
  std::vector<std::size_t> types;
  for (std::size_t k = 0; k < index.functions; ++k) {
    const std::uint16_t opcode = index.instructions[k].opcode;
    if ((opcode >= spv::OpTypeVoid && opcode <= spv::OpTypePointer) || opcode == spv::OpVariable) types.push_back(k);
  }
  if (types.empty()) return false;
  const Instruction& i = index.instructions[types[below(types.size())]];
  if (i.count <= i.operands) return false;
  std::uint32_t* const operand = &words[i.at + i.operands];
  static constexpr std::uint32_t kWidths[] = {8, 16, 32, 64};
  switch (i.opcode) {
    case spv::OpTypeInt:
      operand[below(2)] = below(2) == 0 ? below(2) : kWidths[below(4)];
      return true;
    case spv::OpTypeFloat:
      operand[0] = kWidths[1 + below(3)];
      return true;
    case spv::OpTypeVector:
    case spv::OpTypeMatrix:
      operand[1] = 1 + below(5);
      return true;
    case spv::OpTypeImage:
      operand[1 + below(6)] = below(7);
      return true;
    case spv::OpTypePointer:
    case spv::OpVariable:
      operand[0] = below(13);
      return true;
    default:
      return exchange_operand(words, index);
  }
}

bool SpirvMutator::change_literal(std::vector<std::uint32_t>& words, const Index& index) {
  const std::size_t n = index.instructions.size();
  if (index.functions >= n) return false;
  const Instruction& i = index.instructions[index.functions + below(n - index.functions)];
  switch (i.opcode) {
    case spv::OpCompositeExtract:
    case spv::OpCompositeInsert:
    case spv::OpVectorShuffle:
    case spv::OpSwitch:
    case spv::OpLoad:
    case spv::OpStore:
    case spv::OpImageSampleImplicitLod:
    case spv::OpImageSampleExplicitLod:
    case spv::OpImageFetch:
    case spv::OpImageRead:
    case spv::OpImageWrite:
    case spv::OpImageGather:
    case spv::OpSelectionMerge:
    case spv::OpLoopMerge:
    case spv::OpGroupNonUniformIAdd:
    case spv::OpGroupNonUniformFAdd:
      break;
    default:
      return false;
  }
  if (i.count <= i.operands) return false;
  words[i.at + i.count - 1 - below(std::min<std::size_t>(2, i.count - i.operands))] =
      below(2) == 0 ? below(8) : extreme();
  return true;
}

bool SpirvMutator::remove_instruction(std::vector<std::uint32_t>& words, const Index& index) {
  const Instruction& i = index.instructions[below(index.instructions.size())];
  static constexpr std::uint16_t kRemovable[] = {spv::OpStore,      spv::OpDecorate,       spv::OpMemberDecorate,
                                                 spv::OpName,       spv::OpExecutionMode,  spv::OpCapability,
                                                 spv::OpImageWrite, spv::OpControlBarrier, spv::OpMemoryBarrier};
  if (std::ranges::find(kRemovable, i.opcode) == std::end(kRemovable)) return false;
  words.erase(words.begin() + static_cast<std::ptrdiff_t>(i.at),
              words.begin() + static_cast<std::ptrdiff_t>(i.at + i.count));
  return true;
}

std::vector<std::uint32_t> SpirvMutator::mutate(std::span<const std::uint32_t> module, unsigned changes) {
  std::vector<std::uint32_t> words(module.begin(), module.end());
  for (unsigned done = 0, attempts = 0; done < changes && attempts < 64 * changes; ++attempts) {
    const Index index(words);
    if (index.instructions.size() < 2) return words;
    bool changed = false;
    switch (below(16)) {
      case 0:
      case 1:
      case 2:
      case 3:
      case 4:
        changed = exchange_operand(words, index);
        break;
      case 5:
      case 6:
      case 7:
      case 8:
        changed = exchange_operation(words, index);
        break;
      case 9:
      case 10:
        changed = change_constant(words, index);
        break;
      case 11:
      case 12:
        changed = change_decoration(words, index);
        break;
      case 13:
        changed = change_type(words, index);
        break;
      case 14:
        changed = change_literal(words, index);
        break;
      default:
        changed = remove_instruction(words, index);
    }
    done += changed ? 1 : 0;
  }
  return words;
}

}  // namespace heddle::test
