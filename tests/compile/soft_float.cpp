// SPDX-License-Identifier: MIT
#include "soft_float.hpp"

#include <utility>

namespace heddle::test::soft {
namespace {

__extension__ typedef unsigned __int128 Wide;

/// (-1)^negative * significand * 2^exponent; `sticky`: and a little more.
struct Number {
  enum class Kind : std::uint8_t { Finite, Infinite, Nan } kind = Kind::Finite;
  bool negative = false, sticky = false;
  Wide significand = 0;
  int exponent = 0;
};

unsigned length(Wide x) {
  unsigned n = 0;
  for (; x != 0; x >>= 1) ++n;
  return n;
}

Number taken_apart(Format f, std::uint64_t x) {
  Number n;
  n.negative = (x & f.sign()) != 0;
  const std::uint64_t field = (x & f.infinity()) >> f.fraction();
  const std::uint64_t fraction = x & ((std::uint64_t{1} << f.fraction()) - 1);
  const int bias = f.bits == 16 ? 15 : f.bits == 32 ? 127 : 1023;
  if (field == f.infinity() >> f.fraction()) {
    n.kind = fraction == 0 ? Number::Kind::Infinite : Number::Kind::Nan;
    return n;
  }
  n.significand = field == 0 ? fraction : fraction | std::uint64_t{1} << f.fraction();
  n.exponent = static_cast<int>(field == 0 ? 1 : field) - bias - static_cast<int>(f.fraction());
  return n;
}

/// Drops bits from the right, down to a given exponent; what was dropped stays in `sticky`, the first bit in `half`.
void shift_to(Number& n, int exponent, bool& half) {
  half = false;
  for (; n.exponent < exponent; ++n.exponent) {
    n.sticky = n.sticky || half;
    half = (n.significand & 1) != 0;
    n.significand >>= 1;
    if (n.significand == 0 && !half) {
      n.exponent = exponent;
      return;
    }
  }
}

std::uint64_t rounded(Format f, Number n, Mode mode) {
  const std::uint64_t sign = n.negative ? f.sign() : 0;
  if (n.kind == Number::Kind::Nan) return f.nan();
  if (n.kind == Number::Kind::Infinite) return sign | f.infinity();
  if (n.significand == 0) return sign;
  const int bias = f.bits == 16 ? 15 : f.bits == 32 ? 127 : 1023, digits = static_cast<int>(f.fraction()) + 1;
  const int least = 1 - bias - static_cast<int>(f.fraction());
  while (n.exponent > least && length(n.significand) < static_cast<unsigned>(digits)) {
    n.significand <<= 1;
    --n.exponent;
  }
  const int wanted = n.exponent + static_cast<int>(length(n.significand)) - digits;
  bool half = false;
  if (const int to = wanted < least ? least : wanted; n.exponent < to) shift_to(n, to, half);
  if (!mode.to_zero && half && (n.sticky || (n.significand & 1) != 0)) ++n.significand;
  // A carry out of the fraction is the next exponent, as the encoding has it.
  const auto significand = static_cast<std::uint64_t>(n.significand);
  const std::uint64_t one = std::uint64_t{1} << f.fraction();
  std::uint64_t bits = significand;
  if (significand >= one)
    bits = significand - one + (static_cast<std::uint64_t>(n.exponent - least + 1) << f.fraction());
  if (bits >= f.infinity()) bits = mode.to_zero ? f.infinity() - 1 : f.infinity();
  return sign | (mode.flush ? f.flushed(bits) : bits);
}

/// As far to the left as 126 bits allow, so that the sum of two has room.
void to_the_left(Number& n) {
  const unsigned by = 126 - length(n.significand);
  n.significand <<= by;
  n.exponent -= static_cast<int>(by);
}

Number sum(Number a, Number b, Mode) {
  using Kind = Number::Kind;
  if (a.kind == Kind::Nan || b.kind == Kind::Nan) return {Kind::Nan};
  if (a.kind == Kind::Infinite || b.kind == Kind::Infinite) {
    if (a.kind == b.kind && a.negative != b.negative) return {Kind::Nan};
    return a.kind == Kind::Infinite ? a : b;
  }
  if (a.significand == 0 && b.significand == 0) {
    a.negative = a.negative && b.negative;
    return a;
  }
  if (a.significand == 0) return b;
  if (b.significand == 0) return a;
  to_the_left(a);
  to_the_left(b);
  if (a.exponent < b.exponent || (a.exponent == b.exponent && a.significand < b.significand)) std::swap(a, b);
  // The smaller one loses bits only where it is so small that the sum keeps more than 120 of its own.
  bool half = false;
  shift_to(b, a.exponent, half);
  const bool lost = half || b.sticky;
  if (a.negative == b.negative) {
    a.significand += b.significand;
    a.sticky = lost;
  } else {
    a.significand -= b.significand + (lost ? 1 : 0);
    a.sticky = lost;
    if (a.significand == 0 && !lost) a.negative = false;
  }
  return a;
}

Number product(Number a, Number b) {
  using Kind = Number::Kind;
  if (a.kind == Kind::Nan || b.kind == Kind::Nan) return {Kind::Nan};
  const bool negative = a.negative != b.negative;
  if (a.kind == Kind::Infinite || b.kind == Kind::Infinite) {
    const Number& other = a.kind == Kind::Infinite ? b : a;
    if (other.kind == Kind::Finite && other.significand == 0) return {Kind::Nan};
    return {Kind::Infinite, negative};
  }
  return {Kind::Finite, negative, false, a.significand * b.significand, a.exponent + b.exponent};
}

Number taken_apart(Format f, std::uint64_t x, Mode mode) { return taken_apart(f, mode.flush ? f.flushed(x) : x); }

}  // namespace

std::uint64_t add(Format f, std::uint64_t a, std::uint64_t b, Mode mode) {
  return rounded(f, sum(taken_apart(f, a, mode), taken_apart(f, b, mode), mode), mode);
}

std::uint64_t multiply(Format f, std::uint64_t a, std::uint64_t b, Mode mode) {
  return rounded(f, product(taken_apart(f, a, mode), taken_apart(f, b, mode)), mode);
}

std::uint64_t fused(Format f, std::uint64_t a, std::uint64_t b, std::uint64_t c, Mode mode) {
  const Number p = product(taken_apart(f, a, mode), taken_apart(f, b, mode));
  return rounded(f, sum(p, taken_apart(f, c, mode), mode), mode);
}

std::uint64_t divide(Format f, std::uint64_t a, std::uint64_t b, Mode mode) {
  using Kind = Number::Kind;
  Number x = taken_apart(f, a, mode);
  const Number y = taken_apart(f, b, mode);
  const bool negative = x.negative != y.negative;
  const bool x_zero = x.kind == Kind::Finite && x.significand == 0,
             y_zero = y.kind == Kind::Finite && y.significand == 0;
  if (x.kind == Kind::Nan || y.kind == Kind::Nan || (x.kind == Kind::Infinite && y.kind == Kind::Infinite) ||
      (x_zero && y_zero))
    return f.nan();
  if (x.kind == Kind::Infinite || y_zero) return (negative ? f.sign() : 0) | f.infinity();
  if (y.kind == Kind::Infinite || x_zero) return negative ? f.sign() : 0;
  to_the_left(x);
  Number q{Kind::Finite, negative, x.significand % y.significand != 0, x.significand / y.significand,
           x.exponent - y.exponent};
  return rounded(f, q, mode);
}

std::uint64_t convert(Format from, Format to, std::uint64_t a, Mode mode) {
  return rounded(to, taken_apart(from, a), mode);
}

std::uint64_t from_integer(Format to, bool negative, std::uint64_t magnitude, Mode mode) {
  return rounded(to, {Number::Kind::Finite, negative && magnitude != 0, false, magnitude, 0}, mode);
}

int order(Format f, std::uint64_t a, std::uint64_t b) {
  if (f.is_nan(a) || f.is_nan(b)) return 2;
  const auto place = [&](std::uint64_t x) {
    const auto size = static_cast<std::int64_t>(x & (f.sign() - 1));
    return (x & f.sign()) != 0 ? -size : size;
  };
  const std::int64_t x = place(a), y = place(b);
  return x < y ? -1 : x > y ? 1 : 0;
}

}  // namespace heddle::test::soft
