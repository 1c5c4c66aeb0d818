// SPDX-License-Identifier: MIT
#pragma once
// Appends a command to a command buffer.

#include <algorithm>

#include "vulkan/commands/command_buffer.hpp"

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

/// Says that a command lacks the object that its parameter or member `what` names, so that nothing is recorded.
void pass_over(VkCommandBuffer handle, const char* command, const char* what) noexcept;

template <typename Handle>
[[nodiscard]] bool has_null(const Handle* handles, std::uint32_t count) {
  return std::any_of(handles, handles + count, [](Handle handle) { return handle == VK_NULL_HANDLE; });
}

}  // namespace heddle::vulkan
