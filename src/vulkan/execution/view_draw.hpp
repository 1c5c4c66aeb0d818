// SPDX-License-Identifier: MIT
#pragma once
// One draw for one view: its stages run piece by piece, from vertices or mesh groups to pixels.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "machine/report.hpp"
#include "pipeline/meshlets/task.hpp"
#include "pipeline/primitives/stream.hpp"
#include "pipeline/primitives/stream_mesh.hpp"
#include "pipeline/primitives/tessellation.hpp"
#include "pipeline/run_context.hpp"
#include "pipeline/vertices/vertices.hpp"
#include "vulkan/pipelines/graphics_pipeline.hpp"

namespace heddle::vulkan {

struct CommandContext;
class Queries;
class ShaderRuns;

class ViewDraw {
 public:
  /// The shaders are bound, and the state of the rasterizer is set where something is `rasterized`. With `groups` those
  /// are drawn, and `what` has no vertices.
  ViewDraw(CommandContext& context, const ShaderRuns& shaders, Queries& queries, GraphicsPipeline& pipeline,
           const pipeline::VertexDraw& what, const std::optional<pipeline::GroupCount>& groups, bool rasterized)
      : context_(context),
        shaders_(shaders),
        queries_(queries),
        pipeline_(pipeline),
        what_(what),
        groups_(groups),
        rasterized_(rasterized) {}

  void run();

 private:
  /// Whether somebody takes the primitives before the rasterizer does.
  [[nodiscard]] bool has_primitive_stages() const;
  bool run_vertices(pipeline::RunContext& run);
  /// The primitives of a piece go through the stages behind the vertices.
  bool take(const pipeline::PrimitiveStream& stream);
  bool run_control(const pipeline::PrimitiveStream& stream);
  bool run_evaluation(const pipeline::PatchStream& patches);
  bool run_geometry(const pipeline::PrimitiveStream& stream);
  std::optional<bool> draw_geometry(const pipeline::PrimitiveStream& stream, pipeline::RunContext& run);
  bool run_tasks(pipeline::RunContext& run);  // mesh_stages.cpp
  bool run_mesh(const pipeline::TaskStream& tasks);
  bool run_mesh(const pipeline::TaskStream& tasks, pipeline::RunContext& run);
  /// What the last stage made.
  bool finish(const pipeline::PrimitiveStream& stream);
  void capture(const pipeline::PrimitiveStream& stream);
  bool rasterize(const pipeline::PrimitiveStream& stream);
  /// The pipeline's mesh, or what `pieces` make.
  bool draw_pixels(pipeline::MeshPieces* pieces);
  void begin_stage(ShaderStage stage);
  [[nodiscard]] std::string how_far() const;
  void lose(ShaderStage stage, const std::string& how_far, machine::Reports& reports);

  CommandContext& context_;
  const ShaderRuns& shaders_;
  Queries& queries_;
  GraphicsPipeline& pipeline_;
  const pipeline::VertexDraw& what_;
  const std::optional<pipeline::GroupCount>& groups_;
  const bool rasterized_;
  pipeline::StreamPieces::Workspace stream_pieces_;
  pipeline::Counters counters_;
  std::uint64_t drawn_ = 0;                       ///< vertices
  const pipeline::MeshPieces* shared_ = nullptr;  ///< vertices of which each worker draws the next ones
};

}  // namespace heddle::vulkan
