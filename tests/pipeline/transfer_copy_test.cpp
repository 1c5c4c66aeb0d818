// SPDX-License-Identifier: MIT
// Rules: TRF-1 to TRF-5, TRF-20, TRF-21.
#include "transfer_support.hpp"

#include <array>
#include <numeric>

using namespace transfer_test;
using namespace heddle::pipeline::transfer;

namespace {

std::vector<std::uint8_t> counting(std::size_t bytes) {
  std::vector<std::uint8_t> values(bytes);
  std::iota(values.begin(), values.end(), std::uint8_t{0});
  return values;
}

TEST(TransferCopy, BufferToImageFollowsRowLengthAndImageHeight_TRF2) {
  // Two layers of a 3x2 region of one-byte texels: rows of 5, slices of 4 rows.
  Surface image = make(Format::R8_UNORM, {.width = 8, .height = 8, .layers = 3});
  const auto buffer = counting(64);
  const ImageBox box{.first_layer = 1, .layers = 2, .offset = {2, 4, 0}, .extent = {3, 2, 1}};
  ASSERT_TRUE(copy_to_image(buffer, {.offset = 7, .row_length = 5, .image_height = 4}, image, box).ok());
  for (std::uint32_t layer = 0; layer < 2; ++layer)
    for (std::uint32_t y = 0; y < 2; ++y)
      for (std::uint32_t x = 0; x < 3; ++x)
        EXPECT_EQ(element(image, 2 + x, 4 + y, 1 + layer)[0], 7 + x + 5 * y + 20 * layer);
  EXPECT_EQ(element(image, 5, 4, 1)[0], 0) << "beyond the region";
  EXPECT_EQ(element(image, 2, 4, 0)[0], 0) << "before the layers";
  std::vector<std::uint8_t> back(64, 0xee);
  ASSERT_TRUE(copy_to_buffer(image, box, back, {.offset = 7, .row_length = 5, .image_height = 4}).ok());
  for (std::size_t i = 0; i < back.size(); ++i) {
    const std::size_t at = i - 7, x = at % 5, y = at / 5 % 4, layer = at / 20;
    EXPECT_EQ(back[i], i >= 7 && x < 3 && y < 2 && layer < 2 ? buffer[i] : 0xee) << i;
  }
}

TEST(TransferCopy, RowLengthLessThanTheWidthIsTheWidth_TRF2) {
  Surface image = make(Format::R8G8B8A8_UNORM, {.width = 4, .height = 3});
  const auto buffer = counting(48);
  ASSERT_TRUE(copy_to_image(buffer, {}, image, whole_level(image, 0, 0, 1)).ok());
  EXPECT_EQ(bytes_of(image), buffer);
}

TEST(TransferCopy, BlocksCountInBuffers_TRF2) {
  // 10x6 texels of BC1: 3x2 blocks of 8 bytes; a row length of 16 texels is 4 blocks.
  Surface image = make(Format::BC1_UNORM, {.width = 10, .height = 6});
  const auto buffer = counting(64);
  ASSERT_TRUE(copy_to_image(buffer, {.row_length = 16}, image, whole_level(image, 0, 0, 1)).ok());
  EXPECT_EQ(element(image, 8, 4)[0], 32 + 16);
  EXPECT_EQ(element(image, 0, 4)[0], 32);
  // The last column of blocks alone: two texels wide, at the level's edge.
  const ImageBox edge{.offset = {8, 0, 0}, .extent = {2, 4, 1}};
  std::vector<std::uint8_t> one(8);
  ASSERT_TRUE(copy_to_buffer(image, edge, one, {}).ok());
  EXPECT_EQ(one[0], 16);
}

TEST(TransferCopy, VolumesCountSlices_TRF2) {
  Surface image = make(Format::R16_UINT, {.width = 4, .height = 4, .depth = 6}, SurfaceType::Dim3);
  const auto buffer = counting(256);
  const ImageBox box{.offset = {1, 2, 3}, .extent = {2, 1, 2}};
  ASSERT_TRUE(copy_to_image(buffer, {.image_height = 3}, image, box).ok());
  EXPECT_EQ(element(image, 2, 2, 4), (std::vector<std::uint8_t>{14, 15})) << "3 rows of 2 texels a slice";
}

TEST(TransferCopy, WhatLeavesImageOrBufferIsRefused_TRF1) {
  Surface image = make(Format::R8G8B8A8_UNORM, {.width = 8, .height = 8, .layers = 2, .levels = 2});
  const auto before = bytes_of(image);
  const std::vector<std::uint8_t> buffer(256, 1);
  const auto refused = [&](const ImageBox& box, const BufferLayout& layout = {}) {
    return id_of(copy_to_image(buffer, layout, image, box));
  };
  EXPECT_EQ(refused({.offset = {1, 0, 0}, .extent = {8, 8, 1}}), "transfer-region");
  EXPECT_EQ(refused({.offset = {-1, 0, 0}, .extent = {2, 8, 1}}), "transfer-region");
  EXPECT_EQ(refused({.offset = {0, INT32_MAX, 0}, .extent = {1, UINT32_MAX, 1}}), "transfer-region");
  EXPECT_EQ(refused({.level = 2, .extent = {1, 1, 1}}), "transfer-region");
  EXPECT_EQ(refused({.level = 1, .extent = {5, 4, 1}}), "transfer-region");
  EXPECT_EQ(refused({.first_layer = 1, .layers = 2, .extent = {1, 1, 1}}), "transfer-region");
  EXPECT_EQ(refused({.layers = 0, .extent = {1, 1, 1}}), "transfer-region");
  EXPECT_EQ(refused({.extent = {1, 1, 2}}), "transfer-region");
  EXPECT_EQ(refused({.extent = {8, 8, 1}}, {.offset = 1}), "transfer-region") << "one byte too far";
  EXPECT_EQ(refused({.extent = {8, 8, 1}}, {.offset = UINT64_MAX}), "transfer-region");
  EXPECT_EQ(refused({.layers = 2, .extent = {1, 1, 1}}, {.row_length = UINT32_MAX, .image_height = UINT32_MAX}),
            "transfer-region");
  EXPECT_EQ(bytes_of(image), before);
  EXPECT_EQ(refused({.extent = {8, 8, 1}}), "") << "the whole image fits";
  Surface stateless = image;
  stateless.memory = nullptr;
  EXPECT_EQ(id_of(copy_to_image(buffer, {}, stateless, {})), "transfer-memory");
  Surface far = image;
  far.base = far.memory->size();
  EXPECT_EQ(id_of(copy_to_image(buffer, {}, far, {})), "transfer-memory");
  Surface many = make(Format::R8_UNORM, {.width = 2, .height = 2, .samples = 4});
  EXPECT_EQ(id_of(copy_to_image(buffer, {}, many, {})), "transfer-format");
}

TEST(TransferCopy, BlocksMustBeWhole_TRF1) {
  Surface image = make(Format::BC3_UNORM, {.width = 10, .height = 8});
  std::vector<std::uint8_t> buffer(256);
  const auto id = [&](std::int32_t x, std::uint32_t width) {
    return id_of(copy_to_buffer(image, {.offset = {x, 0, 0}, .extent = {width, 4, 1}}, buffer, {}));
  };
  EXPECT_EQ(id(0, 4), "");
  EXPECT_EQ(id(4, 6), "") << "to the edge";
  EXPECT_EQ(id(2, 4), "transfer-region");
  EXPECT_EQ(id(0, 6), "transfer-region");
}

// A level of 10x8 texels has 3x2 blocks of 4x4, the last column of which has 2 texels.
TEST(TransferCopy, ExtentsAreWidenedToWholeBlocks_TRF21) {
  const Surface image = make(Format::BC3_UNORM, {.width = 10, .height = 8});
  const auto widened = [&](Offset offset, Extent extent, std::uint32_t level = 0) {
    const ImageBox box = whole_blocks(image, {.level = level, .offset = offset, .extent = extent});
    return std::array{box.extent.width, box.extent.height, box.extent.depth};
  };
  using Size = std::array<std::uint32_t, 3>;
  EXPECT_EQ(widened({}, {6, 3, 1}), (Size{8, 4, 1}));
  EXPECT_EQ(widened({4, 4, 0}, {1, 1, 1}), (Size{4, 4, 1}));
  EXPECT_EQ(widened({8, 0, 0}, {1, 8, 1}), (Size{2, 8, 1})) << "to the edge";
  EXPECT_EQ(widened({}, {10, 8, 1}), (Size{10, 8, 1})) << "as it is";
  EXPECT_EQ(widened({}, {0, 4, 1}), (Size{0, 4, 1})) << "nothing stays nothing";
  // What leaves the level stays as it is, and is refused.
  EXPECT_EQ(widened({8, 0, 0}, {3, 3, 1}), (Size{3, 3, 1}));
  EXPECT_EQ(widened({-4, 0, 0}, {3, 3, 1}), (Size{3, 3, 1}));
  EXPECT_EQ(widened({}, {UINT32_MAX, 3, 1}), (Size{UINT32_MAX, 3, 1}));
  // So does what begins inside a block.
  EXPECT_EQ(widened({2, 0, 0}, {2, 3, 1}), (Size{2, 3, 1}));
  EXPECT_EQ(widened({0, 1, 0}, {3, 3, 1}), (Size{3, 3, 1}));
  EXPECT_EQ(widened({}, {3, 3, 1}, 7), (Size{3, 3, 1})) << "there is no level 7";
  const Surface plain = make(Format::R8_UNORM, {.width = 10, .height = 8});
  const ImageBox box = whole_blocks(plain, {.extent = {5, 3, 1}});
  EXPECT_EQ(box.extent.width, 5u);
  EXPECT_EQ(box.extent.height, 3u);
}

TEST(TransferCopy, ImagesKeepBitsAcrossFormats_TRF3) {
  Surface from = make(Format::R8G8B8A8_SNORM, {.width = 4, .height = 4}), to = make(Format::R32_FLOAT, {8, 8});
  std::mt19937 random(1);
  randomize(from, random);
  ASSERT_TRUE(copy_image(from, {.offset = {1, 1, 0}, .extent = {3, 2, 1}}, to, {.offset = {5, 6, 0}}).ok());
  EXPECT_EQ(element(to, 5, 6), element(from, 1, 1));
  EXPECT_EQ(element(to, 7, 7), element(from, 3, 2));
  Surface narrow = make(Format::R16_UNORM, {4, 4});
  EXPECT_EQ(id_of(copy_image(from, {}, narrow, {})), "transfer-format");
  EXPECT_EQ(id_of(copy_image(from, {.extent = {4, 4, 1}}, to, {.offset = {5, 0, 0}})), "transfer-region");
}

TEST(TransferCopy, AllSamplesAreCopied_TRF3) {
  std::mt19937 random(2);
  for (const std::uint32_t samples : {2u, 4u, 8u, 16u}) {
    const Shape shape{.width = 5, .height = 3, .layers = 2, .samples = samples};
    Surface from = make(Format::R16G16_UINT, shape), to = make(Format::R16G16_UINT, shape);
    randomize(from, random);
    ASSERT_TRUE(copy_image(from, {.first_layer = 1, .extent = {5, 3, 1}}, to, {.first_layer = 0}).ok());
    for (std::uint32_t s = 0; s < samples; ++s)
      EXPECT_EQ(element(to, 4, 2, s), element(from, 4, 2, samples + s)) << samples << " " << s;
    EXPECT_EQ(element(to, 0, 0, samples), std::vector<std::uint8_t>(4)) << "layer 1 is as it was";
    Surface single = make(Format::R16G16_UINT, {5, 3});
    EXPECT_EQ(id_of(copy_image(from, {.extent = {5, 3, 1}}, single, {})), "transfer-format");
  }
}

TEST(TransferCopy, BlocksBecomeTexelsAndBack_TRF4) {
  Surface blocks = make(Format::BC1_UNORM, {.width = 12, .height = 8}), texels = make(Format::R32G32_UINT, {4, 4});
  std::mt19937 random(3);
  randomize(blocks, random);
  ASSERT_TRUE(copy_image(blocks, {.offset = {4, 0, 0}, .extent = {8, 8, 1}}, texels, {.offset = {1, 2, 0}}).ok());
  EXPECT_EQ(element(texels, 1, 2), element(blocks, 4, 0));
  EXPECT_EQ(element(texels, 2, 3), element(blocks, 8, 4));
  Surface again = make(Format::BC1_UNORM, {.width = 10, .height = 6});  // 3x2 blocks, not whole at the edges
  ASSERT_TRUE(copy_image(texels, {.offset = {1, 2, 0}, .extent = {2, 2, 1}}, again, {.offset = {4, 0, 0}}).ok());
  EXPECT_EQ(element(again, 8, 4), element(blocks, 8, 4));
  Surface wide = make(Format::R32G32B32A32_UINT, {4, 4}), bc7 = make(Format::BC7_UNORM, {16, 16});
  EXPECT_TRUE(copy_image(wide, {.extent = {4, 4, 1}}, bc7, {}).ok());
  EXPECT_EQ(id_of(copy_image(wide, {.extent = {4, 4, 1}}, blocks, {})), "transfer-region") << "4x4 blocks do not fit";
}

TEST(TransferCopy, SlicesAreLayers_TRF5) {
  Surface volume = make(Format::R8_UINT, {.width = 2, .height = 2, .depth = 5}, SurfaceType::Dim3);
  Surface layers = make(Format::R8_UINT, {.width = 2, .height = 2, .layers = 4});
  std::mt19937 random(4);
  randomize(volume, random);
  ASSERT_TRUE(copy_image(volume, {.offset = {0, 0, 2}, .extent = {2, 2, 3}}, layers, {.first_layer = 1}).ok());
  for (std::uint32_t k = 0; k < 3; ++k) EXPECT_EQ(element(layers, 1, 1, 1 + k), element(volume, 1, 1, 2 + k));
  Surface back = make(Format::R8_UINT, {.width = 2, .height = 2, .depth = 5}, SurfaceType::Dim3);
  const ImageBox box{.first_layer = 1, .layers = 3, .extent = {2, 2, 3}};  // its depth is not looked at
  ASSERT_TRUE(copy_image(layers, box, back, {.offset = {0, 0, 1}}).ok());
  for (std::uint32_t k = 0; k < 3; ++k) EXPECT_EQ(element(back, 0, 1, 1 + k), element(volume, 0, 1, 2 + k));
  EXPECT_EQ(id_of(copy_image(layers, box, back, {.offset = {0, 0, 3}})), "transfer-region");
  EXPECT_EQ(id_of(copy_image(volume, {.extent = {2, 2, 5}}, layers, {})), "transfer-region");
}

TEST(TransferCopy, BytesAreCopiedInOrder_TRF20) {
  const auto from = counting(3000000);
  std::vector<std::uint8_t> to(from.size() + 3);
  copy_bytes(from, std::span(to).subspan(1), {.workers = 2});
  EXPECT_TRUE(std::equal(from.begin(), from.end(), to.begin() + 1));
  EXPECT_EQ(to[0], 0);
  EXPECT_EQ(to[to.size() - 1], 0);
}

}  // namespace
