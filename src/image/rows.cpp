// SPDX-License-Identifier: MIT
// Whole slices: their bytes tightly packed, and their texels, by the decoders of formats/ where elements lie one after
// the other, else texel by texel.

#include "image/rows.hpp"

#include <algorithm>
#include <cstring>

namespace heddle::image {
namespace {

static_assert(sizeof(Texel) == 4 * sizeof(std::uint32_t));

/// Rows of texels that one row of elements holds.
std::uint32_t rows_of_elements(const Surface& surface, const LevelLayout& at, std::uint32_t element_row) {
  const std::uint32_t height = surface.info().block_height;
  return std::min(height, at.height - element_row * height);
}

/// The elements of a row, where they lie side by side in the memory and no state changes what they say.
const std::uint8_t* plain_elements(const Surface& surface, const LevelLayout& at, std::uint32_t slice,
                                   std::uint32_t element_row) {
  const FormatInfo& format = surface.info();
  if (surface.tile_mode != TileMode::Linear || surface.vertical_line_stride || surface.interleaved_samples ||
      surface.lists_nulls() || format.compression == Compression::Planar420 || !surface.memory)
    return nullptr;
  const std::uint64_t offset = surface.base + at.offset + slice * at.slice_pitch + element_row * at.row_pitch;
  const std::uint64_t columns = (std::uint64_t{at.width} + format.block_width - 1) / format.block_width;
  const std::uint64_t bytes = columns * format.bytes_per_element(), size = surface.memory->size();
  return offset <= size && bytes <= size - offset ? surface.memory->data() + offset : nullptr;
}

/// All texels of a row of elements.
void decode_elements(const Surface& surface, std::uint32_t level, std::uint32_t slice, std::uint32_t element_row,
                     bool srgb_decode, std::uint32_t* words) {
  const LevelLayout& at = surface.layout[level];
  const FormatInfo& format = surface.info();
  const std::uint32_t rows = rows_of_elements(surface, at, element_row);
  if (const std::uint8_t* elements = plain_elements(surface, at, slice, element_row))
    return decode_rows(format, elements, at.width, rows, srgb_decode, words);
  for (std::uint32_t row = 0; row < rows; ++row)
    for (std::uint32_t x = 0; x < at.width; ++x, words += 4) {
      const Fetched fetched = fetch(surface, level, slice, x, element_row * format.block_height + row, srgb_decode);
      std::copy(fetched.texel.bits.begin(), fetched.texel.bits.end(), words);
    }
}

}  // namespace

void decode_slice(const Surface& surface, std::uint32_t level, std::uint32_t slice, std::span<std::uint32_t> words,
                  bool srgb_decode) {
  if (level >= surface.layout.size()) {  // a null surface
    std::ranges::fill(words, 0u);
    return;
  }
  const LevelLayout& at = surface.layout[level];
  std::uint32_t* to = words.data();
  for (std::uint32_t row = 0; row * surface.info().block_height < at.height; ++row) {
    decode_elements(surface, level, slice, row, srgb_decode, to);
    to += std::size_t{4} * at.width * rows_of_elements(surface, at, row);
  }
}

void decode_entries(const Surface& surface, std::span<std::uint32_t> words) {
  const FormatInfo& format = surface.info();
  const std::uint64_t step = format.bytes_per_element(), bytes = surface.entries * step;
  const bool side_by_side = surface.structure_size == 0 || surface.structure_size == step;
  if (side_by_side && !surface.lists_nulls() && surface.memory && surface.base <= surface.memory->size() &&
      bytes <= surface.memory->size() - surface.base)
    return decode_rows(format, surface.memory->data() + surface.base, static_cast<std::uint32_t>(surface.entries), 1,
                       true, words.data());
  for (std::uint64_t i = 0; i < surface.entries; ++i) {
    const Fetched fetched = fetch_entry(surface, i);
    std::copy(fetched.texel.bits.begin(), fetched.texel.bits.end(), words.data() + 4 * i);
  }
}

std::uint64_t slice_bytes(const Surface& surface, std::uint32_t level) {
  const LevelLayout& at = surface.layout[level];
  return std::uint64_t{at.element_columns} * at.element_rows * surface.info().bytes_per_element();
}

std::vector<std::uint8_t> packed_slice(const Surface& surface, std::uint32_t level, std::uint32_t slice) {
  const FormatInfo& format = surface.info();
  const LevelLayout& at = surface.layout[level];
  const std::uint32_t bytes = format.bytes_per_element();
  std::vector<std::uint8_t> result(slice_bytes(surface, level));
  if (!surface.memory) return result;
  const auto copy = [&](std::uint64_t from, std::uint8_t* to, std::uint64_t count) {
    if (from <= surface.memory->size() && surface.memory->size() - from >= count)
      std::memcpy(to, surface.memory->data() + from, count);
  };
  if (surface.tile_mode == TileMode::Linear && !surface.vertical_line_stride) {
    const std::uint64_t row_bytes = std::uint64_t{at.element_columns} * bytes;
    for (std::uint32_t row = 0; row < at.element_rows; ++row)
      copy(surface.base + at.offset + slice * at.slice_pitch + row * at.row_pitch, result.data() + row * row_bytes,
           row_bytes);
    return result;
  }
  std::uint8_t* to = result.data();
  for (std::uint32_t row = 0; row < at.element_rows; ++row)
    for (std::uint32_t column = 0; column < at.element_columns; ++column, to += bytes)
      if (const auto from =
              element_offset(surface, level, slice, column * format.block_width, row * format.block_height))
        copy(*from, to, bytes);
  return result;
}

std::vector<std::uint8_t> packed_texels(const Surface& surface) {
  std::vector<std::uint8_t> result;
  if (!surface.memory) return result;
  if (surface.is_buffer() || (surface.tile_mode == TileMode::Linear && !surface.vertical_line_stride)) {
    const std::uint64_t start = std::min<std::uint64_t>(surface.base, surface.memory->size());
    const std::uint64_t count = std::min<std::uint64_t>(surface.size_bytes(), surface.memory->size() - start);
    result.assign(surface.memory->begin() + static_cast<std::ptrdiff_t>(start),
                  surface.memory->begin() + static_cast<std::ptrdiff_t>(start + count));
    result.resize(surface.size_bytes());
    return result;
  }
  for (std::uint32_t level = 0; level < surface.layout.size(); ++level)
    for (std::uint32_t slice = 0; slice < surface.layout[level].slices; ++slice) {
      const auto part = packed_slice(surface, level, slice);
      result.insert(result.end(), part.begin(), part.end());
    }
  return result;
}

RowReader::RowReader(const Surface& surface, std::uint32_t level, std::uint32_t slice, bool srgb_decode)
    : surface_(surface),
      level_(level),
      slice_(slice),
      srgb_decode_(srgb_decode),
      texels_(std::size_t{surface.layout[level].width} * surface.info().block_height),
      decoded_(surface.layout[level].height) {}

std::span<const Texel> RowReader::row(std::uint32_t y) {
  const std::uint32_t height = surface_.info().block_height, width = surface_.layout[level_].width;
  if (decoded_ != y / height) {
    decoded_ = y / height;
    decode_elements(surface_, level_, slice_, decoded_, srgb_decode_, texels_.front().bits.data());
  }
  return std::span(texels_).subspan(std::size_t{y % height} * width, width);
}

}  // namespace heddle::image
