// SPDX-License-Identifier: MIT
// What the driver tells of its pipelines (VK_KHR_pipeline_executable_properties) and of a device that it lost
// (VK_EXT_device_fault).

#include <gmock/gmock.h>

#include <algorithm>
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
  std::string visa(VkPipeline pipeline, std::uint32_t index, std::size_t room, VkResult expected) const {
    const VkPipelineExecutableInfoKHR info{VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_INFO_KHR, nullptr, pipeline, index};
    std::uint32_t count = 1;
    VkPipelineExecutableInternalRepresentationKHR r{VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_INTERNAL_REPRESENTATION_KHR};
    EXPECT_EQ(representations(v.device, &info, &count, &r), VK_SUCCESS);
    EXPECT_STREQ(r.name, "vISA");
    EXPECT_EQ(r.isText, VK_TRUE);
    std::string text(std::min(room, r.dataSize), '?');
    r.dataSize = text.size();
    r.pData = text.data();
    EXPECT_EQ(representations(v.device, &info, &count, &r), expected);
    EXPECT_EQ(r.dataSize, text.size());
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
  EXPECT_EQ(inside.visa(pipeline, 0, 20, VK_INCOMPLETE), text.substr(0, 20));
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
