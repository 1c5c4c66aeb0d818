#pragma once
// The two stages of a graphics pipeline: from a shader's vISA to a program of pipeline/, with what it reads and writes.

#include <string>
#include <vector>

#include "base/result.hpp"
#include "shader_interface/interface.hpp"
#include "vulkan/graphics/graphics_pipeline.hpp"
#include "vulkan/objects/shader.hpp"

namespace heddle::vulkan {

using StageVariables = std::vector<shader_interface::StageVariable>;

/// Answers the vertex shader's outputs. Ids: compile-entry.
[[nodiscard]] base::Result<StageVariables> make_vertex_stage(Device& device, const LoadedStage& loaded,
                                                             const VkPipelineVertexInputStateCreateInfo* input,
                                                             GraphicsPipeline::Vertex& to);

/// `outputs`: of the vertex shader. Samples of `to` are known already. Ids: compile-entry.
[[nodiscard]] base::Result<base::Done> make_fragment_stage(Device& device, const LoadedStage& loaded,
                                                           const StageVariables& outputs, GraphicsPipeline& to);

}  // namespace heddle::vulkan
