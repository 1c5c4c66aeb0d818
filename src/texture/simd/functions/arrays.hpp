// SPDX-License-Identifier: MIT
#pragma once
// Bilinear samples at long arrays of coordinates (SAM-1, FLT-3): one level of a 2D surface whose texels are no blocks.
// The way to a texel at random is long. So each group of lanes is placed, and its texels asked for, several groups
// before they are filtered; and the results go side by side into memory without being messages first.

#include "texture/simd/array_places.hpp"
#include "texture/simd/functions/operations.hpp"

namespace heddle::texture::simd {
namespace {

/// Formats, as constants: what a state may differ in beside them is read from the state.
struct ArrayOfUnorm8 {
  static constexpr unsigned kBytes = 4;
  static constexpr bool kKnown = true;
  static constexpr StaticState kState = [] {
    StaticState f;
    f.finite = 1;
    for (unsigned c = 0; c < 4; ++c) f.channel[c] = {ChannelKind::Unorm, 8, static_cast<std::uint8_t>(8 * c), 0, 0};
    return f;
  }();
  static HEDDLE_INLINE const StaticState& of(const StaticState&) { return kState; }
};
struct ArrayOfFloat {
  static constexpr unsigned kBytes = 4;
  static constexpr bool kKnown = true;
  static constexpr StaticState kState = [] {
    StaticState f;
    f.channel[0] = {ChannelKind::Float32, 32, 0, 0, 0};
    f.channel[3] = {ChannelKind::One, 0, 0, 0, 0};
    return f;
  }();
  static HEDDLE_INLINE const StaticState& of(const StaticState&) { return kState; }
};
/// Any of so many bytes.
template <unsigned Bytes>
struct ArrayOfAny {
  static constexpr unsigned kBytes = Bytes;
  static constexpr bool kKnown = false;
  static HEDDLE_INLINE const StaticState& of(const StaticState& f) { return f; }
};

#if defined(__AVX2__)
/// What all formats share: from coordinates to addresses.
template <int W>
class ArrayAddresses {
  using Lanes = Vector<W>;
  using Coords = Coordinates<W>;
  using Floats = typename Lanes::Floats;
  using Ints = typename Lanes::Ints;
  using Words = typename Lanes::Words;

 public:
  HEDDLE_INLINE ArrayAddresses(const StaticState& f, const DynamicState& v, const ArrayPlaces& at)
      : f_(f), v_(v), level_(v.level[0]), at_(at), base_(v.memory + level_.offset) {
    for (int axis = 0; axis < 2; ++axis) {
      scale_[axis] = f.non_normalized ? Coords::kParts : level_.scale[axis] * (Coords::kParts / 256.0f);
      round_[axis] = f.round_mag[axis] != 0;
    }
  }

 protected:
  static constexpr std::size_t kAhead = 64 / W, kRing = 2 * kAhead;  ///< groups
  static constexpr std::size_t kSettled = 2;  ///< groups behind the placed one: its words are in memory

  typedef std::uint32_t __attribute__((may_alias)) Word;

  static HEDDLE_INLINE bool selects_itself(const StaticState& f) {
    bool same = true;
    for (unsigned c = 0; c < 4; ++c)
      same = same && f.select[c] == static_cast<ChannelSelect>(static_cast<unsigned>(ChannelSelect::Red) + c);
    return same;
  }

  /// Column and row of a group's left upper taps, lanes in any order; false: an address mode moves some texels, or
  /// coordinates are bounded, and what is found does not count.
  HEDDLE_INLINE bool find_plain(const Words (&at)[2], Ints (&index)[2], Floats (&factor)[2]) const {
    Ints plain = Ints{} - 1;
    for (int axis = 0; axis < 2; ++axis) {
      Ints weight;
      Coords::to_fixed((Floats)at[axis] * scale_[axis], round_[axis], false, false, index[axis], weight, factor[axis]);
      plain &= (Ints)((Words)index[axis] < static_cast<std::uint32_t>(level_.last[axis]));
    }
    return Lanes::all(plain);
  }
  /// Any group: columns of the left and the right taps, then rows; which are the border.
  HEDDLE_INLINE void find_any(const Words (&at)[2], Ints (&address)[2][2], Ints (&outside)[2][2],
                              Floats (&factor)[2]) const {
    Floats s[3] = {(Floats)at[0] * scale_[0], (Floats)at[1] * scale_[1], Floats{}};
    Coords::bound_parts(2, s);
    for (int axis = 0; axis < 2; ++axis) {
      Ints index, weight;
      const AddressMode mode = f_.mode[axis];
      Ints(&found)[2] = address[axis];
      Coords::to_fixed(s[axis], round_[axis], true, true, index, weight, factor[axis]);
      found[0] = Coords::address(f_, mode, index, level_, axis, outside[axis][0]);
      found[1] = Coords::next_address(f_, mode, index, found[0], level_, axis, outside[axis][1]);
    }
  }

  const StaticState& f_;
  const DynamicState& v_;
  const Level& level_;
  const ArrayPlaces& at_;
  const std::uint8_t* base_;  ///< the level's first texel

 private:
  float scale_[2];
  bool round_[2];
};

template <int W, typename Format>
class ArraySamples : ArrayAddresses<W> {
  using Base = ArrayAddresses<W>;
  using Base::at_;
  using Base::base_;
  using Base::f_;
  using Base::kAhead;
  using Base::kRing;
  using Base::kSettled;
  using Base::level_;
  using Base::v_;
  using Word = typename Base::Word;
  using Lanes = Vector<W>;
  using Coords = Coordinates<W>;
  using Texel = Texels<W>;
  using Floats = typename Lanes::Floats;
  using Ints = typename Lanes::Ints;
  using Words = typename Lanes::Words;
  using Element = typename Texel::Element;
  static constexpr unsigned kBytes = Format::kBytes;

 public:
  HEDDLE_INLINE ArraySamples(const StaticState& f, const DynamicState& v, const ArrayPlaces& at) : Base(f, v, at) {
    lower_ = base_ + level_.row_pitch;
    early_ = !Format::kKnown && Texel::decodes_early(f);
    triples_ = Texel::has_triples(Format::of(f));
    prefetches_ = std::uint64_t{level_.row_pitch} * static_cast<std::uint32_t>(level_.size[1]) > kNear;
  }

  static HEDDLE_INLINE bool takes(const StaticState& f) {
    if (f.element_bytes != kBytes) return false;
    if constexpr (Format::kKnown) {
      bool same = !f.borders && Base::selects_itself(f);
      for (unsigned c = 0; c < 4; ++c) {
        const ChannelCode &one = f.channel[c], &other = Format::kState.channel[c];
        same = same && one.kind == other.kind && one.bits == other.bits && one.shift == other.shift;
      }
      return same;
    }
    return true;
  }

  /// `count` whole groups.
  HEDDLE_INLINE void run(std::size_t count) {
    Group ring[kRing];
    for (std::size_t g = 0; g < count + kAhead; ++g) {
      if (g < count) place(g * W, ring[g % kRing]);
      if (prefetches_) prefetch(ring[(g - kSettled) % kRing]);
      if (g < kAhead) continue;
      filter(ring[(g - kAhead) % kRing], at_.out + 4 * W * (g - kAhead));
    }
  }

 private:
  static constexpr std::uint64_t kNear = 256 * 1024;  ///< bytes that caches near the processor hold

  /// Lanes between their place and their filter, in the order of order(). Each reads a pair of neighboring texels in
  /// two rows. Sets of lanes are bits.
  struct Group {
    Words row[2]{};  ///< bytes from the level's first texel to the pair, in the upper and in the lower row
    Floats factor[2];
    bool plain = true;              ///< every address is that of the texel: row[1] is a row behind row[0], and not set
    std::uint32_t second = 0;       ///< whose left tap is the pair's second texel
    std::uint32_t first = 0;        ///< whose right tap is the pair's first texel
    std::uint32_t around = 0;       ///< whose right tap is the row's first texel, and the pair its last two
    std::uint32_t outside[2][2]{};  ///< whose tap is the border: left and right columns, upper and lower rows
  };

  /// Transposed results lie as memory wants them when lane r * (W / 4) + q is element r of part q of a vector, parts
  /// having four elements: the result's vector r has it in part q.
  static constexpr int lane_at(int k) { return k % 4 * (W / 4) + k / 4; }
  static HEDDLE_INLINE Ints order() {
    return [&]<int... K>(std::integer_sequence<int, K...>)
               HEDDLE_INLINE_LAMBDA { return Ints{lane_at(K)...}; }(std::make_integer_sequence<int, W>{});
  }
  HEDDLE_INLINE void read(std::size_t first, Words (&at)[2]) const {
    at[0] = Lanes::permuted(Lanes::load(at_.u + first), order());
    at[1] = Lanes::permuted(Lanes::load(at_.v + first), order());
  }

  HEDDLE_INLINE void place(std::size_t first, Group& to) const {
    Words at[2];
    Ints index[2];
    read(first, at);
    if (!Base::find_plain(at, index, to.factor)) return place_any(first, to);
    to.row[0] = (Words)index[1] * level_.row_pitch + (Words)index[0] * kBytes;
    to.plain = true;
  }
  __attribute__((noinline)) void place_any(std::size_t first, Group& to) const {
    Words read_at[2];
    Ints at[2][2], outside[2][2]{};
    read(first, read_at);
    Base::find_any(read_at, at, outside, to.factor);
    for (int axis = 0; axis < 2; ++axis)
      for (int k = 0; k < 2; ++k) to.outside[axis][k] = Lanes::bits(outside[axis][k]);
    const Ints left = at[0][0], right = at[0][1];
    const bool wraps = f_.mode[0] == AddressMode::Wrap;
    // A level of one column has no pairs.
    const Ints last = Lanes::splat(level_.last[0] > 0 ? level_.last[0] - 1 : 0);
    const Ints column = Lanes::min(wraps ? left : Lanes::min(left, right), last);
    to.second = Lanes::bits(left != column);
    to.first = Lanes::bits(right == column);
    to.around = wraps ? to.second : 0;
    for (int k = 0; k < 2; ++k) to.row[k] = (Words)at[1][k] * level_.row_pitch + (Words)column * kBytes;
    to.plain = false;
  }

  HEDDLE_INLINE void prefetch(const Group& group) const {
    const auto *upper = reinterpret_cast<const Word*>(&group.row[0]),
               *lower = reinterpret_cast<const Word*>(&group.row[group.plain ? 0 : 1]);
    const std::uint8_t* lower_base = group.plain ? lower_ : base_;
    HEDDLE_UNROLLED
    for (int k = 0; k < W; ++k) {
      __builtin_prefetch(base_ + upper[k], 0, 2);
      __builtin_prefetch(lower_base + lower[k], 0, 2);
    }
  }

  /// Vector::load_pair() of offsets that are in memory.
  static HEDDLE_INLINE void load_pair(const std::uint8_t* base, const Word* offset, Words& left, Words& right) {
    const auto two = [&](int lane) HEDDLE_INLINE_LAMBDA {
      double first, second;
      __builtin_memcpy(&first, base + offset[lane], 8);
      __builtin_memcpy(&second, base + offset[lane + 1], 8);
      return _mm_castpd_ps(_mm_setr_pd(first, second));
    };
    const Words a = Lanes::join(two), b = Lanes::join([&](int lane) HEDDLE_INLINE_LAMBDA { return two(lane + 2); });
    left = Lanes::template in_parts<0, 2, 4, 6>(a, b);
    right = Lanes::template in_parts<1, 3, 5, 7>(a, b);
  }
  /// Four words at each offset, of lanes in their order.
  static HEDDLE_INLINE void load_four(const std::uint8_t* base, const Word* offset, Words& a, Words& b, Words& c,
                                      Words& d) {
    const auto each = [&](int number) HEDDLE_INLINE_LAMBDA {
      return Lanes::join([&](int lane) HEDDLE_INLINE_LAMBDA {
        return _mm_loadu_ps(reinterpret_cast<const float*>(base + offset[lane + number]));
      });
    };
    const Words one = each(0), two = each(1), three = each(2), four = each(3);
    const Words low12 = Lanes::template in_parts<0, 4, 1, 5>(one, two),
                low34 = Lanes::template in_parts<0, 4, 1, 5>(three, four),
                high12 = Lanes::template in_parts<2, 6, 3, 7>(one, two),
                high34 = Lanes::template in_parts<2, 6, 3, 7>(three, four);
    a = Lanes::template in_parts<0, 1, 4, 5>(low12, low34);
    b = Lanes::template in_parts<2, 3, 6, 7>(low12, low34);
    c = Lanes::template in_parts<0, 1, 4, 5>(high12, high34);
    d = Lanes::template in_parts<2, 3, 6, 7>(high12, high34);
  }
  /// The texels of each lane's pair.
  HEDDLE_INLINE void load_row(const std::uint8_t* base, const Words& row, Element& left, Element& right) const {
    const auto* offset = reinterpret_cast<const Word*>(&row);
    if (level_.last[0] == 0) {
      Texel::gather(kBytes, base, (Ints)row, level_.limit, left);
      Texel::gather(kBytes, base, (Ints)row, level_.limit, right);
    } else if constexpr (kBytes < 4) {
      Texel::gather(kBytes, base, (Ints)row, level_.limit, left);
      right[0] = left[0] >> (8 * kBytes);
    } else if constexpr (kBytes == 4) {
      load_pair(base, offset, left[0], right[0]);
    } else if constexpr (kBytes == 8) {
      load_four(base, offset, left[0], left[1], right[0], right[1]);
    } else {
      load_four(base, offset, left[0], left[1], left[2], left[3]);
      load_four(base + kBytes, offset, right[0], right[1], right[2], right[3]);
    }
  }
  /// The same one row further down. Words of small texels are gathered from where memory begins, for their limit.
  HEDDLE_INLINE void load_row_below(const Words& row, Element& left, Element& right) const {
    if constexpr (kBytes < 4) {
      const Words below = row + level_.row_pitch;
      load_row(base_, below, left, right);
    } else {
      load_row(lower_, row, left, right);
    }
  }
  static constexpr int kWords = kBytes < 4 ? 1 : kBytes / 4;

  /// Pairs to taps where an address mode moves some.
  __attribute__((noinline)) void mend(const Group& group, Element (&tap)[4]) const {
    const Ints second = Lanes::from_bits(group.second), first = Lanes::from_bits(group.first);
    for (int r = 0; r < 4; r += 2)
      for (int w = 0; w < kWords; ++w) {
        const Words left = tap[r][w], right = tap[r + 1][w];
        tap[r][w] = Lanes::select(second, right, left);
        tap[r + 1][w] = Lanes::select(first, left, right);
      }
    const std::uint32_t back = static_cast<std::uint32_t>(level_.last[0] - 1) * kBytes;  // from the pair to its row
    for (std::uint32_t rest = group.around; rest != 0; rest &= rest - 1) {
      const int lane = __builtin_ctz(rest);
      const Ints here = Lanes::from_bits(rest & -rest);
      for (int r = 0; r < 2; ++r) {
        Element one;
        Texel::load_one(kBytes, base_ + (group.row[r][lane] - back), one);
        for (int w = 0; w < kWords; ++w) tap[2 * r + 1][w] = Lanes::select(here, one[w], tap[2 * r + 1][w]);
      }
    }
  }

  /// FLT-3 of one channel's taps.
  HEDDLE_INLINE Words bilinear(const Group& group, unsigned c, Words (&tap)[4]) const {
    const Floats factor[3] = {group.factor[0], group.factor[1]};
    const Ints weight[3] = {(Ints)factor[0], (Ints)factor[1]};  // only whether it is 0 counts
    if (!Format::kKnown && f_.borders && !group.plain) {
      const Words border = Lanes::splat(v_.border[c]);
      for (int t = 0; t < 4; ++t)
        tap[t] = Lanes::select(Lanes::from_bits(group.outside[0][t & 1] | group.outside[1][t >> 1]), border, tap[t]);
    }
    return Texel::bilinear(Format::of(f_).finite, false, tap, weight, factor);
  }
  HEDDLE_INLINE Words channel(const Group& group, const Element (&word)[4], unsigned c) const {
    const ChannelCode& code = Format::of(f_).channel[c];
    Words tap[4];
    Texel::template decode<4>(code, false, word, v_.srgb, tap, Format::kKnown && triples_);
    const bool constant = code.kind == ChannelKind::Zero || code.kind == ChannelKind::One;
    return constant && (Format::kKnown || !f_.borders) ? tap[0] : bilinear(group, c, tap);
  }
  /// The channels of a format that is not known here.
  HEDDLE_INLINE void any_channels(const Group& group, Element (&word)[4], Element& x) const {
    Element value;
    if (early_) {
      HEDDLE_UNROLLED
      for (int t = 0; t < 4; ++t) Texel::decode_all(f_, v_.srgb, word[t], word[t]);
      for (unsigned c = 0; c < 4; ++c) {
        Words tap[4] = {word[0][c], word[1][c], word[2][c], word[3][c]};
        value[c] = bilinear(group, c, tap);
      }
    } else {
      for (unsigned c = 0; c < 4; ++c) value[c] = channel(group, word, c);
    }
    for (unsigned c = 0; c < 4; ++c) x[c] = Texel::select_channel(f_, f_.select[c], value);
  }

  HEDDLE_INLINE void filter(const Group& group, std::uint32_t* out) const {
    Element word[4], x;
    load_row(base_, group.row[0], word[0], word[1]);
    if (group.plain) {
      load_row_below(group.row[0], word[2], word[3]);
    } else {
      load_row(base_, group.row[1], word[2], word[3]);
      if ((group.second | group.first) != 0) mend(group, word);
    }
    if constexpr (Format::kKnown) {
      Texel::prepare(Format::kState, word);
      x[0] = channel(group, word, 0);
      x[1] = channel(group, word, 1);
      x[2] = channel(group, word, 2);
      x[3] = channel(group, word, 3);
    } else {
      any_channels(group, word, x);
    }
    const Words low01 = Lanes::template in_parts<0, 4, 1, 5>(x[0], x[1]),
                low23 = Lanes::template in_parts<0, 4, 1, 5>(x[2], x[3]),
                high01 = Lanes::template in_parts<2, 6, 3, 7>(x[0], x[1]),
                high23 = Lanes::template in_parts<2, 6, 3, 7>(x[2], x[3]);
    Lanes::store(out, Lanes::template in_parts<0, 1, 4, 5>(low01, low23));
    Lanes::store(out + W, Lanes::template in_parts<2, 3, 6, 7>(low01, low23));
    Lanes::store(out + 2 * W, Lanes::template in_parts<0, 1, 4, 5>(high01, high23));
    Lanes::store(out + 3 * W, Lanes::template in_parts<2, 3, 6, 7>(high01, high23));
  }

  const std::uint8_t* lower_;  ///< the level's second row
  bool early_, triples_, prefetches_;
};

/// Formats of four channels of 16 or 32 bits, in this order. A vector has all channels of a quarter of the lanes, as
/// they lie in memory, for taps and for results.
template <int W, ChannelKind Kind, unsigned Bits>
class WideArraySamples : ArrayAddresses<W> {
  using Base = ArrayAddresses<W>;
  using Base::at_;
  using Base::base_;
  using Base::f_;
  using Base::kAhead;
  using Base::kRing;
  using Base::kSettled;
  using Base::level_;
  using Word = typename Base::Word;
  using Lanes = Vector<W>;
  using Texel = Texels<W>;
  using Floats = typename Lanes::Floats;
  using Ints = typename Lanes::Ints;
  using Words = typename Lanes::Words;
  static constexpr unsigned kBytes = Bits / 2;

 public:
  using Base::Base;

  static HEDDLE_INLINE bool takes(const StaticState& f) {
    bool same = f.element_bytes == kBytes && !f.borders && Base::selects_itself(f);
    for (unsigned c = 0; c < 4; ++c) {
      const ChannelCode& code = f.channel[c];
      same = same && code.kind == Kind && code.bits == Bits && code.word * 32u + code.shift == c * Bits;
    }
    return same;
  }

  /// `count` whole groups.
  HEDDLE_INLINE void run(std::size_t count) {
    Group ring[kRing];
    for (std::size_t g = 0; g < count + kAhead; ++g) {
      if (g < count) place(g * W, ring[g % kRing]);
      prefetch(ring[(g - kSettled) % kRing]);
      if (g >= kAhead) filter(ring[(g - kAhead) % kRing], at_.out + 4 * W * (g - kAhead));
    }
  }

 private:
  struct Group {
    Words tap[4]{};  ///< bytes from the level's first texel to each of the four
    Floats factor[2];
  };

  HEDDLE_INLINE void place(std::size_t first, Group& to) const {
    const Words at[2] = {Lanes::load(at_.u + first), Lanes::load(at_.v + first)};
    Ints index[2];
    if (!Base::find_plain(at, index, to.factor)) return place_any(first, to);
    to.tap[0] = (Words)index[1] * level_.row_pitch + (Words)index[0] * kBytes;
    to.tap[1] = to.tap[0] + kBytes;
    to.tap[2] = to.tap[0] + level_.row_pitch;
    to.tap[3] = to.tap[2] + kBytes;
  }
  __attribute__((noinline)) void place_any(std::size_t first, Group& to) const {
    const Words read_at[2] = {Lanes::load(at_.u + first), Lanes::load(at_.v + first)};
    Ints at[2][2], outside[2][2]{};
    Base::find_any(read_at, at, outside, to.factor);
    for (int t = 0; t < 4; ++t) to.tap[t] = (Words)at[1][t >> 1] * level_.row_pitch + (Words)at[0][t & 1] * kBytes;
  }
  /// Of a pair of texels some lie across two cache lines.
  HEDDLE_INLINE void prefetch(const Group& group) const {
    const auto* offset = reinterpret_cast<const Word*>(&group.tap);
    HEDDLE_UNROLLED
    for (int k = 0; k < W; ++k) {
      __builtin_prefetch(base_ + offset[k], 0, 2);
      __builtin_prefetch(base_ + offset[2 * W + k], 0, 2);
      if (Bits == 16) continue;
      __builtin_prefetch(base_ + offset[W + k], 0, 2);
      __builtin_prefetch(base_ + offset[3 * W + k], 0, 2);
    }
  }

  /// One texel of each of W / 4 lanes, as numbers.
  HEDDLE_INLINE Words texels(const Word* offset) const {
    if constexpr (Bits == 32) {
      return Lanes::join([&](int lane) HEDDLE_INLINE_LAMBDA {
        return _mm_loadu_ps(reinterpret_cast<const float*>(base_ + offset[lane / 4]));
      });
    } else {
      std::uint64_t texels[W / 4];
      HEDDLE_UNROLLED
      for (int k = 0; k < W / 4; ++k) __builtin_memcpy(&texels[k], base_ + offset[k], 8);
      typename Lanes::HalfWords halves;
      __builtin_memcpy(&halves, texels, sizeof halves);
      const Words words = __builtin_convertvector(halves, Words);
      if constexpr (Kind == ChannelKind::Float16) return Texel::half_to_float(words);
      return (Words)Texel::divide(Lanes::to_float((Ints)words), Bits);
    }
  }
  template <int Part>
  static HEDDLE_INLINE Floats of_part(Floats of_lanes) {
    return [&]<int... K>(std::integer_sequence<int, K...>) HEDDLE_INLINE_LAMBDA {
      return (Floats)Lanes::permuted((Words)of_lanes, Ints{(Part * (W / 4) + K / 4)...});
    }(std::make_integer_sequence<int, W>{});
  }
  HEDDLE_INLINE void filter(const Group& group, std::uint32_t* out) const {
    const auto* offset = reinterpret_cast<const Word*>(&group.tap);
    const auto part = [&]<int Part>() HEDDLE_INLINE_LAMBDA {
      Words tap[4];
      HEDDLE_UNROLLED
      for (int t = 0; t < 4; ++t) tap[t] = texels(offset + t * W + Part * (W / 4));
      const Floats factor[3] = {of_part<Part>(group.factor[0]), of_part<Part>(group.factor[1])};
      const Ints weight[3] = {(Ints)factor[0], (Ints)factor[1]};  // only whether it is 0 counts
      Lanes::store(out + Part * W, Texel::bilinear(f_.finite, false, tap, weight, factor));
    };
    part.template operator()<0>();
    part.template operator()<1>();
    part.template operator()<2>();
    part.template operator()<3>();
  }
};

template <typename Samples>
__attribute__((noinline)) bool sample_array_by(const StaticState& f, const DynamicState& v, const ArrayPlaces& at,
                                               std::size_t groups) {
  if (!Samples::takes(f)) return false;
  Samples(f, v, at).run(groups);
  return true;
}
/// The elements of a group; 0: nothing was sampled.
template <int W>
HEDDLE_INLINE std::size_t sample_array(const StaticState& f, const DynamicState& v, const ArrayPlaces& at,
                                       std::size_t count) {
  const bool takes = f.fast && !f.zero && f.one_level && f.same_filter && f.linear_mag && f.ratio <= 1 && f.axes == 2 &&
                     !f.cube && !f.blocks && f.index_source == IndexSource::None &&
                     f.offset_source == OffsetSource::None && !f.compare && !f.integer &&
                     f.reduction == FilterReduction::Weighted && f.unread == 0 && f.family == OperationKind::Sample &&
                     f.op != Op::Lod;
  if (!takes) return 0;
  const std::size_t groups = count / W;
  const bool done = sample_array_by<ArraySamples<W, ArrayOfUnorm8>>(f, v, at, groups) ||
                    sample_array_by<ArraySamples<W, ArrayOfFloat>>(f, v, at, groups) ||
                    sample_array_by<WideArraySamples<W, ChannelKind::Float32, 32>>(f, v, at, groups) ||
                    sample_array_by<WideArraySamples<W, ChannelKind::Float16, 16>>(f, v, at, groups) ||
                    sample_array_by<WideArraySamples<W, ChannelKind::Unorm, 16>>(f, v, at, groups) ||
                    sample_array_by<ArraySamples<W, ArrayOfAny<4>>>(f, v, at, groups) ||
                    sample_array_by<ArraySamples<W, ArrayOfAny<8>>>(f, v, at, groups) ||
                    sample_array_by<ArraySamples<W, ArrayOfAny<16>>>(f, v, at, groups) ||
                    sample_array_by<ArraySamples<W, ArrayOfAny<2>>>(f, v, at, groups) ||
                    sample_array_by<ArraySamples<W, ArrayOfAny<1>>>(f, v, at, groups);
  return done ? W : 0;
}
#else
template <int W>
HEDDLE_INLINE std::size_t sample_array(const StaticState&, const DynamicState&, const ArrayPlaces&, std::size_t) {
  return 0;  // no conversion takes any number there (Vector::kConvertsAny)
}
#endif

}  // namespace
}  // namespace heddle::texture::simd
