// SPDX-License-Identifier: MIT
#pragma once
// Numbers of SPIR-V that the headers of Debian 12 do not have.

#include <cstdint>

namespace heddle::spirv {

/// OpExtInstWithForwardRefsKHR: OpExtInst in debug information.
inline constexpr std::uint16_t kExtInstWithForwardRefs = 4433;
/// OpGroupNonUniformQuadAllKHR, OpGroupNonUniformQuadAnyKHR (SPV_KHR_quad_control): result type, result, predicate.
inline constexpr std::uint16_t kGroupNonUniformQuadAll = 5110, kGroupNonUniformQuadAny = 5111;

/// OpConstantCompositeReplicateEXT, OpSpecConstantCompositeReplicateEXT, OpCompositeConstructReplicateEXT
/// (SPV_EXT_replicated_composites): result type, result, the value of each part.
inline constexpr std::uint16_t kConstantReplicate = 4461, kSpecConstantReplicate = 4462, kConstructReplicate = 4463;
[[nodiscard]] constexpr bool is_replicate(std::uint16_t opcode) {
  return opcode >= kConstantReplicate && opcode <= kConstructReplicate;
}
inline constexpr std::uint32_t kCapabilityReplicatedComposites = 6024;

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

inline constexpr std::uint32_t kCapabilityQuadControl = 5087, kCapabilityFloatControls2 = 6029;
/// Execution modes of SPV_KHR_quad_control and SPV_KHR_maximal_reconvergence.
inline constexpr std::uint32_t kQuadDerivatives = 5088, kRequireFullQuads = 5089, kMaximallyReconverges = 6023;
/// Of SPV_KHR_float_controls2: a type, and what may be assumed of arithmetic in it.
inline constexpr std::uint32_t kFastMathDefault = 6028;

}  // namespace heddle::spirv
