// SPDX-License-Identifier: MIT
#pragma once
// Counts the texels that a prepared operation reads, for the process's sink (texture/touches.hpp).

#include "texture/simd/prepared.hpp"
#include "texture/touch/touch_entry.hpp"

namespace heddle::texture {

/// Whether the functions count what this operation reads; otherwise nothing is to be counted, or the reference unit
/// must run it and tell its observer. Known from the state alone.
[[nodiscard]] bool kernels_count(const simd::StaticState& state);
/// Whether they count what the operation reads in any state.
[[nodiscard]] bool may_count(const simd::StaticState& state);

/// Where the thread counts what the operation reads, now and until the code that asks ends; zeros where it is not
/// counted. For callers that know the function (touch_entry.hpp).
[[nodiscard]] simd::TouchTarget open_counters(const simd::PreparedOperation& prepared);

/// Of the lanes of `mask`; nothing where the functions do not count.
void count_touches(const simd::PreparedOperation& prepared, const simd::Inputs& inputs, unsigned width,
                   std::uint32_t mask, simd::InstructionSet target = simd::best_instruction_set());

}  // namespace heddle::texture
