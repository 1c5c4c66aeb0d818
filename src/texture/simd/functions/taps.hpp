// SPDX-License-Identifier: MIT
#pragma once
// The taps of one level that all lanes share: GA-3, FLT-2, FLT-3, CUB-4, ADR-8; and how their words are fetched.

#include "texture/simd/functions/coordinates.hpp"
#include "texture/simd/functions/texels.hpp"
#include "texture/simd/functions/window.hpp"

namespace heddle::texture::simd {
namespace {

template <int W>
struct Taps {
  using Lanes = Vector<W>;
  using Coords = Coordinates<W>;
  using Texel = Texels<W>;
  using Floats = typename Lanes::Floats;
  using Ints = typename Lanes::Ints;
  using Words = typename Lanes::Words;
  using Element = typename Texel::Element;

  struct Point {
    Floats coordinate[3]{};
    Words layer{};  ///< array element, or 6 * cube + face
    bool layered = false;
    Words face{};
    Ints offset[3]{};
    Words apart{};           ///< StaticState::apart
    std::uint32_t mask = 0;  ///< lanes whose results are looked at
  };

  /// The bilinear footprint of each lane (GA-3): its taps are at (i, j) to (i + 1, j + 1) of a slice.
  struct Place {
    Ints i, j;
    Words slice;
    bool sliced;  ///< false: there is one slice
  };
  /// Where the texels of footprints lie, after the address modes: the columns of the left and the right taps, the byte
  /// offsets of the upper and the lower row.
  struct Square {
    Ints x0, x1;
    Words row0, row1;
  };

  /// Taps in the order i0j0, i1j0, i0j1, i1j1 (then the same of k1).
  struct Quad {
    Element word[4];
    Ints border[4]{};
  };

  /// A tap at (i, j), i or j outside: moved to the adjoining face. Corners go to `corner`, and to a texel of the face.
  static HEDDLE_INLINE void cross_seam(const Point& p, std::int32_t n, Ints& i, Ints& j, Words& layer, Ints& corner) {
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
    // Which lanes leave the face, across one of its four edges; across two it is a corner.
    const Ints out_i = (Ints)((Words)i >= static_cast<std::uint32_t>(n)),
               out_j = (Ints)((Words)j >= static_cast<std::uint32_t>(n));
    const Ints across = out_i ^ out_j;
    const Ints both = out_i & out_j;
    corner |= both;
    // The entry of the table for the face and the edge.
    const Ints column = Lanes::select(out_i, (i > 0) & 1, 2 + ((j > 0) & 1));
    const Words edge = Lanes::permuted(Lanes::load_bytes(kEdges), (Ints)p.face) >> (Words)(column << 3);
    // The place on the adjoining face: the coordinate along the edge is `k`.
    const Ints k = Lanes::select(out_i, j, i), last = Lanes::splat(n - 1);
    static_assert(kFirst == 0 && kLast == 1 && kSame == 2 && kReversed == 3);
    const auto carry = [&](Words how) HEDDLE_INLINE_LAMBDA {
      const Ints along = Lanes::select((Ints)((how & 2u) != 0u), k, Ints{});
      return Lanes::select((Ints)((how & 1u) != 0u), last - along, along);
    };
    i = Lanes::select(across, carry(edge >> 4), i & ~both);
    j = Lanes::select(across, carry(edge >> 6), j & ~both);
    layer = Lanes::select(across, layer - p.face + (edge & 15u), layer);
  }

  static HEDDLE_INLINE std::uint32_t wrap(bool pow2, std::int32_t i, std::int32_t n) {
    const auto at = static_cast<std::uint32_t>(i), size = static_cast<std::uint32_t>(n);
    if (pow2) return at & (size - 1);
    return at < size ? at : at % size;
  }
  /// The common case: the lanes are on neighboring texels of one row, with one texel and one row behind them, and
  /// with no index so large that the coordinate could be bounded: `base` is the first lane's texel. `close`: or on
  /// texels near to the first lane's, as where a texture is larger than its image; or perhaps in a window, which tests
  /// itself.
  enum class Row { Neither, Run, Close, Window };
  static HEDDLE_INLINE Row find_row(const StaticState& f, const DynamicState& v, const Level& level, const Place& place,
                                    bool close, const std::uint8_t*& base) {
    const auto& [i, j, slice, sliced] = place;
    if (f.blocks || f.apart) return Row::Neither;
    if (close && Window<W>::reaches(f)) return Row::Window;
    constexpr std::uint32_t kMax = 1u << 20;
    const std::int32_t first = i[0];
    // Before anything about the place: lanes at random are hardly ever a run, and a test of their place is a guess.
    const bool run = Lanes::all(i == (Ints)Lanes::iota() + first);
    bool near = run;
    if (close && f.element_bytes == 4 && !Texel::decodes_early(f))
      near = near || Lanes::all((Ints)((Words)i - static_cast<std::uint32_t>(first) < W - 1u));
    if (f.axes > 1) near = near && Lanes::all(j == j[0]);
    if (sliced) near = near && Lanes::all((Ints)(slice == slice[0]));
    if (!near) return Row::Neither;
    // The first lane's texel, wrapped where the mode wraps; it and what the lanes read behind it lie inside the level.
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
    if (!inside || most >= kMax) return Row::Neither;
    // Its address.
    base = v.memory + level.offset + x * f.element_bytes + std::uint64_t{y} * pitch;
    if (sliced) base += std::uint64_t{slice[0]} * level.layer_pitch;
    return run ? Row::Run : Row::Close;
  }
  /// The taps of a run.
  static HEDDLE_INLINE void load_run(const StaticState& f, const DynamicState& v, const Level& level,
                                     const std::uint8_t* base, Quad& q) {
    const std::uint8_t* below = f.axes > 1 ? base + level.row_pitch : base;
    if (Texel::decodes_early(f)) {
      Texel::decode_run(f, v.srgb, base, q.word[0], q.word[1]);
      Texel::decode_run(f, v.srgb, below, q.word[2], q.word[3]);
      return;
    }
    Texel::load_run(f.element_bytes, base, q.word[0]);
    Texel::load_next(f.element_bytes, base, q.word[0], q.word[1]);
    Texel::load_run(f.element_bytes, below, q.word[2]);
    Texel::load_next(f.element_bytes, below, q.word[2], q.word[3]);
  }
  /// What find_row() found. False: the taps are not there.
  static HEDDLE_INLINE bool load_row(const StaticState& f, const DynamicState& v, const Level& level, Row row,
                                     const std::uint8_t* base, const Place& place, Quad& q) {
    const Ints i = place.i;
    if (row == Row::Window) return Window<W>::fetch(f, v, level, i, place.j, place.slice, place.sliced, q.word);
    if (row == Row::Neither) return false;
    if (row == Row::Run) {
      load_run(f, v, level, base, q);
      return true;
    }
    const Ints at = i - i[0];
    const Words upper = Lanes::load_bytes(base), lower = Lanes::load_bytes(f.axes > 1 ? base + level.row_pitch : base);
    q.word[0][0] = Lanes::permuted(upper, at);
    q.word[1][0] = Lanes::permuted(upper, at + 1);
    q.word[2][0] = Lanes::permuted(lower, at);
    q.word[3][0] = Lanes::permuted(lower, at + 1);
    return true;
  }
  static HEDDLE_INLINE bool fetch_run(const StaticState& f, const DynamicState& v, const Level& level,
                                      const Place& place, bool close, Quad& q) {
    const std::uint8_t* base = nullptr;
    const Row row = find_row(f, v, level, place, close, base);
    return load_row(f, v, level, row, base, place, q);
  }

  /// Two neighboring texels of 4 bytes in each of two rows.
  static HEDDLE_INLINE void fetch_pairs(const StaticState& f, const std::uint8_t* base, const Level& level,
                                        AddressMode mode, Ints i, const Square& square, Quad& q) {
    const auto& [x0, x1, row0, row1] = square;
    const std::int32_t last = level.last[0] - 1;
    // Where rows are short, some lane of random ones is often at an edge, which no processor guesses; and the words are
    // near.
    constexpr std::int32_t kShort = 512;  // `last`: the greatest column that has a neighbor
    if ((Lanes::kLoadsLanes && f.slow_gathers) || last < kShort) {
      const Words at = Coords::steps(mode) ? Coords::step(mode, i, x0, (Words)x0 << 2, 4, level, 0) : (Words)x1 << 2;
      q.word[0][0] = Lanes::gather(base, (Ints)row0 + (x0 << 2));
      q.word[1][0] = Lanes::gather(base, (Ints)(row0 + at));
      q.word[2][0] = Lanes::gather(base, (Ints)row1 + (x0 << 2));
      q.word[3][0] = Lanes::gather(base, (Ints)(row1 + at));
      return;
    }
    if (Lanes::all(x1 - x0 == 1)) {
      Lanes::gather_pair(base, (Ints)row0 + (x0 << 2), q.word[0][0], q.word[1][0]);
      Lanes::gather_pair(base, (Ints)row1 + (x0 << 2), q.word[2][0], q.word[3][0]);
      return;
    }
    // At an edge the second texel is not behind the first one: it is the other of the pair, or far away.
    const Ints x = Lanes::min(Lanes::min(x0, x1), Lanes::splat(last));
    const Ints column = Lanes::select(x0 - x > 1, x0 - 1, x);  // wrapped around: the pair of the first texel
    const Ints low0 = x0 == column, low1 = x1 == column;
    const Ints far = ~low1 & (x1 != column + 1);
    const bool some = Lanes::any(far);
    for (int r = 0; r < 2; ++r) {
      const Ints row = (Ints)(r == 0 ? row0 : row1);
      Words low, high;
      Lanes::gather_pair(base, row + (column << 2), low, high);
      q.word[2 * r][0] = Lanes::select(low0, low, high);
      Words second = Lanes::select(low1, low, high);
      if (some) second = Lanes::select(far, Lanes::gather_some(base, row + (x1 << 2), far), second);
      q.word[2 * r + 1][0] = second;
    }
  }

  /// Two neighboring texels of 4 or 8 bytes in each of two rows, a load for each lane and row, which has two texels at
  /// least.
  static HEDDLE_INLINE void load_pairs(const StaticState& f, const std::uint8_t* base, const Level& level,
                                       const Square& square, Quad& q) {
    const auto& [x0, x1, row0, row1] = square;
    const bool wraps = !f.seam[0] && f.mode[0] == AddressMode::Wrap;
    const auto bytes = static_cast<std::uint32_t>(f.element_bytes);
    const Ints column = f.seam[0] ? x0 : Lanes::min(wraps ? x0 : Lanes::min(x0, x1), Lanes::splat(level.last[0] - 1));
    const Words across = (Words)column * bytes;
    Texel::load_neighbors(f.element_bytes, base, (Ints)(row0 + across), q.word[0], q.word[1]);
    Texel::load_neighbors(f.element_bytes, base, (Ints)(row1 + across), q.word[2], q.word[3]);
    if (f.seam[0]) return;
    const Ints high0 = x0 != column;
    // Written out for each word: nothing unrolls loops.
    const auto each_word = [&](auto&& body) HEDDLE_INLINE_LAMBDA {
      body(0);
      if (bytes == 8) body(1);
    };
    if (!wraps) {
      const Ints low1 = x1 == column;
      each_word([&](int w) HEDDLE_INLINE_LAMBDA {
        for (int r = 0; r < 4; r += 2) {
          const Words low = q.word[r][w], high = q.word[r + 1][w];
          q.word[r][w] = Lanes::select(high0, high, low);
          q.word[r + 1][w] = Lanes::select(low1, low, high);
        }
      });
      return;
    }
    // Where the first texel is the last one of its row, the second one is at the row's other end: lane by lane, for
    // there is hardly ever more than one. Without a branch everything behind would wait for this.
    std::uint32_t rest = Lanes::bits(high0);
    if (rest == 0) return;
    each_word([&](int w) HEDDLE_INLINE_LAMBDA {
      q.word[0][w] = Lanes::select(high0, q.word[1][w], q.word[0][w]);
      q.word[2][w] = Lanes::select(high0, q.word[3][w], q.word[2][w]);
    });
    for (; rest != 0; rest &= rest - 1) {
      const Ints here = Lanes::from_bits(rest & -rest);
      const std::uint8_t* upper = base + Lanes::at((Ints)row0, __builtin_ctz(rest));
      const std::uint8_t* lower = base + Lanes::at((Ints)row1, __builtin_ctz(rest));
      each_word([&](int w) HEDDLE_INLINE_LAMBDA {
        q.word[1][w] = Lanes::select(here, Lanes::word_of(upper + 4 * w), q.word[1][w]);
        q.word[3][w] = Lanes::select(here, Lanes::word_of(lower + 4 * w), q.word[3][w]);
      });
    }
  }

  /// The texels of footprints, wherever they are. `corner`: lanes that need CUB-5.
  static HEDDLE_INLINE void fetch_any(const StaticState& f, const DynamicState& v, const Level& level, const Point& p,
                                      const Place& place, Quad& q, Ints& corner) {
    if (f.blocks) return fetch_block_quad(f, v, level, p, place, q, corner);
    fetch_quad(f, v.memory + level.offset, level, p, place, q, corner);
    if (!Texel::decodes_early(f)) return;
    HEDDLE_UNROLLED
    for (int t = 0; t < 4; ++t) Texel::decode_all(f, v.srgb, q.word[t], q.word[t]);
  }
  static HEDDLE_INLINE void fetch_quad(const StaticState& f, const std::uint8_t* base, const Level& level,
                                       const Point& p, const Place& place, Quad& q, Ints& corner) {
    // Cubes whose faces join: where a lane leaves its face, each tap is moved to its own face and gathered.
    if (f.seam[0]) {
      const auto n = static_cast<std::uint32_t>(level.size[0] - 1);
      const Ints inside = (Ints)((Words)place.i < n) & (Ints)((Words)place.j < n);
      if (!Lanes::all(inside)) return fetch_over_seam(f, base, level, p, place, q, corner);
    }
    // The columns and rows of the taps, after the address modes; which of them are outside.
    Ints out_x[2]{}, out_y[2]{};
    Square square = find_square(f, level, place, out_x, out_y);
    if (f.apart) {
      square.row0 += p.apart;
      square.row1 += p.apart;
    }
    fetch_square(f, base, level, place.i, square, q);
    // Which taps are the border color.
    if (f.borders)
      for (int t = 0; t < 4; ++t) q.border[t] = out_x[t & 1] | out_y[t >> 1];
  }

  static HEDDLE_INLINE void fetch_over_seam(const StaticState& f, const std::uint8_t* base, const Level& level,
                                            const Point& p, const Place& place, Quad& q, Ints& corner) {
    for (int t = 0; t < 4; ++t) {
      Ints x = place.i + (t & 1), y = place.j + (t >> 1);
      Words layer = place.slice;
      cross_seam(p, level.size[0], x, y, layer, corner);
      const Words row = layer * level.layer_pitch + (Words)y * level.row_pitch;
      Texel::gather(f.element_bytes, base, (Ints)(row + (Words)x * static_cast<std::uint32_t>(f.element_bytes)),
                    level.limit, q.word[t], f.slow_gathers);
    }
  }

  /// The taps of lanes on neighboring texels, or of pixels in a window: their texels are decoded once, as rows.
  static HEDDLE_INLINE bool fetch_block_rows(const StaticState& f, const DynamicState& v, const Level& level,
                                             const Place& place, Quad& q) {
    constexpr std::uint32_t kMax = 1u << 20, kColumns = W + 1, kPitch = kColumns * 16;
    const auto& [i, j, slice, sliced] = place;
    if (f.axes != 2 || f.apart || W > 16) return false;
    std::uint32_t texels[3 * kColumns * 4];
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(texels);
    const std::uint32_t layer = sliced ? slice[0] : 0;
    if (f.quads) {
      typename Window<W>::Found at;
      if (!Window<W>::find(f, level, i, j, slice, sliced, at)) return false;
      Texel::decode_block_rows(v, level, at.x, at.y, layer, kColumns, 3, texels);
      const Ints first = (at.down * static_cast<std::int32_t>(kColumns) + at.column) * 16;
      HEDDLE_UNROLLED
      for (int t = 0; t < 4; ++t)
        Texel::gather(16, bytes, first + (t & 1) * 16 + (t >> 1) * static_cast<std::int32_t>(kPitch), 0, q.word[t],
                      f.slow_gathers);
      return true;
    }
    if (!Lanes::all((i == (Ints)Lanes::iota() + i[0]) & (j == j[0]))) return false;
    if (sliced && !Lanes::all((Ints)(slice == slice[0]))) return false;
    const bool wraps_x = !f.cube && f.mode[0] == AddressMode::Wrap, wraps_y = !f.cube && f.mode[1] == AddressMode::Wrap;
    const auto column = static_cast<std::uint32_t>(i[0]), row = static_cast<std::uint32_t>(j[0]);
    const std::uint32_t x = wraps_x ? wrap((f.pow2 & 1) != 0, i[0], level.size[0]) : column;
    const std::uint32_t y = wraps_y ? wrap((f.pow2 & 2) != 0, j[0], level.size[1]) : row;
    if (x >= level.inside[0] || y >= level.inside[1] || ((wraps_x ? column : 0) | (wraps_y ? row : 0)) >= kMax)
      return false;
    Texel::decode_block_rows(v, level, x, y, layer, kColumns, 2, texels);
    for (int r = 0; r < 2; ++r) {
      Texel::load_run(16, bytes + r * kPitch, q.word[2 * r]);
      Texel::load_next(16, bytes + r * kPitch, q.word[2 * r], q.word[2 * r + 1]);
    }
    return true;
  }

  /// fetch_quad() for texels that lie in blocks.
  static HEDDLE_INLINE void fetch_block_quad(const StaticState& f, const DynamicState& v, const Level& level,
                                             const Point& p, const Place& place, Quad& q, Ints& corner) {
    if (f.seam[0]) {
      const auto n = static_cast<std::uint32_t>(level.size[0] - 1);
      if (!Lanes::all((Ints)((Words)place.i < n) & (Ints)((Words)place.j < n))) {
        for (int t = 0; t < 4; ++t) {
          Ints x = place.i + (t & 1), y = place.j + (t >> 1);
          Words layer = place.slice;
          cross_seam(p, level.size[0], x, y, layer, corner);
          Texel::decode_blocks(v, level, x, y, layer, p.apart, q.word[t]);
        }
        return;
      }
    }
    if (fetch_block_rows(f, v, level, place, q)) return;
    Ints x[2], y[2]{}, out_x[2]{}, out_y[2]{};
    const auto two = [&](int axis, Ints first, Ints(&at)[2], Ints(&out)[2]) HEDDLE_INLINE_LAMBDA {
      const AddressMode mode = f.mode[axis];
      at[0] = f.seam[0] ? first : Coords::address(f, mode, first, level, axis, out[0]);
      at[1] = f.seam[0] ? first + 1 : Coords::next_address(f, mode, first, at[0], level, axis, out[1]);
    };
    two(0, place.i, x, out_x);
    if (f.axes > 1) two(1, place.j, y, out_y);
    Texel::decode_block_quads(v, level, x, y, place.sliced ? place.slice : Words{}, p.apart, q.word);
    if (f.borders)
      for (int t = 0; t < 4; ++t) q.border[t] = out_x[t & 1] | out_y[t >> 1];
  }

  /// `out_x`, `out_y`: columns and rows that an address mode puts outside.
  static HEDDLE_INLINE Square find_square(const StaticState& f, const Level& level, const Place& place,
                                          Ints (&out_x)[2], Ints (&out_y)[2]) {
    const auto& [i, j, slice, sliced] = place;
    Square at{};
    at.x0 = f.seam[0] ? i : Coords::address(f, f.mode[0], i, level, 0, out_x[0]);
    at.x1 = f.seam[0] ? i + 1 : Coords::next_address(f, f.mode[0], i, at.x0, level, 0, out_x[1]);
    if (f.axes > 1) {
      const bool narrow = level.narrow != 0;
      const Ints y0 = f.seam[0] ? j : Coords::address(f, f.mode[1], j, level, 1, out_y[0]);
      at.row0 = Lanes::multiple(y0, level.row_pitch, narrow);
      if (f.seam[0] || Coords::steps(f.mode[1])) {
        at.row1 =
            f.seam[0] ? at.row0 + level.row_pitch : Coords::step(f.mode[1], j, y0, at.row0, level.row_pitch, level, 1);
        if (f.borders && !f.seam[0]) Coords::next_address(f, f.mode[1], j, y0, level, 1, out_y[1]);
      } else {
        at.row1 =
            Lanes::multiple(Coords::next_address(f, f.mode[1], j, y0, level, 1, out_y[1]), level.row_pitch, narrow);
      }
    }
    // The slice: an array element, a face or a z.
    if (sliced) {
      const Words offset = slice * level.layer_pitch;
      at.row0 += offset;
      at.row1 += offset;
    }
    return at;
  }

  /// The words of a square's texels: by loads of two neighbors, by gathers of pairs, or by one gather for each tap.
  static HEDDLE_INLINE void fetch_square(const StaticState& f, const std::uint8_t* base, const Level& level, Ints i,
                                         const Square& square, Quad& q) {
    // A load for each lane and row takes registers. Two levels have four rows in one function, messages with offsets
    // come in fours, and there are only 16 registers of 256 bits: taps of lanes side by side, which is what such
    // messages are for, would be pushed out to the stack. Texels of 4 bytes are gathered there; those of 8 bytes are
    // loaded lane by lane in any case, each tap for itself or, which also pays for two levels, two at once.
    const bool offset = f.offset[0] != 0 || f.offset[1] != 0;
    const bool two_levels = f.mip == image::MipFilter::Linear && !f.one_level && f.family == OperationKind::Sample;
    const bool pairs_pay = (!two_levels || f.element_bytes == 8) && (W > 8 || !offset);
    if (Lanes::kLoadsLanes && f.slow_gathers && pairs_pay && (f.element_bytes == 4 || f.element_bytes == 8) &&
        level.last[0] > 0)
      return load_pairs(f, base, level, square, q);
    if (f.element_bytes == 4)
      return fetch_pairs(f, base, level, f.seam[0] ? AddressMode::Clamp : f.mode[0], i, square, q);
    const auto& [x0, x1, row0, row1] = square;
    const auto bytes = static_cast<std::uint32_t>(f.element_bytes);
    const Words c0 = (Words)x0 * bytes, c1 = (Words)x1 * bytes;
    Texel::gather(f.element_bytes, base, (Ints)(row0 + c0), level.limit, q.word[0], f.slow_gathers, f.apart);
    Texel::gather(f.element_bytes, base, (Ints)(row0 + c1), level.limit, q.word[1], f.slow_gathers, f.apart);
    Texel::gather(f.element_bytes, base, (Ints)(row1 + c0), level.limit, q.word[2], f.slow_gathers, f.apart);
    Texel::gather(f.element_bytes, base, (Ints)(row1 + c1), level.limit, q.word[3], f.slow_gathers, f.apart);
  }

  /// One channel of the four taps, whose words went through T::prepare(): decoded, border, compared.
  static HEDDLE_APART void values(const StaticState& f, const DynamicState& v, unsigned channel, const Quad& q,
                                  Floats ref, Words (&out)[4]) {
    if (Texel::decodes_early(f))
      for (int t = 0; t < 4; ++t) out[t] = q.word[t][channel];
    else
      Texel::template decode<4>(f.channel[channel], f.integer, q.word, v.srgb, out, Texel::has_triples(f));
    for (int t = 0; t < 4; ++t) {
      if (f.borders) out[t] = Lanes::select(q.border[t], Lanes::splat(v.border[channel]), out[t]);
      if (f.compare) out[t] = Texel::compare(f.function, (Floats)out[t], ref);
    }
  }
};

}  // namespace
}  // namespace heddle::texture::simd
