// SPDX-License-Identifier: MIT
#pragma once
// HEDDLE_CAPTURE: a dispatch or a draw as a job file, which `heddle run` repeats bit for bit.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "pipeline/compute/compute.hpp"
#include "pipeline/meshlets/task.hpp"
#include "pipeline/vertices/vertices.hpp"
#include "vulkan/pipelines/graphics_pipeline.hpp"

namespace heddle::vulkan {

struct CommandContext;

/// Writes each dispatch and each draw before it runs, where the environment names a folder; what can't be written is
/// told to the application.
void attach_capture(CommandContext& context);

/// What the application says of where a command is: comments of the job.
struct CommandPlace {
  const std::vector<std::string>& labels;  ///< around it
  std::optional<std::uint64_t> frame;      ///< that it belongs to
  std::vector<std::string> before = {};    ///< passes and transfers since the command before it (Between)
};

/// Writes FOLDER/NNNNNN.toml, the program (NNNNNN.visaasm, and the module that it was compiled from, NNNNNN.spv) and
/// what is bound now, before the dispatch runs; the job saves what shaders write under names with `.out`. The answer
/// says what went wrong; empty: nothing.
[[nodiscard]] std::string capture_dispatch(const std::string& folder, const Pipeline& pipeline,
                                           const pipeline::Grid& grid, const CommandPlace& place);

struct CapturedDraw {
  const pipeline::VertexDraw& vertices;
  const std::optional<pipeline::GroupCount>& groups;  ///< of task or mesh shaders, in place of vertices
  CommandPlace place;
  bool domain_lower_left = false;  ///< the origin of a patch's domain
};

/// The same for a draw that is rasterized, its state and targets set: the fragment program (NNNNNN.visaasm), those of
/// the stages before it (NNNNNN.vert.visaasm), buffers and indices, and the attachments as they are before it, which
/// the job saves.
[[nodiscard]] std::string capture_draw(const std::string& folder, const GraphicsPipeline& pipeline,
                                       const CapturedDraw& draw);

}  // namespace heddle::vulkan
