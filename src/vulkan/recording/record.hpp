#pragma once
// Appends a command to a command buffer.

#include "vulkan/recording/command_buffer.hpp"

namespace heddle::vulkan {

/// `fill(arena, command)` copies the arguments. A host without memory is remembered for vkEndCommandBuffer.
template <typename T, typename Fill>
void record(VkCommandBuffer handle, Fill&& fill) noexcept {
  CommandBuffer& to = *from_handle(handle);
  try {
    T* command = to.arena.make<T>();
    command->type = T::kType;
    fill(to.arena, *command);
    to.append(command);
  } catch (...) {
    to.state = VK_ERROR_OUT_OF_HOST_MEMORY;
  }
}

}  // namespace heddle::vulkan
