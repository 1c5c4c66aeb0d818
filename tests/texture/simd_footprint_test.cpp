// SPDX-License-Identifier: MIT
// Footprint queries through the vector functions against unit::footprint, over random views, samplers and lanes.
// HEDDLE_SIMD_SEED=seed runs one case, HEDDLE_SIMD_CASES=n more of them.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "texture/simd/prepared_footprint.hpp"
#include "texture/simd_cases.hpp"
#include "texture/support.hpp"

namespace heddle::texture::test {
namespace {

struct FootprintCase {
  FootprintView view;
  FootprintSampler sampler;
  FootprintOptions options;
  simd::FootprintShape shape;
  std::array<LaneWords, 17> words{};
  simd::FootprintInputs inputs{};
  unsigned width = 8;
};

void make(Random& random, FootprintCase& c) {
  Cases<Random> cases(random);
  const auto one_in = [&](std::uint32_t n) { return random.below(n) == 0; };
  c.view.dim = one_in(3) ? 3 : 2;
  for (unsigned k = 0; k < c.view.dim; ++k) c.view.size[k] = 1 + random.below(one_in(3) ? 8 : 700);
  c.view.levels = one_in(3) ? 1 : 1 + random.below(9);
  c.view.base_level = random.below(3);
  c.sampler.mag_linear = !one_in(4);
  c.sampler.min_linear = one_in(3) ? !c.sampler.mag_linear : c.sampler.mag_linear;
  constexpr image::MipFilter kMips[] = {image::MipFilter::None, image::MipFilter::Nearest, image::MipFilter::Linear};
  c.sampler.mip = kMips[random.below(3)];
  if (one_in(3)) c.sampler.bias = random.between(-3, 3);
  if (one_in(3)) c.sampler.min_lod = random.between(0, 3);
  if (one_in(3)) c.sampler.max_lod = random.between(0, 6);
  if (one_in(6)) c.sampler.max_anisotropy = 1 + random.below(16);
  if (one_in(12)) c.sampler.address.fill(image::AddressMode::Wrap);
  if (one_in(4)) c.options.mode = one_in(2) ? FootprintMode::Lenient : FootprintMode::Extended;
  if (one_in(4)) c.options.absolute_lod = true;
  if (one_in(12)) c.options.sub_texel_bits = 1 + random.below(16);
  if (one_in(12)) c.options.weighted_only = true;
  c.shape.operand = static_cast<FootprintOperand>(random.below(3));
  const bool derivatives = c.shape.operand == FootprintOperand::Derivatives;
  c.shape.bias = derivatives && one_in(3);
  c.shape.min_lod = derivatives && one_in(3);
  c.shape.offset = one_in(8);
  c.width = 8u << random.below(3);
  std::size_t next = 0;
  const auto floats = [&](const std::uint32_t*& to, float scale) {
    c.words[next] = cases.coordinates(scale);
    to = c.words[next++].data();
  };
  const auto integers = [&](const std::uint32_t*& to, std::uint32_t most, std::uint32_t usual) {
    LaneWords& words = c.words[next];
    for (auto& word : words) word = one_in(20) ? random.below(most) : usual;
    to = c.words[next++].data();
  };
  integers(c.inputs.granularity, 18, 1 + random.below(7));
  integers(c.inputs.coarse, 2, random.below(2));
  if (c.shape.operand == FootprintOperand::Lod) floats(c.inputs.lod, 4.0f);
  if (c.shape.bias) floats(c.inputs.bias, 2.0f);
  if (c.shape.min_lod) floats(c.inputs.min_lod, 2.0f);
  for (unsigned k = 0; k < c.view.dim; ++k) {
    floats(c.inputs.coordinate[k], 1.0f);
    if (c.shape.operand == FootprintOperand::Grad) {
      floats(c.inputs.dx[k], 0.02f);
      floats(c.inputs.dy[k], 0.02f);
    }
    if (c.shape.offset) integers(c.inputs.offset[k], 4, 0);
  }
}

TEST(Lanes, RandomFootprintsAreThoseOfTheReference) {
  const Seeds seeds(5000, 200000);
  unsigned fast = 0, failures = 0;
  for (std::uint64_t seed = seeds.first; seed < seeds.end() && failures < 10; ++seed) {
    Random random(seed);
    FootprintCase c;
    make(random, c);
    const auto prepared = simd::prepare_footprint(c.view, c.sampler, c.shape, c.options);
    fast += simd::is_fast(*prepared);
    const std::uint32_t mask = random.below(2) ? ~0u : random.word();
    std::array<std::uint32_t, 11 * kMaxLanes> expected{}, actual{};
    base::Diagnostics expected_reports;
    simd::query_reference(&prepared->dynamic_state, &c.inputs, c.width, mask, expected.data(), &expected_reports);
    const unsigned members = 5 + 2 * c.view.dim;
    for (unsigned target = 0; target <= static_cast<unsigned>(simd::best_instruction_set()); ++target) {
      base::Diagnostics reports;
      simd::query_footprints(*prepared, c.inputs, c.width, mask, actual.data(), &reports,
                             static_cast<simd::InstructionSet>(target));
      bool same = reports.all().size() == expected_reports.all().size();
      EXPECT_TRUE(same) << "HEDDLE_SIMD_SEED=" << seed << ": other reports";
      for (unsigned m = 0; m < members && same; ++m)
        for (unsigned lane = 0; lane < c.width && same; ++lane) {
          const std::uint32_t want = expected[m * c.width + lane], got = actual[m * c.width + lane];
          if (!(mask >> lane & 1u) || want == got) continue;
          ADD_FAILURE() << fmt::format("HEDDLE_SIMD_SEED={} target {}: member {} lane {}: {:x}, reference {:x}", seed,
                                       target, m, lane, got, want);
          same = false;
        }
      if (!same) {
        ++failures;
        break;
      }
    }
  }
  if (!seeds.alone) EXPECT_GT(fast, seeds.count / 3);
}

}  // namespace
}  // namespace heddle::texture::test
