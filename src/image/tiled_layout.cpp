// SPDX-License-Identifier: MIT
// Levels and slices in memory: HW-30, HW-31, HW-40 to HW-46.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "image/tiling.hpp"

namespace heddle::image::hardware {
namespace {

constexpr std::uint32_t divide_up(std::uint32_t value, std::uint32_t by) { return (value + by - 1) / by; }
constexpr std::uint64_t align(std::uint64_t value, std::uint64_t to) { return (value + to - 1) / to * to; }

struct Point {
  std::uint32_t x = 0, y = 0;
};

/// HW-44: slot positions in elements, by element size 16, 8, 4, 2, 1 bytes.
constexpr std::array<std::array<Point, 5>, 15> kTailSlots{{
    {{{32, 0}, {64, 0}, {64, 0}, {128, 0}, {128, 0}}},
    {{{0, 32}, {0, 32}, {0, 64}, {0, 64}, {0, 128}}},
    {{{16, 0}, {32, 0}, {32, 0}, {64, 0}, {64, 0}}},
    {{{0, 16}, {0, 16}, {0, 32}, {0, 32}, {0, 64}}},
    {{{8, 0}, {16, 0}, {16, 0}, {32, 0}, {32, 0}}},
    {{{4, 8}, {8, 8}, {8, 16}, {16, 16}, {16, 32}}},
    {{{0, 12}, {0, 12}, {0, 24}, {0, 24}, {0, 48}}},
    {{{0, 8}, {0, 8}, {0, 16}, {0, 16}, {0, 32}}},
    {{{4, 4}, {8, 4}, {8, 8}, {16, 8}, {16, 16}}},
    {{{4, 0}, {8, 0}, {8, 0}, {16, 0}, {16, 0}}},
    {{{0, 4}, {0, 4}, {0, 8}, {0, 8}, {0, 16}}},
    {{{0, 0}, {0, 0}, {0, 0}, {0, 0}, {0, 0}}},
    {{{1, 0}, {2, 0}, {0, 4}, {0, 4}, {0, 4}}},
    {{{2, 0}, {4, 0}, {4, 0}, {8, 0}, {0, 8}}},
    {{{3, 0}, {6, 0}, {4, 4}, {8, 4}, {0, 12}}},
}};

/// HW-31: where the sample of a pixel is among the interleaved samples of a depth or stencil level.
Point interleave(std::uint32_t x, std::uint32_t y, std::uint32_t samples, std::uint32_t s) {
  Point at{x, y};
  if (samples >= 8)
    at.x = (x & ~1u) << 2 | (s & 4) | (s & 1) << 1 | (x & 1);
  else if (samples >= 2)
    at.x = (x & ~1u) << 1 | (s & 1) << 1 | (x & 1);
  if (samples >= 16)
    at.y = (y & ~1u) << 2 | (s & 8) >> 1 | (s & 2) | (y & 1);
  else if (samples >= 4)
    at.y = (y & ~1u) << 1 | (s & 2) | (y & 1);
  return at;
}

/// HW-30: the size of a level in memory, in texels.
Point interleaved_size(std::uint32_t width, std::uint32_t height, std::uint32_t samples) {
  Point size{width, height};
  if (samples >= 2) size.x = divide_up(width, 2) * (samples >= 8 ? 8 : 4);
  if (samples >= 4) size.y = divide_up(height, 2) * (samples >= 16 ? 8 : 4);
  return size;
}

bool tile_sized_alignment(TileMode mode) {
  return mode == TileMode::Tile64 || mode == TileMode::Ys || mode == TileMode::Yf;
}

/// Computes the layout of one surface step by step.
class LayoutBuilder {
 public:
  LayoutBuilder(Surface& surface, const LayoutState& state)
      : surface_(surface), state_(state), format_(surface.info()), bytes_(format_.bytes_per_element()) {
    volume_ = surface.type == SurfaceType::Dim3 && surface.tile_mode == TileMode::Tile64;
    shape_ = tile_shape(surface.tile_mode, bytes_, surface.interleaved_samples ? 1 : surface.samples, volume_);
  }

  base::Result<base::Done> run() {
    if (auto refused = refuse()) return *refused;
    choose_alignment();
    surface_.layout.clear();
    lay_out_levels();
    const std::uint64_t row = std::uint64_t{1} << shape_.column_bits;
    surface_.pitch = state_.pitch != 0 ? state_.pitch : align(columns_ * bytes_, row);
    if (surface_.type != SurfaceType::Dim1 && (surface_.pitch < columns_ * bytes_ || surface_.pitch % row != 0))
      return base::error("surface-pitch", fmt::format("{}: pitch {}: at least {} bytes in multiples of {}", name(),
                                                      surface_.pitch, columns_ * bytes_, row));
    const std::uint64_t rows = surface_.type == SurfaceType::Dim1 ? columns_ : rows_;
    const std::uint64_t step = tile_sized_alignment(surface_.tile_mode) ? std::uint64_t{1} << shape_.row_bits
                                                                        : std::max<std::uint64_t>(valign_, 4);
    surface_.qpitch = state_.qpitch != 0 ? state_.qpitch : align(rows, step);
    finish_levels();
    lay_out_chroma();
    surface_.bytes = extent();
    return base::Done{};
  }

 private:
  std::string_view name() const {
    return surface_.name.empty() ? std::string_view("surface") : std::string_view(surface_.name);
  }

  std::optional<base::Diagnostic> refuse() const {
    const TileMode mode = surface_.tile_mode;
    if (surface_.is_buffer() || surface_.type == SurfaceType::Null)
      return base::error("HW-30", fmt::format("{}: a buffer has no levels to place", name()));
    if (surface_.type == SurfaceType::Dim1 && mode != TileMode::Linear)
      return base::error("HW-30", fmt::format("{}: a 1d surface is linear, not {}", name(), tile_mode_name(mode)));
    if (!tileable(mode, bytes_))
      return base::error(
          "HW-42", fmt::format("{}: elements of {} bytes can't be {} tiled", name(), bytes_, tile_mode_name(mode)));
    if (surface_.samples > 1 && (mode == TileMode::Ys || mode == TileMode::Yf) && !surface_.interleaved_samples)
      return base::error("HW-39",
                         fmt::format("{}: multisampled {} tiling is not supported", name(), tile_mode_name(mode)));
    if (has_tail() && (!tile_sized_alignment(mode) || surface_.type == SurfaceType::Dim3 || surface_.samples > 1 ||
                       format_.compression == Compression::Planar420))
      return base::error("HW-44",
                         fmt::format("{}: mip tails need a 2d surface with one sample, Tile64, Ys or Yf", name()));
    if (has_tail() && surface_.levels - state_.mip_tail_start > (mode == TileMode::Yf ? 11u : 15u))
      return base::error("HW-44", fmt::format("{}: {} levels don't fit the mip tail", name(),
                                              surface_.levels - state_.mip_tail_start));
    return std::nullopt;
  }

  bool has_tail() const { return state_.mip_tail_start < 15 && state_.mip_tail_start < surface_.levels; }

  void choose_alignment() {
    if (tile_sized_alignment(surface_.tile_mode)) {
      halign_ = (1u << shape_.column_bits) / bytes_;
      valign_ = 1u << shape_.row_bits;
      return;
    }
    const bool wide = surface_.tile_mode == TileMode::Tile4 && std::has_single_bit(bytes_);
    halign_ = state_.halign != 0 ? state_.halign : wide ? 128 / bytes_ : surface_.tile_mode == TileMode::W ? 8 : 4;
    valign_ = state_.valign != 0 ? state_.valign : surface_.tile_mode == TileMode::W ? 8 : 4;
  }

  /// Aligned size of a level in elements: w_L, h_L of HW-30.
  Point aligned(const LevelLayout& at) const {
    Point size{at.element_columns, at.element_rows};
    if (surface_.interleaved_samples) size = interleaved_size(size.x, size.y, surface_.samples);
    return {static_cast<std::uint32_t>(align(size.x, halign_)), static_cast<std::uint32_t>(align(size.y, valign_))};
  }

  void lay_out_levels() {
    std::uint64_t below = 0;  // LODV of the next level that goes under level 0
    std::uint64_t right = 0;  // w1
    std::uint64_t along = 0;  // 1D: LODU
    std::uint64_t tail_x = 0, tail_y = 0;
    for (std::uint32_t level = 0; level < surface_.levels; ++level) {
      LevelLayout at = level_sizes(surface_, level);
      const Point size = aligned(at);
      std::uint64_t x = level >= 2 ? right : 0, y = level >= 1 ? below : 0;
      if (surface_.type == SurfaceType::Dim1) x = along, y = 0;
      if (has_tail() && level > state_.mip_tail_start) x = tail_x, y = tail_y;
      if (has_tail() && level == state_.mip_tail_start) tail_x = x, tail_y = y;
      columns_ = std::max(columns_, x + size.x);
      rows_ = std::max(rows_, y + size.y);
      if (has_tail() && level >= state_.mip_tail_start) {
        const unsigned slot = level - state_.mip_tail_start + (surface_.tile_mode == TileMode::Yf ? 4 : 0);
        const Point in_tail = kTailSlots[slot][4u - static_cast<unsigned>(std::countr_zero(bytes_))];
        x += in_tail.x;
        y += in_tail.y;
      }
      at.column = (x + state_.x_offset) * bytes_;
      at.row = y + state_.y_offset;
      along += size.x;
      if (level == 1) right = size.x;
      if (level != 1) below += size.y;
      surface_.layout.push_back(at);
    }
    columns_ += state_.x_offset;
    rows_ += state_.y_offset;
  }

  /// Linear surfaces: offsets and pitches in bytes.
  void finish_levels() {
    if (surface_.tile_mode != TileMode::Linear) return;
    for (LevelLayout& at : surface_.layout) {
      const bool line = surface_.type == SurfaceType::Dim1;
      at.row_pitch = line ? std::uint64_t{at.element_columns} * bytes_ : surface_.pitch;
      at.slice_pitch = surface_.qpitch * (line ? bytes_ : surface_.pitch);
      at.offset = at.row * surface_.pitch + at.column;
    }
  }

  void lay_out_chroma() {
    surface_.chroma = {};
    if (format_.compression != Compression::Planar420) return;
    LayoutState::Chroma chroma;
    if (state_.chroma)
      chroma = *state_.chroma;
    else
      chroma.uv_y = static_cast<std::uint32_t>(
          align(surface_.layout[0].element_rows, std::max<std::uint64_t>(4, std::uint64_t{1} << shape_.row_bits)));
    for (unsigned plane = 0; plane < 2; ++plane) {
      ChromaPlane& at = surface_.chroma[plane];
      const bool own = chroma.separate && plane == 1;
      at.pitch = chroma.separate && chroma.half_pitch ? surface_.pitch / 2 : surface_.pitch;
      at.step = chroma.separate ? bytes_ : bytes_ * 2;
      at.column = std::uint64_t{own ? chroma.v_x : chroma.uv_x} * bytes_ + (chroma.separate ? 0 : plane * bytes_);
      at.row = own ? chroma.v_y : chroma.uv_y;
      at.offset = at.row * at.pitch + at.column;
    }
  }

  std::uint64_t extent() const {
    const std::uint64_t tile_rows = std::uint64_t{1} << shape_.row_bits;
    std::uint64_t slices = surface_.layout[0].slices;
    if (surface_.interleaved_samples)
      slices /= surface_.samples;
    else if (surface_.tile_mode == TileMode::Tile64 && !volume_ && surface_.samples > 1)
      slices /= std::min(surface_.samples, 4u);
    if (surface_.type == SurfaceType::Dim1) return ((slices - 1) * surface_.qpitch + columns_) * bytes_;
    if (volume_) {
      const std::uint64_t layers = (slices + (std::uint64_t{1} << shape_.slice_bits) - 1) >> shape_.slice_bits;
      return ((layers - 1) * (surface_.qpitch >> shape_.row_bits) + align(rows_, tile_rows) / tile_rows) *
             (surface_.pitch >> shape_.column_bits) * shape_.bytes;
    }
    const std::uint64_t bands = align((slices - 1) * surface_.qpitch + rows_, tile_rows) / tile_rows;
    std::uint64_t bytes = bands * (surface_.pitch >> shape_.column_bits) * shape_.bytes;
    for (const ChromaPlane& plane : surface_.chroma)
      if (plane.step != 0)
        bytes = std::max(
            bytes, align(plane.row + (surface_.layout[0].element_rows + 1) / 2, tile_rows) * plane.pitch + bytes_);
    return bytes;
  }

  Surface& surface_;
  const LayoutState& state_;
  const FormatInfo& format_;
  std::uint32_t bytes_;
  TileShape shape_;
  bool volume_ = false;
  std::uint32_t halign_ = 4, valign_ = 4;
  std::uint64_t columns_ = 0, rows_ = 0;  // elements that a slice needs
};

}  // namespace

LevelLayout level_sizes(const Surface& surface, std::uint32_t level) {
  const FormatInfo& format = surface.info();
  LevelLayout at;
  at.width = surface.level_width(level);
  at.height = surface.level_height(level);
  at.depth = surface.level_depth(level);
  at.element_columns = divide_up(at.width, format.block_width);
  // SUR-9: both fields of the frame are stored.
  at.element_rows = divide_up(surface.vertical_line_stride ? at.height * 2 : at.height, format.block_height);
  at.slices = surface.stored_slices(level);
  return at;
}

base::Result<base::Done> lay_out_levels(Surface& surface, const LayoutState& state) {
  return LayoutBuilder(surface, state).run();
}

std::uint64_t offset_in_layout(const Surface& surface, const LevelLayout& at, std::uint32_t bytes_per_element,
                               std::uint32_t slice, std::uint32_t column, std::uint32_t row) {
  std::uint32_t sample = 0, samples = 1;
  if (surface.samples > 1 && surface.type != SurfaceType::Dim3) {
    sample = slice % surface.samples;
    slice /= surface.samples;
    samples = surface.samples;
  }
  if (surface.interleaved_samples) {
    const Point where = interleave(column, row, samples, sample);
    column = where.x;
    row = where.y;
    samples = 1;
    sample = 0;
  }
  if (surface.tile_mode == TileMode::Linear)
    return at.offset + (std::uint64_t{slice} * samples + sample) * at.slice_pitch + row * at.row_pitch +
           std::uint64_t{column} * bytes_per_element;
  TileAddress address;
  address.mode = surface.tile_mode;
  address.bytes_per_element = bytes_per_element;
  address.pitch = surface.pitch;
  address.qpitch = surface.qpitch;
  address.u = at.column + std::uint64_t{column} * bytes_per_element;
  address.v = at.row + row;
  address.samples = samples;
  address.sample = sample;
  address.three_dimensional = surface.type == SurfaceType::Dim3;
  address.r = slice;
  return tile_offset(address);
}

std::uint64_t chroma_offset(const Surface& surface, const ChromaPlane& plane, std::uint32_t x, std::uint32_t y) {
  const std::uint64_t column = std::uint64_t{x >> 1} * plane.step;
  if (surface.tile_mode == TileMode::Linear) return plane.offset + (y >> 1) * plane.pitch + column;
  TileAddress address;
  address.mode = surface.tile_mode;
  address.bytes_per_element = plane.step;
  address.pitch = plane.pitch;
  address.u = plane.column + column;
  address.v = plane.row + (y >> 1);
  return tile_offset(address);
}

namespace {

void copy_bytes(const Surface& from, std::uint64_t source, Surface& to, std::uint64_t target, std::uint32_t bytes) {
  source += from.base;
  target += to.base;
  if (source > from.memory->size() || from.memory->size() - source < bytes) return;  // C22: reads as 0
  if (target > to.memory->size() || to.memory->size() - target < bytes) return;
  std::memcpy(to.memory->data() + target, from.memory->data() + source, bytes);
}

}  // namespace

base::Result<Surface> retile(const Surface& surface, TileMode mode, const LayoutState& layout_state,
                             const base::Limits& limits) {
  Surface result = surface;
  result.tile_mode = mode;
  result.base = 0;
  result.null_pages.clear();  // pages belong to the old addresses
  if (mode == TileMode::Linear) result.interleaved_samples = false;
  auto laid = lay_out(result);
  if (laid.ok() && mode != TileMode::Linear) laid = lay_out_levels(result, layout_state);
  if (!laid.ok()) return laid.failure();
  if (result.bytes > limits.surface_bytes)
    return base::limit_error("limit-surface",
                             fmt::format("a tiled surface of {} bytes is more than the limit of {} (--max-surface)",
                                         result.bytes, limits.surface_bytes));
  result.memory = std::make_shared<Memory>(result.bytes);
  if (!surface.memory || surface.layout.size() != result.layout.size()) return result;
  const std::uint32_t bytes = surface.info().bytes_per_element();
  for (std::size_t level = 0; level < result.layout.size(); ++level) {
    const LevelLayout &from = surface.layout[level], &to = result.layout[level];
    for (std::uint32_t slice = 0; slice < to.slices; ++slice)
      for (std::uint32_t row = 0; row < to.element_rows; ++row)
        for (std::uint32_t column = 0; column < to.element_columns; ++column)
          copy_bytes(surface, offset_in_layout(surface, from, bytes, slice, column, row), result,
                     offset_in_layout(result, to, bytes, slice, column, row), bytes);
  }
  if (surface.info().compression == Compression::Planar420) {
    for (unsigned plane = 0; plane < 2; ++plane)
      for (std::uint32_t y = 0; y < result.layout[0].element_rows; y += 2)
        for (std::uint32_t x = 0; x < result.width; x += 2)
          copy_bytes(surface, chroma_offset(surface, surface.chroma[plane], x, y), result,
                     chroma_offset(result, result.chroma[plane], x, y), bytes);
  }
  return result;
}

}  // namespace heddle::image::hardware
