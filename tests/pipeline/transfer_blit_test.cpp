// SPDX-License-Identifier: MIT
// Rules: TRF-6 to TRF-13.
#include "transfer_support.hpp"

#include <cmath>
#include <limits>

#include "pipeline/transfer/blit_plan.hpp"

using namespace transfer_test;
using namespace heddle::pipeline::transfer;
using heddle::image::Filter;

namespace {

BlitBox box(Offset a, Offset b) { return {.corners = {a, b}}; }

/// One row of binary32 values.
Surface row_of(const std::vector<float>& values) {
  Surface surface = make(Format::R32_FLOAT, {.width = static_cast<std::uint32_t>(values.size())});
  for (std::uint32_t x = 0; x < values.size(); ++x) put(surface, x, 0, bits(values[x]));
  return surface;
}

std::vector<float> values_of(const Surface& surface) {
  std::vector<float> values(surface.width);
  std::memcpy(values.data(), surface.memory->data(), surface.memory->size());
  return values;
}

/// A blit along x of one row to `width` texels.
std::vector<float> blitted(const Surface& from, std::uint32_t width, std::int32_t s0, std::int32_t s1, std::int32_t d0,
                           std::int32_t d1, Filter filter) {
  Surface to = row_of(std::vector<float>(width, -1));
  const auto done = blit(from, box({s0, 0, 0}, {s1, 1, 1}), to, box({d0, 0, 0}, {d1, 1, 1}), filter);
  EXPECT_TRUE(done.ok()) << (done.ok() ? "" : done.diagnostics()[0].message);
  return values_of(to);
}

TEST(TransferBlit, NearestReadsTheTexelUnderTheCenter_TRF8) {
  const Surface from = row_of({0, 1, 2, 3, 4, 5});
  // 6 to 4: u = (i + 1/2) * 3/2 = 0.75, 2.25, 3.75, 5.25.
  EXPECT_EQ(blitted(from, 4, 0, 6, 0, 4, Filter::Nearest), (std::vector<float>{0, 2, 3, 5}));
  // 2 to 5, from texel 3 on: u = 3 + (i + 1/2) * 2/5 = 3.2, 3.6, 4, 4.4, 4.8.
  EXPECT_EQ(blitted(from, 7, 3, 5, 1, 6, Filter::Nearest), (std::vector<float>{-1, 3, 3, 4, 4, 4, -1}));
}

TEST(TransferBlit, MirrorsWhereTheSidesRunAgainstEachOther_TRF6) {
  const Surface from = row_of({0, 1, 2, 3});
  EXPECT_EQ(blitted(from, 4, 4, 0, 0, 4, Filter::Nearest), (std::vector<float>{3, 2, 1, 0}));
  EXPECT_EQ(blitted(from, 4, 0, 4, 4, 0, Filter::Nearest), (std::vector<float>{3, 2, 1, 0}));
  EXPECT_EQ(blitted(from, 4, 4, 0, 4, 0, Filter::Nearest), (std::vector<float>{0, 1, 2, 3}));
  // 4 to 3 and turned: u = 4 - (i + 1/2) * 4/3 = 3.33, 2, 0.67; 2 belongs to texel 2.
  EXPECT_EQ(blitted(from, 3, 4, 0, 0, 3, Filter::Nearest), (std::vector<float>{3, 2, 0}));
}

TEST(TransferBlit, CoordinatesAreExact_TRF7) {
  // u = (i + 1/2) * 3: every center lies in the middle of a texel, however far out.
  BlitAxis axis{{0, 49152}, {0, 16384}, 49152};
  for (const std::uint32_t i : {0u, 1u, 5461u, 16383u}) {
    EXPECT_EQ(axis.tap(i, false).first, 3 * i + 1);
    EXPECT_EQ(axis.tap(i, true).weight, 0.0f);
    EXPECT_EQ(axis.tap(i, true).first, 3 * i + 1);
  }
  // 3 texels over 16383: u of the middle one is 1.5 exactly.
  BlitAxis wide{{0, 3}, {0, 16383}, 3};
  EXPECT_EQ(wide.tap(8191, true).first, 1u);
  EXPECT_EQ(wide.tap(8191, true).weight, 0.0f);
  EXPECT_EQ(wide.tap(8190, true).first, 0u);
  EXPECT_EQ(wide.tap(8190, true).weight, static_cast<float>(5460.0 / 5461.0));
}

TEST(TransferBlit, LinearWeighsTwoTexels_TRF9) {
  const Surface from = row_of({0, 8});
  // 2 to 4: u - 1/2 = -1/4, 1/4, 3/4, 5/4; the outer ones are clamped.
  EXPECT_EQ(blitted(from, 4, 0, 2, 0, 4, Filter::Linear), (std::vector<float>{0, 2, 6, 8}));
  // Mirrored.
  EXPECT_EQ(blitted(from, 4, 2, 0, 0, 4, Filter::Linear), (std::vector<float>{8, 6, 2, 0}));
  // 2 to 1: the middle.
  EXPECT_EQ(blitted(from, 1, 0, 2, 0, 1, Filter::Linear), (std::vector<float>{4}));
}

TEST(TransferBlit, LinearGoesAlongXThenYThenZ_TRF9) {
  Surface from = make(Format::R32_FLOAT, {.width = 2, .height = 2, .depth = 2}, SurfaceType::Dim3);
  Surface to = make(Format::R32_FLOAT, {.width = 1, .height = 1, .depth = 1}, SurfaceType::Dim3);
  // Differences of 2^24 and small numbers are rounded, so that the orders of the axes differ.
  const float big = 16777216, values[8] = {1, big, 3, -big, 3, 5, 7, 9};
  std::memcpy(from.memory->data(), values, sizeof values);
  ASSERT_TRUE(blit(from, box({0, 0, 0}, {2, 2, 2}), to, box({0, 0, 0}, {1, 1, 1}), Filter::Linear).ok());
  const auto half = [](float a, float b) {
    const float difference = b - a;
    const float part = difference * 0.5f;
    return a + part;
  };
  const float expected = half(half(half(1, big), half(3, -big)), half(half(3, 5), half(7, 9)));
  EXPECT_EQ(element(to, 0, 0), bits(expected));
  EXPECT_NE(expected, half(half(half(1, 3), half(big, -big)), half(half(3, 7), half(5, 9)))) << "y before x";
}

TEST(TransferBlit, WithoutWeightInfinityIsNotSeen_TRF9) {
  const float infinity = std::numeric_limits<float>::infinity();
  const Surface from = row_of({1, infinity, 5});
  // 3 to 1: u - 1/2 = 1 exactly: the middle texel alone.
  EXPECT_EQ(blitted(from, 1, 0, 3, 0, 1, Filter::Linear), (std::vector<float>{infinity}));
  // 1 of 3 texels to 2: u - 1/2 = -1/4 and 1/4: texel 0 clamped, then a part of infinity.
  EXPECT_EQ(blitted(from, 2, 0, 1, 0, 2, Filter::Linear), (std::vector<float>{1, infinity}));
}

TEST(TransferBlit, NaNOfArithmeticIsCanonical_TRF9) {
  const float infinity = std::numeric_limits<float>::infinity();
  const Surface from = row_of({infinity, -infinity});
  const auto values = blitted(from, 4, 0, 2, 0, 4, Filter::Linear);
  EXPECT_EQ(bits(values[1]), bits<std::uint32_t>(0x7fc00000));
}

TEST(TransferBlit, FiltersReadBeyondTheRegionButNotTheImage_TRF10) {
  const Surface from = row_of({0, 8, 16, 100});
  // Texels 1 and 2 to 4: u - 1/2 = 3/4, 5/4, 7/4, 9/4: texel 0 on the left, texel 3 on the right.
  EXPECT_EQ(blitted(from, 4, 1, 3, 0, 4, Filter::Linear), (std::vector<float>{6, 10, 14, 37}));
}

TEST(TransferBlit, UnscaledBlitsDoNotFilter_TRF9) {
  Surface from = make(Format::R8_SNORM, {.width = 3}), to = make(Format::R8_SNORM, {.width = 3});
  *from.memory->begin() = 0x80;  // the least code, which decodes as -127 does
  ASSERT_TRUE(blit(from, box({0, 0, 0}, {3, 1, 1}), to, box({3, 0, 0}, {0, 1, 1}), Filter::Linear).ok());
  EXPECT_EQ(element(to, 2, 0)[0], 0x80) << "TRF-12";
}

TEST(TransferBlit, ConvertsBetweenFormats_TRF11) {
  Surface srgb = make(Format::R8G8B8A8_UNORM_SRGB, {.width = 1}), bgra = make(Format::B8G8R8A8_UNORM, {.width = 1});
  put(srgb, 0, 0, {188, 0, 255, 128});
  ASSERT_TRUE(blit(srgb, box({0, 0, 0}, {1, 1, 1}), bgra, box({0, 0, 0}, {1, 1, 1}), Filter::Nearest).ok());
  EXPECT_EQ(element(bgra, 0, 0), (std::vector<std::uint8_t>{255, 0, 128, 128}))
      << "188 of sRGB is 0.5029 in linear light";
  Surface gray = make(Format::R8_UNORM, {.width = 1}), wide = make(Format::R16G16B16A16_FLOAT, {.width = 1});
  put(gray, 0, 0, {255});
  ASSERT_TRUE(blit(gray, box({0, 0, 0}, {1, 1, 1}), wide, box({0, 0, 0}, {1, 1, 1}), Filter::Nearest).ok());
  EXPECT_EQ(element(wide, 0, 0), (std::vector<std::uint8_t>{0x00, 0x3c, 0, 0, 0, 0, 0x00, 0x3c})) << "(1, 0, 0, 1)";
  Surface big = make(Format::R32_SINT, {.width = 1}), small = make(Format::R8G8_SINT, {.width = 1});
  put(big, 0, 0, bits<std::int32_t>(-1000));
  ASSERT_TRUE(blit(big, box({0, 0, 0}, {1, 1, 1}), small, box({0, 0, 0}, {1, 1, 1}), Filter::Nearest).ok());
  EXPECT_EQ(element(small, 0, 0), (std::vector<std::uint8_t>{0x80, 0})) << "clamped to -128";
  EXPECT_EQ(id_of(blit(big, box({0, 0, 0}, {1, 1, 1}), gray, box({0, 0, 0}, {1, 1, 1}), Filter::Nearest)),
            "transfer-format");
  Surface unsigned_one = make(Format::R8_UINT, {.width = 1});
  EXPECT_EQ(id_of(blit(big, box({0, 0, 0}, {1, 1, 1}), unsigned_one, box({0, 0, 0}, {1, 1, 1}), Filter::Nearest)),
            "transfer-format");
}

TEST(TransferBlit, BlocksAreReadTexelByTexel_TRF6) {
  Surface blocks = make(Format::BC1_UNORM, {.width = 4, .height = 4}), to = make(Format::R8G8B8A8_UNORM, {2, 2});
  // Red, green, and their thirds; the texels of the second row have the codes 0, 1, 2, 3.
  put(blocks, 0, 0, {0x00, 0xf8, 0xe0, 0x07, 0, 0xe4, 0, 0});
  ASSERT_TRUE(blit(blocks, box({1, 1, 0}, {3, 2, 1}), to, box({0, 0, 0}, {2, 1, 1}), Filter::Nearest).ok());
  EXPECT_EQ(element(to, 0, 0), (std::vector<std::uint8_t>{0, 255, 0, 255}));
  EXPECT_EQ(element(to, 1, 0), (std::vector<std::uint8_t>{170, 85, 0, 255}));
  EXPECT_EQ(id_of(blit(to, box({0, 0, 0}, {2, 2, 1}), blocks, box({0, 0, 0}, {4, 4, 1}), Filter::Nearest)),
            "transfer-format");
}

TEST(TransferBlit, DepthAndStencilKeepTheirBits_TRF12) {
  Surface from = make(Format::R24_UNORM_X8_TYPELESS, {2, 2}), to = make(Format::R24_UNORM_X8_TYPELESS, {4, 4});
  std::mt19937 random(5);
  randomize(from, random);
  ASSERT_TRUE(blit(from, box({0, 0, 0}, {2, 2, 1}), to, box({0, 0, 0}, {4, 4, 1}), Filter::Nearest).ok());
  for (std::uint32_t y = 0; y < 4; ++y)
    for (std::uint32_t x = 0; x < 4; ++x) EXPECT_EQ(element(to, x, y), element(from, x / 2, y / 2));
}

TEST(TransferBlit, LayersGoToLayers_TRF13) {
  Surface from = make(Format::R8_UNORM, {.width = 2, .height = 2, .layers = 3});
  Surface to = make(Format::R8_UNORM, {.width = 1, .height = 1, .layers = 4});
  for (std::uint32_t k = 0; k < 3; ++k)
    for (std::uint32_t i = 0; i < 4; ++i) put(from, i % 2, i / 2, {static_cast<std::uint8_t>(10 * k + i)}, k);
  BlitBox source = box({0, 0, 0}, {2, 2, 1}), destination = box({0, 0, 0}, {1, 1, 1});
  source.first_layer = 1, source.layers = 2, destination.first_layer = 2, destination.layers = 2;
  ASSERT_TRUE(blit(from, source, to, destination, Filter::Nearest).ok());
  EXPECT_EQ(bytes_of(to), (std::vector<std::uint8_t>{0, 0, 13, 23}));
  destination.layers = 1;
  EXPECT_EQ(id_of(blit(from, source, to, destination, Filter::Nearest)), "transfer-region");
  Surface volume = make(Format::R8_UNORM, {.width = 1, .height = 1, .depth = 2}, SurfaceType::Dim3);
  ASSERT_TRUE(blit(from, source, volume, box({0, 0, 0}, {1, 1, 2}), Filter::Nearest).ok());
  EXPECT_EQ(bytes_of(volume), (std::vector<std::uint8_t>{13, 23}));
}

TEST(TransferBlit, WhatLeavesALevelIsRefused_TRF6) {
  Surface from = make(Format::R8_UNORM, {4, 4}), to = make(Format::R8_UNORM, {4, 4});
  const BlitBox all = box({0, 0, 0}, {4, 4, 1});
  const auto refused = [&](const BlitBox& source, const BlitBox& destination) {
    return id_of(blit(from, source, to, destination, Filter::Nearest));
  };
  EXPECT_EQ(refused(box({0, 0, 0}, {5, 4, 1}), all), "transfer-region");
  EXPECT_EQ(refused(box({-1, 0, 0}, {4, 4, 1}), all), "transfer-region");
  EXPECT_EQ(refused(all, box({INT32_MIN, 0, 0}, {INT32_MAX, 4, 1})), "transfer-region");
  EXPECT_EQ(refused(all, box({2, 0, 0}, {2, 4, 1})), "transfer-region") << "empty";
  EXPECT_EQ(refused(all, box({0, 0, 0}, {4, 4, 2})), "transfer-region");
  Surface many = make(Format::R8_UNORM, {.width = 4, .height = 4, .samples = 2});
  EXPECT_EQ(id_of(blit(many, all, to, all, Filter::Nearest)), "transfer-format");
}

}  // namespace
