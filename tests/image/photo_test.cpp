// SPDX-License-Identifier: MIT
// JPEG, BMP, TGA and WebP: what other programs' writers make of a picture comes back; what is cut off or damaged is
// said.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <webp/encode.h>

#include <cstdlib>
#include <random>
#include <vector>

#include "image/files/files.hpp"
#include "image/surface.hpp"

#define STB_IMAGE_WRITE_STATIC
#define STB_IMAGE_WRITE_IMPLEMENTATION
#define STBI_WRITE_NO_STDIO
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"
#include <stb/stb_image_write.h>
#pragma GCC diagnostic pop

namespace heddle::image {
namespace {

using ::testing::HasSubstr;
using File = std::vector<std::uint8_t>;

constexpr int kWidth = 19, kHeight = 7;

/// Smooth, so that JPEG's loss is small; alpha is 255.
File picture() {
  File texels;
  for (int y = 0; y < kHeight; ++y)
    for (int x = 0; x < kWidth; ++x)
      for (const int value : {x * 12, y * 30, 128, 255}) texels.push_back(static_cast<std::uint8_t>(value));
  return texels;
}

void append(void* context, void* data, int size) {
  const auto* bytes = static_cast<const std::uint8_t*>(data);
  static_cast<File*>(context)->insert(static_cast<File*>(context)->end(), bytes, bytes + size);
}

struct Written {
  std::string name, id;  ///< the file's, and of messages about it
  File file;
  int tolerance;
};

std::vector<Written> written() {
  const File texels = picture();
  std::vector<Written> all{{"a.jpg", "jpeg-data", {}, 12},
                           {"a.bmp", "bmp-data", {}, 0},
                           {"a.tga", "tga-data", {}, 0},
                           {"run.tga", "tga-data", {}, 0},
                           {"a.webp", "webp-data", {}, 0}};
  stbi_write_jpg_to_func(append, &all[0].file, kWidth, kHeight, 4, texels.data(), 95);
  stbi_write_bmp_to_func(append, &all[1].file, kWidth, kHeight, 4, texels.data());
  stbi_write_tga_with_rle = 0;
  stbi_write_tga_to_func(append, &all[2].file, kWidth, kHeight, 4, texels.data());
  stbi_write_tga_with_rle = 1;
  stbi_write_tga_to_func(append, &all[3].file, kWidth, kHeight, 4, texels.data());
  std::uint8_t* out = nullptr;
  const std::size_t size = WebPEncodeLosslessRGBA(texels.data(), kWidth, kHeight, kWidth * 4, &out);
  all[4].file.assign(out, out + size);
  WebPFree(out);
  return all;
}

TEST(Photo, PicturesComeBack) {
  const File texels = picture();
  for (const Written& w : written()) {
    for (const bool srgb : {false, true}) {
      const auto image = decode_image(w.file, w.name, {.srgb = srgb});
      ASSERT_TRUE(image.ok()) << w.name << image.diagnostics()[0].message;
      EXPECT_EQ(image->width, static_cast<std::uint32_t>(kWidth));
      EXPECT_EQ(image->height, static_cast<std::uint32_t>(kHeight));
      EXPECT_EQ(image->format, srgb ? Format::R8G8B8A8_UNORM_SRGB : Format::R8G8B8A8_UNORM);
      const File read = packed_texels(*image);
      ASSERT_EQ(read.size(), texels.size());
      int worst = 0;
      for (std::size_t i = 0; i < read.size(); ++i) worst = std::max(worst, std::abs(read[i] - texels[i]));
      EXPECT_LE(worst, w.tolerance) << w.name;
    }
  }
}

TEST(Photo, WhatIsCutOffOrTooLargeIsSaid) {
  for (const Written& w : written()) {
    for (std::size_t part = 0; part < 16; ++part) {
      const File cut(w.file.begin(), w.file.begin() + static_cast<std::ptrdiff_t>(w.file.size() * part / 16));
      const auto image = decode_image(cut, w.name);
      ASSERT_FALSE(image.ok()) << w.name << " " << part;
      if (cut.size() > 20) EXPECT_EQ(image.diagnostics()[0].id, w.id);
    }
    base::Limits small;
    small.surface_bytes = 100;
    const auto image = decode_image(w.file, w.name, {}, small);
    ASSERT_FALSE(image.ok());
    EXPECT_EQ(image.diagnostics()[0].id, "limit-surface") << w.name;
  }
  const auto none = decode_image(File{1, 2, 3, 4}, "a.tga");
  ASSERT_FALSE(none.ok());
  EXPECT_EQ(none.diagnostics()[0].id, "image-kind");
}

TEST(Photo, DamagedFilesEndInAMessageOrAPicture) {
  std::mt19937 random(7);
  for (const Written& w : written())
    for (int n = 0; n < 400; ++n) {
      File damaged = w.file;
      for (unsigned k = 0; k < 1 + random() % 4; ++k)
        damaged[random() % damaged.size()] = static_cast<std::uint8_t>(random());
      base::Limits limits;
      limits.surface_bytes = 1 << 20;
      const auto image = decode_image(damaged, w.name, {}, limits);
      if (image.ok()) EXPECT_EQ(packed_texels(*image).size(), std::size_t{image->width} * image->height * 4);
    }
}

}  // namespace
}  // namespace heddle::image
