// SPDX-License-Identifier: MIT
// What outlives what: descriptors that change while the queue runs, memory that goes away, handles that come again,
// devices that are lost.

#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include "vulkan/device.hpp"

namespace heddle::test {
namespace {

constexpr VkDescriptorType kStorage = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;

const std::string kWriteFirst =
    "#version 450\nlayout(local_size_x = 16) in;\nlayout(binding = 0) buffer Out { uint o[]; } b[2];\n"
    "void main() { b[0].o[gl_LocalInvocationIndex] = 7u; }\n";

// Element 1 is not used by the shader: the host may write it while the queue works (update after bind).
TEST(VulkanLifetime, DescriptorsChangeWhileTheQueueRuns) {
  HEDDLE_NEED_SHADERS();
  VulkanDevice v({VK_EXT_DESCRIPTOR_INDEXING_EXTENSION_NAME});
  const auto used = v.buffer(64), other = v.buffer(64);
  const auto set_layout =
      v.set_layout({{0, kStorage, 2}}, VK_DESCRIPTOR_SET_LAYOUT_CREATE_UPDATE_AFTER_BIND_POOL_BIT,
                   VK_DESCRIPTOR_BINDING_UPDATE_AFTER_BIND_BIT | VK_DESCRIPTOR_BINDING_PARTIALLY_BOUND_BIT |
                       VK_DESCRIPTOR_BINDING_UPDATE_UNUSED_WHILE_PENDING_BIT);
  const auto set = v.set(set_layout, {{0, kStorage, 2}}, VK_DESCRIPTOR_POOL_CREATE_UPDATE_AFTER_BIND_BIT);
  const auto layout = v.layout({set_layout});
  v.write(set, 0, kStorage, used, 0, VK_WHOLE_SIZE, 0);
  const auto pipeline = v.pipeline(kWriteFirst, layout);
  std::atomic<bool> stop = false;
  std::thread writer([&] {
    while (!stop) v.write(set, 0, kStorage, other, 0, VK_WHOLE_SIZE, 1);
  });
  EXPECT_EQ(v.run([&](VkCommandBuffer c) {
    vkCmdBindPipeline(c, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
    vkCmdBindDescriptorSets(c, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &set, 0, nullptr);
    for (int i = 0; i < 300; ++i) vkCmdDispatch(c, 1, 1, 1);
  }),
            VK_SUCCESS);
  stop = true;
  writer.join();
  EXPECT_EQ(used.word(15), 7u);
  EXPECT_EQ(other.word(0), 0u);
}

// A program that did not look whether its pipeline could be made is told; the device goes on.
TEST(VulkanLifetime, ANullPipelineDoesNothing) {
  HEDDLE_NEED_SHADERS();
  if (std::getenv("HEDDLE_TEST_VALIDATION") != nullptr) GTEST_SKIP() << "the layer does not take null pipelines";
  VulkanDevice v;
  const auto buffer = v.buffer(64);
  const auto set_layout = v.set_layout({{0, kStorage, 2}});
  const auto set = v.set(set_layout, {{0, kStorage, 2}});
  const auto layout = v.layout({set_layout});
  v.write(set, 0, kStorage, buffer);
  v.write(set, 0, kStorage, buffer, 0, VK_WHOLE_SIZE, 1);
  const auto pipeline = v.pipeline(kWriteFirst, layout);
  EXPECT_EQ(v.run([&](VkCommandBuffer c) {
    vkCmdBindDescriptorSets(c, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &set, 0, nullptr);
    vkCmdBindPipeline(c, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
    vkCmdBindPipeline(c, VK_PIPELINE_BIND_POINT_COMPUTE, VK_NULL_HANDLE);
    vkCmdBindPipeline(c, VK_PIPELINE_BIND_POINT_GRAPHICS, VK_NULL_HANDLE);
    vkCmdDispatch(c, 1, 1, 1);
  }),
            VK_SUCCESS);
  EXPECT_EQ(buffer.word(0), 0u);
  ASSERT_EQ(v.messages.size(), 2u);
  EXPECT_NE(v.messages[0].find("vkCmdBindPipeline: the pipeline is VK_NULL_HANDLE"), std::string::npos);
}

std::uint64_t resident_bytes() {
  std::FILE* file = std::fopen("/proc/self/statm", "r");
  unsigned long long all = 0, resident = 0;
  const int read = file == nullptr ? 0 : std::fscanf(file, "%llu %llu", &all, &resident);
  if (file != nullptr) (void)std::fclose(file);
  return read == 2 ? resident * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE)) : 0;
}

// A descriptor still names the buffer; its pages go back all the same.
TEST(VulkanLifetime, FreedMemoryIsGivenBack) {
  VulkanDevice v;
  constexpr std::uint64_t kBytes = 64 << 20;
  VkMemoryAllocateInfo allocate{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, nullptr, kBytes, 0};
  VkBufferCreateInfo info{VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO};
  info.size = kBytes;
  info.usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT;
  VulkanDevice::Buffer buffer;
  ASSERT_EQ(vkAllocateMemory(v.device, &allocate, nullptr, &buffer.memory), VK_SUCCESS);
  ASSERT_EQ(vkCreateBuffer(v.device, &info, nullptr, &buffer.buffer), VK_SUCCESS);
  VkMemoryRequirements needs;
  vkGetBufferMemoryRequirements(v.device, buffer.buffer, &needs);
  ASSERT_EQ(vkBindBufferMemory(v.device, buffer.buffer, buffer.memory, 0), VK_SUCCESS);
  const auto layout = v.set_layout({{0, kStorage}});
  const auto set = v.set(layout, {{0, kStorage}});
  v.write(set, 0, kStorage, buffer);
  ASSERT_EQ(v.run([&](VkCommandBuffer c) { vkCmdFillBuffer(c, buffer.buffer, 0, kBytes, 1); }), VK_SUCCESS);
  const std::uint64_t before = resident_bytes();
  if (before == 0) GTEST_SKIP() << "the system does not tell";
  vkDestroyBuffer(v.device, buffer.buffer, nullptr);
  vkFreeMemory(v.device, buffer.memory, nullptr);
  EXPECT_LT(resident_bytes() + kBytes / 2, before);
}

// The allocator gives the same place again, often at once; the slot must not know it.
TEST(VulkanLifetime, PrivateDataGoesWithItsObject) {
  VulkanDevice v({VK_EXT_PRIVATE_DATA_EXTENSION_NAME});
  const VkPrivateDataSlotCreateInfo info{VK_STRUCTURE_TYPE_PRIVATE_DATA_SLOT_CREATE_INFO};
  VkPrivateDataSlot slot = VK_NULL_HANDLE;
  ASSERT_EQ(v.proc<PFN_vkCreatePrivateDataSlotEXT>("vkCreatePrivateDataSlotEXT")(v.device, &info, nullptr, &slot),
            VK_SUCCESS);
  const auto set = v.proc<PFN_vkSetPrivateDataEXT>("vkSetPrivateDataEXT");
  const auto get = v.proc<PFN_vkGetPrivateDataEXT>("vkGetPrivateDataEXT");
  for (int i = 0; i < 50; ++i) {
    const VkFenceCreateInfo fences{VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
    VkFence fence = VK_NULL_HANDLE;
    ASSERT_EQ(vkCreateFence(v.device, &fences, nullptr, &fence), VK_SUCCESS);
    const auto handle = reinterpret_cast<std::uint64_t>(fence);
    std::uint64_t value = 1;
    get(v.device, VK_OBJECT_TYPE_FENCE, handle, slot, &value);
    EXPECT_EQ(value, 0u);
    EXPECT_EQ(set(v.device, VK_OBJECT_TYPE_FENCE, handle, slot, 99), VK_SUCCESS);
    get(v.device, VK_OBJECT_TYPE_FENCE, handle, slot, &value);
    EXPECT_EQ(value, 99u);
    vkDestroyFence(v.device, fence, nullptr);
  }
  v.proc<PFN_vkDestroyPrivateDataSlotEXT>("vkDestroyPrivateDataSlotEXT")(v.device, slot, nullptr);
}

// Whoever was told of the loss may destroy everything at once: nothing of what waited is looked at any more.
TEST(VulkanLifetime, ALostDeviceIsIdleWhenItSaysSo) {
  HEDDLE_NEED_SHADERS();
  if (std::getenv("HEDDLE_TEST_VALIDATION") != nullptr) GTEST_SKIP() << "the layer does not know of lost devices";
  setenv("HEDDLE_TIME_LIMIT", "0.2", 1);
  VulkanDevice v({VK_KHR_TIMELINE_SEMAPHORE_EXTENSION_NAME});
  unsetenv("HEDDLE_TIME_LIMIT");
  const auto buffer = v.buffer(64);
  const auto set_layout = v.set_layout({{0, kStorage}});
  const auto set = v.set(set_layout, {{0, kStorage}});
  v.write(set, 0, kStorage, buffer);
  const auto layout = v.layout({set_layout});
  const auto pipeline = v.pipeline(
      "#version 450\nlayout(binding = 0) volatile buffer B { uint o[]; };\nvoid main() { while (o[0] != 1u) o[1]++; "
      "}\n",
      layout);
  VkSemaphoreTypeCreateInfo type{VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO, nullptr, VK_SEMAPHORE_TYPE_TIMELINE, 0};
  VkSemaphoreCreateInfo info{VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO, &type, 0};
  VkSemaphore never = VK_NULL_HANDLE;
  ASSERT_EQ(vkCreateSemaphore(v.device, &info, nullptr, &never), VK_SUCCESS);
  const VkFenceCreateInfo fences{VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
  VkFence fence = VK_NULL_HANDLE;
  ASSERT_EQ(vkCreateFence(v.device, &fences, nullptr, &fence), VK_SUCCESS);
  const VkCommandBuffer runaway = v.commands(), waits = v.commands();
  v.begin(runaway);
  vkCmdBindPipeline(runaway, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
  vkCmdBindDescriptorSets(runaway, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &set, 0, nullptr);
  vkCmdDispatch(runaway, 1, 1, 1);
  ASSERT_EQ(vkEndCommandBuffer(runaway), VK_SUCCESS);
  v.begin(waits);
  vkCmdFillBuffer(waits, buffer.buffer, 0, 64, 5);
  ASSERT_EQ(vkEndCommandBuffer(waits), VK_SUCCESS);
  VkSubmitInfo first{VK_STRUCTURE_TYPE_SUBMIT_INFO};
  first.commandBufferCount = 1;
  first.pCommandBuffers = &runaway;
  const std::uint64_t one = 1;
  VkTimelineSemaphoreSubmitInfo values{VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO, nullptr, 1, &one, 0, nullptr};
  const VkPipelineStageFlags stage = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
  VkSubmitInfo second{VK_STRUCTURE_TYPE_SUBMIT_INFO, &values, 1, &never, &stage, 1, &waits, 0, nullptr};
  ASSERT_EQ(vkQueueSubmit(v.queue, 1, &first, VK_NULL_HANDLE), VK_SUCCESS);
  ASSERT_EQ(vkQueueSubmit(v.queue, 1, &second, fence), VK_SUCCESS);
  EXPECT_EQ(vkWaitForFences(v.device, 1, &fence, VK_TRUE, UINT64_MAX), VK_ERROR_DEVICE_LOST);
  vkDestroySemaphore(v.device, never, nullptr);
  vkDestroyFence(v.device, fence, nullptr);
  vkDestroyCommandPool(v.device, v.pool, nullptr);
  v.pool = VK_NULL_HANDLE;
  EXPECT_EQ(vkQueueWaitIdle(v.queue), VK_ERROR_DEVICE_LOST);
  EXPECT_EQ(vkQueueSubmit(v.queue, 0, nullptr, VK_NULL_HANDLE), VK_ERROR_DEVICE_LOST);
}

// Two buffers over the same memory: the address of one stays good when the other goes.
TEST(VulkanLifetime, AddressesOfBuffersThatShareMemory) {
  HEDDLE_NEED_SHADERS();
  VulkanDevice v({VK_KHR_BUFFER_DEVICE_ADDRESS_EXTENSION_NAME});
  VkMemoryAllocateFlagsInfo flags{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO, nullptr,
                                  VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT, 0};
  VkMemoryAllocateInfo allocate{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, &flags, 4096, 0};
  VkDeviceMemory memory = VK_NULL_HANDLE;
  ASSERT_EQ(vkAllocateMemory(v.device, &allocate, nullptr, &memory), VK_SUCCESS);
  VkBuffer buffers[2] = {};
  for (VkBuffer& buffer : buffers) {
    VkBufferCreateInfo info{VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO};
    info.size = 2048;
    info.usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT;
    ASSERT_EQ(vkCreateBuffer(v.device, &info, nullptr, &buffer), VK_SUCCESS);
    VkMemoryRequirements needs;
    vkGetBufferMemoryRequirements(v.device, buffer, &needs);
    ASSERT_EQ(vkBindBufferMemory(v.device, buffer, memory, &buffer == buffers ? 0 : 1024), VK_SUCCESS);
  }
  const VkBufferDeviceAddressInfo info{VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO, nullptr, buffers[1]};
  const VkDeviceAddress address =
      v.proc<PFN_vkGetBufferDeviceAddressKHR>("vkGetBufferDeviceAddressKHR")(v.device, &info);
  vkDestroyBuffer(v.device, buffers[0], nullptr);
  const auto layout = v.layout({}, 8);
  const auto pipeline = v.pipeline(
      "#version 450\n#extension GL_EXT_buffer_reference : require\n"
      "layout(buffer_reference, std430, buffer_reference_align = 4) buffer B { uint o[]; };\n"
      "layout(push_constant) uniform P { B b; };\nvoid main() { b.o[400] = 1234u; }\n",
      layout);
  EXPECT_EQ(v.run([&](VkCommandBuffer c) {
    vkCmdBindPipeline(c, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
    vkCmdPushConstants(c, layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, 8, &address);
    vkCmdDispatch(c, 1, 1, 1);
  }),
            VK_SUCCESS);
  void* mapped = nullptr;
  ASSERT_EQ(vkMapMemory(v.device, memory, 0, VK_WHOLE_SIZE, 0, &mapped), VK_SUCCESS);
  std::uint32_t word = 0;
  std::memcpy(&word, static_cast<std::uint8_t*>(mapped) + 1024 + 1600, 4);
  EXPECT_EQ(word, 1234u);
  vkDestroyBuffer(v.device, buffers[1], nullptr);
  vkFreeMemory(v.device, memory, nullptr);
}

// More descriptors than 32 bits count.
TEST(VulkanLifetime, LayoutsThatAreTooLargeAreRefused) {
  if (std::getenv("HEDDLE_TEST_VALIDATION") != nullptr) GTEST_SKIP() << "the layer counts them itself";
  VulkanDevice v;
  const VkDescriptorSetLayoutBinding bindings[] = {
      {0, kStorage, 0x80000000u, VK_SHADER_STAGE_COMPUTE_BIT, nullptr},
      {1, kStorage, 0x80000010u, VK_SHADER_STAGE_COMPUTE_BIT, nullptr},
  };
  VkDescriptorSetLayoutCreateInfo info{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO, nullptr, 0, 2, bindings};
  VkDescriptorSetLayout layout = VK_NULL_HANDLE;
  EXPECT_EQ(vkCreateDescriptorSetLayout(v.device, &info, nullptr, &layout), VK_ERROR_OUT_OF_DEVICE_MEMORY);
  VkDescriptorSetVariableDescriptorCountLayoutSupport variable{
      VK_STRUCTURE_TYPE_DESCRIPTOR_SET_VARIABLE_DESCRIPTOR_COUNT_LAYOUT_SUPPORT, nullptr, 77};
  VkDescriptorSetLayoutSupport support{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_SUPPORT, &variable, VK_TRUE};
  vkGetDescriptorSetLayoutSupport(v.device, &info, &support);
  EXPECT_EQ(support.supported, VK_FALSE);
  EXPECT_EQ(variable.maxVariableDescriptorCount, 0u) << "no binding has a variable count";
  info.bindingCount = 0;
  vkGetDescriptorSetLayoutSupport(v.device, &info, &support);
  EXPECT_EQ(support.supported, VK_TRUE);
}

// The count of an inline uniform block is its size in bytes: of a variable one, no more than a block may have.
TEST(VulkanLifetime, VariableInlineBlocksAreNoLargerThanOthers) {
  VulkanDevice v({VK_EXT_DESCRIPTOR_INDEXING_EXTENSION_NAME, VK_EXT_INLINE_UNIFORM_BLOCK_EXTENSION_NAME});
  const VkDescriptorSetLayoutBinding binding{0, VK_DESCRIPTOR_TYPE_INLINE_UNIFORM_BLOCK_EXT, 4,
                                             VK_SHADER_STAGE_COMPUTE_BIT, nullptr};
  const VkDescriptorBindingFlags flag = VK_DESCRIPTOR_BINDING_VARIABLE_DESCRIPTOR_COUNT_BIT;
  const VkDescriptorSetLayoutBindingFlagsCreateInfo flags{
      VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_BINDING_FLAGS_CREATE_INFO, nullptr, 1, &flag};
  const VkDescriptorSetLayoutCreateInfo info{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO, &flags, 0, 1,
                                             &binding};
  VkPhysicalDeviceInlineUniformBlockPropertiesEXT block{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_INLINE_UNIFORM_BLOCK_PROPERTIES_EXT};
  VkPhysicalDeviceProperties2 properties{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, &block, {}};
  vkGetPhysicalDeviceProperties2(v.physical, &properties);
  VkDescriptorSetVariableDescriptorCountLayoutSupport variable{
      VK_STRUCTURE_TYPE_DESCRIPTOR_SET_VARIABLE_DESCRIPTOR_COUNT_LAYOUT_SUPPORT, nullptr, 0};
  VkDescriptorSetLayoutSupport support{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_SUPPORT, &variable, VK_FALSE};
  vkGetDescriptorSetLayoutSupport(v.device, &info, &support);
  EXPECT_EQ(support.supported, VK_TRUE);
  EXPECT_EQ(variable.maxVariableDescriptorCount, block.maxInlineUniformBlockSize);
}

// A set is written again and again between its uses: other places of the same buffer, none, another buffer, and
// elements that go on in the next binding.
TEST(VulkanLifetime, DescriptorsAreWrittenInPlace) {
  HEDDLE_NEED_SHADERS();
  VulkanDevice v({VK_EXT_ROBUSTNESS_2_EXTENSION_NAME});
  const std::vector<VulkanDevice::Binding> bindings{{0, kStorage}, {1, kStorage, 2}, {4, kStorage}};
  const auto set_layout = v.set_layout(bindings);
  const auto layout = v.layout({set_layout});
  const auto set = v.set(set_layout, bindings);
  const auto pipeline = v.pipeline(
      "#version 450\nlayout(binding = 0) buffer O { uint o[]; };\nlayout(binding = 1) buffer I { uint i[]; } b[2];\n"
      "layout(binding = 4) buffer J { uint j[]; };\n"
      "void main() { o[0] = b[0].i[0]; o[1] = b[1].i[0]; o[2] = j[0]; o[3] = uint(b[1].i.length()); }\n",
      layout);
  const auto out = v.buffer(64), a = v.buffer(256), b = v.buffer(256);
  for (std::uint32_t i = 0; i < 64; ++i) a.set(i, 100 + i), b.set(i, 200 + i);
  const auto expect = [&](const std::vector<std::uint32_t>& words) {
    ASSERT_EQ(v.run([&](VkCommandBuffer c) {
      vkCmdBindPipeline(c, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
      vkCmdBindDescriptorSets(c, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &set, 0, nullptr);
      vkCmdDispatch(c, 1, 1, 1);
    }),
              VK_SUCCESS);
    for (std::size_t i = 0; i < words.size(); ++i) EXPECT_EQ(out.word(i), words[i]) << i;
  };
  v.write(set, 0, kStorage, out);
  v.write(set, 1, kStorage, a);
  v.write(set, 1, kStorage, a, 64, 32, 1);
  v.write(set, 4, kStorage, b);
  expect({100, 116, 200, 8});
  v.write(set, 1, kStorage, a, 128, 64, 1);
  expect({100, 132, 200, 16});
  v.write(set, 1, kStorage, b, 192, 16, 1);
  expect({100, 248, 200, 4});
  v.write(set, 1, kStorage, VulkanDevice::Buffer{}, 0, VK_WHOLE_SIZE, 1);
  expect({100, 0, 200, 0});
  // Two elements from element 1 of binding 1 on: the second of them is binding 4's.
  const VkDescriptorBufferInfo two[] = {{b.buffer, 64, 64}, {a.buffer, 192, 64}};
  VkWriteDescriptorSet write{VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET};
  write.dstSet = set;
  write.dstBinding = 1;
  write.dstArrayElement = 1;
  write.descriptorCount = 2;
  write.descriptorType = kStorage;
  write.pBufferInfo = two;
  vkUpdateDescriptorSets(v.device, 1, &write, 0, nullptr);
  expect({100, 216, 148, 16});
  // A copy of what was never used, and of what was.
  const auto other = v.set(set_layout, bindings);
  v.write(other, 1, kStorage, b, 128, 128);
  const VkCopyDescriptorSet copies[] = {
      {VK_STRUCTURE_TYPE_COPY_DESCRIPTOR_SET, nullptr, other, 1, 0, set, 1, 1, 1},
      {VK_STRUCTURE_TYPE_COPY_DESCRIPTOR_SET, nullptr, set, 4, 0, set, 1, 0, 1},
  };
  vkUpdateDescriptorSets(v.device, 0, nullptr, 2, copies);
  expect({148, 232, 148, 32});
}

// Layouts that are defined identically are the same one; a command buffer begins without pushed descriptors.
TEST(VulkanLifetime, PushedDescriptorsStay) {
  HEDDLE_NEED_SHADERS();
  VulkanDevice v({VK_KHR_PUSH_DESCRIPTOR_EXTENSION_NAME});
  const auto in = v.buffer(64), out = v.buffer(64);
  in.set(0, 11);
  const std::vector<VulkanDevice::Binding> bindings{{0, kStorage}, {1, kStorage}};
  const auto a = v.set_layout(bindings, VK_DESCRIPTOR_SET_LAYOUT_CREATE_PUSH_DESCRIPTOR_BIT_KHR);
  const auto b = v.set_layout(bindings, VK_DESCRIPTOR_SET_LAYOUT_CREATE_PUSH_DESCRIPTOR_BIT_KHR);
  const auto first = v.layout({a}), second = v.layout({b});
  const auto pipeline = v.pipeline(
      "#version 450\nlayout(binding = 0) buffer O { uint o[]; };\nlayout(binding = 1) buffer I { uint i[]; };\n"
      "void main() { o[0] = i[0] + 1u; }\n",
      second);
  const auto push = v.proc<PFN_vkCmdPushDescriptorSetKHR>("vkCmdPushDescriptorSetKHR");
  const auto one = [&](VkCommandBuffer c, VkPipelineLayout layout, std::uint32_t binding, const auto& buffer) {
    const VkDescriptorBufferInfo info{buffer.buffer, 0, VK_WHOLE_SIZE};
    VkWriteDescriptorSet write{VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET};
    write.dstBinding = binding;
    write.descriptorCount = 1;
    write.descriptorType = kStorage;
    write.pBufferInfo = &info;
    push(c, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &write);
  };
  ASSERT_EQ(v.run([&](VkCommandBuffer c) {
    one(c, first, 1, in);
    one(c, second, 0, out);
    vkCmdBindPipeline(c, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
    vkCmdDispatch(c, 1, 1, 1);
  }),
            VK_SUCCESS);
  EXPECT_EQ(out.word(0), 12u);
  if (std::getenv("HEDDLE_TEST_VALIDATION") != nullptr) return;  // what follows leaves a binding out
  ASSERT_EQ(v.run([&](VkCommandBuffer c) {
    one(c, second, 0, out);
    vkCmdBindPipeline(c, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
    vkCmdDispatch(c, 1, 1, 1);
  }),
            VK_SUCCESS);
  EXPECT_EQ(out.word(0), 1u);
}

TEST(VulkanLifetime, ATimeLimitOfAnySizeWorks) {
  HEDDLE_NEED_SHADERS();
  for (const char* limit : {"1e300", "inf", "nan", "-1", "x"}) {
    setenv("HEDDLE_TIME_LIMIT", limit, 1);
    VulkanDevice v;
    v.expects_messages = true;  // environment-value
    unsetenv("HEDDLE_TIME_LIMIT");
    const auto buffer = v.buffer(64);
    const auto set_layout = v.set_layout({{0, kStorage}});
    const auto set = v.set(set_layout, {{0, kStorage}});
    v.write(set, 0, kStorage, buffer);
    const auto layout = v.layout({set_layout});
    const auto pipeline =
        v.pipeline("#version 450\nlayout(binding = 0) buffer B { uint o[]; };\nvoid main() { o[0] = 3u; }\n", layout);
    VkEventCreateInfo info{VK_STRUCTURE_TYPE_EVENT_CREATE_INFO};
    VkEvent event = VK_NULL_HANDLE;
    ASSERT_EQ(vkCreateEvent(v.device, &info, nullptr, &event), VK_SUCCESS);
    EXPECT_EQ(v.run([&](VkCommandBuffer c) {
      vkCmdSetEvent(c, event, VK_PIPELINE_STAGE_TRANSFER_BIT);
      vkCmdWaitEvents(c, 1, &event, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT, 0, nullptr, 0,
                      nullptr, 0, nullptr);
      vkCmdBindPipeline(c, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
      vkCmdBindDescriptorSets(c, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &set, 0, nullptr);
      vkCmdDispatch(c, 1, 1, 1);
    }),
              VK_SUCCESS)
        << limit;
    EXPECT_EQ(buffer.word(0), 3u) << limit;
    vkDestroyEvent(v.device, event, nullptr);
  }
}

}  // namespace
}  // namespace heddle::test
