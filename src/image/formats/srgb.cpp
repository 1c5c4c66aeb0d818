// SPDX-License-Identifier: MIT
#include "image/formats/srgb.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <mutex>
#include <vector>

namespace heddle::image {
namespace {

/// x^(1/5), 0 < x <= 1, by Newton's method from above: sums, products and quotients as IEEE 754 rounds them, so that
/// the tables are the same with every C library.
double fifth_root(double x) {
  constexpr int kSteps = 24;
  double root = 1;
  for (int i = 0; i < kSteps; ++i) {
    const double square = root * root, fourth = square * square;
    root -= (root * fourth - x) / (5 * fourth);
  }
  return root;
}

/// The curve at n / denominator, some 50 bits of it. The branch is decided in integers.
double decode_curve(std::uint64_t n, std::uint64_t denominator) {
  if (n * 100000u <= std::uint64_t{4045} * denominator)
    return static_cast<double>(n * 100u) / static_cast<double>(denominator * 1292u);
  const double base = static_cast<double>(n * 1000u + denominator * 55u) / static_cast<double>(denominator * 1055u);
  return base * base * fifth_root(base * base);  // to the power of 12/5
}

float decode_exact(unsigned n, unsigned denominator) { return static_cast<float>(decode_curve(n, denominator)); }

/// The least binary32 whose y (NUM-60) is at least (j - 0.5) / top: the inverse curve, rounded up. No threshold lies
/// where the two branches meet.
float threshold(unsigned j, unsigned top) {
  const double exact = decode_curve(2 * std::uint64_t{j} - 1, 2 * std::uint64_t{top});
  const float x = static_cast<float>(exact);
  return static_cast<double>(x) < exact ? std::nextafter(x, 2.0f) : x;
}

/// Tables by width, each made when it is first asked for: most programs need one of them or none.
struct Table {
  std::once_flag once;
  std::vector<float> values;
};

const std::vector<float>& decode_table(unsigned bits) {
  static std::array<Table, 11> tables;
  Table& table = tables[bits];
  std::call_once(table.once, [&] {
    const unsigned top = (1u << bits) - 1;
    for (unsigned v = 0; srgb_width(bits) && v <= top; ++v) table.values.push_back(decode_exact(v, top));
  });
  return table.values;
}

const std::vector<float>& encode_table(unsigned bits) {
  static std::array<Table, 11> tables;
  Table& table = tables[bits];
  std::call_once(table.once, [&] {
    const unsigned top = (1u << bits) - 1;
    for (unsigned j = 1; srgb_width(bits) && j <= top; ++j) table.values.push_back(threshold(j, top));
  });
  return table.values;
}

const std::vector<float>& rational_table() {
  static Table table;
  std::call_once(table.once, [] {
    for (unsigned n = 0; n <= kSrgbRationalDenominator; ++n)
      table.values.push_back(decode_exact(n, kSrgbRationalDenominator));
  });
  return table.values;
}

}  // namespace

std::span<const float> srgb_decode_table(unsigned bits) { return decode_table(bits); }
std::span<const float> srgb_thresholds(unsigned bits) { return encode_table(bits); }
float srgb_decode_rational(unsigned n) { return rational_table()[n]; }

std::uint32_t srgb_encode(float x, unsigned bits) {
  if (!(x > 0.0f)) return 0;
  const auto& thresholds = encode_table(bits);
  return static_cast<std::uint32_t>(std::upper_bound(thresholds.begin(), thresholds.end(), x) - thresholds.begin());
}

}  // namespace heddle::image
