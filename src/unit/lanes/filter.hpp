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

  /// ANI-1: probes of each lane and the coordinate gradient along the longer axis, 0 where there is one probe.
  struct Line {
    I count = I{} + 1;
    std::int32_t most = 1;
    F gradient[2]{};
  };

  static constexpr int kMostProbes = 16;

  static HEDDLE_INLINE F sqrt(F x) {
#if defined(__clang__)
    return __builtin_elementwise_sqrt(x);
#else
    for (int k = 0; k < W; ++k) x[k] = __builtin_sqrtf(x[k]);
    return x;
#endif
  }

  /// ANI-1: the coordinates of the probe that is `part` of the way along the line.
  static HEDDLE_INLINE void move_along(const Fixed& f, const Line& line, F scale, F part, Point& p) {
    const F at = (part - 0.5f) * scale;
    for (int axis = 0; axis < f.axes && axis < 2; ++axis)
      p.coordinate[axis] = p.coordinate[axis] + line.gradient[axis] * at;
  }
  /// Probe `number` of 1..count.
  static HEDDLE_INLINE void move_to_probe(const Fixed& f, const Line& line, F scale, std::int32_t number, Point& p) {
    F part;  // dividing once is cheaper, and lanes are mostly alike
    if (const std::int32_t count = line.count[0]; V::all(line.count == count))
      part = V::splat(static_cast<float>(number) / static_cast<float>(count + 1));
    else
      part = V::splat(static_cast<float>(number)) / V::to_float(line.count + 1);
    move_along(f, line, scale, part, p);
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
    F factor[3]{};
  };
  static HEDDLE_INLINE void to_texels(const Fixed& f, const Level& level, const Point& p, bool indices, Place& at) {
    each_axis(f.axes, [&](int axis) HEDDLE_INLINE_LAMBDA {
      at.s[axis] = p.coordinate[axis] * (f.non_normalized ? (indices ? 1.0f : C::kParts)
                                         : indices        ? level.count[axis]
                                                          : level.scale[axis] * (C::kParts / 256.0f));
    });
  }
  static HEDDLE_INLINE bool bound(const Fixed& f, bool indices, Place& at) {
    return indices ? C::bound(f.axes, 4194304.0f, at.s) : C::bound_parts(f.axes, at.s);
  }
  static HEDDLE_INLINE void convert(const Fixed& f, const Point& p, bool linear, bool indices,
                                    const std::uint8_t (&round)[3], bool odd, Place& at) {
    const bool moved = !f.cube && f.offset_source != OffsetSource::None;
    each_axis(f.axes, [&](int axis) HEDDLE_INLINE_LAMBDA {
      if (indices)
        at.index[axis] = C::to_index(at.s[axis], round[axis], linear);
      else
        C::to_fixed(at.s[axis], round[axis], odd, moved, at.index[axis], at.weight[axis], at.factor[axis]);
      if (moved) at.index[axis] += p.offset[axis];
    });
  }

  /// The four taps of each lane: where they are. The common case comes before the test for odd coordinates, which it
  /// implies.
  static HEDDLE_PIECE typename P::Row find_taps(const Fixed& f, const Varying& v, const Level& level, const Point& p,
                                                bool indices, const std::uint8_t (&round)[3], Place& at,
                                                const std::uint8_t*& base) {
    const bool close = !indices;
    if (!V::kAddsDown) indices = false;  // as quick
    to_texels(f, level, p, indices, at);
    const bool odd = !V::kConvertsAny && bound(f, indices, at);
    convert(f, p, true, indices, round, odd, at);
    return P::find_row(f, v, level, at.index[0], at.index[1], p.layer, p.layered, close, base);
  }
  /// And their words.
  static HEDDLE_PIECE void fetch_taps(const Fixed& f, const Varying& v, const Level& level, const Point& p,
                                      bool indices, const std::uint8_t (&round)[3], typename P::Row row,
                                      const std::uint8_t* base, Place& at, Quad& q, I& corner) {
    if (!V::kAddsDown) indices = false;
    if (!P::load_row(f, v, level, row, base, at.index[0], at.index[1], p.layer, p.layered, q)) {
      if (V::kConvertsAny && bound(f, indices, at)) convert(f, p, true, indices, round, true, at);
      P::fetch_any(f, v, level, p, at.index[0], at.index[1], p.layer, p.layered, q, corner);
    }
    T::prepare(f, q.word);
  }
  static HEDDLE_PIECE void quad(const Fixed& f, const Varying& v, const Level& level, const Point& p, bool indices,
                                const std::uint8_t (&round)[3], Place& at, Quad& q, I& corner) {
    const std::uint8_t* base = nullptr;
    const typename P::Row row = find_taps(f, v, level, p, indices, round, at, base);
    fetch_taps(f, v, level, p, indices, round, row, base, at, q, corner);
  }

  /// FLT-2.
  static HEDDLE_PIECE void nearest(const Fixed& f, const Varying& v, const Level& level, const Point& p,
                                   const std::uint8_t (&round)[3], F ref, U (&out)[4]) {
    Place at;
    to_texels(f, level, p, true, at);
    bound(f, true, at);
    convert(f, p, false, true, round, false, at);
    I(&index)[3] = at.index;
    I outside{};
    each_axis(f.axes, [&](int axis) HEDDLE_INLINE_LAMBDA {
      index[axis] = C::address(f, f.cube ? 2 : f.mode[axis], index[axis], level, axis, outside);  // CUB-3
    });
    U where = (U)index[0] * static_cast<std::uint32_t>(f.element_bytes);
    if (f.axes > 1) where += (U)index[1] * level.row_pitch;
    if (f.axes > 2) where += (U)index[2] * level.layer_pitch;
    if (p.layered) where += p.layer * level.layer_pitch;
    Words words[1];
    T::fetch(f.element_bytes, v.memory + level.offset, (I)where, level.limit, words[0], f.slow_gathers);
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
      for (int t = 0; t < 4; ++t)
        so_far = first && t == 0 ? value[0] : V::select(counts[t], T::reduce(f, so_far, value[t]), so_far);
      return so_far;
    }
    // A constant stays itself.
    const ChannelKind kind = f.channel[channel].kind;
    if (!f.borders && !f.compare && (kind == ChannelKind::Zero || kind == ChannelKind::One)) return value[0];
    return T::bilinear(f.finite, f.axes == 1, value, weight, factor);
  }

  /// The probes where lanes have as many and all of them have runs as taps: first where each is, then its values. In
  /// one loop the processor would wait for one probe's address with the arithmetic of the probe before.
  static HEDDLE_PIECE bool run_probes(const Fixed& f, const Varying& v, const Level& level, const Point& p,
                                      const Line& line, F scale, const std::uint8_t (&round)[3], F ref,
                                      U (&kept)[kMostProbes][4]) {
    if (!V::all(line.count == line.most)) return false;
    F parts[kMostProbes / W + 1];
    for (int k = 0; k * W < kMostProbes; ++k)
      parts[k] = V::to_float((I)V::iota() + (k * W + 1)) / static_cast<float>(line.most + 1);
    const std::uint8_t* base[kMostProbes];
    F factors[kMostProbes][2];
    for (std::int32_t k = 0; k < line.most; ++k) {
      Point at = p;
      move_along(f, line, scale, V::splat(reinterpret_cast<const float*>(parts)[k]), at);
      Place place;
      to_texels(f, level, at, false, place);
      if (!V::kConvertsAny && bound(f, false, place)) return false;
      convert(f, at, true, false, round, false, place);
      if (P::find_row(f, v, level, place.index[0], place.index[1], p.layer, p.layered, false, base[k]) != P::Row::Run)
        return false;
      factors[k][0] = place.factor[0];
      factors[k][1] = place.factor[1];
    }
    for (std::int32_t k = 0; k < line.most; ++k) {
      Quad q;
      P::load_run(f, v, level, base[k], q);
      T::prepare(f, q.word);
      const F factor[3] = {factors[k][0], factors[k][1], F{}};
      const I weight[3] = {(I)factor[0], (I)factor[1], I{}};  // only whether they are 0 counts
      const auto value = [&](unsigned channel, unsigned to) HEDDLE_INLINE_LAMBDA {
        kept[k][to] = quad_value(f, v, channel, q, ref, weight, factor, true, I{}, U{});
      };
      if (f.compare) {
        value(f.compare_channel, 0);
        continue;
      }
      value(0, 0);
      value(1, 1);
      value(2, 2);
      value(3, 3);
    }
    return true;
  }

  /// FLT-3, ANI-1, RED-1. `corner`: lanes whose taps include a cube's corner; their result is not valid.
  static HEDDLE_PIECE void linear(const Fixed& f, const Varying& v, const Level& level, const Point& p,
                                  const Line& line, const std::uint8_t (&round)[3], F ref, I& corner, U (&out)[4]) {
    const bool probes = f.ratio > 1 && (f.anisotropic_min || f.anisotropic_mag);
    const std::int32_t count = probes ? line.most : 1, slices = f.axes == 3 ? 2 : 1;
    const F scale = probes ? probe_scale(f, level, line) : F{};
    const bool mean = probes && f.reduction == 0;
    U kept[kMostProbes][4];
    if (mean && f.axes == 2 && !f.cube && run_probes(f, v, level, p, line, scale, round, ref, kept))
      return average(f, line, kept, out);
    for (std::int32_t number = 1; number <= count; ++number) {
      Point at = p;
      if (probes) move_to_probe(f, line, scale, number, at);
      const I counted = probes ? line.count >= number : I{} - 1;
      Place place;
      I(&weight)[3] = place.weight;
      Quad q;
      if (f.axes == 3) {
        to_texels(f, level, at, false, place);
        const bool odd = bound(f, false, place);
        convert(f, at, true, false, round, odd, place);
      } else {
        const std::uint8_t* base = nullptr;
        const typename P::Row row = find_taps(f, v, level, at, false, round, place, base);
        if (!probes && f.axes == 2 && T::interleaves(f) && row == P::Row::Run &&
            !V::any(place.factor[0] * place.factor[1] == 0.0f))
          return T::bilinear_floats(base, level.row_pitch, place.factor[0], place.factor[1], out);
        fetch_taps(f, v, level, at, false, round, row, base, place, q, corner);
      }
      const F(&factor)[3] = place.factor;
      U slice[2][4]{};
      for (int s = 0; s < slices; ++s) {
        I out_z{};
        if (f.axes == 3) {
          const U z = (U)C::address(f, f.mode[2], place.index[2] + s, level, 2, out_z);
          q = {};
          if (!P::fetch_run(f, v, level, place.index[0], place.index[1], z, true, false, q))
            P::fetch_any(f, v, level, at, place.index[0], place.index[1], z, true, q, corner);
          T::prepare(f, q.word);
        }
        if (f.axes == 3 && f.borders)
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
      for (int c = 0; c < 4; ++c) {
        if (f.compare && c > 0) {
          out[c] = out[0];
          continue;
        }
        out[c] = slices == 2 ? T::lerp(f.finite, slice[0][c], slice[1][c], weight[2], factor[2]) : slice[0][c];
      }
      if (mean)
        for (int c = 0; c < 4; ++c) kept[number - 1][c] = out[c];
    }
    if (mean) average(f, line, kept, out);
  }

  /// ANI-1: the mean of the probes, in binary64. They are summed here and not one by one: converting is cheaper from
  /// memory, and the sums need no registers meanwhile.
  static HEDDLE_INLINE void average(const Fixed& f, const Line& line, const U (&kept)[kMostProbes][4], U (&out)[4]) {
    const std::int32_t most = line.most;
    const bool alike = V::all(line.count == most);
    D sum[4]{};
    if (alike) {
      for (std::int32_t k = 0; k < most; ++k)
        for (int c = 0; c < 4; ++c)
          if (!f.compare || c == 0) sum[c] += __builtin_convertvector((F)kept[k][c], D);
    } else {
      for (std::int32_t k = 0; k < most; ++k)  // 0 changes no sum: none is -0, for they begin with 0
        for (int c = 0; c < 4; ++c)
          if (!f.compare || c == 0) sum[c] += __builtin_convertvector((F)(kept[k][c] & (U)(line.count > k)), D);
    }
    const D divisor = __builtin_convertvector(line.count, D);
    const bool shifts = alike && (most & (most - 1)) == 0;
    const double part = 1.0 / most;
    for (int c = 0; c < 4; ++c) {
      if (f.compare && c > 0) {
        out[c] = out[0];
        continue;
      }
      // A power of two as the divisor of all lanes: multiplying is exact.
      const F mean = __builtin_convertvector(shifts ? sum[c] * part : sum[c] / divisor, F);
      out[c] = f.finite ? (U)mean : V::select(line.count == 1, kept[0][c], (U)V::canonical(mean));
    }
  }
};

}  // namespace
}  // namespace heddle::unit::lanes
