// SPDX-License-Identifier: MIT
// RT_WRITE (RTW-1 to RTW-22): operands and the thread's header become one message of the texture unit.
#include <array>
#include <cstring>

#include "instructions/reference.hpp"
#include "instructions/render_cache/render_target.hpp"
#include "instructions/sampler/request.hpp"

namespace heddle::instructions::rt_write {
namespace {

using machine::ExecutionContext;
using machine::Operand;

// Mode bits (RTW-1).
constexpr unsigned kRti = 2, kS0a = 3, kOmask = 4, kZ = 5, kStencil = 6, kLast = 7, kPerSample = 9, kCoarse = 10,
                   kSi = 11, kNullRt = 12;

/// Nothing for a null operand.
std::optional<render_target::SlotWords> slots(ExecutionContext& s, std::string_view name, unsigned size,
                                              std::optional<std::uint32_t> read = {}) {
  const Operand* operand = s.named(name);
  if (operand == nullptr || operand->null) return std::nullopt;
  return slot_words(s, *operand, size, read);
}

std::uint32_t scalar(ExecutionContext& s, std::string_view name) {
  const Operand* operand = s.named(name);
  return operand == nullptr || operand->null ? 0 : static_cast<std::uint32_t>(s.read_scalar(*operand));
}

/// RTW-3: M0 from R0, M1 from the Header operand, or R1 (R2 for the upper slots) where it is null.
bool read_header(ExecutionContext& s, bool slot_high, render_target::RenderTargetHeader& header) {
  HeaderWords positions{};
  const Operand* operand = s.named("header");
  if (operand != nullptr && !operand->null) {
    std::array<std::uint8_t, sizeof positions> bytes{};
    s.read_raw_bytes(*operand, 0, bytes);
    std::memcpy(positions.data(), bytes.data(), bytes.size());
  } else if (const auto dispatched = dispatched_positions(s, slot_high, operand)) {
    positions = *dispatched;
  } else {
    return false;
  }
  header = target_header(payload_words(s, 0), positions);
  return true;
}

void execute(ExecutionContext& s) {
  const auto mode = static_cast<std::uint32_t>(s.integer("mode"));
  const auto flag = [mode](unsigned bit) { return (mode >> bit & 1u) != 0; };
  const Operand* surface_operand = operand_of_kind(s, isa::OperandKind::Surface);
  // A null render target needs no surface (RTW-16).
  const image::Surface* surface = surface_operand == nullptr || flag(kNullRt) ? nullptr : s.surface(*surface_operand);
  if (surface == nullptr && !flag(kNullRt)) return;

  render_target::RenderTargetMessage m;
  m.simd = s.lanes();
  m.slot_high = s.instruction().mask_offset >= 16;  // RTW-2
  m.active = s.enabled();
  if (!read_header(s, m.slot_high, m.header)) return;
  m.rti = flag(kRti) ? scalar(s, "rti") : 0;
  if (flag(kSi)) m.si = scalar(s, "si");
  m.last = flag(kLast);
  m.per_sample = flag(kPerSample);
  m.coarse = flag(kCoarse);
  m.null_rt = flag(kNullRt);

  bool half = false, single = false;  // RTW-10: all alike
  for (const std::string_view name : {"r", "g", "b", "a", "s0a"})
    if (const Operand* operand = s.named(name); operand != nullptr && !operand->null)
      (operand->size == 2 ? half : single) = true;
  if (half && single) {
    s.refuse(nullptr, "visa-rt-type", "color operands mix f and hf");
    return;
  }
  m.type = half ? render_target::PayloadType::HF : render_target::PayloadType::F;
  const unsigned size = half ? 2 : 4;
  std::optional<ReadParts> read;
  if (s.checking()) read.emplace(s, surface, m.rti);
  const auto color = [&](unsigned c) { return read ? std::optional(read->color(c)) : std::nullopt; };
  m.r = slots(s, "r", size, color(0));
  m.g = slots(s, "g", size, color(1));
  m.b = slots(s, "b", size, color(2));
  m.a = slots(s, "a", size, color(3));
  if (flag(kS0a)) m.s0a = slots(s, "s0a", size, read ? std::optional(read->alpha_of_first()) : std::nullopt);
  if (flag(kOmask)) m.omask = slots(s, "om", 2, read ? std::optional(read->mask()) : std::nullopt);
  if (flag(kZ)) m.z = slots(s, "z", 4, read ? std::optional(read->depth()) : std::nullopt);
  if (flag(kStencil)) m.stencil = slots(s, "st", 1, read ? std::optional(read->stencil()) : std::nullopt);

  write_target(s, surface, m, s.instruction().mask_offset);
}

constexpr ReferenceHook kHooks[] = {{"rt_write_3d", execute}};

}  // namespace

std::span<const ReferenceHook> reference() { return kHooks; }

}  // namespace heddle::instructions::rt_write
