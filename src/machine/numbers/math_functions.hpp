// SPDX-License-Identifier: MIT
#pragma once
// The functions of NUM-98, written once over a way of computing `N`: one number at a time for the reference engine,
// vectors in compiled code for the fast one. Everything is binary64 with fused multiply-add, in one order, so both give
// the same bits; results are rounded once. Sources are binary32; relative errors stay under 2^-30.
//
// N has the types F, D (binary32, binary64), U, L (their bits), B (truth) and R (results, `result` makes them of D), +,
// -, *, / of D, bit operations of U and L, and the functions used below. `rarely(where, usual, make)` is `usual`, or
// where that occurs in any lane make(), which gives every lane. `each` applies a function of math.hpp lane by lane.

#include <cstdint>

namespace heddle::machine::math {

enum class Function : std::uint32_t { Sine, Cosine, Power };

inline constexpr double kInversePi = 0x1.45f306dc9c883p-2;
inline constexpr double kPi = 0x1.921fb54442d18p+1, kPiRest = 0x1.1a62633145c07p-53;
inline constexpr double kRounder = 0x1.8p52;  ///< added and taken away: nearest whole number, its bits lowest

/// c[0] + c[1] x + c[2] x^2 ...
template <class N, unsigned Count>
typename N::D polynomial(const N& n, const double (&c)[Count], typename N::D x) {
  typename N::D sum = n.number(c[Count - 1]);
  for (unsigned i = Count - 1; i-- > 0;) sum = n.fma(sum, x, n.number(c[i]));
  return sum;
}

// Minimax in the relative error; the intervals are a little wider than needed.

/// sin(r) / r in r^2, |r| <= pi / 2: 2^-35.4
inline constexpr double kSine[] = {0x1.ffffffffd17d1p-1,   -0x1.5555554175949p-3, 0x1.11110b74aaa06p-7,
                                   -0x1.a017a8fd184ffp-13, 0x1.716ba4de72639p-19, -0x1.9a0e1661f8b03p-26};
/// 2^f, |f| <= 1/2: 2^-34.5
inline constexpr double kExp2[] = {0x1.ffffffffabbcbp-1,  0x1.62e42ff11629cp-1, 0x1.ebfbe0a4bec1ap-3,
                                   0x1.c6b08aaf2d298p-5,  0x1.3b29dc40a014bp-7, 0x1.5d8a708999c15p-10,
                                   0x1.446a2006b72f3p-13, 0x1.fe1782e713d8ep-17};
/// log2(1 + f) / f, 1 + f between the roots of 1/2 and 2: 2^-30.5
inline constexpr double kLog2[] = {0x1.71547656a17f4p+0,  -0x1.715476299f4dcp-1, 0x1.ec707f0b6a57cp-2,
                                   -0x1.7154906f1b2bap-2, 0x1.27808330e6d76p-2,  -0x1.ec7a127ecdb8dp-3,
                                   0x1.a3edd6aa8d68dp-3,  -0x1.6e67ae8c441a0p-3, 0x1.605f5adbedfa7p-3,
                                   -0x1.5a3df0e50f071p-3, 0x1.8d736b53c561cp-4};
/// The same: 2^-38.4. power multiplies its error by up to 150 ln 2.
inline constexpr double kLog2Precise[] = {
    0x1.71547652b58f6p+0,  -0x1.71547651b7081p-1, 0x1.ec709de33c771p-2,  -0x1.715478883aeb3p-2, 0x1.2776b6cd0208ap-2,
    -0x1.ec6f2e013d9e6p-3, 0x1.a61b7dcc255aep-3,  -0x1.7188d316d96c9p-3, 0x1.481fad2c78aabp-3,  -0x1.23d64fbb9d6c3p-3,
    0x1.0acdecf35d103p-3,  -0x1.13b89272a157ep-3, 0x1.0f628f5bfddd9p-3,  -0x1.1da6e1c8001a6p-4};

/// sin(r), negated where bit 0 of `half_turns` is set: r is a remainder by pi.
template <class N>
typename N::R sine_of_rest(const N& n, typename N::D r, typename N::L half_turns) {
  const typename N::D turned = n.number_of(n.bits(r) ^ half_turns << 63);
  return n.result(turned * polynomial(n, kSine, r * r));
}

/// Up to here two pieces of pi leave a remainder right to 2^-28 of itself, for every binary32 number.
inline constexpr float kPlainAngle = 0x1p47f;

template <class N>
typename N::R sine(const N& n, typename N::F x) {
  using D = typename N::D;
  const D angle = n.widen(x);
  const D shifted = n.fma(angle, n.number(kInversePi), n.number(kRounder));
  const D half_turns = shifted - n.number(kRounder);
  const D r = n.fma(half_turns, n.number(-kPiRest), n.fma(half_turns, n.number(-kPi), angle));
  const typename N::R y = sine_of_rest(n, r, n.bits(shifted));
  return n.rarely(n.reaches(n.magnitude(x), n.single(kPlainAngle)), y, [&] { return n.each(Function::Sine, x); });
}

/// cos(r + (k + 1/2) pi) = -(-1)^k sin(r).
template <class N>
typename N::R cosine(const N& n, typename N::F x) {
  using D = typename N::D;
  const D angle = n.widen(x);
  const D shifted = n.fma(angle, n.number(kInversePi), n.number(0.5)) + n.number(kRounder);  // k + 1
  const D half_turns = shifted - n.number(kRounder) - n.number(0.5);
  const D r = n.fma(half_turns, n.number(-kPiRest), n.fma(half_turns, n.number(-kPi), angle));
  const typename N::R y = sine_of_rest(n, r, n.bits(shifted));
  return n.rarely(n.reaches(n.magnitude(x), n.single(kPlainAngle)), y, [&] { return n.each(Function::Cosine, x); });
}

/// 2^x of -1000 <= x <= 1000 or NaN.
template <class N>
typename N::D exp2_of(const N& n, typename N::D x) {
  using D = typename N::D;
  const D shifted = x + n.number(kRounder);
  const D power = n.number_of((n.bits(shifted) << 52) + n.word(0x3ff0000000000000u));
  return polynomial(n, kExp2, x - (shifted - n.number(kRounder))) * power;
}

/// From these limits on the result is 0 or infinite in binary32, whatever the rounding.
inline constexpr float kMinExponent = -200, kMaxExponent = 200;

template <class N>
typename N::R exp2(const N& n, typename N::F x) {
  return n.result(exp2_of(n, n.widen(n.clamp(x, kMinExponent, kMaxExponent))));
}

/// log2 of a positive finite number; -1023 of 0.
template <class N, unsigned Count>
typename N::D log2_of(const N& n, const double (&coefficients)[Count], typename N::F x) {
  using D = typename N::D;
  using L = typename N::L;
  // The exponent counts from the root of 1/2.
  const L bits = n.bits(n.widen(x)), moved = bits + n.word(0x3ff0000000000000u - 0x3fe6a09e667f3bcdu);
  const L exponent = moved >> 52;  // + 1023
  const D whole = n.number_of(exponent | n.word(0x4330000000000000u)) - n.number(0x1p52 + 1023);
  const L mantissa = bits + n.word(0x3ff0000000000000u) - (exponent << 52);
  const D f = n.number_of(mantissa) - n.number(1);
  return n.fma(polynomial(n, coefficients, f), f, whole);
}

template <class N>
typename N::R log2(const N& n, typename N::F x) {
  const typename N::R y = n.result(log2_of(n, kLog2, x));
  const typename N::U least = n.word32(0x00000001u), count = n.word32(0x7f7fffffu);  // positive and finite
  return n.rarely(n.not_below(n.bits(x) - least, count), y, [&] {
    const typename N::F zero = n.single(0);
    const auto other = n.select(n.less(zero, x), n.constant(__builtin_inff()), n.constant(__builtin_nanf("")));
    const auto odd = n.select(n.equal(x, zero), n.constant(-__builtin_inff()), other);
    return n.select(n.not_below(n.bits(x) - least, count), odd, y);
  });
}

/// x^y as std::pow has it. Negative bases, infinities, NaN and the powers of 0 that are not 0 go lane by lane.
template <class N>
typename N::R power(const N& n, typename N::F x, typename N::F y) {
  using D = typename N::D;
  const typename N::F zero = n.single(0);
  const D exponent = n.widen(y) * log2_of(n, kLog2Precise, x);
  const auto none = n.equal(x, zero);
  const typename N::R usual = n.result(exp2_of(n, n.clamp(exponent, kMinExponent, kMaxExponent)));
  const typename N::R value = n.select(none, n.constant(0), usual);
  const auto odd =
      n.either(n.not_below(n.bits(x), n.word32(0x7f800000u)),
               n.either(n.not_less(n.magnitude(y), n.single(__builtin_inff())), n.both(none, n.not_less(zero, y))));
  return n.rarely(odd, value, [&] { return n.each(Function::Power, x, y); });
}

/// 1 / sqrt(x): an estimate from the bits, two steps of Newton's method in binary32 and one in binary64.
template <class N>
typename N::R reciprocal_root(const N& n, typename N::F x) {
  using D = typename N::D;
  using F = typename N::F;
  const F half = x * n.single(0.5f), one_and_half = n.single(1.5f);
  F y = n.single_of(n.word32(0x5f375a86u) - (n.bits(x) >> 1));
  y = y * (one_and_half - half * y * y);
  y = y * (one_and_half - half * y * y);
  const D wide = n.widen(y);
  const D error = n.fma(n.widen(x) * wide, wide, n.number(-1));
  const typename N::R root = n.result(n.fma(wide * error, n.number(-0.5), wide));
  const typename N::U least = n.word32(0x00800000u), count = n.word32(0x7f000000u);  // positive, finite and normal
  const typename N::B odd = n.not_below(n.bits(x) - least, count);
  return n.rarely(odd, root, [&] { return n.select(odd, n.result(n.number(1) / n.square_root(n.widen(x))), root); });
}

}  // namespace heddle::machine::math
