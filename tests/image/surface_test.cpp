// SPDX-License-Identifier: MIT
// SUR-1 to SUR-10, HW-1, HW-45, HW-46, C19, C22, RTW-21: layout, fetch and store.
#include "image/surface.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "image/tiling.hpp"

namespace heddle::image {
namespace {

Surface make(SurfaceType type, std::string_view format, std::uint32_t width, std::uint32_t height = 1,
             std::uint32_t levels = 1) {
  Surface surface;
  surface.type = type;
  surface.format = find_format(format)->format;
  surface.width = width;
  surface.height = height;
  surface.levels = levels;
  surface.mip_count = levels - 1;
  return surface;
}

std::string failure(const Surface& surface) {
  const auto checked = validate_state(surface);
  return checked.ok() ? "" : checked.diagnostics()[0].id;
}

TEST(Surface, Sur1LevelsHalveDownToOne) {
  Surface surface = make(SurfaceType::Dim3, "R8_UINT", 13, 5, 4);
  surface.depth = 7;
  const std::uint32_t expected[4][3] = {{13, 5, 7}, {6, 2, 3}, {3, 1, 1}, {1, 1, 1}};
  for (std::uint32_t level = 0; level < 4; ++level) {
    EXPECT_EQ(surface.level_width(level), expected[level][0]);
    EXPECT_EQ(surface.level_height(level), expected[level][1]);
    EXPECT_EQ(surface.level_depth(level), expected[level][2]);
  }
  EXPECT_EQ(surface.level_width(40), 1u);
}

TEST(Surface, DataIsPackedLevelAfterLevelSliceAfterSlice) {
  Surface surface = make(SurfaceType::Dim2, "R16_UINT", 5, 3, 3);
  surface.array = true;
  surface.layers = surface.view_layers = 2;
  ASSERT_TRUE(allocate(surface).ok());
  std::uint64_t expected = 0;
  for (std::uint32_t level = 0; level < 3; ++level)
    for (std::uint32_t slice = 0; slice < 2; ++slice)
      for (std::uint32_t y = 0; y < surface.level_height(level); ++y)
        for (std::uint32_t x = 0; x < surface.level_width(level); ++x, expected += 2)
          EXPECT_EQ(element_offset(surface, level, slice, x, y), expected);
  EXPECT_EQ(surface.size_bytes(), expected);
  EXPECT_FALSE(element_offset(surface, 0, 0, 5, 0));
  EXPECT_FALSE(element_offset(surface, 0, 2, 0, 0));
  EXPECT_FALSE(element_offset(surface, 3, 0, 0, 0));
}

TEST(Surface, SlicesOfVolumesSamplesAndQuilts) {
  Surface volume = make(SurfaceType::Dim3, "R8_UINT", 4, 4, 2);
  volume.depth = 3;
  ASSERT_TRUE(allocate(volume).ok());
  EXPECT_EQ(volume.size_bytes(), 4u * 4 * 3 + 2 * 2 * 1);
  EXPECT_EQ(element_offset(volume, 0, 2, 1, 3), 2u * 16 + 13);
  Surface samples = make(SurfaceType::Dim2, "R8_UINT", 4, 2);
  samples.samples = 4;
  samples.array = true;
  samples.layers = samples.view_layers = 3;
  ASSERT_TRUE(allocate(samples).ok());
  EXPECT_EQ(element_offset(samples, 0, 2 * 4 + 3, 1, 1), 11u * 8 + 5);
  Surface quilt = make(SurfaceType::Dim2, "R8_UINT", 2, 2);
  quilt.quilt_width = 2;
  quilt.quilt_height = 4;
  ASSERT_TRUE(allocate(quilt).ok());
  EXPECT_EQ(quilt.stored_slices(0), 8u);
  EXPECT_EQ(quilt.size_bytes(), 32u);
}

TEST(Surface, StoreThenFetch) {
  Surface surface = make(SurfaceType::Dim2, "R8G8B8A8_UNORM", 3, 2);
  ASSERT_TRUE(allocate(surface).ok());
  Texel value;
  for (int c = 0; c < 4; ++c) value.set(c, static_cast<float>(c * 51) / 255.0f);
  EXPECT_TRUE(store(surface, 0, 0, 2, 1, value));
  const auto* bytes = surface.memory->data() + 5 * 4;
  EXPECT_EQ(bytes[0], 0);
  EXPECT_EQ(bytes[1], 51);
  EXPECT_EQ(bytes[3], 153);
  EXPECT_EQ(fetch(surface, 0, 0, 2, 1).texel, value);
  EXPECT_FALSE(store(surface, 0, 0, 3, 1, value));
}

TEST(Surface, C22OutsideTheMemoryReadsZero) {
  Surface surface = make(SurfaceType::Dim2, "R8G8B8A8_UNORM", 4, 4);
  ASSERT_TRUE(allocate(surface).ok());
  std::fill(surface.memory->begin(), surface.memory->end(), std::uint8_t{0xFF});
  surface.memory->resize(33);
  EXPECT_FALSE(fetch(surface, 0, 0, 3, 1).outside);
  const Fetched last = fetch(surface, 0, 0, 0, 2);
  EXPECT_TRUE(last.outside);
  EXPECT_EQ(last.texel, Texel{});
  EXPECT_FALSE(store(surface, 0, 0, 0, 2, Texel{}));
  surface.memory.reset();
  EXPECT_TRUE(fetch(surface, 0, 0, 0, 0).outside);
  EXPECT_TRUE(fetch(Surface{}, 3, 9, 0, 0).outside);
}

TEST(Surface, Sur6NullPagesAndTexels) {  // C61
  Surface surface = make(SurfaceType::Dim2, "R8G8B8X8_UNORM", 64, 64);
  surface.null_pages = {3, 1};
  surface.null_texels = {{0, 0, 5, 0}};
  ASSERT_TRUE(allocate(surface).ok());
  std::fill(surface.memory->begin(), surface.memory->end(), std::uint8_t{0xFF});
  // Pages of 4096 bytes are 16 rows of 256 bytes.
  for (std::uint32_t y = 0; y < 64; ++y) {
    const Fetched texel = fetch(surface, 0, 0, 7, y);
    EXPECT_EQ(texel.null_page, y / 16 == 1 || y / 16 == 3);
    EXPECT_EQ(texel.texel.f(0), texel.null_page ? 0.0f : 1.0f);
    EXPECT_EQ(texel.texel.f(3), 1.0f);  // C19: decoded, so the missing alpha is 1
  }
  EXPECT_TRUE(fetch(surface, 0, 0, 5, 0).null_page);
  EXPECT_FALSE(fetch(surface, 0, 0, 6, 0).null_page);
  EXPECT_FALSE(store(surface, 0, 0, 0, 16, Texel{}));  // RTW-21
  EXPECT_FALSE(store(surface, 0, 0, 5, 0, Texel{}));
  EXPECT_EQ((*surface.memory)[5 * 4], 0xFF);
}

TEST(Surface, Sur6NullPagesOfTheLargestElements) {
  Surface surface = make(SurfaceType::Dim2, "R64G64B64A64_FLOAT", 64, 4);
  surface.null_pages = {0, 1};
  ASSERT_TRUE(allocate(surface).ok());
  std::fill(surface.memory->begin(), surface.memory->end(), std::uint8_t{0x3F});
  const Fetched texel = fetch(surface, 0, 0, 1, 1);
  EXPECT_TRUE(texel.null_page);
  for (int c = 0; c < 4; ++c) EXPECT_EQ(texel.texel.f(c), 0.0f) << c;
}

TEST(Surface, Sur6BlocksAreNullByTheirFirstByte) {
  Surface surface = make(SurfaceType::Dim2, "BC1_UNORM", 4096, 8);
  surface.null_pages = {1};
  ASSERT_TRUE(allocate(surface).ok());
  // 1024 blocks of 8 bytes a row: page 1 is the right half of the first row of blocks.
  EXPECT_FALSE(fetch(surface, 0, 0, 2047, 3).null_page);
  EXPECT_TRUE(fetch(surface, 0, 0, 2048, 3).null_page);
  EXPECT_FALSE(fetch(surface, 0, 0, 2048, 4).null_page);
}

TEST(Surface, Sur9VerticalLineStride) {
  Surface surface = make(SurfaceType::Dim2, "R8_UINT", 2, 3);
  surface.vertical_line_stride = true;
  surface.vertical_line_stride_offset = 1;
  ASSERT_TRUE(allocate(surface).ok());
  EXPECT_EQ(surface.size_bytes(), 12u);
  for (std::size_t i = 0; i < 12; ++i) (*surface.memory)[i] = static_cast<std::uint8_t>(i);
  for (std::uint32_t y = 0; y < 3; ++y) EXPECT_EQ(fetch(surface, 0, 0, 1, y).texel.bits[0], (2 * y + 1) * 2 + 1);
}

TEST(Surface, Hw45PlanarSurfacesReplicateChroma) {  // FLT-7
  Surface surface = make(SurfaceType::Dim2, "PLANAR_420_8", 4, 4);
  ASSERT_TRUE(allocate(surface).ok());
  ASSERT_EQ(surface.size_bytes(), 16u + 8u);
  for (std::size_t i = 0; i < 24; ++i) (*surface.memory)[i] = static_cast<std::uint8_t>(10 * i);
  const Texel texel = fetch(surface, 0, 0, 3, 2).texel;
  EXPECT_EQ(texel.f(1), 110.0f / 255.0f);                   // Y of (3, 2)
  EXPECT_EQ(texel.f(2), static_cast<float>(220) / 255.0f);  // U of (1, 1): byte 16 + 4 + 2
  EXPECT_EQ(texel.f(0), static_cast<float>(230) / 255.0f);  // V beside it
  EXPECT_EQ(texel.f(3), 1.0f);
  EXPECT_EQ(fetch(surface, 0, 0, 2, 3).texel.f(0), texel.f(0));
}

TEST(Surface, Hw46PackedPairs) {
  Surface surface = make(SurfaceType::Dim2, "YCRCB_NORMAL", 4, 1);
  ASSERT_TRUE(allocate(surface).ok());
  const std::uint8_t bytes[8] = {10, 20, 30, 40, 50, 60, 70, 80};  // Y0 U Y1 V
  std::copy(std::begin(bytes), std::end(bytes), surface.memory->begin());
  const Texel texel = fetch(surface, 0, 0, 3, 0).texel;
  EXPECT_EQ(texel.f(1), 70.0f / 255.0f);
  EXPECT_EQ(texel.f(2), 60.0f / 255.0f);
  EXPECT_EQ(texel.f(0), 80.0f / 255.0f);
  Texel value;
  value.set(0, 1.0f);
  value.set(1, 1.0f);
  EXPECT_TRUE(store(surface, 0, 0, 0, 0, value));
  EXPECT_EQ((*surface.memory)[0], 255);
  EXPECT_EQ((*surface.memory)[2], 30);
}

TEST(Surface, BuffersHaveEntries) {
  Surface buffer = make(SurfaceType::Buffer, "R32_UINT", 1);
  buffer.entries = 5;
  ASSERT_TRUE(allocate(buffer).ok());
  EXPECT_EQ(buffer.size_bytes(), 20u);
  Texel value;
  value.bits = {77, 0, 0, 0};
  EXPECT_TRUE(store_entry(buffer, 4, value));
  EXPECT_EQ(fetch_entry(buffer, 4).texel.bits[0], 77u);
  EXPECT_TRUE(fetch_entry(buffer, 5).outside);
  Surface structured = make(SurfaceType::StrBuf, "R32_UINT", 1);
  structured.entries = 3;
  structured.structure_size = 24;
  ASSERT_TRUE(allocate(structured).ok());
  EXPECT_EQ(structured.size_bytes(), 52u);
  EXPECT_EQ(entry_offset(structured, 2), 48u);
  Surface raw = make(SurfaceType::Buffer, "RAW", 1);
  raw.entries = 100;
  ASSERT_TRUE(allocate(raw).ok());
  EXPECT_EQ(raw.size_bytes(), 100u);
  EXPECT_EQ(entry_offset(raw, 7), 7u);
}

TEST(Surface, StateIsChecked) {
  Surface good = make(SurfaceType::Dim2, "R8G8B8A8_UNORM", 8, 8);
  EXPECT_EQ(failure(good), "");
  Surface s = good;
  s.width = 0;
  EXPECT_EQ(failure(s), "surface-size");
  s = good, s.width = 16385;
  EXPECT_EQ(failure(s), "surface-size");
  s = good, s.format = static_cast<Format>(0x1FE);
  EXPECT_EQ(failure(s), "surface-format");
  s = good, s.format = find_format("P8_UNORM_PALETTE0")->format;
  EXPECT_EQ(failure(s), "NUM-28");
  s = good, s.corner_texel = true;
  EXPECT_EQ(failure(s), "SUR-8");
  s = good, s.type = SurfaceType::Cube, s.height = 4;
  EXPECT_EQ(failure(s), "HW-3");
  s = good, s.samples = 3;
  EXPECT_EQ(failure(s), "surface-samples");
  s = good, s.samples = 4, s.levels = 2;
  EXPECT_EQ(failure(s), "HW-5");
  s = good, s.vertical_line_stride = true, s.array = true;
  EXPECT_EQ(failure(s), "SUR-9");
  s = good, s.quilt_width = 3;
  EXPECT_EQ(failure(s), "HW-7");
  s = good, s.format = find_format("YCRCB_NORMAL")->format, s.width = 7;
  EXPECT_EQ(failure(s), "HW-46");
  s = good, s.format = find_format("PLANAR_420_8")->format, s.levels = 2;
  EXPECT_EQ(failure(s), "HW-45");
  s = good, s.samples = 4,
  s.mcs = std::make_shared<std::vector<std::vector<std::uint8_t>>>(1, std::vector<std::uint8_t>(3));
  EXPECT_EQ(failure(s), "LD-6");
  s = good, s.type = SurfaceType::Dim3, s.array = true;
  EXPECT_EQ(failure(s), "surface-array");
  s = good, s.type = SurfaceType::Cube, s.cube_faces = 64;
  EXPECT_EQ(failure(s), "surface-cube-faces");
  s = good, s.levels = 0;
  EXPECT_EQ(failure(s), "surface-levels");
  s = good, s.null_page_bytes = 3000;
  EXPECT_EQ(failure(s), "surface-null-page");
  s = good, s.palette_index = 8;
  EXPECT_EQ(failure(s), "surface-palette");
  s = good, s.rotation = 45;
  EXPECT_EQ(failure(s), "surface-rotation");
  s = good, s.resource_min_lod = 0x1000;
  EXPECT_EQ(failure(s), "NUM-70");
  s = good, s.base_mip_level = 32;
  EXPECT_EQ(failure(s), "NUM-72");
  s = make(SurfaceType::Buffer, "R8_UINT", 1), s.entries = 4, s.structure_size = (1u << 18) + 1;
  EXPECT_EQ(failure(s), "surface-pitch");
  s = Surface{}, s.type = SurfaceType::Null, s.width = 0;
  EXPECT_EQ(failure(s), "");
}

TEST(Surface, LimitsAreKept) {
  Surface huge = make(SurfaceType::Dim2, "R32G32B32A32_FLOAT", 16384, 16384);
  huge.array = true;
  huge.layers = huge.view_layers = 2048;
  const auto result = allocate(huge);
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.diagnostics()[0].id, "limit-surface");
  EXPECT_TRUE(result.diagnostics()[0].is_limit);
  EXPECT_TRUE(lay_out(huge).ok());
}

TEST(Surface, FetchGoesThroughTiles) {
  for (TileMode mode : {TileMode::X, TileMode::Y, TileMode::Tile4, TileMode::Tile64, TileMode::Yf, TileMode::Ys}) {
    Surface packed = make(SurfaceType::Dim2, "R8G8B8A8_UINT", 70, 41, 5);
    packed.array = true;
    packed.layers = packed.view_layers = 3;
    ASSERT_TRUE(allocate(packed).ok());
    for (std::size_t i = 0; i < packed.memory->size(); ++i)
      (*packed.memory)[i] = static_cast<std::uint8_t>(i * 7 + i / 251);
    auto tiled = hardware::retile(packed, mode);
    ASSERT_TRUE(tiled.ok());
    for (std::uint32_t level = 0; level < 5; ++level)
      for (std::uint32_t slice = 0; slice < 3; ++slice)
        for (std::uint32_t y = 0; y < packed.level_height(level); ++y)
          for (std::uint32_t x = 0; x < packed.level_width(level); ++x)
            ASSERT_EQ(fetch(*tiled, level, slice, x, y).texel, fetch(packed, level, slice, x, y).texel)
                << hardware::tile_mode_name(mode);
    auto back = hardware::retile(*tiled, TileMode::Linear);
    ASSERT_TRUE(back.ok());
    EXPECT_EQ(*back->memory, *packed.memory);
  }
}

TEST(Surface, TiledVolumesSamplesAndPlanes) {
  Surface volume = make(SurfaceType::Dim3, "R32_UINT", 40, 20, 3);
  volume.depth = 19;
  Surface samples = make(SurfaceType::Dim2, "R32_UINT", 40, 20);
  samples.samples = 8;
  samples.array = true;
  samples.layers = samples.view_layers = 2;
  Surface stencil = make(SurfaceType::Dim2, "R8_UINT", 21, 13);
  stencil.samples = 16;
  Surface blocks = make(SurfaceType::Dim2, "BC1_UNORM", 70, 70, 4);
  Surface planar = make(SurfaceType::Dim2, "PLANAR_420_8", 50, 22);
  for (Surface* packed : {&volume, &samples, &stencil, &blocks, &planar}) {
    ASSERT_TRUE(allocate(*packed).ok());
    for (std::size_t i = 0; i < packed->memory->size(); ++i)
      (*packed->memory)[i] = static_cast<std::uint8_t>(i * 13 + i / 509);
    for (TileMode mode : {TileMode::Y, TileMode::Tile4, TileMode::Tile64}) {
      if (packed == &planar && mode == TileMode::Tile64) continue;
      auto tiled = hardware::retile(*packed, mode);
      ASSERT_TRUE(tiled.ok());
      for (std::uint32_t level = 0; level < packed->levels; ++level)
        for (std::uint32_t slice = 0; slice < packed->layout[level].slices; ++slice)
          for (std::uint32_t y = 0; y < packed->level_height(level); ++y)
            for (std::uint32_t x = 0; x < packed->level_width(level); ++x)
              ASSERT_EQ(fetch(*tiled, level, slice, x, y).texel, fetch(*packed, level, slice, x, y).texel)
                  << hardware::tile_mode_name(mode) << " level " << level << " slice " << slice << " at " << x << ","
                  << y;
      auto back = hardware::retile(*tiled, TileMode::Linear);
      ASSERT_TRUE(back.ok());
      EXPECT_EQ(*back->memory, *packed->memory);
    }
  }
}

TEST(Layout, Hw30LevelsBesideAndBelow) {
  Surface surface = make(SurfaceType::Dim2, "R8G8B8A8_UNORM", 100, 60, 5);
  surface.tile_mode = TileMode::Y;
  ASSERT_TRUE(lay_out(surface).ok());
  // w, h aligned to 4: 100x60, 52x32 (50x30), 28x16 (25x15), 12x8 (12x7), 8x4 (6x3).
  const std::uint64_t expected[5][2] = {{0, 0}, {0, 60}, {52, 60}, {52, 76}, {52, 84}};
  for (std::uint32_t level = 0; level < 5; ++level) {
    EXPECT_EQ(surface.layout[level].column, expected[level][0] * 4);
    EXPECT_EQ(surface.layout[level].row, expected[level][1]);
  }
  EXPECT_EQ(surface.qpitch, 92u);
  EXPECT_EQ(surface.pitch, 512u);
}

TEST(Layout, Hw30LinesPutLevelsOneAfterTheOther) {
  Surface surface = make(SurfaceType::Dim1, "R32_FLOAT", 10, 1, 3);
  surface.array = true;
  surface.layers = surface.view_layers = 2;
  ASSERT_TRUE(hardware::lay_out_levels(surface).ok());
  EXPECT_EQ(surface.layout[1].offset, 12u * 4);
  EXPECT_EQ(surface.layout[2].offset, 20u * 4);
  EXPECT_EQ(element_offset(surface, 1, 1, 3, 0), (24u + 12 + 3) * 4);
}

TEST(Layout, Hw31InterleavedSamples) {
  Surface depth = make(SurfaceType::Dim2, "R32_FLOAT", 16, 8);
  depth.samples = 4;
  depth.interleaved_samples = true;
  depth.tile_mode = TileMode::Y;
  ASSERT_TRUE(lay_out(depth).ok());
  // Sample 1 of pixel (1, 0) is at x' = 3, sample 2 of pixel (0, 1) at y' = 3.
  hardware::TileAddress at;
  at.mode = TileMode::Y;
  at.pitch = depth.pitch;
  at.u = 3 * 4;
  EXPECT_EQ(element_offset(depth, 0, 1, 1, 0), hardware::tile_offset(at));
  at.u = 0, at.v = 3;
  EXPECT_EQ(element_offset(depth, 0, 2, 0, 1), hardware::tile_offset(at));
  std::vector<std::uint64_t> seen;
  for (std::uint32_t s = 0; s < 4; ++s)
    for (std::uint32_t y = 0; y < 8; ++y)
      for (std::uint32_t x = 0; x < 16; ++x) seen.push_back(*element_offset(depth, 0, s, x, y));
  std::ranges::sort(seen);
  EXPECT_EQ(std::ranges::adjacent_find(seen), seen.end());
  EXPECT_LT(seen.back(), depth.bytes);
}

TEST(Layout, Hw44MipTail) {
  Surface surface = make(SurfaceType::Dim2, "R8G8B8A8_UNORM", 256, 256, 6);
  surface.tile_mode = TileMode::Ys;
  hardware::LayoutState layout_state;
  layout_state.mip_tail_start = 2;
  ASSERT_TRUE(hardware::lay_out_levels(surface, layout_state).ok());
  // Tiles of 128 x 128 texels: level 1 under level 0, the tail beside level 1.
  EXPECT_EQ(surface.layout[1].row, 256u);
  EXPECT_EQ(surface.layout[2].column, (128u + 64u) * 4);
  EXPECT_EQ(surface.layout[2].row, 256u);
  EXPECT_EQ(surface.layout[3].column, 128u * 4);
  EXPECT_EQ(surface.layout[3].row, 256u + 64);
  EXPECT_EQ(surface.layout[5].row, 256u + 32);
  surface.tile_mode = TileMode::Y;
  EXPECT_EQ(hardware::lay_out_levels(surface, layout_state).diagnostics()[0].id, "HW-44");
}

TEST(Layout, RefusalsNameTheRule) {
  Surface surface = make(SurfaceType::Dim2, "R32G32B32_FLOAT", 16, 16);
  surface.tile_mode = TileMode::Tile64;
  EXPECT_EQ(lay_out(surface).diagnostics()[0].id, "HW-42");
  surface.tile_mode = TileMode::Tile4;
  EXPECT_TRUE(lay_out(surface).ok());
  surface = make(SurfaceType::Dim1, "R8_UINT", 16);
  surface.tile_mode = TileMode::X;
  EXPECT_EQ(lay_out(surface).diagnostics()[0].id, "HW-30");
}

TEST(Mips, OddSizesAreWeightedExactly) {
  Surface surface = make(SurfaceType::Dim2, "R32_FLOAT", 5, 3, 3);
  ASSERT_TRUE(allocate(surface).ok());
  for (std::uint32_t y = 0; y < 3; ++y)
    for (std::uint32_t x = 0; x < 5; ++x) {
      Texel value;
      value.set(0, static_cast<float>(x * x + 10 * y));
      store(surface, 0, 0, x, y, value);
    }
  ASSERT_TRUE(generate_mips(surface).ok());
  // Two texels over five: [0, 2.5) and [2.5, 5). Rows: all three.
  const double left = (0 + 1 + 0.5 * 4) / 2.5 + 10, right = (0.5 * 4 + 9 + 16) / 2.5 + 10;
  EXPECT_FLOAT_EQ(fetch(surface, 1, 0, 0, 0).texel.f(0), static_cast<float>(left));
  EXPECT_FLOAT_EQ(fetch(surface, 1, 0, 1, 0).texel.f(0), static_cast<float>(right));
  EXPECT_FLOAT_EQ(fetch(surface, 2, 0, 0, 0).texel.f(0), static_cast<float>(30.0 / 5 + 10));
}

TEST(Mips, SrgbIsAveragedInLinearLight) {
  Surface surface = make(SurfaceType::Dim2, "R8G8B8A8_UNORM_SRGB", 2, 2, 2);
  ASSERT_TRUE(allocate(surface).ok());
  for (std::size_t i = 0; i < 8; ++i) (*surface.memory)[i] = 255;  // the upper row is white
  ASSERT_TRUE(generate_mips(surface).ok());
  EXPECT_EQ((*surface.memory)[16], 188);  // sRGB of 0.5
  EXPECT_EQ((*surface.memory)[19], 128);  // alpha is linear
}

TEST(Mips, IntegersHaveNoMean) {
  Surface surface = make(SurfaceType::Dim2, "R8_UINT", 2, 2, 2);
  ASSERT_TRUE(allocate(surface).ok());
  EXPECT_EQ(generate_mips(surface).diagnostics()[0].id, "surface-mips");
}

}  // namespace
}  // namespace heddle::image
