// SPDX-License-Identifier: MIT
// TGA by hand: every type and depth, every corner, color maps, packets, attribute bits; what is broken is refused.

#include <gmock/gmock.h>

#include "base/byte_cursor.hpp"
#include "files_support.hpp"

namespace heddle::image {
namespace {

using namespace files_test;
using ::testing::HasSubstr;
using Row = std::vector<int>;

constexpr unsigned kTop = 0x20, kRight = 0x10;

struct Targa {
  std::uint32_t width = 1, height = 1;
  unsigned type = 2, bits = 24;
  ByteList texels = {};
  unsigned descriptor = kTop;
  ByteList map = {};
  unsigned first = 0, count = 0, map_bits = 0;
  std::string id = {};
  int attributes = -1;  ///< of an extension area

  [[nodiscard]] ByteList bytes() const {
    base::ByteWriter file;
    file.u8(id.size());
    file.u8(map_bits != 0 ? 1 : 0);
    file.u8(type);
    file.u16(first);
    file.u16(count);
    file.u8(map_bits);
    file.u32(0);
    file.u16(width);
    file.u16(height);
    file.u8(bits);
    file.u8(descriptor);
    file.bytes(id);
    file.bytes(map);
    file.bytes(texels);
    if (attributes >= 0) {
      const std::size_t at = file.size();
      file.u16(495);
      for (int i = 2; i < 494; ++i) file.u8(0);
      file.u8(static_cast<std::uint8_t>(attributes));
      file.u32(at);
      file.u32(0);
      file.bytes(std::string_view("TRUEVISION-XFILE.\0", 18));
    }
    return file.take();
  }
};

Row values(const Targa& targa, std::size_t expected_notes = 0, std::string* message = nullptr) {
  base::Diagnostics notes;
  auto surface = decode_image(targa.bytes(), "a.tga", {}, {}, &notes);
  EXPECT_TRUE(surface.ok()) << (surface.ok() ? "" : surface.diagnostics()[0].message);
  EXPECT_EQ(notes.all().size(), expected_notes) << (notes.empty() ? "" : notes.all()[0].message);
  for (const base::Diagnostic& note : notes.all()) EXPECT_EQ(note.id, "tga-data");
  if (message != nullptr && !notes.empty()) *message = notes.all()[0].message;
  return surface.ok() ? Row(surface->memory->begin(), surface->memory->end()) : Row{};
}

ByteList words(std::initializer_list<unsigned> values) {
  base::ByteWriter writer;
  for (const unsigned value : values) writer.u16(value);
  return writer.take();
}

TEST(Tga, EveryTypeAndDepth) {
  EXPECT_EQ(values({.width = 2, .texels = {1, 2, 3, 4, 5, 6}}), (Row{3, 2, 1, 255, 6, 5, 4, 255}));
  EXPECT_EQ(values({.bits = 32, .texels = {1, 2, 3, 4}, .descriptor = kTop | 8}), (Row{3, 2, 1, 4}));
  // 24, 7 and 3 of 31 are 197.4, 57.6 and 24.7 of 255.
  for (const unsigned bits : {15u, 16u})
    EXPECT_EQ(values({.bits = bits, .texels = words({24u << 10 | 7u << 5 | 3u})}), (Row{197, 58, 25, 255}));
  EXPECT_EQ(values({.width = 2, .type = 3, .bits = 8, .texels = {7, 200}}), (Row{7, 7, 7, 255, 200, 200, 200, 255}));
  EXPECT_EQ(values({.type = 3, .bits = 16, .texels = {7, 9}, .descriptor = kTop | 8}), (Row{7, 7, 7, 9}));
  EXPECT_EQ(values({.texels = {1, 2, 3}, .id = "what a file says of itself"}), (Row{3, 2, 1, 255}));
}

TEST(Tga, FromEveryCorner) {
  const ByteList texels{0, 0, 1, 0, 0, 2, 0, 0, 3, 0, 0, 4};  // red 1 2, 3 4
  const auto reds = [&](unsigned descriptor) {
    const Row all = values({.width = 2, .height = 2, .texels = texels, .descriptor = descriptor});
    return all.size() == 16 ? Row{all[0], all[4], all[8], all[12]} : Row{};
  };
  EXPECT_EQ(reds(kTop), (Row{1, 2, 3, 4}));
  EXPECT_EQ(reds(0), (Row{3, 4, 1, 2}));
  EXPECT_EQ(reds(kTop | kRight), (Row{2, 1, 4, 3}));
  EXPECT_EQ(reds(kRight), (Row{4, 3, 2, 1}));
  // In packets, too.
  EXPECT_EQ(values({.width = 3, .type = 11, .bits = 8, .texels = {0x81, 5, 0, 6}, .descriptor = kTop | kRight}),
            (Row{6, 6, 6, 255, 5, 5, 5, 255, 5, 5, 5, 255}));
}

TEST(Tga, InterleavedRows) {
  const ByteList texels{0, 1, 2, 3, 4, 5, 6};  // in the order of the file
  const auto rows = [&](unsigned descriptor) {
    const Row all = values({.height = 7, .type = 3, .bits = 8, .texels = texels, .descriptor = descriptor});
    Row grays;
    for (std::size_t i = 0; i < all.size(); i += 4) grays.push_back(all[i]);
    return grays;
  };
  EXPECT_EQ(rows(kTop | 0x40), (Row{0, 4, 1, 5, 2, 6, 3}));  // rows 0 2 4 6, 1 3 5
  EXPECT_EQ(rows(kTop | 0x80), (Row{0, 2, 4, 6, 1, 3, 5}));  // rows 0 4, 1 5, 2 6, 3
}

TEST(Tga, ColorMaps) {
  const ByteList map{1, 2, 3, 4, 5, 6};
  const Row both{3, 2, 1, 255, 6, 5, 4, 255};
  EXPECT_EQ(values({.width = 2, .type = 1, .bits = 8, .texels = {0, 1}, .map = map, .count = 2, .map_bits = 24}), both);
  // The first index of the map.
  EXPECT_EQ(
      values({.width = 2, .type = 1, .bits = 8, .texels = {7, 8}, .map = map, .first = 7, .count = 2, .map_bits = 24}),
      both);
  EXPECT_EQ(values({.width = 2,
                    .type = 1,
                    .bits = 16,
                    .texels = words({300, 301}),
                    .map = map,
                    .first = 300,
                    .count = 2,
                    .map_bits = 24}),
            both);
  EXPECT_EQ(
      values({.width = 3, .type = 9, .bits = 8, .texels = {0x81, 1, 0, 0}, .map = map, .count = 2, .map_bits = 24}),
      (Row{6, 5, 4, 255, 6, 5, 4, 255, 3, 2, 1, 255}));
  EXPECT_EQ(values({.type = 1,
                    .bits = 8,
                    .texels = {0},
                    .descriptor = kTop | 8,
                    .map = {1, 2, 3, 4},
                    .count = 1,
                    .map_bits = 32}),
            (Row{3, 2, 1, 4}));
  for (const unsigned bits : {15u, 16u})
    EXPECT_EQ(values({.type = 1,
                      .bits = 8,
                      .texels = {0},
                      .map = words({24u << 10 | 7u << 5 | 3u}),
                      .count = 1,
                      .map_bits = bits}),
              (Row{197, 58, 25, 255}));
  // A map that a true-color or gray picture doesn't use.
  EXPECT_EQ(values({.width = 2, .texels = map, .map = {9, 9, 9, 8, 8, 8}, .count = 2, .map_bits = 24}), both);
  EXPECT_EQ(values({.type = 3, .bits = 8, .texels = {5}, .map = {9, 9, 9, 9}, .count = 2, .map_bits = 16}),
            (Row{5, 5, 5, 255}));
  EXPECT_EQ(values({.width = 2, .type = 10, .texels = {0x81, 1, 2, 3}, .map = {9, 9, 9}, .count = 1, .map_bits = 24}),
            (Row{3, 2, 1, 255, 3, 2, 1, 255}));
}

// IMF-2.
TEST(Tga, AnIndexOfNoColorIsBlack_IMF2) {
  std::string message;
  EXPECT_EQ(values({.width = 3,
                    .type = 1,
                    .bits = 8,
                    .texels = {4, 5, 6},
                    .map = {1, 2, 3},
                    .first = 5,
                    .count = 1,
                    .map_bits = 24},
                   1, &message),
            (Row{0, 0, 0, 255, 3, 2, 1, 255, 0, 0, 0, 255}));
  EXPECT_THAT(message, HasSubstr("2 texels have an index of no color (the map has 1 colors from 5 on)"));
}

TEST(Tga, PacketsOfBothKinds) {
  EXPECT_EQ(values({.width = 4, .type = 10, .texels = {0x81, 1, 2, 3, 0x01, 4, 5, 6, 7, 8, 9}}),
            (Row{3, 2, 1, 255, 3, 2, 1, 255, 6, 5, 4, 255, 9, 8, 7, 255}));
  // On into the next row.
  EXPECT_EQ(values({.width = 2, .height = 2, .type = 11, .bits = 8, .texels = {0x82, 5, 0x00, 6}}),
            (Row{5, 5, 5, 255, 5, 5, 5, 255, 5, 5, 5, 255, 6, 6, 6, 255}));
  std::string message;
  EXPECT_EQ(values({.width = 2, .type = 11, .bits = 8, .texels = {0x87, 5}}, 1, &message),
            (Row{5, 5, 5, 255, 5, 5, 5, 255}));
  EXPECT_THAT(message, HasSubstr("the last packet has 8 texels, 2 are left"));
}

// IMF-4.
TEST(Tga, WhatTheAttributeBitsAre_IMF4) {
  const ByteList texels{1, 2, 3, 4, 5, 6, 7, 0};
  const Row alpha{3, 2, 1, 4, 7, 6, 5, 0}, opaque{3, 2, 1, 255, 7, 6, 5, 255};
  const auto read = [&](unsigned bits, int attributes, std::size_t notes, ByteList from = {}) {
    return values({.width = 2,
                   .bits = 32,
                   .texels = from.empty() ? texels : from,
                   .descriptor = kTop | bits,
                   .attributes = attributes},
                  notes);
  };
  EXPECT_EQ(read(8, -1, 0), alpha);
  EXPECT_EQ(read(0, -1, 1), alpha);  // said: the header names none
  EXPECT_EQ(read(0, -1, 0, {1, 2, 3, 0, 5, 6, 7, 0}), opaque);
  EXPECT_EQ(read(8, -1, 0, {1, 2, 3, 0, 5, 6, 7, 0}), (Row{3, 2, 1, 0, 7, 6, 5, 0}));
  EXPECT_EQ(read(0, 0, 0), opaque);  // the extension area says so, too
  EXPECT_EQ(read(8, 0, 0), alpha);
  EXPECT_EQ(read(8, 1, 0), opaque);  // not defined, to be ignored
  EXPECT_EQ(read(8, 3, 0), alpha);
  EXPECT_EQ(read(8, 4, 1), alpha);  // said: the colors are multiplied by it
  // 16 bits: the highest one, where there is an attribute bit.
  const ByteList two = words({0x8000, 0});
  EXPECT_EQ(values({.width = 2, .bits = 16, .texels = two, .descriptor = kTop | 1}), (Row{0, 0, 0, 255, 0, 0, 0, 0}));
  EXPECT_EQ(values({.width = 2, .bits = 16, .texels = two}), (Row{0, 0, 0, 255, 0, 0, 0, 255}));
}

TEST(Tga, WhatIsBrokenIsRefused) {
  const auto message = [](const Targa& targa, const base::Limits& limits = {}, const char* id = "tga-data") {
    const auto surface = decode_image(targa.bytes(), "a.tga", {}, limits);
    EXPECT_FALSE(surface.ok());
    if (surface.ok()) return std::string();
    EXPECT_EQ(surface.diagnostics()[0].id, id);
    return surface.diagnostics()[0].message;
  };
  EXPECT_THAT(message({.type = 0}), HasSubstr("no picture"));
  EXPECT_THAT(message({.type = 32}), HasSubstr("Huffman"));
  for (const unsigned type : {4u, 7u, 8u, 12u, 18u, 255u}) EXPECT_THAT(message({.type = type}), HasSubstr("none of 1"));
  EXPECT_THAT(message({.type = 1, .bits = 8, .texels = {0}}), HasSubstr("no color map"));
  EXPECT_THAT(message({.type = 1, .bits = 8, .texels = {0}, .map_bits = 8}), HasSubstr("8 bits a color"));
  EXPECT_THAT(message({.bits = 8, .texels = {0}}), HasSubstr("8 bits a texel"));
  EXPECT_THAT(message({.width = 0}), HasSubstr("0 x 1"));
  EXPECT_THAT(message({.texels = {0, 0, 0}, .descriptor = 0xc0}), HasSubstr("interleaved"));
  EXPECT_THAT(message({.texels = {1, 2}}), HasSubstr("need 3 bytes, 2 follow byte 18"));
  EXPECT_THAT(message({.width = 16384, .height = 16384, .type = 10, .texels = {0xff, 1, 2, 3}}), HasSubstr("at least"));
  EXPECT_THAT(message({.type = 1, .bits = 8, .texels = {0}, .map = {1, 2}, .count = 200, .map_bits = 24}),
              HasSubstr("0 follow byte 618"));
  EXPECT_THAT(message({.width = 4, .type = 10, .texels = {0x80, 1, 2, 3}}), HasSubstr("1 texels of 4 before"));
  EXPECT_THAT(message({.width = 4, .type = 10, .texels = {0x03, 1, 2, 3, 4}}), HasSubstr("0 texels of 4 before"));
  base::Limits limits;
  limits.surface_bytes = 3;
  message({.texels = {1, 2, 3}}, limits, "limit-surface");
}

}  // namespace
}  // namespace heddle::image
