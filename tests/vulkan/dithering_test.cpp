// SPDX-License-Identifier: MIT
// VK_EXT_legacy_dithering (OM-27).

#include <array>
#include <cstdlib>
#include <set>

#include "vulkan/canvas.hpp"

namespace heddle::test {
namespace {

constexpr std::uint32_t kSize = 16;
constexpr VkFormat kCoarse = VK_FORMAT_R5G6B5_UNORM_PACK16;

/// What a test asks for: nothing, dynamic rendering that dithers, a subpass that does.
enum class Asks { Nothing, InRendering, InSubpass };

struct Dithered : Canvas {
  explicit Dithered(std::vector<VkFormat> formats)
      : Canvas(kSize, kSize, std::move(formats), VK_FORMAT_UNDEFINED, VK_SAMPLE_COUNT_1_BIT,
               {VK_EXT_LEGACY_DITHERING_EXTENSION_NAME, "VK_KHR_maintenance5"}) {}

  VkRenderPass pass_of(VkSubpassDescriptionFlags flags) {
    std::vector<VkAttachmentDescription> attachments;
    std::vector<VkAttachmentReference> references;
    for (const Attachment& color : colors) {
      references.push_back({static_cast<std::uint32_t>(attachments.size()), VK_IMAGE_LAYOUT_GENERAL});
      attachments.push_back({0, color.format, VK_SAMPLE_COUNT_1_BIT, VK_ATTACHMENT_LOAD_OP_CLEAR,
                             VK_ATTACHMENT_STORE_OP_STORE, VK_ATTACHMENT_LOAD_OP_DONT_CARE,
                             VK_ATTACHMENT_STORE_OP_DONT_CARE, VK_IMAGE_LAYOUT_GENERAL, VK_IMAGE_LAYOUT_GENERAL});
    }
    VkSubpassDescription subpass{};
    subpass.flags = flags;
    subpass.colorAttachmentCount = static_cast<std::uint32_t>(references.size());
    subpass.pColorAttachments = references.data();
    VkRenderPassCreateInfo info{VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO};
    info.attachmentCount = static_cast<std::uint32_t>(attachments.size());
    info.pAttachments = attachments.data();
    info.subpassCount = 1;
    info.pSubpasses = &subpass;
    VkRenderPass made = VK_NULL_HANDLE;
    EXPECT_EQ(vkCreateRenderPass(v.device, &info, nullptr, &made), VK_SUCCESS);
    v.later([this, made] { vkDestroyRenderPass(v.device, made, nullptr); });
    return made;
  }

  /// Clears, draws `state` once over everything; elements of the first color, of 2 bytes.
  std::vector<std::uint32_t> drawn(PipelineState state, Asks asks) {
    const VkPipelineCreateFlags2CreateInfoKHR flags{VK_STRUCTURE_TYPE_PIPELINE_CREATE_FLAGS_2_CREATE_INFO_KHR, nullptr,
                                                    VK_PIPELINE_CREATE_2_ENABLE_LEGACY_DITHERING_BIT_EXT};
    if (asks == Asks::InSubpass) state.pass = pass_of(VK_SUBPASS_DESCRIPTION_ENABLE_LEGACY_DITHERING_BIT_EXT);
    if (asks == Asks::InRendering) state.chain = &flags;
    const VkPipeline made = pipeline(state);
    const auto record = [&](VkCommandBuffer c) {
      vkCmdBindPipeline(c, VK_PIPELINE_BIND_POINT_GRAPHICS, made);
      vkCmdDraw(c, 3, 1, 0, 0);
    };
    if (asks == Asks::InSubpass) {
      std::vector<VkImageView> views;
      for (const Attachment& color : colors) views.push_back(color.view);
      const VkFramebufferCreateInfo info{VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO,
                                         nullptr,
                                         0,
                                         state.pass,
                                         static_cast<std::uint32_t>(views.size()),
                                         views.data(),
                                         width,
                                         height,
                                         1};
      VkFramebuffer frame = VK_NULL_HANDLE;
      EXPECT_EQ(vkCreateFramebuffer(v.device, &info, nullptr, &frame), VK_SUCCESS);
      const std::vector<VkClearValue> clear(colors.size());
      const VkRenderPassBeginInfo begin{
          VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO, nullptr,     state.pass, frame, {{0, 0}, {width, height}},
          static_cast<std::uint32_t>(clear.size()), clear.data()};
      EXPECT_EQ(v.run([&](VkCommandBuffer c) {
        vkCmdBeginRenderPass(c, &begin, VK_SUBPASS_CONTENTS_INLINE);
        record(c);
        vkCmdEndRenderPass(c);
      }),
                VK_SUCCESS);
      vkDestroyFramebuffer(v.device, frame, nullptr);
    } else {
      EXPECT_EQ(v.run([&](VkCommandBuffer c) {
        begin(c, true, asks == Asks::InRendering ? VK_RENDERING_ENABLE_LEGACY_DITHERING_BIT_EXT : 0);
        record(c);
        end(c);
      }),
                VK_SUCCESS);
    }
    const std::vector<std::uint8_t> bytes = read(colors[0], 2);
    std::vector<std::uint32_t> elements;
    for (std::size_t i = 0; i < bytes.size(); i += 2) elements.push_back(bytes[i] | bytes[i + 1] << 8);
    return elements;
  }
};

PipelineState painting(const std::string& color) {
  PipelineState s;
  s.vertex = covering_vertices();
  s.fragment = one_color(color);
  return s;
}

/// Blue, green, red of an element of R5G6B5.
std::array<int, 3> channels(std::uint32_t element) {
  return {static_cast<int>(element & 31), static_cast<int>(element >> 5 & 63), static_cast<int>(element >> 11)};
}

// By one unit of the last place at most; what has a code is it; the mean of 4x4 pixels is nearer to the color than any
// code; the same in dynamic rendering and in a subpass.
TEST(VulkanDithering, ChangesColorsOfFewBitsByOneUnit_OM27) {
  HEDDLE_NEED_SHADERS();
  HEDDLE_NEED_NEWER();
  Dithered c({kCoarse});
  const PipelineState ramp = painting("vec4(gl_FragCoord.x / 16.0, gl_FragCoord.y / 16.0, 1.0, 1.0)");
  const std::vector<std::uint32_t> plain = c.drawn(ramp, Asks::Nothing), dithered = c.drawn(ramp, Asks::InRendering);
  ASSERT_EQ(plain.size(), std::size_t{kSize * kSize});
  unsigned changed = 0;
  for (std::size_t i = 0; i < plain.size(); ++i) {
    const auto a = channels(plain[i]), b = channels(dithered[i]);
    for (unsigned k = 0; k < 3; ++k) EXPECT_LE(std::abs(a[k] - b[k]), 1) << i;
    EXPECT_EQ(b[0], 31) << i;
    changed += plain[i] != dithered[i] ? 1 : 0;
  }
  EXPECT_GT(changed, 60u);
  EXPECT_EQ(c.drawn(ramp, Asks::InSubpass), dithered);
  EXPECT_EQ(c.drawn(ramp, Asks::Nothing), plain);
  const std::vector<std::uint32_t> flat = c.drawn(painting("vec4(0.31, 0.0, 1.0, 1.0)"), Asks::InRendering);
  double sum = 0;
  for (std::size_t i = 0; i < flat.size(); ++i) {
    const auto at = channels(flat[i]);
    EXPECT_EQ(at[0], 31);
    EXPECT_EQ(at[1], 0);
    sum += at[2];
    // Only the place and the color decide: rows and columns of 4 repeat.
    EXPECT_EQ(flat[i], flat[(i / kSize % 4) * kSize + i % 4]) << i;
  }
  EXPECT_NEAR(sum / (kSize * kSize), 0.31 * 31, 1.0 / 16);
}

// What a draw blends is dithered, not what it adds.
TEST(VulkanDithering, IsBehindBlending_OM27) {
  HEDDLE_NEED_SHADERS();
  HEDDLE_NEED_NEWER();
  Dithered c({kCoarse});
  PipelineState half = painting("vec4(0.31, 0.0, 0.0, 0.5)");
  VkPipelineColorBlendAttachmentState blend{};
  blend.blendEnable = VK_TRUE;
  blend.srcColorBlendFactor = VK_BLEND_FACTOR_SRC_ALPHA;
  blend.dstColorBlendFactor = VK_BLEND_FACTOR_ONE_MINUS_SRC_ALPHA;
  blend.colorWriteMask = 15;
  half.blend = {blend};
  EXPECT_EQ(c.drawn(half, Asks::InRendering), c.drawn(painting("vec4(0.155, 0.0, 0.0, 1.0)"), Asks::InRendering));
}

TEST(VulkanDithering, LeavesEightBitsAlone_OM27) {
  HEDDLE_NEED_SHADERS();
  HEDDLE_NEED_NEWER();
  const PipelineState s = painting("vec4(gl_FragCoord.xy / 16.0, 0.31, 0.77)");
  for (const VkFormat format : {VK_FORMAT_R8G8_UNORM, VK_FORMAT_R16_SFLOAT}) {
    Dithered c({format});
    EXPECT_EQ(c.drawn(s, Asks::InRendering), c.drawn(s, Asks::Nothing)) << format;
  }
}

// Each channel goes up at a threshold of its own: four of them part the sixteen places of the matrix in five.
TEST(VulkanDithering, ChannelsHaveThresholdsOfTheirOwn_OM27) {
  HEDDLE_NEED_SHADERS();
  HEDDLE_NEED_NEWER();
  for (const VkFormat format : {VK_FORMAT_R4G4B4A4_UNORM_PACK16, VK_FORMAT_R5G5B5A1_UNORM_PACK16}) {
    Dithered c({format});
    const std::vector<std::uint32_t> flat = c.drawn(painting("vec4(0.31, 0.52, 0.74, 0.18)"), Asks::InSubpass);
    EXPECT_EQ(std::set<std::uint32_t>(flat.begin(), flat.end()).size(), 5u) << format;
  }
}

}  // namespace
}  // namespace heddle::test
