// SPDX-License-Identifier: MIT
#include "image/surface.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "image/surface_limits.hpp"
#include "image/tiling.hpp"

namespace heddle::image {
namespace {

constexpr std::uint32_t kMaxLevels = 15;      // MIP Count 0..14
constexpr std::uint32_t kMaxLodField = 4095;  // U4.8
constexpr Format kRaw{0x1FF};

constexpr std::uint32_t divide_up(std::uint32_t value, std::uint32_t by) { return (value + by - 1) / by; }

class Check {
 public:
  explicit Check(const Surface& surface) : surface_(surface) {}

  void require(bool condition, std::string_view id, std::string message) {
    if (condition) return;
    const std::string_view name = surface_.name.empty() ? std::string_view("surface") : std::string_view(surface_.name);
    found_.push_back(base::error(std::string(id), fmt::format("{}: {}", name, message)));
  }
  base::Result<base::Done> result() {
    if (found_.empty()) return base::Done{};
    return base::Failure(std::move(found_));
  }

 private:
  const Surface& surface_;
  std::vector<base::Diagnostic> found_;
};

void check_buffer(Check& check, const Surface& surface, const FormatInfo& format) {
  const bool raw = surface.format == kRaw;
  // HW-1: the split entry count.
  check.require(
      surface.entries >= 1 && surface.entries <= (raw ? kMaxRawBytes : kMaxTypedEntries), "HW-1",
      fmt::format("{} entries: a buffer has 1 to {}", surface.entries, raw ? kMaxRawBytes : kMaxTypedEntries));
  check.require(format.compression == Compression::None, "surface-format",
                fmt::format("{} is a block format: a buffer has plain elements", format.name));
  check.require(surface.structure_size <= (1u << 18), "surface-pitch",
                fmt::format("structure size {} exceeds 262144 bytes", surface.structure_size));
}

void check_sizes(Check& check, const Surface& surface) {
  check.require(surface.width >= 1 && surface.width <= kMaxSurfaceSide && surface.height >= 1 &&
                    surface.height <= kMaxSurfaceSide,
                "surface-size",
                fmt::format("size {}x{}: each side is 1 to {}", surface.width, surface.height, kMaxSurfaceSide));
  check.require(surface.depth >= 1 && surface.depth <= kMaxSurfaceDepth, "surface-size",
                fmt::format("depth {}: 1 to {}", surface.depth, kMaxSurfaceDepth));
  check.require(surface.layers >= 1 && surface.layers <= kMaxSurfaceDepth * 6, "surface-size",
                fmt::format("{} layers: 1 to {}", surface.layers, kMaxSurfaceDepth * 6));
  check.require(surface.view_layers >= 1 && surface.view_layers <= kMaxSurfaceDepth, "surface-size",
                fmt::format("view of {} layers: 1 to {}", surface.view_layers, kMaxSurfaceDepth));
  check.require(surface.levels >= 1 && surface.levels <= kMaxLevels, "surface-levels",
                fmt::format("{} levels: 1 to {}", surface.levels, kMaxLevels));
  check.require(
      surface.mip_count < 16 && surface.surf_min_lod < 16, "surface-levels",
      fmt::format("MIP Count {} and Surface Min LOD {} are 4-bit fields", surface.mip_count, surface.surf_min_lod));
  check.require(surface.resource_min_lod >= 0 && static_cast<std::uint32_t>(surface.resource_min_lod) <= kMaxLodField,
                "NUM-70", fmt::format("Resource Min LOD {} is no U4.8 number", surface.resource_min_lod));
  check.require(surface.base_mip_level >= 0 && surface.base_mip_level < 32, "NUM-72",
                fmt::format("Base Mip Level {} is no U4.1 number", surface.base_mip_level));
  check.require(surface.min_array_element < kMaxSurfaceDepth, "surface-size",
                fmt::format("Minimum Array Element {} exceeds {}", surface.min_array_element, kMaxSurfaceDepth - 1));
}

void check_shape(Check& check, const Surface& surface, const FormatInfo& format) {
  const bool flat = surface.type == SurfaceType::Dim2;
  check.require(!surface.array || surface.type != SurfaceType::Dim3, "surface-array", "a 3d surface is not an array");
  check.require(surface.type != SurfaceType::Dim3 || surface.layers == 1, "surface-size", "a 3d surface has no layers");
  check.require(surface.type != SurfaceType::Cube || surface.width == surface.height, "HW-3",
                fmt::format("a cube's faces are square, not {}x{}", surface.width, surface.height));
  check.require(surface.cube_faces <= 63, "surface-cube-faces",
                fmt::format("cube face mask {} has more than 6 bits", surface.cube_faces));
  check.require(!surface.corner_texel, "SUR-8", "corner texel mode is not supported");
  check.require(!surface.vertical_line_stride || (flat && !surface.array), "SUR-9",
                "vertical line stride needs a 2d surface that is no array");
  check.require(surface.vertical_line_stride_offset <= 1, "SUR-9", "vertical line stride offset is 0 or 1");
  check.require(surface.rotation % 90 == 0 && surface.rotation < 360, "surface-rotation",
                fmt::format("rotation {}: 0, 90, 180 or 270 degrees", surface.rotation));
  check.require(std::has_single_bit(surface.samples) && surface.samples <= 16, "surface-samples",
                fmt::format("{} samples: 1, 2, 4, 8 or 16", surface.samples));
  check.require(surface.samples == 1 || (flat && surface.levels == 1 && surface.mip_count == 0), "HW-5",
                "a multisampled surface is 2d with one level");
  check.require(surface.palette_index < 8, "surface-palette",
                fmt::format("palette index {}: 0 to 7", surface.palette_index));
  const bool quilted = surface.quilt_width != 1 || surface.quilt_height != 1;
  check.require(std::has_single_bit(surface.quilt_width) && std::has_single_bit(surface.quilt_height) &&
                    surface.quilt_width <= 32 && surface.quilt_height <= 32,
                "HW-7",
                fmt::format("quilt of {}x{} cells: powers of two up to 32", surface.quilt_width, surface.quilt_height));
  check.require(!quilted || flat, "SUR-5", "a quilted surface is 2d");
  if (format.compression == Compression::Ycrcb422) {
    check.require(flat && !surface.array && surface.levels == 1 && surface.samples == 1 && !quilted, "HW-46",
                  fmt::format("{} needs a 2d surface with one level that is no array", format.name));
    check.require(surface.width % 2 == 0, "HW-46",
                  fmt::format("{} needs an even width, not {}", format.name, surface.width));
  }
  if (format.compression == Compression::Planar420)
    check.require(flat && !surface.array && surface.levels == 1 && surface.samples == 1 && !quilted, "HW-45",
                  fmt::format("{} needs a 2d surface with one level, no array, no quilt", format.name));
  check.require(format.compression == Compression::None || surface.samples == 1, "surface-samples",
                fmt::format("{} can't be multisampled", format.name));
}

void check_mcs(Check& check, const Surface& surface) {
  if (!surface.mcs) return;
  const std::uint64_t slice = std::uint64_t{surface.width} * surface.height * mcs_element_bytes(surface.samples);
  check.require(surface.samples > 1, "LD-6", "a surface with one sample has no MCS");
  for (const auto& bytes : *surface.mcs)
    check.require(bytes.size() == slice, "LD-6",
                  fmt::format("MCS of {} bytes: the size asks for {}", bytes.size(), slice));
}

/// Section 19 "data": level after level, slice after slice, rows tight.
void pack(Surface& surface, const FormatInfo& format) {
  const std::uint32_t bytes = format.bytes_per_element();
  std::uint64_t offset = 0;
  for (std::uint32_t level = 0; level < surface.levels; ++level) {
    LevelLayout at = hardware::level_sizes(surface, level);
    at.offset = offset;
    at.row_pitch = std::uint64_t{at.element_columns} * bytes;
    at.slice_pitch = at.row_pitch * at.element_rows;
    offset += at.slice_pitch * at.slices;
    surface.layout.push_back(at);
  }
  if (format.compression == Compression::Planar420) {  // HW-45: Y, then U and V side by side
    const std::uint32_t columns = divide_up(surface.width, 2), rows = divide_up(surface.height, 2);
    for (unsigned plane = 0; plane < 2; ++plane) {
      ChromaPlane& at = surface.chroma[plane];
      at.offset = offset + plane * bytes;
      at.step = bytes * 2;
      at.pitch = std::uint64_t{columns} * at.step;
    }
    offset += surface.chroma[0].pitch * (surface.vertical_line_stride ? divide_up(surface.height * 2, 2) : rows);
  }
  surface.bytes = offset;
}

}  // namespace

// SUR-1
std::uint32_t Surface::level_width(std::uint32_t absolute_level) const {
  return absolute_level < 32 ? std::max(1u, width >> absolute_level) : 1u;
}
std::uint32_t Surface::level_height(std::uint32_t absolute_level) const {
  return absolute_level < 32 && type != SurfaceType::Dim1 ? std::max(1u, height >> absolute_level) : 1u;
}
std::uint32_t Surface::level_depth(std::uint32_t absolute_level) const {
  return absolute_level < 32 && type == SurfaceType::Dim3 ? std::max(1u, depth >> absolute_level) : 1u;
}

std::uint32_t Surface::stored_slices(std::uint32_t level) const {
  return type == SurfaceType::Dim3 ? level_depth(level) : layers * cells() * samples;
}

std::uint32_t mcs_element_bytes(std::uint32_t samples) {
  switch (samples) {
    case 2:
    case 4:
      return 1;
    case 8:
      return 4;
    case 16:
      return 8;
    default:
      return 0;
  }
}

base::Result<base::Done> validate_state(const Surface& surface) {
  Check check(surface);
  if (surface.type == SurfaceType::Null) return check.result();  // HW-4
  const FormatInfo* format = format_info(surface.format);
  check.require(format != nullptr, "surface-format",
                fmt::format("{:#x} is no surface format", static_cast<unsigned>(surface.format)));
  if (format == nullptr) return check.result();
  const bool raw_buffer = surface.is_buffer() && surface.format == kRaw;
  check.require(raw_buffer || decodable(*format) || format->compression == Compression::Planar420, "NUM-28",
                fmt::format("texels of {} can't be read", format->name));
  if (surface.is_buffer()) {
    check_buffer(check, surface, *format);
    return check.result();
  }
  check_sizes(check, surface);
  check_shape(check, surface, *format);
  check_mcs(check, surface);
  check.require(std::has_single_bit(surface.null_page_bytes), "surface-null-page",
                fmt::format("null pages of {} bytes: a power of two", surface.null_page_bytes));
  return check.result();
}

base::Result<base::Done> lay_out(Surface& surface) {
  auto checked = validate_state(surface);
  if (!checked.ok()) return checked;
  surface.layout.clear();
  surface.chroma = {};
  surface.bytes = 0;
  std::ranges::sort(surface.null_pages);
  std::ranges::sort(surface.null_texels);
  if (surface.type == SurfaceType::Null) return base::Done{};
  const FormatInfo& format = surface.info();
  if (surface.is_buffer()) {
    const std::uint32_t step =
        surface.structure_size != 0 && surface.format != kRaw ? surface.structure_size : format.bytes_per_element();
    // The last entry need not fill its structure.
    surface.bytes = (surface.entries - 1) * step + format.bytes_per_element();
    return base::Done{};
  }
  if (surface.tile_mode != TileMode::Linear || surface.interleaved_samples) return hardware::lay_out_levels(surface);
  pack(surface, format);
  return base::Done{};
}

base::Result<base::Done> allocate(Surface& surface, const base::Limits& limits) {
  auto laid = lay_out(surface);
  if (!laid.ok()) return laid;
  surface.base = 0;
  surface.memory.reset();
  if (surface.type == SurfaceType::Null) return base::Done{};
  if (surface.bytes > limits.surface_bytes)
    return base::limit_error(
        "limit-surface",
        fmt::format("{}: needs {} bytes, more than the limit of {} (--max-surface)",
                    surface.name.empty() ? "surface" : surface.name, surface.bytes, limits.surface_bytes));
  surface.memory = std::make_shared<Memory>(static_cast<std::size_t>(surface.bytes));
  return base::Done{};
}

}  // namespace heddle::image
