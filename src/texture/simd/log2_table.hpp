// SPDX-License-Identifier: MIT
#pragma once
// LOD-1 as the functions look it up.

#include <cstdint>

namespace heddle::texture::simd {

/// 512 words: see DynamicState::log2.
[[nodiscard]] const std::uint32_t* log2_table();

}  // namespace heddle::texture::simd
