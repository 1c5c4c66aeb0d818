// SPDX-License-Identifier: MIT
// KTX2 files of formats and compressions that Heddle reads but does not write.

#include <gtest/gtest.h>

#include "ktx2_support.hpp"

namespace heddle::image {
namespace {

using namespace files_test;

Surface read(const Ktx2File& file, unsigned expected_notes = 0) {
  base::Diagnostics notes;
  auto result = decode_image(file.bytes(), "file", {}, {}, &notes);
  EXPECT_TRUE(result.ok()) << (result.ok() ? "" : result.diagnostics()[0].message);
  EXPECT_EQ(notes.all().size(), expected_notes);
  for (const base::Diagnostic& note : notes.all()) EXPECT_EQ(note.place.file, "file");
  return result.ok() ? std::move(result).value() : Surface{};
}

using Codes = std::array<std::uint32_t, 4>;

/// The stored code of each channel of one element (UNORM: value times `top`).
Codes codes(const Surface& surface, std::uint32_t x, std::uint32_t y, Codes top, std::uint32_t level = 0,
            std::uint32_t slice = 0) {
  const Texel texel = fetch(surface, level, slice, x, y, false).texel;
  Codes result{};
  for (std::size_t c = 0; c < 4; ++c)
    result[c] = static_cast<std::uint32_t>(texel.f(static_cast<int>(c)) * static_cast<float>(top[c]) + 0.5f);
  return result;
}

TEST(Ktx2Formats, TwoChannelsOfSrgbKeepBoth) {
  const Surface surface = read({.vk_format = 22, .width = 2, .height = 1, .levels = {{10, 200, 30, 40}}});
  EXPECT_EQ(surface.format, Format::R8G8_UNORM_SRGB);
  EXPECT_EQ(*surface.memory, (ByteList{10, 200, 30, 40}));
  // Both channels are sRGB codes.
  const Surface same = decoded(*encode_image(surface, FileKind::Ktx2));
  EXPECT_EQ(fetch(same, 0, 0, 0, 0).texel, fetch(surface, 0, 0, 0, 0).texel);
  EXPECT_LT(fetch(surface, 0, 0, 0, 0).texel.f(1), 0.6f);  // 200 / 255 as sRGB, not linear (0.78)
}

TEST(Ktx2Formats, PackedFormatsKeepEveryCode) {
  struct Case {
    std::uint32_t vk_format;
    ByteList texel;
    Codes codes, top;
  };
  const Codes four{15, 15, 15, 15}, five{31, 31, 31, 1}, eight{255, 255, 255, 255}, ten{1023, 1023, 1023, 3};
  const Case cases[] = {{1, {0x7b}, {7, 11, 0, 15}, four},
                        {3, {0x34, 0x12}, {3, 2, 1, 4}, four},
                        {1000340001, {0x34, 0x12}, {4, 3, 2, 1}, four},
                        {1000340000, {0x34, 0x12}, {2, 3, 4, 1}, four},
                        {5, {0x41, 0x18}, {1, 2, 3, 1}, {31, 63, 31, 1}},
                        {7, {0x85, 0x18}, {2, 2, 3, 1}, five},
                        {1000470000, {0x41, 0x8c}, {1, 2, 3, 1}, five},
                        {30, {1, 2, 3}, {3, 2, 1, 255}, eight},
                        {36, {1, 2, 3}, {3, 2, 1, 255}, eight},
                        {1000156007, {0x40, 0x80}, {513, 0, 0, 3}, ten},
                        {1000156008, {0x40, 0x80, 0xc0, 0}, {513, 3, 0, 3}, ten}};
  for (const Case& c : cases) {
    ByteList level = c.texel;  // a second texel of zeros before it
    level.insert(level.begin(), c.texel.size(), 0);
    const Surface surface = read({.vk_format = c.vk_format, .width = 2, .height = 1, .levels = {level}});
    EXPECT_EQ(codes(surface, 1, 0, c.top), c.codes) << c.vk_format;
    EXPECT_EQ(codes(surface, 0, 0, c.top)[0], 0u) << c.vk_format;
  }
  const Surface integers = read({.vk_format = 49, .levels = {{0xff, 2, 3, 0x80}}});
  EXPECT_EQ(integers.format, Format::B8G8R8A8_SINT);
  EXPECT_EQ(fetch(integers, 0, 0, 0, 0).texel.bits, (Codes{3, 2, 0xffffffff, 0xffffff80}));
  const Surface unsigned_integers = read({.vk_format = 34, .levels = {{1, 2, 200}}});
  EXPECT_EQ(fetch(unsigned_integers, 0, 0, 0, 0).texel.bits, (Codes{200, 2, 1, 1}));
}

TEST(Ktx2Formats, LevelsAndSlicesOfPackedFormats) {
  ByteList first(5 * 3 * 2 * 2), second(2 * 1 * 2 * 2);
  for (std::size_t i = 0; i < first.size(); ++i) first[i] = static_cast<std::uint8_t>(i);
  for (std::size_t i = 0; i < second.size(); ++i) second[i] = static_cast<std::uint8_t>(100 + i);
  // R10X6: the upper 10 bits of 16.
  const Ktx2File file{.vk_format = 1000156007, .width = 5, .height = 3, .layers = 2, .levels = {first, second}};
  const Codes ten{1023, 1023, 1023, 3};
  const Surface surface = read(file);
  EXPECT_EQ(codes(surface, 4, 2, ten, 0, 1), (Codes{(59 * 256 + 58) >> 6, 0, 0, 3}));
  EXPECT_EQ(codes(surface, 1, 0, ten, 1, 1), (Codes{(107 * 256 + 106) >> 6, 0, 0, 3}));
  Ktx2File cut = file;
  cut.levels[1].pop_back();
  EXPECT_EQ(refused(cut.bytes()).id, "ktx2-level");
}

TEST(Ktx2Formats, ChromaOfPairs) {
  const Codes eight{255, 255, 255, 255};
  // One level of an even width stays a 4:2:2 surface.
  const Surface plain = read({.vk_format = 1000156000, .width = 2, .height = 1, .levels = {{1, 2, 3, 4}}});
  EXPECT_EQ(plain.format, Format::YCRCB_NORMAL);
  EXPECT_EQ(codes(plain, 1, 0, eight), (Codes{4, 3, 2, 255}));
  // A line with levels: chroma in every texel.
  const Surface line = read({.vk_format = 1000156000,
                             .width = 4,
                             .height = 0,
                             .levels = {{1, 2, 3, 4, 5, 6, 7, 8}, {11, 12, 13, 14}, {21, 22, 23, 24}}},
                            1);
  EXPECT_EQ(line.type, SurfaceType::Dim1);
  EXPECT_EQ(line.format, Format::R8G8B8A8_UNORM);
  EXPECT_EQ(codes(line, 0, 0, eight), (Codes{4, 1, 2, 255}));
  EXPECT_EQ(codes(line, 3, 0, eight), (Codes{8, 7, 6, 255}));
  EXPECT_EQ(codes(line, 1, 0, eight, 1), (Codes{14, 13, 12, 255}));
  EXPECT_EQ(codes(line, 0, 0, eight, 2), (Codes{24, 21, 22, 255}));
  // Chroma first, odd width, two rows.
  const Surface odd = read({.vk_format = 1000156001,
                            .width = 3,
                            .height = 2,
                            .levels = {{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}}},
                           1);
  EXPECT_EQ(codes(odd, 2, 1, eight), (Codes{15, 14, 13, 255}));
  EXPECT_EQ(codes(odd, 1, 0, eight), (Codes{3, 4, 1, 255}));
  // 16 bits, and 10 bits in the upper part of 16.
  const Codes wide{65535, 65535, 65535, 65535}, ten{1023, 1023, 1023, 3};
  const ByteList words{1, 0x10, 2, 0x20, 3, 0x30, 4, 0x40};
  const Surface sixteen = read({.vk_format = 1000156027, .width = 2, .height = 1, .levels = {words}});
  EXPECT_EQ(codes(sixteen, 0, 0, wide), (Codes{0x4004, 0x1001, 0x2002, 65535}));
  EXPECT_EQ(codes(sixteen, 1, 0, wide), (Codes{0x4004, 0x3003, 0x2002, 65535}));
  const Surface tens = read({.vk_format = 1000156011, .width = 2, .height = 1, .levels = {words}});
  EXPECT_EQ(codes(tens, 0, 0, ten), (Codes{0xc0, 0x80, 0x40, 3}));
  EXPECT_EQ(codes(tens, 1, 0, ten), (Codes{0xc0, 0x100, 0x40, 3}));
}

TEST(Ktx2Formats, ZlibLevels) {
  const Surface made = make(Format::R8G8B8A8_UNORM, 8, 4);
  Ktx2File file{
      .width = 8, .height = 4, .scheme = 3, .levels = {zlib_packed(made.memory->copy())}, .uncompressed = {128}};
  EXPECT_EQ(*read(file).memory, *made.memory);
  const Ktx2File packed{
      .vk_format = 1000156007, .width = 2, .scheme = 3, .levels = {zlib_packed({1, 2, 3, 4})}, .uncompressed = {4}};
  EXPECT_EQ(*read(packed).memory, (ByteList{8, 0, 0, 0xc0, 16, 0, 0, 0xc0}));
  file.uncompressed = {127};
  EXPECT_EQ(refused(file.bytes()).place.offset, 80u);
  file = {.width = 8, .height = 4, .scheme = 3, .levels = {zlib_packed(ByteList(127))}, .uncompressed = {128}};
  EXPECT_EQ(refused(file.bytes()).id, "ktx2-level");  // one byte too few in the stream
  file.levels = {zlib_packed(ByteList(129))};
  EXPECT_EQ(refused(file.bytes()).id, "ktx2-level");
  file.levels = {ByteList(40, 7)};
  const base::Diagnostic damaged = refused(file.bytes());
  EXPECT_EQ(damaged.place.offset, 132u);
  EXPECT_NE(damaged.message.find("ZLIB"), std::string::npos);
}

TEST(Ktx2Formats, RefusalsSayTheWayOut) {
  const std::pair<std::uint32_t, const char*> kFormats[] = {{1000156017, "16 bits"},  // 12 bits of a channel
                                                            {1000054000, "PVRTexTool"},
                                                            {1000156003, "each plane"},
                                                            {1000288000, "2D blocks"},
                                                            {110, "32 bits"}};
  for (const auto& [vk_format, way_out] : kFormats) {
    const base::Diagnostic d =
        refused(Ktx2File{.vk_format = vk_format, .width = 12, .height = 12, .levels = {{}}}.bytes());
    ASSERT_EQ(d.notes.size(), 1u) << vk_format;
    EXPECT_NE(d.notes[0].message.find(way_out), std::string::npos) << d.notes[0].message;
  }
}

TEST(Ktx2Formats, EveryVkFormatIsReadOrRefusedByName) {
  std::vector<std::uint32_t> formats;
  for (std::uint32_t i = 0; i <= 184; ++i) formats.push_back(i);
  for (std::uint32_t i = 0; i < 8; ++i) formats.push_back(1000054000 + i);
  for (std::uint32_t i = 0; i < 14; ++i) formats.push_back(1000066000 + i);
  for (std::uint32_t i = 0; i < 34; ++i) formats.push_back(1000156000 + i);
  for (std::uint32_t i = 0; i < 30; ++i) formats.push_back(1000288000 + i);
  for (std::uint32_t i = 0; i < 4; ++i) formats.push_back(1000330000 + i);
  for (const std::uint32_t i : {1000340000u, 1000340001u, 1000470000u, 1000470001u}) formats.push_back(i);
  unsigned readable = 0;
  for (const std::uint32_t vk_format : formats) {
    // The size that a first try is told to have.
    Ktx2File file{.vk_format = vk_format, .width = 12, .height = 12, .levels = {{}}};
    const base::Diagnostic first = refused(file.bytes());
    if (first.id == "ktx2-format") {
      EXPECT_EQ(first.place.offset, 12u) << vk_format;
      EXPECT_NE(first.message.find(std::to_string(vk_format)), std::string::npos) << first.message;
      // A family that has a name has a way out.
      if (first.message.find('(') != std::string::npos && vk_format != 0) {
        EXPECT_EQ(first.notes.size(), 1u) << vk_format;
      }
      continue;
    }
    ++readable;
    ASSERT_EQ(first.id, "ktx2-level") << vk_format;
    const std::size_t at = first.message.rfind(' ');
    file.levels[0].resize(std::stoul(first.message.substr(at)));
    const Surface surface = read(file);
    EXPECT_EQ(surface.width, 12u) << vk_format;
    EXPECT_TRUE(decodable(surface.info())) << vk_format;
  }
  EXPECT_EQ(formats.size(), 279u);
  EXPECT_EQ(readable, 201u);
}

}  // namespace
}  // namespace heddle::image
