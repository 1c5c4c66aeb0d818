// SPDX-License-Identifier: MIT
#pragma once
// Vulkan's advanced blend operations (OM-26).

#include <array>

#include "image/advanced_blend.hpp"
#include "render_target/render_target.hpp"

namespace heddle::render_target {

/// What is stored: of destinations that are not multiplied by alpha the color alone. `how.op` is not Off. Colors that
/// Vulkan calls ill-formed give some color.
[[nodiscard]] std::array<float, 4> advanced_blend(const image::AdvancedBlend& how, const BlendColors& colors);

}  // namespace heddle::render_target
