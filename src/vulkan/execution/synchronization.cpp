// SPDX-License-Identifier: MIT
#include "vulkan/execution/synchronization.hpp"

#include <algorithm>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "vulkan/device/device.hpp"
#include "vulkan/execution/context/queue_context.hpp"
#include "vulkan/generated/commands.hpp"
#include "vulkan/objects/sync/event.hpp"

namespace heddle::vulkan {
namespace {

/// The barriers of the older commands as the newer ones, with the stages of the command.
struct NewerBarriers {
  std::vector<VkMemoryBarrier2> memory;
  std::vector<VkBufferMemoryBarrier2> buffers;
  std::vector<VkImageMemoryBarrier2> images;

  template <typename Command>
  explicit NewerBarriers(const Command& c) {
    const VkPipelineStageFlags2 from = c.srcStageMask, to = c.dstStageMask;
    // An execution dependency is there without any barrier.
    memory.push_back({VK_STRUCTURE_TYPE_MEMORY_BARRIER_2, nullptr, from, 0, to, 0});
    for (const VkMemoryBarrier& b : std::span(c.pMemoryBarriers, c.memoryBarrierCount))
      memory.push_back({VK_STRUCTURE_TYPE_MEMORY_BARRIER_2, nullptr, from, b.srcAccessMask, to, b.dstAccessMask});
    for (const VkBufferMemoryBarrier& b : std::span(c.pBufferMemoryBarriers, c.bufferMemoryBarrierCount))
      buffers.push_back({VK_STRUCTURE_TYPE_BUFFER_MEMORY_BARRIER_2, nullptr, from, b.srcAccessMask, to, b.dstAccessMask,
                         b.srcQueueFamilyIndex, b.dstQueueFamilyIndex, b.buffer, b.offset, b.size});
    for (const VkImageMemoryBarrier& b : std::span(c.pImageMemoryBarriers, c.imageMemoryBarrierCount))
      images.push_back({VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER_2, nullptr, from, b.srcAccessMask, to, b.dstAccessMask,
                        b.oldLayout, b.newLayout, b.srcQueueFamilyIndex, b.dstQueueFamilyIndex, b.image,
                        b.subresourceRange});
  }
  [[nodiscard]] VkDependencyInfo info() const {
    return {VK_STRUCTURE_TYPE_DEPENDENCY_INFO,
            nullptr,
            0,
            static_cast<std::uint32_t>(memory.size()),
            memory.data(),
            static_cast<std::uint32_t>(buffers.size()),
            buffers.data(),
            static_cast<std::uint32_t>(images.size()),
            images.data()};
  }
};

}  // namespace

void Synchronization::run(const commands::PipelineBarrier& c) {
  if (context_.observers.commands) context_.observers.commands->depend(NewerBarriers(c).info());
}
void Synchronization::run(const commands::PipelineBarrier2& c) {
  if (context_.observers.commands) context_.observers.commands->depend(*c.pDependencyInfo);
}

void Synchronization::set(VkEvent event, bool value) {
  const std::lock_guard guard(context_.device.mutex);
  from_handle(event)->set = value;
  context_.device.changed.notify_all();
}

void Synchronization::wait_for(const VkEvent* events, std::uint32_t count) {
  Device& device = context_.device;
  std::unique_lock lock(device.mutex);
  const std::span all(events, count);
  const auto done = [&] {
    return device.lost || std::ranges::all_of(all, [](VkEvent event) { return from_handle(event)->set; });
  };
  if (done()) return;
  const auto name = [&] {
    const auto unset = std::ranges::find_if(all, [](VkEvent event) { return !from_handle(event)->set; });
    const std::string given = device.name_of(reinterpret_cast<std::uint64_t>(*unset));
    return given.empty() ? std::string("an event") : "event '" + given + "'";
  };
  while (!done() && !device.queue_state.stopping) {
    device.block_queue("the queue waits in vkCmdWaitEvents for " + name() + ", which nobody sets");
    device.changed.others().wait(lock);
  }
  device.block_queue({});
  if (!done()) device.lost = true;  // the application destroys a device that waits for it
}
void Synchronization::depend(const commands::WaitEvents& c) {
  if (context_.observers.commands) context_.observers.commands->depend(NewerBarriers(c).info());
}
void Synchronization::depend(const commands::WaitEvents2& c) {
  if (!context_.observers.commands) return;
  for (const VkDependencyInfo& info : std::span(c.pDependencyInfos, c.eventCount))
    context_.observers.commands->depend(info);
}

}  // namespace heddle::vulkan
