#include "instructions/data_port/memory.hpp"

#include <algorithm>

namespace heddle::instructions {

using machine::ExecutionContext;
using machine::Lanes;
using machine::Operand;
using machine::Target;

Lanes lane_addresses(ExecutionContext& step, const Operand& offsets, unsigned size, std::uint64_t base) {
  Lanes address{};
  step.read_raw(offsets, 0, size, step.lanes(), address.data(), step.enabled());
  for (unsigned k = 0; k < step.lanes(); ++k) {
    address[k] += base;
    if (size == 4) address[k] &= 0xffffffffu;  // 32-bit offsets wrap
  }
  return address;
}

void load_components(ExecutionContext& step, const Target& target, const Lanes& address, unsigned components,
                     unsigned bytes, const Operand& data) {
  unsigned at = 0;
  for (unsigned c = 0; components >> c != 0; ++c) {
    if ((components >> c & 1u) == 0) continue;
    Lanes values{};
    for (unsigned k = 0; k < step.lanes(); ++k)
      if (step.is_enabled(k))
        machine::load(step, target, address[k] + std::uint64_t{c} * bytes, bytes, &values[k], k, std::min(bytes, 4u));
    step.write_raw(data, at, bytes, step.lanes(), values.data(), step.enabled());
    at += component_stride(step, bytes);
  }
}

void store_components(ExecutionContext& step, const Target& target, const Lanes& address, unsigned components,
                      unsigned bytes, const Operand& data) {
  unsigned at = 0;
  for (unsigned c = 0; components >> c != 0; ++c) {
    if ((components >> c & 1u) == 0) continue;
    Lanes values{};
    step.read_raw(data, at, bytes, step.lanes(), values.data(), step.enabled());
    for (unsigned k = 0; k < step.lanes(); ++k)
      if (step.is_enabled(k))
        machine::store(step, target, address[k] + std::uint64_t{c} * bytes, bytes, &values[k], k, std::min(bytes, 4u));
    at += component_stride(step, bytes);
  }
}

void load_bytes(ExecutionContext& step, const Target& target, const Lanes& address, unsigned bytes,
                const Operand& data) {
  Lanes values{};
  for (unsigned k = 0; k < step.lanes(); ++k)
    if (step.is_enabled(k)) machine::load(step, target, address[k], bytes, &values[k], k);
  step.write_raw(data, 0, std::max(bytes, 4u), step.lanes(), values.data(), step.enabled());
}

void store_bytes(ExecutionContext& step, const Target& target, const Lanes& address, unsigned bytes,
                 const Operand& data) {
  Lanes values{};
  step.read_raw(data, 0, std::max(bytes, 4u), step.lanes(), values.data(), step.enabled());
  for (unsigned k = 0; k < step.lanes(); ++k)
    if (step.is_enabled(k)) machine::store(step, target, address[k], bytes, &values[k], k);
}

void load_block(ExecutionContext& step, const Target& target, std::uint64_t address, unsigned bytes,
                const Operand& data) {
  std::array<std::uint8_t, 256> block{};
  for (unsigned at = 0; at < bytes; at += 4) machine::load(step, target, address + at, 4, block.data() + at, 0);
  step.write_raw_bytes(data, 0, std::span(block).first(bytes));
}

void store_block(ExecutionContext& step, const Target& target, std::uint64_t address, unsigned bytes,
                 const Operand& data) {
  std::array<std::uint8_t, 256> block{};
  step.read_raw_bytes(data, 0, std::span(block).first(bytes));
  for (unsigned at = 0; at < bytes; at += 4) machine::store(step, target, address + at, 4, block.data() + at, 0);
}

void run_atomics(ExecutionContext& step, const Target& target, machine::AtomicOp op, unsigned bytes,
                 const Lanes& address, const Operand& src0, const Operand& src1, const Operand& dst) {
  // 16-bit operands lie in the low half of dwords.
  const unsigned element = std::max(bytes, 4u);
  Lanes a{}, b{}, result{};
  step.read_raw(src0, 0, element, step.lanes(), a.data(), step.enabled());
  step.read_raw(src1, 0, element, step.lanes(), b.data(), step.enabled());
  for (unsigned k = 0; k < step.lanes(); ++k)
    if (step.is_enabled(k)) result[k] = machine::atomic(step, target, op, address[k], bytes, a[k], b[k], k);
  step.write_raw(dst, 0, element, step.lanes(), result.data(), step.enabled());
}

}  // namespace heddle::instructions
