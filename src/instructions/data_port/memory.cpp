// SPDX-License-Identifier: MIT
#include "instructions/data_port/memory.hpp"

#include <algorithm>
#include <cstring>

namespace heddle::instructions {

using machine::ExecutionContext;
using machine::Lanes;
using machine::MemoryTarget;
using machine::Operand;

Lanes lane_addresses(ExecutionContext& context, const Operand& offsets, unsigned size, std::uint64_t base) {
  Lanes address{};
  context.read_raw(offsets, 0, size, context.lanes(), address.data(), context.enabled());
  for (unsigned k = 0; k < context.lanes(); ++k) {
    address[k] += base;
    if (size == 4) address[k] &= 0xffffffffu;  // 32-bit offsets wrap
  }
  return address;
}

namespace {

bool has_marks(const ExecutionContext& context, const MemoryTarget& target) {
  return context.checking() && target.name == machine::kVertexRecords;
}

/// What the stage before has not written is undefined here, too.
void forget_unwritten(ExecutionContext& context, const MemoryTarget& target, const Lanes& address, unsigned from,
                      unsigned bytes, const Operand& data, unsigned at) {
  for (unsigned k = 0; k < context.lanes(); ++k) {
    const std::uint64_t read = address[k] + from, to = std::uint64_t{data.base} + at + k * bytes;
    if (!context.is_enabled(k) || read + bytes > target.size || data.null || to + bytes > data.root_end) continue;
    const std::uint8_t* const marks = target.data + target.size + read;
    if (std::any_of(marks, marks + bytes, [](std::uint8_t mark) { return mark != 0; }))
      context.registers().forget(static_cast<std::uint32_t>(to), bytes);
  }
}

}  // namespace

void load_components(ExecutionContext& context, const MemoryTarget& target, const Lanes& address, unsigned components,
                     unsigned bytes, const Operand& data) {
  unsigned at = 0;
  for (unsigned c = 0; components >> c != 0; ++c) {
    if ((components >> c & 1u) == 0) continue;
    Lanes values{};
    for (unsigned k = 0; k < context.lanes(); ++k)
      if (context.is_enabled(k))
        machine::load(context, target, address[k] + std::uint64_t{c} * bytes, bytes, &values[k], k,
                      std::min(bytes, 4u));
    context.write_raw(data, at, bytes, context.lanes(), values.data(), context.enabled());
    if (has_marks(context, target)) forget_unwritten(context, target, address, c * bytes, bytes, data, at);
    at += component_stride(context, bytes);
  }
}

namespace {

/// Behind the records of vertices: which of their bytes the shader did not write.
void mark_unwritten(ExecutionContext& context, const MemoryTarget& target, const Lanes& address, unsigned from,
                    unsigned bytes, const Operand& data, unsigned at) {
  for (unsigned k = 0; k < context.lanes(); ++k) {
    const std::uint64_t to = address[k] + from;
    if (!context.is_enabled(k) || to + bytes > target.size) continue;
    const bool written = context.registers().defined(data.base + at + k * bytes, bytes);
    std::memset(target.data + target.size + to, written ? 0 : 1, bytes);
  }
}

}  // namespace

void store_components(ExecutionContext& context, const MemoryTarget& target, const Lanes& address, unsigned components,
                      unsigned bytes, const Operand& data) {
  unsigned at = 0;
  // It is seen later whether an output of the vertex shader is read.
  const bool records = has_marks(context, target);
  for (unsigned c = 0; components >> c != 0; ++c) {
    if ((components >> c & 1u) == 0) continue;
    Lanes values{};
    context.read_raw(data, at, bytes, context.lanes(), values.data(), records ? 0 : context.enabled());
    if (records) mark_unwritten(context, target, address, c * bytes, bytes, data, at);
    for (unsigned k = 0; k < context.lanes(); ++k)
      if (context.is_enabled(k))
        machine::store(context, target, address[k] + std::uint64_t{c} * bytes, bytes, &values[k], k,
                       std::min(bytes, 4u));
    at += component_stride(context, bytes);
  }
}

void load_bytes(ExecutionContext& context, const MemoryTarget& target, const Lanes& address, unsigned bytes,
                const Operand& data) {
  Lanes values{};
  for (unsigned k = 0; k < context.lanes(); ++k)
    if (context.is_enabled(k)) machine::load(context, target, address[k], bytes, &values[k], k);
  context.write_raw(data, 0, std::max(bytes, 4u), context.lanes(), values.data(), context.enabled());
}

void store_bytes(ExecutionContext& context, const MemoryTarget& target, const Lanes& address, unsigned bytes,
                 const Operand& data) {
  Lanes values{};
  context.read_raw(data, 0, std::max(bytes, 4u), context.lanes(), values.data(), context.enabled());
  for (unsigned k = 0; k < context.lanes(); ++k)
    if (context.is_enabled(k)) machine::store(context, target, address[k], bytes, &values[k], k);
}

void load_block(ExecutionContext& context, const MemoryTarget& target, std::uint64_t address, unsigned bytes,
                const Operand& data) {
  std::array<std::uint8_t, 256> block{};
  for (unsigned at = 0; at < bytes; at += 4) machine::load(context, target, address + at, 4, block.data() + at, 0);
  context.write_raw_bytes(data, 0, std::span(block).first(bytes));
}

void store_block(ExecutionContext& context, const MemoryTarget& target, std::uint64_t address, unsigned bytes,
                 const Operand& data) {
  std::array<std::uint8_t, 256> block{};
  // visa-raw-bounds: behind a smaller variable, to the end of its register, any bytes will do.
  const unsigned there = data.root_end > data.base ? data.root_end - data.base : 0;
  const bool partly = !data.null && there < bytes && bytes <= context.grf_bytes();
  context.read_raw_bytes(data, 0, std::span(block).first(partly ? there : bytes));
  for (unsigned at = 0; at < bytes; at += 4) machine::store(context, target, address + at, 4, block.data() + at, 0);
}

void run_atomics(ExecutionContext& context, const MemoryTarget& target, machine::AtomicOp op, unsigned bytes,
                 const Lanes& address, const Operand& src0, const Operand& src1, const Operand& dst) {
  // 16-bit operands lie in the low half of dwords.
  const unsigned element = std::max(bytes, 4u);
  Lanes a{}, b{}, result{};
  context.read_raw(src0, 0, element, context.lanes(), a.data(), context.enabled());
  context.read_raw(src1, 0, element, context.lanes(), b.data(), context.enabled());
  for (unsigned k = 0; k < context.lanes(); ++k)
    if (context.is_enabled(k)) result[k] = machine::atomic(context, target, op, address[k], bytes, a[k], b[k], k);
  context.write_raw(dst, 0, element, context.lanes(), result.data(), context.enabled());
}

}  // namespace heddle::instructions
