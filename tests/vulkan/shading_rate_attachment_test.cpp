// SPDX-License-Identifier: MIT
// VK_KHR_fragment_shading_rate: rates of regions, and how three rates become one.
// Rules: FSR-1 to FSR-3.

#include "vulkan/rate_kit.hpp"

namespace heddle::test {
namespace {

/// An attachment whose texels of 8 x 8 pixels have the codes 0 to 10 in turn.
struct RateImage {
  explicit RateImage(VulkanDevice& v) {
    VkImageCreateInfo info = VulkanDevice::image_info(VK_FORMAT_R8_UINT, kColumns, kRows);
    info.usage = VK_IMAGE_USAGE_FRAGMENT_SHADING_RATE_ATTACHMENT_BIT_KHR | VK_IMAGE_USAGE_TRANSFER_DST_BIT;
    image = v.image(info);
    view = v.view(image.image, VK_FORMAT_R8_UINT);
    const VulkanDevice::Buffer texels = v.buffer(64);
    for (std::uint32_t i = 0; i < kColumns * kRows; ++i)
      texels.bytes[i] = static_cast<std::uint8_t>(code(i % kColumns, i / kColumns));
    const VkBufferImageCopy region{0, 0, 0, {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1}, {}, {kColumns, kRows, 1}};
    EXPECT_EQ(v.run([&](VkCommandBuffer c) {
      vkCmdCopyBufferToImage(c, texels.buffer, image.image, VK_IMAGE_LAYOUT_GENERAL, 1, &region);
    }),
              VK_SUCCESS);
  }
  static std::uint32_t code(std::uint32_t column, std::uint32_t row) {
    constexpr std::uint32_t kCodes[] = {0, 1, 2, 4, 5, 6, 8, 9, 10};
    return kCodes[(column + row * 5) % 9];
  }
  static constexpr std::uint32_t kColumns = (kWidth + 7) / 8, kRows = (kHeight + 7) / 8;
  VulkanDevice::Image image;
  VkImageView view = VK_NULL_HANDLE;
};

// Texels of an attachment name the rates of regions, in dynamic rendering and in a subpass.
TEST(VulkanShadingRate, OfAnAttachment_FSR3) {
  HEDDLE_NEED_SHADERS();
  RateCanvas c;
  const RateImage rates(c.v);
  const VkRenderingFragmentShadingRateAttachmentInfoKHR attachment{
      VK_STRUCTURE_TYPE_RENDERING_FRAGMENT_SHADING_RATE_ATTACHMENT_INFO_KHR,
      nullptr,
      rates.view,
      VK_IMAGE_LAYOUT_GENERAL,
      {8, 8}};
  c.rendering_chain = &attachment;
  PipelineState s;
  s.fragment = kPlace;
  c.run(s, {1, 1}, kKeep, VK_FRAGMENT_SHADING_RATE_COMBINER_OP_REPLACE_KHR);
  const auto expect = [&](const std::vector<std::array<float, 4>>& drawn) {
    for (std::uint32_t y = 0; y < kHeight; ++y)
      for (std::uint32_t x = 0; x < kWidth; ++x)
        ASSERT_EQ(drawn[y * kWidth + x], place(x, y, size_of(RateImage::code(x / 8, y / 8)))) << x << ' ' << y;
  };
  expect(c.drawn<float>());
  c.rendering_chain = nullptr;

  VkAttachmentDescription2 descriptions[2] = {{VK_STRUCTURE_TYPE_ATTACHMENT_DESCRIPTION_2},
                                              {VK_STRUCTURE_TYPE_ATTACHMENT_DESCRIPTION_2}};
  for (std::size_t i = 0; i < 2; ++i) {
    descriptions[i].format = i == 0 ? c.colors[0].format : VK_FORMAT_R8_UINT;
    descriptions[i].samples = VK_SAMPLE_COUNT_1_BIT;
    descriptions[i].loadOp = i == 0 ? VK_ATTACHMENT_LOAD_OP_CLEAR : VK_ATTACHMENT_LOAD_OP_LOAD;
    descriptions[i].storeOp = VK_ATTACHMENT_STORE_OP_STORE;
    descriptions[i].initialLayout = descriptions[i].finalLayout = VK_IMAGE_LAYOUT_GENERAL;
  }
  const VkAttachmentReference2 color{VK_STRUCTURE_TYPE_ATTACHMENT_REFERENCE_2, nullptr, 0, VK_IMAGE_LAYOUT_GENERAL,
                                     VK_IMAGE_ASPECT_COLOR_BIT},
      rate{VK_STRUCTURE_TYPE_ATTACHMENT_REFERENCE_2, nullptr, 1, VK_IMAGE_LAYOUT_GENERAL, VK_IMAGE_ASPECT_COLOR_BIT};
  const VkFragmentShadingRateAttachmentInfoKHR of_subpass{
      VK_STRUCTURE_TYPE_FRAGMENT_SHADING_RATE_ATTACHMENT_INFO_KHR, nullptr, &rate, {8, 8}};
  VkSubpassDescription2 subpass{VK_STRUCTURE_TYPE_SUBPASS_DESCRIPTION_2, &of_subpass};
  subpass.pipelineBindPoint = VK_PIPELINE_BIND_POINT_GRAPHICS;
  subpass.colorAttachmentCount = 1;
  subpass.pColorAttachments = &color;
  VkRenderPassCreateInfo2 passes{VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO_2};
  passes.attachmentCount = 2;
  passes.pAttachments = descriptions;
  passes.subpassCount = 1;
  passes.pSubpasses = &subpass;
  VkRenderPass pass = VK_NULL_HANDLE;
  ASSERT_EQ(c.v.proc<PFN_vkCreateRenderPass2>("vkCreateRenderPass2")(c.v.device, &passes, nullptr, &pass), VK_SUCCESS);
  const VkImageView views[2] = {c.colors[0].view, rates.view};
  VkFramebufferCreateInfo frames{VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO};
  frames.renderPass = pass;
  frames.attachmentCount = 2;
  frames.pAttachments = views;
  frames.width = kWidth;
  frames.height = kHeight;
  frames.layers = 1;
  VkFramebuffer frame = VK_NULL_HANDLE;
  ASSERT_EQ(vkCreateFramebuffer(c.v.device, &frames, nullptr, &frame), VK_SUCCESS);
  VkPipelineFragmentShadingRateStateCreateInfoKHR of_pipeline{
      VK_STRUCTURE_TYPE_PIPELINE_FRAGMENT_SHADING_RATE_STATE_CREATE_INFO_KHR,
      nullptr,
      {4, 4},
      {kKeep, VK_FRAGMENT_SHADING_RATE_COMBINER_OP_MIN_KHR}};
  s.chain = &of_pipeline;
  s.pass = pass;
  s.layout = c.layout;
  s.vertex = covering_vertices();
  const VkPipeline pipeline = c.pipeline(s);
  const VkClearValue clears[2]{};
  VkRenderPassBeginInfo begin{
      VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO, nullptr, pass, frame, {{0, 0}, {kWidth, kHeight}}, 2, clears};
  ASSERT_EQ(c.v.run([&](VkCommandBuffer b) {
    vkCmdBeginRenderPass(b, &begin, VK_SUBPASS_CONTENTS_INLINE);
    vkCmdBindPipeline(b, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
    vkCmdBindDescriptorSets(b, VK_PIPELINE_BIND_POINT_GRAPHICS, c.layout, 0, 1, &c.set, 0, nullptr);
    vkCmdDraw(b, 3, 1, 0, 0);
    vkCmdEndRenderPass(b);
  }),
            VK_SUCCESS);
  expect(c.drawn<float>());
  vkDestroyFramebuffer(c.v.device, frame, nullptr);
  vkDestroyRenderPass(c.v.device, pass, nullptr);
}

// Rates of the draw, the primitive and the attachment, combined in each way.
TEST(VulkanShadingRate, RatesAreCombined_FSR3) {
  HEDDLE_NEED_SHADERS();
  for (const std::uint32_t samples : {1u, 4u}) {
    RateCanvas c(samples);
    const RateImage rates(c.v);
    const VkRenderingFragmentShadingRateAttachmentInfoKHR attachment{
        VK_STRUCTURE_TYPE_RENDERING_FRAGMENT_SHADING_RATE_ATTACHMENT_INFO_KHR,
        nullptr,
        rates.view,
        VK_IMAGE_LAYOUT_GENERAL,
        {8, 8}};
    c.rendering_chain = &attachment;
    std::uint32_t turn = samples;
    for (std::uint32_t first = 0; first < 5; ++first)
      for (std::uint32_t second = 0; second < 5; ++second) {
        constexpr std::uint32_t kCodes[] = {0, 1, 2, 4, 5, 6, 8, 9, 10};
        const Size draw = size_of(kCodes[(turn * 5 + 1) % 9]);
        const std::uint32_t primitive = kCodes[(turn * 2 + 3) % 9];
        ++turn;
        PipelineState s;
        s.vertex =
            "#version 450\n#extension GL_EXT_fragment_shading_rate : require\nvoid main() {\n"
            "  gl_Position = vec4(gl_VertexIndex == 1 ? 3 : -1, gl_VertexIndex == 2 ? 3 : -1, 0.5, 1);\n"
            "  gl_PrimitiveShadingRateEXT = " +
            std::to_string(primitive) + ";\n}\n";
        s.fragment = kPlace;
        const auto of = [](std::uint32_t op) { return static_cast<Combiner>(op); };
        c.run(s, draw, of(first), of(second), turn % 2 == 0);
        const auto drawn = c.drawn<float>();
        const auto clamp = [&](const Size& size) { return clamped(size, samples); };
        for (std::uint32_t y = 0; y < kHeight; ++y)
          for (std::uint32_t x = 0; x < kWidth; ++x) {
            const Size both = clamp(combined(of(first), clamp(draw), clamp(size_of(primitive))));
            const Size size = clamp(combined(of(second), both, clamp(size_of(RateImage::code(x / 8, y / 8)))));
            ASSERT_EQ(drawn[y * kWidth + x], place(x, y, size))
                << x << ' ' << y << ", combiners " << first << ' ' << second << ", " << samples << " samples";
          }
      }
  }
}

}  // namespace
}  // namespace heddle::test
