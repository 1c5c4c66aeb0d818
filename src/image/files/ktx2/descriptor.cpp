// SPDX-License-Identifier: MIT
#include "image/files/ktx2/descriptor.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "base/byte_cursor.hpp"

namespace heddle::image {
namespace {

enum Model : std::uint8_t {
  kRgbsda = 1,
  kYuvsda = 2,
  kBc1a = 128,
  kBc2 = 129,
  kBc3 = 130,
  kBc4 = 131,
  kBc5 = 132,
  kBc6h = 133,
  kBc7 = 134,
  kEtc1 = 160,
  kEtc2 = 161,
  kAstc = 162
};
constexpr std::uint8_t kStencil = 13, kDepth = 14, kAlpha = 15;
constexpr std::uint8_t kLinear = 0x10, kExponent = 0x20, kSigned = 0x40, kFloat = 0x80;
constexpr std::uint32_t kOne = 0x3f800000, kMinusOne = 0xbf800000;

struct Sample {
  std::uint16_t offset = 0;
  unsigned bits = 0;
  std::uint8_t channel = 0;  ///< id and qualifiers
  std::array<std::uint8_t, 2> position{};
  std::uint32_t lower = 0, upper = 0;
};

/// Qualifiers and range of a channel type.
void describe_type(const Channel& channel, Sample& sample) {
  const unsigned n = channel.bits;
  const std::uint32_t all = n >= 32 ? ~0u : (1u << n) - 1;
  switch (channel.type) {
    case ChannelType::Unorm:
      sample.upper = all;
      break;
    case ChannelType::Snorm:
      sample.channel |= kSigned;
      sample.upper = all >> 1;
      sample.lower = ~sample.upper + 1;
      break;
    case ChannelType::Uint:
    case ChannelType::Uscaled:
      sample.upper = 1;
      break;
    case ChannelType::Sint:
    case ChannelType::Sscaled:
      sample.channel |= kSigned;
      sample.upper = 1;
      sample.lower = ~0u;
      break;
    case ChannelType::Float:
      sample.channel |= kFloat | kSigned;
      sample.upper = kOne;
      sample.lower = kMinusOne;
      break;
    case ChannelType::UnsignedFloat:
      sample.channel |= kFloat;
      sample.upper = kOne;
      break;
    default:
      break;
  }
}

std::uint8_t channel_id(char name) {
  switch (name) {
    case 'G':
      return 1;
    case 'B':
      return 2;
    case 'A':
      return kAlpha;
    default:
      return 0;
  }
}

std::vector<Sample> plain_samples(const FormatInfo& format) {
  std::vector<Channel> channels(format.channels.begin(), format.channels.begin() + format.channel_count);
  std::ranges::sort(channels, {}, &Channel::start);
  // The two depth formats of the table that Vulkan knows as such; the stencil lies in the first bits after the depth.
  const bool depth =
      format.format == Format::R24_UNORM_X8_TYPELESS || format.format == Format::R32_FLOAT_X8X24_TYPELESS;
  std::vector<Sample> samples;
  for (const Channel& channel : channels) {
    Sample sample{channel.start, channel.bits, depth ? kDepth : channel_id(channel.name), {}, 0, 0};
    if (channel.type == ChannelType::Unused) {
      if (format.format != Format::R32_FLOAT_X8X24_TYPELESS || channel.start != 32) continue;
      sample.channel = kStencil;
      sample.upper = 1;
    } else {
      describe_type(channel, sample);
      if (format.is_srgb() && channel.name == 'A') sample.channel |= kLinear;
    }
    samples.push_back(sample);
  }
  return samples;
}

std::vector<Sample> shared_exponent_samples() {
  std::vector<Sample> samples;
  for (std::uint8_t i = 0; i < 3; ++i) {
    samples.push_back({static_cast<std::uint16_t>(9 * i), 9, i, {}, 0, 8448});
    samples.push_back({27, 5, static_cast<std::uint8_t>(i | kExponent), {}, 15, 31});
  }
  return samples;
}

/// Luma samples at their texels, chroma at the even one.
std::vector<Sample> yuv_samples(const FormatInfo& format) {
  std::vector<Sample> samples;
  for (std::size_t i = 0; i < format.channel_count; ++i) {
    const Channel& channel = format.channels[i];
    const auto id = static_cast<std::uint8_t>(channel.name == 'G' ? 0 : channel.name == 'B' ? 1 : 2);
    samples.push_back({channel.start, 8, id, {64, 128}, 0, 255});
    if (channel.name == 'G')
      samples.push_back({static_cast<std::uint16_t>(channel.start + 16), 8, id, {192, 128}, 0, 255});
  }
  std::ranges::sort(samples, {}, &Sample::offset);
  return samples;
}

struct Block {
  Model model = kRgbsda;
  std::vector<Sample> samples;
};

Block block_samples(const FormatInfo& format) {
  const auto bits = static_cast<unsigned>(format.bits_per_element);
  const auto whole = [&](std::uint8_t id) { return Sample{0, bits, id, {}, 0, ~0u}; };
  const auto half = [&](std::uint16_t offset, std::uint8_t id) { return Sample{offset, 64, id, {}, 0, ~0u}; };
  const auto alpha = static_cast<std::uint8_t>(format.is_srgb() ? kAlpha | kLinear : kAlpha);
  Block block;
  switch (format.compression) {
    case Compression::Bc1:
      block = {kBc1a, {whole(format.has_channel('A') ? 1 : 0)}};
      break;
    case Compression::Bc2:
      block = {kBc2, {half(0, alpha), half(64, 0)}};
      break;
    case Compression::Bc3:
      block = {kBc3, {half(0, alpha), half(64, 0)}};
      break;
    case Compression::Bc4:
      block = {kBc4, {whole(0)}};
      break;
    case Compression::Bc5:
      block = {kBc5, {half(0, 0), half(64, 1)}};
      break;
    case Compression::Bc6h:
      block = {kBc6h, {whole(0)}};
      break;
    case Compression::Bc7:
      block = {kBc7, {whole(0)}};
      break;
    case Compression::Etc1:
      block = {kEtc1, {whole(0)}};
      break;
    case Compression::Etc2:
      if (bits == 128)
        block = {kEtc2, {half(0, alpha), half(64, 2)}};
      else if (format.has_channel('A'))
        block = {kEtc2, {whole(2), whole(alpha)}};
      else
        block = {kEtc2, {whole(2)}};
      break;
    case Compression::Eac:
      if (bits == 128)
        block = {kEtc2, {half(0, 0), half(64, 1)}};
      else
        block = {kEtc2, {whole(0)}};
      break;
    default:
      block = {kAstc, {whole(0)}};
      break;
  }
  const ChannelType type = format.channels[0].type;
  const bool ldr_astc = format.name.starts_with("ASTC_LDR");
  for (Sample& sample : block.samples) {
    if (type == ChannelType::Snorm) {
      sample.channel |= kSigned;
      sample.lower = 0x80000000;
      sample.upper = 0x7fffffff;
    } else if (type == ChannelType::Float && !ldr_astc) {
      sample.channel |= kFloat | kSigned;
      sample.lower = kMinusOne;
      sample.upper = kOne;
    } else if (type == ChannelType::UnsignedFloat) {
      sample.channel |= kFloat;
      sample.upper = kOne;
    }
  }
  return block;
}

}  // namespace

std::vector<std::uint8_t> data_format_descriptor(const FormatInfo& format) {
  Block block;
  if (format.codec == Codec::SharedExponent)
    block.samples = shared_exponent_samples();
  else if (format.compression == Compression::Ycrcb422)
    block = {kYuvsda, yuv_samples(format)};
  else if (format.compression == Compression::None)
    block.samples = plain_samples(format);
  else
    block = block_samples(format);

  base::ByteWriter writer;
  const std::uint64_t block_size = 24 + 16 * block.samples.size();
  writer.u32(4 + block_size);
  writer.u32(0);  // vendor Khronos, basic format
  writer.u16(2);  // version 1.3
  writer.u16(block_size);
  writer.u8(block.model);
  writer.u8(1);                         // BT.709 primaries
  writer.u8(format.is_srgb() ? 2 : 1);  // transfer function
  writer.u8(0);                         // straight alpha
  writer.u8(format.block_width - 1u);
  writer.u8(format.block_height - 1u);
  writer.u16(0);
  writer.u8(format.bytes_per_element());
  for (int i = 0; i < 7; ++i) writer.u8(0);
  for (const Sample& sample : block.samples) {
    writer.u16(sample.offset);
    writer.u8(sample.bits - 1);
    writer.u8(sample.channel);
    writer.u8(sample.position[0]);
    writer.u8(sample.position[1]);
    writer.u16(0);
    writer.u32(sample.lower);
    writer.u32(sample.upper);
  }
  return writer.take();
}

std::uint32_t type_size(const FormatInfo& format) {
  if (format.compression != Compression::None) return 1;
  // One size for all channels: a field each; otherwise the texel is one word.
  const unsigned first = format.channels[0].bits;
  const bool even = std::all_of(format.channels.begin(), format.channels.begin() + format.channel_count,
                                [first](const Channel& c) { return c.bits == first && c.start % first == 0; });
  if (even && first % 8 == 0) return first / 8;
  return format.bytes_per_element() == 8 ? 4 : format.bytes_per_element();
}

}  // namespace heddle::image
