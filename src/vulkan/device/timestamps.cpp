// SPDX-License-Identifier: MIT
#include "vulkan/device/timestamps.hpp"

#include <time.h>

#include <algorithm>
#include <array>

#include "vulkan/api/handles.hpp"
#include "vulkan/generated/entry_points.hpp"

namespace heddle::vulkan {

std::uint64_t timestamp_now() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000u + static_cast<std::uint64_t>(now.tv_nsec);
}

namespace entry {

VKAPI_ATTR VkResult VKAPI_CALL GetPhysicalDeviceCalibrateableTimeDomainsKHR(VkPhysicalDevice,
                                                                            uint32_t* pTimeDomainCount,
                                                                            VkTimeDomainEXT* pTimeDomains) {
  constexpr std::array kDomains{VK_TIME_DOMAIN_DEVICE_EXT, VK_TIME_DOMAIN_CLOCK_MONOTONIC_EXT};
  return give_list(kDomains, pTimeDomainCount, pTimeDomains,
                   [](VkTimeDomainEXT& to, VkTimeDomainEXT from) { to = from; });
}
VKAPI_ATTR VkResult VKAPI_CALL GetCalibratedTimestampsKHR(VkDevice, uint32_t timestampCount,
                                                          const VkCalibratedTimestampInfoEXT*, uint64_t* pTimestamps,
                                                          uint64_t* pMaxDeviation) {
  // The device's clock is the monotonic one.
  std::fill(pTimestamps, pTimestamps + timestampCount, timestamp_now());
  *pMaxDeviation = 1;
  return VK_SUCCESS;
}

}  // namespace entry
}  // namespace heddle::vulkan
