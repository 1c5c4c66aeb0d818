// SPDX-License-Identifier: MIT
// footprint_bytes.hpp: lines and pages by hand.
// Rules: FP-35.
#include "heddle/footprint_bytes.hpp"

#include <gtest/gtest.h>

#include "library/ids.hpp"

namespace heddle::test {
namespace {

Image rgba(std::uint32_t width, std::uint32_t height) {
  auto image = Image::create({.width = width, .height = height});
  EXPECT_TRUE(image.ok());
  return *image;
}

TEST(FootprintBytes, AColumn) {
  // 128 texels of 4 bytes a row: 512 bytes. Linear: each texel has a line of its own, 8 rows share a page. Tile 4 and Y
  // have lines of 16 bytes x 4 rows and pages of 128 bytes x 32 rows.
  std::vector<TexelPlace> column;
  for (std::uint32_t y = 0; y < 32; ++y) column.push_back({.x = 5, .y = y});
  const auto linear = footprint_bytes(rgba(128, 128), column, {.tile = "linear"});
  ASSERT_TRUE(linear.ok());
  EXPECT_EQ(linear->elements, 32u);
  EXPECT_EQ(linear->bytes, 128u);
  EXPECT_EQ(linear->image_bytes, 128u * 128 * 4);
  EXPECT_EQ(linear->lines.size(), 32u);
  EXPECT_EQ(linear->pages.size(), 4u);
  EXPECT_EQ(linear->lines[1].offset, 512u);
  EXPECT_EQ(linear->lines[1].bytes, 4u);
  for (const char* tile : {"y", "tile4"}) {
    const auto tiled = footprint_bytes(rgba(128, 128), column, {.tile = tile});
    ASSERT_TRUE(tiled.ok()) << tile;
    EXPECT_EQ(tiled->lines.size(), 8u) << tile;
    EXPECT_EQ(tiled->pages.size(), 1u) << tile;
    EXPECT_EQ(tiled->pages[0].bytes, 128u) << tile;
  }
}

TEST(FootprintBytes, CountsEachElementOnce) {
  const std::vector<TexelPlace> twice{{.x = 1, .y = 1}, {.x = 1, .y = 1}};
  EXPECT_EQ(footprint_bytes(rgba(8, 8), twice)->elements, 1u);
  // Four texels of one block of 8 bytes.
  auto blocks = Image::create({.format = "BC1_UNORM", .width = 8, .height = 8});
  ASSERT_TRUE(blocks.ok());
  const std::vector<TexelPlace> four{{.x = 4, .y = 0}, {.x = 5, .y = 0}, {.x = 4, .y = 3}, {.x = 7, .y = 3}};
  const auto found = footprint_bytes(*blocks, four, {.tile = "linear"});
  EXPECT_EQ(found->elements, 1u);
  EXPECT_EQ(found->bytes, 8u);
  EXPECT_EQ(found->lines[0].offset, 0u);
}

TEST(FootprintBytes, ElementsAcrossLines) {
  // 12 bytes a texel: texel 5 has the bytes 60 to 71.
  auto image = Image::create({.format = "R32G32B32_FLOAT", .width = 16, .height = 1});
  ASSERT_TRUE(image.ok());
  const std::vector<TexelPlace> one{{.x = 5}};
  const auto found = footprint_bytes(*image, one, {.tile = "linear"});
  ASSERT_EQ(found->lines.size(), 2u);
  EXPECT_EQ(found->lines[0].bytes, 4u);
  EXPECT_EQ(found->lines[1].offset, 64u);
  EXPECT_EQ(found->lines[1].bytes, 8u);
  EXPECT_EQ(id_of(footprint_bytes(*image, one, {.tile = "tile64"})), "HW-42");
}

TEST(FootprintBytes, WrongArguments) {
  const std::vector<TexelPlace> outside{{.x = 8}};
  EXPECT_EQ(id_of(footprint_bytes({}, {})), "usage-argument");
  EXPECT_EQ(id_of(footprint_bytes(rgba(8, 8), {}, {.tile = "z"})), "usage-argument");
  EXPECT_EQ(id_of(footprint_bytes(rgba(8, 8), {}, {.line_bytes = 48})), "footprint-query");
  EXPECT_EQ(id_of(footprint_bytes(rgba(8, 8), outside)), "footprint-query");
  EXPECT_EQ(tile_modes().size(), 8u);
}

}  // namespace
}  // namespace heddle::test
