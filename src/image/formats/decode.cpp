// Texel to value: NUM-10 to NUM-28.

#include <algorithm>
#include <cmath>

#include "base/half.hpp"
#include "image/format.hpp"
#include "image/formats/codecs.hpp"
#include "image/formats/small_floats.hpp"
#include "image/formats/srgb.hpp"

namespace heddle::image {
namespace {

constexpr auto kUnorm8 = [] {
  std::array<float, 256> table{};
  for (std::size_t v = 0; v < 256; ++v) table[v] = static_cast<float>(v) / 255.0f;
  return table;
}();

/// The channel's bits. Elements of more than 8 bytes have byte-aligned channels of 16, 32 or 64 bits.
std::uint64_t channel_bits(const Channel& channel, const std::uint8_t* element, std::uint64_t word, bool small) {
  if (!small) return load_little(element + channel.start / 8, channel.bits / 8u);
  return channel.bits == 64 ? word : (word >> channel.start) & ((std::uint64_t{1} << channel.bits) - 1);
}

std::int64_t sign_extend(std::uint64_t raw, unsigned bits) {
  return static_cast<std::int64_t>(raw << (64 - bits)) >> (64 - bits);
}

/// One channel's raw bits as the 32-bit word of the texel.
std::uint32_t channel_value(const Channel& channel, std::uint64_t raw) {
  const unsigned n = channel.bits;
  const auto small = static_cast<std::uint32_t>(raw);
  switch (channel.type) {
    case ChannelType::Unorm:  // NUM-10
      if (n > 24)
        return base::bits_of(
            static_cast<float>(static_cast<double>(raw) / static_cast<double>((std::uint64_t{1} << n) - 1)));
      if (n == 8) return base::bits_of(kUnorm8[raw]);
      return base::bits_of(static_cast<float>(small) / static_cast<float>((1u << n) - 1));
    case ChannelType::Snorm: {  // NUM-11
      const std::int64_t value = sign_extend(raw, n);
      const auto top = static_cast<std::int64_t>((std::uint64_t{1} << (n - 1)) - 1);
      if (n > 24)
        return base::bits_of(
            std::max(static_cast<float>(static_cast<double>(value) / static_cast<double>(top)), -1.0f));
      return base::bits_of(std::max(static_cast<float>(value) / static_cast<float>(top), -1.0f));
    }
    case ChannelType::Uint:
      return small;  // NUM-12
    case ChannelType::Sint:
      return static_cast<std::uint32_t>(sign_extend(raw, n));  // NUM-13
    case ChannelType::Float:
      if (n == 32) return small;                                                                // NUM-14
      if (n == 16) return base::bits_of(base::half_to_float(static_cast<std::uint16_t>(raw)));  // NUM-15
      return base::bits_of(base::canonical(static_cast<float>(base::double_from_bits(raw))));
    case ChannelType::UnsignedFloat:  // NUM-16, NUM-17
      return base::bits_of(decode_unsigned_float(small, channel.exponent_bits, n - channel.exponent_bits));
    case ChannelType::Uscaled:
      return base::bits_of(static_cast<float>(small));  // NUM-19
    case ChannelType::Sscaled:
      return base::bits_of(static_cast<float>(sign_extend(raw, n)));
    case ChannelType::Sfixed:  // NUM-20
      return base::bits_of(static_cast<float>(static_cast<double>(sign_extend(raw, n)) / 65536.0));
    case ChannelType::Unused:
    case ChannelType::SharedExponent:
    case ChannelType::Raw:
      break;
  }
  return 0;
}

/// Where a channel goes (NUM-23; C7: others keep their default): L to R, G and B, I to all four.
void place(Texel& texel, char name, std::uint32_t value) {
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

Texel decode_plain(const FormatInfo& format, const std::uint8_t* element, bool srgb) {
  Texel texel = default_texel(format.value_class);
  const unsigned bytes = format.bytes_per_element();
  const bool small = bytes <= 8;
  const std::uint64_t word = small ? load_little(element, bytes) : 0;
  for (std::size_t i = 0; i < format.channel_count; ++i) {
    const Channel& channel = format.channels[i];
    if (channel.type == ChannelType::Unused) continue;
    const std::uint64_t raw = channel_bits(channel, element, word, small);
    const bool curve = srgb && channel.name != 'A';  // NUM-21: alpha is linear
    place(texel, channel.name,
          curve ? base::bits_of(srgb_decode_table(channel.bits)[raw]) : channel_value(channel, raw));
  }
  return texel;
}

Texel decode_unorm8(const FormatInfo& format, const std::uint8_t* element) {
  Texel texel = default_texel(ValueClass::Float);
  for (std::size_t i = 0; i < format.channel_count; ++i) {
    const Channel& channel = format.channels[i];
    if (channel.type != ChannelType::Unused)
      place(texel, channel.name, base::bits_of(kUnorm8[element[channel.start / 8]]));
  }
  return texel;
}

Texel decode_words(const FormatInfo& format, const std::uint8_t* element) {
  Texel texel = default_texel(format.value_class);
  for (std::size_t i = 0; i < format.channel_count; ++i)
    texel.bits[i] = static_cast<std::uint32_t>(load_little(element + 4 * i, 4));
  return texel;
}

Texel decode_shared(const std::uint8_t* element) {  // NUM-18
  const auto word = static_cast<std::uint32_t>(load_little(element, 4));
  Texel texel = default_texel(ValueClass::Float);
  for (int i = 0; i < 3; ++i) texel.set(i, decode_shared_exponent(word >> (9 * i) & 0x1ff, word >> 27));
  return texel;
}

/// NUM-22, NUM-26: both texels of a pair share U and V; the odd one has its luma two bytes after the even one's.
Texel decode_ycrcb(const FormatInfo& format, const std::uint8_t* element, unsigned x) {
  Texel texel = default_texel(ValueClass::Float);
  for (std::size_t i = 0; i < format.channel_count; ++i) {
    const Channel& channel = format.channels[i];
    const unsigned byte = channel.start / 8u + (channel.name == 'G' && (x & 1) != 0 ? 2 : 0);
    place(texel, channel.name, base::bits_of(kUnorm8[element[byte]]));
  }
  return texel;
}

}  // namespace

float unorm8(std::uint32_t v) { return kUnorm8[v]; }

Texel texel_from_bytes(std::array<std::uint8_t, 4> rgba, bool srgb) {
  Texel texel;
  if (srgb) {
    const auto table = srgb_decode_table(8);
    for (int i = 0; i < 3; ++i) texel.set(i, table[rgba[static_cast<std::size_t>(i)]]);
  } else {
    for (int i = 0; i < 3; ++i) texel.set(i, kUnorm8[rgba[static_cast<std::size_t>(i)]]);
  }
  texel.set(3, kUnorm8[rgba[3]]);
  return texel;
}

Texel decode_texel(const FormatInfo& format, const std::uint8_t* element, unsigned x, unsigned y, bool srgb_decode) {
  const bool srgb = srgb_decode && format.is_srgb();
  switch (format.codec) {
    case Codec::None:
      return {};
    case Codec::Plain:
      return decode_plain(format, element, srgb);
    case Codec::Unorm8:
      return decode_unorm8(format, element);
    case Codec::Words:
      return decode_words(format, element);
    case Codec::SharedExponent:
      return decode_shared(element);
    case Codec::Ycrcb422:
      return decode_ycrcb(format, element, x);
    case Codec::Planar: {
      Texel texel = default_texel(ValueClass::Float);
      const unsigned bytes = format.bytes_per_element();
      texel.set(1, static_cast<float>(load_little(element, bytes)) / (bytes == 1 ? 255.0f : 65535.0f));
      return texel;
    }
    case Codec::Bc1:
    case Codec::Bc2:
    case Codec::Bc3:
      return decode_bc1_to_3(format, element, x, y, srgb);
    case Codec::Bc4:
    case Codec::Bc5:
      return decode_bc4_5(format, element, x, y);
    case Codec::Bc6h:
      return decode_bc6h(format, element, x, y);
    case Codec::Bc7:
      return decode_bc7(element, x, y, srgb);
    case Codec::Etc:
      return decode_etc(format, element, x, y, srgb);
    case Codec::Eac:
      return decode_eac(format, element, x, y);
    case Codec::Astc:
      return decode_astc(format, element, x, y, srgb);
    case Codec::Fxt1:
      return decode_fxt1(element, x, y);
  }
  return {};
}

Texel decode_planar(const FormatInfo& format, const std::uint8_t* y, const std::uint8_t* u, const std::uint8_t* v) {
  const unsigned bytes = format.bytes_per_element();
  const float top = bytes == 1 ? 255.0f : 65535.0f;
  Texel texel = default_texel(ValueClass::Float);
  texel.set(0, static_cast<float>(load_little(v, bytes)) / top);
  texel.set(1, static_cast<float>(load_little(y, bytes)) / top);
  texel.set(2, static_cast<float>(load_little(u, bytes)) / top);
  return texel;
}

}  // namespace heddle::image
