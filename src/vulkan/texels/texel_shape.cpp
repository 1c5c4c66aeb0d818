// SPDX-License-Identifier: MIT
#include "vulkan/texels/texel_shape.hpp"

#include <algorithm>

namespace heddle::vulkan {
namespace {

/// Texels that are elements: their counters lie as their bytes do.
void place_as_bytes(const image::LevelLayout& from, std::uint32_t bytes, TexelShape::Level& to) {
  to.first = from.offset / bytes;
  to.row = from.row_pitch / bytes;
  to.slice = from.slice_pitch / bytes;
}

}  // namespace

TexelShape shape_of(const image::Surface& surface) {
  const image::FormatInfo& format = surface.info();
  TexelShape shape;
  shape.samples = std::max(1u, surface.samples);
  shape.volume = surface.type == image::SurfaceType::Dim3;
  shape.block_width = format.block_width;
  shape.block_height = format.block_height;
  shape.blocks = shape.block_width != 1 || shape.block_height != 1;
  shape.bytes = format.bytes_per_element();
  for (const image::LevelLayout& from : surface.layout) {
    TexelShape::Level to{.width = from.width,
                         .height = std::max(1u, from.height),
                         .slices = from.slices,
                         .first = shape.counters,
                         .row = from.width,
                         .slice = std::uint64_t{from.width} * std::max(1u, from.height),
                         .columns = from.element_columns,
                         .blocks = from.element_rows};
    if (!shape.blocks) place_as_bytes(from, shape.bytes, to);
    shape.texels += std::uint64_t{to.width} * to.height * to.slices;
    shape.counters = std::max(shape.counters, to.first + to.slices * std::max(to.slice, to.height * to.row));
    shape.levels.push_back(to);
  }
  return shape;
}

}  // namespace heddle::vulkan
