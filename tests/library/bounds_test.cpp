// SPDX-License-Identifier: MIT
// bounds.hpp: what any device may answer, by arithmetic over a line of two texels, 0 and 1.
// Rules: BND-1, BND-5, BND-6, BND-16.
#include "heddle/bounds.hpp"

#include <gtest/gtest.h>

#include "library/ids.hpp"

namespace heddle::test {
namespace {

Image line() {
  auto image = Image::create({.format = "R32_FLOAT", .width = 2, .height = 1});
  EXPECT_TRUE(image.ok());
  EXPECT_TRUE(image->set_texel({.x = 1}, Color::of({1, 0, 0, 1})));
  return *image;
}
Sampler sampler(const char* words) {
  const auto s = Sampler::parse(words);
  EXPECT_TRUE(s.ok());
  return *s;
}

TEST(LibraryBounds, OfASample) {
  // u = 0.4 is 0.8 texels, 0.3 from the first center: 4/16 to 5/16.
  const auto found = sample_bounds(line(), sampler("linear,clamp_to_edge"), {.u = 0.4f, .v = 0.5f});
  ASSERT_TRUE(found.ok());
  EXPECT_EQ(found->rule(), "BND-5");
  ASSERT_EQ((*found)[0].intervals.size(), 1u);
  const BoundInterval& red = (*found)[0].intervals[0];
  EXPECT_NEAR(red.low, 4.0 / 16, 1e-4);
  EXPECT_NEAR(red.high, 5.0 / 16, 1e-4);
  ASSERT_EQ(red.high_texels.size(), 2u);
  EXPECT_EQ(red.high_texels[1].place.x, 1u);
  EXPECT_EQ(red.high_texels[1].weight, 5.0 / 16);
  EXPECT_EQ(found->judge(Color::of({0.3f, 0, 0, 1})), BoundsVerdict::Inside);
  EXPECT_EQ(found->judge(Color::of({0.33f, 0, 0, 1})), BoundsVerdict::Outside);
  const auto tight =
      sample_bounds(line(), sampler("linear,clamp_to_edge"), {.u = 0.4f, .v = 0.5f}, {}, {.sub_texel_bits = 8});
  EXPECT_EQ(tight->judge(Color::of({0.3125f, 0, 0, 1})), BoundsVerdict::Outside);
}

TEST(LibraryBounds, OfAGatherAndAQuery) {
  const auto four = gather_bounds(line(), sampler("linear,clamp_to_edge"), {.u = 0.5f, .v = 0.5f});
  ASSERT_TRUE(four.ok());
  EXPECT_EQ(four->rule(), "BND-6");
  EXPECT_EQ((*four)[3].intervals[0].high, 0);  // i0
  EXPECT_EQ((*four)[2].intervals[0].low, 1);   // i1
  // One texel a pixel along u: lambda is 0 to log2 of the square root of 2, and 1/16 on either side.
  const auto lod = lod_bounds(line(), sampler("linear"), {.dx = {0.5f, 0, 0}, .dy = {0, 0, 0}});
  ASSERT_TRUE(lod.ok());
  EXPECT_NEAR((*lod)[1].intervals[0].low, -1.0 / 16, 0.001);
  EXPECT_NEAR((*lod)[1].intervals[0].high, 0.5 + 1.0 / 16, 0.001);
}

TEST(LibraryBounds, WrongArguments) {
  EXPECT_EQ(id_of(sample_bounds({}, sampler("linear"), {})), "usage-argument");
  EXPECT_EQ(id_of(sample_bounds(line(), sampler("linear"), {}, {}, {.mipmap_bits = 17})), "usage-argument");
  EXPECT_EQ(id_of(gather_bounds(line(), sampler("linear"), {}, GatherOptions{{}, 4, {}})), "usage-argument");
  EXPECT_EQ(id_of(sample_bounds(line(), sampler("linear,half_border"), {})), "BND-1");
}

}  // namespace
}  // namespace heddle::test
