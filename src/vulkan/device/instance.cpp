// SPDX-License-Identifier: MIT
#include "vulkan/device/instance.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string_view>

#include "vulkan/device/debug_messenger.hpp"
#include "vulkan/device/properties/identity.hpp"
#include "vulkan/device/properties/settings.hpp"
#include "vulkan/generated/entry_points.hpp"

namespace heddle::vulkan {

void Instance::message(VkDebugUtilsMessageSeverityFlagBitsEXT severity, const char* id, const std::string& text,
                       std::uint64_t object, VkObjectType type) {
  if (!report(severity, id, text, object, type) && severity >= VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT)
    std::fprintf(stderr, "heddle: %s\n", text.c_str());
}

bool Instance::report(VkDebugUtilsMessageSeverityFlagBitsEXT severity, const char* id, const std::string& text,
                      std::uint64_t object, VkObjectType type) {
  VkDebugUtilsObjectNameInfoEXT about{VK_STRUCTURE_TYPE_DEBUG_UTILS_OBJECT_NAME_INFO_EXT, nullptr, type, object,
                                      nullptr};
  VkDebugUtilsMessengerCallbackDataEXT data{VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CALLBACK_DATA_EXT};
  data.pMessageIdName = id;
  data.pMessage = text.c_str();
  if (object != 0) {
    data.objectCount = 1;
    data.pObjects = &about;
  }
  const VkDebugUtilsMessageTypeFlagsEXT kind = VK_DEBUG_UTILS_MESSAGE_TYPE_GENERAL_BIT_EXT;
  bool heard = false;
  const std::lock_guard guard(mutex_);
  for (const Messenger* m : messengers_) {
    if ((m->info.messageSeverity & static_cast<VkFlags>(severity)) == 0 || (m->info.messageType & kind) == 0) continue;
    heard = true;
    (void)m->info.pfnUserCallback(severity, kind, &data, m->info.pUserData);
  }
  return heard;
}

void Instance::add(Messenger* messenger) {
  const std::lock_guard guard(mutex_);
  messengers_.push_back(messenger);
}
void Instance::remove(Messenger* messenger) {
  const std::lock_guard guard(mutex_);
  std::erase(messengers_, messenger);
}

void Instance::forget_messengers() {
  const std::lock_guard guard(mutex_);
  messengers_.clear();
}

namespace {
/// The engine of WebGPU in Rust says its name.
bool is_of_wgpu(const VkApplicationInfo* application) {
  return application != nullptr && application->pEngineName != nullptr &&
         std::string_view(application->pEngineName) == "wgpu-hal";
}
}  // namespace

namespace entry {

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

VKAPI_ATTR VkResult VKAPI_CALL EnumerateInstanceVersion(uint32_t* pApiVersion) {
  *pApiVersion = kApiVersion;
  return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL EnumerateInstanceExtensionProperties(const char* pLayerName, uint32_t* pPropertyCount,
                                                                    VkExtensionProperties* pProperties) {
  if (pLayerName != nullptr) return VK_ERROR_LAYER_NOT_PRESENT;
  return give_list(instance_extensions(), pPropertyCount, pProperties,
                   [](VkExtensionProperties& to, const OfferedExtension& from) { to = from.properties; });
}

VKAPI_ATTR VkResult VKAPI_CALL EnumerateInstanceLayerProperties(uint32_t* pPropertyCount, VkLayerProperties*) {
  *pPropertyCount = 0;
  return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL CreateInstance(const VkInstanceCreateInfo* pCreateInfo, const VkAllocationCallbacks*,
                                              VkInstance* pInstance) {
  return guarded([&] {
    auto instance = std::make_unique<Instance>();
    if (!add_extensions(instance_extensions(),
                        {pCreateInfo->ppEnabledExtensionNames, pCreateInfo->enabledExtensionCount}, instance->enabled))
      return VK_ERROR_EXTENSION_NOT_PRESENT;
    if (pCreateInfo->pApplicationInfo != nullptr && pCreateInfo->pApplicationInfo->apiVersion != 0)
      instance->api_version = pCreateInfo->pApplicationInfo->apiVersion;
    if (is_of_wgpu(pCreateInfo->pApplicationInfo) && conformance_version().major == 0)
      instance->message(VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT, "vulkan-hidden",
                        "wgpu hides drivers that never passed Khronos's tests, as this one, unless its program says "
                        "otherwise: where it finds no device, HEDDLE_CONFORMANCE_VERSION=1.4 lets it see this one");
    *pInstance = to_handle(instance.release());
    return VK_SUCCESS;
  });
}

VKAPI_ATTR void VKAPI_CALL DestroyInstance(VkInstance instance, const VkAllocationCallbacks*) {
  if (instance == VK_NULL_HANDLE) return;
  if (from_handle(instance)->devices == 0) return delete from_handle(instance);
  // Its devices may still work, and have something to say.
  from_handle(instance)->error("vulkan-in-use", "vkDestroyInstance: a device of it was not destroyed; it stays");
  from_handle(instance)->forget_messengers();
}

VKAPI_ATTR VkResult VKAPI_CALL EnumeratePhysicalDevices(VkInstance instance, uint32_t* pPhysicalDeviceCount,
                                                        VkPhysicalDevice* pPhysicalDevices) {
  PhysicalDevice* const all[] = {&from_handle(instance)->physical};
  return give_list(all, pPhysicalDeviceCount, pPhysicalDevices,
                   [](VkPhysicalDevice& to, PhysicalDevice* from) { to = to_handle(from); });
}

VKAPI_ATTR VkResult VKAPI_CALL
EnumeratePhysicalDeviceGroups(VkInstance instance, uint32_t* pPhysicalDeviceGroupCount,
                              VkPhysicalDeviceGroupProperties* pPhysicalDeviceGroupProperties) {
  PhysicalDevice* const all[] = {&from_handle(instance)->physical};
  return give_list(all, pPhysicalDeviceGroupCount, pPhysicalDeviceGroupProperties,
                   [](VkPhysicalDeviceGroupProperties& to, PhysicalDevice* from) {
                     to.physicalDeviceCount = 1;
                     std::ranges::fill(to.physicalDevices, VkPhysicalDevice{});
                     to.physicalDevices[0] = to_handle(from);
                     to.subsetAllocation = VK_FALSE;
                   });
}

}  // namespace entry
}  // namespace heddle::vulkan
