// SPDX-License-Identifier: MIT
// OpenEXR: round trips, files of the library, headers that are wrong in chosen ways.

#include <gtest/gtest.h>

#include <string_view>

#include "base/byte_cursor.hpp"
#include "base/half.hpp"
#include "exr_support.hpp"

namespace heddle::image {
namespace {

using namespace files_test;

TEST(Exr, FloatFormatsComeBackBitForBit) {
  for (const Format format :
       {Format::R32G32B32A32_FLOAT, Format::R32G32_FLOAT, Format::R32_FLOAT, Format::R16G16B16A16_FLOAT,
        Format::R16G16_FLOAT, Format::R16_FLOAT, Format::R32G32B32A32_UINT, Format::R32_UINT}) {
    Surface surface = make(format, 33, 17);
    if (surface.info().channels[0].bits == 16)  // a NaN loses nothing but its signaling bit
      for (std::size_t i = 1; i < surface.memory->size(); i += 2) (*surface.memory)[i] &= 0xbf;
    const auto bytes = encode_image(surface, FileKind::Exr);
    ASSERT_TRUE(bytes.ok());
    const Surface back = decoded(*bytes);
    EXPECT_EQ(back.format, format);
    EXPECT_EQ(*back.memory, *surface.memory);
  }
}

TEST(Exr, OtherFormatsBecomeTheNearestExactOne) {
  Surface rgb = make(Format::R11G11B10_FLOAT, 3, 2);
  *rgb.memory = ByteList(rgb.memory->size(), 0x31);
  const auto bytes = encode_image(rgb, FileKind::Exr);
  ASSERT_TRUE(bytes.ok());
  const Surface back = decoded(*bytes);
  EXPECT_EQ(back.format, Format::R16G16B16A16_FLOAT);  // a missing alpha is 1
  for (std::uint32_t x = 0; x < 3; ++x) EXPECT_EQ(fetch(back, 0, 0, x, 1).texel, fetch(rgb, 0, 0, x, 1).texel);
  const Surface gray = make(Format::L16A16_UNORM, 2, 2);
  const auto gray_bytes = encode_image(gray, FileKind::Exr);
  ASSERT_TRUE(gray_bytes.ok());
  const Surface gray_back = decoded(*gray_bytes);
  EXPECT_EQ(gray_back.format, Format::R32G32B32A32_FLOAT);
  EXPECT_EQ(fetch(gray_back, 0, 0, 1, 1).texel, fetch(gray, 0, 0, 1, 1).texel);
}

/// A header of our own, to be wrong in chosen ways.
ByteList exr_header(std::array<std::int32_t, 4> window, std::uint32_t version = 2, std::int32_t sampling = 1) {
  base::ByteWriter writer;
  const auto attribute = [&](std::string_view name, std::string_view type, std::uint32_t size) {
    writer.bytes(name);
    writer.u8(0);
    writer.bytes(type);
    writer.u8(0);
    writer.u32(size);
  };
  writer.u32(20000630);
  writer.u32(version);
  attribute("channels", "chlist", 19);
  writer.bytes(std::string_view("R\0", 2));
  writer.u32(2);
  writer.u32(0);
  writer.u32(static_cast<std::uint32_t>(sampling));
  writer.u32(static_cast<std::uint32_t>(sampling));
  writer.u8(0);
  for (const std::string_view name : {"dataWindow", "displayWindow"}) {
    attribute(name, "box2i", 16);
    for (const std::int32_t v : window) writer.u32(static_cast<std::uint32_t>(v));
  }
  attribute("compression", "compression", 1);
  writer.u8(0);
  attribute("lineOrder", "lineOrder", 1);
  writer.u8(0);
  attribute("pixelAspectRatio", "float", 4);
  writer.u32(0x3f800000);
  attribute("screenWindowCenter", "v2f", 8);
  writer.u64(0);
  attribute("screenWindowWidth", "float", 4);
  writer.u32(0x3f800000);
  writer.u8(0);
  return writer.take();
}

TEST(Exr, WindowsNeedNotStartAtZero) {
  ByteList bytes = exr_header({-5, -7, -4, -6});  // 2 x 2 at (-5, -7)
  const std::size_t table = bytes.size();
  base::ByteWriter rest;
  rest.u64(table + 16);
  rest.u64(table + 16 + 16);
  for (std::int32_t y = -7; y <= -6; ++y) {
    rest.u32(static_cast<std::uint32_t>(y));
    rest.u32(8);
    rest.u32(base::bits_of(static_cast<float>(y)));
    rest.u32(base::bits_of(static_cast<float>(y) * 10));
  }
  bytes.insert(bytes.end(), rest.data().begin(), rest.data().end());
  const Surface surface = decoded(bytes);
  EXPECT_EQ(surface.format, Format::R32_FLOAT);
  EXPECT_EQ(fetch(surface, 0, 0, 0, 0).texel.f(0), -7.0f);
  EXPECT_EQ(fetch(surface, 0, 0, 1, 1).texel.f(0), -60.0f);
}

TEST(Exr, FilesOfTheLibrary) {
  for (const bool tiled : {false, true})
    for (int compression = 0; compression < 5; ++compression)  // none, RLE, ZIPS, ZIP, PIZ
    {
      const Surface surface = decoded(library_exr(tiled, compression));
      ASSERT_EQ(surface.format, Format::R32_FLOAT);
      for (std::uint32_t y = 0; y < 37; ++y)
        for (std::uint32_t x = 0; x < 45; ++x)
          ASSERT_EQ(fetch(surface, 0, 0, x, y).texel.f(0), static_cast<float>(y * 45 + x));
    }
}

TEST(Exr, RefusesBeforeAllocating) {
  EXPECT_EQ(refused(exr_header({0, 0, 0x7ffffffe, 0x7ffffffe})).id, "exr-header");
  EXPECT_EQ(refused(exr_header({-0x7fffffff, 0, 0x7fffffff, 1})).id, "exr-header");
  EXPECT_EQ(refused(exr_header({5, 5, 4, 4})).id, "exr-header");
  EXPECT_EQ(refused(exr_header({0, 0, 15, 999999})).id, "exr-header");  // more chunks than bytes
  EXPECT_EQ(refused(exr_header({0, 0, 3, 3}, 3)).place.offset, 4u);
  for (const std::int32_t sampling : {0, -1, 17, 0x7fffffff})
    EXPECT_EQ(refused(exr_header({0, 0, 3, 3}, 2, sampling)).id, "exr-format") << sampling;
  EXPECT_EQ(refused(exr_header({0, 0, 3, 3}, 2, 3)).id, "exr-header");          // 4 texels, a sample for 3
  EXPECT_EQ(refused(exr_header({1, 0, 4, 3}, 2, 2)).id, "exr-header");          // the corner has no sample
  EXPECT_EQ(refused(exr_header({0, 0, 3, 3}, 2, 2)).id, "exr-data");            // no chunks follow
  EXPECT_EQ(refused(exr_header({0, 0, 3, 3}, 2 | 0x200, 2)).id, "exr-header");  // tiled
  EXPECT_EQ(refused(exr_header({0, 0, 3, 3})).id, "exr-data");                  // no chunks follow
  base::Limits limits;
  limits.surface_bytes = 10;
  EXPECT_EQ(refused(exr_header({0, 0, 3, 3}), limits).id, "limit-surface");
}

}  // namespace
}  // namespace heddle::image
