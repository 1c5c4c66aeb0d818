// SPDX-License-Identifier: MIT
// Memory, buffers and images: what is put in comes out; copies, clears, blits and resolves reach pipeline/transfer.

#include <algorithm>
#include <array>
#include <cstdlib>
#include <numeric>

#include "vulkan/device.hpp"

namespace heddle::test {
namespace {

constexpr VkImageSubresourceLayers kColor{VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};
constexpr VkImageSubresourceRange kAll{VK_IMAGE_ASPECT_COLOR_BIT, 0, VK_REMAINING_MIP_LEVELS, 0,
                                       VK_REMAINING_ARRAY_LAYERS};

TEST(VulkanMemory, IsZeroAndOneOfOneKind) {
  VulkanDevice v;
  VkPhysicalDeviceMemoryProperties memory;
  vkGetPhysicalDeviceMemoryProperties(v.physical, &memory);
  ASSERT_EQ(memory.memoryTypeCount, 1u);
  EXPECT_EQ(memory.memoryTypes[0].propertyFlags,
            VkMemoryPropertyFlags{VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT | VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT |
                                  VK_MEMORY_PROPERTY_HOST_COHERENT_BIT | VK_MEMORY_PROPERTY_HOST_CACHED_BIT});
  const auto b = v.buffer(100000);
  EXPECT_TRUE(std::all_of(b.bytes, b.bytes + b.size, [](std::uint8_t x) { return x == 0; }));
}

TEST(VulkanMemory, MoreThanThereIsIsRefused) {
  if (std::getenv("HEDDLE_TEST_VALIDATION") != nullptr) GTEST_SKIP() << "breaks the rules on purpose";
  VulkanDevice v;
  VkMemoryAllocateInfo info{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, nullptr, std::uint64_t{1} << 60, 0};
  VkDeviceMemory memory = VK_NULL_HANDLE;
  EXPECT_EQ(vkAllocateMemory(v.device, &info, nullptr, &memory), VK_ERROR_OUT_OF_DEVICE_MEMORY);
}

TEST(VulkanMemory, AHostPointerBecomesABuffer) {
  VulkanDevice v({VK_EXT_EXTERNAL_MEMORY_HOST_EXTENSION_NAME});
  alignas(64) static std::array<std::uint32_t, 1024> words;
  std::iota(words.begin(), words.end(), 5u);
  VkExternalMemoryBufferCreateInfo external{VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO, nullptr,
                                            VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT};
  VkBufferCreateInfo info{VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, &external};
  info.size = 4096;
  info.usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT;
  VkBuffer buffer = VK_NULL_HANDLE;
  ASSERT_EQ(vkCreateBuffer(v.device, &info, nullptr, &buffer), VK_SUCCESS);
  VkImportMemoryHostPointerInfoEXT host{VK_STRUCTURE_TYPE_IMPORT_MEMORY_HOST_POINTER_INFO_EXT, nullptr,
                                        VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT, words.data()};
  VkMemoryAllocateInfo allocate{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, &host, 4096, 0};
  VkDeviceMemory memory = VK_NULL_HANDLE;
  ASSERT_EQ(vkAllocateMemory(v.device, &allocate, nullptr, &memory), VK_SUCCESS);
  ASSERT_EQ(vkBindBufferMemory(v.device, buffer, memory, 0), VK_SUCCESS);
  const auto out = v.buffer(4096);
  EXPECT_EQ(v.run([&](VkCommandBuffer c) {
    const VkBufferCopy region{0, 0, 4096};
    vkCmdCopyBuffer(c, buffer, out.buffer, 1, &region);
  }),
            VK_SUCCESS);
  EXPECT_EQ(std::memcmp(out.bytes, words.data(), 4096), 0);
  vkDestroyBuffer(v.device, buffer, nullptr);
  vkFreeMemory(v.device, memory, nullptr);
}

TEST(VulkanTransfer, BuffersAreFilledUpdatedAndCopied) {
  VulkanDevice v;
  const auto a = v.buffer(64), b = v.buffer(64);
  const std::uint32_t words[] = {7, 8, 9};
  EXPECT_EQ(v.run([&](VkCommandBuffer c) {
    vkCmdFillBuffer(c, a.buffer, 4, 12, 0xabcd1234);
    vkCmdUpdateBuffer(c, a.buffer, 32, sizeof words, words);
    const VkBufferCopy regions[] = {{0, 0, 16}, {32, 16, 12}};
    vkCmdCopyBuffer(c, a.buffer, b.buffer, 2, regions);
  }),
            VK_SUCCESS);
  EXPECT_EQ(b.word(0), 0u);
  EXPECT_EQ(b.word(1), 0xabcd1234u);
  EXPECT_EQ(b.word(3), 0xabcd1234u);
  EXPECT_EQ(b.word(4), 7u);
  EXPECT_EQ(b.word(6), 9u);
}

TEST(VulkanTransfer, TexelsGoIntoAnImageAndBack) {
  VulkanDevice v;
  const auto in = v.buffer(8 * 8 * 4), out = v.buffer(8 * 8 * 4);
  for (std::size_t i = 0; i < 64; ++i) in.set(i, static_cast<std::uint32_t>(i * 0x01010101u));
  auto info = VulkanDevice::image_info(VK_FORMAT_R8G8B8A8_UNORM, 8, 8);
  info.arrayLayers = 2;
  const auto first = v.image(info), second = v.image(info);
  const VkBufferImageCopy region{0, 0, 0, {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 1}, {0, 0, 0}, {8, 8, 1}};
  const VkImageCopy copy{{VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 1}, {0, 0, 0}, kColor, {0, 0, 0}, {8, 8, 1}};
  const VkBufferImageCopy back{0, 0, 0, kColor, {0, 0, 0}, {8, 8, 1}};
  EXPECT_EQ(v.run([&](VkCommandBuffer c) {
    vkCmdCopyBufferToImage(c, in.buffer, first.image, VK_IMAGE_LAYOUT_GENERAL, 1, &region);
    vkCmdCopyImage(c, first.image, VK_IMAGE_LAYOUT_GENERAL, second.image, VK_IMAGE_LAYOUT_GENERAL, 1, &copy);
    vkCmdCopyImageToBuffer(c, second.image, VK_IMAGE_LAYOUT_GENERAL, out.buffer, 1, &back);
  }),
            VK_SUCCESS);
  EXPECT_EQ(std::memcmp(in.bytes, out.bytes, in.size), 0);
}

TEST(VulkanTransfer, TheMappedBytesAreWhereTheLayoutSays) {
  VulkanDevice v;
  auto info = VulkanDevice::image_info(VK_FORMAT_R32_UINT, 5, 3);
  info.tiling = VK_IMAGE_TILING_LINEAR;
  info.mipLevels = 2;
  const auto image = v.image(info);
  const VkClearColorValue value{.uint32 = {77, 0, 0, 0}};
  const VkImageSubresourceRange second{VK_IMAGE_ASPECT_COLOR_BIT, 1, 1, 0, 1};
  EXPECT_EQ(v.run([&](VkCommandBuffer c) {
    vkCmdClearColorImage(c, image.image, VK_IMAGE_LAYOUT_GENERAL, &value, 1, &second);
  }),
            VK_SUCCESS);
  void* mapped = nullptr;
  ASSERT_EQ(vkMapMemory(v.device, image.memory, 0, VK_WHOLE_SIZE, 0, &mapped), VK_SUCCESS);
  const auto word = [&](std::uint32_t level, std::uint32_t x, std::uint32_t y) {
    const VkImageSubresource which{VK_IMAGE_ASPECT_COLOR_BIT, level, 0};
    VkSubresourceLayout at;
    vkGetImageSubresourceLayout(v.device, image.image, &which, &at);
    std::uint32_t value_there = 0;
    std::memcpy(&value_there, static_cast<std::uint8_t*>(mapped) + at.offset + y * at.rowPitch + 4 * x, 4);
    return value_there;
  };
  EXPECT_EQ(word(0, 4, 2), 0u);
  EXPECT_EQ(word(1, 0, 0), 77u);
  EXPECT_EQ(word(1, 1, 0), 77u);
}

TEST(VulkanTransfer, DepthAndStencilAreApart) {
  VulkanDevice v;
  auto info = VulkanDevice::image_info(VK_FORMAT_D32_SFLOAT_S8_UINT, 4, 4);
  const auto image = v.image(info);
  const auto depth = v.buffer(64), stencil = v.buffer(16);
  const VkClearDepthStencilValue value{0.25f, 9};
  const VkImageSubresourceRange both{VK_IMAGE_ASPECT_DEPTH_BIT | VK_IMAGE_ASPECT_STENCIL_BIT, 0, 1, 0, 1};
  EXPECT_EQ(v.run([&](VkCommandBuffer c) {
    vkCmdClearDepthStencilImage(c, image.image, VK_IMAGE_LAYOUT_GENERAL, &value, 1, &both);
    VkBufferImageCopy region{0, 0, 0, {VK_IMAGE_ASPECT_DEPTH_BIT, 0, 0, 1}, {0, 0, 0}, {4, 4, 1}};
    vkCmdCopyImageToBuffer(c, image.image, VK_IMAGE_LAYOUT_GENERAL, depth.buffer, 1, &region);
    region.imageSubresource.aspectMask = VK_IMAGE_ASPECT_STENCIL_BIT;
    vkCmdCopyImageToBuffer(c, image.image, VK_IMAGE_LAYOUT_GENERAL, stencil.buffer, 1, &region);
  }),
            VK_SUCCESS);
  EXPECT_EQ(depth.word(15), 0x3e800000u);
  EXPECT_EQ(stencil.bytes[15], 9);
}

TEST(VulkanTransfer, BlitsScaleAndResolvesAverage) {
  VulkanDevice v;
  const auto in = v.buffer(16), out = v.buffer(64), one = v.buffer(4);
  for (std::size_t i = 0; i < 4; ++i) in.set(i, static_cast<std::uint32_t>(i + 1) * 0x10u);
  const auto small = v.image(VulkanDevice::image_info(VK_FORMAT_R8G8B8A8_UNORM, 2, 2));
  const auto large = v.image(VulkanDevice::image_info(VK_FORMAT_R8G8B8A8_UNORM, 4, 4));
  auto many = VulkanDevice::image_info(VK_FORMAT_R8G8B8A8_UNORM, 1, 1);
  const auto single = v.image(many);
  many.samples = VK_SAMPLE_COUNT_4_BIT;
  const auto samples = v.image(many);
  const VkClearColorValue value{.float32 = {1, 0.5f, 0, 1}};
  EXPECT_EQ(v.run([&](VkCommandBuffer c) {
    VkBufferImageCopy region{0, 0, 0, kColor, {0, 0, 0}, {2, 2, 1}};
    vkCmdCopyBufferToImage(c, in.buffer, small.image, VK_IMAGE_LAYOUT_GENERAL, 1, &region);
    const VkImageBlit blit{kColor, {{0, 0, 0}, {2, 2, 1}}, kColor, {{4, 0, 0}, {0, 4, 1}}};  // mirrored in x
    vkCmdBlitImage(c, small.image, VK_IMAGE_LAYOUT_GENERAL, large.image, VK_IMAGE_LAYOUT_GENERAL, 1, &blit,
                   VK_FILTER_NEAREST);
    region.imageExtent = {4, 4, 1};
    vkCmdCopyImageToBuffer(c, large.image, VK_IMAGE_LAYOUT_GENERAL, out.buffer, 1, &region);
    vkCmdClearColorImage(c, samples.image, VK_IMAGE_LAYOUT_GENERAL, &value, 1, &kAll);
    const VkImageResolve resolve{kColor, {0, 0, 0}, kColor, {0, 0, 0}, {1, 1, 1}};
    vkCmdResolveImage(c, samples.image, VK_IMAGE_LAYOUT_GENERAL, single.image, VK_IMAGE_LAYOUT_GENERAL, 1, &resolve);
    region.imageExtent = {1, 1, 1};
    vkCmdCopyImageToBuffer(c, single.image, VK_IMAGE_LAYOUT_GENERAL, one.buffer, 1, &region);
  }),
            VK_SUCCESS);
  EXPECT_EQ(out.word(0), 0x20u);
  EXPECT_EQ(out.word(3), 0x10u);
  EXPECT_EQ(out.word(12), 0x40u);
  EXPECT_EQ(one.word(0), 0xff0080ffu);
}

TEST(VulkanTransfer, ARegionOutsideIsReportedAndChangesNothing) {
  if (std::getenv("HEDDLE_TEST_VALIDATION") != nullptr) GTEST_SKIP() << "breaks the rules on purpose";
  VulkanDevice v;
  const auto a = v.buffer(16), b = v.buffer(16);
  a.set(0, 5);
  EXPECT_EQ(v.run([&](VkCommandBuffer c) {
    const VkBufferCopy region{0, 8, 16};
    vkCmdCopyBuffer(c, a.buffer, b.buffer, 1, &region);
  }),
            VK_SUCCESS);
  EXPECT_EQ(b.word(2), 0u);
  ASSERT_EQ(v.messages.size(), 1u);
  EXPECT_EQ(v.messages[0], "vulkan-command: vkCmdCopyBuffer: the region leaves a buffer");
}

// TRF-21: 22x22 texels of an image of 24x24 are 6x6 blocks of 16 bytes, as 24x24 are.
TEST(VulkanTransfer, BlocksAreCopiedWhole_TRF21) {
  if (std::getenv("HEDDLE_TEST_VALIDATION") != nullptr) GTEST_SKIP() << "breaks the rules on purpose";
  VulkanDevice v;
  v.expects_messages = true;
  constexpr std::size_t kBytes = 6 * 6 * 16;
  const auto in = v.buffer(kBytes), out = v.buffer(kBytes), same = v.buffer(kBytes);
  for (std::size_t i = 0; i < kBytes / 4; ++i) in.set(i, static_cast<std::uint32_t>(i * 0x9e3779b9u));
  const auto info = VulkanDevice::image_info(VK_FORMAT_BC3_UNORM_BLOCK, 24, 24);
  const auto first = v.image(info), second = v.image(info);
  const VkExtent3D part{22, 22, 1};
  const VkBufferImageCopy region{0, 0, 0, kColor, {0, 0, 0}, part}, all{0, 0, 0, kColor, {0, 0, 0}, {24, 24, 1}};
  const VkImageCopy copy{kColor, {0, 0, 0}, kColor, {0, 0, 0}, part};
  EXPECT_EQ(v.run([&](VkCommandBuffer c) {
    vkCmdCopyBufferToImage(c, in.buffer, first.image, VK_IMAGE_LAYOUT_GENERAL, 1, &region);
    barrier(c);
    vkCmdCopyImage(c, first.image, VK_IMAGE_LAYOUT_GENERAL, second.image, VK_IMAGE_LAYOUT_GENERAL, 1, &copy);
    barrier(c);
    vkCmdCopyImageToBuffer(c, second.image, VK_IMAGE_LAYOUT_GENERAL, out.buffer, 1, &all);
    vkCmdCopyImageToBuffer(c, second.image, VK_IMAGE_LAYOUT_GENERAL, same.buffer, 1, &region);
  }),
            VK_SUCCESS);
  EXPECT_EQ(std::memcmp(in.bytes, out.bytes, kBytes), 0);
  EXPECT_EQ(std::memcmp(in.bytes, same.bytes, kBytes), 0);
  ASSERT_EQ(v.messages.size(), 2u) << "once for each image and level";
  for (const std::string& message : v.messages)
    EXPECT_EQ(
        message,
        "vulkan-blocks: a copy of 22x22 texels at (0, 0) ends inside a block of 4x4, and not at the edge of level "
        "0: 24x24 texels are copied");
  // Where the copy begins inside a block, or leaves the level, its layers or the buffer, it is refused as before, and
  // nothing is said of blocks.
  v.messages.clear();
  const auto third = v.image(info);
  const VkImageSubresourceLayers layer{VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 1};
  const VkBufferImageCopy refused[] = {{0, 0, 0, kColor, {2, 0, 0}, {4, 4, 1}}, {0, 0, 0, kColor, {2, 0, 0}, {2, 4, 1}},
                                       {0, 0, 0, kColor, {4, 0, 0}, part},      {0, 0, 0, layer, {0, 0, 0}, part},
                                       {0, 0, 0, kColor, {0, 0, 1}, part},      {16, 0, 0, kColor, {0, 0, 0}, part}};
  EXPECT_EQ(v.run([&](VkCommandBuffer c) {
    for (const VkBufferImageCopy& one : refused)
      vkCmdCopyBufferToImage(c, in.buffer, third.image, VK_IMAGE_LAYOUT_GENERAL, 1, &one);
  }),
            VK_SUCCESS);
  ASSERT_EQ(v.messages.size(), std::size(refused));
  for (const std::string& message : v.messages) EXPECT_TRUE(message.starts_with("vulkan-command: ")) << message;
}

}  // namespace
}  // namespace heddle::test
