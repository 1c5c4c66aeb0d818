// SPDX-License-Identifier: MIT
// 3D_SAMPLE4: GA-1..14, LOD-10, LOD-11, CMP, BRD, SUR-4..7, RET.
#include <cmath>
#include <limits>

#include "support.hpp"
#include "texture/coordinates.hpp"
#include "texture/cube.hpp"

namespace heddle::texture {
namespace {

using namespace test;
using image::AddressMode;
using image::ChannelSelect;
using image::CompareFunction;
using image::Sampler;
using image::Surface;
using image::SurfaceType;

Surface numbered(std::uint32_t w, std::uint32_t h) {
  Surface s = make2d("R8_UINT", w, h);
  fill(s, [](auto, auto, auto x, auto y) { return 16 * y + x; });
  return s;
}

TEST(Gather, GA4_WorkedExample) {  // section 18 example 2, E9: four channels always return
  const Surface s = numbered(4, 4);
  const Sampler sampler;
  const auto r = Call(Op::Gather4, s, &sampler).with(Param::U, 0.5f).with(Param::V, 0.5f).run();
  EXPECT_EQ(r.channels[0][0], 0x21u);
  EXPECT_EQ(r.channels[1][0], 0x22u);
  EXPECT_EQ(r.channels[2][0], 0x12u);
  EXPECT_EQ(r.channels[3][0], 0x11u);
  EXPECT_EQ(r.value_class, image::ValueClass::Uint);
  EXPECT_EQ(r.null_mask, 0xffffffffu);
}

TEST(Gather, GA3_EveryTapIsAnLd) {  // C18: the rounding enables of magnification
  // Property: gather4 = four ld's at the indices of CRD and ADR, for every address mode and offset.
  const Surface s = numbered(7, 5);
  Random random(11);
  for (int n = 0; n < 4000; ++n) {
    Sampler sampler;
    sampler.tcx = static_cast<AddressMode>(random.below(8));
    sampler.tcy = static_cast<AddressMode>(random.below(8));
    sampler.round_mag = {random.below(2) != 0, random.below(2) != 0, false};
    sampler.border = {200, 201, 202, 203};
    const float u = random.between(-3, 4), v = random.between(-3, 4);
    Call call(Op::Gather4, s, &sampler);
    call.request.offset = {static_cast<int>(random.below(16)) - 8, static_cast<int>(random.below(16)) - 8, 0};
    const auto r = call.with(Param::U, u).with(Param::V, v).run();
    const auto i = to_fixed(u, 7, false, sampler.round_mag[0], true),
               j = to_fixed(v, 5, false, sampler.round_mag[1], true);
    constexpr int kDi[4] = {0, 1, 1, 0}, kDj[4] = {1, 1, 0, 0};
    for (unsigned c = 0; c < 4; ++c) {
      const Address x = apply_address_mode(sampler.tcx, i.index + kDi[c] + call.request.offset[0], 7);
      const Address y = apply_address_mode(sampler.tcy, j.index + kDj[c] + call.request.offset[1], 5);
      // Integer formats: half counts as border (ADR-8).
      const bool border = x.kind != AddressKind::Texel || y.kind != AddressKind::Texel;
      const auto ld = Call(Op::Ld, s)
                          .word(Param::U, static_cast<std::uint32_t>(x.index))
                          .word(Param::V, static_cast<std::uint32_t>(y.index))
                          .run();
      ASSERT_EQ(r.channels[c][0], border ? 200u : ld.channels[0][0]) << n << ' ' << c;
    }
  }
}

TEST(Gather, ADR_TranslationAndOuterProduct) {
  // WRAP: moving by a whole image changes nothing. Rows and columns are chosen independently.
  const Surface s = numbered(8, 4);
  Sampler sampler;
  sampler.tcx = sampler.tcy = AddressMode::Wrap;
  Random random(12);
  for (int n = 0; n < 500; ++n) {
    const float u = static_cast<float>(random.below(2048)) / 2048, v = static_cast<float>(random.below(1024)) / 1024;
    const auto a = Call(Op::Gather4, s, &sampler).with(Param::U, u).with(Param::V, v).run();
    const auto b = Call(Op::Gather4, s, &sampler).with(Param::U, u + 3).with(Param::V, v - 2).run();
    for (unsigned c = 0; c < 4; ++c) ASSERT_EQ(a.channels[c][0], b.channels[c][0]);
    ASSERT_EQ(a.channels[0][0] & 15, a.channels[3][0] & 15);
    ASSERT_EQ(a.channels[1][0] & 15, a.channels[2][0] & 15);
    ASSERT_EQ(a.channels[0][0] >> 4, a.channels[1][0] >> 4);
    ASSERT_EQ(a.channels[3][0] >> 4, a.channels[2][0] >> 4);
  }
}

TEST(Gather, GA8_LaneOffsetsReplaceImmediateOnes) {
  const Surface s = numbered(16, 16);
  const Sampler sampler;
  Call call(Op::Gather4Po, s, &sampler);
  call.request.offset = {7, 7, 7};
  const auto r =
      call.with(Param::U, 0.5f).with(Param::V, 0.5f).word(Param::OffU, 0xffffffc3u).word(Param::OffV, 0x3eu).run();
  EXPECT_EQ(r.channels[3][0], 16u * (7 - 2) + 7 + 3);
  const auto packed = Call(Op::Gather4PoPacked, s, &sampler)
                          .with(Param::U, 0.5f)
                          .with(Param::V, 0.5f)
                          .word(Param::OffUv, 3u | 0x3eu << 6)
                          .run();
  EXPECT_EQ(packed.channels[3][0], r.channels[3][0]);
}

TEST(Gather, GA5_ChannelSelects) {
  Surface s = make2d("R8G8B8A8_UNORM", 2, 2);
  fill(s, [](auto, auto, auto, auto) { return 0x40302010u; });
  s.swizzle = {ChannelSelect::Alpha, ChannelSelect::One, ChannelSelect::Zero, ChannelSelect::Red};
  const Sampler sampler;
  const float expected[4] = {0x40 / 255.0f, 1.0f, 0.0f, 0x10 / 255.0f};
  for (std::uint8_t c = 0; c < 4; ++c) {
    Call call(Op::Gather4, s, &sampler);
    call.request.source_channel = c;
    const auto r = call.with(Param::U, 0.5f).with(Param::V, 0.5f).run();
    for (unsigned k = 0; k < 4; ++k) EXPECT_EQ(f(r, k), expected[c]);
  }
  // NUM-25: ONE of an integer format is the integer.
  s.format = image::Format::R8G8B8A8_UINT;
  Call call(Op::Gather4, s, &sampler);
  call.request.source_channel = 1;
  EXPECT_EQ(call.with(Param::U, 0.5f).with(Param::V, 0.5f).run().channels[0][0], 1u);
}

TEST(Gather, GA5_AbsentChannelsGiveTheFormatDefault) {  // C7
  Surface s = make2d("R8G8_UINT", 2, 2);
  fill(s, [](auto, auto, auto, auto) { return 0x0905u; });
  const Sampler sampler;
  const std::uint32_t expected[4] = {5, 9, 0, 1};
  for (std::uint8_t c = 0; c < 4; ++c) {
    Call call(Op::Gather4, s, &sampler);
    call.request.source_channel = c;
    EXPECT_EQ(call.with(Param::U, 0.5f).with(Param::V, 0.5f).run().channels[0][0], expected[c]);
  }
}

TEST(Gather, GA6_CompareIgnoresSelectsAndSourceChannel) {  // C20
  Surface s = make2d("R32_FLOAT", 2, 1);
  fill_float(s, [](auto, auto, auto x, auto) { return x == 0 ? 0.25f : 0.75f; });
  s.swizzle = {ChannelSelect::Zero, ChannelSelect::Zero, ChannelSelect::Zero, ChannelSelect::Zero};
  Sampler sampler;
  sampler.compare = CompareFunction::Less;  // API: LESS_OR_EQUAL
  Call call(Op::Gather4C, s, &sampler);
  call.request.source_channel = 3;
  const auto r = call.with(Param::U, 0.5f).with(Param::V, 0.5f).with(Param::Ref, 0.5f).run();
  EXPECT_EQ(f(r, 3), 0.0f);  // 0.25 < 0.5 holds: 0.0
  EXPECT_EQ(f(r, 2), 1.0f);
  EXPECT_EQ(r.value_class, image::ValueClass::Float);
}

TEST(Gather, CMP1_AllFunctionsWithNan) {  // C6
  // Rows: texel < ref, =, >, NaN. Columns: the eight functions. 0.0 where texel FUNC ref holds; section 8 CMP-2 for
  // NaN.
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float texels[4] = {0.25f, 0.5f, 0.75f, nan};
  const float expected[4][8] = {
      //             ALW NEV LES EQU LEQ GRE NEQ GEQ
      /* < */ {0, 1, 0, 1, 0, 1, 0, 1},
      /* = */ {0, 1, 1, 0, 0, 1, 1, 0},
      /* > */ {0, 1, 1, 1, 1, 0, 0, 0},
      /* N */ {0, 1, 0, 1, 0, 0, 0, 0},
  };
  for (unsigned t = 0; t < 4; ++t) {
    Surface s = make2d("R32_FLOAT", 1, 1);
    fill_float(s, [&](auto, auto, auto, auto) { return texels[t]; });
    for (unsigned fn = 0; fn < 8; ++fn) {
      Sampler sampler;
      sampler.compare = static_cast<CompareFunction>(fn);
      const auto r = Call(Op::Gather4C, s, &sampler).with(Param::Ref, 0.5f).run();
      EXPECT_EQ(f(r, 0), expected[t][fn]) << t << ' ' << fn;
    }
  }
}

TEST(Gather, CMP3_UnormReferencesAreClamped) {  // C6
  Surface s = make2d("R16_UNORM", 1, 1);
  fill(s, [](auto, auto, auto, auto) { return 0xffffu; });
  Sampler sampler;
  sampler.compare = CompareFunction::Less;
  EXPECT_EQ(f(Call(Op::Gather4C, s, &sampler).with(Param::Ref, 2.0f).run(), 0), 1.0f);  // 1 < 1 does not hold
  Surface d = make2d("R32_FLOAT", 1, 1);
  fill_float(d, [](auto, auto, auto, auto) { return 1.0f; });
  EXPECT_EQ(f(Call(Op::Gather4C, d, &sampler).with(Param::Ref, 2.0f).run(), 0), 0.0f);
}

TEST(Gather, C64_CompareOnIntegerFormatsIsReported) {
  Surface s = make2d("R8_UINT", 1, 1);
  fill(s, [](auto, auto, auto, auto) { return 7u; });
  Sampler sampler;
  sampler.compare = CompareFunction::Less;
  OperationContext context;
  const auto r = Call(Op::Gather4C, s, &sampler).with(Param::Ref, 7.5f).run(context);
  ASSERT_TRUE(context.reports.has_errors());
  EXPECT_EQ(context.reports.all()[0].id, "C64");
  EXPECT_EQ(f(r, 0), 0.0f);
}

TEST(Gather, LOD10_MinLodMovesThePlainGather) {  // C2
  Surface s = make2d("R8_UINT", 8, 8, 4);
  fill(s, [](auto level, auto, auto, auto) { return level; });
  Sampler sampler;
  sampler.min_lod = 256 + 128;
  OperationContext hardware;
  EXPECT_EQ(Call(Op::Gather4, s, &sampler).run(hardware).channels[0][0], 1u);
  OperationContext document;
  document.set_behavior(Behavior::Document);
  EXPECT_EQ(Call(Op::Gather4, s, &sampler).run(document).channels[0][0], 0u);
  // Resource Min LOD, view base and out of bounds.
  sampler.min_lod = 0;
  s.surf_min_lod = 1;
  s.mip_count = 2;
  s.resource_min_lod = 2 * 256 + 255;
  EXPECT_EQ(Call(Op::Gather4, s, &sampler).run().channels[0][0], 2u);
  s.resource_min_lod = 3 * 256 + 1;  // TEX-1
  EXPECT_EQ(Call(Op::Gather4, s, &sampler).run().channels[0][0], 0u);
}

TEST(Gather, LD10_PlainGathersOfLevelsThatAreNotRead) {
  Surface s = make2d("R8_UINT", 8, 8, 4);
  fill(s, [](auto level, auto, auto, auto) { return level + 1; });
  s.unread_levels = 1;
  s.resource_min_lod = 256;
  Sampler sampler;
  for (const Behavior behavior : {Behavior::Hardware, Behavior::Document}) {
    OperationContext context;
    context.set_behavior(behavior);
    const auto r = Call(Op::Gather4, s, &sampler).run(context);
    for (unsigned c = 0; c < 4; ++c) EXPECT_EQ(r.channels[c][0], 0u);
  }
  // With a level of detail only Resource Min LOD counts.
  EXPECT_EQ(Call(Op::Gather4L, s, &sampler).with(Param::Lod, 0.0f).run().channels[0][0], 2u);
}

TEST(Gather, LOD11_LaneLodTakesTheNearestLevel) {  // C3
  Surface s = make2d("R8_UINT", 16, 16, 5);
  fill(s, [](auto level, auto, auto, auto) { return level; });
  Sampler sampler;
  const auto at = [&](float lod) { return Call(Op::Gather4L, s, &sampler).with(Param::Lod, lod).run().channels[0][0]; };
  EXPECT_EQ(at(0.5f), 0u);
  EXPECT_EQ(at(0.51f), 1u);
  EXPECT_EQ(at(2.49f), 2u);
  EXPECT_EQ(at(99.0f), 4u);
  sampler.lod_bias = 256;  // LOD-9
  EXPECT_EQ(at(1.0f), 2u);
  // Implicit: derivatives of 4 texels in x and 2 in y: LOD 2.
  const auto u = lanes({0, 0.25f, 0, 0.25f, 0, 0.25f, 0, 0.25f}),
             v = lanes({0, 0, 0.125f, 0.125f, 0, 0, 0.125f, 0.125f});
  sampler.lod_bias = 0;
  EXPECT_EQ(Call(Op::Gather4I, s, &sampler).with(Param::U, u).with(Param::V, v).run().channels[0][3], 2u);
  EXPECT_EQ(
      Call(Op::Gather4B, s, &sampler).with(Param::U, u).with(Param::V, v).with(Param::Bias, 1.0f).run().channels[0][5],
      3u);
}

TEST(Gather, SUR3_SUR4_Arrays) {
  Surface s = make(SurfaceType::Dim2, "R8_UINT", 2, 2, 1, 1, 6, true);
  fill(s, [](auto, auto slice, auto, auto) { return slice; });
  s.min_array_element = 1;
  s.view_layers = 4;
  const Sampler sampler;
  const auto at = [&](float r) { return Call(Op::Gather4, s, &sampler).with(Param::R, r).run().channels[0][0]; };
  EXPECT_EQ(at(0.5f), 1u);
  EXPECT_EQ(at(1.5f), 3u);
  EXPECT_EQ(at(99.0f), 4u);
  EXPECT_EQ(at(-1.0f), 1u);
  // PKO-2: a packed index replaces r.
  const auto packed = Call(Op::Gather4PoCPacked, s, &sampler);
  EXPECT_EQ(Call(Op::Gather4Po, s, &sampler).with(Param::R, 2.0f).run().channels[0][0], 3u);
  Sampler never;
  never.compare = CompareFunction::Never;
  Surface d = make(SurfaceType::Dim2, "R32_FLOAT", 1, 1, 1, 1, 4, true);
  fill_float(d, [](auto, auto slice, auto, auto) { return static_cast<float>(slice); });
  never.compare = CompareFunction::Equal;
  EXPECT_EQ(f(Call(Op::Gather4PoCPacked, d, &never).word(Param::OffUvIndex, 2).with(Param::Ref, 2.0f).run(), 0), 0.0f);
  EXPECT_EQ(f(Call(Op::Gather4PoCPacked, d, &never).word(Param::OffUvIndex, 9).with(Param::Ref, 3.0f).run(), 0), 0.0f);
}

TEST(Gather, SUR5_Quilts) {
  Surface s = make2d("R8_UINT", 4, 4);
  s.quilt_width = 2;
  s.quilt_height = 2;
  s.layers = 4;
  ASSERT_TRUE(image::allocate(s).ok());
  fill(s, [](auto, auto slice, auto x, auto y) { return slice * 64 + y * 8 + x; });
  Sampler sampler;
  sampler.tcx = sampler.tcy = AddressMode::Wrap;
  const auto r = Call(Op::Gather4, s, &sampler).with(Param::U, 0.5f).with(Param::V, 0.5f).run();
  EXPECT_EQ(r.channels[3][0], 0u * 64 + 3 * 8 + 3);  // cell 0, its last texel
  EXPECT_EQ(r.channels[2][0], 1u * 64 + 3 * 8 + 0);
  EXPECT_EQ(r.channels[0][0], 2u * 64 + 0 * 8 + 3);
  EXPECT_EQ(r.channels[1][0], 3u * 64 + 0);
  // C42: clamps on the whole image.
  EXPECT_EQ(Call(Op::Gather4, s, &sampler).with(Param::U, -0.5f).with(Param::V, 2.0f).run().channels[3][0],
            2u * 64 + 3 * 8);
}

TEST(Gather, CUB4_CUB5_SeamsAndCorners) {
  Surface s = make(SurfaceType::Cube, "R32_FLOAT", 4, 4, 1, 1, 6);
  fill_float(s, [](auto, auto slice, auto x, auto y) { return static_cast<float>(slice * 16 + y * 4 + x); });
  Sampler sampler;
  sampler.tcx = sampler.tcy = sampler.tcz = AddressMode::Cube;
  // Face +Z, its left edge: taps i = -1 come from -X at (3, k).
  const auto edge =
      Call(Op::Gather4, s, &sampler).with(Param::U, -1.0f).with(Param::V, 0.0f).with(Param::R, 1.0f).run();
  EXPECT_EQ(f(edge, 3), 1 * 16 + 1 * 4 + 3.0f);
  EXPECT_EQ(f(edge, 2), 4 * 16 + 1 * 4 + 0.0f);
  EXPECT_EQ(f(edge, 0), 1 * 16 + 2 * 4 + 3.0f);
  // Upper left corner of +Z: own (0,0), -X (3,0), +Y (0,3).
  const auto corner =
      Call(Op::Gather4, s, &sampler).with(Param::U, -1.0f).with(Param::V, 1.0f).with(Param::R, 1.0f).run();
  EXPECT_EQ(f(corner, 3), static_cast<float>((64.0 + (16 + 3) + (32 + 12)) / 3.0));
  // Without CUBE mode the face's own clamp applies.
  sampler.tcx = sampler.tcy = AddressMode::Clamp;
  EXPECT_EQ(f(Call(Op::Gather4, s, &sampler).with(Param::U, -1.0f).with(Param::V, 1.0f).with(Param::R, 1.0f).run(), 3),
            64.0f);
  sampler.cube_override = true;
  EXPECT_EQ(f(Call(Op::Gather4, s, &sampler).with(Param::U, -1.0f).with(Param::V, 1.0f).with(Param::R, 1.0f).run(), 3),
            f(corner, 3));
  // ADR-9: -X disabled reads as border; the corner's mean takes the border color for it.
  sampler.border = {base::bits_of(100.0f), 0, 0, 0};
  s.cube_faces = 63u & ~(1u << 5);
  EXPECT_EQ(f(Call(Op::Gather4, s, &sampler).with(Param::U, -1.0f).with(Param::V, 0.0f).with(Param::R, 1.0f).run(), 3),
            100.0f);
  EXPECT_EQ(f(Call(Op::Gather4, s, &sampler).with(Param::U, -1.0f).with(Param::V, 1.0f).with(Param::R, 1.0f).run(), 3),
            static_cast<float>((64.0 + 100 + 44) / 3.0));
}

TEST(Gather, CUB5_IntegerCornersUseTheOwnFace) {
  Surface s = make(SurfaceType::Cube, "R8_UINT", 2, 2, 1, 1, 12, true);
  fill(s, [](auto, auto slice, auto x, auto y) { return slice * 4 + y * 2 + x; });
  Sampler sampler;
  sampler.cube_override = true;
  const auto r = Call(Op::Gather4, s, &sampler)
                     .with(Param::U, -1.0f)
                     .with(Param::V, 1.0f)
                     .with(Param::R, 1.0f)
                     .with(Param::Ai, 1.0f)
                     .run();
  EXPECT_EQ(r.channels[3][0], (6 + 4) * 4u);
}

TEST(Gather, BRD_BorderColors) {
  Sampler sampler;
  sampler.tcx = sampler.tcy = AddressMode::ClampBorder;
  sampler.border = {base::bits_of(0.25f), base::bits_of(0.5f), base::bits_of(2.0f), base::bits_of(0.125f)};
  const auto border = [&](std::string_view format, std::uint8_t channel) {
    const Surface s = make2d(format, 2, 2);
    Call call(Op::Gather4, s, &sampler);
    call.request.source_channel = channel;
    return f(call.with(Param::U, -4.0f).run(), 0);
  };
  EXPECT_EQ(border("R8G8B8A8_UNORM", 2), 2.0f);        // not clamped
  EXPECT_EQ(border("R8G8B8A8_UNORM_SRGB", 0), 0.25f);  // not decoded
  EXPECT_EQ(border("R8_UNORM", 1), 0.0f);
  EXPECT_EQ(border("R8_UNORM", 3), 1.0f);
  EXPECT_EQ(border("L8_UNORM", 1), 0.25f);
  EXPECT_EQ(border("L8_UNORM", 3), 1.0f);
  EXPECT_EQ(border("L8A8_UNORM", 3), 0.125f);
  EXPECT_EQ(border("I8_UNORM", 3), 0.25f);
  EXPECT_EQ(border("A8_UNORM", 0), 0.0f);
  EXPECT_EQ(border("A8_UNORM", 3), 0.125f);
  sampler.border_mode = image::BorderMode::Dx9;
  sampler.border = {255, 51, 0, 102};
  EXPECT_EQ(border("R8_UNORM", 1), 51 / 255.0f);
  EXPECT_EQ(border("L8_UNORM", 3), 102 / 255.0f);
  EXPECT_EQ(border("A8_UNORM", 0), 1.0f);
}

TEST(Gather, NUM24_Dx9FillsMissingColorsWithOnes) {
  Surface s = make2d("R8G8_UNORM", 1, 1);
  Sampler sampler;
  sampler.border_mode = image::BorderMode::Dx9;
  Call call(Op::Gather4, s, &sampler);
  call.request.source_channel = 2;
  EXPECT_EQ(f(call.run(), 0), 1.0f);
  sampler.border_mode = image::BorderMode::Dx10;
  Call again(Op::Gather4, s, &sampler);
  again.request.source_channel = 2;
  EXPECT_EQ(f(again.run(), 0), 0.0f);
}

TEST(Gather, ADR8_HalfBorder) {  // C5: each tap by itself
  Surface s = make2d("R32_FLOAT", 2, 2);
  fill_float(s, [](auto, auto, auto x, auto y) { return static_cast<float>(1 + x + 2 * y); });
  Sampler sampler;
  sampler.tcx = AddressMode::HalfBorder;
  sampler.border[0] = base::bits_of(9.0f);
  const auto r = Call(Op::Gather4, s, &sampler).with(Param::U, 0.0f).with(Param::V, 0.5f).run();
  EXPECT_EQ(f(r, 3), 5.0f);  // (1 + 9) / 2
  EXPECT_EQ(f(r, 2), 1.0f);
  sampler.tcy = AddressMode::ClampBorder;  // any border axis wins
  EXPECT_EQ(f(Call(Op::Gather4, s, &sampler).with(Param::U, 0.0f).with(Param::V, 0.0f).run(), 3), 9.0f);
}

TEST(Gather, GA9_NullMaskCountsAllTaps) {  // C17: lanes that are off; C26: of a gather all taps count
  Surface s = make2d("R8_UNORM", 4, 4);
  s.null_texels = {{0, 0, 2, 2}};
  fill(s, [](auto, auto, auto, auto) { return 0xffu; });
  const Sampler sampler;
  // Lane 0 at the exact center of texel (1, 1): weight of (2, 2) is 0, gather4 counts it all the same.
  const auto r = Call(Op::Gather4, s, &sampler)
                     .with(Param::U, lanes({0.375f, 0.2f, 0.9f}))
                     .with(Param::V, lanes({0.375f, 0.2f, 0.9f}))
                     .run();
  EXPECT_EQ(r.null_mask, ~1u);
  EXPECT_EQ(f(r, 1, 0), 0.0f);
  Call masked(Op::Gather4, s, &sampler);
  masked.request.active = 0;
  EXPECT_EQ(masked.with(Param::U, 0.375f).with(Param::V, 0.375f).run().null_mask, 0xffffffffu);
}

TEST(Gather, RED3_RED4) {  // RED-3
  Surface s = make2d("R32_FLOAT", 2, 2);
  fill_float(s, [](auto, auto, auto x, auto y) { return static_cast<float>(x + 2 * y) - 1; });
  Sampler sampler;
  sampler.reduction_enable = true;
  sampler.reduction = image::Reduction::Maximum;
  EXPECT_EQ(f(Call(Op::Gather4, s, &sampler).with(Param::U, 0.5f).with(Param::V, 0.5f).run(), 3), -1.0f);
  sampler.compare = CompareFunction::Greater;
  EXPECT_EQ(f(Call(Op::Gather4C, s, &sampler).with(Param::U, 0.5f).with(Param::V, 0.5f).with(Param::Ref, 9).run(), 1),
            2.0f);
  sampler.reduction = image::Reduction::Comparison;  // acts as _c with ref 0
  const auto r = Call(Op::Gather4, s, &sampler).with(Param::U, 0.5f).with(Param::V, 0.5f).run();
  EXPECT_EQ(f(r, 3), 1.0f);
  EXPECT_EQ(f(r, 1), 0.0f);
}

TEST(Gather, RET7_RET8_RET9) {
  Surface null;
  null.type = SurfaceType::Null;
  Sampler sampler;
  auto r = Call(Op::Gather4, null, &sampler).run();
  EXPECT_EQ(r.channels[3][0], 0u);
  EXPECT_EQ(r.null_mask, 0xffffffffu);
  Surface s = numbered(2, 2);
  sampler.disable = true;
  EXPECT_EQ(Call(Op::Gather4, s, &sampler).with(Param::U, 1.0f).with(Param::V, 1.0f).run().channels[0][0], 0u);
  sampler.disable = false;
  for (const auto type : {SurfaceType::Dim1, SurfaceType::Dim3}) {
    const Surface wrong = make(type, "R8_UINT", 2);
    OperationContext context;
    r = Call(Op::Gather4, wrong, &sampler).run(context);
    ASSERT_TRUE(context.reports.has_errors());
    EXPECT_EQ(context.reports.all()[0].id, "RET-9");
    EXPECT_EQ(r.channels[0][0], 0u);
  }
  const Surface cube = make(SurfaceType::Cube, "R8_UINT", 2, 2, 1, 1, 6);
  OperationContext context;
  (void)Call(Op::Gather4Po, cube, &sampler).run(context);
  EXPECT_TRUE(context.reports.has_errors());  // GA-10: po forms 2D only
}

TEST(Gather, GA2_PlatformsAndPKO4) {
  const Surface s = numbered(2, 2);
  const Sampler sampler;
  OperationContext context;
  context.platform = UnitPlatform::Dg2;
  (void)Call(Op::Gather4Po, s, &sampler).run(context);
  EXPECT_FALSE(context.reports.has_errors());
  ASSERT_EQ(context.reports.warnings(), 1u);
  EXPECT_EQ(context.reports.all()[0].id, "GA-2");
  OperationContext tgl;
  tgl.platform = UnitPlatform::Tgllp;
  (void)Call(Op::Gather4Po, s, &sampler).run(tgl);
  EXPECT_TRUE(tgl.reports.empty());
  OperationContext half;
  Call packed(Op::Gather4PoPacked, s, &sampler);
  packed.request.half_parameters = true;
  (void)packed.run(half);
  EXPECT_EQ(half.reports.all()[0].id, "PKO-4");
}

TEST(Gather, PKO3_LodAiOnXe2Cubes) {
  Surface s = make(SurfaceType::Cube, "R8_UINT", 4, 4, 1, 3, 24, true);
  fill(s, [](auto level, auto slice, auto, auto) { return slice / 6 * 16 + level; });
  const Sampler sampler;
  const std::uint32_t packed = base::bits_of(1.0f) | 3u;
  OperationContext xe2;
  xe2.platform = UnitPlatform::Xe2;
  EXPECT_EQ(Call(Op::Gather4L, s, &sampler).word(Param::Lod, packed).with(Param::R, 1.0f).run(xe2).channels[0][0],
            3u * 16 + 1);
  OperationContext with_ai;
  with_ai.platform = UnitPlatform::Xe2;
  EXPECT_EQ(Call(Op::Gather4L, s, &sampler)
                .word(Param::Lod, packed)
                .with(Param::R, 1.0f)
                .with(Param::Ai, 2.0f)
                .run(with_ai)
                .channels[0][0],
            2u * 16 + 1);
}

TEST(Gather, EXE3_OnlyActiveLanes) {
  const Surface s = numbered(4, 4);
  const Sampler sampler;
  Call call(Op::Gather4, s, &sampler);
  call.request.simd = 16;
  call.request.active = 0x8001;
  const auto r = call.with(Param::U, 0.5f).with(Param::V, 0.5f).run();
  EXPECT_EQ(r.channels[0][0], 0x21u);
  EXPECT_EQ(r.channels[0][1], 0u);
  EXPECT_EQ(r.channels[0][15], 0x21u);
}

TEST(Gather, OperationTable) {  // E7, E8: what the page leaves out
  EXPECT_EQ(find_operation(OperationKind::Gather4, 0x0e)->op, Op::Gather4B);
  EXPECT_EQ(find_operation(OperationKind::Gather4, 0x0e, Behavior::Document)->op, Op::Gather4I);  // E1
  EXPECT_EQ(find_operation(OperationKind::Sample, 0x12)->op, Op::SampleMlod);
  EXPECT_EQ(find_operation(OperationKind::Gather4, 0x12)->op, Op::Gather4PoC);
  EXPECT_EQ(find_operation(OperationKind::Sample, 0x25)->op, Op::SamplePoBC);
  EXPECT_EQ(find_operation(OperationKind::Sample, 0x3a)->op, Op::SamplePoBC);
  EXPECT_EQ(find_operation(OperationKind::Sample, 0x34)->op, Op::SamplePoDC);
  EXPECT_EQ(find_operation("gather4_po_i_c")->code, 0x35);
  EXPECT_EQ(find_operation("nothing"), nullptr);
  unsigned gathers = 0;
  for (const auto& op : all_operations()) {
    gathers += op.family == OperationKind::Gather4;
    EXPECT_EQ(find_operation(op.name), &op);
    EXPECT_EQ(find_operation(op.family, op.code), &op);
    for (const Param p : op.parameters()) EXPECT_EQ(find_param(param_name(p)), p);
    EXPECT_LE(op.required, op.parameters().size());
    EXPECT_LE(op.short_list.count, op.list.count);
  }
  EXPECT_EQ(gathers, 16u);
  // GA-2: gather4_po_i_c with four operands has no r.
  const auto four = operand_parameters(*find_operation("gather4_po_i_c"), 4);
  EXPECT_EQ(four.count, 4);
  EXPECT_EQ(four.names[3], Param::OffUvIndex);
  const auto five = operand_parameters(*find_operation("gather4_po_i_c"), 5);
  EXPECT_EQ(five.names[3], Param::R);
  EXPECT_EQ(five.names[4], Param::OffUvIndex);
  const auto extra = operand_parameters(*find_operation("sample_po_c"), 6);
  EXPECT_EQ(extra.count, 6);
  EXPECT_EQ(extra.names[4], Param::R);
  EXPECT_EQ(extra.names[5], Param::Ai);
  // LD-1: of 16 bits, the MCS value is in four operands.
  const Operation& multisampled = operation(Op::Ld2dmsW);
  EXPECT_EQ(operand_parameters(multisampled, 9, true).names[4], Param::Mcs3);
  EXPECT_EQ(operand_parameters(multisampled, 9, true).count, 9);
  EXPECT_EQ(operand_parameters(multisampled, 9, false).count, 7);
}

/// SAM-1, GA-2: platforms that have an operation.
TEST(Gather, PlatformsOfOperations) {
  const auto has = [](Op op, UnitPlatform platform) { return platform_has(operation(op).platforms, platform); };
  for (const UnitPlatform platform :
       {UnitPlatform::Skl, UnitPlatform::Tgllp, UnitPlatform::Dg2, UnitPlatform::Pvc, UnitPlatform::Xe2}) {
    EXPECT_TRUE(has(Op::Sample, platform));
    EXPECT_TRUE(has(Op::SampleLz, platform));
    EXPECT_EQ(has(Op::SamplePoLz, platform), platform == UnitPlatform::Xe2);
    EXPECT_EQ(has(Op::Gather4PoL, platform), platform == UnitPlatform::Xe2);
    EXPECT_EQ(has(Op::Gather4Po, platform), platform <= UnitPlatform::Tgllp);
  }
  EXPECT_TRUE(has(Op::SamplePo, UnitPlatform::Any));
}

}  // namespace
}  // namespace heddle::texture
