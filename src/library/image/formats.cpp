// SPDX-License-Identifier: MIT
// Formats in words.

#include "image/format.hpp"
#include "image/names.hpp"
#include "library/image/impl.hpp"

namespace heddle {
namespace {

ChannelKind kind_of(const image::FormatInfo& format, const image::Channel& channel) {
  using T = image::ChannelType;
  switch (channel.type) {
    case T::Unorm:
      return ChannelKind::Unorm;
    case T::Snorm:
      return ChannelKind::Snorm;
    case T::Uint:
    case T::Raw:
      return ChannelKind::Uint;
    case T::Sint:
      return ChannelKind::Sint;
    case T::Float: {
      const bool ieee = (channel.bits == 16 && channel.exponent_bits == 5) ||
                        (channel.bits == 32 && channel.exponent_bits == 8) ||
                        (channel.bits == 64 && channel.exponent_bits == 11);
      return ieee || format.compression != image::Compression::None ? ChannelKind::Float : ChannelKind::Packed;
    }
    case T::Unused:
      return ChannelKind::Unused;
    case T::UnsignedFloat:
    case T::SharedExponent:
    case T::Uscaled:
    case T::Sscaled:
    case T::Sfixed:
      return ChannelKind::Packed;
  }
  return ChannelKind::Unused;
}

}  // namespace

std::vector<std::string_view> format_names() { return image::format_words(); }

std::optional<FormatDescription> describe_format(std::string_view name) {
  const image::FormatInfo* info = image::find_format_word(name);
  if (info == nullptr) return std::nullopt;
  FormatDescription d;
  d.name = info->name;
  d.element_bytes = info->bytes_per_element();
  d.block_width = info->block_width, d.block_height = info->block_height;
  d.number_class = static_cast<NumberClass>(info->value_class);
  d.srgb = info->is_srgb();
  d.readable = image::decodable(*info) || info->compression == image::Compression::Planar420;
  d.writable = image::encodable(*info);
  d.sampleable = info->sampleable(), d.renderable = info->renderable();
  for (std::size_t c = 0; c < info->channel_count; ++c) {
    const image::Channel& channel = info->channels[c];
    d.channels.push_back({channel.name, kind_of(*info, channel), channel.bits, channel.start});
  }
  return d;
}

}  // namespace heddle
