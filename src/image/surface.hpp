// SPDX-License-Identifier: MIT
#pragma once
// A surface: state as in RENDER_SURFACE_STATE (SUR-1 to SUR-10) together with the bytes of its
// texels.

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/limits.hpp"
#include "base/result.hpp"
#include "image/enumerations.hpp"
#include "image/format.hpp"
#include "image/memory.hpp"
#include "image/residency.hpp"

namespace heddle::image {

/// Where the elements of one (level, slice) start and how far apart they are, in bytes. Packed storage: rows follow
/// each other. For TileMode other than Linear the fields hold the hardware's layout and `element_offset` does the
/// swizzle.
struct LevelLayout {
  std::uint64_t offset = 0;                        ///< of slice 0
  std::uint64_t slice_pitch = 0;                   ///< bytes between slices (z for 3D)
  std::uint64_t row_pitch = 0;                     ///< bytes between rows of elements
  std::uint32_t width = 0, height = 0, depth = 1;  ///< texels of the level (SUR-1: max(1, size >> L))
  std::uint32_t element_columns = 0, element_rows = 0;
  std::uint32_t slices = 1;           ///< stored slices (3D: depth; multisampled: layers * cells * samples)
  std::uint64_t column = 0, row = 0;  ///< tiled: LODU in bytes and LODV in rows of elements (HW-30, HW-44)
};

/// One chroma component of a planar surface (HW-45): the sample (x >> 1, y >> 1) is at column + (x >> 1) * step, row +
/// (y >> 1) of a tiled surface, at offset + (y >> 1) * pitch + (x >> 1) * step of a linear one. Bytes.
struct ChromaPlane {
  std::uint64_t offset = 0, pitch = 0;
  std::uint64_t column = 0, row = 0;
  std::uint32_t step = 0;
};

struct Surface {
  // --- state; sizes are real sizes, not minus one ---
  SurfaceType type = SurfaceType::Dim2;
  Format format = Format::R8G8B8A8_UNORM;
  std::uint32_t width = 1, height = 1, depth = 1;  ///< of absolute level 0 (W0, H0; depth: D0 of 3D)
  std::uint64_t entries = 0;                       ///< Buffer, StrBuf, Scratch (RAW format: bytes)
  bool array = false;                              ///< Surface Array bit
  std::uint32_t view_layers = 1;                   ///< Depth field + 1 of arrays: reachable slices (cubes for Cube)
  std::uint32_t min_array_element = 0;
  std::uint32_t levels = 1;     ///< stored levels
  std::uint32_t mip_count = 0;  ///< MIP Count field: last level relative to surf_min_lod
  std::uint32_t surf_min_lod = 0;
  std::int32_t resource_min_lod = 0;  ///< U4.8
  std::uint32_t unread_levels = 0;    ///< of the view, from its first one: loads and plain gathers read none (LD-10)
  std::int32_t base_mip_level = 0;    ///< U4.1
  std::uint32_t samples = 1;          ///< 1, 2, 4, 8, 16
  std::uint32_t palette_index = 0;    ///< Multisample Position Palette Index field
  std::array<ChannelSelect, 4> swizzle{ChannelSelect::Red, ChannelSelect::Green, ChannelSelect::Blue,
                                       ChannelSelect::Alpha};
  std::uint32_t cube_faces = 63;                    ///< Cube Face Enables: bit 0 +Z, 1 -Z, 2 +Y, 3 -Y, 4 +X, 5 -X
  std::uint32_t quilt_width = 1, quilt_height = 1;  ///< cells (QW+1, QH+1)
  std::uint32_t rotation = 0;                       ///< degrees: 0, 90, 180, 270
  bool vertical_line_stride = false;
  std::uint32_t vertical_line_stride_offset = 0;
  std::uint32_t rt_level = 0;                  ///< MIP Count / LOD as a render target reads it: absolute level
  std::uint32_t rt_extent = 0;                 ///< Render Target View Extent field: last array index
  std::array<std::uint32_t, 4> clear_color{};  ///< words, not decoded (LD-6)
  bool corner_texel = false;
  std::uint32_t structure_size = 0;  ///< StrBuf / Buffer pitch in bytes; 0 = the element's size

  // --- texels ---
  std::uint32_t layers =
      1;  ///< stored 2D images: array elements * (6 for cubes); each has cells * samples slices. 3D: 1
  TileMode tile_mode = TileMode::Linear;
  std::shared_ptr<Memory> memory;       ///< may be shared by several surfaces (views, same_as); null: state only
  std::uint64_t base = 0;               ///< byte of `memory` where the surface starts
  std::vector<LevelLayout> layout;      ///< one for each stored level
  std::array<ChromaPlane, 2> chroma;    ///< planar formats: U, V
  std::uint64_t bytes = 0;              ///< that the layout needs, from `base`; set with `layout`
  std::uint64_t pitch = 0, qpitch = 0;  ///< tiled: bytes between rows, rows of elements between slices (HW-39, HW-40)
  bool interleaved_samples = false;     ///< MSFMT depth/stencil: the samples lie within the level (HW-31)
  std::shared_ptr<std::vector<std::vector<std::uint8_t>>> mcs;  ///< MCS elements per slice (LD-6); null = none
  // Null (sparse) texels: whole pages, and single texels for tests.
  std::uint32_t null_page_bytes = 4096;
  std::vector<std::uint64_t> null_pages;  ///< sorted page indices counted from `base`
  struct TexelIndex {
    std::uint32_t level, slice, x, y;
    auto operator<=>(const TexelIndex&) const = default;
  };
  std::vector<TexelIndex> null_texels;  ///< sorted
  /// Of a sparse image; null: all of it has memory. The memory of what has none holds zeros.
  std::shared_ptr<const Residency> residency;
  std::uint32_t residency_level = 0;  ///< which level of `residency` is level 0 of `layout`
  std::string name;                   ///< for messages

  [[nodiscard]] const FormatInfo& info() const { return *format_info(format); }
  [[nodiscard]] bool is_buffer() const {
    return type == SurfaceType::Buffer || type == SurfaceType::StrBuf || type == SurfaceType::Scratch;
  }
  [[nodiscard]] std::uint32_t array_length() const { return array ? view_layers : 1; }  ///< N_A of SUR-3
  [[nodiscard]] std::uint32_t level_width(std::uint32_t absolute_level) const;
  [[nodiscard]] std::uint32_t level_height(std::uint32_t absolute_level) const;
  [[nodiscard]] std::uint32_t level_depth(std::uint32_t absolute_level) const;
  /// Texels may be null whose memory is not known to hold zeros.
  [[nodiscard]] bool lists_nulls() const { return !null_pages.empty() || !null_texels.empty(); }
  /// Texels may be null: what is written to them must not arrive (RTW-21).
  [[nodiscard]] bool has_nulls() const { return lists_nulls() || residency != nullptr; }
  [[nodiscard]] std::uint32_t cells() const { return quilt_width * quilt_height; }
  [[nodiscard]] std::uint64_t size_bytes() const { return bytes; }       ///< of the packed or tiled layout
  [[nodiscard]] std::uint32_t stored_slices(std::uint32_t level) const;  ///< by the state; 3D: the level's depth
};

/// Checks the state against the formats' and types' rules. Ids: the rule's (SUR-8, SUR-9, HW-5, NUM-28 ...) or
/// surface-*.
[[nodiscard]] base::Result<base::Done> validate_state(const Surface& surface);

/// validate_state, then fills `layout`, `chroma` and `bytes` without memory (enough for resinfo, sampleinfo and lod).
/// Linear: packed storage, level after level, slice after slice, rows tight. Other tile modes:
/// hardware::lay_out_levels with default alignments. Sorts null pages and texels.
[[nodiscard]] base::Result<base::Done> lay_out(Surface& surface);

/// lay_out, then zero-filled memory. Ids: as validate_state, limit-surface.
[[nodiscard]] base::Result<base::Done> allocate(Surface& surface, const base::Limits& limits = {});

/// Bytes of an MCS element (LD-6): 1 for 2x and 4x, 4 for 8x, 8 for 16x, 0 for 1x.
[[nodiscard]] std::uint32_t mcs_element_bytes(std::uint32_t samples);

/// Byte offset in `memory` of the element that holds texel (x, y[, z]) of an absolute level, or nullopt when outside
/// the layout. `slice`: stored slice = (layer * cells + cell) * samples + sample; 3D: z. The offset counts `base` in;
/// it may lie beyond the memory.
[[nodiscard]] std::optional<std::uint64_t> element_offset(const Surface& surface, std::uint32_t level,
                                                          std::uint32_t slice, std::uint32_t x, std::uint32_t y);

struct Fetched {
  Texel texel;
  bool null_page = false;  ///< SUR-6: its bits read as 0
  bool outside = false;    ///< C22: bytes outside the memory that was supplied; zeros
};
/// TEX: fetches and decodes one texel of an absolute level. Coordinates must be inside the level.
[[nodiscard]] Fetched fetch(const Surface& surface, std::uint32_t level, std::uint32_t slice, std::uint32_t x,
                            std::uint32_t y, bool srgb_decode = true);
/// Encodes and stores one texel; false when dropped (null page, outside memory).
bool store(Surface& surface, std::uint32_t level, std::uint32_t slice, std::uint32_t x, std::uint32_t y,
           const Texel& value);
/// The bytes of an element for reading and writing in place; nullptr outside the layout or the memory, and on null
/// pages (then *null_page is set).
[[nodiscard]] std::uint8_t* element_bytes(const Surface& surface, std::uint32_t level, std::uint32_t slice,
                                          std::uint32_t x, std::uint32_t y, bool* null_page = nullptr);
[[nodiscard]] std::uint8_t* entry_bytes(const Surface& surface, std::uint64_t index, bool* null_page = nullptr);
/// HW-1, HW-30: byte offset in `memory` of a buffer's entry, `structure_size` bytes after its neighbor (RAW: one
/// byte); nullopt beyond `entries`.
[[nodiscard]] std::optional<std::uint64_t> entry_offset(const Surface& surface, std::uint64_t index);
/// Buffer element `index` (bounds checked by the caller against `entries`).
[[nodiscard]] Fetched fetch_entry(const Surface& surface, std::uint64_t index);
bool store_entry(Surface& surface, std::uint64_t index, const Texel& value);

/// The texels tightly packed: level after level, slice after slice, row after row of elements, whatever the tile mode
/// (".bin"). Planar: luma, then chroma pairs. Bytes outside the memory are 0.
[[nodiscard]] std::vector<std::uint8_t> packed_texels(const Surface& surface);
/// Elements of one slice, tightly packed, and their bytes.
[[nodiscard]] std::vector<std::uint8_t> packed_slice(const Surface& surface, std::uint32_t level, std::uint32_t slice);
[[nodiscard]] std::uint64_t slice_bytes(const Surface& surface, std::uint32_t level);

/// Fills levels 1.. from level 0 by a box filter in linear light (float-class formats; exact weights for odd sizes).
/// Id: surface-mips.
[[nodiscard]] base::Result<base::Done> generate_mips(Surface& surface);
/// The same surface (packed) with a full chain of levels, made from level 0. Ids: surface-mips, and those of allocate.
[[nodiscard]] base::Result<Surface> with_mip_chain(const Surface& surface, const base::Limits& limits = {});

}  // namespace heddle::image
