// SPDX-License-Identifier: MIT
#pragma once
// Surface formats: one table for everything (SURFACE_FORMAT of Intel graphics, Gen9 to Xe2). Decode NUM-10..28, encode
// NUM-50..63.

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "image/enumerations.hpp"

namespace heddle::image {

/// The hardware's SURFACE_FORMAT code (9 bits; 200h and above = the ASTC page), or from kFirstVulkanFormat on a number
/// of our own for what only Vulkan has (VKF-1). One enumerator a row of format_table.inc.
enum class Format : std::uint16_t {
#define HEDDLE_FORMAT(name, code, ...) name = code,
#include "image/format_table.inc"
#undef HEDDLE_FORMAT
};

inline constexpr std::uint16_t kFirstVulkanFormat = 0x400;

enum class ChannelType : std::uint8_t {
  Unused,
  Unorm,
  Snorm,
  Uint,
  Sint,
  Float,
  UnsignedFloat,
  SharedExponent,
  Uscaled,
  Sscaled,
  Sfixed,
  Raw
};
enum class ColorSpace : std::uint8_t { None, Linear, Srgb, Yuv };
enum class Compression : std::uint8_t {
  None,
  Bc1,
  Bc2,
  Bc3,
  Bc4,
  Bc5,
  Bc6h,
  Bc7,
  Etc1,
  Etc2,
  Eac,
  Astc,
  Fxt1,
  Ycrcb422,
  Planar420
};
enum class Generation : std::uint8_t { Gen9, Gen11, Gen12, Gen12_5, Gen20 };

/// One channel of the element. `name` is R G B A, L luminance, I intensity, P palette index, E shared exponent.
struct Channel {
  char name = 0;
  ChannelType type = ChannelType::Unused;
  std::uint8_t bits = 0;    ///< of compressed formats: of the decoded channel
  std::uint16_t start = 0;  ///< bit position in the little-endian element (NUM-26); 0 where the compression sets it
  std::uint8_t exponent_bits =
      0;  ///< floats: 5 (uf11, uf10, sf16), 4 (uf10e4), 8 (sf32), 11 (sf64), 0 (the fractions of R9G9B9E5)
};

/// How the codec reads and writes an element; derived from the row.
enum class Codec : std::uint8_t {
  None,
  Plain,
  Unorm8,
  Words,
  SharedExponent,
  Ycrcb422,
  Planar,
  Bc1,
  Bc2,
  Bc3,
  Bc4,
  Bc5,
  Bc6h,
  Bc7,
  Etc,
  Eac,
  Astc,
  Fxt1
};

/// Support letters of the table, per generation.
struct Support {
  bool sample = false, filter = false, compare = false, chroma_key = false, render = false, blend = false,
       vertex = false, stream_out = false, sample_unorm_only = false;
};

struct FormatInfo {
  Format format{};
  std::string_view name;
  std::uint16_t bits_per_element = 0;  ///< of a texel, or of one compression block
  std::uint8_t block_width = 1, block_height = 1, block_depth = 1;
  std::array<Channel, 5> channels{};
  std::uint8_t channel_count = 0;
  ValueClass value_class = ValueClass::Float;
  ColorSpace color_space = ColorSpace::Linear;
  Compression compression = Compression::None;
  std::array<Support, 5> support{};                   ///< by Generation
  float typed_write_since = 0, typed_read_since = 0;  ///< 0 = never
  Codec codec = Codec::None;

  [[nodiscard]] std::uint32_t bytes_per_element() const { return (bits_per_element + 7u) / 8u; }
  [[nodiscard]] bool sampleable() const;  ///< on any generation (U counts)
  [[nodiscard]] bool renderable() const;  ///< on any generation
  [[nodiscard]] bool has_channel(char name) const;
  [[nodiscard]] bool alpha_only() const;
  [[nodiscard]] bool is_srgb() const { return color_space == ColorSpace::Srgb; }
};

/// All rows of the table, in order of code.
[[nodiscard]] std::span<const FormatInfo> all_formats();
/// nullptr when the code is not in the table.
[[nodiscard]] const FormatInfo* format_info(Format format);
/// Intel's name ("R8G8B8A8_UNORM"), or Vulkan's ("VK_FORMAT_R8G8B8A8_UNORM", "r8g8b8a8_unorm", "r8g8b8a8_srgb",
/// "d32_sfloat" ...), any case.
[[nodiscard]] const FormatInfo* find_format(std::string_view name);
/// Vulkan's enumerator number (core and KTX2), or nullopt where Vulkan has none; and back.
[[nodiscard]] std::optional<std::uint32_t> vulkan_format(Format format);
[[nodiscard]] const FormatInfo* from_vulkan_format(std::uint32_t vk_format);

/// A decoded texel: R, G, B, A as 32-bit words (binary32 bits for Float, integers else), format defaults filled in
/// (NUM-23).
struct Texel {
  std::array<std::uint32_t, 4> bits{};
  [[nodiscard]] float f(int channel) const { return __builtin_bit_cast(float, bits[static_cast<unsigned>(channel)]); }
  void set(int channel, float value) {
    bits[static_cast<unsigned>(channel)] = __builtin_bit_cast(std::uint32_t, value);
  }
  bool operator==(const Texel&) const = default;
};

/// Decodes the texel at (x, y) inside the element (0, 0 for plain formats). `element` has bytes_per_element() bytes.
/// `srgb_decode` false skips NUM-21. Formats that cannot be decoded (palette, MONO ...) give zeros; ask `decodable`
/// first.
[[nodiscard]] Texel decode_texel(const FormatInfo& format, const std::uint8_t* element, unsigned x = 0, unsigned y = 0,
                                 bool srgb_decode = true);
[[nodiscard]] bool decodable(const FormatInfo& format);
/// decode_texel for many: decodes `rows` (1 to block_height) rows of `width` texels of a row of elements that lie one
/// after the other; the last one need not be full. Four words a texel, row after row.
void decode_rows(const FormatInfo& format, const std::uint8_t* elements, std::uint32_t width, std::uint32_t rows,
                 bool srgb_decode, std::uint32_t* words);
/// A texel of a planar 4:2:0 format from its three samples (NUM-22; the chroma samples lie at (x / 2, y / 2)): R = V, G
/// = Y, B = U. decode_texel alone sees the luma sample and gives (0, Y, 0, 1).
[[nodiscard]] Texel decode_planar(const FormatInfo& format, const std::uint8_t* y, const std::uint8_t* u,
                                  const std::uint8_t* v);

/// Encodes one texel into `element` (NUM-50..63). Only for uncompressed formats (`encodable`). Channels that the format
/// lacks are ignored, X bits are written as 0 (C32). YCRCB pairs: `x` selects the luma; the even texel writes the
/// pair's chroma too.
void encode_texel(const FormatInfo& format, const Texel& value, std::uint8_t* element, unsigned x = 0);
[[nodiscard]] bool encodable(const FormatInfo& format);

}  // namespace heddle::image
