// SPDX-License-Identifier: MIT
// Block compression (NUM-27): known blocks of independent decoders, blocks worked out by hand, ASTC against the library
// on whole images.

#include <astcenc.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <fstream>
#include <random>
#include <sstream>
#include <vector>

#include "base/half.hpp"
#include "image/format.hpp"
#include "image/formats/srgb.hpp"

namespace heddle::image {
namespace {

const FormatInfo& named(std::string_view name) { return *find_format(name); }

std::vector<std::uint8_t> from_hex(const std::string& text) {
  std::vector<std::uint8_t> bytes;
  for (std::size_t i = 0; i + 1 < text.size(); i += 2)
    bytes.push_back(static_cast<std::uint8_t>(std::stoi(text.substr(i, 2), nullptr, 16)));
  return bytes;
}

std::vector<std::uint8_t> random_block(std::mt19937& random, std::size_t size) {
  std::vector<std::uint8_t> block(size);
  for (auto& byte : block) byte = static_cast<std::uint8_t>(random());
  return block;
}

TEST(Blocks, AgreeWithIndependentDecoders) {
  std::ifstream file(std::string(HEDDLE_TEST_DIR) + "/image/data/blocks.txt");
  ASSERT_TRUE(file.good());
  std::string line;
  unsigned blocks = 0;
  while (std::getline(file, line)) {
    if (line.empty() || line[0] == '#') continue;
    std::istringstream words(line);
    std::string name, block_text, texel_text;
    words >> name >> block_text >> texel_text;
    const FormatInfo& format = named(name);
    const auto block = from_hex(block_text), texels = from_hex(texel_text);
    const bool halves = format.compression == Compression::Bc6h;
    ++blocks;
    for (unsigned i = 0; i < 16; ++i) {
      const Texel texel = decode_texel(format, block.data(), i % 4, i / 4);
      for (unsigned c = 0; c < (halves ? 3u : 4u); ++c) {
        const std::size_t at = halves ? 6 * i + 2 * c : 4 * i + c;
        const float expected = halves
                                   ? base::half_to_float(static_cast<std::uint16_t>(texels[at] | texels[at + 1] << 8))
                                   : static_cast<float>(texels[at]) / 255.0f;
        ASSERT_EQ(texel.bits[c], base::bits_of(expected)) << line << " texel " << i << " channel " << c;
      }
      if (halves) {
        ASSERT_EQ(texel.f(3), 1.0f);
      }
    }
  }
  EXPECT_EQ(blocks, 192u);
}

/// BC1 by the words of NUM-27, in binary64.
std::array<double, 4> simple_bc1(const std::vector<std::uint8_t>& b, std::size_t at, unsigned i, bool four_colors,
                                 bool alpha) {
  const unsigned c0 = b[at] | b[at + 1] << 8, c1 = b[at + 2] | b[at + 3] << 8;
  const auto channel = [](unsigned c, int k) {
    const unsigned v = k == 0 ? c >> 11 : k == 1 ? c >> 5 & 63 : c & 31;
    return static_cast<double>(k == 1 ? v << 2 | v >> 4 : v << 3 | v >> 2);
  };
  const unsigned code = b[at + 4 + i / 4] >> (2 * (i % 4)) & 3;
  const bool four = four_colors || c0 > c1;
  if (!four && code == 3) return {0, 0, 0, alpha ? 0.0 : 1.0};
  std::array<double, 4> result{0, 0, 0, 1};
  for (int k = 0; k < 3; ++k) {
    const double p = channel(c0, k), q = channel(c1, k);
    const double value = code == 0   ? p
                         : code == 1 ? q
                         : !four     ? (p + q) / 2
                         : code == 2 ? (2 * p + q) / 3
                                     : (p + 2 * q) / 3;
    result[static_cast<std::size_t>(k)] = value / 255;
  }
  return result;
}

double simple_bc4(const std::vector<std::uint8_t>& b, std::size_t at, unsigned i, bool is_signed) {
  double p = b[at], q = b[at + 1], low = 0, top = 255;
  bool eight = b[at] > b[at + 1];
  if (is_signed) {
    const auto sp = static_cast<std::int8_t>(b[at]), sq = static_cast<std::int8_t>(b[at + 1]);
    eight = sp > sq;
    p = std::max<double>(sp, -127);
    q = std::max<double>(sq, -127);
    low = -127;
    top = 127;
  }
  std::uint64_t codes = 0;
  for (unsigned k = 0; k < 6; ++k) codes |= std::uint64_t{b[at + 2 + k]} << (8 * k);
  const auto code = static_cast<int>(codes >> (3 * i) & 7);
  double value = code == 0 ? p : q;
  if (code >= 2 && eight) value = ((8 - code) * p + (code - 1) * q) / 7;
  if (code >= 2 && !eight) value = code == 6 ? low : code == 7 ? top : ((6 - code) * p + (code - 1) * q) / 5;
  return value / top;
}

TEST(Blocks, Bc1ToBc5AreExactRationals) {  // C29
  std::mt19937 random(3);
  for (int round = 0; round < 4000; ++round) {
    auto block = random_block(random, 16);
    if (round % 5 == 0) block[1] = block[3];
    if (round % 16 == 0) block[0] = 0x80;
    for (unsigned i = 0; i < 16; ++i) {
      const auto check = [&](const char* name, std::array<double, 4> expected) {
        const Texel texel = decode_texel(named(name), block.data(), i % 4, i / 4);
        for (int c = 0; c < 4; ++c) {
          ASSERT_EQ(texel.f(c), static_cast<float>(expected[static_cast<std::size_t>(c)]))
              << name << ' ' << round << ' ' << i << ' ' << c;
        }
      };
      check("BC1_UNORM", simple_bc1(block, 0, i, false, true));
      check("DXT1_RGB", simple_bc1(block, 0, i, false, false));
      auto color = simple_bc1(block, 8, i, true, true);
      color[3] = (block[i / 2] >> (4 * (i % 2)) & 15) / 15.0;
      check("BC2_UNORM", color);
      color[3] = simple_bc4(block, 0, i, false);
      check("BC3_UNORM", color);
      check("BC4_UNORM", {simple_bc4(block, 0, i, false), 0, 0, 1});
      check("BC4_SNORM", {simple_bc4(block, 0, i, true), 0, 0, 1});
      check("BC5_UNORM", {simple_bc4(block, 0, i, false), simple_bc4(block, 8, i, false), 0, 1});
      check("BC5_SNORM", {simple_bc4(block, 0, i, true), simple_bc4(block, 8, i, true), 0, 1});
    }
  }
}

TEST(Blocks, SrgbIsAppliedToTheRational) {  // NUM-27
  // End points 255 and 0, code 2: 170/255.
  const std::uint8_t block[8] = {0xff, 0xff, 0, 0, 0xaa, 0xaa, 0xaa, 0xaa};
  const Texel texel = decode_texel(named("BC1_UNORM_SRGB"), block);
  const double c = 2.0 / 3.0;
  EXPECT_EQ(texel.f(0), static_cast<float>(std::pow((c + 0.055) / 1.055, 2.4)));
  EXPECT_EQ(texel.f(3), 1.0f);
  EXPECT_EQ(decode_texel(named("BC1_UNORM_SRGB"), block, 0, 0, false).f(0), 170.0f / 255.0f);
}

TEST(Blocks, EacWorkedExamples) {
  // Base 103, table 13, index 3 of texel 0. Multiplier 2: 103*8+4 - 10*2*8; multiplier 0: - 10.
  const auto block = [](unsigned base, unsigned multiplier) {
    return std::array<std::uint8_t, 16>{static_cast<std::uint8_t>(base),
                                        static_cast<std::uint8_t>(multiplier << 4 | 13), 3u << 5};
  };
  EXPECT_EQ(decode_texel(named("EAC_R11"), block(103, 2).data()).f(0), 668.0f / 2047.0f);
  EXPECT_EQ(decode_texel(named("EAC_R11"), block(103, 0).data()).f(0), 818.0f / 2047.0f);
  EXPECT_EQ(decode_texel(named("EAC_SIGNED_R11"), block(60, 2).data()).f(0), 320.0f / 1023.0f);
  EXPECT_EQ(decode_texel(named("EAC_SIGNED_R11"), block(60, 0).data()).f(0), 470.0f / 1023.0f);
  EXPECT_EQ(decode_texel(named("EAC_SIGNED_R11"), block(0x80, 15).data()).f(0), -1.0f);
  EXPECT_EQ(decode_texel(named("EAC_SIGNED_R11"), block(0x80, 0).data()).f(0),
            -1.0f);  // -128 is -127: -1016 - 10, clamped
  EXPECT_EQ(decode_texel(named("ETC2_EAC_RGBA8"), block(103, 2).data()).f(3), 83.0f / 255.0f);
  auto two = block(103, 2);
  std::copy_n(two.begin(), 8, two.begin() + 8);
  two[0] = 255;
  EXPECT_EQ(decode_texel(named("EAC_RG11"), two.data()).f(1), 668.0f / 2047.0f);
}

TEST(Blocks, Etc1IsTheCommonPartOfEtc2) {
  std::mt19937 random(4);
  for (int round = 0; round < 500; ++round) {
    const auto block = random_block(random, 8);
    for (unsigned i = 0; i < 16; ++i) {
      EXPECT_EQ(decode_texel(named("ETC1_RGB8"), block.data(), i % 4, i / 4),
                decode_texel(named("ETC2_RGB8"), block.data(), i % 4, i / 4));
      const Texel linear = decode_texel(named("ETC2_RGB8"), block.data(), i % 4, i / 4),
                  srgb = decode_texel(named("ETC2_SRGB8"), block.data(), i % 4, i / 4);
      for (int c = 0; c < 3; ++c)
        EXPECT_EQ(srgb.f(c), srgb_decode_table(8)[static_cast<std::size_t>(std::lround(linear.f(c) * 255))]);
    }
  }
}

TEST(Blocks, ReservedModes) {
  const std::array<std::uint8_t, 16> zero{};
  EXPECT_EQ(decode_texel(named("BC7_UNORM"), zero.data()), Texel{});
  std::array<std::uint8_t, 16> reserved{};
  reserved.fill(0xff);  // BC6H mode 31
  EXPECT_EQ(decode_texel(named("BC6H_UF16"), reserved.data()), (Texel{{0, 0, 0, 0x3f800000u}}));
}

TEST(Blocks, Fxt1Modes) {
  // CC_HI: colors at bits 96 (blue low) and 111, codes of 3 bits; code 3 lies half-way, code 7 is black.
  std::array<std::uint8_t, 16> block{};
  const auto set = [&](unsigned at, unsigned bits, unsigned value) {
    for (unsigned i = 0; i < bits; ++i)
      if ((value >> i & 1) != 0)
        block[(at + i) / 8] = static_cast<std::uint8_t>(block[(at + i) / 8] | 1u << ((at + i) % 8));
  };
  const FormatInfo& format = named("FXT1");
  set(96 + 10, 5, 31);
  set(111, 5, 31);
  set(3 * 1, 3, 3);
  set(3 * 2, 3, 6);
  set(3 * 16, 3, 7);  // texel (4, 0)
  EXPECT_EQ(decode_texel(format, block.data(), 0, 0), (Texel{{0x3f800000u, 0, 0, 0x3f800000u}}));
  EXPECT_EQ(decode_texel(format, block.data(), 1, 0).f(0), 128.0f / 255.0f);
  EXPECT_EQ(decode_texel(format, block.data(), 2, 0), (Texel{{0, 0, 0x3f800000u, 0x3f800000u}}));
  EXPECT_EQ(decode_texel(format, block.data(), 4, 0), (Texel{{0, 0, 0, 0x3f800000u}}));
  // CC_CHROMA: four colors of 15 bits from bit 64.
  block = {};
  set(125, 3, 2);
  set(64 + 15 * 2 + 5, 5, 10);
  set(32 + 2 * (4 * 3 + 1), 2, 2);  // texel (5, 3)
  EXPECT_EQ(decode_texel(format, block.data(), 5, 3).f(1), 82.0f / 255.0f);
  EXPECT_EQ(decode_texel(format, block.data(), 4, 3).f(1), 0.0f);
  // CC_MIXED without alpha: the right half has its colors at 94 and 109 and the low bit of green at 126.
  block = {};
  set(125, 3, 6);
  set(109 + 5, 5, 31);
  set(32, 2, 3);
  EXPECT_EQ(decode_texel(format, block.data(), 4, 0).f(1), 1.0f);
  // CC_ALPHA with interpolation: half 0 from 64, second color at 79.
  block = {};
  set(125, 3, 3);
  set(124, 1, 1);
  set(79, 5, 31);
  set(0, 2, 1);
  EXPECT_EQ(decode_texel(format, block.data(), 0, 0).f(2), 85.0f / 255.0f);
}

struct Library {
  astcenc_context* context = nullptr;
  Library(astcenc_profile profile, unsigned width, unsigned height) {
    astcenc_config config{};
    EXPECT_EQ(astcenc_config_init(profile, width, height, 1, ASTCENC_PRE_FASTEST, 0, &config), ASTCENC_SUCCESS);
    EXPECT_EQ(astcenc_context_alloc(&config, 1, &context), ASTCENC_SUCCESS);
  }
  ~Library() { astcenc_context_free(context); }
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;
};

constexpr astcenc_swizzle kIdentity{ASTCENC_SWZ_R, ASTCENC_SWZ_G, ASTCENC_SWZ_B, ASTCENC_SWZ_A};

TEST(Blocks, AstcImagesAgreeWithTheLibrary) {
  std::mt19937 random(5);
  for (const FormatInfo& format : all_formats()) {
    if (format.compression != Compression::Astc) continue;
    const bool hdr = format.name.starts_with("ASTC_HDR");
    const unsigned width = 2u * format.block_width, height = 2u * format.block_height, texels = width * height;
    const Library library(hdr                ? ASTCENC_PRF_HDR
                          : format.is_srgb() ? ASTCENC_PRF_LDR_SRGB
                                             : ASTCENC_PRF_LDR,
                          format.block_width, format.block_height);
    std::vector<std::uint8_t> small(4 * texels);
    std::vector<std::uint16_t> halves(4 * texels);
    for (unsigned i = 0; i < texels; ++i)
      for (unsigned c = 0; c < 4; ++c) {
        const double wave = 0.5 + 0.5 * std::sin(0.21 * (i % width) * (c + 1) + 0.13 * (i / width));
        small[4 * i + c] = static_cast<std::uint8_t>(wave * 200 + random() % 56);
        halves[4 * i + c] = base::float_to_half(static_cast<float>(wave * 20));
      }
    void* slice = hdr ? static_cast<void*>(halves.data()) : static_cast<void*>(small.data());
    astcenc_image image{};
    image.dim_x = width;
    image.dim_y = height;
    image.dim_z = 1;
    image.data_type = hdr ? ASTCENC_TYPE_F16 : ASTCENC_TYPE_U8;
    image.data = &slice;
    std::vector<std::uint8_t> blocks(4 * 16);
    ASSERT_EQ(astcenc_compress_image(library.context, &image, &kIdentity, blocks.data(), blocks.size(), 0),
              ASTCENC_SUCCESS);
    ASSERT_EQ(astcenc_decompress_image(library.context, blocks.data(), blocks.size(), &image, &kIdentity, 0),
              ASTCENC_SUCCESS);
    for (unsigned y = 0; y < height; ++y)
      for (unsigned x = 0; x < width; ++x) {
        const std::uint8_t* block = blocks.data() + 16 * (y / format.block_height * 2 + x / format.block_width);
        const Texel texel = decode_texel(format, block, x % format.block_width, y % format.block_height);
        for (unsigned c = 0; c < 4; ++c) {
          const std::size_t at = 4 * (y * width + x) + c;
          const float expected = hdr                         ? base::half_to_float(halves[at])
                                 : format.is_srgb() && c < 3 ? srgb_decode_table(8)[small[at]]
                                                             : static_cast<float>(small[at]) / 255.0f;
          ASSERT_EQ(texel.bits[c], base::bits_of(expected)) << format.name << ' ' << x << ' ' << y << ' ' << c;
        }
      }
  }
}

TEST(Blocks, AstcBlocksOfAnyBytesAgreeWithTheLibrary) {
  std::mt19937 random(6);
  constexpr unsigned kBlocks = 500;  // most are none by the specification
  for (const FormatInfo& format : all_formats()) {
    if (format.compression != Compression::Astc) continue;
    const bool hdr = format.name.starts_with("ASTC_HDR");
    const Library library(hdr                ? ASTCENC_PRF_HDR
                          : format.is_srgb() ? ASTCENC_PRF_LDR_SRGB
                                             : ASTCENC_PRF_LDR,
                          format.block_width, format.block_height);
    std::vector<std::uint8_t> blocks;
    for (unsigned i = 0; i < kBlocks; ++i) {
      auto block = random_block(random, 16);
      if (i % 4 == 0) block[0] = 0xfc, block[1] |= 1;  // void extents
      if (i % 8 == 0) block[1] = static_cast<std::uint8_t>(hdr ? 0xff : 0xfd), std::fill_n(&block[2], 6, 0xff);
      blocks.insert(blocks.end(), block.begin(), block.begin() + 16);
    }
    const unsigned width = kBlocks * format.block_width;
    std::vector<std::uint8_t> small(std::size_t{4} * width * format.block_height);
    std::vector<std::uint16_t> halves(small.size());
    void* slice = hdr ? static_cast<void*>(halves.data()) : static_cast<void*>(small.data());
    astcenc_image image{};
    image.dim_x = width;
    image.dim_y = format.block_height;
    image.dim_z = 1;
    image.data_type = hdr ? ASTCENC_TYPE_F16 : ASTCENC_TYPE_U8;
    image.data = &slice;
    ASSERT_EQ(astcenc_decompress_image(library.context, blocks.data(), blocks.size(), &image, &kIdentity, 0),
              ASTCENC_SUCCESS);
    for (std::size_t at = 0; at < small.size(); ++at) {
      const auto x = static_cast<unsigned>(at / 4 % width), y = static_cast<unsigned>(at / 4 / width);
      const std::uint8_t* block = blocks.data() + std::size_t{16} * (x / format.block_width);
      const float expected = hdr                              ? base::half_to_float(halves[at])
                             : format.is_srgb() && at % 4 < 3 ? srgb_decode_table(8)[small[at]]
                                                              : static_cast<float>(small[at]) / 255.0f;
      ASSERT_EQ(decode_texel(format, block, x % format.block_width, y).bits[at % 4], base::bits_of(expected))
          << format.name << " block " << x / format.block_width << " value " << at;
    }
  }
}

TEST(Blocks, AstcConstantBlock) {
  // A void-extent block: FDFFh, no extent, 16-bit channels.
  const std::uint8_t block[16] = {0xfc, 0xfd, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
                                  0xff, 0xff, 0,    0,    0x80, 0x80, 0x40, 0x40};
  const Texel texel = decode_texel(named("ASTC_LDR_2D_4X4_FLT16"), block, 3, 2);
  EXPECT_EQ(texel, (Texel{{0x3f800000u, 0, base::bits_of(128.0f / 255.0f), base::bits_of(64.0f / 255.0f)}}));
  EXPECT_EQ(decode_texel(named("ASTC_LDR_2D_4X4_U8SRGB"), block).f(2), srgb_decode_table(8)[128]);
}

TEST(Blocks, AnyBytesDecode) {
  std::mt19937 random(6);
  for (const FormatInfo& format : all_formats()) {
    if (!decodable(format)) continue;
    for (int round = 0; round < 200; ++round) {
      const auto block = random_block(random, format.bytes_per_element());
      for (unsigned y = 0; y < format.block_height; ++y)
        for (unsigned x = 0; x < format.block_width; ++x) {
          const Texel texel = decode_texel(format, block.data(), x, y);
          const bool bounded = format.color_space != ColorSpace::None &&
                               format.channels[0].type == ChannelType::Unorm && format.compression != Compression::None;
          if (bounded)
            for (int c = 0; c < 4; ++c) {
              ASSERT_GE(texel.f(c), 0.0f) << format.name;
              ASSERT_LE(texel.f(c), 1.0f) << format.name;
            }
        }
    }
  }
}

}  // namespace
}  // namespace heddle::image
