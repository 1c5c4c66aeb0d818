// SPDX-License-Identifier: MIT
// heddle/render_target.hpp: blending, depth, stencil, several targets, samples; wrong arguments.
#include "heddle/render_target.hpp"

#include <gtest/gtest.h>

#include "library/ids.hpp"

namespace heddle {
namespace {

using test::id_of;

Image color_image(std::uint32_t samples = 1) {
  return *Image::create({.format = "R32G32B32A32_FLOAT", .width = 4, .height = 4, .samples = samples});
}

TEST(LibraryRenderTarget, APixelIsStoredAtItsPlace) {
  Image target = color_image();
  ASSERT_TRUE(write_pixel(target, 3, 1, {1, 2, 3, 4}).ok());
  EXPECT_EQ(target.texel({.x = 3, .y = 1}).floats(), (std::array<float, 4>{1, 2, 3, 4}));
  for (std::uint32_t i = 0; i < 16; ++i)
    if (i != 7) EXPECT_EQ(target.texel({.x = i % 4, .y = i / 4})[0], 0.0f) << i;
  EXPECT_TRUE(write_pixel(target, 4, 0, {9, 9, 9, 9}).ok());  // outside: dropped
}

TEST(LibraryRenderTarget, BlendingAndWriteMasks) {
  Image target = color_image();
  target.set_texel({}, {1, 1, 1, 1});
  BlendState half{.enable = true, .src_color = BlendFactor::SrcAlpha, .dst_color = BlendFactor::InvSrcAlpha};
  ASSERT_TRUE(write_pixel(target, 0, 0, {0, 2, 0, 0.5f}, half).ok());
  EXPECT_EQ(target.texel({}).floats(), (std::array<float, 4>{0.5f, 1.5f, 0.5f, 0.5f}));
  BlendState least{.enable = true, .color_op = BlendOp::Min, .write = {true, false, true, true}};
  ASSERT_TRUE(write_pixel(target, 0, 0, {0.25f, 0, 9, 1}, least).ok());
  EXPECT_EQ(target.texel({}).floats(), (std::array<float, 4>{0.25f, 1.5f, 0.5f, 1}));
}

TEST(LibraryRenderTarget, DepthAndStencilDecide) {
  RenderTargets targets{.color = {color_image()},
                        .depth = *Image::create({.format = "R32_FLOAT", .width = 4, .height = 4}),
                        .stencil = *Image::create({.format = "R8_UINT", .width = 4, .height = 4})};
  targets.depth.set_texel({}, {0.5f, 0, 0, 0});
  OutputState state;
  state.depth_test = state.depth_write = true;
  state.stencil = StencilState{.depth_fail = StencilOp::IncrementAndClamp, .pass = StencilOp::Replace, .reference = 40};
  Pixel pixel{.colors = {{1, 1, 1, 1}}, .depth = 0.75f};
  ASSERT_TRUE(write_pixel(targets, pixel, state).ok());
  EXPECT_EQ(targets.color[0].texel({})[0], 0.0f);  // behind
  EXPECT_EQ(targets.stencil.texel({}).words[0], 1u);
  pixel.depth = 0.25f;
  ASSERT_TRUE(write_pixel(targets, pixel, state).ok());
  EXPECT_EQ(targets.color[0].texel({})[0], 1.0f);
  EXPECT_EQ(targets.depth.texel({})[0], 0.25f);
  EXPECT_EQ(targets.stencil.texel({}).words[0], 40u);
  state.stencil->compare = CompareOp::Never;
  state.stencil->fail = StencilOp::Invert;
  pixel.colors[0] = {5, 5, 5, 5};
  ASSERT_TRUE(write_pixel(targets, pixel, state).ok());
  EXPECT_EQ(targets.color[0].texel({})[0], 1.0f);
  EXPECT_EQ(targets.stencil.texel({}).words[0], 255u - 40);
}

TEST(LibraryRenderTarget, SeveralTargetsHaveTheirOwnColors) {
  RenderTargets targets{.color = {color_image(), color_image()}, .depth = {}, .stencil = {}};
  OutputState state;
  state.blend.resize(2);
  state.blend[1].write = {false, true, true, true};
  ASSERT_TRUE(write_pixel(targets, {.x = 2, .y = 2, .colors = {{1, 0, 0, 0}, {7, 8, 0, 0}}}, state).ok());
  EXPECT_EQ(targets.color[0].texel({.x = 2, .y = 2})[0], 1.0f);
  EXPECT_EQ(targets.color[1].texel({.x = 2, .y = 2})[0], 0.0f);
  EXPECT_EQ(targets.color[1].texel({.x = 2, .y = 2})[1], 8.0f);
}

TEST(LibraryRenderTarget, SamplesAreResolvedToTheirMean) {
  Image four = color_image(4), one = color_image();
  for (std::uint32_t s = 0; s < 4; ++s) four.set_texel({.slice = s}, {static_cast<float>(s), 1, 0, 0});
  ASSERT_TRUE(resolve(four, one).ok());
  EXPECT_EQ(one.texel({})[0], 1.5f);
  ASSERT_TRUE(write_pixel(four, 1, 1, {6, 0, 0, 0}).ok());  // all samples are covered
  ASSERT_TRUE(resolve(four, one).ok());
  EXPECT_EQ(one.texel({.x = 1, .y = 1})[0], 6.0f);
}

TEST(LibraryRenderTarget, ArraysOfPixelsAreWrittenInOrder) {
  const std::vector<std::uint32_t> x{0, 1, 1, 9}, y{0, 1, 1, 0}, coverage{1, 0xFFFF, 0xFFFF, 0xFFFF};
  const std::vector<float> red{1, 2, 3, 4};
  const float one = 1;
  RenderTargets targets{.color = {color_image(4)}, .depth = {}, .stencil = {}};
  PixelArrays pixels;
  pixels.count = 4;
  pixels.x = {x.data()}, pixels.y = {y.data()}, pixels.coverage = {coverage.data()};
  pixels.colors.push_back({ArrayInput{red.data()}, {}, {}, ArrayInput{&one, 0}});
  OutputState add;
  add.blend.push_back({.enable = true, .src_color = BlendFactor::One, .dst_color = BlendFactor::One});
  ASSERT_TRUE(write_pixels(targets, pixels, add).ok());
  const Image& image = targets.color[0];
  EXPECT_EQ(image.texel({.slice = 0})[0], 1.0f);
  EXPECT_EQ(image.texel({.slice = 1})[0], 0.0f);                  // a sample that is not covered
  EXPECT_EQ(image.texel({.x = 1, .y = 1, .slice = 3})[0], 5.0f);  // 2, then 3 over it; the last pixel lies outside
  EXPECT_EQ(image.texel({.x = 1, .y = 1, .slice = 3})[3], 1.0f);
  pixels.colors.clear();
  EXPECT_EQ(id_of(write_pixels(targets, pixels)), "usage-argument");
}

TEST(LibraryRenderTarget, WrongArguments) {
  Image none, good = color_image();
  EXPECT_EQ(id_of(write_pixel(none, 0, 0, {})), "usage-argument");
  EXPECT_EQ(id_of(resolve(none, good)), "usage-argument");
  EXPECT_EQ(id_of(resolve(good, none)), "usage-argument");
  Image other = *Image::create({.format = "R32G32B32A32_FLOAT", .width = 2, .height = 4});
  EXPECT_EQ(id_of(resolve(color_image(4), other)), "OM-23");
  RenderTargets targets{.color = {good}, .depth = {}, .stencil = {}};
  EXPECT_EQ(id_of(write_pixel(targets, Pixel{})), "usage-argument");  // no color for the target
  targets.color.assign(9, good);
  EXPECT_EQ(id_of(write_pixel(targets, {.colors = std::vector<std::array<float, 4>>(9)})), "usage-argument");
  targets.color.resize(1);
  OutputState state;
  state.blend.resize(9);
  EXPECT_EQ(id_of(write_pixel(targets, {.colors = {{}}}, state)), "usage-argument");
}

}  // namespace
}  // namespace heddle
