// SPDX-License-Identifier: MIT
// Random pipelines: the fast engine against the reference engine, bit for bit, and against lavapipe.
// HEDDLE_TEST_ALL=1 tries many more; HEDDLE_TEST_SEED=N tries that one.

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <random>
#include <sstream>

#include "support/lavapipe.hpp"
#include "support/number_variable.hpp"
#include "vulkan/dynamic_states.hpp"
#include "vulkan/object_kit.hpp"

namespace heddle::test {
namespace {

constexpr std::uint32_t kWidth = 29, kHeight = 23;

struct Random {
  explicit Random(std::uint32_t seed) : engine(seed) {}
  std::mt19937 engine;
  std::uint32_t below(std::uint32_t n) { return static_cast<std::uint32_t>(engine() % n); }
  bool one_in(std::uint32_t n) { return below(n) == 0; }
  float real(float low, float high) {
    return low + (high - low) * static_cast<float>(engine() >> 8) / static_cast<float>(1 << 24);
  }
  template <typename T>
  T of(std::initializer_list<T> list) {
    return *(list.begin() + below(static_cast<std::uint32_t>(list.size())));
  }
};

struct Format {
  VkFormat format;
  std::uint32_t bytes;
  char kind;  ///< f, u, i: what the shader writes
  bool blends;
};
constexpr Format kFormats[] = {{VK_FORMAT_R8G8B8A8_UNORM, 4, 'f', true},
                               {VK_FORMAT_B8G8R8A8_SRGB, 4, 'f', true},
                               {VK_FORMAT_R16G16B16A16_SFLOAT, 8, 'f', true},
                               {VK_FORMAT_R32G32_SFLOAT, 8, 'f', false},
                               {VK_FORMAT_A2B10G10R10_UNORM_PACK32, 4, 'f', true},
                               {VK_FORMAT_R8_UNORM, 1, 'f', true},
                               {VK_FORMAT_R16G16_UINT, 4, 'u', false},
                               {VK_FORMAT_R8G8B8A8_SINT, 4, 'i', false},
                               {VK_FORMAT_R32_UINT, 4, 'u', false},
                               {VK_FORMAT_R5G6B5_UNORM_PACK16, 2, 'f', true}};

/// Everything that is drawn; the same for every device.
struct Case {
  std::vector<Format> colors;
  VkFormat depth = VK_FORMAT_UNDEFINED;
  VkSampleCountFlagBits samples = VK_SAMPLE_COUNT_1_BIT;
  PipelineState state;
  std::vector<float> vertices;  ///< position, then four values
  std::vector<std::uint16_t> indices;
  std::uint32_t instances = 1;
  std::shared_ptr<VkPipelineRasterizationLineStateCreateInfoEXT> line;  ///< what `state` refers to
  std::shared_ptr<VkPipelineRasterizationConservativeStateCreateInfoEXT> conservative;
};

VkStencilOpState stencil(Random& r) {
  const auto op = [&] { return static_cast<VkStencilOp>(r.below(8)); };
  return {op(), op(), op(), static_cast<VkCompareOp>(r.below(8)), r.below(256), r.below(256), r.below(256)};
}

VkPipelineColorBlendAttachmentState blend(Random& r, const Format& format) {
  // The factors with a second source belong to shaders with two outputs.
  const auto factor = [&] { return static_cast<VkBlendFactor>(r.below(VK_BLEND_FACTOR_SRC_ALPHA_SATURATE + 1)); };
  const auto op = [&] { return static_cast<VkBlendOp>(r.below(5)); };
  VkPipelineColorBlendAttachmentState b{};
  b.blendEnable = format.blends && r.one_in(2) ? VK_TRUE : VK_FALSE;
  b.srcColorBlendFactor = factor();
  b.dstColorBlendFactor = factor();
  b.colorBlendOp = op();
  b.srcAlphaBlendFactor = factor();
  b.dstAlphaBlendFactor = factor();
  b.alphaBlendOp = op();
  b.colorWriteMask = r.one_in(3) ? r.below(16) : 15;
  return b;
}

std::string fragment_shader(Random& r, const Case& c) {
  std::ostringstream s;
  const char* qualifier = r.of({"", "flat ", "noperspective ", "centroid ", "sample "});
  if (c.samples == VK_SAMPLE_COUNT_1_BIT && qualifier[0] == 's') qualifier = "";
  s << "#version 450\nlayout(location = 0) " << qualifier << "in vec4 v;\nlayout(location = 1) in vec4 w;\n";
  for (std::size_t i = 0; i < c.colors.size(); ++i)
    s << "layout(location = " << i << ") out "
      << (c.colors[i].kind == 'f'   ? "vec4"
          : c.colors[i].kind == 'u' ? "uvec4"
                                    : "ivec4")
      << " o" << i << ";\n";
  s << "void main() {\n  vec4 x = v";
  if (r.one_in(3)) s << " + 0.1 * fract(gl_FragCoord.xyzw * 0.31)";
  if (r.one_in(4)) s << " * (gl_FrontFacing ? 1.0 : 0.5)";
  if (r.one_in(4)) s << " + fwidth(w)";
  if (r.one_in(4)) s << " * sqrt(abs(w.yxwz))";
  s << ";\n";
  if (r.one_in(4)) s << "  if (fract(w.x * 7) > 0.6) discard;\n";
  if (r.one_in(6)) s << "  gl_FragDepth = clamp(gl_FragCoord.z * 0.75 + 0.1, 0.0, 1.0);\n";
  if (c.samples != VK_SAMPLE_COUNT_1_BIT && r.one_in(4)) s << "  gl_SampleMask[0] = gl_SampleMaskIn[0] & 5;\n";
  for (std::size_t i = 0; i < c.colors.size(); ++i) {
    const char* scale = i == 0 ? "x" : "(x.yzwx * 1.5 - 0.2)";
    if (c.colors[i].kind == 'f')
      s << "  o" << i << " = " << scale << ";\n";
    else
      s << "  o" << i << " = " << (c.colors[i].kind == 'u' ? "uvec4" : "ivec4") << "(abs(" << scale << ") * 100);\n";
  }
  s << "}\n";
  return s.str();
}

void add_vertices(Random& r, Case& c) {
  const std::uint32_t count = 6 + r.below(24);
  for (std::uint32_t i = 0; i < count; ++i) {
    const float w = r.one_in(12) ? r.real(-0.5f, 0.5f) : r.real(0.5f, 2);
    const float side = r.one_in(10) ? 40.0f : 1.3f;
    for (const float p : {r.real(-side, side) * w, r.real(-side, side) * w, r.real(-0.1f, 1.1f) * w, w})
      c.vertices.push_back(p);
    for (int k = 0; k < 4; ++k) c.vertices.push_back(r.real(0, 1));
  }
  if (r.one_in(2))
    for (std::uint32_t i = 0; i < 40; ++i)
      c.indices.push_back(r.one_in(9) ? 0xffff : static_cast<std::uint16_t>(r.below(count)));
  c.instances = 1 + r.below(3);
}

/// `plain`: only what every driver does alike, but for rounding.
Case make_case(std::uint32_t seed, bool plain) {
  Random r(seed);
  Case c;
  const std::uint32_t targets = plain ? 1 : 1 + r.below(3);
  for (std::uint32_t i = 0; i < targets; ++i)
    c.colors.push_back(plain ? kFormats[0] : kFormats[r.below(std::size(kFormats))]);
  c.depth = plain ? VK_FORMAT_D32_SFLOAT
                  : r.of({VK_FORMAT_UNDEFINED, VK_FORMAT_D16_UNORM, VK_FORMAT_D32_SFLOAT, VK_FORMAT_D24_UNORM_S8_UINT,
                          VK_FORMAT_D32_SFLOAT_S8_UINT, VK_FORMAT_S8_UINT});
  if (!plain)
    c.samples = r.of({VK_SAMPLE_COUNT_1_BIT, VK_SAMPLE_COUNT_1_BIT, VK_SAMPLE_COUNT_2_BIT, VK_SAMPLE_COUNT_4_BIT,
                      VK_SAMPLE_COUNT_8_BIT});
  PipelineState& s = c.state;
  s.vertex =
      "#version 450\nlayout(location = 0) in vec4 p;\nlayout(location = 1) in vec4 c;\nlayout(location = 0) out vec4 "
      "v;\n"
      "layout(location = 1) out vec4 w;\n"
      "void main() { gl_Position = p + vec4(0.13 * gl_InstanceIndex, 0, 0, 0); gl_PointSize = 1 + 5 * c.x; v = c; w = "
      "c.wzyx; }\n";
  s.fragment =
      plain
          ? "#version 450\nlayout(location = 0) in vec4 v;\nlayout(location = 0) out vec4 o;\nvoid main() { o = v; }\n"
          : fragment_shader(r, c);
  s.bindings = {{0, 32, VK_VERTEX_INPUT_RATE_VERTEX}};
  s.attributes = {{0, 0, VK_FORMAT_R32G32B32A32_SFLOAT, 0}, {1, 0, VK_FORMAT_R32G32B32A32_SFLOAT, 16}};
  s.topology =
      plain ? VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST
            : r.of({VK_PRIMITIVE_TOPOLOGY_POINT_LIST, VK_PRIMITIVE_TOPOLOGY_LINE_LIST, VK_PRIMITIVE_TOPOLOGY_LINE_STRIP,
                    VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST, VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST,
                    VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP, VK_PRIMITIVE_TOPOLOGY_TRIANGLE_FAN});
  const bool strip = s.topology == VK_PRIMITIVE_TOPOLOGY_LINE_STRIP ||
                     s.topology == VK_PRIMITIVE_TOPOLOGY_TRIANGLE_STRIP ||
                     s.topology == VK_PRIMITIVE_TOPOLOGY_TRIANGLE_FAN;
  add_vertices(r, c);
  if (strip)
    s.restart = VK_TRUE;
  else
    std::ranges::replace(c.indices, std::uint16_t{0xffff}, std::uint16_t{0});
  s.raster.cullMode = r.below(3);
  s.raster.frontFace = static_cast<VkFrontFace>(r.below(2));
  s.depth.depthTestEnable = s.depth.depthWriteEnable = plain || r.one_in(2) ? VK_TRUE : VK_FALSE;
  s.depth.depthCompareOp = plain ? VK_COMPARE_OP_LESS : static_cast<VkCompareOp>(r.below(8));
  if (plain) return c;
  if (r.one_in(4))
    s.viewport =
        VkViewport{r.real(-4, 4), r.real(0, 8), r.real(8, 40), r.real(-30, 40), r.real(0, 0.4f), r.real(0.5f, 1)};
  if (r.one_in(4))
    s.scissor = VkRect2D{{static_cast<std::int32_t>(r.below(8)), static_cast<std::int32_t>(r.below(8))},
                         {r.below(24), r.below(24)}};
  s.raster.polygonMode = r.one_in(5) ? static_cast<VkPolygonMode>(r.below(3)) : VK_POLYGON_MODE_FILL;
  s.raster.lineWidth = r.one_in(3) ? r.real(0.5f, 5) : 1;
  if (r.one_in(2)) {
    c.line = std::make_shared<VkPipelineRasterizationLineStateCreateInfoEXT>();
    c.line->sType = VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_LINE_STATE_CREATE_INFO_EXT;
    c.line->lineRasterizationMode =
        r.of({VK_LINE_RASTERIZATION_MODE_RECTANGULAR_EXT, VK_LINE_RASTERIZATION_MODE_BRESENHAM_EXT,
              VK_LINE_RASTERIZATION_MODE_RECTANGULAR_SMOOTH_EXT});
    c.line->stippledLineEnable = r.one_in(2) ? VK_TRUE : VK_FALSE;
    c.line->lineStippleFactor = 1 + r.below(3);
    c.line->lineStipplePattern = static_cast<std::uint16_t>(r.below(65536));
    s.raster.pNext = c.line.get();
  }
  if (r.one_in(4)) {
    c.conservative = std::make_shared<VkPipelineRasterizationConservativeStateCreateInfoEXT>();
    c.conservative->sType = VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_CONSERVATIVE_STATE_CREATE_INFO_EXT;
    c.conservative->pNext = s.raster.pNext;
    c.conservative->conservativeRasterizationMode = static_cast<VkConservativeRasterizationModeEXT>(1 + r.below(2));
    s.raster.pNext = c.conservative.get();
  }
  s.raster.depthClampEnable = r.one_in(4) ? VK_TRUE : VK_FALSE;
  if (r.one_in(3)) {
    s.raster.depthBiasEnable = VK_TRUE;
    s.raster.depthBiasConstantFactor = r.real(-9, 9);
    s.raster.depthBiasSlopeFactor = r.real(-2, 2);
    s.raster.depthBiasClamp = r.one_in(2) ? r.real(-0.01f, 0.01f) : 0;
  }
  s.depth.stencilTestEnable = r.one_in(2) ? VK_TRUE : VK_FALSE;
  s.depth.front = stencil(r);
  s.depth.back = stencil(r);
  s.depth.depthBoundsTestEnable = r.one_in(6) ? VK_TRUE : VK_FALSE;
  s.depth.minDepthBounds = 0.2f;
  s.depth.maxDepthBounds = 1;
  for (const Format& format : c.colors) s.blend.push_back(blend(r, format));
  s.colors.logicOpEnable = r.one_in(8) ? VK_TRUE : VK_FALSE;
  s.colors.logicOp = static_cast<VkLogicOp>(r.below(16));
  for (float& constant : s.colors.blendConstants) constant = r.real(0, 1);
  s.samples.alphaToCoverageEnable = c.colors[0].kind == 'f' && r.one_in(6) ? VK_TRUE : VK_FALSE;
  s.samples.sampleShadingEnable = r.one_in(5) ? VK_TRUE : VK_FALSE;
  s.samples.minSampleShading = 1;
  return c;
}

/// How the pipeline gets its state: at once, by one library for each part, or by commands; or there is none, and shader
/// objects draw.
enum class Way { Whole, Libraries, Commands, Objects };

std::vector<const char*> extensions_of(Way way) {
  if (way == Way::Whole) return {};
  std::vector<const char*> names = dynamic_state_extensions();
  if (way == Way::Objects) names.push_back("VK_EXT_shader_object");
  names.push_back(VK_KHR_PIPELINE_LIBRARY_EXTENSION_NAME);
  names.push_back(VK_EXT_GRAPHICS_PIPELINE_LIBRARY_EXTENSION_NAME);
  return names;
}

/// The bytes of all attachments that have one sample, resolved ones too.
std::vector<std::uint8_t> run(const Case& given, const char* manifest = HEDDLE_VULKAN_MANIFEST, Way way = Way::Whole) {
  std::vector<VkFormat> formats;
  for (const Format& f : given.colors) formats.push_back(f.format);
  Canvas c(kWidth, kHeight, formats, given.depth, given.samples, extensions_of(way), manifest);
  c.v.expects_messages = true;
  PipelineState state = way == Way::Commands ? without_states(given.state) : given.state;
  state.libraries = way == Way::Libraries;
  const VkPipeline pipeline = way == Way::Objects ? VK_NULL_HANDLE : c.pipeline(state);
  ShaderObjects objects(c.v);
  const auto vertices = c.v.buffer(given.vertices.size() * 4);
  std::memcpy(vertices.bytes, given.vertices.data(), given.vertices.size() * 4);
  const auto indices = c.v.buffer(std::max<std::size_t>(4, given.indices.size() * 2));
  if (!given.indices.empty()) std::memcpy(indices.bytes, given.indices.data(), given.indices.size() * 2);
  c.draw([&](VkCommandBuffer b) {
    if (way == Way::Objects)
      objects.bind_all(b, given.state);
    else
      vkCmdBindPipeline(b, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
    if (way == Way::Commands || way == Way::Objects) set_states(c, b, given.state);
    const VkDeviceSize offset = 0;
    vkCmdBindVertexBuffers(b, 0, 1, &vertices.buffer, &offset);
    vkCmdBindIndexBuffer(b, indices.buffer, 0, VK_INDEX_TYPE_UINT16);
    if (given.indices.empty())
      vkCmdDraw(b, static_cast<std::uint32_t>(given.vertices.size() / 8), given.instances, 0, 0);
    else
      vkCmdDrawIndexed(b, static_cast<std::uint32_t>(given.indices.size()), given.instances, 0, 0, 0);
  });
  std::vector<std::uint8_t> all;
  const auto add = [&](const std::vector<std::uint8_t>& bytes) { all.insert(all.end(), bytes.begin(), bytes.end()); };
  for (std::size_t i = 0; i < given.colors.size(); ++i)
    add(c.read(c.resolved.empty() ? c.colors[i] : c.resolved[i], given.colors[i].bytes));
  if (given.depth == VK_FORMAT_UNDEFINED || given.samples != VK_SAMPLE_COUNT_1_BIT) return all;
  const VkImageAspectFlags aspects = aspects_of(given.depth);
  if ((aspects & VK_IMAGE_ASPECT_DEPTH_BIT) != 0)
    add(c.read(c.depth, given.depth == VK_FORMAT_D16_UNORM ? 2 : 4, VK_IMAGE_ASPECT_DEPTH_BIT));
  if ((aspects & VK_IMAGE_ASPECT_STENCIL_BIT) != 0) add(c.read(c.depth, 1, VK_IMAGE_ASPECT_STENCIL_BIT));
  return all;
}

std::vector<std::uint32_t> seeds(std::uint32_t few, std::uint32_t many) {
  if (const auto one = number_variable<std::uint32_t>("HEDDLE_TEST_SEED")) return {*one};
  std::vector<std::uint32_t> list(std::getenv("HEDDLE_TEST_ALL") != nullptr ? many : few);
  for (std::uint32_t i = 0; i < list.size(); ++i) list[i] = i + 1;
  return list;
}

TEST(VulkanRandom, BothEnginesDrawTheSame) {
  HEDDLE_NEED_SHADERS();
  if (std::getenv("HEDDLE_TEST_VALIDATION") != nullptr) GTEST_SKIP() << "twice what other tests validate";
  std::size_t drawn = 0, all = 0;
  for (const std::uint32_t seed : seeds(8, 400)) {
    const Case c = make_case(seed, false);
    const std::vector<std::uint8_t> fast = run(c);
    setenv("HEDDLE_CHECK", "warn", 1);  // the reference engine runs
    const std::vector<std::uint8_t> reference = run(c);
    unsetenv("HEDDLE_CHECK");
    ASSERT_EQ(fast.size(), reference.size());
    const auto at = std::ranges::mismatch(fast, reference).in1 - fast.begin();
    EXPECT_TRUE(fast == reference) << "byte " << at << " of " << fast.size() << "; HEDDLE_TEST_SEED=" << seed;
    drawn += std::ranges::any_of(fast, [](std::uint8_t b) { return b != 0; }) ? 1 : 0;
    ++all;
  }
  EXPECT_GE(2 * drawn, all);  // most of them draw something
}

/// Many small triangles, most of them over others, in place of a case's vertices.
void make_small(Random& r, Case& c) {
  c.indices.clear();
  c.vertices.clear();
  c.state.topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST;
  c.state.restart = VK_FALSE;
  for (std::uint32_t triangle = 0; triangle < 300; ++triangle) {
    const float x = r.real(-1, 1), y = r.real(-1, 1), z = r.real(0, 1), size = r.one_in(8) ? 0.5f : 0.12f;
    for (int corner = 0; corner < 3; ++corner) {
      const float w = r.one_in(2) ? 1 : r.real(0.5f, 2);
      for (const float p : {(x + r.real(-size, size)) * w, (y + r.real(-size, size)) * w, z * w, w})
        c.vertices.push_back(p);
      const bool same = r.one_in(4);
      for (int k = 0; k < 4; ++k) c.vertices.push_back(same ? 0.5f : r.real(0, 1));
    }
  }
  if (!r.one_in(2) || std::ranges::any_of(c.colors, [](const Format& f) { return f.kind != 'f'; })) return;
  c.state.vertex =
      "#version 450\nlayout(location = 0) in vec4 p;\nlayout(location = 1) in vec4 c;\n"
      "layout(location = 0) out vec4 v;\nlayout(location = 1) flat out vec4 f;\n"
      "layout(location = 2) noperspective out vec2 n;\nlayout(location = 3) flat out int i;\n"
      "void main() { gl_Position = p; v = c; f = c.zyxw; n = c.xy; i = gl_VertexIndex; }\n";
  c.state.fragment =
      "#version 450\nlayout(location = 0) in vec4 v;\nlayout(location = 1) flat in vec4 f;\n"
      "layout(location = 2) noperspective in vec2 n;\nlayout(location = 3) flat in int i;\n";
  for (std::size_t k = 0; k < c.colors.size(); ++k)
    c.state.fragment += "layout(location = " + std::to_string(k) + ") out vec4 o" + std::to_string(k) + ";\n";
  c.state.fragment +=
      "void main() { vec4 x = v * 0.5 + f * 0.25 + vec4(n, gl_FragCoord.zw) * 0.25;\n"
      "  x += vec4(dFdx(v.x), fwidth(n.y), gl_FrontFacing ? 0.25 : 0.0, float((gl_PrimitiveID + i) & 7) / 9.0);\n";
  for (std::size_t k = 0; k < c.colors.size(); ++k) c.state.fragment += "  o" + std::to_string(k) + " = x;\n";
  c.state.fragment += "}\n";
}

TEST(VulkanRandom, BothEnginesDrawSmallTrianglesTheSame) {
  HEDDLE_NEED_SHADERS();
  if (std::getenv("HEDDLE_TEST_VALIDATION") != nullptr) GTEST_SKIP() << "twice what other tests validate";
  for (const std::uint32_t seed : seeds(12, 400)) {
    Case c = make_case(seed + 5000, false);
    Random r(seed);
    make_small(r, c);
    const std::vector<std::uint8_t> fast = run(c);
    setenv("HEDDLE_CHECK", "warn", 1);  // the reference engine runs
    const std::vector<std::uint8_t> reference = run(c);
    unsetenv("HEDDLE_CHECK");
    ASSERT_EQ(fast.size(), reference.size());
    const auto at = std::ranges::mismatch(fast, reference).in1 - fast.begin();
    EXPECT_TRUE(fast == reference) << "byte " << at << " of " << fast.size() << "; HEDDLE_TEST_SEED=" << seed;
  }
}

TEST(VulkanRandom, LibrariesAndCommandsSetTheSameState) {
  HEDDLE_NEED_SHADERS();
  if (std::getenv("HEDDLE_TEST_VALIDATION") != nullptr) GTEST_SKIP() << "twice what other tests validate";
  for (const std::uint32_t seed : seeds(10, 400)) {
    const Case c = make_case(seed + 9000, false);
    const std::vector<std::uint8_t> whole = run(c);
    EXPECT_TRUE(whole == run(c, HEDDLE_VULKAN_MANIFEST, Way::Libraries)) << "HEDDLE_TEST_SEED=" << seed;
    EXPECT_TRUE(whole == run(c, HEDDLE_VULKAN_MANIFEST, Way::Commands)) << "HEDDLE_TEST_SEED=" << seed;
    if (c.state.samples.sampleShadingEnable == VK_FALSE)  // no command sets that
      EXPECT_TRUE(whole == run(c, HEDDLE_VULKAN_MANIFEST, Way::Objects)) << "HEDDLE_TEST_SEED=" << seed;
  }
}

TEST(VulkanRandom, TrianglesLieWhereLavapipesLie) {
  HEDDLE_NEED_SHADERS();
  const char* lavapipe = kLavapipeManifest;
  if (!std::filesystem::exists(lavapipe)) GTEST_SKIP() << "lavapipe is not installed";
  if (std::getenv("HEDDLE_TEST_VALIDATION") != nullptr) GTEST_SKIP() << "lavapipe is not what is validated";
  for (const std::uint32_t seed : seeds(4, 100)) {
    const Case c = make_case(seed, true);
    const std::vector<std::uint8_t> have = run(c), want = run(c, lavapipe);
    ASSERT_EQ(have.size(), want.size());
    std::size_t far = 0;
    constexpr std::size_t kPixels = std::size_t{kWidth} * kHeight;
    for (std::size_t i = 0; i < kPixels; ++i) {
      int worst = 0;
      for (std::size_t k = 4 * i; k < 4 * i + 4; ++k) worst = std::max(worst, std::abs(have[k] - want[k]));
      far += worst > 3 ? 1 : 0;
    }
    // Vertices are rounded to 1/256 pixel from numbers of different precision: a few pixels of edges differ.
    EXPECT_LE(far, kPixels / 100) << "HEDDLE_TEST_SEED=" << seed;
  }
}

}  // namespace
}  // namespace heddle::test
