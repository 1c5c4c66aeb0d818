// SPDX-License-Identifier: MIT
#pragma once
// Regions of a surface in elements: checked once, then walked row by row (TRF-1).

#include <cstddef>
#include <optional>

#include "pipeline/transfer/transfer.hpp"

namespace heddle::pipeline::transfer {

/// Elements (texels or blocks) of one level: `columns` x `rows` of them in `slices` stored slices (TRF-1: samples of a
/// layer follow each other, so the slices of neighboring layers do as well).
struct Region {
  const image::Surface* surface = nullptr;
  const image::FormatInfo* format = nullptr;
  std::uint32_t level = 0;
  std::uint32_t first_slice = 0, slices = 1;
  std::uint32_t first_column = 0, first_row = 0, columns = 1, rows = 1;
};

/// Rows of bytes at equal distances: a region in plain linear memory, or in a buffer.
struct Plane {
  std::uint8_t* first = nullptr;
  std::size_t row_pitch = 0, slice_pitch = 0;

  [[nodiscard]] std::uint8_t* row(std::uint32_t slice, std::uint32_t row) const {
    return first + slice * slice_pitch + row * row_pitch;
  }
};

/// The surface has a layout, memory for all of it, and texels that a transfer can name (no planes, no quilt). Ids:
/// transfer-format, transfer-memory.
[[nodiscard]] base::Result<base::Done> check_surface(const image::Surface& surface);

/// check_surface, then the box: inside the level, aligned to blocks (TRF-1). Id: transfer-region.
[[nodiscard]] base::Result<Region> region_of(const image::Surface& surface, const ImageBox& box);
/// The region of `like`'s size in elements and slices that starts at `at`.
[[nodiscard]] base::Result<Region> region_at(const image::Surface& surface, const ImageOrigin& at, const Region& like);

/// Both sides of an image copy (TRF-3 to TRF-5). Ids: as region_of; transfer-format (sizes of elements, samples).
struct CopiedRegions {
  Region from, to;
};
[[nodiscard]] base::Result<CopiedRegions> copied_regions(const image::Surface& from, const ImageBox& box,
                                                         const image::Surface& to, const ImageOrigin& at);

/// What a clear writes (TRF-17). Ids: as region_of; transfer-format: its texels can't be written.
[[nodiscard]] base::Result<Region> cleared_region(const image::Surface& surface, const ImageBox& box);

/// nullopt: the elements are not in rows (tilings, null pages ...).
[[nodiscard]] std::optional<Plane> plane_of(const Region& region);

/// The bytes of an element of the region; nullptr on a null page.
[[nodiscard]] std::uint8_t* element_of(const Region& region, std::uint32_t slice, std::uint32_t column,
                                       std::uint32_t row);

/// Where a region lies in a buffer (TRF-2), in bytes; `end` is behind its last byte.
struct BufferRegion {
  std::uint64_t offset = 0, row_pitch = 0, slice_pitch = 0, end = 0;
};
/// Ids: transfer-region (it does not fit in `bytes`), transfer-format (several samples).
[[nodiscard]] base::Result<BufferRegion> buffer_region(const BufferLayout& layout, const Region& region,
                                                       const ImageBox& box, std::uint64_t bytes);

}  // namespace heddle::pipeline::transfer
