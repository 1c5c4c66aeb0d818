// SPDX-License-Identifier: MIT
// Task shaders: work groups that say how many groups of the mesh shader follow each, and give those a payload.
// Rules: MSH-1 to MSH-3.
#include <fmt/format.h>

#include <spirv/unified1/spirv.hpp11>

#include "spirv/compile/stages/mesh_groups.hpp"

namespace heddle::spirv::compiler {
namespace {

class Task final : public Stage {
 public:
  void begin(ShaderContext& t) override {
    groups_.begin(t);
    const auto& local = groups_.local();
    write_stage_line(t, fmt::format(" {} {} {}", local[0], local[1], local[2]));
    groups_.declare_inputs(t);
    groups_.declare_payload(t, groups_.slot());
    check_inputs(t);
    t.emission.mesh_groups = [&](const std::array<Part, 3>& groups) {
      groups_.write_counts(t, {groups[0], groups[1], groups[2]});
    };
  }
  void end(ShaderContext&) override {}

 private:
  MeshGroups groups_;
};

}  // namespace

std::unique_ptr<Stage> task_stage() { return std::make_unique<Task>(); }

}  // namespace heddle::spirv::compiler
