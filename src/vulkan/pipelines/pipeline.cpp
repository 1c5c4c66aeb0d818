// SPDX-License-Identifier: MIT
#include "vulkan/pipelines/pipeline.hpp"

#include <chrono>
#include <string>
#include <vector>

#include "vulkan/device/device.hpp"
#include "vulkan/generated/entry_points.hpp"
#include "vulkan/pipelines/create_pipelines.hpp"
#include "vulkan/pipelines/graphics_pipeline.hpp"

namespace heddle::vulkan {

using Clock = std::chrono::steady_clock;

Pipeline::Pipeline() = default;
Pipeline::~Pipeline() = default;

std::string text_of(const std::vector<base::Diagnostic>& list) {
  std::string text;
  for (const base::Diagnostic& d : list) {
    if (!text.empty()) text += "; ";
    text += d.message + " [" + d.id + "]";
  }
  return text;
}

void give_feedback(const void* chain, bool hit, Clock::time_point begin) {
  const auto* feedback = find_in_chain<VkPipelineCreationFeedbackCreateInfo>(
      chain, VK_STRUCTURE_TYPE_PIPELINE_CREATION_FEEDBACK_CREATE_INFO);
  if (feedback == nullptr) return;
  VkPipelineCreationFeedback value{VK_PIPELINE_CREATION_FEEDBACK_VALID_BIT, 0};
  if (hit) value.flags |= VK_PIPELINE_CREATION_FEEDBACK_APPLICATION_PIPELINE_CACHE_HIT_BIT;
  value.duration = static_cast<std::uint64_t>(std::chrono::nanoseconds(Clock::now() - begin).count());
  *feedback->pPipelineCreationFeedback = value;
  for (std::uint32_t i = 0; i < feedback->pipelineStageCreationFeedbackCount; ++i)
    feedback->pPipelineStageCreationFeedbacks[i] = value;
}

namespace entry {

VKAPI_ATTR void VKAPI_CALL DestroyPipeline(VkDevice device, VkPipeline pipeline, const VkAllocationCallbacks*) {
  destroy(device, from_handle(pipeline));
}

}  // namespace entry
}  // namespace heddle::vulkan
