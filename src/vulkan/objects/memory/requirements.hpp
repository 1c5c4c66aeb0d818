// SPDX-License-Identifier: MIT
#pragma once
// What buffers and images ask of the memory that they are bound to.

#include <vulkan/vulkan.h>

#include <cstdint>

#include "vulkan/api/handles.hpp"

namespace heddle::vulkan {

[[nodiscard]] constexpr std::uint64_t aligned(std::uint64_t offset, std::uint64_t alignment) {
  return (offset + alignment - 1) / alignment * alignment;
}

/// Of so many bytes; any memory will do, as there is one type.
[[nodiscard]] constexpr VkMemoryRequirements requirements_of(std::uint64_t bytes, std::uint64_t alignment) {
  return {aligned(bytes, alignment), alignment, 1};
}

/// No object needs memory of its own.
inline void set_dedicated(void* chain) {
  if (auto* dedicated =
          find_out_chain<VkMemoryDedicatedRequirements>(chain, VK_STRUCTURE_TYPE_MEMORY_DEDICATED_REQUIREMENTS)) {
    dedicated->prefersDedicatedAllocation = VK_FALSE;
    dedicated->requiresDedicatedAllocation = VK_FALSE;
  }
}

/// Tells the application, where it asks, which result one element of a binding has; the result.
inline VkResult tell_status(const void* chain, VkResult result) {
  if (const auto* status = find_in_chain<VkBindMemoryStatus>(chain, VK_STRUCTURE_TYPE_BIND_MEMORY_STATUS))
    *status->pResult = result;
  return result;
}

}  // namespace heddle::vulkan
