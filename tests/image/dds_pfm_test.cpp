// SPDX-License-Identifier: MIT
// DDS and PFM files.

#include <gtest/gtest.h>

#include <string_view>

#include "base/byte_cursor.hpp"
#include "files_support.hpp"

namespace heddle::image {
namespace {

using namespace files_test;

TEST(Dds, CubeWithMipsIsReordered) {
  // 4x4 BC1 faces with 3 levels of one block each: 6 faces * 3 * 8 bytes.
  const ByteList bytes = dds(4, 4, 0, 3, 4, kDx10, {}, 0, {71, 3, 4, 1, 0}, 6 * 3 * 8);
  const Surface surface = decoded(bytes);
  EXPECT_EQ(surface.type, SurfaceType::Cube);
  EXPECT_EQ(surface.layers, 6u);
  EXPECT_EQ(surface.levels, 3u);
  for (std::uint32_t face = 0; face < 6; ++face)
    for (std::uint32_t level = 0; level < 3; ++level) {
      const auto at = element_offset(surface, level, face, 0, 0);
      ASSERT_TRUE(at.has_value());
      EXPECT_EQ((*surface.memory)[*at], bytes[148 + (face * 3 + level) * 8]);
    }
}

TEST(Dds, ArraysVolumesAndLines) {
  const Surface array = decoded(dds(3, 2, 0, 1, 4, kDx10, {}, 0, {28, 3, 0, 4, 0}, 3 * 2 * 4 * 4));
  EXPECT_TRUE(array.array);
  EXPECT_EQ(array.view_layers, 4u);
  const Surface volume = decoded(dds(4, 4, 4, 3, 4, kDx10, {}, 0, {61, 4, 0, 1, 0}, 64 + 8 + 1));
  EXPECT_EQ(volume.type, SurfaceType::Dim3);
  EXPECT_EQ(volume.depth, 4u);
  EXPECT_EQ(volume.memory->size(), 73u);
  EXPECT_EQ((*volume.memory)[64], static_cast<std::uint8_t>(64 * 7 + 1));
  const Surface line = decoded(dds(5, 1, 0, 1, 4, kDx10, {}, 0, {41, 2, 0, 1, 0}, 20));
  EXPECT_EQ(line.type, SurfaceType::Dim1);
  const Surface legacy_volume = decoded(dds(2, 2, 2, 1, 0x20000, 0, {8, 0xff, 0, 0, 0}, 0x200000, {}, 8));
  EXPECT_EQ(legacy_volume.type, SurfaceType::Dim3);
  EXPECT_EQ(legacy_volume.format, Format::L8_UNORM);
  const Surface legacy_cube = decoded(dds(2, 2, 0, 2, 4, 0x31545844, {}, 0xfe00, {}, 6 * 2 * 8));
  EXPECT_EQ(legacy_cube.type, SurfaceType::Cube);
  EXPECT_EQ(legacy_cube.format, Format::BC1_UNORM);
}

TEST(Dds, LegacyMasks) {
  const auto format = [](std::uint32_t flags, std::array<std::uint32_t, 5> masks) {
    return decoded(dds(1, 1, 0, 0, flags, 0, masks, 0, {}, 16)).format;
  };
  EXPECT_EQ(format(0x41, {32, 0xff0000, 0xff00, 0xff, 0xff000000}), Format::B8G8R8A8_UNORM);
  EXPECT_EQ(format(0x40, {32, 0xff0000, 0xff00, 0xff, 0}), Format::B8G8R8X8_UNORM);
  EXPECT_EQ(format(0x41, {16, 0xf00, 0xf0, 0xf, 0xf000}), Format::B4G4R4A4_UNORM);
  EXPECT_EQ(format(0x40, {16, 0xf800, 0x7e0, 0x1f, 0}), Format::B5G6R5_UNORM);
  EXPECT_EQ(format(0x20001, {16, 0xff, 0, 0, 0xff00}), Format::L8A8_UNORM);
  EXPECT_EQ(format(0x2, {8, 0, 0, 0, 0xff}), Format::A8_UNORM);
  EXPECT_EQ(format(0x80000, {16, 0xff, 0xff00, 0, 0}), Format::R8G8_SNORM);
  const Surface bgr = decoded(dds(2, 1, 0, 0, 0x40, 0, {24, 0xff0000, 0xff00, 0xff, 0}, 0, {}, 6));
  EXPECT_EQ(bgr.format, Format::R8G8B8_UNORM);
  EXPECT_EQ(*bgr.memory, (ByteList{15, 8, 1, 36, 29, 22}));
  EXPECT_EQ(refused(dds(1, 1, 0, 0, 0x40, 0, {32, 5, 2, 8, 0}, 0, {}, 16)).id, "dds-format");
}

TEST(Dds, RefusalsNameTheField) {
  EXPECT_EQ(refused(dds(4, 4, 0, 1, 4, kDx10, {}, 0, {28, 3, 0, 1, 0}, 63)).id, "dds-data");
  EXPECT_EQ(refused(dds(4, 4, 0, 1, 4, kDx10, {}, 0, {28, 3, 0, 1, 0}, 63)).place.offset, 148u);
  EXPECT_EQ(refused(dds(4, 4, 0, 1, 4, kDx10, {}, 0, {66, 3, 0, 1, 0}, 64)).place.offset, 128u);
  EXPECT_EQ(refused(dds(0, 4, 0, 1, 4, kDx10, {}, 0, {28, 3, 0, 1, 0}, 64)).id, "dds-header");
  EXPECT_EQ(refused(dds(4, 4, 0, 1, 4, kDx10, {}, 0, {28, 3, 0, 0xffffffff, 0}, 64)).id, "dds-header");
  EXPECT_EQ(refused(dds(4, 4, 0, 1, 4, 0x12345678, {}, 0, {}, 64)).id, "dds-format");
  EXPECT_EQ(refused(dds(0xffffffff, 0xffffffff, 0, 1, 4, kDx10, {}, 0, {2, 3, 0, 1, 0}, 64)).id, "surface-size");
}

TEST(Pfm, BothOrdersAndBothKinds) {
  base::ByteWriter big;
  big.bytes(std::string_view("Pf\n2 2\n1.0\n"));
  for (const std::uint8_t byte : {0x3f, 0x80, 0, 0, 0x40, 0, 0, 0, 0xbf, 0x80, 0, 0, 0x7f, 0xc0, 0, 1}) big.u8(byte);
  const Surface gray = decoded(big.data());
  EXPECT_EQ(gray.format, Format::R32_FLOAT);
  EXPECT_EQ(fetch(gray, 0, 0, 0, 1).texel.f(0), 1.0f);  // the first row is the lowest
  EXPECT_EQ(fetch(gray, 0, 0, 1, 0).texel.bits[0], 0x7fc00001u);
  const Surface color = make(Format::R32G32B32A32_FLOAT, 5, 4);
  base::Diagnostics notes;
  const auto bytes = encode_image(color, FileKind::Pfm, {}, &notes);
  ASSERT_TRUE(bytes.ok());
  ASSERT_EQ(notes.all().size(), 1u);
  EXPECT_EQ(notes.all()[0].id, "pfm-format");  // alpha is left out
  const Surface back = decoded(*bytes);
  EXPECT_EQ(back.format, Format::R32G32B32A32_FLOAT);
  for (std::uint32_t y = 0; y < 4; ++y)
    for (std::uint32_t x = 0; x < 5; ++x) {
      for (std::size_t c = 0; c < 3; ++c)
        EXPECT_EQ(fetch(back, 0, 0, x, y).texel.bits[c], fetch(color, 0, 0, x, y).texel.bits[c]);
      EXPECT_EQ(fetch(back, 0, 0, x, y).texel.f(3), 1.0f);
    }
}

TEST(Pfm, Refusals) {
  const auto text = [](std::string_view t) { return ByteList(t.begin(), t.end()); };
  EXPECT_EQ(refused(text("PFx")).id, "pfm-header");
  EXPECT_EQ(refused(text("PF")).id, "pfm-header");
  EXPECT_EQ(refused(text("PF\n0 1\n-1\n")).place.offset, 3u);
  EXPECT_EQ(refused(text("PF\n1 x\n-1\n")).place.offset, 5u);
  EXPECT_EQ(refused(text("PF\n1 99999999999\n-1\n")).id, "pfm-header");
  EXPECT_EQ(refused(text("PF\n1 1\n0\n")).id, "pfm-header");
  EXPECT_EQ(refused(text("PF\n1 1\nnan\n")).id, "pfm-header");
  EXPECT_EQ(refused(text("PF\n1 1\n-1")).id, "pfm-header");
  EXPECT_EQ(refused(text("PF\n1 1\n-1\n12345678901")).id, "pfm-data");
  EXPECT_EQ(refused(text("PF\n4000000000 4000000000\n-1\n12345678901")).id, "pfm-data");
}

}  // namespace
}  // namespace heddle::image
