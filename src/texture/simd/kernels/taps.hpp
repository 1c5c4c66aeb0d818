#pragma once
// The taps of one level that all lanes share: GA-3, FLT-2, FLT-3, CUB-4, ADR-8; and how their words are fetched.

#include "texture/simd/kernels/coordinates.hpp"
#include "texture/simd/kernels/texels.hpp"
#include "texture/simd/kernels/window.hpp"

namespace heddle::texture::simd {
namespace {

template <int W>
struct Taps {
  using V = Vector<W>;
  using C = Coordinates<W>;
  using T = Texels<W>;
  using F = typename V::F;
  using I = typename V::I;
  using U = typename V::U;
  using Words = typename T::Words;

  struct Point {
    F coordinate[3]{};
    U layer{};  ///< array element, or 6 * cube + face
    bool layered = false;
    U face{};
    I offset[3]{};
  };

  /// Taps in the order i0j0, i1j0, i0j1, i1j1 (then the same of k1).
  struct Quad {
    Words word[4];
    I border[4]{};
  };

  /// A tap at (i, j), i or j outside: moved to the adjoining face. Corners go to `corner`, and stay where they are.
  static HEDDLE_INLINE void cross_seam(const Point& p, std::int32_t n, I& i, I& j, U& layer, I& corner) {
    // Rows are faces; columns i = -1, i = n, j = -1, j = n: the adjoining face, then what i and j become.
    constexpr std::int32_t kFirst = 0, kLast = 1, kSame = 2, kReversed = 3;
    constexpr auto e = [](std::int32_t face, std::int32_t at_i, std::int32_t at_j) {
      return static_cast<std::uint8_t>(face | at_i << 4 | at_j << 6);
    };
    alignas(64) static constexpr std::uint8_t kEdges[4 * W] = {
        e(4, kLast, kSame),     e(5, kFirst, kSame),     e(2, kLast, kReversed),  e(3, kLast, kSame),
        e(5, kLast, kSame),     e(4, kFirst, kSame),     e(2, kFirst, kSame),     e(3, kFirst, kReversed),
        e(1, kSame, kFirst),    e(0, kReversed, kFirst), e(5, kReversed, kFirst), e(4, kSame, kFirst),
        e(1, kReversed, kLast), e(0, kSame, kLast),      e(4, kSame, kLast),      e(5, kReversed, kLast),
        e(1, kLast, kSame),     e(0, kFirst, kSame),     e(2, kSame, kLast),      e(3, kSame, kFirst),
        e(0, kLast, kSame),     e(1, kFirst, kSame),     e(2, kReversed, kFirst), e(3, kReversed, kLast)};
    const I out_i = (I)((U)i >= static_cast<std::uint32_t>(n)), out_j = (I)((U)j >= static_cast<std::uint32_t>(n));
    const I across = out_i ^ out_j;
    corner |= out_i & out_j;
    const I column = V::select(out_i, (i > 0) & 1, 2 + ((j > 0) & 1));
    const U edge = V::permuted(V::load_bytes(kEdges), (I)p.face) >> (U)(column << 3);
    const I k = V::select(out_i, j, i), last = V::splat(n - 1);
    const auto carry = [&](I how) HEDDLE_INLINE_LAMBDA {
      return V::select(how == kFirst, I{}, V::select(how == kLast, last, V::select(how == kSame, k, last - k)));
    };
    const I to_i = carry((I)(edge >> 4 & 3u)), to_j = carry((I)(edge >> 6 & 3u));
    const I zero{};
    i = V::select(across, to_i, V::max(V::min(i, last), zero));
    j = V::select(across, to_j, V::max(V::min(j, last), zero));
    layer = V::select(across, layer - p.face + (edge & 15u), layer);
  }

  static HEDDLE_INLINE std::uint32_t wrap(bool pow2, std::int32_t i, std::int32_t n) {
    const auto at = static_cast<std::uint32_t>(i), size = static_cast<std::uint32_t>(n);
    if (pow2) return at & (size - 1);
    return at < size ? at : at % size;
  }
  /// The common case: the lanes are on neighbouring texels of one row, with one texel and one row behind them, and
  /// with no index so large that the coordinate could be bounded: `base` is the first lane's texel. `close`: or on
  /// texels near to the first lane's, as where a texture is larger than its image; or perhaps in a window, which tests
  /// itself.
  enum class Row { Neither, Run, Close, Window };
  static HEDDLE_INLINE Row find_row(const StaticState& f, const DynamicState& v, const Level& level, I i, I j, U slice,
                                    bool sliced, bool close, const std::uint8_t*& base) {
    if (close && Window<W>::reaches(f)) return Row::Window;
    constexpr std::uint32_t kMost = 1u << 20;
    const std::int32_t first = i[0];
    // Before anything about the place: lanes at random are hardly ever a run, and a test of their place is a guess.
    const bool run = V::all(i == (I)V::iota() + first);
    bool near = run;
    if (close && f.element_bytes == 4 && !T::decodes_early(f))
      near = near || V::all((I)((U)i - static_cast<std::uint32_t>(first) < W - 1u));
    if (f.axes > 1) near = near && V::all(j == j[0]);
    if (sliced) near = near && V::all((I)(slice == slice[0]));
    if (!near) return Row::Neither;
    const bool wraps = !f.cube && f.mode[0] == AddressMode::Wrap;
    const std::uint32_t x = wraps ? wrap((f.pow2 & 1) != 0, first, level.size[0]) : static_cast<std::uint32_t>(first);
    bool inside = x < level.inside[0];
    auto most = static_cast<std::uint32_t>(wraps ? first : 0);
    std::uint32_t y = 0, pitch = 0;
    if (f.axes > 1) {
      const std::int32_t row = j[0];
      y = static_cast<std::uint32_t>(row);
      if (!f.cube && f.mode[1] == AddressMode::Wrap) {
        most |= y;
        y = wrap((f.pow2 & 2) != 0, row, level.size[1]);
      }
      inside = inside && y < level.inside[1];
      pitch = level.row_pitch;
    }
    if (!inside || most >= kMost) return Row::Neither;
    base = v.memory + level.offset + x * f.element_bytes + std::uint64_t{y} * pitch;
    if (sliced) base += std::uint64_t{slice[0]} * level.layer_pitch;
    return run ? Row::Run : Row::Close;
  }
  /// The taps of a run.
  static HEDDLE_INLINE void load_run(const StaticState& f, const DynamicState& v, const Level& level,
                                     const std::uint8_t* base, Quad& q) {
    const std::uint8_t* below = f.axes > 1 ? base + level.row_pitch : base;
    if (T::decodes_early(f)) {
      T::decode_run(f, v.srgb, base, q.word[0], q.word[1]);
      T::decode_run(f, v.srgb, below, q.word[2], q.word[3]);
      return;
    }
    T::load_run(f.element_bytes, base, q.word[0]);
    T::load_next(f.element_bytes, base, q.word[0], q.word[1]);
    T::load_run(f.element_bytes, below, q.word[2]);
    T::load_next(f.element_bytes, below, q.word[2], q.word[3]);
  }
  /// What find_row() found. False: the taps are not there.
  static HEDDLE_INLINE bool load_row(const StaticState& f, const DynamicState& v, const Level& level, Row row,
                                     const std::uint8_t* base, I i, I j, U slice, bool sliced, Quad& q) {
    if (row == Row::Window) return Window<W>::fetch(f, v, level, i, j, slice, sliced, q.word);
    if (row == Row::Neither) return false;
    if (row == Row::Run) {
      load_run(f, v, level, base, q);
      return true;
    }
    const I at = i - i[0];
    const U upper = V::load_bytes(base), lower = V::load_bytes(f.axes > 1 ? base + level.row_pitch : base);
    q.word[0][0] = V::permuted(upper, at);
    q.word[1][0] = V::permuted(upper, at + 1);
    q.word[2][0] = V::permuted(lower, at);
    q.word[3][0] = V::permuted(lower, at + 1);
    return true;
  }
  static HEDDLE_INLINE bool fetch_run(const StaticState& f, const DynamicState& v, const Level& level, I i, I j,
                                      U slice, bool sliced, bool close, Quad& q) {
    const std::uint8_t* base = nullptr;
    const Row row = find_row(f, v, level, i, j, slice, sliced, close, base);
    return load_row(f, v, level, row, base, i, j, slice, sliced, q);
  }

  /// Two neighbouring texels of 4 bytes in each of two rows.
  static HEDDLE_INLINE void fetch_pairs(const StaticState& f, const std::uint8_t* base, const Level& level,
                                        AddressMode mode, U row0, U row1, I i, I x0, I x1, Quad& q) {
    const std::int32_t last = level.last[0] - 1;
    // Where rows are short, some lane of random ones is often at an edge, which no processor guesses; and the words are
    // near.
    constexpr std::int32_t kShort = 512;  // `last`: the greatest column that has a neighbour
    if ((V::kLoadsLanes && f.slow_gathers) || last < kShort) {
      const U at = C::steps(mode) ? C::step(mode, i, x0, (U)x0 << 2, 4, level, 0) : (U)x1 << 2;
      q.word[0][0] = V::gather(base, (I)row0 + (x0 << 2));
      q.word[1][0] = V::gather(base, (I)(row0 + at));
      q.word[2][0] = V::gather(base, (I)row1 + (x0 << 2));
      q.word[3][0] = V::gather(base, (I)(row1 + at));
      return;
    }
    if (V::all(x1 - x0 == 1)) {
      V::gather_pair(base, (I)row0 + (x0 << 2), q.word[0][0], q.word[1][0]);
      V::gather_pair(base, (I)row1 + (x0 << 2), q.word[2][0], q.word[3][0]);
      return;
    }
    // At an edge the second texel is not behind the first one: it is the other of the pair, or far away.
    const I x = V::min(V::min(x0, x1), V::splat(last));
    const I column = V::select(x0 - x > 1, x0 - 1, x);  // wrapped around: the pair of the first texel
    const I low0 = x0 == column, low1 = x1 == column;
    const I far = ~low1 & (x1 != column + 1);
    const bool some = V::any(far);
    for (int r = 0; r < 2; ++r) {
      const I row = (I)(r == 0 ? row0 : row1);
      U low, high;
      V::gather_pair(base, row + (column << 2), low, high);
      q.word[2 * r][0] = V::select(low0, low, high);
      U second = V::select(low1, low, high);
      if (some) second = V::select(far, V::gather_some(base, row + (x1 << 2), far), second);
      q.word[2 * r + 1][0] = second;
    }
  }

  /// Two neighbouring texels of 4 or 8 bytes in each of two rows, a load for each lane and row, which has two texels at
  /// least.
  static HEDDLE_INLINE void load_pairs(const StaticState& f, const std::uint8_t* base, const Level& level, U row0,
                                       U row1, I x0, I x1, Quad& q) {
    const bool wraps = !f.seam[0] && f.mode[0] == AddressMode::Wrap;
    const auto bytes = static_cast<std::uint32_t>(f.element_bytes);
    const I column = f.seam[0] ? x0 : V::min(wraps ? x0 : V::min(x0, x1), V::splat(level.last[0] - 1));
    const U across = (U)column * bytes;
    T::load_neighbours(f.element_bytes, base, (I)(row0 + across), q.word[0], q.word[1]);
    T::load_neighbours(f.element_bytes, base, (I)(row1 + across), q.word[2], q.word[3]);
    if (f.seam[0]) return;
    const I high0 = x0 != column;
    // Written out for each word: nothing unrolls loops.
    const auto each_word = [&](auto&& body) HEDDLE_INLINE_LAMBDA {
      body(0);
      if (bytes == 8) body(1);
    };
    if (!wraps) {
      const I low1 = x1 == column;
      each_word([&](int w) HEDDLE_INLINE_LAMBDA {
        for (int r = 0; r < 4; r += 2) {
          const U low = q.word[r][w], high = q.word[r + 1][w];
          q.word[r][w] = V::select(high0, high, low);
          q.word[r + 1][w] = V::select(low1, low, high);
        }
      });
      return;
    }
    // Where the first texel is the last one of its row, the second one is at the row's other end: lane by lane, for
    // there is hardly ever more than one. Without a branch everything behind would wait for this.
    std::uint32_t rest = V::bits(high0);
    if (rest == 0) return;
    each_word([&](int w) HEDDLE_INLINE_LAMBDA {
      q.word[0][w] = V::select(high0, q.word[1][w], q.word[0][w]);
      q.word[2][w] = V::select(high0, q.word[3][w], q.word[2][w]);
    });
    for (; rest != 0; rest &= rest - 1) {
      const I here = V::from_bits(rest & -rest);
      const std::uint8_t* upper = base + V::at((I)row0, __builtin_ctz(rest));
      const std::uint8_t* lower = base + V::at((I)row1, __builtin_ctz(rest));
      each_word([&](int w) HEDDLE_INLINE_LAMBDA {
        q.word[1][w] = V::select(here, V::word_of(upper + 4 * w), q.word[1][w]);
        q.word[3][w] = V::select(here, V::word_of(lower + 4 * w), q.word[3][w]);
      });
    }
  }

  /// The bilinear footprint at (i, j) and (i + 1, j + 1) of one slice (GA-3). `corner`: lanes that need CUB-5.
  static HEDDLE_INLINE void fetch_any(const StaticState& f, const DynamicState& v, const Level& level, const Point& p,
                                      I i, I j, U slice, bool sliced, Quad& q, I& corner) {
    fetch_quad(f, v.memory + level.offset, level, p, i, j, slice, sliced, q, corner);
    if (!T::decodes_early(f)) return;
    HEDDLE_UNROLLED
    for (int t = 0; t < 4; ++t) T::decode_all(f, v.srgb, q.word[t], q.word[t]);
  }
  static HEDDLE_INLINE void fetch_quad(const StaticState& f, const std::uint8_t* base, const Level& level,
                                       const Point& p, I i, I j, U slice, bool sliced, Quad& q, I& corner) {
    const std::int32_t n = level.size[0];
    if (f.seam[0]) {
      const I inside = (I)((U)i < static_cast<std::uint32_t>(n - 1)) & (I)((U)j < static_cast<std::uint32_t>(n - 1));
      if (!V::all(inside)) {
        for (int t = 0; t < 4; ++t) {
          I x = i + (t & 1), y = j + (t >> 1);
          U layer = slice;
          cross_seam(p, n, x, y, layer, corner);
          const U row = layer * level.layer_pitch + (U)y * level.row_pitch;
          T::gather(f.element_bytes, base, (I)(row + (U)x * static_cast<std::uint32_t>(f.element_bytes)), level.limit,
                    q.word[t], f.slow_gathers);
        }
        return;
      }
    }
    I out_x[2]{}, out_y[2]{};
    const I x0 = f.seam[0] ? i : C::address(f, f.mode[0], i, level, 0, out_x[0]);
    const I x1 = f.seam[0] ? i + 1 : C::next_address(f, f.mode[0], i, x0, level, 0, out_x[1]);
    U row0{}, row1{};
    if (f.axes > 1) {
      const bool narrow = level.narrow != 0;
      const I y0 = f.seam[0] ? j : C::address(f, f.mode[1], j, level, 1, out_y[0]);
      row0 = V::multiple(y0, level.row_pitch, narrow);
      if (f.seam[0] || C::steps(f.mode[1])) {
        row1 = f.seam[0] ? row0 + level.row_pitch : C::step(f.mode[1], j, y0, row0, level.row_pitch, level, 1);
        if (f.borders && !f.seam[0]) C::next_address(f, f.mode[1], j, y0, level, 1, out_y[1]);
      } else {
        row1 = V::multiple(C::next_address(f, f.mode[1], j, y0, level, 1, out_y[1]), level.row_pitch, narrow);
      }
    }
    if (sliced) {
      const U at = slice * level.layer_pitch;
      row0 += at;
      row1 += at;
    }
    // A load for each lane and row takes registers. Two levels have four rows in one function, messages with offsets
    // come in fours, and there are only 16 registers of 256 bits: taps of lanes side by side, which is what such
    // messages are for, would be pushed out to the stack. Texels of 4 bytes are gathered there; those of 8 bytes are
    // loaded lane by lane in any case, each tap for itself or, which also pays for two levels, two at once.
    const bool offset = f.offset[0] != 0 || f.offset[1] != 0;
    const bool two_levels = f.mip == image::MipFilter::Linear && !f.one_level && f.family == OpFamily::Sample;
    const bool pairs_pay = (!two_levels || f.element_bytes == 8) && (W > 8 || !offset);
    if (V::kLoadsLanes && f.slow_gathers && pairs_pay && (f.element_bytes == 4 || f.element_bytes == 8) &&
        level.last[0] > 0) {
      load_pairs(f, base, level, row0, row1, x0, x1, q);
    } else if (f.element_bytes == 4) {
      fetch_pairs(f, base, level, f.seam[0] ? AddressMode::Clamp : f.mode[0], row0, row1, i, x0, x1, q);
    } else {
      const auto bytes = static_cast<std::uint32_t>(f.element_bytes);
      const U c0 = (U)x0 * bytes, c1 = (U)x1 * bytes;
      T::gather(f.element_bytes, base, (I)(row0 + c0), level.limit, q.word[0], f.slow_gathers);
      T::gather(f.element_bytes, base, (I)(row0 + c1), level.limit, q.word[1], f.slow_gathers);
      T::gather(f.element_bytes, base, (I)(row1 + c0), level.limit, q.word[2], f.slow_gathers);
      T::gather(f.element_bytes, base, (I)(row1 + c1), level.limit, q.word[3], f.slow_gathers);
    }
    if (f.borders)
      for (int t = 0; t < 4; ++t) q.border[t] = out_x[t & 1] | out_y[t >> 1];
  }

  /// One channel of the four taps, whose words went through T::prepare(): decoded, border, compared.
  static HEDDLE_PIECE void values(const StaticState& f, const DynamicState& v, unsigned channel, const Quad& q, F ref,
                                  U (&out)[4]) {
    if (T::decodes_early(f))
      for (int t = 0; t < 4; ++t) out[t] = q.word[t][channel];
    else
      T::template decode<4>(f.channel[channel], f.integer, q.word, v.srgb, out, T::has_triples(f));
    for (int t = 0; t < 4; ++t) {
      if (f.borders) out[t] = V::select(q.border[t], V::splat(v.border[channel]), out[t]);
      if (f.compare) out[t] = T::compare(f.function, (F)out[t], ref);
    }
  }
};

}  // namespace
}  // namespace heddle::texture::simd
