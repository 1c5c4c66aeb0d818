// SPDX-License-Identifier: MIT
// What devices answer to random requests lies inside what the texts allow: lavapipe (that of build/peers too, which
// bench/unpack-peers fetches), SwiftShader where Chromium is installed, and Heddle's own driver. A failure
// prints its seed; HEDDLE_SIMD_SEED=seed runs that request alone.
// Rules: BND-3 to BND-16.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <string>

#include <fmt/format.h>

#include "peers/vulkan/random_request.hpp"
#include "support/lavapipe.hpp"
#include "support/number_variable.hpp"
#include "support/process.hpp"
#include "texture/bounds/bounds.hpp"

namespace heddle::test {
namespace {

namespace bounds = texture::bounds;

struct Driver {
  const char* name;
  const char* manifest;
  const char* device;  ///< in the name of its device
};
constexpr Driver kDrivers[] = {{"Lavapipe", kLavapipeManifest, "llvmpipe"},
                               {"LavapipeNewest", "build/peers/lavapipe-newest.json", "llvmpipe"},
                               {"SwiftShader", "/usr/lib/chromium/vk_swiftshader_icd.json", "SwiftShader"},
                               {"Heddle", HEDDLE_VULKAN_MANIFEST, "Heddle"}};

/// A request at 256 points, each of which is one request of the count: all of them are more than 100,000, also where a
/// driver lacks what some need.
constexpr unsigned kPoints = 256, kAllRequests = 500;

struct Tally {
  unsigned requests = 0, judged = 0;
  std::uint64_t points = 0, values = 0, edges = 0;
  std::map<std::string, std::uint64_t> defects;  ///< points outside that the public record knows
  std::vector<std::string> outside;
};

class PeerBounds : public testing::TestWithParam<Driver> {
 protected:
  void SetUp() override {
    if (!have_program("glslangValidator")) GTEST_SKIP() << "glslangValidator is not installed";
    if (!std::filesystem::exists(GetParam().manifest)) GTEST_SKIP() << GetParam().manifest << " is not there";
    const char* before = std::getenv("VK_DRIVER_FILES");
    const std::string kept = before == nullptr ? "" : before;
    setenv("VK_DRIVER_FILES", GetParam().manifest, 1);
    std::string why;
    vulkan_ = VulkanClient::create(GetParam().device, why);
    before == nullptr ? unsetenv("VK_DRIVER_FILES") : setenv("VK_DRIVER_FILES", kept.c_str(), 1);
    if (vulkan_ == nullptr) GTEST_SKIP() << why;
    const VkPhysicalDeviceLimits limits = vulkan_->limits();
    options_ = {bounds::Api::Vulkan, limits.subTexelPrecisionBits, limits.mipmapPrecisionBits, false};
    // SwiftShader promises 6 bits; its logarithm (log2sqrt of its samplers) is a chord, up to 0.0215 below the level.
    if (vulkan_->device_name().find("SwiftShader") != std::string::npos) options_.mipmap_bits = 5;
    // Lavapipe 25 promises 6 bits, where 22.3 promised 4. Of both the logarithm of the squared gradient is a chord
    // (Mesa's lp_build_fast_log2), up to 0.086 below it, and the level up to 0.043.
    if (std::string_view(GetParam().name) == "LavapipeNewest") options_.mipmap_bits = 4;
  }

  /// Lavapipe 22.3: LLVM, which makes its sampling code, ends the process at an anisotropic sampler of a
  /// one-dimensional image.
  [[nodiscard]] static bool ends_the_driver(const RandomRequest& one) {
    return std::string_view(GetParam().name) == "Lavapipe" && one.anisotropic() &&
           one.surface.type == image::SurfaceType::Dim1;
  }
  /// What the public record knows of this request on this driver; empty: nothing. `point`: its numbers.
  [[nodiscard]] static std::string known_defect(const RandomRequest& one, const float* point);

  void judge(std::uint64_t seed, Tally& tally) {
    const RandomRequest one = random_request(seed, kPoints);
    ++tally.requests;
    if (!can_answer(*vulkan_, one) || ends_the_driver(one)) return;
    std::string why;
    const std::vector<std::uint32_t> answers = answers_of(*vulkan_, one, why);
    ASSERT_EQ(why, "") << "seed " << seed << " " << one.text();
    ++tally.judged;
    bool told = false;
    for (unsigned first = 0; first < kPoints; first += 8) {
      const EightPoints asked(one, first);
      texture::OperationContext context;
      const auto allowed = bounds::find_bounds(asked.request, options_, context);
      ASSERT_TRUE(allowed.has_value()) << "seed " << seed << " " << one.text();
      for (unsigned lane = 0; lane < 8; ++lane) {
        ++tally.points;
        std::string outside = judge_point(one, allowed->lanes[lane], allowed->value_class,
                                          &answers[std::size_t{first + lane} * 4], tally);
        if (outside.empty()) continue;
        const float* const point = &one.points[std::size_t{first + lane} * RandomRequest::kNumbers];
        if (const std::string defect = known_defect(one, point); !defect.empty()) {
          ++tally.defects[defect];
        } else if (!told) {
          told = std::getenv("HEDDLE_SIMD_SEED") == nullptr;  // one of a request is enough
          for (unsigned k = 0; k < RandomRequest::kNumbers; ++k) outside += fmt::format(" {}", point[k]);
          tally.outside.push_back(
              fmt::format("HEDDLE_SIMD_SEED={} {}: point {} {}", seed, one.text(), first + lane, outside));
        }
      }
    }
  }

  /// Which channels have an answer.
  [[nodiscard]] static unsigned channels_of(const RandomRequest& one) {
    if (one.op == texture::Op::Lod) return 2;
    return texture::operation(one.op).compare() && texture::operation(one.op).family != texture::OperationKind::Gather4
               ? 1
               : 4;
  }
  static std::string judge_point(const RandomRequest& one, const bounds::LaneBounds& allowed,
                                 image::ValueClass value_class, const std::uint32_t* words, Tally& tally) {
    for (unsigned c = 0; c < channels_of(one); ++c) {
      const bounds::ValueSet& set = allowed.channels[c];
      const bounds::Verdict verdict = bounds::judge(set, words[c], value_class);
      ++tally.values;
      tally.edges += verdict == bounds::Verdict::Edge ? 1 : 0;
      if (verdict != bounds::Verdict::Outside) continue;
      std::string text =
          fmt::format("channel {}: {} ({:#x}) is not in", c, __builtin_bit_cast(float, words[c]), words[c]);
      for (const bounds::Part& p : set.parts()) text += fmt::format(" [{}, {}]", p.full.low, p.full.high);
      return fmt::format("{} by {};", text, allowed.rule);
    }
    return {};
  }

  std::unique_ptr<VulkanClient> vulkan_;
  bounds::Options options_;
};

bool has_derivatives(const RandomRequest& one) {
  return one.fragment || texture::operation(one.op).lod == texture::LodSource::Gradient;
}
bool mirrors(const RandomRequest& one, bool once_alone) {
  const image::Sampler& s = one.sampler;
  const std::array modes{s.tcx, s.tcy, s.tcz};
  return std::ranges::any_of(modes, [&](image::AddressMode mode) {
    return mode == image::AddressMode::MirrorOnce ||
           (!once_alone && mode != image::AddressMode::Wrap && mode != image::AddressMode::Clamp);
  });
}

/// Whether a coordinate lies within 2^-16 of the image of the edge between two texels of some level.
bool is_near_an_edge(const RandomRequest& one, const float* point) {
  const image::Surface& s = one.surface;
  for (std::uint32_t level = 0; level < s.levels; ++level) {
    const std::array sizes{s.level_width(level), s.level_height(level), s.level_depth(level)};
    for (std::size_t axis = 0; axis < sizes.size(); ++axis) {
      const double at = static_cast<double>(point[axis]) * sizes[axis];
      if (std::fabs(at - std::round(at)) < sizes[axis] * 0x1p-16) return true;
    }
  }
  return false;
}

std::string PeerBounds::known_defect(const RandomRequest& one, const float* point) {
  const std::string driver = GetParam().name;
  const bool gathers = texture::operation(one.op).family == texture::OperationKind::Gather4;
  if (driver == "Heddle") return {};
  // gpuweb/cts, pull request 3981: what devices make of a cube's derivatives differs too much to be tested.
  if (one.cube() && has_derivatives(one)) return "levels of cubes by derivatives";
  if (driver == "Lavapipe" || driver == "LavapipeNewest") {
    if (gathers && one.anisotropic()) return "gathers by an anisotropic sampler";
    // The texts have the base level (BND-6).
    if (gathers && one.cube() && one.sampler.min_lod > 0) return "gathers from cubes: at the sampler's least level";
    if (driver == "LavapipeNewest") return {};
    // Mesa 22.3: the query looks at the derivatives in another way than the sample (docs/footprint-layer.md).
    if (one.op == texture::Op::Lod && one.anisotropic()) return "queries of a level with an anisotropic sampler";
    // What lp_build_sample_aniso reads lies under an ellipse of its own, not under the pixel (BND-9).
    if (one.anisotropic())
      return one.cube() || one.surface.type == image::SurfaceType::Dim3
                 ? "samples of cubes and volumes by an anisotropic sampler"
                 : "samples by an anisotropic sampler";
    return {};
  }
  // SwiftShader: what its own sources say of sampleTexture, applyOffset and address.
  if (one.op == texture::Op::Lod) return "queries of a level: not held at the image's last one";
  if (one.cube() && !one.fragment) return "texels beyond an edge of a cube in compute shaders";
  if (one.offset != std::array<std::int32_t, 3>{} && mirrors(one, false))
    return "offsets where texels are mirrored or a border begins";
  if (gathers && mirrors(one, true)) return "gathers where texels are mirrored once: their order";
  const bool nearest =
      one.sampler.min_filter == image::Filter::Nearest || one.sampler.mag_filter == image::Filter::Nearest;
  if (nearest && is_near_an_edge(one, point)) return "coordinates in 16 bits of the image: the texel before";
  return {};
}

TEST_P(PeerBounds, AnswersAreInside_BND16) {
  std::uint64_t first = 1, count = test_all() ? kAllRequests : 24;
  if (const auto cases = number_variable("HEDDLE_SIMD_CASES")) count = *cases;
  if (const auto seed = number_variable("HEDDLE_SIMD_SEED")) first = *seed, count = 1;
  Tally tally;
  for (std::uint64_t seed = first; seed < first + count; ++seed) judge(seed, tally);
  EXPECT_EQ(tally.outside.size(), 0u);
  for (std::size_t k = 0; k < std::min<std::size_t>(tally.outside.size(), 40); ++k) ADD_FAILURE() << tally.outside[k];
  if (count == 1 && tally.judged == 0) GTEST_SKIP() << "the driver has not what this request needs";
  EXPECT_GT(tally.judged, tally.requests / 2);
  fmt::print("{}: {} answers to {} requests, {} values, {} at the edge\n", GetParam().name, tally.points, tally.judged,
             tally.values, tally.edges);
  for (const auto& [defect, points] : tally.defects) fmt::print("  {}: {} points outside\n", defect, points);
}

INSTANTIATE_TEST_SUITE_P(On, PeerBounds, testing::ValuesIn(kDrivers),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace heddle::test
