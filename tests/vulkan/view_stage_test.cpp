// SPDX-License-Identifier: MIT
// Views in the stages of drawing, as attachments and input attachments, of blocks and of planes, and their footprints.
// Rules: VKF-10, VKF-3, SPV-27, FP-12.

#include <algorithm>
#include <array>
#include <optional>

#include "vulkan/canvas.hpp"
#include "vulkan/checks.hpp"
#include "vulkan/feature_kit.hpp"
#include "vulkan/view_kit.hpp"

namespace heddle::test {
namespace {

constexpr VkDescriptorType kCombined = VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER;
constexpr VkDescriptorType kStorage = VK_DESCRIPTOR_TYPE_STORAGE_IMAGE;

const std::string kCover = "gl_Position = vec4(gl_VertexIndex == 1 ? 3 : -1, gl_VertexIndex == 2 ? 3 : -1, 0.5, 1); ";
const std::string kAsked =
    "layout(binding = 1) uniform usampler2DArray t;\nlayout(binding = 2, r32ui) uniform uimage2DArray i;\n"
    "uvec4 asked() { return uvec4(textureSize(t, 0).xy, imageSize(i).xy); }\n"
    "uvec4 read() { return uvec4(texelFetch(t, ivec3(2, 1, 1), 0).r, imageLoad(i, ivec3(2, 1, 1)).r, textureSize(t, "
    "0).z, imageSize(i).z); }\n";

// The same questions in the stages of a draw have the answers that compute shaders get.
TEST(VulkanViews, AreTheSameInEveryStage_VKF10) {
  HEDDLE_NEED_SHADERS();
  const ViewShape shape{"2DArray", VK_IMAGE_TYPE_2D, VK_IMAGE_VIEW_TYPE_2D_ARRAY, {16, 24, 1}, 3, 4, 1, 2, 1, 2};
  for (const bool reference : {false, true})
    for (const bool in_vertex : {false, true}) {
      SCOPED_TRACE(std::string(in_vertex ? "vertex" : "fragment") + (reference ? ", reference engine" : ""));
      std::optional<ChecksOn> checks;
      if (reference) checks.emplace();
      Canvas c(1, 1, {VK_FORMAT_R32G32B32A32_UINT, VK_FORMAT_R32G32B32A32_UINT});
      ViewImage image(c.v, shape);
      const std::vector<VulkanDevice::Binding> bindings{{1, kCombined}, {2, kStorage}};
      const auto set_layout = c.v.set_layout(bindings);
      const auto set = c.v.set(set_layout, bindings);
      c.v.write(set, 1, kCombined, image.view, c.v.sampler(VK_FILTER_NEAREST));
      c.v.write(set, 2, kStorage, image.view, VK_NULL_HANDLE);
      PipelineState s;
      s.layout = c.v.layout({set_layout});
      const std::string between = " layout(location = 0) flat X uvec4 a; layout(location = 1) flat X uvec4 b;\n";
      const auto varying = [&](const std::string& word) {
        std::string text = between;
        for (std::size_t at = 0; (at = text.find('X', at)) != std::string::npos;) text.replace(at, 1, word);
        return text;
      };
      s.vertex = "#version 450\n" + (in_vertex ? kAsked + varying("out") : std::string()) + "void main() { " + kCover +
                 (in_vertex ? "a = asked(); b = read(); " : "") + "}\n";
      s.fragment = "#version 450\n" + (in_vertex ? varying("in") : kAsked) +
                   "layout(location = 0) out uvec4 o;\nlayout(location = 1) out uvec4 p;\nvoid main() { o = " +
                   (in_vertex ? "a; p = b; }\n" : "asked(); p = read(); }\n");
      const VkPipeline pipeline = c.pipeline(s);
      c.draw([&](VkCommandBuffer commands) {
        vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
        vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, s.layout, 0, 1, &set, 0, nullptr);
        vkCmdDraw(commands, 3, 1, 0, 0);
      });
      const auto words = [&](std::size_t k) {
        const std::vector<std::uint8_t> bytes = c.read(c.colors[k], 16);
        std::vector<std::uint32_t> list(4);
        std::memcpy(list.data(), bytes.data(), 16);
        return list;
      };
      EXPECT_EQ(words(0), (std::vector<std::uint32_t>{8, 12, 8, 12}));
      EXPECT_EQ(words(1), (std::vector<std::uint32_t>{place_word(1, 2, 2, 1), place_word(1, 2, 2, 1), 2, 2}));
    }
}

/// Draws over the whole of a view with the value that `color` has for a pixel.
void draw_to(VulkanDevice& v, Canvas& c, VkImageView view, VkFormat format, VkExtent2D size, const std::string& type,
             const std::string& color) {
  c.width = size.width;
  c.height = size.height;
  c.colors[0] = {format, {}, view};
  PipelineState s;
  s.vertex = "#version 450\nvoid main() { " + kCover + "}\n";
  s.fragment = "#version 450\nlayout(location = 0) out " + type +
               " o;\nvoid main() { uint x = uint(gl_FragCoord.x), y = uint(gl_FragCoord.y); o = " + color + "; }\n";
  const VkPipeline pipeline = c.pipeline(s);
  c.draw(
      [&](VkCommandBuffer commands) {
        vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
        vkCmdDraw(commands, 3, 1, 0, 0);
      },
      false);
  (void)v;
}

// Draws change the level and the layer, or slice of a volume, that the attachment is, and nothing else.
TEST(VulkanViews, AttachmentsAreTheirLevelAndSlice_VKF10) {
  HEDDLE_NEED_SHADERS();
  constexpr VkImageCreateFlags kLayers = VK_IMAGE_CREATE_2D_ARRAY_COMPATIBLE_BIT;
  const ViewShape shapes[] = {
      {"2D", VK_IMAGE_TYPE_2D, VK_IMAGE_VIEW_TYPE_2D, {13, 7, 1}, 3, 4, 1, 1, 2, 1},
      {"2D", VK_IMAGE_TYPE_2D, VK_IMAGE_VIEW_TYPE_2D, {13, 7, 1}, 3, 4, 2, 1, 0, 1},
      {"2D", VK_IMAGE_TYPE_3D, VK_IMAGE_VIEW_TYPE_2D, {12, 6, 7}, 3, 1, 1, 1, 2, 1, kLayers},
      {"2DArray", VK_IMAGE_TYPE_3D, VK_IMAGE_VIEW_TYPE_2D_ARRAY, {12, 6, 7}, 2, 1, 0, 1, 4, 2, kLayers},
  };
  for (const ViewShape& shape : shapes) {
    SCOPED_TRACE(testing::PrintToString(shape));
    Canvas c(1, 1, {VK_FORMAT_R32_UINT});
    ViewImage image(c.v, shape, VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT);
    draw_to(c.v, c, image.view, VK_FORMAT_R32_UINT, {shape.width(shape.base), shape.height(shape.base)}, "uint",
            "100u * y + x + 1u");
    // Without layers of its own a draw goes to the first one.
    EXPECT_EQ(image.read(), image.expected([&](std::uint32_t level, std::uint32_t slice, std::uint32_t x,
                                               std::uint32_t y, std::uint32_t word) {
      return level == shape.base && slice == shape.first ? 100 * y + x + 1 : word;
    }));
  }
}

// A compressed image seen as its blocks: as many texels as there are blocks, read, stored to and drawn to.
TEST(VulkanViews, BlocksAreTexels_VKF10) {
  HEDDLE_NEED_SHADERS();
  constexpr std::uint32_t kLayers = 3, kLevels = 3, kWidth = 20, kHeight = 12;
  const VkFormat words = VK_FORMAT_R32G32_UINT;
  for (const bool reference : {false, true})
    for (std::uint32_t level = 0; level < kLevels; ++level) {
      SCOPED_TRACE("level " + std::to_string(level) + (reference ? ", reference engine" : ""));
      std::optional<ChecksOn> checks;
      if (reference) checks.emplace();
      Canvas c(1, 1, {VK_FORMAT_R32_UINT});
      VulkanDevice& v = c.v;
      v.expects_messages = true;
      VkImageCreateInfo info = VulkanDevice::image_info(VK_FORMAT_BC1_RGB_UNORM_BLOCK, kWidth, kHeight);
      info.mipLevels = kLevels;
      info.arrayLayers = kLayers;
      info.flags = VK_IMAGE_CREATE_BLOCK_TEXEL_VIEW_COMPATIBLE_BIT | VK_IMAGE_CREATE_MUTABLE_FORMAT_BIT |
                   VK_IMAGE_CREATE_EXTENDED_USAGE_BIT;
      info.usage |= VK_IMAGE_USAGE_STORAGE_BIT | VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT;
      const auto image = v.image(info).image;
      const auto columns = [&](std::uint32_t l) { return (std::max(1u, kWidth >> l) + 3) / 4; };
      const auto rows = [&](std::uint32_t l) { return (std::max(1u, kHeight >> l) + 3) / 4; };
      std::vector<VkBufferImageCopy> regions;
      std::vector<std::uint32_t> blocks;  // two words each
      for (std::uint32_t l = 0; l < kLevels; ++l) {
        VkBufferImageCopy region{};
        region.bufferOffset = blocks.size() * 4;
        region.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, l, 0, kLayers};
        region.imageExtent = {std::max(1u, kWidth >> l), std::max(1u, kHeight >> l), 1};
        regions.push_back(region);
        for (std::uint32_t z = 0; z < kLayers; ++z)
          for (std::uint32_t y = 0; y < rows(l); ++y)
            for (std::uint32_t x = 0; x < columns(l); ++x) {
              blocks.push_back(place_word(l, z, x, y));
              blocks.push_back(~place_word(l, z, x, y));
            }
      }
      const auto buffer = v.buffer(blocks.size() * 4);
      for (std::size_t i = 0; i < blocks.size(); ++i) buffer.set(i, blocks[i]);
      ASSERT_EQ(v.run([&](VkCommandBuffer commands) {
        vkCmdCopyBufferToImage(commands, buffer.buffer, image, VK_IMAGE_LAYOUT_GENERAL,
                               static_cast<std::uint32_t>(regions.size()), regions.data());
      }),
                VK_SUCCESS);
      constexpr std::uint32_t kLayer = 1;
      const VkImageView view =
          v.view(image, words, VK_IMAGE_VIEW_TYPE_2D, {VK_IMAGE_ASPECT_COLOR_BIT, level, 1, kLayer, 1});
      v.stages = VK_SHADER_STAGE_COMPUTE_BIT;
      ViewRun run(v);
      run.image(1, kCombined, view, v.sampler(VK_FILTER_NEAREST));
      run.image(2, kStorage, view);
      const auto width = static_cast<std::int32_t>(columns(level)), height = static_cast<std::int32_t>(rows(level));
      const auto count = static_cast<std::uint32_t>((width + 2) * (height + 2));
      const auto o = run.run(
          "#version 460\nlayout(local_size_x = 32) in;\nlayout(binding = 0) buffer O { uvec4 o[]; };\nlayout(binding = "
          "1) uniform usampler2D t;\nlayout(binding = 2, rg32ui) uniform uimage2D i;\nlayout(push_constant) uniform P "
          "{ "
          "ivec2 size; };\nvoid main() { int n = int(gl_GlobalInvocationID.x); if (n >= (size.x + 2) * (size.y + 2)) "
          "return;\n"
          "  ivec2 at = ivec2(n % (size.x + 2), n / (size.x + 2)) - 1; if (n == 0) o[0] = uvec4(textureSize(t, 0), "
          "imageSize(i));\n"
          "  o[n + 1] = uvec4(texelFetch(t, at, 0).xy, imageLoad(i, at).xy); imageStore(i, at, o[n + 1] + 3u); }\n",
          count, 4 * (std::size_t{count} + 1), {width, height});
      for (std::size_t k = 0; k < 4; ++k) EXPECT_EQ(o[k], static_cast<std::uint32_t>(k % 2 == 0 ? width : height));
      for (std::uint32_t n = 0; n < count; ++n) {
        const std::int32_t x = static_cast<std::int32_t>(n) % (width + 2) - 1,
                           y = static_cast<std::int32_t>(n) / (width + 2) - 1;
        const bool inside = x >= 0 && y >= 0 && x < width && y < height;
        const std::uint32_t word =
            place_word(level, kLayer, static_cast<std::uint32_t>(x), static_cast<std::uint32_t>(y));
        for (std::size_t k = 0; k < 4; ++k)
          ASSERT_EQ(o[4 * (std::size_t{n} + 1) + k], !inside ? 0 : k % 2 == 0 ? word : ~word) << x << " " << y;
      }
      // A draw adds to that what the pixel's place says, in the middle block only where there is one.
      v.stages = VK_SHADER_STAGE_ALL_GRAPHICS;
      const VkImageView other =
          v.view(image, words, VK_IMAGE_VIEW_TYPE_2D, {VK_IMAGE_ASPECT_COLOR_BIT, level, 1, 2, 1});
      draw_to(v, c, other, words, {columns(level), rows(level)}, "uvec2", "uvec2(100u * y + x + 1u, 77u)");
      ASSERT_EQ(v.run([&](VkCommandBuffer commands) {
        barrier(commands);
        vkCmdCopyImageToBuffer(commands, image, VK_IMAGE_LAYOUT_GENERAL, buffer.buffer,
                               static_cast<std::uint32_t>(regions.size()), regions.data());
      }),
                VK_SUCCESS);
      std::size_t i = 0;
      for (std::uint32_t l = 0; l < kLevels; ++l)
        for (std::uint32_t z = 0; z < kLayers; ++z)
          for (std::uint32_t y = 0; y < rows(l); ++y)
            for (std::uint32_t x = 0; x < columns(l); ++x, i += 2) {
              const bool drawn = l == level && z == 2;
              const std::uint32_t more = l == level && z == kLayer ? 3 : 0;
              ASSERT_EQ(buffer.word(i), drawn ? 100 * y + x + 1 : blocks[i] + more) << l << " " << z << " " << x;
              ASSERT_EQ(buffer.word(i + 1), drawn ? 77 : blocks[i + 1] + more) << l << " " << z << " " << x;
            }
    }
}

// Each plane of an image is drawn to through a view of it.
TEST(VulkanViews, PlanesAreDrawnTo_VKF3) {
  HEDDLE_NEED_SHADERS();
  constexpr std::uint32_t kWidth = 8, kHeight = 6;
  Canvas c(1, 1, {VK_FORMAT_R8_UNORM});
  VulkanDevice& v = c.v;
  VkImageCreateInfo info = VulkanDevice::image_info(VK_FORMAT_G8_B8_R8_3PLANE_420_UNORM, kWidth, kHeight);
  info.flags = VK_IMAGE_CREATE_MUTABLE_FORMAT_BIT | VK_IMAGE_CREATE_EXTENDED_USAGE_BIT;
  info.usage |= VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT;
  const auto image = v.image(info).image;
  const auto buffer = v.buffer(3 * 64);
  constexpr VkImageAspectFlags kAspects[] = {VK_IMAGE_ASPECT_PLANE_0_BIT, VK_IMAGE_ASPECT_PLANE_1_BIT,
                                             VK_IMAGE_ASPECT_PLANE_2_BIT};
  for (std::uint32_t plane = 0; plane < 3; ++plane) {
    const VkImageView view = v.view(image, VK_FORMAT_R8_UNORM, VK_IMAGE_VIEW_TYPE_2D, {kAspects[plane], 0, 1, 0, 1});
    const std::uint32_t divisor = plane == 0 ? 1 : 2;
    draw_to(v, c, view, VK_FORMAT_R8_UNORM, {kWidth / divisor, kHeight / divisor}, "float",
            "float(" + std::to_string(60 * plane) + "u + 8u * y + x) / 255.0");
  }
  for (std::uint32_t plane = 0; plane < 3; ++plane) {
    const std::uint32_t divisor = plane == 0 ? 1 : 2, width = kWidth / divisor, height = kHeight / divisor;
    VkBufferImageCopy region{};
    region.imageSubresource = {kAspects[plane], 0, 0, 1};
    region.imageExtent = {width, height, 1};
    ASSERT_EQ(v.run([&](VkCommandBuffer commands) {
      barrier(commands);
      vkCmdCopyImageToBuffer(commands, image, VK_IMAGE_LAYOUT_GENERAL, buffer.buffer, 1, &region);
    }),
              VK_SUCCESS);
    for (std::uint32_t y = 0; y < height; ++y)
      for (std::uint32_t x = 0; x < width; ++x)
        EXPECT_EQ(buffer.bytes[y * width + x], 60 * plane + 8 * y + x) << plane << ": " << x << " " << y;
  }
}

/// A pass that reads one view as its input attachment and writes to another; both of R32_UINT.
void read_input(Canvas& c, VkImageView input, VkImageView output, std::uint32_t width, std::uint32_t height) {
  VkAttachmentDescription attachments[2]{};
  for (VkAttachmentDescription& a : attachments) {
    a.format = VK_FORMAT_R32_UINT;
    a.samples = VK_SAMPLE_COUNT_1_BIT;
    a.loadOp = VK_ATTACHMENT_LOAD_OP_LOAD;
    a.storeOp = VK_ATTACHMENT_STORE_OP_STORE;
    a.initialLayout = a.finalLayout = VK_IMAGE_LAYOUT_GENERAL;
  }
  const VkAttachmentReference in{0, VK_IMAGE_LAYOUT_GENERAL}, out{1, VK_IMAGE_LAYOUT_GENERAL};
  VkSubpassDescription subpass{};
  subpass.inputAttachmentCount = subpass.colorAttachmentCount = 1;
  subpass.pInputAttachments = &in;
  subpass.pColorAttachments = &out;
  const VkRenderPassCreateInfo passes{
      VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO, nullptr, 0, 2, attachments, 1, &subpass, 0, nullptr};
  VkRenderPass pass = VK_NULL_HANDLE;
  ASSERT_EQ(vkCreateRenderPass(c.v.device, &passes, nullptr, &pass), VK_SUCCESS);
  const VkImageView views[] = {input, output};
  const VkFramebufferCreateInfo frames{
      VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO, nullptr, 0, pass, 2, views, width, height, 1};
  VkFramebuffer frame = VK_NULL_HANDLE;
  ASSERT_EQ(vkCreateFramebuffer(c.v.device, &frames, nullptr, &frame), VK_SUCCESS);
  c.v.later([d = c.v.device, pass, frame] {
    vkDestroyFramebuffer(d, frame, nullptr);
    vkDestroyRenderPass(d, pass, nullptr);
  });
  c.v.stages = VK_SHADER_STAGE_FRAGMENT_BIT;
  const auto sets = c.v.set_layout({{0, VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT}});
  const auto set = c.v.set(sets, {{0, VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT}});
  c.v.write(set, 0, VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT, input, VK_NULL_HANDLE);
  c.width = width;
  c.height = height;
  PipelineState s;
  s.pass = pass;
  s.layout = c.v.layout({sets});
  VkPipelineColorBlendAttachmentState all{};
  all.colorWriteMask = 15;
  s.blend = {all};
  s.vertex = "#version 450\nvoid main() { " + kCover + "}\n";
  s.fragment =
      "#version 450\nlayout(input_attachment_index = 0, set = 0, binding = 0) uniform usubpassInput a;\n"
      "layout(location = 0) out uint o;\nvoid main() { o = subpassLoad(a).r + 1u; }\n";
  const VkPipeline pipeline = c.pipeline(s);
  EXPECT_EQ(c.v.run([&](VkCommandBuffer b) {
    const VkRenderPassBeginInfo info{
        VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO, nullptr, pass, frame, {{0, 0}, {width, height}}, 0, nullptr};
    vkCmdBeginRenderPass(b, &info, VK_SUBPASS_CONTENTS_INLINE);
    vkCmdBindPipeline(b, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
    vkCmdBindDescriptorSets(b, VK_PIPELINE_BIND_POINT_GRAPHICS, s.layout, 0, 1, &set, 0, nullptr);
    vkCmdDraw(b, 3, 1, 0, 0);
    vkCmdEndRenderPass(b);
  }),
            VK_SUCCESS);
}

TEST(VulkanViews, InputAttachmentsAreTheirLevelAndLayer_VKF10) {
  HEDDLE_NEED_SHADERS();
  const ViewShape from{"2D", VK_IMAGE_TYPE_2D, VK_IMAGE_VIEW_TYPE_2D, {26, 14, 1}, 3, 4, 1, 1, 3, 1};
  const ViewShape to{"2D", VK_IMAGE_TYPE_2D, VK_IMAGE_VIEW_TYPE_2D, {52, 28, 1}, 3, 3, 2, 1, 1, 1};
  for (const bool reference : {false, true}) {
    SCOPED_TRACE(reference ? "reference engine" : "fast engine");
    std::optional<ChecksOn> checks;
    if (reference) checks.emplace();
    Canvas c(1, 1, {});
    ViewImage input(c.v, from, VK_IMAGE_USAGE_INPUT_ATTACHMENT_BIT),
        output(c.v, to, VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT);
    read_input(c, input.view, output.view, from.width(1), from.height(1));
    EXPECT_EQ(output.read(), output.expected([&](std::uint32_t level, std::uint32_t slice, std::uint32_t x,
                                                 std::uint32_t y, std::uint32_t word) {
      return level == 2 && slice == 1 ? place_word(1, 3, x, y) + 1 : word;
    }));
  }
}

// The level of detail of a query counts from the view's first level, and ends with the view's last one.
TEST(VulkanViews, LevelsOfDetailCountFromTheFirst_VKF10) {
  HEDDLE_NEED_SHADERS();
  const ViewShape shape{"2D", VK_IMAGE_TYPE_2D, VK_IMAGE_VIEW_TYPE_2D, {64, 64, 1}, 5, 2, 1, 2, 1, 1};
  for (const bool reference : {false, true}) {
    SCOPED_TRACE(reference ? "reference engine" : "fast engine");
    std::optional<ChecksOn> checks;
    if (reference) checks.emplace();
    Canvas c(2, 2, {VK_FORMAT_R32G32B32A32_UINT});
    ViewImage image(c.v, shape);
    const auto set_layout = c.v.set_layout({{1, kCombined}});
    const auto set = c.v.set(set_layout, {{1, kCombined}});
    c.v.write(set, 1, kCombined, image.view, c.v.sampler(VK_FILTER_NEAREST));
    PipelineState s;
    s.layout = c.v.layout({set_layout});
    s.vertex = "#version 450\nvoid main() { " + kCover + "}\n";
    // Four texels of the view's first level a pixel: level 2, of which the view has 0 and 1.
    s.fragment =
        "#version 450\nlayout(binding = 1) uniform usampler2D t;\nlayout(location = 0) out uvec4 o;\nvoid main() {\n"
        "  vec2 p = (gl_FragCoord.xy * 4.0 + 0.5) / vec2(textureSize(t, 0)); vec2 lod = textureQueryLod(t, p);\n"
        "  o = uvec4(lod.x * 256.0, lod.y * 256.0, texture(t, p).r, textureQueryLevels(t)); }\n";
    const VkPipeline pipeline = c.pipeline(s);
    c.draw([&](VkCommandBuffer commands) {
      vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
      vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, s.layout, 0, 1, &set, 0, nullptr);
      vkCmdDraw(commands, 3, 1, 0, 0);
    });
    const std::vector<std::uint8_t> bytes = c.read(c.colors[0], 16);
    for (std::uint32_t pixel = 0; pixel < 4; ++pixel) {
      std::array<std::uint32_t, 4> word{};
      std::memcpy(word.data(), bytes.data() + 16 * pixel, 16);
      // Texel 4 * (n + 1/2) + 1/2 of the first level is at half of that in the next one.
      const std::uint32_t x = (4 * (pixel % 2) + 2) / 2, y = (4 * (pixel / 2) + 2) / 2;
      EXPECT_EQ(word, (std::array<std::uint32_t, 4>{256, 512, place_word(2, 1, x, y), 2})) << pixel;
    }
  }
}

// A footprint counts texels and levels of the view: of the nearest texel (x, y) with groups of 2 x 2 it is the group
// (x / 2, y / 2), in sets of 8 x 8 groups (FP-12).
TEST(VulkanFootprint, IsOfTheViewsLevels_VKF10) {
  HEDDLE_NEED_SHADERS();
  const ViewShape shapes[] = {
      {"2D", VK_IMAGE_TYPE_2D, VK_IMAGE_VIEW_TYPE_2D, {128, 96, 1}, 4, 3, 0, 4, 0, 1},
      {"2D", VK_IMAGE_TYPE_2D, VK_IMAGE_VIEW_TYPE_2D, {128, 96, 1}, 4, 3, 1, 3, 2, 1},
      {"2D", VK_IMAGE_TYPE_2D, VK_IMAGE_VIEW_TYPE_2D, {128, 96, 1}, 4, 1, 2, 1, 0, 1},
      {"2D",
       VK_IMAGE_TYPE_3D,
       VK_IMAGE_VIEW_TYPE_2D,
       {128, 96, 3},
       2,
       1,
       1,
       1,
       0,
       1,
       VK_IMAGE_CREATE_2D_VIEW_COMPATIBLE_BIT_EXT},
  };
  for (const bool reference : {false, true})
    for (const ViewShape& shape : shapes) {
      SCOPED_TRACE(testing::PrintToString(shape) + (reference ? ", reference engine" : ""));
      std::optional<ChecksOn> checks;
      if (reference) checks.emplace();
      VulkanDevice v({VK_NV_SHADER_IMAGE_FOOTPRINT_EXTENSION_NAME, VK_EXT_IMAGE_2D_VIEW_OF_3D_EXTENSION_NAME});
      ViewImage image(v, shape, 0, VK_FORMAT_R32_SFLOAT);
      for (std::uint32_t level = 0; level < shape.count; ++level) {
        ViewRun run(v);
        run.image(1, kCombined, image.view, v.sampler(VK_FILTER_NEAREST));
        const std::uint32_t width = shape.width(shape.base + level), height = shape.height(shape.base + level);
        const auto o = run.run(
            "#version 460\n#extension GL_NV_shader_texture_footprint : require\nlayout(local_size_x = 32) in;\n"
            "layout(binding = 0) buffer O { uvec2 o[]; };\nlayout(binding = 1) uniform sampler2D t;\n"
            "layout(push_constant) uniform P { int level, width, height; };\nvoid main() { uint n = "
            "gl_GlobalInvocationID.x;\n"
            "  vec2 p = (vec2(n % width, n * 5u % height) + 0.5) / vec2(width, height); gl_TextureFootprint2DNV f;\n"
            "  textureFootprintLodNV(t, p, float(level), 1, false, f); o[4u * n] = f.anchor; o[4u * n + 1u] = "
            "f.offset; "
            "o[4u * n + 2u] = f.mask; o[4u * n + 3u] = uvec2(f.lod, f.granularity); }\n",
            96, 8 * 96,
            {static_cast<std::int32_t>(level), static_cast<std::int32_t>(width), static_cast<std::int32_t>(height)});
        for (std::uint32_t n = 0; n < 96; ++n) {
          const std::uint32_t x = n % width / 2, y = n * 5 % height / 2, bit = y % 8 * 8 + x % 8;
          const std::uint64_t mask = std::uint64_t{1} << bit;
          const std::uint32_t* got = &o[8 * std::size_t{n}];
          ASSERT_EQ(got[0], x / 8) << "anchor, level " << level << " " << n;
          ASSERT_EQ(got[1], y / 8) << "anchor, level " << level << " " << n;
          ASSERT_EQ(got[2] | got[3], 0u) << "offset, level " << level << " " << n;
          ASSERT_EQ(got[4], static_cast<std::uint32_t>(mask)) << "mask, level " << level << " " << n;
          ASSERT_EQ(got[5], static_cast<std::uint32_t>(mask >> 32)) << "mask, level " << level << " " << n;
          ASSERT_EQ(got[6], level);
        }
      }
    }
}

}  // namespace
}  // namespace heddle::test
