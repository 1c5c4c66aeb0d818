// SPDX-License-Identifier: MIT
// What fragments get: their place, their depth and w, and what is interpolated.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "vulkan/canvas.hpp"

namespace heddle::test {
namespace {

void bind(VkCommandBuffer c, VkPipeline pipeline) { vkCmdBindPipeline(c, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline); }

std::vector<float> floats_of(const std::vector<std::uint8_t>& bytes) {
  std::vector<float> floats(bytes.size() / 4);
  std::memcpy(floats.data(), bytes.data(), bytes.size());
  return floats;
}

// Threads of whole subspans side by side come between threads of others, which wait for more (PIX-11, PIX-17).
TEST(VulkanFragments, LargeTrianglesGetTheirOwnPlaceAndW_PIX11) {
  HEDDLE_NEED_SHADERS();
  constexpr std::uint32_t kSize = 160;
  Canvas c(kSize, kSize, {VK_FORMAT_R32G32B32A32_SFLOAT});
  PipelineState s;
  s.vertex =
      "#version 450\nlayout(location = 0) out float v;\nvoid main() {\n"
      "  int k = gl_VertexIndex < 3 ? gl_VertexIndex : 6 - gl_VertexIndex;\n"  // 0 1 2, 3 2 1
      "  vec2 p = vec2(k & 1, k >> 1) * 2 - 1;\n  float w = float[](1.7, 2.0, 1.2, 1.0)[k];\n"
      "  gl_Position = vec4(p * w, 0, w);\n  v = w;\n}\n";
  s.fragment =
      "#version 450\nlayout(location = 0) in float v;\nlayout(location = 0) out vec4 o;\n"
      "void main() { o = vec4(1 / gl_FragCoord.w, v, gl_FragCoord.xy); }\n";
  const VkPipeline pipeline = c.pipeline(s);
  c.draw([&](VkCommandBuffer b) {
    bind(b, pipeline);
    vkCmdDraw(b, 6, 1, 0, 0);
  });
  const std::vector<float> drawn = floats_of(c.read(c.colors[0], 16));
  for (std::uint32_t y = 0; y < kSize; ++y)
    for (std::uint32_t x = 0; x < kSize; ++x) {
      const double u = (x + 0.5) / kSize, v = (y + 0.5) / kSize;
      const double inverse =
          u + v < 1 ? (1 - u - v) / 1.7 + u / 2.0 + v / 1.2 : (u + v - 1) + (1 - u) / 1.2 + (1 - v) / 2.0;
      const float* pixel = drawn.data() + 4 * (std::size_t{y} * kSize + x);
      ASSERT_NEAR(pixel[0], 1 / inverse, 1e-5) << x << ' ' << y;
      ASSERT_NEAR(pixel[1], 1 / inverse, 1e-5) << x << ' ' << y;
      ASSERT_EQ(pixel[2], static_cast<float>(x) + 0.5f);
      ASSERT_EQ(pixel[3], static_cast<float>(y) + 0.5f);
    }
}

// Inputs at other places of the pixel: by offset, and where the target's samples lie (MSP-1), also where the shader
// runs for each sample or its inputs are centroids.
TEST(VulkanFragments, InterpolationElsewhereInThePixel_MSP1) {
  HEDDLE_NEED_SHADERS();
  constexpr std::uint32_t kSize = 16;
  for (const VkSampleCountFlagBits count : {VK_SAMPLE_COUNT_1_BIT, VK_SAMPLE_COUNT_4_BIT, VK_SAMPLE_COUNT_16_BIT})
    for (const bool each_sample : {false, true}) {
      Canvas c(kSize, kSize, {VK_FORMAT_R32G32B32A32_SFLOAT}, VK_FORMAT_UNDEFINED, count);
      PipelineState s;
      s.samples.rasterizationSamples = count;
      s.vertex =
          "#version 450\nlayout(location = 0) out vec2 a;\nlayout(location = 1) noperspective out vec2 b;\n"
          "layout(location = 2) centroid out vec2 d;\nvoid main() {\n"
          "  vec2 p = vec2(gl_VertexIndex & 1, gl_VertexIndex >> 1) * 4 - 1;\n  float w = 1 + gl_VertexIndex;\n"
          "  gl_Position = vec4(p * w, 0, w);\n  a = b = d = (p * 0.5 + 0.5) * 16;\n}\n";
      // `a` and `d` are seen in perspective: w times a is what lies on the screen.
      const std::string sample = each_sample ? "gl_SampleID" : "int(gl_FragCoord.x) % " + std::to_string(count);
      s.fragment =
          "#version 450\nlayout(location = 0) in vec2 a;\nlayout(location = 1) noperspective in vec2 b;\n"
          "layout(location = 2) centroid in vec2 d;\nlayout(location = 0) out vec4 o;\nvoid main() {\n"
          "  int s = " +
          sample +
          ";\n  vec2 p = interpolateAtSample(b, s) - floor(gl_FragCoord.xy);\n"
          "  vec2 q = interpolateAtOffset(b, p - 0.5) - floor(gl_FragCoord.xy);\n"
          "  float far = distance(interpolateAtOffset(a, p - 0.5), interpolateAtSample(d, s));\n"
          "  o = vec4(p, distance(p, q), far);\n}\n";
      const VkPipeline pipeline = c.pipeline(s);
      c.draw([&](VkCommandBuffer b) {
        bind(b, pipeline);
        vkCmdDraw(b, 3, 1, 0, 0);
      });
      const std::vector<float> drawn =
          floats_of(c.read(count == VK_SAMPLE_COUNT_1_BIT ? c.colors[0] : c.resolved[0], 16));
      constexpr float kFour[4][2] = {{6, 2}, {14, 6}, {2, 10}, {10, 14}};
      for (std::uint32_t i = 0; i < kSize * kSize; ++i) {
        const float* pixel = drawn.data() + 4 * std::size_t{i};
        const bool mean = each_sample || count == VK_SAMPLE_COUNT_1_BIT;  // of all samples
        if (mean || count == VK_SAMPLE_COUNT_4_BIT) {
          const float half = count == VK_SAMPLE_COUNT_16_BIT ? 7.5f : 8;  // sixteen leave out the last place
          EXPECT_NEAR(pixel[0] * 16, mean ? half : kFour[i % 4][0], 1e-3) << count << ' ' << i;
          EXPECT_NEAR(pixel[1] * 16, mean ? half : kFour[i % 4][1], 1e-3) << count << ' ' << i;
        }
        EXPECT_NEAR(pixel[2], 0, 1e-4) << count << ' ' << i;
        EXPECT_NEAR(pixel[3], 0, 1e-3) << count << ' ' << i;
      }
    }
}

// An element of an input that is chosen at run time is evaluated where the pixel is covered like one that is named.
TEST(VulkanFragments, InterpolationOfElementsChosenAtRunTime) {
  HEDDLE_NEED_SHADERS();
  constexpr std::uint32_t kSize = 16;
  Canvas c(kSize, kSize, {VK_FORMAT_R32G32B32A32_SFLOAT}, VK_FORMAT_UNDEFINED, VK_SAMPLE_COUNT_4_BIT);
  PipelineState s;
  s.samples.rasterizationSamples = VK_SAMPLE_COUNT_4_BIT;
  s.vertex =
      "#version 450\nlayout(location = 0) out vec3 a[2];\nlayout(location = 2) centroid out vec3 d;\nvoid main() {\n"
      "  vec2 p = vec2(gl_VertexIndex & 1, gl_VertexIndex >> 1) * 3.3 - 1;\n  gl_Position = vec4(p, 0, 1);\n"
      "  a[0] = vec3(p, 7); a[1] = vec3(p.y * 3, p.x + 5, p.x * p.y); d = vec3(p.x - 9, p.y + 1, 2 * p.x);\n}\n";
  s.fragment =
      "#version 450\nlayout(location = 0) in vec3 a[2];\nlayout(location = 2) centroid in vec3 d;\n"
      "layout(location = 0) out vec4 o;\nvoid main() {\n"
      "  int n = int(gl_FragCoord.x) % 2, k = int(gl_FragCoord.y) % 3;\n"
      "  vec3 zero = interpolateAtCentroid(a[0]), one = interpolateAtCentroid(a[1]);\n"
      "  vec3 elsewhere = interpolateAtOffset(d, vec2(0.25, -0.25));\n"
      "  vec3 named = n == 0 ? zero : one;\n"
      "  o = vec4(named[k] - interpolateAtCentroid(a[n])[k], named[k] - interpolateAtCentroid(a[n][k]),\n"
      "           elsewhere[k] - interpolateAtOffset(d[k], vec2(0.25, -0.25)), 1);\n}\n";
  const VkPipeline pipeline = c.pipeline(s);
  c.draw([&](VkCommandBuffer b) {
    bind(b, pipeline);
    vkCmdDraw(b, 3, 1, 0, 0);
  });
  const std::vector<float> drawn = floats_of(c.read(c.resolved[0], 16));
  float covered = 0;
  for (std::uint32_t i = 0; i < kSize * kSize; ++i) {
    for (std::uint32_t k = 0; k < 3; ++k) EXPECT_NEAR(drawn[4 * i + k], 0, 1e-5) << i;
    covered += drawn[4 * i + 3];
  }
  EXPECT_GT(covered, 100);
}

/// A component of an input that is chosen at run time, by a vertex and by a fragment shader: none is left out.
TEST(VulkanFragments, ComponentsOfInputsChosenAtRunTime) {
  HEDDLE_NEED_SHADERS();
  Canvas c(12, 12, {VK_FORMAT_R32G32B32A32_SFLOAT});
  PipelineState s;
  s.bindings = {{0, 16, VK_VERTEX_INPUT_RATE_VERTEX}};
  s.attributes = {{0, 0, VK_FORMAT_R32G32B32A32_SFLOAT, 0}};
  s.vertex =
      "#version 450\nlayout(location = 0) in vec4 p;\nlayout(location = 0) flat out vec4 v;\nvoid main() {\n"
      "  int k = gl_VertexIndex - gl_VertexIndex / 3 * 3;\n  gl_Position = vec4(p[k], p[k + 1], 0, 1);\n"
      "  v = vec4(1, 2, 3, 4);\n}\n";
  s.fragment =
      "#version 450\nlayout(location = 0) flat in vec4 v;\nlayout(location = 0) out vec4 o;\n"
      "void main() { int k = int(gl_FragCoord.x) & 3; o = vec4(v[k]); }\n";
  const VkPipeline pipeline = c.pipeline(s);
  const VulkanDevice::Buffer vertices = c.v.buffer(48);
  const float places[] = {-1, -1, 9, 9, 9, 3, -1, 9, 9, 9, -1, 3};  // components 0, 1 and 2 of the first, second, third
  std::memcpy(vertices.bytes, places, sizeof places);
  c.draw([&](VkCommandBuffer b) {
    bind(b, pipeline);
    const VkDeviceSize zero = 0;
    vkCmdBindVertexBuffers(b, 0, 1, &vertices.buffer, &zero);
    vkCmdDraw(b, 3, 1, 0, 0);
  });
  const std::vector<float> drawn = floats_of(c.read(c.colors[0], 16));
  for (std::uint32_t i = 0; i < 144; ++i) EXPECT_EQ(drawn[4 * i], static_cast<float>(i % 12 % 4 + 1)) << i;
}

/// FragStencilRef is the reference of the stencil test, and what REPLACE writes.
TEST(VulkanFragments, GiveTheStencilReference_RTW9) {
  HEDDLE_NEED_SHADERS();
  Canvas c(8, 8, {VK_FORMAT_R8G8B8A8_UNORM}, VK_FORMAT_S8_UINT, VK_SAMPLE_COUNT_1_BIT,
           {VK_EXT_SHADER_STENCIL_EXPORT_EXTENSION_NAME});
  PipelineState s;
  s.vertex = covering_vertices();
  s.fragment =
      "#version 450\n#extension GL_ARB_shader_stencil_export : require\nlayout(location = 0) out vec4 o;\n"
      "void main() { o = vec4(1); gl_FragStencilRefARB = int(gl_FragCoord.x) * 3; }\n";
  s.depth.stencilTestEnable = VK_TRUE;
  s.depth.front = {VK_STENCIL_OP_KEEP, VK_STENCIL_OP_REPLACE, VK_STENCIL_OP_KEEP, VK_COMPARE_OP_GREATER, 255, 255, 200};
  s.depth.back = s.depth.front;
  const VkPipeline pipeline = c.pipeline(s);
  c.draw([&](VkCommandBuffer b) {
    bind(b, pipeline);
    vkCmdDraw(b, 3, 1, 0, 0);
  });
  const std::vector<std::uint8_t> stencil = c.read(c.depth, 1);
  const std::vector<std::uint32_t> pixels = c.pixels();
  for (std::uint32_t i = 0; i < 64; ++i) {
    EXPECT_EQ(stencil[i], i % 8 * 3) << i;
    EXPECT_EQ(pixels[i], i % 8 == 0 ? 0u : 0xffffffffu) << i;  // 0 > 0 fails
  }
}

/// FBO-6: the shader reads the coverage that the depth test and the sample mask leave; the mask comes behind the test.
TEST(VulkanFragments, ReadTheCoverageBehindTheDepthTest_FBO6) {
  HEDDLE_NEED_SHADERS();
  Canvas c(8, 8, {VK_FORMAT_R8G8B8A8_UNORM}, VK_FORMAT_D32_SFLOAT, VK_SAMPLE_COUNT_4_BIT,
           {VK_EXT_POST_DEPTH_COVERAGE_EXTENSION_NAME});
  const VkDescriptorSetLayout sets = c.v.set_layout({{0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER}});
  const auto masks = c.v.buffer(4 * 64);
  const VkDescriptorSet set = c.v.set(sets, {{0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER}});
  c.v.write(set, 0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, masks);
  PipelineState s;
  s.layout = c.v.layout({sets});
  s.samples.rasterizationSamples = VK_SAMPLE_COUNT_4_BIT;
  s.depth.depthTestEnable = s.depth.depthWriteEnable = VK_TRUE;
  const auto pipeline = [&](const std::string& z, const char* mode, VkCompareOp compare, VkSampleMask mask) {
    s.vertex = covering_vertices(z);
    s.fragment = "#version 450\n#extension GL_ARB_post_depth_coverage : enable\n" + std::string(mode) +
                 "layout(set = 0, binding = 0) buffer B { int masks[]; };\nlayout(location = 0) out vec4 o;\n"
                 "void main() { o = vec4(1); masks[int(gl_FragCoord.y) * 8 + int(gl_FragCoord.x)] = "
                 "gl_SampleMaskIn[0]; }\n";
    s.depth.depthCompareOp = compare;
    s.samples.pSampleMask = &mask;
    return c.pipeline(s);
  };
  const char* const early = "layout(early_fragment_tests) in;\n";
  const char* const post = "layout(early_fragment_tests, post_depth_coverage) in;\n";
  // The near one takes samples 0 and 1 of all pixels.
  const VkPipeline near = pipeline("0.25", early, VK_COMPARE_OP_LESS, 3),
                   before = pipeline("0.5", early, VK_COMPARE_OP_LESS, 6),
                   behind = pipeline("0.5", post, VK_COMPARE_OP_LESS, 6),
                   same = pipeline("0.5", post, VK_COMPARE_OP_EQUAL, 15);
  VkQueryPoolCreateInfo info{VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO};
  info.queryType = VK_QUERY_TYPE_OCCLUSION;
  info.queryCount = 2;
  VkQueryPool queries = VK_NULL_HANDLE;
  ASSERT_EQ(vkCreateQueryPool(c.v.device, &info, nullptr, &queries), VK_SUCCESS);
  const auto drawn = [&](VkPipeline second, bool third) {
    std::fill_n(masks.bytes, masks.size, std::uint8_t{255});
    EXPECT_EQ(c.v.run([&](VkCommandBuffer b) {
      vkCmdResetQueryPool(b, queries, 0, 2);
      vkCmdBindDescriptorSets(b, VK_PIPELINE_BIND_POINT_GRAPHICS, s.layout, 0, 1, &set, 0, nullptr);
      c.begin(b, true);
      const auto draw = [&](VkPipeline p) {
        bind(b, p);
        vkCmdDraw(b, 3, 1, 0, 0);
      };
      draw(near);
      vkCmdBeginQuery(b, queries, 0, VK_QUERY_CONTROL_PRECISE_BIT);
      draw(second);
      vkCmdEndQuery(b, queries, 0);
      vkCmdBeginQuery(b, queries, 1, VK_QUERY_CONTROL_PRECISE_BIT);
      if (third) draw(same);
      vkCmdEndQuery(b, queries, 1);
      c.end(b);
    }),
              VK_SUCCESS);
    std::array<std::uint32_t, 2> passed{};
    EXPECT_EQ(vkGetQueryPoolResults(c.v.device, queries, 0, 2, 8, passed.data(), 4, VK_QUERY_RESULT_WAIT_BIT),
              VK_SUCCESS);
    return passed;
  };
  EXPECT_EQ(drawn(before, false)[0], 64u);
  EXPECT_EQ(masks.word(35), 6u);
  EXPECT_EQ(drawn(behind, false)[0], 64u);
  EXPECT_EQ(masks.word(35), 4u);
  EXPECT_EQ(drawn(before, true)[1], 64u);
  EXPECT_EQ(masks.word(35), 4u);
  EXPECT_EQ(drawn(behind, true)[1], 128u);  // samples that the mask hides have their depth too
  EXPECT_EQ(masks.word(35), 12u);
  vkDestroyQueryPool(c.v.device, queries, nullptr);
}

/// FBO-7: what overlapping triangles do to a word of each pixel depends on their order; with a fragment for each sample
/// too. Large triangles and small ones, on all cores.
TEST(VulkanFragments, InterlocksKeepTheOrder_FBO7) {
  HEDDLE_NEED_SHADERS();
  constexpr std::uint32_t kSize = 128;
  for (const bool each_sample : {false, true}) {
    Canvas c(kSize, kSize, {VK_FORMAT_R8G8B8A8_UNORM}, VK_FORMAT_UNDEFINED,
             each_sample ? VK_SAMPLE_COUNT_4_BIT : VK_SAMPLE_COUNT_1_BIT,
             {VK_EXT_FRAGMENT_SHADER_INTERLOCK_EXTENSION_NAME});
    const VkDescriptorSetLayout sets = c.v.set_layout({{0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER}});
    const auto words = c.v.buffer(4 * kSize * kSize);
    std::fill_n(words.bytes, words.size, std::uint8_t{0});
    const VkDescriptorSet set = c.v.set(sets, {{0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER}});
    c.v.write(set, 0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, words);
    PipelineState s;
    s.layout = c.v.layout({sets});
    // Pairs of triangles over everything, then a grid of squares over it, again and again.
    s.vertex =
        "#version 450\nlayout(location = 0) flat out uint n;\nvoid main() {\n"
        "  int k = gl_VertexIndex % 6;\n  vec2 p = vec2[](vec2(0), vec2(1, 0), vec2(0, 1), vec2(1, 0), vec2(1), "
        "vec2(0, "
        "1))[k];\n"
        "  int square = gl_VertexIndex / 6 % 65, turn = gl_VertexIndex / 6 / 65;\n"
        "  vec2 q = square == 0 ? p : (vec2((square - 1) % 8, (square - 1) / 8) + p) / 8;\n"
        "  n = uint(2 * turn + (square == 0 ? 1 : 2));\n  gl_Position = vec4(q * 2 - 1, 0, 1);\n}\n";
    s.fragment = std::string("#version 450\n#extension GL_ARB_fragment_shader_interlock : require\n") +
                 "layout(pixel_interlock_ordered) in;\nlayout(set = 0, binding = 0) buffer B { uint words[]; };\n"
                 "layout(location = 0) flat in uint n;\nlayout(location = 0) out vec4 o;\nvoid main() {\n"
                 "  uint at = uint(gl_FragCoord.y) * 128 + uint(gl_FragCoord.x);\n  beginInvocationInterlockARB();\n"
                 "  words[at] = words[at] * 5 + n" +
                 (each_sample ? " + uint(gl_SampleID)" : "") + ";\n  endInvocationInterlockARB();\n  o = vec4(1);\n}\n";
    const VkPipeline pipeline = c.pipeline(s);
    c.draw([&](VkCommandBuffer b) {
      bind(b, pipeline);
      vkCmdBindDescriptorSets(b, VK_PIPELINE_BIND_POINT_GRAPHICS, s.layout, 0, 1, &set, 0, nullptr);
      vkCmdDraw(b, 6 * 65 * 3, 1, 0, 0);
    });
    std::uint32_t expected = 0;
    for (std::uint32_t n = 1; n <= 6; ++n)
      for (std::uint32_t sample = 0; sample < (each_sample ? 4u : 1u); ++sample) expected = expected * 5 + n + sample;
    std::uint32_t wrong = 0;
    for (std::uint32_t i = 0; i < kSize * kSize; ++i) {
      // With four samples the diagonals of the squares divide pixels among two triangles.
      if (each_sample && (i / kSize + i % kSize) % 16 >= 14) continue;
      wrong += words.word(i) != expected ? 1 : 0;
    }
    EXPECT_EQ(wrong, 0u) << each_sample;
  }
}

/// RAS-8, OM-25: the alpha of a line's pixel is the part that the line covers.
TEST(VulkanFragments, SmoothLinesHaveTheirCoverageInAlpha_RAS8) {
  HEDDLE_NEED_SHADERS();
  for (const VkSampleCountFlagBits count : {VK_SAMPLE_COUNT_1_BIT, VK_SAMPLE_COUNT_4_BIT}) {
    Canvas c(16, 8, {VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_R8G8B8A8_UNORM}, VK_FORMAT_UNDEFINED, count,
             {VK_EXT_LINE_RASTERIZATION_EXTENSION_NAME});
    VkPipelineRasterizationLineStateCreateInfoEXT line{
        VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_LINE_STATE_CREATE_INFO_EXT};
    line.lineRasterizationMode = VK_LINE_RASTERIZATION_MODE_RECTANGULAR_SMOOTH_EXT;
    PipelineState s;
    s.raster.pNext = &line;
    s.raster.lineWidth = 1.5f;
    s.topology = VK_PRIMITIVE_TOPOLOGY_LINE_LIST;
    s.vertex =
        "#version 450\nvoid main() { gl_Position = vec4((gl_VertexIndex == 0 ? 4.25 : 12.5) / 8 - 1, 0, 0, 1); }\n";
    s.fragment =
        "#version 450\nlayout(location = 0) out vec4 o;\nlayout(location = 1) out vec4 p;\n"
        "void main() { o = p = vec4(0, 1, 0, 1); }\n";
    const VkPipeline pipeline = c.pipeline(s);
    c.draw([&](VkCommandBuffer b) {
      bind(b, pipeline);
      vkCmdDraw(b, 2, 1, 0, 0);
    });
    const std::vector<std::uint32_t> first = c.pixels(0), second = c.pixels(1);
    for (std::uint32_t i = 0; i < 128; ++i) {
      const std::uint32_t x = i % 16, y = i / 16;
      // From x = 4.25 to 12.5 and y = 3.25 to 4.75.
      const double part = (y == 3 || y == 4 ? 0.75 : 0) * (x == 4 ? 0.75 : x >= 5 && x < 12 ? 1 : x == 12 ? 0.5 : 0);
      EXPECT_EQ(first[i] >> 24, std::lround(part * 255)) << x << ' ' << y;
      EXPECT_EQ(first[i] >> 8 & 255, part > 0 ? 255u : 0u) << x << ' ' << y;
      EXPECT_EQ(second[i], part > 0 ? 0xff00ff00u : 0u) << x << ' ' << y;
    }
    // stippledSmoothLines: where the pattern has no bit nothing is drawn; with all bits the picture is the same.
    line.stippledLineEnable = VK_TRUE;
    line.lineStippleFactor = 1;
    for (const std::uint16_t pattern : {std::uint16_t{0}, std::uint16_t{0xffff}}) {
      line.lineStipplePattern = pattern;
      const VkPipeline stippled = c.pipeline(s);
      c.draw([&](VkCommandBuffer b) {
        bind(b, stippled);
        vkCmdDraw(b, 2, 1, 0, 0);
      });
      EXPECT_EQ(c.pixels(0), pattern == 0 ? std::vector<std::uint32_t>(128) : first);
    }
    // Other primitives keep their alpha.
    s.topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST;
    s.vertex = covering_vertices();
    const VkPipeline triangle = c.pipeline(s);
    c.draw([&](VkCommandBuffer b) {
      bind(b, triangle);
      vkCmdDraw(b, 3, 1, 0, 0);
    });
    EXPECT_EQ(c.pixels(0)[77], 0xff00ff00u);
  }
}

}  // namespace
}  // namespace heddle::test
