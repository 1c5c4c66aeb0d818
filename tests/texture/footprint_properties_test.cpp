// SPDX-License-Identifier: MIT
// Invariants I1-I23 of footprints (section 10), seeded; footprint maps and feedback maps (section 12).
// Rules: FP-12, FP-13, FP-24, FP-27 to FP-30, I16 to I18, I20 to I22.
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "support.hpp"
#include "texture/footprint_map.hpp"

namespace heddle::texture {
namespace {

using namespace test;
using image::AddressMode;
using image::Filter;
using image::MipFilter;
using Texels = std::vector<Coordinates3>;

std::uint32_t full_chain(const FootprintView& v) {
  return static_cast<std::uint32_t>(std::bit_width(std::max({v.size[0], v.size[1], v.dim == 3 ? v.size[2] : 1u})));
}

Coordinates3 level_size(const FootprintView& v, std::uint32_t level) {
  Coordinates3 s{1, 1, 1};
  for (unsigned k = 0; k < v.dim; ++k) s[k] = std::max(1u, v.size[k] >> level);
  return s;
}

/// One random query with its sampler and view.
struct Case {
  FootprintView view;
  FootprintSampler sampler;
  FootprintQuery query;
  [[nodiscard]] bool anisotropic() const {
    return sampler.max_anisotropy > 1 && query.operand != FootprintOperand::Lod && view.dim == 2;
  }
};

Case random_case(Random& random, unsigned dim, bool may_be_anisotropic = true) {
  Case c;
  c.view.dim = dim;
  for (unsigned k = 0; k < dim; ++k) c.view.size[k] = dim == 2 ? 1 + random.below(300) : 1 + random.below(60);
  c.view.levels = 1 + random.below(full_chain(c.view));
  c.sampler.mag_linear = random.below(4) != 0;
  c.sampler.min_linear = random.below(4) != 0;
  c.sampler.mip = random.below(2) ? MipFilter::Linear : MipFilter::Nearest;
  if (random.below(4) == 0) c.sampler.bias = static_cast<int>(random.below(1024)) / 256.0 - 2;
  if (random.below(4) == 0) c.sampler.min_lod = static_cast<int>(random.below(1024)) / 256.0;
  if (random.below(4) == 0)
    c.sampler.max_lod = c.sampler.min_lod + random.below(1024) / 256.0;
  else
    c.sampler.max_lod = 14;
  c.query.coordinate = {random.between(-0.5f, 1.5f), random.between(-0.5f, 1.5f), random.between(-0.5f, 1.5f)};
  do c.query.granularity = 1 + random.below(15);
  while (!granularity_size(dim, c.query.granularity));
  if (dim == 2 && random.below(2)) {
    c.query.operand = FootprintOperand::Grad;
    if (may_be_anisotropic && random.below(3) != 0) {
      c.sampler.max_anisotropy = 2 << random.below(4);
      c.sampler.min_linear = c.sampler.mag_linear = true;
    }
    const float reach = std::exp2(random.between(-3, 6));
    for (unsigned k = 0; k < 2; ++k) {
      c.query.gradients.dx[k] = random.between(-reach, reach) / static_cast<float>(c.view.size[k]);
      c.query.gradients.dy[k] =
          random.between(-1, 1) * (random.below(3) ? 1.0f : reach) / static_cast<float>(c.view.size[k]);
    }
  } else {
    c.query.lod = random.between(-2, 8);
    if (random.below(4) == 0) c.query.lod = std::round(c.query.lod);
  }
  return c;
}

Footprint ask(const Case& c, bool coarse = false) {
  FootprintQuery q = c.query;
  q.coarse = coarse;
  const auto r = footprint(c.view, c.sampler, q);
  EXPECT_TRUE(r.ok()) << r.diagnostics()[0].message;
  return r.ok() ? *r : Footprint{};
}
FootprintSet ask_set(const Case& c, bool coarse = false, const FootprintOptions& options = {}) {
  FootprintQuery q = c.query;
  q.coarse = coarse;
  const auto r = footprint_set(c.view, c.sampler, q, options, true);
  EXPECT_TRUE(r.ok());
  return *r;
}

/// The equivalent ordinary sample's texels, by level of the view.
class Recorder : public TexelObserver {
 public:
  void texel(const TexelTouch& t) override { seen[t.level].insert({dim == 3 ? t.slice : 0, t.y, t.x}); }
  [[nodiscard]] Texels sorted(std::uint32_t level) const {
    Texels out;
    if (const auto at = seen.find(level); at != seen.end())
      for (const auto& t : at->second) out.push_back({t[2], t[1], t[0]});
    return out;
  }
  unsigned dim = 2;
  std::map<std::uint32_t, std::set<std::array<std::uint32_t, 3>>> seen;
};

image::Surface surface_of(const FootprintView& v) {
  return make(v.dim == 3 ? image::SurfaceType::Dim3 : image::SurfaceType::Dim2, "R32_FLOAT", v.size[0], v.size[1],
              v.dim == 3 ? v.size[2] : 1, v.levels);
}
image::Sampler sampler_of(const FootprintSampler& s) {
  image::Sampler out;
  out.mag_filter = s.mag_linear ? Filter::Linear : Filter::Nearest;
  out.min_filter = s.min_linear ? Filter::Linear : Filter::Nearest;
  if (s.max_anisotropy > 1) {
    out.min_filter = out.mag_filter = Filter::Anisotropic;
    out.max_anisotropy = static_cast<std::uint8_t>(s.max_anisotropy / 2 - 1);
  }
  out.mip_filter = s.mip;
  out.set_api_rounding();
  out.lod_bias = static_cast<std::int32_t>(s.bias * 256);
  out.min_lod = static_cast<std::int32_t>(s.min_lod * 256);
  out.max_lod = static_cast<std::int32_t>(s.max_lod * 256);
  return out;
}
float sample_equivalent(const Case& c, const image::Surface& surface, TexelObserver* observer) {
  const image::Sampler sampler = sampler_of(c.sampler);
  const bool grad = c.query.operand == FootprintOperand::Grad;
  Call call(grad ? Op::SampleD : Op::SampleL, surface, &sampler);
  call.request.active = 1;
  call.with(Param::U, c.query.coordinate[0]).with(Param::V, c.query.coordinate[1]);
  if (c.view.dim == 3) call.with(Param::R, c.query.coordinate[2]);
  call.with(Param::Lod, c.query.lod);
  call.with(Param::DuDx, c.query.gradients.dx[0]).with(Param::DvDx, c.query.gradients.dx[1]);
  call.with(Param::DuDy, c.query.gradients.dy[0]).with(Param::DvDy, c.query.gradients.dy[1]);
  OperationContext context;
  context.observer = observer;
  return f(call.run(context), 0);
}

Texels divided(const Texels& texels, const Coordinates3& size) {
  std::set<std::array<std::uint32_t, 3>> groups;
  for (const auto& t : texels) groups.insert({t[2] / size[2], t[1] / size[1], t[0] / size[0]});
  Texels out;
  for (const auto& g : groups) out.push_back({g[2], g[1], g[0]});
  return out;
}
Texels decoded(const Footprint& fp, unsigned dim) {
  std::set<std::array<std::uint32_t, 3>> groups;
  for (const Group& g : decode(fp, dim))
    groups.insert(
        {static_cast<std::uint32_t>(g[2]), static_cast<std::uint32_t>(g[1]), static_cast<std::uint32_t>(g[0])});
  Texels out;
  for (const auto& g : groups) out.push_back({g[2], g[1], g[0]});
  return out;
}

class FootprintInvariants : public ::testing::TestWithParam<unsigned> {};

TEST_P(FootprintInvariants, I1_to_I15) {
  const unsigned dim = GetParam();
  Random random(100 + dim);
  const std::uint32_t w = set_width(dim);
  for (int n = 0; n < 4000; ++n) {
    const Case c = random_case(random, dim);
    const Footprint fine = ask(c), coarse = ask(c, true);
    ASSERT_EQ(fine.single, coarse.single) << n;  // I1
    if (fine.single) {
      ASSERT_EQ(coarse.mask, 0u);  // I2
    } else {
      ASSERT_NE(coarse.mask, 0u);           // I3
      ASSERT_EQ(coarse.lod, fine.lod + 1);  // I4
    }
    ASSERT_NE(fine.mask, 0u);  // I3
    Recorder recorder;
    recorder.dim = dim;
    const image::Surface surface = surface_of(c.view);
    (void)sample_equivalent(c, surface, &recorder);
    for (const Footprint& fp : {fine, coarse}) {
      if (fp.mask == 0) continue;
      ASSERT_LT(fp.lod, c.view.levels);  // I5
      const Texels texels = recorder.sorted(fp.lod);
      ASSERT_EQ(ask_set(c, fp.lod != fine.lod).texels, texels) << n;  // I23: one tap list
      for (unsigned k = 0; k < dim; ++k) {
        ASSERT_LT(fp.offset[k], w);  // I6
        if (fp.anchor[k] == 0) {
          ASSERT_EQ(fp.offset[k], 0u);  // I15
        }
      }
      if (fp.granularity != 0) {  // I7
        ASSERT_TRUE(c.anisotropic());
        ASSERT_GT(fp.granularity, c.query.granularity);
      }
      const Coordinates3 size = *granularity_size(dim, fp.granularity ? fp.granularity : c.query.granularity);
      const Texels groups = decoded(fp, dim);
      ASSERT_EQ(groups.size(), static_cast<std::size_t>(std::popcount(fp.mask)));  // I9
      const Coordinates3 level = level_size(c.view, fp.lod);
      for (const auto& g : groups)
        for (unsigned k = 0; k < dim; ++k) ASSERT_LT(g[k] * size[k], level[k]);  // I8
      const Texels expected = divided(texels, size);
      ASSERT_EQ(groups, expected) << n;  // I10, I11
      std::uint64_t mask = 0;
      Coordinates3 high{}, low{~0u, ~0u, ~0u};
      for (const auto& g : expected) {
        unsigned bit = 0, scale = 1;
        for (unsigned k = 0; k < dim; ++k, scale *= w) {
          bit += g[k] % w * scale;
          high[k] = std::max(high[k], g[k]);
          low[k] = std::min(low[k], g[k]);
        }
        mask |= std::uint64_t{1} << bit;
      }
      ASSERT_EQ(fp.mask, mask);                // I13
      for (unsigned k = 0; k < dim; ++k) {     // I14
        ASSERT_EQ(fp.anchor[k], high[k] / w);  // FC4
        ASSERT_EQ(fp.offset[k] == 0, low[k] / w == high[k] / w);
      }
      if (!c.anisotropic()) {  // I12
        ASSERT_LE(groups.size(), dim == 2 ? 4u : 8u);
        std::size_t product = 1;
        for (unsigned k = 0; k < dim; ++k) {
          std::set<std::uint32_t> projection;
          for (const auto& g : groups) projection.insert(g[k]);
          ASSERT_LE(*projection.rbegin() - *projection.begin(), 1u);
          product *= projection.size();
        }
        ASSERT_EQ(groups.size(), product);
      }
    }
    ASSERT_LE(recorder.seen.size(), fine.single ? 1u : 2u);
  }
}
INSTANTIATE_TEST_SUITE_P(Dims, FootprintInvariants, ::testing::Values(2u, 3u));

TEST(FootprintProperties, I12_NearestIsOneGroup) {
  Random random(110);
  for (int n = 0; n < 500; ++n) {
    Case c = random_case(random, 2, false);
    c.sampler.mag_linear = c.sampler.min_linear = false;
    EXPECT_EQ(std::popcount(ask(c).mask), 1);
    Case linear = c;  // I19: NEAREST T is inside LINEAR T at one level, away from where FC9's rounding carries over
    linear.sampler.mag_linear = linear.sampler.min_linear = true;
    const auto small = ask_set(c), big = ask_set(linear);
    if (small.lod == big.lod) {
      EXPECT_TRUE(std::ranges::includes(big.groups, small.groups, [](const Group& a, const Group& b) {
        return std::array{a[2], a[1], a[0]} < std::array{b[2], b[1], b[0]};
      }));
    }
  }
}

TEST(FootprintProperties, I16_Nesting) {
  Random random(116);
  for (int n = 0; n < 1000; ++n) {
    Case c = random_case(random, 2 + random.below(2));
    Case d = c;
    c.query.granularity = 1;
    d.query.granularity = 3;
    const Footprint a = ask(c), b = ask(d);
    if (a.granularity || b.granularity) continue;
    const Coordinates3 small = *granularity_size(c.view.dim, 1), big = *granularity_size(c.view.dim, 3);
    EXPECT_EQ(divided(decoded(a, c.view.dim), {big[0] / small[0], big[1] / small[1], big[2] / small[2]}),
              decoded(b, c.view.dim));
  }
}

TEST(FootprintProperties, I17_Translation) {
  Random random(117);
  for (int n = 0; n < 500; ++n) {
    Case c;
    c.view.size = {256, 256, 1};
    c.view.levels = 1;
    c.query.granularity = 1 + random.below(3);
    c.query.coordinate = {static_cast<float>(32 * 256 + random.below(100 * 256)) / 65536,
                          static_cast<float>(32 * 256 + random.below(100 * 256)) / 65536, 0};
    const Footprint a = ask(c);
    const Coordinates3 size = *granularity_size(2, c.query.granularity);
    c.query.coordinate[0] += static_cast<float>(8 * size[0]) / 256;
    const Footprint b = ask(c);
    EXPECT_EQ(b.anchor[0], a.anchor[0] + 1);
    EXPECT_EQ(b.anchor[1], a.anchor[1]);
    EXPECT_EQ(b.offset, a.offset);
    EXPECT_EQ(b.mask, a.mask);
  }
}

TEST(FootprintProperties, I18_Mirroring) {
  Random random(118);
  for (int n = 0; n < 1000; ++n) {
    Case c;
    const std::uint32_t w = 5 + random.below(60);
    c.view.size = {w, 16, 1};
    c.view.levels = 1;
    c.query.coordinate = {random.unit(), 0.3f, 0};
    const double u = static_cast<double>(c.query.coordinate[0]) * w * 256;
    if (std::fabs(u - std::floor(u) - 0.5) < 0.05) continue;  // a tie of the sub-texel grid
    const Texels there = ask_set(c).texels;
    c.query.coordinate[0] = 1 - c.query.coordinate[0];
    Texels back = ask_set(c).texels;
    // Mirroring swaps zero-weight neighbors: skip the texel centers.
    const double phase = std::nearbyint(u) / 256 - 0.5;
    if (phase == std::floor(phase)) continue;
    for (auto& t : back) t[0] = w - 1 - t[0];
    std::ranges::sort(
        back, [](const auto& a, const auto& b) { return std::array{a[2], a[1], a[0]} < std::array{b[2], b[1], b[0]}; });
    EXPECT_EQ(there, back) << n;
  }
}

TEST(FootprintProperties, I19_EquivalentQueries) {
  Random random(119);
  for (int n = 0; n < 1000; ++n) {
    Case c = random_case(random, 2);
    if (c.query.operand == FootprintOperand::Grad) {
      Case none = c;
      none.query.operand = FootprintOperand::Derivatives;
      ASSERT_EQ(ask(c), ask(none));
      ASSERT_EQ(ask(c, true), ask(none, true));
      // Operand Bias b = sampler bias b.
      Case biased = none, state = none;
      biased.sampler.bias = 0;
      biased.query.bias = 0.75f;
      state.sampler.bias = 0.75;
      ASSERT_EQ(ask(biased), ask(state));
    } else {
      // Lod l = Grad of isotropic 2^l, power-of-two sizes.
      Case l = c;
      l.view.size = {128, 128, 1};
      l.view.levels = 8;
      l.query.lod = static_cast<float>(static_cast<int>(random.below(8)) - 1);
      Case g = l;
      g.query.operand = FootprintOperand::Grad;
      g.query.gradients.dx = {std::exp2(l.query.lod) / 128, 0, 0};
      g.query.gradients.dy = {0, std::exp2(l.query.lod) / 128, 0};
      ASSERT_EQ(ask(l), ask(g));
      // MinLod m >= lambda = Lod m (sampler bias 0).
      Case m = g;
      m.sampler.bias = 0;
      m.sampler.max_lod = 1000;
      m.query.min_lod = 9;
      Case at = l;
      at.sampler.bias = 0;
      at.sampler.max_lod = 1000;
      at.query.lod = 9;
      ASSERT_EQ(ask(m), ask(at));
    }
  }
}

TEST(FootprintProperties, I21_DenseSweepReachesEveryGroup) {
  Case c;
  c.view.size = {37, 19, 1};
  c.view.levels = 2;
  c.query.granularity = 2;
  auto map = FootprintMap::create(c.view, 2);
  ASSERT_TRUE(map.ok());
  for (int y = 0; y <= 2 * 19; ++y)
    for (int x = 0; x <= 2 * 37; ++x) {
      c.query.coordinate = {static_cast<float>(x) / 74, static_cast<float>(y) / 38, 0};
      map->insert(ask(c));
    }
  EXPECT_EQ(map->touched_fraction(0), 1.0);
  EXPECT_EQ(map->touched_fraction(1), 0.0);
}

TEST(FootprintProperties, I22_SplitEqualsMarkingDecodedGroups) {
  Random random(122);
  for (int n = 0; n < 20000; ++n) {
    const unsigned dim = 2 + random.below(2);
    const std::uint32_t w = set_width(dim);
    Footprint fp;
    fp.mask = std::uint64_t{random.word()} << 32 | random.word();
    for (unsigned k = 0; k < dim; ++k) {
      fp.anchor[k] = 1 + random.below(5);
      fp.offset[k] = random.below(w);
    }
    std::set<std::array<std::int32_t, 3>> a, b;
    for (const Group& g : decode(fp, dim)) a.insert(g);
    std::uint64_t all = 0;
    const SplitMasks parts = split(fp, dim);
    for (const SetMask& part : parts.all()) {
      ASSERT_EQ(all & part.mask, 0u);
      all |= part.mask;
      for (unsigned bit = 0; bit < 64; ++bit) {
        if (!(part.mask >> bit & 1)) continue;
        std::array<std::int32_t, 3> g{};
        unsigned scale = 1;
        for (unsigned k = 0; k < dim; ++k, scale *= w)
          g[k] = part.set[k] * static_cast<std::int32_t>(w) + static_cast<std::int32_t>(bit / scale % w);
        b.insert(g);
      }
    }
    ASSERT_EQ(all, fp.mask);
    ASSERT_EQ(a, b);
  }
}

TEST(FootprintProperties, I23_Mutation) {
  Random random(123);
  for (int n = 0; n < 60; ++n) {
    Case c = random_case(random, 2);
    for (unsigned k = 0; k < 2; ++k) c.view.size[k] = 1 + random.below(24);
    c.view.levels = 1 + random.below(full_chain(c.view));
    c.query.granularity = 1;
    image::Surface surface = surface_of(c.view);
    fill_float(surface, [&](auto, auto, auto, auto) { return random.between(1, 2); });
    const float before = sample_equivalent(c, surface, nullptr);
    const Footprint fine = ask(c), coarse = ask(c, true);
    FootprintOptions weighted;
    weighted.weighted_only = true;
    for (std::uint32_t level = 0; level < c.view.levels; ++level) {
      std::set<std::array<std::uint32_t, 2>> groups;
      Coordinates3 size{2, 2, 1};
      const Footprint* fp = fine.lod == level ? &fine : coarse.mask != 0 && coarse.lod == level ? &coarse : nullptr;
      std::set<std::array<std::uint32_t, 2>> weights;
      if (fp != nullptr) {
        size = *granularity_size(2, fp->granularity ? fp->granularity : 1);
        for (const auto& g : decoded(*fp, 2)) groups.insert({g[0], g[1]});
        for (const auto& t : ask_set(c, fp == &coarse, weighted).texels) weights.insert({t[0], t[1]});
      }
      for (std::uint32_t y = 0; y < surface.level_height(level); ++y)
        for (std::uint32_t x = 0; x < surface.level_width(level); ++x) {
          const image::Texel old = image::fetch(surface, level, 0, x, y).texel;
          image::Texel changed;
          changed.set(0, 1000);
          image::store(surface, level, 0, x, y, changed);
          const float after = sample_equivalent(c, surface, nullptr);
          if (!groups.contains({x / size[0], y / size[1]})) {
            ASSERT_EQ(after, before) << n;
          }
          if (weights.contains({x, y})) {
            ASSERT_NE(after, before) << n << " level " << level << " texel " << x << ',' << y;
          }
          image::store(surface, level, 0, x, y, old);
        }
    }
  }
}

bool includes(const Texels& big, const Texels& small) {
  return std::ranges::includes(big, small, [](const auto& a, const auto& b) {
    return std::array{a[2], a[1], a[0]} < std::array{b[2], b[1], b[0]};
  });
}

/// A coordinate near to where coordinates are held (CRD-1), or far beyond.
float far_away(Random& random, std::uint32_t size) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  const float farthest = 0x1p22f / static_cast<float>(size);
  const float at = std::array{1e6f,
                              kInfinity,
                              3e38f,
                              farthest,
                              std::nextafter(farthest, 0.0f),
                              farthest * random.between(0.999999f, 1.000001f)}[random.below(6)];
  return random.below(2) ? at : -at;
}

TEST(FootprintProperties, ConservativeContainsExact) {
  Random random(130);
  for (int n = 0; n < 4000; ++n) {
    Case c = random_case(random, 2 + random.below(2));
    for (unsigned k = 0; k < c.view.dim; ++k) {
      if (random.below(6) == 0) c.query.coordinate[k] = far_away(random, c.view.size[k]);
      if (random.below(6) == 0)
        c.query.offset[k] = std::array{3, -100, std::numeric_limits<std::int32_t>::max(),
                                       std::numeric_limits<std::int32_t>::min()}[random.below(4)];
    }
    FootprintOptions exact, wide;
    exact.mode = wide.mode = FootprintMode::Extended;
    wide.conservative = true;
    for (auto& mode : c.sampler.address) mode = static_cast<AddressMode>(std::array{0, 1, 2, 4, 5}[random.below(5)]);
    for (const bool coarse : {false, true}) {
      const auto small = ask_set(c, coarse, exact), big = ask_set(c, coarse, wide);
      if (!small.single) {
        ASSERT_FALSE(big.single);
      }
      if (small.texels.empty()) continue;
      ASSERT_EQ(small.lod, big.lod);
      ASSERT_TRUE(includes(big.texels, small.texels)) << n;
    }
  }
}

TEST(FootprintProperties, ConservativeOfWhatIsNotFinite) {
  const float infinity = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
  FootprintSampler sampler;
  sampler.max_anisotropy = 16;
  for (const float x : {infinity, -infinity, nan, 0.5f})
    for (const float dx : {infinity, -infinity, nan, 3e38f, 0.5f})
      for (const float dy : {infinity, nan, 1e-3f, 0.0f}) {
        FootprintQuery query{.coordinate = {x, 0.5f}};
        query.operand = FootprintOperand::Grad;
        for (const bool along_v : {false, true})
          for (const std::uint32_t levels : {1u, 7u}) {
            query.gradients.dx = {along_v ? 0 : dx, along_v ? dx : 0};
            query.gradients.dy = {along_v ? dy : 0, along_v ? 0 : dy};
            FootprintOptions exact, wide;
            exact.mode = wide.mode = FootprintMode::Lenient;
            wide.conservative = true;
            const FootprintView view{.dim = 2, .size = {64, 64, 1}, .levels = levels};
            const auto small = footprint_set(view, sampler, query, exact, true);
            const auto big = footprint_set(view, sampler, query, wide, true);
            ASSERT_TRUE(small.ok() && big.ok()) << x << ' ' << dx << ' ' << dy;
            EXPECT_FALSE(small->texels.empty()) << x << ' ' << dx << ' ' << dy;
            if (small->lod == big->lod)
              EXPECT_TRUE(includes(big->texels, small->texels))
                  << x << ' ' << dx << ' ' << dy << (along_v ? " along v" : "") << " levels " << levels;
          }
      }
}

TEST(FootprintProperties, ReportsAgree) {
  // The three reports of one T, every address mode; toroidal structures decode modulo the level.
  Random random(131);
  for (int n = 0; n < 4000; ++n) {
    Case c = random_case(random, 2 + random.below(2));
    if (random.below(2))
      for (unsigned k = 0; k < c.view.dim; ++k) c.view.size[k] = 1u << random.below(c.view.dim == 2 ? 9 : 6);
    c.view.levels = std::min(c.view.levels, full_chain(c.view));
    for (auto& mode : c.sampler.address) mode = static_cast<AddressMode>(std::array{0, 0, 1, 2, 4, 5}[random.below(6)]);
    FootprintOptions o;
    o.mode = FootprintMode::Extended;
    const auto set = ask_set(c, false, o);
    const auto list = footprint_list(c.view, c.sampler, c.query, o);
    ASSERT_TRUE(list.ok());
    ASSERT_LE(list->footprints.size(), c.view.dim == 2 ? 4u : 8u);
    bool coarsened = false;
    std::set<std::array<std::uint32_t, 3>> from_list;
    for (const auto& fp : list->footprints) {
      coarsened |= fp.granularity != 0;
      for (const auto& g : decoded(fp, c.view.dim)) from_list.insert({g[2], g[1], g[0]});
    }
    Texels groups;
    for (const auto& g : from_list) groups.push_back({g[2], g[1], g[0]});
    const Texels truth = divided(set.texels, *granularity_size(c.view.dim, c.query.granularity));
    if (!coarsened) {
      ASSERT_EQ(groups, truth) << n;
    }
    const auto one = footprint(c.view, c.sampler, c.query, o);
    if (!one.ok()) {
      ASSERT_EQ(one.diagnostics()[0].id, "footprint-not-encodable");
      continue;
    }
    const Coordinates3 size = *granularity_size(c.view.dim, one->granularity ? one->granularity : c.query.granularity);
    const Coordinates3 level = level_size(c.view, set.lod);
    std::set<std::array<std::uint32_t, 3>> wrapped;
    for (const Group& g : decode(*one, c.view.dim)) {
      std::array<std::uint32_t, 3> at{};
      for (unsigned k = 0; k < c.view.dim; ++k)
        at[2 - k] = static_cast<std::uint32_t>(g[k] < 0 ? g[k] + static_cast<std::int32_t>(level[k] / size[k]) : g[k]);
      wrapped.insert(at);
    }
    Texels from_struct;
    for (const auto& g : wrapped) from_struct.push_back({g[2], g[1], g[0]});
    ASSERT_EQ(from_struct, divided(set.texels, size)) << n;
  }
}

TEST(FootprintMapTest, RecordedSamplesEqualInsertedFootprints) {
  Random random(140);
  for (int round = 0; round < 20; ++round) {
    Case c = random_case(random, 2);
    c.query.granularity = 3;
    auto a = FootprintMap::create(c.view, 3), b = FootprintMap::create(c.view, 3);
    ASSERT_TRUE(a.ok() && b.ok());
    const image::Surface surface = surface_of(c.view);
    FootprintRecorder recorder(surface, *b);
    bool coarsened = false;
    for (int n = 0; n < 50; ++n) {
      c.query.coordinate = {random.unit(), random.unit(), 0};
      for (const bool coarse : {false, true}) {
        const Footprint fp = ask(c, coarse);
        coarsened |= fp.granularity != 0;
        a->insert(fp);
      }
      (void)sample_equivalent(c, surface, &recorder);
    }
    if (!coarsened) {
      EXPECT_TRUE(*a == *b) << round;
    }
    auto difference = *b;
    ASSERT_TRUE(difference.subtract(*a));  // footprints never miss what samples read
    for (std::uint32_t level = 0; level < c.view.levels; ++level) EXPECT_EQ(difference.touched_fraction(level), 0.0);
  }
}

TEST(FootprintMapTest, ToroidalAnswersNeedNoSpecialCase) {
  Case c;
  c.view.size = {1024, 1024, 1};
  c.view.levels = 1;
  c.sampler.address = {AddressMode::Wrap, AddressMode::Wrap, AddressMode::Wrap};
  c.query.granularity = 11;
  FootprintOptions o;
  o.mode = FootprintMode::Extended;
  c.query.coordinate = {0, 0.25f, 0};
  auto map = FootprintMap::create(c.view, 11);
  ASSERT_TRUE(map.ok());
  map->insert(*footprint(c.view, c.sampler, c.query, o));
  EXPECT_EQ(map->touched_groups(0), (Texels{{0, 3, 0}, {15, 3, 0}, {0, 4, 0}, {15, 4, 0}}));
  auto other = FootprintMap::create(c.view, 11);
  EXPECT_TRUE(other->merge(*map));
  EXPECT_TRUE(other->texel_touched(0, {1023, 255, 0}));
  EXPECT_TRUE(other->subtract(*map));
  EXPECT_EQ(other->touched_fraction(0), 0.0);
}

TEST(FootprintMapTest, Limits) {
  FootprintView v;
  v.size = {1u << 21, 1u << 21, 1};
  base::Limits limits;
  limits.memory_bytes = 1 << 20;
  const auto r = FootprintMap::create(v, 1, limits);
  ASSERT_FALSE(r.ok());
  EXPECT_TRUE(r.diagnostics()[0].is_limit);
  EXPECT_FALSE(FootprintMap::create(v, 8).ok());
}

TEST(FeedbackMapTest, QueryGranularity) {
  const std::array<std::array<std::uint32_t, 3>, 10> table{{{4, 4, 3},
                                                            {8, 4, 4},
                                                            {8, 8, 5},
                                                            {16, 8, 6},
                                                            {16, 16, 7},
                                                            {32, 32, 7},
                                                            {64, 64, 11},
                                                            {128, 64, 12},
                                                            {4, 8, 3},
                                                            {512, 256, 15}}};
  for (const auto& [w, h, g] : table) EXPECT_EQ(FeedbackMap::query_granularity(w, h), g) << w << 'x' << h;
  EXPECT_EQ(FeedbackMap::query_granularity(128, 128), 13u);
  EXPECT_EQ(FeedbackMap::query_granularity(256, 128), 14u);
}

TEST(FeedbackMapTest, SpreadExample) {
  // 15 x 15, region 4 x 4, level 1 is 7 x 7: region 0 covers level-0 regions 0-2, region 1 covers 2-3.
  FootprintView v;
  v.size = {15, 15, 1};
  v.levels = 4;
  auto map = FeedbackMap::create(v, 4, 4);
  ASSERT_TRUE(map.ok());
  map->mark_texel(1, 0, 0);
  std::vector<std::uint8_t> row(map->min_mip().begin(), map->min_mip().begin() + 4);
  EXPECT_EQ(row, (std::vector<std::uint8_t>{1, 1, 1, 255}));
  map->clear();
  map->mark_texel(1, 6, 0);
  row.assign(map->min_mip().begin(), map->min_mip().begin() + 4);
  EXPECT_EQ(row, (std::vector<std::uint8_t>{255, 255, 1, 1}));
  EXPECT_EQ(map->mip_region_used(1)[1], 255);
  EXPECT_EQ(map->mip_region_used(1)[0], 0);
}

TEST(FeedbackMapTest, FromFootprintsAndRoundTrip) {
  Case c;
  c.view.size = {64, 64, 1};
  c.view.levels = 7;
  c.query.granularity = FeedbackMap::query_granularity(8, 8);
  c.query.coordinate = {0.5f, 0.1f, 0};
  c.query.lod = 1.5f;
  auto map = FeedbackMap::create(c.view, 8, 8);
  ASSERT_TRUE(map.ok());
  map->insert(ask(c), c.query.granularity, {0.5f, 0.1f});
  map->insert(ask(c, true), c.query.granularity, {0.5f, 0.1f});
  // Level 1, 32 x 32: texels 15-16 x 2-3: regions 1 and 2 of row 0. Level 2: 7-8 x 1: regions 0 and 1.
  EXPECT_EQ(map->mip_region_used(1)[1], 255);
  EXPECT_EQ(map->mip_region_used(1)[2], 255);
  EXPECT_EQ(map->mip_region_used(1)[0], 0);
  EXPECT_EQ(map->mip_region_used(2)[0], 255);
  EXPECT_EQ(map->mip_region_used(2)[1], 255);
  EXPECT_EQ(map->min_mip()[0], 2);
  EXPECT_EQ(map->min_mip()[2], 1);  // level-1 region 1 covers level-0 regions 2 and 3
  EXPECT_EQ(map->min_mip()[5], 1);
  EXPECT_EQ(map->min_mip()[7], 2);
  auto copy = FeedbackMap::create(c.view, 8, 8);
  for (std::uint32_t level = 0; level < 7; ++level) {
    ASSERT_TRUE(copy->set_mip_region_used(level, map->mip_region_used(level)));
    EXPECT_TRUE(std::ranges::equal(copy->mip_region_used(level), map->mip_region_used(level)));
  }
  auto point = FeedbackMap::create(c.view, 8, 8, {FeedbackMap::Form::Point, false});
  point->insert(ask(c), c.query.granularity, {0.5f, 0.1f});
  EXPECT_EQ(point->min_mip()[4], 1);
  EXPECT_EQ(std::ranges::count(point->min_mip(), 255), 63);
  for (const std::uint32_t width : {3u, 64u}) {
    const auto refused = FeedbackMap::create(c.view, width, 8);
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.diagnostics()[0].id, "footprint-feedback-region");
  }
}

TEST(FeedbackMapTest, SmallTail) {
  FootprintView v;
  v.size = {1024, 1024, 1};
  v.levels = 11;
  auto exact = FeedbackMap::create(v, 16, 16),
       merged = FeedbackMap::create(v, 16, 16, {FeedbackMap::Form::Spread, true});
  for (auto* map : {&exact, &merged}) (*map)->mark_texel(8, 0, 0);
  EXPECT_EQ(exact->min_mip()[0], 8);
  EXPECT_EQ(merged->min_mip()[0], 5);  // levels 5 to 10 may all read 5
}

}  // namespace
}  // namespace heddle::texture
