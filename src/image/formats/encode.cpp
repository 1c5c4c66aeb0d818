// SPDX-License-Identifier: MIT
// Value to texel: NUM-50 to NUM-62.

#include <algorithm>
#include <cmath>

#include "base/half.hpp"
#include "image/format.hpp"
#include "image/formats/codecs.hpp"
#include "image/formats/small_floats.hpp"
#include "image/formats/srgb.hpp"

namespace heddle::image {
namespace {

/// NUM-5 [C23].
float clamp(float x, float low, float high) {
  if (x != x) return 0;
  return x < low ? low : x > high ? high : x;
}

/// NUM-50, NUM-51 [C14]: the product in binary32 up to 16 bits, else in binary64.
std::uint64_t encode_unorm(float x, unsigned bits) {
  const std::uint64_t top = (std::uint64_t{1} << bits) - 1;
  const float inside = clamp(x, 0, 1);
  if (bits > 16)
    return static_cast<std::uint64_t>(std::nearbyint(static_cast<double>(inside) * static_cast<double>(top)));
  return static_cast<std::uint64_t>(std::nearbyint(inside * static_cast<float>(top)));
}

/// NUM-52 [C14].
std::int64_t encode_snorm(float x, unsigned bits) {
  const std::int64_t top = (std::int64_t{1} << (bits - 1)) - 1;
  const float inside = clamp(x, -1, 1);
  if (bits > 16)
    return static_cast<std::int64_t>(std::nearbyint(static_cast<double>(inside) * static_cast<double>(top)));
  return static_cast<std::int64_t>(std::nearbyint(inside * static_cast<float>(top)));
}

std::uint64_t encode_channel(const Channel& channel, std::uint32_t word) {
  const unsigned n = channel.bits;
  const float x = base::float_from_bits(word);
  switch (channel.type) {
    case ChannelType::Unorm:
      return encode_unorm(x, n);
    case ChannelType::Snorm:
      return static_cast<std::uint64_t>(encode_snorm(x, n));
    case ChannelType::Uint:  // NUM-53
      return n >= 32 ? word : std::min(word, (1u << n) - 1);
    case ChannelType::Sint: {  // NUM-54
      const std::int64_t limit = std::int64_t{1} << (n - 1);
      return static_cast<std::uint64_t>(std::clamp<std::int64_t>(static_cast<std::int32_t>(word), -limit, limit - 1));
    }
    case ChannelType::Float:
      return n == 32 ? word : base::float_to_half(x);  // NUM-55, NUM-56
    case ChannelType::UnsignedFloat:
      return encode_unsigned_float(x, channel.exponent_bits, n - channel.exponent_bits);
    default:
      return 0;
  }
}

/// NUM-61: L and I come from R.
std::uint32_t source_word(const Texel& value, char name) {
  switch (name) {
    case 'G':
      return value.bits[1];
    case 'B':
      return value.bits[2];
    case 'A':
      return value.bits[3];
    default:
      return value.bits[0];
  }
}

void store_little(std::uint8_t* to, std::uint64_t value, unsigned bytes) {
  for (unsigned i = 0; i < bytes; ++i) to[i] = static_cast<std::uint8_t>(value >> (8 * i));
}

/// The chroma of a pair is that of its even texel, whatever the order of the stores.
void encode_ycrcb(const FormatInfo& format, const Texel& value, std::uint8_t* element, unsigned x) {
  const bool odd = (x & 1) != 0;
  for (std::size_t i = 0; i < format.channel_count; ++i) {
    const Channel& channel = format.channels[i];
    if (odd && channel.name != 'G') continue;
    element[channel.start / 8u + (odd ? 2 : 0)] =
        static_cast<std::uint8_t>(encode_channel(channel, source_word(value, channel.name)));
  }
}

}  // namespace

bool encodable(const FormatInfo& format) {
  if (format.codec == Codec::SharedExponent || format.codec == Codec::Ycrcb422) return true;
  if (format.codec != Codec::Plain && format.codec != Codec::Unorm8 && format.codec != Codec::Words) return false;
  return std::all_of(format.channels.begin(), format.channels.begin() + format.channel_count,
                     [](const Channel& channel) {
                       return channel.bits <= 32 && channel.type != ChannelType::Uscaled &&
                              channel.type != ChannelType::Sscaled && channel.type != ChannelType::Sfixed;
                     });
}

void encode_texel(const FormatInfo& format, const Texel& value, std::uint8_t* element, unsigned x) {
  if (format.codec == Codec::Ycrcb422) return encode_ycrcb(format, value, element, x);
  if (format.codec == Codec::SharedExponent)
    return store_little(element, encode_shared_exponent({value.f(0), value.f(1), value.f(2)}), 4);
  if (!encodable(format)) return;
  const unsigned bytes = format.bytes_per_element();
  const bool small = bytes <= 8;
  std::uint64_t word = 0;
  if (!small) std::fill_n(element, bytes, std::uint8_t{0});
  for (std::size_t i = 0; i < format.channel_count; ++i) {
    const Channel& channel = format.channels[i];
    if (channel.type == ChannelType::Unused) continue;  // NUM-61 [C32]: X bits are 0
    const std::uint32_t source = source_word(value, channel.name);
    const bool curve = format.is_srgb() && channel.name != 'A';
    const std::uint64_t raw =
        curve ? srgb_encode(base::float_from_bits(source), channel.bits) : encode_channel(channel, source);
    if (small)
      word |= (raw & (channel.bits >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << channel.bits) - 1))
              << channel.start;
    else
      store_little(element + channel.start / 8, raw, channel.bits / 8u);
  }
  if (small) store_little(element, word, bytes);
}

}  // namespace heddle::image
