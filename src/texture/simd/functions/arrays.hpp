// SPDX-License-Identifier: MIT
#pragma once
// Bilinear samples at long arrays of coordinates (SAM-1, FLT-3): one level of a 2D surface whose texels are four bytes.
// The way to a texel at random is long. So each group of lanes is placed, and its texels asked for, several groups
// before they are filtered; and the results go side by side into memory without being messages first.

#include "texture/simd/array_places.hpp"
#include "texture/simd/functions/operations.hpp"

namespace heddle::texture::simd {
namespace {

/// Formats, as constants: what a state may differ in beside them is read from the state.
struct ArrayOfUnorm8 {
  static constexpr StaticState kState = [] {
    StaticState f;
    f.finite = 1;
    for (unsigned c = 0; c < 4; ++c) f.channel[c] = {ChannelKind::Unorm, 8, static_cast<std::uint8_t>(8 * c), 0, 0};
    return f;
  }();
};
struct ArrayOfFloat {
  static constexpr StaticState kState = [] {
    StaticState f;
    f.channel[0] = {ChannelKind::Float32, 32, 0, 0, 0};
    f.channel[3] = {ChannelKind::One, 0, 0, 0, 0};
    return f;
  }();
};

#if defined(__AVX2__)
template <int W, typename Format>
class ArraySamples {
  using Lanes = Vector<W>;
  using Coords = Coordinates<W>;
  using Texel = Texels<W>;
  using Floats = typename Lanes::Floats;
  using Ints = typename Lanes::Ints;
  using Words = typename Lanes::Words;
  using Element = typename Texel::Element;
  static constexpr const StaticState& kFormat = Format::kState;

 public:
  HEDDLE_INLINE ArraySamples(const StaticState& f, const DynamicState& v, const ArrayPlaces& at, void* thread)
      : f_(f), v_(v), level_(v.level[0]), at_(at), upper_(v.memory + level_.offset), thread_(thread) {
    lower_ = upper_ + level_.row_pitch;
    for (int axis = 0; axis < 2; ++axis) {
      scale_[axis] = f.non_normalized ? Coords::kParts : level_.scale[axis] * (Coords::kParts / 256.0f);
      const bool wraps = f.mode[axis] == AddressMode::Wrap && (f.pow2 >> axis & 1) != 0;
      wraps_ = wraps_ || wraps;
      wrapped_[axis] = wraps ? level_.last[axis] : -1;
      round_[axis] = f.round_mag[axis] != 0;
    }
    prefetches_ = std::uint64_t{level_.row_pitch} * static_cast<std::uint32_t>(level_.size[1]) > kNear;
  }

  static HEDDLE_INLINE bool takes(const StaticState& f) {
    bool same = f.element_bytes == 4;
    for (unsigned c = 0; c < 4; ++c) {
      const ChannelCode &one = f.channel[c], &other = kFormat.channel[c];
      same = same && one.kind == other.kind && one.bits == other.bits && one.shift == other.shift;
      same = same && f.select[c] == static_cast<ChannelSelect>(static_cast<unsigned>(ChannelSelect::Red) + c);
    }
    return same;
  }

  /// `count` whole groups.
  HEDDLE_INLINE void run(std::size_t count) {
    if (wraps_)
      run_groups<true>(count);
    else
      run_groups<false>(count);
    if (waiting_ != 0) filter_waiting();
  }

 private:
  static constexpr std::size_t kAhead = 64 / W, kRing = 2 * kAhead;  ///< groups
  static constexpr std::size_t kSettled = 2;          ///< groups behind the placed one: its words are in memory
  static constexpr std::uint64_t kNear = 256 * 1024;  ///< bytes that caches near the processor hold
  static constexpr std::int32_t kMax = 1 << 20;       ///< texels up to which no coordinate is bounded

  typedef std::uint32_t __attribute__((may_alias)) Word;

  /// Lanes between their place and their filter, in the order of order().
  struct Group {
    Words offset{};  ///< bytes from the level's first texel to the upper left one of four; of others than plain lanes 0
    Floats factor[2];
    std::uint32_t plain = 0;  ///< lanes whose texels no address mode moves, and whose coordinates are not bounded
  };

  /// Transposed results lie as memory wants them when lane r * (W / 4) + q is element r of part q of a vector, parts
  /// having four elements: the result's vector r has it in part q.
  static constexpr int lane_at(int k) { return k % 4 * (W / 4) + k / 4; }
  static HEDDLE_INLINE Ints order() {
    return [&]<int... K>(std::integer_sequence<int, K...>)
               HEDDLE_INLINE_LAMBDA { return Ints{lane_at(K)...}; }(std::make_integer_sequence<int, W>{});
  }

  template <bool Wraps>
  HEDDLE_INLINE void place(std::size_t first, Group& to) const {
    const std::uint32_t* from[2] = {at_.u + first, at_.v + first};
    Ints index[2], plain = Ints{} - 1;
    for (int axis = 0; axis < 2; ++axis) {
      const Floats s = (Floats)Lanes::permuted(Lanes::load(from[axis]), order()) * scale_[axis];
      Ints weight;
      Coords::to_fixed(s, round_[axis], false, Wraps, index[axis], weight, to.factor[axis]);
      if (Wraps) {
        plain &= (Ints)((Words)(index[axis] + kMax) < 2u * kMax);
        index[axis] &= wrapped_[axis];
      }
      plain &= (Ints)((Words)index[axis] < static_cast<std::uint32_t>(level_.last[axis]));
    }
    to.plain = Lanes::bits(plain);
    to.offset = ((Words)index[1] * level_.row_pitch + ((Words)index[0] << 2)) & (Words)plain;
  }

  HEDDLE_INLINE void prefetch(const Group& group) const {
    const auto* offset = reinterpret_cast<const Word*>(&group.offset);
    HEDDLE_UNROLLED
    for (int k = 0; k < W; ++k) {
      __builtin_prefetch(upper_ + offset[k], 0, 2);
      __builtin_prefetch(lower_ + offset[k], 0, 2);
    }
  }

  /// Vector::load_pair() of offsets that are in memory.
  static HEDDLE_INLINE void load_pair(const std::uint8_t* row, const Word* offset, Words& left, Words& right) {
    const auto two = [&](int lane) HEDDLE_INLINE_LAMBDA {
      double first, second;
      __builtin_memcpy(&first, row + offset[lane], 8);
      __builtin_memcpy(&second, row + offset[lane + 1], 8);
      return _mm_castpd_ps(_mm_setr_pd(first, second));
    };
    const Words a = Lanes::join(two), b = Lanes::join([&](int lane) HEDDLE_INLINE_LAMBDA { return two(lane + 2); });
    left = Lanes::template in_parts<0, 2, 4, 6>(a, b);
    right = Lanes::template in_parts<1, 3, 5, 7>(a, b);
  }

  /// Results of lanes that are not plain are undefined.
  HEDDLE_INLINE void filter(const Group& group, std::uint32_t* out) const {
    Element word[4], x;
    const auto* offset = reinterpret_cast<const Word*>(&group.offset);
    load_pair(upper_, offset, word[0][0], word[1][0]);
    load_pair(lower_, offset, word[2][0], word[3][0]);
    Texel::prepare(kFormat, word);
    const Floats factor[3] = {group.factor[0], group.factor[1]};
    const Ints weight[3] = {(Ints)factor[0], (Ints)factor[1]};  // only whether it is 0 counts
    const auto channel = [&](unsigned c) HEDDLE_INLINE_LAMBDA {
      Words tap[4];
      Texel::template decode<4>(kFormat.channel[c], false, word, nullptr, tap, Texel::has_triples(kFormat));
      const ChannelKind kind = kFormat.channel[c].kind;
      const bool constant = kind == ChannelKind::Zero || kind == ChannelKind::One;
      x[c] = constant ? tap[0] : Texel::bilinear(kFormat.finite, false, tap, weight, factor);
    };
    channel(0);
    channel(1);
    channel(2);
    channel(3);
    const Words low01 = Lanes::template in_parts<0, 4, 1, 5>(x[0], x[1]),
                low23 = Lanes::template in_parts<0, 4, 1, 5>(x[2], x[3]),
                high01 = Lanes::template in_parts<2, 6, 3, 7>(x[0], x[1]),
                high23 = Lanes::template in_parts<2, 6, 3, 7>(x[2], x[3]);
    Lanes::store(out, Lanes::template in_parts<0, 1, 4, 5>(low01, low23));
    Lanes::store(out + W, Lanes::template in_parts<2, 3, 6, 7>(low01, low23));
    Lanes::store(out + 2 * W, Lanes::template in_parts<0, 1, 4, 5>(high01, high23));
    Lanes::store(out + 3 * W, Lanes::template in_parts<2, 3, 6, 7>(high01, high23));
  }

  /// W elements as a message; lane k is element number[k].
  HEDDLE_INLINE void filter_message(const std::uint32_t* u, const std::uint32_t* v, const std::size_t* number,
                                    int lanes) const {
    Inputs inputs{};
    inputs.param[static_cast<unsigned>(Param::U)] = u;
    inputs.param[static_cast<unsigned>(Param::V)] = v;
    std::uint32_t found[4 * W];
    Operations<W>::sample({f_, v_, inputs, 0, W, found, thread_}, Lanes::kAll);
    for (int k = 0; k < lanes; ++k)
      for (int c = 0; c < 4; ++c) at_.out[4 * number[k] + static_cast<unsigned>(c)] = found[c * W + k];
  }
  __attribute__((noinline)) void filter_waiting() {
    filter_message(waiting_u_, waiting_v_, waiting_number_, waiting_);
    waiting_ = 0;
  }

  /// Lanes at an edge or with odd coordinates wait until they fill a message, of which a few lanes cost what all do.
  /// The results of the group are in memory already.
  __attribute__((noinline)) void wait(std::size_t first, std::uint32_t lanes) {
    for (; lanes != 0; lanes &= lanes - 1) {
      const std::size_t number = first + static_cast<unsigned>(lane_at(__builtin_ctz(lanes)));
      waiting_u_[waiting_] = at_.u[number];
      waiting_v_[waiting_] = at_.v[number];
      waiting_number_[waiting_] = number;
      if (++waiting_ == W) filter_waiting();
    }
  }

  template <bool Wraps>
  HEDDLE_INLINE void run_groups(std::size_t count) {
    Group ring[kRing];
    for (std::size_t g = 0; g < count + kAhead; ++g) {
      if (g < count) place<Wraps>(g * W, ring[g % kRing]);
      if (prefetches_) prefetch(ring[(g - kSettled) % kRing]);
      if (g < kAhead) continue;
      const std::size_t first = (g - kAhead) * W;
      const Group& group = ring[(g - kAhead) % kRing];
      if (group.plain != 0) filter(group, at_.out + 4 * first);
      if (group.plain != Lanes::kAll) wait(first, ~group.plain & Lanes::kAll);
    }
  }

  const StaticState& f_;
  const DynamicState& v_;
  const Level& level_;
  const ArrayPlaces& at_;
  const std::uint8_t *upper_, *lower_;  ///< the level's first two rows
  void* thread_;
  float scale_[2];
  std::int32_t wrapped_[2];  ///< bits of an index that wrapping leaves
  bool round_[2], wraps_ = false, prefetches_;
  int waiting_ = 0;
  std::uint32_t waiting_u_[W]{}, waiting_v_[W]{};
  std::size_t waiting_number_[W];
};

/// The elements of a group; 0: nothing was sampled.
template <int W>
HEDDLE_INLINE std::size_t sample_array(const StaticState& f, const DynamicState& v, const ArrayPlaces& at,
                                       std::size_t count, void* thread) {
  const bool takes = f.fast && !f.zero && f.one_level && f.same_filter && f.linear_mag && f.ratio <= 1 && f.axes == 2 &&
                     !f.cube && f.index_source == IndexSource::None && f.offset_source == OffsetSource::None &&
                     !f.compare && !f.integer && f.reduction == FilterReduction::Weighted && f.unread == 0 &&
                     f.family == OperationKind::Sample && f.op != Op::Lod;
  if (!takes) return 0;
  if (ArraySamples<W, ArrayOfUnorm8>::takes(f))
    ArraySamples<W, ArrayOfUnorm8>(f, v, at, thread).run(count / W);
  else if (ArraySamples<W, ArrayOfFloat>::takes(f))
    ArraySamples<W, ArrayOfFloat>(f, v, at, thread).run(count / W);
  else
    return 0;
  return W;
}
#else
template <int W>
HEDDLE_INLINE std::size_t sample_array(const StaticState&, const DynamicState&, const ArrayPlaces&, std::size_t,
                                       void*) {
  return 0;  // no conversion takes any number there (Vector::kConvertsAny)
}
#endif

}  // namespace
}  // namespace heddle::texture::simd
