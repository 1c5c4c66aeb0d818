// SPDX-License-Identifier: MIT
#include "vulkan/commands/command_buffer.hpp"

#include <span>
#include <string>

#include "vulkan/commands/bind_points.hpp"
#include "vulkan/commands/record.hpp"
#include "vulkan/device/device.hpp"
#include "vulkan/device/waits.hpp"
#include "vulkan/generated/commands.hpp"
#include "vulkan/generated/entry_points.hpp"
#include "vulkan/objects/descriptors/descriptor_update_template.hpp"
#include "vulkan/objects/descriptors/pipeline_layout.hpp"

namespace heddle::vulkan {

void CommandBuffer::reset(bool release) {
  state = VK_SUCCESS;
  ended = false;
  first = nullptr;
  last = nullptr;
  pushed.clear();
  placed.clear();
  arena.reset(release);
}

void pass_over(VkCommandBuffer handle, const char* command, const char* what) noexcept {
  try {
    from_handle(handle)->pool.device.physical.instance.error(
        "vulkan-command", std::string(command) + ": " + what + " holds VK_NULL_HANDLE; the command is passed over");
  } catch (...) {
    from_handle(handle)->state = VK_ERROR_OUT_OF_HOST_MEMORY;
  }
}

CommandPool::~CommandPool() {
  for (CommandBuffer* buffer : buffers) delete buffer;
}

namespace {

template <typename... From>
void record_pushed(VkCommandBuffer handle, VkPipelineBindPoint point, const PipelineLayout& layout, std::uint32_t set,
                   const From&... from) {
  CommandBuffer& buffer = *from_handle(handle);
  auto pushed = std::make_unique<PushedDescriptors>();
  pushed->compute = point == VK_PIPELINE_BIND_POINT_COMPUTE;
  pushed->set = set;
  pushed->layout = layout.sets.at(set);
  for_each_written(*pushed->layout, from...,
                   [&](std::size_t at, const WrittenDescriptor& written, const machine::SamplerResource* immutable) {
                     PushedDescriptors::Write& write = pushed->writes.emplace_back();
                     write.index = static_cast<std::uint32_t>(at);
                     write_descriptor(write.descriptor, written, immutable);
                     (void)ready_surface(write.descriptor);  // once, however often the commands run
                   });
  record<commands::PushDescriptorSet>(
      handle, [&](Arena&, commands::PushDescriptorSet& command) { command.pushed = pushed.get(); });
  buffer.pushed.push_back(std::move(pushed));
}

}  // namespace

namespace {

/// A buffer that is recorded anew or freed while submissions of it have not ended: said, and they end first (SUB-4).
void wait_until_unused(const CommandBuffer& buffer, const char* command) {
  if (buffer.pending == 0) [[likely]]
    return;
  Device& device = buffer.pool.device;
  device.physical.instance.error(
      "vulkan-in-use",
      std::string(command) + ": a submission of the command buffer has not ended, which is waited for");
  std::unique_lock lock(device.mutex);
  wait_without_end(device, lock, command, "", [&] { return buffer.pending == 0; });
}
void wait_until_unused(const CommandPool& pool, const char* command) {
  for (const CommandBuffer* buffer : pool.buffers) wait_until_unused(*buffer, command);
}

}  // namespace

namespace entry {

VKAPI_ATTR VkResult VKAPI_CALL CreateCommandPool(VkDevice device, const VkCommandPoolCreateInfo* pCreateInfo,
                                                 const VkAllocationCallbacks*, VkCommandPool* pCommandPool) {
  return guarded([&] {
    auto pool = std::make_unique<CommandPool>(*from_handle(device));
    pool->flags = pCreateInfo->flags;
    *pCommandPool = to_handle(pool.release());
    return VK_SUCCESS;
  });
}
VKAPI_ATTR void VKAPI_CALL DestroyCommandPool(VkDevice device, VkCommandPool commandPool,
                                              const VkAllocationCallbacks*) {
  if (commandPool == VK_NULL_HANDLE) return;
  wait_until_unused(*from_handle(commandPool), "vkDestroyCommandPool");
  for (CommandBuffer* buffer : from_handle(commandPool)->buffers)
    from_handle(device)->forget(reinterpret_cast<std::uint64_t>(buffer));
  destroy(device, from_handle(commandPool));
}
VKAPI_ATTR VkResult VKAPI_CALL ResetCommandPool(VkDevice, VkCommandPool commandPool, VkCommandPoolResetFlags flags) {
  wait_until_unused(*from_handle(commandPool), "vkResetCommandPool");
  for (CommandBuffer* buffer : from_handle(commandPool)->buffers)
    buffer->reset((flags & VK_COMMAND_POOL_RESET_RELEASE_RESOURCES_BIT) != 0);
  return VK_SUCCESS;
}
VKAPI_ATTR void VKAPI_CALL TrimCommandPool(VkDevice, VkCommandPool, VkCommandPoolTrimFlags) {}

VKAPI_ATTR VkResult VKAPI_CALL AllocateCommandBuffers(VkDevice, const VkCommandBufferAllocateInfo* pAllocateInfo,
                                                      VkCommandBuffer* pCommandBuffers) {
  return guarded([&] {
    CommandPool& pool = *from_handle(pAllocateInfo->commandPool);
    const bool secondary = pAllocateInfo->level == VK_COMMAND_BUFFER_LEVEL_SECONDARY;
    for (std::uint32_t i = 0; i < pAllocateInfo->commandBufferCount; ++i) {
      auto buffer = std::make_unique<CommandBuffer>(pool, secondary);
      pool.buffers.insert(buffer.get());
      pCommandBuffers[i] = to_handle(buffer.release());
    }
    return VK_SUCCESS;
  });
}
VKAPI_ATTR void VKAPI_CALL FreeCommandBuffers(VkDevice device, VkCommandPool commandPool, uint32_t commandBufferCount,
                                              const VkCommandBuffer* pCommandBuffers) {
  for (const VkCommandBuffer handle : std::span(pCommandBuffers, commandBufferCount)) {
    if (handle == VK_NULL_HANDLE) continue;
    wait_until_unused(*from_handle(handle), "vkFreeCommandBuffers");
    from_handle(commandPool)->buffers.erase(from_handle(handle));
    destroy(device, from_handle(handle));
  }
}
VKAPI_ATTR VkResult VKAPI_CALL BeginCommandBuffer(VkCommandBuffer commandBuffer, const VkCommandBufferBeginInfo*) {
  wait_until_unused(*from_handle(commandBuffer), "vkBeginCommandBuffer");
  from_handle(commandBuffer)->reset(false);
  return VK_SUCCESS;
}
VKAPI_ATTR VkResult VKAPI_CALL EndCommandBuffer(VkCommandBuffer commandBuffer) {
  from_handle(commandBuffer)->ended = true;
  return from_handle(commandBuffer)->state;
}
VKAPI_ATTR VkResult VKAPI_CALL ResetCommandBuffer(VkCommandBuffer commandBuffer, VkCommandBufferResetFlags flags) {
  wait_until_unused(*from_handle(commandBuffer), "vkResetCommandBuffer");
  from_handle(commandBuffer)->reset((flags & VK_COMMAND_BUFFER_RESET_RELEASE_RESOURCES_BIT) != 0);
  return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL CmdPushDescriptorSet(VkCommandBuffer commandBuffer, VkPipelineBindPoint pipelineBindPoint,
                                                VkPipelineLayout layout, uint32_t set, uint32_t descriptorWriteCount,
                                                const VkWriteDescriptorSet* pDescriptorWrites) {
  const VkResult result = guarded([&] {
    for (const VkWriteDescriptorSet& write : std::span(pDescriptorWrites, descriptorWriteCount))
      record_pushed(commandBuffer, pipelineBindPoint, *from_handle(layout), set, write);
    return VK_SUCCESS;
  });
  if (result != VK_SUCCESS) from_handle(commandBuffer)->state = result;
}
VKAPI_ATTR void VKAPI_CALL CmdPushDescriptorSetWithTemplate(VkCommandBuffer commandBuffer,
                                                            VkDescriptorUpdateTemplate descriptorUpdateTemplate,
                                                            VkPipelineLayout layout, uint32_t set, const void* pData) {
  const VkResult result = guarded([&] {
    const UpdateTemplate& from = *from_handle(descriptorUpdateTemplate);
    record_pushed(commandBuffer, from.point, *from_handle(layout), set, from, pData);
    return VK_SUCCESS;
  });
  if (result != VK_SUCCESS) from_handle(commandBuffer)->state = result;
}

VKAPI_ATTR void VKAPI_CALL CmdPushDescriptorSet2(VkCommandBuffer commandBuffer, const VkPushDescriptorSetInfo* pInfo) {
  if (pInfo->layout == VK_NULL_HANDLE) return pass_over(commandBuffer, "vkCmdPushDescriptorSet2", "layout");
  for (const VkPipelineBindPoint point : kBindPoints)
    if (is_for(pInfo->stageFlags, point))
      CmdPushDescriptorSet(commandBuffer, point, pInfo->layout, pInfo->set, pInfo->descriptorWriteCount,
                           pInfo->pDescriptorWrites);
}
VKAPI_ATTR void VKAPI_CALL CmdPushDescriptorSetWithTemplate2(VkCommandBuffer commandBuffer,
                                                             const VkPushDescriptorSetWithTemplateInfo* pInfo) {
  if (pInfo->layout == VK_NULL_HANDLE || pInfo->descriptorUpdateTemplate == VK_NULL_HANDLE)
    return pass_over(commandBuffer, "vkCmdPushDescriptorSetWithTemplate2", "layout or descriptorUpdateTemplate");
  CmdPushDescriptorSetWithTemplate(commandBuffer, pInfo->descriptorUpdateTemplate, pInfo->layout, pInfo->set,
                                   pInfo->pData);
}

}  // namespace entry
}  // namespace heddle::vulkan
