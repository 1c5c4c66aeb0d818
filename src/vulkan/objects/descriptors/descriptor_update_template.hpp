// SPDX-License-Identifier: MIT
#pragma once
// Update templates: which descriptors are written from where in the bytes of the application.

#include <vulkan/vulkan.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "vulkan/api/handles.hpp"
#include "vulkan/objects/descriptors/descriptor_set_layout.hpp"

namespace heddle::vulkan {

struct UpdateTemplate {
  std::vector<VkDescriptorUpdateTemplateEntry> entries;
  std::shared_ptr<const SetLayout> layout;  ///< of push descriptors
  VkPipelineBindPoint point = VK_PIPELINE_BIND_POINT_COMPUTE;
  std::uint32_t set = 0;
};

/// As above, for what a template writes from `data`.
template <typename Write>
void for_each_written(const SetLayout& layout, const UpdateTemplate& from, const void* data, Write&& write) {
  for (const VkDescriptorUpdateTemplateEntry& entry : from.entries) {
    if (entry.descriptorType == VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK) continue;  // bytes, not descriptors
    for (std::uint32_t i = 0; i < entry.descriptorCount; ++i) {
      const auto* bytes = static_cast<const std::byte*>(data) + entry.offset + i * entry.stride;
      VkWriteDescriptorSet one{VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET};
      one.dstBinding = entry.dstBinding;
      one.dstArrayElement = entry.dstArrayElement + i;
      one.descriptorCount = 1;
      one.descriptorType = entry.descriptorType;
      one.pImageInfo = reinterpret_cast<const VkDescriptorImageInfo*>(bytes);
      one.pBufferInfo = reinterpret_cast<const VkDescriptorBufferInfo*>(bytes);
      one.pTexelBufferView = reinterpret_cast<const VkBufferView*>(bytes);
      for_each_written(layout, one, write);
    }
  }
}

HEDDLE_HANDLE(UpdateTemplate, VkDescriptorUpdateTemplate)

}  // namespace heddle::vulkan
