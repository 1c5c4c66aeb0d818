// SPDX-License-Identifier: MIT
#include "texture/simd/srgb_table.hpp"

#include <array>

#include "base/half.hpp"
#include "image/formats/srgb.hpp"
#include "texture/simd/stored_channel.hpp"

namespace heddle::texture::simd {
namespace {

SrgbTable make_table() {
  SrgbTable table{};
  const auto values = image::srgb_decode_table(8);
  for (std::uint32_t v = 0; v < 256; ++v) {
    const std::uint32_t bits = base::bits_of(values[v]);
    table.values[v] = values[v];
    for (std::uint32_t k = 0; k < 3; ++k) table.low[k][v] = static_cast<std::uint8_t>(bits >> 8 * k);
    (v < 128 ? table.high[v] : table.high_pairs[v / 2 - 64]) = static_cast<std::uint8_t>(bits >> 24);
  }
  return table;
}

/// NUM-60 in steps: thresholds before each step, and the one inside it.
std::array<std::uint32_t, kSrgbSteps> make_encode_table() {
  std::array<std::uint32_t, kSrgbSteps> table{};
  for (std::uint32_t k = 0; k < kSrgbSteps; ++k) {
    const std::uint32_t start = kSrgbFirst + (k << kSrgbShift), last = start + (1u << kSrgbShift) - 1;
    const std::uint32_t count = image::srgb_encode(base::float_from_bits(start), 8);
    table[k] = count << 24 | 0xffffffu;
    for (const float threshold : image::srgb_thresholds(8))
      if (const std::uint32_t bits = base::bits_of(threshold); bits > start && bits <= last)
        table[k] = count << 24 | (bits - start);
  }
  return table;
}

}  // namespace

const SrgbTable& srgb_table() {
  static const SrgbTable table = make_table();
  return table;
}

const std::uint32_t* srgb_encode_table() {
  static const auto table = make_encode_table();
  return table.data();
}

}  // namespace heddle::texture::simd
