// SPDX-License-Identifier: MIT
// Texel fetch and store: TEX-1, SUR-6, SUR-9, RTW-21, HW-45, HW-46, FLT-7 (chroma before filtering).

#include <algorithm>
#include <array>
#include <optional>

#include "image/surface.hpp"
#include "image/tiling.hpp"

namespace heddle::image {
namespace {

/// The path of nearly all fetches: one element a texel at offset + slice + row + column.
bool is_plain(const Surface& surface, const FormatInfo& format) {
  return surface.tile_mode == TileMode::Linear && format.compression == Compression::None &&
         !surface.vertical_line_stride && !surface.interleaved_samples && !surface.has_nulls();
}

bool inside_memory(const Surface& surface, std::uint64_t offset, std::uint32_t bytes) {
  return surface.memory && offset <= surface.memory->size() && surface.memory->size() - offset >= bytes;
}

bool on_null_page(const Surface& surface, std::uint64_t offset) {
  return !surface.null_pages.empty() &&
         std::ranges::binary_search(surface.null_pages, (offset - surface.base) / surface.null_page_bytes);
}

bool on_null_block(const Surface& surface, const Surface::TexelIndex& at) {
  if (surface.residency == nullptr) return false;
  const FormatInfo& format = surface.info();
  return !surface.residency->is_resident(surface.residency_level + at.level, at.slice, at.x / format.block_width,
                                         at.y / format.block_height);
}

/// SUR-6: the texel's (the block's) first byte decides.
bool is_null(const Surface& surface, std::uint64_t offset, const Surface::TexelIndex& index) {
  return on_null_page(surface, offset) || on_null_block(surface, index) ||
         (!surface.null_texels.empty() && std::ranges::binary_search(surface.null_texels, index));
}

constexpr std::array<std::uint8_t, 32> kZeros{};  // the largest element, four channels of 64 bits

Fetched nothing() {
  Fetched result;
  result.outside = true;  // C22
  return result;
}

std::uint32_t memory_row(const Surface& surface, std::uint32_t y) {  // SUR-9
  return surface.vertical_line_stride ? y * 2 + surface.vertical_line_stride_offset : y;
}

/// Where an element of a level is; the coordinates count elements.
std::uint64_t element_address(const Surface& surface, const LevelLayout& at, const FormatInfo& format,
                              std::uint32_t slice, std::uint32_t column, std::uint32_t row) {
  if (surface.tile_mode != TileMode::Linear || surface.interleaved_samples)
    return surface.base + hardware::offset_in_layout(surface, at, format.bytes_per_element(), slice, column, row);
  return surface.base + at.offset + slice * at.slice_pitch + row * at.row_pitch +
         std::uint64_t{column} * format.bytes_per_element();
}

/// NUM-22, HW-45: R = V, G = Y, B = U, A = 1; every component is replicated, never interpolated.
Fetched fetch_planar(const Surface& surface, const LevelLayout& at, const FormatInfo& format, std::uint32_t x,
                     std::uint32_t y) {
  const std::uint32_t bytes = format.bytes_per_element();
  const std::uint32_t row = memory_row(surface, y);
  const std::array<std::uint64_t, 3> offsets{
      surface.base + hardware::chroma_offset(surface, surface.chroma[1], x, row),
      element_address(surface, at, format, 0, x, row),
      surface.base + hardware::chroma_offset(surface, surface.chroma[0], x, row)};
  Fetched result;
  if (is_null(surface, offsets[1], {0, 0, x, y})) {
    result.null_page = true;
    result.texel = decode_planar(format, kZeros.data(), kZeros.data(), kZeros.data());
    return result;
  }
  for (const std::uint64_t offset : offsets)
    if (!inside_memory(surface, offset, bytes)) return nothing();
  const std::uint8_t* memory = surface.memory->data();
  result.texel = decode_planar(format, memory + offsets[1], memory + offsets[2], memory + offsets[0]);
  return result;
}

bool inside_level(const Surface& surface, std::uint32_t level, std::uint32_t slice, std::uint32_t x, std::uint32_t y) {
  if (level >= surface.layout.size()) return false;
  const LevelLayout& at = surface.layout[level];
  return x < at.width && y < at.height && slice < at.slices;
}

}  // namespace

std::optional<std::uint64_t> element_offset(const Surface& surface, std::uint32_t level, std::uint32_t slice,
                                            std::uint32_t x, std::uint32_t y) {
  const FormatInfo* format = format_info(surface.format);
  if (format == nullptr || !inside_level(surface, level, slice, x, y)) return std::nullopt;
  const std::uint32_t row = memory_row(surface, y);
  return element_address(surface, surface.layout[level], *format, slice, x / format->block_width,
                         row / format->block_height);
}

Fetched fetch(const Surface& surface, std::uint32_t level, std::uint32_t slice, std::uint32_t x, std::uint32_t y,
              bool srgb_decode) {
  const FormatInfo* format = format_info(surface.format);
  if (format == nullptr || !inside_level(surface, level, slice, x, y)) return nothing();
  const LevelLayout& at = surface.layout[level];
  const std::uint32_t bytes = format->bytes_per_element();
  Fetched result;
  if (is_plain(surface, *format)) [[likely]] {
    const std::uint64_t offset =
        surface.base + at.offset + slice * at.slice_pitch + y * at.row_pitch + std::uint64_t{x} * bytes;
    if (!inside_memory(surface, offset, bytes)) return nothing();
    result.texel = decode_texel(*format, surface.memory->data() + offset, 0, 0, srgb_decode);
    return result;
  }
  if (format->compression == Compression::Planar420) return fetch_planar(surface, at, *format, x, y);
  const std::uint32_t row = memory_row(surface, y);
  const unsigned inner_x = x % format->block_width, inner_y = row % format->block_height;
  const std::uint64_t offset =
      element_address(surface, at, *format, slice, x / format->block_width, row / format->block_height);
  if (is_null(surface, offset, {level, slice, x, y})) {  // C19: zero bits, then decoded
    result.null_page = true;
    result.texel = decode_texel(*format, kZeros.data(), inner_x, inner_y, srgb_decode);
    return result;
  }
  if (!inside_memory(surface, offset, bytes)) return nothing();
  result.texel = decode_texel(*format, surface.memory->data() + offset, inner_x, inner_y, srgb_decode);
  return result;
}

std::uint8_t* element_bytes(const Surface& surface, std::uint32_t level, std::uint32_t slice, std::uint32_t x,
                            std::uint32_t y, bool* null_page) {
  const auto offset = element_offset(surface, level, slice, x, y);
  if (!offset) return nullptr;
  const bool null = is_null(surface, *offset, {level, slice, x, y});
  if (null_page != nullptr) *null_page = null;
  if (null || !inside_memory(surface, *offset, surface.info().bytes_per_element())) return nullptr;
  return surface.memory->data() + *offset;
}

bool store(Surface& surface, std::uint32_t level, std::uint32_t slice, std::uint32_t x, std::uint32_t y,
           const Texel& value) {
  const FormatInfo* format = format_info(surface.format);
  if (format == nullptr || !encodable(*format)) return false;
  std::uint8_t* element = element_bytes(surface, level, slice, x, y);  // RTW-21: nullptr on null pages
  if (element == nullptr) return false;
  encode_texel(*format, value, element, x % format->block_width);
  return true;
}

std::optional<std::uint64_t> entry_offset(const Surface& surface, std::uint64_t index) {
  const FormatInfo* format = format_info(surface.format);
  if (format == nullptr || !surface.is_buffer() || index >= surface.entries) return std::nullopt;
  const bool raw = static_cast<unsigned>(surface.format) == 0x1FF;
  const std::uint64_t step = surface.structure_size != 0 && !raw ? surface.structure_size : format->bytes_per_element();
  return surface.base + index * step;
}

Fetched fetch_entry(const Surface& surface, std::uint64_t index) {
  const FormatInfo* format = format_info(surface.format);
  const auto offset = entry_offset(surface, index);
  if (!offset) return nothing();
  Fetched result;
  const std::uint32_t x = static_cast<std::uint32_t>(index);
  if (is_null(surface, *offset, {0, 0, x, 0})) {
    result.null_page = true;
    result.texel = decode_texel(*format, kZeros.data());
    return result;
  }
  if (!inside_memory(surface, *offset, format->bytes_per_element())) return nothing();
  result.texel = decode_texel(*format, surface.memory->data() + *offset);
  return result;
}

std::uint8_t* entry_bytes(const Surface& surface, std::uint64_t index, bool* null_page) {
  const auto offset = entry_offset(surface, index);
  if (!offset) return nullptr;
  const bool null = is_null(surface, *offset, {0, 0, static_cast<std::uint32_t>(index), 0});
  if (null_page != nullptr) *null_page = null;
  if (null || !inside_memory(surface, *offset, surface.info().bytes_per_element())) return nullptr;
  return surface.memory->data() + *offset;
}

bool store_entry(Surface& surface, std::uint64_t index, const Texel& value) {
  const FormatInfo* format = format_info(surface.format);
  if (format == nullptr || !encodable(*format)) return false;
  std::uint8_t* element = entry_bytes(surface, index);
  if (element == nullptr) return false;
  encode_texel(*format, value, element);
  return true;
}

}  // namespace heddle::image
