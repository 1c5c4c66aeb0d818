// SPDX-License-Identifier: MIT
// Random command sequences with random resources against a model on the host.

#include <algorithm>
#include <random>

#include "vulkan/device.hpp"
#include "vulkan/stress/count.hpp"

namespace heddle::test {
namespace {

constexpr std::size_t kBuffers = 4, kWords = 256;

/// The device's buffers, what must be in them, and one way to change both.
struct Stress {
  explicit Stress(std::uint32_t seed) : random(seed) {
    for (std::size_t i = 0; i < kBuffers; ++i) {
      buffers.push_back(v.buffer(kWords * 4));
      model.emplace_back(kWords, 0u);
    }
    const std::vector<VulkanDevice::Binding> bindings{{0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, kBuffers}};
    const auto set_layout = v.set_layout(bindings);
    set = v.set(set_layout, bindings);
    for (std::uint32_t i = 0; i < kBuffers; ++i)
      v.write(set, 0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, buffers[i], 0, VK_WHOLE_SIZE, i);
    layout = v.layout({set_layout}, 16);
    pipeline = v.pipeline(
        "#version 450\nlayout(local_size_x = 64) in;\nlayout(binding = 0) buffer B { uint w[]; } b[4];\n"
        "layout(push_constant) uniform P { uint from; uint to; uint factor; uint count; };\n"
        "void main() { uint i = gl_GlobalInvocationID.x; if (i < count) b[to].w[i] = b[from].w[i] * factor + i; }\n",
        layout);
  }
  std::uint32_t pick(std::size_t below) { return static_cast<std::uint32_t>(random() % below); }

  void fill(VkCommandBuffer c) {
    const std::uint32_t to = pick(kBuffers), first = pick(kWords), count = 1 + pick(kWords - first);
    const auto value = static_cast<std::uint32_t>(random());
    vkCmdFillBuffer(c, buffers[to].buffer, 4 * first, 4 * count, value);
    std::fill_n(model[to].begin() + first, count, value);
  }
  void update(VkCommandBuffer c) {
    std::vector<std::uint32_t> words(1 + pick(16));
    for (std::uint32_t& word : words) word = static_cast<std::uint32_t>(random());
    const std::uint32_t to = pick(kBuffers), first = pick(kWords - words.size());
    vkCmdUpdateBuffer(c, buffers[to].buffer, 4 * first, 4 * words.size(), words.data());
    std::ranges::copy(words, model[to].begin() + first);
  }
  void copy(VkCommandBuffer c) {
    const std::uint32_t from = pick(kBuffers), to = (from + 1 + pick(kBuffers - 1)) % kBuffers;
    const std::uint32_t count = 1 + pick(kWords / 2), at = pick(kWords - count), there = pick(kWords - count);
    const VkBufferCopy region{4 * at, 4 * there, 4 * count};
    vkCmdCopyBuffer(c, buffers[from].buffer, buffers[to].buffer, 1, &region);
    std::copy_n(model[from].begin() + at, count, model[to].begin() + there);
  }
  void dispatch(VkCommandBuffer c) {
    const std::uint32_t push[4] = {pick(kBuffers), pick(kBuffers), pick(100), pick(kWords + 1)};
    vkCmdBindPipeline(c, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
    vkCmdBindDescriptorSets(c, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &set, 0, nullptr);
    vkCmdPushConstants(c, layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof push, push);
    vkCmdDispatch(c, kWords / 64, 1, 1);
    for (std::uint32_t i = 0; i < push[3]; ++i) model[push[1]][i] = model[push[0]][i] * push[2] + i;
  }
  void barrier(VkCommandBuffer c) {
    const VkMemoryBarrier all{VK_STRUCTURE_TYPE_MEMORY_BARRIER, nullptr, VK_ACCESS_MEMORY_WRITE_BIT,
                              VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT};
    vkCmdPipelineBarrier(c, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, 0, 1, &all, 0,
                         nullptr, 0, nullptr);
  }
  void record(VkCommandBuffer c) {
    for (std::uint32_t i = 1 + pick(8); i > 0; --i) {
      switch (pick(4)) {
        case 0:
          fill(c);
          break;
        case 1:
          update(c);
          break;
        case 2:
          copy(c);
          break;
        default:
          dispatch(c);
      }
      barrier(c);
    }
  }
  void sequence() {
    std::vector<VkCommandBuffer> all;
    for (std::uint32_t i = 1 + pick(3); i > 0; --i) {
      const bool nested = pick(3) == 0;
      const VkCommandBuffer primary = v.commands();
      all.push_back(primary);
      v.begin(primary);
      if (nested) {
        const VkCommandBuffer secondary = v.commands(VK_COMMAND_BUFFER_LEVEL_SECONDARY);
        all.push_back(secondary);
        v.begin(secondary);
        record(secondary);
        ASSERT_EQ(vkEndCommandBuffer(secondary), VK_SUCCESS);
        vkCmdExecuteCommands(primary, 1, &secondary);
      } else {
        record(primary);
      }
      ASSERT_EQ(vkEndCommandBuffer(primary), VK_SUCCESS);
      VkSubmitInfo work{VK_STRUCTURE_TYPE_SUBMIT_INFO, nullptr, 0, nullptr, nullptr, 1, &primary, 0, nullptr};
      ASSERT_EQ(vkQueueSubmit(v.queue, 1, &work, VK_NULL_HANDLE), VK_SUCCESS);
    }
    ASSERT_EQ(vkQueueWaitIdle(v.queue), VK_SUCCESS);
    vkFreeCommandBuffers(v.device, v.pool, static_cast<std::uint32_t>(all.size()), all.data());
  }
  [[nodiscard]] bool agrees() const {
    for (std::size_t i = 0; i < kBuffers; ++i)
      if (std::memcmp(buffers[i].bytes, model[i].data(), kWords * 4) != 0) return false;
    return true;
  }

  std::mt19937 random;
  VulkanDevice v;
  std::vector<VulkanDevice::Buffer> buffers;
  std::vector<std::vector<std::uint32_t>> model;
  VkDescriptorSet set = VK_NULL_HANDLE;
  VkPipelineLayout layout = VK_NULL_HANDLE;
  VkPipeline pipeline = VK_NULL_HANDLE;
};

TEST(VulkanStress, RandomSequencesGiveWhatTheModelGives) {
  HEDDLE_NEED_SHADERS();
  constexpr std::uint32_t kSeed = 20261123;
  Stress stress(kSeed);
  const std::uint32_t count = count_of(1000);
  for (std::uint32_t i = 0; i < count; ++i) {
    stress.sequence();
    ASSERT_FALSE(testing::Test::HasFatalFailure());
    ASSERT_TRUE(stress.agrees()) << "seed " << kSeed << ", sequence " << i;
  }
  EXPECT_TRUE(stress.v.messages.empty());
}

}  // namespace
}  // namespace heddle::test
