// SPDX-License-Identifier: MIT
// Rules: BND-9, BND-10, BND-11, BND-12, BND-13, CUB-4, CUB-5, SUR-3, C64.
#include "texture/bounds/texels.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/half.hpp"

namespace heddle::texture::bounds {
namespace {

using image::Channel;
using image::ChannelType;
using image::Texel;

/// Texels that one bound is made of, at most.
constexpr double kMaxTexels = 0x1p20;

/// The channel of the format that result channel c comes from; nullptr where the format has none.
const Channel* channel_of(const image::FormatInfo& info, unsigned c) {
  for (unsigned k = 0; k < info.channel_count; ++k) {
    const Channel& channel = info.channels[k];
    if (channel.type == ChannelType::Unused) continue;
    const bool is = channel.name == "RGBA"[c] || (channel.name == 'L' && c < 3) || channel.name == 'I';
    if (is) return &channel;
  }
  return nullptr;
}

bool is_normalized(const Channel& channel) {
  return channel.type == ChannelType::Unorm || channel.type == ChannelType::Snorm;
}

/// The step between two numbers of a channel in fixed point.
double unit_of(const Channel& channel) {
  const unsigned bits = std::clamp<unsigned>(channel.bits, 1, 32) - (channel.type == ChannelType::Snorm ? 1u : 0u);
  return 1 / (std::exp2(bits) - 1);
}

double to_linear(double s) { return s <= 0.04045 ? s / 12.92 : std::pow((s + 0.055) / 1.055, 2.4); }
double to_srgb(double l) { return l <= 0.0031308 ? l * 12.92 : 1.055 * std::pow(l, 1 / 2.4) - 0.055; }

/// BND-11: half a step of the encoded value, either way.
Interval srgb_range(double linear) {
  const double encoded = to_srgb(linear);
  return {to_linear(std::max(0.0, encoded - 0.5 / 255)), to_linear(std::min(1.0, encoded + 0.5 / 255))};
}

/// BND-13: the results that a comparison may have.
TapRange compared(const Question& question, const TapRange& texel, float reference) {
  const auto& values = question.state.values;
  const unsigned c = values.format.compare_channel;
  const Channel* channel = channel_of(*values.format.info, c);
  // The reference may be rounded to the format's numbers.
  const double half = channel != nullptr && is_normalized(*channel) ? unit_of(*channel) / 2 : 0;
  const auto compare = [&](double t, double r) {
    return static_cast<double>(compare_texel(values.function, static_cast<float>(t), static_cast<float>(r)));
  };
  const double ref = static_cast<double>(reference);
  const double exact = compare(texel.core[c].low, ref);
  Interval full{exact, exact};
  for (const double t : {texel.full[c].low, texel.full[c].high})
    for (const double r : {ref - half, ref, ref + half}) full = hull(full, {compare(t, r), compare(t, r)});
  // Between the ends a comparison for equality may hold.
  if (half > 0 && std::fabs(texel.core[c].low - ref) <= half) full = {0, 1};
  TapRange result;
  result.core.fill({exact, exact});
  result.full.fill(full);
  result.low_at.fill(texel.low_at[c]);
  result.high_at = result.low_at;
  return result;
}

/// Indices of one axis in the box, after the address mode, each once; and whether the border is met.
std::vector<std::uint32_t> indices_in(const Interval& box, image::AddressMode mode, std::uint32_t size, bool& border) {
  std::vector<std::uint32_t> found;
  const double n = size;
  double low = std::floor(box.low), high = std::floor(box.high);
  if (mode == image::AddressMode::ClampBorder) border |= low < 0 || high >= n;
  if (mode == image::AddressMode::Wrap || mode == image::AddressMode::Mirror) {
    high = std::min(high, low + 2 * n);  // a whole period
  } else {                               // beyond these nothing new comes
    low = std::clamp(low, -n - 1, n);
    high = std::clamp(high, -n - 1, n);
  }
  for (double i = low; i <= high; ++i) {
    const Address a = apply_address_mode(mode, static_cast<std::int32_t>(std::clamp(i, -0x1p30, 0x1p30)),
                                         static_cast<std::int32_t>(size));
    if (a.kind == AddressKind::Texel) found.push_back(static_cast<std::uint32_t>(a.index));
  }
  std::ranges::sort(found);
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

}  // namespace

Interval decoded_range(const SampledFormat& format, bool srgb_decode, unsigned c, double value) {
  const image::FormatInfo& info = *format.info;
  const Channel* channel = channel_of(info, c);
  if (channel == nullptr || format.integer) return {value, value};
  if (info.is_srgb() && srgb_decode && c < 3) return srgb_range(value);
  double error = 0;
  if (is_normalized(*channel) && value != 0 && std::fabs(value) != 1) error = std::fabs(value) * 0x1p-20;
  if (info.compression != image::Compression::None)
    error = is_normalized(*channel) ? 1.0 / 255 : std::fabs(value) * 0x1p-10;
  return {value - error, value + error};
}

double number_of(std::uint32_t word, image::ValueClass value_class) {
  switch (value_class) {
    case image::ValueClass::Uint:
      return word;
    case image::ValueClass::Sint:
      return static_cast<std::int32_t>(word);
    case image::ValueClass::Float:
      break;
  }
  return static_cast<double>(base::float_from_bits(word));
}

void widen(TapRange& range, const TapRange& other) {
  for (unsigned c = 0; c < 4; ++c) {
    if (other.full[c].low < range.full[c].low) range.low_at[c] = other.low_at[c];
    if (other.full[c].high > range.full[c].high) range.high_at[c] = other.high_at[c];
    range.core[c] = hull(range.core[c], other.core[c]);
    range.full[c] = hull(range.full[c], other.full[c]);
  }
  range.open |= other.open;
}

LevelTexels::LevelTexels(const Question& question, const Place& place, std::uint32_t level, bool linear,
                         float reference)
    : question_(question), place_(place), level_(level), linear_(linear), reference_(reference) {
  size_ = sampled_size(*question.request.surface, level);
}

std::uint32_t LevelTexels::slice_of(std::uint32_t face) const {  // SUR-3
  const image::Surface& surface = *question_.request.surface;
  if (question_.state.taps.cube) return surface.min_array_element + 6 * place_.index + face;
  return (surface.min_array_element + place_.index) * surface.samples;
}

TapRange LevelTexels::range_of(const Texel& value, const SourceTexel& source) const {
  const ValueState& values = question_.state.values;
  TapRange range;
  for (unsigned c = 0; c < 4; ++c) {
    const double v = number_of(value.bits[c], values.format.value_class);
    range.open |= !std::isfinite(v);
    range.core[c] = {v, v};
    range.full[c] = source.border ? Interval{v, v} : decoded_range(values.format, values.srgb_decode, c, v);
  }
  range.low_at.fill(source);
  range.high_at.fill(source);
  return question_.state.compare ? compared(question_, range, reference_) : range;
}

TapRange LevelTexels::texel(std::uint32_t slice, std::uint32_t x, std::uint32_t y) const {
  const image::Fetched fetched =
      image::fetch(*question_.request.surface, level_, slice, x, y, question_.state.values.srgb_decode);
  return range_of(fetched.texel, {level_, slice, x, y, false, 1});
}

TapRange LevelTexels::border() const { return range_of(question_.state.values.border, {level_, 0, 0, 0, true, 1}); }

/// CUB-4, BND-10.
TapRange LevelTexels::on_cube(const std::array<std::int32_t, 3>& unwrapped) const {
  const auto n = static_cast<std::int32_t>(size_[0]);
  const std::uint32_t face = place_.face.face;
  std::array<std::int32_t, 2> inside{};
  std::array<bool, 2> across{};
  for (unsigned axis = 0; axis < 2; ++axis) {
    const std::int32_t i = unwrapped[axis];
    across[axis] = linear_ && question_.state.taps.seam[axis] && (i < 0 || i >= n);
    const image::AddressMode mode = linear_ ? question_.state.taps.mode[axis] : image::AddressMode::Clamp;
    const Address a = apply_address_mode(mode, i, n);
    if (a.kind != AddressKind::Texel) return border();
    inside[axis] = a.index;
  }
  const auto read = [&](const CubeTexel& t) {
    return texel(slice_of(t.face), static_cast<std::uint32_t>(t.i), static_cast<std::uint32_t>(t.j));
  };
  const auto beyond = [&](unsigned axis) {
    const std::int32_t out = unwrapped[axis] < 0 ? -1 : n;
    return adjoining_texel(face, axis == 0 ? out : inside[0], axis == 0 ? inside[1] : out, n);
  };
  if (!across[0] && !across[1]) return read({face, inside[0], inside[1]});
  if (across[0] != across[1]) return read(beyond(across[0] ? 0 : 1));
  // A corner: any mean of the three texels around it; the preferred one has equal weights.
  TapRange corner = read({face, inside[0], inside[1]});
  widen(corner, read(beyond(0)));
  widen(corner, read(beyond(1)));
  return corner;
}

TapRange LevelTexels::at(const std::array<std::int32_t, 3>& unwrapped) const {
  if (question_.state.taps.cube) return on_cube(unwrapped);
  std::array<std::uint32_t, 3> at{};
  for (unsigned axis = 0; axis < question_.state.taps.axes; ++axis) {
    const Address a =
        apply_address_mode(question_.state.taps.mode[axis], unwrapped[axis], static_cast<std::int32_t>(size_[axis]));
    if (a.kind != AddressKind::Texel) return border();
    at[axis] = static_cast<std::uint32_t>(a.index);
  }
  const bool solid = question_.request.surface->type == image::SurfaceType::Dim3;
  return texel(solid ? at[2] : slice_of(0), at[0], at[1]);
}

TapRange LevelTexels::unbounded() const {
  TapRange range = border();
  range.open = true;
  return range;
}

/// All texels of a cube's level.
TapRange LevelTexels::whole() const {
  if (6.0 * size_[0] * size_[1] > kMaxTexels) return unbounded();
  TapRange range;
  bool first = true;
  for (std::uint32_t face = 0; face < 6; ++face)
    for (std::uint32_t y = 0; y < size_[1]; ++y)
      for (std::uint32_t x = 0; x < size_[0]; ++x) {
        const TapRange one = texel(slice_of(face), x, y);
        if (first)
          range = one;
        else
          widen(range, one);
        first = false;
      }
  return range;
}

TapRange LevelTexels::box(const std::array<Interval, 3>& texels) const {
  if (question_.state.taps.cube) return whole();
  std::array<std::vector<std::uint32_t>, 3> indices{std::vector<std::uint32_t>{0}, {0}, {0}};
  bool border_met = false;
  for (unsigned axis = 0; axis < question_.state.taps.axes; ++axis)
    indices[axis] = indices_in(texels[axis], question_.state.taps.mode[axis], size_[axis], border_met);
  if (static_cast<double>(indices[0].size()) * static_cast<double>(indices[1].size()) *
          static_cast<double>(indices[2].size()) >
      kMaxTexels)
    return unbounded();
  std::optional<TapRange> range;
  const auto add = [&](const TapRange& one) {
    if (range)
      widen(*range, one);
    else
      range = one;
  };
  if (border_met) add(border());
  const bool solid = question_.request.surface->type == image::SurfaceType::Dim3;
  for (const std::uint32_t z : indices[2])
    for (const std::uint32_t y : indices[1])
      for (const std::uint32_t x : indices[0]) add(texel(solid ? z : slice_of(0), x, y));
  return range.value_or(border());
}

double idle_blend_error(const Question& question, unsigned c) {
  const Channel* channel = channel_of(*question.state.values.format.info, c);
  const bool blends = question.state.lod.mip_filter == image::MipFilter::Linear && !question.state.compare;
  return blends && channel != nullptr && is_normalized(*channel) ? 5 * 0x1p-15 : 0;
}

double blend_error(const Question& question, unsigned c, double magnitude) {
  if (question.state.compare) return 0x1p-8;
  const image::FormatInfo& info = *question.state.values.format.info;
  const Channel* channel = channel_of(info, c);
  if (channel == nullptr) return 0x1p-16 * magnitude;
  if (info.compression != image::Compression::None && is_normalized(*channel)) return 1.0 / 255;
  if (is_normalized(*channel)) return std::max(unit_of(*channel), 0x1p-16);
  // Floats: the digits that the format has, 16 at most.
  int digits = 16;
  if (channel->type == ChannelType::Float) digits = channel->bits - channel->exponent_bits - 1;
  if (channel->type == ChannelType::UnsignedFloat) digits = channel->bits - channel->exponent_bits;
  if (channel->type == ChannelType::SharedExponent) digits = 9;
  return std::exp2(-std::clamp(digits, 4, 16)) * magnitude;
}

}  // namespace heddle::texture::bounds
