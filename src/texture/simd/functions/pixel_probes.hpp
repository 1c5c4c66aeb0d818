// SPDX-License-Identifier: MIT
#pragma once
// The probes of the anisotropic filter (ANI-1), those of each pixel side by side in vectors: they read neighboring
// texels even where the pixels are far apart in the texture, as they are along the line.

#include "texture/simd/functions/probes.hpp"

namespace heddle::texture::simd {
namespace {

template <int W>
struct PixelProbes {
  using Lanes = Vector<W>;
  using Texel = Texels<W>;
  using Tap = Taps<W>;
  using Coords = Coordinates<W>;
  using Probing = Probes<W>;
  using Floats = typename Lanes::Floats;
  using Ints = typename Lanes::Ints;
  using Words = typename Lanes::Words;
  using Element = typename Texel::Element;
  using Point = typename Tap::Point;
  using Line = typename Probing::Line;
  using Kept = typename Probing::Kept;

  static constexpr int kMaxProbes = Probing::kMax;

#if defined(__AVX512F__)
  static constexpr bool kThere = W == 8 || W == 16;
#elif defined(__AVX2__) || defined(__aarch64__)
  static constexpr bool kThere = W == 8;
#else
  static constexpr bool kThere = false;  // permutations go lane by lane
#endif
  static HEDDLE_INLINE bool fits(const StaticState& f) {
    return kThere && f.element_bytes <= 4 && f.axes == 2 && !f.cube && !f.blocks && !f.apart &&
           f.reduction == FilterReduction::Weighted;
  }

  /// Places for probes of each pixel, a power of two, of which there are W * 2^shift: the pixels' after each other.
  /// Those that a pixel has no probe for repeat its last one.
  struct Places {
    unsigned shift = 0;
    bool alike = true;  ///< pixels have as many probes
    Floats scale;

    [[nodiscard]] HEDDLE_INLINE unsigned vectors() const { return 1u << shift; }
    [[nodiscard]] HEDDLE_INLINE Words lanes(unsigned vector) const { return Lanes::iota() + vector * W; }
    [[nodiscard]] HEDDLE_INLINE Ints pixel(unsigned vector) const { return (Ints)(lanes(vector) >> shift); }

    /// How far along the line the probes of a vector are.
    [[nodiscard]] HEDDLE_INLINE Floats along(const Line& line, unsigned vector, Ints pixel) const {
      const Ints number = (Ints)(lanes(vector) & ((1u << shift) - 1));
      if (alike) {
        const float* parts = kProbeParts.part[line.most - 1] + (vector * W & ((1u << shift) - 1));
        return (Floats)Lanes::permuted(Lanes::load_bytes(reinterpret_cast<const std::uint8_t*>(parts)),
                                       number & (W - 1)) *
               scale;
      }
      return part(number, (Ints)Lanes::permuted((Words)line.count, pixel)) *
             (Floats)Lanes::permuted((Words)scale, pixel);
    }
    /// The same of one probe of every pixel.
    [[nodiscard]] HEDDLE_INLINE Floats along_of(const Line& line, unsigned number) const {
      if (alike) return Lanes::splat(kProbeParts.part[line.most - 1][number]) * scale;
      return part(Lanes::splat(static_cast<std::int32_t>(number)), line.count) * scale;
    }
    static HEDDLE_INLINE Floats part(Ints number, Ints count) {
      return Lanes::to_float(Lanes::min(number + 1, count)) / Lanes::to_float(count + 1) - 0.5f;
    }
    /// The pixels' points, on the line.
    [[nodiscard]] HEDDLE_INLINE Point point(const StaticState& f, const Point& p, const Line& line, unsigned vector,
                                            Ints pixel) const {
      const Floats at = along(line, vector, pixel);
      Point to;
      to.layered = p.layered;
      if (p.layered) to.layer = Lanes::permuted(p.layer, pixel);
      for (int axis = 0; axis < 2; ++axis) {
        to.coordinate[axis] = (Floats)Lanes::permuted((Words)p.coordinate[axis], pixel) +
                              (Floats)Lanes::permuted((Words)line.gradient[axis], pixel) * at;
        to.offset[axis] = f.offset_source == OffsetSource::None || f.offset_source == OffsetSource::Immediate
                              ? p.offset[axis]
                              : (Ints)Lanes::permuted((Words)p.offset[axis], pixel);
      }
      return to;
    }
  };
  static HEDDLE_INLINE Places places_of(const Line& line, Floats scale) {
    Places to;
    to.shift = 32u - static_cast<unsigned>(__builtin_clz(static_cast<unsigned>(line.most - 1)));
    to.alike = Lanes::all(line.count == line.most) && Lanes::all(scale == scale[0]);
    to.scale = scale;
    return to;
  }

  /// The texels that vectors read, where they lie within W columns and few rows, none of which an address mode moves,
  /// with no index so large that the coordinate could be bounded.
  struct Boxes {
    static constexpr int kParts = (kMaxProbes + W - 1) / W;  ///< vectors of a pixel
    std::uint32_t inside[kParts];                            ///< bit k: pixel k, and those that share its vector
    Ints left[kParts], top[kParts], height[kParts];
    Words offset[kParts];  ///< of the first texel, from the level's

    [[nodiscard]] static HEDDLE_INLINE unsigned part_of(unsigned vector, unsigned shift) {
      return W >> shift != 0 ? 0 : vector & ((1u << shift) / W - 1);
    }
    [[nodiscard]] static HEDDLE_INLINE unsigned pixel_of(unsigned vector, unsigned shift) {
      return vector * W >> shift;
    }
  };
  /// For all pixels at once, from their first and last probes: the others are between them, for rounding keeps order.
  /// `index`: columns and rows of points. False: most vectors have none, as of steep lines, whose probes have a row
  /// each. They are better off with the probes of different pixels in a vector, which share cache lines.
  template <typename Index>
  static HEDDLE_INLINE bool find_boxes(const StaticState& f, const Level& level, const Point& p, const Line& line,
                                       const Places& places, const Index& index, Boxes& boxes) {
    constexpr std::uint32_t kMax = 1u << 20, kRows = W == 16 ? 11 : 8;  // from where gathers cost less
    const unsigned each = 1u << places.shift, parts = each > W ? each / W : 1;
    int found = 0;
    for (unsigned part = 0; part < parts; ++part) {
      Ints first[2], last[2];
      const auto at = [&](unsigned number, Ints(&to)[2]) HEDDLE_INLINE_LAMBDA {
        const Floats along = places.along_of(line, number);
        Point on = p;
        for (int axis = 0; axis < 2; ++axis) on.coordinate[axis] = p.coordinate[axis] + line.gradient[axis] * along;
        index(on, to);
      };
      at(part * W, first);
      at(part * W + (each < W ? each : W) - 1, last);
      Ints left = Lanes::min(first[0], last[0]), right = Lanes::max(first[0], last[0]);
      Ints top = Lanes::min(first[1], last[1]), bottom = Lanes::max(first[1], last[1]);
      Ints ok = Ints{} - 1;
      const auto with = [&]<int Distance>(std::integral_constant<int, Distance>) HEDDLE_INLINE_LAMBDA {
        if (W >> places.shift <= Distance) return;  // pixels of one vector
        left = Lanes::min(left, Lanes::template swapped<Distance>(left));
        right = Lanes::max(right, Lanes::template swapped<Distance>(right));
        top = Lanes::min(top, Lanes::template swapped<Distance>(top));
        bottom = Lanes::max(bottom, Lanes::template swapped<Distance>(bottom));
        if (p.layered) ok &= (Ints)(p.layer == (Words)Lanes::template swapped<Distance>((Ints)p.layer));
      };
      with(std::integral_constant<int, 1>{});
      with(std::integral_constant<int, 2>{});
      with(std::integral_constant<int, 4>{});
      if (p.layered)
        for (int distance = 2; distance < (W >> places.shift); distance *= 2)
          ok &= distance == 2 ? Lanes::template swapped<2>(ok) : Lanes::template swapped<4>(ok);
      const Ints height = bottom - top;
      const auto in_level = [&](Ints place, int axis) HEDDLE_INLINE_LAMBDA {
        if (f.mode[axis] != AddressMode::Wrap) return place;
        ok &= (Ints)((Words)place < kMax);
        Ints none{};
        return Coords::address(f, AddressMode::Wrap, place, level, axis, none);
      };
      const Ints x = in_level(left, 0), y = in_level(top, 1);
      ok &= (Ints)((Words)x < level.inside[0]) & (Ints)((Words)(y + height) < level.inside[1]) & (Ints)(y >= 0);
      ok &= (Ints)((Words)(right - left) < static_cast<std::uint32_t>(W)) & (Ints)((Words)height < kRows);
      boxes.inside[part] = Lanes::bits(ok);
      found += __builtin_popcount(boxes.inside[part]);
      boxes.left[part] = left;
      boxes.top[part] = top;
      boxes.height[part] = height;
      boxes.offset[part] = (Words)x * static_cast<std::uint32_t>(f.element_bytes) + (Words)y * level.row_pitch;
      if (p.layered) boxes.offset[part] += p.layer * level.layer_pitch;
    }
    return 2 * found >= static_cast<int>(parts * W);
  }
  /// The taps of a vector with a box.
  static HEDDLE_INLINE void fetch(const StaticState& f, const DynamicState& v, const Level& level, const Boxes& boxes,
                                  unsigned part, unsigned pixel, Ints i, Ints j, Element (&word)[4]) {
    const auto of = [&](const auto& lanes)
                        HEDDLE_INLINE_LAMBDA { return reinterpret_cast<const std::int32_t*>(&lanes[part])[pixel]; };
    const Ints column = i - of(boxes.left);
    const std::int32_t height = of(boxes.height);
    const std::uint8_t* from = v.memory + level.offset + static_cast<std::uint32_t>(of(boxes.offset));
    const auto row = [&](Words& first, Words& second) HEDDLE_INLINE_LAMBDA {
      Element words;
      Texel::load_run(f.element_bytes, from, words);
      first = Lanes::permuted(words[0], column);
      Texel::load_run(f.element_bytes, from + f.element_bytes, words);
      second = Lanes::permuted(words[0], column);
      from += level.row_pitch;
    };
    row(word[0][0], word[1][0]);
    row(word[2][0], word[3][0]);
    if (height != 0) {
      const Ints down = j - of(boxes.top);
      HEDDLE_FEW
      for (std::int32_t r = 1; r <= height; ++r) {
        const Ints at = down == r, below = down >= r;
        word[0][0] = Lanes::select(at, word[2][0], word[0][0]);
        word[1][0] = Lanes::select(at, word[3][0], word[1][0]);
        Words first, second;
        row(first, second);
        word[2][0] = Lanes::select(below, first, word[2][0]);
        word[3][0] = Lanes::select(below, second, word[3][0]);
      }
    }
    if (!Texel::decodes_early(f)) return;
    HEDDLE_UNROLLED
    for (int t = 0; t < 4; ++t) Texel::decode_all(f, v.srgb, word[t], word[t]);
  }

  /// From vectors of places to vectors of pixels, one for each probe.
  static HEDDLE_INLINE void sort(const StaticState& f, unsigned shift, const Kept& from, Kept& to) {
    switch (shift) {
      case 1:
        return sort_each<2>(f, from, to);
      case 2:
        return sort_each<4>(f, from, to);
      case 3:
        return sort_each<8>(f, from, to);
      default:
        return sort_each<16>(f, from, to);
    }
  }

 private:
  template <int Count>
  static HEDDLE_INLINE void sort_each(const StaticState& f, const Kept& from, Kept& to) {
    constexpr int kParts = Count > W ? Count / W : 1, kEach = Count / kParts;
    for (int c = 0; c < (f.compare ? 1 : 4); ++c)
      for (int part = 0; part < kParts; ++part) {
        Words x[kEach];
        HEDDLE_UNROLLED
        for (int k = 0; k < kEach; ++k) x[k] = from[k * kParts + part][c];
        split<kEach, 1>(x, [&](int k, Words value) HEDDLE_INLINE_LAMBDA { to[part * kEach + k][c] = value; }, 0);
      }
  }
  /// The lanes of `x` after each other are those of Count vectors, one lane of each in turn: `body` gets those vectors.
  template <int Count, int Step, typename Body>
  static HEDDLE_INLINE void split(const Words (&x)[Count], const Body& body, int first) {
    if constexpr (Count == 1) {
      body(first, x[0]);
    } else {
      Words even[Count / 2], odd[Count / 2];
      HEDDLE_UNROLLED
      for (int k = 0; k < Count / 2; ++k) {
        even[k] = Lanes::template evens<1>(x[2 * k], x[2 * k + 1]);
        odd[k] = Lanes::template odds<1>(x[2 * k], x[2 * k + 1]);
      }
      split<Count / 2, 2 * Step>(even, body, first);
      split<Count / 2, 2 * Step>(odd, body, first + Step);
    }
  }
};

}  // namespace
}  // namespace heddle::texture::simd
