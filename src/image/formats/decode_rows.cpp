// SPDX-License-Identifier: MIT
// Rows of elements to values: decode_texel's conversions with all that depends on the format alone outside of the
// loops.

#include <algorithm>
#include <cstring>

#include "image/formats/conversions.hpp"
#include "image/formats/convert_rows.hpp"

namespace heddle::image {
namespace {

void convert(const std::uint8_t* from, std::size_t texels, bool srgb, std::uint32_t* words) {
  row_conversions().bytes(from, texels, srgb, words);
}
void convert(const std::uint16_t* from, std::size_t texels, bool, std::uint32_t* words) {
  row_conversions().halves(from, texels, words);
}
void convert(const std::uint32_t* from, std::size_t texels, bool, std::uint32_t* words) {
  std::memcpy(words, from, texels * 16);
}

/// `decode(block, to, pitch)` decodes one block. Strips of blocks are converted while they are in the cache.
template <typename Value, typename Decode>
void decode_blocks(const FormatInfo& format, const std::uint8_t* elements, std::uint32_t width, std::uint32_t rows,
                   bool srgb, std::uint32_t* words, Decode decode) {
  constexpr std::size_t kMax = 16 * 1024;  // bytes
  alignas(64) std::array<Value, kMax / sizeof(Value)> strip;
  const std::uint32_t bytes = format.bytes_per_element(), block = format.block_width;
  const auto most = static_cast<std::uint32_t>(strip.size() / (4u * block * format.block_height));
  for (std::uint32_t x = 0; x < width; x += most * block) {
    const std::uint32_t texels = std::min(most * block, width - x), count = (texels + block - 1) / block;
    const std::size_t pitch = std::size_t{4} * count * block;
    for (std::uint32_t i = 0; i < count; ++i, elements += bytes)
      decode(elements, strip.data() + std::size_t{4} * i * block, pitch);
    for (std::uint32_t y = 0; y < rows; ++y)
      convert(strip.data() + y * pitch, texels, srgb, words + (std::size_t{y} * width + x) * 4);
  }
}

void decode_one_by_one(const FormatInfo& format, const std::uint8_t* elements, std::uint32_t width, std::uint32_t rows,
                       bool srgb, std::uint32_t* words) {
  const std::uint32_t bytes = format.bytes_per_element(), block = format.block_width;
  for (std::uint32_t y = 0; y < rows; ++y)
    for (std::uint32_t x = 0; x < width; ++x, words += 4) {
      const Texel texel = decode_texel(format, elements + std::size_t{x / block} * bytes, x % block, y, srgb);
      std::copy(texel.bits.begin(), texel.bits.end(), words);
    }
}

}  // namespace

void decode_rows(const FormatInfo& format, const std::uint8_t* elements, std::uint32_t width, std::uint32_t rows,
                 bool srgb_decode, std::uint32_t* words) {
  const bool srgb = srgb_decode && format.is_srgb();
  const auto blocks = [&]<typename Value>(void (*decode)(const FormatInfo&, const std::uint8_t*, Value*, std::size_t)) {
    decode_blocks<Value>(
        format, elements, width, rows, srgb, words,
        [&](const std::uint8_t* block, Value* to, std::size_t pitch) { decode(format, block, to, pitch); });
  };
  switch (format.codec) {
    case Codec::None:
      std::fill_n(words, std::size_t{4} * width * rows, 0u);
      return;
    case Codec::Words:
      if (format.channel_count == 4) {
        std::memcpy(words, elements, std::size_t{16} * width);
        return;
      }
      [[fallthrough]];
    case Codec::Plain:
    case Codec::Unorm8:
      return row_conversions().channels(format, elements, width, srgb, words);
    case Codec::SharedExponent:
      for (std::size_t i = 0; i < width; ++i) {
        const Texel texel = decode_shared(static_cast<std::uint32_t>(load_little(elements + 4 * i, 4)));
        std::copy(texel.bits.begin(), texel.bits.end(), words + 4 * i);
      }
      return;
    case Codec::Ycrcb422:
    case Codec::Planar:
      return decode_one_by_one(format, elements, width, rows, srgb, words);
    case Codec::Bc1:
    case Codec::Bc2:
    case Codec::Bc3:
      return decode_blocks<std::uint32_t>(format, elements, width, rows, srgb, words,
                                          [&](const std::uint8_t* block, std::uint32_t* to, std::size_t pitch) {
                                            decode_bc1_to_3_block(format, block, srgb, to, pitch);
                                          });
    case Codec::Bc4:
    case Codec::Bc5:
      return blocks(decode_bc4_5_block);
    case Codec::Bc6h:
      return blocks(decode_bc6h_block);
    case Codec::Bc7:
      return blocks(decode_bc7_block);
    case Codec::Etc:
      return blocks(decode_etc_block);
    case Codec::Eac:
      return blocks(decode_eac_block);
    case Codec::Fxt1:
      return blocks(decode_fxt1_block);
    case Codec::Astc:
      return decode_astc_rows(format, elements, width, rows, srgb, words);
  }
}

}  // namespace heddle::image
