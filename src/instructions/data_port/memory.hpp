// SPDX-License-Identifier: MIT
#pragma once
// Shared shapes of the memory families: messages of several components for each lane (each component
// starts at the next register).

#include "machine/memory.hpp"

namespace heddle::instructions {

/// Bytes from one component to the next.
[[nodiscard]] inline unsigned component_stride(const machine::ExecutionContext& context, unsigned element_bytes) {
  const unsigned grf = context.grf_bytes(), bytes = context.lanes() * element_bytes;
  return (bytes + grf - 1) / grf * grf;
}

/// Byte addresses of the lanes: the elements of a raw operand, plus a scalar.
[[nodiscard]] machine::Lanes lane_addresses(machine::ExecutionContext& context, const machine::Operand& offsets,
                                            unsigned size, std::uint64_t base);

/// Component c (of those set in `components`, numbered c) of lane k at address[k] + c * bytes <-> data at its place in
/// the raw operand.
void load_components(machine::ExecutionContext& context, const machine::MemoryTarget& target,
                     const machine::Lanes& address, unsigned components, unsigned bytes, const machine::Operand& data);
void store_components(machine::ExecutionContext& context, const machine::MemoryTarget& target,
                      const machine::Lanes& address, unsigned components, unsigned bytes, const machine::Operand& data);

/// `bytes` (1 to 8) for each lane; the element in the register has max(4, bytes) bytes, zero-extended.
void load_bytes(machine::ExecutionContext& context, const machine::MemoryTarget& target, const machine::Lanes& address,
                unsigned bytes, const machine::Operand& data);
void store_bytes(machine::ExecutionContext& context, const machine::MemoryTarget& target, const machine::Lanes& address,
                 unsigned bytes, const machine::Operand& data);

/// A contiguous block.
void load_block(machine::ExecutionContext& context, const machine::MemoryTarget& target, std::uint64_t address,
                unsigned bytes, const machine::Operand& data);
void store_block(machine::ExecutionContext& context, const machine::MemoryTarget& target, std::uint64_t address,
                 unsigned bytes, const machine::Operand& data);

/// A rectangle of bytes of level 0 of a plain 2D surface. Rows lie a power of two apart (at least 4 bytes) in the
/// registers. `field`: every other row. Outside the surface a read takes the nearest texel of the edge, a write is
/// dropped.
struct MediaBlock {
  std::int32_t x = 0, y = 0;  ///< bytes, rows
  unsigned width = 0, height = 0;
  bool field = false, bottom = false;
};
void transfer_media_block(machine::ExecutionContext& context, const image::Surface& surface, const MediaBlock& block,
                          const machine::Operand& data, bool write);

/// Lane by lane; null sources read 0, a null destination takes nothing. `stride`: bytes of an element in the registers.
void run_atomics(machine::ExecutionContext& context, const machine::MemoryTarget& target, machine::AtomicOp op,
                 unsigned bytes, const machine::Lanes& address, const machine::Operand& src0,
                 const machine::Operand& src1, const machine::Operand& dst);

}  // namespace heddle::instructions
