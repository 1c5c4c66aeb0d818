// SPDX-License-Identifier: MIT
// HW-39 to HW-43: tile offsets against closed formulas written independently, and bijectivity of every tile.
#include "image/tiling.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace heddle::image::hardware {
namespace {

TileAddress address(TileMode mode, std::uint32_t bytes, std::uint64_t pitch, std::uint64_t u, std::uint64_t v) {
  TileAddress result;
  result.mode = mode;
  result.bytes_per_element = bytes;
  result.pitch = pitch;
  result.u = u;
  result.v = v;
  return result;
}

TEST(Tiling, Hw39LinearIsRowAfterRow) { EXPECT_EQ(tile_offset(address(TileMode::Linear, 4, 100, 7, 3)), 307u); }

TEST(Tiling, Hw39XIsEightRowsOf512Bytes) {
  for (std::uint64_t v = 0; v < 20; ++v)
    for (std::uint64_t u = 0; u < 2048; u += 37) {
      const std::uint64_t tile = v / 8 * 4 + u / 512;
      EXPECT_EQ(tile_offset(address(TileMode::X, 4, 2048, u, v)), tile * 4096 + v % 8 * 512 + u % 512);
    }
}

TEST(Tiling, Hw39YIsColumnsOf16Bytes) {
  for (std::uint64_t v = 0; v < 70; ++v)
    for (std::uint64_t u = 0; u < 512; u += 3) {
      const std::uint64_t tile = v / 32 * 4 + u / 128;
      EXPECT_EQ(tile_offset(address(TileMode::Y, 4, 512, u, v)),
                tile * 4096 + u % 128 / 16 * 512 + v % 32 * 16 + u % 16);
    }
}

TEST(Tiling, Hw39WNestsBlocksOfEightByEight) {
  for (std::uint64_t v = 0; v < 130; ++v)
    for (std::uint64_t u = 0; u < 128; ++u) {
      const std::uint64_t tile = v / 64 * 2 + u / 64, x = u % 64, y = v % 64;
      // Columns of 8x64; in them 8x8 blocks; in them 4x4... down to pairs: two by two, x before y.
      const std::uint64_t expected = tile * 4096 + x / 8 * 512 + y / 8 * 64 + y / 4 % 2 * 32 + x / 4 % 2 * 16 +
                                     y / 2 % 2 * 8 + x / 2 % 2 * 4 + y % 2 * 2 + x % 2;
      EXPECT_EQ(tile_offset(address(TileMode::W, 1, 128, u, v)), expected);
    }
}

TEST(Tiling, Hw39Tile4NestsCacheLines) {
  for (std::uint64_t v = 0; v < 40; ++v)
    for (std::uint64_t u = 0; u < 256; u += 5) {
      const std::uint64_t tile = v / 32 * 2 + u / 128, x = u % 128, y = v % 32;
      // A cache line is 16 bytes by 4 rows; four of them make a 64 byte row; two such rows, two halves, four row
      // groups.
      const std::uint64_t expected =
          tile * 4096 + y / 8 * 1024 + x / 64 * 512 + y / 4 % 2 * 256 + x / 16 % 4 * 64 + y % 4 * 16 + x % 16;
      EXPECT_EQ(tile_offset(address(TileMode::Tile4, 4, 256, u, v)), expected);
    }
}

TEST(Tiling, Hw39WorkedValuesOfTile64) {
  // 32-bit: 512 bytes by 128 rows; bit 12 = u7, bit 13 = u8, bit 14 = v5, bit 15 = v6.
  EXPECT_EQ(tile_offset(address(TileMode::Tile64, 4, 1024, 128, 0)), 1u << 12);
  EXPECT_EQ(tile_offset(address(TileMode::Tile64, 4, 1024, 256, 0)), 1u << 13);
  EXPECT_EQ(tile_offset(address(TileMode::Tile64, 4, 1024, 0, 64)), 1u << 15);
  EXPECT_EQ(tile_offset(address(TileMode::Tile64, 4, 1024, 512, 0)), 65536u);
  EXPECT_EQ(tile_offset(address(TileMode::Tile64, 4, 1024, 0, 128)), 2 * 65536u);
  // 8-bit: bit 12 = u7; 128-bit: bit 14 = u9.
  EXPECT_EQ(tile_offset(address(TileMode::Tile64, 1, 1024, 128, 0)), 1u << 12);
  EXPECT_EQ(tile_offset(address(TileMode::Tile64, 16, 1024, 512, 0)), 1u << 14);
  // Samples: s0 is address bit 7.
  TileAddress at = address(TileMode::Tile64, 4, 256, 0, 0);
  at.samples = 4;
  at.sample = 3;
  EXPECT_EQ(tile_offset(at), 3u << 7);
  // Ys, 32-bit: bit 15 = u8, bit 14 = v6; Yf: bit 11 = u6.
  EXPECT_EQ(tile_offset(address(TileMode::Ys, 4, 512, 256, 64)), 3u << 14);
  EXPECT_EQ(tile_offset(address(TileMode::Yf, 4, 512, 64, 0)), 1u << 11);
}

TEST(Tiling, Hw40VolumeTilesStackSlices) {
  TileAddress at = address(TileMode::Tile64, 4, 256, 0, 0);
  at.three_dimensional = true;
  at.qpitch = 64;
  at.r = 1;
  EXPECT_EQ(tile_offset(at), 1u << 7);  // r0
  at.r = 16;                            // the next layer of tiles: (64 >> 5) * (256 >> 7) tiles on
  EXPECT_EQ(tile_offset(at), 4u * 65536u);
  at.r = 16, at.v = 32, at.u = 128;
  EXPECT_EQ(tile_offset(at), (4u + 2u + 1u) * 65536u);
}

TEST(Tiling, Hw40OtherTilesPutSlicesAtQpitchRows) {
  TileAddress at = address(TileMode::Y, 4, 512, 0, 1);
  at.r = 3;
  at.qpitch = 64;
  EXPECT_EQ(tile_offset(at), tile_offset(address(TileMode::Y, 4, 512, 0, 193)));
}

TEST(Tiling, Hw41EightSamplesAreTwoPlanesOfFour) {  // C63
  TileAddress at = address(TileMode::Tile64, 4, 256, 12, 5);
  at.samples = 8;
  at.qpitch = 64;
  at.r = 2;
  at.sample = 6;
  TileAddress plane = address(TileMode::Tile64, 4, 256, 12, 5 + (2 * 2 + 1) * 64);
  plane.samples = 4;
  plane.sample = 2;
  EXPECT_EQ(tile_offset(at), tile_offset(plane));
}

struct Kind {
  TileMode mode;
  std::uint32_t bytes, samples;
  bool volume;
};

TEST(Tiling, EveryTileIsFilledExactlyOnce) {
  std::vector<Kind> kinds{{TileMode::X, 4, 1, false},
                          {TileMode::Y, 4, 1, false},
                          {TileMode::W, 1, 1, false},
                          {TileMode::Tile4, 4, 1, false}};
  for (std::uint32_t bytes : {1u, 2u, 4u, 8u, 16u}) {
    for (std::uint32_t samples : {1u, 2u, 4u}) kinds.push_back({TileMode::Tile64, bytes, samples, false});
    kinds.push_back({TileMode::Tile64, bytes, 1, true});
    kinds.push_back({TileMode::Yf, bytes, 1, false});
    kinds.push_back({TileMode::Ys, bytes, 1, false});
  }
  for (const Kind& kind : kinds) {
    const TileShape shape = tile_shape(kind.mode, kind.bytes, kind.samples, kind.volume);
    const std::uint32_t columns = 1u << shape.column_bits, rows = 1u << shape.row_bits, slices = 1u << shape.slice_bits;
    ASSERT_EQ(columns * rows * slices * kind.samples, shape.bytes)
        << tile_mode_name(kind.mode) << kind.bytes << kind.samples;
    std::vector<bool> seen(shape.bytes, false);
    TileAddress at = address(kind.mode, kind.bytes, columns, 0, 0);
    at.samples = kind.samples;
    at.three_dimensional = kind.volume;
    at.qpitch = kind.volume ? rows : 0;
    for (at.r = 0; at.r < slices; ++at.r)
      for (at.v = 0; at.v < rows; ++at.v)
        for (at.u = 0; at.u < columns; ++at.u)
          for (at.sample = 0; at.sample < kind.samples; ++at.sample) {
            const std::uint64_t offset = tile_offset(at);
            ASSERT_LT(offset, shape.bytes);
            ASSERT_FALSE(seen[offset]);
            seen[offset] = true;
          }
  }
}

TEST(Tiling, NamesRoundTrip) {
  for (unsigned i = 0; i < 8; ++i) {
    const auto mode = static_cast<TileMode>(i);
    EXPECT_EQ(find_tile_mode(tile_mode_name(mode)), mode);
  }
  EXPECT_FALSE(find_tile_mode("z"));
}

}  // namespace
}  // namespace heddle::image::hardware
