// SPDX-License-Identifier: MIT
// VK_EXT_multisampled_render_to_single_sampled: draws have several samples of attachments with one.
// VK_KHR_depth_clamp_zero_one and VK_EXT_depth_clamp_control: what depths are clamped to.

#include <gmock/gmock.h>

#include "vulkan/canvas.hpp"

namespace heddle::test {
namespace {

using testing::Each;

constexpr const char* kSingle = VK_EXT_MULTISAMPLED_RENDER_TO_SINGLE_SAMPLED_EXTENSION_NAME;

/// A pipeline of four samples whose draws cover those in `mask`.
PipelineState four_samples(const VkSampleMask& mask, const std::string& color) {
  PipelineState s;
  s.vertex = covering_vertices();
  s.fragment = one_color(color);
  s.samples.rasterizationSamples = VK_SAMPLE_COUNT_4_BIT;
  s.samples.pSampleMask = &mask;
  return s;
}

struct SingleSampled : Canvas {
  explicit SingleSampled(VkFormat depth_format = VK_FORMAT_UNDEFINED, VkFormat format = VK_FORMAT_R8G8B8A8_UNORM,
                         std::vector<const char*> extensions = {kSingle})
      : Canvas(4, 4, {format}, depth_format, VK_SAMPLE_COUNT_1_BIT, std::move(extensions)) {
    samples.multisampledRenderToSingleSampledEnable = VK_TRUE;
    samples.rasterizationSamples = VK_SAMPLE_COUNT_4_BIT;
    rendering_chain = &samples;
    VkImageCreateInfo info = VulkanDevice::image_info(format, 4, 4);
    info.flags = VK_IMAGE_CREATE_MULTISAMPLED_RENDER_TO_SINGLE_SAMPLED_BIT_EXT;
    info.usage =
        VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT | VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT;
    colors[0].image = v.image(info);
    colors[0].view = v.view(colors[0].image.image, colors[0].format);
    if (depth_format == VK_FORMAT_UNDEFINED) return;
    info.format = depth_format;
    info.usage =
        VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT | VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT;
    depth.image = v.image(info);
    depth.view =
        v.view(depth.image.image, depth_format, VK_IMAGE_VIEW_TYPE_2D, {VK_IMAGE_ASPECT_DEPTH_BIT, 0, 1, 0, 1});
  }
  VkMultisampledRenderToSingleSampledInfoEXT samples{VK_STRUCTURE_TYPE_MULTISAMPLED_RENDER_TO_SINGLE_SAMPLED_INFO_EXT};
};

void draw_with(VkCommandBuffer b, VkPipeline pipeline) {
  vkCmdBindPipeline(b, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
  vkCmdDraw(b, 3, 1, 0, 0);
}

// Two of four samples are white, the others as they were cleared: the texel is their mean. What a pass loads is in all
// samples.
TEST(VulkanSingleSampled, SamplesBecomeTheirMean) {
  HEDDLE_NEED_SHADERS();
  SingleSampled c;
  const VkSampleMask two = 0b0110, one = 0b0001;
  const VkPipeline white = c.pipeline(four_samples(two, "vec4(1)")), black = c.pipeline(four_samples(one, "vec4(0)"));
  c.draw([&](VkCommandBuffer b) { draw_with(b, white); });
  EXPECT_THAT(c.pixels(), Each(0x80808080u));  // 127.5, to even
  c.draw([&](VkCommandBuffer b) { draw_with(b, black); }, false);
  EXPECT_THAT(c.pixels(), Each(0x60606060u));  // three of four samples hold 128
}

// The flag stands on the attachment itself, which has one sample.
TEST(VulkanSingleSampled, TransferFunctionsAreChosen_TRF15) {
  HEDDLE_NEED_SHADERS();
  HEDDLE_NEED_NEWER();
  SingleSampled c(VK_FORMAT_UNDEFINED, VK_FORMAT_R8G8B8A8_SRGB, {kSingle, "VK_KHR_maintenance10"});
  const VkSampleMask second = 0b0010;
  PipelineState s = four_samples(second, "vec4(1)");
  constexpr std::uint32_t kLight = 0x40898989, kStored = 0x40404040;  // sRGB of 0.25 is 137; alpha is linear
  const VkPipeline pipeline = c.pipeline(s);
  const auto drawn = [&](VkRenderingAttachmentFlagsKHR flags) {
    const VkRenderingAttachmentFlagsInfoKHR more{VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_FLAGS_INFO_KHR, nullptr, flags};
    VkRenderingAttachmentInfo color{VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO, &more};
    color.imageView = c.colors[0].view;
    color.imageLayout = VK_IMAGE_LAYOUT_GENERAL;
    color.loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR;
    color.storeOp = VK_ATTACHMENT_STORE_OP_STORE;
    VkRenderingInfo info{VK_STRUCTURE_TYPE_RENDERING_INFO, &c.samples};
    info.renderArea.extent = {4, 4};
    info.layerCount = 1;
    info.colorAttachmentCount = 1;
    info.pColorAttachments = &color;
    EXPECT_EQ(c.v.run([&](VkCommandBuffer b) {
      c.v.proc<PFN_vkCmdBeginRenderingKHR>("vkCmdBeginRenderingKHR")(b, &info);
      draw_with(b, pipeline);
      c.end(b);
    }),
              VK_SUCCESS);
    return c.pixels();
  };
  EXPECT_THAT(drawn(0), Each(kLight));
  EXPECT_THAT(drawn(VK_RENDERING_ATTACHMENT_RESOLVE_SKIP_TRANSFER_FUNCTION_BIT_KHR), Each(kStored));
  // Of a render pass object.
  const auto passed = [&](VkAttachmentDescriptionFlags flags) {
    VkAttachmentDescription2 attachment{VK_STRUCTURE_TYPE_ATTACHMENT_DESCRIPTION_2};
    attachment.flags = flags;
    attachment.format = VK_FORMAT_R8G8B8A8_SRGB;
    attachment.samples = VK_SAMPLE_COUNT_1_BIT;
    attachment.loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR;
    attachment.storeOp = VK_ATTACHMENT_STORE_OP_STORE;
    attachment.initialLayout = attachment.finalLayout = VK_IMAGE_LAYOUT_GENERAL;
    const VkAttachmentReference2 color{VK_STRUCTURE_TYPE_ATTACHMENT_REFERENCE_2, nullptr, 0, VK_IMAGE_LAYOUT_GENERAL,
                                       VK_IMAGE_ASPECT_COLOR_BIT};
    VkSubpassDescription2 subpass{VK_STRUCTURE_TYPE_SUBPASS_DESCRIPTION_2, &c.samples};
    subpass.colorAttachmentCount = 1;
    subpass.pColorAttachments = &color;
    VkRenderPassCreateInfo2 pass{VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO_2};
    pass.attachmentCount = pass.subpassCount = 1;
    pass.pAttachments = &attachment;
    pass.pSubpasses = &subpass;
    VkRenderPass made = VK_NULL_HANDLE;
    EXPECT_EQ(vkCreateRenderPass2(c.v.device, &pass, nullptr, &made), VK_SUCCESS);
    const VkFramebufferCreateInfo frame{
        VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO, nullptr, 0, made, 1, &c.colors[0].view, 4, 4, 1};
    VkFramebuffer framebuffer = VK_NULL_HANDLE;
    EXPECT_EQ(vkCreateFramebuffer(c.v.device, &frame, nullptr, &framebuffer), VK_SUCCESS);
    s.pass = made;
    const VkPipeline in_pass = c.pipeline(s);
    const VkClearValue clear{};
    const VkRenderPassBeginInfo begin{
        VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO, nullptr, made, framebuffer, {{0, 0}, {4, 4}}, 1, &clear};
    EXPECT_EQ(c.v.run([&](VkCommandBuffer b) {
      vkCmdBeginRenderPass(b, &begin, VK_SUBPASS_CONTENTS_INLINE);
      draw_with(b, in_pass);
      vkCmdEndRenderPass(b);
    }),
              VK_SUCCESS);
    vkDestroyFramebuffer(c.v.device, framebuffer, nullptr);
    vkDestroyRenderPass(c.v.device, made, nullptr);
    return c.pixels();
  };
  EXPECT_THAT(passed(0), Each(kLight));
  EXPECT_THAT(passed(VK_ATTACHMENT_DESCRIPTION_RESOLVE_SKIP_TRANSFER_FUNCTION_BIT_KHR), Each(kStored));
}

// Samples live on while a pass is suspended.
TEST(VulkanSingleSampled, ASuspendedPassKeepsItsSamples) {
  HEDDLE_NEED_SHADERS();
  SingleSampled c;
  const VkSampleMask first = 0b0001, second = 0b0010;
  const VkPipeline a = c.pipeline(four_samples(first, "vec4(1)")), b = c.pipeline(four_samples(second, "vec4(1)"));
  ASSERT_EQ(c.v.run([&](VkCommandBuffer commands) {
    c.begin(commands, true, VK_RENDERING_SUSPENDING_BIT);
    draw_with(commands, a);
    c.end(commands);
    c.begin(commands, true, VK_RENDERING_RESUMING_BIT);
    draw_with(commands, b);
    c.end(commands);
  }),
            VK_SUCCESS);
  EXPECT_THAT(c.pixels(), Each(0x80808080u));
}

// A subpass of a render pass, with depth: the least of the samples' depths is kept where the pass says so.
TEST(VulkanSingleSampled, SubpassesResolveDepth) {
  HEDDLE_NEED_SHADERS();
  SingleSampled c(VK_FORMAT_D32_SFLOAT);
  VkAttachmentDescription2 attachments[2]{{VK_STRUCTURE_TYPE_ATTACHMENT_DESCRIPTION_2},
                                          {VK_STRUCTURE_TYPE_ATTACHMENT_DESCRIPTION_2}};
  for (VkAttachmentDescription2& a : attachments) {
    a.samples = VK_SAMPLE_COUNT_1_BIT;
    a.loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR;
    a.storeOp = VK_ATTACHMENT_STORE_OP_STORE;
    a.stencilLoadOp = VK_ATTACHMENT_LOAD_OP_DONT_CARE;
    a.stencilStoreOp = VK_ATTACHMENT_STORE_OP_DONT_CARE;
    a.initialLayout = a.finalLayout = VK_IMAGE_LAYOUT_GENERAL;
  }
  attachments[0].format = VK_FORMAT_R8G8B8A8_UNORM;
  attachments[1].format = VK_FORMAT_D32_SFLOAT;
  const VkAttachmentReference2 color{VK_STRUCTURE_TYPE_ATTACHMENT_REFERENCE_2, nullptr, 0, VK_IMAGE_LAYOUT_GENERAL,
                                     VK_IMAGE_ASPECT_COLOR_BIT},
      depth{VK_STRUCTURE_TYPE_ATTACHMENT_REFERENCE_2, nullptr, 1, VK_IMAGE_LAYOUT_GENERAL, VK_IMAGE_ASPECT_DEPTH_BIT};
  VkSubpassDescriptionDepthStencilResolve least{VK_STRUCTURE_TYPE_SUBPASS_DESCRIPTION_DEPTH_STENCIL_RESOLVE};
  least.depthResolveMode = VK_RESOLVE_MODE_MIN_BIT;
  c.samples.pNext = &least;
  VkSubpassDescription2 subpass{VK_STRUCTURE_TYPE_SUBPASS_DESCRIPTION_2, &c.samples};
  subpass.colorAttachmentCount = 1;
  subpass.pColorAttachments = &color;
  subpass.pDepthStencilAttachment = &depth;
  VkRenderPassCreateInfo2 passes{VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO_2};
  passes.attachmentCount = 2;
  passes.pAttachments = attachments;
  passes.subpassCount = 1;
  passes.pSubpasses = &subpass;
  VkRenderPass pass = VK_NULL_HANDLE;
  ASSERT_EQ(c.v.proc<PFN_vkCreateRenderPass2KHR>("vkCreateRenderPass2KHR")(c.v.device, &passes, nullptr, &pass),
            VK_SUCCESS);
  const VkImageView views[] = {c.colors[0].view, c.depth.view};
  const VkFramebufferCreateInfo frames{VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO, nullptr, 0, pass, 2, views, 4, 4, 1};
  VkFramebuffer frame = VK_NULL_HANDLE;
  ASSERT_EQ(vkCreateFramebuffer(c.v.device, &frames, nullptr, &frame), VK_SUCCESS);
  const VkSampleMask one = 0b1000;
  PipelineState s = four_samples(one, "vec4(1)");
  s.vertex = covering_vertices("0.25");
  s.depth.depthTestEnable = s.depth.depthWriteEnable = VK_TRUE;
  s.depth.depthCompareOp = VK_COMPARE_OP_LESS;
  s.pass = pass;
  const VkPipeline pipeline = c.pipeline(s);
  ASSERT_EQ(c.v.run([&](VkCommandBuffer b) {
    VkClearValue clear[2]{};
    clear[1].depthStencil.depth = 0.75f;
    const VkRenderPassBeginInfo begin{
        VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO, nullptr, pass, frame, {{0, 0}, {4, 4}}, 2, clear};
    vkCmdBeginRenderPass(b, &begin, VK_SUBPASS_CONTENTS_INLINE);
    draw_with(b, pipeline);
    vkCmdEndRenderPass(b);
  }),
            VK_SUCCESS);
  EXPECT_THAT(c.pixels(), Each(0x40404040u));
  const auto bytes = c.read(c.depth, 4, VK_IMAGE_ASPECT_DEPTH_BIT);
  for (std::size_t i = 0; i < 16; ++i) {
    float z = 0;
    std::memcpy(&z, bytes.data() + 4 * i, 4);
    EXPECT_EQ(z, 0.25f) << i;
  }
  vkDestroyFramebuffer(c.v.device, frame, nullptr);
  vkDestroyRenderPass(c.v.device, pass, nullptr);
}

// --- what depths are clamped to ---

/// The depth that a draw leaves of a vertex depth that is within no viewport's range, with one viewport.
struct ClampedDepth {
  std::vector<const char*> extensions;
  VkFormat format = VK_FORMAT_D32_SFLOAT;
  std::string z;  ///< that the fragment shader writes
  VkBool32 clamp = VK_FALSE;
  std::optional<VkDepthClampRangeEXT> range{};
  bool dynamic_range = false;
};

float depth_of(const ClampedDepth& of) {
  Canvas c(4, 4, {VK_FORMAT_R8G8B8A8_UNORM}, of.format, VK_SAMPLE_COUNT_1_BIT, of.extensions);
  PipelineState s;
  s.vertex = covering_vertices();
  s.fragment =
      "#version 450\nlayout(location = 0) out vec4 o;\nvoid main() { o = vec4(1); gl_FragDepth = " + of.z + "; }\n";
  s.viewport = VkViewport{0, 0, 4, 4, 0.25f, 0.75f};
  s.raster.depthClampEnable = of.clamp;
  s.depth.depthTestEnable = s.depth.depthWriteEnable = VK_TRUE;
  s.depth.depthCompareOp = VK_COMPARE_OP_ALWAYS;
  VkPipelineViewportDepthClampControlCreateInfoEXT control{
      VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_DEPTH_CLAMP_CONTROL_CREATE_INFO_EXT};
  control.depthClampMode = VK_DEPTH_CLAMP_MODE_USER_DEFINED_RANGE_EXT;
  if (of.range && !of.dynamic_range) {
    control.pDepthClampRange = &*of.range;
    s.viewport_chain = &control;
  }
  if (of.dynamic_range) s.dynamic = {VK_DYNAMIC_STATE_DEPTH_CLAMP_RANGE_EXT};
  const VkPipeline pipeline = c.pipeline(s);
  c.draw([&](VkCommandBuffer b) {
    vkCmdBindPipeline(b, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
    if (of.dynamic_range)
      c.v.proc<PFN_vkCmdSetDepthClampRangeEXT>("vkCmdSetDepthClampRangeEXT")(
          b, of.range ? VK_DEPTH_CLAMP_MODE_USER_DEFINED_RANGE_EXT : VK_DEPTH_CLAMP_MODE_VIEWPORT_RANGE_EXT,
          of.range ? &*of.range : nullptr);
    vkCmdDraw(b, 3, 1, 0, 0);
  });
  float z = 0;
  std::memcpy(&z, c.read(c.depth, 4, VK_IMAGE_ASPECT_DEPTH_BIT).data(), 4);
  return z;
}

// OM-6: to 0 to 1 always; formats of floating-point numbers are left alone where depths have no range.
TEST(VulkanDepthClamp, DepthsAreZeroToOne) {
  HEDDLE_NEED_SHADERS();
  HEDDLE_NEED_NEWER();
  constexpr const char *kKhronos = "VK_KHR_depth_clamp_zero_one", *kExt = "VK_EXT_depth_clamp_zero_one",
                       *kWide = VK_EXT_DEPTH_RANGE_UNRESTRICTED_EXTENSION_NAME;
  for (const char* name : {kKhronos, kExt}) {
    EXPECT_EQ(depth_of({{name}, VK_FORMAT_D32_SFLOAT, "2.0"}), 1) << name;
    EXPECT_EQ(depth_of({{name}, VK_FORMAT_D32_SFLOAT, "-2.0"}), 0) << name;
    EXPECT_EQ(depth_of({{name}, VK_FORMAT_D32_SFLOAT, "0.875"}), 0.875f) << name;
    // The viewport's range comes first where depths are clamped to it.
    EXPECT_EQ(depth_of({{name}, VK_FORMAT_D32_SFLOAT, "2.0", VK_TRUE}), 0.75f) << name;
    EXPECT_EQ(depth_of({{name, kWide}, VK_FORMAT_D32_SFLOAT, "2.0"}), 2) << name;
  }
}

TEST(VulkanDepthClamp, TheRangeIsChosen) {
  HEDDLE_NEED_SHADERS();
  HEDDLE_NEED_NEWER();
  const std::vector<const char*> control{"VK_EXT_depth_clamp_control"};
  const VkDepthClampRangeEXT range{0.125f, 0.5f};
  for (const bool dynamic : {false, true}) {
    EXPECT_EQ(depth_of({control, VK_FORMAT_D32_SFLOAT, "0.9", VK_TRUE, range, dynamic}), 0.5f) << dynamic;
    EXPECT_EQ(depth_of({control, VK_FORMAT_D32_SFLOAT, "0.0", VK_TRUE, range, dynamic}), 0.125f) << dynamic;
    EXPECT_EQ(depth_of({control, VK_FORMAT_D32_SFLOAT, "0.9", VK_TRUE, std::nullopt, dynamic}), 0.75f) << dynamic;
    EXPECT_EQ(depth_of({control, VK_FORMAT_D32_SFLOAT, "0.9375", VK_FALSE, range, dynamic}), 0.9375f) << dynamic;
  }
}

}  // namespace
}  // namespace heddle::test
