// SPDX-License-Identifier: MIT
// SAMPLE_UNORM through the vector functions against unit::sample_unorm. HEDDLE_SIMD_SEED=seed runs one random case,
// HEDDLE_SIMD_CASES=n more of them.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "texture/simd/prepared_unorm.hpp"
#include "texture/simd_cases.hpp"
#include "texture/support.hpp"

namespace heddle::texture::test {
namespace {

using image::AddressMode;
using image::Filter;

/// The first difference on any target, or nothing.
std::string difference(const UnormRequest& request, const simd::PreparedUnorm& prepared) {
  OperationContext context;
  const UnormResult expected = sample_unorm(request, context);
  for (unsigned target = 0; target <= static_cast<unsigned>(simd::best_instruction_set()); ++target) {
    std::array<std::uint16_t, 4 * kUnormPixels> actual{};
    simd::sample_unorm(prepared, {request.u, request.v, request.du, request.dv}, actual.data(),
                       static_cast<simd::InstructionSet>(target));
    for (unsigned c = 0; c < 4; ++c)
      for (unsigned pixel = 0; pixel < kUnormPixels; ++pixel) {
        const std::uint16_t got = actual[c * kUnormPixels + pixel];
        const std::uint16_t want = (request.channels >> c & 1u) != 0 ? expected.channels[c][pixel] : 0;
        if (got != want)
          return fmt::format("target {} channel {} pixel {}: {:x}, reference {:x}", target, c, pixel, got, want);
      }
  }
  return {};
}

constexpr std::string_view kFormats[] = {
    "R8_UNORM", "R8G8_UNORM", "R8G8B8A8_UNORM", "B8G8R8A8_UNORM", "B8G8R8X8_UNORM",      "A8_UNORM",
    "L8_UNORM", "L8A8_UNORM", "I8_UNORM",       "R8G8B8X8_UNORM", "R8G8B8A8_UNORM_SRGB", "PLANAR_420_8"};

void fill_randomly(image::Surface& s, Random& random) {
  for (auto& byte : *s.memory) byte = static_cast<std::uint8_t>(random.word());
}

void set_block(UnormRequest& request, Random& random) {
  const auto one_in = [&](std::uint32_t n) { return random.below(n) == 0; };
  const auto coordinate = [&] {
    constexpr float kOdd[] = {std::numeric_limits<float>::quiet_NaN(),
                              std::numeric_limits<float>::infinity(),
                              -std::numeric_limits<float>::infinity(),
                              1e30f,
                              -1e9f,
                              3e7f,
                              -0.0f,
                              1e-42f};
    if (one_in(10)) return kOdd[random.below(std::size(kOdd))];
    if (one_in(20)) return base::float_from_bits(random.word());
    return one_in(3) ? random.between(-3, 4) : random.between(0, 1);
  };
  const auto step = [&](std::uint32_t size) {
    if (one_in(12)) return coordinate();
    const float texel = request.sampler->non_normalized ? 1.0f : 1.0f / static_cast<float>(size);
    if (one_in(2)) return texel;
    return texel * (one_in(4) ? random.between(-4, 4) : random.between(0, 1));
  };
  request.u = coordinate();
  request.v = coordinate();
  request.du = step(request.surface->width);
  request.dv = step(request.surface->height);
  if (request.sampler->non_normalized && one_in(2)) {
    request.u *= static_cast<float>(request.surface->width);
    request.v *= static_cast<float>(request.surface->height);
  }
}

TEST(LanesUnorm, RandomBlocksAreThoseOfTheReference) {
  const Seeds seeds(6000, 200000);
  unsigned fast = 0, failures = 0;
  for (std::uint64_t seed = seeds.first; seed < seeds.end() && failures < 10; ++seed) {
    Random random(seed);
    Cases<Random> more(random);
    const auto one_in = [&](std::uint32_t n) { return random.below(n) == 0; };
    const std::string_view format = kFormats[random.below(std::size(kFormats))];
    const bool planar = format.starts_with("PLANAR");
    const std::uint32_t side = one_in(3) ? 4 : one_in(2) ? 130 : 40;
    image::Surface s =
        one_in(2) ? make2d(format, 1u << random.below(8), 1u << random.below(6))
                  : make2d(format, 1 + random.below(side), 1 + random.below(side), planar ? 1 : 1 + random.below(2));
    if (one_in(8) && s.levels > 1) s.surf_min_lod = 1, s.mip_count = 0;
    fill_randomly(s, random);
    if (one_in(40)) s.memory->resize(s.memory->size() - 1);  // C22
    image::Sampler sampler = more.sampler();
    if (!one_in(3)) sampler.tcx = sampler.tcy = one_in(2) ? AddressMode::Clamp : AddressMode::Wrap;
    UnormRequest request;
    request.surface = &s;
    request.sampler = &sampler;
    request.channels = one_in(3) ? static_cast<std::uint8_t>(random.below(16)) : 15;
    set_block(request, random);
    const auto prepared = simd::prepare_unorm(request);
    if (prepared == nullptr) continue;
    ++fast;
    const std::string text = difference(request, *prepared);
    if (text.empty()) continue;
    ++failures;
    ADD_FAILURE() << fmt::format("HEDDLE_SIMD_SEED={} {} {}x{}: {}", seed, format, s.width, s.height, text);
  }
  if (!seeds.alone) EXPECT_GT(fast, seeds.count / 2);
}

/// Texel after texel, as filters of video frames read them; UNO-5 at every weight.
TEST(LanesUnorm, BlocksOfAFrame) {
  Random random(7);
  for (const std::string_view format : kFormats) {
    image::Surface s = make2d(format, 64, 36);
    fill_randomly(s, random);
    for (const Filter filter : {Filter::Nearest, Filter::Linear})
      for (const AddressMode mode : {AddressMode::Wrap, AddressMode::Mirror, AddressMode::Clamp,
                                     AddressMode::MirrorOnce, AddressMode::Mirror101}) {
        image::Sampler sampler;
        sampler.mag_filter = filter;
        sampler.tcx = sampler.tcy = mode;
        sampler.set_api_rounding();
        UnormRequest request;
        request.surface = &s;
        request.sampler = &sampler;
        request.du = 1.0f / 64;
        request.dv = 1.0f / 36;
        const auto prepared = simd::prepare_unorm(request);
        ASSERT_NE(prepared, nullptr) << format;
        for (int y = -8; y < 44; y += 4)
          for (int x = -8; x < 72; x += 8) {
            request.u = (static_cast<float>(x) + static_cast<float>(random.below(256)) / 256) / 64;
            request.v = (static_cast<float>(y) + static_cast<float>(random.below(256)) / 256) / 36;
            const std::string text = difference(request, *prepared);
            ASSERT_EQ(text, "") << fmt::format("{} at {}, {}", format, x, y);
          }
      }
  }
}

TEST(LanesUnorm, OtherStatesAreLeftToTheReference) {
  image::Sampler sampler;
  const auto fast = [&](const image::Surface& s) {
    UnormRequest request;
    request.surface = &s;
    request.sampler = &sampler;
    return simd::prepare_unorm(request) != nullptr;
  };
  image::Surface s = make2d("R8G8B8A8_UNORM", 8, 8);
  EXPECT_TRUE(fast(s));
  for (const std::string_view format : {"B5G6R5_UNORM", "R16_UNORM", "R8G8B8A8_UINT", "R8G8B8A8_SNORM", "BC1_UNORM",
                                        "R10G10B10A2_UNORM", "PLANAR_420_16"})
    EXPECT_FALSE(fast(make2d(format, 8, 8))) << format;
  EXPECT_FALSE(fast(make(image::SurfaceType::Dim2, "R8G8B8A8_UNORM", 8, 8, 1, 1, 2, true)));
  EXPECT_FALSE(fast(make(image::SurfaceType::Dim3, "R8G8B8A8_UNORM", 8, 8, 2)));
  s.rotation = 90;  // UNO-10
  EXPECT_FALSE(fast(s));
  s.rotation = 0;
  sampler.disable = true;  // RET-8
  EXPECT_FALSE(fast(s));
  sampler.disable = false;
  sampler.tcx = AddressMode::ClampBorder;  // UNO-9
  EXPECT_FALSE(fast(s));
  sampler.tcx = AddressMode::HalfBorder;
  EXPECT_FALSE(fast(s));
}

}  // namespace
}  // namespace heddle::texture::test
