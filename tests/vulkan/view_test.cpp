// SPDX-License-Identifier: MIT
// Queries, fetches, samples, gathers, loads, stores and atomics through views of every type, with levels and layers
// that do not begin with the image's first, on both engines: everything is relative to the view. Rules: VKF-10, SPV-27,
// SPV-28, RES-3, SUR-2, SUR-3.

#include <algorithm>
#include <optional>

#include "vulkan/checks.hpp"
#include "vulkan/feature_kit.hpp"
#include "vulkan/view_kit.hpp"

namespace heddle::test {
namespace {

constexpr VkDescriptorType kCombined = VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER;
constexpr VkDescriptorType kStorage = VK_DESCRIPTOR_TYPE_STORAGE_IMAGE;
constexpr auto k1D = VK_IMAGE_TYPE_1D, k2D = VK_IMAGE_TYPE_2D, k3D = VK_IMAGE_TYPE_3D;
constexpr VkImageCreateFlags kCubes = VK_IMAGE_CREATE_CUBE_COMPATIBLE_BIT,
                             kSlices = VK_IMAGE_CREATE_2D_VIEW_COMPATIBLE_BIT_EXT;

const ViewShape kShapes[] = {
    {"1D", k1D, VK_IMAGE_VIEW_TYPE_1D, {20, 1, 1}, 4, 1, 1, 2, 0, 1},
    {"1D", k1D, VK_IMAGE_VIEW_TYPE_1D, {20, 1, 1}, 4, 3, 2, 1, 2, 1},
    {"1DArray", k1D, VK_IMAGE_VIEW_TYPE_1D_ARRAY, {20, 1, 1}, 4, 5, 1, 3, 2, 2},
    {"2D", k2D, VK_IMAGE_VIEW_TYPE_2D, {16, 24, 1}, 3, 1, 0, 3, 0, 1},
    {"2D", k2D, VK_IMAGE_VIEW_TYPE_2D, {16, 24, 1}, 3, 1, 1, 1, 0, 1},
    {"2D", k2D, VK_IMAGE_VIEW_TYPE_2D, {13, 7, 1}, 4, 4, 1, 2, 3, 1},
    {"2DArray", k2D, VK_IMAGE_VIEW_TYPE_2D_ARRAY, {13, 7, 1}, 4, 5, 2, 2, 1, 3},
    {"2DArray", k2D, VK_IMAGE_VIEW_TYPE_2D_ARRAY, {12, 6, 1}, 2, 3, 1, 1, 2, 1},
    {"3D", k3D, VK_IMAGE_VIEW_TYPE_3D, {12, 6, 7}, 3, 1, 1, 2, 0, 1},
    {"3D", k3D, VK_IMAGE_VIEW_TYPE_3D, {6, 10, 9}, 3, 1, 2, 1, 0, 1},
    {"2D", k3D, VK_IMAGE_VIEW_TYPE_2D, {12, 6, 7}, 3, 1, 1, 1, 2, 1, kSlices},
    {"2D", k3D, VK_IMAGE_VIEW_TYPE_2D, {12, 6, 7}, 2, 1, 0, 1, 5, 1, kSlices},
    {"Cube", k2D, VK_IMAGE_VIEW_TYPE_CUBE, {8, 8, 1}, 3, 8, 1, 2, 2, 6, kCubes},
    {"CubeArray", k2D, VK_IMAGE_VIEW_TYPE_CUBE_ARRAY, {8, 8, 1}, 3, 14, 1, 1, 1, 12, kCubes},
};

/// The invocations of a test: every texel of a level and those just outside.
struct Grid {
  explicit Grid(const ViewShape& s, std::uint32_t level)
      : width(static_cast<std::int32_t>(s.width(s.base + level)) + 2),
        height(s.flat() ? 1 : static_cast<std::int32_t>(s.height(s.base + level)) + 2),
        slices(s.sliced() ? static_cast<std::int32_t>(s.shown_slices(level)) + 2 : 1),
        y0(s.flat() ? 0 : 1),
        z0(s.sliced() ? 1 : 0) {}
  std::int32_t width, height, slices, y0, z0;
  [[nodiscard]] std::uint32_t count() const { return static_cast<std::uint32_t>(width * height * slices); }
  [[nodiscard]] std::int64_t x(std::uint32_t n) const { return static_cast<std::int64_t>(n) % width - 1; }
  [[nodiscard]] std::int64_t y(std::uint32_t n) const { return static_cast<std::int64_t>(n) / width % height - y0; }
  [[nodiscard]] std::int64_t z(std::uint32_t n) const { return static_cast<std::int64_t>(n) / (width * height) - z0; }
  [[nodiscard]] std::vector<std::int32_t> push(std::uint32_t level) const {
    return {width, height, slices, static_cast<std::int32_t>(level), y0, z0};
  }
};

const std::string kHead =
    "#version 460\nlayout(local_size_x = 32) in;\nlayout(binding = 0) buffer O { uint o[]; };\n"
    "layout(push_constant) uniform P { ivec3 grid; int level; int y0, z0; };\n";
const std::string kPlace =
    "int n = int(gl_GlobalInvocationID.x);\n"
    "  if (n >= grid.x * grid.y * grid.z) return;\n"
    "  int x = n % grid.x - 1, y = n / grid.x % grid.y - y0, z = n / (grid.x * grid.y) - z0;\n";
constexpr std::size_t kSizeWords = 8;

/// Assignments of a size's components to o[0], o[1] ...
std::string store_sizes(const ViewShape& s, const std::string& size) {
  const std::size_t count = s.sizes(0).size();
  std::string text;
  for (std::size_t i = 0; i < count; ++i)
    text += "o[" + std::to_string(i) + "] = uint(" + size + (count > 1 ? "[" + std::to_string(i) + "]" : "") + "); ";
  return text;
}

void expect_sizes(const ViewShape& s, std::uint32_t level, const std::vector<std::uint32_t>& o) {
  const std::vector<std::uint32_t> sizes = s.sizes(level);
  for (std::size_t i = 0; i < sizes.size(); ++i) EXPECT_EQ(o[i], sizes[i]) << "size " << i << " of level " << level;
}

/// Normalized coordinates of a texel's middle moved by `by` texels; cubes: the direction of a face's texel.
std::string normalized(const ViewShape& s, const std::string& by) {
  const std::string u = "(x + 0.5 + " + by + ") / w", v = "(y + 0.5 + " + by + ") / h";
  if (s.flat()) return s.sliced() ? "vec2(" + u + ", z)" : u;
  if (s.view == VK_IMAGE_VIEW_TYPE_3D) return "vec3(" + u + ", " + v + ", (z + 0.5) / d)";
  return s.sliced() ? "vec3(" + u + ", " + v + ", z)" : "vec2(" + u + ", " + v + ")";
}

/// The face's direction, by the table of Vulkan's chapter "Cube Map Face Selection".
const std::string kDirection =
    "float a = 2 * (x + 0.5) / w - 1, b = 2 * (y + 0.5) / h - 1; int f = z % 6;\n"
    "  vec3 r = f == 0 ? vec3(1, -b, -a) : f == 1 ? vec3(-1, -b, a) : f == 2 ? vec3(a, 1, b) : f == 3 ? vec3(a, -1, "
    "-b) "
    ": f == 4 ? vec3(a, -b, 1) : vec3(-a, -b, -1);\n";

/// o[k]: texelFetch, textureLod at the level, textureGrad that chooses it, and texel (x - 1, y - 1) of textureGather.
std::string sampled_shader(const ViewShape& s) {
  std::string text = kHead + "layout(binding = 1) uniform usampler" + s.name + " t;\nvoid main() {\n  " + kPlace;
  text += "  if (n == 0) { " + store_sizes(s, "textureSize(t, level)") + "o[7] = uint(textureQueryLevels(t)); }\n";
  text += "  uint at = " + std::to_string(kSizeWords) + "u + 4u * n; o[at] = o[at + 1] = o[at + 2] = o[at + 3] = 0;\n";
  text += "  float w = " + std::string(s.sizes(0).size() > 1 ? "textureSize(t, level).x" : "textureSize(t, level)") +
          ", h = " + (s.flat() ? "1" : "textureSize(t, level).y") +
          ", d = " + (s.view == VK_IMAGE_VIEW_TYPE_3D ? "textureSize(t, level).z" : "1") + ";\n";
  if (s.cube()) {
    const std::string p = s.view == VK_IMAGE_VIEW_TYPE_CUBE_ARRAY ? "vec4(r, z / 6)" : "r";
    return text + kDirection + "  o[at + 1] = textureLod(t, " + p + ", level).r; o[at + 2] = textureGrad(t, " + p +
           ", vec3(0), vec3(0)).r;\n}\n";
  }
  // Gradients of 2^level texels of the view's first level: a level's texel.
  const std::string first = "textureSize(t, 0)";
  const std::string gradients =
      s.flat() ? (s.sliced() ? "exp2(level) / " + first + ".x, 0.0" : "exp2(level) / " + first + ", 0.0")
      : s.view == VK_IMAGE_VIEW_TYPE_3D ? "vec3(exp2(level) / " + first + ".x, 0, 0), vec3(0)"
                                        : "vec2(exp2(level) / " + first + ".x, 0), vec2(0)";
  const std::string p = normalized(s, "0.0");
  text += "  o[at] = texelFetch(t, " + s.coordinates() + ", level).r;\n  o[at + 1] = textureLod(t, " + p +
          ", level).r;\n  o[at + 2] = textureGrad(t, " + p + ", " + gradients + ").r;\n";
  if (!s.flat() && s.view != VK_IMAGE_VIEW_TYPE_3D)
    text += "  if (level == 0) o[at + 3] = textureGather(t, " + normalized(s, "-0.25") + ")[3];\n";
  return text + "}\n";
}

class Views : public testing::TestWithParam<ViewShape> {};

/// A device on each engine.
template <typename Test>
void on_both_engines(const Test& test) {
  for (const bool reference : {false, true}) {
    SCOPED_TRACE(reference ? "reference engine" : "fast engine");
    std::optional<ChecksOn> checks;
    if (reference) checks.emplace();
    VulkanDevice v({VK_EXT_IMAGE_2D_VIEW_OF_3D_EXTENSION_NAME});
    v.expects_messages = true;  // of the accesses outside
    test(v);
  }
}

TEST_P(Views, AreQueriedFetchedAndSampled) {
  HEDDLE_NEED_SHADERS();
  const ViewShape& s = GetParam();
  on_both_engines([&](VulkanDevice& v) {
    ViewImage image(v, s);
    ViewRun run(v);
    run.image(1, kCombined, image.view, v.sampler(VK_FILTER_NEAREST));
    for (std::uint32_t level = 0; level < s.count; ++level) {
      const Grid grid(s, level);
      const auto o = run.run(sampled_shader(s), grid.count(), kSizeWords + 4 * grid.count(), grid.push(level));
      expect_sizes(s, level, o);
      EXPECT_EQ(o[7], s.count) << "levels";
      const auto clamped = [&](std::int64_t x, std::int64_t y, std::int64_t z) {
        const auto held = [](std::int64_t at, std::uint32_t size) {
          return std::clamp<std::int64_t>(at, 0, std::int64_t{size} - 1);
        };
        return s.shown(level, held(x, s.width(s.base + level)), held(y, s.height(s.base + level)),
                       held(z, s.shown_slices(level)));
      };
      for (std::uint32_t n = 0; n < grid.count(); ++n) {
        const std::int64_t x = grid.x(n), y = grid.y(n), z = grid.z(n);
        const std::uint32_t* got = &o[kSizeWords + 4 * std::size_t{n}];
        SCOPED_TRACE("level " + std::to_string(level) + " at " + std::to_string(x) + " " + std::to_string(y) + " " +
                     std::to_string(z));
        if (!s.cube()) {
          ASSERT_EQ(got[0], s.shown(level, x, y, z)) << "fetched";
          ASSERT_EQ(got[1], clamped(x, y, z)) << "sampled at the level";
          ASSERT_EQ(got[2], clamped(x, y, z)) << "sampled with gradients";
          if (level == 0 && !s.flat() && s.view != VK_IMAGE_VIEW_TYPE_3D)
            ASSERT_EQ(got[3], clamped(x - 1, y - 1, z)) << "gathered";
        } else if (s.shown(level, x, y, z) != 0) {
          ASSERT_EQ(got[1], s.shown(level, x, y, z)) << "sampled at the level";
          if (level == 0) ASSERT_EQ(got[2], s.shown(level, x, y, z)) << "sampled without gradients";
        }
      }
    }
  });
}

TEST_P(Views, AreStoredToAndChangedByAtomics) {
  HEDDLE_NEED_SHADERS();
  const ViewShape& s = GetParam();
  on_both_engines([&](VulkanDevice& v) {
    ViewImage image(v, s);
    // One level, as images without a level of detail have it.
    ViewShape one = s;
    one.count = 1;
    ViewRun run(v);
    run.image(1, kStorage,
              v.view(image.image.image, VK_FORMAT_R32_UINT, s.view,
                     {VK_IMAGE_ASPECT_COLOR_BIT, s.base, 1, s.first, s.slices}));
    const Grid grid(one, 0);
    const std::string at = s.coordinates();
    // Where GLSL has a form that says who is resident, it reads as samplers do.
    const bool sparse = !s.flat();
    const std::string version = "#version 460\n", extension = "#extension GL_ARB_sparse_texture2 : require\n";
    const auto o = run.run(
        version + (sparse ? extension : "") + kHead.substr(version.size()) +
            "layout(binding = 1, r32ui) uniform uimage" + s.name + " i;\nvoid main() {\n  " + kPlace +
            "  if (n == 0) { " + store_sizes(s, "imageSize(i)") + " }\n  uint at = " + std::to_string(kSizeWords) +
            "u + 3u * n; o[at] = imageLoad(i, " + at + ").r; uvec4 texel = uvec4(0);\n  " +
            (sparse ? "bool there = sparseTexelsResidentARB(sparseImageLoadARB(i, " + at + ", texel)); " : "") +
            "o[at + 2] = texel.r; o[at + 1] = imageAtomicAdd(i, " + at + ", 5u); imageStore(i, " + at +
            ", uvec4(imageLoad(i, " + at + ").r + 0x100u)); }\n",
        grid.count(), kSizeWords + std::size_t{3} * grid.count(), grid.push(0));
    expect_sizes(one, 0, o);
    for (std::uint32_t n = 0; n < grid.count(); ++n) {
      const std::uint32_t shown = one.shown(0, grid.x(n), grid.y(n), grid.z(n));
      SCOPED_TRACE(std::to_string(grid.x(n)) + " " + std::to_string(grid.y(n)) + " " + std::to_string(grid.z(n)));
      const std::uint32_t* got = &o[kSizeWords + 3 * std::size_t{n}];
      ASSERT_EQ(got[0], shown) << "loaded";
      ASSERT_EQ(got[1], shown) << "atomic";
      if (sparse) ASSERT_EQ(got[2], shown) << "loaded with residency";
    }
    const auto expected =
        image.expected([&](std::uint32_t level, std::uint32_t slice, std::uint32_t, std::uint32_t, std::uint32_t word) {
          const bool all = s.view == VK_IMAGE_VIEW_TYPE_3D;
          const bool seen = level == s.base && (all || (slice >= s.first && slice < s.first + s.slices));
          return seen ? word + 5 + 0x100 : word;
        });
    EXPECT_EQ(image.read(), expected) << "nothing else may change";
  });
}

INSTANTIATE_TEST_SUITE_P(Vulkan, Views, testing::ValuesIn(kShapes));

// An image of 4 samples: each of a layer is a texel of its own, and one that the image does not have is no other's.
const ViewShape kSampled[] = {
    {"2DMS", k2D, VK_IMAGE_VIEW_TYPE_2D, {5, 3, 1}, 1, 1, 0, 1, 0, 1, 0, 4},
    {"2DMS", k2D, VK_IMAGE_VIEW_TYPE_2D, {5, 3, 1}, 1, 4, 0, 1, 2, 1, 0, 4},
    {"2DMSArray", k2D, VK_IMAGE_VIEW_TYPE_2D_ARRAY, {5, 3, 1}, 1, 5, 0, 1, 1, 3, 0, 4},
    {"2DMSArray", k2D, VK_IMAGE_VIEW_TYPE_2D_ARRAY, {4, 4, 1}, 1, 3, 0, 1, 0, 3, 0, 8},
};

class SampleViews : public testing::TestWithParam<ViewShape> {};

TEST_P(SampleViews, AreReadStoredToAndChangedByAtomics) {
  HEDDLE_NEED_SHADERS();
  const ViewShape& s = GetParam();
  on_both_engines([&](VulkanDevice& v) {
    ViewImage image(v, s);
    ViewRun run(v);
    run.image(1, kCombined, image.view, v.sampler(VK_FILTER_NEAREST));
    run.image(2, kStorage, image.view);
    const Grid grid(s, 0);
    const std::string at = s.coordinates();
    // Far away: a layer whose number times the samples is one of the image again.
    const std::string far = s.sliced() ? "ivec3(1, 1, 0x40000000)" : "ivec2(1, 1)";
    const std::string glsl =
        kHead + "layout(binding = 1) uniform usampler" + s.name + " t;\nlayout(binding = 2, r32ui) uniform uimage" +
        s.name + " i;\nvoid main() {\n  " + kPlace + "  if (n == 0) { " + store_sizes(s, "textureSize(t)") +
        "o[6] = uint(textureSamples(t)); o[7] = uint(imageSamples(i)); " +
        "o[4] = uint(imageSize(i).x); o[5] = uint(imageSize(i).y); }\n"
        "  int samples = textureSamples(t); uint at = " +
        std::to_string(kSizeWords) +
        "u + 3u * n * samples;\n  for (int k = 0; k < samples; ++k) { o[at] = texelFetch(t, " + at +
        ", k).r; o[at + 1] = imageLoad(i, " + at + ", k).r; o[at + 2] = imageAtomicAdd(i, " + at +
        ", k, 5u); imageStore(i, " + at + ", k, uvec4(o[at + 1] + 0x105u)); at += 3; }\n  imageStore(i, " + at +
        ", samples, uvec4(1)); imageStore(i, " + at + ", -1, uvec4(2)); imageStore(i, " + at +
        ", 0x7fffffff, uvec4(3));\n  imageAtomicAdd(i, " + at + ", samples, 1u); imageAtomicAdd(i, " + at +
        ", -1, 1u);" +
        (s.sliced() ? " imageStore(i, " + far + ", 0, uvec4(4)); imageAtomicAdd(i, " + far + ", 1, 1u);" : "") + "}\n";
    const auto o = run.run(glsl, grid.count(), kSizeWords + std::size_t{3} * grid.count() * s.samples, grid.push(0));
    expect_sizes(s, 0, o);
    EXPECT_EQ(o[4], s.extent.width);
    EXPECT_EQ(o[5], s.extent.height);
    EXPECT_EQ(o[6], s.samples);
    EXPECT_EQ(o[7], s.samples);
    // What was stored shows through a second run.
    const auto after = run.run(glsl, grid.count(), o.size(), grid.push(0));
    for (std::uint32_t n = 0; n < grid.count(); ++n)
      for (std::uint32_t k = 0; k < s.samples; ++k) {
        const std::uint32_t shown = s.shown(0, grid.x(n), grid.y(n), grid.z(n), k);
        const std::size_t at_word = kSizeWords + 3 * (std::size_t{n} * s.samples + k);
        SCOPED_TRACE(std::to_string(grid.x(n)) + " " + std::to_string(grid.y(n)) + " " + std::to_string(grid.z(n)) +
                     " sample " + std::to_string(k));
        ASSERT_EQ(o[at_word], shown) << "fetched";
        ASSERT_EQ(o[at_word + 1], shown) << "loaded";
        ASSERT_EQ(o[at_word + 2], shown) << "atomic";
        ASSERT_EQ(after[at_word + 1], shown == 0 ? 0 : shown + 0x105) << "stored";
      }
  });
}

INSTANTIATE_TEST_SUITE_P(Vulkan, SampleViews, testing::ValuesIn(kSampled));

// The usual generator of mip maps: each level is made of the one before by a shader that asks for its own size.
TEST(VulkanViews, AShaderMakesMipMaps_VKF10) {
  HEDDLE_NEED_SHADERS();
  VulkanDevice v;
  TexelImage from;
  from.width = from.height = 8;
  from.usage = VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_STORAGE_BIT;
  for (std::uint32_t level = 0; level < 4; ++level) {
    std::vector<float> values(std::size_t{64} >> (2 * level), -1);
    for (std::size_t i = 0; level == 0 && i < values.size(); ++i) values[i] = static_cast<float>(i % 8);
    from.levels.push_back(bytes_of(values));
  }
  const auto image = make_image(v, from).image;
  for (std::uint32_t level = 1; level < 4; ++level) {
    ViewRun run(v);
    const auto view_of = [&](std::uint32_t of) {
      return v.view(image, from.format, VK_IMAGE_VIEW_TYPE_2D, {VK_IMAGE_ASPECT_COLOR_BIT, of, 1, 0, 1});
    };
    run.image(1, kCombined, view_of(level - 1), v.sampler(VK_FILTER_LINEAR));
    run.image(2, kStorage, view_of(level));
    const std::uint32_t side = 8u >> level;
    const auto o = run.run(
        kHead +
            "layout(binding = 1) uniform sampler2D t;\nlayout(binding = 2, r32f) uniform image2D i;\nvoid main() {"
            " int n = int(gl_GlobalInvocationID.x); ivec2 size = imageSize(i);\n  ivec2 at = ivec2(n % size.x, n "
            "/ size.x); if (at.y >= size.y) return;\n"
            "  vec4 c = textureLod(t, (vec2(at) + 0.5) / vec2(size), 0.0); imageStore(i, at, c); o[n] = "
            "floatBitsToUint(c.r); }\n",
        side * side, std::size_t{side} * side, {});
    // The mean of 2^level columns: column x of the ramp is x.
    for (std::uint32_t n = 0; n < side * side; ++n) {
      float mean = 0;
      std::memcpy(&mean, &o[n], 4);
      const auto width = static_cast<float>(1u << level);
      EXPECT_EQ(mean, static_cast<float>(n % side) * width + (width - 1) / 2) << level << " " << n;
    }
  }
}

}  // namespace
}  // namespace heddle::test
