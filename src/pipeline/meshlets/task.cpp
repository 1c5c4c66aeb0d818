// SPDX-License-Identifier: MIT
// Rules: MSH-2, MSH-3.
#include "pipeline/meshlets/task.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "pipeline/meshlets/group_cursor.hpp"
#include "pipeline/primitives/records.hpp"

namespace heddle::pipeline {
namespace {

constexpr std::uint64_t kTaskWindowBytes = std::uint64_t{4} << 20;  // of the payloads of a window
constexpr std::uint64_t kTaskWindowGroups = 1024;

/// What runs leave to the next.
struct TaskWorkspace {
  GroupRunner::Surfaces surfaces;
  machine::SurfaceResource payload;
  std::vector<GroupEntry> window;
  std::vector<GroupCount> tasks;
};

bool is_too_many(const GroupCounts& counts) {
  std::uint64_t all = 1;
  for (std::size_t d = 0; d < 3; ++d) {
    if (counts[d] > kMaxGroupsOfDimension) return true;
    all *= counts[d];
  }
  return all > kMaxGroups;
}

}  // namespace

struct TaskProgram::Impl {
  Impl(std::shared_ptr<const Program> program, TaskPlan task, const Bound& slots, const CodeOptions& options)
      : plan(std::move(task)), runner(std::move(program), plan, slots, options) {}

  [[nodiscard]] std::size_t window_groups() const {
    return static_cast<std::size_t>(
        std::clamp<std::uint64_t>(kTaskWindowBytes / std::max(1u, plan.payload_bytes), 1, kTaskWindowGroups));
  }
  void read_counts(TaskWorkspace& workspace, RunContext& context) const;

  const TaskPlan plan;
  const GroupRunner runner;
  Workspaces<TaskWorkspace> workspaces;
};

/// run-too-many-groups.
void TaskProgram::Impl::read_counts(TaskWorkspace& workspace, RunContext& context) const {
  workspace.tasks.assign(workspace.window.size(), {});
  for (std::size_t k = 0; k < workspace.window.size(); ++k) {
    const GroupCounts counts = GroupRunner::counts_of(workspace.surfaces, k);
    if (!is_too_many(counts)) {
      workspace.tasks[k] = {counts[0], counts[1], counts[2]};
    } else if (context.reports.checking()) {
      const auto& number = workspace.window[k].number;
      context.reports.add(base::warning(
          "run-too-many-groups",
          fmt::format("task group ({}, {}, {}) asks for {} x {} x {} mesh groups: at most {} in each dimension and {} "
                      "altogether are there; it has none",
                      number[0], number[1], number[2], counts[0], counts[1], counts[2], kMaxGroupsOfDimension,
                      kMaxGroups)));
    }
  }
}

TaskProgram::TaskProgram(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
TaskProgram::~TaskProgram() = default;

std::shared_ptr<const TaskProgram> TaskProgram::create(std::shared_ptr<const Program> program, TaskPlan plan,
                                                       const Bound& slots, const CodeOptions& options) {
  return std::shared_ptr<const TaskProgram>(
      new TaskProgram(std::make_unique<Impl>(std::move(program), std::move(plan), slots, options)));
}

const Program& TaskProgram::program() const { return impl_->runner.program(); }

bool TaskProgram::run(const GroupCount& groups, const GroupDraw& draw, Bound& bound, RunContext& context,
                      Counters& counters, const UseTasks& use) const {
  Impl& impl = *impl_;
  auto workspace = impl.workspaces.take();
  if (!workspace) workspace = std::make_unique<TaskWorkspace>();
  TaskWorkspace& w = *workspace;
  const std::uint64_t invocations = std::uint64_t{impl.plan.local[0]} * impl.plan.local[1] * impl.plan.local[2];
  const std::size_t most = impl.window_groups();
  GroupCursor cursor(std::span(&groups, 1));
  bool good = true;
  std::uint32_t first = 0;
  for (cursor.next(most, w.window); good && !w.window.empty(); cursor.next(most, w.window)) {
    for (std::size_t k = 0; k < w.window.size(); ++k) w.window[k].task = static_cast<std::uint32_t>(k);
    if (impl.plan.payload) {
      make_records(w.payload, w.window.size() * std::uint64_t{impl.plan.payload_bytes}, context.reports.checking());
      bind_own(bound.bindings, *impl.plan.payload, w.payload);
    }
    good = impl.runner.run(w.window, first, draw, w.surfaces, bound, context, counters);
    if (!good) break;
    first += static_cast<std::uint32_t>(w.window.size());
    counters.task_invocations += w.window.size() * invocations;
    impl.read_counts(w, context);
    good = use({w.tasks, impl.plan.payload ? w.payload : nullptr, draw});
    if (good) context.budget.progress();
  }
  impl.workspaces.give_back(std::move(workspace));
  return good;
}

}  // namespace heddle::pipeline
