// SPDX-License-Identifier: MIT
#include "image/formats/srgb.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <mutex>
#include <vector>

namespace heddle::image {
namespace {

/// The curve at n / denominator. The branch is decided in integers; the power has 64 fraction bits, of which 24 are
/// kept.
float decode_exact(unsigned n, unsigned denominator) {
  const long double c = static_cast<long double>(n) / static_cast<long double>(denominator);
  if (std::uint64_t{n} * 100000u <= std::uint64_t{4045} * denominator) return static_cast<float>(c / 12.92L);
  return static_cast<float>(std::pow((c + 0.055L) / 1.055L, 2.4L));
}

/// y(x) of NUM-60.
long double encode_curve(float x) {
  const long double wide = x;
  return wide <= 0.0031308L ? 12.92L * wide : 1.055L * std::pow(wide, 1.0L / 2.4L) - 0.055L;
}

/// The least binary32 whose y is at least (j - 0.5) / top: an estimate by the inverse curve, then steps of one ulp.
float threshold(unsigned j, unsigned top) {
  const long double target = (static_cast<long double>(j) - 0.5L) / static_cast<long double>(top);
  float x = static_cast<float>(target <= 0.04045L ? target / 12.92L : std::pow((target + 0.055L) / 1.055L, 2.4L));
  while (encode_curve(x) < target) x = std::nextafter(x, 2.0f);
  for (;;) {
    const float below = std::nextafter(x, -1.0f);
    if (encode_curve(below) < target) return x;
    x = below;
  }
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
