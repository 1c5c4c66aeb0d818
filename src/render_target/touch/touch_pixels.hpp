// SPDX-License-Identifier: MIT
#pragma once
// Counts the texels that compiled render-target writes store, for the process's sink (texture/touches.hpp).

#include "render_target/simd/prepared.hpp"

namespace heddle::render_target {

/// Of a message that has run and noted its survivors.
void count_touches(const simd::PreparedWrite& prepared, const simd::Inputs& inputs, std::uint32_t slots);

/// simd::DynamicState::fallback of messages that are counted so: as simd::write_reference, which tells nobody.
void write_unheard(const simd::DynamicState* dynamic_state, const simd::Inputs* inputs, std::uint32_t width,
                   std::uint32_t mask, void* thread);

}  // namespace heddle::render_target
