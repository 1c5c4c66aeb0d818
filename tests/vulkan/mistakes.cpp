// SPDX-License-Identifier: MIT
#include "vulkan/mistakes.hpp"

#include <cstdlib>

namespace heddle::test {

Things::Things() : c(8, 8, {VK_FORMAT_R8G8B8A8_UNORM}, VK_FORMAT_D32_SFLOAT), v(c.v) {
  small = v.buffer(
      64, VK_BUFFER_USAGE_INDEX_BUFFER_BIT | VK_BUFFER_USAGE_VERTEX_BUFFER_BIT | VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT);
  VkImageCreateInfo info = VulkanDevice::image_info(VK_FORMAT_R8G8B8A8_UNORM, 8, 8);
  info.mipLevels = 2;
  info.arrayLayers = 2;
  image = v.image(info).image;
  info.format = VK_FORMAT_BC1_RGBA_UNORM_BLOCK;
  info.usage = VK_IMAGE_USAGE_TRANSFER_SRC_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT | VK_IMAGE_USAGE_SAMPLED_BIT;
  blocks = v.image(info).image;
  VkBufferCreateInfo bare{VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO};
  bare.size = 64;
  bare.usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT |
               VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_INDEX_BUFFER_BIT |
               VK_BUFFER_USAGE_VERTEX_BUFFER_BIT | VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT;
  EXPECT_EQ(vkCreateBuffer(v.device, &bare, nullptr, &unbound), VK_SUCCESS);
  info = VulkanDevice::image_info(VK_FORMAT_R8G8B8A8_UNORM, 8, 8);
  info.usage |= VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT;
  EXPECT_EQ(vkCreateImage(v.device, &info, nullptr, &unbound_image), VK_SUCCESS);
  v.later([device = v.device, b = unbound, i = unbound_image] {
    vkDestroyBuffer(device, b, nullptr);
    vkDestroyImage(device, i, nullptr);
  });
  set_layout = v.set_layout({{0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER}, {1, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER}});
  set = v.set(set_layout, {{0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER}, {1, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER}});
  layout = v.layout({set_layout}, 16);
  compute = v.pipeline(
      "#version 450\nlayout(set = 0, binding = 0) buffer B { uint word[]; };\n"
      "layout(set = 0, binding = 1) uniform sampler2D t;\nlayout(push_constant) uniform P { uint p; };\n"
      "void main() { word[0] = p + uint(textureLod(t, vec2(0.5), 0.0).x); }\n",
      layout);
  PipelineState s;
  s.vertex =
      "#version 450\nlayout(location = 0) in vec4 at;\nlayout(set = 0, binding = 0) buffer B { uint word[]; };\n"
      "void main() { gl_Position = at + vec4(word[0] == 7u ? 1.0 : 0.0); }\n";
  s.fragment = one_color("vec4(1)");
  s.layout = layout;
  s.bindings = {{0, 16, VK_VERTEX_INPUT_RATE_VERTEX}};
  s.attributes = {{0, 0, VK_FORMAT_R32G32B32A32_SFLOAT, 0}};
  draw = c.pipeline(s);
  PipelineState plain;
  plain.vertex = covering_vertices();
  plain.fragment = one_color("vec4(1)");
  covering = c.pipeline(plain);
  plain.dynamic = {VK_DYNAMIC_STATE_VIEWPORT, VK_DYNAMIC_STATE_SCISSOR, VK_DYNAMIC_STATE_LINE_WIDTH,
                   VK_DYNAMIC_STATE_BLEND_CONSTANTS, VK_DYNAMIC_STATE_DEPTH_BIAS};
  dynamic = c.pipeline(plain);
  VkQueryPoolCreateInfo q{VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO};
  q.queryType = VK_QUERY_TYPE_OCCLUSION;
  q.queryCount = 2;
  EXPECT_EQ(vkCreateQueryPool(v.device, &q, nullptr, &occlusion), VK_SUCCESS);
  q.queryType = VK_QUERY_TYPE_TIMESTAMP;
  EXPECT_EQ(vkCreateQueryPool(v.device, &q, nullptr, &times), VK_SUCCESS);
  v.later([device = v.device, a = occlusion, b = times] {
    vkDestroyQueryPool(device, a, nullptr);
    vkDestroyQueryPool(device, b, nullptr);
  });
}

void Mistakes::do_no_harm() const {
  HEDDLE_NEED_SHADERS();
  if (std::getenv("HEDDLE_TEST_VALIDATION") != nullptr) GTEST_SKIP() << "mistakes are what the layer is for";
  Things t;
  t.v.expects_messages = true;
  (void)t.v.run([&](VkCommandBuffer b) { GetParam().make(t, b); });
  // What comes behind it is right.
  EXPECT_EQ(t.v.run([&](VkCommandBuffer b) { vkCmdFillBuffer(b, t.small.buffer, 0, VK_WHOLE_SIZE, 5); }), VK_SUCCESS)
      << testing::PrintToString(t.v.messages);
  EXPECT_EQ(t.small.word(15), 5u);
  t.c.draw([&](VkCommandBuffer b) {
    bind(b, t.covering);
    vkCmdDraw(b, 3, 1, 0, 0);
  });
  EXPECT_EQ(t.c.pixels()[63], 0xffffffffu);
}

}  // namespace heddle::test
