// SPDX-License-Identifier: MIT
#pragma once
// Windows of work groups of task and mesh shaders (MSH-1).

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "pipeline/compute/compute.hpp"
#include "pipeline/primitives/record_link.hpp"
#include "pipeline/shader_values.hpp"

namespace heddle::pipeline {

/// What task and mesh programs decide alike.
struct GroupPlan {
  ComputePlan compute;
  std::array<std::uint32_t, 3> local{1, 1, 1};  ///< size of a group
  struct Value {
    SystemValue value{};
    std::uint32_t offset = 0;  ///< in the payload
  };
  std::vector<Value> values;          ///< FirstGroup, Draw, View: the same for all lanes
  OwnSurface groups, counts;          ///< the table of groups; what each says of itself
  std::optional<OwnSurface> payload;  ///< records that task groups write and mesh groups read
};

/// A group as the table has it.
struct GroupEntry {
  std::array<std::uint32_t, 3> number{};
  std::uint32_t task = 0;  ///< the record of the payload
  std::array<std::uint32_t, 3> count{1, 1, 1};
  std::uint32_t unused = 0;
};
static_assert(sizeof(GroupEntry) == 32);

/// What a group says of itself: of a task how many mesh groups follow it; of a mesh vertices and primitives.
using GroupCounts = std::array<std::uint32_t, 4>;

/// What the groups of a draw have in common.
struct GroupDraw {
  std::uint32_t draw = 0;  ///< Vulkan's DrawIndex
  std::uint32_t view = 0;  ///< and ViewIndex
};

/// A kernel made ready; what windows leave to the next is the caller's.
class GroupRunner {
 public:
  GroupRunner(std::shared_ptr<const Program> program, const GroupPlan& plan, const Bound& slots,
              const CodeOptions& options);

  [[nodiscard]] const Program& program() const { return program_->program(); }
  struct Surfaces {
    machine::SurfaceResource groups, counts;
  };
  /// Runs the groups of a window, the first of which has the number `first` in the payload. The other surfaces are
  /// bound. False as ComputeProgram::run.
  bool run(std::span<const GroupEntry> window, std::uint32_t first, const GroupDraw& draw, Surfaces& surfaces,
           Bound& bound, RunContext& context, Counters& counters) const;
  /// What the groups of that window said.
  [[nodiscard]] static GroupCounts counts_of(const Surfaces& surfaces, std::size_t group);

 private:
  const GroupPlan& plan_;
  std::shared_ptr<const ComputeProgram> program_;
};

}  // namespace heddle::pipeline
