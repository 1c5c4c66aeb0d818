// SPDX-License-Identifier: MIT
// VK_KHR_fragment_shading_rate: which pixels a fragment has, where it is shaded, and what it leaves.
// Rules: FSR-1 to FSR-6.

#include <cstdlib>
#include <map>

#include "vulkan/rate_kit.hpp"

namespace heddle::test {
namespace {

TEST(VulkanShadingRate, ListsItsSizes_FSR2) {
  const VkInstance instance = make_instance();
  const auto list = reinterpret_cast<PFN_vkGetPhysicalDeviceFragmentShadingRatesKHR>(
      vkGetInstanceProcAddr(instance, "vkGetPhysicalDeviceFragmentShadingRatesKHR"));
  ASSERT_NE(list, nullptr);
  VkPhysicalDeviceFragmentShadingRatePropertiesKHR limits{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FRAGMENT_SHADING_RATE_PROPERTIES_KHR};
  VkPhysicalDeviceProperties2 all{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, &limits};
  vkGetPhysicalDeviceProperties2(physical_device(instance), &all);
  std::uint32_t count = 0;
  ASSERT_EQ(list(physical_device(instance), &count, nullptr), VK_SUCCESS);
  std::vector<VkPhysicalDeviceFragmentShadingRateKHR> rates(
      count, {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FRAGMENT_SHADING_RATE_KHR});
  ASSERT_EQ(list(physical_device(instance), &count, rates.data()), VK_SUCCESS);
  std::map<std::pair<std::uint32_t, std::uint32_t>, VkSampleCountFlags> known;
  for (std::size_t i = 0; i < rates.size(); ++i) {
    const VkExtent2D& size = rates[i].fragmentSize;
    if (i != 0) {
      const VkExtent2D& before = rates[i - 1].fragmentSize;
      EXPECT_TRUE(size.width < before.width || (size.width == before.width && size.height < before.height)) << i;
    }
    EXPECT_LE(size.width, limits.maxFragmentSize.width);
    EXPECT_LE(std::max(size.width, size.height) / std::min(size.width, size.height), limits.maxFragmentSizeAspectRatio);
    known[{size.width, size.height}] = rates[i].sampleCounts;
    if (size.width * size.height == 1) continue;
    const VkSampleCountFlags greatest = std::bit_floor(rates[i].sampleCounts);
    EXPECT_LE(greatest, static_cast<std::uint32_t>(limits.maxFragmentShadingRateRasterizationSamples)) << i;
    EXPECT_LE(greatest * size.width * size.height, limits.maxFragmentShadingRateCoverageSamples) << i;
  }
  EXPECT_EQ((known[{2, 2}] & 7u), 7u) << "1, 2 and 4 samples";
  EXPECT_EQ((known[{2, 1}] & 7u), 7u);
  EXPECT_EQ((known[{1, 1}]), ~0u);
  EXPECT_EQ(known.size(), 9u);
  count = 2;
  EXPECT_EQ(list(physical_device(instance), &count, rates.data()), VK_INCOMPLETE);
  EXPECT_EQ(count, 2u);
  VkFormatProperties format;
  vkGetPhysicalDeviceFormatProperties(physical_device(instance), VK_FORMAT_R8_UINT, &format);
  EXPECT_NE(format.optimalTilingFeatures & VK_FORMAT_FEATURE_FRAGMENT_SHADING_RATE_ATTACHMENT_BIT_KHR, 0u);
  vkDestroyInstance(instance, nullptr);
}

// All pixels of a fragment have what it gives at its middle; a quad's fragments lie side by side. On both engines, from
// the pipeline, a command and a library; with sizes that so many samples do not have.
TEST(VulkanShadingRate, OfADraw_FSR4) {
  HEDDLE_NEED_SHADERS();
  for (const bool reference : {false, true}) {
    if (reference) setenv("HEDDLE_CHECK", "warn", 1);
    for (const std::uint32_t samples : {1u, 2u, 4u, 8u, 16u}) {
      RateCanvas c(samples);
      for (const std::uint32_t width : {1u, 2u, 4u})
        for (const std::uint32_t height : {1u, 2u, 4u}) {
          if (reference && samples > 2) continue;  // the same ways
          const Size size = clamped({width, height}, samples);
          SCOPED_TRACE(std::to_string(width) + " x " + std::to_string(height) + ", " + std::to_string(samples) +
                       (reference ? " samples, reference" : " samples"));
          PipelineState s;
          s.fragment = kPlace;
          c.run(s, {width, height}, kKeep, kKeep, width == height);
          const auto drawn = c.drawn<float>();
          for (std::uint32_t y = 0; y < kHeight; ++y)
            for (std::uint32_t x = 0; x < kWidth; ++x)
              ASSERT_EQ(drawn[y * kWidth + x], place(x, y, size)) << x << ' ' << y;
          EXPECT_EQ(c.counts.word(0), kWidth * kHeight / size.width / size.height);
        }
    }
    unsetenv("HEDDLE_CHECK");
  }
}

/// A triangle that slopes in every way, whose depth is the greater the farther right.
const std::string kSlopes =
    "#version 450\nvoid main() { int v = gl_VertexIndex;\n"
    "  gl_Position = vec4[](vec4(-0.9, -0.93, 0.1, 1), vec4(0.87, -0.3, 0.9, 1), vec4(-0.2, 0.8, 0.5, 1))[v]; }\n";

// What is covered, and how deep, does not depend on the rate; tests are made sample by sample, early or late.
TEST(VulkanShadingRate, CoverageAndDepthAreThoseOfPixels_FSR5) {
  HEDDLE_NEED_SHADERS();
  for (const std::uint32_t samples : {1u, 4u})
    for (const bool early : {false, true}) {
      RateCanvas c(samples);
      PipelineState s;
      s.vertex = kSlopes;
      s.fragment = kRateHead + (early ? "layout(early_fragment_tests) in;\n" : "") +
                   "void main() { o = vec4(1, gl_FragCoord.x, 0, 1); }\n";
      s.depth.depthTestEnable = s.depth.depthWriteEnable = VK_TRUE;
      s.depth.depthCompareOp = VK_COMPARE_OP_LESS;
      c.run(s, {1, 1});
      const auto plain = c.drawn<float>();
      const auto resolved_depth = [&] { return samples == 1 ? c.read(c.depth) : std::vector<std::uint8_t>(); };
      const std::vector<std::uint8_t> depth = resolved_depth();
      std::size_t covered = 0;
      for (const auto& pixel : plain) covered += pixel[0] != 0 ? 1 : 0;
      EXPECT_GT(covered, 200u);
      for (const Size& size : {Size{2, 2}, Size{4, 1}, Size{1, 2}, Size{4, 4}}) {
        SCOPED_TRACE(std::to_string(size.width) + " x " + std::to_string(size.height) + (early ? ", early" : ", late"));
        c.run(s, size);
        const auto coarse = c.drawn<float>();
        for (std::size_t i = 0; i < plain.size(); ++i) ASSERT_EQ(coarse[i][0], plain[i][0]) << i;
        EXPECT_EQ(resolved_depth(), depth);
      }
    }
}

// Samples that pass are counted one by one, and a second draw behind the first shows where the first one is not.
TEST(VulkanShadingRate, SamplesThatPassAreCounted_FSR5) {
  HEDDLE_NEED_SHADERS();
  RateCanvas c(4);
  VkQueryPoolCreateInfo pools{VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO};
  pools.queryType = VK_QUERY_TYPE_OCCLUSION;
  pools.queryCount = 1;
  VkQueryPool pool = VK_NULL_HANDLE;
  ASSERT_EQ(vkCreateQueryPool(c.v.device, &pools, nullptr, &pool), VK_SUCCESS);
  const auto passed = [&](const Size& size) {
    VkPipelineFragmentShadingRateStateCreateInfoKHR rate{
        VK_STRUCTURE_TYPE_PIPELINE_FRAGMENT_SHADING_RATE_STATE_CREATE_INFO_KHR};
    rate.fragmentSize = {size.width, size.height};
    PipelineState s;
    s.chain = &rate;
    s.vertex = kSlopes;
    s.fragment = one_color("vec4(1)");
    s.samples.rasterizationSamples = VK_SAMPLE_COUNT_4_BIT;
    s.depth.depthTestEnable = s.depth.depthWriteEnable = VK_TRUE;
    s.depth.depthCompareOp = VK_COMPARE_OP_LESS;
    const VkPipeline pipeline = c.pipeline(s);
    EXPECT_EQ(c.v.run([&](VkCommandBuffer b) {
      vkCmdResetQueryPool(b, pool, 0, 1);
      c.begin(b, true);
      vkCmdBindPipeline(b, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
      vkCmdBeginQuery(b, pool, 0, VK_QUERY_CONTROL_PRECISE_BIT);
      vkCmdDraw(b, 3, 1, 0, 0);
      vkCmdDraw(b, 3, 1, 0, 0);  // nothing of it passes
      vkCmdEndQuery(b, pool, 0);
      c.end(b);
    }),
              VK_SUCCESS);
    std::uint64_t samples = 0;
    EXPECT_EQ(vkGetQueryPoolResults(c.v.device, pool, 0, 1, 8, &samples, 8, VK_QUERY_RESULT_64_BIT), VK_SUCCESS);
    return samples;
  };
  const std::uint64_t plain = passed({1, 1});
  EXPECT_GT(plain, 1000u);
  EXPECT_EQ(passed({2, 2}), plain);
  EXPECT_EQ(passed({4, 1}), plain);
  vkDestroyQueryPool(c.v.device, pool, nullptr);
}

// The coverage that a shader reads and writes: pixel p of a fragment of n, from its upper left one on, has sample i at
// bit i + r * (n - 1 - p).
TEST(VulkanShadingRate, CoverageIsThatOfAllPixels_FSR4) {
  HEDDLE_NEED_SHADERS();
  for (const std::uint32_t samples : {1u, 4u})
    for (const Size& wanted : {Size{2, 2}, Size{1, 2}, Size{2, 1}, Size{4, 2}, Size{4, 4}}) {
      const Size size = clamped(wanted, samples);
      const std::uint32_t pixels = size.width * size.height;
      RateCanvas c(samples);
      PipelineState s;
      s.vertex = covering_vertices();
      s.scissor = VkRect2D{{1, 1}, {9, 9}};
      // Of each pixel it leaves sample 0, of the fragment's first pixel none.
      std::uint32_t kept = 0, first = 0;
      for (std::uint32_t p = 1; p < pixels; ++p) kept |= 1u << samples * (pixels - 1 - p);
      for (std::uint32_t i = 0; i < samples; ++i) first |= 1u << (i + samples * (pixels - 1));
      s.fragment = kRateHead +
                   "void main() { int m = gl_SampleMaskIn[0];\n  gl_SampleMask[0] = " + std::to_string(kept) +
                   ";\n  o = vec4(m, 1, (m & " + std::to_string(first) + ") != 0 ? 1 : 0, 1); }\n";
      c.run(s, wanted);
      const auto drawn = c.drawn<float>();
      for (std::uint32_t y = 0; y < 12; ++y)
        for (std::uint32_t x = 0; x < 12; ++x) {
          SCOPED_TRACE(std::to_string(size.width) + " x " + std::to_string(size.height) + ", " +
                       std::to_string(samples) + " samples: " + std::to_string(x) + " " + std::to_string(y));
          const std::uint32_t x0 = x / size.width * size.width, y0 = y / size.height * size.height;
          const auto inside = [](std::uint32_t px, std::uint32_t py) {
            return px >= 1 && px < 10 && py >= 1 && py < 10;
          };
          const std::uint32_t p = (x - x0) + (y - y0) * size.width;
          const auto& got = drawn[y * kWidth + x];
          const float part = 1.0f / static_cast<float>(samples);
          ASSERT_EQ(got[1], inside(x, y) && p != 0 ? part : 0);
          if (got[1] == 0) continue;
          std::uint32_t mask = 0;
          for (std::uint32_t k = 0; k < pixels; ++k)
            for (std::uint32_t i = 0; i < samples && inside(x0 + k % size.width, y0 + k / size.width); ++i)
              mask |= 1u << (i + samples * (pixels - 1 - k));
          ASSERT_EQ(got[0], static_cast<float>(mask) * part);
        }
    }
}

// The rate of a primitive is that of its provoking vertex.
TEST(VulkanShadingRate, OfPrimitives_FSR3) {
  HEDDLE_NEED_SHADERS();
  for (const bool last : {false, true}) {
    RateCanvas c;
    const VkPipelineRasterizationProvokingVertexStateCreateInfoEXT provoking{
        VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_PROVOKING_VERTEX_STATE_CREATE_INFO_EXT, nullptr,
        last ? VK_PROVOKING_VERTEX_MODE_LAST_VERTEX_EXT : VK_PROVOKING_VERTEX_MODE_FIRST_VERTEX_EXT};
    PipelineState s;
    s.raster.pNext = &provoking;
    // Two triangles that meet in the middle of the canvas.
    s.vertex =
        "#version 450\n#extension GL_EXT_fragment_shading_rate : require\nvoid main() {\n"
        "  int v = gl_VertexIndex;\n  float x[6] = float[](-3, 0, 0, 3, 0, 0);\n"
        "  float y[6] = float[](0, -9, 9, 0, 9, -9);\n  gl_Position = vec4(x[v] * (v % 3 == 0 ? 9 : 1), y[v] * 9, 0, "
        "1);\n"
        "  gl_PrimitiveShadingRateEXT = int[](5, 10, 2, 8, 0, 4)[v];\n}\n";
    s.fragment = kPlace;
    c.run(s, {2, 1}, VK_FRAGMENT_SHADING_RATE_COMBINER_OP_REPLACE_KHR, kKeep, false, 6);
    const auto drawn = c.drawn<float>();
    for (std::uint32_t y = 0; y < kHeight; ++y)
      for (std::uint32_t x = 0; x < kWidth; ++x) {
        const bool left = x < kWidth / 2;
        const Size size = size_of(last ? (left ? 2 : 4) : (left ? 5 : 8));
        // A fragment across the middle is shaded for both, each for its own pixels.
        ASSERT_EQ(drawn[y * kWidth + x], place(x, y, size)) << x << ' ' << y << (last ? ", last" : ", first");
      }
  }
}

// One invocation for each sample: fragments stay pixels.
TEST(VulkanShadingRate, SamplesAreShadedInPixels_FSR3) {
  HEDDLE_NEED_SHADERS();
  RateCanvas c(4);
  PipelineState s;
  s.fragment =
      kRateHead + "void main() { atomicAdd(invocations, 1u); o = vec4(gl_SampleID, gl_ShadingRateEXT, 0, 1); }\n";
  c.run(s, {2, 2});
  EXPECT_EQ(c.counts.word(0), kWidth * kHeight * 4);
  for (const auto& pixel : c.drawn<float>()) ASSERT_EQ(pixel, (std::array<float, 4>{1.5f, 0, 0, 1}));
}

// Sample shading that is enabled makes fragments pixels, whatever the number of samples and of invocations.
TEST(VulkanShadingRate, SampleShadingNeedsNoSamples_FSR3) {
  HEDDLE_NEED_SHADERS();
  struct Case {
    unsigned samples;
    const char* id;  ///< what the shader reads
    VkBool32 enabled;
    float least;
    unsigned rate;
  };
  constexpr Case kCases[] = {{1, "0", VK_FALSE, 0, 5},
                             {1, "0", VK_TRUE, 1, 0},
                             {1, "gl_SampleID", VK_FALSE, 0, 0},
                             {4, "0", VK_TRUE, 0.25f, 0},
                             {4, "0", VK_FALSE, 0.25f, 5}};
  for (const Case& one : kCases) {
    SCOPED_TRACE(std::to_string(one.samples) + one.id + std::to_string(one.enabled));
    RateCanvas c(one.samples);
    PipelineState s;
    s.samples.sampleShadingEnable = one.enabled;
    s.samples.minSampleShading = one.least;
    s.fragment =
        kRateHead + "void main() { atomicAdd(invocations, 1u); o = vec4(" + one.id + ", gl_ShadingRateEXT, 0, 1); }\n";
    c.run(s, {2, 2});
    EXPECT_EQ(c.counts.word(0), kWidth * kHeight / (one.rate == 0 ? 1 : 4));
    for (const auto& pixel : c.drawn<float>())
      ASSERT_EQ(pixel, (std::array<float, 4>{0, static_cast<float>(one.rate), 0, 1}));
  }
}

// Inputs are those of the fragment's middle, those of centroids lie where it is covered.
TEST(VulkanShadingRate, InputsAreThoseOfTheMiddle_FSR6) {
  HEDDLE_NEED_SHADERS();
  RateCanvas c;
  PipelineState s;
  s.vertex =
      "#version 450\nlayout(location = 0) out vec2 a;\nlayout(location = 1) centroid out vec2 b;\nvoid main() {\n"
      "  vec2 p = vec2(gl_VertexIndex & 1, gl_VertexIndex >> 1) * 4 - 1;\n"
      "  gl_Position = vec4(p, 0, 1);\n  a = b = (p * 0.5 + 0.5) * vec2(44, 28);\n}\n";
  s.fragment =
      kRateHead +
      "layout(location = 0) in vec2 a;\nlayout(location = 1) centroid in vec2 b;\nvoid main() { o = vec4(a, b); }\n";
  s.scissor = VkRect2D{{0, 0}, {41, 25}};  // of the last fragments one column or row is covered
  const Size size{4, 2};
  c.run(s, size);
  const auto drawn = c.drawn<float>();
  for (std::uint32_t y = 0; y < 25; ++y)
    for (std::uint32_t x = 0; x < 41; ++x) {
      const std::array<float, 4> at = place(x, y, size);
      const auto& got = drawn[y * kWidth + x];
      ASSERT_NEAR(got[0], at[0], 1e-3) << x << ' ' << y;
      ASSERT_NEAR(got[1], at[1], 1e-3) << x << ' ' << y;
      // Nearest to the middle of 4 x 2 pixels: the center of the pixel left of and above it, where it is covered.
      ASSERT_NEAR(got[2], x == 40 ? 40.5f : at[0] - 0.5f, 1e-3) << x << ' ' << y;
      ASSERT_NEAR(got[3], at[1] - 0.5f, 1e-3) << x << ' ' << y;
    }
}

// Many primitives on every core, some of them tiny: the same as one after the other on the reference engine.
TEST(VulkanShadingRate, ManyPrimitivesOnBothEngines_FSR4) {
  HEDDLE_NEED_SHADERS();
  std::vector<std::array<float, 4>> results[2];
  for (const bool reference : {false, true}) {
    if (reference) setenv("HEDDLE_CHECK", "warn", 1);
    RateCanvas c;
    PipelineState s;
    s.vertex =
        "#version 450\n#extension GL_EXT_fragment_shading_rate : require\nlayout(location = 0) flat out uint n;\nvoid "
        "main() {\n"
        "  uint t = uint(gl_VertexIndex) / 3, k = uint(gl_VertexIndex) % 3, h = t * 2654435761u;\n"
        "  vec2 at = vec2(h & 1023u, h >> 10 & 1023u) / 512 - 1;\n  float r = float(h >> 20 & 15u) / 24 + 0.02;\n"
        "  gl_Position = vec4(at + r * vec2(cos(2.1 * k + t), sin(2.1 * k + t)), 0.5, 1);\n"
        "  gl_PrimitiveShadingRateEXT = int[](0, 1, 2, 4, 5, 6, 8, 9, 10)[t % 9];\n  n = t;\n}\n";
    s.fragment =
        kRateHead +
        "layout(location = 0) flat in uint n;\nvoid main() { o = vec4(gl_FragCoord.xy, n, gl_ShadingRateEXT); }\n";
    c.run(s, {1, 1}, VK_FRAGMENT_SHADING_RATE_COMBINER_OP_REPLACE_KHR, kKeep, false, 3 * 400);
    results[reference ? 1 : 0] = c.drawn<float>();
    unsetenv("HEDDLE_CHECK");
  }
  EXPECT_EQ(results[0], results[1]);
  std::size_t drawn = 0;
  for (std::uint32_t i = 0; i < results[0].size(); ++i) {
    const auto& pixel = results[0][i];
    if (pixel[2] == 0) continue;
    ++drawn;
    const Size size = size_of(static_cast<std::uint32_t>(pixel[3]));
    const std::array<float, 4> at = place(i % kWidth, i / kWidth, size);
    ASSERT_EQ(pixel[0], at[0]) << i;
    ASSERT_EQ(pixel[1], at[1]) << i;
  }
  EXPECT_GT(drawn, kWidth * kHeight / 2);
}

}  // namespace
}  // namespace heddle::test
