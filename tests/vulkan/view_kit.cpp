// SPDX-License-Identifier: MIT
#include "vulkan/view_kit.hpp"

#include <algorithm>
#include <ostream>

namespace heddle::test {

std::uint32_t ViewShape::shown(std::uint32_t level, std::int64_t x, std::int64_t y, std::int64_t z,
                               std::uint32_t sample) const {
  const auto inside = [](std::int64_t at, std::uint32_t size) { return at >= 0 && at < std::int64_t{size}; };
  if (level >= count || !inside(x, width(base + level)) || !inside(y, height(base + level)) ||
      !inside(z, shown_slices(level)) || sample >= samples)
    return 0;
  const std::uint32_t slice = (view == VK_IMAGE_VIEW_TYPE_3D ? 0 : first) + static_cast<std::uint32_t>(z);
  return place_word(base + level, slice, static_cast<std::uint32_t>(x), static_cast<std::uint32_t>(y), sample);
}

std::vector<std::uint32_t> ViewShape::sizes(std::uint32_t level) const {
  std::vector<std::uint32_t> list{width(base + level)};
  if (!flat()) list.push_back(height(base + level));
  if (view == VK_IMAGE_VIEW_TYPE_CUBE_ARRAY)
    list.push_back(slices / 6);
  else if (sliced() && !cube())
    list.push_back(shown_slices(level));
  return list;
}

std::string ViewShape::coordinates() const {
  if (flat()) return sliced() ? "ivec2(x, z)" : "x";
  return sliced() ? "ivec3(x, y, z)" : "ivec2(x, y)";
}

void PrintTo(const ViewShape& s, std::ostream* out) {
  *out << s.name << " of " << (s.volume() ? "a volume, " : "") << s.extent.width << "x" << s.extent.height
       << ": levels " << s.base << "+" << s.count << " of " << s.levels << ", slices " << s.first << "+" << s.slices;
  if (s.samples > 1) *out << ", " << s.samples << " samples";
}

void ViewRun::image(std::uint32_t binding, VkDescriptorType type, VkImageView view, VkSampler sampler) {
  added_.push_back({binding, type, {sampler, view, VK_IMAGE_LAYOUT_GENERAL}, VK_NULL_HANDLE});
}
void ViewRun::texels(std::uint32_t binding, VkDescriptorType type, VkBufferView view) {
  added_.push_back({binding, type, {}, view});
}

std::vector<std::uint32_t> ViewRun::run(const std::string& glsl, std::uint32_t invocations, std::size_t words,
                                        const std::vector<std::int32_t>& push) {
  constexpr std::uint32_t kLocal = 32, kPushBytes = 64;
  std::vector<VulkanDevice::Binding> bindings{{0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER}};
  for (const Added& a : added_) bindings.push_back({a.binding, a.type});
  const VkDescriptorSetLayout set_layout = v.set_layout(bindings);
  const VkPipelineLayout layout = v.layout({set_layout}, kPushBytes);
  const VkDescriptorSet set = v.set(set_layout, bindings);
  const VulkanDevice::Buffer out = v.buffer(words * 4);
  std::memset(out.bytes, 0xee, out.size);
  v.write(set, 0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, out);
  for (const Added& a : added_) {
    VkWriteDescriptorSet write{VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET};
    write.dstSet = set;
    write.dstBinding = a.binding;
    write.descriptorCount = 1;
    write.descriptorType = a.type;
    write.pImageInfo = &a.image;
    write.pTexelBufferView = &a.texels;
    vkUpdateDescriptorSets(v.device, 1, &write, 0, nullptr);
  }
  const VkPipeline pipeline = v.pipeline(glsl, layout);
  std::vector<std::int32_t> constants = push;
  constants.resize(kPushBytes / 4);
  EXPECT_EQ(v.run([&](VkCommandBuffer c) {
    vkCmdBindPipeline(c, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
    vkCmdBindDescriptorSets(c, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &set, 0, nullptr);
    vkCmdPushConstants(c, layout, v.stages, 0, kPushBytes, constants.data());
    vkCmdDispatch(c, (invocations + kLocal - 1) / kLocal, 1, 1);
    barrier(c, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_ACCESS_SHADER_WRITE_BIT,
            VK_PIPELINE_STAGE_HOST_BIT | VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
            VK_ACCESS_HOST_READ_BIT | VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT);
  }),
            VK_SUCCESS);
  std::vector<std::uint32_t> result;
  for (std::size_t i = 0; i < words; ++i) result.push_back(out.word(i));
  return result;
}

ViewImage::ViewImage(VulkanDevice& device, const ViewShape& s, VkImageUsageFlags more_usage, VkFormat format)
    : v(device), shape(s) {
  VkImageCreateInfo info = VulkanDevice::image_info(format, s.extent.width, s.extent.height);
  info.imageType = s.type;
  info.extent = s.extent;
  info.mipLevels = s.levels;
  info.arrayLayers = s.layers;
  info.samples = static_cast<VkSampleCountFlagBits>(s.samples);
  info.flags = s.flags;
  info.usage |= VK_IMAGE_USAGE_STORAGE_BIT | more_usage;
  image = v.image(info);
  view = v.view(image.image, format, s.view, {VK_IMAGE_ASPECT_COLOR_BIT, s.base, s.count, s.first, s.slices});
  if (s.samples > 1)
    fill_samples();
  else
    fill();
}

std::vector<VkBufferImageCopy> ViewImage::regions() const {
  std::vector<VkBufferImageCopy> list;
  std::uint64_t offset = 0;
  for (std::uint32_t level = 0; level < shape.levels; ++level) {
    VkBufferImageCopy region{};
    region.bufferOffset = offset;
    region.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, level, 0, shape.layers};
    region.imageExtent = {shape.width(level), shape.height(level), shape.depth(level)};
    offset += std::uint64_t{4} * shape.width(level) * shape.height(level) * shape.stored_slices(level);
    list.push_back(region);
  }
  return list;
}
std::uint64_t ViewImage::bytes() const {
  std::uint64_t size = 0;
  for (std::uint32_t level = 0; level < shape.levels; ++level)
    size += std::uint64_t{4} * shape.width(level) * shape.height(level) * shape.stored_slices(level);
  return size;
}

std::vector<std::uint32_t> ViewImage::expected(
    const std::function<std::uint32_t(std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t)>&
        changed) const {
  std::vector<std::uint32_t> words;
  for (std::uint32_t level = 0; level < shape.levels; ++level)
    for (std::uint32_t slice = 0; slice < shape.stored_slices(level); ++slice)
      for (std::uint32_t y = 0; y < shape.height(level); ++y)
        for (std::uint32_t x = 0; x < shape.width(level); ++x)
          words.push_back(changed(level, slice, x, y, place_word(level, slice, x, y)));
  return words;
}

void ViewImage::fill() {
  const std::vector<std::uint32_t> words =
      expected([](std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t word) { return word; });
  const VulkanDevice::Buffer from = v.buffer(bytes());
  for (std::size_t i = 0; i < words.size(); ++i) from.set(i, words[i]);
  const std::vector<VkBufferImageCopy> list = regions();
  EXPECT_EQ(v.run([&](VkCommandBuffer c) {
    vkCmdCopyBufferToImage(c, from.buffer, image.image, VK_IMAGE_LAYOUT_GENERAL,
                           static_cast<std::uint32_t>(list.size()), list.data());
  }),
            VK_SUCCESS);
}

/// Copies know no samples: a shader writes them, through a view of the whole image.
void ViewImage::fill_samples() {
  ViewRun run(v);
  run.image(1, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE,
            v.view(image.image, VK_FORMAT_R32_UINT, VK_IMAGE_VIEW_TYPE_2D_ARRAY,
                   {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, shape.layers}));
  const std::uint32_t texels = shape.extent.width * shape.extent.height * shape.layers;
  (void)run.run(
      "#version 460\nlayout(local_size_x = 32) in;\nlayout(binding = 0) buffer O { uint o[]; };\n"
      "layout(binding = 1, r32ui) uniform uimage2DMSArray i;\n"
      "layout(push_constant) uniform P { ivec3 size; int samples; };\n"
      "void main() { uint n = gl_GlobalInvocationID.x; uint x = n % size.x, y = n / size.x % size.y, z = n / "
      "(size.x * size.y);\n"
      "  if (z >= size.z) return;\n"
      "  for (uint s = 0; s < samples; ++s) imageStore(i, ivec3(x, y, z), int(s), uvec4(0x80000000u | s << "
      "23 | z << 16 | y << 8 | x)); }\n",
      texels, 1,
      {static_cast<std::int32_t>(shape.extent.width), static_cast<std::int32_t>(shape.extent.height),
       static_cast<std::int32_t>(shape.layers), static_cast<std::int32_t>(shape.samples)});
}

std::vector<std::uint32_t> ViewImage::read() {
  const VulkanDevice::Buffer to = v.buffer(bytes());
  const std::vector<VkBufferImageCopy> list = regions();
  EXPECT_EQ(v.run([&](VkCommandBuffer c) {
    barrier(c);
    vkCmdCopyImageToBuffer(c, image.image, VK_IMAGE_LAYOUT_GENERAL, to.buffer, static_cast<std::uint32_t>(list.size()),
                           list.data());
  }),
            VK_SUCCESS);
  std::vector<std::uint32_t> words;
  for (std::size_t i = 0; i < to.size / 4; ++i) words.push_back(to.word(i));
  return words;
}

}  // namespace heddle::test
