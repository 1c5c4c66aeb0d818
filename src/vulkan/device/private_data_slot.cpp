// SPDX-License-Identifier: MIT
#include "vulkan/device/private_data_slot.hpp"

#include <memory>

#include "vulkan/device/device.hpp"
#include "vulkan/generated/entry_points.hpp"

namespace heddle::vulkan::entry {

VKAPI_ATTR VkResult VKAPI_CALL CreatePrivateDataSlot(VkDevice device, const VkPrivateDataSlotCreateInfo*,
                                                     const VkAllocationCallbacks*, VkPrivateDataSlot* pSlot) {
  return guarded([&] {
    auto slot = std::make_unique<PrivateDataSlot>();
    from_handle(device)->add(slot.get());
    *pSlot = to_handle(slot.release());
    return VK_SUCCESS;
  });
}
VKAPI_ATTR void VKAPI_CALL DestroyPrivateDataSlot(VkDevice device, VkPrivateDataSlot slot,
                                                  const VkAllocationCallbacks*) {
  if (slot == VK_NULL_HANDLE) return;
  from_handle(device)->remove(from_handle(slot));
  destroy(device, from_handle(slot));
}
VKAPI_ATTR VkResult VKAPI_CALL SetPrivateData(VkDevice device, VkObjectType, uint64_t objectHandle,
                                              VkPrivateDataSlot slot, uint64_t data) {
  return guarded([&] {
    from_handle(device)->set_data(*from_handle(slot), objectHandle, data);
    return VK_SUCCESS;
  });
}
VKAPI_ATTR void VKAPI_CALL GetPrivateData(VkDevice device, VkObjectType, uint64_t objectHandle, VkPrivateDataSlot slot,
                                          uint64_t* pData) {
  *pData = from_handle(device)->data_of(*from_handle(slot), objectHandle);
}

}  // namespace heddle::vulkan::entry
