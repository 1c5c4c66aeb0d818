// SPDX-License-Identifier: MIT
// LSC messages (DG2 and later). Descriptor: 5:0 operation, 8:7 address size, 11:9 data size, 14:12 vector size or 15:12
// channels, 15 transposed, 19:17 caching, 24:20 and 28:25 lengths, 30:29 address model. Extended descriptor: 31:24
// surface index, or 31:6 the state's handle; from Xe2 on a signed offset, flat 31:12, with an index 23:12.
#include <algorithm>

#include <fmt/format.h>

#include "instructions/data_port/lsc_transfer.hpp"
#include "instructions/send/message.hpp"

namespace heddle::instructions::send {
namespace {

using isa::Platform;
using enum SharedFunction;

enum class Shape : std::uint8_t { Vector, Quad, Strided, Block2d, Atomic, Status, Fence, Nothing, Refused };

struct Row {
  unsigned code;
  Shape shape;
  std::string_view name;
  bool write = false;
  std::string_view reason = {};
};
constexpr std::string_view kAppend = "append counters of surfaces are not part of the surface model";
constexpr std::string_view kSamples = "its sample operands are not publicly defined";
constexpr Row kRows[] = {
    {0x00, Shape::Vector, "load"},
    {0x01, Shape::Strided, "load_strided"},
    {0x02, Shape::Quad, "load_quad"},
    {0x03, Shape::Block2d, "load_block2d"},
    {0x04, Shape::Vector, "store", true},
    {0x05, Shape::Strided, "store_strided", true},
    {0x06, Shape::Quad, "store_quad", true},
    {0x07, Shape::Block2d, "store_block2d", true},
    {0x08, Shape::Atomic, "atomic_iinc"},
    {0x09, Shape::Atomic, "atomic_idec"},
    {0x0a, Shape::Atomic, "atomic_load"},
    {0x0b, Shape::Atomic, "atomic_store"},
    {0x0c, Shape::Atomic, "atomic_iadd"},
    {0x0d, Shape::Atomic, "atomic_isub"},
    {0x0e, Shape::Atomic, "atomic_smin"},
    {0x0f, Shape::Atomic, "atomic_smax"},
    {0x10, Shape::Atomic, "atomic_umin"},
    {0x11, Shape::Atomic, "atomic_umax"},
    {0x12, Shape::Atomic, "atomic_icas"},
    {0x13, Shape::Atomic, "atomic_fadd"},
    {0x14, Shape::Atomic, "atomic_fsub"},
    {0x15, Shape::Atomic, "atomic_fmin"},
    {0x16, Shape::Atomic, "atomic_fmax"},
    {0x17, Shape::Atomic, "atomic_fcas"},
    {0x18, Shape::Atomic, "atomic_and"},
    {0x19, Shape::Atomic, "atomic_or"},
    {0x1a, Shape::Atomic, "atomic_xor"},
    {0x1b, Shape::Status, "load_status"},
    {0x1c, Shape::Vector, "store_uncompressed", true},
    {0x1d, Shape::Nothing, "ccs"},
    {0x1e, Shape::Refused, "read_state", false, "the layout of the state that it returns is not public"},
    {0x1f, Shape::Fence, "fence"},
    {0x20, Shape::Quad, "store_uncompressed_quad", true},
    {0x28, Shape::Refused, "atomic_append_add", true, kAppend},
    {0x29, Shape::Refused, "atomic_append_sub", true, kAppend},
    {0x2a, Shape::Refused, "atomic_append_store", true, kAppend},
    {0x31, Shape::Refused, "load_quad_msrt", false, kSamples},
    {0x32, Shape::Refused, "store_quad_msrt", true, kSamples},
};

std::int32_t signed_bits(std::uint32_t word, unsigned low, unsigned count) {
  return static_cast<std::int32_t>(word << (32 - low - count)) >> (32 - count);
}

void decode_space(Message& m, std::uint32_t extended, std::uint32_t descriptor, Platform platform) {
  m.space = static_cast<AddressSpace>(bits(descriptor, 29, 2));
  m.wide = m.space == AddressSpace::Flat && m.function != LocalMemory;
  const bool offsets = platform >= Platform::XE2;
  switch (m.space) {
    case AddressSpace::Flat:
      if (offsets) m.offset = static_cast<std::uint32_t>(signed_bits(extended, 12, 20));
      break;
    case AddressSpace::Indexed:
      m.surface = bits(extended, 24, 8);
      if (offsets) m.offset = static_cast<std::uint32_t>(signed_bits(extended, 12, 12));
      break;
    case AddressSpace::Bindless:
    case AddressSpace::State:
      m.surface_handle = extended & ~0x3fu;
      break;
  }
}

/// False after a refusal.
bool decode_shape(Message& m, Shape shape, std::uint32_t descriptor) {
  const bool typed = m.function == TypedMemory;
  const unsigned size = bits(descriptor, 9, 3);
  const bool sized = shape == Shape::Vector || shape == Shape::Quad || shape == Shape::Strided ||
                     shape == Shape::Atomic || shape == Shape::Status || shape == Shape::Block2d;
  if (sized && size == 7) {
    refuse(m, m.name, "data size 7 is not defined");
    return false;
  }
  const lsc::DataSize data = lsc::data_size(size + 1);
  m.element_bytes = data.memory;
  m.register_bytes = data.element;
  m.upper_half = data.upper;
  m.address_bytes = shape == Shape::Block2d ? 8 : 1u << bits(descriptor, 7, 2);
  m.vnni = shape == Shape::Block2d && bits(descriptor, 7, 1) != 0;
  if (sized && shape != Shape::Block2d && bits(descriptor, 7, 2) == 0) {
    refuse(m, m.name, "address size 0 is not defined");
    return false;
  }
  m.transposed = shape != Shape::Quad && bits(descriptor, 15, 1) != 0;
  if (shape == Shape::Quad) {
    m.channels = true;
    m.components = bits(descriptor, 12, 4);
    if (m.components != 0) return true;
    refuse(m, m.name, "no channel is on");
    return false;
  }
  m.count = lsc::vector_length(bits(descriptor, 12, 3) + 1);
  const bool plain =
      shape == Shape::Vector || shape == Shape::Strided || shape == Shape::Block2d || shape == Shape::Status;
  if (typed && plain) {
    refuse(m, m.name, "typed memory has quads and atomics");
    return false;
  }
  return true;
}

/// Lanes of the layout: at least 8 (16 with registers of 64 bytes). A narrow message whose addresses fill the registers
/// of a wide one is wide: early steppings know no others.
unsigned width_of(const Message& m, unsigned lanes, Platform platform) {
  const unsigned grf = isa::platform_info(platform).grf_bytes, least = grf / 4;
  const unsigned width = std::max(lanes, least);
  const bool by_lanes =
      m.kind == MessageKind::Vectors || m.kind == MessageKind::Atomic || m.kind == MessageKind::Status;
  if (!by_lanes || m.transposed) return width;
  const unsigned filled = std::min(m.length * grf / m.address_bytes, 2 * least);
  return std::max(width, filled);
}

MessageKind kind_of(Shape shape, bool typed) {
  switch (shape) {
    case Shape::Vector:
      return MessageKind::Vectors;
    case Shape::Quad:
      return typed ? MessageKind::Typed : MessageKind::Vectors;
    case Shape::Strided:
      return MessageKind::Strided;
    case Shape::Block2d:
      return MessageKind::Block2d;
    case Shape::Atomic:
      return typed ? MessageKind::TypedAtomic : MessageKind::Atomic;
    case Shape::Status:
      return MessageKind::Status;
    default:
      return MessageKind::Fence;
  }
}

}  // namespace

void decode_lsc(Message& m, std::uint32_t extended, std::uint32_t descriptor, Platform platform) {
  m.header = false;  // bit 19 belongs to the caching
  const unsigned code = bits(descriptor, 0, 6);
  for (const Row& row : kRows) {
    if (row.code != code) continue;
    m.name = row.name;
    m.write = row.write;
    if (row.shape == Shape::Refused) {
      refuse(m, row.name, std::string(row.reason));
      return;
    }
    decode_space(m, extended, descriptor, platform);
    if (!decode_shape(m, row.shape, descriptor)) return;
    if (row.shape == Shape::Block2d && (platform < Platform::PVC || platform == Platform::ARL || !m.wide)) {
      refuse(m, row.name,
             m.wide ? fmt::format("not defined on {}", isa::platform_info(platform).name)
                    : std::string("rectangles are of 64-bit address space"));
      return;
    }
    m.kind = kind_of(row.shape, m.function == TypedMemory);
    m.simd = width_of(m, m.simd, platform);
    if (row.shape == Shape::Atomic) {
      m.atomic = lsc::atomic_op(static_cast<lsc::Op>(code)).value_or(machine::AtomicOp::Load);
      m.returns = m.response != 0;
      if (m.element_bytes < 2) refuse(m, row.name, "atomics of single bytes are not defined");
    }
    return;
  }
  refuse(m, "message", fmt::format("operation {:#x} is not defined", code));
}

}  // namespace heddle::instructions::send
