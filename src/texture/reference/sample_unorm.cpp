// SPDX-License-Identifier: MIT
#include "texture/sample_unorm.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "texture/filter.hpp"
#include "texture/taps.hpp"

namespace heddle::texture {
namespace {

using image::ChannelType;
using image::Compression;
using image::Surface;
using image::SurfaceType;
using image::Texel;

constexpr std::array<std::string_view, 4> kOutputNames{"16-full", "16-downsampled", "8-full", "8-downsampled"};
constexpr std::uint32_t kOne = 0xff00;  // NUM-75

struct UnormState {
  const Surface* surface = nullptr;
  SampledFormat format;
  TapState taps;
  bool wide = false;                      ///< UNO-6: 16-bit planes
  std::array<unsigned, 4> bits{};         ///< of the channel that feeds R, G, B, A; 0 = not a stored UNORM
  std::array<std::uint32_t, 4> border{};  ///< 8-bit, or 16-bit for wide
  bool linear = false;
};

std::uint32_t unit_to(float x, float scale) {
  if (std::isnan(x)) return 0;
  return static_cast<std::uint32_t>(std::nearbyint(std::clamp(x, 0.0f, 1.0f) * scale));
}

/// UNO-4 [C51]: 8 bits of a decoded channel. The stored integer is recovered exactly from its quotient.
std::uint32_t narrow8(float value, unsigned bits) {
  if (bits == 0) return unit_to(value, 255.0f);
  const std::uint64_t m = (std::uint64_t{1} << bits) - 1;
  const auto v = static_cast<std::uint64_t>(std::llround(static_cast<double>(value) * static_cast<double>(m)));
  return static_cast<std::uint32_t>((v * 510 + m) / (2 * m));
}

std::uint32_t stored_value(const UnormState& s, const Texel& texel, unsigned c) {
  const bool present = (s.format.present >> c & 1u) != 0;
  if (!present && !(s.wide && c == 3)) return c == 3 ? 0xff : 0;
  if (s.wide) return c == 3 ? 0xffff : unit_to(texel.f(static_cast<int>(c)), 65535.0f);
  if (s.format.integer) return std::min<std::uint32_t>(texel.bits[c], 255);
  return narrow8(texel.f(static_cast<int>(c)), s.bits[c]);
}

UnormState resolve(const UnormRequest& request) {
  UnormState s;
  s.surface = request.surface;
  s.format = sampled_format(request.surface->info());
  s.taps = tap_state(*request.surface, *request.sampler);
  const image::FormatInfo& info = *s.format.info;
  s.wide = info.compression == Compression::Planar420 && info.bits_per_element == 16;
  for (unsigned k = 0; k < info.channel_count; ++k) {
    const image::Channel& channel = info.channels[k];
    const bool stored =
        channel.type == ChannelType::Unorm && info.compression == Compression::None && channel.bits <= 24;
    if (!stored) continue;
    for (unsigned c = 0; c < 4; ++c) {
      const bool feeds = channel.name == "RGBA"[c] || (channel.name == 'L' && c < 3) || channel.name == 'I';
      if (feeds) s.bits[c] = channel.bits;
    }
  }
  const Texel border = border_texel(*request.sampler, s.format);
  for (unsigned c = 0; c < 4; ++c)
    s.border[c] = unit_to(border.f(static_cast<int>(c)), s.wide ? 65535.0f : 255.0f);  // UNO-9
  s.linear = request.sampler->mag_filter != image::Filter::Nearest;                    // UNO-3
  return s;
}

/// UNO-9, UNO-11: checked, not enforced.
void check(const UnormRequest& request, OperationContext& context) {
  const Surface& s = *request.surface;
  const image::Sampler& sampler = *request.sampler;
  const auto want = [&](bool condition, std::string_view message) {
    if (!condition) context.warn("UNO-9", message);
  };
  want(s.type == SurfaceType::Dim2 && !s.array, "sample_unorm wants a 2D surface that is no array");
  want(s.mip_count == 0, "sample_unorm wants a surface with one level");
  want(s.min_array_element == 0, "sample_unorm wants minimum array element 0");
  const image::FormatInfo& info = s.info();
  bool narrow = info.value_class == image::ValueClass::Float;
  for (unsigned k = 0; k < info.channel_count; ++k)
    narrow &= info.channels[k].type == ChannelType::Unused ||
              (info.channels[k].type == ChannelType::Unorm && info.channels[k].bits <= 8);
  want(narrow || info.compression == Compression::Planar420,
       fmt::format("sample_unorm wants UNORM channels of at most 8 bits, not {}", info.name));
  want(sampler.mip_filter == image::MipFilter::None, "sample_unorm wants mip filter none");
  for (const auto mode : {sampler.tcx, sampler.tcy})
    want(mode != image::AddressMode::ClampBorder && mode != image::AddressMode::Mirror &&
             mode != image::AddressMode::MirrorOnce,
         "sample_unorm wants address modes other than clamp_border, mirror and mirror_once");
  want(request.du * static_cast<float>(s.width) <= 3 && request.dv * static_cast<float>(s.height) <= 3,
       "sample_unorm wants steps of at most 3 texels");
  const std::array identity{image::ChannelSelect::Red, image::ChannelSelect::Green, image::ChannelSelect::Blue,
                            image::ChannelSelect::Alpha};
  if (s.swizzle != identity) context.warn("SUR-7", "sample_unorm wants identity channel selects");
  if (context.platform > UnitPlatform::Tgllp)
    context.warn("UNO-11", fmt::format("sample_unorm does not exist on {}", name_of(context.platform)));
}

/// SAM-4 and the formats' readability.
bool refused(const UnormRequest& request, OperationContext& context) {
  const Surface& s = *request.surface;
  const bool image_type = s.type == SurfaceType::Dim1 || s.type == SurfaceType::Dim2 || s.type == SurfaceType::Dim3 ||
                          s.type == SurfaceType::Cube;
  const image::FormatInfo* info = image::format_info(s.format);
  if (!image_type)
    context.refuse("RET-9", "sample_unorm is not defined for this surface type");
  else if (info == nullptr)
    context.refuse("surface-format", fmt::format("{:#x} is no surface format", static_cast<unsigned>(s.format)));
  else if (!image::decodable(*info) && info->compression != Compression::Planar420)
    context.refuse("NUM-28", fmt::format("{} can't be sampled", info->name));
  else if (s.corner_texel)
    context.refuse("SUR-8", "corner texel mode is not supported");
  else if (request.sampler->mag_filter == image::Filter::Mono)
    context.refuse("SUR-8", "the MONO filter is not supported");
  else
    return false;
  return true;
}

/// The channels of one tap as integers.
std::array<std::uint32_t, 4> tap_integers(const UnormState& s, const LevelTaps& taps, const Tap& tap,
                                          FetchNotes& notes) {
  if (tap.kind == TapKind::Border) return s.border;
  const image::Fetched f = image::fetch(*s.surface, taps.level, tap.at.slice, tap.at.x, tap.at.y, false);
  notes.outside |= f.outside;
  std::array<std::uint32_t, 4> v{};
  for (unsigned c = 0; c < 4; ++c) {
    v[c] = stored_value(s, f.texel, c);
    if (tap.kind == TapKind::Half) v[c] = (v[c] + s.border[c]) / 2;  // UNO-9
  }
  return v;
}

/// UNO-5 [C11], UNO-6.
std::array<std::uint16_t, 4> filter(const UnormState& s, const LevelTaps& taps, FetchNotes& notes) {
  const Probe& probe = taps.probe[0];
  std::array<std::uint64_t, 4> sum{};
  for (unsigned t = 0; t < taps.taps_per_probe; ++t) {
    if (!probe.tap[t].weighted) continue;
    std::uint64_t weight = 1;
    for (unsigned axis = 0; axis < 2; ++axis) {
      const std::uint32_t w = axis < taps.axes ? probe.weight[axis] : 0;
      weight *= t >> axis & 1u ? w : 256 - w;
    }
    if (taps.axes == 3 && t >= 4) continue;
    const auto v = tap_integers(s, taps, probe.tap[t], notes);
    for (unsigned c = 0; c < 4; ++c) sum[c] += weight * v[c];
  }
  std::array<std::uint16_t, 4> result{};
  for (unsigned c = 0; c < 4; ++c) {
    const std::uint64_t value = sum[c] >> (s.wide ? 16 : 8);
    result[c] = static_cast<std::uint16_t>(std::min<std::uint64_t>(value, kOne));
  }
  return result;
}

/// UNO-10 [C50]: the offset, in steps, at which output pixel (x, y) is sampled.
std::array<unsigned, 2> rotated(std::uint32_t rotation, unsigned x, unsigned y) {
  switch (rotation) {
    case 90:
      return {y, 7 - x};
    case 180:
      return {7 - x, 3 - y};
    case 270:
      return {3 - y, x};
    default:
      return {x, y};
  }
}

}  // namespace

std::optional<UnormOutput> find_unorm_output(std::string_view name) {
  const auto at = std::ranges::find(kOutputNames, name);
  if (at == kOutputNames.end()) return std::nullopt;
  return static_cast<UnormOutput>(at - kOutputNames.begin());
}
std::string_view unorm_output_name(UnormOutput output) { return kOutputNames[static_cast<unsigned>(output)]; }

UnormResult sample_unorm(const UnormRequest& request, OperationContext& context) {
  UnormResult result;
  if (request.surface == nullptr || request.surface->type == SurfaceType::Null) return result;  // RET-7
  if (request.sampler == nullptr) {
    context.refuse("RET-9", "sample_unorm needs a sampler");
    return result;
  }
  if (refused(request, context)) return result;
  check(request, context);
  if (request.sampler->disable) return result;  // RET-8
  const UnormState state = resolve(request);
  LevelTaps taps;
  FetchNotes notes;
  for (unsigned pixel = 0; pixel < kUnormPixels; ++pixel) {
    const auto [x, y] = rotated(request.surface->rotation, pixel % kUnormWidth, pixel / kUnormWidth);
    const float step_u = request.du * static_cast<float>(x), step_v = request.dv * static_cast<float>(y);  // UNO-1
    TapPoint point;
    point.coordinate = {request.u + step_u, request.v + step_v, 0};
    build_taps(state.taps, point, request.surface->surf_min_lod, state.linear, request.sampler->round_mag, {},
               taps);  // UNO-2, UNO-3
    const auto value = filter(state, taps, notes);
    for (unsigned c = 0; c < 4; ++c) result.channels[c][pixel] = value[c];
    if (context.observer != nullptr)
      for_each_texel(taps, [&](const Tap& tap, const TexelPosition& at) {
        TexelTouch touch;
        touch.surface = request.surface;
        touch.level = taps.level;
        touch.slice = at.slice;
        touch.x = at.x;
        touch.y = at.y;
        touch.lane = pixel;
        touch.weighted = tap.weighted;
        context.observer->texel(touch);
      });
  }
  if (notes.outside) context.refuse("C22", "texels outside the memory that was supplied");
  return result;
}

UnormOutput effective_output(UnormOutput output, Behavior behavior) {
  return behavior == Behavior::Hardware ? UnormOutput::Full16 : output;
}

std::uint32_t unorm_bytes(std::uint8_t channels, UnormOutput output) {
  const auto count = [&](unsigned mask) { return static_cast<std::uint32_t>(__builtin_popcount(channels & mask)); };
  switch (output) {
    case UnormOutput::Full16:
      return 64 * count(15);
    case UnormOutput::Downsampled16:
      return 64 * count(0b1010) + 32 * count(0b0101);
    case UnormOutput::Full8:
      return 32 * count(15);
    case UnormOutput::Downsampled8:
      return 32 * count(0b1010) + (count(0b0101) != 0 ? 32u : 0u);
  }
  return 0;
}

void write_unorm(std::span<std::uint8_t> bytes, const UnormResult& result, std::uint8_t channels, UnormOutput output,
                 UnormOrder order) {
  const auto put = [&](std::size_t at, std::uint32_t value) {
    if (at < bytes.size()) bytes[at] = static_cast<std::uint8_t>(value);
  };
  const bool half_width = output == UnormOutput::Full8 || output == UnormOutput::Downsampled8;
  const bool downsampled = output == UnormOutput::Downsampled16 || output == UnormOutput::Downsampled8;
  const bool shared = output == UnormOutput::Downsampled8;
  std::size_t start = shared && (channels & 0b0101) ? 32 : 0;
  for (unsigned c = 0; c < 4; ++c) {
    if (!(channels >> c & 1u)) continue;  // UNO-8
    const bool even_only = downsampled && (c == 0 || c == 2);
    const std::size_t first = shared && even_only ? (c == 0 ? 0 : 16) : start;
    for (unsigned pixel = 0; pixel < kUnormPixels; ++pixel) {
      const unsigned x = pixel % kUnormWidth, y = pixel / kUnormWidth;
      unsigned index =
          order == UnormOrder::RowMajor ? pixel : (y >> 1) * 16 + (x >> 2) * 8 + (y & 1) * 4 + (x & 3);  // UNO-7
      if (even_only && (index & 1)) continue;                                                            // UNO-12
      if (even_only) index /= 2;
      const std::uint16_t value = result.channels[c][pixel];
      if (half_width) {
        put(first + index, value >> 8);
      } else {
        put(first + 2 * index, value & 0xffu);
        put(first + 2 * index + 1, value >> 8);
      }
    }
    if (!(shared && even_only)) start += half_width ? 32 : even_only ? 32 : 64;
  }
}

}  // namespace heddle::texture
