// SPDX-License-Identifier: MIT
#pragma once
// W lanes as compiler vectors, and the few operations that the language lacks. Only kernels.cpp includes this and the
// other parts: everything has internal linkage, so that builds for different targets never share code.

#include <cstdint>
#include <utility>

#if defined(__AVX2__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

#define HEDDLE_INLINE __attribute__((always_inline)) inline
#define HEDDLE_INLINE_LAMBDA __attribute__((always_inline))
// HEDDLE_APART: a large part of an operation that some states need. In bitcode it is a function of its own: it is read
// and inlined when a function is compiled, where the state is known, if something still calls it then. Takes the state
// directly. HEDDLE_UNROLLED: a loop whose arrays need not be in memory then. HEDDLE_FEW: a loop of a few rounds.
#if defined(HEDDLE_SIMD_BITCODE)
#define HEDDLE_APART __attribute__((noinline))
#define HEDDLE_UNROLLED _Pragma("clang loop unroll(full)")
#define HEDDLE_FEW _Pragma("clang loop vectorize(disable) unroll(disable)")
#else
#define HEDDLE_APART HEDDLE_INLINE
#define HEDDLE_UNROLLED
#define HEDDLE_FEW
#endif
// A HEDDLE_APART of which native code is better off with one copy as well.
#define HEDDLE_APART_ALWAYS __attribute__((noinline))
// HEDDLE_PART: the run of some lanes that entry points of several widths share. Native code has one copy of it, which
// makes the files of functions a third as long to compile; in bitcode the state decides what is left of each copy.
#if defined(HEDDLE_SIMD_BITCODE)
#define HEDDLE_PART HEDDLE_INLINE
#else
#define HEDDLE_PART __attribute__((noinline))
#endif

namespace heddle::texture::simd {
namespace {

/// Written out for each width: g++ 12 takes no dependent vector sizes.
template <int W>
struct VectorTypes;
#define HEDDLE_VECTOR_TYPES(W)                                                           \
  template <>                                                                            \
  struct VectorTypes<W> {                                                                \
    typedef float Floats __attribute__((vector_size(4 * W)));                            \
    typedef std::int32_t Ints __attribute__((vector_size(4 * W)));                       \
    typedef std::uint32_t Words __attribute__((vector_size(4 * W)));                     \
    typedef double Doubles __attribute__((vector_size(8 * W)));                          \
    typedef std::int64_t Longs __attribute__((vector_size(8 * W)));                      \
    typedef std::int64_t LanePairs __attribute__((vector_size(4 * W)));                  \
    typedef std::uint16_t HalfWords __attribute__((vector_size(2 * W)));                 \
    typedef std::uint8_t Bytes __attribute__((vector_size(W)));                          \
    typedef std::uint32_t Unaligned __attribute__((vector_size(4 * W), aligned(4)));     \
    typedef std::uint32_t HalfUnaligned __attribute__((vector_size(2 * W), aligned(4))); \
  };
HEDDLE_VECTOR_TYPES(8)
HEDDLE_VECTOR_TYPES(16)
HEDDLE_VECTOR_TYPES(32)
#undef HEDDLE_VECTOR_TYPES

template <int W>
struct Vector {
  using Floats = typename VectorTypes<W>::Floats;
  using Ints = typename VectorTypes<W>::Ints;
  using Words = typename VectorTypes<W>::Words;
  using Doubles = typename VectorTypes<W>::Doubles;
  using Longs = typename VectorTypes<W>::Longs;
  using LanePairs = typename VectorTypes<W>::LanePairs;
  using HalfWords = typename VectorTypes<W>::HalfWords;
  using Bytes = typename VectorTypes<W>::Bytes;
  using Unaligned = typename VectorTypes<W>::Unaligned;
  using HalfUnaligned = typename VectorTypes<W>::HalfUnaligned;  ///< of half as many lanes

  static HEDDLE_INLINE Words splat(std::uint32_t x) { return Words{} + x; }
  static HEDDLE_INLINE Ints splat(std::int32_t x) { return Ints{} + x; }
  static HEDDLE_INLINE Floats splat(float x) { return (Floats)(Words{} + __builtin_bit_cast(std::uint32_t, x)); }
  static HEDDLE_INLINE Words iota() {
    return [&]<int... K>(std::integer_sequence<int, K...>)
               HEDDLE_INLINE_LAMBDA { return Words{K...}; }(std::make_integer_sequence<int, W>{});
  }

  static HEDDLE_INLINE Words load(const std::uint32_t* from) { return *reinterpret_cast<const Unaligned*>(from); }
  static HEDDLE_INLINE Words load_bytes(const std::uint8_t* from) {
    Words value;
    __builtin_memcpy(&value, from, sizeof value);
    return value;
  }
  /// In every lane the same word of memory.
  static HEDDLE_INLINE Words word_of(const std::uint8_t* from) {
    std::uint32_t word;
    __builtin_memcpy(&word, from, sizeof word);
    return splat(word);
  }
  /// W bytes, or W half words, each as a word.
  static HEDDLE_INLINE Words load_small(const std::uint8_t* from) {
    Bytes value;
    __builtin_memcpy(&value, from, sizeof value);
    return __builtin_convertvector(value, Words);
  }
  static HEDDLE_INLINE Words load_half_words(const std::uint8_t* from) {
    HalfWords value;
    __builtin_memcpy(&value, from, sizeof value);
    return __builtin_convertvector(value, Words);
  }
  static HEDDLE_INLINE void store(std::uint32_t* to, Words value) { *reinterpret_cast<Unaligned*>(to) = value; }

  static HEDDLE_INLINE Floats select(Ints mask, Floats a, Floats b) { return mask ? a : b; }
  static HEDDLE_INLINE Ints select(Ints mask, Ints a, Ints b) { return mask ? a : b; }
  static HEDDLE_INLINE Words select(Ints mask, Words a, Words b) { return mask ? a : b; }
  static HEDDLE_INLINE Ints min(Ints a, Ints b) { return a < b ? a : b; }
  static HEDDLE_INLINE Ints max(Ints a, Ints b) { return a > b ? a : b; }
  static HEDDLE_INLINE Words max(Words a, Words b) { return a > b ? a : b; }

  /// x * n; `narrow`: both are in [0, 2^15).
  static HEDDLE_INLINE Words multiple(Ints x, std::uint32_t n, [[maybe_unused]] bool narrow) {
#if defined(__AVX512BW__)
    if constexpr (W == 16)
      if (narrow) return (Words)_mm512_madd_epi16((__m512i)x, (__m512i)splat(n));
#endif
#if defined(__AVX2__)
    if constexpr (W == 8)
      if (narrow) return (Words)_mm256_madd_epi16((__m256i)x, (__m256i)splat(n));
#endif
    return (Words)x * n;
  }

  /// The lesser, for numbers. One instruction: a compiler would move what is done to both into the choice.
  static HEDDLE_INLINE Floats least(Floats x, float most) {
#if defined(__AVX512F__)
    if constexpr (W == 16) return (Floats)_mm512_min_ps((__m512)x, (__m512)splat(most));
#endif
#if defined(__AVX2__)
    if constexpr (W == 8) return (Floats)_mm256_min_ps((__m256)x, (__m256)splat(most));
#endif
    return select(x < most, x, splat(most));
  }

  /// Positive numbers; 0 for others and for NaN. On arm64 integers decide: clang takes `x > 0 ? x : 0` for FMAXNM,
  /// which makes a quiet NaN of a signaling one.
  static HEDDLE_INLINE Floats positive(Floats x) {
#if defined(__aarch64__)
    return (Floats)((Words)x & (Words)((Words)x - 1u < 0x7f800000u));
#else
    return select(x > 0.0f, x, Floats{});
#endif
  }

  static HEDDLE_INLINE Floats to_float(Ints x) { return __builtin_convertvector(x, Floats); }
  static HEDDLE_INLINE Floats to_float(Words x) { return __builtin_convertvector(x, Floats); }
  /// Truncates; |x| < 2^31, others as kConvertsAny says.
  static HEDDLE_INLINE Ints to_int(Floats x) {
#if defined(__AVX2__)
    if constexpr (W == 8) return (Ints)_mm256_cvttps_epi32((__m256)x);
#endif
    return __builtin_convertvector(x, Ints);
  }
  /// floor_of_sum() of NaN and large numbers is a number, and none in [0, 2^30).
#if defined(__AVX2__)
  static constexpr bool kConvertsAny = W == 8 || W == 16;
#else
  static constexpr bool kConvertsAny = false;
#endif

  /// floor_of_sum() has an addition that rounds down.
#if defined(__AVX512F__)
  static constexpr bool kAddsDown = W == 8 || W == 16;
#else
  static constexpr bool kAddsDown = false;
#endif

  /// Bit k: lane k of the mask is set.
  static HEDDLE_INLINE std::uint32_t bits(Ints mask) {
#if defined(__AVX512F__)
    if constexpr (W == 16) return _mm512_cmplt_epi32_mask((__m512i)mask, _mm512_setzero_si512());
#endif
#if defined(__AVX2__)
    if constexpr (W == 8) return static_cast<std::uint32_t>(_mm256_movemask_ps((__m256)mask));
#endif
#if defined(__aarch64__) && defined(__clang__)
    return __builtin_reduce_add((Words)mask & powers());
#endif
    std::uint32_t result = 0;
    for (int k = 0; k < W; ++k) result |= static_cast<std::uint32_t>(mask[k] & 1) << k;
    return result;
  }
  static constexpr std::uint32_t kAll = W == 32 ? ~0u : (1u << (W & 31)) - 1;
#if defined(__aarch64__) && defined(__clang__)
  static HEDDLE_INLINE Words powers() {
    return [&]<int... K>(std::integer_sequence<int, K...>)
               HEDDLE_INLINE_LAMBDA { return Words{(1u << K)...}; }(std::make_integer_sequence<int, W>{});
  }
  static HEDDLE_INLINE bool all(Ints mask) { return __builtin_reduce_and(mask) != 0; }
  static HEDDLE_INLINE bool any(Ints mask) { return __builtin_reduce_or(mask) != 0; }
#else
  static HEDDLE_INLINE bool all(Ints mask) { return bits(mask) == kAll; }
  static HEDDLE_INLINE bool any(Ints mask) { return bits(mask) != 0; }
#endif
#if defined(__aarch64__)
  /// Four words, and which bytes of a table they ask for.
  template <int First>
  static HEDDLE_INLINE uint8x16_t four_of(Words x) {
    return __builtin_bit_cast(uint8x16_t, __builtin_shufflevector(x, x, First, First + 1, First + 2, First + 3));
  }
  static HEDDLE_INLINE Words bytes_of(Ints at) { return (Words)at * 0x04040404u + 0x03020100u; }
  static HEDDLE_INLINE Words joined(uint8x16_t a, uint8x16_t b) {
    return (Words)__builtin_shufflevector(vreinterpretq_u32_u8(a), vreinterpretq_u32_u8(b), 0, 1, 2, 3, 4, 5, 6, 7);
  }
#endif
  /// Each lane's element of `x`, 0 <= at < W.
  static HEDDLE_INLINE Words permuted(Words x, Ints at) {
#if defined(__AVX512F__)
    if constexpr (W == 16) return (Words)_mm512_permutexvar_epi32((__m512i)at, (__m512i)x);
#endif
#if defined(__AVX2__)
    if constexpr (W == 8) return (Words)_mm256_permutevar8x32_epi32((__m256i)x, (__m256i)at);
#elif defined(__aarch64__)
    if constexpr (W == 8) {
      const uint8x16x2_t table = {four_of<0>(x), four_of<4>(x)};
      const Words bytes = bytes_of(at);
      return joined(vqtbl2q_u8(table, four_of<0>(bytes)), vqtbl2q_u8(table, four_of<4>(bytes)));
    }
#endif
    Words result;
    for (int k = 0; k < W; ++k) result[k] = x[at[k]];
    return result;
  }
  /// The element of one lane; the greatest one.
  static HEDDLE_INLINE std::int32_t at(Ints x, int lane) {
#if defined(__AVX512F__)
    if constexpr (W == 16)
      return _mm_cvtsi128_si32(_mm512_castsi512_si128(_mm512_permutexvar_epi32(_mm512_set1_epi32(lane), (__m512i)x)));
#endif
#if defined(__AVX2__)
    if constexpr (W == 8)
      return _mm_cvtsi128_si32(
          _mm256_castsi256_si128(_mm256_permutevar8x32_epi32((__m256i)x, _mm256_set1_epi32(lane))));
#endif
    return x[lane];
  }
  /// Lanes of `mask` keep their own, others get that of the first one of them: what is the same for all of those is
  /// then the same for all.
  static HEDDLE_INLINE Ints settled(Ints x, Ints mask) {
    const int first = __builtin_ctz(bits(mask) | 1u << (W - 1));
    return select(mask, x, (Ints)permuted((Words)x, splat(first)));
  }
  static HEDDLE_INLINE std::int32_t greatest(Ints x) {
#if defined(__clang__)
    return __builtin_reduce_max(x);
#else
    std::int32_t most = x[0];
    for (int k = 1; k < W; ++k) most = x[k] > most ? x[k] : most;
    return most;
#endif
  }
  static HEDDLE_INLINE Ints from_bits(std::uint32_t b) {
#if defined(__AVX512DQ__)
    if constexpr (W == 16) return (Ints)_mm512_movm_epi32(static_cast<__mmask16>(b));
#endif
    return ((splat(b) >> iota()) & 1u) != 0u;
  }

  static HEDDLE_INLINE Floats fma(Floats a, Floats b, Floats c) {
#if defined(__clang__) && (defined(__FMA__) || defined(__aarch64__))
    return __builtin_elementwise_fma(a, b, c);
#else
    return a * b + c;  // for callers whose product is exact
#endif
  }

  static HEDDLE_INLINE Doubles fma(Doubles a, Doubles b, Doubles c) {
#if defined(__clang__) && (defined(__FMA__) || defined(__aarch64__))
    return __builtin_elementwise_fma(a, b, c);
#else
    return a * b + c;  // as above
#endif
  }

  /// min and max of both signs, not for NaN.
  static HEDDLE_INLINE Floats clamp_magnitude(Floats x, float limit) {
#if defined(__AVX512DQ__)
    if constexpr (W == 16) return (Floats)_mm512_range_ps((__m512)x, (__m512)splat(limit), 2);
#endif
#if defined(__AVX512DQ__) && defined(__AVX512VL__)
    if constexpr (W == 8) return (Floats)_mm256_range_ps((__m256)x, (__m256)splat(limit), 2);
#endif
    x = select(x > limit, splat(limit), x);
    return select(x < -limit, splat(-limit), x);
  }
  /// floor(x + term) of the exact sum, |x| <= 2^30, and |x| <= 2^22 where -1 < term < 0; `term` has few bits.
  static HEDDLE_INLINE Ints floor_of_sum(Floats x, float term) {
#if defined(__AVX512F__)
    // A sum that rounds down keeps its floor where integers are exact. Beyond 2^24 they are not, and what is whole in
    // `term` could take a sum there.
    const int units = term <= -1.0f ? -128 : 0;
    const float rest = term - static_cast<float>(units);
    constexpr int kDown = _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC;
    [[maybe_unused]] Ints sum;
    if constexpr (W == 16) {
      const __m512 all = rest != 0.0f ? _mm512_add_round_ps((__m512)x, (__m512)splat(rest), kDown) : (__m512)x;
      sum = (Ints)_mm512_cvt_roundps_epi32(all, kDown);
    }
    if constexpr (W == 8) {
      const __m512 wide = _mm512_castps256_ps512((__m256)x);
      const __m512 all = rest != 0.0f ? _mm512_add_round_ps(wide, _mm512_set1_ps(rest), kDown) : wide;
      sum = (Ints)_mm512_castsi512_si256(_mm512_cvt_roundps_epi32(all, kDown));
    }
    if constexpr (W == 8 || W == 16) return units != 0 ? sum + units : sum;
#endif
    const int steps = term >= 0.0f ? 0 : term > -1.0f ? -1 : -128;  // and what is left of `term`, in [0, 1)
    const float part = term - static_cast<float>(steps);
#if defined(__AVX2__)
    if constexpr (W == 8) {  // the nearest integer, and one less or one more where that is not the floor
      const Ints near = (Ints)_mm256_cvtps_epi32((__m256)x);
      const Floats off = x - to_float(near);  // exact wherever it decides, in [-1/2, 1/2]
      const Ints down = ~(Ints)(off >= (part >= 0.5f ? 1.0f - part : -part));
      return near + down + (part >= 0.5f ? steps + 1 : steps);
    }
#endif
#if defined(__clang__) && (defined(__SSE4_1__) || defined(__aarch64__))
    const Floats whole = __builtin_elementwise_floor(x);
    Ints q = to_int(whole);
#else
    Ints q = to_int(x);
    q += to_float(q) > x;
    const Floats whole = to_float(q);
#endif
    // Each difference is exact wherever it decides: small parts are met just below an integer, also just below 0.
    if (part >= 0.5f) {
      q -= x - whole >= 1.0f - part;
    } else if (part != 0.0f) {
      const Floats above = whole + 1.0f;
      q -= (x - above >= -part) & (x < above);
    }
    return steps != 0 ? q + steps : q;
  }
  /// Nearest even, |x| <= 2^22.
  static HEDDLE_INLINE Ints nearest(Floats x) {
    const Floats shifted = x + 12582912.0f;  // 1.5 * 2^23
    return (Ints)shifted - 0x4b400000;
  }

  static HEDDLE_INLINE Floats zero_if_nan(Floats x) { return (Floats)((Ints)x & (x == x)); }
  /// NUM-3.
  static HEDDLE_INLINE Floats canonical(Floats x) { return select(x == x, x, (Floats)splat(0x7fc00000u)); }
  static HEDDLE_INLINE Floats abs(Floats x) { return (Floats)((Words)x & 0x7fffffffu); }
  static HEDDLE_INLINE Floats negate(Floats x) { return (Floats)((Words)x ^ 0x80000000u); }

  /// The word at each byte offset.
  static HEDDLE_INLINE Words gather(const std::uint8_t* base, Ints offset) {
#if defined(__AVX512F__)
    if constexpr (W == 16) return (Words)_mm512_i32gather_epi32((__m512i)offset, base, 1);
#endif
#if defined(__AVX2__)
    if constexpr (W == 8) return (Words)_mm256_i32gather_epi32(reinterpret_cast<const int*>(base), (__m256i)offset, 1);
#endif
    Words result;
    for (int k = 0; k < W; ++k) {
      std::uint32_t word;
      __builtin_memcpy(&word, base + offset[k], 4);
      result[k] = word;
    }
    return result;
  }
  /// The words of the lanes of `mask`, 0 elsewhere.
  static HEDDLE_INLINE Words gather_some(const std::uint8_t* base, Ints offset, Ints mask) {
#if defined(__AVX512F__)
    if constexpr (W == 16)
      return (Words)_mm512_mask_i32gather_epi32(_mm512_setzero_si512(), _mm512_movepi32_mask((__m512i)mask),
                                                (__m512i)offset, base, 1);
#endif
#if defined(__AVX2__)
    if constexpr (W == 8)
      return (Words)_mm256_mask_i32gather_epi32(_mm256_setzero_si256(), reinterpret_cast<const int*>(base),
                                                (__m256i)offset, (__m256i)mask, 1);
#endif
    return gather(base, offset & mask);
  }
  /// Two words at each byte offset.
  static HEDDLE_INLINE void gather_pair(const std::uint8_t* base, Ints offset, Words& low, Words& high) {
#if defined(__AVX512F__)
    if constexpr (W == 16) {
      const __m512i all = (__m512i)offset;
      const __m512i a = _mm512_i32gather_epi64(_mm512_castsi512_si256(all), base, 1);
      const __m512i b = _mm512_i32gather_epi64(_mm512_extracti64x4_epi64(all, 1), base, 1);
      low = __builtin_shufflevector((Words)a, (Words)b, 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
      high = __builtin_shufflevector((Words)a, (Words)b, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31);
      return;
    }
    if constexpr (W == 8) {
      typedef std::uint32_t U16 __attribute__((vector_size(64)));
      const U16 a = (U16)_mm512_i32gather_epi64((__m256i)offset, base, 1);
      low = __builtin_shufflevector(a, a, 0, 2, 4, 6, 8, 10, 12, 14);
      high = __builtin_shufflevector(a, a, 1, 3, 5, 7, 9, 11, 13, 15);
      return;
    }
#elif defined(__AVX2__)
    if constexpr (W == 8) {
      const auto* words = reinterpret_cast<const long long*>(base);
      const __m256i all = (__m256i)offset;
      const Words a = (Words)_mm256_i32gather_epi64(words, _mm256_castsi256_si128(all), 1);
      const Words b = (Words)_mm256_i32gather_epi64(words, _mm256_extracti128_si256(all, 1), 1);
      low = __builtin_shufflevector(a, b, 0, 2, 4, 6, 8, 10, 12, 14);
      high = __builtin_shufflevector(a, b, 1, 3, 5, 7, 9, 11, 13, 15);
      return;
    }
#elif defined(__aarch64__)
    if constexpr (W == 8) {
      typedef std::uint64_t Pairs __attribute__((vector_size(64)));
      typedef std::uint32_t U16 __attribute__((vector_size(64)));
      Pairs pairs;
      for (int k = 0; k < W; ++k) {
        std::uint64_t pair;
        __builtin_memcpy(&pair, base + offset[k], 8);
        pairs[k] = pair;
      }
      const U16 words = (U16)pairs;
      low = __builtin_shufflevector(words, words, 0, 2, 4, 6, 8, 10, 12, 14);
      high = __builtin_shufflevector(words, words, 1, 3, 5, 7, 9, 11, 13, 15);
      return;
    }
#endif
    low = gather(base, offset);
    high = gather(base, offset + 4);
  }

  /// Elements of a (0 to 3) and b (4 to 7) in each part of four lanes.
  template <int... At>
  static HEDDLE_INLINE Words in_parts(Words a, Words b) {
    constexpr int kAt[4] = {At...};
    return [&]<int... K>(std::integer_sequence<int, K...>) HEDDLE_INLINE_LAMBDA {
      return __builtin_shufflevector(a, b, (K / 4 * 4 + kAt[K % 4] % 4 + (kAt[K % 4] < 4 ? 0 : W))...);
    }(std::make_integer_sequence<int, W>{});
  }
#if defined(__AVX2__)
  /// Offsets on their way out of a vector, two lanes' at a time. The ways through memory and through registers are both
  /// narrow: some take one, some the other.
  struct Spread {
    alignas(64) volatile LanePairs in_memory;
    LanePairs in_vector;
    explicit HEDDLE_INLINE Spread(Ints offset) : in_vector((LanePairs)offset) { in_memory = in_vector; }
    HEDDLE_INLINE std::int64_t two(int k) const {
      constexpr int kFromVector = W == 16 ? 2 : 3;
      return k < kFromVector ? in_vector[k] : reinterpret_cast<const volatile std::int64_t*>(&in_memory)[k];
    }
  };
  static HEDDLE_INLINE std::int64_t first_of(std::int64_t two) { return static_cast<std::int32_t>(two); }
  static HEDDLE_INLINE std::int64_t second_of(std::int64_t two) { return two >> 32; }
  /// One part of 128 bits after the other: those of lanes 0, 4, ...
  template <typename Part>
  static HEDDLE_INLINE Words join(Part&& part) {
    const __m256 low = _mm256_insertf128_ps(_mm256_castps128_ps256(part(0)), part(4), 1);
#if defined(__AVX512F__)
    if constexpr (W == 16) {
      const __m256 high = _mm256_insertf128_ps(_mm256_castps128_ps256(part(8)), part(12), 1);
      return (Words)_mm512_insertf64x4(_mm512_castps_pd(_mm512_castps256_ps512(low)), _mm256_castps_pd(high), 1);
    }
#endif
    if constexpr (W == 8) return (Words)low;
  }
#endif
#if defined(__AVX512F__)
  static constexpr bool kLoadsLanes = W == 8 || W == 16;
#elif defined(__AVX2__)
  static constexpr bool kLoadsLanes = W == 8;
#else
  static constexpr bool kLoadsLanes = false;
#endif
  /// gather_pair() with a load for each lane.
  static HEDDLE_APART_ALWAYS void load_pair(const std::uint8_t* base, Ints offset, Words& low, Words& high) {
#if defined(__AVX2__)
    if constexpr (kLoadsLanes) {
      const Spread offsets(offset);
      const auto two = [&](int lane) HEDDLE_INLINE_LAMBDA {
        const std::int64_t at = offsets.two(lane / 2);
        double first, second;  // two words each, at any byte
        __builtin_memcpy(&first, base + first_of(at), 8);
        __builtin_memcpy(&second, base + second_of(at), 8);
        return _mm_castpd_ps(_mm_setr_pd(first, second));
      };
      const Words a = join(two), b = join([&](int lane) HEDDLE_INLINE_LAMBDA { return two(lane + 2); });
      low = in_parts<0, 2, 4, 6>(a, b);
      high = in_parts<1, 3, 5, 7>(a, b);
      return;
    }
#endif
    gather_pair(base, offset, low, high);
  }
  /// Four words at each byte offset, with a load for each lane.
  static HEDDLE_APART_ALWAYS void load_four(const std::uint8_t* base, Ints offset, Words& a, Words& b, Words& c,
                                            Words& d) {
#if defined(__AVX2__)
    if constexpr (kLoadsLanes) {
      const Spread offsets(offset);
      const auto from = [&](std::int64_t by)
                            HEDDLE_INLINE_LAMBDA { return _mm_loadu_ps(reinterpret_cast<const float*>(base + by)); };
      const auto each = [&](int skipped, Words& one, Words& next) HEDDLE_INLINE_LAMBDA {
        std::int64_t at[W / 4];
        [&]<int... K>(std::integer_sequence<int, K...>) HEDDLE_INLINE_LAMBDA {
          ((at[K] = offsets.two(2 * K + skipped)), ...);
        }(std::make_integer_sequence<int, W / 4>{});
        one = join([&](int lane) HEDDLE_INLINE_LAMBDA { return from(first_of(at[lane / 4])); });
        next = join([&](int lane) HEDDLE_INLINE_LAMBDA { return from(second_of(at[lane / 4])); });
      };
      Words l0, l1, l2, l3;
      each(0, l0, l1);
      each(1, l2, l3);
      const Words low01 = in_parts<0, 4, 1, 5>(l0, l1), low23 = in_parts<0, 4, 1, 5>(l2, l3);
      const Words high01 = in_parts<2, 6, 3, 7>(l0, l1), high23 = in_parts<2, 6, 3, 7>(l2, l3);
      a = in_parts<0, 1, 4, 5>(low01, low23);
      b = in_parts<2, 3, 6, 7>(low01, low23);
      c = in_parts<0, 1, 4, 5>(high01, high23);
      d = in_parts<2, 3, 6, 7>(high01, high23);
      return;
    }
#endif
    gather_pair(base, offset, a, b);
    gather_pair(base, offset + 8, c, d);
  }

  /// Even and odd elements of the words of a then b; as pairs of words when Group is 2.
  template <int Group>
  static HEDDLE_INLINE Words evens(Words a, Words b) {
    return [&]<int... K>(std::integer_sequence<int, K...>) HEDDLE_INLINE_LAMBDA {
      return __builtin_shufflevector(a, b, (K / Group * 2 * Group + K % Group)...);
    }(std::make_integer_sequence<int, W>{});
  }
  template <int Group>
  static HEDDLE_INLINE Words odds(Words a, Words b) {
    return [&]<int... K>(std::integer_sequence<int, K...>) HEDDLE_INLINE_LAMBDA {
      return __builtin_shufflevector(a, b, (K / Group * 2 * Group + Group + K % Group)...);
    }(std::make_integer_sequence<int, W>{});
  }
  /// Each lane's right neighbor in `x`; the last lane gets element Of of `end`.
  template <int Of>
  static HEDDLE_INLINE Words shifted(Words x, Words end) {
    return [&]<int... K>(std::integer_sequence<int, K...>) HEDDLE_INLINE_LAMBDA {
      return __builtin_shufflevector(x, end, (K + 1 < W ? K + 1 : W + Of)...);
    }(std::make_integer_sequence<int, W>{});
  }
  /// The lane that is so far away on the other side of its group: lane k ^ Distance.
  template <int Distance>
  static HEDDLE_INLINE Ints swapped(Ints x) {
    return [&]<int... K>(std::integer_sequence<int, K...>) HEDDLE_INLINE_LAMBDA {
      return __builtin_shufflevector(x, x, (K ^ Distance)...);
    }(std::make_integer_sequence<int, W>{});
  }
  /// The quad's upper left, upper right, lower left lane in every lane (EXE-4).
  template <int Of>
  static HEDDLE_INLINE Floats of_quad(Floats x) {
    return [&]<int... K>(std::integer_sequence<int, K...>) HEDDLE_INLINE_LAMBDA {
      return __builtin_shufflevector(x, x, ((K & ~3) + Of)...);
    }(std::make_integer_sequence<int, W>{});
  }
};

}  // namespace
}  // namespace heddle::texture::simd
