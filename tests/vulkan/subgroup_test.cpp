// SPDX-License-Identifier: MIT
// Subgroups in the stages of draws, on both engines: which invocations are in one, who counts, what they learn.
// Rules: PIX-3, PIX-11, PIX-12, SPV-21.

#include <bit>
#include <cstdlib>
#include <functional>

#include "vulkan/canvas.hpp"
#include "vulkan/feature_kit.hpp"
#include "vulkan/newer_modules.hpp"

namespace heddle::test {
namespace {

/// Sizes of subgroups, on both engines.
class VulkanSubgroups : public testing::TestWithParam<std::tuple<std::uint32_t, bool>> {
 protected:
  VulkanSubgroups() {
    if (std::get<1>(GetParam())) setenv("HEDDLE_CHECK", "warn", 1);
  }
  ~VulkanSubgroups() override {
    if (std::get<1>(GetParam())) unsetenv("HEDDLE_CHECK");
  }
  [[nodiscard]] static std::uint32_t size() { return std::get<0>(GetParam()); }
};
INSTANTIATE_TEST_SUITE_P(Sizes, VulkanSubgroups,
                         testing::Combine(testing::Values(8u, 16u, 32u), testing::Values(false, true)),
                         [](const auto& info) {
                           return "Of" + std::to_string(std::get<0>(info.param)) +
                                  (std::get<1>(info.param) ? "OnTheReferenceEngine" : "");
                         });

/// A canvas whose shaders write words to the buffer of binding 0.
struct WritingCanvas : Canvas {
  explicit WritingCanvas(std::uint32_t side, VkSampleCountFlagBits samples = VK_SAMPLE_COUNT_1_BIT)
      : Canvas(side, side, {VK_FORMAT_R8G8B8A8_UNORM}, VK_FORMAT_UNDEFINED, samples,
               {VK_EXT_SUBGROUP_SIZE_CONTROL_EXTENSION_NAME, VK_EXT_SHADER_DEMOTE_TO_HELPER_INVOCATION_EXTENSION_NAME,
                "VK_KHR_shader_maximal_reconvergence", "VK_KHR_shader_quad_control"}) {
    const std::vector<VulkanDevice::Binding> bindings{{0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER}};
    const VkDescriptorSetLayout of_set = v.set_layout(bindings);
    layout = v.layout({of_set});
    set = v.set(of_set, bindings);
    out = v.buffer(1 << 16);
    v.write(set, 0, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, out);
  }
  void run(PipelineState s, std::uint32_t vertices) {
    s.layout = layout;
    s.samples.rasterizationSamples = count;
    std::memset(out.bytes, 0, out.size);
    const VkPipeline pipeline = this->pipeline(s);
    draw([&](VkCommandBuffer c) {
      vkCmdBindPipeline(c, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
      vkCmdBindDescriptorSets(c, VK_PIPELINE_BIND_POINT_GRAPHICS, layout, 0, 1, &set, 0, nullptr);
      vkCmdDraw(c, vertices, 1, 0, 0);
    });
  }
  VkPipelineLayout layout = VK_NULL_HANDLE;
  VkDescriptorSet set = VK_NULL_HANDLE;
  VulkanDevice::Buffer out;
};

const std::string kHead =
    "#version 450\n#extension GL_KHR_shader_subgroup_basic : require\n"
    "#extension GL_KHR_shader_subgroup_vote : require\n#extension GL_KHR_shader_subgroup_ballot : require\n"
    "#extension GL_KHR_shader_subgroup_arithmetic : require\n#extension GL_KHR_shader_subgroup_shuffle : require\n"
    "#extension GL_KHR_shader_subgroup_clustered : require\n#extension GL_KHR_shader_subgroup_quad : require\n"
    "#extension GL_EXT_demote_to_helper_invocation : require\n"
    "layout(binding = 0) buffer Out { uint o[]; };\n";

TEST(VulkanSubgroupLimits, EveryStageOfDrawsHasThem) {
  const VkInstance instance = make_instance();
  VkPhysicalDeviceSubgroupSizeControlProperties sizes{
      VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_PROPERTIES};
  VkPhysicalDeviceSubgroupProperties subgroups{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_PROPERTIES, &sizes};
  VkPhysicalDeviceProperties2 all{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, &subgroups};
  vkGetPhysicalDeviceProperties2(physical_device(instance), &all);
  constexpr VkShaderStageFlags kStages =
      VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT | VK_SHADER_STAGE_COMPUTE_BIT;
  EXPECT_EQ(subgroups.supportedStages & kStages, kStages);
  EXPECT_EQ(sizes.requiredSubgroupSizeStages, subgroups.supportedStages);
  EXPECT_EQ(subgroups.quadOperationsInAllStages, VK_TRUE);
  vkDestroyInstance(instance, nullptr);
}

// Invocations of a vertex shader are in subgroups in the order of the vertices.
TEST_P(VulkanSubgroups, OfVertices) {
  HEDDLE_NEED_SHADERS();
  constexpr std::uint32_t kVertices = 44;
  WritingCanvas c(4);
  PipelineState s;
  s.topology = VK_PRIMITIVE_TOPOLOGY_POINT_LIST;
  s.subgroup_size = size();
  s.vertex = kHead +
             "void main() {\n  uint v = uint(gl_VertexIndex), at = v * 8;\n  o[at] = gl_SubgroupSize;\n"
             "  o[at + 1] = subgroupBallotBitCount(subgroupBallot(true));\n  o[at + 2] = subgroupInclusiveAdd(v + 1);\n"
             "  o[at + 3] = subgroupBroadcastFirst(v);\n  o[at + 4] = subgroupShuffleXor(v, 1);\n"
             "  o[at + 5] = subgroupQuadSwapDiagonal(v);\n  o[at + 6] = subgroupClusteredMax(v, 4);\n"
             "  o[at + 7] = uint(subgroupElect()) | gl_SubgroupInvocationID << 1;\n"
             "  gl_Position = vec4(0, 0, 0, 1);\n  gl_PointSize = 1;\n}\n";
  s.fragment = one_color("vec4(1)");
  c.run(s, kVertices);
  for (std::uint32_t v = 0; v < kVertices; ++v) {
    const std::uint32_t first = v / size() * size(), last = std::min(first + size(), kVertices);
    std::uint32_t sum = 0;
    for (std::uint32_t k = first; k <= v; ++k) sum += k + 1;
    const std::uint32_t want[8] = {size(), last - first, sum,   first,
                                   v ^ 1,  v ^ 3,        v | 3, (v == first ? 1u : 0u) | (v - first) << 1};
    for (std::uint32_t k = 0; k < 8; ++k) EXPECT_EQ(c.out.word(8 * v + k), want[k]) << v << ' ' << k;
  }
}

/// Pixels (0, 0) to (2, 2) in their four subspans: nine are covered, seven are helper invocations.
struct Place {
  std::uint32_t number;  ///< of its lane among all sixteen
  bool covered;
};
Place place_of(std::uint32_t x, std::uint32_t y) {
  return {(y / 2 * 2 + x / 2) * 4 + (y & 1) * 2 + (x & 1), x < 3 && y < 3};
}
/// Lanes of the subgroup of lane `number` for which it holds, as bits.
std::uint32_t lanes_with(std::uint32_t number, std::uint32_t size, const std::function<bool(std::uint32_t)>& holds) {
  std::uint32_t bits = 0;
  for (std::uint32_t k = 0; k < 16; ++k)
    if (k / size == number / size && holds(k)) bits |= 1u << k % size;
  return bits;
}
bool is_covered(std::uint32_t number) {
  for (std::uint32_t y = 0; y < 3; ++y)
    for (std::uint32_t x = 0; x < 3; ++x)
      if (place_of(x, y).number == number) return true;
  return false;
}

/// A triangle over everything, of which the nine pixels are seen.
PipelineState nine_pixels(std::uint32_t size) {
  PipelineState s;
  s.subgroup_size = size;
  s.vertex = covering_vertices();
  s.scissor = VkRect2D{{0, 0}, {3, 3}};
  return s;
}

// Helper invocations take part in quad operations alone.
TEST_P(VulkanSubgroups, OfFragmentsLeaveHelpersOut) {
  HEDDLE_NEED_SHADERS();
  WritingCanvas c(8);
  PipelineState s = nine_pixels(size());
  s.fragment = kHead +
               "layout(location = 0) out vec4 color;\nvoid main() {\n"
               "  uvec2 p = uvec2(gl_FragCoord.xy);\n  uint at = (p.y * 8 + p.x) * 16, n = gl_SubgroupInvocationID;\n"
               "  bool all_live = subgroupAll(!gl_HelperInvocation), any_helper = subgroupAny(gl_HelperInvocation);\n"
               "  uint high = 0, low = 0;\n"
               "  if (n >= 5) { high = subgroupBroadcastFirst(n) | uint(subgroupElect()) << 8; }\n"
               "  uint turns = 0;\n  while (subgroupBroadcastFirst(n) != n) ++turns;\n"
               "  uvec4 ballot = subgroupBallot(true);\n  uint before = subgroupExclusiveAdd(1u);\n"
               "  uint least = subgroupClusteredMin(n, 4);\n  uint corner = subgroupQuadBroadcast(n, 3);\n"
               "  uint beside = subgroupQuadSwapHorizontal(n);\n"
               "  bool equal = subgroupAllEqual(gl_HelperInvocation);\n"
               "  if (p == uvec2(2, 0)) demote;\n  uvec4 rest = subgroupBallot(true);\n"
               "  uint kept = subgroupQuadBroadcast(n + 100, 0);\n"
               "  o[at] = ballot.x; o[at + 1] = before; o[at + 2] = least; o[at + 3] = corner; o[at + 4] = beside;\n"
               "  o[at + 5] = high; o[at + 6] = turns; o[at + 7] = rest.x; o[at + 8] = kept;\n"
               "  o[at + 9] = uint(all_live) | uint(any_helper) << 1 | uint(equal) << 2 | gl_SubgroupSize << 8;\n"
               "  color = vec4(1);\n}\n";
  c.run(s, 3);
  const std::uint32_t demoted = place_of(2, 0).number;
  for (std::uint32_t y = 0; y < 8; ++y)
    for (std::uint32_t x = 0; x < 8; ++x) {
      const auto word = [&](std::uint32_t k) { return c.out.word((y * 8 + x) * 16 + k); };
      const auto [number, covered] = place_of(x, y);
      if (!covered || number == demoted) {
        for (std::uint32_t k = 0; k < 10; ++k) ASSERT_EQ(word(k), 0u) << "helpers store nothing: " << x << ' ' << y;
        continue;
      }
      SCOPED_TRACE(std::to_string(x) + " " + std::to_string(y));
      const std::uint32_t n = number % size(), live = lanes_with(number, size(), is_covered);
      const std::uint32_t below = live & ((1u << n) - 1), upper = live & ~31u;
      EXPECT_EQ(word(0), live);
      EXPECT_EQ(word(1), static_cast<std::uint32_t>(std::popcount(below)));
      EXPECT_EQ(word(2), static_cast<std::uint32_t>(std::countr_zero(live >> (n & ~3u))) + (n & ~3u));
      EXPECT_EQ(word(3), n | 3);
      EXPECT_EQ(word(4), n ^ 1);
      if (n >= 5) {
        const auto first = static_cast<std::uint32_t>(std::countr_zero(upper));
        EXPECT_EQ(word(5), first | (n == first ? 256u : 0u));
      }
      EXPECT_EQ(word(6), static_cast<std::uint32_t>(std::popcount(below)));
      EXPECT_EQ(word(7), lanes_with(number, size(), [&](std::uint32_t k) { return is_covered(k) && k != demoted; }));
      EXPECT_EQ(word(8), (n & ~3u) + 100);
      EXPECT_EQ(word(9), 1u | 4u | size() << 8);
    }
}

// SPV_KHR_quad_control: a shader that asks for full quads has its helpers in every group operation; whole quads vote.
TEST_P(VulkanSubgroups, OfFragmentsWithFullQuads) {
  HEDDLE_NEED_SHADERS();
  WritingCanvas c(8);
  PipelineState s = nine_pixels(size());
  s.fragment_words = with_quad_control(
      compile_shader(kHead + "layout(location = 0) out vec4 color;\nvoid main() {\n"
                             "  uvec2 p = uvec2(gl_FragCoord.xy);\n  uint at = (p.y * 8 + p.x) * 4;\n"
                             "  bool left = p.x == 2 && p.y < 2;\n"
                             "  uint all_left = uint(subgroupAll(left)), any_left = uint(subgroupAny(left));\n"
                             "  o[at] = subgroupBallot(true).x; o[at + 1] = subgroupAdd(1u);\n"
                             "  o[at + 2] = all_left | any_left << 1 | 4;\n  color = vec4(1);\n}\n",
                     "frag"));
  c.run(s, 3);
  const std::uint32_t present = std::min(size(), 16u);
  for (std::uint32_t y = 0; y < 3; ++y)
    for (std::uint32_t x = 0; x < 3; ++x) {
      const std::uint32_t at = (y * 8 + x) * 4;
      EXPECT_EQ(c.out.word(at), (1u << present) - 1) << x << ' ' << y;
      EXPECT_EQ(c.out.word(at + 1), present) << x << ' ' << y;
      // The quad of pixel (2, 0) has two that are left, and two helpers right of them.
      EXPECT_EQ(c.out.word(at + 2), (x == 2 && y < 2 ? 2u : 0u) | 4) << x << ' ' << y;
    }
}

// A shader that reconverges maximally has its helpers active for all instructions, from the start of their quad to its
// end, and those that were demoted among them.
TEST_P(VulkanSubgroups, OfFragmentsThatReconverge) {
  HEDDLE_NEED_SHADERS();
  WritingCanvas c(8);
  PipelineState s = nine_pixels(size());
  s.fragment_words = with_maximal_reconvergence(
      compile_shader(kHead + "layout(location = 0) out vec4 color;\nvoid main() {\n"
                             "  uvec2 p = uvec2(gl_FragCoord.xy);\n  uint at = (p.y * 8 + p.x) * 4;\n"
                             "  o[at] = subgroupBallot(true).x; o[at + 1] = subgroupAdd(1u);\n"
                             "  o[at + 2] = subgroupShuffleXor(p.x + 8 * p.y, 0u) | 64;\n"
                             "  if (p == uvec2(1, 0)) demote;\n"
                             "  o[at + 3] = subgroupBallot(true).x;\n  color = vec4(1);\n}\n",
                     "frag"));
  c.run(s, 3);
  const std::uint32_t present = std::min(size(), 16u), all = (1u << present) - 1;
  for (std::uint32_t y = 0; y < 3; ++y)
    for (std::uint32_t x = 0; x < 3; ++x) {
      const std::uint32_t at = (y * 8 + x) * 4;
      EXPECT_EQ(c.out.word(at), all) << x << ' ' << y;
      EXPECT_EQ(c.out.word(at + 1), present) << x << ' ' << y;
      EXPECT_EQ(c.out.word(at + 2), (x + 8 * y) | 64) << x << ' ' << y;
      EXPECT_EQ(c.out.word(at + 3), x == 1 && y == 0 ? 0 : all) << x << ' ' << y;
    }
}

// One invocation for each sample: a quad has the same sample of its four pixels.
TEST_P(VulkanSubgroups, OfSamples) {
  HEDDLE_NEED_SHADERS();
  constexpr std::uint32_t kSide = 8;
  for (const std::uint32_t samples : {2u, 4u, 8u, 16u}) {
    WritingCanvas c(kSide, static_cast<VkSampleCountFlagBits>(samples));
    PipelineState s;
    s.subgroup_size = size();
    s.vertex = covering_vertices();
    s.fragment = kHead +
                 "layout(location = 0) out vec4 color;\nvoid main() {\n"
                 "  uvec2 p = uvec2(gl_FragCoord.xy);\n  uint at = (p.y * 8 + p.x) * 16 + uint(gl_SampleID);\n"
                 "  uint x = subgroupQuadSwapHorizontal(p.x), y = subgroupQuadSwapVertical(p.y);\n"
                 "  uint same = subgroupQuadSwapDiagonal(uint(gl_SampleID));\n"
                 "  o[at] = x | y << 4 | same << 8 | gl_SubgroupSize << 12;\n"
                 "  atomicAdd(o[2048], 1u);\n  color = vec4(1, 0, 0, 1);\n}\n";
    c.run(s, 3);
    for (std::uint32_t y = 0; y < kSide; ++y)
      for (std::uint32_t x = 0; x < kSide; ++x)
        for (std::uint32_t n = 0; n < samples; ++n)
          ASSERT_EQ(c.out.word((y * 8 + x) * 16 + n), (x ^ 1) | (y ^ 1) << 4 | n << 8 | size() << 12)
              << samples << " samples: " << x << ' ' << y << ' ' << n;
    EXPECT_EQ(c.out.word(2048), kSide * kSide * samples);
    for (const std::uint32_t pixel : c.pixels()) ASSERT_EQ(pixel, 0xff0000ffu) << samples << " samples";
  }
}

// Invocations come together again where their ways meet, whatever they did between: in branches and switches, behind
// loops that some leave early, at the next turn of a loop, behind a function that some return from.
const std::string kWays = R"(
uint found(uint n) {
  for (uint k = 0; k < 4; ++k) {
    if (n == 3 * k) return k;
    if (n == 3 * k + 1) break;
  }
  return 9;
}
void main() {
  uint n = gl_LocalInvocationIndex, at = n * 8;
  if (n < 11) {
    if (n < 4) o[at] = 1; else o[at] = 2;
    o[at + 1] = subgroupBallot(true).x;
  }
  o[at + 2] = subgroupBallot(true).x;
  uint sum = 0;
  for (uint k = 0; k < 16; ++k) {
    if (k == n) continue;
    if (k > n + 4) break;
    sum += subgroupBallotBitCount(subgroupBallot(true));
  }
  o[at + 3] = subgroupBallot(true).x;
  o[at + 4] = sum;
  switch (n % 4) {
    case 0: o[at + 5] = subgroupBallot(true).x;
    case 1: o[at + 6] = subgroupBallot(true).x; break;
    default: o[at + 5] = subgroupBallot(true).x; break;
  }
  uint way = found(n);
  o[at + 7] = subgroupBallot(true).x | way << 16;
}
)";

void expect_ways(const std::vector<std::uint32_t>& o) {
  const auto lanes = [](auto holds) {
    std::uint32_t bits = 0;
    for (std::uint32_t n = 0; n < 16; ++n)
      if (holds(n)) bits |= 1u << n;
    return bits;
  };
  for (std::uint32_t n = 0; n < 16; ++n) {
    const std::uint32_t* got = o.data() + std::size_t{8} * n;
    EXPECT_EQ(got[0], n < 4 ? 1u : n < 11 ? 2u : 0u) << n;
    EXPECT_EQ(got[1], n < 11 ? 0x7ffu : 0u) << n;
    EXPECT_EQ(got[2], 0xffffu) << n;
    EXPECT_EQ(got[3], 0xffffu) << n;
    std::uint32_t sum = 0;
    for (std::uint32_t k = 0; k < 16 && k <= n + 4; ++k)
      if (k != n)
        sum += static_cast<std::uint32_t>(std::popcount(lanes([&](std::uint32_t m) { return m != k && k <= m + 4; })));
    EXPECT_EQ(got[4], sum) << n;
    const auto is = [&](auto holds) { return lanes([&](std::uint32_t m) { return holds(m % 4); }); };
    EXPECT_EQ(got[5], n % 4 == 0   ? is([](std::uint32_t m) { return m == 0; })
                      : n % 4 == 1 ? 0
                                   : is([](std::uint32_t m) { return m > 1; }))
        << n;
    EXPECT_EQ(got[6], n % 4 < 2 ? is([](std::uint32_t m) { return m < 2; }) : 0u) << n;
    EXPECT_EQ(got[7], 0xffffu | (n % 3 == 0 && n < 12 ? n / 3 : 9) << 16) << n;
  }
}

TEST(VulkanSubgroupFlow, ComesTogetherAgain) {
  HEDDLE_NEED_SHADERS();
  VulkanDevice v({VK_KHR_SHADER_SUBGROUP_UNIFORM_CONTROL_FLOW_EXTENSION_NAME, "VK_KHR_shader_maximal_reconvergence"});
  const std::string glsl =
      "#version 450\n#extension GL_KHR_shader_subgroup_ballot : require\n"
      "#extension GL_EXT_subgroup_uniform_control_flow : require\n" +
      kFeatureHead + kWays;
  const std::string declared = "void main() [[subgroup_uniform_control_flow]] {";
  std::string uniform = glsl;
  uniform.replace(uniform.find("void main() {"), 13, declared);
  expect_ways(FeatureRun(v).run(uniform));
  expect_ways(FeatureRun(v).run({}, with_maximal_reconvergence(compile_compute(glsl))));
}

TEST(VulkanSubgroupFlow, ValuesGoRound) {
  HEDDLE_NEED_SHADERS();
  VulkanDevice v({"VK_KHR_shader_subgroup_rotate"});
  VkPhysicalDeviceSubgroupProperties subgroups{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_PROPERTIES};
  VkPhysicalDeviceProperties2 all{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, &subgroups};
  vkGetPhysicalDeviceProperties2(v.physical, &all);
  EXPECT_EQ(subgroups.supportedOperations >> 9 & 3u, 3u) << "rotations, in clusters too";
  const std::string glsl = "#version 450\n#extension GL_KHR_shader_subgroup_shuffle_relative : require\n" +
                           kFeatureHead +
                           "void main() { uint n = gl_LocalInvocationIndex; o[n] = subgroupShuffleDown(n, 5u);\n"
                           "  o[16 + n] = subgroupShuffleDown(n * 3u, 15u) + 4u; }\n";
  for (const std::uint32_t cluster : {0u, 4u}) {
    const std::vector<std::uint32_t> o = FeatureRun(v).run({}, with_rotation(compile_compute(glsl), cluster));
    const std::uint32_t size = cluster == 0 ? 16 : cluster;
    for (std::uint32_t n = 0; n < 16; ++n) {
      const auto round = [&](std::uint32_t by) { return n / size * size + (n + by) % size; };
      EXPECT_EQ(o[n], round(5)) << n << " of " << size;
      EXPECT_EQ(o[16 + n], round(15) * 3 + 4) << n << " of " << size;
    }
  }
}

/// dFdx and dFdy of a function of each invocation's place.
const std::string kDerivatives =
    "void main() { uvec2 p = gl_LocalInvocationID.xy; uint n = gl_LocalInvocationIndex;\n"
    "  float f = float(p.x * p.x * 3 + p.y * p.y * 7 + p.x * p.y);\n"
    "  o[n] = floatBitsToUint(dFdxFine(f)); o[16 + n] = floatBitsToUint(dFdyFine(f));\n"
    "  o[32 + n] = floatBitsToUint(textureQueryLod(t, vec2(p) / 4).y); o[48 + n] = floatBitsToUint(fwidthCoarse(f)); "
    "}\n";

// VK_NV_compute_shader_derivatives: 2 x 2 invocations, or four in a row, are a quad.
TEST(VulkanSubgroupFlow, InvocationsOfComputeShadersHaveDerivatives) {
  HEDDLE_NEED_SHADERS();
  for (const bool quads : {false, true})
    for (const bool khr : {false, true}) {
      VulkanDevice v({khr ? "VK_KHR_compute_shader_derivatives" : VK_NV_COMPUTE_SHADER_DERIVATIVES_EXTENSION_NAME});
      FeatureRun run(v);
      TexelImage from;
      from.width = from.height = 16;
      from.levels = {bytes_of(std::vector<float>(256, 1)), bytes_of(std::vector<float>(64, 2)),
                     bytes_of(std::vector<float>(16, 3)), bytes_of(std::vector<float>(4, 4))};
      run.image(3, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, v.view(make_image(v, from).image, from.format),
                v.sampler(VK_FILTER_NEAREST));
      const std::string glsl =
          std::string(
              "#version 450\n#extension GL_NV_compute_shader_derivatives : require\n"
              "layout(local_size_x = 4, local_size_y = 4) in;\n") +
          (quads ? "layout(derivative_group_quadsNV) in;\n" : "layout(derivative_group_linearNV) in;\n") +
          "layout(binding = 0, std430) buffer Out { uint o[]; };\n"
          "layout(binding = 3) uniform sampler2D t;\n" +
          kDerivatives;
      std::vector<std::uint32_t> words = compile_compute(glsl);
      if (khr)
        words =
            with_extension_in_place(words, "SPV_NV_compute_shader_derivatives", "SPV_KHR_compute_shader_derivatives");
      const std::vector<std::uint32_t> o = run.run({}, words);
      const auto f = [](std::uint32_t x, std::uint32_t y) { return static_cast<float>(x * x * 3 + y * y * 7 + x * y); };
      const auto value = [&](std::uint32_t at) { return std::bit_cast<float>(o[at]); };
      for (std::uint32_t n = 0; n < 16; ++n) {
        const std::uint32_t x = n % 4, y = n / 4, x0 = x & 2, y0 = y & 2;
        SCOPED_TRACE(std::to_string(n) + (quads ? " of quads" : " in a row"));
        if (quads) {
          EXPECT_EQ(value(n), f(x0 + 1, y) - f(x0, y));
          EXPECT_EQ(value(16 + n), f(x, y0 + 1) - f(x, y0));
          EXPECT_EQ(value(32 + n), 2);  // four texels from one to the next
          EXPECT_EQ(value(48 + n), std::abs(f(x0 + 1, y0) - f(x0, y0)) + std::abs(f(x0, y0 + 1) - f(x0, y0)));
        } else {  // upper left, upper right, lower left, lower right follow each other
          EXPECT_EQ(value(n), f(x0 + 1, y) - f(x0, y));
          EXPECT_EQ(value(16 + n), f(2 + x % 2, y) - f(x % 2, y));
          EXPECT_EQ(value(32 + n), 3);  // two places, eight texels
          EXPECT_EQ(value(48 + n), std::abs(f(1, y) - f(0, y)) + std::abs(f(2, y) - f(0, y)));
        }
      }
    }
}

}  // namespace
}  // namespace heddle::test
