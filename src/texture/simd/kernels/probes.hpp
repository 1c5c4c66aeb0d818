#pragma once
// The probes of the anisotropic filter (ANI-1): where they are, those that all read runs of texels, and their mean.

#include "texture/simd/kernels/taps.hpp"

namespace heddle::texture::simd {
namespace {

/// How far along the line, from its middle, probe k + 1 of n is: [n - 1][k].
struct ProbeParts {
  alignas(64) float part[16][16]{};
};
constexpr ProbeParts make_probe_parts() {
  ProbeParts parts;
  for (int n = 1; n <= 16; ++n)
    for (int k = 0; k < 16; ++k) parts.part[n - 1][k] = static_cast<float>(k + 1) / static_cast<float>(n + 1) - 0.5f;
  return parts;
}
alignas(64) constexpr ProbeParts kProbeParts = make_probe_parts();

template <int W>
struct Probes {
  using V = Vector<W>;
  using C = Coordinates<W>;
  using T = Texels<W>;
  using P = Taps<W>;
  using F = typename V::F;
  using I = typename V::I;
  using U = typename V::U;
  using D = typename V::D;
  using Words = typename T::Words;
  using Point = typename P::Point;

  static constexpr int kMost = 16;
  using Kept = U[kMost][4];

  /// Probes of each lane and the coordinate gradient along the longer axis, 0 where there is one probe.
  struct Line {
    I count = I{} + 1;
    std::int32_t most = 1;
    F gradient[2]{};
  };

  /// The least n of 2..ratio-1 with small * n * n >= big, else the ratio; 1 where big <= small.
  static HEDDLE_INLINE I count_of(unsigned ratio, F big, F small) {
    F n = V::splat(static_cast<float>(ratio));
    const auto down = [&](unsigned step) HEDDLE_INLINE_LAMBDA {
      if (step + 2 > ratio) return;
      const F less = n - static_cast<float>(step), fewer = V::select(less > 1.0f, less, V::splat(1.0f));
      n = V::select(small * (fewer * fewer) >= big, fewer, n);
    };
    down(8);
    down(4);
    down(2);
    down(1);
    return V::to_int(V::select(big <= small, V::splat(1.0f), n));
  }

  static HEDDLE_INLINE F sqrt(F x) {
#if defined(__clang__)
    return __builtin_elementwise_sqrt(x);
#else
    for (int k = 0; k < W; ++k) x[k] = __builtin_sqrtf(x[k]);
    return x;
#endif
  }
  static HEDDLE_INLINE F scale(const StaticState& f, const Level& level, const Line& line) {
    const F u = f.non_normalized ? line.gradient[0] : line.gradient[0] * (level.scale[0] * (1.0f / 256.0f));
    const F v = f.non_normalized ? line.gradient[1] : line.gradient[1] * (level.scale[1] * (1.0f / 256.0f));
    const F e2 = u * u + v * v;
    const F limit = V::to_float(line.count * line.count * 4);
    const I far = e2 > limit;
    F scale = V::splat(1.0f);
    if (__builtin_expect(static_cast<int>(V::any(far)), 0)) scale = V::select(far, sqrt(limit / e2), scale);
    return scale;
  }
  /// Moves the point to probe `number` of 1..count.
  static HEDDLE_INLINE void move(const StaticState& f, const Line& line, F scale, std::int32_t number, Point& p) {
    F part;  // dividing once is cheaper, and lanes are mostly alike
    if (const std::int32_t count = line.count[0]; V::all(line.count == count))
      part = V::splat(static_cast<float>(number) / static_cast<float>(count + 1));
    else
      part = V::splat(static_cast<float>(number)) / V::to_float(line.count + 1);
    const F at = (part - 0.5f) * scale;
    for (int axis = 0; axis < f.axes && axis < 2; ++axis)
      p.coordinate[axis] = p.coordinate[axis] + line.gradient[axis] * at;
  }

  /// One axis of the line, of all lanes or of one lane in every element. `at`: how far along the line.
  struct Axis {
    F from, gradient;
    I offset;
    float parts;  ///< of the level's size: what Coordinates::to_fixed() takes
    bool round, moved;

    HEDDLE_INLINE bool place(F at, I& index, F& factor) const {
      F s[3] = {(from + gradient * at) * parts, F{}, F{}};
      if (!V::kConvertsAny && C::bound_parts(1, s)) return false;
      I weight;
      C::to_fixed(s[0], round, false, moved, index, weight, factor);
      if (moved) index += offset;
      return true;
    }
    HEDDLE_INLINE Axis of_first() const {
      return {V::splat(from[0]), V::splat(gradient[0]), V::splat(offset[0]), parts, round, moved};
    }
  };
  static HEDDLE_INLINE Axis axis_of(const StaticState& f, const Level& level, const Point& p, const Line& line,
                                    const std::uint8_t (&round)[3], int axis) {
    const float parts = f.non_normalized ? C::kParts : level.scale[axis] * (C::kParts / 256.0f);
    return {p.coordinate[axis], line.gradient[axis],
            p.offset[axis],     parts,
            round[axis] != 0,   f.offset_source != OffsetSource::None};
  }

  /// Texels decoded before probes read them: pieces of W texels of a row.
  struct Decoded {
    static constexpr unsigned kPieces = 4 * kMost;
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
      Words words[1];
      T::load_run(f.element_bytes, d.from[k], words[0]);
      const bool early = T::decodes_early(f);
      if (early)
        T::decode_all(f, v.srgb, words[0], words[0]);
      else
        T::prepare(f, words);
      float* to = d.value + d.to[k];
      each_channel(f, [&](unsigned c) HEDDLE_INLINE_LAMBDA {
        if (constant(f, c)) return;
        U value[1];
        if (early)
          value[0] = words[0][c];
        else
          T::template decode<1>(f.channel[c], f.integer, words, v.srgb, value, T::has_triples(f));
        __builtin_memcpy(to + c * d.channel, value, sizeof value);
      });
    }
  }

  /// The probes where lanes have as many and all of them have runs as taps: first where each is, then the texels, each
  /// decoded once where probes share it, then the filter. In one loop the processor would wait for one probe's address
  /// with the arithmetic of the probe before.
  static HEDDLE_PIECE bool runs(const StaticState& f, const DynamicState& v, const Level& level, const Point& p,
                                const Line& line, F scale, const std::uint8_t (&round)[3], F ref, Kept& kept) {
    const std::int32_t most = line.most;
    if (!V::all(line.count == most)) return false;
    const Axis across = axis_of(f, level, p, line, round, 0), down = axis_of(f, level, p, line, round, 1);
    const float* parts = kProbeParts.part[most - 1];
    // The first lane of all probes.
    constexpr int kVectors = (kMost + W - 1) / W;
    I column[kVectors], row[kVectors];
    const Axis across_first = across.of_first(), down_first = down.of_first();
    for (int k = 0; k < kVectors; ++k) {
      const F at = (F)V::load_bytes(reinterpret_cast<const std::uint8_t*>(parts + k * W)) * scale[0];
      F factor;
      if (!across_first.place(at, column[k], factor) || !down_first.place(at, row[k], factor)) return false;
    }
    const auto* columns = reinterpret_cast<const std::int32_t*>(column);
    const auto* rows = reinterpret_cast<const std::int32_t*>(row);
    // All lie between the first and the last one.
    const std::int32_t x0 = columns[0], x1 = columns[most - 1], y0 = rows[0], y1 = rows[most - 1];
    const std::int32_t left = x0 < x1 ? x0 : x1, top = y0 < y1 ? y0 : y1;
    const bool wraps_x = f.mode[0] == AddressMode::Wrap, wraps_y = f.mode[1] == AddressMode::Wrap;
    const auto greatest = static_cast<std::uint32_t>(x0 | x1 | y0 | y1);
    if (greatest >= 1u << 20) return false;  // such coordinates could be bounded
    const auto width = static_cast<std::uint32_t>((x0 < x1 ? x1 : x0) - left);
    const auto height = static_cast<std::uint32_t>((y0 < y1 ? y1 : y0) - top);
    const std::uint32_t x =
        wraps_x ? P::wrap((f.pow2 & 1) != 0, left, level.size[0]) : static_cast<std::uint32_t>(left);
    const std::uint32_t y = wraps_y ? P::wrap((f.pow2 & 2) != 0, top, level.size[1]) : static_cast<std::uint32_t>(top);
    if (x + width >= level.inside[0] || y + height >= level.inside[1]) return false;

    I unlike = p.layered ? (I)(p.layer ^ p.layer[0]) : I{}, i{}, j{};
    F u{}, w{};
    const bool still_x = V::all(line.gradient[0] == 0.0f), still_y = V::all(line.gradient[1] == 0.0f);
    if ((still_x && !across.place(F{}, i, u)) || (still_y && !down.place(F{}, j, w))) return false;
    F factors[kMost][2];
    for (std::int32_t k = 0; k < most; ++k) {
      const F at = V::splat(parts[k]) * scale;
      if (!still_x) {  // else all of its points are one across
        if (!across.place(at, i, u)) return false;
        unlike |= (i - (I)V::iota()) ^ columns[k];
      }
      if (!still_y) {
        if (!down.place(at, j, w)) return false;
        unlike |= j ^ rows[k];
      }
      factors[k][0] = u;
      factors[k][1] = w;
    }
    if (still_x) unlike |= (i - (I)V::iota()) ^ columns[0];
    if (still_y) unlike |= j ^ rows[0];
    if (V::any(unlike != 0)) return false;

    const std::uint8_t* base = v.memory + level.offset + x * f.element_bytes + std::uint64_t{y} * level.row_pitch;
    if (p.layered) base += std::uint64_t{p.layer[0]} * level.layer_pitch;
    Decoded d;
    I first_tap[kVectors];  // in what is decoded
    const unsigned all = width + W + 1, pieces = (all + W - 1) / W;
    if ((height + 2) * pieces <= static_cast<unsigned>(4 * most)) {
      const unsigned stride = pieces * W;
      d.channel = stride;
      d.lower = 4 * stride;
      for (unsigned r = 0; r < height + 2; ++r, base += level.row_pitch) {
        HEDDLE_FEW
        for (unsigned k = 0; k < pieces; ++k) {
          const unsigned first = k + 1 < pieces ? k * W : all - W;  // not beyond what is inside
          d.add(base + first * f.element_bytes, r * d.lower + first);
        }
      }
      for (int k = 0; k < kVectors; ++k)
        first_tap[k] = (row[k] - top) * static_cast<std::int32_t>(d.lower) + (column[k] - left);
    } else {  // far apart: each has its own
      d.right = 4 * W;
      d.lower = 8 * W;
      for (int k = 0; k < kVectors; ++k) first_tap[k] = ((I)V::iota() + k * W) * (16 * W);
      for (std::int32_t k = 0; k < most; ++k) {
        const std::uint8_t* at = base + static_cast<unsigned>(columns[k] - left) * f.element_bytes +
                                 std::uint64_t{static_cast<unsigned>(rows[k] - top)} * level.row_pitch;
        const unsigned to = static_cast<unsigned>(k) * 16 * W;
        for (unsigned t = 0; t < 4; ++t)
          d.add(at + (t & 1) * f.element_bytes + (t >> 1) * std::uint64_t{level.row_pitch}, to + t * 4 * W);
      }
    }
    decode(f, v, d);

    const auto* first_taps = reinterpret_cast<const std::int32_t*>(first_tap);
    const F one = V::splat(static_cast<float>(most) / static_cast<float>(most));  // which the compiler does not see
    for (std::int32_t k = 0; k < most; ++k) {
      const float* tap = d.value + first_taps[k];
      const F factor[3] = {factors[k][0], factors[k][1], F{}};
      const I weight[3] = {(I)factor[0], (I)factor[1], I{}};  // only whether they are 0 counts
      each_channel(f, [&](unsigned c) HEDDLE_INLINE_LAMBDA {
        U& result = kept[k][f.compare ? 0 : c];
        if (constant(f, c)) {
          result = V::splat(f.channel[c].kind == ChannelKind::Zero ? 0u : 0x3f800000u);
          return;
        }
        const auto load = [&](unsigned step) HEDDLE_INLINE_LAMBDA {
          const U value = V::load_bytes(reinterpret_cast<const std::uint8_t*>(tap + step + c * d.channel));
          return f.compare ? T::compare(f.function, (F)value, ref) : value;
        };
        const U taps[4] = {load(0), load(d.right), load(d.lower), load(d.lower + d.right)};
        result = T::bilinear(f.finite, false, taps, weight, factor, &one);
      });
    }
    return true;
  }

  /// The mean, in binary64. Probes are summed here and not one by one: converting is cheaper from memory, and the sums
  /// need no registers meanwhile.
  static HEDDLE_INLINE void average(const StaticState& f, const Line& line, const Kept& kept, U (&out)[4]) {
    const std::int32_t most = line.most;
    const bool alike = V::all(line.count == most);
    // A power of two as the divisor of all lanes: each may be divided before, which is exact. By fused operations,
    // since processors with adders of their own (AMD's) convert in these.
    const bool shifts = alike && (most & (most - 1)) == 0;
    const D part = D{} + (shifts ? 1.0 / most : 1.0);
    D sum[4]{};
    if (alike) {
      for (std::int32_t k = 0; k < most; ++k)
        for (int c = 0; c < 4; ++c)
          if (!f.compare || c == 0) sum[c] = V::fma(__builtin_convertvector((F)kept[k][c], D), part, sum[c]);
    } else {
      for (std::int32_t k = 0; k < most; ++k)  // 0 changes no sum: none is -0, for they begin with 0
        for (int c = 0; c < 4; ++c)
          if (!f.compare || c == 0)
            sum[c] = V::fma(__builtin_convertvector((F)(kept[k][c] & (U)(line.count > k)), D), part, sum[c]);
    }
    const D divisor = __builtin_convertvector(line.count, D);
    for (int c = 0; c < 4; ++c) {
      if (f.compare && c > 0) {
        out[c] = out[0];
        continue;
      }
      const F mean = __builtin_convertvector(shifts ? sum[c] : sum[c] / divisor, F);
      out[c] = f.finite ? (U)mean : V::select(line.count == 1, kept[0][c], (U)V::canonical(mean));
    }
  }
};

}  // namespace
}  // namespace heddle::texture::simd
