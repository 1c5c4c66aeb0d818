// SPDX-License-Identifier: MIT
// Processes that end while the driver's threads work: by return and from another thread, with the device and without
// it.

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "support/process.hpp"
#include "vulkan/device.hpp"

namespace heddle::test {
namespace {

constexpr const char* kLong =
    "#version 450\nlayout(local_size_x = 64) in;\nlayout(constant_id = 0) const uint K = 1u;\n"
    "layout(binding = 0) buffer B { uint w[]; };\nlayout(push_constant) uniform P { uint count; };\n"
    "void main() { uint i = gl_GlobalInvocationID.x, x = w[i]; float f = float(x);\n"
    "  for (uint k = 0u; k < count; ++k) { x = x * 1664525u + K + k;\n"
    "    f = (x & 16u) != 0u ? sin(f) + float(x) * 1e-9 : sqrt(abs(f)) * 1.5 + exp(-f * f);\n"
    "    f += inversesqrt(1.0 + f * f); }\n  w[i] = x ^ floatBitsToUint(f); }\n";
constexpr std::uint32_t kGroups = 256, kSome = 64,
                        kMany = 20000;  // so many rounds ask for the second tier, or are long

/// A device with pipelines of one long shader.
struct Work {
  Work() {
    const std::vector<VulkanDevice::Binding> bindings{{0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER}};
    const auto sets = v.set_layout(bindings);
    set = v.set(sets, bindings);
    v.write(set, 0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, v.buffer(std::uint64_t{kGroups} * 64 * 4));
    layout = v.layout({sets}, 4);
    module = v.module(kLong, "comp");
    v.later([device = v.device, made = module] { vkDestroyShaderModule(device, made, nullptr); });
  }
  VkPipeline pipeline(std::uint32_t number) const {
    const VkSpecializationMapEntry entry{0, 0, 4};
    const VkSpecializationInfo special{1, &entry, 4, &number};
    VkComputePipelineCreateInfo info{VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO};
    info.stage.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
    info.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
    info.stage.module = module;
    info.stage.pName = "main";
    info.stage.pSpecializationInfo = &special;
    info.layout = layout;
    VkPipeline made = VK_NULL_HANDLE;
    if (vkCreateComputePipelines(v.device, VK_NULL_HANDLE, 1, &info, nullptr, &made) != VK_SUCCESS) std::_Exit(3);
    return made;
  }
  /// Submits `pipelines` dispatches of their own pipelines.
  void submit(std::uint32_t pipelines, std::uint32_t rounds) {
    const VkCommandBuffer c = v.commands();
    v.begin(c);
    vkCmdBindDescriptorSets(c, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &set, 0, nullptr);
    vkCmdPushConstants(c, layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, 4, &rounds);
    for (std::uint32_t k = 0; k < pipelines; ++k) {
      const VkPipeline made = pipeline(k + 1);
      v.later([this, made] { vkDestroyPipeline(v.device, made, nullptr); });
      vkCmdBindPipeline(c, VK_PIPELINE_BIND_POINT_COMPUTE, made);
      vkCmdDispatch(c, kGroups, 1, 1);
    }
    EXPECT_EQ(vkEndCommandBuffer(c), VK_SUCCESS);
    VkSubmitInfo info{VK_STRUCTURE_TYPE_SUBMIT_INFO};
    info.commandBufferCount = 1;
    info.pCommandBuffers = &c;
    EXPECT_EQ(vkQueueSubmit(v.queue, 1, &info, VK_NULL_HANDLE), VK_SUCCESS);
  }

  VulkanDevice v;
  VkDescriptorSet set = VK_NULL_HANDLE;
  VkPipelineLayout layout = VK_NULL_HANDLE;
  VkShaderModule module = VK_NULL_HANDLE;
};

void pause(int milliseconds) { std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds)); }

// Run by the test below. HEDDLE_TEST_EXIT: "destroyed", "working", "working, from another thread", "instance destroyed
// first", "threads canceled".
TEST(VulkanExit, DISABLED_Child) {
  const char* given = std::getenv("HEDDLE_TEST_EXIT");
  if (given == nullptr) GTEST_SKIP() << "run by VulkanExit.ThreadsMayWork";
  const std::string how = given;
  // From before the driver is there: called when whatever the driver asked for at the end has been called.
  ASSERT_EQ(std::atexit([] { pause(100); }), 0);
  auto* work = new Work;
  work->submit(6, kSome);
  if (how == "destroyed") {
    EXPECT_EQ(vkDeviceWaitIdle(work->v.device), VK_SUCCESS);
    delete work;  // pipelines whose second tier is compiled now
    std::exit(0);
  }
  if (how == "instance destroyed first") {  // and never the device
    vkDestroyInstance(work->v.instance, nullptr);
    pause(50);
    std::exit(0);
  }
  if (how == "threads canceled") {
    std::vector<std::thread> threads;
    for (std::uint32_t t = 0; t < 4; ++t)
      threads.emplace_back([work, t] {
        for (std::uint32_t number = 1000 * (t + 1);; ++number) (void)work->pipeline(number), pthread_testcancel();
      });
    pause(20);
    for (std::thread& thread : threads) pthread_cancel(thread.native_handle());
    for (std::thread& thread : threads) thread.join();
    (void)work->pipeline(7);
    EXPECT_EQ(vkDeviceWaitIdle(work->v.device), VK_SUCCESS);
    std::exit(testing::Test::HasFailure() ? 4 : 0);
  }
  work->submit(6, kMany);
  std::thread([work] {
    for (std::uint32_t number = 100;; ++number) (void)work->pipeline(number);
  }).detach();
  pause(20);
  if (how == "working") std::exit(0);
  std::thread([] { std::exit(0); }).join();
}

TEST(VulkanExit, ThreadsMayWork) {
  HEDDLE_NEED_SHADERS();
  if (std::getenv("HEDDLE_TEST_VALIDATION") != nullptr) GTEST_SKIP() << "the layer's own statics end";
  const std::string self = std::filesystem::read_symlink("/proc/self/exe");
  const char* const cache = std::getenv("HEDDLE_CACHE_DIR");
  const std::string before = cache == nullptr ? std::string() : cache;
  setenv("HEDDLE_CACHE_DIR", "", 1);  // everything is compiled
  std::vector<const char*> ways{"destroyed"};
#ifndef HEDDLE_JIT_STATIC  // there LLVM's own library, whose statics end, makes the pipelines
  ways.insert(ways.end(), {"working", "working, from another thread", "instance destroyed first", "threads canceled"});
#endif
  for (const char* const how : ways) {
    setenv("HEDDLE_TEST_EXIT", how, 1);
    for (int i = 0; i < 3; ++i) {
      const Outcome outcome = run({self, "--gtest_filter=VulkanExit.*Child", "--gtest_also_run_disabled_tests"});
      ASSERT_TRUE(outcome.exit_code == 0 && outcome.signal == 0 && !outcome.timed_out)
          << how << ": exit code " << outcome.exit_code << ", signal " << outcome.signal << "\n"
          << outcome.out << outcome.err;
    }
  }
  unsetenv("HEDDLE_TEST_EXIT");
  if (cache == nullptr)
    unsetenv("HEDDLE_CACHE_DIR");
  else
    setenv("HEDDLE_CACHE_DIR", before.c_str(), 1);
}

}  // namespace
}  // namespace heddle::test
