// SPDX-License-Identifier: MIT
#include "image/hardware/fields.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace heddle::image::hardware {
namespace {

/// DWn[high:low] as the documents print it.
constexpr BitRange dw(unsigned dword, unsigned high, unsigned low) {
  return {static_cast<std::uint16_t>(dword * 32 + low), static_cast<std::uint8_t>(high - low + 1)};
}
constexpr BitRange kNone{};
constexpr Field same(std::string_view name, BitRange at) { return {name, {at, at, at, at}}; }
constexpr Field bit(std::string_view name, unsigned dword, unsigned index) {
  return same(name, dw(dword, index, index));
}
constexpr Field from11(std::string_view name, BitRange at) { return {name, {kNone, at, at, at}}; }
constexpr Field from12(std::string_view name, BitRange at) { return {name, {kNone, kNone, at, at}}; }
constexpr Field until11(std::string_view name, BitRange at) { return {name, {at, at, kNone, kNone}}; }

// HW-10
constexpr std::array kRenderSurfaceState{
    same("surface_type", dw(0, 31, 29)),
    bit("surface_array", 0, 28),
    Field{"surface_format", {dw(0, 27, 18), dw(0, 27, 18), dw(0, 27, 18), dw(0, 26, 18)}},
    same("valign", dw(0, 17, 16)),
    same("halign", dw(0, 15, 14)),
    same("tile_mode", dw(0, 13, 12)),
    bit("vertical_line_stride", 0, 11),
    bit("vertical_line_stride_offset", 0, 10),
    same("media_boundary_mode", dw(0, 7, 6)),
    same("cube_faces", dw(0, 5, 0)),
    same("base_mip_level", dw(1, 23, 19)),
    from12("corner_texel", dw(1, 18, 18)),
    same("qpitch", dw(1, 14, 0)),
    same("height", dw(2, 29, 16)),
    same("width", dw(2, 13, 0)),
    same("depth", dw(3, 31, 21)),
    same("pitch", dw(3, 17, 0)),
    Field{"tiled_resource_mode", {dw(5, 19, 18), dw(5, 19, 18), dw(5, 19, 18), kNone}},
    same("rotation", dw(4, 30, 29)),
    same("min_array_element", dw(4, 28, 18)),
    same("rt_view_extent", dw(4, 17, 7)),
    bit("msfmt", 4, 6),
    same("num_multisamples", dw(4, 5, 3)),
    same("palette_index", dw(4, 2, 0)),
    same("x_offset", dw(5, 31, 25)),
    same("y_offset", dw(5, 23, 21)),
    same("mip_tail_start", dw(5, 11, 8)),
    same("surf_min_lod", dw(5, 7, 4)),
    same("mip_count", dw(5, 3, 0)),
    same("aux_mode", dw(6, 2, 0)),  // overlaps uv_y_offset: which one counts, the format says
    same("uv_y_offset", dw(6, 13, 0)),
    same("uv_x_offset", dw(6, 29, 16)),
    from12("half_pitch_chroma", dw(6, 30, 30)),
    bit("separate_uv", 6, 31),
    until11("v_y_offset", dw(11, 13, 0)),
    until11("v_x_offset", dw(11, 29, 16)),
    same("resource_min_lod", dw(7, 11, 0)),
    same("scs_r", dw(7, 27, 25)),
    same("scs_g", dw(7, 24, 22)),
    same("scs_b", dw(7, 21, 19)),
    same("scs_a", dw(7, 18, 16)),
    same("base_address", {8 * 32, 64}),
    same("quilt_width", dw(10, 4, 0)),  // HW-7: on all four generations
    same("quilt_height", dw(10, 9, 5)),
    // The clear color is four words up to Gen11, an address from Gen12 on.
    until11("clear_color_r", dw(12, 31, 0)),
    until11("clear_color_g", dw(13, 31, 0)),
    until11("clear_color_b", dw(14, 31, 0)),
    until11("clear_color_a", dw(15, 31, 0)),
    from12("clear_color", {12 * 32 + 6, 42}),
};

// HW-11
constexpr std::array kSamplerState{
    bit("disable", 0, 31),
    from11("cps_lod_comp", dw(0, 30, 30)),
    bit("border_mode", 0, 29),
    same("preclamp", dw(0, 28, 27)),
    same("mip_filter", dw(0, 21, 20)),
    same("mag_filter", dw(0, 19, 17)),
    same("min_filter", dw(0, 16, 14)),
    same("lod_bias", dw(0, 13, 1)),
    bit("lod_algorithm", 0, 0),
    same("min_lod", dw(1, 31, 20)),
    same("max_lod", dw(1, 19, 8)),
    bit("chromakey_enable", 1, 7),
    same("chromakey_index", dw(1, 6, 5)),
    bit("chromakey_mode", 1, 4),
    same("shadow_function", dw(1, 3, 1)),
    bit("cube_override", 1, 0),
    Field{"border_pointer", {dw(2, 23, 6), dw(2, 23, 6), dw(2, 31, 6), dw(2, 31, 6)}},
    from11("force_gather4", dw(2, 5, 5)),
    from11("return_weight_border", dw(2, 3, 3)),
    from11("return_weight_null", dw(2, 2, 2)),
    from11("srgb_decode", dw(2, 1, 1)),
    bit("lod_clamp_mag", 2, 0),
    same("reduction_type", dw(3, 23, 22)),
    same("max_anisotropy", dw(3, 21, 19)),
    bit("round_u_mag", 3, 18),
    bit("round_u_min", 3, 17),
    bit("round_v_mag", 3, 16),
    bit("round_v_min", 3, 15),
    bit("round_r_mag", 3, 14),
    bit("round_r_min", 3, 13),
    same("trilinear_quality", dw(3, 12, 11)),
    bit("non_normalized", 3, 10),
    bit("reduction_enable", 3, 9),
    same("tcx", dw(3, 8, 6)),
    same("tcy", dw(3, 5, 3)),
    same("tcz", dw(3, 2, 0)),
};

// HW-12, DX10/OGL; the DX9 form is the four bytes of `red`.
constexpr std::array kSamplerBorderColor{
    same("red", dw(0, 31, 0)),
    same("green", dw(1, 31, 0)),
    same("blue", dw(2, 31, 0)),
    same("alpha", dw(3, 31, 0)),
};

// HW-13
constexpr std::array kBlendStateHeader{
    bit("alpha_to_coverage", 0, 31),
    bit("independent_alpha", 0, 30),
    bit("alpha_to_one", 0, 29),
    bit("alpha_to_coverage_dither", 0, 28),
    bit("alpha_test", 0, 27),
    same("alpha_func", dw(0, 26, 24)),
    bit("dither", 0, 23),
    same("dither_x", dw(0, 22, 21)),
    same("dither_y", dw(0, 20, 19)),
};
constexpr std::array kBlendStateEntry{
    bit("enable", 0, 31),
    same("src_color", dw(0, 30, 26)),
    same("dst_color", dw(0, 25, 21)),
    same("color_func", dw(0, 20, 18)),
    same("src_alpha", dw(0, 17, 13)),
    same("dst_alpha", dw(0, 12, 8)),
    same("alpha_blend_func", dw(0, 7, 5)),
    bit("write_disable_a", 0, 3),
    bit("write_disable_r", 0, 2),
    bit("write_disable_g", 0, 1),
    bit("write_disable_b", 0, 0),
    bit("logic_op_enable", 1, 31),
    same("logic_op", dw(1, 30, 27)),
    bit("pre_blend_src_only_clamp", 1, 4),
    same("clamp_range", dw(1, 3, 2)),
    bit("pre_blend_clamp", 1, 1),
    bit("post_blend_clamp", 1, 0),
};

constexpr std::array kColorCalcState{
    bit("alpha_format", 0, 0),        same("alpha_ref", dw(1, 31, 0)),  same("constant_r", dw(2, 31, 0)),
    same("constant_g", dw(3, 31, 0)), same("constant_b", dw(4, 31, 0)), same("constant_a", dw(5, 31, 0)),
};

// HW-14
constexpr std::array kWmDepthStencil{
    bit("depth_write", 1, 0),
    bit("depth_test", 1, 1),
    bit("stencil_write", 1, 2),
    bit("stencil_test", 1, 3),
    bit("double_sided", 1, 4),
    same("depth_func", dw(1, 7, 5)),
    same("stencil_func", dw(1, 10, 8)),
    same("back_pass_op", dw(1, 13, 11)),
    same("back_zfail_op", dw(1, 16, 14)),
    same("back_fail_op", dw(1, 19, 17)),
    same("back_func", dw(1, 22, 20)),
    same("pass_op", dw(1, 25, 23)),
    same("zfail_op", dw(1, 28, 26)),
    same("fail_op", dw(1, 31, 29)),
    same("back_write_mask", dw(2, 7, 0)),
    same("back_test_mask", dw(2, 15, 8)),
    same("write_mask", dw(2, 23, 16)),
    same("test_mask", dw(2, 31, 24)),
    same("back_ref", dw(3, 7, 0)),
    same("ref", dw(3, 15, 8)),
};

constexpr std::array kCcViewport{same("min_depth", dw(0, 31, 0)), same("max_depth", dw(1, 31, 0))};

struct Structure {
  std::string_view name;
  unsigned dwords;
  std::span<const Field> fields;
};

constexpr std::array<Structure, kStateKinds> kStructures{{
    {"RENDER_SURFACE_STATE", 16, kRenderSurfaceState},
    {"SAMPLER_STATE", 4, kSamplerState},
    {"SAMPLER_BORDER_COLOR_STATE", 4, kSamplerBorderColor},
    {"BLEND_STATE", 1, kBlendStateHeader},
    {"BLEND_STATE_ENTRY", 2, kBlendStateEntry},
    {"COLOR_CALC_STATE", 6, kColorCalcState},
    {"3DSTATE_WM_DEPTH_STENCIL", 4, kWmDepthStencil},
    {"CC_VIEWPORT", 2, kCcViewport},
}};

const Structure& structure(StateKind kind) { return kStructures[static_cast<unsigned>(kind) % kStateKinds]; }

/// HW-6, HW-20: bits that have no functional effect here, for each generation alike.
constexpr std::array kIgnoredSurface{dw(1, 30, 24),  dw(0, 9, 8),   dw(1, 15, 15), dw(1, 17, 17),
                                     dw(1, 31, 31),  dw(2, 31, 31), dw(3, 19, 18), dw(4, 31, 31),
                                     dw(5, 14, 14),  dw(5, 18, 16), dw(5, 20, 20), dw(6, 30, 3),
                                     dw(10, 31, 10), dw(11, 31, 0), dw(7, 31, 30), dw(12, 4, 0)};
constexpr std::array kIgnoredSampler{dw(0, 26, 22), dw(3, 24, 24), dw(3, 26, 26)};

}  // namespace

BitRange Field::at(Generation generation) const {
  const auto index = static_cast<unsigned>(generation);
  return index < bits.size() ? bits[index] : BitRange{};
}

std::string_view state_name(StateKind kind) { return structure(kind).name; }

std::optional<StateKind> find_state(std::string_view name) {
  for (unsigned i = 0; i < kStateKinds; ++i)
    if (kStructures[i].name == name) return static_cast<StateKind>(i);
  return std::nullopt;
}

unsigned dword_count(StateKind kind) { return structure(kind).dwords; }
std::span<const Field> state_fields(StateKind kind) { return structure(kind).fields; }

const Field* find_field(StateKind kind, std::string_view name) {
  const auto fields = state_fields(kind);
  const auto found = std::ranges::find(fields, name, &Field::name);
  return found != fields.end() ? &*found : nullptr;
}

std::optional<Generation> find_state_generation(std::string_view name) {
  if (name == "9") return Generation::Gen9;
  if (name == "11") return Generation::Gen11;
  if (name == "12") return Generation::Gen12;
  if (name == "12.5") return Generation::Gen12_5;
  return std::nullopt;
}

std::uint64_t read_bits(std::span<const std::uint32_t> words, BitRange range) {
  std::uint64_t value = 0;
  for (unsigned i = 0; i < range.count; ++i) {
    const unsigned at = range.start + i;
    if (at / 32 < words.size()) value |= std::uint64_t{words[at / 32] >> (at % 32) & 1} << i;
  }
  return value;
}

void write_bits(std::span<std::uint32_t> words, BitRange range, std::uint64_t value) {
  for (unsigned i = 0; i < range.count; ++i) {
    const unsigned at = range.start + i;
    if (at / 32 >= words.size()) continue;
    const std::uint32_t mask = 1u << (at % 32);
    if ((value >> i & 1) != 0)
      words[at / 32] |= mask;
    else
      words[at / 32] &= ~mask;
  }
}

std::uint64_t DecodedState::get(std::string_view name) const {
  const auto found = std::ranges::find(fields, name, &std::pair<std::string_view, std::uint64_t>::first);
  return found != fields.end() ? found->second : 0;
}

void DecodedState::set(std::string_view name, std::uint64_t value) {
  const auto found = std::ranges::find(fields, name, &std::pair<std::string_view, std::uint64_t>::first);
  if (found != fields.end()) {
    found->second = value;
    return;
  }
  const Field* field = find_field(kind, name);
  fields.emplace_back(field != nullptr ? field->name : name, value);
}

bool DecodedState::has_reserved_bits() const {
  std::vector<std::uint32_t> words = reserved;
  if (kind == StateKind::RenderSurfaceState)
    for (const BitRange& range : kIgnoredSurface) write_bits(words, range, 0);
  if (kind == StateKind::SamplerState)
    for (const BitRange& range : kIgnoredSampler) write_bits(words, range, 0);
  if (kind == StateKind::WmDepthStencil && !words.empty()) words[0] = 0;  // the command header
  return std::ranges::any_of(words, [](std::uint32_t word) { return word != 0; });
}

base::Result<DecodedState> decode_state(StateKind kind, Generation generation, std::span<const std::uint32_t> words) {
  if (words.size() != dword_count(kind))
    return base::error("state-size",
                       fmt::format("{} has {} dwords, not {}", state_name(kind), dword_count(kind), words.size()));
  DecodedState state;
  state.kind = kind;
  state.generation = generation;
  state.reserved.assign(words.begin(), words.end());
  for (const Field& field : state_fields(kind)) {
    const BitRange range = field.at(generation);
    if (range.count == 0) continue;
    state.fields.emplace_back(field.name, read_bits(words, range));
    write_bits(state.reserved, range, 0);
  }
  return state;
}

base::Result<std::vector<std::uint32_t>> encode_state(const DecodedState& state) {
  std::vector<std::uint32_t> words(dword_count(state.kind));
  for (std::size_t i = 0; i < words.size() && i < state.reserved.size(); ++i) words[i] = state.reserved[i];
  std::vector<base::Diagnostic> problems;
  for (const auto& [name, value] : state.fields) {
    const Field* field = find_field(state.kind, name);
    const BitRange range = field != nullptr ? field->at(state.generation) : BitRange{};
    if (field == nullptr) {
      std::vector<std::string_view> names;
      for (const Field& candidate : state_fields(state.kind)) names.push_back(candidate.name);
      const std::string_view meant = base::nearest(name, names);
      auto problem = base::error("state-field", fmt::format("{} has no field '{}'", state_name(state.kind), name));
      if (!meant.empty()) problem.note(fmt::format("did you mean '{}'?", meant));
      problems.push_back(std::move(problem));
    } else if (range.count == 0 && value != 0) {
      problems.push_back(base::error(
          "state-field", fmt::format("field '{}' of {} is not of this generation", name, state_name(state.kind))));
    } else if (range.count < 64 && value >> range.count != 0 && range.count != 0) {
      problems.push_back(
          base::error("state-value", fmt::format("{} does not fit the {} bits of '{}'", value, range.count, name)));
    } else if (range.count != 0) {
      // Fields that share bits (aux_mode with uv_y_offset) are joined.
      write_bits(words, range, read_bits(words, range) | value);
    }
  }
  if (!problems.empty()) return base::Failure(std::move(problems));
  return words;
}

}  // namespace heddle::image::hardware
