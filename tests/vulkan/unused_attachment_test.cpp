// SPDX-License-Identifier: MIT
// What a pipeline and a pass say differently of their attachments (VK_EXT_dynamic_rendering_unused_attachments), and
// the unit of a depth bias (VK_EXT_depth_bias_control, RAS-6).

#include <algorithm>

#include "vulkan/canvas.hpp"

namespace heddle::test {
namespace {

constexpr std::uint32_t kGreen = 0xff00ff00;
constexpr const char *kUnused = "VK_EXT_dynamic_rendering_unused_attachments", *kBias = "VK_EXT_depth_bias_control";

std::size_t green(const std::vector<std::uint32_t>& pixels) {
  return static_cast<std::size_t>(std::ranges::count(pixels, kGreen));
}
float depth_of(Canvas& c) {
  float depth = 0;
  std::memcpy(&depth, c.read(c.depth, 4, VK_IMAGE_ASPECT_DEPTH_BIT).data(), 4);
  return depth;
}
void draw(Canvas& c, const PipelineState& s, const std::function<void(VkCommandBuffer)>& more = {}) {
  const VkPipeline pipeline = c.pipeline(s);
  c.draw([&](VkCommandBuffer b) {
    vkCmdBindPipeline(b, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
    if (more) more(b);
    vkCmdDraw(b, 3, 1, 0, 0);
  });
}

PipelineState green_at(const std::string& z) {
  PipelineState s;
  s.vertex = covering_vertices(z);
  s.fragment = one_color("vec4(0, 1, 0, 1)");
  s.depth.depthTestEnable = s.depth.depthWriteEnable = VK_TRUE;
  s.depth.depthCompareOp = VK_COMPARE_OP_LESS_OR_EQUAL;
  return s;
}

// Depth that the pipeline knows nothing of is neither tested nor written, by static and by dynamic state alike.
TEST(VulkanUnusedAttachments, DepthOfThePassAlone) {
  HEDDLE_NEED_SHADERS();
  HEDDLE_NEED_NEWER();
  Canvas c(4, 4, {VK_FORMAT_R8G8B8A8_UNORM}, VK_FORMAT_D32_SFLOAT, VK_SAMPLE_COUNT_1_BIT,
           {kUnused, VK_EXT_EXTENDED_DYNAMIC_STATE_EXTENSION_NAME});
  PipelineState s = green_at("0.5");
  const auto never = c.v.proc<PFN_vkCmdSetDepthCompareOpEXT>("vkCmdSetDepthCompareOpEXT");
  const auto test = c.v.proc<PFN_vkCmdSetDepthTestEnableEXT>("vkCmdSetDepthTestEnableEXT");
  s.depth.depthCompareOp = VK_COMPARE_OP_NEVER;
  for (const bool dynamic : {false, true}) {
    s.dynamic.clear();
    if (dynamic) s.dynamic = {VK_DYNAMIC_STATE_DEPTH_COMPARE_OP_EXT, VK_DYNAMIC_STATE_DEPTH_TEST_ENABLE_EXT};
    const auto more = [&](VkCommandBuffer b) {
      if (dynamic) never(b, VK_COMPARE_OP_NEVER), test(b, VK_TRUE);
    };
    s.rendering = nullptr;
    draw(c, s, more);
    EXPECT_EQ(green(c.pixels()), 0u) << "with depth";
    s.rendering = [](VkPipelineRenderingCreateInfo& r) { r.depthAttachmentFormat = VK_FORMAT_UNDEFINED; };
    draw(c, s, more);
    EXPECT_EQ(green(c.pixels()), 16u) << "without";
    EXPECT_EQ(depth_of(c), 1.0f);
  }
}

// Stencil stays as it is where the pipeline has a format for depth alone.
TEST(VulkanUnusedAttachments, StencilOfThePassAlone) {
  HEDDLE_NEED_SHADERS();
  HEDDLE_NEED_NEWER();
  Canvas c(4, 4, {VK_FORMAT_R8G8B8A8_UNORM}, VK_FORMAT_D32_SFLOAT_S8_UINT, VK_SAMPLE_COUNT_1_BIT, {kUnused});
  PipelineState s = green_at("0.5");
  s.depth.stencilTestEnable = VK_TRUE;
  s.depth.front = {VK_STENCIL_OP_KEEP, VK_STENCIL_OP_REPLACE, VK_STENCIL_OP_KEEP, VK_COMPARE_OP_ALWAYS, 255, 255, 9};
  s.depth.back = s.depth.front;
  draw(c, s);
  EXPECT_EQ(c.read(c.depth, 1, VK_IMAGE_ASPECT_STENCIL_BIT)[5], 9);
  s.rendering = [](VkPipelineRenderingCreateInfo& r) { r.stencilAttachmentFormat = VK_FORMAT_UNDEFINED; };
  draw(c, s);
  EXPECT_EQ(c.read(c.depth, 1, VK_IMAGE_ASPECT_STENCIL_BIT)[5], 0);
  EXPECT_EQ(depth_of(c), 0.5f);
}

// Of two colors, each may be the pipeline's or the pass's alone; formats of what is not attached may be any.
TEST(VulkanUnusedAttachments, ColorsOfOneSideAlone) {
  HEDDLE_NEED_SHADERS();
  HEDDLE_NEED_NEWER();
  Canvas c(4, 4, {VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_R8G8B8A8_UNORM}, VK_FORMAT_UNDEFINED, VK_SAMPLE_COUNT_1_BIT,
           {kUnused});
  PipelineState s;
  s.vertex = covering_vertices();
  s.fragment =
      "#version 450\nlayout(location = 0) out vec4 a;\nlayout(location = 1) out vec4 b;\n"
      "void main() { a = b = vec4(0, 1, 0, 1); }\n";
  draw(c, s);
  EXPECT_EQ(green(c.pixels(0)), 16u);
  EXPECT_EQ(green(c.pixels(1)), 16u);
  VkFormat formats[] = {VK_FORMAT_UNDEFINED, VK_FORMAT_R8G8B8A8_UNORM};
  s.rendering = [&](VkPipelineRenderingCreateInfo& r) { r.pColorAttachmentFormats = formats; };
  draw(c, s);
  EXPECT_EQ(green(c.pixels(0)), 0u);
  EXPECT_EQ(green(c.pixels(1)), 16u);
  // The pass has no second color, whose format is the pipeline's own affair.
  formats[0] = VK_FORMAT_R8G8B8A8_UNORM;
  formats[1] = VK_FORMAT_R32_UINT;
  const VkImageView second = c.colors[1].view;
  c.colors[1].view = VK_NULL_HANDLE;
  draw(c, s);
  c.colors[1].view = second;
  EXPECT_EQ(green(c.pixels(0)), 16u);
  EXPECT_EQ(green(c.pixels(1)), 16u) << "as the pass before left it";
}

// A constant of 2 to the 22nd: 2^22 times 2^-24 is 0.25, 2^22 times 2^(-1 - 23) too, where the depth is 0.5; the unit 1
// takes 0.25 itself.
TEST(VulkanDepthBias, TheUnitIsChosen_RAS6) {
  HEDDLE_NEED_SHADERS();
  HEDDLE_NEED_NEWER();
  Canvas c(4, 4, {VK_FORMAT_R8G8B8A8_UNORM}, VK_FORMAT_D32_SFLOAT, VK_SAMPLE_COUNT_1_BIT, {kBias});
  const auto set = c.v.proc<PFN_vkCmdSetDepthBias2EXT>("vkCmdSetDepthBias2EXT");
  ASSERT_NE(set, nullptr);
  struct Case {
    VkDepthBiasRepresentationEXT unit;
    const char* z;
    float constant, depth;
  };
  const Case cases[] = {
      {VK_DEPTH_BIAS_REPRESENTATION_FLOAT_EXT, "0.125", 0.25f, 0.375f},
      {VK_DEPTH_BIAS_REPRESENTATION_LEAST_REPRESENTABLE_VALUE_FORCE_UNORM_EXT, "0.125", 4194304.0f, 0.375f},
      {VK_DEPTH_BIAS_REPRESENTATION_LEAST_REPRESENTABLE_VALUE_FORMAT_EXT, "0.125", 4194304.0f, 0.1875f},
      {VK_DEPTH_BIAS_REPRESENTATION_LEAST_REPRESENTABLE_VALUE_FORMAT_EXT, "0.5", 4194304.0f, 0.75f},
  };
  for (const Case& one : cases)
    for (const bool dynamic : {false, true}) {
      PipelineState s = green_at(one.z);
      const VkDepthBiasRepresentationInfoEXT unit{VK_STRUCTURE_TYPE_DEPTH_BIAS_REPRESENTATION_INFO_EXT, nullptr,
                                                  one.unit, VK_TRUE};
      s.raster.depthBiasEnable = VK_TRUE;
      if (dynamic) {
        s.dynamic = {VK_DYNAMIC_STATE_DEPTH_BIAS};
      } else {
        s.raster.pNext = &unit;
        s.raster.depthBiasConstantFactor = one.constant;
      }
      draw(c, s, [&](VkCommandBuffer b) {
        const VkDepthBiasInfoEXT info{VK_STRUCTURE_TYPE_DEPTH_BIAS_INFO_EXT, &unit, one.constant, 0, 0};
        if (dynamic) set(b, &info);
      });
      EXPECT_EQ(depth_of(c), one.depth) << one.unit << " at " << one.z << (dynamic ? ", dynamic" : "");
    }
  // The older command means the format's own unit, whatever was set before it.
  PipelineState s = green_at("0.5");
  s.raster.depthBiasEnable = VK_TRUE;
  s.dynamic = {VK_DYNAMIC_STATE_DEPTH_BIAS};
  draw(c, s, [&](VkCommandBuffer b) {
    const VkDepthBiasRepresentationInfoEXT unit{VK_STRUCTURE_TYPE_DEPTH_BIAS_REPRESENTATION_INFO_EXT, nullptr,
                                                VK_DEPTH_BIAS_REPRESENTATION_FLOAT_EXT, VK_TRUE};
    const VkDepthBiasInfoEXT info{VK_STRUCTURE_TYPE_DEPTH_BIAS_INFO_EXT, &unit, 0.25f, 0, 0};
    set(b, &info);
    vkCmdSetDepthBias(b, 4194304.0f, 0, 0);
  });
  EXPECT_EQ(depth_of(c), 0.75f);
}

}  // namespace
}  // namespace heddle::test
