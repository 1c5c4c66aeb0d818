// SPDX-License-Identifier: MIT
#pragma once
// SAMPLE_UNORM over lanes: blocks of 8 x 4 pixels in integer arithmetic (UNO-1..6).

#include "texture/simd/functions/filter.hpp"
#include "texture/simd/unorm_state.hpp"

namespace heddle::texture::simd {
namespace {

template <int W>
struct UnormBlock {
  using Lanes = Vector<W>;
  using Coords = Coordinates<W>;
  using Texel = Texels<W>;
  using Filtering = Filter<W>;
  using Floats = typename Lanes::Floats;
  using Ints = typename Lanes::Ints;
  using Words = typename Lanes::Words;
  using HalfWords = typename Lanes::HalfWords;
  using Point = typename Filtering::Point;
  using FixedPosition = typename Filtering::FixedPosition;
  using Quad = typename Filtering::Quad;

  /// The block's pixels from `first` on.
  static HEDDLE_INLINE void sample(const UnormStaticState& f, const UnormDynamicState& v, const UnormInputs& in,
                                   int first, std::uint32_t* out) {
    const Words pixel = Lanes::iota() + static_cast<std::uint32_t>(first);
    Point p;  // UNO-1
    p.coordinate[0] = Lanes::splat(in.u) + Lanes::splat(in.du) * Lanes::to_float((Ints)(pixel & 7u));
    p.coordinate[1] = Lanes::splat(in.v) + Lanes::splat(in.dv) * Lanes::to_float((Ints)(pixel >> 3));
    auto* to = reinterpret_cast<std::uint8_t*>(out) + 2 * first;
    if (f.planar)
      planes(f, v, p, to);
    else
      elements(f, v, p, to);
  }

 private:
  static HEDDLE_INLINE void store(std::uint8_t* out, unsigned channel, Words value) {
    const HalfWords words = __builtin_convertvector(value, HalfWords);
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
  static HEDDLE_INLINE Words between(Words a, Words b, Words weight) { return (a << 8) + (b - a) * weight; }
  /// The result of two such rows.
  static HEDDLE_INLINE Words result(Words upper, Words lower, Words weight) {
    return between(upper, lower, weight) >> 8;
  }

  static HEDDLE_INLINE Words stored(const ChannelCode& code, const typename Texel::Element& words) {
    return words[0] >> static_cast<std::uint32_t>(code.shift) & 0xffu;
  }
  /// UNO-4: channels that the format lacks.
  static HEDDLE_INLINE bool is_constant(const ChannelCode& code) { return code.kind != ChannelKind::Unorm; }
  static HEDDLE_INLINE Words constant(const ChannelCode& code) {
    return Lanes::splat(code.kind == ChannelKind::One ? 0xff00u : 0u);
  }

  static HEDDLE_INLINE void elements(const UnormStaticState& static_state, const UnormDynamicState& v, const Point& p,
                                     std::uint8_t* out) {
    const StaticState& f = static_state.state;
    const Level& level = v.sample.level[0];
    if (!static_state.linear) {
      Ints x, y;
      nearest_place(f, level, p, x, y);
      typename Texel::Element words;
      Texel::fetch(f.element_bytes, v.sample.memory + level.offset,
                   (Ints)((Words)x * static_cast<std::uint32_t>(f.element_bytes) + (Words)y * level.row_pitch),
                   Lanes::kAll, level.limit, words);
      each_channel(static_state, out, [&](unsigned c) HEDDLE_INLINE_LAMBDA {
        return is_constant(f.channel[c]) ? constant(f.channel[c]) : stored(f.channel[c], words) << 8;
      });
      return;
    }
    FixedPosition at;
    Quad q;
    Ints corner{};
    if (!window(f, v.sample, level, p, at, q))
      Filtering::quad(f, v.sample, level, p, false, f.round_mag, at, q, corner);
    const Words across = (Words)at.weight[0], down = (Words)at.weight[1];
    const auto row = [&](int t, unsigned odd) HEDDLE_INLINE_LAMBDA {
      return between(q.word[t][0] >> (8 * odd) & 0xff00ffu, q.word[t + 1][0] >> (8 * odd) & 0xff00ffu, across);
    };
    // Bytes 0 and 2, then 1 and 3.
    const Words rows[2][2] = {{row(0, 0), row(2, 0)}, {row(0, 1), row(2, 1)}};
    each_channel(static_state, out, [&](unsigned c) HEDDLE_INLINE_LAMBDA {
      const ChannelCode& code = f.channel[c];
      if (is_constant(code)) return constant(code);
      const unsigned odd = code.shift >> 3 & 1u, half = code.shift & 16u;
      return result(rows[odd][0] >> half & 0xffffu, rows[odd][1] >> half & 0xffffu, down);
    });
  }

  /// Two rows of the block whose texels are in one window.
  static HEDDLE_INLINE bool window(const StaticState& f, const DynamicState& v, const Level& level, const Point& p,
                                   FixedPosition& at, Quad& q) {
    if constexpr (W == 16 && Lanes::kConvertsAny) {
      Filtering::to_texels(f, level, p, false, at);
      Filtering::convert(f, p, true, false, f.round_mag, false, at);
      return Window<W>::fetch(f, v, level, at.index[0], at.index[1], Words{}, false, q.word);
    } else {
      return false;
    }
  }

  static HEDDLE_INLINE void nearest_place(const StaticState& f, const Level& level, const Point& p, Ints& x, Ints& y) {
    FixedPosition at;
    Filtering::to_texels(f, level, p, true, at);
    Filtering::bound(f, true, at);
    Filtering::convert(f, p, false, true, f.round_mag, false, at);
    Ints outside{};
    x = Coords::address(f, f.mode[0], at.index[0], level, 0, outside);
    y = Coords::address(f, f.mode[1], at.index[1], level, 1, outside);
  }

  /// NUM-22, HW-45: R = V, G = Y, B = U, each of 8 bits; chroma is that of a pair of columns and rows.
  struct Planes {
    Words luma, chroma[2];
  };
  static HEDDLE_INLINE Planes fetch(const UnormStaticState& f, const UnormDynamicState& v, Ints x, Ints y) {
    const Level& level = v.sample.level[0];
    typename Texel::Element words[3];
    Texel::gather(1, v.sample.memory + level.offset, (Ints)((Words)x + (Words)y * level.row_pitch), level.limit,
                  words[0]);
    const auto plane = [&](int k) HEDDLE_INLINE_LAMBDA {
      Texel::gather(f.joined ? 2 : 1, v.sample.memory + v.chroma_offset[k],
                    (Ints)(((Words)x >> 1) * v.chroma_step[k] + ((Words)y >> 1) * v.chroma_pitch[k]), v.chroma_limit[k],
                    words[k + 1]);
    };
    plane(0);
    if (f.joined)
      words[2][0] = words[1][0];
    else
      plane(1);
    return {words[0][0] & 0xffu, {words[1][0] >> v.chroma_shift[0] & 0xffu, words[2][0] >> v.chroma_shift[1] & 0xffu}};
  }
  static HEDDLE_INLINE Words component(const Planes& planes, unsigned channel) {
    return channel == 1 ? planes.luma : planes.chroma[channel == 0 ? 1 : 0];
  }

  static HEDDLE_INLINE void planes(const UnormStaticState& static_state, const UnormDynamicState& v, const Point& p,
                                   std::uint8_t* out) {
    const StaticState& f = static_state.state;
    const Level& level = v.sample.level[0];
    const Words one = Lanes::splat(0xff00u);
    if (!static_state.linear) {
      Ints x, y;
      nearest_place(f, level, p, x, y);
      const Planes tap = fetch(static_state, v, x, y);
      each_channel(static_state, out,
                   [&](unsigned c) HEDDLE_INLINE_LAMBDA { return c == 3 ? one : component(tap, c) << 8; });
      return;
    }
    FixedPosition at;
    Filtering::to_texels(f, level, p, false, at);
    const bool odd = Filtering::bound(f, false, at);
    Filtering::convert(f, p, true, false, f.round_mag, odd, at);
    Ints outside{};
    const Ints x0 = Coords::address(f, f.mode[0], at.index[0], level, 0, outside);
    const Ints x1 = Coords::next_address(f, f.mode[0], at.index[0], x0, level, 0, outside);
    const Ints y0 = Coords::address(f, f.mode[1], at.index[1], level, 1, outside);
    const Ints y1 = Coords::next_address(f, f.mode[1], at.index[1], y0, level, 1, outside);
    const Planes tap[4] = {fetch(static_state, v, x0, y0), fetch(static_state, v, x1, y0),
                           fetch(static_state, v, x0, y1), fetch(static_state, v, x1, y1)};
    const Words across = (Words)at.weight[0], down = (Words)at.weight[1];
    each_channel(static_state, out, [&](unsigned c) HEDDLE_INLINE_LAMBDA {
      if (c == 3) return one;
      return result(between(component(tap[0], c), component(tap[1], c), across),
                    between(component(tap[2], c), component(tap[3], c), across), down);
    });
  }
};

}  // namespace
}  // namespace heddle::texture::simd
