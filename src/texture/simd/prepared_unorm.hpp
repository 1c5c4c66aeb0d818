// SPDX-License-Identifier: MIT
#pragma once
// SAMPLE_UNORM over SIMD lanes: sample_unorm() with the same values, prepared once for a surface and a sampler.

#include <memory>

#include "texture/sample_unorm.hpp"
#include "texture/simd/prepared.hpp"
#include "texture/simd/unorm_state.hpp"

namespace heddle::texture::simd {

struct PreparedUnorm {
  UnormStaticState static_state;
  UnormDynamicState dynamic_state;
};

/// Surface, sampler and channels of `request`. Null: for the reference unit. The functions have 2D surfaces that are no
/// arrays and not rotated, whose channels are 8-bit UNORM or planes of PLANAR_420_8, and address modes without border.
/// Warnings (UNO-9, UNO-11) are not made.
[[nodiscard]] std::unique_ptr<PreparedUnorm> prepare_unorm(const UnormRequest& request);

/// The block; `out` as unorm_state.hpp says.
void sample_unorm(const PreparedUnorm& prepared, const UnormInputs& inputs, std::uint16_t* out, InstructionSet target);

}  // namespace heddle::texture::simd
