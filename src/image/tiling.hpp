// SPDX-License-Identifier: MIT
#pragma once
// Where a texel lies in memory: HW-30 to HW-46.

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/result.hpp"
#include "image/surface.hpp"

namespace heddle::image::hardware {

/// The arguments of HW-39. `u` is the byte within the row, `v` the row within the slice, `r` the slice.
struct TileAddress {
  TileMode mode = TileMode::Linear;
  std::uint32_t bytes_per_element = 4;
  std::uint64_t pitch = 0;  ///< bytes
  std::uint64_t u = 0, v = 0;
  std::uint32_t samples = 1, sample = 0;
  bool three_dimensional = false;  ///< Tile64's 3D layouts (HW-40)
  std::uint64_t r = 0;
  std::uint64_t qpitch = 0;  ///< rows between slices
};

/// HW-39, HW-40, HW-41: byte offset from the surface's base. Wraps around on sizes that no surface has, never traps.
[[nodiscard]] std::uint64_t tile_offset(const TileAddress& address);

/// Size of a tile: Cu, Cv and Cr of HW-39 as powers of two; bytes = 1 for Linear.
struct TileShape {
  std::uint32_t column_bits = 0, row_bits = 0, slice_bits = 0;
  std::uint32_t bytes = 1;
};
[[nodiscard]] TileShape tile_shape(TileMode mode, std::uint32_t bytes_per_element, std::uint32_t samples = 1,
                                   bool three_dimensional = false);

/// Whether elements of that size may be tiled so (W: 1 byte; HW-42: 3, 6 and 12 bytes).
[[nodiscard]] bool tileable(TileMode mode, std::uint32_t bytes_per_element);

/// What the state says beyond image::Surface; 0 = the least value that the tile mode allows.
struct LayoutState {
  std::uint32_t halign = 0, valign = 0;      ///< elements
  std::uint64_t pitch = 0;                   ///< bytes
  std::uint64_t qpitch = 0;                  ///< rows of elements (1D: elements)
  std::uint32_t x_offset = 0, y_offset = 0;  ///< elements
  std::uint32_t mip_tail_start = 15;         ///< HW-44; 15 = none
  /// HW-45, in luma texels and rows; absent: interleaved chroma under the luma rows.
  struct Chroma {
    bool separate = false, half_pitch = false;
    std::uint32_t uv_x = 0, uv_y = 0, v_x = 0, v_y = 0;
  };
  std::optional<Chroma> chroma;
};

/// The sizes of a level in texels, elements and slices, which no tile mode changes (SUR-1, SUR-9). Offset and pitches
/// are 0.
[[nodiscard]] LevelLayout level_sizes(const Surface& surface, std::uint32_t level);

/// Fills `layout`, `chroma`, `pitch`, `qpitch` and `bytes` of a surface by HW-30, HW-31, HW-40, HW-44, HW-45. The state
/// is taken as checked. Ids: HW-30, HW-39, HW-42, HW-44, surface-pitch.
[[nodiscard]] base::Result<base::Done> lay_out_levels(Surface& surface, const LayoutState& layout_state = {});

/// Offset from the surface's base of an element in a surface that `lay_out_levels` laid out. Coordinates count
/// elements.
[[nodiscard]] std::uint64_t offset_in_layout(const Surface& surface, const LevelLayout& at,
                                             std::uint32_t bytes_per_element, std::uint32_t slice, std::uint32_t column,
                                             std::uint32_t row);

/// Offset from the surface's base of the chroma sample of luma texel (x, y).
[[nodiscard]] std::uint64_t chroma_offset(const Surface& surface, const ChromaPlane& plane, std::uint32_t x,
                                          std::uint32_t y);

/// A surface of the same state in another tile mode (Linear: packed as "data" of requests) with all elements copied bit
/// for bit.
[[nodiscard]] base::Result<Surface> retile(const Surface& surface, TileMode mode, const LayoutState& layout_state = {},
                                           const base::Limits& limits = {});

[[nodiscard]] std::string_view tile_mode_name(
    TileMode mode);  ///< "linear", "x", "y", "w", "tile4", "tile64", "yf", "ys"
[[nodiscard]] std::optional<TileMode> find_tile_mode(std::string_view name);

}  // namespace heddle::image::hardware
