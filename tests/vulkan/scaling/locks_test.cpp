// SPDX-License-Identifier: MIT
// What the driver shares between threads, counted and not timed: locks and sleeps by bench/scaling/count_locks.c, which
// this program has before the C library. With one processor or many, busy or idle, the counts are the same.

#include <dlfcn.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <thread>
#include <vector>

#include "../bench/scaling/count_locks.h"
#include "vulkan/device.hpp"

namespace heddle::test {
namespace {

constexpr VkDescriptorType kStorage = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
constexpr unsigned kWorkers = 16;

const HeddleLockCounter& counter() {
  static const auto* const found = static_cast<const HeddleLockCounter*>(::dlsym(RTLD_DEFAULT, HEDDLE_LOCK_COUNTER));
  return *found;
}

/// What the calling thread did, or all of them.
template <typename Work>
HeddleLockTotals counted(bool own, const Work& work) {
  counter().begin();
  work();
  counter().end();
  return counter().totals(own ? 1 : 0);
}

class VulkanScaling : public ::testing::Test {
 protected:
  void SetUp() override {
    if (std::getenv("HEDDLE_TEST_VALIDATION") != nullptr) GTEST_SKIP() << "layers have locks of their own";
    HEDDLE_NEED_SHADERS();
    counter().pretend(kWorkers);
    v = std::make_unique<VulkanDevice>();
    const std::vector<VulkanDevice::Binding> bindings{{0, kStorage}};
    const VkDescriptorSetLayout sets = v->set_layout(bindings);
    buffer = v->buffer(4096);
    set = v->set(sets, bindings);
    v->write(set, 0, kStorage, buffer);
    layout = v->layout({sets}, 16);
    pipeline = v->pipeline(
        "#version 450\nlayout(local_size_x = 64) in;\nlayout(binding = 0) buffer B { uint o[]; };\n"
        "void main() { o[gl_GlobalInvocationID.x] += 1u; }\n",
        layout);
  }
  void record_dispatches(VkCommandBuffer c, unsigned count) const {
    for (unsigned k = 0; k < count; ++k) {
      vkCmdPushConstants(c, layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, 4, &k);
      vkCmdBindDescriptorSets(c, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &set, 0, nullptr);
      vkCmdDispatch(c, 1, 1, 1);
    }
  }
  VkCommandBuffer dispatches(unsigned count) {
    const VkCommandBuffer c = v->commands();
    v->begin(c, 0);
    vkCmdBindPipeline(c, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
    record_dispatches(c, count);
    (void)vkEndCommandBuffer(c);
    return c;
  }
  void submit(VkCommandBuffer c, VkFence fence) const {
    const VkSubmitInfo info{VK_STRUCTURE_TYPE_SUBMIT_INFO, nullptr, 0, nullptr, nullptr, 1, &c};
    ASSERT_EQ(vkQueueSubmit(v->queue, 1, &info, fence), VK_SUCCESS);
  }
  VkFence fence() const {
    const VkFenceCreateInfo info{VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
    VkFence made = VK_NULL_HANDLE;
    EXPECT_EQ(vkCreateFence(v->device, &info, nullptr, &made), VK_SUCCESS);
    v->later([device = v->device, made] { vkDestroyFence(device, made, nullptr); });
    return made;
  }
  void run(VkCommandBuffer c, VkFence done) const {
    submit(c, done);
    ASSERT_EQ(vkWaitForFences(v->device, 1, &done, VK_TRUE, UINT64_MAX), VK_SUCCESS);
    ASSERT_EQ(vkResetFences(v->device, 1, &done), VK_SUCCESS);
  }

  std::unique_ptr<VulkanDevice> v;
  VulkanDevice::Buffer buffer;
  VkDescriptorSet set = VK_NULL_HANDLE;
  VkPipelineLayout layout = VK_NULL_HANDLE;
  VkPipeline pipeline = VK_NULL_HANDLE;
};

TEST_F(VulkanScaling, TheCounterCounts) {
  std::mutex mutex;
  const HeddleLockTotals totals = counted(true, [&] {
    for (int k = 0; k < 7; ++k) const std::lock_guard guard(mutex);
  });
  EXPECT_EQ(totals.taken, 7u);
  EXPECT_EQ(totals.waited, 0u);
}

TEST_F(VulkanScaling, RecordingTakesNoLock) {
  const VkCommandBuffer c = v->commands();
  v->begin(c);
  vkCmdBindPipeline(c, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
  EXPECT_EQ(counted(true, [&] { record_dispatches(c, 100); }).taken, 0u);
  EXPECT_EQ(vkEndCommandBuffer(c), VK_SUCCESS);
}

TEST_F(VulkanScaling, WritingADescriptorTakesNoLock) {
  const HeddleLockTotals totals = counted(true, [&] {
    for (int k = 0; k < 100; ++k) v->write(set, 0, kStorage, buffer, 256 * (k % 4));
  });
  EXPECT_EQ(totals.taken, 0u);
}

TEST_F(VulkanScaling, ADispatchOfAGroupWakesNoWorker) {
  const VkCommandBuffer few = dispatches(1), many = dispatches(101);
  const VkFence done = fence();
  for (int k = 0; k < 3; ++k) run(many, done);
  const HeddleLockTotals with_few = counted(false, [&] { run(few, done); });
  const HeddleLockTotals with_many = counted(false, [&] { run(many, done); });
  // Who waits for a fence may sleep once more or less; a worker for each dispatch would be a hundred.
  EXPECT_LE(with_many.wakes, with_few.wakes + 10);
  EXPECT_LE(with_many.sleeps, with_few.sleeps + 10);
  EXPECT_EQ(with_many.threads, 0u);
  EXPECT_LE(with_many.taken, with_few.taken + 4 * 100 + 10);
}

TEST_F(VulkanScaling, APipelineOfACacheTakesTwoLocks) {
  const std::vector<std::uint32_t> words = compile_compute(
      "#version 450\nlayout(local_size_x = 64) in;\nlayout(binding = 0) buffer B { uint o[]; };\n"
      "void main() { o[gl_GlobalInvocationID.x] = 3u; }\n");
  const VkShaderModule module = v->module(words);
  const VkPipelineCacheCreateInfo caches{VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO};
  VkPipelineCache cache = VK_NULL_HANDLE;
  ASSERT_EQ(vkCreatePipelineCache(v->device, &caches, nullptr, &cache), VK_SUCCESS);
  const auto make = [&] {
    VkComputePipelineCreateInfo info{VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO};
    info.stage = {VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                  nullptr,
                  0,
                  VK_SHADER_STAGE_COMPUTE_BIT,
                  module,
                  "main",
                  nullptr};
    info.layout = layout;
    VkPipeline made = VK_NULL_HANDLE;
    ASSERT_EQ(vkCreateComputePipelines(v->device, cache, 1, &info, nullptr, &made), VK_SUCCESS);
    vkDestroyPipeline(v->device, made, nullptr);
  };
  make();
  EXPECT_LE(counted(true, make).taken, 2u);
  vkDestroyPipelineCache(v->device, cache, nullptr);
  vkDestroyShaderModule(v->device, module, nullptr);
}

TEST_F(VulkanScaling, ABufferAndItsMemoryTakeNoLock) {
  // Of a device without sparse memory, whose pages others may map again.
  const float priority = 1;
  VkDeviceQueueCreateInfo queue{VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO};
  queue.queueCount = 1;
  queue.pQueuePriorities = &priority;
  VkDeviceCreateInfo plain{VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO};
  plain.queueCreateInfoCount = 1;
  plain.pQueueCreateInfos = &queue;
  VkDevice device = VK_NULL_HANDLE;
  ASSERT_EQ(vkCreateDevice(v->physical, &plain, nullptr, &device), VK_SUCCESS);
  const HeddleLockTotals totals = counted(true, [&] {
    VkBufferCreateInfo info{VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO};
    info.size = 1024;
    info.usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT;
    VkBuffer made = VK_NULL_HANDLE;
    ASSERT_EQ(vkCreateBuffer(device, &info, nullptr, &made), VK_SUCCESS);
    VkMemoryRequirements needs;
    vkGetBufferMemoryRequirements(device, made, &needs);
    const VkMemoryAllocateInfo bytes{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, nullptr, needs.size, 0};
    VkDeviceMemory memory = VK_NULL_HANDLE;
    ASSERT_EQ(vkAllocateMemory(device, &bytes, nullptr, &memory), VK_SUCCESS);
    ASSERT_EQ(vkBindBufferMemory(device, made, memory, 0), VK_SUCCESS);
    vkDestroyBuffer(device, made, nullptr);
    vkFreeMemory(device, memory, nullptr);
  });
  EXPECT_EQ(totals.taken, 0u);
  vkDestroyDevice(device, nullptr);
}

TEST_F(VulkanScaling, TheEndOfASubmissionWakesWhoWaitsForIt) {
  constexpr unsigned kWaiters = 8, kSubmissions = 20;
  const VkCommandBuffer c = dispatches(1);
  const VkFence done = fence();
  run(c, done);
  std::vector<VkFence> fences;
  for (unsigned k = 0; k < kWaiters; ++k) fences.push_back(fence());
  std::atomic<unsigned> waiting = 0;
  std::atomic<std::uint64_t> sleeps = 0;
  counter().begin();
  std::vector<std::thread> waiters;
  for (const VkFence one : fences)
    waiters.emplace_back([&, one] {
      ++waiting;
      constexpr std::uint64_t kTimeout = std::uint64_t{60} * 1'000'000'000;
      EXPECT_EQ(vkWaitForFences(v->device, 1, &one, VK_TRUE, kTimeout), VK_SUCCESS);
      sleeps += counter().totals(1).sleeps;
    });
  while (waiting != kWaiters) std::this_thread::yield();
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  for (unsigned k = 0; k < kSubmissions; ++k) run(c, done);
  for (const VkFence one : fences) ASSERT_EQ(vkQueueSubmit(v->queue, 0, nullptr, one), VK_SUCCESS);
  for (std::thread& one : waiters) one.join();
  counter().end();
  // Fences stand in 64 groups by their addresses: two of the waiters may happen to be in that of `done`.
  EXPECT_LE(sleeps, kWaiters * 3 + 2 * kSubmissions);
}

}  // namespace
}  // namespace heddle::test
