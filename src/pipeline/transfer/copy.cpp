// SPDX-License-Identifier: MIT
// Copies as blocks of memory: TRF-2 to TRF-5 and TRF-20.

#include <fmt/format.h>

#include <cstring>

#include "pipeline/transfer/parallel.hpp"
#include "pipeline/transfer/region.hpp"

namespace heddle::pipeline::transfer {
namespace {

void move_bytes(std::uint8_t* to, const std::uint8_t* from, std::size_t bytes, Work work) {
  for_ranges((bytes + kBytesOfAThread - 1) / kBytesOfAThread, kBytesOfAThread, work.workers,
             [&](std::uint64_t begin, std::uint64_t end) {
               const std::size_t first = begin * kBytesOfAThread;
               std::memmove(to + first, from + first, std::min<std::size_t>(bytes, end * kBytesOfAThread) - first);
             });
}

/// Rows that follow each other on both sides are one row; slices as well.
void copy_planes(const Plane& from, const Plane& to, std::size_t row_bytes, std::uint32_t rows, std::uint32_t slices,
                 Work work) {
  if (slices == 1 || (from.slice_pitch == rows * from.row_pitch && to.slice_pitch == rows * to.row_pitch)) {
    const std::uint64_t all = std::uint64_t{rows} * slices;
    if (all == 1 || (from.row_pitch == row_bytes && to.row_pitch == row_bytes))
      return move_bytes(to.first, from.first, row_bytes * all, work);
  }
  for_ranges(std::uint64_t{rows} * slices, row_bytes, work.workers, [&](std::uint64_t begin, std::uint64_t end) {
    for (std::uint64_t i = begin; i < end; ++i) {
      const auto slice = static_cast<std::uint32_t>(i / rows), row = static_cast<std::uint32_t>(i % rows);
      std::memmove(to.row(slice, row), from.row(slice, row), row_bytes);
    }
  });
}

}  // namespace

base::Result<base::Done> copy_to_image(std::span<const std::uint8_t> buffer, const BufferLayout& layout,
                                       image::Surface& image, const ImageBox& box, Work work) {
  const auto region = region_of(image, box);
  if (!region.ok()) return region.failure();
  const auto plane = plane_of(*region);
  if (!plane) return reference::copy_to_image(buffer, layout, image, box);
  const auto place = buffer_region(layout, *region, box, buffer.size());
  if (!place.ok()) return place.failure();
  // Only read.
  const Plane from{const_cast<std::uint8_t*>(buffer.data()) + place->offset, place->row_pitch, place->slice_pitch};
  copy_planes(from, *plane, std::size_t{region->columns} * region->format->bytes_per_element(), region->rows,
              region->slices, work);
  return base::Done{};
}

base::Result<base::Done> copy_to_buffer(const image::Surface& image, const ImageBox& box,
                                        std::span<std::uint8_t> buffer, const BufferLayout& layout, Work work) {
  const auto region = region_of(image, box);
  if (!region.ok()) return region.failure();
  const auto plane = plane_of(*region);
  if (!plane) return reference::copy_to_buffer(image, box, buffer, layout);
  const auto place = buffer_region(layout, *region, box, buffer.size());
  if (!place.ok()) return place.failure();
  const Plane to{buffer.data() + place->offset, place->row_pitch, place->slice_pitch};
  copy_planes(*plane, to, std::size_t{region->columns} * region->format->bytes_per_element(), region->rows,
              region->slices, work);
  return base::Done{};
}

base::Result<base::Done> copy_image(const image::Surface& from, const ImageBox& box, image::Surface& to,
                                    const ImageOrigin& at, Work work) {
  const auto pair = copied_regions(from, box, to, at);
  if (!pair.ok()) return pair.failure();
  const auto source = plane_of(pair->from), destination = plane_of(pair->to);
  if (!source || !destination) return reference::copy_image(from, box, to, at);
  copy_planes(*source, *destination, std::size_t{pair->from.columns} * pair->from.format->bytes_per_element(),
              pair->from.rows, pair->from.slices, work);
  return base::Done{};
}

void copy_bytes(std::span<const std::uint8_t> from, std::span<std::uint8_t> to, Work work) {
  move_bytes(to.data(), from.data(), std::min(from.size(), to.size()), work);
}

}  // namespace heddle::pipeline::transfer
