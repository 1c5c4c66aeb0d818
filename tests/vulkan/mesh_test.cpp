// SPDX-License-Identifier: MIT
// Task and mesh shaders through the driver, on both engines: the numbers of groups, payloads, what a group makes, and
// in which order it is drawn. Rules: MSH-1 to MSH-8.

#include <gmock/gmock.h>

#include <algorithm>
#include <optional>

#include "vulkan/canvas.hpp"
#include "vulkan/checks.hpp"

namespace heddle::test {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using Words = std::vector<std::uint32_t>;

const std::vector<const char*> kExtensions{VK_EXT_MESH_SHADER_EXTENSION_NAME,
                                           VK_KHR_SPIRV_1_4_EXTENSION_NAME,
                                           VK_KHR_SHADER_FLOAT_CONTROLS_EXTENSION_NAME,
                                           VK_KHR_MULTIVIEW_EXTENSION_NAME,
                                           VK_KHR_SHADER_DRAW_PARAMETERS_EXTENSION_NAME,
                                           VK_KHR_FRAGMENT_SHADING_RATE_EXTENSION_NAME};

std::vector<const char*> with(std::vector<const char*> more) {
  more.insert(more.end(), kExtensions.begin(), kExtensions.end());
  return more;
}

/// A canvas, and a buffer of words that shaders write (`o`).
struct MeshCanvas : Canvas {
  explicit MeshCanvas(std::uint32_t side = 4, std::uint64_t words = 1024, std::vector<const char*> more = {})
      : Canvas(side, side, {VK_FORMAT_R8G8B8A8_UNORM}, VK_FORMAT_UNDEFINED, VK_SAMPLE_COUNT_1_BIT,
               with(std::move(more))),
        draw_groups(v.proc<PFN_vkCmdDrawMeshTasksEXT>("vkCmdDrawMeshTasksEXT")),
        draw_indirect(v.proc<PFN_vkCmdDrawMeshTasksIndirectEXT>("vkCmdDrawMeshTasksIndirectEXT")),
        draw_count(v.proc<PFN_vkCmdDrawMeshTasksIndirectCountEXT>("vkCmdDrawMeshTasksIndirectCountEXT")) {
    v.stages = VK_SHADER_STAGE_ALL;
    const std::vector<VulkanDevice::Binding> bindings{{0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER}};
    const VkDescriptorSetLayout of_set = v.set_layout(bindings);
    layout = v.layout({of_set});
    set = v.set(of_set, bindings);
    out = v.buffer(words * 4);
    std::memset(out.bytes, 0, words * 4);
    v.write(set, 0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, out);
  }
  VkPipeline pipeline(PipelineState s) {
    s.layout = layout;
    return Canvas::pipeline(s);
  }
  void bind(VkCommandBuffer c, VkPipeline pipeline) const {
    vkCmdBindPipeline(c, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
    vkCmdBindDescriptorSets(c, VK_PIPELINE_BIND_POINT_GRAPHICS, layout, 0, 1, &set, 0, nullptr);
  }
  /// Draws so many groups; the pixels.
  Words draw_groups_of(const PipelineState& s, std::uint32_t x, std::uint32_t y = 1, std::uint32_t z = 1) {
    const VkPipeline made = pipeline(s);
    draw([&](VkCommandBuffer c) {
      bind(c, made);
      draw_groups(c, x, y, z);
    });
    return pixels();
  }
  [[nodiscard]] Words words(std::size_t count) const {
    Words list(count);
    std::memcpy(list.data(), out.bytes, count * 4);
    return list;
  }

  PFN_vkCmdDrawMeshTasksEXT draw_groups;
  PFN_vkCmdDrawMeshTasksIndirectEXT draw_indirect;
  PFN_vkCmdDrawMeshTasksIndirectCountEXT draw_count;
  VkPipelineLayout layout = VK_NULL_HANDLE;
  VkDescriptorSet set = VK_NULL_HANDLE;
  VulkanDevice::Buffer out;
};

/// A test runs on the fast engine, and on the reference engine with the sanitizer on.
class VulkanMesh : public ::testing::TestWithParam<bool> {
 protected:
  VulkanMesh() {
    if (GetParam()) checks_.emplace();
  }

 private:
  std::optional<ChecksOn> checks_;
};
INSTANTIATE_TEST_SUITE_P(Engines, VulkanMesh, ::testing::Bool(),
                         [](const auto& info) { return info.param ? "Reference" : "Fast"; });

const std::string kHead =
    "#version 460\n#extension GL_EXT_mesh_shader : require\n#extension GL_EXT_multiview : enable\n"
    "#extension GL_KHR_shader_subgroup_arithmetic : enable\n"
    "#extension GL_EXT_fragment_shading_rate : enable\n"
    "layout(binding = 0, std430) buffer Out { uint o[]; };\n";

/// A function that makes the square of pixel `n` of 4 x 4, vertices 4k to 4k + 3 and triangles 2k and 2k + 1.
const std::string kSquare =
    "void square(uint k, uint n) { for (uint c = 0; c < 4; ++c)\n"
    "    gl_MeshVerticesEXT[4 * k + c].gl_Position = vec4(-1 + int(n % 4 + c % 2) * 0.5, -1 + int(n / 4 + c / 2) * "
    "0.5, "
    "0.5, 1);\n"
    "  gl_PrimitiveTriangleIndicesEXT[2 * k] = uvec3(4 * k, 4 * k + 1, 4 * k + 2);\n"
    "  gl_PrimitiveTriangleIndicesEXT[2 * k + 1] = uvec3(4 * k + 2, 4 * k + 1, 4 * k + 3); }\n";

/// A mesh shader of one invocation a group, which makes one square.
std::string one_square(const std::string& outputs, const std::string& body) {
  return kHead + "layout(local_size_x = 1) in; layout(triangles, max_vertices = 4, max_primitives = 2) out;\n" +
         outputs + kSquare + "void main() { SetMeshOutputsEXT(4, 2);\n" + body + " }\n";
}

/// A fragment shader whose red is the primitive's number `n`.
const std::string kShowsNumber =
    kHead +
    "layout(location = 0) perprimitiveEXT flat in uint n;\nlayout(location = 0) out vec4 color;\n"
    "void main() { color = vec4(n / 255.0, 0, 0, 1); }\n";

constexpr std::uint32_t red(std::uint32_t n) { return 0xff000000u | n; }

TEST_P(VulkanMesh, GroupsMakeTriangles_MSH4) {
  HEDDLE_NEED_SHADERS();
  for (const bool libraries : {false, true}) {
    MeshCanvas c(4, 16,
                 libraries ? std::vector<const char*>{VK_KHR_PIPELINE_LIBRARY_EXTENSION_NAME,
                                                      VK_EXT_GRAPHICS_PIPELINE_LIBRARY_EXTENSION_NAME}
                           : std::vector<const char*>{});
    PipelineState s;
    s.libraries = libraries;
    s.mesh =
        one_square("layout(location = 0) perprimitiveEXT flat out uint n[];\nlayout(location = 1) out vec2 at[];\n",
                   "square(0, gl_WorkGroupID.x); n[0] = n[1] = 100 + gl_WorkGroupID.x;\n"
                   "for (int k = 0; k < 4; ++k) at[k] = vec2(k % 2, k / 2);");
    s.fragment = kHead +
                 "layout(location = 0) perprimitiveEXT flat in uint n;\nlayout(location = 1) in vec2 at;\n"
                 "layout(location = 0) out vec4 color;\nvoid main() { color = vec4(n / 255.0, at, 1); }\n";
    const Words pixels = c.draw_groups_of(s, 15);
    // In the middle of a square both coordinates are a half: 127.5 is rounded to the even number.
    for (std::uint32_t i = 0; i < 15; ++i) EXPECT_EQ(pixels[i], 0xff808000u | (100 + i)) << i;
    EXPECT_EQ(pixels[15], 0u);
  }
}

// A group's invocations, 40 of them in several threads, write what others of it said.
TEST_P(VulkanMesh, InvocationsShareMemory_MSH4) {
  HEDDLE_NEED_SHADERS();
  MeshCanvas c;
  PipelineState s;
  s.mesh = kHead +
           "layout(local_size_x = 10, local_size_y = 4) in; layout(triangles, max_vertices = 64, max_primitives = 32) "
           "out;\n"
           "layout(location = 0) perprimitiveEXT flat out uint n[];\nshared uint s[40]; shared uint sum;\n" +
           kSquare +
           "void main() { uint i = gl_LocalInvocationIndex; s[i] = i; if (i == 0) sum = 0; barrier();\n"
           "  SetMeshOutputsEXT(64, 32); uint all = subgroupAdd(1u);\n"
           "  if (subgroupElect()) atomicAdd(sum, all); barrier();\n"
           "  if (i < 16) { square(i, s[39 - i] - 24); n[2 * i] = n[2 * i + 1] = sum + i; }\n"
           "  if (i == 39) { o[0] = gl_NumSubgroups * gl_SubgroupSize; o[1] = gl_WorkGroupSize.y; } }\n";
  s.fragment = kShowsNumber;
  const Words pixels = c.draw_groups_of(s, 1);
  for (std::uint32_t i = 0; i < 16; ++i) EXPECT_EQ(pixels[15 - i], red(40 + i)) << i;
  EXPECT_EQ(c.out.word(0), 48u);  // 3 subgroups of 16
  EXPECT_EQ(c.out.word(1), 4u);
}

TEST_P(VulkanMesh, GroupsHaveNumbers_MSH1) {
  HEDDLE_NEED_SHADERS();
  MeshCanvas c;
  PipelineState s;
  s.mesh =
      kHead +
      "layout(local_size_x = 2) in; layout(points, max_vertices = 1, max_primitives = 1) out;\n"
      "void main() { uvec3 w = gl_WorkGroupID, a = gl_NumWorkGroups; uint n = w.x + a.x * (w.y + a.y * w.z);\n"
      "  o[2 * n + gl_LocalInvocationID.x] = gl_GlobalInvocationID.x + 10 * w.y + 100 * w.z + 1000 * a.x + 10000 * "
      "a.y + 100000 * a.z;\n"
      "  SetMeshOutputsEXT(0, 0); }\n";
  s.raster.rasterizerDiscardEnable = VK_TRUE;
  (void)c.draw_groups_of(s, 3, 2, 4);
  for (std::uint32_t n = 0; n < 24; ++n)
    for (std::uint32_t i = 0; i < 2; ++i)
      EXPECT_EQ(c.out.word(2 * n + i), 423000 + 2 * (n % 3) + i + 10 * (n / 3 % 2) + 100 * (n / 6)) << n;
}

const std::string kPayload =
    "struct Part { vec3 v; uint u[2]; };\nstruct Payload { uint first; Part part[3]; mat2 m; };\n"
    "taskPayloadSharedEXT Payload payload;\n";

// Tasks of several sizes: their groups follow each other, and each reads the payload of its own.
TEST_P(VulkanMesh, TasksGiveGroupsAPayload_MSH2_MSH3) {
  HEDDLE_NEED_SHADERS();
  MeshCanvas c;
  PipelineState s;
  s.task = kHead + "layout(local_size_x = 20) in;\n" + kPayload +
           "void main() { uint i = gl_LocalInvocationIndex, w = gl_WorkGroupID.x + 2 * gl_WorkGroupID.y;\n"
           "  if (i == 0) { payload.first = 0; payload.m = mat2(1, 2, 3, w); } barrier();\n"
           "  if (i >= 17) { payload.part[i - 17].v = vec3(i, w, 5); payload.part[i - 17].u[1] = 10 * i; }\n"
           "  atomicAdd(payload.first, w); barrier();\n"
           "  EmitMeshTasksEXT(w, 1 + w % 2, 1); }\n";
  s.mesh = kHead + "layout(local_size_x = 1) in; layout(triangles, max_vertices = 4, max_primitives = 2) out;\n" +
           kPayload +
           "void main() { SetMeshOutputsEXT(0, 0); uint w = uint(payload.part[0].v.y);\n"
           "  uint n = 8 * w + gl_WorkGroupID.x + gl_NumWorkGroups.x * gl_WorkGroupID.y;\n"
           "  o[n] = payload.first + 1000 * uint(payload.part[w % 3].v.x) + 100000 * payload.part[1].u[1] +\n"
           "    uint(payload.m[1].y) + 10000000 * gl_NumWorkGroups.y; }\n";
  s.raster.rasterizerDiscardEnable = VK_TRUE;
  (void)c.draw_groups_of(s, 2, 2);
  for (std::uint32_t w = 0; w < 4; ++w)
    for (std::uint32_t n = 0; n < 8; ++n) {
      const std::uint32_t groups = w * (1 + w % 2);
      const std::uint32_t value = 20 * w + 1000 * (17 + w % 3) + 18000000 + w + 10000000 * (1 + w % 2);
      EXPECT_EQ(c.out.word(8 * w + n), n < groups ? value : 0u) << w << " " << n;
    }
}

// More groups than a window holds, of tasks and of meshes, on all threads: the last one of a pixel is seen.
TEST_P(VulkanMesh, GroupsKeepTheirOrder_MSH7) {
  HEDDLE_NEED_SHADERS();
  MeshCanvas c;
  const std::uint32_t tasks = GetParam() ? 40 : 1500;
  PipelineState s;
  s.task = kHead +
           "layout(local_size_x = 1) in;\nstruct P { uint n; }; taskPayloadSharedEXT P p;\n"
           "void main() { p.n = gl_WorkGroupID.x; EmitMeshTasksEXT(1 + gl_WorkGroupID.x % 7, 1, 1); }\n";
  s.mesh =
      kHead + "layout(local_size_x = 1) in; layout(triangles, max_vertices = 64, max_primitives = 32) out;\n" +
      "struct P { uint n; }; taskPayloadSharedEXT P p;\nlayout(location = 0) perprimitiveEXT flat out uint n[];\n" +
      kSquare +
      "void main() { SetMeshOutputsEXT(64, 32); for (uint k = 0; k < 16; ++k) { square(k, k);\n"
      "  n[2 * k] = n[2 * k + 1] = (p.n + k + 3 * gl_WorkGroupID.x) % 256; } }\n";
  s.fragment = kShowsNumber;
  const Words pixels = c.draw_groups_of(s, tasks);
  const std::uint32_t last = tasks - 1;
  for (std::uint32_t k = 0; k < 16; ++k) EXPECT_EQ(pixels[k], red((last + k + 3 * (last % 7)) % 256)) << k;
}

// Of triangles of one group the later one is drawn over the earlier one.
TEST_P(VulkanMesh, PrimitivesKeepTheirOrder_MSH7) {
  HEDDLE_NEED_SHADERS();
  MeshCanvas c;
  PipelineState s;
  s.mesh = kHead +
           "layout(local_size_x = 32) in; layout(triangles, max_vertices = 3, max_primitives = 200) out;\n"
           "layout(location = 0) perprimitiveEXT flat out uint n[];\n"
           "void main() { SetMeshOutputsEXT(3, 200); uint i = gl_LocalInvocationIndex;\n"
           "  if (i < 3) gl_MeshVerticesEXT[i].gl_Position = vec4(i == 1 ? 3 : -1, i == 2 ? 3 : -1, 0.5, 1);\n"
           "  for (; i < 200; i += 32) { gl_PrimitiveTriangleIndicesEXT[i] = uvec3(0, 1, 2); n[i] = 255 - i; } }\n";
  s.fragment = kShowsNumber;
  EXPECT_THAT(c.draw_groups_of(s, 3), Each(red(56)));
}

TEST_P(VulkanMesh, MakesPointsAndLines_MSH4) {
  HEDDLE_NEED_SHADERS();
  MeshCanvas c;
  PipelineState s;
  s.mesh = kHead +
           "layout(local_size_x = 4) in; layout(points, max_vertices = 4, max_primitives = 4) out;\n"
           "layout(location = 0) perprimitiveEXT flat out uint n[];\n"
           "void main() { SetMeshOutputsEXT(4, 4); uint i = gl_LocalInvocationIndex;\n"
           "  gl_MeshVerticesEXT[i].gl_Position = vec4(-0.75 + i * 0.5, -0.75 + i * 0.5, 0.5, 1);\n"
           "  gl_MeshVerticesEXT[i].gl_PointSize = 1; gl_PrimitivePointIndicesEXT[i] = 3 - i; n[i] = 10 + i; }\n";
  s.fragment = kShowsNumber;
  Words pixels = c.draw_groups_of(s, 1);
  for (std::uint32_t i = 0; i < 16; ++i) EXPECT_EQ(pixels[i], i % 5 == 0 ? red(13 - i / 5) : 0u) << i;

  s.mesh = kHead +
           "layout(local_size_x = 4) in; layout(lines, max_vertices = 8, max_primitives = 4) out;\n"
           "layout(location = 0) perprimitiveEXT flat out uint n[];\n"
           "void main() { SetMeshOutputsEXT(8, 4); uint i = gl_LocalInvocationIndex;\n"
           "  gl_MeshVerticesEXT[i].gl_Position = vec4(-1, -0.75 + i * 0.5, 0.5, 1);\n"
           "  gl_MeshVerticesEXT[4 + i].gl_Position = vec4(1, -0.75 + i * 0.5, 0.5, 1);\n"
           "  gl_PrimitiveLineIndicesEXT[i] = uvec2(i, 4 + i); n[i] = 20 + i; }\n";
  pixels = c.draw_groups_of(s, 1);
  for (std::uint32_t i = 0; i < 16; ++i) EXPECT_EQ(pixels[i], red(20 + i / 4)) << i;
}

TEST_P(VulkanMesh, PrimitivesAreCulled_MSH6) {
  HEDDLE_NEED_SHADERS();
  MeshCanvas c;
  PipelineState s;
  s.mesh = one_square("layout(location = 0) perprimitiveEXT flat out uint n[];\n",
                      "square(0, gl_WorkGroupID.x); n[0] = n[1] = 7;\n"
                      "gl_MeshPrimitivesEXT[0].gl_CullPrimitiveEXT = gl_WorkGroupID.x % 3 == 1;\n"
                      "gl_MeshPrimitivesEXT[1].gl_CullPrimitiveEXT = gl_WorkGroupID.x % 3 == 1;");
  s.fragment = kShowsNumber;
  const Words pixels = c.draw_groups_of(s, 16);
  for (std::uint32_t i = 0; i < 16; ++i) EXPECT_EQ(pixels[i], i % 3 == 1 ? 0u : red(7)) << i;
}

// Attributes of any shape, for vertices and for primitives, and built-in numbers.
TEST_P(VulkanMesh, PrimitivesHaveAttributes_MSH5) {
  HEDDLE_NEED_SHADERS();
  MeshCanvas c;
  PipelineState s;
  const std::string block = "perprimitiveEXT BLOCK Own { vec3 w; flat ivec2 pair; float a[2]; } own";
  const auto declared = [&](const std::string& direction, const std::string& array) {
    std::string text = "layout(location = 2) " + block + array + ";\n";
    text.replace(text.find("BLOCK"), 5, direction);
    return text + "layout(location = 7) flat " + direction + " uint u" + array + ";\n";
  };
  s.mesh = one_square(
      declared("out", "[]"),
      "uint g = gl_WorkGroupID.x; square(0, g);\n"
      "for (int k = 0; k < 4; ++k) u[k] = 40 + g;\n"
      "for (int p = 0; p < 2; ++p) { own[p].w = vec3(g, g + 1, g + 2); own[p].pair = ivec2(-int(g), 9);\n"
      "  own[p].a[0] = 0.5; own[p].a[1] = g * 0.25; gl_MeshPrimitivesEXT[p].gl_PrimitiveID = int(1000 + g); }");
  s.fragment = kHead + declared("in", "") +
               "layout(location = 0) out vec4 color;\nvoid main() { uint g = uint(own.w.x);\n"
               "  bool good = own.w.yz == vec2(g + 1, g + 2) && own.pair == ivec2(-int(g), 9) && own.a[0] == 0.5 &&\n"
               "    own.a[1] == g * 0.25 && u == 40 + g && gl_PrimitiveID == 1000 + g;\n"
               "  color = vec4(g / 255.0, good ? 1 : 0, 0, 1); }\n";
  const Words pixels = c.draw_groups_of(s, 16);
  for (std::uint32_t i = 0; i < 16; ++i) EXPECT_EQ(pixels[i], 0xff00ff00u | i) << i;
}

// Halves and shorts of vertices and of primitives, and of a payload.
TEST_P(VulkanMesh, AttributesAndPayloadsOf16Bits_MSH5) {
  HEDDLE_NEED_SHADERS();
  MeshCanvas c(4, 1024, {VK_KHR_16BIT_STORAGE_EXTENSION_NAME, VK_KHR_SHADER_FLOAT16_INT8_EXTENSION_NAME});
  const std::string types = "#extension GL_EXT_shader_explicit_arithmetic_types : require\n";
  const auto head = [&](std::string text) {
    text.insert(text.find('\n') + 1, types);
    return text;
  };
  const std::string payload = "struct Given { float16_t h[3]; int16_t s; };\ntaskPayloadSharedEXT Given given;\n";
  PipelineState s;
  s.task = head(kHead + "layout(local_size_x = 1) in;\n" + payload +
                "void main() { for (int k = 0; k < 3; ++k) given.h[k] = float16_t(k + 0.5); given.s = int16_t(-7 - "
                "int(o[0]));\n"
                "  EmitMeshTasksEXT(16, 1, 1); }\n");
  const auto declared = [](const std::string& direction, const std::string& array) {
    std::string text =
        "layout(location = 2) perprimitiveEXT BLOCK Own { f16vec3 w; flat i16vec2 pair; flat uint16_t a[2]; } own" +
        array + ";\nlayout(location = 7, component = 1) BLOCK f16vec2 h" + array +
        ";\nlayout(location = 8) flat BLOCK int16_t u" + array + ";\n";
    for (std::size_t at = 0; (at = text.find("BLOCK")) != std::string::npos;) text.replace(at, 5, direction);
    return text;
  };
  s.mesh = head(one_square(
      payload + declared("out", "[]"),
      "int g = int(gl_WorkGroupID.x); square(0, g);\n"
      "for (int k = 0; k < 4; ++k) { h[k] = f16vec2(vec2(g, float(given.h[2]))); u[k] = int16_t(int(given.s) - g); }\n"
      "for (int p = 0; p < 2; ++p) { own[p].w = f16vec3(vec3(g, g + 1, -g)); own[p].pair = i16vec2(ivec2(-g, 9));\n"
      "  own[p].a[0] = uint16_t(65535 - g); own[p].a[1] = uint16_t(g); }"));
  s.fragment = head(kHead + declared("in", "") +
                    "layout(location = 0) out vec4 color;\nvoid main() { int g = int(float(own.w.x));\n"
                    "  bool good = vec2(own.w.yz) == vec2(g + 1, -g) && ivec2(own.pair) == ivec2(-g, 9) &&\n"
                    "    uint(own.a[0]) == 65535 - g && uint(own.a[1]) == g;\n"
                    "  color = vec4(g / 255.0, good ? 1 : 0, vec2(h) == vec2(g, 2.5) && int(u) == -7 - g, 1); }\n");
  const Words pixels = c.draw_groups_of(s, 1);
  for (std::uint32_t i = 0; i < 16; ++i) EXPECT_EQ(pixels[i], 0xffffff00u | i) << i;
  EXPECT_THAT(c.v.messages, ::testing::IsEmpty());
}

TEST_P(VulkanMesh, ChoosesLayersAndViewports_MSH5) {
  HEDDLE_NEED_SHADERS();
  MeshCanvas c(4);
  const auto layered = c.attachment(VK_FORMAT_R8G8B8A8_UNORM, VK_SAMPLE_COUNT_1_BIT, 0, 3);
  PipelineState s;
  s.mesh = kHead +
           "layout(local_size_x = 3) in; layout(triangles, max_vertices = 3, max_primitives = 3) out;\n"
           "layout(location = 0) perprimitiveEXT flat out uint n[];\n"
           "void main() { SetMeshOutputsEXT(3, 3); uint k = gl_LocalInvocationIndex;\n"
           "  gl_MeshVerticesEXT[k].gl_Position = vec4(k == 1 ? 3 : -1, k == 2 ? 3 : -1, 0, 1);\n"
           "  gl_PrimitiveTriangleIndicesEXT[k] = uvec3(0, 1, 2); n[k] = 5;\n"
           "  gl_MeshPrimitivesEXT[k].gl_Layer = int(k); gl_MeshPrimitivesEXT[k].gl_ViewportIndex = int(k % 2); }\n";
  s.fragment = kHead +
               "layout(location = 0) perprimitiveEXT flat in uint n;\nlayout(location = 0) out vec4 o1;\n"
               "void main() { o1 = vec4(gl_Layer / 255.0, gl_ViewportIndex / 255.0, n / 255.0, 1); }\n";
  s.viewports = {{0, 0, 2, 4, 0, 1}, {2, 0, 2, 4, 0, 1}};
  const VkPipeline pipeline = c.pipeline(s);
  VkRenderingAttachmentInfo target{VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO};
  target.imageView = layered.view;
  target.imageLayout = VK_IMAGE_LAYOUT_GENERAL;
  target.loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR;
  target.storeOp = VK_ATTACHMENT_STORE_OP_STORE;
  VkRenderingInfo info{VK_STRUCTURE_TYPE_RENDERING_INFO};
  info.renderArea = {{0, 0}, {4, 4}};
  info.layerCount = 3;
  info.colorAttachmentCount = 1;
  info.pColorAttachments = &target;
  const auto begin = c.v.proc<PFN_vkCmdBeginRenderingKHR>("vkCmdBeginRenderingKHR");
  EXPECT_EQ(c.v.run([&](VkCommandBuffer b) {
    begin(b, &info);
    c.bind(b, pipeline);
    c.draw_groups(b, 1, 1, 1);
    c.end(b);
  }),
            VK_SUCCESS);
  for (std::uint32_t l = 0; l < 3; ++l) {
    const auto bytes = c.read(layered, 4, 0, l);
    for (std::uint32_t i = 0; i < 16; ++i) {
      std::uint32_t pixel = 0;
      std::memcpy(&pixel, bytes.data() + 4 * i, 4);
      const bool inside = (i % 4 >= 2) == (l % 2 == 1);
      EXPECT_EQ(pixel, inside ? 0xff050000u | l % 2 << 8 | l : 0u) << l << " " << i;
    }
  }
}

// Tasks run for each view, and mesh shaders read it (glslang 12 gives tasks no gl_ViewIndex).
TEST_P(VulkanMesh, KnowsItsView_MSH1) {
  HEDDLE_NEED_SHADERS();
  MeshCanvas c(2);
  const auto layered = c.attachment(VK_FORMAT_R8G8B8A8_UNORM, VK_SAMPLE_COUNT_1_BIT, 0, 4);
  PipelineState s;
  s.view_mask = 10;
  const std::string payload = "struct P { int view; }; taskPayloadSharedEXT P p;\n";
  s.task =
      kHead + "layout(local_size_x = 1) in;\n" + payload + "void main() { p.view = 7; EmitMeshTasksEXT(1, 1, 1); }\n";
  s.mesh =
      kHead + "layout(local_size_x = 1) in; layout(triangles, max_vertices = 3, max_primitives = 1) out;\n" + payload +
      "layout(location = 0) perprimitiveEXT flat out uint n[];\n"
      "void main() { SetMeshOutputsEXT(3, 1); gl_PrimitiveTriangleIndicesEXT[0] = uvec3(0, 1, 2);\n"
      "  for (int k = 0; k < 3; ++k) gl_MeshVerticesEXT[k].gl_Position = vec4(k == 1 ? 3 : -1, k == 2 ? 3 : -1, 0, "
      "1);\n"
      "  n[0] = p.view + 16 * gl_ViewIndex; }\n";
  s.fragment = kShowsNumber;
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
    c.bind(b, pipeline);
    c.draw_groups(b, 1, 1, 1);
    c.end(b);
  }),
            VK_SUCCESS);
  for (const std::uint32_t l : {1u, 3u}) {
    std::uint32_t pixel = 0;
    std::memcpy(&pixel, c.read(layered, 4, 0, l).data(), 4);
    EXPECT_EQ(pixel, red(7 + 16 * l));
  }
}

// The numbers of draws come from a buffer, and how many there are from another one.
TEST_P(VulkanMesh, IndirectDraws_MSH1) {
  HEDDLE_NEED_SHADERS();
  MeshCanvas c;
  PipelineState s;
  s.mesh =
      one_square("layout(location = 0) perprimitiveEXT flat out uint n[];\n",
                 "square(0, 4 * gl_DrawID + gl_WorkGroupID.x + 2 * gl_WorkGroupID.y); n[0] = n[1] = 1 + gl_DrawID;");
  s.fragment = kShowsNumber;
  const VkPipeline pipeline = c.pipeline(s);
  const VulkanDevice::Buffer draws = c.v.buffer(256, VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT);
  const Words numbers{99, 3, 1, 1, 77, 0, 1, 1, 77, 2, 2, 1, 77, 1, 1, 1, 2};
  for (std::size_t k = 0; k < numbers.size(); ++k) draws.set(k, numbers[k]);
  c.draw([&](VkCommandBuffer b) {
    c.bind(b, pipeline);
    c.draw_indirect(b, draws.buffer, 4, 4, 16);
  });
  const auto shown = [&](std::uint32_t last_draw) {
    Words expected(16);
    for (const std::uint32_t i : {0u, 1u, 2u}) expected[i] = red(1);
    for (const std::uint32_t i : {8u, 9u, 10u, 11u}) expected[i] = last_draw >= 2 ? red(3) : 0;
    expected[12] = last_draw >= 3 ? red(4) : 0;
    return expected;
  };
  EXPECT_EQ(c.pixels(), shown(3));
  for (const std::uint32_t most : {1u, 2u, 4u}) {  // the buffer says 2
    c.draw([&](VkCommandBuffer b) {
      c.bind(b, pipeline);
      c.draw_count(b, draws.buffer, 4, draws.buffer, 64, most, 16);
    });
    EXPECT_EQ(c.pixels(), shown(std::min(most, 2u) - 1)) << most;
  }
}

TEST_P(VulkanMesh, WritesSizesAndDistances_MSH5) {
  HEDDLE_NEED_SHADERS();
  MeshCanvas c(8);
  const auto covered = [&](const std::string& distance) {
    PipelineState s;
    s.mesh = kHead +
             "layout(local_size_x = 1) in; layout(points, max_vertices = 1, max_primitives = 1) out;\n"
             "void main() { SetMeshOutputsEXT(1, 1); gl_PrimitivePointIndicesEXT[0] = 0;\n"
             "  gl_MeshVerticesEXT[0].gl_Position = vec4(0, 0, 0, 1); gl_MeshVerticesEXT[0].gl_PointSize = 2;\n"
             "  gl_MeshVerticesEXT[0].gl_ClipDistance[0] = " +
             distance + "; }\n";
    s.fragment = kHead + "layout(location = 0) out vec4 color;\nvoid main() { color = vec4(1); }\n";
    const Words pixels = c.draw_groups_of(s, 1);
    return std::count(pixels.begin(), pixels.end(), 0xffffffffu);
  };
  EXPECT_EQ(covered("0.5"), 4);
  EXPECT_EQ(covered("-0.5"), 0);
}

// A rate of 2 x 2 pixels for each second primitive: one fragment covers four pixels.
TEST_P(VulkanMesh, PrimitivesHaveShadingRates_MSH5) {
  HEDDLE_NEED_SHADERS();
  MeshCanvas c(4);
  PipelineState s;
  s.mesh = kHead +
           "layout(local_size_x = 1) in; layout(triangles, max_vertices = 8, max_primitives = 4) out;\n"
           "void main() { SetMeshOutputsEXT(8, 4);\n"
           "  for (uint k = 0; k < 8; ++k)\n"
           "    gl_MeshVerticesEXT[k].gl_Position = vec4(k % 2 == 0 ? -1 : 1, -1 + int((k / 2 + 1) / 2), 0, 1);\n"
           "  for (uint k = 0; k < 4; ++k) {\n"
           "    gl_PrimitiveTriangleIndicesEXT[k] = uvec3(0, 1, 2) + (k % 2) * uvec3(1) + (k / 2) * uvec3(4);\n"
           "    gl_MeshPrimitivesEXT[k].gl_PrimitiveShadingRateEXT = k < 2 ? 0 : 5; } }\n";
  s.fragment = kHead +
               "layout(location = 0) out vec4 color;\n"
               "void main() { atomicAdd(o[gl_FragCoord.y < 2 ? 0 : 1], 1); color = vec4(1); }\n";
  const VkFragmentShadingRateCombinerOpKHR keep = VK_FRAGMENT_SHADING_RATE_COMBINER_OP_KEEP_KHR,
                                           replace = VK_FRAGMENT_SHADING_RATE_COMBINER_OP_REPLACE_KHR;
  const VkPipelineFragmentShadingRateStateCreateInfoKHR rate{
      VK_STRUCTURE_TYPE_PIPELINE_FRAGMENT_SHADING_RATE_STATE_CREATE_INFO_KHR, nullptr, {1, 1}, {replace, keep}};
  s.chain = &rate;
  EXPECT_THAT(c.draw_groups_of(s, 1), Each(0xffffffffu));
  EXPECT_EQ(c.out.word(0), 8u);
  EXPECT_LT(c.out.word(1), 8u);
}

TEST_P(VulkanMesh, IsCounted_MSH8) {
  HEDDLE_NEED_SHADERS();
  MeshCanvas c;
  PipelineState s;
  s.task = kHead + "layout(local_size_x = 5) in;\nvoid main() { EmitMeshTasksEXT(1 + gl_WorkGroupID.x, 1, 1); }\n";
  s.mesh =
      kHead +
      "layout(local_size_x = 3) in; layout(points, max_vertices = 4, max_primitives = 4) out;\n"
      "void main() { SetMeshOutputsEXT(1, gl_WorkGroupID.x + 1); uint i = gl_LocalInvocationIndex;\n"
      "  gl_MeshVerticesEXT[0].gl_Position = vec4(0, 0, 0, 1); gl_MeshVerticesEXT[0].gl_PointSize = 1;\n"
      "  if (i <= gl_WorkGroupID.x) { gl_PrimitivePointIndicesEXT[i] = 0; gl_MeshPrimitivesEXT[i].gl_CullPrimitiveEXT "
      "= i == 1; } }\n";
  s.fragment = kHead + "layout(location = 0) out vec4 color;\nvoid main() { color = vec4(1); }\n";
  const VkPipeline pipeline = c.pipeline(s);
  const auto query = [&](VkQueryType type, VkQueryPipelineStatisticFlags statistics, std::size_t values) {
    const VkQueryPoolCreateInfo info{VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO, nullptr, 0, type, 1, statistics};
    VkQueryPool pool = VK_NULL_HANDLE;
    EXPECT_EQ(vkCreateQueryPool(c.v.device, &info, nullptr, &pool), VK_SUCCESS);
    EXPECT_EQ(c.v.run([&](VkCommandBuffer b) {
      vkCmdResetQueryPool(b, pool, 0, 1);
      vkCmdBeginQuery(b, pool, 0, 0);
      c.begin(b, true);
      c.bind(b, pipeline);
      c.draw_groups(b, 3, 1, 1);
      c.end(b);
      vkCmdEndQuery(b, pool, 0);
    }),
              VK_SUCCESS);
    std::vector<std::uint64_t> numbers(values);
    EXPECT_EQ(vkGetQueryPoolResults(c.v.device, pool, 0, 1, 8 * values, numbers.data(), 8 * values,
                                    VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT),
              VK_SUCCESS);
    vkDestroyQueryPool(c.v.device, pool, nullptr);
    return numbers;
  };
  // Tasks have 1, 2 and 3 mesh groups; these make 1, 1 + 2 and 1 + 2 + 3 primitives.
  EXPECT_THAT(query(VK_QUERY_TYPE_MESH_PRIMITIVES_GENERATED_EXT, 0, 1), ElementsAre(10u));
  EXPECT_THAT(query(VK_QUERY_TYPE_PIPELINE_STATISTICS,
                    VK_QUERY_PIPELINE_STATISTIC_CLIPPING_INVOCATIONS_BIT |
                        VK_QUERY_PIPELINE_STATISTIC_TASK_SHADER_INVOCATIONS_BIT_EXT |
                        VK_QUERY_PIPELINE_STATISTIC_MESH_SHADER_INVOCATIONS_BIT_EXT,
                    3),
              ElementsAre(7u, 15u, 18u));
}

TEST_P(VulkanMesh, OutputsBeyondTheDeclaredNumberAreNotThere_MSH4) {
  HEDDLE_NEED_SHADERS();
  MeshCanvas c;
  c.v.expects_messages = GetParam();
  PipelineState s;
  s.mesh = kHead + "layout(local_size_x = 1) in; layout(triangles, max_vertices = 4, max_primitives = 2) out;\n" +
           "layout(location = 0) perprimitiveEXT flat out uint n[];\n" + kSquare +
           "void main() { SetMeshOutputsEXT(4 + o[0], 2 + o[1]); square(0, gl_WorkGroupID.x); n[0] = n[1] = 9; }\n";
  s.fragment = kShowsNumber;
  c.out.set(0, 3);
  c.out.set(1, 5);
  const Words pixels = c.draw_groups_of(s, 2);
  for (std::uint32_t i = 0; i < 16; ++i) EXPECT_EQ(pixels[i], i < 2 ? red(9) : 0u) << i;
  if (GetParam())
    expect_found(c.v.messages,
                 {"run-too-many-outputs",
                  {"mesh group (0, 0, 0) makes 7 vertices and 7 primitives, of 4 and 2 that the shader declares"}});
}

TEST_P(VulkanMesh, VerticesThatAreNotThereAreNotDrawn_MSH4) {
  HEDDLE_NEED_SHADERS();
  MeshCanvas c;
  c.v.expects_messages = GetParam();
  PipelineState s;
  s.mesh =
      kHead + "layout(local_size_x = 1) in; layout(triangles, max_vertices = 4, max_primitives = 2) out;\n" +
      "layout(location = 0) perprimitiveEXT flat out uint n[];\n" + kSquare +
      "void main() { SetMeshOutputsEXT(3 + gl_WorkGroupID.x, 2); square(0, gl_WorkGroupID.x); n[0] = n[1] = 9; }\n";
  s.fragment = kHead +
               "layout(location = 0) perprimitiveEXT flat in uint n;\nlayout(location = 0) out vec4 color;\n"
               "void main() { atomicAdd(o[int(gl_FragCoord.x)], 1); color = vec4(n / 255.0, 0, 0, 1); }\n";
  // Of group 0 the second triangle has vertex 3; the middle of a square is inside of that one (PIX-8).
  (void)c.draw_groups_of(s, 2);
  EXPECT_EQ(c.out.word(0), 0u);
  EXPECT_EQ(c.out.word(1), 1u);
  if (GetParam())
    expect_found(c.v.messages, {"run-mesh-index", {"primitive 1 of mesh group (0, 0, 0) has the vertex 3, of 3"}});
}

// A group that says nothing makes nothing; neither does a task without a word.
TEST_P(VulkanMesh, GroupsMayMakeNothing_MSH2_MSH4) {
  HEDDLE_NEED_SHADERS();
  MeshCanvas c;
  PipelineState s;
  s.task = kHead +
           "layout(local_size_x = 1) in;\nvoid main() { if (gl_WorkGroupID.x == 1) return; "
           "EmitMeshTasksEXT(gl_WorkGroupID.x == 2 ? 0 : 1, 1, 1); }\n";
  s.mesh = kHead + "layout(local_size_x = 1) in; layout(triangles, max_vertices = 4, max_primitives = 2) out;\n" +
           "layout(location = 0) perprimitiveEXT flat out uint n[];\n" + kSquare +
           "void main() { uint k = atomicAdd(o[0], 1); if (k % 2 == 1) return;\n"
           "  SetMeshOutputsEXT(4, 2); square(0, k + 1); n[0] = n[1] = 3; }\n";
  s.fragment = kShowsNumber;
  const Words pixels = c.draw_groups_of(s, 4);  // mesh groups of the tasks 0 and 3
  EXPECT_EQ(c.out.word(0), 2u);
  for (std::uint32_t i = 0; i < 16; ++i) EXPECT_EQ(pixels[i], i == 1 ? red(3) : 0u) << i;
}

TEST_P(VulkanMesh, TooManyGroupsAreNone_MSH2) {
  HEDDLE_NEED_SHADERS();
  MeshCanvas c;
  c.v.expects_messages = GetParam();
  PipelineState s;
  s.task = kHead +
           "layout(local_size_x = 1) in;\n"
           "void main() { EmitMeshTasksEXT(gl_WorkGroupID.x == 0 ? 70000 : gl_WorkGroupID.x == 1 ? 65535 : 1, 1, "
           "gl_WorkGroupID.x == 1 ? 65 : 1); }\n";
  s.mesh = kHead +
           "layout(local_size_x = 1) in; layout(points, max_vertices = 1, max_primitives = 1) out;\n"
           "void main() { atomicAdd(o[0], 1); SetMeshOutputsEXT(0, 0); }\n";
  s.raster.rasterizerDiscardEnable = VK_TRUE;
  (void)c.draw_groups_of(s, 4);
  EXPECT_EQ(c.out.word(0), 2u);
  if (GetParam())
    expect_found(c.v.messages, {"run-too-many-groups", {"task group (0, 0, 0) asks for 70000 x 1 x 1 mesh groups"}});
}

// Draws of the wrong kind draw nothing, and say so.
TEST_P(VulkanMesh, DrawsOfTheOtherKindAreRefused) {
  HEDDLE_NEED_SHADERS();
  MeshCanvas c;
  c.v.expects_messages = true;
  PipelineState s;
  s.mesh = one_square("layout(location = 0) perprimitiveEXT flat out uint n[];\n", "square(0, 0); n[0] = n[1] = 1;");
  s.fragment = kShowsNumber;
  const VkPipeline meshes = c.pipeline(s);
  PipelineState plain;
  plain.vertex = covering_vertices();
  plain.fragment = one_color("vec4(1)");
  const VkPipeline vertices = c.pipeline(plain);
  c.draw([&](VkCommandBuffer b) {
    c.bind(b, meshes);
    vkCmdDraw(b, 3, 1, 0, 0);
    c.bind(b, vertices);
    c.draw_groups(b, 1, 1, 1);
  });
  EXPECT_THAT(c.pixels(), Each(0u));
  std::string all;
  for (const std::string& message : c.v.messages) all += message + "\n";
  EXPECT_NE(all.find("has a mesh shader, which draws no vertices"), std::string::npos) << all;
  EXPECT_NE(all.find("has no mesh shader"), std::string::npos) << all;
}

}  // namespace
}  // namespace heddle::test
