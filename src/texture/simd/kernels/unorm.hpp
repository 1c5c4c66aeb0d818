#pragma once
// SAMPLE_UNORM over lanes: blocks of 8 x 4 pixels in integer arithmetic (UNO-1..6).

#include "texture/simd/kernels/filter.hpp"
#include "texture/simd/unorm_state.hpp"

namespace heddle::texture::simd {
namespace {

template <int W>
struct UnormBlock {
  using V = Vector<W>;
  using C = Coordinates<W>;
  using T = Texels<W>;
  using L = Filter<W>;
  using F = typename V::F;
  using I = typename V::I;
  using U = typename V::U;
  using H = typename V::H;
  using Point = typename L::Point;
  using Place = typename L::Place;
  using Quad = typename L::Quad;

  /// The block's pixels from `first` on.
  static HEDDLE_INLINE void sample(const UnormStaticState& f, const UnormDynamicState& v, const UnormInputs& in,
                                   int first, std::uint32_t* out) {
    const U pixel = V::iota() + static_cast<std::uint32_t>(first);
    Point p;  // UNO-1
    p.coordinate[0] = V::splat(in.u) + V::splat(in.du) * V::to_float((I)(pixel & 7u));
    p.coordinate[1] = V::splat(in.v) + V::splat(in.dv) * V::to_float((I)(pixel >> 3));
    auto* to = reinterpret_cast<std::uint8_t*>(out) + 2 * first;
    if (f.planar)
      planes(f, v, p, to);
    else
      elements(f, v, p, to);
  }

 private:
  static HEDDLE_INLINE void store(std::uint8_t* out, unsigned channel, U value) {
    const H words = __builtin_convertvector(value, H);
    __builtin_memcpy(out + 64 * channel, &words, sizeof words);
  }
  template <typename Value>
  static HEDDLE_INLINE void each_channel(const UnormStaticState& f, std::uint8_t* out, Value&& value) {
    if (f.channels & 1) store(out, 0, value(0));
    if (f.channels & 2) store(out, 1, value(1));
    if (f.channels & 4) store(out, 2, value(2));
    if (f.channels & 8) store(out, 3, value(3));
  }

  /// UNO-5: what is between two values of 8 bits, in 256ths; or of both halves of words.
  static HEDDLE_INLINE U between(U a, U b, U weight) { return (a << 8) + (b - a) * weight; }
  /// The result of two such rows.
  static HEDDLE_INLINE U result(U upper, U lower, U weight) { return between(upper, lower, weight) >> 8; }

  static HEDDLE_INLINE U stored(const ChannelCode& code, const typename T::Words& words) {
    return words[0] >> static_cast<std::uint32_t>(code.shift) & 0xffu;
  }
  /// UNO-4: channels that the format lacks.
  static HEDDLE_INLINE bool is_constant(const ChannelCode& code) { return code.kind != ChannelKind::Unorm; }
  static HEDDLE_INLINE U constant(const ChannelCode& code) {
    return V::splat(code.kind == ChannelKind::One ? 0xff00u : 0u);
  }

  static HEDDLE_INLINE void elements(const UnormStaticState& static_state, const UnormDynamicState& v, const Point& p,
                                     std::uint8_t* out) {
    const StaticState& f = static_state.state;
    const Level& level = v.sample.level[0];
    if (!static_state.linear) {
      I x, y;
      nearest_place(f, level, p, x, y);
      typename T::Words words;
      T::fetch(f.element_bytes, v.sample.memory + level.offset,
               (I)((U)x * static_cast<std::uint32_t>(f.element_bytes) + (U)y * level.row_pitch), level.limit, words);
      each_channel(static_state, out, [&](unsigned c) HEDDLE_INLINE_LAMBDA {
        return is_constant(f.channel[c]) ? constant(f.channel[c]) : stored(f.channel[c], words) << 8;
      });
      return;
    }
    Place at;
    Quad q;
    I corner{};
    if (!window(f, v.sample, level, p, at, q)) L::quad(f, v.sample, level, p, false, f.round_mag, at, q, corner);
    const U across = (U)at.weight[0], down = (U)at.weight[1];
    const auto row = [&](int t, unsigned odd) HEDDLE_INLINE_LAMBDA {
      return between(q.word[t][0] >> (8 * odd) & 0xff00ffu, q.word[t + 1][0] >> (8 * odd) & 0xff00ffu, across);
    };
    // Bytes 0 and 2, then 1 and 3.
    const U rows[2][2] = {{row(0, 0), row(2, 0)}, {row(0, 1), row(2, 1)}};
    each_channel(static_state, out, [&](unsigned c) HEDDLE_INLINE_LAMBDA {
      const ChannelCode& code = f.channel[c];
      if (is_constant(code)) return constant(code);
      const unsigned odd = code.shift >> 3 & 1u, half = code.shift & 16u;
      return result(rows[odd][0] >> half & 0xffffu, rows[odd][1] >> half & 0xffffu, down);
    });
  }

  /// Two rows of the block whose texels are in one window.
  static HEDDLE_INLINE bool window(const StaticState& f, const DynamicState& v, const Level& level, const Point& p,
                                   Place& at, Quad& q) {
    if constexpr (W == 16 && V::kConvertsAny) {
      L::to_texels(f, level, p, false, at);
      L::convert(f, p, true, false, f.round_mag, false, at);
      return Window<W>::fetch(f, v, level, at.index[0], at.index[1], U{}, false, q.word);
    } else {
      return false;
    }
  }

  static HEDDLE_INLINE void nearest_place(const StaticState& f, const Level& level, const Point& p, I& x, I& y) {
    Place at;
    L::to_texels(f, level, p, true, at);
    L::bound(f, true, at);
    L::convert(f, p, false, true, f.round_mag, false, at);
    I outside{};
    x = C::address(f, f.mode[0], at.index[0], level, 0, outside);
    y = C::address(f, f.mode[1], at.index[1], level, 1, outside);
  }

  /// NUM-22, HW-45: R = V, G = Y, B = U, each of 8 bits; chroma is that of a pair of columns and rows.
  struct Planes {
    U luma, chroma[2];
  };
  static HEDDLE_INLINE Planes fetch(const UnormStaticState& f, const UnormDynamicState& v, I x, I y) {
    const Level& level = v.sample.level[0];
    typename T::Words words[3];
    T::gather(1, v.sample.memory + level.offset, (I)((U)x + (U)y * level.row_pitch), level.limit, words[0]);
    const auto plane = [&](int k) HEDDLE_INLINE_LAMBDA {
      T::gather(f.joined ? 2 : 1, v.sample.memory + v.chroma_offset[k],
                (I)(((U)x >> 1) * v.chroma_step[k] + ((U)y >> 1) * v.chroma_pitch[k]), v.chroma_limit[k], words[k + 1]);
    };
    plane(0);
    if (f.joined)
      words[2][0] = words[1][0];
    else
      plane(1);
    return {words[0][0] & 0xffu, {words[1][0] >> v.chroma_shift[0] & 0xffu, words[2][0] >> v.chroma_shift[1] & 0xffu}};
  }
  static HEDDLE_INLINE U component(const Planes& planes, unsigned channel) {
    return channel == 1 ? planes.luma : planes.chroma[channel == 0 ? 1 : 0];
  }

  static HEDDLE_INLINE void planes(const UnormStaticState& static_state, const UnormDynamicState& v, const Point& p,
                                   std::uint8_t* out) {
    const StaticState& f = static_state.state;
    const Level& level = v.sample.level[0];
    const U one = V::splat(0xff00u);
    if (!static_state.linear) {
      I x, y;
      nearest_place(f, level, p, x, y);
      const Planes tap = fetch(static_state, v, x, y);
      each_channel(static_state, out,
                   [&](unsigned c) HEDDLE_INLINE_LAMBDA { return c == 3 ? one : component(tap, c) << 8; });
      return;
    }
    Place at;
    L::to_texels(f, level, p, false, at);
    const bool odd = L::bound(f, false, at);
    L::convert(f, p, true, false, f.round_mag, odd, at);
    I outside{};
    const I x0 = C::address(f, f.mode[0], at.index[0], level, 0, outside);
    const I x1 = C::next_address(f, f.mode[0], at.index[0], x0, level, 0, outside);
    const I y0 = C::address(f, f.mode[1], at.index[1], level, 1, outside);
    const I y1 = C::next_address(f, f.mode[1], at.index[1], y0, level, 1, outside);
    const Planes tap[4] = {fetch(static_state, v, x0, y0), fetch(static_state, v, x1, y0),
                           fetch(static_state, v, x0, y1), fetch(static_state, v, x1, y1)};
    const U across = (U)at.weight[0], down = (U)at.weight[1];
    each_channel(static_state, out, [&](unsigned c) HEDDLE_INLINE_LAMBDA {
      if (c == 3) return one;
      return result(between(component(tap[0], c), component(tap[1], c), across),
                    between(component(tap[2], c), component(tap[3], c), across), down);
    });
  }
};

}  // namespace
}  // namespace heddle::texture::simd
