// SPDX-License-Identifier: MIT
// Shaders of patches, through the driver: what they read, write and make, on both engines.
// Rules: PRM-3, TES-1, TES-9 to TES-14.

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <numeric>

#include "support/lavapipe.hpp"
#include "vulkan/canvas.hpp"

namespace heddle::test {
namespace {

constexpr std::uint32_t kWhite = 0xffffffff;

std::size_t count_of(const std::vector<std::uint32_t>& pixels, std::uint32_t value) {
  return static_cast<std::size_t>(std::ranges::count(pixels, value));
}
void bind(VkCommandBuffer c, VkPipeline pipeline) { vkCmdBindPipeline(c, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline); }

/// Runs `test` on the fast engine, and on the reference engine under the sanitizer, which must have nothing to say.
void on_both_engines(const std::function<void(bool reference)>& test) {
  test(false);
  setenv("HEDDLE_CHECK", "warn", 1);
  test(true);
  unsetenv("HEDDLE_CHECK");
}

/// A vertex shader that only numbers its vertices.
const std::string kNumbered =
    "#version 450\nlayout(location = 0) out uint number;\n"
    "void main() { number = gl_VertexIndex; gl_Position = vec4(gl_VertexIndex, 0, 0, 1); }\n";

/// All levels alike; `vertices` control points that nobody reads.
std::string control_of(const std::string& level, std::uint32_t vertices = 1, const std::string& inner = {}) {
  const std::string in = inner.empty() ? level : inner;
  return "#version 450\nlayout(vertices = " + std::to_string(vertices) +
         ") out;\nvoid main() {\n"
         "  for (int k = 0; k < 4; ++k) gl_TessLevelOuter[k] = " +
         level + ";\n  for (int k = 0; k < 2; ++k) gl_TessLevelInner[k] = " + in + ";\n}\n";
}

/// An evaluation shader: `modes` of its layout, and what becomes of the coordinates.
std::string evaluation_of(const std::string& modes, const std::string& body) {
  return "#version 450\nlayout(" + modes + ") in;\nlayout(location = 0) out vec4 color;\nvoid main() {\n" + body +
         "}\n";
}
const std::string kColored =
    "#version 450\nlayout(location = 0) in vec4 color;\nlayout(location = 0) out vec4 o;\nvoid main() { o = color; }\n";

PipelineState patches(const std::string& control, const std::string& evaluation, std::uint32_t vertices = 1) {
  PipelineState s;
  s.vertex = kNumbered;
  s.control = control;
  s.evaluation = evaluation;
  s.fragment = kColored;
  s.topology = VK_PRIMITIVE_TOPOLOGY_PATCH_LIST;
  s.patch_vertices = vertices;
  return s;
}

std::vector<std::uint32_t> drawn(Canvas& c, const PipelineState& s, std::uint32_t vertices,
                                 std::uint32_t instances = 1) {
  const VkPipeline pipeline = c.pipeline(s);
  c.draw([&](VkCommandBuffer b) {
    bind(b, pipeline);
    vkCmdDraw(b, vertices, instances, 0, 0);
  });
  for (const std::string& message : c.v.messages) ADD_FAILURE() << message;
  return c.pixels();
}

// Each point of level 7 is a pixel, whose color says its coordinates.
TEST(VulkanTessellation, PointsOfADomainLieWhereTheyShould_TES10) {
  HEDDLE_NEED_SHADERS();
  on_both_engines([](bool) {
    Canvas c(8, 8);
    const auto pixels = drawn(
        c,
        patches(control_of("7"), evaluation_of("quads, equal_spacing, point_mode",
                                               "  gl_PointSize = 1;\n"
                                               "  gl_Position = vec4((gl_TessCoord.xy * 7 + 0.5) / 4 - 1, 0, 1);\n"
                                               "  color = vec4(gl_TessCoord.xy * 7 / 255, gl_TessCoord.z, 1);\n")),
        1);
    for (std::uint32_t y = 0; y < 8; ++y)
      for (std::uint32_t x = 0; x < 8; ++x) EXPECT_EQ(pixels[8 * y + x], 0xff000000 | y << 8 | x) << x << " " << y;
  });
}

// Restart leaves the patch that was begun, and the next index begins another (primitiveTopologyPatchListRestart).
TEST(VulkanTessellation, RestartBeginsANewPatch_PRM3) {
  HEDDLE_NEED_SHADERS();
  on_both_engines([](bool) {
    Canvas c(4, 4, {VK_FORMAT_R8G8B8A8_UNORM}, VK_FORMAT_UNDEFINED, VK_SAMPLE_COUNT_1_BIT,
             {VK_EXT_PRIMITIVE_TOPOLOGY_LIST_RESTART_EXTENSION_NAME});
    PipelineState s = patches(
        "#version 450\nlayout(vertices = 3) out;\nvoid main() {\n"
        "  gl_out[gl_InvocationID].gl_Position = gl_in[gl_InvocationID].gl_Position;\n"
        "  for (int k = 0; k < 3; ++k) gl_TessLevelOuter[k] = 1;\n  gl_TessLevelInner[0] = 1;\n}\n",
        evaluation_of("triangles, equal_spacing",
                      "  gl_Position = gl_in[0].gl_Position * gl_TessCoord.x + gl_in[1].gl_Position * "
                      "gl_TessCoord.y + gl_in[2].gl_Position * gl_TessCoord.z;\n  color = vec4(1);\n"),
        3);
    s.vertex =
        "#version 450\nvoid main() { gl_Position = vec4(gl_VertexIndex == 1 ? 3 : -1, gl_VertexIndex == 2 ? 3 : -1, 0, "
        "1); }\n";
    const auto indices = c.v.buffer(16);
    const std::uint16_t list[] = {0, 0xffff, 0, 1, 2};
    std::memcpy(indices.bytes, list, sizeof list);
    for (const bool restart : {false, true}) {
      s.restart = restart ? VK_TRUE : VK_FALSE;
      const VkPipeline pipeline = c.pipeline(s);
      c.draw([&](VkCommandBuffer b) {
        bind(b, pipeline);
        vkCmdBindIndexBuffer(b, indices.buffer, 0, VK_INDEX_TYPE_UINT16);
        vkCmdDrawIndexed(b, 5, 1, 0, 0, 0);
      });
      EXPECT_EQ(count_of(c.pixels(), kWhite), restart ? 16u : 0u) << restart;
    }
  });
}

// The third coordinate of triangles is what is left of 1; each point is drawn once.
TEST(VulkanTessellation, TrianglesHaveThreeCoordinates_TES10) {
  HEDDLE_NEED_SHADERS();
  on_both_engines([](bool) {
    Canvas c(16, 16);
    PipelineState s =
        patches(control_of("2"),
                evaluation_of("triangles, equal_spacing, point_mode",
                              "  gl_PointSize = 1;\n"
                              "  gl_Position = vec4((floor(gl_TessCoord.xy * 12 + 0.5) + 0.5) / 8 - 1, 0, 1);\n"
                              "  color = vec4(round(gl_TessCoord * 12) / 255, 1.0 / 255);\n"));
    s.blend.resize(1);
    s.blend[0] = {VK_TRUE,
                  VK_BLEND_FACTOR_ONE,
                  VK_BLEND_FACTOR_ONE,
                  VK_BLEND_OP_ADD,
                  VK_BLEND_FACTOR_ONE,
                  VK_BLEND_FACTOR_ONE,
                  VK_BLEND_OP_ADD,
                  15};
    const auto pixels = drawn(c, s, 1);
    std::vector<std::uint32_t> expected(256);
    for (const auto& [u, v] : {std::pair{12, 0}, {0, 12}, {0, 0}, {6, 6}, {6, 0}, {0, 6}, {4, 4}})
      expected[static_cast<std::size_t>(16 * v + u)] =
          static_cast<std::uint32_t>(1 << 24 | (12 - u - v) << 16 | v << 8 | u);
    EXPECT_EQ(pixels, expected);
  });
}

// Lines of level 4 lie at 0, 1/4, 1/2 and 3/4.
TEST(VulkanTessellation, IsolinesAreLines_TES10) {
  HEDDLE_NEED_SHADERS();
  on_both_engines([](bool) {
    Canvas c(16, 16);
    PipelineState s = patches(
        "#version 450\nlayout(vertices = 1) out;\nvoid main() { gl_TessLevelOuter[0] = 4; gl_TessLevelOuter[1] = 3; "
        "}\n",
        evaluation_of("isolines, fractional_odd_spacing",
                      "  gl_Position = vec4(gl_TessCoord.x * 2 - 1, gl_TessCoord.y * 2 - 1 + 1.0 / 16, 0, 1);\n"
                      "  color = vec4(1);\n"));
    const auto pixels = drawn(c, s, 1);
    for (std::uint32_t y = 0; y < 16; ++y)
      EXPECT_EQ(std::count(pixels.begin() + 16 * y, pixels.begin() + 16 * (y + 1), kWhite), y % 4 == 0 ? 16 : 0) << y;
  });
}

// However a patch is divided, every pixel is covered once.
TEST(VulkanTessellation, EveryPixelIsCoveredOnce_TES7) {
  HEDDLE_NEED_SHADERS();
  Canvas c(61, 47);
  for (const std::string domain : {"quads", "triangles"})
    for (const std::string spacing : {"equal_spacing", "fractional_even_spacing", "fractional_odd_spacing"}) {
      PipelineState s = patches(
          "#version 450\nlayout(vertices = 1) out;\nvoid main() {\n"
          "  float k = gl_PrimitiveID;\n"
          "  gl_TessLevelOuter = float[4](1.3 + k, 7.1, 19.6 - k, 4);\n  gl_TessLevelInner = float[2](5.4 + k, "
          "11.7);\n}\n",
          evaluation_of(domain + ", " + spacing,
                        domain == "quads" ? "  vec2 at = gl_TessCoord.xy * 2 - 1;\n"
                                            "  at.x = (at.x - 1) / 2 + gl_PrimitiveID;\n"
                                            "  gl_Position = vec4(at, 0, 1);\n  color = vec4(1.0 / 255);\n"
                                          : "  vec2 at = gl_TessCoord.xy * 4 - 1;\n"
                                            "  if (gl_PrimitiveID == 1) at = vec2(5, 5);\n"
                                            "  gl_Position = vec4(at, 0, 1);\n  color = vec4(1.0 / 255);\n"));
      s.blend.resize(1);
      s.blend[0] = {VK_TRUE,
                    VK_BLEND_FACTOR_ONE,
                    VK_BLEND_FACTOR_ONE,
                    VK_BLEND_OP_ADD,
                    VK_BLEND_FACTOR_ONE,
                    VK_BLEND_FACTOR_ONE,
                    VK_BLEND_OP_ADD,
                    15};
      const auto pixels = drawn(c, s, 2);
      EXPECT_EQ(count_of(pixels, 0x01010101), pixels.size()) << domain << " " << spacing;
    }
}

// Triangles face the viewer by their winding and the domain's origin.
TEST(VulkanTessellation, WindingAndOrigin_TES9) {
  HEDDLE_NEED_SHADERS();
  Canvas c(8, 8);
  for (const std::string domain : {"quads", "triangles"})
    for (const bool ccw : {false, true})
      for (const bool lower : {false, true})
        for (const bool dynamic : {false, true}) {
          PipelineState s =
              patches(control_of("3"), evaluation_of(domain + (ccw ? ", ccw" : ", cw"),
                                                     // v points down in the picture, as y does
                                                     "  gl_Position = vec4(gl_TessCoord.xy * 4 - 1, 0, 1);\n"
                                                     "  color = vec4(1);\n"));
          s.raster.cullMode = VK_CULL_MODE_BACK_BIT;
          s.raster.frontFace = VK_FRONT_FACE_COUNTER_CLOCKWISE;
          const auto origin =
              lower ? VK_TESSELLATION_DOMAIN_ORIGIN_LOWER_LEFT : VK_TESSELLATION_DOMAIN_ORIGIN_UPPER_LEFT;
          if (!dynamic) {
            s.domain_origin = origin;
            // With the origin above, the domain looks as the picture does.
            EXPECT_EQ(count_of(drawn(c, s, 1), kWhite), ccw != lower ? 64u : 0u) << domain << ccw << lower;
            continue;
          }
          Canvas d(8, 8, {VK_FORMAT_R8G8B8A8_UNORM}, VK_FORMAT_UNDEFINED, VK_SAMPLE_COUNT_1_BIT,
                   {VK_EXT_EXTENDED_DYNAMIC_STATE_3_EXTENSION_NAME});
          s.dynamic = {VK_DYNAMIC_STATE_TESSELLATION_DOMAIN_ORIGIN_EXT};
          const VkPipeline pipeline = d.pipeline(s);
          const auto set = d.v.proc<PFN_vkCmdSetTessellationDomainOriginEXT>("vkCmdSetTessellationDomainOriginEXT");
          d.draw([&](VkCommandBuffer b) {
            bind(b, pipeline);
            set(b, origin);
            vkCmdDraw(b, 1, 1, 0, 0);
          });
          EXPECT_EQ(count_of(d.pixels(), kWhite), ccw != lower ? 64u : 0u) << domain << ccw << lower;
        }
}

// Only outer levels cull, those that the domain has.
TEST(VulkanTessellation, LevelsCullPatches_TES1) {
  HEDDLE_NEED_SHADERS();
  Canvas c(8, 8);
  const auto covered = [&](const std::string& domain, const std::string& levels) {
    return count_of(drawn(c,
                          patches("#version 450\nlayout(vertices = 1) out;\nvoid main() {\n"
                                  "  float zero = float(gl_PrimitiveID), nan = zero / zero;\n"
                                  "  gl_TessLevelOuter = float[4](2, 2, 2, 2);\n"
                                  "  gl_TessLevelInner = float[2](2, 2);\n  " +
                                      levels + "\n}\n",
                                  evaluation_of(domain,
                                                "  gl_Position = vec4(gl_TessCoord.xy * 4 - 1, 0, 1);\n"
                                                "  color = vec4(1);\n")),
                          1),
                    kWhite);
  };
  EXPECT_EQ(covered("triangles", ""), 64u);
  EXPECT_EQ(covered("triangles", "gl_TessLevelOuter[1] = -1;"), 0u);
  EXPECT_EQ(covered("triangles", "gl_TessLevelOuter[2] = nan;"), 0u);
  EXPECT_EQ(covered("triangles", "gl_TessLevelOuter[3] = 0;"), 64u);
  EXPECT_EQ(covered("quads", "gl_TessLevelOuter[3] = 0;"), 0u);
  EXPECT_EQ(covered("quads", "gl_TessLevelInner = float[2](nan, -4);"), 64u);
}

// Invocations read each other's outputs behind a barrier: the sum over a rotated ring, of several patches in a thread,
// or one patch of 32 vertices.
TEST(VulkanTessellation, InvocationsReadEachOther_TES11) {
  HEDDLE_NEED_SHADERS();
  on_both_engines([](bool) {
    for (const std::uint32_t vertices : {1u, 3u, 5u, 16u, 17u, 32u}) {
      Canvas c(16, 1);
      const std::string n = std::to_string(vertices);
      const std::string control =
          "#version 450\nlayout(vertices = " + n +
          ") out;\nlayout(location = 0) in uint number[];\n"
          "layout(location = 0) out uint passed[];\nlayout(location = 1) out vec2 pair[];\n"
          "layout(location = 2) patch out uint sum;\nlayout(location = 3) patch out uvec2 both[2];\n"
          "void main() {\n"
          "  uint i = gl_InvocationID;\n"
          "  if (i != 0) passed[gl_InvocationID] = number[i] * 2;\n  else passed[gl_InvocationID] = number[0] + 1;\n"
          "  pair[gl_InvocationID] = vec2(i, gl_in[i].gl_Position.x);\n"
          "  barrier();\n"
          "  uint next = passed[(i + 1) % " +
          n +
          "];\n"
          "  barrier();\n"
          "  passed[gl_InvocationID] += next;\n"
          "  barrier();\n"
          "  if (i == " +
          n +
          " - 1) {\n"
          "    sum = 0;\n    for (int k = 0; k < " +
          n +
          "; ++k) sum += passed[k] + uint(pair[k].x);\n"
          "    both[1] = uvec2(sum, gl_PatchVerticesIn);\n"
          "    gl_TessLevelOuter = float[4](1, 1, 1, 1);\n    gl_TessLevelInner = float[2](1, 1);\n  }\n}\n";
      const std::string evaluation =
          "#version 450\nlayout(quads, point_mode) in;\nlayout(location = 0) out vec4 color;\n"
          "layout(location = 0) in uint passed[];\nlayout(location = 1) in vec2 pair[];\n"
          "layout(location = 2) patch in uint sum;\nlayout(location = 3) patch in uvec2 both[2];\n"
          "void main() {\n"
          "  gl_PointSize = 1;\n"
          "  gl_Position = vec4((gl_PrimitiveID + 0.5) / 8 - 1, 0, 0, 1);\n"
          "  bool good = both[1] == uvec2(sum, " +
          n + ") && pair[" + n + " - 1] == vec2(" + n + " - 1, gl_PrimitiveID * " + n + " + " + n +
          " - 1) && gl_PatchVerticesIn == " + n +
          ";\n"
          "  color = vec4(float(sum & 255) / 255, float(sum >> 8) / 255, float(passed[" +
          n + " / 2] & 255) / 255, good ? 1 : 0);\n}\n";
      PipelineState s = patches(control, evaluation, vertices);
      const auto pixels = drawn(c, s, 16 * vertices);
      for (std::uint32_t patch = 0; patch < 16; ++patch) {
        const auto first = [&](std::uint32_t i) {
          const std::uint32_t number = patch * vertices + i;
          return i != 0 ? number * 2 : number + 1;
        };
        std::uint32_t sum = 0;
        for (std::uint32_t i = 0; i < vertices; ++i) sum += first(i) + first((i + 1) % vertices) + i;
        const std::uint32_t middle = first(vertices / 2) + first((vertices / 2 + 1) % vertices);
        EXPECT_EQ(pixels[patch], 0xff000000 | (middle & 255) << 16 | (sum >> 8 & 255) << 8 | (sum & 255))
            << vertices << " vertices, patch " << patch;
      }
    }
  });
}

// Fewer vertices in than out, more in than out; blocks, arrays, doubles and structures pass.
TEST(VulkanTessellation, RecordsCarryEveryType_TES13) {
  HEDDLE_NEED_SHADERS();
  on_both_engines([](bool) {
    Canvas c(4, 1);
    PipelineState s;
    s.vertex =
        "#version 450\nlayout(location = 0) out vec3 a[2];\nlayout(location = 3) flat out double d;\n"
        "layout(location = 5) out Block { ivec2 i; mat2 m; } block;\n"
        "void main() {\n  float n = gl_VertexIndex;\n  a = vec3[2](vec3(n, 1, 2), vec3(3, n, 5));\n"
        "  d = n + 1.0lf / 1024;\n"
        "  block.i = ivec2(-gl_VertexIndex, 7);\n  block.m = mat2(n, n + 1, n + 2, n + 3);\n"
        "  gl_Position = vec4(n);\n}\n";
    s.control =
        "#version 450\nlayout(vertices = 2) out;\nstruct Pair { vec2 p; int q; };\n"
        "layout(location = 0) in vec3 a[][2];\nlayout(location = 3) in double d[];\n"
        "layout(location = 5) in Block { ivec2 i; mat2 m; } block[];\n"
        "layout(location = 0) out Pair pair[];\nlayout(location = 2) out double twice[];\n"
        "layout(location = 4) patch out Whole { mat2 m; int rest[3]; } whole;\n"
        "void main() {\n"
        "  int other = 2 - gl_InvocationID;\n"
        "  pair[gl_InvocationID] = Pair(vec2(a[other][0].x, a[other][1].y), block[other].i.x);\n"
        "  twice[gl_InvocationID] = 2 * d[other];\n"
        "  if (gl_InvocationID == 1) { whole.m = block[2].m; whole.rest = int[3](5, 6, 7); }\n"
        "  gl_out[gl_InvocationID].gl_Position = gl_in[other].gl_Position;\n"
        "  gl_TessLevelOuter = float[4](1, 1, 1, 1);\n  gl_TessLevelInner = float[2](1, 1);\n}\n";
    s.evaluation =
        "#version 450\nlayout(quads, point_mode) in;\nstruct Pair { vec2 p; int q; };\n"
        "layout(location = 0) in Pair pair[];\nlayout(location = 2) in double twice[];\n"
        "layout(location = 4) patch in Whole { mat2 m; int rest[3]; } whole;\n"
        "layout(location = 0) out vec4 color;\n"
        "void main() {\n"
        "  int n = gl_PrimitiveID * 3;\n"
        "  bool good = pair[0].p == vec2(n + 2) && pair[1].p == vec2(n + 1) && pair[0].q == -n - 2 && pair[1].q == -n "
        "- 1;\n"
        "  bool wide = twice[0] == 2 * n + 4 + 1.0lf / 512 && twice[1] == 2 * n + 2 + 1.0lf / 512;\n"
        "  bool patched = whole.m == mat2(n + 2, n + 3, n + 4, n + 5) && whole.rest[gl_PrimitiveID % 3] == 5 + "
        "gl_PrimitiveID % 3;\n"
        "  bool placed = gl_in[0].gl_Position == vec4(n + 2) && gl_in[1].gl_Position == vec4(n + 1);\n"
        "  gl_PointSize = 1;\n  gl_Position = vec4((gl_PrimitiveID + 0.5) / 2 - 1, 0, 0, 1);\n"
        "  color = vec4(good, wide, patched, placed);\n}\n";
    s.fragment = kColored;
    s.topology = VK_PRIMITIVE_TOPOLOGY_PATCH_LIST;
    s.patch_vertices = 3;
    EXPECT_EQ(drawn(c, s, 12), std::vector<std::uint32_t>(4, kWhite));
  });
}

// The number of vertices of a patch by a command; libraries; instances begin to count anew.
TEST(VulkanTessellation, PatchSizesAreDynamic_TES14) {
  HEDDLE_NEED_SHADERS();
  for (const bool libraries : {false, true}) {
    Canvas c(16, 2, {VK_FORMAT_R8G8B8A8_UNORM}, VK_FORMAT_UNDEFINED, VK_SAMPLE_COUNT_1_BIT,
             {VK_EXT_EXTENDED_DYNAMIC_STATE_2_EXTENSION_NAME, VK_KHR_PIPELINE_LIBRARY_EXTENSION_NAME,
              VK_EXT_GRAPHICS_PIPELINE_LIBRARY_EXTENSION_NAME});
    PipelineState s = patches(
        "#version 450\nlayout(vertices = 1) out;\nlayout(location = 0) in uint number[];\n"
        "layout(location = 0) patch out uint last;\nlayout(location = 1) patch out uint size;\n"
        "void main() {\n  last = number[gl_PatchVerticesIn - 1];\n  size = gl_PatchVerticesIn;\n"
        "  gl_TessLevelOuter = float[4](1, 1, 1, 1);\n  gl_TessLevelInner = float[2](1, 1);\n}\n",
        "#version 450\nlayout(quads, point_mode) in;\nlayout(location = 0) out vec4 color;\n"
        "layout(location = 0) patch in uint last;\nlayout(location = 1) patch in uint size;\n"
        "void main() {\n  gl_PointSize = 1;\n"
        "  gl_Position = vec4((gl_PrimitiveID + 0.5) / 8 - 1, size == 3 ? -0.5 : 0.5, 0, 1);\n"
        "  color = vec4(float(last) / 255, float(size) / 255, float(gl_PrimitiveID) / 255, 1);\n}\n",
        9);
    s.dynamic = {VK_DYNAMIC_STATE_PATCH_CONTROL_POINTS_EXT};
    s.libraries = libraries;
    const VkPipeline pipeline = c.pipeline(s);
    const auto set = c.v.proc<PFN_vkCmdSetPatchControlPointsEXT>("vkCmdSetPatchControlPointsEXT");
    c.draw([&](VkCommandBuffer b) {
      bind(b, pipeline);
      set(b, 3);
      vkCmdDraw(b, 3 * 16 + 2, 2, 0, 0);  // two vertices make no patch
      set(b, 7);
      vkCmdDraw(b, 7 * 16, 1, 1, 0);
    });
    const auto pixels = c.pixels();
    for (std::uint32_t x = 0; x < 16; ++x) {
      EXPECT_EQ(pixels[x], 0xff000000 | x << 16 | 3 << 8 | (3 * x + 2)) << x;
      EXPECT_EQ(pixels[16 + x], 0xff000000 | x << 16 | 7 << 8 | (7 * x + 7)) << x;
    }
  }
}

// More patches than a window has, in their order: the last one that covers a pixel wins.
TEST(VulkanTessellation, PatchesKeepTheirOrder_TES14) {
  HEDDLE_NEED_SHADERS();
  Canvas c(64, 64);
  PipelineState s = patches(control_of("1 + gl_PrimitiveID % 5", 2),
                            evaluation_of("quads",
                                          "  int k = gl_PrimitiveID;\n"
                                          "  gl_Position = vec4(gl_TessCoord.xy * 2 - 1, 0, 1);\n"
                                          "  color = vec4(float(k & 255) / 255, float(k >> 8) / 255, 0, 1);\n"),
                            2);
  const auto pixels = drawn(c, s, 2 * 9000);
  EXPECT_EQ(count_of(pixels, 0xff000000 | (8999 >> 8) << 8 | (8999 & 255)), pixels.size());
}

TEST(VulkanTessellation, QueriesCountPatchesAndVertices_TES14) {
  HEDDLE_NEED_SHADERS();
  Canvas c(8, 8);
  PipelineState s =
      patches(control_of("3", 4),
              evaluation_of("quads", "  gl_Position = vec4(gl_TessCoord.xy * 2 - 1, 0, 1);\n  color = vec4(1);\n"), 2);
  const VkPipeline pipeline = c.pipeline(s);
  VkQueryPoolCreateInfo info{VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO};
  info.queryType = VK_QUERY_TYPE_PIPELINE_STATISTICS;
  info.queryCount = 1;
  info.pipelineStatistics = VK_QUERY_PIPELINE_STATISTIC_INPUT_ASSEMBLY_VERTICES_BIT |
                            VK_QUERY_PIPELINE_STATISTIC_INPUT_ASSEMBLY_PRIMITIVES_BIT |
                            VK_QUERY_PIPELINE_STATISTIC_CLIPPING_INVOCATIONS_BIT |
                            VK_QUERY_PIPELINE_STATISTIC_TESSELLATION_CONTROL_SHADER_PATCHES_BIT |
                            VK_QUERY_PIPELINE_STATISTIC_TESSELLATION_EVALUATION_SHADER_INVOCATIONS_BIT;
  VkQueryPool pool = VK_NULL_HANDLE;
  ASSERT_EQ(vkCreateQueryPool(c.v.device, &info, nullptr, &pool), VK_SUCCESS);
  EXPECT_EQ(c.v.run([&](VkCommandBuffer b) {
    vkCmdResetQueryPool(b, pool, 0, 1);
    vkCmdBeginQuery(b, pool, 0, 0);
    c.begin(b, true);
    bind(b, pipeline);
    vkCmdDraw(b, 6, 2, 0, 0);
    c.end(b);
    vkCmdEndQuery(b, pool, 0);
  }),
            VK_SUCCESS);
  std::uint32_t counts[5] = {};
  ASSERT_EQ(vkGetQueryPoolResults(c.v.device, pool, 0, 1, sizeof counts, counts, sizeof counts, 0), VK_SUCCESS);
  EXPECT_EQ(counts[0], 12u);
  EXPECT_EQ(counts[1], 6u);
  EXPECT_EQ(counts[2], 6u * 18);
  EXPECT_EQ(counts[3], 6u);
  EXPECT_EQ(counts[4], 6u * 16);
  vkDestroyQueryPool(c.v.device, pool, nullptr);
}

// Either shader of patches knows the view that is drawn: the control shader says it in an output, the evaluation shader
// adds its own.
TEST(VulkanTessellation, BothShadersKnowTheView_TES14) {
  HEDDLE_NEED_SHADERS();
  const std::string head = "#version 450\n#extension GL_EXT_multiview : require\n";
  on_both_engines([&](bool reference) {
    Canvas c(4, 4, {VK_FORMAT_R8G8B8A8_UNORM}, VK_FORMAT_UNDEFINED, VK_SAMPLE_COUNT_1_BIT,
             {VK_KHR_MULTIVIEW_EXTENSION_NAME});
    const auto layered = c.attachment(VK_FORMAT_R8G8B8A8_UNORM, VK_SAMPLE_COUNT_1_BIT, 0, 4);
    PipelineState s = patches(
        head +
            "layout(vertices = 1) out;\nlayout(location = 0) out uint view[];\nvoid main() { view[gl_InvocationID] = "
            "gl_ViewIndex;\n  for (int k = 0; k < 4; ++k) gl_TessLevelOuter[k] = 2;\n"
            "  for (int k = 0; k < 2; ++k) gl_TessLevelInner[k] = 2; }\n",
        head +
            "layout(quads) in;\nlayout(location = 0) in uint view[];\nlayout(location = 0) out vec4 color;\n"
            "void main() { color = vec4(view[0], gl_ViewIndex, 0, 255) / 255.0;\n"
            "  gl_Position = vec4(2 * gl_TessCoord.xy - 1, 0, 1); }\n");
    s.view_mask = 10;
    const VkPipeline pipeline = c.pipeline(s);
    VkRenderingAttachmentInfo target{VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO};
    target.imageView = layered.view;
    target.imageLayout = VK_IMAGE_LAYOUT_GENERAL;
    target.loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR;
    target.storeOp = VK_ATTACHMENT_STORE_OP_STORE;
    VkRenderingInfo info{VK_STRUCTURE_TYPE_RENDERING_INFO};
    info.renderArea = {{0, 0}, {4, 4}};
    info.layerCount = 1;
    info.viewMask = 10;
    info.colorAttachmentCount = 1;
    info.pColorAttachments = &target;
    const auto begin = c.v.proc<PFN_vkCmdBeginRenderingKHR>("vkCmdBeginRenderingKHR");
    EXPECT_EQ(c.v.run([&](VkCommandBuffer b) {
      begin(b, &info);
      bind(b, pipeline);
      vkCmdDraw(b, 1, 1, 0, 0);
      c.end(b);
    }),
              VK_SUCCESS);
    for (const std::uint32_t l : {1u, 3u}) {
      std::vector<std::uint32_t> pixels(16);
      std::memcpy(pixels.data(), c.read(layered, 4, 0, l).data(), 64);
      EXPECT_EQ(count_of(pixels, 0xff000000u | l << 8 | l), 16u) << "layer " << l << ", reference " << reference;
    }
  });
}

// What one invocation reads of another one's outputs, with no barrier between them, is a race; writing the same is
// none.
TEST(VulkanTessellation, MissingBarriersAreFound_TES11) {
  HEDDLE_NEED_SHADERS();
  setenv("HEDDLE_CHECK", "warn", 1);
  for (const bool barrier : {false, true}) {
    Canvas c(8, 8);
    const std::string control =
        "#version 450\nlayout(vertices = 4) out;\nlayout(location = 0) out float value[];\n"
        "layout(location = 1) patch out float next;\nvoid main() {\n"
        "  value[gl_InvocationID] = gl_InvocationID;\n" +
        std::string(barrier ? "  barrier();\n" : "") +
        "  float other = value[(gl_InvocationID + 1) % 4];\n  if (gl_InvocationID == 3) next = other;\n"
        "  gl_TessLevelOuter = float[4](1, 1, 1, 1);\n  gl_TessLevelInner = float[2](1, 1);\n}\n";
    const VkPipeline pipeline = c.pipeline(
        patches(control,
                "#version 450\nlayout(quads) in;\nlayout(location = 0) out vec4 color;\nlayout(location = 1) patch in "
                "float next;\n"
                "void main() {\n  gl_Position = vec4(gl_TessCoord.xy * 2 - 1, 0, 1);\n  color = vec4(next == 0);\n}\n",
                4));
    c.draw([&](VkCommandBuffer b) {
      bind(b, pipeline);
      vkCmdDraw(b, 8, 1, 0, 0);
    });
    const bool found = std::ranges::any_of(
        c.v.messages, [](const std::string& message) { return message.find("run-race") != std::string::npos; });
    EXPECT_EQ(found, !barrier);
    EXPECT_EQ(c.v.messages.empty(), barrier) << (c.v.messages.empty() ? "" : c.v.messages.front());
    EXPECT_EQ(count_of(c.pixels(), kWhite), 64u);
  }
  unsetenv("HEDDLE_CHECK");
}

/// Pictures of two patches for each domain, spacing, winding and origin: the coordinates as colors.
std::vector<std::vector<std::uint32_t>> pictures(const char* manifest) {
  std::vector<std::vector<std::uint32_t>> all;
  Canvas c(64, 48, {VK_FORMAT_R8G8B8A8_UNORM}, VK_FORMAT_UNDEFINED, VK_SAMPLE_COUNT_1_BIT, {}, manifest);
  for (const std::string domain : {"quads", "triangles", "isolines"})
    for (const std::string spacing : {"equal_spacing", "fractional_even_spacing", "fractional_odd_spacing"})
      for (const std::string order : {"cw", "ccw"})
        for (const auto origin : {VK_TESSELLATION_DOMAIN_ORIGIN_UPPER_LEFT, VK_TESSELLATION_DOMAIN_ORIGIN_LOWER_LEFT}) {
          std::string modes = domain;
          modes += ", " + spacing + ", " + order;
          PipelineState s = patches(
              "#version 450\nlayout(vertices = 1) out;\nvoid main() {\n  float k = gl_PrimitiveID;\n"
              "  gl_TessLevelOuter = float[4](3.3 + k, 7.1, 5.6, 2.4 + k);\n"
              "  gl_TessLevelInner = float[2](5.4, 3.7 - k);\n}\n",
              evaluation_of(modes,
                            "  vec2 bent = gl_TessCoord.xy + 0.4 * gl_TessCoord.yx * (1 - gl_TessCoord.yx);\n"
                            "  gl_Position = vec4(bent * vec2(0.8, 1.5) - vec2(1 - gl_PrimitiveID, 0.9), 0, 1);\n"
                            "  color = vec4(gl_TessCoord, 1);\n"));
          s.raster.cullMode = VK_CULL_MODE_BACK_BIT;
          s.domain_origin = origin;
          all.push_back(drawn(c, s, 2));
        }
  return all;
}

// The rules of the tessellator are Direct3D's, which lavapipe follows too: the same triangles.
TEST(VulkanTessellation, LooksAsOnLavapipe_TES4_TES9) {
  HEDDLE_NEED_SHADERS();
  const char* lavapipe = kLavapipeManifest;
  if (!std::filesystem::exists(lavapipe)) GTEST_SKIP() << "lavapipe is not installed";
  if (std::getenv("HEDDLE_TEST_VALIDATION") != nullptr) GTEST_SKIP() << "lavapipe is not what is validated";
  const auto have = pictures(HEDDLE_VULKAN_MANIFEST), want = pictures(lavapipe);
  ASSERT_EQ(have.size(), want.size());
  for (std::size_t k = 0; k < have.size(); ++k) {
    std::size_t apart = 0;
    for (std::size_t i = 0; i < have[k].size(); ++i)
      for (unsigned channel = 0; channel < 32; channel += 8)
        if (std::abs(int(have[k][i] >> channel & 255) - int(want[k][i] >> channel & 255)) > 2) {
          ++apart;
          break;
        }
    EXPECT_LE(apart, 3u) << "picture " << k;
  }
}

// One of the two shaders alone makes no pipeline.
TEST(VulkanTessellation, BothShadersAreNeeded) {
  HEDDLE_NEED_SHADERS();
  VulkanDevice v;
  const VkPipelineShaderStageCreateInfo stages[] = {
      {VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO, nullptr, 0, VK_SHADER_STAGE_VERTEX_BIT,
       v.module(kNumbered, "vert"), "main", nullptr},
      {VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO, nullptr, 0, VK_SHADER_STAGE_TESSELLATION_CONTROL_BIT,
       v.module(control_of("1"), "tesc"), "main", nullptr}};
  const VkPipelineVertexInputStateCreateInfo input{VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO};
  const VkPipelineInputAssemblyStateCreateInfo assembly{VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO,
                                                        nullptr, 0, VK_PRIMITIVE_TOPOLOGY_PATCH_LIST, VK_FALSE};
  VkPipelineRasterizationStateCreateInfo raster{VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO};
  raster.rasterizerDiscardEnable = VK_TRUE;
  VkPipelineTessellationStateCreateInfo tessellation{VK_STRUCTURE_TYPE_PIPELINE_TESSELLATION_STATE_CREATE_INFO};
  tessellation.patchControlPoints = 1;
  VkPipelineLayoutCreateInfo layout_info{VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO};
  VkPipelineLayout layout = VK_NULL_HANDLE;
  ASSERT_EQ(vkCreatePipelineLayout(v.device, &layout_info, nullptr, &layout), VK_SUCCESS);
  VkGraphicsPipelineCreateInfo info{VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO};
  info.stageCount = 2;
  info.pStages = stages;
  info.pVertexInputState = &input;
  info.pInputAssemblyState = &assembly;
  info.pTessellationState = &tessellation;
  info.pRasterizationState = &raster;
  info.layout = layout;
  VkPipeline made = VK_NULL_HANDLE;
  EXPECT_NE(vkCreateGraphicsPipelines(v.device, VK_NULL_HANDLE, 1, &info, nullptr, &made), VK_SUCCESS);
  ASSERT_FALSE(v.messages.empty());
  EXPECT_NE(v.messages.back().find("no tessellation evaluation shader beside it"), std::string::npos)
      << v.messages.back();
  for (const auto& stage : stages) vkDestroyShaderModule(v.device, stage.module, nullptr);
  vkDestroyPipelineLayout(v.device, layout, nullptr);
}

}  // namespace
}  // namespace heddle::test
