// DDS: D3DFORMAT numbers, typeless formats, masks in any order, 4:2:2.

#include <gtest/gtest.h>

#include <cmath>

#include "files_support.hpp"

namespace heddle::image {
namespace {

using namespace files_test;

/// A file of one row whose texels are `texels`; `code` is a FourCC or D3DFORMAT number, 0: masks.
ByteList row(std::uint32_t width, std::uint32_t flags, std::uint32_t code, std::array<std::uint32_t, 5> masks,
             const ByteList& texels) {
  ByteList bytes = dds(width, 1, 0, 1, flags, code, masks, 0, {}, 0);
  bytes.insert(bytes.end(), texels.begin(), texels.end());
  return bytes;
}

/// One texel decoded, channel by channel, times `top`, rounded.
std::array<int, 4> codes(const Surface& surface, std::array<int, 4> top, std::uint32_t x = 0) {
  const Texel texel = fetch(surface, 0, 0, x, 0).texel;
  std::array<int, 4> result{};
  for (std::size_t c = 0; c < 4; ++c)
    result[c] = static_cast<int>(std::lround(texel.f(static_cast<int>(c)) * static_cast<float>(top[c])));
  return result;
}

using Codes = std::array<int, 4>;

TEST(DdsFormats, D3dFormatNumbers) {
  struct Case {
    std::uint32_t number;
    Format format;
    ByteList texel;
    Codes top, codes;
  };
  const Codes eight{255, 255, 255, 255}, four{15, 15, 15, 15}, five{31, 31, 31, 1};
  const Case cases[] = {
      {20, Format::R8G8B8_UNORM, {1, 2, 3}, eight, {3, 2, 1, 255}},
      {21, Format::B8G8R8A8_UNORM, {1, 2, 3, 4}, eight, {3, 2, 1, 4}},
      {22, Format::B8G8R8X8_UNORM, {1, 2, 3, 4}, eight, {3, 2, 1, 255}},
      {23, Format::B5G6R5_UNORM, {0x43, 0x08}, {31, 63, 31, 1}, {1, 2, 3, 1}},
      {24, Format::B5G5R5X1_UNORM, {0x43, 0x04}, five, {1, 2, 3, 1}},
      {25, Format::B5G5R5A1_UNORM, {0x43, 0x04}, five, {1, 2, 3, 0}},
      {26, Format::B4G4R4A4_UNORM, {0x34, 0x12}, four, {2, 3, 4, 1}},
      {30, Format::B4G4R4A4_UNORM, {0x34, 0x12}, four, {2, 3, 4, 15}},
      {31, Format::R10G10B10A2_UNORM, {1, 8, 0x30, 0x40}, {1023, 1023, 1023, 3}, {1, 2, 3, 1}},
      {32, Format::R8G8B8A8_UNORM, {1, 2, 3, 4}, eight, {1, 2, 3, 4}},
      {34, Format::R16G16_UNORM, {1, 0, 2, 0}, {65535, 65535, 1, 1}, {1, 2, 0, 1}},
      {35, Format::B10G10R10A2_UNORM, {1, 8, 0x30, 0x40}, {1023, 1023, 1023, 3}, {3, 2, 1, 1}},
      {50, Format::L8_UNORM, {9}, eight, {9, 9, 9, 255}},
      {51, Format::L8A8_UNORM, {9, 8}, eight, {9, 9, 9, 8}},
      {52, Format::B4G4R4A4_UNORM, {0x9c}, four, {12, 12, 12, 9}},
      {60, Format::R8G8_SNORM, {0x7f, 0x81}, {127, 127, 1, 1}, {127, -127, 0, 1}},
      {81, Format::L16_UNORM, {1, 2}, {65535, 65535, 65535, 1}, {513, 513, 513, 1}},
  };
  for (const Case& c : cases) {
    const Surface surface = decoded(row(1, 4, c.number, {}, c.texel));
    EXPECT_EQ(surface.format, c.format) << c.number;
    EXPECT_EQ(codes(surface, c.top), c.codes) << c.number;
  }
  const base::Diagnostic palette = refused(row(1, 4, 41, {}, {1}));
  EXPECT_EQ(palette.id, "dds-format");
  EXPECT_EQ(palette.message, "D3DFORMAT 41 has no surface format");
  EXPECT_EQ(refused(row(1, 4, 0x31435445, {}, {1})).message, "FourCC 'ETC1' has no surface format");
  EXPECT_NE(refused(row(1, 0x20, 0, {8, 0, 0, 0, 0}, {1})).message.find("palette"), std::string::npos);
}

TEST(DdsFormats, MasksInAnyOrder) {
  struct Case {
    std::uint32_t flags;
    std::array<std::uint32_t, 5> masks;
    ByteList texel;
    Codes top, codes;
  };
  const Codes eight{255, 255, 255, 255}, four{15, 15, 15, 15};
  const Case cases[] = {
      {0x41, {32, 0xff000000, 0xff0000, 0xff00, 0xff}, {1, 2, 3, 4}, eight, {4, 3, 2, 1}},
      {0x40, {32, 0xff000000, 0xff0000, 0xff00, 0}, {1, 2, 3, 4}, eight, {4, 3, 2, 255}},
      {0x40, {24, 0xff0000, 0xff00, 0xff, 0}, {1, 2, 3}, eight, {3, 2, 1, 255}},
      {0x40, {16, 0xf00, 0xf0, 0xf, 0}, {0x34, 0x12}, four, {2, 3, 4, 15}},
      {0x41, {16, 0xf, 0xf0, 0xf00, 0xf000}, {0x34, 0x12}, four, {4, 3, 2, 1}},
      {0x40, {16, 0x1f, 0x7e0, 0xf800, 0}, {0x43, 0x08}, {31, 63, 31, 1}, {3, 2, 1, 1}},
      {0x20001, {8, 0xf, 0, 0, 0xf0}, {0x9c}, four, {12, 12, 12, 9}},
  };
  for (const Case& c : cases) EXPECT_EQ(codes(decoded(row(1, c.flags, 0, c.masks, c.texel)), c.top), c.codes);
  // Holes, widths that no format has, bits outside of the texel, no mask at all.
  EXPECT_EQ(refused(row(1, 0x40, 0, {16, 0xf0f, 0xf0, 0, 0}, {1, 2})).id, "dds-format");
  EXPECT_EQ(refused(row(1, 0x40, 0, {8, 0xe0, 0x1c, 3, 0}, {1})).id, "dds-format");
  EXPECT_EQ(refused(row(1, 0x41, 0, {8, 0xff, 0xff00, 0xff0000, 0xff000000}, {1})).id, "dds-format");
  EXPECT_EQ(refused(row(1, 0x40, 0, {32, 0, 0, 0, 0}, {1, 2, 3, 4})).id, "dds-format");
}

TEST(DdsFormats, TypelessIsReadAsUnormOrFloat) {
  const auto format = [](std::uint32_t dxgi) {
    base::Diagnostics notes;
    const auto result = decode_image(dds(4, 4, 0, 1, 4, kDx10, {}, 0, {dxgi, 3, 0, 1, 0}, 256), "file", {}, {}, &notes);
    EXPECT_TRUE(result.ok()) << dxgi;
    EXPECT_EQ(notes.all().size(), 1u) << dxgi;
    if (!notes.all().empty()) {
      EXPECT_EQ(notes.all()[0].place.offset, 128u);
    }
    return result.ok() ? result->format : Format::RAW;
  };
  const std::pair<std::uint32_t, Format> typeless[] = {
      {1, Format::R32G32B32A32_FLOAT}, {9, Format::R16G16B16A16_UNORM}, {23, Format::R10G10B10A2_UNORM},
      {27, Format::R8G8B8A8_UNORM},    {39, Format::R32_FLOAT},         {48, Format::R8G8_UNORM},
      {60, Format::R8_UNORM},          {70, Format::BC1_UNORM},         {73, Format::BC2_UNORM},
      {76, Format::BC3_UNORM},         {79, Format::BC4_UNORM},         {82, Format::BC5_UNORM},
      {90, Format::B8G8R8A8_UNORM},    {92, Format::B8G8R8X8_UNORM},    {94, Format::BC6H_UF16},
      {97, Format::BC7_UNORM}};
  for (const auto& [dxgi, expected] : typeless) EXPECT_EQ(format(dxgi), expected) << dxgi;
}

TEST(DdsFormats, EveryDxgiFormatIsReadOrRefusedByNumber) {
  unsigned readable = 0;
  for (std::uint32_t dxgi = 0; dxgi <= 191; ++dxgi) {
    const auto result = decode_image(dds(4, 4, 0, 1, 4, kDx10, {}, 0, {dxgi, 3, 0, 1, 0}, 256), "file");
    if (result.ok()) {
      ++readable;
      continue;
    }
    const base::Diagnostic& d = result.diagnostics()[0];
    EXPECT_EQ(d.id, "dds-format") << dxgi;
    EXPECT_EQ(d.place.offset, 128u) << dxgi;
    EXPECT_NE(d.message.find(std::to_string(dxgi)), std::string::npos) << d.message;
  }
  EXPECT_EQ(readable, 100u);
}

TEST(DdsFormats, ChromaOfPairs) {
  // YUY2 with levels: 4 + 2 + 1 texels, of 2 + 1 + 1 elements.
  const ByteList levels = dds(4, 1, 0, 3, 4, kDx10, {}, 0, {107, 3, 0, 1, 0}, 16);
  base::Diagnostics notes;
  const auto result = decode_image(levels, "file", {}, {}, &notes);
  ASSERT_TRUE(result.ok()) << result.diagnostics()[0].message;
  EXPECT_EQ(result->format, Format::R8G8B8A8_UNORM);
  EXPECT_EQ(notes.all().size(), 1u);
  // Bytes 1 8 15 22 29 36 43 50 ...: Y0 U Y1 V.
  EXPECT_EQ(codes(*result, {255, 255, 255, 255}, 3), (Codes{50, 43, 36, 255}));
  EXPECT_EQ(refused(ByteList(levels.begin(), levels.end() - 1)).id, "dds-data");
  const Surface whole = decoded(dds(4, 1, 0, 1, 4, kDx10, {}, 0, {107, 3, 0, 1, 0}, 8));
  EXPECT_EQ(whole.format, Format::YCRCB_NORMAL);
}

}  // namespace
}  // namespace heddle::image
