// SPDX-License-Identifier: MIT
// Data port messages. Descriptor: 7:0 surface, 18:14 operation, 19 header; 13:8 depend on the operation.
#include <array>
#include <optional>

#include <fmt/format.h>

#include "instructions/send/message.hpp"

namespace heddle::instructions::send {
namespace {

using isa::Platform;
using machine::AtomicOp;
using enum SharedFunction;

/// How bits 13:8 are read.
enum class Shape : std::uint8_t {
  Owords,        ///< 10:8 size
  AlignedRead,   ///< the same; from DG2 on bit 13 tells hwords
  Bytes,         ///< 8 SIMD mode, 11:10 size
  Elements,      ///< 8 SIMD mode, 11:10 count
  Surface,       ///< 11:8 channels off, 13:12 SIMD mode
  WideScatter,   ///< 9:8 element, 11:10 count, 12 SIMD mode
  WideBlock,     ///< 10:8 size, 12:11 element
  Atomic,        ///< 11:8 operation, 12 SIMD mode, 13 returns
  WideAtomic,    ///< 12 is the width
  FloatAtomic,   ///< 10:8 operation
  TypedSurface,  ///< 11:8 channels off, 13:12 slot group
  TypedAtomic,   ///< 12 slot group
  Media,         ///< 10:8 line stride
  Fence,
  Refused,
};

struct Row {
  SharedFunction function;
  unsigned type;
  Shape shape;
  std::string_view name;
  bool write = false, wide = false;
  unsigned bytes = 4;  ///< of an element
  Platform since = Platform::BDW;
  Platform last = Platform::PVCXT;
  std::string_view reason = {};  ///< Refused
};

constexpr std::string_view kNoDual = "SIMD4x2 layouts are not executed: no vISA instruction has them";
constexpr std::string_view kNoCounter = "append counters of surfaces are not part of the surface model";
constexpr std::string_view kNoStatus = "the status that it returns is that of page tables";
constexpr std::string_view kNoCcs = "it updates compression data, and surfaces here are not compressed";
constexpr Platform kBdw = Platform::BDW, kTgl = Platform::TGLLP, kDg2 = Platform::DG2, kPvc = Platform::PVCXT;

// clang-format off
constexpr Row kRows[] = {
    {ConstantCache, 0x00, Shape::Owords, "constant oword block read"},
    {ConstantCache, 0x01, Shape::Owords, "constant unaligned oword block read", false, false, 1},
    {ConstantCache, 0x03, Shape::Elements, "constant dword gather"},
    {ConstantCache, 0x08, Shape::Refused, "untyped surface compression update", true, false, 4, Platform::XeHP_SDV, kPvc, kNoCcs},
    {ConstantCache, 0x09, Shape::Refused, "untyped surface uncompressed write", true, false, 4, kDg2, kPvc, kNoCcs},
    {ConstantCache, 0x0c, Shape::Refused, "typed surface compression update", true, false, 4, kDg2, kPvc, kNoCcs},
    {ConstantCache, 0x0d, Shape::Refused, "typed surface uncompressed write", true, false, 4, kDg2, kPvc, kNoCcs},
    {ConstantCache, 0x17, Shape::Refused, "page compression update", true, true, 4, kDg2, kPvc, kNoCcs},
    {ConstantCache, 0x18, Shape::Refused, "A64 untyped surface compression update", true, true, 4, Platform::XeHP_SDV, kPvc, kNoCcs},
    {ConstantCache, 0x19, Shape::Refused, "A64 untyped surface uncompressed write", true, true, 4, Platform::XeHP_SDV, kPvc, kNoCcs},

    {DataCache0, 0x00, Shape::Owords, "oword block read"},
    {DataCache0, 0x01, Shape::AlignedRead, "unaligned oword block read", false, false, 1},
    {DataCache0, 0x02, Shape::Refused, "oword dual block read", false, false, 4, kBdw, kPvc, kNoDual},
    {DataCache0, 0x03, Shape::Elements, "dword gather"},
    {DataCache0, 0x04, Shape::Bytes, "byte gather"},
    {DataCache0, 0x05, Shape::Elements, "qword gather", false, false, 8},
    {DataCache0, 0x07, Shape::Fence, "memory fence"},
    {DataCache0, 0x08, Shape::Owords, "oword block write", true},
    {DataCache0, 0x09, Shape::Refused, "hword aligned block write", true, false, 4, kDg2, kPvc, "public sources disagree about the size of its block"},
    {DataCache0, 0x0a, Shape::Refused, "oword dual block write", true, false, 4, kBdw, kPvc, kNoDual},
    {DataCache0, 0x0b, Shape::Elements, "dword scatter", true},
    {DataCache0, 0x0c, Shape::Bytes, "byte scatter", true},
    {DataCache0, 0x0d, Shape::Elements, "qword scatter", true, false, 8},

    {DataCache1, 0x01, Shape::Surface, "untyped surface read"},
    {DataCache1, 0x02, Shape::Atomic, "untyped atomic"},
    {DataCache1, 0x03, Shape::Refused, "untyped atomic SIMD4x2", true, false, 4, kBdw, Platform::ICLLP, kNoDual},
    {DataCache1, 0x03, Shape::Atomic, "untyped 16-bit atomic", true, false, 2, kTgl},
    {DataCache1, 0x04, Shape::Media, "media block read"},
    {DataCache1, 0x05, Shape::TypedSurface, "typed surface read"},
    {DataCache1, 0x06, Shape::TypedAtomic, "typed atomic"},
    {DataCache1, 0x07, Shape::Refused, "typed atomic SIMD4x2", true, false, 4, kBdw, Platform::ICLLP, kNoDual},
    {DataCache1, 0x07, Shape::TypedAtomic, "typed 16-bit atomic", true, false, 2, kTgl},
    {DataCache1, 0x09, Shape::Surface, "untyped surface write", true},
    {DataCache1, 0x0a, Shape::Media, "media block write", true},
    {DataCache1, 0x0b, Shape::Refused, "counter atomic", true, false, 4, kBdw, kPvc, kNoCounter},
    {DataCache1, 0x0c, Shape::Refused, "16-bit counter atomic", true, false, 2, kBdw, kPvc, kNoCounter},
    {DataCache1, 0x0d, Shape::TypedSurface, "typed surface write", true},
    {DataCache1, 0x0e, Shape::Refused, "typed surface read with status", false, false, 4, kBdw, kPvc, kNoStatus},
    {DataCache1, 0x10, Shape::WideScatter, "A64 gather", false, true},
    {DataCache1, 0x11, Shape::Surface, "A64 untyped surface read", false, true},
    {DataCache1, 0x12, Shape::WideAtomic, "A64 atomic", true, true},
    {DataCache1, 0x13, Shape::Refused, "A64 atomic SIMD4x2", true, true, 4, kBdw, Platform::ICLLP, kNoDual},
    {DataCache1, 0x13, Shape::Atomic, "A64 16-bit atomic", true, true, 2, kTgl},
    {DataCache1, 0x14, Shape::WideBlock, "A64 block read", false, true},
    {DataCache1, 0x15, Shape::WideBlock, "A64 block write", true, true},
    {DataCache1, 0x19, Shape::Surface, "A64 untyped surface write", true, true},
    {DataCache1, 0x1a, Shape::WideScatter, "A64 scatter", true, true},
    {DataCache1, 0x1b, Shape::FloatAtomic, "untyped float atomic", true},
    {DataCache1, 0x1c, Shape::Refused, "untyped float atomic SIMD4x2", true, false, 4, kBdw, Platform::ICLLP, kNoDual},
    {DataCache1, 0x1c, Shape::FloatAtomic, "untyped half atomic", true, false, 2, kTgl},
    {DataCache1, 0x1d, Shape::FloatAtomic, "A64 float atomic", true, true},
    {DataCache1, 0x1e, Shape::Refused, "A64 float atomic SIMD4x2", true, true, 4, kBdw, Platform::ICLLP, kNoDual},
    {DataCache1, 0x1e, Shape::FloatAtomic, "A64 half atomic", true, true, 2, kTgl},
};

/// Code 0 is the compare and exchange of 64 bits. The operands of compare and exchange lie the other way round than in
/// DWORD_ATOMIC: the value to compare with comes first.
constexpr std::array<std::optional<AtomicOp>, 16> kIntegerOps = {
    AtomicOp::CmpXchg, AtomicOp::And, AtomicOp::Or, AtomicOp::Xor, AtomicOp::Xchg, AtomicOp::Inc, AtomicOp::Dec, AtomicOp::Add,
    AtomicOp::Sub, AtomicOp::RevSub, AtomicOp::IMax, AtomicOp::IMin, AtomicOp::Max, AtomicOp::Min, AtomicOp::CmpXchg, AtomicOp::PreDec};
constexpr std::array<std::optional<AtomicOp>, 8> kFloatOps = {
    std::nullopt, AtomicOp::FMax, AtomicOp::FMin, AtomicOp::FCmpWr, AtomicOp::FAdd, AtomicOp::FSub, AtomicOp::FAdd, AtomicOp::FSub};
// clang-format on

constexpr unsigned kOwordsCode[] = {1, 1, 2, 4, 8, 16};

struct Decoder {
  Message& m;
  const Row& row;
  std::uint32_t desc;
  Platform platform;

  [[nodiscard]] bool pvc() const { return platform >= Platform::PVC && platform <= Platform::PVCXT; }

  /// SIMD16 where the bit is `code`.
  void narrow_or_wide(unsigned bit, unsigned code) { m.simd = bits(desc, bit, 1) == code ? 16 : 8; }
  /// Atomics on registers of 64 bytes: the narrow mode is SIMD16 and the only one.
  bool atomic_simd(unsigned code) {
    narrow_or_wide(12, code);
    if (!pvc()) return true;
    if (m.simd == 16) {
      refuse(m, row.name, fmt::format("SIMD mode {} is not defined on {}", code, platform_info(platform).name));
      return false;
    }
    m.simd = 16;
    return true;
  }
  void owords(unsigned unit) {
    const unsigned code = bits(desc, 8, 3);
    if (code >= std::size(kOwordsCode)) {
      refuse(m, row.name, fmt::format("block size {} is not defined", code));
      return;
    }
    m.kind = MessageKind::Block;
    m.block_bytes = 16 * kOwordsCode[code];
    m.upper_half = code == 1;
    m.address_unit = unit;
  }
  void hwords(unsigned code) {
    if (code > 3) {
      refuse(m, m.name, fmt::format("block size {} is not defined", code));
      return;
    }
    m.kind = MessageKind::Block;
    m.block_bytes = 32u << code;
  }
  void components(unsigned bytes, unsigned count) {
    m.kind = MessageKind::Components;
    m.element_bytes = bytes;
    m.components = (1u << count) - 1;
  }
  bool surface_simd() {
    const unsigned code = bits(desc, 12, 2);
    m.simd = code == 1 ? 16 : 8;
    if (code == 1 || (code == 2 && !pvc())) return true;
    refuse(m, row.name, code == 0 ? std::string(kNoDual) : fmt::format("SIMD mode {} is not defined", code));
    return false;
  }
  bool channels() {
    m.components = ~bits(desc, 8, 4) & 15u;
    m.channels = true;
    if (m.components != 0) return true;
    refuse(m, row.name, "every channel is switched off");
    return false;
  }
  void atomic(std::optional<AtomicOp> op, unsigned bytes) {
    m.returns = bits(desc, 13, 1) != 0;
    m.element_bytes = bytes;
    if (!op) {
      refuse(m, row.name, fmt::format("operation {} is not defined", bits(desc, 8, 4)));
      return;
    }
    m.kind = row.shape == Shape::TypedAtomic ? MessageKind::TypedAtomic : MessageKind::Atomic;
    m.atomic = *op;
  }
  void scattered_bytes();
  void elements();
  void aligned_read();
  void wide_scatter();
  void wide_block();
  void integer_atomic(unsigned size);
  void float_atomic();
  void typed_surface();
  void media();
  void decode();
};

void Decoder::aligned_read() {
  if (platform >= kDg2 && bits(desc, 13, 1) != 0) {
    m.name = "hword aligned block read";
    hwords(bits(desc, 8, 3));
  } else {
    owords(1);
  }
}

void Decoder::scattered_bytes() {
  narrow_or_wide(8, 1);
  m.kind = MessageKind::Scattered;
  m.element_bytes = 1u << bits(desc, 10, 2);
  if (m.element_bytes > 4) refuse(m, row.name, "8 bytes in a dword are not defined");
}

void Decoder::elements() {
  narrow_or_wide(8, 1);
  components(row.bytes, 1u << bits(desc, 10, 2));
  m.address_unit = row.bytes == 4 ? 4 : 1;  // dword messages count dwords
}

void Decoder::wide_scatter() {
  narrow_or_wide(12, 1);
  switch (bits(desc, 8, 2)) {
    case 0:
      m.kind = MessageKind::Scattered;
      m.element_bytes = 1u << bits(desc, 10, 2);
      m.name = row.write ? "A64 byte scatter" : "A64 byte gather";
      return;
    case 1:
      m.name = row.write ? "A64 dword scatter" : "A64 dword gather";
      components(4, 1u << bits(desc, 10, 2));
      return;
    case 2:
      m.name = row.write ? "A64 qword scatter" : "A64 qword gather";
      components(8, 1u << bits(desc, 10, 2));
      return;
    default:
      refuse(m, "A64 byte gather with status", std::string(kNoStatus));
  }
}

void Decoder::wide_block() {
  switch (bits(desc, 11, 2)) {
    case 0:
    case 1:
      m.name = row.write ? "A64 oword block write" : "A64 oword block read";
      owords(1);
      return;
    case 3:
      m.name = row.write ? "A64 hword block write" : "A64 hword block read";
      hwords(bits(desc, 8, 3));
      return;
    default:
      refuse(m, row.write ? "A64 oword dual block write" : "A64 oword dual block read", std::string(kNoDual));
  }
}

/// Operation 0 is of 8 bytes, the others of `size`.
void Decoder::integer_atomic(unsigned size) {
  const unsigned op = bits(desc, 8, 4);
  atomic(kIntegerOps[op], op == 0 ? 8 : size);
}

void Decoder::float_atomic() {
  const unsigned op = bits(desc, 8, 3);
  if (!atomic_simd(row.wide ? 1 : 0)) return;
  if (op >= 4 && platform < Platform::XeHP_SDV)
    refuse(m, row.name, fmt::format("float add and subtract are not defined on {}", platform_info(platform).name));
  else
    atomic(kFloatOps[op], op >= 6 ? 8 : row.bytes);
}

void Decoder::typed_surface() {
  const unsigned group = bits(desc, 12, 2);
  m.simd = pvc() ? 16 : 8;
  m.upper_slots = group == 2;
  if (group == 0 || group == 3)
    refuse(m, row.name, group == 0 ? std::string(kNoDual) : std::string("slot group 3 is not defined"));
  else if (channels())
    m.kind = MessageKind::Typed;
}

void Decoder::media() {
  m.kind = MessageKind::MediaBlock;
  m.field = bits(desc, 9, 2) == 3;  // override, skip a line
  m.bottom = m.field && bits(desc, 8, 1) != 0;
}

void Decoder::decode() {
  switch (row.shape) {
    case Shape::Owords:
      return owords(row.bytes == 1 ? 1 : 16);
    case Shape::AlignedRead:
      return aligned_read();
    case Shape::Bytes:
      return scattered_bytes();
    case Shape::Elements:
      return elements();
    case Shape::Surface:
      if (surface_simd() && channels()) m.kind = MessageKind::Components;
      return;
    case Shape::WideScatter:
      return wide_scatter();
    case Shape::WideBlock:
      return wide_block();
    case Shape::Atomic:
      if (atomic_simd(0)) integer_atomic(row.bytes);
      return;
    case Shape::WideAtomic:
      m.simd = pvc() ? 16 : 8;
      return integer_atomic(bits(desc, 12, 1) != 0 ? 8 : row.bytes);
    case Shape::FloatAtomic:
      return float_atomic();
    case Shape::TypedSurface:
      return typed_surface();
    case Shape::TypedAtomic:
      m.simd = pvc() ? 16 : 8;
      m.upper_slots = bits(desc, 12, 1) != 0;
      return integer_atomic(row.bytes);
    case Shape::Media:
      return media();
    case Shape::Fence:
      m.kind = MessageKind::Fence;
      return;
    case Shape::Refused:
      return refuse(m, row.name, std::string(row.reason));
  }
}

/// Data cache 0 with bit 18: 11:0 offset in hwords, 13:12 size, 17 write.
void decode_scratch(Message& m, std::uint32_t desc) {
  m.write = bits(desc, 17, 1) != 0;
  m.name = m.write ? "scratch block write" : "scratch block read";
  m.kind = MessageKind::Block;
  m.scratch = true;
  m.offset = 32 * bits(desc, 0, 12);
  m.block_bytes = 32u << bits(desc, 12, 2);
}

}  // namespace

void decode_data_port(Message& m, std::uint32_t, std::uint32_t desc, Platform platform) {
  if (platform > kPvc && platform != Platform::ARL) {
    refuse(m, "message", fmt::format("{} has no {}", platform_info(platform).name, function_name(m.function)));
    return;
  }
  const Platform limit = platform == Platform::ARL ? Platform::MTL : platform;
  if (m.function == DataCache0 && bits(desc, 18, 1) != 0) {
    decode_scratch(m, desc);
    return;
  }
  const unsigned type = bits(desc, 14, 5);
  for (const Row& row : kRows) {
    if (row.function != m.function || row.type != type || limit < row.since || limit > row.last) continue;
    m.name = row.name;
    m.write = row.write;
    m.wide = row.wide;
    m.address_bytes = row.wide ? 8 : 4;
    Decoder{m, row, desc, limit}.decode();
    return;
  }
  refuse(m, "message",
         fmt::format("type {:#x} of {} is not defined on {}", type, function_name(m.function),
                     platform_info(platform).name));
}

}  // namespace heddle::instructions::send
