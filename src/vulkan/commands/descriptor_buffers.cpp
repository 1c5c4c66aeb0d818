// SPDX-License-Identifier: MIT
// Recording of sets that lie in descriptor buffers: a pipeline layout may be gone when the commands run.

#include <memory>
#include <utility>

#include "vulkan/commands/bind_points.hpp"
#include "vulkan/commands/command_buffer.hpp"
#include "vulkan/commands/record.hpp"
#include "vulkan/device/properties/limits.hpp"
#include "vulkan/generated/commands.hpp"
#include "vulkan/generated/entry_points.hpp"
#include "vulkan/objects/descriptors/pipeline_layout.hpp"

namespace heddle::vulkan {
namespace {

/// Buffers and offsets are null where all sets bring their samplers themselves.
struct Places {
  std::uint32_t first, count;
  const std::uint32_t* buffers;
  const VkDeviceSize* offsets;
};

void record_placed(VkCommandBuffer handle, VkPipelineBindPoint point, VkPipelineLayout layout, const Places& places) {
  CommandBuffer& buffer = *from_handle(handle);
  const VkResult result = guarded([&] {
    auto placed = std::make_unique<PlacedSets>();
    placed->compute = point == VK_PIPELINE_BIND_POINT_COMPUTE;
    const PipelineLayout& of = *from_handle(layout);
    for (std::uint32_t i = 0; i < places.count && i < kMaxSets; ++i) {
      const std::uint64_t set = std::uint64_t{places.first} + i;
      if (set >= of.sets.size() || set >= kMaxSets) break;
      placed->sets.push_back({static_cast<std::uint32_t>(set), of.sets[set],
                              places.buffers != nullptr ? places.buffers[i] : 0,
                              places.offsets != nullptr ? places.offsets[i] : 0});
    }
    record<commands::SetDescriptorBufferOffsetsEXT>(
        handle, [&](Arena&, commands::SetDescriptorBufferOffsetsEXT& command) { command.placed = placed.get(); });
    buffer.placed.push_back(std::move(placed));
    return VK_SUCCESS;
  });
  if (result != VK_SUCCESS) buffer.state = result;
}

}  // namespace

namespace entry {

VKAPI_ATTR void VKAPI_CALL CmdSetDescriptorBufferOffsetsEXT(VkCommandBuffer commandBuffer,
                                                            VkPipelineBindPoint pipelineBindPoint,
                                                            VkPipelineLayout layout, uint32_t firstSet,
                                                            uint32_t setCount, const uint32_t* pBufferIndices,
                                                            const VkDeviceSize* pOffsets) {
  if (layout == VK_NULL_HANDLE) return pass_over(commandBuffer, "vkCmdSetDescriptorBufferOffsetsEXT", "layout");
  record_placed(commandBuffer, pipelineBindPoint, layout, {firstSet, setCount, pBufferIndices, pOffsets});
}
VKAPI_ATTR void VKAPI_CALL CmdSetDescriptorBufferOffsets2EXT(VkCommandBuffer commandBuffer,
                                                             const VkSetDescriptorBufferOffsetsInfoEXT* pInfo) {
  if (pInfo->layout == VK_NULL_HANDLE) return pass_over(commandBuffer, "vkCmdSetDescriptorBufferOffsets2EXT", "layout");
  for (const VkPipelineBindPoint point : kBindPoints)
    if (is_for(pInfo->stageFlags, point))
      record_placed(commandBuffer, point, pInfo->layout,
                    {pInfo->firstSet, pInfo->setCount, pInfo->pBufferIndices, pInfo->pOffsets});
}
VKAPI_ATTR void VKAPI_CALL CmdBindDescriptorBufferEmbeddedSamplersEXT(VkCommandBuffer commandBuffer,
                                                                      VkPipelineBindPoint pipelineBindPoint,
                                                                      VkPipelineLayout layout, uint32_t set) {
  if (layout == VK_NULL_HANDLE)
    return pass_over(commandBuffer, "vkCmdBindDescriptorBufferEmbeddedSamplersEXT", "layout");
  record_placed(commandBuffer, pipelineBindPoint, layout, {set, 1, nullptr, nullptr});
}
VKAPI_ATTR void VKAPI_CALL CmdBindDescriptorBufferEmbeddedSamplers2EXT(
    VkCommandBuffer commandBuffer, const VkBindDescriptorBufferEmbeddedSamplersInfoEXT* pInfo) {
  if (pInfo->layout == VK_NULL_HANDLE)
    return pass_over(commandBuffer, "vkCmdBindDescriptorBufferEmbeddedSamplers2EXT", "layout");
  for (const VkPipelineBindPoint point : kBindPoints)
    if (is_for(pInfo->stageFlags, point))
      record_placed(commandBuffer, point, pInfo->layout, {pInfo->set, 1, nullptr, nullptr});
}

}  // namespace entry
}  // namespace heddle::vulkan
