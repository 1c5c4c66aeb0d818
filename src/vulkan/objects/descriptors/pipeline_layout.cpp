// SPDX-License-Identifier: MIT
#include "vulkan/objects/descriptors/pipeline_layout.hpp"

#include <memory>
#include <span>

#include "vulkan/device/device.hpp"
#include "vulkan/generated/entry_points.hpp"

namespace heddle::vulkan {

std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> array_lengths(const PipelineLayout* layout) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> lengths;
  if (layout == nullptr) return lengths;
  for (std::uint32_t set = 0; set < layout->sets.size(); ++set)
    if (layout->sets[set])
      for (const auto& [number, binding] : layout->sets[set]->bindings)
        if (binding.count > 1) lengths[{set, number}] = binding.count;
  return lengths;
}

std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<spirv::SampledPlanes>> planes_of(
    const PipelineLayout* layout) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<spirv::SampledPlanes>> planes;
  if (layout == nullptr) return planes;
  for (std::uint32_t set = 0; set < layout->sets.size(); ++set)
    if (layout->sets[set])
      for (const auto& [number, binding] : layout->sets[set]->bindings)
        if (!binding.planes.empty()) planes[{set, number}] = binding.planes;
  return planes;
}

namespace entry {

VKAPI_ATTR VkResult VKAPI_CALL CreatePipelineLayout(VkDevice, const VkPipelineLayoutCreateInfo* pCreateInfo,
                                                    const VkAllocationCallbacks*, VkPipelineLayout* pPipelineLayout) {
  return guarded([&] {
    auto layout = std::make_unique<PipelineLayout>();
    for (const VkDescriptorSetLayout set : std::span(pCreateInfo->pSetLayouts, pCreateInfo->setLayoutCount))
      layout->sets.push_back(set == VK_NULL_HANDLE ? std::make_shared<const SetLayout>() : from_handle(set)->layout);
    *pPipelineLayout = to_handle(layout.release());
    return VK_SUCCESS;
  });
}
VKAPI_ATTR void VKAPI_CALL DestroyPipelineLayout(VkDevice device, VkPipelineLayout pipelineLayout,
                                                 const VkAllocationCallbacks*) {
  destroy(device, from_handle(pipelineLayout));
}

}  // namespace entry
}  // namespace heddle::vulkan
