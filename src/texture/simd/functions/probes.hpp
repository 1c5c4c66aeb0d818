// SPDX-License-Identifier: MIT
#pragma once
// The probes of the anisotropic filter (ANI-1): where they are, those that all read runs of texels, and their mean.

#include "texture/simd/functions/taps.hpp"

namespace heddle::texture::simd {
namespace {

/// How far along the line, from its middle, probe k + 1 of n is: [n - 1][k]. Behind the last one it is again.
struct ProbeParts {
  alignas(64) float part[16][16]{};
};
constexpr ProbeParts make_probe_parts() {
  ProbeParts parts;
  for (int n = 1; n <= 16; ++n)
    for (int k = 0; k < 16; ++k)
      parts.part[n - 1][k] = static_cast<float>(k < n ? k + 1 : n) / static_cast<float>(n + 1) - 0.5f;
  return parts;
}
alignas(64) constexpr ProbeParts kProbeParts = make_probe_parts();

template <int W>
struct Probes {
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

  static constexpr int kMax = 16;
  using Kept = Words[kMax][4];

  /// Probes of each lane and the coordinate gradient along the longer axis, 0 where there is one probe.
  struct Line {
    Ints count = Ints{} + 1;
    std::int32_t most = 1;
    Floats gradient[2]{};
  };

  static HEDDLE_INLINE Floats sqrt(Floats x) {
#if defined(__clang__)
    return __builtin_elementwise_sqrt(x);
#else
    for (int k = 0; k < W; ++k) x[k] = __builtin_sqrtf(x[k]);
    return x;
#endif
  }
  /// The least n of 2..ratio-1 with small * n * n >= big, else the ratio; 1 where big <= small. It is the whole number
  /// nearest to the root of their quotient or the next one; where `big` is infinite, of the greatest number's, for the
  /// products that reach it are infinite, too.
  static HEDDLE_INLINE Ints count_of(unsigned ratio, Floats big, Floats small) {
    const float most = static_cast<float>(ratio);
    const Floats bounded = Lanes::least(big, 0x1.fffffep127f);
    const Floats root = sqrt(Lanes::least(bounded / small, most * most));  // the ratio's square of 0/0, too
    const Floats near = Lanes::to_float(Lanes::nearest(root));
    const Floats n = Lanes::select(small * (near * near) >= big, near, near + 1.0f);
    return Lanes::to_int(Lanes::select(big <= small, Lanes::splat(1.0f), Lanes::least(n, most)));
  }

  static HEDDLE_INLINE Floats scale(const StaticState& f, const Level& level, const Line& line) {
    const Floats u = f.non_normalized ? line.gradient[0] : line.gradient[0] * (level.scale[0] * (1.0f / 256.0f));
    const Floats v = f.non_normalized ? line.gradient[1] : line.gradient[1] * (level.scale[1] * (1.0f / 256.0f));
    const Floats e2 = u * u + v * v;
    const Floats limit = Lanes::to_float(line.count * line.count * 4);
    const Ints far = e2 > limit;
    Floats scale = Lanes::splat(1.0f);
    if (__builtin_expect(static_cast<int>(Lanes::any(far)), 0)) scale = Lanes::select(far, sqrt(limit / e2), scale);
    return scale;
  }
  /// Moves the point to probe `number` of 1..count.
  static HEDDLE_INLINE void move(const StaticState& f, const Line& line, Floats scale, std::int32_t number, Point& p) {
    Floats part;  // dividing once is cheaper, and lanes are mostly alike
    if (const std::int32_t count = line.count[0]; Lanes::all(line.count == count))
      part = Lanes::splat(static_cast<float>(number) / static_cast<float>(count + 1));
    else
      part = Lanes::splat(static_cast<float>(number)) / Lanes::to_float(line.count + 1);
    const Floats at = (part - 0.5f) * scale;
    for (int axis = 0; axis < f.axes && axis < 2; ++axis)
      p.coordinate[axis] = p.coordinate[axis] + line.gradient[axis] * at;
  }

  /// One axis of the line, of all lanes or of one lane in every element. `at`: how far along the line.
  struct Axis {
    Floats from, gradient;
    Ints offset;
    float parts;  ///< of the level's size: what Coordinates::to_fixed() takes
    bool round, moved;

    HEDDLE_INLINE bool place(Floats at, Ints& index, Floats& factor) const {
      Floats s[3] = {(from + gradient * at) * parts, Floats{}, Floats{}};
      if (!Lanes::kConvertsAny && Coords::bound_parts(1, s)) return false;
      Ints weight;
      Coords::to_fixed(s[0], round, false, moved, index, weight, factor);
      if (moved) index += offset;
      return true;
    }
    HEDDLE_INLINE Axis of_first() const {
      return {Lanes::splat(from[0]), Lanes::splat(gradient[0]), Lanes::splat(offset[0]), parts, round, moved};
    }
  };
  static HEDDLE_INLINE Axis axis_of(const StaticState& f, const Level& level, const Point& p, const Line& line,
                                    const std::uint8_t (&round)[3], int axis) {
    const float parts = f.non_normalized ? Coords::kParts : level.scale[axis] * (Coords::kParts / 256.0f);
    return {p.coordinate[axis], line.gradient[axis],
            p.offset[axis],     parts,
            round[axis] != 0,   f.offset_source != OffsetSource::None};
  }

  /// Texels decoded before probes read them: pieces of W texels of a row.
  struct Decoded {
    static constexpr unsigned kPieces = 4 * kMax;
    const std::uint8_t* from[kPieces];
    std::uint32_t to[kPieces];  ///< in `value`, first channel
    unsigned count = 0;
    unsigned channel = W, right = 1, lower = 0;  ///< steps in `value`
    alignas(64) float value[kPieces * 4 * W];

    HEDDLE_INLINE void add(const std::uint8_t* at, unsigned place) {
      from[count] = at;
      to[count++] = place;
    }
  };

  template <typename Body>
  static HEDDLE_INLINE void each_channel(const StaticState& f, Body&& body) {
    if (f.compare) return body(f.compare_channel);
    body(0u);
    body(1u);
    body(2u);
    body(3u);
  }
  static HEDDLE_INLINE bool constant(const StaticState& f, unsigned channel) {
    const ChannelKind kind = f.channel[channel].kind;
    return !f.compare && (kind == ChannelKind::Zero || kind == ChannelKind::One);
  }
  static HEDDLE_INLINE void decode(const StaticState& f, const DynamicState& v, Decoded& d) {
    for (unsigned k = 0; k < d.count; ++k) {
      Element words[1];
      Texel::load_run(f.element_bytes, d.from[k], words[0]);
      const bool early = Texel::decodes_early(f);
      if (early)
        Texel::decode_all(f, v.srgb, words[0], words[0]);
      else
        Texel::prepare(f, words);
      float* to = d.value + d.to[k];
      each_channel(f, [&](unsigned c) HEDDLE_INLINE_LAMBDA {
        if (constant(f, c)) return;
        Words value[1];
        if (early)
          value[0] = words[0][c];
        else
          Texel::template decode<1>(f.channel[c], f.integer, words, v.srgb, value, Texel::has_triples(f));
        __builtin_memcpy(to + c * d.channel, value, sizeof value);
      });
    }
  }

  static constexpr int kVectors = (kMax + W - 1) / W;

  /// The texel of the first lane at every probe.
  struct FirstLane {
    Ints column[kVectors], row[kVectors];

    [[nodiscard]] HEDDLE_INLINE const std::int32_t* columns() const {
      return reinterpret_cast<const std::int32_t*>(column);
    }
    [[nodiscard]] HEDDLE_INLINE const std::int32_t* rows() const { return reinterpret_cast<const std::int32_t*>(row); }
  };
  /// False where a coordinate may need to be bounded.
  static HEDDLE_INLINE bool place_first_lane(const Axis& across, const Axis& down, const float* parts, Floats scale,
                                             FirstLane& first) {
    const Axis across_first = across.of_first(), down_first = down.of_first();
    for (int k = 0; k < kVectors; ++k) {
      const Floats at = (Floats)Lanes::load_bytes(reinterpret_cast<const std::uint8_t*>(parts + k * W)) * scale[0];
      Floats factor;
      if (!across_first.place(at, first.column[k], factor) || !down_first.place(at, first.row[k], factor)) return false;
    }
    return true;
  }

  /// The texels that the first lanes read.
  struct Box {
    std::int32_t left, top;       ///< as the coordinates have it
    std::uint32_t width, height;  ///< between the first and the last one
    std::uint32_t greatest;       ///< not less than any of its coordinates
  };
  static HEDDLE_INLINE Box box_of(const FirstLane& first, std::int32_t most) {
    // All lie between the first and the last one.
    const std::int32_t x0 = first.columns()[0], x1 = first.columns()[most - 1], y0 = first.rows()[0],
                       y1 = first.rows()[most - 1];
    const std::int32_t left = x0 < x1 ? x0 : x1, top = y0 < y1 ? y0 : y1;
    return {left, top, static_cast<std::uint32_t>((x0 < x1 ? x1 : x0) - left),
            static_cast<std::uint32_t>((y0 < y1 ? y1 : y0) - top), static_cast<std::uint32_t>(x0 | x1 | y0 | y1)};
  }
  /// A coordinate of the box in the level.
  static HEDDLE_INLINE std::uint32_t in_level(const StaticState& f, const Level& level, std::int32_t at, int axis) {
    const bool wraps = f.mode[axis] == AddressMode::Wrap;
    return wraps ? Tap::wrap((f.pow2 >> axis & 1) != 0, at, level.size[axis]) : static_cast<std::uint32_t>(at);
  }

  /// The filter's factors of every probe, across and down.
  using Factors = Floats[kMax][2];

  /// Chooses the texels to decode, each once: the whole box where it is small, else what each tap of each probe reads.
  /// `base`: the first texel of the box; `first_tap`: of each probe, in what is decoded.
  static HEDDLE_INLINE void choose_texels(const StaticState& f, const Level& level, const FirstLane& first,
                                          const Box& box, std::int32_t most, const std::uint8_t* base, Decoded& d,
                                          Ints (&first_tap)[kVectors]) {
    const unsigned all = box.width + W + 1, pieces = (all + W - 1) / W;
    if ((box.height + 2) * pieces <= static_cast<unsigned>(4 * most)) {
      const unsigned stride = pieces * W;
      d.channel = stride;
      d.lower = 4 * stride;
      for (unsigned r = 0; r < box.height + 2; ++r, base += level.row_pitch) {
        HEDDLE_FEW
        for (unsigned k = 0; k < pieces; ++k) {
          const unsigned from = k + 1 < pieces ? k * W : all - W;  // not beyond what is inside
          d.add(base + from * f.element_bytes, r * d.lower + from);
        }
      }
      for (int k = 0; k < kVectors; ++k)
        first_tap[k] = (first.row[k] - box.top) * static_cast<std::int32_t>(d.lower) + (first.column[k] - box.left);
    } else {  // far apart: each has its own
      d.right = 4 * W;
      d.lower = 8 * W;
      for (int k = 0; k < kVectors; ++k) first_tap[k] = ((Ints)Lanes::iota() + k * W) * (16 * W);
      for (std::int32_t k = 0; k < most; ++k) {
        const std::uint8_t* at = base + static_cast<unsigned>(first.columns()[k] - box.left) * f.element_bytes +
                                 std::uint64_t{static_cast<unsigned>(first.rows()[k] - box.top)} * level.row_pitch;
        const unsigned to = static_cast<unsigned>(k) * 16 * W;
        for (unsigned t = 0; t < 4; ++t)
          d.add(at + (t & 1) * f.element_bytes + (t >> 1) * std::uint64_t{level.row_pitch}, to + t * 4 * W);
      }
    }
  }

  /// Filters the four taps of every probe.
  static HEDDLE_INLINE void filter_probes(const StaticState& f, const Decoded& d, const Ints (&first_tap)[kVectors],
                                          const Factors& factors, std::int32_t most, Floats ref, Kept& kept) {
    const auto* first_taps = reinterpret_cast<const std::int32_t*>(first_tap);
    const Floats one =
        Lanes::splat(static_cast<float>(most) / static_cast<float>(most));  // which the compiler does not see
    for (std::int32_t k = 0; k < most; ++k) {
      const float* tap = d.value + first_taps[k];
      const Floats factor[3] = {factors[k][0], factors[k][1], Floats{}};
      const Ints weight[3] = {(Ints)factor[0], (Ints)factor[1], Ints{}};  // only whether they are 0 counts
      each_channel(f, [&](unsigned c) HEDDLE_INLINE_LAMBDA {
        Words& result = kept[k][f.compare ? 0 : c];
        if (constant(f, c)) {
          result = Lanes::splat(f.channel[c].kind == ChannelKind::Zero ? 0u : 0x3f800000u);
          return;
        }
        const auto load = [&](unsigned step) HEDDLE_INLINE_LAMBDA {
          const Words value = Lanes::load_bytes(reinterpret_cast<const std::uint8_t*>(tap + step + c * d.channel));
          return f.compare ? Texel::compare(f.function, (Floats)value, ref) : value;
        };
        const Words taps[4] = {load(0), load(d.right), load(d.lower), load(d.lower + d.right)};
        result = Texel::bilinear(f.finite, false, taps, weight, factor, &one);
      });
    }
  }

  /// The probes where lanes have as many and all of them have runs as taps: first where each is, then the texels, each
  /// decoded once where probes share it, then the filter. In one loop the processor would wait for one probe's address
  /// with the arithmetic of the probe before.
  static HEDDLE_APART bool runs(const StaticState& f, const DynamicState& v, const Level& level, const Point& p,
                                const Line& line, Floats scale, const std::uint8_t (&round)[3], Floats ref,
                                Kept& kept) {
    const std::int32_t most = line.most;
    if (!Lanes::all(line.count == most)) return false;
    const Axis across = axis_of(f, level, p, line, round, 0), down = axis_of(f, level, p, line, round, 1);
    const float* parts = kProbeParts.part[most - 1];
    // Where the first lane of each probe is. The box of the texels that it reads lies inside the level.
    FirstLane first;
    if (!place_first_lane(across, down, parts, scale, first)) return false;
    const Box box = box_of(first, most);
    if (box.greatest >= 1u << 20) return false;  // such coordinates could be bounded
    const std::uint32_t x = in_level(f, level, box.left, 0), y = in_level(f, level, box.top, 1);
    if (x + box.width >= level.inside[0] || y + box.height >= level.inside[1]) return false;

    // The other lanes are on the texels beside the first one, at every probe; their filter factors.
    Ints unlike = p.layered ? (Ints)(p.layer ^ p.layer[0]) : Ints{}, i{}, j{};
    Floats u{}, w{};
    const bool still_x = Lanes::all(line.gradient[0] == 0.0f), still_y = Lanes::all(line.gradient[1] == 0.0f);
    if ((still_x && !across.place(Floats{}, i, u)) || (still_y && !down.place(Floats{}, j, w))) return false;
    Factors factors;
    for (std::int32_t k = 0; k < most; ++k) {
      const Floats at = Lanes::splat(parts[k]) * scale;
      if (!still_x) {  // else all of its points are one across
        if (!across.place(at, i, u)) return false;
        unlike |= (i - (Ints)Lanes::iota()) ^ first.columns()[k];
      }
      if (!still_y) {
        if (!down.place(at, j, w)) return false;
        unlike |= j ^ first.rows()[k];
      }
      factors[k][0] = u;
      factors[k][1] = w;
    }
    if (still_x) unlike |= (i - (Ints)Lanes::iota()) ^ first.columns()[0];
    if (still_y) unlike |= j ^ first.rows()[0];
    if (Lanes::any(unlike != 0)) return false;

    // Their texels, decoded and filtered.
    const std::uint8_t* base = v.memory + level.offset + x * f.element_bytes + std::uint64_t{y} * level.row_pitch;
    if (p.layered) base += std::uint64_t{p.layer[0]} * level.layer_pitch;
    Decoded d;
    Ints first_tap[kVectors];
    choose_texels(f, level, first, box, most, base, d, first_tap);
    decode(f, v, d);
    filter_probes(f, d, first_tap, factors, most, ref, kept);
    return true;
  }

  /// Two probes in every lane whose sum is neither great nor tiny: in binary64 it would be rounded to the same
  /// binary32.
  static HEDDLE_INLINE bool has_short_mean(const StaticState& f, const Line& line) {
    return f.finite && line.most == 2 && Lanes::all(line.count == 2);
  }
  static HEDDLE_INLINE Words mean(Words a, Words b) { return (Words)(((Floats)a + (Floats)b) * 0.5f); }

  /// The mean, in binary64. Probes are summed here and not one by one: converting is cheaper from memory, and the sums
  /// need no registers meanwhile.
  static HEDDLE_INLINE void average(const StaticState& f, const Line& line, const Kept& kept, Words (&out)[4]) {
    const std::int32_t most = line.most;
    const bool alike = Lanes::all(line.count == most);
    // A power of two as the divisor of all lanes: each may be divided before, which is exact. By fused operations,
    // since processors with adders of their own (AMD's) convert in these.
    const bool shifts = alike && (most & (most - 1)) == 0;
    const Doubles part = Doubles{} + (shifts ? 1.0 / most : 1.0);
    Doubles sum[4]{};
    if (alike) {
      for (std::int32_t k = 0; k < most; ++k)
        for (int c = 0; c < 4; ++c)
          if (!f.compare || c == 0)
            sum[c] = Lanes::fma(__builtin_convertvector((Floats)kept[k][c], Doubles), part, sum[c]);
    } else {
      for (std::int32_t k = 0; k < most; ++k)  // 0 changes no sum: none is -0, for they begin with 0
        for (int c = 0; c < 4; ++c)
          if (!f.compare || c == 0)
            sum[c] = Lanes::fma(__builtin_convertvector((Floats)(kept[k][c] & (Words)(line.count > k)), Doubles), part,
                                sum[c]);
    }
    const Doubles divisor = __builtin_convertvector(line.count, Doubles);
    for (int c = 0; c < 4; ++c) {
      if (f.compare && c > 0) {
        out[c] = out[0];
        continue;
      }
      const Floats mean = __builtin_convertvector(shifts ? sum[c] : sum[c] / divisor, Floats);
      out[c] = f.finite ? (Words)mean : Lanes::select(line.count == 1, kept[0][c], (Words)Lanes::canonical(mean));
    }
  }
};

}  // namespace
}  // namespace heddle::texture::simd
