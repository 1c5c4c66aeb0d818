// SPDX-License-Identifier: MIT
#include "vulkan/objects/sync/semaphore.hpp"

#include <algorithm>

#include "vulkan/device/device.hpp"
#include "vulkan/generated/entry_points.hpp"
#include "vulkan/objects/sync/shared.hpp"

namespace heddle::vulkan {
namespace entry {

VKAPI_ATTR VkResult VKAPI_CALL CreateSemaphore(VkDevice, const VkSemaphoreCreateInfo* pCreateInfo,
                                               const VkAllocationCallbacks*, VkSemaphore* pSemaphore) {
  Semaphore semaphore;
  if (const auto* type =
          find_in_chain<VkSemaphoreTypeCreateInfo>(pCreateInfo->pNext, VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO);
      type != nullptr && type->semaphoreType == VK_SEMAPHORE_TYPE_TIMELINE)
    semaphore = {true, type->initialValue};
  return create_object(semaphore, pSemaphore);
}
VKAPI_ATTR void VKAPI_CALL DestroySemaphore(VkDevice device, VkSemaphore semaphore, const VkAllocationCallbacks*) {
  destroy_unused(device, from_handle(semaphore), "vkDestroySemaphore", "semaphore");
}
VKAPI_ATTR VkResult VKAPI_CALL GetSemaphoreCounterValue(VkDevice device, VkSemaphore semaphore, uint64_t* pValue) {
  Device& d = *from_handle(device);
  const std::lock_guard guard(d.mutex);
  *pValue = from_handle(semaphore)->value;
  return d.reports_loss() ? VK_ERROR_DEVICE_LOST : VK_SUCCESS;
}
VKAPI_ATTR VkResult VKAPI_CALL WaitSemaphores(VkDevice device, const VkSemaphoreWaitInfo* pWaitInfo, uint64_t timeout) {
  const char* const what = "no submission signals the semaphore";
  return timed_wait(*from_handle(device), timeout, "vkWaitSemaphores", what, [&] {
    bool any = false, all = true;
    for (std::uint32_t i = 0; i < pWaitInfo->semaphoreCount; ++i)
      (from_handle(pWaitInfo->pSemaphores[i])->value >= pWaitInfo->pValues[i] ? any : all) =
          from_handle(pWaitInfo->pSemaphores[i])->value >= pWaitInfo->pValues[i];
    return (pWaitInfo->flags & VK_SEMAPHORE_WAIT_ANY_BIT) != 0 ? any : all;
  });
}
VKAPI_ATTR VkResult VKAPI_CALL SignalSemaphore(VkDevice device, const VkSemaphoreSignalInfo* pSignalInfo) {
  Device& d = *from_handle(device);
  const std::lock_guard guard(d.mutex);
  Semaphore& semaphore = *from_handle(pSignalInfo->semaphore);
  if (semaphore.timeline)
    semaphore.value = std::max(semaphore.value, pSignalInfo->value);  // it never goes back
  else
    semaphore.signal_now();
  d.changed.notify_all();
  return VK_SUCCESS;
}

}  // namespace entry
}  // namespace heddle::vulkan
