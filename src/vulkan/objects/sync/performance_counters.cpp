// SPDX-License-Identifier: MIT
#include "vulkan/objects/sync/performance_counters.hpp"

#include <algorithm>
#include <cstring>
#include <string_view>

#include "vulkan/generated/entry_points.hpp"

namespace heddle::vulkan {
namespace {

void put(std::string_view text, char (&to)[VK_MAX_DESCRIPTION_SIZE]) {
  const std::size_t count = std::min<std::size_t>(text.size(), VK_MAX_DESCRIPTION_SIZE - 1);
  std::memcpy(to, text.data(), count);
  to[count] = 0;
}

/// Of the queue that does everything; one that only transfers runs no shaders.
std::uint32_t counters_of(std::uint32_t family) {
  return family == 0 ? static_cast<std::uint32_t>(kPerformanceCounters.size()) : 0;
}

void describe(const PerformanceCounterRow& row, VkPerformanceCounterKHR& to) {
  constexpr std::string_view kIdentity = "heddle counter ";  // 15 bytes, and the counter's number
  to.unit = row.unit;
  to.scope = VK_PERFORMANCE_COUNTER_SCOPE_COMMAND_KHR;
  to.storage = VK_PERFORMANCE_COUNTER_STORAGE_UINT64_KHR;
  static_assert(kIdentity.size() + 1 == VK_UUID_SIZE);
  std::memcpy(to.uuid, kIdentity.data(), kIdentity.size());
  to.uuid[VK_UUID_SIZE - 1] = static_cast<std::uint8_t>(row.counter);
}

}  // namespace

namespace entry {

VKAPI_ATTR VkResult VKAPI_CALL EnumeratePhysicalDeviceQueueFamilyPerformanceQueryCountersKHR(
    VkPhysicalDevice, uint32_t queueFamilyIndex, uint32_t* pCounterCount, VkPerformanceCounterKHR* pCounters,
    VkPerformanceCounterDescriptionKHR* pCounterDescriptions) {
  const std::uint32_t all = counters_of(queueFamilyIndex);
  if (pCounters == nullptr && pCounterDescriptions == nullptr) {
    *pCounterCount = all;
    return VK_SUCCESS;
  }
  const std::uint32_t count = *pCounterCount = std::min(*pCounterCount, all);
  for (std::uint32_t k = 0; k < count; ++k) {
    const PerformanceCounterRow& row = kPerformanceCounters[k];
    if (pCounters != nullptr) describe(row, pCounters[k]);
    if (pCounterDescriptions == nullptr) continue;
    VkPerformanceCounterDescriptionKHR& to = pCounterDescriptions[k];
    to.flags = 0;
    put(row.name, to.name);
    put(row.category, to.category);
    put(row.description, to.description);
  }
  return count < all ? VK_INCOMPLETE : VK_SUCCESS;
}

/// Everything is counted at once.
VKAPI_ATTR void VKAPI_CALL GetPhysicalDeviceQueueFamilyPerformanceQueryPassesKHR(
    VkPhysicalDevice, const VkQueryPoolPerformanceCreateInfoKHR*, uint32_t* pNumPasses) {
  *pNumPasses = 1;
}

/// Queries count what their own queue does, so that nobody is in anybody's way.
VKAPI_ATTR VkResult VKAPI_CALL AcquireProfilingLockKHR(VkDevice, const VkAcquireProfilingLockInfoKHR*) {
  return VK_SUCCESS;
}
VKAPI_ATTR void VKAPI_CALL ReleaseProfilingLockKHR(VkDevice) {}

}  // namespace entry
}  // namespace heddle::vulkan
