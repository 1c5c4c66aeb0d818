// SPDX-License-Identifier: MIT
#include "peers/vulkan/vulkan_work.hpp"

#include <chrono>

namespace heddle::test {

std::uint32_t VulkanClient::Work::memory_type(std::uint32_t bits, VkMemoryPropertyFlags flags) const {
  VkPhysicalDeviceMemoryProperties properties;
  vkGetPhysicalDeviceMemoryProperties(client.physical_, &properties);
  for (std::uint32_t i = 0; i < properties.memoryTypeCount; ++i)
    if ((bits >> i & 1) != 0 && (properties.memoryTypes[i].propertyFlags & flags) == flags) return i;
  return 0;
}

std::string VulkanClient::Work::make_buffer(std::size_t size, VkBufferUsageFlags usage, Buffer& out) {
  out.size = size;
  VkBufferCreateInfo info{VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO};
  info.size = size < 4 ? 4 : size;
  info.usage = usage | VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT;
  HEDDLE_VK(vkCreateBuffer(device(), &info, nullptr, &out.buffer));
  undo.push_back([d = device(), b = out.buffer] { vkDestroyBuffer(d, b, nullptr); });
  VkMemoryRequirements needs;
  vkGetBufferMemoryRequirements(device(), out.buffer, &needs);
  VkMemoryAllocateInfo allocate{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO};
  allocate.allocationSize = needs.size;
  allocate.memoryTypeIndex =
      memory_type(needs.memoryTypeBits, VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT);
  VkDeviceMemory memory;
  HEDDLE_VK(vkAllocateMemory(device(), &allocate, nullptr, &memory));
  undo.push_back([d = device(), memory] { vkFreeMemory(d, memory, nullptr); });
  HEDDLE_VK(vkBindBufferMemory(device(), out.buffer, memory, 0));
  HEDDLE_VK(vkMapMemory(device(), memory, 0, VK_WHOLE_SIZE, 0, &out.mapped));
  return {};
}

std::string VulkanClient::Work::make_image(const VkImageCreateInfo& info, VkImage& image) {
  HEDDLE_VK(vkCreateImage(device(), &info, nullptr, &image));
  undo.push_back([d = device(), image] { vkDestroyImage(d, image, nullptr); });
  VkMemoryRequirements needs;
  vkGetImageMemoryRequirements(device(), image, &needs);
  VkMemoryAllocateInfo allocate{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO};
  allocate.allocationSize = needs.size;
  allocate.memoryTypeIndex = memory_type(needs.memoryTypeBits, 0);
  VkDeviceMemory memory;
  HEDDLE_VK(vkAllocateMemory(device(), &allocate, nullptr, &memory));
  undo.push_back([d = device(), memory] { vkFreeMemory(d, memory, nullptr); });
  HEDDLE_VK(vkBindImageMemory(device(), image, memory, 0));
  return {};
}

std::string VulkanClient::Work::make_view(VkImage image, VkImageViewType type, VkFormat format,
                                          const VkImageSubresourceRange& range, const VkComponentMapping& swizzle,
                                          VkImageView& view) {
  VkImageViewCreateInfo info{VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO};
  info.image = image;
  info.viewType = type;
  info.format = format;
  info.components = swizzle;
  info.subresourceRange = range;
  HEDDLE_VK(vkCreateImageView(device(), &info, nullptr, &view));
  undo.push_back([d = device(), view] { vkDestroyImageView(d, view, nullptr); });
  return {};
}

std::string VulkanClient::Work::make_module(const std::vector<std::uint32_t>& words, VkShaderModule& module) {
  VkShaderModuleCreateInfo info{VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO};
  info.codeSize = words.size() * 4;
  info.pCode = words.data();
  HEDDLE_VK(vkCreateShaderModule(device(), &info, nullptr, &module));
  undo.push_back([d = device(), module] { vkDestroyShaderModule(d, module, nullptr); });
  return {};
}

void VulkanClient::Work::barrier(VkImage image, const VkImageSubresourceRange& range, VkImageLayout from,
                                 VkImageLayout to) const {
  VkImageMemoryBarrier b{VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER};
  b.srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT;
  b.dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT;
  b.oldLayout = from;
  b.newLayout = to;
  b.image = image;
  b.subresourceRange = range;
  vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 0, nullptr,
                       0, nullptr, 1, &b);
}

std::string VulkanClient::Work::begin() {
  VkCommandBufferAllocateInfo allocate{VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO};
  allocate.commandPool = client.pool_;
  allocate.commandBufferCount = 1;
  HEDDLE_VK(vkAllocateCommandBuffers(device(), &allocate, &commands));
  undo.push_back([this, buffer = commands] { vkFreeCommandBuffers(device(), client.pool_, 1, &buffer); });
  VkCommandBufferBeginInfo info{VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
  HEDDLE_VK(vkBeginCommandBuffer(commands, &info));
  return {};
}

std::string VulkanClient::Work::submit() {
  HEDDLE_VK(vkEndCommandBuffer(commands));
  VkSubmitInfo info{VK_STRUCTURE_TYPE_SUBMIT_INFO};
  info.commandBufferCount = 1;
  info.pCommandBuffers = &commands;
  HEDDLE_VK(vkQueueSubmit(client.queue_, 1, &info, VK_NULL_HANDLE));
  HEDDLE_VK(vkQueueWaitIdle(client.queue_));
  return {};
}

std::string VulkanClient::Work::time(const std::function<void()>& pass, PeerTiming& timing) {
  if (std::string why = submit(); !why.empty()) return why;
  if (std::string why = begin(); !why.empty()) return why;
  for (unsigned k = 0; k < timing.passes; ++k) pass();
  const auto start = std::chrono::steady_clock::now();
  if (std::string why = submit(); !why.empty()) return why;
  timing.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return begin();
}

namespace {

/// Texels of a level, or blocks.
std::size_t elements_of(const PeerImage& in, std::uint32_t level) {
  const std::uint32_t edge = in.block_bytes != 0 ? 4 : 1;
  const auto count = [&](std::uint32_t size) { return (std::max(1u, size >> level) + edge - 1) / edge; };
  return std::size_t{count(in.width)} * count(in.height) * std::max(1u, in.depth >> level) * in.layers;
}

}  // namespace

std::vector<VkBufferImageCopy> image_copies(const PeerImage& in, std::size_t bytes) {
  std::vector<VkBufferImageCopy> copies;
  const VkImageAspectFlags aspect = in.depth_aspect ? VK_IMAGE_ASPECT_DEPTH_BIT : VK_IMAGE_ASPECT_COLOR_BIT;
  std::size_t offset = 0;
  for (std::uint32_t level = 0; level < in.levels; ++level) {
    VkBufferImageCopy copy{};
    copy.bufferOffset = offset;
    copy.imageSubresource = {aspect, level, 0, in.layers};
    copy.imageExtent = {std::max(1u, in.width >> level), std::max(1u, in.height >> level),
                        std::max(1u, in.depth >> level)};
    offset += bytes * elements_of(in, level);
    copies.push_back(copy);
  }
  return copies;
}

namespace {

VkImageSubresourceRange whole(const PeerImage& in) {
  return {static_cast<VkImageAspectFlags>(in.depth_aspect ? VK_IMAGE_ASPECT_DEPTH_BIT : VK_IMAGE_ASPECT_COLOR_BIT), 0,
          in.levels, 0, in.layers};
}

/// Bytes of a texel, or of a block; 0 when the data do not fit the size.
std::size_t element_bytes(const PeerImage& in) {
  std::size_t elements = 0;
  for (std::uint32_t level = 0; level < in.levels; ++level) elements += elements_of(in, level);
  const std::size_t bytes = elements == 0 || in.data.size() % elements != 0 ? 0 : in.data.size() / elements;
  return in.block_bytes != 0 && bytes != in.block_bytes ? 0 : bytes;
}

bool is_texel_buffer(VkDescriptorType type) {
  return type == VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER || type == VK_DESCRIPTOR_TYPE_STORAGE_TEXEL_BUFFER;
}

}  // namespace

VkDescriptorType descriptor_type(const PeerBinding& b) {
  if (b.type) return *b.type;
  return b.image != nullptr    ? VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER
         : b.buffer != nullptr ? VK_DESCRIPTOR_TYPE_STORAGE_BUFFER
                               : VK_DESCRIPTOR_TYPE_SAMPLER;
}

std::string VulkanClient::Work::upload(const PeerImage& in, const Buffer& staging, VkImage image,
                                       VkImageLayout layout) const {
  const std::size_t bytes = element_bytes(in);
  if (bytes == 0) return "image data do not fit the size";
  barrier(image, whole(in), VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
  const std::vector<VkBufferImageCopy> copies = image_copies(in, bytes);
  vkCmdCopyBufferToImage(commands, staging.buffer, image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL,
                         static_cast<std::uint32_t>(copies.size()), copies.data());
  barrier(image, whole(in), VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, layout);
  return {};
}

std::string VulkanClient::Work::make_sets(const std::vector<PeerBinding>& bindings) {
  std::map<std::uint32_t, std::map<std::uint32_t, VkDescriptorSetLayoutBinding>> layouts;
  std::map<VkDescriptorType, std::uint32_t> counts;
  layouts[0];
  for (std::uint32_t i = 0; i < bindings.size(); ++i) {
    const std::uint32_t number = bindings[i].binding.value_or(i);
    VkDescriptorSetLayoutBinding& slot = layouts[bindings[i].set][number];
    slot.binding = number;
    slot.descriptorType = descriptor_type(bindings[i]);
    slot.descriptorCount = std::max(slot.descriptorCount, bindings[i].element + 1);
    slot.stageFlags = VK_SHADER_STAGE_ALL;
    ++counts[slot.descriptorType];
  }
  std::vector<VkDescriptorSetLayout> list;
  for (std::uint32_t set = 0; set <= layouts.rbegin()->first; ++set) {
    std::vector<VkDescriptorSetLayoutBinding> slots;
    for (const auto& [number, slot] : layouts[set]) slots.push_back(slot);
    VkDescriptorSetLayoutCreateInfo info{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO};
    info.bindingCount = static_cast<std::uint32_t>(slots.size());
    info.pBindings = slots.data();
    list.emplace_back();
    HEDDLE_VK(vkCreateDescriptorSetLayout(device(), &info, nullptr, &list.back()));
    undo.push_back([d = device(), l = list.back()] { vkDestroyDescriptorSetLayout(d, l, nullptr); });
  }
  const VkPushConstantRange range{VK_SHADER_STAGE_ALL, 0, push_bytes};
  VkPipelineLayoutCreateInfo pipeline_info{VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO};
  pipeline_info.setLayoutCount = static_cast<std::uint32_t>(list.size());
  pipeline_info.pSetLayouts = list.data();
  pipeline_info.pushConstantRangeCount = push_bytes != 0 ? 1 : 0;
  pipeline_info.pPushConstantRanges = &range;
  HEDDLE_VK(vkCreatePipelineLayout(device(), &pipeline_info, nullptr, &pipeline_layout));
  undo.push_back([this] { vkDestroyPipelineLayout(device(), pipeline_layout, nullptr); });
  std::vector<VkDescriptorPoolSize> sizes{{VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1}};
  for (const auto& [type, count] : counts) sizes.push_back({type, count});
  VkDescriptorPoolCreateInfo pool_info{VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO};
  pool_info.maxSets = static_cast<std::uint32_t>(list.size());
  pool_info.poolSizeCount = static_cast<std::uint32_t>(sizes.size());
  pool_info.pPoolSizes = sizes.data();
  VkDescriptorPool pool;
  HEDDLE_VK(vkCreateDescriptorPool(device(), &pool_info, nullptr, &pool));
  undo.push_back([d = device(), pool] { vkDestroyDescriptorPool(d, pool, nullptr); });
  VkDescriptorSetAllocateInfo allocate{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO};
  allocate.descriptorPool = pool;
  allocate.descriptorSetCount = static_cast<std::uint32_t>(list.size());
  allocate.pSetLayouts = list.data();
  sets.resize(list.size());
  HEDDLE_VK(vkAllocateDescriptorSets(device(), &allocate, sets.data()));
  return {};
}

std::string VulkanClient::Work::bind_image(const PeerBinding& b, VkDescriptorType type, VkDescriptorImageInfo& out) {
  if (type == VK_DESCRIPTOR_TYPE_SAMPLER || type == VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER) {
    HEDDLE_VK(vkCreateSampler(device(), &b.sampler, nullptr, &out.sampler));
    undo.push_back([d = device(), s = out.sampler] { vkDestroySampler(d, s, nullptr); });
  }
  if (b.image == nullptr) return {};
  const PeerImage& in = *b.image;
  const bool storage = type == VK_DESCRIPTOR_TYPE_STORAGE_IMAGE;
  VkImageCreateInfo info{VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO};
  const bool cube = in.view == VK_IMAGE_VIEW_TYPE_CUBE || in.view == VK_IMAGE_VIEW_TYPE_CUBE_ARRAY;
  const bool flat = in.view == VK_IMAGE_VIEW_TYPE_1D || in.view == VK_IMAGE_VIEW_TYPE_1D_ARRAY;
  info.flags = cube ? VK_IMAGE_CREATE_CUBE_COMPATIBLE_BIT : 0;
  info.imageType = flat ? VK_IMAGE_TYPE_1D : in.view == VK_IMAGE_VIEW_TYPE_3D ? VK_IMAGE_TYPE_3D : VK_IMAGE_TYPE_2D;
  info.format = in.format;
  info.extent = {in.width, in.height, in.depth};
  info.mipLevels = in.levels;
  info.arrayLayers = in.layers;
  info.samples = VK_SAMPLE_COUNT_1_BIT;
  info.tiling = VK_IMAGE_TILING_OPTIMAL;
  info.usage = VK_IMAGE_USAGE_TRANSFER_DST_BIT | (storage ? VK_IMAGE_USAGE_STORAGE_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT
                                                          : static_cast<int>(VK_IMAGE_USAGE_SAMPLED_BIT));
  if (std::string why = make_image(info, images.back()); !why.empty()) return why;
  if (std::string why = make_view(images.back(), in.view, in.format, whole(in), in.swizzle, out.imageView);
      !why.empty())
    return why;
  out.imageLayout = storage ? VK_IMAGE_LAYOUT_GENERAL : VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL;
  return upload(in, buffers.back(), images.back(), out.imageLayout);
}

std::string VulkanClient::Work::bind(const std::vector<PeerBinding>& bindings, const std::vector<std::uint8_t>& push) {
  push_bytes = static_cast<std::uint32_t>(push.size());
  if (std::string why = make_sets(bindings); !why.empty()) return why;
  for (std::uint32_t i = 0; i < bindings.size(); ++i) {
    const PeerBinding& b = bindings[i];
    VkWriteDescriptorSet write{VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET};
    write.dstSet = sets[b.set];
    write.dstBinding = b.binding.value_or(i);
    write.dstArrayElement = b.element;
    write.descriptorCount = 1;
    write.descriptorType = descriptor_type(b);
    VkDescriptorImageInfo image_info{};
    VkDescriptorBufferInfo buffer_info{};
    VkBufferView view = VK_NULL_HANDLE;
    buffers.emplace_back();
    images.push_back(VK_NULL_HANDLE);
    const std::vector<std::uint8_t> none;
    const std::vector<std::uint8_t>& bytes = b.image != nullptr    ? b.image->data
                                             : b.buffer != nullptr ? *b.buffer
                                                                   : none;
    constexpr VkBufferUsageFlags kUses = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT |
                                         VK_BUFFER_USAGE_UNIFORM_TEXEL_BUFFER_BIT |
                                         VK_BUFFER_USAGE_STORAGE_TEXEL_BUFFER_BIT;
    if (std::string why = make_buffer(bytes.size(), kUses, buffers.back()); !why.empty()) return why;
    if (!bytes.empty()) std::memcpy(buffers.back().mapped, bytes.data(), bytes.size());
    if (b.buffer == nullptr) {
      if (std::string why = bind_image(b, write.descriptorType, image_info); !why.empty()) return why;
      write.pImageInfo = &image_info;
    } else if (is_texel_buffer(write.descriptorType)) {
      VkBufferViewCreateInfo info{VK_STRUCTURE_TYPE_BUFFER_VIEW_CREATE_INFO};
      info.buffer = buffers.back().buffer;
      info.format = b.texel_format;
      info.range = bytes.size();
      HEDDLE_VK(vkCreateBufferView(device(), &info, nullptr, &view));
      undo.push_back([d = device(), view] { vkDestroyBufferView(d, view, nullptr); });
      write.pTexelBufferView = &view;
    } else {
      buffer_info = {buffers.back().buffer, 0, VK_WHOLE_SIZE};
      write.pBufferInfo = &buffer_info;
    }
    vkUpdateDescriptorSets(device(), 1, &write, 0, nullptr);
  }
  return {};
}

void VulkanClient::Work::use(VkPipelineBindPoint point, const std::vector<std::uint8_t>& push) const {
  vkCmdBindDescriptorSets(commands, point, pipeline_layout, 0, static_cast<std::uint32_t>(sets.size()), sets.data(), 0,
                          nullptr);
  if (!push.empty())
    vkCmdPushConstants(commands, pipeline_layout, VK_SHADER_STAGE_ALL, 0, static_cast<std::uint32_t>(push.size()),
                       push.data());
}

void VulkanClient::Work::fetch_images(const std::vector<PeerBinding>& bindings) const {
  for (std::size_t i = 0; i < bindings.size(); ++i) {
    if (bindings[i].texels == nullptr || bindings[i].image == nullptr) continue;
    const PeerImage& in = *bindings[i].image;
    barrier(images[i], whole(in), VK_IMAGE_LAYOUT_GENERAL, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
    const std::vector<VkBufferImageCopy> copies = image_copies(in, element_bytes(in));
    vkCmdCopyImageToBuffer(commands, images[i], VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, buffers[i].buffer,
                           static_cast<std::uint32_t>(copies.size()), copies.data());
  }
}

void VulkanClient::Work::read_back(std::vector<PeerBinding>& bindings) const {
  for (std::size_t i = 0; i < bindings.size(); ++i) {
    const auto* bytes = static_cast<const std::uint8_t*>(buffers[i].mapped);
    if (bindings[i].buffer != nullptr) std::memcpy(bindings[i].buffer->data(), bytes, bindings[i].buffer->size());
    if (bindings[i].texels != nullptr) bindings[i].texels->assign(bytes, bytes + buffers[i].size);
  }
}

}  // namespace heddle::test
