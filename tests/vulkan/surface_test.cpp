// SPDX-License-Identifier: MIT
// Surfaces and swapchains without a screen. Windows: tests/clients/vkcube.py.

#include <algorithm>
#include <chrono>
#include <set>

#include "vulkan/canvas.hpp"

namespace heddle::test {
namespace {

struct Chain {
  VulkanDevice v{{VK_KHR_SWAPCHAIN_EXTENSION_NAME}};
  VkSurfaceKHR surface = VK_NULL_HANDLE;
  VkSwapchainKHR swapchain = VK_NULL_HANDLE;
  std::vector<VkImage> images;
  VkSemaphore acquired = VK_NULL_HANDLE, drawn = VK_NULL_HANDLE;

  Chain() {
    const auto create = reinterpret_cast<PFN_vkCreateHeadlessSurfaceEXT>(
        vkGetInstanceProcAddr(v.instance, "vkCreateHeadlessSurfaceEXT"));
    const VkHeadlessSurfaceCreateInfoEXT info{VK_STRUCTURE_TYPE_HEADLESS_SURFACE_CREATE_INFO_EXT};
    EXPECT_EQ(create(v.instance, &info, nullptr, &surface), VK_SUCCESS);
    const VkSemaphoreCreateInfo semaphore{VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO};
    EXPECT_EQ(vkCreateSemaphore(v.device, &semaphore, nullptr, &acquired), VK_SUCCESS);
    EXPECT_EQ(vkCreateSemaphore(v.device, &semaphore, nullptr, &drawn), VK_SUCCESS);
    swapchain = make(VK_PRESENT_MODE_FIFO_KHR, VK_NULL_HANDLE);
    std::uint32_t count = 0;
    EXPECT_EQ(vkGetSwapchainImagesKHR(v.device, swapchain, &count, nullptr), VK_SUCCESS);
    images.resize(count);
    EXPECT_EQ(vkGetSwapchainImagesKHR(v.device, swapchain, &count, images.data()), VK_SUCCESS);
  }
  ~Chain() {
    (void)vkDeviceWaitIdle(v.device);
    vkDestroySwapchainKHR(v.device, swapchain, nullptr);
    vkDestroySemaphore(v.device, acquired, nullptr);
    vkDestroySemaphore(v.device, drawn, nullptr);
    vkDestroySurfaceKHR(v.instance, surface, nullptr);
  }
  VkSwapchainKHR make(VkPresentModeKHR mode, VkSwapchainKHR old) {
    VkSwapchainCreateInfoKHR info{VK_STRUCTURE_TYPE_SWAPCHAIN_CREATE_INFO_KHR};
    info.surface = surface;
    info.minImageCount = 3;
    info.imageFormat = VK_FORMAT_B8G8R8A8_UNORM;
    info.imageColorSpace = VK_COLOR_SPACE_SRGB_NONLINEAR_KHR;
    info.imageExtent = {64, 32};
    info.imageArrayLayers = 1;
    info.imageUsage =
        VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT;
    info.preTransform = VK_SURFACE_TRANSFORM_IDENTITY_BIT_KHR;
    info.compositeAlpha = VK_COMPOSITE_ALPHA_OPAQUE_BIT_KHR;
    info.presentMode = mode;
    info.clipped = VK_TRUE;
    info.oldSwapchain = old;
    VkSwapchainKHR made = VK_NULL_HANDLE;
    EXPECT_EQ(vkCreateSwapchainKHR(v.device, &info, nullptr, &made), VK_SUCCESS);
    return made;
  }
  /// Clears the picture when it may be used, and shows it then.
  VkResult show(std::uint32_t index) {
    const VkCommandBuffer c = v.commands();
    v.begin(c);
    VkImageMemoryBarrier barrier{VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER};
    barrier.newLayout = VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL;
    barrier.srcQueueFamilyIndex = barrier.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED;
    barrier.image = images[index];
    barrier.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
    const auto change = [&] {
      vkCmdPipelineBarrier(c, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 0, nullptr, 0,
                           nullptr, 1, &barrier);
    };
    change();
    const VkClearColorValue color{{0.2f, 0.4f, 0.6f, 1}};
    vkCmdClearColorImage(c, images[index], VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, &color, 1, &barrier.subresourceRange);
    barrier.oldLayout = VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL;
    barrier.newLayout = VK_IMAGE_LAYOUT_PRESENT_SRC_KHR;
    change();
    EXPECT_EQ(vkEndCommandBuffer(c), VK_SUCCESS);
    const VkPipelineStageFlags stage = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
    const VkSubmitInfo work{VK_STRUCTURE_TYPE_SUBMIT_INFO, nullptr, 1, &acquired, &stage, 1, &c, 1, &drawn};
    EXPECT_EQ(vkQueueSubmit(v.queue, 1, &work, VK_NULL_HANDLE), VK_SUCCESS);
    VkResult one = VK_ERROR_UNKNOWN;
    const VkPresentInfoKHR present{VK_STRUCTURE_TYPE_PRESENT_INFO_KHR, nullptr, 1, &drawn, 1, &swapchain, &index, &one};
    const VkResult result = vkQueuePresentKHR(v.queue, &present);
    EXPECT_EQ(result, one);
    return result;
  }
};

TEST(VulkanSurface, SaysWhatItTakes) {
  Chain c;
  VkBool32 supported = VK_FALSE;
  EXPECT_EQ(vkGetPhysicalDeviceSurfaceSupportKHR(c.v.physical, 0, c.surface, &supported), VK_SUCCESS);
  EXPECT_EQ(supported, VK_TRUE);
  VkSurfaceCapabilitiesKHR can{};
  EXPECT_EQ(vkGetPhysicalDeviceSurfaceCapabilitiesKHR(c.v.physical, c.surface, &can), VK_SUCCESS);
  EXPECT_EQ(can.currentExtent.width, UINT32_MAX);
  EXPECT_GE(can.maxImageExtent.width, 4096u);
  std::uint32_t count = 0;
  EXPECT_EQ(vkGetPhysicalDeviceSurfacePresentModesKHR(c.v.physical, c.surface, &count, nullptr), VK_SUCCESS);
  std::vector<VkPresentModeKHR> modes(count);
  EXPECT_EQ(vkGetPhysicalDeviceSurfacePresentModesKHR(c.v.physical, c.surface, &count, modes.data()), VK_SUCCESS);
  for (const VkPresentModeKHR mode :
       {VK_PRESENT_MODE_FIFO_KHR, VK_PRESENT_MODE_MAILBOX_KHR, VK_PRESENT_MODE_IMMEDIATE_KHR})
    EXPECT_EQ(std::ranges::count(modes, mode), 1);
  EXPECT_EQ(vkGetPhysicalDeviceSurfaceFormatsKHR(c.v.physical, c.surface, &count, nullptr), VK_SUCCESS);
  std::vector<VkSurfaceFormatKHR> formats(count);
  EXPECT_EQ(vkGetPhysicalDeviceSurfaceFormatsKHR(c.v.physical, c.surface, &count, formats.data()), VK_SUCCESS);
  EXPECT_TRUE(std::ranges::any_of(formats, [](VkSurfaceFormatKHR f) { return f.format == VK_FORMAT_B8G8R8A8_UNORM; }));
}

TEST(VulkanSurface, PicturesComeInTurnAndBackWhenTheyWereShown) {
  Chain c;
  ASSERT_GE(c.images.size(), 3u);
  std::set<std::uint32_t> seen;
  for (int frame = 0; frame < 20; ++frame) {
    std::uint32_t index = 99;
    ASSERT_EQ(vkAcquireNextImageKHR(c.v.device, c.swapchain, UINT64_MAX, c.acquired, VK_NULL_HANDLE, &index),
              VK_SUCCESS);
    seen.insert(index);
    ASSERT_EQ(c.show(index), VK_SUCCESS);
    ASSERT_EQ(vkQueueWaitIdle(c.v.queue), VK_SUCCESS);  // the semaphores are used again
  }
  EXPECT_EQ(seen.size(), c.images.size());
}

TEST(VulkanSurface, WhoHasThemAllMustWait) {
  if (std::getenv("HEDDLE_TEST_VALIDATION") != nullptr) GTEST_SKIP() << "acquires more than the specification allows";
  Chain c;
  const VkFenceCreateInfo info{VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
  VkFence fence = VK_NULL_HANDLE;
  ASSERT_EQ(vkCreateFence(c.v.device, &info, nullptr, &fence), VK_SUCCESS);
  std::uint32_t index = 0;
  for (std::size_t i = 0; i < c.images.size(); ++i) {
    ASSERT_EQ(vkAcquireNextImageKHR(c.v.device, c.swapchain, 0, VK_NULL_HANDLE, fence, &index), VK_SUCCESS);
    ASSERT_EQ(vkWaitForFences(c.v.device, 1, &fence, VK_TRUE, UINT64_MAX), VK_SUCCESS);
    ASSERT_EQ(vkResetFences(c.v.device, 1, &fence), VK_SUCCESS);
  }
  EXPECT_EQ(vkAcquireNextImageKHR(c.v.device, c.swapchain, 0, VK_NULL_HANDLE, fence, &index), VK_NOT_READY);
  EXPECT_EQ(vkAcquireNextImageKHR(c.v.device, c.swapchain, 1'000'000, VK_NULL_HANDLE, fence, &index), VK_TIMEOUT);
  EXPECT_EQ(vkGetFenceStatus(c.v.device, fence), VK_NOT_READY);
  vkDestroyFence(c.v.device, fence, nullptr);
}

TEST(VulkanSurface, AReplacedSwapchainIsOutOfDate) {
  Chain c;
  const VkSwapchainKHR next = c.make(VK_PRESENT_MODE_MAILBOX_KHR, c.swapchain);
  std::uint32_t index = 0;
  if (std::getenv("HEDDLE_TEST_VALIDATION") == nullptr) {
    EXPECT_EQ(vkAcquireNextImageKHR(c.v.device, c.swapchain, 0, c.acquired, VK_NULL_HANDLE, &index),
              VK_ERROR_OUT_OF_DATE_KHR);
  }
  vkDestroySwapchainKHR(c.v.device, c.swapchain, nullptr);
  c.swapchain = next;
  std::uint32_t count = static_cast<std::uint32_t>(c.images.size());
  EXPECT_EQ(vkGetSwapchainImagesKHR(c.v.device, next, &count, c.images.data()), VK_SUCCESS);
  ASSERT_EQ(vkAcquireNextImageKHR(c.v.device, next, UINT64_MAX, c.acquired, VK_NULL_HANDLE, &index), VK_SUCCESS);
  EXPECT_EQ(c.show(index), VK_SUCCESS);
}

}  // namespace
}  // namespace heddle::test
