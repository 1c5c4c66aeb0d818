// SPDX-License-Identifier: MIT
// What the driver tells of its pipelines (VK_KHR_pipeline_executable_properties) and of a device that it lost
// (VK_EXT_device_fault).

#include <gmock/gmock.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <map>

#include "vulkan/canvas.hpp"

namespace heddle::test {
namespace {

using testing::HasSubstr;

struct Inside {
  explicit Inside(const VulkanDevice& device)
      : v(device),
        properties(v.proc<PFN_vkGetPipelineExecutablePropertiesKHR>("vkGetPipelineExecutablePropertiesKHR")),
        statistics(v.proc<PFN_vkGetPipelineExecutableStatisticsKHR>("vkGetPipelineExecutableStatisticsKHR")),
        representations(v.proc<PFN_vkGetPipelineExecutableInternalRepresentationsKHR>(
            "vkGetPipelineExecutableInternalRepresentationsKHR")) {}
  const VulkanDevice& v;
  PFN_vkGetPipelineExecutablePropertiesKHR properties;
  PFN_vkGetPipelineExecutableStatisticsKHR statistics;
  PFN_vkGetPipelineExecutableInternalRepresentationsKHR representations;

  std::vector<VkPipelineExecutablePropertiesKHR> executables(VkPipeline pipeline) const {
    const VkPipelineInfoKHR info{VK_STRUCTURE_TYPE_PIPELINE_INFO_KHR, nullptr, pipeline};
    std::uint32_t count = 0;
    EXPECT_EQ(properties(v.device, &info, &count, nullptr), VK_SUCCESS);
    std::vector<VkPipelineExecutablePropertiesKHR> all(
        count, {VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_PROPERTIES_KHR, nullptr, 0, {}, {}, 0});
    EXPECT_EQ(properties(v.device, &info, &count, all.data()), VK_SUCCESS);
    return all;
  }
  std::map<std::string, std::uint64_t> numbers(VkPipeline pipeline, std::uint32_t index) const {
    const VkPipelineExecutableInfoKHR info{VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_INFO_KHR, nullptr, pipeline, index};
    std::uint32_t count = 0;
    EXPECT_EQ(statistics(v.device, &info, &count, nullptr), VK_SUCCESS);
    std::vector<VkPipelineExecutableStatisticKHR> all(count);
    for (auto& s : all) s.sType = VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_STATISTIC_KHR;
    EXPECT_EQ(statistics(v.device, &info, &count, all.data()), VK_SUCCESS);
    std::map<std::string, std::uint64_t> named;
    for (const auto& s : all) {
      EXPECT_EQ(s.format, VK_PIPELINE_EXECUTABLE_STATISTIC_FORMAT_UINT64_KHR);
      named[s.name] = s.value.u64;
    }
    return named;
  }
  struct Representation {
    std::string description, text;
  };
  /// All, by their names; `between`: what happens after the sizes are known.
  std::map<std::string, Representation> forms(
      VkPipeline pipeline, std::uint32_t index, const std::function<void()>& between = [] {}) const {
    const VkPipelineExecutableInfoKHR info{VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_INFO_KHR, nullptr, pipeline, index};
    std::uint32_t count = 0;
    EXPECT_EQ(representations(v.device, &info, &count, nullptr), VK_SUCCESS);
    std::vector<VkPipelineExecutableInternalRepresentationKHR> all(
        count, {VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_INTERNAL_REPRESENTATION_KHR});
    EXPECT_EQ(representations(v.device, &info, &count, all.data()), VK_SUCCESS);
    std::vector<std::string> texts;
    for (const auto& r : all) texts.emplace_back(r.dataSize, '?');
    for (std::size_t i = 0; i < all.size(); ++i) all[i].pData = texts[i].data();
    between();
    EXPECT_EQ(representations(v.device, &info, &count, all.data()), VK_SUCCESS);
    std::map<std::string, Representation> named;
    for (std::size_t i = 0; i < all.size(); ++i) {
      EXPECT_EQ(all[i].isText, VK_TRUE);
      EXPECT_EQ(all[i].dataSize, texts[i].size());
      EXPECT_EQ(texts[i].find('\0'), texts[i].size() - 1);
      named[all[i].name] = {all[i].description, texts[i]};
    }
    return named;
  }
  /// The first representation, in so many bytes.
  std::string visa(VkPipeline pipeline, std::uint32_t index, std::size_t room, VkResult expected) const {
    const VkPipelineExecutableInfoKHR info{VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_INFO_KHR, nullptr, pipeline, index};
    std::uint32_t count = 2;
    VkPipelineExecutableInternalRepresentationKHR r[2]{
        {VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_INTERNAL_REPRESENTATION_KHR},
        {VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_INTERNAL_REPRESENTATION_KHR}};
    EXPECT_EQ(representations(v.device, &info, &count, r), VK_SUCCESS);
    EXPECT_STREQ(r[0].name, "vISA");
    EXPECT_EQ(r[0].isText, VK_TRUE);
    std::string text(std::min(room, r[0].dataSize), '?');
    r[0].dataSize = text.size();
    r[0].pData = text.data();
    EXPECT_EQ(representations(v.device, &info, &count, r), expected);
    EXPECT_EQ(r[0].dataSize, text.size());
    // Without room for all of them.
    if (count == 2) {
      count = 1;
      EXPECT_EQ(representations(v.device, &info, &count, r), VK_INCOMPLETE);
      EXPECT_EQ(count, 1u);
    }
    return text;
  }
};

constexpr std::size_t kAll = 1 << 20;
constexpr VkPipelineCreateFlags kInside =
    VK_PIPELINE_CREATE_CAPTURE_STATISTICS_BIT_KHR | VK_PIPELINE_CREATE_CAPTURE_INTERNAL_REPRESENTATIONS_BIT_KHR;

// Three samples of textures are three messages; the text is the program.
TEST(VulkanExecutables, SayWhatAShaderBecame) {
  HEDDLE_NEED_SHADERS();
  VulkanDevice v({VK_KHR_PIPELINE_EXECUTABLE_PROPERTIES_EXTENSION_NAME});
  v.pipeline_flags = kInside;
  const Inside inside(v);
  const std::vector<VulkanDevice::Binding> bindings = {{0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER},
                                                       {1, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER}};
  const VkPipelineLayout layout = v.layout({v.set_layout(bindings)});
  const VkPipeline pipeline = v.pipeline(
      "#version 450\nlayout(local_size_x = 16) in;\nlayout(binding = 0) buffer B { vec4 b[]; };\n"
      "layout(binding = 1) uniform sampler2D t;\n"
      "void main() { vec2 p = vec2(gl_LocalInvocationIndex);\n"
      "  b[0] = textureLod(t, p, 0) + textureLod(t, p.yx * 3, 1) + texelFetch(t, ivec2(p), 0); }\n",
      layout);
  const auto executables = inside.executables(pipeline);
  ASSERT_EQ(executables.size(), 1u);
  EXPECT_EQ(executables[0].stages, VkShaderStageFlags{VK_SHADER_STAGE_COMPUTE_BIT});
  EXPECT_STREQ(executables[0].name, "compute shader");
  EXPECT_EQ(executables[0].subgroupSize, 16u);
  const auto numbers = inside.numbers(pipeline, 0);
  EXPECT_EQ(numbers.at("Sampler messages"), 3u);
  EXPECT_GT(numbers.at("Instructions"), 3u);
  EXPECT_GE(numbers.at("Variable bytes"), numbers.at("Live bytes"));
  EXPECT_GE(numbers.at("Live bytes"), 4u * 16 * 4);  // four channels of 16 lanes
  const std::string text = inside.visa(pipeline, 0, kAll, VK_SUCCESS);
  EXPECT_THAT(text, HasSubstr(".kernel \"main\""));
  EXPECT_THAT(text, HasSubstr(" sample_l"));
  EXPECT_EQ(text.back(), '\0');
  EXPECT_EQ(inside.visa(pipeline, 0, 20, VK_INCOMPLETE), text.substr(0, 19) + '\0');
  EXPECT_EQ(inside.visa(pipeline, 0, 1, VK_INCOMPLETE), std::string(1, '\0'));
  EXPECT_EQ(inside.visa(pipeline, 0, 0, VK_INCOMPLETE), "");
  // An array of no elements has none to be read.
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  void* const nowhere = mmap(nullptr, page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(nowhere, MAP_FAILED);
  const VkPipelineExecutableInfoKHR info{VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_INFO_KHR, nullptr, pipeline, 0};
  std::uint32_t count = 0;
  EXPECT_EQ(inside.representations(v.device, &info, &count,
                                   static_cast<VkPipelineExecutableInternalRepresentationKHR*>(nowhere)),
            VK_INCOMPLETE);
  EXPECT_EQ(count, 0u);
  munmap(nowhere, page);
}

TEST(VulkanExecutables, AreTheStagesOfADraw) {
  HEDDLE_NEED_SHADERS();
  Canvas c(4, 4, {VK_FORMAT_R8G8B8A8_UNORM}, VK_FORMAT_UNDEFINED, VK_SAMPLE_COUNT_1_BIT,
           {VK_KHR_PIPELINE_EXECUTABLE_PROPERTIES_EXTENSION_NAME});
  const Inside inside(c.v);
  PipelineState s;
  s.vertex = covering_vertices();
  s.fragment = one_color("vec4(0, 1, 0, 1)");
  s.flags = kInside;
  const auto executables = inside.executables(c.pipeline(s));
  ASSERT_EQ(executables.size(), 2u);
  EXPECT_EQ(executables[0].stages, VkShaderStageFlags{VK_SHADER_STAGE_VERTEX_BIT});
  EXPECT_EQ(executables[1].stages, VkShaderStageFlags{VK_SHADER_STAGE_FRAGMENT_BIT});
  EXPECT_THAT(executables[1].description, HasSubstr("'main'"));
}

struct Sums {
  explicit Sums(VulkanDevice& device)
      : v(device), sets(v.set_layout(bindings)), layout(v.layout({sets})), set(v.set(sets, bindings)) {
    v.write(set, 0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, v.buffer(64));
  }
  VkPipeline pipeline(VkPipelineCreateFlags flags, VkPipelineCache cache = VK_NULL_HANDLE) const {
    const VkShaderModule module = v.module(
        "#version 450\nlayout(local_size_x = 16) in;\nlayout(binding = 0) buffer B { uint b[]; };\n"
        "void main() { uint s = 0; for (uint i = 0; i < 4096; ++i) s = s * 3 + i;\n"
        "  b[gl_LocalInvocationIndex] = s; }\n",
        "comp");
    VkComputePipelineCreateInfo info{VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO};
    info.flags = flags;
    info.stage = {VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                  nullptr,
                  0,
                  VK_SHADER_STAGE_COMPUTE_BIT,
                  module,
                  "main",
                  nullptr};
    info.layout = layout;
    VkPipeline made = VK_NULL_HANDLE;
    EXPECT_EQ(vkCreateComputePipelines(v.device, cache, 1, &info, nullptr, &made), VK_SUCCESS);
    vkDestroyShaderModule(v.device, module, nullptr);
    v.later([d = v.device, made] { vkDestroyPipeline(d, made, nullptr); });
    return made;
  }
  void dispatch(VkPipeline pipeline) const {
    EXPECT_EQ(v.run([&](VkCommandBuffer c) {
      vkCmdBindPipeline(c, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
      vkCmdBindDescriptorSets(c, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &set, 0, nullptr);
      vkCmdDispatch(c, 64, 1, 1);
    }),
              VK_SUCCESS);
  }
  const std::vector<VulkanDevice::Binding> bindings = {{0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER}};
  VulkanDevice& v;
  const VkDescriptorSetLayout sets;
  const VkPipelineLayout layout;
  const VkDescriptorSet set;
};

/// Whether this build has a compiler, and the driver runs shaders by it.
bool has_machine_code() {
#ifdef HEDDLE_JIT_STATIC
  const bool compiles = true;
#else
  const auto folder = std::filesystem::path(HEDDLE_VULKAN_DRIVER).parent_path();
  const bool compiles = std::filesystem::exists(folder / "libheddle_jit.so");
#endif
  return compiles && std::getenv("HEDDLE_CHECK") == nullptr;
}

// What a run begins with; then what ran, and what it became as it ran on. A text has the size that was told, whatever
// runs in between.
TEST(VulkanExecutables, HaveTheMachineCodeThatRan) {
  HEDDLE_NEED_SHADERS();
  if (!has_machine_code()) GTEST_SKIP() << "the reference engine runs shaders";
  VulkanDevice v({VK_KHR_PIPELINE_EXECUTABLE_PROPERTIES_EXTENSION_NAME});
  const Inside inside(v);
  const Sums sums(v);
  const VkPipeline pipeline = sums.pipeline(kInside);
  const auto before = inside.forms(pipeline, 0, [&] { sums.dispatch(pipeline); });
  ASSERT_EQ(before.size(), 2u);
  EXPECT_THAT(before.at("machine code").description, HasSubstr("nothing has run yet"));
  EXPECT_THAT(before.at("machine code").text, HasSubstr("heddle_kernel:"));
  EXPECT_THAT(before.at("machine code").text, HasSubstr("ret"));
  const auto after = inside.forms(pipeline, 0);
  EXPECT_THAT(after.at("machine code").description, HasSubstr("for what was bound"));
  // Some millions of instructions are enough for the second tier, which is made meanwhile.
  std::string last;
  for (int i = 0; i < 400 && last.find("optimized") == std::string::npos; ++i) {
    sums.dispatch(pipeline);
    last = inside.forms(pipeline, 0).at("machine code").description;
  }
  EXPECT_THAT(last, HasSubstr("optimized"));
}

// A cache has a pipeline that was made without the flag: the one with it has code of its own.
TEST(VulkanExecutables, HaveMachineCodeWhereItIsAskedFor) {
  HEDDLE_NEED_SHADERS();
  if (!has_machine_code()) GTEST_SKIP() << "the reference engine runs shaders";
  VulkanDevice v({VK_KHR_PIPELINE_EXECUTABLE_PROPERTIES_EXTENSION_NAME});
  const Inside inside(v);
  const Sums sums(v);
  const VkPipelineCacheCreateInfo caches{VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO};
  VkPipelineCache cache = VK_NULL_HANDLE;
  ASSERT_EQ(vkCreatePipelineCache(v.device, &caches, nullptr, &cache), VK_SUCCESS);
  v.later([d = v.device, cache] { vkDestroyPipelineCache(d, cache, nullptr); });
  const VkPipeline plain = sums.pipeline(0, cache), listed = sums.pipeline(kInside, cache);
  sums.dispatch(plain);
  EXPECT_THAT(inside.forms(listed, 0).at("machine code").description, HasSubstr("nothing has run yet"));
  sums.dispatch(listed);
  EXPECT_THAT(inside.forms(listed, 0).at("machine code").description, HasSubstr("for what was bound"));
}

// Each stage has its own. Of a vertex input that commands set there is none before a draw.
TEST(VulkanExecutables, HaveTheMachineCodeOfEachStage) {
  HEDDLE_NEED_SHADERS();
  if (!has_machine_code()) GTEST_SKIP() << "the reference engine runs shaders";
  Canvas c(4, 4, {VK_FORMAT_R8G8B8A8_UNORM}, VK_FORMAT_UNDEFINED, VK_SAMPLE_COUNT_1_BIT,
           {VK_KHR_PIPELINE_EXECUTABLE_PROPERTIES_EXTENSION_NAME, VK_EXT_VERTEX_INPUT_DYNAMIC_STATE_EXTENSION_NAME});
  const Inside inside(c.v);
  PipelineState s;
  s.vertex = covering_vertices();
  s.fragment = one_color("vec4(0, 1, 0, 1)");
  s.flags = kInside;
  s.dynamic = {VK_DYNAMIC_STATE_VERTEX_INPUT_EXT};
  const VkPipeline pipeline = c.pipeline(s);
  const auto code = [&](std::uint32_t stage) { return inside.forms(pipeline, stage).at("machine code"); };
  EXPECT_THAT(code(0).text, HasSubstr("no code has been made"));
  EXPECT_THAT(code(1).description, HasSubstr("nothing has run yet"));
  const std::string unbound = code(1).text;
  EXPECT_THAT(unbound, HasSubstr("heddle_kernel:"));
  const auto set = c.v.proc<PFN_vkCmdSetVertexInputEXT>("vkCmdSetVertexInputEXT");
  c.draw([&](VkCommandBuffer b) {
    vkCmdBindPipeline(b, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
    set(b, 0, nullptr, 0, nullptr);
    vkCmdDraw(b, 3, 1, 0, 0);
  });
  EXPECT_THAT(code(0).text, HasSubstr("heddle_kernel:"));
  for (const std::uint32_t stage : {0u, 1u})
    EXPECT_THAT(code(stage).description, HasSubstr("for what was bound")) << stage;
  EXPECT_NE(code(0).text, code(1).text);
}

// The text of the message that the device was lost with; before that there is none.
TEST(VulkanFault, SaysWhatLostTheDevice) {
  HEDDLE_NEED_SHADERS();
  if (std::getenv("HEDDLE_TEST_VALIDATION") != nullptr) GTEST_SKIP() << "the layer does not know of lost devices";
  setenv("HEDDLE_TIME_LIMIT", "0.1", 1);
  VulkanDevice v({VK_EXT_DEVICE_FAULT_EXTENSION_NAME});
  unsetenv("HEDDLE_TIME_LIMIT");
  v.expects_messages = true;
  const auto fault = v.proc<PFN_vkGetDeviceFaultInfoEXT>("vkGetDeviceFaultInfoEXT");
  VkDeviceFaultCountsEXT counts{VK_STRUCTURE_TYPE_DEVICE_FAULT_COUNTS_EXT};
  ASSERT_EQ(fault(v.device, &counts, nullptr), VK_SUCCESS);
  EXPECT_EQ(counts.vendorInfoCount, 0u);
  const std::vector<VulkanDevice::Binding> bindings = {{0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER}};
  const VkDescriptorSetLayout sets = v.set_layout(bindings);
  const VkPipelineLayout layout = v.layout({sets});
  const VkDescriptorSet set = v.set(sets, bindings);
  v.write(set, 0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, v.buffer(64));
  const VkPipeline pipeline = v.pipeline(
      "#version 450\nlayout(binding = 0) buffer B { uint b[]; };\nvoid main() { while (b[0] != 1u) b[1]++; }\n",
      layout);
  EXPECT_EQ(v.run([&](VkCommandBuffer c) {
    vkCmdBindPipeline(c, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
    vkCmdBindDescriptorSets(c, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &set, 0, nullptr);
    vkCmdDispatch(c, 1, 1, 1);
  }),
            VK_ERROR_DEVICE_LOST);
  ASSERT_EQ(fault(v.device, &counts, nullptr), VK_SUCCESS);
  EXPECT_EQ(counts.addressInfoCount, 0u);
  EXPECT_EQ(counts.vendorBinarySize, 0u);
  ASSERT_GE(counts.vendorInfoCount, 1u);
  std::vector<VkDeviceFaultVendorInfoEXT> parts(counts.vendorInfoCount);
  VkDeviceFaultInfoEXT info{VK_STRUCTURE_TYPE_DEVICE_FAULT_INFO_EXT};
  info.pVendorInfos = parts.data();
  ASSERT_EQ(fault(v.device, &counts, &info), VK_SUCCESS);
  EXPECT_THAT(info.description, HasSubstr("compute shader 'main'"));
  std::string whole;
  for (const auto& part : parts) whole += part.description;
  EXPECT_THAT(whole, HasSubstr("0 of 1 groups are done"));
  --counts.vendorInfoCount;
  EXPECT_EQ(fault(v.device, &counts, &info), VK_INCOMPLETE);
}

}  // namespace
}  // namespace heddle::test
