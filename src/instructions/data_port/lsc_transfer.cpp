// SPDX-License-Identifier: MIT
#include "instructions/data_port/lsc_transfer.hpp"

#include <algorithm>

namespace heddle::instructions::lsc {

using machine::AtomicOp;
using machine::ExecutionContext;
using machine::Lanes;
using machine::MemoryTarget;
using machine::Operand;

DataSize data_size(std::uint64_t code) {
  switch (code) {
    case 1:
      return {1, 1};
    case 2:
      return {2, 2};
    case 4:
      return {8, 8};
    case 5:
      return {1, 4};
    case 6:
      return {2, 4};
    case 7:
      return {2, 4, true};
    default:
      return {4, 4};
  }
}

unsigned vector_length(std::uint64_t code) {
  constexpr unsigned kLengths[] = {1, 1, 2, 3, 4, 8, 16, 32, 64};
  return code < 9 ? kLengths[code] : 1;
}

std::optional<AtomicOp> atomic_op(Op op) {
  using enum AtomicOp;
  constexpr AtomicOp kOps[] = {Inc,     Dec,  Load, Store, Add,  Sub,    IMin, IMax, Min, Max,
                               CmpXchg, FAdd, FSub, FMin,  FMax, FCmpWr, And,  Or,   Xor};
  constexpr AtomicOp kBfOps[] = {BfAdd, BfSub, BfMin, BfMax, BfCmpWr};
  if (!is_atomic(op)) return std::nullopt;
  if (is_bf_atomic(op)) return kBfOps[static_cast<unsigned>(op) - static_cast<unsigned>(Op::AtomicBfAdd)];
  return kOps[static_cast<unsigned>(op) - static_cast<unsigned>(Op::AtomicInc)];
}

void transfer(ExecutionContext& s, const MemoryTarget& target, const Lanes& address, std::uint64_t mask, DataSize size,
              const Operand& data, bool write) {
  unsigned at = 0;
  for (unsigned c = 0; c < 64 && mask >> c != 0; ++c) {
    if ((mask >> c & 1u) == 0) continue;
    Lanes values{};
    if (write) s.read_raw(data, at, size.element, s.lanes(), values.data(), s.enabled());
    for (unsigned k = 0; k < s.lanes(); ++k) {
      if (!s.is_enabled(k)) continue;
      const std::uint64_t where = address[k] + std::uint64_t{c} * size.memory;
      if (write) {
        const std::uint64_t value = size.upper ? values[k] >> 16 : values[k];
        machine::store(s, target, where, size.memory, &value, k, size.alignment());
      } else {
        machine::load(s, target, where, size.memory, &values[k], k, size.alignment());
        if (size.upper) values[k] <<= 16;
      }
    }
    if (!write) s.write_raw(data, at, size.element, s.lanes(), values.data(), s.enabled());
    at += component_stride(s, size.element);
  }
}

void transfer_block(ExecutionContext& s, const MemoryTarget& target, std::uint64_t address, unsigned count,
                    DataSize size, const Operand& data, bool write) {
  if (!s.is_enabled(0)) return;
  for (unsigned i = 0; i < count; ++i) {
    const std::uint64_t where = address + std::uint64_t{i} * size.memory;
    std::uint64_t value = 0;
    if (write) {
      s.read_raw(data, i * size.element, size.element, 1, &value, 1);
      if (size.upper) value >>= 16;
      machine::store(s, target, where, size.memory, &value, 0, size.alignment());
    } else {
      machine::load(s, target, where, size.memory, &value, 0, size.alignment());
      if (size.upper) value <<= 16;
      s.write_raw(data, i * size.element, size.element, 1, &value, 1);
    }
  }
}

std::uint64_t present_lanes(ExecutionContext& s, const MemoryTarget& target, const Lanes& address,
                            std::uint64_t bytes) {
  std::uint64_t present = 0;
  for (unsigned k = 0; k < s.lanes(); ++k) {
    if (!s.is_enabled(k)) continue;
    const bool there = target.kind == machine::MemoryKind::Flat
                           ? s.thread().bindings().memory.find(address[k], bytes) != nullptr
                           : address[k] <= target.size && bytes <= target.size - address[k];
    if (there) present |= std::uint64_t{1} << k;
  }
  return present;
}

namespace {

unsigned power_of_two(unsigned n) {
  unsigned p = 1;
  while (p < n) p *= 2;
  return p;
}

}  // namespace

void transfer_block2d(ExecutionContext& s, const Block2d& block, DataSize size, const Operand& data, bool write) {
  const unsigned bytes = size.memory;
  const unsigned packed = block.vnni && bytes < 4 ? 4 / bytes : 1;  // rows (columns when transposed) that share a dword
  const unsigned lines = block.transposed ? block.width : block.height,
                 padded = power_of_two(block.transposed ? block.height : block.width);
  // Where element (x, y) of a block lies: rows (or columns) are padded to a power of two.
  const auto place = [&](unsigned x, unsigned y) {
    const unsigned line = block.transposed ? x : y, along = block.transposed ? y : x;
    return ((line / packed * padded + along) * packed + line % packed) * bytes;
  };
  const unsigned block_bytes = (lines + packed - 1) / packed * packed * padded * bytes, grf = s.grf_bytes();
  const unsigned stride = (block_bytes + grf - 1) / grf * grf;
  const MemoryTarget flat = machine::flat_memory();
  for (unsigned b = 0; b < block.blocks; ++b) {
    for (unsigned y = 0; y < block.height; ++y) {
      for (unsigned x = 0; x < block.width; ++x) {
        const std::int64_t column = (std::int64_t{block.x} + std::int64_t{b} * block.width + x) * bytes,
                           row = std::int64_t{block.y} + y;
        const bool inside = column >= 0 && row >= 0 && static_cast<std::uint64_t>(column) + bytes <= block.columns &&
                            static_cast<std::uint64_t>(row) < block.rows;
        const std::uint64_t address =
            block.base + static_cast<std::uint64_t>(row) * block.pitch + static_cast<std::uint64_t>(column);
        std::uint64_t value = 0;
        if (write) {
          s.read_raw(data, b * stride + place(x, y), bytes, 1, &value, 1);
          if (inside) machine::store(s, flat, address, bytes, &value, 0);
        } else {
          if (inside) machine::load(s, flat, address, bytes, &value, 0);  // outside: 0
          s.write_raw(data, b * stride + place(x, y), bytes, 1, &value, 1);
        }
      }
    }
  }
}

}  // namespace heddle::instructions::lsc
