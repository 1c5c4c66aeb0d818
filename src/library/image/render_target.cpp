// SPDX-License-Identifier: MIT
#include "heddle/render_target.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "library/image/impl.hpp"
#include "render_target/render_target.hpp"

namespace heddle {
namespace {

image::BlendFactor factor(BlendFactor value) {
  using F = image::BlendFactor;
  constexpr std::array<F, 15> kFactors{F::Zero,       F::One,           F::SrcColor,        F::InvSrcColor,
                                       F::DstColor,   F::InvDstColor,   F::SrcAlpha,        F::InvSrcAlpha,
                                       F::DstAlpha,   F::InvDstAlpha,   F::ConstColor,      F::InvConstColor,
                                       F::ConstAlpha, F::InvConstAlpha, F::SrcAlphaSaturate};
  return kFactors[static_cast<std::size_t>(value) % kFactors.size()];
}

image::BlendFunction function(BlendOp op) { return static_cast<image::BlendFunction>(op); }

image::StencilOp operation(StencilOp op) {
  using S = image::StencilOp;
  constexpr std::array<S, 8> kOperations{S::Keep,    S::Zero,   S::Replace, S::IncrSat,
                                         S::DecrSat, S::Invert, S::Incr,    S::Decr};
  return kOperations[static_cast<std::size_t>(op) % kOperations.size()];
}

image::CompareFunction comparison(CompareOp op) {
  using C = image::CompareFunction;
  constexpr std::array<C, 8> kFunctions{C::Never,   C::Less,     C::Equal,  C::Lequal,
                                        C::Greater, C::Notequal, C::Gequal, C::Always};
  return kFunctions[static_cast<std::size_t>(op) % kFunctions.size()];
}

image::BlendEntry entry_of(const BlendState& b) {
  image::BlendEntry e;
  e.enable = b.enable;
  e.src_color = factor(b.src_color);
  e.dst_color = factor(b.dst_color);
  e.color_func = function(b.color_op);
  e.src_alpha = factor(b.src_alpha);
  e.dst_alpha = factor(b.dst_alpha);
  e.alpha_blend_func = function(b.alpha_op);
  for (std::size_t c = 0; c < 4; ++c) e.write_disable[c] = !b.write[c];
  return e;
}

}  // namespace

image::OutputState library::output_state(const OutputState& s) {
  image::OutputState state;
  state.independent_alpha = true;
  for (std::size_t i = 0; i < s.blend.size(); ++i) state.blend[i] = entry_of(s.blend[i]);
  state.constant = s.blend_constant;
  state.depth_test = s.depth_test;
  state.depth_write = s.depth_write;
  state.depth_func = comparison(s.depth_compare);
  if (s.stencil) {
    state.stencil_test = true;
    state.stencil_write = s.stencil->write_mask != 0;
    state.front.func = comparison(s.stencil->compare);
    state.front.fail_op = operation(s.stencil->fail);
    state.front.zfail_op = operation(s.stencil->depth_fail);
    state.front.pass_op = operation(s.stencil->pass);
    state.front.ref = s.stencil->reference;
    state.front.test_mask = s.stencil->read_mask;
    state.front.write_mask = s.stencil->write_mask;
  }
  return state;
}

namespace {

std::optional<Diagnostic> problem(const RenderTargets& targets, std::size_t colors, const OutputState& state) {
  if (targets.color.size() > 8 || state.blend.size() > 8)
    return library::wrong_argument(fmt::format("{} color targets are too many; 8 is the most",
                                               std::max(targets.color.size(), state.blend.size())));
  if (colors != targets.color.size())
    return library::wrong_argument(fmt::format("the pixel has {} colors for {} targets", colors, targets.color.size()));
  for (std::size_t i = 0; i < targets.color.size(); ++i)
    if (targets.color[i].empty()) return library::empty_image(fmt::format("color target {}", i));
  return std::nullopt;
}

/// Words of one pixel.
struct PixelWords {
  std::uint32_t x = 0, y = 0, layer = 0, depth = 0, coverage = 0xFFFF;
  std::array<std::array<std::uint32_t, 4>, 8> colors{};  ///< by target
};

/// Writes pixels to the same targets under the same state.
class PixelWriter {
 public:
  PixelWriter(const RenderTargets& targets, const OutputState& state) : state_(library::output_state(state)) {
    for (const Image& image : targets.color) surfaces_.color.push_back(&library::surface_of(image));
    if (!targets.depth.empty()) surfaces_.depth = &library::surface_of(targets.depth);
    if (!targets.stencil.empty()) surfaces_.stencil = &library::surface_of(targets.stencil);
  }
  void write(const PixelWords& pixel) {
    // RTW-5: the slot of the pixel in its subspan.
    render_target::RenderTargetMessage message;
    message.active = message.header.enables = 1u << ((pixel.x & 1) | (pixel.y & 1) << 1);
    message.header.x[0] = pixel.x & ~1u;
    message.header.y[0] = pixel.y & ~1u;
    message.header.array_index = pixel.layer;
    message.sample_mask.fill(pixel.coverage);
    message.frag_depth.fill(__builtin_bit_cast(float, pixel.depth));
    const std::size_t count = surfaces_.color.size();
    message.null_rt = count == 0;
    for (std::size_t i = 0; i < std::max<std::size_t>(count, 1); ++i) {
      message.target = message.rti = static_cast<std::uint32_t>(i);
      message.last = i + 1 >= count;
      if (i < count) {
        const auto filled = [&](std::size_t c) {
          return render_target::RenderTargetMessage::filled(pixel.colors[i][c]);
        };
        message.r = filled(0), message.g = filled(1), message.b = filled(2), message.a = filled(3);
      }
      render_target::write_render_target(context_, surfaces_, state_, message);
    }
  }
  [[nodiscard]] bool failed() const { return context_.reports.has_errors(); }
  Result<Done> finish() {
    if (failed()) return library::to_public(context_.reports.all());
    return Done{};
  }

 private:
  render_target::OutputTargets surfaces_;
  image::OutputState state_;
  texture::OperationContext context_;
};

std::uint32_t word_at(const ArrayInput& input, std::size_t element, std::uint32_t missing) {
  if (input.first == nullptr) return missing;
  std::uint32_t word = 0;
  std::memcpy(&word,
              static_cast<const std::uint8_t*>(input.first) + static_cast<std::ptrdiff_t>(element) * input.stride,
              sizeof word);
  return word;
}

}  // namespace

Result<Done> write_pixel(RenderTargets& targets, const Pixel& pixel, const OutputState& state) {
  if (auto wrong = problem(targets, pixel.colors.size(), state)) return *wrong;
  PixelWords words{.x = pixel.x, .y = pixel.y, .layer = pixel.layer};
  words.depth = __builtin_bit_cast(std::uint32_t, pixel.depth);
  for (std::size_t i = 0; i < pixel.colors.size(); ++i) words.colors[i] = Color::of(pixel.colors[i]).words;
  PixelWriter writer(targets, state);
  writer.write(words);
  return writer.finish();
}

Result<Done> write_pixels(RenderTargets& targets, const PixelArrays& pixels, const OutputState& state) {
  if (auto wrong = problem(targets, pixels.colors.size(), state)) return *wrong;
  PixelWriter writer(targets, state);
  PixelWords words;
  for (std::size_t k = 0; k < pixels.count && !writer.failed(); ++k) {
    words.x = word_at(pixels.x, k, 0), words.y = word_at(pixels.y, k, 0), words.layer = word_at(pixels.layer, k, 0);
    words.depth = word_at(pixels.depth, k, 0);
    words.coverage = word_at(pixels.coverage, k, 0xFFFF);
    for (std::size_t i = 0; i < pixels.colors.size(); ++i)
      for (std::size_t c = 0; c < 4; ++c) words.colors[i][c] = word_at(pixels.colors[i][c], k, 0);
    writer.write(words);
  }
  return writer.finish();
}

Result<Done> write_pixel(Image& target, std::uint32_t x, std::uint32_t y, const std::array<float, 4>& rgba,
                         const BlendState& blend) {
  RenderTargets targets;
  targets.color.push_back(target);
  Pixel pixel;
  pixel.x = x;
  pixel.y = y;
  pixel.colors.push_back(rgba);
  OutputState state;
  state.blend.push_back(blend);
  return write_pixel(targets, pixel, state);
}

Result<Done> resolve(const Image& from, Image& to) {
  if (from.empty()) return library::empty_image("the image of samples");
  if (to.empty()) return library::empty_image("the image to resolve into");
  return library::done(render_target::resolve_samples(library::surface_of(from), library::surface_of(to)));
}

}  // namespace heddle
