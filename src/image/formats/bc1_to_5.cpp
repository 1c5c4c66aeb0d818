// SPDX-License-Identifier: MIT
// BC1 to BC5. Interpolated values are exact rationals, rounded once (NUM-27 [C29]).

#include <algorithm>

#include "base/half.hpp"
#include "image/formats/codecs.hpp"
#include "image/formats/srgb.hpp"

namespace heddle::image {
namespace {

/// A 5:6:5 end point as 8-bit channels, by bit replication.
std::array<unsigned, 3> expand565(unsigned color) {
  const unsigned r = color >> 11, g = color >> 5 & 0x3f, b = color & 0x1f;
  return {r << 3 | r >> 2, g << 2 | g >> 4, b << 3 | b >> 2};
}

/// The color half of a block: two bits a texel choose one of four colors.
struct Colors {
  /// `three_colors`: BC1 may have the mode with a midpoint and a fourth code; BC2 and BC3 never do.
  Colors(const std::uint8_t* block, bool three_colors)
      : codes(static_cast<std::uint32_t>(load_little(block + 4, 4))),
        first(static_cast<unsigned>(load_little(block, 2))),
        second(static_cast<unsigned>(load_little(block + 2, 2))),
        midpoint(three_colors && first <= second) {}

  [[nodiscard]] unsigned code(unsigned x, unsigned y) const { return codes >> (8 * y + 2 * x) & 3; }

  /// What a code stands for. Of the texel that has none (BC1's fourth code beside a midpoint): `through`.
  [[nodiscard]] Texel color(unsigned chosen, bool srgb, const Texel& through) const {
    if (midpoint && chosen == 3) return through;
    const auto a = expand565(first), b = expand565(second);
    Texel texel = default_texel(ValueClass::Float);
    for (std::size_t i = 0; i < 3; ++i) {
      // The value is n / (255 * 6), so that thirds and halves have one denominator.
      unsigned n = 0;
      switch (chosen) {
        case 0:
          n = 6 * a[i];
          break;
        case 1:
          n = 6 * b[i];
          break;
        case 2:
          n = midpoint ? 3 * (a[i] + b[i]) : 2 * (2 * a[i] + b[i]);
          break;
        default:
          n = 2 * (a[i] + 2 * b[i]);
          break;
      }
      texel.set(static_cast<int>(i),
                srgb ? srgb_decode_rational(n) : static_cast<float>(n) / static_cast<float>(kSrgbRationalDenominator));
    }
    return texel;
  }

  std::uint32_t codes;
  unsigned first, second;
  bool midpoint;
};

Colors colors_of(const FormatInfo& format, const std::uint8_t* block) {
  return format.codec == Codec::Bc1 ? Colors(block, true) : Colors(block + 8, false);
}

/// NUM-27: the punch-through texel; DXT1_RGB has no alpha.
Texel punch_through(const FormatInfo& format) {
  return format.has_channel('A') ? Texel{} : default_texel(ValueClass::Float);
}

float bc2_alpha(std::uint64_t alphas, unsigned i) { return static_cast<float>(alphas >> (4 * i) & 15) / 15.0f; }

/// The 3-bit code of texel `i` (row by row) of a BC4 half block.
unsigned ramp_code(std::uint64_t half_block, unsigned i) {
  return static_cast<unsigned>(half_block >> (16 + 3 * i) & 7);
}

/// What a code stands for: numerator over 7, 5 or 1.
struct Ramp {
  int numerator = 0;
  int steps = 1;
};
Ramp decode_ramp(int code, int a, int b, bool eight_values, int low, int high) {
  if (code == 0) return {a, 1};
  if (code == 1) return {b, 1};
  if (eight_values) return {(8 - code) * a + (code - 1) * b, 7};
  if (code == 6) return {low, 1};
  if (code == 7) return {high, 1};
  return {(6 - code) * a + (code - 1) * b, 5};
}

float unorm_ramp(std::uint64_t half_block, unsigned code) {
  const int a = static_cast<std::uint8_t>(half_block), b = static_cast<std::uint8_t>(half_block >> 8);
  const Ramp ramp = decode_ramp(static_cast<int>(code), a, b, a > b, 0, 255);
  return static_cast<float>(ramp.numerator) / static_cast<float>(ramp.steps * 255);
}

/// -128 counts as -127; which of the two ramps applies is decided by the bytes as they stand.
float snorm_ramp(std::uint64_t half_block, unsigned code) {
  const int a = static_cast<std::int8_t>(half_block), b = static_cast<std::int8_t>(half_block >> 8);
  const Ramp ramp = decode_ramp(static_cast<int>(code), std::max(a, -127), std::max(b, -127), a > b, -127, 127);
  return static_cast<float>(ramp.numerator) / static_cast<float>(ramp.steps * 127);
}

float ramp_value(std::uint64_t half_block, unsigned code, bool is_signed) {
  return is_signed ? snorm_ramp(half_block, code) : unorm_ramp(half_block, code);
}

/// A half block as one channel of all texels.
void set_ramp(std::uint64_t half_block, bool is_signed, int channel, std::array<Texel, 16>& texels) {
  std::array<float, 8> values{};
  for (unsigned code = 0; code < 8; ++code) values[code] = ramp_value(half_block, code, is_signed);
  for (unsigned i = 0; i < 16; ++i) texels[i].set(channel, values[ramp_code(half_block, i)]);
}

}  // namespace

Texel decode_bc1_to_3(const FormatInfo& format, const std::uint8_t* block, unsigned x, unsigned y, bool srgb) {
  const Colors colors = colors_of(format, block);
  Texel texel = colors.color(colors.code(x, y), srgb, punch_through(format));
  if (format.codec == Codec::Bc1) return texel;
  const std::uint64_t alphas = load_little(block, 8);
  const unsigned i = 4 * y + x;
  texel.set(3, format.codec == Codec::Bc2 ? bc2_alpha(alphas, i) : unorm_ramp(alphas, ramp_code(alphas, i)));
  return texel;
}

void decode_bc1_to_3_block(const FormatInfo& format, const std::uint8_t* block, bool srgb, std::uint32_t* to,
                           std::size_t pitch) {
  const Colors colors = colors_of(format, block);
  const Texel through = punch_through(format);
  std::array<Texel, 4> palette;
  for (unsigned code = 0; code < 4; ++code) palette[code] = colors.color(code, srgb, through);
  std::array<Texel, 16> texels;
  for (unsigned i = 0; i < 16; ++i) texels[i] = palette[colors.code(i % 4, i / 4)];
  const std::uint64_t alphas = load_little(block, 8);
  if (format.codec == Codec::Bc3) set_ramp(alphas, false, 3, texels);
  for (unsigned i = 0; format.codec == Codec::Bc2 && i < 16; ++i) texels[i].set(3, bc2_alpha(alphas, i));
  store_texels(texels, to, pitch);
}

Texel decode_bc4_5(const FormatInfo& format, const std::uint8_t* block, unsigned x, unsigned y) {
  const bool is_signed = format.channels[0].type == ChannelType::Snorm;
  Texel texel = default_texel(ValueClass::Float);
  for (int i = 0; i < (format.codec == Codec::Bc5 ? 2 : 1); ++i) {
    const std::uint64_t half_block = load_little(block + 8 * i, 8);
    texel.set(i, ramp_value(half_block, ramp_code(half_block, 4 * y + x), is_signed));
  }
  return texel;
}

void decode_bc4_5_block(const FormatInfo& format, const std::uint8_t* block, std::uint32_t* to, std::size_t pitch) {
  const bool is_signed = format.channels[0].type == ChannelType::Snorm;
  std::array<Texel, 16> texels;
  texels.fill(default_texel(ValueClass::Float));
  for (int i = 0; i < (format.codec == Codec::Bc5 ? 2 : 1); ++i)
    set_ramp(load_little(block + 8 * i, 8), is_signed, i, texels);
  store_texels(texels, to, pitch);
}

}  // namespace heddle::image
