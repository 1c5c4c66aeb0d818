// SPDX-License-Identifier: MIT
// Attachments that shaders read while draws write them: in rasterization order, and in feedback loops.
// Rules: FBO-8, run-barrier-missing.

#include <cstring>
#include <functional>
#include <optional>

#include "vulkan/canvas.hpp"
#include "vulkan/checks.hpp"

namespace heddle::test {
namespace {

constexpr std::uint32_t kSize = 32;
constexpr VkDescriptorType kInput = VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT,
                           kSampled = VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER;

/// How shaders read the attachments.
enum class Way { Barriers, Ordered, Loop };

/// A pass of one subpass that draws to a color of words and to depth and stencil; the shader reads all of them at its
/// pixel: bindings 0, 1 and 2. Draws cover everything; instance i has the depth (i + 1) / 4 and counts stencil up.
struct ReadPass {
  explicit ReadPass(Way w, VkFormat depth_format = VK_FORMAT_D32_SFLOAT_S8_UINT)
      : c(kSize, kSize, {}, VK_FORMAT_UNDEFINED, VK_SAMPLE_COUNT_1_BIT,
          {w == Way::Loop ? VK_EXT_ATTACHMENT_FEEDBACK_LOOP_LAYOUT_EXTENSION_NAME
                          : VK_EXT_RASTERIZATION_ORDER_ATTACHMENT_ACCESS_EXTENSION_NAME}),
        way(w) {
    const VkImageUsageFlags usage = way == Way::Loop
                                        ? VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_ATTACHMENT_FEEDBACK_LOOP_BIT_EXT
                                        : VK_IMAGE_USAGE_INPUT_ATTACHMENT_BIT;
    color = c.attachment(VK_FORMAT_R32_UINT, VK_SAMPLE_COUNT_1_BIT, usage);
    depth = c.attachment(depth_format, VK_SAMPLE_COUNT_1_BIT, usage);
    make_pass();
    make_set();
  }
  [[nodiscard]] VkImageLayout layout() const {
    return way == Way::Loop ? VK_IMAGE_LAYOUT_ATTACHMENT_FEEDBACK_LOOP_OPTIMAL_EXT : VK_IMAGE_LAYOUT_GENERAL;
  }

  void make_pass() {
    VkAttachmentDescription attachments[2] = {};
    for (int i = 0; i < 2; ++i) {
      attachments[i].format = i == 0 ? color.format : depth.format;
      attachments[i].samples = VK_SAMPLE_COUNT_1_BIT;
      attachments[i].loadOp = attachments[i].stencilLoadOp = VK_ATTACHMENT_LOAD_OP_CLEAR;
      attachments[i].storeOp = attachments[i].stencilStoreOp = VK_ATTACHMENT_STORE_OP_STORE;
      attachments[i].initialLayout = attachments[i].finalLayout = VK_IMAGE_LAYOUT_GENERAL;
    }
    const VkAttachmentReference used[] = {{0, layout()}, {1, layout()}, {1, layout()}};
    VkSubpassDescription subpass{};
    if (way == Way::Ordered)
      subpass.flags = VK_SUBPASS_DESCRIPTION_RASTERIZATION_ORDER_ATTACHMENT_COLOR_ACCESS_BIT_EXT |
                      VK_SUBPASS_DESCRIPTION_RASTERIZATION_ORDER_ATTACHMENT_DEPTH_ACCESS_BIT_EXT |
                      VK_SUBPASS_DESCRIPTION_RASTERIZATION_ORDER_ATTACHMENT_STENCIL_ACCESS_BIT_EXT;
    subpass.colorAttachmentCount = 1;
    subpass.pColorAttachments = used;
    subpass.pDepthStencilAttachment = &used[1];
    if (way != Way::Loop) {
      subpass.inputAttachmentCount = 3;
      subpass.pInputAttachments = used;
    }
    // Of the subpass on itself, for the barriers in it.
    const VkSubpassDependency itself{
        0,
        0,
        kWriteStages,
        VK_PIPELINE_STAGE_FRAGMENT_SHADER_BIT,
        kWrites,
        reads(),
        VK_DEPENDENCY_BY_REGION_BIT | (way == Way::Loop ? VK_DEPENDENCY_FEEDBACK_LOOP_BIT_EXT : 0u)};
    VkRenderPassCreateInfo info{VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO};
    info.attachmentCount = 2;
    info.pAttachments = attachments;
    info.subpassCount = info.dependencyCount = 1;
    info.pSubpasses = &subpass;
    info.pDependencies = &itself;
    ASSERT_EQ(vkCreateRenderPass(c.v.device, &info, nullptr, &pass), VK_SUCCESS);
    const VkImageView views[] = {color.view, depth.view};
    const VkFramebufferCreateInfo frames{
        VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO, nullptr, 0, pass, 2, views, kSize, kSize, 1};
    ASSERT_EQ(vkCreateFramebuffer(c.v.device, &frames, nullptr, &frame), VK_SUCCESS);
    c.v.later([d = c.v.device, p = pass, f = frame] {
      vkDestroyFramebuffer(d, f, nullptr);
      vkDestroyRenderPass(d, p, nullptr);
    });
  }
  void make_set() {
    c.v.stages = VK_SHADER_STAGE_FRAGMENT_BIT;
    const VkDescriptorType type = way == Way::Loop ? kSampled : kInput;
    const std::vector<VulkanDevice::Binding> bindings{{0, type}, {1, type}, {2, type}};
    const auto sets = c.v.set_layout(bindings);
    set = c.v.set(sets, bindings);
    const VkSampler sampler = way == Way::Loop ? c.v.sampler(VK_FILTER_NEAREST) : VK_NULL_HANDLE;
    const VkImageAspectFlags aspects[] = {VK_IMAGE_ASPECT_COLOR_BIT, VK_IMAGE_ASPECT_DEPTH_BIT,
                                          VK_IMAGE_ASPECT_STENCIL_BIT};
    for (std::uint32_t i = 0; i < 3; ++i) {
      const Canvas::Attachment& from = i == 0 ? color : depth;
      const VkDescriptorImageInfo image{
          sampler, c.v.view(from.image.image, from.format, VK_IMAGE_VIEW_TYPE_2D, {aspects[i], 0, 1, 0, 1}), layout()};
      const VkWriteDescriptorSet write{
          VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET, nullptr, set, i, 0, 1, type, &image, nullptr, nullptr};
      vkUpdateDescriptorSets(c.v.device, 1, &write, 0, nullptr);
    }
    state.layout = c.v.layout({sets});
  }

  /// `body`: of the fragment shader, which reads the words `a`, the depth `d` and the stencil value `s` of its pixel.
  VkPipeline pipeline(const std::string& body) {
    state.pass = pass;
    state.vertex =
        "#version 450\nvoid main() { gl_Position = vec4(gl_VertexIndex == 1 ? 3 : -1, gl_VertexIndex == 2 ? 3 : -1, "
        "float(gl_InstanceIndex + 1) / 4, 1); }\n";
    const char* const types[] = {"u", "", "u"};
    state.fragment = "#version 450\nlayout(location = 0) out uint o;\n";
    std::string read;
    for (int i = 0; i < 3; ++i) {
      const std::string at = std::to_string(i), type = types[i];
      state.fragment += "layout(" + (way == Way::Loop ? "" : "input_attachment_index = " + at + ", ") +
                        "set = 0, binding = " + at + ") uniform " + type +
                        (way == Way::Loop ? "sampler2D" : "subpassInput") + " r" + at + ";\n";
    }
    const auto texel = [&](const std::string& of) {
      return way == Way::Loop ? "texelFetch(" + of + ", ivec2(gl_FragCoord.xy), 0).r" : "subpassLoad(" + of + ").r";
    };
    state.fragment += "#define a " + texel("r0") + "\n#define d " + texel("r1") + "\n#define s " + texel("r2") +
                      "\nvoid main() { " + body + " }\n";
    VkPipelineColorBlendAttachmentState all{};
    all.colorWriteMask = 15;
    state.blend = {all};
    state.depth.depthTestEnable = state.depth.depthWriteEnable = state.depth.stencilTestEnable = VK_TRUE;
    state.depth.depthCompareOp = VK_COMPARE_OP_ALWAYS;
    state.depth.front = {
        VK_STENCIL_OP_KEEP, VK_STENCIL_OP_INCREMENT_AND_CLAMP, VK_STENCIL_OP_KEEP, VK_COMPARE_OP_ALWAYS, 255, 255, 0};
    state.depth.back = state.depth.front;
    if (way == Way::Ordered) {
      state.colors.flags = VK_PIPELINE_COLOR_BLEND_STATE_CREATE_RASTERIZATION_ORDER_ATTACHMENT_ACCESS_BIT_EXT;
      state.depth.flags = VK_PIPELINE_DEPTH_STENCIL_STATE_CREATE_RASTERIZATION_ORDER_ATTACHMENT_DEPTH_ACCESS_BIT_EXT |
                          VK_PIPELINE_DEPTH_STENCIL_STATE_CREATE_RASTERIZATION_ORDER_ATTACHMENT_STENCIL_ACCESS_BIT_EXT;
    }
    if (way == Way::Loop)
      state.flags = VK_PIPELINE_CREATE_COLOR_ATTACHMENT_FEEDBACK_LOOP_BIT_EXT |
                    VK_PIPELINE_CREATE_DEPTH_STENCIL_ATTACHMENT_FEEDBACK_LOOP_BIT_EXT;
    return c.pipeline(state);
  }
  /// Clears to zeros and depth 1, then what is recorded, in the pass.
  void run(VkPipeline with, const std::function<void(VkCommandBuffer)>& record) {
    EXPECT_EQ(c.v.run([&](VkCommandBuffer b) {
      VkClearValue clear[2] = {};
      clear[1].depthStencil = {1, 0};
      const VkRenderPassBeginInfo info{
          VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO, nullptr, pass, frame, {{0, 0}, {kSize, kSize}}, 2, clear};
      vkCmdBeginRenderPass(b, &info, VK_SUBPASS_CONTENTS_INLINE);
      vkCmdBindPipeline(b, VK_PIPELINE_BIND_POINT_GRAPHICS, with);
      vkCmdBindDescriptorSets(b, VK_PIPELINE_BIND_POINT_GRAPHICS, state.layout, 0, 1, &set, 0, nullptr);
      record(b);
      vkCmdEndRenderPass(b);
    }),
              VK_SUCCESS);
  }
  void barrier(VkCommandBuffer b) const {
    const VkMemoryBarrier memory{VK_STRUCTURE_TYPE_MEMORY_BARRIER, nullptr, kWrites, reads()};
    vkCmdPipelineBarrier(b, kWriteStages, VK_PIPELINE_STAGE_FRAGMENT_SHADER_BIT,
                         VK_DEPENDENCY_BY_REGION_BIT | (way == Way::Loop ? VK_DEPENDENCY_FEEDBACK_LOOP_BIT_EXT : 0u), 1,
                         &memory, 0, nullptr, 0, nullptr);
  }
  [[nodiscard]] VkAccessFlags reads() const {
    return way == Way::Loop ? VK_ACCESS_SHADER_READ_BIT : VK_ACCESS_INPUT_ATTACHMENT_READ_BIT;
  }
  /// Every word of the color.
  void expect_words(std::uint32_t expected) {
    const std::vector<std::uint8_t> bytes = c.read(color);
    std::uint32_t wrong = 0, last = 0;
    for (std::size_t i = 0; i < bytes.size(); i += 4) {
      std::uint32_t word = 0;
      std::memcpy(&word, bytes.data() + i, 4);
      if (word != expected) ++wrong, last = word;
    }
    EXPECT_EQ(wrong, 0u) << "octal " << std::oct << last << " for " << expected;
  }

  static constexpr VkPipelineStageFlags kWriteStages = VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT |
                                                       VK_PIPELINE_STAGE_EARLY_FRAGMENT_TESTS_BIT |
                                                       VK_PIPELINE_STAGE_LATE_FRAGMENT_TESTS_BIT;
  static constexpr VkAccessFlags kWrites =
      VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT | VK_ACCESS_DEPTH_STENCIL_ATTACHMENT_WRITE_BIT;
  Canvas c;
  Way way;
  Canvas::Attachment color, depth;
  VkRenderPass pass = VK_NULL_HANDLE;
  VkFramebuffer frame = VK_NULL_HANDLE;
  VkDescriptorSet set = VK_NULL_HANDLE;
  PipelineState state;
};

/// Two octal digits for each fragment of a pixel: the depth in quarters, and the stencil value.
const char* const kDigits = "o = a * 64 + uint(d * 4 + 0.5) * 8 + s;";

/// FBO-8: a fragment reads depth and stencil as the primitives before it left them, and not yet what it writes itself.
TEST(VulkanAttachments, DepthAndStencilAreReadInTheOrderOfPrimitives_FBO8) {
  HEDDLE_NEED_SHADERS();
  for (const VkFormat format : {VK_FORMAT_D32_SFLOAT_S8_UINT, VK_FORMAT_D24_UNORM_S8_UINT}) {
    ReadPass p(Way::Ordered, format);
    const VkPipeline pipeline = p.pipeline(kDigits);
    p.run(pipeline, [](VkCommandBuffer b) { vkCmdDraw(b, 3, 4, 0, 0); });
    p.expect_words(040112233);
    p.run(pipeline, [](VkCommandBuffer b) {
      for (std::uint32_t i = 0; i < 4; ++i) vkCmdDraw(b, 3, 1, 0, i);
    });
    p.expect_words(040112233);
  }
}

/// The same where the depth that is written comes from the shader, out of the one that was there.
TEST(VulkanAttachments, DepthIsMadeOfDepthInOrder_FBO8) {
  HEDDLE_NEED_SHADERS();
  ReadPass p(Way::Ordered);
  const VkPipeline pipeline = p.pipeline("float was = d; gl_FragDepth = was * 0.5; o = a * 8 + uint(was * 8) % 8;");
  p.run(pipeline, [](VkCommandBuffer b) {
    vkCmdDraw(b, 3, 2, 0, 0);
    vkCmdDraw(b, 3, 2, 0, 0);
  });
  p.expect_words(00421);
}

/// Color, depth and stencil that are sampled while they are bound, with a barrier from draw to draw.
TEST(VulkanAttachments, FeedbackLoopsReadWhatEarlierDrawsWrote) {
  HEDDLE_NEED_SHADERS();
  ReadPass p(Way::Loop);
  for (const VkFormat format : {p.color.format, p.depth.format}) {
    VkImageFormatProperties can{};
    EXPECT_EQ(
        vkGetPhysicalDeviceImageFormatProperties(p.c.v.physical, format, VK_IMAGE_TYPE_2D, VK_IMAGE_TILING_OPTIMAL,
                                                 VK_IMAGE_USAGE_ATTACHMENT_FEEDBACK_LOOP_BIT_EXT, 0, &can),
        VK_SUCCESS);
  }
  const VkPipeline pipeline = p.pipeline(kDigits);
  p.run(pipeline, [&](VkCommandBuffer b) {
    for (std::uint32_t i = 0; i < 4; ++i) {
      if (i != 0) p.barrier(b);
      vkCmdDraw(b, 3, 1, 0, i);
    }
  });
  p.expect_words(040112233);
  const std::vector<std::uint8_t> stencil = p.c.read(p.depth, 1, VK_IMAGE_ASPECT_STENCIL_BIT);
  EXPECT_EQ(stencil, std::vector<std::uint8_t>(stencil.size(), 4));
}

struct Case {
  const char* name;
  Way way;
  const char* body;
  std::function<void(ReadPass&, VkCommandBuffer)> record;
  Expected expected{};
};

/// FBO-8: what the sanitizer takes for ordered.
TEST(VulkanAttachments, ReadsNeedABarrierOrTheOrder_FBO8) {
  HEDDLE_NEED_SHADERS();
  const auto two = [](ReadPass& p, VkCommandBuffer b, bool ordered) {
    vkCmdDraw(b, 3, 1, 0, 0);
    if (ordered) p.barrier(b);
    vkCmdDraw(b, 3, 1, 0, 1);
  };
  const auto halves = [](ReadPass&, VkCommandBuffer b) {
    for (std::int32_t i = 0; i < 2; ++i) {
      const VkRect2D half{{0, i * 16}, {kSize, 16}};
      vkCmdSetScissor(b, 0, 1, &half);
      vkCmdDraw(b, 3, 1, 0, 0);
    }
  };
  const Case cases[] = {
      {"draws in rasterization order", Way::Ordered, kDigits, [&](auto& p, auto b) { two(p, b, false); }},
      {"draws with a barrier", Way::Barriers, kDigits, [&](auto& p, auto b) { two(p, b, true); }},
      {"draws without a barrier",
       Way::Barriers,
       "o = a * 5 + 1;",
       [&](auto& p, auto b) { two(p, b, false); },
       {"run-barrier-missing", {"read of", "write by vkCmdDraw", "pixel ("}}},
      {"draws that overlap nowhere", Way::Barriers, "o = a * 5 + 1;", halves},
      {"a feedback loop with a barrier", Way::Loop, kDigits, [&](auto& p, auto b) { two(p, b, true); }},
      {"a feedback loop without one",
       Way::Loop,
       "o = a * 5 + 1;",
       [&](auto& p, auto b) { two(p, b, false); },
       {"run-barrier-missing", {"read of", "write by vkCmdDraw"}}},
  };
  for (const Case& one : cases) {
    SCOPED_TRACE(one.name);
    const ChecksOn on;
    ReadPass p(one.way);
    p.c.v.expects_messages = true;
    p.state.dynamic = {VK_DYNAMIC_STATE_SCISSOR};
    const VkPipeline pipeline = p.pipeline(one.body);
    p.run(pipeline, [&](VkCommandBuffer b) {
      const VkRect2D all{{0, 0}, {kSize, kSize}};
      vkCmdSetScissor(b, 0, 1, &all);
      one.record(p, b);
    });
    expect_found(p.c.v.messages, one.expected);
  }
}

}  // namespace
}  // namespace heddle::test
