// SPDX-License-Identifier: MIT
#pragma once
// Draws: the vertex program makes a mesh, the fragment program runs over its pixels.

#include <vulkan/vulkan.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "pipeline/meshlets/task.hpp"
#include "pipeline/vertices/vertices.hpp"
#include "vulkan/commands/command.hpp"

namespace heddle::vulkan {

struct CommandContext;
struct GraphicsPipeline;
struct Pipeline;
class Queries;
class ShaderRuns;

class Draws {
 public:
  Draws(CommandContext& context, const ShaderRuns& shaders, Queries& queries)
      : context_(context), shaders_(shaders), queries_(queries) {}

  /// Draws from `first` on that differ in nothing but their vertices run as one; the last of them, null where there is
  /// none but the first, which has not run then.
  [[nodiscard]] const Command* run_together(const Command& first);

  void run(const commands::Draw& c);
  void run(const commands::DrawIndexed& c);
  void run(const commands::DrawMultiEXT& c);
  void run(const commands::DrawMultiIndexedEXT& c);
  void run(const commands::DrawIndirect& c);
  void run(const commands::DrawIndexedIndirect& c);
  void run(const commands::DrawIndirectCount& c);
  void run(const commands::DrawIndexedIndirectCount& c);
  void run(const commands::DrawIndirectByteCountEXT& c);
  void run(const commands::DrawMeshTasksEXT& c);
  void run(const commands::DrawMeshTasksIndirectEXT& c);
  void run(const commands::DrawMeshTasksIndirectCountEXT& c);

 private:
  /// The pipeline that is bound, or that the bound shaders make; null where there is none.
  [[nodiscard]] Pipeline* bound_pipeline() const;
  void draw(pipeline::VertexDraw what);
  [[nodiscard]] bool may_join() const;
  template <typename C>
  [[nodiscard]] const Command* join(const C& first);
  void draw_groups(const pipeline::GroupCount& groups, std::uint32_t number);
  void draw_groups_indirect(const Command& c, VkBuffer buffer, VkDeviceSize offset, std::uint32_t count,
                            std::uint32_t stride);
  /// The pipeline that draws, with its states set; null: nothing is drawn.
  GraphicsPipeline* begin(bool groups, pipeline::VertexDraw& what);
  void draw_views(GraphicsPipeline& pipeline, pipeline::VertexDraw& what,
                  const std::optional<pipeline::GroupCount>& groups);
  void draw_indirect(const Command& c, VkBuffer buffer, VkDeviceSize offset, std::uint32_t count, std::uint32_t stride,
                     bool indexed);
  [[nodiscard]] std::uint32_t count_of(VkBuffer buffer, VkDeviceSize offset, std::uint32_t most) const;
  [[nodiscard]] pipeline::IndexBuffer indices() const;
  void set_buffers(const std::vector<std::optional<std::uint32_t>>& divisors);
  void draw_view(GraphicsPipeline& pipeline, pipeline::VertexDraw& what,
                 const std::optional<pipeline::GroupCount>& groups, std::uint32_t view);
  /// Binds the attachments.
  void set_targets(GraphicsPipeline& pipeline) const;

  CommandContext& context_;
  const ShaderRuns& shaders_;
  Queries& queries_;
  std::vector<pipeline::VertexBuffer> buffers_;  ///< of the pipeline that is prepared
  std::vector<pipeline::VertexRange> ranges_;    ///< of draws that run together
};

}  // namespace heddle::vulkan
