// SPDX-License-Identifier: MIT
// Sampler messages. Descriptor: 7:0 surface, 11:8 sampler, 16:12 operation, 18:17 and 29 SIMD mode, 19 header, 30
// result of 16 bits, 31 LOD compensation for coarse pixels (from Xe2 on the sixth bit of the operation).
#include <array>

#include <fmt/format.h>

#include "instructions/send/message.hpp"
#include "machine/thread.hpp"

namespace heddle::instructions::send {
namespace {

using isa::Platform;

struct ModeRow {
  unsigned code, simd;
  bool half;
};
/// With registers of 64 bytes the same codes mean twice the width.
constexpr ModeRow kModes[] = {{1, 8, false}, {2, 16, false}, {5, 8, true}, {6, 16, true}};

struct NamedCode {
  unsigned code;
  std::string_view name, reason;
};
constexpr NamedCode kUnexecuted[] = {
    {0x16, "sample_min", "the minimum filter's footprint is not publicly defined"},
    {0x17, "sample_max", "the maximum filter's footprint is not publicly defined"},
    {0x1e, "ld2dms", "it is ld2dms_w that replaced it from Gen9 on"},
    {0x1f, "ld2dss", "its sample layout without MCS is not publicly defined"},
};
/// SIMD32/64 messages, before XeHPG.
constexpr NamedCode kWide[] = {
    {0x00, "sample_unorm", "the order of its pixels is not publicly defined; sample_unorm media is executed"},
    {0x02, "sample_unorm killpix", "its kill mask is not publicly defined"},
    {0x08, "deinterlace", "its filter is not publicly defined"},
    {0x0a, "sample_unorm killpix media", "its kill mask is not publicly defined"},
    {0x0b, "sample_8x8", "its filter coefficients are not publicly defined"},
};

template <std::size_t N>
bool refuse_named(Message& m, const NamedCode (&rows)[N], unsigned code) {
  for (const NamedCode& row : rows)
    if (row.code == code) {
      refuse(m, row.name, std::string(row.reason));
      return true;
    }
  return false;
}

/// 11h to 13h changed their meaning with Xe2 (GA-2); operations of Xe2 do not exist before.
const texture::Operation* operation_of(unsigned code, Platform platform) {
  for (const texture::OperationKind family : {texture::OperationKind::Sample, texture::OperationKind::Load,
                                              texture::OperationKind::Gather4, texture::OperationKind::Info}) {
    const texture::Operation* op = texture::find_operation(family, static_cast<std::uint8_t>(code));
    if (op == nullptr) continue;
    if (!texture::platform_has(op->platforms, machine::unit_platform(platform))) continue;
    if (op->op == texture::Op::LdL && platform < Platform::XE2) continue;
    return op;
  }
  return nullptr;
}

void decode_wide(Message& m, unsigned code) {
  m.simd = 32;
  switch (code) {
    case 0x0c:
      m.kind = MessageKind::SampleUnorm;
      m.name = "sample_unorm media";
      return;
    case 0x1f:
      m.kind = MessageKind::SamplerFlush;
      m.name = "cache flush";
      return;
    default:
      if (!refuse_named(m, kWide, code))
        refuse(m, "SIMD32 message", fmt::format("type {:#x} is not a SIMD32 message of the sampler", code));
  }
}

}  // namespace

void decode_sampler(Message& m, std::uint32_t, std::uint32_t descriptor, Platform platform) {
  const bool xe2 = platform >= Platform::XE2;
  m.sampler = bits(descriptor, 8, 4);
  const unsigned code = bits(descriptor, 12, 5) | (xe2 ? bits(descriptor, 31, 1) << 5 : 0u);
  const unsigned mode = bits(descriptor, 17, 2) | bits(descriptor, 29, 1) << 2;
  m.cps_compensation = !xe2 && bits(descriptor, 31, 1) != 0;
  m.half_result = bits(descriptor, 30, 1) != 0;
  if (mode == 3 && platform < Platform::DG2) {
    decode_wide(m, code);
    return;
  }
  for (const ModeRow& row : kModes)
    if (row.code == mode) {
      m.simd = isa::platform_info(platform).grf_bytes == 64 ? 2 * row.simd : row.simd;
      m.half_parameters = row.half;
    }
  if (const texture::Operation* op = operation_of(code, platform)) {
    m.operation = op;
    m.name = op->name;
    m.kind = MessageKind::Sample;
  } else if (!refuse_named(m, kUnexecuted, code)) {
    refuse(m, "message", fmt::format("type {:#x} is not defined on {}", code, isa::platform_info(platform).name));
    return;
  }
  if (m.simd != 0) return;
  const bool integer_return = (mode == 0 || mode == 4) && platform >= Platform::DG2;
  refuse(m, m.name,
         integer_return ? std::string("the integer-return modes are not publicly defined")
                        : fmt::format("SIMD mode {} is not defined on {}", mode, isa::platform_info(platform).name));
}

}  // namespace heddle::instructions::send
