// SPDX-License-Identifier: MIT
// Counts of texels: reads, writes, and rectangles of footprint queries beside counting each texel.

#include "job/run/texel_coverage.hpp"

#include <gtest/gtest.h>

#include <random>

namespace heddle::job {
namespace {

image::Surface surface_of(std::uint32_t width, std::uint32_t height, std::uint32_t levels) {
  image::Surface s;
  s.name = "t";
  s.width = width;
  s.height = height;
  s.levels = levels;
  s.mip_count = levels - 1;
  EXPECT_TRUE(image::allocate(s).ok());
  return s;
}

TEST(TexelCoverage, RectanglesCountAsTheirTexels) {
  const image::Surface s = surface_of(13, 7, 3);
  std::mt19937 random(7);
  TexelCoverage coverage;
  std::vector<std::uint32_t> expected(std::size_t{6} * 3);  // level 1
  for (int n = 0; n < 200; ++n) {
    const auto below = [&](std::uint32_t end) { return static_cast<std::uint32_t>(random() % end); };
    const machine::FootprintTouch t{
        .surface = &s, .level = 1, .x = below(7), .y = below(4), .width = below(9), .height = below(5)};
    coverage.footprint(t);
    for (std::uint32_t y = t.y; y < std::min(3u, t.y + t.height); ++y)
      for (std::uint32_t x = t.x; x < std::min(6u, t.x + t.width); ++x) ++expected[y * 6 + x];
  }
  coverage.texel({.surface = &s, .level = 1, .x = 2, .y = 1});
  const auto planes = coverage.planes("t");
  ASSERT_EQ(planes.size(), 3u);
  EXPECT_TRUE(planes[0].queries.empty());
  EXPECT_EQ(planes[1].queries, expected);
  EXPECT_EQ(planes[1].reads[1 * 6 + 2], 1u);
  const auto picture = coverage.picture("t", 1);
  ASSERT_TRUE(picture.has_value());
  EXPECT_GT((*picture->memory)[4 * 8 + 0], 0);  // red: read
}

TEST(TexelCoverage, OtherSurfacesAndLevelsAreIgnored) {
  const image::Surface s = surface_of(4, 4, 1);
  TexelCoverage coverage;
  coverage.footprint({.surface = nullptr, .width = 1, .height = 1});
  coverage.footprint({.surface = &s, .level = 3, .width = 1, .height = 1});
  coverage.footprint({.surface = &s, .level = 0, .x = 9, .width = 1, .height = 1});
  coverage.footprint({.surface = &s, .level = 0, .x = 3, .y = 3, .width = ~0u - 3, .height = ~0u - 3});
  const auto planes = coverage.planes("t");
  ASSERT_EQ(planes.size(), 1u);
  EXPECT_EQ(std::count(planes[0].queries.begin(), planes[0].queries.end(), 1u), 1);
}

}  // namespace
}  // namespace heddle::job
