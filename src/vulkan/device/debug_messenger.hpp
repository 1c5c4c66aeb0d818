// SPDX-License-Identifier: MIT
#pragma once
// Messengers: callbacks of the application that hear the driver's messages (VK_EXT_debug_utils).

#include <vulkan/vulkan.h>

#include "vulkan/api/handles.hpp"

namespace heddle::vulkan {

/// An application's message callback.
struct Messenger {
  VkDebugUtilsMessengerCreateInfoEXT info{};
};

HEDDLE_HANDLE(Messenger, VkDebugUtilsMessengerEXT)

}  // namespace heddle::vulkan
