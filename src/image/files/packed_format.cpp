// SPDX-License-Identifier: MIT
#include "image/files/packed_format.hpp"

#include <algorithm>
#include <bit>

#include "image/formats/codecs.hpp"

namespace heddle::image {
namespace {

constexpr std::string_view kChannelNames = "RGBA";

std::uint64_t all_ones(unsigned bits) { return bits >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1; }

/// The code of 1.0, or of the integer 1.
std::uint64_t code_of_one(const Channel& channel) {
  if (channel.type == ChannelType::Unorm) return all_ones(channel.bits);
  if (channel.type == ChannelType::Snorm) return all_ones(channel.bits - 1u);
  return 1;
}

std::uint64_t extract(std::uint64_t element, BitField field) { return element >> field.start & all_ones(field.count); }

/// Where the code of one channel of the surface's texel comes from.
struct Move {
  BitField even, odd;  ///< of the even and the odd texel of an element
  std::uint64_t constant = 0;
  unsigned to = 0;           ///< first bit in the surface's element
  std::uint64_t widest = 0;  ///< greatest code there, where the file's has fewer bits

  /// The code there: the same, or the nearest.
  [[nodiscard]] std::uint64_t code(std::uint64_t element, bool odd_texel) const {
    const BitField field = odd_texel ? odd : even;
    if (field.count == 0) return constant;
    const std::uint64_t value = extract(element, field), most = all_ones(field.count);
    return widest == 0 ? value : (value * widest * 2 + most) / (2 * most);
  }
};

std::vector<Move> moves_of(const PackedFormat& packed) {
  const FormatInfo& format = *format_info(packed.format);
  std::vector<Move> moves;
  for (std::size_t i = 0; i < format.channel_count; ++i) {
    const Channel& channel = format.channels[i];
    const std::size_t from = kChannelNames.find(channel.name);
    if (channel.type == ChannelType::Unused || from == std::string_view::npos) continue;
    Move move{packed.channels[from], packed.channels[from], 0, channel.start, 0};
    if (channel.type == ChannelType::Unorm && move.even.count != 0 && move.even.count < channel.bits)
      move.widest = all_ones(channel.bits);
    if (channel.name == 'G' && packed.second_green.count != 0) move.odd = packed.second_green;
    if (channel.name == 'A' && move.even.count == 0) move.constant = code_of_one(channel);
    moves.push_back(move);
  }
  return moves;
}

}  // namespace

std::uint64_t packed_slice_bytes(const PackedFormat& packed, const LevelLayout& level) {
  const std::uint32_t texels = packed.texels_per_element();
  return (std::uint64_t{level.width} + texels - 1) / texels * packed.bytes * level.height;
}

void unpack_slice(const PackedFormat& packed, Bytes from, Surface& surface, std::uint32_t level, std::uint32_t slice) {
  const LevelLayout& at = surface.layout[level];
  const std::vector<Move> moves = moves_of(packed);
  const std::uint32_t texels = packed.texels_per_element(), bytes = surface.info().bytes_per_element();
  const std::size_t file_row = (std::size_t{at.width} + texels - 1) / texels * packed.bytes;
  for (std::uint32_t y = 0; y < at.height; ++y) {
    const std::uint8_t* row = from.data() + y * file_row;
    std::uint8_t* to = surface.memory->data() + surface.base + at.offset + slice * at.slice_pitch + y * at.row_pitch;
    for (std::uint32_t x = 0; x < at.width; ++x, to += bytes) {
      const std::uint64_t element = load_little(row + std::size_t{x / texels} * packed.bytes, packed.bytes);
      std::uint64_t texel = 0;
      for (const Move& move : moves) texel |= move.code(element, x % texels != 0) << move.to;
      for (std::uint32_t i = 0; i < bytes; ++i) to[i] = static_cast<std::uint8_t>(texel >> (8 * i));
    }
  }
}

std::optional<PackedFormat> find_packed_format(const std::array<BitField, 4>& channels, std::uint8_t bytes) {
  constexpr Format kCandidates[] = {Format::R8G8B8_UNORM,      Format::B5G6R5_UNORM,   Format::B5G5R5A1_UNORM,
                                    Format::B4G4R4A4_UNORM,    Format::R8G8B8A8_UNORM, Format::R10G10B10A2_UNORM,
                                    Format::R16G16B16A16_UNORM};
  for (const Format candidate : kCandidates) {
    const FormatInfo& format = *format_info(candidate);
    bool fits = channels[3].count == 0 || format.has_channel('A'), any = false;
    for (std::size_t i = 0; i < format.channel_count; ++i) {
      const BitField field = channels[kChannelNames.find(format.channels[i].name)];
      fits = fits && (field.count == 0 || field.count == format.channels[i].bits);
      any = any || field.count != 0;
    }
    if (fits && any) return PackedFormat{candidate, bytes, channels, {}};
  }
  return std::nullopt;
}

std::optional<PackedFormat> widened_format(const std::array<BitField, 4>& channels, std::uint8_t bytes) {
  unsigned most = 0;
  for (const BitField& field : channels) most = std::max<unsigned>(most, field.count);
  if (most == 0 || most > 16) return std::nullopt;
  return PackedFormat{most > 8 ? Format::R16G16B16A16_UNORM : Format::R8G8B8A8_UNORM, bytes, channels, {}};
}

std::optional<PackedFormat> unpack_422(Surface& surface, const char* id, base::Place place, base::Diagnostics* notes) {
  const FormatInfo& format = surface.info();
  if (format.compression != Compression::Ycrcb422) return std::nullopt;
  if (surface.type == SurfaceType::Dim2 && !surface.array && surface.levels == 1 && surface.width % 2 == 0)
    return std::nullopt;
  PackedFormat packed{Format::R8G8B8A8_UNORM, 4, {}, {}};
  for (std::size_t i = 0; i < format.channel_count; ++i) {
    const Channel& channel = format.channels[i];
    const BitField field{static_cast<std::uint8_t>(channel.start), channel.bits};
    packed.channels[kChannelNames.find(channel.name)] = field;
    if (channel.name == 'G') packed.second_green = {static_cast<std::uint8_t>(field.start + 16), field.count};
  }
  surface.format = packed.format;
  say(notes, base::remark(id,
                          fmt::format("{} needs a 2d surface with one level and an even width: read as {}", format.name,
                                      surface.info().name),
                          std::move(place)));
  return packed;
}

std::optional<BitField> bits_of_mask(std::uint32_t mask) {
  if (mask == 0) return BitField{};
  const auto start = static_cast<std::uint8_t>(std::countr_zero(mask));
  const auto count = static_cast<std::uint8_t>(std::popcount(mask));
  if (std::countr_one(mask >> start) != count) return std::nullopt;
  return BitField{start, count};
}

}  // namespace heddle::image
