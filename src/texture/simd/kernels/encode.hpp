#pragma once
// Values to elements over lanes: NUM-50..57, NUM-60, NUM-62.

#include "texture/simd/kernels/texels.hpp"
#include "texture/simd/stored_channel.hpp"

namespace heddle::texture::simd {
namespace {

template <int W>
struct Encode {
  using V = Vector<W>;
  using F = typename V::F;
  using I = typename V::I;
  using U = typename V::U;
  using D = typename V::D;

  /// NUM-5.
  static HEDDLE_INLINE F clamp(F x, float low, float high) {
    x = V::zero_if_nan(x);
    x = V::select(x < low, V::splat(low), x);
    return V::select(x > high, V::splat(high), x);
  }

  /// NUM-50, NUM-51.
  static HEDDLE_INLINE U unorm(F x, unsigned bits) {
    const F inside = V::least(V::select(x > 0.0f, x, F{}), 1.0f);  // NaN and -0 are 0 too
    if (bits <= 16) return (U)V::nearest(inside * static_cast<float>((1u << bits) - 1));
    // 1.5 * 2^52 leaves the nearest integer in the low bits of the binary64.
    const D shifted = __builtin_convertvector(inside, D) * static_cast<double>((1u << bits) - 1) + 6755399441055744.0;
    return __builtin_convertvector((typename V::L)shifted, U) & ((1u << bits) - 1);
  }

  /// NUM-41.
  static HEDDLE_INLINE U half(F x) {
#if defined(__clang__) && defined(__F16C__)
    typedef _Float16 Half __attribute__((vector_size(2 * W)));
    return __builtin_convertvector((typename V::H) __builtin_convertvector(x, Half), U);
#else
    const U bits = (U)x, sign = bits >> 16 & 0x8000u, magnitude = bits & 0x7fffffffu;
    return sign | small_float(magnitude, 5, 10, 0x200u | (magnitude >> 13 & 0x1ffu));
#endif
  }

  /// A magnitude with `e` exponent and `m` fraction bits, nearest even; NaN gets the given fraction.
  static HEDDLE_INLINE U small_float(U magnitude, unsigned e, unsigned m, U nan_fraction) {
    const unsigned bias = (1u << (e - 1)) - 1, drop = 23 - m;
    const std::uint32_t top = ((1u << e) - 1) << m;
    // Subnormal results count units of the last place; adding the magic number rounds them.
    const float unit = __builtin_bit_cast(float, (127u + bias - 1 + m) << 23);
    const U small = (U)V::nearest((F)magnitude * unit);
    const U rounded = magnitude - ((127u - bias) << 23) + ((1u << (drop - 1)) - 1) + (magnitude >> drop & 1u);
    U result = V::select((I)(magnitude < (127u - bias + 1) << 23), small, rounded >> drop);
    // Beyond the greatest value, infinity included.
    result = V::select((I)((result > top) | (magnitude >= (127u + bias + 1) << 23)), V::splat(top), result);
    return V::select((I)(magnitude > 0x7f800000u), top | nan_fraction, result);
  }

  /// NUM-57, NUM-58.
  static HEDDLE_INLINE U unsigned_float(F x, unsigned bits, unsigned e) {
    const unsigned m = bits - e;
    const I nan = x != x;
    const U magnitude = V::select(nan, V::splat(0x7fc00000u), V::select(x > 0.0f, (U)x, U{}));
    return small_float(magnitude, e, m, V::splat(1u << (m - 1)));
  }

  /// NUM-60: the table is indexed by the upper bits of the binary32; a word holds the number of thresholds below the
  /// step in its upper 8 bits and, of the one threshold inside the step, the lower bits (ffffffh: none).
  static HEDDLE_INLINE U srgb(F x, const std::uint32_t* table) {
    const F inside = V::abs(clamp(x, 0.0f, 1.0f));  // -0 too
    constexpr std::uint32_t kFirst = kSrgbFirst >> kSrgbShift;
    const I step = V::max((I)((U)inside >> kSrgbShift) - static_cast<std::int32_t>(kFirst), I{});
    const U entry = V::gather(reinterpret_cast<const std::uint8_t*>(table), step << 2);
    const U rest = V::select(inside < 0x1p-13f, U{}, (U)inside & ((1u << kSrgbShift) - 1));
    return (entry >> 24) - (U)(rest >= (entry & 0xffffffu));
  }

  static HEDDLE_INLINE U channel(const ChannelCode& code, U word, const std::uint32_t* srgb_table) {
    const unsigned n = code.bits;
    const F x = (F)word;
    switch (code.kind) {
      case ChannelKind::Unorm:
        return unorm(x, n);
      case ChannelKind::Srgb:
        return srgb(x, srgb_table);
      case ChannelKind::Snorm:
        return (U)V::nearest(clamp(x, -1.0f, 1.0f) * static_cast<float>((1u << (n - 1)) - 1)) & ((1u << n) - 1);
      case ChannelKind::Uint: {
        if (n >= 32) return word;
        const U most = V::splat((1u << n) - 1);
        return V::select((I)(word > most), most, word);
      }
      case ChannelKind::Sint: {
        if (n >= 32) return word;
        const std::int32_t limit = 1 << (n - 1);
        return (U)V::max(V::min((I)word, V::splat(limit - 1)), V::splat(-limit)) & ((1u << n) - 1);
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
