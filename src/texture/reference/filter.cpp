// SPDX-License-Identifier: MIT
// Rules: ADR-8, ANI-1, ANI-2, BRD-1 to BRD-3, C4, C26, C64, CMP-1, CMP-4, CMP-5, CUB-5, FLT-3, NUM-23, NUM-24, RED-1.
#include "texture/filter.hpp"

#include <algorithm>
#include <cmath>

#include "base/half.hpp"

namespace heddle::texture {
namespace {

using image::ChannelType;
using image::CompareFunction;
using image::Texel;

/// Result channels that a channel of the format feeds (NUM-23).
std::uint8_t fed_channels(char name) {
  switch (name) {
    case 'R':
      return 1;
    case 'G':
      return 2;
    case 'B':
      return 4;
    case 'A':
      return 8;
    case 'L':
      return 7;
    case 'I':
      return 15;
    default:
      return 0;
  }
}

bool fills_with_ones(std::string_view name) {  // NUM-24
  constexpr std::string_view kNames[] = {"R16G16_UNORM", "R16G16_SNORM", "R16G16_FLOAT", "R8G8_UNORM",
                                         "R8G8_SNORM",   "R32G32_FLOAT", "R32_FLOAT",    "R16_FLOAT"};
  return std::ranges::find(kNames, name) != std::end(kNames);
}

Texel read(const ValueState& state, std::uint32_t level, const TexelPosition& at, FetchNotes& notes) {
  if (at.border) return state.border;
  image::Fetched fetched = image::fetch(*state.surface, level, at.slice, at.x, at.y, state.srgb_decode);
  notes.null_page |= fetched.null_page;
  notes.outside |= fetched.outside;
  if (state.format.dx9_ones)
    for (int c = 0; c < 3; ++c)
      if (!(state.format.present >> c & 1)) fetched.texel.set(c, 1.0f);
  return fetched.texel;
}

/// CUB-5 [C4].
Texel corner_value(const ValueState& state, const LevelTaps& taps, FetchNotes& notes) {
  const Texel a = read(state, taps.level, taps.corner[0], notes);
  if (state.format.integer) return a;
  const Texel b = read(state, taps.level, taps.corner[1], notes);
  const Texel c = read(state, taps.level, taps.corner[2], notes);
  Texel mean;
  for (int k = 0; k < 4; ++k)
    mean.set(k, base::canonical(static_cast<float>(
                    (static_cast<double>(a.f(k)) + static_cast<double>(b.f(k)) + static_cast<double>(c.f(k))) / 3.0)));
  return mean;
}

Texel uncompared_value(const ValueState& state, const LevelTaps& taps, const Tap& tap, FetchNotes& notes) {
  switch (tap.kind) {
    case TapKind::Texel:
      return read(state, taps.level, tap.at, notes);
    case TapKind::Border:
      return state.border;
    case TapKind::Corner:
      return corner_value(state, taps, notes);
    case TapKind::Half: {  // ADR-8
      if (state.format.integer) return state.border;
      const Texel e = read(state, taps.level, tap.at, notes);
      Texel mean;
      for (int k = 0; k < 4; ++k) mean.set(k, base::canonical((e.f(k) + state.border.f(k)) * 0.5f));
      return mean;
    }
  }
  return state.border;
}

/// CMP-1, CMP-4.
Texel compared(const ValueState& state, const Texel& value, float ref) {
  const std::uint32_t word = value.bits[state.format.compare_channel];
  float texel = base::float_from_bits(word);
  if (state.format.value_class == image::ValueClass::Uint) texel = static_cast<float>(word);  // C64
  if (state.format.value_class == image::ValueClass::Sint) texel = static_cast<float>(static_cast<std::int32_t>(word));
  Texel result;
  const float r = compare_texel(state.function, texel, ref);
  for (int k = 0; k < 4; ++k) result.set(k, r);
  return result;
}

std::uint32_t reduce_word(const ValueState& state, std::uint32_t a, std::uint32_t b) {
  const bool minimum = state.reduction == FilterReduction::Minimum;
  switch (state.format.value_class) {
    case image::ValueClass::Uint:
      return minimum ? std::min(a, b) : std::max(a, b);
    case image::ValueClass::Sint: {
      const auto x = static_cast<std::int32_t>(a), y = static_cast<std::int32_t>(b);
      return static_cast<std::uint32_t>(minimum ? std::min(x, y) : std::max(x, y));
    }
    case image::ValueClass::Float:
      break;
  }
  const float x = base::float_from_bits(a), y = base::float_from_bits(b);
  return base::bits_of(minimum ? rule_min(x, y) : rule_max(x, y));
}

Texel reduce(const ValueState& state, const Texel& a, const Texel& b) {
  Texel result;
  for (unsigned k = 0; k < 4; ++k) result.bits[k] = reduce_word(state, a.bits[k], b.bits[k]);
  return result;
}

Texel lerp_texel(const Texel& a, const Texel& b, std::uint32_t w, unsigned channels) {
  if (w == 0) return a;
  if (w == 256) return b;
  Texel result;
  for (unsigned k = 0; k < channels; ++k)
    result.set(static_cast<int>(k), lerp(a.f(static_cast<int>(k)), b.f(static_cast<int>(k)), w));
  for (unsigned k = channels; k < 4; ++k)
    result.bits[k] = result.bits[0];  // a compare result stands in all channels (CMP-4)
  return result;
}

/// FLT-3: lerp over u, then v, then r.
Texel filter_probe(const ValueState& state, const LevelTaps& taps, const Probe& probe, float ref, FetchNotes& notes) {
  const unsigned channels = state.compare ? 1 : 4;
  std::array<Texel, kMaxProbeTaps> value;
  for (unsigned t = 0; t < taps.taps_per_probe; ++t)
    if (probe.tap[t].weighted) value[t] = tap_value(state, taps, probe.tap[t], ref, notes);  // C26
  unsigned count = taps.taps_per_probe;
  for (unsigned axis = 0; count > 1; ++axis, count /= 2)
    for (unsigned pair = 0; pair < count / 2; ++pair)
      value[pair] = lerp_texel(value[2 * pair], value[2 * pair + 1], probe.weight[axis], channels);
  return value[0];
}

/// ANI-1: the mean of the probes, summed in binary64.
Texel mean_of_probes(const ValueState& state, const LevelTaps& taps, float ref, FetchNotes& notes) {
  std::array<double, 4> sum{};
  for (unsigned p = 0; p < taps.probes; ++p) {
    const Texel value = filter_probe(state, taps, taps.probe[p], ref, notes);
    for (int k = 0; k < 4; ++k) sum[static_cast<unsigned>(k)] += static_cast<double>(value.f(k));
  }
  Texel result;
  for (int k = 0; k < 4; ++k)
    result.set(k,
               base::canonical(static_cast<float>(sum[static_cast<unsigned>(k)] / static_cast<double>(taps.probes))));
  return result;
}

/// RED-1, ANI-2.
Texel reduce_taps(const ValueState& state, const LevelTaps& taps, FetchNotes& notes) {
  Texel result;
  bool first = true;
  for (unsigned p = 0; p < taps.probes; ++p)
    for (unsigned t = 0; t < taps.taps_per_probe; ++t) {
      const Tap& tap = taps.probe[p].tap[t];
      if (!tap.weighted) continue;
      const Texel value = tap_value(state, taps, tap, 0, notes);
      result = first ? value : reduce(state, result, value);
      first = false;
    }
  return result;
}

}  // namespace

float lerp(float a, float b, std::uint32_t w) {
  if (w == 0) return a;
  if (w == 256) return b;
  const float difference = b - a;
  const float product = difference * (static_cast<float>(w) / 256.0f);
  return base::canonical(a + product);
}

float rule_min(float a, float b) { return std::isnan(a) || b < a ? b : a; }
float rule_max(float a, float b) { return std::isnan(a) || b > a ? b : a; }

float compare_texel(CompareFunction function, float texel, float ref) {
  const bool unordered = std::isnan(texel) || std::isnan(ref);
  bool holds = false;
  switch (function) {
    case CompareFunction::Always:
      holds = true;
      break;
    case CompareFunction::Never:
      holds = false;
      break;
    case CompareFunction::Less:
      holds = unordered || texel < ref;
      break;
    case CompareFunction::Equal:
      holds = texel == ref;
      break;
    case CompareFunction::Lequal:
      holds = unordered || texel <= ref;
      break;
    case CompareFunction::Greater:
      holds = unordered || texel > ref;
      break;
    case CompareFunction::Notequal:
      holds = !(texel == ref);
      break;
    case CompareFunction::Gequal:
      holds = unordered || texel >= ref;
      break;
  }
  return holds ? 0.0f : 1.0f;
}

SampledFormat sampled_format(const image::FormatInfo& info) {
  SampledFormat f;
  f.info = &info;
  f.value_class = info.value_class;
  f.integer = info.value_class != image::ValueClass::Float;
  for (unsigned k = 0; k < info.channel_count; ++k)
    if (info.channels[k].type != ChannelType::Unused) f.present |= fed_channels(info.channels[k].name);
  f.compare_channel = f.present == 8 ? 3 : 0;
  for (unsigned k = 0; k < info.channel_count; ++k) {
    const image::Channel& channel = info.channels[k];
    if ((fed_channels(channel.name) >> f.compare_channel & 1u) && channel.type != ChannelType::Unused)
      f.clamp_reference = channel.type == ChannelType::Unorm;
  }
  f.dx9_ones = fills_with_ones(info.name);
  return f;
}

Texel border_texel(const image::Sampler& sampler, const SampledFormat& format) {
  const bool dx9 = sampler.border_mode == image::BorderMode::Dx9;
  Texel color;
  for (unsigned k = 0; k < 4; ++k) {
    color.bits[k] = sampler.border[k];
    if (dx9) color.set(static_cast<int>(k), static_cast<float>(sampler.border[k] & 255u) / 255.0f);  // BRD-1
  }
  for (unsigned k = 0; k < format.info->channel_count; ++k) {  // BRD-2
    const char name = format.info->channels[k].name;
    if (format.info->channels[k].type == ChannelType::Unused) continue;
    if (name == 'L' || name == 'I') color.bits[1] = color.bits[2] = color.bits[0];
    if (name == 'I') color.bits[3] = color.bits[0];
  }
  if (!dx9)
    for (unsigned k = 0; k < 4; ++k)
      if (!(format.present >> k & 1u)) color.bits[k] = k == 3 ? format.one() : 0;
  return color;
}

Texel out_of_bounds_texel(const SampledFormat& format) {
  Texel texel;
  if (!(format.present & 8u)) texel.bits[3] = format.one();
  return texel;
}

std::uint32_t select_channel(image::ChannelSelect select, const Texel& value, std::uint32_t one) {
  switch (select) {
    case image::ChannelSelect::Zero:
      return 0;
    case image::ChannelSelect::One:
      return one;
    case image::ChannelSelect::Red:
      return value.bits[0];
    case image::ChannelSelect::Green:
      return value.bits[1];
    case image::ChannelSelect::Blue:
      return value.bits[2];
    case image::ChannelSelect::Alpha:
      return value.bits[3];
  }
  return 0;
}

float compare_reference(const ValueState& state, float ref) {
  if (!state.format.clamp_reference || std::isnan(ref)) return ref;
  return std::clamp(ref, 0.0f, 1.0f);
}

Texel tap_value(const ValueState& state, const LevelTaps& taps, const Tap& tap, float ref, FetchNotes& notes) {
  const Texel value = uncompared_value(state, taps, tap, notes);
  return state.compare ? compared(state, value, ref) : value;
}

Texel out_of_bounds_value(const ValueState& state, float ref) {
  return state.compare ? compared(state, state.out_of_bounds, ref) : state.out_of_bounds;
}

Texel filter_level(const ValueState& state, const LevelTaps& taps, float ref, FetchNotes& notes) {
  if (state.reduction != FilterReduction::Weighted) return reduce_taps(state, taps, notes);
  if (taps.probes == 1) return filter_probe(state, taps, taps.probe[0], ref, notes);
  return mean_of_probes(state, taps, ref, notes);
}

Texel combine_levels(const ValueState& state, const Texel& fine, const Texel& coarse, std::uint32_t beta) {
  if (state.reduction != FilterReduction::Weighted) return beta == 0 ? fine : reduce(state, fine, coarse);
  return lerp_texel(fine, coarse, beta, state.compare ? 1 : 4);
}

}  // namespace heddle::texture
