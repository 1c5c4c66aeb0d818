// SPDX-License-Identifier: MIT
// Rules: VKF-7.

#include "pipeline/vertex_formats.hpp"

#include <algorithm>
#include <bit>

namespace heddle::pipeline {
namespace {

using image::Channel;
using image::ChannelType;
using image::FormatInfo;

bool is_wide(const FormatInfo& format) { return format.channel_count != 0 && format.channels[0].bits == 64; }

std::uint64_t load64(const std::uint8_t* from) {
  std::uint64_t value = 0;
  for (unsigned i = 0; i < 8; ++i) value |= std::uint64_t{from[i]} << (8 * i);
  return value;
}

}  // namespace

bool is_vertex_format(const FormatInfo& format) {
  const auto channels = std::span(format.channels).first(format.channel_count);
  const bool raw = !channels.empty() && std::ranges::all_of(channels, [](const Channel& channel) {
    return channel.type == ChannelType::Raw && channel.bits == 64;
  });
  return std::ranges::any_of(format.support, [](const image::Support& support) { return support.vertex; }) &&
         format.compression == image::Compression::None && !format.is_srgb() && (raw || image::decodable(format));
}

VertexAttribute decode_vertex(const FormatInfo& format, const std::uint8_t* element) {
  VertexAttribute attribute;
  attribute.wide = is_wide(format);
  if (!attribute.wide) {
    const image::Texel texel = image::decode_texel(format, element);
    std::ranges::copy(texel.bits, attribute.components.begin());
    return attribute;
  }
  const bool integer = format.channels[0].type == ChannelType::Raw;
  attribute.components[3] = integer ? 1 : std::bit_cast<std::uint64_t>(1.0);
  for (unsigned c = 0; c < format.channel_count; ++c)
    attribute.components[c] = load64(element + format.channels[c].start / 8);
  return attribute;
}

}  // namespace heddle::pipeline
