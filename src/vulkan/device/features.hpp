// SPDX-License-Identifier: MIT
#pragma once
// Features: those of offered.txt, in every structure that the registry has for them. Written by generate.py.

#include "vulkan/generated/newer.hpp"

namespace heddle::vulkan {

void set_features(VkPhysicalDeviceFeatures& to);
/// One structure of a chain; left alone when it is no feature structure.
void set_features(VkBaseOutStructure* chain);
/// False when something is wanted that the driver does not have.
[[nodiscard]] bool has_features(const VkPhysicalDeviceFeatures& wanted);
[[nodiscard]] bool has_features(const VkBaseInStructure* chain);

}  // namespace heddle::vulkan
