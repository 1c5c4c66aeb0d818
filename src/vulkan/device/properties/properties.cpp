// SPDX-License-Identifier: MIT
#include "vulkan/device/properties/properties.hpp"

#include <algorithm>

#include "base/fixed_limits.hpp"
#include "image/surface_limits.hpp"
#include "vulkan/device/properties/identity.hpp"
#include "vulkan/device/properties/limits.hpp"
#include "vulkan/device/properties/property_rows.hpp"
#include "vulkan/device/properties/settings.hpp"

namespace heddle::vulkan {

void set_properties(VkPhysicalDeviceProperties& to) {
  to = {};
  to.apiVersion = kApiVersion;
  to.driverVersion = kDriverVersion;
  to.vendorID = kVendor;
  to.deviceID = kDevice;
  to.deviceType = VK_PHYSICAL_DEVICE_TYPE_CPU;
  copy_text(to.deviceName, sizeof to.deviceName, kDeviceName);
  const Uuid uuid = build_uuid();
  std::ranges::copy(uuid, to.pipelineCacheUUID);
  to.limits = device_limits();
  to.sparseProperties = {VK_TRUE, VK_TRUE, VK_TRUE, VK_FALSE, VK_TRUE};  // standard shapes; no aligned levels; strict
}

void set_properties(VkBaseOutStructure& to) {
  for (const std::span<const PropertyRow> rows : {version_properties(), extension_properties()})
    if (const auto row = std::ranges::find(rows, to.sType, &PropertyRow::type); row != rows.end()) return row->set(to);
}

VkExternalMemoryProperties external_memory(VkExternalMemoryHandleTypeFlagBits type) {
  const auto own = static_cast<VkExternalMemoryHandleTypeFlags>(type);
  constexpr VkExternalMemoryFeatureFlags kImport = VK_EXTERNAL_MEMORY_FEATURE_IMPORTABLE_BIT,
                                         kExport = VK_EXTERNAL_MEMORY_FEATURE_EXPORTABLE_BIT;
  switch (type) {
    case VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT:
      return {kImport, 0, own};
    case VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT:
      return {kImport | kExport, own, own};
    case VK_EXTERNAL_MEMORY_HANDLE_TYPE_DMA_BUF_BIT_EXT:
      return {dma_bufs_are_made() ? kImport | kExport : kImport, own, own};
    default:
      return {0, 0, own};
  }
}

}  // namespace heddle::vulkan
