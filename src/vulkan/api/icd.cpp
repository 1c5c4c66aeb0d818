// SPDX-License-Identifier: MIT
// The loader's interface, version 5 (KhronosGroup/Vulkan-Loader, docs/LoaderDriverInterface.md): the only symbols that
// the library shows.

#include <vulkan/vk_icd.h>

#include <algorithm>

#include "vulkan/api/entry_table.hpp"
#include "vulkan/generated/entry_points.hpp"

#define HEDDLE_SHOWN extern "C" __attribute__((visibility("default")))

HEDDLE_SHOWN VKAPI_ATTR VkResult VKAPI_CALL vk_icdNegotiateLoaderICDInterfaceVersion(uint32_t* version) {
  constexpr uint32_t kNewest = 5;  // the first with Vulkan 1.1
  *version = std::min(*version, kNewest);
  return VK_SUCCESS;
}

HEDDLE_SHOWN VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL vk_icdGetInstanceProcAddr(VkInstance instance, const char* name) {
  return heddle::vulkan::entry::GetInstanceProcAddr(instance, name);
}

HEDDLE_SHOWN VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL vk_icdGetPhysicalDeviceProcAddr(VkInstance, const char* name) {
  const auto* found = name == nullptr ? nullptr : heddle::vulkan::find_entry_point(name);
  return found != nullptr && found->level == heddle::vulkan::EntryPoint::Level::PhysicalDevice ? found->function
                                                                                               : nullptr;
}
