// SPDX-License-Identifier: MIT
// The shader sanitizer (HEDDLE_CHECK=warn): faulty shaders are found and placed, sound ones say nothing.
// Rules: SPV-36; run-surface-bounds, run-slm-race, run-race, run-fence-missing, run-barrier-divergent, SPV-38.

#include <gmock/gmock.h>

#include <cstdlib>
#include <optional>

#include "support/process.hpp"
#include "vulkan/device.hpp"

namespace heddle::test {
namespace {

constexpr VkDescriptorType kStorage = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;

/// A device with checks on, two storage buffers of 256 bytes and the images' set left out.
struct Checked {
  explicit Checked(const char* word = "warn") {
    setenv("HEDDLE_CHECK", word, 1);
    v.emplace();
    unsetenv("HEDDLE_CHECK");
    v->expects_messages = v->debug_shaders = true;
    const std::vector<VulkanDevice::Binding> bindings{{0, kStorage}, {1, kStorage}};
    a = v->buffer(256);
    b = v->buffer(256);
    set_layout = v->set_layout(bindings);
    set = v->set(set_layout, bindings);
    layout = v->layout({set_layout});
    v->write(set, 0, kStorage, a);
    v->write(set, 1, kStorage, b);
  }
  void run(const std::string& glsl, std::uint32_t groups) {
    const VkPipeline pipeline = v->pipeline(glsl, layout);
    ASSERT_EQ(v->run([&](VkCommandBuffer c) {
      vkCmdBindPipeline(c, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
      vkCmdBindDescriptorSets(c, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &set, 0, nullptr);
      vkCmdDispatch(c, groups, 1, 1);
    }),
              VK_SUCCESS);
  }
  std::optional<VulkanDevice> v;
  VulkanDevice::Buffer a, b;
  VkDescriptorSetLayout set_layout = VK_NULL_HANDLE;
  VkDescriptorSet set = VK_NULL_HANDLE;
  VkPipelineLayout layout = VK_NULL_HANDLE;
};

const std::string kHead =
    "#version 450\n"                                            // 1
    "layout(local_size_x = 64) in;\n"                           // 2
    "layout(binding = 0) buffer A { uint x[]; } a;\n"           // 3
    "layout(binding = 1) coherent buffer B { uint y[]; } b;\n"  // 4
    "shared uint s[64];\n"                                      // 5
    "void main() {\n"                                           // 6
    "  uint i = gl_LocalInvocationIndex;\n";                    // 7

struct Shader {
  const char* name;
  std::string body;  ///< from line 8
  std::uint32_t groups = 1;
  const char* id = nullptr;  ///< of the only report; null: sound
  std::uint32_t line = 0, other_line = 0;
};

const Shader kFaulty[] = {
    {"beyond the end of a buffer", "  uint k = i + 8u;\n  b.y[i] = 1u;\n  a.x[k] = 2u;\n}\n", 1, "run-surface-bounds",
     10},
    {"a missing barrier", "  s[i] = i;\n  uint k = (i + 32u) % 64u;\n  b.y[i] = s[k];\n}\n", 1, "run-slm-race", 10, 8},
    {"lanes of one subgroup", "  s[i] = i;\n  b.y[i] = s[i ^ 1u];\n}\n", 1, "run-slm-race", 9, 8},
    {"a sum without atomics in two groups",
     "  if (i == 0u) {\n    uint q = a.x[0] + 1u;\n    b.y[0] +=\n      q;\n  }\n}\n", 2, "run-race", 10, 10},
    {"a barrier that orders shared memory only", "  b.y[i] = i;\n  barrier();\n  a.x[i] = b.y[63u - i];\n}\n", 1,
     "run-fence-missing", 10, 8},
    {"a divergent barrier", "  s[i] = 0u;\n  if (i % 2u == 0u)\n    barrier();\n  else\n    b.y[i] = 1u;\n}\n", 1,
     "run-barrier-divergent", 10},
    {"subgroups that return before a barrier",
     "  if (i >= 32u) return;\n  s[i] = i;\n  barrier();\n  b.y[i] = s[31u - i];\n}\n", 1, "run-barrier-divergent", 10},
};

const Shader kSound[] = {
    {"a reduction in shared memory",
     "  s[i] = a.x[i];\n  for (uint k = 32u; k > 0u; k /= 2u) {\n    barrier();\n    if (i < k) s[i] += s[i + k];\n  "
     "}\n"
     "  if (i == 0u) b.y[gl_WorkGroupID.x] = s[0];\n}\n",
     2},
    {"a histogram by atomics", "  atomicAdd(b.y[i % 4u], 1u);\n}\n", 4},
    {"the last group adds what all have left",
     "  if (i == 0u) b.y[8u + gl_WorkGroupID.x] = 5u;\n  memoryBarrierBuffer();\n  barrier();\n"
     "  if (i == 0u) s[0] = atomicAdd(b.y[0], 1u);\n  memoryBarrierBuffer();\n  barrier();\n"
     "  if (s[0] == 3u && i == 0u) a.x[0] = b.y[8] + b.y[9] + b.y[10] + b.y[11];\n}\n",
     4},
    {"an exchange through a buffer",
     "  b.y[i] = i;\n  memoryBarrierBuffer();\n  barrier();\n  a.x[i] = b.y[63u - i];\n}\n", 1},
    {"groups that write bytes of their own", "  a.x[gl_GlobalInvocationID.x / 2u * 2u + i % 2u] = i;\n}\n", 1},
};

std::string text_of(const std::vector<std::string>& messages) {
  std::string all;
  for (const std::string& message : messages) all += message + "\n";
  return all;
}

TEST(VulkanChecks, EveryFaultIsFoundAtItsLine) {
  HEDDLE_NEED_SHADERS();
  for (const Shader& shader : kFaulty) {
    SCOPED_TRACE(shader.name);
    Checked t;
    t.run(kHead + shader.body, shader.groups);
    const std::string all = text_of(t.v->messages);
    bool found = false;
    for (const std::string& m : t.v->messages) {
      EXPECT_EQ(m.substr(0, m.find(':')), shader.id) << all;
      if (m.find("shader:" + std::to_string(shader.line) + ":") == std::string::npos) continue;
      found =
          shader.other_line == 0 || m.find("shader:" + std::to_string(shader.other_line) + ")") != std::string::npos;
      EXPECT_NE(m.find("invocation ("), std::string::npos) << m;
    }
    EXPECT_TRUE(found) << all;
  }
}

TEST(VulkanChecks, SoundShadersSayNothing) {
  HEDDLE_NEED_SHADERS();
  for (const Shader& shader : kSound) {
    SCOPED_TRACE(shader.name);
    Checked t;
    t.run(kHead + shader.body, shader.groups);
    EXPECT_EQ(text_of(t.v->messages), "");
  }
}

TEST(VulkanChecks, ResourcesGoByTheirNames) {
  HEDDLE_NEED_SHADERS();
  Checked t;
  const VkDebugUtilsObjectNameInfoEXT name{VK_STRUCTURE_TYPE_DEBUG_UTILS_OBJECT_NAME_INFO_EXT, nullptr,
                                           VK_OBJECT_TYPE_BUFFER, reinterpret_cast<std::uint64_t>(t.a.buffer),
                                           "particles"};
  ASSERT_EQ(t.v->proc<PFN_vkSetDebugUtilsObjectNameEXT>("vkSetDebugUtilsObjectNameEXT")(t.v->device, &name),
            VK_SUCCESS);
  t.run(kHead + "  a.x[i + 1u] = 2u;\n}\n", 1);
  ASSERT_EQ(t.v->messages.size(), 1u);
  EXPECT_NE(t.v->messages[0].find("storage buffer 'a' (set 0, binding 0, object 'particles')"), std::string::npos)
      << t.v->messages[0];
  EXPECT_NE(t.v->messages[0].find("invocation (63, 0, 0): (63, 0, 0) of workgroup (0, 0, 0)"), std::string::npos)
      << t.v->messages[0];
}

// Elements of arrays, of few buffers that have slots of their own and of more that go by handles.
TEST(VulkanChecks, ElementsOfArraysAreNamed) {
  HEDDLE_NEED_SHADERS();
  for (const std::uint32_t count : {4u, 8u}) {
    SCOPED_TRACE(count);
    Checked t;
    const std::vector<VulkanDevice::Binding> bindings{{0, kStorage}, {1, kStorage}, {2, kStorage, count}};
    t.set_layout = t.v->set_layout(bindings);
    t.set = t.v->set(t.set_layout, bindings);
    t.layout = t.v->layout({t.set_layout});
    t.v->write(t.set, 0, kStorage, t.a);
    t.v->write(t.set, 1, kStorage, t.b);
    for (std::uint32_t k = 0; k < count; ++k) {
      const auto buffer = t.v->buffer(64);
      t.v->write(t.set, 2, kStorage, buffer, 0, 64, k);
      const std::string name = "element " + std::to_string(k);
      const VkDebugUtilsObjectNameInfoEXT info{VK_STRUCTURE_TYPE_DEBUG_UTILS_OBJECT_NAME_INFO_EXT, nullptr,
                                               VK_OBJECT_TYPE_BUFFER, reinterpret_cast<std::uint64_t>(buffer.buffer),
                                               name.c_str()};
      ASSERT_EQ(t.v->proc<PFN_vkSetDebugUtilsObjectNameEXT>("vkSetDebugUtilsObjectNameEXT")(t.v->device, &info),
                VK_SUCCESS);
    }
    const std::string size = std::to_string(count);
    t.run(
        "#version 450\n#extension GL_EXT_nonuniform_qualifier : require\nlayout(local_size_x = 64) in;\n"
        "layout(binding = 2) buffer C { uint z[]; } c[" +
            size +
            "];\nvoid main() {\n"
            "  uint i = gl_LocalInvocationIndex;\n"
            "  c[nonuniformEXT(i % " +
            size + "u)].z[i == 3u ? 64u : i / " + size + "u] = 1u;\n}\n",
        1);
    const std::string all = text_of(t.v->messages);
    ASSERT_EQ(t.v->messages.size(), 1u) << all;
    EXPECT_NE(all.find("storage buffer 'c' (set 0, binding 2, element 3, object 'element 3')"), std::string::npos)
        << all;
  }
}

TEST(VulkanChecks, JsonLinesAndASummary) {
  HEDDLE_NEED_SHADERS();
  setenv("HEDDLE_CHECK_FORMAT", "json", 1);
  testing::internal::CaptureStderr();
  {
    Checked t;
    t.run(kHead + "  a.x[i + 1u] = 2u;\n}\n", 1);
    t.run(kHead + "  a.x[i + 1u] = 2u;\n}\n", 1);
  }
  const std::string text = testing::internal::GetCapturedStderr();
  unsetenv("HEDDLE_CHECK_FORMAT");
  EXPECT_NE(text.find("\"id\":\"run-surface-bounds\""), std::string::npos) << text;
  EXPECT_NE(text.find("\"line\":8"), std::string::npos) << text;
  EXPECT_NE(text.find("\"invocation\":[63,0,0]"), std::string::npos) << text;
  EXPECT_NE(text.find("\"summary\":\"run-surface-bounds\""), std::string::npos) << text;
  EXPECT_NE(text.find("\"count\":2"), std::string::npos) << text;
}

// environment-value: 1, on, yes check as warn does, and a value that is no word is told once in a process.
TEST(VulkanChecks, AWordThatIsNoneIsToldAndChecks) {
  HEDDLE_NEED_SHADERS();
  for (const char* word : {"1", "on", "yes", "WARN", "anything"}) {
    testing::internal::CaptureStderr();
    for (int device = 0; device < 2; ++device) {
      Checked t(word);
      t.run(kHead + "  a.x[i + 1u] = 2u;\n}\n", 1);
      ASSERT_EQ(t.v->messages.size(), 2u) << word;
      EXPECT_TRUE(t.v->messages[0].starts_with("environment-value: HEDDLE_CHECK is '" + std::string(word) + "'"))
          << t.v->messages[0];
      EXPECT_TRUE(t.v->messages[1].starts_with("run-surface-bounds")) << t.v->messages[1];
    }
    const std::string text = testing::internal::GetCapturedStderr();
    const std::string told = "heddle: HEDDLE_CHECK is '" + std::string(word) +
                             "', which it does not take: it is taken for warn; HEDDLE_CHECK takes off, warn or error";
    const std::size_t at = text.find(told);
    EXPECT_NE(at, std::string::npos) << text;
    EXPECT_EQ(text.find(told, at + 1), std::string::npos) << text;
  }
  Checked off("no");
  off.run(kHead + "  a.x[i + 1u] = 2u;\n}\n", 1);
  ASSERT_EQ(off.v->messages.size(), 1u);
  EXPECT_NE(off.v->messages[0].find("it is taken for off"), std::string::npos) << off.v->messages[0];
}

// HEDDLE_CHECK=error: a process that had findings ends with 5, one without with its own code.
TEST(VulkanChecks, ErrorEndsTheProcessWithFive) {
  HEDDLE_NEED_SHADERS();
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto run = [](const std::string& body) {
    Checked t("error");
    t.run(kHead + body, 1);
    std::exit(0);
  };
  EXPECT_EXIT(run("  a.x[i + 1u] = 2u;\n}\n"), testing::ExitedWithCode(5), "run-surface-bounds");
  EXPECT_EXIT(run("  a.x[i] = 2u;\n}\n"), testing::ExitedWithCode(0), "");
}

TEST(VulkanChecks, OneInvocationIsTraced) {
  HEDDLE_NEED_SHADERS();
  setenv("HEDDLE_TRACE", "70,0,0", 1);
  testing::internal::CaptureStderr();
  {
    Checked t;
    t.run(kHead + "  b.y[i] = 7u;\n}\n", 2);
  }
  const std::string text = testing::internal::GetCapturedStderr();
  unsetenv("HEDDLE_TRACE");
  EXPECT_NE(text.find("group 1,0,0 thread 0 "), std::string::npos) << text.substr(0, 2000);
  EXPECT_EQ(text.find("group 0,0,0"), std::string::npos);
  EXPECT_NE(text.find("scatter4_scaled"), std::string::npos);
}

// Two groups of 64 invocations have the ids 0 to 127: 128 never runs, nor does one of another row.
TEST(VulkanChecks, AnInvocationThatNeverRunsIsSaidAtTheEnd) {
  HEDDLE_NEED_SHADERS();
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto run = [](const char* invocation, std::uint32_t groups) {
    setenv("HEDDLE_TRACE", invocation, 1);
    Checked t("off");
    t.run(kHead + "  b.y[i] = 7u;\n}\n", groups);
    std::exit(0);
  };
  const std::string told =
      ", and nothing was traced: none of the dispatches .1. had an invocation with this global id; the greatest X, Y "
      "and Z were 127,0,0";
  EXPECT_EXIT(run("128", 2), testing::ExitedWithCode(0), "HEDDLE_TRACE is 128,0,0" + told);
  EXPECT_EXIT(run("5,1", 2), testing::ExitedWithCode(0), "HEDDLE_TRACE is 5,1,0" + told);
  EXPECT_EXIT(run("5", 0), testing::ExitedWithCode(0),
              "HEDDLE_TRACE is 5,0,0, and nothing was traced: no dispatch ran");
  const auto says_nothing = testing::Not(testing::HasSubstr("nothing was traced"));
  EXPECT_EXIT(run("127", 2), testing::ExitedWithCode(0), testing::Matcher<const std::string&>(says_nothing));
}

}  // namespace
}  // namespace heddle::test
