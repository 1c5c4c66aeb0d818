#pragma once
// Footprint queries over lanes: clamp to edge, one probe, 8 sub-texel and 8 mipmap bits. The texels are then a box of
// at most two in each axis, which every granularity holds (FP-5 to FP-16).

#include "texture/simd/footprint_state.hpp"
#include "texture/simd/kernels/coordinates.hpp"
#include "texture/simd/kernels/lod.hpp"

namespace heddle::texture::simd {
namespace {

template <int W>
struct FootprintQueries {
  using V = Vector<W>;
  using C = Coordinates<W>;
  using Lod = LevelOfDetail<W>;
  using F = typename V::F;
  using I = typename V::I;
  using U = typename V::U;

  static HEDDLE_INLINE I is_finite(F x) { return V::abs(x) < __builtin_inff(); }
  /// FC13: nearest multiple of 1/256, |x| clamped to 4096.
  static HEDDLE_INLINE I static_state(F x) { return C::quantise(x, 4096.0f); }

  static HEDDLE_INLINE F squared_length(const F (&d)[3], const F (&size)[3], int dim) {  // LOD-4
    F sum{};
    each_axis(dim, [&](int k) HEDDLE_INLINE_LAMBDA {
      const F m = V::zero_if_nan(d[k] * size[k]);
      sum = k == 0 ? m * m : sum + m * m;
    });
    return sum;
  }

  /// Lanes that go to the reference: `rest`.
  static HEDDLE_INLINE void query(const FootprintStaticState& f, const FootprintDynamicState& v,
                                  const FootprintInputs& in, int first, int stride, std::uint32_t* out,
                                  std::uint32_t& rest) {
    const auto word = [&](const std::uint32_t* from)
                          HEDDLE_INLINE_LAMBDA { return from != nullptr ? V::load(from + first) : U{}; };
    I good = I{} - 1;
    F c[3]{}, size[3]{};
    each_axis(f.dim, [&](int k) HEDDLE_INLINE_LAMBDA {
      c[k] = (F)word(in.coordinate[k]);
      good &= is_finite(c[k]);
      size[k] = V::splat(static_cast<float>(v.size[k]));
      if (f.offset) good &= (I)(word(in.offset[k]) == 0u);
    });
    I lod;
    if (f.source == FootprintSource::Lod) {
      const F given = (F)word(in.lod);
      good &= is_finite(given);
      lod = static_state(given);
    } else {
      F dx[3]{}, dy[3]{};
      each_axis(f.dim, [&](int k) HEDDLE_INLINE_LAMBDA {
        if (f.source == FootprintSource::Gradient) {
          dx[k] = (F)word(in.dx[k]);
          dy[k] = (F)word(in.dy[k]);
        } else {
          const F upper_left = V::template of_quad<0>(c[k]);
          dx[k] = V::template of_quad<1>(c[k]) - upper_left;
          dy[k] = V::template of_quad<2>(c[k]) - upper_left;
        }
        good &= is_finite(dx[k]) & is_finite(dy[k]);
      });
      const F x = squared_length(dx, size, f.dim), y = squared_length(dy, size, f.dim);
      lod = (Lod::log2fx(V::select(y > x, y, x), v.log2) + 1) >> 1;
    }
    I bias = V::splat(v.bias);
    if (f.bias) {
      const F given = (F)word(in.bias);
      good &= is_finite(given);
      bias += static_state(given);
    }
    bias = V::max(V::min(bias, V::splat(v.most_bias)), V::splat(-v.most_bias));
    I min_lod = V::splat(v.min_lod);
    if (f.min_lod) {
      const F given = (F)word(in.min_lod);
      good &= is_finite(given);
      min_lod = V::max(min_lod, static_state(given));
    }
    StaticState state;
    state.preclamp = 1;
    state.mip = f.mip;
    const typename Lod::Range levels{v.max_lod, 0, 0, v.levels - 1};
    const typename Lod::Choice choice = Lod::choose(state, levels, lod + bias, min_lod, false);

    const U granularity = word(in.granularity);
    const U group = V::gather(reinterpret_cast<const std::uint8_t*>(v.group), (I)((granularity & 15u) << 2));
    good &= (I)(granularity < 16u) & (I)(group != ~0u);

    const I single = choice.beta == 0, coarse = (I)(word(in.coarse) != 0u);
    const I empty = coarse & single;  // FC8
    const I level = V::select(coarse, choice.level[1], choice.level[0]);
    const I linear = f.linear_mag == f.linear_min ? I{} - (f.linear_min ? 1 : 0)
                                                  : V::select(choice.magnify, I{} - f.linear_mag, I{} - f.linear_min);
    const int w = f.dim == 3 ? 4 : 8, shift = f.dim == 3 ? 2 : 3;
    U low[3]{}, high[3]{}, anchor[3]{}, offset[3]{};
    each_axis(f.dim, [&](int k) HEDDLE_INLINE_LAMBDA {
      const I n = V::max(V::splat(v.size[k]) >> level, I{} + 1);
      const I taps = box_start(c[k], V::to_float(n) * 256.0f, linear);
      const I last = n - 1, zero{};
      const I x0 = V::max(V::min(taps, last), zero);
      const I x1 = V::max(V::min(taps - linear, last), zero);
      const U side = group >> (8 * k) & 31u;
      low[k] = (U)x0 >> side;
      high[k] = (U)x1 >> side;
      anchor[k] = high[k] >> shift;  // FC4
      const U start = anchor[k] << shift;
      offset[k] = (U)((I)(start - low[k]) & (I)(start > low[k]));
    });
    // The mask: columns, then rows (and slices) of them.
    const std::uint32_t inside = static_cast<std::uint32_t>(w) - 1;
    const U one = V::splat(1u);
    const U columns = one << (low[0] & inside) | one << (high[0] & inside);
    U low_word{}, high_word{};
    if (f.dim == 2) {
      place(columns, low[1] & 7u, 8, low_word, high_word);
      place(columns, high[1] & 7u, 8, low_word, high_word);
    } else {
      const U plane = columns << ((low[1] & 3u) << 2) | columns << ((high[1] & 3u) << 2);
      place(plane, low[2] & 3u, 16, low_word, high_word);
      place(plane, high[2] & 3u, 16, low_word, high_word);
    }
    int member = 0;
    const auto store = [&](U x) HEDDLE_INLINE_LAMBDA { V::store(out + member++ * stride + first, x); };
    const auto unless_empty = [&](U x) HEDDLE_INLINE_LAMBDA { return (U)((I)x & ~empty); };
    store((U)single & 1u);
    each_axis(f.dim, [&](int k) HEDDLE_INLINE_LAMBDA { store(unless_empty(anchor[k])); });
    each_axis(f.dim, [&](int k) HEDDLE_INLINE_LAMBDA { store(unless_empty(offset[k])); });
    store(unless_empty(low_word));
    store(unless_empty(high_word));
    store(unless_empty((U)level + v.base_level));
    store(U{});
    rest = ~V::bits(good) & V::kAll;
  }

  /// CRD-1, FC9: the first tap; LINEAR rounds and starts half a texel before.
  static HEDDLE_INLINE I box_start(F c, F scale, I linear) {
    const F s = V::clamp_magnitude(V::select(c == c, c * scale, F{}), 1073741824.0f);
    const I as_linear = V::floor_of_sum(s, -127.5f) >> 8, as_nearest = V::floor_of_sum(s, 0.0f) >> 8;
    return V::select(linear, as_linear, as_nearest);
  }

  /// `bits` at place `at` of a 64-bit mask with `step` bits a place.
  static HEDDLE_INLINE void place(U bits, U at, unsigned step, U& low_word, U& high_word) {
    const unsigned half = 32 / step;
    const U moved = bits << ((at & (half - 1)) * step);
    const I upper = (I)(at >= half);
    low_word |= (U)((I)moved & ~upper);
    high_word |= (U)((I)moved & upper);
  }
};

}  // namespace
}  // namespace heddle::texture::simd
