// SPDX-License-Identifier: MIT
#pragma once
// Texels of compressed formats for the vector functions.

#include <cstddef>
#include <cstdint>

#include "image/format.hpp"
#include "texture/simd/state.hpp"

namespace heddle::texture::simd {

/// Formats whose texels decode_blocks() decodes: those that image::decode_rows() has for whole blocks.
[[nodiscard]] bool lies_in_blocks(const image::FormatInfo& format);

/// DynamicState::decode. Every thread keeps the blocks that it decoded last, by their bytes: what stands in memory may
/// change at any time.
void decode_blocks(const DynamicState* dynamic_state, const Level* level, const std::uint32_t* places,
                   std::uint32_t width, std::uint32_t quads, std::uint32_t* words);

/// The texels of the first slice of a level in rows of blocks from `first` to before `last`. `words`: four for each
/// texel of the level, row after row.
void decode_block_rows(const DynamicState& dynamic_state, const Level& level, std::size_t first, std::size_t last,
                       std::uint32_t* words);
[[nodiscard]] std::uint32_t block_rows(const DynamicState& dynamic_state, const Level& level);

/// Bytes of decoded blocks that each thread keeps at most: 30 formats of 4 x 4 texels, three of 12 x 12.
inline constexpr std::size_t kKeptBlockBytes = std::size_t{1} << 21;

/// What the calling thread keeps, and how many blocks it decoded.
struct BlockCounts {
  std::size_t bytes = 0;
  std::uint64_t decoded = 0;
};
[[nodiscard]] BlockCounts block_counts();

}  // namespace heddle::texture::simd
