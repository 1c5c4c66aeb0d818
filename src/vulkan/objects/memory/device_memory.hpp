// SPDX-License-Identifier: MIT
#pragma once
// Device memory. All of it is the host's: demand-zeroed pages, or pages of the application.

#include <vulkan/vulkan.h>

#include <cstdint>
#include <memory>

#include "image/memory.hpp"
#include "vulkan/api/handles.hpp"

namespace heddle::vulkan {

struct DeviceMemory {
  std::shared_ptr<image::Memory> bytes;
  std::uint64_t taken = 0;  ///< of the heap
  bool addressed = false;   ///< shaders may use addresses of its buffers
};

HEDDLE_HANDLE(DeviceMemory, VkDeviceMemory)

}  // namespace heddle::vulkan
