// SPDX-License-Identifier: MIT
// Render cache messages (RTW-2). Descriptor: 7:0 surface, 10:8 layout, 11 slot group, 12 last target, 13 per sample,
// 17:14 operation, 18 coarse pixels, 19 header of two registers, 30 half data. Extended descriptor: 14:12 target index
// and 15 source-0 alpha where there is no header, 20 no target (from Gen12 on).
#include <fmt/format.h>

#include "instructions/send/message.hpp"

namespace heddle::instructions::send {
namespace {

constexpr unsigned kWrite = 0xc, kRead = 0xd;
constexpr std::string_view kLayouts[] = {"SIMD16 write", "SIMD16 write of one color", "dual-source write of slots 0-7",
                                         "dual-source write of slots 8-15", "SIMD8 write"};

void decode_read(Message& m, unsigned layout) {
  m.name = layout == 0 ? "SIMD16 read" : "SIMD8 read";
  m.simd = layout == 0 ? 16 : 8;
  m.kind = MessageKind::RenderRead;
  if (layout > 1) refuse(m, "render target read", fmt::format("layout {} is not defined", layout));
  if (m.half_data) refuse(m, m.name, "reads return 32 bits");
}

}  // namespace

void decode_render_cache(Message& m, std::uint32_t extended, std::uint32_t descriptor, isa::Platform platform) {
  const unsigned operation = bits(descriptor, 14, 4), layout = bits(descriptor, 8, 3);
  if (operation != kWrite && operation != kRead) {
    refuse(m, "message", fmt::format("type {:#x} is neither a render target write nor a read", operation));
    return;
  }
  if (platform >= isa::Platform::PVC) {
    refuse(m, operation == kRead ? "render target read" : "render target write",
           "messages for registers of 64 bytes have layouts of their own");
    return;
  }
  m.upper_slots = bits(descriptor, 11, 1) != 0;
  m.per_sample = bits(descriptor, 13, 1) != 0;
  m.half_data = bits(descriptor, 30, 1) != 0;
  if (operation == kRead) {
    decode_read(m, layout);
    return;
  }
  if (layout >= std::size(kLayouts)) {
    refuse(m, "render target write", fmt::format("layout {} is not defined", layout));
    return;
  }
  m.kind = MessageKind::RenderWrite;
  m.write = true;
  m.layout = static_cast<RenderLayout>(layout);
  m.name = kLayouts[layout];
  m.simd = m.layout == RenderLayout::Simd16 || m.layout == RenderLayout::Replicated16 ? 16 : 8;
  m.last = bits(descriptor, 12, 1) != 0;
  m.coarse = bits(descriptor, 18, 1) != 0;
  m.null_target = platform >= isa::Platform::TGLLP && bits(extended, 20, 1) != 0;
  if (!m.header) {
    m.target_index = bits(extended, 12, 3);
    m.source0_alpha = bits(extended, 15, 1) != 0;
  }
}

}  // namespace heddle::instructions::send
