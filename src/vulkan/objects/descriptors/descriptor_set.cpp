#include "vulkan/objects/descriptors/descriptor_set.hpp"

#include <algorithm>
#include <cstring>
#include <span>

#include "vulkan/device/device.hpp"
#include "vulkan/device/limits.hpp"
#include "vulkan/generated/entry_points.hpp"
#include "vulkan/objects/images/image.hpp"
#include "vulkan/objects/memory/device_memory.hpp"

namespace heddle::vulkan {

bool SetLayout::Binding::operator==(const Binding& other) const {
  const auto same = [](const machine::SamplerResource& a, const machine::SamplerResource& b) {
    return a.identity() == b.identity();
  };
  return type == other.type && count == other.count && bytes == other.bytes && first == other.first &&
         dynamic == other.dynamic && std::ranges::equal(immutable, other.immutable, same) && planes == other.planes;
}

std::size_t SetLayout::search(std::uint32_t number) const {
  const auto found = std::ranges::lower_bound(bindings, number, {}, [](const auto& b) { return b.first; });
  if (found == bindings.end() || found->first != number) return bindings.size();
  return static_cast<std::size_t>(found - bindings.begin());
}

const machine::SurfaceResource& ready_surface(Descriptor& descriptor) {
  if (!descriptor.surface && descriptor.memory)
    descriptor.surface = raw_surface(descriptor.memory, descriptor.offset, descriptor.range);
  return descriptor.surface;
}

namespace {

constexpr bool is_buffer(VkDescriptorType type) {
  return type >= VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER && type <= VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC;
}

template <typename T>
void set_resource(machine::Resource<T>& to, const machine::Resource<T>& from) {
  if (to.identity() != from.identity()) to = from;
}

void write_buffer(Descriptor& to, const VkDescriptorBufferInfo& from) {
  const Buffer* of = from_handle(from.buffer);
  to.object = reinterpret_cast<std::uint64_t>(of);
  to.offset = from.offset;
  to.range = from.range;
  if (to.surface) to.surface = nullptr;
  if (of == nullptr)
    to.memory = nullptr;
  else if (to.memory != of->memory)
    to.memory = of->memory;
}

}  // namespace

void write_descriptor(Descriptor& to, const WrittenDescriptor& from, const machine::SamplerResource* immutable) {
  const bool is_texels =
      from.type == VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER || from.type == VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER;
  const void* const said = is_texels              ? static_cast<const void*>(from.view)
                           : is_buffer(from.type) ? static_cast<const void*>(from.buffer)
                                                  : from.image;
  if (said == nullptr) return;
  const auto sampler = [&] {
    if (immutable != nullptr)
      set_resource(to.sampler, *immutable);
    else if (from.image->sampler != VK_NULL_HANDLE)
      set_resource(to.sampler, from_handle(from.image->sampler)->state);
    else
      to.sampler = nullptr;
  };
  const auto view = [&](machine::SurfaceResource ImageView::* shows) -> const ImageView* {
    const ImageView* shown = from_handle(from.image->imageView);
    to.object = reinterpret_cast<std::uint64_t>(shown);
    to.layout = from.image->imageLayout;
    set_resource(to.surface, shown == nullptr ? machine::SurfaceResource() : shown->*shows);
    return shown;
  };
  switch (from.type) {
    case VK_DESCRIPTOR_TYPE_SAMPLER:
      sampler();
      break;
    case VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER:
      sampler();
      if (const ImageView* shown = view(&ImageView::sampled); shown != nullptr && shown->planes[0])
        to.planes = std::make_shared<const std::array<machine::SurfaceResource, 2>>(shown->planes);
      else
        to.planes = nullptr;
      break;
    case VK_DESCRIPTOR_TYPE_SAMPLED_IMAGE:
    case VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT:
      (void)view(&ImageView::sampled);
      break;
    case VK_DESCRIPTOR_TYPE_STORAGE_IMAGE: {
      const ImageView* shown = view(&ImageView::storage);
      set_resource(to.samples, shown == nullptr ? machine::SurfaceResource() : shown->samples);
      break;
    }
    case VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER:
    case VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER: {
      const BufferView* texels = from_handle(*from.view);
      set_resource(to.surface, texels == nullptr ? machine::SurfaceResource() : texels->surface);
      break;
    }
    case VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER:
    case VK_DESCRIPTOR_TYPE_STORAGE_BUFFER:
    case VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC:
    case VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC:
      write_buffer(to, *from.buffer);
      break;
    default:
      break;
  }
}

namespace {

constexpr bool is_inline(VkDescriptorType type) { return type == VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK; }

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

/// Null when it has more descriptors than the driver offers.
std::shared_ptr<const SetLayout> make_layout(const VkDescriptorSetLayoutCreateInfo& info) {
  if (count_of(info) > kMaxDescriptors) return nullptr;
  auto layout = std::make_shared<SetLayout>();
  const auto* flags = find_in_chain<VkDescriptorSetLayoutBindingFlagsCreateInfo>(
      info.pNext, VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_BINDING_FLAGS_CREATE_INFO);
  std::map<std::uint32_t, SetLayout::Binding> bindings;
  for (std::uint32_t i = 0; i < info.bindingCount; ++i) {
    const VkDescriptorSetLayoutBinding& from = info.pBindings[i];
    SetLayout::Binding& to = bindings[from.binding];
    to.type = from.descriptorType;
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
  return layout;
}

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

/// Device::descriptors, where it is needed: without it a write costs half.
class DescriptorLock {
 public:
  DescriptorLock(Device& device, bool needed) : mutex_(needed ? &device.descriptors : nullptr) {
    if (mutex_ != nullptr) mutex_->lock();
  }
  ~DescriptorLock() {
    if (mutex_ != nullptr) mutex_->unlock();
  }
  DescriptorLock(const DescriptorLock&) = delete;
  DescriptorLock& operator=(const DescriptorLock&) = delete;

 private:
  std::mutex* mutex_;
};

/// The most frequent write, by the shortest way: one buffer into its binding. False where it is another one.
bool write_one_buffer(DescriptorSet& set, const VkWriteDescriptorSet& from) {
  const SetLayout& layout = *set.layout;
  if (from.descriptorCount != 1 || !is_buffer(from.descriptorType) || from.dstBinding >= layout.numbered ||
      from.pBufferInfo == nullptr)
    return false;
  const SetLayout::Binding& binding = layout.bindings[from.dstBinding].second;
  const std::size_t at = std::size_t{binding.first} + from.dstArrayElement;
  if (from.dstArrayElement >= binding.count || at >= set.descriptors.size()) return false;
  ++set.changes;
  write_buffer(set.descriptors[at], *from.pBufferInfo);
  return true;
}

template <typename... From>
void write_all(DescriptorSet& set, const From&... from) {
  ++set.changes;
  for_each_written(*set.layout, from...,
                   [&](std::size_t at, const WrittenDescriptor& written, const machine::SamplerResource* immutable) {
                     if (at < set.descriptors.size()) write_descriptor(set.descriptors[at], written, immutable);
                   });
}

/// The bytes of a set's inline uniform block from `offset` on; empty: it has none.
std::span<std::uint8_t> block_bytes(const DescriptorSet& set, std::uint32_t number, std::uint32_t offset) {
  const SetLayout::Binding* binding = set.layout->find(number);
  if (binding == nullptr || !is_inline(binding->type) || offset > binding->bytes) return {};
  if (binding->first >= set.descriptors.size() || !set.descriptors[binding->first].surface) return {};
  return std::span<std::uint8_t>(*set.descriptors[binding->first].surface->memory).subspan(offset);
}

void write_block(const DescriptorSet& set, std::uint32_t number, std::uint32_t offset, const void* data,
                 std::size_t size) {
  const std::span<std::uint8_t> to = block_bytes(set, number, offset);
  if (size != 0 && size <= to.size()) std::memcpy(to.data(), data, size);
}

void copy(const VkCopyDescriptorSet& c) {
  const DescriptorSet& from = *from_handle(c.srcSet);
  DescriptorSet& to = *from_handle(c.dstSet);
  const SetLayout::Binding* source = from.layout->find(c.srcBinding);
  const SetLayout::Binding* target = to.layout->find(c.dstBinding);
  if (source == nullptr || target == nullptr) return;
  if (is_inline(source->type)) {
    const std::span<std::uint8_t> bytes = block_bytes(from, c.srcBinding, c.srcArrayElement);
    if (c.descriptorCount <= bytes.size())
      write_block(to, c.dstBinding, c.dstArrayElement, bytes.data(), c.descriptorCount);
    return;
  }
  ++to.changes;
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

void forget_sets(VkDevice device, const DescriptorPool& pool) {
  for (const auto& [set, owner] : pool.sets) from_handle(device)->forget(reinterpret_cast<std::uint64_t>(set));
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

VKAPI_ATTR void VKAPI_CALL UpdateDescriptorSets(VkDevice device, uint32_t descriptorWriteCount,
                                                const VkWriteDescriptorSet* pDescriptorWrites,
                                                uint32_t descriptorCopyCount,
                                                const VkCopyDescriptorSet* pDescriptorCopies) {
  for (const VkWriteDescriptorSet& write : std::span(pDescriptorWrites, descriptorWriteCount)) {
    if (write.dstSet == VK_NULL_HANDLE) continue;
    DescriptorSet& set = *from_handle(write.dstSet);
    if (!set.layout->concurrent && write_one_buffer(set, write)) continue;
    if (is_inline(write.descriptorType)) {
      const auto* block = find_in_chain<VkWriteDescriptorSetInlineUniformBlock>(
          write.pNext, VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET_INLINE_UNIFORM_BLOCK);
      if (block != nullptr) write_block(set, write.dstBinding, write.dstArrayElement, block->pData, block->dataSize);
      continue;
    }
    const DescriptorLock lock(*from_handle(device), set.layout->concurrent);
    write_all(set, write);
  }
  if (descriptorCopyCount == 0) return;
  const std::lock_guard lock(from_handle(device)->descriptors);
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
      made->point = pCreateInfo->pipelineBindPoint;
      made->set = pCreateInfo->set;
      made->layout = from_handle(pCreateInfo->pipelineLayout)->sets.at(pCreateInfo->set);
    }
    *pDescriptorUpdateTemplate = to_handle(made.release());
    return VK_SUCCESS;
  });
}
VKAPI_ATTR void VKAPI_CALL DestroyDescriptorUpdateTemplate(VkDevice device,
                                                           VkDescriptorUpdateTemplate descriptorUpdateTemplate,
                                                           const VkAllocationCallbacks*) {
  destroy(device, from_handle(descriptorUpdateTemplate));
}
VKAPI_ATTR void VKAPI_CALL UpdateDescriptorSetWithTemplate(VkDevice device, VkDescriptorSet descriptorSet,
                                                           VkDescriptorUpdateTemplate descriptorUpdateTemplate,
                                                           const void* pData) {
  DescriptorSet& set = *from_handle(descriptorSet);
  for (const VkDescriptorUpdateTemplateEntry& entry : from_handle(descriptorUpdateTemplate)->entries)
    if (is_inline(entry.descriptorType))
      write_block(set, entry.dstBinding, entry.dstArrayElement, static_cast<const std::byte*>(pData) + entry.offset,
                  entry.descriptorCount);
  const DescriptorLock lock(*from_handle(device), set.layout->concurrent);
  write_all(set, *from_handle(descriptorUpdateTemplate), pData);
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
VKAPI_ATTR void VKAPI_CALL DestroyPipelineLayout(VkDevice device, VkPipelineLayout pipelineLayout,
                                                 const VkAllocationCallbacks*) {
  destroy(device, from_handle(pipelineLayout));
}

}  // namespace entry
}  // namespace heddle::vulkan
