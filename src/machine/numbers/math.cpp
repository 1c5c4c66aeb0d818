// SPDX-License-Identifier: MIT
#include "machine/numbers/math.hpp"

#include <bit>
#include <cmath>
#include <limits>

#include "machine/numbers/math_functions.hpp"

namespace heddle::machine::math {
namespace {

__extension__ typedef unsigned __int128 Wide;
__extension__ typedef __int128 SignedWide;

/// 1 / pi: bit 63 of the first word is worth 1/2.
constexpr std::uint64_t kInversePiBits[] = {0x517cc1b727220a94u, 0xfe13abe8fa9a6ee0u, 0x6db14acc9e21c820u,
                                            0xff28b1d5ef5de2b0u};

/// 64 bits, the first worth 2^-(at + 1).
std::uint64_t inverse_pi_bits(int at) {
  const auto word = [](int i) { return i < 4 ? kInversePiBits[i] : 0; };
  const int first = at / 64, shift = at % 64;
  return shift == 0 ? word(first) : word(first) << shift | word(first + 1) >> (64 - shift);
}

double circular_of_large(float x, bool cosine);
double odd_power(float x, float y);

/// One number at a time.
struct One {
  using F = float;
  using D = double;
  using U = std::uint32_t;
  using L = std::uint64_t;
  using B = bool;
  using R = double;  // for the caller to round as %cr0 says

  static F single(float x) { return x; }
  static D number(double x) { return x; }
  static R constant(float x) { return static_cast<R>(x); }
  static R result(D x) { return x; }
  static U word32(std::uint32_t x) { return x; }
  static L word(std::uint64_t x) { return x; }
  static D widen(F x) { return static_cast<double>(x); }
  static U bits(F x) { return std::bit_cast<U>(x); }
  static L bits(D x) { return std::bit_cast<L>(x); }
  static F single_of(U x) { return std::bit_cast<F>(x); }
  static D number_of(L x) { return std::bit_cast<D>(x); }
  static D fma(D a, D b, D c) { return std::fma(a, b, c); }
  static D square_root(D x) { return std::sqrt(x); }
  static F magnitude(F x) { return std::fabs(x); }
  template <typename T>
  static T clamp(T x, float least, float most) {
    x = x < T{least} ? T{least} : x;
    return x > T{most} ? T{most} : x;
  }
  static R select(B where, D a, D b) { return where ? a : b; }
  static B less(F a, F b) { return a < b; }
  static B not_less(F a, F b) { return !(a < b); }
  static B reaches(F a, F b) { return a >= b; }
  static B equal(F a, F b) { return a == b; }
  static B not_below(U a, U b) { return a >= b; }
  static B both(B a, B b) { return a && b; }
  static B either(B a, B b) { return a || b; }
  template <typename Make>
  static R rarely(B where, R usual, Make make) {
    return where ? make() : usual;
  }
  static R each(Function function, F x, F y = 0) {
    switch (function) {
      case Function::Sine:
        return circular_of_large(x, false);
      case Function::Cosine:
        return circular_of_large(x, true);
      case Function::Power:
        break;
    }
    return odd_power(x, y);
  }
};

/// From kPlainAngle on x is an integer times a power of two so high that the first bits of x / pi are whole turns.
double circular_of_large(float x, bool cosine) {
  if (!std::isfinite(x)) return std::numeric_limits<double>::quiet_NaN();
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(x);
  const int exponent = static_cast<int>(bits >> 23 & 0xffu) - 150;
  const std::uint32_t mantissa = (bits & 0x7fffffu) | 0x800000u;
  // Half turns modulo 2, in units of 2^-127.
  constexpr Wide kOne = Wide{1} << 127, kHalf = kOne >> 1;
  const Wide window = Wide{inverse_pi_bits(exponent - 1)} << 64 | inverse_pi_bits(exponent + 63);
  const Wide turns = window * mantissa + (cosine ? kHalf : 0);
  const Wide rounded = turns + kHalf;
  const double rest = static_cast<double>(static_cast<SignedWide>((rounded & (kOne - 1)) - kHalf));
  const double y = sine_of_rest(One(), std::ldexp(rest, -127) * kPi, static_cast<std::uint64_t>(rounded >> 127));
  return x < 0 && !cosine ? -y : y;
}

constexpr double kInfinity = std::numeric_limits<double>::infinity(), kNan = std::numeric_limits<double>::quiet_NaN();

/// The cases of C's pow: infinities, NaN, negative bases, zeros.
double odd_power(float x, float y) {
  if (y == 0 || x == 1) return 1;
  if (std::isnan(x) || std::isnan(y)) return kNan;
  const float size = std::fabs(x);
  if (std::isinf(y)) return size == 1 ? 1 : (size > 1) == (y > 0) ? kInfinity : 0;
  const double sign = std::signbit(x) && std::fmod(std::fabs(y), 2.0f) == 1 ? -1 : 1;
  if (size == 0 || std::isinf(size)) return sign * ((size == 0) == (y < 0) ? kInfinity : 0);
  if (x < 0 && std::trunc(y) != y) return kNan;
  return sign * power(size, y);
}

constexpr double kLog2E = 0x1.71547652b82fep+0;

/// tanh(x) / x in x^2, the first terms of its series: |x| < 1/4: 2^-46.
constexpr double kTanh[] = {1,           -1.0 / 3,         2.0 / 15,          -17.0 / 315,
                            62.0 / 2835, -1382.0 / 155925, 21844.0 / 6081075, -929569.0 / 638512875};

}  // namespace

double exp2(float x) { return exp2(One(), x); }
double log2(float x) { return log2(One(), x); }
double sine(float x) { return sine(One(), x); }
double cosine(float x) { return cosine(One(), x); }
double power(float x, float y) { return power(One(), x, y); }
double tanh(float x) {
  const double wide = static_cast<double>(x);
  if (!(std::fabs(wide) >= 0.25)) return wide * polynomial(One(), kTanh, wide * wide);
  const double small = exp2_of(One(), One::clamp(-2 * kLog2E * std::fabs(wide), kMinExponent, 0));
  return std::copysign((1 - small) / (1 + small), wide);
}
double sigmoid(float x) {
  return 1 / (1 + exp2_of(One(), One::clamp(-kLog2E * static_cast<double>(x), kMinExponent, kMaxExponent)));
}
double reciprocal_root(float x) { return reciprocal_root(One(), x); }

double round_even(double x) {
  const double whole = std::floor(x), rest = x - whole;
  if (!(std::fabs(x) < 0x1p52)) return x;  // whole already, infinite or NaN
  const bool odd = std::fmod(whole, 2.0) != 0;
  const double rounded = rest > 0.5 || (rest == 0.5 && odd) ? whole + 1 : whole;
  return std::copysign(rounded, x);
}

}  // namespace heddle::machine::math
