// SPDX-License-Identifier: MIT
#pragma once
// Counts the texels that a prepared operation reads, for the process's sink (texture/touches.hpp).

#include "texture/simd/prepared.hpp"

namespace heddle::texture {

/// Whether the kernels count what this operation reads; otherwise nothing is to be counted, or the reference unit must
/// run it and tell its observer. Known from the state alone.
[[nodiscard]] bool kernels_count(const simd::StaticState& state);

/// Of the lanes of `mask`; `offset`: immediate texel offsets, which operations with one dynamic state may differ in.
void count_touches(const simd::PreparedOperation& prepared, const simd::Inputs& inputs, unsigned width,
                   std::uint32_t mask, const std::int8_t (&offset)[3],
                   simd::InstructionSet target = simd::best_instruction_set());

}  // namespace heddle::texture
