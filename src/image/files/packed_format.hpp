// SPDX-License-Identifier: MIT
#pragma once
// Texels whose channels stand in an order, or share bytes in a way, that no surface format has. They are read into a
// surface format that has channels of the same widths, so that every value stays exact.

#include <array>
#include <cstdint>
#include <optional>

#include "image/files/codec.hpp"

namespace heddle::image {

/// Bits of a little-endian element; count 0: the channel is absent.
struct BitField {
  std::uint8_t start = 0, count = 0;
};

struct PackedFormat {
  Format format{};         ///< of the surface: uncompressed, channels R, G, B, A of the same widths
  std::uint8_t bytes = 0;  ///< of an element of the file
  std::array<BitField, 4>
      channels{};  ///< R, G, B, A, of the format's widths or narrower; absent colors read as 0, an absent alpha as 1
  BitField second_green{};  ///< 4:2:2: an element holds two texels, this is G of the odd one

  [[nodiscard]] std::uint32_t texels_per_element() const { return second_green.count != 0 ? 2 : 1; }
};

/// Bytes of one slice of a level in the file.
[[nodiscard]] std::uint64_t packed_slice_bytes(const PackedFormat& packed, const LevelLayout& level);

/// Unpacks one slice into an allocated linear surface of `packed.format`; `from` has packed_slice_bytes bytes.
void unpack_slice(const PackedFormat& packed, Bytes from, Surface& surface, std::uint32_t level, std::uint32_t slice);

/// The UNORM format that has channels of those exact widths; nullopt: none has.
[[nodiscard]] std::optional<PackedFormat> find_packed_format(const std::array<BitField, 4>& channels,
                                                             std::uint8_t bytes);

/// R8G8B8A8_UNORM, or R16G16B16A16_UNORM where a channel has more than 8 bits: unpack_slice gives the nearest values.
/// nullopt: no channel, or more than 16 bits.
[[nodiscard]] std::optional<PackedFormat> widened_format(const std::array<BitField, 4>& channels, std::uint8_t bytes);

/// 4:2:2 for an image that no 4:2:2 surface can be (HW-46: lines, levels, arrays, cubes, volumes, odd widths): the
/// surface becomes R8G8B8A8_UNORM with chroma in every texel, `notes` says so with that id and place. nullopt: the
/// surface is left as it is.
[[nodiscard]] std::optional<PackedFormat> unpack_422(Surface& surface, const char* id, base::Place place,
                                                     base::Diagnostics* notes);

/// The bits of a mask; nullopt where they do not follow each other. 0 gives an absent channel.
[[nodiscard]] std::optional<BitField> bits_of_mask(std::uint32_t mask);

}  // namespace heddle::image
