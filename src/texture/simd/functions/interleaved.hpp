// SPDX-License-Identifier: MIT
#pragma once
// Bilinear filters of a run of texels that are four binary32 or binary16: the texels stay as they lie in memory, four
// channels side by side, so that only results are transposed and no tap has to be shifted to its lane.

#include "texture/simd/functions/texels.hpp"

namespace heddle::texture::simd {
namespace {

template <int W>
struct Interleaved {
  using Lanes = Vector<W>;
  using Texel = Texels<W>;
  using Floats = typename Lanes::Floats;
  using Words = typename Lanes::Words;

#if defined(__AVX512F__)
  static constexpr bool kThere = W == 8 || W == 16;
#elif defined(__AVX2__) && defined(__FMA__)
  static constexpr bool kThere = W == 8;
#else
  static constexpr bool kThere = false;
#endif
  static HEDDLE_INLINE bool filters(const StaticState& f) {
    const auto whole = [&](unsigned c) HEDDLE_INLINE_LAMBDA {
      return f.channel[c].kind == ChannelKind::Float32 && f.channel[c].word == c;
    };
    if (!kThere || f.compare || f.reduction != FilterReduction::Weighted) return false;
    const bool floats = f.element_bytes == 16 && whole(0) && whole(1) && whole(2) && whole(3);
    return floats || (f.element_bytes == 8 && Texel::decodes_early(f));
  }

  /// Texels::bilinear() of a run from `upper` on, where no weight is 0.
  static HEDDLE_INLINE void bilinear([[maybe_unused]] const StaticState& f, [[maybe_unused]] const std::uint8_t* upper,
                                     [[maybe_unused]] std::uint32_t pitch, [[maybe_unused]] Floats across,
                                     [[maybe_unused]] Floats down, [[maybe_unused]] Words (&out)[4]) {
#if defined(__AVX512F__)
    if constexpr (W == 16) {
      const std::uint8_t* lower = upper + pitch;
      const Row above = f.element_bytes == 8 ? halves(upper) : floats(upper);
      const Row below = f.element_bytes == 8 ? halves(lower) : floats(lower);
      const __m512i lane = _mm512_setr_epi32(0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3);
      __m512 r[4];
      const auto lanes = [&](int g) HEDDLE_INLINE_LAMBDA {
        const __m512i at = _mm512_add_epi32(lane, _mm512_set1_epi32(4 * g));
        const __m512 u = _mm512_permutexvar_ps(at, (__m512)across), v = _mm512_permutexvar_ps(at, (__m512)down);
        const __m512 x = above.left[g] + (above.right[g] - above.left[g]) * u;
        const __m512 y = below.left[g] + (below.right[g] - below.left[g]) * u;
        r[g] = x + (y - x) * v;
      };
      lanes(0);
      lanes(1);
      lanes(2);
      lanes(3);
      Texel::transpose((Words)r[0], (Words)r[1], (Words)r[2], (Words)r[3], out);
      const unsigned odd = static_cast<unsigned>(_mm512_cmp_ps_mask(r[0], r[1], _CMP_UNORD_Q)) |
                           static_cast<unsigned>(_mm512_cmp_ps_mask(r[2], r[3], _CMP_UNORD_Q));
      if (odd != 0) canonical(out);
    }
#endif
#if defined(__AVX2__)
    if constexpr (W == 8) {
      const auto texels = [&](const std::uint8_t* from) HEDDLE_INLINE_LAMBDA {
        return f.element_bytes == 8 ? _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from)))
                                    : _mm256_loadu_ps(reinterpret_cast<const float*>(from));
      };
      const auto row = [&](const std::uint8_t* from, __m256 factor) HEDDLE_INLINE_LAMBDA {
        const __m256 a = texels(from), b = texels(from + f.element_bytes);
        return a + (b - a) * factor;
      };
      const auto lanes = [&](int first) HEDDLE_INLINE_LAMBDA {
        const int next = first + 1;
        const __m256i at = _mm256_setr_epi32(first, first, first, first, next, next, next, next);
        const __m256 factor = _mm256_permutevar8x32_ps((__m256)across, at);
        const std::uint8_t* from = upper + f.element_bytes * first;
        const __m256 x = row(from, factor), y = row(from + pitch, factor);
        return x + (y - x) * _mm256_permutevar8x32_ps((__m256)down, at);
      };
      const __m256 r0 = lanes(0), r1 = lanes(2), r2 = lanes(4), r3 = lanes(6);
      const __m256 a = _mm256_permute2f128_ps(r0, r2, 0x20), b = _mm256_permute2f128_ps(r0, r2, 0x31);
      const __m256 c = _mm256_permute2f128_ps(r1, r3, 0x20), d = _mm256_permute2f128_ps(r1, r3, 0x31);
      const __m256 ab0 = _mm256_unpacklo_ps(a, b), ab1 = _mm256_unpackhi_ps(a, b);
      const __m256 cd0 = _mm256_unpacklo_ps(c, d), cd1 = _mm256_unpackhi_ps(c, d);
      out[0] = (Words)_mm256_shuffle_ps(ab0, cd0, 0x44);
      out[1] = (Words)_mm256_shuffle_ps(ab0, cd0, 0xee);
      out[2] = (Words)_mm256_shuffle_ps(ab1, cd1, 0x44);
      out[3] = (Words)_mm256_shuffle_ps(ab1, cd1, 0xee);
      const __m256 odd = _mm256_or_ps(_mm256_cmp_ps(r0, r1, _CMP_UNORD_Q), _mm256_cmp_ps(r2, r3, _CMP_UNORD_Q));
      if (_mm256_movemask_ps(odd) != 0) canonical(out);
    }
#endif
  }

 private:
  static HEDDLE_INLINE void canonical(Words (&out)[4]) {
    for (Words& x : out) x = (Words)Lanes::canonical((Floats)x);
  }

#if defined(__AVX512F__)
  /// Each lane's texel and its right neighbor, four lanes in a vector.
  struct Row {
    __m512 left[4], right[4];
  };
  static HEDDLE_INLINE Row floats(const std::uint8_t* from) {
    const auto at = [&](int texel) HEDDLE_INLINE_LAMBDA {
      return _mm512_loadu_ps(reinterpret_cast<const float*>(from) + 4 * texel);
    };
    return {{at(0), at(4), at(8), at(12)}, {at(1), at(5), at(9), at(13)}};
  }
  static HEDDLE_INLINE Row halves(const std::uint8_t* from) {
    const auto at = [&](int texel) HEDDLE_INLINE_LAMBDA {
      return _mm512_cvtph_ps(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(from + 8 * texel)));
    };
    const auto next = [](__m512 a, __m512 b)
                          HEDDLE_INLINE_LAMBDA { return (__m512)_mm512_alignr_epi32((__m512i)b, (__m512i)a, 4); };
    const __m512 a = at(0), b = at(4), c = at(8), d = at(12);  // aligning costs less than converting
    return {{a, b, c, d}, {next(a, b), next(b, c), next(c, d), at(13)}};
  }
#endif
};

}  // namespace
}  // namespace heddle::texture::simd
