// SPDX-License-Identifier: MIT
// KTX2: round trips, known bytes, refusals.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/byte_cursor.hpp"
#include "image/files/ktx2/descriptor.hpp"
#include "ktx2_support.hpp"

namespace heddle::image {
namespace {

using namespace files_test;

TEST(Ktx2, EveryVulkanFormatComesBack) {
  unsigned formats = 0;
  for (const FormatInfo& format : all_formats()) {
    const bool scaled =
        format.channels[0].type == ChannelType::Uscaled || format.channels[0].type == ChannelType::Sscaled;
    const bool written = vulkan_format(format.format) && format.compression != Compression::Planar420 && !scaled;
    if (!decodable(format)) continue;
    const Surface surface = make(format.format, 14, 9);
    const auto bytes = encode_image(surface, FileKind::Ktx2);
    const bool luminance = format.format == Format::L8_UNORM_SRGB;
    ASSERT_EQ(bytes.ok(), written || luminance) << format.name;
    if (!bytes.ok()) continue;
    ++formats;
    const Surface back = decoded(*bytes);
    EXPECT_EQ(back.format, luminance ? Format::R8_UNORM_SRGB : format.format) << format.name;
    EXPECT_EQ(*back.memory, *surface.memory) << format.name;
  }
  EXPECT_EQ(formats, 161u);
}

TEST(Ktx2, EveryShapeComesBack) {
  for (const bool zstd : {false, true}) {
    std::vector<Surface> shapes;
    const auto add = [&](auto change) {
      Surface surface;
      surface.format = shapes.size() % 2 == 0 ? Format::R8G8B8_UNORM : Format::BC7_UNORM;
      surface.width = 19;
      surface.height = 12;
      change(surface);
      surface.mip_count = surface.levels - 1;
      surface.rt_extent = surface.layers - 1;
      shapes.push_back(filled(std::move(surface), static_cast<unsigned>(shapes.size())));
    };
    for (int i = 0; i < 2; ++i) {
      add([](Surface& s) { s.levels = 5; });
      add([](Surface& s) { s.array = true, s.layers = s.view_layers = 3, s.levels = 2; });
      add([](Surface& s) { s.array = true, s.layers = s.view_layers = 1; });
      add([](Surface& s) { s.type = SurfaceType::Dim3, s.depth = 5, s.levels = 3; });
      add([](Surface& s) { s.type = SurfaceType::Cube, s.width = 12, s.layers = 6, s.levels = 4; });
      add([](Surface& s) {
        s.type = SurfaceType::Cube, s.width = 12, s.array = true, s.layers = 12, s.view_layers = 2;
      });
      add([](Surface& s) { s.type = SurfaceType::Dim1, s.height = 1, s.levels = 3; });
      add([](Surface& s) { s.type = SurfaceType::Dim1, s.height = 1, s.array = true, s.layers = s.view_layers = 4; });
      shapes.push_back(make(Format::R8_UNORM, 3, 3));
    }
    for (const Surface& surface : shapes) {
      const auto bytes = encode_image(surface, FileKind::Ktx2, {.zstd = zstd});
      ASSERT_TRUE(bytes.ok());
      const Surface back = decoded(*bytes);
      EXPECT_EQ(back.type, surface.type);
      EXPECT_EQ(back.width, surface.width);
      EXPECT_EQ(back.height, surface.height);
      EXPECT_EQ(back.depth, surface.depth);
      EXPECT_EQ(back.levels, surface.levels);
      EXPECT_EQ(back.layers, surface.layers);
      EXPECT_EQ(back.view_layers, surface.view_layers);
      EXPECT_EQ(back.array, surface.array);
      EXPECT_EQ(back.mip_count, surface.mip_count);
      EXPECT_EQ(back.rt_extent, surface.rt_extent);
      EXPECT_EQ(*back.memory, *surface.memory);
    }
  }
}

TEST(Ktx2, FileHasTheSpecifiedBytes) {
  const auto bytes = encode_image(make(Format::R8G8B8A8_UNORM_SRGB, 2, 2), FileKind::Ktx2);
  ASSERT_TRUE(bytes.ok());
  base::ByteCursor cursor(*bytes, 12);
  const std::uint32_t header[] = {43, 1, 2, 2, 0, 0, 1, 1, 0, 104, 92, 196, 24, 0, 0, 0, 0};
  for (const std::uint32_t word : header) EXPECT_EQ(cursor.u32(), word);
  EXPECT_EQ(cursor.u64(), 220u);  // level 0: aligned to 4
  EXPECT_EQ(cursor.u64(), 16u);
  EXPECT_EQ(cursor.u64(), 16u);
  const std::uint32_t descriptor[] = {92, 0, 0x00580002, 0x00020101, 0, 4, 0,   0x00070000, 0, 0, 255, 0x01070008,
                                      0,  0, 255,        0x02070010, 0, 0, 255, 0x1f070018, 0, 0, 255};
  for (const std::uint32_t word : descriptor) EXPECT_EQ(cursor.u32(), word);
  EXPECT_EQ(cursor.u32(), 17u);
  EXPECT_EQ(base::as_text(cursor.take(17)), std::string_view("KTXwriter\0heddle", 17));
  EXPECT_EQ(bytes->size(), 236u);
}

TEST(Ktx2, Descriptors) {
  const auto words = [](Format format) {
    const ByteList bytes = data_format_descriptor(*format_info(format));
    std::vector<std::uint32_t> result;
    base::ByteCursor cursor(bytes);
    while (!cursor.at_end()) result.push_back(cursor.u32());
    return result;
  };
  EXPECT_EQ(words(Format::R16_FLOAT), (std::vector<std::uint32_t>{44, 0, 0x00280002, 0x00010101, 0, 2, 0, 0xc00f0000, 0,
                                                                  0xbf800000, 0x3f800000}));
  EXPECT_EQ(words(Format::R8_SNORM),
            (std::vector<std::uint32_t>{44, 0, 0x00280002, 0x00010101, 0, 1, 0, 0x40070000, 0, 0xffffff81, 0x7f}));
  EXPECT_EQ(words(Format::R8_SINT),
            (std::vector<std::uint32_t>{44, 0, 0x00280002, 0x00010101, 0, 1, 0, 0x40070000, 0, 0xffffffff, 1}));
  EXPECT_EQ(words(Format::BC3_UNORM_SRGB),
            (std::vector<std::uint32_t>{60, 0, 0x00380002, 0x00020182, 0x0303, 16, 0, 0x1f3f0000, 0, 0, 0xffffffff,
                                        0x003f0040, 0, 0, 0xffffffff}));
  EXPECT_EQ(words(Format::ASTC_LDR_2D_8X5_U8SRGB),
            (std::vector<std::uint32_t>{44, 0, 0x00280002, 0x000201a2, 0x0407, 16, 0, 0x007f0000, 0, 0, 0xffffffff}));
  EXPECT_EQ(words(Format::B5G6R5_UNORM),
            (std::vector<std::uint32_t>{76, 0, 0x00480002, 0x00010101, 0, 2, 0, 0x02040000, 0, 0, 31, 0x01050005, 0, 0,
                                        63, 0x0004000b, 0, 0, 31}));
  EXPECT_EQ(words(Format::R32_FLOAT_X8X24_TYPELESS),
            (std::vector<std::uint32_t>{60, 0, 0x00380002, 0x00010101, 0, 8, 0, 0xce1f0000, 0, 0xbf800000, 0x3f800000,
                                        0x0d070020, 0, 0, 1}));
  EXPECT_EQ(type_size(*format_info(Format::R10G10B10A2_UNORM)), 4u);
  EXPECT_EQ(type_size(*format_info(Format::R16G16B16_UNORM)), 2u);
  EXPECT_EQ(type_size(*format_info(Format::A4B4G4R4_UNORM)), 2u);
  EXPECT_EQ(type_size(*format_info(Format::BC1_UNORM)), 1u);
}

TEST(Ktx2, LuminanceOfSrgbIsWrittenAsRed) {
  auto bytes = encode_image(make(Format::L8_UNORM_SRGB, 2, 1), FileKind::Ktx2);
  ASSERT_TRUE(bytes.ok());
  EXPECT_EQ((*bytes)[12], 15);
  const Surface back = decoded(*bytes);
  EXPECT_EQ(back.format, Format::R8_UNORM_SRGB);
}

// IMF-11: texels and channels are the file's; a note says what the file asks for.
TEST(Ktx2, WhatAFileAsksForIsSaid_IMF11) {
  const auto notes_of = [](const std::vector<std::pair<std::string, std::string>>& pairs, std::size_t cut = 0) {
    base::ByteWriter keys;
    for (const auto& [key, value] : pairs) {
      const std::string text = key + '\0' + value + '\0';
      keys.u32(text.size());
      keys.bytes(std::string_view(text));
      for (std::size_t k = text.size(); k % 4 != 0; ++k) keys.bytes(std::string_view("\0", 1));
    }
    Ktx2File file{.width = 1, .height = 2, .levels = {{1, 2, 3, 4, 5, 6, 7, 8}}, .keys = keys.take()};
    file.keys.resize(file.keys.size() - cut);
    base::Diagnostics notes;
    const auto read = decode_image(file.bytes(), "k.ktx2", {}, {}, &notes);
    EXPECT_TRUE(read.ok());
    if (read.ok()) EXPECT_EQ(packed_texels(*read), (ByteList{1, 2, 3, 4, 5, 6, 7, 8}));
    std::string text;
    for (const base::Diagnostic& d : notes.all()) text += d.message + '\n';
    return text;
  };
  EXPECT_EQ(notes_of({{"KTXorientation", "rd"}, {"KTXswizzle", "rgba"}, {"KTXwriter", "somebody"}}), "");
  EXPECT_THAT(notes_of({{"KTXwriter", "somebody"}, {"KTXorientation", "ru"}}),
              ::testing::HasSubstr("KTXorientation 'ru': "));
  EXPECT_THAT(notes_of({{"KTXswizzle", "bgr1"}}), ::testing::HasSubstr("KTXswizzle 'bgr1' is not applied"));
  EXPECT_EQ(notes_of({{"KTXorientation", ""}, {"KTXswizzle", "rg"}}), "");
  EXPECT_EQ(notes_of({{"KTXorientation", "ru"}}, 9), "");  // cut off in the entry
}

TEST(Ktx2, RefusalsNameTheField) {
  const auto good = encode_image(make(Format::R8G8B8A8_UNORM, 4, 4), FileKind::Ktx2);
  ASSERT_TRUE(good.ok());
  const auto with = [&](std::size_t at, std::uint64_t value, unsigned size = 4) {
    ByteList bytes = *good;
    for (unsigned i = 0; i < size; ++i) bytes[at + i] = static_cast<std::uint8_t>(value >> (8 * i));
    return refused(bytes);
  };
  const auto check = [](const base::Diagnostic& diagnostic, const char* id, std::uint64_t offset) {
    EXPECT_EQ(diagnostic.id, id) << diagnostic.message;
    EXPECT_EQ(diagnostic.place.offset, offset) << diagnostic.message;
    EXPECT_EQ(diagnostic.place.file, "file");
  };
  check(with(12, 0), "ktx2-format", 12);           // VK_FORMAT_UNDEFINED
  check(with(12, 1000156003), "ktx2-format", 12);  // two planes
  check(with(20, 0), "ktx2-header", 20);
  check(with(20, 0x7fffffff), "surface-size", 20);
  check(with(28, 3, 4), "ktx2-level", 80);  // 3D now: three times the bytes
  check(with(32, 0xffffffff), "ktx2-header", 32);
  check(with(36, 5), "ktx2-header", 36);
  check(with(40, 4), "ktx2-header", 40);  // a fourth level of 4x4
  check(with(44, 1), "ktx2-format", 44);  // BasisLZ
  check(with(44, 2), "ktx2-level", 220);  // not Zstandard data
  check(with(48, 0xfffffff0), "ktx2-header", 48);
  check(with(104, 0), "ktx2-header", 104);
  check(with(56, 0xfffffff0), "ktx2-header", 56);
  check(with(80, 0xffffffffffffff00, 8), "ktx2-level", 80);
  check(with(88, 63, 8), "ktx2-level", 80);
  base::Limits limits;
  limits.surface_bytes = 63;
  const auto limited = refused(*good, limits);
  EXPECT_EQ(limited.id, "limit-surface");
  EXPECT_TRUE(limited.is_limit);
}

}  // namespace
}  // namespace heddle::image
