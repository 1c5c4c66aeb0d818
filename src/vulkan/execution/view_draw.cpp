// SPDX-License-Identifier: MIT
#include "vulkan/execution/view_draw.hpp"

#include "base/fixed_limits.hpp"
#include "pipeline/primitives/stream_mesh.hpp"
#include "texture/touches.hpp"
#include "vulkan/device/device.hpp"
#include "vulkan/execution/context/command_context.hpp"
#include "vulkan/execution/queries.hpp"
#include "vulkan/execution/shader_runs.hpp"
#include "vulkan/objects/memory/buffer.hpp"
#include "vulkan/pipelines/shader.hpp"

namespace heddle::vulkan {

void ViewDraw::begin_stage(ShaderStage stage) {
  if (ShaderObserver* const observer = context_.observers.shaders.get())
    observer->begin_stage(stage, pipeline_.stages[stage], context_.graphics);
}

std::string ViewDraw::how_far() const {
  if (groups_) return std::to_string(counters_.mesh_primitives) + " primitives of mesh groups are drawn";
  const std::uint64_t all = what_.all_vertices();
  if (shared_ == nullptr) return std::to_string(drawn_) + " of " + std::to_string(all) + " vertices are drawn";
  const auto begun = static_cast<std::uint64_t>(shared_->part() * static_cast<double>(all));
  return std::to_string(begun) + " of " + std::to_string(all) + " vertices have begun";
}

void ViewDraw::lose(ShaderStage stage, const std::string& how_far, machine::Reports& reports) {
  const base::Diagnostics found = reports.take();
  if (context_.device.lost) return;
  shaders_.lose(words_of(context_.device, stage, pipeline_.stages[stage], context_.graphics), how_far, found);
}

void ViewDraw::run() {
  const ShaderStage stage = first_stage(pipeline_);
  const GraphicsStage& first = pipeline_.stages[stage];
  machine::Reports reports = shaders_.reports(first.loaded->program->source());
  pipeline::RunContext run = shaders_.run_context(reports);
  ShaderObserver* const observer = context_.observers.shaders.get();
  begin_stage(stage);
  const bool good = groups_ ? run_tasks(run) : run_vertices(run);
  if (observer != nullptr) {
    observer->end_stage();
    observer->report(stage, first, context_.graphics, reports);
  }
  for (const StageRow& row : kStageRows)
    if (pipeline_.stages[row.stage].loaded) shaders_.print_messages(row.stage, pipeline_.stages[row.stage]);
  if (!good) lose(stage, how_far(), reports);
  queries_.count(counters_);
}

bool ViewDraw::has_primitive_stages() const {
  return pipeline_.control != nullptr || pipeline_.geometry != nullptr || context_.feedback.active;
}

bool ViewDraw::run_vertices(pipeline::RunContext& run) {
  GraphicsStage& vertex = pipeline_.stages[ShaderStage::Vertex];
  const pipeline::VertexProgram& program = *pipeline_.vertices.program;
  const auto next_piece = [&] {
    drawn_ = counters_.input_vertices;
    begin_stage(ShaderStage::Vertex);
    return true;
  };
  if (has_primitive_stages())
    return program.run_stream(what_, vertex.bound, run, counters_,
                              [&](const pipeline::PrimitiveStream& stream) { return take(stream) && next_piece(); });
  std::span<const pipeline::RecordComponent> from;
  if (rasterized_) from = pipeline_.pixels.program->plan().from_vertices;
  pipeline::UsePieces share;
  if (rasterized_)
    share = [&](pipeline::MeshPieces& pieces) {
      shared_ = &pieces;
      const bool drawn = draw_pixels(&pieces);
      shared_ = nullptr;
      return drawn;
    };
  const bool good = program.run_pieces(
      what_, vertex.bound, from, pipeline_.draw.mesh, run, counters_,
      [&] { return (!rasterized_ || draw_pixels(nullptr)) && next_piece(); }, share);
  counters_.generated[0] = counters_.input_primitives;
  return good;
}

bool ViewDraw::take(const pipeline::PrimitiveStream& stream) {
  if (pipeline_.control) return run_control(stream);
  return pipeline_.geometry ? run_geometry(stream) : finish(stream);
}

bool ViewDraw::run_control(const pipeline::PrimitiveStream& stream) {
  GraphicsStage& control = pipeline_.stages[ShaderStage::TessellationControl];
  machine::Reports reports = shaders_.reports(pipeline_.control->program().source());
  pipeline::RunContext run = shaders_.run_context(reports);
  begin_stage(ShaderStage::TessellationControl);
  const bool good =
      pipeline_.control->run(stream, control.bound, run, counters_, [&](const pipeline::PatchStream& patches) {
        const bool drawn = run_evaluation(patches);
        begin_stage(ShaderStage::TessellationControl);
        return drawn;
      });
  if (ShaderObserver* const observer = context_.observers.shaders.get())
    observer->report(ShaderStage::TessellationControl, control, context_.graphics, reports);
  if (!good)
    lose(ShaderStage::TessellationControl,
         std::to_string(counters_.control_patches) + " patches have begun, " + how_far(), reports);
  return good;
}

bool ViewDraw::run_evaluation(const pipeline::PatchStream& patches) {
  GraphicsStage& evaluation = pipeline_.stages[ShaderStage::TessellationEvaluation];
  machine::Reports reports = shaders_.reports(pipeline_.evaluation->program().source());
  pipeline::RunContext run = shaders_.run_context(reports);
  pipeline::TessellationState state = pipeline_.tessellation;
  const bool from_above = context_.state.domain_origin == VK_TESSELLATION_DOMAIN_ORIGIN_UPPER_LEFT;
  state.reversed = pipeline_.counterclockwise == from_above;  // TES-9
  begin_stage(ShaderStage::TessellationEvaluation);
  const bool good = pipeline_.evaluation->run(
      patches, state, evaluation.bound, run, counters_, [&](const pipeline::PrimitiveStream& made) {
        const bool drawn = pipeline_.geometry ? run_geometry(made) : finish(made);
        begin_stage(ShaderStage::TessellationEvaluation);
        return drawn;
      });
  if (ShaderObserver* const observer = context_.observers.shaders.get())
    observer->report(ShaderStage::TessellationEvaluation, evaluation, context_.graphics, reports);
  if (!good)
    lose(ShaderStage::TessellationEvaluation,
         std::to_string(counters_.evaluation_invocations) + " vertices have begun, " + how_far(), reports);
  return good;
}

bool ViewDraw::run_geometry(const pipeline::PrimitiveStream& stream) {
  GraphicsStage& geometry = pipeline_.stages[ShaderStage::Geometry];
  machine::Reports reports = shaders_.reports(pipeline_.geometry->program().source());
  pipeline::RunContext run = shaders_.run_context(reports);
  begin_stage(ShaderStage::Geometry);
  std::optional<bool> good = draw_geometry(stream, run);
  if (!good)
    good = pipeline_.geometry->run(stream, what_.provoking_last, geometry.bound, run, counters_,
                                   [&](const pipeline::PrimitiveStream& made) {
                                     const bool drawn = finish(made);
                                     begin_stage(ShaderStage::Geometry);
                                     return drawn;
                                   });
  if (ShaderObserver* const observer = context_.observers.shaders.get())
    observer->report(ShaderStage::Geometry, geometry, context_.graphics, reports);
  if (!*good)
    lose(ShaderStage::Geometry, std::to_string(counters_.geometry_invocations) + " invocations have run, " + how_far(),
         reports);
  return *good;
}

/// Where only the rasterizer takes what the shader makes: whose workers run it.
std::optional<bool> ViewDraw::draw_geometry(const pipeline::PrimitiveStream& stream, pipeline::RunContext& run) {
  if (!rasterized_ || context_.feedback.active || context_.observers.shaders || pipeline_.draw.raster.line_stipple)
    return std::nullopt;
  if (context_.state.stream >= base::kMaxVertexStreams) return std::nullopt;  // which there is none of
  const pipeline::PrimitiveState state{
      .provoking_last = what_.provoking_last, .with_points = what_.with_points, .records_stay = true};
  return pipeline_.geometry->run_pieces(stream, state, context_.state.stream,
                                        pipeline_.pixels.program->plan().from_vertices,
                                        pipeline_.stages[ShaderStage::Geometry].bound, run, counters_,
                                        [&](pipeline::MeshPieces& pieces) { return draw_pixels(&pieces); });
}

bool ViewDraw::finish(const pipeline::PrimitiveStream& stream) {
  counters_.generated.at(stream.stream) += stream.size();
  if (context_.feedback.active) capture(stream);
  return !rasterized_ || stream.stream != context_.state.stream || rasterize(stream);
}

void ViewDraw::capture(const pipeline::PrimitiveStream& stream) {
  FeedbackState& feedback = context_.feedback;
  machine::Reports reports = shaders_.reports(pipeline_.vertices.program->program().source());
  pipeline::RunContext run = shaders_.run_context(reports);
  const pipeline::CaptureTargets before = feedback.targets;
  const pipeline::CaptureCount count = pipeline::capture(stream, pipeline_.capture, feedback.targets, run);
  counters_.captured.at(stream.stream) += count.written;
  counters_.capturable.at(stream.stream) += count.needed;
  if (!context_.observers.inputs) return;
  for (std::size_t b = 0; b < before.size(); ++b)
    if (const std::uint64_t from = before[b].at, to = feedback.targets[b].at; to > from)
      context_.observers.inputs->capture(*from_handle(feedback.buffers[b]), before[b].bytes.subspan(from, to - from));
}

bool ViewDraw::rasterize(const pipeline::PrimitiveStream& stream) {
  const pipeline::PixelProgram& program = *pipeline_.pixels.program;
  machine::Reports reports = shaders_.reports(program.program().source());
  pipeline::RunContext run = shaders_.run_context(reports);
  const pipeline::PrimitiveState state{
      .provoking_last = what_.provoking_last, .with_points = what_.with_points, .records_stay = true};
  // A stippled strip goes on with its pattern from line to line, which pieces would begin anew.
  if (!pipeline_.draw.raster.line_stipple && pipeline::StreamPieces::divides(stream, run)) {
    pipeline::StreamPieces pieces(stream, *pipeline_.records, program.plan().from_vertices, state, run, stream_pieces_);
    return draw_pixels(&pieces);
  }
  pipeline::make_mesh(stream, *pipeline_.records, program.plan().from_vertices, state, pipeline_.draw.mesh, run);
  return draw_pixels(nullptr);
}

bool ViewDraw::draw_pixels(pipeline::MeshPieces* pieces) {
  GraphicsStage& fragment = pipeline_.stages[ShaderStage::Fragment];
  const pipeline::PixelProgram& program = *pipeline_.pixels.program;
  ShaderObserver* const observer = context_.observers.shaders.get();
  begin_stage(ShaderStage::Fragment);
  machine::Reports reports = shaders_.reports(program.program().source());
  pipeline::RunContext run = shaders_.run_context(reports);
  const bool performance = queries_.has_active(VK_QUERY_TYPE_PERFORMANCE_QUERY_KHR);
  run.count_samples = performance || queries_.has_active(VK_QUERY_TYPE_OCCLUSION);
  // Who counts texels counts those of fragments that nobody sees, unless the shader asks for early tests.
  run.may_skip = observer == nullptr && texture::touch_sink() == nullptr && !performance &&
                 !queries_.has_active(VK_QUERY_TYPE_PIPELINE_STATISTICS);
  pipeline_.draw.tiles = texture::touch_sink() == nullptr ? &context_.tiles : nullptr;  // tests are counted
  const bool good = program.run(pipeline_.draw, fragment.bound, run, counters_, pieces);
  if (observer != nullptr) observer->report(ShaderStage::Fragment, fragment, context_.graphics, reports);
  if (!good && (pieces == nullptr || !pieces->failed()))
    lose(ShaderStage::Fragment, std::to_string(counters_.fragment_invocations) + " fragments have begun, " + how_far(),
         reports);
  return good;
}

}  // namespace heddle::vulkan
