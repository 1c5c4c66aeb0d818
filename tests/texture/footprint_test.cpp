// SPDX-License-Identifier: MIT
// Footprints: the worked examples of sections 7 and 8, encoding (section 5), choices FC, modes (section 9.3).
// Rules: FC2, FC3, FP-1, FP-3 to FP-11, FP-14 to FP-22, FP-25, FP-26.
#include "texture/footprint.hpp"

#include <bit>
#include <limits>

#include "support.hpp"

namespace heddle::texture {
namespace {

using image::AddressMode;
using image::MipFilter;

FootprintView view2(std::uint32_t w, std::uint32_t h) {
  FootprintView v;
  v.size = {w, h, 1};
  v.levels = static_cast<std::uint32_t>(std::bit_width(std::max(w, h)));
  return v;
}
FootprintView view3(std::uint32_t w, std::uint32_t h, std::uint32_t d) {
  FootprintView v = view2(std::max(w, d), h);
  v.dim = 3;
  v.size = {w, h, d};
  return v;
}
FootprintQuery at(float u, float v, float lod, std::uint32_t granularity) {
  FootprintQuery q;
  q.coordinate = {u, v, 0};
  q.lod = lod;
  q.granularity = granularity;
  return q;
}
FootprintQuery grad(float u, float v, std::array<float, 2> dx, std::array<float, 2> dy, std::uint32_t granularity) {
  FootprintQuery q = at(u, v, 0, granularity);
  q.operand = FootprintOperand::Grad;
  q.gradients.dx = {dx[0], dx[1], 0};
  q.gradients.dy = {dy[0], dy[1], 0};
  return q;
}
FootprintSampler nearest() {
  FootprintSampler s;
  s.mag_linear = s.min_linear = false;
  s.mip = MipFilter::Nearest;
  return s;
}
Footprint ask(const FootprintView& v, const FootprintSampler& s, FootprintQuery q, bool coarse = false,
              const FootprintOptions& options = {}) {
  q.coarse = coarse;
  const auto r = footprint(v, s, q, options);
  EXPECT_TRUE(r.ok()) << (r.ok() ? "" : r.diagnostics()[0].message);
  return r.ok() ? *r : Footprint{};
}
Footprint expected(bool single, Coordinates3 anchor, Coordinates3 offset, std::uint64_t mask, std::uint32_t lod = 0,
                   std::uint32_t granularity = 0) {
  return {single, anchor, offset, mask, lod, granularity};
}
void PrintFootprint(const Footprint& f, std::ostream* os) {
  *os << "single " << f.single << " anchor " << f.anchor[0] << ',' << f.anchor[1] << ',' << f.anchor[2] << " offset "
      << f.offset[0] << ',' << f.offset[1] << ',' << f.offset[2] << " mask " << std::hex << f.mask << std::dec
      << " lod " << f.lod << " granularity " << f.granularity;
}

}  // namespace
void PrintTo(const Footprint& f, std::ostream* os) { PrintFootprint(f, os); }
namespace {

TEST(Footprint, Section7_A_to_D) {
  const FootprintView v = view2(1024, 1024);
  const FootprintSampler linear;
  EXPECT_EQ(ask(v, linear, at(.5f, .5f, 0, 1)), expected(true, {32, 32, 0}, {1, 1, 0}, 0x8100000000000081));
  EXPECT_EQ(ask(v, linear, at(.5f, .5f, 0, 3)), expected(true, {16, 16, 0}, {1, 1, 0}, 0x8100000000000081));
  EXPECT_EQ(ask(v, linear, at(.25f, .75f, 0, 5)), expected(true, {4, 12, 0}, {1, 1, 0}, 0x8100000000000081));
  EXPECT_EQ(ask(v, nearest(), at(.5f, .5f, 0, 1)), expected(true, {32, 32, 0}, {0, 0, 0}, 1));
}

TEST(Footprint, Section7_E_to_J) {
  const FootprintView v = view2(1024, 1024);
  FootprintSampler s;
  const FootprintQuery e = at(.3f, .6f, 1.5f, 1);
  EXPECT_EQ(ask(v, s, e), expected(false, {9, 19, 0}, {0, 0, 0}, 0x3000, 1));
  EXPECT_EQ(ask(v, s, e, true), expected(false, {4, 9, 0}, {0, 0, 0}, 0x404000000000, 2));
  s.mip = MipFilter::Nearest;
  EXPECT_EQ(ask(v, s, e).lod, 1u);
  EXPECT_TRUE(ask(v, s, e).single);
  EXPECT_EQ(ask(v, s, e, true), expected(true, {}, {}, 0));  // FC8
  s.mip = MipFilter::Linear;
  EXPECT_EQ(ask(v, s, at(.3f, .6f, 20, 1)), expected(true, {}, {}, 1, 10));
  EXPECT_EQ(ask(v, s, at(1, 0, 0, 1)), expected(true, {63, 0, 0}, {}, 0x80));
  EXPECT_EQ(ask(v, s, at(-.4f, 1.7f, 0, 1)), expected(true, {0, 63, 0}, {}, 0x0100000000000000));
  EXPECT_EQ(ask(view2(37, 19), s, at(.5f, .5f, 0, 2)), expected(true, {}, {}, 0x101000000000));
}

TEST(Footprint, Section7_K_to_M_Anisotropic) {  // FC6, FC10
  const FootprintView v = view2(1024, 1024);
  FootprintSampler s;
  s.max_anisotropy = 16;
  const FootprintQuery k = grad(.4971f, .5013f, {40.f / 1024, 0}, {0, 2.5f / 1024}, 1);
  EXPECT_EQ(ask(v, s, k), expected(false, {8, 16, 0}, {3, 0, 0}, 0xe3, 1, 2));
  EXPECT_EQ(ask(v, s, k, true), expected(false, {8, 8, 0}, {3, 1, 0}, 0xe7000000000000e7, 2));
  const auto fine = footprint_set(v, s, k, {}, true);
  EXPECT_EQ(fine->texels.size(), 38u);
  FootprintQuery l = grad(.4971f, .5013f, {15.f / 1024, 15.f / 1024}, {-1.f / 1024, 1.f / 1024}, 1);
  EXPECT_EQ(footprint_set(v, s, l, {}, true)->texels.size(), 45u);
  EXPECT_EQ(ask(v, s, l), expected(false, {16, 32, 0}, {3, 3, 0}, 0xc0602003038181c0, 0, 2));
  l.granularity = 3;
  EXPECT_EQ(ask(v, s, l), expected(false, {16, 16, 0}, {3, 2, 0}, 0xe0200000000383c1, 0));
}

TEST(Footprint, Section7_N_to_P_Volumes) {  // FC15
  const FootprintView v = view3(128, 64, 32);
  const FootprintSampler s;
  FootprintQuery q = at(.5f, .5f, 0, 1);
  q.coordinate[2] = .5f;
  EXPECT_EQ(ask(v, s, q), expected(true, {8, 4, 2}, {1, 1, 1}, 0x9009000000009009));
  q.granularity = 3;
  EXPECT_EQ(ask(v, s, q), expected(true, {4, 2, 2}, {1, 1, 1}, 0x9009000000009009));
  q = at(.3f, .3f, .25f, 10);
  q.coordinate[2] = .9f;
  EXPECT_EQ(ask(v, s, q).mask, 0x400000u);
  EXPECT_EQ(ask(v, s, q, true).mask, 2u);
  EXPECT_EQ(ask(v, s, q, true).lod, 1u);
}

TEST(Footprint, Section7_Q_to_S) {
  FootprintSampler s;
  s.max_anisotropy = 16;
  s.max_lod = 0;
  const FootprintQuery q = grad(.5f, .5f, {.9f, 0}, {0, .001f}, 1);
  EXPECT_EQ(footprint_set(view2(16384, 16384), s, q, {}, true)->texels.size(), 60u);
  EXPECT_EQ(ask(view2(16384, 16384), s, q), expected(true, {256, 512, 0}, {4, 1, 0}, 0xff000000000000ff, 0, 2));
  EXPECT_EQ(ask(view2(64, 64), {}, at(17.5f / 64, .5f, 0, 1)),
            expected(true, {1, 2, 0}, {0, 1, 0}, 0x0300000000000003));
  FootprintOptions weighted;
  weighted.weighted_only = true;  // FC1
  EXPECT_EQ(ask(view2(64, 64), {}, at(17.5f / 64, .5f, 0, 1), false, weighted).mask, 0x0100000000000001u);
  FootprintSampler mixed;
  mixed.mag_linear = false;
  mixed.mip = MipFilter::Nearest;
  mixed.min_lod = .25;
  EXPECT_EQ(ask(view2(64, 64), mixed, at(.3125f, .6875f, 0, 1)), expected(true, {1, 2, 0}, {}, 0x0006060000000000));
}

struct Extended {
  FootprintOptions options;
  Extended() { options.mode = FootprintMode::Extended; }
};

TEST(Footprint, Section8_Repeat) {
  const FootprintOptions o = Extended().options;
  FootprintSampler s;
  s.address = {AddressMode::Wrap, AddressMode::Wrap, AddressMode::Wrap};
  using Groups = std::vector<Group>;
  // T
  const auto t = footprint_set(view2(1024, 1024), s, at(0, .25f, 0, 11), o);
  EXPECT_EQ(t->groups, (Groups{{0, 3, 0}, {15, 3, 0}, {0, 4, 0}, {15, 4, 0}}));
  EXPECT_FALSE(t->border);
  EXPECT_EQ(ask(view2(1024, 1024), s, at(0, .25f, 0, 11), false, o),
            expected(true, {0, 0, 0}, {1, 0, 0}, 0x8181000000));
  EXPECT_EQ(footprint_list(view2(1024, 1024), s, at(0, .25f, 0, 11), o)->footprints.size(), 2u);
  // U
  const FootprintView u = view2(1000, 600);
  EXPECT_EQ(footprint_set(u, s, at(0, .5f, 0, 1), o)->groups,
            (Groups{{0, 149, 0}, {499, 149, 0}, {0, 150, 0}, {499, 150, 0}}));
  EXPECT_EQ(ask(u, s, at(0, .5f, 0, 1), false, o), expected(true, {}, {}, 0x8100000000, 0, 12));
  const auto list = footprint_list(u, s, at(0, .5f, 0, 1), o);
  ASSERT_EQ(list->footprints.size(), 2u);
  EXPECT_EQ(list->footprints[0], expected(true, {62, 18, 0}, {}, 0x0008080000000000));
  EXPECT_EQ(list->footprints[1], expected(true, {0, 18, 0}, {}, 0x0001010000000000));
  // U2, U3, V
  EXPECT_EQ(ask(view2(2000, 1500), s, at(0, .5f, 0, 1), false, o),
            expected(true, {0, 46, 0}, {1, 0, 0}, 0x8181000000000000));
  const auto u3 = footprint(view2(3000, 16), s, at(0, .5f, 0, 1), o);
  ASSERT_FALSE(u3.ok());
  EXPECT_EQ(u3.diagnostics()[0].id, "footprint-not-encodable");
  EXPECT_EQ(footprint_set(view2(3000, 16), s, at(0, .5f, 0, 1), o)->groups,
            (Groups{{0, 3, 0}, {1499, 3, 0}, {0, 4, 0}, {1499, 4, 0}}));
  EXPECT_EQ(footprint_list(view2(3000, 16), s, at(0, .5f, 0, 1), o)->footprints.size(), 2u);
  EXPECT_EQ(ask(view2(1024, 1024), s, at(0, 0, 0, 1), false, o), expected(true, {}, {1, 1, 0}, 0x8100000000000081));
  EXPECT_EQ(footprint_list(view2(1024, 1024), s, at(0, 0, 0, 1), o)->footprints.size(), 4u);
}

TEST(Footprint, Section8_OtherModes) {
  const FootprintOptions o = Extended().options;
  const FootprintView v = view2(1024, 1024);
  const auto with = [](AddressMode mode) {
    FootprintSampler s;
    s.address = {mode, mode, mode};
    return s;
  };
  const Footprint w = expected(true, {0, 16, 0}, {0, 1, 0}, 0x0100000000000001);
  EXPECT_EQ(ask(v, with(AddressMode::Mirror), at(-.0005f, .25f, 0, 1), false, o), w);
  EXPECT_EQ(ask(v, with(AddressMode::ClampBorder), at(0, .25f, 0, 1), false, o), w);
  EXPECT_TRUE(footprint_set(v, with(AddressMode::ClampBorder), at(0, .25f, 0, 1), o)->border);
  const auto y = footprint_set(v, with(AddressMode::ClampBorder), at(-.5f, .25f, 0, 1), o);
  EXPECT_TRUE(y->groups.empty());
  EXPECT_TRUE(y->border);
  EXPECT_EQ(ask(v, with(AddressMode::ClampBorder), at(-.5f, .25f, 0, 1), false, o), expected(true, {}, {}, 0));
  EXPECT_TRUE(footprint_list(v, with(AddressMode::ClampBorder), at(-.5f, .25f, 0, 1), o)->footprints.empty());
  EXPECT_EQ(ask(v, with(AddressMode::MirrorOnce), at(-.25f, .25f, 0, 1), false, o),
            expected(true, {16, 16, 0}, {1, 1, 0}, 0x8100000000000081));
}

std::string failure(const FootprintView& v, const FootprintSampler& s, const FootprintQuery& q,
                    FootprintMode mode = FootprintMode::Strict, base::Diagnostics* warnings = nullptr) {
  FootprintOptions o;
  o.mode = mode;
  const auto r = footprint(v, s, q, o, warnings);
  return r.ok() ? "" : r.diagnostics()[0].id;
}

TEST(Footprint, Section9_StrictAndLenient) {  // FC14
  const FootprintView v = view2(64, 64);
  FootprintSampler repeat;
  repeat.address[1] = AddressMode::Wrap;
  base::Diagnostics warnings;
  EXPECT_EQ(failure(v, repeat, at(0, 0, 0, 1)), "footprint-address-mode");  // V2
  EXPECT_EQ(failure(v, repeat, at(0, 0, 0, 1), FootprintMode::Lenient, &warnings), "");
  EXPECT_EQ(warnings.all()[0].id, "footprint-address-mode");
  base::Diagnostics none;
  EXPECT_EQ(failure(v, repeat, at(0, 0, 0, 1), FootprintMode::Extended, &none), "");
  EXPECT_TRUE(none.empty());

  for (const std::uint32_t g : {0u, 8u, 9u, 10u, 16u})
    EXPECT_EQ(failure(v, {}, at(0, 0, 0, g)), "footprint-granularity-value") << g;  // V8
  EXPECT_EQ(nearest_granularity(2, 0), 1u);                                         // FC11
  EXPECT_EQ(nearest_granularity(2, 8), 11u);
  EXPECT_EQ(nearest_granularity(2, 99), 15u);
  EXPECT_EQ(nearest_granularity(3, 2), 3u);
  EXPECT_EQ(nearest_granularity(3, 15), 14u);

  FootprintQuery q = at(0, 0, 0, 1);
  q.bias = 1;
  EXPECT_EQ(failure(v, {}, q), "spirv-footprint-operands");  // R19: Bias and Lod
  q.operand = FootprintOperand::Derivatives;
  EXPECT_EQ(failure(v, {}, q), "");
  q.min_lod = 1;
  EXPECT_EQ(failure(v, {}, q), "");
  q.bias.reset();
  q.operand = FootprintOperand::Grad;
  EXPECT_EQ(failure(v, {}, q), "");
  EXPECT_EQ(failure(view3(8, 8, 8), {}, q), "spirv-footprint-operands");
  q.operand = FootprintOperand::Lod;
  EXPECT_EQ(failure(v, {}, q), "spirv-footprint-operands");
  q.min_lod.reset();
  q.offset = {1, 0, 0};
  EXPECT_EQ(failure(v, {}, q), "spirv-footprint-operands");

  const float nan = std::numeric_limits<float>::quiet_NaN(), inf = std::numeric_limits<float>::infinity();
  EXPECT_EQ(failure(v, {}, at(nan, 0, 0, 1)), "footprint-undefined-input");
  EXPECT_EQ(failure(v, {}, at(0, 0, inf, 1)), "footprint-undefined-input");
  EXPECT_EQ(failure(v, {}, at(inf, nan, nan, 1), FootprintMode::Lenient), "");
  FootprintOptions lenient;
  lenient.mode = FootprintMode::Lenient;
  EXPECT_EQ(ask(v, {}, at(inf, nan, -inf, 1), false, lenient), expected(true, {3, 0, 0}, {}, 0x80));
  FootprintSampler crossed;
  crossed.min_lod = 3;
  crossed.max_lod = 1;
  EXPECT_EQ(failure(v, crossed, at(0, 0, 0, 1)), "footprint-undefined-input");
  EXPECT_EQ(ask(v, crossed, at(0, 0, 0, 1), false, lenient).lod, 3u);

  FootprintSampler unnormalized;
  unnormalized.unnormalized = true;
  EXPECT_EQ(failure(v, unnormalized, at(0, 0, 0, 1)), "footprint-unnormalized");  // V3: more than one level
  FootprintView one = v;
  one.levels = 1;
  EXPECT_EQ(footprint_set(one, unnormalized, at(17, 33, 0, 1), {}, true)->texels,
            (std::vector<Coordinates3>{{16, 32, 0}, {17, 32, 0}, {16, 33, 0}, {17, 33, 0}}));
}

TEST(Footprint, FC2_WholeLambdaIsOneLevel) {
  const FootprintView v = view2(64, 64);
  EXPECT_TRUE(ask(v, {}, at(.5f, .5f, 3, 1)).single);
  EXPECT_EQ(ask(v, {}, at(.5f, .5f, 3, 1)).lod, 3u);
  EXPECT_FALSE(ask(v, {}, at(.5f, .5f, 3 + 1 / 256.f, 1)).single);
  EXPECT_TRUE(ask(v, {}, at(.5f, .5f, 3 + 1 / 1024.f, 1)).single);  // FC13
}

TEST(Footprint, FC7_FC12_FC13) {
  FootprintView v = view2(64, 64);
  v.base_level = 2;
  FootprintOptions absolute;
  absolute.absolute_lod = true;
  EXPECT_EQ(ask(v, {}, at(.5f, .5f, 1, 1)).lod, 1u);
  EXPECT_EQ(ask(v, {}, at(.5f, .5f, 1, 1), false, absolute).lod, 3u);
  FootprintSampler s;
  s.mip = MipFilter::Nearest;
  EXPECT_EQ(ask(v, s, at(.5f, .5f, 1.5f, 1)).lod, 1u);
  EXPECT_EQ(ask(v, s, at(.5f, .5f, 1.504f, 1)).lod, 2u);
  FootprintOptions coarse_bits;
  coarse_bits.mipmap_bits = 4;
  EXPECT_TRUE(ask(v, {}, at(.5f, .5f, 1.01f, 1), false, coarse_bits).single);
  EXPECT_FALSE(ask(v, {}, at(.5f, .5f, 1.05f, 1), false, coarse_bits).single);
  // max_lod_bias limits the sum.
  FootprintSampler biased;
  biased.bias = 20;
  FootprintOptions limits;
  limits.max_lod_bias = 2;
  EXPECT_EQ(ask(v, biased, at(.5f, .5f, 0, 1), false, limits).lod, 2u);
}

TEST(Footprint, Section5_TheTorusPicture) {
  // "pic": granularity 3, groups x 14..21, y 21..28 all touched.
  std::vector<Coordinates3> texels;
  for (std::uint32_t y = 21; y <= 28; ++y)
    for (std::uint32_t x = 14; x <= 21; ++x) texels.push_back({4 * x + 1, 4 * y + 2, 0});
  const auto f = encode(texels, 2, 3);
  ASSERT_TRUE(f.has_value());
  EXPECT_EQ(f->anchor, (Coordinates3{2, 3, 0}));
  EXPECT_EQ(f->offset, (Coordinates3{2, 3, 0}));
  EXPECT_EQ(f->mask, ~std::uint64_t{0});
  const auto one = [](std::uint32_t x, std::uint32_t y) {
    return encode(std::vector<Coordinates3>{{4 * x, 4 * y, 0}}, 2, 3)->mask;
  };
  EXPECT_EQ(one(14, 21), std::uint64_t{1} << 46);
  EXPECT_EQ(one(16, 24), std::uint64_t{1} << 0);
  EXPECT_EQ(one(15, 23), std::uint64_t{1} << 63);
  EXPECT_EQ(one(21, 28), std::uint64_t{1} << 37);
}

TEST(Footprint, Section2_Granularities) {  // FC5
  for (const unsigned dim : {2u, 3u}) {
    Coordinates3 last{1, 1, 1};
    for (std::uint32_t g = 0; g <= 15; ++g) {
      const auto size = granularity_size(dim, g);
      if (!size) continue;
      for (unsigned k = 0; k < 3; ++k) {
        EXPECT_EQ((*size)[k] % last[k], 0u);
        last[k] = (*size)[k];
      }
    }
  }
  EXPECT_EQ(*granularity_size(2, 14), (Coordinates3{256, 128, 1}));
  EXPECT_EQ(*granularity_size(3, 11), (Coordinates3{32, 16, 16}));
  EXPECT_FALSE(granularity_size(3, 15).has_value());
  // An extent of (W - 1) * size + 1 texels always fits one structure.
  for (std::uint32_t start = 0; start < 40; ++start) {
    EXPECT_EQ(encode(std::vector<Coordinates3>{{start, 0, 0}, {start + 28, 0, 0}}, 2, 3)->granularity, 0u);
    EXPECT_EQ(encode(std::vector<Coordinates3>{{start, 0, 0}, {start + 48, 0, 0}}, 3, 10)->granularity, 0u);
  }
}

TEST(Footprint, OffsetsOfAnyWord) {  // CRD-4: on this side of the image or on that
  FootprintOptions lenient;
  lenient.mode = FootprintMode::Lenient;
  for (const bool conservative : {false, true})
    for (const bool far : {false, true}) {
      FootprintQuery q = at(0.5f, 0.5f, 0, 1);
      q.offset[0] = far ? std::numeric_limits<std::int32_t>::max() : std::numeric_limits<std::int32_t>::min();
      lenient.conservative = conservative;
      const auto set = footprint_set(view2(64, 64), {}, q, lenient, true);
      ASSERT_TRUE(set.ok());
      for (const Coordinates3& t : set->texels) EXPECT_EQ(t[0], far ? 63u : 0u) << conservative;
    }
}

}  // namespace
}  // namespace heddle::texture
