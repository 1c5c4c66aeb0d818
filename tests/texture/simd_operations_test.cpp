// SPDX-License-Identifier: MIT
// The vector functions against the reference unit, bit for bit, over random operations, states and lanes.
// A failure prints its seed; HEDDLE_SIMD_SEED=seed runs that case alone, HEDDLE_SIMD_CASES=n more of them.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <string>

#include "texture/simd_ways.hpp"
#include "texture/support.hpp"

namespace heddle::texture::test {
namespace {

std::string describe(const LaneCase& c) {
  const image::Surface& s = c.surface;
  const image::Sampler& m = c.sampler;
  return fmt::format(
      "{} simd {} on {} type {} {}x{}x{} levels {} mip_count {} min_lod {} array {} layers {} first {}; filters {} {} "
      "mip {} "
      "modes {} {} {} reduction {} {} compare {} offset {} {} {} nonnorm {} aniso {}",
      operation(c.request.op).name, c.request.simd, s.type == image::SurfaceType::Null ? "-" : s.info().name,
      static_cast<int>(s.type), s.width, s.height, s.depth, s.levels, s.mip_count, s.surf_min_lod, s.array, s.layers,
      s.min_array_element, static_cast<int>(m.min_filter), static_cast<int>(m.mag_filter),
      static_cast<int>(m.mip_filter), static_cast<int>(m.tcx), static_cast<int>(m.tcy), static_cast<int>(m.tcz),
      m.reduction_enable, static_cast<int>(m.reduction), static_cast<int>(m.compare), c.request.offset[0],
      c.request.offset[1], c.request.offset[2], m.non_normalized, m.max_anisotropy);
}

struct Tally {
  std::map<std::string, unsigned> fast, all;
  std::map<std::string, unsigned> arrays;  ///< by way: runs by the kernels for arrays
};

/// Lanes become the pixels of a block 2 rows high (EXE-4) that shows about as many texels, whichever way up.
void make_block(Cases<Random>& cases, LaneCase& c, std::array<LaneWords, 2>& storage) {
  const auto step = [&] { return cases.chance(3) ? 0.0f : (cases.unit() - 0.5f) * (cases.chance(3) ? 4.0f : 2.0f); };
  const auto coordinates = [&](std::uint32_t size) {
    const float across = step(), down = step();
    const float start = static_cast<float>(cases.below(3 * size)) - static_cast<float>(size) + cases.unit();
    LaneWords words{};
    for (std::uint32_t k = 0; k < kMaxLanes; ++k) {
      const auto x = static_cast<float>(k / 4 * 2 + k % 2), y = static_cast<float>(k / 2 % 2);
      const float at = start + x * across + y * down;
      words[k] = Cases<Random>::bits(c.sampler.non_normalized ? at : at / static_cast<float>(size));
    }
    if (cases.chance(6)) words[cases.below(kMaxLanes)] = cases.odd_bits();
    return words;
  };
  storage = {coordinates(std::max(1u, c.surface.width)), coordinates(std::max(1u, c.surface.height))};
  c.request.set(Param::U, storage[0]);
  c.request.set(Param::V, storage[1]);
}

/// False when the case shows a difference. `block`: lanes are pixels of a block.
bool check(std::uint64_t seed, Tally& tally, bool block = false) {
  Random random(seed);
  LaneCase c;
  if (!make_case(random, c)) return true;
  if (seed % 4 != 0) end_with_last_texel(c.surface);
  std::array<LaneWords, 2> storage;
  if (block) {
    if (operation(c.request.op).family != OperationKind::Sample || c.request.half_parameters) return true;
    Cases<Random> cases(random);
    make_block(cases, c, storage);
  }
  OperationContext reference_context = c.context;
  const LaneResult expected = execute_any(c.request, reference_context);  // prepare() looks at no lane
  const std::string family(operation(c.request.op).name);
  ++tally.all[family];
  bool same = true;
  for (std::size_t n = 0; n < all_ways().size(); ++n) {
    const Way& way = all_ways()[n];
    OperationContext context = c.context;
    const auto prepared = simd::prepare(c.request, context);
    prepared->static_state.quads = block;
    if (n == 0 && simd::is_fast(*prepared)) ++tally.fast[family];
    const LaneResult actual = run_in_way(*prepared, c.request, context, way, (seed + n) % 2 != 0);
    const auto compare = [&](const LaneResult& result, const char* as) {
      const Difference d = compare_results(expected, result, c.request.simd);
      if (!d.found) return;
      ADD_FAILURE() << fmt::format("HEDDLE_SIMD_SEED={} {}{}: channel {} lane {}: {:08x}, reference {:08x}\n  {}", seed,
                                   way.name(), as, d.channel, d.lane, d.actual, d.expected, describe(c));
      same = false;
    };
    compare(actual, "");
    if (simd::sample_array(*prepared, {}, 0, context, way.target) != 0) {
      ++tally.arrays[way.name()];
      compare(run_in_way(*prepared, c.request, context, way, (seed + n) % 2 != 0, &actual), " as an array");
    }
    if (context.reports.all().size() != reference_context.reports.all().size()) {
      ADD_FAILURE() << fmt::format("HEDDLE_SIMD_SEED={} {}: {} reports, reference {}\n  {}", seed, way.name(),
                                   context.reports.all().size(), reference_context.reports.all().size(), describe(c));
      same = false;
    }
  }
  return same;
}

TEST(Lanes, RandomOperationsGiveTheBitsOfTheReference) {
  Tally tally;
  const Seeds seeds(30000, 1000000);
  unsigned failures = 0;
  for (std::uint64_t seed = seeds.first; seed < seeds.end() && failures < 10; ++seed)
    if (!check(seed, tally)) ++failures;
  for (const auto& [name, n] : tally.all)
    if (n > 50) EXPECT_GT(tally.fast[name], n / 20) << name << " hardly ever runs in the kernels";
  for (const Way& way : all_ways())  // however many this machine has
    if (way.target != simd::InstructionSet::Baseline)
      EXPECT_GT(tally.arrays[way.name()], 4u) << way.name() << ": operations hardly ever run as arrays";
}

TEST(Lanes, BlocksOfPixelsGiveTheBitsOfTheReference) {
  Tally tally;
  const bool all = std::getenv("HEDDLE_TEST_ALL") != nullptr;
  unsigned failures = 0;
  for (std::uint64_t seed = 1; seed <= (all ? 300000u : 7000u) && failures < 10; ++seed)
    if (!check(seed, tally, true)) ++failures;
}

}  // namespace
}  // namespace heddle::texture::test
