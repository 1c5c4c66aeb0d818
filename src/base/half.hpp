// SPDX-License-Identifier: MIT
#pragma once
// binary16, bfloat16 and bit casts: NUM-40, NUM-41, NUM-89.

#include <bit>
#include <cstdint>

namespace heddle::base {

inline std::uint32_t bits_of(float x) { return std::bit_cast<std::uint32_t>(x); }
inline std::uint64_t bits_of(double x) { return std::bit_cast<std::uint64_t>(x); }
inline float float_from_bits(std::uint32_t bits) { return std::bit_cast<float>(bits); }
inline double double_from_bits(std::uint64_t bits) { return std::bit_cast<double>(bits); }

/// NUM-40: exact; a NaN becomes quiet and keeps its payload in the upper fraction bits.
float half_to_float(std::uint16_t half);

/// NUM-41: round to nearest even, subnormal results kept, overflow to infinity.
std::uint16_t float_to_half(float x);

/// As float_to_half from binary64 with a single rounding.
std::uint16_t double_to_half(double x);

/// NUM-89: round to nearest even on bit 16; a NaN stays NaN (upper payload bits, quiet bit set).
std::uint16_t float_to_bfloat16(float x);
inline float bfloat16_to_float(std::uint16_t bits) { return float_from_bits(static_cast<std::uint32_t>(bits) << 16); }

/// NUM-3: a NaN that comes out of arithmetic becomes 7FC00000h.
inline float canonical(float x) { return x == x ? x : float_from_bits(0x7fc00000u); }

/// NUM-40 for loops over many values: no branches, so that a compiler can do several at once.
[[nodiscard]] inline float widened_half(std::uint16_t half) {
  const std::uint32_t sign = (half & 0x8000u) << 16, magnitude = half & 0x7fffu;
  const std::uint32_t shifted = magnitude << 13;
  const std::uint32_t normal = shifted + (112u << 23);
  const std::uint32_t special = shifted | (magnitude > 0x7c00u ? 0x7fc00000u : 0x7f800000u);
  const std::uint32_t subnormal = bits_of(static_cast<float>(static_cast<std::int32_t>(magnitude)) * 0x1p-24f);
  return float_from_bits(sign | (magnitude >= 0x7c00u ? special : magnitude >= 0x400u ? normal : subnormal));
}

}  // namespace heddle::base
