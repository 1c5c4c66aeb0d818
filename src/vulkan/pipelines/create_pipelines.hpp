// SPDX-License-Identifier: MIT
#pragma once
// What vkCreateComputePipelines and vkCreateGraphicsPipelines have in common.

#include <vulkan/vulkan.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/diagnostic.hpp"
#include "vulkan/api/handles.hpp"

namespace heddle::vulkan {

/// Makes a pipeline of each of the `infos` by create(info, pipeline). The answer is the last error, or the first result
/// that is no success. Pipelines that are not made are VK_NULL_HANDLE.
template <typename Info, typename Create>
VkResult create_pipelines(std::span<const Info> infos, VkPipeline* pipelines, Create&& create) {
  VkResult result = VK_SUCCESS;
  std::fill(pipelines, pipelines + infos.size(), VkPipeline{});
  for (const Info& info : infos) {
    const VkResult one = guarded([&] { return create(info, pipelines + (&info - infos.data())); });
    if (one == VK_SUCCESS) continue;
    if (result == VK_SUCCESS || one < 0) result = one;
    if ((info.flags & VK_PIPELINE_CREATE_EARLY_RETURN_ON_FAILURE_BIT) != 0) break;
  }
  return result;
}

/// What is wrong with a shader, in one line.
[[nodiscard]] std::string text_of(const std::vector<base::Diagnostic>& list);
/// Fills what the application asks to know of how a pipeline was made.
void give_feedback(const void* chain, bool hit, std::chrono::steady_clock::time_point begin);

}  // namespace heddle::vulkan
