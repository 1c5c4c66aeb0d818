// SPDX-License-Identifier: MIT
// The sanitizer looks at draws: faulty ones are found and placed, sound ones say nothing.
// Rules: run-derivative-undefined, run-surface-bounds, run-race, run-undefined-register, run-memory-unwritten,
// run-barrier-missing, run-image-layout; PIX-13.

#include <algorithm>
#include <cstring>
#include <functional>

#include "vulkan/canvas.hpp"
#include "vulkan/checks.hpp"

namespace heddle::test {
namespace {

constexpr VkFormat kFormat = VK_FORMAT_R8G8B8A8_UNORM;
constexpr VkDescriptorType kSampled = VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER,
                           kStorage = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;

const std::string kHead =
    "#version 450\n"                                                               // 1
    "#extension GL_EXT_demote_to_helper_invocation : enable\n"                     // 2
    "layout(location = 0) out vec4 o; layout(binding = 0) uniform sampler2D t;\n"  // 3
    "layout(binding = 1) buffer B { uint x[]; } b;\n"                              // 4
    "void main() {\n"                                                              // 5
    "  vec2 p = gl_FragCoord.xy;\n"                                                // 6
    "  o = vec4(0);\n";                                                            // 7

/// A target of 8 x 8 pixels, a texture of that size that nobody has written, and a buffer of 32 words.
struct Scene {
  explicit Scene(VkSampleCountFlagBits samples)
      : c(8, 8, {kFormat}, VK_FORMAT_UNDEFINED, samples, {VK_EXT_SHADER_DEMOTE_TO_HELPER_INVOCATION_EXTENSION_NAME}),
        texture(c.attachment(kFormat, VK_SAMPLE_COUNT_1_BIT, VK_IMAGE_USAGE_SAMPLED_BIT)) {
    c.v.expects_messages = c.v.debug_shaders = true;
    c.v.stages = VK_SHADER_STAGE_ALL_GRAPHICS;
    const std::vector<VulkanDevice::Binding> bindings{{0, kSampled}, {1, kStorage}};
    const VkDescriptorSetLayout sets = c.v.set_layout(bindings);
    set = c.v.set(sets, bindings);
    state.layout = c.v.layout({sets});
    state.samples.rasterizationSamples = samples;
    state.vertex = covering_vertices();
    buffer = c.v.buffer(128);
    sampler = c.v.sampler(VK_FILTER_NEAREST);
    c.v.write(set, 0, kSampled, texture.view, sampler);
    c.v.write(set, 1, kStorage, buffer);
  }
  /// `body`: of the fragment shader, from line 8.
  void draw(VkCommandBuffer commands, const std::string& body) {
    state.fragment = kHead + body + "}\n";
    c.begin(commands, true);
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, c.pipeline(state));
    vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, state.layout, 0, 1, &set, 0, nullptr);
    vkCmdDraw(commands, 3, 1, 0, 0);
    c.end(commands);
  }
  /// Draws to the texture.
  void draw_texture(VkCommandBuffer commands) {
    std::swap(c.colors[0], texture);
    draw(commands, "  o = vec4(1);\n");
    std::swap(c.colors[0], texture);
  }
  void clear_texture(VkCommandBuffer commands) const {
    const VkClearColorValue value{};
    const VkImageSubresourceRange all{VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
    vkCmdClearColorImage(commands, texture.image.image, VK_IMAGE_LAYOUT_GENERAL, &value, 1, &all);
    barrier(commands, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
            VK_ACCESS_MEMORY_READ_BIT);
  }
  const ChecksOn on;
  Canvas c;
  Canvas::Attachment texture;
  PipelineState state;
  VulkanDevice::Buffer buffer;
  VkSampler sampler = VK_NULL_HANDLE;
  VkDescriptorSet set = VK_NULL_HANDLE;
};

struct Case {
  const char* name;
  std::function<void(Scene&, VkCommandBuffer)> record;
  Expected expected{};
  VkSampleCountFlagBits samples = VK_SAMPLE_COUNT_1_BIT;
};

void run_all(const std::vector<Case>& cases) {
  for (const Case& one : cases) {
    SCOPED_TRACE(one.name);
    Scene s(one.samples);
    const VkResult done = s.c.v.run([&](VkCommandBuffer c) { one.record(s, c); });
    EXPECT_EQ(done, VK_SUCCESS);
    expect_found(s.c.v.messages, one.expected);
  }
}

std::function<void(Scene&, VkCommandBuffer)> drawing(const std::string& body) {
  return [body](Scene& s, VkCommandBuffer c) {
    s.clear_texture(c);
    s.draw(c, body);
  };
}

TEST(VulkanDrawChecks, FaultyDrawsAreFound) {
  HEDDLE_NEED_SHADERS();
  run_all({
      {"beyond the end of a buffer",
       drawing("  uint i = uint(p.y) * 8u + uint(p.x);\n  b.x[i] = 1u;\n"),
       {"run-surface-bounds", {"shader:9:", "pixel (0, 4)", "storage buffer 'b' (set 0, binding 1)"}}},
      {"the same of one sample",
       drawing("  uint i = 64u + uint(gl_SampleID);\n  if (p.x >= 6.0 && p.y < 1.0) b.x[i] = 1u;\n"),
       {"run-surface-bounds", {"shader:9:", "pixel (6, 0)"}},
       VK_SAMPLE_COUNT_4_BIT},
      {"pixels that write one word",
       drawing("  b.x[uint(p.x)] = uint(p.y);\n"),
       {"run-race", {"shader:8:", "write of storage buffer 'b'", "pixel ("}}},
      {"a derivative that a part of the quad takes",
       drawing("  if (p.x < 3.0)\n    o = vec4(dFdx(p.y));\n"),
       {"run-derivative-undefined", {"shader:9:", "pixel (2, 0)"}}},
      {"an implicit level of detail there",
       drawing("  if (p.y < 3.0)\n    o = texture(t, p / 8.0);\n"),
       {"run-derivative-undefined", {"shader:9:", "pixel (0, 2)"}}},
      {"a texture that nobody wrote",
       [](Scene& s, VkCommandBuffer c) { s.draw(c, "  o = texture(t, p / 8.0);\n"); },
       {"run-memory-unwritten", {"shader:8:", "'t' (set 0, binding 0", "pixel (0, 0)"}}},
      {"the same where half of the pixels are demoted",
       [](Scene& s, VkCommandBuffer c) { s.draw(c, "  if (p.x < 4.0) demote;\n  o = texture(t, p / 8.0);\n"); },
       {"run-memory-unwritten", {"shader:9:", "'t' (set 0, binding 0", "pixel (4, 0)"}}},
      {"a texture whose contents were given up",
       [](Scene& s, VkCommandBuffer c) {
         s.clear_texture(c);
         change_layout(c, s.texture.image.image, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_LAYOUT_GENERAL);
         s.draw(c, "  o = texture(t, p / 8.0);\n");
       },
       {"run-memory-unwritten", {"shader:8:"}}},
      {"a texture that was just drawn",
       [](Scene& s, VkCommandBuffer c) {
         s.draw_texture(c);
         s.draw(c, "  o = texture(t, p / 8.0);\n");
       },
       {"run-barrier-missing", {"shader:8:", "read of", "write by vkCmdEndRendering"}}},
      {"a barrier behind the wrong stage",
       [](Scene& s, VkCommandBuffer c) {
         s.draw_texture(c);
         barrier(c, VK_PIPELINE_STAGE_FRAGMENT_SHADER_BIT, VK_ACCESS_SHADER_WRITE_BIT,
                 VK_PIPELINE_STAGE_FRAGMENT_SHADER_BIT, VK_ACCESS_SHADER_READ_BIT);
         s.draw(c, "  o = texture(t, p / 8.0);\n");
       },
       {"run-barrier-missing", {"shader:8:"}}},
      {"a texture in another layout",
       [](Scene& s, VkCommandBuffer c) {
         s.clear_texture(c);
         change_layout(c, s.texture.image.image, VK_IMAGE_LAYOUT_GENERAL, VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL);
         s.draw(c, "  o = texture(t, p / 8.0);\n");  // the descriptor says GENERAL
       },
       {"run-image-layout", {"shader:8:", "SHADER_READ_ONLY_OPTIMAL", "descriptor says GENERAL", "'t'"}}},
      {"a target in another layout",
       [](Scene& s, VkCommandBuffer c) {
         change_layout(c, s.c.colors[0].image.image, VK_IMAGE_LAYOUT_GENERAL, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
         s.draw(c, "");
       },
       {"run-image-layout", {"vkCmdBeginRendering", "in the layout TRANSFER_DST_OPTIMAL", "imageLayout says GENERAL"}}},
  });
}

TEST(VulkanDrawChecks, SoundDrawsSayNothing) {
  HEDDLE_NEED_SHADERS();
  run_all({
      {"each pixel has its word", drawing("  if (p.y < 4.0) b.x[uint(p.y) * 8u + uint(p.x)] = 1u;\n")},
      {"derivatives of whole quads", drawing("  if (p.x < 4.0)\n    o = vec4(dFdx(p.y)) + texture(t, p / 8.0);\n")},
      {"a level of its own in a part of the quad", drawing("  if (p.x < 3.0)\n    o = textureLod(t, p / 8.0, 0.0);\n")},
      {"a texture behind a discard", drawing("  if (p.x < 3.0) discard;\n  o = texture(t, p / 8.0);\n")},
      {"a texture that nobody wrote, of demoted pixels",
       [](Scene& s, VkCommandBuffer c) { s.draw(c, "  demote;\n  o = texture(t, p / 8.0);\n"); }},
      {"helper pixels along an edge",
       [](Scene& s, VkCommandBuffer c) {
         s.clear_texture(c);
         s.state.vertex =
             "#version 450\nvoid main() { gl_Position = vec4(gl_VertexIndex == 1 ? 0.7 : -0.6, gl_VertexIndex == 2 ? "
             "0.8 : -0.7, 0.5, 1); }\n";
         s.draw(c, "  o = texture(t, p / 8.0) + vec4(fwidth(p.x * p.y));\n");
       }},
      {"atomic operations of all pixels", drawing("  atomicAdd(b.x[0], 1u);\n")},
      {"a texture that was drawn, behind a barrier",
       [](Scene& s, VkCommandBuffer c) {
         s.draw_texture(c);
         barrier(c, VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT, VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT,
                 VK_PIPELINE_STAGE_FRAGMENT_SHADER_BIT, VK_ACCESS_SHADER_READ_BIT);
         s.draw(c, "  o = texture(t, p / 8.0);\n");
       }},
      {"samples that are resolved",
       drawing("  o = texture(t, p / 8.0) * float(gl_SampleID);\n"),
       {},
       VK_SAMPLE_COUNT_4_BIT},
  });
}

/// A vertex shader that reads a buffer of three points.
void draw_points(Scene& s, VkCommandBuffer c, const VulkanDevice::Buffer& points) {
  s.state.vertex = "#version 450\nlayout(location = 0) in vec2 p;\nvoid main() { gl_Position = vec4(p, 0.5, 1); }\n";
  s.state.bindings = {{0, 8, VK_VERTEX_INPUT_RATE_VERTEX}};
  s.state.attributes = {{0, 0, VK_FORMAT_R32G32_SFLOAT, 0}};
  const VkDeviceSize offset = 0;
  vkCmdBindVertexBuffers(c, 0, 1, &points.buffer, &offset);
  s.draw(c, "");
}

void name(const Scene& s, const VulkanDevice::Buffer& buffer, const char* text) {
  const VkDebugUtilsObjectNameInfoEXT info{VK_STRUCTURE_TYPE_DEBUG_UTILS_OBJECT_NAME_INFO_EXT, nullptr,
                                           VK_OBJECT_TYPE_BUFFER, reinterpret_cast<std::uint64_t>(buffer.buffer), text};
  EXPECT_EQ(s.c.v.proc<PFN_vkSetDebugUtilsObjectNameEXT>("vkSetDebugUtilsObjectNameEXT")(s.c.v.device, &info),
            VK_SUCCESS);
}

/// Draws with a buffer of points and a color for each instance; `indices`: three of them, if there is a buffer.
void draw_instances(Scene& s, VkCommandBuffer c, const VulkanDevice::Buffer& points, const VulkanDevice::Buffer& colors,
                    const VulkanDevice::Buffer* indices = nullptr, std::uint32_t vertices = 3) {
  s.state.vertex =
      "#version 450\nlayout(location = 0) in vec2 p;\nlayout(location = 1) in vec4 q;\n"
      "void main() { gl_Position = vec4(p, 0.5, 1) + q; }\n";
  s.state.fragment = "#version 450\nlayout(location = 0) out vec4 o;\nvoid main() { o = vec4(1); }\n";
  s.state.bindings = {{0, 8, VK_VERTEX_INPUT_RATE_VERTEX}, {1, 16, VK_VERTEX_INPUT_RATE_INSTANCE}};
  s.state.attributes = {{0, 0, VK_FORMAT_R32G32_SFLOAT, 0}, {1, 1, VK_FORMAT_R32G32B32A32_SFLOAT, 0}};
  const VkBuffer buffers[] = {points.buffer, colors.buffer};
  const VkDeviceSize offsets[] = {0, 0};
  s.c.begin(c, true);
  vkCmdBindVertexBuffers(c, 0, 2, buffers, offsets);
  vkCmdBindPipeline(c, VK_PIPELINE_BIND_POINT_GRAPHICS, s.c.pipeline(s.state));
  if (indices != nullptr) {
    vkCmdBindIndexBuffer(c, indices->buffer, 0, VK_INDEX_TYPE_UINT16);
    vkCmdDrawIndexed(c, vertices, 2, 0, 1, 0);
  } else {
    vkCmdDraw(c, vertices, 2, 0, 0);
  }
  s.c.end(c);
}

bool says(const Scene& s, const std::string& words) {
  return std::ranges::any_of(s.c.v.messages, [&](const std::string& m) { return m.find(words) != std::string::npos; });
}

TEST(VulkanDrawChecks, EachBufferIsAFindingOfItsOwn) {
  HEDDLE_NEED_SHADERS();
  Scene s(VK_SAMPLE_COUNT_1_BIT);
  const VulkanDevice::Buffer points = device_buffer(s.c.v, 24), colors = device_buffer(s.c.v, 32);
  name(s, points, "points");
  name(s, colors, "colors");
  EXPECT_EQ(s.c.v.run([&](VkCommandBuffer c) { draw_instances(s, c, points, colors); }), VK_SUCCESS);
  EXPECT_TRUE(says(s, "an attribute of vertex 0 in binding 0 from buffer 'points'"));
  EXPECT_TRUE(says(s, "an attribute of instance 0 in binding 1 from buffer 'colors'"));
}

TEST(VulkanDrawChecks, IndicesNameTheVerticesThatAreRead) {
  HEDDLE_NEED_SHADERS();
  for (const std::uint16_t last : {2, 3}) {
    SCOPED_TRACE(last);
    Scene s(VK_SAMPLE_COUNT_1_BIT);
    const VulkanDevice::Buffer points = device_buffer(s.c.v, 32), colors = s.c.v.buffer(32), indices = s.c.v.buffer(6);
    const std::uint16_t numbers[] = {0, 1, static_cast<std::uint16_t>(last - 1)};
    std::memcpy(indices.bytes, numbers, sizeof numbers);
    EXPECT_EQ(s.c.v.run([&](VkCommandBuffer c) {
      vkCmdFillBuffer(c, points.buffer, 0, 24, 0);  // three of the four
      barrier(c, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT, VK_PIPELINE_STAGE_VERTEX_INPUT_BIT,
              VK_ACCESS_VERTEX_ATTRIBUTE_READ_BIT);
      draw_instances(s, c, points, colors, &indices);  // the first index stands for vertex 1
    }),
              VK_SUCCESS);
    EXPECT_EQ(says(s, "an attribute of vertex 3 in binding 0"), last == 3);
  }
}

// The sanitizer looks at attributes within the time of a submission, and no further than buffers go.
void draw_without_end(bool indexed) {
  setenv("HEDDLE_TIME_LIMIT", "0.01", 1);  // such a draw gets on, and ends by the bound of all its time
  Scene s(VK_SAMPLE_COUNT_1_BIT);
  unsetenv("HEDDLE_TIME_LIMIT");
  const VulkanDevice::Buffer points = s.c.v.buffer(24), colors = s.c.v.buffer(32), indices = s.c.v.buffer(6);
  EXPECT_EQ(s.c.v.run([&](VkCommandBuffer c) {
    draw_instances(s, c, points, colors, indexed ? &indices : nullptr, 0xfffffff0u);
  }),
            VK_ERROR_DEVICE_LOST);
}

TEST(VulkanDrawChecks, DrawsWithoutEndEndByTheirTime) {
  HEDDLE_NEED_SHADERS();
  draw_without_end(false);
  draw_without_end(true);
}

TEST(VulkanDrawChecks, VertexBuffersAreLookedAt) {
  HEDDLE_NEED_SHADERS();
  const auto filled = [](Scene& s, VkCommandBuffer c, bool ordered) {
    const VulkanDevice::Buffer points = device_buffer(s.c.v, 24);
    vkCmdFillBuffer(c, points.buffer, 0, VK_WHOLE_SIZE, 0);
    if (ordered)
      barrier(c, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT, VK_PIPELINE_STAGE_VERTEX_INPUT_BIT,
              VK_ACCESS_VERTEX_ATTRIBUTE_READ_BIT);
    draw_points(s, c, points);
  };
  run_all({
      {"points that nobody wrote",
       [](Scene& s, VkCommandBuffer c) {
         const VulkanDevice::Buffer points = device_buffer(s.c.v, 24);
         name(s, points, "points");
         draw_points(s, c, points);
       },
       {"run-memory-unwritten", {"vkCmdDraw,", "an attribute of vertex 0 in binding 0 from buffer 'points'"}}},
      {"points that were just filled",
       [&](Scene& s, VkCommandBuffer c) { filled(s, c, false); },
       {"run-barrier-missing", {"vkCmdDraw,", "write by vkCmdFillBuffer"}}},
      {"points behind a barrier", [&](Scene& s, VkCommandBuffer c) { filled(s, c, true); }},
  });
}

TEST(VulkanDrawChecks, VaryingsThatNobodyWroteAreFound) {
  HEDDLE_NEED_SHADERS();
  run_all({{"a varying without a value",
            [](Scene& s, VkCommandBuffer c) {
              s.state.vertex =
                  "#version 450\nlayout(location = 1) out vec4 v;\nvoid main() {\n"
                  "  gl_Position = vec4(gl_VertexIndex == 1 ? 3 : -1, gl_VertexIndex == 2 ? 3 : -1, 0.5, 1);\n"
                  "  vec4 w;\n  v = w;\n}\n";
              s.draw(c, "");
            },
            {"run-undefined-register", {"vertex shader"}}}});
}

// A killed lane goes on for its quad's sake: what others read undefined is found all the same.
TEST(VulkanDrawChecks, UndefinedValuesAfterDiscardAreFound) {
  HEDDLE_NEED_SHADERS();
  run_all(
      {{"behind a discard",
        drawing("  if (p.x > 3.0) discard;\n  float a;\n  o = vec4(a);\n"),
        {"run-undefined-register", {"is read before anything was written to it"}}},
       {"behind a demote",
        drawing("  if (p.x > 3.0) demote;\n  float a;\n  o = vec4(a);\n"),
        {"run-undefined-register", {"is read before anything was written to it"}}},
       {"by killed lanes alone", drawing("  float a;\n  if (p.x > 3.0) discard; else a = 1.0;\n  o = vec4(a);\n")}});
}

/// A render pass that reads depth and writes stencil, or the other way round, and then a copy of the stencil bytes.
void copy_stencil(Scene& s, VkCommandBuffer c, VkImageLayout layout) {
  VulkanDevice& v = s.c.v;
  const VkFormat format = VK_FORMAT_D32_SFLOAT_S8_UINT;
  const Canvas::Attachment target = s.c.attachment(format, VK_SAMPLE_COUNT_1_BIT);
  const VulkanDevice::Buffer bytes = v.buffer(64);
  const VkAttachmentDescription attachment{0,
                                           format,
                                           VK_SAMPLE_COUNT_1_BIT,
                                           VK_ATTACHMENT_LOAD_OP_LOAD,
                                           VK_ATTACHMENT_STORE_OP_STORE,
                                           VK_ATTACHMENT_LOAD_OP_LOAD,
                                           VK_ATTACHMENT_STORE_OP_STORE,
                                           VK_IMAGE_LAYOUT_GENERAL,
                                           VK_IMAGE_LAYOUT_GENERAL};
  const VkAttachmentReference reference{0, layout};
  VkSubpassDescription subpass{};
  subpass.pDepthStencilAttachment = &reference;
  VkRenderPassCreateInfo info{VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO};
  info.attachmentCount = info.subpassCount = 1;
  info.pAttachments = &attachment;
  info.pSubpasses = &subpass;
  VkRenderPass pass = VK_NULL_HANDLE;
  ASSERT_EQ(vkCreateRenderPass(v.device, &info, nullptr, &pass), VK_SUCCESS);
  v.later([d = v.device, pass] { vkDestroyRenderPass(d, pass, nullptr); });
  const VkFramebufferCreateInfo frame_info{
      VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO, nullptr, 0, pass, 1, &target.view, 8, 8, 1};
  VkFramebuffer frame = VK_NULL_HANDLE;
  ASSERT_EQ(vkCreateFramebuffer(v.device, &frame_info, nullptr, &frame), VK_SUCCESS);
  v.later([d = v.device, frame] { vkDestroyFramebuffer(d, frame, nullptr); });
  const VkRenderPassBeginInfo begin{
      VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO, nullptr, pass, frame, {{0, 0}, {8, 8}}, 0, nullptr};
  vkCmdBeginRenderPass(c, &begin, VK_SUBPASS_CONTENTS_INLINE);
  vkCmdEndRenderPass(c);
  const VkBufferImageCopy region{0, 0, 0, {VK_IMAGE_ASPECT_STENCIL_BIT, 0, 0, 1}, {0, 0, 0}, {8, 8, 1}};
  vkCmdCopyImageToBuffer(c, target.image.image, VK_IMAGE_LAYOUT_GENERAL, bytes.buffer, 1, &region);
}

// Depth and stencil have layouts of their own: what only reads the one may write the other.
TEST(VulkanDrawChecks, StencilIsJudgedByItsOwnLayout) {
  HEDDLE_NEED_SHADERS();
  run_all({
      {"stencil that is written",
       [](Scene& s, VkCommandBuffer c) {
         copy_stencil(s, c, VK_IMAGE_LAYOUT_DEPTH_READ_ONLY_STENCIL_ATTACHMENT_OPTIMAL);
       },
       {"run-barrier-missing", {"vkCmdCopyImageToBuffer", "write by vkCmdEndRenderPass"}}},
      {"stencil that is read",
       [](Scene& s, VkCommandBuffer c) {
         copy_stencil(s, c, VK_IMAGE_LAYOUT_DEPTH_ATTACHMENT_STENCIL_READ_ONLY_OPTIMAL);
       }},
  });
}

/// A render pass of one subpass over the texture, which keeps nothing or everything, with or without a dependency.
void pass_over_texture(Scene& s, VkCommandBuffer c, VkAttachmentStoreOp store, bool ordered) {
  VulkanDevice& v = s.c.v;
  const VkAttachmentDescription attachment{0,
                                           kFormat,
                                           VK_SAMPLE_COUNT_1_BIT,
                                           VK_ATTACHMENT_LOAD_OP_CLEAR,
                                           store,
                                           VK_ATTACHMENT_LOAD_OP_DONT_CARE,
                                           VK_ATTACHMENT_STORE_OP_DONT_CARE,
                                           VK_IMAGE_LAYOUT_UNDEFINED,
                                           VK_IMAGE_LAYOUT_GENERAL};
  const VkAttachmentReference reference{0, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL};
  VkSubpassDescription subpass{};
  subpass.colorAttachmentCount = 1;
  subpass.pColorAttachments = &reference;
  const VkSubpassDependency dependency{0,
                                       VK_SUBPASS_EXTERNAL,
                                       VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT,
                                       VK_PIPELINE_STAGE_FRAGMENT_SHADER_BIT,
                                       VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT,
                                       VK_ACCESS_SHADER_READ_BIT,
                                       0};
  VkRenderPassCreateInfo info{VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO};
  info.attachmentCount = info.subpassCount = 1;
  info.pAttachments = &attachment;
  info.pSubpasses = &subpass;
  info.dependencyCount = ordered ? 1 : 0;
  info.pDependencies = &dependency;
  VkRenderPass pass = VK_NULL_HANDLE;
  ASSERT_EQ(vkCreateRenderPass(v.device, &info, nullptr, &pass), VK_SUCCESS);
  v.later([d = v.device, pass] { vkDestroyRenderPass(d, pass, nullptr); });
  VkFramebufferCreateInfo frame_info{VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO};
  frame_info.renderPass = pass;
  frame_info.attachmentCount = 1;
  frame_info.pAttachments = &s.texture.view;
  frame_info.width = frame_info.height = 8;
  frame_info.layers = 1;
  VkFramebuffer frame = VK_NULL_HANDLE;
  ASSERT_EQ(vkCreateFramebuffer(v.device, &frame_info, nullptr, &frame), VK_SUCCESS);
  v.later([d = v.device, frame] { vkDestroyFramebuffer(d, frame, nullptr); });
  const VkClearValue value{};
  VkRenderPassBeginInfo begin{VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO};
  begin.renderPass = pass;
  begin.framebuffer = frame;
  begin.renderArea.extent = {8, 8};
  begin.clearValueCount = 1;
  begin.pClearValues = &value;
  vkCmdBeginRenderPass(c, &begin, VK_SUBPASS_CONTENTS_INLINE);
  vkCmdEndRenderPass(c);
  s.draw(c, "  o = texture(t, p / 8.0);\n");
}

TEST(VulkanDrawChecks, RenderPassesAreLookedAt) {
  HEDDLE_NEED_SHADERS();
  run_all({
      {"a pass without a dependency",
       [](Scene& s, VkCommandBuffer c) { pass_over_texture(s, c, VK_ATTACHMENT_STORE_OP_STORE, false); },
       {"run-barrier-missing", {"shader:8:", "write by vkCmdEndRenderPass"}}},
      {"a pass that keeps nothing",
       [](Scene& s, VkCommandBuffer c) { pass_over_texture(s, c, VK_ATTACHMENT_STORE_OP_DONT_CARE, true); },
       {"run-memory-unwritten", {"shader:8:", "pixel (0, 0)"}}},
      {"a pass with a dependency",
       [](Scene& s, VkCommandBuffer c) { pass_over_texture(s, c, VK_ATTACHMENT_STORE_OP_STORE, true); }},
  });
}

}  // namespace
}  // namespace heddle::test
