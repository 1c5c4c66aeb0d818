#pragma once
// One level's result for lanes that share the level: FLT-1..3, ANI-1, RED-1, CMP-4.

#include "unit/lanes/taps.hpp"

namespace heddle::unit::lanes {
namespace {

template <int W>
struct Filter {
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
  using Quad = typename P::Quad;

  /// ANI-1: probes of each lane and the coordinate gradient along the longer axis.
  struct Line {
    I count = I{} + 1;
    std::int32_t most = 1;
    F gradient[2]{};
  };

  static HEDDLE_INLINE F sqrt(F x) {
#if defined(__clang__)
    return __builtin_elementwise_sqrt(x);
#else
    for (int k = 0; k < W; ++k) x[k] = __builtin_sqrtf(x[k]);
    return x;
#endif
  }

  /// ANI-1: the coordinates of probe `number` of 1..count.
  static HEDDLE_INLINE void move_to_probe(const Fixed& f, const Line& line, F scale, std::int32_t number, Point& p) {
    const I alone = line.count == 1;
    F part;  // dividing once is cheaper, and lanes are mostly alike
    if (const std::int32_t count = line.count[0]; V::all(line.count == count))
      part = V::splat(static_cast<float>(number) / static_cast<float>(count + 1));
    else
      part = V::splat(static_cast<float>(number)) / V::to_float(line.count + 1);
    const F at = (part - 0.5f) * scale;
    for (int axis = 0; axis < f.axes && axis < 2; ++axis)
      p.coordinate[axis] = V::select(alone, p.coordinate[axis], p.coordinate[axis] + line.gradient[axis] * at);
  }
  static HEDDLE_INLINE F probe_scale(const Fixed& f, const Level& level, const Line& line) {
    const F u = f.non_normalized ? line.gradient[0] : line.gradient[0] * (level.scale[0] * (1.0f / 256.0f));
    const F v = f.non_normalized ? line.gradient[1] : line.gradient[1] * (level.scale[1] * (1.0f / 256.0f));
    const F e2 = u * u + v * v;
    const F limit = V::to_float(line.count * line.count * 4);
    return V::select(e2 > limit, sqrt(limit / e2), V::splat(1.0f));
  }

  /// CRD-1, CRD-4 for every axis. `linear` has weights and the taps of FLT-3, where GA-3 asks for `indices` alone.
  struct Place {
    F s[3]{};
    I index[3]{}, weight[3]{};
  };
  static HEDDLE_INLINE void to_texels(const Fixed& f, const Level& level, const Point& p, bool indices, Place& at) {
    HEDDLE_UNROLLED
    for (int axis = 0; axis < 3; ++axis)
      if (axis < f.axes)
        at.s[axis] = p.coordinate[axis] * (f.non_normalized ? (indices ? 1.0f : 256.0f)
                                           : indices        ? level.count[axis]
                                                            : level.scale[axis]);
  }
  static HEDDLE_INLINE bool bound(const Fixed& f, bool indices, Place& at) {
    return C::bound(f.axes, indices ? 4194304.0f : 1073741824.0f, at.s);
  }
  static HEDDLE_INLINE void convert(const Fixed& f, const Point& p, bool linear, bool indices,
                                    const std::uint8_t (&round)[3], Place& at) {
    HEDDLE_UNROLLED
    for (int axis = 0; axis < 3; ++axis) {
      if (axis >= f.axes) continue;
      if (indices)
        at.index[axis] = C::to_index(at.s[axis], round[axis], linear);
      else
        C::to_fixed(at.s[axis], round[axis], linear, at.index[axis], at.weight[axis]);
      if (!f.cube && f.offset_source != OffsetSource::None) at.index[axis] += p.offset[axis];
    }
  }

  /// The four taps of each lane. The common case comes before the test for odd coordinates, which it implies.
  static HEDDLE_PIECE void quad(const Fixed& f, const Varying& v, const Level& level, const Point& p, bool indices,
                                 const std::uint8_t (&round)[3], Place& at, Quad& q, I& corner) {
    to_texels(f, level, p, indices, at);
    if (!V::kConvertsAny) bound(f, indices, at);
    convert(f, p, true, indices, round, at);
    if (P::fetch_run(f, v, level, at.index[0], at.index[1], p.layer, p.layered, !indices, q)) return;
    if (V::kConvertsAny && bound(f, indices, at)) convert(f, p, true, indices, round, at);
    P::fetch_any(f, v, level, p, at.index[0], at.index[1], p.layer, p.layered, q, corner);
  }

  /// FLT-2.
  static HEDDLE_PIECE void nearest(const Fixed& f, const Varying& v, const Level& level, const Point& p,
                                    const std::uint8_t (&round)[3], F ref, U (&out)[4]) {
    Place at;
    to_texels(f, level, p, true, at);
    bound(f, true, at);
    convert(f, p, false, true, round, at);
    I(&index)[3] = at.index;
    I outside{};
    HEDDLE_UNROLLED
    for (int axis = 0; axis < 3; ++axis) {
      if (axis >= f.axes) continue;
      index[axis] = C::address(f, f.cube ? 2 : f.mode[axis], index[axis], level, axis, outside);  // CUB-3
    }
    U where = (U)index[0] * static_cast<std::uint32_t>(f.element_bytes);
    if (f.axes > 1) where += (U)index[1] * level.row_pitch;
    if (f.axes > 2) where += (U)index[2] * level.layer_pitch;
    if (p.layered) where += p.layer * level.layer_pitch;
    Words words[1];
    T::fetch(f.element_bytes, v.memory + level.offset, (I)where, level.limit, words[0]);
    const auto channel = [&](unsigned c) HEDDLE_INLINE_LAMBDA {
      U value[1];
      T::template decode<1>(f.channel[c], f.integer, words, v.srgb, value);
      if (f.borders) value[0] = V::select(outside, V::splat(v.border[c]), value[0]);
      return value[0];
    };
    if (f.compare) {
      out[0] = out[1] = out[2] = out[3] = T::compare(f.function, (F)channel(f.compare_channel), ref);
      return;
    }
    out[0] = channel(0);
    out[1] = channel(1);
    out[2] = channel(2);
    out[3] = channel(3);
  }

  /// The result of one slice's four taps, or their reduction on top of `so_far`.
  static HEDDLE_PIECE U quad_value(const Fixed& f, const Varying& v, unsigned channel, const Quad& q, F ref,
                                    const I (&weight)[3], const F (&factor)[3], bool first, I counted, U so_far) {
    U value[4];
    P::values(f, v, channel, q, ref, value);
    if (f.reduction != 0) {
      const I u = weight[0] != 0, w = weight[1] != 0;
      const I counts[4] = {counted, counted & u, counted & w, counted & u & w};
      HEDDLE_UNROLLED
      for (int t = 0; t < 4; ++t)
        so_far = first && t == 0 ? value[0] : V::select(counts[t], T::reduce(f, so_far, value[t]), so_far);
      return so_far;
    }
    // A constant stays itself.
    const ChannelKind kind = f.channel[channel].kind;
    if (!f.borders && !f.compare && (kind == ChannelKind::Zero || kind == ChannelKind::One)) return value[0];
    return T::bilinear(f.finite, f.axes == 1, value, weight, factor);
  }

  /// FLT-3, ANI-1, RED-1. `corner`: lanes whose taps include a cube's corner; their result is not valid.
  static HEDDLE_PIECE void linear(const Fixed& f, const Varying& v, const Level& level, const Point& p,
                                   const Line& line, const std::uint8_t (&round)[3], F ref, I& corner, U (&out)[4]) {
    const bool probes = f.ratio > 1 && (f.anisotropic_min || f.anisotropic_mag);
    const std::int32_t count = probes ? line.most : 1, slices = f.axes == 3 ? 2 : 1;
    const F scale = probes ? probe_scale(f, level, line) : F{};
    D sum[4]{};
    U first_probe[4]{};
    for (std::int32_t number = 1; number <= count; ++number) {
      Point at = p;
      if (probes) move_to_probe(f, line, scale, number, at);
      const I counted = probes ? line.count >= number : I{} - 1;
      Place place;
      I(&weight)[3] = place.weight;
      Quad q;
      if (f.axes == 3) {
        to_texels(f, level, at, false, place);
        bound(f, false, place);
        convert(f, at, true, false, round, place);
      } else {
        quad(f, v, level, at, false, round, place, q, corner);
      }
      F factor[3];
      HEDDLE_UNROLLED
      for (int axis = 0; axis < 3; ++axis) factor[axis] = V::to_float(weight[axis]) * (1.0f / 256.0f);
      U slice[2][4]{};
      for (int s = 0; s < slices; ++s) {
        I out_z{};
        if (f.axes == 3) {
          const U z = (U)C::address(f, f.mode[2], place.index[2] + s, level, 2, out_z);
          q = {};
          if (!P::fetch_run(f, v, level, place.index[0], place.index[1], z, true, false, q))
            P::fetch_any(f, v, level, at, place.index[0], place.index[1], z, true, q, corner);
        }
        if (f.axes == 3 && f.borders)
          HEDDLE_UNROLLED
          for (int t = 0; t < 4; ++t) q.border[t] |= out_z;
        const I taken = f.axes == 3 && s == 1 ? counted & (weight[2] != 0) : counted;
        const bool first = number == 1 && s == 0;
        const auto value = [&](unsigned channel, unsigned to) HEDDLE_INLINE_LAMBDA {
          slice[s][to] = quad_value(f, v, channel, q, ref, weight, factor, first, taken, out[to]);
          if (f.reduction != 0) out[to] = slice[s][to];
        };
        if (f.compare) {
          value(f.compare_channel, 0);
        } else {
          value(0, 0);
          value(1, 1);
          value(2, 2);
          value(3, 3);
        }
      }
      if (f.reduction != 0) continue;
      HEDDLE_UNROLLED
      for (int c = 0; c < 4; ++c) {
        if (f.compare && c > 0) {
          out[c] = out[0];
          continue;
        }
        out[c] = slices == 2 ? T::lerp(f.finite, slice[0][c], slice[1][c], weight[2], factor[2]) : slice[0][c];
      }
      if (!probes) continue;
      HEDDLE_UNROLLED
      for (int c = 0; c < 4; ++c) {
        if (f.compare && c > 0) break;
        if (number == 1 && !f.finite) first_probe[c] = out[c];
        // 0 changes no sum: none is -0, for they begin with 0.
        sum[c] += __builtin_convertvector((F)(out[c] & (U)counted), D);
      }
    }
    if (!probes || f.reduction != 0) return;
    const D divisor = __builtin_convertvector(line.count, D);
    const bool shifts = (line.most & (line.most - 1)) == 0 && V::all(line.count == line.most);
    const double part = 1.0 / line.most;
    HEDDLE_UNROLLED
    for (int c = 0; c < 4; ++c) {
      if (f.compare && c > 0) {
        out[c] = out[0];
        continue;
      }
      // A power of two as the divisor of all lanes: multiplying is exact.
      const F mean = __builtin_convertvector(shifts ? sum[c] * part : sum[c] / divisor, F);
      out[c] = f.finite ? (U)mean : V::select(line.count == 1, first_probe[c], (U)V::canonical(mean));
    }
  }
};

}  // namespace
}  // namespace heddle::unit::lanes
