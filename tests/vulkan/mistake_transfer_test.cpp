// SPDX-License-Identifier: MIT
// Copies, blits, resolves and clears that leave their buffers and images.

#include "vulkan/mistakes.hpp"

namespace heddle::test {
namespace {

constexpr VkImageSubresourceLayers kColor{VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};

void copy(Things& t, VkCommandBuffer b, VkBufferCopy region) {
  vkCmdCopyBuffer(b, t.small.buffer, t.small.buffer, 1, &region);
}
void both_ways(VkCommandBuffer b, VkBuffer buffer, VkImage image, const VkBufferImageCopy& region) {
  vkCmdCopyBufferToImage(b, buffer, image, kGeneral, 1, &region);
  vkCmdCopyImageToBuffer(b, image, kGeneral, buffer, 1, &region);
}
VkBufferImageCopy region(VkOffset3D offset, VkExtent3D extent, VkImageSubresourceLayers layers = kColor) {
  return {0, 0, 0, layers, offset, extent};
}
void copy_images(VkCommandBuffer b, VkImage from, VkImage to, const VkImageCopy& r) {
  vkCmdCopyImage(b, from, kGeneral, to, kGeneral, 1, &r);
}
void blit(VkCommandBuffer b, VkImage from, VkImage to, VkOffset3D a, VkOffset3D z,
          VkImageSubresourceLayers layers = kColor) {
  const VkImageBlit r{layers, {a, z}, kColor, {{0, 0, 0}, {8, 8, 1}}},
      back{kColor, {{0, 0, 0}, {8, 8, 1}}, layers, {a, z}};
  vkCmdBlitImage(b, from, kGeneral, to, kGeneral, 1, &r, VK_FILTER_LINEAR);
  vkCmdBlitImage(b, from, kGeneral, to, kGeneral, 1, &back, VK_FILTER_NEAREST);
}

const Mistake kMistakes[] = {
    // Buffers.
    {"CopyBeyondTheSource", [](Things& t, VkCommandBuffer b) { copy(t, b, {32, 0, 64}); }},
    {"CopyBeyondTheDestination", [](Things& t, VkCommandBuffer b) { copy(t, b, {0, 60, 8}); }},
    {"CopyFromFarAway", [](Things& t, VkCommandBuffer b) { copy(t, b, {kFar, 0, 8}); }},
    {"CopyToFarAway", [](Things& t, VkCommandBuffer b) { copy(t, b, {0, ~std::uint64_t{7}, 16}); }},
    {"CopyOfEverything", [](Things& t, VkCommandBuffer b) { copy(t, b, {0, 0, VK_WHOLE_SIZE}); }},
    {"FillBeyond", [](Things& t, VkCommandBuffer b) { vkCmdFillBuffer(b, t.small.buffer, 32, kFar, 1); }},
    {"FillFarAway", [](Things& t, VkCommandBuffer b) { vkCmdFillBuffer(b, t.small.buffer, kFar, VK_WHOLE_SIZE, 1); }},
    {"FillUnaligned", [](Things& t, VkCommandBuffer b) { vkCmdFillBuffer(b, t.small.buffer, 3, 7, 1); }},
    {"UpdateBeyond",
     [](Things& t, VkCommandBuffer b) {
       const std::array<std::uint32_t, 8> words{};
       vkCmdUpdateBuffer(b, t.small.buffer, 48, sizeof words, words.data());
     }},
    {"BuffersWithoutMemory",
     [](Things& t, VkCommandBuffer b) {
       const VkBufferCopy r{0, 0, 64};
       vkCmdCopyBuffer(b, t.unbound, t.small.buffer, 1, &r);
       vkCmdCopyBuffer(b, t.small.buffer, t.unbound, 1, &r);
       vkCmdFillBuffer(b, t.unbound, 0, VK_WHOLE_SIZE, 1);
       both_ways(b, t.unbound, t.image, region({}, {4, 4, 1}));
     }},
    {"NullBuffers",
     [](Things& t, VkCommandBuffer b) {
       const VkBufferCopy r{0, 0, 64};
       vkCmdCopyBuffer(b, VK_NULL_HANDLE, t.small.buffer, 1, &r);
       vkCmdCopyBuffer(b, t.small.buffer, VK_NULL_HANDLE, 1, &r);
       vkCmdFillBuffer(b, VK_NULL_HANDLE, 0, VK_WHOLE_SIZE, 1);
     }},
    // Images.
    {"ImageCopyBeyond",
     [](Things& t, VkCommandBuffer b) { both_ways(b, t.small.buffer, t.image, region({6, 6, 0}, {8, 8, 1})); }},
    {"ImageCopyLargerThanTheBuffer",
     [](Things& t, VkCommandBuffer b) { both_ways(b, t.small.buffer, t.image, region({}, {8, 8, 1})); }},
    {"ImageCopyBefore",
     [](Things& t, VkCommandBuffer b) { both_ways(b, t.small.buffer, t.image, region({-4, -4, 0}, {4, 4, 1})); }},
    {"ImageCopyOfAHugeExtent",
     [](Things& t, VkCommandBuffer b) {
       both_ways(b, t.small.buffer, t.image, region({}, {UINT32_MAX, UINT32_MAX, UINT32_MAX}));
     }},
    {"ImageCopyOfAnotherLevel",
     [](Things& t, VkCommandBuffer b) {
       both_ways(b, t.small.buffer, t.image, region({}, {2, 2, 1}, {VK_IMAGE_ASPECT_COLOR_BIT, 7, 0, 1}));
     }},
    {"ImageCopyOfOtherLayers",
     [](Things& t, VkCommandBuffer b) {
       both_ways(b, t.small.buffer, t.image, region({}, {2, 2, 1}, {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 9}));
       both_ways(b, t.small.buffer, t.image, region({}, {2, 2, 1}, {VK_IMAGE_ASPECT_COLOR_BIT, 0, UINT32_MAX, 2}));
     }},
    {"ImageCopyOfAnotherAspect",
     [](Things& t, VkCommandBuffer b) {
       both_ways(b, t.small.buffer, t.image, region({}, {2, 2, 1}, {VK_IMAGE_ASPECT_STENCIL_BIT, 0, 0, 1}));
     }},
    {"ImageCopyOfBlocksAcrossTheirEdges",
     [](Things& t, VkCommandBuffer b) { both_ways(b, t.small.buffer, t.blocks, region({3, 1, 0}, {5, 9, 1})); }},
    {"ImageCopyFromFarAway",
     [](Things& t, VkCommandBuffer b) {
       VkBufferImageCopy r = region({}, {4, 4, 1});
       r.bufferOffset = kFar;
       both_ways(b, t.small.buffer, t.image, r);
       r.bufferOffset = ~std::uint64_t{3};
       both_ways(b, t.small.buffer, t.image, r);
     }},
    {"ImageCopyWithShortRows",
     [](Things& t, VkCommandBuffer b) {
       VkBufferImageCopy r = region({}, {4, 4, 1});
       r.bufferRowLength = r.bufferImageHeight = 1;
       both_ways(b, t.small.buffer, t.image, r);
       r.bufferRowLength = r.bufferImageHeight = UINT32_MAX;
       both_ways(b, t.small.buffer, t.image, r);
     }},
    {"CopyOfImagesBeyond",
     [](Things& t, VkCommandBuffer b) {
       copy_images(b, t.image, t.image, {kColor, {6, 6, 0}, kColor, {0, 0, 0}, {8, 8, 1}});
       copy_images(b, t.image, t.image, {kColor, {0, 0, 0}, kColor, {-3, 700, 0}, {8, 8, 9}});
       copy_images(b, t.image, t.blocks, {kColor, {0, 0, 0}, kColor, {0, 0, 0}, {8, 8, 1}});
     }},
    {"CopyOfOtherLayers",
     [](Things& t, VkCommandBuffer b) {
       constexpr VkImageSubresourceLayers none{VK_IMAGE_ASPECT_COLOR_BIT, 9, 9, 9};
       copy_images(b, t.image, t.image, {none, {0, 0, 0}, kColor, {0, 0, 0}, {4, 4, 1}});
       copy_images(b, t.image, t.image, {kColor, {0, 0, 0}, none, {0, 0, 0}, {4, 4, 1}});
     }},
    {"ImagesWithoutMemory",
     [](Things& t, VkCommandBuffer b) {
       const VkClearColorValue clear{};
       const VkImageSubresourceRange all{VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
       vkCmdClearColorImage(b, t.unbound_image, kGeneral, &clear, 1, &all);
       copy_images(b, t.image, t.unbound_image, {kColor, {}, kColor, {}, {8, 8, 1}});
       copy_images(b, t.unbound_image, t.image, {kColor, {}, kColor, {}, {8, 8, 1}});
       both_ways(b, t.small.buffer, t.unbound_image, region({}, {4, 4, 1}));
       blit(b, t.unbound_image, t.image, {0, 0, 0}, {8, 8, 1});
       blit(b, t.image, t.unbound_image, {0, 0, 0}, {8, 8, 1});
     }},
    {"NullImages",
     [](Things& t, VkCommandBuffer b) {
       const VkClearColorValue clear{};
       const VkImageSubresourceRange all{VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
       vkCmdClearColorImage(b, VK_NULL_HANDLE, kGeneral, &clear, 1, &all);
       copy_images(b, VK_NULL_HANDLE, t.image, {kColor, {}, kColor, {}, {8, 8, 1}});
       copy_images(b, t.image, VK_NULL_HANDLE, {kColor, {}, kColor, {}, {8, 8, 1}});
       both_ways(b, t.small.buffer, VK_NULL_HANDLE, region({}, {4, 4, 1}));
       blit(b, VK_NULL_HANDLE, t.image, {0, 0, 0}, {8, 8, 1});
     }},
    {"BlitsBeyond",
     [](Things& t, VkCommandBuffer b) {
       blit(b, t.image, t.image, {-100, -100, -5}, {900, 900, 9});
       blit(b, t.image, t.image, {INT32_MIN, INT32_MIN, 0}, {INT32_MAX, INT32_MAX, 1});
       blit(b, t.image, t.image, {0, 0, 0}, {0, 0, 0});
       blit(b, t.image, t.image, {0, 0, 0}, {8, 8, 1}, {VK_IMAGE_ASPECT_COLOR_BIT, 5, 7, 3});
       blit(b, t.image, t.blocks, {0, 0, 0}, {8, 8, 1});
       blit(b, t.blocks, t.image, {0, 0, 0}, {8, 8, 1});
     }},
    {"ResolvesBeyond",
     [](Things& t, VkCommandBuffer b) {
       const VkImageResolve r{kColor, {4, 4, 0}, kColor, {-9, 90, 0}, {90, 90, 1}};
       vkCmdResolveImage(b, t.image, kGeneral, t.image, kGeneral, 1, &r);
     }},
    {"ClearsBeyond",
     [](Things& t, VkCommandBuffer b) {
       const VkClearColorValue clear{};
       const VkClearDepthStencilValue depth{};
       const VkImageSubresourceRange ranges[] = {{VK_IMAGE_ASPECT_COLOR_BIT, 1, 9, 1, 9},
                                                 {VK_IMAGE_ASPECT_COLOR_BIT, 9, 1, 9, 1},
                                                 {VK_IMAGE_ASPECT_COLOR_BIT, UINT32_MAX, 2, UINT32_MAX, 2},
                                                 {VK_IMAGE_ASPECT_DEPTH_BIT, 0, 1, 0, 1}};
       vkCmdClearColorImage(b, t.image, kGeneral, &clear, 4, ranges);
       vkCmdClearDepthStencilImage(b, t.image, kGeneral, &depth, 4, ranges);
       vkCmdClearColorImage(b, t.c.depth.image.image, kGeneral, &clear, 4, ranges);
       vkCmdClearColorImage(b, t.blocks, kGeneral, &clear, 1, ranges);
     }},
};

class VulkanTransferMistakes : public Mistakes {};
TEST_P(VulkanTransferMistakes, DoNoHarm) { do_no_harm(); }

INSTANTIATE_TEST_SUITE_P(All, VulkanTransferMistakes, testing::ValuesIn(kMistakes), mistake_name);

}  // namespace
}  // namespace heddle::test
