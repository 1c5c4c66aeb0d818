// SPDX-License-Identifier: MIT
#include "texture/simd/channel_codes.hpp"

namespace heddle::texture::simd {

using image::ChannelType;
using image::Codec;
using image::FormatInfo;

std::optional<ChannelCode> channel_code(const FormatInfo& info, const image::Channel& channel, bool srgb) {
  ChannelCode code;
  code.bits = channel.bits;
  code.word = static_cast<std::uint8_t>(channel.start / 32);
  code.shift = static_cast<std::uint8_t>(channel.start % 32);
  code.exponent_bits = channel.exponent_bits;
  if (code.shift + code.bits > 32) return std::nullopt;
  switch (channel.type) {
    case ChannelType::Unorm:
      if (channel.bits > 16 && channel.bits != 24) return std::nullopt;
      code.kind = ChannelKind::Unorm;
      if (info.is_srgb() && srgb && channel.name != 'A') {
        if (channel.bits != 8) return std::nullopt;
        code.kind = ChannelKind::Srgb;
      }
      return code;
    case ChannelType::Snorm:
      if (channel.bits > 16 || channel.bits < 2) return std::nullopt;
      code.kind = ChannelKind::Snorm;
      return code;
    case ChannelType::Uint:
      code.kind = ChannelKind::Uint;
      return code;
    case ChannelType::Sint:
      code.kind = ChannelKind::Sint;
      return code;
    case ChannelType::Float:
      if (channel.bits != 16 && channel.bits != 32) return std::nullopt;
      code.kind = channel.bits == 16 ? ChannelKind::Float16 : ChannelKind::Float32;
      return code;
    case ChannelType::UnsignedFloat:
      code.kind = info.codec == Codec::SharedExponent ? ChannelKind::SharedExponent : ChannelKind::UnsignedFloat;
      return code;
    default:
      return std::nullopt;
  }
}

bool channel_codes(const FormatInfo& info, bool srgb_decode, ChannelCode (&codes)[4], std::uint8_t& element_bytes) {
  const std::uint32_t bytes = info.bytes_per_element();
  if (bytes != 1 && bytes != 2 && bytes != 4 && bytes != 8 && bytes != 16) return false;
  if (info.codec != Codec::Plain && info.codec != Codec::Unorm8 && info.codec != Codec::Words &&
      info.codec != Codec::SharedExponent)
    return false;
  element_bytes = static_cast<std::uint8_t>(bytes);
  codes[3].kind = ChannelKind::One;
  for (unsigned k = 0; k < info.channel_count; ++k) {
    const image::Channel& channel = info.channels[k];
    if (channel.type == ChannelType::Unused || channel.name == 'E') continue;
    const auto code = channel_code(info, channel, srgb_decode);
    if (!code) return false;
    switch (channel.name) {
      case 'R':
        codes[0] = *code;
        break;
      case 'G':
        codes[1] = *code;
        break;
      case 'B':
        codes[2] = *code;
        break;
      case 'A':
        codes[3] = *code;
        break;
      case 'L':
        codes[0] = codes[1] = codes[2] = *code;
        break;
      case 'I':
        for (ChannelCode& c : codes) c = *code;
        break;
      default:
        return false;
    }
  }
  return true;
}

}  // namespace heddle::texture::simd
