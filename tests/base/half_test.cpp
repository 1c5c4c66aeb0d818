// SPDX-License-Identifier: MIT
#include "base/half.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace heddle::base {
namespace {

// NUM-40, NUM-41: every half that is not NaN survives the way through binary32.
TEST(Half, RoundTripsEveryValue) {
  for (std::uint32_t h = 0; h < 0x10000; ++h) {
    const float f = half_to_float(static_cast<std::uint16_t>(h));
    if ((h & 0x7fff) > 0x7c00) {
      EXPECT_TRUE(std::isnan(f));
      EXPECT_EQ(float_to_half(f), h | 0x200);
      continue;
    }
    ASSERT_EQ(float_to_half(f), h);
    ASSERT_EQ(double_to_half(f), h);
  }
}

// NUM-41: ties go to even, everything from 65520 up is infinity.
TEST(Half, RoundsToNearestEven) {
  for (std::uint32_t h = 0; h < 0x7bff; ++h) {
    const double low = half_to_float(static_cast<std::uint16_t>(h)),
                 high = half_to_float(static_cast<std::uint16_t>(h + 1));
    const float middle = static_cast<float>((low + high) / 2);
    ASSERT_EQ(float_to_half(middle), h % 2 == 0 ? h : h + 1);
    ASSERT_EQ(float_to_half(std::nextafterf(middle, 0)), h);
    ASSERT_EQ(float_to_half(std::nextafterf(middle, 1e9f)), h + 1);
  }
  EXPECT_EQ(float_to_half(65519.996f), 0x7bff);
  EXPECT_EQ(float_to_half(65520.0f), 0x7c00);
  EXPECT_EQ(float_to_half(-INFINITY), 0xfc00);
}

TEST(BFloat16, RoundsToNearestEvenAndKeepsNaN) {
  EXPECT_EQ(float_to_bfloat16(1.0f), 0x3f80);
  EXPECT_EQ(float_to_bfloat16(float_from_bits(0x3f808000)), 0x3f80);
  EXPECT_EQ(float_to_bfloat16(float_from_bits(0x3f818000)), 0x3f82);
  EXPECT_EQ(float_to_bfloat16(float_from_bits(0x7f800001)), 0x7fc0);
}

}  // namespace
}  // namespace heddle::base
