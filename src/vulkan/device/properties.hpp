// SPDX-License-Identifier: MIT
#pragma once
// Limits and properties.

#include <vulkan/vulkan.h>

namespace heddle::vulkan {

void set_properties(VkPhysicalDeviceProperties& to);
/// One structure of a chain; left alone when the driver does not know it.
void set_properties(VkBaseOutStructure& to);

}  // namespace heddle::vulkan
