// SPDX-License-Identifier: MIT
// Features of draws, each in a draw that needs it.

#include <algorithm>
#include <cstdlib>
#include <tuple>

#include "vulkan/canvas.hpp"

namespace heddle::test {
namespace {

constexpr std::uint32_t kGreen = 0xff00ff00;

std::size_t count_of(const std::vector<std::uint32_t>& pixels, std::uint32_t value) {
  return static_cast<std::size_t>(std::ranges::count(pixels, value));
}
void bind(VkCommandBuffer c, VkPipeline pipeline) { vkCmdBindPipeline(c, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline); }

const std::string kGreenFragment = one_color("vec4(0, 1, 0, 1)");

/// The pixels that one covering triangle leaves.
std::vector<std::uint32_t> drawn(Canvas& c, const PipelineState& s) {
  const VkPipeline pipeline = c.pipeline(s);
  c.draw([&](VkCommandBuffer b) {
    bind(b, pipeline);
    vkCmdDraw(b, 3, 1, 0, 0);
  });
  return c.pixels();
}

TEST(VulkanDrawFeatures, ClipAndCullDistances) {
  HEDDLE_NEED_SHADERS();
  Canvas c(8, 8);
  const auto with = [&](const std::string& distances) {
    PipelineState s;
    s.fragment = kGreenFragment;
    s.vertex =
        "#version 450\nout gl_PerVertex { vec4 gl_Position; float gl_ClipDistance[2]; float gl_CullDistance[1]; };\n"
        "void main() { gl_Position = vec4(gl_VertexIndex == 1 ? 3 : -1, gl_VertexIndex == 2 ? 3 : -1, 0.5, 1);\n"
        "  gl_ClipDistance[0] = gl_ClipDistance[1] = 1; gl_CullDistance[0] = 1; " +
        distances + " }\n";
    return drawn(c, s);
  };
  EXPECT_EQ(count_of(with(""), kGreen), 64u);
  // Right of the middle, and below the upper quarter.
  const auto clipped = with("gl_ClipDistance[0] = gl_Position.x; gl_ClipDistance[1] = gl_Position.y + 0.5;");
  for (std::size_t i = 0; i < 64; ++i) EXPECT_EQ(clipped[i] == kGreen, i % 8 >= 4 && i / 8 >= 2) << i;
  EXPECT_EQ(count_of(with("gl_CullDistance[0] = -1;"), kGreen), 0u) << "all vertices beyond";
  EXPECT_EQ(count_of(with("gl_CullDistance[0] = gl_VertexIndex == 0 ? 1 : -1;"), kGreen), 64u) << "not all of them";
}

TEST(VulkanDrawFeatures, DepthBiasIsClamped) {
  HEDDLE_NEED_SHADERS();
  Canvas c(4, 4, {VK_FORMAT_R8G8B8A8_UNORM}, VK_FORMAT_D32_SFLOAT);
  for (const float clamp : {0.125f, -0.25f}) {
    PipelineState s;
    s.vertex = covering_vertices("0.5");
    s.fragment = kGreenFragment;
    s.depth.depthTestEnable = s.depth.depthWriteEnable = VK_TRUE;
    s.depth.depthCompareOp = VK_COMPARE_OP_ALWAYS;
    s.raster.depthBiasEnable = VK_TRUE;
    s.raster.depthBiasConstantFactor = clamp > 0 ? 1e9f : -1e9f;
    s.raster.depthBiasClamp = clamp;
    (void)drawn(c, s);
    float depth = 0;
    std::memcpy(&depth, c.read(c.depth).data(), 4);
    EXPECT_EQ(depth, 0.5f + clamp);
  }
}

TEST(VulkanDrawFeatures, DepthIsClippedOrClamped) {
  HEDDLE_NEED_SHADERS();
  Canvas c(4, 4, {VK_FORMAT_R8G8B8A8_UNORM}, VK_FORMAT_D32_SFLOAT, VK_SAMPLE_COUNT_1_BIT,
           {VK_EXT_DEPTH_CLIP_ENABLE_EXTENSION_NAME});
  for (const bool clips : {false, true}) {
    const VkPipelineRasterizationDepthClipStateCreateInfoEXT clip{
        VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_DEPTH_CLIP_STATE_CREATE_INFO_EXT, nullptr, 0,
        clips ? VK_TRUE : VK_FALSE};
    PipelineState s;
    s.vertex = covering_vertices("1.5");
    s.fragment = kGreenFragment;
    s.depth.depthTestEnable = s.depth.depthWriteEnable = VK_TRUE;
    s.depth.depthCompareOp = VK_COMPARE_OP_ALWAYS;
    s.viewport = VkViewport{0, 0, 4, 4, 0.25f, 0.75f};
    s.raster.depthClampEnable = VK_TRUE;
    s.raster.pNext = &clip;
    EXPECT_EQ(count_of(drawn(c, s), kGreen), clips ? 0u : 16u);
    float depth = 0;
    std::memcpy(&depth, c.read(c.depth).data(), 4);
    EXPECT_EQ(depth, clips ? 1.0f : 0.75f);
  }
}

TEST(VulkanDrawFeatures, IndicesOf32Bits) {
  HEDDLE_NEED_SHADERS();
  Canvas c(4, 4);
  PipelineState s;
  s.fragment = kGreenFragment;
  s.vertex =
      "#version 450\nvoid main() {"
      " int n = gl_VertexIndex + 16; gl_Position = vec4(n == 1 ? 3 : -1, n == 2 ? 3 : -1, 0.5, n < 3 ? 1 : -1); }\n";
  const VkPipeline pipeline = c.pipeline(s);
  const auto indices = c.v.buffer(16);
  for (std::uint32_t i = 0; i < 3; ++i) indices.set(i, 0xfffffff0u + i);
  c.draw([&](VkCommandBuffer b) {
    bind(b, pipeline);
    vkCmdBindIndexBuffer(b, indices.buffer, 0, VK_INDEX_TYPE_UINT32);
    vkCmdDrawIndexed(b, 3, 1, 0, 0, 0);
  });
  EXPECT_EQ(count_of(c.pixels(), kGreen), 16u);
}

// The highest index is one as any other where primitives do not restart, and the sum with the offset does not wrap.
TEST(VulkanDrawFeatures, HighestIndicesAreVertices) {
  HEDDLE_NEED_SHADERS();
  const char* peer = std::getenv("HEDDLE_TEST_PEER");  // to see what another driver does
  Canvas c(4, 4, {VK_FORMAT_R8G8B8A8_UNORM}, VK_FORMAT_UNDEFINED, VK_SAMPLE_COUNT_1_BIT,
           {VK_EXT_INDEX_TYPE_UINT8_EXTENSION_NAME}, peer == nullptr ? HEDDLE_VULKAN_MANIFEST : peer);
  PipelineState s;
  s.fragment = kGreenFragment;
  for (const auto& [type, bytes, highest] :
       {std::tuple{VK_INDEX_TYPE_UINT8_EXT, 1u, 0xffu}, {VK_INDEX_TYPE_UINT16, 2u, 0xffffu}}) {
    for (const std::uint32_t offset : {0u, 40u, 299u}) {
      const std::string last = std::to_string(highest + offset), first = std::to_string(offset);
      s.vertex = "#version 450\nvoid main() { int n = gl_VertexIndex == " + last + " ? 1 : gl_VertexIndex - " + first +
                 ";\n  gl_Position = vec4(n == 1 ? 3 : -1, n == 2 ? 3 : -1, 0.5, n < 3 ? 1 : -1); }\n";
      const VkPipeline pipeline = c.pipeline(s);
      const auto indices = c.v.buffer(16);
      const std::uint32_t list[] = {0, highest, 2};
      for (std::size_t i = 0; i < 3; ++i) std::memcpy(indices.bytes + i * bytes, &list[i], bytes);
      c.draw([&, as = type, base = offset](VkCommandBuffer b) {
        bind(b, pipeline);
        vkCmdBindIndexBuffer(b, indices.buffer, 0, as);
        vkCmdDrawIndexed(b, 3, 1, 0, static_cast<std::int32_t>(base), 0);
      });
      EXPECT_EQ(count_of(c.pixels(), kGreen), 16u) << type << " from " << offset;
    }
  }
}

// Column i by instance i, as two draws of one command say.
TEST(VulkanDrawFeatures, IndirectDrawsOfAnyInstance) {
  HEDDLE_NEED_SHADERS();
  Canvas c(8, 1);
  PipelineState s;
  s.fragment = kGreenFragment;
  s.vertex =
      "#version 450\nvoid main() { float x = gl_InstanceIndex * 0.25 - 1; gl_Position = vec4(gl_VertexIndex % 2 == 1 ? "
      "x + 0.25 : x, gl_VertexIndex / 2 == 1 ? 3 : -1, 0, 1); }\n";
  s.topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP;
  const VkPipeline pipeline = c.pipeline(s);
  const auto draws = c.v.buffer(40);
  const std::uint32_t words[] = {4, 2, 0, 1, 0xdead, 4, 1, 0, 6, 0xdead};
  std::memcpy(draws.bytes, words, sizeof words);
  c.draw([&](VkCommandBuffer b) {
    bind(b, pipeline);
    vkCmdDrawIndirect(b, draws.buffer, 0, 2, 20);
  });
  const auto pixels = c.pixels();
  for (std::size_t x = 0; x < 8; ++x) EXPECT_EQ(pixels[x] == kGreen, x == 1 || x == 2 || x == 6) << x;
}

// A list goes on after the restart index with its next triangle.
TEST(VulkanDrawFeatures, ListsRestart) {
  HEDDLE_NEED_SHADERS();
  Canvas c(4, 4, {VK_FORMAT_R8G8B8A8_UNORM}, VK_FORMAT_UNDEFINED, VK_SAMPLE_COUNT_1_BIT,
           {VK_EXT_PRIMITIVE_TOPOLOGY_LIST_RESTART_EXTENSION_NAME});
  PipelineState s;
  s.vertex = covering_vertices();
  s.fragment = kGreenFragment;
  const auto indices = c.v.buffer(16);
  const std::uint16_t list[] = {0, 0xffff, 0, 1, 2};
  std::memcpy(indices.bytes, list, sizeof list);
  for (const bool restart : {false, true}) {
    s.restart = restart ? VK_TRUE : VK_FALSE;
    const VkPipeline pipeline = c.pipeline(s);
    c.draw([&](VkCommandBuffer b) {
      bind(b, pipeline);
      vkCmdBindIndexBuffer(b, indices.buffer, 0, VK_INDEX_TYPE_UINT16);
      vkCmdDrawIndexed(b, 5, 1, 0, 0, 0);
    });
    EXPECT_EQ(count_of(c.pixels(), kGreen), restart ? 16u : 0u) << restart;
  }
}

TEST(VulkanDrawFeatures, FragmentsEnd) {
  HEDDLE_NEED_SHADERS();
  Canvas c(
      8, 8, {VK_FORMAT_R8G8B8A8_UNORM}, VK_FORMAT_UNDEFINED, VK_SAMPLE_COUNT_1_BIT,
      {VK_EXT_SHADER_DEMOTE_TO_HELPER_INVOCATION_EXTENSION_NAME, VK_KHR_SHADER_TERMINATE_INVOCATION_EXTENSION_NAME});
  PipelineState s;
  s.vertex = covering_vertices();
  // A demoted invocation still takes part in derivatives, one that terminated does not go on.
  for (const bool demote : {false, true}) {
    s.fragment = std::string("#version 450\n#extension ") +
                 (demote ? "GL_EXT_demote_to_helper_invocation" : "GL_EXT_terminate_invocation") +
                 " : require\nlayout(location = 0) out vec4 o;\nvoid main() { float x = gl_FragCoord.x;\n"
                 "  if ((int(x) & 1) == 1) " +
                 (demote ? "demote" : "terminateInvocation") + ";\n  o = vec4(0, " + (demote ? "dFdx(x)" : "1") +
                 ", 0, 1); }\n";
    const auto pixels = drawn(c, s);
    for (std::size_t i = 0; i < 64; ++i) EXPECT_EQ(pixels[i], i % 2 == 1 ? 0u : kGreen) << demote << i;
  }
}

/// A canvas with a buffer that both stages may write.
TEST(VulkanDrawFeatures, BothStagesStore) {
  HEDDLE_NEED_SHADERS();
  Canvas c(8, 8);
  const std::vector<VulkanDevice::Binding> bindings{{0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER}};
  const auto set_layout = c.v.set_layout(bindings);
  const auto set = c.v.set(set_layout, bindings);
  const auto counts = c.v.buffer(64);
  c.v.write(set, 0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, counts);
  PipelineState s;
  s.layout = c.v.layout({set_layout});
  s.vertex =
      "#version 450\nlayout(binding = 0) buffer B { uint vertices, fragments, last[3]; };\n"
      "void main() { gl_Position = vec4(gl_VertexIndex == 1 ? 3 : -1, gl_VertexIndex == 2 ? 3 : -1, 0.5, 1);\n"
      "  atomicAdd(vertices, 1u); last[gl_VertexIndex] = uint(gl_VertexIndex) + 10u; }\n";
  s.fragment =
      "#version 450\nlayout(binding = 0) buffer B { uint vertices, fragments; };\nlayout(location = 0) out vec4 o;\n"
      "void main() { atomicAdd(fragments, 1u); o = vec4(0, 1, 0, 1); }\n";
  const VkPipeline pipeline = c.pipeline(s);
  c.draw([&](VkCommandBuffer b) {
    bind(b, pipeline);
    vkCmdBindDescriptorSets(b, VK_PIPELINE_BIND_POINT_GRAPHICS, s.layout, 0, 1, &set, 0, nullptr);
    vkCmdDraw(b, 3, 1, 0, 0);
  });
  EXPECT_EQ(counts.word(0), 3u);
  EXPECT_EQ(counts.word(1), 64u);
  for (std::uint32_t i = 0; i < 3; ++i) EXPECT_EQ(counts.word(2 + i), 10 + i);
}

// A query that goes on counts what a secondary buffer draws.
TEST(VulkanDrawFeatures, QueriesReachSecondaryBuffers) {
  HEDDLE_NEED_SHADERS();
  Canvas c(8, 8);
  PipelineState s;
  s.vertex = covering_vertices();
  s.fragment = kGreenFragment;
  const VkPipeline pipeline = c.pipeline(s);
  VkQueryPoolCreateInfo info{VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO};
  info.queryType = VK_QUERY_TYPE_OCCLUSION;
  info.queryCount = 1;
  VkQueryPool queries = VK_NULL_HANDLE;
  ASSERT_EQ(vkCreateQueryPool(c.v.device, &info, nullptr, &queries), VK_SUCCESS);
  const VkFormat format = c.colors[0].format;
  VkCommandBufferInheritanceRenderingInfo rendering{VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_RENDERING_INFO};
  rendering.colorAttachmentCount = 1;
  rendering.pColorAttachmentFormats = &format;
  rendering.rasterizationSamples = VK_SAMPLE_COUNT_1_BIT;
  VkCommandBufferInheritanceInfo inherited{VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_INFO, &rendering};
  inherited.occlusionQueryEnable = VK_TRUE;
  inherited.queryFlags = VK_QUERY_CONTROL_PRECISE_BIT;
  const VkCommandBufferBeginInfo begin{VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO, nullptr,
                                       VK_COMMAND_BUFFER_USAGE_RENDER_PASS_CONTINUE_BIT, &inherited};
  const VkCommandBuffer secondary = c.v.commands(VK_COMMAND_BUFFER_LEVEL_SECONDARY);
  ASSERT_EQ(vkBeginCommandBuffer(secondary, &begin), VK_SUCCESS);
  bind(secondary, pipeline);
  vkCmdDraw(secondary, 3, 2, 0, 0);
  ASSERT_EQ(vkEndCommandBuffer(secondary), VK_SUCCESS);
  ASSERT_EQ(c.v.run([&](VkCommandBuffer b) {
    vkCmdResetQueryPool(b, queries, 0, 1);
    vkCmdBeginQuery(b, queries, 0, VK_QUERY_CONTROL_PRECISE_BIT);
    c.begin(b, true, VK_RENDERING_CONTENTS_SECONDARY_COMMAND_BUFFERS_BIT);
    vkCmdExecuteCommands(b, 1, &secondary);
    c.end(b);
    vkCmdEndQuery(b, queries, 0);
  }),
            VK_SUCCESS);
  std::uint64_t samples = 0;
  EXPECT_EQ(vkGetQueryPoolResults(c.v.device, queries, 0, 1, sizeof samples, &samples, sizeof samples,
                                  VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT),
            VK_SUCCESS);
  EXPECT_EQ(samples, 128u);
  vkDestroyQueryPool(c.v.device, queries, nullptr);
}

// Depth goes on being tested in a layout of its own, while stencil is written.
TEST(VulkanDrawFeatures, DepthAndStencilHaveLayoutsOfTheirOwn) {
  HEDDLE_NEED_SHADERS();
  Canvas c(4, 4, {VK_FORMAT_R8G8B8A8_UNORM}, VK_FORMAT_D32_SFLOAT_S8_UINT, VK_SAMPLE_COUNT_1_BIT,
           {VK_KHR_SEPARATE_DEPTH_STENCIL_LAYOUTS_EXTENSION_NAME});
  PipelineState s;
  s.vertex = covering_vertices("0.5");
  s.fragment = kGreenFragment;
  s.depth.depthTestEnable = VK_TRUE;
  s.depth.depthCompareOp = VK_COMPARE_OP_GREATER;
  s.depth.stencilTestEnable = VK_TRUE;
  s.depth.front = {VK_STENCIL_OP_KEEP, VK_STENCIL_OP_REPLACE, VK_STENCIL_OP_KEEP, VK_COMPARE_OP_ALWAYS, 255, 255, 9};
  s.depth.back = s.depth.front;
  const VkPipeline pipeline = c.pipeline(s);
  const auto to = [&](VkCommandBuffer b, VkImageAspectFlags aspect, VkImageLayout from, VkImageLayout layout) {
    change_layout(b, c.depth.image.image, from, layout, aspect);
  };
  VkRenderingAttachmentInfo color{VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO};
  color.imageView = c.colors[0].view;
  color.imageLayout = VK_IMAGE_LAYOUT_GENERAL;
  color.loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR;
  color.storeOp = VK_ATTACHMENT_STORE_OP_STORE;
  VkRenderingAttachmentInfo depth = color, stencil = color;
  depth.imageView = stencil.imageView = c.depth.view;
  depth.imageLayout = VK_IMAGE_LAYOUT_DEPTH_READ_ONLY_OPTIMAL;
  stencil.imageLayout = VK_IMAGE_LAYOUT_STENCIL_ATTACHMENT_OPTIMAL;
  depth.loadOp = VK_ATTACHMENT_LOAD_OP_LOAD;
  VkRenderingInfo info{VK_STRUCTURE_TYPE_RENDERING_INFO};
  info.renderArea = {{0, 0}, {4, 4}};
  info.layerCount = info.colorAttachmentCount = 1;
  info.pColorAttachments = &color;
  info.pDepthAttachment = &depth;
  info.pStencilAttachment = &stencil;
  const auto begin = c.v.proc<PFN_vkCmdBeginRenderingKHR>("vkCmdBeginRenderingKHR");
  ASSERT_EQ(c.v.run([&](VkCommandBuffer b) {
    to(b, VK_IMAGE_ASPECT_DEPTH_BIT, VK_IMAGE_LAYOUT_GENERAL, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
    const VkClearDepthStencilValue value{0.25f, 77};
    const VkImageSubresourceRange range{VK_IMAGE_ASPECT_DEPTH_BIT, 0, 1, 0, 1};
    vkCmdClearDepthStencilImage(b, c.depth.image.image, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, &value, 1, &range);
    to(b, VK_IMAGE_ASPECT_DEPTH_BIT, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, depth.imageLayout);
    to(b, VK_IMAGE_ASPECT_STENCIL_BIT, VK_IMAGE_LAYOUT_GENERAL, stencil.imageLayout);
    begin(b, &info);
    bind(b, pipeline);
    vkCmdDraw(b, 3, 1, 0, 0);
    c.end(b);
    to(b, VK_IMAGE_ASPECT_DEPTH_BIT, depth.imageLayout, VK_IMAGE_LAYOUT_GENERAL);
    to(b, VK_IMAGE_ASPECT_STENCIL_BIT, stencil.imageLayout, VK_IMAGE_LAYOUT_GENERAL);
  }),
            VK_SUCCESS);
  EXPECT_EQ(count_of(c.pixels(), kGreen), 16u);
  EXPECT_EQ(c.read(c.depth, 1, VK_IMAGE_ASPECT_STENCIL_BIT)[5], 9u);
  EXPECT_EQ(c.read(c.depth, 4, VK_IMAGE_ASPECT_DEPTH_BIT)[7], 0x3eu) << "0.25";
}

TEST(VulkanDrawFeatures, LogicOperationsAreDynamic) {
  HEDDLE_NEED_SHADERS();
  Canvas c(4, 4, {VK_FORMAT_R8G8B8A8_UNORM}, VK_FORMAT_UNDEFINED, VK_SAMPLE_COUNT_1_BIT,
           {VK_EXT_EXTENDED_DYNAMIC_STATE_2_EXTENSION_NAME});
  PipelineState s;
  s.vertex = covering_vertices();
  s.fragment = kGreenFragment;
  s.colors.logicOpEnable = VK_TRUE;
  s.colors.logicOp = VK_LOGIC_OP_CLEAR;
  s.dynamic = {VK_DYNAMIC_STATE_LOGIC_OP_EXT};
  const VkPipeline pipeline = c.pipeline(s);
  const auto set = c.v.proc<PFN_vkCmdSetLogicOpEXT>("vkCmdSetLogicOpEXT");
  for (const auto& [first, second, result] :
       {std::tuple{VK_LOGIC_OP_COPY, VK_LOGIC_OP_INVERT, ~kGreen}, {VK_LOGIC_OP_COPY_INVERTED, VK_LOGIC_OP_XOR, ~0u}}) {
    c.draw([&, a = first, b = second](VkCommandBuffer commands) {
      bind(commands, pipeline);
      set(commands, a);
      vkCmdDraw(commands, 3, 1, 0, 0);
      set(commands, b);
      vkCmdDraw(commands, 3, 1, 0, 0);
    });
    EXPECT_EQ(count_of(c.pixels(), result), 16u) << first;
  }
}

TEST(VulkanDrawFeatures, RectangularLinesAreStippled) {
  HEDDLE_NEED_SHADERS();
  Canvas c(16, 4, {VK_FORMAT_R8G8B8A8_UNORM}, VK_FORMAT_UNDEFINED, VK_SAMPLE_COUNT_1_BIT,
           {VK_EXT_LINE_RASTERIZATION_EXTENSION_NAME});
  VkPipelineRasterizationLineStateCreateInfoEXT line{
      VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_LINE_STATE_CREATE_INFO_EXT};
  line.lineRasterizationMode = VK_LINE_RASTERIZATION_MODE_RECTANGULAR_EXT;
  line.stippledLineEnable = VK_TRUE;
  line.lineStippleFactor = 1;
  line.lineStipplePattern = 0x3333;  // two pixels on, two off
  PipelineState s;
  s.raster.pNext = &line;
  s.raster.lineWidth = 2;
  s.topology = VK_PRIMITIVE_TOPOLOGY_LINE_LIST;
  s.vertex = "#version 450\nvoid main() { gl_Position = vec4(gl_VertexIndex * 2 - 1, 0, 0, 1); }\n";
  s.fragment = kGreenFragment;
  const VkPipeline pipeline = c.pipeline(s);
  c.draw([&](VkCommandBuffer b) {
    bind(b, pipeline);
    vkCmdDraw(b, 2, 1, 0, 0);
  });
  const auto pixels = c.pixels();
  for (std::size_t i = 0; i < 64; ++i)
    EXPECT_EQ(pixels[i], i % 4 < 2 && (i / 16 == 1 || i / 16 == 2) ? kGreen : 0u) << i;
}

TEST(VulkanDrawFeatures, QueriesAreResetByTheHost) {
  VulkanDevice v;
  const VkQueryPoolCreateInfo info{VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO, nullptr, 0, VK_QUERY_TYPE_TIMESTAMP, 2, 0};
  VkQueryPool queries = VK_NULL_HANDLE;
  ASSERT_EQ(vkCreateQueryPool(v.device, &info, nullptr, &queries), VK_SUCCESS);
  const auto reset = v.proc<PFN_vkResetQueryPool>("vkResetQueryPool");
  const auto have = [&](std::uint32_t query) {
    std::uint64_t time = 0;
    return vkGetQueryPoolResults(v.device, queries, query, 1, sizeof time, &time, sizeof time, VK_QUERY_RESULT_64_BIT);
  };
  reset(v.device, queries, 0, 2);
  EXPECT_EQ(have(0), VK_NOT_READY);
  ASSERT_EQ(v.run([&](VkCommandBuffer b) {
    for (const std::uint32_t query : {0u, 1u})
      vkCmdWriteTimestamp(b, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, queries, query);
  }),
            VK_SUCCESS);
  EXPECT_EQ(have(0), VK_SUCCESS);
  reset(v.device, queries, 1, 1);
  EXPECT_EQ(have(0), VK_SUCCESS);
  EXPECT_EQ(have(1), VK_NOT_READY);
  vkDestroyQueryPool(v.device, queries, nullptr);
}

}  // namespace
}  // namespace heddle::test
