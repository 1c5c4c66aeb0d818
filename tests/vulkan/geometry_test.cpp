// SPDX-License-Identifier: MIT
// Geometry shaders through the driver, on both engines: what they are given, what they make, in which order.
// Rules: PRM-7 to PRM-10, SPV-42, SPV-44.

#include <gmock/gmock.h>
#include <sched.h>

#include <optional>

#include "vulkan/checks.hpp"
#include "vulkan/feedback_kit.hpp"

namespace heddle::test {
namespace {

using ::testing::ElementsAre;
using Words = std::vector<std::uint32_t>;

/// A test runs on the fast engine, and on the reference engine with the sanitizer on.
class VulkanGeometry : public ::testing::TestWithParam<bool> {
 protected:
  VulkanGeometry() {
    if (GetParam()) checks_.emplace();
  }

 private:
  std::optional<ChecksOn> checks_;
};
INSTANTIATE_TEST_SUITE_P(Engines, VulkanGeometry, ::testing::Bool(),
                         [](const auto& info) { return info.param ? "Reference" : "Fast"; });

const std::string kCaptured = "layout(location = 0, xfb_buffer = 0, xfb_offset = 0, xfb_stride = 4) flat out int o;\n";

/// Each point that is emitted has a size, as it must.
std::string with_sizes(std::string geometry) {
  const std::string emit = "EmitVertex();", sized = "gl_PointSize = 1; " + emit;
  if (geometry.find("layout(points, max_vertices") == std::string::npos) return geometry;
  for (std::size_t at = 0; (at = geometry.find(emit, at)) != std::string::npos; at += sized.size())
    geometry.replace(at, emit.size(), sized);
  return geometry;
}

PipelineState captured(VkPrimitiveTopology topology, const std::string& geometry) {
  PipelineState s;
  s.topology = topology;
  s.vertex = numbered_vertices();
  s.geometry = "#version 450\n" + with_sizes(geometry);
  s.raster.rasterizerDiscardEnable = VK_TRUE;
  return s;
}

/// Says the numbers of all vertices of a primitive, and of the primitive.
std::string all_vertices(const std::string& in, int vertices) {
  return "layout(" + in + ") in; layout(points, max_vertices = 7) out;\nlayout(location = 0) flat in int v[];\n" +
         kCaptured + "void main() { for (int k = 0; k < " + std::to_string(vertices) +
         "; ++k) { o = v[k] + 100 * int(gl_in[k].gl_Position.x); EmitVertex(); } o = -gl_PrimitiveIDIn; EmitVertex(); "
         "}\n";
}

TEST_P(VulkanGeometry, IsGivenWholePrimitives_PRM8) {
  HEDDLE_NEED_SHADERS();
  Feedback f;
  const auto draw = [&](VkPrimitiveTopology topology, const std::string& in, int corners, std::uint32_t vertices) {
    std::vector<std::int32_t> numbers;
    for (const std::uint32_t word : f.draw(captured(topology, all_vertices(in, corners)), vertices))
      numbers.push_back(static_cast<std::int32_t>(word));
    return numbers;
  };
  EXPECT_THAT(draw(VK_PRIMITIVE_TOPOLOGY_POINT_LIST, "points", 1, 2), ElementsAre(0, 0, 101, -1));
  EXPECT_THAT(draw(VK_PRIMITIVE_TOPOLOGY_LINE_STRIP, "lines", 2, 3), ElementsAre(0, 101, 0, 101, 202, -1));
  EXPECT_THAT(draw(VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP, "triangles", 3, 4),
              ElementsAre(0, 101, 202, 0, 101, 303, 202, -1));
  EXPECT_THAT(draw(VK_PRIMITIVE_TOPOLOGY_TRIANGLE_FAN, "triangles", 3, 4),
              ElementsAre(101, 202, 0, 0, 202, 303, 0, -1));
  EXPECT_THAT(draw(VK_PRIMITIVE_TOPOLOGY_LINE_LIST_WITH_ADJACENCY, "lines_adjacency", 4, 5),
              ElementsAre(0, 101, 202, 303, 0));
  EXPECT_THAT(draw(VK_PRIMITIVE_TOPOLOGY_LINE_STRIP_WITH_ADJACENCY, "lines_adjacency", 4, 5),
              ElementsAre(0, 101, 202, 303, 0, 101, 202, 303, 404, -1));
  EXPECT_THAT(draw(VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST_WITH_ADJACENCY, "triangles_adjacency", 6, 6),
              ElementsAre(0, 101, 202, 303, 404, 505, 0));
  EXPECT_THAT(draw(VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP_WITH_ADJACENCY, "triangles_adjacency", 6, 8),
              ElementsAre(0, 101, 202, 606, 404, 303, 0, 202, 505, 606, 707, 404, 0, -1));
}

TEST_P(VulkanGeometry, StripsComeInOrder_PRM9) {
  HEDDLE_NEED_SHADERS();
  Feedback f;
  const std::string strips =
      "layout(points, invocations = 2) in; layout(triangle_strip, max_vertices = 16) out;\n"
      "layout(location = 0) flat in int v[];\n" +
      kCaptured +
      "void main() { int first = 100 * v[0] + 10 * gl_InvocationID;\n"
      "  for (int k = 0; k < 4; ++k) { o = first + k; EmitVertex(); }\n"
      "  EndPrimitive(); EndPrimitive();\n"
      "  if (v[0] == 1) { o = 5000; EmitVertex(); o = 5001; EmitVertex(); EndPrimitive(); }\n"  // no triangle
      "  for (int k = 4; k < 7 + v[0]; ++k) { o = first + k; EmitVertex(); } }\n";
  EXPECT_THAT(f.draw(captured(VK_PRIMITIVE_TOPOLOGY_POINT_LIST, strips), 2),
              ElementsAre(0, 1, 2, 1, 3, 2, 4, 5, 6,                                   // invocation 0 of point 0
                          10, 11, 12, 11, 13, 12, 14, 15, 16,                          // invocation 1
                          100, 101, 102, 101, 103, 102, 104, 105, 106, 105, 107, 106,  // of point 1
                          110, 111, 112, 111, 113, 112, 114, 115, 116, 115, 117, 116));
  std::string lines = strips;
  lines.replace(lines.find("triangle_strip"), 14, "line_strip");
  EXPECT_THAT(f.draw(captured(VK_PRIMITIVE_TOPOLOGY_POINT_LIST, lines), 1),
              ElementsAre(0, 1, 1, 2, 2, 3, 4, 5, 5, 6, 10, 11, 11, 12, 12, 13, 14, 15, 15, 16));
}

// Many primitives, more than a window holds, on all threads; a window ends between invocations of one of them.
TEST_P(VulkanGeometry, ManyPrimitivesKeepTheirOrder_PRM9) {
  HEDDLE_NEED_SHADERS();
  const std::uint32_t points = GetParam() ? 400 : 10000, invocations = 5;
  Feedback f({}, std::uint64_t{points} * invocations * 4 * 2);
  const std::string some =
      "layout(points, invocations = 5) in; layout(points, max_vertices = 200) out;\n"
      "layout(location = 0) flat in int v[];\n" +
      kCaptured +
      "void main() { for (int k = 0; k < v[0] % 4; ++k) { o = 20 * v[0] + 4 * gl_InvocationID + k; EmitVertex(); } }\n";
  Words expected;
  for (std::uint32_t v = 0; v < points; ++v)
    for (std::uint32_t n = 0; n < invocations; ++n)
      for (std::uint32_t k = 0; k < v % 4; ++k) expected.push_back(20 * v + 4 * n + k);
  EXPECT_EQ(f.draw(captured(VK_PRIMITIVE_TOPOLOGY_POINT_LIST, some), points), expected);
  EXPECT_THAT(f.canvas.v.messages, ::testing::IsEmpty());  // a place that is used again is no race
}

TEST_P(VulkanGeometry, InputsAreMatchedByLocation_PRM7) {
  HEDDLE_NEED_SHADERS();
  Feedback f;
  PipelineState s =
      captured(VK_PRIMITIVE_TOPOLOGY_LINE_LIST,
               "layout(lines) in; layout(points, max_vertices = 1) out;\n"
               "layout(location = 5) in Block { flat ivec2 pair; vec3 w; } b[];\n"
               "layout(location = 2, component = 1) flat in uint u[];\nlayout(location = 3) flat in double d[];\n"
               "layout(location = 8) flat in int a[][2];\n"
               "layout(location = 0, xfb_buffer = 0, xfb_offset = 0, xfb_stride = 32) out vec4 o;\n"
               "layout(location = 1, xfb_buffer = 0, xfb_offset = 16) out vec4 p;\n"
               "void main() { int n = gl_PrimitiveIDIn % 2; o = vec4(b[n].pair, b[1 - n].w.xz);\n"
               "  p = vec4(u[1], float(d[n]), a[1][n], gl_in[n].gl_PointSize); EmitVertex(); }\n");
  s.vertex =
      "#version 450\nlayout(location = 8) flat out int a[2];\nlayout(location = 3) flat out double d;\n"
      "layout(location = 2, component = 1) flat out uint u;\nlayout(location = 2) flat out int other;\n"
      "layout(location = 6) out vec3 w;\nlayout(location = 5) flat out ivec2 pair;\n"
      "void main() { int n = gl_VertexIndex; a[0] = 60 + n; a[1] = 70 + n; d = n + 0.5; u = 40 + n; other = 99;\n"
      "  w = vec3(20 + n, 0, 30 + n); pair = ivec2(n, 10 + n); gl_Position = vec4(0, 0, 0, 1); gl_PointSize = 3 + n; "
      "}\n";
  const Words words = f.draw(s, 4);
  std::vector<float> numbers(words.size());
  std::memcpy(numbers.data(), words.data(), words.size() * 4);
  EXPECT_THAT(numbers, ElementsAre(0, 10, 21, 31, 41, 0.5f, 61, 3,  //
                                   3, 13, 22, 32, 43, 3.5f, 73, 6));
}

TEST_P(VulkanGeometry, VerticesBeyondTheDeclaredNumberAreNotThere_SPV44) {
  HEDDLE_NEED_SHADERS();
  Feedback f;
  f.canvas.v.expects_messages = GetParam();
  const auto words = f.draw(
      captured(VK_PRIMITIVE_TOPOLOGY_POINT_LIST,
               "layout(points) in; layout(points, max_vertices = 3) out;\nlayout(location = 0) flat in int v[];\n" +
                   kCaptured +
                   "void main() { for (int k = 0; k < 4 + v[0]; ++k) { o = 10 * v[0] + k; EmitVertex(); } }\n"),
      2);
  EXPECT_THAT(words, ElementsAre(0, 1, 2, 10, 11, 12));
  if (GetParam())
    expect_found(f.canvas.v.messages, {"run-too-many-vertices", {"emits 4 vertices, of 3 that the shader declares"}});
}

/// A square for each point, of a color for the primitive that the shader names.
const std::string kSquares =
    "layout(points) in; layout(triangle_strip, max_vertices = 4) out;\nlayout(location = 0) flat in int v[];\n"
    "layout(location = 0) flat out vec4 color;\n"
    "void main() { for (int k = 0; k < 4; ++k) {\n"
    "    gl_Position = vec4(-1 + v[0] % 4 * 0.5 + (k & 1) * 0.5, -1 + v[0] / 4 * 0.5 + (k >> 1) * 0.5, 0.5, 1);\n"
    "    color = k == 0 ? vec4(v[0] / 255.0, 0, 0, 1) : vec4(0.5); gl_PrimitiveID = 100 + v[0]; EmitVertex(); } }\n";

TEST_P(VulkanGeometry, IsRasterized_PRM10) {
  HEDDLE_NEED_SHADERS();
  Canvas c(4, 4);
  for (const bool libraries : {false, true}) {
    if (libraries && GetParam()) continue;
    std::optional<Canvas> own;
    if (libraries)
      own.emplace(4, 4, std::vector<VkFormat>{VK_FORMAT_R8G8B8A8_UNORM}, VK_FORMAT_UNDEFINED, VK_SAMPLE_COUNT_1_BIT,
                  std::vector<const char*>{VK_KHR_PIPELINE_LIBRARY_EXTENSION_NAME,
                                           VK_EXT_GRAPHICS_PIPELINE_LIBRARY_EXTENSION_NAME});
    Canvas& on = libraries ? *own : c;
    PipelineState s;
    s.topology = VK_PRIMITIVE_TOPOLOGY_POINT_LIST;
    s.vertex = numbered_vertices();
    s.geometry = "#version 450\n" + kSquares;
    s.fragment =
        "#version 450\nlayout(location = 0) flat in vec4 color;\nlayout(location = 0) out vec4 o;\n"
        "void main() { o = vec4(color.x, gl_PrimitiveID / 255.0, 0, 1); }\n";
    s.libraries = libraries;
    const VkPipeline pipeline = on.pipeline(s);
    on.draw([&](VkCommandBuffer b) {
      vkCmdBindPipeline(b, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
      vkCmdDraw(b, 15, 1, 0, 0);
    });
    const auto pixels = on.pixels();
    for (std::uint32_t i = 0; i < 16; ++i) {
      // The odd triangle of a square begins with vertex 1.
      const std::uint32_t n = i < 15 ? 0xff000000u | (100 + i) << 8 : 0;
      EXPECT_EQ(pixels[i] & 0xff00ff00u, n) << i;
    }
  }
}

TEST_P(VulkanGeometry, ChoosesLayersAndViewports_PRM9) {
  HEDDLE_NEED_SHADERS();
  Canvas c(4, 2);
  const auto layered = c.attachment(VK_FORMAT_R8G8B8A8_UNORM, VK_SAMPLE_COUNT_1_BIT, 0, 3);
  c.colors[0] = layered;
  PipelineState s;
  s.topology = VK_PRIMITIVE_TOPOLOGY_POINT_LIST;
  s.vertex = numbered_vertices();
  s.geometry =
      "#version 450\nlayout(points, invocations = 3) in; layout(triangle_strip, max_vertices = 3) out;\n"
      "layout(location = 0) flat in int v[];\nlayout(location = 0) flat out int number;\n"
      "void main() { for (int k = 0; k < 3; ++k) { gl_Position = vec4(k == 1 ? 3 : -1, k == 2 ? 3 : -1, 0, 1);\n"
      "  gl_Layer = k == 0 ? gl_InvocationID : 7; gl_ViewportIndex = k == 0 ? gl_InvocationID % 2 : 0;\n"
      "  number = 1 + v[0]; EmitVertex(); } }\n";
  s.fragment =
      "#version 450\nlayout(location = 0) flat in int number;\nlayout(location = 0) out vec4 o;\n"
      "void main() { o = vec4(gl_Layer / 255.0, gl_ViewportIndex / 255.0, number / 255.0, 1); }\n";
  s.viewports = {{0, 0, 2, 2, 0, 1}, {2, 0, 2, 2, 0, 1}};
  const VkPipeline pipeline = c.pipeline(s);
  VkRenderingAttachmentInfo target{VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO};
  target.imageView = layered.view;
  target.imageLayout = VK_IMAGE_LAYOUT_GENERAL;
  target.loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR;
  target.storeOp = VK_ATTACHMENT_STORE_OP_STORE;
  VkRenderingInfo info{VK_STRUCTURE_TYPE_RENDERING_INFO};
  info.renderArea = {{0, 0}, {4, 2}};
  info.layerCount = 3;
  info.colorAttachmentCount = 1;
  info.pColorAttachments = &target;
  const auto begin = c.v.proc<PFN_vkCmdBeginRenderingKHR>("vkCmdBeginRenderingKHR");
  EXPECT_EQ(c.v.run([&](VkCommandBuffer b) {
    begin(b, &info);
    vkCmdBindPipeline(b, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
    vkCmdDraw(b, 1, 1, 4, 0);
    c.end(b);
  }),
            VK_SUCCESS);
  for (std::uint32_t l = 0; l < 3; ++l) {
    const auto bytes = c.read(layered, 4, 0, l);
    for (std::uint32_t i = 0; i < 8; ++i) {
      std::uint32_t pixel = 0;
      std::memcpy(&pixel, bytes.data() + 4 * i, 4);
      const bool inside = (i % 4 >= 2) == (l % 2 == 1);
      EXPECT_EQ(pixel, inside ? 0xff050000u | l % 2 << 8 | l : 0u) << l << " " << i;
    }
  }
}

// OpenGL's framebuffers without layers ignore gl_Layer, and its fragments read what was written all the same.
TEST_P(VulkanGeometry, LayersThatAreNotThereAreTheFirst_PRM5) {
  HEDDLE_NEED_SHADERS();
  Canvas c(2, 1);
  PipelineState s;
  s.topology = VK_PRIMITIVE_TOPOLOGY_POINT_LIST;
  s.vertex = "#version 450\nvoid main() { gl_Position = vec4(0); }\n";
  s.geometry =
      "#version 450\nlayout(points, invocations = 2) in; layout(points, max_vertices = 1) out;\n"
      "void main() { gl_PointSize = 1; gl_Position = vec4(gl_InvocationID - 0.5, 0, 0, 1);\n"
      "  gl_Layer = gl_InvocationID == 0 ? 10000 : -10000; EmitVertex(); }\n";
  s.fragment =
      "#version 450\nlayout(location = 0) out vec4 o;\n"
      "void main() { o = vec4(gl_Layer == 10000 ? 1 : 0, gl_Layer == -10000 ? 1 : 0, 0, 1); }\n";
  const VkPipeline pipeline = c.pipeline(s);
  c.draw([&](VkCommandBuffer b) {
    vkCmdBindPipeline(b, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
    vkCmdDraw(b, 1, 1, 0, 0);
  });
  EXPECT_EQ(c.pixels(), (std::vector<std::uint32_t>{0xff0000ff, 0xff00ff00}));
}

// So are its viewports, of which there may be one: what is drawn there reads the index that was written.
TEST_P(VulkanGeometry, ViewportsThatAreNotThereAreTheFirst_PRM5) {
  HEDDLE_NEED_SHADERS();
  Canvas c(4, 1);
  PipelineState s;
  s.topology = VK_PRIMITIVE_TOPOLOGY_POINT_LIST;
  s.vertex = "#version 450\nvoid main() { gl_Position = vec4(0); }\n";
  s.geometry =
      "#version 450\nlayout(points, invocations = 4) in; layout(points, max_vertices = 1) out;\n"
      "void main() { gl_PointSize = 1; gl_Position = vec4(gl_InvocationID * 0.5 - 0.75, 0, 0, 1);\n"
      "  gl_ViewportIndex = int[4](0, 15, -1, 70000)[gl_InvocationID]; EmitVertex(); }\n";
  s.fragment =
      "#version 450\nlayout(location = 0) out vec4 o;\n"
      "void main() { o = vec4(gl_ViewportIndex == 15 ? 1 : 0, gl_ViewportIndex == -1 ? 1 : 0,\n"
      "    gl_ViewportIndex == 70000 ? 1 : 0, 1); }\n";
  const VkPipeline pipeline = c.pipeline(s);
  c.draw([&](VkCommandBuffer b) {
    vkCmdBindPipeline(b, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
    vkCmdDraw(b, 1, 1, 0, 0);
  });
  EXPECT_EQ(c.pixels(), (std::vector<std::uint32_t>{0xff000000, 0xff0000ff, 0xff00ff00, 0xffff0000}));
}

TEST_P(VulkanGeometry, KnowsItsView_PRM9) {
  HEDDLE_NEED_SHADERS();
  Canvas c(2, 2, {VK_FORMAT_R8G8B8A8_UNORM}, VK_FORMAT_UNDEFINED, VK_SAMPLE_COUNT_1_BIT,
           {VK_KHR_MULTIVIEW_EXTENSION_NAME});
  const auto layered = c.attachment(VK_FORMAT_R8G8B8A8_UNORM, VK_SAMPLE_COUNT_1_BIT, 0, 4);
  PipelineState s;
  s.view_mask = 10;
  s.topology = VK_PRIMITIVE_TOPOLOGY_POINT_LIST;
  s.vertex = numbered_vertices();
  s.geometry =
      "#version 450\n#extension GL_EXT_multiview : require\nlayout(points) in; layout(triangle_strip, max_vertices = "
      "3) out;\n"
      "layout(location = 0) flat out int view;\n"
      "void main() { for (int k = 0; k < 3; ++k) { gl_Position = vec4(k == 1 ? 3 : -1, k == 2 ? 3 : -1, 0, 1);\n"
      "  view = gl_ViewIndex; EmitVertex(); } }\n";
  s.fragment =
      "#version 450\nlayout(location = 0) flat in int view;\nlayout(location = 0) out vec4 o;\n"
      "void main() { o = vec4(view / 255.0, 0, 0, 1); }\n";
  const VkPipeline pipeline = c.pipeline(s);
  VkRenderingAttachmentInfo target{VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO};
  target.imageView = layered.view;
  target.imageLayout = VK_IMAGE_LAYOUT_GENERAL;
  target.loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR;
  target.storeOp = VK_ATTACHMENT_STORE_OP_STORE;
  VkRenderingInfo info{VK_STRUCTURE_TYPE_RENDERING_INFO};
  info.renderArea = {{0, 0}, {2, 2}};
  info.layerCount = 1;
  info.viewMask = 10;
  info.colorAttachmentCount = 1;
  info.pColorAttachments = &target;
  const auto begin = c.v.proc<PFN_vkCmdBeginRenderingKHR>("vkCmdBeginRenderingKHR");
  EXPECT_EQ(c.v.run([&](VkCommandBuffer b) {
    begin(b, &info);
    vkCmdBindPipeline(b, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
    vkCmdDraw(b, 1, 1, 0, 0);
    c.end(b);
  }),
            VK_SUCCESS);
  for (const std::uint32_t l : {1u, 3u}) {
    std::uint32_t pixel = 0;
    std::memcpy(&pixel, c.read(layered, 4, 0, l).data(), 4);
    EXPECT_EQ(pixel, 0xff000000u | l);
  }
}

TEST_P(VulkanGeometry, WritesSizesAndDistances_PRM9) {
  HEDDLE_NEED_SHADERS();
  Canvas c(8, 8);
  const auto covered = [&](const std::string& distance) {
    PipelineState s;
    s.topology = VK_PRIMITIVE_TOPOLOGY_POINT_LIST;
    s.vertex =
        "#version 450\nvoid main() { gl_Position = vec4(0, 0, 0, 1); gl_PointSize = 4; gl_ClipDistance[0] = 1; }\n";
    s.geometry =
        "#version 450\nlayout(points) in; layout(points, max_vertices = 1) out;\n"
        "void main() { gl_Position = gl_in[0].gl_Position; gl_PointSize = gl_in[0].gl_PointSize / 2;\n"
        "  gl_ClipDistance[0] = " +
        distance + " * gl_in[0].gl_ClipDistance[0]; EmitVertex(); }\n";
    s.fragment = one_color("vec4(1)");
    const VkPipeline pipeline = c.pipeline(s);
    c.draw([&](VkCommandBuffer b) {
      vkCmdBindPipeline(b, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
      vkCmdDraw(b, 1, 1, 0, 0);
    });
    const auto pixels = c.pixels();
    return std::count(pixels.begin(), pixels.end(), 0xffffffffu);
  };
  EXPECT_EQ(covered("0.5"), 4);
  EXPECT_EQ(covered("-0.5"), 0);
}

/// Devices that are made while it lives use one processor.
struct OneProcessor {
  OneProcessor() {
    sched_getaffinity(0, sizeof before, &before);
    cpu_set_t one;
    CPU_ZERO(&one);
    for (int k = 0; k < CPU_SETSIZE; ++k)
      if (CPU_ISSET(k, &before)) {
        CPU_SET(k, &one);
        break;
      }
    sched_setaffinity(0, sizeof one, &one);
  }
  ~OneProcessor() { sched_setaffinity(0, sizeof before, &before); }
  OneProcessor(const OneProcessor&) = delete;
  OneProcessor& operator=(const OneProcessor&) = delete;
  cpu_set_t before;
};

/// A query of what a geometry shader made.
struct MadePrimitives {
  explicit MadePrimitives(VkDevice of) : device(of) {
    const VkQueryPoolCreateInfo info{VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO,
                                     nullptr,
                                     0,
                                     VK_QUERY_TYPE_PIPELINE_STATISTICS,
                                     1,
                                     VK_QUERY_PIPELINE_STATISTIC_GEOMETRY_SHADER_INVOCATIONS_BIT |
                                         VK_QUERY_PIPELINE_STATISTIC_GEOMETRY_SHADER_PRIMITIVES_BIT |
                                         VK_QUERY_PIPELINE_STATISTIC_CLIPPING_INVOCATIONS_BIT};
    EXPECT_EQ(vkCreateQueryPool(device, &info, nullptr, &pool), VK_SUCCESS);
  }
  ~MadePrimitives() { vkDestroyQueryPool(device, pool, nullptr); }
  MadePrimitives(const MadePrimitives&) = delete;
  MadePrimitives& operator=(const MadePrimitives&) = delete;
  [[nodiscard]] std::array<std::uint64_t, 3> read() const {
    std::array<std::uint64_t, 3> values{};
    EXPECT_EQ(vkGetQueryPoolResults(device, pool, 0, 1, sizeof values, values.data(), sizeof values,
                                    VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT),
              VK_SUCCESS);
    return values;
  }
  VkDevice device;
  VkQueryPool pool = VK_NULL_HANDLE;
};

// Those who draw make the primitives, piece by piece: with one thread and with all of them the last one in a pixel
// stays, and all are counted.
TEST_P(VulkanGeometry, ManyAreDrawnInOrder_PRM9) {
  HEDDLE_NEED_SHADERS();
  constexpr std::uint32_t kSize = 32, kPixels = kSize * kSize;
  const std::uint32_t points = GetParam() ? 60 : 5000;
  Words expected(kPixels, 0);
  std::uint64_t squares = 0;
  for (std::uint32_t n = 0; n < 2 * points; ++n)
    for (std::uint32_t k = 0; k < (n % 3 == 0 ? 2 : 1); ++k, ++squares)
      expected[(n * 7 + k * 501) % kPixels] = 0xff000000u | (n + 1);
  for (const bool alone : {false, true}) {
    std::optional<OneProcessor> one;
    if (alone) one.emplace();
    Canvas c(kSize, kSize);
    PipelineState s;
    s.topology = VK_PRIMITIVE_TOPOLOGY_POINT_LIST;
    s.vertex = numbered_vertices();
    s.geometry =
        "#version 450\nlayout(points, invocations = 2) in; layout(triangle_strip, max_vertices = 8) out;\n"
        "layout(location = 0) flat in int v[];\nlayout(location = 0) flat out int number;\n"
        "void main() { int n = 2 * v[0] + gl_InvocationID;\n"
        "  for (int s = 0; s < (n % 3 == 0 ? 2 : 1); ++s) { int p = (n * 7 + s * 501) % 1024;\n"
        "    for (int k = 0; k < 4; ++k) { vec2 at = vec2(p % 32 + (k & 1), p / 32 + (k >> 1));\n"
        "      gl_Position = vec4(at / 16.0 - 1.0, 0.5, 1); number = n + 1; EmitVertex(); }\n"
        "    EndPrimitive(); } }\n";
    s.fragment =
        "#version 450\nlayout(location = 0) flat in int number;\nlayout(location = 0) out vec4 o;\n"
        "void main() { o = vec4(number & 255, number >> 8, 0, 255) / 255.0; }\n";
    const VkPipeline pipeline = c.pipeline(s);
    const auto draw = [&](VkCommandBuffer b) {
      vkCmdBindPipeline(b, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
      vkCmdDraw(b, points, 1, 0, 0);
    };
    c.draw(draw);
    EXPECT_EQ(c.pixels(), expected);
    const MadePrimitives made(c.v.device);
    c.v.run([&](VkCommandBuffer b) {
      vkCmdResetQueryPool(b, made.pool, 0, 1);
      c.begin(b, true);
      vkCmdBeginQuery(b, made.pool, 0, 0);
      draw(b);
      vkCmdEndQuery(b, made.pool, 0);
      c.end(b);
    });
    EXPECT_THAT(made.read(), ElementsAre(2 * points, 2 * squares, 2 * squares));
  }
}

TEST_P(VulkanGeometry, IsCounted_FBO4) {
  HEDDLE_NEED_SHADERS();
  Canvas c(4, 4);
  PipelineState s;
  s.topology = VK_PRIMITIVE_TOPOLOGY_POINT_LIST;
  s.vertex = numbered_vertices();
  s.geometry = "#version 450\n" + kSquares;
  s.fragment = one_color("vec4(1)");
  const VkPipeline pipeline = c.pipeline(s);
  const VkQueryPoolCreateInfo info{VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO,
                                   nullptr,
                                   0,
                                   VK_QUERY_TYPE_PIPELINE_STATISTICS,
                                   1,
                                   VK_QUERY_PIPELINE_STATISTIC_INPUT_ASSEMBLY_PRIMITIVES_BIT |
                                       VK_QUERY_PIPELINE_STATISTIC_GEOMETRY_SHADER_INVOCATIONS_BIT |
                                       VK_QUERY_PIPELINE_STATISTIC_GEOMETRY_SHADER_PRIMITIVES_BIT |
                                       VK_QUERY_PIPELINE_STATISTIC_CLIPPING_INVOCATIONS_BIT};
  VkQueryPool pool = VK_NULL_HANDLE;
  ASSERT_EQ(vkCreateQueryPool(c.v.device, &info, nullptr, &pool), VK_SUCCESS);
  c.v.run([&](VkCommandBuffer b) {
    vkCmdResetQueryPool(b, pool, 0, 1);
    c.begin(b, true);
    vkCmdBeginQuery(b, pool, 0, 0);
    vkCmdBindPipeline(b, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
    vkCmdDraw(b, 5, 1, 0, 0);
    vkCmdEndQuery(b, pool, 0);
    c.end(b);
  });
  std::array<std::uint64_t, 4> values{};
  EXPECT_EQ(vkGetQueryPoolResults(c.v.device, pool, 0, 1, sizeof values, values.data(), sizeof values,
                                  VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT),
            VK_SUCCESS);
  EXPECT_THAT(values, ElementsAre(5, 5, 10, 10));
  vkDestroyQueryPool(c.v.device, pool, nullptr);
}

}  // namespace
}  // namespace heddle::test
