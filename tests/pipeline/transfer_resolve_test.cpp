// SPDX-License-Identifier: MIT
// Rules: TRF-14 to TRF-16.
#include "transfer_support.hpp"

#include <limits>

using namespace transfer_test;
using namespace heddle::pipeline::transfer;

namespace {

Surface pixel_of(Format format, const std::vector<std::vector<std::uint8_t>>& samples) {
  Surface surface = make(format, {.samples = static_cast<std::uint32_t>(samples.size())});
  for (std::uint32_t s = 0; s < samples.size(); ++s) put(surface, 0, 0, samples[s], s);
  return surface;
}

std::vector<std::uint8_t> resolved(const Surface& from, ResolveMode mode) {
  Surface to = make(from.format, {});
  const auto done = resolve(from, {}, to, {}, mode);
  EXPECT_TRUE(done.ok()) << (done.ok() ? "" : done.diagnostics()[0].message);
  return element(to, 0, 0);
}

TEST(TransferResolve, AverageOfSamples_TRF14) {
  EXPECT_EQ(resolved(pixel_of(Format::R8_UNORM, {{0}, {255}, {10}, {20}}), ResolveMode::Average),
            (std::vector<std::uint8_t>{71}))
      << "285 / 4 = 71.25";
  // Two black and two white samples are half the light: 188 of sRGB.
  EXPECT_EQ(resolved(pixel_of(Format::R8G8B8A8_UNORM_SRGB,
                              {{0, 0, 0, 0}, {255, 255, 255, 255}, {0, 0, 0, 0}, {255, 255, 255, 255}}),
                     ResolveMode::Average),
            (std::vector<std::uint8_t>{188, 188, 188, 128}));
}

TEST(TransferResolve, SamplesAreAddedInOrder_TRF15) {
  const Surface pixel = pixel_of(Format::R32_FLOAT, {bits(16777216.0f), bits(1.0f), bits(1.0f), bits(2.0f)});
  EXPECT_EQ(resolved(pixel, ResolveMode::Average), bits(16777218.0f / 4)) << "each 1 is lost alone";
}

TEST(TransferResolve, IntegersGiveSampleZero_TRF14) {
  const Surface pixel = pixel_of(Format::R16_UINT, {bits<std::uint16_t>(7), bits<std::uint16_t>(9)});
  EXPECT_EQ(default_resolve_mode(pixel.info()), ResolveMode::SampleZero);
  EXPECT_EQ(default_resolve_mode(make(Format::R16_UNORM, {}).info()), ResolveMode::Average);
  EXPECT_EQ(resolved(pixel, ResolveMode::SampleZero), bits<std::uint16_t>(7));
  EXPECT_EQ(resolved(pixel, ResolveMode::Maximum), bits<std::uint16_t>(9));
  Surface to = make(Format::R16_UINT, {});
  EXPECT_EQ(id_of(resolve(pixel, {}, to, {}, ResolveMode::Average)), "transfer-format");
  // The least SNORM code stays as it is.
  EXPECT_EQ(resolved(pixel_of(Format::R8_SNORM, {{0x80}, {1}}), ResolveMode::SampleZero),
            (std::vector<std::uint8_t>{0x80}));
}

TEST(TransferResolve, LeastAndGreatest_TRF16) {
  const Surface pixel = pixel_of(Format::R8G8_SINT, {{3, 0xf0}, {0xff, 5}, {2, 0}, {4, 1}});
  EXPECT_EQ(resolved(pixel, ResolveMode::Minimum), (std::vector<std::uint8_t>{0xff, 0xf0}));
  EXPECT_EQ(resolved(pixel, ResolveMode::Maximum), (std::vector<std::uint8_t>{4, 5}));
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const Surface depth = pixel_of(Format::R32_FLOAT, {bits(nan), bits(0.5f), bits(nan), bits(0.25f)});
  EXPECT_EQ(resolved(depth, ResolveMode::Minimum), bits(0.25f));
  EXPECT_EQ(resolved(depth, ResolveMode::Maximum), bits(0.5f));
  const Surface zeros = pixel_of(Format::R32_FLOAT, {bits(-0.0f), bits(0.0f)});
  EXPECT_EQ(resolved(zeros, ResolveMode::Maximum), bits(-0.0f)) << "equal: the lower sample";
}

TEST(TransferResolve, RegionsOfLayers_TRF14) {
  Surface from = make(Format::R8_UNORM, {.width = 4, .height = 4, .layers = 3, .samples = 2});
  Surface to = make(Format::R8_UNORM, {.width = 8, .height = 8, .layers = 2});
  for (std::uint32_t slice = 0; slice < 6; ++slice)
    for (std::uint32_t i = 0; i < 16; ++i) put(from, i % 4, i / 4, {static_cast<std::uint8_t>(20 * slice + i)}, slice);
  const ImageBox box{.first_layer = 1, .layers = 2, .offset = {1, 2, 0}, .extent = {2, 2, 1}};
  ASSERT_TRUE(resolve(from, box, to, {.offset = {5, 6, 0}}, ResolveMode::Average).ok());
  // Texel (1, 2) of layer 1 has 49 and 69.
  EXPECT_EQ(element(to, 5, 6, 0)[0], 59);
  EXPECT_EQ(element(to, 6, 7, 1)[0], 80 + 14 + 10);
  EXPECT_EQ(element(to, 4, 6, 0)[0], 0);
  EXPECT_EQ(id_of(resolve(from, box, to, {.offset = {7, 0, 0}}, ResolveMode::Average)), "transfer-region");
  Surface other = make(Format::R8_SNORM, {8, 8});
  EXPECT_EQ(id_of(resolve(from, {}, other, {}, ResolveMode::Average)), "transfer-format");
}

}  // namespace
