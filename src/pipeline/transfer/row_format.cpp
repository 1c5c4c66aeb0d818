// SPDX-License-Identifier: MIT
#include "pipeline/transfer/row_format.hpp"

#include "texture/simd/channel_codes.hpp"

namespace heddle::pipeline::transfer {
namespace {

using image::ChannelType;

/// L and I are stored from R (NUM-61).
std::uint8_t component_of(char name) { return name == 'G' ? 1 : name == 'B' ? 2 : name == 'A' ? 3 : 0; }

bool stored_channels(const image::FormatInfo& format, RowFormat& row) {
  if (!image::encodable(format) || format.codec == image::Codec::SharedExponent) return false;
  unsigned next = 0;
  for (unsigned k = 0; k < format.channel_count; ++k) {
    const image::Channel& channel = format.channels[k];
    if (channel.type == ChannelType::Unused) continue;
    const auto code = texture::simd::channel_code(format, channel, true);
    if (!code || next == 4 || (channel.type == ChannelType::UnsignedFloat && channel.exponent_bits != 5)) return false;
    row.stored[next++] = {*code, component_of(channel.name), 1};
  }
  return true;
}

}  // namespace

RowAccess row_access(const image::FormatInfo& format) {
  RowAccess access;
  RowFormat& row = access.format;
  row.integer = format.value_class != image::ValueClass::Float;
  row.is_signed = format.value_class == image::ValueClass::Sint;
  row.srgb = &texture::simd::srgb_table();
  row.srgb_encode = texture::simd::srgb_encode_table();
  access.reads = texture::simd::channel_codes(format, true, row.decoded, row.bytes);
  access.writes = access.reads && stored_channels(format, row);
  return access;
}

}  // namespace heddle::pipeline::transfer
