// SPDX-License-Identifier: MIT
#pragma once
// UASTC LDR 4x4: blocks of 128 bits in 19 modes, a part of ASTC that BC7 shares (Binomial's UASTC LDR 4x4 Texture
// Specification).

#include <array>
#include <cstdint>
#include <optional>

namespace heddle::image {

/// What a block says. A block of one color has equal end points and weights of 0.
struct UastcBlock {
  using Rgba = std::array<std::uint8_t, 4>;

  unsigned mode = 0;     ///< 0 to 18
  unsigned pattern = 0;  ///< of the mode's own list of partitions
  unsigned subsets = 1;
  std::uint32_t partition = 0;  ///< the subset of each texel, two bits, row by row
  unsigned weight_bits = 0;     ///< 1 to 5; 0: one color
  bool two_planes = false;
  unsigned component = 3;      ///< two planes: the one that the second weights are for
  std::array<Rgba, 6> ends{};  ///< low and high of each subset
  std::array<std::uint8_t, 16> weights{}, second_weights{};
};

/// nullopt: the bits are no block.
[[nodiscard]] std::optional<UastcBlock> read_uastc(const std::uint8_t* block);

/// The texels row by row, as RGBA8 without the sRGB variant of the interpolation.
[[nodiscard]] std::array<UastcBlock::Rgba, 16> uastc_texels(const UastcBlock& block);

/// The block of BC7 that the specification gives for it, into 16 bytes.
void uastc_to_bc7(const UastcBlock& block, std::uint8_t* to);

/// How a pattern of UASTC stands in BC7's tables: `bc7` of two or three subsets; `subset[i]` of it is UASTC's subset of
/// BC7's subset i.
struct SharedPattern {
  unsigned bc7 = 0;
  std::array<std::uint8_t, 3> subset{};
};
[[nodiscard]] SharedPattern uastc_pattern(unsigned mode, unsigned pattern);

}  // namespace heddle::image
