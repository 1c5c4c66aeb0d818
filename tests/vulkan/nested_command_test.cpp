// SPDX-License-Identifier: MIT
// VK_EXT_nested_command_buffer: secondary command buffers that execute others. VK_EXT_mutable_descriptor_type:
// descriptors of several types. VK_EXT_attachment_feedback_loop_dynamic_state, VK_KHR_unified_image_layouts,
// VK_KHR_maintenance7.

#include <algorithm>

#include "vulkan/canvas.hpp"

namespace heddle::test {
namespace {

constexpr VkDescriptorType kStorage = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;

void begin_secondary(VkCommandBuffer buffer, const VkCommandBufferInheritanceRenderingInfo* rendering = nullptr) {
  VkCommandBufferInheritanceInfo inherited{VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_INFO, rendering};
  VkCommandBufferBeginInfo info{VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
  info.flags = VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT;
  if (rendering != nullptr) info.flags |= VK_COMMAND_BUFFER_USAGE_RENDER_PASS_CONTINUE_BIT;
  info.pInheritanceInfo = &inherited;
  ASSERT_EQ(vkBeginCommandBuffer(buffer, &info), VK_SUCCESS);
}

TEST(VulkanNestedCommands, EachLevelRunsTheOneBelowTwice) {
  HEDDLE_NEED_NEWER();
  VulkanDevice v({"VK_EXT_nested_command_buffer"});
  VkPhysicalDeviceNestedCommandBufferPropertiesEXT can{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_NESTED_COMMAND_BUFFER_PROPERTIES_EXT};
  VkPhysicalDeviceProperties2 all{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, &can, {}};
  vkGetPhysicalDeviceProperties2(v.physical, &all);
  ASSERT_GE(can.maxCommandBufferNestingLevel, 1u);
  const auto buffer = v.buffer(64);
  HEDDLE_NEED_SHADERS();
  const std::vector<VulkanDevice::Binding> bindings{{0, kStorage}};
  const auto sets = v.set_layout(bindings);
  const auto layout = v.layout({sets});
  const auto set = v.set(sets, bindings);
  v.write(set, 0, kStorage, buffer);
  const auto pipeline =
      v.pipeline("#version 450\nlayout(binding = 0) buffer O { uint o; };\nvoid main() { o += 1u; }\n", layout);
  VkCommandBuffer below = v.commands(VK_COMMAND_BUFFER_LEVEL_SECONDARY);
  begin_secondary(below);
  vkCmdBindPipeline(below, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
  vkCmdBindDescriptorSets(below, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &set, 0, nullptr);
  vkCmdDispatch(below, 1, 1, 1);
  barrier(below);
  ASSERT_EQ(vkEndCommandBuffer(below), VK_SUCCESS);
  const std::uint32_t levels = std::min(can.maxCommandBufferNestingLevel, 8u);
  for (std::uint32_t level = 0; level < levels; ++level) {
    const VkCommandBuffer above = v.commands(VK_COMMAND_BUFFER_LEVEL_SECONDARY);
    begin_secondary(above);
    vkCmdExecuteCommands(above, 1, &below);
    vkCmdExecuteCommands(above, 1, &below);
    ASSERT_EQ(vkEndCommandBuffer(above), VK_SUCCESS);
    below = above;
  }
  EXPECT_EQ(v.run([&](VkCommandBuffer c) { vkCmdExecuteCommands(c, 1, &below); }), VK_SUCCESS);
  EXPECT_EQ(buffer.word(0), 1u << levels);

  // One that executes itself ends, with a message.
  v.expects_messages = true;
  const VkCommandBuffer itself = v.commands(VK_COMMAND_BUFFER_LEVEL_SECONDARY);
  begin_secondary(itself);
  vkCmdExecuteCommands(itself, 1, &itself);
  ASSERT_EQ(vkEndCommandBuffer(itself), VK_SUCCESS);
  EXPECT_EQ(v.run([&](VkCommandBuffer c) { vkCmdExecuteCommands(c, 1, &itself); }), VK_SUCCESS);
  ASSERT_FALSE(v.messages.empty());
  EXPECT_NE(v.messages.back().find("vkCmdExecuteCommands"), std::string::npos) << v.messages.back();
}

TEST(VulkanNestedCommands, DrawsInsideAPassOfTheOutermost) {
  HEDDLE_NEED_SHADERS();
  HEDDLE_NEED_NEWER();
  Canvas c(4, 4, {VK_FORMAT_R8G8B8A8_UNORM}, VK_FORMAT_UNDEFINED, VK_SAMPLE_COUNT_1_BIT,
           {"VK_EXT_nested_command_buffer", "VK_KHR_maintenance7"});
  PipelineState s;
  s.vertex = covering_vertices();
  s.fragment = one_color("vec4(1)");
  s.scissor = VkRect2D{{0, 0}, {4, 2}};
  const VkPipeline upper = c.pipeline(s);
  s.scissor = VkRect2D{{0, 2}, {4, 1}};
  const VkPipeline lower = c.pipeline(s);
  const VkFormat format = VK_FORMAT_R8G8B8A8_UNORM;
  VkCommandBufferInheritanceRenderingInfo rendering{VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_RENDERING_INFO};
  rendering.colorAttachmentCount = 1;
  rendering.pColorAttachmentFormats = &format;
  rendering.rasterizationSamples = VK_SAMPLE_COUNT_1_BIT;
  const VkCommandBuffer inner = c.v.commands(VK_COMMAND_BUFFER_LEVEL_SECONDARY),
                        outer = c.v.commands(VK_COMMAND_BUFFER_LEVEL_SECONDARY);
  begin_secondary(inner, &rendering);
  vkCmdBindPipeline(inner, VK_PIPELINE_BIND_POINT_GRAPHICS, upper);
  vkCmdDraw(inner, 3, 1, 0, 0);
  ASSERT_EQ(vkEndCommandBuffer(inner), VK_SUCCESS);
  begin_secondary(outer, &rendering);
  vkCmdExecuteCommands(outer, 1, &inner);
  ASSERT_EQ(vkEndCommandBuffer(outer), VK_SUCCESS);
  EXPECT_EQ(c.v.run([&](VkCommandBuffer b) {
    c.begin(b, true, VK_RENDERING_CONTENTS_SECONDARY_COMMAND_BUFFERS_BIT | VK_RENDERING_CONTENTS_INLINE_BIT_KHR);
    vkCmdExecuteCommands(b, 1, &outer);
    vkCmdBindPipeline(b, VK_PIPELINE_BIND_POINT_GRAPHICS, lower);
    vkCmdDraw(b, 3, 1, 0, 0);
    c.end(b);
  }),
            VK_SUCCESS);
  const auto pixels = c.pixels();
  for (std::size_t i = 0; i < 16; ++i) EXPECT_EQ(pixels[i], i < 12 ? 0xffffffffu : 0u) << i;
}

TEST(VulkanMaintenance7, SaysWhatItIs) {
  HEDDLE_NEED_NEWER();
  const VkInstance instance = make_instance();
  VkPhysicalDeviceLayeredApiPropertiesListKHR layers{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_LAYERED_API_PROPERTIES_LIST_KHR};
  layers.layeredApiCount = 9;
  VkPhysicalDeviceMaintenance7PropertiesKHR seventh{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_7_PROPERTIES_KHR,
                                                    &layers};
  VkPhysicalDeviceProperties2 all{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, &seventh, {}};
  vkGetPhysicalDeviceProperties2(physical_device(instance), &all);
  EXPECT_EQ(layers.layeredApiCount, 0u);
  EXPECT_EQ(seventh.separateDepthStencilAttachmentAccess, VK_TRUE);
  // A layout may have as many of each kind as Vulkan 1.0's limits say, together.
  const VkPhysicalDeviceLimits& limits = all.properties.limits;
  EXPECT_GE(seventh.maxDescriptorSetTotalUniformBuffersDynamic, limits.maxDescriptorSetUniformBuffersDynamic);
  EXPECT_GE(seventh.maxDescriptorSetTotalStorageBuffersDynamic, limits.maxDescriptorSetStorageBuffersDynamic);
  EXPECT_GE(seventh.maxDescriptorSetTotalBuffersDynamic,
            limits.maxDescriptorSetUniformBuffersDynamic + limits.maxDescriptorSetStorageBuffersDynamic);
  EXPECT_GE(seventh.maxDescriptorSetUpdateAfterBindTotalBuffersDynamic,
            seventh.maxDescriptorSetUpdateAfterBindTotalUniformBuffersDynamic +
                seventh.maxDescriptorSetUpdateAfterBindTotalStorageBuffersDynamic);
  vkDestroyInstance(instance, nullptr);
}

// One descriptor after the other is a buffer, an image and texels, in sets of one layout; nothing of what it was stays.
TEST(VulkanMutableDescriptors, OneBindingOfManyTypes) {
  HEDDLE_NEED_SHADERS();
  VulkanDevice v({VK_EXT_MUTABLE_DESCRIPTOR_TYPE_EXTENSION_NAME});
  const VkDescriptorType types[] = {kStorage, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE,
                                    VK_DESCRIPTOR_TYPE_UNIFORM_TEXEL_BUFFER};
  const VkMutableDescriptorTypeListEXT lists[] = {{0, nullptr}, {4, types}};
  const VkMutableDescriptorTypeCreateInfoEXT of{VK_STRUCTURE_TYPE_MUTABLE_DESCRIPTOR_TYPE_CREATE_INFO_EXT, nullptr, 2,
                                                lists};
  const VkDescriptorSetLayoutBinding bindings[] = {
      {0, kStorage, 1, VK_SHADER_STAGE_COMPUTE_BIT, nullptr},
      {1, VK_DESCRIPTOR_TYPE_MUTABLE_EXT, 2, VK_SHADER_STAGE_COMPUTE_BIT, nullptr}};
  const VkDescriptorSetLayoutCreateInfo layouts{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO, &of, 0, 2,
                                                bindings};
  VkDescriptorSetLayoutSupport support{VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_SUPPORT};
  vkGetDescriptorSetLayoutSupport(v.device, &layouts, &support);
  EXPECT_EQ(support.supported, VK_TRUE);
  VkDescriptorSetLayout sets = VK_NULL_HANDLE;
  ASSERT_EQ(vkCreateDescriptorSetLayout(v.device, &layouts, nullptr, &sets), VK_SUCCESS);
  v.later([d = v.device, sets] { vkDestroyDescriptorSetLayout(d, sets, nullptr); });
  const VkDescriptorSet set = v.set(sets, {{0, kStorage}, {1, VK_DESCRIPTOR_TYPE_MUTABLE_EXT, 2}}),
                        copied = v.set(sets, {{0, kStorage}, {1, VK_DESCRIPTOR_TYPE_MUTABLE_EXT, 2}});
  const auto layout = v.layout({sets});
  const auto out = v.buffer(64), in = v.buffer(64);
  for (std::uint32_t i = 0; i < 16; ++i) in.set(i, 100 + i);
  VkImageCreateInfo info = VulkanDevice::image_info(VK_FORMAT_R32_UINT, 4, 4);
  info.usage = VK_IMAGE_USAGE_STORAGE_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT;
  const auto image = v.image(info);
  const VkImageView view = v.view(image.image, VK_FORMAT_R32_UINT);
  VkClearColorValue color{};
  color.uint32[0] = 55;
  const VkImageSubresourceRange all{VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
  ASSERT_EQ(
      v.run([&](VkCommandBuffer c) { vkCmdClearColorImage(c, image.image, VK_IMAGE_LAYOUT_GENERAL, &color, 1, &all); }),
      VK_SUCCESS);
  v.write(set, 0, kStorage, out);
  v.write(copied, 0, kStorage, out);
  const auto result = [&](const std::string& declaration, const std::string& value, VkDescriptorSet with) {
    const auto pipeline = v.pipeline("#version 450\nlayout(binding = 0) buffer O { uint o; };\n" + declaration +
                                         "void main() { o = " + value + "; }\n",
                                     layout);
    out.set(0, 0);
    EXPECT_EQ(v.run([&](VkCommandBuffer c) {
      vkCmdBindPipeline(c, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
      vkCmdBindDescriptorSets(c, VK_PIPELINE_BIND_POINT_COMPUTE, layout, 0, 1, &with, 0, nullptr);
      vkCmdDispatch(c, 1, 1, 1);
    }),
              VK_SUCCESS);
    return out.word(0);
  };
  const std::string storage = "layout(binding = 1) buffer S { uint s[]; } b[2];\n",
                    texels = "layout(binding = 1, r32ui) uniform uimage2D i[2];\n";
  v.write(set, 1, kStorage, in, 0, VK_WHOLE_SIZE, 1);
  EXPECT_EQ(result(storage, "b[1].s[3]", set), 103u);
  v.write(set, 1, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE, view, VK_NULL_HANDLE, 1);
  EXPECT_EQ(result(texels, "imageLoad(i[1], ivec2(2, 2)).r", set), 55u);
  VkCopyDescriptorSet copy{VK_STRUCTURE_TYPE_COPY_DESCRIPTOR_SET, nullptr, set, 1, 0, copied, 1, 0, 2};
  vkUpdateDescriptorSets(v.device, 0, nullptr, 1, &copy);
  v.write(set, 1, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, in, 0, VK_WHOLE_SIZE, 1);
  EXPECT_EQ(result("layout(binding = 1) uniform U { uvec4 u[4]; } b[2];\n", "b[1].u[2].y", set), 109u);
  EXPECT_EQ(result(texels, "imageLoad(i[1], ivec2(0, 1)).r", copied), 55u) << "the copy is the image still";
}

// A loop that commands switch on: what a draw before wrote is read. All images are in one layout.
TEST(VulkanFeedbackLoops, AreSwitchedOnByACommand) {
  HEDDLE_NEED_SHADERS();
  HEDDLE_NEED_NEWER();
  Canvas c(4, 4, {}, VK_FORMAT_UNDEFINED, VK_SAMPLE_COUNT_1_BIT,
           {"VK_EXT_attachment_feedback_loop_dynamic_state", "VK_KHR_unified_image_layouts",
            VK_EXT_ATTACHMENT_FEEDBACK_LOOP_LAYOUT_EXTENSION_NAME});
  c.colors.push_back(c.attachment(VK_FORMAT_R8G8B8A8_UNORM, VK_SAMPLE_COUNT_1_BIT,
                                  VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_ATTACHMENT_FEEDBACK_LOOP_BIT_EXT));
  const std::vector<VulkanDevice::Binding> bindings{{0, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER}};
  const auto sets = c.v.set_layout(bindings);
  const auto set = c.v.set(sets, bindings);
  c.v.write(set, 0, bindings[0].type, c.colors[0].view, c.v.sampler(VK_FILTER_NEAREST));
  PipelineState s;
  s.vertex = covering_vertices();
  s.fragment = one_color("vec4(0.2, 0, 0, 1)");
  const VkPipeline first = c.pipeline(s);
  s.layout = c.v.layout({sets});
  s.fragment =
      "#version 450\nlayout(binding = 0) uniform sampler2D t;\nlayout(location = 0) out vec4 o;\n"
      "void main() { o = vec4(2 * texelFetch(t, ivec2(gl_FragCoord.xy), 0).r, 1, 0, 1); }\n";
  s.dynamic = {static_cast<VkDynamicState>(VK_DYNAMIC_STATE_ATTACHMENT_FEEDBACK_LOOP_ENABLE_EXT)};
  const VkPipeline second = c.pipeline(s);
  const auto enable = c.v.proc<PFN_vkCmdSetAttachmentFeedbackLoopEnableEXT>("vkCmdSetAttachmentFeedbackLoopEnableEXT");
  ASSERT_NE(enable, nullptr);
  c.draw([&](VkCommandBuffer b) {
    vkCmdBindPipeline(b, VK_PIPELINE_BIND_POINT_GRAPHICS, first);
    vkCmdDraw(b, 3, 1, 0, 0);
    barrier(b, VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT, VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT,
            VK_PIPELINE_STAGE_FRAGMENT_SHADER_BIT, VK_ACCESS_SHADER_READ_BIT);
    vkCmdBindPipeline(b, VK_PIPELINE_BIND_POINT_GRAPHICS, second);
    enable(b, VK_IMAGE_ASPECT_COLOR_BIT);
    vkCmdBindDescriptorSets(b, VK_PIPELINE_BIND_POINT_GRAPHICS, s.layout, 0, 1, &set, 0, nullptr);
    vkCmdDraw(b, 3, 1, 0, 0);
  });
  for (const std::uint32_t pixel : c.pixels()) EXPECT_EQ(pixel, 0xff00ff66u);
}

}  // namespace
}  // namespace heddle::test
