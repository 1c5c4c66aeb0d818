// SPDX-License-Identifier: MIT
// Arrays of input attachments, whose element is chosen at run time.

#include <optional>

#include "vulkan/canvas.hpp"
#include "vulkan/checks.hpp"

namespace heddle::test {
namespace {

constexpr std::uint32_t kSize = 8;
constexpr VkDescriptorType kInput = VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT;

/// A pass of one subpass that reads `count` attachments, element k full of 100 + k, and draws to one more.
struct InputArray {
  explicit InputArray(std::uint32_t elements)
      : c(kSize, kSize, {}, VK_FORMAT_UNDEFINED, VK_SAMPLE_COUNT_1_BIT, {VK_EXT_DESCRIPTOR_INDEXING_EXTENSION_NAME}),
        count(elements) {
    std::vector<VkAttachmentDescription> attachments;
    std::vector<VkAttachmentReference> inputs;
    std::vector<VkImageView> views;
    for (std::uint32_t k = 0; k <= count; ++k) {
      attachments.push_back({0, VK_FORMAT_R32_UINT, VK_SAMPLE_COUNT_1_BIT, VK_ATTACHMENT_LOAD_OP_LOAD,
                             VK_ATTACHMENT_STORE_OP_STORE, VK_ATTACHMENT_LOAD_OP_DONT_CARE,
                             VK_ATTACHMENT_STORE_OP_DONT_CARE, VK_IMAGE_LAYOUT_GENERAL, VK_IMAGE_LAYOUT_GENERAL});
      images.push_back(c.attachment(VK_FORMAT_R32_UINT, VK_SAMPLE_COUNT_1_BIT, VK_IMAGE_USAGE_INPUT_ATTACHMENT_BIT));
      views.push_back(images.back().view);
      if (k < count) inputs.push_back({k, VK_IMAGE_LAYOUT_GENERAL});
      EXPECT_EQ(c.v.run([&](VkCommandBuffer b) {
        VkClearColorValue value{};
        value.uint32[0] = k < count ? 100 + k : 0;
        const VkImageSubresourceRange all{VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
        vkCmdClearColorImage(b, images.back().image.image, VK_IMAGE_LAYOUT_GENERAL, &value, 1, &all);
      }),
                VK_SUCCESS);
    }
    const VkAttachmentReference out{count, VK_IMAGE_LAYOUT_GENERAL};
    VkSubpassDescription subpass{};
    subpass.inputAttachmentCount = count;
    subpass.pInputAttachments = inputs.data();
    subpass.colorAttachmentCount = 1;
    subpass.pColorAttachments = &out;
    const VkRenderPassCreateInfo passes{
        VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO, nullptr, 0, count + 1, attachments.data(), 1, &subpass, 0, nullptr};
    EXPECT_EQ(vkCreateRenderPass(c.v.device, &passes, nullptr, &pass), VK_SUCCESS);
    const VkFramebufferCreateInfo frames{
        VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO, nullptr, 0, pass, count + 1, views.data(), kSize, kSize, 1};
    EXPECT_EQ(vkCreateFramebuffer(c.v.device, &frames, nullptr, &frame), VK_SUCCESS);
    c.v.later([d = c.v.device, p = pass, f = frame] {
      vkDestroyFramebuffer(d, f, nullptr);
      vkDestroyRenderPass(d, p, nullptr);
    });
    c.v.stages = VK_SHADER_STAGE_FRAGMENT_BIT;
    const auto sets = c.v.set_layout({{0, kInput, count}});
    set = c.v.set(sets, {{0, kInput, count}});
    for (std::uint32_t k = 0; k < count; ++k) c.v.write(set, 0, kInput, views[k], VK_NULL_HANDLE, k);
    layout = c.v.layout({sets}, 4);
  }
  /// The pixels that a fragment shader leaves which reads element `index`; `chosen` is its push constant.
  std::vector<std::uint32_t> draw(const std::string& index, std::uint32_t chosen) {
    PipelineState s;
    s.pass = pass;
    s.layout = layout;
    VkPipelineColorBlendAttachmentState all{};
    all.colorWriteMask = 15;
    s.blend = {all};
    s.vertex =
        "#version 450\nvoid main() { gl_Position = vec4(vec2(gl_VertexIndex & 1, gl_VertexIndex >> 1) * 4 - 1, 0, 1); "
        "}\n";
    s.fragment =
        "#version 450\n#extension GL_EXT_nonuniform_qualifier : require\n"
        "layout(input_attachment_index = 0, binding = 0) uniform usubpassInput a[" +
        std::to_string(count) +
        "];\nlayout(push_constant) uniform P { uint chosen; };\nlayout(location = 0) out uint o;\n"
        "void main() { uint n = uint(gl_FragCoord.y) * 8u + uint(gl_FragCoord.x); o = subpassLoad(a[" +
        index + "]).r; }\n";
    const VkPipeline pipeline = c.pipeline(s);
    EXPECT_EQ(c.v.run([&](VkCommandBuffer b) {
      const VkRenderPassBeginInfo info{
          VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO, nullptr, pass, frame, {{0, 0}, {kSize, kSize}}, 0, nullptr};
      vkCmdBeginRenderPass(b, &info, VK_SUBPASS_CONTENTS_INLINE);
      vkCmdBindPipeline(b, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
      vkCmdBindDescriptorSets(b, VK_PIPELINE_BIND_POINT_GRAPHICS, layout, 0, 1, &set, 0, nullptr);
      vkCmdPushConstants(b, layout, c.v.stages, 0, 4, &chosen);
      vkCmdDraw(b, 3, 1, 0, 0);
      vkCmdEndRenderPass(b);
    }),
              VK_SUCCESS);
    const std::vector<std::uint8_t> bytes = c.read(images.back());
    std::vector<std::uint32_t> words(bytes.size() / 4);
    std::memcpy(words.data(), bytes.data(), bytes.size());
    return words;
  }
  Canvas c;
  std::uint32_t count;
  std::vector<Canvas::Attachment> images;  ///< what is drawn to last
  VkRenderPass pass = VK_NULL_HANDLE;
  VkFramebuffer frame = VK_NULL_HANDLE;
  VkDescriptorSet set = VK_NULL_HANDLE;
  VkPipelineLayout layout = VK_NULL_HANDLE;
};

// Vulkan, shaderInputAttachmentArrayDynamicIndexing and shaderInputAttachmentArrayNonUniformIndexing. Arrays of up to
// 16 elements have a name for each; longer ones are chosen from by handle (SPV-16).
TEST(VulkanInputArrays, ElementsAreChosenAtRunTime_SPV16) {
  HEDDLE_NEED_SHADERS();
  for (const bool reference : {false, true})
    for (const std::uint32_t count : {5u, 20u}) {
      SCOPED_TRACE((reference ? "reference engine, " : "fast engine, ") + std::to_string(count));
      std::optional<ChecksOn> checks;
      if (reference) checks.emplace();
      InputArray inputs(count);
      const std::vector<std::uint32_t> alike = inputs.draw("chosen", 3);
      const std::vector<std::uint32_t> differ =
          inputs.draw("nonuniformEXT((n * 7u + chosen) % " + std::to_string(count) + "u)", 3);
      ASSERT_EQ(alike.size(), std::size_t{kSize * kSize});
      ASSERT_EQ(differ.size(), std::size_t{kSize * kSize});
      for (std::uint32_t n = 0; n < kSize * kSize; ++n) {
        EXPECT_EQ(alike[n], 103u) << n;
        EXPECT_EQ(differ[n], 100 + (n * 7 + 3) % count) << n;
      }
    }
}

}  // namespace
}  // namespace heddle::test
