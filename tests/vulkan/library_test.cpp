// SPDX-License-Identifier: MIT
// Pipelines of libraries, and states that commands set one by one. That all states come through alike, the random
// pipelines show.

#include <algorithm>
#include <cstdlib>
#include <numeric>

#include "vulkan/dynamic_states.hpp"

namespace heddle::test {
namespace {

constexpr std::uint32_t kGreen = 0xff00ff00, kRed = 0xff0000ff, kBlue = 0xffff0000;

std::size_t count_of(const std::vector<std::uint32_t>& pixels, std::uint32_t value) {
  return static_cast<std::size_t>(std::ranges::count(pixels, value));
}
void bind(VkCommandBuffer c, VkPipeline pipeline) { vkCmdBindPipeline(c, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline); }

TEST(VulkanDynamicState, ColorWritesAreOffWhereTheirBitIs) {
  HEDDLE_NEED_SHADERS();
  Canvas c(8, 8, {VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_R8G8B8A8_UNORM}, VK_FORMAT_UNDEFINED, VK_SAMPLE_COUNT_1_BIT,
           {VK_EXT_COLOR_WRITE_ENABLE_EXTENSION_NAME});
  PipelineState s;
  s.vertex = covering_vertices();
  s.fragment =
      "#version 450\nlayout(location = 0) out vec4 o;\nlayout(location = 1) out vec4 p;\n"
      "void main() { o = p = vec4(0, 1, 0, 1); }\n";
  const VkBool32 enables[] = {VK_FALSE, VK_TRUE}, other[] = {VK_TRUE, VK_FALSE};
  const VkPipelineColorWriteCreateInfoEXT writes{VK_STRUCTURE_TYPE_PIPELINE_COLOR_WRITE_CREATE_INFO_EXT, nullptr, 2,
                                                 enables};
  s.colors.pNext = &writes;
  const VkPipeline still = c.pipeline(s);
  c.draw([&](VkCommandBuffer b) {
    bind(b, still);
    vkCmdDraw(b, 3, 1, 0, 0);
  });
  EXPECT_EQ(count_of(c.pixels(0), 0), 64u);
  EXPECT_EQ(count_of(c.pixels(1), kGreen), 64u);
  s.dynamic = {VK_DYNAMIC_STATE_COLOR_WRITE_ENABLE_EXT};
  const VkPipeline moving = c.pipeline(s);
  const auto set = c.v.proc<PFN_vkCmdSetColorWriteEnableEXT>("vkCmdSetColorWriteEnableEXT");
  c.draw([&](VkCommandBuffer b) {
    bind(b, moving);
    set(b, 2, other);
    vkCmdDraw(b, 3, 1, 0, 0);
  });
  EXPECT_EQ(count_of(c.pixels(0), kGreen), 64u);
  EXPECT_EQ(count_of(c.pixels(1), 0), 64u);
}

/// One pipeline draws from attributes of different formats, bindings and rates, one after the other.
TEST(VulkanDynamicState, VertexInputsFollowEachOther) {
  HEDDLE_NEED_SHADERS();
  Canvas c(8, 8, {VK_FORMAT_R8G8B8A8_UNORM}, VK_FORMAT_UNDEFINED, VK_SAMPLE_COUNT_1_BIT,
           {VK_EXT_VERTEX_INPUT_DYNAMIC_STATE_EXTENSION_NAME, VK_EXT_VERTEX_ATTRIBUTE_DIVISOR_EXTENSION_NAME});
  PipelineState s;
  s.vertex =
      "#version 450\nlayout(location = 0) in vec4 p;\nlayout(location = 1) in vec4 c;\n"
      "layout(location = 0) out vec4 v;\n"
      "void main() { v = c; gl_Position = vec4(p.xy + vec2(0, gl_InstanceIndex), 0, 1); }\n";
  s.fragment =
      "#version 450\nlayout(location = 0) in vec4 v;\nlayout(location = 0) out vec4 o;\nvoid main() { o = v; }\n";
  s.topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP;
  s.dynamic = {VK_DYNAMIC_STATE_VERTEX_INPUT_EXT};
  const VkPipeline pipeline = c.pipeline(s);
  const auto set = c.v.proc<PFN_vkCmdSetVertexInputEXT>("vkCmdSetVertexInputEXT");
  // The upper half as floats with bytes of color behind them, and colors for instances.
  const auto floats = c.v.buffer(4 * 12), colors = c.v.buffer(8);
  const float corners[] = {-1, -1, 1, -1, -1, 0, 1, 0};
  for (std::size_t k = 0; k < 4; ++k) {
    std::memcpy(floats.bytes + 12 * k, corners + 2 * k, 8);
    floats.set(3 * k + 2, kRed);
  }
  colors.set(0, kBlue);
  colors.set(1, kGreen);
  const auto binding = [](std::uint32_t number, std::uint32_t stride, std::uint32_t divisor) {
    return VkVertexInputBindingDescription2EXT{
        VK_STRUCTURE_TYPE_VERTEX_INPUT_BINDING_DESCRIPTION_2_EXT,
        nullptr,
        number,
        stride,
        divisor != 0 ? VK_VERTEX_INPUT_RATE_INSTANCE : VK_VERTEX_INPUT_RATE_VERTEX,
        std::max(1u, divisor)};
  };
  const auto attribute = [](std::uint32_t location, std::uint32_t number, VkFormat format, std::uint32_t offset) {
    return VkVertexInputAttributeDescription2EXT{
        VK_STRUCTURE_TYPE_VERTEX_INPUT_ATTRIBUTE_DESCRIPTION_2_EXT, nullptr, location, number, format, offset};
  };
  const VkVertexInputBindingDescription2EXT one[] = {binding(0, 12, 0)}, two[] = {binding(0, 12, 0), binding(3, 4, 1)};
  const VkVertexInputAttributeDescription2EXT inside[] = {attribute(0, 0, VK_FORMAT_R32G32_SFLOAT, 0),
                                                          attribute(1, 0, VK_FORMAT_R8G8B8A8_UNORM, 8)},
                                              beside[] = {attribute(0, 0, VK_FORMAT_R32G32_SFLOAT, 0),
                                                          attribute(1, 3, VK_FORMAT_R8G8B8A8_UNORM, 0)};
  const VkBuffer buffers[] = {floats.buffer, floats.buffer, floats.buffer, colors.buffer};
  const VkDeviceSize offsets[4] = {};
  const auto drawn = [&](const std::vector<int>& order) {
    c.draw([&](VkCommandBuffer b) {
      bind(b, pipeline);
      vkCmdBindVertexBuffers(b, 0, 4, buffers, offsets);
      for (const int which : order) {
        if (which == 0) set(b, 1, one, 2, inside);
        if (which == 1) set(b, 2, two, 2, beside);
        vkCmdDraw(b, 4, which == 0 ? 1 : 2, 0, 0);
      }
    });
    return c.pixels();
  };
  EXPECT_EQ(count_of(drawn({0}), kRed), 32u);
  std::vector<std::uint32_t> pixels = drawn({1});
  EXPECT_EQ(count_of(pixels, kBlue), 32u);
  EXPECT_EQ(count_of(pixels, kGreen), 32u);
  pixels = drawn({1, 0});
  EXPECT_EQ(count_of(pixels, kRed), 32u);
  EXPECT_EQ(count_of(pixels, kGreen), 32u);
}

/// The same pipeline draws to attachments of one and of four samples.
TEST(VulkanDynamicState, SamplesFollowTheAttachments) {
  HEDDLE_NEED_SHADERS();
  Canvas c(8, 8, {VK_FORMAT_R8G8B8A8_UNORM}, VK_FORMAT_UNDEFINED, VK_SAMPLE_COUNT_1_BIT, dynamic_state_extensions());
  PipelineState s;
  s.vertex = covering_vertices();
  s.fragment =
      "#version 450\nlayout(location = 0) out vec4 o;\n"
      "void main() { o = vec4((2 * gl_SampleID + 1) * 20.0 / 255, 0, 0, 1); }\n";
  s.samples.sampleShadingEnable = VK_TRUE;
  s.samples.minSampleShading = 1;
  const VkPipeline pipeline = c.pipeline(without_states(s));
  const auto drawn = [&] {
    c.draw([&](VkCommandBuffer b) {
      bind(b, pipeline);
      set_states(c, b, s);
      vkCmdDraw(b, 3, 1, 0, 0);
    });
    return c.pixels().front();
  };
  EXPECT_EQ(drawn(), 0xff000014u);
  c.v.expects_messages = true;  // Debian's validation layer looks at the samples that the pipeline was created with
  c.count = VK_SAMPLE_COUNT_4_BIT;
  c.resolved = c.colors;
  c.colors = {c.attachment(VK_FORMAT_R8G8B8A8_UNORM, VK_SAMPLE_COUNT_4_BIT)};
  EXPECT_EQ(drawn(), 0xff000050u);
  c.count = VK_SAMPLE_COUNT_1_BIT;
  c.colors = c.resolved;
  c.resolved.clear();
  EXPECT_EQ(drawn(), 0xff000014u);
}

// --- libraries ---

std::vector<const char*> library_extensions() {
  return {VK_KHR_PIPELINE_LIBRARY_EXTENSION_NAME, VK_EXT_GRAPHICS_PIPELINE_LIBRARY_EXTENSION_NAME,
          VK_EXT_PIPELINE_CREATION_CACHE_CONTROL_EXTENSION_NAME};
}

/// Stages with a set of their own each, whose layouts know nothing of the other; modules that never were objects.
class Libraries {
 public:
  Libraries() : c(8, 8, {VK_FORMAT_R8G8B8A8_UNORM}, {}, VK_SAMPLE_COUNT_1_BIT, library_extensions()) {
    sets[0] = c.v.set_layout({{0, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER}});
    sets[1] = c.v.set_layout({{0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER}});
    vertex = layout(sets[0], VK_NULL_HANDLE);
    fragment = layout(VK_NULL_HANDLE, sets[1]);
    whole = layout(sets[0], sets[1]);
  }
  VkPipelineLayout layout(VkDescriptorSetLayout first, VkDescriptorSetLayout second) {
    const VkDescriptorSetLayout both[] = {first, second};
    VkPipelineLayoutCreateInfo info{VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO};
    info.flags = VK_PIPELINE_LAYOUT_CREATE_INDEPENDENT_SETS_BIT_EXT;
    info.setLayoutCount = 2;
    info.pSetLayouts = both;
    VkPipelineLayout made = VK_NULL_HANDLE;
    EXPECT_EQ(vkCreatePipelineLayout(c.v.device, &info, nullptr, &made), VK_SUCCESS);
    c.v.later([d = c.v.device, made] { vkDestroyPipelineLayout(d, made, nullptr); });
    return made;
  }
  VkPipeline keep(VkPipeline made) {
    c.v.later([d = c.v.device, made] { vkDestroyPipeline(d, made, nullptr); });
    return made;
  }
  VkResult create(VkGraphicsPipelineCreateInfo info, VkGraphicsPipelineLibraryFlagsEXT parts, VkPipeline& made) {
    const VkGraphicsPipelineLibraryCreateInfoEXT library{VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_LIBRARY_CREATE_INFO_EXT,
                                                         const_cast<void*>(info.pNext), parts};
    info.pNext = &library;
    info.flags |= VK_PIPELINE_CREATE_LIBRARY_BIT_KHR | VK_PIPELINE_CREATE_RETAIN_LINK_TIME_OPTIMIZATION_INFO_BIT_EXT;
    return vkCreateGraphicsPipelines(c.v.device, cache, 1, &info, nullptr, &made);
  }
  /// Vertex input and the vertex shader, which takes half of the pixels.
  VkPipeline front(VkPipelineCreateFlags flags, VkResult expected = VK_SUCCESS) {
    const VkPipelineVertexInputStateCreateInfo input{VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO};
    VkPipelineInputAssemblyStateCreateInfo assembly{VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO};
    assembly.topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP;
    const VkViewport viewport{0, 0, 8, 8, 0, 1};
    const VkRect2D scissor{{0, 0}, {8, 8}};
    const VkPipelineViewportStateCreateInfo viewports{
        VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO, nullptr, 0, 1, &viewport, 1, &scissor};
    VkPipelineRasterizationStateCreateInfo raster{VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO};
    raster.lineWidth = 1;
    const Stage stage(VK_SHADER_STAGE_VERTEX_BIT,
                      "#version 450\nlayout(set = 0, binding = 0) uniform U { float right; };\n"
                      "layout(location = 0) out vec2 v;\nvoid main() { v = vec2(gl_VertexIndex & 1);\n"
                      "gl_Position = vec4(gl_VertexIndex < 2 ? -1 : right, (gl_VertexIndex & 1) * 2 - 1, 0, 1); }\n",
                      "vert");
    VkPipelineRenderingCreateInfo rendering{VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO};
    VkGraphicsPipelineCreateInfo info{VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO, &rendering, flags};
    info.stageCount = 1;
    info.pStages = &stage.info;
    info.pVertexInputState = &input;
    info.pInputAssemblyState = &assembly;
    info.pViewportState = &viewports;
    info.pRasterizationState = &raster;
    info.layout = vertex;
    VkPipeline made = VK_NULL_HANDLE;
    EXPECT_EQ(create(info,
                     VK_GRAPHICS_PIPELINE_LIBRARY_VERTEX_INPUT_INTERFACE_BIT_EXT |
                         VK_GRAPHICS_PIPELINE_LIBRARY_PRE_RASTERIZATION_SHADERS_BIT_EXT,
                     made),
              expected);
    return made;
  }
  /// The fragment shader, whose color is a buffer's.
  VkPipeline middle() {
    const Stage stage(VK_SHADER_STAGE_FRAGMENT_BIT,
                      "#version 450\nlayout(set = 1, binding = 0) buffer B { vec4 color; };\n"
                      "layout(location = 0) out vec4 o;\nvoid main() { o = color; }\n",
                      "frag");
    const VkPipelineDepthStencilStateCreateInfo depth{VK_STRUCTURE_TYPE_PIPELINE_DEPTH_STENCIL_STATE_CREATE_INFO};
    VkPipelineMultisampleStateCreateInfo samples{VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO};
    samples.rasterizationSamples = VK_SAMPLE_COUNT_1_BIT;
    VkPipelineRenderingCreateInfo rendering{VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO};
    VkGraphicsPipelineCreateInfo info{VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO, &rendering};
    info.stageCount = 1;
    info.pStages = &stage.info;
    info.pDepthStencilState = &depth;
    info.pMultisampleState = &samples;
    info.layout = fragment;
    VkPipeline made = VK_NULL_HANDLE;
    EXPECT_EQ(create(info, VK_GRAPHICS_PIPELINE_LIBRARY_FRAGMENT_SHADER_BIT_EXT, made), VK_SUCCESS);
    return made;
  }
  /// Colors of the mask.
  VkPipeline back(VkColorComponentFlags mask) {
    VkPipelineColorBlendAttachmentState blend{};
    blend.colorWriteMask = mask;
    VkPipelineColorBlendStateCreateInfo colors{VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO};
    colors.attachmentCount = 1;
    colors.pAttachments = &blend;
    VkPipelineMultisampleStateCreateInfo samples{VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO};
    samples.rasterizationSamples = VK_SAMPLE_COUNT_1_BIT;
    const VkFormat format = VK_FORMAT_R8G8B8A8_UNORM;
    VkPipelineRenderingCreateInfo rendering{VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO};
    rendering.colorAttachmentCount = 1;
    rendering.pColorAttachmentFormats = &format;
    VkGraphicsPipelineCreateInfo info{VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO, &rendering};
    info.pColorBlendState = &colors;
    info.pMultisampleState = &samples;
    VkPipeline made = VK_NULL_HANDLE;
    EXPECT_EQ(create(info, VK_GRAPHICS_PIPELINE_LIBRARY_FRAGMENT_OUTPUT_INTERFACE_BIT_EXT, made), VK_SUCCESS);
    return made;
  }
  VkPipeline link(const std::vector<VkPipeline>& parts, VkPipelineCreateFlags flags, const void* chain = nullptr) {
    const VkPipelineLibraryCreateInfoKHR libraries{VK_STRUCTURE_TYPE_PIPELINE_LIBRARY_CREATE_INFO_KHR, chain,
                                                   static_cast<std::uint32_t>(parts.size()), parts.data()};
    VkGraphicsPipelineCreateInfo info{VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO, &libraries, flags};
    info.layout = whole;
    VkPipeline made = VK_NULL_HANDLE;
    EXPECT_EQ(vkCreateGraphicsPipelines(c.v.device, cache, 1, &info, nullptr, &made), VK_SUCCESS);
    return made;
  }

  /// A stage given by its words, without a module.
  struct Stage {
    Stage(VkShaderStageFlagBits stage, const std::string& glsl, const char* name) : words(compile_shader(glsl, name)) {
      code.codeSize = words.size() * 4;
      code.pCode = words.data();
      info.pNext = &code;
      info.stage = stage;
      info.pName = "main";
    }
    std::vector<std::uint32_t> words;
    VkShaderModuleCreateInfo code{VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO};
    VkPipelineShaderStageCreateInfo info{VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO};
  };

  Canvas c;
  VkDescriptorSetLayout sets[2]{};
  VkPipelineLayout vertex = VK_NULL_HANDLE, fragment = VK_NULL_HANDLE, whole = VK_NULL_HANDLE;
  VkPipelineCache cache = VK_NULL_HANDLE;
};

TEST(VulkanLibraries, PartsAreSharedAndOutlived) {
  HEDDLE_NEED_SHADERS();
  Libraries l;
  const VkPipeline front = l.front(0), middle = l.middle(), back = l.back(15), red = l.back(1);
  const VkPipeline all = l.keep(l.link({front, middle, back}, 0)),
                   only_red = l.keep(l.link({red, middle, front}, VK_PIPELINE_CREATE_LINK_TIME_OPTIMIZATION_BIT_EXT));
  for (const VkPipeline library : {front, middle, back, red}) vkDestroyPipeline(l.c.v.device, library, nullptr);
  const auto right = l.c.v.buffer(16), color = l.c.v.buffer(16);
  const float edge = 0, white[] = {1, 1, 1, 1};
  std::memcpy(right.bytes, &edge, 4);
  std::memcpy(color.bytes, white, 16);
  const VkDescriptorSet sets[] = {l.c.v.set(l.sets[0], {{0, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER}}),
                                  l.c.v.set(l.sets[1], {{0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER}})};
  l.c.v.write(sets[0], 0, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, right);
  l.c.v.write(sets[1], 0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, color);
  const auto drawn = [&](VkPipeline pipeline) {
    l.c.draw([&](VkCommandBuffer b) {
      bind(b, pipeline);
      vkCmdBindDescriptorSets(b, VK_PIPELINE_BIND_POINT_GRAPHICS, l.whole, 0, 2, sets, 0, nullptr);
      vkCmdDraw(b, 4, 1, 0, 0);
    });
    return l.c.pixels();
  };
  EXPECT_EQ(count_of(drawn(all), 0xffffffff), 32u);
  EXPECT_EQ(count_of(drawn(only_red), 0x000000ff), 32u);
}

/// Libraries compile their shaders by way of the cache; links compile nothing, and say so.
TEST(VulkanLibraries, CachesAndFeedback) {
  HEDDLE_NEED_SHADERS();
  Libraries l;
  const VkPipelineCacheCreateInfo empty{VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO};
  ASSERT_EQ(vkCreatePipelineCache(l.c.v.device, &empty, nullptr, &l.cache), VK_SUCCESS);
  constexpr VkPipelineCreateFlags kOnlyKnown = VK_PIPELINE_CREATE_FAIL_ON_PIPELINE_COMPILE_REQUIRED_BIT;
  EXPECT_EQ(l.front(kOnlyKnown, VK_PIPELINE_COMPILE_REQUIRED), VK_NULL_HANDLE);
  const VkPipeline front = l.keep(l.front(0)), again = l.keep(l.front(kOnlyKnown)), middle = l.keep(l.middle()),
                   back = l.keep(l.back(15));
  EXPECT_NE(again, VK_NULL_HANDLE);
  VkPipelineCreationFeedback feedback{};
  const VkPipelineCreationFeedbackCreateInfo asks{VK_STRUCTURE_TYPE_PIPELINE_CREATION_FEEDBACK_CREATE_INFO, nullptr,
                                                  &feedback, 0, nullptr};
  l.keep(l.link({again, middle, back}, kOnlyKnown, &asks));
  EXPECT_EQ(feedback.flags, static_cast<VkPipelineCreationFeedbackFlags>(
                                VK_PIPELINE_CREATION_FEEDBACK_VALID_BIT |
                                VK_PIPELINE_CREATION_FEEDBACK_APPLICATION_PIPELINE_CACHE_HIT_BIT));
  // A library of libraries.
  VkPipelineLibraryCreateInfoKHR inner{VK_STRUCTURE_TYPE_PIPELINE_LIBRARY_CREATE_INFO_KHR};
  const VkPipeline two[] = {front, middle};
  inner.libraryCount = 2;
  inner.pLibraries = two;
  VkGraphicsPipelineCreateInfo info{
      VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO, &inner,
      VK_PIPELINE_CREATE_LIBRARY_BIT_KHR | VK_PIPELINE_CREATE_RETAIN_LINK_TIME_OPTIMIZATION_INFO_BIT_EXT};
  info.layout = l.whole;
  VkPipeline both = VK_NULL_HANDLE;
  EXPECT_EQ(vkCreateGraphicsPipelines(l.c.v.device, l.cache, 1, &info, nullptr, &both), VK_SUCCESS);
  l.keep(both);
  EXPECT_NE(l.keep(l.link({both, back}, 0)), VK_NULL_HANDLE);
  vkDestroyPipelineCache(l.c.v.device, l.cache, nullptr);
  l.cache = VK_NULL_HANDLE;
}

/// Where nothing is rasterized the other parts are not there.
TEST(VulkanLibraries, AVertexShaderAlone) {
  HEDDLE_NEED_SHADERS();
  Libraries l;
  PipelineState s;
  s.layout = l.c.v.layout({l.sets[1]});
  s.vertex =
      "#version 450\nlayout(set = 0, binding = 0) buffer B { uint n; };\n"
      "void main() { atomicAdd(n, 1); gl_Position = vec4(0, 0, 0, 1); }\n";
  s.raster.rasterizerDiscardEnable = VK_TRUE;
  s.libraries = true;
  s.fragment = one_color("vec4(1)");
  const VkPipeline pipeline = l.c.pipeline(s);
  const auto counter = l.c.v.buffer(16);
  counter.set(0, 0);
  const VkDescriptorSet set = l.c.v.set(l.sets[1], {{0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER}});
  l.c.v.write(set, 0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, counter);
  l.c.draw([&](VkCommandBuffer b) {
    bind(b, pipeline);
    vkCmdBindDescriptorSets(b, VK_PIPELINE_BIND_POINT_GRAPHICS, s.layout, 0, 1, &set, 0, nullptr);
    vkCmdDraw(b, 6, 1, 0, 0);
  });
  EXPECT_EQ(counter.word(0), 6u);
}

/// A library whose creation failed is passed over; what then lacks is said.
TEST(VulkanLibraries, NullLibrariesArePassedOver) {
  if (std::getenv("HEDDLE_TEST_VALIDATION") != nullptr) GTEST_SKIP() << "the layer does not take null libraries";
  Libraries l;
  const VkPipeline none = VK_NULL_HANDLE;
  const VkPipelineLibraryCreateInfoKHR linked{VK_STRUCTURE_TYPE_PIPELINE_LIBRARY_CREATE_INFO_KHR, nullptr, 1, &none};
  VkGraphicsPipelineCreateInfo link{VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO, &linked};
  link.layout = l.c.v.layout({});
  VkPipeline made = VK_NULL_HANDLE;
  EXPECT_EQ(vkCreateGraphicsPipelines(l.c.v.device, VK_NULL_HANDLE, 1, &link, nullptr, &made), VK_ERROR_UNKNOWN);
  EXPECT_EQ(made, VkPipeline{});
  ASSERT_EQ(l.c.v.messages.size(), 1u);
  EXPECT_NE(l.c.v.messages[0].find("no vertex or mesh shader"), std::string::npos);
}

TEST(VulkanLibraries, PropertiesSayWhatHolds) {
  VulkanDevice v;
  VkPhysicalDeviceExtendedDynamicState3PropertiesEXT dynamic{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTENDED_DYNAMIC_STATE_3_PROPERTIES_EXT};
  VkPhysicalDeviceGraphicsPipelineLibraryPropertiesEXT libraries{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_GRAPHICS_PIPELINE_LIBRARY_PROPERTIES_EXT, &dynamic};
  VkPhysicalDeviceProperties2 all{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, &libraries};
  vkGetPhysicalDeviceProperties2(v.physical, &all);
  EXPECT_TRUE(dynamic.dynamicPrimitiveTopologyUnrestricted);
  EXPECT_TRUE(libraries.graphicsPipelineLibraryFastLinking);
  EXPECT_TRUE(libraries.graphicsPipelineLibraryIndependentInterpolationDecoration);
}

}  // namespace
}  // namespace heddle::test
