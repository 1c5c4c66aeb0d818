// SPDX-License-Identifier: MIT
#include "vulkan/objects/sync/semaphore.hpp"

#include <algorithm>
#include <span>

#include "vulkan/device/device.hpp"
#include "vulkan/generated/entry_points.hpp"
#include "vulkan/objects/sync/shared.hpp"

namespace heddle::vulkan {
namespace entry {

VKAPI_ATTR VkResult VKAPI_CALL CreateSemaphore(VkDevice, const VkSemaphoreCreateInfo* pCreateInfo,
                                               const VkAllocationCallbacks*, VkSemaphore* pSemaphore) {
  bool timeline = false;
  std::uint64_t initial = 0;
  if (const auto* type =
          find_in_chain<VkSemaphoreTypeCreateInfo>(pCreateInfo->pNext, VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO);
      type != nullptr && type->semaphoreType == VK_SEMAPHORE_TYPE_TIMELINE)
    timeline = true, initial = type->initialValue;
  return guarded([&] { return create_object(Semaphore{std::make_shared<Payload>(timeline, initial)}, pSemaphore); });
}
VKAPI_ATTR void VKAPI_CALL DestroySemaphore(VkDevice device, VkSemaphore semaphore, const VkAllocationCallbacks*) {
  destroy_unused(device, from_handle(semaphore), "vkDestroySemaphore", "semaphore");
}
VKAPI_ATTR VkResult VKAPI_CALL GetSemaphoreCounterValue(VkDevice device, VkSemaphore semaphore, uint64_t* pValue) {
  Device& d = *from_handle(device);
  const std::lock_guard guard(d.mutex);
  *pValue = from_handle(semaphore)->payload->value();
  return d.reports_loss() ? VK_ERROR_DEVICE_LOST : VK_SUCCESS;
}
VKAPI_ATTR VkResult VKAPI_CALL WaitSemaphores(VkDevice device, const VkSemaphoreWaitInfo* pWaitInfo, uint64_t timeout) {
  const char* const what = "no submission signals the semaphore";
  const std::span semaphores(pWaitInfo->pSemaphores, pWaitInfo->semaphoreCount);
  const auto reached = [&] {
    bool any = false, all = true;
    for (std::size_t i = 0; i < semaphores.size(); ++i)
      if (from_handle(semaphores[i])->payload->value() >= pWaitInfo->pValues[i])
        any = true;
      else
        all = false;
    return (pWaitInfo->flags & VK_SEMAPHORE_WAIT_ANY_BIT) != 0 ? any : all;
  };
  const bool shared =
      std::ranges::any_of(semaphores, [](VkSemaphore s) { return from_handle(s)->payload->is_shared(); });
  return timed_wait(*from_handle(device), timeout, "vkWaitSemaphores", what, reached, shared);
}
VKAPI_ATTR VkResult VKAPI_CALL SignalSemaphore(VkDevice device, const VkSemaphoreSignalInfo* pSignalInfo) {
  Device& d = *from_handle(device);
  const std::lock_guard guard(d.mutex);
  Semaphore& semaphore = *from_handle(pSignalInfo->semaphore);
  if (semaphore.timeline())
    semaphore.payload->raise(pSignalInfo->value);
  else
    semaphore.signal_now();
  d.block_queue({});
  return VK_SUCCESS;
}

}  // namespace entry
}  // namespace heddle::vulkan
