// SPDX-License-Identifier: MIT
#pragma once
// From what an application gives when it creates a pipeline to GraphicsPipeline's state.

#include <optional>

#include "vulkan/pipelines/graphics_pipeline.hpp"

namespace heddle::vulkan {

/// Takes the state of `parts`. What belongs to others, or is ignored, may lie anywhere.
void take_state(const VkGraphicsPipelineCreateInfo& info, PipelineParts parts, GraphicsPipeline& to);

/// What the chain of a depth bias says of its unit.
[[nodiscard]] VkDepthBiasRepresentationEXT depth_bias_unit(const void* chain);

/// Clamped into the pixel, to the nearest sixteenth.
[[nodiscard]] SamplePositions sample_positions(const VkSampleLocationsInfoEXT& info);

[[nodiscard]] bool is_dynamic(const VkGraphicsPipelineCreateInfo& info, VkDynamicState state);

/// Whether anything of it may come to the rasterizer.
[[nodiscard]] bool rasterizes(const GraphicsPipeline& pipeline);

/// Vulkan's sample shading: from this share of the samples on, each has its own fragment.
[[nodiscard]] bool shades_samples(const VkGraphicsPipelineCreateInfo& info);

/// What depths are clamped to; nothing: to the viewport's range.
[[nodiscard]] inline std::optional<VkDepthClampRangeEXT> clamp_range(VkDepthClampModeEXT mode,
                                                                     const VkDepthClampRangeEXT* range) {
  if (mode != VK_DEPTH_CLAMP_MODE_USER_DEFINED_RANGE_EXT || range == nullptr) return std::nullopt;
  return *range;
}

}  // namespace heddle::vulkan
