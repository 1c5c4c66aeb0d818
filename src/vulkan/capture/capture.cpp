// SPDX-License-Identifier: MIT
#include "vulkan/capture/capture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <memory>
#include <utility>

#include "base/diagnostic.hpp"
#include "base/file.hpp"
#include "image/names.hpp"
#include "image/objects/output_object.hpp"
#include "pipeline/raster/names.hpp"
#include "vulkan/capture/between.hpp"
#include "vulkan/capture/capture_writer.hpp"
#include "vulkan/capture/captured_frames.hpp"
#include "vulkan/device/device.hpp"
#include "vulkan/execution/context/command_context.hpp"

namespace heddle::vulkan {
namespace {

/// Labels of the application around a command (VK_EXT_debug_utils), as a comment of the job: one line of UTF-8,
/// whatever they are.
void write_labels(CaptureWriter& writer, const std::vector<std::string>& labels) {
  std::string text;
  for (const std::string& label : labels) text += (text.empty() ? "" : " / ") + label;
  if (!text.empty()) writer.line("# label: " + one_line(text));
}

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
  for (std::uint32_t i = 0; i < count; ++i) text += (i == 0 ? "" : ", ") + row_text(rows[i]);
  return "[" + text + "]";
}

/// VK_EXT_frame_boundary: the frame that the application says the command belongs to.
void note_frame(CaptureWriter& writer, std::optional<std::uint64_t> frame) {
  if (frame) writer.line(fmt::format("# Of the application's frame {}.", *frame));
}

void note_place(CaptureWriter& writer, const CommandPlace& place) {
  note_frame(writer, place.frame);
  write_labels(writer, place.labels);
  for (const std::string& line : place.before) writer.line("# before: " + line);
}

/// What came behind the last captured command, for the explorer's list: FOLDER/behind.txt. Once written, it is kept
/// true. The answer says what went wrong; empty: nothing.
std::string write_behind(const std::string& folder, const std::vector<std::string>& lines, bool& written) {
  if (lines.empty() && !written) return {};
  written = true;
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  (void)base::make_folders(folder);  // what goes wrong shows when the file is written
  const auto done = base::write_file((std::filesystem::path(folder) / "behind.txt").string(), std::string_view(text));
  return done.ok() ? std::string() : done.diagnostics().front().message;
}

/// One draw as the words of [pixels].
class DrawWriter {
 public:
  DrawWriter(CaptureWriter& writer, const GraphicsPipeline& pipeline, const CapturedDraw& draw)
      : writer_(writer), pipeline_(pipeline), whole_(draw), draw_(draw.vertices) {}

  void write() {
    note_place(writer_, whole_.place);
    writer_.line(fmt::format("# A draw that HEDDLE_CAPTURE wrote.\nprogram = \"{}\"", writer_.name("visaasm")));
    if (const auto& g = whole_.groups) writer_.line(fmt::format("groups = [{}, {}, {}]", (*g)[0], (*g)[1], (*g)[2]));
    writer_.program("", fragment_);
    for (const StageRow& row : kStageRows)
      if (is_in_front(row.stage)) writer_.program(stage_prefix(row.stage), pipeline_.stages[row.stage]);
    if (pipeline_.pixels.per_sample && state().samples > 1)
      writer_.refuse("job files have no sample shading for shaders that do not ask for it");
    if (const auto& positions = pipeline_.draw.raster.samples; positions != pipeline::sample_positions(state().samples))
      writer_.refuse("job files have the standard positions of samples only");
    // The block of the stage that has most of it; all stages are given the same bytes.
    writer_.push_constants(*std::ranges::max_element(pipeline_.stages, {}, &Shader::push_bytes));
    pixels();
    stages();
    if (pipeline_.mesh == nullptr) vertices();
    missing_inputs();
    raster();
    images();
  }

 private:
  void pixels() const;
  void stages() const;
  void vertices() const;
  void missing_inputs() const;
  void vertex_inputs() const;
  void raster() const;
  void images() const;
  [[nodiscard]] const machine::PixelState& state() const { return *pipeline_.draw.state; }

  [[nodiscard]] bool is_in_front(ShaderStage stage) const {
    return stage != ShaderStage::Fragment && pipeline_.stages[stage].loaded;
  }
  [[nodiscard]] static std::string stage_prefix(ShaderStage stage) {
    return std::string(isa::stage_info(stage).word) + ".";
  }

  CaptureWriter& writer_;
  const GraphicsPipeline& pipeline_;
  const Shader& fragment_ = pipeline_.stages[ShaderStage::Fragment];
  const CapturedDraw& whole_;
  const pipeline::VertexDraw& draw_;
};

/// The key of [pixels] that names a stage's program.
std::string_view stage_key(ShaderStage stage) {
  switch (stage) {
    case ShaderStage::TessellationControl:
      return "tessellation_control";
    case ShaderStage::TessellationEvaluation:
      return "tessellation_evaluation";
    case ShaderStage::Geometry:
      return "geometry_shader";
    case ShaderStage::Task:
      return "task_shader";
    case ShaderStage::Mesh:
      return "mesh_shader";
    default:
      return "vertex";
  }
}

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

void DrawWriter::stages() const {
  for (const StageRow& row : kStageRows)
    if (is_in_front(row.stage))
      writer_.line(fmt::format("{} = \"{}\"", stage_key(row.stage), writer_.name(stage_prefix(row.stage) + "visaasm")));
  writer_.line(fmt::format("draw = {}", draw_.draw));
  if (pipeline_.evaluation)
    writer_.line(fmt::format("patch_vertices = {}\ndomain_origin = \"{}\"", draw_.patch_vertices,
                             whole_.domain_lower_left ? "lower_left" : "upper_left"));
}

void DrawWriter::vertices() const {
  writer_.line(fmt::format("vertices = {}\ninstances = {}", draw_.vertices, draw_.instances));
  writer_.line(fmt::format("first_vertex = {}\nfirst_instance = {}\nvertex_offset = {}", draw_.first_vertex,
                           draw_.first_instance, draw_.vertex_offset));
  writer_.line(fmt::format("topology = \"{}\"\nprovoking = \"{}\"", name_of(draw_.topology),
                           draw_.provoking_last ? "last" : "first"));
  if (draw_.indices) {
    writer_.file("indices.bin", draw_.indices->bytes);
    writer_.line(fmt::format("indices = {{ file = \"{}\", bytes = {}, restart = {} }}", writer_.name("indices.bin"),
                             draw_.indices->index_bytes, word(draw_.indices->restart)));
  }
  vertex_inputs();
}

void DrawWriter::missing_inputs() const {
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
  if (r.discards)
    writer_.line(fmt::format("discard_rectangles = {}\ndiscard_mode = \"{}\"",
                             rows_text(r.discards->at, r.discards->count), name_of(r.discards->mode)));
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
                             const CommandPlace& place) {
  if (grid.base != std::array<std::uint32_t, 3>{})
    return refusal("dispatch", pipeline.name, "job files have no base group");
  CaptureWriter writer(folder);
  note_place(writer, place);
  writer.line(fmt::format("# A dispatch that HEDDLE_CAPTURE wrote.\nprogram = \"{}\"", writer.name("visaasm")));
  writer.line(fmt::format("groups = [{}, {}, {}]", grid.groups[0], grid.groups[1], grid.groups[2]));
  writer.program("", pipeline);
  writer.push_constants(pipeline);
  writer.note_written(pipeline);
  writer.bind(pipeline);
  return refusal("dispatch", pipeline.name, writer.finish());
}

std::string capture_draw(const std::string& folder, const GraphicsPipeline& pipeline, const CapturedDraw& draw) {
  CaptureWriter writer(folder);
  DrawWriter(writer, pipeline, draw).write();
  return refusal("draw", pipeline.stages[first_stage(pipeline)].name, writer.finish());
}

void attach_capture(CommandContext& context) {
  Device& device = context.device;
  if (!device.capture) return;
  const auto report = [&device](const std::string& why) {
    if (!why.empty()) device.physical.instance.error("vulkan-capture", why);
  };
  const CapturedFrames& frames = CapturedFrames::of_process();
  const auto between = std::make_shared<Between>(device);
  context.hooks.before_command = [&frames, between](const Command& command) {
    if (const std::uint64_t frame = frames.now(); frames.wants(frame)) between->note(command, frame);
  };
  context.hooks.after_submission = [&device, report, between, written = false, told = false]() mutable {
    const std::string why = write_behind(*device.capture, between->lines(), written);
    if (!why.empty() && !std::exchange(told, true)) report(why);
  };
  context.hooks.before_dispatch = [&, report, between](const Pipeline& pipeline, const pipeline::Grid& grid) {
    if (!frames.wants_now()) return;
    report(capture_dispatch(*device.capture, pipeline, grid, {context.labels, context.frame, between->take()}));
  };
  context.hooks.before_draw = [&, report, between](const GraphicsPipeline& pipeline, const DrawStart& draw) {
    if (!frames.wants_now()) return;
    const std::string& name = pipeline.stages[first_stage(pipeline)].name;
    if (!draw.rasterized) return report(refusal("draw", name, "job files have no draws without pixels"));
    if (context.state.stream != 0) return report(refusal("draw", name, "job files rasterize the vertex stream 0"));
    const bool lower_left = context.state.domain_origin == VK_TESSELLATION_DOMAIN_ORIGIN_LOWER_LEFT;
    report(capture_draw(*device.capture, pipeline,
                        {draw.vertices, draw.groups, {context.labels, context.frame, between->take()}, lower_left}));
  };
}

}  // namespace heddle::vulkan
