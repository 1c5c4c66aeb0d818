// SPDX-License-Identifier: MIT
#include "image/objects/object.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "base/half.hpp"
#include "image/hardware/state.hpp"
#include "image/names.hpp"

namespace heddle::image {
namespace {

using base::Node;
using base::TableReader;

constexpr std::int64_t kMaxSize = std::int64_t{1} << 30;

std::optional<std::uint32_t> size_member(TableReader& reader, std::string_view key, std::int64_t low = 1,
                                         std::int64_t high = kMaxSize) {
  const auto value = reader.integer(key, low, high);
  return value ? std::optional(static_cast<std::uint32_t>(*value)) : std::nullopt;
}

/// A number as fixed point with `fraction` bits, nearest even, clamped (NUM-73).
std::optional<std::int32_t> fixed_member(TableReader& reader, std::string_view key, int fraction, double low,
                                         double high) {
  const auto value = reader.number(key);
  if (!value) return std::nullopt;
  const double clamped = *value != *value ? 0 : std::clamp(*value, low, high);
  return static_cast<std::int32_t>(std::nearbyint(std::ldexp(clamped, fraction)));
}

template <std::size_t N, typename Convert>
std::optional<std::array<std::uint32_t, N>> words_of(const Node& array, Convert convert) {
  if (array.items.size() != N) return std::nullopt;
  std::array<std::uint32_t, N> result{};
  for (std::size_t i = 0; i < N; ++i) {
    const auto word = convert(array.items[i]);
    if (!word) return std::nullopt;
    result[i] = *word;
  }
  return result;
}

void read_null_texels(TableReader& reader, SurfaceMembers& members) {
  const Node* list = reader.array("null_texels");
  if (list == nullptr) return;
  for (const Node& item : list->items) {
    const auto words = item.kind == Node::Kind::Array ? words_of<4>(item, integer_word) : std::nullopt;
    if (!words) return reader.wrong_value("null_texels", item, "an entry must be [level, slice, x, y]");
    members.null_texels.push_back({(*words)[0], (*words)[1], (*words)[2], (*words)[3]});
  }
  std::sort(members.null_texels.begin(), members.null_texels.end());
}

void read_mcs(TableReader& reader, SurfaceMembers& members) {
  const Node* list = reader.array("mcs");
  if (list == nullptr) return;
  for (const Node& item : list->items) {
    const auto bytes = item.kind == Node::Kind::Text ? base::parse_bytes(item.text) : std::nullopt;
    if (!bytes) return reader.wrong_value("mcs", item, "a slice must be a text of hexadecimal bytes");
    members.mcs.push_back(*bytes);
  }
}

/// The members `state` (dwords) and `gen` of an object: decoded; nullopt where absent, and after a report.
std::optional<hardware::DecodedState> state_member(TableReader& reader, hardware::StateKind kind) {
  const Node* list = reader.array("state");
  const auto generation = reader.word("gen", hardware::find_state_generation, {"9", "11", "12", "12.5"});
  if (list == nullptr) {
    if (reader.has("gen") && !reader.has("state"))
      reader.wrong_value("gen", *reader.any("gen"), "it belongs to 'state', which is not given");
    return std::nullopt;
  }
  if (!reader.has("gen")) reader.wrong_value("state", *list, "'gen' must say the generation: 9, 11, 12 or 12.5");
  std::vector<std::uint32_t> words;
  for (const Node& item : list->items) {
    const auto word = integer_word(item);
    if (!word) return reader.wrong_type("state", item, "a number or \"0x...\""), std::nullopt;
    words.push_back(*word);
  }
  if (!generation) return std::nullopt;
  auto decoded = hardware::decode_state(kind, *generation, words);
  if (decoded.ok()) return std::move(*decoded);
  for (const base::Diagnostic& d : decoded.diagnostics()) reader.wrong_value("state", *list, d.message);
  return std::nullopt;
}

/// RENDER_SURFACE_STATE as a surface in packed storage: where its texels lie in memory is no matter here.
void read_surface_state(TableReader& reader, SurfaceMembers& members) {
  const auto state = state_member(reader, hardware::StateKind::RenderSurfaceState);
  if (!state) return;
  auto decoded = hardware::to_surface(*state);
  if (!decoded.ok()) {
    for (const base::Diagnostic& d : decoded.diagnostics())
      reader.wrong_value("state", *reader.any("state"), fmt::format("{} [{}]", d.message, d.id));
    return;
  }
  auto surface = std::make_shared<Surface>(std::move(decoded->surface));
  surface->tile_mode = TileMode::Linear;
  surface->layout.clear();
  surface->chroma = {};
  surface->bytes = surface->pitch = surface->qpitch = 0;
  surface->interleaved_samples = false;
  members.state = std::move(surface);
}

// --- the members of a sampler object, group by group ---

void read_sampler_state(TableReader& reader, SamplerMembers& result) {
  const auto state = state_member(reader, hardware::StateKind::SamplerState);
  if (!state) return;
  auto decoded = hardware::to_sampler(*state);
  if (!decoded.ok()) {
    for (const base::Diagnostic& d : decoded.diagnostics())
      reader.wrong_value("state", *reader.any("state"), fmt::format("{} [{}]", d.message, d.id));
    return;
  }
  result.sampler = decoded->sampler;
  result.seamless_cube = decoded->sampler.cube_override;
}

void read_filters(TableReader& reader, Sampler& s) {
  if (const auto filter = reader.word("filter", find_filter, filter_words())) s.min_filter = s.mag_filter = *filter;
  if (const auto filter = reader.word("min", find_filter, filter_words())) s.min_filter = *filter;
  if (const auto filter = reader.word("mag", find_filter, filter_words())) s.mag_filter = *filter;
  if (const auto mip = reader.word("mip", find_mip_filter, mip_filter_words())) s.mip_filter = *mip;
}

/// One mode for all axes, or an array with one for each.
void read_address(TableReader& reader, Sampler& s) {
  const Node* address = reader.any("address");
  if (address == nullptr) return;
  if (address->kind != Node::Kind::Array) {
    if (const auto mode = reader.word("address", find_address_mode, address_mode_words()))
      s.tcx = s.tcy = s.tcz = *mode;
    return;
  }
  std::array<AddressMode*, 3> axes{&s.tcx, &s.tcy, &s.tcz};
  if (address->items.size() > 3) reader.wrong_value("address", *address, "there are at most three axes");
  for (std::size_t i = 0; i < std::min<std::size_t>(3, address->items.size()); ++i) {
    const Node& item = address->items[i];
    const auto mode = item.kind == Node::Kind::Text ? find_address_mode(item.text) : std::nullopt;
    if (mode)
      *axes[i] = *mode;
    else
      reader.wrong_value("address", item, fmt::format("unknown address mode '{}'", item.text),
                         fmt::format("one of: {}", fmt::join(address_mode_words(), " ")));
  }
}

void read_seamless_cube(TableReader& reader, SamplerMembers& result) {
  const auto override_field = reader.boolean("cube_override");
  if (override_field) result.seamless_cube = override_field;
  if (const auto seamless = reader.boolean("seamless_cube")) {
    if (override_field)
      reader.wrong_value("seamless_cube", *reader.any("seamless_cube"),
                         "'cube_override' is given as well; it is the same field (CUB-4)");
    result.seamless_cube = seamless;
  }
  result.sampler.cube_override = result.seamless_cube.value_or(false);
}

/// A word, or four numbers.
void read_border(TableReader& reader, SamplerMembers& result) {
  Sampler& s = result.sampler;
  if (const auto mode = reader.word("border_mode", find_border_mode, border_mode_words())) s.border_mode = *mode;
  const Node* border = reader.any("border");
  if (border == nullptr) return;
  if (border->kind == Node::Kind::Text) {
    if (const auto words = reader.word("border", find_border_color, border_color_words())) {
      s.border = *words;
      result.integer_border = *words;
    }
    return;
  }
  const auto floats = border->kind == Node::Kind::Array ? words_of<4>(*border, float_word) : std::nullopt;
  if (!floats) return reader.wrong_value("border", *border, "four numbers are expected");
  s.border = *floats;
  result.integer_border = words_of<4>(*border, integer_word);
  if (s.border_mode == BorderMode::Dx9)  // NUM-50: rne(clamp(x) * 255), the product in binary32
    for (std::uint32_t& word : s.border) {
      const float x = base::float_from_bits(word);
      word = static_cast<std::uint32_t>(std::nearbyint((x > 0 ? std::min(x, 1.0f) : 0.0f) * 255.0f));
    }
}

void read_level_of_detail(TableReader& reader, Sampler& s) {
  if (const auto bias = fixed_member(reader, "lod_bias", 8, -16, 4095.0 / 256)) s.lod_bias = *bias;
  if (const auto lod = fixed_member(reader, "min_lod", 8, 0, 4095.0 / 256)) s.min_lod = *lod;
  if (const auto lod = fixed_member(reader, "max_lod", 8, 0, 4095.0 / 256)) s.max_lod = *lod;
  if (const auto preclamp = reader.word("preclamp", find_preclamp, preclamp_words())) s.preclamp = *preclamp;
  if (const auto mode = reader.word("lod_clamp_mag", find_lod_clamp_mag, lod_clamp_mag_words()))
    s.lod_clamp_mag = *mode;
  if (const auto ratio = reader.integer("max_anisotropy", 1, 16)) {
    if (*ratio % 2 != 0 && *ratio != 1)
      reader.wrong_value("max_anisotropy", *reader.any("max_anisotropy"), "the ratio must be 2, 4, ... 16 (ANI-1)");
    else
      s.max_anisotropy = static_cast<std::uint8_t>(*ratio / 2 - (*ratio > 1 ? 1 : 0));  // ANI-1: ratio 2 (field + 1)
  }
  if (const auto quality = reader.integer("trilinear_quality", 0, 3))
    s.trilinear_quality = static_cast<std::uint8_t>(*quality);
}

void read_comparison(TableReader& reader, Sampler& s) {
  if (const auto f = reader.word("compare", find_compare_function, compare_function_words())) s.compare = *f;
  if (const auto f = reader.word("compare_op", find_compare_op, compare_op_words())) {
    if (reader.has("compare"))
      reader.wrong_value("compare_op", *reader.any("compare_op"),
                         "'compare' is given as well; it is the same field (CMP-1)");
    s.compare = *f;
  }
  if (const auto reduction = reader.word("reduction", find_reduction, reduction_words())) {
    s.reduction_enable = true;
    s.reduction = *reduction;
  }
}

/// CRD-6: what the API asks for, unless the object says otherwise.
void read_rounding(TableReader& reader, Sampler& s) {
  if (!reader.has("state")) s.set_api_rounding();
  for (const bool mag : {false, true}) {
    const std::string_view key = mag ? "round_mag" : "round_min";
    const Node* list = reader.array(key);
    if (list == nullptr) continue;
    if (list->items.size() != 3 || std::any_of(list->items.begin(), list->items.end(),
                                               [](const Node& n) { return n.kind != Node::Kind::Boolean; })) {
      reader.wrong_value(key, *list, "three booleans are expected");
      continue;
    }
    for (std::size_t i = 0; i < 3; ++i) (mag ? s.round_mag : s.round_min)[i] = list->items[i].boolean;
  }
}

}  // namespace

std::vector<std::string_view> format_words() {
  std::vector<std::string_view> result;
  for (const FormatInfo& info : all_formats()) result.push_back(info.name);
  return result;
}

std::optional<std::uint32_t> float_word(const Node& node) {
  if (node.is_number()) return base::bits_of(static_cast<float>(node.as_real()));
  if (node.kind != Node::Kind::Text) return std::nullopt;
  const auto bits = base::parse_hex(node.text, 8);
  return bits ? std::optional(static_cast<std::uint32_t>(*bits)) : std::nullopt;
}

std::optional<std::uint32_t> integer_word(const Node& node) {
  if (node.kind == Node::Kind::Integer && !node.big && node.integer >= INT32_MIN &&
      node.integer <= std::int64_t{UINT32_MAX})
    return static_cast<std::uint32_t>(node.integer);
  if (node.kind == Node::Kind::Real && node.real == std::trunc(node.real) && node.real >= INT32_MIN &&
      node.real <= UINT32_MAX)
    return static_cast<std::uint32_t>(static_cast<std::int64_t>(node.real));
  if (node.kind != Node::Kind::Text) return std::nullopt;
  const auto bits = base::parse_hex(node.text, 8);
  return bits ? std::optional(static_cast<std::uint32_t>(*bits)) : std::nullopt;
}

SurfaceMembers read_surface_members(TableReader& reader) {
  SurfaceMembers m;
  read_surface_state(reader, m);
  const auto shape = reader.word("type", find_surface_shape, surface_shape_words());
  if (shape) m.type = shape->type;
  if (const auto name = reader.text("format")) {
    const FormatInfo* info = find_format_word(*name);
    if (info != nullptr)
      m.format = info->format;
    else {
      const std::string_view near = nearest_format_word(*name);
      reader.wrong_value("format", *reader.any("format"), fmt::format("unknown format '{}'", *name),
                         near.empty() ? "formats have Intel's names (R8G8B8A8_UNORM) or Vulkan's (r8g8b8a8_unorm)"
                                      : fmt::format("did you mean '{}'?", near));
    }
  }
  m.width = size_member(reader, "width");
  m.height = size_member(reader, "height");
  m.depth = size_member(reader, "depth");
  if (const auto entries = reader.integer("entries", 1, std::int64_t{1} << 40))
    m.entries = static_cast<std::uint64_t>(*entries);
  m.array = reader.boolean("array");
  if (shape && shape->array) m.array = m.array.value_or(true);
  m.layers = size_member(reader, "layers", 1, 1 << 20);
  m.view_layers = size_member(reader, "view_layers", 1, 1 << 20);
  m.levels = size_member(reader, "levels", 1, 31);
  m.mip_count = size_member(reader, "mip_count", 0, 30);
  m.surf_min_lod = size_member(reader, "surf_min_lod", 0, 30);
  m.min_array_element = size_member(reader, "min_array_element", 0, 1 << 20);
  m.samples = size_member(reader, "samples", 1, 16);
  m.resource_min_lod = fixed_member(reader, "resource_min_lod", 8, 0, 4095.0 / 256);  // U4.8
  m.unread_levels = size_member(reader, "unread_levels", 0, 30);
  m.base_mip_level = fixed_member(reader, "base_mip_level", 1, 0, 15.5);  // U4.1
  if (const Node* color = reader.array("clear_color")) {
    m.clear_color = words_of<4>(*color, integer_word);
    if (!m.clear_color) reader.wrong_value("clear_color", *color, "four words are expected, numbers or \"0x...\"");
  }
  m.palette = size_member(reader, "palette", 0, 7);
  m.cube_faces = size_member(reader, "cube_faces", 0, 63);
  m.rotation = size_member(reader, "rotation", 0, 270);
  if (m.rotation && *m.rotation % 90 != 0)
    reader.wrong_value("rotation", *reader.any("rotation"), "the angle must be 0, 90, 180 or 270");
  m.rt_level = size_member(reader, "rt_level", 0, 30);
  m.rt_extent = size_member(reader, "rt_extent", 0, 1 << 20);
  if (const Node* quilt = reader.array("quilt")) {
    m.quilt = words_of<2>(*quilt, integer_word);
    if (!m.quilt || (*m.quilt)[0] - 1u > 31 || (*m.quilt)[1] - 1u > 31) {
      reader.wrong_value("quilt", *quilt, "two cell counts from 1 to 32 are expected");
      m.quilt.reset();
    }
  }
  m.swizzle = reader.word("swizzle", find_swizzle, {"RGBA"});
  read_null_texels(reader, m);
  read_mcs(reader, m);
  return m;
}

Surface apply(const SurfaceMembers& m, Surface s) {
  if (m.state) s = *m.state;
  if (m.type) s.type = *m.type;
  if (m.format) s.format = *m.format;
  if (m.width) s.width = *m.width;
  if (m.height) s.height = *m.height;
  if (m.depth) s.depth = *m.depth;
  if (m.entries) s.entries = *m.entries;
  if (m.array) s.array = *m.array;
  if (m.levels) s.levels = *m.levels;
  if (m.surf_min_lod) s.surf_min_lod = *m.surf_min_lod;
  if (m.min_array_element) s.min_array_element = *m.min_array_element;
  if (m.samples) s.samples = *m.samples;
  if (m.resource_min_lod) s.resource_min_lod = *m.resource_min_lod;
  if (m.unread_levels) s.unread_levels = *m.unread_levels;
  if (m.base_mip_level) s.base_mip_level = *m.base_mip_level;
  if (m.clear_color) s.clear_color = *m.clear_color;
  if (m.palette) s.palette_index = *m.palette;
  if (m.cube_faces) s.cube_faces = *m.cube_faces;
  if (m.rotation) s.rotation = *m.rotation;
  if (m.rt_level) s.rt_level = *m.rt_level;
  if (m.quilt) {
    s.quilt_width = (*m.quilt)[0];
    s.quilt_height = (*m.quilt)[1];
  }
  if (m.swizzle) s.swizzle = *m.swizzle;
  if (!m.null_texels.empty()) s.null_texels = m.null_texels;
  if (!m.mcs.empty()) s.mcs = std::make_shared<std::vector<std::vector<std::uint8_t>>>(m.mcs);
  const bool cube = s.type == SurfaceType::Cube;
  if (m.layers)
    s.layers = *m.layers;
  else if (cube && s.layers < 6)
    s.layers = 6;
  if (m.state) {
    if (m.view_layers) s.view_layers = *m.view_layers;
    if (m.mip_count) s.mip_count = *m.mip_count;
    if (m.rt_extent) s.rt_extent = *m.rt_extent;
    return s;
  }
  const std::uint32_t rest = s.layers > s.min_array_element ? s.layers - s.min_array_element : 1;
  s.view_layers = m.view_layers.value_or(cube ? std::max(1u, rest / 6) : rest);
  s.mip_count = m.mip_count.value_or(s.levels > s.surf_min_lod ? s.levels - 1 - s.surf_min_lod : 0);
  const std::uint32_t slices =
      s.type == SurfaceType::Dim3 ? std::max(1u, s.depth >> std::min(s.rt_level, 31u)) : s.layers;
  s.rt_extent = m.rt_extent.value_or(slices > s.min_array_element ? slices - s.min_array_element - 1 : 0);
  return s;
}

void read_surface_data(TableReader& reader, Surface& surface) {
  const Node* data = reader.array("data");
  const Node* fill = reader.any("fill");
  if (data != nullptr && fill != nullptr) return reader.wrong_value("fill", *fill, "'data' is given as well");
  if (fill != nullptr) {
    const auto bytes = fill->kind == Node::Kind::Text ? base::parse_bytes(fill->text) : std::nullopt;
    const std::uint32_t element = surface.info().bytes_per_element();
    if (!bytes || bytes->size() != element)
      return reader.wrong_value("fill", *fill,
                                fmt::format("the {} bytes of one element are expected, in hexadecimal", element));
    if (surface.memory)
      for (std::size_t at = 0; at + element <= surface.memory->size(); at += element)
        std::memcpy(surface.memory->data() + at, bytes->data(), element);
  }
  if (data == nullptr || !surface.memory) return;
  const std::size_t levels = std::max<std::size_t>(surface.layout.size(), 1);  // buffers: one level of one slice
  if (data->items.size() != levels)
    return reader.wrong_value("data", *data,
                              fmt::format("{} levels are given, the surface stores {}", data->items.size(), levels));
  Memory& memory = *surface.memory;
  std::size_t position = static_cast<std::size_t>(surface.base);
  for (std::size_t level = 0; level < data->items.size(); ++level) {
    const Node& slices = data->items[level];
    if (slices.kind != Node::Kind::Array)
      return reader.wrong_value("data", slices, "each level must be an array of slices");
    // Packed storage: level after level, slice after slice, so that the bytes of the whole level follow each other.
    const std::size_t end =
        level + 1 < surface.layout.size() ? static_cast<std::size_t>(surface.layout[level + 1].offset) : memory.size();
    for (const Node& slice : slices.items) {
      const auto bytes = slice.kind == Node::Kind::Text ? base::parse_bytes(slice.text) : std::nullopt;
      if (!bytes) return reader.wrong_value("data", slice, "a slice must be a text of hexadecimal bytes");
      if (bytes->size() > end - position)
        return reader.wrong_value(
            "data", slice,
            fmt::format("level {} has more bytes than its {} need", level,
                        surface.layout.empty() ? fmt::format("{} entries", surface.entries)
                                               : fmt::format("{} x {} texels", surface.layout[level].width,
                                                             surface.layout[level].height)));
      std::memcpy(memory.data() + position, bytes->data(), bytes->size());
      position += bytes->size();
    }
    if (position != end)
      return reader.wrong_value("data", slices, fmt::format("level {} has {} bytes too few", level, end - position));
  }
}

std::optional<Surface> make_surface(TableReader& reader, const SurfaceMembers& members, const Node& object,
                                    const base::Limits& limits, bool texels) {
  const base::NodeContext& context = reader.context();
  const std::size_t errors = context.diagnostics->errors();
  reader.know("data");
  reader.know("fill");
  const bool null = (members.type    ? members.type
                     : members.state ? std::optional(members.state->type)
                                     : std::nullopt) == SurfaceType::Null;
  if (!members.state) {
    if (!members.type) context.error("missing", fmt::format("{} lacks 'type'", reader.what()), object);
    if (!members.format && members.type && !null)
      context.error("missing", fmt::format("{} lacks 'format'", reader.what()), object);
  }
  Surface surface = apply(members);
  if (context.diagnostics->errors() == errors && !null) {
    const bool given = reader.has("data") || reader.has("fill");
    if (texels && !given) context.error("missing", fmt::format("{} lacks 'data' or 'fill'", reader.what()), object);
    if (const auto done = given ? allocate(surface, limits) : lay_out(surface); !done.ok()) {
      for (const base::Diagnostic& d : done.diagnostics()) context.diagnostics->add(d);
    } else if (given) {
      read_surface_data(reader, surface);
    }
  }
  if (context.diagnostics->errors() != errors) return std::nullopt;
  return surface;
}

std::optional<Surface> read_surface(const Node& object, const base::NodeContext& context, const std::string& what,
                                    const base::Limits& limits, bool texels) {
  const std::size_t errors = context.diagnostics->errors();
  TableReader reader(object, context, what);
  const SurfaceMembers members = read_surface_members(reader);
  std::optional<Surface> surface = make_surface(reader, members, object, limits, texels);
  reader.finish();
  if (context.diagnostics->errors() != errors) return std::nullopt;
  return surface;
}

Sampler SamplerMembers::for_format(Format format) const {
  Sampler result = sampler;
  const FormatInfo* info = format_info(format);
  if (info != nullptr && info->value_class != ValueClass::Float && integer_border) result.border = *integer_border;
  return result;
}

SamplerMembers read_sampler_members(TableReader& reader) {
  SamplerMembers result;
  read_sampler_state(reader, result);
  Sampler& s = result.sampler;
  read_filters(reader, s);
  read_address(reader, s);
  read_seamless_cube(reader, result);
  read_border(reader, result);
  read_level_of_detail(reader, s);
  s.non_normalized = reader.boolean("unnormalized").value_or(s.non_normalized);
  s.disable = reader.boolean("disable").value_or(s.disable);
  s.srgb_decode = reader.boolean("srgb_decode").value_or(s.srgb_decode);
  read_comparison(reader, s);
  result.compare_given = reader.has("compare") || reader.has("compare_op") || reader.has("state");
  read_rounding(reader, s);
  return result;
}

}  // namespace heddle::image
