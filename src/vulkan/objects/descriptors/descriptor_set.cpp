// SPDX-License-Identifier: MIT
#include "vulkan/objects/descriptors/descriptor_set.hpp"

#include <algorithm>
#include <cstring>
#include <mutex>
#include <span>

#include "vulkan/device/device.hpp"
#include "vulkan/generated/entry_points.hpp"
#include "vulkan/objects/descriptors/descriptor_update_template.hpp"

namespace heddle::vulkan {

namespace {

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

}  // namespace

namespace entry {

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

}  // namespace entry
}  // namespace heddle::vulkan
