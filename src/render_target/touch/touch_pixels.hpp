// SPDX-License-Identifier: MIT
#pragma once
// Counts the texels that compiled render-target writes store, for the process's sink (texture/touches.hpp).

#include "render_target/simd/prepared.hpp"
#include "texture/touch/touch_entry.hpp"

namespace heddle::render_target {

/// Where the thread counts what the message writes, now and until the code that asks ends; zeros where it is not
/// counted.
[[nodiscard]] texture::simd::TouchTarget open_counters(const simd::PreparedWrite& prepared);

/// Of a message that has run and noted its survivors.
void count_touches(const simd::PreparedWrite& prepared, const simd::Inputs& inputs, std::uint32_t slots,
                   const texture::simd::TouchTarget& to);

/// simd::DynamicState::fallback of messages that are counted so: as simd::write_reference, which tells nobody.
void write_unheard(const simd::DynamicState* dynamic_state, const simd::Inputs* inputs, std::uint32_t width,
                   std::uint32_t mask, void* thread);

}  // namespace heddle::render_target
