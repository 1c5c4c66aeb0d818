// SPDX-License-Identifier: MIT
// Performance queries (VK_KHR_performance_query): what is counted is what was asked for, no more and no less.

#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string>

#include "vulkan/canvas.hpp"

namespace heddle::test {
namespace {

using testing::HasSubstr;

const std::vector<const char*> kExtension{VK_KHR_PERFORMANCE_QUERY_EXTENSION_NAME};

/// A command of the physical device.
template <typename F>
F instance_proc(const VulkanDevice& v, const char* name) {
  return reinterpret_cast<F>(vkGetInstanceProcAddr(v.instance, name));
}

/// The counters of a queue family by their names, and pools of them.
struct Performance {
  explicit Performance(VulkanDevice& device) : v(device) {
    const auto enumerate = instance_proc<PFN_vkEnumeratePhysicalDeviceQueueFamilyPerformanceQueryCountersKHR>(
        v, "vkEnumeratePhysicalDeviceQueueFamilyPerformanceQueryCountersKHR");
    std::uint32_t count = 0;
    EXPECT_EQ(enumerate(v.physical, 0, &count, nullptr, nullptr), VK_SUCCESS);
    counters.assign(count, {VK_STRUCTURE_TYPE_PERFORMANCE_COUNTER_KHR});
    std::vector<VkPerformanceCounterDescriptionKHR> words(count,
                                                          {VK_STRUCTURE_TYPE_PERFORMANCE_COUNTER_DESCRIPTION_KHR});
    EXPECT_EQ(enumerate(v.physical, 0, &count, counters.data(), words.data()), VK_SUCCESS);
    for (std::uint32_t k = 0; k < count; ++k) numbers[words[k].name] = k;
    const VkAcquireProfilingLockInfoKHR lock{VK_STRUCTURE_TYPE_ACQUIRE_PROFILING_LOCK_INFO_KHR, nullptr, 0, 0};
    EXPECT_EQ(v.proc<PFN_vkAcquireProfilingLockKHR>("vkAcquireProfilingLockKHR")(v.device, &lock), VK_SUCCESS);
  }
  ~Performance() {
    for (const VkQueryPool pool : pools) vkDestroyQueryPool(v.device, pool, nullptr);
    v.proc<PFN_vkReleaseProfilingLockKHR>("vkReleaseProfilingLockKHR")(v.device);
  }

  VkQueryPool pool(const std::vector<std::string>& names) {
    std::vector<std::uint32_t> wanted;
    for (const std::string& name : names) wanted.push_back(numbers.at(name));
    VkQueryPoolPerformanceCreateInfoKHR of{VK_STRUCTURE_TYPE_QUERY_POOL_PERFORMANCE_CREATE_INFO_KHR};
    of.counterIndexCount = static_cast<std::uint32_t>(wanted.size());
    of.pCounterIndices = wanted.data();
    std::uint32_t passes = 0;
    instance_proc<PFN_vkGetPhysicalDeviceQueueFamilyPerformanceQueryPassesKHR>(
        v, "vkGetPhysicalDeviceQueueFamilyPerformanceQueryPassesKHR")(v.physical, &of, &passes);
    EXPECT_EQ(passes, 1u);
    VkQueryPoolCreateInfo info{VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO, &of};
    info.queryType = VK_QUERY_TYPE_PERFORMANCE_QUERY_KHR;
    info.queryCount = 1;
    VkQueryPool made = VK_NULL_HANDLE;
    EXPECT_EQ(vkCreateQueryPool(v.device, &info, nullptr, &made), VK_SUCCESS);
    pools.push_back(made);
    // Not in the command buffer of the query.
    EXPECT_EQ(v.run([&](VkCommandBuffer c) { vkCmdResetQueryPool(c, made, 0, 1); }), VK_SUCCESS);
    return made;
  }
  std::vector<std::uint64_t> results(VkQueryPool pool, std::size_t count) const {
    std::vector<VkPerformanceCounterResultKHR> all(count);
    EXPECT_EQ(vkGetQueryPoolResults(v.device, pool, 0, 1, count * sizeof all[0], all.data(), count * sizeof all[0],
                                    VK_QUERY_RESULT_WAIT_BIT),
              VK_SUCCESS);
    std::vector<std::uint64_t> values;
    for (const auto& one : all) values.push_back(one.uint64);
    return values;
  }

  VulkanDevice& v;
  std::vector<VkPerformanceCounterKHR> counters;
  std::map<std::string, std::uint32_t> numbers;
  std::vector<VkQueryPool> pools;
};

TEST(VulkanPerformance, CountersHaveNamesAndIdentities) {
  VulkanDevice v(kExtension);
  const Performance p(v);
  EXPECT_EQ(p.numbers.size(), p.counters.size());  // no name twice
  std::set<std::array<std::uint8_t, VK_UUID_SIZE>> identities;
  for (const VkPerformanceCounterKHR& counter : p.counters) {
    EXPECT_EQ(counter.storage, VK_PERFORMANCE_COUNTER_STORAGE_UINT64_KHR);
    EXPECT_EQ(counter.scope, VK_PERFORMANCE_COUNTER_SCOPE_COMMAND_KHR);
    identities.insert(std::to_array(counter.uuid));
  }
  EXPECT_EQ(identities.size(), p.counters.size());
  const auto enumerate = instance_proc<PFN_vkEnumeratePhysicalDeviceQueueFamilyPerformanceQueryCountersKHR>(
      v, "vkEnumeratePhysicalDeviceQueueFamilyPerformanceQueryCountersKHR");
  std::uint32_t count = 2;
  std::vector<VkPerformanceCounterKHR> two(3, {VK_STRUCTURE_TYPE_PERFORMANCE_COUNTER_KHR});
  EXPECT_EQ(enumerate(v.physical, 0, &count, two.data(), nullptr), VK_INCOMPLETE);
  EXPECT_EQ(count, 2u);
  EXPECT_EQ(enumerate(v.physical, 1, &count, nullptr, nullptr), VK_SUCCESS);
  EXPECT_EQ(count, 0u);  // a queue that only transfers
  VkPhysicalDevicePerformanceQueryPropertiesKHR properties{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PERFORMANCE_QUERY_PROPERTIES_KHR};
  VkPhysicalDeviceProperties2 all{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, &properties};
  vkGetPhysicalDeviceProperties2(v.physical, &all);
  EXPECT_EQ(properties.allowCommandBufferQueryCopies, VK_TRUE);
}

TEST(VulkanPerformance, ADispatchIsCounted) {
  HEDDLE_NEED_SHADERS();
  VulkanDevice v(kExtension);
  Performance p(v);
  const std::vector<VulkanDevice::Binding> bindings{{0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER}};
  const auto sets = v.set_layout(bindings);
  const auto layout = v.layout({sets});
  const auto set = v.set(sets, bindings);
  const auto data = v.buffer(4096), copied = v.buffer(64);
  v.write(set, 0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, data);
  const VkPipeline pipeline = v.pipeline(
      "#version 450\nlayout(local_size_x = 64) in;\nlayout(binding = 0) buffer B { uint b[]; };\n"
      "void main() { b[gl_GlobalInvocationID.x] = gl_GlobalInvocationID.x * 3u; }\n",
      layout);
  const std::vector<std::string> names{"Compute shader invocations", "Hardware threads", "Instructions",
                                       "Fragment shader invocations", "Time"};
  const VkQueryPool once = p.pool(names), thrice = p.pool(names);
  const auto dispatch = [&](VkCommandBuffer c, VkQueryPool pool, int times) {
    vkCmdBindPipeline(c, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
    vkCmdBindDescriptorSets(c, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &set, 0, nullptr);
    vkCmdBeginQuery(c, pool, 0, 0);
    for (int n = 0; n < times; ++n) vkCmdDispatch(c, 4, 1, 1);
    vkCmdEndQuery(c, pool, 0);
  };
  ASSERT_EQ(v.run([&](VkCommandBuffer c) { dispatch(c, once, 1); }), VK_SUCCESS);
  ASSERT_EQ(v.run([&](VkCommandBuffer c) { dispatch(c, thrice, 3); }), VK_SUCCESS);
  ASSERT_EQ(v.run([&](VkCommandBuffer c) {
    vkCmdCopyQueryPoolResults(c, once, 0, 1, copied.buffer, 0, 64, VK_QUERY_RESULT_WAIT_BIT);
  }),
            VK_SUCCESS);
  const auto one = p.results(once, names.size()), three = p.results(thrice, names.size());
  EXPECT_EQ(one[0], 256u);     // 4 groups of 64
  EXPECT_EQ(one[1], 16u);      // 16 invocations a thread
  EXPECT_GT(one[2], 16u);      // each thread runs more than one instruction
  EXPECT_EQ(one[2] % 16, 0u);  // all of them the same: the shader has no branches
  EXPECT_EQ(one[3], 0u);
  EXPECT_GT(one[4], 0u);
  for (std::size_t k = 0; k < 4; ++k) EXPECT_EQ(three[k], 3 * one[k]) << names[k];
  for (std::size_t k = 0; k < names.size(); ++k) {
    const std::uint32_t low = copied.word(static_cast<std::uint32_t>(2 * k)),
                        high = copied.word(static_cast<std::uint32_t>(2 * k + 1));
    EXPECT_EQ(low | std::uint64_t{high} << 32, one[k]) << names[k];
  }
}

TEST(VulkanPerformance, TwoPoolsCountADraw) {
  HEDDLE_NEED_SHADERS();
  Canvas c(8, 8, {VK_FORMAT_R8G8B8A8_UNORM}, VK_FORMAT_D32_SFLOAT, VK_SAMPLE_COUNT_4_BIT, kExtension);
  Performance p(c.v);
  PipelineState s;
  s.depth.depthTestEnable = s.depth.depthWriteEnable = VK_TRUE;
  s.depth.depthCompareOp = VK_COMPARE_OP_LESS;
  s.vertex = covering_vertices("0.5");
  s.fragment = one_color("vec4(1)");
  const VkPipeline pipeline = c.pipeline(s);
  const std::vector<std::string> names{"Samples passed",
                                       "Vertices",
                                       "Vertex shader invocations",
                                       "Primitives before clipping",
                                       "Fragment shader invocations",
                                       "Compute shader invocations"};
  const VkQueryPool first = p.pool(names), second = p.pool(names);
  ASSERT_EQ(c.v.run([&](VkCommandBuffer b) {
    c.begin(b, true);
    vkCmdBindPipeline(b, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
    vkCmdBeginQuery(b, first, 0, 0);
    vkCmdDraw(b, 3, 1, 0, 0);
    vkCmdEndQuery(b, first, 0);
    vkCmdBeginQuery(b, second, 0, 0);
    vkCmdDraw(b, 3, 2, 0, 0);  // not nearer: no sample passes
    vkCmdEndQuery(b, second, 0);
    c.end(b);
  }),
            VK_SUCCESS);
  const auto one = p.results(first, names.size()), two = p.results(second, names.size());
  EXPECT_THAT(one, testing::ElementsAre(8u * 8 * 4, 3u, 3u, 1u, testing::Ge(64u), 0u));
  EXPECT_THAT(two, testing::ElementsAre(0u, 6u, 6u, 2u, testing::_, 0u));
}

// vulkan-query
TEST(VulkanPerformance, ACounterThatIsNotThereIsRefused) {
  if (std::getenv("HEDDLE_TEST_VALIDATION") != nullptr) GTEST_SKIP() << "the layer reports it, too";
  VulkanDevice v(kExtension);
  v.expects_messages = true;
  const std::uint32_t counter = 1000;
  VkQueryPoolPerformanceCreateInfoKHR of{VK_STRUCTURE_TYPE_QUERY_POOL_PERFORMANCE_CREATE_INFO_KHR, nullptr, 0, 1,
                                         &counter};
  VkQueryPoolCreateInfo info{VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO, &of};
  info.queryType = VK_QUERY_TYPE_PERFORMANCE_QUERY_KHR;
  info.queryCount = 1;
  VkQueryPool pool = VK_NULL_HANDLE;
  EXPECT_EQ(vkCreateQueryPool(v.device, &info, nullptr, &pool), VK_ERROR_INITIALIZATION_FAILED);
  EXPECT_THAT(v.messages, testing::Contains(HasSubstr("no performance counter 1000")));
}

}  // namespace
}  // namespace heddle::test
