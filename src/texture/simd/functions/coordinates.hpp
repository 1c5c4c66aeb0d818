// SPDX-License-Identifier: MIT
#pragma once
// From coordinates to texel indices over lanes: CRD-1..4, ADR-0..7, SUR-4, NUM-73, CUB-1, PKO-1.

#include "texture/simd/functions/vector.hpp"
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
  using Lanes = Vector<W>;
  using Floats = typename Lanes::Floats;
  using Ints = typename Lanes::Ints;
  using Words = typename Lanes::Words;

  /// Parts of a texel in which linear taps have their coordinates: where no addition rounds down, halves of 256ths, so
  /// that the floor of a sum is one of an integer and half an integer.
  static constexpr float kParts = Lanes::kAddsDown ? 256.0f : 512.0f;

  /// CRD-1: NaN is 0, magnitudes end at `limit`. False when nothing had to change: one test for all axes.
  static HEDDLE_INLINE bool bound(int axes, float limit, Floats (&s)[3]) {
    Floats squares = s[0] * s[0];
    if (axes > 1) squares = Lanes::fma(s[1], s[1], squares);  // rounding decides nothing: what is bounded twice stays
    if (axes > 2) squares = Lanes::fma(s[2], s[2], squares);
    if (Lanes::all(squares <= limit * limit)) return false;
    clamp(axes, limit, s);
    return true;
  }
  /// The same for linear taps in kParts: false when to_fixed() may take them as they are.
  static HEDDLE_INLINE bool bound_parts(int axes, Floats (&s)[3]) {
    constexpr float kLimit = 4194304.0f * kParts;
    if (Lanes::kAddsDown) return bound(axes, kLimit, s);
    Words most = (Words)s[0];  // negative ones are great
    if (axes > 1) most = Lanes::max(most, (Words)s[1]);
    if (axes > 2) most = Lanes::max(most, (Words)s[2]);
    if (Lanes::all((Ints)(most <= __builtin_bit_cast(std::uint32_t, kLimit / 2)))) return false;
    clamp(axes, kLimit, s);
    return true;
  }
  static HEDDLE_INLINE void clamp(int axes, float limit, Floats (&s)[3]) {
    s[0] = Lanes::clamp_magnitude(Lanes::zero_if_nan(s[0]), limit);
    if (axes > 1) s[1] = Lanes::clamp_magnitude(Lanes::zero_if_nan(s[1]), limit);
    if (axes > 2) s[2] = Lanes::clamp_magnitude(Lanes::zero_if_nan(s[2]), limit);
  }

  /// CRD-1 of linear taps in binary32, which is exact: `s` is the coordinate in kParts of a texel, and scaling by them
  /// changes no rounding. Taking off half a texel and adding half a unit before the floor rounds down, so the floor
  /// stays what it is. `factor` is weight / 256. `odd`: any s that bound_parts() left; otherwise results for great and
  /// undefined ones are wrong, and for negative ones unless `below`, but no index of theirs is in [0, 2^21).
  static HEDDLE_INLINE void to_fixed(Floats s, bool round, bool odd, bool below, Ints& index, Ints& weight,
                                     Floats& factor) {
    if (Lanes::kAddsDown || odd) {
      const Ints q = Lanes::floor_of_sum(Lanes::kAddsDown ? s : s * 0.5f, round ? -127.5f : -128.0f);
      index = q >> 8;
      weight = q & 255;
      factor = (Floats)(weight | 0x47000000) - 32768.0f;  // 2^15 has its last bit at 1/256
      return;
    }
    const Ints h = (below ? Lanes::floor_of_sum(s, 0.0f) : Lanes::to_int(s)) - (round ? 255 : 256);
    index = h >> 9;
    weight = h >> 1 & 255;
    factor = (Floats)((h & 0x1fe) | 0x46800000) - 16384.0f;
  }
  /// The index alone, from texels.
  static HEDDLE_INLINE Ints to_index(Floats s, bool round, bool linear) {
    return Lanes::floor_of_sum(s, (round ? 0.5f / 256 : 0.0f) - (linear ? 0.5f : 0.0f));
  }

  /// The remainder that is never negative, |i| < 2^23.
  static HEDDLE_INLINE Ints modulo(Ints i, std::int32_t n, float inverse) {
    const Ints quotient = Lanes::to_int(Lanes::to_float(i) * inverse);
    Ints m = i - quotient * n;
    m = Lanes::select(m < 0, m + n, m);
    m = Lanes::select(m < 0, m + n, m);
    return Lanes::select(m >= n, m - n, m);
  }

  /// ADR-0..7 but HALF_BORDER; `outside` gathers the lanes whose tap is the border.
  static HEDDLE_INLINE Ints address(const StaticState& f, AddressMode mode, Ints i, const Level& level, int axis,
                                    Ints& outside) {
    const std::int32_t n = level.size[axis];
    const bool pow2 = (f.pow2 >> axis & 1) != 0;
    switch (mode) {
      case AddressMode::Wrap:
        return pow2 ? i & level.last[axis] : modulo(i, n, level.inverse[axis]);
      case AddressMode::Mirror: {
        const Ints m = pow2 ? i & (2 * n - 1) : modulo(i, 2 * n, level.inverse[axis] * 0.5f);
        return Lanes::select(m < n, m, 2 * n - 1 - m);
      }
      case AddressMode::ClampBorder:
        outside |= (Ints)((Words)i >= static_cast<std::uint32_t>(n));
        break;
      case AddressMode::MirrorOnce:
        i = i ^ (i >> 31);
        break;
      case AddressMode::Mirror101:
        i = Lanes::select(i < 0, -i, Lanes::select(i > n - 1, 2 * (n - 1) - i, i));
        break;
      default:
        break;
    }
    return Lanes::max(Lanes::min(i, Lanes::splat(level.last[axis])), Ints{});
  }

  /// The modes in which the address of the texel after `i` is the next one, or 0 (WRAP), or the same.
  static HEDDLE_INLINE bool steps(AddressMode mode) {
    return mode != AddressMode::Mirror && mode != AddressMode::MirrorOnce && mode != AddressMode::Mirror101;
  }
  /// `first`, the multiple by `step` of the address of `i`, one address further on.
  static HEDDLE_INLINE Words step(AddressMode mode, Ints i, Ints address, Words first, std::uint32_t step,
                                  const Level& level, int axis) {
    if (mode == AddressMode::Wrap) return Lanes::select(address == level.last[axis], Words{}, first + step);
    return Lanes::select((Ints)((Words)i < static_cast<std::uint32_t>(level.last[axis])), first + step, first);
  }
  /// The address of the texel after `i`, whose address is `first`.
  static HEDDLE_INLINE Ints next_address(const StaticState& f, AddressMode mode, Ints i, Ints first, const Level& level,
                                         int axis, Ints& outside) {
    if (!steps(mode)) return address(f, mode, i + 1, level, axis, outside);
    if (mode == AddressMode::ClampBorder)
      outside |= (Ints)((Words)i + 1u > static_cast<std::uint32_t>(level.last[axis]));
    return (Ints)step(mode, i, first, (Words)first, 1, level, axis);
  }

  /// SUR-4.
  static HEDDLE_INLINE Words array_index(Floats x, std::uint32_t last) {
    Floats t = Lanes::zero_if_nan(x);
    t = Lanes::select(t > 65536.0f, Lanes::splat(65536.0f), t);
    t = Lanes::select(t < -1.0f, Lanes::splat(-1.0f), t);
    const Ints nearest = Lanes::nearest(t);
    return (Words)Lanes::max(Lanes::min(nearest, Lanes::splat(static_cast<std::int32_t>(last))), Ints{});
  }

  /// NUM-73.
  static HEDDLE_INLINE Ints quantize(Floats x, float limit) {
    Floats t = Lanes::zero_if_nan(x);
    t = Lanes::select(t > limit, Lanes::splat(limit), t);
    t = Lanes::select(t < -limit, Lanes::splat(-limit), t);
    return Lanes::nearest(t * 256.0f);
  }

  template <int Start, int Count>
  static HEDDLE_INLINE Ints signed_field(Words word) {
    return (Ints)(word << (32 - Start - Count)) >> (32 - Count);
  }

  struct Face {
    Words face;
    Floats sc, tc, m, s, t;
  };
  /// CUB-1, CUB-2.
  static HEDDLE_INLINE Face cube_face(Floats x, Floats y, Floats z) {
    x = Lanes::zero_if_nan(x);
    y = Lanes::zero_if_nan(y);
    z = Lanes::zero_if_nan(z);
    const Floats ax = Lanes::abs(x), ay = Lanes::abs(y), az = Lanes::abs(z);
    const Ints on_z = (az >= ax) & (az >= ay), on_y = ay >= ax;
    // Without a negative zero, so that the sign bit says on which side the face is.
    const Words major = (Words)(Lanes::select(on_z, z, Lanes::select(on_y, y, x)) + 0.0f);
    Face f;
    f.m = ax > ay ? ax : ay;
    f.m = az > f.m ? az : f.m;
    const Floats minor = Lanes::select(on_z, x, z);  // the component whose sign follows the major axis
    const Floats signed_minor = (Floats)((Words)minor ^ (major & 0x80000000u));
    // +Z x, -Y; -Z -x, -Y; +Y x, z; -Y x, -z; +X -z, -y; -X z, -y
    f.sc = Lanes::select(on_z, signed_minor, Lanes::select(on_y, x, Lanes::negate(signed_minor)));
    f.tc = Lanes::select(~on_z & on_y, signed_minor, Lanes::negate(y));
    const Ints first = Lanes::select(on_z, Lanes::splat(4), Lanes::select(on_y, Lanes::splat(2), Ints{}));
    f.face = (Words)first | major >> 31;
    const Ints divides = (f.m > 0.0f) & (f.m < __builtin_inff());  // otherwise the quotients are NaN or 0
    // Halving is exact, but of quotients so small that nothing of them is left in the sum.
    const Floats half = Lanes::splat(0.5f);
    f.s = Lanes::select(divides, Lanes::fma(f.sc / f.m, half, half), half);
    f.t = Lanes::select(divides, Lanes::fma(f.tc / f.m, half, half), half);
    return f;
  }

  /// LOD-3: one derivative of the direction as a derivative of (s, t).
  static HEDDLE_INLINE void cube_derivative(const Face& at, const Floats (&d)[3], Floats& ds, Floats& dt) {
    const Ints face = (Ints)at.face;
    const Ints on_z = face >= 4, on_y = (face == 2) | (face == 3), back = -(face & 1);
    const Words flip = (Words)back & 0x80000000u;
    const Floats major = Lanes::select(on_z, d[2], Lanes::select(on_y, d[1], d[0]));
    const Floats dm = (Floats)((Words)major ^ flip);
    const Floats minor = (Floats)((Words)Lanes::select(on_z, d[0], d[2]) ^ flip);
    const Floats dsc = Lanes::select(on_z, minor, Lanes::select(on_y, d[0], Lanes::negate(minor)));
    const Floats dtc = Lanes::select(on_y, minor, Lanes::negate(d[1]));
    const Floats mm = at.m * at.m;
    const Ints zero = at.m == 0.0f;
    ds = Lanes::select(zero, Floats{}, ((at.m * dsc - at.sc * dm) / mm) * 0.5f);
    dt = Lanes::select(zero, Floats{}, ((at.m * dtc - at.tc * dm) / mm) * 0.5f);
  }
};

}  // namespace
}  // namespace heddle::texture::simd
