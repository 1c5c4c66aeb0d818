// SPDX-License-Identifier: MIT
#include "base/half.hpp"

#include <cmath>

namespace heddle::base {

float half_to_float(std::uint16_t half) { return widened_half(half); }

namespace {

/// Rounds magnitude `significand * 2^exponent` (exact integer significand) to a binary16 magnitude.
std::uint16_t round_to_half(std::uint64_t significand, int exponent) {
  if (significand == 0) return 0;
  const int top = 63 - __builtin_clzll(significand);  // value in [2^(top+exponent), ...)
  const int e = top + exponent;                       // floor(log2)
  const int unit = e < -14 ? -24 : e - 10;            // weight of the last kept bit
  if (e > 16) return 0x7c00;
  const int drop = unit - exponent;  // bits to drop
  std::uint64_t kept;
  if (drop <= 0) {
    kept = significand << -drop;
  } else if (drop > 63) {
    kept = 0;
  } else {
    kept = significand >> drop;
    const std::uint64_t rest = significand & ((std::uint64_t{1} << drop) - 1), tie = std::uint64_t{1} << (drop - 1);
    if (rest > tie || (rest == tie && (kept & 1u) != 0)) ++kept;
  }
  if (e < -14) return static_cast<std::uint16_t>(kept);
  const std::uint64_t result =
      (static_cast<std::uint64_t>(e + 14) << 10) + kept;  // kept includes the leading one: +1 exponent
  return static_cast<std::uint16_t>(result >= 0x7c00 ? 0x7c00 : result);
}

}  // namespace

std::uint16_t float_to_half(float x) {
  const std::uint32_t bits = bits_of(x);
  const auto sign = static_cast<std::uint16_t>((bits >> 16) & 0x8000u);
  const std::uint32_t exponent = (bits >> 23) & 0xffu, fraction = bits & 0x7fffffu;
  if (exponent == 255) {
    if (fraction == 0) return static_cast<std::uint16_t>(sign | 0x7c00u);
    return static_cast<std::uint16_t>(sign | 0x7e00u | ((fraction >> 13) & 0x1ffu));
  }
  if (exponent == 0) return sign;  // below 2^-126: rounds to zero
  return static_cast<std::uint16_t>(sign | round_to_half(fraction | 0x800000u, static_cast<int>(exponent) - 150));
}

std::uint16_t double_to_half(double x) {
  const std::uint64_t bits = bits_of(x);
  const auto sign = static_cast<std::uint16_t>((bits >> 48) & 0x8000u);
  const std::uint64_t exponent = (bits >> 52) & 0x7ffu, fraction = bits & 0xfffffffffffffull;
  if (exponent == 2047) {
    if (fraction == 0) return static_cast<std::uint16_t>(sign | 0x7c00u);
    return static_cast<std::uint16_t>(sign | 0x7e00u | ((fraction >> 42) & 0x1ffu));
  }
  if (exponent == 0) return sign;
  return static_cast<std::uint16_t>(sign |
                                    round_to_half(fraction | 0x10000000000000ull, static_cast<int>(exponent) - 1075));
}

std::uint16_t float_to_bfloat16(float x) {
  const std::uint32_t bits = bits_of(x);
  if (x != x) return static_cast<std::uint16_t>((bits >> 16) | 0x40u);
  return static_cast<std::uint16_t>((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16);
}

}  // namespace heddle::base
