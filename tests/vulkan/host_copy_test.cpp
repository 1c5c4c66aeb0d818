// SPDX-License-Identifier: MIT
// VK_EXT_host_image_copy: the host copies to and from images itself.

#include <algorithm>
#include <numeric>

#include "vulkan/canvas.hpp"

namespace heddle::test {
namespace {

struct HostCopies {
  VulkanDevice v{
      {"VK_EXT_host_image_copy", VK_KHR_COPY_COMMANDS_2_EXTENSION_NAME, VK_KHR_FORMAT_FEATURE_FLAGS_2_EXTENSION_NAME}};
  PFN_vkCopyMemoryToImage to_image = v.proc<PFN_vkCopyMemoryToImage>("vkCopyMemoryToImageEXT");
  PFN_vkCopyImageToMemory to_memory = v.proc<PFN_vkCopyImageToMemory>("vkCopyImageToMemoryEXT");
  PFN_vkCopyImageToImage between = v.proc<PFN_vkCopyImageToImage>("vkCopyImageToImageEXT");
  PFN_vkTransitionImageLayout transition = v.proc<PFN_vkTransitionImageLayout>("vkTransitionImageLayoutEXT");

  VulkanDevice::Image image(VkFormat format, std::uint32_t width, std::uint32_t height, std::uint32_t layers = 1) {
    VkImageCreateInfo info = VulkanDevice::image_info(format, width, height);
    info.arrayLayers = layers;
    info.usage = VK_IMAGE_USAGE_HOST_TRANSFER_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT;
    return v.image(info);
  }
  VkResult write(VkImage image, const VkMemoryToImageCopy& region, VkHostImageCopyFlags flags = 0) const {
    const VkCopyMemoryToImageInfo info{
        VK_STRUCTURE_TYPE_COPY_MEMORY_TO_IMAGE_INFO, nullptr, flags, image, VK_IMAGE_LAYOUT_GENERAL, 1, &region};
    return to_image(v.device, &info);
  }
  VkResult read(VkImage image, const VkImageToMemoryCopy& region, VkHostImageCopyFlags flags = 0) const {
    const VkCopyImageToMemoryInfo info{
        VK_STRUCTURE_TYPE_COPY_IMAGE_TO_MEMORY_INFO, nullptr, flags, image, VK_IMAGE_LAYOUT_GENERAL, 1, &region};
    return to_memory(v.device, &info);
  }
};

constexpr VkImageSubresourceLayers kColor{VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};

// Rows that lie apart in memory, a region inside the image; what is around it stays.
TEST(VulkanHostCopy, RegionsOfImages) {
  HEDDLE_NEED_NEWER();
  HostCopies h;
  const auto image = h.image(VK_FORMAT_R32_UINT, 4, 4);
  const std::vector<std::uint32_t> zeros(16);
  VkMemoryToImageCopy whole{VK_STRUCTURE_TYPE_MEMORY_TO_IMAGE_COPY, nullptr, zeros.data(), 0, 0, kColor, {}, {4, 4, 1}};
  ASSERT_EQ(h.write(image.image, whole), VK_SUCCESS);
  std::vector<std::uint32_t> from(20);
  std::iota(from.begin(), from.end(), 100u);
  const VkMemoryToImageCopy part{
      VK_STRUCTURE_TYPE_MEMORY_TO_IMAGE_COPY, nullptr, from.data(), 5, 0, kColor, {1, 2, 0}, {2, 2, 1}};
  ASSERT_EQ(h.write(image.image, part), VK_SUCCESS);
  std::vector<std::uint32_t> all(16, 7);
  const VkImageToMemoryCopy back{
      VK_STRUCTURE_TYPE_IMAGE_TO_MEMORY_COPY, nullptr, all.data(), 0, 0, kColor, {}, {4, 4, 1}};
  ASSERT_EQ(h.read(image.image, back), VK_SUCCESS);
  EXPECT_EQ(all, (std::vector<std::uint32_t>{0, 0, 0, 0, 0, 0, 0, 0, 0, 100, 101, 0, 0, 105, 106, 0}));
  // The device sees the same.
  const auto out = h.v.buffer(64);
  VkBufferImageCopy region{};
  region.imageSubresource = kColor;
  region.imageExtent = {4, 4, 1};
  ASSERT_EQ(h.v.run([&](VkCommandBuffer c) {
    vkCmdCopyImageToBuffer(c, image.image, VK_IMAGE_LAYOUT_GENERAL, out.buffer, 1, &region);
  }),
            VK_SUCCESS);
  EXPECT_EQ(out.word(14), 106u);
}

TEST(VulkanHostCopy, FromImageToImageAndToMemoryAsAWhole) {
  HEDDLE_NEED_NEWER();
  HostCopies h;
  const auto a = h.image(VK_FORMAT_R8G8B8A8_UNORM, 3, 2, 2), b = h.image(VK_FORMAT_R8G8B8A8_UNORM, 3, 2, 2);
  std::vector<std::uint32_t> from(12);
  std::iota(from.begin(), from.end(), 0x01020300u);
  const VkImageSubresourceLayers both{VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, VK_REMAINING_ARRAY_LAYERS};
  const VkMemoryToImageCopy in{VK_STRUCTURE_TYPE_MEMORY_TO_IMAGE_COPY, nullptr, from.data(), 0, 0, both, {}, {3, 2, 1}};
  ASSERT_EQ(h.write(a.image, in), VK_SUCCESS);
  const VkImageCopy2 region{VK_STRUCTURE_TYPE_IMAGE_COPY_2, nullptr, both, {}, both, {}, {3, 2, 1}};
  const VkCopyImageToImageInfo copy{VK_STRUCTURE_TYPE_COPY_IMAGE_TO_IMAGE_INFO,
                                    nullptr,
                                    0,
                                    a.image,
                                    VK_IMAGE_LAYOUT_GENERAL,
                                    b.image,
                                    VK_IMAGE_LAYOUT_GENERAL,
                                    1,
                                    &region};
  ASSERT_EQ(h.between(h.v.device, &copy), VK_SUCCESS);
  const VkImageSubresource2 which{VK_STRUCTURE_TYPE_IMAGE_SUBRESOURCE_2, nullptr, {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1}};
  VkSubresourceHostMemcpySize size{VK_STRUCTURE_TYPE_SUBRESOURCE_HOST_MEMCPY_SIZE};
  VkSubresourceLayout2 layout{VK_STRUCTURE_TYPE_SUBRESOURCE_LAYOUT_2, &size, {}};
  h.v.proc<PFN_vkGetImageSubresourceLayout2>("vkGetImageSubresourceLayout2EXT")(h.v.device, b.image, &which, &layout);
  ASSERT_EQ(size.size, 24u);
  std::vector<std::uint8_t> bytes(size.size + 1, 0xee);
  const VkImageSubresourceLayers second{VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 1};
  const VkImageToMemoryCopy out{
      VK_STRUCTURE_TYPE_IMAGE_TO_MEMORY_COPY, nullptr, bytes.data(), 0, 0, second, {}, {3, 2, 1}};
  ASSERT_EQ(h.read(b.image, out, VK_HOST_IMAGE_COPY_MEMCPY_BIT), VK_SUCCESS);
  EXPECT_EQ(std::memcmp(bytes.data(), &from[6], 24), 0);
  EXPECT_EQ(bytes[24], 0xee) << "nothing behind it is written";
  // What went out as a whole comes in as a whole.
  const VkImageSubresourceLayers first{VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};
  const VkMemoryToImageCopy again{
      VK_STRUCTURE_TYPE_MEMORY_TO_IMAGE_COPY, nullptr, bytes.data(), 0, 0, first, {}, {3, 2, 1}};
  ASSERT_EQ(h.write(a.image, again, VK_HOST_IMAGE_COPY_MEMCPY_BIT), VK_SUCCESS);
  std::vector<std::uint32_t> texels(6);
  const VkImageToMemoryCopy seen{
      VK_STRUCTURE_TYPE_IMAGE_TO_MEMORY_COPY, nullptr, texels.data(), 0, 0, first, {}, {3, 2, 1}};
  ASSERT_EQ(h.read(a.image, seen), VK_SUCCESS);
  EXPECT_TRUE(std::equal(texels.begin(), texels.end(), from.begin() + 6));
}

// Blocks of compressed texels; depth and stencil by themselves; a region that leaves the image is refused with a
// message.
TEST(VulkanHostCopy, BlocksAspectsAndRegionsThatAreRefused) {
  HEDDLE_NEED_NEWER();
  HostCopies h;
  const auto blocks = h.image(VK_FORMAT_BC1_RGB_UNORM_BLOCK, 8, 4);
  std::vector<std::uint8_t> from(16), to(16);
  std::iota(from.begin(), from.end(), std::uint8_t{1});
  const VkMemoryToImageCopy in{
      VK_STRUCTURE_TYPE_MEMORY_TO_IMAGE_COPY, nullptr, from.data(), 0, 0, kColor, {}, {8, 4, 1}};
  ASSERT_EQ(h.write(blocks.image, in), VK_SUCCESS);
  const VkImageToMemoryCopy second{
      VK_STRUCTURE_TYPE_IMAGE_TO_MEMORY_COPY, nullptr, to.data(), 0, 0, kColor, {4, 0, 0}, {4, 4, 1}};
  ASSERT_EQ(h.read(blocks.image, second), VK_SUCCESS);
  EXPECT_EQ(to[0], 9);
  EXPECT_EQ(to[7], 16);
  EXPECT_EQ(to[8], 0);

  const auto both = h.image(VK_FORMAT_D32_SFLOAT_S8_UINT, 2, 1);
  const float depths[] = {0.25f, 0.75f};
  const std::uint8_t stencils[] = {3, 200};
  const auto aspect = [&](VkImageAspectFlags of, const void* memory) {
    const VkImageSubresourceLayers layer{of, 0, 0, 1};
    const VkMemoryToImageCopy region{
        VK_STRUCTURE_TYPE_MEMORY_TO_IMAGE_COPY, nullptr, memory, 0, 0, layer, {}, {2, 1, 1}};
    return h.write(both.image, region);
  };
  ASSERT_EQ(aspect(VK_IMAGE_ASPECT_DEPTH_BIT, depths), VK_SUCCESS);
  ASSERT_EQ(aspect(VK_IMAGE_ASPECT_STENCIL_BIT, stencils), VK_SUCCESS);
  float depth[2] = {};
  const VkImageToMemoryCopy out{VK_STRUCTURE_TYPE_IMAGE_TO_MEMORY_COPY, nullptr, depth,    0, 0,
                                {VK_IMAGE_ASPECT_DEPTH_BIT, 0, 0, 1},   {},      {2, 1, 1}};
  ASSERT_EQ(h.read(both.image, out), VK_SUCCESS);
  EXPECT_EQ(depth[0], 0.25f);
  EXPECT_EQ(depth[1], 0.75f);

  h.v.expects_messages = true;
  const std::size_t heard = h.v.messages.size();
  VkMemoryToImageCopy wrong = in;
  wrong.imageOffset = {4, 0, 0};
  EXPECT_NE(h.write(blocks.image, wrong), VK_SUCCESS);
  wrong = in;
  wrong.imageSubresource.aspectMask = VK_IMAGE_ASPECT_DEPTH_BIT;
  EXPECT_NE(h.write(blocks.image, wrong), VK_SUCCESS);
  wrong = in;
  wrong.imageSubresource.mipLevel = 99;
  EXPECT_NE(h.write(blocks.image, wrong), VK_SUCCESS);
  ASSERT_EQ(h.v.messages.size(), heard + 3);
  EXPECT_NE(h.v.messages.back().find("vkCopyMemoryToImage"), std::string::npos) << h.v.messages.back();
}

TEST(VulkanHostCopy, TheDeviceSaysWhatMayBeCopied) {
  HEDDLE_NEED_NEWER();
  HostCopies h;
  VkPhysicalDeviceHostImageCopyProperties can{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_HOST_IMAGE_COPY_PROPERTIES};
  VkPhysicalDeviceProperties2 all{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, &can, {}};
  vkGetPhysicalDeviceProperties2(h.v.physical, &all);
  EXPECT_GE(can.copySrcLayoutCount, 8u);
  std::vector<VkImageLayout> sources(can.copySrcLayoutCount), targets(2);
  can.pCopySrcLayouts = sources.data();
  can.pCopyDstLayouts = targets.data();
  can.copyDstLayoutCount = 2;
  vkGetPhysicalDeviceProperties2(h.v.physical, &all);
  EXPECT_EQ(can.copyDstLayoutCount, 2u);
  EXPECT_EQ(std::ranges::count(sources, VK_IMAGE_LAYOUT_GENERAL), 1);
  EXPECT_EQ(can.identicalMemoryTypeRequirements, VK_TRUE);
  VkFormatProperties3 features{VK_STRUCTURE_TYPE_FORMAT_PROPERTIES_3};
  VkFormatProperties2 format{VK_STRUCTURE_TYPE_FORMAT_PROPERTIES_2, &features, {}};
  vkGetPhysicalDeviceFormatProperties2(h.v.physical, VK_FORMAT_R8G8B8A8_UNORM, &format);
  EXPECT_NE(features.optimalTilingFeatures & VK_FORMAT_FEATURE_2_HOST_IMAGE_TRANSFER_BIT, 0u);
  VkHostImageCopyDevicePerformanceQuery speed{VK_STRUCTURE_TYPE_HOST_IMAGE_COPY_DEVICE_PERFORMANCE_QUERY};
  VkImageFormatProperties2 image{VK_STRUCTURE_TYPE_IMAGE_FORMAT_PROPERTIES_2, &speed, {}};
  const VkPhysicalDeviceImageFormatInfo2 asked{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_IMAGE_FORMAT_INFO_2,
                                               nullptr,
                                               VK_FORMAT_R8G8B8A8_UNORM,
                                               VK_IMAGE_TYPE_2D,
                                               VK_IMAGE_TILING_OPTIMAL,
                                               VK_IMAGE_USAGE_HOST_TRANSFER_BIT | VK_IMAGE_USAGE_SAMPLED_BIT,
                                               0};
  EXPECT_EQ(vkGetPhysicalDeviceImageFormatProperties2(h.v.physical, &asked, &image), VK_SUCCESS);
  EXPECT_EQ(speed.optimalDeviceAccess, VK_TRUE);
  const auto whole = h.image(VK_FORMAT_R8G8B8A8_UNORM, 2, 2);
  const VkHostImageLayoutTransitionInfo change{VK_STRUCTURE_TYPE_HOST_IMAGE_LAYOUT_TRANSITION_INFO,
                                               nullptr,
                                               whole.image,
                                               VK_IMAGE_LAYOUT_GENERAL,
                                               VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL,
                                               {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1}};
  EXPECT_EQ(h.transition(h.v.device, 1, &change), VK_SUCCESS);
}

}  // namespace
}  // namespace heddle::test
