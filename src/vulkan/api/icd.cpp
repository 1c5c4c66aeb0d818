// The loader's interface, version 5 (KhronosGroup/Vulkan-Loader, docs/LoaderDriverInterface.md): the only symbols that
// the library shows.

#include <vulkan/vk_icd.h>

#include <algorithm>
#include <cstring>

#include "vulkan/api/entry_table.hpp"
#include "vulkan/device/device.hpp"
#include "vulkan/device/instance.hpp"
#include "vulkan/generated/entry_points.hpp"

namespace heddle::vulkan::entry {

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL GetInstanceProcAddr(VkInstance instance, const char* pName) {
  if (pName == nullptr) return nullptr;
  const EntryPoint* found = find_entry_point(pName);
  if (found == nullptr) return nullptr;
  if (found->level == EntryPoint::Level::Global) return found->function;
  if (instance == VK_NULL_HANDLE) return nullptr;
  // Commands of devices, and of what a device's extensions say of a physical device, are given to every instance.
  const bool of_device = found->level >= EntryPoint::Level::PhysicalDevice;
  if (of_device) return found->function;
  const Instance& of = *from_handle(instance);
  return is_given(*found, of.minor(), of.enabled) ? found->function : nullptr;
}

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL GetDeviceProcAddr(VkDevice device, const char* pName) {
  if (pName == nullptr || device == VK_NULL_HANDLE) return nullptr;
  const EntryPoint* found = find_entry_point(pName);
  if (found == nullptr || found->level != EntryPoint::Level::Device) return nullptr;
  const Device& of = *from_handle(device);
  return is_given(*found, of.physical.instance.minor(), of.enabled) ? found->function : nullptr;
}

}  // namespace heddle::vulkan::entry

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
