// SPDX-License-Identifier: MIT
#include "job/run/front_stages.hpp"

#include <fmt/format.h>

#include <string>

#include "pipeline/primitives/stream_mesh.hpp"
#include "shader_interface/record_layout.hpp"

namespace heddle::job {
namespace {

/// The kernel and what it says of itself; false after a report.
bool choose(const Job& job, isa::ShaderStage stage, const isa::Program* program, FrontStage& to,
            base::Diagnostics& diagnostics) {
  const StageProgram& own = job.pixels->stages[stage];
  const std::string name(isa::stage_info(stage).name);
  if (program == nullptr) {
    diagnostics.add(base::error("job-missing", fmt::format("the {} shader '{}' was not loaded", name, own.path),
                                job.pixels->place));
    return false;
  }
  Job named;
  named.entry = own.entry;
  const auto chosen = choose_kernel(*program, named);
  if (!chosen.ok()) {
    for (const base::Diagnostic& d : chosen.diagnostics()) diagnostics.add(d);
    return false;
  }
  to.kernel = *chosen;
  to.shader = read_interface(*program, *to.kernel, diagnostics);
  if (to.shader) expand_arrays(*to.shader, diagnostics);
  if (diagnostics.has_errors()) return false;
  if (to.shader && to.shader->stage == stage) return true;
  diagnostics.add(
      base::error("job-value", fmt::format("'{}' is no compiled {} shader", own.path, name), job.pixels->place));
  return false;
}

}  // namespace

const ShaderInterface* FrontStages::last() const {
  if (geometry_.shader) return &*geometry_.shader;
  return vertex_.shader ? &*vertex_.shader : nullptr;
}

bool FrontStages::bind(const Job& job, const RunHooks& hooks, const Resources& resources, isa::Platform platform,
                       base::Diagnostics& diagnostics) {
  const auto begin = [&](isa::ShaderStage stage, FrontStage& to) {
    if (!choose(job, stage, hooks.stages[stage], to, diagnostics)) return false;
    to.binder.emplace(job, resources, *to.kernel, platform, diagnostics);
    to.binder->describe(*to.shader);
    return true;
  };
  if (!job.pixels->has(isa::ShaderStage::Vertex)) return true;
  if (!begin(isa::ShaderStage::Vertex, vertex_)) return false;
  vertices_ = bind_vertices(*vertex_.binder, simd_of(*vertex_.kernel, nullptr, job));
  if (!job.pixels->has(isa::ShaderStage::Geometry)) return !diagnostics.has_errors();
  if (!begin(isa::ShaderStage::Geometry, geometry_)) return false;
  geometry_plan_ = bind_geometry(*geometry_.binder, simd_of(*geometry_.kernel, nullptr, job), *vertex_.shader);
  vertices_->draw.whole = true;
  if (const std::uint32_t given = pipeline::whole_corners_of(vertices_->draw.topology, 0);
      given != geometry_plan_.corners)
    diagnostics.add(base::error("job-value",
                                fmt::format("the geometry shader takes primitives of {} vertices, the topology has {}",
                                            geometry_plan_.corners, given),
                                job.pixels->place));
  records_.stride = geometry_plan_.stride;
  if (!shader_interface::take_outputs(geometry_.shader->outputs, records_))
    diagnostics.add(base::error("bind-missing", "the geometry shader writes no position", job.pixels->place));
  return !diagnostics.has_errors();
}

base::Result<base::Done> FrontStages::prepare(const Job& job, const RunHooks& hooks, isa::Platform platform,
                                              const pipeline::CodeOptions& options) {
  if (!vertices_) return base::Done{};
  auto vertex = pipeline::Program::create(not_owned(*hooks.stages[isa::ShaderStage::Vertex]), *vertex_.kernel, platform,
                                          job.limits);
  if (!vertex.ok()) return vertex.failure();
  vertices_ready_ =
      pipeline::VertexProgram::create(std::move(*vertex), std::move(vertices_->plan), vertex_.binder->bound(), options);
  std::string why;
  if (options.fast) (void)vertices_ready_->prepare(vertex_.binder->bound(), why);
  if (!geometry_.there()) return base::Done{};
  auto geometry = pipeline::Program::create(not_owned(*hooks.stages[isa::ShaderStage::Geometry]), *geometry_.kernel,
                                            platform, job.limits);
  if (!geometry.ok()) return geometry.failure();
  geometry_ready_ = pipeline::GeometryProgram::create(std::move(*geometry), std::move(geometry_plan_),
                                                      geometry_.binder->bound(), options);
  return base::Done{};
}

bool FrontStages::run_vertices(From from, pipeline::Mesh& mesh, pipeline::RunContext& context,
                               pipeline::Counters& counters) {
  return vertices_ready_->run(vertices_->draw, vertex_.binder->bound(), from, mesh, context, counters);
}

bool FrontStages::run_pieces(From from, pipeline::Mesh& mesh, pipeline::RunContext& context,
                             pipeline::Counters& counters, const std::function<bool()>& use) {
  return vertices_ready_->run_pieces(vertices_->draw, vertex_.binder->bound(), from, mesh, context, counters, use);
}

bool FrontStages::run_streams(pipeline::RunContext& context, pipeline::Counters& counters,
                              const pipeline::UseStream& use) {
  return vertices_ready_->run_stream(vertices_->draw, vertex_.binder->bound(), context, counters, use);
}

bool FrontStages::run_geometry(const pipeline::PrimitiveStream& stream, From from, pipeline::Mesh& mesh,
                               pipeline::RunContext& context, pipeline::Counters& counters,
                               const std::function<bool()>& use) {
  const pipeline::VertexDraw& draw = vertices_->draw;
  return geometry_ready_->run(
      stream, draw.provoking_last, geometry_.binder->bound(), context, counters,
      [&](const pipeline::PrimitiveStream& made) {
        if (made.stream != 0) return true;
        pipeline::make_mesh(made, records_, from,
                            {.provoking_last = draw.provoking_last, .with_points = draw.with_points}, mesh, context);
        return use();
      });
}

}  // namespace heddle::job
