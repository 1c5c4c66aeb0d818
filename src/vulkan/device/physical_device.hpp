// SPDX-License-Identifier: MIT
#pragma once
// The one physical device of an instance: the processor.

#include "vulkan/api/handles.hpp"

namespace heddle::vulkan {

struct Instance;

struct PhysicalDevice : Dispatchable {
  explicit PhysicalDevice(Instance& owner) : instance(owner) {}
  Instance& instance;
};

HEDDLE_DISPATCHABLE(PhysicalDevice, VkPhysicalDevice)

}  // namespace heddle::vulkan
