// RT_WRITE (image-unit.md sections 14 and 15): operands and the thread's header become one message of the image unit.
#include <fmt/format.h>

#include <array>
#include <cstring>

#include "instructions/image.hpp"
#include "instructions/reference.hpp"
#include "machine/pixels.hpp"
#include "unit/render_target.hpp"

namespace heddle::instructions::rt_write {
namespace {

using machine::Operand;
using machine::Step;

// Mode bits (RTW-1).
constexpr unsigned kRti = 2, kS0a = 3, kOmask = 4, kZ = 5, kStencil = 6, kLast = 7, kPerSample = 9, kCoarse = 10,
                   kSi = 11, kNullRt = 12;

/// One word a slot of a raw operand; nothing for a null operand.
std::optional<unit::SlotWords> slots(Step& s, std::string_view name, unsigned size) {
  const Operand* operand = s.named(name);
  if (operand == nullptr || operand->null) return std::nullopt;
  std::array<std::uint64_t, machine::kMaxLanes> bits{};
  s.read_raw(*operand, 0, size, s.lanes(), bits.data(), s.enabled());
  unit::SlotWords words{};
  for (unsigned k = 0; k < s.lanes() && k < words.size(); ++k) words[k] = static_cast<std::uint32_t>(bits[k]);
  return words;
}

std::uint32_t scalar(Step& s, std::string_view name) {
  const Operand* operand = s.named(name);
  return operand == nullptr || operand->null ? 0 : static_cast<std::uint32_t>(s.read_scalar(*operand));
}

/// RTW-3: M0 from R0, M1 from the Header operand, or R1 (R2 for the upper slots) where it is null.
bool read_header(Step& s, bool slot_high, unit::RenderTargetHeader& header) {
  std::array<std::uint8_t, 32> m0{}, m1{};
  s.thread().payload(0, m0);
  const Operand* operand = s.named("header");
  if (operand != nullptr && !operand->null) {
    s.read_raw_bytes(*operand, 0, m1);
  } else if (s.thread().setup().pixels == nullptr) {
    s.refuse(operand, "run-rt-dispatch", "rt_write_3d without a header takes R1 of a pixel dispatch, and this is none");
    return false;
  } else {
    s.thread().payload(slot_high ? 64 : 32, m1);
  }
  const auto word = [](const std::array<std::uint8_t, 32>& bytes, unsigned index) {
    std::uint32_t value = 0;
    std::memcpy(&value, bytes.data() + 4 * index, 4);
    return value;
  };
  const std::uint32_t first = word(m0, 0);
  header.array_index = first >> 16 & 0x7ffu;
  header.back = (first >> 15 & 1u) != 0;
  header.sspi = first >> 6 & 7u;
  header.viewport = first >> 27 & 15u;
  for (unsigned i = 0; i < 4; ++i) {
    header.x[i] = word(m1, 2 + i) & 0xffffu;
    header.y[i] = word(m1, 2 + i) >> 16;
  }
  header.enables = word(m1, 7) & 0xffffu;
  return true;
}

void execute(Step& s) {
  const auto mode = static_cast<std::uint32_t>(s.integer("mode"));
  const auto flag = [mode](unsigned bit) { return (mode >> bit & 1u) != 0; };
  const Operand* surface_operand = operand_of_kind(s, isa::OperandKind::Surface);
  // A null render target needs no surface (RTW-16).
  const image::Surface* surface = surface_operand == nullptr || flag(kNullRt) ? nullptr : s.surface(*surface_operand);
  if (surface == nullptr && !flag(kNullRt)) return;

  unit::RenderTargetMessage m;
  m.simd = s.lanes();
  m.slot_high = s.instruction().mask_offset >= 16;  // RTW-2
  m.active = s.enabled();
  if (!read_header(s, m.slot_high, m.header)) return;
  const machine::PixelInput* pixels = s.thread().setup().pixels;
  static const machine::PixelState kDefaultState;
  const machine::PixelState& state = pixels != nullptr && pixels->state != nullptr ? *pixels->state : kDefaultState;
  if (pixels != nullptr)
    for (unsigned k = 0; k < 16; ++k) {
      const unsigned lane = k + s.instruction().mask_offset;
      if (lane >= pixels->coverage.size()) break;
      m.sample_mask[k] = pixels->coverage[lane];  // RTW-7
      m.frag_depth[k] = pixels->depth[lane];
    }
  m.rti = flag(kRti) ? scalar(s, "rti") : 0;
  if (flag(kSi)) m.si = scalar(s, "si");
  m.last = flag(kLast);
  m.per_sample = flag(kPerSample);
  m.coarse = flag(kCoarse);
  m.coarse_size = state.coarse_size;
  m.null_rt = flag(kNullRt);

  bool half = false, single = false;  // RTW-10: all alike
  for (const std::string_view name : {"r", "g", "b", "a", "s0a"})
    if (const Operand* operand = s.named(name); operand != nullptr && !operand->null)
      (operand->size == 2 ? half : single) = true;
  if (half && single) {
    s.refuse(nullptr, "visa-rt-type", "colour operands mix f and hf");
    return;
  }
  m.type = half ? unit::PayloadType::HF : unit::PayloadType::F;
  const unsigned size = half ? 2 : 4;
  m.r = slots(s, "r", size);
  m.g = slots(s, "g", size);
  m.b = slots(s, "b", size);
  m.a = slots(s, "a", size);
  if (flag(kS0a)) m.s0a = slots(s, "s0a", size);
  if (flag(kOmask)) m.omask = slots(s, "om", 2);
  if (flag(kZ)) m.z = slots(s, "z", 4);
  if (flag(kStencil)) m.stencil = slots(s, "st", 1);

  unit::OutputTargets targets;
  targets.color.push_back(const_cast<image::Surface*>(surface));  // bindings own changeable surfaces
  targets.depth = state.depth.get();
  targets.stencil = state.stencil.get();
  unit::Context& context = s.thread().unit_context();
  unit::write_render_target(context, targets, state.output, m);
  s.pass_on(context);
}

constexpr ReferenceHook kHooks[] = {{"rt_write_3d", execute}};

}  // namespace

std::span<const ReferenceHook> reference() { return kHooks; }

}  // namespace heddle::instructions::rt_write
