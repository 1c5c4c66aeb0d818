// SPDX-License-Identifier: MIT
// 3D_SAMPLE: FLT-1..6, RED, CMP-4, SAM-6..9, LOD-12, ANI-1, SUR-10, TEX-1, PKO.
// Rules: BRD-1 to BRD-3, CMP-5, RED-1, RED-2, SAM-1, SAM-2, SAM-4, SAM-5.
#include <cmath>
#include <limits>

#include "support.hpp"
#include "texture/coordinates.hpp"
#include "texture/filter.hpp"

namespace heddle::texture {
namespace {

using namespace test;
using image::AddressMode;
using image::ChannelSelect;
using image::Filter;
using image::MipFilter;
using image::Reduction;
using image::Sampler;
using image::Surface;
using image::SurfaceType;

Sampler linear(MipFilter mip = MipFilter::None) {
  Sampler s;
  s.min_filter = s.mag_filter = Filter::Linear;
  s.mip_filter = mip;
  s.set_api_rounding();
  return s;
}

/// R32_FLOAT with random values in [-1, 1].
Surface noise(SurfaceType type, std::uint32_t w, std::uint32_t h, std::uint32_t d, std::uint32_t levels,
              std::uint64_t seed, std::uint32_t layers = 1, bool array = false) {
  Surface s = make(type, "R32_FLOAT", w, h, d, levels, layers, array);
  Random random(seed);
  fill_float(s, [&](auto, auto, auto, auto) { return random.between(-1, 1); });
  return s;
}
float texel(const Surface& s, std::uint32_t level, std::uint32_t slice, int x, int y) {
  return image::fetch(s, level, slice, static_cast<std::uint32_t>(x), static_cast<std::uint32_t>(y)).texel.f(0);
}

TEST(Sample, FLT1_Lerp) {
  const float nan = std::numeric_limits<float>::quiet_NaN(), inf = std::numeric_limits<float>::infinity();
  EXPECT_EQ(lerp(1, 3, 128), 2.0f);
  EXPECT_EQ(lerp(1, nan, 0), 1.0f);
  EXPECT_EQ(lerp(inf, 5, 256), 5.0f);
  EXPECT_EQ(base::bits_of(lerp(base::float_from_bits(0xffc12345u), 5, 7)), 0x7fc00000u);  // NUM-3
  EXPECT_EQ(base::bits_of(lerp(base::float_from_bits(0xffc12345u), 5, 0)), 0xffc12345u);  // NUM-2
}

TEST(Sample, NUM4_MinMax) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(rule_min(nan, 2), 2.0f);
  EXPECT_EQ(rule_min(2, nan), 2.0f);
  EXPECT_TRUE(std::signbit(rule_min(-0.0f, 0.0f)));
  EXPECT_FALSE(std::signbit(rule_min(0.0f, -0.0f)));
  EXPECT_EQ(rule_max(nan, -2), -2.0f);
}

TEST(Sample, FLT2_NearestIsLd) {
  const Surface s = noise(SurfaceType::Dim2, 9, 5, 1, 1, 1);
  Random random(21);
  Sampler sampler;
  for (int n = 0; n < 1000; ++n) {
    sampler.tcx = static_cast<AddressMode>(random.below(3));
    sampler.tcy = static_cast<AddressMode>(random.below(3));
    const float u = random.between(-2, 3), v = random.between(-2, 3);
    const Address x = apply_address_mode(sampler.tcx, static_cast<int>(std::floor(static_cast<double>(u * 9))), 9);
    const Address y = apply_address_mode(sampler.tcy, static_cast<int>(std::floor(static_cast<double>(v * 5))), 5);
    ASSERT_EQ(f(Call(Op::SampleLz, s, &sampler).with(Param::U, u).with(Param::V, v).run(), 0),
              texel(s, 0, 0, x.index, y.index));
  }
}

/// Bilinear or trilinear in extended precision with the same 8-bit weights: FLT-3, FLT-4 stay within a few roundings of
/// it.
TEST(Sample, FLT3_BilinearAgainstLongDouble) {  // C27, NUM-1
  const Surface s = noise(SurfaceType::Dim2, 16, 8, 1, 1, 2);
  Random random(22);
  Sampler sampler = linear();
  sampler.tcx = AddressMode::Wrap;
  sampler.tcy = AddressMode::Mirror;
  for (int n = 0; n < 2000; ++n) {
    const float u = random.between(-2, 3), v = random.between(-2, 3);
    const auto i = to_fixed(u, 16, false, true, true), j = to_fixed(v, 8, false, true, true);
    long double sum = 0;
    for (int t = 0; t < 4; ++t) {
      const int dx = t & 1, dy = t >> 1;
      const long double wu = dx ? i.weight : 256 - i.weight, wv = dy ? j.weight : 256 - j.weight;
      sum += wu * wv / 65536.0L *
             static_cast<long double>(texel(s, 0, 0, apply_address_mode(sampler.tcx, i.index + dx, 16).index,
                                            apply_address_mode(sampler.tcy, j.index + dy, 8).index));
    }
    ASSERT_NEAR(f(Call(Op::SampleLz, s, &sampler).with(Param::U, u).with(Param::V, v).run(), 0),
                static_cast<double>(sum), 6e-7);
  }
}

TEST(Sample, FLT3_OrderIsUThenVThenR) {
  // Exactly the printed order: lerp over u of each row, then v, then r.
  const Surface s = noise(SurfaceType::Dim3, 4, 4, 4, 1, 3);
  const Sampler sampler = linear();
  Random random(23);
  for (int n = 0; n < 500; ++n) {
    const float c[3] = {random.unit(), random.unit(), random.unit()};
    FixedCoordinate x[3];
    for (int k = 0; k < 3; ++k) x[k] = to_fixed(c[k], 4, false, true, true);
    const auto at = [&](int i, int j, int k) {
      const auto clamp = [](int q) { return std::clamp(q, 0, 3); };
      return texel(s, 0, static_cast<std::uint32_t>(clamp(x[2].index + k)), clamp(x[0].index + i),
                   clamp(x[1].index + j));
    };
    float slice[2];
    for (int k = 0; k < 2; ++k)
      slice[k] =
          lerp(lerp(at(0, 0, k), at(1, 0, k), x[0].weight), lerp(at(0, 1, k), at(1, 1, k), x[0].weight), x[1].weight);
    const float expected = lerp(slice[0], slice[1], x[2].weight);
    ASSERT_EQ(
        f(Call(Op::SampleLz, s, &sampler).with(Param::U, c[0]).with(Param::V, c[1]).with(Param::R, c[2]).run(), 0),
        expected);
  }
}

TEST(Sample, FLT4_Trilinear) {
  Surface s = make2d("R32_FLOAT", 8, 8, 4);
  fill_float(s, [](auto level, auto, auto, auto) { return static_cast<float>(level * level); });
  Sampler sampler = linear(MipFilter::Linear);
  const auto at = [&](float lod) { return f(Call(Op::SampleL, s, &sampler).with(Param::Lod, lod).run(), 0); };
  EXPECT_EQ(at(1.25f), 1.75f);
  EXPECT_EQ(at(2.0f), 4.0f);
  EXPECT_EQ(at(9.0f), 9.0f);
  EXPECT_EQ(at(-3.0f), 0.0f);
  sampler.lod_bias = 256;  // LOD-9
  EXPECT_EQ(at(0.5f), 2.5f);
}

TEST(Sample, FLT1_UnweightedTexelsDontLeak) {  // C26
  Surface s = make2d("R32_FLOAT", 2, 2);
  fill_float(
      s, [](auto, auto, auto x, auto y) { return x == 0 && y == 0 ? 1.0f : std::numeric_limits<float>::infinity(); });
  const Sampler sampler = linear();
  EXPECT_EQ(f(Call(Op::SampleLz, s, &sampler).with(Param::U, 0.25f).with(Param::V, 0.25f).run(), 0), 1.0f);
  EXPECT_TRUE(std::isinf(f(Call(Op::SampleLz, s, &sampler).with(Param::U, 0.3f).with(Param::V, 0.25f).run(), 0)));
}

TEST(Sample, FLT5_IntegersAreNearest) {  // C44
  Surface s = make2d("R8_UINT", 4, 4, 3);
  fill(s, [](auto level, auto, auto x, auto y) { return level * 64 + y * 4 + x; });
  Sampler sampler = linear(MipFilter::Linear);
  sampler.min_filter = Filter::Anisotropic;
  const auto r = Call(Op::SampleL, s, &sampler).with(Param::U, 0.74f).with(Param::V, 0.3f).with(Param::Lod, 0.4f).run();
  EXPECT_EQ(r.channels[0][0], 1u * 4 + 2);
  EXPECT_EQ(Call(Op::SampleL, s, &sampler).with(Param::Lod, 0.6f).run().channels[0][0], 64u);
  // With a reduction the filters choose the taps.
  sampler.reduction_enable = true;
  sampler.reduction = Reduction::Maximum;
  EXPECT_EQ(Call(Op::SampleL, s, &sampler)
                .with(Param::U, 0.5f)
                .with(Param::V, 0.5f)
                .with(Param::Lod, 0.0f)
                .run()
                .channels[0][0],
            2u * 4 + 2);
  EXPECT_EQ(Call(Op::SampleL, s, &sampler)
                .with(Param::U, 0.5f)
                .with(Param::V, 0.5f)
                .with(Param::Lod, 0.5f)
                .run()
                .channels[0][0],
            64u + 5);
}

/// surface-format-support: what the platform cannot do is said, and done all the same.
TEST(Sample, FormatsThatAPlatformCannotFilter) {
  const Surface s = make2d("R8G8B8A8_UINT", 4, 4);
  const Sampler sampler = linear();
  OperationContext context;
  context.platform = UnitPlatform::Skl;
  (void)Call(Op::SampleLz, s, &sampler).with(Param::U, 0.5f).with(Param::V, 0.5f).run(context);
  EXPECT_FALSE(context.reports.has_errors());
  ASSERT_FALSE(context.reports.empty());
  EXPECT_TRUE(
      std::ranges::any_of(context.reports.all(), [](const auto& d) { return d.id == "surface-format-support"; }));
}

TEST(Sample, RED1_OnlyWeightedTaps) {  // C26
  Surface s = make2d("R32_FLOAT", 4, 1);
  fill_float(s, [](auto, auto, auto x, auto) { return static_cast<float>(10 - static_cast<int>(x)); });
  Sampler sampler = linear();
  sampler.reduction_enable = true;
  sampler.reduction = Reduction::Minimum;
  const auto at = [&](float u) { return f(Call(Op::SampleLz, s, &sampler).with(Param::U, u).run(), 0); };
  EXPECT_EQ(at(0.375f), 9.0f);  // the center of texel 1
  EXPECT_EQ(at(0.38f), 8.0f);
  sampler.reduction = Reduction::Maximum;
  EXPECT_EQ(at(0.38f), 9.0f);
  EXPECT_EQ(at(0.37f), 10.0f);
}

TEST(Sample, RED1_SignedIntegers) {
  Surface s = make2d("R8_SINT", 2, 1);
  fill(s, [](auto, auto, auto x, auto) { return x == 0 ? 0xfbu : 3u; });
  Sampler sampler = linear();
  sampler.reduction_enable = true;
  sampler.reduction = Reduction::Minimum;
  EXPECT_EQ(static_cast<std::int32_t>(Call(Op::SampleLz, s, &sampler).with(Param::U, 0.5f).run().channels[0][0]), -5);
}

TEST(Sample, RED3_CompareAndReduction) {
  Surface s = make2d("R32_FLOAT", 1, 1);
  fill_float(s, [](auto, auto, auto, auto) { return 0.75f; });
  Sampler sampler = linear();
  sampler.compare = image::CompareFunction::Less;
  sampler.reduction_enable = true;
  EXPECT_EQ(f(Call(Op::SampleCLz, s, &sampler).with(Param::Ref, 1.0f).run(), 0), 0.75f);  // STD: acts without _c
  sampler.reduction = Reduction::Comparison;
  EXPECT_EQ(f(Call(Op::SampleCLz, s, &sampler).with(Param::Ref, 1.0f).run(), 0), 0.0f);
  EXPECT_EQ(f(Call(Op::SampleLz, s, &sampler).run(), 0), 1.0f);  // 0.75 < 0 does not hold
}

TEST(Sample, CMP4_CompareThenFilterThenSelect) {  // C20
  Surface s = make2d("R32_FLOAT", 2, 1);
  fill_float(s, [](auto, auto, auto x, auto) { return static_cast<float>(x); });
  s.swizzle = {ChannelSelect::Green, ChannelSelect::One, ChannelSelect::Zero, ChannelSelect::Alpha};
  Sampler sampler = linear();
  sampler.compare = image::CompareFunction::Less;
  const auto r =
      Call(Op::SampleCLz, s, &sampler).with(Param::Ref, 0.5f).with(Param::U, 0.375f).run();  // wu = 64: results 0 and 1
  EXPECT_EQ(f(r, 0), 0.25f);
  EXPECT_EQ(f(r, 1), 1.0f);
  EXPECT_EQ(f(r, 2), 0.0f);
  EXPECT_EQ(f(r, 3), 0.25f);
}

TEST(Sample, WorkedExample7) {
  Surface s = make2d("R32_FLOAT", 1, 1);
  fill_float(s, [](auto, auto, auto, auto) { return 0.5f; });
  Sampler sampler;
  sampler.compare = image::CompareFunction::Less;  // API LESS_OR_EQUAL
  EXPECT_EQ(f(Call(Op::SampleCLz, s, &sampler).with(Param::Ref, 0.5f).run(), 0), 1.0f);
}

TEST(Sample, LOD2_LOD4_QuadDerivatives) {  // C49: coarse pixels
  Surface s = make2d("R32_FLOAT", 64, 64, 7);
  fill_float(s, [](auto level, auto, auto, auto) { return static_cast<float>(level); });
  const Sampler sampler = linear(MipFilter::Linear);
  // Quad 0: 4 texels in x; quad 1: 8 texels in y. EXE-5: the mask does not matter.
  const auto u = lanes({0, 0.0625f, 0, 0.0625f, 0, 0, 0, 0}), v = lanes({0, 0, 0, 0, 0, 0, 0.125f, 0.125f});
  Call call(Op::Sample, s, &sampler);
  call.request.active = 0b10001000;
  const auto r = call.with(Param::U, u).with(Param::V, v).run();
  EXPECT_EQ(f(r, 0, 3), 2.0f);
  EXPECT_EQ(f(r, 0, 7), 3.0f);
  EXPECT_EQ(f(Call(Op::SampleB, s, &sampler).with(Param::U, u).with(Param::V, v).with(Param::Bias, 0.5f).run(), 0, 3),
            2.5f);
  // LOD-12: a coarse pixel of 2 x 4 divides dx by 2 and dy by 4.
  Call coarse(Op::Sample, s, &sampler);
  coarse.request.cps_compensation = true;
  coarse.request.coarse_width = 2;
  coarse.request.coarse_height = 4;
  const auto c = coarse.with(Param::U, u).with(Param::V, v).run();
  EXPECT_EQ(f(c, 0, 3), 1.0f);
  EXPECT_EQ(f(c, 0, 7), 1.0f);
  // sample_d equals the quad's derivatives.
  EXPECT_EQ(f(Call(Op::SampleD, s, &sampler).with(Param::DuDx, 0.0625f).run(), 0), 2.0f);
  EXPECT_EQ(f(Call(Op::SampleD, s, &sampler).with(Param::DvDy, 0.125f).run(), 0), 3.0f);
}

TEST(Sample, SAM7_LodQuery) {  // C48
  Surface s = make2d("R8_UINT", 64, 64, 7);
  Sampler sampler = linear(MipFilter::Linear);
  sampler.max_lod = 3 * 256 + 128;
  Sampler none = sampler;
  none.mip_filter = MipFilter::None;
  const auto u = lanes({0, 0.5f, 0, 0.5f, 0, 0, 0, 0});
  auto r = Call(Op::Lod, s, &sampler).with(Param::U, u).run();
  EXPECT_EQ(f(r, 1), 5.0f);
  EXPECT_EQ(r.value_class, image::ValueClass::Float);
  EXPECT_EQ(r.channels[2][0], 0u);
  s = make2d("R32_FLOAT", 64, 64, 7);
  r = Call(Op::Lod, s, &sampler).with(Param::U, u).run();
  EXPECT_EQ(f(r, 0), 3.5f);
  EXPECT_EQ(f(r, 1), 5.0f);
  EXPECT_EQ(f(Call(Op::Lod, s, &none).with(Param::U, u).run(), 0), 0.0f);
  s.surf_min_lod = 2;
  s.mip_count = 4;
  EXPECT_EQ(f(Call(Op::Lod, s, &sampler).with(Param::U, u).run(), 0), 3.0f);  // without SurfMinLOD
  s.memory.reset();                                                           // needs no texels
  EXPECT_EQ(f(Call(Op::Lod, s, &sampler).with(Param::U, u).run(), 1), 3.0f);
}

TEST(Sample, TEX1_ResourceMinLodOutOfBounds) {
  Surface s = make2d("R8G8_UNORM", 4, 4, 3);
  fill(s, [](auto, auto, auto, auto) { return 0xffffu; });
  s.resource_min_lod = 2 * 256 + 1;
  const Sampler sampler = linear(MipFilter::Linear);
  const auto r = Call(Op::SampleLz, s, &sampler).run();
  EXPECT_EQ(f(r, 0), 0.0f);
  EXPECT_EQ(f(r, 3), 1.0f);
  EXPECT_EQ(r.null_mask, 0xffffffffu);
  Sampler compare = sampler;  // the taps are zeros: compared like any
  compare.compare = image::CompareFunction::Less;
  EXPECT_EQ(f(Call(Op::SampleCLz, s, &compare).with(Param::Ref, 0.5f).run(), 0), 0.0f);
}

TEST(Sample, SAM6_NullMaskCountsWeightedTaps) {
  Surface s = make2d("R8_UNORM", 4, 4);
  fill(s, [](auto, auto, auto, auto) { return 0xffu; });
  s.null_texels = {{0, 0, 2, 1}};
  const Sampler sampler = linear();
  const auto r = Call(Op::SampleLz, s, &sampler)
                     .with(Param::U, lanes({0.375f, 0.4f}))
                     .with(Param::V, lanes({0.375f, 0.375f}))
                     .run();
  EXPECT_EQ(r.null_mask, ~2u);
  EXPECT_EQ(f(r, 0, 0), 1.0f);
}

TEST(Sample, SUR10_SampleZero) {  // C25
  Surface s = make(SurfaceType::Dim2, "R8_UINT", 2, 2, 1, 1, 2, true, 4);
  fill(s, [](auto, auto slice, auto, auto) { return slice; });
  const Sampler sampler;
  EXPECT_EQ(Call(Op::SampleLz, s, &sampler).with(Param::R, 1.0f).run().channels[0][0], 4u);
  EXPECT_EQ(Call(Op::Gather4, s, &sampler).with(Param::R, 1.0f).run().channels[0][0], 4u);
}

TEST(Sample, CRD5_OneDimensionalArrays) {
  Surface s = make(SurfaceType::Dim1, "R8_UINT", 4, 1, 1, 1, 3, true);
  fill(s, [](auto, auto slice, auto x, auto) { return slice * 16 + x; });
  const Sampler sampler;
  Call call(Op::SampleLz, s, &sampler);
  call.request.offset = {1, 5, 5};
  EXPECT_EQ(call.with(Param::U, 0.4f).with(Param::V, 2.2f).run().channels[0][0], 2u * 16 + 2);
}

TEST(Sample, CRD4_OffsetsMoveTaps) {
  const Surface s = noise(SurfaceType::Dim3, 8, 8, 8, 1, 5);
  const Sampler sampler = linear();
  Call call(Op::SampleLz, s, &sampler);
  call.request.offset = {2, -1, 3};
  const auto r = call.with(Param::U, 0.3f).with(Param::V, 0.5f).with(Param::R, 0.2f).run();
  const auto moved = Call(Op::SampleLz, s, &sampler)
                         .with(Param::U, 0.3f + 0.25f)
                         .with(Param::V, 0.5f - 0.125f)
                         .with(Param::R, 0.2f + 0.375f)
                         .run();
  EXPECT_NEAR(f(r, 0), f(moved, 0), 0.02);
  // PKO-1: packed offsets replace the immediate ones.
  Call packed(Op::SamplePoLz, s, &sampler);
  packed.request.offset = {7, 7, 7};
  EXPECT_EQ(f(packed.with(Param::U, 0.3f)
                  .with(Param::V, 0.5f)
                  .with(Param::R, 0.2f)
                  .word(Param::OffUvr, 2u | 0xfu << 4 | 3u << 8)
                  .run(),
              0),
            f(r, 0));
}

TEST(Sample, C60_MinimumLod) {
  Surface s = make2d("R32_FLOAT", 16, 16, 5);
  fill_float(s, [](auto level, auto, auto, auto) { return static_cast<float>(level); });
  const Sampler sampler = linear(MipFilter::Linear);
  EXPECT_EQ(f(Call(Op::SampleMlod, s, &sampler).with(Param::Mlod, 2.5f).run(), 0), 2.5f);
  Sampler floor = sampler;
  floor.min_lod = 3 * 256;
  EXPECT_EQ(f(Call(Op::SampleMlod, s, &floor).with(Param::Mlod, 2.5f).run(), 0), 3.0f);
}

TEST(Sample, SAM9_PackedLod) {
  Surface s = make2d("R32_FLOAT", 16, 16, 5);
  fill_float(s, [](auto level, auto, auto x, auto) { return static_cast<float>(level * 16 + x); });
  const Sampler sampler;
  Sampler nearest = sampler;
  nearest.mip_filter = MipFilter::Nearest;
  EXPECT_EQ(f(Call(Op::SamplePoL, s, &nearest).word(Param::LodOffUvr, base::bits_of(1.0f) | 3u).run(), 0), 16.0f + 3);
}

TEST(Sample, CUB3_NearestStaysOnTheFace) {
  Surface s = make(SurfaceType::Cube, "R8_UINT", 4, 4, 1, 1, 6);
  fill(s, [](auto, auto slice, auto x, auto y) { return slice * 16 + y * 4 + x; });
  Sampler sampler;
  sampler.tcx = sampler.tcy = AddressMode::Wrap;
  const auto r = Call(Op::SampleLz, s, &sampler).with(Param::U, 1.0f).with(Param::V, 0.0f).with(Param::R, 1.0f).run();
  EXPECT_EQ(r.channels[0][0], 4u * 16 + 2 * 4 + 3);  // s = 1: clamped, not wrapped
}

TEST(Sample, LOD3_CubeGradients) {  // C47: direction and derivatives of the direction; CUB-6
  Surface s = make(SurfaceType::Cube, "R32_FLOAT", 64, 64, 1, 7, 6);
  fill_float(s, [](auto level, auto, auto, auto) { return static_cast<float>(level); });
  Sampler sampler = linear(MipFilter::Linear);
  // Direction (0, 0, 2), dx = (0.5, 0, 0): ds = 0.5 * (2 * 0.5) / 4 = 0.125: 8 texels.
  const auto r = Call(Op::SampleD, s, &sampler).with(Param::R, 2.0f).with(Param::DuDx, 0.5f).run();
  EXPECT_EQ(f(r, 0), 3.0f);
}

TEST(Sample, ANI1_MeanOfProbes) {  // C28
  const Surface s = noise(SurfaceType::Dim2, 64, 64, 1, 7, 6);
  Sampler sampler = linear(MipFilter::None);
  sampler.min_filter = Filter::Anisotropic;
  sampler.max_anisotropy = 1;  // 4:1
  sampler.round_min.fill(true);
  // 16 by 4 texels: N = 4 probes at -0.3, -0.1, 0.1, 0.3 of the gradient; the spread limit of 8 texels halves it.
  const float u = 0.41f, v = 0.53f, du = 16.0f / 64, dv = 4.0f / 64;
  const auto r = Call(Op::SampleD, s, &sampler)
                     .with(Param::U, u)
                     .with(Param::V, v)
                     .with(Param::DuDx, du)
                     .with(Param::DvDy, dv)
                     .run();
  Sampler plain = linear();
  double sum = 0;
  for (int p = 1; p <= 4; ++p) {
    const float at = (static_cast<float>(p) / 5.0f - 0.5f) * 0.5f;
    sum += static_cast<double>(f(Call(Op::SampleLz, s, &plain).with(Param::U, u + du * at).with(Param::V, v).run(), 0));
  }
  EXPECT_EQ(f(r, 0), static_cast<float>(sum / 4));
  // FLT-6: acts as LINEAR with an explicit LOD.
  EXPECT_EQ(f(Call(Op::SampleL, s, &sampler).with(Param::U, u).with(Param::V, v).with(Param::Lod, 1.0f).run(), 0),
            f(Call(Op::SampleLz, s, &plain).with(Param::U, u).with(Param::V, v).run(), 0));
}

TEST(Sample, ANI2_ReductionAndComparisonOfProbes) {
  const Surface s = noise(SurfaceType::Dim2, 64, 64, 1, 7, 6);
  Sampler sampler = linear(MipFilter::None);
  sampler.min_filter = Filter::Anisotropic;
  sampler.max_anisotropy = 1;
  sampler.round_min.fill(true);
  const float u = 0.41f, v = 0.53f, du = 16.0f / 64, dv = 4.0f / 64, reference = 0.5f;
  const auto at = [&](Op op, const Sampler& state, float shift) {
    Call call(op, s, &state);
    call.with(Param::U, u + du * shift).with(Param::V, v).with(Param::Ref, reference);
    if (op == Op::SampleD || op == Op::SampleDC) call.with(Param::DuDx, du).with(Param::DvDy, dv);
    return f(call.run(), 0);
  };
  const auto probes = [&](Op op, const Sampler& state) {
    std::vector<float> values;
    for (int p = 1; p <= 4; ++p) values.push_back(at(op, state, (static_cast<float>(p) / 5.0f - 0.5f) * 0.5f));
    return values;
  };
  Sampler plain = linear();
  sampler.reduction_enable = plain.reduction_enable = true;
  sampler.reduction = plain.reduction = image::Reduction::Maximum;
  EXPECT_EQ(at(Op::SampleD, sampler, 0), std::ranges::max(probes(Op::SampleLz, plain)));
  sampler.reduction_enable = plain.reduction_enable = false;
  sampler.compare = plain.compare = image::CompareFunction::Less;
  double sum = 0;
  for (const float value : probes(Op::SampleCLz, plain)) sum += static_cast<double>(value);
  EXPECT_EQ(at(Op::SampleDC, sampler, 0), static_cast<float>(sum / 4));
  EXPECT_GT(sum, 0);
}

TEST(Sample, ADR_NonNormalizedCoordinates) {
  const Surface s = noise(SurfaceType::Dim2, 9, 5, 1, 1, 8);
  Sampler sampler;
  sampler.non_normalized = true;
  EXPECT_EQ(f(Call(Op::SampleLz, s, &sampler).with(Param::U, 7.9f).with(Param::V, 2.0f).run(), 0),
            texel(s, 0, 0, 7, 2));
  EXPECT_EQ(f(Call(Op::SampleLz, s, &sampler).with(Param::U, 77.0f).with(Param::V, -2.0f).run(), 0),
            texel(s, 0, 0, 8, 0));
}

TEST(Sample, SUR7_Selects) {
  Surface s = make2d("R8G8B8A8_UNORM", 1, 1);
  fill(s, [](auto, auto, auto, auto) { return 0xff804020u; });
  s.swizzle = {ChannelSelect::Blue, ChannelSelect::Zero, ChannelSelect::One, ChannelSelect::Red};
  const Sampler sampler;
  const auto r = Call(Op::SampleLz, s, &sampler).run();
  EXPECT_EQ(f(r, 0), 0x80 / 255.0f);
  EXPECT_EQ(f(r, 1), 0.0f);
  EXPECT_EQ(f(r, 2), 1.0f);
  EXPECT_EQ(f(r, 3), 0x20 / 255.0f);
}

TEST(Sample, NUM21_SrgbDecodeSwitch) {
  Surface s = make2d("R8G8B8A8_UNORM_SRGB", 1, 1);
  fill(s, [](auto, auto, auto, auto) { return 0x80808080u; });
  Sampler sampler;
  EXPECT_EQ(base::bits_of(f(Call(Op::SampleLz, s, &sampler).run(), 0)), 0x3e5d0a89u);  // appendix A, entry 80h
  sampler.srgb_decode = false;
  EXPECT_EQ(f(Call(Op::SampleLz, s, &sampler).run(), 0), 128 / 255.0f);
}

TEST(Sample, RET9_SUR8_NUM28) {
  Surface buffer;
  buffer.type = SurfaceType::Buffer;
  buffer.entries = 4;
  ASSERT_TRUE(image::allocate(buffer).ok());
  Sampler sampler;
  OperationContext context;
  (void)Call(Op::Sample, buffer, &sampler).run(context);
  EXPECT_EQ(context.reports.all()[0].id, "RET-9");
  Surface s = make2d("R8_UNORM", 2, 2);
  sampler.mag_filter = Filter::Mono;
  OperationContext mono;
  (void)Call(Op::Sample, s, &sampler).run(mono);
  EXPECT_EQ(mono.reports.all()[0].id, "SUR-8");
  sampler.mag_filter = Filter::Nearest;
  s.format = format_named("P8A8_UNORM_PALETTE0");
  OperationContext palette;
  (void)Call(Op::Sample, s, &sampler).run(palette);
  EXPECT_EQ(palette.reports.all()[0].id, "NUM-28");
}

TEST(Sample, C22_OutsideMemory) {
  Surface s = make2d("R8_UNORM", 4, 4, 2);
  s.mip_count = 5;  // names levels that are not stored
  Sampler sampler;
  sampler.mip_filter = MipFilter::Nearest;
  OperationContext context;
  EXPECT_EQ(f(Call(Op::SampleL, s, &sampler).with(Param::Lod, 4.0f).run(context), 0), 0.0f);
  ASSERT_TRUE(context.reports.has_errors());
  EXPECT_EQ(context.reports.all()[0].id, "C22");
}

/// No state and no bit pattern crashes, and what comes out is the same each time.
TEST(Sample, AnyStateAnyBits) {
  Random random(99);
  const SurfaceType types[] = {SurfaceType::Dim1, SurfaceType::Dim2, SurfaceType::Dim3, SurfaceType::Cube};
  const char* formats[] = {"R32_FLOAT", "R8G8B8A8_UNORM",           "R8_UINT", "R16_SINT",
                           "BC1_UNORM", "R32_FLOAT_X8X24_TYPELESS", "A8_UNORM"};
  const std::uint32_t odd[] = {0x7fc00000u, 0x7f800000u, 0xff800000u, 1u, 0x80000001u,
                               0x7f7fffffu, 0xff7fffffu, 0x7f800001u, 0u, 0x80000000u};
  for (int n = 0; n < 3000; ++n) {
    const SurfaceType type = types[random.below(4)];
    const std::uint32_t size = 1 + random.below(9);
    Surface s = make(type, formats[random.below(7)], size,
                     type == SurfaceType::Dim1   ? 1
                     : type == SurfaceType::Cube ? size
                                                 : 1 + random.below(9),
                     type == SurfaceType::Dim3 ? 1 + random.below(5) : 1, 1 + random.below(4),
                     type == SurfaceType::Cube   ? 12
                     : type == SurfaceType::Dim3 ? 1
                                                 : 3,
                     type != SurfaceType::Dim3);
    for (auto& byte : *s.memory) byte = static_cast<std::uint8_t>(random.word());
    s.surf_min_lod = random.below(2);
    s.resource_min_lod = static_cast<std::int32_t>(random.below(600));
    s.base_mip_level = static_cast<std::int32_t>(random.below(4));
    s.cube_faces = random.below(64);
    s.min_array_element = random.below(2);
    Sampler sampler;
    sampler.min_filter = static_cast<Filter>(random.below(3));
    sampler.mag_filter = static_cast<Filter>(random.below(3));
    sampler.mip_filter = random.below(3) == 0 ? MipFilter::None
                         : random.below(2)    ? MipFilter::Nearest
                                              : MipFilter::Linear;
    sampler.tcx = static_cast<AddressMode>(random.below(8));
    sampler.tcy = static_cast<AddressMode>(random.below(8));
    sampler.tcz = static_cast<AddressMode>(random.below(8));
    sampler.cube_override = random.below(2) != 0;
    sampler.lod_bias = static_cast<std::int32_t>(random.below(8192)) - 4096;
    sampler.min_lod = static_cast<std::int32_t>(random.below(3584));
    sampler.max_lod = static_cast<std::int32_t>(random.below(3584));
    sampler.preclamp = random.below(2) ? image::LodPreClamp::Ogl : image::LodPreClamp::None;
    sampler.lod_clamp_mag = static_cast<image::LodClampMag>(random.below(2));
    sampler.max_anisotropy = static_cast<std::uint8_t>(random.below(8));
    sampler.trilinear_quality = static_cast<std::uint8_t>(random.below(4));
    sampler.non_normalized = random.below(4) == 0;
    sampler.compare = static_cast<image::CompareFunction>(random.below(8));
    sampler.reduction_enable = random.below(3) == 0;
    sampler.reduction = static_cast<Reduction>(random.below(4));
    sampler.round_min = {random.below(2) != 0, true, false};
    const auto ops = all_operations();
    const Operation& op = ops[random.below(static_cast<std::uint32_t>(ops.size()))];
    Call call(op.op, s, &sampler);
    call.request.simd = 8u << random.below(3);
    call.request.active = random.word();
    call.request.offset = {static_cast<int>(random.below(16)) - 8, static_cast<int>(random.below(16)) - 8,
                           static_cast<int>(random.below(16)) - 8};
    for (const Param p : op.parameters()) {
      LaneWords words;
      for (auto& w : words)
        w = random.below(3) == 0 ? odd[random.below(10)]
            : random.below(2)    ? base::bits_of(random.between(-2, 3))
                                 : random.word();
      call.with(p, words);
    }
    OperationContext context, again;
    const LaneResult a = call.run(context), b = call.run(again);
    ASSERT_EQ(a.channels, b.channels);
    ASSERT_EQ(a.null_mask, b.null_mask);
  }
}

}  // namespace
}  // namespace heddle::texture
