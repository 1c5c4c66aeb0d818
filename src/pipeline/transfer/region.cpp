// SPDX-License-Identifier: MIT
// Rules: TRF-1, TRF-2, TRF-5, TRF-21.

#include "pipeline/transfer/region.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace heddle::pipeline::transfer {
namespace {

using image::Compression;
using image::SurfaceType;

base::Diagnostic wrong(const image::Surface& surface, const char* id, const std::string& message) {
  return base::error(id, fmt::format("{}: {}", surface.name.empty() ? "image" : surface.name, message));
}

/// The first byte behind the last level.
std::uint64_t end_of(const image::Surface& surface) { return surface.base + surface.bytes; }

/// One axis of a box in elements.
struct Span {
  std::uint32_t first = 0, count = 0;
};

std::optional<Span> elements(std::int32_t offset, std::uint32_t extent, std::uint32_t size, std::uint32_t block) {
  if (offset < 0 || extent == 0) return std::nullopt;
  const auto first = static_cast<std::uint32_t>(offset);
  if (first > size || extent > size - first) return std::nullopt;
  if (first % block != 0 || (extent % block != 0 && first + extent != size)) return std::nullopt;
  return Span{first / block, (extent + block - 1) / block};
}

base::Diagnostic box_error(const image::Surface& surface, const image::LevelLayout& at, const ImageBox& box,
                           const image::FormatInfo& format) {
  return wrong(
      surface, "transfer-region",
      fmt::format("the region of {}x{}x{} texels and {} layers at ({}, {}, {}), layer {}, does not lie in level "
                  "{} of {}x{}x{} texels and {} slices, or not on blocks of {}x{}",
                  box.extent.width, box.extent.height, box.extent.depth, box.layers, box.offset.x, box.offset.y,
                  box.offset.z, box.first_layer, box.level, at.width, at.height, at.depth, at.slices,
                  format.block_width, format.block_height));
}

std::optional<Span> slices_of(const image::Surface& surface, const image::LevelLayout& at, const ImageBox& box) {
  if (surface.type == SurfaceType::Dim3) {
    if (box.first_layer != 0) return std::nullopt;
    return elements(box.offset.z, box.extent.depth, at.slices, 1);
  }
  const std::uint32_t layers = at.slices / surface.samples;
  if (box.offset.z != 0 || box.extent.depth != 1 || box.layers == 0 || box.first_layer > layers ||
      box.layers > layers - box.first_layer)
    return std::nullopt;
  return Span{box.first_layer * surface.samples, box.layers * surface.samples};
}

}  // namespace

ImageBox whole_level(const image::Surface& surface, std::uint32_t level, std::uint32_t first_layer,
                     std::uint32_t layers) {
  return {level,
          first_layer,
          layers,
          {},
          {surface.level_width(level), surface.level_height(level), surface.level_depth(level)}};
}

ImageBox whole_blocks(const image::Surface& surface, const ImageBox& box) {
  const image::FormatInfo* format = image::format_info(surface.format);
  if (format == nullptr || box.level >= surface.layout.size()) return box;
  const auto widened = [](std::int32_t offset, std::uint32_t extent, std::uint32_t size,
                          std::uint32_t block) -> std::optional<std::uint32_t> {
    const auto first = static_cast<std::uint32_t>(offset);
    if (offset < 0 || first % block != 0 || first > size || extent > size - first) return std::nullopt;
    return static_cast<std::uint32_t>(
        std::min<std::uint64_t>((std::uint64_t{extent} + block - 1) / block * block, size - first));
  };
  const image::LevelLayout& at = surface.layout[box.level];
  const auto width = widened(box.offset.x, box.extent.width, at.width, format->block_width);
  const auto height = widened(box.offset.y, box.extent.height, at.height, format->block_height);
  if (!width || !height) return box;
  ImageBox whole = box;
  whole.extent.width = *width;
  whole.extent.height = *height;
  return whole;
}

base::Result<base::Done> check_surface(const image::Surface& surface) {
  const image::FormatInfo* format = image::format_info(surface.format);
  if (format == nullptr || surface.is_buffer() || surface.type == SurfaceType::Null ||
      format->compression == Compression::Planar420 || surface.cells() != 1)
    return wrong(surface, "transfer-format", "a transfer needs an image of one plane, without quilting");
  if (surface.layout.empty() || surface.samples == 0)
    return wrong(surface, "transfer-memory", "the image has no layout");
  if (!surface.memory || end_of(surface) < surface.bytes || end_of(surface) > surface.memory->size())
    return wrong(surface, "transfer-memory",
                 fmt::format("the image needs {} bytes from byte {} on, which its memory does not have", surface.bytes,
                             surface.base));
  return base::Done{};
}

base::Result<Region> region_of(const image::Surface& surface, const ImageBox& box) {
  if (auto checked = check_surface(surface); !checked.ok()) return checked.failure();
  if (box.level >= surface.layout.size())
    return wrong(surface, "transfer-region", fmt::format("there is no level {}", box.level));
  const image::FormatInfo& format = surface.info();
  const image::LevelLayout& at = surface.layout[box.level];
  const auto x = elements(box.offset.x, box.extent.width, at.width, format.block_width);
  const auto y = elements(box.offset.y, box.extent.height, at.height, format.block_height);
  const auto z = slices_of(surface, at, box);
  if (!x || !y || !z) return box_error(surface, at, box, format);
  return Region{&surface, &format, box.level, z->first, z->count, x->first, y->first, x->count, y->count};
}

base::Result<Region> region_at(const image::Surface& surface, const ImageOrigin& at, const Region& like) {
  if (auto checked = check_surface(surface); !checked.ok()) return checked.failure();
  if (at.level >= surface.layout.size())
    return wrong(surface, "transfer-region", fmt::format("there is no level {}", at.level));
  const image::FormatInfo& format = surface.info();
  const image::LevelLayout& level = surface.layout[at.level];
  const bool volume = surface.type == SurfaceType::Dim3;
  const std::uint64_t slice =
      volume ? static_cast<std::uint32_t>(at.offset.z) : std::uint64_t{at.first_layer} * surface.samples;
  Region region{&surface, &format,      at.level, static_cast<std::uint32_t>(slice), like.slices, 0,
                0,        like.columns, like.rows};
  region.first_column = static_cast<std::uint32_t>(at.offset.x) / format.block_width;
  region.first_row = static_cast<std::uint32_t>(at.offset.y) / format.block_height;
  const bool aligned = at.offset.x >= 0 && at.offset.y >= 0 && at.offset.z >= 0 &&
                       at.offset.x % format.block_width == 0 && at.offset.y % format.block_height == 0 &&
                       (volume ? at.first_layer == 0 : at.offset.z == 0);
  const bool inside = std::uint64_t{region.first_column} + like.columns <= level.element_columns &&
                      std::uint64_t{region.first_row} + like.rows <= level.element_rows &&
                      slice + like.slices <= level.slices;
  if (!aligned || !inside)
    return box_error(surface, level,
                     {at.level,
                      at.first_layer,
                      volume ? 1 : like.slices / surface.samples,
                      at.offset,
                      {like.columns * format.block_width, like.rows * format.block_height, volume ? like.slices : 1}},
                     format);
  return region;
}

base::Result<CopiedRegions> copied_regions(const image::Surface& from, const ImageBox& box, const image::Surface& to,
                                           const ImageOrigin& at) {
  ImageBox source_box = box;
  if (from.type != SurfaceType::Dim3) source_box.extent.depth = 1;  // TRF-5
  const auto source = region_of(from, source_box);
  if (!source.ok()) return source.failure();
  if (from.samples != to.samples)
    return wrong(to, "transfer-format", fmt::format("{} samples can't be copied to {}", from.samples, to.samples));
  const auto destination = region_at(to, at, *source);
  if (!destination.ok()) return destination.failure();
  if (source->format->bytes_per_element() != destination->format->bytes_per_element())
    return wrong(
        to, "transfer-format",
        fmt::format("elements of {} and {} have different sizes", source->format->name, destination->format->name));
  return CopiedRegions{*source, *destination};
}

base::Result<Region> cleared_region(const image::Surface& surface, const ImageBox& box) {
  auto region = region_of(surface, box);
  if (region.ok() && !image::encodable(*region->format))
    return wrong(surface, "transfer-format", fmt::format("texels of {} can't be written", region->format->name));
  return region;
}

std::optional<Plane> plane_of(const Region& region) {
  const image::Surface& surface = *region.surface;
  if (surface.tile_mode != image::TileMode::Linear || surface.interleaved_samples || surface.vertical_line_stride ||
      surface.has_nulls())
    return std::nullopt;
  const image::LevelLayout& at = surface.layout[region.level];
  std::uint8_t* first = surface.memory->data() + surface.base + at.offset + region.first_slice * at.slice_pitch +
                        region.first_row * at.row_pitch +
                        std::size_t{region.first_column} * region.format->bytes_per_element();
  return Plane{first, at.row_pitch, at.slice_pitch};
}

std::uint8_t* element_of(const Region& region, std::uint32_t slice, std::uint32_t column, std::uint32_t row) {
  return image::element_bytes(*region.surface, region.level, region.first_slice + slice,
                              (region.first_column + column) * region.format->block_width,
                              (region.first_row + row) * region.format->block_height);
}

base::Result<BufferRegion> buffer_region(const BufferLayout& layout, const Region& region, const ImageBox& box,
                                         std::uint64_t bytes) {
  const image::FormatInfo& format = *region.format;
  if (region.surface->samples != 1)
    return wrong(*region.surface, "transfer-format", "a copy between buffer and image needs one sample");
  const auto blocks = [](std::uint32_t texels, std::uint32_t block) {
    return (std::uint64_t{texels} + block - 1) / block;
  };
  BufferRegion place;
  place.offset = layout.offset;
  place.row_pitch =
      blocks(std::max(layout.row_length, box.extent.width), format.block_width) * format.bytes_per_element();
  const std::uint64_t rows = blocks(std::max(layout.image_height, box.extent.height), format.block_height);
  // Three factors of 32 bits can exceed 64 bits.
  const bool fits =
      !__builtin_mul_overflow(rows, place.row_pitch, &place.slice_pitch) &&
      !__builtin_mul_overflow(place.slice_pitch, region.slices - 1u, &place.end) &&
      !__builtin_add_overflow(place.end, (region.rows - 1) * place.row_pitch, &place.end) &&
      !__builtin_add_overflow(place.end, std::uint64_t{region.columns} * format.bytes_per_element(), &place.end) &&
      !__builtin_add_overflow(place.end, place.offset, &place.end);
  if (!fits || place.end > bytes)
    return wrong(
        *region.surface, "transfer-region",
        fmt::format("the region does not lie in the buffer's {} bytes: {} from byte {} on, {} a row, {} a slice", bytes,
                    fits ? place.end - place.offset : 0, place.offset, place.row_pitch, place.slice_pitch));
  return place;
}

}  // namespace heddle::pipeline::transfer
