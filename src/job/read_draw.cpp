// SPDX-License-Identifier: MIT
// What draws are made of, in [pixels] of a job: vertices, their buffers and indices, the rasterizer's state.
#include <fmt/format.h>

#include <algorithm>

#include "image/names.hpp"
#include "image/objects/object.hpp"
#include "job/job_reader.hpp"
#include "pipeline/raster/names.hpp"
#include "pipeline/vertex_formats.hpp"

namespace heddle::job {

using base::Node;
using base::TableReader;
using isa::ShaderStage;
using pipeline::RasterState;
using pipeline::Topology;

namespace {

template <typename E, std::size_t N>
std::optional<E> word(TableReader& reader, std::string_view key, const std::array<std::string_view, N>& words) {
  return reader.word(key, [&](std::string_view w) { return pipeline::find_word<E>(words, w); },
                     {words.begin(), words.end()});
}

template <typename T>
void take(std::optional<std::int64_t> value, T& to) {
  if (value) to = static_cast<T>(*value);
}

/// `least` or more lists of so many numbers each.
template <typename Row, typename Rows>
std::uint32_t rows(TableReader& reader, std::string_view key, Rows& to, std::size_t least = 1) {
  const Node* list = reader.array(key);
  if (list == nullptr) return 0;
  bool good = list->items.size() >= least && list->items.size() <= to.size();
  for (std::size_t i = 0; good && i < list->items.size(); ++i) {
    const Node& item = list->items[i];
    Row row{};
    good = item.kind == Node::Kind::Array && item.items.size() == row.size() &&
           std::ranges::all_of(item.items, [](const Node& n) { return n.is_number(); });
    for (std::size_t k = 0; good && k < row.size(); ++k)
      if constexpr (std::is_same_v<typename Row::value_type, double>)
        row[k] = item.items[k].as_real();
      else
        row[k] = static_cast<typename Row::value_type>(std::clamp(item.items[k].as_real(), -0x1p31, 0x1p31 - 1));
    to[i] = row;
  }
  if (good) return static_cast<std::uint32_t>(list->items.size());
  reader.wrong_value(
      key, *list,
      fmt::format("{} to {} lists of {} numbers are expected", least == 0 ? "none" : "one", to.size(), Row{}.size()));
  return 0;
}

}  // namespace

/// Which vertices and instances there are.
void JobReader::vertex_numbers(TableReader& reader, PixelsJob& p) const {
  if (const auto count = reader.integer("vertices", 0, INT32_MAX)) p.vertices = static_cast<std::uint32_t>(*count);
  take(reader.integer("instances", 0, INT32_MAX), p.instances);
  take(reader.integer("first_vertex", 0, UINT32_MAX), p.first_vertex);
  take(reader.integer("first_instance", 0, UINT32_MAX), p.first_instance);
  take(reader.integer("vertex_offset", INT32_MIN, INT32_MAX), p.vertex_offset);
  take(reader.integer("draw", 0, UINT32_MAX), p.draw);
  const bool patches = p.has(ShaderStage::TessellationEvaluation);
  p.topology = word<Topology>(reader, "topology", pipeline::kTopologyWords)
                   .value_or(patches ? Topology::PatchList : Topology::TriangleList);
  if (reader.has("topology") && patches != (p.topology == Topology::PatchList))
    reader.wrong_value("topology", *reader.any("topology"),
                       patches ? "tessellation shaders take patches" : "only tessellation shaders take patches");
  take(reader.integer("patch_vertices", 1, pipeline::kMaxPatchVertices), p.patch_vertices);
  constexpr std::array<std::string_view, 2> kOrigins{"upper_left", "lower_left"};
  p.domain_lower_left = word<std::uint8_t>(reader, "domain_origin", kOrigins).value_or(0) == 1;
  constexpr std::array<std::string_view, 2> kProvoking{"first", "last"};
  p.provoking_last = word<std::uint8_t>(reader, "provoking", kProvoking).value_or(0) == 1;
}

void JobReader::vertex_buffers(TableReader& reader, PixelsJob& p) const {
  if (const Node* table = reader.table("indices")) {
    IndexBinding& indices = p.indices.emplace();
    indices.place = context.place(*table);
    TableReader members(*table, context, "'indices' of [pixels]");
    indices.file = path_member(members, "file");
    if (indices.file.empty()) context.error("missing", "'indices' of [pixels] lacks 'file'", *table);
    take(members.integer("bytes", 1, 4), indices.bytes);
    if (indices.bytes == 3) members.wrong_value("bytes", *members.any("bytes"), "an index has 1, 2 or 4 bytes");
    indices.restart = members.boolean("restart").value_or(false);
    members.finish();
  }
  each(reader, "vertex_buffers", [&](const Key& key, const Node& table) {
    VertexBufferBinding& buffer = p.vertex_buffers.emplace_back();
    buffer.key = key;
    TableReader members(table, context, fmt::format("[pixels.vertex_buffers.{}]", key.text));
    buffer.file = path_member(members, "file");
    if (buffer.file.empty())
      context.error("missing", fmt::format("[pixels.vertex_buffers.{}] lacks 'file'", key.text), table);
    take(members.integer("stride", 0, UINT32_MAX), buffer.stride);
    if (const auto divisor = members.integer("divisor", 0, UINT32_MAX))
      buffer.divisor = static_cast<std::uint32_t>(*divisor);
    members.finish();
  });
}

/// An attribute's name, one value, or the elements of a vertex buffer.
PixelInput JobReader::vertex_input(const Key& key, const Node& value, const PixelsJob& p) const {
  if (value.kind != Node::Kind::Table) {
    PixelInput input = pixel_input(key, value);
    if (input.values.size() > 1)
      context.error("value", fmt::format("vertex input '{}' takes an attribute's name or one value", key.text), value);
    return input;
  }
  PixelInput input;
  input.key = key;
  PixelInput::Elements elements;
  TableReader reader(value, context, fmt::format("vertex input '{}'", key.text));
  if (const auto name = reader.text("buffer")) {
    std::vector<std::string_view> names;
    for (const VertexBufferBinding& b : p.vertex_buffers) names.push_back(b.key.text);
    const auto found = std::ranges::find(names, *name);
    elements.buffer = static_cast<std::size_t>(found - names.begin());
    if (found == names.end())
      reader.wrong_value("buffer", *reader.any("buffer"), fmt::format("there is no vertex buffer '{}'", *name),
                         names.empty() ? "expected: [pixels.vertex_buffers.NAME] file = \"...\""
                                       : fmt::format("one of: {}", fmt::join(names, " ")));
  } else if (!reader.has("buffer")) {
    context.error("missing", fmt::format("vertex input '{}' lacks 'buffer'", key.text), value);
  }
  take(reader.integer("offset", 0, UINT32_MAX), elements.offset);
  take(reader.integer("component", 0, 3), elements.component);
  const image::FormatInfo* format = image::find_format_word(reader.text("format").value_or(""));
  if (!reader.has("format"))
    context.error("missing", fmt::format("vertex input '{}' lacks 'format'", key.text), value);
  else if (format == nullptr || !pipeline::is_vertex_format(*format))
    reader.wrong_value("format", *reader.any("format"), "it is no format of vertices",
                       "Intel's names, plain ones: R32G32B32_FLOAT, R8G8B8A8_UNORM, R16G16_SSCALED ...");
  else
    elements.format = format->format;
  reader.finish();
  input.elements = elements;
  return input;
}

/// Which stages need or exclude each other, and what belongs to one that is not there.
void JobReader::stages_that_fit(TableReader& reader, const PixelsJob& p) const {
  const auto wrong = [&](std::string_view key, std::string why) {
    reader.wrong_value(key, *reader.any(key), std::move(why));
  };
  for (const StageKeys& keys : kStageKeys)
    if (reader.has(keys.entry) && !p.has(keys.stage)) wrong(keys.entry, fmt::format("there is no '{}'", keys.program));
  for (const StageConflict& conflict : stage_conflicts(p)) wrong(conflict.key, std::string(conflict.why));
  for (const std::string_view key : {"patch_vertices", "domain_origin"})
    if (reader.has(key) && !p.has(ShaderStage::TessellationEvaluation)) wrong(key, "there are no tessellation shaders");
  if (p.has(ShaderStage::Mesh) && reader.has("geometry")) wrong("geometry", "'mesh_shader' makes the primitives");
}

void JobReader::vertex_stage(TableReader& reader, PixelsJob& p) const {
  for (const StageKeys& keys : kStageKeys)
    p.stages[keys.stage] = {path_member(reader, keys.program), reader.text(keys.entry).value_or("")};
  vertex_numbers(reader, p);
  vertex_buffers(reader, p);
  each(reader, "vertex_inputs",
       [&](const Key& key, const Node& value) { p.vertex_inputs.push_back(vertex_input(key, value, p)); });
  stages_that_fit(reader, p);
  if (p.has(ShaderStage::Vertex)) {
    if (p.vertices && p.geometry != "fullscreen")
      reader.wrong_value("vertices", *reader.any("vertices"), "'geometry' gives the vertices");
    for (const std::string_view key :
         {"indices", "vertex_buffers", "first_vertex", "vertex_offset", "topology", "provoking"})
      if (reader.has(key) && !p.vertices)
        reader.wrong_value(key, *reader.any(key), "'vertices' must say how many there are");
    return;
  }
  for (const std::string_view key : {"vertices", "instances", "first_vertex", "first_instance", "vertex_offset", "draw",
                                     "topology", "provoking", "indices", "vertex_buffers", "vertex_inputs"})
    if (reader.has(key) && !(key == "draw" && p.has(ShaderStage::Mesh)))
      reader.wrong_value(key, *reader.any(key), "there is no 'vertex' shader that it belongs to");
}

void JobReader::raster_lines(TableReader& reader, RasterState& raster) const {
  raster.polygon_mode = word<pipeline::PolygonMode>(reader, "polygon_mode", pipeline::kPolygonModeWords)
                            .value_or(pipeline::PolygonMode::Fill);
  raster.conservative = word<pipeline::Conservative>(reader, "conservative", pipeline::kConservativeWords)
                            .value_or(pipeline::Conservative::Off);
  raster.line_mode =
      word<pipeline::LineMode>(reader, "line_mode", pipeline::kLineModeWords).value_or(pipeline::LineMode::Rectangular);
  if (const auto width = reader.number("line_width")) raster.line_width = *width;
  if (const auto v = numbers(reader, "line_stipple", 2); !v.empty()) {
    if (v[0] < 1 || v[0] > 256 || v[1] < 0 || v[1] > 65535)
      reader.wrong_value("line_stipple", *reader.any("line_stipple"),
                         "a factor from 1 to 256 and a pattern of 16 bits are expected");
    else
      raster.line_stipple = {static_cast<std::uint32_t>(v[0]), static_cast<std::uint16_t>(v[1])};
  }
}

std::optional<RasterState> JobReader::raster(const Node& table) const {
  TableReader reader(table, context, "[pixels.raster]");
  RasterState raster;
  raster.viewport_count = rows<pipeline::Viewport>(reader, "viewports", raster.viewports);
  (void)rows<pipeline::Scissor>(reader, "scissors", raster.scissors);
  take(reader.integer("layer", 0, UINT32_MAX), raster.layer);
  take(reader.integer("layers", 0, UINT32_MAX), raster.layers);
  take(reader.integer("view", 0, UINT32_MAX), raster.view);
  take(reader.integer("sample_mask", 0, UINT32_MAX), raster.sample_mask);
  raster.depth_clip = reader.boolean("depth_clip").value_or(true);
  raster.negative_one_to_one = reader.boolean("negative_one_to_one").value_or(false);
  if (const auto v = numbers(reader, "depth_bias", 4); !v.empty()) {
    raster.depth_bias = {v[0], v[1], v[2], static_cast<unsigned>(std::clamp(v[3], 0.0, 32.0))};
    if (raster.depth_bias->bits != 0 && raster.depth_bias->bits != 16 && raster.depth_bias->bits != 24)
      reader.wrong_value("depth_bias", *reader.any("depth_bias"),
                         "the fourth number counts the bits of a fixed-point depth, 16 or 24, or is 0");
  }
  raster_lines(reader, raster);
  pipeline::DiscardRectangles discards;
  discards.count = rows<pipeline::Scissor>(reader, "discard_rectangles", discards.at, 0);
  discards.mode = word<pipeline::DiscardMode>(reader, "discard_mode", pipeline::kDiscardModeWords)
                      .value_or(pipeline::DiscardMode::Inclusive);
  if (reader.has("discard_rectangles"))
    raster.discards = discards;  // RAS-11: no rectangle keeps all pixels, or none
  else if (reader.has("discard_mode"))
    reader.wrong_value("discard_mode", *reader.any("discard_mode"), "'discard_rectangles' must say which ones");
  reader.finish();
  return raster;
}

}  // namespace heddle::job
