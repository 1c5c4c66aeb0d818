// SPDX-License-Identifier: MIT
// Discard rectangles: what they leave of points, lines and triangles of any size, on both engines. Rule: RAS-11.

#include <gmock/gmock.h>

#include <cstdlib>
#include <functional>
#include <optional>

#include "vulkan/canvas.hpp"
#include "vulkan/checks.hpp"
#include "vulkan/dynamic_states.hpp"
#include "vulkan/object_kit.hpp"

namespace heddle::test {
namespace {

constexpr auto kInclusive = VK_DISCARD_RECTANGLE_MODE_INCLUSIVE_EXT;
constexpr auto kExclusive = VK_DISCARD_RECTANGLE_MODE_EXCLUSIVE_EXT;
constexpr std::uint32_t kSide = 150;  // tiles of 32 pixels, and bins of more than one

using Rectangles = std::vector<VkRect2D>;
/// Even and odd edges; one across tiles, two that overlap, one pixel, some of them beyond the canvas.
const Rectangles kSome{{{5, 3}, {70, 41}},    {{60, 40}, {33, 64}},      {{140, 20}, {100, 7}}, {{9, 100}, {1, 1}},
                       {{96, 96}, {32, 32}},  {{20, 140}, {9999, 9999}}, {{50, 60}, {0, 9}},    {{0, 64}, {3, 20}},
                       {{100, 60}, {20, 20}}, {{120, 75}, {9, 31}},      {{33, 110}, {13, 2}},  {{70, 5}, {1, 30}},
                       {{77, 0}, {2, 150}},   {{0, 149}, {150, 1}},      {{128, 128}, {1, 1}},  {{3, 90}, {64, 1}}};

bool is_kept(const Rectangles& rectangles, VkDiscardRectangleModeEXT mode, std::uint32_t x, std::uint32_t y) {
  const auto has = [&](const VkRect2D& r) {
    return x >= static_cast<std::uint32_t>(r.offset.x) && y >= static_cast<std::uint32_t>(r.offset.y) &&
           x - static_cast<std::uint32_t>(r.offset.x) < r.extent.width &&
           y - static_cast<std::uint32_t>(r.offset.y) < r.extent.height;
  };
  return std::ranges::any_of(rectangles, has) == (mode == kInclusive);
}

VkPipelineDiscardRectangleStateCreateInfoEXT state_of(const Rectangles& rectangles, VkDiscardRectangleModeEXT mode) {
  return {VK_STRUCTURE_TYPE_PIPELINE_DISCARD_RECTANGLE_STATE_CREATE_INFO_EXT,
          nullptr,
          0,
          mode,
          static_cast<std::uint32_t>(rectangles.size()),
          rectangles.data()};
}
/// What the state points to has to outlive it.
VkPipelineDiscardRectangleStateCreateInfoEXT state_of(Rectangles&& rectangles, VkDiscardRectangleModeEXT mode) = delete;

/// A test runs on the fast engine, and on the reference engine with the sanitizer on.
class VulkanDiscardRectangles : public ::testing::TestWithParam<bool> {
 protected:
  VulkanDiscardRectangles() {
    if (GetParam()) checks_.emplace();
  }

 private:
  std::optional<ChecksOn> checks_;
};
INSTANTIATE_TEST_SUITE_P(Engines, VulkanDiscardRectangles, ::testing::Bool(),
                         [](const auto& info) { return info.param ? "Reference" : "Fast"; });

struct DiscardCanvas : Canvas {
  explicit DiscardCanvas(VkSampleCountFlagBits samples = VK_SAMPLE_COUNT_1_BIT,
                         std::vector<const char*> more = {VK_EXT_DISCARD_RECTANGLES_EXTENSION_NAME})
      : Canvas(kSide, kSide, {VK_FORMAT_R8G8B8A8_UNORM}, VK_FORMAT_UNDEFINED, samples, std::move(more)) {}
  using Record = std::function<void(VkCommandBuffer)>;
  /// What a draw of the state leaves; `set`: commands before it.
  std::vector<std::uint32_t> drawn(const PipelineState& s, std::uint32_t vertices, const Record& set = {}) {
    const VkPipeline made = pipeline(s);
    draw([&](VkCommandBuffer c) {
      vkCmdBindPipeline(c, VK_PIPELINE_BIND_POINT_GRAPHICS, made);
      if (set) set(c);
      vkCmdDraw(c, vertices, 1, 0, 0);
    });
    EXPECT_THAT(v.messages, ::testing::IsEmpty());
    return pixels();
  }
};

/// `whole`: without rectangles.
void expect_kept(const std::vector<std::uint32_t>& pixels, const std::vector<std::uint32_t>& whole,
                 const Rectangles& rectangles, VkDiscardRectangleModeEXT mode) {
  for (std::uint32_t i = 0; i < kSide * kSide; ++i)
    ASSERT_EQ(pixels[i], is_kept(rectangles, mode, i % kSide, i / kSide) ? whole[i] : 0)
        << i % kSide << ' ' << i / kSide << (mode == kInclusive ? " inclusive" : " exclusive");
}

struct Shapes {
  std::string vertex;
  std::uint32_t vertices;
  VkPrimitiveTopology topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST;
};

/// One triangle, many of them of any size, some of a few pixels, points and lines.
std::vector<Shapes> shapes() {
  const std::string numbers =
      "#version 450\nfloat number(uint n) { n *= 2654435761u; n ^= n >> 15; n *= 2246822519u; n ^= n >> 13;\n"
      "  return float(n & 0xffffu) / 32768 - 1; }\n";
  const std::string point = "vec2(number(2 * n), number(2 * n + 1))";
  return {{covering_vertices(), 3},
          {numbers + "void main() { uint n = gl_VertexIndex; gl_Position = vec4(" + point + ", 0.5, 1); }\n", 60},
          {numbers + "void main() { uint n = gl_VertexIndex / 3; vec2 at = " + point +
               "; gl_Position = vec4(at + vec2(gl_VertexIndex % 3 == 1, gl_VertexIndex % 3 == 2) * 0.04, 0.5, 1); }\n",
           3000},
          {numbers + "void main() { uint n = gl_VertexIndex; gl_Position = vec4(" + point +
               ", 0.5, 1); gl_PointSize = 1 + n % 9; }\n",
           100, VK_PRIMITIVE_TOPOLOGY_POINT_LIST},
          {numbers + "void main() { uint n = gl_VertexIndex; gl_Position = vec4(" + point + ", 0.5, 1); }\n", 60,
           VK_PRIMITIVE_TOPOLOGY_LINE_LIST}};
}

TEST_P(VulkanDiscardRectangles, LeavePartsOfPrimitives_RAS11) {
  HEDDLE_NEED_SHADERS();
  {
    VulkanDevice v;
    VkPhysicalDeviceDiscardRectanglePropertiesEXT limits{
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DISCARD_RECTANGLE_PROPERTIES_EXT};
    VkPhysicalDeviceProperties2 properties{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, &limits};
    vkGetPhysicalDeviceProperties2(v.physical, &properties);
    EXPECT_EQ(limits.maxDiscardRectangles, kSome.size());
  }
  for (const VkSampleCountFlagBits samples : {VK_SAMPLE_COUNT_1_BIT, VK_SAMPLE_COUNT_4_BIT}) {
    DiscardCanvas c(samples);
    for (const Shapes& shape : shapes()) {
      if (GetParam() && shape.vertices == 3000) continue;  // long
      PipelineState s;
      s.vertex = shape.vertex;
      s.topology = shape.topology;
      s.fragment = one_color("vec4(1, 0.5, gl_FragCoord.x / 255, 1)");
      const std::vector<std::uint32_t> whole = c.drawn(s, shape.vertices);
      for (const VkDiscardRectangleModeEXT mode : {kInclusive, kExclusive})
        for (const std::size_t count : {1u, 4u, 16u}) {
          const Rectangles rectangles(kSome.begin(), kSome.begin() + static_cast<std::ptrdiff_t>(count));
          const auto state = state_of(rectangles, mode);
          s.chain = &state;
          expect_kept(c.drawn(s, shape.vertices), whole, rectangles, mode);
          if (HasFatalFailure()) return;
        }
    }
  }
}

// A structure without rectangles asks for nothing; its own mode and rectangles are a library's, too.
TEST_P(VulkanDiscardRectangles, BelongToPipelines_RAS11) {
  HEDDLE_NEED_SHADERS();
  DiscardCanvas c(VK_SAMPLE_COUNT_1_BIT,
                  {VK_EXT_DISCARD_RECTANGLES_EXTENSION_NAME, VK_KHR_PIPELINE_LIBRARY_EXTENSION_NAME,
                   VK_EXT_GRAPHICS_PIPELINE_LIBRARY_EXTENSION_NAME});
  PipelineState s;
  s.vertex = covering_vertices();
  s.fragment = one_color("vec4(1)");
  const std::vector<std::uint32_t> whole(kSide * kSide, 0xffffffff);
  const Rectangles nothing;
  const auto none = state_of(nothing, kInclusive), some = state_of(kSome, kExclusive);
  s.chain = &none;
  EXPECT_EQ(c.drawn(s, 3), whole);
  for (const bool libraries : {false, true}) {
    // The layer wants the colors' state of libraries that have none.
    if (libraries && std::getenv("HEDDLE_TEST_VALIDATION") != nullptr) break;
    s.libraries = libraries;
    s.chain = &some;
    expect_kept(c.drawn(s, 3), whole, kSome, kExclusive);
    s.chain = nullptr;
    EXPECT_EQ(c.drawn(s, 3), whole);
  }
}

// Commands set rectangles one by one; their number stays the pipeline's.
TEST_P(VulkanDiscardRectangles, AreSetByCommands_RAS11) {
  HEDDLE_NEED_SHADERS();
  DiscardCanvas c;
  const auto set = c.v.proc<PFN_vkCmdSetDiscardRectangleEXT>("vkCmdSetDiscardRectangleEXT");
  ASSERT_NE(set, nullptr);
  PipelineState s;
  s.vertex = covering_vertices();
  s.fragment = one_color("vec4(1)");
  const Rectangles first_two(kSome.begin(), kSome.begin() + 2);
  auto two = state_of(first_two, kInclusive);
  two.pDiscardRectangles = nullptr;
  s.chain = &two;
  s.dynamic = {VK_DYNAMIC_STATE_DISCARD_RECTANGLE_EXT};
  const auto pixels = c.drawn(s, 3, [&](VkCommandBuffer b) {
    set(b, 1, 3, &kSome[3]);  // the third and fourth do not count here
    set(b, 0, 1, &kSome[0]);
  });
  expect_kept(pixels, std::vector<std::uint32_t>(kSide * kSide, 0xffffffff), {kSome[0], kSome[3]}, kInclusive);
}

// Version 2: whether there is a test, and its mode.
TEST_P(VulkanDiscardRectangles, TestAndModeAreDynamic_RAS11) {
  HEDDLE_NEED_SHADERS();
  HEDDLE_NEED_NEWER();
  DiscardCanvas c;
  const auto set = c.v.proc<PFN_vkCmdSetDiscardRectangleEXT>("vkCmdSetDiscardRectangleEXT");
  const auto enable = c.v.proc<PFN_vkCmdSetDiscardRectangleEnableEXT>("vkCmdSetDiscardRectangleEnableEXT");
  const auto choose = c.v.proc<PFN_vkCmdSetDiscardRectangleModeEXT>("vkCmdSetDiscardRectangleModeEXT");
  ASSERT_TRUE(enable != nullptr && choose != nullptr);
  const std::vector<std::uint32_t> whole(kSide * kSide, 0xffffffff);
  PipelineState s;
  s.vertex = covering_vertices();
  s.fragment = one_color("vec4(1)");
  const auto some = state_of(kSome, kInclusive);
  s.chain = &some;
  s.dynamic = {VK_DYNAMIC_STATE_DISCARD_RECTANGLE_ENABLE_EXT, VK_DYNAMIC_STATE_DISCARD_RECTANGLE_MODE_EXT};
  EXPECT_EQ(c.drawn(s, 3, [&](VkCommandBuffer b) { enable(b, VK_FALSE), choose(b, kExclusive); }), whole);
  for (const VkDiscardRectangleModeEXT mode : {kExclusive, kInclusive})
    expect_kept(c.drawn(s, 3, [&](VkCommandBuffer b) { enable(b, VK_TRUE), choose(b, mode); }), whole, kSome, mode);
  // Without the structure there are those that commands have set.
  s.chain = nullptr;
  s.dynamic.push_back(VK_DYNAMIC_STATE_DISCARD_RECTANGLE_EXT);
  for (const VkDiscardRectangleModeEXT mode : {kExclusive, kInclusive})
    expect_kept(c.drawn(s, 3,
                        [&](VkCommandBuffer b) {
                          enable(b, VK_TRUE), choose(b, mode);
                          set(b, 0, 2, kSome.data());
                        }),
                whole, {kSome[0], kSome[1]}, mode);
}

// Shader objects have all of them, whatever the pipeline before them had.
TEST_P(VulkanDiscardRectangles, OfShaderObjectsAreAll_RAS11) {
  HEDDLE_NEED_SHADERS();
  HEDDLE_NEED_NEWER();
  std::vector<const char*> names = dynamic_state_extensions();
  names.insert(names.end(), {"VK_EXT_shader_object", VK_EXT_DISCARD_RECTANGLES_EXTENSION_NAME});
  DiscardCanvas c(VK_SAMPLE_COUNT_1_BIT, names);
  ShaderObjects objects(c.v);
  PipelineState s;
  s.vertex = covering_vertices();
  s.fragment = one_color("vec4(1)");
  const Rectangles first(kSome.begin(), kSome.begin() + 1);
  const auto one = state_of(first, kInclusive);
  PipelineState before = s;
  before.chain = &one;
  const VkPipeline pipeline = c.pipeline(before);
  c.draw([&](VkCommandBuffer b) {
    vkCmdBindPipeline(b, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
    objects.bind_all(b, s);
    set_states(c, b, s);
    c.v.proc<PFN_vkCmdSetDiscardRectangleEnableEXT>("vkCmdSetDiscardRectangleEnableEXT")(b, VK_TRUE);
    c.v.proc<PFN_vkCmdSetDiscardRectangleModeEXT>("vkCmdSetDiscardRectangleModeEXT")(b, kExclusive);
    c.v.proc<PFN_vkCmdSetDiscardRectangleEXT>("vkCmdSetDiscardRectangleEXT")(
        b, 0, static_cast<std::uint32_t>(kSome.size()), kSome.data());
    vkCmdDraw(b, 3, 1, 0, 0);
  });
  expect_kept(c.pixels(), std::vector<std::uint32_t>(kSide * kSide, 0xffffffff), kSome, kExclusive);
}

// Clears are no fragments; what is left out is not counted, and passes no test.
TEST_P(VulkanDiscardRectangles, LeaveClearsAlone_RAS11) {
  HEDDLE_NEED_SHADERS();
  DiscardCanvas c;
  PipelineState s;
  s.vertex = covering_vertices();
  s.fragment = one_color("vec4(1)");
  const Rectangles one{{{10, 20}, {30, 5}}};
  const auto state = state_of(one, kInclusive);
  s.chain = &state;
  const VkPipeline pipeline = c.pipeline(s);
  const VkQueryPoolCreateInfo info{VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO, nullptr, 0, VK_QUERY_TYPE_OCCLUSION, 1};
  VkQueryPool pool = VK_NULL_HANDLE;
  ASSERT_EQ(vkCreateQueryPool(c.v.device, &info, nullptr, &pool), VK_SUCCESS);
  c.v.later([d = c.v.device, pool] { vkDestroyQueryPool(d, pool, nullptr); });
  c.v.run([&](VkCommandBuffer b) { vkCmdResetQueryPool(b, pool, 0, 1); });
  c.draw([&](VkCommandBuffer b) {
    vkCmdBindPipeline(b, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
    VkClearAttachment clear{VK_IMAGE_ASPECT_COLOR_BIT, 0, {}};
    clear.clearValue.color.float32[0] = 1;
    const VkClearRect everywhere{{{0, 0}, {kSide, kSide}}, 0, 1};
    vkCmdClearAttachments(b, 1, &clear, 1, &everywhere);
    vkCmdBeginQuery(b, pool, 0, VK_QUERY_CONTROL_PRECISE_BIT);
    vkCmdDraw(b, 3, 1, 0, 0);
    vkCmdEndQuery(b, pool, 0);
  });
  const std::vector<std::uint32_t> pixels = c.pixels();
  for (std::uint32_t i = 0; i < kSide * kSide; ++i)
    ASSERT_EQ(pixels[i], is_kept(one, kInclusive, i % kSide, i / kSide) ? 0xffffffffu : 0xffu) << i;
  std::uint64_t counted = 0;
  ASSERT_EQ(vkGetQueryPoolResults(c.v.device, pool, 0, 1, 8, &counted, 8, VK_QUERY_RESULT_64_BIT), VK_SUCCESS);
  EXPECT_EQ(counted, 150u);
}

// A fragment of 4 x 4 pixels is written where its pixels stay.
TEST_P(VulkanDiscardRectangles, CutCoarseFragments_RAS11) {
  HEDDLE_NEED_SHADERS();
  DiscardCanvas c(VK_SAMPLE_COUNT_1_BIT,
                  {VK_EXT_DISCARD_RECTANGLES_EXTENSION_NAME, VK_KHR_FRAGMENT_SHADING_RATE_EXTENSION_NAME});
  PipelineState s;
  s.vertex = covering_vertices();
  s.fragment = one_color("vec4(gl_FragCoord.xy / 255, 0, 1)");
  VkPipelineFragmentShadingRateStateCreateInfoKHR rate{
      VK_STRUCTURE_TYPE_PIPELINE_FRAGMENT_SHADING_RATE_STATE_CREATE_INFO_KHR, nullptr, {4, 4}, {}};
  s.chain = &rate;
  const std::vector<std::uint32_t> whole = c.drawn(s, 3);
  auto some = state_of(kSome, kExclusive);
  rate.pNext = &some;
  expect_kept(c.drawn(s, 3), whole, kSome, kExclusive);
  EXPECT_EQ(whole[0], 0xff000202u);  // the middle of the fragment
}

}  // namespace
}  // namespace heddle::test
