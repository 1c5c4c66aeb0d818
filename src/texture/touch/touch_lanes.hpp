// SPDX-License-Identifier: MIT
#pragma once
// Counts the texels that operations read: the texels that the reference unit tells its observer (FC1: those of weight 0
// too). Not of cubes, whose taps the reference unit counts.

#include "texture/simd/functions/operations.hpp"
#include "texture/touch/touch_entry.hpp"

namespace heddle::texture::simd {
namespace {

template <int W>
struct Touches {
  using Ops = Operations<W>;
  using Lanes = Vector<W>;
  using Coords = Coordinates<W>;
  using Tap = Taps<W>;
  using Filtering = Filter<W>;
  using Probing = Probes<W>;
  using Lod = LevelOfDetail<W>;
  using Floats = typename Lanes::Floats;
  using Ints = typename Lanes::Ints;
  using Words = typename Lanes::Words;
  using Half = typename Lanes::HalfUnaligned;
  using Call = typename Ops::Call;
  using Point = typename Tap::Point;
  using Line = typename Filtering::Line;
  using Position = typename Filtering::FixedPosition;

  struct Counting {
    const Call& call;
    const TouchTarget& to;
    std::uint64_t first = 0;  ///< counter of the level's first element
    std::uint32_t row = 0;    ///< counters from row to row

    HEDDLE_INLINE Counting of(const Level& level) const {
      const int bits = shift(call.f);
      return {call, to, (level.offset - to.base) >> bits, level.row_pitch >> bits};
    }
  };
  /// TouchTarget::shift, which code that is compiled for the state knows.
  static HEDDLE_INLINE int shift(const StaticState& f) { return __builtin_ctz(f.element_bytes); }

  /// Pixels of a block (EXE-4), texel beside texel as they are: where each is, from the first one on.
  static HEDDLE_INLINE Words block_columns() { return ((Lanes::iota() >> 2) << 1) | (Lanes::iota() & 1u); }
  static HEDDLE_INLINE Words block_rows() { return (Lanes::iota() >> 1) & 1u; }

  /// One more for the counters of two rows that have nothing in common. Both are loaded first: where rows are 4096
  /// bytes apart, a processor takes the load of the lower one for a load of what was stored to the upper one, and
  /// waits.
  static HEDDLE_INLINE void add_halves(std::uint32_t* upper, std::uint32_t* lower) {
    const Half above = *reinterpret_cast<const Half*>(upper), below = *reinterpret_cast<const Half*>(lower);
    *reinterpret_cast<Half*>(upper) = above + 1u;
    *reinterpret_cast<Half*>(lower) = below + 1u;
  }
  /// One more for the element of each lane, counted from the level's first one.
  static HEDDLE_INLINE void add_at(std::uint32_t* counts, const Counting& c, Words at, std::uint32_t lanes) {
    if (lanes == 0) return;
    counts += c.first;
    if (lanes == Lanes::kAll) {
      // Pixel on texel, or lanes on neighbors: runs of counters.
      std::uint32_t* const from = counts + at[0];
      const Words steps = at - at[0];
      if (c.call.f.quads && c.row >= W / 2 && Lanes::all((Ints)(steps == block_columns() + block_rows() * c.row))) {
        add_halves(from, from + c.row);
        return;
      }
      if (!c.call.f.quads && Lanes::all((Ints)(steps == Lanes::iota()))) {
        Lanes::store(from, Lanes::load(from) + 1u);
        return;
      }
    }
    std::uint32_t stored[W];
    Lanes::store(stored, at);
    if (lanes == Lanes::kAll) {
      for (int k = 0; k < W; ++k) ++counts[stored[k]];
      return;
    }
    for (std::uint32_t rest = lanes; rest != 0; rest &= rest - 1) ++counts[stored[__builtin_ctz(rest)]];
  }
  /// The same for the element at `offset` bytes of the level.
  static HEDDLE_INLINE void add(std::uint32_t* counts, const Counting& c, Words offset, std::uint32_t lanes) {
    add_at(counts, c, offset >> static_cast<std::uint32_t>(shift(c.call.f)), lanes);
  }

  /// FLT-2.
  static HEDDLE_INLINE void nearest(const Counting& c, const Level& level, const Point& p,
                                    const std::uint8_t (&round)[3], std::uint32_t lanes) {
    const StaticState& f = c.call.f;
    Position at;
    Filtering::to_texels(f, level, p, true, at);
    Filtering::bound(f, true, at);
    Filtering::convert(f, p, false, true, round, false, at);
    Ints outside{};
    each_axis(f.axes, [&](int axis) HEDDLE_INLINE_LAMBDA {
      at.index[axis] = Coords::address(f, f.mode[axis], at.index[axis], level, axis, outside);
    });
    Words where = (Words)at.index[0] * static_cast<std::uint32_t>(f.element_bytes);
    if (f.axes > 1) where += (Words)at.index[1] * level.row_pitch;
    if (f.axes > 2) where += (Words)at.index[2] * level.layer_pitch;
    if (p.layered) where += p.layer * level.layer_pitch;
    add(c.to.texels, c, where, lanes & ~Lanes::bits(outside));
  }

  /// The taps at (i, j) to (i + 1, j + 1) of a slice: one square where they lie side by side, which they mostly do.
  static HEDDLE_INLINE void square(const Counting& c, const Level& level, const typename Tap::Place& place,
                                   std::uint32_t lanes) {
    const StaticState& f = c.call.f;
    Ints out_x[2]{}, out_y[2]{};
    const typename Tap::Square at = Tap::find_square(f, level, place, out_x, out_y);
    const Words c0 = (Words)at.x0 * static_cast<std::uint32_t>(f.element_bytes),
                c1 = (Words)at.x1 * static_cast<std::uint32_t>(f.element_bytes);
    std::uint32_t together = 0;
    if (f.axes > 1) {
      Ints beside =
          (Ints)(c1 - c0 == static_cast<std::uint32_t>(f.element_bytes)) & (Ints)(at.row1 - at.row0 == level.row_pitch);
      if (f.borders) beside &= ~(out_x[0] | out_x[1] | out_y[0] | out_y[1]);
      together = Lanes::bits(beside) & lanes;
      add(c.to.squares, c, at.row0 + c0, together);
    }
    const std::uint32_t apart = lanes & ~together;
    if (apart == 0) return;
    for (int t = 0; t < (f.axes > 1 ? 4 : 2); ++t) {
      const std::uint32_t inside =
          f.borders ? apart & ~Lanes::bits(out_x[t & 1] | (f.axes > 1 ? out_y[t >> 1] : Ints{})) : apart;
      add(c.to.texels, c, ((t >> 1) != 0 ? at.row1 : at.row0) + ((t & 1) != 0 ? c1 : c0), inside);
    }
  }

  /// How many of the lanes `here` are in each column of a window, 64 / W bits for each: not W lanes of 16 in one.
  static HEDDLE_INLINE std::uint64_t lanes_by_column(Ints column, Ints here) {
    using Longs = typename Lanes::Longs;
    const Longs ones = __builtin_convertvector(here & 1, Longs)
                       << __builtin_convertvector((column & (W - 1)) * (64 / W), Longs);
#if defined(__clang__)
    return static_cast<std::uint64_t>(__builtin_reduce_add(ones));
#else
    std::uint64_t sum = 0;
    for (int k = 0; k < W; ++k) sum += static_cast<std::uint64_t>(ones[k]);
    return sum;
#endif
  }
  /// The counters of one row of a window, with what lanes_by_column() says added.
  static HEDDLE_INLINE Words added(const std::uint32_t* row, std::uint64_t columns) {
    const Ints low = (Ints)(Lanes::iota() < W / 2u);
    const Words half = Lanes::select(low, Lanes::splat(static_cast<std::uint32_t>(columns)),
                                     Lanes::splat(static_cast<std::uint32_t>(columns >> 32)));
    constexpr std::uint32_t kBits = 64 / W;
    return Lanes::load(row) + (half >> ((Lanes::iota() & (W / 2u - 1)) * kBits) & ((1u << kBits) - 1));
  }

  /// The squares of lanes in a window of the level: all that there is to do for most pixels.
  static HEDDLE_INLINE bool window(const Counting& c, const Level& level, const typename Tap::Place& place,
                                   std::uint32_t lanes) {
    if (c.call.f.axes != 2 || !Window<W>::reaches(c.call.f)) return false;
    typename Window<W>::Found at;
    if (!Window<W>::find(c.call.f, level, place.i, place.j, place.slice, place.sliced, at)) return false;
    std::uint64_t from = at.x + std::uint64_t{at.y} * c.row;
    if (place.sliced) from += std::uint64_t{place.slice[0]} * (level.layer_pitch >> shift(c.call.f));
    std::uint32_t *const upper = c.to.squares + c.first + from, *const lower = upper + c.row;
    if (lanes == Lanes::kAll) {
      if (Lanes::all((Ints)((Words)at.column == block_columns()) & (Ints)((Words)at.down == block_rows()))) {
        add_halves(upper, lower);
        return true;
      }
      if (W == 16 && Lanes::all((at.column | at.down) == 0)) {
        *upper += W;
        return true;
      }
    }
    const Ints here = Lanes::from_bits(lanes);
    const Words above = added(upper, lanes_by_column(at.column, here & (at.down == 0))),
                below = added(lower, lanes_by_column(at.column, here & (at.down != 0)));
    Lanes::store(upper, above);
    Lanes::store(lower, below);
    return true;
  }

  /// FLT-3, ANI-1, GA-3. Where the taps are is found as Filter does it, so that code that reads and counts them finds
  /// it once.
  static HEDDLE_INLINE void linear(const Counting& c, const Level& level, const Point& p, const Line& line,
                                   bool indices, const std::uint8_t (&round)[3], std::uint32_t lanes) {
    const StaticState& f = c.call.f;
    if (!Lanes::kAddsDown) indices = false;
    const bool probes = f.ratio > 1 && (f.anisotropic_min || f.anisotropic_mag);
    const std::int32_t count = probes ? line.most : 1;
    const Floats scale = probes ? Probing::scale(f, level, line) : Floats{};
    for (std::int32_t number = 1; number <= count; ++number) {
      Point moved = p;
      if (probes) Probing::move(f, line, scale, number, moved);
      const std::uint32_t counted = probes ? lanes & Lanes::bits(line.count >= number) : lanes;
      Position at;
      Filtering::to_texels(f, level, moved, indices, at);
      const bool odd = !Lanes::kConvertsAny && Filtering::bound(f, indices, at);
      Filtering::convert(f, moved, true, indices, round, odd, at);
      if (window(c, level, Filtering::place_of(at, moved), counted)) continue;
      if (Lanes::kConvertsAny && Filtering::bound(f, indices, at))
        Filtering::convert(f, moved, true, indices, round, true, at);
      if (f.axes < 3) {
        square(c, level, {at.index[0], at.index[1], moved.layer, moved.layered}, counted);
        continue;
      }
      for (int s = 0; s < 2; ++s) {
        Ints out_z{};
        const Words z = (Words)Coords::address(f, f.mode[2], at.index[2] + s, level, 2, out_z);
        square(c, level, {at.index[0], at.index[1], z, true}, counted & ~Lanes::bits(out_z));
      }
    }
  }

  static HEDDLE_INLINE void rounding(const StaticState& f, bool magnify, std::uint8_t (&round)[3]) {
    for (int axis = 0; axis < 3; ++axis)
      round[axis] = f.same_filter ? f.round_min[axis] : magnify ? f.round_mag[axis] : f.round_min[axis];
  }

  /// One level's texels of lanes that share it and the filter, as Operations::filter chooses them.
  static HEDDLE_PART void filter(const Counting& all, const Level& level, const Point& p, const Line& line,
                                 bool magnify, std::uint32_t lanes) {
    const StaticState& f = all.call.f;
    const Counting c = all.of(level);
    std::uint8_t round[3];
    rounding(f, magnify, round);
    if (!(f.same_filter ? f.linear_min : magnify ? f.linear_mag : f.linear_min))
      return nearest(c, level, p, round, lanes);
    Line used = line;
    if (f.anisotropic_min != f.anisotropic_mag && !(magnify ? f.anisotropic_mag : f.anisotropic_min)) used = Line{};
    if (f.ratio > 1) used.most = Lanes::greatest(used.count);
    linear(c, level, p, used, false, round, lanes);
  }

  /// use(level, magnify, lanes) for each level and filter that lanes have.
  template <typename Use>
  static HEDDLE_INLINE void each_level(const StaticState& f, Ints levels, Ints magnified, std::uint32_t lanes,
                                       Use&& use) {
    std::uint32_t rest = lanes;
    while (rest != 0) {
      const int lane = __builtin_ctz(rest);
      const std::int32_t at = f.one_level ? 0 : Lanes::at(levels, lane);
      const std::int32_t magnify = f.same_filter ? 0 : Lanes::at(magnified, lane);
      std::uint32_t here = rest;
      if (!f.one_level) here &= Lanes::bits(levels == at);
      if (!f.same_filter) here &= Lanes::bits(magnified == magnify);
      use(at, magnify != 0, here);
      rest &= ~here;
    }
  }

  static HEDDLE_PART void sample(const Counting& c, std::uint32_t mask) {
    const Call& call = c.call;
    const StaticState& f = call.f;
    Point p;
    typename Coords::Face face;
    Ops::read_point(call, Lanes::kAll, p, face);
    Line line;
    if (f.one_level && f.same_filter && f.ratio <= 1) return filter(c, call.v.level[0], p, line, false, mask);
    const typename Lod::Choice choice = Ops::choose_levels(call, face, line);
    const auto level = [&](std::int32_t at, bool magnify, std::uint32_t lanes)
                           HEDDLE_INLINE_LAMBDA { filter(c, call.v.level[at], p, line, magnify, lanes); };
    each_level(f, choice.level[0], choice.magnify, mask, level);
    if (f.mip != MipFilter::Linear) return;
    each_level(f, choice.level[1], choice.magnify, Lanes::bits(choice.beta != 0) & mask, level);  // FLT-4
  }

  static HEDDLE_PART void gather4(const Counting& all, std::uint32_t mask) {
    const Call& call = all.call;
    const StaticState& f = call.f;
    Point p;
    typename Coords::Face face;
    Line line;
    Ops::read_point(call, Lanes::kAll, p, face);
    const auto level = [&](std::int32_t at, bool magnify, std::uint32_t lanes) HEDDLE_INLINE_LAMBDA {
      std::uint8_t round[3];
      rounding(f, magnify, round);
      const Level& l = call.v.level[at];
      linear(all.of(l), l, p, Line{}, true, round, lanes);
    };
    if (f.one_level && f.same_filter) return level(0, true, mask);
    const Ints lod = Ops::read_lod(call, face, line);
    const typename Lod::Choice choice = Lod::choose(f, Lod::range_of(call.v), lod, Lanes::splat(call.v.min_lod), true);
    each_level(f, choice.level[0], choice.magnify, mask, level);
  }

  static HEDDLE_PART void load(const Counting& all, std::uint32_t mask) {
    const Call& call = all.call;
    const StaticState& f = call.f;
    const Words lod = Ops::has_level(f) ? call.word(Param::Lod) : Words{};
    const auto level = [&](std::uint32_t at, Ints inside) HEDDLE_INLINE_LAMBDA {
      const Level& l = call.v.level[at];
      const Words where = Ops::load_place(call, l, inside);
      add(all.to.texels, all.of(l), where, Lanes::bits(inside) & mask);
    };
    if (f.one_level) return level(0, (Ints)(lod == 0u));
    const Ints known =  // LD-3, LD-10
        (Ints)(lod <= static_cast<std::uint32_t>(call.v.mip_count)) & (Ints)(lod >= call.v.unread_levels);
    std::uint32_t rest = mask & Lanes::bits(known);
    while (rest != 0) {
      const auto at = static_cast<std::uint32_t>(Lanes::at((Ints)lod, __builtin_ctz(rest)));
      const Ints here = Lanes::from_bits(rest) & (Ints)(lod == at);
      level(at, here);
      rest &= ~Lanes::bits(here);
    }
  }

  static HEDDLE_INLINE void count(const Call& call, const TouchTarget& to, std::uint32_t mask) {
    const Counting c{call, to};
    if (call.f.family == OperationKind::Sample && to.lanes != nullptr)
      *to.lanes += static_cast<unsigned>(__builtin_popcount(mask));
    switch (call.f.family) {
      case OperationKind::Sample:
        return sample(c, mask);
      case OperationKind::Gather4:
        return gather4(c, mask);
      case OperationKind::Load:
        return load(c, mask);
      case OperationKind::Info:
        return;
    }
  }
};

}  // namespace
}  // namespace heddle::texture::simd
