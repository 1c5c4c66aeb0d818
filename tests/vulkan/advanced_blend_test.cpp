// SPDX-License-Identifier: MIT
// VK_EXT_blend_operation_advanced: the state of pipelines and of commands (OM-26). The formulas: tests/render_target.

#include <array>

#include "vulkan/canvas.hpp"

namespace heddle::test {
namespace {

/// A pipeline that blends `color` over everything by `op`.
PipelineState blending(const std::string& color, VkBlendOp op) {
  PipelineState s;
  s.vertex = covering_vertices();
  s.fragment = one_color(color);
  VkPipelineColorBlendAttachmentState a{};
  a.blendEnable = VK_TRUE;
  a.colorBlendOp = a.alphaBlendOp = op;
  a.colorWriteMask = 15;
  s.blend = {a};
  return s;
}

/// The texels' value after a draw of each pipeline over (0.4, 0.8, 0, 1).
std::uint32_t drawn(Canvas& c, const std::vector<VkPipeline>& pipelines,
                    const std::function<void(VkCommandBuffer)>& state = {}) {
  c.draw([&](VkCommandBuffer b) {
    VkClearAttachment what{VK_IMAGE_ASPECT_COLOR_BIT, 0, {}};
    what.clearValue.color = {{0.4f, 0.8f, 0, 1}};
    const VkClearRect all{{{0, 0}, {c.width, c.height}}, 0, 1};
    vkCmdClearAttachments(b, 1, &what, 1, &all);
    for (const VkPipeline pipeline : pipelines) {
      vkCmdBindPipeline(b, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
      if (state) state(b);
      vkCmdDraw(b, 3, 1, 0, 0);
    }
  });
  const std::vector<std::uint32_t> pixels = c.pixels();
  for (const std::uint32_t pixel : pixels) EXPECT_EQ(pixel, pixels.front());
  return pixels.front();
}

std::uint32_t rgba(std::uint32_t r, std::uint32_t g, std::uint32_t b, std::uint32_t a) {
  return r | g << 8 | b << 16 | a << 24;
}

Canvas canvas() {
  return Canvas(4, 4, {VK_FORMAT_R8G8B8A8_UNORM}, VK_FORMAT_UNDEFINED, VK_SAMPLE_COUNT_1_BIT,
                {VK_EXT_BLEND_OPERATION_ADVANCED_EXTENSION_NAME});
}

TEST(VulkanBlend, AdvancedOperations_OM26) {
  HEDDLE_NEED_SHADERS();
  Canvas c = canvas();
  // 102 and 204 times 0.5.
  EXPECT_EQ(drawn(c, {c.pipeline(blending("vec4(0.5, 0.5, 0.5, 1)", VK_BLEND_OP_MULTIPLY_EXT))}),
            rgba(51, 102, 0, 255));
  EXPECT_EQ(drawn(c, {c.pipeline(blending("vec4(1, 1, 1, 1)", VK_BLEND_OP_DIFFERENCE_EXT))}), rgba(153, 51, 255, 255));
  EXPECT_EQ(drawn(c, {c.pipeline(blending("vec4(1, 0, 1, 1)", VK_BLEND_OP_BLUE_EXT))}), rgba(102, 204, 255, 255));
  // The color 0.4 of alpha 0.5, first multiplied by it, then straight, over a destination that is opaque: 0.5 of each.
  PipelineState s = blending("vec4(0.2, 0.2, 0.2, 0.5)", VK_BLEND_OP_SRC_OVER_EXT);
  const std::uint32_t over = rgba(102, 153, 51, 255);
  EXPECT_EQ(drawn(c, {c.pipeline(s)}), over);
  s.fragment = one_color("vec4(0.4, 0.4, 0.4, 0.5)");
  VkPipelineColorBlendAdvancedStateCreateInfoEXT advanced{
      VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_ADVANCED_STATE_CREATE_INFO_EXT, nullptr, VK_FALSE, VK_TRUE,
      VK_BLEND_OVERLAP_UNCORRELATED_EXT};
  s.colors.pNext = &advanced;
  EXPECT_EQ(drawn(c, {c.pipeline(s)}), over);
  // Disjoint: of an opaque destination nothing is left for the source alone; both cover p0 = 0.5, p2 = 0.5.
  advanced.blendOverlap = VK_BLEND_OVERLAP_DISJOINT_EXT;
  EXPECT_EQ(drawn(c, {c.pipeline(s)}), over);
  s.blend[0].colorBlendOp = s.blend[0].alphaBlendOp = VK_BLEND_OP_SRC_IN_EXT;  // p0 alone: 0.4 of 0.5
  EXPECT_EQ(drawn(c, {c.pipeline(s)}), rgba(51, 51, 51, 128));
  EXPECT_TRUE(c.v.messages.empty()) << c.v.messages.front();
}

// Each draw sees what the one before it stored, without a barrier (coherent).
TEST(VulkanBlend, AdvancedOperationsOfOverlappingDraws_OM26) {
  HEDDLE_NEED_SHADERS();
  Canvas c = canvas();
  const VkPipeline half = c.pipeline(blending("vec4(0.5, 0.5, 0.5, 1)", VK_BLEND_OP_MULTIPLY_EXT)),
                   inverse = c.pipeline(blending("vec4(1, 1, 1, 1)", VK_BLEND_OP_INVERT_EXT));
  // 102 to 51 to 204; 204 to 102 to 153.
  EXPECT_EQ(drawn(c, {half, inverse}), rgba(204, 153, 255, 255));
}

TEST(VulkanBlend, AdvancedOperationsAreDynamic_OM26) {
  HEDDLE_NEED_SHADERS();
  Canvas c(4, 4, {VK_FORMAT_R8G8B8A8_UNORM}, VK_FORMAT_UNDEFINED, VK_SAMPLE_COUNT_1_BIT,
           {VK_EXT_BLEND_OPERATION_ADVANCED_EXTENSION_NAME, VK_EXT_EXTENDED_DYNAMIC_STATE_3_EXTENSION_NAME});
  PipelineState s = blending("vec4(0.5, 0.5, 0.5, 0.5)", VK_BLEND_OP_ADD);
  s.dynamic = {VK_DYNAMIC_STATE_COLOR_BLEND_ADVANCED_EXT};
  const VkPipeline pipeline = c.pipeline(s);
  const auto set = c.v.proc<PFN_vkCmdSetColorBlendAdvancedEXT>("vkCmdSetColorBlendAdvancedEXT");
  VkColorBlendAdvancedEXT how{VK_BLEND_OP_SRC_IN_EXT, VK_TRUE, VK_TRUE, VK_BLEND_OVERLAP_UNCORRELATED_EXT, VK_FALSE};
  const auto state = [&](VkCommandBuffer b) { set(b, 0, 1, &how); };
  EXPECT_EQ(drawn(c, {pipeline}, state), rgba(128, 128, 128, 128));
  how.srcPremultiplied = VK_FALSE;
  EXPECT_EQ(drawn(c, {pipeline}, state), rgba(64, 64, 64, 128));  // 63.75
  how.advancedBlendOp = VK_BLEND_OP_RED_EXT;
  EXPECT_EQ(drawn(c, {pipeline}, state), rgba(64, 204, 0, 255));
}

TEST(VulkanBlend, AdvancedProperties) {
  Canvas c = canvas();
  VkPhysicalDeviceBlendOperationAdvancedPropertiesEXT p{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_BLEND_OPERATION_ADVANCED_PROPERTIES_EXT};
  VkPhysicalDeviceProperties2 all{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, &p, {}};
  vkGetPhysicalDeviceProperties2(c.v.physical, &all);
  EXPECT_EQ(p.advancedBlendMaxColorAttachments, all.properties.limits.maxColorAttachments);
  EXPECT_TRUE(p.advancedBlendIndependentBlend && p.advancedBlendNonPremultipliedSrcColor &&
              p.advancedBlendNonPremultipliedDstColor && p.advancedBlendCorrelatedOverlap &&
              p.advancedBlendAllOperations);
}

}  // namespace
}  // namespace heddle::test
