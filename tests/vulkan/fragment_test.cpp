// What fragments get: their place, their depth and w, and what is interpolated.

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

}  // namespace
}  // namespace heddle::test
