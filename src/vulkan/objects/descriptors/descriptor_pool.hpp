// SPDX-License-Identifier: MIT
#pragma once
// Descriptor pools: the owners of sets.

#include <vulkan/vulkan.h>

#include <cstdint>
#include <map>
#include <memory>

#include "vulkan/api/handles.hpp"
#include "vulkan/objects/descriptors/descriptor_set.hpp"

namespace heddle::vulkan {

struct DescriptorPool {
  std::uint32_t sets_left = 0;
  std::uint32_t most_sets = 0;
  std::map<DescriptorSet*, std::unique_ptr<DescriptorSet>> sets;
};

HEDDLE_HANDLE(DescriptorPool, VkDescriptorPool)

}  // namespace heddle::vulkan
