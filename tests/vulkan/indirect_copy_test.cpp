// SPDX-License-Identifier: MIT
// VK_KHR_copy_memory_indirect: copies whose regions stand in memory (TRF-22).

#include <gmock/gmock.h>

#include <array>
#include <cstdlib>
#include <numeric>

#include "vulkan/descriptor_kit.hpp"

namespace heddle::test {
namespace {

using testing::Contains;
using testing::HasSubstr;
using Region = VkCopyMemoryIndirectCommandKHR;
using ImageRegion = VkCopyMemoryToImageIndirectCommandKHR;

constexpr const char* kExtension = "VK_KHR_copy_memory_indirect";

class IndirectCopies {
 public:
  explicit IndirectCopies(bool checks = false) {
    if (checks) setenv("HEDDLE_CHECK", "warn", 1);
    v = std::make_unique<VulkanDevice>(
        std::vector<const char*>{kExtension, VK_KHR_BUFFER_DEVICE_ADDRESS_EXTENSION_NAME});
    if (checks) unsetenv("HEDDLE_CHECK");
    copy = v->proc<PFN_vkCmdCopyMemoryIndirectKHR>("vkCmdCopyMemoryIndirectKHR");
    copy_to_image = v->proc<PFN_vkCmdCopyMemoryToImageIndirectKHR>("vkCmdCopyMemoryToImageIndirectKHR");
    regions = addressed_buffer(*v, 1024);
    from = addressed_buffer(*v, 1024);
    to = addressed_buffer(*v, 1024);
    std::iota(from.bytes, from.bytes + 256, std::uint8_t{0});
    std::fill_n(to.bytes, 1024, std::uint8_t{0xee});
  }
  /// Regions one after another, so many bytes apart.
  template <typename R>
  [[nodiscard]] VkStridedDeviceAddressRangeKHR place(const std::vector<R>& list, std::uint64_t stride = sizeof(R)) {
    for (std::size_t i = 0; i < list.size(); ++i) std::memcpy(regions.bytes + i * stride, &list[i], sizeof(R));
    return {regions.address, list.size() * stride, stride};
  }
  void record(VkCommandBuffer c, const VkStridedDeviceAddressRangeKHR& at, std::uint32_t count) const {
    VkCopyMemoryIndirectInfoKHR info{VK_STRUCTURE_TYPE_COPY_MEMORY_INDIRECT_INFO_KHR};
    info.copyCount = count;
    info.copyAddressRange = at;
    copy(c, &info);
  }
  VkResult run(const std::vector<Region>& list, std::uint64_t stride = sizeof(Region)) {
    const auto at = place(list, stride);
    return v->run([&](VkCommandBuffer c) { record(c, at, static_cast<std::uint32_t>(list.size())); });
  }
  VkResult run(const std::vector<ImageRegion>& list, const VulkanDevice::Image& image) {
    const auto at = place(list);
    std::vector<VkImageSubresourceLayers> layers;
    for (const ImageRegion& r : list) layers.push_back(r.imageSubresource);
    VkCopyMemoryToImageIndirectInfoKHR info{VK_STRUCTURE_TYPE_COPY_MEMORY_TO_IMAGE_INDIRECT_INFO_KHR};
    info.copyCount = static_cast<std::uint32_t>(list.size());
    info.copyAddressRange = at;
    info.dstImage = image.image;
    info.dstImageLayout = VK_IMAGE_LAYOUT_GENERAL;
    if (recorded) layers.front() = *recorded;
    info.pImageSubresources = layers.data();
    return v->run([&](VkCommandBuffer c) { copy_to_image(c, &info); });
  }
  /// An image of bytes, all 0xee.
  [[nodiscard]] VulkanDevice::Image image(VkImageType type, std::uint32_t side, std::uint32_t depth,
                                          std::uint32_t layers, std::uint32_t levels) const {
    VkImageCreateInfo info = VulkanDevice::image_info(VK_FORMAT_R8_UINT, side, side);
    info.imageType = type;
    info.extent.depth = depth;
    info.arrayLayers = layers;
    info.mipLevels = levels;
    info.usage = VK_IMAGE_USAGE_TRANSFER_DST_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT;
    const VulkanDevice::Image made = v->image(info);
    const VkClearColorValue value{.uint32 = {0xee, 0, 0, 0}};
    const VkImageSubresourceRange all{VK_IMAGE_ASPECT_COLOR_BIT, 0, levels, 0, layers};
    EXPECT_EQ(v->run([&](VkCommandBuffer c) {
      vkCmdClearColorImage(c, made.image, VK_IMAGE_LAYOUT_GENERAL, &value, 1, &all);
    }),
              VK_SUCCESS);
    return made;
  }
  [[nodiscard]] std::vector<std::uint8_t> texels(const VulkanDevice::Image& image, std::uint32_t level,
                                                 std::uint32_t layer, const VkExtent3D& extent) const {
    const VulkanDevice::Buffer out = v->buffer(4096);
    const VkBufferImageCopy region{0, 0, 0, {VK_IMAGE_ASPECT_COLOR_BIT, level, layer, 1}, {}, extent};
    EXPECT_EQ(v->run([&](VkCommandBuffer c) {
      vkCmdCopyImageToBuffer(c, image.image, VK_IMAGE_LAYOUT_GENERAL, out.buffer, 1, &region);
    }),
              VK_SUCCESS);
    return {out.bytes, out.bytes + std::size_t{extent.width} * extent.height * extent.depth};
  }
  [[nodiscard]] std::vector<std::uint8_t> copied(std::size_t offset, std::size_t count) const {
    return {to.bytes + offset, to.bytes + offset + count};
  }

  std::unique_ptr<VulkanDevice> v;
  AddressedBuffer regions, from, to;
  const VkImageSubresourceLayers* recorded = nullptr;  ///< in place of the first region's
  PFN_vkCmdCopyMemoryIndirectKHR copy;
  PFN_vkCmdCopyMemoryToImageIndirectKHR copy_to_image;
};

std::vector<std::uint8_t> counted(std::uint8_t first, std::size_t count) {
  std::vector<std::uint8_t> all(count);
  std::iota(all.begin(), all.end(), first);
  return all;
}
const std::vector<std::uint8_t> kUntouched(4, 0xee);

VkImageSubresourceLayers layers(std::uint32_t level, std::uint32_t first, std::uint32_t count) {
  return {VK_IMAGE_ASPECT_COLOR_BIT, level, first, count};
}

TEST(VulkanIndirectCopies, OfMemory_TRF22) {
  HEDDLE_NEED_NEWER();
  IndirectCopies t;
  VkPhysicalDeviceCopyMemoryIndirectPropertiesKHR properties{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_COPY_MEMORY_INDIRECT_PROPERTIES_KHR};
  VkPhysicalDeviceProperties2 all{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, &properties};
  vkGetPhysicalDeviceProperties2(t.v->physical, &all);
  EXPECT_EQ(properties.supportedQueues,
            VkQueueFlags{VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT | VK_QUEUE_TRANSFER_BIT});
  // Three regions, of which one has no bytes, 40 bytes apart; no copies at all are one that does nothing.
  EXPECT_EQ(t.run({{t.from.address + 16, t.to.address, 8},
                   {t.from.address, t.to.address + 64, 0},
                   {t.from.address + 100, t.to.address + 32, 20}},
                  40),
            VK_SUCCESS);
  EXPECT_EQ(t.copied(0, 8), counted(16, 8));
  EXPECT_EQ(t.copied(8, 4), kUntouched);
  EXPECT_EQ(t.copied(32, 20), counted(100, 20));
  EXPECT_EQ(t.copied(28, 4), kUntouched);
  EXPECT_EQ(t.copied(52, 4), kUntouched);
  EXPECT_EQ(t.copied(64, 4), kUntouched);
  EXPECT_EQ(t.run(std::vector<Region>{}), VK_SUCCESS);
}

// The regions are those that stand there when the copy runs, and what wrote them may be a shader.
TEST(VulkanIndirectCopies, ReadTheirRegionsWhenTheyRun_TRF22) {
  HEDDLE_NEED_NEWER();
  HEDDLE_NEED_SHADERS();
  IndirectCopies t;
  const VkStridedDeviceAddressRangeKHR at = t.place<Region>({{0, 0, 0}});
  const std::vector<VulkanDevice::Binding> bindings = {{0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER}};
  const VkDescriptorSetLayout sets = t.v->set_layout(bindings);
  const VkPipelineLayout layout = t.v->layout({sets}, 16);
  const VkDescriptorSet set = t.v->set(sets, bindings);
  t.v->write(set, 0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, {t.regions.buffer, t.regions.memory, nullptr, 1024});
  const VkPipeline pipeline = t.v->pipeline(
      "#version 450\nlayout(binding = 0) buffer B { uvec2 b[]; };\nlayout(push_constant) uniform P { uvec2 a[2]; };\n"
      "void main() { b[0] = a[0]; b[1] = a[1]; b[2] = uvec2(12u, 0u); }\n",
      layout);
  const std::array<std::uint64_t, 2> addresses = {t.from.address + 4, t.to.address + 8};
  EXPECT_EQ(t.v->run([&](VkCommandBuffer c) {
    vkCmdBindPipeline(c, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
    vkCmdBindDescriptorSets(c, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &set, 0, nullptr);
    vkCmdPushConstants(c, layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, 16, addresses.data());
    vkCmdDispatch(c, 1, 1, 1);
    barrier(c);
    t.record(c, at, 1);
  }),
            VK_SUCCESS);
  EXPECT_EQ(t.copied(8, 12), counted(4, 12));
  EXPECT_EQ(t.copied(20, 4), kUntouched);
}

TEST(VulkanIndirectCopies, ToImages_TRF22) {
  HEDDLE_NEED_NEWER();
  IndirectCopies t;
  VkFormatProperties3 format{VK_STRUCTURE_TYPE_FORMAT_PROPERTIES_3};
  VkFormatProperties2 all{VK_STRUCTURE_TYPE_FORMAT_PROPERTIES_2, &format, {}};
  vkGetPhysicalDeviceFormatProperties2(t.v->physical, VK_FORMAT_R8_UINT, &all);
  EXPECT_NE(format.optimalTilingFeatures & VK_FORMAT_FEATURE_2_COPY_IMAGE_INDIRECT_DST_BIT_KHR, 0u);
  // Rows of eight texels, of which two are taken; both layers of the second level, four rows apart.
  const VulkanDevice::Image image = t.image(VK_IMAGE_TYPE_2D, 8, 1, 2, 2);
  EXPECT_EQ(t.run(std::vector<ImageRegion>{{t.from.address + 4, 8, 4, layers(1, 0, 2), {1, 2, 0}, {2, 2, 1}},
                                           {t.from.address, 0, 0, layers(0, 1, 1), {}, {8, 0, 1}},
                                           {t.from.address + 200, 0, 0, layers(0, 1, 1), {7, 7, 0}, {1, 1, 1}}},
                  image),
            VK_SUCCESS);
  const auto quarter = [](std::uint8_t first) {
    std::vector<std::uint8_t> texels(16, 0xee);
    texels[9] = first, texels[10] = static_cast<std::uint8_t>(first + 1);
    texels[13] = static_cast<std::uint8_t>(first + 8), texels[14] = static_cast<std::uint8_t>(first + 9);
    return texels;
  };
  EXPECT_EQ(t.texels(image, 1, 0, {4, 4, 1}), quarter(4));
  EXPECT_EQ(t.texels(image, 1, 1, {4, 4, 1}), quarter(4 + 32));
  std::vector<std::uint8_t> last(64, 0xee);
  EXPECT_EQ(t.texels(image, 0, 0, {8, 8, 1}), last);
  last.back() = 200;
  EXPECT_EQ(t.texels(image, 0, 1, {8, 8, 1}), last);
}

// Slices are named as layers, or as all that remain, whatever the region in memory says of z.
TEST(VulkanIndirectCopies, ToSlicesOfVolumes_TRF22) {
  HEDDLE_NEED_NEWER();
  IndirectCopies t;
  const VulkanDevice::Image volume = t.image(VK_IMAGE_TYPE_3D, 2, 4, 1, 1);
  EXPECT_EQ(
      t.run(
          std::vector<ImageRegion>{{t.from.address, 0, 0, layers(0, 1, 1), {}, {2, 2, 1}},
                                   {t.from.address + 64, 0, 0, layers(0, 3, VK_REMAINING_ARRAY_LAYERS), {}, {2, 2, 1}}},
          volume),
      VK_SUCCESS);
  std::vector<std::uint8_t> expected(16, 0xee);
  std::iota(expected.begin() + 4, expected.begin() + 8, std::uint8_t{0});
  std::iota(expected.begin() + 12, expected.begin() + 16, std::uint8_t{64});
  EXPECT_EQ(t.texels(volume, 0, 0, {2, 2, 4}), expected);
}

// Regions before a wrong one are copied; those behind it are not. Nothing else happens.
TEST(VulkanIndirectCopies, EndAtWrongRegions_TRF22) {
  HEDDLE_NEED_NEWER();
  IndirectCopies t;
  t.v->expects_messages = true;
  const Region good{t.from.address, t.to.address, 4}, after{t.from.address, t.to.address + 16, 4};
  const auto refused = [&](const Region& wrong, const char* what) {
    std::fill_n(t.to.bytes, 1024, std::uint8_t{0xee});
    t.v->messages.clear();
    EXPECT_EQ(t.run({good, wrong, after}), VK_SUCCESS);
    EXPECT_THAT(t.v->messages, Contains(HasSubstr(what)));
    EXPECT_EQ(t.copied(0, 4), counted(0, 4));
    EXPECT_EQ(t.copied(16, 4), kUntouched);
  };
  refused({16, t.to.address + 8, 4}, "the source of a region is at the address 0x10");
  refused({t.from.address, ~std::uint64_t{3}, 8}, "the destination of a region is at the address");
  refused({t.from.address, t.to.address + 8, std::uint64_t{1} << 60}, "the source of a region");
  t.v->messages.clear();
  const auto short_range = t.place<Region>({good, after});
  EXPECT_EQ(t.v->run([&](VkCommandBuffer c) { t.record(c, {short_range.address, 30, 24}, 2); }), VK_SUCCESS);
  EXPECT_THAT(t.v->messages, Contains(HasSubstr("copyAddressRange ends before the last region")));
  EXPECT_EQ(t.copied(16, 4), kUntouched);
  EXPECT_EQ(t.v->run([&](VkCommandBuffer c) { t.record(c, {8, 1024, 24}, 2); }), VK_SUCCESS);
  EXPECT_THAT(t.v->messages, Contains(HasSubstr("a region is at the address 0x8")));
  // Strides that lead to the first region again: no copy, and an end at once.
  std::fill_n(t.to.bytes, 1024, std::uint8_t{0xee});
  for (const std::uint64_t stride : {std::uint64_t{0}, std::uint64_t{20}}) {
    t.v->messages.clear();
    EXPECT_EQ(t.v->run([&](VkCommandBuffer c) { t.record(c, {short_range.address, 1024, stride}, ~0u); }), VK_SUCCESS);
    EXPECT_THAT(t.v->messages, Contains(HasSubstr("a stride that is smaller than a region"))) << stride;
    EXPECT_EQ(t.copied(0, 4), kUntouched) << stride;
  }
  t.v->messages.clear();
  EXPECT_EQ(t.v->run([&](VkCommandBuffer c) { t.record(c, {short_range.address, 1024, std::uint64_t{1} << 63}, ~0u); }),
            VK_SUCCESS);
  EXPECT_THAT(t.v->messages, Contains(HasSubstr("copyAddressRange ends before the last region")));
  EXPECT_EQ(t.copied(0, 4), counted(0, 4));
  // The subresource that was recorded counts.
  const VulkanDevice::Image image = t.image(VK_IMAGE_TYPE_2D, 4, 1, 2, 1);
  const VkImageSubresourceLayers second = layers(0, 1, 1);
  t.recorded = &second;
  EXPECT_EQ(t.run(std::vector<ImageRegion>{{t.from.address, 0, 0, layers(0, 0, 1), {}, {4, 4, 1}}}, image), VK_SUCCESS);
  EXPECT_THAT(t.v->messages, Contains(HasSubstr("another subresource")));
  for (const std::uint32_t layer : {0u, 1u})
    EXPECT_EQ(t.texels(image, 0, layer, {4, 4, 1}), std::vector<std::uint8_t>(16, 0xee));
}

// The sanitizer knows the stage that reads regions, and what the copies themselves read and write.
TEST(VulkanIndirectCopies, AreWatched_TRF22) {
  HEDDLE_NEED_NEWER();
  IndirectCopies t(true);
  t.v->expects_messages = true;
  const VkStridedDeviceAddressRangeKHR at = t.place<Region>({{t.from.address, t.to.address, 8}});
  const auto told = [&](VkPipelineStageFlags2 to, VkAccessFlags2 access) {
    t.v->messages.clear();
    const auto wait = t.v->proc<PFN_vkCmdPipelineBarrier2>("vkCmdPipelineBarrier2");
    EXPECT_EQ(t.v->run([&](VkCommandBuffer c) {
      vkCmdUpdateBuffer(c, t.regions.buffer, 0, sizeof(Region), t.regions.bytes);
      const VkMemoryBarrier2 b{VK_STRUCTURE_TYPE_MEMORY_BARRIER_2, nullptr, VK_PIPELINE_STAGE_2_ALL_TRANSFER_BIT,
                               VK_ACCESS_2_TRANSFER_WRITE_BIT,     to,      access};
      VkDependencyInfo d{VK_STRUCTURE_TYPE_DEPENDENCY_INFO};
      d.memoryBarrierCount = 1;
      d.pMemoryBarriers = &b;
      wait(c, &d);
      t.record(c, at, 1);
    }),
              VK_SUCCESS);
    return t.v->messages;
  };
  EXPECT_THAT(told(VK_PIPELINE_STAGE_2_COPY_INDIRECT_BIT_KHR, VK_ACCESS_2_INDIRECT_COMMAND_READ_BIT),
              testing::IsEmpty());
  EXPECT_THAT(told(VK_PIPELINE_STAGE_2_COPY_BIT, VK_ACCESS_2_TRANSFER_READ_BIT),
              Contains(testing::AllOf(HasSubstr("run-barrier-missing"), HasSubstr("vkCmdCopyMemoryIndirectKHR"))));
  // A copy behind one that writes what it reads.
  t.v->messages.clear();
  const Region back{t.to.address, t.from.address + 512, 8};
  std::memcpy(t.regions.bytes + sizeof(Region), &back, sizeof back);
  EXPECT_EQ(t.v->run([&](VkCommandBuffer c) {
    t.record(c, at, 1);
    t.record(c, {at.address + sizeof(Region), sizeof(Region), sizeof(Region)}, 1);
  }),
            VK_SUCCESS);
  EXPECT_THAT(t.v->messages, Contains(testing::AllOf(HasSubstr("run-barrier-missing"), HasSubstr("read of"))));
}

}  // namespace
}  // namespace heddle::test
