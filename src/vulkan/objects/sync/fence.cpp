// SPDX-License-Identifier: MIT
#include "vulkan/objects/sync/fence.hpp"

#include <algorithm>
#include <span>

#include "base/locks/brief_mutex.hpp"
#include "vulkan/device/device.hpp"
#include "vulkan/generated/entry_points.hpp"
#include "vulkan/objects/sync/shared.hpp"

namespace heddle::vulkan {
namespace entry {

VKAPI_ATTR VkResult VKAPI_CALL CreateFence(VkDevice, const VkFenceCreateInfo* pCreateInfo, const VkAllocationCallbacks*,
                                           VkFence* pFence) {
  const bool signaled = (pCreateInfo->flags & VK_FENCE_CREATE_SIGNALED_BIT) != 0;
  return guarded([&] { return create_object(Fence{std::make_shared<Payload>(false, signaled ? 1 : 0)}, pFence); });
}
VKAPI_ATTR void VKAPI_CALL DestroyFence(VkDevice device, VkFence fence, const VkAllocationCallbacks*) {
  destroy_unused(device, from_handle(fence), "vkDestroyFence", "fence");
}
VKAPI_ATTR VkResult VKAPI_CALL ResetFences(VkDevice device, uint32_t fenceCount, const VkFence* pFences) {
  const std::unique_lock lock = base::lock_soon(from_handle(device)->mutex);
  for (const VkFence fence : std::span(pFences, fenceCount))
    if (fence != VK_NULL_HANDLE) from_handle(fence)->reset();
  return VK_SUCCESS;
}
VKAPI_ATTR VkResult VKAPI_CALL GetFenceStatus(VkDevice device, VkFence fence) {
  Device& d = *from_handle(device);
  const std::unique_lock lock = base::lock_soon(d.mutex);
  if (from_handle(fence)->is_signaled()) return VK_SUCCESS;
  return d.reports_loss() ? VK_ERROR_DEVICE_LOST : VK_NOT_READY;
}
VKAPI_ATTR VkResult VKAPI_CALL WaitForFences(VkDevice device, uint32_t fenceCount, const VkFence* pFences,
                                             VkBool32 waitAll, uint64_t timeout) {
  const std::span fences(pFences, fenceCount);
  const auto signaled = [](VkFence fence) { return fence == VK_NULL_HANDLE || from_handle(fence)->is_signaled(); };
  const auto over = [&] {
    return waitAll == VK_TRUE ? std::ranges::all_of(fences, signaled) : std::ranges::any_of(fences, signaled);
  };
  const bool shared = std::ranges::any_of(
      fences, [](VkFence f) { return f != VK_NULL_HANDLE && from_handle(f)->payload->is_shared(); });
  return timed_wait(*from_handle(device), timeout, "vkWaitForFences", "no submission signals the fence", over, shared,
                    fences.size() == 1 ? from_handle(fences[0]) : nullptr);
}

}  // namespace entry
}  // namespace heddle::vulkan
