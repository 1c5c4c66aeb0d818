// SPDX-License-Identifier: MIT
// Graphics pipelines and draws.

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <numeric>

#include "support/lavapipe.hpp"
#include "vulkan/canvas.hpp"

namespace heddle::test {
namespace {

constexpr std::uint32_t kRed = 0xff0000ff, kGreen = 0xff00ff00, kBlue = 0xffff0000, kWhite = 0xffffffff;

std::size_t count_of(const std::vector<std::uint32_t>& pixels, std::uint32_t value) {
  return static_cast<std::size_t>(std::ranges::count(pixels, value));
}

/// A buffer of the device with this content.
template <typename T>
VulkanDevice::Buffer buffer_of(VulkanDevice& v, const std::vector<T>& values) {
  const VulkanDevice::Buffer made = v.buffer(values.size() * sizeof(T));
  std::memcpy(made.bytes, values.data(), values.size() * sizeof(T));
  return made;
}

void bind(VkCommandBuffer c, VkPipeline pipeline) { vkCmdBindPipeline(c, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline); }

/// Positions and colors of vertices from one buffer.
PipelineState colored_vertices() {
  PipelineState s;
  s.vertex =
      "#version 450\nlayout(location = 0) in vec2 p;\nlayout(location = 1) in vec4 c;\nlayout(location = 0) out vec4 "
      "o;\n"
      "void main() { gl_Position = vec4(p, 0.5, 1); o = c; }\n";
  s.fragment =
      "#version 450\nlayout(location = 0) in vec4 c;\nlayout(location = 0) out vec4 o;\nvoid main() { o = c; }\n";
  s.bindings = {{0, 12, VK_VERTEX_INPUT_RATE_VERTEX}};
  s.attributes = {{0, 0, VK_FORMAT_R32G32_SFLOAT, 0}, {1, 0, VK_FORMAT_R8G8B8A8_UNORM, 8}};
  return s;
}
struct Vertex {
  float x, y;
  std::uint32_t color;
};
/// Two triangles over the columns [left, right) of a canvas that is `width` wide.
void add_columns(std::vector<Vertex>& to, int left, int right, int width, std::uint32_t color) {
  const float a = 2.0f * static_cast<float>(left) / static_cast<float>(width) - 1,
              b = 2.0f * static_cast<float>(right) / static_cast<float>(width) - 1;
  for (const auto& [x, y] : {std::pair{a, -1.0f}, {b, -1.0f}, {a, 1.0f}, {b, -1.0f}, {b, 1.0f}, {a, 1.0f}})
    to.push_back({x, y, color});
}

TEST(VulkanDraw, TriangleCoversHalfOfASquare) {
  HEDDLE_NEED_SHADERS();
  Canvas c(16, 16);
  const VkPipeline pipeline = c.pipeline(colored_vertices());
  const auto vertices = buffer_of<Vertex>(c.v, {{-1, -1, kRed}, {1, -1, kRed}, {-1, 1, kRed}});
  c.draw([&](VkCommandBuffer b) {
    bind(b, pipeline);
    const VkDeviceSize offset = 0;
    vkCmdBindVertexBuffers(b, 0, 1, &vertices.buffer, &offset);
    vkCmdDraw(b, 3, 1, 0, 0);
  });
  const std::vector<std::uint32_t> pixels = c.pixels();
  for (std::uint32_t y = 0; y < 16; ++y)
    for (std::uint32_t x = 0; x < 16; ++x)  // the diagonal goes through centers and is no left or top edge
      ASSERT_EQ(pixels[y * 16 + x], x + y < 15 ? kRed : 0u) << x << " " << y;
}

TEST(VulkanDraw, IndicesInstancesAndIndirectDrawsAgree) {
  HEDDLE_NEED_SHADERS();
  Canvas c(16, 4, {VK_FORMAT_R8G8B8A8_UNORM}, VK_FORMAT_UNDEFINED, VK_SAMPLE_COUNT_1_BIT,
           {VK_KHR_DRAW_INDIRECT_COUNT_EXTENSION_NAME, VK_EXT_INDEX_TYPE_UINT8_EXTENSION_NAME,
            VK_KHR_SHADER_DRAW_PARAMETERS_EXTENSION_NAME});
  PipelineState state = colored_vertices();
  state.vertex =
      "#version 450\n#extension GL_ARB_shader_draw_parameters : require\nlayout(location = 0) in vec2 p;\n"
      "layout(location = 1) in vec4 c;\nlayout(location = 0) out vec4 o;\n"
      "void main() { gl_Position = vec4(p + vec2(gl_InstanceIndex * 0.5, 0), 0.5, 1);\n"
      "  o = vec4(c.r, float(gl_BaseVertexARB) / 255, float(gl_BaseInstanceARB) / 255, float(gl_DrawIDARB + 1) / 255); "
      "}\n";
  const VkPipeline pipeline = c.pipeline(state);
  std::vector<Vertex> list(4);  // not drawn
  add_columns(list, 0, 2, 16, kRed);
  const auto vertices = buffer_of(c.v, list);
  const auto bytes = buffer_of<std::uint8_t>(c.v, {9, 9, 2, 3, 4, 5, 6, 7});
  const auto shorts = buffer_of<std::uint16_t>(c.v, {9, 9, 2, 3, 4, 5, 6, 7});
  const auto words = buffer_of<std::uint32_t>(c.v, {9, 9, 2, 3, 4, 5, 6, 7});
  const auto indirect =
      buffer_of<std::uint32_t>(c.v, {6, 3, 2, 2, 1, 0xdead, 0, 0, 0, 0, 0, 0, 6, 3, 4, 1, 0xdead, 2 /* draws */});
  const auto draw = [&](const std::function<void(VkCommandBuffer)>& commands) {
    c.draw([&](VkCommandBuffer b) {
      bind(b, pipeline);
      const VkDeviceSize offset = 0;
      vkCmdBindVertexBuffers(b, 0, 1, &vertices.buffer, &offset);
      commands(b);
    });
    return c.pixels();
  };
  const auto expect = [&](const std::vector<std::uint32_t>& have, std::uint32_t base_vertex, const char* what) {
    for (std::uint32_t x = 0; x < 16; ++x) {
      const bool drawn = x / 2 == 2 || x / 2 == 4 || x / 2 == 6;  // instances 1 to 3
      ASSERT_EQ(have[16 + x], drawn ? 0x010100ffu | base_vertex << 8 : 0u) << what << ", column " << x;
    }
  };
  const auto count_indirect = c.v.proc<PFN_vkCmdDrawIndexedIndirectCountKHR>("vkCmdDrawIndexedIndirectCountKHR");
  expect(draw([&](VkCommandBuffer b) { vkCmdDraw(b, 6, 3, 4, 1); }), 4, "vkCmdDraw");
  for (const auto& [buffer, type] :
       {std::pair{bytes, VK_INDEX_TYPE_UINT8_EXT}, {shorts, VK_INDEX_TYPE_UINT16}, {words, VK_INDEX_TYPE_UINT32}})
    expect(draw([&, from = buffer.buffer, as = type](VkCommandBuffer b) {
             vkCmdBindIndexBuffer(b, from, 0, as);
             vkCmdDrawIndexed(b, 6, 3, 2, 2, 1);
           }),
           2, "vkCmdDrawIndexed");
  expect(draw([&](VkCommandBuffer b) {
           vkCmdBindIndexBuffer(b, words.buffer, 0, VK_INDEX_TYPE_UINT32);
           vkCmdDrawIndexedIndirect(b, indirect.buffer, 0, 2, 24);
         }),
         2, "vkCmdDrawIndexedIndirect");
  expect(draw([&](VkCommandBuffer b) {
           vkCmdBindIndexBuffer(b, words.buffer, 0, VK_INDEX_TYPE_UINT32);
           count_indirect(b, indirect.buffer, 0, indirect.buffer, 68, 1, 24);
         }),
         2, "vkCmdDrawIndexedIndirectCount");
  expect(draw([&](VkCommandBuffer b) { vkCmdDrawIndirect(b, indirect.buffer, 48, 1, 16); }), 4, "vkCmdDrawIndirect");
}

TEST(VulkanDraw, VertexFormatsStridesAndRates) {
  HEDDLE_NEED_SHADERS();
  Canvas c(8, 1, {VK_FORMAT_R32G32B32A32_SFLOAT}, VK_FORMAT_UNDEFINED, VK_SAMPLE_COUNT_1_BIT,
           {VK_EXT_VERTEX_ATTRIBUTE_DIVISOR_EXTENSION_NAME});
  PipelineState state;
  // Instance i covers column i; its vertices' own data are the same.
  state.vertex =
      "#version 450\nlayout(location = 0) in vec4 a;\nlayout(location = 1) in uvec2 b;\nlayout(location = 2) in ivec3 "
      "d;\n"
      "layout(location = 3) in vec3 e;\nlayout(location = 0) out vec4 o;\n"
      "void main() { float x = float(gl_InstanceIndex) * 0.25 - 1; gl_Position = vec4(gl_VertexIndex == 1 ? x + 0.5 : "
      "x, "
      "gl_VertexIndex == 2 ? 3 : -1, 0, 1);\n  o = vec4(a.x + a.w, float(b.x + b.y), float(d.x + d.y + d.z), e.x + e.y "
      "+ e.z); }\n";
  state.fragment =
      "#version 450\nlayout(location = 0) in vec4 c;\nlayout(location = 0) out vec4 o;\nvoid main() { o = c; }\n";
  state.bindings = {{0, 0, VK_VERTEX_INPUT_RATE_VERTEX},
                    {3, 6, VK_VERTEX_INPUT_RATE_INSTANCE},
                    {5, 4, VK_VERTEX_INPUT_RATE_INSTANCE}};
  state.attributes = {{0, 0, VK_FORMAT_A2B10G10R10_UNORM_PACK32, 0},
                      {1, 3, VK_FORMAT_R16G16_UINT, 2},
                      {2, 5, VK_FORMAT_R8G8B8A8_SINT, 0},
                      {3, 0, VK_FORMAT_R16G16_SFLOAT, 4}};
  state.divisors = {{5, 3}};
  const VkPipeline pipeline = c.pipeline(state);
  const auto packed = buffer_of<std::uint32_t>(c.v, {0x400003ffu /* r 1, a 1/3 */, 0xc0003800u /* 0.5, -2 */});
  std::vector<std::uint16_t> shorts;
  for (std::uint16_t i = 0; i < 8; ++i) shorts.insert(shorts.end(), {7777, i, 100});
  const auto instances = buffer_of(c.v, shorts);
  const auto signed_bytes = buffer_of<std::int8_t>(c.v, {-1, -2, 4, 99, 1, 1, 1, 99, -50, -50, -50, 99});
  c.draw([&](VkCommandBuffer b) {
    bind(b, pipeline);
    const VkBuffer buffers[] = {packed.buffer, VK_NULL_HANDLE, VK_NULL_HANDLE};
    const VkDeviceSize zero[] = {0, 0, 0};
    vkCmdBindVertexBuffers(b, 0, 1, buffers, zero);
    vkCmdBindVertexBuffers(b, 3, 1, &instances.buffer, zero);
    vkCmdBindVertexBuffers(b, 5, 1, &signed_bytes.buffer, zero);
    vkCmdDraw(b, 3, 8, 0, 0);
  });
  const std::vector<std::uint8_t> bytes = c.read(c.colors[0], 16);
  for (std::size_t i = 0; i < 7; ++i) {  // the last instance's left half covers no center but its own
    float have[4];
    std::memcpy(have, bytes.data() + 16 * i, 16);
    EXPECT_FLOAT_EQ(have[0], 4.0f / 3) << i;
    EXPECT_EQ(have[1], 100.0f + static_cast<float>(i)) << i;
    EXPECT_EQ(have[2], i < 3 ? 1.0f : i < 6 ? 3.0f : -150.0f) << i;
    EXPECT_EQ(have[3], -1.5f) << i;
  }
}

// A vertex that lies beyond its buffer reads zeros, an index that does so is 0; nothing else is touched.
TEST(VulkanDraw, BuffersThatAreTooSmall) {
  HEDDLE_NEED_SHADERS();
  Canvas c(8, 8);
  const VkPipeline pipeline = c.pipeline(colored_vertices());
  const auto vertices = buffer_of<Vertex>(c.v, {{-1, -1, kRed}, {3, -1, kRed}});  // the third one is missing
  const auto indices = buffer_of<std::uint32_t>(c.v, {0, 1, 0xfffffff0u});
  c.v.expects_messages = true;  // the layer sees that the index buffer ends
  c.draw([&](VkCommandBuffer b) {
    bind(b, pipeline);
    const VkDeviceSize offset = 0;
    vkCmdBindVertexBuffers(b, 0, 1, &vertices.buffer, &offset);
    vkCmdDraw(b, 3, 1, 0, 0);
    vkCmdBindIndexBuffer(b, indices.buffer, 0, VK_INDEX_TYPE_UINT32);
    vkCmdDrawIndexed(b, 3, 1, 0, 0x7fffffff, 0);
    vkCmdDrawIndexed(b, 30, 1, 0, 0, 0);
  });
  EXPECT_EQ(c.pixels()[63], 0u);            // of the triangle to (0, 0) this pixel is no part
  EXPECT_EQ(c.pixels()[1] & 0xffu, 0xdfu);  // an eighth on the way to the black of the vertex that is missing
}

TEST(VulkanDraw, DepthAndStencilTests) {
  HEDDLE_NEED_SHADERS();
  for (const VkFormat format : {VK_FORMAT_D16_UNORM, VK_FORMAT_D32_SFLOAT, VK_FORMAT_D24_UNORM_S8_UINT,
                                VK_FORMAT_D32_SFLOAT_S8_UINT, VK_FORMAT_X8_D24_UNORM_PACK32, VK_FORMAT_S8_UINT}) {
    SCOPED_TRACE(format);
    Canvas c(8, 8, {VK_FORMAT_R8G8B8A8_UNORM}, format);
    const bool has_depth = (aspects_of(format) & VK_IMAGE_ASPECT_DEPTH_BIT) != 0;
    const bool has_stencil = (aspects_of(format) & VK_IMAGE_ASPECT_STENCIL_BIT) != 0;
    PipelineState s;
    s.depth.depthTestEnable = s.depth.depthWriteEnable = has_depth ? VK_TRUE : VK_FALSE;
    s.depth.depthCompareOp = VK_COMPARE_OP_LESS;
    s.depth.stencilTestEnable = has_stencil ? VK_TRUE : VK_FALSE;
    s.depth.front = {VK_STENCIL_OP_KEEP,
                     VK_STENCIL_OP_INCREMENT_AND_CLAMP,
                     VK_STENCIL_OP_DECREMENT_AND_WRAP,
                     VK_COMPARE_OP_ALWAYS,
                     255,
                     255,
                     0};
    s.depth.back = s.depth.front;
    const auto layer = [&](const char* z, const char* color) {
      s.vertex = covering_vertices(z);
      s.fragment = one_color(color);
      return c.pipeline(s);
    };
    const VkPipeline near = layer("0.25", "vec4(0, 1, 0, 1)"), far = layer("0.75", "vec4(1, 0, 0, 1)");
    c.draw([&](VkCommandBuffer b) {
      bind(b, near);
      vkCmdDraw(b, 3, 1, 0, 0);
      bind(b, far);
      vkCmdDraw(b, 3, 1, 0, 0);
    });
    EXPECT_EQ(count_of(c.pixels(), has_depth ? kGreen : kRed), 64u);
    if (has_stencil) {
      const std::vector<std::uint8_t> stencil = c.read(c.depth, 1, VK_IMAGE_ASPECT_STENCIL_BIT);
      EXPECT_EQ(std::ranges::count(stencil, has_depth ? 0 : 2), 64);  // one up, then down or up
    }
    if (!has_depth) continue;
    const std::uint32_t size = format == VK_FORMAT_D16_UNORM ? 2 : 4;
    const std::vector<std::uint8_t> depth = c.read(c.depth, size, VK_IMAGE_ASPECT_DEPTH_BIT);
    std::uint32_t word = 0;
    std::memcpy(&word, depth.data() + size * 20, size);
    const bool floats = format == VK_FORMAT_D32_SFLOAT || format == VK_FORMAT_D32_SFLOAT_S8_UINT;
    EXPECT_EQ(size == 4 && !floats ? word & 0xffffffu : word, floats ? 0x3e800000u : size == 2 ? 0x4000u : 0x400000u);
  }
}

// A 1D image of depth: the near draw has the two pixels on the left, the far one the others.
TEST(VulkanDraw, DepthLiesInALine) {
  HEDDLE_NEED_SHADERS();
  for (const VkFormat format : {VK_FORMAT_D16_UNORM, VK_FORMAT_D32_SFLOAT}) {
    SCOPED_TRACE(format);
    Canvas c(4, 1);
    VkImageCreateInfo info = VulkanDevice::image_info(format, 4, 1);
    info.imageType = VK_IMAGE_TYPE_1D;
    info.usage |= VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT;
    c.depth = {format, c.v.image(info), VK_NULL_HANDLE};
    c.depth.view =
        c.v.view(c.depth.image.image, format, VK_IMAGE_VIEW_TYPE_1D, {VK_IMAGE_ASPECT_DEPTH_BIT, 0, 1, 0, 1});
    PipelineState s;
    s.depth.depthTestEnable = s.depth.depthWriteEnable = VK_TRUE;
    s.depth.depthCompareOp = VK_COMPARE_OP_LESS;
    s.vertex = covering_vertices("0.25");
    s.fragment = one_color("vec4(0, 1, 0, 1)");
    s.scissor = VkRect2D{{0, 0}, {2, 1}};
    const VkPipeline near = c.pipeline(s);
    s.vertex = covering_vertices("0.75");
    s.fragment = one_color("vec4(0, 0, 1, 1)");
    s.scissor.reset();
    const VkPipeline far = c.pipeline(s);
    c.draw([&](VkCommandBuffer b) {
      for (const VkPipeline one : {near, far}) {
        bind(b, one);
        vkCmdDraw(b, 3, 1, 0, 0);
      }
    });
    const std::size_t size = format == VK_FORMAT_D16_UNORM ? 2 : 4;
    const std::vector<std::uint8_t> depths = c.read(c.depth, static_cast<std::uint32_t>(size));
    for (std::size_t x = 0; x < 4; ++x) {
      EXPECT_EQ(c.pixels()[x], x < 2 ? 0xff00ff00u : 0xffff0000u) << x;
      std::uint32_t word = 0;
      std::memcpy(&word, depths.data() + x * size, size);
      // 0.25 and 0.75 of 65535 are 16383.75 and 49151.25.
      EXPECT_EQ(word, size == 2 ? (x < 2 ? 16384u : 49151u) : (x < 2 ? 0x3e800000u : 0x3f400000u)) << x;
    }
  }
}

TEST(VulkanDraw, FragmentShadersThatWriteNothingStillWriteDepth) {
  HEDDLE_NEED_SHADERS();
  for (const bool none : {false, true}) {
    Canvas c(8, 8, {VK_FORMAT_R8G8B8A8_UNORM}, VK_FORMAT_D32_SFLOAT, VK_SAMPLE_COUNT_4_BIT);
    PipelineState s;
    s.depth.depthTestEnable = s.depth.depthWriteEnable = VK_TRUE;
    s.depth.depthCompareOp = VK_COMPARE_OP_LESS;
    s.vertex = covering_vertices("0.25");
    if (!none) s.fragment = "#version 450\nvoid main() {}\n";
    const VkPipeline first = c.pipeline(s);
    s.vertex = covering_vertices("0.5");
    s.fragment = one_color("vec4(1)");
    const VkPipeline behind = c.pipeline(s);
    s.vertex = covering_vertices("0.125");
    s.depth.depthWriteEnable = VK_FALSE;
    s.fragment = one_color("vec4(0, 0, 1, 1)");
    const VkPipeline before = c.pipeline(s);
    const auto draw = [&](VkPipeline second) {
      c.draw([&](VkCommandBuffer b) {
        bind(b, first);
        vkCmdDraw(b, 3, 1, 0, 0);
        bind(b, second);
        vkCmdDraw(b, 3, 1, 0, 0);
      });
      return c.pixels();
    };
    EXPECT_EQ(count_of(draw(behind), kWhite), 0u);
    EXPECT_EQ(count_of(draw(before), kBlue), 64u);
  }
}

TEST(VulkanDraw, TargetsBlendEachInItsWay) {
  HEDDLE_NEED_SHADERS();
  Canvas c(
      4, 4,
      {VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_R16G16B16A16_SFLOAT, VK_FORMAT_R8G8B8A8_UINT});
  PipelineState s;
  s.vertex = covering_vertices();
  // Location 1 is not written; the outputs are not in order.
  s.fragment =
      "#version 450\nlayout(location = 3) out uvec4 d;\nlayout(location = 2) out vec4 e;\nlayout(location = 0) out "
      "vec4 a;\n"
      "void main() { a = vec4(0.2, 0.4, 0.6, 0.5); e = vec4(-3, 70000, 2, 0.5); d = uvec4(1, 2, 3, 255); }\n";
  VkPipelineColorBlendAttachmentState plain{}, add = plain, masked = plain, none = plain;
  plain.colorWriteMask = 15;
  add = {VK_TRUE,
         VK_BLEND_FACTOR_ONE,
         VK_BLEND_FACTOR_ONE,
         VK_BLEND_OP_ADD,
         VK_BLEND_FACTOR_CONSTANT_ALPHA,
         VK_BLEND_FACTOR_ONE,
         VK_BLEND_OP_ADD,
         15};
  masked.colorWriteMask = VK_COLOR_COMPONENT_G_BIT | VK_COLOR_COMPONENT_A_BIT;
  s.blend = {add, none, add, masked};
  s.colors.blendConstants[3] = 0.5f;
  const VkPipeline pipeline = c.pipeline(s);
  c.draw([&](VkCommandBuffer b) {
    bind(b, pipeline);
    vkCmdDraw(b, 3, 1, 0, 0);
    vkCmdDraw(b, 3, 1, 0, 0);
  });
  EXPECT_EQ(count_of(c.pixels(0), 0x80ffcc66u), 16u) << std::hex << c.pixels(0)[0];
  EXPECT_EQ(count_of(c.pixels(1), 0u), 16u);
  EXPECT_EQ(count_of(c.pixels(3), 0xff000200u), 16u) << std::hex << c.pixels(3)[0];
  std::uint16_t half[4];
  std::memcpy(half, c.read(c.colors[2], 8).data(), 8);
  EXPECT_EQ(half[0], 0xc600);  // -6: floats are not clamped
  EXPECT_EQ(half[2], 0x4400);  // 4
}

TEST(VulkanDraw, ChannelsThatAreMaskedKeepTheirPlace) {
  HEDDLE_NEED_SHADERS();
  for (const VkFormat format : {VK_FORMAT_B8G8R8A8_UNORM})
    for (const VkColorComponentFlags mask : {0, 1, 7, 10}) {
      Canvas c(80, 8, {format});
      PipelineState s;
      s.vertex = covering_vertices();
      s.fragment = one_color("vec4(1)");
      VkPipelineColorBlendAttachmentState blend{};
      blend.colorWriteMask = mask;
      s.blend = {blend};
      const VkPipeline pipeline = c.pipeline(s);
      c.draw([&](VkCommandBuffer b) {
        bind(b, pipeline);
        vkCmdDraw(b, 3, 1, 0, 0);
      });
      std::uint32_t want = 0;
      for (unsigned k = 0; k < 4; ++k)
        if ((mask >> k & 1u) != 0) want |= 0xffu << 8 * (format == VK_FORMAT_B8G8R8A8_UNORM && k < 3 ? 2 - k : k);
      EXPECT_EQ(count_of(c.pixels(), want), 640u) << format << " " << mask << std::hex << " " << c.pixels()[1];
    }
}

TEST(VulkanDraw, ViewportsScissorsAndFaces) {
  HEDDLE_NEED_SHADERS();
  Canvas c(16, 16, {VK_FORMAT_R8G8B8A8_UNORM}, VK_FORMAT_UNDEFINED, VK_SAMPLE_COUNT_1_BIT,
           {VK_EXT_EXTENDED_DYNAMIC_STATE_EXTENSION_NAME, VK_EXT_EXTENDED_DYNAMIC_STATE_2_EXTENSION_NAME});
  PipelineState s = colored_vertices();
  s.fragment =
      "#version 450\nlayout(location = 0) in vec4 c;\nlayout(location = 0) out vec4 o;\n"
      "void main() { o = gl_FrontFacing ? c : c.bgra; }\n";
  s.dynamic = {VK_DYNAMIC_STATE_VIEWPORT_WITH_COUNT,
               VK_DYNAMIC_STATE_SCISSOR_WITH_COUNT,
               VK_DYNAMIC_STATE_CULL_MODE,
               VK_DYNAMIC_STATE_FRONT_FACE,
               VK_DYNAMIC_STATE_PRIMITIVE_TOPOLOGY,
               VK_DYNAMIC_STATE_VERTEX_INPUT_BINDING_STRIDE,
               VK_DYNAMIC_STATE_RASTERIZER_DISCARD_ENABLE};
  // With the state WITH_COUNT the pipeline gives none.
  const VkPipeline pipeline = [&] {
    PipelineState one = s;
    return c.pipeline(one);
  }();
  c.v.expects_messages = true;  // the canvas gives a viewport all the same
  const auto vertices = buffer_of<Vertex>(
      c.v, {{-1, -1, kRed}, {0, 0, 0}, {1, -1, kRed}, {0, 0, 0}, {-1, 1, kRed}, {0, 0, 0}, {1, 1, kRed}});
  const auto viewports = c.v.proc<PFN_vkCmdSetViewportWithCountEXT>("vkCmdSetViewportWithCountEXT");
  const auto scissors = c.v.proc<PFN_vkCmdSetScissorWithCountEXT>("vkCmdSetScissorWithCountEXT");
  const auto cull = c.v.proc<PFN_vkCmdSetCullModeEXT>("vkCmdSetCullModeEXT");
  const auto front = c.v.proc<PFN_vkCmdSetFrontFaceEXT>("vkCmdSetFrontFaceEXT");
  const auto topology = c.v.proc<PFN_vkCmdSetPrimitiveTopologyEXT>("vkCmdSetPrimitiveTopologyEXT");
  const auto bind_vertices = c.v.proc<PFN_vkCmdBindVertexBuffers2EXT>("vkCmdBindVertexBuffers2EXT");
  const auto discard = c.v.proc<PFN_vkCmdSetRasterizerDiscardEnableEXT>("vkCmdSetRasterizerDiscardEnableEXT");
  const auto draw = [&](VkViewport viewport, VkRect2D scissor, VkCullModeFlags culled, VkFrontFace face,
                        VkBool32 none = VK_FALSE) {
    c.draw([&](VkCommandBuffer b) {
      bind(b, pipeline);
      viewports(b, 1, &viewport);
      scissors(b, 1, &scissor);
      cull(b, culled);
      front(b, face);
      topology(b, VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP);
      discard(b, none);
      const VkDeviceSize offset = 0, size = vertices.size, stride = 24;
      bind_vertices(b, 0, 1, &vertices.buffer, &offset, &size, &stride);
      vkCmdDraw(b, 4, 1, 0, 0);
    });
    return c.pixels();
  };
  const VkViewport whole{0, 0, 16, 16, 0, 1}, flipped{4, 12, 8, -8, 0, 1};
  const VkRect2D all{{0, 0}, {16, 16}}, part{{3, 5}, {4, 2}};
  constexpr VkFrontFace kClockwise = VK_FRONT_FACE_CLOCKWISE, kCounter = VK_FRONT_FACE_COUNTER_CLOCKWISE;
  EXPECT_EQ(count_of(draw(whole, all, VK_CULL_MODE_NONE, kClockwise), kRed), 256u);
  EXPECT_EQ(count_of(draw(whole, all, VK_CULL_MODE_NONE, kCounter), kBlue), 256u);
  EXPECT_EQ(count_of(draw(whole, part, VK_CULL_MODE_NONE, kClockwise), kRed), 8u);
  EXPECT_EQ(count_of(draw(flipped, all, VK_CULL_MODE_NONE, kClockwise), kBlue), 64u);  // mirrored: the other face
  EXPECT_EQ(count_of(draw(whole, all, VK_CULL_MODE_BACK_BIT, kClockwise), kRed), 256u);
  EXPECT_EQ(count_of(draw(whole, all, VK_CULL_MODE_FRONT_BIT, kClockwise), 0), 256u);
  EXPECT_EQ(count_of(draw(whole, all, VK_CULL_MODE_FRONT_AND_BACK, kClockwise), 0), 256u);
  EXPECT_EQ(count_of(draw(whole, all, VK_CULL_MODE_NONE, kClockwise, VK_TRUE), 0), 256u);
}

// Sets and push constants of draws and of dispatches do not meet; dynamic offsets, several sets.
TEST(VulkanDraw, DescriptorsAndPushConstants) {
  HEDDLE_NEED_SHADERS();
  Canvas c(4, 4);
  const auto values = c.v.buffer(1024);
  for (std::size_t i = 0; i < 256; ++i) values.set(i, std::bit_cast<std::uint32_t>(static_cast<float>(i / 64) / 3));
  const auto hits = c.v.buffer(256);
  const auto uniform_layout = c.v.set_layout({{2, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC}});
  const auto storage_layout = c.v.set_layout({{0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER}});
  const auto uniform = c.v.set(uniform_layout, {{2, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC}});
  const auto storage = c.v.set(storage_layout, {{0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER}});
  c.v.write(uniform, 2, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER_DYNAMIC, values, 0, 64);
  c.v.write(storage, 0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, hits);
  PipelineState s;
  s.layout = c.v.layout({uniform_layout, storage_layout}, 32);
  s.vertex =
      "#version 450\nlayout(push_constant) uniform P { vec4 a; vec4 b; };\nlayout(location = 0) out float x;\n"
      "layout(set = 1, binding = 0) buffer B { uint hits[]; };\n"
      "void main() { gl_Position = vec4(gl_VertexIndex == 1 ? 3 : -1, gl_VertexIndex == 2 ? 3 : -1, 0, 1); x = b.y;\n"
      "  atomicAdd(hits[1 + gl_VertexIndex], 1u); }\n";
  s.fragment =
      "#version 450\nlayout(push_constant) uniform P { vec4 a; vec4 b; };\nlayout(location = 0) in float x;\n"
      "layout(set = 0, binding = 2) uniform U { float u; };\nlayout(set = 1, binding = 0) buffer B { uint hits[]; };\n"
      "layout(location = 0) out vec4 o;\nvoid main() { o = vec4(u, x, a.z, 1); atomicAdd(hits[0], 1u); }\n";
  const VkPipeline pipeline = c.pipeline(s);
  const float push[8] = {9, 9, 0.2f, 9, 9, 0.4f, 9, 9};
  c.draw([&](VkCommandBuffer b) {
    bind(b, pipeline);
    const VkDescriptorSet sets[] = {uniform, storage};
    const std::uint32_t offset = 256;
    vkCmdBindDescriptorSets(b, VK_PIPELINE_BIND_POINT_GRAPHICS, s.layout, 0, 2, sets, 1, &offset);
    vkCmdPushConstants(b, s.layout, VK_SHADER_STAGE_ALL_GRAPHICS, 0, sizeof push, push);
    vkCmdDraw(b, 3, 1, 0, 0);
  });
  EXPECT_EQ(count_of(c.pixels(), 0xff336655u), 16u) << std::hex << c.pixels()[0];
  EXPECT_EQ(hits.word(0), 16u);
  for (std::size_t i = 1; i < 4; ++i) EXPECT_EQ(hits.word(i), 1u);
}

// SPV-33: which samples are covered is for the alpha of location 0 to say, for the target of location 1 too.
TEST(VulkanDraw, AlphaOfTheFirstOutputCoversEveryTarget) {
  HEDDLE_NEED_SHADERS();
  for (const double alpha : {0.0, 0.5, 1.0}) {
    SCOPED_TRACE(alpha);
    Canvas c(8, 8, {VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_R8G8B8A8_UNORM}, VK_FORMAT_UNDEFINED, VK_SAMPLE_COUNT_4_BIT);
    PipelineState s;
    s.vertex = covering_vertices();
    s.fragment =
        "#version 450\nlayout(location = 0) out vec4 a;\nlayout(location = 1) out vec3 b;\n"
        "void main() { a = vec4(1, 0, 0, " +
        std::to_string(alpha) + "); b = vec3(0, 1, 0); }\n";
    s.samples.alphaToCoverageEnable = VK_TRUE;
    const VkPipeline pipeline = c.pipeline(s);
    c.draw([&](VkCommandBuffer b) {
      bind(b, pipeline);
      vkCmdDraw(b, 3, 1, 0, 0);
    });
    const auto first = c.pixels(0), second = c.pixels(1);
    for (std::size_t i = 0; i < first.size(); ++i) {
      EXPECT_EQ(first[i] & 255u, second[i] >> 8 & 255u) << i;
      EXPECT_NEAR(static_cast<double>(first[i] & 255u), 255 * alpha, 1);
    }
  }
}

TEST(VulkanDraw, SamplesAndTheirMean) {
  HEDDLE_NEED_SHADERS();
  for (const VkSampleCountFlagBits count :
       {VK_SAMPLE_COUNT_2_BIT, VK_SAMPLE_COUNT_4_BIT, VK_SAMPLE_COUNT_8_BIT, VK_SAMPLE_COUNT_16_BIT}) {
    SCOPED_TRACE(count);
    Canvas c(8, 8, {VK_FORMAT_R8G8B8A8_UNORM}, VK_FORMAT_D32_SFLOAT, count);
    PipelineState s;
    s.vertex = covering_vertices();
    s.fragment = one_color("vec4(float(gl_SampleID) / 255, 0, 0, 1)");  // a fragment for each sample
    const VkPipeline numbers = c.pipeline(s);
    c.draw([&](VkCommandBuffer b) {
      bind(b, numbers);
      vkCmdDraw(b, 3, 1, 0, 0);
    });
    const double mean = (static_cast<double>(count) - 1) / 2;
    EXPECT_NEAR(static_cast<double>(c.pixels()[9] & 255u), mean, 0.5);
    // Forced by the pipeline: the shader reads no sample's number, but every sample has its own invocation.
    const auto hits = c.v.buffer(64);
    const auto set_layout = c.v.set_layout({{0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER}});
    const auto set = c.v.set(set_layout, {{0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER}});
    c.v.write(set, 0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, hits);
    s.layout = c.v.layout({set_layout});
    s.fragment =
        "#version 450\nlayout(binding = 0) buffer B { uint n; };\nlayout(location = 0) out vec4 o;\n"
        "void main() { o = vec4(1); atomicAdd(n, 1u); }\n";
    for (const bool forced : {false, true}) {
      s.samples.sampleShadingEnable = forced ? VK_TRUE : VK_FALSE;
      s.samples.minSampleShading = 1;
      const VkPipeline pipeline = c.pipeline(s);
      hits.set(0, 0);
      c.draw([&](VkCommandBuffer b) {
        bind(b, pipeline);
        vkCmdBindDescriptorSets(b, VK_PIPELINE_BIND_POINT_GRAPHICS, s.layout, 0, 1, &set, 0, nullptr);
        vkCmdDraw(b, 3, 1, 0, 0);
      });
      EXPECT_EQ(hits.word(0), forced ? 64u * count : 64u);
      EXPECT_EQ(count_of(c.pixels(), kWhite), 64u);
    }
  }
}

/// A textured, tilted, depth-tested pair of quads, as the driver of `manifest` draws it.
std::vector<std::uint32_t> picture(const char* manifest) {
  Canvas c(96, 64, {VK_FORMAT_R8G8B8A8_UNORM}, VK_FORMAT_D32_SFLOAT, VK_SAMPLE_COUNT_4_BIT, {}, manifest);
  VkImageCreateInfo info = VulkanDevice::image_info(VK_FORMAT_R8G8B8A8_UNORM, 16, 16);
  const auto texture = c.v.image(info);
  const auto texels = c.v.buffer(16 * 16 * 4);
  for (std::uint32_t i = 0; i < 256; ++i) texels.set(i, 0xff000000u | (i * 2654435761u >> 8));
  VkBufferImageCopy region{};
  region.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};
  region.imageExtent = {16, 16, 1};
  EXPECT_EQ(c.v.run([&](VkCommandBuffer b) {
    vkCmdCopyBufferToImage(b, texels.buffer, texture.image, VK_IMAGE_LAYOUT_GENERAL, 1, &region);
  }),
            VK_SUCCESS);
  const auto set_layout = c.v.set_layout({{0, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER}});
  const auto set = c.v.set(set_layout, {{0, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER}});
  c.v.write(set, 0, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, c.v.view(texture.image, VK_FORMAT_R8G8B8A8_UNORM),
            c.v.sampler(VK_FILTER_LINEAR, VK_SAMPLER_ADDRESS_MODE_REPEAT));
  PipelineState s;
  s.layout = c.v.layout({set_layout});
  s.vertex =
      "#version 450\nlayout(location = 0) out vec2 uv;\n"
      "void main() { vec2 p = vec2(gl_VertexIndex & 1, gl_VertexIndex >> 1); uv = p * 2; p = p * 1.8 - 0.9;\n"
      "  float w = 1.5 + (gl_InstanceIndex == 0 ? p.x : -p.x) * 0.8;\n"
      "  gl_Position = vec4(p.x * 1.2, p.y * (gl_InstanceIndex == 0 ? 1 : 0.7), w * (w - 0.5) / 2, w); }\n";
  s.fragment =
      "#version 450\nlayout(location = 0) in vec2 uv;\nlayout(binding = 0) uniform sampler2D t;\n"
      "layout(location = 0) out vec4 o;\nvoid main() { o = texture(t, uv); }\n";
  s.topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP;
  s.depth.depthTestEnable = s.depth.depthWriteEnable = VK_TRUE;
  s.depth.depthCompareOp = VK_COMPARE_OP_LESS_OR_EQUAL;
  const VkPipeline pipeline = c.pipeline(s);
  c.draw([&](VkCommandBuffer b) {
    bind(b, pipeline);
    vkCmdBindDescriptorSets(b, VK_PIPELINE_BIND_POINT_GRAPHICS, s.layout, 0, 1, &set, 0, nullptr);
    vkCmdDraw(b, 4, 2, 0, 0);
  });
  return c.pixels();
}

TEST(VulkanDraw, TexturedQuadsLookAsLavapipesDo) {
  HEDDLE_NEED_SHADERS();
  const char* lavapipe = kLavapipeManifest;
  if (!std::filesystem::exists(lavapipe)) GTEST_SKIP() << "lavapipe is not installed";
  if (std::getenv("HEDDLE_TEST_VALIDATION") != nullptr) GTEST_SKIP() << "lavapipe is not what is validated";
  const std::vector<std::uint32_t> have = picture(HEDDLE_VULKAN_MANIFEST), want = picture(lavapipe);
  ASSERT_EQ(have.size(), want.size());
  double sum = 0;
  std::size_t far = 0, drawn = 0;
  for (std::size_t i = 0; i < have.size(); ++i) {
    int worst = 0;
    for (unsigned shift = 0; shift < 32; shift += 8)
      worst = std::max(worst,
                       std::abs(static_cast<int>(have[i] >> shift & 255u) - static_cast<int>(want[i] >> shift & 255u)));
    sum += worst;
    far += worst > 16 ? 1 : 0;
    drawn += have[i] != 0 ? 1 : 0;
  }
  EXPECT_GT(drawn, have.size() / 3);
  EXPECT_LT(sum / static_cast<double>(have.size()), 1.0);
  EXPECT_LT(far, have.size() / 200);
}

}  // namespace
}  // namespace heddle::test
