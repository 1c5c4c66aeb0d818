// SPDX-License-Identifier: MIT
// Waits that nothing ends: they are said, and the device is lost (SUB-3). Semaphores that are signaled more often
// than they are waited for (SUB-2). Objects that go while work uses them (SUB-4).

#include <pthread.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <string>
#include <thread>

#include "vulkan/device.hpp"

namespace heddle::test {
namespace {

constexpr VkPipelineStageFlags kEverything = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
constexpr std::uint64_t kForEver = UINT64_MAX;

#define HEDDLE_NO_VALIDATION() \
  if (std::getenv("HEDDLE_TEST_VALIDATION") != nullptr) GTEST_SKIP() << "the layer keeps such calls from the driver"

/// A device whose waits are given up soon, with semaphores and a fence.
struct Waits {
  explicit Waits(const char* seconds = "0.1") {
    setenv("HEDDLE_TIME_LIMIT", seconds, 1);
    device = std::make_unique<VulkanDevice>(
        std::vector<const char*>{VK_KHR_SWAPCHAIN_EXTENSION_NAME, VK_KHR_TIMELINE_SEMAPHORE_EXTENSION_NAME});
    unsetenv("HEDDLE_TIME_LIMIT");
    v().expects_messages = true;
    binary = semaphore(false);
    timeline = semaphore(true);
    const VkFenceCreateInfo info{VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
    EXPECT_EQ(vkCreateFence(v().device, &info, nullptr, &fence), VK_SUCCESS);
    v().later([this] { vkDestroyFence(v().device, fence, nullptr); });
    word = v().buffer(64);
    adds = v().commands();
    v().begin(adds, VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT);
    vkCmdFillBuffer(adds, word.buffer, 0, 4, 7);
    EXPECT_EQ(vkEndCommandBuffer(adds), VK_SUCCESS);
  }
  [[nodiscard]] VulkanDevice& v() const { return *device; }
  VkSemaphore semaphore(bool is_timeline) {
    VkSemaphoreTypeCreateInfo type{VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO, nullptr, VK_SEMAPHORE_TYPE_TIMELINE,
                                   0};
    VkSemaphoreCreateInfo info{VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, is_timeline ? &type : nullptr, 0};
    VkSemaphore made = VK_NULL_HANDLE;
    EXPECT_EQ(vkCreateSemaphore(v().device, &info, nullptr, &made), VK_SUCCESS);
    v().later([d = v().device, made] { vkDestroySemaphore(d, made, nullptr); });
    return made;
  }
  /// Work that waits for `wait` (of a timeline: 1) and signals `signal`.
  [[nodiscard]] VkResult submit(VkSemaphore wait, VkSemaphore signal = VK_NULL_HANDLE,
                                VkFence with = VK_NULL_HANDLE) const {
    const std::uint64_t one = 1;
    VkTimelineSemaphoreSubmitInfo values{VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO, nullptr, 1, &one, 1, &one};
    VkSubmitInfo info{VK_STRUCTURE_TYPE_SUBMIT_INFO, &values};
    info.waitSemaphoreCount = wait != VK_NULL_HANDLE ? 1 : 0;
    info.pWaitSemaphores = &wait;
    info.pWaitDstStageMask = &kEverything;
    info.signalSemaphoreCount = signal != VK_NULL_HANDLE ? 1 : 0;
    info.pSignalSemaphores = &signal;
    info.commandBufferCount = 1;
    info.pCommandBuffers = &adds;
    return vkQueueSubmit(v().queue, 1, &info, with);
  }
  void signal(VkSemaphore which) const {
    const VkSemaphoreSignalInfo info{VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO, nullptr, which, 1};
    EXPECT_EQ(v().proc<PFN_vkSignalSemaphoreKHR>("vkSignalSemaphoreKHR")(v().device, &info), VK_SUCCESS);
  }
  [[nodiscard]] VkResult wait(VkSemaphore which, std::uint64_t time) const {
    const std::uint64_t one = 1;
    const VkSemaphoreWaitInfo info{VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO, nullptr, 0, 1, &which, &one};
    return v().proc<PFN_vkWaitSemaphoresKHR>("vkWaitSemaphoresKHR")(v().device, &info, time);
  }
  void name(VkObjectType type, std::uint64_t object, const char* text) const {
    const VkDebugUtilsObjectNameInfoEXT info{VK_STRUCTURE_TYPE_DEBUG_UTILS_OBJECT_NAME_INFO_EXT, nullptr, type, object,
                                             text};
    const auto set_name = reinterpret_cast<PFN_vkSetDebugUtilsObjectNameEXT>(
        vkGetInstanceProcAddr(v().instance, "vkSetDebugUtilsObjectNameEXT"));
    EXPECT_EQ(set_name(v().device, &info), VK_SUCCESS);
  }
  void expect_said(const std::vector<std::string>& parts) const {
    ASSERT_EQ(v().messages.size(), 1u) << testing::PrintToString(v().messages);
    for (const std::string& part : parts)
      EXPECT_NE(v().messages[0].find(part), std::string::npos) << part << ": " << v().messages[0];
  }

  std::unique_ptr<VulkanDevice> device;
  VkSemaphore binary = VK_NULL_HANDLE, timeline = VK_NULL_HANDLE;
  VkFence fence = VK_NULL_HANDLE;
  VulkanDevice::Buffer word;
  VkCommandBuffer adds = VK_NULL_HANDLE;
};

// --- binary semaphores are flags ---

// SDL's testvulkan: a picture is acquired with a semaphore whose last wait the queue has not come to.
TEST(VulkanWaits, ASemaphoreIsSignaledAgainBeforeItsWaitHasRun) {
  HEDDLE_NO_VALIDATION();
  Waits w;
  const auto create = reinterpret_cast<PFN_vkCreateHeadlessSurfaceEXT>(
      vkGetInstanceProcAddr(w.v().instance, "vkCreateHeadlessSurfaceEXT"));
  const VkHeadlessSurfaceCreateInfoEXT headless{VK_STRUCTURE_TYPE_HEADLESS_SURFACE_CREATE_INFO_EXT};
  VkSurfaceKHR surface = VK_NULL_HANDLE;
  ASSERT_EQ(create(w.v().instance, &headless, nullptr, &surface), VK_SUCCESS);
  VkSwapchainCreateInfoKHR info{VK_STRUCTURE_TYPE_SWAPCHAIN_CREATE_INFO_KHR};
  info.surface = surface;
  info.minImageCount = 3;
  info.imageFormat = VK_FORMAT_B8G8R8A8_UNORM;
  info.imageExtent = {16, 16};
  info.imageArrayLayers = 1;
  info.imageUsage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT;
  info.presentMode = VK_PRESENT_MODE_FIFO_KHR;
  VkSwapchainKHR swapchain = VK_NULL_HANDLE;
  ASSERT_EQ(vkCreateSwapchainKHR(w.v().device, &info, nullptr, &swapchain), VK_SUCCESS);
  EXPECT_EQ(w.submit(w.timeline), VK_SUCCESS);  // the queue stands still
  std::uint32_t index = 0;
  for (int k = 0; k < 3; ++k) {
    EXPECT_EQ(vkAcquireNextImageKHR(w.v().device, swapchain, 0, w.binary, VK_NULL_HANDLE, &index), VK_SUCCESS);
    EXPECT_EQ(w.submit(w.binary), VK_SUCCESS);
  }
  w.signal(w.timeline);
  EXPECT_EQ(vkDeviceWaitIdle(w.v().device), VK_SUCCESS);
  // They have no picture left: an acquisition without an end is said and ends.
  EXPECT_TRUE(w.v().messages.empty()) << testing::PrintToString(w.v().messages);
  EXPECT_EQ(vkAcquireNextImageKHR(w.v().device, swapchain, kForEver, w.binary, VK_NULL_HANDLE, &index), VK_TIMEOUT);
  w.expect_said({"vulkan-wait: ", "vkAcquireNextImageKHR", "has all pictures"});
  // Surfaces go before their swapchains.
  vkDestroySurfaceKHR(w.v().instance, surface, nullptr);
  const VkPresentInfoKHR present{
      VK_STRUCTURE_TYPE_PRESENT_INFO_KHR, nullptr, 0, nullptr, 1, &swapchain, &index, nullptr};
  EXPECT_EQ(vkQueuePresentKHR(w.v().queue, &present), VK_SUCCESS);
  vkDestroySwapchainKHR(w.v().device, swapchain, nullptr);
}

TEST(VulkanWaits, TwoSignalsAreOne) {
  HEDDLE_NO_VALIDATION();
  Waits w;
  EXPECT_EQ(w.submit(VK_NULL_HANDLE, w.binary), VK_SUCCESS);
  EXPECT_EQ(w.submit(VK_NULL_HANDLE, w.binary), VK_SUCCESS);
  EXPECT_EQ(w.submit(w.binary), VK_SUCCESS);
  EXPECT_EQ(vkQueueWaitIdle(w.v().queue), VK_SUCCESS);
  EXPECT_TRUE(w.v().messages.empty()) << testing::PrintToString(w.v().messages);
  w.name(VK_OBJECT_TYPE_SEMAPHORE, reinterpret_cast<std::uint64_t>(w.binary), "acquired");
  EXPECT_EQ(w.submit(w.binary), VK_ERROR_DEVICE_LOST);
  w.expect_said({"vulkan-device-lost: vkQueueSubmit: semaphore 'acquired' is waited for"});
  EXPECT_EQ(vkQueueWaitIdle(w.v().queue), VK_ERROR_DEVICE_LOST);
}

// --- timelines: the host may signal what is waited for already ---

TEST(VulkanWaits, TheHostMayComeLate) {
  Waits w("0.2");
  EXPECT_EQ(w.submit(w.timeline, VK_NULL_HANDLE, w.fence), VK_SUCCESS);
  std::thread host([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(700));
    w.signal(w.timeline);
  });
  EXPECT_EQ(vkQueueWaitIdle(w.v().queue), VK_SUCCESS) << testing::PrintToString(w.v().messages);
  EXPECT_EQ(vkWaitForFences(w.v().device, 1, &w.fence, VK_TRUE, kForEver), VK_SUCCESS);
  EXPECT_EQ(w.word.word(0), 7u);
  host.join();
}

TEST(VulkanWaits, OneHostThreadWaitsForAnother) {
  Waits w("0.2");
  std::thread host([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(700));
    w.signal(w.timeline);
  });
  EXPECT_EQ(w.wait(w.timeline, kForEver), VK_SUCCESS);
  host.join();
}

enum class Way { QueueIdle, DeviceIdle, Fence, Timeline };
class NoEnd : public testing::TestWithParam<Way> {};

TEST_P(NoEnd, OfWorkThatWaitsForATimeline) {
  HEDDLE_NO_VALIDATION();
  Waits w;
  const VkSemaphore behind = w.semaphore(true);
  w.name(VK_OBJECT_TYPE_SEMAPHORE, reinterpret_cast<std::uint64_t>(w.timeline), "never");
  EXPECT_EQ(w.submit(w.timeline, behind, w.fence), VK_SUCCESS);
  const auto wait = [&] {
    switch (GetParam()) {
      case Way::QueueIdle:
        return vkQueueWaitIdle(w.v().queue);
      case Way::DeviceIdle:
        return vkDeviceWaitIdle(w.v().device);
      case Way::Fence:
        return vkWaitForFences(w.v().device, 1, &w.fence, VK_TRUE, kForEver);
      default:
        return w.wait(behind, kForEver);
    }
  };
  EXPECT_EQ(wait(), VK_ERROR_DEVICE_LOST);
  w.expect_said(
      {"vulkan-device-lost: ", "would wait for good", "semaphore 'never' is 1 (it is 0)", "HEDDLE_TIME_LIMIT"});
  EXPECT_EQ(w.word.word(0), 0u);
}
INSTANTIATE_TEST_SUITE_P(Ways, NoEnd, testing::Values(Way::QueueIdle, Way::DeviceIdle, Way::Fence, Way::Timeline));

TEST(VulkanWaits, AFenceThatWasNeverSubmitted) {
  HEDDLE_NO_VALIDATION();
  Waits w;
  EXPECT_EQ(vkWaitForFences(w.v().device, 1, &w.fence, VK_TRUE, 1000), VK_TIMEOUT);
  EXPECT_EQ(vkWaitForFences(w.v().device, 1, &w.fence, VK_TRUE, kForEver), VK_ERROR_DEVICE_LOST);
  w.expect_said({"vkWaitForFences would wait for good: no submission signals the fence"});
}

TEST(VulkanWaits, ATimelineThatNobodySignals) {
  HEDDLE_NO_VALIDATION();
  Waits w;
  EXPECT_EQ(w.wait(w.timeline, 1000), VK_TIMEOUT);
  EXPECT_EQ(w.wait(w.timeline, kForEver), VK_ERROR_DEVICE_LOST);
  w.expect_said({"vkWaitSemaphores would wait for good: no submission signals the semaphore"});
}

TEST(VulkanWaits, AnEventThatNobodySets) {
  HEDDLE_NO_VALIDATION();
  Waits w;
  const VkEventCreateInfo info{VK_STRUCTURE_TYPE_EVENT_CREATE_INFO};
  VkEvent event = VK_NULL_HANDLE;
  ASSERT_EQ(vkCreateEvent(w.v().device, &info, nullptr, &event), VK_SUCCESS);
  w.v().later([&] { vkDestroyEvent(w.v().device, event, nullptr); });
  EXPECT_EQ(w.v().run([&](VkCommandBuffer c) {
    vkCmdWaitEvents(c, 1, &event, VK_PIPELINE_STAGE_HOST_BIT, kEverything, 0, nullptr, 0, nullptr, 0, nullptr);
  }),
            VK_ERROR_DEVICE_LOST);
  w.expect_said({"vkCmdWaitEvents for an event, which nobody sets"});
}

TEST(VulkanWaits, AQueryThatNothingEnds) {
  HEDDLE_NO_VALIDATION();
  Waits w;
  VkQueryPoolCreateInfo info{VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO, nullptr, 0, VK_QUERY_TYPE_TIMESTAMP, 2, 0};
  VkQueryPool pool = VK_NULL_HANDLE;
  ASSERT_EQ(vkCreateQueryPool(w.v().device, &info, nullptr, &pool), VK_SUCCESS);
  ASSERT_EQ(w.v().run([&](VkCommandBuffer c) {
    vkCmdResetQueryPool(c, pool, 0, 2);
    vkCmdWriteTimestamp(c, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, pool, 0);
  }),
            VK_SUCCESS);
  std::uint64_t values[2] = {};
  constexpr VkQueryResultFlags kWait = VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT;
  EXPECT_EQ(vkGetQueryPoolResults(w.v().device, pool, 0, 1, 8, values, 8, kWait), VK_SUCCESS);
  EXPECT_EQ(vkGetQueryPoolResults(w.v().device, pool, 0, 2, 16, values, 8, kWait), VK_NOT_READY);
  w.expect_said({"vkGetQueryPoolResults waits for a query that nothing submitted ends"});
  vkDestroyQueryPool(w.v().device, pool, nullptr);
}

TEST(VulkanWaits, ADeviceGoesWhileItsQueueWaits) {
  HEDDLE_NO_VALIDATION();
  const Waits w("60");
  const float priority = 1;
  VkDeviceQueueCreateInfo queues{VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO};
  queues.queueCount = 1;
  queues.pQueuePriorities = &priority;
  VkPhysicalDeviceTimelineSemaphoreFeatures timelines{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_FEATURES,
                                                      nullptr, VK_TRUE};
  VkDeviceCreateInfo info{VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, &timelines};
  info.queueCreateInfoCount = 1;
  info.pQueueCreateInfos = &queues;
  const char* const extension = VK_KHR_TIMELINE_SEMAPHORE_EXTENSION_NAME;
  info.enabledExtensionCount = 1;
  info.ppEnabledExtensionNames = &extension;
  VkDevice device = VK_NULL_HANDLE;
  ASSERT_EQ(vkCreateDevice(w.v().physical, &info, nullptr, &device), VK_SUCCESS);
  VkQueue queue = VK_NULL_HANDLE;
  vkGetDeviceQueue(device, 0, 0, &queue);
  VkSemaphoreTypeCreateInfo type{VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO, nullptr, VK_SEMAPHORE_TYPE_TIMELINE, 0};
  VkSemaphoreCreateInfo timeline{VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, &type, 0};
  static VkSemaphore never = VK_NULL_HANDLE;  // outlives its device: the leak sanitizer finds it here
  ASSERT_EQ(vkCreateSemaphore(device, &timeline, nullptr, &never), VK_SUCCESS);
  const std::uint64_t one = 1;
  VkTimelineSemaphoreSubmitInfo values{VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO, nullptr, 1, &one, 0, nullptr};
  const VkSubmitInfo work{VK_STRUCTURE_TYPE_SUBMIT_INFO, &values, 1, &never, &kEverything, 0, nullptr, 0, nullptr};
  EXPECT_EQ(vkQueueSubmit(queue, 1, &work, VK_NULL_HANDLE), VK_SUCCESS);
  vkDestroyDevice(device, nullptr);  // comes back
}

// --- what goes while it is in use ---

TEST(VulkanWaits, ObjectsThatAreInUseStayUntilTheirWorkHasEnded) {
  HEDDLE_NO_VALIDATION();
  Waits w("5");
  const VkSemaphore gate = w.semaphore(true);
  const VkSemaphoreCreateInfo info{VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO};
  const VkFenceCreateInfo fences{VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
  VkSemaphore doomed = VK_NULL_HANDLE;
  VkFence fence = VK_NULL_HANDLE;
  ASSERT_EQ(vkCreateSemaphore(w.v().device, &info, nullptr, &doomed), VK_SUCCESS);
  ASSERT_EQ(vkCreateFence(w.v().device, &fences, nullptr, &fence), VK_SUCCESS);
  EXPECT_EQ(w.submit(gate, doomed, fence), VK_SUCCESS);
  std::thread host([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    w.signal(gate);
  });
  vkDestroySemaphore(w.v().device, doomed, nullptr);
  vkDestroyFence(w.v().device, fence, nullptr);
  host.join();
  EXPECT_EQ(vkQueueWaitIdle(w.v().queue), VK_SUCCESS);
  EXPECT_EQ(w.word.word(0), 7u);
  ASSERT_FALSE(w.v().messages.empty());
  EXPECT_TRUE(w.v().messages[0].starts_with("vulkan-in-use: vkDestroySemaphore: ")) << w.v().messages[0];
}

TEST(VulkanWaits, CommandBuffersAreRecordedAnewBehindTheirWork) {
  HEDDLE_NO_VALIDATION();
  Waits w("5");
  const VkSemaphore gate = w.semaphore(true);
  EXPECT_EQ(w.submit(gate), VK_SUCCESS);
  std::thread host([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    w.signal(gate);
  });
  w.v().begin(w.adds);
  EXPECT_EQ(w.word.word(0), 7u);
  vkCmdFillBuffer(w.adds, w.word.buffer, 0, 4, 9);
  host.join();
  EXPECT_EQ(w.v().submit(w.adds), VK_SUCCESS);
  EXPECT_EQ(w.word.word(0), 9u);
  w.expect_said({"vulkan-in-use: vkBeginCommandBuffer: "});
}

// A thread that is canceled in the driver leaves no lock behind, and ends when its wait does.
TEST(VulkanWaits, AThreadIsCanceledWhileItWaits) {
  HEDDLE_NO_VALIDATION();
  Waits w("20");
  EXPECT_EQ(w.submit(w.timeline), VK_SUCCESS);
  struct Given {
    VkQueue queue;
    std::atomic<bool> begun = false;
  } given{w.v().queue};
  pthread_t thread{};
  ASSERT_EQ(pthread_create(
                &thread, nullptr,
                [](void* to) -> void* {
                  auto& g = *static_cast<Given*>(to);
                  g.begun = true;
                  (void)vkQueueWaitIdle(g.queue);
                  pthread_testcancel();
                  return nullptr;
                },
                &given),
            0);
  while (!given.begun) std::this_thread::yield();
  EXPECT_EQ(pthread_cancel(thread), 0);
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  w.signal(w.timeline);
  void* ended = nullptr;
  EXPECT_EQ(pthread_join(thread, &ended), 0);
  EXPECT_EQ(ended, PTHREAD_CANCELED);
  EXPECT_EQ(vkQueueWaitIdle(w.v().queue), VK_SUCCESS);
  EXPECT_EQ(w.v().run([&](VkCommandBuffer c) { vkCmdFillBuffer(c, w.word.buffer, 0, 4, 11); }), VK_SUCCESS);
  EXPECT_EQ(w.word.word(0), 11u);
}

}  // namespace
}  // namespace heddle::test
