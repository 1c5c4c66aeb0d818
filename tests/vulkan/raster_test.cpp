// SPDX-License-Identifier: MIT
// What pipelines say of the rasterizer and of the tests behind it; layers, views, queries.

#include <algorithm>
#include <numeric>

#include "vulkan/canvas.hpp"

namespace heddle::test {
namespace {

constexpr std::uint32_t kGreen = 0xff00ff00, kWhite = 0xffffffff;

std::size_t count_of(const std::vector<std::uint32_t>& pixels, std::uint32_t value) {
  return static_cast<std::size_t>(std::ranges::count(pixels, value));
}
void bind(VkCommandBuffer c, VkPipeline pipeline) { vkCmdBindPipeline(c, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline); }

/// Corners of a square from its number, 0 to 3.
std::string corners(const std::string& main) {
  return "#version 450\nvoid main() { vec2 p = vec2(gl_VertexIndex & 1, gl_VertexIndex >> 1) * 2 - 1;\n" + main +
         " }\n";
}

/// FBO-5: clears within the pass, other layers of depth, and depths that a shader gives are seen by what follows.
TEST(VulkanRaster, WhatLiesBehindStaysHiddenUntilItIsCleared) {
  HEDDLE_NEED_SHADERS();
  Canvas c(128, 96, {VK_FORMAT_R8G8B8A8_UNORM}, VK_FORMAT_D32_SFLOAT);
  const auto at = [&](const char* z, const char* color, bool gives_depth = false) {
    PipelineState s;
    s.vertex = covering_vertices(z);
    s.fragment = gives_depth
                     ? "#version 450\nlayout(location = 0) out vec4 o;\nvoid main() { o = " + std::string(color) +
                           "; gl_FragDepth = 0.9; }\n"
                     : one_color(color);
    s.depth.depthTestEnable = s.depth.depthWriteEnable = VK_TRUE;
    s.depth.depthCompareOp = gives_depth ? VK_COMPARE_OP_ALWAYS : VK_COMPARE_OP_LESS;
    return c.pipeline(s);
  };
  const VkPipeline near = at("0.25", "vec4(0, 1, 0, 1)"), far = at("0.75", "vec4(1)"),
                   away = at("0.1", "vec4(0, 1, 0, 1)", true);
  const auto draw = [](VkCommandBuffer b, VkPipeline p) {
    bind(b, p);
    vkCmdDraw(b, 3, 1, 0, 0);
  };
  const auto clear = [](VkCommandBuffer b, VkRect2D rect) {
    VkClearAttachment what{VK_IMAGE_ASPECT_DEPTH_BIT, 0, {}};
    what.clearValue.depthStencil.depth = 1;
    const VkClearRect where{rect, 0, 1};
    vkCmdClearAttachments(b, 1, &what, 1, &where);
  };
  c.draw([&](VkCommandBuffer b) {
    draw(b, near);
    draw(b, far);
  });
  EXPECT_EQ(count_of(c.pixels(), kGreen), 128u * 96);
  c.draw([&](VkCommandBuffer b) {
    draw(b, near);
    draw(b, far);
    clear(b, {{10, 20}, {70, 40}});
    draw(b, far);
  });
  EXPECT_EQ(count_of(c.pixels(), kWhite), 70u * 40);
  c.draw([&](VkCommandBuffer b) {
    draw(b, near);
    draw(b, away);
    draw(b, far);
  });
  EXPECT_EQ(count_of(c.pixels(), kWhite), 128u * 96);
  // Another pass finds what the last one left.
  c.draw([&](VkCommandBuffer b) { draw(b, near); });
  c.draw([&](VkCommandBuffer b) { draw(b, far); }, false);
  EXPECT_EQ(count_of(c.pixels(), kGreen), 128u * 96);
}

TEST(VulkanRaster, PointsLinesAndPolygonModes) {
  HEDDLE_NEED_SHADERS();
  Canvas c(16, 16);
  PipelineState s;
  s.fragment = one_color("vec4(0, 1, 0, 1)");
  const auto drawn = [&](std::uint32_t vertices) {
    const VkPipeline pipeline = c.pipeline(s);
    c.draw([&](VkCommandBuffer b) {
      bind(b, pipeline);
      vkCmdDraw(b, vertices, 1, 0, 0);
    });
    return c.pixels();
  };
  s.vertex = corners("gl_Position = vec4(p * 0.5, 0, 1); gl_PointSize = gl_VertexIndex == 3 ? 4 : 2;");
  s.topology = VK_PRIMITIVE_TOPOLOGY_POINT_LIST;
  EXPECT_EQ(count_of(drawn(4), kGreen), 3u * 4 + 16);
  s.fragment =
      "#version 450\nlayout(location = 0) out vec4 o;\nvoid main() { o = vec4(gl_PointCoord.x * 0.8 < 0.4, 1, 0, 1); "
      "}\n";
  EXPECT_EQ(count_of(drawn(4), 0xff00ffffu), 14u);  // the left halves
  s.fragment = one_color("vec4(0, 1, 0, 1)");
  s.vertex = corners("gl_Position = vec4(p.x * 0.5, p.y * 0.5 + 1.0 / 16, 0, 1);");
  s.topology = VK_PRIMITIVE_TOPOLOGY_LINE_LIST;
  std::vector<std::uint32_t> pixels = drawn(4);  // two rows of eight
  EXPECT_EQ(count_of(pixels, kGreen), 16u);
  for (std::uint32_t x = 0; x < 16; ++x) EXPECT_EQ(pixels[4 * 16 + x], x >= 4 && x < 12 ? kGreen : 0u) << x;
  s.raster.lineWidth = 3;
  EXPECT_EQ(count_of(drawn(4), kGreen), 48u);
  s.raster.lineWidth = 1;
  s.topology = VK_PRIMITIVE_TOPOLOGY_LINE_STRIP;
  EXPECT_GT(count_of(drawn(4), kGreen), 20u);
  s.topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP;
  EXPECT_EQ(count_of(drawn(4), kGreen), 64u);
  s.raster.polygonMode = VK_POLYGON_MODE_LINE;
  const std::size_t edges = count_of(drawn(4), kGreen);
  EXPECT_GT(edges, 28u);
  EXPECT_LT(edges, 50u);
  s.raster.polygonMode = VK_POLYGON_MODE_POINT;
  s.vertex = corners("gl_Position = vec4(p * 0.5, 0, 1); gl_PointSize = 2;");
  EXPECT_EQ(count_of(drawn(4), kGreen), 16u);
}

TEST(VulkanRaster, LinesThatAreStippledAndLastVerticesThatProvoke) {
  HEDDLE_NEED_SHADERS();
  Canvas c(16, 4, {VK_FORMAT_R8G8B8A8_UNORM}, VK_FORMAT_UNDEFINED, VK_SAMPLE_COUNT_1_BIT,
           {VK_EXT_LINE_RASTERIZATION_EXTENSION_NAME, VK_EXT_PROVOKING_VERTEX_EXTENSION_NAME});
  VkPipelineRasterizationProvokingVertexStateCreateInfoEXT provoking{
      VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_PROVOKING_VERTEX_STATE_CREATE_INFO_EXT, nullptr,
      VK_PROVOKING_VERTEX_MODE_LAST_VERTEX_EXT};
  VkPipelineRasterizationLineStateCreateInfoEXT line{
      VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_LINE_STATE_CREATE_INFO_EXT};
  line.pNext = &provoking;
  line.lineRasterizationMode = VK_LINE_RASTERIZATION_MODE_BRESENHAM_EXT;
  line.stippledLineEnable = VK_TRUE;
  line.lineStippleFactor = 2;
  line.lineStipplePattern = 0x5555;  // two pixels on, two off
  PipelineState s;
  s.raster.pNext = &line;
  s.topology = VK_PRIMITIVE_TOPOLOGY_LINE_LIST;
  s.vertex =
      "#version 450\nlayout(location = 0) flat out vec4 o;\n"
      "void main() { gl_Position = vec4((gl_VertexIndex * 2 - 1) * 0.9375, 0.3125, 0, 1); o = vec4(1 - gl_VertexIndex, "
      "gl_VertexIndex, 0, 1); }\n";
  s.fragment =
      "#version 450\nlayout(location = 0) flat in vec4 c;\nlayout(location = 0) out vec4 o;\nvoid main() { o = c; }\n";
  s.dynamic = {VK_DYNAMIC_STATE_LINE_STIPPLE_EXT};
  const VkPipeline pipeline = c.pipeline(s);
  const auto stipple = c.v.proc<PFN_vkCmdSetLineStippleEXT>("vkCmdSetLineStippleEXT");
  const auto drawn = [&](std::uint32_t factor, std::uint16_t pattern) {
    c.draw([&](VkCommandBuffer b) {
      bind(b, pipeline);
      stipple(b, factor, pattern);
      vkCmdDraw(b, 2, 1, 0, 0);
    });
    return c.pixels();
  };
  const std::vector<std::uint32_t> pixels = drawn(2, 0x5555);
  for (std::uint32_t x = 0; x < 15; ++x) EXPECT_EQ(pixels[2 * 16 + x], x % 4 < 2 ? kGreen : 0u) << x;
  EXPECT_EQ(count_of(drawn(1, 0xffff), kGreen), 15u);  // the last one's diamond is not left
}

/// A town's wall: parts of it are drawn by all workers, and threads reach from one row of tiles into the next.
TEST(VulkanRaster, EveryShaderSeesTheSameDepths_PIX11) {
  HEDDLE_NEED_SHADERS();
  Canvas c(717, 405, {VK_FORMAT_R8G8B8A8_UNORM}, VK_FORMAT_D32_SFLOAT);
  const std::vector<VulkanDevice::Binding> bindings{{0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER}};
  const VkDescriptorSetLayout set_layout = c.v.set_layout(bindings);
  const VkDescriptorSet set = c.v.set(set_layout, bindings);
  const VulkanDevice::Buffer counter = c.v.buffer(4096);
  c.v.write(set, 0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, counter);
  PipelineState s;
  s.layout = c.v.layout({set_layout});
  s.vertex =
      "#version 450\nlayout(location = 0) out float o;\nconst vec2 p[4] = vec2[](vec2(-2.1, -1.2), vec2(0.81, -0.93), "
      "vec2(-2, 1.3), vec2(0.72, 1.1));\nvoid main() { vec2 q = p[gl_VertexIndex]; float w = 2.3 + q.x; "
      "gl_Position = vec4(q * w, w * (0.4 + 0.13 * q.x), w); o = q.x; }\n";
  s.topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP;
  s.depth.depthTestEnable = VK_TRUE;
  s.depth.depthWriteEnable = VK_TRUE;
  s.depth.depthCompareOp = VK_COMPARE_OP_LESS;
  const auto depths = [&](const std::string& fragment) {
    s.fragment = fragment;
    const VkPipeline pipeline = c.pipeline(s);
    c.draw([&](VkCommandBuffer b) {
      bind(b, pipeline);
      vkCmdBindDescriptorSets(b, VK_PIPELINE_BIND_POINT_GRAPHICS, s.layout, 0, 1, &set, 0, nullptr);
      vkCmdDraw(b, 4, 1, 0, 0);
    });
    return c.read(c.depth);
  };
  const auto alone = depths("");
  EXPECT_EQ(depths("#version 450\nlayout(location = 0) in float c;\nlayout(location = 0) out vec4 o;\n"
                   "void main() { o = vec4(c); }\n"),
            alone);
  EXPECT_EQ(depths("#version 450\nlayout(early_fragment_tests) in;\nlayout(location = 0) out vec4 o;\n"
                   "layout(binding = 0) buffer B { uint n; };\nvoid main() { atomicAdd(n, 1); o = vec4(1); }\n"),
            alone);
}

TEST(VulkanRaster, DepthBiasClampAndBounds) {
  HEDDLE_NEED_SHADERS();
  for (const VkFormat format : {VK_FORMAT_D16_UNORM, VK_FORMAT_D32_SFLOAT, VK_FORMAT_X8_D24_UNORM_PACK32}) {
    SCOPED_TRACE(format);
    Canvas c(4, 4, {VK_FORMAT_R8G8B8A8_UNORM}, format);
    PipelineState s;
    s.vertex = covering_vertices("0.5");
    s.fragment = one_color("vec4(1)");
    s.depth.depthTestEnable = s.depth.depthWriteEnable = VK_TRUE;
    s.depth.depthCompareOp = VK_COMPARE_OP_LESS;
    const VkPipeline plain = c.pipeline(s);
    s.fragment = one_color("vec4(0, 1, 0, 1)");
    s.dynamic = {VK_DYNAMIC_STATE_DEPTH_BIAS, VK_DYNAMIC_STATE_DEPTH_BOUNDS};
    s.raster.depthBiasEnable = s.depth.depthBoundsTestEnable = VK_TRUE;
    const VkPipeline biased = c.pipeline(s);
    const auto passes = [&](float constant, float clamp, float least = 0) {
      c.draw([&](VkCommandBuffer b) {
        bind(b, plain);
        vkCmdDraw(b, 3, 1, 0, 0);
        bind(b, biased);
        vkCmdSetDepthBias(b, constant, clamp, 0);
        vkCmdSetDepthBounds(b, least, 1);
        vkCmdDraw(b, 3, 1, 0, 0);
      });
      return count_of(c.pixels(), kGreen);
    };
    EXPECT_EQ(passes(0, 0), 0u);
    EXPECT_EQ(passes(-2, 0), 16u);
    EXPECT_EQ(passes(2, 0), 0u);
    EXPECT_EQ(passes(-2, 1e-12f), 16u);   // the clamp is one for biases above 0
    EXPECT_EQ(passes(-2, 0, 0.75f), 0u);  // 0.5 is stored: outside the bounds
    EXPECT_EQ(passes(-2, 0, 0.25f), 16u);
  }
}

TEST(VulkanRaster, DepthClampAndClipControl) {
  HEDDLE_NEED_SHADERS();
  Canvas c(4, 4, {VK_FORMAT_R8G8B8A8_UNORM}, VK_FORMAT_D32_SFLOAT, VK_SAMPLE_COUNT_1_BIT,
           {VK_EXT_DEPTH_CLIP_ENABLE_EXTENSION_NAME, VK_EXT_DEPTH_CLIP_CONTROL_EXTENSION_NAME});
  PipelineState s;
  s.fragment = one_color("vec4(0, 1, 0, 1)");
  s.depth.depthTestEnable = s.depth.depthWriteEnable = VK_TRUE;
  s.depth.depthCompareOp = VK_COMPARE_OP_ALWAYS;
  const auto depth_of = [&](const char* z) {
    s.vertex = covering_vertices(z);
    const VkPipeline pipeline = c.pipeline(s);
    c.draw([&](VkCommandBuffer b) {
      bind(b, pipeline);
      vkCmdDraw(b, 3, 1, 0, 0);
    });
    float depth = 0;
    std::memcpy(&depth, c.read(c.depth).data(), 4);
    return count_of(c.pixels(), kGreen) == 16 ? depth : -1.0f;
  };
  EXPECT_EQ(depth_of("1.5"), -1);
  EXPECT_EQ(depth_of("-0.5"), -1);
  s.raster.depthClampEnable = VK_TRUE;
  s.viewport = VkViewport{0, 0, 4, 4, 0.25f, 0.75f};
  EXPECT_EQ(depth_of("1.5"), 0.75f);
  EXPECT_EQ(depth_of("-0.5"), 0.25f);
  s.raster.depthClampEnable = VK_FALSE;
  s.viewport.reset();
  const VkPipelineViewportDepthClipControlCreateInfoEXT both{
      VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_DEPTH_CLIP_CONTROL_CREATE_INFO_EXT, nullptr, VK_TRUE};
  s.viewport_chain = &both;
  EXPECT_EQ(depth_of("-0.5"), 0.25f);
}

TEST(VulkanRaster, CoverageAndLogicOperations) {
  HEDDLE_NEED_SHADERS();
  Canvas c(4, 4, {VK_FORMAT_R8G8B8A8_UNORM}, VK_FORMAT_UNDEFINED, VK_SAMPLE_COUNT_4_BIT);
  PipelineState s;
  s.vertex = covering_vertices();
  const auto drawn = [&] {
    const VkPipeline pipeline = c.pipeline(s);
    c.draw([&](VkCommandBuffer b) {
      bind(b, pipeline);
      vkCmdDraw(b, 3, 1, 0, 0);
    });
    return c.pixels()[5];
  };
  s.fragment = one_color("vec4(1)");
  const VkSampleMask mask = 5;
  s.samples.pSampleMask = &mask;
  EXPECT_EQ(drawn(), 0x80808080u);  // two of four samples
  s.samples.pSampleMask = nullptr;
  s.samples.alphaToCoverageEnable = VK_TRUE;
  s.fragment = one_color("vec4(1, 1, 1, 0.5)");
  const std::uint32_t half = drawn();
  EXPECT_EQ(half & 0xffu, 0x80u);
  s.samples.alphaToCoverageEnable = VK_FALSE;
  s.samples.alphaToOneEnable = VK_TRUE;
  EXPECT_EQ(drawn(), kWhite);
  s.samples.alphaToOneEnable = VK_FALSE;
  s.colors.logicOpEnable = VK_TRUE;
  s.colors.logicOp = VK_LOGIC_OP_EQUIVALENT;  // not (source xor 0)
  s.fragment = one_color("vec4(1, 0, 0.2, 1)");
  EXPECT_EQ(drawn(), 0x00ccff00u);
}

/// Vulkan knows no number of samples that alpha to coverage leaves alone.
TEST(VulkanRaster, AlphaDecidesAboutOneSample_OM2) {
  HEDDLE_NEED_SHADERS();
  Canvas c(4, 4);
  PipelineState s;
  s.vertex = covering_vertices();
  s.samples.alphaToCoverageEnable = VK_TRUE;
  for (const VkBool32 to_one : {VK_FALSE, VK_TRUE}) {
    s.samples.alphaToOneEnable = to_one;
    for (const char* alpha : {"0.0", "0.25", "0.75", "1.0"}) {
      s.fragment = one_color(std::string("vec4(1, 1, 1, ") + alpha + ")");
      const VkPipeline pipeline = c.pipeline(s);
      c.draw([&](VkCommandBuffer b) {
        bind(b, pipeline);
        vkCmdDraw(b, 3, 1, 0, 0);
      });
      EXPECT_EQ(c.pixels()[5] & 0xffffffu, std::atof(alpha) < 0.5 ? 0u : 0xffffffu) << alpha << ' ' << to_one;
    }
  }
}

/// Vulkan: only floats and sRGB are left out.
TEST(VulkanRaster, LogicOperationsReachIntegers) {
  HEDDLE_NEED_SHADERS();
  Canvas c(4, 4, {VK_FORMAT_R32_UINT});
  PipelineState s;
  s.vertex = covering_vertices();
  s.fragment = "#version 450\nlayout(location = 0) out uint c;\nvoid main() { c = 0x0ff00f0fu; }\n";
  s.colors.logicOpEnable = VK_TRUE;
  s.colors.logicOp = VK_LOGIC_OP_COPY_INVERTED;
  const VkPipeline pipeline = c.pipeline(s);
  c.draw([&](VkCommandBuffer b) {
    bind(b, pipeline);
    vkCmdDraw(b, 3, 1, 0, 0);
  });
  EXPECT_EQ(count_of(c.pixels(), 0xf00ff0f0u), 16u) << std::hex << c.pixels()[0];
}

TEST(VulkanRaster, TwoSourcesOfABlend) {
  HEDDLE_NEED_SHADERS();
  Canvas c(4, 4);
  PipelineState s;
  s.vertex = covering_vertices();
  s.fragment =
      "#version 450\nlayout(location = 0, index = 0) out vec4 a;\nlayout(location = 0, index = 1) out vec4 b;\n"
      "void main() { a = vec4(1, 0.4, 0, 1); b = vec4(0.2, 0.5, 1, 0.5); }\n";
  VkPipelineColorBlendAttachmentState blend{};
  blend = {VK_TRUE,
           VK_BLEND_FACTOR_SRC1_COLOR,
           VK_BLEND_FACTOR_ZERO,
           VK_BLEND_OP_ADD,
           VK_BLEND_FACTOR_SRC1_ALPHA,
           VK_BLEND_FACTOR_ZERO,
           VK_BLEND_OP_ADD,
           15};
  s.blend = {blend};
  const VkPipeline pipeline = c.pipeline(s);
  c.draw([&](VkCommandBuffer b) {
    bind(b, pipeline);
    vkCmdDraw(b, 3, 1, 0, 0);
  });
  EXPECT_EQ(count_of(c.pixels(), 0x80003333u), 16u) << std::hex << c.pixels()[0];
}

TEST(VulkanRaster, EarlyTestsKeepSideEffectsAway) {
  HEDDLE_NEED_SHADERS();
  Canvas c(8, 8, {VK_FORMAT_R8G8B8A8_UNORM}, VK_FORMAT_D32_SFLOAT);
  const auto hits = c.v.buffer(64);
  const auto set_layout = c.v.set_layout({{0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER}});
  const auto set = c.v.set(set_layout, {{0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER}});
  c.v.write(set, 0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, hits);
  PipelineState s;
  s.layout = c.v.layout({set_layout});
  s.depth.depthTestEnable = s.depth.depthWriteEnable = VK_TRUE;
  s.depth.depthCompareOp = VK_COMPARE_OP_LESS;
  s.scissor = VkRect2D{{0, 0}, {4, 8}};
  s.vertex = covering_vertices("0.25");
  s.fragment = one_color("vec4(1)");
  const VkPipeline near = c.pipeline(s);
  s.scissor.reset();
  s.vertex = covering_vertices("0.5");
  for (const bool early : {false, true}) {
    s.fragment = std::string("#version 450\n") + (early ? "layout(early_fragment_tests) in;\n" : "") +
                 "layout(binding = 0) buffer B { uint n; };\nlayout(location = 0) out vec4 o;\n"
                 "void main() { atomicAdd(n, 1u); o = vec4(0, 1, 0, 1); }\n";
    const VkPipeline behind = c.pipeline(s);
    hits.set(0, 0);
    c.draw([&](VkCommandBuffer b) {
      bind(b, near);
      vkCmdDraw(b, 3, 1, 0, 0);
      bind(b, behind);
      vkCmdBindDescriptorSets(b, VK_PIPELINE_BIND_POINT_GRAPHICS, s.layout, 0, 1, &set, 0, nullptr);
      vkCmdDraw(b, 3, 1, 0, 0);
    });
    EXPECT_EQ(hits.word(0), early ? 32u : 64u);
    EXPECT_EQ(count_of(c.pixels(), kGreen), 32u);
  }
}

TEST(VulkanRaster, LayersViewportsAndViews) {
  HEDDLE_NEED_SHADERS();
  Canvas c(8, 8, {VK_FORMAT_R8G8B8A8_UNORM}, VK_FORMAT_UNDEFINED, VK_SAMPLE_COUNT_1_BIT,
           {VK_EXT_SHADER_VIEWPORT_INDEX_LAYER_EXTENSION_NAME, VK_KHR_MULTIVIEW_EXTENSION_NAME,
            VK_KHR_MAINTENANCE_2_EXTENSION_NAME});
  c.colors[0] = c.attachment(VK_FORMAT_R8G8B8A8_UNORM, VK_SAMPLE_COUNT_1_BIT, 0, 4);
  const auto begin = c.v.proc<PFN_vkCmdBeginRenderingKHR>("vkCmdBeginRenderingKHR");
  VkRenderingAttachmentInfo color{VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO};
  color.imageView = c.colors[0].view;
  color.imageLayout = VK_IMAGE_LAYOUT_GENERAL;
  color.loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR;
  color.storeOp = VK_ATTACHMENT_STORE_OP_STORE;
  VkRenderingInfo info{VK_STRUCTURE_TYPE_RENDERING_INFO};
  info.renderArea = {{0, 0}, {8, 8}};
  info.layerCount = 4;
  info.colorAttachmentCount = 1;
  info.pColorAttachments = &color;
  const auto layer = [&](std::uint32_t index) {
    const std::vector<std::uint8_t> bytes = c.read(c.colors[0], 4, 0, index);
    std::vector<std::uint32_t> words(bytes.size() / 4);
    std::memcpy(words.data(), bytes.data(), bytes.size());
    return words;
  };
  PipelineState s;
  s.fragment =
      "#version 450\nlayout(location = 0) out vec4 o;\n"
      "void main() { o = vec4(gl_Layer / 255.0, 0, 0, 1); }\n";
  s.vertex =
      "#version 450\n#extension GL_ARB_shader_viewport_layer_array : require\n"
      "void main() { gl_Position = vec4(gl_VertexIndex == 1 ? 3 : -1, gl_VertexIndex == 2 ? 3 : -1, 0, 1);\n"
      "  gl_Layer = gl_InstanceIndex; gl_ViewportIndex = gl_InstanceIndex & 1; }\n";
  const VkViewport viewports[] = {{0, 0, 4, 8, 0, 1}, {4, 0, 4, 8, 0, 1}};
  s.viewports = {viewports[0], viewports[1]};
  c.v.expects_messages = true;  // glslang asks for the geometry stage's capability
  const VkPipeline pipeline = c.pipeline(s);
  EXPECT_EQ(c.v.run([&](VkCommandBuffer b) {
    begin(b, &info);
    bind(b, pipeline);
    vkCmdDraw(b, 3, 3, 0, 0);
    c.end(b);
  }),
            VK_SUCCESS);
  for (std::uint32_t l = 0; l < 4; ++l) {
    const std::vector<std::uint32_t> pixels = layer(l);
    for (std::uint32_t i = 0; i < 64; ++i)
      ASSERT_EQ(pixels[i], l < 3 && (i % 8 < 4) == (l % 2 == 0) ? 0xff000000u | l : 0u) << l << " " << i;
  }
  // Views 1 and 3 of four.
  info.viewMask = 10;
  info.layerCount = 1;
  s.viewports.clear();
  s.view_mask = 10;
  s.vertex =
      "#version 450\n#extension GL_EXT_multiview : require\nlayout(location = 0) flat out int v;\n"
      "void main() { gl_Position = vec4(gl_VertexIndex == 1 ? 3 : -1, gl_VertexIndex == 2 ? 3 : -1, 0, 1); v = "
      "gl_ViewIndex; }\n";
  s.fragment =
      "#version 450\n#extension GL_EXT_multiview : require\nlayout(location = 0) flat in int v;\n"
      "layout(location = 0) out vec4 o;\nvoid main() { o = vec4(v / 255.0, gl_ViewIndex / 255.0, 0, 1); }\n";
  const VkPipeline views = c.pipeline(s);
  EXPECT_EQ(c.v.run([&](VkCommandBuffer b) {
    begin(b, &info);
    bind(b, views);
    vkCmdDraw(b, 3, 1, 0, 0);
    c.end(b);
  }),
            VK_SUCCESS);
  EXPECT_EQ(count_of(layer(1), 0xff000101u), 64u);
  EXPECT_EQ(count_of(layer(3), 0xff000303u), 64u);
}

TEST(VulkanRaster, QueriesCount) {
  HEDDLE_NEED_SHADERS();
  Canvas c(8, 8, {VK_FORMAT_R8G8B8A8_UNORM}, VK_FORMAT_D32_SFLOAT, VK_SAMPLE_COUNT_4_BIT);
  PipelineState s;
  s.depth.depthTestEnable = s.depth.depthWriteEnable = VK_TRUE;
  s.depth.depthCompareOp = VK_COMPARE_OP_LESS;
  s.vertex = covering_vertices("0.5");
  s.fragment = one_color("vec4(1)");
  const VkPipeline pipeline = c.pipeline(s);
  VkQueryPoolCreateInfo info{VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO};
  info.queryType = VK_QUERY_TYPE_OCCLUSION;
  info.queryCount = 3;
  VkQueryPool samples = VK_NULL_HANDLE, statistics = VK_NULL_HANDLE;
  ASSERT_EQ(vkCreateQueryPool(c.v.device, &info, nullptr, &samples), VK_SUCCESS);
  info.queryType = VK_QUERY_TYPE_PIPELINE_STATISTICS;
  info.queryCount = 1;
  info.pipelineStatistics = VK_QUERY_PIPELINE_STATISTIC_INPUT_ASSEMBLY_VERTICES_BIT |
                            VK_QUERY_PIPELINE_STATISTIC_INPUT_ASSEMBLY_PRIMITIVES_BIT |
                            VK_QUERY_PIPELINE_STATISTIC_CLIPPING_INVOCATIONS_BIT |
                            VK_QUERY_PIPELINE_STATISTIC_FRAGMENT_SHADER_INVOCATIONS_BIT;
  ASSERT_EQ(vkCreateQueryPool(c.v.device, &info, nullptr, &statistics), VK_SUCCESS);
  EXPECT_EQ(c.v.run([&](VkCommandBuffer b) {
    vkCmdResetQueryPool(b, samples, 0, 3);
    vkCmdResetQueryPool(b, statistics, 0, 1);
    c.begin(b, true);
    bind(b, pipeline);
    vkCmdBeginQuery(b, statistics, 0, 0);
    for (std::uint32_t i = 0; i < 3; ++i) {
      vkCmdBeginQuery(b, samples, i, VK_QUERY_CONTROL_PRECISE_BIT);
      if (i != 1) vkCmdDraw(b, 3, 2, 0, 0);  // the second instance is not nearer
      vkCmdEndQuery(b, samples, i);
    }
    vkCmdEndQuery(b, statistics, 0);
    c.end(b);
  }),
            VK_SUCCESS);
  std::uint64_t counted[3][2] = {};
  EXPECT_EQ(vkGetQueryPoolResults(c.v.device, samples, 0, 3, sizeof counted, counted, sizeof counted[0],
                                  VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WITH_AVAILABILITY_BIT),
            VK_SUCCESS);
  EXPECT_EQ(counted[0][0], 256u);
  EXPECT_EQ(counted[1][0], 0u);
  EXPECT_EQ(counted[2][0], 0u);
  for (const auto& one : counted) EXPECT_EQ(one[1], 1u);
  std::uint32_t numbers[4] = {};
  EXPECT_EQ(vkGetQueryPoolResults(c.v.device, statistics, 0, 1, sizeof numbers, numbers, sizeof numbers, 0),
            VK_SUCCESS);
  EXPECT_EQ(numbers[0], 12u);
  EXPECT_EQ(numbers[1], 4u);
  EXPECT_EQ(numbers[2], 4u);
  EXPECT_GE(numbers[3], 64u);
  vkDestroyQueryPool(c.v.device, samples, nullptr);
  vkDestroyQueryPool(c.v.device, statistics, nullptr);
}

}  // namespace
}  // namespace heddle::test
