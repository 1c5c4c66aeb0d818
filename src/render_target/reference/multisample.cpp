// SPDX-License-Identifier: MIT
// Multisample positions and resolve: MSP-1, OM-23.

#include <fmt/format.h>

#include "base/half.hpp"
#include "render_target/render_target.hpp"

namespace heddle::render_target {

SamplePattern standard_samples(std::uint32_t count) {
  using P = SamplePosition;
  switch (count) {
    case 2:
      return {{P{12, 12}, P{4, 4}}, 2};
    case 4:
      return {{P{6, 2}, P{14, 6}, P{2, 10}, P{10, 14}}, 4};
    case 8:
      return {{P{9, 5}, P{7, 11}, P{13, 9}, P{5, 3}, P{3, 13}, P{1, 7}, P{11, 15}, P{15, 1}}, 8};
    case 16:
      return {{P{9, 9}, P{7, 5}, P{5, 10}, P{12, 7}, P{3, 6}, P{10, 13}, P{13, 11}, P{11, 3}, P{6, 14}, P{8, 1},
               P{4, 2}, P{2, 12}, P{0, 8}, P{15, 4}, P{14, 15}, P{1, 0}},
              16};
    default:
      return {};
  }
}

SamplePattern sample_pattern(const std::array<std::uint32_t, 9>& words, std::uint32_t count) {
  SamplePattern pattern;
  const auto read = [&](std::uint32_t sample, unsigned dword, unsigned byte) {
    const std::uint32_t at = words[dword] >> (8 * byte);  // NUM-74
    pattern.samples[sample] = {static_cast<std::uint8_t>(at >> 4 & 15), static_cast<std::uint8_t>(at & 15)};
  };
  pattern.count = count == 2 || count == 4 || count == 8 || count == 16 ? count : 1;
  for (std::uint32_t s = 0; s < pattern.count; ++s) {
    switch (pattern.count) {
      case 16:
        read(s, 1 + s / 4, s % 4);
        break;
      case 8:
        read(s, s < 4 ? 6 : 5, s % 4);
        break;
      case 4:
        read(s, 7, s);
        break;
      case 2:
        read(s, 8, s);
        break;
      default:
        read(s, 8, 2);
        break;
    }
  }
  return pattern;
}

base::Result<base::Done> resolve_samples(const image::Surface& from, image::Surface& to) {
  const image::FormatInfo* format = image::format_info(from.format);
  if (format == nullptr || from.layout.empty() || to.layout.empty() || to.samples != 1 || from.width != to.width ||
      from.height != to.height)
    return base::error("OM-23", "a resolve needs a multisampled surface and one of the same size with one sample");
  if (!image::encodable(to.info())) return base::error("OM-23", fmt::format("{} can't be written", to.info().name));
  const bool integer = format->value_class != image::ValueClass::Float;
  if (integer != (to.info().value_class != image::ValueClass::Float))
    return base::error("OM-23", fmt::format("{} and {} are of different classes", format->name, to.info().name));
  const std::uint32_t layers = std::min(from.layout[0].slices / from.samples, to.layout[0].slices);
  for (std::uint32_t layer = 0; layer < layers; ++layer)
    for (std::uint32_t y = 0; y < from.height; ++y)
      for (std::uint32_t x = 0; x < from.width; ++x) {
        image::Texel result = image::fetch(from, 0, layer * from.samples, x, y).texel;
        if (!integer && from.samples > 1) {  // C62
          std::array<float, 4> sum{result.f(0), result.f(1), result.f(2), result.f(3)};
          for (std::uint32_t s = 1; s < from.samples; ++s) {
            const image::Texel sample = image::fetch(from, 0, layer * from.samples + s, x, y).texel;
            for (unsigned c = 0; c < 4; ++c) sum[c] = sum[c] + sample.f(static_cast<int>(c));
          }
          for (int c = 0; c < 4; ++c)
            result.set(c, base::canonical(sum[static_cast<unsigned>(c)] / static_cast<float>(from.samples)));
        }
        image::store(to, 0, layer, x, y, result);
      }
  return base::Done{};
}

}  // namespace heddle::render_target
