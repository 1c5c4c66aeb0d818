#include "image/formats/srgb.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
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

struct Tables {
  std::array<std::vector<float>, 11> decode, encode;  // by width
  std::vector<float> rational;

  Tables() {
    for (unsigned bits = 0; bits < decode.size(); ++bits) {
      if (!srgb_width(bits)) continue;
      const unsigned top = (1u << bits) - 1;
      for (unsigned v = 0; v <= top; ++v) decode[bits].push_back(decode_exact(v, top));
      for (unsigned j = 1; j <= top; ++j) encode[bits].push_back(threshold(j, top));
    }
    for (unsigned n = 0; n <= kSrgbRationalDenominator; ++n)
      rational.push_back(decode_exact(n, kSrgbRationalDenominator));
  }
};

const Tables& tables() {
  static const Tables instance;
  return instance;
}

}  // namespace

std::span<const float> srgb_decode_table(unsigned bits) { return tables().decode[bits]; }
std::span<const float> srgb_thresholds(unsigned bits) { return tables().encode[bits]; }
float srgb_decode_rational(unsigned n) { return tables().rational[n]; }

std::uint32_t srgb_encode(float x, unsigned bits) {
  if (!(x > 0.0f)) return 0;
  const auto& thresholds = tables().encode[bits];
  return static_cast<std::uint32_t>(std::upper_bound(thresholds.begin(), thresholds.end(), x) - thresholds.begin());
}

}  // namespace heddle::image
