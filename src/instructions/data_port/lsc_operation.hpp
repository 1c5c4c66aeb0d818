// SPDX-License-Identifier: MIT
#pragma once
// What an LSC message does: the sub-operation, which is the constant of its row.

#include "isa/description.hpp"

namespace heddle::instructions::lsc {

enum class Op : std::uint8_t {
  Load = 0x00,
  LoadStrided,
  LoadQuad,
  LoadBlock2d,
  Store = 0x04,
  StoreStrided,
  StoreQuad,
  StoreBlock2d,
  AtomicInc = 0x08,
  AtomicDec,
  AtomicLoad,
  AtomicStore,
  AtomicAdd,
  AtomicSub,
  AtomicSMin,
  AtomicSMax,
  AtomicUMin,
  AtomicUMax,
  AtomicCas,
  AtomicFAdd,
  AtomicFSub,
  AtomicFMin,
  AtomicFMax,
  AtomicFCas,
  AtomicAnd,
  AtomicOr,
  AtomicXor = 0x1a,
  LoadStatus,
  StoreUncompressed,
  CcsUpdate,
  ReadStateInfo,
  AtomicBfAdd = 0x21,
  AtomicBfSub,
  AtomicBfMin,
  AtomicBfMax,
  AtomicBfCas,
};

/// ENC-39: forms of rectangles that no public reader has: bits 7:6 of the sub-operation.
inline constexpr std::int32_t kWithOffsets = 0x40, kWithPayload = 0x80;

/// Not of lsc_fence, whose opcode has one row.
[[nodiscard]] constexpr Op op_of(const isa::InstructionDescription& description) {
  return static_cast<Op>(description.selector & ~(kWithOffsets | kWithPayload));
}
[[nodiscard]] constexpr bool has_payload(const isa::InstructionDescription& description) {
  return (description.selector & kWithPayload) != 0;
}
[[nodiscard]] constexpr bool is_load(Op op) { return op <= Op::LoadBlock2d || op == Op::LoadStatus; }
[[nodiscard]] constexpr bool is_store(Op op) {
  return (op >= Op::Store && op <= Op::StoreBlock2d) || op == Op::StoreUncompressed || op == Op::CcsUpdate;
}
[[nodiscard]] constexpr bool is_bf_atomic(Op op) { return op >= Op::AtomicBfAdd && op <= Op::AtomicBfCas; }
[[nodiscard]] constexpr bool is_atomic(Op op) {
  return (op >= Op::AtomicInc && op <= Op::AtomicXor) || is_bf_atomic(op);
}
[[nodiscard]] constexpr bool is_quad(Op op) { return op == Op::LoadQuad || op == Op::StoreQuad; }
[[nodiscard]] constexpr bool is_block2d(Op op) { return op == Op::LoadBlock2d || op == Op::StoreBlock2d; }

}  // namespace heddle::instructions::lsc
