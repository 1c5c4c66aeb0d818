// SPDX-License-Identifier: MIT
// RENDER_SURFACE_STATE <-> Surface: HW-1 to HW-10.

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "image/hardware/state.hpp"

namespace heddle::image::hardware {
namespace {

constexpr std::uint32_t kAstcPage = 0x200;
constexpr Format kRaw{0x1FF};
constexpr std::array<std::string_view, 4> kChannelSelects{"scs_r", "scs_g", "scs_b", "scs_a"};
constexpr std::array<std::string_view, 4> kClearColors{"clear_color_r", "clear_color_g", "clear_color_b",
                                                       "clear_color_a"};

std::uint32_t field(const DecodedState& state, std::string_view name) {
  return static_cast<std::uint32_t>(state.get(name));
}

/// The tile mode by generation; nullopt for reserved codes.
std::optional<TileMode> decode_tile_mode(Generation generation, std::uint32_t code, std::uint32_t tiled_resource_mode) {
  if (code == 3 && generation != Generation::Gen12_5) {
    constexpr std::array<std::optional<TileMode>, 4> y_modes{TileMode::Y, TileMode::Yf, TileMode::Ys, std::nullopt};
    return y_modes[tiled_resource_mode & 3];
  }
  switch (code) {
    case 0:
      return TileMode::Linear;
    case 1:
      return generation == Generation::Gen12_5 ? std::optional(TileMode::Tile64)
             : generation == Generation::Gen12 ? std::nullopt
                                               : std::optional(TileMode::W);
    case 2:
      return TileMode::X;
    default:
      return TileMode::Tile4;
  }
}

struct TileCode {
  std::uint32_t mode = 0, resource = 0;
};
std::optional<TileCode> encode_tile_mode(Generation generation, TileMode mode) {
  const bool newest = generation == Generation::Gen12_5;
  switch (mode) {
    case TileMode::Linear:
      return TileCode{0, 0};
    case TileMode::X:
      return TileCode{2, 0};
    case TileMode::W:
      return generation == Generation::Gen9 || generation == Generation::Gen11 ? std::optional(TileCode{1, 0})
                                                                               : std::nullopt;
    case TileMode::Y:
      return newest ? std::nullopt : std::optional(TileCode{3, 0});
    case TileMode::Yf:
      return newest ? std::nullopt : std::optional(TileCode{3, 1});
    case TileMode::Ys:
      return newest ? std::nullopt : std::optional(TileCode{3, 2});
    case TileMode::Tile4:
      return newest ? std::optional(TileCode{3, 0}) : std::nullopt;
    case TileMode::Tile64:
      return newest ? std::optional(TileCode{1, 0}) : std::nullopt;
  }
  return std::nullopt;
}

/// Rows or elements of an alignment code: 1 -> 4, 2 -> 8, 3 -> 16; 0 is reserved and acts as 4.
std::uint32_t alignment(std::uint32_t code) { return code == 0 ? 4u : 2u << code; }

std::uint32_t horizontal_alignment(Generation generation, std::uint32_t code, std::uint32_t bytes) {
  return generation == Generation::Gen12_5 ? std::max(1u, (16u << code) / bytes) : alignment(code);
}

std::optional<std::uint32_t> alignment_code(std::uint32_t value) {
  if (value != 4 && value != 8 && value != 16) return std::nullopt;
  return static_cast<std::uint32_t>(std::countr_zero(value)) - 1;
}

bool swizzle_valid(std::uint32_t code) { return code != 2 && code != 3; }

void read_shape(const DecodedState& state, SurfaceUse use, DecodedSurface& result) {
  Surface& surface = result.surface;
  surface.width = field(state, "width") + 1;
  surface.height = surface.type == SurfaceType::Dim1 ? 1 : field(state, "height") + 1;
  const std::uint32_t depth = field(state, "depth") + 1;
  surface.min_array_element = field(state, "min_array_element");
  surface.rt_extent = field(state, "rt_view_extent");
  surface.array = state.get("surface_array") != 0;
  if (surface.type == SurfaceType::Dim3) {
    surface.depth = depth;
    surface.array = false;
  } else {
    surface.view_layers = depth;
    const std::uint32_t elements = surface.array ? depth : 1;
    const std::uint32_t reach = surface.type == SurfaceType::Cube ? elements * 6 : elements;
    surface.layers =
        surface.min_array_element + (use == SurfaceUse::Target ? std::max(reach, surface.rt_extent + 1) : reach);
    if (!surface.array && depth != 1)
      result.warnings.push_back(
          base::warning("HW-2", fmt::format("Depth is {} on a surface that is no array", depth - 1)));
  }
  surface.surf_min_lod = field(state, "surf_min_lod");
  const std::uint32_t mip = field(state, "mip_count");
  surface.rt_level = mip;
  if (use == SurfaceUse::Sampled) surface.mip_count = mip;
  surface.levels = std::min(15u, use == SurfaceUse::Sampled ? surface.surf_min_lod + mip + 1 : mip + 1);
  surface.samples = 1u << std::min(4u, field(state, "num_multisamples"));
  surface.interleaved_samples = state.get("msfmt") != 0 && surface.samples > 1;
  surface.quilt_width = field(state, "quilt_width") + 1;
  surface.quilt_height = field(state, "quilt_height") + 1;
}

void read_view(const DecodedState& state, Surface& surface) {
  surface.resource_min_lod = static_cast<std::int32_t>(field(state, "resource_min_lod"));
  surface.base_mip_level = static_cast<std::int32_t>(field(state, "base_mip_level"));
  surface.palette_index = field(state, "palette_index");
  for (unsigned c = 0; c < 4; ++c) surface.swizzle[c] = static_cast<ChannelSelect>(field(state, kChannelSelects[c]));
  surface.cube_faces = field(state, "cube_faces");
  surface.rotation = field(state, "rotation") * 90;
  surface.vertical_line_stride = state.get("vertical_line_stride") != 0;
  surface.vertical_line_stride_offset = surface.vertical_line_stride ? field(state, "vertical_line_stride_offset") : 0;
  surface.corner_texel = state.get("corner_texel") != 0;
  for (unsigned c = 0; c < 4; ++c) surface.clear_color[c] = field(state, kClearColors[c]);
}

void read_layout_state(const DecodedState& state, const FormatInfo& format, DecodedSurface& result) {
  LayoutState& layout_state = result.layout_state;
  layout_state.valign = alignment(field(state, "valign"));
  layout_state.halign = horizontal_alignment(state.generation, field(state, "halign"), format.bytes_per_element());
  layout_state.pitch = std::uint64_t{field(state, "pitch")} + 1;
  if (result.surface.tile_mode == TileMode::W) layout_state.pitch /= 2;  // the field is twice the pitch of the width
  layout_state.qpitch = std::uint64_t{field(state, "qpitch")} * 4;
  if (result.surface.tile_mode != TileMode::Linear) {
    layout_state.x_offset = field(state, "x_offset") * 4;
    layout_state.y_offset = field(state, "y_offset") * 4;
  }
  layout_state.mip_tail_start = 15;
  if (result.surface.tile_mode == TileMode::Tile64 || result.surface.tile_mode == TileMode::Ys ||
      result.surface.tile_mode == TileMode::Yf)
    layout_state.mip_tail_start = field(state, "mip_tail_start");
  if (format.compression == Compression::Planar420)
    layout_state.chroma = LayoutState::Chroma{state.get("separate_uv") != 0, state.get("half_pitch_chroma") != 0,
                                              field(state, "uv_x_offset"),   field(state, "uv_y_offset"),
                                              field(state, "v_x_offset"),    field(state, "v_y_offset")};
}

/// HW-8.
std::optional<base::Diagnostic> read_aux(const DecodedState& state, const FormatInfo& format, DecodedSurface& result) {
  if (format.compression == Compression::Planar420) return std::nullopt;
  const std::uint32_t mode = field(state, "aux_mode");
  if (result.surface.samples > 1) {
    result.has_mcs = mode == 1 || mode == 4 || mode == 5;
    return std::nullopt;
  }
  if (mode == 1 || mode == 3 || mode == 4 || mode == 5)
    return base::error(
        "HW-8",
        fmt::format("auxiliary surface mode {}: compressed data of a surface with one sample can't be read", mode));
  return std::nullopt;
}

// --- from_surface, part by part ---

void write_buffer(const Surface& surface, DecodedState& state) {
  const BufferSize size = split_entries(surface.entries);
  state.set("width", size.width);
  state.set("height", size.height);
  state.set("depth", size.depth);
  const std::uint32_t step = surface.structure_size != 0 && surface.format != kRaw ? surface.structure_size
                                                                                   : surface.info().bytes_per_element();
  state.set("pitch", step - 1);
}

base::Result<base::Done> write_tiling(const Surface& surface, const LayoutState& layout_state, DecodedState& state) {
  const auto tile = encode_tile_mode(state.generation, surface.tile_mode);
  if (!tile)
    return base::error("surface-tile",
                       fmt::format("{} tiling does not exist on this generation", tile_mode_name(surface.tile_mode)));
  state.set("tile_mode", tile->mode);
  if (tile->resource != 0) state.set("tiled_resource_mode", tile->resource);
  const std::uint32_t bytes = surface.info().bytes_per_element();
  const bool newest = state.generation == Generation::Gen12_5;
  const bool by_tile =
      surface.tile_mode == TileMode::Tile64 || surface.tile_mode == TileMode::Ys || surface.tile_mode == TileMode::Yf;
  std::optional<std::uint32_t> halign = alignment_code(layout_state.halign),
                               valign = alignment_code(layout_state.valign);
  if (newest) {
    halign.reset();
    for (std::uint32_t code = 0; code < 4; ++code)
      if (horizontal_alignment(state.generation, code, bytes) == layout_state.halign) halign = code;
  }
  if (by_tile) halign = halign.value_or(newest ? 0 : 1), valign = valign.value_or(1);
  if (!halign || !valign)
    return base::error("surface-align", fmt::format("alignment of {}x{} elements can't be expressed",
                                                    layout_state.halign, layout_state.valign));
  state.set("halign", *halign);
  state.set("valign", *valign);
  return base::Done{};
}

base::Result<base::Done> write_pitches(const Surface& surface, DecodedState& state) {
  const std::uint64_t pitch = surface.pitch * (surface.tile_mode == TileMode::W ? 2 : 1);
  if (surface.type != SurfaceType::Dim1) {
    if (pitch == 0 || pitch > (1u << 18))
      return base::error(
          "surface-pitch",
          fmt::format("pitch {} does not fit 18 bits: lay the surface out before its state is written", pitch));
    state.set("pitch", pitch - 1);
  }
  if (surface.qpitch % 4 != 0 || surface.qpitch / 4 >= (1u << 15))
    return base::error("surface-pitch", fmt::format("qpitch {} is no multiple of 4 in 15 bits", surface.qpitch));
  state.set("qpitch", surface.qpitch / 4);
  return base::Done{};
}

void write_sizes(const Surface& surface, SurfaceUse use, DecodedState& state) {
  state.set("width", surface.width - 1);
  state.set("height", surface.height - 1);
  state.set("depth", surface.type == SurfaceType::Dim3 ? surface.depth - 1
                     : surface.array                   ? surface.view_layers - 1
                                                       : 0);
  state.set("surface_array", surface.array);
  state.set("min_array_element", surface.min_array_element);
  state.set("rt_view_extent", surface.rt_extent);
  state.set("surf_min_lod", surface.surf_min_lod);
  state.set("mip_count", use == SurfaceUse::Target ? surface.rt_level : surface.mip_count);
  state.set("base_mip_level", static_cast<std::uint64_t>(surface.base_mip_level));
  state.set("num_multisamples", static_cast<std::uint64_t>(std::countr_zero(surface.samples)));
  state.set("msfmt", surface.interleaved_samples);
}

void write_view(const Surface& surface, DecodedState& state) {
  state.set("palette_index", surface.palette_index);
  state.set("cube_faces", surface.cube_faces);
  state.set("rotation", surface.rotation / 90);
  state.set("vertical_line_stride", surface.vertical_line_stride);
  state.set("vertical_line_stride_offset", surface.vertical_line_stride_offset);
  state.set("quilt_width", surface.quilt_width - 1);
  state.set("quilt_height", surface.quilt_height - 1);
  if (surface.mcs) state.set("aux_mode", 1);
  if (state.generation == Generation::Gen9 || state.generation == Generation::Gen11)
    for (unsigned c = 0; c < 4; ++c) state.set(kClearColors[c], surface.clear_color[c]);
}

void write_chroma(const Surface& surface, const LayoutState& layout_state, DecodedState& state) {
  if (surface.info().compression != Compression::Planar420) return;
  LayoutState::Chroma chroma;
  if (layout_state.chroma)
    chroma = *layout_state.chroma;
  else
    chroma.uv_y = static_cast<std::uint32_t>(
        surface.tile_mode == TileMode::Linear ? surface.chroma[0].offset / surface.pitch : surface.chroma[0].row);
  state.set("separate_uv", chroma.separate);
  state.set("uv_x_offset", chroma.uv_x);
  state.set("uv_y_offset", chroma.uv_y);
  if (chroma.half_pitch) state.set("half_pitch_chroma", 1);
  if (chroma.separate) state.set("v_x_offset", chroma.v_x), state.set("v_y_offset", chroma.v_y);
}

}  // namespace

BufferSize split_entries(std::uint64_t entries) {
  const std::uint64_t last = entries - 1;
  return {static_cast<std::uint32_t>(last & 0x7F), static_cast<std::uint32_t>(last >> 7 & 0x3FFF),
          static_cast<std::uint32_t>(last >> 21 & 0x7FF)};
}

std::uint64_t join_entries(BufferSize fields) {
  return (std::uint64_t{fields.width & 0x7F} | std::uint64_t{fields.height & 0x3FFF} << 7 |
          std::uint64_t{fields.depth & 0x7FF} << 21) +
         1;
}

base::Result<DecodedSurface> to_surface(const DecodedState& state, SurfaceUse use) {
  if (state.kind != StateKind::RenderSurfaceState)
    return base::error("state-field", "a surface is made of RENDER_SURFACE_STATE");
  DecodedSurface result;
  Surface& surface = result.surface;
  surface.type = static_cast<SurfaceType>(field(state, "surface_type") & 7);
  if (surface.type == SurfaceType::Null) return result;  // HW-4
  if (surface.type == SurfaceType::Scratch && state.generation != Generation::Gen12_5)
    return base::error("state-value", "surface type 6 (SCRATCH) exists from Gen12.5 on");
  if (state.has_reserved_bits())
    result.warnings.push_back(base::warning("HW-9", "RENDER_SURFACE_STATE has reserved bits set"));
  // The ASTC page is bit 27 of Gen9 to Gen12, i.e. the tenth bit of the field.
  surface.format = static_cast<Format>(field(state, "surface_format") & (kAstcPage | 0x1FF));
  const FormatInfo* format = format_info(surface.format);
  if (format == nullptr)
    return base::error("surface-format", fmt::format("{:#x} is no surface format", field(state, "surface_format")));
  result.base_address = state.get("base_address");
  result.clear_color_address = state.get("clear_color") << 6;
  for (const std::string_view select : kChannelSelects)
    if (!swizzle_valid(field(state, select)))
      return base::error("SUR-7", fmt::format("{} = {} is no channel select", select, field(state, select)));
  read_view(state, surface);
  if (surface.is_buffer()) {
    surface.entries = join_entries({field(state, "width"), field(state, "height"), field(state, "depth")});
    if (surface.format != kRaw) surface.structure_size = field(state, "pitch") + 1;
    auto laid = lay_out(surface);
    if (!laid.ok()) return laid.failure();
    return result;
  }
  if (field(state, "num_multisamples") > 4)
    return base::error("surface-samples",
                       fmt::format("Number of Multisamples {} is reserved", field(state, "num_multisamples")));
  const auto tile_mode =
      decode_tile_mode(state.generation, field(state, "tile_mode"), field(state, "tiled_resource_mode"));
  if (!tile_mode)
    return base::error("surface-tile",
                       fmt::format("tile mode {} is reserved on this generation", field(state, "tile_mode")));
  surface.tile_mode = *tile_mode;
  read_shape(state, use, result);
  read_layout_state(state, *format, result);
  if (auto refused = read_aux(state, *format, result)) return *refused;
  if (surface.tile_mode == TileMode::Tile64 || surface.tile_mode == TileMode::Ys)
    surface.null_page_bytes = 65536;  // C61
  auto checked = validate_state(surface);
  if (checked.ok()) checked = lay_out_levels(surface, result.layout_state);
  if (!checked.ok()) return checked.failure();
  return result;
}

LayoutState default_layout_state(const Surface& surface, Generation generation) {
  LayoutState layout_state;
  const std::uint32_t bytes = surface.info().bytes_per_element();
  layout_state.halign = generation == Generation::Gen12_5  ? std::max(1u, 128 / bytes)
                        : surface.tile_mode == TileMode::W ? 8
                                                           : 4;
  layout_state.valign = surface.tile_mode == TileMode::W ? 8 : 4;
  return layout_state;
}

base::Result<DecodedState> from_surface(const Surface& surface, Generation generation, const LayoutState& layout_state,
                                        std::uint64_t base_address, SurfaceUse use) {
  DecodedState state;
  state.kind = StateKind::RenderSurfaceState;
  state.generation = generation;
  state.set("surface_type", static_cast<std::uint64_t>(surface.type));
  if (surface.type == SurfaceType::Null) return state;
  auto checked = validate_state(surface);
  if (!checked.ok()) return checked.failure();
  if (static_cast<std::uint16_t>(surface.format) >= kFirstVulkanFormat)
    return base::error("surface-format", fmt::format("{} is no format of the hardware", surface.info().name));
  state.set("surface_format", static_cast<std::uint64_t>(surface.format));
  state.set("base_address", base_address);
  for (unsigned c = 0; c < 4; ++c) state.set(kChannelSelects[c], static_cast<std::uint64_t>(surface.swizzle[c]));
  state.set("resource_min_lod", static_cast<std::uint64_t>(surface.resource_min_lod));
  if (surface.is_buffer()) {
    write_buffer(surface, state);
    return state;
  }
  if (auto done = write_tiling(surface, layout_state, state); !done.ok()) return done.failure();
  if (auto done = write_pitches(surface, state); !done.ok()) return done.failure();
  write_sizes(surface, use, state);
  write_view(surface, state);
  state.set("x_offset", layout_state.x_offset / 4);
  state.set("y_offset", layout_state.y_offset / 4);
  state.set("mip_tail_start", layout_state.mip_tail_start);
  write_chroma(surface, layout_state, state);
  return state;
}

}  // namespace heddle::image::hardware
