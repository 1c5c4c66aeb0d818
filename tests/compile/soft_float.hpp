// SPDX-License-Identifier: MIT
#pragma once
// Floating-point arithmetic by IEEE 754's rules, in integers: what results of the machine are compared with.

#include <cstdint>
#include <span>

namespace heddle::test::soft {

/// What float controls say of a width.
struct Mode {
  bool to_zero = false, flush = false;
};

/// A format of 16, 32 or 64 bits.
struct Format {
  unsigned bits = 32;
  [[nodiscard]] unsigned fraction() const { return bits == 16 ? 10 : bits == 32 ? 23 : 52; }
  [[nodiscard]] std::uint64_t sign() const { return std::uint64_t{1} << (bits - 1); }
  [[nodiscard]] std::uint64_t infinity() const { return (sign() - 1) >> fraction() << fraction(); }
  [[nodiscard]] std::uint64_t nan() const { return infinity() | std::uint64_t{1} << (fraction() - 1); }
  [[nodiscard]] bool is_nan(std::uint64_t x) const { return (x & (sign() - 1)) > infinity(); }
  [[nodiscard]] bool is_subnormal(std::uint64_t x) const { return (x & infinity()) == 0 && (x & (sign() - 1)) != 0; }
  /// A zero of its sign in place of a subnormal number.
  [[nodiscard]] std::uint64_t flushed(std::uint64_t x) const { return is_subnormal(x) ? x & sign() : x; }
};

[[nodiscard]] std::uint64_t add(Format f, std::uint64_t a, std::uint64_t b, Mode mode);
[[nodiscard]] std::uint64_t multiply(Format f, std::uint64_t a, std::uint64_t b, Mode mode);
[[nodiscard]] std::uint64_t divide(Format f, std::uint64_t a, std::uint64_t b, Mode mode);
/// a * b + c, rounded once.
[[nodiscard]] std::uint64_t fused(Format f, std::uint64_t a, std::uint64_t b, std::uint64_t c, Mode mode);
[[nodiscard]] std::uint64_t convert(Format from, Format to, std::uint64_t a, Mode mode);
[[nodiscard]] std::uint64_t from_integer(Format to, bool negative, std::uint64_t magnitude, Mode mode);
/// -1, 0, 1; 2 where one is NaN.
[[nodiscard]] int order(Format f, std::uint64_t a, std::uint64_t b);

}  // namespace heddle::test::soft
