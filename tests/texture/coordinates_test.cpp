// SPDX-License-Identifier: MIT
// CRD, ADR, SUR-4, NUM-73, PKO-1.
// Rules: ADR-8, CRD-2, CRD-3.
#include "texture/coordinates.hpp"

#include <cmath>
#include <limits>

#include "support.hpp"

namespace heddle::texture {
namespace {

using image::AddressMode;
using test::Random;

TEST(Coordinates, CRD1_WorkedExample) {
  // Section 18 example 2: u = 0.5 of 4 texels: t = 2, q = 512 - 128 = 384.
  const auto c = to_fixed(0.5f, 4, false, false, true);
  EXPECT_EQ(c.index, 1);
  EXPECT_EQ(c.weight, 128u);
}

TEST(Coordinates, CRD1_RoundingAddsHalfAUnit) {
  const float t = 10.0f + 127.5f / 256.0f;
  EXPECT_EQ(to_fixed(t, 1, true, false, false).weight, 127u);
  EXPECT_EQ(to_fixed(t, 1, true, true, false).weight, 128u);
  EXPECT_EQ(to_fixed(t, 1, true, true, false).index, 10);
  // A coordinate just below a texel border is carried over it by rounding.
  const float below = 11.0f - 1.0f / 1024.0f;
  EXPECT_EQ(to_fixed(below, 1, true, false, false).index, 10);
  EXPECT_EQ(to_fixed(below, 1, true, true, false).index, 11);
}

TEST(Coordinates, CRD1_SaturatesAndTakesNanAsZero) {
  const float inf = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(to_fixed(inf, 7, false, true, false).index, 1 << 22);
  EXPECT_EQ(to_fixed(-inf, 7, false, true, false).index, -(1 << 22));
  EXPECT_EQ(to_fixed(1e30f, 7, false, false, true).index, (1 << 22) - 1);
  EXPECT_EQ(to_fixed(nan, 7, false, false, false).index, 0);
  EXPECT_EQ(to_fixed(nan, 7, false, false, true).index, -1);
  EXPECT_EQ(to_fixed(1e-44f, 7, false, false, false).index, 0);
  EXPECT_EQ(to_fixed(-1e-44f, 7, false, false, false).index, -1);
}

TEST(Coordinates, CRD1_MatchesIntegerArithmetic) {
  Random random(1);
  for (int n = 0; n < 20000; ++n) {
    const auto numerator = static_cast<std::int32_t>(random.below(1u << 22)) - (1 << 21);
    const float t = static_cast<float>(numerator) / 1024.0f;  // exact: four units of 1/1024 in one of 1/256
    const bool round = random.below(2) != 0, linear = random.below(2) != 0;
    std::int32_t q = numerator >> 2;
    if (round && (numerator & 3) >= 2) ++q;
    if (linear) q -= 128;
    const auto c = to_fixed(t, 1, true, round, linear);
    ASSERT_EQ(c.index, q >> 8);
    ASSERT_EQ(c.weight, static_cast<std::uint32_t>(q & 255));
  }
}

TEST(Coordinates, ADR_WorkedExamples) {  // C41
  // Section 18 example 1.
  EXPECT_EQ(apply_address_mode(AddressMode::Wrap, -1, 4).index, 3);
  EXPECT_EQ(apply_address_mode(AddressMode::Mirror, -1, 4).index, 0);
  EXPECT_EQ(apply_address_mode(AddressMode::Mirror, 4, 4).index, 3);
  EXPECT_EQ(apply_address_mode(AddressMode::Mirror, -5, 4).index, 3);
  EXPECT_EQ(apply_address_mode(AddressMode::MirrorOnce, -2, 4).index, 1);
  EXPECT_EQ(apply_address_mode(AddressMode::MirrorOnce, 9, 4).index, 3);
  EXPECT_EQ(apply_address_mode(AddressMode::Mirror101, -1, 4).index, 1);
  EXPECT_EQ(apply_address_mode(AddressMode::Mirror101, 4, 4).index, 2);
  EXPECT_EQ(apply_address_mode(AddressMode::Mirror101, -9, 4).index, 3);
}

/// Each mode as a walk along the number line: the independent picture behind ADR-0..7.
std::vector<Address> walk(AddressMode mode, int n, int from, int to) {
  std::vector<Address> out;
  for (int i = from; i <= to; ++i) {
    int at = 0, step = 1;
    Address a;
    switch (mode) {
      case AddressMode::Wrap:
        for (int k = 0; k < std::abs(i); ++k) at = i > 0 ? (at + 1 == n ? 0 : at + 1) : (at == 0 ? n - 1 : at - 1);
        a.index = at;
        break;
      case AddressMode::Mirror: {  // bounce with the edge texel repeated
        at = i >= 0 ? 0 : 0;
        const int steps = i >= 0 ? i : -1 - i;
        for (int k = 0; k < steps; ++k) {
          if ((step > 0 && at == n - 1) || (step < 0 && at == 0))
            step = -step;
          else
            at += step;
        }
        a.index = at;
        break;
      }
      case AddressMode::MirrorOnce:
        a.index = std::min(i >= 0 ? i : -1 - i, n - 1);
        break;
      case AddressMode::Mirror101:
        a.index = n == 1 ? 0 : std::clamp(i < 0 ? -i : i >= n ? 2 * n - 2 - i : i, 0, n - 1);
        break;
      default:
        a.index = std::clamp(i, 0, n - 1);
        if (i < 0 || i >= n) {
          if (mode == AddressMode::ClampBorder) a.kind = AddressKind::Border;
          if (mode == AddressMode::HalfBorder) a.kind = AddressKind::Half;
        }
        break;
    }
    out.push_back(a);
  }
  return out;
}

TEST(Coordinates, ADR_EveryModeEverySmallSize) {  // C41
  for (int mode = 0; mode < 8; ++mode)
    for (int n = 1; n <= 9; ++n) {
      const auto expected = walk(static_cast<AddressMode>(mode), n, -40, 40);
      for (int i = -40; i <= 40; ++i) {
        const Address a = apply_address_mode(static_cast<AddressMode>(mode), i, n);
        const Address& e = expected[static_cast<std::size_t>(i + 40)];
        ASSERT_EQ(a.kind, e.kind) << mode << ' ' << n << ' ' << i;
        if (e.kind != AddressKind::Border) {
          ASSERT_EQ(a.index, e.index) << mode << ' ' << n << ' ' << i;
        }
        ASSERT_GE(a.index, 0);
        ASSERT_LT(a.index, n);
      }
    }
}

TEST(Coordinates, ADR_ExtremeIndicesStayInside) {
  for (int mode = 0; mode < 8; ++mode)
    for (const std::int32_t i :
         {std::numeric_limits<std::int32_t>::min(), std::numeric_limits<std::int32_t>::max(), -(1 << 22), 1 << 22})
      for (const std::int32_t n : {1, 3, 16384, 524288}) {
        const Address a = apply_address_mode(static_cast<AddressMode>(mode), i, n);
        EXPECT_GE(a.index, 0);
        EXPECT_LT(a.index, n);
      }
}

TEST(Coordinates, SUR4_ArrayIndex) {
  EXPECT_EQ(array_index(0.5f, 8), 0u);  // ties to even
  EXPECT_EQ(array_index(1.5f, 8), 2u);
  EXPECT_EQ(array_index(2.5f, 8), 2u);
  EXPECT_EQ(array_index(-3.0f, 8), 0u);
  EXPECT_EQ(array_index(100.0f, 8), 7u);
  EXPECT_EQ(array_index(std::numeric_limits<float>::quiet_NaN(), 8), 0u);
  EXPECT_EQ(array_index(std::numeric_limits<float>::infinity(), 8), 7u);
}

TEST(Coordinates, NUM73_LaneLodAndBias) {  // C34
  EXPECT_EQ(quantize_lod(1.5f), 384);
  EXPECT_EQ(quantize_lod(100.0f), 64 * 256);
  EXPECT_EQ(quantize_lod(-100.0f), -64 * 256);
  EXPECT_EQ(quantize_bias(100.0f), 16 * 256);
  EXPECT_EQ(quantize_lod(0.5f / 256.0f), 0);  // ties to even
  EXPECT_EQ(quantize_lod(1.5f / 256.0f), 2);
  EXPECT_EQ(quantize_lod(std::numeric_limits<float>::quiet_NaN()), 0);
}

TEST(Coordinates, PKO1_PackedOperands) {  // C15
  const auto g = unpack_gather_offsets(0b100001'011111u);
  EXPECT_EQ(g.offset[0], 31);
  EXPECT_EQ(g.offset[1], -31);
  const auto gi = unpack_gather_offsets_index(0x123u | 0x3fu << 12 | 0x20u << 18);
  EXPECT_EQ(gi.index, 0x123u);
  EXPECT_EQ(gi.offset[0], -1);
  EXPECT_EQ(gi.offset[1], -32);
  const std::uint32_t one_and_half = 0x3fc00000;
  const auto gl = unpack_gather_value_offsets(one_and_half | 5u | 0x3eu << 6);
  EXPECT_EQ(gl.value, 1.5f);
  EXPECT_EQ(gl.offset[0], 5);
  EXPECT_EQ(gl.offset[1], -2);
  const auto s = unpack_sample_offsets(0x8u | 0x7u << 4 | 0xfu << 8);
  EXPECT_EQ(s.offset, (std::array<std::int32_t, 3>{-8, 7, -1}));
  const auto si = unpack_sample_offsets_index(0xabcu | 1u << 12 | 0xeu << 16 | 3u << 20);
  EXPECT_EQ(si.index, 0xabcu);
  EXPECT_EQ(si.offset, (std::array<std::int32_t, 3>{1, -2, 3}));
  const auto sl = unpack_sample_value_offsets(one_and_half | 0x321u);
  EXPECT_EQ(sl.value, 1.5f);
  EXPECT_EQ(sl.offset, (std::array<std::int32_t, 3>{1, 2, 3}));
  const auto ai = unpack_value_index(one_and_half | 511u);
  EXPECT_EQ(ai.value, 1.5f);
  EXPECT_EQ(ai.index, 511u);
}

TEST(Coordinates, GA8_SAM3_Offsets) {
  EXPECT_EQ(gather_lane_offset(0x1f), 31);
  EXPECT_EQ(gather_lane_offset(0x20), -32);
  EXPECT_EQ(gather_lane_offset(0xffffffc1u), 1);                                           // only six bits count
  EXPECT_EQ(unpack_immediate_offsets(0xf87fu), (std::array<std::int32_t, 3>{-8, 7, -1}));  // bits 15:12 do nothing
}

TEST(Coordinates, OffsetsOfAnyWordHaveASum) {  // CRD-4
  constexpr std::int32_t kMax = std::numeric_limits<std::int32_t>::max(), kMin = -kMax - 1;
  EXPECT_EQ(offset_index(31, -40), -9);
  EXPECT_EQ(offset_index(-5, 1 << 24), (1 << 24) - 5);
  for (const std::int32_t index : {-4194305, 0, 31, 4194305}) {
    EXPECT_GT(offset_index(index, kMax), 1 << 30);
    EXPECT_LT(offset_index(index, kMax), kMax - 4096);
    EXPECT_LT(offset_index(index, kMin), -(1 << 30));
  }
}

}  // namespace
}  // namespace heddle::texture
