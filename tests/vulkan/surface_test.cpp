// SPDX-License-Identifier: MIT
// Surfaces and swapchains without a screen. Windows: tests/clients/vkcube.py.

#include <algorithm>
#include <chrono>
#include <set>

#include "vulkan/canvas.hpp"

namespace heddle::test {
namespace {

std::vector<const char*> with_swapchain(std::vector<const char*> more) {
  more.push_back(VK_KHR_SWAPCHAIN_EXTENSION_NAME);
  return more;
}

struct Chain {
  VulkanDevice v;
  VkSurfaceKHR surface = VK_NULL_HANDLE;
  VkSwapchainKHR swapchain = VK_NULL_HANDLE;
  std::vector<VkImage> images;
  VkSemaphore acquired = VK_NULL_HANDLE, drawn = VK_NULL_HANDLE;

  explicit Chain(const std::vector<const char*>& more = {}) : v(with_swapchain(more)) {
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
  VkSwapchainKHR make(VkPresentModeKHR mode, VkSwapchainKHR old, VkSwapchainCreateFlagsKHR flags = 0,
                      const void* chain = nullptr) {
    VkSwapchainCreateInfoKHR info{VK_STRUCTURE_TYPE_SWAPCHAIN_CREATE_INFO_KHR, chain, flags};
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
  VkResult show(std::uint32_t index, const void* chain = nullptr) {
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
    const VkPresentInfoKHR present{VK_STRUCTURE_TYPE_PRESENT_INFO_KHR, chain, 1, &drawn, 1, &swapchain, &index, &one};
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
  for (const VkPresentModeKHR mode : {VK_PRESENT_MODE_FIFO_KHR, VK_PRESENT_MODE_MAILBOX_KHR,
                                      VK_PRESENT_MODE_IMMEDIATE_KHR, VK_PRESENT_MODE_FIFO_LATEST_READY_KHR})
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

/// Acquires the next picture, and shows it with `chain`.
void show_next(Chain& c, const void* chain) {
  std::uint32_t index = 99;
  ASSERT_EQ(vkAcquireNextImageKHR(c.v.device, c.swapchain, UINT64_MAX, c.acquired, VK_NULL_HANDLE, &index), VK_SUCCESS);
  ASSERT_EQ(c.show(index, chain), VK_SUCCESS);
}

TEST(VulkanPresent, PicturesAreWaitedForByTheirId) {
  if (std::getenv("HEDDLE_TEST_VALIDATION") != nullptr) GTEST_SKIP() << "waits for a retired swapchain";
  Chain c({VK_KHR_PRESENT_ID_EXTENSION_NAME, VK_KHR_PRESENT_WAIT_EXTENSION_NAME});
  const auto wait = c.v.proc<PFN_vkWaitForPresentKHR>("vkWaitForPresentKHR");
  ASSERT_NE(wait, nullptr);
  for (const std::uint64_t id : {3u, 8u}) {
    EXPECT_EQ(wait(c.v.device, c.swapchain, id, 0), VK_TIMEOUT) << id << " was not presented yet";
    const VkPresentIdKHR ids{VK_STRUCTURE_TYPE_PRESENT_ID_KHR, nullptr, 1, &id};
    show_next(c, &ids);
    EXPECT_EQ(wait(c.v.device, c.swapchain, id, UINT64_MAX), VK_SUCCESS);
    ASSERT_EQ(vkQueueWaitIdle(c.v.queue), VK_SUCCESS);
  }
  EXPECT_EQ(wait(c.v.device, c.swapchain, 5, 0), VK_SUCCESS) << "a later one was shown";
  EXPECT_EQ(wait(c.v.device, c.swapchain, 9, 1000), VK_TIMEOUT);
  const VkSwapchainKHR next = c.make(VK_PRESENT_MODE_FIFO_KHR, c.swapchain);
  EXPECT_EQ(wait(c.v.device, c.swapchain, 8, UINT64_MAX), VK_SUCCESS);
  EXPECT_EQ(wait(c.v.device, c.swapchain, 9, UINT64_MAX), VK_ERROR_OUT_OF_DATE_KHR) << "it never will be shown";
  vkDestroySwapchainKHR(c.v.device, c.swapchain, nullptr);
  c.swapchain = next;
}

TEST(VulkanPresent, TheSecondFormsWaitToo) {
  HEDDLE_NEED_NEWER();
  Chain c({"VK_KHR_present_id2", "VK_KHR_present_wait2"});
  VkSurfaceCapabilitiesPresentWait2KHR waits{VK_STRUCTURE_TYPE_SURFACE_CAPABILITIES_PRESENT_WAIT_2_KHR};
  VkSurfaceCapabilitiesPresentId2KHR can{VK_STRUCTURE_TYPE_SURFACE_CAPABILITIES_PRESENT_ID_2_KHR, &waits};
  VkSurfaceCapabilities2KHR all{VK_STRUCTURE_TYPE_SURFACE_CAPABILITIES_2_KHR, &can, {}};
  const VkPhysicalDeviceSurfaceInfo2KHR asked{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SURFACE_INFO_2_KHR, nullptr, c.surface};
  const auto capabilities = reinterpret_cast<PFN_vkGetPhysicalDeviceSurfaceCapabilities2KHR>(
      vkGetInstanceProcAddr(c.v.instance, "vkGetPhysicalDeviceSurfaceCapabilities2KHR"));
  ASSERT_EQ(capabilities(c.v.physical, &asked, &all), VK_SUCCESS);
  EXPECT_EQ(can.presentId2Supported, VK_TRUE);
  EXPECT_EQ(waits.presentWait2Supported, VK_TRUE);
  const VkSwapchainKHR with_ids =
      c.make(VK_PRESENT_MODE_FIFO_KHR, c.swapchain,
             VK_SWAPCHAIN_CREATE_PRESENT_ID_2_BIT_KHR | VK_SWAPCHAIN_CREATE_PRESENT_WAIT_2_BIT_KHR);
  vkDestroySwapchainKHR(c.v.device, c.swapchain, nullptr);
  c.swapchain = with_ids;
  std::uint32_t count = static_cast<std::uint32_t>(c.images.size());
  ASSERT_EQ(vkGetSwapchainImagesKHR(c.v.device, c.swapchain, &count, c.images.data()), VK_SUCCESS);
  const auto wait = c.v.proc<PFN_vkWaitForPresent2KHR>("vkWaitForPresent2KHR");
  VkPresentWait2InfoKHR info{VK_STRUCTURE_TYPE_PRESENT_WAIT_2_INFO_KHR, nullptr, 77, 0};
  EXPECT_EQ(wait(c.v.device, c.swapchain, &info), VK_TIMEOUT);
  const std::uint64_t id = 77;
  const VkPresentId2KHR ids{VK_STRUCTURE_TYPE_PRESENT_ID_2_KHR, nullptr, 1, &id};
  show_next(c, &ids);
  info.timeout = UINT64_MAX;
  EXPECT_EQ(wait(c.v.device, c.swapchain, &info), VK_SUCCESS);
}

// VK_KHR_swapchain_maintenance1: a fence behind the picture, other modes from picture to picture, pictures given back.
TEST(VulkanPresent, FencesModesAndPicturesThatAreGivenBack) {
  HEDDLE_NEED_NEWER();
  Chain c({"VK_KHR_swapchain_maintenance1"});
  const VkFenceCreateInfo fences{VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
  VkFence fence = VK_NULL_HANDLE;
  ASSERT_EQ(vkCreateFence(c.v.device, &fences, nullptr, &fence), VK_SUCCESS);
  const VkPresentModeKHR mode = VK_PRESENT_MODE_MAILBOX_KHR;
  VkSwapchainPresentModeInfoKHR modes{VK_STRUCTURE_TYPE_SWAPCHAIN_PRESENT_MODE_INFO_KHR, nullptr, 1, &mode};
  const VkSwapchainPresentFenceInfoKHR signals{VK_STRUCTURE_TYPE_SWAPCHAIN_PRESENT_FENCE_INFO_KHR, &modes, 1, &fence};
  for (int frame = 0; frame < 3; ++frame) {
    EXPECT_EQ(vkGetFenceStatus(c.v.device, fence), VK_NOT_READY);
    show_next(c, &signals);
    ASSERT_EQ(vkWaitForFences(c.v.device, 1, &fence, VK_TRUE, UINT64_MAX), VK_SUCCESS);
    ASSERT_EQ(vkResetFences(c.v.device, 1, &fence), VK_SUCCESS);
  }
  // All pictures are taken, and one comes back unseen.
  std::vector<std::uint32_t> taken(c.images.size());
  for (std::uint32_t& index : taken) {
    ASSERT_EQ(vkAcquireNextImageKHR(c.v.device, c.swapchain, UINT64_MAX, VK_NULL_HANDLE, fence, &index), VK_SUCCESS);
    ASSERT_EQ(vkWaitForFences(c.v.device, 1, &fence, VK_TRUE, UINT64_MAX), VK_SUCCESS);
    ASSERT_EQ(vkResetFences(c.v.device, 1, &fence), VK_SUCCESS);
  }
  std::uint32_t index = 0;
  EXPECT_EQ(vkAcquireNextImageKHR(c.v.device, c.swapchain, 0, VK_NULL_HANDLE, fence, &index), VK_NOT_READY);
  const std::uint32_t back[] = {taken[1], 99};
  const VkReleaseSwapchainImagesInfoKHR release{VK_STRUCTURE_TYPE_RELEASE_SWAPCHAIN_IMAGES_INFO_KHR, nullptr,
                                                c.swapchain, 2, back};
  EXPECT_EQ(c.v.proc<PFN_vkReleaseSwapchainImagesKHR>("vkReleaseSwapchainImagesKHR")(c.v.device, &release), VK_SUCCESS);
  EXPECT_EQ(vkAcquireNextImageKHR(c.v.device, c.swapchain, 0, VK_NULL_HANDLE, fence, &index), VK_SUCCESS);
  EXPECT_EQ(index, taken[1]);
  vkDestroyFence(c.v.device, fence, nullptr);
}

TEST(VulkanPresent, SurfacesSayWhichModesGoTogether) {
  HEDDLE_NEED_NEWER();
  Chain c({"VK_KHR_swapchain_maintenance1"});
  const auto capabilities = reinterpret_cast<PFN_vkGetPhysicalDeviceSurfaceCapabilities2KHR>(
      vkGetInstanceProcAddr(c.v.instance, "vkGetPhysicalDeviceSurfaceCapabilities2KHR"));
  const VkSurfacePresentModeKHR mode{VK_STRUCTURE_TYPE_SURFACE_PRESENT_MODE_KHR, nullptr,
                                     VK_PRESENT_MODE_IMMEDIATE_KHR};
  const VkPhysicalDeviceSurfaceInfo2KHR asked{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SURFACE_INFO_2_KHR, &mode, c.surface};
  VkPresentModeKHR modes[8] = {};
  VkSurfacePresentModeCompatibilityKHR compatible{VK_STRUCTURE_TYPE_SURFACE_PRESENT_MODE_COMPATIBILITY_KHR, nullptr, 1,
                                                  modes};
  VkSurfacePresentScalingCapabilitiesKHR scaling{VK_STRUCTURE_TYPE_SURFACE_PRESENT_SCALING_CAPABILITIES_KHR,
                                                 &compatible};
  scaling.supportedPresentScaling = ~0u;
  VkSurfaceCapabilities2KHR all{VK_STRUCTURE_TYPE_SURFACE_CAPABILITIES_2_KHR, &scaling, {}};
  ASSERT_EQ(capabilities(c.v.physical, &asked, &all), VK_SUCCESS);
  EXPECT_EQ(compatible.presentModeCount, 1u);
  EXPECT_EQ(modes[0], VK_PRESENT_MODE_IMMEDIATE_KHR) << "the mode itself, where there is room for one";
  EXPECT_EQ(scaling.supportedPresentScaling, 0u);
  EXPECT_EQ(scaling.maxScaledImageExtent.width, all.surfaceCapabilities.maxImageExtent.width);
  compatible.presentModeCount = 8;
  ASSERT_EQ(capabilities(c.v.physical, &asked, &all), VK_SUCCESS);
  EXPECT_EQ(compatible.presentModeCount, 5u);
  EXPECT_EQ(std::ranges::count(modes, VK_PRESENT_MODE_FIFO_KHR), 1);
}

// VK_KHR_swapchain_mutable_format: what is drawn through a view in sRGB lies encoded in the picture.
TEST(VulkanPresent, PicturesAreSeenInOtherFormats) {
  Chain c({VK_KHR_SWAPCHAIN_MUTABLE_FORMAT_EXTENSION_NAME, VK_KHR_IMAGE_FORMAT_LIST_EXTENSION_NAME,
           VK_KHR_DYNAMIC_RENDERING_EXTENSION_NAME, VK_KHR_DEPTH_STENCIL_RESOLVE_EXTENSION_NAME,
           VK_KHR_CREATE_RENDERPASS_2_EXTENSION_NAME});
  const VkFormat formats[] = {VK_FORMAT_B8G8R8A8_UNORM, VK_FORMAT_B8G8R8A8_SRGB};
  const VkImageFormatListCreateInfo list{VK_STRUCTURE_TYPE_IMAGE_FORMAT_LIST_CREATE_INFO, nullptr, 2, formats};
  const VkSwapchainKHR next =
      c.make(VK_PRESENT_MODE_FIFO_KHR, c.swapchain, VK_SWAPCHAIN_CREATE_MUTABLE_FORMAT_BIT_KHR, &list);
  vkDestroySwapchainKHR(c.v.device, c.swapchain, nullptr);
  c.swapchain = next;
  std::uint32_t count = static_cast<std::uint32_t>(c.images.size()), index = 0;
  ASSERT_EQ(vkGetSwapchainImagesKHR(c.v.device, c.swapchain, &count, c.images.data()), VK_SUCCESS);
  const VkFenceCreateInfo fences{VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
  VkFence fence = VK_NULL_HANDLE;
  ASSERT_EQ(vkCreateFence(c.v.device, &fences, nullptr, &fence), VK_SUCCESS);
  ASSERT_EQ(vkAcquireNextImageKHR(c.v.device, c.swapchain, UINT64_MAX, VK_NULL_HANDLE, fence, &index), VK_SUCCESS);
  ASSERT_EQ(vkWaitForFences(c.v.device, 1, &fence, VK_TRUE, UINT64_MAX), VK_SUCCESS);
  vkDestroyFence(c.v.device, fence, nullptr);
  VkRenderingAttachmentInfo color{VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO};
  color.imageView = c.v.view(c.images[index], VK_FORMAT_B8G8R8A8_SRGB);
  color.imageLayout = VK_IMAGE_LAYOUT_GENERAL;
  color.loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR;
  color.storeOp = VK_ATTACHMENT_STORE_OP_STORE;
  color.clearValue.color = {{0.5f, 0, 1, 1}};
  VkRenderingInfo info{VK_STRUCTURE_TYPE_RENDERING_INFO};
  info.renderArea = {{0, 0}, {64, 32}};
  info.layerCount = info.colorAttachmentCount = 1;
  info.pColorAttachments = &color;
  const auto out = c.v.buffer(64 * 32 * 4);
  VkBufferImageCopy region{};
  region.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};
  region.imageExtent = {64, 32, 1};
  EXPECT_EQ(c.v.run([&](VkCommandBuffer b) {
    change_layout(b, c.images[index], VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_GENERAL);
    c.v.proc<PFN_vkCmdBeginRenderingKHR>("vkCmdBeginRenderingKHR")(b, &info);
    c.v.proc<PFN_vkCmdEndRenderingKHR>("vkCmdEndRenderingKHR")(b);
    barrier(b);
    vkCmdCopyImageToBuffer(b, c.images[index], VK_IMAGE_LAYOUT_GENERAL, out.buffer, 1, &region);
  }),
            VK_SUCCESS);
  EXPECT_EQ(out.word(100), 0xffbc00ffu) << "0.5 is 188 in sRGB";
}

}  // namespace
}  // namespace heddle::test
