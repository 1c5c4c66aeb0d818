// SPDX-License-Identifier: MIT
#pragma once
// The operations over lanes: SAM, LD, GA, RES, SIN.

#include "texture/simd/functions/filter.hpp"
#include "texture/simd/functions/lod.hpp"

namespace heddle::texture::simd {
namespace {

using image::SurfaceType;

template <int W>
struct Operations {
  using Lanes = Vector<W>;
  using Coords = Coordinates<W>;
  using Texel = Texels<W>;
  using Tap = Taps<W>;
  using Filtering = Filter<W>;
  using Lod = LevelOfDetail<W>;
  using Floats = typename Lanes::Floats;
  using Ints = typename Lanes::Ints;
  using Words = typename Lanes::Words;
  using Point = typename Tap::Point;
  using Line = typename Filtering::Line;

  /// What an entry point was given; `first`: lanes before these, `stride`: words between channels of `out`.
  struct Call {
    const StaticState& f;
    const DynamicState& v;
    const Inputs& in;
    int first;
    int stride;
    std::uint32_t* out;
    void* thread;

    HEDDLE_INLINE Words word(Param param) const {
      const std::uint32_t* from = in.param[static_cast<unsigned>(param)];
      return from != nullptr ? Lanes::load(from + first) : Words{};
    }
    HEDDLE_INLINE Floats value(Param param) const { return (Floats)word(param); }
    /// How far each lane's texels lie from the state's.
    HEDDLE_INLINE Words apart() const { return f.apart ? Lanes::load(in.apart + first) : Words{}; }
    HEDDLE_INLINE void store(unsigned channel, Words x) const {
      if ((f.unread >> channel & 1u) != 0) return;
      Lanes::store(out + channel * static_cast<unsigned>(stride) + static_cast<unsigned>(first), x);
    }
  };

  static HEDDLE_INLINE void store_zero(const Call& call) {
    for (unsigned c = 0; c < 4; ++c) call.store(c, Words{});
  }

  /// CRD-5, SUR-4, CRD-4, GA-8, CUB-1.
  static HEDDLE_INLINE void read_point(const Call& call, std::uint32_t mask, Point& p, typename Coords::Face& face) {
    const StaticState& f = call.f;
    p.mask = mask;
    const Floats c[3] = {call.value(Param::U), call.value(Param::V), call.value(Param::R)};
    p.coordinate[0] = c[0];
    p.coordinate[1] = c[1];
    p.coordinate[2] = c[2];
    p.layered = f.index_source != IndexSource::None;
    p.apart = call.apart();
    const auto below_last = [&](Words index) HEDDLE_INLINE_LAMBDA {
      return (Words)Lanes::min((Ints)index, Lanes::splat(static_cast<std::int32_t>(call.v.last_index)));
    };
    switch (f.index_source) {
      case IndexSource::None:
        break;
      case IndexSource::V:
        p.layer = Coords::array_index(c[1], call.v.last_index);
        break;
      case IndexSource::R:
        p.layer = Coords::array_index(c[2], call.v.last_index);
        break;
      case IndexSource::Ai:
        p.layer = Coords::array_index(call.value(Param::Ai), call.v.last_index);
        break;
      case IndexSource::Packed12:
        p.layer = below_last(call.word(f.packed_param) & 0xfffu);
        break;
      case IndexSource::Packed9:
        p.layer = below_last(call.word(f.packed_param) & 0x1ffu);
        break;
    }
    if (f.cube) {
      face = Coords::cube_face(c[0], c[1], c[2]);
      p.face = face.face;
      p.layer = p.layer * 6u + face.face;
      p.layered = true;
      p.coordinate[0] = face.s;
      p.coordinate[1] = face.t;
      return;
    }
    const auto packed = [&]() HEDDLE_INLINE_LAMBDA { return call.word(f.packed_param); };
    switch (f.offset_source) {
      case OffsetSource::None:
        break;
      case OffsetSource::Immediate:
        for (int axis = 0; axis < 3; ++axis) p.offset[axis] = Lanes::splat(static_cast<std::int32_t>(f.offset[axis]));
        break;
      case OffsetSource::Lanes:
        p.offset[0] = Coords::template signed_field<0, 6>(call.word(Param::OffU));
        p.offset[1] = Coords::template signed_field<0, 6>(call.word(Param::OffV));
        break;
      case OffsetSource::GatherLow:
        p.offset[0] = Coords::template signed_field<0, 6>(packed());
        p.offset[1] = Coords::template signed_field<6, 6>(packed());
        break;
      case OffsetSource::GatherHigh:
        p.offset[0] = Coords::template signed_field<12, 6>(packed());
        p.offset[1] = Coords::template signed_field<18, 6>(packed());
        break;
      case OffsetSource::SampleLow:
        p.offset[0] = Coords::template signed_field<0, 4>(packed());
        p.offset[1] = Coords::template signed_field<4, 4>(packed());
        p.offset[2] = Coords::template signed_field<8, 4>(packed());
        break;
      case OffsetSource::SampleHigh:
        p.offset[0] = Coords::template signed_field<12, 4>(packed());
        p.offset[1] = Coords::template signed_field<16, 4>(packed());
        p.offset[2] = Coords::template signed_field<20, 4>(packed());
        break;
    }
  }

  /// LOD-2, LOD-3, LOD-12: gradients of the coordinates, of (s, t) for cubes.
  static HEDDLE_INLINE void read_gradients(const Call& call, const typename Coords::Face& face, Floats (&dx)[3],
                                           Floats (&dy)[3]) {
    const StaticState& f = call.f;
    constexpr Param kCoordinate[3] = {Param::U, Param::V, Param::R};
    constexpr Param kDx[3] = {Param::DuDx, Param::DvDx, Param::DrDx}, kDy[3] = {Param::DuDy, Param::DvDy, Param::DrDy};
    for (int axis = 0; axis < 3; ++axis) {
      if (f.lod == LodSource::Gradient) {
        dx[axis] = call.value(kDx[axis]);
        dy[axis] = call.value(kDy[axis]);
      } else {
        const Floats c = call.value(kCoordinate[axis]);
        const Floats upper_left = Lanes::template of_quad<0>(c);
        dx[axis] = Lanes::template of_quad<1>(c) - upper_left;
        dy[axis] = Lanes::template of_quad<2>(c) - upper_left;
      }
      if (f.coarse) {
        dx[axis] = dx[axis] / call.v.coarse[0];
        dy[axis] = dy[axis] / call.v.coarse[1];
      }
    }
    if (!f.cube) return;
    Floats s, t;
    Coords::cube_derivative(face, dx, s, t);
    dx[0] = s, dx[1] = t, dx[2] = Floats{};
    Coords::cube_derivative(face, dy, s, t);
    dy[0] = s, dy[1] = t, dy[2] = Floats{};
  }

  static HEDDLE_INLINE Floats packed_value(const Call& call, Param param, unsigned low_bits) {
    return (Floats)(call.word(param) & (~0u << low_bits));
  }

  /// LOD-4, LOD-5: the LOD with its biases; the probes of ANI-1.
  static HEDDLE_INLINE Ints read_lod(const Call& call, const typename Coords::Face& face, Line& line) {
    const StaticState& f = call.f;
    if (f.lod == LodSource::None || f.lod == LodSource::Base || f.lod == LodSource::Zero) return Ints{};
    const Ints bias = Lanes::splat(call.v.bias);
    if (f.lod == LodSource::Lane)
      return bias + Coords::quantize(packed_value(call, f.value_param, f.value_bits), 64.0f);
    Floats dx[3], dy[3];
    read_gradients(call, face, dx, dy);
    const Floats x = Lod::squared_length(f, call.v, dx), y = Lod::squared_length(f, call.v, dy);
    const Floats big = Lanes::select(y > x, y, x), small = Lanes::select(y > x, x, y);
    Floats rho = big;
    if (f.ratio > 1) {
      const float ratio = f.ratio;
      if (f.ratio_lod) {
        const Floats reduced = big / (ratio * ratio);
        rho = Lanes::select(reduced > small, reduced, small);
      }
      line.count = Probes<W>::count_of(f.ratio, big, small);
      const Ints along_x = x > y;
      const Ints several = line.count != 1;
      line.gradient[0] = (Floats)((Ints)Lanes::select(along_x, dx[0], dy[0]) & several);
      line.gradient[1] = f.axes > 1 ? (Floats)((Ints)Lanes::select(along_x, dx[1], dy[1]) & several) : Floats{};
    }
    Ints lod = ((Lod::log2fx(rho, call.v.log2) + 1) >> 1) + bias;
    if (f.lod == LodSource::Bias) lod += Coords::quantize(packed_value(call, f.value_param, f.value_bits), 16.0f);
    return lod;
  }

  static HEDDLE_INLINE Floats read_reference(const Call& call) {
    if (!call.f.compare || call.f.reference_is_zero) return Floats{};
    return Texel::compare_reference(call.f, call.value(Param::Ref));
  }

  /// Lanes whose taps include a cube's corner go to the reference unit (CUB-5), whose results replace theirs. It gets
  /// copies, made here alone: the message and its results need not be in memory for the sake of few lanes.
  static HEDDLE_INLINE void run_corners(const Call& call, std::uint32_t lanes, Words (&result)[4]) {
    Words value[kParamCount];
    Inputs part;
    const auto copy = [&](std::size_t p) HEDDLE_INLINE_LAMBDA {
      const std::uint32_t* from = call.in.param[p];
      if (from != nullptr) Lanes::store(reinterpret_cast<std::uint32_t*>(&value[p]), Lanes::load(from + call.first));
      part.param[p] = from != nullptr ? reinterpret_cast<const std::uint32_t*>(&value[p]) : nullptr;
    };
    [&]<std::size_t... P>(std::index_sequence<P...>)
        HEDDLE_INLINE_LAMBDA { (copy(P), ...); }(std::make_index_sequence<kParamCount>{});
    std::uint32_t found[4 * W + 1];
    call.v.fallback(&call.v, &part, W, lanes, found, call.thread);
    for (int c = 0; c < 4; ++c)
      result[c] = Lanes::select(Lanes::from_bits(lanes), Lanes::load(found + c * W), result[c]);
  }

  /// What all levels of a sample share.
  struct Sampling {
    Point p;
    Line line;
    Floats ref;
  };

  /// One level's values for lanes that share it and the filter.
  static HEDDLE_INLINE void filter(const Call& call, const Level& level, const Sampling& s, bool magnify, Ints& corner,
                                   Words (&out)[4]) {
    const StaticState& f = call.f;
    const bool linear = f.same_filter ? f.linear_min : magnify ? f.linear_mag : f.linear_min;
    std::uint8_t round[3];
    for (int axis = 0; axis < 3; ++axis)
      round[axis] = f.same_filter ? f.round_min[axis] : magnify ? f.round_mag[axis] : f.round_min[axis];
    if (!linear) return Filtering::nearest(f, call.v, level, s.p, round, s.ref, out);
    Line used = s.line;
    if (f.anisotropic_min != f.anisotropic_mag && !(magnify ? f.anisotropic_mag : f.anisotropic_min)) used = Line{};
    if (f.ratio > 1) {
      used.most = used.count[0];  // pixels of a plane mostly are alike
      if (!Lanes::all(used.count == used.most)) used.most = Lanes::greatest(used.count);
    }
    Filtering::linear(f, call.v, level, s.p, used, round, s.ref, corner, out);
  }

  /// LOD-4 to LOD-8: the levels of each lane.
  static HEDDLE_INLINE typename Lod::Choice choose_levels(const Call& call, const typename Coords::Face& face,
                                                          Line& line) {
    const StaticState& f = call.f;
    const Ints lod = read_lod(call, face, line);
    Ints min_lod = Lanes::splat(call.v.min_lod);
    if (f.mlod_param != kNoParam)
      min_lod = Lanes::max(min_lod, Coords::quantize(packed_value(call, f.mlod_param, f.mlod_bits), 64.0f));
    return Lod::choose(f, Lod::range_of(call.v), lod, min_lod, false);
  }

  /// SAM-7.
  static HEDDLE_INLINE void store_lod(const Call& call, const typename Lod::Choice& choice) {
    call.store(0, (Words)(Lanes::to_float(choice.chosen) * (1.0f / 256.0f)));
    call.store(1, (Words)(Lanes::to_float(choice.unclamped) * (1.0f / 256.0f)));
    call.store(2, Words{});
    call.store(3, Words{});
  }

  /// The values of lanes whose levels and filters differ: those of each level and filter in turn. `levels`: of each
  /// lane.
  static HEDDLE_INLINE void filter_each(const Call& call, const Sampling& s, Ints levels, Ints magnified,
                                        std::uint32_t lanes, Ints& corner, Words (&found)[4]) {
    const StaticState& f = call.f;
    std::uint32_t rest = lanes;
    while (rest != 0) {
      const int lane = __builtin_ctz(rest);
      const std::int32_t at = f.one_level ? 0 : Lanes::at(levels, lane);
      const std::int32_t magnify = f.same_filter ? 0 : Lanes::at(magnified, lane);
      std::uint32_t here = rest;
      if (!f.one_level) here &= Lanes::bits(levels == at);
      if (!f.same_filter) here &= Lanes::bits(magnified == magnify);
      Ints corners{};
      Words one[4];
      filter(call, call.v.level[at], s, magnify != 0, corners, one);
      const bool together = here == lanes;
      const Ints taken = together ? Ints{} - 1 : Lanes::from_bits(here);
      corner |= corners & taken;
      for (int c = 0; c < 4; ++c) found[c] = together ? one[c] : Lanes::select(taken, one[c], found[c]);
      rest &= ~here;
    }
  }

  /// FLT-4: first the finer levels, then the coarser ones of the lanes that are `blended`.
  static HEDDLE_INLINE void filter_levels(const Call& call, const Sampling& s, const typename Lod::Choice& choice,
                                          std::uint32_t mask, std::uint32_t blended, Ints& corner, Words (&result)[4]) {
    const StaticState& f = call.f;
    Ints levels = choice.level[0];
    std::uint32_t lanes = mask;
    for (int pass = 0; pass < 2; ++pass) {
      Words found[4]{};
      filter_each(call, s, levels, choice.magnify, lanes, corner, found);
      if (pass == 0) {
        for (int c = 0; c < 4; ++c) result[c] = found[c];
        if (f.mip != MipFilter::Linear || blended == 0) break;
        levels = choice.level[1];
        lanes = blended;
        continue;
      }
      const Floats factor = Lanes::to_float(choice.beta) * (1.0f / 256.0f);  // FLT-4, RED-1
      const Ints two = choice.beta != 0;
      for (int c = 0; c < 4; ++c)
        result[c] =
            f.reduction != FilterReduction::Weighted
                ? Lanes::select(two, Texel::reduce(f, result[c], found[c]), result[c])
                : Lanes::select(two, Texel::lerp(f.finite, result[c], found[c], choice.beta, factor), result[c]);
    }
  }

  /// Whether two_levels() does what a sample of several levels asks for.
  static HEDDLE_INLINE bool is_plain_trilinear(const StaticState& f) {
    return f.mip == MipFilter::Linear && f.same_filter && f.linear_min && f.ratio <= 1 && f.axes == 2 && !f.cube &&
           f.reduction == FilterReduction::Weighted;
  }

  static HEDDLE_PART void sample(const Call& call, std::uint32_t mask) {
    const StaticState& f = call.f;
    if (f.zero) return store_zero(call);
    Sampling s;
    typename Coords::Face face;
    read_point(call, mask, s.p, face);
    s.ref = read_reference(call);
    Ints corner{};
    Words result[4]{};
    if (f.one_level && f.same_filter && f.ratio <= 1) {
      filter(call, call.v.level[0], s, false, corner, result);
    } else {
      const typename Lod::Choice choice = choose_levels(call, face, s.line);
      if (f.op == Op::Lod) return store_lod(call, choice);
      const std::uint32_t blended = Lanes::bits(choice.beta != 0) & mask;  // the lanes that read two levels
      if (is_plain_trilinear(f)) {
        Filtering::two_levels(f, call.v, s.p, choice, mask, blended, s.ref, result);
        for (unsigned c = 0; c < 4; ++c) call.store(c, Texel::select_channel(f, f.select[c], result));
        return;
      }
      filter_levels(call, s, choice, mask, blended, corner, result);
    }
    Words chosen[4];
    for (unsigned c = 0; c < 4; ++c) chosen[c] = Texel::select_channel(f, f.select[c], result);
    if (f.cube && f.seam[0])
      if (const std::uint32_t lanes = Lanes::bits(corner) & mask) run_corners(call, lanes, chosen);
    for (unsigned c = 0; c < 4; ++c) call.store(c, chosen[c]);
  }

  /// GA-3..6: the four taps of one level.
  static HEDDLE_INLINE void gather_level(const Call& call, const Level& level, const Point& p, bool magnify, Floats ref,
                                         Ints& corner, Words (&tap)[4]) {
    const StaticState& f = call.f;
    const DynamicState& v = call.v;
    std::uint8_t round[3];
    for (int axis = 0; axis < 3; ++axis)
      round[axis] = f.same_filter ? f.round_min[axis] : magnify ? f.round_mag[axis] : f.round_min[axis];
    typename Filtering::FixedPosition at;
    typename Tap::Quad q;
    Filtering::quad(f, v, level, p, true, round, at, q, corner);
    if (f.compare) {
      Tap::values(f, v, f.compare_channel, q, ref, tap);
      return;
    }
    switch (f.select[0]) {
      case ChannelSelect::Zero:
      case ChannelSelect::One:
        for (Words& t : tap) t = Lanes::splat(f.select[0] == ChannelSelect::Zero ? 0u : f.integer ? 1u : 0x3f800000u);
        break;
      case ChannelSelect::Red:
        Tap::values(f, v, 0, q, ref, tap);
        break;
      case ChannelSelect::Green:
        Tap::values(f, v, 1, q, ref, tap);
        break;
      case ChannelSelect::Blue:
        Tap::values(f, v, 2, q, ref, tap);
        break;
      default:
        Tap::values(f, v, 3, q, ref, tap);
        break;
    }
  }

  static HEDDLE_PART void gather4(const Call& call, std::uint32_t mask) {
    const StaticState& f = call.f;
    const DynamicState& v = call.v;
    if (f.zero) return store_zero(call);
    Point p;
    typename Coords::Face face;
    Line line;
    read_point(call, mask, p, face);
    const Floats ref = read_reference(call);
    Ints corner{};
    Words tap[4]{};
    if (f.one_level && f.same_filter) {
      gather_level(call, v.level[0], p, true, ref, corner, tap);
    } else {
      const Ints lod = read_lod(call, face, line);
      const typename Lod::Choice choice = Lod::choose(f, Lod::range_of(v), lod, Lanes::splat(v.min_lod), true);
      std::uint32_t rest = mask;
      while (rest != 0) {
        const int lane = __builtin_ctz(rest);
        const std::int32_t at = Lanes::at(choice.level[0], lane), magnify = Lanes::at(choice.magnify, lane);
        const Ints here = Lanes::from_bits(rest) & (choice.level[0] == at) & (choice.magnify == magnify);
        Ints corners{};
        Words one[4];
        gather_level(call, v.level[at], p, magnify != 0, ref, corners, one);
        corner |= corners & here;
        for (int t = 0; t < 4; ++t) tap[t] = Lanes::select(here, one[t], tap[t]);
        rest &= ~Lanes::bits(here);
      }
    }
    Words chosen[4] = {tap[2], tap[3], tap[1], tap[0]};  // GA-4
    if (f.cube && f.seam[0])
      if (const std::uint32_t lanes = Lanes::bits(corner) & mask) run_corners(call, lanes, chosen);
    for (unsigned c = 0; c < 4; ++c) call.store(c, chosen[c]);
  }

  /// LD-2: x = parameter + offset in 64 bits, and whether it lies inside [0, size).
  static HEDDLE_INLINE Words load_coordinate(Words word, std::int32_t offset, std::int32_t size, Ints& inside) {
    const Words x = word + static_cast<std::uint32_t>(offset);
    inside &= (Ints)(x < static_cast<std::uint32_t>(size));
    if (offset > 0) inside &= (Ints)word >= 0;
    return x;
  }

  /// LD-2, LD-3: where in the level the lanes' texels lie; `inside` loses those that lie nowhere.
  static HEDDLE_INLINE Words load_place(const Call& call, const Level& level, Ints& inside) {
    const StaticState& f = call.f;
    Words at = load_coordinate(call.word(Param::U), f.offset[0], level.size[0], inside) *
               static_cast<std::uint32_t>(f.element_bytes);
    if (f.axes > 1) at += load_coordinate(call.word(Param::V), f.offset[1], level.size[1], inside) * level.row_pitch;
    if (f.axes == 3)
      return at + load_coordinate(call.word(Param::R), f.offset[2], level.size[2], inside) * level.layer_pitch;
    const Words index = call.word(f.axes == 1 ? Param::V : Param::R);  // LD-3: never offset
    inside &= (Ints)(index <= call.v.last_index);
    at += index * level.layer_pitch;
    if (f.op != Op::Ld2dmsW) return at;
    const Words sample = call.word(Param::Si), last = Lanes::splat(call.v.last_sample);  // LD-5
    return at + Lanes::select((Ints)(sample < last), sample, last) * call.v.sample_pitch;
  }

  /// load_place() and the texels there, where they lie in blocks.
  static HEDDLE_INLINE void load_blocks(const Call& call, const Level& level, Ints& inside,
                                        typename Texel::Element& words) {
    const StaticState& f = call.f;
    const auto at = [&](Param param, int axis) HEDDLE_INLINE_LAMBDA {
      return load_coordinate(call.word(param), f.offset[axis], level.size[axis], inside);
    };
    const Words x = at(Param::U, 0), y = f.axes > 1 ? at(Param::V, 1) : Words{};
    Words slice;
    if (f.axes == 3) {
      slice = at(Param::R, 2);
    } else {
      slice = call.word(f.axes == 1 ? Param::V : Param::R);
      inside &= (Ints)(slice <= call.v.last_index);
    }
    Texel::decode_blocks(call.v, level, (Ints)x & inside, (Ints)y & inside, slice & (Words)inside, call.apart(), words);
  }

  /// LD-7: of the pixels that are there.
  static HEDDLE_INLINE void store_mcs(const Call& call) {
    Ints inside = (Ints)(call.word(Param::Lod) == 0u);
    (void)load_place(call, call.v.level[0], inside);
    for (unsigned c = 0; c < 4; ++c)
      call.store(c, c < 2 ? (Words)(inside & (Ints)Lanes::splat(call.v.info[c])) : Words{});
  }

  static HEDDLE_INLINE void load_level(const Call& call, const Level& level, std::uint32_t mask, Ints inside,
                                       Words (&texel)[4]) {
    const StaticState& f = call.f;
    const DynamicState& v = call.v;
    typename Texel::Element words[1];
    if (f.blocks) {
      load_blocks(call, level, inside, words[0]);
    } else {
      Words at;
      if (f.buffer) {  // LD-4
        const Words entry = call.word(Param::U);
        inside &= (Ints)(entry < static_cast<std::uint32_t>(v.entries));
        at = entry * v.entry_step;
      } else {
        at = load_place(call, level, inside);
      }
      if (f.apart) at += call.apart();
      Window<W>::fetch_each(f, v.memory + level.offset, level, (Ints)at & inside, mask, words[0]);
    }
    Texel::decode_one(f, v.srgb, words, texel);
    texel[0] = Lanes::select(inside, texel[0], Lanes::splat(v.outside[0]));
    texel[1] = Lanes::select(inside, texel[1], Lanes::splat(v.outside[1]));
    texel[2] = Lanes::select(inside, texel[2], Lanes::splat(v.outside[2]));
    texel[3] = Lanes::select(inside, texel[3], Lanes::splat(v.outside[3]));
  }

  /// LD-4, LD-5: whether lanes say which level they load from.
  static HEDDLE_INLINE bool has_level(const StaticState& f) {
    return !f.buffer && f.op != Op::LdLz && f.op != Op::Ld2dmsW;
  }

  static HEDDLE_PART void load(const Call& call, std::uint32_t mask) {
    const StaticState& f = call.f;
    const DynamicState& v = call.v;
    if (f.zero) return store_zero(call);
    if (f.op == Op::LdMcs) return store_mcs(call);
    Words texel[4]{};
    const Words lod = has_level(f) ? call.word(Param::Lod) : Words{};
    if (f.one_level) {
      load_level(call, v.level[0], mask, (Ints)(lod == 0u), texel);
    } else {
      const Ints known =  // LD-3, LD-10
          (Ints)(lod <= static_cast<std::uint32_t>(v.mip_count)) & (Ints)(lod >= v.unread_levels);
      for (unsigned c = 0; c < 4; ++c) texel[c] = Lanes::splat(v.outside[c]);
      std::uint32_t rest = mask & Lanes::bits(known);
      while (rest != 0) {
        const auto at = static_cast<std::uint32_t>(Lanes::at((Ints)lod, __builtin_ctz(rest)));
        const Ints here = Lanes::from_bits(rest) & (Ints)(lod == at);
        Words one[4];
        load_level(call, v.level[at], Lanes::bits(here), here, one);
        for (int c = 0; c < 4; ++c) texel[c] = Lanes::select(here, one[c], texel[c]);
        rest &= ~Lanes::bits(here);
      }
    }
    for (unsigned c = 0; c < 4; ++c) call.store(c, Texel::select_channel(f, f.select[c], texel));
  }

  /// RES-1, RES-4: hardware floors at 1 and answers 0 out of range.
  static HEDDLE_INLINE Words level_size(const Call& call, std::uint32_t size, Words shift, Ints in_range) {
    const Words shifted = Lanes::select((Ints)(shift < 32u), Lanes::splat(size) >> shift, Words{});  // one instruction
    if (!call.f.hardware) return shifted;
    return (Words)((Ints)Lanes::select((Ints)(shifted == 0u), Lanes::splat(1u), shifted) & in_range);
  }
  static HEDDLE_PART void info(const Call& call, std::uint32_t) {
    const StaticState& f = call.f;
    const DynamicState& v = call.v;
    if (f.op == Op::Sampleinfo || f.type > SurfaceType::Cube) {
      for (unsigned c = 0; c < 4; ++c) call.store(c, Lanes::splat(v.info[c]));
      return;
    }
    const Words lod = call.word(Param::Lod);
    Words shift = lod + v.surf_min_lod;  // RES-3
    shift = Lanes::select((Ints)(shift < lod), Lanes::splat(~0u), shift);
    const Ints in_range = (Ints)(lod <= static_cast<std::uint32_t>(v.mip_count));
    const auto size = [&](std::uint32_t whole)
                          HEDDLE_INLINE_LAMBDA { return level_size(call, whole, shift, in_range); };
    const Words layers = Lanes::splat(v.info_layers);
    Words second{}, third{};
    switch (f.type) {
      case SurfaceType::Dim1:
        second = layers;
        break;
      case SurfaceType::Dim2:
        second = f.quilted ? size(v.height) * v.info_scale[1] : size(v.height);
        third = layers;
        break;
      case SurfaceType::Dim3:
        second = size(v.height);
        third = size(v.depth);
        break;
      default:  // SurfaceType::Cube
        second = size(v.height);
        third = layers;
        break;
    }
    call.store(0, f.quilted ? size(v.width) * v.info_scale[0] : size(v.width));
    call.store(1, second);
    call.store(2, third);
    call.store(3, Lanes::splat(static_cast<std::uint32_t>(v.mip_count) + 1u));
  }
};

}  // namespace
}  // namespace heddle::texture::simd
