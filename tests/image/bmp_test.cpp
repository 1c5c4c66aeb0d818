// SPDX-License-Identifier: MIT
// BMP by hand: every header, depth and compression, with values by arithmetic; what is broken is refused.

#include <gmock/gmock.h>

#include "base/byte_cursor.hpp"
#include "files_support.hpp"

namespace heddle::image {
namespace {

using namespace files_test;
using ::testing::HasSubstr;
using Row = std::vector<int>;

struct Bitmap {
  std::int32_t width = 1, height = 1;
  unsigned bits = 24;
  ByteList texels = {};
  std::uint32_t header = 40, compression = 0, colors = 0;
  ByteList palette = {};
  std::vector<std::uint32_t> masks = {};
  std::uint32_t gap = 0;
  std::int32_t offset = -1;  ///< given in place of the right one

  [[nodiscard]] ByteList bytes() const {
    base::ByteWriter head;  // behind the file header
    head.u32(header);
    if (header == 12) {
      for (const std::int32_t value : {width, height, 1}) head.u16(static_cast<std::uint16_t>(value));
      head.u16(bits);
    } else {
      head.u32(static_cast<std::uint32_t>(width));
      head.u32(static_cast<std::uint32_t>(height));
      head.u16(1);
      head.u16(bits);
      for (const std::uint32_t word : {compression, std::uint32_t{0}, 2835u, 2835u, colors, 0u})
        if (head.size() < header) head.u32(word);
      for (const std::uint32_t mask : masks) head.u32(mask);
      while (head.size() < header) head.u8(0);
    }
    head.bytes(palette);
    for (std::uint32_t i = 0; i < gap; ++i) head.u8(0xee);
    base::ByteWriter file;
    file.bytes(std::string_view("BM"));
    file.u32(14 + head.size() + texels.size());
    file.u32(0);
    file.u32(offset >= 0 ? static_cast<std::uint32_t>(offset) : 14 + head.size());
    file.bytes(head.data());
    file.bytes(texels);
    return file.take();
  }
};

Row values(const ByteList& file, base::Diagnostics* notes = nullptr) {
  base::Diagnostics heard;
  auto surface = decode_image(file, "a.bmp", {}, {}, &heard);
  EXPECT_TRUE(surface.ok()) << (surface.ok() ? "" : surface.diagnostics()[0].message);
  if (notes == nullptr)
    EXPECT_TRUE(heard.empty()) << heard.all()[0].message;
  else
    *notes = heard;
  if (!surface.ok()) return {};
  EXPECT_EQ(surface->format, Format::R8G8B8A8_UNORM);
  return Row(surface->memory->begin(), surface->memory->end());
}

/// B, G, R, 0 of black, red, green and blue.
const ByteList kFour{0, 0, 0, 0, 0, 0, 255, 0, 0, 255, 0, 0, 255, 0, 0, 0};
const Row kBlack{0, 0, 0, 255}, kRed{255, 0, 0, 255}, kGreen{0, 255, 0, 255}, kBlue{0, 0, 255, 255};

Row row(std::initializer_list<Row> texels) {
  Row all;
  for (const Row& texel : texels) all.insert(all.end(), texel.begin(), texel.end());
  return all;
}

/// Three bytes a color, as OS/2 1 has them.
ByteList narrow(const ByteList& palette) {
  ByteList result;
  for (std::size_t i = 0; i < palette.size(); ++i)
    if (i % 4 != 3) result.push_back(palette[i]);
  return result;
}

TEST(Bmp, IndicesOfEveryDepth) {
  const Row expected = row({kRed, kBlue, kBlack, kGreen});
  EXPECT_EQ(values(Bitmap{.width = 4, .bits = 2, .texels = {0b01110010, 0, 0, 0}, .palette = kFour}.bytes()), expected);
  for (const std::uint32_t colors : {0u, 4u, 16u}) {
    ByteList palette = kFour;
    if (colors != 4) palette.resize(64);
    EXPECT_EQ(
        values(
            Bitmap{.width = 4, .bits = 4, .texels = {0x13, 0x02, 0, 0}, .colors = colors, .palette = palette}.bytes()),
        expected);
  }
  EXPECT_EQ(values(Bitmap{.width = 4, .bits = 8, .texels = {1, 3, 0, 2}, .colors = 4, .palette = kFour}.bytes()),
            expected);
  const ByteList two{0, 0, 255, 0, 0, 255, 0, 0};
  EXPECT_EQ(values(Bitmap{.width = 9, .bits = 1, .texels = {0b10000001, 0b10000000, 0, 0}, .palette = two}.bytes()),
            row({kGreen, kRed, kRed, kRed, kRed, kRed, kRed, kGreen, kGreen}));
}

TEST(Bmp, HeaderOfTwelveBytesHasThreeBytesAColor) {
  // The palette ends where the texels begin, its last color too.
  const ByteList two{0, 0, 0, 0, 255, 255, 255, 0};
  EXPECT_EQ(
      values(Bitmap{.width = 2, .bits = 1, .texels = {0x40, 0, 0, 0}, .header = 12, .palette = narrow(two)}.bytes()),
      row({kBlack, {255, 255, 255, 255}}));
  ByteList sixteen = kFour;
  sixteen.resize(64, 9);
  EXPECT_EQ(values(Bitmap{.width = 4, .bits = 4, .texels = {0x13, 0x2f, 0, 0}, .header = 12, .palette = narrow(sixteen)}
                       .bytes()),
            row({kRed, kBlue, kGreen, {9, 9, 9, 255}}));
  // Fewer colors than 2^bits: the place of the texels says so.
  EXPECT_EQ(
      values(Bitmap{.width = 4, .bits = 8, .texels = {3, 2, 1, 0}, .header = 12, .palette = narrow(kFour)}.bytes()),
      row({kBlue, kGreen, kRed, kBlack}));
  EXPECT_EQ(values(Bitmap{.width = 1, .height = 2, .texels = {1, 2, 3, 0, 4, 5, 6, 0}, .header = 12}.bytes()),
            (Row{6, 5, 4, 255, 3, 2, 1, 255}));
}

TEST(Bmp, HeadersOfOs2AndOfEveryWindows) {
  const Row expected = row({kRed, kBlue, kBlack, kGreen});
  for (const std::uint32_t header : {16u, 20u, 24u, 36u, 40u, 48u, 52u, 56u, 60u, 64u, 108u, 124u}) {
    // A header that ends before the number of colors has all 16.
    ByteList palette = kFour;
    palette.resize(64);
    EXPECT_EQ(
        values(
            Bitmap{.width = 4, .bits = 4, .texels = {0x13, 0x02, 0, 0}, .header = header, .palette = palette}.bytes()),
        expected)
        << header;
  }
}

TEST(Bmp, RowsFromTheTop) {
  // Rows are padded to four bytes.
  const auto both = [](Bitmap bitmap, const ByteList& first, const ByteList& second) {
    bitmap.texels = first;
    bitmap.texels.insert(bitmap.texels.end(), second.begin(), second.end());
    const Row up = values(bitmap.bytes());
    bitmap.height = -bitmap.height;
    Row down = values(bitmap.bytes());
    const std::size_t half = up.size() / 2;
    std::rotate(down.begin(), down.begin() + static_cast<std::ptrdiff_t>(half), down.end());
    EXPECT_EQ(up, down) << bitmap.bits;
    return values(bitmap.bytes());
  };
  const Bitmap two{.width = 2, .height = 2};
  const auto with = [&](unsigned bits, ByteList palette = {}, std::uint32_t compression = 0,
                        std::vector<std::uint32_t> masks = {}) {
    Bitmap bitmap = two;
    bitmap.bits = bits;
    bitmap.colors = static_cast<std::uint32_t>(palette.size() / 4);
    bitmap.palette = std::move(palette);
    bitmap.compression = compression;
    bitmap.masks = std::move(masks);
    return bitmap;
  };
  const Row expected = row({kRed, kBlack, kBlack, kRed});
  const ByteList kTwo(kFour.begin(), kFour.begin() + 8);
  EXPECT_EQ(both(with(1, kTwo), {0x80, 0, 0, 0}, {0x40, 0, 0, 0}), expected);
  EXPECT_EQ(both(with(4, kFour), {0x10, 0, 0, 0}, {0x01, 0, 0, 0}), expected);
  EXPECT_EQ(both(with(8, kFour), {1, 0, 0, 0}, {0, 1, 0, 0}), expected);
  EXPECT_EQ(both(with(16), {0, 0x7c, 0, 0}, {0, 0, 0, 0x7c}), expected);
  EXPECT_EQ(both(with(24), {0, 0, 255, 0, 0, 0, 0, 0}, {0, 0, 0, 0, 0, 255, 0, 0}), expected);
  EXPECT_EQ(both(with(32), {0, 0, 255, 0, 0, 0, 0, 0}, {0, 0, 0, 0, 0, 0, 255, 0}), expected);
  EXPECT_EQ(both(with(16, {}, 3, {0xf800, 0x7e0, 0x1f}), {0, 0xf8, 0, 0}, {0, 0, 0, 0xf8}), expected);
  EXPECT_EQ(both(with(8, kFour, 1), {1, 1, 1, 0, 0, 0}, {1, 0, 1, 1, 0, 1}), expected);
}

// IMF-1: the nearest of 256 codes.
TEST(Bmp, FieldsAreWidenedToTheNearestCode_IMF1) {
  // 3, 7, 24 and 28 of 31: 24.68, 57.58, 197.42 and 230.32 of 255.
  const auto word = [](unsigned r, unsigned g, unsigned b) { return r << 10 | g << 5 | b; };
  base::ByteWriter texels;
  texels.u16(word(24, 7, 3));
  texels.u16(word(1, 31, 28) | 0x8000);  // the highest bit is not read
  EXPECT_EQ(values(Bitmap{.width = 2, .bits = 16, .texels = texels.data()}.bytes()),
            (Row{197, 58, 25, 255, 8, 255, 230, 255}));
  base::ByteWriter fields;
  fields.u16(24u << 11 | 9u << 5 | 3u);  // 9 of 63 is 36.43 of 255
  fields.u16(0xffff);
  for (const std::uint32_t header : {40u, 52u, 56u, 108u, 124u})
    EXPECT_EQ(values(Bitmap{.width = 2,
                            .bits = 16,
                            .texels = fields.data(),
                            .header = header,
                            .compression = 3,
                            .masks = {0xf800, 0x7e0, 0x1f}}
                         .bytes()),
              (Row{197, 36, 25, 255, 255, 255, 255, 255}))
        << header;
  // Channels anywhere, of 24 bits too, with alpha of 4 bits: 7 of 15 is 119 of 255.
  EXPECT_EQ(
      values(Bitmap{.texels = {0x12, 0x34, 0x56, 0}, .compression = 3, .masks = {0xff, 0xff0000, 0xff00}}.bytes()),
      (Row{0x12, 0x56, 0x34, 255}));
  EXPECT_EQ(
      values(Bitmap{
          .bits = 16, .texels = {0xf0, 0x70, 0, 0}, .header = 56, .compression = 3, .masks = {0xf00, 0xf0, 0xf, 0xf000}}
                 .bytes()),
      (Row{0, 255, 0, 119}));
  // A header of 40 bytes with four masks behind it (compression 6).
  EXPECT_EQ(
      values(Bitmap{.bits = 32, .texels = {1, 2, 3, 4}, .compression = 6, .masks = {0xff, 0xff00, 0xff0000, 0xff000000}}
                 .bytes()),
      (Row{1, 2, 3, 4}));
}

TEST(Bmp, ChannelsOfMoreThanEightBitsKeepThem) {
  base::ByteWriter texels;
  texels.u32(1023u << 20 | 1u << 10 | 512u | 2u << 30);
  const Surface surface = decoded(Bitmap{.bits = 32,
                                         .texels = texels.data(),
                                         .header = 56,
                                         .compression = 3,
                                         .masks = {0x3ff00000, 0xffc00, 0x3ff, 0xc0000000}}
                                      .bytes());
  EXPECT_EQ(surface.format, Format::R16G16B16A16_UNORM);
  // 1/1023 is 64.06, 512/1023 is 32799.53, 2/3 is 43690 of 65535.
  EXPECT_EQ(*surface.memory, (ByteList{0xff, 0xff, 64, 0, 0x20, 0x80, 0xaa, 0xaa}));
}

TEST(Bmp, TheFourthByteIsAlphaOnlyByAMask_IMF5) {
  const ByteList texels{10, 20, 30, 40, 50, 60, 70, 80};
  base::Diagnostics notes;
  EXPECT_EQ(values(Bitmap{.width = 2, .bits = 32, .texels = texels}.bytes(), &notes),
            (Row{30, 20, 10, 255, 70, 60, 50, 255}));
  ASSERT_EQ(notes.all().size(), 1u);
  EXPECT_THAT(notes.all()[0].message, HasSubstr("fourth byte"));
  for (const std::uint32_t header : {56u, 108u, 124u})
    EXPECT_EQ(values(Bitmap{.width = 2,
                            .bits = 32,
                            .texels = texels,
                            .header = header,
                            .compression = 3,
                            .masks = {0xff0000, 0xff00, 0xff, 0xff000000}}
                         .bytes()),
              (Row{30, 20, 10, 40, 70, 60, 50, 80}));
}

TEST(Bmp, GapsAndPalettesBeforeTheTexels) {
  EXPECT_EQ(values(Bitmap{.texels = {1, 2, 3, 0}, .gap = 7}.bytes()), (Row{3, 2, 1, 255}));
  EXPECT_EQ(values(Bitmap{.texels = {1, 2, 3, 0}, .colors = 4, .palette = kFour}.bytes()), (Row{3, 2, 1, 255}));
  EXPECT_EQ(values(Bitmap{.bits = 8, .texels = {2, 0, 0, 0}, .colors = 4, .palette = kFour, .gap = 1}.bytes()), kGreen);
  EXPECT_EQ(values(Bitmap{.bits = 1, .texels = {0x80, 0, 0, 0}, .colors = 4, .palette = kFour}.bytes()), kRed);
  // An offset that lies in the headers.
  base::Diagnostics notes;
  EXPECT_EQ(
      values(Bitmap{.bits = 8, .texels = {2, 0, 0, 0}, .colors = 4, .palette = kFour, .offset = 0}.bytes(), &notes),
      kGreen);
  ASSERT_EQ(notes.all().size(), 1u);
  EXPECT_EQ(notes.all()[0].severity, base::Severity::Warning);
  // The first picture of an array of OS/2; offsets count from the file's begin.
  ByteList file = Bitmap{.texels = {1, 2, 3, 0}, .header = 12, .offset = 14 + 14 + 12}.bytes();
  const ByteList array{'B', 'A', 40, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
  file.insert(file.begin(), array.begin(), array.end());
  EXPECT_EQ(values(file), (Row{3, 2, 1, 255}));
}

// IMF-2.
TEST(Bmp, AnIndexOfNoColorIsBlack_IMF2) {
  base::Diagnostics notes;
  EXPECT_EQ(
      values(Bitmap{.width = 2, .bits = 8, .texels = {1, 9, 0, 0}, .colors = 4, .palette = kFour}.bytes(), &notes),
      row({kRed, kBlack}));
  ASSERT_EQ(notes.all().size(), 1u);
  EXPECT_THAT(notes.all()[0].message, HasSubstr("1 texels have an index of no color (the palette has 4)"));
}

TEST(Bmp, RunsOfBytesNibblesAndColors) {
  const Bitmap bytes{.width = 5, .height = 2, .bits = 8, .compression = 1, .colors = 4, .palette = kFour};
  Bitmap one = bytes;
  // Bottom row: 3 of red, 2 of green; top row: the literals 1 2 3, padded, and 2 of black.
  one.texels = {3, 1, 2, 2, 0, 0, 0, 3, 1, 2, 3, 0xee, 2, 0, 0, 1};
  EXPECT_EQ(values(one.bytes()), row({kRed, kGreen, kBlue, kBlack, kBlack, kRed, kRed, kRed, kGreen, kGreen}));
  one.texels.resize(one.texels.size() - 2);  // the end mark is not needed where all rows are there
  EXPECT_EQ(values(one.bytes()), row({kRed, kGreen, kBlue, kBlack, kBlack, kRed, kRed, kRed, kGreen, kGreen}));
  Bitmap nibbles = bytes;
  nibbles.bits = 4;
  nibbles.compression = 2;
  // Bottom row: 5 texels of 1, 2 in turn; top row: the literals 3 2 1 0 3 in three bytes, padded.
  nibbles.texels = {5, 0x12, 0, 0, 0, 5, 0x32, 0x10, 0x30, 0xee, 0, 1};
  EXPECT_EQ(values(nibbles.bytes()), row({kBlue, kGreen, kRed, kBlack, kBlue, kRed, kGreen, kRed, kGreen, kRed}));
  // OS/2's runs of colors: compression 4 in its header of 64 bytes.
  EXPECT_EQ(values(Bitmap{.width = 5,
                          .texels = {2, 1, 2, 3, 0, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 0xee, 0, 1},
                          .header = 64,
                          .compression = 4}
                       .bytes()),
            (Row{3, 2, 1, 255, 3, 2, 1, 255, 6, 5, 4, 255, 9, 8, 7, 255, 12, 11, 10, 255}));
}

// IMF-3: what no run names has the first color.
TEST(Bmp, MovesAndShortRowsLeaveTheFirstColor_IMF3) {
  ByteList palette = kFour;
  palette[0] = 9;  // the first color: 0, 0, 9
  const Row first{0, 0, 9, 255};
  Bitmap bitmap{.width = 4, .height = 3, .bits = 8, .compression = 1, .colors = 4, .palette = palette};
  // One of red, a move by 2 columns and 1 row, one of green, the end of the row, the end of the bitmap.
  bitmap.texels = {1, 1, 0, 2, 2, 1, 1, 2, 0, 0, 0, 1};
  base::Diagnostics notes;
  EXPECT_EQ(values(bitmap.bytes(), &notes), row({first, first, first, first,   //
                                                 first, first, first, kGreen,  //
                                                 kRed, first, first, first}));
  ASSERT_EQ(notes.all().size(), 1u);
  EXPECT_THAT(notes.all()[0].message, HasSubstr("leave out 10 texels of 12"));
}

// IMF-3: ImageMagick fills rows up to a multiple of four texels.
TEST(Bmp, RunsBeyondTheirRowAreCutOff_IMF3) {
  const Bitmap bytes{.width = 3, .height = 2, .bits = 8, .compression = 1, .colors = 4, .palette = kFour};
  const Row wanted = row({kGreen, kGreen, kBlue, kRed, kRed, kRed});
  const ByteList texels[] = {
      {4, 1, 0, 0, 2, 2, 2, 3, 0, 0, 0, 1},                          // runs
      {0, 4, 1, 1, 1, 1, 0, 0, 0, 5, 2, 2, 3, 3, 3, 0, 0, 0, 0, 1},  // literals
      {3, 1, 1, 3, 0, 0, 2, 2, 1, 3, 1, 2, 0, 0, 0, 1},              // whole runs beyond the end
      {3, 1, 0, 0, 2, 2, 1, 3, 0, 0, 2, 2, 0, 1},                    // a row too many
  };
  for (const ByteList& list : texels) {
    Bitmap bitmap = bytes;
    bitmap.texels = list;
    base::Diagnostics notes;
    EXPECT_EQ(values(bitmap.bytes(), &notes), wanted);
    ASSERT_EQ(notes.all().size(), 1u);
    EXPECT_THAT(notes.all()[0].message, HasSubstr("beyond the ends of rows: they are cut off"));
  }
  Bitmap nibbles = bytes;
  nibbles.bits = 4;
  nibbles.compression = 2;
  nibbles.texels = {4, 0x11, 0, 0, 0, 4, 0x22, 0x33, 0, 0, 0, 1};
  base::Diagnostics notes;
  EXPECT_EQ(values(nibbles.bytes(), &notes), wanted);
  EXPECT_EQ(notes.all().size(), 1u);
}

TEST(Bmp, WhatIsBrokenIsRefused) {
  const auto message = [](const Bitmap& bitmap) {
    const base::Diagnostic d = refused(bitmap.bytes());
    EXPECT_EQ(d.id, "bmp-data");
    return d.message;
  };
  EXPECT_THAT(message({.compression = 4}), HasSubstr("JPEG"));
  EXPECT_THAT(message({.compression = 5}), HasSubstr("PNG"));
  EXPECT_THAT(message({.bits = 1, .header = 64, .compression = 3}), HasSubstr("Huffman"));
  EXPECT_THAT(message({.bits = 32, .compression = 11}), HasSubstr("CMYK"));
  EXPECT_THAT(message({.bits = 5}), HasSubstr("5 bits"));
  EXPECT_THAT(message({.bits = 24, .compression = 1}), HasSubstr("24 bits a texel with compression 1"));
  EXPECT_THAT(message({.header = 13}), HasSubstr("no header has 13 bytes"));
  EXPECT_THAT(message({.width = 0, .texels = {0, 0, 0, 0}}), HasSubstr("0 x 1"));
  EXPECT_THAT(message({.width = -1, .texels = {0, 0, 0, 0}}), HasSubstr("-1 x 1"));
  EXPECT_THAT(message({.height = 0, .texels = {0, 0, 0, 0}}), HasSubstr("1 x 0"));
  EXPECT_THAT(message({.height = std::numeric_limits<std::int32_t>::min(), .texels = {0, 0, 0, 0}}), HasSubstr("need"));
  EXPECT_THAT(message({.width = 16000, .height = 16000, .texels = {0, 0, 0, 0}}), HasSubstr("need"));
  EXPECT_THAT(message({.bits = 16, .texels = {0, 0}, .compression = 3, .masks = {0x505, 0, 0}}), HasSubstr("mask"));
  EXPECT_THAT(message({.bits = 16, .texels = {0, 0}, .compression = 3, .masks = {0x1f0000, 1, 2}}), HasSubstr("mask"));
  EXPECT_THAT(message({.bits = 16, .texels = {0, 0}, .compression = 3, .masks = {0, 0, 0}}), HasSubstr("all 0"));
  const auto runs = [&](const ByteList& texels, unsigned bits = 8) {
    return message({.width = 4,
                    .height = 2,
                    .bits = bits,
                    .texels = texels,
                    .compression = bits == 8 ? 1u : 2u,
                    .colors = 4,
                    .palette = kFour});
  };
  EXPECT_THAT(runs({0, 2, 5, 0}), HasSubstr("a move leaves the picture"));
  EXPECT_THAT(runs({0, 2, 5}), HasSubstr("ends before its runs do"));
  EXPECT_THAT(runs({4, 1, 0, 0, 3, 1}), HasSubstr("ends before its runs do"));
  EXPECT_THAT(runs({0, 4, 1, 1}), HasSubstr("ends before its runs do"));
  EXPECT_THAT(runs({0, 4, 0x11}, 4), HasSubstr("ends before its runs do"));
  EXPECT_EQ(refused({'B', 'M', 0, 0, 0}).id, "bmp-data");
  base::Limits limits;
  limits.surface_bytes = 10;
  EXPECT_EQ(
      refused(Bitmap{.width = 2, .height = 2, .bits = 8, .texels = {1, 1, 0, 0}, .compression = 1}.bytes(), limits).id,
      "limit-surface");
}

}  // namespace
}  // namespace heddle::image
