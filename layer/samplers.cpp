// SPDX-License-Identifier: MIT
// Samplers, and layouts of descriptor sets and pipelines: who has which samplers where.
#include <algorithm>
#include <bit>
#include <utility>

#include "layer/chain.hpp"
#include "layer/entry_points.hpp"

namespace heddle::layer {
namespace {

constexpr std::uint32_t kRecordBytes = sizeof(SamplerRecord);

std::uint32_t word(float value) { return std::bit_cast<std::uint32_t>(value); }

SamplerRecord record_of(const VkSamplerCreateInfo& info, const Device& device) {
  SamplerRecord r{};
  r[kFlags] = kKnown | (info.magFilter != VK_FILTER_NEAREST ? kMagLinear : 0) |
              (info.minFilter != VK_FILTER_NEAREST ? kMinLinear : 0) |
              (info.mipmapMode == VK_SAMPLER_MIPMAP_MODE_LINEAR ? kMipLinear : kMipNearest) |
              (info.unnormalizedCoordinates != VK_FALSE ? kUnnormalized : 0);
  r[kBias] = word(info.mipLodBias);
  r[kMinLod] = word(info.minLod);
  r[kMaxLod] = word(info.maxLod);
  r[kMaxAnisotropy] = word(info.anisotropyEnable != VK_FALSE ? info.maxAnisotropy : 0);
  r[kMaxLodBias] = word(device.limits.maxSamplerLodBias);
  return r;
}

VKAPI_ATTR VkResult VKAPI_CALL create_sampler(VkDevice handle, const VkSamplerCreateInfo* info,
                                              const VkAllocationCallbacks* allocator, VkSampler* sampler) {
  const std::shared_ptr<Device> device = find_device(handle);
  const VkResult result = device->next.CreateSampler(handle, info, allocator, sampler);
  if (result != VK_SUCCESS || !device->active) return result;
  return guarded([&] {
    const std::lock_guard lock(device->mutex);
    KnownSampler& known = device->samplers[*sampler];
    known.record = record_of(*info, *device);
    ++known.count;
    return result;
  });
}

VKAPI_ATTR void VKAPI_CALL destroy_sampler(VkDevice handle, VkSampler sampler, const VkAllocationCallbacks* allocator) {
  const std::shared_ptr<Device> device = find_device(handle);
  {
    const std::lock_guard lock(device->mutex);
    if (const auto found = device->samplers.find(sampler);
        found != device->samplers.end() && --found->second.count == 0)
      device->samplers.erase(found);
  }
  device->next.DestroySampler(handle, sampler, allocator);
}

// --- set layouts ----------------------------------------------------------------------------------------------------

const VkDescriptorSetLayoutBindingFlagsCreateInfo* flags_of(const VkDescriptorSetLayoutCreateInfo& info) {
  return find_in_chain<VkDescriptorSetLayoutBindingFlagsCreateInfo>(
      info.pNext, VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_BINDING_FLAGS_CREATE_INFO);
}

/// A layout that cannot have a buffer of its own: pushed descriptors, descriptors in the application's memory, a last
/// binding whose length varies, flags of bindings that cannot be made longer.
bool refuses_buffer(const VkDescriptorSetLayoutCreateInfo& info) {
  constexpr VkDescriptorSetLayoutCreateFlags kAllowed = VK_DESCRIPTOR_SET_LAYOUT_CREATE_UPDATE_AFTER_BIND_POOL_BIT;
  if ((info.flags & ~kAllowed) != 0) return true;
  const auto* flags = flags_of(info);
  if (flags == nullptr || flags->bindingCount == 0) return false;
  if (ChainEdit(info.pNext, flags->sType).obstacle()) return true;
  return std::any_of(flags->pBindingFlags, flags->pBindingFlags + flags->bindingCount, [](VkDescriptorBindingFlags f) {
    return (f & VK_DESCRIPTOR_BINDING_VARIABLE_DESCRIPTOR_COUNT_BIT) != 0;
  });
}

LayoutBinding read_binding(const VkDescriptorSetLayoutBinding& b, const Device& device) {
  LayoutBinding binding;
  binding.binding = b.binding;
  binding.count = b.descriptorCount;
  if (b.pImmutableSamplers == nullptr) return binding;
  for (std::uint32_t k = 0; k < b.descriptorCount; ++k) {
    const auto known = device.samplers.find(b.pImmutableSamplers[k]);
    binding.constants.push_back(known == device.samplers.end() ? device.unknown : known->second.record);
  }
  return binding;
}

/// The samplers of a layout; device.mutex is held.
SetLayout read_layout(const VkDescriptorSetLayoutCreateInfo& info, const Device& device) {
  SetLayout layout;
  for (std::uint32_t k = 0; k < info.bindingCount; ++k)
    if (has_sampler(info.pBindings[k].descriptorType) && info.pBindings[k].descriptorCount != 0)
      layout.samplers.push_back(read_binding(info.pBindings[k], device));
  std::ranges::sort(layout.samplers, {}, &LayoutBinding::binding);
  return layout;
}

/// Numbers the records; false where constants say all.
bool needs_buffer(SetLayout& layout) {
  bool needed = false;
  for (LayoutBinding& b : layout.samplers) {
    b.first_record = layout.records;
    layout.records += b.count;
    needed |= b.constants.empty() ||
              std::ranges::adjacent_find(b.constants, std::ranges::not_equal_to()) != b.constants.end();
  }
  return needed;
}

bool fits(const VkDescriptorSetLayoutCreateInfo& info, const SetLayout& layout, const Device& device) {
  std::uint64_t buffers = 0;
  for (std::uint32_t k = 0; k < info.bindingCount; ++k)
    if (info.pBindings[k].descriptorType == VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER)
      buffers += info.pBindings[k].descriptorCount;
  return buffers < device.limits.maxPerStageDescriptorUniformBuffers &&
         std::uint64_t{layout.records} * kRecordBytes <= device.limits.maxUniformBufferRange;
}

/// The hidden binding: behind all others, for the stages of the samplers.
VkDescriptorSetLayoutBinding hidden_binding(const VkDescriptorSetLayoutCreateInfo& info) {
  VkDescriptorSetLayoutBinding hidden{0, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, 1, 0, nullptr};
  for (std::uint32_t k = 0; k < info.bindingCount; ++k) {
    hidden.binding = std::max(hidden.binding, info.pBindings[k].binding + 1);
    if (has_sampler(info.pBindings[k].descriptorType)) hidden.stageFlags |= info.pBindings[k].stageFlags;
  }
  return hidden;
}

VkResult create_with_buffer(const Device& device, VkDescriptorSetLayoutCreateInfo info,
                            const VkAllocationCallbacks* allocator, SetLayout& layout, VkDescriptorSetLayout* made) {
  std::vector<VkDescriptorSetLayoutBinding> bindings(info.pBindings, info.pBindings + info.bindingCount);
  bindings.push_back(hidden_binding(info));
  const auto* flags = flags_of(info);
  std::vector<VkDescriptorBindingFlags> all_flags;
  VkDescriptorSetLayoutBindingFlagsCreateInfo longer{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_BINDING_FLAGS_CREATE_INFO};
  if (flags != nullptr && flags->bindingCount != 0) {
    all_flags.assign(flags->pBindingFlags, flags->pBindingFlags + flags->bindingCount);
    all_flags.push_back(0);
  }
  longer.bindingCount = static_cast<std::uint32_t>(all_flags.size());
  longer.pBindingFlags = all_flags.data();
  info.bindingCount = static_cast<std::uint32_t>(bindings.size());
  info.pBindings = bindings.data();
  const ChainEdit edit(info.pNext, VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_BINDING_FLAGS_CREATE_INFO,
                       reinterpret_cast<VkBaseInStructure*>(&longer));
  info.pNext = edit.head();
  const VkResult result = device.next.CreateDescriptorSetLayout(device.handle, &info, allocator, made);
  if (result == VK_SUCCESS) layout.hidden = bindings.back().binding;
  return result;
}

VKAPI_ATTR VkResult VKAPI_CALL create_set_layout(VkDevice handle, const VkDescriptorSetLayoutCreateInfo* info,
                                                 const VkAllocationCallbacks* allocator, VkDescriptorSetLayout* made) {
  const std::shared_ptr<Device> device = find_device(handle);
  if (!device->active) return device->next.CreateDescriptorSetLayout(handle, info, allocator, made);
  return guarded([&] {
    const std::lock_guard lock(device->mutex);
    auto layout = std::make_shared<SetLayout>(read_layout(*info, *device));
    const bool buffer = needs_buffer(*layout) && !refuses_buffer(*info) && fits(*info, *layout, *device);
    const VkResult result = buffer ? create_with_buffer(*device, *info, allocator, *layout, made)
                                   : device->next.CreateDescriptorSetLayout(handle, info, allocator, made);
    if (result == VK_SUCCESS && !layout->samplers.empty()) device->set_layouts[*made] = std::move(layout);
    return result;
  });
}

VKAPI_ATTR void VKAPI_CALL destroy_set_layout(VkDevice handle, VkDescriptorSetLayout layout,
                                              const VkAllocationCallbacks* allocator) {
  const std::shared_ptr<Device> device = find_device(handle);
  {
    const std::lock_guard lock(device->mutex);
    device->set_layouts.erase(layout);
  }
  device->next.DestroyDescriptorSetLayout(handle, layout, allocator);
}

// --- pipeline layouts -----------------------------------------------------------------------------------------------

VKAPI_ATTR VkResult VKAPI_CALL create_pipeline_layout(VkDevice handle, const VkPipelineLayoutCreateInfo* info,
                                                      const VkAllocationCallbacks* allocator, VkPipelineLayout* made) {
  const std::shared_ptr<Device> device = find_device(handle);
  const VkResult result = device->next.CreatePipelineLayout(handle, info, allocator, made);
  if (result != VK_SUCCESS || !device->active) return result;
  return guarded([&] {
    const std::lock_guard lock(device->mutex);
    PipelineSets sets(info->setLayoutCount);
    for (std::uint32_t k = 0; k < info->setLayoutCount; ++k)
      if (const auto found = device->set_layouts.find(info->pSetLayouts[k]); found != device->set_layouts.end())
        sets[k] = found->second;
    device->pipeline_layouts[*made] = std::move(sets);
    return result;
  });
}

VKAPI_ATTR void VKAPI_CALL destroy_pipeline_layout(VkDevice handle, VkPipelineLayout layout,
                                                   const VkAllocationCallbacks* allocator) {
  const std::shared_ptr<Device> device = find_device(handle);
  {
    const std::lock_guard lock(device->mutex);
    device->pipeline_layouts.erase(layout);
  }
  device->next.DestroyPipelineLayout(handle, layout, allocator);
}

}  // namespace

const LayoutBinding* SetLayout::find(std::uint32_t binding) const {
  const auto found = std::ranges::lower_bound(samplers, binding, {}, &LayoutBinding::binding);
  return found == samplers.end() || found->binding != binding ? nullptr : &*found;
}

namespace entry {
const PFN_vkCreateSampler CreateSampler = create_sampler;
const PFN_vkDestroySampler DestroySampler = destroy_sampler;
const PFN_vkCreateDescriptorSetLayout CreateDescriptorSetLayout = create_set_layout;
const PFN_vkDestroyDescriptorSetLayout DestroyDescriptorSetLayout = destroy_set_layout;
const PFN_vkCreatePipelineLayout CreatePipelineLayout = create_pipeline_layout;
const PFN_vkDestroyPipelineLayout DestroyPipelineLayout = destroy_pipeline_layout;
}  // namespace entry

}  // namespace heddle::layer
