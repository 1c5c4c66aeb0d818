// SPDX-License-Identifier: MIT
#pragma once
// What the lsc_ instructions and raw LSC messages share: elements whose size in memory differs from that in registers,
// blocks, rectangles.

#include "instructions/data_port/lsc_operation.hpp"
#include "instructions/data_port/memory.hpp"

namespace heddle::instructions::lsc {

struct DataSize {
  unsigned memory = 4, element = 4;  ///< bytes in memory, bytes in the register
  bool upper = false;                ///< in the upper half of the element
  [[nodiscard]] unsigned alignment() const { return memory < 4 ? memory : 4; }
};
/// vISA's codes 1 to 7: d8, d16, d32, d64, d8c32, d16c32, d16c32h.
[[nodiscard]] DataSize data_size(std::uint64_t code);
/// Codes 1 to 8: 1, 2, 3, 4, 8, 16, 32, 64.
[[nodiscard]] unsigned vector_length(std::uint64_t code);
/// What the data port does for an atomic message.
[[nodiscard]] std::optional<machine::AtomicOp> atomic_op(Op op);

/// Components `mask` (bit c: at address + c * memory bytes) of every lane; the data of each starts at the next
/// register.
void transfer(machine::ExecutionContext& context, const machine::MemoryTarget& target, const machine::Lanes& address,
              std::uint64_t mask, DataSize size, const machine::Operand& data, bool write);
/// Transposed: the elements of the one lane lie together.
void transfer_block(machine::ExecutionContext& context, const machine::MemoryTarget& target, std::uint64_t address,
                    unsigned count, DataSize size, const machine::Operand& data, bool write);
/// Bit k: all the bytes at lane k's address are there.
[[nodiscard]] std::uint64_t present_lanes(machine::ExecutionContext& context, const machine::MemoryTarget& target,
                                          const machine::Lanes& address, std::uint64_t bytes);

/// Rectangles of 64-bit address space.
struct Block2d {
  std::uint64_t base = 0, columns = 0, rows = 0, pitch = 0;  ///< bytes, rows, bytes
  std::int32_t x = 0, y = 0;                                 ///< elements
  unsigned width = 0, height = 0, blocks = 1;
  bool transposed = false, vnni = false;
};
void transfer_block2d(machine::ExecutionContext& context, const Block2d& block, DataSize size,
                      const machine::Operand& data, bool write);

}  // namespace heddle::instructions::lsc
