// SPDX-License-Identifier: MIT
#pragma once
// The texels of lanes that are pixels of a block (EXE-4): where the texture is not much larger than its image on the
// screen, three rows of texels hold all bilinear taps, and two hold the nearest texels.

#include "texture/simd/functions/coordinates.hpp"
#include "texture/simd/functions/texels.hpp"

namespace heddle::texture::simd {
namespace {

template <int W>
struct Window {
  using Lanes = Vector<W>;
  using Texel = Texels<W>;
  using Ints = typename Lanes::Ints;
  using Words = typename Lanes::Words;
  using Element = typename Texel::Element;

  /// Elements of a then b, 0 <= at < 2 * W.
  static HEDDLE_INLINE Words of_both(Words a, Words b, Ints at) {
#if defined(__AVX512F__)
    if constexpr (W == 16) return (Words)_mm512_permutex2var_epi32((__m512i)a, (__m512i)at, (__m512i)b);
#endif
#if defined(__AVX512VL__)
    if constexpr (W == 8) return (Words)_mm256_permutex2var_epi32((__m256i)a, (__m256i)at, (__m256i)b);
#endif
#if defined(__aarch64__)
    if constexpr (W == 8) {
      const uint8x16x4_t table = {Lanes::template four_of<0>(a), Lanes::template four_of<4>(a),
                                  Lanes::template four_of<0>(b), Lanes::template four_of<4>(b)};
      const Words bytes = Lanes::bytes_of(at);
      return Lanes::joined(vqtbl4q_u8(table, Lanes::template four_of<0>(bytes)),
                           vqtbl4q_u8(table, Lanes::template four_of<4>(bytes)));
    }
#endif
    const Ints in = at & (W - 1);
    return Lanes::select(at >= W, Lanes::permuted(b, in), Lanes::permuted(a, in));
  }

  static HEDDLE_INLINE std::uint32_t wrap(bool wraps, bool pow2, std::int32_t i, std::int32_t n) {
    const auto at = static_cast<std::uint32_t>(i), size = static_cast<std::uint32_t>(n);
    if (!wraps) return at;
    return pow2 ? at & (size - 1) : at < size ? at : at % size;
  }

  static HEDDLE_INLINE bool reaches(const StaticState& f) { return f.quads && f.element_bytes <= 4 && f.axes > 1; }
  /// The window has a column more for the right taps. Anisotropic probes need it, whose pixels are two texels apart.
  static HEDDLE_INLINE bool is_wide(const StaticState& f) { return f.ratio > 1; }

  /// Where the window's corner is in its level, and where lanes are in the window.
  struct Found {
    std::uint32_t x = 0, y = 0;
    Ints column, down;
  };
  /// GA-3: the texels at (i, j) to (i + 1, j + 1). False: they are not in one window, which has no texel that an
  /// address mode would move, and no index so large that the coordinate could be bounded.
  static HEDDLE_INLINE bool find(const StaticState& f, const Level& level, Ints i, Ints j, Words slice, bool sliced,
                                 Found& found) {
    constexpr std::uint32_t kMax = 1u << 20;
    // Coordinates mostly grow or shrink evenly, so that the first or the last lane has the least ones.
    const std::int32_t first = i[0] < i[W - 1] ? i[0] : i[W - 1], top = j[0] < j[W - 1] ? j[0] : j[W - 1];
    // The window's corner, wrapped where the mode wraps; the window lies inside the level.
    const bool wraps_x = !f.cube && f.mode[0] == AddressMode::Wrap, wraps_y = !f.cube && f.mode[1] == AddressMode::Wrap;
    const std::uint32_t x = wrap(wraps_x, (f.pow2 & 1) != 0, first, level.size[0]);
    const std::uint32_t y = wrap(wraps_y, (f.pow2 & 2) != 0, top, level.size[1]);
    const auto most = static_cast<std::uint32_t>((wraps_x ? first : 0) | (wraps_y ? top : 0));
    if (x >= level.inside[0] || y >= level.inside[1] || y + 1 >= level.inside[1] || most >= kMax) return false;
    // The taps of all lanes lie in W columns, or one more, three rows and one slice.
    found = {x, y, i - first, j - top};
    Ints here = (Ints)((Words)found.column < (is_wide(f) ? W : W - 1u)) & (Ints)((Words)found.down < 2u);
    if (sliced) here &= (Ints)(slice == slice[0]);
    return Lanes::all(here);
  }

  /// The elements of up to 4 bytes there.
  static HEDDLE_INLINE bool fetch(const StaticState& f, const DynamicState& v, const Level& level, Ints i, Ints j,
                                  Words slice, bool sliced, Element (&word)[4]) {
    Found found;
    if (!find(f, level, i, j, slice, sliced, found)) return false;
    load(f, v, level, found, sliced ? slice[0] : 0, word);
    return true;
  }
  static HEDDLE_INLINE void load(const StaticState& f, const DynamicState& v, const Level& level, const Found& found,
                                 std::uint32_t slice, Element (&word)[4]) {
    const auto& [x, y, column, down] = found;
    const std::uint8_t* base = v.memory + level.offset + x * f.element_bytes + std::uint64_t{y} * level.row_pitch +
                               std::uint64_t{slice} * level.layer_pitch;
    // Three rows of W texels, from which each lane takes its four taps.
    Element upper, middle, lower;
    const auto rows = [&](const std::uint8_t* from) HEDDLE_INLINE_LAMBDA {
      Texel::load_run(f.element_bytes, from, upper);
      Texel::load_run(f.element_bytes, from + level.row_pitch, middle);
      Texel::load_run(f.element_bytes, from + 2 * std::uint64_t{level.row_pitch}, lower);
    };
    const Ints at = column + down * W;
    rows(base);
    word[0][0] = of_both(upper[0], middle[0], at);
    word[2][0] = of_both(middle[0], lower[0], at);
    if (is_wide(f)) rows(base + f.element_bytes);
    const Ints next = is_wide(f) ? at : at + 1;
    word[1][0] = of_both(upper[0], middle[0], next);
    word[3][0] = of_both(middle[0], lower[0], next);
    if (!Texel::decodes_early(f)) return;
    HEDDLE_UNROLLED
    for (int t = 0; t < 4; ++t) Texel::decode_all(f, v.srgb, word[t], word[t]);
  }

  template <int Lane>
  static HEDDLE_INLINE Ints spread(Ints x) {
    return [&]<int... K>(std::integer_sequence<int, K...>) HEDDLE_INLINE_LAMBDA {
      return __builtin_shufflevector(x, x, (K * 0 + Lane)...);
    }(std::make_integer_sequence<int, W>{});
  }
  /// One element of up to 4 bytes for each lane, `where` bytes from `base`: lanes are pixels of a block, or two rows of
  /// invocations, and theirs lie in W elements from the first one of each row on. `limit`: as Level has it.
  static HEDDLE_INLINE bool fetch_rows(const StaticState& f, const std::uint8_t* base, std::int32_t limit, Ints where,
                                       Element& word) {
    const auto bytes = static_cast<std::int32_t>(f.element_bytes);
    const std::int32_t last = (limit + 4 - W * bytes) & -bytes;  // the memory may end within an element
    if (last < 0) return false;
    // Rows grow or shrink evenly: one of their ends is the least.
    const auto start = [&](Ints one, Ints other)
                           HEDDLE_INLINE_LAMBDA { return Lanes::min(Lanes::min(one, other), Lanes::splat(last)); };
    const Ints upper =
        f.quads ? start(spread<0>(where), spread<W - 3>(where)) : start(spread<0>(where), spread<W / 2 - 1>(where));
    const Ints lower =
        f.quads ? start(spread<2>(where), spread<W - 1>(where)) : start(spread<W / 2>(where), spread<W - 1>(where));
    const Words in_upper = (Words)(where - upper), in_lower = (Words)(where - lower);
    const auto size = static_cast<std::uint32_t>(W * bytes);
    const Ints above = (Ints)(in_upper < size);
    if (!Lanes::all(above | (Ints)(in_lower < size))) return false;
    Element first, second;
    Texel::load_run(f.element_bytes, base + upper[0], first);
    Texel::load_run(f.element_bytes, base + lower[0], second);
    const Words at = Lanes::select(above, in_upper, in_lower + size);
    word[0] = of_both(first[0], second[0], (Ints)(at >> (bytes == 4 ? 2u : bytes == 2 ? 1u : 0u)));
    return true;
  }
  /// The elements `where` bytes from the level's first one.
  static HEDDLE_INLINE void fetch_each(const StaticState& f, const std::uint8_t* base, const Level& level, Ints where,
                                       std::uint32_t mask, Element& word) {
    // A gather of 8 takes no longer than to find rows.
    const bool rows = W >= 16 && f.slow_gathers && f.axes > 1 && f.element_bytes <= 4 && !f.apart;
    if (!(rows && f.quads) && Texel::fetch_run(f.element_bytes, base, where, word)) return;
    if (rows && fetch_rows(f, base, level.limit, where, word)) return;
    Texel::fetch_any(f.element_bytes, base, where, mask, level.limit, word, f.slow_gathers, f.apart);
  }
};

}  // namespace
}  // namespace heddle::texture::simd
