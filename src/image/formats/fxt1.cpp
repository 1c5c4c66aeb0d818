// SPDX-License-Identifier: MIT
// FXT1: 8x4 blocks of 128 bits, by GL_3DFX_texture_compression_FXT1; expansion to 8 bits and rounding as Mesa has them,
// which the extension leaves open. The surface format has no alpha: transparent codes are opaque black.

#include "image/formats/bptc.hpp"

namespace heddle::image {
namespace {

using Rgb = std::array<unsigned, 3>;

unsigned scale5(unsigned v) { return (v * 255 + 15) / 31; }
unsigned scale6(unsigned v) { return (v * 255 + 31) / 63; }

/// Blue, green, red of 5 bits each from bit `at`; green gets a sixth bit on request.
Rgb color(const BlockBits& block, unsigned at) {
  return {scale5(block.bits(at + 10, 5)), scale5(block.bits(at + 5, 5)), scale5(block.bits(at, 5))};
}
Rgb color_green6(const BlockBits& block, unsigned at, unsigned green_low) {
  return {scale5(block.bits(at + 10, 5)), scale6(block.bits(at + 5, 5) << 1 | green_low), scale5(block.bits(at, 5))};
}

Rgb between(const Rgb& a, const Rgb& b, unsigned t, unsigned n) {
  Rgb result{};
  for (std::size_t i = 0; i < 3; ++i) result[i] = ((n - t) * a[i] + t * b[i] + n / 2) / n;
  return result;
}

constexpr Rgb kBlack{};

Rgb mixed(const BlockBits& block, unsigned half, unsigned code) {
  const unsigned at = 64 + 30 * half;
  const unsigned green_low = block.bits(125 + half, 1);
  const Rgb second = color_green6(block, at + 15, green_low);
  if (block.bits(124, 1) == 0) {
    const unsigned first_low = green_low ^ block.bits(1 + 32 * half, 1);
    return between(color_green6(block, at, first_low), second, code, 3);
  }
  const Rgb first = color(block, at);
  switch (code) {
    case 0:
      return first;
    case 1:
      return {(first[0] + second[0]) / 2, (first[1] + second[1]) / 2, (first[2] + second[2]) / 2};
    case 2:
      return second;
    default:
      return kBlack;
  }
}

Rgb with_alpha(const BlockBits& block, unsigned half, unsigned code) {
  if (block.bits(124, 1) != 0) return between(color(block, 64 + 30 * half), color(block, 79), code, 3);
  return code == 3 ? kBlack : color(block, 64 + 15 * code);
}

Rgb color_at(const BlockBits& block, unsigned x, unsigned y) {
  const unsigned half = x >> 2, in_half = 4 * y + (x & 3);
  const unsigned code = block.bits(32 * half + 2 * in_half, 2);
  const unsigned mode = block.bits(125, 3);
  Rgb rgb{};
  if (mode >= 4) {
    rgb = mixed(block, half, code);
  } else if (mode == 3) {
    rgb = with_alpha(block, half, code);
  } else if (mode == 2) {
    rgb = color(block, 64 + 15 * code);
  } else {
    const unsigned step = block.bits(3 * (16 * half + in_half), 3);
    rgb = step == 7 ? kBlack : between(color(block, 96), color(block, 111), step, 6);
  }
  return rgb;
}

}  // namespace

Texel decode_fxt1(const std::uint8_t* block, unsigned x, unsigned y) {
  const Rgb rgb = color_at(BlockBits(block), x, y);
  return texel_from_bytes(
      {static_cast<std::uint8_t>(rgb[0]), static_cast<std::uint8_t>(rgb[1]), static_cast<std::uint8_t>(rgb[2]), 255},
      false);
}

void decode_fxt1_block(const FormatInfo&, const std::uint8_t* block, std::uint8_t* to, std::size_t pitch) {
  const BlockBits bits(block);
  for (unsigned y = 0; y < 4; ++y)
    for (unsigned x = 0; x < 8; ++x) {
      const Rgb rgb = color_at(bits, x, y);
      std::uint8_t* at = to + y * pitch + 4 * x;
      for (std::size_t c = 0; c < 3; ++c) at[c] = static_cast<std::uint8_t>(rgb[c]);
      at[3] = 255;
    }
}

}  // namespace heddle::image
