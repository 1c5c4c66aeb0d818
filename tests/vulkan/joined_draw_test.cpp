// SPDX-License-Identifier: MIT
// Draws that follow each other and run together: nothing tells them from draws that run alone. Rules: FBO-9.

#include <array>
#include <cstring>
#include <vector>

#include "vulkan/canvas.hpp"

namespace heddle::test {
namespace {

constexpr std::uint32_t kColumns = 64, kHeight = 4;

/// Column n of the canvas is a strip of four vertices from number 4 * n on; red: n + 1, green: 1 + the primitive's
/// number.
PipelineState columns() {
  PipelineState s;
  s.vertex =
      "#version 450\nlayout(location = 0) flat out uint column;\n"
      "void main() { column = uint(gl_VertexIndex) / 4u; uint corner = uint(gl_VertexIndex) % 4u;\n"
      "  gl_Position = vec4(float(column + (corner & 1u)) / 32.0 - 1.0, float(corner / 2u) * 2.0 - 1.0, 0.5, 1.0); }\n";
  s.fragment =
      "#version 450\nlayout(location = 0) flat in uint column;\nlayout(location = 0) out vec4 c;\n"
      "void main() { c = vec4(vec2(float(column + 1u), float(1 + gl_PrimitiveID)) / 255.0, 0.0, 1.0); }\n";
  s.topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP;
  return s;
}
constexpr std::uint32_t color(std::uint32_t red, std::uint32_t green) { return red | green << 8 | 0xff000000u; }

/// Each column red by its number, green by which of the two triangles it is: the diagonal goes from its upper right to
/// its lower left corner.
void expect_columns(Canvas& c) {
  const std::vector<std::uint32_t> pixels = c.pixels();
  for (std::uint32_t y = 0; y < kHeight; ++y)
    for (std::uint32_t x = 0; x < kColumns; ++x)
      ASSERT_EQ(pixels[y * kColumns + x], color(x + 1, y < kHeight / 2 ? 1 : 2)) << x << " " << y;
}

void bind(VkCommandBuffer c, VkPipeline pipeline) { vkCmdBindPipeline(c, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline); }

TEST(VulkanJoinedDraws, StripsOfTheirOwnWithPrimitivesFromZero) {
  HEDDLE_NEED_SHADERS();
  Canvas c(kColumns, kHeight);
  const VkPipeline pipeline = c.pipeline(columns());
  c.draw([&](VkCommandBuffer b) {
    bind(b, pipeline);
    for (std::uint32_t n = 0; n < kColumns; ++n) {
      vkCmdDraw(b, 4, 1, 4 * n, 0);
      vkCmdDraw(b, n % 3, 1, 0, 0);  // too few for a triangle, or none
    }
  });
  expect_columns(c);
}

TEST(VulkanJoinedDraws, IndicesWithOffsetsAndRestarts) {
  HEDDLE_NEED_SHADERS();
  Canvas c(kColumns, kHeight);
  PipelineState state = columns();
  state.restart = VK_TRUE;
  const VkPipeline pipeline = c.pipeline(state);
  // Of two columns each: a strip, a restart and another strip, whose primitives go on counting: so only its first pair
  // is drawn by both, and the second is drawn again by a draw of its own.
  const std::vector<std::uint16_t> list{0, 1, 2, 3, 0xffff, 4, 5, 6, 7};
  const auto indices = c.v.buffer(list.size() * 2, VK_BUFFER_USAGE_INDEX_BUFFER_BIT);
  std::memcpy(indices.bytes, list.data(), list.size() * 2);
  c.draw([&](VkCommandBuffer b) {
    bind(b, pipeline);
    vkCmdBindIndexBuffer(b, indices.buffer, 0, VK_INDEX_TYPE_UINT16);
    for (std::uint32_t n = 0; n < kColumns; n += 2) {
      vkCmdDrawIndexed(b, 9, 1, 0, static_cast<std::int32_t>(4 * n), 0);
      vkCmdDrawIndexed(b, 4, 1, 5, static_cast<std::int32_t>(4 * n), 0);
    }
  });
  expect_columns(c);
}

TEST(VulkanJoinedDraws, LaterOnesLieAbove) {
  HEDDLE_NEED_SHADERS();
  Canvas c(16, 16);
  PipelineState state;
  state.vertex =
      "#version 450\nlayout(location = 0) flat out uint n;\nvoid main() { n = uint(gl_VertexIndex) / 3u;\n"
      "  uint corner = uint(gl_VertexIndex) % 3u;\n"
      "  gl_Position = vec4(corner == 1u ? 3.0 : -1.0, corner == 2u ? 3.0 : -1.0, 0.5, 1.0); }\n";
  state.fragment =
      "#version 450\nlayout(location = 0) flat in uint n;\nlayout(location = 0) out vec4 c;\n"
      "void main() { c = vec4(float(n) / 255.0, 0.0, 0.0, 1.0); }\n";
  const VkPipeline pipeline = c.pipeline(state);
  c.draw([&](VkCommandBuffer b) {
    bind(b, pipeline);
    for (const std::uint32_t n : {5u, 200u, 9u, 77u}) vkCmdDraw(b, 3, 1, 3 * n, 0);
  });
  EXPECT_EQ(c.pixels(), std::vector<std::uint32_t>(256, color(77, 0)));
}

TEST(VulkanJoinedDraws, LanesOfOneDoNotSeeThoseOfOthers) {
  HEDDLE_NEED_SHADERS();
  Canvas c(kColumns, kHeight);
  PipelineState state = columns();
  state.vertex =
      "#version 450\n#extension GL_KHR_shader_subgroup_ballot : require\nlayout(location = 0) flat out uint column;\n"
      "void main() { uint n = uint(gl_VertexIndex) / 4u, corner = uint(gl_VertexIndex) % 4u;\n"
      "  column = subgroupBallotBitCount(subgroupBallot(true));\n"
      "  gl_Position = vec4(float(n + (corner & 1u)) / 32.0 - 1.0, float(corner / 2u) * 2.0 - 1.0, 0.5, 1.0); }\n";
  const VkPipeline pipeline = c.pipeline(state);
  c.draw([&](VkCommandBuffer b) {
    bind(b, pipeline);
    for (std::uint32_t n = 0; n < kColumns; ++n) vkCmdDraw(b, 4, 1, 4 * n, 0);
  });
  for (const std::uint32_t pixel : c.pixels()) ASSERT_EQ(pixel & 0xffu, 5u);  // 4 lanes
}

// An array of buffers that have handles: the index is the same for all of a draw, and not marked.
TEST(VulkanJoinedDraws, EachChoosesItsOwnDescriptors) {
  HEDDLE_NEED_SHADERS();
  Canvas c(kColumns, kHeight);
  constexpr VkDescriptorType kUniform = VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER;
  const std::vector<VulkanDevice::Binding> bindings{{0, kUniform, 8}};
  const VkDescriptorSetLayout sets = c.v.set_layout(bindings);
  const VkPipelineLayout layout = c.v.layout({sets});
  const VkDescriptorSet set = c.v.set(sets, bindings);
  const auto uniforms = c.v.buffer(8 * 256, VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT);
  for (std::uint32_t k = 0; k < 8; ++k) {
    uniforms.set(k * 64, 10 * k + 1);
    c.v.write(set, 0, kUniform, uniforms, std::uint64_t{k} * 256, 256, k);
  }
  PipelineState state = columns();
  state.fragment =
      "#version 450\nlayout(location = 0) flat in uint column;\nlayout(location = 0) out vec4 c;\n"
      "layout(binding = 0) uniform U { uint red; } u[8];\n"
      "void main() { c = vec4(float(u[column % 8u].red) / 255.0, 0.0, 0.0, 1.0); }\n";
  state.layout = layout;
  const VkPipeline pipeline = c.pipeline(state);
  c.draw([&](VkCommandBuffer b) {
    bind(b, pipeline);
    vkCmdBindDescriptorSets(b, VK_PIPELINE_BIND_POINT_GRAPHICS, layout, 0, 1, &set, 0, nullptr);
    for (std::uint32_t n = 0; n < kColumns; ++n) vkCmdDraw(b, 4, 1, 4 * n, 0);
  });
  const std::vector<std::uint32_t> pixels = c.pixels();
  for (std::uint32_t i = 0; i < kColumns * kHeight; ++i)
    ASSERT_EQ(pixels[i], color(10 * (i % kColumns % 8) + 1, 0)) << i;
}

TEST(VulkanJoinedDraws, InstancesAreTheirOwn) {
  HEDDLE_NEED_SHADERS();
  Canvas c(kColumns, kHeight);
  PipelineState state = columns();
  state.vertex =
      "#version 450\nlayout(location = 0) flat out uint column;\n"
      "void main() { column = uint(gl_InstanceIndex); uint corner = uint(gl_VertexIndex);\n"
      "  gl_Position = vec4(float(column + (corner & 1u)) / 32.0 - 1.0, float(corner / 2u) * 2.0 - 1.0, 0.5, 1.0); }\n";
  const VkPipeline pipeline = c.pipeline(state);
  c.draw([&](VkCommandBuffer b) {
    bind(b, pipeline);
    for (std::uint32_t n = 0; n < kColumns; n += 4) {
      vkCmdDraw(b, 4, 1, 0, n);
      vkCmdDraw(b, 4, 2, 0, n + 1);
      vkCmdDraw(b, 4, 1, 0, n + 3);
      vkCmdDraw(b, 4, 1, 0, n + 3);
    }
  });
  expect_columns(c);
}

/// FBO-4: as much is counted as by draws that run alone.
TEST(VulkanJoinedDraws, StatisticsAreThoseOfAll) {
  HEDDLE_NEED_SHADERS();
  Canvas c(kColumns, kHeight);
  const VkPipeline pipeline = c.pipeline(columns());
  VkQueryPoolCreateInfo info{VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO};
  info.queryType = VK_QUERY_TYPE_PIPELINE_STATISTICS;
  info.queryCount = 1;
  info.pipelineStatistics = VK_QUERY_PIPELINE_STATISTIC_INPUT_ASSEMBLY_VERTICES_BIT |
                            VK_QUERY_PIPELINE_STATISTIC_INPUT_ASSEMBLY_PRIMITIVES_BIT |
                            VK_QUERY_PIPELINE_STATISTIC_VERTEX_SHADER_INVOCATIONS_BIT |
                            VK_QUERY_PIPELINE_STATISTIC_FRAGMENT_SHADER_INVOCATIONS_BIT;
  VkQueryPool pool = VK_NULL_HANDLE;
  ASSERT_EQ(vkCreateQueryPool(c.v.device, &info, nullptr, &pool), VK_SUCCESS);
  const std::vector<std::uint16_t> list{0, 1, 2, 3};
  const auto indices = c.v.buffer(8, VK_BUFFER_USAGE_INDEX_BUFFER_BIT);
  std::memcpy(indices.bytes, list.data(), 8);
  (void)c.v.run([&](VkCommandBuffer b) { vkCmdResetQueryPool(b, pool, 0, 1); });
  c.draw([&](VkCommandBuffer b) {
    bind(b, pipeline);
    vkCmdBindIndexBuffer(b, indices.buffer, 0, VK_INDEX_TYPE_UINT16);
    vkCmdBeginQuery(b, pool, 0, 0);
    for (int n = 0; n < 10; ++n) vkCmdDrawIndexed(b, 4, 1, 0, 0, 0);  // the same column each time
    vkCmdEndQuery(b, pool, 0);
  });
  std::array<std::uint64_t, 4> counted{};
  ASSERT_EQ(vkGetQueryPoolResults(c.v.device, pool, 0, 1, sizeof counted, counted.data(), sizeof counted,
                                  VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT),
            VK_SUCCESS);
  EXPECT_EQ(counted, (std::array<std::uint64_t, 4>{40, 20, 40, 10 * kHeight}));
  vkDestroyQueryPool(c.v.device, pool, nullptr);
}

}  // namespace
}  // namespace heddle::test
