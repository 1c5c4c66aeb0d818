// SPDX-License-Identifier: MIT
#pragma once
// NUM-21 without gathers, for machines where they are slow.

#include "texture/simd/functions/vector.hpp"
#include "texture/simd/srgb_table.hpp"

namespace heddle::texture::simd {
namespace {

template <int W>
struct Srgb {
  using Words = typename Vector<W>::Words;
#if defined(__AVX512BW__)
  static constexpr bool kPermutes = W == 16;
#else
  static constexpr bool kPermutes = false;
#endif
#if defined(__AVX2__)
  static constexpr bool kLoads = W == 8;
#else
  static constexpr bool kLoads = false;
#endif

  /// The values of one byte of each lane, four bytes apart: a load for each. `Byte`: volatile where the compiler has
  /// the bytes in a vector and would take them out of it one by one.
  template <typename Byte>
  static HEDDLE_INLINE Words load([[maybe_unused]] const SrgbTable& table, [[maybe_unused]] const Byte* bytes) {
#if defined(__AVX2__)
    const float* value = table.values;
    const auto part = [&](int first) HEDDLE_INLINE_LAMBDA {
      const Byte* at = bytes + 4 * first;
      return _mm_setr_ps(value[at[0]], value[at[4]], value[at[8]], value[at[12]]);
    };
    if constexpr (W == 8) return (Words)_mm256_set_m128(part(4), part(0));
#endif
    return Words{};
  }

#if defined(__AVX512BW__)
  /// The values of each word's four bytes. The values of the table are four tables of bytes, in which one permutation
  /// looks 64 bytes up. VBMI is not among what these functions are compiled for: never inlined into them, but into a
  /// kernel of the fast engine.
  __attribute__((noinline, target("avx512vbmi"))) static void permute(const SrgbTable& table, __m512i words,
                                                                      __m512i (&values)[4]) {
    // In each 128 bits four first bytes, four second ones ...: as interleaving leaves them in their places.
    const __m512i order = _mm512_broadcast_i32x4(_mm_setr_epi8(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15));
    const __m512i at = _mm512_shuffle_epi8(words, order);
    const __mmask64 upper = _mm512_movepi8_mask(at);
    __m512i bytes[4];
    HEDDLE_UNROLLED
    for (int k = 0; k < 3; ++k) {
      const std::uint8_t* of = table.low[k];
      const __m512i a = _mm512_permutex2var_epi8(_mm512_load_si512(of), at, _mm512_load_si512(of + 64));
      const __m512i b = _mm512_permutex2var_epi8(_mm512_load_si512(of + 128), at, _mm512_load_si512(of + 192));
      bytes[k] = _mm512_mask_blend_epi8(upper, a, b);
    }
    bytes[3] = _mm512_permutex2var_epi8(_mm512_load_si512(table.high), at, _mm512_load_si512(table.high + 64));
    bytes[3] =
        _mm512_mask_permutexvar_epi8(bytes[3], upper, _mm512_srli_epi16(at, 1), _mm512_load_si512(table.high_pairs));
    const __m512i low01 = _mm512_unpacklo_epi8(bytes[0], bytes[1]), low23 = _mm512_unpacklo_epi8(bytes[2], bytes[3]);
    const __m512i high01 = _mm512_unpackhi_epi8(bytes[0], bytes[1]), high23 = _mm512_unpackhi_epi8(bytes[2], bytes[3]);
    values[0] = _mm512_unpacklo_epi16(low01, low23);
    values[1] = _mm512_unpackhi_epi16(low01, low23);
    values[2] = _mm512_unpacklo_epi16(high01, high23);
    values[3] = _mm512_unpackhi_epi16(high01, high23);
  }
#endif
};

}  // namespace
}  // namespace heddle::texture::simd
