// SPDX-License-Identifier: MIT
// Media blocks: rectangles of bytes of level 0.
#include <algorithm>
#include <optional>

#include "instructions/data_port/memory.hpp"

namespace heddle::instructions {

using machine::ExecutionContext;
using machine::Operand;

namespace {

/// Where the row of a block lies whole in memory, one byte after another; null where it does not. Row y is in the
/// surface.
std::uint8_t* whole_row(const image::Surface& surface, std::int64_t x, std::int64_t y, unsigned width,
                        std::int64_t texel, std::int64_t columns) {
  if (surface.tile_mode != image::TileMode::Linear || width == 0 || x < 0 || x + width > columns) return nullptr;
  const auto place = [&](std::int64_t byte) -> std::optional<std::uint64_t> {
    const auto offset = image::element_offset(surface, 0, surface.min_array_element,
                                              static_cast<std::uint32_t>(byte / texel), static_cast<std::uint32_t>(y));
    if (!offset) return std::nullopt;
    return *offset + static_cast<std::uint64_t>(byte % texel);
  };
  const auto first = place(x), last = place(x + width - 1);
  if (!first || !last || *last - *first != width - 1 || *last >= surface.memory->size()) return nullptr;
  return surface.memory->data() + *first;
}

}  // namespace

void transfer_media_block(ExecutionContext& s, const image::Surface& surface, const MediaBlock& block,
                          const Operand& data, bool write) {
  if (surface.type != image::SurfaceType::Dim2 || surface.layout.empty() || surface.memory == nullptr ||
      surface.info().block_width != 1) {
    s.refuse(nullptr, "run-media-surface", "media blocks need a plain 2D surface");
    return;
  }
  const unsigned width = std::min(block.width, 64u);
  unsigned pitch = 4;
  while (pitch < width) pitch *= 2;
  const std::int64_t texel = surface.info().bytes_per_element();
  const std::int64_t columns = std::int64_t{surface.level_width(0)} * texel;
  const std::int64_t rows =
      block.field ? (std::int64_t{surface.level_height(0)} + (block.bottom ? 0 : 1)) / 2 : surface.level_height(0);
  image::Memory& memory = *surface.memory;
  texture::TexelObserver* observer = s.thread().unit_context().observer;

  bool outside = false;
  for (unsigned row = 0; row < block.height; ++row) {
    std::array<std::uint8_t, 64> line{};
    if (write) s.read_raw_bytes(data, row * pitch, std::span(line).first(width));
    const std::int64_t own_y = std::int64_t{block.y} + row;
    std::uint8_t* whole = observer == nullptr && !block.field && own_y >= 0 && own_y < rows
                              ? whole_row(surface, block.x, own_y, width, texel, columns)
                              : nullptr;
    if (whole != nullptr && write) {
      std::copy_n(line.begin(), width, whole);
      continue;
    }
    if (whole != nullptr) {
      std::copy_n(whole, width, line.begin());
      s.write_raw_bytes(data, row * pitch, std::span(line).first(width));
      continue;
    }
    for (unsigned column = 0; column < width; ++column) {
      std::int64_t x = std::int64_t{block.x} + column, y = std::int64_t{block.y} + row;
      if (x < 0 || x >= columns || y < 0 || y >= rows) {
        outside = true;
        if (write || columns == 0 || rows == 0) continue;
        // The nearest texel of the row's edge, at the same byte of the texel.
        if (x < 0)
          x = (x % texel + texel) % texel;
        else if (x >= columns)
          x = columns - texel + x % texel;
        y = std::clamp<std::int64_t>(y, 0, rows - 1);
      }
      const std::int64_t line_y = block.field ? 2 * y + (block.bottom ? 1 : 0) : y;
      const auto offset =
          image::element_offset(surface, 0, surface.min_array_element, static_cast<std::uint32_t>(x / texel),
                                static_cast<std::uint32_t>(line_y));
      if (!offset) continue;
      const std::uint64_t at = *offset + static_cast<std::uint64_t>(x % texel);
      if (at >= memory.size()) continue;
      if (write)
        memory[at] = line[column];
      else
        line[column] = memory[at];
      if (observer != nullptr && x % texel == 0)
        observer->texel({.surface = &surface,
                         .level = 0,
                         .slice = surface.min_array_element,
                         .x = static_cast<std::uint32_t>(x / texel),
                         .y = static_cast<std::uint32_t>(line_y),
                         .written = write});
    }
    if (!write) s.write_raw_bytes(data, row * pitch, std::span(line).first(width));
  }
  if (outside) s.check(nullptr, "run-surface-bounds", "the media block reaches beyond the surface");
}

}  // namespace heddle::instructions
