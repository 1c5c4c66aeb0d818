// SPDX-License-Identifier: MIT
#pragma once
// Events, which commands and the host set. Their state changes under Device::mutex.

#include <vulkan/vulkan.h>

#include "vulkan/api/handles.hpp"

namespace heddle::vulkan {

struct Event {
  bool set = false;
};

HEDDLE_HANDLE(Event, VkEvent)

}  // namespace heddle::vulkan
