// SPDX-License-Identifier: MIT
#pragma once
// The sRGB transfer function, exact (C14): the real result rounded once to binary32 (NUM-21), and its inverse by
// thresholds (NUM-60).

#include <cstdint>
#include <span>

namespace heddle::image {

/// Widths of sRGB channels: 4, 5, 6, 8 and 10 bits.
[[nodiscard]] constexpr bool srgb_width(unsigned bits) {
  return bits == 4 || bits == 5 || bits == 6 || bits == 8 || bits == 10;
}

/// All 2^bits decoded values (NUM-21). `bits` is an sRGB width.
[[nodiscard]] std::span<const float> srgb_decode_table(unsigned bits);

/// Decodes the rational n / 1530 (BC1 to BC3 color: thirds and halves of 1/255; n <= 1530).
inline constexpr unsigned kSrgbRationalDenominator = 1530;
[[nodiscard]] float srgb_decode_rational(unsigned n);

/// T[1] ... T[2^bits - 1] of NUM-60.
[[nodiscard]] std::span<const float> srgb_thresholds(unsigned bits);

/// NUM-60; NaN gives 0 (NUM-62).
[[nodiscard]] std::uint32_t srgb_encode(float x, unsigned bits);

}  // namespace heddle::image
