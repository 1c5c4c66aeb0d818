// SPDX-License-Identifier: MIT
#include "vulkan/device/debug_messenger.hpp"

#include <memory>

#include "vulkan/device/instance.hpp"
#include "vulkan/generated/entry_points.hpp"

namespace heddle::vulkan::entry {

VKAPI_ATTR VkResult VKAPI_CALL CreateDebugUtilsMessengerEXT(VkInstance instance,
                                                            const VkDebugUtilsMessengerCreateInfoEXT* pCreateInfo,
                                                            const VkAllocationCallbacks*,
                                                            VkDebugUtilsMessengerEXT* pMessenger) {
  return guarded([&] {
    auto messenger = std::make_unique<Messenger>();
    messenger->info = *pCreateInfo;
    from_handle(instance)->add(messenger.get());
    *pMessenger = to_handle(messenger.release());
    return VK_SUCCESS;
  });
}

VKAPI_ATTR void VKAPI_CALL DestroyDebugUtilsMessengerEXT(VkInstance instance, VkDebugUtilsMessengerEXT messenger,
                                                         const VkAllocationCallbacks*) {
  if (messenger == VK_NULL_HANDLE) return;
  from_handle(instance)->remove(from_handle(messenger));
  delete from_handle(messenger);
}

VKAPI_ATTR void VKAPI_CALL SubmitDebugUtilsMessageEXT(VkInstance instance,
                                                      VkDebugUtilsMessageSeverityFlagBitsEXT messageSeverity,
                                                      VkDebugUtilsMessageTypeFlagsEXT,
                                                      const VkDebugUtilsMessengerCallbackDataEXT* pCallbackData) {
  from_handle(instance)->message(messageSeverity, pCallbackData->pMessageIdName,
                                 pCallbackData->pMessage == nullptr ? "" : pCallbackData->pMessage);
}

}  // namespace heddle::vulkan::entry
