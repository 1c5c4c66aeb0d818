// SPDX-License-Identifier: MIT
#pragma once
// Vulkan's state of tests, blending and coverage in the words of the output merger.

#include "image/output_state.hpp"
#include "vulkan/execution/context/rendering.hpp"
#include "vulkan/pipelines/graphics_pipeline.hpp"

namespace heddle::vulkan {

/// Which depths a device clamps to 0 to 1, whatever draws say.
struct ClampedDepths {
  bool fixed_point = false, floating_point = false;
};
/// `state`: what holds when the draw runs.
[[nodiscard]] image::OutputState output_state(const GraphicsPipeline& pipeline, const GraphicsState& state,
                                              const Rendering& rendering, ClampedDepths clamped);

}  // namespace heddle::vulkan
