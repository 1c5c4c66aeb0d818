// SPDX-License-Identifier: MIT
// Small extensions of draws, images and samplers.

#include <algorithm>
#include <array>

#include "vulkan/canvas.hpp"

namespace heddle::test {
namespace {

constexpr std::uint32_t kGreen = 0xff00ff00, kRed = 0xff0000ff;

std::size_t count_of(const std::vector<std::uint32_t>& pixels, std::uint32_t value) {
  return static_cast<std::size_t>(std::ranges::count(pixels, value));
}
void bind(VkCommandBuffer c, VkPipeline pipeline) { vkCmdBindPipeline(c, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline); }

/// Each draw covers the columns of pixels that its vertices say; its number is its color.
TEST(VulkanMultiDraw, DrawsOneAfterTheOther) {
  HEDDLE_NEED_SHADERS();
  Canvas c(8, 4, {VK_FORMAT_R8G8B8A8_UNORM}, VK_FORMAT_UNDEFINED, VK_SAMPLE_COUNT_1_BIT,
           {VK_EXT_MULTI_DRAW_EXTENSION_NAME, VK_KHR_SHADER_DRAW_PARAMETERS_EXTENSION_NAME});
  PipelineState s;
  s.topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP;
  s.vertex =
      "#version 450\n#extension GL_ARB_shader_draw_parameters : require\nlayout(location = 0) flat out vec4 v;\n"
      "void main() { int column = gl_VertexIndex / 4, k = gl_VertexIndex % 4;\n"
      "  gl_Position = vec4((column + (k & 1)) / 4.0 - 1, (k >> 1) * 2 - 1 + gl_InstanceIndex, 0, 1);\n"
      "  v = vec4((gl_DrawIDARB + 1) / 255.0, gl_BaseVertexARB / 255.0, 0, 1); }\n";
  s.fragment =
      "#version 450\nlayout(location = 0) flat in vec4 v;\nlayout(location = 0) out vec4 o;\nvoid main() { o = v; }\n";
  const VkPipeline pipeline = c.pipeline(s);
  const auto draw = c.v.proc<PFN_vkCmdDrawMultiEXT>("vkCmdDrawMultiEXT");
  const auto draw_indexed = c.v.proc<PFN_vkCmdDrawMultiIndexedEXT>("vkCmdDrawMultiIndexedEXT");
  const auto indices = c.v.buffer(16);
  for (std::uint32_t k = 0; k < 4; ++k) indices.set(k, k);
  struct Wide {
    VkMultiDrawInfoEXT info;
    std::uint32_t other;
  };
  std::vector<Wide> list{{{4, 4}, 9}, {{20, 4}, 9}};
  std::vector<VkMultiDrawIndexedInfoEXT> indexed{{0, 4, 8}, {0, 4, 24}};
  c.draw([&](VkCommandBuffer b) {
    bind(b, pipeline);
    draw(b, 2, &list[0].info, 1, 1, sizeof(Wide));
    draw(b, 0, nullptr, 1, 0, sizeof(Wide));
    vkCmdBindIndexBuffer(b, indices.buffer, 0, VK_INDEX_TYPE_UINT32);
    draw_indexed(b, 2, indexed.data(), 1, 1, sizeof indexed[0], nullptr);
    const std::int32_t offset = 28;
    draw_indexed(b, 1, indexed.data(), 1, 1, sizeof indexed[0], &offset);
    list.clear();  // what was recorded is a copy
    list.shrink_to_fit();
  });
  const std::vector<std::uint32_t> pixels = c.pixels();
  const std::vector<std::uint32_t> row(pixels.begin() + 24, pixels.end());
  const auto color = [](std::uint32_t number, std::uint32_t base) { return 0xff000000u | base << 8 | number; };
  EXPECT_EQ(row,
            (std::vector<std::uint32_t>{0, color(1, 4), color(1, 8), 0, 0, color(2, 20), color(2, 24), color(1, 28)}));
  EXPECT_EQ(pixels[1], 0u);  // the instance lies lower
}

/// What a condition hides: draws, clears of attachments and dispatches, in secondary command buffers too.
TEST(VulkanConditions, HideDrawsClearsAndDispatches) {
  HEDDLE_NEED_SHADERS();
  Canvas c(8, 8, {VK_FORMAT_R8G8B8A8_UNORM}, VK_FORMAT_UNDEFINED, VK_SAMPLE_COUNT_1_BIT,
           {VK_EXT_CONDITIONAL_RENDERING_EXTENSION_NAME});
  PipelineState s;
  s.vertex = covering_vertices();
  s.fragment = one_color("vec4(0, 1, 0, 1)");
  const VkPipeline pipeline = c.pipeline(s);
  c.v.stages = VK_SHADER_STAGE_COMPUTE_BIT;
  const auto sets = c.v.set_layout({{0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER}});
  const auto layout = c.v.layout({sets});
  const auto set = c.v.set(sets, {{0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER}});
  const auto counter = c.v.buffer(16), conditions = c.v.buffer(16, VK_BUFFER_USAGE_CONDITIONAL_RENDERING_BIT_EXT);
  c.v.write(set, 0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, counter);
  const VkPipeline compute = c.v.pipeline(
      "#version 450\nlayout(set = 0, binding = 0) buffer B { uint n; };\nvoid main() { atomicAdd(n, 1); }\n", layout);
  conditions.set(0, 0);
  conditions.set(1, 0x100);
  const auto begin = c.v.proc<PFN_vkCmdBeginConditionalRenderingEXT>("vkCmdBeginConditionalRenderingEXT");
  const auto end = c.v.proc<PFN_vkCmdEndConditionalRenderingEXT>("vkCmdEndConditionalRenderingEXT");
  const auto condition = [&](VkCommandBuffer b, std::uint32_t which, bool inverted) {
    const VkConditionalRenderingBeginInfoEXT info{
        VK_STRUCTURE_TYPE_CONDITIONAL_RENDERING_BEGIN_INFO_EXT, nullptr, conditions.buffer, 4 * which,
        inverted ? VK_CONDITIONAL_RENDERING_INVERTED_BIT_EXT : VkConditionalRenderingFlagsEXT{}};
    begin(b, &info);
  };
  const auto clear = [&](VkCommandBuffer b) {
    VkClearAttachment what{VK_IMAGE_ASPECT_COLOR_BIT, 0, {}};
    what.clearValue.color = {{1, 0, 0, 1}};
    const VkClearRect half{{{0, 0}, {4, 8}}, 0, 1};
    vkCmdClearAttachments(b, 1, &what, 1, &half);
  };
  for (const std::uint32_t which : {0u, 1u})
    for (const bool inverted : {false, true}) {
      const bool shown = (which == 1) != inverted;
      c.draw([&](VkCommandBuffer b) {
        condition(b, which, inverted);
        bind(b, pipeline);
        vkCmdDraw(b, 3, 1, 0, 0);
        clear(b);
        end(b);
      });
      EXPECT_EQ(count_of(c.pixels(), kGreen), shown ? 32u : 0u);
      EXPECT_EQ(count_of(c.pixels(), kRed), shown ? 32u : 0u);
      counter.set(0, 0);
      const VkCommandBuffer second = c.v.commands(VK_COMMAND_BUFFER_LEVEL_SECONDARY);
      const VkCommandBufferInheritanceConditionalRenderingInfoEXT conditional{
          VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_CONDITIONAL_RENDERING_INFO_EXT, nullptr, VK_TRUE};
      const VkCommandBufferInheritanceInfo inherited{VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_INFO, &conditional};
      VkCommandBufferBeginInfo info{VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
      info.pInheritanceInfo = &inherited;
      EXPECT_EQ(vkBeginCommandBuffer(second, &info), VK_SUCCESS);
      const auto dispatch = [&](VkCommandBuffer b) {
        vkCmdBindPipeline(b, VK_PIPELINE_BIND_POINT_COMPUTE, compute);
        vkCmdBindDescriptorSets(b, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &set, 0, nullptr);
        vkCmdDispatch(b, 1, 1, 1);
      };
      dispatch(second);
      EXPECT_EQ(vkEndCommandBuffer(second), VK_SUCCESS);
      EXPECT_EQ(c.v.run([&](VkCommandBuffer b) {
        dispatch(b);
        condition(b, which, inverted);
        dispatch(b);
        vkCmdExecuteCommands(b, 1, &second);
        end(b);
        dispatch(b);
      }),
                VK_SUCCESS);
      EXPECT_EQ(counter.word(0), shown ? 4u : 2u);
    }
}

/// OM-6: depths of viewports, clears and bounds beyond 0 to 1 are kept as they are where the format can hold them.
TEST(VulkanDepthRange, IsNotRestricted_OM6) {
  HEDDLE_NEED_SHADERS();
  Canvas c(8, 8, {VK_FORMAT_R8G8B8A8_UNORM}, VK_FORMAT_D32_SFLOAT, VK_SAMPLE_COUNT_1_BIT,
           {VK_EXT_DEPTH_RANGE_UNRESTRICTED_EXTENSION_NAME});
  PipelineState s;
  s.vertex = covering_vertices("0.75");
  s.fragment = one_color("vec4(0, 1, 0, 1)");
  s.viewport = VkViewport{0, 0, 8, 8, -4, 8};
  s.depth.depthTestEnable = s.depth.depthWriteEnable = VK_TRUE;
  s.depth.depthCompareOp = VK_COMPARE_OP_GREATER;
  s.depth.depthBoundsTestEnable = VK_TRUE;
  s.depth.minDepthBounds = -20;
  s.depth.maxDepthBounds = -5;
  const VkPipeline pipeline = c.pipeline(s);
  c.draw([&](VkCommandBuffer b) {
    VkClearAttachment what{VK_IMAGE_ASPECT_DEPTH_BIT, 0, {}};
    what.clearValue.depthStencil.depth = -10;
    const VkClearRect half{{{0, 0}, {4, 8}}, 0, 1};
    vkCmdClearAttachments(b, 1, &what, 1, &half);
    bind(b, pipeline);
    vkCmdDraw(b, 3, 1, 0, 0);
  });
  EXPECT_EQ(count_of(c.pixels(), kGreen), 32u);
  const std::vector<std::uint8_t> bytes = c.read(c.depth, 4, VK_IMAGE_ASPECT_DEPTH_BIT);
  std::array<float, 64> depths{};
  std::memcpy(depths.data(), bytes.data(), sizeof depths);
  for (std::size_t i = 0; i < 64; ++i) EXPECT_EQ(depths[i], i % 8 < 4 ? 5.0f : 1.0f) << i;
}

/// A slice of a volume's level as an image of two dimensions, to store to and to read from.
TEST(VulkanImages, SlicesOfVolumesAreImages) {
  HEDDLE_NEED_SHADERS();
  VulkanDevice v({VK_EXT_IMAGE_2D_VIEW_OF_3D_EXTENSION_NAME});
  VkImageCreateInfo info = VulkanDevice::image_info(VK_FORMAT_R32_UINT, 8, 8);
  info.imageType = VK_IMAGE_TYPE_3D;
  info.extent.depth = 8;
  info.mipLevels = 2;
  info.flags = VK_IMAGE_CREATE_2D_VIEW_COMPATIBLE_BIT_EXT;
  info.usage |= VK_IMAGE_USAGE_STORAGE_BIT;
  const auto image = v.image(info);
  const VkImageSubresourceRange slice{VK_IMAGE_ASPECT_COLOR_BIT, 1, 1, 2, 1};
  const VkImageView flat = v.view(image.image, VK_FORMAT_R32_UINT, VK_IMAGE_VIEW_TYPE_2D, slice),
                    whole = v.view(image.image, VK_FORMAT_R32_UINT, VK_IMAGE_VIEW_TYPE_3D,
                                   {VK_IMAGE_ASPECT_COLOR_BIT, 0, 2, 0, 1});
  const std::vector<VulkanDevice::Binding> bindings{{0, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE},
                                                    {1, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER},
                                                    {2, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER},
                                                    {3, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER}};
  const auto sets = v.set_layout(bindings);
  const auto layout = v.layout({sets});
  const auto set = v.set(sets, bindings);
  const auto out = v.buffer(4 * 32);
  const VkSampler sampler = v.sampler(VK_FILTER_NEAREST);
  v.write(set, 0, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, flat, VK_NULL_HANDLE);
  v.write(set, 1, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, flat, sampler);
  v.write(set, 2, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, whole, sampler);
  v.write(set, 3, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, out);
  const std::string head =
      "#version 450\nlayout(local_size_x = 4, local_size_y = 4) in;\n"
      "layout(set = 0, binding = 0, r32ui) uniform uimage2D i;\nlayout(set = 0, binding = 1) uniform usampler2D f;\n"
      "layout(set = 0, binding = 2) uniform usampler3D w;\nlayout(set = 0, binding = 3) buffer B { uint o[]; };\n"
      "void main() { ivec2 p = ivec2(gl_GlobalInvocationID.xy); int at = p.y * 4 + p.x;\n";
  const VkPipeline store = v.pipeline(head + "imageStore(i, p, uvec4(at + 7)); }\n", layout),
                   load = v.pipeline(head +
                                         "o[at] = texelFetch(f, p, 0).r; o[16 + at] = "
                                         "texelFetch(w, ivec3(p, 2), 1).r; }\n",
                                     layout);
  EXPECT_EQ(v.run([&](VkCommandBuffer b) {
    const VkClearColorValue zero{};
    const VkImageSubresourceRange all{VK_IMAGE_ASPECT_COLOR_BIT, 0, 2, 0, 1};
    vkCmdClearColorImage(b, image.image, VK_IMAGE_LAYOUT_GENERAL, &zero, 1, &all);
    vkCmdBindDescriptorSets(b, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &set, 0, nullptr);
    for (const VkPipeline pipeline : {store, load}) {
      barrier(b);
      vkCmdBindPipeline(b, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
      vkCmdDispatch(b, 1, 1, 1);
    }
  }),
            VK_SUCCESS);
  for (std::uint32_t i = 0; i < 16; ++i) {
    EXPECT_EQ(out.word(i), i + 7) << i;
    EXPECT_EQ(out.word(16 + i), i + 7) << i;
  }
}

/// SUR-7: the view's swizzle applies to the border color as to texels.
TEST(VulkanImages, BordersAreSwizzled_SUR7) {
  HEDDLE_NEED_SHADERS();
  VulkanDevice v({VK_EXT_BORDER_COLOR_SWIZZLE_EXTENSION_NAME, VK_EXT_CUSTOM_BORDER_COLOR_EXTENSION_NAME});
  const auto image = v.image(VulkanDevice::image_info(VK_FORMAT_R8G8B8A8_UNORM, 4, 4));
  const VkComponentMapping mapping{VK_COMPONENT_SWIZZLE_A, VK_COMPONENT_SWIZZLE_R, VK_COMPONENT_SWIZZLE_ONE,
                                   VK_COMPONENT_SWIZZLE_G};
  const VkImageView view = v.view(image.image, VK_FORMAT_R8G8B8A8_UNORM, VK_IMAGE_VIEW_TYPE_2D,
                                  {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1}, mapping);
  VkSamplerCustomBorderColorCreateInfoEXT custom{VK_STRUCTURE_TYPE_SAMPLER_CUSTOM_BORDER_COLOR_CREATE_INFO_EXT};
  custom.customBorderColor = {{0.25f, 0.5f, 0.75f, 0.125f}};
  custom.format = VK_FORMAT_R8G8B8A8_UNORM;
  const VkSamplerBorderColorComponentMappingCreateInfoEXT said{
      VK_STRUCTURE_TYPE_SAMPLER_BORDER_COLOR_COMPONENT_MAPPING_CREATE_INFO_EXT, &custom, mapping, VK_FALSE};
  VkSamplerCreateInfo info{VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO, &said};
  info.addressModeU = info.addressModeV = info.addressModeW = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_BORDER;
  info.borderColor = VK_BORDER_COLOR_FLOAT_CUSTOM_EXT;
  VkSampler sampler = VK_NULL_HANDLE;
  ASSERT_EQ(vkCreateSampler(v.device, &info, nullptr, &sampler), VK_SUCCESS);
  v.later([d = v.device, sampler] { vkDestroySampler(d, sampler, nullptr); });
  const std::vector<VulkanDevice::Binding> bindings{{0, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER},
                                                    {1, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER}};
  const auto sets = v.set_layout(bindings);
  const auto layout = v.layout({sets});
  const auto set = v.set(sets, bindings);
  const auto out = v.buffer(32);
  v.write(set, 0, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, view, sampler);
  v.write(set, 1, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, out);
  const VkPipeline pipeline = v.pipeline(
      "#version 450\nlayout(set = 0, binding = 0) uniform sampler2D t;\nlayout(set = 0, binding = 1) buffer B { vec4 "
      "o[]; };\nvoid main() { o[0] = textureLod(t, vec2(-2), 0); o[1] = textureGather(t, vec2(-2), 1); }\n",
      layout);
  EXPECT_EQ(v.run([&](VkCommandBuffer b) {
    vkCmdBindDescriptorSets(b, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &set, 0, nullptr);
    vkCmdBindPipeline(b, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
    vkCmdDispatch(b, 1, 1, 1);
  }),
            VK_SUCCESS);
  std::array<float, 8> got{};
  std::memcpy(got.data(), out.bytes, sizeof got);
  EXPECT_EQ(got, (std::array{0.125f, 0.25f, 1.0f, 0.5f, 0.25f, 0.25f, 0.25f, 0.25f}));
}

/// FBO-7: a fragment reads what the primitives before it have written to its pixel, without a barrier.
TEST(VulkanPass, AttachmentsAreReadInTheOrderOfPrimitives_FBO7) {
  HEDDLE_NEED_SHADERS();
  constexpr std::uint32_t kSize = 128;
  Canvas c(kSize, kSize, {}, VK_FORMAT_UNDEFINED, VK_SAMPLE_COUNT_1_BIT,
           {VK_EXT_RASTERIZATION_ORDER_ATTACHMENT_ACCESS_EXTENSION_NAME});
  const auto target = c.attachment(VK_FORMAT_R32_UINT, VK_SAMPLE_COUNT_1_BIT, VK_IMAGE_USAGE_INPUT_ATTACHMENT_BIT);
  const VkAttachmentDescription attachment{0,
                                           VK_FORMAT_R32_UINT,
                                           VK_SAMPLE_COUNT_1_BIT,
                                           VK_ATTACHMENT_LOAD_OP_CLEAR,
                                           VK_ATTACHMENT_STORE_OP_STORE,
                                           VK_ATTACHMENT_LOAD_OP_DONT_CARE,
                                           VK_ATTACHMENT_STORE_OP_DONT_CARE,
                                           VK_IMAGE_LAYOUT_GENERAL,
                                           VK_IMAGE_LAYOUT_GENERAL};
  const VkAttachmentReference used{0, VK_IMAGE_LAYOUT_GENERAL};
  VkSubpassDescription subpass{};
  subpass.flags = VK_SUBPASS_DESCRIPTION_RASTERIZATION_ORDER_ATTACHMENT_COLOR_ACCESS_BIT_EXT;
  subpass.colorAttachmentCount = subpass.inputAttachmentCount = 1;
  subpass.pColorAttachments = subpass.pInputAttachments = &used;
  const VkRenderPassCreateInfo passes{
      VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO, nullptr, 0, 1, &attachment, 1, &subpass, 0, nullptr};
  VkRenderPass pass = VK_NULL_HANDLE;
  ASSERT_EQ(vkCreateRenderPass(c.v.device, &passes, nullptr, &pass), VK_SUCCESS);
  const VkFramebufferCreateInfo frames{
      VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO, nullptr, 0, pass, 1, &target.view, kSize, kSize, 1};
  VkFramebuffer frame = VK_NULL_HANDLE;
  ASSERT_EQ(vkCreateFramebuffer(c.v.device, &frames, nullptr, &frame), VK_SUCCESS);
  c.v.later([d = c.v.device, pass, frame] {
    vkDestroyFramebuffer(d, frame, nullptr);
    vkDestroyRenderPass(d, pass, nullptr);
  });
  c.v.stages = VK_SHADER_STAGE_FRAGMENT_BIT;
  const auto sets = c.v.set_layout({{0, VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT}});
  const auto set = c.v.set(sets, {{0, VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT}});
  c.v.write(set, 0, VK_DESCRIPTOR_TYPE_INPUT_ATTACHMENT, target.view, VK_NULL_HANDLE);
  PipelineState s;
  s.pass = pass;
  s.layout = c.v.layout({sets});
  s.colors.flags = VK_PIPELINE_COLOR_BLEND_STATE_CREATE_RASTERIZATION_ORDER_ATTACHMENT_ACCESS_BIT_EXT;
  VkPipelineColorBlendAttachmentState all{};
  all.colorWriteMask = 15;
  s.blend = {all};
  s.vertex =
      "#version 450\nlayout(location = 0) flat out uint n;\nvoid main() {\n"
      "  int k = gl_VertexIndex % 6;\n  vec2 p = vec2[](vec2(0), vec2(1, 0), vec2(0, 1), vec2(1, 0), vec2(1), vec2(0, "
      "1))[k];\n"
      "  int square = gl_VertexIndex / 6 % 65, turn = gl_VertexIndex / 6 / 65;\n"
      "  vec2 q = square == 0 ? p : (vec2((square - 1) % 8, (square - 1) / 8) + p) / 8;\n"
      "  n = uint(2 * turn + (square == 0 ? 1 : 2));\n  gl_Position = vec4(q * 2 - 1, 0, 1);\n}\n";
  s.fragment =
      "#version 450\nlayout(input_attachment_index = 0, set = 0, binding = 0) uniform usubpassInput a;\n"
      "layout(location = 0) flat in uint n;\nlayout(location = 0) out uint o;\n"
      "void main() { o = subpassLoad(a).r * 5 + n; }\n";
  const VkPipeline pipeline = c.pipeline(s);
  EXPECT_EQ(c.v.run([&](VkCommandBuffer b) {
    const VkClearValue zero{};
    const VkRenderPassBeginInfo info{
        VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO, nullptr, pass, frame, {{0, 0}, {kSize, kSize}}, 1, &zero};
    vkCmdBeginRenderPass(b, &info, VK_SUBPASS_CONTENTS_INLINE);
    bind(b, pipeline);
    vkCmdBindDescriptorSets(b, VK_PIPELINE_BIND_POINT_GRAPHICS, s.layout, 0, 1, &set, 0, nullptr);
    vkCmdDraw(b, 6 * 65 * 3, 1, 0, 0);
    vkCmdEndRenderPass(b);
  }),
            VK_SUCCESS);
  std::uint32_t expected = 0, wrong = 0;
  for (std::uint32_t n = 1; n <= 6; ++n) expected = expected * 5 + n;
  const std::vector<std::uint8_t> bytes = c.read(target);
  for (std::size_t i = 0; i < bytes.size(); i += 4) {
    std::uint32_t word = 0;
    std::memcpy(&word, bytes.data() + i, 4);
    wrong += word != expected ? 1 : 0;
  }
  EXPECT_EQ(wrong, 0u);
}

/// RAS-9
TEST(VulkanRaster, ConservativeTriangles_RAS9) {
  HEDDLE_NEED_SHADERS();
  Canvas c(16, 16, {VK_FORMAT_R8G8B8A8_UNORM}, VK_FORMAT_UNDEFINED, VK_SAMPLE_COUNT_1_BIT,
           {VK_EXT_CONSERVATIVE_RASTERIZATION_EXTENSION_NAME});
  VkPhysicalDeviceConservativeRasterizationPropertiesEXT can{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_CONSERVATIVE_RASTERIZATION_PROPERTIES_EXT};
  VkPhysicalDeviceProperties2 all{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, &can};
  vkGetPhysicalDeviceProperties2(c.v.physical, &all);
  EXPECT_EQ(can.primitiveOverestimationSize, 0);
  EXPECT_TRUE(can.primitiveUnderestimation);
  // A square from 3.5 to 9.25 in both directions, of two triangles: blending shows who comes twice.
  VkPipelineRasterizationConservativeStateCreateInfoEXT conservative{
      VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_CONSERVATIVE_STATE_CREATE_INFO_EXT};
  PipelineState s;
  s.raster.pNext = &conservative;
  s.topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP;
  s.vertex =
      "#version 450\nvoid main() { vec2 p = vec2(gl_VertexIndex & 1, gl_VertexIndex >> 1) * 2 - 1;\n"
      "gl_Position = vec4((p * 2.875 + 6.375) / 8 - 1, 0, 1); }\n";
  s.fragment = one_color("vec4(0, 1, 0, 1)");
  const auto drawn = [&](VkConservativeRasterizationModeEXT mode, std::uint32_t vertices) {
    conservative.conservativeRasterizationMode = mode;
    const VkPipeline pipeline = c.pipeline(s);
    c.draw([&](VkCommandBuffer b) {
      bind(b, pipeline);
      vkCmdDraw(b, vertices, 1, 0, 0);
    });
    return count_of(c.pixels(), kGreen);
  };
  EXPECT_EQ(drawn(VK_CONSERVATIVE_RASTERIZATION_MODE_DISABLED_EXT, 4), 36u);      // centers 3.5 to 8.5
  EXPECT_EQ(drawn(VK_CONSERVATIVE_RASTERIZATION_MODE_OVERESTIMATE_EXT, 4), 49u);  // 3 to 10
  EXPECT_EQ(drawn(VK_CONSERVATIVE_RASTERIZATION_MODE_UNDERESTIMATE_EXT, 3), 6u);  // from 4 on, above the diagonal
}

}  // namespace
}  // namespace heddle::test
