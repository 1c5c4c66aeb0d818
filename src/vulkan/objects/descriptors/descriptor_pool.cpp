// SPDX-License-Identifier: MIT
#include "vulkan/objects/descriptors/descriptor_pool.hpp"

#include <algorithm>
#include <span>

#include "vulkan/device/device.hpp"
#include "vulkan/generated/entry_points.hpp"
#include "vulkan/objects/memory/buffer.hpp"

namespace heddle::vulkan {

namespace {

void give_back(Device& device, DescriptorPool& pool, DescriptorSet* set) {
  device.forget(reinterpret_cast<std::uint64_t>(set));
  ++pool.sets_left;
  pool.sets.erase(set);
}

/// A set of a pool; null when it has as many as it may. Descriptors are not counted: many programs ask for fewer than
/// they use, and no other driver of processors minds (SUB-5).
DescriptorSet* make_set(DescriptorPool& pool, std::shared_ptr<const SetLayout> layout, std::uint32_t variable_count) {
  if (pool.sets_left == 0) return nullptr;
  auto set = std::make_unique<DescriptorSet>();
  set->layout = std::move(layout);
  const SetLayout& shape = *set->layout;
  std::size_t size = shape.descriptors;
  if (shape.variable && !shape.bindings.empty()) {
    const std::uint32_t most = shape.bindings.back().second.count;
    size -= most - std::min(most, variable_count);
  }
  set->descriptors.resize(size);
  for (const auto& [number, binding] : shape.bindings)
    for (std::size_t k = 0; k < binding.immutable.size() && binding.first + k < size; ++k)
      set->descriptors[binding.first + k].sampler = binding.immutable[k];
  for (const auto& [number, binding] : shape.bindings)
    if (is_inline(binding.type) && binding.first < size)
      set->descriptors[binding.first].surface =
          raw_surface(std::make_shared<image::Memory>(binding.bytes), 0, binding.bytes);
  DescriptorSet* made = set.get();
  pool.sets[made] = std::move(set);
  --pool.sets_left;
  return made;
}

VkResult allocate(Device& device, const VkDescriptorSetAllocateInfo& info, VkDescriptorSet* out) {
  DescriptorPool& pool = *from_handle(info.descriptorPool);
  std::fill(out, out + info.descriptorSetCount, VkDescriptorSet{});
  const auto undo = [&] {
    for (std::uint32_t k = 0; k < info.descriptorSetCount; ++k)
      if (out[k] != VK_NULL_HANDLE) give_back(device, pool, from_handle(out[k]));
    std::fill(out, out + info.descriptorSetCount, VkDescriptorSet{});
  };
  const auto* variable = find_in_chain<VkDescriptorSetVariableDescriptorCountAllocateInfo>(
      info.pNext, VK_STRUCTURE_TYPE_DESCRIPTOR_SET_VARIABLE_DESCRIPTOR_COUNT_ALLOCATE_INFO);
  try {
    for (std::uint32_t i = 0; i < info.descriptorSetCount; ++i) {
      const std::uint32_t count =
          variable != nullptr && i < variable->descriptorSetCount ? variable->pDescriptorCounts[i] : 0;
      out[i] = to_handle(make_set(pool, from_handle(info.pSetLayouts[i])->layout, count));
      if (out[i] != VK_NULL_HANDLE) continue;
      undo();
      return VK_ERROR_OUT_OF_POOL_MEMORY;
    }
  } catch (...) {
    undo();
    throw;
  }
  return VK_SUCCESS;
}

void forget_sets(VkDevice device, const DescriptorPool& pool) {
  for (const auto& [set, owner] : pool.sets) from_handle(device)->forget(reinterpret_cast<std::uint64_t>(set));
}

}  // namespace

namespace entry {

VKAPI_ATTR VkResult VKAPI_CALL CreateDescriptorPool(VkDevice, const VkDescriptorPoolCreateInfo* pCreateInfo,
                                                    const VkAllocationCallbacks*, VkDescriptorPool* pDescriptorPool) {
  return guarded([&] {
    auto pool = std::make_unique<DescriptorPool>();
    pool->most_sets = pool->sets_left = pCreateInfo->maxSets;
    *pDescriptorPool = to_handle(pool.release());
    return VK_SUCCESS;
  });
}
VKAPI_ATTR void VKAPI_CALL DestroyDescriptorPool(VkDevice device, VkDescriptorPool descriptorPool,
                                                 const VkAllocationCallbacks*) {
  if (descriptorPool != VK_NULL_HANDLE) forget_sets(device, *from_handle(descriptorPool));
  destroy(device, from_handle(descriptorPool));
}
VKAPI_ATTR VkResult VKAPI_CALL ResetDescriptorPool(VkDevice device, VkDescriptorPool descriptorPool,
                                                   VkDescriptorPoolResetFlags) {
  DescriptorPool& pool = *from_handle(descriptorPool);
  forget_sets(device, pool);
  pool.sets.clear();
  pool.sets_left = pool.most_sets;
  return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL AllocateDescriptorSets(VkDevice device, const VkDescriptorSetAllocateInfo* pAllocateInfo,
                                                      VkDescriptorSet* pDescriptorSets) {
  return guarded([&] { return allocate(*from_handle(device), *pAllocateInfo, pDescriptorSets); });
}
VKAPI_ATTR VkResult VKAPI_CALL FreeDescriptorSets(VkDevice device, VkDescriptorPool descriptorPool,
                                                  uint32_t descriptorSetCount, const VkDescriptorSet* pDescriptorSets) {
  for (const VkDescriptorSet set : std::span(pDescriptorSets, descriptorSetCount))
    if (set != VK_NULL_HANDLE) give_back(*from_handle(device), *from_handle(descriptorPool), from_handle(set));
  return VK_SUCCESS;
}

}  // namespace entry
}  // namespace heddle::vulkan
