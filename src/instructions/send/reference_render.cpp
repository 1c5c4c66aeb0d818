// SPDX-License-Identifier: MIT
// Render target writes. Header of two registers: M0.0 says which optional parts follow (14 stencil, 13 depth, 12 oMask,
// 11 source-0 alpha), M0.2 the target's index, M1 positions and enables (RTW-3). Then source-0 alpha, oMask, red,
// green, blue, alpha (twice for two sources), depth, stencil; each part starts at the next register.
#include <bit>

#include <fmt/format.h>

#include "instructions/render_cache/render_target.hpp"
#include "instructions/send/payload.hpp"

namespace heddle::instructions::send {

using machine::ExecutionContext;
using machine::Operand;

namespace {

/// Takes the parts one after another.
class Parts {
 public:
  Parts(ExecutionContext& context, const Payload& payload)
      : context_(context), payload_(payload), at_(payload.header_registers()) {}
  /// `read`: the lanes in which somebody reads it; `what`: its name.
  std::optional<render_target::SlotWords> take(unsigned bytes, std::uint32_t read, std::string_view what) {
    const Operand part = payload_.from(at_, bytes);
    at_ += payload_.message().registers(bytes, context_.grf_bytes());
    return slot_words(context_, part, bytes, context_.checking() && !check(part, bytes, read, what) ? 0 : read);
  }
  [[nodiscard]] unsigned taken() const { return at_; }

 private:
  /// False after the report of a lane that nobody has written.
  bool check(const Operand& part, unsigned bytes, std::uint32_t read, std::string_view what) {
    for (; read != 0; read &= read - 1) {
      const auto lane = static_cast<unsigned>(std::countr_zero(read));
      const bool in_rest = part.rest != nullptr && lane * bytes >= part.rest_at;
      const Operand& from = in_rest ? *part.rest : part;
      const std::uint32_t at = from.base + lane * bytes - (in_rest ? part.rest_at : 0);
      if (from.null || at < from.root_begin || at + bytes > from.root_end) continue;  // read_raw says so
      if (context_.registers().defined(at, bytes)) continue;
      context_.check(&from, "run-undefined-register",
                     fmt::format("output {} is stored, but nothing was written to it", what), lane);
      return false;
    }
    return true;
  }
  ExecutionContext& context_;
  const Payload& payload_;
  unsigned at_;
};

HeaderWords header_words(const Payload& payload, unsigned which) {
  HeaderWords words{};
  for (unsigned i = 0; i < words.size(); ++i) {
    const bool used = which == 0 ? i == 0 || i == 2 : i == 2 || i == 7;
    words[i] = payload.word(which, i, !used);
  }
  return words;
}

struct Optional {
  bool alpha, mask, depth, stencil;
};

/// One register holds the color of every slot.
void read_one_color(const Payload& payload, unsigned at, render_target::RenderTargetMessage& m) {
  std::optional<render_target::SlotWords>* const colors[] = {&m.r, &m.g, &m.b, &m.a};
  for (unsigned c = 0; c < 4; ++c) *colors[c] = render_target::RenderTargetMessage::filled(payload.word(at, c));
}

unsigned registers_needed(const Message& m, const Optional& parts, unsigned header, unsigned grf) {
  const unsigned color = m.registers(m.half_data ? 2 : 4, grf);
  const bool dual = m.layout == RenderLayout::DualLow || m.layout == RenderLayout::DualHigh;
  unsigned count = header + (m.layout == RenderLayout::Replicated16 ? 1 : color * (dual ? 8 : 4));
  if (parts.alpha) count += color;
  if (parts.mask) count += m.registers(2, grf);
  if (parts.depth) count += m.registers(4, grf);
  if (parts.stencil) count += m.registers(1, grf);
  return count;
}

/// The upper eight slots of a message of sixteen.
void shift_up(render_target::RenderTargetMessage& m) {
  std::optional<render_target::SlotWords>* const parts[] = {&m.r,         &m.g,         &m.b,         &m.a,
                                                            &m.s0a,       &m.omask,     &m.z,         &m.stencil,
                                                            &m.second[0], &m.second[1], &m.second[2], &m.second[3]};
  for (auto* part : parts) {
    if (!part->has_value()) continue;
    render_target::SlotWords& words = **part;
    std::copy_n(words.begin(), 8, words.begin() + 8);
  }
}

/// The positions of a message: its own header's, or the dispatch's.
std::optional<render_target::RenderTargetHeader> positions_of(ExecutionContext& s, const Payload& payload) {
  const Message& m = payload.message();
  if (m.header) {
    if (!payload.has(2)) return std::nullopt;
    return target_header(header_words(payload, 0), header_words(payload, 1));
  }
  const auto positions = dispatched_positions(s, m.upper_slots, nullptr);
  if (!positions) return std::nullopt;
  return target_header(payload_words(s, 0), *positions);
}

void run_lanes(ExecutionContext& s, const Payload& payload, unsigned first_lane) {
  const Message& m = payload.message();
  const bool dual = m.layout == RenderLayout::DualLow || m.layout == RenderLayout::DualHigh;
  const bool high = m.layout == RenderLayout::DualHigh;
  render_target::RenderTargetMessage out;
  const image::Surface* surface = m.null_target ? nullptr : message_surface(s, m);
  if (surface == nullptr && !m.null_target) return;

  Optional parts{m.source0_alpha, false, false, false};
  const auto header = positions_of(s, payload);
  if (!header) return;
  out.header = *header;
  out.rti = m.target_index;
  if (m.header) {
    const std::uint32_t control = payload.word(0, 0);
    const auto flag = [control](unsigned bit) { return (control >> bit & 1u) != 0; };
    parts = {flag(11), flag(12), flag(13), flag(14)};
    out.rti = payload.word(0, 2) & 7u;
  }
  if (!payload.has(registers_needed(m, parts, payload.header_registers(), s.grf_bytes()))) return;

  out.simd = high ? 16 : m.simd;
  out.slot_high = m.upper_slots;
  out.active = high ? s.enabled() << 8 : s.enabled();
  out.last = m.last;
  out.per_sample = m.per_sample;
  out.coarse = m.coarse;
  out.null_rt = m.null_target;
  out.type = m.half_data ? render_target::PayloadType::HF : render_target::PayloadType::F;
  const unsigned size = m.half_data ? 2 : 4;
  Parts from(s, payload);
  const ReadParts read(s, surface, out.rti);
  if (parts.alpha) out.s0a = from.take(size, read.alpha_of_first(), "alpha of the first target");
  if (parts.mask) out.omask = from.take(2, read.mask(), "sample mask");
  if (m.layout == RenderLayout::Replicated16) {
    read_one_color(payload, from.taken(), out);
  } else {
    static constexpr std::string_view kFirst[] = {"red", "green", "blue", "alpha"},
                                      kSecond[] = {"red of the second color", "green of the second color",
                                                   "blue of the second color", "alpha of the second color"};
    std::optional<render_target::SlotWords>* const first[] = {&out.r, &out.g, &out.b, &out.a};
    for (unsigned c = 0; c < 4; ++c) *first[c] = from.take(size, read.color(c), kFirst[c]);
    for (unsigned c = 0; dual && c < 4; ++c) out.second[c] = from.take(size, read.second_color(c), kSecond[c]);
    if (parts.depth) out.z = from.take(4, read.depth(), "depth");
    if (parts.stencil) out.stencil = from.take(1, read.stencil(), "stencil reference");
  }
  if (high) shift_up(out);
  write_target(s, surface, out, first_lane);
}

void run_read(ExecutionContext& context, const Payload& payload) {
  const Message& m = payload.message();
  WidthContext lanes(context, m.simd);
  const image::Surface* surface = message_surface(*lanes, m);
  const auto header = surface != nullptr ? positions_of(*lanes, payload) : std::nullopt;
  if (header) read_target(*lanes, *surface, *header, m.per_sample, 0, payload.response());
}

}  // namespace

void run_render_cache(ExecutionContext& context, const Payload& payload) {
  const Message& m = payload.message();
  if (m.kind == MessageKind::RenderRead) {
    run_read(context, payload);
    return;
  }
  if (m.layout == RenderLayout::Replicated16 && m.half_data) {
    context.refuse(context.named("desc"), "run-send-message",
                   "one color of halves for all slots is not publicly defined");
    return;
  }
  // The upper eight slots belong to lanes 8 to 15, whether the instruction has sixteen lanes or those eight.
  const bool high = m.layout == RenderLayout::DualHigh;
  const unsigned shift = high && context.lanes() > 8 ? 8 : 0;
  WidthContext lanes(context, m.simd, shift);
  const unsigned own = context.instruction().mask_offset;
  const unsigned group = m.upper_slots ? 16 : own & 16u;
  const bool narrow = m.layout == RenderLayout::Simd8 && own > group;
  run_lanes(*lanes, payload, narrow ? own : group);
}

}  // namespace heddle::instructions::send
