// SPDX-License-Identifier: MIT
#pragma once
// The stages of a graphics pipeline: from a shader's vISA to a program of pipeline/, with what it reads and writes.

#include <vector>

#include "base/result.hpp"
#include "shader_interface/interface.hpp"
#include "vulkan/pipelines/graphics_pipeline.hpp"
#include "vulkan/pipelines/shader.hpp"

namespace heddle::vulkan {

/// A stage of a pipeline whose shaders are loaded; the vertex stage with a program for its vertex input, the fragment
/// stage with one for its samples, unless commands set those. Ids: compile-entry.
[[nodiscard]] base::Result<base::Done> make_stage(Device& device, ShaderStage stage, GraphicsPipeline& to);

/// How the records lie that reach the rasterizer: those of the last stage before it.
void set_records(GraphicsPipeline& to);
/// Makes the program for these attributes the one that runs.
void set_vertex_input(Device& device, const std::vector<VertexInput::Attribute>& attributes, GraphicsPipeline& to);
/// The same for the number of samples and their positions.
void set_samples(Device& device, const GraphicsState& state, GraphicsPipeline& to);

}  // namespace heddle::vulkan
