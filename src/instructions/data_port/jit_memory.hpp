// SPDX-License-Identifier: MIT
#pragma once
// Compiled memory messages: the counterpart of memory.hpp. Addresses are compared with the bytes bound to an index;
// what is not bound, or not plain, is left to the reference function while the program runs.

#include "instructions/alu/jit_lanes.hpp"
#include "machine/memory.hpp"

namespace heddle::instructions::jit_memory {

using namespace jit_alu;
using machine::jit::Block;

/// Bytes of the surface operand in the making.
struct MemoryBytes {
  Value data;  ///< pointer; null at run time: not to be used
  Value size;  ///< I32, at most 2^31
  /// Each lane has its own (FunctionState::chosen): only transfer() reads from them.
  bool by_lane = false;
};
[[nodiscard]] bool target_of(CodegenContext& e, const Operand& surface, MemoryBytes& target);
[[nodiscard]] MemoryBytes target_of_index(CodegenContext& e, Value index);
/// Bytes from one component in the registers to the next.
[[nodiscard]] unsigned stride_of(const CodegenContext& e, unsigned element);

/// One message: `components` of `bytes` bytes each, at offsets[k] + c * bytes; their elements in the registers have
/// `element` bytes, and each component starts at the next register.
struct MemoryMessage {
  Value offsets;  ///< I32 for each lane; 64-bit addresses (I64) until flat_target
  unsigned components = 1;
  unsigned mask = ~0u;  ///< components that are there
  unsigned bytes = 4, element = 4;
  bool aligned = true;  ///< addresses are rounded down to multiples of min(bytes, 4)
  bool write = false;
  const Operand* data = nullptr;
};
[[nodiscard]] bool transfer(CodegenContext& e, const MemoryBytes& target, const MemoryMessage& message);

/// The buffer at the lanes' 64-bit addresses: one that holds `bytes` bytes from each enabled lane's on, else none.
/// `addresses` become offsets in it.
[[nodiscard]] MemoryBytes flat_target(CodegenContext& e, Value& addresses, unsigned bytes);
/// The same for one address.
[[nodiscard]] MemoryBytes flat_block_target(CodegenContext& e, Value& address, unsigned bytes);

/// Lane by lane, as run_atomics; offsets are multiples of `bytes`.
[[nodiscard]] bool emit_atomics(CodegenContext& e, const MemoryBytes& target, Value offsets, machine::AtomicOp op,
                                unsigned bytes, const Operand& src0, const Operand& src1, const Operand& dst);

/// At 64-bit addresses.
[[nodiscard]] bool transfer_flat(CodegenContext& e, MemoryMessage message);
[[nodiscard]] bool emit_flat_atomics(CodegenContext& e, Value addresses, machine::AtomicOp op, unsigned bytes,
                                     const Operand& src0, const Operand& src1, const Operand& dst);

/// A contiguous block from a scalar byte offset (I32).
[[nodiscard]] bool transfer_block(CodegenContext& e, const MemoryBytes& target, Value offset, unsigned bytes,
                                  const Operand& data, bool write);

/// First lane of a scalar operand as an unsigned number of `bytes` bytes.
[[nodiscard]] Value scalar(CodegenContext& e, const Operand& operand, unsigned bytes = 4);

}  // namespace heddle::instructions::jit_memory
