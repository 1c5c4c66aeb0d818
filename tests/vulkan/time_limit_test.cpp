// SPDX-License-Identifier: MIT
// How long a submission may take: processor time of its own, in which nothing of it ends (SUB-1).

#include <gmock/gmock.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <string>
#include <thread>

#include "support/processor_time.hpp"
#include "vulkan/canvas.hpp"

namespace heddle::test {
namespace {

constexpr VkDescriptorType kStorage = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;

/// Devices that are made while it lives have this limit.
struct TimeLimit {
  explicit TimeLimit(double seconds) { setenv("HEDDLE_TIME_LIMIT", std::to_string(seconds).c_str(), 1); }
  ~TimeLimit() { unsetenv("HEDDLE_TIME_LIMIT"); }
  TimeLimit(const TimeLimit&) = delete;
  TimeLimit& operator=(const TimeLimit&) = delete;
};

double wall_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// A shader with one storage buffer, in which o[0] says how long each invocation takes.
struct Rounds {
  explicit Rounds(const std::string& body =
                      "  uint x = gl_GlobalInvocationID.x;\n"
                      "  for (uint k = 0u; k < o[0]; ++k) x = x * 1664525u + 1013904223u;\n"
                      "  o[1u + gl_WorkGroupID.x] = x | 1u;\n") {
    const VulkanDevice::Binding binding{0, kStorage};
    const auto set_layout = v.set_layout({binding});
    set = v.set(set_layout, {binding});
    layout = v.layout({set_layout});
    v.write(set, 0, kStorage, buffer);
    pipeline = v.pipeline(
        "#version 450\nlayout(binding = 0) volatile buffer B { uint o[]; };\nvoid main() {\n" + body + "}\n", layout);
  }
  VkResult run(std::uint32_t rounds, std::uint32_t groups) {
    buffer.set(0, rounds);
    buffer.set(groups, 0);
    return v.run([&](VkCommandBuffer c) {
      vkCmdBindPipeline(c, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
      vkCmdBindDescriptorSets(c, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &set, 0, nullptr);
      vkCmdDispatch(c, groups, 1, 1);
    });
  }
  VulkanDevice v;
  VulkanDevice::Buffer buffer = v.buffer(4096);
  VkDescriptorSet set = VK_NULL_HANDLE;
  VkPipelineLayout layout = VK_NULL_HANDLE;
  VkPipeline pipeline = VK_NULL_HANDLE;
};

/// So many rounds that `groups` groups take `seconds` of processor time, or a little more; `took`: what they take.
std::uint32_t rounds_for(double seconds, std::uint32_t groups, double& took) {
  for (std::uint32_t rounds = 4096;; rounds *= 2) {
    Rounds r;  // in the tier in which a test's own begins
    EXPECT_EQ(r.run(16, groups), VK_SUCCESS);
    const double begin = processor_seconds();
    EXPECT_EQ(r.run(rounds, groups), VK_SUCCESS);
    took = processor_seconds() - begin;
    if (took >= seconds || rounds > UINT32_MAX / 4) return rounds;
  }
}

bool lost_once(const VulkanDevice& v, const std::vector<std::string>& parts) {
  if (v.messages.size() != 1 || !v.messages[0].starts_with("vulkan-device-lost: ")) return false;
  for (const std::string& part : parts)
    if (v.messages[0].find(part) == std::string::npos) return false;
  return v.messages[0].find("--max") == std::string::npos;  // a flag of another program
}

#define HEDDLE_NEED_LOSSES() \
  if (std::getenv("HEDDLE_TEST_VALIDATION") != nullptr) GTEST_SKIP() << "the layer does not know of lost devices"

// A shader without an end loses the device; nothing hangs, and the message names it and says how far it came.
TEST(VulkanTimeLimit, ARunawayShaderLosesTheDevice) {
  HEDDLE_NEED_SHADERS();
  HEDDLE_NEED_LOSSES();
  const TimeLimit limit(0.3);
  Rounds r("  while (o[0] != 1u && gl_WorkGroupID.x == 2u) o[1]++;\n");
  EXPECT_EQ(r.run(0, 3), VK_ERROR_DEVICE_LOST);
  EXPECT_EQ(vkDeviceWaitIdle(r.v.device), VK_ERROR_DEVICE_LOST);
  EXPECT_EQ(vkQueueSubmit(r.v.queue, 0, nullptr, VK_NULL_HANDLE), VK_ERROR_DEVICE_LOST);
  EXPECT_TRUE(lost_once(
      r.v, {"compute shader 'main'", "0.3 s of processor time", "2 of 3 groups are done", "HEDDLE_TIME_LIMIT"}))
      << testing::PrintToString(r.v.messages);
}

TEST(VulkanTimeLimit, TheMessageNamesPipelinesAndLabels) {
  HEDDLE_NEED_SHADERS();
  HEDDLE_NEED_LOSSES();
  const TimeLimit limit(0.1);
  Rounds r("  while (o[0] != 1u) o[1]++;\n");
  const VkDebugUtilsObjectNameInfoEXT name{VK_STRUCTURE_TYPE_DEBUG_UTILS_OBJECT_NAME_INFO_EXT, nullptr,
                                           VK_OBJECT_TYPE_PIPELINE, reinterpret_cast<std::uint64_t>(r.pipeline),
                                           "spin"};
  const auto set_name = reinterpret_cast<PFN_vkSetDebugUtilsObjectNameEXT>(
      vkGetInstanceProcAddr(r.v.instance, "vkSetDebugUtilsObjectNameEXT"));
  EXPECT_EQ(set_name(r.v.device, &name), VK_SUCCESS);
  EXPECT_EQ(r.run(0, 1), VK_ERROR_DEVICE_LOST);
  EXPECT_TRUE(lost_once(r.v, {"compute shader 'main' of 'spin'", "0 of 1 groups are done"}))
      << testing::PrintToString(r.v.messages);
}

// What gets on may take as long as it takes.
TEST(VulkanTimeLimit, WorkThatGetsOnIsNoRunaway) {
  HEDDLE_NEED_SHADERS();
  constexpr std::uint32_t kGroups = 256;
  double took = 0;
  const std::uint32_t rounds = rounds_for(1, kGroups, took);
  const TimeLimit limit(took / 16);
  Rounds r;
  EXPECT_EQ(r.run(rounds, kGroups), VK_SUCCESS) << testing::PrintToString(r.v.messages);
  EXPECT_NE(r.buffer.word(kGroups), 0u);
}

/// Processes that do nothing but use one processor, from the first on that this one may use; it uses no other
/// meanwhile.
class BusyProcessor {
 public:
  explicit BusyProcessor(int processes) {
    sched_getaffinity(0, sizeof before_, &before_);
    cpu_set_t one;
    CPU_ZERO(&one);
    for (int k = 0; k < CPU_SETSIZE && CPU_COUNT(&one) == 0; ++k)
      if (CPU_ISSET(k, &before_)) CPU_SET(k, &one);
    sched_setaffinity(0, sizeof one, &one);
    const pid_t parent = getpid();
    for (int k = 0; k < processes; ++k) {
      const pid_t child = fork();
      if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() != parent) _exit(0);
        for (volatile unsigned spin = 0;; spin = spin + 1) {
        }
      }
      if (child > 0) children_.push_back(child);
    }
  }
  ~BusyProcessor() {
    for (const pid_t child : children_) kill(child, SIGKILL), waitpid(child, nullptr, 0);
    sched_setaffinity(0, sizeof before_, &before_);
  }
  BusyProcessor(const BusyProcessor&) = delete;
  BusyProcessor& operator=(const BusyProcessor&) = delete;

 private:
  cpu_set_t before_{};
  std::vector<pid_t> children_;
};

// Other processes use the processor: the time passes, but the submission doesn't use it.
TEST(VulkanTimeLimit, TheTimeOfOthersDoesNotCount) {
  HEDDLE_NEED_SHADERS();
  double took = 0;
  const std::uint32_t rounds = rounds_for(0.2, 1, took);
  const double seconds = took * 3;
  double passed = 0;
  {
    const TimeLimit limit(seconds);
    const BusyProcessor busy(12);
    Rounds r;
    EXPECT_EQ(r.run(16, 1), VK_SUCCESS);  // compiled
    const double begin = wall_seconds();
    EXPECT_EQ(r.run(rounds, 1), VK_SUCCESS) << testing::PrintToString(r.v.messages);
    passed = wall_seconds() - begin;
  }
  if (passed < seconds) GTEST_SKIP() << "this machine has shared its processor otherwise";
}

VkResult draw(Canvas& c, VkPipeline pipeline, std::uint32_t vertices, std::uint32_t instances,
              VkPipelineLayout layout = VK_NULL_HANDLE) {
  return c.v.run([&](VkCommandBuffer b) {
    c.begin(b, true);
    vkCmdBindPipeline(b, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
    const std::uint32_t zero = 0;
    if (layout != VK_NULL_HANDLE) vkCmdPushConstants(b, layout, c.v.stages, 0, 4, &zero);
    vkCmdDraw(b, vertices, instances, 0, 0);
    c.end(b);
  });
}

// Many more vertices than a screen has pixels, as in WebGPU's test of large draws.
TEST(VulkanTimeLimit, ALargeDrawEnds) {
  HEDDLE_NEED_SHADERS();
  const TimeLimit limit(0.05);
  Canvas c(3, 3);
  PipelineState state;
  state.vertex =
      "#version 450\nvoid main() {\n"
      "  bool last = gl_InstanceIndex == 255 && gl_VertexIndex == 4095;\n"
      "  gl_PointSize = 1.0; gl_Position = vec4(last ? vec2(0.67) : vec2(-0.67), 0.5, 1); }\n";
  state.fragment = one_color("vec4(1)");
  state.topology = VK_PRIMITIVE_TOPOLOGY_POINT_LIST;
  const auto pipeline = c.pipeline(state);
  EXPECT_EQ(draw(c, pipeline, 4096, 256), VK_SUCCESS) << testing::PrintToString(c.v.messages);
  const std::uint32_t white = ~0u;
  EXPECT_EQ(c.pixels(), (std::vector<std::uint32_t>{white, 0, 0, 0, 0, 0, 0, 0, white}));
}

// How far a draw came is said in vertices.
TEST(VulkanTimeLimit, ARunawayDrawLosesTheDevice) {
  HEDDLE_NEED_SHADERS();
  HEDDLE_NEED_LOSSES();
  const std::string head = "#version 450\nlayout(push_constant) uniform P { uint zero; };\n";
  const std::string spin = "uint k = 1u; while (k != zero) k = k * 3u | 1u; ";
  const std::string vertex = "vec2(gl_VertexIndex % 2, gl_VertexIndex / 2) * 4.0 - 1.0, 0.5, 1); }\n";
  for (const bool in_vertices : {true, false}) {
    const TimeLimit limit(0.1);
    Canvas c(8, 8);
    PipelineState state;
    state.layout = c.v.layout({}, 4);
    state.vertex = head + "void main() { " + (in_vertices ? spin : "") + "gl_Position = vec4(" + vertex;
    state.fragment = head + "layout(location = 0) out vec4 color;\nvoid main() { " + (in_vertices ? "" : spin) +
                     "color = vec4(1); }\n";
    const auto pipeline = c.pipeline(state);
    EXPECT_EQ(draw(c, pipeline, 3, 2, state.layout), VK_ERROR_DEVICE_LOST);
    EXPECT_TRUE(lost_once(c.v, {in_vertices ? "vertex shader 'main'" : "fragment shader 'main'",
                                "0 of 6 vertices are drawn", "HEDDLE_TIME_LIMIT"}))
        << testing::PrintToString(c.v.messages);
  }
}

// Where every worker draws the next vertices, what has begun is said, which is not nothing.
TEST(VulkanTimeLimit, SharedDrawsSayHowFar) {
  HEDDLE_NEED_SHADERS();
  HEDDLE_NEED_LOSSES();
  if (std::thread::hardware_concurrency() < 2) GTEST_SKIP() << "one worker shares with nobody";
  const TimeLimit limit(0.1);
  Canvas c(8, 8);
  PipelineState state;
  state.layout = c.v.layout({}, 4);
  state.vertex =
      "#version 450\nvoid main() { gl_Position = vec4(vec2(gl_VertexIndex % 3 % 2, gl_VertexIndex % 3 / 2) * 4.0 - "
      "1.0, "
      "0.5, 1); }\n";
  state.fragment =
      "#version 450\nlayout(push_constant) uniform P { uint zero; };\nlayout(location = 0) out vec4 color;\n"
      "void main() { uint k = 1u; while (k != zero) k = k * 3u | 1u; color = vec4(1); }\n";
  const auto pipeline = c.pipeline(state);
  EXPECT_EQ(draw(c, pipeline, 30000, 1, state.layout), VK_ERROR_DEVICE_LOST);
  EXPECT_TRUE(lost_once(c.v, {"fragment shader 'main'", " of 30000 vertices have begun", "HEDDLE_TIME_LIMIT"}))
      << testing::PrintToString(c.v.messages);
  EXPECT_THAT(c.v.messages, testing::Each(testing::Not(testing::HasSubstr(" 0 of 30000"))));
}

}  // namespace
}  // namespace heddle::test
