// SPDX-License-Identifier: MIT
#pragma once
// Render-target write over lanes: RTW-4..17, OM-1..14.

#include "render_target/simd/state.hpp"
#include "texture/simd/functions/encode.hpp"
#include "texture/simd/functions/store.hpp"

namespace heddle::render_target::simd {
namespace {

using namespace texture::simd;  // the vectors, texels and encodings that all functions share

static HEDDLE_INLINE const Plane& extent_of(const StaticState& f, const DynamicState& v) {
  return f.color ? v.color : f.depth != DepthStorage::None ? v.depth : v.stencil;
}

/// Whether a message's lanes can be taken together: no two enabled lanes share a pixel, so that the order of the slots
/// does not matter; and without a color target, whose edge drops pixels (RTW-13), none lies outside
/// (C22).
static HEDDLE_INLINE bool independent(const StaticState& f, const DynamicState& v, const Inputs& in, std::uint32_t mask,
                                      int subspans) {
  const std::uint32_t lanes = mask & in.enables;
  std::uint32_t odd = 0;
  bool result = true;
  for (int a = 0; a < subspans; ++a) {
    const std::uint32_t used = lanes >> 4 * a & 15u;
    odd |= used != 0 ? in.places[a] : 0;
    for (int b = 0; b < a; ++b) result &= in.places[a] != in.places[b] || (used & lanes >> 4 * b) == 0;
  }
  result &= (odd & 0x10001u) == 0;
  if (f.color) return result;
  for (std::uint32_t rest = mask & in.enables; rest != 0; rest &= rest - 1) {
    const int slot = __builtin_ctz(rest);
    result &= slot >= 4 * subspans ||
              ((in.places[slot / 4] & 0xffffu) + (slot & 1) < extent_of(f, v).width &&
               (in.places[slot / 4] >> 16) + (static_cast<std::uint32_t>(slot) >> 1 & 1u) < extent_of(f, v).height);
  }
  return result;
}

/// Whether the message writes every pixel of 2 rows of neighbors, subspan after subspan, inside the target.
static HEDDLE_INLINE bool whole(const StaticState& f, const DynamicState& v, const Inputs& in, std::uint32_t mask,
                                int subspans) {
  const std::uint32_t first = in.places[0], all = (1u << 4 * subspans) - 1;
  std::uint64_t low, high = 0;
  __builtin_memcpy(&low, in.places, 8);
  std::uint64_t wrong = low ^ (first + (std::uint64_t{first + 2} << 32));
  if (subspans == 4) {
    __builtin_memcpy(&high, in.places + 2, 8);
    wrong |= high ^ (std::uint64_t{first + 4} + (std::uint64_t{first + 6} << 32));
  }
  wrong |= first & 0x10001u;
  if (in.neighbors != 0) wrong = 0;
  const Plane& extent = extent_of(f, v);
  return (wrong | (~(mask & in.enables) & all)) == 0 &&
         (first & 0xffffu) + 2 * static_cast<unsigned>(subspans) <= extent.width && (first >> 16) + 2 <= extent.height;
}

/// The fallback gets a copy of the message: what a compiled kernel hands over then needs no memory on any other way.
/// The fragments' own depths are in memory anyway.
template <int Width>
static HEDDLE_PART void write_slowly(const StaticState& f, const DynamicState& v, const Inputs& in, std::uint32_t mask,
                                     void* thread) {
  alignas(64) std::uint32_t words[9][Width];
  Inputs copy{};
  const auto keep = [&](unsigned row, bool there, const std::uint32_t* from, const std::uint32_t*& to)
                        HEDDLE_INLINE_LAMBDA {
                          if (!there) return;
                          __builtin_memcpy(words[row], from, sizeof words[row]);
                          to = words[row];
                        };
  for (unsigned c = 0; c < 4; ++c) keep(c, f.has[c] != 0, in.color[c], copy.color[c]);
  keep(4, f.has_s0a != 0, in.s0a, copy.s0a);
  keep(5, f.has_omask != 0, in.omask, copy.omask);
  keep(6, f.has_z != 0, in.z, copy.z);
  if (!f.has_z) {
    copy.z = in.z;
    copy.z_pitch = in.z_pitch;
  }
  keep(7, f.has_stencil != 0, in.stencil, copy.stencil);
  keep(8, in.sample_mask != nullptr, in.sample_mask, copy.sample_mask);
  for (unsigned k = 0; k < 4; ++k) copy.places[k] = in.places[k];
  copy.enables = in.enables;
  copy.array_index = in.array_index;
  copy.back = in.back;
  copy.viewport = in.viewport;
  copy.sspi = in.sspi;
  if (f.notes_survivors) copy.survivors = in.survivors;
  v.fallback(&v, &copy, Width, mask, thread);
}

template <int W>
struct RenderTarget {
  using Lanes = Vector<W>;
  using Texel = Texels<W>;
  using Encoder = Encode<W>;
  using Floats = typename Lanes::Floats;
  using Ints = typename Lanes::Ints;
  using Words = typename Lanes::Words;
  using Element = Words[4];

  struct Pixels {
    Words x, y;
  };

  template <int... K>
  static HEDDLE_INLINE Words spread(const std::uint32_t* subspan, std::integer_sequence<int, K...>) {
    return Words{subspan[K / 4]...};
  }
  static HEDDLE_INLINE Pixels pixels(const Inputs& in, int first) {  // RTW-5
    const Words place = spread(in.places + first / 4, std::make_integer_sequence<int, W>{});
    return {(place & 0xffffu) + (Lanes::iota() & 1u), (place >> 16) + (Lanes::iota() >> 1 & 1u)};
  }

  /// Lanes in the order of memory, the upper row first; and back.
  template <int... K>
  static HEDDLE_INLINE Words to_rows(Words x, std::integer_sequence<int, K...>) {
    return __builtin_shufflevector(x, x, ((K % (W / 2)) / 2 * 4 + K % 2 + (K >= W / 2 ? 2 : 0))...);
  }
  template <int... K>
  static HEDDLE_INLINE Words from_rows(Words x, std::integer_sequence<int, K...>) {
    return __builtin_shufflevector(x, x, (K / 4 * 2 + K % 2 + (K / 2 % 2 != 0 ? W / 2 : 0))...);
  }

  /// A message's place in one surface: byte offsets of the pixels in a sample's slice.
  struct PixelOffsets {
    std::uint8_t* base;
    const std::uint8_t* end;  ///< of the memory
    Words offset;             ///< valid lanes only; others point at the first pixel
    bool rows;                ///< 2 rows of W / 2 neighbors, all of them this message's own
    bool pairs;               ///< all pixels are inside: each subspan has two rows of two
    std::uint32_t first, pitch;
    const std::uint32_t* subspans;
    /// The upper left pixel of a subspan, in elements of 4 bytes.
    [[nodiscard]] HEDDLE_INLINE std::uint32_t corner(int subspan) const {
      return (subspans[subspan] >> 16) * pitch + (subspans[subspan] & 0xffffu) * 4;
    }
  };
  template <bool Whole>
  static HEDDLE_INLINE PixelOffsets place(const Plane& plane, const Inputs& in, int lane, unsigned bytes, Ints valid) {
    const std::uint32_t layer = plane.first_layer + (in.array_index > plane.last_index ? 0 : in.array_index);  // RTW-12
    const std::uint32_t subspan = in.places[lane / 4];
    PixelOffsets at;
    at.base = plane.memory + layer * plane.layer_pitch;
    at.end = plane.end;
    at.offset = Words{};
    if (!Whole) {
      const Pixels p = pixels(in, lane);
      at.offset = (p.y * plane.row_pitch + p.x * bytes) & (Words)valid;
    }
    at.rows = Whole;
    at.pairs = !Whole && Lanes::all(valid);
    at.subspans = in.places + lane / 4;
    at.first = (subspan >> 16) * plane.row_pitch + (subspan & 0xffffu) * bytes;
    at.pitch = plane.row_pitch;
    return at;
  }

  /// The upper row's W / 2 elements of T, then the lower one's.
  template <typename R>
  static HEDDLE_INLINE R load_rows(const std::uint8_t* from, std::uint32_t pitch) {
    R rows;
    __builtin_memcpy(&rows, from, sizeof rows / 2);
    __builtin_memcpy(reinterpret_cast<char*>(&rows) + sizeof rows / 2, from + pitch, sizeof rows / 2);
    return rows;
  }
  template <typename R>
  static HEDDLE_INLINE void store_rows(std::uint8_t* to, std::uint32_t pitch, const R& rows) {
    __builtin_memcpy(to, &rows, sizeof rows / 2);
    __builtin_memcpy(to + pitch, reinterpret_cast<const char*>(&rows) + sizeof rows / 2, sizeof rows / 2);
  }
  struct Two {
    Words upper, lower;
  };
  struct Four {
    Words upper[2], lower[2];
  };

  // Subspans of elements of 4 bytes, two neighbors at once.
  using Pairs = typename Lanes::LanePairs;
  static HEDDLE_INLINE Words load_pairs(const PixelOffsets& at, std::uint64_t sample) {
    return (Words)[&]<int... K>(std::integer_sequence<int, K...>) HEDDLE_INLINE_LAMBDA {
      const auto pair = [&](int k) HEDDLE_INLINE_LAMBDA {
        std::int64_t two;
        __builtin_memcpy(&two, at.base + sample + at.corner(k / 2) + (k % 2 != 0 ? at.pitch : 0), sizeof two);
        return two;
      };
      return Pairs{pair(K)...};
    }
    (std::make_integer_sequence<int, W / 2>{});
  }
  /// The covered pixels of one subspan.
  template <int S>
  static HEDDLE_INLINE void store_subspan(std::uint8_t* to, std::uint32_t pitch, Words words, std::uint32_t pixels) {
#if defined(__AVX512VL__)
    const auto four =
        (__m128i)__builtin_shufflevector(words, words, 4 * S, 4 * S + 1, 4 * S + 2, 4 * S + 3);  // upper row, lower row
    _mm_mask_storeu_epi32(to, static_cast<__mmask8>(pixels & 3u), four);
    _mm_mask_storeu_epi32(to + pitch - 8, static_cast<__mmask8>(pixels & 12u), four);
#else
    const auto put = [](std::uint8_t* row, std::int64_t two, std::uint32_t which) HEDDLE_INLINE_LAMBDA {
      if (which == 3)
        __builtin_memcpy(row, &two, 8);
      else if (which == 1)
        __builtin_memcpy(row, &two, 4);
      else if (which == 2)
        __builtin_memcpy(row + 4, reinterpret_cast<const char*>(&two) + 4, 4);
    };
    const auto pairs = (Pairs)words;
    put(to, pairs[2 * S], pixels & 3u);
    put(to + pitch, pairs[2 * S + 1], pixels >> 2);
#endif
  }
  static HEDDLE_INLINE void store_pairs(const PixelOffsets& at, std::uint64_t sample, Words words,
                                        std::uint32_t lanes) {
    std::uint8_t* base = at.base + sample;
    [&]<int... S>(std::integer_sequence<int, S...>) HEDDLE_INLINE_LAMBDA {
      (store_subspan<S>(base + at.corner(S), at.pitch, words, lanes >> 4 * S & 15u), ...);
    }(std::make_integer_sequence<int, W / 4>{});
  }

  static HEDDLE_INLINE void load(const PixelOffsets& at, std::uint64_t sample, unsigned bytes, Element& words) {
    const std::uint8_t* base = at.base + sample;
    constexpr auto kLanes = std::make_integer_sequence<int, W>{};
    if (at.rows) {
      const std::uint8_t* from = base + at.first;
      if (bytes == 1) {
        words[0] = from_rows(__builtin_convertvector(load_rows<typename Lanes::Bytes>(from, at.pitch), Words), kLanes);
      } else if (bytes == 2) {
        words[0] =
            from_rows(__builtin_convertvector(load_rows<typename Lanes::HalfWords>(from, at.pitch), Words), kLanes);
      } else if (bytes == 4) {
        words[0] = from_rows(load_rows<Words>(from, at.pitch), kLanes);
      } else if (bytes == 8) {
        const auto rows = load_rows<Two>(from, at.pitch);
        words[0] = from_rows(Lanes::template evens<1>(rows.upper, rows.lower), kLanes);
        words[1] = from_rows(Lanes::template odds<1>(rows.upper, rows.lower), kLanes);
      } else {
        const auto rows = load_rows<Four>(from, at.pitch);
        const Words low0 = Lanes::template evens<2>(rows.upper[0], rows.upper[1]);
        const Words low1 = Lanes::template evens<2>(rows.lower[0], rows.lower[1]);
        const Words high0 = Lanes::template odds<2>(rows.upper[0], rows.upper[1]);
        const Words high1 = Lanes::template odds<2>(rows.lower[0], rows.lower[1]);
        words[0] = from_rows(Lanes::template evens<1>(low0, low1), kLanes);
        words[1] = from_rows(Lanes::template odds<1>(low0, low1), kLanes);
        words[2] = from_rows(Lanes::template evens<1>(high0, high1), kLanes);
        words[3] = from_rows(Lanes::template odds<1>(high0, high1), kLanes);
      }
      return;
    }
    if (bytes == 4 && at.pairs) {
      words[0] = load_pairs(at, sample);
      return;
    }
    const std::int64_t limit = at.end - base - 4;
    Texel::fetch(bytes, base, (Ints)at.offset, Lanes::kAll,
                 limit > 0x7fffffff ? 0x7fffffff : static_cast<std::int32_t>(limit), words);
    if (bytes < 4) words[0] &= (1u << 8 * bytes) - 1;
  }

  /// Pairs (a[k], b[k]) of the first or second W / 2 lanes.
  template <int Half>
  static HEDDLE_INLINE Words pairs(Words a, Words b) {
    return [&]<int... K>(std::integer_sequence<int, K...>) HEDDLE_INLINE_LAMBDA {
      return __builtin_shufflevector(a, b, (Half * W / 2 + K / 2 + (K % 2) * W)...);
    }(std::make_integer_sequence<int, W>{});
  }
  /// The same of pairs of words.
  template <int Half>
  static HEDDLE_INLINE Words double_pairs(Words a, Words b) {
    return [&]<int... K>(std::integer_sequence<int, K...>) HEDDLE_INLINE_LAMBDA {
      return __builtin_shufflevector(a, b, (Half * W / 2 + K / 4 * 2 + K % 2 + (K / 2 % 2) * W)...);
    }(std::make_integer_sequence<int, W>{});
  }

  static HEDDLE_INLINE void store_whole(const PixelOffsets& at, std::uint64_t sample, unsigned bytes,
                                        const Element& words) {
    constexpr auto kLanes = std::make_integer_sequence<int, W>{};
    std::uint8_t* to = at.base + sample + at.first;
    // Stores to memory that is not in a cache stop everything behind them: the lines of messages to come are asked for.
    constexpr unsigned kAhead = 512;
    __builtin_prefetch(to + kAhead, 1);
    __builtin_prefetch(to + at.pitch + kAhead, 1);
    const Words a = to_rows(words[0], kLanes);
    if (bytes == 1) return store_rows(to, at.pitch, __builtin_convertvector(a, typename Lanes::Bytes));
    if (bytes == 2) return store_rows(to, at.pitch, __builtin_convertvector(a, typename Lanes::HalfWords));
    if (bytes == 4) return store_rows(to, at.pitch, a);
    const Words b = to_rows(words[1], kLanes);
    const Words upper = pairs<0>(a, b), lower = pairs<1>(a, b);
    if (bytes == 8) return store_rows(to, at.pitch, Two{upper, lower});
    const Words c = to_rows(words[2], kLanes), d = to_rows(words[3], kLanes);
    const Words upper2 = pairs<0>(c, d), lower2 = pairs<1>(c, d);
    store_rows(to, at.pitch,
               Four{{double_pairs<0>(upper, upper2), double_pairs<1>(upper, upper2)},
                    {double_pairs<0>(lower, lower2), double_pairs<1>(lower, lower2)}});
  }

  static HEDDLE_INLINE void store(const PixelOffsets& at, std::uint64_t sample, unsigned bytes, const Element& words,
                                  Ints lanes) {
    std::uint32_t mask = Lanes::bits(lanes);
    if (at.rows) {
      if (mask == Lanes::kAll) return store_whole(at, sample, bytes, words);
      if (mask == 0) return;
      Element merged{};
      load(at, sample, bytes, merged);
      for (unsigned w = 0; w < 4; ++w)
        if (4 * w < bytes) merged[w] = Lanes::select(lanes, words[w], merged[w]);
      return store_whole(at, sample, bytes, merged);
    }
    if (bytes == 4 && at.pairs) return store_pairs(at, sample, words[0], mask);
    Store<W>::elements(at.base + sample, at.offset, bytes, words, mask);
  }

  // --- the merger's functions of values ---

  template <typename X>
  static HEDDLE_INLINE Ints holds(CompareFunction function, X left,
                                  X right) {  // CompareFunction, not inverted; IEEE (C57)
    switch (function) {
      case CompareFunction::Always:
        return Ints{} - 1;
      case CompareFunction::Never:
        return Ints{};
      case CompareFunction::Less:
        return (Ints)(left < right);
      case CompareFunction::Equal:
        return (Ints)(left == right);
      case CompareFunction::Lequal:
        return (Ints)(left <= right);
      case CompareFunction::Greater:
        return (Ints)(left > right);
      case CompareFunction::Notequal:
        return (Ints)(left != right);
      default:  // CompareFunction::Gequal
        return (Ints)(left >= right);
    }
  }

  static HEDDLE_INLINE Words alpha_coverage(Floats alpha) {  // OM-2
    const Words m = (Words)Lanes::to_int(Encoder::clamp(alpha, 0.0f, 1.0f) * 16.0f);
    const Words pattern = (Lanes::splat(0xfea80u) >> (m & ~3u)) & 0xfu;
    const Words cover = pattern * 0x1111u | (m & 2u) * 0x0808u | (m & 1u) * 0x0100u;
    return (Words)((Ints)cover & (Ints)(alpha == alpha));
  }

  static HEDDLE_INLINE Words stencil_result(StencilOp op, Words stored, Words reference) {  // OM-7
    switch (op) {
      case StencilOp::Keep:
        return stored;
      case StencilOp::Zero:
        return Words{};
      case StencilOp::Replace:
        return reference;
      case StencilOp::IncrSat:
        return Lanes::select((Ints)(stored == 255u), stored, stored + 1u);
      case StencilOp::DecrSat:
        return Lanes::select((Ints)(stored == 0u), stored, stored - 1u);
      case StencilOp::Incr:
        return (stored + 1u) & 255u;
      case StencilOp::Decr:
        return (stored - 1u) & 255u;
      default:  // StencilOp::Invert
        return ~stored & 255u;
    }
  }

  struct Colors {
    Floats source[4], destination[4];
    const float* constant;
  };
  static HEDDLE_INLINE Floats rule_min(Floats a, Floats b) { return Lanes::select((a != a) | (b < a), b, a); }
  static HEDDLE_INLINE Floats rule_max(Floats a, Floats b) { return Lanes::select((a != a) | (b > a), b, a); }

  static HEDDLE_INLINE Floats factor(BlendFactor which, unsigned c, const Colors& k) {  // OM-21
    const Floats one = Lanes::splat(1.0f);
    switch (which) {
      case BlendFactor::One:
        return one;
      case BlendFactor::SrcColor:
        return k.source[c];
      case BlendFactor::SrcAlpha:
        return k.source[3];
      case BlendFactor::DstAlpha:
        return k.destination[3];
      case BlendFactor::DstColor:
        return k.destination[c];
      case BlendFactor::SrcAlphaSaturate:
        return c == 3 ? one : rule_min(k.source[3], one - k.destination[3]);
      case BlendFactor::ConstColor:
        return Lanes::splat(k.constant[c]);
      case BlendFactor::ConstAlpha:
        return Lanes::splat(k.constant[3]);
      case BlendFactor::InvSrcColor:
        return one - k.source[c];
      case BlendFactor::InvSrcAlpha:
        return one - k.source[3];
      case BlendFactor::InvDstAlpha:
        return one - k.destination[3];
      case BlendFactor::InvDstColor:
        return one - k.destination[c];
      case BlendFactor::InvConstColor:
        return Lanes::splat(1.0f - k.constant[c]);
      case BlendFactor::InvConstAlpha:
        return Lanes::splat(1.0f - k.constant[3]);
      default:
        return Floats{};
    }
  }
  static HEDDLE_INLINE Floats combine(BlendFunction function, BlendFactor source, BlendFactor destination, unsigned c,
                                      const Colors& k) {  // OM-9, OM-20
    if (function == BlendFunction::Min) return rule_min(k.source[c], k.destination[c]);
    if (function == BlendFunction::Max) return rule_max(k.source[c], k.destination[c]);
    const Floats a = k.source[c] * factor(source, c, k), b = k.destination[c] * factor(destination, c, k);
    return Lanes::canonical(function == BlendFunction::Subtract          ? a - b
                            : function == BlendFunction::ReverseSubtract ? b - a
                                                                         : a + b);
  }

  static HEDDLE_INLINE Floats clamped(const StaticState& f, const DynamicState& v, unsigned c, Floats x) {  // OM-8
    return f.bounded[c] ? Encoder::clamp(x, v.clamp[c][0], v.clamp[c][1]) : x;
  }

  /// OM-8 to OM-14 for one sample of the lanes of `mask`.
  static HEDDLE_INLINE void write_color(const StaticState& f, const DynamicState& v, const PixelOffsets& at,
                                        std::uint64_t sample, const Words (&color)[4], Ints lanes) {
    // The values of the target's channels (RTW-14), and what is stored where that is needed.
    Words value[4];
    for (unsigned c = 0; c < 4; ++c) value[c] = f.routed[c] < 4 ? color[f.routed[c]] : c == 3 ? color[3] : Words{};
    Element stored{};
    bool keeps = false;
    for (const StoredChannel& s : f.stored) keeps |= s.used && !f.written[s.component];
    if (keeps || f.blending) load(at, sample, f.element_bytes, stored);
    // Clamps and blending.
    if (!f.integer) {
      Colors k;
      float constant[4];
      for (unsigned c = 0; c < 4; ++c) {
        k.source[c] = (Floats)value[c];
        if (f.pre_clamp) k.source[c] = clamped(f, v, c, k.source[c]);
      }
      if (f.blending) {
        const Element one[1] = {{stored[0], stored[1], stored[2], stored[3]}};
        for (unsigned c = 0; c < 4; ++c) {
          Words out[1];
          Texel::template decode<1>(f.decoded[c], false, one, v.srgb_decode, out);
          k.destination[c] = (Floats)out[0];
          constant[c] = v.constant[c];
          if (f.pre_clamp && !f.source_only_clamp) {
            k.destination[c] = clamped(f, v, c, k.destination[c]);
            const float x = constant[c], low = v.clamp[c][0], high = v.clamp[c][1];
            if (f.bounded[c]) constant[c] = x != x ? 0.0f : x < low ? low : x > high ? high : x;
          }
        }
        k.constant = constant;
        Floats result[4];
        result[0] = combine(f.color_function, f.source_color, f.destination_color, 0, k);
        result[1] = combine(f.color_function, f.source_color, f.destination_color, 1, k);
        result[2] = combine(f.color_function, f.source_color, f.destination_color, 2, k);
        result[3] = f.independent_alpha ? combine(f.alpha_function, f.source_alpha, f.destination_alpha, 3, k)
                                        : combine(f.color_function, f.source_color, f.destination_color, 3, k);
        for (unsigned c = 0; c < 4; ++c) k.source[c] = result[c];
      }
      for (unsigned c = 0; c < 4; ++c) value[c] = (Words)(f.post_clamp ? clamped(f, v, c, k.source[c]) : k.source[c]);
    }
    // The encoded channels; those that are not written keep their bits.
    Element words{};
    const auto put = [&](const StoredChannel& s) HEDDLE_INLINE_LAMBDA {
      if (!s.used) return;
      const unsigned n = s.code.bits, shift = s.code.shift;
      const std::uint32_t bits = n >= 32 ? ~0u : ((1u << n) - 1) << shift;
      if (!f.written[s.component])
        words[s.code.word] |= stored[s.code.word] & bits;
      else
        words[s.code.word] |= Encoder::channel(s.code, value[s.component], v.srgb_encode) << shift;
    };
    put(f.stored[0]);
    put(f.stored[1]);
    put(f.stored[2]);
    put(f.stored[3]);
    store(at, sample, f.element_bytes, words, lanes);
  }

  /// Words of the payload as binary32 bits, or integer words for integer targets (RTW-10, NUM-63, C53).
  static HEDDLE_INLINE Words payload(const StaticState& f, const std::uint32_t* from, bool integer) {
    const Words word = Lanes::load(from);
    if (!f.half) return word;
    if (!integer) return Texel::half_to_float(word & 0xffffu);
    return f.is_signed ? (Words)((Ints)(word << 16) >> 16) : word & 0xffffu;
  }

  static HEDDLE_INLINE Words quantize_depth(const StaticState& f, Floats z) {
    if (f.depth == DepthStorage::D32Float) return (Words)z;
    return Encoder::unorm(z, f.depth == DepthStorage::D16Unorm ? 16 : 24);
  }

  static HEDDLE_INLINE Floats fragment_depth(const DynamicState& v, const Inputs& in, int first,
                                             unsigned sample) {  // OM-6
    const float* range = v.depth_range[in.viewport < v.viewports ? in.viewport : 16];
    const Floats z = (Floats)Lanes::load(in.z + sample * in.z_pitch + first), low = Lanes::splat(range[0]),
                 high = Lanes::splat(range[1]);
    return Lanes::select(z < low, low, Lanes::select(z > high, high, z));
  }

  /// Every sample of the lanes is covered (RTW-7).
  static HEDDLE_INLINE bool covered(const StaticState& f, const Inputs& in, int first) {
    if (!f.has_sample_mask) return true;
    const Words every = Lanes::splat(f.samples >= 16 ? 0xffffu : (1u << f.samples) - 1u);
    return Lanes::all((Lanes::load(in.sample_mask + first) & every) == every);
  }

  /// Whole: whole() of the message and covered() of the lanes.
  template <bool Whole>
  static HEDDLE_PART void write(const StaticState& f, const DynamicState& v, const Inputs& in, std::uint32_t mask,
                                int first) {
    // The lanes that write: enabled and inside the target.
    Ints valid = Ints{} - 1, inside = valid;
    if (!Whole) {
      const Pixels p = pixels(in, first);
      const Plane& extent = extent_of(f, v);
      inside = (Ints)(p.x < extent.width) & (Ints)(p.y < extent.height);              // RTW-13
      valid = inside & Lanes::from_bits((mask & in.enables) >> first & Lanes::kAll);  // RTW-4
      if (!Lanes::any(valid)) return;
    }

    // The payload, the samples that it covers, and the tests of alpha.
    Words color[4]{};
    for (unsigned c = 0; c < 4; ++c)
      if (f.has[c]) color[c] = payload(f, in.color[c] + first, f.integer);
    const bool has_alpha = f.has_s0a || !f.integer;
    Floats alpha = f.has_s0a ? (Floats)payload(f, in.s0a + first, false) : f.integer ? Floats{} : (Floats)color[3];
    Words samples = Lanes::splat(f.samples >= 16 ? 0xffffu : (1u << f.samples) - 1u);
    if (!Whole && f.has_sample_mask) samples &= Lanes::load(in.sample_mask + first);  // RTW-7
    if (f.has_omask) samples &= Lanes::load(in.omask + first);                        // RTW-8
    if (f.alpha_to_coverage && has_alpha)
      samples &= f.samples > 1 ? alpha_coverage(alpha) : (Words)(alpha >= Lanes::splat(0.5f));
    if (f.alpha_to_one) {  // OM-3
      alpha = Lanes::splat(1.0f);
      if (!f.integer) color[3] = Lanes::splat(0x3f800000u);
    }
    if (f.alpha_test && has_alpha) {  // OM-4
      if (f.alpha_unorm8)
        valid &=
            holds(f.alpha_function_test, (Words)Encoder::unorm(alpha, 8), Encoder::unorm(Lanes::splat(v.alpha_ref), 8));
      else
        valid &= holds(f.alpha_function_test, alpha, Lanes::splat(v.alpha_ref));
    }

    // Where the pixels lie in each surface; then sample by sample the tests and the color.
    PixelOffsets at{}, depth_at{}, stencil_at{};
    if (f.color) at = place<Whole>(v.color, in, first, f.element_bytes, inside);
    Words z{};
    if (f.depth != DepthStorage::None) {
      depth_at = place<Whole>(v.depth, in, first, depth_bytes(f.depth), inside);
      z = quantize_depth(f, fragment_depth(v, in, first, 0));
    }
    if (f.stencil) stencil_at = place<Whole>(v.stencil, in, first, 1, inside);
    const unsigned face = f.double_sided && in.back ? 1 : 0;
    Words survivors{};
    std::uint64_t passed = 0;
    for (unsigned s = 0; s < f.samples; ++s) {
      Ints alive = valid & (Ints)((samples >> s & 1u) != 0u);
      if (s != 0 && f.depth != DepthStorage::None && in.z_pitch != 0)
        z = quantize_depth(f, fragment_depth(v, in, first, s));
      if (f.stencil || f.depth != DepthStorage::None)
        alive = depth_stencil(f, v, in, first, face, s, alive, depth_at, stencil_at, z);
      if (f.counts) passed += static_cast<unsigned>(__builtin_popcount(Lanes::bits(alive)));
      if (f.notes_survivors) survivors |= (Words)alive & 1u << s;
      if (f.color && Lanes::any(alive)) write_color(f, v, at, s * v.color.sample_pitch, color, alive);
    }
    if (f.counts && passed != 0) __atomic_fetch_add(v.samples_passed, passed, __ATOMIC_RELAXED);
    if (f.notes_survivors) __builtin_memcpy(in.survivors + first, &survivors, sizeof survivors);
  }

  /// OM-5 to OM-7: the lanes that survive; commits when the message is the last one (RTW-17).
  static HEDDLE_INLINE Ints depth_stencil(const StaticState& f, const DynamicState& v, const Inputs& in, int first,
                                          unsigned face, unsigned sample, Ints alive, const PixelOffsets& depth_at,
                                          const PixelOffsets& stencil_at, Words z) {
    Element stencil{}, depth{};
    Words reference{}, updated{};
    Ints passes = alive;
    if (f.stencil) {
      load(stencil_at, sample * v.stencil.sample_pitch, 1, stencil);
      reference = f.has_stencil ? Lanes::load(in.stencil + first) & 255u
                                : Lanes::splat(std::uint32_t{v.reference[face]});  // RTW-9
      passes &= holds(f.stencil_function[face], reference & std::uint32_t{v.test_mask[face]},
                      stencil[0] & std::uint32_t{v.test_mask[face]});
      updated = stencil_result(f.fail[face], stencil[0], reference);
    }
    // The depth test.
    Ints survives = passes;
    if (f.depth != DepthStorage::None && f.depth_test) {
      load(depth_at, sample * v.depth.sample_pitch, depth_bytes(f.depth), depth);
      if (f.depth == DepthStorage::D32Float)
        survives &= holds(f.depth_function, (Floats)z, (Floats)depth[0]);
      else
        survives &= holds(f.depth_function, z, f.depth == DepthStorage::D24UnormX8 ? depth[0] & 0xffffffu : depth[0]);
    }
    // The new stencil values and depths.
    if (!f.last) return survives;
    if (f.stencil && f.stencil_write) {
      updated = Lanes::select(passes, stencil_result(f.depth_fail[face], stencil[0], reference), updated);
      updated = Lanes::select(survives, stencil_result(f.pass[face], stencil[0], reference), updated);
      const std::uint32_t keep = std::uint32_t{v.write_mask[face]};
      const Element words = {(stencil[0] & ~keep) | (updated & keep)};
      store(stencil_at, sample * v.stencil.sample_pitch, 1, words, alive);
    }
    if (f.depth != DepthStorage::None && f.depth_write) {
      const Element words = {z};
      store(depth_at, sample * v.depth.sample_pitch, depth_bytes(f.depth), words, survives);
    }
    return survives;
  }
};

}  // namespace
}  // namespace heddle::render_target::simd
