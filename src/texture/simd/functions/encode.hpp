// SPDX-License-Identifier: MIT
#pragma once
// Values to elements over lanes: NUM-50..57, NUM-60, NUM-62.

#include "texture/simd/functions/texels.hpp"
#include "texture/simd/stored_channel.hpp"

namespace heddle::texture::simd {
namespace {

template <int W>
struct Encode {
  using Lanes = Vector<W>;
  using Floats = typename Lanes::Floats;
  using Ints = typename Lanes::Ints;
  using Words = typename Lanes::Words;
  using Doubles = typename Lanes::Doubles;

  /// NUM-5.
  static HEDDLE_INLINE Floats clamp(Floats x, float low, float high) {
    x = Lanes::zero_if_nan(x);
    x = Lanes::select(x < low, Lanes::splat(low), x);
    return Lanes::select(x > high, Lanes::splat(high), x);
  }

  /// NUM-50, NUM-51.
  static HEDDLE_INLINE Words unorm(Floats x, unsigned bits) {
    const Floats inside = Lanes::least(Lanes::positive(x), 1.0f);  // NaN and -0 are 0 too
    if (bits <= 16) return (Words)Lanes::nearest(inside * static_cast<float>((1u << bits) - 1));
    // 1.5 * 2^52 leaves the nearest integer in the low bits of the binary64.
    const Doubles shifted =
        __builtin_convertvector(inside, Doubles) * static_cast<double>((1u << bits) - 1) + 6755399441055744.0;
    return __builtin_convertvector((typename Lanes::Longs)shifted, Words) & ((1u << bits) - 1);
  }

  /// NUM-41.
  static HEDDLE_INLINE Words half(Floats x) {
#if defined(__clang__) && (defined(__F16C__) || defined(__aarch64__))
    typedef _Float16 Half __attribute__((vector_size(2 * W)));
    return __builtin_convertvector((typename Lanes::HalfWords) __builtin_convertvector(x, Half), Words);
#else
    const Words bits = (Words)x, sign = bits >> 16 & 0x8000u, magnitude = bits & 0x7fffffffu;
    return sign | small_float(magnitude, 5, 10, 0x200u | (magnitude >> 13 & 0x1ffu));
#endif
  }

  /// A magnitude with `e` exponent and `m` fraction bits, nearest even; NaN gets the given fraction.
  static HEDDLE_INLINE Words small_float(Words magnitude, unsigned e, unsigned m, Words nan_fraction) {
    const unsigned bias = (1u << (e - 1)) - 1, drop = 23 - m;
    const std::uint32_t top = ((1u << e) - 1) << m;
    // Subnormal results count units of the last place; adding the magic number rounds them.
    const float unit = __builtin_bit_cast(float, (127u + bias - 1 + m) << 23);
    const Words small = (Words)Lanes::nearest((Floats)magnitude * unit);
    const Words rounded = magnitude - ((127u - bias) << 23) + ((1u << (drop - 1)) - 1) + (magnitude >> drop & 1u);
    Words result = Lanes::select((Ints)(magnitude < (127u - bias + 1) << 23), small, rounded >> drop);
    // Beyond the greatest value, infinity included.
    result = Lanes::select((Ints)((result > top) | (magnitude >= (127u + bias + 1) << 23)), Lanes::splat(top), result);
    return Lanes::select((Ints)(magnitude > 0x7f800000u), top | nan_fraction, result);
  }

  /// NUM-57, NUM-58.
  static HEDDLE_INLINE Words unsigned_float(Floats x, unsigned bits, unsigned e) {
    const unsigned m = bits - e;
    const Ints nan = x != x;
    const Words magnitude = Lanes::select(nan, Lanes::splat(0x7fc00000u), (Words)Lanes::positive(x));
    return small_float(magnitude, e, m, Lanes::splat(1u << (m - 1)));
  }

  /// NUM-60: the table is indexed by the upper bits of the binary32; a word holds the number of thresholds below the
  /// step in its upper 8 bits and, of the one threshold inside the step, the lower bits (ffffffh: none).
  static HEDDLE_INLINE Words srgb(Floats x, const std::uint32_t* table) {
    const Floats inside = Lanes::abs(clamp(x, 0.0f, 1.0f));  // -0 too
    constexpr std::uint32_t kFirst = kSrgbFirst >> kSrgbShift;
    const Ints step = Lanes::max((Ints)((Words)inside >> kSrgbShift) - static_cast<std::int32_t>(kFirst), Ints{});
    const Words entry = Lanes::gather(reinterpret_cast<const std::uint8_t*>(table), step << 2);
    const Words rest = Lanes::select(inside < 0x1p-13f, Words{}, (Words)inside & ((1u << kSrgbShift) - 1));
    return (entry >> 24) - (Words)(rest >= (entry & 0xffffffu));
  }

  static HEDDLE_INLINE Words channel(const ChannelCode& code, Words word, const std::uint32_t* srgb_table) {
    const unsigned n = code.bits;
    const Floats x = (Floats)word;
    switch (code.kind) {
      case ChannelKind::Unorm:
        return unorm(x, n);
      case ChannelKind::Srgb:
        return srgb(x, srgb_table);
      case ChannelKind::Snorm:
        return (Words)Lanes::nearest(clamp(x, -1.0f, 1.0f) * static_cast<float>((1u << (n - 1)) - 1)) & ((1u << n) - 1);
      case ChannelKind::Uint: {
        if (n >= 32) return word;
        const Words most = Lanes::splat((1u << n) - 1);
        return Lanes::select((Ints)(word > most), most, word);
      }
      case ChannelKind::Sint: {
        if (n >= 32) return word;
        const std::int32_t limit = 1 << (n - 1);
        return (Words)Lanes::max(Lanes::min((Ints)word, Lanes::splat(limit - 1)), Lanes::splat(-limit)) &
               ((1u << n) - 1);
      }
      case ChannelKind::Float16:
        return half(x);
      case ChannelKind::UnsignedFloat:
        return unsigned_float(x, n, code.exponent_bits);
      default:
        return word;
    }
  }
};

}  // namespace
}  // namespace heddle::texture::simd
