// SPDX-License-Identifier: MIT
#pragma once
// Numbers of vISA operands: conversion between types, rounding, saturation, subnormals (NUM-80..99).

#include <cstdint>

#include "base/half.hpp"
#include "isa/types.hpp"

namespace heddle::machine {

/// Integers are computed in this type: wider than any exact result of sources of 64 bits ("unlimited precision before
/// NUM-84").
__extension__ typedef __int128 Wide;
__extension__ typedef unsigned __int128 UnsignedWide;

enum class Rounding : std::uint8_t { NearestEven = 0, Up = 1, Down = 2, TowardZero = 3 };

/// What %cr0 says (NUM-92, NUM-93).
struct Modes {
  bool alt = false;  ///< ALT mode of F
  Rounding rounding = Rounding::NearestEven;
  bool keep_half = false, keep_single = true, keep_double = true;  ///< subnormals are kept
  static Modes from(std::uint32_t cr0) {
    return {(cr0 & 1u) != 0, static_cast<Rounding>(cr0 >> 4 & 3u), (cr0 & 0x400u) != 0, (cr0 & 0x80u) != 0,
            (cr0 & 0x40u) != 0};
  }
};
inline constexpr std::uint32_t kInitialCr0 = 0xc0;  ///< C36

inline constexpr std::uint32_t kNanSingle =
    0x7fc00000u;  ///< arithmetic NaNs are canonical, so that engines agree (NUM-3)
inline constexpr std::uint64_t kNanDouble = 0x7ff8000000000000u;
inline constexpr std::uint16_t kNanHalf = 0x7e00u;

/// One integer element, extended by its own type (NUM-82).
[[nodiscard]] inline Wide wide_of(std::uint64_t bits, isa::Type type) {
  using isa::Type;
  switch (type) {
    case Type::B:
      return static_cast<std::int8_t>(bits);
    case Type::W:
    case Type::V:
      return static_cast<std::int16_t>(bits);
    case Type::D:
      return static_cast<std::int32_t>(bits);
    case Type::Q:
      return static_cast<std::int64_t>(bits);
    case Type::UB:
      return static_cast<std::uint8_t>(bits);
    case Type::UW:
    case Type::UV:
      return static_cast<std::uint16_t>(bits);
    case Type::UD:
      return static_cast<std::uint32_t>(bits);
    case Type::Bool:
      return static_cast<Wide>(bits & 1u);
    case Type::UQ:
    case Type::DF:
    case Type::F:
    case Type::VF:
    case Type::HF:
    case Type::BF:
      break;
  }
  return static_cast<Wide>(bits);
}

/// NUM-85: clamps to the range of an integer type.
[[nodiscard]] Wide clamp_integer(Wide value, isa::Type type);

/// Bits of a value rounded once to F, HF, DF or BF (NUM-86).
[[nodiscard]] std::uint64_t float_bits(Wide value, isa::Type type, Rounding rounding);
/// value * 2^exponent, rounded once.
[[nodiscard]] std::uint64_t scaled_float_bits(Wide value, int exponent, isa::Type type, Rounding rounding);

/// NUM-88: rounds to a narrower float; a NaN stays NaN with its upper payload bits, a subnormal result is kept.
[[nodiscard]] std::uint32_t single_bits(double value, Rounding rounding);
[[nodiscard]] std::uint16_t half_bits(double value, Rounding rounding);

/// NUM-80, NUM-81: truncated toward zero; NaN gives 0, values beyond +-2^100 that magnitude.
[[nodiscard]] Wide truncate(double value);

/// NUM-87, exact; NaNs stay and become quiet.
[[nodiscard]] double widen(std::uint64_t bits, isa::Type type);

/// NUM-95
[[nodiscard]] float vf_value(std::uint8_t byte);

/// Element k of a packed immediate (V, UV: 8 of 4 bits; VF: 4 of 8 bits) as bits of W, UW or F.
[[nodiscard]] std::uint64_t packed_element(std::uint64_t immediate, isa::Type type, unsigned lane);

/// NUM-96: E5M2.
[[nodiscard]] std::uint8_t half_to_bf8(std::uint16_t half);
[[nodiscard]] inline std::uint16_t bf8_to_half(std::uint8_t bits) { return static_cast<std::uint16_t>(bits << 8); }

[[nodiscard]] inline float flush(float x) {
  return (base::bits_of(x) & 0x7f800000u) == 0 ? base::float_from_bits(base::bits_of(x) & 0x80000000u) : x;
}
[[nodiscard]] inline double flush(double x) {
  return (base::bits_of(x) & 0x7ff0000000000000u) == 0 ? base::double_from_bits(base::bits_of(x) & 0x8000000000000000u)
                                                       : x;
}

/// NUM-90: [0, 1]; NaN and -0 give +0.
template <typename T>
[[nodiscard]] T saturate_float(T x) {
  return x > T{0} ? (x < T{1} ? x : T{1}) : T{0};
}

/// One element from type to type, as MOV converts it (NUM-80..90). V, UV and VF are not element types.
[[nodiscard]] std::uint64_t convert(std::uint64_t bits, isa::Type from, isa::Type to, bool saturate, Rounding rounding);
/// The last step of every instruction: an exact integer, or a float value, as an element of `to`.
[[nodiscard]] std::uint64_t element_of(Wide value, isa::Type to, bool saturate, Rounding rounding);
[[nodiscard]] std::uint64_t element_of(double value, isa::Type to, bool saturate, Rounding rounding);

/// a * b + c of three halves with one rounding (NUM-94).
[[nodiscard]] double half_multiply_add(double a, double b, double c, Rounding rounding);

}  // namespace heddle::machine
