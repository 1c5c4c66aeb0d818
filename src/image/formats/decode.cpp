// SPDX-License-Identifier: MIT
// Texel to value: NUM-10 to NUM-28.

#include "image/formats/conversions.hpp"

namespace heddle::image {
namespace {

/// The channel's bits. Elements of more than 8 bytes have byte-aligned channels of 16, 32 or 64 bits.
std::uint64_t channel_bits(const Channel& channel, const std::uint8_t* element, std::uint64_t word, bool small) {
  if (!small) return load_little(element + channel.start / 8, channel.bits / 8u);
  return channel.bits == 64 ? word : (word >> channel.start) & ((std::uint64_t{1} << channel.bits) - 1);
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
    place(texel, channel.name, with_conversion(channel, srgb, [&](auto convert) { return convert(raw); }));
  }
  return texel;
}

Texel decode_unorm8(const FormatInfo& format, const std::uint8_t* element) {
  Texel texel = default_texel(ValueClass::Float);
  for (std::size_t i = 0; i < format.channel_count; ++i) {
    const Channel& channel = format.channels[i];
    if (channel.type != ChannelType::Unused)
      place(texel, channel.name, base::bits_of(unorm8(element[channel.start / 8])));
  }
  return texel;
}

Texel decode_words(const FormatInfo& format, const std::uint8_t* element) {
  Texel texel = default_texel(format.value_class);
  for (std::size_t i = 0; i < format.channel_count; ++i)
    texel.bits[i] = static_cast<std::uint32_t>(load_little(element + 4 * i, 4));
  return texel;
}

/// NUM-22, NUM-26: both texels of a pair share U and V; the odd one has its luma two bytes after the even one's.
Texel decode_ycrcb(const FormatInfo& format, const std::uint8_t* element, unsigned x) {
  Texel texel = default_texel(ValueClass::Float);
  for (std::size_t i = 0; i < format.channel_count; ++i) {
    const Channel& channel = format.channels[i];
    const unsigned byte = channel.start / 8u + (channel.name == 'G' && (x & 1) != 0 ? 2 : 0);
    place(texel, channel.name, base::bits_of(unorm8(element[byte])));
  }
  return texel;
}

}  // namespace

Texel texel_from_bytes(std::array<std::uint8_t, 4> rgba, bool srgb) {
  Texel texel;
  if (srgb) {
    const auto table = srgb_decode_table(8);
    for (int i = 0; i < 3; ++i) texel.set(i, table[rgba[static_cast<std::size_t>(i)]]);
  } else {
    for (int i = 0; i < 3; ++i) texel.set(i, unorm8(rgba[static_cast<std::size_t>(i)]));
  }
  texel.set(3, unorm8(rgba[3]));
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
      return decode_shared(static_cast<std::uint32_t>(load_little(element, 4)));
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
