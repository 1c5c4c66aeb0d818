// SPDX-License-Identifier: MIT
// Inputs and outputs of 16 bits: from vertex buffers, from stage to stage, to attachments and captured, on both
// engines. Mesh shaders: mesh_test.cpp. Rules: SPV-34, SPV-42, SPV-43, TES-13.

#include <gmock/gmock.h>

#include <optional>

#include "vulkan/checks.hpp"
#include "vulkan/feedback_kit.hpp"

namespace heddle::test {
namespace {

using ::testing::ElementsAre;
using Words = std::vector<std::uint32_t>;

/// A test runs on the fast engine, and on the reference engine with the sanitizer on.
class VulkanShorts : public ::testing::TestWithParam<bool> {
 protected:
  VulkanShorts() {
    if (GetParam()) checks_.emplace();
  }

 private:
  std::optional<ChecksOn> checks_;
};
INSTANTIATE_TEST_SUITE_P(Engines, VulkanShorts, ::testing::Bool(),
                         [](const auto& info) { return info.param ? "Reference" : "Fast"; });

const std::string kHead = "#version 450\n#extension GL_EXT_shader_explicit_arithmetic_types : require\n";
const std::vector<const char*> kExtensions{VK_KHR_16BIT_STORAGE_EXTENSION_NAME,
                                           VK_KHR_SHADER_FLOAT16_INT8_EXTENSION_NAME};

void bind(VkCommandBuffer c, VkPipeline pipeline) { vkCmdBindPipeline(c, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline); }

constexpr std::uint32_t pair(std::uint32_t low, std::uint32_t high) { return (low & 0xffff) | high << 16; }

struct Vertex {
  std::uint16_t half[4];
  std::int16_t pair[2];
  std::uint16_t one;
  std::uint8_t part[2];
  std::int8_t small[4];
};
static_assert(sizeof(Vertex) == 20);

// Every bit of a half or a short arrives; formats of 8 bits are widened or become fractions.
TEST_P(VulkanShorts, VerticesReadThem) {
  HEDDLE_NEED_SHADERS();
  Feedback f(kExtensions);
  PipelineState s;
  s.topology = VK_PRIMITIVE_TOPOLOGY_POINT_LIST;
  s.raster.rasterizerDiscardEnable = VK_TRUE;
  s.vertex =
      kHead +
      "layout(location = 0) in f16vec3 half_; layout(location = 1) in i16vec2 pair; layout(location = 2) in uint16_t "
      "one;\n"
      "layout(location = 3) in f16vec2 part; layout(location = 4) in i16vec4 small;\n"
      "layout(location = 0, xfb_buffer = 0, xfb_offset = 0, xfb_stride = 48) out f16vec3 a;\n"
      "layout(location = 1, component = 1, xfb_buffer = 0, xfb_offset = 6) flat out i16vec2 b;\n"
      "layout(location = 2, xfb_buffer = 0, xfb_offset = 10) flat out uint16_t c;\n"
      "layout(location = 3, xfb_buffer = 0, xfb_offset = 12) out vec3 wide_a;\n"
      "layout(location = 4, xfb_buffer = 0, xfb_offset = 24) flat out ivec3 wide_b;\n"
      "layout(location = 5, xfb_buffer = 0, xfb_offset = 36) out f16vec2 d;\n"
      "layout(location = 6, xfb_buffer = 0, xfb_offset = 40) flat out i16vec4 e;\n"
      "void main() { a = half_; b = pair; c = one; wide_a = vec3(half_); wide_b = ivec3(pair, one); d = part;\n"
      "  e = small; gl_Position = vec4(0); gl_PointSize = 1; }\n";
  s.bindings = {{0, sizeof(Vertex), VK_VERTEX_INPUT_RATE_VERTEX}};
  s.attributes = {{0, 0, VK_FORMAT_R16G16B16A16_SFLOAT, 0},
                  {1, 0, VK_FORMAT_R16G16_SINT, 8},
                  {2, 0, VK_FORMAT_R16_UINT, 12},
                  {3, 0, VK_FORMAT_R8G8_UNORM, 14},
                  {4, 0, VK_FORMAT_R8G8B8A8_SINT, 16}};
  const Vertex vertices[2]{
      {{0x3c00, 0xc100, 0x0001, 0}, {-32768, 32767}, 65535, {51, 255}, {-128, -1, 0, 127}},  // 1, -2.5, 2^-24
      {{0x7c00, 0x8000, 0x03ff, 0}, {-1, 2}, 3, {0, 102}, {1, 2, 3, 4}}};  // infinity, -0, 1023 * 2^-24
  const VulkanDevice::Buffer buffer = f.canvas.v.buffer(sizeof vertices, VK_BUFFER_USAGE_VERTEX_BUFFER_BIT);
  std::memcpy(buffer.bytes, vertices, sizeof vertices);
  f.run(f.canvas.pipeline(s), [&](VkCommandBuffer c) {
    const VkDeviceSize start = 0;
    vkCmdBindVertexBuffers(c, 0, 1, &buffer.buffer, &start);
    vkCmdDraw(c, 2, 1, 0, 0);
  });
  EXPECT_THAT(f.words(), ElementsAre(pair(0x3c00, 0xc100), pair(0x0001, 0x8000), pair(0x7fff, 0xffff),  //
                                     0x3f800000, 0xc0200000, 0x33800000,                                //
                                     0xffff8000, 0x7fff, 0xffff,                                        //
                                     pair(0x3266, 0x3c00),                                              // 0.2, 1
                                     pair(0xff80, 0xffff), pair(0, 127),                                //
                                     pair(0x7c00, 0x8000), pair(0x03ff, 0xffff), pair(2, 3),            //
                                     0x7f800000, 0x80000000, 0x387fc000,                                //
                                     0xffffffff, 2, 3,                                                  //
                                     pair(0, 0x3666),                                                   // 0, 0.4
                                     pair(1, 2), pair(3, 4)));
  EXPECT_THAT(f.canvas.v.messages, ::testing::IsEmpty());
}

// Vectors, arrays, blocks, components, one for each patch: through all stages of primitives.
TEST_P(VulkanShorts, GoThroughAllStages_SPV42_TES13) {
  HEDDLE_NEED_SHADERS();
  Canvas c(4, 1, {VK_FORMAT_R8G8B8A8_UNORM}, VK_FORMAT_UNDEFINED, VK_SAMPLE_COUNT_1_BIT, kExtensions);
  PipelineState s;
  s.vertex = kHead +
             "layout(location = 0) out f16vec3 h; layout(location = 1) out i16vec2 s[2];\n"
             "layout(location = 3, component = 2) out uint16_t u;\n"
             "layout(location = 4) out Block { f16vec2 p; int16_t q; } b;\n"
             "void main() { int n = gl_VertexIndex; gl_Position = vec4(0);\n"
             "  h = f16vec3(vec3(n, n + 0.5, -n)); s[0] = i16vec2(ivec2(-n, 1000 * n)); s[1] = i16vec2(ivec2(n - "
             "32768, 7 + n));\n"
             "  u = uint16_t(uint(65535 - n)); b.p = f16vec2(vec2(n * 0.25, n + 2)); b.q = int16_t(-100 - n); }\n";
  s.control = kHead +
              "layout(vertices = 2) out;\n"
              "layout(location = 0) in f16vec3 h[]; layout(location = 1) in i16vec2 s[][2];\n"
              "layout(location = 3, component = 2) in uint16_t u[];\n"
              "layout(location = 4) in Block { f16vec2 p; int16_t q; } b[];\n"
              "layout(location = 0) out f16vec3 th[]; layout(location = 1) out i16vec2 ts[];\n"
              "layout(location = 2) patch out f16vec2 whole; layout(location = 3) patch out uint16_t number[2];\n"
              "void main() { int k = gl_InvocationID, other = 2 - k;\n"
              "  th[gl_InvocationID] = h[other]; ts[gl_InvocationID] = s[other][1 - k];\n"
              "  if (k == 1) { whole = b[2].p; number[0] = u[2]; number[1] = uint16_t(uint(int(b[0].q) + 40000)); }\n"
              "  gl_TessLevelOuter = float[4](1, 1, 1, 1); gl_TessLevelInner = float[2](1, 1); }\n";
  s.evaluation = kHead +
                 "layout(quads, point_mode) in;\n"
                 "layout(location = 0) in f16vec3 th[]; layout(location = 1) in i16vec2 ts[];\n"
                 "layout(location = 2) patch in f16vec2 whole; layout(location = 3) patch in uint16_t number[2];\n"
                 "layout(location = 0) out f16vec3 eh; layout(location = 1) out i16vec4 es;\n"
                 "layout(location = 2) out f16vec2 ew; layout(location = 3, component = 1) out u16vec2 en;\n"
                 "void main() { eh = f16vec3(vec3(th[0]) + vec3(th[1])); es = i16vec4(ts[0], ts[1]); ew = whole;\n"
                 "  en = u16vec2(number[0], number[1]);\n"
                 "  gl_Position = vec4((gl_PrimitiveID + 0.5) / 2 - 1, 0, 0, 1); gl_PointSize = 1; }\n";
  s.geometry = kHead +
               "layout(points) in; layout(points, max_vertices = 1) out;\n"
               "layout(location = 0) in f16vec3 eh[]; layout(location = 1) in i16vec4 es[];\n"
               "layout(location = 2) in f16vec2 ew[]; layout(location = 3, component = 1) in u16vec2 en[];\n"
               "layout(location = 0) out f16vec3 gh; layout(location = 1) flat out i16vec4 gs;\n"
               "layout(location = 2) out f16vec2 gw; layout(location = 3, component = 1) flat out u16vec2 gn;\n"
               "void main() { gh = eh[0]; gs = es[0]; gw = ew[0]; gn = en[0];\n"
               "  gl_Position = gl_in[0].gl_Position; gl_PointSize = 1; EmitVertex(); }\n";
  s.fragment = kHead +
               "layout(location = 0) in f16vec3 gh; layout(location = 1) flat in i16vec4 gs;\n"
               "layout(location = 2) in f16vec2 gw; layout(location = 3, component = 1) flat in u16vec2 gn;\n"
               "layout(location = 0) out vec4 color;\n"
               "void main() { int n = 3 * int(gl_FragCoord.x);\n"
               "  color = vec4(vec3(gh) == vec3(2 * n + 3, 2 * n + 4, -2 * n - 3),\n"
               "    ivec4(gs) == ivec4(n + 2 - 32768, n + 9, -n - 1, 1000 * (n + 1)),\n"
               "    vec2(gw) == vec2((n + 2) * 0.25, n + 4), uvec2(gn) == uvec2(65533 - n, 39900 - n)); }\n";
  s.topology = VK_PRIMITIVE_TOPOLOGY_PATCH_LIST;
  s.patch_vertices = 3;
  const VkPipeline pipeline = c.pipeline(s);
  c.draw([&](VkCommandBuffer b) {
    bind(b, pipeline);
    vkCmdDraw(b, 12, 1, 0, 0);
  });
  EXPECT_EQ(c.pixels(), Words(4, 0xffffffff));
  EXPECT_THAT(c.v.messages, ::testing::IsEmpty());
}

// Halves are interpolated as numbers, by each qualifier; flat ones are those of the provoking vertex.
TEST_P(VulkanShorts, AreInterpolated) {
  HEDDLE_NEED_SHADERS();
  for (const std::string qualifier : {"", "noperspective", "centroid", "sample", "flat"}) {
    Canvas c(8, 1, {VK_FORMAT_R16G16B16A16_SFLOAT}, VK_FORMAT_UNDEFINED, VK_SAMPLE_COUNT_1_BIT, kExtensions);
    PipelineState s;
    // From 0 at the left edge to 8 at the right one, and four times that.
    s.vertex = kHead + "layout(location = 1, component = 1) " + (qualifier == "flat" ? qualifier : "") +
               " out f16vec2 h;\n"
               "void main() { vec2 p = vec2(gl_VertexIndex == 1 ? 3 : -1, gl_VertexIndex == 2 ? 3 : -1);\n"
               "  gl_Position = vec4(p, 0.5, 1); h = f16vec2(vec2(4, 16) * (p.x + 1)); }\n";
    s.fragment = kHead + "layout(location = 1, component = 1) " + qualifier +
                 " in f16vec2 h;\nlayout(location = 0) out f16vec4 color;\n"
                 "void main() { color = f16vec4(h, h.yx); }\n";
    const VkPipeline pipeline = c.pipeline(s);
    c.draw([&](VkCommandBuffer b) {
      bind(b, pipeline);
      vkCmdDraw(b, 3, 1, 0, 0);
    });
    const std::vector<std::uint8_t> texels = c.read(c.colors[0], 8);
    constexpr std::uint16_t kHalves[8]{0x3800, 0x3e00, 0x4100, 0x4300,  // 0.5, 1.5 ...
                                       0x4480, 0x4580, 0x4680, 0x4780};
    for (unsigned x = 0; x < 8; ++x) {
      std::uint16_t got[4];
      std::memcpy(got, &texels[8 * x], 8);
      const std::uint16_t value = qualifier == "flat" ? 0 : kHalves[x];
      EXPECT_EQ(got[0], value) << qualifier << ' ' << x;
      EXPECT_EQ(got[1], value == 0 ? 0 : value + (2u << 10)) << qualifier << ' ' << x;
    }
    EXPECT_THAT(c.v.messages, ::testing::IsEmpty());
  }
}

// Into attachments of 8, 16 and 32 bits, one of them by components.
TEST_P(VulkanShorts, FragmentsWriteThem) {
  HEDDLE_NEED_SHADERS();
  Canvas c(1, 1,
           {VK_FORMAT_R16G16B16A16_SFLOAT, VK_FORMAT_R8G8B8A8_UNORM, VK_FORMAT_R16G16_SINT, VK_FORMAT_R32G32_SINT,
            VK_FORMAT_R16_UINT, VK_FORMAT_R32_SFLOAT, VK_FORMAT_R16G16B16A16_SFLOAT},
           VK_FORMAT_UNDEFINED, VK_SAMPLE_COUNT_1_BIT, kExtensions);
  PipelineState s;
  s.vertex = covering_vertices();
  s.fragment =
      kHead +
      "layout(location = 0) out f16vec4 a; layout(location = 1) out f16vec4 b; layout(location = 2) out i16vec2 c;\n"
      "layout(location = 3) out i16vec2 d; layout(location = 4) out uint16_t e; layout(location = 5) out float16_t f;\n"
      "layout(location = 6, component = 0) out float16_t g; layout(location = 6, component = 1) out f16vec3 h;\n"
      "void main() { float x = gl_FragCoord.x; int zero = int(x);\n"
      "  a = f16vec4(vec4(x, -5 * x, 65503 + 2 * x, x / 8388608)); b = f16vec4(vec4(0.4, 0.8, 1.2, 2) * x);\n"
      "  c = i16vec2(ivec2(-32768, 32767) + zero); d = i16vec2(ivec2(-2, 3) + zero); e = uint16_t(65535 + zero);\n"
      "  f = float16_t(0.4 * x); g = float16_t(2 * x); h = f16vec3(vec3(4, 6, 8) * x); }\n";
  const VkPipeline pipeline = c.pipeline(s);
  c.draw([&](VkCommandBuffer b) {
    bind(b, pipeline);
    vkCmdDraw(b, 3, 1, 0, 0);
  });
  const auto words = [&](std::size_t color, std::uint32_t bytes) {
    const std::vector<std::uint8_t> texel = c.read(c.colors[color], bytes);
    Words list((bytes + 3) / 4);
    std::memcpy(list.data(), texel.data(), bytes);
    return list;
  };
  EXPECT_THAT(words(0, 8), ElementsAre(pair(0x3800, 0xc100), pair(0x7bff, 0x0001)));  // 0.5, -2.5, 65504, 2^-24
  EXPECT_THAT(words(1, 4), ElementsAre(0xff996633u));                                 // 0.2, 0.4, 0.6, 1
  EXPECT_THAT(words(2, 4), ElementsAre(pair(0x8000, 0x7fff)));
  EXPECT_THAT(words(3, 8), ElementsAre(0xfffffffeu, 3));
  EXPECT_THAT(words(4, 2), ElementsAre(0xffffu));
  EXPECT_THAT(words(5, 4), ElementsAre(0x3e4cc000u));                                 // 0.2, rounded to a half
  EXPECT_THAT(words(6, 8), ElementsAre(pair(0x3c00, 0x4000), pair(0x4200, 0x4400)));  // 1 to 4
  EXPECT_THAT(c.v.messages, ::testing::IsEmpty());
}

// Captured scalars of 16 bits follow each other; those of 32 bits, and structures with them, lie at multiples of 4.
TEST_P(VulkanShorts, AreCapturedAsTheyAre_SPV43) {
  HEDDLE_NEED_SHADERS();
  Feedback f(kExtensions);
  PipelineState s;
  s.topology = VK_PRIMITIVE_TOPOLOGY_POINT_LIST;
  s.raster.rasterizerDiscardEnable = VK_TRUE;
  s.vertex = kHead +
             "struct Inner { float16_t h; int i; u16vec3 s; };\n"
             "layout(location = 0, xfb_buffer = 0, xfb_offset = 4, xfb_stride = 32) out Whole { flat Inner inner; };\n"
             "layout(location = 5, xfb_buffer = 0, xfb_offset = 20) out float16_t list[3];\n"
             "void main() { int n = gl_VertexIndex; inner.h = float16_t(n + 1.5); inner.i = -n;\n"
             "  inner.s = u16vec3(uvec3(10, 20, 65535 - n));\n"
             "  for (int k = 0; k < 3; ++k) list[k] = float16_t(k + n); gl_Position = vec4(0); gl_PointSize = 1; }\n";
  std::memset(f.buffers[0].bytes, 0xee, 64);
  constexpr std::uint32_t kLeft = 0xeeee;
  EXPECT_THAT(f.draw(s, 2), ElementsAre(0xeeeeeeee, pair(0x3e00, kLeft), 0, pair(10, 20), pair(65535, kLeft),
                                        pair(0, 0x3c00), pair(0x4000, kLeft), 0xeeeeeeee,  //
                                        0xeeeeeeee, pair(0x4100, kLeft), 0xffffffff, pair(10, 20), pair(65534, kLeft),
                                        pair(0x3c00, 0x4000), pair(0x4200, kLeft), 0xeeeeeeee));
  EXPECT_THAT(f.canvas.v.messages, ::testing::IsEmpty());
}

}  // namespace
}  // namespace heddle::test
