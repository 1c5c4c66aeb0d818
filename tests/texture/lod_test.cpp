// SPDX-License-Identifier: MIT
// LOD-1..8, LOD-10, LOD-11, ANI-1.
#include "texture/lod.hpp"

#include <cmath>
#include <limits>

#include "support.hpp"

namespace heddle::texture {
namespace {

using image::Filter;
using image::MipFilter;

TEST(Lod, LOD1_WorkedExamples) {
  EXPECT_EQ(log2fx(8.0f), 768);
  EXPECT_EQ(log2fx(3.0f), 405);
  EXPECT_EQ(implicit_lod(3.0f), 203);
}

TEST(Lod, LOD1_SpecialValues) {
  EXPECT_EQ(log2fx(0.0f), -32768);
  EXPECT_EQ(log2fx(-1.0f), -32768);
  EXPECT_EQ(log2fx(1e-40f), -32768);
  EXPECT_EQ(log2fx(std::numeric_limits<float>::quiet_NaN()), -32768);
  EXPECT_EQ(log2fx(std::numeric_limits<float>::infinity()), 32768);
  EXPECT_EQ(log2fx(0x1p-126f), -126 * 256);
  EXPECT_EQ(log2fx(std::numeric_limits<float>::max()), 128 * 256 - 1);
}

TEST(Lod, LOD1_IsTheExactFloor) {  // C37
  test::Random random(2);
  for (int n = 0; n < 200000; ++n) {
    const float x = base::float_from_bits(0x00800000u + random.below(0x7f000000u));
    const long double exact = 256.0L * std::log2(static_cast<long double>(x));
    if (std::fabs(exact - std::nearbyint(exact)) < 1e-9L) continue;
    ASSERT_EQ(log2fx(x), static_cast<std::int32_t>(std::floor(exact))) << x;
  }
  for (int e = -126; e < 128; ++e) EXPECT_EQ(log2fx(std::ldexp(1.0f, e)), e * 256);
}

LodState state(std::int32_t mip_count = 10) {
  LodState s;
  s.max_lod = 14 * 256;
  s.mip_count = mip_count;
  s.min_filter = Filter::Linear;
  s.mag_filter = Filter::Nearest;
  s.mip_filter = MipFilter::Linear;
  return s;
}

TEST(Lod, LOD5_LinearTakesTwoLevels) {
  const LodChoice c = choose_level(state(), 2 * 256 + 64);
  EXPECT_EQ(c.level_count, 2u);
  EXPECT_EQ(c.level[0], 2u);
  EXPECT_EQ(c.level[1], 3u);
  EXPECT_EQ(c.beta, 64u);
  EXPECT_EQ(c.filter, Filter::Linear);
  EXPECT_EQ(c.chosen, 2 * 256 + 64);
  EXPECT_EQ(choose_level(state(), 3 * 256).level_count, 1u);
  EXPECT_EQ(choose_level(state(2), 9 * 256 + 7).level_count, 1u);
  EXPECT_EQ(choose_level(state(2), 9 * 256 + 7).level[0], 2u);
}

TEST(Lod, LOD5_MagnificationAndMipNone) {
  LodState s = state();
  LodChoice c = choose_level(s, -100);
  EXPECT_TRUE(c.magnify);
  EXPECT_EQ(c.filter, Filter::Nearest);
  EXPECT_EQ(c.level[0], 0u);
  EXPECT_EQ(c.unclamped, -100);
  EXPECT_TRUE(choose_level(s, 0).magnify);
  EXPECT_FALSE(choose_level(s, 1).magnify);
  s.base_mip_level = 384;  // 1.5: magnification up to there
  EXPECT_TRUE(choose_level(s, 384).magnify);
  EXPECT_EQ(choose_level(s, 384).level[0], 0u);
  s.mip_filter = MipFilter::None;
  EXPECT_EQ(choose_level(s, 5 * 256).level[0], 0u);
}

TEST(Lod, LOD5_MagnificationWithMipFilterKeepsMinLod) {
  LodState s = state();
  s.min_lod = 3 * 256 + 128;
  s.preclamp = false;
  s.clamp_mag = image::LodClampMag::MipFilter;
  const LodChoice c = choose_level(s, -256);
  EXPECT_TRUE(c.magnify);
  EXPECT_EQ(c.level[0], 3u);
  EXPECT_EQ(c.beta, 128u);
  s.clamp_mag = image::LodClampMag::MipNone;  // NONE: floor(AdjMin)
  EXPECT_EQ(choose_level(s, -256).level[0], 3u);
  EXPECT_EQ(choose_level(s, -256).level_count, 1u);
}

TEST(Lod, LOD6_MinWinsOverMax) {
  LodState s = state();
  s.min_lod = 5 * 256;
  s.max_lod = 2 * 256;
  EXPECT_EQ(choose_level(s, 0).level[0], 5u);
}

TEST(Lod, LOD7_HalfGoesToTheMoreDetailedLevel) {  // C43
  LodState s = state();
  s.mip_filter = MipFilter::Nearest;
  EXPECT_EQ(choose_level(s, 2 * 256 + 128).level[0], 2u);
  EXPECT_EQ(choose_level(s, 2 * 256 + 129).level[0], 3u);
  // Clamps act on whole levels: max 2.25 rounds up to 3.
  s.max_lod = 2 * 256 + 64;
  s.preclamp = false;
  EXPECT_EQ(choose_level(s, 7 * 256).level[0], 3u);
}

TEST(Lod, LOD8_ResourceMinLod) {  // C21
  LodState s = state(4);
  s.resource_min_lod = 2 * 256 + 128;
  LodChoice c = choose_level(s, 256);
  EXPECT_FALSE(c.out_of_bounds);
  EXPECT_EQ(c.level[0], 2u);
  EXPECT_EQ(c.beta, 128u);
  s.resource_min_lod = 4 * 256;
  EXPECT_FALSE(choose_level(s, 256).out_of_bounds);
  s.resource_min_lod = 4 * 256 + 1;
  EXPECT_TRUE(choose_level(s, 256).out_of_bounds);
}

TEST(Lod, LOD5_TrilinearQuality) {
  LodState s = state();
  const auto beta = [&](std::int32_t fraction) {
    const LodChoice c = choose_level(s, 256 + fraction);
    return std::pair{c.level[0], c.level_count == 1 ? 0u : c.beta};
  };
  s.trilinear_quality = 2;
  EXPECT_EQ(beta(63), (std::pair{1u, 0u}));
  EXPECT_EQ(beta(64), (std::pair{1u, 64u}));
  EXPECT_EQ(beta(192), (std::pair{1u, 192u}));
  EXPECT_EQ(beta(193), (std::pair{2u, 0u}));
  s.trilinear_quality = 3;
  EXPECT_EQ(beta(95), (std::pair{1u, 0u}));
  EXPECT_EQ(beta(96), (std::pair{1u, 96u}));
  EXPECT_EQ(beta(161), (std::pair{2u, 0u}));
  s.trilinear_quality = 1;
  EXPECT_EQ(beta(1), (std::pair{1u, 1u}));
}

TEST(Lod, LOD10_LOD11_GatherBranches) {
  LodState s = state();
  s.min_lod = 2 * 256 + 200;
  EXPECT_EQ(choose_level(s, 0, LodBranch::Base).level[0], 2u);
  s.min_lod = 0;
  // Nearest branch: two thirds of a level, not zeroed although the mip filter is NONE.
  s.mip_filter = MipFilter::None;
  const LodChoice c = choose_level(s, 2 * 256 + 170, LodBranch::Nearest);
  EXPECT_EQ(c.level[0], 3u);
  EXPECT_EQ(c.level_count, 1u);
}

TEST(Lod, LOD4_SpreadUsesTexelsAndIgnoresNan) {
  Gradients g;
  g.dx = {0.25f, 0.5f, 1.0f};
  g.dy = {std::numeric_limits<float>::quiet_NaN(), 0.125f, 8.0f};
  const Spread s = spread_of(g, {16, 8, 4}, 2, false);
  EXPECT_EQ(s.x, 32.0f);  // 4 and 4 texels
  EXPECT_EQ(s.y, 1.0f);
  EXPECT_EQ(spread_of(g, {16, 8, 4}, 3, false).x, 48.0f);
  EXPECT_EQ(spread_of(g, {16, 8, 4}, 2, true).x, 0.3125f);
}

TEST(Lod, ANI1_ProbesAndLod) {
  const Spread s{64 * 64, 4 * 4};
  EXPECT_EQ(probe_count(s, 16), 16u);
  EXPECT_EQ(probe_count(s, 8), 8u);
  EXPECT_EQ(probe_count({100, 25}, 16), 2u);
  EXPECT_EQ(probe_count({101, 25}, 16), 3u);
  EXPECT_EQ(probe_count({25, 25}, 16), 1u);
  EXPECT_EQ(probe_count({25, 0}, 4), 4u);
  EXPECT_EQ(anisotropic_rho(s, 16), 16.0f);
  EXPECT_EQ(anisotropic_rho(s, 8), 64.0f);
  EXPECT_EQ(anisotropic_rho(s, 1), 4096.0f);
}

}  // namespace
}  // namespace heddle::texture
