#pragma once
// Elements to values over lanes: NUM-10..18, 21, 23, CMP-1..3, and the filters' arithmetic (FLT-1, RED-1).

#include "texture/simd/kernels/srgb.hpp"
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
  using V = Vector<W>;
  using F = typename V::F;
  using I = typename V::I;
  using U = typename V::U;
  using Words = U[4];

  /// W elements of four words in a, b, c, d.
  static HEDDLE_INLINE void transpose(U a, U b, U c, U d, Words& words) {
    const U low0 = V::template evens<2>(a, b), low1 = V::template evens<2>(c, d);
    const U high0 = V::template odds<2>(a, b), high1 = V::template odds<2>(c, d);
    words[0] = V::template evens<1>(low0, low1);
    words[1] = V::template odds<1>(low0, low1);
    words[2] = V::template evens<1>(high0, high1);
    words[3] = V::template odds<1>(high0, high1);
  }
  /// Each lane's right neighbour; the last one's four words are at the end of `end`.
  static HEDDLE_INLINE void shift_in(const Words& words, U end, Words& next) {
    next[0] = V::template shifted<W - 4>(words[0], end);
    next[1] = V::template shifted<W - 3>(words[1], end);
    next[2] = V::template shifted<W - 2>(words[2], end);
    next[3] = V::template shifted<W - 1>(words[3], end);
  }
  /// The words of W elements one after the other.
  static HEDDLE_INLINE void load_run(unsigned bytes, const std::uint8_t* from, Words& words) {
    switch (bytes) {
      case 1:
        words[0] = V::load_small(from);
        break;
      case 2:
        words[0] = V::load_half_words(from);
        break;
      case 8: {
        const U a = V::load_bytes(from), b = V::load_bytes(from + 4 * W);
        words[0] = V::template evens<1>(a, b);
        words[1] = V::template odds<1>(a, b);
        break;
      }
      case 16: {
        const U a = V::load_bytes(from), b = V::load_bytes(from + 4 * W);
        const U c = V::load_bytes(from + 8 * W), d = V::load_bytes(from + 12 * W);
        transpose(a, b, c, d, words);
        break;
      }
      default:
        words[0] = V::load_bytes(from);
        break;
    }
  }
  /// The same from one element further on, `words` being those of `from`.
  static HEDDLE_INLINE void load_next(unsigned bytes, const std::uint8_t* from, const Words& words, Words& next) {
    if (bytes <= 4) return load_run(bytes, from + bytes, next);
    const U end = V::load_bytes(from + bytes * (W + 1) - 4 * W);
    if (bytes == 8) {
      next[0] = V::template shifted<W - 2>(words[0], end);
      next[1] = V::template shifted<W - 1>(words[1], end);
      return;
    }
    shift_in(words, end, next);
  }

  /// The words of the element at each byte offset. `slow`: StaticState::slow_gathers; of single words it is the
  /// instruction that is quicker on every machine.
  static HEDDLE_INLINE void gather(unsigned bytes, const std::uint8_t* base, I offset, std::int32_t limit, Words& words,
                                   bool slow = false) {
    switch (bytes) {
      case 1:
      case 2: {  // the word must not reach beyond the memory
        const I safe = V::min(offset, V::splat(limit));
        words[0] = V::gather(base, safe) >> (U)((offset - safe) << 3);
        break;
      }
      case 8:
        if (V::kLoadsLanes && slow)
          V::load_pair(base, offset, words[0], words[1]);
        else
          V::gather_pair(base, offset, words[0], words[1]);
        break;
      case 16:
        if (V::kLoadsLanes && slow) {
          V::load_four(base, offset, words[0], words[1], words[2], words[3]);
        } else {
          V::gather_pair(base, offset, words[0], words[1]);
          V::gather_pair(base, offset + 8, words[2], words[3]);
        }
        break;
      default:
        words[0] = V::gather(base, offset);
        break;
    }
  }
  /// Of the element of 4 or 8 bytes at each byte offset, and of the next one.
  static HEDDLE_INLINE void load_neighbours(unsigned bytes, const std::uint8_t* base, I offset, Words& words,
                                            Words& next) {
    if (bytes == 8)
      V::load_four(base, offset, words[0], words[1], next[0], next[1]);
    else
      V::load_pair(base, offset, words[0], next[0]);
  }
  /// gather(), and fast where the elements are neighbours.
  static HEDDLE_INLINE void fetch(unsigned bytes, const std::uint8_t* base, I offset, std::int32_t limit, Words& words,
                                  bool slow = false) {
    if (bytes >= 4) {
      const std::int32_t at = offset[0];
      if (V::all(offset == (I)(V::iota() * static_cast<std::uint32_t>(bytes)) + at))
        return load_run(bytes, base + at, words);
    }
    gather(bytes, base, offset, limit, words, slow);
  }

  /// v / (2^n - 1), |v| < 2^n: the division as a product that is exact for the upper part of the reciprocal, so that
  /// both forms of `fma` round once. Holds for every v of every width (checked by tests).
  static HEDDLE_INLINE F divide(F v, unsigned n) {
#if !defined(__clang__) || !defined(__FMA__)
    if (n > 16) return v / static_cast<float>((1u << n) - 1);
#endif
    return V::fma(v, V::splat(kReciprocals.high[n]), v * kReciprocals.low[n]);
  }

#if defined(__AVX2__) && !defined(__AVX512F__) && defined(__FMA__)
  static constexpr bool kTriples = W == 8;
  /// 3 v of two of each word's four bytes, those of `shift` and its neighbour: 16 bits each, the even byte's of four
  /// words before the odd byte's, and the same of the other four words.
  static HEDDLE_INLINE U triple(U word, unsigned shift) {
    const auto two = [&](unsigned byte)
                         HEDDLE_INLINE_LAMBDA { return static_cast<short>((shift / 16 * 2 + byte) * 0x101); };
    const short a = two(0), b = two(4), c = two(8), d = two(12), e = two(1), f = two(5), g = two(9), h = two(13);
    const __m256i pairs = _mm256_setr_epi16(a, b, c, d, e, f, g, h, a, b, c, d, e, f, g, h);
    return (U)_mm256_maddubs_epi16(_mm256_shuffle_epi8((__m256i)word, pairs), _mm256_set1_epi16(3));
  }
  /// v / 255: 2^23 + 3 v in place, times a binary32 a little above 1/765.
  static HEDDLE_INLINE F of_triple(U triple, unsigned shift) {
    const __m256i exponent = _mm256_set1_epi16(0x4b00);
    const __m256i placed = (shift & 8) != 0 ? _mm256_unpackhi_epi16((__m256i)triple, exponent)
                                            : _mm256_unpacklo_epi16((__m256i)triple, exponent);
    constexpr float kFactor = 0x1.56ac02p-10f;
    return (F)_mm256_fmadd_ps((__m256)placed, _mm256_set1_ps(kFactor), _mm256_set1_ps(kFactor * -0x1p23f));
  }
#else
  static constexpr bool kTriples = false;
  static HEDDLE_INLINE U triple(U word, unsigned) { return word; }
  static HEDDLE_INLINE F of_triple(U word, unsigned) { return (F)word; }
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
  static HEDDLE_INLINE void prepare(const StaticState& f, Words (&words)[N]) {
    if (!has_triples(f)) return;
    const auto one = [](Words& w) HEDDLE_INLINE_LAMBDA {
      w[2] = triple(w[0], 0);
      w[3] = triple(w[0], 16);
    };
    [&]<int... K>(std::integer_sequence<int, K...>)
        HEDDLE_INLINE_LAMBDA { (one(words[K]), ...); }(std::make_integer_sequence<int, N>{});
  }

  /// One byte of each word over 255. v / 255 has a binary expansion of v repeated, so whatever is dropped is more than
  /// half a unit: the factors below are a little off such that every v rounds to the nearest (checked by tests).
  static HEDDLE_INLINE F unorm8(U word, unsigned shift) {
    [[maybe_unused]] const bool upper = (shift & 8) != 0;
#if defined(__AVX512F__)
    // 2^23 + v in place; the product of v and the least binary32 above 1/255, cut off.
    constexpr float kFactor = 0x1.010102p-8f;
    const U placed = ((shift >= 16 ? word >> 16 : word) & (upper ? 0xff00u : 0xffu)) | 0x4b000000u;
    const float factor = upper ? kFactor / 256 : kFactor;
    constexpr int kCut = _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC;
    if constexpr (W == 16)
      return (F)_mm512_fmadd_round_ps((__m512)placed, (__m512)V::splat(factor), (__m512)V::splat(factor * -0x1p23f),
                                      kCut);
    if constexpr (W == 8)
      return (F)_mm512_castps512_ps256(_mm512_fmadd_round_ps(
          _mm512_castps256_ps512((__m256)placed), _mm512_set1_ps(factor), _mm512_set1_ps(factor * -0x1p23f), kCut));
#elif defined(__AVX2__)
    // 3 v as a number, times a binary32 a little above 1/765: for one channel shorter than triples.
    if constexpr (W == 8)
      return V::to_float((I)_mm256_maddubs_epi16((__m256i)(shift >= 16 ? word >> 16 : word),
                                                 _mm256_set1_epi32(upper ? 0x300 : 3))) *
             0x1.56ac02p-10f;
#endif
    return divide(V::to_float((I)(word >> shift & 0xffu)), 8);
  }

  static HEDDLE_INLINE U half_to_float(U half) {  // NUM-40
#if defined(__clang__) && defined(__F16C__)
    using H = typename V::H;
    typedef _Float16 Half __attribute__((vector_size(2 * W)));
    return (U) __builtin_convertvector((Half) __builtin_convertvector(half, H), F);
#else
    const U shifted = (half & 0x7fffu) << 13;
    U bits = (U)((F)shifted * 0x1p112f);
    const U special = 0x7f800000u | shifted | ((U)(shifted > 0x0f800000u) & 0x400000u);
    bits = V::select((I)(shifted >= 0x0f800000u), special, bits);
    return bits | (half & 0x8000u) << 16;
#endif
  }

  /// NUM-16, NUM-17: `e` exponent bits above the fraction.
  static HEDDLE_INLINE U unsigned_float(U raw, unsigned bits, unsigned e) {
    const unsigned fraction = bits - e, bias = (1u << (e - 1)) - 1;
    const U shifted = raw << (23 - fraction);  // as a binary32 with bias `bias`
    const float scale = __builtin_bit_cast(float, (127u + 127u - bias) << 23);
    const U top = V::splat(((1u << e) - 1) << 23);
    const U special = 0x7f800000u | ((U)(shifted > top) & 0x400000u);
    return V::select((I)(shifted >= top), special, (U)((F)shifted * scale));
  }

  /// One channel of N elements. `triples`: prepare() has been there.
  template <int N>
  static HEDDLE_INLINE void decode(const ChannelCode& code, bool integer, const Words (&words)[N],
                                   const SrgbTable* srgb, U (&out)[N], bool triples = false) {
    const unsigned shift = code.shift, bits = code.bits;
    const auto raw = [&](int t) HEDDLE_INLINE_LAMBDA {
      const U word = words[t][code.word];
      if (bits == 32) return word;
      return shift + bits == 32 ? word >> shift : word >> shift & ((1u << bits) - 1);
    };
    const auto extended = [&](int t) HEDDLE_INLINE_LAMBDA {
      return (I)(words[t][code.word] << (32 - shift - bits)) >> (32 - bits);
    };
    const auto each = [&](auto&& value) HEDDLE_INLINE_LAMBDA {
      [&]<int... K>(std::integer_sequence<int, K...>)
          HEDDLE_INLINE_LAMBDA { ((out[K] = value(K)), ...); }(std::make_integer_sequence<int, N>{});
    };
    switch (code.kind) {
      case ChannelKind::Zero:
        each([&](int) HEDDLE_INLINE_LAMBDA { return U{}; });
        break;
      case ChannelKind::One:
        each([&](int) HEDDLE_INLINE_LAMBDA { return V::splat(integer ? 1u : 0x3f800000u); });
        break;
      case ChannelKind::Unorm:
        if (triples && is_unorm8(code))
          each([&](int t) HEDDLE_INLINE_LAMBDA { return (U)of_triple(words[t][2 + shift / 16], shift); });
        else if (is_unorm8(code))
          each([&](int t) HEDDLE_INLINE_LAMBDA { return (U)unorm8(words[t][code.word], shift); });
        else
          each([&](int t) HEDDLE_INLINE_LAMBDA { return (U)divide(V::to_float((I)raw(t)), bits); });
        break;
      case ChannelKind::Snorm:
        each([&](int t) HEDDLE_INLINE_LAMBDA {
          const F x = divide(V::to_float(extended(t)), bits - 1u);
          return (U)V::select(x < -1.0f, V::splat(-1.0f), x);
        });
        break;
      case ChannelKind::Sint:
        each([&](int t) HEDDLE_INLINE_LAMBDA { return (U)extended(t); });
        break;
      case ChannelKind::Float16:
        each([&](int t) HEDDLE_INLINE_LAMBDA { return half_to_float(raw(t)); });
        break;
      case ChannelKind::UnsignedFloat:
        each([&](int t) HEDDLE_INLINE_LAMBDA { return unsigned_float(raw(t), bits, code.exponent_bits); });
        break;
      case ChannelKind::SharedExponent:  // f * 2^(e - 24)
        each([&](int t) HEDDLE_INLINE_LAMBDA {
          return (U)(V::to_float((I)raw(t)) * (F)(((words[t][0] >> 27) + (127 - 24)) << 23));
        });
        break;
      case ChannelKind::Srgb:
        each([&](int t) HEDDLE_INLINE_LAMBDA {
          return V::gather(reinterpret_cast<const std::uint8_t*>(srgb->values), (I)(raw(t) << 2));
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
  static HEDDLE_INLINE void decode_all(const StaticState& f, const SrgbTable* table, const Words& words,
                                       Words& values) {
    const U first = words[0], second = words[1];
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
        return V::gather(reinterpret_cast<const std::uint8_t*>(table->values), (I)((first >> shift & 0xffu) << 2));
      };
      values[c] = is_srgb(f.channel[c]) ? channel(f.channel[c].shift) : linear_channel(f.channel[c], first);
    }
  }
  static HEDDLE_INLINE bool is_srgb(const ChannelCode& code) { return code.kind == ChannelKind::Srgb; }
  /// The others of such a format.
  static HEDDLE_INLINE U linear_channel(const ChannelCode& code, U word) {
    return code.kind == ChannelKind::One ? V::splat(0x3f800000u) : (U)unorm8(word, code.shift);
  }
  static HEDDLE_INLINE void permute_srgb([[maybe_unused]] const StaticState& f, [[maybe_unused]] const SrgbTable* table,
                                         [[maybe_unused]] U word, [[maybe_unused]] Words& values) {
#if defined(__AVX512BW__)
    if constexpr (Srgb<W>::kPermutes) {
      __m512i found[4];
      Srgb<W>::permute(*table, (__m512i)word, found);
      HEDDLE_UNROLLED
      for (unsigned c = 0; c < 4; ++c)
        values[c] = is_srgb(f.channel[c]) ? (U)found[f.channel[c].shift / 8] : linear_channel(f.channel[c], word);
    }
#endif
  }
  /// `bytes`: those of `word` in memory.
  template <typename Byte>
  static HEDDLE_INLINE void load_srgb(const StaticState& f, const SrgbTable* table, U word, const Byte* bytes,
                                      Words& values) {
    HEDDLE_UNROLLED
    for (unsigned c = 0; c < 4; ++c) {
      const ChannelCode& code = f.channel[c];
      values[c] = is_srgb(code) ? Srgb<W>::load(*table, bytes + code.shift / 8) : linear_channel(code, word);
    }
  }
  /// The channels of one element of any format that is not compared.
  static HEDDLE_INLINE void decode_one(const StaticState& f, const SrgbTable* srgb, const Words (&words)[1],
                                       Words& values) {
    if (f.slow_gathers && f.element_bytes == 4 && decodes_early(f)) return decode_all(f, srgb, words[0], values);
    const auto channel = [&](unsigned c) HEDDLE_INLINE_LAMBDA {
      U value[1];
      decode<1>(f.channel[c], f.integer, words, srgb, value);
      values[c] = value[0];
    };
    channel(0);
    channel(1);
    channel(2);
    channel(3);
  }
  /// W + 1 such texels, as those of the lanes and of their neighbours.
  static HEDDLE_INLINE void decode_run(const StaticState& f, const SrgbTable* srgb, const std::uint8_t* from,
                                       Words& values, Words& next) {
    if (f.element_bytes == 8) {
      const auto halves = [&](const std::uint8_t* at)
                              HEDDLE_INLINE_LAMBDA { return half_to_float(V::load_half_words(at)); };
      transpose(halves(from), halves(from + 2 * W), halves(from + 4 * W), halves(from + 6 * W), values);
      shift_in(values, halves(from + 8 * (W + 1) - 2 * W), next);
      return;
    }
    Words words;
    words[0] = V::load_bytes(from);
    if (f.slow_gathers && Srgb<W>::kLoads)
      load_srgb(f, srgb, words[0], from, values);
    else
      decode_all(f, srgb, words, values);
    const std::uint8_t* last = from + 4 * W;
    HEDDLE_UNROLLED
    for (unsigned c = 0; c < 4; ++c) {
      const ChannelCode& code = f.channel[c];
      const std::uint32_t byte = last[code.shift / 8];
      U end = V::splat(0x3f800000u);
      if (code.kind == ChannelKind::Srgb) end = (U)V::splat(srgb->values[byte]);
      if (code.kind == ChannelKind::Unorm) end = (U)unorm8(V::splat(byte), 0);
      next[c] = V::template shifted<0>(values[c], end);
    }
  }

  /// CMP-3.
  static HEDDLE_INLINE F compare_reference(const StaticState& f, F ref) {
    if (!f.clamp_reference) return ref;
    ref = V::select(ref < 0.0f, V::splat(0.0f), ref);
    return V::select(ref > 1.0f, V::splat(1.0f), ref);
  }
  /// CMP-1, CMP-2: 0.0 where the function holds, else 1.0; the ordered ones hold for NaN.
  static HEDDLE_INLINE U compare(CompareFunction function, F texel, F ref) {
    I fails{};
    switch (function) {
      case CompareFunction::Never:
        fails = V::splat(-1);
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
    return (U)fails & 0x3f800000u;
  }

  /// FLT-1, `w` in 0..255 (256 is the caller's), `factor` = w / 256.
  static HEDDLE_INLINE U lerp(bool finite, U a, U b, I w, F factor) {
    const F x = (F)a + ((F)b - (F)a) * factor;
    if (finite) return (U)x;
    return V::select(w == 0, a, (U)V::canonical(x));
  }
  /// The same with any NaN. `one`: see bilinear().
  static HEDDLE_INLINE U blend(bool finite, U a, U b, I w, F factor, const F* one = nullptr) {
    const F part = ((F)b - (F)a) * factor, x = one != nullptr ? V::fma(part, *one, (F)a) : (F)a + part;
    return finite ? (U)x : V::select(w == 0, a, (U)x);
  }
  /// FLT-3 over u, then v: a NaN of any step becomes canonical (NUM-3) unless one texel has all the weight (C26).
  /// `one`: 1.0, which the compiler does not know; some of the additions, of which there are two for a product, are
  /// fused operations then and use the multipliers.
  static HEDDLE_INLINE U bilinear(bool finite, bool flat, const U (&t)[4], const I (&w)[3], const F (&factor)[3],
                                  const F* one = nullptr) {
    U x = blend(finite, t[0], t[1], w[0], factor[0]);
    if (!flat) x = blend(finite, x, blend(finite, t[2], t[3], w[0], factor[0]), w[1], factor[1], one);
    if (finite) return x;
    const I mixed = flat ? w[0] != 0 : (w[0] | w[1]) != 0;
    return V::select(mixed & ((F)x != (F)x), V::splat(0x7fc00000u), x);
  }

  /// NUM-4 and the integer forms, RED-1.
  static HEDDLE_INLINE U reduce(const StaticState& f, U a, U b) {
    const bool minimum = f.reduction == FilterReduction::Minimum;
    I second;
    if (f.value_class == ValueClass::Uint)
      second = (I)(minimum ? b < a : b > a);
    else if (f.value_class == ValueClass::Sint)
      second = minimum ? (I)b<(I)a : (I)b>(I) a;
    else
      second = ((F)a != (F)a) | (minimum ? (F)b < (F)a : (F)b > (F)a);
    return V::select(second, b, a);
  }

  /// SUR-7.
  static HEDDLE_INLINE U select_channel(const StaticState& f, ChannelSelect select, const Words& texel) {
    switch (select) {
      case ChannelSelect::Zero:
        return U{};
      case ChannelSelect::One:
        return V::splat(f.value_class == ValueClass::Float ? 0x3f800000u : 1u);
      default:
        return texel[static_cast<unsigned>(select) & 3];
    }
  }
};

}  // namespace
}  // namespace heddle::texture::simd
