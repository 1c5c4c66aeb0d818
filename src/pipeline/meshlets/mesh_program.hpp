// SPDX-License-Identifier: MIT
#pragma once
// Mesh shaders: groups that make vertices, primitives and their indices (MSH-4 to MSH-7).

#include <array>
#include <cstdint>
#include <memory>
#include <optional>

#include "pipeline/meshlets/group_runner.hpp"
#include "pipeline/meshlets/task.hpp"
#include "pipeline/primitives/records.hpp"
#include "pipeline/primitives/stream.hpp"

namespace heddle::pipeline {

/// What the program decides, and how the records lie that it writes: of vertices, and of primitives.
struct MeshPlan : GroupPlan, RecordLayout {
  std::uint32_t corners = 3;  ///< vertices of a primitive
  std::uint32_t max_vertices = 1, max_primitives = 1;
  std::array<std::optional<std::uint32_t>, 3> index;  ///< bytes of a primitive's record: its vertices,
  std::optional<std::uint32_t> culled, number;        ///< whether it is gone, and Vulkan's PrimitiveId
  OwnSurface records, primitive_records;
};

/// A mesh kernel made ready: created once, run many times, by several threads at once.
class MeshProgram {
 public:
  /// `slots`: as for ComputeProgram::create.
  [[nodiscard]] static std::shared_ptr<const MeshProgram> create(std::shared_ptr<const Program> program, MeshPlan plan,
                                                                 const Bound& slots, const CodeOptions& options = {});
  ~MeshProgram();
  MeshProgram(const MeshProgram&) = delete;
  MeshProgram& operator=(const MeshProgram&) = delete;

  [[nodiscard]] const Program& program() const;
  [[nodiscard]] const MeshPlan& plan() const;
  /// Runs the groups that the tasks ask for, and gives what they make to `use`, window by window, in their order. Binds
  /// surfaces of its own. False as ComputeProgram::run, or when `use` returns it.
  bool run(const TaskStream& in, Bound& bound, RunContext& context, Counters& counters, const UseStream& use) const;

 private:
  struct Impl;
  explicit MeshProgram(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace heddle::pipeline
