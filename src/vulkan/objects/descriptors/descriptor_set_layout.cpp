// SPDX-License-Identifier: MIT
#include "vulkan/objects/descriptors/descriptor_set_layout.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <span>

#include "vulkan/device/device.hpp"
#include "vulkan/device/properties/limits.hpp"
#include "vulkan/generated/entry_points.hpp"
#include "vulkan/objects/descriptors/stored_descriptor.hpp"
#include "vulkan/objects/images/sampler.hpp"
#include "vulkan/objects/memory/requirements.hpp"

namespace heddle::vulkan {

bool SetLayout::Binding::operator==(const Binding& other) const {
  const auto same = [](const machine::SamplerResource& a, const machine::SamplerResource& b) {
    return a.identity() == b.identity();
  };
  return type == other.type && count == other.count && bytes == other.bytes && first == other.first &&
         dynamic == other.dynamic && place == other.place && stored == other.stored && types == other.types &&
         std::ranges::equal(immutable, other.immutable, same) && planes == other.planes;
}

std::size_t SetLayout::search(std::uint32_t number) const {
  const auto found = std::ranges::lower_bound(bindings, number, {}, [](const auto& b) { return b.first; });
  if (found == bindings.end() || found->first != number) return bindings.size();
  return static_cast<std::size_t>(found - bindings.begin());
}

namespace {

std::uint64_t count_of(const VkDescriptorSetLayoutCreateInfo& info) {
  std::uint64_t count = 0;
  for (const VkDescriptorSetLayoutBinding& b : std::span(info.pBindings, info.bindingCount))
    count += is_inline(b.descriptorType) ? 1 : b.descriptorCount;
  return count;
}

bool has_flag(const VkDescriptorSetLayoutBindingFlagsCreateInfo* flags, std::uint32_t binding,
              VkDescriptorBindingFlags any) {
  return flags != nullptr && binding < flags->bindingCount && (flags->pBindingFlags[binding] & any) != 0;
}
bool is_variable(const VkDescriptorSetLayoutBindingFlagsCreateInfo* flags, std::uint32_t binding) {
  return has_flag(flags, binding, VK_DESCRIPTOR_BINDING_VARIABLE_DESCRIPTOR_COUNT_BIT);
}
constexpr VkDescriptorBindingFlags kConcurrent =
    VK_DESCRIPTOR_BINDING_UPDATE_AFTER_BIND_BIT | VK_DESCRIPTOR_BINDING_UPDATE_UNUSED_WHILE_PENDING_BIT;

/// What the samplers of a binding do with planes; nothing where none has a conversion.
std::vector<spirv::SampledPlanes> planes_of(const VkDescriptorSetLayoutBinding& from) {
  std::vector<spirv::SampledPlanes> planes;
  for (std::uint32_t k = 0; k < from.descriptorCount; ++k)
    planes.push_back(from_handle(from.pImmutableSamplers[k])->planes);
  if (std::ranges::all_of(planes, [](const spirv::SampledPlanes& p) { return p.planes == 0; })) planes.clear();
  return planes;
}

/// The types that descriptors of a binding may have, a bit each: of a mutable one those that are listed.
std::uint32_t types_of(const VkDescriptorSetLayoutCreateInfo& info, std::uint32_t at) {
  const auto bit = [](VkDescriptorType type) { return is_stored(type) ? 1u << type : 0u; };
  if (info.pBindings[at].descriptorType != VK_DESCRIPTOR_TYPE_MUTABLE_EXT)
    return bit(info.pBindings[at].descriptorType);
  const auto* lists = find_in_chain<VkMutableDescriptorTypeCreateInfoEXT>(
      info.pNext, VK_STRUCTURE_TYPE_MUTABLE_DESCRIPTOR_TYPE_CREATE_INFO_EXT);
  std::uint32_t types = 0;
  if (lists == nullptr || at >= lists->mutableDescriptorTypeListCount) return types;
  const VkMutableDescriptorTypeListEXT& list = lists->pMutableDescriptorTypeLists[at];
  for (const VkDescriptorType type : std::span(list.pDescriptorTypes, list.descriptorTypeCount)) types |= bit(type);
  return types;
}

/// Where the bindings lie in descriptor buffers, one behind the other.
void place_bindings(SetLayout& layout) {
  for (auto& [number, binding] : layout.bindings) {
    if (layout.embedded) break;
    const bool block = is_inline(binding.type);
    binding.stored = block ? binding.bytes : stored_bytes(binding.types);
    layout.stored = aligned(layout.stored, kStoredDescriptorBytes);
    binding.place = layout.stored;
    layout.stored += std::uint64_t{binding.stored} * binding.count;
  }
}

/// Null when it has more descriptors than the driver offers.
std::shared_ptr<const SetLayout> make_layout(const VkDescriptorSetLayoutCreateInfo& info) {
  if (count_of(info) > kMaxDescriptors) return nullptr;
  auto layout = std::make_shared<SetLayout>();
  const auto* flags = find_in_chain<VkDescriptorSetLayoutBindingFlagsCreateInfo>(
      info.pNext, VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_BINDING_FLAGS_CREATE_INFO);
  layout->embedded = (info.flags & VK_DESCRIPTOR_SET_LAYOUT_CREATE_EMBEDDED_IMMUTABLE_SAMPLERS_BIT_EXT) != 0;
  std::map<std::uint32_t, SetLayout::Binding> bindings;
  for (std::uint32_t i = 0; i < info.bindingCount; ++i) {
    const VkDescriptorSetLayoutBinding& from = info.pBindings[i];
    SetLayout::Binding& to = bindings[from.binding];
    to.type = from.descriptorType;
    to.types = types_of(info, i);
    to.count = is_inline(from.descriptorType) ? 1 : from.descriptorCount;
    to.bytes = is_inline(from.descriptorType) ? std::min(from.descriptorCount, kInlineBlockBytes) : 0;
    const bool samples = from.descriptorType == VK_DESCRIPTOR_TYPE_SAMPLER ||
                         from.descriptorType == VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER;
    if (samples && from.pImmutableSamplers != nullptr)
      for (std::uint32_t k = 0; k < from.descriptorCount; ++k)
        to.immutable.push_back(from_handle(from.pImmutableSamplers[k])->state);
    if (samples && from.pImmutableSamplers != nullptr) to.planes = planes_of(from);
    if (is_variable(flags, i)) layout->variable = true;
    if (has_flag(flags, i, kConcurrent)) layout->concurrent = true;
  }
  layout->bindings.assign(std::make_move_iterator(bindings.begin()), std::make_move_iterator(bindings.end()));
  while (layout->numbered < layout->bindings.size() && layout->bindings[layout->numbered].first == layout->numbered)
    ++layout->numbered;
  for (auto& [number, binding] : layout->bindings) {
    binding.first = layout->descriptors;
    layout->descriptors += binding.count;
    binding.dynamic = layout->dynamic_offsets;
    if (binding.is_dynamic()) layout->dynamic_offsets += binding.count;
  }
  place_bindings(*layout);
  return layout;
}

}  // namespace

namespace entry {

VKAPI_ATTR VkResult VKAPI_CALL CreateDescriptorSetLayout(VkDevice, const VkDescriptorSetLayoutCreateInfo* pCreateInfo,
                                                         const VkAllocationCallbacks*,
                                                         VkDescriptorSetLayout* pSetLayout) {
  return guarded([&] {
    std::shared_ptr<const SetLayout> layout = make_layout(*pCreateInfo);
    if (layout == nullptr) return VK_ERROR_OUT_OF_DEVICE_MEMORY;
    *pSetLayout = to_handle(new DescriptorSetLayout{std::move(layout)});
    return VK_SUCCESS;
  });
}
VKAPI_ATTR void VKAPI_CALL DestroyDescriptorSetLayout(VkDevice device, VkDescriptorSetLayout descriptorSetLayout,
                                                      const VkAllocationCallbacks*) {
  destroy(device, from_handle(descriptorSetLayout));
}
VKAPI_ATTR void VKAPI_CALL GetDescriptorSetLayoutSupport(VkDevice, const VkDescriptorSetLayoutCreateInfo* pCreateInfo,
                                                         VkDescriptorSetLayoutSupport* pSupport) {
  std::uint64_t fixed = 0;
  bool any_variable = false;
  std::uint64_t most_variable = kMaxDescriptors;
  const auto* flags = find_in_chain<VkDescriptorSetLayoutBindingFlagsCreateInfo>(
      pCreateInfo->pNext, VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_BINDING_FLAGS_CREATE_INFO);
  for (std::uint32_t i = 0; i < pCreateInfo->bindingCount; ++i)
    if (is_variable(flags, i)) {
      any_variable = true;
      if (is_inline(pCreateInfo->pBindings[i].descriptorType)) most_variable = kInlineBlockBytes;
    } else {
      fixed += is_inline(pCreateInfo->pBindings[i].descriptorType) ? 1 : pCreateInfo->pBindings[i].descriptorCount;
    }
  bool small = true;
  for (const VkDescriptorSetLayoutBinding& b : std::span(pCreateInfo->pBindings, pCreateInfo->bindingCount))
    small = small && (!is_inline(b.descriptorType) || b.descriptorCount <= kInlineBlockBytes);
  pSupport->supported = small && count_of(*pCreateInfo) <= kMaxDescriptors ? VK_TRUE : VK_FALSE;
  if (auto* variable = find_out_chain<VkDescriptorSetVariableDescriptorCountLayoutSupport>(
          pSupport->pNext, VK_STRUCTURE_TYPE_DESCRIPTOR_SET_VARIABLE_DESCRIPTOR_COUNT_LAYOUT_SUPPORT))
    variable->maxVariableDescriptorCount =
        any_variable && fixed <= kMaxDescriptors
            ? static_cast<std::uint32_t>(std::min(most_variable, kMaxDescriptors - fixed))
            : 0;
}

}  // namespace entry
}  // namespace heddle::vulkan
