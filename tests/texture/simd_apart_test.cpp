// SPDX-License-Identifier: MIT
// Lanes whose surfaces lie apart: one call of the vector functions against the reference unit lane by lane.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <map>

#include "texture/simd_ways.hpp"
#include "texture/support.hpp"

namespace heddle::texture::test {
namespace {

constexpr std::size_t kSurfaces = 3;

/// A case whose lanes have three surfaces that differ in their texels.
struct ApartCase {
  std::array<image::Surface, kSurfaces> surfaces;
  std::array<LaneRequest, kSurfaces> requests;
  std::array<std::unique_ptr<simd::PreparedOperation>, kSurfaces> prepared;

  ApartCase(const LaneCase& c, Random& random) {
    for (std::size_t n = 0; n < kSurfaces; ++n) {
      surfaces[n] = c.surface;
      if (c.surface.memory != nullptr) {
        surfaces[n].memory = std::make_shared<image::Memory>(*c.surface.memory);
        if (n != 0)
          for (auto& byte : *surfaces[n].memory) byte = static_cast<std::uint8_t>(random.word() >> 24);
      }
      requests[n] = c.request;
      requests[n].surface = &surfaces[n];
      OperationContext context = c.context;
      prepared[n] = simd::prepare(requests[n], context);
    }
  }
  static std::size_t surface_of(unsigned lane) { return lane * 7 % 5 % kSurfaces; }
};

std::string difference(const ApartCase& c, const LaneCase& from, const Way& way) {
  const unsigned width = from.request.simd;
  simd::PreparedOperation& prepared = *c.prepared[0];
  prepared.static_state.slow_gathers = way.slow_gathers;
  prepared.static_state.has_vbmi = way.has_vbmi;
  prepared.static_state.apart = 1;
  simd::Inputs inputs{};
  for (std::size_t p = 0; p < kParamCount; ++p)
    inputs.param[p] = from.request.params[p] != nullptr ? from.request.params[p]->data() : nullptr;
  std::array<std::uint32_t, kMaxLanes> apart{};
  std::array<LaneResult, kSurfaces> expected;
  for (std::size_t n = 0; n < kSurfaces; ++n) {
    OperationContext context = from.context;
    expected[n] = execute_any(c.requests[n], context);
  }
  const std::uint8_t* const first = simd::texels_of(prepared);
  for (unsigned k = 0; k < width; ++k)
    apart[k] = static_cast<std::uint32_t>(simd::texels_of(*c.prepared[ApartCase::surface_of(k)]) - first);
  inputs.apart = apart.data();
  std::vector<std::uint32_t> out(4 * width + 1);
  OperationContext context = from.context;
  simd::run_lanes(prepared, inputs, width, from.request.active, out.data(), context, way.target);
  for (unsigned k = 0; k < width; ++k)
    for (unsigned channel = 0; channel < 4 && (from.request.active >> k & 1u) != 0; ++channel) {
      const std::uint32_t wanted = expected[ApartCase::surface_of(k)].channels[channel][k];
      if (out[channel * width + k] != wanted)
        return fmt::format("{}: channel {} lane {}: {:08x} instead of {:08x}", way.name(), channel, k,
                           out[channel * width + k], wanted);
    }
  return {};
}

TEST(LanesApart, EachLaneHasTheBitsOfItsOwnSurface) {
  std::map<std::string, unsigned> together, all;
  const Seeds seeds(12000, 300000);
  unsigned failures = 0;
  for (std::uint64_t seed = seeds.first; seed < seeds.end() && failures < 10; ++seed) {
    Random random(seed);
    LaneCase from;
    if (!make_case(random, from)) continue;
    const ApartCase c(from, random);
    const std::string name(operation(from.request.op).name);
    ++all[name];
    if (!simd::may_lie_apart(*c.prepared[0])) continue;
    ASSERT_TRUE(simd::differ_in_place(*c.prepared[0], *c.prepared[1])) << "HEDDLE_SIMD_SEED=" << seed;
    EXPECT_EQ(simd::shape_of(*c.prepared[0]), simd::shape_of(*c.prepared[2]));
    ++together[name];
    for (const Way& way : all_ways()) {
      const std::string found = difference(c, from, way);
      if (found.empty()) continue;
      ADD_FAILURE() << "HEDDLE_SIMD_SEED=" << seed << " " << name << " " << found;
      ++failures;
      break;
    }
  }
  for (const auto& [name, n] : all)
    if (n > 50) EXPECT_GT(together[name], n / 20) << name << " hardly ever has lanes apart";
}

// Size, pitch, format, border and level of detail are each a shape of its own; where the view begins is not.
TEST(LanesApart, WhatDiffersInMoreThanPlaceIsNotShared) {
  image::Surface surface;
  surface.type = image::SurfaceType::Dim2;
  surface.width = surface.height = 8;
  surface.levels = 3;
  surface.mip_count = 2;
  surface.format = image::find_format("R8G8B8A8_UNORM")->format;
  ASSERT_TRUE(image::allocate(surface).ok());
  image::Sampler sampler;
  sampler.set_api_rounding();
  static constexpr LaneWords kPresent{};
  const auto prepared_of = [](const image::Surface& s, const image::Sampler& m) {
    LaneRequest request;
    request.op = Op::SampleL;
    request.simd = 16;
    request.surface = &s;
    request.sampler = &m;
    for (const Param param : {Param::Lod, Param::U, Param::V}) request.set(param, kPresent);
    OperationContext context;
    return simd::prepare(request, context);
  };
  const auto first = prepared_of(surface, sampler);
  ASSERT_TRUE(simd::may_lie_apart(*first));
  image::Surface elsewhere = surface;
  elsewhere.base = 64;
  elsewhere.memory = std::make_shared<image::Memory>(surface.memory->size() + 64);
  EXPECT_TRUE(simd::differ_in_place(*first, *prepared_of(elsewhere, sampler)));
  EXPECT_EQ(simd::texels_of(*prepared_of(elsewhere, sampler)), elsewhere.memory->data() + 64);
  const auto differs = [&](auto&& change) {
    image::Surface s = surface;
    image::Sampler m = sampler;
    change(s, m);
    s.memory = nullptr;
    EXPECT_TRUE(image::allocate(s).ok());
    return !simd::differ_in_place(*first, *prepared_of(s, m));
  };
  EXPECT_FALSE(differs([](image::Surface&, image::Sampler&) {}));
  EXPECT_TRUE(differs([](image::Surface& s, image::Sampler&) { s.width = 9; }));
  EXPECT_TRUE(differs([](image::Surface& s, image::Sampler&) { s.mip_count = 1; }));
  EXPECT_TRUE(differs([](image::Surface& s, image::Sampler&) { s.format = image::find_format("R32_FLOAT")->format; }));
  EXPECT_TRUE(differs([](image::Surface&, image::Sampler& m) { m.min_filter = image::Filter::Linear; }));
  EXPECT_TRUE(differs([](image::Surface&, image::Sampler& m) { m.min_lod = 256; }));
}

}  // namespace
}  // namespace heddle::texture::test
