// SPDX-License-Identifier: MIT
#pragma once
// The shaders that stand before the pixels of a draw, bound to the same job.

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include "base/result.hpp"
#include "job/bind/bind.hpp"
#include "job/bind/binder.hpp"
#include "job/run/run.hpp"

namespace heddle::job {

/// A pointer to what outlives it.
[[nodiscard]] inline std::shared_ptr<const isa::Program> not_owned(const isa::Program& program) {
  return {std::shared_ptr<void>(), &program};
}

struct FrontStage {
  const isa::Object* kernel = nullptr;
  std::optional<ShaderInterface> shader;
  std::optional<Binder> binder;

  [[nodiscard]] bool there() const { return binder.has_value(); }
};

/// One run of the stages, and what it needs of the caller.
struct FrontRun {
  std::span<const pipeline::RecordComponent> from;  ///< where the attributes of the mesh lie in the last records
  pipeline::Mesh& mesh;                             ///< what is drawn next
  pipeline::Counters& counters;
  using Work = std::function<bool(pipeline::RunContext&)>;
  std::function<bool(isa::ShaderStage, const Work&)> in_stage;  ///< runs work of that stage, with reports of its own
  std::function<bool()> draw;                                   ///< the pixels of `mesh`
};

class FrontStages {
 public:
  /// Those that the job names; false after a report.
  bool bind(const Job& job, const RunHooks& hooks, const Resources& resources, isa::Platform platform,
            base::Diagnostics& diagnostics);
  [[nodiscard]] base::Result<base::Done> prepare(const Job& job, const RunHooks& hooks, isa::Platform platform,
                                                 const pipeline::CodeOptions& options);
  /// The stage before the pixels; null: there is none.
  [[nodiscard]] const ShaderInterface* last() const { return last_; }
  [[nodiscard]] bool ready() const { return vertices_ready_ != nullptr || mesh_ready_ != nullptr; }
  /// Nothing stands between the vertices and the pixels.
  [[nodiscard]] bool vertices_alone() const;
  /// Invocations of the first stage: those of a draw, and those that have run. The second may count vertices that
  /// primitives share more than once.
  [[nodiscard]] double invocations() const;
  [[nodiscard]] std::uint64_t invocations(const pipeline::Counters& counters) const;
  template <typename Use>
  void for_each(const Use& use) {
    for (FrontStage& stage : stages_)
      if (stage.there()) use(stage);
  }

  /// Draws piece by piece. False as PixelProgram::run, or when `draw` returns it.
  bool run(const FrontRun& run);
  /// All vertices become one mesh, and nothing is drawn; of vertices alone.
  bool run_vertices(const FrontRun& run);

 private:
  class Binding;
  [[nodiscard]] FrontStage& at(isa::ShaderStage stage) { return stages_[stage]; }
  [[nodiscard]] bool has(isa::ShaderStage stage) const { return stages_[stage].there(); }
  // Each gives what its stage makes to the next one.
  bool run_stream(const FrontRun& run, const pipeline::PrimitiveStream& stream);
  bool run_control(const FrontRun& run, const pipeline::PrimitiveStream& stream);
  bool run_evaluation(const FrontRun& run, const pipeline::PatchStream& patches);
  bool run_geometry(const FrontRun& run, const pipeline::PrimitiveStream& stream);
  bool run_tasks(const FrontRun& run);
  bool run_mesh(const FrontRun& run, const pipeline::TaskStream& tasks);
  bool finish(const FrontRun& run, const pipeline::PrimitiveStream& stream);

  isa::PerStage<FrontStage> stages_;
  const ShaderInterface* last_ = nullptr;
  std::unique_ptr<BoundVertices> vertices_;
  pipeline::ControlPlan control_plan_;
  pipeline::EvaluationPlan evaluation_plan_;
  pipeline::GeometryPlan geometry_plan_;
  pipeline::TaskPlan task_plan_;
  pipeline::MeshPlan mesh_plan_;
  pipeline::TessellationState tessellation_;
  pipeline::GroupCount groups_{1, 1, 1};
  pipeline::GroupDraw group_draw_;
  pipeline::PrimitiveState primitives_;
  pipeline::RecordLayout records_;  ///< of the last stage
  std::shared_ptr<const pipeline::VertexProgram> vertices_ready_;
  std::shared_ptr<const pipeline::ControlProgram> control_ready_;
  std::shared_ptr<const pipeline::EvaluationProgram> evaluation_ready_;
  std::shared_ptr<const pipeline::GeometryProgram> geometry_ready_;
  std::shared_ptr<const pipeline::TaskProgram> task_ready_;
  std::shared_ptr<const pipeline::MeshProgram> mesh_ready_;
};

}  // namespace heddle::job
