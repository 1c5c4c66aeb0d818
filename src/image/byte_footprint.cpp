// SPDX-License-Identifier: MIT
// Rules: FP-35, HW-30, HW-39, HW-42.
#include "image/byte_footprint.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <map>
#include <set>

#include "image/tiling.hpp"

namespace heddle::image {
namespace {

base::Diagnostic wrong(std::string message) { return base::error("footprint-query", std::move(message)); }

/// The state of a surface in another tiling, without texels.
base::Result<Surface> laid_out(const Surface& surface, TileMode tile) {
  Surface other = surface;
  other.memory.reset();
  other.base = 0;
  other.tile_mode = tile;
  other.layout.clear();
  other.null_pages.clear();
  other.null_texels.clear();
  if (auto done = lay_out(other); !done.ok()) return done.failure();
  return other;
}

/// Adds the bytes of an element to each stretch that it lies in.
void add(std::map<std::uint64_t, std::uint64_t>& pieces, std::uint64_t offset, std::uint64_t bytes,
         std::uint64_t size) {
  for (std::uint64_t at = offset; at < offset + bytes;) {
    const std::uint64_t start = at / size * size, end = std::min(start + size, offset + bytes);
    pieces[start] += end - at;
    at = end;
  }
}

std::vector<ByteFootprint::Piece> listed(const std::map<std::uint64_t, std::uint64_t>& pieces) {
  std::vector<ByteFootprint::Piece> list;
  for (const auto& [offset, bytes] : pieces) list.push_back({offset, bytes});
  return list;
}

bool inside(const Surface& surface, const Surface::TexelIndex& t) {
  return t.level < surface.levels && t.x < surface.level_width(t.level) && t.y < surface.level_height(t.level) &&
         t.slice < surface.stored_slices(t.level);
}

}  // namespace

base::Result<ByteFootprint> byte_footprint(const Surface& surface, std::span<const Surface::TexelIndex> texels,
                                           const ByteFootprintOptions& options) {
  if (surface.is_buffer() || surface.type == SurfaceType::Null)
    return wrong("footprints in bytes exist for images, not for buffers");
  for (const std::uint64_t size : {options.line_bytes, options.page_bytes})
    if (size < 4 || !std::has_single_bit(size))
      return wrong(fmt::format("{} is no size of a line or page: a power of two from 4 on is expected", size));
  const std::uint32_t element = surface.info().bytes_per_element();
  if (!hardware::tileable(options.tile, element))
    return base::error("HW-42", fmt::format("elements of {} bytes can't be tiled as {}", element,
                                            hardware::tile_mode_name(options.tile)));
  auto other = laid_out(surface, options.tile);
  if (!other.ok()) return other.failure();
  std::set<std::uint64_t> offsets;
  for (const Surface::TexelIndex& t : texels) {
    if (!inside(surface, t))
      return wrong(
          fmt::format("texel ({}, {}) of level {}, slice {} is outside the image", t.x, t.y, t.level, t.slice));
    if (const auto offset = element_offset(*other, t.level, t.slice, t.x, t.y)) offsets.insert(*offset);
  }
  std::map<std::uint64_t, std::uint64_t> lines, pages;
  for (const std::uint64_t offset : offsets) {
    add(lines, offset, element, options.line_bytes);
    add(pages, offset, element, options.page_bytes);
  }
  return ByteFootprint{offsets.size(), offsets.size() * element, other->size_bytes(), listed(lines), listed(pages)};
}

}  // namespace heddle::image
