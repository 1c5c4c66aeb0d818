// SPDX-License-Identifier: MIT
#pragma once
// Private data: values that an application attaches to objects (VK_EXT_private_data).

#include <vulkan/vulkan.h>

#include <cstdint>
#include <unordered_map>

#include "vulkan/api/handles.hpp"

namespace heddle::vulkan {

struct PrivateDataSlot {
  std::unordered_map<std::uint64_t, std::uint64_t> values;  ///< by handle; under the device's lock of names
};

HEDDLE_HANDLE(PrivateDataSlot, VkPrivateDataSlot)

}  // namespace heddle::vulkan
