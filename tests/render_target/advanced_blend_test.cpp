// SPDX-License-Identifier: MIT
// OM-26: advanced blend operations by hand, from the formulas of the Vulkan specification.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdint>

#include "render_target/render_target.hpp"

namespace heddle::render_target {
namespace {

using enum image::AdvancedBlendOp;
using image::AdvancedBlendOp;
using image::BlendOverlap;
using Color = std::array<float, 4>;

Color blended(const image::AdvancedBlend& how, const Color& source, const Color& destination) {
  BlendEntry entry;
  entry.enable = true;
  entry.advanced = how;
  BlendColors colors;
  colors.source = source;
  colors.destination = destination;
  return blend(entry, true, colors);
}

void expect_near(const Color& found, const Color& wanted, float most) {
  for (std::size_t c = 0; c < 4; ++c) EXPECT_NEAR(found[c], wanted[c], most) << c;
}

// Both alphas are 1: the result is f, and X is the alpha. Sources 0.25 and 0.75 over 0.5, and 0.75 over 0.25.
TEST(AdvancedBlend, EachFunction_OM26) {
  struct Case {
    AdvancedBlendOp op;
    float dark, light, deep, alpha;
  };
  const float third = 1.0f / 3.0f;
  for (const Case& c : {Case{Zero, 0, 0, 0, 0},
                        Case{Src, 0.25f, 0.75f, 0.75f, 1},
                        Case{Dst, 0.5f, 0.5f, 0.25f, 1},
                        Case{SrcOver, 0.25f, 0.75f, 0.75f, 1},
                        Case{DstOver, 0.5f, 0.5f, 0.25f, 1},
                        Case{SrcIn, 0.25f, 0.75f, 0.75f, 1},
                        Case{DstIn, 0.5f, 0.5f, 0.25f, 1},
                        Case{SrcOut, 0, 0, 0, 0},
                        Case{DstOut, 0, 0, 0, 0},
                        Case{SrcAtop, 0.25f, 0.75f, 0.75f, 1},
                        Case{DstAtop, 0.5f, 0.5f, 0.25f, 1},
                        Case{Xor, 0, 0, 0, 0},
                        Case{Multiply, 0.125f, 0.375f, 0.1875f, 1},
                        Case{Screen, 0.625f, 0.875f, 0.8125f, 1},
                        Case{Overlay, 0.25f, 0.75f, 0.375f, 1},
                        Case{Darken, 0.25f, 0.5f, 0.25f, 1},
                        Case{Lighten, 0.5f, 0.75f, 0.75f, 1},
                        Case{ColorDodge, 2 * third, 1, 1, 1},
                        Case{ColorBurn, 0, third, 0, 1},
                        Case{HardLight, 0.25f, 0.75f, 0.625f, 1},
                        Case{SoftLight, 0.375f, 0.25f + 0.5f * std::sqrt(0.5f), 0.375f, 1},
                        Case{Difference, 0.25f, 0.25f, 0.5f, 1},
                        Case{Exclusion, 0.5f, 0.5f, 0.625f, 1},
                        Case{Invert, 0.5f, 0.5f, 0.75f, 1},
                        Case{InvertRgb, 0.125f, 0.375f, 0.5625f, 1},
                        Case{LinearDodge, 0.75f, 1, 1, 1},
                        Case{LinearBurn, 0, 0.25f, 0, 1},
                        Case{VividLight, 0, 1, 0.5f, 1},
                        Case{LinearLight, 0, 1, 0.75f, 1},
                        Case{PinLight, 0.5f, 0.5f, 0.5f, 1},
                        Case{HardMix, 0, 1, 1, 1}}) {
    SCOPED_TRACE(static_cast<int>(c.op));
    expect_near(blended({c.op}, {0.25f, 0.75f, 0.75f, 1}, {0.5f, 0.5f, 0.25f, 1}), {c.dark, c.light, c.deep, c.alpha},
                1e-7f);
  }
}

// The ends of the cases of a function.
TEST(AdvancedBlend, CasesMeet_OM26) {
  const auto f = [](AdvancedBlendOp op, float s, float d) { return blended({op}, {s, s, s, 1}, {d, d, d, 1})[0]; };
  EXPECT_EQ(f(ColorDodge, 1, 0), 0);
  EXPECT_EQ(f(ColorDodge, 1, 0.5f), 1);
  EXPECT_EQ(f(ColorBurn, 0, 1), 1);
  EXPECT_EQ(f(ColorBurn, 0, 0.5f), 0);
  EXPECT_EQ(f(VividLight, 0, 1), 0);
  EXPECT_EQ(f(VividLight, 1, 0), 1);
  EXPECT_EQ(f(PinLight, 0.25f, 0.75f), 0.5f);   // s < d / 2: 2 s
  EXPECT_EQ(f(PinLight, 0.875f, 0.5f), 0.75f);  // 2 s - 1 > d
  EXPECT_EQ(f(LinearLight, 1, 0.5f), 1);
  EXPECT_EQ(f(SoftLight, 0.75f, 0), 0);
}

// A source of alpha 1/2 over a destination of alpha 3/4: colors 1/4 and 1/2 without their alphas.
TEST(AdvancedBlend, OverlapsWeigh_OM26) {
  const Color source{0.125f, 0.125f, 0.125f, 0.5f}, destination{0.375f, 0.375f, 0.375f, 0.75f};
  struct Case {
    BlendOverlap overlap;
    float color, alpha;
  };
  for (const Case& c : {Case{BlendOverlap::Uncorrelated, 0.125f * 0.375f + 0.25f * 0.125f + 0.5f * 0.375f, 0.875f},
                        Case{BlendOverlap::Conjoint, 0.125f * 0.5f + 0.5f * 0.25f, 0.75f},
                        Case{BlendOverlap::Disjoint, 0.125f * 0.25f + 0.25f * 0.25f + 0.5f * 0.5f, 1}}) {
    EXPECT_EQ(blended({Multiply, c.overlap}, source, destination), (Color{c.color, c.color, c.color, c.alpha}));
    // The same colors, not multiplied: the result is divided by its alpha.
    const float straight = c.color / c.alpha;
    EXPECT_EQ(blended({Multiply, c.overlap, true, true}, {0.25f, 0.25f, 0.25f, 0.5f}, {0.5f, 0.5f, 0.5f, 0.75f}),
              (Color{straight, straight, straight, c.alpha}));
    EXPECT_EQ(blended({Multiply, c.overlap, true, false}, {0.25f, 0.25f, 0.25f, 0.5f}, destination),
              (Color{c.color, c.color, c.color, c.alpha}));
  }
  EXPECT_EQ(blended({Multiply}, {0, 0, 0, 0}, destination), destination);
  EXPECT_EQ(blended({Src}, {0, 0, 0, 0}, {0, 0, 0, 0}), (Color{0, 0, 0, 0}));
}

TEST(AdvancedBlend, OperationsWithoutCoverage_OM26) {
  const Color source{0.125f, 0.25f, 0.5f, 0.5f}, destination{0.375f, 0.25f, 0.75f, 0.75f};
  struct Case {
    AdvancedBlendOp op;
    Color wanted;
  };
  for (const Case& c : {Case{Plus, {0.5f, 0.5f, 1.25f, 1.25f}}, Case{PlusClamped, {0.5f, 0.5f, 1, 1}},
                        Case{PlusClampedAlpha, {0.5f, 0.5f, 1, 1}}, Case{PlusDarker, {0.25f, 0.25f, 1, 1}},
                        Case{Minus, {0.25f, 0, 0.25f, 0.25f}}, Case{MinusClamped, {0.25f, 0, 0.25f, 0.25f}},
                        Case{Contrast, {0.375f, 0.375f, 0.375f + 2 * 0.375f * 0.25f, 0.75f}},
                        Case{InvertOvg, {0.5f, 0.5f, 0.5f, 0.875f}}, Case{Red, {0.125f, 0.25f, 0.75f, 0.75f}},
                        Case{Green, {0.375f, 0.25f, 0.75f, 0.75f}}, Case{Blue, {0.375f, 0.25f, 0.5f, 0.75f}}}) {
    SCOPED_TRACE(static_cast<int>(c.op));
    EXPECT_EQ(blended({c.op}, source, destination), c.wanted);
  }
  // Straight colors are multiplied first: 1/2 of 1/2 and 1/2 of 3/4; then divided by the alpha of the result.
  EXPECT_EQ(blended({Plus, BlendOverlap::Uncorrelated, true, true}, {0.5f, 0.5f, 0.5f, 0.5f}, {0.5f, 0.5f, 0.5f, 0.5f}),
            (Color{0.5f, 0.5f, 0.5f, 1}));
  EXPECT_EQ(blended({Minus}, destination, source)[0], -0.25f);
  EXPECT_EQ(blended({.op = Minus, .clamped = true}, destination, source)[0], 0.0f);
  EXPECT_EQ(blended({.op = Plus, .clamped = true}, source, destination)[2], 1.0f);
}

// Red over gray: luminosities are 0.3 and 0.5.
TEST(AdvancedBlend, HueSaturationLuminosity_OM26) {
  const Color red{1, 0, 0, 1}, gray{0.5f, 0.5f, 0.5f, 1}, dark_red{0.5f, 0, 0, 1};
  expect_near(blended({HslHue}, red, gray), gray, 1e-6f);  // gray has no saturation
  expect_near(blended({HslSaturation}, red, gray), gray, 1e-6f);
  expect_near(blended({HslLuminosity}, red, gray), {0.3f, 0.3f, 0.3f, 1}, 1e-6f);
  // (1.2, 0.2, 0.2), brought to 1: 0.5 + (c - 0.5) 0.5 / 0.7
  expect_near(blended({HslColor}, red, gray), {1, 0.5f - 0.15f / 0.7f, 0.5f - 0.15f / 0.7f, 1}, 1e-6f);
  // The saturation 1 of red for dark red: (1, 0, 0), brought to the luminosity 0.15: (0.85, -0.15, -0.15), brought to
  // 0.
  expect_near(blended({HslSaturation}, red, dark_red), {0.15f + 0.7f * 0.15f / 0.3f, 0, 0, 1}, 1e-6f);
}

// A target of bytes: the prepared form leaves these to the reference.
TEST(AdvancedBlend, OfATarget_OM26) {
  image::Surface surface;
  surface.format = image::Format::R8G8B8A8_UNORM;
  ASSERT_TRUE(image::allocate(surface).ok());
  for (std::size_t i = 0; i < 4; ++i) (*surface.memory)[i] = std::array<std::uint8_t, 4>{255, 102, 51, 255}[i];
  RenderTargetMessage m;
  m.active = 1;
  m.last = true;
  const auto half = RenderTargetMessage::filled(0x3f000000u);
  m.r = m.g = m.b = half;
  m.a = RenderTargetMessage::filled(0x3f800000u);
  OutputState state;
  state.blend[0].enable = true;
  state.blend[0].advanced.op = Multiply;
  OperationContext context;
  write_render_target(context, {{&surface}}, state, m);
  EXPECT_EQ((*surface.memory)[0], 128);  // 127.5, to even
  EXPECT_EQ((*surface.memory)[1], 51);
  EXPECT_EQ((*surface.memory)[2], 26);  // 25.5
  EXPECT_EQ((*surface.memory)[3], 255);
}

}  // namespace
}  // namespace heddle::render_target
