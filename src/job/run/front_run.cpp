// SPDX-License-Identifier: MIT
// The stages before the pixels run, each with what the one before it makes.
// Rules: MSH-2, PRM-9, TES-11.
#include "job/run/front_stages.hpp"
#include "pipeline/primitives/stream_mesh.hpp"

namespace heddle::job {

using isa::ShaderStage;
using pipeline::RunContext;

double FrontStages::invocations() const {
  if (vertices_) return static_cast<double>(vertices_->draw.vertices) * vertices_->draw.instances;
  double all = 1;
  for (const std::uint32_t count : groups_) all *= count;
  for (const std::uint32_t size : last_->local) all *= task_ready_ ? 1 : size;
  if (task_ready_)
    for (const std::uint32_t size : stages_[ShaderStage::Task].shader->local) all *= size;
  return all;
}

std::uint64_t FrontStages::invocations(const pipeline::Counters& counters) const {
  if (vertices_) return counters.input_vertices;
  return task_ready_ ? counters.task_invocations : counters.mesh_invocations;
}

bool FrontStages::run_vertices(const FrontRun& run) {
  return run.in_stage(ShaderStage::Vertex, [&](RunContext& context) {
    return vertices_ready_->run(vertices_->draw, at(ShaderStage::Vertex).binder->bound(), run.from, run.mesh, context,
                                run.counters);
  });
}

bool FrontStages::run(const FrontRun& run) {
  if (mesh_ready_) return run_tasks(run);
  return run.in_stage(ShaderStage::Vertex, [&](RunContext& context) {
    pipeline::Bound& bound = at(ShaderStage::Vertex).binder->bound();
    if (vertices_alone())
      return vertices_ready_->run_pieces(vertices_->draw, bound, run.from, run.mesh, context, run.counters, run.draw);
    return vertices_ready_->run_stream(
        vertices_->draw, bound, context, run.counters,
        [&](const pipeline::PrimitiveStream& stream) { return run_stream(run, stream); });
  });
}

bool FrontStages::run_stream(const FrontRun& run, const pipeline::PrimitiveStream& stream) {
  return control_ready_ ? run_control(run, stream) : run_geometry(run, stream);
}

bool FrontStages::run_control(const FrontRun& run, const pipeline::PrimitiveStream& stream) {
  return run.in_stage(ShaderStage::TessellationControl, [&](RunContext& context) {
    return control_ready_->run(stream, at(ShaderStage::TessellationControl).binder->bound(), context, run.counters,
                               [&](const pipeline::PatchStream& patches) { return run_evaluation(run, patches); });
  });
}

bool FrontStages::run_evaluation(const FrontRun& run, const pipeline::PatchStream& patches) {
  return run.in_stage(ShaderStage::TessellationEvaluation, [&](RunContext& context) {
    return evaluation_ready_->run(patches, tessellation_, at(ShaderStage::TessellationEvaluation).binder->bound(),
                                  context, run.counters, [&](const pipeline::PrimitiveStream& made) {
                                    return geometry_ready_ ? run_geometry(run, made) : finish(run, made);
                                  });
  });
}

bool FrontStages::run_geometry(const FrontRun& run, const pipeline::PrimitiveStream& stream) {
  return run.in_stage(ShaderStage::Geometry, [&](RunContext& context) {
    return geometry_ready_->run(stream, primitives_.provoking_last, at(ShaderStage::Geometry).binder->bound(), context,
                                run.counters, [&](const pipeline::PrimitiveStream& made) { return finish(run, made); });
  });
}

bool FrontStages::run_tasks(const FrontRun& run) {
  if (!task_ready_) return run_mesh(run, {.tasks = std::span(&groups_, 1), .draw = group_draw_});
  return run.in_stage(ShaderStage::Task, [&](RunContext& context) {
    return task_ready_->run(groups_, group_draw_, at(ShaderStage::Task).binder->bound(), context, run.counters,
                            [&](const pipeline::TaskStream& tasks) { return run_mesh(run, tasks); });
  });
}

bool FrontStages::run_mesh(const FrontRun& run, const pipeline::TaskStream& tasks) {
  return run.in_stage(ShaderStage::Mesh, [&](RunContext& context) {
    return mesh_ready_->run(tasks, at(ShaderStage::Mesh).binder->bound(), context, run.counters,
                            [&](const pipeline::PrimitiveStream& made) { return finish(run, made); });
  });
}

/// Only the first stream is drawn.
bool FrontStages::finish(const FrontRun& run, const pipeline::PrimitiveStream& stream) {
  if (stream.stream != 0) return true;
  return run.in_stage(last_->stage, [&](RunContext& context) {
    pipeline::make_mesh(stream, records_, run.from, primitives_, run.mesh, context);
    return true;
  }) && run.draw();
}

}  // namespace heddle::job
