// SPDX-License-Identifier: MIT
// Lanes on texels here and there, where the kernels fetch two texels of a row at once: at every edge of narrow and wide
// surfaces whose memory ends with their last texel, as on machines with quick and with slow gathers (GA-3, ADR-0..7).

#include <gtest/gtest.h>

#include <ostream>
#include <string_view>

#include "texture/simd_same.hpp"
#include "texture/support.hpp"

namespace heddle::texture::test {
namespace {

using image::SurfaceType;

constexpr std::string_view kFormats[] = {"R8G8B8A8_UNORM",     "R32_FLOAT",    "R8G8B8A8_UNORM_SRGB",
                                         "R16G16B16A16_FLOAT", "R32G32_FLOAT", "R32G32B32A32_FLOAT",
                                         "R8_UNORM",           "R16_UNORM"};

struct PairCase {
  std::string_view format;
  SurfaceType type = SurfaceType::Dim2;
  std::uint32_t width = 1, height = 1, slices = 1, levels = 1;
  std::uint8_t mode = 0;  ///< image::AddressMode
  Op op = Op::SampleLz;
  bool trilinear = false, offset = false;
};
std::ostream& operator<<(std::ostream& out, const PairCase& c) {
  return out << c.format << " type " << static_cast<int>(c.type) << ' ' << c.width << 'x' << c.height << 'x' << c.slices
             << " levels " << c.levels << " mode " << int{c.mode} << ' ' << operation(c.op).name
             << (c.trilinear ? " trilinear" : "") << (c.offset ? " offset" : "");
}

/// The memory ends behind the last texel.
image::Surface tight_surface(const PairCase& c, Random& random) {
  const bool deep = c.type == SurfaceType::Dim3, cube = c.type == SurfaceType::Cube;
  image::Surface s = make(c.type, c.format, c.width, c.height, deep ? c.slices : 1, c.levels,
                          deep   ? 1
                          : cube ? 6 * c.slices
                                 : c.slices,
                          !deep && c.slices > 1);
  end_with_last_texel(s);
  for (std::uint8_t& byte : *s.memory) byte = static_cast<std::uint8_t>(random.word());
  return s;
}

/// Lanes on texels -2 to size + 1, most of them at the edges, at times all of them.
LaneWords somewhere(std::uint32_t size, Random& random, bool cube = false) {
  LaneWords words{};
  const bool inside = random.below(4) == 0;
  for (auto& word : words) {
    const std::uint32_t kind = inside ? 3 : random.below(4);
    float at = static_cast<float>(random.below(size)) + random.unit();
    if (kind == 0) at = static_cast<float>(random.below(4)) - 2.0f + random.unit();
    if (kind == 1) at = static_cast<float>(size + random.below(4)) - 2.0f + random.unit();
    at /= static_cast<float>(size);
    word = Cases<Random>::bits(cube ? 2 * at - 1 : at);
  }
  return words;
}

void check(const PairCase& c, Random& random) {
  const image::Surface surface = tight_surface(c, random);
  const bool cube = c.type == SurfaceType::Cube;
  image::Sampler sampler;
  sampler.min_filter = sampler.mag_filter = image::Filter::Linear;
  sampler.mip_filter = c.trilinear ? image::MipFilter::Linear : image::MipFilter::None;
  sampler.tcx = sampler.tcy = sampler.tcz = static_cast<image::AddressMode>(c.mode);
  if (!cube && random.below(3) == 0) sampler.tcy = image::AddressMode::Wrap;
  sampler.set_api_rounding();
  LaneRequest request;
  request.op = c.op;
  request.simd = 32;
  request.surface = &surface;
  request.sampler = &sampler;
  request.source_channel = static_cast<std::uint8_t>(random.below(4));
  if (c.offset)
    for (unsigned axis = 0; axis < 2; ++axis) request.offset[axis] = static_cast<std::int32_t>(random.below(5)) - 2;
  const LaneWords u = somewhere(c.width, random, cube), v = somewhere(c.height, random, cube);
  LaneWords w = somewhere(c.slices, random, false), element{}, lod{};
  for (std::uint32_t k = 0; k < kMaxLanes; ++k) {
    if (cube) w[k] = Cases<Random>::bits(random.below(2) ? 1.0f : -1.0f);
    if (c.type == SurfaceType::Dim2) w[k] = Cases<Random>::bits(static_cast<float>(random.below(c.slices)));
    element[k] = Cases<Random>::bits(static_cast<float>(random.below(c.slices)));
    lod[k] = Cases<Random>::bits(random.between(-0.5f, static_cast<float>(c.levels)));
  }
  request.set(Param::U, u);
  request.set(Param::V, v);
  request.set(Param::R, w);
  request.set(Param::Ai, element);
  request.set(Param::Lod, lod);
  if (c.mode == static_cast<int>(image::AddressMode::HalfBorder) || surface.memory->size() < 4) return;  // not fast
  ASSERT_TRUE(same_in_every_way(request)) << c;
}

TEST(LanePairs, TexelsAtEveryEdgeAreThoseOfTheReference) {
  Random random(11);
  for (const std::string_view format : kFormats)
    for (const std::uint32_t width : {1u, 2u, 3u, 4u, 7u, 16u, 33u, 64u, 600u})
      for (const std::uint32_t height : {1u, 2u, 5u})
        for (std::uint8_t mode = 0; mode < 8; ++mode)
          for (const Op op : {Op::Gather4, Op::SampleLz}) {
            PairCase c{.format = format, .width = width, .height = height, .mode = mode, .op = op};
            c.trilinear = random.below(3) == 0;
            c.offset = random.below(3) == 0;
            check(c, random);
            if (HasFatalFailure()) return;
          }
}

TEST(LanePairs, OfSeveralLevelsAndSlices) {
  Random random(12);
  for (const std::string_view format : kFormats)
    for (const std::uint32_t width : {1u, 3u, 16u, 33u, 600u})
      for (std::uint8_t mode = 0; mode < 8; ++mode)
        for (const Op op : {Op::Gather4, Op::SampleLz, Op::SampleL})
          for (const SurfaceType type : {SurfaceType::Dim2, SurfaceType::Dim3, SurfaceType::Cube}) {
            if (op == Op::Gather4 && type == SurfaceType::Dim3) continue;
            PairCase c{.format = format, .type = type, .width = width, .mode = mode, .op = op};
            if (type == SurfaceType::Cube) {
              const bool wide = width == 600 && format == kFormats[0] && mode == 3;  // rows of many texels
              c.width = c.height = wide ? 520 : width % 64;
              c.slices = wide ? 1 : 1 + random.below(2);
            } else {
              c.height = 1 + random.below(5);
              c.slices = 1 + random.below(3);
            }
            c.levels = op == Op::SampleL && c.width > 1 ? 2 : 1;
            c.trilinear = random.below(3) != 0;
            c.offset = type != SurfaceType::Cube && random.below(3) == 0;
            check(c, random);
            if (HasFatalFailure()) return;
          }
}

}  // namespace
}  // namespace heddle::texture::test
