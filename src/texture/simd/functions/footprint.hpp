// SPDX-License-Identifier: MIT
#pragma once
// Footprint queries over lanes: clamp to edge, one probe, 8 sub-texel and 8 mipmap bits. The texels are then a box of
// at most two in each axis, which every granularity holds (FP-5 to FP-16).

#include "texture/simd/footprint_state.hpp"
#include "texture/simd/functions/coordinates.hpp"
#include "texture/simd/functions/lod.hpp"

namespace heddle::texture::simd {
namespace {

template <int W>
struct FootprintQueries {
  using Lanes = Vector<W>;
  using Coords = Coordinates<W>;
  using Lod = LevelOfDetail<W>;
  using Floats = typename Lanes::Floats;
  using Ints = typename Lanes::Ints;
  using Words = typename Lanes::Words;

  static HEDDLE_INLINE Ints is_finite(Floats x) { return Lanes::abs(x) < __builtin_inff(); }
  /// FC13: nearest multiple of 1/256, |x| clamped to 4096.
  static HEDDLE_INLINE Ints fixed_point(Floats x) { return Coords::quantize(x, 4096.0f); }

  static HEDDLE_INLINE Floats squared_length(const Floats (&d)[3], const Floats (&size)[3], int dim) {  // LOD-4
    Floats sum{};
    each_axis(dim, [&](int k) HEDDLE_INLINE_LAMBDA {
      const Floats m = Lanes::zero_if_nan(d[k] * size[k]);
      sum = k == 0 ? m * m : sum + m * m;
    });
    return sum;
  }

  static HEDDLE_INLINE Words word(const std::uint32_t* from, int first) {
    return from != nullptr ? Lanes::load(from + first) : Words{};
  }

  /// The LOD without biases: given, or from derivatives (LOD-4). Takes lanes with NaN or infinities out of `good`.
  static HEDDLE_INLINE Ints read_lod(const FootprintStaticState& f, const FootprintDynamicState& v,
                                     const FootprintInputs& in, int first, const Floats (&c)[3],
                                     const Floats (&size)[3], Ints& good) {
    if (f.source == FootprintSource::Lod) {
      const Floats given = (Floats)word(in.lod, first);
      good &= is_finite(given);
      return fixed_point(given);
    }
    Floats dx[3]{}, dy[3]{};
    each_axis(f.dim, [&](int k) HEDDLE_INLINE_LAMBDA {
      if (f.source == FootprintSource::Gradient) {
        dx[k] = (Floats)word(in.dx[k], first);
        dy[k] = (Floats)word(in.dy[k], first);
      } else {
        const Floats upper_left = Lanes::template of_quad<0>(c[k]);
        dx[k] = Lanes::template of_quad<1>(c[k]) - upper_left;
        dy[k] = Lanes::template of_quad<2>(c[k]) - upper_left;
      }
      good &= is_finite(dx[k]) & is_finite(dy[k]);
    });
    const Floats x = squared_length(dx, size, f.dim), y = squared_length(dy, size, f.dim);
    return (Lod::log2fx(Lanes::select(y > x, y, x), v.log2) + 1) >> 1;
  }

  /// The mask of the groups from `low` to `high`: columns, then rows (and slices) of them.
  static HEDDLE_INLINE void set_mask(int dim, const Words (&low)[3], const Words (&high)[3], Words& low_word,
                                     Words& high_word) {
    const std::uint32_t inside = dim == 3 ? 3 : 7;
    const Words one = Lanes::splat(1u);
    const Words columns = one << (low[0] & inside) | one << (high[0] & inside);
    if (dim == 2) {
      place(columns, low[1] & 7u, 8, low_word, high_word);
      place(columns, high[1] & 7u, 8, low_word, high_word);
    } else {
      const Words plane = columns << ((low[1] & 3u) << 2) | columns << ((high[1] & 3u) << 2);
      place(plane, low[2] & 3u, 16, low_word, high_word);
      place(plane, high[2] & 3u, 16, low_word, high_word);
    }
  }

  /// Lanes that go to the reference: `rest`.
  static HEDDLE_PART void query(const FootprintStaticState& f, const FootprintDynamicState& v,
                                const FootprintInputs& in, int first, int stride, std::uint32_t* out,
                                std::uint32_t& rest) {
    // The coordinates; `good`: lanes without NaN, infinities and offsets.
    Ints good = Ints{} - 1;
    Floats c[3]{}, size[3]{};
    each_axis(f.dim, [&](int k) HEDDLE_INLINE_LAMBDA {
      c[k] = (Floats)word(in.coordinate[k], first);
      good &= is_finite(c[k]);
      size[k] = Lanes::splat(static_cast<float>(v.size[k]));
      if (f.offset) good &= (Ints)(word(in.offset[k], first) == 0u);
    });
    const Ints lod = read_lod(f, v, in, first, c, size, good);
    // Bias and minimum LOD of the sampler and of the lanes.
    Ints bias = Lanes::splat(v.bias);
    if (f.bias) {
      const Floats given = (Floats)word(in.bias, first);
      good &= is_finite(given);
      bias += fixed_point(given);
    }
    bias = Lanes::max(Lanes::min(bias, Lanes::splat(v.most_bias)), Lanes::splat(-v.most_bias));
    Ints min_lod = Lanes::splat(v.min_lod);
    if (f.min_lod) {
      const Floats given = (Floats)word(in.min_lod, first);
      good &= is_finite(given);
      min_lod = Lanes::max(min_lod, fixed_point(given));
    }
    // The levels (LOD-5).
    StaticState state;
    state.preclamp = 1;
    state.mip = f.mip;
    const typename Lod::Range levels{v.max_lod, 0, 0, v.levels - 1};
    const typename Lod::Choice choice = Lod::choose(state, levels, lod + bias, min_lod, false);

    // The sides of the group.
    const Words granularity = word(in.granularity, first);
    const Words group = Lanes::gather(reinterpret_cast<const std::uint8_t*>(v.group), (Ints)((granularity & 15u) << 2));
    good &= (Ints)(granularity < 16u) & (Ints)(group != ~0u);

    const Ints single = choice.beta == 0, coarse = (Ints)(word(in.coarse, first) != 0u);
    const Ints empty = coarse & single;  // FC8
    const Ints level = Lanes::select(coarse, choice.level[1], choice.level[0]);
    const Ints linear = f.linear_mag == f.linear_min
                            ? Ints{} - (f.linear_min ? 1 : 0)
                            : Lanes::select(choice.magnify, Ints{} - f.linear_mag, Ints{} - f.linear_min);
    // The groups of the first and the last texel in each axis, and the anchor that both are seen from.
    const int shift = f.dim == 3 ? 2 : 3;
    Words low[3]{}, high[3]{}, anchor[3]{}, offset[3]{};
    each_axis(f.dim, [&](int k) HEDDLE_INLINE_LAMBDA {
      const Ints n = Lanes::max(Lanes::splat(v.size[k]) >> level, Ints{} + 1);
      const Ints taps = box_start(c[k], Lanes::to_float(n) * 256.0f, linear);
      const Ints last = n - 1, zero{};
      const Ints x0 = Lanes::max(Lanes::min(taps, last), zero);
      const Ints x1 = Lanes::max(Lanes::min(taps - linear, last), zero);
      const Words side = group >> (8 * k) & 31u;
      low[k] = (Words)x0 >> side;
      high[k] = (Words)x1 >> side;
      anchor[k] = high[k] >> shift;  // FC4
      const Words start = anchor[k] << shift;
      offset[k] = (Words)((Ints)(start - low[k]) & (Ints)(start > low[k]));
    });
    Words low_word{}, high_word{};
    set_mask(f.dim, low, high, low_word, high_word);
    // The results in the order of the instruction's structure.
    int member = 0;
    const auto store = [&](Words x) HEDDLE_INLINE_LAMBDA { Lanes::store(out + member++ * stride + first, x); };
    const auto unless_empty = [&](Words x) HEDDLE_INLINE_LAMBDA { return (Words)((Ints)x & ~empty); };
    store((Words)single & 1u);
    each_axis(f.dim, [&](int k) HEDDLE_INLINE_LAMBDA { store(unless_empty(anchor[k])); });
    each_axis(f.dim, [&](int k) HEDDLE_INLINE_LAMBDA { store(unless_empty(offset[k])); });
    store(unless_empty(low_word));
    store(unless_empty(high_word));
    store(unless_empty((Words)level + v.base_level));
    store(Words{});
    rest = ~Lanes::bits(good) & Lanes::kAll;
  }

  /// CRD-1, FC9: the first tap; LINEAR rounds and starts half a texel before.
  static HEDDLE_INLINE Ints box_start(Floats c, Floats scale, Ints linear) {
    const Floats s = Lanes::clamp_magnitude(Lanes::select(c == c, c * scale, Floats{}), 1073741824.0f);
    const Ints as_linear = Lanes::floor_of_sum(s, -127.5f) >> 8, as_nearest = Lanes::floor_of_sum(s, 0.0f) >> 8;
    return Lanes::select(linear, as_linear, as_nearest);
  }

  /// `bits` at place `at` of a 64-bit mask with `step` bits a place.
  static HEDDLE_INLINE void place(Words bits, Words at, unsigned step, Words& low_word, Words& high_word) {
    const unsigned half = 32 / step;
    const Words moved = bits << ((at & (half - 1)) * step);
    const Ints upper = (Ints)(at >= half);
    low_word |= (Words)((Ints)moved & ~upper);
    high_word |= (Words)((Ints)moved & upper);
  }
};

}  // namespace
}  // namespace heddle::texture::simd
