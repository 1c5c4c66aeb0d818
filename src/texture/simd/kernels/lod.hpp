#pragma once
// Level of detail over lanes: LOD-1..13, ANI-1, SAM-7.

#include "texture/simd/kernels/coordinates.hpp"
#include "texture/simd/kernels/vector.hpp"

namespace heddle::texture::simd {
namespace {

using image::MipFilter;

template <int W>
struct LevelOfDetail {
  using V = Vector<W>;
  using F = typename V::F;
  using I = typename V::I;
  using U = typename V::U;

  /// LOD-1.
  static HEDDLE_INLINE I log2fx(F x, const std::uint32_t* table) {
    const U bits = (U)x;
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(table);
    const I at = (I)((bits >> 13) & 0x3fcu);
    const I rest = (I)(bits & 0x7fffu);
    const U first = V::gather(bytes, at), second = V::gather(bytes, at + 1024);
    I result = (I)(first >> 16) - (rest >= (I)(first & 0xffffu)) - (rest >= (I)second);
    result += ((I)(bits >> 23) - 127) << 8;
    result = V::select(x == __builtin_inff(), V::splat(32768), result);
    return V::select(x >= 0x1p-126f, result, V::splat(-32768));  // NaN too
  }

  /// LOD-4: one squared length.
  static HEDDLE_INLINE F squared_length(const StaticState& f, const DynamicState& v, const F (&d)[3]) {
    F sum{};
    each_axis(f.axes, [&](int axis) HEDDLE_INLINE_LAMBDA {
      const F m = V::zero_if_nan(f.non_normalized ? d[axis] : d[axis] * v.base_scale[axis]);
      sum = axis == 0 ? m * m : sum + m * m;
    });
    return sum;
  }

  struct Choice {
    I level[2], beta, magnify, chosen, unclamped;
  };
  /// What of DynamicState decides levels.
  struct Range {
    std::int32_t max_lod = 0, base_mip_level = 0, resource_min_lod = 0, mip_count = 0;
  };
  static HEDDLE_INLINE Range range_of(const DynamicState& v) {
    return {v.max_lod, v.base_mip_level, v.resource_min_lod, v.mip_count};
  }
  /// LOD-5..8; `nearest`: LOD-11.
  static HEDDLE_INLINE Choice choose(const StaticState& f, const Range& v, I lod, I min_lod, bool nearest) {
    Choice c;
    c.unclamped = lod;
    if (f.preclamp) lod = V::max(V::min(lod, V::splat(v.max_lod)), min_lod);
    c.magnify = lod - v.base_mip_level <= 0;
    const std::int32_t last = v.mip_count * 256;
    const I adjusted_max = V::splat(v.max_lod < last ? v.max_lod : last);
    const I adjusted_min = V::max(V::min(min_lod, V::splat(last)), V::splat(v.resource_min_lod));
    I blends{};
    if (!nearest) {
      if (f.mip == MipFilter::None)
        lod = I{};
      else
        lod = lod & ~c.magnify;
      if (f.mip == MipFilter::Linear) blends = f.clamp_mag == image::LodClampMag::MipNone ? ~c.magnify : I{} - 1;
    }
    const I whole = V::max(V::min(lod, (adjusted_max + 255) & -256), adjusted_min & -256);
    const I exact = V::max(V::min(lod, adjusted_max), adjusted_min);
    I fine = (whole + 127) >> 8;  // LOD-7; NONE has whole levels
    I beta{};
    if (f.mip == MipFilter::Linear && !nearest) {
      fine = V::select(blends, exact >> 8, fine);
      beta = exact & blends & 255;
    }
    const I most = V::splat(v.mip_count), zero{};
    fine = V::max(V::min(fine, most), zero);
    const I coarse = V::min(fine + 1, most);
    c.chosen = V::select(blends, exact, fine << 8);
    beta = beta & (coarse != fine);
    if (f.trilinear_quality == image::TrilinearQuality::Medium) {
      beta = beta & (beta >= 64);
      beta = V::select(beta > 192, V::splat(256), beta);
    } else if (f.trilinear_quality == image::TrilinearQuality::Low) {
      beta = beta & (beta >= 96);
      beta = V::select(beta > 160, V::splat(256), beta);
    }
    const I past = beta == 256;
    c.level[0] = V::select(past, coarse, fine);
    c.level[1] = coarse;
    c.beta = beta & ~past;
    return c;
  }
};

}  // namespace
}  // namespace heddle::texture::simd
