// SPDX-License-Identifier: MIT
#pragma once
// Typed writes over SIMD lanes, prepared once for a surface.

#include <memory>

#include "image/surface.hpp"
#include "texture/simd/typed_state.hpp"

namespace heddle::texture::simd {

struct PreparedTyped {
  TypedStaticState static_state;
  TypedDynamicState dynamic_state;
};

/// Writes of the channels `mask` (R = bit 0) to the level that the surface's state names. Nothing when the functions
/// cannot do it; when the surface's state or memory changes, prepare again.
[[nodiscard]] std::unique_ptr<PreparedTyped> prepare_typed_write(const image::Surface& surface, unsigned mask);
/// Only where texels of `bytes` bytes lie, for atomic operations; the static state says nothing of the format.
[[nodiscard]] std::unique_ptr<PreparedTyped> prepare_typed_atomic(const image::Surface& surface, unsigned bytes);

}  // namespace heddle::texture::simd
