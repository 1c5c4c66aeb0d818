// SPDX-License-Identifier: MIT
// Descriptor pools, sets and what is written to them.
#include "layer/descriptors.hpp"

#include <algorithm>
#include <cstring>

#include "layer/entry_points.hpp"

namespace heddle::layer {
namespace {

// --- pools ----------------------------------------------------------------------------------------------------------

VKAPI_ATTR VkResult VKAPI_CALL create_pool(VkDevice handle, const VkDescriptorPoolCreateInfo* info,
                                           const VkAllocationCallbacks* allocator, VkDescriptorPool* made) {
  const std::shared_ptr<Device> device = find_device(handle);
  if (!device->active) return device->next.CreateDescriptorPool(handle, info, allocator, made);
  return guarded([&] {
    VkDescriptorPoolCreateInfo larger = *info;
    std::vector<VkDescriptorPoolSize> sizes(info->pPoolSizes, info->pPoolSizes + info->poolSizeCount);
    sizes.push_back({VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, std::max(info->maxSets, 1u)});
    larger.poolSizeCount = static_cast<std::uint32_t>(sizes.size());
    larger.pPoolSizes = sizes.data();
    const bool frees = (info->flags & VK_DESCRIPTOR_POOL_CREATE_FREE_DESCRIPTOR_SET_BIT) != 0;
    const VkResult result = device->next.CreateDescriptorPool(handle, &larger, allocator, made);
    if (result != VK_SUCCESS) return result;
    const std::lock_guard lock(device->mutex);
    device->pools[*made] = {frees, {}};
    return result;
  });
}

/// device.mutex is held.
void forget_sets(Device& device, RecordPool& pool) {
  for (const VkDescriptorSet set : pool.sets)
    if (const auto found = device.sets.find(set); found != device.sets.end()) {
      device.records.give_back(found->second.slice);
      device.sets.erase(found);
    }
  pool.sets.clear();
}

// Handles are forgotten before the driver has them back: it may give them to another thread at once.
VKAPI_ATTR VkResult VKAPI_CALL reset_pool(VkDevice handle, VkDescriptorPool pool, VkDescriptorPoolResetFlags flags) {
  const std::shared_ptr<Device> device = find_device(handle);
  {
    const std::lock_guard lock(device->mutex);
    if (const auto found = device->pools.find(pool); found != device->pools.end()) forget_sets(*device, found->second);
  }
  return device->next.ResetDescriptorPool(handle, pool, flags);
}

VKAPI_ATTR void VKAPI_CALL destroy_pool(VkDevice handle, VkDescriptorPool pool,
                                        const VkAllocationCallbacks* allocator) {
  const std::shared_ptr<Device> device = find_device(handle);
  {
    const std::lock_guard lock(device->mutex);
    if (const auto found = device->pools.find(pool); found != device->pools.end()) {
      forget_sets(*device, found->second);
      device->pools.erase(found);
    }
  }
  device->next.DestroyDescriptorPool(handle, pool, allocator);
}

// --- records --------------------------------------------------------------------------------------------------------

void put_record(const RecordSet& set, std::uint32_t index, const SamplerRecord& record) {
  std::memcpy(set.slice.bytes + std::size_t{index} * sizeof record, record.data(), sizeof record);
}

SamplerRecord get_record(const RecordSet& set, std::uint32_t index) {
  SamplerRecord record{};
  std::memcpy(record.data(), set.slice.bytes + std::size_t{index} * sizeof record, sizeof record);
  return record;
}

/// The elements of a layout from one on: Vulkan goes on with the next binding where one ends.
class Elements {
 public:
  Elements(const SetLayout& layout, std::uint32_t binding, std::uint32_t element) : element_(element) {
    const LayoutBinding* first = layout.find(binding);
    at_ = first;
    end_ = first == nullptr ? nullptr : layout.samplers.data() + layout.samplers.size();
  }
  /// The next element's record, and whether the sampler is immutable; false where there is none.
  bool next(std::uint32_t& record, bool& immutable) {
    while (at_ != end_ && element_ >= at_->count) {
      element_ -= at_->count;
      ++at_;
    }
    if (at_ == end_) return false;
    record = at_->first_record + element_++;
    immutable = !at_->constants.empty();
    return true;
  }

 private:
  const LayoutBinding* at_ = nullptr;
  const LayoutBinding* end_ = nullptr;
  std::uint32_t element_;
};

void fill_records(const Device& device, const RecordSet& set) {
  for (const LayoutBinding& b : set.layout->samplers)
    for (std::uint32_t k = 0; k < b.count; ++k)
      put_record(set, b.first_record + k, b.constants.empty() ? device.unknown : b.constants[k]);
}

// --- sets -----------------------------------------------------------------------------------------------------------

void write_hidden(const Device& device, VkDescriptorSet handle, const RecordSet& set) {
  const VkDescriptorBufferInfo buffer{set.slice.buffer, set.slice.offset,
                                      VkDeviceSize{set.layout->records} * sizeof(SamplerRecord)};
  VkWriteDescriptorSet write{VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET};
  write.dstSet = handle;
  write.dstBinding = *set.layout->hidden;
  write.descriptorCount = 1;
  write.descriptorType = VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER;
  write.pBufferInfo = &buffer;
  device.next.UpdateDescriptorSets(device.handle, 1, &write, 0, nullptr);
}

/// device.mutex is held.
VkResult add_set(Device& device, VkDescriptorPool pool, VkDescriptorSetLayout layout, VkDescriptorSet handle) {
  const auto found = device.set_layouts.find(layout);
  const auto records = device.pools.find(pool);
  if (found == device.set_layouts.end() || !found->second->hidden || records == device.pools.end()) return VK_SUCCESS;
  RecordSet set{found->second, pool, {}};
  const VkResult result = device.records.allocate(set.layout->records, set.slice);
  if (result != VK_SUCCESS) return result;
  records->second.sets.insert(handle);
  fill_records(device, set);
  write_hidden(device, handle, set);
  device.sets[handle] = std::move(set);
  return VK_SUCCESS;
}

/// device.mutex is held.
void remove_set(Device& device, VkDescriptorSet handle) {
  const auto found = device.sets.find(handle);
  if (found == device.sets.end()) return;
  device.records.give_back(found->second.slice);
  if (const auto pool = device.pools.find(found->second.pool); pool != device.pools.end())
    pool->second.sets.erase(handle);
  device.sets.erase(found);
}

VKAPI_ATTR VkResult VKAPI_CALL allocate_sets(VkDevice handle, const VkDescriptorSetAllocateInfo* info,
                                             VkDescriptorSet* sets) {
  const std::shared_ptr<Device> device = find_device(handle);
  const VkResult result = device->next.AllocateDescriptorSets(handle, info, sets);
  if (result != VK_SUCCESS || !device->active) return result;
  const std::lock_guard lock(device->mutex);
  VkResult added = VK_SUCCESS;
  for (std::uint32_t k = 0; k < info->descriptorSetCount && added == VK_SUCCESS; ++k)
    added = guarded([&] { return add_set(*device, info->descriptorPool, info->pSetLayouts[k], sets[k]); });
  if (added == VK_SUCCESS) return added;
  // No room for records. Without the flag the sets stay with the pool until it is reset.
  for (std::uint32_t k = 0; k < info->descriptorSetCount; ++k) remove_set(*device, sets[k]);
  const auto pool = device->pools.find(info->descriptorPool);
  if (pool != device->pools.end() && pool->second.frees)
    device->next.FreeDescriptorSets(handle, info->descriptorPool, info->descriptorSetCount, sets);
  std::fill_n(sets, info->descriptorSetCount, VkDescriptorSet{});
  return added;
}

VKAPI_ATTR VkResult VKAPI_CALL free_sets(VkDevice handle, VkDescriptorPool pool, std::uint32_t count,
                                         const VkDescriptorSet* sets) {
  const std::shared_ptr<Device> device = find_device(handle);
  const VkResult removed = guarded([&] {
    const std::lock_guard lock(device->mutex);
    for (std::uint32_t k = 0; k < count; ++k)
      if (sets[k] != VK_NULL_HANDLE) remove_set(*device, sets[k]);
    return VK_SUCCESS;
  });
  const VkResult result = device->next.FreeDescriptorSets(handle, pool, count, sets);
  return removed == VK_SUCCESS ? result : removed;
}

// --- writes ---------------------------------------------------------------------------------------------------------

/// Samplers of `count` descriptors that lie `stride` bytes apart; device.mutex is held.
void write_samplers(const Device& device, VkDescriptorSet handle, std::uint32_t binding, std::uint32_t element,
                    std::uint32_t count, const void* infos, std::size_t stride) {
  const auto set = device.sets.find(handle);
  if (set == device.sets.end() || infos == nullptr) return;
  Elements elements(*set->second.layout, binding, element);
  std::uint32_t index = 0;
  bool immutable = false;
  for (std::uint32_t k = 0; k < count && elements.next(index, immutable); ++k) {
    if (immutable) continue;
    VkDescriptorImageInfo info{};
    std::memcpy(&info, static_cast<const std::uint8_t*>(infos) + k * stride, sizeof info);
    const auto known = device.samplers.find(info.sampler);
    put_record(set->second, index, known == device.samplers.end() ? device.unknown : known->second.record);
  }
}

/// device.mutex is held.
void copy_samplers(const Device& device, const VkCopyDescriptorSet& copy) {
  const auto to = device.sets.find(copy.dstSet), from = device.sets.find(copy.srcSet);
  if (to == device.sets.end()) return;
  Elements targets(*to->second.layout, copy.dstBinding, copy.dstArrayElement);
  static const SetLayout kNothing;
  Elements sources(from == device.sets.end() ? kNothing : *from->second.layout, copy.srcBinding, copy.srcArrayElement);
  std::uint32_t target = 0, source = 0;
  bool immutable = false, of_source = false;
  for (std::uint32_t k = 0; k < copy.descriptorCount && targets.next(target, immutable); ++k) {
    const bool known = sources.next(source, of_source);
    if (!immutable) put_record(to->second, target, known ? get_record(from->second, source) : device.unknown);
  }
}

VKAPI_ATTR void VKAPI_CALL update_sets(VkDevice handle, std::uint32_t writes, const VkWriteDescriptorSet* write,
                                       std::uint32_t copies, const VkCopyDescriptorSet* copy) {
  const std::shared_ptr<Device> device = find_device(handle);
  device->next.UpdateDescriptorSets(handle, writes, write, copies, copy);
  if (!device->active) return;
  const std::lock_guard lock(device->mutex);
  for (std::uint32_t k = 0; k < writes; ++k)
    if (has_sampler(write[k].descriptorType))
      write_samplers(*device, write[k].dstSet, write[k].dstBinding, write[k].dstArrayElement, write[k].descriptorCount,
                     write[k].pImageInfo, sizeof(VkDescriptorImageInfo));
  for (std::uint32_t k = 0; k < copies; ++k) copy_samplers(*device, copy[k]);
}

// --- templates ------------------------------------------------------------------------------------------------------

VkResult create_template(PFN_vkCreateDescriptorUpdateTemplate next, Device& device,
                         const VkDescriptorUpdateTemplateCreateInfo* info, const VkAllocationCallbacks* allocator,
                         VkDescriptorUpdateTemplate* made) {
  const VkResult result = next(device.handle, info, allocator, made);
  if (result != VK_SUCCESS || !device.active || info->templateType != VK_DESCRIPTOR_UPDATE_TEMPLATE_TYPE_DESCRIPTOR_SET)
    return result;
  return guarded([&] {
    UpdateTemplate kept;
    std::copy_if(info->pDescriptorUpdateEntries, info->pDescriptorUpdateEntries + info->descriptorUpdateEntryCount,
                 std::back_inserter(kept.entries),
                 [](const VkDescriptorUpdateTemplateEntry& e) { return has_sampler(e.descriptorType); });
    const std::lock_guard lock(device.mutex);
    device.templates[*made] = std::move(kept);
    return result;
  });
}

void forget_template(Device& device, VkDescriptorUpdateTemplate handle) {
  const std::lock_guard lock(device.mutex);
  device.templates.erase(handle);
}

void write_by_template(Device& device, VkDescriptorSet set, VkDescriptorUpdateTemplate handle, const void* data) {
  const std::lock_guard lock(device.mutex);
  const auto found = device.templates.find(handle);
  if (found == device.templates.end()) return;
  for (const VkDescriptorUpdateTemplateEntry& e : found->second.entries)
    write_samplers(device, set, e.dstBinding, e.dstArrayElement, e.descriptorCount,
                   static_cast<const std::uint8_t*>(data) + e.offset, e.stride);
}

// Twice: of Vulkan 1.1, and of the extension that it comes from.
VKAPI_ATTR VkResult VKAPI_CALL make_template(VkDevice handle, const VkDescriptorUpdateTemplateCreateInfo* info,
                                             const VkAllocationCallbacks* allocator, VkDescriptorUpdateTemplate* made) {
  const std::shared_ptr<Device> device = find_device(handle);
  return create_template(device->next.CreateDescriptorUpdateTemplate, *device, info, allocator, made);
}
VKAPI_ATTR VkResult VKAPI_CALL make_template_khr(VkDevice handle, const VkDescriptorUpdateTemplateCreateInfo* info,
                                                 const VkAllocationCallbacks* allocator,
                                                 VkDescriptorUpdateTemplate* made) {
  const std::shared_ptr<Device> device = find_device(handle);
  return create_template(device->next.CreateDescriptorUpdateTemplateKHR, *device, info, allocator, made);
}
VKAPI_ATTR void VKAPI_CALL destroy_template(VkDevice handle, VkDescriptorUpdateTemplate made,
                                            const VkAllocationCallbacks* allocator) {
  const std::shared_ptr<Device> device = find_device(handle);
  forget_template(*device, made);
  device->next.DestroyDescriptorUpdateTemplate(handle, made, allocator);
}
VKAPI_ATTR void VKAPI_CALL destroy_template_khr(VkDevice handle, VkDescriptorUpdateTemplate made,
                                                const VkAllocationCallbacks* allocator) {
  const std::shared_ptr<Device> device = find_device(handle);
  forget_template(*device, made);
  device->next.DestroyDescriptorUpdateTemplateKHR(handle, made, allocator);
}
VKAPI_ATTR void VKAPI_CALL update_by_template(VkDevice handle, VkDescriptorSet set, VkDescriptorUpdateTemplate made,
                                              const void* data) {
  const std::shared_ptr<Device> device = find_device(handle);
  device->next.UpdateDescriptorSetWithTemplate(handle, set, made, data);
  write_by_template(*device, set, made, data);
}
VKAPI_ATTR void VKAPI_CALL update_by_template_khr(VkDevice handle, VkDescriptorSet set, VkDescriptorUpdateTemplate made,
                                                  const void* data) {
  const std::shared_ptr<Device> device = find_device(handle);
  device->next.UpdateDescriptorSetWithTemplateKHR(handle, set, made, data);
  write_by_template(*device, set, made, data);
}

}  // namespace

namespace entry {
const PFN_vkCreateDescriptorPool CreateDescriptorPool = create_pool;
const PFN_vkResetDescriptorPool ResetDescriptorPool = reset_pool;
const PFN_vkDestroyDescriptorPool DestroyDescriptorPool = destroy_pool;
const PFN_vkAllocateDescriptorSets AllocateDescriptorSets = allocate_sets;
const PFN_vkFreeDescriptorSets FreeDescriptorSets = free_sets;
const PFN_vkUpdateDescriptorSets UpdateDescriptorSets = update_sets;
const PFN_vkCreateDescriptorUpdateTemplate CreateDescriptorUpdateTemplate = make_template;
const PFN_vkCreateDescriptorUpdateTemplate CreateDescriptorUpdateTemplateKHR = make_template_khr;
const PFN_vkDestroyDescriptorUpdateTemplate DestroyDescriptorUpdateTemplate = destroy_template;
const PFN_vkDestroyDescriptorUpdateTemplate DestroyDescriptorUpdateTemplateKHR = destroy_template_khr;
const PFN_vkUpdateDescriptorSetWithTemplate UpdateDescriptorSetWithTemplate = update_by_template;
const PFN_vkUpdateDescriptorSetWithTemplate UpdateDescriptorSetWithTemplateKHR = update_by_template_khr;
}  // namespace entry

}  // namespace heddle::layer
