// SPDX-License-Identifier: MIT
// Rules: TES-11, TES-14.
#include <algorithm>
#include <utility>

#include "pipeline/primitives/stage_runner.hpp"
#include "pipeline/primitives/tessellation.hpp"

namespace heddle::pipeline {
namespace {

constexpr std::uint64_t kWindowBytes = std::uint64_t{2} << 20;  // of the records of a window
constexpr std::uint64_t kWindowPatches = 4096;

/// What runs leave to the next.
struct Workspace {
  StageRunner runner;
  machine::SurfaceResource inputs, table, records, patches;
};

/// Patches of a run.
struct Window {
  const PrimitiveStream* in = nullptr;
  std::uint64_t first = 0, patches = 0;
};

}  // namespace

struct ControlProgram::Impl {
  Impl(std::shared_ptr<const Program> p, ControlPlan control, const Bound& slots, const CodeOptions& options)
      : program(std::move(p)),
        plan(std::move(control)),
        per_thread(std::max(1u, plan.simd / plan.vertices)),
        code(*program, slots.bindings, kernel_options(), options) {}

  [[nodiscard]] engine::jit::KernelOptions kernel_options() const {
    engine::jit::KernelOptions kernel;
    kernel.simd = plan.simd;
    return kernel;
  }
  [[nodiscard]] std::uint64_t window_patches() const {
    const std::uint64_t bytes = std::uint64_t{plan.vertices} * plan.stride + plan.patch_stride;
    const std::uint64_t most =
        std::clamp<std::uint64_t>(kWindowBytes / std::max<std::uint64_t>(1, bytes), 1, kWindowPatches);
    return std::max<std::uint64_t>(per_thread, most / per_thread * per_thread);
  }
  std::uint32_t fill(LaneWorker& worker, const Window& window, std::uint64_t thread) const;
  bool run_window(Workspace& workspace, const Window& window, const Bound& bound, RunContext& context,
                  Counters& counters) const;

  const std::shared_ptr<const Program> program;
  const ControlPlan plan;
  const std::uint32_t per_thread;  ///< patches
  const PlanCode code;
  Workspaces<Workspace> workspaces;
};

/// The lanes of a thread: whole patches, the invocations of one behind those of the other.
std::uint32_t ControlProgram::Impl::fill(LaneWorker& worker, const Window& window, std::uint64_t thread) const {
  const std::uint64_t first = thread * per_thread;
  const auto patches = static_cast<std::uint32_t>(std::min<std::uint64_t>(per_thread, window.patches - first));
  const std::uint32_t lanes = std::min(patches * plan.vertices, plan.simd), corners = window.in->corners;
  const auto slot = [&](std::uint32_t lane) { return static_cast<std::uint32_t>(first) + lane / plan.vertices; };
  for (const LaneValue& v : plan.values) {
    const auto put = [&](const auto& value) { worker.put(v.offset, lanes, value); };
    switch (v.value) {
      case SystemValue::Slot:
        put(slot);
        break;
      case SystemValue::FirstCorner:
        put([&](std::uint32_t lane) { return (static_cast<std::uint32_t>(window.first) + slot(lane)) * corners; });
        break;
      case SystemValue::Invocation:
        put([&](std::uint32_t lane) { return lane % plan.vertices; });
        break;
      case SystemValue::Primitive:
        put([&](std::uint32_t lane) { return window.in->tags[window.first + slot(lane)].number; });
        break;
      case SystemValue::PatchVertices:
        put([&](std::uint32_t) { return corners; });
        break;
      case SystemValue::View:
        put([&](std::uint32_t) { return window.in->view; });
        break;
      default:
        put([](std::uint32_t) { return 0u; });
    }
  }
  return lanes;
}

bool ControlProgram::Impl::run_window(Workspace& workspace, const Window& window, const Bound& bound,
                                      RunContext& context, Counters& counters) const {
  const std::uint64_t threads = (window.patches + per_thread - 1) / per_thread;
  counters.control_patches += window.patches;
  return workspace.runner.run(*program, code, plan.scratch_bytes, threads, bound, context, counters,
                              [&](LaneWorker& worker, std::uint64_t thread) { return fill(worker, window, thread); });
}

ControlProgram::ControlProgram(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
ControlProgram::~ControlProgram() = default;

std::shared_ptr<const ControlProgram> ControlProgram::create(std::shared_ptr<const Program> program, ControlPlan plan,
                                                             const Bound& slots, const CodeOptions& options) {
  return std::shared_ptr<const ControlProgram>(
      new ControlProgram(std::make_unique<Impl>(std::move(program), std::move(plan), slots, options)));
}

const Program& ControlProgram::program() const { return *impl_->program; }
const ControlPlan& ControlProgram::plan() const { return impl_->plan; }

bool ControlProgram::run(const PrimitiveStream& in, Bound& bound, RunContext& context, Counters& counters,
                         const UsePatches& use) const {
  Impl& impl = *impl_;
  const ControlPlan& plan = impl.plan;
  if (in.size() == 0) return true;
  auto workspace = impl.workspaces.take();
  if (!workspace) workspace = std::make_unique<Workspace>();
  const bool checked = context.reports.checking();
  const std::uint64_t most = std::min<std::uint64_t>(in.size(), impl.window_patches());
  const auto make = [&](std::uint64_t patches) {  // what no invocation writes reads 0
    make_records(workspace->records, patches * plan.vertices * plan.stride, checked);
    make_records(workspace->patches, patches * plan.patch_stride, checked);
    if (!checked) return;
    mark_all_unwritten(*workspace->records);
    mark_all_unwritten(*workspace->patches);
  };
  make(most);
  make_table(workspace->table, in);
  bind_own(bound.bindings, plan.inputs_at, plan.inputs.take(in, workspace->inputs, checked));
  bind_own(bound.bindings, plan.table, workspace->table);
  bind_own(bound.bindings, plan.records, workspace->records);
  bind_own(bound.bindings, plan.patches, workspace->patches);
  workspace->runner.begin(impl.code, bound, context);
  bool good = true;
  for (std::uint64_t first = 0; good && first < in.size(); first += most) {
    const Window window{&in, first, std::min<std::uint64_t>(most, in.size() - first)};
    if (first != 0) make(window.patches);
    good = impl.run_window(*workspace, window, bound, context, counters);
    PatchStream made;
    made.records = workspace->records;
    made.patches = workspace->patches;
    made.stride = plan.stride;
    made.patch_stride = plan.patch_stride;
    made.vertices = plan.vertices;
    made.tags = in.tags.subspan(first, window.patches);
    made.view = in.view;
    if (good) good = use(made);
    if (good) context.budget.progress();
  }
  workspace->runner.end();
  impl.workspaces.give_back(std::move(workspace));
  return good;
}

}  // namespace heddle::pipeline
