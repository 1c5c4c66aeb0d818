// SPDX-License-Identifier: MIT
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
  EXPECT_EQ(refused(row(1, 4, 40, {}, {1, 2})).message, "D3DFORMAT 40 has no surface format");
  EXPECT_EQ(refused(row(1, 4, 0x31435445, {}, {1})).message, "FourCC 'ETC1' has no surface format");
  EXPECT_NE(refused(row(1, 0x20, 0, {4, 0, 0, 0, 0}, {1})).message.find("palette"), std::string::npos);
  EXPECT_EQ(refused(row(1, 0x20, 0, {8, 0, 0, 0, 0}, {1})).id, "dds-header");  // it ends within the palette
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
  // Holes, bits outside of the texel, no mask at all.
  EXPECT_EQ(refused(row(1, 0x40, 0, {16, 0xf0f, 0xf0, 0, 0}, {1, 2})).id, "dds-format");
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
  EXPECT_EQ(decoded(ByteList(levels.begin(), levels.end() - 1)).levels, 2u);
  const Surface whole = decoded(dds(4, 1, 0, 1, 4, kDx10, {}, 0, {107, 3, 0, 1, 0}, 8));
  EXPECT_EQ(whole.format, Format::YCRCB_NORMAL);
}

struct Noted {
  Surface surface;
  std::vector<std::string> ids, messages;
};
Noted noted(const ByteList& bytes) {
  base::Diagnostics notes;
  auto result = decode_image(bytes, "file", {}, {}, &notes);
  EXPECT_TRUE(result.ok()) << (result.ok() ? "" : result.diagnostics()[0].message);
  Noted all{result.ok() ? std::move(*result) : Surface{}, {}, {}};
  for (const base::Diagnostic& note : notes.all()) all.ids.push_back(note.id), all.messages.push_back(note.message);
  return all;
}

TEST(DdsFormats, NarrowChannelsBecomeTheNearestBytes) {
  const Codes eight{255, 255, 255, 255};
  // 3 bits: v * 255 / 7, 2 bits: v * 85. 0xb6: 5 5 2.
  for (const ByteList& file : {row(1, 4, 27, {}, {0xb6}), row(1, 0x40, 0, {8, 0xe0, 0x1c, 3, 0}, {0xb6})}) {
    const Noted got = noted(file);
    EXPECT_EQ(got.surface.format, Format::R8G8B8A8_UNORM);
    EXPECT_EQ(codes(got.surface, eight), (Codes{182, 182, 170, 255}));
    ASSERT_EQ(got.messages.size(), 1u);
    EXPECT_NE(got.messages[0].find("nearest"), std::string::npos);
  }
  for (unsigned v = 0; v < 8; ++v) {
    const auto texel = static_cast<std::uint8_t>(v << 5 | (7 - v) << 2 | v / 2);
    const Codes expected{static_cast<int>(std::lround(v * 255 / 7.0)),
                         static_cast<int>(std::lround((7 - v) * 255 / 7.0)), static_cast<int>(v / 2 * 85), 77};
    EXPECT_EQ(codes(decoded(row(1, 4, 29, {}, {texel, 77})), eight), expected) << v;
  }
  EXPECT_EQ(codes(decoded(row(1, 0x40, 0, {32, 1, 2, 4, 8}, {5, 0, 0, 0})), eight), (Codes{255, 0, 255, 255}));
  // 11 bits: the nearest of 16.
  const Surface wide = decoded(row(1, 0x40, 0, {32, 0x7ff, 0x3ff800, 0xffc00000, 0}, {0xff, 0x0f, 0x40, 0}));
  EXPECT_EQ(wide.format, Format::R16G16B16A16_UNORM);
  EXPECT_EQ(codes(wide, {65535, 65535, 65535, 65535}), (Codes{65535, 32, 64, 65535}));
}

TEST(DdsFormats, BumpWithLuminance) {
  // U -15, V 7, L 33: bits 10001 00111 100001 from the lowest on.
  const std::uint16_t word = 0x11 | 7 << 5 | 33 << 10;
  const ByteList texel{static_cast<std::uint8_t>(word & 0xff), static_cast<std::uint8_t>(word >> 8)};
  for (const ByteList& file : {row(1, 4, 61, {}, texel), row(1, 0x40000, 0, {16, 0x1f, 0x3e0, 0xfc00, 0}, texel)}) {
    const Surface surface = decoded(file);
    EXPECT_EQ(surface.format, Format::R5G5_SNORM_B6_UNORM);
    EXPECT_EQ(codes(surface, {15, 15, 63, 1}), (Codes{-15, 7, 33, 1}));
  }
  EXPECT_EQ(codes(decoded(row(1, 4, 117, {}, {0x7f, 0x81})), {127, 127, 1, 1}), (Codes{127, -127, 0, 1}));
}

TEST(DdsFormats, RedInAlpha) {
  // One block: alphas 200 and 100, all indices 0 but the last, which is 1; colors 0x07e0 (green) and 0.
  const ByteList block{200, 100, 0, 0, 0, 0, 0, 0x20, 0xe0, 0x07, 0, 0, 0, 0, 0, 0x40};
  ByteList file = dds(3, 4, 0, 1, 4, 0x42475852, {}, 0, {}, 0);
  file.insert(file.end(), block.begin(), block.end());
  const Noted got = noted(file);
  EXPECT_EQ(got.surface.format, Format::R8G8B8A8_UNORM);
  EXPECT_EQ(codes(got.surface, {255, 255, 255, 255}), (Codes{200, 255, 0, 255}));
  EXPECT_EQ(got.messages.size(), 1u);
  file.pop_back();
  EXPECT_EQ(refused(file).id, "dds-data");
}

TEST(DdsFormats, Palettes) {
  const auto file = [](std::uint32_t flags, std::uint32_t code, std::uint8_t alpha) {
    ByteList palette(1024);
    for (std::size_t i = 0; i < 1024; ++i)
      palette[i] = static_cast<std::uint8_t>(i % 4 == 3 ? alpha : i / 4 * (i % 4 + 1));
    ByteList bytes = row(2, flags, code, {8, 0, 0, 0, 0}, palette);
    bytes.push_back(3);
    bytes.push_back(50);
    return bytes;
  };
  const Codes eight{255, 255, 255, 255};
  EXPECT_EQ(codes(decoded(file(0x20, 0, 9)), eight, 1), (Codes{50, 100, 150, 9}));
  EXPECT_EQ(codes(decoded(file(4, 41, 0)), eight), (Codes{3, 6, 9, 255}));
}

TEST(DdsFormats, HeadersOfOlderWriters) {
  // Resource dimension 0, array size 0.
  const Noted dx10 = noted(dds(2, 2, 0, 1, 4, kDx10, {}, 0, {28, 0, 0, 0, 0}, 16));
  EXPECT_EQ(dx10.surface.type, SurfaceType::Dim2);
  EXPECT_EQ(dx10.surface.layers, 1u);
  EXPECT_EQ(dx10.messages,
            (std::vector<std::string>{"resource dimension 0: read as 2D", "array of 0 elements: read as one"}));
  EXPECT_EQ(noted(dds(2, 2, 2, 1, 4, kDx10, {}, 0x200000, {28, 0, 0, 0, 0}, 32)).surface.type, SurfaceType::Dim3);
  EXPECT_EQ(refused(dds(2, 2, 0, 1, 4, kDx10, {}, 0, {28, 1, 0, 1, 0}, 16)).id, "dds-header");
  // A FourCC without its flag, masks without theirs.
  EXPECT_EQ(decoded(dds(4, 4, 0, 1, 0, 0x31545844, {}, 0, {}, 8)).format, Format::BC1_UNORM);
  EXPECT_EQ(decoded(dds(4, 4, 0, 1, 0, kDx10, {}, 0, {28, 3, 0, 1, 0}, 64)).format, Format::R8G8B8A8_UNORM);
  EXPECT_EQ(decoded(dds(1, 1, 0, 1, 0, 0, {32, 0xff0000, 0xff00, 0xff, 0xff000000}, 0, {}, 4)).format,
            Format::B8G8R8A8_UNORM);
  EXPECT_EQ(noted(dds(4, 4, 0, 1, 4, 0x32545844, {}, 0, {}, 16)).messages.size(), 1u);  // DXT2: multiplied by alpha
}

TEST(DdsFormats, FewerLevelsThanTheHeaderSays) {
  const auto first_bytes = [](const Surface& surface, std::uint32_t level, std::uint32_t layer) {
    return (*surface.memory)[*element_offset(surface, level, layer, 0, 0)];
  };
  // 4 x 4, 3 levels of 16, 4, 1 bytes; byte i of the texels is 7 i + 1.
  const Noted one = noted(dds(4, 4, 0, 3, 0x20000, 0, {8, 0xff, 0, 0, 0}, 0, {}, 16));
  EXPECT_EQ(one.surface.levels, 1u);
  EXPECT_EQ(one.ids, (std::vector<std::string>{"dds-data"}));
  EXPECT_EQ(noted(dds(4, 4, 0, 3, 0x20000, 0, {8, 0xff, 0, 0, 0}, 0, {}, 20)).surface.levels, 2u);
  EXPECT_EQ(refused(dds(4, 4, 0, 3, 0x20000, 0, {8, 0xff, 0, 0, 0}, 0, {}, 15)).id, "dds-data");
  // Two layers: both have one level; or the last one is cut off within its levels.
  const Noted both = noted(dds(4, 4, 0, 3, 4, kDx10, {}, 0, {61, 3, 0, 2, 0}, 32));
  EXPECT_EQ(both.surface.levels, 1u);
  EXPECT_EQ(first_bytes(both.surface, 0, 1), static_cast<std::uint8_t>(16 * 7 + 1));
  const Noted cut = noted(dds(4, 4, 0, 3, 4, kDx10, {}, 0, {61, 3, 0, 2, 0}, 41));
  EXPECT_EQ(cut.surface.levels, 2u);
  EXPECT_EQ(first_bytes(cut.surface, 0, 1), static_cast<std::uint8_t>(21 * 7 + 1));
  EXPECT_EQ(first_bytes(cut.surface, 1, 1), static_cast<std::uint8_t>(37 * 7 + 1));
  // More levels than a picture can have.
  const Noted many = noted(dds(4, 4, 0, 9, 0x20000, 0, {8, 0xff, 0, 0, 0}, 0, {}, 21));
  EXPECT_EQ(many.surface.levels, 3u);
  EXPECT_EQ(many.messages, (std::vector<std::string>{"9 levels of an image of 4 texels: read as 3"}));
}

TEST(DdsFormats, CubesWithoutAllFaces) {
  const Noted one = noted(dds(4, 4, 0, 1, 4, 0x31545844, {}, 0x600, {}, 8));
  EXPECT_EQ(one.surface.type, SurfaceType::Dim2);
  EXPECT_FALSE(one.surface.array);
  const Noted two = noted(dds(4, 4, 0, 1, 4, 0x31545844, {}, 0xe00, {}, 16));
  EXPECT_EQ(two.surface.layers, 2u);
  EXPECT_TRUE(two.surface.array);
  EXPECT_EQ(two.messages, (std::vector<std::string>{"a cube with 2 of its six faces: read as an array"}));
  EXPECT_EQ(decoded(dds(4, 4, 0, 1, 4, 0x31545844, {}, 0x200, {}, 48)).type, SurfaceType::Cube);
}

}  // namespace
}  // namespace heddle::image
