// SPDX-License-Identifier: MIT
// Semaphores and fences by file descriptors: shared (opaque), and as what one can wait for with poll (sync files).

#include <mutex>

#include "vulkan/device/device.hpp"
#include "vulkan/generated/entry_points.hpp"
#include "vulkan/objects/sync/fence.hpp"
#include "vulkan/objects/sync/semaphore.hpp"

namespace heddle::vulkan {
namespace {

/// Gives the object another state: for good, or until it was waited for or reset.
template <typename Object>
VkResult import_payload(Object& object, std::shared_ptr<Payload> payload, bool temporary) {
  if (payload == nullptr) return VK_ERROR_INVALID_EXTERNAL_HANDLE;
  if (temporary && object.permanent == nullptr) object.permanent = object.payload;
  if (!temporary) object.permanent = nullptr;
  object.payload = std::move(payload);
  return VK_SUCCESS;
}

VkResult give(int fd, int* to) {
  *to = fd;
  return fd >= 0 ? VK_SUCCESS : VK_ERROR_TOO_MANY_OBJECTS;
}

}  // namespace

namespace entry {

VKAPI_ATTR VkResult VKAPI_CALL GetSemaphoreFdKHR(VkDevice device, const VkSemaphoreGetFdInfoKHR* pGetFdInfo, int* pFd) {
  return guarded([&] {
    Device& of = *from_handle(device);
    const std::lock_guard guard(of.mutex);
    Semaphore& semaphore = *from_handle(pGetFdInfo->semaphore);
    if (pGetFdInfo->handleType != VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_SYNC_FD_BIT)
      return give(semaphore.payload->share(of), pFd);
    // As a wait would, it takes the signal.
    return give(semaphore.payload->report(semaphore.payload->take()), pFd);
  });
}
VKAPI_ATTR VkResult VKAPI_CALL ImportSemaphoreFdKHR(VkDevice device, const VkImportSemaphoreFdInfoKHR* pInfo) {
  return guarded([&] {
    Device& of = *from_handle(device);
    const bool readable = pInfo->handleType == VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_SYNC_FD_BIT;
    auto payload = readable ? Payload::of_readable(of, pInfo->fd) : Payload::of_file(of, pInfo->fd);
    const std::lock_guard guard(of.mutex);
    return import_payload(*from_handle(pInfo->semaphore), std::move(payload),
                          readable || (pInfo->flags & VK_SEMAPHORE_IMPORT_TEMPORARY_BIT) != 0);
  });
}

VKAPI_ATTR VkResult VKAPI_CALL GetFenceFdKHR(VkDevice device, const VkFenceGetFdInfoKHR* pGetFdInfo, int* pFd) {
  return guarded([&] {
    Device& of = *from_handle(device);
    const std::lock_guard guard(of.mutex);
    Fence& fence = *from_handle(pGetFdInfo->fence);
    if (pGetFdInfo->handleType != VK_EXTERNAL_FENCE_HANDLE_TYPE_SYNC_FD_BIT) return give(fence.payload->share(of), pFd);
    const VkResult result = give(fence.payload->report(1), pFd);
    if (fence.is_signaled()) fence.reset();  // the signal has gone over
    return result;
  });
}
VKAPI_ATTR VkResult VKAPI_CALL ImportFenceFdKHR(VkDevice device, const VkImportFenceFdInfoKHR* pInfo) {
  return guarded([&] {
    Device& of = *from_handle(device);
    const bool readable = pInfo->handleType == VK_EXTERNAL_FENCE_HANDLE_TYPE_SYNC_FD_BIT;
    auto payload = readable ? Payload::of_readable(of, pInfo->fd) : Payload::of_file(of, pInfo->fd);
    const std::lock_guard guard(of.mutex);
    const VkResult result = import_payload(*from_handle(pInfo->fence), std::move(payload),
                                           readable || (pInfo->flags & VK_FENCE_IMPORT_TEMPORARY_BIT) != 0);
    of.block_queue({});
    return result;
  });
}

}  // namespace entry
}  // namespace heddle::vulkan
