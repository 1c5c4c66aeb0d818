// SPDX-License-Identifier: MIT
// The rows of image/format_table.inc as FormatInfo, and the ways to find them.

#include <algorithm>

#include "image/format.hpp"

namespace heddle::image {
namespace {

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }

struct TypeName {
  std::string_view text;
  ChannelType type;
};
constexpr TypeName kTypeNames[] = {
    {"un", ChannelType::Unorm},          {"sn", ChannelType::Snorm},   {"ui", ChannelType::Uint},
    {"si", ChannelType::Sint},           {"sf", ChannelType::Float},   {"uf", ChannelType::UnsignedFloat},
    {"ue", ChannelType::SharedExponent}, {"us", ChannelType::Uscaled}, {"ss", ChannelType::Sscaled},
    {"sx", ChannelType::Sfixed},         {"r", ChannelType::Raw},      {"x", ChannelType::Unused}};

constexpr unsigned read_number(std::string_view text, std::size_t& at) {
  unsigned value = 0;
  while (at < text.size() && is_digit(text[at])) value = value * 10 + static_cast<unsigned>(text[at++] - '0');
  return value;
}

constexpr std::uint8_t exponent_bits(ChannelType type, unsigned bits) {
  if (type == ChannelType::Float) return bits == 16 ? 5 : bits == 32 ? 8 : 11;
  if (type == ChannelType::UnsignedFloat) return bits == 9 ? 0 : 5;
  return 0;
}

/// Reads "R:un8@16 G:un8@8 ..." (the notation is explained in format_table.inc).
constexpr void read_channels(std::string_view text, FormatInfo& info) {
  std::size_t at = 0;
  while (at < text.size()) {
    Channel channel;
    channel.name = text[at];
    at += 2;
    for (const TypeName& candidate : kTypeNames)
      if (text.substr(at, candidate.text.size()) == candidate.text) {
        channel.type = candidate.type;
        at += candidate.text.size();
        break;
      }
    channel.bits = static_cast<std::uint8_t>(read_number(text, at));
    channel.exponent_bits = exponent_bits(channel.type, channel.bits);
    if (at < text.size() && text[at] == 'e') channel.exponent_bits = static_cast<std::uint8_t>(read_number(text, ++at));
    if (at < text.size() && text[at] == '@') channel.start = static_cast<std::uint16_t>(read_number(text, ++at));
    while (at < text.size() && text[at] != ' ') ++at;
    ++at;
    info.channels[info.channel_count++] = channel;
  }
}

constexpr Support read_support(std::string_view letters) {
  Support support;
  for (const char letter : letters) {
    if (letter == 'S') support.sample = true;
    if (letter == 'F') support.filter = true;
    if (letter == 'H') support.compare = true;
    if (letter == 'K') support.chroma_key = true;
    if (letter == 'R') support.render = true;
    if (letter == 'B') support.blend = true;
    if (letter == 'V') support.vertex = true;
    if (letter == 'O') support.stream_out = true;
    if (letter == 'U') support.sample_unorm_only = true;
  }
  return support;
}

struct CompressionName {
  std::string_view text;
  Compression compression;
  Codec codec;
};
constexpr CompressionName kCompressionNames[] = {{"", Compression::None, Codec::Plain},
                                                 {"bc1", Compression::Bc1, Codec::Bc1},
                                                 {"bc2", Compression::Bc2, Codec::Bc2},
                                                 {"bc3", Compression::Bc3, Codec::Bc3},
                                                 {"bc4", Compression::Bc4, Codec::Bc4},
                                                 {"bc5", Compression::Bc5, Codec::Bc5},
                                                 {"bc6h", Compression::Bc6h, Codec::Bc6h},
                                                 {"bc7", Compression::Bc7, Codec::Bc7},
                                                 {"etc1", Compression::Etc1, Codec::Etc},
                                                 {"etc2", Compression::Etc2, Codec::Etc},
                                                 {"eac", Compression::Eac, Codec::Eac},
                                                 {"astc", Compression::Astc, Codec::Astc},
                                                 {"fxt1", Compression::Fxt1, Codec::Fxt1},
                                                 {"ycrcb422", Compression::Ycrcb422, Codec::Ycrcb422},
                                                 {"planar420", Compression::Planar420, Codec::Planar}};

/// Chooses the quick codecs for plain formats; NUM-28 [C30]: palettes and 1-bit formats have none.
constexpr Codec plain_codec(const FormatInfo& info) {
  bool all_unorm8 = info.color_space == ColorSpace::Linear, words = true;
  for (std::size_t i = 0; i < info.channel_count; ++i) {
    const Channel& channel = info.channels[i];
    if (channel.name == 'P' || channel.type == ChannelType::Raw) return Codec::None;
    if (channel.type == ChannelType::SharedExponent) return Codec::SharedExponent;
    if (channel.type == ChannelType::Unused) {
      words = false;
      continue;
    }
    const bool color = channel.name == 'R' || channel.name == 'G' || channel.name == 'B' || channel.name == 'A';
    all_unorm8 =
        all_unorm8 && color && channel.type == ChannelType::Unorm && channel.bits == 8 && channel.start % 8 == 0;
    words =
        words && channel.bits == 32 && channel.name == "RGBA"[i] && channel.start == 32 * i &&
        (channel.type == ChannelType::Float || channel.type == ChannelType::Uint || channel.type == ChannelType::Sint);
  }
  if (info.channel_count == 0 || info.bits_per_element < 8 || info.name == "MONO8") return Codec::None;
  return words ? Codec::Words : all_unorm8 ? Codec::Unorm8 : Codec::Plain;
}

/// A row of the table as it is written: the columns of HEDDLE_FORMAT.
struct WrittenRow {
  std::string_view name;
  unsigned code, bits_per_element, block_width, block_height, block_depth;
  std::string_view channels, types, color_space, compression;
  std::string_view gen9, gen11, gen12, gen12_5, gen20;  ///< support letters
  float typed_write_since, typed_read_since;
};

constexpr FormatInfo read_row(const WrittenRow& row) {
  FormatInfo info;
  info.format = static_cast<Format>(row.code);
  info.name = row.name;
  info.bits_per_element = static_cast<std::uint16_t>(row.bits_per_element);
  info.block_width = static_cast<std::uint8_t>(row.block_width);
  info.block_height = static_cast<std::uint8_t>(row.block_height);
  info.block_depth = static_cast<std::uint8_t>(row.block_depth);
  read_channels(row.channels, info);
  info.value_class = row.types == "UINT" || row.types == "RAW" ? ValueClass::Uint
                     : row.types == "SINT"                     ? ValueClass::Sint
                                                               : ValueClass::Float;
  info.color_space = row.color_space == "linear" ? ColorSpace::Linear
                     : row.color_space == "srgb" ? ColorSpace::Srgb
                     : row.color_space == "yuv"  ? ColorSpace::Yuv
                                                 : ColorSpace::None;
  for (const CompressionName& candidate : kCompressionNames)
    if (candidate.text == row.compression) {
      info.compression = candidate.compression;
      info.codec = candidate.codec;
    }
  if (info.codec == Codec::Plain) info.codec = plain_codec(info);
  info.support = {read_support(row.gen9), read_support(row.gen11), read_support(row.gen12), read_support(row.gen12_5),
                  read_support(row.gen20)};
  info.typed_write_since = row.typed_write_since;
  info.typed_read_since = row.typed_read_since;
  return info;
}

constexpr FormatInfo kFormats[] = {
#define HEDDLE_FORMAT(name, code, ...) read_row({#name, code, __VA_ARGS__}),
#include "image/format_table.inc"
#undef HEDDLE_FORMAT
};
constexpr std::size_t kFormatCount = std::size(kFormats);
constexpr std::size_t kCodes = kFirstVulkanFormat + 0x20;

constexpr auto kRowOfCode = [] {
  std::array<std::int16_t, kCodes> rows{};
  rows.fill(-1);
  for (std::size_t i = 0; i < kFormatCount; ++i)
    rows[static_cast<std::size_t>(kFormats[i].format)] = static_cast<std::int16_t>(i);
  return rows;
}();

struct VulkanRow {
  std::uint32_t number;
  std::string_view name;
  Format format;
};
constexpr VulkanRow kVulkan[] = {
#define HEDDLE_VULKAN(number, name, format) {number, #name, Format::format},
#define HEDDLE_VULKAN_ALIAS(number, name, format)
#include "image/formats/vulkan.inc"
#undef HEDDLE_VULKAN
#undef HEDDLE_VULKAN_ALIAS
};
constexpr VulkanRow kVulkanAliases[] = {
#define HEDDLE_VULKAN(number, name, format)
#define HEDDLE_VULKAN_ALIAS(number, name, format) {number, #name, Format::format},
#include "image/formats/vulkan.inc"
#undef HEDDLE_VULKAN
#undef HEDDLE_VULKAN_ALIAS
};

constexpr char upper(char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; }

bool same_name(std::string_view a, std::string_view b) {
  return a.size() == b.size() &&
         std::equal(a.begin(), a.end(), b.begin(), [](char x, char y) { return upper(x) == upper(y); });
}

}  // namespace

bool FormatInfo::sampleable() const {
  return std::any_of(support.begin(), support.end(), [](const Support& s) { return s.sample || s.sample_unorm_only; });
}

bool FormatInfo::renderable() const {
  return std::any_of(support.begin(), support.end(), [](const Support& s) { return s.render; });
}

bool FormatInfo::has_channel(char channel_name) const {
  for (std::size_t i = 0; i < channel_count; ++i)
    if (channels[i].name == channel_name && channels[i].type != ChannelType::Unused) return true;
  return false;
}

bool FormatInfo::alpha_only() const {
  return has_channel('A') && !has_channel('R') && !has_channel('G') && !has_channel('B') && !has_channel('L') &&
         !has_channel('P');
}

std::span<const FormatInfo> all_formats() { return kFormats; }

const FormatInfo* format_info(Format format) {
  const auto code = static_cast<std::size_t>(format);
  if (code >= kCodes || kRowOfCode[code] < 0) return nullptr;
  return &kFormats[static_cast<std::size_t>(kRowOfCode[code])];
}

const FormatInfo* find_format(std::string_view name) {
  for (const FormatInfo& info : kFormats)
    if (same_name(info.name, name)) return &info;
  constexpr std::string_view prefix = "VK_FORMAT_";
  if (same_name(name.substr(0, prefix.size()), prefix)) name.remove_prefix(prefix.size());
  for (const VulkanRow& row : kVulkan)
    if (same_name(row.name, name)) return format_info(row.format);
  for (const VulkanRow& row : kVulkanAliases)
    if (same_name(row.name, name)) return format_info(row.format);
  return nullptr;
}

std::optional<std::uint32_t> vulkan_format(Format format) {
  for (const VulkanRow& row : kVulkan)
    if (row.format == format) return row.number;
  return std::nullopt;
}

const FormatInfo* from_vulkan_format(std::uint32_t vk_format) {
  for (const VulkanRow& row : kVulkan)
    if (row.number == vk_format) return format_info(row.format);
  for (const VulkanRow& row : kVulkanAliases)
    if (row.number == vk_format) return format_info(row.format);
  return nullptr;
}

bool decodable(const FormatInfo& format) { return format.codec != Codec::None; }

}  // namespace heddle::image
