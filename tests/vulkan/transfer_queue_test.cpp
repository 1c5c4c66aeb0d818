// SPDX-License-Identifier: MIT
// The queue family that only transfers, beside the one that does everything.

#include <array>

#include "vulkan/checks.hpp"
#include "vulkan/feature_kit.hpp"

namespace heddle::test {
namespace {

constexpr VkPipelineStageFlags kEverything = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;

TEST(VulkanTransferQueue, FamiliesAreToldInAllForms) {
  HEDDLE_NEED_NEWER();
  const VkInstance instance = make_instance();
  const VkPhysicalDevice physical = physical_device(instance);
  std::uint32_t count = 0;
  vkGetPhysicalDeviceQueueFamilyProperties(physical, &count, nullptr);
  ASSERT_EQ(count, 2u);
  std::array<VkQueueFamilyProperties, 3> families{};
  count = 1;
  vkGetPhysicalDeviceQueueFamilyProperties(physical, &count, families.data());
  EXPECT_EQ(count, 1u);
  EXPECT_EQ(families[1].queueCount, 0u);
  count = 3;
  vkGetPhysicalDeviceQueueFamilyProperties(physical, &count, families.data());
  EXPECT_EQ(count, 2u);
  constexpr VkQueueFlags kAll = VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT | VK_QUEUE_TRANSFER_BIT;
  EXPECT_EQ(families[0].queueFlags & kAll, kAll);
  EXPECT_EQ(families[1].queueFlags & kAll, VkQueueFlags{VK_QUEUE_TRANSFER_BIT});
  std::array<VkQueueFamilyOwnershipTransferPropertiesKHR, 2> handed{};
  std::array<VkQueueFamilyOptimalImageTransferGranularityPropertiesKHR, 2> steps{};
  std::array<VkQueueFamilyGlobalPriorityProperties, 2> priorities{};
  std::array<VkQueueFamilyProperties2, 2> all{};
  for (std::size_t i = 0; i < 2; ++i) {
    priorities[i] = {VK_STRUCTURE_TYPE_QUEUE_FAMILY_GLOBAL_PRIORITY_PROPERTIES};
    steps[i] = {VK_STRUCTURE_TYPE_QUEUE_FAMILY_OPTIMAL_IMAGE_TRANSFER_GRANULARITY_PROPERTIES_KHR, &priorities[i], {}};
    handed[i] = {VK_STRUCTURE_TYPE_QUEUE_FAMILY_OWNERSHIP_TRANSFER_PROPERTIES_KHR, &steps[i], 0};
    all[i] = {VK_STRUCTURE_TYPE_QUEUE_FAMILY_PROPERTIES_2, &handed[i], {}};
  }
  count = 2;
  vkGetPhysicalDeviceQueueFamilyProperties2(physical, &count, all.data());
  ASSERT_EQ(count, 2u);
  for (std::size_t i = 0; i < 2; ++i) {
    const VkQueueFamilyProperties& family = all[i].queueFamilyProperties;
    EXPECT_EQ(std::memcmp(&family, &families[i], sizeof family), 0) << i;
    EXPECT_GE(family.queueCount, 1u);
    EXPECT_EQ(family.timestampValidBits, 64u);
    EXPECT_EQ(family.minImageTransferGranularity.width, 1u);
    EXPECT_EQ(steps[i].optimalImageTransferGranularity.depth, 1u);
    EXPECT_EQ(handed[i].optimalImageTransferToQueueFamilies, 3u);
    EXPECT_GE(priorities[i].priorityCount, 1u);
  }
  vkDestroyInstance(instance, nullptr);
}

/// A device with both queues, and what records and submits to the second one.
struct TwoQueues : VulkanDevice {
  explicit TwoQueues(const std::vector<const char*>& extensions = {}) : VulkanDevice(extensions) {
    const VkCommandPoolCreateInfo info{VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO, nullptr, 0, 1};
    EXPECT_EQ(vkCreateCommandPool(device, &info, nullptr, &transfers), VK_SUCCESS);
    later([d = device, p = transfers] { vkDestroyCommandPool(d, p, nullptr); });
    vkGetDeviceQueue(device, 1, 0, &transfer_queue);
  }
  VkCommandBuffer transfer(const std::function<void(VkCommandBuffer)>& record) {
    const VkCommandBufferAllocateInfo info{VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, nullptr, transfers,
                                           VK_COMMAND_BUFFER_LEVEL_PRIMARY, 1};
    VkCommandBuffer made = VK_NULL_HANDLE;
    EXPECT_EQ(vkAllocateCommandBuffers(device, &info, &made), VK_SUCCESS);
    begin(made);
    record(made);
    EXPECT_EQ(vkEndCommandBuffer(made), VK_SUCCESS);
    return made;
  }
  VkSemaphore semaphore(bool timeline = false) {
    const VkSemaphoreTypeCreateInfo type{VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO, nullptr,
                                         VK_SEMAPHORE_TYPE_TIMELINE, 0};
    const VkSemaphoreCreateInfo info{VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, timeline ? &type : nullptr, 0};
    VkSemaphore made = VK_NULL_HANDLE;
    EXPECT_EQ(vkCreateSemaphore(device, &info, nullptr, &made), VK_SUCCESS);
    later([d = device, made] { vkDestroySemaphore(d, made, nullptr); });
    return made;
  }
  /// To a queue, after `wait` and before `signal`; null: none.
  void submit_to(VkQueue to, VkCommandBuffer buffer, VkSemaphore wait, VkSemaphore signal) const {
    const VkSubmitInfo info{
        VK_STRUCTURE_TYPE_SUBMIT_INFO,      nullptr, wait != VK_NULL_HANDLE ? 1u : 0u,   &wait,  &kEverything,
        buffer != VK_NULL_HANDLE ? 1u : 0u, &buffer, signal != VK_NULL_HANDLE ? 1u : 0u, &signal};
    EXPECT_EQ(vkQueueSubmit(to, 1, &info, VK_NULL_HANDLE), VK_SUCCESS);
  }
  VkCommandPool transfers = VK_NULL_HANDLE;
  VkQueue transfer_queue = VK_NULL_HANDLE;
};

VkImageMemoryBarrier handed_over(VkImage image, VkImageLayout from, VkImageLayout to, std::uint32_t family,
                                 std::uint32_t next) {
  VkImageMemoryBarrier b{VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER};
  b.oldLayout = from;
  b.newLayout = to;
  b.srcQueueFamilyIndex = family;
  b.dstQueueFamilyIndex = next;
  b.image = image;
  b.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
  return b;
}

/// An image that the second queue fills and hands to the first, which reads it.
void upload(TwoQueues& v) {
  ASSERT_NE(v.transfer_queue, v.queue);
  ASSERT_NE(v.transfer_queue, VkQueue{});
  const auto from = v.buffer(64), to = v.buffer(64);
  for (std::uint32_t i = 0; i < 16; ++i) from.set(i, 100 + i);
  const VkImageCreateInfo info = VulkanDevice::image_info(VK_FORMAT_R32_UINT, 4, 4);
  VkImage image = VK_NULL_HANDLE;
  ASSERT_EQ(vkCreateImage(v.device, &info, nullptr, &image), VK_SUCCESS);
  VkMemoryRequirements needs;
  vkGetImageMemoryRequirements(v.device, image, &needs);
  const VkMemoryAllocateInfo allocate{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, nullptr, needs.size, 0};
  VkDeviceMemory memory = VK_NULL_HANDLE;
  ASSERT_EQ(vkAllocateMemory(v.device, &allocate, nullptr, &memory), VK_SUCCESS);
  ASSERT_EQ(vkBindImageMemory(v.device, image, memory, 0), VK_SUCCESS);
  const VkBufferImageCopy region{0, 0, 0, {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1}, {}, {4, 4, 1}};
  VkImageMemoryBarrier hand =
      handed_over(image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, 1, 0);
  const VkCommandBuffer fills = v.transfer([&](VkCommandBuffer c) {
    VkImageMemoryBarrier first = handed_over(image, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL,
                                             VK_QUEUE_FAMILY_IGNORED, VK_QUEUE_FAMILY_IGNORED);
    first.dstAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT;
    vkCmdPipelineBarrier(c, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT, 0, 0, nullptr, 0, nullptr,
                         1, &first);
    vkCmdCopyBufferToImage(c, from.buffer, image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, 1, &region);
    hand.srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT;
    vkCmdPipelineBarrier(c, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, 0, 0, nullptr, 0,
                         nullptr, 1, &hand);
  });
  const VkCommandBuffer reads = v.commands();
  v.begin(reads);
  hand.srcAccessMask = 0;
  hand.dstAccessMask = VK_ACCESS_TRANSFER_READ_BIT;
  vkCmdPipelineBarrier(reads, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT, 0, 0, nullptr, 0,
                       nullptr, 1, &hand);
  vkCmdCopyImageToBuffer(reads, image, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, to.buffer, 1, &region);
  ASSERT_EQ(vkEndCommandBuffer(reads), VK_SUCCESS);
  const VkSemaphore filled = v.semaphore();
  v.submit_to(v.transfer_queue, fills, VK_NULL_HANDLE, filled);
  v.submit_to(v.queue, reads, filled, VK_NULL_HANDLE);
  ASSERT_EQ(vkDeviceWaitIdle(v.device), VK_SUCCESS);
  for (std::uint32_t i = 0; i < 16; ++i) EXPECT_EQ(to.word(i), 100 + i) << i;
  vkDestroyImage(v.device, image, nullptr);
  vkFreeMemory(v.device, memory, nullptr);
}

TEST(VulkanTransferQueue, ImagesAreHandedOver) {
  TwoQueues v;
  upload(v);
}

// The layout changes once, though two barriers say it.
TEST(VulkanTransferQueue, ChecksFollowWhatIsHandedOver) {
  const ChecksOn checks;
  TwoQueues v;
  v.expects_messages = true;
  upload(v);
  expect_found(v.messages, {});
}

// What waits in one queue holds no other one up, whichever came first.
TEST(VulkanTransferQueue, QueuesWaitForEachOther) {
  TwoQueues v({VK_KHR_TIMELINE_SEMAPHORE_EXTENSION_NAME});
  const auto a = v.buffer(16), b = v.buffer(16), c = v.buffer(16);
  const VkSemaphore time = v.semaphore(true);
  const auto copy = [&](const VulkanDevice::Buffer& from, const VulkanDevice::Buffer& to) {
    return [&from, &to](VkCommandBuffer commands) {
      const VkBufferCopy region{0, 0, 16};
      vkCmdCopyBuffer(commands, from.buffer, to.buffer, 1, &region);
    };
  };
  const auto submit = [&](VkQueue to, VkCommandBuffer buffer, std::uint64_t wait, std::uint64_t signal) {
    const VkTimelineSemaphoreSubmitInfo values{
        VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO, nullptr, wait != 0 ? 1u : 0u, &wait, 1, &signal};
    const VkSubmitInfo info{
        VK_STRUCTURE_TYPE_SUBMIT_INFO, &values, wait != 0 ? 1u : 0u, &time, &kEverything, 1, &buffer, 1, &time};
    ASSERT_EQ(vkQueueSubmit(to, 1, &info, VK_NULL_HANDLE), VK_SUCCESS);
  };
  a.set(0, 7);
  // In the order of submission: the second copy, which waits; the first one, of the other queue; the third.
  const VkCommandBuffer second = v.transfer(copy(b, c)), third = v.commands(), first = v.commands();
  v.begin(first);
  copy(a, b)(first);
  ASSERT_EQ(vkEndCommandBuffer(first), VK_SUCCESS);
  v.begin(third);
  vkCmdFillBuffer(third, a.buffer, 0, 16, 99);
  ASSERT_EQ(vkEndCommandBuffer(third), VK_SUCCESS);
  submit(v.transfer_queue, second, 1, 2);
  submit(v.queue, first, 0, 1);
  submit(v.queue, third, 2, 3);
  ASSERT_EQ(vkQueueWaitIdle(v.transfer_queue), VK_SUCCESS);
  EXPECT_EQ(c.word(0), 7u);
  ASSERT_EQ(vkQueueWaitIdle(v.queue), VK_SUCCESS);
  EXPECT_EQ(a.word(0), 99u);
}

// A queue that waits for the host holds up neither the other one nor who waits for that.
TEST(VulkanTransferQueue, OneIsIdleWhileTheOtherWaits) {
  TwoQueues v({VK_KHR_TIMELINE_SEMAPHORE_EXTENSION_NAME});
  const auto a = v.buffer(16), b = v.buffer(16);
  const VkSemaphore time = v.semaphore(true);
  const VkCommandBuffer later_one = v.transfer([&](VkCommandBuffer c) { vkCmdFillBuffer(c, a.buffer, 0, 16, 5); });
  const std::uint64_t value = 1;
  const VkTimelineSemaphoreSubmitInfo values{
      VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO, nullptr, 1, &value, 0, nullptr};
  const VkSubmitInfo info{VK_STRUCTURE_TYPE_SUBMIT_INFO, &values, 1, &time, &kEverything, 1, &later_one, 0, nullptr};
  ASSERT_EQ(vkQueueSubmit(v.transfer_queue, 1, &info, VK_NULL_HANDLE), VK_SUCCESS);
  ASSERT_EQ(v.run([&](VkCommandBuffer c) { vkCmdFillBuffer(c, b.buffer, 0, 16, 6); }), VK_SUCCESS);
  ASSERT_EQ(vkQueueWaitIdle(v.queue), VK_SUCCESS);
  EXPECT_EQ(b.word(3), 6u);
  EXPECT_EQ(a.word(3), 0u);
  const VkSemaphoreSignalInfo signal{VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO, nullptr, time, 1};
  ASSERT_EQ(v.proc<PFN_vkSignalSemaphoreKHR>("vkSignalSemaphoreKHR")(v.device, &signal), VK_SUCCESS);
  ASSERT_EQ(vkQueueWaitIdle(v.transfer_queue), VK_SUCCESS);
  EXPECT_EQ(a.word(3), 5u);
}

TEST(VulkanTransferQueue, HasTimestamps) {
  TwoQueues v;
  VkQueryPoolCreateInfo info{VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO};
  info.queryType = VK_QUERY_TYPE_TIMESTAMP;
  info.queryCount = 2;
  VkQueryPool queries = VK_NULL_HANDLE;
  ASSERT_EQ(vkCreateQueryPool(v.device, &info, nullptr, &queries), VK_SUCCESS);
  const auto a = v.buffer(1 << 20);
  ASSERT_EQ(v.run([&](VkCommandBuffer c) { vkCmdResetQueryPool(c, queries, 0, 2); }), VK_SUCCESS);
  v.submit_to(v.transfer_queue, v.transfer([&](VkCommandBuffer c) {
    vkCmdWriteTimestamp(c, VK_PIPELINE_STAGE_TRANSFER_BIT, queries, 0);
    vkCmdFillBuffer(c, a.buffer, 0, VK_WHOLE_SIZE, 3);
    vkCmdWriteTimestamp(c, VK_PIPELINE_STAGE_TRANSFER_BIT, queries, 1);
  }),
              VK_NULL_HANDLE, VK_NULL_HANDLE);
  ASSERT_EQ(vkDeviceWaitIdle(v.device), VK_SUCCESS);
  std::uint64_t times[2]{};
  EXPECT_EQ(vkGetQueryPoolResults(v.device, queries, 0, 2, sizeof times, times, 8, VK_QUERY_RESULT_64_BIT), VK_SUCCESS);
  EXPECT_GT(times[1], times[0]);
  vkDestroyQueryPool(v.device, queries, nullptr);
}

// Shaders do not run there: a message says so, and what follows is done.
TEST(VulkanTransferQueue, OnlyTransfers) {
  HEDDLE_NEED_SHADERS();
  TwoQueues v;
  v.expects_messages = true;
  const auto out = v.buffer(64);
  const std::vector<VulkanDevice::Binding> bindings{{0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER}};
  const auto sets = v.set_layout(bindings);
  const auto set = v.set(sets, bindings);
  v.write(set, 0, bindings[0].type, out);
  const auto layout = v.layout({sets});
  const VkPipeline pipeline = v.pipeline(
      "#version 450\nlayout(local_size_x = 1) in;\nlayout(binding = 0) buffer O { uint o[]; };\n"
      "void main() { o[0] = 5u; }\n",
      layout);
  v.submit_to(v.transfer_queue, v.transfer([&](VkCommandBuffer c) {
    vkCmdBindPipeline(c, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
    vkCmdBindDescriptorSets(c, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &set, 0, nullptr);
    vkCmdDispatch(c, 1, 1, 1);
    vkCmdFillBuffer(c, out.buffer, 4, 4, 6);
  }),
              VK_NULL_HANDLE, VK_NULL_HANDLE);
  ASSERT_EQ(vkDeviceWaitIdle(v.device), VK_SUCCESS);
  EXPECT_EQ(out.word(0), 0u);
  EXPECT_EQ(out.word(1), 6u);
  bool said = false;
  for (const std::string& m : v.messages)
    said = said || m.find("vkCmdDispatch: the queue's family only transfers") != std::string::npos;
  EXPECT_TRUE(said);
}

TEST(VulkanTransferQueue, FamiliesThatAreNotThereHaveNoQueue) {
  const VulkanDevice v;
  if (std::getenv("HEDDLE_TEST_VALIDATION") != nullptr) GTEST_SKIP() << "a mistake, on purpose";
  VkQueue queue = v.queue;
  vkGetDeviceQueue(v.device, 2, 0, &queue);
  EXPECT_EQ(queue, VkQueue{});
  vkGetDeviceQueue(v.device, UINT32_MAX, 0, &queue);
  EXPECT_EQ(queue, VkQueue{});
}

}  // namespace
}  // namespace heddle::test
