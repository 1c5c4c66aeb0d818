// SPDX-License-Identifier: MIT
// What a device may answer. Expected ends follow from the rules by arithmetic; Heddle's own answers lie inside; answers
// that are wrong by a texel, a level or an address mode do not.
// Rules: BND-1 to BND-16.

#include "texture/bounds/bounds.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "texture/support.hpp"

namespace heddle::texture::test {
namespace {

using bounds::Api;
using bounds::Interval;
using bounds::Options;
using bounds::Verdict;
using image::AddressMode;
using image::Filter;
using image::MipFilter;
using image::SurfaceType;

/// The tightest that Heddle promises for itself.
constexpr Options kEight{Api::Vulkan, 8, 8, false};

image::Sampler sampler_of(Filter filter, MipFilter mip = MipFilter::Nearest, AddressMode mode = AddressMode::Clamp) {
  image::Sampler s;
  s.min_filter = s.mag_filter = filter;
  s.mip_filter = mip;
  s.tcx = s.tcy = s.tcz = mode;
  return s;
}

bounds::Bounds find(Call& call, const Options& options = {}) {
  for (const auto& [p, words] : call.parameters) call.request.set(p, words);
  OperationContext context;
  auto found = bounds::find_bounds(call.request, options, context);
  EXPECT_FALSE(context.reports.has_errors()) << context.reports.all()[0].message;
  return found.value_or(bounds::Bounds());
}
Interval range(const bounds::Bounds& b, unsigned channel = 0, std::size_t lane = 0) {
  return b.lanes.at(lane).channels[channel].range();
}

/// Texel x of a line of floats.
image::Surface line(std::initializer_list<float> values) {
  image::Surface s = make2d("R32_FLOAT", static_cast<std::uint32_t>(values.size()), 1);
  fill_float(s, [&](auto, auto, auto x, auto) { return values.begin()[x]; });
  return s;
}

TEST(Bounds, ApisAreNamed_BND1) {
  EXPECT_EQ(bounds::find_api("vulkan"), Api::Vulkan);
  EXPECT_EQ(bounds::find_api("d3d11"), Api::D3d11);
  EXPECT_EQ(bounds::find_api("webgpu"), Api::WebGpu);
  EXPECT_FALSE(bounds::find_api("opengl").has_value());
  for (const Api api : {Api::Vulkan, Api::D3d11, Api::WebGpu}) EXPECT_EQ(bounds::find_api(bounds::name_of(api)), api);
}

TEST(Bounds, StateOfNoApiIsRefused_BND1) {
  const image::Surface s = line({0, 1});
  const image::Sampler half = sampler_of(Filter::Linear, MipFilter::None, AddressMode::HalfBorder);
  Call call(Op::SampleLz, s, &half);
  OperationContext context;
  EXPECT_FALSE(bounds::find_bounds(call.request, {}, context).has_value());
  ASSERT_TRUE(context.reports.has_errors());
  EXPECT_EQ(context.reports.all()[0].id, "BND-1");
}

TEST(Bounds, WeightsSnapEitherWay_BND3_BND5) {
  const image::Surface s = line({0, 1});
  const image::Sampler linear = sampler_of(Filter::Linear);
  // Centers at 0.5 and 1.5 texels: a third of the way is 5/6 texels, u = 5/12.
  Call call(Op::SampleLz, s, &linear);
  call.with(Param::U, 5.0f / 12).with(Param::V, 0.5f);
  const auto at = [&](const Options& options) { return find(call, options).lanes[0].channels[0].parts(); };
  ASSERT_EQ(at({}).size(), 1u);
  EXPECT_EQ(at({})[0].core.low, 5.0 / 16);
  EXPECT_EQ(at({})[0].core.high, 6.0 / 16);
  EXPECT_EQ(at(kEight)[0].core.low, 85.0 / 256);
  EXPECT_EQ(at(kEight)[0].core.high, 86.0 / 256);
  EXPECT_EQ(at({Api::D3d11, 0, 0, false})[0].core.low, 85.0 / 256);
  // A coordinate on a step has one weight: u = 0.375 is 0.75 texels, a quarter of the way.
  Call exact(Op::SampleLz, s, &linear);
  exact.with(Param::U, 0.375f).with(Param::V, 0.5f);
  const bounds::Part part = find(exact).lanes[0].channels[0].parts()[0];
  EXPECT_EQ(part.core.low, 0.25);
  EXPECT_EQ(part.core.high, 0.25);
  // BND-12: one blend of floats no greater than 1, 16 bits.
  EXPECT_EQ(part.full.low, 0.25 - 0x1p-16);
  EXPECT_EQ(part.full.high, 0.25 + 0x1p-16);
}

TEST(Bounds, TexelsBehindTheEnds_BND2) {
  const image::Surface s = line({0, 1});
  const image::Sampler linear = sampler_of(Filter::Linear);
  Call call(Op::SampleLz, s, &linear);
  call.with(Param::U, 5.0f / 12).with(Param::V, 0.5f);
  Options why;
  why.why = true;
  const bounds::Part part = find(call, why).lanes[0].channels[0].parts()[0];
  ASSERT_EQ(part.low_texels.size(), 2u);
  EXPECT_EQ(part.low_texels[0].x, 0u);
  EXPECT_EQ(part.low_texels[0].weight, 11.0 / 16);
  EXPECT_EQ(part.low_texels[1].x, 1u);
  EXPECT_EQ(part.low_texels[1].weight, 5.0 / 16);
  EXPECT_EQ(part.high_texels[1].weight, 6.0 / 16);
}

TEST(Bounds, NearEdgesBothTexels_BND4) {
  const image::Surface s = line({10, 20});
  const image::Sampler nearest = sampler_of(Filter::Nearest);
  const auto parts = [&](float u) {
    Call call(Op::SampleLz, s, &nearest);
    call.with(Param::U, u).with(Param::V, 0.5f);
    return find(call).lanes[0].channels[0].parts();
  };
  EXPECT_EQ(parts(0.25f).size(), 1u);
  EXPECT_EQ(parts(0.25f)[0].full.high, 10);
  // 0.98 texels: less than 1/16 below the edge. 0.9 texels: more.
  ASSERT_EQ(parts(0.49f).size(), 2u);
  EXPECT_EQ(parts(0.49f)[0].full.low, 10);
  EXPECT_EQ(parts(0.49f)[1].full.low, 20);
  EXPECT_EQ(parts(0.45f).size(), 1u);
  // At the edge itself, and above it, the next texel alone.
  EXPECT_EQ(parts(0.5f).size(), 1u);
  EXPECT_EQ(parts(0.5f)[0].full.low, 20);
}

TEST(Bounds, GathersTakeNeighborsToo_BND6) {
  const image::Surface s = line({1, 2, 3, 4});
  const image::Sampler linear = sampler_of(Filter::Linear);
  const auto at = [&](float texels) {
    Call call(Op::Gather4, s, &linear);
    call.with(Param::U, texels / 4).with(Param::V, 0.5f);
    return find(call);
  };
  // Between texels 1 and 2: A is i0, B is i1.
  EXPECT_EQ(range(at(2.0f), 3).low, 2);
  EXPECT_EQ(range(at(2.0f), 3).high, 2);
  EXPECT_EQ(range(at(2.0f), 2).low, 3);
  // 1/32 texel before the center of texel 2 snaps to the center, or back.
  const auto both = at(2.5f - 1.0f / 32).lanes[0].channels;
  EXPECT_EQ(both[3].range().low, 2);
  EXPECT_EQ(both[3].range().high, 3);
  EXPECT_EQ(both[3].parts().size(), 2u);
  EXPECT_EQ(both[2].range().high, 4);
}

/// Level l is the number l everywhere.
image::Surface levels_of_their_number(std::uint32_t size, std::uint32_t levels) {
  image::Surface s = make2d("R32_FLOAT", size, size, levels);
  fill_float(s, [](auto level, auto, auto, auto) { return static_cast<float>(level); });
  return s;
}

TEST(Bounds, ExplicitLevels_BND8) {
  const image::Surface s = levels_of_their_number(64, 5);
  const auto sets = [&](const image::Sampler& sampler, float lod) {
    Call call(Op::SampleL, s, &sampler);
    call.with(Param::U, 0.5f).with(Param::V, 0.5f).with(Param::Lod, lod);
    return find(call).lanes[0].channels[0].parts();
  };
  const image::Sampler nearest = sampler_of(Filter::Nearest), blend = sampler_of(Filter::Nearest, MipFilter::Linear);
  // Halves go down or up; what is less than a step below them too.
  ASSERT_EQ(sets(nearest, 1.5f).size(), 2u);
  EXPECT_EQ(sets(nearest, 1.5f)[0].full.low, 1);
  EXPECT_EQ(sets(nearest, 1.5f)[1].full.low, 2);
  EXPECT_EQ(sets(nearest, 1.48f).size(), 2u);
  EXPECT_EQ(sets(nearest, 1.4f).size(), 1u);
  EXPECT_EQ(sets(nearest, 1.5625f).size(), 1u);
  // Between levels: 1.3 is 20.8 sixteenths.
  EXPECT_NEAR(sets(blend, 1.3f)[0].core.low, 20.0 / 16, 1e-12);
  EXPECT_NEAR(sets(blend, 1.3f)[0].core.high, 21.0 / 16, 1e-12);
  EXPECT_EQ(sets(blend, 1.25f)[0].core.low, 1.25);
  EXPECT_EQ(sets(blend, 1.25f)[0].core.high, 1.25);
  // Clamped to the last level.
  EXPECT_EQ(sets(blend, 9.0f)[0].full.low, 4);
}

TEST(Bounds, FiltersAtTheBorderOfMagnification_BND8) {
  image::Surface s = make2d("R32_FLOAT", 4, 4, 2);
  fill_float(s, [](auto level, auto, auto x, auto) { return level == 1 ? 9.0f : static_cast<float>(x); });
  image::Sampler mixed = sampler_of(Filter::Nearest);
  mixed.mag_filter = Filter::Linear;
  const auto parts = [&](float lod) {
    Call call(Op::SampleL, s, &mixed);
    call.with(Param::U, 0.4375f).with(Param::V, 0.5f).with(Param::Lod, lod);  // 1.75 texels: linear gives 1.25
    return find(call).lanes[0].channels[0].parts();
  };
  ASSERT_EQ(parts(0).size(), 1u);
  EXPECT_EQ(parts(0)[0].core.low, 1.25);
  ASSERT_EQ(parts(0.25f).size(), 1u);
  EXPECT_EQ(parts(0.25f)[0].core.low, 1);
  EXPECT_EQ(parts(0.03f).size(), 2u);  // snaps to 0, or to 1/16
}

TEST(Bounds, DerivativesByNorms_BND7) {
  const image::Surface s = levels_of_their_number(64, 7);
  const image::Sampler blend = sampler_of(Filter::Nearest, MipFilter::Linear);
  Call call(Op::SampleD, s, &blend);
  call.with(Param::U, 0.5f).with(Param::V, 0.5f);
  // 4 texels along u, 4 along v: greatest norm 4, sum 4 sqrt 2, log2 of it 2.5.
  call.with(Param::DuDx, 4.0f / 64).with(Param::DvDx, 0.0f).with(Param::DuDy, 0.0f).with(Param::DvDy, 4.0f / 64);
  const Interval vulkan = range(find(call));
  EXPECT_NEAR(vulkan.low, 2 - 1.0 / 16, 0.001);
  EXPECT_NEAR(vulkan.high, 2.5 + 1.0 / 16, 0.001);
  // Exact lengths, or the ellipse, whose longer axis is at most 4 sqrt 2; steps of 1/256.
  const Interval d3d = range(find(call, {Api::D3d11, 0, 0, false}));
  EXPECT_NEAR(d3d.low, 2 - 1.0 / 256, 0.001);
  EXPECT_NEAR(d3d.high, 2.5 + 1.0 / 256, 0.001);
  // A diagonal: the greatest part is 4, the sum 8, times sqrt 2: 3.5. The exact length is 2.5.
  Call diagonal(Op::SampleD, s, &blend);
  diagonal.with(Param::U, 0.5f).with(Param::V, 0.5f).with(Param::DuDx, 4.0f / 64).with(Param::DvDx, 4.0f / 64);
  EXPECT_NEAR(range(find(diagonal)).low, 2 - 1.0 / 16, 0.001);
  EXPECT_NEAR(range(find(diagonal)).high, 3.5 + 1.0 / 16, 0.001);
  EXPECT_NEAR(range(find(diagonal, {Api::D3d11, 0, 0, false})).low, 2.5 - 1.0 / 128, 0.005);
}

TEST(Bounds, QuadsMayTakeEitherRow_BND7) {
  const image::Surface s = levels_of_their_number(64, 7);
  const image::Sampler blend = sampler_of(Filter::Nearest, MipFilter::Linear);
  Call call(Op::Sample, s, &blend);
  // The first row steps 2 texels, the second 8; the columns stand still.
  call.with(Param::U, lanes({0.5f, 0.5f + 2.0f / 64, 0.5f, 0.5f + 8.0f / 64})).with(Param::V, 0.5f);
  const bounds::Bounds found = find(call);
  for (std::size_t lane = 0; lane < 4; ++lane) {
    EXPECT_NEAR(range(found, 0, lane).low, 1 - 1.0 / 16, 0.001) << lane;     // the first row: 2
    EXPECT_NEAR(range(found, 0, lane).high, 3.5 + 1.0 / 16, 0.001) << lane;  // the second: 8 sqrt 2
  }
  // Columns likewise: the first steps 8 texels, the second 2.
  Call down(Op::Sample, s, &blend);
  down.with(Param::U, 0.5f).with(Param::V, lanes({0.5f, 0.5f, 0.5f + 8.0f / 64, 0.5f + 2.0f / 64}));
  for (std::size_t lane = 0; lane < 4; ++lane) {
    EXPECT_NEAR(range(find(down), 0, lane).low, 1 - 1.0 / 16, 0.001) << lane;
    EXPECT_NEAR(range(find(down), 0, lane).high, 3.5 + 1.0 / 16, 0.001) << lane;
  }
}

TEST(Bounds, DerivativesThatAreNotFiniteOpenTheLevel_BND7) {
  const image::Surface s = levels_of_their_number(64, 7);
  const image::Sampler blend = sampler_of(Filter::Nearest, MipFilter::Linear);
  for (const float strange : {NAN, INFINITY, -INFINITY}) {
    Call given(Op::SampleD, s, &blend);
    given.with(Param::U, 0.5f).with(Param::V, 0.5f).with(Param::DuDx, strange).with(Param::DvDy, 1.0f / 64);
    EXPECT_NEAR(range(find(given)).low, 0, 0.001);
    EXPECT_NEAR(range(find(given)).high, 6, 0.001);
    // The neighbor's coordinate makes the lane's derivative.
    Call quad(Op::Sample, s, &blend);
    quad.with(Param::U, lanes({0.5f, 0.5f, 0.5f, strange})).with(Param::V, 0.5f);
    EXPECT_NEAR(range(find(quad), 0, 0).low, 0, 0.001);
    EXPECT_NEAR(range(find(quad), 0, 0).high, 6, 0.001);
    EXPECT_TRUE(find(quad).lanes[3].channels[0].open());
    // Anisotropy knows no pixel to stay under.
    image::Sampler a = sampler_of(Filter::Anisotropic, MipFilter::Linear);
    a.max_anisotropy = 7;
    given.request.sampler = &a;
    EXPECT_TRUE(find(given).lanes[0].channels[0].open());
  }
}

TEST(Bounds, AnEmptySetIsOpen_BND2) {
  const bounds::ValueSet nothing;
  EXPECT_TRUE(nothing.open());
  EXPECT_EQ(nothing.range().low, -INFINITY);
  EXPECT_EQ(nothing.range().high, INFINITY);
  EXPECT_EQ(bounds::judge(nothing, base::bits_of(3.0f), image::ValueClass::Float), Verdict::Inside);
}

/// A least level of 1.001 is 1 in steps of 1/256, but may be 1 1/16 in steps of 1/16.
TEST(Bounds, LeastLevelsBetweenSteps_BND1) {
  const image::Surface s = levels_of_their_number(64, 7);
  image::Sampler blend = sampler_of(Filter::Nearest, MipFilter::Linear);
  // The lane's own, a number of binary32: 1 to 1 1/16.
  Call lane(Op::SampleMlod, s, &blend);
  lane.with(Param::U, 0.5f).with(Param::V, 0.5f).with(Param::Mlod, 1.001f);
  EXPECT_EQ(find(lane).lanes[0].channels[0].parts()[0].core.low, 1);
  EXPECT_EQ(find(lane).lanes[0].channels[0].parts()[0].core.high, 1 + 1.0 / 16);
  // The sampler's, held as 256 steps: 0.998 to 1.002, so that 15/16 is possible too.
  Call plain(Op::SampleL, s, &blend);
  plain.with(Param::U, 0.5f).with(Param::V, 0.5f).with(Param::Lod, 0.0f);
  EXPECT_EQ(range(find(plain)).high, 0);  // 0 is exact
  blend.min_lod = 256;
  EXPECT_EQ(find(plain).lanes[0].channels[0].parts()[0].core.low, 15.0 / 16);
  EXPECT_EQ(find(plain).lanes[0].channels[0].parts()[0].core.high, 17.0 / 16);
  // The greatest level and the bias.
  blend.min_lod = 0;
  blend.max_lod = 512;
  Call far(Op::SampleL, s, &blend);
  far.with(Param::U, 0.5f).with(Param::V, 0.5f).with(Param::Lod, 5.0f);
  EXPECT_EQ(find(far).lanes[0].channels[0].parts()[0].core.high, 33.0 / 16);
  blend.max_lod = 14 * 256;
  blend.lod_bias = 256;
  EXPECT_EQ(find(plain).lanes[0].channels[0].parts()[0].core.high, 17.0 / 16);
}

TEST(Bounds, AnisotropyStaysUnderThePixel_BND9) {
  image::Surface s = make2d("R32_FLOAT", 64, 64, 1);
  fill_float(s, [](auto, auto, auto x, auto) { return static_cast<float>(x); });
  image::Sampler a = sampler_of(Filter::Anisotropic);
  a.max_anisotropy = 7;
  Call call(Op::SampleD, s, &a);
  call.with(Param::U, 0.5f).with(Param::V, 0.5f).with(Param::DuDx, 8.0f / 64).with(Param::DvDy, 1.0f / 64);
  // From 32 - 4 to 32 + 4 texels, and one more: texels 27 to 37. One blend of floats up to 37, 16 bits.
  const Interval all = range(find(call));
  EXPECT_NEAR(all.low, 27, 0.001);
  EXPECT_NEAR(all.high, 37, 0.001);
}

TEST(Bounds, CubesAtTies_BND10) {
  image::Surface s = make(SurfaceType::Cube, "R32_FLOAT", 4, 4, 1, 1, 6);
  fill_float(s, [](auto, auto slice, auto, auto) { return static_cast<float>(slice); });
  image::Sampler nearest = sampler_of(Filter::Nearest);
  Call call(Op::SampleLz, s, &nearest);
  call.with(Param::U, 1.0f).with(Param::V, -1.0f).with(Param::R, 1.0f);
  // +X is 0, -Y is 3, +Z is 4.
  const auto parts = find(call).lanes[0].channels[0].parts();
  ASSERT_EQ(parts.size(), 3u);
  EXPECT_EQ(parts[0].full.low, 0);
  EXPECT_EQ(parts[1].full.low, 3);
  EXPECT_EQ(parts[2].full.low, 4);
  // A linear filter at the corner of +X, +Y, +Z (0, 2, 4): the corner is any mean of the three.
  image::Sampler linear = sampler_of(Filter::Linear);
  linear.cube_override = true;
  Call corner(Op::SampleLz, s, &linear);
  corner.with(Param::U, 0.999f).with(Param::V, 0.999f).with(Param::R, 1.0f);
  const Interval near_corner = range(find(corner, kEight));
  // Each of the three faces has nearly a quarter, the corner another.
  EXPECT_NEAR(near_corner.low, (0 + 2 + 4 + 0) / 4.0, 0.05);
  EXPECT_NEAR(near_corner.high, (0 + 2 + 4 + 4) / 4.0, 0.05);
}

TEST(Bounds, SrgbIsDecodedBeforeTheFilter_BND11) {
  image::Surface s = make2d("R8G8B8A8_UNORM_SRGB", 2, 1);
  fill(s, [](auto, auto, auto x, auto) { return x == 0 ? 0xff000000u : 0xffffffffu; });
  const image::Sampler linear = sampler_of(Filter::Linear);
  Call call(Op::SampleLz, s, &linear);
  call.with(Param::U, 0.5f).with(Param::V, 0.5f);
  // The mean of linear 0 and 1 is 0.5; filtered first it were the decoded 0.5, 0.214.
  const bounds::ValueSet red = find(call).lanes[0].channels[0];
  EXPECT_EQ(bounds::judge(red, base::bits_of(0.5f), image::ValueClass::Float), Verdict::Inside);
  EXPECT_EQ(bounds::judge(red, base::bits_of(0.214f), image::ValueClass::Float), Verdict::Outside);
  // Half a step of the encoded 128: between the decoded 127.5 and 128.5.
  fill(s, [](auto, auto, auto, auto) { return 0xff808080u; });
  const image::Sampler nearest = sampler_of(Filter::Nearest);
  Call texel(Op::SampleLz, s, &nearest);
  texel.with(Param::U, 0.25f).with(Param::V, 0.5f);
  const Interval decoded = range(find(texel));
  const auto to_linear = [](double e) { return std::pow((e / 255 + 0.055) / 1.055, 2.4); };
  EXPECT_NEAR(decoded.low, to_linear(127.5), 1e-6);
  EXPECT_NEAR(decoded.high, to_linear(128.5), 1e-6);
}

TEST(Bounds, ArithmeticByTheFormat_BND12) {
  image::Surface s = make2d("R8_UNORM", 2, 2);
  fill(s, [](auto, auto, auto x, auto) { return x == 0 ? 0u : 255u; });
  const image::Sampler linear = sampler_of(Filter::Linear);
  Call call(Op::SampleLz, s, &linear);
  call.with(Param::U, 0.5f).with(Param::V, 0.5f);
  // Two blends, a 255th each.
  const bounds::Part part = find(call).lanes[0].channels[0].parts()[0];
  EXPECT_NEAR(part.full.low, 0.5 - 2.0 / 255, 1e-9);
  EXPECT_NEAR(part.full.high, 0.5 + 2.0 / 255, 1e-9);
  // BND-16: the middle is inside, a step beside it at the edge, three are outside.
  const bounds::ValueSet red = find(call).lanes[0].channels[0];
  const auto verdict = [&](float x) { return bounds::judge(red, base::bits_of(x), image::ValueClass::Float); };
  EXPECT_EQ(verdict(0.5f), Verdict::Inside);
  EXPECT_EQ(verdict(0.5f + 1.0f / 255), Verdict::Edge);
  EXPECT_EQ(verdict(0.5f - 3.0f / 255), Verdict::Outside);
  EXPECT_EQ(verdict(std::nanf("")), Verdict::Outside);
  EXPECT_EQ(bounds::name_of(Verdict::Edge), "edge");
}

TEST(Bounds, BlendsThatNeedNotBe_BND12) {
  image::Surface s = make2d("R8_UNORM", 2, 2);
  fill(s, [](auto, auto, auto x, auto) { return x == 0 ? 0u : 255u; });
  // At a level that is given an anisotropic sampler may blend any number of samples: one step more.
  image::Sampler anisotropic = sampler_of(Filter::Anisotropic);
  Call call(Op::SampleL, s, &anisotropic);
  call.with(Param::U, 0.5f).with(Param::V, 0.5f).with(Param::Lod, 0.0f);
  const Interval several = find(call).lanes[0].channels[0].parts()[0].full;
  EXPECT_NEAR(several.low, 0.5 - 3.0 / 255, 1e-9);
  EXPECT_NEAR(several.high, 0.5 + 3.0 / 255, 1e-9);
  // The only level is blended with itself.
  const image::Sampler levels = sampler_of(Filter::Nearest, MipFilter::Linear);
  Call nearest(Op::SampleL, s, &levels);
  nearest.with(Param::U, 0.75f).with(Param::V, 0.5f).with(Param::Lod, 0.0f);
  const Interval one = find(nearest, kEight).lanes[0].channels[0].parts()[0].full;
  EXPECT_NEAR(one.low, 1 - 5 * 0x1p-15, 1e-9);
  EXPECT_NEAR(one.high, 1 + 5 * 0x1p-15, 1e-9);
}

TEST(Bounds, ComparisonsBeforeTheFilter_BND13) {
  image::Surface s = make2d("R16_UNORM", 2, 1);
  fill(s, [](auto, auto, auto x, auto) { return x == 0 ? 10000u : 50000u; });
  image::Sampler shadow = sampler_of(Filter::Linear);
  shadow.compare = image::CompareFunction::Less;  // 0 where texel < ref
  Call call(Op::SampleCLz, s, &shadow);
  call.with(Param::U, 0.375f).with(Param::V, 0.5f).with(Param::Ref, 0.5f);  // weights 3/4 and 1/4
  const bounds::Part part = find(call).lanes[0].channels[0].parts()[0];
  EXPECT_EQ(part.core.low, 0.25);
  EXPECT_EQ(part.core.high, 0.25);
  // A reference less than half a step above texel 0: it may be equal after rounding.
  Call near(Op::SampleCLz, s, &shadow);
  near.with(Param::U, 0.25f).with(Param::V, 0.5f).with(Param::Ref, 10000.3f / 65535);
  const Interval either = range(find(near));
  EXPECT_LE(either.low, 0);
  EXPECT_GE(either.high, 1);
  EXPECT_EQ(find(near).lanes[0].rule, "BND-13");
}

TEST(Bounds, ReductionsWithoutWeight_BND14) {
  const image::Surface s = line({1, 5});
  image::Sampler least = sampler_of(Filter::Linear);
  least.reduction_enable = true;
  least.reduction = image::Reduction::Minimum;
  image::Sampler greatest = least;
  greatest.reduction = image::Reduction::Maximum;
  // 1/50 texel past the center of texel 0: the weight is 0 to 1/16.
  const auto at = [&](const image::Sampler& sampler, float u) {
    Call call(Op::SampleLz, s, &sampler);
    call.with(Param::U, u).with(Param::V, 0.5f);
    return range(find(call));
  };
  EXPECT_EQ(at(least, 0.26f).low, 1);
  EXPECT_EQ(at(least, 0.26f).high, 1);
  EXPECT_EQ(at(greatest, 0.26f).low, 1);
  EXPECT_EQ(at(greatest, 0.26f).high, 5);
  EXPECT_EQ(at(greatest, 0.25f).high, 1);
  EXPECT_EQ(at(greatest, 0.4f).low, 5);
}

TEST(Bounds, Queries_BND15) {
  const image::Surface s = levels_of_their_number(64, 5);
  const image::Sampler blend = sampler_of(Filter::Linear, MipFilter::Linear);
  Call call(Op::Lod, s, &blend);
  call.with(Param::U, lanes({0.0f, 0.5f, 0.0f, 0.5f})).with(Param::V, lanes({0.0f, 0.0f, 0.5f, 0.5f}));
  // 32 texels a pixel: 5 to 5.5, clamped to the last level, 4.
  const bounds::Bounds found = find(call);
  EXPECT_EQ(range(found, 0).low, 4);
  EXPECT_EQ(range(found, 0).high, 4);
  EXPECT_NEAR(range(found, 1).low, 5 - 1.0 / 16, 0.001);
  EXPECT_NEAR(range(found, 1).high, 5.5 + 1.0 / 16, 0.001);
  Call size(Op::Resinfo, s);
  const bounds::Bounds sizes = find(size);
  EXPECT_EQ(range(sizes, 0).low, 64);
  EXPECT_EQ(range(sizes, 0).high, 64);
}

bounds::Bounds loaded(const image::Surface& s, std::uint32_t x, std::uint32_t lod = 0, const Options& options = {}) {
  Call call(Op::Ld, s);
  call.word(Param::U, x).word(Param::V, 0).word(Param::R, 0).word(Param::Lod, lod);
  return find(call, options);
}

TEST(Bounds, LoadsAreDecodedAsSamplesAre_BND11_BND15) {
  image::Surface srgb = make2d("R8G8B8A8_UNORM_SRGB", 1, 1);
  fill(srgb, [](auto, auto, auto, auto) { return 0x80808080u; });
  const auto to_linear = [](double e) { return std::pow((e / 255 + 0.055) / 1.055, 2.4); };
  EXPECT_NEAR(range(loaded(srgb, 0)).low, to_linear(127.5), 1e-6);
  EXPECT_NEAR(range(loaded(srgb, 0)).high, to_linear(128.5), 1e-6);
  EXPECT_NEAR(range(loaded(srgb, 0), 3).high, 128.0 / 255, 1e-6);  // alpha is linear
  // The channel selects move the freedom with the channel.
  srgb.swizzle[3] = image::ChannelSelect::Red;
  EXPECT_NEAR(range(loaded(srgb, 0), 3).high, to_linear(128.5), 1e-6);
  // Two thirds of red: 1/255 either way. Endpoints f800 and 0, each index 2.
  image::Surface block = make2d("BC1_UNORM", 4, 4);
  for (unsigned k = 0; k < 8; ++k) (*block.memory)[k] = static_cast<std::uint8_t>(0xaaaaaaaa0000f800u >> (8 * k));
  const Interval red = range(loaded(block, 0));
  EXPECT_NEAR(red.low, 2.0 / 3 - 1.0 / 255, 0.5 / 255);
  EXPECT_NEAR(red.high - red.low, 2.0 / 255, 1e-9);
  // Floats are exact.
  EXPECT_TRUE(range(loaded(line({0.3f}), 0)).is_point());
}

TEST(Bounds, LoadsBeyondTheImage_BND15) {
  image::Surface s = make2d("R8G8B8A8_UNORM", 4, 4, 2);
  fill(s, [](auto, auto, auto, auto) { return 0x80808080u; });
  const bounds::Bounds outside = loaded(s, 4);
  for (unsigned c = 0; c < 3; ++c) {
    EXPECT_EQ(range(outside, c).low, 0);
    EXPECT_EQ(range(outside, c).high, 0);
  }
  const auto verdict = [&](float alpha) {
    return bounds::judge(outside.lanes[0].channels[3], base::bits_of(alpha), image::ValueClass::Float);
  };
  EXPECT_EQ(verdict(0), Verdict::Inside);
  EXPECT_EQ(verdict(1), Verdict::Inside);
  EXPECT_EQ(verdict(0.5f), Verdict::Outside);
  EXPECT_TRUE(loaded(s, 0, 2).lanes[0].channels[0].open());  // the view has levels 0 and 1
  EXPECT_FALSE(loaded(s, 0, 1).lanes[0].channels[0].open());
  EXPECT_TRUE(loaded(s, 4, 0, {Api::WebGpu, 0, 0, false}).lanes[0].channels[0].open());  // any texel of it
}

TEST(Bounds, GathersBeyondTheViewHaveTheFormatsClass_BND15) {
  // The view begins behind its last level: zeros, and the alpha that the format lacks is the integer 1.
  image::Surface s = make2d("R32_UINT", 4, 4, 2);
  s.resource_min_lod = 2 * 256;
  const image::Sampler nearest = sampler_of(Filter::Nearest);
  Call call(Op::Gather4L, s, &nearest);
  call.with(Param::U, 0.5f).with(Param::V, 0.5f).with(Param::Lod, 0.0f);
  call.request.source_channel = 3;
  const bounds::Bounds found = find(call);
  EXPECT_EQ(found.value_class, image::ValueClass::Uint);
  EXPECT_EQ(range(found).low, 1);
  EXPECT_EQ(range(found).high, 1);
}

TEST(Bounds, WhatIsOpenHasNoEnds_BND2) {
  const image::Surface s = line({0, INFINITY});
  const image::Sampler linear = sampler_of(Filter::Linear);
  Call call(Op::SampleLz, s, &linear);
  call.with(Param::U, lanes({0.5f, NAN})).with(Param::V, 0.5f);
  const bounds::Bounds found = find(call);
  EXPECT_TRUE(found.lanes[0].channels[0].anything());
  EXPECT_TRUE(found.lanes[1].channels[0].anything());
  EXPECT_EQ(bounds::judge(found.lanes[0].channels[0], base::bits_of(NAN), image::ValueClass::Float), Verdict::Inside);
}

// --- random requests -------------------------------------------------------------------------------------------------

constexpr const char* kFormats[] = {"R8G8B8A8_UNORM", "R8G8B8A8_UNORM_SRGB", "R16G16B16A16_FLOAT", "R32_FLOAT",
                                    "R16_UNORM",      "R8G8B8A8_SNORM",      "R11G11B10_FLOAT",    "R8G8B8A8_UINT"};
constexpr AddressMode kModes[] = {AddressMode::Wrap, AddressMode::Mirror, AddressMode::Clamp, AddressMode::ClampBorder,
                                  AddressMode::MirrorOnce};

void fill_noise(image::Surface& s, Random& random) {
  const std::uint32_t bytes = s.info().bytes_per_element();
  for (std::size_t at = 0; at + bytes <= s.memory->size(); at += bytes) {
    image::Texel texel;
    for (unsigned c = 0; c < 4; ++c) {
      if (s.info().value_class == image::ValueClass::Float)
        texel.set(static_cast<int>(c), random.unit());
      else
        texel.bits[c] = random.below(200);
    }
    image::encode_texel(s.info(), texel, &(*s.memory)[at]);
  }
}

/// One random request with its surface and sampler.
struct Case {
  image::Surface surface;
  image::Sampler sampler;
  Op op = Op::SampleL;
  std::vector<std::pair<Param, LaneWords>> parameters;

  explicit Case(Random& random, bool plain = false) {
    const std::uint32_t kind = plain ? 0 : random.below(8);
    const auto type = kind == 6 ? SurfaceType::Cube : kind == 7 ? SurfaceType::Dim3 : SurfaceType::Dim2;
    const std::uint32_t size = 8u << random.below(3);
    surface = make(type, plain ? "R8G8B8A8_UNORM" : kFormats[random.below(std::size(kFormats))],
                   type == SurfaceType::Cube || plain ? size : 5 + random.below(40), size,
                   type == SurfaceType::Dim3 ? 8 : 1, 3, type == SurfaceType::Cube ? 6 : 1);
    fill_noise(surface, random);
    const auto filter = [&] { return random.below(2) != 0 ? Filter::Linear : Filter::Nearest; };
    sampler = sampler_of(filter(), random.below(2) != 0 ? MipFilter::Linear : MipFilter::Nearest);
    if (!plain) sampler.mag_filter = filter();
    sampler.tcx = kModes[random.below(std::size(kModes))];
    sampler.tcy = kModes[random.below(std::size(kModes))];
    sampler.tcz = kModes[random.below(std::size(kModes))];
    sampler.cube_override = type == SurfaceType::Cube;
    sampler.set_api_rounding();
    for (std::uint32_t& word : sampler.border) word = base::bits_of(random.unit());
    if (plain) {
      op = Op::SampleL;
    } else {
      constexpr Op kOps[] = {Op::SampleL, Op::SampleLz, Op::Sample,  Op::SampleD, Op::SampleB,
                             Op::Gather4, Op::Lod,      Op::SampleL, Op::SampleD};
      op = kOps[random.below(std::size(kOps))];
      if (op == Op::Gather4 && type == SurfaceType::Dim3) op = Op::SampleLz;
      const bool integer = surface.info().value_class != image::ValueClass::Float;
      if (op == Op::SampleD && type == SurfaceType::Dim2 && !integer && random.below(2) != 0) {
        sampler.min_filter = sampler.mag_filter = Filter::Anisotropic;
        sampler.max_anisotropy = static_cast<std::uint8_t>(random.below(8));
      }
      if (!integer && random.below(6) == 0) {
        sampler.reduction_enable = true;
        sampler.reduction = random.below(2) != 0 ? image::Reduction::Minimum : image::Reduction::Maximum;
      } else if (op == Op::SampleL && !integer && random.below(4) == 0) {
        op = Op::SampleLC;
        sampler.compare = static_cast<image::CompareFunction>(2 + random.below(6));
      }
      if (random.below(4) == 0) sampler.lod_bias = static_cast<std::int32_t>(random.below(512)) - 256;
      if (random.below(4) == 0) sampler.min_lod = static_cast<std::int32_t>(random.below(256));
      if (random.below(4) == 0) sampler.max_lod = static_cast<std::int32_t>(sampler.min_lod + random.below(300));
    }
    const auto add = [&](Param p, float low, float high) {
      LaneWords words;
      for (std::uint32_t& word : words) word = base::bits_of(random.between(low, high));
      parameters.emplace_back(p, words);
    };
    for (const Param p : {Param::U, Param::V, Param::R}) add(p, -1.5f, 2.0f);
    add(Param::Lod, -1, 3);
    add(Param::Bias, -1, 1);
    add(Param::Ref, 0, 1);
    for (const Param p : {Param::DuDx, Param::DuDy, Param::DvDx, Param::DvDy, Param::DrDx, Param::DrDy})
      add(p, -0.2f, 0.2f);
  }

  [[nodiscard]] LaneRequest request() const {
    LaneRequest r;
    r.op = op;
    r.simd = 8;
    r.surface = &surface;
    r.sampler = &sampler;
    for (const Param p : operation(op).parameters())
      for (const auto& [name, words] : parameters)
        if (name == p) r.set(p, words);
    return r;
  }
};

std::string text_of(const bounds::ValueSet& set) {
  std::string text;
  for (const bounds::Part& p : set.parts())
    text += "[" + std::to_string(p.full.low) + ", " + std::to_string(p.full.high) + "] ";
  return text;
}

TEST(Bounds, HeddlesOwnAnswersAreInside_BND16) {
  constexpr std::uint64_t kSeed = 20;
  Random random(kSeed);
  for (unsigned n = 0; n < 3000; ++n) {
    const Case one(random);
    const LaneRequest request = one.request();
    OperationContext context;
    const LaneResult answer = execute(request, context);
    for (const Options& options : {kEight, Options{}}) {
      const auto found = bounds::find_bounds(request, options, context);
      ASSERT_TRUE(found.has_value()) << "case " << n << ": " << context.reports.all()[0].message;
      for (unsigned lane = 0; lane < request.simd; ++lane)
        for (unsigned c = 0; c < 4; ++c) {
          const bounds::ValueSet& set = found->lanes[lane].channels[c];
          ASSERT_NE(bounds::judge(set, answer.channels[c][lane], found->value_class), Verdict::Outside)
              << "seed " << kSeed << " case " << n << " " << operation(one.op).name << " " << one.surface.info().name
              << " lane " << lane << " channel " << c << ": " << f(answer, c, lane) << " " << text_of(set) << " "
              << found->lanes[lane].rule;
        }
    }
  }
}

/// How many lanes of answers that are wrong in a way are caught, and how many differ at all beyond what 8 bits of
/// weight (a 256th of the texels' range on each axis and between levels, twice where both ends move) and three blends
/// of 8 bits explain.
struct Caught {
  unsigned changed = 0, caught = 0;
};

template <typename Mutate>
Caught catch_mutants(std::uint64_t seed, Mutate mutate) {
  constexpr double kExplained = 3 * 2.0 / 256 + 3.0 / 255;
  Random random(seed);
  Caught result;
  for (unsigned n = 0; n < 300; ++n) {
    const Case one(random, true);
    Case wrong = one;
    mutate(wrong);
    OperationContext context;
    const LaneResult answer = execute(one.request(), context), mutant = execute(wrong.request(), context);
    const auto found = bounds::find_bounds(one.request(), kEight, context);
    for (unsigned lane = 0; lane < 8; ++lane) {
      bool changed = false, outside = false;
      for (unsigned c = 0; c < 4; ++c) {
        changed |= std::fabs(f(answer, c, lane) - f(mutant, c, lane)) > kExplained;
        outside |= bounds::judge(found->lanes[lane].channels[c], mutant.channels[c][lane], found->value_class) ==
                   Verdict::Outside;
      }
      result.changed += changed ? 1 : 0;
      result.caught += changed && outside ? 1 : 0;
    }
  }
  return result;
}

void expect_caught(const Caught& c) {
  EXPECT_GT(c.changed, 500u);
  EXPECT_GE(c.caught, 0.99 * c.changed) << c.caught << " of " << c.changed;
}

void shift(Case& one, Param param, float by) {
  for (auto& [name, words] : one.parameters)
    if (name == param)
      for (std::uint32_t& word : words) word = base::bits_of(base::float_from_bits(word) + by);
}

TEST(Bounds, MutantsByATexelAreCaught_BND16) {
  expect_caught(catch_mutants(31, [](Case& one) { shift(one, Param::U, 1.0f / one.surface.width); }));
  expect_caught(catch_mutants(32, [](Case& one) { shift(one, Param::V, -1.0f / one.surface.height); }));
}

TEST(Bounds, MutantsByALevelAreCaught_BND16) {
  expect_caught(catch_mutants(33, [](Case& one) { shift(one, Param::Lod, 1); }));
  expect_caught(catch_mutants(34, [](Case& one) { shift(one, Param::Lod, -1); }));
}

TEST(Bounds, MutantsOfAddressModesAreCaught_BND16) {
  expect_caught(catch_mutants(35, [](Case& one) {
    for (std::size_t k = 0; k < std::size(kModes); ++k)
      if (one.sampler.tcx == kModes[k]) {
        one.sampler.tcx = kModes[(k + 1) % std::size(kModes)];
        return;
      }
  }));
}

}  // namespace
}  // namespace heddle::texture::test
