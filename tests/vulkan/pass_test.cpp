// SPDX-License-Identifier: MIT
// Render passes, subpasses, framebuffers, dynamic rendering.

#include <algorithm>
#include <cstdlib>

#include "vulkan/canvas.hpp"
#include "vulkan/checks.hpp"

namespace heddle::test {
namespace {

constexpr std::uint32_t kRed = 0xff0000ff, kGreen = 0xff00ff00;

std::size_t count_of(const std::vector<std::uint32_t>& pixels, std::uint32_t value) {
  return static_cast<std::size_t>(std::ranges::count(pixels, value));
}
void bind(VkCommandBuffer c, VkPipeline pipeline) { vkCmdBindPipeline(c, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline); }

VkAttachmentDescription attachment(VkFormat format, VkAttachmentLoadOp load,
                                   VkSampleCountFlagBits samples = VK_SAMPLE_COUNT_1_BIT) {
  return {0,
          format,
          samples,
          load,
          VK_ATTACHMENT_STORE_OP_STORE,
          load,
          VK_ATTACHMENT_STORE_OP_STORE,
          VK_IMAGE_LAYOUT_GENERAL,
          VK_IMAGE_LAYOUT_GENERAL};
}

/// A render pass of the first generation with all that its subpasses point to.
struct Pass {
  explicit Pass(Canvas& canvas) : c(canvas) {}
  Canvas& c;
  std::vector<VkAttachmentDescription> attachments;
  std::vector<VkSubpassDescription> subpasses;
  VkRenderPass pass = VK_NULL_HANDLE;
  VkFramebuffer frame = VK_NULL_HANDLE;
  void make(const std::vector<VkImageView>& views, std::uint32_t layers = 1) {
    std::vector<VkSubpassDependency> between;
    for (std::uint32_t i = 1; i < subpasses.size(); ++i)
      between.push_back({i - 1, i, VK_PIPELINE_STAGE_ALL_GRAPHICS_BIT, VK_PIPELINE_STAGE_ALL_GRAPHICS_BIT,
                         VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT, VK_ACCESS_INPUT_ATTACHMENT_READ_BIT,
                         VK_DEPENDENCY_BY_REGION_BIT});
    const VkRenderPassCreateInfo info{VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO,
                                      nullptr,
                                      0,
                                      static_cast<std::uint32_t>(attachments.size()),
                                      attachments.data(),
                                      static_cast<std::uint32_t>(subpasses.size()),
                                      subpasses.data(),
                                      static_cast<std::uint32_t>(between.size()),
                                      between.data()};
    EXPECT_EQ(vkCreateRenderPass(c.v.device, &info, nullptr, &pass), VK_SUCCESS);
    const VkFramebufferCreateInfo frames{VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO,
                                         nullptr,
                                         0,
                                         pass,
                                         static_cast<std::uint32_t>(views.size()),
                                         views.data(),
                                         c.width,
                                         c.height,
                                         layers};
    EXPECT_EQ(vkCreateFramebuffer(c.v.device, &frames, nullptr, &frame), VK_SUCCESS);
    c.v.later([d = c.v.device, p = pass, f = frame] {
      vkDestroyFramebuffer(d, f, nullptr);
      vkDestroyRenderPass(d, p, nullptr);
    });
  }
  void begin(VkCommandBuffer b, const std::vector<VkClearValue>& clears, VkRect2D area,
             VkSubpassContents contents = VK_SUBPASS_CONTENTS_INLINE, const void* chain = nullptr) const {
    const VkRenderPassBeginInfo info{VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO,  chain,        pass, frame, area,
                                     static_cast<std::uint32_t>(clears.size()), clears.data()};
    vkCmdBeginRenderPass(b, &info, contents);
  }
};

VkClearValue color(float r, float g, float b, float a) {
  VkClearValue value{};
  value.color = {{r, g, b, a}};
  return value;
}
VkClearValue depth_stencil(float depth, std::uint32_t stencil) {
  VkClearValue value{};
  value.depthStencil = {depth, stencil};
  return value;
}

TEST(VulkanPass, ClearsWithinTheRenderAreaAndLoadsElsewhere) {
  HEDDLE_NEED_SHADERS();
  Canvas c(8, 8, {VK_FORMAT_R8G8B8A8_UNORM}, VK_FORMAT_D32_SFLOAT_S8_UINT);
  Pass load(c), clear(c);
  const VkAttachmentReference first{0, VK_IMAGE_LAYOUT_GENERAL}, second{1, VK_IMAGE_LAYOUT_GENERAL};
  VkSubpassDescription subpass{};
  subpass.colorAttachmentCount = 1;
  subpass.pColorAttachments = &first;
  subpass.pDepthStencilAttachment = &second;
  clear.attachments = {attachment(VK_FORMAT_R8G8B8A8_UNORM, VK_ATTACHMENT_LOAD_OP_CLEAR),
                       attachment(VK_FORMAT_D32_SFLOAT_S8_UINT, VK_ATTACHMENT_LOAD_OP_CLEAR)};
  load.attachments = {attachment(VK_FORMAT_R8G8B8A8_UNORM, VK_ATTACHMENT_LOAD_OP_LOAD),
                      attachment(VK_FORMAT_D32_SFLOAT_S8_UINT, VK_ATTACHMENT_LOAD_OP_LOAD)};
  load.subpasses = clear.subpasses = {subpass};
  clear.make({c.colors[0].view, c.depth.view});
  load.make({c.colors[0].view, c.depth.view});
  PipelineState s;
  s.pass = load.pass;
  s.vertex = covering_vertices("0.5");
  s.fragment = one_color("vec4(0, 1, 0, 1)");
  s.depth.depthTestEnable = VK_TRUE;
  s.depth.depthCompareOp = VK_COMPARE_OP_GREATER;
  const VkPipeline pipeline = c.pipeline(s);
  EXPECT_EQ(c.v.run([&](VkCommandBuffer b) {
    const auto ordered = [b] {
      constexpr VkAccessFlags kWrites =
          VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT | VK_ACCESS_DEPTH_STENCIL_ATTACHMENT_WRITE_BIT;
      barrier(b, VK_PIPELINE_STAGE_ALL_GRAPHICS_BIT, kWrites, VK_PIPELINE_STAGE_ALL_GRAPHICS_BIT,
              kWrites | VK_ACCESS_COLOR_ATTACHMENT_READ_BIT | VK_ACCESS_DEPTH_STENCIL_ATTACHMENT_READ_BIT);
    };
    clear.begin(b, {color(1, 0, 0, 1), depth_stencil(1, 7)}, {{0, 0}, {8, 8}});
    vkCmdEndRenderPass(b);
    ordered();
    clear.begin(b, {color(0, 0, 1, 1), depth_stencil(0.25f, 9)}, {{2, 1}, {3, 4}});
    const VkClearAttachment one{VK_IMAGE_ASPECT_STENCIL_BIT, 0, depth_stencil(0, 33)};
    const VkClearRect rect{{{2, 1}, {1, 1}}, 0, 1};
    vkCmdClearAttachments(b, 1, &one, 1, &rect);
    vkCmdEndRenderPass(b);
    ordered();
    load.begin(b, {}, {{0, 0}, {8, 4}});  // drawn where depth is 0.25
    bind(b, pipeline);
    vkCmdDraw(b, 3, 1, 0, 0);
    vkCmdEndRenderPass(b);
  }),
            VK_SUCCESS);
  const std::vector<std::uint32_t> pixels = c.pixels();
  EXPECT_EQ(count_of(pixels, kRed), 52u);
  EXPECT_EQ(count_of(pixels, kGreen), 9u);       // three rows of three
  EXPECT_EQ(count_of(pixels, 0xffff0000u), 3u);  // outside the last area
  const std::vector<std::uint8_t> stencil = c.read(c.depth, 1, VK_IMAGE_ASPECT_STENCIL_BIT);
  EXPECT_EQ(std::ranges::count(stencil, 9), 11);
  EXPECT_EQ(std::ranges::count(stencil, 33), 1);
  EXPECT_EQ(std::ranges::count(stencil, 7), 52);
}

// The first subpass draws samples, which it resolves; the second reads both as input attachments.
TEST(VulkanPass, SubpassesInputAttachmentsAndResolves) {
  HEDDLE_NEED_SHADERS();
  Canvas c(8, 8);
  const auto many = c.attachment(VK_FORMAT_R8G8B8A8_UNORM, VK_SAMPLE_COUNT_4_BIT, VK_IMAGE_USAGE_INPUT_ATTACHMENT_BIT);
  const auto single =
      c.attachment(VK_FORMAT_R8G8B8A8_UNORM, VK_SAMPLE_COUNT_1_BIT, VK_IMAGE_USAGE_INPUT_ATTACHMENT_BIT);
  Pass pass(c);
  const VkAttachmentReference samples{0, VK_IMAGE_LAYOUT_GENERAL}, mean{1, VK_IMAGE_LAYOUT_GENERAL},
      out{2, VK_IMAGE_LAYOUT_GENERAL}, inputs[] = {samples, mean};
  pass.attachments = {attachment(VK_FORMAT_R8G8B8A8_UNORM, VK_ATTACHMENT_LOAD_OP_CLEAR, VK_SAMPLE_COUNT_4_BIT),
                      attachment(VK_FORMAT_R8G8B8A8_UNORM, VK_ATTACHMENT_LOAD_OP_DONT_CARE),
                      attachment(VK_FORMAT_R8G8B8A8_UNORM, VK_ATTACHMENT_LOAD_OP_CLEAR)};
  VkSubpassDescription first{}, second{};
  first.colorAttachmentCount = second.colorAttachmentCount = 1;
  first.pColorAttachments = &samples;
  first.pResolveAttachments = &mean;
  second.pColorAttachments = &out;
  second.inputAttachmentCount = 2;
  second.pInputAttachments = inputs;
  pass.subpasses = {first, second};
  pass.make({many.view, single.view, c.colors[0].view});
  const std::vector<VulkanDevice::Binding> bindings{{0, VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT},
                                                    {1, VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT}};
  c.v.stages = VK_SHADER_STAGE_FRAGMENT_BIT;
  const auto set_layout = c.v.set_layout(bindings);
  const auto set = c.v.set(set_layout, bindings);
  c.v.write(set, 0, VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT, many.view, VK_NULL_HANDLE);
  c.v.write(set, 1, VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT, single.view, VK_NULL_HANDLE);
  PipelineState s;
  s.pass = pass.pass;
  s.samples.rasterizationSamples = VK_SAMPLE_COUNT_4_BIT;
  s.vertex = covering_vertices();
  s.fragment = one_color("vec4(gl_SampleID == 2 ? 1 : 0, 0.2, floor(gl_FragCoord.x) / 255, 1)");
  const VkPipeline draw = c.pipeline(s);
  s.subpass = 1;
  s.layout = c.v.layout({set_layout});
  s.samples.rasterizationSamples = VK_SAMPLE_COUNT_1_BIT;
  s.fragment =
      "#version 450\nlayout(input_attachment_index = 0, binding = 0) uniform subpassInputMS a;\n"
      "layout(input_attachment_index = 1, binding = 1) uniform subpassInput b;\nlayout(location = 0) out vec4 o;\n"
      "void main() { o = vec4(subpassLoad(a, 2).r, subpassLoad(a, 1).r + subpassLoad(b).r, subpassLoad(b).ba); }\n";
  const VkPipeline combine = c.pipeline(s);
  EXPECT_EQ(c.v.run([&](VkCommandBuffer b) {
    pass.begin(b, {color(0, 0, 0, 0), color(0, 0, 0, 0), color(0, 0, 0, 0)}, {{0, 0}, {8, 8}});
    bind(b, draw);
    vkCmdDraw(b, 3, 1, 0, 0);
    vkCmdNextSubpass(b, VK_SUBPASS_CONTENTS_INLINE);
    bind(b, combine);
    vkCmdBindDescriptorSets(b, VK_PIPELINE_BIND_POINT_GRAPHICS, s.layout, 0, 1, &set, 0, nullptr);
    vkCmdDraw(b, 3, 1, 0, 0);
    vkCmdEndRenderPass(b);
  }),
            VK_SUCCESS);
  const std::vector<std::uint32_t> pixels = c.pixels();
  for (std::uint32_t i = 0; i < 64; ++i) ASSERT_EQ(pixels[i], 0xff0040ffu | (i % 8) << 16) << i;
}

// An attachment that a pass only reads is cleared when its first subpass begins, like those that are drawn to.
TEST(VulkanPass, InputAttachmentsAreClearedToo) {
  HEDDLE_NEED_SHADERS();
  Canvas c(8, 8);
  c.v.expects_messages =
      std::getenv("HEDDLE_TEST_VALIDATION") != nullptr;  // older rules of the layer have no such clear
  const auto read = c.attachment(VK_FORMAT_R8G8B8A8_UNORM, VK_SAMPLE_COUNT_1_BIT, VK_IMAGE_USAGE_INPUT_ATTACHMENT_BIT);
  Pass pass(c);
  const VkAttachmentReference in{0, VK_IMAGE_LAYOUT_GENERAL}, out{1, VK_IMAGE_LAYOUT_GENERAL};
  pass.attachments = {attachment(VK_FORMAT_R8G8B8A8_UNORM, VK_ATTACHMENT_LOAD_OP_CLEAR),
                      attachment(VK_FORMAT_R8G8B8A8_UNORM, VK_ATTACHMENT_LOAD_OP_CLEAR)};
  VkSubpassDescription subpass{};
  subpass.colorAttachmentCount = subpass.inputAttachmentCount = 1;
  subpass.pColorAttachments = &out;
  subpass.pInputAttachments = &in;
  pass.subpasses = {subpass};
  pass.make({read.view, c.colors[0].view});
  const std::vector<VulkanDevice::Binding> bindings{{0, VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT}};
  c.v.stages = VK_SHADER_STAGE_FRAGMENT_BIT;
  const auto set_layout = c.v.set_layout(bindings);
  const auto set = c.v.set(set_layout, bindings);
  c.v.write(set, 0, VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT, read.view, VK_NULL_HANDLE);
  PipelineState s;
  s.pass = pass.pass;
  s.layout = c.v.layout({set_layout});
  s.vertex = covering_vertices();
  s.fragment =
      "#version 450\nlayout(input_attachment_index = 0, binding = 0) uniform subpassInput a;\n"
      "layout(location = 0) out vec4 o;\nvoid main() { o = subpassLoad(a); }\n";
  const VkPipeline pipeline = c.pipeline(s);
  EXPECT_EQ(c.v.run([&](VkCommandBuffer b) {
    pass.begin(b, {color(0, 1, 0, 1), color(1, 0, 0, 1)}, {{0, 0}, {8, 8}});
    bind(b, pipeline);
    vkCmdBindDescriptorSets(b, VK_PIPELINE_BIND_POINT_GRAPHICS, s.layout, 0, 1, &set, 0, nullptr);
    vkCmdDraw(b, 3, 1, 0, 0);
    vkCmdEndRenderPass(b);
  }),
            VK_SUCCESS);
  EXPECT_EQ(count_of(c.pixels(), kGreen), 64u);
}

TEST(VulkanPass, DepthAndStencilResolve) {
  HEDDLE_NEED_SHADERS();
  Canvas c(4, 4, {}, VK_FORMAT_D32_SFLOAT_S8_UINT, VK_SAMPLE_COUNT_4_BIT);
  const auto one = c.attachment(VK_FORMAT_D32_SFLOAT_S8_UINT, VK_SAMPLE_COUNT_1_BIT);
  PipelineState s;
  s.vertex = covering_vertices("0.5");
  s.fragment = "#version 450\nvoid main() { gl_FragDepth = 0.125 * (gl_SampleID + 1); }\n";
  s.depth.depthTestEnable = s.depth.depthWriteEnable = s.depth.stencilTestEnable = VK_TRUE;
  s.depth.depthCompareOp = VK_COMPARE_OP_LESS;
  s.depth.front = {VK_STENCIL_OP_KEEP, VK_STENCIL_OP_REPLACE, VK_STENCIL_OP_KEEP, VK_COMPARE_OP_ALWAYS, 255, 255, 5};
  s.depth.back = s.depth.front;
  const VkPipeline pipeline = c.pipeline(s);
  const auto begin = c.v.proc<PFN_vkCmdBeginRenderingKHR>("vkCmdBeginRenderingKHR");
  VkRenderingAttachmentInfo depth{VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO};
  depth.imageView = c.depth.view;
  depth.imageLayout = depth.resolveImageLayout = VK_IMAGE_LAYOUT_GENERAL;
  depth.loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR;
  depth.storeOp = VK_ATTACHMENT_STORE_OP_STORE;
  depth.clearValue.depthStencil = {1, 0};
  depth.resolveMode = VK_RESOLVE_MODE_SAMPLE_ZERO_BIT;
  depth.resolveImageView = one.view;
  VkRenderingInfo info{VK_STRUCTURE_TYPE_RENDERING_INFO};
  info.renderArea = {{0, 0}, {4, 4}};
  info.layerCount = 1;
  info.pDepthAttachment = info.pStencilAttachment = &depth;
  EXPECT_EQ(c.v.run([&](VkCommandBuffer b) {
    begin(b, &info);
    bind(b, pipeline);
    vkCmdDraw(b, 3, 1, 0, 0);
    c.end(b);
  }),
            VK_SUCCESS);
  float value = 0;
  std::memcpy(&value, c.read(one, 4, VK_IMAGE_ASPECT_DEPTH_BIT).data(), 4);
  EXPECT_EQ(value, 0.125f);
  EXPECT_EQ(std::ranges::count(c.read(one, 1, VK_IMAGE_ASPECT_STENCIL_BIT), 5), 16);
}

// Samples of depth 1/8, 2/8, 3/8, 4/8 and stencil 8, 4, 2, 1: the first, the least, the greatest, the mean.
TEST(VulkanPass, DepthAndStencilResolveInEveryMode_TRF16) {
  HEDDLE_NEED_SHADERS();
  Canvas c(4, 4, {}, VK_FORMAT_D32_SFLOAT_S8_UINT, VK_SAMPLE_COUNT_4_BIT);
  VkPhysicalDeviceVulkan12Properties can{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_PROPERTIES};
  VkPhysicalDeviceProperties2 all{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, &can, {}};
  vkGetPhysicalDeviceProperties2(c.v.physical, &all);
  EXPECT_EQ(can.supportedDepthResolveModes, VK_RESOLVE_MODE_SAMPLE_ZERO_BIT | VK_RESOLVE_MODE_AVERAGE_BIT |
                                                VK_RESOLVE_MODE_MIN_BIT | VK_RESOLVE_MODE_MAX_BIT);
  EXPECT_EQ(can.supportedStencilResolveModes,
            VK_RESOLVE_MODE_SAMPLE_ZERO_BIT | VK_RESOLVE_MODE_MIN_BIT | VK_RESOLVE_MODE_MAX_BIT);
  const auto one = c.attachment(VK_FORMAT_D32_SFLOAT_S8_UINT, VK_SAMPLE_COUNT_1_BIT);
  PipelineState s;
  s.vertex = covering_vertices("0.5");
  s.fragment = "#version 450\nvoid main() { gl_FragDepth = 0.125 * (gl_SampleID + 1); }\n";
  s.depth.depthTestEnable = s.depth.depthWriteEnable = s.depth.stencilTestEnable = VK_TRUE;
  s.depth.depthCompareOp = VK_COMPARE_OP_ALWAYS;
  std::vector<VkPipeline> pipelines;
  for (std::uint32_t sample = 0; sample < 4; ++sample) {  // a draw for each sample, as the stencil differs
    s.depth.front = {VK_STENCIL_OP_KEEP, VK_STENCIL_OP_REPLACE, VK_STENCIL_OP_KEEP, VK_COMPARE_OP_ALWAYS, 255, 255,
                     8u >> sample};
    s.depth.back = s.depth.front;
    const VkSampleMask mask = 1u << sample;
    s.samples.pSampleMask = &mask;
    pipelines.push_back(c.pipeline(s));
  }
  const auto begin = c.v.proc<PFN_vkCmdBeginRenderingKHR>("vkCmdBeginRenderingKHR");
  const struct {
    VkResolveModeFlagBits depth, stencil;
    float far;
    std::uint8_t mark;
  } cases[] = {{VK_RESOLVE_MODE_SAMPLE_ZERO_BIT, VK_RESOLVE_MODE_SAMPLE_ZERO_BIT, 0.125f, 8},
               {VK_RESOLVE_MODE_MIN_BIT, VK_RESOLVE_MODE_MAX_BIT, 0.125f, 8},
               {VK_RESOLVE_MODE_MAX_BIT, VK_RESOLVE_MODE_MIN_BIT, 0.5f, 1},
               {VK_RESOLVE_MODE_AVERAGE_BIT, VK_RESOLVE_MODE_SAMPLE_ZERO_BIT, 0.3125f, 8}};
  for (const auto& each : cases) {
    VkRenderingAttachmentInfo depth{VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO};
    depth.imageView = c.depth.view;
    depth.imageLayout = depth.resolveImageLayout = VK_IMAGE_LAYOUT_GENERAL;
    depth.loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR;
    depth.storeOp = VK_ATTACHMENT_STORE_OP_STORE;
    depth.clearValue.depthStencil = {1, 0};
    depth.resolveMode = each.depth;
    depth.resolveImageView = one.view;
    VkRenderingAttachmentInfo stencil = depth;
    stencil.resolveMode = each.stencil;
    VkRenderingInfo info{VK_STRUCTURE_TYPE_RENDERING_INFO};
    info.renderArea = {{0, 0}, {4, 4}};
    info.layerCount = 1;
    info.pDepthAttachment = &depth;
    info.pStencilAttachment = &stencil;
    EXPECT_EQ(c.v.run([&](VkCommandBuffer b) {
      begin(b, &info);
      for (const VkPipeline pipeline : pipelines) {
        bind(b, pipeline);
        vkCmdDraw(b, 3, 1, 0, 0);
      }
      c.end(b);
    }),
              VK_SUCCESS);
    float value = 0;
    std::memcpy(&value, c.read(one, 4, VK_IMAGE_ASPECT_DEPTH_BIT).data(), 4);
    EXPECT_EQ(value, each.far) << each.depth;
    EXPECT_EQ(std::ranges::count(c.read(one, 1, VK_IMAGE_ASPECT_STENCIL_BIT), each.mark), 16) << each.stencil;
  }
}

TEST(VulkanPass, ImagelessFramebuffersLevelsAndLayers) {
  HEDDLE_NEED_SHADERS();
  Canvas c(8, 8, {VK_FORMAT_R8G8B8A8_UNORM}, VK_FORMAT_UNDEFINED, VK_SAMPLE_COUNT_1_BIT,
           {VK_KHR_IMAGELESS_FRAMEBUFFER_EXTENSION_NAME, VK_KHR_IMAGE_FORMAT_LIST_EXTENSION_NAME});
  VkImageCreateInfo image_info = VulkanDevice::image_info(VK_FORMAT_R8G8B8A8_UNORM, 16, 16);
  image_info.mipLevels = 2;
  image_info.arrayLayers = 3;
  image_info.usage |= VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT;
  const auto image = c.v.image(image_info);
  const VkImageView view =
      c.v.view(image.image, VK_FORMAT_R8G8B8A8_UNORM, VK_IMAGE_VIEW_TYPE_2D, {VK_IMAGE_ASPECT_COLOR_BIT, 1, 1, 2, 1});
  Pass pass(c);
  const VkAttachmentReference first{0, VK_IMAGE_LAYOUT_GENERAL};
  VkSubpassDescription subpass{};
  subpass.colorAttachmentCount = 1;
  subpass.pColorAttachments = &first;
  pass.attachments = {attachment(VK_FORMAT_R8G8B8A8_UNORM, VK_ATTACHMENT_LOAD_OP_CLEAR)};
  pass.subpasses = {subpass};
  pass.make({c.colors[0].view});
  const VkFormat format = VK_FORMAT_R8G8B8A8_UNORM;
  const VkFramebufferAttachmentImageInfo what{
      VK_STRUCTURE_TYPE_FRAMEBUFFER_ATTACHMENT_IMAGE_INFO, nullptr, 0, image_info.usage, 8, 8, 1, 1, &format};
  const VkFramebufferAttachmentsCreateInfo attachments{VK_STRUCTURE_TYPE_FRAMEBUFFER_ATTACHMENTS_CREATE_INFO, nullptr,
                                                       1, &what};
  VkFramebufferCreateInfo frame{VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO,
                                &attachments,
                                VK_FRAMEBUFFER_CREATE_IMAGELESS_BIT,
                                pass.pass,
                                1,
                                nullptr,
                                8,
                                8,
                                1};
  ASSERT_EQ(vkCreateFramebuffer(c.v.device, &frame, nullptr, &pass.frame), VK_SUCCESS);
  c.v.later([d = c.v.device, f = pass.frame] { vkDestroyFramebuffer(d, f, nullptr); });
  const VkRenderPassAttachmentBeginInfo given{VK_STRUCTURE_TYPE_RENDER_PASS_ATTACHMENT_BEGIN_INFO, nullptr, 1, &view};
  PipelineState s;
  s.pass = pass.pass;
  s.vertex = covering_vertices();
  s.fragment = one_color("vec4(0, 1, 0, 1)");
  s.scissor = VkRect2D{{0, 0}, {4, 8}};
  const VkPipeline pipeline = c.pipeline(s);
  EXPECT_EQ(c.v.run([&](VkCommandBuffer b) {
    pass.begin(b, {color(1, 0, 0, 1)}, {{0, 0}, {8, 8}}, VK_SUBPASS_CONTENTS_INLINE, &given);
    bind(b, pipeline);
    vkCmdDraw(b, 3, 1, 0, 0);
    vkCmdEndRenderPass(b);
  }),
            VK_SUCCESS);
  const auto out = c.v.buffer((256 * 3 + 64 * 3) * 4);
  const VkBufferImageCopy regions[] = {{0, 0, 0, {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 3}, {}, {16, 16, 1}},
                                       {256 * 3 * 4, 0, 0, {VK_IMAGE_ASPECT_COLOR_BIT, 1, 0, 3}, {}, {8, 8, 1}}};
  EXPECT_EQ(c.v.run([&](VkCommandBuffer b) {
    vkCmdCopyImageToBuffer(b, image.image, VK_IMAGE_LAYOUT_GENERAL, out.buffer, 2, regions);
  }),
            VK_SUCCESS);
  for (std::size_t i = 0; i < 256 * 3 + 128; ++i) ASSERT_EQ(out.word(i), 0u) << i;  // other levels and layers
  for (std::size_t i = 0; i < 64; ++i) ASSERT_EQ(out.word(256 * 3 + 128 + i), i % 8 < 4 ? kGreen : kRed) << i;
}

TEST(VulkanPass, SecondaryCommandBuffersDrawIntoThePass) {
  HEDDLE_NEED_SHADERS();
  Canvas c(8, 8);
  Pass pass(c);
  const VkAttachmentReference first{0, VK_IMAGE_LAYOUT_GENERAL};
  VkSubpassDescription subpass{};
  subpass.colorAttachmentCount = 1;
  subpass.pColorAttachments = &first;
  pass.attachments = {attachment(VK_FORMAT_R8G8B8A8_UNORM, VK_ATTACHMENT_LOAD_OP_CLEAR)};
  pass.subpasses = {subpass};
  pass.make({c.colors[0].view});
  PipelineState s;
  s.pass = pass.pass;
  s.vertex = covering_vertices();
  s.fragment = one_color("vec4(0, 1, 0, 1)");
  s.dynamic = {VK_DYNAMIC_STATE_SCISSOR};
  const VkPipeline pipeline = c.pipeline(s);
  const VkCommandBuffer parts[] = {c.v.commands(VK_COMMAND_BUFFER_LEVEL_SECONDARY),
                                   c.v.commands(VK_COMMAND_BUFFER_LEVEL_SECONDARY)};
  for (int i = 0; i < 2; ++i) {
    VkCommandBufferInheritanceInfo inherited{VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_INFO};
    inherited.renderPass = pass.pass;
    const VkCommandBufferBeginInfo begin{VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO, nullptr,
                                         VK_COMMAND_BUFFER_USAGE_RENDER_PASS_CONTINUE_BIT, &inherited};
    EXPECT_EQ(vkBeginCommandBuffer(parts[i], &begin), VK_SUCCESS);
    bind(parts[i], pipeline);
    const VkRect2D scissor{{i * 4, i * 4}, {4, 4}};
    vkCmdSetScissor(parts[i], 0, 1, &scissor);
    vkCmdDraw(parts[i], 3, 1, 0, 0);
    EXPECT_EQ(vkEndCommandBuffer(parts[i]), VK_SUCCESS);
  }
  EXPECT_EQ(c.v.run([&](VkCommandBuffer b) {
    pass.begin(b, {color(1, 0, 0, 1)}, {{0, 0}, {8, 8}}, VK_SUBPASS_CONTENTS_SECONDARY_COMMAND_BUFFERS);
    vkCmdExecuteCommands(b, 2, parts);
    vkCmdEndRenderPass(b);
  }),
            VK_SUCCESS);
  const std::vector<std::uint32_t> pixels = c.pixels();
  EXPECT_EQ(count_of(pixels, kGreen), 32u);
  EXPECT_EQ(pixels[0], kGreen);
  EXPECT_EQ(pixels[4], kRed);
}

TEST(VulkanPass, SuspendedRenderingGoesOn) {
  HEDDLE_NEED_SHADERS();
  Canvas c(4, 4, {VK_FORMAT_R8G8B8A8_UNORM}, VK_FORMAT_UNDEFINED, VK_SAMPLE_COUNT_4_BIT);
  PipelineState s;
  s.vertex = covering_vertices();
  s.fragment = one_color("vec4(0, 1, 0, 1)");
  s.scissor = VkRect2D{{0, 0}, {2, 4}};
  const VkPipeline left = c.pipeline(s);
  s.scissor = VkRect2D{{2, 0}, {2, 2}};
  const VkPipeline right = c.pipeline(s);
  EXPECT_EQ(c.v.run([&](VkCommandBuffer b) {
    c.begin(b, true, VK_RENDERING_SUSPENDING_BIT);
    bind(b, left);
    vkCmdDraw(b, 3, 1, 0, 0);
    c.end(b);
    c.begin(b, true, VK_RENDERING_RESUMING_BIT);  // does not clear again
    bind(b, right);
    vkCmdDraw(b, 3, 1, 0, 0);
    c.end(b);
  }),
            VK_SUCCESS);
  EXPECT_EQ(count_of(c.pixels(), kGreen), 12u);
}

// Each view begins when the first subpass with it uses the attachment, and commands without a layer leave the other
// views alone.
TEST(VulkanPass, ViewsOfSubpassesAreTheirOwn) {
  HEDDLE_NEED_SHADERS();
  Canvas c(4, 4, {VK_FORMAT_R8G8B8A8_UNORM}, VK_FORMAT_UNDEFINED, VK_SAMPLE_COUNT_1_BIT,
           {VK_KHR_MULTIVIEW_EXTENSION_NAME});
  const Canvas::Attachment target = c.attachment(VK_FORMAT_R8G8B8A8_UNORM, VK_SAMPLE_COUNT_1_BIT, 0, 4);
  VkAttachmentDescription a{};
  a.format = VK_FORMAT_R8G8B8A8_UNORM;
  a.samples = VK_SAMPLE_COUNT_1_BIT;
  a.loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR;
  a.initialLayout = VK_IMAGE_LAYOUT_UNDEFINED;
  a.finalLayout = VK_IMAGE_LAYOUT_GENERAL;
  const VkAttachmentReference reference{0, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL};
  VkSubpassDescription subpass{};
  subpass.colorAttachmentCount = 1;
  subpass.pColorAttachments = &reference;
  const VkSubpassDescription subpasses[] = {subpass, subpass};
  const std::uint32_t masks[] = {0b0101, 0b1010};
  VkRenderPassMultiviewCreateInfo views{VK_STRUCTURE_TYPE_RENDER_PASS_MULTIVIEW_CREATE_INFO};
  views.subpassCount = 2;
  views.pViewMasks = masks;
  const VkSubpassDependency order{0,
                                  1,
                                  VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT,
                                  VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT,
                                  VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT,
                                  VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT,
                                  VK_DEPENDENCY_BY_REGION_BIT};
  const VkRenderPassCreateInfo info{
      VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO, &views, 0, 1, &a, 2, subpasses, 1, &order};
  VkRenderPass pass = VK_NULL_HANDLE;
  ASSERT_EQ(vkCreateRenderPass(c.v.device, &info, nullptr, &pass), VK_SUCCESS);
  const VkFramebufferCreateInfo frame{
      VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO, nullptr, 0, pass, 1, &target.view, 4, 4, 1};
  VkFramebuffer framebuffer = VK_NULL_HANDLE;
  ASSERT_EQ(vkCreateFramebuffer(c.v.device, &frame, nullptr, &framebuffer), VK_SUCCESS);
  c.v.run([&](VkCommandBuffer commands) {
    VkClearValue green{};
    green.color.float32[1] = 1;
    const VkRenderPassBeginInfo begin{
        VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO, nullptr, pass, framebuffer, {{0, 0}, {4, 4}}, 1, &green};
    vkCmdBeginRenderPass(commands, &begin, VK_SUBPASS_CONTENTS_INLINE);
    vkCmdNextSubpass(commands, VK_SUBPASS_CONTENTS_INLINE);
    VkClearAttachment blue{VK_IMAGE_ASPECT_COLOR_BIT, 0, {}};
    blue.clearValue.color.float32[2] = 1;
    const VkClearRect corner{{{0, 0}, {1, 1}}, 0, 1};
    vkCmdClearAttachments(commands, 1, &blue, 1, &corner);
    vkCmdEndRenderPass(commands);
  });
  for (std::uint32_t layer = 0; layer < 4; ++layer) {
    const std::vector<std::uint8_t> texels = c.read(target, 4, 0, layer);
    EXPECT_EQ(texels[1], layer % 2 == 0 ? 255 : 0) << "the corner of layer " << layer;
    EXPECT_EQ(texels[2], layer % 2 == 0 ? 0 : 255) << "the corner of layer " << layer;
    EXPECT_EQ(texels[5], 255) << "layer " << layer;
  }
  vkDestroyFramebuffer(c.v.device, framebuffer, nullptr);
  vkDestroyRenderPass(c.v.device, pass, nullptr);
}

// Input attachments are read in the view's own layer (SPV-27); a time that is written in a pass takes one query for
// each view, all of which become available.
TEST(VulkanPass, ViewsReadTheirOwnLayers) {
  HEDDLE_NEED_SHADERS();
  Canvas c(4, 4, {VK_FORMAT_R8G8B8A8_UNORM}, VK_FORMAT_UNDEFINED, VK_SAMPLE_COUNT_1_BIT,
           {VK_KHR_MULTIVIEW_EXTENSION_NAME});
  c.v.stages = VK_SHADER_STAGE_FRAGMENT_BIT;
  const Canvas::Attachment from = c.attachment(VK_FORMAT_R8G8B8A8_UNORM, VK_SAMPLE_COUNT_1_BIT,
                                               VK_IMAGE_USAGE_INPUT_ATTACHMENT_BIT, 3),
                           to = c.attachment(VK_FORMAT_R8G8B8A8_UNORM, VK_SAMPLE_COUNT_1_BIT, 0, 3);
  const VkAttachmentDescription attachments[] = {attachment(VK_FORMAT_R8G8B8A8_UNORM, VK_ATTACHMENT_LOAD_OP_CLEAR),
                                                 attachment(VK_FORMAT_R8G8B8A8_UNORM, VK_ATTACHMENT_LOAD_OP_CLEAR)};
  const VkAttachmentReference first{0, VK_IMAGE_LAYOUT_GENERAL}, second{1, VK_IMAGE_LAYOUT_GENERAL};
  VkSubpassDescription subpasses[2] = {};
  subpasses[0].colorAttachmentCount = subpasses[1].colorAttachmentCount = subpasses[1].inputAttachmentCount = 1;
  subpasses[0].pColorAttachments = subpasses[1].pInputAttachments = &first;
  subpasses[1].pColorAttachments = &second;
  const std::uint32_t masks[] = {0b101, 0b101};
  VkRenderPassMultiviewCreateInfo views{VK_STRUCTURE_TYPE_RENDER_PASS_MULTIVIEW_CREATE_INFO};
  views.subpassCount = 2;
  views.pViewMasks = masks;
  const VkSubpassDependency order{0,
                                  1,
                                  VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT,
                                  VK_PIPELINE_STAGE_FRAGMENT_SHADER_BIT,
                                  VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT,
                                  VK_ACCESS_INPUT_ATTACHMENT_READ_BIT,
                                  VK_DEPENDENCY_BY_REGION_BIT};
  const VkRenderPassCreateInfo info{
      VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO, &views, 0, 2, attachments, 2, subpasses, 1, &order};
  PipelineState s;
  ASSERT_EQ(vkCreateRenderPass(c.v.device, &info, nullptr, &s.pass), VK_SUCCESS);
  const VkImageView shown[] = {from.view, to.view};
  const VkFramebufferCreateInfo frame{VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO, nullptr, 0, s.pass, 2, shown, 4, 4, 1};
  VkFramebuffer framebuffer = VK_NULL_HANDLE;
  ASSERT_EQ(vkCreateFramebuffer(c.v.device, &frame, nullptr, &framebuffer), VK_SUCCESS);
  s.vertex = covering_vertices();
  s.fragment =
      "#version 450\n#extension GL_EXT_multiview : require\nlayout(location = 0) out vec4 o;\n"
      "void main() { o = vec4((gl_ViewIndex + 1) * 20, floor(gl_FragCoord.x), 0, 255) / 255; }\n";
  const VkPipeline draw = c.pipeline(s);
  const std::vector<VulkanDevice::Binding> bindings{{0, VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT}};
  const auto set_layout = c.v.set_layout(bindings);
  const auto set = c.v.set(set_layout, bindings);
  c.v.write(set, 0, VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT, from.view, VK_NULL_HANDLE);
  s.layout = c.v.layout({set_layout});
  s.subpass = 1;
  s.fragment =
      "#version 450\nlayout(input_attachment_index = 0, binding = 0) uniform subpassInput a;\n"
      "layout(location = 0) out vec4 o;\nvoid main() { o = subpassLoad(a) * 2; }\n";
  const VkPipeline read = c.pipeline(s);
  VkQueryPoolCreateInfo times{VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO};
  times.queryType = VK_QUERY_TYPE_TIMESTAMP;
  times.queryCount = 3;
  VkQueryPool pool = VK_NULL_HANDLE;
  ASSERT_EQ(vkCreateQueryPool(c.v.device, &times, nullptr, &pool), VK_SUCCESS);
  EXPECT_EQ(c.v.run([&](VkCommandBuffer commands) {
    vkCmdResetQueryPool(commands, pool, 0, 3);
    const VkClearValue values[2] = {};
    const VkRenderPassBeginInfo begin{
        VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO, nullptr, s.pass, framebuffer, {{0, 0}, {4, 4}}, 2, values};
    vkCmdBeginRenderPass(commands, &begin, VK_SUBPASS_CONTENTS_INLINE);
    bind(commands, draw);
    vkCmdDraw(commands, 3, 1, 0, 0);
    vkCmdNextSubpass(commands, VK_SUBPASS_CONTENTS_INLINE);
    bind(commands, read);
    vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, s.layout, 0, 1, &set, 0, nullptr);
    vkCmdDraw(commands, 3, 1, 0, 0);
    vkCmdWriteTimestamp(commands, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, pool, 0);
    vkCmdEndRenderPass(commands);
  }),
            VK_SUCCESS);
  for (const std::uint32_t layer : {0u, 2u}) {
    const std::vector<std::uint8_t> texels = c.read(to, 4, 0, layer);
    for (std::uint32_t x = 0; x < 4; ++x) {
      EXPECT_EQ(texels[4 * x], (layer + 1) * 40) << "layer " << layer;
      EXPECT_EQ(texels[4 * x + 1], 2 * x) << "layer " << layer;
    }
  }
  std::uint64_t written[3][2] = {};
  EXPECT_EQ(vkGetQueryPoolResults(c.v.device, pool, 0, 3, sizeof written, written, sizeof written[0],
                                  VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WITH_AVAILABILITY_BIT),
            VK_NOT_READY);
  EXPECT_NE(written[0][0], 0u);
  EXPECT_EQ(written[0][1], 1u);
  EXPECT_EQ(written[1][1], 1u);
  EXPECT_EQ(written[2][1], 0u);
  vkDestroyQueryPool(c.v.device, pool, nullptr);
  vkDestroyFramebuffer(c.v.device, framebuffer, nullptr);
  vkDestroyRenderPass(c.v.device, s.pass, nullptr);
}

// Vulkan ignores the pointers to state behind a rasterizer that discards everything: they may be anything.
TEST(VulkanPass, IgnoredStateIsNotLookedAt) {
  HEDDLE_NEED_SHADERS();
  if (std::getenv("HEDDLE_TEST_VALIDATION") != nullptr) GTEST_SKIP() << "pointers to nowhere are for the driver";
  Canvas c(4, 4);
  const VkShaderModule module = c.v.module(covering_vertices(), "vert");
  const VkPipelineShaderStageCreateInfo stage{VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                                              nullptr,
                                              0,
                                              VK_SHADER_STAGE_VERTEX_BIT,
                                              module,
                                              "main",
                                              nullptr};
  const VkPipelineVertexInputStateCreateInfo input{VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO};
  const VkPipelineInputAssemblyStateCreateInfo assembly{VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO,
                                                        nullptr, 0, VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST, VK_FALSE};
  VkPipelineRasterizationStateCreateInfo raster{VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO};
  raster.rasterizerDiscardEnable = VK_TRUE;
  raster.lineWidth = 1;
  const auto nowhere = [](auto*& pointer) {
    pointer = reinterpret_cast<std::remove_reference_t<decltype(pointer)>>(std::uintptr_t{16});
  };
  VkGraphicsPipelineCreateInfo info{VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO};
  const VkPipelineRenderingCreateInfo rendering{VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO};
  info.pNext = &rendering;
  info.stageCount = 1;
  info.pStages = &stage;
  info.pVertexInputState = &input;
  info.pInputAssemblyState = &assembly;
  info.pRasterizationState = &raster;
  nowhere(info.pViewportState);
  nowhere(info.pMultisampleState);
  nowhere(info.pDepthStencilState);
  nowhere(info.pColorBlendState);
  info.layout = c.plain_layout;
  VkPipeline made = VK_NULL_HANDLE;
  EXPECT_EQ(vkCreateGraphicsPipelines(c.v.device, VK_NULL_HANDLE, 1, &info, nullptr, &made), VK_SUCCESS);
  vkDestroyPipeline(c.v.device, made, nullptr);
  vkDestroyShaderModule(c.v.device, module, nullptr);
}

}  // namespace
}  // namespace heddle::test
