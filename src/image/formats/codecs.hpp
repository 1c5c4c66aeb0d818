// SPDX-License-Identifier: MIT
#pragma once
// The pieces of decode_texel: one decoder a compression family. All take the block's bytes and the texel's place in the
// block.

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>

#include "image/format.hpp"

namespace heddle::image {

inline constexpr std::uint32_t kOneBits = 0x3f800000u;  // 1.0

/// NUM-23: what a texel holds where its format has no channel.
[[nodiscard]] constexpr Texel default_texel(ValueClass value_class) {
  return {{0, 0, 0, value_class == ValueClass::Float ? kOneBits : 1u}};
}

/// Reads `bytes` (1 to 8) bytes as a little-endian integer.
[[nodiscard]] inline std::uint64_t load_little(const std::uint8_t* from, unsigned bytes) {
  std::uint64_t value = 0;
  for (unsigned i = 0; i < bytes; ++i) value |= std::uint64_t{from[i]} << (8 * i);
  return value;
}

inline void store_little(std::uint32_t value, std::uint8_t* to) {
  for (unsigned i = 0; i < 4; ++i) to[i] = static_cast<std::uint8_t>(value >> (8 * i));
}

/// v / 255 rounded once (NUM-10), for v up to 255, without a division: the first product is exact and the second one is
/// too small for its error to reach the sum.
[[nodiscard]] constexpr float unorm8(std::uint32_t v) {
  const auto value = static_cast<float>(static_cast<std::int32_t>(v));
  return value * 0x1.01p-8f + value * 0x1.010102p-24f;
}
static_assert([] {
  for (std::uint32_t v = 0; v < 256; ++v)
    if (unorm8(v) != static_cast<float>(v) / 255.0f) return false;
  return true;
}());

/// A texel from 8-bit results; sRGB decode of the color channels on request.
[[nodiscard]] Texel texel_from_bytes(std::array<std::uint8_t, 4> rgba, bool srgb);

// One texel of a block.
[[nodiscard]] Texel decode_bc1_to_3(const FormatInfo& format, const std::uint8_t* block, unsigned x, unsigned y,
                                    bool srgb);
[[nodiscard]] Texel decode_bc4_5(const FormatInfo& format, const std::uint8_t* block, unsigned x, unsigned y);
[[nodiscard]] Texel decode_bc6h(const FormatInfo& format, const std::uint8_t* block, unsigned x, unsigned y);
[[nodiscard]] Texel decode_bc7(const std::uint8_t* block, unsigned x, unsigned y, bool srgb);
[[nodiscard]] Texel decode_etc(const FormatInfo& format, const std::uint8_t* block, unsigned x, unsigned y, bool srgb);
[[nodiscard]] Texel decode_eac(const FormatInfo& format, const std::uint8_t* block, unsigned x, unsigned y);
[[nodiscard]] Texel decode_astc(const FormatInfo& format, const std::uint8_t* block, unsigned x, unsigned y, bool srgb);
[[nodiscard]] Texel decode_fxt1(const std::uint8_t* block, unsigned x, unsigned y);

/// The 4x4 texels of a block as their words, rows `pitch` words apart.
inline void store_texels(const std::array<Texel, 16>& texels, std::uint32_t* to, std::size_t pitch) {
  for (std::size_t y = 0; y < 4; ++y, to += pitch) std::memcpy(to, &texels[4 * y], 4 * sizeof(Texel));
}

// A whole block, by the same rules. Rows of four values a texel, `pitch` values apart: 8-bit results, halves, or the
// words of the texels.
void decode_bc1_to_3_block(const FormatInfo& format, const std::uint8_t* block, bool srgb, std::uint32_t* to,
                           std::size_t pitch);
void decode_bc4_5_block(const FormatInfo& format, const std::uint8_t* block, std::uint32_t* to, std::size_t pitch);
void decode_bc6h_block(const FormatInfo& format, const std::uint8_t* block, std::uint16_t* to, std::size_t pitch);
void decode_bc7_block(const FormatInfo& format, const std::uint8_t* block, std::uint8_t* to, std::size_t pitch);
void decode_etc_block(const FormatInfo& format, const std::uint8_t* block, std::uint8_t* to, std::size_t pitch);
void decode_eac_block(const FormatInfo& format, const std::uint8_t* block, std::uint32_t* to, std::size_t pitch);
void decode_fxt1_block(const FormatInfo& format, const std::uint8_t* block, std::uint8_t* to, std::size_t pitch);

/// Blocks side by side into the words of `rows` (1 to block_height) rows of `width` texels.
void decode_astc_rows(const FormatInfo& format, const std::uint8_t* blocks, std::uint32_t width, std::uint32_t rows,
                      bool srgb, std::uint32_t* words);

}  // namespace heddle::image
