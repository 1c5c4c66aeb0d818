// SPDX-License-Identifier: MIT
#pragma once
// The functions that the layer puts before the driver's, under Vulkan's names.

#include "layer/state.hpp"

namespace heddle::layer::entry {

#define HEDDLE_LAYER_PROTOTYPE(name) extern const PFN_vk##name name;
HEDDLE_LAYER_DEVICE_FUNCTIONS(HEDDLE_LAYER_PROTOTYPE)
#undef HEDDLE_LAYER_PROTOTYPE
extern const PFN_vkCreateInstance CreateInstance;
extern const PFN_vkDestroyInstance DestroyInstance;
extern const PFN_vkEnumerateDeviceExtensionProperties EnumerateDeviceExtensionProperties;
extern const PFN_vkGetPhysicalDeviceFeatures2 GetPhysicalDeviceFeatures2;
extern const PFN_vkGetPhysicalDeviceFeatures2 GetPhysicalDeviceFeatures2KHR;
extern const PFN_vkGetPhysicalDeviceProperties GetPhysicalDeviceProperties;
extern const PFN_vkGetPhysicalDeviceProperties2 GetPhysicalDeviceProperties2;
extern const PFN_vkGetPhysicalDeviceProperties2 GetPhysicalDeviceProperties2KHR;
extern const PFN_vkCreateDevice CreateDevice;

}  // namespace heddle::layer::entry
