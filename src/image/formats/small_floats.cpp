// SPDX-License-Identifier: MIT
#include "image/formats/small_floats.hpp"

#include <algorithm>
#include <cmath>

namespace heddle::image {

std::uint32_t encode_unsigned_float(float x, unsigned exponent_bits, unsigned fraction_bits) {
  const std::uint32_t top = ((1u << exponent_bits) - 1) << fraction_bits;  // infinity
  if (x != x) return top | 1u << (fraction_bits - 1);
  if (!(x > 0)) return 0;
  const int bias = static_cast<int>((1u << exponent_bits) >> 1) - 1;
  const int least_exponent = 1 - bias;
  if (std::isinf(x)) return top;
  const int exponent = std::max(std::ilogb(x), least_exponent);
  // The value in units of the last fraction bit; a subnormal has no implied one, and a carry moves to the next exponent
  // by itself.
  const double units = std::nearbyint(std::ldexp(static_cast<double>(x), static_cast<int>(fraction_bits) - exponent));
  const auto whole = static_cast<std::uint64_t>(units);
  const std::uint64_t raw = (static_cast<std::uint64_t>(exponent - least_exponent) << fraction_bits) + whole;
  return raw >= top ? top : static_cast<std::uint32_t>(raw);
}

std::uint32_t encode_shared_exponent(const std::array<float, 3>& rgb) {
  std::array<double, 3> clamped{};
  for (std::size_t i = 0; i < 3; ++i) clamped[i] = rgb[i] > 0 ? std::min(static_cast<double>(rgb[i]), 65408.0) : 0.0;
  const double greatest = std::max({clamped[0], clamped[1], clamped[2]});
  int exponent = greatest == 0 ? 0 : std::max(-16, std::ilogb(greatest)) + 16;
  if (std::floor(std::ldexp(greatest, 24 - exponent) + 0.5) == 512.0) ++exponent;
  std::uint32_t word = static_cast<std::uint32_t>(exponent) << 27;
  for (std::size_t i = 0; i < 3; ++i)
    word |= static_cast<std::uint32_t>(std::floor(std::ldexp(clamped[i], 24 - exponent) + 0.5)) << (9 * i);
  return word;
}

}  // namespace heddle::image
