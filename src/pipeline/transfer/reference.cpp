// SPDX-License-Identifier: MIT
// Copies, clears and fills, element by element: TRF-2 to TRF-5, TRF-17, TRF-19.

#include <array>
#include <cstring>

#include "pipeline/transfer/region.hpp"

namespace heddle::pipeline::transfer::reference {
namespace {

/// Calls visit(slice, row, column) for every element.
template <typename Visit>
void for_each_element(const Region& region, Visit visit) {
  for (std::uint32_t slice = 0; slice < region.slices; ++slice)
    for (std::uint32_t row = 0; row < region.rows; ++row)
      for (std::uint32_t column = 0; column < region.columns; ++column) visit(slice, row, column);
}

std::uint64_t buffer_offset(const BufferRegion& place, const Region& region, std::uint32_t slice, std::uint32_t row,
                            std::uint32_t column) {
  return place.offset + slice * place.slice_pitch + row * place.row_pitch +
         std::uint64_t{column} * region.format->bytes_per_element();
}

/// SUR-6, RTW-21: null pages read as zeros, and what is written there is dropped.
void read_element(const Region& region, std::uint32_t slice, std::uint32_t row, std::uint32_t column,
                  std::uint8_t* to) {
  const std::uint8_t* element = element_of(region, slice, column, row);
  const std::size_t bytes = region.format->bytes_per_element();
  if (element != nullptr)
    std::memcpy(to, element, bytes);
  else
    std::memset(to, 0, bytes);
}

void write_element(const Region& region, std::uint32_t slice, std::uint32_t row, std::uint32_t column,
                   const std::uint8_t* from) {
  std::uint8_t* element = element_of(region, slice, column, row);
  if (element != nullptr) std::memcpy(element, from, region.format->bytes_per_element());
}

}  // namespace

base::Result<base::Done> copy_to_image(std::span<const std::uint8_t> buffer, const BufferLayout& layout,
                                       image::Surface& image, const ImageBox& box) {
  const auto region = region_of(image, box);
  if (!region.ok()) return region.failure();
  const auto place = buffer_region(layout, *region, box, buffer.size());
  if (!place.ok()) return place.failure();
  for_each_element(*region, [&](std::uint32_t slice, std::uint32_t row, std::uint32_t column) {
    write_element(*region, slice, row, column, buffer.data() + buffer_offset(*place, *region, slice, row, column));
  });
  return base::Done{};
}

base::Result<base::Done> copy_to_buffer(const image::Surface& image, const ImageBox& box,
                                        std::span<std::uint8_t> buffer, const BufferLayout& layout) {
  const auto region = region_of(image, box);
  if (!region.ok()) return region.failure();
  const auto place = buffer_region(layout, *region, box, buffer.size());
  if (!place.ok()) return place.failure();
  for_each_element(*region, [&](std::uint32_t slice, std::uint32_t row, std::uint32_t column) {
    read_element(*region, slice, row, column, buffer.data() + buffer_offset(*place, *region, slice, row, column));
  });
  return base::Done{};
}

base::Result<base::Done> copy_image(const image::Surface& from, const ImageBox& box, image::Surface& to,
                                    const ImageOrigin& at) {
  const auto pair = copied_regions(from, box, to, at);
  if (!pair.ok()) return pair.failure();
  for_each_element(pair->from, [&](std::uint32_t slice, std::uint32_t row, std::uint32_t column) {
    std::array<std::uint8_t, 32> element{};
    read_element(pair->from, slice, row, column, element.data());
    write_element(pair->to, slice, row, column, element.data());
  });
  return base::Done{};
}

base::Result<base::Done> clear(image::Surface& image, const ImageBox& box, const image::Texel& value) {
  const auto region = cleared_region(image, box);
  if (!region.ok()) return region.failure();
  const image::FormatInfo& format = *region->format;
  for_each_element(*region, [&](std::uint32_t slice, std::uint32_t row, std::uint32_t column) {
    std::array<std::uint8_t, 32> element{};
    for (unsigned x = 0; x < format.block_width; ++x) image::encode_texel(format, value, element.data(), x);
    write_element(*region, slice, row, column, element.data());
  });
  return base::Done{};
}

void fill(std::span<std::uint8_t> memory, std::uint32_t word) {
  for (std::size_t at = 0; at + 4 <= memory.size(); at += 4)
    for (unsigned i = 0; i < 4; ++i) memory[at + i] = static_cast<std::uint8_t>(word >> (8 * i));
}

}  // namespace heddle::pipeline::transfer::reference
