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

}  // namespace heddle::base
