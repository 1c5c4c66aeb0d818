// SPDX-License-Identifier: MIT
#pragma once
// Bind points of the stages that a command names.

#include <vulkan/vulkan.h>

namespace heddle::vulkan {

/// Points that push constants and descriptors of these stages are for: compute alone, or what draws.
inline constexpr VkPipelineBindPoint kBindPoints[] = {VK_PIPELINE_BIND_POINT_COMPUTE, VK_PIPELINE_BIND_POINT_GRAPHICS};
[[nodiscard]] constexpr bool is_for(VkShaderStageFlags stages, VkPipelineBindPoint point) {
  constexpr auto kCompute = VkShaderStageFlags{VK_SHADER_STAGE_COMPUTE_BIT};
  return (stages & (point == VK_PIPELINE_BIND_POINT_COMPUTE ? kCompute : VK_SHADER_STAGE_ALL_GRAPHICS)) != 0;
}

}  // namespace heddle::vulkan
