// SPDX-License-Identifier: MIT
#pragma once
// Vulkan's state of the rasterizer in the words of pipeline/.

#include <vulkan/vulkan.h>

#include "pipeline/raster/state.hpp"
#include "pipeline/vertices/vertices.hpp"
#include "vulkan/execution/context/rendering.hpp"
#include "vulkan/pipelines/graphics_pipeline.hpp"

namespace heddle::vulkan {

[[nodiscard]] pipeline::Topology topology_of(VkPrimitiveTopology topology);

/// How many pixels the fragments of a draw may cover (FSR-3); null: one.
[[nodiscard]] std::shared_ptr<const pipeline::ShadingRates> shading_rates_of(const GraphicsPipeline& pipeline,
                                                                             const GraphicsState& state,
                                                                             const Rendering& rendering);

/// Sets what commands may change; `view`: that is drawn, which is also the layer.
void set_raster_state(const GraphicsState& state, const Rendering& rendering, std::uint32_t view,
                      pipeline::RasterState& to);

}  // namespace heddle::vulkan
