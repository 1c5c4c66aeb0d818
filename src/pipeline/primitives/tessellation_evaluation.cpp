// SPDX-License-Identifier: MIT
// Rules: TES-10, TES-14.
#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "pipeline/primitives/domain_division.hpp"
#include "pipeline/primitives/stage_runner.hpp"
#include "pipeline/primitives/tessellation.hpp"

namespace heddle::pipeline {
namespace {

constexpr std::uint32_t kWindowVertices = 24576;  // as of a piece of vertices
constexpr std::size_t kKeptDivisions = 16;

/// A vertex that is made: where in the domain, and of which patch.
struct DomainVertex {
  DomainPoint at;
  std::uint32_t patch = 0;
};

/// Divisions of the levels that there were lately: neighbors are often divided alike.
class Divisions {
 public:
  void begin(const TessellationState& state) {
    if (state_.domain == state.domain && state_.spacing == state.spacing && state_.points == state.points &&
        state_.reversed == state.reversed)
      return;
    state_ = state;
    kept_.clear();
  }
  const DomainMesh& of(const EffectiveLevels& levels) {
    for (const Kept& kept : kept_)
      if (kept.levels == levels) return kept.mesh;
    if (kept_.size() < kKeptDivisions) kept_.emplace_back();
    Kept& made = kept_[next_++ % kept_.size()];
    made.levels = levels;
    tessellate(state_, levels, made.mesh);
    return made.mesh;
  }

 private:
  struct Kept {
    EffectiveLevels levels;
    DomainMesh mesh;
  };
  TessellationState state_;
  std::vector<Kept> kept_;
  std::size_t next_ = 0;
};

/// What runs leave to the next.
struct Workspace {
  StageRunner runner;
  Divisions divisions;
  machine::SurfaceResource inputs, patch_inputs, records;
  // Of a window:
  std::vector<DomainVertex> vertices;
  std::vector<std::uint32_t> corners;
  std::vector<PrimitiveTag> tags;
};

PatchLevels levels_of(const PatchStream& in, std::size_t patch) {
  PatchLevels levels;
  const std::uint8_t* from = in.patches->memory->data() + patch * in.patch_stride;
  std::memcpy(levels.outer.data(), from, sizeof levels.outer);
  std::memcpy(levels.inner.data(), from + sizeof levels.outer, sizeof levels.inner);
  return levels;
}

/// run-undefined-register: levels that count and that the control shader did not write. Whether there are any.
bool check_levels(const PatchStream& in, std::size_t patch, TessellationDomain domain, machine::Reports& reports) {
  const std::uint8_t* const marks = in.patches->memory->data() + in.patches->entries + patch * in.patch_stride;
  const auto check = [&](const char* name, std::uint32_t first, std::uint32_t count) {
    for (std::uint32_t k = 0; k < count; ++k) {
      if (marks[std::size_t{first + k} * 4] == 0) continue;
      base::Diagnostic d =
          base::warning("run-undefined-register",
                        fmt::format("the tessellation control shader did not write {}[{}] for patch {} of the draw",
                                    name, k, in.tags[patch].number));
      if (reports.mode() == machine::CheckMode::Error) d.severity = base::Severity::Error;
      reports.add(std::move(d));
      return true;
    }
    return false;
  };
  return check("gl_TessLevelOuter", 0, outer_count(domain)) || check("gl_TessLevelInner", 4, inner_count(domain));
}

/// The records of patches as a stream, of which links copy what is read.
PrimitiveStream as_stream(const machine::SurfaceResource& records, std::uint32_t stride, std::size_t count) {
  PrimitiveStream stream;
  stream.records = records;
  stream.stride = stride;
  stream.vertices = static_cast<std::uint32_t>(count);
  return stream;
}

}  // namespace

struct EvaluationProgram::Impl {
  Impl(std::shared_ptr<const Program> p, EvaluationPlan evaluation, const Bound& slots, const CodeOptions& options)
      : program(std::move(p)), plan(std::move(evaluation)), code(*program, slots.bindings, kernel_options(), options) {}

  [[nodiscard]] engine::jit::KernelOptions kernel_options() const {
    engine::jit::KernelOptions kernel;
    kernel.simd = plan.simd;
    kernel.own_surfaces = slots_of({plan.records});
    return kernel;
  }
  std::uint32_t fill(LaneWorker& worker, const PatchStream& in, const TessellationState& state,
                     const Workspace& workspace, std::uint64_t thread) const;
  bool run_window(Workspace& workspace, const PatchStream& in, const TessellationState& state, Bound& bound,
                  RunContext& context, Counters& counters, const UseStream& use) const;

  const std::shared_ptr<const Program> program;
  const EvaluationPlan plan;
  const PlanCode code;
  Workspaces<Workspace> workspaces;
};

/// The lanes of a thread: a vertex in each.
std::uint32_t EvaluationProgram::Impl::fill(LaneWorker& worker, const PatchStream& in, const TessellationState& state,
                                            const Workspace& workspace, std::uint64_t thread) const {
  const std::uint64_t first = thread * plan.simd;
  const auto lanes = static_cast<std::uint32_t>(std::min<std::uint64_t>(plan.simd, workspace.vertices.size() - first));
  const DomainVertex* of = workspace.vertices.data() + first;
  const bool triangles = state.domain == TessellationDomain::Triangles;
  const auto number = [](std::uint32_t fixed) {
    return std::bit_cast<std::uint32_t>(static_cast<float>(fixed) / static_cast<float>(kDomainOne));
  };
  for (const LaneValue& v : plan.values) {
    const auto put = [&](const auto& value) { worker.put(v.offset, lanes, value); };
    switch (v.value) {
      case SystemValue::Slot:
        put([&](std::uint32_t lane) { return static_cast<std::uint32_t>(first) + lane; });
        break;
      case SystemValue::PrimitiveSlot:
        put([&](std::uint32_t lane) { return of[lane].patch; });
        break;
      case SystemValue::FirstCorner:
        put([&](std::uint32_t lane) { return of[lane].patch * in.vertices; });
        break;
      case SystemValue::TessCoordX:
        put([&](std::uint32_t lane) { return number(of[lane].at.u); });
        break;
      case SystemValue::TessCoordY:
        put([&](std::uint32_t lane) { return number(of[lane].at.v); });
        break;
      case SystemValue::TessCoordZ:
        put([&](std::uint32_t lane) { return triangles ? number(kDomainOne - of[lane].at.u - of[lane].at.v) : 0; });
        break;
      case SystemValue::Primitive:
        put([&](std::uint32_t lane) { return in.tags[of[lane].patch].number; });
        break;
      case SystemValue::PatchVertices:
        put([&](std::uint32_t) { return in.vertices; });
        break;
      case SystemValue::View:
        put([&](std::uint32_t) { return in.view; });
        break;
      default:
        put([](std::uint32_t) { return 0u; });
    }
  }
  return lanes;
}

/// Runs the shader for the vertices of the window, and gives what they make.
bool EvaluationProgram::Impl::run_window(Workspace& workspace, const PatchStream& in, const TessellationState& state,
                                         Bound& bound, RunContext& context, Counters& counters,
                                         const UseStream& use) const {
  if (workspace.vertices.empty()) return true;
  const std::uint64_t step = context.budget.take(1);  // draws of many empty windows may end by the clock
  context.budget.give_back(step);
  if (step == 0) return false;
  const std::uint64_t threads = (workspace.vertices.size() + plan.simd - 1) / plan.simd;
  counters.evaluation_invocations += workspace.vertices.size();
  const bool good = workspace.runner.run(
      *program, code, plan.scratch_bytes, threads, bound, context, counters,
      [&](LaneWorker& worker, std::uint64_t thread) { return fill(worker, in, state, workspace, thread); });
  if (!good) return false;
  PrimitiveStream out;
  out.records = workspace.records;
  out.stride = plan.stride;
  out.vertices = static_cast<std::uint32_t>(workspace.vertices.size());
  out.corners = corners_of(state);
  out.at = workspace.corners;
  out.tags = workspace.tags;
  out.view = in.view;
  const bool used = use(out);
  workspace.vertices.clear();
  workspace.corners.clear();
  workspace.tags.clear();
  context.budget.progress();
  return used;
}

EvaluationProgram::EvaluationProgram(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
EvaluationProgram::~EvaluationProgram() = default;

std::shared_ptr<const EvaluationProgram> EvaluationProgram::create(std::shared_ptr<const Program> program,
                                                                   EvaluationPlan plan, const Bound& slots,
                                                                   const CodeOptions& options) {
  return std::shared_ptr<const EvaluationProgram>(
      new EvaluationProgram(std::make_unique<Impl>(std::move(program), std::move(plan), slots, options)));
}

const Program& EvaluationProgram::program() const { return *impl_->program; }
const EvaluationPlan& EvaluationProgram::plan() const { return impl_->plan; }

bool EvaluationProgram::run(const PatchStream& in, const TessellationState& state, Bound& bound, RunContext& context,
                            Counters& counters, const UseStream& use) const {
  Impl& impl = *impl_;
  const EvaluationPlan& plan = impl.plan;
  auto workspace = impl.workspaces.take();
  if (!workspace) workspace = std::make_unique<Workspace>();
  Workspace& w = *workspace;
  const bool checked = context.reports.checking();
  const PrimitiveStream vertices = as_stream(in.records, in.stride, in.size() * in.vertices),
                        patches = as_stream(in.patches, in.patch_stride, in.size());
  constexpr std::uint64_t kMax = kWindowVertices + (Division::kMaxSegments + 1) * (Division::kMaxSegments + 1);
  if (checked || !w.records || w.records->entries < kMax * plan.stride)
    make_records(w.records, kMax * plan.stride, checked);
  bind_own(bound.bindings, plan.inputs_at, plan.inputs.take(vertices, w.inputs, checked));
  bind_own(bound.bindings, plan.patch_inputs_at, plan.patch_inputs.take(patches, w.patch_inputs, checked));
  bind_own(bound.bindings, plan.records, w.records);
  w.runner.begin(impl.code, bound, context);
  w.divisions.begin(state);
  w.vertices.clear();
  w.corners.clear();
  w.tags.clear();
  const std::uint32_t corners = corners_of(state);
  bool good = true, unwritten = false;
  for (std::size_t patch = 0; good && patch < in.size(); ++patch) {
    if (checked && !unwritten) unwritten = check_levels(in, patch, state.domain, context.reports);
    const EffectiveLevels levels = effective_levels(state, levels_of(in, patch));
    if (levels.culled) continue;
    const DomainMesh& mesh = w.divisions.of(levels);
    const auto first = static_cast<std::uint32_t>(w.vertices.size());
    for (const DomainPoint& point : mesh.points) w.vertices.push_back({point, static_cast<std::uint32_t>(patch)});
    for (const std::uint32_t index : mesh.indices) w.corners.push_back(first + index);
    w.tags.resize(w.tags.size() + mesh.indices.size() / corners, {in.tags[patch].number, false});
    if (w.vertices.size() >= kWindowVertices) good = impl.run_window(w, in, state, bound, context, counters, use);
  }
  if (good) good = impl.run_window(w, in, state, bound, context, counters, use);
  w.runner.end();
  impl.workspaces.give_back(std::move(workspace));
  return good;
}

}  // namespace heddle::pipeline
