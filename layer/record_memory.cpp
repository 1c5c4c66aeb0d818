// SPDX-License-Identifier: MIT
// Memory for the records of descriptor sets.
#include <algorithm>
#include <bit>

#include "layer/state.hpp"

namespace heddle::layer {
namespace {

/// Each block is twice as large as the one before, between these: devices allow few allocations.
constexpr VkDeviceSize kFirstBlockBytes = 65536;
constexpr std::size_t kDoublings = 6;

std::uint32_t memory_type(const Device& device, std::uint32_t allowed) {
  constexpr VkMemoryPropertyFlags kWanted = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
  for (std::uint32_t type = 0; type < device.memory.memoryTypeCount; ++type)
    if ((allowed >> type & 1u) != 0 && (device.memory.memoryTypes[type].propertyFlags & kWanted) == kWanted)
      return type;
  return VK_MAX_MEMORY_TYPES;
}

}  // namespace

void RecordMemory::clear() {
  for (const Block& block : blocks_) destroy(block);
  blocks_.clear();
  classes_.clear();
}

void RecordMemory::destroy(const Block& block) const {
  device_.next.DestroyBuffer(device_.handle, block.buffer, nullptr);
  device_.next.FreeMemory(device_.handle, block.memory, nullptr);
}

VkResult RecordMemory::fill_block(Block& block) const {
  VkBufferCreateInfo info{VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO};
  info.size = block.size;
  info.usage = VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT;
  VkResult result = device_.next.CreateBuffer(device_.handle, &info, nullptr, &block.buffer);
  if (result != VK_SUCCESS) return result;
  VkMemoryRequirements needs{};
  device_.next.GetBufferMemoryRequirements(device_.handle, block.buffer, &needs);
  const std::uint32_t type = memory_type(device_, needs.memoryTypeBits);
  if (type == VK_MAX_MEMORY_TYPES) return VK_ERROR_OUT_OF_DEVICE_MEMORY;
  const VkMemoryAllocateInfo allocate{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, nullptr, needs.size, type};
  result = device_.next.AllocateMemory(device_.handle, &allocate, nullptr, &block.memory);
  if (result != VK_SUCCESS) return result;
  result = device_.next.BindBufferMemory(device_.handle, block.buffer, block.memory, 0);
  void* bytes = nullptr;
  if (result == VK_SUCCESS) result = device_.next.MapMemory(device_.handle, block.memory, 0, VK_WHOLE_SIZE, 0, &bytes);
  block.bytes = static_cast<std::uint8_t*>(bytes);
  return result;
}

VkResult RecordMemory::add_block(VkDeviceSize least) {
  blocks_.reserve(blocks_.size() + 1);
  Block block;
  block.size = std::max(kFirstBlockBytes << std::min(blocks_.size(), kDoublings), least);
  const VkResult result = fill_block(block);
  if (result == VK_SUCCESS)
    blocks_.push_back(block);
  else
    destroy(block);
  return result;
}

VkResult RecordMemory::make_slice(VkDeviceSize size, RecordSlice& slice) {
  auto block = std::ranges::find_if(blocks_, [&](const Block& b) { return b.size - b.used >= size; });
  if (block == blocks_.end()) {
    if (const VkResult result = add_block(size); result != VK_SUCCESS) return result;
    block = blocks_.end() - 1;
  }
  slice = {block->buffer, block->used, size, block->bytes + block->used};
  block->used += size;
  return VK_SUCCESS;
}

VkResult RecordMemory::allocate(std::uint32_t records, RecordSlice& slice) {
  // Alignments are powers of two, and so every slice is aligned.
  const VkDeviceSize bytes =
      std::max(VkDeviceSize{records} * sizeof(SamplerRecord), device_.limits.minUniformBufferOffsetAlignment);
  SizeClass& all = classes_[std::bit_ceil(bytes)];
  if (!all.free.empty()) {
    slice = all.free.back();
    all.free.pop_back();
    return VK_SUCCESS;
  }
  all.free.reserve(std::bit_ceil(all.made + 1));
  const VkResult result = make_slice(std::bit_ceil(bytes), slice);
  if (result == VK_SUCCESS) ++all.made;
  return result;
}

void RecordMemory::give_back(const RecordSlice& slice) { classes_[slice.size].free.push_back(slice); }

}  // namespace heddle::layer
