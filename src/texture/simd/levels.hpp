// SPDX-License-Identifier: MIT
#pragma once
// The levels of a surface as the functions find them.

#include "image/surface.hpp"
#include "texture/simd/state.hpp"

namespace heddle::texture::simd {

/// Sets the levels of the view, `pow2` and `memory`. False when a texel could lie outside the memory that was supplied
/// (C22), or the functions don't know the layout.
[[nodiscard]] bool place_levels(const image::Surface& surface, StaticState& static_state, DynamicState& dynamic_state);

}  // namespace heddle::texture::simd
