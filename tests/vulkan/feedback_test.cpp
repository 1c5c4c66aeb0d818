// SPDX-License-Identifier: MIT
// Transform feedback through the driver: buffers, counters, streams, queries. Rules: PRM-11, SPV-43.

#include <gmock/gmock.h>

#include <optional>

#include "vulkan/checks.hpp"
#include "vulkan/feedback_kit.hpp"

namespace heddle::test {
namespace {

using ::testing::ElementsAre;
using Words = std::vector<std::uint32_t>;

/// Captures the number of each vertex.
PipelineState numbers(VkPrimitiveTopology topology) {
  PipelineState s;
  s.vertex =
      "#version 450\nlayout(location = 0, xfb_buffer = 0, xfb_offset = 0, xfb_stride = 4) flat out int v;\n"
      "void main() { v = gl_VertexIndex; gl_Position = vec4(0, 0, 0, 1); gl_PointSize = 1; }\n";
  s.topology = topology;
  s.raster.rasterizerDiscardEnable = VK_TRUE;
  return s;
}

TEST(VulkanFeedback, PrimitivesComeApart_PRM11) {
  HEDDLE_NEED_SHADERS();
  Feedback f;
  EXPECT_THAT(f.draw(numbers(VK_PRIMITIVE_TOPOLOGY_POINT_LIST), 3), ElementsAre(0, 1, 2));
  EXPECT_THAT(f.draw(numbers(VK_PRIMITIVE_TOPOLOGY_LINE_STRIP), 3), ElementsAre(0, 1, 1, 2));
  EXPECT_THAT(f.draw(numbers(VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST), 5), ElementsAre(0, 1, 2));
  EXPECT_THAT(f.draw(numbers(VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP), 5), ElementsAre(0, 1, 2, 1, 3, 2, 2, 3, 4));
  EXPECT_THAT(f.draw(numbers(VK_PRIMITIVE_TOPOLOGY_TRIANGLE_FAN), 4), ElementsAre(1, 2, 0, 2, 3, 0));
  EXPECT_THAT(f.draw(numbers(VK_PRIMITIVE_TOPOLOGY_LINE_LIST_WITH_ADJACENCY), 4), ElementsAre(1, 2));
  EXPECT_THAT(f.draw(numbers(VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP_WITH_ADJACENCY), 8), ElementsAre(0, 2, 4, 2, 6, 4));
}

TEST(VulkanFeedback, TheProvokingVertexStaysWhereItIs_PRM11) {
  HEDDLE_NEED_SHADERS();
  Feedback f({VK_EXT_PROVOKING_VERTEX_EXTENSION_NAME});
  const VkPipelineRasterizationProvokingVertexStateCreateInfoEXT last{
      VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_PROVOKING_VERTEX_STATE_CREATE_INFO_EXT, nullptr,
      VK_PROVOKING_VERTEX_MODE_LAST_VERTEX_EXT};
  PipelineState s = numbers(VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP);
  s.raster.pNext = &last;
  EXPECT_THAT(f.draw(s, 5), ElementsAre(0, 1, 2, 2, 1, 3, 2, 3, 4));
  s.topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_FAN;
  EXPECT_THAT(f.draw(s, 4), ElementsAre(0, 1, 2, 0, 2, 3));
}

// Outputs of any kind at their offsets: of blocks, arrays, built-ins, 64 bits; to several buffers, with gaps.
TEST(VulkanFeedback, OutputsGoToTheirPlaces_SPV43) {
  HEDDLE_NEED_SHADERS();
  for (const bool reference : {false, true}) {
    std::optional<ChecksOn> checks;
    if (reference) checks.emplace();
    Feedback f;
    PipelineState s;
    s.topology = VK_PRIMITIVE_TOPOLOGY_POINT_LIST;
    s.raster.rasterizerDiscardEnable = VK_TRUE;
    s.vertex =
        "#version 450\n"
        "layout(xfb_buffer = 1, xfb_offset = 4, xfb_stride = 20) out gl_PerVertex { vec4 gl_Position; };\n"
        "layout(location = 0, xfb_buffer = 0, xfb_offset = 0, xfb_stride = 16) flat out double d;\n"
        "layout(location = 1, xfb_buffer = 0, xfb_offset = 8) flat out int a[2];\n"
        "layout(location = 3, xfb_buffer = 3, xfb_stride = 12) out Block { layout(xfb_offset = 4) flat uvec2 u; } b;\n"
        "layout(location = 4) flat out int not_captured;\n"
        "void main() { gl_Position = vec4(1, 2, 3, gl_VertexIndex); d = 1.5; a[0] = 7; a[1] = gl_VertexIndex;\n"
        "  b.u = uvec2(40, 50); not_captured = 9; }\n";
    for (const VulkanDevice::Buffer& buffer : f.buffers)
      for (std::size_t k = 0; k < 16; ++k) buffer.set(k, 0xee);
    f.run(f.canvas.pipeline(s), [](VkCommandBuffer c) { vkCmdDraw(c, 2, 1, 0, 0); });
    EXPECT_THAT(f.words(0), ElementsAre(0, 0x3ff80000, 7, 0, 0, 0x3ff80000, 7, 1));
    EXPECT_THAT(f.words(1), ElementsAre(0xee, 0x3f800000, 0x40000000, 0x40400000, 0, 0xee, 0x3f800000, 0x40000000,
                                        0x40400000, 0x3f800000));
    EXPECT_TRUE(f.words(2).empty());
    EXPECT_THAT(f.words(3), ElementsAre(0xee, 40, 50, 0xee, 40, 50));
  }
}

// Blocks of an array go to buffers one behind the other; doubles lie at multiples of 8, and structures with doubles end
// there.
TEST(VulkanFeedback, ArraysOfBlocksAndStructures_SPV43) {
  HEDDLE_NEED_SHADERS();
  for (const bool reference : {false, true}) {
    std::optional<ChecksOn> checks;
    if (reference) checks.emplace();
    Feedback f;
    PipelineState s;
    s.topology = VK_PRIMITIVE_TOPOLOGY_POINT_LIST;
    s.raster.rasterizerDiscardEnable = VK_TRUE;
    s.vertex =
        "#version 450\nstruct Inner { int i; double d; float f; };\nstruct Outer { Inner inner; int last; };\n"
        "layout(location = 0, xfb_buffer = 0, xfb_offset = 0, xfb_stride = 32) out Whole { flat Outer o; };\n"
        "layout(location = 8, xfb_buffer = 1, xfb_stride = 8) out Block { layout(xfb_offset = 0) flat uvec2 u; } "
        "b[3];\n"
        "void main() { gl_Position = vec4(0); gl_PointSize = 1.0; o.inner.i = 5; o.inner.d = 1.5; o.inner.f = 1; "
        "o.last = 9;\n"
        "  for (int k = 0; k < 3; ++k) b[k].u = uvec2(10 * k, gl_VertexIndex); }\n";
    for (const VulkanDevice::Buffer& buffer : f.buffers)
      for (std::size_t k = 0; k < 16; ++k) buffer.set(k, 0xee);
    f.run(f.canvas.pipeline(s), [](VkCommandBuffer c) { vkCmdDraw(c, 2, 1, 0, 0); });
    const auto structures = f.words(0);
    ASSERT_EQ(structures.size(), 16u);
    for (const std::size_t vertex : {0u, 8u}) {
      EXPECT_EQ(structures[vertex], 5u);
      EXPECT_EQ(structures[vertex + 2], 0u);
      EXPECT_EQ(structures[vertex + 3], 0x3ff80000u);
      EXPECT_EQ(structures[vertex + 4], 0x3f800000u);
      EXPECT_EQ(structures[vertex + 6], 9u);  // behind the inner structure's 24 bytes
    }
    for (std::uint32_t k = 0; k < 3; ++k) EXPECT_THAT(f.words(k + 1), ElementsAre(10 * k, 0, 10 * k, 1)) << k;
  }
}

/// Results of a query pool: two numbers each where the type has two.
std::vector<std::uint64_t> results(VulkanDevice& v, VkQueryPool pool, std::uint32_t count, std::uint32_t values) {
  std::vector<std::uint64_t> list(std::size_t{count} * values);
  EXPECT_EQ(vkGetQueryPoolResults(v.device, pool, 0, count, list.size() * 8, list.data(), values * 8,
                                  VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT),
            VK_SUCCESS);
  return list;
}
VkQueryPool pool_of(VulkanDevice& v, VkQueryType type, std::uint32_t count,
                    VkQueryPipelineStatisticFlags statistics = 0) {
  const VkQueryPoolCreateInfo info{VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO, nullptr, 0, type, count, statistics};
  VkQueryPool pool = VK_NULL_HANDLE;
  EXPECT_EQ(vkCreateQueryPool(v.device, &info, nullptr, &pool), VK_SUCCESS);
  v.later([d = v.device, pool] { vkDestroyQueryPool(d, pool, nullptr); });
  v.run([&](VkCommandBuffer c) { vkCmdResetQueryPool(c, pool, 0, count); });
  return pool;
}

TEST(VulkanFeedback, GoesOnFromItsCounters_PRM11) {
  HEDDLE_NEED_SHADERS();
  Feedback f;
  const VkPipeline pipeline = f.canvas.pipeline(numbers(VK_PRIMITIVE_TOPOLOGY_POINT_LIST));
  const VkDeviceSize none = 0, offset = 8, size = 12;
  f.buffers[0].set(5, 77);
  f.canvas.draw([&](VkCommandBuffer c) {
    vkCmdBindPipeline(c, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
    f.bind_buffers(c, 0, 1, &f.buffers[0].buffer, &offset, &size);
    f.begin(c, 0, 0, nullptr, nullptr);
    vkCmdDraw(c, 1, 1, 10, 0);
    f.end(c, 0, 1, &f.counters.buffer, &none);
    vkCmdDraw(c, 1, 1, 20, 0);  // nothing captures it
    barrier(c);
    f.begin(c, 0, 1, &f.counters.buffer, &none);
    vkCmdDraw(c, 1, 1, 30, 0);
    vkCmdDraw(c, 2, 1, 40, 0);  // there is room for one
    f.end(c, 0, 1, &f.counters.buffer, &none);
  });
  EXPECT_EQ(f.counters.word(0), 12u);
  EXPECT_EQ(f.buffers[0].word(2), 10u);
  EXPECT_EQ(f.buffers[0].word(3), 30u);
  EXPECT_EQ(f.buffers[0].word(4), 40u);
  EXPECT_EQ(f.buffers[0].word(5), 77u);
}

TEST(VulkanFeedback, DrawsTakeTheirVerticesFromACounter_PRM11) {
  HEDDLE_NEED_SHADERS();
  Feedback f;
  f.counters.set(0, 8 + 3 * 4);
  f.counters.set(1, 7);
  const VkPipeline pipeline = f.canvas.pipeline(numbers(VK_PRIMITIVE_TOPOLOGY_POINT_LIST));
  const VulkanDevice::Buffer counts = f.canvas.v.buffer(16, VK_BUFFER_USAGE_TRANSFORM_FEEDBACK_COUNTER_BUFFER_BIT_EXT);
  counts.set(0, 8 + 3 * 4 + 3);
  counts.set(1, 7);
  f.run(pipeline, [&](VkCommandBuffer c) {
    f.draw_byte_count(c, 2, 0, counts.buffer, 0, 8, 4);
    f.draw_byte_count(c, 1, 0, counts.buffer, 4, 8, 4);  // less than the offset: none
  });
  EXPECT_THAT(f.words(), ElementsAre(0, 1, 2, 0, 1, 2));
}

TEST(VulkanFeedback, QueriesCountPrimitives_PRM11) {
  HEDDLE_NEED_SHADERS();
  Feedback f({}, 16);
  VulkanDevice& v = f.canvas.v;
  const VkPipeline pipeline = f.canvas.pipeline(numbers(VK_PRIMITIVE_TOPOLOGY_LINE_LIST));
  const VkQueryPool captured = pool_of(v, VK_QUERY_TYPE_TRANSFORM_FEEDBACK_STREAM_EXT, 2);
  const VkQueryPool generated = pool_of(v, VK_QUERY_TYPE_PRIMITIVES_GENERATED_EXT, 2);
  const VkDeviceSize none = 0;
  f.canvas.draw([&](VkCommandBuffer c) {
    vkCmdBindPipeline(c, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
    f.bind_buffers(c, 0, 1, &f.buffers[0].buffer, &none, nullptr);
    f.begin_query(c, captured, 0, 0, 0);
    vkCmdBeginQuery(c, generated, 0, 0);
    f.begin_query(c, generated, 1, 0, 1);
    f.begin(c, 0, 0, nullptr, nullptr);
    vkCmdDraw(c, 6, 1, 0, 0);
    f.end(c, 0, 0, nullptr, nullptr);
    vkCmdDraw(c, 2, 1, 0, 0);
    f.end_query(c, captured, 0, 0);
    f.end_query(c, generated, 1, 1);
    vkCmdEndQuery(c, generated, 0);
    f.begin_query(c, captured, 1, 0, 2);
    f.end_query(c, captured, 1, 2);
  });
  EXPECT_EQ(results(v, captured, 2, 2), (std::vector<std::uint64_t>{2, 3, 0, 0}));
  EXPECT_EQ(results(v, generated, 2, 1), (std::vector<std::uint64_t>{4, 0}));
}

/// Points to four streams: each has a number of its own.
const std::string kStreams =
    "#version 450\nlayout(points) in; layout(points, max_vertices = 8) out;\n"
    "layout(stream = 0, xfb_buffer = 0, xfb_offset = 0, xfb_stride = 4, location = 0) flat out int a;\n"
    "layout(stream = 1, xfb_buffer = 1, xfb_offset = 0, xfb_stride = 4, location = 1) flat out int b;\n"
    "layout(stream = 3, xfb_buffer = 2, xfb_offset = 4, xfb_stride = 8, location = 2) flat out int c;\n"
    "layout(location = 0) flat in int v[];\n"
    "void at(float x) { gl_Position = vec4(x, 0.25, 0, 1); gl_PointSize = 1; }\n"
    "void main() { at(0.25); a = v[0]; EmitStreamVertex(0); EndStreamPrimitive(0);\n"
    "  at(0.25); b = 10 + v[0]; EmitStreamVertex(1); at(0.25); b = 20 + v[0]; EmitStreamVertex(1); "
    "EndStreamPrimitive(1);\n"
    "  at(-0.25); c = 30 + v[0]; EmitStreamVertex(3); EndStreamPrimitive(3); }\n";

TEST(VulkanFeedback, StreamsGoToTheirBuffers_PRM11) {
  HEDDLE_NEED_SHADERS();
  for (const bool reference : {false, true}) {
    std::optional<ChecksOn> checks;
    if (reference) checks.emplace();
    Feedback f;
    VulkanDevice& v = f.canvas.v;
    PipelineState s;
    s.topology = VK_PRIMITIVE_TOPOLOGY_POINT_LIST;
    s.vertex = numbered_vertices();
    s.geometry = kStreams;
    s.raster.rasterizerDiscardEnable = VK_TRUE;
    const VkQueryPool captured = pool_of(v, VK_QUERY_TYPE_TRANSFORM_FEEDBACK_STREAM_EXT, 4);
    const VkQueryPool generated = pool_of(v, VK_QUERY_TYPE_PRIMITIVES_GENERATED_EXT, 4);
    f.run(f.canvas.pipeline(s), [&](VkCommandBuffer c) {
      for (std::uint32_t k = 0; k < 4; ++k) {
        f.begin_query(c, captured, k, 0, k);
        f.begin_query(c, generated, k, 0, k);
      }
      vkCmdDraw(c, 2, 1, 0, 0);
      for (std::uint32_t k = 0; k < 4; ++k) {
        f.end_query(c, captured, k, k);
        f.end_query(c, generated, k, k);
      }
    });
    EXPECT_THAT(f.words(0), ElementsAre(0, 1));
    EXPECT_THAT(f.words(1), ElementsAre(10, 20, 11, 21));
    EXPECT_EQ(f.words(2).size(), 4u);
    EXPECT_EQ(f.buffers[2].word(1), 30u);
    EXPECT_EQ(f.buffers[2].word(3), 31u);
    EXPECT_EQ(results(v, captured, 4, 2), (std::vector<std::uint64_t>{2, 2, 4, 4, 0, 0, 2, 2}));
    EXPECT_EQ(results(v, generated, 4, 1), (std::vector<std::uint64_t>{2, 4, 0, 2}));
  }
}

TEST(VulkanFeedback, OneStreamIsRasterized_PRM11) {
  HEDDLE_NEED_SHADERS();
  Feedback f({VK_EXT_EXTENDED_DYNAMIC_STATE_3_EXTENSION_NAME});
  PipelineState s;
  s.topology = VK_PRIMITIVE_TOPOLOGY_POINT_LIST;
  s.vertex = numbered_vertices();
  s.geometry = kStreams;
  s.fragment = one_color("vec4(1)");
  VkPipelineRasterizationStateStreamCreateInfoEXT third{
      VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_STREAM_CREATE_INFO_EXT, nullptr, 0, 3};
  const auto drawn = [&](VkPipeline pipeline, std::optional<std::uint32_t> stream) {
    f.canvas.draw([&](VkCommandBuffer c) {
      vkCmdBindPipeline(c, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
      if (stream) f.canvas.v.proc<PFN_vkCmdSetRasterizationStreamEXT>("vkCmdSetRasterizationStreamEXT")(c, *stream);
      vkCmdDraw(c, 1, 1, 0, 0);
    });
    return f.canvas.pixels();
  };
  const auto at = [](const std::vector<std::uint32_t>& pixels, std::size_t x, std::size_t y) {
    return pixels[y * 4 + x] == 0xffffffff;
  };
  const auto zero = drawn(f.canvas.pipeline(s), std::nullopt);
  EXPECT_TRUE(at(zero, 2, 2) && !at(zero, 1, 2));
  s.raster.pNext = &third;
  const auto three = drawn(f.canvas.pipeline(s), std::nullopt);
  EXPECT_TRUE(at(three, 1, 2) && !at(three, 2, 2));
  s.dynamic = {VK_DYNAMIC_STATE_RASTERIZATION_STREAM_EXT};
  const VkPipeline dynamic = f.canvas.pipeline(s);
  EXPECT_TRUE(at(drawn(dynamic, 0), 2, 2));
  EXPECT_FALSE(at(drawn(dynamic, 0), 1, 2));
  EXPECT_TRUE(at(drawn(dynamic, 3), 1, 2));
}

}  // namespace
}  // namespace heddle::test
