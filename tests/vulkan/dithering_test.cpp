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
  explicit Dithered(std::vector<VkFormat> formats, VkSampleCountFlagBits samples = VK_SAMPLE_COUNT_1_BIT)
      : Canvas(kSize, kSize, std::move(formats), VK_FORMAT_UNDEFINED, samples,
               {VK_EXT_LEGACY_DITHERING_EXTENSION_NAME, "VK_KHR_maintenance5"}) {}

  /// A pipeline for dynamic rendering that dithers.
  VkPipeline dithering(PipelineState state) {
    const VkPipelineCreateFlags2CreateInfoKHR flags{VK_STRUCTURE_TYPE_PIPELINE_CREATE_FLAGS_2_CREATE_INFO_KHR, nullptr,
                                                    VK_PIPELINE_CREATE_2_ENABLE_LEGACY_DITHERING_BIT_EXT};
    state.chain = &flags;
    return pipeline(state);
  }
  /// Clears, then `record` in rendering that dithers or does not.
  void render(bool dithers, const std::function<void(VkCommandBuffer)>& record) {
    EXPECT_EQ(v.run([&](VkCommandBuffer c) {
      begin(c, true, dithers ? VK_RENDERING_ENABLE_LEGACY_DITHERING_BIT_EXT : 0);
      record(c);
      end(c);
    }),
              VK_SUCCESS);
  }
  static void draw_with(VkCommandBuffer c, VkPipeline made) {
    vkCmdBindPipeline(c, VK_PIPELINE_BIND_POINT_GRAPHICS, made);
    vkCmdDraw(c, 3, 1, 0, 0);
  }
  std::vector<std::uint32_t> elements(const Attachment& from) {
    const std::vector<std::uint8_t> bytes = read(from, 2);
    std::vector<std::uint32_t> list;
    for (std::size_t i = 0; i < bytes.size(); i += 2) list.push_back(bytes[i] | bytes[i + 1] << 8);
    return list;
  }

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
    return elements(colors[0]);
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

/// OM-12: a channel of so many bits at a pixel.
std::uint32_t dithered(float x, unsigned bits, std::uint32_t column, std::uint32_t row) {
  constexpr std::uint32_t kMatrix[4][4] = {{0, 8, 2, 10}, {12, 4, 14, 6}, {3, 11, 1, 9}, {15, 7, 13, 5}};
  const float scaled = x * static_cast<float>((1u << bits) - 1) * 16;
  return (static_cast<std::uint32_t>(scaled) + kMatrix[row & 3][column & 3]) >> 4;
}

// Clears have the nearest code everywhere: of the whole target, of an attachment by a command, beside a draw that
// dithers.
TEST(VulkanDithering, LeavesClearsAlone_OM27) {
  HEDDLE_NEED_SHADERS();
  HEDDLE_NEED_NEWER();
  Dithered c({kCoarse});
  const VkPipeline made = c.dithering(painting("vec4(0.31, 0.31, 0.31, 1.0)"));
  VkClearAttachment clear{VK_IMAGE_ASPECT_COLOR_BIT, 0, {}};
  clear.clearValue.color = {{0.31f, 0.31f, 0.31f, 1}};
  const VkClearRect right{{{8, 0}, {8, kSize}}, 0, 1};
  c.render(true, [&](VkCommandBuffer commands) {
    Dithered::draw_with(commands, made);
    vkCmdClearAttachments(commands, 1, &clear, 1, &right);
  });
  const std::vector<std::uint32_t> elements = c.elements(c.colors[0]);
  const std::uint32_t nearest = 10u << 11 | 20u << 5 | 10;  // 9.61 and 19.53 units
  for (std::uint32_t i = 0; i < elements.size(); ++i) {
    const std::uint32_t x = i % kSize, y = i / kSize;
    const std::uint32_t drawn =
        dithered(0.31f, 5, x, y) << 11 | dithered(0.31f, 6, x, y) << 5 | dithered(0.31f, 5, x, y);
    EXPECT_EQ(elements[i], x < 8 ? drawn : nearest) << x << ", " << y;
  }
}

// Two samples of each pixel have one code, two the next: their mean is rounded alike everywhere.
TEST(VulkanDithering, LeavesResolvesAlone_OM27) {
  HEDDLE_NEED_SHADERS();
  HEDDLE_NEED_NEWER();
  Dithered c({kCoarse}, VK_SAMPLE_COUNT_4_BIT);
  std::array<VkPipeline, 2> made{};
  for (unsigned k = 0; k < 2; ++k) {
    PipelineState s = painting(k == 0 ? "vec4(10.0 / 31.0, 0.0, 0.0, 1.0)" : "vec4(11.0 / 31.0, 0.0, 0.0, 1.0)");
    const VkSampleMask mask = k == 0 ? 3 : 12;
    s.samples.rasterizationSamples = VK_SAMPLE_COUNT_4_BIT;
    s.samples.pSampleMask = &mask;
    made[k] = c.dithering(s);
  }
  c.render(true, [&](VkCommandBuffer commands) {
    for (const VkPipeline one : made) Dithered::draw_with(commands, one);
  });
  const std::vector<std::uint32_t> elements = c.elements(c.resolved[0]);
  EXPECT_TRUE(elements[0] == 10u << 11 || elements[0] == 11u << 11) << elements[0];
  EXPECT_EQ(std::set<std::uint32_t>(elements.begin(), elements.end()).size(), 1u);
}

// One target of few bits lets the others be dithered, too: all but integers, floats and the colors of sRGB.
TEST(VulkanDithering, OfTargetsBesideACoarseOne_OM27) {
  HEDDLE_NEED_SHADERS();
  HEDDLE_NEED_NEWER();
  PipelineState s;
  s.vertex = covering_vertices();
  s.fragment =
      "#version 450\nlayout(location = 0) out vec4 a;\nlayout(location = 1) out uvec4 b;\n"
      "layout(location = 2) out vec4 c;\nlayout(location = 3) out vec4 d;\n"
      "void main() { a = c = d = vec4(0.31); b = uvec4(7, 77, 177, 255); }\n";
  const std::vector<VkFormat> fine = {VK_FORMAT_R8G8B8A8_UINT, VK_FORMAT_R8G8B8A8_SRGB, VK_FORMAT_R8G8B8A8_UNORM};
  for (const bool coarse : {true, false}) {
    SCOPED_TRACE(coarse ? "beside R5G6B5" : "beside R8G8B8A8");
    std::vector<VkFormat> formats = {coarse ? kCoarse : VK_FORMAT_R8G8B8A8_UNORM};
    formats.insert(formats.end(), fine.begin(), fine.end());
    Dithered c(formats);
    const VkPipeline made = c.dithering(s);
    c.render(true, [&](VkCommandBuffer commands) { Dithered::draw_with(commands, made); });
    const auto integers = c.read(c.colors[1]), srgb = c.read(c.colors[2]), unorm = c.read(c.colors[3]);
    for (std::uint32_t i = 0; i < kSize * kSize; ++i) {
      const std::uint32_t at = dithered(0.31f, 8, i % kSize, i / kSize), plain = 79;  // 79.05 units
      for (unsigned k = 0; k < 4; ++k) {
        EXPECT_EQ(integers[4 * i + k], (std::array{7, 77, 177, 255}[k]));
        EXPECT_EQ(unorm[4 * i + k], coarse ? at : plain) << i;
        if (k < 3) EXPECT_EQ(srgb[4 * i + k], 151) << i;  // 255 * (1.055 * 0.31^(1 / 2.4) - 0.055) is 151.1
      }
      EXPECT_EQ(srgb[4 * i + 3], coarse ? at : plain) << i;
    }
  }
}

// What is drawn to says whether a draw is dithered; the pipeline is one.
TEST(VulkanDithering, OnePipelineInTwoPasses_OM27) {
  HEDDLE_NEED_SHADERS();
  HEDDLE_NEED_NEWER();
  Dithered c({kCoarse});
  const VkPipeline made = c.dithering(painting("vec4(0.31, 0.0, 0.0, 1.0)"));
  for (const bool dithers : {true, false, true}) {
    c.render(dithers, [&](VkCommandBuffer commands) { Dithered::draw_with(commands, made); });
    const std::vector<std::uint32_t> elements = c.elements(c.colors[0]);
    for (std::uint32_t i = 0; i < elements.size(); ++i)
      EXPECT_EQ(elements[i] >> 11, dithers ? dithered(0.31f, 5, i % kSize, i / kSize) : 10u) << i << dithers;
  }
}

}  // namespace
}  // namespace heddle::test
