// SPDX-License-Identifier: MIT
#include "vulkan/capture/capture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "image/names.hpp"
#include "image/objects/output_object.hpp"
#include "pipeline/raster/names.hpp"
#include "vulkan/capture/capture_writer.hpp"
#include "vulkan/device/device.hpp"
#include "vulkan/execution/context/command_context.hpp"

namespace heddle::vulkan {
namespace {

std::string refusal(const char* what, const std::string& name, const std::string& why) {
  return why.empty() ? why : fmt::format("a {} of '{}' is not written: {}", what, name, why);
}

const char* word(bool value) { return value ? "true" : "false"; }

/// As a TOML float keeps all bits of a double.
template <typename Row>
std::string row_text(const Row& row) {
  std::string text;
  for (const auto value : row) text += fmt::format("{}{}", text.empty() ? "[" : ", ", value);
  return text + "]";
}

template <typename Rows>
std::string rows_text(const Rows& rows, std::uint32_t count) {
  std::string text;
  for (std::uint32_t i = 0; i < count; ++i) text += (text.empty() ? "[" : ", ") + row_text(rows[i]);
  return text + "]";
}

/// VK_EXT_frame_boundary: the frame that the application says the command belongs to.
void note_frame(CaptureWriter& writer, std::optional<std::uint64_t> frame) {
  if (frame) writer.line(fmt::format("# Of the application's frame {}.", *frame));
}

/// One draw as the words of [pixels].
class DrawWriter {
 public:
  DrawWriter(CaptureWriter& writer, const GraphicsPipeline& pipeline, const pipeline::VertexDraw& draw)
      : writer_(writer), pipeline_(pipeline), draw_(draw) {}

  void write(std::optional<std::uint64_t> frame) {
    note_frame(writer_, frame);
    writer_.line(fmt::format("# A draw that HEDDLE_CAPTURE wrote.\nprogram = \"{}\"", writer_.name("visaasm")));
    for (const StageRow& row : kStageRows)
      if (pipeline_.stages[row.stage].loaded &&
          (row.stage == ShaderStage::TessellationControl || row.stage == ShaderStage::TessellationEvaluation))
        writer_.refuse("job files have no shaders of patches");
    writer_.program("", fragment_);
    writer_.program("vert.", vertex_);
    if (pipeline_.geometry) writer_.program("geom.", geometry_);
    if (pipeline_.pixels.per_sample && state().samples > 1)
      writer_.refuse("job files have no sample shading for shaders that do not ask for it");
    if (const auto& positions = pipeline_.draw.raster.samples; positions != pipeline::sample_positions(state().samples))
      writer_.refuse("job files have the standard positions of samples only");
    // The block of the stage that has most of it; all stages are given the same bytes.
    writer_.push_constants(*std::ranges::max_element(pipeline_.stages, {}, &Shader::push_bytes));
    pixels();
    vertices();
    raster();
    images();
  }

 private:
  void pixels() const;
  void vertices() const;
  void vertex_inputs() const;
  void raster() const;
  void images() const;
  [[nodiscard]] const machine::PixelState& state() const { return *pipeline_.draw.state; }

  CaptureWriter& writer_;
  const GraphicsPipeline& pipeline_;
  const Shader& vertex_ = pipeline_.stages[ShaderStage::Vertex];
  const Shader& geometry_ = pipeline_.stages[ShaderStage::Geometry];
  const Shader& fragment_ = pipeline_.stages[ShaderStage::Fragment];
  const pipeline::VertexDraw& draw_;
};

std::string target_key(std::size_t number) { return fmt::format("attachment.{}", number); }
constexpr const char* kDepthKey = "attachment.depth";
constexpr const char* kStencilKey = "attachment.stencil";

void DrawWriter::pixels() const {
  const pipeline::RasterState& r = pipeline_.draw.raster;
  writer_.line("\n[pixels]");
  std::string targets;
  for (std::size_t n = 0; n < pipeline_.pixels.targets.size(); ++n)
    targets += fmt::format("{}\"{}\"", n == 0 ? "" : ", ", target_key(n));
  writer_.line(fmt::format("targets = [{}]", targets));
  if (state().depth) writer_.line(fmt::format("depth = \"{}\"", kDepthKey));
  if (state().stencil) writer_.line(fmt::format("stencil = \"{}\"", kStencilKey));
  writer_.line(fmt::format("size = [{}, {}]\nsamples = {}", r.width, r.height, state().samples));
  writer_.line(fmt::format("cull = \"{}\"\nfront_face = \"{}\"", name_of(r.cull), r.front_ccw ? "ccw" : "cw"));
  writer_.line("state = " + image::output_state_text(state().output));
}

void DrawWriter::vertices() const {
  writer_.line(fmt::format("vertex = \"{}\"\nvertices = {}\ninstances = {}", writer_.name("vert.visaasm"),
                           draw_.vertices, draw_.instances));
  if (pipeline_.geometry) writer_.line(fmt::format("geometry_shader = \"{}\"", writer_.name("geom.visaasm")));
  writer_.line(fmt::format("first_vertex = {}\nfirst_instance = {}\nvertex_offset = {}\ndraw = {}", draw_.first_vertex,
                           draw_.first_instance, draw_.vertex_offset, draw_.draw));
  writer_.line(fmt::format("topology = \"{}\"\nprovoking = \"{}\"", name_of(draw_.topology),
                           draw_.provoking_last ? "last" : "first"));
  if (draw_.indices) {
    writer_.file("indices.bin", draw_.indices->bytes);
    writer_.line(fmt::format("indices = {{ file = \"{}\", bytes = {}, restart = {} }}", writer_.name("indices.bin"),
                             draw_.indices->index_bytes, word(draw_.indices->restart)));
  }
  vertex_inputs();
  bool first = true;
  for (const PixelPrograms::Missing& missing : pipeline_.pixels.missing) {
    if (missing.partly)
      writer_.refuse("the shader before the pixels writes some components of an input and not the others");
    if (first) writer_.line("\n[pixels.inputs]");
    first = false;
    writer_.line(fmt::format("\"in.{}\" = [[0, 0, 0, 0]]", missing.location));
  }
}

void DrawWriter::vertex_inputs() const {
  using Input = VertexPrograms::Input;
  std::array<bool, kMaxVertexBindings> used{};
  for (const Input& i : pipeline_.vertices.inputs)
    if (i.given) used[i.buffer] = true;
  for (std::size_t b = 0; b < used.size(); ++b) {
    if (!used[b]) continue;
    const pipeline::VertexBuffer none, &buffer = b < draw_.buffers.size() ? draw_.buffers[b] : none;
    const std::string file = fmt::format("vertices.{}.bin", b);
    writer_.file(file, buffer.bytes);
    writer_.line(
        fmt::format("\n[pixels.vertex_buffers.{}]\nfile = \"{}\"\nstride = {}", b, writer_.name(file), buffer.stride));
    if (buffer.divisor) writer_.line(fmt::format("divisor = {}", *buffer.divisor));
  }
  if (pipeline_.vertices.inputs.empty()) return;
  writer_.line("\n[pixels.vertex_inputs]");
  for (const Input& i : pipeline_.vertices.inputs)
    writer_.line(i.given
                     ? fmt::format("\"in.{}\" = {{ buffer = \"{}\", offset = {}, component = {}, format = \"{}\" }}",
                                   i.location, i.buffer, i.offset, i.component, image::format_info(i.format)->name)
                     : fmt::format("\"in.{}\" = [[0, 0, 0, 0]]", i.location));
}

void DrawWriter::raster() const {
  const pipeline::RasterState& r = pipeline_.draw.raster;
  if (r.rates) writer_.refuse("its fragments may cover several pixels");
  writer_.line("\n[pixels.raster]");
  writer_.line("viewports = " + rows_text(r.viewports, r.viewport_count));
  writer_.line("scissors = " + rows_text(r.scissors, r.viewport_count));
  writer_.line(
      fmt::format("layer = {}\nlayers = {}\nview = {}\nsample_mask = {}", r.layer, r.layers, r.view, r.sample_mask));
  writer_.line(
      fmt::format("depth_clip = {}\nnegative_one_to_one = {}", word(r.depth_clip), word(r.negative_one_to_one)));
  if (r.depth_bias)
    writer_.line(fmt::format("depth_bias = [{}, {}, {}, {}]", r.depth_bias->constant, r.depth_bias->slope,
                             r.depth_bias->clamp, r.depth_bias->bits));
  writer_.line(fmt::format("conservative = \"{}\"", name_of(r.conservative)));
  writer_.line(fmt::format("polygon_mode = \"{}\"\nline_mode = \"{}\"\nline_width = {}", name_of(r.polygon_mode),
                           name_of(r.line_mode), r.line_width));
  if (r.line_stipple)
    writer_.line(fmt::format("line_stipple = [{}, {}]", r.line_stipple->factor, r.line_stipple->pattern));
}

void DrawWriter::images() const {
  const auto target = [&](std::size_t n) -> const machine::SurfaceResource& {
    return fragment_.bound.bindings.surfaces[pipeline_.pixels.targets[n].index];
  };
  const std::size_t count = pipeline_.pixels.targets.size();
  for (std::size_t n = 0; n < count; ++n) writer_.note_written(*target(n));
  for (const auto& surface : {state().depth, state().stencil})
    if (surface) writer_.note_written(*surface);
  for (const GraphicsStage& stage : pipeline_.stages) writer_.note_written(stage);
  for (std::size_t n = 0; n < count; ++n) writer_.image(target_key(n), *target(n));
  if (state().depth) writer_.image(kDepthKey, *state().depth);
  if (state().stencil) writer_.image(kStencilKey, *state().stencil);
  for (const GraphicsStage& stage : pipeline_.stages) writer_.bind(stage);
}

}  // namespace

std::string capture_dispatch(const std::string& folder, const Pipeline& pipeline, const pipeline::Grid& grid,
                             std::optional<std::uint64_t> frame) {
  if (grid.base != std::array<std::uint32_t, 3>{})
    return refusal("dispatch", pipeline.name, "job files have no base group");
  CaptureWriter writer(folder);
  note_frame(writer, frame);
  writer.line(fmt::format("# A dispatch that HEDDLE_CAPTURE wrote.\nprogram = \"{}\"", writer.name("visaasm")));
  writer.line(fmt::format("groups = [{}, {}, {}]", grid.groups[0], grid.groups[1], grid.groups[2]));
  writer.program("", pipeline);
  writer.push_constants(pipeline);
  writer.note_written(pipeline);
  writer.bind(pipeline);
  return refusal("dispatch", pipeline.name, writer.finish());
}

std::string capture_draw(const std::string& folder, const GraphicsPipeline& pipeline, const pipeline::VertexDraw& draw,
                         std::optional<std::uint64_t> frame) {
  CaptureWriter writer(folder);
  DrawWriter(writer, pipeline, draw).write(frame);
  return refusal("draw", pipeline.stages[ShaderStage::Vertex].name, writer.finish());
}

void attach_capture(CommandContext& context) {
  Device& device = context.device;
  if (!device.capture) return;
  const auto report = [&device](const std::string& why) {
    if (!why.empty()) device.physical.instance.error("vulkan-capture", why);
  };
  context.hooks.before_dispatch = [&device, &context, report](const Pipeline& pipeline, const pipeline::Grid& grid) {
    report(capture_dispatch(*device.capture, pipeline, grid, context.frame));
  };
  context.hooks.before_draw = [&device, &context, report](const GraphicsPipeline& pipeline,
                                                          const pipeline::VertexDraw& draw, bool rasterized) {
    const std::string& name = pipeline.stages[first_stage(pipeline)].name;
    if (pipeline.mesh) return report(refusal("draw", name, "job files have no mesh shaders"));
    if (!rasterized) return report(refusal("draw", name, "job files have no draws without pixels"));
    if (context.state.stream != 0) return report(refusal("draw", name, "job files rasterize the vertex stream 0"));
    report(capture_draw(*device.capture, pipeline, draw, context.frame));
  };
}

}  // namespace heddle::vulkan
