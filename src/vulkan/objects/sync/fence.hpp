// SPDX-License-Identifier: MIT
#pragma once
// Fences: the host waits for what was submitted. Their state changes under Device::mutex.

#include <vulkan/vulkan.h>

#include "vulkan/api/handles.hpp"

namespace heddle::vulkan {

struct Fence {
  bool signaled = false;
  unsigned pending = 0;  ///< submissions that will signal it
};

HEDDLE_HANDLE(Fence, VkFence)

}  // namespace heddle::vulkan
