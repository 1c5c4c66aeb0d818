// SPDX-License-Identifier: MIT
#include "job/run/front_stages.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "shader_interface/record_layout.hpp"

namespace heddle::job {

using isa::ShaderStage;

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

pipeline::GroupCount groups_of(const Job& job) {
  pipeline::GroupCount groups{1, 1, 1};
  std::copy(job.groups.begin(), job.groups.end(), groups.begin());
  return groups;
}

}  // namespace

/// Binds one stage after the other.
class FrontStages::Binding {
 public:
  Binding(FrontStages& to, const Job& job, const RunHooks& hooks, const Resources& resources, isa::Platform platform,
          base::Diagnostics& diagnostics)
      : to_(to), job_(job), hooks_(hooks), resources_(resources), platform_(platform), diagnostics_(diagnostics) {}

  bool run() {
    for (const StageConflict& conflict : stage_conflicts(*job_.pixels))
      error(fmt::format("'{}': {}", conflict.key, conflict.why));
    if (diagnostics_.has_errors()) return false;
    for (const isa::ShaderStageInfo& row : isa::kShaderStages) {
      if (!job_.pixels->has(row.stage)) continue;
      if (!begin(row.stage)) return false;
      bind(row.stage);
      to_.last_ = &*stage(row.stage).shader;
    }
    if (to_.last_ == nullptr) return true;
    if (!to_.vertices_alone()) set_records();
    return !diagnostics_.has_errors();
  }

 private:
  void error(std::string message, std::string_view id = "job-value") const {
    diagnostics_.add(base::error(std::string(id), std::move(message), job_.pixels->place));
  }
  [[nodiscard]] FrontStage& stage(ShaderStage which) const { return to_.stages_[which]; }

  bool begin(ShaderStage which) {
    FrontStage& stage = to_.stages_[which];
    if (!choose(job_, which, hooks_.stages[which], stage, diagnostics_)) return false;
    stage.binder.emplace(job_, resources_, *stage.kernel, platform_, diagnostics_);
    stage.binder->describe(*stage.shader);
    return true;
  }

  /// `which` reads what the stage before it writes, which is still the last one.
  void bind(ShaderStage which) {
    Binder& binder = *stage(which).binder;
    const unsigned simd = simd_of(*stage(which).kernel, nullptr, job_);
    switch (which) {
      case ShaderStage::Vertex:
        to_.vertices_ = bind_vertices(binder, simd);
        to_.primitives_ = {.provoking_last = to_.vertices_->draw.provoking_last,
                           .with_points = to_.vertices_->draw.with_points};
        break;
      case ShaderStage::TessellationControl:
        to_.control_plan_ = bind_control(binder, simd, *to_.last_);
        to_.vertices_->draw.whole = true;
        break;
      case ShaderStage::TessellationEvaluation:
        to_.evaluation_plan_ = bind_evaluation(binder, simd, *to_.last_);
        set_tessellation();
        break;
      case ShaderStage::Geometry:
        to_.geometry_plan_ = bind_geometry(binder, simd, *to_.last_);
        to_.vertices_->draw.whole = true;
        must_fit();
        break;
      case ShaderStage::Task:
        to_.task_plan_ = bind_task(binder, simd);
        set_groups();
        break;
      case ShaderStage::Mesh:
        to_.mesh_plan_ = bind_mesh(binder, simd);
        set_groups();
        break;
      default:
        break;
    }
  }

  void set_tessellation() {
    const shader_interface::PatchModes modes = shader_interface::patch_modes(
        *stage(ShaderStage::TessellationControl).shader, *stage(ShaderStage::TessellationEvaluation).shader);
    to_.tessellation_ = modes.state;
    to_.tessellation_.reversed = modes.counterclockwise != job_.pixels->domain_lower_left;  // TES-9
  }

  /// PRM-9: a geometry shader takes the primitives that it is given.
  void must_fit() {
    const bool patches = to_.has(ShaderStage::TessellationEvaluation);
    const std::uint32_t given =
        patches ? pipeline::corners_of(to_.tessellation_) : pipeline::whole_corners_of(to_.vertices_->draw.topology, 0);
    if (given != to_.geometry_plan_.corners)
      error(fmt::format("the geometry shader takes primitives of {} vertices, the {} {}", to_.geometry_plan_.corners,
                        patches ? "tessellation makes them of" : "topology has", given));
  }

  /// MSH-2: more groups of a mesh shader are not to be had; a task shader's own are as many as those of a dispatch.
  void set_groups() {
    to_.groups_ = groups_of(job_);
    to_.group_draw_.draw = job_.pixels->draw;
    if (job_.pixels->raster) {
      to_.group_draw_.view = job_.pixels->raster->view;
      to_.primitives_.with_points = job_.pixels->raster->polygon_mode == pipeline::PolygonMode::Point;
    }
    const pipeline::GroupCount& g = to_.groups_;
    std::uint64_t all = 1;
    for (const std::uint32_t count : g) all = std::min<std::uint64_t>(all, UINT32_MAX) * count;
    if (std::ranges::max(g) > pipeline::kMaxGroupsOfDimension || all > pipeline::kMaxGroups)
      error(fmt::format("'groups' of {} x {} x {} are more than {} in a dimension, or {} in all", g[0], g[1], g[2],
                        pipeline::kMaxGroupsOfDimension, pipeline::kMaxGroups));
  }

  void set_records() {
    to_.records_.stride = to_.last_->of_kind(ResourceKind::VertexOutputs)->stride;
    shader_interface::take_primitive_outputs(*to_.last_, to_.records_.primitives);
    if (!shader_interface::take_outputs(to_.last_->outputs, to_.records_))
      error(fmt::format("the {} shader writes no position", isa::stage_info(to_.last_->stage).name), "bind-missing");
  }

  FrontStages& to_;
  const Job& job_;
  const RunHooks& hooks_;
  const Resources& resources_;
  const isa::Platform platform_;
  base::Diagnostics& diagnostics_;
};

bool FrontStages::bind(const Job& job, const RunHooks& hooks, const Resources& resources, isa::Platform platform,
                       base::Diagnostics& diagnostics) {
  return Binding(*this, job, hooks, resources, platform, diagnostics).run();
}

bool FrontStages::vertices_alone() const {
  return has(ShaderStage::Vertex) && !has(ShaderStage::TessellationControl) && !has(ShaderStage::Geometry);
}

base::Result<base::Done> FrontStages::prepare(const Job& job, const RunHooks& hooks, isa::Platform platform,
                                              const pipeline::CodeOptions& options) {
  base::Diagnostics problems;
  const auto make = [&](ShaderStage which, auto& ready, auto& plan) {
    using Made = std::remove_const_t<typename std::remove_reference_t<decltype(ready)>::element_type>;
    if (!has(which)) return;
    FrontStage& stage = at(which);
    auto program = pipeline::Program::create(not_owned(*hooks.stages[which]), *stage.kernel, platform, job.limits);
    if (!program.ok()) {
      for (const base::Diagnostic& d : program.diagnostics()) problems.add(d);
      return;
    }
    ready = Made::create(std::move(*program), std::move(plan), stage.binder->bound(), options);
  };
  pipeline::VertexPlan none;
  make(ShaderStage::Vertex, vertices_ready_, vertices_ ? vertices_->plan : none);
  make(ShaderStage::TessellationControl, control_ready_, control_plan_);
  make(ShaderStage::TessellationEvaluation, evaluation_ready_, evaluation_plan_);
  make(ShaderStage::Geometry, geometry_ready_, geometry_plan_);
  make(ShaderStage::Task, task_ready_, task_plan_);
  make(ShaderStage::Mesh, mesh_ready_, mesh_plan_);
  if (problems.has_errors()) return base::Failure(problems.all());
  std::string why;
  if (options.fast && vertices_ready_) (void)vertices_ready_->prepare(at(ShaderStage::Vertex).binder->bound(), why);
  return base::Done{};
}

}  // namespace heddle::job
