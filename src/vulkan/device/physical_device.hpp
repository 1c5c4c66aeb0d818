// SPDX-License-Identifier: MIT
#pragma once
// The one physical device of an instance: the processor.

#include <atomic>
#include <cstdint>

#include "vulkan/api/handles.hpp"

namespace heddle::vulkan {

struct Instance;

struct PhysicalDevice : Dispatchable {
  explicit PhysicalDevice(Instance& owner) : instance(owner) {}
  Instance& instance;
  std::atomic<std::uint64_t> memory_used = 0;  ///< bytes of all its devices
};

HEDDLE_DISPATCHABLE(PhysicalDevice, VkPhysicalDevice)

}  // namespace heddle::vulkan
