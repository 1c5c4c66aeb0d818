// SPDX-License-Identifier: MIT
#pragma once
// Moving the texels of a DDS file into a surface.

#include "image/files/dds_formats.hpp"

namespace heddle::image::dds {

/// Of one slice of a level in the file.
[[nodiscard]] std::uint64_t file_slice_bytes(const TexelFormat& format, const Surface& surface, std::uint32_t level);

/// Red, green, blue and alpha of 256 entries.
using Palette = std::array<std::array<std::uint8_t, 4>, 256>;

/// Moves one slice; `from` has file_slice_bytes bytes.
void put_file_slice(const TexelFormat& format, const Palette& palette, Surface& surface, std::uint32_t level,
                    std::uint32_t slice, Bytes from);

/// The levels that a file with too few bytes has whole, from the greatest on, in all layers. `level_bytes`: of one
/// layer. `stride`: bytes from layer to layer; it is less than the sum where the file was written with fewer levels.
struct WholeLevels {
  std::uint32_t levels = 0;  ///< 0: not even the first one
  std::uint64_t stride = 0;
};
[[nodiscard]] WholeLevels whole_levels(std::span<const std::uint64_t> level_bytes, std::uint32_t layers,
                                       std::uint64_t available);

}  // namespace heddle::image::dds
