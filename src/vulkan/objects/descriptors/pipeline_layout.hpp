// SPDX-License-Identifier: MIT
#pragma once
// Pipeline layouts: the layouts of the sets that a pipeline reads, by number.

#include <vulkan/vulkan.h>

#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "spirv/compile/compile.hpp"
#include "vulkan/api/handles.hpp"
#include "vulkan/objects/descriptors/descriptor_set_layout.hpp"

namespace heddle::vulkan {

struct PipelineLayout {
  std::vector<std::shared_ptr<const SetLayout>> sets;
};

/// How many descriptors the bindings of a layout have that are arrays, by set and binding.
[[nodiscard]] std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> array_lengths(
    const PipelineLayout* layout);
/// How the immutable samplers of a layout sample, by set and binding, where any has a conversion.
[[nodiscard]] std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<spirv::SampledPlanes>> planes_of(
    const PipelineLayout* layout);

HEDDLE_HANDLE(PipelineLayout, VkPipelineLayout)

}  // namespace heddle::vulkan
