// The lane kernels against the reference unit, bit for bit, over random operations, states and lanes.
// A failure prints its seed; HEDDLE_LANES_SEED=seed runs that case alone, HEDDLE_LANES_CASES=n more of them.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <string>

#include "unit/lanes_cases.hpp"
#include "unit/support.hpp"

namespace heddle::unit::test {
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
};

/// False when the case shows a difference.
bool check(std::uint64_t seed, Tally& tally) {
  Random random(seed);
  LaneCase c;
  if (!make_case(random, c)) return true;
  Context reference_context = c.context;
  const LaneResult expected = execute(c.request, reference_context);
  const std::string family(operation(c.request.op).name);
  ++tally.all[family];
  bool same = true;
  for (unsigned target = 0; target <= static_cast<unsigned>(lanes::best_target()); ++target) {
    Context context = c.context;
    const auto prepared = lanes::prepare(c.request, context);
    if (target == 0 && lanes::is_fast(*prepared)) ++tally.fast[family];
    const LaneResult actual = lanes::run(*prepared, c.request, context, static_cast<lanes::Target>(target));
    const Difference d = compare_results(expected, actual, c.request.simd);
    if (d.found) {
      ADD_FAILURE() << fmt::format("HEDDLE_LANES_SEED={} target {}: channel {} lane {}: {:08x}, reference {:08x}\n  {}",
                                   seed, target, d.channel, d.lane, d.actual, d.expected, describe(c));
      same = false;
    }
    if (context.reports.all().size() != reference_context.reports.all().size()) {
      ADD_FAILURE() << fmt::format("HEDDLE_LANES_SEED={} target {}: {} reports, reference {}\n  {}", seed, target,
                                   context.reports.all().size(), reference_context.reports.all().size(), describe(c));
      same = false;
    }
  }
  return same;
}

TEST(Lanes, RandomOperationsGiveTheBitsOfTheReference) {
  Tally tally;
  if (const char* seed = std::getenv("HEDDLE_LANES_SEED")) {
    check(std::strtoull(seed, nullptr, 10), tally);
    return;
  }
  const char* count = std::getenv("HEDDLE_LANES_CASES");
  const bool all = std::getenv("HEDDLE_TEST_ALL") != nullptr;
  const std::uint64_t cases = count != nullptr ? std::strtoull(count, nullptr, 10) : all ? 1000000 : 30000;
  unsigned failures = 0;
  for (std::uint64_t seed = 1; seed <= cases && failures < 10; ++seed)
    if (!check(seed, tally)) ++failures;
  for (const auto& [name, n] : tally.all)
    if (n > 50 && name != "ld2dms_w" && name != "ld_mcs")
      EXPECT_GT(tally.fast[name], n / 20) << name << " hardly ever runs in the kernels";
}

}  // namespace
}  // namespace heddle::unit::test
