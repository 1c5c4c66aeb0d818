// BC1 to BC5. Interpolated values are exact rationals, rounded once (NUM-27 [C29]).

#include <algorithm>

#include "base/half.hpp"
#include "image/formats/codecs.hpp"
#include "image/formats/srgb.hpp"

namespace heddle::image {
namespace {

/// A 5:6:5 end point as 8-bit channels, by bit replication.
std::array<unsigned, 3> expand565(unsigned colour) {
  const unsigned r = colour >> 11, g = colour >> 5 & 0x3f, b = colour & 0x1f;
  return {r << 3 | r >> 2, g << 2 | g >> 4, b << 3 | b >> 2};
}

/// The colour half of a block. `three_colours`: BC1 may have the mode with a midpoint and a fourth code; BC2 and BC3
/// never do. Returns false for the fourth code of that mode.
bool decode_colour(const std::uint8_t* block, unsigned x, unsigned y, bool srgb, bool three_colours, Texel& texel) {
  const auto c0 = static_cast<unsigned>(load_little(block, 2)), c1 = static_cast<unsigned>(load_little(block + 2, 2));
  const auto code = static_cast<unsigned>(block[4 + y] >> (2 * x) & 3);
  const auto a = expand565(c0), b = expand565(c1);
  const bool midpoint = three_colours && c0 <= c1;
  if (midpoint && code == 3) return false;
  for (std::size_t i = 0; i < 3; ++i) {
    // The value is n / (255 * 6), so that thirds and halves have one denominator.
    unsigned n = 0;
    switch (code) {
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
  return true;
}

/// The 3-bit code of a BC4 half block, and what it stands for: numerator over 7, 5 or 1.
struct Ramp {
  int numerator = 0;
  int steps = 1;
};
Ramp decode_ramp(const std::uint8_t* block, unsigned x, unsigned y, int a, int b, bool eight_values, int low,
                 int high) {
  const auto code = static_cast<int>(load_little(block + 2, 6) >> (3 * (4 * y + x)) & 7);
  if (code == 0) return {a, 1};
  if (code == 1) return {b, 1};
  if (eight_values) return {(8 - code) * a + (code - 1) * b, 7};
  if (code == 6) return {low, 1};
  if (code == 7) return {high, 1};
  return {(6 - code) * a + (code - 1) * b, 5};
}

float decode_unorm_ramp(const std::uint8_t* block, unsigned x, unsigned y) {
  const int a = block[0], b = block[1];
  const Ramp ramp = decode_ramp(block, x, y, a, b, a > b, 0, 255);
  return static_cast<float>(ramp.numerator) / static_cast<float>(ramp.steps * 255);
}

/// -128 counts as -127; which of the two ramps applies is decided by the bytes as they stand.
float decode_snorm_ramp(const std::uint8_t* block, unsigned x, unsigned y) {
  const int a = static_cast<std::int8_t>(block[0]), b = static_cast<std::int8_t>(block[1]);
  const Ramp ramp = decode_ramp(block, x, y, std::max(a, -127), std::max(b, -127), a > b, -127, 127);
  return static_cast<float>(ramp.numerator) / static_cast<float>(ramp.steps * 127);
}

}  // namespace

Texel decode_bc1_to_3(const FormatInfo& format, const std::uint8_t* block, unsigned x, unsigned y, bool srgb) {
  Texel texel = default_texel(ValueClass::Float);
  if (format.codec == Codec::Bc1) {
    if (decode_colour(block, x, y, srgb, true, texel)) return texel;
    // NUM-27: the punch-through texel; DXT1_RGB has no alpha.
    return format.has_channel('A') ? Texel{} : default_texel(ValueClass::Float);
  }
  decode_colour(block + 8, x, y, srgb, false, texel);
  if (format.codec == Codec::Bc2)
    texel.set(3, static_cast<float>(load_little(block, 8) >> (4 * (4 * y + x)) & 15) / 15.0f);
  else
    texel.set(3, decode_unorm_ramp(block, x, y));
  return texel;
}

Texel decode_bc4_5(const FormatInfo& format, const std::uint8_t* block, unsigned x, unsigned y) {
  const bool is_signed = format.channels[0].type == ChannelType::Snorm;
  Texel texel = default_texel(ValueClass::Float);
  for (int i = 0; i < (format.codec == Codec::Bc5 ? 2 : 1); ++i)
    texel.set(i, is_signed ? decode_snorm_ramp(block + 8 * i, x, y) : decode_unorm_ramp(block + 8 * i, x, y));
  return texel;
}

}  // namespace heddle::image
