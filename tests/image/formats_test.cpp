// SPDX-License-Identifier: MIT
// The table of formats and the conversions of numeric-rules sections 2 and 4, exhaustively for channels of up to 16
// bits.

#include "image/format.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <set>
#include <string>

#include "base/half.hpp"
#include "image/formats/srgb.hpp"

namespace heddle::image {
namespace {

const FormatInfo& named(std::string_view name) {
  const FormatInfo* info = find_format(name);
  EXPECT_NE(info, nullptr) << name;
  return info != nullptr ? *info : all_formats().front();
}

std::uint32_t crc32(std::span<const float> table) {
  std::uint32_t crc = ~0u;
  for (const float x : table)
    for (int byte = 0; byte < 4; ++byte) {
      crc ^= base::bits_of(x) >> (8 * byte) & 0xff;
      for (int k = 0; k < 8; ++k) crc = crc >> 1 ^ ((crc & 1) != 0 ? 0xedb88320u : 0u);
    }
  return ~crc;
}

std::uint64_t read_bits(const std::vector<std::uint8_t>& bytes, unsigned start, unsigned count) {
  std::uint64_t value = 0;
  for (unsigned i = 0; i < count; ++i)
    value |= std::uint64_t{static_cast<unsigned>(bytes[(start + i) / 8] >> ((start + i) % 8) & 1)} << i;
  return value;
}

void write_bits(std::vector<std::uint8_t>& bytes, unsigned start, unsigned count, std::uint64_t value) {
  for (unsigned i = 0; i < count; ++i) {
    const unsigned at = start + i;
    bytes[at / 8] = static_cast<std::uint8_t>((bytes[at / 8] & ~(1u << (at % 8))) |
                                              static_cast<unsigned>(value >> i & 1) << (at % 8));
  }
}

/// The value of a channel by the rules' own words, in binary64.
std::uint32_t expected_value(const FormatInfo& format, const Channel& channel, std::uint64_t raw) {
  const unsigned n = channel.bits;
  const auto top = static_cast<double>((std::uint64_t{1} << n) - 1);
  const auto wide = static_cast<std::int64_t>(raw);
  const std::int64_t extended = wide >= (std::int64_t{1} << (n - 1)) ? wide - (std::int64_t{1} << n) : wide;
  const auto word = [](double x) { return base::bits_of(static_cast<float>(x)); };
  switch (channel.type) {
    case ChannelType::Unorm:
      if (format.is_srgb() && channel.name != 'A') {
        const double c = static_cast<double>(raw) / top;
        return word(c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4));
      }
      return word(static_cast<double>(raw) / top);
    case ChannelType::Snorm:
      return word(
          std::max(static_cast<double>(extended) / static_cast<double>((std::uint64_t{1} << (n - 1)) - 1), -1.0));
    case ChannelType::Uint:
      return static_cast<std::uint32_t>(raw);
    case ChannelType::Sint:
      return static_cast<std::uint32_t>(extended);
    case ChannelType::Float:
    case ChannelType::UnsignedFloat: {
      const unsigned exponent_bits = channel.exponent_bits, sign_bits = channel.type == ChannelType::Float ? 1 : 0;
      const unsigned fraction_bits = n - sign_bits - exponent_bits;
      const auto fraction = static_cast<double>(raw & ((1u << fraction_bits) - 1));
      const auto exponent = static_cast<int>(raw >> fraction_bits & ((1u << exponent_bits) - 1));
      const int highest = (1 << exponent_bits) - 1, bias = highest / 2;
      const std::uint32_t sign = sign_bits != 0 && (raw >> (n - 1) & 1) != 0 ? 0x80000000u : 0;
      if (exponent == highest && fraction != 0)
        return sign_bits != 0 ? sign | 0x7fc00000u | static_cast<std::uint32_t>(raw & 0x3ff) << 13 : 0x7fc00000u;
      if (exponent == highest) return sign | 0x7f800000u;
      const double scale = std::ldexp(1.0, -static_cast<int>(fraction_bits));
      return sign | (exponent == 0 ? word(std::ldexp(fraction * scale, 1 - bias))
                                   : word(std::ldexp(1 + fraction * scale, exponent - bias)));
    }
    case ChannelType::Uscaled:
      return word(static_cast<double>(raw));
    case ChannelType::Sscaled:
      return word(static_cast<double>(extended));
    default:
      return 0;
  }
}

std::vector<int> slots(char name) {
  switch (name) {
    case 'R':
      return {0};
    case 'G':
      return {1};
    case 'B':
      return {2};
    case 'A':
      return {3};
    case 'L':
      return {0, 1, 2};
    default:
      return {0, 1, 2, 3};
  }
}

bool plain(const FormatInfo& format) {
  return format.codec == Codec::Plain || format.codec == Codec::Unorm8 || format.codec == Codec::Words;
}

TEST(FormatTable, HasEveryRowAndFindsItByCodeAndName) {
  EXPECT_EQ(all_formats().size(), 292u);
  for (const FormatInfo& format : all_formats()) {
    EXPECT_EQ(format_info(format.format), &format);
    EXPECT_EQ(find_format(format.name), &format);
    std::string lower(format.name);
    for (char& c : lower) c = static_cast<char>(std::tolower(c));
    EXPECT_EQ(find_format(lower), &format);
  }
  EXPECT_EQ(format_info(static_cast<Format>(0x00a)), nullptr);
  EXPECT_EQ(format_info(static_cast<Format>(0xffff)), nullptr);
  EXPECT_EQ(find_format("R8G8B8A8"), nullptr);
  EXPECT_EQ(find_format(""), nullptr);
}

TEST(FormatTable, KnowsLayoutsAndSupport) {
  const FormatInfo& rgb10 = named("R10G10B10A2_UNORM");
  EXPECT_EQ(rgb10.channels[3].start, 30);
  EXPECT_EQ(rgb10.channels[3].bits, 2);
  EXPECT_EQ(rgb10.typed_read_since, 12.5f);
  EXPECT_EQ(named("R10G10B10_FLOAT_A2_UNORM").channels[0].exponent_bits, 4);
  EXPECT_EQ(named("R11G11B10_FLOAT").channels[2].exponent_bits, 5);
  EXPECT_EQ(named("ASTC_LDR_2D_12X10_U8SRGB").block_width, 12);
  EXPECT_EQ(named("ASTC_LDR_2D_12X10_U8SRGB").block_height, 10);
  EXPECT_TRUE(named("PLANAR_420_16").support[1].sample_unorm_only);
  EXPECT_FALSE(named("PLANAR_420_16").support[0].sample_unorm_only);
  EXPECT_TRUE(named("R8_UNORM").renderable());
  EXPECT_FALSE(named("R8G8B8_UNORM").renderable());
  EXPECT_FALSE(named("R32G32B32A32_UNORM").sampleable());
  EXPECT_TRUE(named("A24X8_UNORM").alpha_only());
  EXPECT_FALSE(named("L8A8_UNORM").alpha_only());
  EXPECT_FALSE(named("B8G8R8X8_UNORM").has_channel('A'));
  EXPECT_EQ(named("R8G8B8A8_SINT").value_class, ValueClass::Sint);
  EXPECT_EQ(named("X24_TYPELESS_G8_UINT").value_class, ValueClass::Uint);
}

TEST(FormatTable, EveryFormatThatTheHardwareReadsOrRendersWorks) {
  const std::set<std::string_view> refused = {// NUM-28 [C30]
                                              "A8P8_UNORM_PALETTE0",
                                              "A8P8_UNORM_PALETTE1",
                                              "P8A8_UNORM_PALETTE0",
                                              "P8A8_UNORM_PALETTE1",
                                              "P4A4_UNORM_PALETTE0",
                                              "P4A4_UNORM_PALETTE1",
                                              "A4P4_UNORM_PALETTE0",
                                              "A4P4_UNORM_PALETTE1",
                                              "P8_UNORM_PALETTE0",
                                              "P8_UNORM_PALETTE1",
                                              "P2_UNORM_PALETTE0",
                                              "P2_UNORM_PALETTE1",
                                              "R1_UNORM",
                                              "MONO8"};
  for (const FormatInfo& format : all_formats()) {
    if (format.sampleable()) EXPECT_EQ(decodable(format), !refused.contains(format.name)) << format.name;
    if (format.renderable() || format.typed_write_since != 0) EXPECT_TRUE(encodable(format)) << format.name;
    if (encodable(format)) EXPECT_TRUE(decodable(format)) << format.name;
  }
}

TEST(FormatTable, VulkanNumbersGoBothWays) {
  unsigned known = 0;
  for (const FormatInfo& format : all_formats()) {
    const auto number = vulkan_format(format.format);
    if (!number) continue;
    ++known;
    EXPECT_EQ(from_vulkan_format(*number), &format) << format.name;
  }
  EXPECT_EQ(known, 186u);
  EXPECT_EQ(vulkan_format(Format::R8G8B8A8_UNORM), 37u);
  EXPECT_EQ(vulkan_format(Format::ASTC_LDR_2D_12X12_U8SRGB), 184u);
  EXPECT_EQ(vulkan_format(Format::ASTC_HDR_2D_4X4_FLT16), 1000066000u);
  EXPECT_FALSE(vulkan_format(Format::I8_UNORM).has_value());
  EXPECT_EQ(from_vulkan_format(0), nullptr);
  EXPECT_EQ(find_format("VK_FORMAT_R8G8B8A8_SRGB")->format, Format::R8G8B8A8_UNORM_SRGB);
  EXPECT_EQ(find_format("r8g8b8a8_srgb")->format, Format::R8G8B8A8_UNORM_SRGB);
  EXPECT_EQ(find_format("d32_sfloat")->format, Format::R32_FLOAT);
  EXPECT_EQ(find_format("vk_format_a2b10g10r10_unorm_pack32")->format, Format::R10G10B10A2_UNORM);
  EXPECT_EQ(find_format("D24_UNORM_S8_UINT")->format, Format::R24_UNORM_X8_TYPELESS);
}

TEST(Srgb, TablesHaveThePrintedChecksums) {  // NUM-21 appendix A, NUM-60 appendix B
  const struct {
    unsigned bits;
    std::uint32_t decode, encode;
  } expected[] = {{8, 0x54a24988, 0x3a4441fc},
                  {4, 0x78c79113, 0xdb7b15bb},
                  {5, 0x3e0723bb, 0x9cbe1d00},
                  {6, 0x27cd0efa, 0xfa81ac76},
                  {10, 0x6345148f, 0x49da25ef}};
  for (const auto& row : expected) {
    EXPECT_EQ(crc32(srgb_decode_table(row.bits)), row.decode) << row.bits;
    EXPECT_EQ(crc32(srgb_thresholds(row.bits)), row.encode) << row.bits;
  }
}

TEST(Srgb, EncodeStepsAtTheThresholds) {  // NUM-60, NUM-62
  for (const unsigned bits : {4u, 5u, 6u, 8u, 10u}) {
    const auto thresholds = srgb_thresholds(bits);
    for (std::uint32_t j = 1; j <= thresholds.size(); ++j) {
      EXPECT_EQ(srgb_encode(thresholds[j - 1], bits), j);
      EXPECT_EQ(srgb_encode(std::nextafter(thresholds[j - 1], 0.0f), bits), j - 1);
    }
    EXPECT_EQ(srgb_encode(-1.0f, bits), 0u);
    EXPECT_EQ(srgb_encode(INFINITY, bits), thresholds.size());
    EXPECT_EQ(srgb_encode(NAN, bits), 0u);
  }
}

TEST(Srgb, RationalsOfBlocksContainTheByteTable) {  // NUM-27
  for (unsigned v = 0; v < 256; ++v) EXPECT_EQ(srgb_decode_rational(6 * v), srgb_decode_table(8)[v]);
}

TEST(Formats,
     EveryChannelOfUpTo16BitsDecodesExactlyAndComesBack) {  // NUM-10 to NUM-21, NUM-23, NUM-26; round trip of section 4
  std::mt19937 random(1);
  for (const FormatInfo& format : all_formats()) {
    if (!plain(format)) continue;
    std::vector<std::uint8_t> element(format.bytes_per_element());
    for (unsigned c = 0; c < format.channel_count; ++c) {
      const Channel& channel = format.channels[c];
      if (channel.type == ChannelType::Unused || channel.bits > 16) continue;
      for (std::uint64_t raw = 0; raw < std::uint64_t{1} << channel.bits; ++raw) {
        for (auto& byte : element) byte = static_cast<std::uint8_t>(random());
        write_bits(element, channel.start, channel.bits, raw);
        const Texel texel = decode_texel(format, element.data());
        const std::uint32_t expected = expected_value(format, channel, raw);
        for (const int slot : slots(channel.name))
          ASSERT_EQ(texel.bits[static_cast<std::size_t>(slot)], expected)
              << format.name << ' ' << channel.name << ' ' << raw;
        if (!encodable(format)) continue;
        std::vector<std::uint8_t> back(element.size(), 0xa5);
        encode_texel(format, texel, back.data());
        std::uint64_t same = raw;
        if (channel.type == ChannelType::Snorm && raw == std::uint64_t{1} << (channel.bits - 1))
          ++same;  // NUM-52: never the least code
        const bool is_nan = format.value_class == ValueClass::Float && std::isnan(base::float_from_bits(expected));
        if (is_nan && channel.type == ChannelType::Float) same |= 0x200;
        if (is_nan && channel.type == ChannelType::UnsignedFloat) {
          const unsigned fraction = channel.bits - channel.exponent_bits;
          same = ((std::uint64_t{1} << channel.exponent_bits) - 1) << fraction | std::uint64_t{1}
                                                                                     << (fraction - 1);  // NUM-57
        }
        ASSERT_EQ(read_bits(back, channel.start, channel.bits), same)
            << format.name << ' ' << channel.name << ' ' << raw;
      }
    }
  }
}

TEST(Formats, MissingChannelsTakeTheirDefaults) {  // NUM-23
  for (const FormatInfo& format : all_formats()) {
    if (!plain(format)) continue;
    const std::vector<std::uint8_t> element(format.bytes_per_element(), 0xff);
    const Texel texel = decode_texel(format, element.data());
    const bool spread = format.has_channel('L') || format.has_channel('I');
    for (int i = 0; i < 3; ++i)
      if (!format.has_channel("RGB"[i]) && !spread)
        EXPECT_EQ(texel.bits[static_cast<std::size_t>(i)], 0u) << format.name;
    if (!format.has_channel('A') && !format.has_channel('I'))
      EXPECT_EQ(texel.bits[3], format.value_class == ValueClass::Float ? 0x3f800000u : 1u) << format.name;
  }
}

TEST(Formats, UnusedBitsAreWrittenAsZero) {  // NUM-61 [C32]
  for (const FormatInfo& format : all_formats()) {
    if (!encodable(format) || !plain(format)) continue;
    std::vector<std::uint8_t> element(format.bytes_per_element(), 0xff);
    Texel texel;
    texel.bits.fill(format.value_class == ValueClass::Float ? 0x3f800000u : 1u);
    encode_texel(format, texel, element.data());
    for (unsigned c = 0; c < format.channel_count; ++c)
      if (format.channels[c].type == ChannelType::Unused)
        EXPECT_EQ(read_bits(element, format.channels[c].start, format.channels[c].bits), 0u) << format.name;
  }
}

TEST(Formats, WordsKeepTheirBits) {  // NUM-2, NUM-14
  const FormatInfo& format = named("R32G32B32A32_FLOAT");
  const Texel texel{{0x7fa00001u, 0xff800000u, 0x00000001u, 0x80000000u}};
  std::uint8_t element[16];
  encode_texel(format, texel, element);
  EXPECT_EQ(decode_texel(format, element), texel);
  EXPECT_EQ(element[0], 0x01);
  EXPECT_EQ(element[3], 0x7f);
}

TEST(Formats, TwentyFourBitDepth) {  // NUM-10, NUM-51
  const FormatInfo& format = named("R24_UNORM_X8_TYPELESS");
  std::uint8_t element[4];
  std::mt19937 random(2);
  for (int i = 0; i < 100000; ++i) {
    const std::uint32_t raw = random() & 0xffffff;
    for (int b = 0; b < 4; ++b) element[b] = static_cast<std::uint8_t>((raw | 0x5a000000u) >> (8 * b));
    const Texel texel = decode_texel(format, element);
    ASSERT_EQ(texel.f(0), static_cast<float>(raw) / 16777215.0f);
    encode_texel(format, texel, element);
    const std::uint32_t back = element[0] | element[1] << 8 | element[2] << 16;
    const double exact = std::nearbyint(static_cast<double>(texel.f(0)) * 16777215.0);
    ASSERT_EQ(back, static_cast<std::uint32_t>(exact));
    ASSERT_EQ(element[3], 0);
  }
}

TEST(Formats, StencilFormatsDeliverGreen) {  // NUM-23
  const std::uint8_t element[8] = {1, 2, 3, 0x7b, 0x9c, 6, 7, 8};
  EXPECT_EQ(decode_texel(named("X24_TYPELESS_G8_UINT"), element), (Texel{{0, 0x7b, 0, 1}}));
  EXPECT_EQ(decode_texel(named("X32_TYPELESS_G8X24_UINT"), element), (Texel{{0, 0x9c, 0, 1}}));
}

TEST(Formats, EncodeClampsAndRounds) {  // NUM-5, NUM-50 to NUM-54, NUM-62, C14; C23: NaN becomes 0; NUM-6
  std::uint8_t element[16];
  const auto floats = [](float r, float g, float b, float a) {
    return Texel{{base::bits_of(r), base::bits_of(g), base::bits_of(b), base::bits_of(a)}};
  };
  encode_texel(named("R8G8B8A8_UNORM"), floats(NAN, -1, 2, 0.5f), element);
  EXPECT_EQ((std::vector<int>(element, element + 4)), (std::vector<int>{0, 0, 255, 128}));
  encode_texel(named("R8G8B8A8_SNORM"), floats(NAN, -7, 2, -0.5f), element);
  EXPECT_EQ((std::vector<int>(element, element + 4)), (std::vector<int>{0, 0x81, 0x7f, 0xc0}));
  encode_texel(named("R8G8B8A8_UINT"), Texel{{300, 255, 0xffffffffu, 7}}, element);
  EXPECT_EQ((std::vector<int>(element, element + 4)), (std::vector<int>{255, 255, 255, 7}));
  encode_texel(named("R8G8B8A8_SINT"),
               Texel{{300, static_cast<std::uint32_t>(-300), static_cast<std::uint32_t>(-5), 127}}, element);
  EXPECT_EQ((std::vector<int>(element, element + 4)), (std::vector<int>{127, 0x80, 0xfb, 127}));
  encode_texel(named("R10G10B10A2_UINT"), Texel{{2000, 3, 1023, 9}}, element);
  EXPECT_EQ(element[0] | element[1] << 8, 0x3ff | 3 << 10);
  EXPECT_EQ(element[3] >> 6, 3);
  encode_texel(named("A8_UNORM"), floats(1, 1, 1, 0), element);
  EXPECT_EQ(element[0], 0);
  encode_texel(named("B8G8R8A8_UNORM"), floats(1, 0, 0, 1), element);
  EXPECT_EQ((std::vector<int>(element, element + 4)), (std::vector<int>{0, 0, 255, 255}));
}

TEST(Formats, UnsignedFloatsRoundToNearestEven) {  // NUM-57, NUM-58 [C31]
  for (const auto& [name, bits, exponent_bits] :
       {std::tuple{"R11G11B10_FLOAT", 11u, 5u}, std::tuple{"R10G10B10_FLOAT_A2_UNORM", 10u, 4u}}) {
    const FormatInfo& format = named(name);
    const auto encode = [&](float x) {
      std::uint8_t element[4];
      encode_texel(format, Texel{{base::bits_of(x), 0, 0, 0}}, element);
      return static_cast<std::uint32_t>(element[0] | element[1] << 8) & ((1u << bits) - 1);
    };
    const auto decode = [&](std::uint32_t raw) {
      const std::uint8_t element[4] = {static_cast<std::uint8_t>(raw), static_cast<std::uint8_t>(raw >> 8), 0, 0};
      return decode_texel(format, element).f(0);
    };
    const unsigned fraction_bits = bits - exponent_bits;
    const std::uint32_t infinity = ((1u << exponent_bits) - 1) << fraction_bits;
    for (std::uint32_t raw = 0; raw + 1 < infinity; ++raw) {
      const float low = decode(raw), high = decode(raw + 1), middle = low + (high - low) / 2;
      ASSERT_EQ(encode(middle), raw + (raw & 1));
      ASSERT_EQ(encode(std::nextafter(middle, 0.0f)), raw);
      ASSERT_EQ(encode(std::nextafter(middle, INFINITY)), raw + 1);
    }
    const float largest = decode(infinity - 1), step = largest - decode(infinity - 2);
    EXPECT_EQ(encode(std::nextafter(largest + step / 2, 0.0f)), infinity - 1);
    EXPECT_EQ(encode(largest + step / 2), infinity);
    EXPECT_EQ(encode(1e30f), infinity);
    EXPECT_EQ(encode(INFINITY), infinity);
    EXPECT_EQ(encode(-INFINITY), 0u);
    EXPECT_EQ(encode(-0.0f), 0u);
    EXPECT_EQ(encode(1e-30f), 0u);
    EXPECT_EQ(encode(NAN), infinity | 1u << (fraction_bits - 1));
  }
}

TEST(Formats, SharedExponent) {  // NUM-18, NUM-59
  const FormatInfo& format = named("R9G9B9E5_SHAREDEXP");
  const auto encode = [&](float r, float g, float b) {
    std::uint8_t element[4];
    encode_texel(format, Texel{{base::bits_of(r), base::bits_of(g), base::bits_of(b), 0}}, element);
    return static_cast<std::uint32_t>(element[0] | element[1] << 8 | element[2] << 16) |
           static_cast<std::uint32_t>(element[3]) << 24;
  };
  const auto decode = [&](std::uint32_t word) {
    const std::uint8_t element[4] = {static_cast<std::uint8_t>(word), static_cast<std::uint8_t>(word >> 8),
                                     static_cast<std::uint8_t>(word >> 16), static_cast<std::uint8_t>(word >> 24)};
    return decode_texel(format, element);
  };
  EXPECT_EQ(encode(0, 0, 0), 0u);
  EXPECT_EQ(encode(1, 0, 0), 16u << 27 | 256u);
  EXPECT_EQ(encode(65408, 1e30f, INFINITY), 31u << 27 | 511u << 18 | 511u << 9 | 511u);
  EXPECT_EQ(encode(NAN, -1, 0.5f), 15u << 27 | 256u << 18);
  EXPECT_EQ(encode(1.999f, 0, 0), 17u << 27 | 256u);  // 511.74 rounds to 512: one exponent up
  EXPECT_EQ(decode(31u << 27 | 511u).f(0), 65408.0f);
  EXPECT_EQ(decode(1).f(0), std::ldexp(1.0f, -24));
  for (std::uint32_t e = 0; e < 32; ++e)
    for (std::uint32_t f = 0; f < 512; ++f) {
      const Texel texel = decode(e << 27 | f << 18 | (f / 2) << 9 | 3);
      ASSERT_EQ(texel.f(2), std::ldexp(static_cast<float>(f), static_cast<int>(e) - 24));
      const Texel again = decode(encode(texel.f(0), texel.f(1), texel.f(2)));
      ASSERT_EQ(again.f(2), texel.f(2));
      ASSERT_EQ(texel.bits[3], 0x3f800000u);
    }
}

TEST(Formats, PackedYuvPairs) {  // NUM-22, NUM-26
  const std::uint8_t bytes[4] = {10, 20, 30, 40};
  const auto check = [&](const char* name, int y0, int y1, int u, int v) {
    for (unsigned x = 0; x < 2; ++x) {
      const Texel texel = decode_texel(named(name), bytes, x);
      EXPECT_EQ(texel.f(0), static_cast<float>(v) / 255.0f) << name;
      EXPECT_EQ(texel.f(1), static_cast<float>(x == 0 ? y0 : y1) / 255.0f) << name;
      EXPECT_EQ(texel.f(2), static_cast<float>(u) / 255.0f) << name;
      EXPECT_EQ(texel.f(3), 1.0f) << name;
    }
    std::uint8_t back[4] = {};
    encode_texel(named(name), decode_texel(named(name), bytes, 1), back, 1);
    encode_texel(named(name), decode_texel(named(name), bytes, 0), back, 0);
    EXPECT_TRUE(std::equal(back, back + 4, bytes)) << name;
  };
  check("YCRCB_NORMAL", 10, 30, 20, 40);
  check("YCRCB_SWAPUVY", 20, 40, 30, 10);
  check("YCRCB_SWAPUV", 10, 30, 40, 20);
  check("YCRCB_SWAPY", 20, 40, 10, 30);
}

TEST(Formats, PlanarSamples) {  // NUM-22
  const std::uint8_t y = 51, u = 102, v = 204;
  const Texel texel = decode_planar(named("PLANAR_420_8"), &y, &u, &v);
  EXPECT_EQ(texel.f(0), 204.0f / 255.0f);
  EXPECT_EQ(texel.f(1), 51.0f / 255.0f);
  EXPECT_EQ(texel.f(2), 102.0f / 255.0f);
  EXPECT_EQ(texel.f(3), 1.0f);
  EXPECT_EQ(decode_texel(named("PLANAR_420_8"), &y).f(1), 51.0f / 255.0f);
  const std::uint8_t wide[2] = {0x34, 0x12};
  EXPECT_EQ(decode_planar(named("PLANAR_420_16"), wide, wide, wide).f(1), 4660.0f / 65535.0f);
}

TEST(Formats, SrgbDecodeCanBeSkipped) {
  const std::uint8_t bytes[4] = {128, 64, 32, 128};
  const FormatInfo& format = named("R8G8B8A8_UNORM_SRGB");
  EXPECT_EQ(decode_texel(format, bytes, 0, 0, false), decode_texel(named("R8G8B8A8_UNORM"), bytes));
  EXPECT_EQ(base::bits_of(decode_texel(format, bytes).f(0)), 0x3e5d0a89u);
  EXPECT_EQ(decode_texel(format, bytes).f(3), 128.0f / 255.0f);
}

}  // namespace
}  // namespace heddle::image
