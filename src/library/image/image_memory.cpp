// SPDX-License-Identifier: MIT
// The bytes of images: views of them, packed copies, whole levels decoded.

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "image/files/files.hpp"
#include "image/names.hpp"
#include "image/rows.hpp"
#include "library/image/impl.hpp"

namespace heddle {

using library::surface_of;

namespace {

bool is_planar(const image::Surface& s) { return s.info().compression == image::Compression::Planar420; }

/// Whether rows of elements lie one after the other at a constant distance.
bool has_rows(const image::Surface& s) {
  return s.memory && !s.is_buffer() && s.tile_mode == image::TileMode::Linear && !s.vertical_line_stride &&
         !s.interleaved_samples && !is_planar(s);
}

/// Whether the texels are one run of bytes in packed order.
bool is_packed(const image::Surface& s) {
  if (s.is_buffer() || is_planar(s)) return true;
  std::uint64_t offset = 0;
  for (const image::LevelLayout& at : s.layout) {
    if (at.offset != offset || at.row_pitch != std::uint64_t{at.element_columns} * s.info().bytes_per_element() ||
        at.slice_pitch != at.row_pitch * at.element_rows)
      return false;
    offset += at.slice_pitch * at.slices;
  }
  return true;
}

std::uint64_t packed_bytes(const image::Surface& s) {
  if (is_packed(s)) return s.size_bytes();
  std::uint64_t bytes = 0;
  for (const image::LevelLayout& at : s.layout)
    bytes += std::uint64_t{at.element_columns} * s.info().bytes_per_element() * at.element_rows * at.slices;
  return bytes;
}

/// Calls `row(bytes, count)` for each row of elements, in packed order.
template <typename Row>
void each_row(const image::Surface& s, Row row) {
  for (const image::LevelLayout& at : s.layout)
    for (std::uint32_t slice = 0; slice < at.slices; ++slice)
      for (std::uint32_t y = 0; y < at.element_rows; ++y)
        row(s.memory->data() + s.base + at.offset + slice * at.slice_pitch + y * at.row_pitch,
            std::size_t{at.element_columns} * s.info().bytes_per_element());
}

std::optional<Diagnostic> apply_format(image::Surface& s, const std::string& name) {
  if (name.empty()) return std::nullopt;
  const image::FormatInfo* format = image::find_format_word(name);
  if (format == nullptr) return library::unknown_format(name);
  const image::FormatInfo& now = s.info();
  if (format->bytes_per_element() != now.bytes_per_element() || format->block_width != now.block_width ||
      format->block_height != now.block_height || is_planar(s) || format->compression == image::Compression::Planar420)
    return library::wrong_argument(
        fmt::format("a view of {} can't be {}: its elements differ in size", now.name, format->name));
  if (!image::decodable(*format))
    return library::wrong_argument(fmt::format("texels of {} can't be read", format->name));
  s.format = format->format;
  return std::nullopt;
}

/// What of `count` things from `first` on a view shows; nothing where they are not there.
std::optional<std::uint32_t> part(std::uint32_t all, std::uint32_t first, std::uint32_t count) {
  if (first >= all || count > all - first) return std::nullopt;
  return count == 0 ? all - first : count;
}

std::optional<Diagnostic> apply_ranges(image::Surface& s, const ViewOptions& o) {
  if (o.first_level == 0 && o.levels == 0 && o.first_layer == 0 && o.layers == 0) return std::nullopt;
  if (!has_rows(s)) return library::wrong_argument("only images of rows have views of some levels or layers");
  const std::uint32_t faces = s.type == image::SurfaceType::Cube ? 6 : 1;
  const auto levels = part(s.levels, o.first_level, o.levels);
  const auto layers = part(s.layers / faces, o.first_layer, o.layers);
  if (!levels)
    return library::wrong_argument(
        fmt::format("levels {} and {} more are not there: the image has {}", o.first_level, o.levels, s.levels));
  if (!layers)
    return library::wrong_argument(fmt::format("layers {} and {} more are not there: the image has {}", o.first_layer,
                                               o.layers, s.layers / faces));
  const std::uint32_t width = s.level_width(o.first_level), height = s.level_height(o.first_level),
                      depth = s.level_depth(o.first_level);
  s.layout.erase(s.layout.begin(), s.layout.begin() + o.first_level);
  s.layout.resize(*levels);
  s.width = width, s.height = height, s.depth = depth;
  s.levels = *levels;
  s.mip_count = *levels - 1;
  if (s.type != image::SurfaceType::Dim3) {
    const std::uint32_t stored = faces * s.cells() * s.samples;
    for (image::LevelLayout& at : s.layout) {
      at.offset += std::uint64_t{o.first_layer} * stored * at.slice_pitch;
      at.slices = *layers * stored;
    }
    s.layers = *layers * faces;
    s.view_layers = *layers;
  }
  s.rt_extent = (s.type == image::SurfaceType::Dim3 ? s.depth : s.layers) - 1;
  // From its first byte on, so that a view of a packed part is packed.
  const std::uint64_t first = s.layout.front().offset;
  s.base += first;
  s.bytes = 0;
  for (image::LevelLayout& at : s.layout) {
    at.offset -= first;
    s.bytes = std::max(s.bytes, at.offset + at.slice_pitch * at.slices);
  }
  return std::nullopt;
}

}  // namespace

Result<Image> Image::view(const ViewOptions& options) const {
  if (empty()) return library::empty_image();
  image::Surface surface = surface_of(*this);
  if (auto wrong = apply_format(surface, options.format)) return *wrong;
  if (auto wrong = apply_ranges(surface, options)) return *wrong;
  if (const auto checked = image::validate_state(surface); !checked.ok())
    return library::to_public(checked.diagnostics());
  Image image = library::make_image(std::move(surface));
  if (options.swizzle.empty()) return image;
  return image.with_swizzle(options.swizzle);
}

std::optional<LevelMemory> Image::level_memory(std::uint32_t level) const {
  if (empty()) return std::nullopt;
  const image::Surface& s = surface_of(*this);
  LevelMemory memory;
  memory.element_bytes = s.info().bytes_per_element();
  if (s.is_buffer()) {
    if (level != 0 || !s.memory || s.structure_size != 0) return std::nullopt;
    memory.slices = memory.rows = 1;
    memory.columns = static_cast<std::uint32_t>(s.entries);
    memory.row_pitch = memory.slice_pitch = memory.columns * memory.element_bytes;
    if (s.memory->size() < s.base + memory.row_pitch) return std::nullopt;
    memory.first = s.memory->data() + s.base;
    return memory;
  }
  if (!has_rows(s) || level >= s.layout.size() || s.memory->size() < s.base + s.size_bytes()) return std::nullopt;
  const image::LevelLayout& at = s.layout[level];
  memory.first = s.memory->data() + s.base + at.offset;
  memory.slices = at.slices, memory.rows = at.element_rows, memory.columns = at.element_columns;
  memory.slice_pitch = at.slice_pitch, memory.row_pitch = at.row_pitch;
  return memory;
}

Result<Done> Image::decode_level(std::uint32_t level, std::span<std::uint32_t> words) const {
  if (empty()) return library::empty_image();
  const image::Surface& s = surface_of(*this);
  const std::uint32_t columns = width(level), rows = s.is_buffer() ? 1 : height(level), count = slices(level);
  if (columns == 0 || count == 0)
    return library::wrong_argument(fmt::format("level {} is not there: the image has {}", level, s.levels));
  if (words.size() != std::size_t{4} * columns * rows * count)
    return library::wrong_argument(
        fmt::format("there is room for {} words, the level has {}x{}x{} texels", words.size(), columns, rows, count));
  if (s.is_buffer()) {
    image::decode_entries(s, words);
    return Done{};
  }
  const std::size_t slice_words = std::size_t{4} * columns * rows;
  for (std::uint32_t slice = 0; slice < count; ++slice)
    image::decode_slice(s, level, slice, words.subspan(slice * slice_words, slice_words));
  return Done{};
}

std::vector<std::uint8_t> Image::packed() const {
  if (empty()) return {};
  const image::Surface& s = surface_of(*this);
  if (s.is_buffer() && s.memory) return s.memory->copy();
  if (is_packed(s) || !has_rows(s)) return image::packed_texels(s);
  std::vector<std::uint8_t> bytes;
  bytes.reserve(packed_bytes(s));
  each_row(s, [&](const std::uint8_t* row, std::size_t count) { bytes.insert(bytes.end(), row, row + count); });
  return bytes;
}

Result<Done> Image::set_packed(std::span<const std::uint8_t> bytes) {
  if (empty()) return library::empty_image();
  image::Surface& s = surface_of(*this);
  if (s.tile_mode != image::TileMode::Linear || !s.memory || s.memory->size() < s.base + s.size_bytes())
    return library::wrong_argument("the texels of a tiled image are not replaced as a whole; use set_texel");
  if (bytes.size() != packed_bytes(s))
    return library::wrong_argument(
        fmt::format("{} bytes are given, the image has {} bytes of texels", bytes.size(), packed_bytes(s)));
  if (is_packed(s)) {
    std::memcpy(s.memory->data() + s.base, bytes.data(), bytes.size());
    return Done{};
  }
  const std::uint8_t* from = bytes.data();
  each_row(s, [&](std::uint8_t* row, std::size_t count) {
    std::memcpy(row, from, count);
    from += count;
  });
  return Done{};
}

}  // namespace heddle
