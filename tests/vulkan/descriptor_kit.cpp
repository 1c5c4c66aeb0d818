// SPDX-License-Identifier: MIT
#include "vulkan/descriptor_kit.hpp"

#include <algorithm>

namespace heddle::test {

AddressedBuffer addressed_buffer(VulkanDevice& v, std::uint64_t size, VkBufferUsageFlags more_usage, bool mapped) {
  AddressedBuffer made;
  made.size = size;
  VkBufferCreateInfo info{VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO};
  info.size = size;
  info.usage = VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT |
               VK_BUFFER_USAGE_TRANSFER_DST_BIT | VK_BUFFER_USAGE_STORAGE_BUFFER_BIT |
               VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT | VK_BUFFER_USAGE_UNIFORM_TEXEL_BUFFER_BIT |
               VK_BUFFER_USAGE_STORAGE_TEXEL_BUFFER_BIT | more_usage;
  EXPECT_EQ(vkCreateBuffer(v.device, &info, nullptr, &made.buffer), VK_SUCCESS);
  VkMemoryRequirements needs;
  vkGetBufferMemoryRequirements(v.device, made.buffer, &needs);
  const VkMemoryAllocateFlagsInfo flags{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO, nullptr,
                                        VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT, 0};
  VkMemoryAllocateInfo allocate{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, &flags, needs.size, 0};
  EXPECT_EQ(vkAllocateMemory(v.device, &allocate, nullptr, &made.memory), VK_SUCCESS);
  EXPECT_EQ(vkBindBufferMemory(v.device, made.buffer, made.memory, 0), VK_SUCCESS);
  void* bytes = nullptr;
  if (mapped) {
    EXPECT_EQ(vkMapMemory(v.device, made.memory, 0, VK_WHOLE_SIZE, 0, &bytes), VK_SUCCESS);
  }
  made.bytes = static_cast<std::uint8_t*>(bytes);
  const VkBufferDeviceAddressInfo of{VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO, nullptr, made.buffer};
  const auto address = v.proc<PFN_vkGetBufferDeviceAddress>("vkGetBufferDeviceAddress");
  made.address = address(v.device, &of);
  v.later([d = v.device, made] {
    vkDestroyBuffer(d, made.buffer, nullptr);
    vkFreeMemory(d, made.memory, nullptr);
  });
  return made;
}

DescriptorBuffer::DescriptorBuffer(VulkanDevice& device, std::uint64_t bytes, bool mapped)
    : v(device),
      memory(addressed_buffer(
          device, bytes,
          VK_BUFFER_USAGE_RESOURCE_DESCRIPTOR_BUFFER_BIT_EXT | VK_BUFFER_USAGE_SAMPLER_DESCRIPTOR_BUFFER_BIT_EXT,
          mapped)),
      get_(device.proc<PFN_vkGetDescriptorEXT>("vkGetDescriptorEXT")) {
  VkPhysicalDeviceProperties2 properties{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, &limits};
  vkGetPhysicalDeviceProperties2(v.physical, &properties);
}

std::uint64_t DescriptorBuffer::size_of(VkDescriptorSetLayout layout) const {
  VkDeviceSize size = 0;
  v.proc<PFN_vkGetDescriptorSetLayoutSizeEXT>("vkGetDescriptorSetLayoutSizeEXT")(v.device, layout, &size);
  return size;
}
std::uint64_t DescriptorBuffer::offset_of(VkDescriptorSetLayout layout, std::uint32_t binding) const {
  VkDeviceSize offset = 0;
  v.proc<PFN_vkGetDescriptorSetLayoutBindingOffsetEXT>("vkGetDescriptorSetLayoutBindingOffsetEXT")(v.device, layout,
                                                                                                   binding, &offset);
  return offset;
}

std::uint32_t DescriptorBuffer::bytes_of(VkDescriptorType type) const {
  const std::size_t sizes[] = {limits.samplerDescriptorSize,
                               limits.combinedImageSamplerDescriptorSize,
                               limits.sampledImageDescriptorSize,
                               limits.storageImageDescriptorSize,
                               limits.uniformTexelBufferDescriptorSize,
                               limits.storageTexelBufferDescriptorSize,
                               limits.uniformBufferDescriptorSize,
                               limits.storageBufferDescriptorSize};
  return static_cast<std::uint32_t>(type == VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT ? limits.inputAttachmentDescriptorSize
                                                                                : sizes[type]);
}

DescriptorBuffer::Bytes DescriptorBuffer::get(VkDescriptorType type, VkDescriptorDataEXT data) const {
  Bytes bytes(bytes_of(type));
  const VkDescriptorGetInfoEXT info{VK_STRUCTURE_TYPE_DESCRIPTOR_GET_INFO_EXT, nullptr, type, data};
  get_(v.device, &info, bytes.size(), bytes.data());
  return bytes;
}
DescriptorBuffer::Bytes DescriptorBuffer::buffer(VkDescriptorType type, VkDeviceAddress address, std::uint64_t range,
                                                 VkFormat format) const {
  const VkDescriptorAddressInfoEXT info{VK_STRUCTURE_TYPE_DESCRIPTOR_ADDRESS_INFO_EXT, nullptr, address, range, format};
  VkDescriptorDataEXT data{};
  data.pUniformBuffer = address != 0 ? &info : nullptr;
  return get(type, data);
}
DescriptorBuffer::Bytes DescriptorBuffer::image(VkDescriptorType type, VkImageView view, VkSampler sampler,
                                                VkImageLayout layout) const {
  const VkDescriptorImageInfo info{sampler, view, layout};
  VkDescriptorDataEXT data{};
  data.pSampledImage = &info;
  return get(type, data);
}
DescriptorBuffer::Bytes DescriptorBuffer::sampler(VkSampler sampler) const {
  VkDescriptorDataEXT data{};
  data.pSampler = &sampler;
  return get(VK_DESCRIPTOR_TYPE_SAMPLER, data);
}

void DescriptorBuffer::put(std::uint64_t set, VkDescriptorSetLayout layout, std::uint32_t binding,
                           const Bytes& descriptor, std::uint32_t element) const {
  std::copy(descriptor.begin(), descriptor.end(),
            memory.bytes + set + offset_of(layout, binding) + element * descriptor.size());
}

void DescriptorBuffer::bind(VkCommandBuffer c, const std::vector<VkDeviceAddress>& buffers) const {
  std::vector<VkDescriptorBufferBindingInfoEXT> infos;
  for (const VkDeviceAddress address : buffers)
    infos.push_back(
        {VK_STRUCTURE_TYPE_DESCRIPTOR_BUFFER_BINDING_INFO_EXT, nullptr, address,
         VK_BUFFER_USAGE_RESOURCE_DESCRIPTOR_BUFFER_BIT_EXT | VK_BUFFER_USAGE_SAMPLER_DESCRIPTOR_BUFFER_BIT_EXT});
  v.proc<PFN_vkCmdBindDescriptorBuffersEXT>("vkCmdBindDescriptorBuffersEXT")(
      c, static_cast<std::uint32_t>(infos.size()), infos.data());
}

void DescriptorBuffer::place(VkCommandBuffer c, VkPipelineBindPoint point, VkPipelineLayout layout, std::uint32_t first,
                             const std::vector<VkDeviceSize>& offsets, std::vector<std::uint32_t> buffers) const {
  buffers.resize(offsets.size(), 0);
  v.proc<PFN_vkCmdSetDescriptorBufferOffsetsEXT>("vkCmdSetDescriptorBufferOffsetsEXT")(
      c, point, layout, first, static_cast<std::uint32_t>(offsets.size()), buffers.data(), offsets.data());
}

}  // namespace heddle::test
