// SPDX-License-Identifier: MIT
// Rules: TRF-17 to TRF-19.
#include "transfer_support.hpp"

using namespace transfer_test;
using namespace heddle::pipeline::transfer;

namespace {

Texel color(float r, float g, float b, float a) {
  Texel value;
  value.set(0, r), value.set(1, g), value.set(2, b), value.set(3, a);
  return value;
}

TEST(TransferClear, ColorsAreEncoded_TRF17) {
  Surface image = make(Format::B8G8R8A8_UNORM, {.width = 3, .height = 2});
  ASSERT_TRUE(clear(image, whole_level(image, 0, 0, 1), color(1, 0.5f, 0, 2)).ok());
  EXPECT_EQ(element(image, 2, 1), (std::vector<std::uint8_t>{0, 128, 255, 255})) << "127.5 is rounded to even";
  Surface srgb = make(Format::R8G8B8A8_UNORM_SRGB, {.width = 1});
  ASSERT_TRUE(clear(srgb, {}, color(0.5f, 0, 1, 0.5f)).ok());
  EXPECT_EQ(element(srgb, 0, 0), (std::vector<std::uint8_t>{188, 0, 255, 128})) << "linear 0.5 is 188 of sRGB";
  Surface packed = make(Format::B5G6R5_UNORM, {.width = 1});
  ASSERT_TRUE(clear(packed, {}, color(1, 0, 0, 1)).ok());
  EXPECT_EQ(element(packed, 0, 0), bits<std::uint16_t>(0xf800));
  Surface integer = make(Format::R16G16_SINT, {.width = 1});
  ASSERT_TRUE(clear(integer, {}, {.bits = {static_cast<std::uint32_t>(-7), 300, 0, 0}}).ok());
  EXPECT_EQ(element(integer, 0, 0), (std::vector<std::uint8_t>{0xf9, 0xff, 0x2c, 0x01}));
  Surface words = make(Format::R32G32_UINT, {.width = 1});  // the words of a 64-bit integer
  ASSERT_TRUE(clear(words, {}, {.bits = {0x89abcdef, 0x01234567, 0, 0}}).ok());
  EXPECT_EQ(element(words, 0, 0), bits<std::uint64_t>(0x0123456789abcdef));
  Surface blocks = make(Format::BC1_UNORM, {4, 4});
  EXPECT_EQ(id_of(clear(blocks, {.extent = {4, 4, 1}}, {})), "transfer-format");
}

TEST(TransferClear, RectanglesAndSamplesAndSlices_TRF17) {
  Surface image = make(Format::R8_UNORM, {.width = 7, .height = 5, .layers = 2, .samples = 4});
  ASSERT_TRUE(clear(image, {.first_layer = 1, .offset = {2, 1, 0}, .extent = {3, 2, 1}}, color(1, 0, 0, 0)).ok());
  for (std::uint32_t slice = 0; slice < 8; ++slice)
    for (std::uint32_t y = 0; y < 5; ++y)
      for (std::uint32_t x = 0; x < 7; ++x)
        EXPECT_EQ(element(image, x, y, slice)[0], slice >= 4 && x >= 2 && x < 5 && y >= 1 && y < 3 ? 255 : 0);
  Surface volume = make(Format::R8_UINT, {.width = 2, .height = 2, .depth = 4}, SurfaceType::Dim3);
  ASSERT_TRUE(clear(volume, {.offset = {0, 0, 1}, .extent = {2, 2, 2}}, {.bits = {9, 0, 0, 0}}).ok());
  for (std::uint32_t z = 0; z < 4; ++z) EXPECT_EQ(element(volume, 1, 1, z)[0], z == 1 || z == 2 ? 9 : 0);
}

TEST(TransferClear, LevelsStandAlone_TRF17) {
  Surface image = make(Format::R16_UNORM, {.width = 8, .height = 8, .levels = 3});
  ASSERT_TRUE(clear(image, whole_level(image, 1, 0, 1), color(1, 0, 0, 0)).ok());
  EXPECT_EQ(element(image, 3, 3, 0, 1), bits<std::uint16_t>(0xffff));
  EXPECT_EQ(element(image, 7, 7, 0, 0), bits<std::uint16_t>(0));
  EXPECT_EQ(element(image, 0, 0, 0, 2), bits<std::uint16_t>(0));
}

TEST(TransferClear, DepthAndStencil_TRF18) {
  Surface d16 = make(Format::R16_UNORM, {.width = 1}), d24 = make(Format::R24_UNORM_X8_TYPELESS, {.width = 1}),
          d32 = make(Format::R32_FLOAT, {.width = 1}), s8 = make(Format::R8_UINT, {.width = 1});
  ASSERT_TRUE(clear_depth(d16, {}, 0.25f).ok());
  EXPECT_EQ(element(d16, 0, 0), bits<std::uint16_t>(16384)) << "16383.75";
  ASSERT_TRUE(clear_depth(d24, {}, 3.0f).ok());
  EXPECT_EQ(element(d24, 0, 0), bits<std::uint32_t>(0xffffff)) << "clamped";
  ASSERT_TRUE(clear_depth(d32, {}, 3.0f).ok());
  EXPECT_EQ(element(d32, 0, 0), bits(3.0f));
  ASSERT_TRUE(clear_stencil(s8, {}, 0x1a5).ok());
  EXPECT_EQ(element(s8, 0, 0)[0], 0xa5) << "the low 8 bits";
}

TEST(TransferClear, FillsRepeatTheWord_TRF19) {
  for (const std::size_t bytes : {0u, 3u, 4u, 67u, 4096u, 1u << 20, (1u << 22) + 12u})
    for (const std::size_t start : {0u, 4u, 20u}) {
      std::vector<std::uint8_t> memory(bytes + start + 8, 0xee), expected = memory;
      const std::span<std::uint8_t> part = std::span(memory).subspan(start, bytes);
      for (std::size_t i = 0; i + 4 <= bytes; i += 4)
        for (std::size_t k = 0; k < 4; ++k) expected[start + i + k] = static_cast<std::uint8_t>(0x44332211u >> 8 * k);
      fill(part, 0x44332211u, {.workers = 2});
      ASSERT_TRUE(memory == expected) << bytes << " at " << start;
    }
}

}  // namespace
