// SPDX-License-Identifier: MIT
// Shader objects (VK_EXT_shader_object): stages that commands bind one by one.

#include <gmock/gmock.h>

#include "vulkan/dynamic_states.hpp"
#include "vulkan/feature_kit.hpp"
#include "vulkan/object_kit.hpp"

namespace heddle::test {
namespace {

using testing::Each;

constexpr const char* kObjects = "VK_EXT_shader_object";
constexpr std::uint32_t kGreen = 0xff00ff00, kRed = 0xff0000ff;

std::vector<const char*> extensions() {
  std::vector<const char*> names = dynamic_state_extensions();
  names.push_back(kObjects);
  return names;
}

PipelineState one_triangle(const std::string& color) {
  PipelineState s;
  s.vertex = covering_vertices();
  s.fragment = one_color(color);
  return s;
}

TEST(VulkanObjects, DrawWithoutPipelines) {
  HEDDLE_NEED_SHADERS();
  HEDDLE_NEED_NEWER();
  Canvas c(8, 8, {VK_FORMAT_R8G8B8A8_UNORM}, VK_FORMAT_D32_SFLOAT, VK_SAMPLE_COUNT_1_BIT, extensions());
  ShaderObjects objects(c.v);
  PipelineState s = one_triangle("vec4(0, 1, 0, 1)");
  s.depth.depthTestEnable = s.depth.depthWriteEnable = VK_TRUE;
  s.depth.depthCompareOp = VK_COMPARE_OP_LESS;
  c.draw([&](VkCommandBuffer b) {
    objects.bind_all(b, s);
    set_states(c, b, s);
    vkCmdDraw(b, 3, 1, 0, 0);
  });
  EXPECT_THAT(c.pixels(), Each(kGreen));
  float depth = 0;
  std::memcpy(&depth, c.read(c.depth, 4, VK_IMAGE_ASPECT_DEPTH_BIT).data(), 4);
  EXPECT_EQ(depth, 0.5f);
}

// The extension alone gives the commands of all states that VK_EXT_extended_dynamic_state3 knows, as it does in the
// registry; those of features that the driver lacks, too: programs fetch them all at once.
TEST(VulkanObjects, AllStatesHaveCommands) {
  HEDDLE_NEED_NEWER();
  VulkanDevice v({kObjects});
  for (const char* name :
       {"vkCmdSetColorBlendEnableEXT", "vkCmdSetColorBlendAdvancedEXT", "vkCmdSetConservativeRasterizationModeEXT",
        "vkCmdSetExtraPrimitiveOverestimationSizeEXT", "vkCmdSetCoverageModulationModeNV",
        "vkCmdSetCoverageModulationTableEnableNV", "vkCmdSetCoverageModulationTableNV",
        "vkCmdSetCoverageReductionModeNV", "vkCmdSetCoverageToColorEnableNV", "vkCmdSetCoverageToColorLocationNV",
        "vkCmdSetRepresentativeFragmentTestEnableNV", "vkCmdSetShadingRateImageEnableNV", "vkCmdSetViewportSwizzleNV",
        "vkCmdSetViewportWScalingEnableNV"})
    EXPECT_NE(vkGetDeviceProcAddr(v.device, name), nullptr) << name;
}

// Another fragment shader with the same vertex shader; without one only depth is written.
TEST(VulkanObjects, StagesAreExchanged) {
  HEDDLE_NEED_SHADERS();
  HEDDLE_NEED_NEWER();
  Canvas c(4, 4, {VK_FORMAT_R8G8B8A8_UNORM}, VK_FORMAT_D32_SFLOAT, VK_SAMPLE_COUNT_1_BIT, extensions());
  ShaderObjects objects(c.v);
  PipelineState s = one_triangle("vec4(0, 1, 0, 1)");
  s.depth.depthTestEnable = s.depth.depthWriteEnable = VK_TRUE;
  s.depth.depthCompareOp = VK_COMPARE_OP_LESS_OR_EQUAL;
  const VkShaderEXT red = objects.make(VK_SHADER_STAGE_FRAGMENT_BIT, one_color("vec4(1, 0, 0, 1)"));
  const auto draw = [&](VkShaderEXT second) {
    c.draw([&](VkCommandBuffer b) {
      objects.bind_all(b, s);
      set_states(c, b, s);
      vkCmdDraw(b, 3, 1, 0, 0);
      objects.bind(b, VK_SHADER_STAGE_FRAGMENT_BIT, second);
      vkCmdDraw(b, 3, 1, 0, 0);
    });
    return c.pixels();
  };
  EXPECT_THAT(draw(red), Each(kRed));
  EXPECT_THAT(draw(VK_NULL_HANDLE), Each(kGreen));
}

// A pipeline takes the objects' place, and they its.
TEST(VulkanObjects, StandBesidePipelines) {
  HEDDLE_NEED_SHADERS();
  HEDDLE_NEED_NEWER();
  Canvas c(4, 4, {VK_FORMAT_R8G8B8A8_UNORM}, VK_FORMAT_UNDEFINED, VK_SAMPLE_COUNT_1_BIT, extensions());
  ShaderObjects objects(c.v);
  const PipelineState green = one_triangle("vec4(0, 1, 0, 1)");
  PipelineState left = one_triangle("vec4(1, 0, 0, 1)");
  left.scissor = VkRect2D{{0, 0}, {2, 4}};
  const VkPipeline pipeline = c.pipeline(left);
  for (const bool pipeline_first : {true, false}) {
    c.draw([&](VkCommandBuffer b) {
      const auto with_pipeline = [&] {
        vkCmdBindPipeline(b, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
        vkCmdDraw(b, 3, 1, 0, 0);
      };
      if (pipeline_first) with_pipeline();
      objects.bind_all(b, green);
      set_states(c, b, green);
      vkCmdDraw(b, 3, 1, 0, 0);
      if (!pipeline_first) with_pipeline();
    });
    const auto pixels = c.pixels();
    EXPECT_EQ(pixels[0], pipeline_first ? kGreen : kRed);
    EXPECT_EQ(pixels[3], kGreen);
  }
}

// A square for each point.
TEST(VulkanObjects, GeometryIsAStageToo) {
  HEDDLE_NEED_SHADERS();
  HEDDLE_NEED_NEWER();
  Canvas c(4, 4, {VK_FORMAT_R8G8B8A8_UNORM}, VK_FORMAT_UNDEFINED, VK_SAMPLE_COUNT_1_BIT, extensions());
  ShaderObjects objects(c.v);
  PipelineState s;
  s.vertex =
      "#version 450\nvoid main() { gl_Position = vec4(float(gl_VertexIndex) - 1, -1, 0, 1); gl_PointSize = 1; }\n";
  s.geometry =
      "#version 450\nlayout(points) in; layout(triangle_strip, max_vertices = 4) out;\n"
      "void main() { for (int i = 0; i < 4; ++i) {\n"
      "  gl_Position = gl_in[0].gl_Position + vec4(i & 1, i & 2, 0, 0); EmitVertex(); } }\n";
  s.fragment = one_color("vec4(0, 1, 0, 1)");
  s.topology = VK_PRIMITIVE_TOPOLOGY_POINT_LIST;
  c.draw([&](VkCommandBuffer b) {
    objects.bind_all(b, s);
    set_states(c, b, s);
    vkCmdDraw(b, 1, 1, 0, 0);  // the left half
  });
  const auto pixels = c.pixels();
  for (std::size_t i = 0; i < pixels.size(); ++i) EXPECT_EQ(pixels[i], i % 4 < 2 ? kGreen : 0u) << i;
}

// A compute shader of words, and of the binary that its object gives.
TEST(VulkanObjects, BinariesAreTakenBack) {
  HEDDLE_NEED_SHADERS();
  HEDDLE_NEED_NEWER();
  VulkanDevice v({kObjects});
  const std::vector<VulkanDevice::Binding> bindings = {{0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER}};
  const VkDescriptorSetLayout sets = v.set_layout(bindings);
  const VkPipelineLayout layout = v.layout({sets});
  const VkDescriptorSet set = v.set(sets, bindings);
  const auto out = v.buffer(64);
  v.write(set, 0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, out);
  ShaderObjects objects(v, {sets});
  const VkShaderEXT words =
      objects.make(VK_SHADER_STAGE_COMPUTE_BIT,
                   "#version 450\nlayout(local_size_x = 16) in;\nlayout(binding = 0) buffer B { uint b[]; };\n"
                   "void main() { b[gl_LocalInvocationIndex] += 3 * gl_LocalInvocationIndex; }\n");
  std::vector<std::uint8_t> bytes = objects.binary(words);
  VkShaderEXT again = VK_NULL_HANDLE;
  ASSERT_EQ(
      objects.create(VK_SHADER_STAGE_COMPUTE_BIT, VK_SHADER_CODE_TYPE_BINARY_EXT, bytes.data(), bytes.size(), again),
      VK_SUCCESS);
  for (const VkShaderEXT shader : {words, again})
    ASSERT_EQ(v.run([&](VkCommandBuffer c) {
      objects.bind(c, VK_SHADER_STAGE_COMPUTE_BIT, shader);
      vkCmdBindDescriptorSets(c, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &set, 0, nullptr);
      vkCmdDispatch(c, 1, 1, 1);
      barrier(c);
    }),
              VK_SUCCESS);
  for (std::uint32_t n = 0; n < 16; ++n) EXPECT_EQ(out.word(n), 6 * n);
  objects.destroy(again);
  // What is damaged, cut off, or of another stage is none.
  const auto refused = [&](VkShaderStageFlagBits stage, std::size_t size) {
    VkShaderEXT none = words;
    EXPECT_EQ(objects.create(stage, VK_SHADER_CODE_TYPE_BINARY_EXT, bytes.data(), size, none),
              VK_INCOMPATIBLE_SHADER_BINARY_EXT);
    EXPECT_EQ(none, VkShaderEXT{});
  };
  refused(VK_SHADER_STAGE_VERTEX_BIT, bytes.size());
  refused(VK_SHADER_STAGE_COMPUTE_BIT, bytes.size() - 1);
  refused(VK_SHADER_STAGE_COMPUTE_BIT, 5);
  bytes[bytes.size() / 2] ^= 1;
  refused(VK_SHADER_STAGE_COMPUTE_BIT, bytes.size());
  bytes[bytes.size() / 2] ^= 1;
  bytes[0] ^= 1;  // of another build
  refused(VK_SHADER_STAGE_COMPUTE_BIT, bytes.size());
}

// An object that is destroyed takes what was linked of it with it; another may get its handle.
TEST(VulkanObjects, AreMadeAnewAgainAndAgain) {
  HEDDLE_NEED_SHADERS();
  HEDDLE_NEED_NEWER();
  Canvas c(4, 4, {VK_FORMAT_R8G8B8A8_UNORM}, VK_FORMAT_UNDEFINED, VK_SAMPLE_COUNT_1_BIT, extensions());
  ShaderObjects objects(c.v);
  const PipelineState s = one_triangle("vec4(0, 1, 0, 1)");
  const VkShaderEXT vertices = objects.make(VK_SHADER_STAGE_VERTEX_BIT, s.vertex);
  for (const bool red : {false, true, false}) {
    const auto words = compile_shader(one_color(red ? "vec4(1, 0, 0, 1)" : "vec4(0, 1, 0, 1)"), "frag");
    VkShaderEXT fragments = VK_NULL_HANDLE;
    ASSERT_EQ(objects.create(VK_SHADER_STAGE_FRAGMENT_BIT, VK_SHADER_CODE_TYPE_SPIRV_EXT, words.data(),
                             words.size() * 4, fragments),
              VK_SUCCESS);
    c.draw([&](VkCommandBuffer b) {
      objects.bind(b, VK_SHADER_STAGE_VERTEX_BIT, vertices);
      objects.bind(b, VK_SHADER_STAGE_FRAGMENT_BIT, fragments);
      set_states(c, b, s);
      vkCmdDraw(b, 3, 1, 0, 0);
    });
    EXPECT_THAT(c.pixels(), Each(red ? kRed : kGreen));
    objects.destroy(fragments);
  }
}

// Code that is no module is refused with a message.
TEST(VulkanObjects, WrongCodeIsRefused) {
  HEDDLE_NEED_NEWER();
  VulkanDevice v({kObjects});
  v.expects_messages = true;
  ShaderObjects objects(v);
  const std::uint32_t words[] = {1, 2, 3, 4, 5};
  VkShaderEXT none = VK_NULL_HANDLE;
  EXPECT_EQ(objects.create(VK_SHADER_STAGE_VERTEX_BIT, VK_SHADER_CODE_TYPE_SPIRV_EXT, words, sizeof words, none),
            VK_ERROR_UNKNOWN);
  EXPECT_EQ(none, VkShaderEXT{});
  ASSERT_FALSE(v.messages.empty());
  EXPECT_THAT(v.messages.back(), testing::HasSubstr("vertex shader 'main' is refused"));
}

// What cannot be together draws nothing, and is said once; so does a null pipeline, behind which nothing is bound.
TEST(VulkanObjects, WrongSetsDrawNothing) {
  HEDDLE_NEED_SHADERS();
  HEDDLE_NEED_NEWER();
  std::vector<const char*> names = extensions();
  names.push_back(VK_EXT_MESH_SHADER_EXTENSION_NAME);
  Canvas c(4, 4, {VK_FORMAT_R8G8B8A8_UNORM}, VK_FORMAT_UNDEFINED, VK_SAMPLE_COUNT_1_BIT, names);
  c.v.expects_messages = true;
  ShaderObjects objects(c.v);
  const PipelineState s = one_triangle("vec4(0, 1, 0, 1)");
  const auto words = compile_shader(
      "#version 450\n#extension GL_EXT_mesh_shader : require\nlayout(local_size_x = 1) in;\n"
      "void main() { EmitMeshTasksEXT(1, 1, 1); }\n",
      "task", false, "vulkan1.3");
  if (words.empty()) GTEST_SKIP() << "glslangValidator knows no mesh shaders";
  VkShaderEXT task = VK_NULL_HANDLE;
  ASSERT_EQ(
      objects.create(VK_SHADER_STAGE_TASK_BIT_EXT, VK_SHADER_CODE_TYPE_SPIRV_EXT, words.data(), words.size() * 4, task),
      VK_SUCCESS);
  c.draw([&](VkCommandBuffer b) {
    objects.bind_all(b, s);
    objects.bind(b, VK_SHADER_STAGE_TASK_BIT_EXT, task);
    set_states(c, b, s);
    vkCmdDraw(b, 3, 1, 0, 0);
    vkCmdDraw(b, 3, 1, 0, 0);
  });
  EXPECT_THAT(c.pixels(), Each(0u));
  ASSERT_EQ(c.v.messages.size(), 1u);
  EXPECT_THAT(c.v.messages[0], testing::HasSubstr("a task shader and no mesh shader"));
  c.v.messages.clear();
  c.draw([&](VkCommandBuffer b) {
    objects.bind_all(b, s);
    set_states(c, b, s);
    vkCmdBindPipeline(b, VK_PIPELINE_BIND_POINT_GRAPHICS, VK_NULL_HANDLE);
    vkCmdDraw(b, 3, 1, 0, 0);
  });
  EXPECT_THAT(c.pixels(), Each(0u));
  objects.destroy(task);
}

}  // namespace
}  // namespace heddle::test
