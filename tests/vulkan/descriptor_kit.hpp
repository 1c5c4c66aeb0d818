// SPDX-License-Identifier: MIT
#pragma once
// Descriptor buffers of a test (VK_EXT_descriptor_buffer).

#include <cstdint>
#include <vector>

#include "vulkan/device.hpp"

namespace heddle::test {

/// A buffer whose address shaders and descriptors may name.
struct AddressedBuffer : VulkanDevice::Buffer {
  VkDeviceAddress address = 0;
};
/// `mapped`: the host may write it.
AddressedBuffer addressed_buffer(VulkanDevice& v, std::uint64_t size, VkBufferUsageFlags more_usage = 0,
                                 bool mapped = true);

class DescriptorBuffer {
 public:
  /// `bytes`: zeros, which are null descriptors.
  explicit DescriptorBuffer(VulkanDevice& device, std::uint64_t bytes, bool mapped = true);

  VulkanDevice& v;
  AddressedBuffer memory;
  VkPhysicalDeviceDescriptorBufferPropertiesEXT limits{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DESCRIPTOR_BUFFER_PROPERTIES_EXT};

  /// A layout of sets that lie in such buffers.
  VkDescriptorSetLayout layout(const std::vector<VulkanDevice::Binding>& bindings,
                               VkDescriptorSetLayoutCreateFlags more_flags = 0) const {
    return v.set_layout(bindings, VK_DESCRIPTOR_SET_LAYOUT_CREATE_DESCRIPTOR_BUFFER_BIT_EXT | more_flags);
  }
  [[nodiscard]] std::uint64_t size_of(VkDescriptorSetLayout layout) const;
  [[nodiscard]] std::uint64_t offset_of(VkDescriptorSetLayout layout, std::uint32_t binding) const;
  /// Bytes of a descriptor of a type.
  [[nodiscard]] std::uint32_t bytes_of(VkDescriptorType type) const;

  // --- descriptors, as bytes ---
  using Bytes = std::vector<std::uint8_t>;
  [[nodiscard]] Bytes buffer(VkDescriptorType type, VkDeviceAddress address, std::uint64_t range,
                             VkFormat format = VK_FORMAT_UNDEFINED) const;
  [[nodiscard]] Bytes buffer(VkDescriptorType type, const AddressedBuffer& of,
                             VkFormat format = VK_FORMAT_UNDEFINED) const {
    return buffer(type, of.address, of.size, format);
  }
  [[nodiscard]] Bytes image(VkDescriptorType type, VkImageView view, VkSampler sampler = VK_NULL_HANDLE,
                            VkImageLayout layout = VK_IMAGE_LAYOUT_GENERAL) const;
  [[nodiscard]] Bytes sampler(VkSampler sampler) const;
  /// Puts one into the set at `set` bytes of the buffer.
  void put(std::uint64_t set, VkDescriptorSetLayout layout, std::uint32_t binding, const Bytes& descriptor,
           std::uint32_t element = 0) const;

  // --- commands ---
  /// This buffer alone, as the first one.
  void bind(VkCommandBuffer c) const { bind(c, {memory.address}); }
  void bind(VkCommandBuffer c, const std::vector<VkDeviceAddress>& buffers) const;
  /// Sets from `first` on at these offsets, of the buffers with these indices (none: the first).
  void place(VkCommandBuffer c, VkPipelineBindPoint point, VkPipelineLayout layout, std::uint32_t first,
             const std::vector<VkDeviceSize>& offsets, std::vector<std::uint32_t> buffers = {}) const;

 private:
  [[nodiscard]] Bytes get(VkDescriptorType type, VkDescriptorDataEXT data) const;
  PFN_vkGetDescriptorEXT get_;
};

}  // namespace heddle::test
