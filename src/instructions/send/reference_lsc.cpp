// SPDX-License-Identifier: MIT
// LSC messages that the older data ports have no like of. Addresses are parameters of their own; strided and
// two-dimensional blocks have theirs in one register.
#include "instructions/data_port/lsc_transfer.hpp"
#include "instructions/send/payload.hpp"

namespace heddle::instructions::send {

using machine::ExecutionContext;
using machine::Lanes;
using machine::Operand;

namespace {

lsc::DataSize size_of(const Message& m) { return {m.element_bytes, m.register_bytes, m.upper_half}; }

std::uint64_t vector_mask(const Message& m) {
  if (m.channels) return m.components;
  return m.count >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << m.count) - 1;
}

/// Registers of the data that a write brings.
unsigned data_registers(const ExecutionContext& s, const Message& m) {
  const unsigned grf = s.grf_bytes();
  if (!m.write) return 0;
  if (m.transposed) return (m.count * m.register_bytes + grf - 1) / grf;
  return static_cast<unsigned>(__builtin_popcountll(vector_mask(m))) * m.registers(m.register_bytes, grf);
}

void run_vectors(ExecutionContext& s, const Payload& payload) {
  const Message& m = payload.message();
  const unsigned first = m.transposed ? 1 : address_registers(s, m);
  if (!payload.has(first + data_registers(s, m))) return;
  const auto target = message_target(s, m);
  if (!target) return;
  const Lanes address = message_addresses(s, payload, false);
  const Operand data = m.write ? payload.from(first) : payload.response();
  if (m.transposed)
    lsc::transfer_block(s, *target, address[0], m.count, size_of(m), data, m.write);
  else
    lsc::transfer(s, *target, address, vector_mask(m), size_of(m), data, m.write);
}

/// Dwords 0 and 1 the base, 2 the pitch; lane k at base + k * pitch.
void run_strided(ExecutionContext& s, const Payload& payload) {
  const Message& m = payload.message();
  if (!payload.has(1 + data_registers(s, m))) return;
  const auto target = message_target(s, m);
  if (!target) return;
  const std::uint64_t base = payload.word(0, 0) | (m.address_bytes == 8 ? std::uint64_t{payload.word(0, 1)} << 32 : 0);
  const Operand data = m.write ? payload.from(1) : payload.response();
  if (m.transposed) {
    lsc::transfer_block(s, *target, base, m.count, size_of(m), data, m.write);
    return;
  }
  const std::uint64_t pitch = payload.word(0, 2);
  Lanes address{};
  for (unsigned k = 0; k < machine::kMaxLanes; ++k) address[k] = base + k * pitch;
  lsc::transfer(s, *target, address, vector_mask(m), size_of(m), data, m.write);
}

/// Dwords 0 and 1 the base; then less one: width in bytes, height, pitch; x, y; block width 7:0, height 15:8, blocks
/// 19:16, each less one. Descriptor bit 7 is the VNNI transform.
void run_block2d(ExecutionContext& s, const Payload& payload) {
  const Message& m = payload.message();
  if (!s.is_enabled(0)) return;
  lsc::Block2d block;
  block.base = payload.word(0, 0) | std::uint64_t{payload.word(0, 1)} << 32;
  block.columns = std::uint64_t{payload.word(0, 2)} + 1;
  block.rows = std::uint64_t{payload.word(0, 3)} + 1;
  block.pitch = std::uint64_t{payload.word(0, 4)} + 1;
  block.x = static_cast<std::int32_t>(payload.word(0, 5));
  block.y = static_cast<std::int32_t>(payload.word(0, 6));
  const std::uint32_t shape = payload.word(0, 7);
  block.width = (shape & 63u) + 1;
  block.height = (shape >> 8 & 63u) + 1;
  block.blocks = (shape >> 16 & 3u) + 1;
  block.transposed = m.transposed;
  block.vnni = m.vnni;
  lsc::transfer_block2d(s, block, size_of(m), m.write ? payload.from(1) : payload.response(), m.write);
}

void run_status(ExecutionContext& s, const Payload& payload) {
  const Message& m = payload.message();
  const auto target = payload.has(address_registers(s, m)) ? message_target(s, m) : std::nullopt;
  if (!target) return;
  const std::uint64_t present =
      lsc::present_lanes(s, *target, message_addresses(s, payload, false), std::uint64_t{m.element_bytes} * m.count);
  s.write_raw(payload.response(), 0, 4, 1, &present, 1);
}

}  // namespace

void run_lsc(ExecutionContext& context, const Payload& payload) {
  switch (payload.message().kind) {
    case MessageKind::Strided:
      run_strided(context, payload);
      return;
    case MessageKind::Block2d:
      run_block2d(context, payload);
      return;
    case MessageKind::Status:
      run_status(context, payload);
      return;
    default:
      run_vectors(context, payload);
  }
}

}  // namespace heddle::instructions::send
