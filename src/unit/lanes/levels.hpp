#pragma once
// The levels of a surface as the kernels find them.

#include "image/surface.hpp"
#include "unit/lanes/state.hpp"

namespace heddle::unit::lanes {

/// Sets the levels of the view, `pow2` and `memory`. False when a texel could lie outside the memory that was supplied
/// (C22), or the kernels don't know the layout.
[[nodiscard]] bool place_levels(const image::Surface& surface, Fixed& fixed, Varying& varying);

}  // namespace heddle::unit::lanes
