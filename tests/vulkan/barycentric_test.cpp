// SPDX-License-Identifier: MIT
// VK_KHR_fragment_shader_barycentric: which vertex is which, and what each weighs.
// Rules: PIX-17, PIX-20, PRM-2.

#include <algorithm>
#include <array>
#include <cmath>

#include "vulkan/canvas.hpp"
#include "vulkan/newer_modules.hpp"

namespace heddle::test {
namespace {

std::vector<float> floats_of(const std::vector<std::uint8_t>& bytes) {
  std::vector<float> floats(bytes.size() / 4);
  std::memcpy(floats.data(), bytes.data(), bytes.size());
  return floats;
}

struct Strip {
  VkPrimitiveTopology topology;
  const char* name;
  std::uint32_t vertices;
  std::vector<std::array<std::uint32_t, 3>> first, last;  ///< numbers of the vertices of each primitive
};

const std::string kHead = "#version 450\n#extension GL_EXT_fragment_shader_barycentric : require\n";

// Each primitive fills a square of its own: it has the numbers of its vertices in the order of the specification's
// tables, for both provoking vertices. Numbers are those of the vertex shader's invocations.
TEST(VulkanBarycentrics, VerticesAreInTheOrderOfTheTables_PRM2) {
  HEDDLE_NEED_SHADERS();
  const std::vector<Strip> strips{
      {VK_PRIMITIVE_TOPOLOGY_POINT_LIST, "points", 3, {{0, 0, 0}, {1, 1, 1}, {2, 2, 2}}, {}},
      {VK_PRIMITIVE_TOPOLOGY_LINE_LIST, "lines", 4, {{0, 1, 1}, {2, 3, 3}}, {}},
      {VK_PRIMITIVE_TOPOLOGY_LINE_STRIP, "line strip", 4, {{0, 1, 1}, {1, 2, 2}, {2, 3, 3}}, {}},
      {VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST, "triangles", 6, {{0, 1, 2}, {3, 4, 5}}, {}},
      {VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP,
       "triangle strip",
       6,
       {{0, 1, 2}, {1, 3, 2}, {2, 3, 4}, {3, 5, 4}},
       {{0, 1, 2}, {2, 1, 3}, {2, 3, 4}, {4, 3, 5}}},
      {VK_PRIMITIVE_TOPOLOGY_TRIANGLE_FAN,
       "fan",
       5,
       {{1, 2, 0}, {2, 3, 0}, {3, 4, 0}},
       {{0, 1, 2}, {0, 2, 3}, {0, 3, 4}}},
      {VK_PRIMITIVE_TOPOLOGY_LINE_LIST_WITH_ADJACENCY, "lines with adjacency", 8, {{1, 2, 2}, {5, 6, 6}}, {}},
      {VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST_WITH_ADJACENCY, "triangles with adjacency", 12, {{0, 2, 4}, {6, 8, 10}}, {}},
      {VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP_WITH_ADJACENCY,
       "strip with adjacency",
       8,
       {{0, 2, 4}, {2, 6, 4}},
       {{0, 2, 4}, {4, 2, 6}}},
  };
  for (const Strip& strip : strips)
    for (const bool last : {false, true}) {
      SCOPED_TRACE(std::string(strip.name) + (last ? ", last" : ", first"));
      const auto& want = last && !strip.last.empty() ? strip.last : strip.first;
      // Vertices around a circle, none of them in one line: what a primitive covers is found by its number.
      Canvas c(64, 64, {VK_FORMAT_R32G32B32A32_SFLOAT}, VK_FORMAT_UNDEFINED, VK_SAMPLE_COUNT_1_BIT,
               {VK_KHR_FRAGMENT_SHADER_BARYCENTRIC_EXTENSION_NAME, VK_EXT_PROVOKING_VERTEX_EXTENSION_NAME});
      const VkPipelineRasterizationProvokingVertexStateCreateInfoEXT provoking{
          VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_PROVOKING_VERTEX_STATE_CREATE_INFO_EXT, nullptr,
          last ? VK_PROVOKING_VERTEX_MODE_LAST_VERTEX_EXT : VK_PROVOKING_VERTEX_MODE_FIRST_VERTEX_EXT};
      PipelineState s;
      s.raster.pNext = &provoking;
      s.topology = strip.topology;
      s.vertex =
          "#version 450\nlayout(location = 0) out float number;\nlayout(location = 1) flat out float named;\n"
          "void main() {\n  int v = gl_VertexIndex;\n"
          "  gl_Position = vec4(0.9 * cos(v * 0.5), 0.9 * sin(v * 0.5), 0.5, 1);\n"
          "  gl_PointSize = 1;\n  number = named = v;\n}\n";
      s.fragment = kHead +
                   "layout(location = 0) pervertexEXT in float number[3];\nlayout(location = 1) flat in float named;\n"
                   "layout(location = 0) out vec4 o;\n"
                   "void main() { o = vec4(number[0], number[1], number[2], named + 1); }\n";
      const VkPipeline pipeline = c.pipeline(s);
      c.draw([&](VkCommandBuffer b) {
        vkCmdBindPipeline(b, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
        vkCmdDraw(b, strip.vertices, 1, 0, 0);
      });
      const std::vector<float> drawn = floats_of(c.read(c.colors[0], 16));
      std::vector<bool> seen(want.size());
      for (std::size_t i = 0; i < drawn.size(); i += 4) {
        if (drawn[i + 3] == 0) continue;
        const auto at = std::ranges::find_if(want, [&](const auto& w) {
          return static_cast<float>(w[0]) == drawn[i] && static_cast<float>(w[1]) == drawn[i + 1] &&
                 static_cast<float>(w[2]) == drawn[i + 2];
        });
        ASSERT_NE(at, want.end()) << drawn[i] << ' ' << drawn[i + 1] << ' ' << drawn[i + 2];
        seen[static_cast<std::size_t>(at - want.begin())] = true;
        // A flat input has the value of the vertex that is first or last here.
        EXPECT_EQ(drawn[i + 3] - 1, static_cast<float>((*at)[last ? 2 : 0]));
      }
      for (std::size_t k = 0; k < seen.size(); ++k) EXPECT_TRUE(seen[k]) << "primitive " << k;
    }
}

// Weights by arithmetic, in perspective and not, of whole and of clipped triangles; an input is their sum.
TEST(VulkanBarycentrics, WeightsAreThoseOfThePlace_PIX17) {
  HEDDLE_NEED_SHADERS();
  constexpr std::uint32_t kSize = 32;
  for (const bool clipped : {false, true}) {
    Canvas c(kSize, kSize, {VK_FORMAT_R32G32B32A32_SFLOAT, VK_FORMAT_R32G32B32A32_SFLOAT}, VK_FORMAT_UNDEFINED,
             VK_SAMPLE_COUNT_1_BIT, {VK_KHR_FRAGMENT_SHADER_BARYCENTRIC_EXTENSION_NAME});
    PipelineState s;
    s.vertex =
        "#version 450\nlayout(location = 0) out float a;\nout gl_PerVertex { vec4 gl_Position; float "
        "gl_ClipDistance[1]; };\nvoid main() {\n"
        "  int v = gl_VertexIndex;\n  float w = float[](1, 2, 4)[v];\n"
        "  gl_Position = vec4(vec2(v == 1 ? 1 : -1, v == 2 ? 1 : -1) * w, 0.5 * w, w);\n"
        "  gl_ClipDistance[0] = " +
        std::string(clipped ? "v == 0 ? -1 : 1" : "1") + ";\n  a = float[](3, 5, 11)[v];\n}\n";
    s.fragment = kHead +
                 "layout(location = 0) pervertexEXT in float a[3];\nlayout(location = 0) out vec4 o;\n"
                 "layout(location = 1) out vec4 p;\nvoid main() {\n"
                 "  o = vec4(gl_BaryCoordEXT, 1);\n"
                 "  p = vec4(gl_BaryCoordNoPerspEXT, dot(gl_BaryCoordEXT, vec3(a[0], a[1], a[2])));\n}\n";
    const VkPipeline pipeline = c.pipeline(s);
    c.draw([&](VkCommandBuffer b) {
      vkCmdBindPipeline(b, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
      vkCmdDraw(b, 3, 1, 0, 0);
    });
    const std::vector<float> near = floats_of(c.read(c.colors[0], 16)), flat = floats_of(c.read(c.colors[1], 16));
    const double error = clipped ? 2e-4 : 1e-5;  // cut corners lie on 1/256 pixel
    std::uint32_t covered = 0;
    for (std::uint32_t y = 0; y < kSize; ++y)
      for (std::uint32_t x = 0; x < kSize; ++x) {
        const std::size_t at = 4 * (std::size_t{y} * kSize + x);
        const double u = (x + 0.5) / kSize, v = (y + 0.5) / kSize;
        const std::array<double, 3> linear{1 - u - v, u, v};
        std::array<double, 3> weight{linear[0] / 1, linear[1] / 2, linear[2] / 4};
        const double sum = weight[0] + weight[1] + weight[2];
        for (double& w : weight) w /= sum;
        // The distance is w[1] + w[2] - w[0] where the triangle is clipped.
        const bool inside = u + v < 1 && (!clipped || 2 * weight[0] < 1);
        if (std::abs(u + v - 1) < 1e-6 || (clipped && std::abs(2 * weight[0] - 1) < 0.02)) continue;
        ASSERT_EQ(near[at + 3], inside ? 1.0f : 0.0f) << x << ' ' << y;
        if (!inside) continue;
        ++covered;
        for (std::size_t k = 0; k < 3; ++k) {
          ASSERT_NEAR(near[at + k], weight[k], error) << x << ' ' << y << ' ' << k;
          ASSERT_NEAR(flat[at + k], linear[k], error) << x << ' ' << y << ' ' << k;
        }
        ASSERT_NEAR(flat[at + 3], 3 * weight[0] + 5 * weight[1] + 11 * weight[2], 10 * error);
      }
    EXPECT_GT(covered, 100u);
  }
}

// What a line or a point does not have weighs nothing.
TEST(VulkanBarycentrics, OfLinesAndPoints_PIX20) {
  HEDDLE_NEED_SHADERS();
  constexpr std::uint32_t kSize = 16;
  for (const VkPrimitiveTopology topology : {VK_PRIMITIVE_TOPOLOGY_LINE_LIST, VK_PRIMITIVE_TOPOLOGY_POINT_LIST}) {
    const bool line = topology == VK_PRIMITIVE_TOPOLOGY_LINE_LIST;
    Canvas c(kSize, kSize, {VK_FORMAT_R32G32B32A32_SFLOAT}, VK_FORMAT_UNDEFINED, VK_SAMPLE_COUNT_1_BIT,
             {VK_KHR_FRAGMENT_SHADER_BARYCENTRIC_EXTENSION_NAME});
    PipelineState s;
    s.topology = topology;
    s.vertex =
        "#version 450\nvoid main() { gl_Position = vec4(gl_VertexIndex == 0 ? -1 : 1, 0.0625, 0, 1); gl_PointSize = "
        "3; }\n";
    s.fragment = kHead + "layout(location = 0) out vec4 o;\nvoid main() { o = vec4(gl_BaryCoordEXT, 1); }\n";
    const VkPipeline pipeline = c.pipeline(s);
    c.draw([&](VkCommandBuffer b) {
      vkCmdBindPipeline(b, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
      vkCmdDraw(b, 2, 1, 0, 0);
    });
    const std::vector<float> drawn = floats_of(c.read(c.colors[0], 16));
    std::uint32_t covered = 0;
    for (std::uint32_t y = 0; y < kSize; ++y)
      for (std::uint32_t x = 0; x < kSize; ++x) {
        const float* got = drawn.data() + 4 * (std::size_t{y} * kSize + x);
        if (got[3] == 0) continue;
        ++covered;
        const float along = line ? (static_cast<float>(x) + 0.5f) / kSize : 0;
        EXPECT_NEAR(got[0], 1 - along, 1e-5) << x << ' ' << y;
        EXPECT_NEAR(got[1], along, 1e-5) << x << ' ' << y;
        EXPECT_EQ(got[2], 0) << x << ' ' << y;
      }
    EXPECT_GE(covered, line ? kSize : 6u);
  }
}

/// glslang takes no qualifiers of the weights: the module with one.
std::vector<std::uint32_t> evaluated_at(const std::vector<std::uint32_t>& words, bool sample) {
  constexpr std::uint32_t kOpDecorate = 71, kBuiltIn = 11, kBaryCoord = 5286, kCentroid = 16, kSample = 17,
                          kSampleRateShading = 35;
  std::vector<std::uint32_t> out(words.begin(), words.begin() + 5);
  each_instruction(words, [&](std::uint32_t opcode, const std::uint32_t* at) {
    out.insert(out.end(), at, at + (*at >> 16));
    if (opcode == kOpDecorate && at[2] == kBuiltIn && at[3] == kBaryCoord)
      out.insert(out.end(), {3u << 16 | kOpDecorate, at[1], sample ? kSample : kCentroid});
  });
  return sample ? with_more(out, {kSampleRateShading}, {}, {}) : out;
}

// At centroids and samples: where the pixel is covered, and once for each sample.
TEST(VulkanBarycentrics, ElsewhereInThePixel_PIX20) {
  HEDDLE_NEED_SHADERS();
  constexpr std::uint32_t kSize = 16;
  constexpr double kFour[4][2] = {{6, 2}, {14, 6}, {2, 10}, {10, 14}};  // MSP-1
  for (const std::string where : {"centroid", "sample"}) {
    Canvas c(kSize, kSize, {VK_FORMAT_R32G32B32A32_SFLOAT}, VK_FORMAT_UNDEFINED, VK_SAMPLE_COUNT_4_BIT,
             {VK_KHR_FRAGMENT_SHADER_BARYCENTRIC_EXTENSION_NAME});
    PipelineState s;
    s.samples.rasterizationSamples = VK_SAMPLE_COUNT_4_BIT;
    s.vertex =
        "#version 450\nvoid main() { gl_Position = vec4(gl_VertexIndex == 1 ? 1 : -1, gl_VertexIndex == 2 ? 1 : -1, "
        "0, 1); }\n";
    s.fragment_words = evaluated_at(
        compile_shader(kHead + "layout(location = 0) out vec4 o;\nvoid main() { o = vec4(gl_BaryCoordEXT, 1); }\n",
                       "frag"),
        where == "sample");
    const VkPipeline pipeline = c.pipeline(s);
    c.draw([&](VkCommandBuffer b) {
      vkCmdBindPipeline(b, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
      vkCmdDraw(b, 3, 1, 0, 0);
    });
    const std::vector<float> drawn = floats_of(c.read(c.resolved[0], 16));
    for (std::uint32_t y = 0; y < kSize; ++y)
      for (std::uint32_t x = 0; x < kSize; ++x) {
        // The mean of the samples that are covered; all have the value of the nearest one where it is a centroid.
        double u = 0, v = 0, nearest = 1e9;
        std::uint32_t covered = 0;
        for (const auto& [sx, sy] : kFour) {
          const double su = (x + sx / 16) / kSize, sv = (y + sy / 16) / kSize;
          if (su + sv > 1) continue;
          ++covered;
          const double distance = (sx - 8) * (sx - 8) + (sy - 8) * (sy - 8);
          if (where == "sample") {
            u += su;
            v += sv;
          } else if (distance < nearest) {
            nearest = distance;
            u = su;
            v = sv;
          }
        }
        const float* got = drawn.data() + 4 * (std::size_t{y} * kSize + x);
        ASSERT_EQ(got[3], static_cast<float>(covered) / 4) << where << ' ' << x << ' ' << y;
        if (covered == 0) continue;
        const double times = where == "sample" ? 1 : covered;
        ASSERT_NEAR(got[1] * 4, u * times, 1e-4) << where << ' ' << x << ' ' << y;
        ASSERT_NEAR(got[2] * 4, v * times, 1e-4) << where << ' ' << x << ' ' << y;
      }
  }
}

// interpolateAtCentroid, AtSample and AtOffset of the weights, in perspective and without. The vertices' weights on the
// screen are a, b and c; in perspective each is divided by the vertex's w, and all by their sum.
TEST(VulkanBarycentrics, FunctionsMoveThem_PIX20) {
  HEDDLE_NEED_SHADERS();
  constexpr std::uint32_t kSize = 8;
  struct Case {
    const char* call;
    double x, y;  ///< of the place in the pixel, where it is covered as a whole
  };
  // MSP-1: samples 0 and 2 of 4 lie at (6, 2) and (2, 10) sixteenths; the first one is the nearest to the middle.
  const Case cases[] = {{"interpolateAtCentroid(W)", 6 / 16.0, 2 / 16.0},
                        {"interpolateAtSample(W, 2)", 2 / 16.0, 10 / 16.0},
                        {"interpolateAtOffset(W, vec2(0.25, -0.375))", 0.75, 0.125}};
  for (const auto& [call, px, py] : cases)
    for (const bool perspective : {false, true}) {
      SCOPED_TRACE(std::string(call) + (perspective ? ", perspective" : ", linear"));
      Canvas c(kSize, kSize, {VK_FORMAT_R32G32B32A32_SFLOAT}, VK_FORMAT_UNDEFINED, VK_SAMPLE_COUNT_4_BIT,
               {VK_KHR_FRAGMENT_SHADER_BARYCENTRIC_EXTENSION_NAME});
      PipelineState s;
      s.samples.rasterizationSamples = VK_SAMPLE_COUNT_4_BIT;
      s.vertex =
          "#version 450\nvoid main() { float w = gl_VertexIndex + 1; gl_Position = vec4(gl_VertexIndex == 1 ? 3 : -1, "
          "gl_VertexIndex == 2 ? 3 : -1, 0, 1) * w; }\n";
      std::string expression = call;
      expression.replace(expression.find('W'), 1, perspective ? "gl_BaryCoordEXT" : "gl_BaryCoordNoPerspEXT");
      s.fragment = kHead + "layout(location = 0) out vec4 o;\nvoid main() { o = vec4(" + expression + ", 1); }\n";
      const VkPipeline pipeline = c.pipeline(s);
      c.draw([&](VkCommandBuffer b) {
        vkCmdBindPipeline(b, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
        vkCmdDraw(b, 3, 1, 0, 0);
      });
      const std::vector<float> drawn = floats_of(c.read(c.resolved[0], 16));
      for (std::uint32_t y = 0; y < kSize; ++y)
        for (std::uint32_t x = 0; x < kSize; ++x) {
          const double b = (x + px) / kSize / 2, d = (y + py) / kSize / 2;
          std::array<double, 3> want{1 - b - d, b, d};
          if (perspective) {
            const double sum = want[0] + want[1] / 2 + want[2] / 3;
            want = {want[0] / sum, want[1] / 2 / sum, want[2] / 3 / sum};
          }
          const float* got = drawn.data() + 4 * (std::size_t{y} * kSize + x);
          for (std::size_t k = 0; k < 3; ++k) ASSERT_NEAR(got[k], want[k], 2e-4) << k << " at " << x << ' ' << y;
        }
    }
}

}  // namespace
}  // namespace heddle::test
