// SPDX-License-Identifier: MIT
// The functions of NUM-98 against the C library's, in units of the last place of their binary32 result.
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <random>

#include <gtest/gtest.h>

#include "machine/numbers/math.hpp"

namespace heddle::machine::math {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();

/// Every binary32 number with HEDDLE_TEST_ALL, else each 4099th.
std::uint64_t stride() { return std::getenv("HEDDLE_TEST_ALL") != nullptr ? 1 : 4099; }

/// The same number, within `bound` of it; or both the same once rounded to zero or infinity.
bool close(double value, double exact, double bound) {
  if (std::isnan(exact)) return std::isnan(value);
  if (std::fabs(value - exact) <= bound * std::fabs(exact)) return true;
  const auto a = static_cast<float>(value), b = static_cast<float>(exact);
  return (std::isinf(b) || b == 0) && std::bit_cast<std::uint32_t>(a) == std::bit_cast<std::uint32_t>(b);
}

void compare(double (*function)(float), double (*exact)(double), double bound) {
  unsigned wrong = 0;
  for (std::uint64_t bits = 0; bits < std::uint64_t{1} << 32 && wrong < 5; bits += stride()) {
    const float x = std::bit_cast<float>(static_cast<std::uint32_t>(bits));
    const double value = function(x), wanted = exact(static_cast<double>(x));
    if (close(value, wanted, bound)) continue;
    ADD_FAILURE() << std::hexfloat << x << ": " << value << ", not " << wanted;
    ++wrong;
  }
}

// 2^-30 of the result is 1/64 ulp at most before the last rounding.
TEST(Math, Sine) { compare(sine, std::sin, 0x1p-32); }
TEST(Math, Cosine) { compare(cosine, std::cos, 0x1p-32); }
TEST(Math, Exp2) { compare(exp2, std::exp2, 0x1p-34); }
TEST(Math, Log2) { compare(log2, std::log2, 0x1p-30); }
TEST(Math, ReciprocalRoot) {
  compare(reciprocal_root, [](double x) { return 1 / std::sqrt(x); }, 0x1p-34);
}

TEST(Math, LargeAngles) {
  std::mt19937 random(7);
  for (int i = 0; i < 200000; ++i) {
    const float x = std::ldexp(1 + static_cast<float>(random() & 0x7fffffu) * 0x1p-23f, 40 + static_cast<int>(i % 88)) *
                    (i % 3 == 0 ? -1.0f : 1.0f);
    ASSERT_TRUE(close(sine(x), std::sin(static_cast<double>(x)), 0x1p-32)) << x;
    ASSERT_TRUE(close(cosine(x), std::cos(static_cast<double>(x)), 0x1p-32)) << x;
  }
  EXPECT_EQ(std::bit_cast<std::uint64_t>(sine(-0.0f)), std::bit_cast<std::uint64_t>(-0.0));
}

TEST(Math, Power) {
  const float odd[] = {0.0f,    -0.0f, 1.0f,   -1.0f,       2.0f,  -2.0f,  3.0f,    -3.0f,
                       0.5f,    -0.5f, 2.5f,   -2.5f,       kInf,  -kInf,  NAN,     1e-40f,
                       -1e-40f, 1e30f, -1e30f, 16777216.0f, 3e38f, 1e-30f, -1e-45f, 8388609.0f};
  for (const float x : odd)
    for (const float y : odd)
      EXPECT_TRUE(close(power(x, y), std::pow(static_cast<double>(x), static_cast<double>(y)), 0x1p-31))
          << x << ' ' << y;
  std::mt19937 random(98);
  const int count = std::getenv("HEDDLE_TEST_ALL") != nullptr ? 100000000 : 300000;
  for (int i = 0; i < count; ++i) {
    const float x = std::bit_cast<float>(static_cast<std::uint32_t>(random()) >> 1);
    // So that the result mostly is in range.
    const double logarithm = std::log2(static_cast<double>(x));
    const double exponent = (static_cast<double>(random()) * 0x1p-32 - 0.5) * 310;
    const float y = static_cast<float>(exponent / logarithm);
    if (!std::isfinite(x) || x == 0 || !std::isfinite(y)) continue;
    ASSERT_TRUE(close(power(x, y), std::pow(static_cast<double>(x), static_cast<double>(y)), 0x1p-31))
        << std::hexfloat << x << ' ' << y;
  }
}

}  // namespace
}  // namespace heddle::machine::math
