// SPDX-License-Identifier: MIT
#pragma once
// Task shaders: groups that say how many groups of the mesh shader follow them (MSH-2, MSH-3).

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>

#include "machine/bindings.hpp"
#include "pipeline/meshlets/group_runner.hpp"

namespace heddle::pipeline {

/// A number of groups in each dimension.
using GroupCount = std::array<std::uint32_t, 3>;

/// Mesh groups to be run: those of one task after those of the other. What it refers to holds until the task program
/// runs more.
struct TaskStream {
  std::span<const GroupCount> tasks;      ///< how many groups follow each
  machine::SurfaceResource payload = {};  ///< a record for each task; null: they have none
  GroupDraw draw;
};
using UseTasks = std::function<bool(const TaskStream&)>;

/// Task groups with more mesh groups have none (MSH-2).
inline constexpr std::uint32_t kMaxGroupsOfDimension = 65535, kMaxGroups = 1u << 22;

struct TaskPlan : GroupPlan {
  std::uint32_t payload_bytes = 0;  ///< of a record
};

/// A task kernel made ready: created once, run many times, by several threads at once.
class TaskProgram {
 public:
  /// `slots`: as for ComputeProgram::create.
  [[nodiscard]] static std::shared_ptr<const TaskProgram> create(std::shared_ptr<const Program> program, TaskPlan plan,
                                                                 const Bound& slots, const CodeOptions& options = {});
  ~TaskProgram();
  TaskProgram(const TaskProgram&) = delete;
  TaskProgram& operator=(const TaskProgram&) = delete;

  [[nodiscard]] const Program& program() const;
  /// Runs so many groups, and gives what they ask for to `use`, window by window, in their order. Binds surfaces of its
  /// own. False as ComputeProgram::run, or when `use` returns it.
  bool run(const GroupCount& groups, const GroupDraw& draw, Bound& bound, RunContext& context, Counters& counters,
           const UseTasks& use) const;

 private:
  struct Impl;
  explicit TaskProgram(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace heddle::pipeline
