// SPDX-License-Identifier: MIT
// Conversions of vISA operands (NUM-80..97) against arithmetic of the compiler and the C library.
#include <cfenv>
#include <cmath>
#include <limits>
#include <random>

#include <gtest/gtest.h>

#include "machine/numbers/number.hpp"

namespace heddle::machine {
namespace {

using isa::Type;
#if defined(__aarch64__)
typedef long double Quad;
#else
__extension__ typedef __float128 Quad;
#endif

std::uint64_t bits(float x) { return base::bits_of(x); }
std::uint64_t bits(double x) { return base::bits_of(x); }

TEST(Convert, FloatToIntegerTruncatesAndClamps) {  // NUM-80, NUM-81, C35
  struct Case {
    float value;
    Type to;
    std::uint64_t expected;
  };
  const float inf = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
  const Case cases[] = {
      {1.9f, Type::D, 1},
      {-1.9f, Type::D, 0xffffffff},
      {-1.9f, Type::UD, 0},
      {3e9f, Type::D, 0x7fffffff},
      {-3e9f, Type::D, 0x80000000},
      {5e9f, Type::UD, 0xffffffff},
      {inf, Type::W, 0x7fff},
      {-inf, Type::W, 0x8000},
      {nan, Type::D, 0},
      {300.5f, Type::UB, 255},
      {-300.5f, Type::B, 0x80},
      {-inf, Type::UW, 0},
      {1e30f, Type::Q, 0x7fffffffffffffffu},
      {-1e30f, Type::Q, 0x8000000000000000u},
      {1e30f, Type::UQ, ~0ull},
      {1e-40f, Type::D, 0},
      {16777216.0f, Type::UQ, 16777216},
  };
  for (const Case& c : cases)
    for (const bool saturate : {false, true})
      EXPECT_EQ(convert(bits(c.value), Type::F, c.to, saturate, Rounding::NearestEven), c.expected) << c.value;
}

TEST(Convert, IntegersByWidth) {  // NUM-82..85
  EXPECT_EQ(convert(0xff, Type::UB, Type::D, false, Rounding::NearestEven), 0xffu);
  EXPECT_EQ(convert(0xff, Type::B, Type::D, false, Rounding::NearestEven), 0xffffffffu);
  EXPECT_EQ(convert(0xff, Type::B, Type::UQ, false, Rounding::NearestEven), ~0ull);
  EXPECT_EQ(convert(0x12345, Type::D, Type::UB, false, Rounding::NearestEven), 0x45u);
  EXPECT_EQ(convert(0x12345, Type::D, Type::UB, true, Rounding::NearestEven), 0xffu);
  EXPECT_EQ(convert(0xfffffffe, Type::D, Type::UB, true, Rounding::NearestEven), 0u);
  EXPECT_EQ(convert(0x80000000, Type::UD, Type::D, true, Rounding::NearestEven), 0x7fffffffu);
  EXPECT_EQ(convert(0x80000000, Type::UD, Type::D, false, Rounding::NearestEven), 0x80000000u);
  EXPECT_EQ(convert(~0ull, Type::Q, Type::W, true, Rounding::NearestEven), 0xffffu);
}

TEST(Convert, IntegerToFloatRoundsByMode) {  // NUM-86
  const int modes[] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
  std::mt19937_64 random(1);
  for (int i = 0; i < 20000; ++i) {
    const auto value = static_cast<std::int64_t>(random() >> (random() % 63));
    for (unsigned m = 0; m < 4; ++m) {
      std::fesetround(modes[m]);
      volatile std::int64_t v = value;
      const volatile auto f = static_cast<float>(v);
      const volatile auto d = static_cast<double>(v);
      std::fesetround(FE_TONEAREST);
      EXPECT_EQ(convert(static_cast<std::uint64_t>(value), Type::Q, Type::F, false, static_cast<Rounding>(m)),
                bits(static_cast<float>(f)));
      EXPECT_EQ(convert(static_cast<std::uint64_t>(value), Type::Q, Type::DF, false, static_cast<Rounding>(m)),
                bits(static_cast<double>(d)));
    }
  }
  EXPECT_EQ(convert(70000, Type::UD, Type::HF, false, Rounding::NearestEven), 0x7c00u);
  EXPECT_EQ(convert(70000, Type::UD, Type::HF, false, Rounding::TowardZero), 0x7bffu);
  EXPECT_EQ(convert(~0ull, Type::UQ, Type::F, false, Rounding::NearestEven), bits(18446744073709551616.0f));
}

TEST(Convert, FloatToHalfAgreesWithTheCompiler) {  // NUM-87, NUM-88
  std::mt19937 random(2);
  for (int i = 0; i < 100000; ++i) {
    const auto x = base::float_from_bits(static_cast<std::uint32_t>(random()));
    if (x != x) continue;
    const auto half = static_cast<_Float16>(x);
    EXPECT_EQ(convert(bits(x), Type::F, Type::HF, false, Rounding::NearestEven), std::bit_cast<std::uint16_t>(half))
        << x;
  }
  for (std::uint32_t h = 0; h < 0x10000; ++h) {
    const auto half = std::bit_cast<_Float16>(static_cast<std::uint16_t>(h));
    if (half != half) continue;
    EXPECT_EQ(convert(h, Type::HF, Type::F, false, Rounding::NearestEven), bits(static_cast<float>(half)));
    EXPECT_EQ(convert(h, Type::HF, Type::DF, false, Rounding::NearestEven), bits(static_cast<double>(half)));
  }
  // A subnormal result is produced; a subnormal source gives zero.
  EXPECT_EQ(convert(bits(0x1p-20f), Type::F, Type::HF, false, Rounding::NearestEven), 0x0010u);
  EXPECT_EQ(convert(bits(-0x1p-130f), Type::F, Type::HF, false, Rounding::Up), 0x8000u);
  EXPECT_EQ(convert(bits(0x1p-140f), Type::F, Type::HF, false, Rounding::Up), 0x0000u);
  EXPECT_EQ(convert(bits(0x1p-120f), Type::F, Type::HF, false, Rounding::Up), 0x0001u);
}

TEST(Convert, DoubleToSingleByMode) {
  const int modes[] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
  std::mt19937_64 random(3);
  for (int i = 0; i < 50000; ++i) {
    const double x =
        std::ldexp(static_cast<double>(static_cast<std::int64_t>(random())), static_cast<int>(random() % 240) - 180);
    for (unsigned m = 0; m < 4; ++m) {
      std::fesetround(modes[m]);
      volatile double v = x;
      const volatile auto f = static_cast<float>(v);
      std::fesetround(FE_TONEAREST);
      EXPECT_EQ(convert(bits(x), Type::DF, Type::F, false, static_cast<Rounding>(m)), bits(static_cast<float>(f)))
          << x << " mode " << m;
    }
  }
}

TEST(Convert, SaturationOfFloats) {  // NUM-90, C35
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(convert(bits(nan), Type::F, Type::F, true, Rounding::NearestEven), 0u);
  EXPECT_EQ(convert(bits(-0.0f), Type::F, Type::F, true, Rounding::NearestEven), 0u);
  EXPECT_EQ(convert(bits(2.5f), Type::F, Type::HF, true, Rounding::NearestEven), 0x3c00u);
  EXPECT_EQ(convert(0x7fc12345u, Type::F, Type::F, false, Rounding::NearestEven),
            0x7fc12345u);  // copies keep their bits
  EXPECT_EQ(convert(7, Type::UD, Type::F, true, Rounding::NearestEven), bits(1.0f));
}

TEST(Convert, Bfloat16) {  // NUM-89
  EXPECT_EQ(convert(0x3f808000u, Type::F, Type::BF, false, Rounding::NearestEven), 0x3f80u);
  EXPECT_EQ(convert(0x3f818000u, Type::F, Type::BF, false, Rounding::NearestEven), 0x3f82u);
  EXPECT_EQ(convert(0x3f81u, Type::BF, Type::F, false, Rounding::NearestEven), 0x3f810000u);
  EXPECT_EQ(convert(0x7fffffffu, Type::F, Type::BF, false, Rounding::NearestEven) & 0x7fc0u, 0x7fc0u);
}

TEST(Numbers, PackedImmediates) {  // NUM-95
  EXPECT_EQ(packed_element(0x76543210u, Type::UV, 3), 3u);
  EXPECT_EQ(packed_element(0xfedcba98u, Type::V, 0), 0xfff8u);
  EXPECT_EQ(packed_element(0xfedcba98u, Type::V, 15), 0xffffu);
  const std::uint32_t vf = 0x30u | 0x40u << 8 | 0xb0u << 16 | 0x80u << 24;
  EXPECT_EQ(packed_element(vf, Type::VF, 0), bits(1.0f));
  EXPECT_EQ(packed_element(vf, Type::VF, 1), bits(2.0f));
  EXPECT_EQ(packed_element(vf, Type::VF, 2), bits(-1.0f));
  EXPECT_EQ(packed_element(vf, Type::VF, 3), bits(-0.0f));
  EXPECT_EQ(vf_value(0x01), 0.125f * (1 + 1 / 16.0f));
}

TEST(Numbers, HalfMultiplyAddRoundsOnce) {  // NUM-94
  std::mt19937 random(4);
  for (int i = 0; i < 100000; ++i) {
    const auto pick = [&] {
      return static_cast<double>(base::half_to_float(static_cast<std::uint16_t>(random() & 0xfbffu)));
    };
    const double a = pick(), b = pick(), c = pick();
    if (!std::isfinite(a) || !std::isfinite(b) || !std::isfinite(c)) continue;
    // 113 bits hold the exact sum of a 22-bit product and an 11-bit addend within 80 bits of range.
    const auto exact = static_cast<Quad>(a) * static_cast<Quad>(b) + static_cast<Quad>(c);
    // Round to odd in binary64, then to nearest half: one rounding in effect.
    auto once = static_cast<double>(exact);
    if (static_cast<Quad>(once) != exact && std::isfinite(once)) {
      const bool toward = (static_cast<Quad>(once) < exact) == (once >= 0);
      auto word = base::bits_of(once);
      if (!toward) --word;
      once = base::double_from_bits(word | 1u);
    }
    EXPECT_EQ(half_bits(half_multiply_add(a, b, c, Rounding::NearestEven), Rounding::NearestEven),
              base::double_to_half(once))
        << a << ' ' << b << ' ' << c;
  }
}

TEST(Numbers, Bf8) {  // NUM-96
  for (std::uint32_t b = 0; b < 256; ++b) {
    const std::uint16_t half = bf8_to_half(static_cast<std::uint8_t>(b));
    if ((b & 0x7fu) > 0x7cu) continue;
    EXPECT_EQ(half_to_bf8(half), b);
  }
  EXPECT_EQ(half_to_bf8(0x3c80), 0x3cu);  // tie to even
  EXPECT_EQ(half_to_bf8(0x3d80), 0x3eu);
  EXPECT_EQ(half_to_bf8(0x7bff), 0x7cu);
}

}  // namespace
}  // namespace heddle::machine
