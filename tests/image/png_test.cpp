// SPDX-License-Identifier: MIT
// PNG: every color type and depth in, conversions out.

#include <gtest/gtest.h>

#include <cmath>

#include "files_support.hpp"

namespace heddle::image {
namespace {

using namespace files_test;

TEST(Png, EveryColorTypeAndDepthExpands) {
  using Row = std::vector<int>;
  const auto texels = [](const ByteList& bytes) {
    const Surface surface = decoded(bytes);
    EXPECT_EQ(surface.format, Format::R8G8B8A8_UNORM);
    return Row(surface.memory->begin(), surface.memory->end());
  };
  EXPECT_EQ(texels(make_png(0, 1, 3, 1, {0b10100000})), (Row{255, 255, 255, 255, 0, 0, 0, 255, 255, 255, 255, 255}));
  EXPECT_EQ(texels(make_png(0, 2, 3, 1, {0b00011100})), (Row{0, 0, 0, 255, 85, 85, 85, 255, 255, 255, 255, 255}));
  EXPECT_EQ(texels(make_png(0, 4, 2, 1, {0x1f})), (Row{17, 17, 17, 255, 255, 255, 255, 255}));
  EXPECT_EQ(texels(make_png(0, 8, 2, 1, {1, 200}, true)), (Row{1, 1, 1, 0, 200, 200, 200, 255}));
  EXPECT_EQ(texels(make_png(4, 8, 1, 1, {50, 60})), (Row{50, 50, 50, 60}));
  EXPECT_EQ(texels(make_png(2, 8, 1, 1, {1, 2, 3})), (Row{1, 2, 3, 255}));
  EXPECT_EQ(texels(make_png(6, 8, 1, 1, {1, 2, 3, 4})), (Row{1, 2, 3, 4}));
  EXPECT_EQ(texels(make_png(3, 2, 4, 1, {0b11100100})),
            (Row{30, 60, 90, 255, 20, 40, 60, 255, 10, 20, 30, 255, 0, 0, 0, 255}));
  EXPECT_EQ(texels(make_png(3, 8, 2, 1, {1, 2}, true)), (Row{10, 20, 30, 99, 20, 40, 60, 255}));
  const Surface wide = decoded(make_png(6, 16, 1, 1, {0x12, 0x34, 0, 1, 0xff, 0xff, 0x80, 0}));
  EXPECT_EQ(wide.format, Format::R16G16B16A16_UNORM);
  EXPECT_EQ(*wide.memory, (ByteList{0x34, 0x12, 1, 0, 0xff, 0xff, 0, 0x80}));
  const Surface gray16 = decoded(make_png(0, 16, 1, 1, {0x12, 0x34}));
  EXPECT_EQ(*gray16.memory, (ByteList{0x34, 0x12, 0x34, 0x12, 0x34, 0x12, 0xff, 0xff}));
  // A transparent color: gray 1, or black, at every depth.
  EXPECT_EQ(texels(make_png(0, 2, 2, 1, {0b01110000}, true)), (Row{85, 85, 85, 0, 255, 255, 255, 255}));
  EXPECT_EQ(texels(make_png(2, 8, 2, 1, {0, 0, 0, 0, 0, 1}, true)), (Row{0, 0, 0, 0, 0, 0, 1, 255}));
  const Surface clear16 = decoded(make_png(0, 16, 2, 1, {0, 1, 1, 1}, true));
  EXPECT_EQ(*clear16.memory, (ByteList{1, 0, 1, 0, 1, 0, 0, 0, 1, 1, 1, 1, 1, 1, 0xff, 0xff}));
  const Surface black16 = decoded(make_png(2, 16, 2, 1, {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1}, true));
  EXPECT_EQ(*black16.memory, (ByteList{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0xff, 0xff}));
}

// PNG 11.3.2.1: tRNS holds 16 bits a channel, of which those of the image's depth count.
TEST(Png, TransparentColorOfEveryDepth) {
  const auto texels = [](int color, int depth, const ByteList& raw, std::uint32_t width, const ByteList& transparent) {
    const Surface surface = decoded(with_chunk(make_png(color, depth, width, 1, raw), "tRNS", transparent));
    return std::vector<int>(surface.memory->begin(), surface.memory->end());
  };
  using Row = std::vector<int>;
  for (const std::uint8_t high : {0, 1, 0x80, 0xff}) {  // bits that do not count
    EXPECT_EQ(texels(0, 1, {0b01000000}, 2, {high, 1}), (Row{0, 0, 0, 255, 255, 255, 255, 0}));
    EXPECT_EQ(texels(0, 1, {0b01000000}, 2, {high, 0xff}), (Row{0, 0, 0, 255, 255, 255, 255, 0}));
    EXPECT_EQ(texels(0, 1, {0b01000000}, 2, {high, 0xfe}), (Row{0, 0, 0, 0, 255, 255, 255, 255}));
    EXPECT_EQ(texels(0, 2, {0b00100000}, 2, {high, 0xfe}), (Row{0, 0, 0, 255, 170, 170, 170, 0}));
    EXPECT_EQ(texels(0, 4, {0x1e}, 2, {high, 0xfe}), (Row{17, 17, 17, 255, 238, 238, 238, 0}));
    EXPECT_EQ(texels(0, 8, {1, 200}, 2, {high, 200}), (Row{1, 1, 1, 255, 200, 200, 200, 0}));
    EXPECT_EQ(texels(2, 8, {1, 2, 3, 1, 2, 4}, 2, {high, 1, 0, 2, high, 4}), (Row{1, 2, 3, 255, 1, 2, 4, 0}));
  }
  // All 16 bits count at that depth.
  const Surface wide = decoded(with_chunk(make_png(0, 16, 2, 1, {0x12, 0x34, 0x13, 0x34}), "tRNS", {0x12, 0x34}));
  EXPECT_EQ(*wide.memory,
            (ByteList{0x34, 0x12, 0x34, 0x12, 0x34, 0x12, 0, 0, 0x34, 0x13, 0x34, 0x13, 0x34, 0x13, 0xff, 0xff}));
  // A palette: colors behind the end of tRNS are opaque, at every depth.
  EXPECT_EQ(texels(3, 1, {0b01000000}, 2, {9}), (Row{0, 0, 0, 9, 10, 20, 30, 255}));
  EXPECT_EQ(texels(3, 2, {0b00011011}, 4, {9, 8}), (Row{0, 0, 0, 9, 10, 20, 30, 8, 20, 40, 60, 255, 30, 60, 90, 255}));
  EXPECT_EQ(texels(3, 4, {0x03}, 2, {9, 8, 7, 6}), (Row{0, 0, 0, 9, 30, 60, 90, 6}));
  EXPECT_EQ(texels(3, 8, {1, 2}, 2, {9}), (Row{10, 20, 30, 255, 20, 40, 60, 255}));
}

TEST(Png, SrgbIsAnOption) {
  const ByteList bytes = make_png(2, 8, 1, 1, {1, 2, 3});
  EXPECT_EQ(decoded(bytes, {.srgb = true}).format, Format::R8G8B8A8_UNORM_SRGB);
  EXPECT_EQ((*decoded(bytes, {.srgb = true}).memory)[2], 3);
  EXPECT_EQ(decoded(make_png(0, 16, 1, 1, {1, 2}), {.srgb = true}).format, Format::R16G16B16A16_UNORM);
}

TEST(Png, InterlacedFile) {
  const Surface surface = decoded(interlaced_png());
  ASSERT_EQ(surface.width, 11u);
  ASSERT_EQ(surface.height, 7u);
  for (std::uint32_t y = 0; y < 7; ++y)
    for (std::uint32_t x = 0; x < 11; ++x) EXPECT_EQ((*surface.memory)[(y * 11 + x) * 4], (x * 20 + y * 3) & 255);
}

TEST(Png, StoredCodesComeBack) {
  for (const Format format : {Format::R8G8B8A8_UNORM, Format::R8G8B8A8_UNORM_SRGB, Format::R16G16B16A16_UNORM}) {
    const Surface surface = make(format, 37, 11);
    base::Diagnostics notes;
    const auto bytes = encode_image(surface, FileKind::Png, {}, &notes);
    ASSERT_TRUE(bytes.ok());
    EXPECT_TRUE(notes.empty());
    const Surface back = decoded(*bytes, {.srgb = format == Format::R8G8B8A8_UNORM_SRGB});
    EXPECT_EQ(back.format, format);
    EXPECT_EQ(*back.memory, *surface.memory);
  }
}

TEST(Png, OtherFormatsAreConvertedAndClamped) {
  const auto save = [](const Surface& surface, unsigned expected_notes) {
    base::Diagnostics notes;
    const auto bytes = encode_image(surface, FileKind::Png, {}, &notes);
    EXPECT_TRUE(bytes.ok());
    EXPECT_EQ(notes.all().size(), expected_notes) << surface.info().name;
    for (const base::Diagnostic& note : notes.all()) EXPECT_TRUE(note.id == "png-format" || note.id == "image-slice");
    EXPECT_FALSE(notes.has_errors());
    return bytes.ok() ? decoded(*bytes) : Surface{};
  };
  Surface floats = make(Format::R32G32B32A32_FLOAT, 2, 1);
  set_texel(floats, 0, 0, {0.5f, 2.0f, -1.0f, 1.0f});
  set_texel(floats, 1, 0, {0.25f, NAN, 0.0f, 0.75f});
  EXPECT_EQ(*save(floats, 1).memory, (ByteList{128, 255, 0, 255, 64, 0, 0, 191}));
  Surface red = make(Format::R8_UNORM, 2, 1);
  *red.memory = {3, 250};
  EXPECT_EQ(*save(red, 0).memory, (ByteList{3, 3, 3, 255, 250, 250, 250, 255}));
  Surface two = make(Format::R8G8_UNORM, 1, 1);
  *two.memory = {3, 250};
  EXPECT_EQ(*save(two, 0).memory, (ByteList{3, 250, 0, 255}));
  Surface integers = make(Format::R8G8B8A8_SINT, 1, 1);
  *integers.memory = {5, 0x80, 127, 1};
  EXPECT_EQ(*save(integers, 1).memory, (ByteList{5, 0, 127, 1}));
  Surface words = make(Format::R32_UINT, 1, 1);
  *words.memory = {1, 2, 3, 0};
  EXPECT_EQ((*save(words, 1).memory)[1], 0xff);
  Surface ten = make(Format::R10G10B10A2_UNORM, 1, 1);
  *ten.memory = {0xff, 0x03, 0x00, 0xc0};
  const Surface wide = save(ten, 0);
  EXPECT_EQ(wide.format, Format::R16G16B16A16_UNORM);
  EXPECT_EQ(*wide.memory, (ByteList{0xff, 0xff, 0, 0, 0, 0, 0xff, 0xff}));
  Surface mips;
  mips.width = mips.height = 4;
  mips.levels = 2;
  mips = filled(std::move(mips), 1);
  EXPECT_EQ(save(mips, 1).width, 4u);
  const auto second = encode_image(mips, FileKind::Png, {.level = 1});
  ASSERT_TRUE(second.ok());
  EXPECT_EQ(decoded(*second).width, 2u);
  EXPECT_EQ(encode_image(mips, FileKind::Png, {.level = 2}).diagnostics().at(0).id, "image-slice");
}

}  // namespace
}  // namespace heddle::image
