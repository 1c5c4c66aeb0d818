// SPDX-License-Identifier: MIT
// Memory for the records of a pool's sets.
#include <algorithm>

#include "layer/state.hpp"

namespace heddle::layer {
namespace {

constexpr VkDeviceSize kBlockBytes = 65536;

std::uint32_t memory_type(const Device& device, std::uint32_t allowed) {
  constexpr VkMemoryPropertyFlags kWanted = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
  for (std::uint32_t type = 0; type < device.memory.memoryTypeCount; ++type)
    if ((allowed >> type & 1u) != 0 && (device.memory.memoryTypes[type].propertyFlags & kWanted) == kWanted)
      return type;
  return VK_MAX_MEMORY_TYPES;
}

}  // namespace

RecordPool::~RecordPool() {
  for (const Block& block : blocks_) destroy(block);
}

void RecordPool::destroy(const Block& block) const {
  device_.next.DestroyBuffer(device_.handle, block.buffer, nullptr);
  device_.next.FreeMemory(device_.handle, block.memory, nullptr);
}

VkResult RecordPool::fill_block(Block& block) const {
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

VkResult RecordPool::add_block(VkDeviceSize least) {
  blocks_.reserve(blocks_.size() + 1);
  Block block;
  block.size = std::max(kBlockBytes, least);
  const VkResult result = fill_block(block);
  if (result == VK_SUCCESS)
    blocks_.push_back(block);
  else
    destroy(block);
  return result;
}

VkResult RecordPool::allocate(std::uint32_t records, RecordSlice& slice) {
  const VkDeviceSize unit = std::max<VkDeviceSize>(device_.limits.minUniformBufferOffsetAlignment, 1);
  const VkDeviceSize size = (VkDeviceSize{records} * sizeof(SamplerRecord) + unit - 1) / unit * unit;
  if (const auto found = free_.find(size); found != free_.end() && !found->second.empty()) {
    slice = found->second.back();
    found->second.pop_back();
    return VK_SUCCESS;
  }
  auto block = std::ranges::find_if(blocks_, [&](const Block& b) { return b.size - b.used >= size; });
  if (block == blocks_.end()) {
    if (const VkResult result = add_block(size); result != VK_SUCCESS) return result;
    block = blocks_.end() - 1;
  }
  slice = {block->buffer, block->used, size, block->bytes + block->used};
  block->used += size;
  return VK_SUCCESS;
}

void RecordPool::give_back(const RecordSlice& slice) { free_[slice.size].push_back(slice); }

void RecordPool::reset() {
  for (Block& block : blocks_) block.used = 0;
  free_.clear();
  sets.clear();
}

}  // namespace heddle::layer
