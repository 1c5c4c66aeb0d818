// SPDX-License-Identifier: MIT
// OM-8 to OM-14: clamp, blend, sRGB, dither, logic operation, write mask, store. RTW-12 to RTW-15, RTW-21.

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <span>

#include "base/half.hpp"
#include "render_target/reference/output_merger.hpp"

namespace heddle::render_target {
namespace {

using image::ChannelType;
using image::FormatInfo;
using image::Surface;
using image::SurfaceType;
using image::Texel;

/// NUM-5.
float clamp(float x, float low, float high) { return x != x ? 0.0f : x < low ? low : x > high ? high : x; }

/// Result component of a channel of the table: R and L red ... A alpha; -1 for X and others.
int component_of(char name) {
  switch (name) {
    case 'R':
    case 'L':
    case 'I':
      return 0;
    case 'G':
      return 1;
    case 'B':
      return 2;
    case 'A':
      return 3;
    default:
      return -1;
  }
}

std::uint32_t get_bits(const std::uint8_t* element, unsigned start, unsigned count) {
  std::uint32_t value = 0;
  for (unsigned i = 0; i < count; ++i) value |= std::uint32_t{element[(start + i) / 8] >> ((start + i) % 8) & 1u} << i;
  return value;
}

void put_bits(std::uint8_t* element, unsigned start, unsigned count, std::uint32_t value) {
  for (unsigned i = 0; i < count; ++i) {
    std::uint8_t& byte = element[(start + i) / 8];
    const unsigned bit = (start + i) % 8;
    byte = static_cast<std::uint8_t>((byte & ~(1u << bit)) | ((value >> i & 1u) << bit));
  }
}

bool has_support(const FormatInfo& format, bool image::Support::* letter) {
  return std::ranges::any_of(format.support, [&](const image::Support& support) { return support.*letter; });
}

}  // namespace

std::uint32_t target_slice(const Surface& surface, std::uint32_t array_index) {
  if (surface.is_buffer()) return 0;
  const std::uint32_t last = surface.type == SurfaceType::Cube ? 5 : surface.rt_extent;
  return surface.min_array_element + (array_index > last ? 0 : array_index);
}

ColorWriter::ColorWriter(OperationContext& context, const Surface* surface, const OutputState& state,
                         const RenderTargetMessage& message)
    : context_(context), state_(state), entry_(state.blend[message.rti & 7]) {
  if (surface == nullptr || surface->type == SurfaceType::Null || message.null_rt) return;  // RTW-16
  format_ = image::format_info(surface->format);
  if (format_ == nullptr || !image::encodable(*format_)) {
    context.refuse("RTW-10",
                   fmt::format("{} can't be written", format_ != nullptr ? format_->name : "the target's format"));
    return;
  }
  if (!has_support(*format_, &image::Support::render))
    context.warn("RTW-10", fmt::format("{} is no render-target format", format_->name));
  const auto generation = generation_of(context.platform);
  if (generation && !format_->support[static_cast<unsigned>(*generation)].render)
    context.warn("RTW-10",
                 fmt::format("{} is no render-target format of platform {}", format_->name, name_of(context.platform)));
  level_ = surface->rt_level;
  if (surface->is_buffer()) {
    width_ = static_cast<std::uint32_t>(std::min<std::uint64_t>(surface->entries, UINT32_MAX));
    height_ = UINT32_MAX;  // RTW-13: x only
  } else {
    if (level_ >= surface->layout.size()) {
      context.refuse("C22", fmt::format("level {} is not stored by the target", level_));
      return;
    }
    width_ = surface->level_width(level_);
    height_ = surface->type == SurfaceType::Dim1 ? UINT32_MAX : surface->level_height(level_);
    // RTW-15: the memory holds the turned image.
    if (surface->rotation == 90 || surface->rotation == 270) std::swap(width_, height_);
  }
  layer_ = target_slice(*surface, message.header.array_index) * (surface->is_buffer() ? 1 : surface->cells());
  surface_ = surface;
  integer_ = format_->value_class != image::ValueClass::Float;
  choose_blending(state, entry_);
  for (unsigned c = 0; c < 4; ++c) {
    switch (entry_.clamp_range) {
      case image::ClampRange::Unorm:
        clamp_[c] = {true, 0.0f, 1.0f};
        break;
      case image::ClampRange::Snorm:
        clamp_[c] = {true, -1.0f, 1.0f};
        break;
      case image::ClampRange::Target:
        clamp_[c] = target_range(c);
        break;
    }
  }
  route_channels();
}

void ColorWriter::choose_blending(const OutputState& state, const BlendEntry& entry) {
  logic_ = entry.logic_op_enable;
  blending_ = entry.enable && !entry.logic_op_enable && !integer_;
  if (entry.enable && integer_) context_.warn("OM-9", fmt::format("{} can't be blended", format_->name));
  if (blending_ && !has_support(*format_, &image::Support::blend)) {
    context_.warn("OM-9", fmt::format("{} can't be blended", format_->name));
    blending_ = false;
  }
  if (entry.enable && entry.logic_op_enable)
    context_.warn("OM-13", "blending and logic operation are both enabled; blending is off");
  if (!logic_) return;
  // The bits of such a channel are an integer.
  const auto has_bits = [&](ChannelType type) {
    if (type == ChannelType::Unorm || type == ChannelType::Unused) return true;
    return state.logic_op_integers &&
           (type == ChannelType::Snorm || type == ChannelType::Uint || type == ChannelType::Sint);
  };
  const bool integers =
      (!integer_ || state.logic_op_integers) && !format_->is_srgb() &&
      format_->compression == image::Compression::None &&
      std::all_of(format_->channels.begin(), format_->channels.begin() + format_->channel_count,
                  [&](const image::Channel& c) { return component_of(c.name) < 0 || has_bits(c.type); });
  if (!integers) {
    context_.warn("OM-13",
                  fmt::format("logic operations are for {} targets, not {}; COPY is used",
                              state.logic_op_integers ? "UNORM, SNORM, UINT and SINT" : "UNORM", format_->name));
    logic_ = false;
  }
}

/// RTW-14: shader channel c goes to surface channel swizzle[c]; the first one wins.
void ColorWriter::route_channels() {
  routed_.fill(-1);
  for (int c = 0; c < 4; ++c) {
    const auto select = static_cast<unsigned>(surface_->swizzle[static_cast<unsigned>(c)]);
    if (select >= 4 && routed_[select - 4] < 0) routed_[select - 4] = c;
  }
  const std::span channels(format_->channels.begin(), format_->channel_count);
  for (unsigned c = 0; c < 4; ++c) written_[c] = routed_[c] >= 0 && !entry_.write_disable[c];
  joined_ = format_->compression != image::Compression::None || std::ranges::any_of(channels, [](const auto& c) {
              return c.type == ChannelType::SharedExponent || c.name == 'E';
            });
  whole_ = !joined_ && !logic_ && !state_.dither && std::ranges::all_of(channels, [&](const image::Channel& c) {
    const int component = component_of(c.name);
    return component < 0 || c.type == ChannelType::Unused || written_[static_cast<unsigned>(component)];
  });
}

/// OM-8 [C23]: the range of the target's own type.
ColorWriter::Range ColorWriter::target_range(unsigned component) const {
  constexpr Range kSharedExponentRange{true, 0.0f, 65408.0f};
  const image::Channel* channel = nullptr;
  for (unsigned i = 0; i < format_->channel_count; ++i) {
    const image::Channel& candidate = format_->channels[i];
    if (component_of(candidate.name) < 0 || candidate.type == ChannelType::Unused) continue;
    if (channel == nullptr || component_of(candidate.name) == static_cast<int>(component)) channel = &candidate;
  }
  if (channel == nullptr) return {};
  switch (channel->type) {
    case ChannelType::Unorm:
      return {true, 0.0f, 1.0f};
    case ChannelType::Snorm:
      return {true, -1.0f, 1.0f};
    case ChannelType::Float:
      return channel->bits == 16 ? Range{true, -65504.0f, 65504.0f} : Range{};
    case ChannelType::SharedExponent:
      return kSharedExponentRange;
    case ChannelType::UnsignedFloat: {
      if (channel->exponent_bits == 0) return kSharedExponentRange;  // a fraction of R9G9B9E5
      // The greatest finite value: 11 bits 65024, 10 bits 64512; with four exponent bits 254.
      const unsigned fraction = channel->bits - channel->exponent_bits;
      const int bias = (1 << (channel->exponent_bits - 1)) - 1;
      return {true, 0.0f, std::ldexp(2.0f - std::ldexp(1.0f, -static_cast<int>(fraction)), bias)};
    }
    default:
      return {};
  }
}

void ColorWriter::clamp_all(std::array<float, 4>& color) const {
  for (unsigned c = 0; c < 4; ++c)
    if (clamp_[c].bounded) color[c] = clamp(color[c], clamp_[c].low, clamp_[c].high);
}

/// OM-8 to OM-10.
std::array<float, 4> ColorWriter::merge(const std::array<float, 4>& source, const std::array<float, 4>& second,
                                        const std::uint8_t* element, std::uint32_t x) const {
  std::array<float, 4> result = source;
  if (entry_.pre_blend_clamp) clamp_all(result);
  if (blending_) {
    BlendColors colors;
    const Texel stored = image::decode_texel(*format_, element, x % format_->block_width, 0);
    for (unsigned c = 0; c < 4; ++c) colors.destination[c] = stored.f(static_cast<int>(c));
    colors.source = result;
    colors.second = second;
    colors.constant = state_.constant;
    if (entry_.pre_blend_clamp) {
      clamp_all(colors.second);
      if (!entry_.pre_blend_src_only_clamp) {
        clamp_all(colors.destination);
        clamp_all(colors.constant);
      }
    }
    result = blend(entry_, state_.independent_alpha, colors);
  }
  // A blended UNORM or SNORM result is clamped by its encoding (NUM-50, NUM-52).
  if (entry_.post_blend_clamp) clamp_all(result);
  return result;
}

/// OM-11 to OM-14.
void ColorWriter::encode(Texel value, std::uint32_t x, std::uint32_t y, std::uint32_t inner_x,
                         std::uint8_t* element) const {
  std::array<std::uint8_t, 16> fresh{};
  const std::uint32_t bytes = format_->bytes_per_element();
  if (joined_) {  // channels that share bits are merged as values
    const Texel stored = image::decode_texel(*format_, element, inner_x, 0);
    for (unsigned c = 0; c < 4; ++c)
      if (!written_[c]) value.bits[c] = stored.bits[c];
    std::memcpy(fresh.data(), element, bytes);
    image::encode_texel(*format_, value, fresh.data(), inner_x);
    std::memcpy(element, fresh.data(), bytes);
    return;
  }
  image::encode_texel(*format_, value, fresh.data());
  for (unsigned i = 0; i < format_->channel_count; ++i) {
    const image::Channel& channel = format_->channels[i];
    const int component = component_of(channel.name);
    if (component < 0 || channel.type == ChannelType::Unused) continue;
    const auto c = static_cast<unsigned>(component);
    if (!written_[c]) {
      put_bits(fresh.data(), channel.start, channel.bits, get_bits(element, channel.start, channel.bits));
      continue;
    }
    // OM-12 [C24]: four more bits of precision, a value of the matrix, truncation. Below 32 bits binary32 has none.
    if (state_.dither && channel.type == ChannelType::Unorm && channel.bits < 32 && !(format_->is_srgb() && c < 3)) {
      const auto top = static_cast<float>((1u << channel.bits) - 1);
      const float scaled = std::floor(clamp(value.f(component), 0.0f, 1.0f) * top * 16.0f);
      put_bits(fresh.data(), channel.start, channel.bits,
               (static_cast<std::uint32_t>(scaled) + dither_value(x + state_.dither_x, y + state_.dither_y)) >> 4);
    }
    if (logic_) {
      const std::uint32_t source = get_bits(fresh.data(), channel.start, channel.bits),
                          stored = get_bits(element, channel.start, channel.bits);
      put_bits(fresh.data(), channel.start, channel.bits, logic_result(entry_.logic_op, source, stored, channel.bits));
    }
  }
  std::memcpy(element, fresh.data(), bytes);
}

/// The same where `whole_`: a value is encoded once, however many samples store it.
void ColorWriter::store(const Texel& value, std::uint8_t* element) {
  if (!stored_any_ || value.bits != stored_value_.bits) {
    image::encode_texel(*format_, value, stored_element_.data());
    stored_value_ = value;
    stored_any_ = true;
  }
  std::memcpy(element, stored_element_.data(), format_->bytes_per_element());
}

void ColorWriter::write(std::uint32_t x, std::uint32_t y, std::uint32_t sample, std::uint32_t slot,
                        const std::array<std::uint32_t, 4>& color, const std::array<float, 4>& second) {
  if (surface_ == nullptr || !covers(x, y)) return;
  std::uint32_t at_x = x, at_y = surface_->type == SurfaceType::Dim1 ? 0 : y;
  switch (surface_->rotation) {  // RTW-15 [C55]: clockwise turns
    case 90:
      at_x = height_ - 1 - y, at_y = x;
      break;
    case 180:
      at_x = width_ - 1 - x, at_y = height_ - 1 - y;
      break;
    case 270:
      at_x = y, at_y = width_ - 1 - x;
      break;
    default:
      break;
  }
  const std::uint32_t slice = layer_ * surface_->samples + sample;
  bool null_page = false;
  std::uint8_t* element = surface_->is_buffer()
                              ? image::entry_bytes(*surface_, x, &null_page)
                              : image::element_bytes(*surface_, level_, slice, at_x, at_y, &null_page);
  if (element == nullptr && !null_page)
    context_.refuse("C22", "the target's bytes lie outside its memory; the write is dropped");
  if (context_.observer != nullptr)
    context_.observer->texel({surface_, level_, slice, at_x, at_y, slot, true, element != nullptr});
  if (element == nullptr) return;  // RTW-21
  Texel value;
  for (unsigned c = 0; c < 4; ++c) value.bits[c] = routed_[c] >= 0 ? color[static_cast<unsigned>(routed_[c])] : 0;
  if (routed_[3] < 0) value.bits[3] = color[3];  // not stored, but blending asks for the source's alpha
  if (!integer_) {
    const auto merged = merge({value.f(0), value.f(1), value.f(2), value.f(3)}, second, element, at_x);
    for (int c = 0; c < 4; ++c) value.set(c, merged[static_cast<unsigned>(c)]);
  }
  if (whole_) return store(value, element);
  encode(value, x, y, at_x % format_->block_width, element);
}

}  // namespace heddle::render_target
