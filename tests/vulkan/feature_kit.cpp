// SPDX-License-Identifier: MIT
#include "vulkan/feature_kit.hpp"

#include <algorithm>

#include "support/process.hpp"

namespace heddle::test {
namespace {

constexpr std::uint64_t kBytes = 1024;

}  // namespace

FeatureRun::Added& FeatureRun::add(std::uint32_t binding, VkDescriptorType type) {
  for (Added& a : added_)
    if (a.binding == binding) return a;
  added_.push_back({binding, type, {}, {}});
  return added_.back();
}

void FeatureRun::image(std::uint32_t binding, VkDescriptorType type, VkImageView view, VkSampler sampler) {
  add(binding, type).images.push_back({sampler, view, VK_IMAGE_LAYOUT_GENERAL});
}
void FeatureRun::texels(std::uint32_t binding, VkDescriptorType type, VkBufferView view) {
  add(binding, type).texels.push_back(view);
}

std::vector<std::uint32_t> FeatureRun::run(const std::string& glsl, const std::vector<std::uint32_t>& words) {
  std::vector<VulkanDevice::Binding> bindings{{0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER},
                                              {1, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER},
                                              {2, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER}};
  for (const Added& a : added_)
    bindings.push_back({a.binding, a.type, static_cast<std::uint32_t>(std::max(a.images.size(), a.texels.size()))});
  const VkDescriptorSetLayout set_layout = v.set_layout(bindings);
  const VkPipelineLayout layout = v.layout({set_layout}, 64);
  const VkDescriptorSet set = v.set(set_layout, bindings);
  out = v.buffer(kBytes);
  data = v.buffer(kBytes);
  for (std::size_t i = 0; i < kBytes; ++i) data.bytes[i] = pattern_byte(i);
  v.write(set, 0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, out);
  v.write(set, 1, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, data);
  v.write(set, 2, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, data);
  for (const Added& a : added_) {
    VkWriteDescriptorSet write{VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET};
    write.dstSet = set;
    write.dstBinding = a.binding;
    write.descriptorCount = static_cast<std::uint32_t>(std::max(a.images.size(), a.texels.size()));
    write.descriptorType = a.type;
    write.pImageInfo = a.images.data();
    write.pTexelBufferView = a.texels.data();
    vkUpdateDescriptorSets(v.device, 1, &write, 0, nullptr);
  }
  const std::vector<std::uint32_t> code = words.empty() ? compile_shader(glsl, "comp", false, "vulkan1.3") : words;
  SCOPED_TRACE(glsl);
  const VkPipeline pipeline = v.pipeline_of(code, layout, nullptr, stage_flags);
  if (pipeline == VK_NULL_HANDLE) return std::vector<std::uint32_t>(kBytes / 4);
  EXPECT_EQ(v.run([&](VkCommandBuffer c) {
    vkCmdBindPipeline(c, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
    vkCmdBindDescriptorSets(c, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &set, 0, nullptr);
    vkCmdPushConstants(c, layout, v.stages, 0, 64, data.bytes);
    vkCmdDispatch(c, 1, 1, 1);
  }),
            VK_SUCCESS);
  std::vector<std::uint32_t> result;
  for (std::size_t i = 0; i < kBytes / 4; ++i) result.push_back(out.word(i));
  return result;
}

std::vector<std::uint32_t> assemble(const std::string& text) {
  if (!have_program("spirv-as")) return {};
  const TemporaryFolder folder;
  write_text(folder / "shader.spvasm", text);
  const Outcome outcome = run({"spirv-as", "--target-env", "spv1.3", "-o", (folder / "shader.spv").string(),
                               (folder / "shader.spvasm").string()});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.out << outcome.err;
  if (outcome.exit_code != 0) return {};
  const std::vector<std::uint8_t> bytes = read_bytes(folder / "shader.spv");
  std::vector<std::uint32_t> words(bytes.size() / 4);
  std::memcpy(words.data(), bytes.data(), words.size() * 4);
  return words;
}

VulkanDevice::Image make_image(VulkanDevice& v, const TexelImage& from) {
  VkImageCreateInfo info = VulkanDevice::image_info(from.format, from.width, from.height);
  info.mipLevels = static_cast<std::uint32_t>(std::max<std::size_t>(1, from.levels.size()));
  info.arrayLayers = from.layers;
  info.usage = from.usage | VK_IMAGE_USAGE_TRANSFER_DST_BIT;
  info.flags = from.flags;
  const VulkanDevice::Image image = v.image(info);
  for (std::uint32_t level = 0; level < from.levels.size(); ++level) {
    const std::vector<std::uint8_t>& bytes = from.levels[level];
    const VulkanDevice::Buffer buffer = v.buffer(bytes.size());
    std::memcpy(buffer.bytes, bytes.data(), bytes.size());
    VkBufferImageCopy region{};
    region.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, level, 0, from.layers};
    region.imageExtent = {std::max(1u, from.width >> level), std::max(1u, from.height >> level), 1};
    EXPECT_EQ(v.run([&](VkCommandBuffer c) {
      vkCmdCopyBufferToImage(c, buffer.buffer, image.image, VK_IMAGE_LAYOUT_GENERAL, 1, &region);
    }),
              VK_SUCCESS);
  }
  return image;
}

}  // namespace heddle::test
