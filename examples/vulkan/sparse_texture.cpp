// SPDX-License-Identifier: MIT
#include "sparse_texture.hpp"

#include <algorithm>

namespace example {
namespace {

constexpr VkImageUsageFlags kAnyUse = VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT;

VkBindSparseInfo bind_info() { return {VK_STRUCTURE_TYPE_BIND_SPARSE_INFO}; }

/// The queue binds; whoever draws next sees it.
void bind_and_wait(VkQueue queue, const VkBindSparseInfo& info) {
  check(vkQueueBindSparse(queue, 1, &info, VK_NULL_HANDLE), "vkQueueBindSparse");
  check(vkQueueWaitIdle(queue), "vkQueueWaitIdle");
}

}  // namespace

bool SparseTexture::is_possible(const Program& program, VkFormat format) {
  VkPhysicalDeviceFeatures features;
  vkGetPhysicalDeviceFeatures(program.physical, &features);
  std::uint32_t count = 0;
  vkGetPhysicalDeviceSparseImageFormatProperties(program.physical, format, VK_IMAGE_TYPE_2D, VK_SAMPLE_COUNT_1_BIT,
                                                 kAnyUse, VK_IMAGE_TILING_OPTIMAL, &count, nullptr);
  return features.sparseBinding == VK_TRUE && features.sparseResidencyImage2D == VK_TRUE && count == 1;
}

void SparseTexture::open(const Program& program, VkFormat format, std::uint32_t edge, std::uint32_t levels,
                         VkImageUsageFlags usage) {
  program_ = &program;
  edge_ = edge;
  VkImageCreateInfo info{VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO};
  info.flags = VK_IMAGE_CREATE_SPARSE_BINDING_BIT | VK_IMAGE_CREATE_SPARSE_RESIDENCY_BIT;
  info.imageType = VK_IMAGE_TYPE_2D;
  info.format = format;
  info.extent = {edge, edge, 1};
  info.mipLevels = levels;
  info.arrayLayers = 1;
  info.samples = VK_SAMPLE_COUNT_1_BIT;
  info.usage = usage;
  check(vkCreateImage(program.device, &info, nullptr, &image_.image), "vkCreateImage");
  vkGetImageMemoryRequirements(program.device, image_.image, &needs_);
  std::uint32_t count = 1;
  VkSparseImageMemoryRequirements parts{};
  vkGetImageSparseMemoryRequirements(program.device, image_.image, &count, &parts);
  page_ = parts.formatProperties.imageGranularity;
  tail_ = parts.imageMipTailFirstLod;
  total_ = needs_.size / needs_.alignment;
  for (std::uint32_t level = 0; level < tail_; ++level)
    resident_.emplace_back(std::size_t{pages_across(level)} * pages_across(level), false);
  if (parts.imageMipTailSize != 0) {
    const VkSparseMemoryBind tail{parts.imageMipTailOffset, parts.imageMipTailSize,
                                  program.allocate(parts.imageMipTailSize, needs_), 0, 0};
    const VkSparseImageOpaqueMemoryBindInfo of_image{image_.image, 1, &tail};
    VkBindSparseInfo binds = bind_info();
    binds.imageOpaqueBindCount = 1;
    binds.pImageOpaqueBinds = &of_image;
    bind_and_wait(program.queue, binds);
    bound_ += parts.imageMipTailSize / needs_.alignment;
  }
  image_.view = program.make_view(image_.image, VK_IMAGE_VIEW_TYPE_2D, format, VK_IMAGE_ASPECT_COLOR_BIT, levels, 1);
}

std::uint32_t SparseTexture::pages_across(std::uint32_t level) const {
  return std::max(1u, ((edge_ >> level) + page_.width - 1) / page_.width);
}

std::size_t SparseTexture::page_of(std::uint32_t level, std::uint32_t x, std::uint32_t y) const {
  return std::size_t{y / page_.height} * pages_across(level) + x / page_.width;
}

bool SparseTexture::is_resident(std::uint32_t level, std::uint32_t x, std::uint32_t y) const {
  return level >= tail_ || resident_[level][page_of(level, x, y)];
}

void SparseTexture::want(std::uint32_t level, std::uint32_t x, std::uint32_t y) {
  if (is_resident(level, x, y)) return;
  resident_[level][page_of(level, x, y)] = true;
  VkSparseImageMemoryBind bind{};
  bind.subresource = {VK_IMAGE_ASPECT_COLOR_BIT, level, 0};
  bind.offset = {static_cast<std::int32_t>(x / page_.width * page_.width),
                 static_cast<std::int32_t>(y / page_.height * page_.height), 0};
  bind.extent = page_;
  wanted_.push_back(bind);
}

void SparseTexture::bind() {
  if (wanted_.empty()) return;
  const VkDeviceMemory memory = program_->allocate(wanted_.size() * needs_.alignment, needs_);
  for (std::size_t k = 0; k < wanted_.size(); ++k) {
    wanted_[k].memory = memory;
    wanted_[k].memoryOffset = k * needs_.alignment;
  }
  const VkSparseImageMemoryBindInfo of_image{image_.image, static_cast<std::uint32_t>(wanted_.size()), wanted_.data()};
  VkBindSparseInfo binds = bind_info();
  binds.imageBindCount = 1;
  binds.pImageBinds = &of_image;
  bind_and_wait(program_->queue, binds);
  bound_ += wanted_.size();
  wanted_.clear();
}

}  // namespace example
