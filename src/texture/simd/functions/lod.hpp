// SPDX-License-Identifier: MIT
#pragma once
// Level of detail over lanes: LOD-1..13, ANI-1, SAM-7.

#include "texture/simd/functions/coordinates.hpp"
#include "texture/simd/functions/vector.hpp"

namespace heddle::texture::simd {
namespace {

using image::MipFilter;

template <int W>
struct LevelOfDetail {
  using Lanes = Vector<W>;
  using Floats = typename Lanes::Floats;
  using Ints = typename Lanes::Ints;
  using Words = typename Lanes::Words;

  /// LOD-1.
  static HEDDLE_INLINE Ints log2fx(Floats x, const std::uint32_t* table) {
    const Words bits = (Words)x;
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(table);
    const Ints at = (Ints)((bits >> 13) & 0x3fcu);
    const Ints rest = (Ints)(bits & 0x7fffu);
    Words first, second;
    if (const std::int32_t one = at[0]; Lanes::all(at == one)) {  // pixels of a plane mostly are alike
      first = Lanes::word_of(bytes + one);
      second = Lanes::word_of(bytes + one + 1024);
    } else {
      first = Lanes::gather(bytes, at);
      second = Lanes::gather(bytes, at + 1024);
    }
    Ints result = (Ints)(first >> 16) - (rest >= (Ints)(first & 0xffffu)) - (rest >= (Ints)second);
    result += ((Ints)(bits >> 23) - 127) << 8;
    result = Lanes::select(x == __builtin_inff(), Lanes::splat(32768), result);
    return Lanes::select(x >= 0x1p-126f, result, Lanes::splat(-32768));  // NaN too
  }

  /// LOD-4: one squared length.
  static HEDDLE_INLINE Floats squared_length(const StaticState& f, const DynamicState& v, const Floats (&d)[3]) {
    Floats sum{};
    each_axis(f.axes, [&](int axis) HEDDLE_INLINE_LAMBDA {
      const Floats m = Lanes::zero_if_nan(f.non_normalized ? d[axis] : d[axis] * v.base_scale[axis]);
      sum = axis == 0 ? m * m : sum + m * m;
    });
    return sum;
  }

  struct Choice {
    Ints level[2], beta, magnify, chosen, unclamped;
  };
  /// What of DynamicState decides levels.
  struct Range {
    std::int32_t max_lod = 0, base_mip_level = 0, resource_min_lod = 0, mip_count = 0;
  };
  static HEDDLE_INLINE Range range_of(const DynamicState& v) {
    return {v.max_lod, v.base_mip_level, v.resource_min_lod, v.mip_count};
  }
  /// LOD-5..8; `nearest`: LOD-11.
  static HEDDLE_INLINE Choice choose(const StaticState& f, const Range& v, Ints lod, Ints min_lod, bool nearest) {
    Choice c;
    c.unclamped = lod;
    if (f.preclamp) lod = Lanes::max(Lanes::min(lod, Lanes::splat(v.max_lod)), min_lod);
    c.magnify = lod - v.base_mip_level <= 0;
    const std::int32_t last = v.mip_count * 256;
    const Ints adjusted_max = Lanes::splat(v.max_lod < last ? v.max_lod : last);
    const Ints adjusted_min = Lanes::max(Lanes::min(min_lod, Lanes::splat(last)), Lanes::splat(v.resource_min_lod));
    Ints blends{};
    if (!nearest) {
      if (f.mip == MipFilter::None)
        lod = Ints{};
      else
        lod = lod & ~c.magnify;
      if (f.mip == MipFilter::Linear) blends = f.clamp_mag == image::LodClampMag::MipNone ? ~c.magnify : Ints{} - 1;
    }
    const Ints whole = Lanes::max(Lanes::min(lod, (adjusted_max + 255) & -256), adjusted_min & -256);
    const Ints exact = Lanes::max(Lanes::min(lod, adjusted_max), adjusted_min);
    Ints fine = (whole + 127) >> 8;  // LOD-7; NONE has whole levels
    Ints beta{};
    if (f.mip == MipFilter::Linear && !nearest) {
      fine = Lanes::select(blends, exact >> 8, fine);
      beta = exact & blends & 255;
    }
    const Ints most = Lanes::splat(v.mip_count), zero{};
    fine = Lanes::max(Lanes::min(fine, most), zero);
    const Ints coarse = Lanes::min(fine + 1, most);
    c.chosen = Lanes::select(blends, exact, fine << 8);
    beta = beta & (coarse != fine);
    if (f.trilinear_quality == image::TrilinearQuality::Medium) {
      beta = beta & (beta >= 64);
      beta = Lanes::select(beta > 192, Lanes::splat(256), beta);
    } else if (f.trilinear_quality == image::TrilinearQuality::Low) {
      beta = beta & (beta >= 96);
      beta = Lanes::select(beta > 160, Lanes::splat(256), beta);
    }
    const Ints past = beta == 256;
    c.level[0] = Lanes::select(past, coarse, fine);
    c.level[1] = coarse;
    c.beta = beta & ~past;
    return c;
  }
};

}  // namespace
}  // namespace heddle::texture::simd
