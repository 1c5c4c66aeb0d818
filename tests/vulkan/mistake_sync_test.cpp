// SPDX-License-Identifier: MIT
// Fences, semaphores and memory that are used again, twice or not at all. What waits without an end: waits_test.cpp.

#include "vulkan/mistakes.hpp"

namespace heddle::test {
namespace {

constexpr VkPipelineStageFlags kEverything = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;

VkFence make_fence(const Things& t, VkFenceCreateFlags flags = 0) {
  const VkFenceCreateInfo info{VK_STRUCTURE_TYPE_FENCE_CREATE_INFO, nullptr, flags};
  VkFence fence = VK_NULL_HANDLE;
  EXPECT_EQ(vkCreateFence(t.v.device, &info, nullptr, &fence), VK_SUCCESS);
  return fence;
}
VkSemaphore make_semaphore(const Things& t, bool timeline) {
  VkSemaphoreTypeCreateInfo type{VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO, nullptr, VK_SEMAPHORE_TYPE_TIMELINE, 5};
  const VkSemaphoreCreateInfo info{VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, timeline ? &type : nullptr, 0};
  VkSemaphore made = VK_NULL_HANDLE;
  EXPECT_EQ(vkCreateSemaphore(t.v.device, &info, nullptr, &made), VK_SUCCESS);
  return made;
}

const Mistake kMistakes[] = {
    {"AFenceOfTwoSubmissions",
     [](Things& t, VkCommandBuffer) {
       for (const VkFence fence : {make_fence(t), make_fence(t, VK_FENCE_CREATE_SIGNALED_BIT)}) {
         for (int k = 0; k < 3; ++k) EXPECT_EQ(vkQueueSubmit(t.v.queue, 0, nullptr, fence), VK_SUCCESS);
         EXPECT_EQ(vkResetFences(t.v.device, 1, &fence), VK_SUCCESS);
         EXPECT_EQ(vkQueueSubmit(t.v.queue, 0, nullptr, fence), VK_SUCCESS);
         EXPECT_EQ(vkWaitForFences(t.v.device, 1, &fence, VK_TRUE, UINT64_MAX), VK_SUCCESS);
         vkDestroyFence(t.v.device, fence, nullptr);
       }
     }},
    {"NoFences",
     [](Things& t, VkCommandBuffer) {
       const VkFence none = VK_NULL_HANDLE;
       (void)vkResetFences(t.v.device, 1, &none);
       (void)vkWaitForFences(t.v.device, 1, &none, VK_TRUE, UINT64_MAX);
     }},
    {"NoSemaphores",
     [](Things& t, VkCommandBuffer) {
       const VkSemaphore none = VK_NULL_HANDLE;
       const VkSubmitInfo info{VK_STRUCTURE_TYPE_SUBMIT_INFO, nullptr, 1, &none, &kEverything, 0, nullptr, 1, &none};
       EXPECT_EQ(vkQueueSubmit(t.v.queue, 1, &info, VK_NULL_HANDLE), VK_SUCCESS);
       EXPECT_EQ(vkQueueWaitIdle(t.v.queue), VK_SUCCESS);
     }},
    {"OneSemaphoreTwiceInAList",
     [](Things& t, VkCommandBuffer) {
       const VkSemaphore one = make_semaphore(t, false);
       const VkSemaphore both[] = {one, one};
       const VkPipelineStageFlags stages[] = {kEverything, kEverything};
       VkSubmitInfo info{VK_STRUCTURE_TYPE_SUBMIT_INFO};
       info.signalSemaphoreCount = 2;
       info.pSignalSemaphores = both;
       EXPECT_EQ(vkQueueSubmit(t.v.queue, 1, &info, VK_NULL_HANDLE), VK_SUCCESS);
       const VkSubmitInfo waits{VK_STRUCTURE_TYPE_SUBMIT_INFO, nullptr, 2, both, stages, 0, nullptr, 0, nullptr};
       EXPECT_EQ(vkQueueSubmit(t.v.queue, 1, &waits, VK_NULL_HANDLE), VK_SUCCESS);
       EXPECT_EQ(vkQueueWaitIdle(t.v.queue), VK_SUCCESS);
       vkDestroySemaphore(t.v.device, one, nullptr);
     }},
    {"ATimelineThatGoesBack",
     [](Things& t, VkCommandBuffer) {
       const VkSemaphore timeline = make_semaphore(t, true);
       const std::uint64_t three = 3, five = 5;
       VkTimelineSemaphoreSubmitInfo values{
           VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO, nullptr, 0, nullptr, 1, &three};
       VkSubmitInfo info{VK_STRUCTURE_TYPE_SUBMIT_INFO, &values};
       info.signalSemaphoreCount = 1;
       info.pSignalSemaphores = &timeline;
       EXPECT_EQ(vkQueueSubmit(t.v.queue, 1, &info, VK_NULL_HANDLE), VK_SUCCESS);
       EXPECT_EQ(vkQueueWaitIdle(t.v.queue), VK_SUCCESS);
       const VkSemaphoreSignalInfo signal{VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO, nullptr, timeline, 2};
       EXPECT_EQ(t.v.proc<PFN_vkSignalSemaphore>("vkSignalSemaphore")(t.v.device, &signal), VK_SUCCESS);
       const VkSemaphoreWaitInfo wait{VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO, nullptr, 0, 1, &timeline, &five};
       EXPECT_EQ(t.v.proc<PFN_vkWaitSemaphores>("vkWaitSemaphores")(t.v.device, &wait, 0), VK_SUCCESS);
       vkDestroySemaphore(t.v.device, timeline, nullptr);
     }},
    {"MemoryMappedTwice",
     [](Things& t, VkCommandBuffer) {
       void *first = nullptr, *second = nullptr;
       (void)vkMapMemory(t.v.device, t.small.memory, 0, VK_WHOLE_SIZE, 0, &first);
       (void)vkMapMemory(t.v.device, t.small.memory, 0, 4, 0, &second);
       for (int k = 0; k < 3; ++k) vkUnmapMemory(t.v.device, t.small.memory);
     }},
    {"ACommandBufferThatRunsTwice",
     [](Things& t, VkCommandBuffer) {
       const VkCommandBuffer twice = t.v.commands();
       t.v.begin(twice);
       vkCmdFillBuffer(twice, t.small.buffer, 0, VK_WHOLE_SIZE, 1);
       EXPECT_EQ(vkEndCommandBuffer(twice), VK_SUCCESS);
       const VkCommandBuffer both[] = {twice, twice};
       VkSubmitInfo info{VK_STRUCTURE_TYPE_SUBMIT_INFO};
       info.commandBufferCount = 2;
       info.pCommandBuffers = both;
       EXPECT_EQ(vkQueueSubmit(t.v.queue, 1, &info, VK_NULL_HANDLE), VK_SUCCESS);
       vkFreeCommandBuffers(t.v.device, t.v.pool, 1, &twice);  // at once
     }},
};

class VulkanSyncMistakes : public Mistakes {};
TEST_P(VulkanSyncMistakes, DoNoHarm) { do_no_harm(); }

INSTANTIATE_TEST_SUITE_P(All, VulkanSyncMistakes, testing::ValuesIn(kMistakes), mistake_name);

}  // namespace
}  // namespace heddle::test
