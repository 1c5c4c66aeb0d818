// SPDX-License-Identifier: MIT
#pragma once
// Unsigned floats of 11 and 10 bits (NUM-16, NUM-17, NUM-57, NUM-58) and the shared exponent (NUM-18, NUM-59).

#include <array>
#include <cstdint>

#include "base/half.hpp"

namespace heddle::image {

/// NUM-16, NUM-17: an unsigned float with `exponent_bits` above `fraction_bits`, bias 2^(exponent_bits-1) - 1. Exact.
[[nodiscard]] inline float decode_unsigned_float(std::uint32_t raw, unsigned exponent_bits, unsigned fraction_bits) {
  const std::uint32_t top = (1u << exponent_bits) - 1, bias = top >> 1;
  const std::uint32_t fraction = raw & ((1u << fraction_bits) - 1), exponent = raw >> fraction_bits & top;
  const std::uint32_t least = base::bits_of(1.0f) - ((bias - 1 + fraction_bits) << 23);  // of the subnormals
  const std::uint32_t subnormal =
      base::bits_of(static_cast<float>(static_cast<std::int32_t>(fraction)) * base::float_from_bits(least));
  const std::uint32_t normal = (exponent + 127 - bias) << 23 | fraction << (23 - fraction_bits);
  const std::uint32_t special = fraction == 0 ? 0x7f800000u : 0x7fc00000u;
  return base::float_from_bits(exponent == top ? special : exponent == 0 ? subnormal : normal);
}

/// NUM-57, NUM-58: NaN has only the top fraction bit set; zero and below give 0; else round to nearest even, overflow
/// to infinity [C31].
[[nodiscard]] std::uint32_t encode_unsigned_float(float x, unsigned exponent_bits, unsigned fraction_bits);

/// NUM-18: f * 2^(e - 24), exact.
[[nodiscard]] inline float decode_shared_exponent(std::uint32_t fraction, std::uint32_t exponent) {
  return static_cast<float>(static_cast<std::int32_t>(fraction)) * base::float_from_bits((exponent + 103) << 23);
}

/// NUM-59: the whole R9G9B9E5 word.
[[nodiscard]] std::uint32_t encode_shared_exponent(const std::array<float, 3>& rgb);

}  // namespace heddle::image
