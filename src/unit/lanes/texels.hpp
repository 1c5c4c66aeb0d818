#pragma once
// Elements to values over lanes: NUM-10..18, 21, 23, CMP-1..3, and the filters' arithmetic (FLT-1, RED-1).

#include "unit/lanes/state.hpp"
#include "unit/lanes/vector.hpp"

namespace heddle::unit::lanes {
namespace {

template <int W>
struct Texels {
  using V = Vector<W>;
  using F = typename V::F;
  using I = typename V::I;
  using U = typename V::U;
  using Words = U[4];

  /// The words of the element at each byte offset.
  static HEDDLE_INLINE void fetch(unsigned bytes, const std::uint8_t* base, I offset, std::int32_t limit, Words& words) {
    switch (bytes) {
      case 1:
      case 2: {  // the word must not reach beyond the memory
        const I safe = V::min(offset, V::splat(limit));
        words[0] = V::gather(base, safe) >> (U)((offset - safe) << 3);
        break;
      }
      case 8:
        V::gather_pair(base, offset, words[0], words[1]);
        break;
      case 16:
        V::gather_pair(base, offset, words[0], words[1]);
        V::gather_pair(base, offset + 8, words[2], words[3]);
        break;
      default:
        words[0] = V::gather(base, offset);
        break;
    }
  }

  /// v / (2^n - 1), |v| < 2^n: the division as a product that is exact for the upper part of the reciprocal, so that
  /// both forms of `fma` round once. Holds for every v of every width (checked by tests).
  static HEDDLE_INLINE F divide(F v, unsigned n) {
    const double top = static_cast<double>((1u << n) - 1), unit = static_cast<double>(1u << n) * 256.0;
    if (n <= 16) {
      const auto high = static_cast<float>(static_cast<double>(static_cast<std::uint32_t>(unit / top)) / unit);
      const auto low = static_cast<float>(1.0 / top - static_cast<double>(high));
      return V::fma(v, V::splat(high), v * low);
    }
#if defined(__clang__) && defined(__FMA__)
    const auto high = static_cast<float>(1.0 / top);
    const auto low = static_cast<float>(1.0 / top - static_cast<double>(high));
    return V::fma(v, V::splat(high), v * low);
#else
    return v / static_cast<float>(top);
#endif
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

  /// One channel of N elements.
  template <int N>
  static HEDDLE_INLINE void decode(const ChannelCode& code, bool integer, const Words (&words)[N], const float* srgb,
                                   U (&out)[N]) {
    const unsigned shift = code.shift, bits = code.bits;
    const auto raw = [&](int t) HEDDLE_INLINE_LAMBDA {
      const U word = words[t][code.word];
      if (bits == 32) return word;
      return shift + bits == 32 ? word >> shift : word >> shift & ((1u << bits) - 1);
    };
    const auto extended = [&](int t) HEDDLE_INLINE_LAMBDA { return (I)(words[t][code.word] << (32 - shift - bits)) >> (32 - bits); };
    const auto each = [&](auto&& value) HEDDLE_INLINE_LAMBDA {
      [&]<int... K>(std::integer_sequence<int, K...>) HEDDLE_INLINE_LAMBDA {
        ((out[K] = value(K)), ...);
      }(std::make_integer_sequence<int, N>{});
    };
    switch (code.kind) {
      case ChannelKind::Zero:
        each([&](int) HEDDLE_INLINE_LAMBDA { return U{}; });
        break;
      case ChannelKind::One:
        each([&](int) HEDDLE_INLINE_LAMBDA { return V::splat(integer ? 1u : 0x3f800000u); });
        break;
      case ChannelKind::Unorm:
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
        each([&](int t) HEDDLE_INLINE_LAMBDA { return V::gather(reinterpret_cast<const std::uint8_t*>(srgb), (I)(raw(t) << 2)); });
        break;
      default:
        each(raw);
        break;
    }
  }

  /// CMP-3.
  static HEDDLE_INLINE F compare_reference(const Fixed& f, F ref) {
    if (!f.clamp_reference) return ref;
    ref = V::select(ref < 0.0f, V::splat(0.0f), ref);
    return V::select(ref > 1.0f, V::splat(1.0f), ref);
  }
  /// CMP-1, CMP-2: 0.0 where the function holds, else 1.0; the ordered ones hold for NaN.
  static HEDDLE_INLINE U compare(std::uint8_t function, F texel, F ref) {
    I fails{};
    switch (function) {
      case 1:
        fails = V::splat(-1);
        break;
      case 2:
        fails = texel >= ref;
        break;
      case 3:
        fails = texel != ref;
        break;
      case 4:
        fails = texel > ref;
        break;
      case 5:
        fails = texel <= ref;
        break;
      case 6:
        fails = texel == ref;
        break;
      case 7:
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

  /// NUM-4 and the integer forms, RED-1.
  static HEDDLE_INLINE U reduce(const Fixed& f, U a, U b) {
    const bool minimum = f.reduction == 1;
    I second;
    if (f.value_class == 1)
      second = (I)(minimum ? b < a : b > a);
    else if (f.value_class == 2)
      second = minimum ? (I)b < (I)a : (I)b > (I)a;
    else
      second = ((F)a != (F)a) | (minimum ? (F)b < (F)a : (F)b > (F)a);
    return V::select(second, b, a);
  }

  /// SUR-7.
  static HEDDLE_INLINE U select_channel(const Fixed& f, std::uint8_t select, const Words& texel) {
    switch (select) {
      case 0:
        return U{};
      case 1:
        return V::splat(f.value_class == 0 ? 0x3f800000u : 1u);
      default:
        return texel[select & 3];
    }
  }
};

}  // namespace
}  // namespace heddle::unit::lanes
