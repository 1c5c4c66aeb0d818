// SPDX-License-Identifier: MIT
#pragma once
// Descriptor sets.

#include <vulkan/vulkan.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "machine/bindings.hpp"
#include "vulkan/api/handles.hpp"
#include "vulkan/objects/descriptors/descriptor.hpp"
#include "vulkan/objects/descriptors/descriptor_set_layout.hpp"

namespace heddle::vulkan {

struct DescriptorSet {
  std::shared_ptr<const SetLayout> layout;
  std::vector<Descriptor> descriptors;
  std::uint64_t identity = machine::new_identity();  ///< no other set ever has it
  std::uint64_t changes = 0;
};

HEDDLE_HANDLE(DescriptorSet, VkDescriptorSet)

}  // namespace heddle::vulkan
