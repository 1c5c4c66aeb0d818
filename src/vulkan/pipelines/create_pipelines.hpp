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
#include "base/disk_cache.hpp"
#include "vulkan/api/handles.hpp"

namespace heddle::vulkan {

struct Device;

/// Of a pipeline, in the chain where there are more than the structure has room for.
template <typename Info>
VkPipelineCreateFlags2 pipeline_flags(const Info& info) {
  const auto* more = find_in_chain<VkPipelineCreateFlags2CreateInfo>(
      info.pNext, VK_STRUCTURE_TYPE_PIPELINE_CREATE_FLAGS_2_CREATE_INFO);
  return more != nullptr ? more->flags : VkPipelineCreateFlags2{info.flags};
}

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
    if ((pipeline_flags(info) & VK_PIPELINE_CREATE_2_EARLY_RETURN_ON_FAILURE_BIT) != 0) break;
  }
  return result;
}

/// What decides about a pipeline's binaries.
void add_key(const VkComputePipelineCreateInfo& info, base::KeyMaker& key);
void add_key(Device& device, const VkGraphicsPipelineCreateInfo& info, base::KeyMaker& key);

/// What is wrong with a shader, in one line.
[[nodiscard]] std::string text_of(const std::vector<base::Diagnostic>& list);
/// Fills what the application asks to know of how a pipeline was made.
void give_feedback(const void* chain, bool hit, std::chrono::steady_clock::time_point begin);

}  // namespace heddle::vulkan
