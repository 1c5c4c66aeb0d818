// SPDX-License-Identifier: MIT
// The vector functions against the reference unit, bit for bit, over random operations, states and lanes.
// A failure prints its seed; HEDDLE_SIMD_SEED=seed runs that case alone, HEDDLE_SIMD_CASES=n more of them.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
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

/// How lanes lie: anywhere, as the pixels of a block 2 rows high (EXE-4), in rows of 8, or close together and so far
/// out that binary32 has no parts of a texel any more.
enum class Shape { Any, Block, Rows, Far };

/// The lanes of a shape show about as many texels, whichever way up.
void make_shape(Cases<Random>& cases, LaneCase& c, Shape shape, std::array<LaneWords, 2>& storage) {
  const bool integers = operation(c.request.op).family == OperationKind::Load;
  const auto step = [&] { return cases.chance(3) ? 0.0f : (cases.unit() - 0.5f) * (cases.chance(3) ? 4.0f : 2.0f); };
  const auto coordinates = [&](std::uint32_t size) {
    const float narrow = shape == Shape::Far ? 1.0f / 64 : 1.0f, across = narrow * step(), down = narrow * step();
    const float far = std::ldexp(cases.chance(3) ? 1.0f : -1.0f, static_cast<int>(12 + cases.below(11)));
    const float start = shape == Shape::Far
                            ? far + 2.0f * (cases.unit() - 0.5f)
                            : static_cast<float>(cases.below(3 * size)) - static_cast<float>(size) + cases.unit();
    LaneWords words{};
    for (std::uint32_t k = 0; k < kMaxLanes; ++k) {
      const bool block = shape == Shape::Block;
      const auto x = static_cast<float>(block ? k / 4 * 2 + k % 2 : k % 8),
                 y = static_cast<float>(block ? k / 2 % 2 : k / 8);
      const float at = start + x * across + y * down;
      words[k] = integers ? static_cast<std::uint32_t>(static_cast<std::int32_t>(std::floor(at)))
                          : Cases<Random>::bits(c.sampler.non_normalized ? at : at / static_cast<float>(size));
    }
    if (cases.chance(6)) words[cases.below(kMaxLanes)] = cases.odd_bits();
    return words;
  };
  storage = {coordinates(std::max(1u, c.surface.width)), coordinates(std::max(1u, c.surface.height))};
  c.request.set(Param::U, storage[0]);
  c.request.set(Param::V, storage[1]);
}

/// False when the case shows a difference.
bool check(std::uint64_t seed, Tally& tally, Shape shape = Shape::Any) {
  Random random(seed);
  LaneCase c;
  if (!make_case(random, c)) return true;
  if (seed % 4 != 0) end_with_last_texel(c.surface);
  // Memory may end anywhere behind it.
  if (shape != Shape::Any && c.surface.memory) c.surface.memory->resize(c.surface.memory->size() + seed / 4 % 4);
  std::array<LaneWords, 2> storage;
  if (shape != Shape::Any) {
    const OperationKind kind = operation(c.request.op).family;
    if ((kind != OperationKind::Sample && kind != OperationKind::Load) || c.request.half_parameters) return true;
    Cases<Random> cases(random);
    make_shape(cases, c, shape, storage);
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
    prepared->static_state.quads = shape == Shape::Block;
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
    if (takes_arrays(*prepared, way.target)) {
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

/// Where s of CRD-1 passes a power of two, s - 128 has fewer bits than s.
TEST(Lanes, FarCoordinatesGiveTheBitsOfTheReference) {
  Tally tally;
  const bool all = std::getenv("HEDDLE_TEST_ALL") != nullptr;
  unsigned failures = 0;
  for (std::uint64_t seed = 1; seed <= (all ? 300000u : 6000u) && failures < 10; ++seed)
    if (!check(seed, tally, Shape::Far)) ++failures;
}

/// CRD-1, by arithmetic: weights are those of floor(s - 128), s = 256 u n, whatever binary32 makes of the difference.
TEST(Lanes, WeightsFarOutAreTheFloorOfTheExactDifference) {
  image::Sampler sampler;
  sampler.min_filter = sampler.mag_filter = image::Filter::Linear;
  sampler.tcx = sampler.tcy = image::AddressMode::Wrap;
  for (const std::int64_t columns : {16, 1024, 4096}) {
    image::Surface surface = make2d("R32_FLOAT", static_cast<std::uint32_t>(columns), 1);
    const auto texel = [](std::int64_t column) { return static_cast<float>(column * 5 % 8); };
    fill_float(surface, [&](auto, auto, std::uint32_t x, auto) { return texel(x); });
    for (unsigned power = 24; power < 30; ++power) {
      Call call(Op::SampleLz, surface, &sampler);
      LaneWords u{};
      std::array<float, kMaxLanes> expected{};
      const std::int64_t unit = std::int64_t{1} << (power - 24);
      for (std::uint32_t k = 0; k < kMaxLanes; ++k) {
        const std::int64_t s = -(std::int64_t{1} << power) + (2 * k + 1) * unit, q = s - 128;
        const std::int64_t column = (q >> 8) & (columns - 1), weight = q & 255;
        u[k] = base::bits_of(static_cast<float>(s) / static_cast<float>(256 * columns));  // exact: a power of two
        expected[k] = (texel(column) * static_cast<float>(256 - weight) +
                       texel((column + 1) & (columns - 1)) * static_cast<float>(weight)) /
                      256;
      }
      call.with(Param::U, u).with(Param::V, 0.5f);
      for (const auto& [param, words] : call.parameters) call.request.set(param, words);
      for (const Way& way : all_ways()) {
        OperationContext context;
        const auto prepared = simd::prepare(call.request, context);
        ASSERT_TRUE(simd::is_fast(*prepared));
        const LaneResult result = run_in_way(*prepared, call.request, context, way, true);
        for (std::uint32_t k = 0; k < call.request.simd; ++k)
          EXPECT_EQ(f(result, 0, k), expected[k])
              << way.name() << " columns " << columns << " 2^" << power << " lane " << k;
      }
      EXPECT_EQ(f(call.run(), 0), expected[0]);
    }
  }
}

/// CRD-1, CRD-3, by arithmetic: nearest texels of coordinates around the places where rounding takes the next one.
TEST(Lanes, RoundedIndicesAreThoseOfTheExactSum) {
  constexpr int kColumns = 16;
  image::Surface surface = make2d("R32_FLOAT", kColumns, 1);
  fill_float(surface, [&](auto, auto, std::uint32_t x, auto) { return static_cast<float>(x); });
  image::Sampler sampler;
  sampler.tcx = sampler.tcy = image::AddressMode::Wrap;
  for (const image::Filter filter : {image::Filter::Nearest, image::Filter::Linear})
    for (const bool round : {false, true})
      for (int column = -20; column <= 20; ++column)
        for (const double part : {0.0, 0.5, 255.5 / 256, 511.0 / 512}) {
          sampler.min_filter = sampler.mag_filter = filter;
          sampler.round_min.fill(round);
          sampler.round_mag.fill(round);
          Call call(filter == image::Filter::Nearest ? Op::SampleLz : Op::Gather4, surface, &sampler);
          LaneWords u{};
          std::array<float, kMaxLanes> expected{};
          auto at = static_cast<float>((column + part) / kColumns);
          for (int k = 0; k < 4; ++k) at = std::nextafter(at, -100.0f);
          for (std::uint32_t k = 0; k < kMaxLanes; ++k, at = k < 9 ? std::nextafter(at, 100.0f) : at) {
            u[k] = base::bits_of(at);
            const double s = 256.0 * kColumns * at;  // exact
            const auto q = static_cast<std::int64_t>(
                std::floor(s + (round ? 0.5 : 0.0) - (filter == image::Filter::Linear ? 128 : 0)));
            expected[k] = static_cast<float>((q >> 8) & (kColumns - 1));
          }
          call.with(Param::U, u).with(Param::V, 0.5f);
          for (const auto& [param, words] : call.parameters) call.request.set(param, words);
          const unsigned channel = filter == image::Filter::Nearest ? 0 : 3;  // GA-4: the upper left one is the last
          for (const Way& way : all_ways()) {
            OperationContext context;
            const auto prepared = simd::prepare(call.request, context);
            ASSERT_TRUE(simd::is_fast(*prepared));
            const LaneResult result = run_in_way(*prepared, call.request, context, way, true);
            for (std::uint32_t k = 0; k < call.request.simd; ++k)
              EXPECT_EQ(f(result, channel, k), expected[k])
                  << way.name() << " column " << column << " part " << part << " lane " << k << " round " << round;
          }
          EXPECT_EQ(f(call.run(), channel), expected[0]);
        }
}

TEST(Lanes, BlocksOfPixelsAndRowsGiveTheBitsOfTheReference) {
  Tally tally;
  const bool all = std::getenv("HEDDLE_TEST_ALL") != nullptr;
  unsigned failures = 0;
  for (std::uint64_t seed = 1; seed <= (all ? 400000u : 10000u) && failures < 10; ++seed)
    if (!check(seed, tally, seed % 3 == 0 ? Shape::Rows : Shape::Block)) ++failures;
}

}  // namespace
}  // namespace heddle::texture::test
