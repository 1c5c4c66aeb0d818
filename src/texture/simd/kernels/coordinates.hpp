#pragma once
// From coordinates to texel indices over lanes: CRD-1..4, ADR-0..7, SUR-4, NUM-73, CUB-1, PKO-1.

#include "texture/simd/kernels/vector.hpp"
#include "texture/simd/state.hpp"

namespace heddle::texture::simd {
namespace {

using image::AddressMode;

/// body(0), body(1), body(2), as many as there are axes: written out, since nothing unrolls loops once the state is
/// known.
template <typename Body>
HEDDLE_INLINE void each_axis(int axes, Body&& body) {
  body(0);
  if (axes > 1) body(1);
  if (axes > 2) body(2);
}

template <int W>
struct Coordinates {
  using V = Vector<W>;
  using F = typename V::F;
  using I = typename V::I;
  using U = typename V::U;

  /// Parts of a texel in which linear taps have their coordinates: where no addition rounds down, halves of 256ths, so
  /// that the floor of a sum is one of an integer and half an integer.
  static constexpr float kParts = V::kAddsDown ? 256.0f : 512.0f;

  /// CRD-1: NaN is 0, magnitudes end at `limit`. False when nothing had to change: one test for all axes.
  static HEDDLE_INLINE bool bound(int axes, float limit, F (&s)[3]) {
    F squares = s[0] * s[0];
    if (axes > 1) squares = V::fma(s[1], s[1], squares);  // rounding decides nothing: what is bounded twice stays
    if (axes > 2) squares = V::fma(s[2], s[2], squares);
    if (V::all(squares <= limit * limit)) return false;
    clamp(axes, limit, s);
    return true;
  }
  /// The same for linear taps in kParts: false when to_fixed() may take them as they are.
  static HEDDLE_INLINE bool bound_parts(int axes, F (&s)[3]) {
    constexpr float kLimit = 4194304.0f * kParts;
    if (V::kAddsDown) return bound(axes, kLimit, s);
    U most = (U)s[0];  // negative ones are great
    if (axes > 1) most = V::max(most, (U)s[1]);
    if (axes > 2) most = V::max(most, (U)s[2]);
    if (V::all((I)(most <= __builtin_bit_cast(std::uint32_t, kLimit / 2)))) return false;
    clamp(axes, kLimit, s);
    return true;
  }
  static HEDDLE_INLINE void clamp(int axes, float limit, F (&s)[3]) {
    s[0] = V::clamp_magnitude(V::zero_if_nan(s[0]), limit);
    if (axes > 1) s[1] = V::clamp_magnitude(V::zero_if_nan(s[1]), limit);
    if (axes > 2) s[2] = V::clamp_magnitude(V::zero_if_nan(s[2]), limit);
  }

  /// CRD-1 of linear taps in binary32, which is exact: `s` is the coordinate in kParts of a texel, and scaling by them
  /// changes no rounding. Taking off half a texel and adding half a unit before the floor rounds down, so the floor
  /// stays what it is. `factor` is weight / 256. `odd`: any s that bound_parts() left; otherwise results for great and
  /// undefined ones are wrong, and for negative ones unless `below`, but no index of theirs is in [0, 2^21).
  static HEDDLE_INLINE void to_fixed(F s, bool round, bool odd, bool below, I& index, I& weight, F& factor) {
    if (V::kAddsDown || odd) {
      const I q = V::floor_of_sum(V::kAddsDown ? s : s * 0.5f, round ? -127.5f : -128.0f);
      index = q >> 8;
      weight = q & 255;
      factor = (F)(weight | 0x47000000) - 32768.0f;  // 2^15 has its last bit at 1/256
      return;
    }
    const I h = (below ? V::floor_of_sum(s, 0.0f) : V::to_int(s)) - (round ? 255 : 256);
    index = h >> 9;
    weight = h >> 1 & 255;
    factor = (F)((h & 0x1fe) | 0x46800000) - 16384.0f;
  }
  /// The index alone, from texels.
  static HEDDLE_INLINE I to_index(F s, bool round, bool linear) {
    return V::floor_of_sum(s, (round ? 0.5f / 256 : 0.0f) - (linear ? 0.5f : 0.0f));
  }

  /// The remainder that is never negative, |i| < 2^23.
  static HEDDLE_INLINE I modulo(I i, std::int32_t n, float inverse) {
    const I quotient = V::to_int(V::to_float(i) * inverse);
    I m = i - quotient * n;
    m = V::select(m < 0, m + n, m);
    m = V::select(m < 0, m + n, m);
    return V::select(m >= n, m - n, m);
  }

  /// ADR-0..7 but HALF_BORDER; `outside` gathers the lanes whose tap is the border.
  static HEDDLE_INLINE I address(const StaticState& f, AddressMode mode, I i, const Level& level, int axis,
                                 I& outside) {
    const std::int32_t n = level.size[axis];
    const bool pow2 = (f.pow2 >> axis & 1) != 0;
    switch (mode) {
      case AddressMode::Wrap:
        return pow2 ? i & level.last[axis] : modulo(i, n, level.inverse[axis]);
      case AddressMode::Mirror: {
        const I m = pow2 ? i & (2 * n - 1) : modulo(i, 2 * n, level.inverse[axis] * 0.5f);
        return V::select(m < n, m, 2 * n - 1 - m);
      }
      case AddressMode::ClampBorder:
        outside |= (I)((U)i >= static_cast<std::uint32_t>(n));
        break;
      case AddressMode::MirrorOnce:
        i = i ^ (i >> 31);
        break;
      case AddressMode::Mirror101:
        i = V::select(i < 0, -i, V::select(i > n - 1, 2 * (n - 1) - i, i));
        break;
      default:
        break;
    }
    return V::max(V::min(i, V::splat(level.last[axis])), I{});
  }

  /// The modes in which the address of the texel after `i` is the next one, or 0 (WRAP), or the same.
  static HEDDLE_INLINE bool steps(AddressMode mode) {
    return mode != AddressMode::Mirror && mode != AddressMode::MirrorOnce && mode != AddressMode::Mirror101;
  }
  /// `first`, the multiple by `step` of the address of `i`, one address further on.
  static HEDDLE_INLINE U step(AddressMode mode, I i, I address, U first, std::uint32_t step, const Level& level,
                              int axis) {
    if (mode == AddressMode::Wrap) return V::select(address == level.last[axis], U{}, first + step);
    return V::select((I)((U)i < static_cast<std::uint32_t>(level.last[axis])), first + step, first);
  }
  /// The address of the texel after `i`, whose address is `first`.
  static HEDDLE_INLINE I next_address(const StaticState& f, AddressMode mode, I i, I first, const Level& level,
                                      int axis, I& outside) {
    if (!steps(mode)) return address(f, mode, i + 1, level, axis, outside);
    if (mode == AddressMode::ClampBorder) outside |= (I)((U)i + 1u > static_cast<std::uint32_t>(level.last[axis]));
    return (I)step(mode, i, first, (U)first, 1, level, axis);
  }

  /// SUR-4.
  static HEDDLE_INLINE U array_index(F x, std::uint32_t last) {
    F t = V::zero_if_nan(x);
    t = V::select(t > 65536.0f, V::splat(65536.0f), t);
    t = V::select(t < -1.0f, V::splat(-1.0f), t);
    const I nearest = V::nearest(t);
    return (U)V::max(V::min(nearest, V::splat(static_cast<std::int32_t>(last))), I{});
  }

  /// NUM-73.
  static HEDDLE_INLINE I quantise(F x, float limit) {
    F t = V::zero_if_nan(x);
    t = V::select(t > limit, V::splat(limit), t);
    t = V::select(t < -limit, V::splat(-limit), t);
    return V::nearest(t * 256.0f);
  }

  template <int Start, int Count>
  static HEDDLE_INLINE I signed_field(U word) {
    return (I)(word << (32 - Start - Count)) >> (32 - Count);
  }

  struct Face {
    U face;
    F sc, tc, m, s, t;
  };
  /// CUB-1, CUB-2.
  static HEDDLE_INLINE Face cube_face(F x, F y, F z) {
    x = V::zero_if_nan(x);
    y = V::zero_if_nan(y);
    z = V::zero_if_nan(z);
    const F ax = V::abs(x), ay = V::abs(y), az = V::abs(z);
    const I on_z = (az >= ax) & (az >= ay), on_y = ay >= ax;
    const F major = V::select(on_z, z, V::select(on_y, y, x));
    const I back = major < 0.0f;
    Face f;
    f.m = ax > ay ? ax : ay;
    f.m = az > f.m ? az : f.m;
    const F minor = V::select(on_z, x, V::select(on_y, z, z));  // the component whose sign follows the major axis
    const F signed_minor = (F)((U)minor ^ ((U)back & 0x80000000u));
    // +Z x, -Y; -Z -x, -Y; +Y x, z; -Y x, -z; +X -z, -y; -X z, -y
    f.sc = V::select(on_z, signed_minor, V::select(on_y, x, V::negate(signed_minor)));
    f.tc = V::select(~on_z & on_y, signed_minor, V::negate(y));
    const I first = V::select(on_z, V::splat(4), V::select(on_y, V::splat(2), I{}));
    f.face = (U)V::select(back, first + 1, first);
    const I divides = (f.m > 0.0f) & (f.m < __builtin_inff());  // otherwise the quotients are NaN or 0
    f.s = V::select(divides, f.sc / f.m, F{}) * 0.5f + 0.5f;
    f.t = V::select(divides, f.tc / f.m, F{}) * 0.5f + 0.5f;
    return f;
  }

  /// LOD-3: one derivative of the direction as a derivative of (s, t).
  static HEDDLE_INLINE void cube_derivative(const Face& at, const F (&d)[3], F& ds, F& dt) {
    const I face = (I)at.face;
    const I on_z = face >= 4, on_y = (face == 2) | (face == 3), back = -(face & 1);
    const U flip = (U)back & 0x80000000u;
    const F major = V::select(on_z, d[2], V::select(on_y, d[1], d[0]));
    const F dm = (F)((U)major ^ flip);
    const F minor = (F)((U)V::select(on_z, d[0], d[2]) ^ flip);
    const F dsc = V::select(on_z, minor, V::select(on_y, d[0], V::negate(minor)));
    const F dtc = V::select(on_y, minor, V::negate(d[1]));
    const F mm = at.m * at.m;
    const I zero = at.m == 0.0f;
    ds = V::select(zero, F{}, ((at.m * dsc - at.sc * dm) / mm) * 0.5f);
    dt = V::select(zero, F{}, ((at.m * dtc - at.tc * dm) / mm) * 0.5f);
  }
};

}  // namespace
}  // namespace heddle::texture::simd
