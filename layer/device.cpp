// SPDX-License-Identifier: MIT
// Devices: the extension and its feature do not go down to a driver that does not know them.
#include <vulkan/vk_layer.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <string>

#include "layer/chain.hpp"
#include "layer/entry_points.hpp"

namespace heddle::layer {
namespace {

VkLayerDeviceCreateInfo* find_link(const VkDeviceCreateInfo& info) {
  for (auto* s = static_cast<const VkBaseInStructure*>(info.pNext); s != nullptr; s = s->pNext) {
    auto* link = const_cast<VkLayerDeviceCreateInfo*>(reinterpret_cast<const VkLayerDeviceCreateInfo*>(s));
    if (s->sType == VK_STRUCTURE_TYPE_LOADER_DEVICE_CREATE_INFO && link->function == VK_LAYER_LINK_INFO) return link;
  }
  return nullptr;
}

bool is_extension(const char* name) { return std::strcmp(name, VK_NV_SHADER_IMAGE_FOOTPRINT_EXTENSION_NAME) == 0; }

bool asks_for_footprints(const VkDeviceCreateInfo& info) {
  return std::any_of(info.ppEnabledExtensionNames, info.ppEnabledExtensionNames + info.enabledExtensionCount,
                     is_extension);
}

bool asks_for_anisotropy(const VkDeviceCreateInfo& info) {
  const auto* chained =
      find_in_chain<VkPhysicalDeviceFeatures2>(info.pNext, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2);
  const VkPhysicalDeviceFeatures* features = chained != nullptr ? &chained->features : info.pEnabledFeatures;
  return features != nullptr && features->samplerAnisotropy != VK_FALSE;
}

void report_obstacle(const Instance& instance, VkStructureType type) {
  instance.report(
      VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT,
      "vkCreateDevice: VkPhysicalDeviceShaderImageFootprintFeaturesNV stays in the chain, because a structure "
      "whose size is not known (sType " +
          std::to_string(type) +
          ") stands before it, and the device may refuse the feature: put the footprint features first");
}

/// Creates without the extension.
VkResult create_plain(const Instance& instance, PFN_vkCreateDevice create, VkPhysicalDevice physical,
                      VkDeviceCreateInfo info, const VkAllocationCallbacks* allocator, VkDevice* device) {
  std::vector<const char*> names(info.ppEnabledExtensionNames,
                                 info.ppEnabledExtensionNames + info.enabledExtensionCount);
  std::erase_if(names, is_extension);
  info.enabledExtensionCount = static_cast<std::uint32_t>(names.size());
  info.ppEnabledExtensionNames = names.data();
  const ChainEdit edit(info.pNext, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_IMAGE_FOOTPRINT_FEATURES_NV);
  if (edit.obstacle()) report_obstacle(instance, *edit.obstacle());
  info.pNext = edit.head();
  return create(physical, &info, allocator, device);
}

void read_properties(Device& device, VkPhysicalDevice physical, bool anisotropy) {
  VkPhysicalDeviceProperties properties{};
  device.instance->next.GetPhysicalDeviceProperties(physical, &properties);
  device.limits = properties.limits;
  device.instance->next.GetPhysicalDeviceMemoryProperties(physical, &device.memory);
  device.unknown =
      unknown_sampler(anisotropy ? device.limits.maxSamplerAnisotropy : 1, device.limits.maxSamplerLodBias);
}

VKAPI_ATTR VkResult VKAPI_CALL create_device(VkPhysicalDevice physical, const VkDeviceCreateInfo* info,
                                             const VkAllocationCallbacks* allocator, VkDevice* device) {
  return guarded([&] {
    const std::shared_ptr<Instance> instance = find_instance(physical);
    VkLayerDeviceCreateInfo* link = find_link(*info);
    if (instance == nullptr || link == nullptr || link->u.pLayerInfo == nullptr) return VK_ERROR_INITIALIZATION_FAILED;
    const PFN_vkGetInstanceProcAddr next_instance = link->u.pLayerInfo->pfnNextGetInstanceProcAddr;
    const PFN_vkGetDeviceProcAddr next = link->u.pLayerInfo->pfnNextGetDeviceProcAddr;
    link->u.pLayerInfo = link->u.pLayerInfo->pNext;
    const auto create = reinterpret_cast<PFN_vkCreateDevice>(next_instance(instance->handle, "vkCreateDevice"));
    if (create == nullptr) return VK_ERROR_INITIALIZATION_FAILED;
    auto kept = std::make_shared<Device>();
    kept->instance = instance;
    kept->next_address = next;
    const bool lacking = !instance->has_footprints(physical);
    kept->active = lacking && asks_for_footprints(*info);
    const bool anisotropy = asks_for_anisotropy(*info);
    // The feature was reported: its structure may stand in the chain without the extension.
    const VkResult result = lacking ? create_plain(*instance, create, physical, *info, allocator, device)
                                    : create(physical, info, allocator, device);
    if (result != VK_SUCCESS) return result;
    kept->handle = *device;
#define HEDDLE_LAYER_ASK(name) kept->next.name = reinterpret_cast<PFN_vk##name>(next(*device, "vk" #name));
    HEDDLE_LAYER_DEVICE_FUNCTIONS(HEDDLE_LAYER_ASK)
    HEDDLE_LAYER_MEMORY_FUNCTIONS(HEDDLE_LAYER_ASK)
#undef HEDDLE_LAYER_ASK
    read_properties(*kept, physical, anisotropy);
    keep(std::move(kept));
    return VK_SUCCESS;
  });
}

VKAPI_ATTR void VKAPI_CALL destroy_device(VkDevice device, const VkAllocationCallbacks* allocator) {
  if (device == VK_NULL_HANDLE) return;
  const std::shared_ptr<Device> kept = find_device(device);
  if (kept == nullptr) return;
  forget_device(device);
  kept->records.clear();
  kept->next.DestroyDevice(device, allocator);
}

}  // namespace

namespace entry {
const PFN_vkCreateDevice CreateDevice = create_device;
const PFN_vkDestroyDevice DestroyDevice = destroy_device;
}  // namespace entry

}  // namespace heddle::layer
