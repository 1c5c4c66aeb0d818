// SPDX-License-Identifier: MIT
// What an application may ask of the physical device: features, memory, queues, extensions.

#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

#include "base/bits/bits.hpp"
#include "base/disk_cache.hpp"
#include "pipeline/raster/shading_rate.hpp"
#include "spirv/cooperative_matrix.hpp"
#include "vulkan/api/entry_table.hpp"
#include "vulkan/api/handles.hpp"
#include "vulkan/device/features.hpp"
#include "vulkan/device/physical_device.hpp"
#include "vulkan/device/properties/identity.hpp"
#include "vulkan/device/properties/limits.hpp"
#include "vulkan/device/properties/properties.hpp"
#include "vulkan/device/properties/settings.hpp"
#include "vulkan/generated/entry_points.hpp"

namespace heddle::vulkan {

Uuid build_uuid() {
  base::KeyMaker key;
  key.text("heddle vulkan");
  key.text(base::build_name());
  const base::KeyMaker::Sum sum = key.sum();
  Uuid uuid;
  std::memcpy(uuid.data(), &sum.low, 8);
  std::memcpy(uuid.data() + 8, &sum.high, 6);
  uuid[14] = static_cast<std::uint8_t>(base::kBits >> 8);
  uuid[15] = static_cast<std::uint8_t>(base::kBits & 0xff);
  return uuid;
}

namespace {

/// By their numbers.
std::array<VkQueueFamilyProperties, kQueueFamilies> queue_families() {
  std::array<VkQueueFamilyProperties, kQueueFamilies> families{};
  for (VkQueueFamilyProperties& family : families) {
    family.queueFlags = VK_QUEUE_TRANSFER_BIT | VK_QUEUE_SPARSE_BINDING_BIT;
    family.queueCount = 1;
    family.timestampValidBits = 64;
    family.minImageTransferGranularity = {1, 1, 1};
  }
  families[0].queueFlags |= VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT;
  return families;
}

VkPhysicalDeviceMemoryProperties memory() {
  VkPhysicalDeviceMemoryProperties m{};
  m.memoryTypeCount = 1;
  m.memoryTypes[0] = {VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT | VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT |
                          VK_MEMORY_PROPERTY_HOST_COHERENT_BIT | VK_MEMORY_PROPERTY_HOST_CACHED_BIT,
                      0};
  m.memoryHeapCount = 1;
  m.memoryHeaps[0] = {heap_bytes(), VK_MEMORY_HEAP_DEVICE_LOCAL_BIT};
  return m;
}

VkComponentTypeKHR component_type(spirv::MatrixComponent component) {
  switch (component) {
    case spirv::MatrixComponent::F16:
      return VK_COMPONENT_TYPE_FLOAT16_KHR;
    case spirv::MatrixComponent::F32:
      return VK_COMPONENT_TYPE_FLOAT32_KHR;
    case spirv::MatrixComponent::S8:
      return VK_COMPONENT_TYPE_SINT8_KHR;
    case spirv::MatrixComponent::U8:
      return VK_COMPONENT_TYPE_UINT8_KHR;
    case spirv::MatrixComponent::S32:
      return VK_COMPONENT_TYPE_SINT32_KHR;
    case spirv::MatrixComponent::U32:
      break;
  }
  return VK_COMPONENT_TYPE_UINT32_KHR;
}

}  // namespace

namespace entry {

VKAPI_ATTR void VKAPI_CALL GetPhysicalDeviceFeatures(VkPhysicalDevice, VkPhysicalDeviceFeatures* pFeatures) {
  set_features(*pFeatures);
}
VKAPI_ATTR void VKAPI_CALL GetPhysicalDeviceFeatures2(VkPhysicalDevice, VkPhysicalDeviceFeatures2* pFeatures) {
  set_features(pFeatures->features);
  for (auto* s = static_cast<VkBaseOutStructure*>(pFeatures->pNext); s != nullptr; s = s->pNext) set_features(s);
}

VKAPI_ATTR void VKAPI_CALL GetPhysicalDeviceProperties(VkPhysicalDevice, VkPhysicalDeviceProperties* pProperties) {
  set_properties(*pProperties);
}
VKAPI_ATTR void VKAPI_CALL GetPhysicalDeviceProperties2(VkPhysicalDevice, VkPhysicalDeviceProperties2* pProperties) {
  set_properties(pProperties->properties);
  for (auto* s = static_cast<VkBaseOutStructure*>(pProperties->pNext); s != nullptr; s = s->pNext) set_properties(*s);
}

VKAPI_ATTR void VKAPI_CALL GetPhysicalDeviceMultisamplePropertiesEXT(VkPhysicalDevice, VkSampleCountFlagBits samples,
                                                                     VkMultisamplePropertiesEXT* to) {
  VkPhysicalDeviceSampleLocationsPropertiesEXT all{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SAMPLE_LOCATIONS_PROPERTIES_EXT};
  set_properties(reinterpret_cast<VkBaseOutStructure&>(all));
  const bool has = (all.sampleLocationSampleCounts & static_cast<VkSampleCountFlags>(samples)) != 0;
  to->maxSampleLocationGridSize = has ? all.maxSampleLocationGridSize : VkExtent2D{0, 0};
}

VKAPI_ATTR VkResult VKAPI_CALL GetPhysicalDeviceFragmentShadingRatesKHR(
    VkPhysicalDevice, uint32_t* pCount, VkPhysicalDeviceFragmentShadingRateKHR* pRates) {
  using pipeline::kMaxFragmentSide;
  std::vector<VkPhysicalDeviceFragmentShadingRateKHR> rates;
  for (std::uint32_t width = kMaxFragmentSide; width != 0; width /= 2)
    for (std::uint32_t height = kMaxFragmentSide; height != 0; height /= 2) {
      VkSampleCountFlags counts = 0;
      for (std::uint32_t samples = 1; samples <= kMaxSamples; samples *= 2)
        if (pipeline::is_supported({width, height}, samples)) counts |= samples;
      rates.push_back({VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FRAGMENT_SHADING_RATE_KHR,
                       nullptr,
                       width * height == 1 ? ~0u : counts,
                       {width, height}});
    }
  const std::uint32_t room = *pCount, all = static_cast<std::uint32_t>(rates.size());
  *pCount = pRates == nullptr ? all : std::min(room, all);
  if (pRates == nullptr) return VK_SUCCESS;
  for (std::uint32_t i = 0; i < *pCount; ++i) {  // the caller's structures say what they are
    pRates[i].sampleCounts = rates[i].sampleCounts;
    pRates[i].fragmentSize = rates[i].fragmentSize;
  }
  return *pCount < all ? VK_INCOMPLETE : VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL GetPhysicalDeviceCooperativeMatrixPropertiesKHR(
    VkPhysicalDevice, uint32_t* pPropertyCount, VkCooperativeMatrixPropertiesKHR* pProperties) {
  return give_list(spirv::matrix_products(), pPropertyCount, pProperties,
                   [](VkCooperativeMatrixPropertiesKHR& to, const spirv::MatrixProduct& from) {
                     to.MSize = from.m;
                     to.NSize = from.n;
                     to.KSize = from.k;
                     to.AType = component_type(from.a);
                     to.BType = component_type(from.b);
                     to.CType = to.ResultType = component_type(from.c);
                     to.saturatingAccumulation = from.saturates ? VK_TRUE : VK_FALSE;
                     to.scope = VK_SCOPE_SUBGROUP_KHR;
                   });
}

VKAPI_ATTR void VKAPI_CALL GetPhysicalDeviceQueueFamilyProperties(VkPhysicalDevice, uint32_t* pQueueFamilyPropertyCount,
                                                                  VkQueueFamilyProperties* pQueueFamilyProperties) {
  (void)give_list(queue_families(), pQueueFamilyPropertyCount, pQueueFamilyProperties,
                  [](VkQueueFamilyProperties& to, const VkQueueFamilyProperties& from) { to = from; });
}
VKAPI_ATTR void VKAPI_CALL GetPhysicalDeviceQueueFamilyProperties2(VkPhysicalDevice,
                                                                   uint32_t* pQueueFamilyPropertyCount,
                                                                   VkQueueFamilyProperties2* pQueueFamilyProperties) {
  (void)give_list(queue_families(), pQueueFamilyPropertyCount, pQueueFamilyProperties,
                  [](VkQueueFamilyProperties2& to, const VkQueueFamilyProperties& from) {
                    to.queueFamilyProperties = from;
                    if (auto* of = find_out_chain<VkQueueFamilyGlobalPriorityProperties>(
                            to.pNext, VK_STRUCTURE_TYPE_QUEUE_FAMILY_GLOBAL_PRIORITY_PROPERTIES)) {
                      of->priorityCount = static_cast<std::uint32_t>(kGlobalPriorities.size());
                      std::ranges::copy(kGlobalPriorities, of->priorities);
                    }
                    // Memory is the same to all queues: none of them needs images handed over.
                    if (auto* of = find_out_chain<VkQueueFamilyOwnershipTransferPropertiesKHR>(
                            to.pNext, VK_STRUCTURE_TYPE_QUEUE_FAMILY_OWNERSHIP_TRANSFER_PROPERTIES_KHR))
                      of->optimalImageTransferToQueueFamilies = (1u << kQueueFamilies) - 1;
                    if (auto* of = find_out_chain<VkQueueFamilyOptimalImageTransferGranularityPropertiesKHR>(
                            to.pNext, VK_STRUCTURE_TYPE_QUEUE_FAMILY_OPTIMAL_IMAGE_TRANSFER_GRANULARITY_PROPERTIES_KHR))
                      of->optimalImageTransferGranularity = {1, 1, 1};
                  });
}

VKAPI_ATTR void VKAPI_CALL GetPhysicalDeviceMemoryProperties(VkPhysicalDevice,
                                                             VkPhysicalDeviceMemoryProperties* pMemoryProperties) {
  *pMemoryProperties = memory();
}
VKAPI_ATTR void VKAPI_CALL GetPhysicalDeviceMemoryProperties2(VkPhysicalDevice physicalDevice,
                                                              VkPhysicalDeviceMemoryProperties2* pMemoryProperties) {
  pMemoryProperties->memoryProperties = memory();
  if (auto* budget = find_out_chain<VkPhysicalDeviceMemoryBudgetPropertiesEXT>(
          pMemoryProperties->pNext, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_BUDGET_PROPERTIES_EXT)) {
    std::ranges::fill(budget->heapBudget, VkDeviceSize{0});
    std::ranges::fill(budget->heapUsage, VkDeviceSize{0});
    budget->heapBudget[0] = heap_bytes();
    budget->heapUsage[0] = from_handle(physicalDevice)->memory_used;
  }
}

VKAPI_ATTR VkResult VKAPI_CALL EnumerateDeviceExtensionProperties(VkPhysicalDevice, const char* pLayerName,
                                                                  uint32_t* pPropertyCount,
                                                                  VkExtensionProperties* pProperties) {
  if (pLayerName != nullptr) return VK_ERROR_LAYER_NOT_PRESENT;
  return give_list(device_extensions(), pPropertyCount, pProperties,
                   [](VkExtensionProperties& to, const OfferedExtension& from) { to = from.properties; });
}
VKAPI_ATTR VkResult VKAPI_CALL EnumerateDeviceLayerProperties(VkPhysicalDevice, uint32_t* pPropertyCount,
                                                              VkLayerProperties*) {
  *pPropertyCount = 0;
  return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL GetPhysicalDeviceToolProperties(VkPhysicalDevice, uint32_t* pToolCount,
                                                               VkPhysicalDeviceToolProperties*) {
  *pToolCount = 0;
  return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL
GetPhysicalDeviceExternalBufferProperties(VkPhysicalDevice, const VkPhysicalDeviceExternalBufferInfo* pInfo,
                                          VkExternalBufferProperties* pExternalBufferProperties) {
  pExternalBufferProperties->externalMemoryProperties = external_memory(pInfo->handleType);
}
VKAPI_ATTR void VKAPI_CALL GetPhysicalDeviceExternalFenceProperties(VkPhysicalDevice,
                                                                    const VkPhysicalDeviceExternalFenceInfo* pInfo,
                                                                    VkExternalFenceProperties* to) {
  const bool can = pInfo->handleType == VK_EXTERNAL_FENCE_HANDLE_TYPE_OPAQUE_FD_BIT ||
                   pInfo->handleType == VK_EXTERNAL_FENCE_HANDLE_TYPE_SYNC_FD_BIT;
  to->exportFromImportedHandleTypes = to->compatibleHandleTypes =
      can ? static_cast<VkExternalFenceHandleTypeFlags>(pInfo->handleType) : 0;
  to->externalFenceFeatures =
      can ? VK_EXTERNAL_FENCE_FEATURE_EXPORTABLE_BIT | VK_EXTERNAL_FENCE_FEATURE_IMPORTABLE_BIT : 0;
}
VKAPI_ATTR void VKAPI_CALL GetPhysicalDeviceExternalSemaphoreProperties(
    VkPhysicalDevice, const VkPhysicalDeviceExternalSemaphoreInfo* pInfo, VkExternalSemaphoreProperties* to) {
  const auto* type =
      find_in_chain<VkSemaphoreTypeCreateInfo>(pInfo->pNext, VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO);
  const bool timeline = type != nullptr && type->semaphoreType == VK_SEMAPHORE_TYPE_TIMELINE;
  const bool can = pInfo->handleType == VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD_BIT ||
                   (pInfo->handleType == VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_SYNC_FD_BIT && !timeline);
  to->exportFromImportedHandleTypes = to->compatibleHandleTypes =
      can ? static_cast<VkExternalSemaphoreHandleTypeFlags>(pInfo->handleType) : 0;
  to->externalSemaphoreFeatures =
      can ? VK_EXTERNAL_SEMAPHORE_FEATURE_EXPORTABLE_BIT | VK_EXTERNAL_SEMAPHORE_FEATURE_IMPORTABLE_BIT : 0;
}

}  // namespace entry
}  // namespace heddle::vulkan
