// SPDX-License-Identifier: MIT
// Rules: FSR-1 to FSR-3.
#include "pipeline/raster/shading_rate.hpp"

#include <algorithm>
#include <bit>

namespace heddle::pipeline {
namespace {

std::uint32_t combine(RateCombiner how, std::uint32_t a, std::uint32_t b) {
  switch (how) {
    case RateCombiner::Keep:
      return a;
    case RateCombiner::Replace:
      return b;
    case RateCombiner::Minimum:
      return std::min(a, b);
    case RateCombiner::Maximum:
      return std::max(a, b);
    case RateCombiner::Multiply:
      return a * b;
  }
  return a;
}

FragmentSize combine(RateCombiner how, const FragmentSize& a, const FragmentSize& b) {
  return {combine(how, a.width, b.width), combine(how, a.height, b.height)};
}

}  // namespace

FragmentSize decode_rate(std::uint32_t code) {
  const auto side = [](std::uint32_t bits) { return std::min(1u << (bits & 3u), kMaxFragmentSide); };
  return {side(code >> 2), side(code)};
}

std::uint32_t encode_rate(const FragmentSize& size) {
  return static_cast<std::uint32_t>(std::bit_width(size.height) - 1) |
         static_cast<std::uint32_t>(std::bit_width(size.width) - 1) << 2;
}

bool is_supported(const FragmentSize& size, std::uint32_t samples) {
  return size.pixels() == 1 || size.pixels() * samples <= kMaxFragmentSamples;
}

FragmentSize supported_size(const FragmentSize& wanted, std::uint32_t samples) {
  FragmentSize best;
  for (std::uint32_t width = 1; width <= kMaxFragmentSide && width <= wanted.width; width *= 2)
    for (std::uint32_t height = 1; height <= kMaxFragmentSide && height <= wanted.height; height *= 2) {
      const FragmentSize size{width, height};
      if (!is_supported(size, samples)) continue;
      const bool larger = size.pixels() > best.pixels(), same = size.pixels() == best.pixels();
      const std::uint32_t sum = width + height, least = best.width + best.height;
      if (larger || (same && (sum < least || (sum == least && width > best.width)))) best = size;
    }
  return best;
}

bool ShadingRates::is_plain(bool with_primitives) const {
  const auto brings = [&](std::size_t stage, bool given) {
    return given && combiners[stage] != RateCombiner::Keep && combiners[stage] != RateCombiner::Minimum;
  };
  return supported_size(draw, samples).pixels() == 1 && !brings(0, with_primitives) &&
         !brings(1, attachment != nullptr);
}

FragmentSize ShadingRates::of_attachment(std::uint32_t x, std::uint32_t y, std::uint32_t layer) const {
  if (attachment == nullptr) return {};
  const image::Surface& s = *attachment;
  const std::uint32_t column = x / texel_width, row = y / texel_height,
                      slice = s.min_array_element + (layer < s.view_layers ? layer : 0);
  if (column >= s.level_width(s.rt_level) || row >= s.level_height(s.rt_level)) return {};
  return decode_rate(image::fetch(s, s.rt_level, slice, column, row).texel.bits[0]);
}

FragmentSize ShadingRates::at(std::uint32_t code, std::uint32_t x, std::uint32_t y, std::uint32_t layer) const {
  const auto clamped = [&](const FragmentSize& size) { return supported_size(size, samples); };
  const FragmentSize both = clamped(combine(combiners[0], clamped(draw), clamped(decode_rate(code))));
  return clamped(combine(combiners[1], both, clamped(of_attachment(x, y, layer))));
}

}  // namespace heddle::pipeline
