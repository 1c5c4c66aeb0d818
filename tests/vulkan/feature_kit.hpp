// SPDX-License-Identifier: MIT
#pragma once
// Small compute shaders that show a feature: buffers with a known pattern in, words out.

#include <string>
#include <vector>

#include "vulkan/device.hpp"

namespace heddle::test {

/// Byte `i` of what shaders read.
[[nodiscard]] constexpr std::uint8_t pattern_byte(std::size_t i) { return static_cast<std::uint8_t>(37 * i + 11); }
/// `size` bytes of it from `offset` on, as a number.
[[nodiscard]] constexpr std::uint64_t pattern(std::size_t offset, std::size_t size) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < size; ++i) value |= std::uint64_t{pattern_byte(offset + i)} << (8 * i);
  return value;
}

/// Resources of a feature's shader: binding 0 what it writes (`o`), 1 and 2 a storage and a uniform buffer with the
/// pattern, 64 bytes of it as push constants, and what a test adds.
class FeatureRun {
 public:
  explicit FeatureRun(VulkanDevice& device) : v(device) {}
  VulkanDevice& v;
  VulkanDevice::Buffer out, data;
  VkPipelineShaderStageCreateFlags stage_flags = 0;

  void image(std::uint32_t binding, VkDescriptorType type, VkImageView view, VkSampler sampler = VK_NULL_HANDLE);
  void texels(std::uint32_t binding, VkDescriptorType type, VkBufferView view);
  /// Runs one group; false where the shader can't be made here. `words`: a module in place of GLSL.
  [[nodiscard]] std::vector<std::uint32_t> run(const std::string& glsl, const std::vector<std::uint32_t>& words = {});

 private:
  struct Added {
    std::uint32_t binding = 0;
    VkDescriptorType type = VK_DESCRIPTOR_TYPE_SAMPLER;
    std::vector<VkDescriptorImageInfo> images;
    std::vector<VkBufferView> texels;
  };
  Added& add(std::uint32_t binding, VkDescriptorType type);
  std::vector<Added> added_;
};

inline const std::string kFeatureHead =
    "layout(local_size_x = 16) in;\nlayout(binding = 0, std430) buffer Out { uint o[]; };\n";

/// The words of SPIR-V assembly; empty where spirv-as is not installed.
[[nodiscard]] std::vector<std::uint32_t> assemble(const std::string& text);

/// An image of one layer and the levels that are given, each by its tight bytes.
struct TexelImage {
  VkFormat format = VK_FORMAT_R32_SFLOAT;
  std::uint32_t width = 4, height = 4;
  std::uint32_t layers = 1;
  VkImageUsageFlags usage = VK_IMAGE_USAGE_SAMPLED_BIT;
  VkImageCreateFlags flags = 0;
  std::vector<std::vector<std::uint8_t>> levels;
};
[[nodiscard]] VulkanDevice::Image make_image(VulkanDevice& v, const TexelImage& from);

template <typename T>
std::vector<std::uint8_t> bytes_of(const std::vector<T>& values) {
  const auto* first = reinterpret_cast<const std::uint8_t*>(values.data());
  return {first, first + values.size() * sizeof(T)};
}

}  // namespace heddle::test
