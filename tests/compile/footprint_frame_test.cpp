// SPDX-License-Identifier: MIT
// OpImageSampleFootprintNV over frames: every function's answers are the texture unit's, and their union is what the
// equivalent sampling pass reads.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <mutex>
#include <set>

#include "footprint_scene.hpp"

using namespace heddle;
using namespace heddle::test;

namespace {

/// A fragment shader that writes input "uv" of `n` components.
spirv::Module show_input(unsigned n, const std::string& name) {
  return assemble_shader(fmt::format(R"(OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint Fragment %main "main" %in %color
OpExecutionMode %main OriginUpperLeft
OpName %in "{1}"
OpName %color "color"
OpDecorate %in Location 0
OpDecorate %color Location 0
%void = OpTypeVoid
%fn = OpTypeFunction %void
%float = OpTypeFloat 32
%vin = OpTypeVector %float {0}
%v4 = OpTypeVector %float 4
%pin = OpTypePointer Input %vin
%pout = OpTypePointer Output %v4
%in = OpVariable %pin Input
%color = OpVariable %pout Output
%zero = OpConstant %float 0
%main = OpFunction %void None %fn
%start = OpLabel
%v = OpLoad %vin %in
%c0 = OpCompositeExtract %float %v 0
%c1 = OpCompositeExtract %float %v 1
%c2 = {2}
%all = OpCompositeConstruct %v4 %c0 %c1 %c2 %zero
OpStore %color %all
OpReturn
OpFunctionEnd
)",
                                     n, name, n == 3 ? "OpCompositeExtract %float %v 2" : "OpCopyObject %float %zero"));
}

/// The interpolated coordinates of a frame, with the derivatives that a quad has.
struct Frame {
  std::vector<float> at;
  explicit Frame(unsigned n) {
    const std::string target = fmt::format(
        "[images.color]\nformat = \"R32G32B32A32_FLOAT\"\nsize = [{}, {}]\nsave = \"at.bin\"\n", kWidth, kHeight);
    const job::RunResult o =
        run_shader(show_input(n, n == 3 ? "uvw" : "uv"), target + (n == 3 ? kVolumeInput : kFlatInput));
    EXPECT_TRUE(o.succeeded) << messages(o.diagnostics);
    at = output_as<float>(o, "at.bin");
    at.resize(std::size_t{4} * kWidth * kHeight);
  }
  [[nodiscard]] std::array<float, 3> coordinate(unsigned x, unsigned y) const {
    const float* p = &at[4 * (y * kWidth + x)];
    return {p[0], p[1], p[2]};
  }
  [[nodiscard]] texture::FootprintQuery query(unsigned x, unsigned y, std::uint32_t granularity, bool coarse) const {
    texture::FootprintQuery q;
    q.coordinate = coordinate(x, y);
    q.granularity = granularity;
    q.coarse = coarse;
    q.operand = texture::FootprintOperand::Derivatives;
    const auto corner = coordinate(x & ~1u, y & ~1u), right = coordinate(x | 1u, y & ~1u),
               below = coordinate(x & ~1u, y | 1u);
    for (unsigned k = 0; k < 3; ++k) {
      q.gradients.dx[k] = right[k] - corner[k];
      q.gradients.dy[k] = below[k] - corner[k];
    }
    return q;
  }
};

class Scenes : public testing::TestWithParam<int> {
 protected:
  [[nodiscard]] static Scene scene(unsigned dim) {
    Scene s;
    s.dim = dim;
    if (dim == 3) s.size = {20, 18, 33};
    switch (GetParam()) {
      case 1:
        s.anisotropy = 16;
        s.size = dim == 3 ? s.size : std::array<std::uint32_t, 3>{700, 24, 1};
        s.levels = dim == 3 ? 6 : 10;
        break;
      case 2:
        s.bias = -1.5;
        s.min_lod = 0.75;
        s.max_lod = 3.5;
        s.anisotropy = 6;
        break;
      default:
        break;
    }
    return s;
  }
};
INSTANTIATE_TEST_SUITE_P(State, Scenes, testing::Values(0, 1, 2));

TEST_P(Scenes, EveryTwoDimensionalFunctionEqualsTheUnit) {
  const Scene s = scene(2);
  const std::string push =
      "[args]\npush = { dx = [0.04, 0.01], dy = [-0.002, 0.05], lod = 1.25, bias = 0.375, minLod = 1.5, gran = 1 }\n";
  const auto outputs =
      run_all(corpus("a_all_2d.frag"), push + s.toml("tex") + integer_target() + kFlatInput, {"color.bin"});
  ASSERT_EQ(outputs.size(), 1u);
  const std::vector<std::uint32_t> color = words(outputs[0]);
  ASSERT_EQ(color.size(), 4u * kWidth * kHeight);
  const Frame frame(2);
  unsigned coarsened = 0;
  for (unsigned y = 0; y < kHeight; ++y)
    for (unsigned x = 0; x < kWidth; ++x) {
      std::uint32_t h = 17;
      texture::Footprint last;
      const auto take = [&](bool coarse, auto change) {
        texture::FootprintQuery q = frame.query(x, y, 1, coarse);
        change(q);
        last = ask(s, q);
        coarsened += last.granularity != 0;
        h = h * 31 + (last.single ? 1 : 0);
        for (const std::uint32_t m :
             {last.anchor[0], last.anchor[1], last.offset[0], last.offset[1], static_cast<std::uint32_t>(last.mask),
              static_cast<std::uint32_t>(last.mask >> 32), last.lod, last.granularity})
          h = h * 31 + m;
      };
      const auto plain = [](texture::FootprintQuery&) {};
      const auto lod = [](texture::FootprintQuery& q) { q.operand = texture::FootprintOperand::Lod, q.lod = 1.25f; };
      const auto grad = [](texture::FootprintQuery& q) {
        q.operand = texture::FootprintOperand::Grad;
        q.gradients = {{0.04f, 0.01f, 0}, {-0.002f, 0.05f, 0}};
      };
      take(false, plain);
      take(true, plain);
      take(false, [](texture::FootprintQuery& q) { q.bias = 0.375f; });
      take(false, [](texture::FootprintQuery& q) { q.min_lod = 1.5f; });
      take(true, [](texture::FootprintQuery& q) { q.bias = 0.375f, q.min_lod = 1.5f; });
      take(false, lod);
      take(true, lod);
      take(false, grad);
      take(true, [&](texture::FootprintQuery& q) { grad(q), q.min_lod = 1.5f; });
      const std::uint32_t* found = &color[4 * (y * kWidth + x)];
      ASSERT_EQ(found[0], h) << x << ", " << y;
      EXPECT_EQ(found[1], last.lod);
      EXPECT_EQ(found[2], last.granularity);
      EXPECT_EQ(found[3], last.single ? 1u : 0u);
    }
  if (GetParam() == 1) {
    EXPECT_GT(coarsened, 0u);
  }
}

TEST_P(Scenes, EveryThreeDimensionalFunctionEqualsTheUnit) {
  const Scene s = scene(3);
  const auto outputs = run_all(
      corpus("a_all_3d.frag"),
      "[args]\npush = { lod = 0.5, bias = 0.375, minLod = 1.5 }\n" + s.toml("tex") + integer_target() + kVolumeInput,
      {"color.bin"});
  ASSERT_EQ(outputs.size(), 1u);
  const std::vector<std::uint32_t> color = words(outputs[0]);
  const Frame frame(3);
  for (unsigned y = 0; y < kHeight; ++y)
    for (unsigned x = 0; x < kWidth; ++x) {
      std::array<texture::FootprintQuery, 5> q = {frame.query(x, y, 1, false), frame.query(x, y, 3, true),
                                                  frame.query(x, y, 10, false), frame.query(x, y, 12, true),
                                                  frame.query(x, y, 14, false)};
      q[1].bias = q[3].bias = 0.375f;
      q[2].min_lod = q[3].min_lod = 1.5f;
      q[4].operand = texture::FootprintOperand::Lod;
      q[4].lod = 0.5f;
      std::array<std::uint32_t, 3> anchors{}, offsets{};
      std::uint32_t low = 0, high = 0, levels = 0, grans = 0, singles = 0;
      for (const texture::FootprintQuery& one : q) {
        const texture::Footprint f = ask(s, one);
        for (unsigned k = 0; k < 3; ++k) anchors[k] += f.anchor[k], offsets[k] ^= f.offset[k];
        low ^= static_cast<std::uint32_t>(f.mask);
        high ^= static_cast<std::uint32_t>(f.mask >> 32);
        levels += f.lod;
        grans |= f.granularity;
        singles ^= f.single ? 1 : 0;
      }
      const std::vector<std::uint32_t> expected = {anchors[0] ^ anchors[1] ^ anchors[2],
                                                   offsets[0] ^ offsets[1] ^ offsets[2] ^ levels, low ^ grans,
                                                   high ^ singles};
      ASSERT_EQ(std::vector(&color[4 * (y * kWidth + x)], &color[4 * (y * kWidth + x)] + 4), expected)
          << x << ", " << y;
    }
}

TEST(FootprintShaders, SeparateImagesAndArraysOfDescriptors) {
  const Scene s;
  const auto separate =
      run_all(corpus("e_separate.frag"), s.toml("tex", "smp") + integer_target() + kFlatInput, {"color.bin"});
  Scene other;
  other.size = {8, 200, 1};
  other.levels = 3;
  const auto array = run_all(
      corpus("e_bindless.frag"),
      other.toml("\"tex[0]\"") + s.toml("\"tex[1]\"") + integer_target() + kFlatInput + "index = 1\n", {"color.bin"});
  ASSERT_EQ(separate.size(), 1u);
  ASSERT_EQ(array.size(), 1u);
  const auto a = words(separate[0]), b = words(array[0]);
  const Frame frame(2);
  for (unsigned i = 0; i < kWidth * kHeight; ++i) {
    const texture::Footprint f = ask(s, frame.query(i % kWidth, i / kWidth, 1, false));
    const auto low = static_cast<std::uint32_t>(f.mask), high = static_cast<std::uint32_t>(f.mask >> 32);
    const std::uint32_t single = f.single ? 1 : 0;
    ASSERT_EQ(std::vector(&a[4 * i], &a[4 * i] + 4), (std::vector{low, high, f.lod, single})) << i;
    ASSERT_EQ(std::vector(&b[4 * i], &b[4 * i] + 4),
              (std::vector{low + single, high + single, f.lod + single, f.granularity + single}))
        << i;
  }
}

// --- a frame's union ---

class Touched final : public machine::Observer {
 public:
  void texel(const texture::TexelTouch& touch) override {
    const std::lock_guard lock(mutex_);
    if (!touch.written && touch.surface->format == image::Format::R8_UNORM)
      texels.insert({touch.level, touch.x, touch.y});
  }
  [[nodiscard]] bool wants_memory() const override { return false; }
  std::set<std::array<std::uint32_t, 3>> texels;

 private:
  std::mutex mutex_;
};

const char* const kSampling = R"(OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint Fragment %main "main" %in %color %tex
OpExecutionMode %main OriginUpperLeft
OpName %in "uv"
OpName %color "color"
OpName %tex "tex"
OpDecorate %in Location 0
OpDecorate %color Location 0
OpDecorate %tex DescriptorSet 0
OpDecorate %tex Binding 0
%void = OpTypeVoid
%fn = OpTypeFunction %void
%float = OpTypeFloat 32
%v2 = OpTypeVector %float 2
%v4 = OpTypeVector %float 4
%image = OpTypeImage %float 2D 0 0 0 1 Unknown
%sampled = OpTypeSampledImage %image
%ptex = OpTypePointer UniformConstant %sampled
%pin = OpTypePointer Input %v2
%pout = OpTypePointer Output %v4
%tex = OpVariable %ptex UniformConstant
%in = OpVariable %pin Input
%color = OpVariable %pout Output
%main = OpFunction %void None %fn
%start = OpLabel
%at = OpLoad %v2 %in
%from = OpLoad %sampled %tex
%texel = OpImageSampleImplicitLod %v4 %from %at
OpStore %color %texel
OpReturn
OpFunctionEnd
)";

std::string color_target(std::string_view format) {
  return fmt::format("[images.color]\nformat = \"{}\"\nsize = [{}, {}]\n", format, kWidth, kHeight);
}

TEST_P(Scenes, AFramesUnionIsWhatTheSamplingPassReads) {
  Scene s = scene(2);
  s.size = {300, 180, 1};
  s.levels = 9;
  Touched touched;
  job::RunHooks hooks;
  hooks.observer = &touched;
  const auto sampled = run_shader(assemble_shader(kSampling),
                                  s.toml("tex") + color_target("R32G32B32A32_FLOAT") + kFlatInput, {}, hooks);
  ASSERT_TRUE(sampled.succeeded) << messages(sampled.diagnostics);
  ASSERT_FALSE(touched.texels.empty());

  // MIP_REGION_USED of 8 x 8 regions, by texels and by footprints (g_mip_region.frag).
  std::string first = "";
  std::uint32_t regions = 0;
  std::vector<std::array<std::uint32_t, 2>> start;  // of a level: first region, regions a row
  for (unsigned level = 0; level < s.levels; ++level) {
    const std::uint32_t w = (std::max(1u, s.size[0] >> level) + 7) / 8, h = (std::max(1u, s.size[1] >> level) + 7) / 8;
    start.push_back({regions, w});
    first += fmt::format("{}{}", level == 0 ? "" : ", ", regions);
    regions += w * h;
  }
  for (unsigned level = s.levels; level < 16; ++level) first += ", 0";
  std::vector<std::uint32_t> expected(regions);
  for (const auto& [level, x, y] : touched.texels) expected[start[level][0] + y / 8 * start[level][1] + x / 8] = 1;
  const std::uint32_t base = start.size() > 1 ? start[1][0] : regions;
  const auto outputs =
      run_all(corpus("g_mip_region.frag"),
              fmt::format("[args]\npush = {{ size0 = [{}, {}], firstOf = [{}] }}\n[buffers.Used]\ntype = "
                          "\"u32\"\ncount = {}\nsave = \"used.bin\"\n"
                          "[buffers.MinMip]\ntype = \"u32\"\ncount = {}\nfill = 255\nsave = \"min.bin\"\n",
                          s.size[0], s.size[1], first, regions, base) +
                  s.toml("tex") + color_target("R8G8B8A8_UNORM") + kFlatInput,
              {"used.bin", "min.bin"});
  ASSERT_EQ(outputs.size(), 2u);
  EXPECT_EQ(words(outputs[0]), expected);
  const auto finest = words(outputs[1]);
  EXPECT_TRUE(std::any_of(finest.begin(), finest.end(), [](std::uint32_t level) { return level != 255; }));
}

TEST(FootprintShaders, AFootprintMapIsMergedByTheSplit) {  // section 5, footprint map of level 0
  Scene s;
  s.size = {128, 96, 1};
  s.levels = 8;
  const std::string uv = "[pixels]\n[pixels.inputs]\nuv = [[0.11, 0.05], [0.16, 0.08], [0.1, 0.13]]\n";  // magnified
  const std::string map = "format = \"R32_UINT\"\nsize = [4, 3]\n";
  const auto outputs =
      run_all(corpus("g_aggregate.frag"),
              s.toml("tex") + "[images.lowWords]\n" + map + "save = \"low.bin\"\n[images.highWords]\n" + map +
                  "save = \"high.bin\"\n" + color_target("R8G8B8A8_UNORM") + uv,
              {"low.bin", "high.bin"});
  ASSERT_EQ(outputs.size(), 2u);
  Touched touched;
  job::RunHooks hooks;
  hooks.observer = &touched;
  ASSERT_TRUE(run_shader(assemble_shader(kSampling), s.toml("tex") + color_target("R32G32B32A32_FLOAT") + uv, {}, hooks)
                  .succeeded);
  std::vector<std::uint32_t> low(12), high(12);
  for (const auto& [level, x, y] : touched.texels) {
    ASSERT_EQ(level, 0u);
    const std::uint32_t gx = x / 4, gy = y / 4, bit = gx % 8 + gy % 8 * 8;
    (bit < 32 ? low : high)[gy / 8 * 4 + gx / 8] |= 1u << bit % 32;
  }
  EXPECT_EQ(words(outputs[0]), low);
  EXPECT_EQ(words(outputs[1]), high);
}
}  // namespace
