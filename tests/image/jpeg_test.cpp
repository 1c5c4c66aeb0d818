// SPDX-License-Identifier: MIT
// JPEG: each way of coding and each set of colors, flat pictures whose values follow by arithmetic; what is broken.

#include <gmock/gmock.h>

#include <cstddef>
#include <cstdio>
#include <cstdlib>

#include <jpeglib.h>  // needs the two above

#include "files_support.hpp"

namespace heddle::image {
namespace {

using namespace files_test;
using ::testing::HasSubstr;
using Row = std::vector<int>;

constexpr std::uint32_t kSide = 24;

struct Written {
  J_COLOR_SPACE from = JCS_RGB;  ///< of `texel`
  J_COLOR_SPACE inside = JCS_YCbCr;
  ByteList texel = {200, 100, 50};
  bool progressive = false, arithmetic = false, adobe = true;
  unsigned restart = 0;
  ByteList application = {};  ///< content of a marker APP1
  bool noisy = false;         ///< not flat

  [[nodiscard]] ByteList bytes() const {
    jpeg_compress_struct info{};
    jpeg_error_mgr errors{};
    info.err = jpeg_std_error(&errors);
    jpeg_create_compress(&info);
    unsigned char* to = nullptr;
    unsigned long size = 0;
    jpeg_mem_dest(&info, &to, &size);
    info.image_width = info.image_height = kSide;
    info.input_components = static_cast<int>(texel.size());
    info.in_color_space = from;
    jpeg_set_defaults(&info);
    jpeg_set_colorspace(&info, inside);
    jpeg_set_quality(&info, 100, TRUE);
    if (progressive) jpeg_simple_progression(&info);
    info.arith_code = arithmetic ? TRUE : FALSE;
    info.restart_interval = restart;
    if (!adobe) info.write_Adobe_marker = FALSE;
    jpeg_start_compress(&info, TRUE);
    if (!application.empty())
      jpeg_write_marker(&info, JPEG_APP0 + 1, application.data(), static_cast<unsigned>(application.size()));
    ByteList row;
    for (std::uint32_t x = 0; x < kSide; ++x) row.insert(row.end(), texel.begin(), texel.end());
    for (std::uint32_t y = 0; y < kSide; ++y) {
      if (noisy)
        for (std::size_t i = 0; i < row.size(); ++i) row[i] = static_cast<std::uint8_t>((i * 37 + y * 91) % 251);
      JSAMPROW pointer = row.data();
      jpeg_write_scanlines(&info, &pointer, 1);
    }
    jpeg_finish_compress(&info);
    ByteList bytes(to, to + size);
    jpeg_destroy_compress(&info);
    std::free(to);
    return bytes;
  }
};

Surface read(const ByteList& bytes, std::vector<std::string> expected_notes = {}) {
  base::Diagnostics notes;
  auto surface = decode_image(bytes, "a.jpg", {}, {}, &notes);
  EXPECT_TRUE(surface.ok()) << (surface.ok() ? "" : surface.diagnostics()[0].message);
  EXPECT_EQ(notes.all().size(), expected_notes.size()) << (notes.empty() ? "" : notes.all()[0].message);
  for (std::size_t i = 0; i < std::min(notes.all().size(), expected_notes.size()); ++i) {
    EXPECT_EQ(notes.all()[i].id, "jpeg-data");
    EXPECT_THAT(notes.all()[i].message, HasSubstr(expected_notes[i]));
  }
  return surface.ok() ? std::move(surface).value() : Surface{};
}

/// Every texel is that one, within the last code of a conversion.
void expect_flat(const Surface& surface, const Row& texel) {
  ASSERT_EQ(surface.format, Format::R8G8B8A8_UNORM);
  ASSERT_EQ(surface.memory->size(), std::size_t{kSide} * kSide * 4);
  for (std::size_t i = 0; i < surface.memory->size(); ++i) ASSERT_NEAR((*surface.memory)[i], texel[i % 4], 1) << i;
}

TEST(Jpeg, EveryCoding) {
  const Row texel{200, 100, 50, 255};
  expect_flat(read(Written{}.bytes()), texel);
  expect_flat(read(Written{.progressive = true}.bytes()), texel);
  expect_flat(read(Written{.arithmetic = true}.bytes()), texel);
  expect_flat(read(Written{.progressive = true, .arithmetic = true}.bytes()), texel);
  expect_flat(read(Written{.restart = 1}.bytes()), texel);
  expect_flat(read(Written{.inside = JCS_RGB}.bytes()), texel);
  expect_flat(read(Written{.from = JCS_GRAYSCALE, .inside = JCS_GRAYSCALE, .texel = {77}}.bytes()), {77, 77, 77, 255});
}

// IMF-9: 40, 80, 160 of 255 of light through the inks, 204 through black: times 0.8.
TEST(Jpeg, InksAreMultiplied_IMF9) {
  const Row texel{32, 64, 128, 255};
  for (const J_COLOR_SPACE inside : {JCS_CMYK, JCS_YCCK})
    expect_flat(read(Written{.from = JCS_CMYK, .inside = inside, .texel = {40, 80, 160, 204}}.bytes(), {"CMYK"}),
                texel);
  // Without Adobe's marker the file holds the inks themselves.
  expect_flat(read(Written{.from = JCS_CMYK, .inside = JCS_CMYK, .texel = {215, 175, 95, 51}, .adobe = false}.bytes(),
                   {"CMYK"}),
              texel);
}

// IMF-9.
TEST(Jpeg, OrientationIsSaidNotApplied) {
  const ByteList little{'E', 'x', 'i',  'f', 0, 0, 'I', 'I', 42, 0, 8, 0, 0, 0,
                        1,   0,   0x12, 1,   3, 0, 1,   0,   0,  0, 6, 0, 0, 0};
  const ByteList big{'E', 'x', 'i', 'f',  0, 0, 'M', 'M', 0, 42, 0, 0, 0, 8,
                     0,   1,   1,   0x12, 0, 3, 0,   0,   0, 1,  0, 3, 0, 0};
  read(Written{.application = little}.bytes(), {"orientation 6 is not applied"});
  read(Written{.application = big}.bytes(), {"orientation 3 is not applied"});
  ByteList upright = little;
  upright[24] = 1;
  read(Written{.application = upright}.bytes());
  for (std::size_t size = 0; size < little.size() - 4; ++size)
    read(Written{.application = ByteList(little.begin(), little.begin() + static_cast<std::ptrdiff_t>(size))}.bytes());
}

TEST(Jpeg, StrangeBytesBetweenMarkersArePassedOver) {
  ByteList bytes = Written{}.bytes();
  const ByteList junk{1, 2, 3, 4, 5, 6, 7, 8};  // behind APP0
  bytes.insert(bytes.begin() + 20, junk.begin(), junk.end());
  expect_flat(read(bytes, {"8 extraneous bytes"}), {200, 100, 50, 255});
}

TEST(Jpeg, OnlyTheEndMarkIsMissing) {
  for (const bool progressive : {false, true}) {
    const ByteList whole = Written{.progressive = progressive, .noisy = true}.bytes();
    const ByteList cut(whole.begin(), whole.end() - 2);
    const Surface surface = read(cut, {"without an end mark"});
    EXPECT_EQ(*surface.memory, *decoded(whole).memory);
  }
}

TEST(Jpeg, WhatIsCutOffIsRefused) {
  for (const bool progressive : {false, true})
    for (const bool arithmetic : {false, true}) {
      const ByteList whole = Written{.progressive = progressive, .arithmetic = arithmetic, .noisy = true}.bytes();
      for (std::size_t part = 1; part < 32; ++part) {
        const ByteList cut(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(whole.size() * part / 32));
        EXPECT_EQ(refused(cut).id, "jpeg-data") << progressive << part;
      }
    }
}

TEST(Jpeg, WhatIsBrokenIsRefused) {
  const auto with = [](std::size_t at_marker, std::size_t offset, int value) {
    ByteList bytes = Written{}.bytes();
    for (std::size_t i = 0; i + 1 < bytes.size(); ++i)
      if (bytes[i] == 0xff && bytes[i + 1] == at_marker) {
        bytes[i + offset] = static_cast<std::uint8_t>(value);
        break;
      }
    return refused(bytes);
  };
  EXPECT_THAT(with(0xc0, 4, 12).message, HasSubstr("precision 12"));
  EXPECT_THAT(with(0xc0, 1, 0xc3).message, HasSubstr("SOF"));  // lossless
  EXPECT_EQ(with(0xc0, 5, 0xff).id, "jpeg-data");              // higher than the data can be
  EXPECT_EQ(with(0xc0, 8, 0).id, "jpeg-data");
  EXPECT_EQ(refused({0xff, 0xd8, 0xff}).id, "jpeg-data");
  base::Limits limits;
  limits.surface_bytes = 10;
  EXPECT_EQ(refused(Written{}.bytes(), limits).id, "limit-surface");
}

TEST(Jpeg, DamageInsideIsSaid) {
  ByteList bytes = Written{.restart = 1, .noisy = true}.bytes();
  for (std::size_t i = bytes.size() / 2; i + 1 < bytes.size(); ++i)
    if (bytes[i] == 0xff && bytes[i + 1] >= 0xd0 && bytes[i + 1] <= 0xd7) {
      bytes[i + 1] = static_cast<std::uint8_t>(0xd0 | ((bytes[i + 1] + 1) & 7));
      break;
    }
  read(bytes, {"its texels may be wrong"});
}

}  // namespace
}  // namespace heddle::image
