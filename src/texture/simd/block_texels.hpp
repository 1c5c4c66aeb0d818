// SPDX-License-Identifier: MIT
#pragma once
// Texels of compressed formats for the vector functions.

#include "image/format.hpp"
#include "texture/simd/state.hpp"

namespace heddle::texture::simd {

/// Formats whose texels decode_blocks() decodes: those that image::decode_rows() has for whole blocks.
[[nodiscard]] bool lies_in_blocks(const image::FormatInfo& format);

/// DynamicState::decode. Every thread keeps the blocks that it decoded last, by their bytes: what stands in memory may
/// change at any time.
void decode_blocks(const DynamicState* dynamic_state, const Level* level, const std::uint32_t* places,
                   std::uint32_t width, std::uint32_t quads, std::uint32_t* words);

}  // namespace heddle::texture::simd
