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

/// v / 255, one binary32 division (NUM-10), from a table.
[[nodiscard]] float unorm8(std::uint32_t v);

/// A texel from 8-bit results; sRGB decode of the colour channels on request.
[[nodiscard]] Texel texel_from_bytes(std::array<std::uint8_t, 4> rgba, bool srgb);

[[nodiscard]] Texel decode_bc1_to_3(const FormatInfo& format, const std::uint8_t* block, unsigned x, unsigned y,
                                    bool srgb);
[[nodiscard]] Texel decode_bc4_5(const FormatInfo& format, const std::uint8_t* block, unsigned x, unsigned y);
[[nodiscard]] Texel decode_bc6h(const FormatInfo& format, const std::uint8_t* block, unsigned x, unsigned y);
[[nodiscard]] Texel decode_bc7(const std::uint8_t* block, unsigned x, unsigned y, bool srgb);
[[nodiscard]] Texel decode_etc(const FormatInfo& format, const std::uint8_t* block, unsigned x, unsigned y, bool srgb);
[[nodiscard]] Texel decode_eac(const FormatInfo& format, const std::uint8_t* block, unsigned x, unsigned y);
[[nodiscard]] Texel decode_astc(const FormatInfo& format, const std::uint8_t* block, unsigned x, unsigned y, bool srgb);
[[nodiscard]] Texel decode_fxt1(const std::uint8_t* block, unsigned x, unsigned y);

}  // namespace heddle::image
