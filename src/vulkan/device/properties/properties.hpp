// SPDX-License-Identifier: MIT
#pragma once
// Limits and properties.

#include <vulkan/vulkan.h>

#include <cstdint>

namespace heddle::vulkan {

void set_properties(VkPhysicalDeviceProperties& to);
/// One structure of a chain; left alone when the driver does not know it.
void set_properties(VkBaseOutStructure& to);

inline constexpr std::uint32_t kMaxNestedCommands = 32;  ///< secondary command buffers within each other
inline constexpr std::uint64_t kLinearModifier = 0;      ///< DRM_FORMAT_MOD_LINEAR

/// What may be done with memory of that kind.
[[nodiscard]] VkExternalMemoryProperties external_memory(VkExternalMemoryHandleTypeFlagBits type);

}  // namespace heddle::vulkan
