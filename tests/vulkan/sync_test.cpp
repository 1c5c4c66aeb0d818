// SPDX-License-Identifier: MIT
// Fences, semaphores, events and timestamps. What takes too long: time_limit_test.cpp; waits without an end:
// waits_test.cpp.

#include <atomic>
#include <mutex>
#include <thread>

#include "vulkan/device.hpp"

namespace heddle::test {
namespace {

constexpr VkPipelineStageFlags kEverything = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;

VkSemaphore semaphore(VulkanDevice& v, bool timeline, std::uint64_t value = 0) {
  VkSemaphoreTypeCreateInfo type{VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO, nullptr,
                                 timeline ? VK_SEMAPHORE_TYPE_TIMELINE : VK_SEMAPHORE_TYPE_BINARY, value};
  VkSemaphoreCreateInfo info{VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, timeline ? &type : nullptr, 0};
  VkSemaphore made = VK_NULL_HANDLE;
  EXPECT_EQ(vkCreateSemaphore(v.device, &info, nullptr, &made), VK_SUCCESS);
  v.later([d = v.device, made] { vkDestroySemaphore(d, made, nullptr); });
  return made;
}

TEST(VulkanSync, FencesAreSignaledWithTheirWork) {
  VulkanDevice v;
  VkFenceCreateInfo info{VK_STRUCTURE_TYPE_FENCE_CREATE_INFO, nullptr, VK_FENCE_CREATE_SIGNALED_BIT};
  VkFence fence = VK_NULL_HANDLE;
  ASSERT_EQ(vkCreateFence(v.device, &info, nullptr, &fence), VK_SUCCESS);
  EXPECT_EQ(vkGetFenceStatus(v.device, fence), VK_SUCCESS);
  EXPECT_EQ(vkResetFences(v.device, 1, &fence), VK_SUCCESS);
  EXPECT_EQ(vkGetFenceStatus(v.device, fence), VK_NOT_READY);
  EXPECT_EQ(vkWaitForFences(v.device, 1, &fence, VK_TRUE, 1000), VK_TIMEOUT);
  EXPECT_EQ(vkQueueSubmit(v.queue, 0, nullptr, fence), VK_SUCCESS);
  EXPECT_EQ(vkWaitForFences(v.device, 1, &fence, VK_TRUE, UINT64_MAX), VK_SUCCESS);
  vkDestroyFence(v.device, fence, nullptr);
}

// A submission may wait for what the host signals later.
TEST(VulkanSync, ATimelineHoldsWorkBack) {
  VulkanDevice v({VK_KHR_TIMELINE_SEMAPHORE_EXTENSION_NAME});
  const auto go = semaphore(v, true, 3), done = semaphore(v, true);
  const auto buffer = v.buffer(16);
  const auto commands = v.commands();
  v.begin(commands);
  vkCmdFillBuffer(commands, buffer.buffer, 0, 16, 99);
  ASSERT_EQ(vkEndCommandBuffer(commands), VK_SUCCESS);
  const std::uint64_t wait = 5, signal = 8;
  VkTimelineSemaphoreSubmitInfo values{VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO, nullptr, 1, &wait, 1, &signal};
  VkSubmitInfo work{VK_STRUCTURE_TYPE_SUBMIT_INFO, &values, 1, &go, &kEverything, 1, &commands, 1, &done};
  ASSERT_EQ(vkQueueSubmit(v.queue, 1, &work, VK_NULL_HANDLE), VK_SUCCESS);
  const auto counter = v.proc<PFN_vkGetSemaphoreCounterValueKHR>("vkGetSemaphoreCounterValueKHR");
  const auto signal_now = v.proc<PFN_vkSignalSemaphoreKHR>("vkSignalSemaphoreKHR");
  const auto wait_for = v.proc<PFN_vkWaitSemaphoresKHR>("vkWaitSemaphoresKHR");
  VkSemaphoreWaitInfo waits{VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO, nullptr, 0, 1, &done, &signal};
  EXPECT_EQ(wait_for(v.device, &waits, 20'000'000), VK_TIMEOUT);
  EXPECT_EQ(buffer.word(0), 0u);
  VkSemaphoreSignalInfo signals{VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO, nullptr, go, 5};
  EXPECT_EQ(signal_now(v.device, &signals), VK_SUCCESS);
  EXPECT_EQ(wait_for(v.device, &waits, UINT64_MAX), VK_SUCCESS);
  EXPECT_EQ(buffer.word(3), 99u);
  std::uint64_t value = 0;
  EXPECT_EQ(counter(v.device, done, &value), VK_SUCCESS);
  EXPECT_EQ(value, 8u);
}

TEST(VulkanSync, BinarySemaphoresChainSubmissions) {
  VulkanDevice v;
  const auto between = semaphore(v, false);
  const auto buffer = v.buffer(16);
  VkCommandBuffer commands[2] = {v.commands(), v.commands()};
  for (std::uint32_t i = 0; i < 2; ++i) {
    v.begin(commands[i], 0);
    vkCmdFillBuffer(commands[i], buffer.buffer, 4 * i, 8, i + 1);
    ASSERT_EQ(vkEndCommandBuffer(commands[i]), VK_SUCCESS);
  }
  VkSubmitInfo work[2] = {
      {VK_STRUCTURE_TYPE_SUBMIT_INFO, nullptr, 0, nullptr, nullptr, 1, &commands[0], 1, &between},
      {VK_STRUCTURE_TYPE_SUBMIT_INFO, nullptr, 1, &between, &kEverything, 1, &commands[1], 0, nullptr}};
  for (int i = 0; i < 10; ++i) {
    ASSERT_EQ(vkQueueSubmit(v.queue, 2, work, VK_NULL_HANDLE), VK_SUCCESS);
    ASSERT_EQ(vkDeviceWaitIdle(v.device), VK_SUCCESS);
  }
  EXPECT_EQ(buffer.word(0), 1u);
  EXPECT_EQ(buffer.word(1), 2u);
}

TEST(VulkanSync, EventsOfTheHostLetTheQueueGoOn) {
  VulkanDevice v;
  VkEventCreateInfo info{VK_STRUCTURE_TYPE_EVENT_CREATE_INFO};
  VkEvent host = VK_NULL_HANDLE, queue = VK_NULL_HANDLE;
  ASSERT_EQ(vkCreateEvent(v.device, &info, nullptr, &host), VK_SUCCESS);
  ASSERT_EQ(vkCreateEvent(v.device, &info, nullptr, &queue), VK_SUCCESS);
  const auto commands = v.commands();
  v.begin(commands);
  vkCmdSetEvent(commands, queue, kEverything);
  vkCmdWaitEvents(commands, 1, &host, VK_PIPELINE_STAGE_HOST_BIT, kEverything, 0, nullptr, 0, nullptr, 0, nullptr);
  vkCmdResetEvent(commands, queue, kEverything);
  ASSERT_EQ(vkEndCommandBuffer(commands), VK_SUCCESS);
  VkSubmitInfo work{VK_STRUCTURE_TYPE_SUBMIT_INFO, nullptr, 0, nullptr, nullptr, 1, &commands, 0, nullptr};
  ASSERT_EQ(vkQueueSubmit(v.queue, 1, &work, VK_NULL_HANDLE), VK_SUCCESS);
  while (vkGetEventStatus(v.device, queue) != VK_EVENT_SET) std::this_thread::yield();
  EXPECT_EQ(vkSetEvent(v.device, host), VK_SUCCESS);
  EXPECT_EQ(vkQueueWaitIdle(v.queue), VK_SUCCESS);
  EXPECT_EQ(vkGetEventStatus(v.device, queue), VK_EVENT_RESET);
  EXPECT_EQ(vkGetEventStatus(v.device, host), VK_EVENT_SET);
  vkDestroyEvent(v.device, host, nullptr);
  vkDestroyEvent(v.device, queue, nullptr);
}

TEST(VulkanSync, TimestampsGrow) {
  VulkanDevice v;
  VkQueryPoolCreateInfo info{VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO, nullptr, 0, VK_QUERY_TYPE_TIMESTAMP, 3, 0};
  VkQueryPool pool = VK_NULL_HANDLE;
  ASSERT_EQ(vkCreateQueryPool(v.device, &info, nullptr, &pool), VK_SUCCESS);
  const auto copied = v.buffer(64);
  ASSERT_EQ(v.run([&](VkCommandBuffer c) {
    vkCmdResetQueryPool(c, pool, 0, 3);
    vkCmdWriteTimestamp(c, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT, pool, 0);
    vkCmdFillBuffer(c, copied.buffer, 0, 64, 0);
    vkCmdWriteTimestamp(c, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, pool, 1);
    vkCmdCopyQueryPoolResults(c, pool, 0, 2, copied.buffer, 0, 16,
                              VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WITH_AVAILABILITY_BIT);
  }),
            VK_SUCCESS);
  std::uint64_t values[4] = {};
  EXPECT_EQ(vkGetQueryPoolResults(v.device, pool, 0, 2, sizeof values, values, 16,
                                  VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WITH_AVAILABILITY_BIT),
            VK_SUCCESS);
  EXPECT_NE(values[0], 0u);
  EXPECT_GE(values[2], values[0]);
  EXPECT_EQ(values[1], 1u);
  EXPECT_EQ(std::memcmp(copied.bytes, values, sizeof values), 0);
  EXPECT_EQ(vkGetQueryPoolResults(v.device, pool, 2, 1, 8, values, 8, VK_QUERY_RESULT_64_BIT), VK_NOT_READY);
  vkDestroyQueryPool(v.device, pool, nullptr);
}

TEST(VulkanSync, Synchronization2) {
  VulkanDevice v({VK_KHR_SYNCHRONIZATION_2_EXTENSION_NAME});
  const auto buffer = v.buffer(16);
  const auto commands = v.commands();
  v.begin(commands);
  vkCmdFillBuffer(commands, buffer.buffer, 0, 16, 3);
  VkMemoryBarrier2 barrier{VK_STRUCTURE_TYPE_MEMORY_BARRIER_2};
  barrier.srcStageMask = barrier.dstStageMask = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT;
  barrier.srcAccessMask = barrier.dstAccessMask = VK_ACCESS_2_MEMORY_WRITE_BIT;
  VkDependencyInfo depends{VK_STRUCTURE_TYPE_DEPENDENCY_INFO};
  depends.memoryBarrierCount = 1;
  depends.pMemoryBarriers = &barrier;
  v.proc<PFN_vkCmdPipelineBarrier2KHR>("vkCmdPipelineBarrier2KHR")(commands, &depends);
  vkCmdFillBuffer(commands, buffer.buffer, 4, 4, 4);
  ASSERT_EQ(vkEndCommandBuffer(commands), VK_SUCCESS);
  VkCommandBufferSubmitInfo one{VK_STRUCTURE_TYPE_COMMAND_BUFFER_SUBMIT_INFO, nullptr, commands, 0};
  VkSubmitInfo2 work{VK_STRUCTURE_TYPE_SUBMIT_INFO_2};
  work.commandBufferInfoCount = 1;
  work.pCommandBufferInfos = &one;
  ASSERT_EQ(v.proc<PFN_vkQueueSubmit2KHR>("vkQueueSubmit2KHR")(v.queue, 1, &work, VK_NULL_HANDLE), VK_SUCCESS);
  ASSERT_EQ(vkQueueWaitIdle(v.queue), VK_SUCCESS);
  EXPECT_EQ(buffer.word(0), 3u);
  EXPECT_EQ(buffer.word(1), 4u);
}

TEST(VulkanSync, EightThreadsRecord) {
  VulkanDevice v;
  const auto buffer = v.buffer(8 * 64);
  std::atomic<int> failed{0};
  std::vector<std::thread> threads;
  std::mutex queue;
  for (std::uint32_t t = 0; t < 8; ++t)
    threads.emplace_back([&, t] {
      VkCommandPoolCreateInfo info{VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
      VkCommandPool pool = VK_NULL_HANDLE;
      if (vkCreateCommandPool(v.device, &info, nullptr, &pool) != VK_SUCCESS) return void(++failed);
      for (int i = 0; i < 50; ++i) {
        VkCommandBufferAllocateInfo one{VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, nullptr, pool,
                                        VK_COMMAND_BUFFER_LEVEL_PRIMARY, 1};
        VkCommandBuffer c = VK_NULL_HANDLE;
        (void)vkAllocateCommandBuffers(v.device, &one, &c);
        VkCommandBufferBeginInfo begin{VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
        (void)vkBeginCommandBuffer(c, &begin);
        vkCmdFillBuffer(c, buffer.buffer, 64 * t, 64, 1000 * t + static_cast<std::uint32_t>(i));
        (void)vkEndCommandBuffer(c);
        VkFenceCreateInfo fences{VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
        VkFence fence = VK_NULL_HANDLE;
        (void)vkCreateFence(v.device, &fences, nullptr, &fence);
        VkSubmitInfo work{VK_STRUCTURE_TYPE_SUBMIT_INFO, nullptr, 0, nullptr, nullptr, 1, &c, 0, nullptr};
        {
          const std::lock_guard guard(queue);
          (void)vkQueueSubmit(v.queue, 1, &work, fence);
        }
        if (vkWaitForFences(v.device, 1, &fence, VK_TRUE, UINT64_MAX) != VK_SUCCESS) ++failed;
        vkDestroyFence(v.device, fence, nullptr);
      }
      vkDestroyCommandPool(v.device, pool, nullptr);
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(failed, 0);
  for (std::uint32_t t = 0; t < 8; ++t) EXPECT_EQ(buffer.word(16 * t + 15), 1000 * t + 49);
}

}  // namespace
}  // namespace heddle::test
