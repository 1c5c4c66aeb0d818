// SPDX-License-Identifier: MIT
#pragma once
// Numbers of SPIR-V that the headers of Debian 12 do not have.

#include <cstdint>

namespace heddle::spirv {

/// OpExtInstWithForwardRefsKHR: OpExtInst in debug information.
inline constexpr std::uint16_t kExtInstWithForwardRefs = 4433;
/// OpGroupNonUniformQuadAllKHR, OpGroupNonUniformQuadAnyKHR (SPV_KHR_quad_control): result type, result, predicate.
inline constexpr std::uint16_t kGroupNonUniformQuadAll = 5110, kGroupNonUniformQuadAny = 5111;
[[nodiscard]] constexpr bool is_quad_vote(std::uint16_t opcode) {
  return opcode == kGroupNonUniformQuadAll || opcode == kGroupNonUniformQuadAny;
}

/// OpConstantCompositeReplicateEXT, OpSpecConstantCompositeReplicateEXT, OpCompositeConstructReplicateEXT
/// (SPV_EXT_replicated_composites): result type, result, the value of each part.
inline constexpr std::uint16_t kConstantReplicate = 4461, kSpecConstantReplicate = 4462, kConstructReplicate = 4463;
[[nodiscard]] constexpr bool is_replicate(std::uint16_t opcode) {
  return opcode >= kConstantReplicate && opcode <= kConstructReplicate;
}
inline constexpr std::uint32_t kCapabilityReplicatedComposites = 6024;

/// OpFmaKHR (SPV_KHR_fma): result type, result, two factors, what is added.
inline constexpr std::uint16_t kFma = 4427;
inline constexpr std::uint32_t kCapabilityFma = 6030;

/// SPV_KHR_untyped_pointers: a pointer type without what it points to; the others stand where those without "Untyped"
/// do, with a type before the pointer.
inline constexpr std::uint16_t kTypeUntypedPointer = 4417, kUntypedVariable = 4418, kUntypedAccessChain = 4419,
                               kUntypedInBoundsAccessChain = 4420, kUntypedPtrAccessChain = 4423,
                               kUntypedInBoundsPtrAccessChain = 4424, kUntypedArrayLength = 4425,
                               kUntypedPrefetch = 4426;
[[nodiscard]] constexpr bool has_untyped_result(std::uint32_t opcode) {
  return opcode >= kUntypedVariable && opcode <= kUntypedArrayLength;
}
inline constexpr std::uint32_t kCapabilityUntypedPointers = 4473;

/// SPV_KHR_cooperative_matrix. The type has its component, scope, rows, columns and use; a load its pointer, layout,
/// stride and memory operands; a store its pointer, value, layout, stride and memory operands.
inline constexpr std::uint16_t kTypeCooperativeMatrix = 4456, kCooperativeMatrixLoad = 4457,
                               kCooperativeMatrixStore = 4458, kCooperativeMatrixMulAdd = 4459,
                               kCooperativeMatrixLength = 4460;
[[nodiscard]] constexpr bool is_cooperative_matrix(std::uint32_t opcode) {
  return opcode >= kTypeCooperativeMatrix && opcode <= kCooperativeMatrixLength;
}
inline constexpr std::uint32_t kCapabilityCooperativeMatrix = 6022;
/// Which matrix of a product a matrix may be; how it lies in memory; what a product is told.
inline constexpr std::uint32_t kMatrixA = 0, kMatrixB = 1, kMatrixAccumulator = 2;
inline constexpr std::uint32_t kRowMajor = 0, kColumnMajor = 1;
inline constexpr std::uint32_t kMatrixASigned = 1, kMatrixBSigned = 2, kMatrixCSigned = 4, kMatrixResultSigned = 8,
                               kSaturatingAccumulation = 16;

inline constexpr std::uint32_t kCapabilityQuadControl = 5087, kCapabilityFloatControls2 = 6029;
/// Execution modes of SPV_KHR_quad_control and SPV_KHR_maximal_reconvergence.
inline constexpr std::uint32_t kQuadDerivatives = 5088, kRequireFullQuads = 5089, kMaximallyReconverges = 6023;
/// Of SPV_KHR_float_controls2: a type, and what may be assumed of arithmetic in it.
inline constexpr std::uint32_t kFastMathDefault = 6028;

}  // namespace heddle::spirv
