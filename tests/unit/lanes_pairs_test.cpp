// Lanes on texels here and there, where the kernels fetch two texels of a row at once: at every edge of narrow and wide
// surfaces whose memory ends with their last texel, as on machines with quick and with slow gathers (GA-3, ADR-0..7).

#include <gtest/gtest.h>

#include <string_view>

#include "unit/lanes_cases.hpp"
#include "unit/support.hpp"

namespace heddle::unit::test {
namespace {

constexpr std::string_view kFormats[] = {"R8G8B8A8_UNORM",     "R32_FLOAT",    "R8G8B8A8_UNORM_SRGB",
                                         "R16G16B16A16_FLOAT", "R32G32_FLOAT", "R32G32B32A32_FLOAT",
                                         "R8_UNORM",           "R16_UNORM"};

/// The memory ends behind the last texel.
image::Surface tight_surface(std::string_view format, std::uint32_t width, std::uint32_t height, Random& random) {
  image::Surface s = make2d(format, width, height);
  const std::uint64_t row = std::uint64_t{width} * s.info().bytes_per_element();
  s.memory->resize(s.base + s.layout[0].offset + (height - 1) * s.layout[0].row_pitch + row);
  s.memory->shrink_to_fit();
  for (std::uint8_t& byte : *s.memory) byte = static_cast<std::uint8_t>(random.word());
  return s;
}

/// Lanes on texels -2 to size + 1, most of them at the edges, at times all of them.
LaneWords somewhere(std::uint32_t size, Random& random) {
  LaneWords words{};
  const bool inside = random.below(4) == 0;
  for (auto& word : words) {
    const std::uint32_t kind = inside ? 3 : random.below(4);
    float at = static_cast<float>(random.below(size)) + random.unit();
    if (kind == 0) at = static_cast<float>(random.below(4)) - 2.0f + random.unit();
    if (kind == 1) at = static_cast<float>(size + random.below(4)) - 2.0f + random.unit();
    word = Cases<Random>::bits(at / static_cast<float>(size));
  }
  return words;
}

void check(std::string_view format, std::uint32_t width, std::uint32_t height, std::uint8_t mode, Op op,
           Random& random) {
  const image::Surface surface = tight_surface(format, width, height, random);
  image::Sampler sampler;
  sampler.min_filter = sampler.mag_filter = image::Filter::Linear;
  sampler.tcx = static_cast<image::AddressMode>(mode);
  sampler.tcy = static_cast<image::AddressMode>(random.below(3) == 0 ? 0 : mode);
  sampler.set_api_rounding();
  LaneRequest request;
  request.op = op;
  request.simd = 32;
  request.surface = &surface;
  request.sampler = &sampler;
  request.source_channel = static_cast<std::uint8_t>(random.below(4));
  const LaneWords u = somewhere(width, random), v = somewhere(height, random);
  request.set(Param::U, u);
  request.set(Param::V, v);
  Context context;
  const LaneResult expected = execute(request, context);
  const auto prepared = lanes::prepare(request, context);
  if (!lanes::is_fast(*prepared)) return;
  for (const bool slow : {false, true}) {
    prepared->fixed.slow_gathers = slow;
    for (unsigned n = 0; n <= static_cast<unsigned>(lanes::best_target()); ++n) {
      const LaneResult actual = lanes::run(*prepared, request, context, static_cast<lanes::Target>(n));
      const Difference d = compare_results(expected, actual, 32);
      ASSERT_FALSE(d.found) << format << " " << width << "x" << height << " mode " << int{mode} << " slow " << slow
                            << " target " << n << " channel " << d.channel << " lane " << d.lane;
    }
  }
}

TEST(LanePairs, TexelsAtEveryEdgeAreThoseOfTheReference) {
  Random random(11);
  for (const std::string_view format : kFormats)
    for (const std::uint32_t width : {1u, 2u, 3u, 4u, 7u, 16u, 33u, 64u, 600u})
      for (const std::uint32_t height : {1u, 2u, 5u})
        for (std::uint8_t mode = 0; mode < 8; ++mode)
          for (const Op op : {Op::Gather4, Op::SampleLz}) {
            check(format, width, height, mode, op, random);
            if (HasFatalFailure()) return;
          }
}

}  // namespace
}  // namespace heddle::unit::test
