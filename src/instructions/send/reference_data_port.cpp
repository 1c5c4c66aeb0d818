// SPDX-License-Identifier: MIT
// Data port messages. Header: M0.2 holds the global offset, or of blocks the offset (64-bit: M0.0 and M0.1), M0.5 the
// base of stateless and scratch memory, M0.7 the lanes that take part.
#include <algorithm>
#include <atomic>

#include <fmt/format.h>

#include "instructions/data_port/memory.hpp"
#include "instructions/data_port/typed.hpp"
#include "instructions/send/payload.hpp"

namespace heddle::instructions::send {

using machine::AtomicOp;
using machine::ExecutionContext;
using machine::Lanes;
using machine::MemoryTarget;
using machine::Operand;

namespace {

constexpr std::uint32_t kStateless = 255, kStatelessIncoherent = 253;

bool stateless(const Message& m) {
  return !is_lsc(m.function) && (m.surface == kStateless || m.surface == kStatelessIncoherent);
}

bool has_header(ExecutionContext& s, const Payload& payload) {
  if (payload.message().header) return payload.has(1);
  s.refuse(s.named("desc"), "run-send-message",
           fmt::format("the message '{}' has its address in a header, and there is none", payload.message().name));
  return false;
}

/// 31:10 of M0.5, where the finalizer leaves it for scratch memory.
std::uint64_t base_of(const Payload& payload) { return payload.word(0, 5, true) & ~0x3ffu; }

}  // namespace

std::optional<MemoryTarget> message_target(ExecutionContext& s, const Message& m) {
  if (m.wide) return machine::flat_memory();
  if (m.function == SharedFunction::LocalMemory) return machine::shared_memory(s);
  const bool lsc = is_lsc(m.function);
  // 10.6: the state is the thread's scratch memory, whatever its number is.
  if (m.scratch || stateless(m) || (lsc && m.space == AddressSpace::State)) return machine::scratch_memory(s);
  if (lsc ? m.space == AddressSpace::Indexed : m.surface != machine::kBtiBindless)
    return machine::target_of_index(s, m.surface, s.named("desc"));
  const image::Surface* surface = message_surface(s, m);
  if (surface == nullptr) return std::nullopt;
  return machine::bytes_of(*surface, m.surface);
}

Lanes message_addresses(ExecutionContext& s, const Payload& payload, bool global) {
  const Message& m = payload.message();
  const unsigned first = payload.header_registers();
  const std::uint64_t offset = first != 0 && global ? payload.word(0, 2, true) : 0;
  const std::uint64_t base = first != 0 && stateless(m) && !m.wide ? base_of(payload) : 0;
  const auto fixed =
      static_cast<std::uint64_t>(is_lsc(m.function) ? std::int64_t{static_cast<std::int32_t>(m.offset)} : 0);
  Lanes address = lane_addresses(s, payload.from(first, m.address_bytes), m.address_bytes, offset);
  for (std::uint64_t& a : address) {
    a = a * m.address_unit + base + fixed;
    if (!m.wide) a &= 0xffffffffu;
  }
  return address;
}

namespace {

// --- blocks ---

void run_block(ExecutionContext& s, const Payload& payload) {
  const Message& m = payload.message();
  if (!has_header(s, payload)) return;
  const auto target = message_target(s, m);
  if (!target) return;
  std::uint64_t address = 0;
  if (m.scratch)
    address = base_of(payload) + m.offset;
  else if (m.wide)
    address = payload.word(0, 0) | std::uint64_t{payload.word(0, 1)} << 32;
  else
    address = std::uint64_t{payload.word(0, 2)} * m.address_unit + (stateless(m) ? base_of(payload) : 0);
  if (address % 4 != 0) {
    s.check(s.named("desc"), "run-misaligned", fmt::format("offset {:#x} is not a multiple of 4", address));
    address &= ~std::uint64_t{3};
  }
  const unsigned grf = s.grf_bytes();
  if (m.write && !payload.has(1 + (m.block_bytes + grf - 1) / grf)) return;
  Operand data = m.write ? payload.from(1) : payload.response();
  if (m.upper_half) {
    data.base += 16;
    data.rest_at -= std::min(data.rest_at, 16u);
  }
  if (m.write)
    store_block(s, *target, address, m.block_bytes, data);
  else
    load_block(s, *target, address, m.block_bytes, data);
}

/// M0.0 x in bytes, M0.1 y, M0.2 the width 5:0 and height 21:16, less one.
void run_media(ExecutionContext& s, const Payload& payload) {
  const Message& m = payload.message();
  if (!has_header(s, payload)) return;
  const image::Surface* surface = message_surface(s, m);
  if (surface == nullptr) return;
  const std::uint32_t size = payload.word(0, 2);
  MediaBlock block;
  block.x = static_cast<std::int32_t>(payload.word(0, 0));
  block.y = static_cast<std::int32_t>(payload.word(0, 1));
  block.width = (size & 63u) + 1;
  block.height = (size >> 16 & 63u) + 1;
  block.field = m.field;
  block.bottom = m.bottom;
  transfer_media_block(s, *surface, block, m.write ? payload.from(1) : payload.response(), m.write);
}

// --- by lanes ---

/// Lanes that the header of surface messages leaves on.
void apply_lane_mask(ExecutionContext& s, const Payload& payload) {
  if (!payload.message().header) return;
  const std::uint32_t mask = payload.word(0, 7) & 0xffffu;
  s.narrow(payload.message().upper_slots ? mask >> 8 : mask);
}

void run_scattered(ExecutionContext& s, const Payload& payload) {
  const Message& m = payload.message();
  const unsigned first = payload.header_registers() + address_registers(s, m);
  const unsigned element = std::max(m.element_bytes, 4u);
  if (!payload.has(first + (m.write ? m.registers(element, s.grf_bytes()) : 0))) return;
  const auto target = message_target(s, m);
  if (!target) return;
  const Lanes address = message_addresses(s, payload, true);
  if (m.write)
    store_bytes(s, *target, address, m.element_bytes, payload.from(first, element));
  else
    load_bytes(s, *target, address, m.element_bytes, payload.response(element));
}

void run_components(ExecutionContext& s, const Payload& payload) {
  const Message& m = payload.message();
  if (m.channels) apply_lane_mask(s, payload);
  const unsigned first = payload.header_registers() + address_registers(s, m);
  const unsigned count = static_cast<unsigned>(__builtin_popcount(m.components));
  if (!payload.has(first + (m.write ? count * m.registers(m.element_bytes, s.grf_bytes()) : 0))) return;
  const auto target = message_target(s, m);
  if (!target) return;
  const Lanes address = message_addresses(s, payload, !m.channels);
  if (m.write)
    store_components(s, *target, address, m.components, m.element_bytes, payload.from(first, m.element_bytes));
  else
    load_components(s, *target, address, m.components, m.element_bytes, payload.response(m.element_bytes));
}

// --- texels ---

/// U, V, R, LOD: as many as there are registers between `first` and `end`.
TypedAddress typed_address(const Payload& payload, std::array<Operand, 4>& operands, unsigned first, unsigned end,
                           unsigned each) {
  TypedAddress address;
  address.element_bytes = payload.message().address_bytes;
  const Operand** const slots[] = {&address.u, &address.v, &address.r, &address.lod};
  for (unsigned i = 0; i < 4 && first + (i + 1) * each <= end; ++i) {
    operands[i] = payload.from(first + i * each, payload.message().address_bytes);
    *slots[i] = &operands[i];
  }
  return address;
}

image::Surface* texels_of(ExecutionContext& s, const Message& m) {
  return const_cast<image::Surface*>(message_surface(s, m));  // bindings own changeable surfaces
}

void run_typed(ExecutionContext& s, const Payload& payload) {
  const Message& m = payload.message();
  apply_lane_mask(s, payload);
  const unsigned first = payload.header_registers(), each = address_registers(s, m);
  const unsigned data =
      m.write ? static_cast<unsigned>(__builtin_popcount(m.components)) * m.registers(4, s.grf_bytes()) : 0;
  if (!payload.has(first + each + data)) return;
  image::Surface* surface = texels_of(s, m);
  if (surface == nullptr) return;
  std::array<Operand, 4> operands;
  const unsigned end = std::min(payload.registers() - data, first + 4 * each);
  const TypedAddress address = typed_address(payload, operands, first, end, each);
  if (m.write)
    write_texels(s, *surface, address, m.components, payload.from(payload.registers() - data));
  else
    read_texels(s, *surface, address, m.components, payload.response());
}

// --- atomics ---

unsigned source_count(AtomicOp op) {
  switch (op) {
    case AtomicOp::Inc:
    case AtomicOp::Dec:
    case AtomicOp::PreDec:
      return 0;
    case AtomicOp::CmpXchg:
    case AtomicOp::FCmpWr:
      return 2;
    default:
      return 1;
  }
}

struct Sources {
  Operand first, second;
};

/// The sources lie from register `at` on. Compare and exchange: the value to compare with comes first, DWORD_ATOMIC has
/// it second.
Sources sources_of(const ExecutionContext& s, const Payload& payload, unsigned at) {
  const Message& m = payload.message();
  const unsigned element = std::max(m.element_bytes, 4u), each = m.registers(element, s.grf_bytes());
  Sources sources;
  sources.first.null = sources.second.null = true;
  const unsigned count = source_count(m.atomic);
  if (count > 0) sources.first = payload.from(at, element);
  if (count > 1) sources.second = payload.from(at + each, element);
  if (m.atomic == AtomicOp::CmpXchg) std::swap(sources.first, sources.second);
  return sources;
}

Operand result_of(const Payload& payload) {
  const Message& m = payload.message();
  Operand to = payload.response(std::max(m.element_bytes, 4u));
  to.null = to.null || !m.returns;
  return to;
}

void run_atomic(ExecutionContext& s, const Payload& payload) {
  const Message& m = payload.message();
  apply_lane_mask(s, payload);
  const unsigned each = m.registers(std::max(m.element_bytes, 4u), s.grf_bytes());
  const unsigned first = payload.header_registers() + address_registers(s, m);
  if (!payload.has(first + source_count(m.atomic) * each)) return;
  const auto target = message_target(s, m);
  if (!target) return;
  const Sources sources = sources_of(s, payload, first);
  run_atomics(s, *target, m.atomic, m.element_bytes, message_addresses(s, payload, false), sources.first,
              sources.second, result_of(payload));
}

void run_typed_atomic(ExecutionContext& s, const Payload& payload) {
  const Message& m = payload.message();
  apply_lane_mask(s, payload);
  const unsigned first = payload.header_registers(), one = address_registers(s, m);
  const unsigned data = source_count(m.atomic) * m.registers(std::max(m.element_bytes, 4u), s.grf_bytes());
  if (!payload.has(first + one + data)) return;
  image::Surface* surface = texels_of(s, m);
  if (surface == nullptr) return;
  std::array<Operand, 4> operands;
  const unsigned at = payload.registers() - data;
  const TypedAddress address = typed_address(payload, operands, first, std::min(at, first + 4 * one), one);
  const Sources sources = sources_of(s, payload, at);
  run_typed_atomics(s, *surface, m.atomic, m.element_bytes, address, sources.first, sources.second, result_of(payload));
}

/// The commit's register has no defined contents; it counts as written.
void run_fence(ExecutionContext& s, const Payload& payload) {
  const Operand to = payload.response();
  if (!to.null) s.define(to, 0, s.grf_bytes());
  std::atomic_thread_fence(std::memory_order_acq_rel);
  s.thread().pass_fence(true);
}

}  // namespace

void run_data_port(ExecutionContext& context, const Payload& payload) {
  const Message& m = payload.message();
  switch (m.kind) {
    case MessageKind::Block:
      run_block(context, payload);
      return;
    case MessageKind::MediaBlock:
      run_media(context, payload);
      return;
    case MessageKind::Fence:
      run_fence(context, payload);
      return;
    default:
      break;
  }
  WidthContext lanes(context, m.simd, m.upper_slots ? 8 : 0);
  switch (m.kind) {
    case MessageKind::Scattered:
      run_scattered(*lanes, payload);
      return;
    case MessageKind::Components:
      run_components(*lanes, payload);
      return;
    case MessageKind::Typed:
      run_typed(*lanes, payload);
      return;
    case MessageKind::Atomic:
      run_atomic(*lanes, payload);
      return;
    case MessageKind::TypedAtomic:
      run_typed_atomic(*lanes, payload);
      return;
    case MessageKind::Vectors:
    case MessageKind::Strided:
    case MessageKind::Block2d:
    case MessageKind::Status:
      run_lsc(*lanes, payload);
      return;
    default:
      return;
  }
}

}  // namespace heddle::instructions::send
