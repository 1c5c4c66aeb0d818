// SPDX-License-Identifier: MIT
// Instances and what is asked of physical devices: the extension is listed, its feature there, and the limits have room
// for what the layer adds.
#include <vulkan/vk_layer.h>

#include <algorithm>
#include <cstring>

#include "layer/chain.hpp"
#include "layer/entry_points.hpp"

namespace heddle::layer {
namespace {

constexpr VkExtensionProperties kExtension{VK_NV_SHADER_IMAGE_FOOTPRINT_EXTENSION_NAME,
                                           VK_NV_SHADER_IMAGE_FOOTPRINT_SPEC_VERSION};

VkLayerInstanceCreateInfo* find_link(const VkInstanceCreateInfo& info) {
  for (auto* s = static_cast<const VkBaseInStructure*>(info.pNext); s != nullptr; s = s->pNext) {
    auto* link = const_cast<VkLayerInstanceCreateInfo*>(reinterpret_cast<const VkLayerInstanceCreateInfo*>(s));
    if (s->sType == VK_STRUCTURE_TYPE_LOADER_INSTANCE_CREATE_INFO && link->function == VK_LAYER_LINK_INFO) return link;
  }
  return nullptr;
}

bool asks_for(const VkInstanceCreateInfo& info, const char* name) {
  return std::any_of(info.ppEnabledExtensionNames, info.ppEnabledExtensionNames + info.enabledExtensionCount,
                     [&](const char* one) { return std::strcmp(one, name) == 0; });
}

VKAPI_ATTR VkResult VKAPI_CALL create_instance(const VkInstanceCreateInfo* info, const VkAllocationCallbacks* allocator,
                                               VkInstance* instance) {
  return guarded([&] {
    VkLayerInstanceCreateInfo* link = find_link(*info);
    if (link == nullptr || link->u.pLayerInfo == nullptr) return VK_ERROR_INITIALIZATION_FAILED;
    const PFN_vkGetInstanceProcAddr next = link->u.pLayerInfo->pfnNextGetInstanceProcAddr;
    link->u.pLayerInfo = link->u.pLayerInfo->pNext;
    auto kept = std::make_shared<Instance>();
    const auto create = reinterpret_cast<PFN_vkCreateInstance>(next(VK_NULL_HANDLE, "vkCreateInstance"));
    if (create == nullptr) return VK_ERROR_INITIALIZATION_FAILED;
    const VkResult result = create(info, allocator, instance);
    if (result != VK_SUCCESS) return result;
    kept->handle = *instance;
    kept->next_address = next;
#define HEDDLE_LAYER_ASK(name) kept->next.name = reinterpret_cast<PFN_vk##name>(next(*instance, "vk" #name));
    HEDDLE_LAYER_INSTANCE_FUNCTIONS(HEDDLE_LAYER_ASK)
#undef HEDDLE_LAYER_ASK
    if (!asks_for(*info, VK_EXT_DEBUG_UTILS_EXTENSION_NAME)) kept->next.SubmitDebugUtilsMessageEXT = nullptr;
    keep(std::move(kept));
    return VK_SUCCESS;
  });
}

VKAPI_ATTR void VKAPI_CALL destroy_instance(VkInstance instance, const VkAllocationCallbacks* allocator) {
  if (instance == VK_NULL_HANDLE) return;
  const std::shared_ptr<Instance> kept = find_instance(instance);
  if (kept == nullptr) return;
  forget_instance(instance);
  kept->next.DestroyInstance(instance, allocator);
}

/// A list by the protocol of two calls.
VkResult answer(const std::vector<VkExtensionProperties>& list, std::uint32_t* count,
                VkExtensionProperties* properties) {
  const auto all = static_cast<std::uint32_t>(list.size());
  if (properties == nullptr) {
    *count = all;
    return VK_SUCCESS;
  }
  *count = std::min(*count, all);
  std::copy_n(list.begin(), *count, properties);
  return *count < all ? VK_INCOMPLETE : VK_SUCCESS;
}

/// The device's own list, with the extension behind it.
VkResult extended_list(const Instance& instance, VkPhysicalDevice device, std::vector<VkExtensionProperties>& list) {
  std::uint32_t count = 0;
  VkResult result = instance.next.EnumerateDeviceExtensionProperties(device, nullptr, &count, nullptr);
  if (result != VK_SUCCESS) return result;
  list.resize(count);
  result = instance.next.EnumerateDeviceExtensionProperties(device, nullptr, &count, list.data());
  if (result < VK_SUCCESS) return result;
  list.resize(count);
  const bool listed = std::ranges::any_of(
      list, [](const VkExtensionProperties& e) { return std::strcmp(e.extensionName, kExtension.extensionName) == 0; });
  if (!listed) list.push_back(kExtension);
  return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL enumerate_extensions(VkPhysicalDevice device, const char* layer, std::uint32_t* count,
                                                    VkExtensionProperties* properties) {
  return guarded([&] {
    if (layer != nullptr && std::strcmp(layer, kLayerName) == 0) return answer({kExtension}, count, properties);
    const std::shared_ptr<Instance> instance = find_instance(device);
    if (instance == nullptr) return VK_ERROR_INITIALIZATION_FAILED;
    if (layer != nullptr || instance->has_footprints(device))
      return instance->next.EnumerateDeviceExtensionProperties(device, layer, count, properties);
    std::vector<VkExtensionProperties> list;
    const VkResult result = extended_list(*instance, device, list);
    return result == VK_SUCCESS ? answer(list, count, properties) : result;
  });
}

/// Devices that the layer lists the extension for.
bool is_served(const Instance& instance, VkPhysicalDevice device) {
  return guarded([&] { return instance.has_footprints(device) ? VK_INCOMPLETE : VK_SUCCESS; }) == VK_SUCCESS;
}

void add_feature(const Instance& instance, VkPhysicalDevice device, VkPhysicalDeviceFeatures2* features) {
  const auto* found = find_in_chain<VkPhysicalDeviceShaderImageFootprintFeaturesNV>(
      features->pNext, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_IMAGE_FOOTPRINT_FEATURES_NV);
  if (found != nullptr && is_served(instance, device))
    const_cast<VkPhysicalDeviceShaderImageFootprintFeaturesNV*>(found)->imageFootprint = VK_TRUE;
}

VKAPI_ATTR void VKAPI_CALL get_features(VkPhysicalDevice device, VkPhysicalDeviceFeatures2* features) {
  const std::shared_ptr<Instance> instance = find_instance(device);
  if (instance == nullptr) return;
  PFN_vkGetPhysicalDeviceFeatures2 next = instance->next.GetPhysicalDeviceFeatures2;
  if (next == nullptr) next = instance->next.GetPhysicalDeviceFeatures2KHR;
  if (next == nullptr) return;
  next(device, features);
  add_feature(*instance, device, features);
}

// --- limits ---------------------------------------------------------------------------------------------------------

/// Never below what Vulkan demands of every device: programs need not ask for that.
void take(std::uint32_t& limit, std::uint32_t count, std::uint32_t least) {
  const std::uint32_t lowered = limit - std::min(limit, count);
  limit = std::max(lowered, std::min(limit, least));
}

// Vulkan's Required Limits.
constexpr std::uint32_t kMinOfStage = 12, kMinOfSet = 72, kMinResources = 128, kMinOfLayout = 1024;

/// What the layer keeps for its hidden uniform buffers: one for each set that a pipeline can have.
void lower(VkPhysicalDeviceLimits& limits) {
  take(limits.maxPerStageDescriptorUniformBuffers, limits.maxBoundDescriptorSets, kMinOfStage);
  take(limits.maxDescriptorSetUniformBuffers, limits.maxBoundDescriptorSets, kMinOfSet);
  take(limits.maxPerStageResources, limits.maxBoundDescriptorSets, kMinResources);
}

/// The same of bindings that are updated after they are bound.
template <typename Properties>
void lower_after_bind(Properties& p, std::uint32_t sets) {
  take(p.maxPerStageDescriptorUpdateAfterBindUniformBuffers, sets, kMinOfStage);
  take(p.maxDescriptorSetUpdateAfterBindUniformBuffers, sets, kMinOfSet);
  take(p.maxPerStageUpdateAfterBindResources, sets, kMinResources);
}

template <typename Properties, typename Change>
void change(void* chain, VkStructureType type, const Change& change) {
  if (const auto* found = find_in_chain<Properties>(chain, type); found != nullptr)
    change(*const_cast<Properties*>(found));
}

void lower_chain(void* chain, std::uint32_t sets) {
  change<VkPhysicalDeviceDescriptorIndexingProperties>(chain,
                                                       VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DESCRIPTOR_INDEXING_PROPERTIES,
                                                       [&](auto& p) { lower_after_bind(p, sets); });
  change<VkPhysicalDeviceVulkan12Properties>(chain, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_PROPERTIES,
                                             [&](auto& p) { lower_after_bind(p, sets); });
  const auto one_of_a_set = [](auto& p) { take(p.maxPerSetDescriptors, 1, kMinOfLayout); };
  change<VkPhysicalDeviceMaintenance3Properties>(chain, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_3_PROPERTIES,
                                                 one_of_a_set);
  change<VkPhysicalDeviceVulkan11Properties>(chain, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_PROPERTIES,
                                             one_of_a_set);
}

VKAPI_ATTR void VKAPI_CALL get_properties(VkPhysicalDevice device, VkPhysicalDeviceProperties* properties) {
  const std::shared_ptr<Instance> instance = find_instance(device);
  if (instance == nullptr) return;
  instance->next.GetPhysicalDeviceProperties(device, properties);
  if (is_served(*instance, device)) lower(properties->limits);
}

VKAPI_ATTR void VKAPI_CALL get_properties2(VkPhysicalDevice device, VkPhysicalDeviceProperties2* properties) {
  const std::shared_ptr<Instance> instance = find_instance(device);
  if (instance == nullptr) return;
  PFN_vkGetPhysicalDeviceProperties2 next = instance->next.GetPhysicalDeviceProperties2;
  if (next == nullptr) next = instance->next.GetPhysicalDeviceProperties2KHR;
  if (next == nullptr) return;
  next(device, properties);
  if (!is_served(*instance, device)) return;
  lower_chain(properties->pNext, properties->properties.limits.maxBoundDescriptorSets);
  lower(properties->properties.limits);
}

}  // namespace

namespace entry {
const PFN_vkCreateInstance CreateInstance = create_instance;
const PFN_vkDestroyInstance DestroyInstance = destroy_instance;
const PFN_vkEnumerateDeviceExtensionProperties EnumerateDeviceExtensionProperties = enumerate_extensions;
const PFN_vkGetPhysicalDeviceFeatures2 GetPhysicalDeviceFeatures2 = get_features;
const PFN_vkGetPhysicalDeviceFeatures2 GetPhysicalDeviceFeatures2KHR = get_features;
const PFN_vkGetPhysicalDeviceProperties GetPhysicalDeviceProperties = get_properties;
const PFN_vkGetPhysicalDeviceProperties2 GetPhysicalDeviceProperties2 = get_properties2;
const PFN_vkGetPhysicalDeviceProperties2 GetPhysicalDeviceProperties2KHR = get_properties2;
}  // namespace entry

}  // namespace heddle::layer
