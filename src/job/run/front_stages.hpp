// SPDX-License-Identifier: MIT
#pragma once
// The shaders that stand before the pixels of a draw, bound to the same job.

#include <functional>
#include <memory>
#include <optional>
#include <span>

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

class FrontStages {
 public:
  /// Those that the job names; false after a report.
  bool bind(const Job& job, const RunHooks& hooks, const Resources& resources, isa::Platform platform,
            base::Diagnostics& diagnostics);
  [[nodiscard]] base::Result<base::Done> prepare(const Job& job, const RunHooks& hooks, isa::Platform platform,
                                                 const pipeline::CodeOptions& options);
  /// The stage before the pixels; null: there is none.
  [[nodiscard]] const ShaderInterface* last() const;
  [[nodiscard]] bool ready() const { return vertices_ready_ != nullptr; }
  [[nodiscard]] bool has_geometry() const { return geometry_.there(); }
  [[nodiscard]] const pipeline::VertexDraw& draw() const { return vertices_->draw; }
  template <typename Use>
  void for_each(const Use& use) {
    if (vertex_.there()) use(vertex_);
    if (geometry_.there()) use(geometry_);
  }

  using From = std::span<const pipeline::RecordComponent>;
  /// All vertices become one mesh; or each piece of them one, which `use` draws.
  bool run_vertices(From from, pipeline::Mesh& mesh, pipeline::RunContext& context, pipeline::Counters& counters);
  bool run_pieces(From from, pipeline::Mesh& mesh, pipeline::RunContext& context, pipeline::Counters& counters,
                  const std::function<bool()>& use);
  /// With a geometry shader: pieces of the vertices, and what becomes of each.
  bool run_streams(pipeline::RunContext& context, pipeline::Counters& counters, const pipeline::UseStream& use);
  bool run_geometry(const pipeline::PrimitiveStream& stream, From from, pipeline::Mesh& mesh,
                    pipeline::RunContext& context, pipeline::Counters& counters, const std::function<bool()>& use);

 private:
  FrontStage vertex_, geometry_;
  std::unique_ptr<BoundVertices> vertices_;
  pipeline::GeometryPlan geometry_plan_;
  pipeline::RecordLayout records_;  ///< of the last stage
  std::shared_ptr<const pipeline::VertexProgram> vertices_ready_;
  std::shared_ptr<const pipeline::GeometryProgram> geometry_ready_;
};

}  // namespace heddle::job
