// SPDX-License-Identifier: MIT
#pragma once
// Elements to values over lanes: NUM-10..18, 21, 23, CMP-1..3, and the filters' arithmetic (FLT-1, RED-1).

#include "texture/simd/functions/srgb.hpp"
#include "texture/simd/state.hpp"

namespace heddle::texture::simd {
namespace {

using image::ChannelSelect;
using image::CompareFunction;
using image::ValueClass;

/// 1 / (2^n - 1) in two parts. Up to 16 bits the upper part has so few bits that its products are exact.
struct Reciprocals {
  float high[25]{}, low[25]{};
};
constexpr Reciprocals make_reciprocals() {
  Reciprocals r;
  for (unsigned n = 1; n <= 24; ++n) {
    const double top = static_cast<double>((1u << n) - 1);
    const double unit = n <= 16 ? static_cast<double>(1u << n) * 256.0 : 0;
    r.high[n] = n <= 16 ? static_cast<float>(static_cast<double>(static_cast<std::uint32_t>(unit / top)) / unit)
                        : static_cast<float>(1.0 / top);
    r.low[n] = static_cast<float>(1.0 / top - static_cast<double>(r.high[n]));
  }
  return r;
}
constexpr Reciprocals kReciprocals = make_reciprocals();

template <int W>
struct Texels {
  using Lanes = Vector<W>;
  using Floats = typename Lanes::Floats;
  using Ints = typename Lanes::Ints;
  using Words = typename Lanes::Words;
  using Element = Words[4];

  /// W elements of four words in a, b, c, d.
  static HEDDLE_INLINE void transpose(Words a, Words b, Words c, Words d, Element& words) {
    const Words low0 = Lanes::template evens<2>(a, b), low1 = Lanes::template evens<2>(c, d);
    const Words high0 = Lanes::template odds<2>(a, b), high1 = Lanes::template odds<2>(c, d);
    words[0] = Lanes::template evens<1>(low0, low1);
    words[1] = Lanes::template odds<1>(low0, low1);
    words[2] = Lanes::template evens<1>(high0, high1);
    words[3] = Lanes::template odds<1>(high0, high1);
  }
  /// Each lane's right neighbor; the last one's four words are at the end of `end`.
  static HEDDLE_INLINE void shift_in(const Element& words, Words end, Element& next) {
    next[0] = Lanes::template shifted<W - 4>(words[0], end);
    next[1] = Lanes::template shifted<W - 3>(words[1], end);
    next[2] = Lanes::template shifted<W - 2>(words[2], end);
    next[3] = Lanes::template shifted<W - 1>(words[3], end);
  }
  /// The words of W elements one after the other.
  static HEDDLE_INLINE void load_run(unsigned bytes, const std::uint8_t* from, Element& words) {
    switch (bytes) {
      case 1:
        words[0] = Lanes::load_small(from);
        break;
      case 2:
        words[0] = Lanes::load_half_words(from);
        break;
      case 8: {
        const Words a = Lanes::load_bytes(from), b = Lanes::load_bytes(from + 4 * W);
        words[0] = Lanes::template evens<1>(a, b);
        words[1] = Lanes::template odds<1>(a, b);
        break;
      }
      case 16: {
        const Words a = Lanes::load_bytes(from), b = Lanes::load_bytes(from + 4 * W);
        const Words c = Lanes::load_bytes(from + 8 * W), d = Lanes::load_bytes(from + 12 * W);
        transpose(a, b, c, d, words);
        break;
      }
      default:
        words[0] = Lanes::load_bytes(from);
        break;
    }
  }
  /// The same from one element further on, `words` being those of `from`.
  static HEDDLE_INLINE void load_next(unsigned bytes, const std::uint8_t* from, const Element& words, Element& next) {
    if (bytes <= 4) return load_run(bytes, from + bytes, next);
    const Words end = Lanes::load_bytes(from + bytes * (W + 1) - 4 * W);
    if (bytes == 8) {
      next[0] = Lanes::template shifted<W - 2>(words[0], end);
      next[1] = Lanes::template shifted<W - 1>(words[1], end);
      return;
    }
    shift_in(words, end, next);
  }

  /// The words of the element at each byte offset. `slow`: StaticState::slow_gathers; of single words it is the
  /// instruction that is quicker on every machine. `apart`: as StaticState has it; `base` is a multiple of 4 then.
  static HEDDLE_INLINE void gather(unsigned bytes, const std::uint8_t* base, Ints offset, std::int32_t limit,
                                   Element& words, bool slow = false, bool apart = false) {
    switch (bytes) {
      case 1:
      case 2: {  // the word must not reach beyond the memory
        const Ints safe = apart ? offset & ~3 : Lanes::min(offset, Lanes::splat(limit));
        words[0] = Lanes::gather(base, safe) >> (Words)((offset - safe) << 3);
        break;
      }
      case 8:
        if (Lanes::kLoadsLanes && slow)
          Lanes::load_pair(base, offset, words[0], words[1]);
        else
          Lanes::gather_pair(base, offset, words[0], words[1]);
        break;
      case 16:
        if (Lanes::kLoadsLanes && slow) {
          Lanes::load_four(base, offset, words[0], words[1], words[2], words[3]);
        } else {
          Lanes::gather_pair(base, offset, words[0], words[1]);
          Lanes::gather_pair(base, offset + 8, words[2], words[3]);
        }
        break;
      default:
        words[0] = Lanes::gather(base, offset);
        break;
    }
  }
  /// Of the element of 4 or 8 bytes at each byte offset, and of the next one.
  static HEDDLE_INLINE void load_neighbors(unsigned bytes, const std::uint8_t* base, Ints offset, Element& words,
                                           Element& next) {
    if (bytes == 8)
      Lanes::load_four(base, offset, words[0], words[1], next[0], next[1]);
    else
      Lanes::load_pair(base, offset, words[0], next[0]);
  }
  /// In every lane the words of one element.
  static HEDDLE_INLINE void load_one(unsigned bytes, const std::uint8_t* from, Element& words) {
    switch (bytes) {
      case 1:
        words[0] = Lanes::splat(std::uint32_t{*from});
        break;
      case 2: {
        std::uint16_t half;
        __builtin_memcpy(&half, from, sizeof half);
        words[0] = Lanes::splat(std::uint32_t{half});
        break;
      }
      case 16:
        words[2] = Lanes::word_of(from + 8);
        words[3] = Lanes::word_of(from + 12);
        [[fallthrough]];
      case 8:
        words[1] = Lanes::word_of(from + 4);
        [[fallthrough]];
      default:
        words[0] = Lanes::word_of(from);
        break;
    }
  }
  /// The elements at these byte offsets, where they are neighbors.
  static HEDDLE_INLINE bool fetch_run(unsigned bytes, const std::uint8_t* base, Ints offset, Element& words) {
    const std::int32_t at = offset[0];
    if (bytes < 4 || !Lanes::all(offset == (Ints)(Lanes::iota() * static_cast<std::uint32_t>(bytes)) + at))
      return false;
    load_run(bytes, base + at, words);
    return true;
  }
  /// gather(), and fast where, with `apart`, only lanes of `mask` count and read one element.
  static HEDDLE_INLINE void fetch_any(unsigned bytes, const std::uint8_t* base, Ints offset, std::uint32_t mask,
                                      std::int32_t limit, Element& words, bool slow, bool apart) {
    // Code for one state stays as short as it is: what is inlined more often takes longer.
    if (apart && (mask & Lanes::kAll) != Lanes::kAll) {
      offset = Lanes::settled(offset, Lanes::from_bits(mask));
      const std::int32_t one = offset[0];
      if (Lanes::all(offset == one)) return load_one(bytes, base + one, words);
    }
    gather(bytes, base, offset, limit, words, slow, apart);
  }
  static HEDDLE_INLINE void fetch(unsigned bytes, const std::uint8_t* base, Ints offset, std::uint32_t mask,
                                  std::int32_t limit, Element& words, bool slow = false, bool apart = false) {
    if (!fetch_run(bytes, base, offset, words)) fetch_any(bytes, base, offset, mask, limit, words, slow, apart);
  }

  /// Texels that lie in blocks, one for each lane.
  static HEDDLE_INLINE void decode_blocks(const DynamicState& v, const Level& level, Ints x, Ints y, Words slice,
                                          Words apart, Element& words) {
    std::uint32_t places[4 * W], found[4 * W];
    Lanes::store(places, (Words)x);
    Lanes::store(places + W, (Words)y);
    Lanes::store(places + 2 * W, slice);
    Lanes::store(places + 3 * W, apart);
    v.decode(&v, &level, places, W, 0, found);
    load_run(16, reinterpret_cast<const std::uint8_t*>(found), words);
  }
  /// The same of footprints: the texels of each lane at (x0, y0), (x1, y0), (x0, y1) and (x1, y1).
  static HEDDLE_INLINE void decode_block_quads(const DynamicState& v, const Level& level, const Ints (&x)[2],
                                               const Ints (&y)[2], Words slice, Words apart, Element (&words)[4]) {
    std::uint32_t places[6 * W], found[16 * W];
    Lanes::store(places, (Words)x[0]);
    Lanes::store(places + W, (Words)x[1]);
    Lanes::store(places + 2 * W, (Words)y[0]);
    Lanes::store(places + 3 * W, (Words)y[1]);
    Lanes::store(places + 4 * W, slice);
    Lanes::store(places + 5 * W, apart);
    v.decode(&v, &level, places, W, 1, found);
    HEDDLE_UNROLLED
    for (int t = 0; t < 4; ++t) load_run(16, reinterpret_cast<const std::uint8_t*>(found + 4 * t * W), words[t]);
  }

  /// Rows of `columns` texels each that lie in blocks, from (x, y) on, as texels of four words.
  static HEDDLE_INLINE void decode_block_rows(const DynamicState& v, const Level& level, std::uint32_t x,
                                              std::uint32_t y, std::uint32_t slice, std::uint32_t columns,
                                              std::uint32_t rows, std::uint32_t* texels) {
    const std::uint32_t places[5] = {x, y, slice, columns, rows};
    v.decode(&v, &level, places, 0, 0, texels);
  }

  /// v / (2^n - 1), |v| < 2^n: the division as a product that is exact for the upper part of the reciprocal, so that
  /// both forms of `fma` round once. Holds for every v of every width (checked by tests).
  static HEDDLE_INLINE Floats divide(Floats v, unsigned n) {
#if !defined(__clang__) || !(defined(__FMA__) || defined(__aarch64__))
    if (n > 16) return v / static_cast<float>((1u << n) - 1);
#endif
    return Lanes::fma(v, Lanes::splat(kReciprocals.high[n]), v * kReciprocals.low[n]);
  }

#if defined(__AVX2__) && !defined(__AVX512F__) && defined(__FMA__)
  static constexpr bool kTriples = W == 8;
  /// 3 v of two of each word's four bytes, those of `shift` and its neighbor: 16 bits each, the even byte's of four
  /// words before the odd byte's, and the same of the other four words.
  static HEDDLE_INLINE Words triple(Words word, unsigned shift) {
    const auto two = [&](unsigned byte)
                         HEDDLE_INLINE_LAMBDA { return static_cast<short>((shift / 16 * 2 + byte) * 0x101); };
    const short a = two(0), b = two(4), c = two(8), d = two(12), e = two(1), f = two(5), g = two(9), h = two(13);
    const __m256i pairs = _mm256_setr_epi16(a, b, c, d, e, f, g, h, a, b, c, d, e, f, g, h);
    return (Words)_mm256_maddubs_epi16(_mm256_shuffle_epi8((__m256i)word, pairs), _mm256_set1_epi16(3));
  }
  /// v / 255: 2^23 + 3 v in place, times a binary32 a little above 1/765.
  static HEDDLE_INLINE Floats of_triple(Words triple, unsigned shift) {
    const __m256i exponent = _mm256_set1_epi16(0x4b00);
    const __m256i placed = (shift & 8) != 0 ? _mm256_unpackhi_epi16((__m256i)triple, exponent)
                                            : _mm256_unpacklo_epi16((__m256i)triple, exponent);
    constexpr float kFactor = 0x1.56ac02p-10f;
    return (Floats)_mm256_fmadd_ps((__m256)placed, _mm256_set1_ps(kFactor), _mm256_set1_ps(kFactor * -0x1p23f));
  }
#else
  static constexpr bool kTriples = false;
  static HEDDLE_INLINE Words triple(Words word, unsigned) { return word; }
  static HEDDLE_INLINE Floats of_triple(Words word, unsigned) { return (Floats)word; }
#endif
  /// Formats of which prepare() makes triples, for two channels at once.
  static HEDDLE_INLINE bool has_triples(const StaticState& f) {
    const int count = is_unorm8(f.channel[0]) + is_unorm8(f.channel[1]) + is_unorm8(f.channel[2]);
    return kTriples && f.element_bytes <= 4 && count > 1 && !decodes_early(f);
  }
  static HEDDLE_INLINE bool is_unorm8(const ChannelCode& code) {
    return code.kind == ChannelKind::Unorm && code.bits == 8 && code.shift % 8 == 0;
  }
  /// The words of taps, once for all channels.
  template <int N>
  static HEDDLE_INLINE void prepare(const StaticState& f, Element (&words)[N]) {
    if (!has_triples(f)) return;
    const auto one = [](Element& w) HEDDLE_INLINE_LAMBDA {
      w[2] = triple(w[0], 0);
      w[3] = triple(w[0], 16);
    };
    [&]<int... K>(std::integer_sequence<int, K...>)
        HEDDLE_INLINE_LAMBDA { (one(words[K]), ...); }(std::make_integer_sequence<int, N>{});
  }

  /// One byte of each word over 255. v / 255 has a binary expansion of v repeated, so whatever is dropped is more than
  /// half a unit: the factors below are a little off such that every v rounds to the nearest (checked by tests).
  static HEDDLE_INLINE Floats unorm8(Words word, unsigned shift) {
    [[maybe_unused]] const bool upper = (shift & 8) != 0;
#if defined(__AVX512F__)
    // 2^23 + v in place; the product of v and the least binary32 above 1/255, cut off.
    constexpr float kFactor = 0x1.010102p-8f;
    const Words placed = ((shift >= 16 ? word >> 16 : word) & (upper ? 0xff00u : 0xffu)) | 0x4b000000u;
    const float factor = upper ? kFactor / 256 : kFactor;
    constexpr int kCut = _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC;
    if constexpr (W == 16)
      return (Floats)_mm512_fmadd_round_ps((__m512)placed, (__m512)Lanes::splat(factor),
                                           (__m512)Lanes::splat(factor * -0x1p23f), kCut);
    if constexpr (W == 8)
      return (Floats)_mm512_castps512_ps256(_mm512_fmadd_round_ps(
          _mm512_castps256_ps512((__m256)placed), _mm512_set1_ps(factor), _mm512_set1_ps(factor * -0x1p23f), kCut));
#elif defined(__AVX2__)
    // 3 v as a number, times a binary32 a little above 1/765: for one channel shorter than triples.
    if constexpr (W == 8)
      return Lanes::to_float((Ints)_mm256_maddubs_epi16((__m256i)(shift >= 16 ? word >> 16 : word),
                                                        _mm256_set1_epi32(upper ? 0x300 : 3))) *
             0x1.56ac02p-10f;
#endif
    return divide(Lanes::to_float((Ints)(word >> shift & 0xffu)), 8);
  }

  static HEDDLE_INLINE Words half_to_float(Words half) {  // NUM-40
#if defined(__clang__) && (defined(__F16C__) || defined(__aarch64__))
    using HalfWords = typename Lanes::HalfWords;
    typedef _Float16 Half __attribute__((vector_size(2 * W)));
    return (Words) __builtin_convertvector((Half) __builtin_convertvector(half, HalfWords), Floats);
#else
    const Words shifted = (half & 0x7fffu) << 13;
    Words bits = (Words)((Floats)shifted * 0x1p112f);
    const Words special = 0x7f800000u | shifted | ((Words)(shifted > 0x0f800000u) & 0x400000u);
    bits = Lanes::select((Ints)(shifted >= 0x0f800000u), special, bits);
    return bits | (half & 0x8000u) << 16;
#endif
  }

  /// NUM-16, NUM-17: `e` exponent bits above the fraction.
  static HEDDLE_INLINE Words unsigned_float(Words raw, unsigned bits, unsigned e) {
    const unsigned fraction = bits - e, bias = (1u << (e - 1)) - 1;
    const Words shifted = raw << (23 - fraction);  // as a binary32 with bias `bias`
    const float scale = __builtin_bit_cast(float, (127u + 127u - bias) << 23);
    const Words top = Lanes::splat(((1u << e) - 1) << 23);
    const Words special = 0x7f800000u | ((Words)(shifted > top) & 0x400000u);
    return Lanes::select((Ints)(shifted >= top), special, (Words)((Floats)shifted * scale));
  }

  /// One channel of N elements. `triples`: prepare() has been there.
  template <int N>
  static HEDDLE_INLINE void decode(const ChannelCode& code, bool integer, const Element (&words)[N],
                                   const SrgbTable* srgb, Words (&out)[N], bool triples = false) {
    const unsigned shift = code.shift, bits = code.bits;
    const auto raw = [&](int t) HEDDLE_INLINE_LAMBDA {
      const Words word = words[t][code.word];
      if (bits == 32) return word;
      return shift + bits == 32 ? word >> shift : word >> shift & ((1u << bits) - 1);
    };
    const auto extended = [&](int t) HEDDLE_INLINE_LAMBDA {
      return (Ints)(words[t][code.word] << (32 - shift - bits)) >> (32 - bits);
    };
    const auto each = [&](auto&& value) HEDDLE_INLINE_LAMBDA {
      [&]<int... K>(std::integer_sequence<int, K...>)
          HEDDLE_INLINE_LAMBDA { ((out[K] = value(K)), ...); }(std::make_integer_sequence<int, N>{});
    };
    switch (code.kind) {
      case ChannelKind::Zero:
        each([&](int) HEDDLE_INLINE_LAMBDA { return Words{}; });
        break;
      case ChannelKind::One:
        each([&](int) HEDDLE_INLINE_LAMBDA { return Lanes::splat(integer ? 1u : 0x3f800000u); });
        break;
      case ChannelKind::Unorm:
        if (triples && is_unorm8(code))
          each([&](int t) HEDDLE_INLINE_LAMBDA { return (Words)of_triple(words[t][2 + shift / 16], shift); });
        else if (is_unorm8(code))
          each([&](int t) HEDDLE_INLINE_LAMBDA { return (Words)unorm8(words[t][code.word], shift); });
        else
          each([&](int t) HEDDLE_INLINE_LAMBDA { return (Words)divide(Lanes::to_float((Ints)raw(t)), bits); });
        break;
      case ChannelKind::Snorm:
        each([&](int t) HEDDLE_INLINE_LAMBDA {
          const Floats x = divide(Lanes::to_float(extended(t)), bits - 1u);
          return (Words)Lanes::select(x < -1.0f, Lanes::splat(-1.0f), x);
        });
        break;
      case ChannelKind::Sint:
        each([&](int t) HEDDLE_INLINE_LAMBDA { return (Words)extended(t); });
        break;
      case ChannelKind::Float16:
        each([&](int t) HEDDLE_INLINE_LAMBDA { return half_to_float(raw(t)); });
        break;
      case ChannelKind::UnsignedFloat:
        each([&](int t) HEDDLE_INLINE_LAMBDA { return unsigned_float(raw(t), bits, code.exponent_bits); });
        break;
      case ChannelKind::SharedExponent:  // f * 2^(e - 24)
        each([&](int t) HEDDLE_INLINE_LAMBDA {
          return (Words)(Lanes::to_float((Ints)raw(t)) * (Floats)(((words[t][0] >> 27) + (127 - 24)) << 23));
        });
        break;
      case ChannelKind::Srgb:
        each([&](int t) HEDDLE_INLINE_LAMBDA {
          return Lanes::gather(reinterpret_cast<const std::uint8_t*>(srgb->values), (Ints)(raw(t) << 2));
        });
        break;
      default:
        each(raw);
        break;
    }
  }

  /// Formats whose texels become values as they are fetched: half floats are converted where they lie in memory, and
  /// sRGB texels of a run are looked up once for the two lanes that read them.
  static HEDDLE_INLINE bool decodes_early(const StaticState& f) {
    if (f.compare || f.integer) return false;
    bool halves = f.element_bytes == 8, srgb = f.element_bytes == 4 && f.channel[0].kind == ChannelKind::Srgb;
    HEDDLE_UNROLLED
    for (unsigned c = 0; c < 4; ++c) {
      const ChannelCode& code = f.channel[c];
      halves = halves && code.kind == ChannelKind::Float16 && code.word == c / 2 && code.shift == c % 2 * 16;
      srgb = srgb && (code.kind == ChannelKind::Srgb || code.kind == ChannelKind::One ||
                      (code.kind == ChannelKind::Unorm && code.bits == 8));
    }
    return halves || srgb;
  }
  static HEDDLE_INLINE void decode_all(const StaticState& f, const SrgbTable* table, const Element& words,
                                       Element& values) {
    const Words first = words[0], second = words[1];
    if (f.element_bytes == 8) {
      values[0] = half_to_float(first & 0xffffu);
      values[1] = half_to_float(first >> 16);
      values[2] = half_to_float(second & 0xffffu);
      values[3] = half_to_float(second >> 16);
      return;
    }
    if (f.slow_gathers && f.has_vbmi && Srgb<W>::kPermutes) return permute_srgb(f, table, first, values);
    if (f.slow_gathers && Srgb<W>::kLoads)
      return load_srgb(f, table, first, reinterpret_cast<const volatile std::uint8_t*>(&first), values);
    HEDDLE_UNROLLED
    for (unsigned c = 0; c < 4; ++c) {
      const auto channel = [&](unsigned shift) HEDDLE_INLINE_LAMBDA {
        return Lanes::gather(reinterpret_cast<const std::uint8_t*>(table->values),
                             (Ints)((first >> shift & 0xffu) << 2));
      };
      values[c] = is_srgb(f.channel[c]) ? channel(f.channel[c].shift) : linear_channel(f.channel[c], first);
    }
  }
  static HEDDLE_INLINE bool is_srgb(const ChannelCode& code) { return code.kind == ChannelKind::Srgb; }
  /// The others of such a format.
  static HEDDLE_INLINE Words linear_channel(const ChannelCode& code, Words word) {
    return code.kind == ChannelKind::One ? Lanes::splat(0x3f800000u) : (Words)unorm8(word, code.shift);
  }
  static HEDDLE_INLINE void permute_srgb([[maybe_unused]] const StaticState& f, [[maybe_unused]] const SrgbTable* table,
                                         [[maybe_unused]] Words word, [[maybe_unused]] Element& values) {
#if defined(__AVX512BW__)
    if constexpr (Srgb<W>::kPermutes) {
      __m512i found[4];
      Srgb<W>::permute(*table, (__m512i)word, found);
      HEDDLE_UNROLLED
      for (unsigned c = 0; c < 4; ++c)
        values[c] = is_srgb(f.channel[c]) ? (Words)found[f.channel[c].shift / 8] : linear_channel(f.channel[c], word);
    }
#endif
  }
  /// `bytes`: those of `word` in memory.
  template <typename Byte>
  static HEDDLE_INLINE void load_srgb(const StaticState& f, const SrgbTable* table, Words word, const Byte* bytes,
                                      Element& values) {
    HEDDLE_UNROLLED
    for (unsigned c = 0; c < 4; ++c) {
      const ChannelCode& code = f.channel[c];
      values[c] = is_srgb(code) ? Srgb<W>::load(*table, bytes + code.shift / 8) : linear_channel(code, word);
    }
  }
  /// The channels of one element of any format that is not compared.
  static HEDDLE_INLINE void decode_one(const StaticState& f, const SrgbTable* srgb, const Element (&words)[1],
                                       Element& values) {
    if (f.slow_gathers && f.element_bytes == 4 && decodes_early(f)) return decode_all(f, srgb, words[0], values);
    const auto channel = [&](unsigned c) HEDDLE_INLINE_LAMBDA {
      Words value[1];
      decode<1>(f.channel[c], f.integer, words, srgb, value);
      values[c] = value[0];
    };
    channel(0);
    channel(1);
    channel(2);
    channel(3);
  }
  /// W + 1 such texels, as those of the lanes and of their neighbors.
  static HEDDLE_INLINE void decode_run(const StaticState& f, const SrgbTable* srgb, const std::uint8_t* from,
                                       Element& values, Element& next) {
    if (f.element_bytes == 8) {
      const auto halves = [&](const std::uint8_t* at)
                              HEDDLE_INLINE_LAMBDA { return half_to_float(Lanes::load_half_words(at)); };
      transpose(halves(from), halves(from + 2 * W), halves(from + 4 * W), halves(from + 6 * W), values);
      shift_in(values, halves(from + 8 * (W + 1) - 2 * W), next);
      return;
    }
    Element words;
    words[0] = Lanes::load_bytes(from);
    if (f.slow_gathers && Srgb<W>::kLoads)
      load_srgb(f, srgb, words[0], from, values);
    else
      decode_all(f, srgb, words, values);
    const std::uint8_t* last = from + 4 * W;
    HEDDLE_UNROLLED
    for (unsigned c = 0; c < 4; ++c) {
      const ChannelCode& code = f.channel[c];
      const std::uint32_t byte = last[code.shift / 8];
      Words end = Lanes::splat(0x3f800000u);
      if (code.kind == ChannelKind::Srgb) end = (Words)Lanes::splat(srgb->values[byte]);
      if (code.kind == ChannelKind::Unorm) end = (Words)unorm8(Lanes::splat(byte), 0);
      next[c] = Lanes::template shifted<0>(values[c], end);
    }
  }

  /// CMP-3.
  static HEDDLE_INLINE Floats compare_reference(const StaticState& f, Floats ref) {
    if (!f.clamp_reference) return ref;
    ref = Lanes::select(ref < 0.0f, Lanes::splat(0.0f), ref);
    return Lanes::select(ref > 1.0f, Lanes::splat(1.0f), ref);
  }
  /// CMP-1, CMP-2: 0.0 where the function holds, else 1.0; the ordered ones hold for NaN.
  static HEDDLE_INLINE Words compare(CompareFunction function, Floats texel, Floats ref) {
    Ints fails{};
    switch (function) {
      case CompareFunction::Never:
        fails = Lanes::splat(-1);
        break;
      case CompareFunction::Less:
        fails = texel >= ref;
        break;
      case CompareFunction::Equal:
        fails = texel != ref;
        break;
      case CompareFunction::Lequal:
        fails = texel > ref;
        break;
      case CompareFunction::Greater:
        fails = texel <= ref;
        break;
      case CompareFunction::Notequal:
        fails = texel == ref;
        break;
      case CompareFunction::Gequal:
        fails = texel < ref;
        break;
      default:
        break;
    }
    return (Words)fails & 0x3f800000u;
  }

  /// FLT-1, `w` in 0..255 (256 is the caller's), `factor` = w / 256.
  static HEDDLE_INLINE Words lerp(bool finite, Words a, Words b, Ints w, Floats factor) {
    const Floats x = (Floats)a + ((Floats)b - (Floats)a) * factor;
    if (finite) return (Words)x;
    return Lanes::select(w == 0, a, (Words)Lanes::canonical(x));
  }
  /// The same with any NaN. `one`: see bilinear().
  static HEDDLE_INLINE Words blend(bool finite, Words a, Words b, Ints w, Floats factor, const Floats* one = nullptr) {
    const Floats part = ((Floats)b - (Floats)a) * factor,
                 x = one != nullptr ? Lanes::fma(part, *one, (Floats)a) : (Floats)a + part;
    return finite ? (Words)x : Lanes::select(w == 0, a, (Words)x);
  }
  /// FLT-3 over u, then v: a NaN of any step becomes canonical (NUM-3) unless one texel has all the weight (C26).
  /// `one`: 1.0, which the compiler does not know; some of the additions, of which there are two for a product, are
  /// fused operations then and use the multipliers.
  static HEDDLE_INLINE Words bilinear(bool finite, bool flat, const Words (&t)[4], const Ints (&w)[3],
                                      const Floats (&factor)[3], const Floats* one = nullptr) {
    Words x = blend(finite, t[0], t[1], w[0], factor[0]);
    if (!flat) x = blend(finite, x, blend(finite, t[2], t[3], w[0], factor[0]), w[1], factor[1], one);
    if (finite) return x;
    const Ints mixed = flat ? w[0] != 0 : (w[0] | w[1]) != 0;
    return Lanes::select(mixed & ((Floats)x != (Floats)x), Lanes::splat(0x7fc00000u), x);
  }

  /// NUM-4 and the integer forms, RED-1.
  static HEDDLE_INLINE Words reduce(const StaticState& f, Words a, Words b) {
    const bool minimum = f.reduction == FilterReduction::Minimum;
    Ints second;
    if (f.value_class == ValueClass::Uint)
      second = (Ints)(minimum ? b < a : b > a);
    else if (f.value_class == ValueClass::Sint)
      second = minimum ? (Ints)b<(Ints)a : (Ints)b>(Ints) a;
    else
      second = ((Floats)a != (Floats)a) | (minimum ? (Floats)b < (Floats)a : (Floats)b > (Floats)a);
    return Lanes::select(second, b, a);
  }

  /// SUR-7.
  static HEDDLE_INLINE Words select_channel(const StaticState& f, ChannelSelect select, const Element& texel) {
    switch (select) {
      case ChannelSelect::Zero:
        return Words{};
      case ChannelSelect::One:
        return Lanes::splat(f.value_class == ValueClass::Float ? 0x3f800000u : 1u);
      default:
        return texel[static_cast<unsigned>(select) & 3];
    }
  }
};

}  // namespace
}  // namespace heddle::texture::simd
