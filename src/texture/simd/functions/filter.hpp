// SPDX-License-Identifier: MIT
#pragma once
// One level's result for lanes that share the level: FLT-1..3, ANI-1, RED-1, CMP-4.

#include "texture/simd/functions/interleaved.hpp"
#include "texture/simd/functions/lod.hpp"
#include "texture/simd/functions/pixel_probes.hpp"

namespace heddle::texture::simd {
namespace {

template <int W>
struct Filter {
  using Lanes = Vector<W>;
  using Coords = Coordinates<W>;
  using Texel = Texels<W>;
  using Tap = Taps<W>;
  using Floats = typename Lanes::Floats;
  using Ints = typename Lanes::Ints;
  using Words = typename Lanes::Words;
  using Doubles = typename Lanes::Doubles;
  using Element = typename Texel::Element;
  using Point = typename Tap::Point;
  using Quad = typename Tap::Quad;

  using Probing = Probes<W>;
  using Line = typename Probing::Line;

  /// CRD-1, CRD-4 for every axis. `linear` has weights and the taps of FLT-3, where GA-3 asks for `indices` alone.
  struct FixedPosition {
    Floats s[3]{};
    Ints index[3]{}, weight[3]{};
    Floats factor[3]{};
  };
  static HEDDLE_INLINE void to_texels(const StaticState& f, const Level& level, const Point& p, bool indices,
                                      FixedPosition& at) {
    each_axis(f.axes, [&](int axis) HEDDLE_INLINE_LAMBDA {
      at.s[axis] = p.coordinate[axis] * (f.non_normalized ? (indices ? 1.0f : Coords::kParts)
                                         : indices        ? level.count[axis]
                                                          : level.scale[axis] * (Coords::kParts / 256.0f));
    });
  }
  static HEDDLE_INLINE bool bound(const StaticState& f, bool indices, FixedPosition& at) {
    return indices ? Coords::bound(f.axes, 4194304.0f, at.s) : Coords::bound_parts(f.axes, at.s);
  }
  static HEDDLE_INLINE void convert(const StaticState& f, const Point& p, bool linear, bool indices,
                                    const std::uint8_t (&round)[3], bool odd, FixedPosition& at) {
    const bool moved = !f.cube && f.offset_source != OffsetSource::None;
    each_axis(f.axes, [&](int axis) HEDDLE_INLINE_LAMBDA {
      if (indices)
        at.index[axis] = Coords::to_index(at.s[axis], round[axis], linear);
      else
        Coords::to_fixed(at.s[axis], round[axis], odd, moved, at.index[axis], at.weight[axis], at.factor[axis]);
      if (moved) at.index[axis] += p.offset[axis];
    });
  }

  static HEDDLE_INLINE typename Tap::Place place_of(const FixedPosition& at, const Point& p) {
    return {at.index[0], at.index[1], p.layer, p.layered};
  }

  /// The four taps of each lane: where they are. The common case comes before the test for odd coordinates, which it
  /// implies.
  static HEDDLE_APART typename Tap::Row find_taps(const StaticState& f, const DynamicState& v, const Level& level,
                                                  const Point& p, bool indices, const std::uint8_t (&round)[3],
                                                  FixedPosition& at, const std::uint8_t*& base) {
    const bool close = !indices;
    if (!Lanes::kAddsDown) indices = false;  // as quick
    to_texels(f, level, p, indices, at);
    const bool odd = !Lanes::kConvertsAny && bound(f, indices, at);
    convert(f, p, true, indices, round, odd, at);
    return Tap::find_row(f, v, level, place_of(at, p), close, base);
  }
  /// And their words.
  static HEDDLE_APART void fetch_taps(const StaticState& f, const DynamicState& v, const Level& level, const Point& p,
                                      bool indices, const std::uint8_t (&round)[3], typename Tap::Row row,
                                      const std::uint8_t* base, FixedPosition& at, Quad& q, Ints& corner) {
    if (!Lanes::kAddsDown) indices = false;
    if (!Tap::load_row(f, v, level, row, base, place_of(at, p), q)) {
      if (Lanes::kConvertsAny && bound(f, indices, at)) convert(f, p, true, indices, round, true, at);
      Tap::fetch_any(f, v, level, p, place_of(at, p), q, corner);
    }
    Texel::prepare(f, q.word);
  }
  static HEDDLE_APART void quad(const StaticState& f, const DynamicState& v, const Level& level, const Point& p,
                                bool indices, const std::uint8_t (&round)[3], FixedPosition& at, Quad& q,
                                Ints& corner) {
    const std::uint8_t* base = nullptr;
    const typename Tap::Row row = find_taps(f, v, level, p, indices, round, at, base);
    fetch_taps(f, v, level, p, indices, round, row, base, at, q, corner);
  }

  /// FLT-2.
  static HEDDLE_APART void nearest(const StaticState& f, const DynamicState& v, const Level& level, const Point& p,
                                   const std::uint8_t (&round)[3], Floats ref, Words (&out)[4]) {
    FixedPosition at;
    to_texels(f, level, p, true, at);
    bound(f, true, at);
    convert(f, p, false, true, round, false, at);
    Ints(&index)[3] = at.index;
    Ints outside{};
    each_axis(f.axes, [&](int axis) HEDDLE_INLINE_LAMBDA {
      index[axis] =
          Coords::address(f, f.cube ? AddressMode::Clamp : f.mode[axis], index[axis], level, axis, outside);  // CUB-3
    });
    Element words[1];
    if (f.blocks) {
      const Words slice = f.axes > 2 ? (Words)index[2] : p.layered ? p.layer : Words{};
      Texel::decode_blocks(v, level, index[0], f.axes > 1 ? index[1] : Ints{}, slice, p.apart, words[0]);
    } else {
      Words where = (Words)index[0] * static_cast<std::uint32_t>(f.element_bytes);
      if (f.axes > 1) where += (Words)index[1] * level.row_pitch;
      if (f.axes > 2) where += (Words)index[2] * level.layer_pitch;
      if (p.layered) where += p.layer * level.layer_pitch;
      if (f.apart) where += p.apart;
      Window<W>::fetch_each(f, v.memory + level.offset, level, (Ints)where, p.mask, words[0]);
    }
    if (f.compare) {
      Words value[1];
      Texel::template decode<1>(f.channel[f.compare_channel], f.integer, words, v.srgb, value);
      if (f.borders) value[0] = Lanes::select(outside, Lanes::splat(v.border[f.compare_channel]), value[0]);
      out[0] = out[1] = out[2] = out[3] = Texel::compare(f.function, (Floats)value[0], ref);
      return;
    }
    Texel::decode_one(f, v.srgb, words, out);
    if (!f.borders) return;
    out[0] = Lanes::select(outside, Lanes::splat(v.border[0]), out[0]);
    out[1] = Lanes::select(outside, Lanes::splat(v.border[1]), out[1]);
    out[2] = Lanes::select(outside, Lanes::splat(v.border[2]), out[2]);
    out[3] = Lanes::select(outside, Lanes::splat(v.border[3]), out[3]);
  }

  /// The result of one slice's four taps, or their reduction on top of `so_far`.
  static HEDDLE_APART Words quad_value(const StaticState& f, const DynamicState& v, unsigned channel, const Quad& q,
                                       Floats ref, const Ints (&weight)[3], const Floats (&factor)[3], bool first,
                                       Ints counted, Words so_far) {
    Words value[4];
    Tap::values(f, v, channel, q, ref, value);
    if (f.reduction != FilterReduction::Weighted) {
      const Ints u = weight[0] != 0, w = weight[1] != 0;
      const Ints counts[4] = {counted, counted & u, counted & w, counted & u & w};
      for (int t = 0; t < 4; ++t)
        so_far = first && t == 0 ? value[0] : Lanes::select(counts[t], Texel::reduce(f, so_far, value[t]), so_far);
      return so_far;
    }
    // A constant stays itself.
    const ChannelKind kind = f.channel[channel].kind;
    if (!f.borders && !f.compare && (kind == ChannelKind::Zero || kind == ChannelKind::One)) return value[0];
    return Texel::bilinear(f.finite, f.axes == 1, value, weight, factor);
  }

  /// Bytes of lanes on few texels are decoded before the texels go to the lanes: two rows, not four taps. Not with
  /// 512-bit vectors, where decoding is as cheap as the permutations.
  static HEDDLE_INLINE bool decodes_close(const StaticState& f) {
    const int count = Texel::is_unorm8(f.channel[0]) + Texel::is_unorm8(f.channel[1]) + Texel::is_unorm8(f.channel[2]);
    return Texel::kTriples && count > 1 && f.element_bytes == 4 && !Texel::decodes_early(f) && !f.compare &&
           f.reduction == FilterReduction::Weighted;
  }
  static HEDDLE_APART void close(const StaticState& f, const DynamicState& v, const std::uint8_t* base,
                                 std::uint32_t pitch, const FixedPosition& place, Words (&out)[4]) {
    Element words[2];
    words[0][0] = Lanes::load_bytes(base);
    words[1][0] = Lanes::load_bytes(base + pitch);
    Texel::prepare(f, words);
    const Ints at = place.index[0] - place.index[0][0], next = at + 1;
    Probing::each_channel(f, [&](unsigned c) HEDDLE_INLINE_LAMBDA {
      const ChannelKind kind = f.channel[c].kind;
      Words rows[2];
      Texel::template decode<2>(f.channel[c], f.integer, words, v.srgb, rows, Texel::has_triples(f));
      const Words taps[4] = {Lanes::permuted(rows[0], at), Lanes::permuted(rows[0], next), Lanes::permuted(rows[1], at),
                             Lanes::permuted(rows[1], next)};
      out[c] = kind == ChannelKind::Zero || kind == ChannelKind::One
                   ? rows[0]
                   : Texel::bilinear(f.finite, false, taps, place.weight, place.factor);
    });
  }

  /// What is filtered as it lies in memory, without being brought to its lanes; false: it is not.
  static HEDDLE_INLINE bool filter_in_place(const StaticState& f, const DynamicState& v, std::uint32_t pitch,
                                            typename Tap::Row row, const std::uint8_t* base, const FixedPosition& place,
                                            Words (&out)[4]) {
    const Floats(&factor)[3] = place.factor;
    if (Interleaved<W>::filters(f) && row == Tap::Row::Run && !Lanes::any(factor[0] * factor[1] == 0.0f))
      Interleaved<W>::bilinear(f, base, pitch, factor[0], factor[1], out);
    else if (decodes_close(f) && row == Tap::Row::Close)
      close(f, v, base, pitch, place, out);
    else
      return false;
    return true;
  }

  /// ANI-1: two probes of the pixels of a block, each of which reads a window; false: they do not.
  static HEDDLE_APART bool by_windows(const StaticState& f, const DynamicState& v, const Level& level, const Point& p,
                                      const Line& line, Floats scale, const std::uint8_t (&round)[3], Floats ref,
                                      Words (&out)[4]) {
    constexpr int kProbes = 2;
    typename Window<W>::Found windows[kProbes];
    Floats factors[kProbes][2];
    for (int k = 0; k < kProbes; ++k) {
      Point at = p;
      Probing::move(f, line, scale, k + 1, at);
      FixedPosition place;
      to_texels(f, level, at, false, place);
      const bool odd = !Lanes::kConvertsAny && bound(f, false, place);
      convert(f, at, true, false, round, odd, place);
      if (!Window<W>::find(f, level, place.index[0], place.index[1], p.layer, p.layered, windows[k])) return false;
      factors[k][0] = place.factor[0];
      factors[k][1] = place.factor[1];
    }
    typename Probing::Kept kept;
    for (int k = 0; k < kProbes; ++k) {
      Quad q;
      Window<W>::load(f, v, level, windows[k], p.layered ? p.layer[0] : 0, q.word);
      Texel::prepare(f, q.word);
      const Floats factor[3] = {factors[k][0], factors[k][1], Floats{}};
      const Ints weight[3] = {(Ints)factor[0], (Ints)factor[1], Ints{}};  // only whether they are 0 counts
      Probing::each_channel(f, [&](unsigned c) HEDDLE_INLINE_LAMBDA {
        kept[k][f.compare ? 0 : c] = quad_value(f, v, c, q, ref, weight, factor, true, Ints{}, Words{});
      });
    }
    for (int c = 0; c < 4; ++c) out[c] = Probing::mean(kept[0][f.compare ? 0 : c], kept[1][f.compare ? 0 : c]);
    return true;
  }
  /// The same: the probes of each pixel side by side, and their mean; false: this is no way for them.
  static HEDDLE_APART bool by_pixels(const StaticState& f, const DynamicState& v, const Level& level, const Point& p,
                                     const Line& line, Floats scale, const std::uint8_t (&round)[3], Floats ref,
                                     Words (&out)[4]) {
    using Pixels = PixelProbes<W>;
    const typename Pixels::Places places = Pixels::places_of(line, scale);
    const auto find = [&](const Point& at, FixedPosition& place) HEDDLE_INLINE_LAMBDA {
      to_texels(f, level, at, false, place);
      const bool odd = !Lanes::kConvertsAny && bound(f, false, place);
      convert(f, at, true, false, round, odd, place);
    };
    typename Pixels::Boxes boxes;
    const bool pays = Pixels::find_boxes(
        f, level, p, line, places,
        [&](const Point& at, Ints(&index)[2]) HEDDLE_INLINE_LAMBDA {
          FixedPosition place;
          find(at, place);
          index[0] = place.index[0];
          index[1] = place.index[1];
        },
        boxes);
    if (!pays) return false;
    typename Probing::Kept filtered, kept;
    for (unsigned k = 0; k < places.vectors(); ++k) {
      const Ints pixel = places.pixel(k);
      const Point at = places.point(f, p, line, k, pixel);
      FixedPosition place;
      find(at, place);
      Quad q;
      const unsigned part = boxes.part_of(k, places.shift), first = boxes.pixel_of(k, places.shift);
      if ((boxes.inside[part] >> first & 1u) != 0) {
        Pixels::fetch(f, v, level, boxes, part, first, place.index[0], place.index[1], q.word);
      } else {
        if (Lanes::kConvertsAny && bound(f, false, place)) convert(f, at, true, false, round, true, place);
        Ints corner{};
        Tap::fetch_any(f, v, level, at, place_of(place, at), q, corner);
      }
      Texel::prepare(f, q.word);
      const Floats compared = f.compare ? (Floats)Lanes::permuted((Words)ref, pixel) : ref;
      Probing::each_channel(f, [&](unsigned c) HEDDLE_INLINE_LAMBDA {
        filtered[k][f.compare ? 0 : c] =
            quad_value(f, v, c, q, compared, place.weight, place.factor, true, Ints{}, Words{});
      });
    }
    if (Probing::has_short_mean(f, line)) {
      for (int c = 0; c < 4; ++c) {
        const Words a = filtered[0][f.compare ? 0 : c], b = filtered[1][f.compare ? 0 : c];
        out[c] = Probing::mean(Lanes::template evens<1>(a, b), Lanes::template odds<1>(a, b));
      }
      return true;
    }
    Pixels::sort(f, places.shift, filtered, kept);
    Probing::average(f, line, kept, out);
    return true;
  }

  /// FLT-3, ANI-1, RED-1. `corner`: lanes whose taps include a cube's corner; their result is not valid.
  static HEDDLE_APART void linear(const StaticState& f, const DynamicState& v, const Level& level, const Point& p,
                                  const Line& line, const std::uint8_t (&round)[3], Floats ref, Ints& corner,
                                  Words (&out)[4]) {
    const bool probes = f.ratio > 1 && (f.anisotropic_min || f.anisotropic_mag);
    const std::int32_t count = probes ? line.most : 1, slices = f.axes == 3 ? 2 : 1;
    const Floats scale = probes ? Probing::scale(f, level, line) : Floats{};
    const bool mean = probes && f.reduction == FilterReduction::Weighted;
    typename Probing::Kept kept;
    // Pixels of a block are no run.
    if (mean && !f.quads && f.axes == 2 && !f.cube && !f.blocks && !f.apart &&
        Probing::runs(f, v, level, p, line, scale, round, ref, kept))
      return Probing::average(f, line, kept, out);
    if (mean && PixelProbes<W>::fits(f) && Window<W>::reaches(f) && Probing::has_short_mean(f, line) &&
        by_windows(f, v, level, p, line, scale, round, ref, out))
      return;
    if (mean && PixelProbes<W>::fits(f) && count > 1 && by_pixels(f, v, level, p, line, scale, round, ref, out)) return;
    for (std::int32_t number = 1; number <= count; ++number) {
      Point at = p;
      if (probes) Probing::move(f, line, scale, number, at);
      const Ints counted = probes ? line.count >= number : Ints{} - 1;
      FixedPosition place;
      Ints(&weight)[3] = place.weight;
      Quad q;
      if (f.axes == 3) {
        to_texels(f, level, at, false, place);
        const bool odd = bound(f, false, place);
        convert(f, at, true, false, round, odd, place);
      } else {
        const std::uint8_t* base = nullptr;
        const typename Tap::Row row = find_taps(f, v, level, at, false, round, place, base);
        if (!probes && f.axes == 2 && filter_in_place(f, v, level.row_pitch, row, base, place, out)) return;
        fetch_taps(f, v, level, at, false, round, row, base, place, q, corner);
      }
      const Floats(&factor)[3] = place.factor;
      Words slice[2][4]{};
      for (int s = 0; s < slices; ++s) {
        Ints out_z{};
        if (f.axes == 3) {
          const Words z = (Words)Coords::address(f, f.mode[2], place.index[2] + s, level, 2, out_z);
          q = {};
          const typename Tap::Place taps{place.index[0], place.index[1], z, true};
          if (!Tap::fetch_run(f, v, level, taps, false, q)) Tap::fetch_any(f, v, level, at, taps, q, corner);
          Texel::prepare(f, q.word);
        }
        if (f.axes == 3 && f.borders)
          for (int t = 0; t < 4; ++t) q.border[t] |= out_z;
        const Ints taken = f.axes == 3 && s == 1 ? counted & (weight[2] != 0) : counted;
        const bool first = number == 1 && s == 0;
        Probing::each_channel(f, [&](unsigned channel) HEDDLE_INLINE_LAMBDA {
          const unsigned to = f.compare ? 0 : channel;
          slice[s][to] = quad_value(f, v, channel, q, ref, weight, factor, first, taken, out[to]);
          if (f.reduction != FilterReduction::Weighted) out[to] = slice[s][to];
        });
      }
      if (f.reduction != FilterReduction::Weighted) continue;
      for (int c = 0; c < 4; ++c) {
        if (f.compare && c > 0) {
          out[c] = out[0];
          continue;
        }
        out[c] = slices == 2 ? Texel::lerp(f.finite, slice[0][c], slice[1][c], weight[2], factor[2]) : slice[0][c];
      }
      if (mean)
        for (int c = 0; c < 4; ++c) kept[number - 1][c] = out[c];
    }
    if (mean) Probing::average(f, line, kept, out);
  }

  /// One level of lanes with linear taps in two steps, so that the places of several levels come before the arithmetic
  /// of the first one, which the processor would look at them behind.
  struct Found {
    const Level* level;
    const std::uint8_t* base;
    typename Tap::Row row;
    std::uint32_t lanes;  ///< whose level it is
    Ints index[2];
    Floats factor[2];
  };
  static HEDDLE_APART void find(const StaticState& f, const DynamicState& v, const Level& level, const Point& p,
                                const std::uint8_t (&round)[3], std::uint32_t lanes, Found& to) {
    FixedPosition at;
    to.level = &level;
    to.base = nullptr;
    to.lanes = lanes;
    to.row = find_taps(f, v, level, p, false, round, at, to.base);
    for (int axis = 0; axis < 2; ++axis) {
      to.index[axis] = at.index[axis];
      to.factor[axis] = at.factor[axis];
    }
  }
  static HEDDLE_APART void filter(const StaticState& f, const DynamicState& v, const Point& p,
                                  const std::uint8_t (&round)[3], const Found& from, Floats ref, Words (&out)[4]) {
    FixedPosition place;
    to_texels(f, *from.level, p, false, place);  // for taps that are neither
    for (int axis = 0; axis < 2; ++axis) {
      place.index[axis] = from.index[axis];
      place.factor[axis] = from.factor[axis];
      place.weight[axis] = (Ints)from.factor[axis];  // only whether it is 0 counts
    }
    if (filter_in_place(f, v, from.level->row_pitch, from.row, from.base, place, out)) return;
    Quad q;
    Ints corner{};
    fetch_taps(f, v, *from.level, p, false, round, from.row, from.base, place, q, corner);
    Probing::each_channel(f, [&](unsigned channel) HEDDLE_INLINE_LAMBDA {
      out[f.compare ? 0 : channel] =
          quad_value(f, v, channel, q, ref, place.weight, place.factor, true, Ints{}, Words{});
    });
    if (f.compare) out[1] = out[2] = out[3] = out[0];
  }

  /// FLT-4 over bilinear filters: the taps of all levels are found first.
  static HEDDLE_INLINE void two_levels(const StaticState& f, const DynamicState& v, const Point& p,
                                       const typename LevelOfDetail<W>::Choice& choice, std::uint32_t mask,
                                       std::uint32_t blended, Floats ref, Words (&result)[4]) {
    Found levels[2 * W];
    int count = 0, finer = 0;
    for (int pass = 0; pass < 2; ++pass) {
      for (std::uint32_t rest = pass == 0 ? mask : blended; rest != 0;) {
        const Ints level = pass == 0 ? choice.level[0] : choice.level[1];
        const std::int32_t at = f.one_level ? 0 : Lanes::at(level, __builtin_ctz(rest));
        const std::uint32_t here = f.one_level ? rest : rest & Lanes::bits(level == at);
        find(f, v, v.level[at], p, f.round_min, here, levels[count++]);
        rest &= ~here;
      }
      if (pass == 0) finer = count;
    }
    Words found[2][4]{};
    for (int k = 0; k < count; ++k) {
      Words one[4];
      filter(f, v, p, f.round_min, levels[k], ref, one);
      Words(&to)[4] = found[k < finer ? 0 : 1];
      const bool together = levels[k].lanes == (k < finer ? mask : blended);
      const Ints taken = together ? Ints{} - 1 : Lanes::from_bits(levels[k].lanes);
      for (int c = 0; c < 4; ++c) to[c] = together ? one[c] : Lanes::select(taken, one[c], to[c]);
    }
    const Floats factor = Lanes::to_float(choice.beta) * (1.0f / 256.0f);
    for (int c = 0; c < 4; ++c) {
      const Words x = found[0][c];
      result[c] = blended == 0
                      ? x
                      : Lanes::select(choice.beta != 0, Texel::lerp(f.finite, x, found[1][c], choice.beta, factor), x);
    }
  }
};

}  // namespace
}  // namespace heddle::texture::simd
