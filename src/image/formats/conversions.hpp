// SPDX-License-Identifier: MIT
#pragma once
// A channel's raw bits to the word of a texel: NUM-10 to NUM-21. One text for a single value and for rows of them.

#include <algorithm>
#include <cstdint>

#include "image/formats/codecs.hpp"
#include "image/formats/small_floats.hpp"
#include "image/formats/srgb.hpp"

// Loops for AVX2 take these functions in (convert_rows.cpp).
#define HEDDLE_INLINE __attribute__((always_inline)) inline
#define HEDDLE_INLINE_LAMBDA __attribute__((always_inline))

namespace heddle::image {

/// The value of `bits` bits (1 to 32) with its sign, as the function of the raw bits.
[[nodiscard]] HEDDLE_INLINE auto sign_extension(unsigned bits) {
  return [shift = 32 - bits](std::uint64_t raw) {
    return static_cast<std::int32_t>(static_cast<std::uint32_t>(raw) << shift) >> shift;
  };
}

/// `use(convert)` with the channel's conversion, a function of the raw bits. What depends on the channel alone is done
/// once.
template <typename Use>
HEDDLE_INLINE auto with_conversion(const Channel& channel, bool srgb, Use use) {
  const unsigned n = channel.bits;
  if (srgb && channel.name != 'A')  // NUM-21: alpha is linear
    return use([table = srgb_decode_table(n).data()](std::uint64_t raw) { return base::bits_of(table[raw]); });
  switch (channel.type) {
    case ChannelType::Unorm:  // NUM-10
      if (n > 24)
        return use([top = static_cast<double>((std::uint64_t{1} << n) - 1)](std::uint64_t raw) {
          return base::bits_of(static_cast<float>(static_cast<double>(raw) / top));
        });
      if (n == 8) return use([](std::uint64_t raw) { return base::bits_of(unorm8(static_cast<std::uint32_t>(raw))); });
      return use([top = static_cast<float>((1u << n) - 1)](std::uint64_t raw) {
        return base::bits_of(static_cast<float>(static_cast<std::int32_t>(raw)) / top);
      });
    case ChannelType::Snorm:  // NUM-11
      if (n > 24)
        return use([extend = sign_extension(n), top = static_cast<double>((1u << (n - 1)) - 1)](std::uint64_t raw) {
          return base::bits_of(std::max(static_cast<float>(static_cast<double>(extend(raw)) / top), -1.0f));
        });
      return use([extend = sign_extension(n), top = static_cast<float>((1u << (n - 1)) - 1)](std::uint64_t raw) {
        return base::bits_of(std::max(static_cast<float>(extend(raw)) / top, -1.0f));
      });
    case ChannelType::Uint:  // NUM-12
      return use([](std::uint64_t raw) { return static_cast<std::uint32_t>(raw); });
    case ChannelType::Sint:  // NUM-13
      return use([extend = sign_extension(n)](std::uint64_t raw) { return static_cast<std::uint32_t>(extend(raw)); });
    case ChannelType::Float:
      if (n == 32) return use([](std::uint64_t raw) { return static_cast<std::uint32_t>(raw); });  // NUM-14
      if (n == 16)                                                                                 // NUM-15
        return use(
            [](std::uint64_t raw) { return base::bits_of(base::widened_half(static_cast<std::uint16_t>(raw))); });
      return use([](std::uint64_t raw) {
        return base::bits_of(base::canonical(static_cast<float>(base::double_from_bits(raw))));
      });
    case ChannelType::UnsignedFloat:  // NUM-16, NUM-17
      return use([exponent = channel.exponent_bits, fraction = n - channel.exponent_bits](std::uint64_t raw) {
        return base::bits_of(decode_unsigned_float(static_cast<std::uint32_t>(raw), exponent, fraction));
      });
    case ChannelType::Uscaled:  // NUM-19
      return use([](std::uint64_t raw) { return base::bits_of(static_cast<float>(static_cast<std::uint32_t>(raw))); });
    case ChannelType::Sscaled:
      return use(
          [extend = sign_extension(n)](std::uint64_t raw) { return base::bits_of(static_cast<float>(extend(raw))); });
    case ChannelType::Sfixed:  // NUM-20
      return use([extend = sign_extension(n)](std::uint64_t raw) {
        return base::bits_of(static_cast<float>(static_cast<double>(extend(raw)) / 65536.0));
      });
    case ChannelType::Unused:
    case ChannelType::SharedExponent:
    case ChannelType::Raw:
      break;
  }
  return use([](std::uint64_t) { return 0u; });
}

/// Where a channel goes (NUM-23; C7: others keep their default): L to R, G and B, I to all four.
inline void place(Texel& texel, char name, std::uint32_t value) {
  switch (name) {
    case 'R':
      texel.bits[0] = value;
      break;
    case 'G':
      texel.bits[1] = value;
      break;
    case 'B':
      texel.bits[2] = value;
      break;
    case 'A':
      texel.bits[3] = value;
      break;
    case 'L':
      texel.bits[0] = texel.bits[1] = texel.bits[2] = value;
      break;
    case 'I':
      texel.bits.fill(value);
      break;
    default:
      break;
  }
}

[[nodiscard]] inline Texel decode_shared(std::uint32_t word) {  // NUM-18
  Texel texel = default_texel(ValueClass::Float);
  for (int i = 0; i < 3; ++i) texel.set(i, decode_shared_exponent(word >> (9 * i) & 0x1ff, word >> 27));
  return texel;
}

}  // namespace heddle::image
