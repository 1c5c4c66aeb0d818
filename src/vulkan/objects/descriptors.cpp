#include "vulkan/objects/descriptors.hpp"

#include <algorithm>
#include <span>

#include "vulkan/device/limits.hpp"
#include "vulkan/generated/entry_points.hpp"
#include "vulkan/objects/image.hpp"
#include "vulkan/objects/memory.hpp"

namespace heddle::vulkan {

Descriptor make_descriptor(VkDescriptorType type, const VkDescriptorImageInfo* image,
                           const VkDescriptorBufferInfo* buffer, const VkBufferView* view,
                           const machine::SamplerResource& immutable) {
  Descriptor d;
  const auto sampler = [&] {
    if (immutable != nullptr)
      d.sampler = immutable;
    else if (image->sampler != VK_NULL_HANDLE)
      d.sampler = from_handle(image->sampler)->state;
  };
  const ImageView* shown =
      image != nullptr && type >= VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER && type <= VK_DESCRIPTOR_TYPE_STORAGE_IMAGE
          ? from_handle(image->imageView)
          : nullptr;
  d.object = reinterpret_cast<std::uint64_t>(shown);
  switch (type) {
    case VK_DESCRIPTOR_TYPE_SAMPLER:
      sampler();
      break;
    case VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER:
      sampler();
      [[fallthrough]];
    case VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE:
      if (shown != nullptr) d.surface = shown->sampled;
      break;
    case VK_DESCRIPTOR_TYPE_STORAGE_IMAGE:
      if (shown != nullptr) d.surface = shown->storage, d.samples = shown->samples;
      break;
    case VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT:
      if (const ImageView* attachment = from_handle(image->imageView)) d.surface = attachment->sampled;
      break;
    case VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER:
    case VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER:
      if (const BufferView* texels = from_handle(*view)) d.surface = texels->surface;
      break;
    case VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER:
    case VK_DESCRIPTOR_TYPE_STORAGE_BUFFER:
    case VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC:
    case VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC:
      if (const Buffer* of = from_handle(buffer->buffer)) {
        d.surface = raw_surface(of->memory, buffer->offset, buffer->range);
        d.range = buffer->range;
        d.object = reinterpret_cast<std::uint64_t>(of);
      }
      break;
    default:
      break;
  }
  return d;
}

namespace {

std::shared_ptr<const SetLayout> make_layout(const VkDescriptorSetLayoutCreateInfo& info) {
  auto layout = std::make_shared<SetLayout>();
  const auto* flags = find_in_chain<VkDescriptorSetLayoutBindingFlagsCreateInfo>(
      info.pNext, VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_BINDING_FLAGS_CREATE_INFO);
  for (std::uint32_t i = 0; i < info.bindingCount; ++i) {
    const VkDescriptorSetLayoutBinding& from = info.pBindings[i];
    SetLayout::Binding& to = layout->bindings[from.binding];
    to.type = from.descriptorType;
    to.count = from.descriptorCount;
    const bool samples = from.descriptorType == VK_DESCRIPTOR_TYPE_SAMPLER ||
                         from.descriptorType == VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER;
    if (samples && from.pImmutableSamplers != nullptr)
      for (std::uint32_t k = 0; k < from.descriptorCount; ++k)
        to.immutable.push_back(from_handle(from.pImmutableSamplers[k])->state);
    if (flags != nullptr && i < flags->bindingCount &&
        (flags->pBindingFlags[i] & VK_DESCRIPTOR_BINDING_VARIABLE_DESCRIPTOR_COUNT_BIT) != 0)
      layout->variable = true;
  }
  for (auto& [number, binding] : layout->bindings) {
    binding.first = layout->descriptors;
    layout->descriptors += binding.count;
    binding.dynamic = layout->dynamic_offsets;
    if (binding.is_dynamic()) layout->dynamic_offsets += binding.count;
  }
  return layout;
}

/// Takes what a set needs from its pool; false when it has not so much.
bool take(DescriptorPool& pool, DescriptorSet& set, std::uint32_t variable_count) {
  if (pool.sets_left == 0) return false;
  std::uint32_t number = 0;
  for (const auto& [n, binding] : set.layout->bindings) number = n;
  for (const auto& [n, binding] : set.layout->bindings)
    set.taken[binding.type] += set.layout->variable && n == number ? variable_count : binding.count;
  for (const auto& [type, count] : set.taken)
    if (count != 0 && pool.left[type] < count) return false;
  for (const auto& [type, count] : set.taken) pool.left[type] -= count;
  --pool.sets_left;
  return true;
}

void give_back(DescriptorPool& pool, DescriptorSet* set) {
  for (const auto& [type, count] : set->taken) pool.left[type] += count;
  ++pool.sets_left;
  pool.sets.erase(set);
}

VkResult allocate(const VkDescriptorSetAllocateInfo& info, VkDescriptorSet* out) {
  DescriptorPool& pool = *from_handle(info.descriptorPool);
  const auto* variable = find_in_chain<VkDescriptorSetVariableDescriptorCountAllocateInfo>(
      info.pNext, VK_STRUCTURE_TYPE_DESCRIPTOR_SET_VARIABLE_DESCRIPTOR_COUNT_ALLOCATE_INFO);
  for (std::uint32_t i = 0; i < info.descriptorSetCount; ++i) {
    auto set = std::make_unique<DescriptorSet>();
    set->layout = from_handle(info.pSetLayouts[i])->layout;
    const std::uint32_t count =
        variable != nullptr && i < variable->descriptorSetCount ? variable->pDescriptorCounts[i] : 0;
    if (!take(pool, *set, count)) {
      for (std::uint32_t k = 0; k < i; ++k) give_back(pool, from_handle(out[k]));
      std::fill(out, out + info.descriptorSetCount, VkDescriptorSet{});
      return VK_ERROR_OUT_OF_POOL_MEMORY;
    }
    set->descriptors.resize(set->layout->descriptors);
    for (const auto& [number, binding] : set->layout->bindings)
      for (std::size_t k = 0; k < binding.immutable.size(); ++k)
        set->descriptors[binding.first + k].sampler = binding.immutable[k];
    DescriptorSet* made = set.get();
    pool.sets.emplace(made, std::move(set));
    out[i] = to_handle(made);
  }
  return VK_SUCCESS;
}

void write_to(DescriptorSet& set, std::uint32_t number, std::uint32_t element, Descriptor descriptor) {
  const SetLayout::Binding& binding = *set.layout->find(number);
  set.descriptors[binding.first + element] = std::move(descriptor);
}

void copy(const VkCopyDescriptorSet& c) {
  const DescriptorSet& from = *from_handle(c.srcSet);
  DescriptorSet& to = *from_handle(c.dstSet);
  const SetLayout::Binding* source = from.layout->find(c.srcBinding);
  const SetLayout::Binding* target = to.layout->find(c.dstBinding);
  if (source == nullptr || target == nullptr) return;
  // Descriptors of bindings that follow each other lie one behind the other.
  for (std::uint32_t i = 0; i < c.descriptorCount; ++i) {
    const std::size_t at = std::size_t{source->first} + c.srcArrayElement + i;
    const std::size_t there = std::size_t{target->first} + c.dstArrayElement + i;
    if (at >= from.descriptors.size() || there >= to.descriptors.size()) return;
    const machine::SamplerResource own = to.descriptors[there].sampler;
    to.descriptors[there] = from.descriptors[at];
    if (c.dstArrayElement + i < target->immutable.size()) to.descriptors[there].sampler = own;
  }
}

}  // namespace

namespace entry {

VKAPI_ATTR VkResult VKAPI_CALL CreateDescriptorSetLayout(VkDevice, const VkDescriptorSetLayoutCreateInfo* pCreateInfo,
                                                         const VkAllocationCallbacks*,
                                                         VkDescriptorSetLayout* pSetLayout) {
  return guarded([&] {
    *pSetLayout = to_handle(new DescriptorSetLayout{make_layout(*pCreateInfo)});
    return VK_SUCCESS;
  });
}
VKAPI_ATTR void VKAPI_CALL DestroyDescriptorSetLayout(VkDevice, VkDescriptorSetLayout descriptorSetLayout,
                                                      const VkAllocationCallbacks*) {
  delete from_handle(descriptorSetLayout);
}
VKAPI_ATTR void VKAPI_CALL GetDescriptorSetLayoutSupport(VkDevice, const VkDescriptorSetLayoutCreateInfo* pCreateInfo,
                                                         VkDescriptorSetLayoutSupport* pSupport) {
  std::uint64_t count = 0;
  for (std::uint32_t i = 0; i < pCreateInfo->bindingCount; ++i) count += pCreateInfo->pBindings[i].descriptorCount;
  pSupport->supported = count <= kMostDescriptors ? VK_TRUE : VK_FALSE;
  if (auto* variable = find_out_chain<VkDescriptorSetVariableDescriptorCountLayoutSupport>(
          pSupport->pNext, VK_STRUCTURE_TYPE_DESCRIPTOR_SET_VARIABLE_DESCRIPTOR_COUNT_LAYOUT_SUPPORT))
    variable->maxVariableDescriptorCount = kMostDescriptors;
}

VKAPI_ATTR VkResult VKAPI_CALL CreateDescriptorPool(VkDevice, const VkDescriptorPoolCreateInfo* pCreateInfo,
                                                    const VkAllocationCallbacks*, VkDescriptorPool* pDescriptorPool) {
  return guarded([&] {
    auto pool = std::make_unique<DescriptorPool>();
    pool->most_sets = pool->sets_left = pCreateInfo->maxSets;
    for (const VkDescriptorPoolSize& size : std::span(pCreateInfo->pPoolSizes, pCreateInfo->poolSizeCount))
      pool->most[size.type] += size.descriptorCount;
    pool->left = pool->most;
    *pDescriptorPool = to_handle(pool.release());
    return VK_SUCCESS;
  });
}
VKAPI_ATTR void VKAPI_CALL DestroyDescriptorPool(VkDevice, VkDescriptorPool descriptorPool,
                                                 const VkAllocationCallbacks*) {
  delete from_handle(descriptorPool);
}
VKAPI_ATTR VkResult VKAPI_CALL ResetDescriptorPool(VkDevice, VkDescriptorPool descriptorPool,
                                                   VkDescriptorPoolResetFlags) {
  DescriptorPool& pool = *from_handle(descriptorPool);
  pool.sets.clear();
  pool.sets_left = pool.most_sets;
  pool.left = pool.most;
  return VK_SUCCESS;
}

VKAPI_ATTR VkResult VKAPI_CALL AllocateDescriptorSets(VkDevice, const VkDescriptorSetAllocateInfo* pAllocateInfo,
                                                      VkDescriptorSet* pDescriptorSets) {
  return guarded([&] { return allocate(*pAllocateInfo, pDescriptorSets); });
}
VKAPI_ATTR VkResult VKAPI_CALL FreeDescriptorSets(VkDevice, VkDescriptorPool descriptorPool,
                                                  uint32_t descriptorSetCount, const VkDescriptorSet* pDescriptorSets) {
  for (const VkDescriptorSet set : std::span(pDescriptorSets, descriptorSetCount))
    if (set != VK_NULL_HANDLE) give_back(*from_handle(descriptorPool), from_handle(set));
  return VK_SUCCESS;
}

VKAPI_ATTR void VKAPI_CALL UpdateDescriptorSets(VkDevice, uint32_t descriptorWriteCount,
                                                const VkWriteDescriptorSet* pDescriptorWrites,
                                                uint32_t descriptorCopyCount,
                                                const VkCopyDescriptorSet* pDescriptorCopies) {
  for (const VkWriteDescriptorSet& write : std::span(pDescriptorWrites, descriptorWriteCount)) {
    DescriptorSet& set = *from_handle(write.dstSet);
    for_each_written(*set.layout, write, [&](std::uint32_t number, std::uint32_t element, Descriptor descriptor) {
      write_to(set, number, element, std::move(descriptor));
    });
  }
  for (const VkCopyDescriptorSet& c : std::span(pDescriptorCopies, descriptorCopyCount)) copy(c);
}

VKAPI_ATTR VkResult VKAPI_CALL CreateDescriptorUpdateTemplate(VkDevice,
                                                              const VkDescriptorUpdateTemplateCreateInfo* pCreateInfo,
                                                              const VkAllocationCallbacks*,
                                                              VkDescriptorUpdateTemplate* pDescriptorUpdateTemplate) {
  return guarded([&] {
    auto made = std::make_unique<UpdateTemplate>();
    made->entries.assign(pCreateInfo->pDescriptorUpdateEntries,
                         pCreateInfo->pDescriptorUpdateEntries + pCreateInfo->descriptorUpdateEntryCount);
    if (pCreateInfo->templateType == VK_DESCRIPTOR_UPDATE_TEMPLATE_TYPE_PUSH_DESCRIPTORS_KHR) {
      made->set = pCreateInfo->set;
      made->layout = from_handle(pCreateInfo->pipelineLayout)->sets.at(pCreateInfo->set);
    }
    *pDescriptorUpdateTemplate = to_handle(made.release());
    return VK_SUCCESS;
  });
}
VKAPI_ATTR void VKAPI_CALL DestroyDescriptorUpdateTemplate(VkDevice,
                                                           VkDescriptorUpdateTemplate descriptorUpdateTemplate,
                                                           const VkAllocationCallbacks*) {
  delete from_handle(descriptorUpdateTemplate);
}
VKAPI_ATTR void VKAPI_CALL UpdateDescriptorSetWithTemplate(VkDevice, VkDescriptorSet descriptorSet,
                                                           VkDescriptorUpdateTemplate descriptorUpdateTemplate,
                                                           const void* pData) {
  DescriptorSet& set = *from_handle(descriptorSet);
  for_each_written(*set.layout, *from_handle(descriptorUpdateTemplate), pData,
                   [&](std::uint32_t number, std::uint32_t element, Descriptor descriptor) {
                     write_to(set, number, element, std::move(descriptor));
                   });
}

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
VKAPI_ATTR void VKAPI_CALL DestroyPipelineLayout(VkDevice, VkPipelineLayout pipelineLayout,
                                                 const VkAllocationCallbacks*) {
  delete from_handle(pipelineLayout);
}

}  // namespace entry
}  // namespace heddle::vulkan
