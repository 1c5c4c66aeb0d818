// SPDX-License-Identifier: MIT
#include "machine/numbers/number.hpp"

#include <cmath>

namespace heddle::machine {
namespace {

struct Format {
  int fraction_bits, min_exponent, max_exponent;  ///< of normal numbers
};

Format format_of(isa::Type type) {
  switch (type) {
    case isa::Type::HF:
      return {10, -14, 15};
    case isa::Type::BF:
      return {7, -126, 127};
    case isa::Type::DF:
      return {52, -1022, 1023};
    default:
      return {23, -126, 127};
  }
}

int top_bit(UnsignedWide x) {
  const auto high = static_cast<std::uint64_t>(x >> 64), low = static_cast<std::uint64_t>(x);
  return high != 0 ? 127 - __builtin_clzll(high) : 63 - __builtin_clzll(low);
}

bool rounds_away(Rounding rounding, bool negative, bool odd, bool above_half, bool half, bool inexact) {
  switch (rounding) {
    case Rounding::NearestEven:
      return above_half || (half && odd);
    case Rounding::Up:
      return inexact && !negative;
    case Rounding::Down:
      return inexact && negative;
    case Rounding::TowardZero:
      break;
  }
  return false;
}

/// significand * 2^exponent as bits of a format (sign included).
std::uint64_t encode(bool negative, UnsignedWide significand, int exponent, const Format& f, Rounding rounding) {
  const int width = f.fraction_bits + 1 + (f.max_exponent == 15 ? 5 : f.max_exponent == 127 ? 8 : 11);
  const std::uint64_t sign = negative ? std::uint64_t{1} << (width - 1) : 0;
  if (significand == 0) return sign;
  const std::uint64_t infinity = static_cast<std::uint64_t>(2 * f.max_exponent + 1) << f.fraction_bits;
  const int e = top_bit(significand) + exponent;
  const bool away_from_zero = rounding == Rounding::NearestEven || (rounding == Rounding::Up && !negative) ||
                              (rounding == Rounding::Down && negative);
  const std::uint64_t overflow = sign | (away_from_zero ? infinity : infinity - 1);
  if (e > f.max_exponent) return overflow;
  const int unit = (e < f.min_exponent ? f.min_exponent : e) - f.fraction_bits;
  const int drop = unit - exponent;
  std::uint64_t kept = 0;
  if (drop <= 0) {
    kept = static_cast<std::uint64_t>(significand << -drop);
  } else {
    const UnsignedWide rest = drop > 127 ? significand : significand & ((UnsignedWide{1} << drop) - 1);
    const UnsignedWide tie = drop > 128 ? 0 : UnsignedWide{1} << (drop - 1);
    kept = drop > 127 ? 0 : static_cast<std::uint64_t>(significand >> drop);
    const bool above = tie != 0 && rest > tie, half = tie != 0 && rest == tie;
    if (rounds_away(rounding, negative, (kept & 1u) != 0, above, half, rest != 0)) ++kept;
  }
  std::uint64_t magnitude = kept;
  if (e >= f.min_exponent) magnitude += static_cast<std::uint64_t>(e - f.min_exponent) << f.fraction_bits;
  return magnitude >= infinity ? overflow : sign | magnitude;
}

struct Parts {
  bool negative, finite, nan;
  std::uint64_t significand;
  int exponent;
};

Parts parts_of(double x) {
  const std::uint64_t bits = base::bits_of(x), fraction = bits & 0xfffffffffffffu;
  const int e = static_cast<int>(bits >> 52 & 0x7ffu);
  Parts p{(bits >> 63) != 0, e != 0x7ff, e == 0x7ff && fraction != 0, fraction, -1074};
  if (p.finite && e != 0) p = {p.negative, true, false, fraction | std::uint64_t{1} << 52, e - 1075};
  return p;
}

}  // namespace

Wide clamp_integer(Wide value, isa::Type type) {
  if (!isa::is_integer(type)) return value;
  const unsigned bits = 8 * isa::type_bytes(type);
  const Wide low = isa::is_signed(type) ? -(Wide{1} << (bits - 1)) : Wide{0};
  const Wide high = (Wide{1} << (isa::is_signed(type) ? bits - 1 : bits)) - 1;
  return value < low ? low : value > high ? high : value;
}

std::uint64_t scaled_float_bits(Wide value, int exponent, isa::Type type, Rounding rounding) {
  const bool negative = value < 0;
  const UnsignedWide magnitude =
      negative ? UnsignedWide{0} - static_cast<UnsignedWide>(value) : static_cast<UnsignedWide>(value);
  return encode(negative, magnitude, exponent, format_of(type), rounding);
}

std::uint64_t float_bits(Wide value, isa::Type type, Rounding rounding) {
  return scaled_float_bits(value, 0, type, rounding);
}

std::uint32_t single_bits(double value, Rounding rounding) {
  const Parts p = parts_of(value);
  if (p.nan) return (p.negative ? 0xffc00000u : 0x7fc00000u) | static_cast<std::uint32_t>(p.significand >> 29);
  if (!p.finite) return p.negative ? 0xff800000u : 0x7f800000u;
  return static_cast<std::uint32_t>(encode(p.negative, p.significand, p.exponent, format_of(isa::Type::F), rounding));
}

std::uint16_t half_bits(double value, Rounding rounding) {
  const Parts p = parts_of(value);
  if (p.nan) return static_cast<std::uint16_t>((p.negative ? 0xfe00u : 0x7e00u) | (p.significand >> 42 & 0x1ffu));
  if (!p.finite) return p.negative ? 0xfc00u : 0x7c00u;
  return static_cast<std::uint16_t>(encode(p.negative, p.significand, p.exponent, format_of(isa::Type::HF), rounding));
}

Wide truncate(double value) {
  const Parts p = parts_of(value);
  if (p.nan) return 0;
  const Wide limit = Wide{1} << 100;
  Wide magnitude;
  if (!p.finite || p.exponent > 47)
    magnitude = limit;
  else if (p.exponent >= 0)
    magnitude = static_cast<Wide>(p.significand) << p.exponent;
  else
    magnitude = p.exponent < -63 ? 0 : static_cast<Wide>(p.significand >> -p.exponent);
  return p.negative ? -magnitude : magnitude;
}

double widen(std::uint64_t bits, isa::Type type) {
  switch (type) {
    case isa::Type::DF:
      return base::double_from_bits(bits);
    case isa::Type::HF:
      return static_cast<double>(base::half_to_float(static_cast<std::uint16_t>(bits)));
    case isa::Type::BF:
      return static_cast<double>(base::bfloat16_to_float(static_cast<std::uint16_t>(bits)));
    default:
      return static_cast<double>(base::float_from_bits(static_cast<std::uint32_t>(bits)));
  }
}

float vf_value(std::uint8_t byte) {
  if ((byte & 0x7fu) == 0) return base::float_from_bits(static_cast<std::uint32_t>(byte) << 24);
  const std::uint32_t exponent = (byte >> 4 & 7u) + 124u;  // bias 3
  return base::float_from_bits(static_cast<std::uint32_t>(byte & 0x80u) << 24 | exponent << 23 |
                               static_cast<std::uint32_t>(byte & 15u) << 19);
}

std::uint64_t packed_element(std::uint64_t immediate, isa::Type type, unsigned lane) {
  if (type == isa::Type::VF) return base::bits_of(vf_value(static_cast<std::uint8_t>(immediate >> (8 * (lane & 3u)))));
  const auto nibble = static_cast<std::uint32_t>(immediate >> (4 * (lane & 7u)) & 15u);
  if (type == isa::Type::UV) return nibble;
  return static_cast<std::uint16_t>((nibble ^ 8u) - 8u);
}

std::uint8_t half_to_bf8(std::uint16_t half) {
  const std::uint32_t magnitude = half & 0x7fffu, sign = (half >> 8) & 0x80u;
  if (magnitude > 0x7c00u)
    return static_cast<std::uint8_t>(sign | 0x7eu | (magnitude >> 8 & 1u));  // quiet, upper payload bits
  std::uint32_t kept = magnitude >> 8;
  const std::uint32_t rest = magnitude & 0xffu;
  if (rest > 0x80u || (rest == 0x80u && (kept & 1u) != 0)) ++kept;
  return static_cast<std::uint8_t>(sign | kept);
}

std::uint64_t element_of(Wide value, isa::Type to, bool saturate, Rounding rounding) {
  if (isa::is_float(to)) {
    if (saturate) value = value < 0 ? 0 : value > 1 ? 1 : value;  // NUM-90
    return float_bits(value, to, rounding);
  }
  const auto bits = static_cast<std::uint64_t>(saturate ? clamp_integer(value, to) : value);  // NUM-84, NUM-85
  const unsigned size = isa::type_bytes(to);
  return size == 8 ? bits : bits & ((std::uint64_t{1} << (8 * size)) - 1);
}

std::uint64_t element_of(double value, isa::Type to, bool saturate, Rounding rounding) {
  if (saturate && isa::is_float(to)) value = saturate_float(value);
  switch (to) {
    case isa::Type::DF:
      return base::bits_of(value);
    case isa::Type::F:
      return single_bits(value, rounding);
    case isa::Type::HF:
      return half_bits(value, rounding);
    case isa::Type::BF:
      return base::float_to_bfloat16(base::float_from_bits(single_bits(value, rounding)));
    default:
      return element_of(truncate(value), to, true, rounding);  // NUM-80, C35: clamped with and without .sat
  }
}

std::uint64_t convert(std::uint64_t bits, isa::Type from, isa::Type to, bool saturate, Rounding rounding) {
  if (!isa::is_float(from)) return element_of(wide_of(bits, from), to, saturate, rounding);
  if (from == to && !saturate) return bits;  // a copy keeps its bits
  double value = widen(bits, from);
  // NUM-88: a subnormal source becomes zero when it narrows.
  const bool narrows = isa::is_float(to) && isa::type_bytes(to) < isa::type_bytes(from);
  if (narrows && to != isa::Type::BF)
    value = std::fabs(value) < (from == isa::Type::DF ? 0x1p-1022 : 0x1p-126) ? std::copysign(0.0, value) : value;
  return element_of(value, to, saturate, rounding);
}

double half_multiply_add(double a, double b, double c, Rounding rounding) {
  const double sum = a * b + c;
  if (!std::isfinite(sum) || sum == 0) return sum;
  // Halves are multiples of 2^-24 below 2^40 units: product and sum are exact in 128 bits.
  const auto units = [](double x) { return static_cast<Wide>(static_cast<std::int64_t>(x * 0x1p24)); };
  const Wide exact = units(a) * units(b) + units(c) * (Wide{1} << 24);
  return static_cast<double>(
      base::half_to_float(static_cast<std::uint16_t>(scaled_float_bits(exact, -48, isa::Type::HF, rounding))));
}

}  // namespace heddle::machine
