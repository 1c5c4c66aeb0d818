// SPDX-License-Identifier: MIT
// Depths of samples (PIX-21), and samples without attachments.

#include "vulkan/canvas.hpp"

namespace heddle::test {
namespace {

void bind(VkCommandBuffer c, VkPipeline pipeline) { vkCmdBindPipeline(c, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline); }

/// Counts samples of draws.
class SampleCounter {
 public:
  explicit SampleCounter(const VulkanDevice& device) : device_(device) {
    VkQueryPoolCreateInfo info{VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO};
    info.queryType = VK_QUERY_TYPE_OCCLUSION;
    info.queryCount = 1;
    EXPECT_EQ(vkCreateQueryPool(device.device, &info, nullptr, &pool_), VK_SUCCESS);
  }
  SampleCounter(const SampleCounter&) = delete;
  SampleCounter& operator=(const SampleCounter&) = delete;
  ~SampleCounter() { vkDestroyQueryPool(device_.device, pool_, nullptr); }
  /// Before rendering begins.
  void reset(VkCommandBuffer commands) const { vkCmdResetQueryPool(commands, pool_, 0, 1); }
  template <typename Draw>
  void count(VkCommandBuffer commands, const Draw& draw) const {
    vkCmdBeginQuery(commands, pool_, 0, VK_QUERY_CONTROL_PRECISE_BIT);
    draw();
    vkCmdEndQuery(commands, pool_, 0);
  }
  [[nodiscard]] std::uint32_t result() const {
    std::uint32_t passed = 0;
    EXPECT_EQ(vkGetQueryPoolResults(device_.device, pool_, 0, 1, 4, &passed, 4, VK_QUERY_RESULT_WAIT_BIT), VK_SUCCESS);
    return passed;
  }

 private:
  const VulkanDevice& device_;
  VkQueryPool pool_ = VK_NULL_HANDLE;
};

/// 8 by 8 pixels as `n` by `n` squares of two triangles each, whose depth grows from 0 on the left to 1 on the right.
std::string slope_vertices(unsigned n) {
  const std::string side = std::to_string(n);
  return "#version 450\nvoid main() {\n  int square = gl_VertexIndex / 6, corner = gl_VertexIndex % 6;\n  vec2 at = "
         "(vec2(square % " +
         side + ", square / " + side + ") + vec2(0x32 >> corner & 1, 0x2c >> corner & 1)) / " + side +
         ".0;\n  gl_Position = vec4(at * 2 - 1, at.x, 1);\n}\n";
}

struct SlopeCase {
  const char* name;
  unsigned squares;  ///< in a row
  bool each_sample;
  const char* fragment;
  VkFormat depth;
  std::uint32_t before = 0;  ///< samples of a row that lie before the plane in their own places
};

constexpr const char* kLate =
    "#version 450\nlayout(location = 0) out vec4 o;\nvoid main() { o = vec4(1); if (gl_FragCoord.x > 99) discard; }\n";
constexpr const char* kEarly =
    "#version 450\nlayout(early_fragment_tests) in;\nlayout(location = 0) out vec4 o;\nvoid main() { o = vec4(1); }\n";
constexpr const char* kOwnDepth =
    "#version 450\nlayout(location = 0) out vec4 o;\n"
    "void main() { o = vec4(1); gl_FragDepth = gl_FragCoord.z; }\n";

/// A slope cuts the plane at depth 4.5 / 8 inside the fifth pixel of each row: two of its four samples lie before it. A
/// depth of the shader's own counts for all samples of the pixel, whose center lies on the plane.
TEST(VulkanSampleDepths, SamplesAreTestedWithTheirOwn_PIX21) {
  HEDDLE_NEED_SHADERS();
  const SlopeCase cases[] = {
      {"large triangles, late tests", 1, false, kLate, VK_FORMAT_D32_SFLOAT, 18},
      {"large triangles, early tests", 1, false, kEarly, VK_FORMAT_D32_SFLOAT, 18},
      {"small triangles", 32, false, kLate, VK_FORMAT_D32_SFLOAT, 18},
      {"small triangles, early tests", 32, false, kEarly, VK_FORMAT_D16_UNORM, 18},
      {"a fragment for each sample", 1, true, kLate, VK_FORMAT_D32_SFLOAT, 18},
      {"small triangles, a fragment for each sample", 32, true, kEarly, VK_FORMAT_D32_SFLOAT, 18},
      {"depth of the shader", 1, false, kOwnDepth, VK_FORMAT_D32_SFLOAT, 16}};
  for (const SlopeCase& one : cases) {
    SCOPED_TRACE(one.name);
    Canvas c(8, 8, {VK_FORMAT_R8G8B8A8_UNORM}, one.depth, VK_SAMPLE_COUNT_4_BIT);
    PipelineState s;
    s.depth.depthTestEnable = s.depth.depthWriteEnable = VK_TRUE;
    s.depth.depthCompareOp = VK_COMPARE_OP_LESS;
    s.vertex = covering_vertices("0.5625");
    s.fragment = one_color("vec4(0)");
    const VkPipeline plane = c.pipeline(s);
    s.vertex = slope_vertices(one.squares);
    s.fragment = one.fragment;
    s.samples.sampleShadingEnable = one.each_sample ? VK_TRUE : VK_FALSE;
    s.samples.minSampleShading = 1;
    const VkPipeline slope = c.pipeline(s);
    s.depth.depthCompareOp = VK_COMPARE_OP_EQUAL;
    const VkPipeline again = c.pipeline(s);
    const SampleCounter counter(c.v);
    for (const bool repeated : {false, true}) {
      EXPECT_EQ(c.v.run([&](VkCommandBuffer b) {
        counter.reset(b);
        c.begin(b, true);
        const auto draw = [&](VkPipeline pipeline, std::uint32_t vertices) {
          bind(b, pipeline);
          vkCmdDraw(b, vertices, 1, 0, 0);
        };
        const std::uint32_t vertices = 6 * one.squares * one.squares;
        draw(plane, 3);
        if (repeated) draw(slope, vertices);
        counter.count(b, [&] { draw(repeated ? again : slope, vertices); });
        c.end(b);
      }),
                VK_SUCCESS);
      if (!repeated) {
        const auto pixels = c.pixels();
        EXPECT_EQ(pixels[3], 0xffffffffu);
        EXPECT_EQ(pixels[4], one.before == 18 ? 0x80808080u : 0u);
        EXPECT_EQ(pixels[5], 0u);
      }
      // A pixel's own depth equals the plane's at its center too, which its own samples need not.
      EXPECT_EQ(counter.result(), 8 * (one.before + (repeated && one.before == 16 ? 4 : 0)));
    }
  }
}

/// Without attachments the pipeline says how many samples there are.
TEST(VulkanSampleDepths, ThereAreSamplesWithoutAttachments) {
  HEDDLE_NEED_SHADERS();
  for (const VkSampleCountFlagBits count : {VK_SAMPLE_COUNT_1_BIT, VK_SAMPLE_COUNT_4_BIT, VK_SAMPLE_COUNT_16_BIT}) {
    Canvas c(8, 8, {}, VK_FORMAT_UNDEFINED, count);
    PipelineState s;
    s.vertex = covering_vertices();
    s.fragment = "#version 450\nvoid main() {}\n";
    const VkPipeline pipeline = c.pipeline(s);
    const SampleCounter counter(c.v);
    EXPECT_EQ(c.v.run([&](VkCommandBuffer b) {
      counter.reset(b);
      c.begin(b, false);
      bind(b, pipeline);
      counter.count(b, [&] { vkCmdDraw(b, 3, 1, 0, 0); });
      c.end(b);
    }),
              VK_SUCCESS);
    EXPECT_EQ(counter.result(), 64u * count);
  }
}

}  // namespace
}  // namespace heddle::test
