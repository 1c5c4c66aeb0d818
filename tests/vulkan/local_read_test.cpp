// SPDX-License-Identifier: MIT
// VK_KHR_dynamic_rendering_local_read: shaders read what the pass has drawn; which attachment a shader's output goes
// to.

#include <algorithm>

#include "vulkan/canvas.hpp"

namespace heddle::test {
namespace {

constexpr const char* kLocal = "VK_KHR_dynamic_rendering_local_read";

struct TwoColors : Canvas {
  TwoColors()
      : Canvas(4, 4, {}, VK_FORMAT_UNDEFINED, VK_SAMPLE_COUNT_1_BIT,
               {kLocal, VK_KHR_SYNCHRONIZATION_2_EXTENSION_NAME}) {
    for (int i = 0; i < 2; ++i)
      colors.push_back(
          attachment(VK_FORMAT_R8G8B8A8_UNORM, VK_SAMPLE_COUNT_1_BIT, VK_IMAGE_USAGE_INPUT_ATTACHMENT_BIT));
    locations = v.proc<PFN_vkCmdSetRenderingAttachmentLocations>("vkCmdSetRenderingAttachmentLocationsKHR");
    indices = v.proc<PFN_vkCmdSetRenderingInputAttachmentIndices>("vkCmdSetRenderingInputAttachmentIndicesKHR");
  }
  PFN_vkCmdSetRenderingAttachmentLocations locations;
  PFN_vkCmdSetRenderingInputAttachmentIndices indices;
};

void draw_with(VkCommandBuffer b, VkPipeline pipeline) {
  vkCmdBindPipeline(b, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
  vkCmdDraw(b, 3, 1, 0, 0);
}

// The first draw fills one color; the second reads it, pixel by pixel, and writes twice of it into the other.
TEST(VulkanLocalRead, ADrawReadsWhatTheOneBeforeItWrote) {
  HEDDLE_NEED_SHADERS();
  HEDDLE_NEED_NEWER();
  TwoColors c;
  const std::vector<VulkanDevice::Binding> bindings{{0, VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT}};
  const auto sets = c.v.set_layout(bindings);
  const auto set = c.v.set(sets, bindings);
  c.v.write(set, 0, bindings[0].type, c.colors[0].view, VK_NULL_HANDLE);
  PipelineState s;
  s.vertex = covering_vertices();
  s.fragment =
      "#version 450\nlayout(location = 0) out vec4 a;\n"
      "void main() { a = vec4(floor(gl_FragCoord.xy) / 16, 0, 1); }\n";
  VkPipelineColorBlendAttachmentState all{};
  all.colorWriteMask = 15;
  s.blend = {all, {}};
  const VkPipeline first = c.pipeline(s);
  s.layout = c.v.layout({sets});
  s.fragment =
      "#version 450\nlayout(input_attachment_index = 0, binding = 0) uniform subpassInput i;\n"
      "layout(location = 1) out vec4 b;\nvoid main() { b = vec4(2 * subpassLoad(i).rg, 0, 1); }\n";
  s.blend = {{}, all};
  const VkPipeline second = c.pipeline(s);
  const auto barrier2 = c.v.proc<PFN_vkCmdPipelineBarrier2>("vkCmdPipelineBarrier2KHR");
  c.draw([&](VkCommandBuffer b) {
    draw_with(b, first);
    const VkMemoryBarrier2 order{VK_STRUCTURE_TYPE_MEMORY_BARRIER_2,
                                 nullptr,
                                 VK_PIPELINE_STAGE_2_COLOR_ATTACHMENT_OUTPUT_BIT,
                                 VK_ACCESS_2_COLOR_ATTACHMENT_WRITE_BIT,
                                 VK_PIPELINE_STAGE_2_FRAGMENT_SHADER_BIT,
                                 VK_ACCESS_2_INPUT_ATTACHMENT_READ_BIT};
    VkDependencyInfo dependency{VK_STRUCTURE_TYPE_DEPENDENCY_INFO, nullptr, VK_DEPENDENCY_BY_REGION_BIT, 1, &order};
    barrier2(b, &dependency);
    const std::uint32_t numbers[] = {0, VK_ATTACHMENT_UNUSED};
    const VkRenderingInputAttachmentIndexInfo info{VK_STRUCTURE_TYPE_RENDERING_INPUT_ATTACHMENT_INDEX_INFO, nullptr, 2,
                                                   numbers};
    c.indices(b, &info);
    vkCmdBindDescriptorSets(b, VK_PIPELINE_BIND_POINT_GRAPHICS, s.layout, 0, 1, &set, 0, nullptr);
    draw_with(b, second);
  });
  const auto read = c.pixels(0), written = c.pixels(1);
  for (std::uint32_t i = 0; i < 16; ++i) {
    const std::uint32_t x = i % 4 * 255 / 16 + (i % 4 * 255 % 16 >= 8), y = i / 4 * 255 / 16 + (i / 4 * 255 % 16 >= 8);
    EXPECT_EQ(read[i], 0xff000000u | y << 8 | x) << i;
    EXPECT_EQ(written[i], 0xff000000u | 2 * y << 8 | 2 * x) << i;
  }
}

// The output at location 0 goes to the second attachment, with that one's blending and write mask; a clear still counts
// attachments as the pass does.
TEST(VulkanLocalRead, OutputsGoToAnyAttachment) {
  HEDDLE_NEED_SHADERS();
  HEDDLE_NEED_NEWER();
  TwoColors c;
  const std::uint32_t turned[] = {VK_ATTACHMENT_UNUSED, 0};
  const VkRenderingAttachmentLocationInfo info{VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_LOCATION_INFO, nullptr, 2,
                                               turned};
  PipelineState s;
  s.vertex = covering_vertices();
  s.fragment = one_color("vec4(1, 1, 1, 1)");
  VkPipelineColorBlendAttachmentState all{}, red{};
  all.colorWriteMask = 15;
  red.colorWriteMask = VK_COLOR_COMPONENT_R_BIT;
  s.blend = {all, red};
  const VkPipeline plain = c.pipeline(s);
  s.rendering = [&](VkPipelineRenderingCreateInfo& r) { r.pNext = &info; };
  const VkPipeline other = c.pipeline(s);
  c.draw([&](VkCommandBuffer b) { draw_with(b, plain); });
  EXPECT_EQ(c.pixels(0)[5], 0xffffffffu);
  EXPECT_EQ(c.pixels(1)[5], 0u);
  c.draw([&](VkCommandBuffer b) {
    c.locations(b, &info);
    draw_with(b, other);
    VkClearAttachment clear{VK_IMAGE_ASPECT_COLOR_BIT, 0, {}};
    clear.clearValue.color = {{0, 1, 0, 1}};
    const VkClearRect rect{{{0, 0}, {1, 1}}, 0, 1};
    vkCmdClearAttachments(b, 1, &clear, 1, &rect);
  });
  EXPECT_EQ(c.pixels(0)[5], 0u) << "no output goes there";
  EXPECT_EQ(c.pixels(0)[0], 0xff00ff00u) << "the clear does";
  EXPECT_EQ(c.pixels(1)[5], 0x000000ffu) << "the mask of the second attachment";
  // The next pass begins as each does.
  c.draw([&](VkCommandBuffer b) { draw_with(b, plain); });
  EXPECT_EQ(c.pixels(0)[5], 0xffffffffu);
}

}  // namespace
}  // namespace heddle::test
