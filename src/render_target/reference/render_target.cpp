// SPDX-License-Identifier: MIT
// RTW-1 to RTW-22 and the depth and stencil half of the output merger (OM-1 to OM-7).
// Rules: C16, C22, C33, C52 to C54, FBO-1, FBO-3, FSR-4, FSR-5, HW-14, NUM-50, NUM-51, NUM-63, OM-2 to OM-7, OM-24,
// OM-25, PIX-21, PIX-22, RTW-2, RTW-4 to RTW-11, RTW-13, RTW-17, RTW-18, RTW-21, RTW-22.

#include "render_target/render_target.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "base/half.hpp"
#include "render_target/reference/output_merger.hpp"
#include "texture/touches.hpp"

namespace heddle::render_target {
namespace {

using image::Format;
using image::Surface;
using image::SurfaceType;

constexpr Format kD24{0x0D9}, kD16{0x10A}, kS8{0x143};
constexpr std::uint32_t kMaxCoarse = 16;

/// A depth or stencil surface as a message sees it. Its tests are told by the last message of a pixel alone (RTW-17).
class Plane {
 public:
  Plane(OperationContext& context, Surface* surface, bool stencil, const RenderTargetMessage& message,
        std::uint32_t samples)
      : context_(context) {
    if (surface == nullptr || surface->type == SurfaceType::Null) return;
    const Format format = surface->format;
    const bool known = stencil ? format == kS8 : format == Format::R32_FLOAT || format == kD24 || format == kD16;
    const std::string_view what = stencil ? "stencil" : "depth";
    if (!known || surface->is_buffer()) {
      const image::FormatInfo* info = image::format_info(format);
      context.refuse("HW-14", fmt::format("{} is no {} format", info != nullptr ? info->name : "the format", what));
      return;
    }
    if (surface->samples != samples) {
      context.refuse("RTW-7",
                     fmt::format("the {} surface has {} samples, the target {}", what, surface->samples, samples));
      return;
    }
    surface_ = surface;
    level_ = surface->rt_level;
    layer_ = target_slice(*surface, message.header.array_index) * surface->cells();
    // Who counts for the whole process hears of tests; who looks at one run sees what is drawn.
    if (message.last && context.observer != nullptr && context.observer == texture::touch_sink())
      counts_ = context.observer;
  }

  [[nodiscard]] bool present() const { return surface_ != nullptr; }
  [[nodiscard]] Format format() const { return surface_->format; }

  /// A test reads the sample, or stores to it.
  void tell(std::uint32_t x, std::uint32_t y, std::uint32_t sample, std::uint32_t slot, bool written) const {
    if (counts_ != nullptr)
      counts_->texel({surface_, level_, layer_ * surface_->samples + sample, x, y, slot, true, written});
  }
  /// nullptr: reads 0, the write is dropped (C22, RTW-21).
  [[nodiscard]] std::uint8_t* at(std::uint32_t x, std::uint32_t y, std::uint32_t sample) const {
    bool null_page = false;
    std::uint8_t* bytes =
        image::element_bytes(*surface_, level_, layer_ * surface_->samples + sample, x, y, &null_page);
    if (bytes == nullptr && !null_page)
      context_.refuse("C22", "a depth or stencil sample lies outside its surface; it reads 0");
    return bytes;
  }

 private:
  OperationContext& context_;
  Surface* surface_ = nullptr;
  std::uint32_t level_ = 0, layer_ = 0;
  texture::TexelObserver* counts_ = nullptr;
};

std::uint32_t read_word(const std::uint8_t* bytes, unsigned count) {
  std::uint32_t word = 0;
  for (unsigned i = 0; bytes != nullptr && i < count; ++i) word |= std::uint32_t{bytes[i]} << (8 * i);
  return word;
}

unsigned depth_bytes(Format format) { return format == kD16 ? 2 : 4; }

/// NUM-50, NUM-51: the stored word of a depth.
std::uint32_t quantize_depth(Format format, float z) {
  if (format == Format::R32_FLOAT) return base::bits_of(z);
  const float clamped = z != z ? 0.0f : z < 0 ? 0.0f : z > 1 ? 1.0f : z;
  if (format == kD16) return static_cast<std::uint32_t>(std::nearbyint(clamped * 65535.0f));
  return static_cast<std::uint32_t>(std::nearbyint(static_cast<double>(clamped) * 16777215.0));
}

/// What to compare: the integer of a UNORM depth, the number of a D32.
double depth_value(Format format, std::uint32_t word) {
  if (format == Format::R32_FLOAT) return base::float_from_bits(word);
  return format == kD24 ? word & 0xFFFFFFu : word;
}

/// A store that waits for the end of the message (RTW-17).
struct Update {
  std::uint8_t* bytes;
  std::uint32_t word;
  unsigned count;
};

class MessageWriter {
 public:
  MessageWriter(OperationContext& context, const OutputTargets& targets, const OutputState& state,
                const RenderTargetMessage& message)
      : state_(state),
        message_(message),
        counter_(message.last ? targets.samples_passed : nullptr),
        samples_(sample_count(targets, message)),
        color_(context, color_of(context, targets, message), state, message),
        depth_(context, targets.depth, false, message, samples_),
        stencil_(context, targets.stencil, true, message, samples_) {}

  void run() {
    for (std::uint32_t slot = 0; slot < message_.simd; ++slot) {
      // RTW-4 [C52]
      if ((message_.active >> slot & message_.header.enables >> slot & 1) != 0) run_slot(slot);
    }
    if (counter_ != nullptr && passed_ != 0) counter_->fetch_add(passed_, std::memory_order_relaxed);
    if (!message_.last) return;
    for (const Update& update : updates_)
      for (unsigned i = 0; i < update.count; ++i) update.bytes[i] = static_cast<std::uint8_t>(update.word >> (8 * i));
  }

 private:
  static const Surface* color_of(OperationContext& context, const OutputTargets& targets,
                                 const RenderTargetMessage& message) {
    if (message.target < targets.color.size()) return targets.color[message.target];
    if (!message.null_rt && !targets.color.empty())
      context.refuse("C22", fmt::format("there is no target {}", message.target));
    return nullptr;
  }

  /// Samples of a pixel: the target's; without one, those of depth or stencil, or of the dispatch.
  static std::uint32_t sample_count(const OutputTargets& targets, const RenderTargetMessage& message) {
    const Surface* color = message.target < targets.color.size() ? targets.color[message.target] : nullptr;
    for (const Surface* surface :
         {color, static_cast<const Surface*>(targets.depth), static_cast<const Surface*>(targets.stencil)})
      if (surface != nullptr && surface->type != SurfaceType::Null) return surface->samples;
    return targets.samples;
  }

  void run_slot(std::uint32_t slot) {
    const RenderTargetHeader& header = message_.header;
    std::uint32_t subspan = slot >> 2;
    std::uint32_t samples = (samples_ >= 16 ? 0xFFFFu : (1u << samples_) - 1);
    if (message_.per_sample && samples_ > 1) {                                 // RTW-6 [C16]
      const std::uint32_t sspi = (header.sspi | message_.si.value_or(0)) & 7;  // RTW-11 [C54]
      const std::uint32_t k = slot >> 2;
      subspan = 0;
      std::uint32_t sample = 2 * sspi + k;
      if (message_.simd == 16 && samples_ == 2) subspan = slot >> 3, sample = k & 1;
      if (message_.simd == 16 && samples_ == 4) sample = k;
      if (sample >= samples_) return;
      samples = 1u << sample;
    }
    if (message_.fragment_size != std::array<std::uint32_t, 2>{1, 1}) return run_fragment(slot, samples);
    samples &= message_.sample_mask[slot];                   // RTW-7
    if (message_.omask) samples &= (*message_.omask)[slot];  // RTW-8
    const std::uint32_t width = message_.coarse ? message_.coarse_size[0] : 1,
                        height = message_.coarse ? message_.coarse_size[1] : 1;
    const std::uint32_t x0 = (header.x[subspan] & 0xFFFF) + (slot & 1) * width,
                        y0 = (header.y[subspan] & 0xFFFF) + (slot >> 1 & 1) * height;  // RTW-5, RTW-18
    prepare(slot);
    for (std::uint32_t y = y0; y < y0 + height; ++y)
      for (std::uint32_t x = x0; x < x0 + width; ++x) run_pixel(slot, x, y, samples);
  }

  /// FSR-5: each pixel of a fragment, with the samples that are covered there. `all`: of a pixel.
  void run_fragment(std::uint32_t slot, std::uint32_t all) {
    const RenderTargetHeader& header = message_.header;
    const auto [width, height] = message_.fragment_size;
    const std::uint32_t x0 = (header.x[slot >> 2] & 0xFFFF) + (slot & 1) * width,
                        y0 = (header.y[slot >> 2] & 0xFFFF) + (slot >> 1 & 1) * height;
    std::uint32_t covered = message_.sample_mask[slot];
    if (message_.omask) covered &= (*message_.omask)[slot];
    prepare(slot);
    for (std::uint32_t y = 0; y < height; ++y)
      for (std::uint32_t x = 0; x < width; ++x) {
        first_sample_ = samples_ * (width * height - 1 - (x + y * width));  // FSR-4
        run_pixel(slot, x0 + x, y0 + y, covered >> first_sample_ & all);
      }
    first_sample_ = 0;
  }

  /// Words of the payload as binary32 bits, or integer words for integer targets (RTW-10, NUM-63).
  std::uint32_t payload(const std::optional<SlotWords>& words, std::uint32_t slot, bool integer) const {
    if (!words) return 0;  // C53
    const std::uint32_t word = (*words)[slot];
    if (message_.type == PayloadType::F) return word;
    // C33: integer targets take the 16 bits as they are.
    if (!integer) return base::bits_of(base::half_to_float(static_cast<std::uint16_t>(word)));
    const bool is_signed = color_.is_signed();
    return is_signed ? static_cast<std::uint32_t>(static_cast<std::int32_t>(static_cast<std::int16_t>(word)))
                     : word & 0xFFFF;
  }

  void prepare(std::uint32_t slot) {
    const bool integer = color_.integer();
    words_ = {payload(message_.r, slot, integer), payload(message_.g, slot, integer),
              payload(message_.b, slot, integer), payload(message_.a, slot, integer)};
    for (unsigned c = 0; c < 4; ++c) second_[c] = base::float_from_bits(payload(message_.second[c], slot, false));
    // RTW-9: source-0 alpha stands in for A in alpha to coverage and alpha test; an integer A alone takes no part in
    // them.
    has_alpha_ = message_.s0a.has_value() || !integer;
    alpha_ = base::float_from_bits(message_.s0a ? payload(message_.s0a, slot, false) : integer ? 0 : words_[3]);
    if (message_.line_coverage && message_.rti == 0 && !integer) {  // OM-25
      const float part = (*message_.line_coverage)[slot];
      words_[3] = base::bits_of(base::float_from_bits(words_[3]) * part);
      alpha_ *= part;
    }
    alpha_mask_ = 0xFFFF;
    if (state_.alpha_to_coverage && !state_.alpha_to_coverage_disabled_by_shader && has_alpha_) {  // OM-2
      if (samples_ > 1)
        alpha_mask_ = alpha_coverage(alpha_);
      else if (state_.alpha_to_coverage_single && !(alpha_ >= 0.5f))
        alpha_mask_ = 0;
    }
    if (state_.alpha_to_one) {  // OM-3
      alpha_ = 1.0f;
      if (!integer) words_[3] = base::bits_of(1.0f);
      second_[3] = 1.0f;
    }
  }

  [[nodiscard]] bool alpha_test() const {  // OM-4
    if (!state_.alpha_test || !has_alpha_) return true;
    if (state_.alpha_format == image::AlphaFormat::Float32)
      return compare_values(state_.alpha_func, alpha_, state_.alpha_ref);
    const auto unorm8 = [](float x) { return std::nearbyint((x != x ? 0.0f : std::clamp(x, 0.0f, 1.0f)) * 255.0f); };
    return compare_values(state_.alpha_func, unorm8(alpha_), unorm8(state_.alpha_ref));
  }

  void run_pixel(std::uint32_t slot, std::uint32_t x, std::uint32_t y, std::uint32_t samples) {
    if (color_.present() && !color_.covers(x, y)) return;  // RTW-13
    if (!alpha_test()) return;
    for (std::uint32_t rest = samples & alpha_mask_; rest != 0; rest &= rest - 1) {
      const auto sample = static_cast<std::uint32_t>(std::countr_zero(rest));
      if (!depth_stencil(slot, x, y, sample)) continue;
      ++passed_;
      if (message_.survivors != nullptr) (*message_.survivors)[slot] |= 1u << (first_sample_ + sample);
      color_.write(x, y, sample, slot, words_, second_);
    }
  }

  /// OM-5 to OM-7; true when the sample survives.
  bool depth_stencil(std::uint32_t slot, std::uint32_t x, std::uint32_t y, std::uint32_t sample) {
    const bool back = state_.double_sided && message_.header.back;
    const image::StencilFace& face = back ? state_.back : state_.front;
    const bool bounded = state_.depth_bounds_test && depth_.present();
    if (bounded) depth_.tell(x, y, sample, slot, false);
    if (bounded && !in_depth_bounds(x, y, sample)) return false;
    const bool with_stencil = state_.stencil_test && stencil_.present();
    std::uint8_t* stencil_bytes = with_stencil ? stencil_.at(x, y, sample) : nullptr;
    const auto stored = static_cast<std::uint8_t>(read_word(stencil_bytes, 1));
    const std::uint8_t ref =
        message_.stencil ? static_cast<std::uint8_t>((*message_.stencil)[slot]) : face.ref;  // RTW-9
    if (with_stencil) stencil_.tell(x, y, sample, slot, false);
    const auto update_stencil = [&](StencilOp op) {
      if (!with_stencil || !state_.stencil_write || stencil_bytes == nullptr) return;
      if (op != StencilOp::Keep && face.write_mask != 0) stencil_.tell(x, y, sample, slot, true);
      const std::uint8_t result = stencil_result(op, stored, ref);
      updates_.push_back(
          {stencil_bytes, static_cast<std::uint32_t>((stored & ~face.write_mask) | (result & face.write_mask)), 1});
    };
    if (with_stencil && !compare_values(face.func, ref & face.test_mask, stored & face.test_mask)) {
      update_stencil(face.fail_op);
      return false;
    }
    const bool with_depth = depth_.present() && (state_.depth_test || state_.depth_write);
    std::uint8_t* depth_at = with_depth ? depth_.at(x, y, sample) : nullptr;
    const std::uint32_t z = with_depth ? quantize_depth(depth_.format(), fragment_depth(slot, sample)) : 0;
    if (with_depth && state_.depth_test) {
      if (!bounded) depth_.tell(x, y, sample, slot, false);
      const std::uint32_t word = read_word(depth_at, depth_bytes(depth_.format()));
      if (!compare_values(state_.depth_func, depth_value(depth_.format(), z), depth_value(depth_.format(), word))) {
        update_stencil(face.zfail_op);
        return false;
      }
    }
    update_stencil(face.pass_op);
    if (with_depth && state_.depth_write && depth_at != nullptr) {
      updates_.push_back({depth_at, z, depth_bytes(depth_.format())});
      depth_.tell(x, y, sample, slot, true);
    }
    return true;
  }

  /// OM-24: the depth that is stored.
  [[nodiscard]] bool in_depth_bounds(std::uint32_t x, std::uint32_t y, std::uint32_t sample) const {
    const std::uint32_t word = read_word(depth_.at(x, y, sample), depth_bytes(depth_.format()));
    const double stored = depth_value(depth_.format(), word) / (depth_.format() == kD24   ? 16777215.0
                                                                : depth_.format() == kD16 ? 65535.0
                                                                                          : 1.0);
    return stored >= static_cast<double>(state_.depth_bounds[0]) &&
           stored <= static_cast<double>(state_.depth_bounds[1]);
  }

  /// OM-6: clamped to the viewport; a NaN stays.
  [[nodiscard]] float fragment_depth(std::uint32_t slot, std::uint32_t sample) const {
    const float z =
        message_.z ? base::float_from_bits((*message_.z)[slot])
        : message_.sample_depths != nullptr
            ? base::float_from_bits(
                  message_.sample_depths[std::size_t{first_sample_ + sample} * message_.sample_depth_pitch + slot])
            : message_.frag_depth[slot];
    const auto& range = message_.header.viewport < state_.viewport_count
                            ? state_.viewports[message_.header.viewport & 15]
                            : state_.depth_range;
    return z < range[0] ? range[0] : z > range[1] ? range[1] : z;
  }

  const OutputState& state_;
  const RenderTargetMessage& message_;
  std::atomic<std::uint64_t>* counter_;
  std::uint64_t passed_ = 0;  ///< samples
  std::uint32_t samples_;
  std::uint32_t first_sample_ = 0;  ///< coverage index of the pixel's sample 0
  ColorWriter color_;
  Plane depth_, stencil_;
  std::vector<Update> updates_;
  // Of the slot in work:
  std::array<std::uint32_t, 4> words_{};
  std::array<float, 4> second_{};
  float alpha_ = 0;
  bool has_alpha_ = true;
  std::uint32_t alpha_mask_ = 0xFFFF;
};

}  // namespace

void write_render_target(OperationContext& context, const OutputTargets& targets, const OutputState& state,
                         const RenderTargetMessage& message) {
  if (message.simd != 8 && message.simd != 16)
    return context.refuse("RTW-2", fmt::format("exec size {} of a render-target write: 8 or 16", message.simd));
  if (message.rti > 7)
    context.warn("RTW-22", fmt::format("render-target index {}: 0 to 7; the low three bits are used", message.rti));
  if (message.coarse && (message.coarse_size[0] - 1 >= kMaxCoarse || message.coarse_size[1] - 1 >= kMaxCoarse))
    return context.refuse("RTW-18",
                          fmt::format("coarse pixels of {}x{}", message.coarse_size[0], message.coarse_size[1]));
  MessageWriter(context, targets, state, message).run();
}

}  // namespace heddle::render_target
