// SPDX-License-Identifier: MIT
// Rows, slices and blocks decoded at once are what fetch and decode_texel give, bit for bit, for every format.

#include "image/rows.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <random>
#include <string>

#include "base/half.hpp"
#include "image/format.hpp"
#include "image/formats/convert_rows.hpp"

namespace heddle::image {
namespace {

constexpr unsigned kSeed = 20260727;

/// What is different, or nothing. `words` holds `rows` rows of `width` texels.
std::string difference(const FormatInfo& format, const std::vector<std::uint8_t>& elements, std::uint32_t width,
                       std::uint32_t rows, bool srgb) {
  std::vector<std::uint32_t> words(std::size_t{4} * width * rows + 1, 0x5a5a5a5au);
  decode_rows(format, elements.data(), width, rows, srgb, words.data());
  if (words.back() != 0x5a5a5a5au) return "more is written than the texels have";
  for (std::uint32_t y = 0; y < rows; ++y)
    for (std::uint32_t x = 0; x < width; ++x) {
      const std::uint8_t* element = elements.data() + std::size_t{x / format.block_width} * format.bytes_per_element();
      const Texel texel = decode_texel(format, element, x % format.block_width, y, srgb);
      if (std::memcmp(texel.bits.data(), &words[(std::size_t{y} * width + x) * 4], 16) != 0)
        return std::to_string(x) + ", " + std::to_string(y) + " of " + std::to_string(width);
    }
  return {};
}

std::vector<std::uint8_t> random_bytes(std::size_t count, std::mt19937& random) {
  std::vector<std::uint8_t> bytes(count);
  for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(random());
  return bytes;
}

TEST(Rows, RandomElementsOfEveryFormat) {
  std::mt19937 random(kSeed);
  for (const FormatInfo& format : all_formats()) {
    // Runs of 256 texels and strips of 32 KiB are crossed, blocks are cut on both sides.
    const std::uint32_t columns = format.block_width == 1 ? 1021 : 600;
    const auto elements = random_bytes(std::size_t{columns} * format.bytes_per_element(), random);
    const std::uint32_t most = columns * format.block_width;
    for (const std::uint32_t width : {most, most - format.block_width + 1, 1u})
      for (const bool srgb : {true, false})
        for (const std::uint32_t rows : {std::uint32_t{format.block_height}, 1u})
          EXPECT_EQ(difference(format, elements, width, rows, srgb), "") << format.name << " seed " << kSeed;
  }
}

TEST(Rows, AllElementsOfUpTo16Bits) {
  for (const FormatInfo& format : all_formats()) {
    if (format.block_width != 1 || format.bits_per_element < 8 || format.bits_per_element > 16) continue;
    const std::uint32_t bytes = format.bytes_per_element(), count = 1u << format.bits_per_element;
    std::vector<std::uint8_t> elements(std::size_t{count} * bytes);
    for (std::uint32_t v = 0; v < count; ++v) std::memcpy(&elements[std::size_t{v} * bytes], &v, bytes);
    for (const bool srgb : {true, false}) EXPECT_EQ(difference(format, elements, count, 1, srgb), "") << format.name;
  }
}

TEST(Rows, AllValuesOfChannelsOfUpTo16Bits) {
  for (const FormatInfo& format : all_formats()) {
    if (format.block_width != 1 || format.bits_per_element <= 16) continue;
    const std::uint32_t bytes = format.bytes_per_element();
    std::vector<std::uint8_t> elements(std::size_t{0x10000} * bytes);
    // Sixteen bits again and again: every channel of so many bits, wherever it starts, sees all values.
    for (std::uint32_t v = 0; v < 0x10000; ++v)
      for (std::uint32_t i = 0; i < bytes; ++i)
        elements[std::size_t{v} * bytes + i] = static_cast<std::uint8_t>(i % 2 == 0 ? v : v >> 8);
    EXPECT_EQ(difference(format, elements, 0x10000, 1, true), "") << format.name;
  }
}

TEST(Rows, EveryMachineConvertsAlike) {
  std::mt19937 random(kSeed);
  const RowConversions &best = row_conversions(), &portable = portable_row_conversions();
  constexpr std::size_t kTexels = 1021;
  std::vector<std::uint32_t> words(4 * kTexels), expected(4 * kTexels);
  for (const bool srgb : {true, false}) {
    for (const FormatInfo& format : all_formats()) {
      if (format.codec != Codec::Plain && format.codec != Codec::Unorm8 && format.codec != Codec::Words) continue;
      const auto elements = random_bytes(kTexels * format.bytes_per_element(), random);
      best.channels(format, elements.data(), kTexels, srgb && format.is_srgb(), words.data());
      portable.channels(format, elements.data(), kTexels, srgb && format.is_srgb(), expected.data());
      EXPECT_EQ(words, expected) << format.name << " seed " << kSeed;
    }
    const auto values = random_bytes(4 * kTexels, random);
    best.bytes(values.data(), kTexels, srgb, words.data());
    portable.bytes(values.data(), kTexels, srgb, expected.data());
    EXPECT_EQ(words, expected);
    // All 8-bit values, their middles and NaN.
    for (std::size_t i = 0; i < words.size(); ++i)
      words[i] = i % 16 < 4 ? 0xffffe000u : base::bits_of(static_cast<float>(random() % 511) / 510.0f);
    expected = words;
    best.round_to_bytes(words.data(), kTexels, srgb);
    portable.round_to_bytes(expected.data(), kTexels, srgb);
    EXPECT_EQ(words, expected);
  }
  std::vector<std::uint16_t> halves(0x10000);
  words.resize(0x10000);
  expected.resize(0x10000);
  for (std::size_t h = 0; h < halves.size(); ++h) halves[h] = static_cast<std::uint16_t>(h);
  best.halves(halves.data(), halves.size() / 4, words.data());
  portable.halves(halves.data(), halves.size() / 4, expected.data());
  EXPECT_EQ(words, expected);
  for (std::size_t h = 0; h < halves.size(); ++h)
    EXPECT_EQ(words[h], base::bits_of(base::half_to_float(halves[h]))) << h;
}

/// Every slice of every level, by slices and by rows.
void expect_fetched(const Surface& surface, const std::string& what) {
  for (std::uint32_t level = 0; level < surface.levels; ++level) {
    const std::uint32_t width = surface.level_width(level), height = surface.level_height(level);
    for (std::uint32_t slice = 0; slice < surface.stored_slices(level); ++slice)
      for (const bool srgb : {true, false}) {
        std::vector<std::uint32_t> words(std::size_t{4} * width * height);
        decode_slice(surface, level, slice, words, srgb);
        RowReader reader(surface, level, slice, srgb);
        for (std::uint32_t up = 0; up < height; ++up) {
          const std::uint32_t y = height - 1 - up;
          const auto row = reader.row(y);
          ASSERT_EQ(row.size(), width);
          for (std::uint32_t x = 0; x < width; ++x) {
            const Texel texel = fetch(surface, level, slice, x, y, srgb).texel;
            ASSERT_EQ(std::memcmp(texel.bits.data(), &words[(std::size_t{y} * width + x) * 4], 16), 0)
                << what << " level " << level << " slice " << slice << " at " << x << ", " << y;
            ASSERT_EQ(texel, row[x]) << what << " row " << y << " of level " << level;
          }
        }
      }
  }
}

Surface made(const FormatInfo& format, std::mt19937& random, const std::function<void(Surface&)>& change = {}) {
  Surface surface;
  surface.format = format.format;
  surface.width = 22;
  surface.height = 13;
  if (format.compression != Compression::Ycrcb422 && format.compression != Compression::Planar420) {
    surface.layers = surface.view_layers = 3;
    surface.array = true;
    surface.levels = 4;
    surface.mip_count = 3;
  }
  if (change) change(surface);
  const auto done = allocate(surface);
  EXPECT_TRUE(done.ok()) << format.name;
  if (done.ok()) {
    const auto bytes = random_bytes(surface.memory->size(), random);
    std::copy(bytes.begin(), bytes.end(), surface.memory->begin());
  }
  return surface;
}

TEST(Rows, SlicesAndLevelsOfEveryFormat) {
  std::mt19937 random(kSeed);
  for (const FormatInfo& format : all_formats())
    if (decodable(format)) expect_fetched(made(format, random), std::string(format.name));
}

TEST(Rows, ShapesThatAreReadTexelByTexel) {
  std::mt19937 random(kSeed);
  for (const std::string_view name : {"R8G8B8A8_UNORM", "BC7_UNORM_SRGB", "R16_FLOAT", "ETC2_RGB8"}) {
    const FormatInfo& format = *find_format(name);
    for (const TileMode mode : {TileMode::X, TileMode::Y, TileMode::Tile4, TileMode::Tile64})
      expect_fetched(made(format, random, [&](Surface& s) { s.tile_mode = mode; }), std::string(name) + " tiled");
    const auto pages = [](Surface& s) { s.null_pages = {1}, s.null_page_bytes = 256; };
    expect_fetched(made(format, random, pages), std::string(name) + " with null pages");
    const auto texels = [](Surface& s) { s.null_texels = {{0, 0, 3, 2}}; };
    expect_fetched(made(format, random, texels), std::string(name) + " with a null texel");
    Surface lines = made(format, random, [](Surface& s) {
      s.array = false;
      s.layers = s.view_layers = s.levels = 1;
      s.mip_count = 0;
      s.vertical_line_stride = true;
      s.vertical_line_stride_offset = 1;
    });
    expect_fetched(lines, std::string(name) + " every other line");
  }
}

TEST(Rows, EntriesOfBuffers) {
  std::mt19937 random(kSeed);
  const auto expect_entries = [](const Surface& surface, const std::string& what) {
    std::vector<std::uint32_t> words(4 * surface.entries);
    decode_entries(surface, words);
    for (std::uint64_t i = 0; i < surface.entries; ++i)
      ASSERT_EQ(std::memcmp(fetch_entry(surface, i).texel.bits.data(), &words[4 * i], 16), 0) << what << " at " << i;
  };
  for (const FormatInfo& format : all_formats()) {
    if (!decodable(format) || format.compression != Compression::None) continue;
    for (const std::uint32_t step : {0u, format.bytes_per_element(), 36u}) {
      Surface surface = made(format, random, [&](Surface& s) {
        s = {};
        s.format = format.format;
        s.type = SurfaceType::Buffer;
        s.entries = 300;
        s.structure_size = step;
      });
      const std::string what = std::string(format.name) + " of " + std::to_string(step) + " bytes";
      expect_entries(surface, what);
      surface.null_texels = {{0, 0, 7, 0}};
      expect_entries(surface, what + " with a null entry");
      surface.null_texels = {};
      surface.base = 9;
      expect_entries(surface, what + " that end early");
      surface.memory = nullptr;
      expect_entries(surface, what + " without memory");
    }
  }
}

TEST(Rows, ANullSurfaceIsZeros) {
  Surface surface;
  surface.type = SurfaceType::Null;
  ASSERT_TRUE(allocate(surface).ok());
  std::vector<std::uint32_t> words(4, 7);
  decode_slice(surface, 0, 0, words);
  EXPECT_EQ(words, std::vector<std::uint32_t>(4, 0));
}

TEST(Rows, MemoryThatEndsEarly) {  // C22
  std::mt19937 random(kSeed);
  for (const std::string_view name : {"R8G8B8A8_UNORM", "BC1_UNORM", "ASTC_LDR_2D_5X5_FLT16"}) {
    const FormatInfo* format = find_format(name);
    ASSERT_NE(format, nullptr) << name;
    Surface surface = made(*format, random);
    const std::vector<std::uint8_t> bytes = surface.memory->copy();
    for (const std::size_t kept : {bytes.size() - 1, bytes.size() / 2, std::size_t{5}, std::size_t{0}}) {
      surface.memory = std::make_shared<Memory>(kept);
      std::copy_n(bytes.begin(), kept, surface.memory->begin());
      expect_fetched(surface, std::string(name) + " of " + std::to_string(kept) + " bytes");
    }
    surface.memory = nullptr;
    expect_fetched(surface, std::string(name) + " without memory");
  }
}

}  // namespace
}  // namespace heddle::image
