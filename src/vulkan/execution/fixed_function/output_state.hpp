// SPDX-License-Identifier: MIT
#pragma once
// Vulkan's state of tests, blending and coverage in the words of the output merger.

#include "image/output_state.hpp"
#include "vulkan/execution/context/rendering.hpp"
#include "vulkan/pipelines/graphics_pipeline.hpp"

namespace heddle::vulkan {

/// `state`: what holds when the draw runs.
[[nodiscard]] image::OutputState output_state(const GraphicsPipeline& pipeline, const GraphicsState& state,
                                              const Rendering& rendering);

}  // namespace heddle::vulkan
