// SPDX-License-Identifier: MIT
#include "instructions/render_cache/render_target.hpp"

#include <algorithm>
#include <cstring>

#include "instructions/data_port/memory.hpp"
#include "machine/pixels.hpp"
#include "machine/sanitizer/memory_watch.hpp"

namespace heddle::instructions {

using machine::ExecutionContext;
using machine::Operand;

render_target::RenderTargetHeader target_header(const HeaderWords& m0, const HeaderWords& m1) {
  render_target::RenderTargetHeader header;
  const machine::PixelHeader first = machine::PixelHeader::unpack(m0[0]);
  header.array_index = first.layer;
  header.back = first.back;
  header.sspi = first.sspi;
  header.viewport = first.viewport;
  for (unsigned i = 0; i < 4; ++i) {
    header.x[i] = m1[2 + i] & 0xffffu;
    header.y[i] = m1[2 + i] >> 16;
  }
  header.enables = m1[7] & 0xffffu;
  return header;
}

HeaderWords payload_words(ExecutionContext& s, std::uint32_t offset) {
  std::array<std::uint8_t, 32> bytes{};
  s.thread().payload(offset, bytes);
  HeaderWords words{};
  std::memcpy(words.data(), bytes.data(), bytes.size());
  return words;
}

std::optional<HeaderWords> dispatched_positions(ExecutionContext& s, bool slot_high, const Operand* operand) {
  if (s.thread().setup().pixels != nullptr) return payload_words(s, slot_high ? 64 : 32);
  s.refuse(operand, "run-rt-dispatch",
           "a render target write without a header takes R1 of a pixel dispatch, and this is none");
  return std::nullopt;
}

render_target::SlotWords slot_words(ExecutionContext& s, const Operand& operand, unsigned size,
                                    std::optional<std::uint32_t> read) {
  std::array<std::uint64_t, machine::kMaxLanes> bits{};
  s.read_raw(operand, 0, size, s.lanes(), bits.data(), read.value_or(s.enabled()));
  render_target::SlotWords words{};
  for (unsigned k = 0; k < s.lanes() && k < words.size(); ++k) words[k] = static_cast<std::uint32_t>(bits[k]);
  return words;
}

namespace {

const machine::PixelState& state_of(const machine::PixelInput* pixels) {
  static const machine::PixelState kDefaultState;
  return pixels != nullptr && pixels->state != nullptr ? *pixels->state : kDefaultState;
}

bool takes_source_alpha(image::BlendFactor factor) {
  using enum image::BlendFactor;
  return factor == SrcAlpha || factor == InvSrcAlpha || factor == SrcAlphaSaturate;
}

bool takes_second_color(image::BlendFactor factor) {
  using enum image::BlendFactor;
  return factor == Src1Color || factor == InvSrc1Color;
}

bool takes_second_alpha(image::BlendFactor factor) {
  using enum image::BlendFactor;
  return factor == Src1Alpha || factor == InvSrc1Alpha;
}

}  // namespace

/// What the factors of the channels that are stored read (OM-9, OM-21).
void ReadParts::take_factors(const image::BlendEntry& blend, bool independent_alpha) {
  const std::array<bool, 4> stored = colors_;
  if (blend.advanced.op != image::AdvancedBlendOp::Off) {  // OM-26: all of the color goes into each channel
    const bool any = stored[0] || stored[1] || stored[2];
    colors_ = {any, any, any, any || stored[3]};
    return;
  }
  const auto take = [&](unsigned channel, image::BlendFunction function, image::BlendFactor factor) {
    if (!stored[channel] || function == image::BlendFunction::Min || function == image::BlendFunction::Max) return;
    colors_[3] = colors_[3] || takes_source_alpha(factor);
    second_[3] = second_[3] || takes_second_alpha(factor);
    second_[channel] = second_[channel] || takes_second_color(factor);
  };
  for (unsigned c = 0; c < 4; ++c) {
    const bool alpha = c == 3 && independent_alpha;
    const image::BlendFunction function = alpha ? blend.alpha_blend_func : blend.color_func;
    take(c, function, alpha ? blend.src_alpha : blend.src_color);
    take(c, function, alpha ? blend.dst_alpha : blend.dst_color);
  }
}

ReadParts::ReadParts(ExecutionContext& s, const image::Surface* surface, unsigned index) {
  const machine::PixelInput* pixels = s.thread().setup().pixels;
  const machine::PixelState& state = state_of(pixels);
  lanes_ = s.enabled();
  if (pixels != nullptr)
    for (unsigned k = 0; k < s.lanes(); ++k)
      if (pixels->coverage[(k + s.instruction().mask_offset) % pixels->coverage.size()] == 0) lanes_ &= ~(1u << k);
  const image::OutputState& output = state.output;
  const image::BlendEntry& blend = output.blend[std::min<std::size_t>(index, output.blend.size() - 1)];
  for (unsigned c = 0; c < 4 && surface != nullptr; ++c)
    colors_[c] = surface->info().has_channel("RGBA"[c]) && !blend.write_disable[c];
  coverage_from_alpha_ = output.alpha_to_coverage && !output.alpha_to_coverage_disabled_by_shader;
  if (blend.enable) take_factors(blend, output.independent_alpha);
  if (output.alpha_to_one) colors_[3] = second_[3] = false;  // OM-3
  colors_[3] = colors_[3] || output.alpha_test || (coverage_from_alpha_ && index == 0);
  depth_ = state.depth != nullptr && (output.depth_test || output.depth_write);
  stencil_ = state.stencil != nullptr && (output.stencil_test || output.stencil_write);
}

void write_target(ExecutionContext& s, const image::Surface* surface, render_target::RenderTargetMessage& m,
                  unsigned first_lane) {
  const machine::PixelInput* pixels = s.thread().setup().pixels;
  const machine::PixelState& state = state_of(pixels);
  if (state.line_coverage) m.line_coverage.emplace();
  if (pixels != nullptr)
    for (unsigned k = 0; k < 16; ++k) {
      const unsigned lane = k + first_lane;
      if (lane >= pixels->coverage.size()) break;
      m.sample_mask[k] = pixels->coverage[lane];  // RTW-7
      if (m.line_coverage) (*m.line_coverage)[k] = pixels->line_coverage[lane];
    }
  if (pixels != nullptr) {
    m.sample_depths = pixels->depth[0].data() + first_lane;
    m.sample_depth_pitch = pixels->depth_pitch;
  }
  m.coarse_size = state.coarse_size;
  if (pixels != nullptr && state.shading_rates) m.fragment_size = pixels->fragment_size;
  render_target::OutputTargets targets;
  targets.color.push_back(const_cast<image::Surface*>(surface));  // bindings own changeable surfaces
  targets.depth = state.depth.get();
  targets.stencil = state.stencil.get();
  targets.samples = state.samples;
  targets.samples_passed = state.samples_passed.get();
  texture::OperationContext& context = s.thread().unit_context();
  const machine::WatchedTarget watched(s, surface);
  render_target::write_render_target(context, targets, state.output, m);
  s.pass_on(context);
}

void read_target(ExecutionContext& s, const image::Surface& surface, const render_target::RenderTargetHeader& header,
                 bool per_sample, unsigned first_slot, const Operand& destination) {
  render_target::RenderTargetRead read;
  read.simd = std::min(s.lanes(), 16u);
  read.active = s.enabled() >> first_slot & 0xffffu;
  read.header = header;
  read.per_sample = per_sample;
  texture::OperationContext& context = s.thread().unit_context();
  const texture::LaneResult result = render_target::read_render_target(context, surface, read);
  s.pass_on(context);
  for (unsigned c = 0; c < 4; ++c) {
    machine::Lanes values{};
    for (unsigned k = 0; k < read.simd; ++k) values[first_slot + k] = result.channels[c][k];
    s.write_raw(destination, c * component_stride(s, 4), 4, s.lanes(), values.data(), read.active << first_slot);
  }
}

}  // namespace heddle::instructions
