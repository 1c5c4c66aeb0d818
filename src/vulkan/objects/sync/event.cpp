// SPDX-License-Identifier: MIT
#include "vulkan/objects/sync/event.hpp"

#include "vulkan/device/device.hpp"
#include "vulkan/generated/entry_points.hpp"
#include "vulkan/objects/sync/shared.hpp"

namespace heddle::vulkan {
namespace entry {

VKAPI_ATTR VkResult VKAPI_CALL CreateEvent(VkDevice, const VkEventCreateInfo*, const VkAllocationCallbacks*,
                                           VkEvent* pEvent) {
  return create_object(Event{}, pEvent);
}
VKAPI_ATTR void VKAPI_CALL DestroyEvent(VkDevice device, VkEvent event, const VkAllocationCallbacks*) {
  destroy(device, from_handle(event));
}
VKAPI_ATTR VkResult VKAPI_CALL GetEventStatus(VkDevice device, VkEvent event) {
  Device& d = *from_handle(device);
  const std::lock_guard guard(d.mutex);
  if (d.reports_loss()) return VK_ERROR_DEVICE_LOST;
  return from_handle(event)->set ? VK_EVENT_SET : VK_EVENT_RESET;
}
VKAPI_ATTR VkResult VKAPI_CALL SetEvent(VkDevice device, VkEvent event) {
  Device& d = *from_handle(device);
  const std::lock_guard guard(d.mutex);
  from_handle(event)->set = true;
  d.block_queue({});
  return VK_SUCCESS;
}
VKAPI_ATTR VkResult VKAPI_CALL ResetEvent(VkDevice device, VkEvent event) {
  Device& d = *from_handle(device);
  const std::lock_guard guard(d.mutex);
  from_handle(event)->set = false;
  return VK_SUCCESS;
}

}  // namespace entry
}  // namespace heddle::vulkan
