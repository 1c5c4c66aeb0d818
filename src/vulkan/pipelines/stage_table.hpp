// SPDX-License-Identifier: MIT
#pragma once
// What Vulkan says of the stages of shaders: a row for each of isa::ShaderStage.

#include <vulkan/vulkan.h>

#include "isa/shader_stage.hpp"
#include "vulkan/pipelines/graphics_state.hpp"

namespace heddle::vulkan {

using isa::ShaderStage;

struct StageRow {
  ShaderStage stage{};
  VkShaderStageFlagBits flag{};
  VkPipelineStageFlags2 barrier = 0;  ///< how barriers name it
  PipelineParts part = 0;             ///< of a pipeline that draws; 0: it has no such stage
};

inline constexpr isa::PerStage<StageRow> kStageRows{{{
    {ShaderStage::Vertex, VK_SHADER_STAGE_VERTEX_BIT, VK_PIPELINE_STAGE_2_VERTEX_SHADER_BIT, kVertexPart},
    {ShaderStage::TessellationControl, VK_SHADER_STAGE_TESSELLATION_CONTROL_BIT,
     VK_PIPELINE_STAGE_2_TESSELLATION_CONTROL_SHADER_BIT, kVertexPart},
    {ShaderStage::TessellationEvaluation, VK_SHADER_STAGE_TESSELLATION_EVALUATION_BIT,
     VK_PIPELINE_STAGE_2_TESSELLATION_EVALUATION_SHADER_BIT, kVertexPart},
    {ShaderStage::Geometry, VK_SHADER_STAGE_GEOMETRY_BIT, VK_PIPELINE_STAGE_2_GEOMETRY_SHADER_BIT, kVertexPart},
    {ShaderStage::Task, VK_SHADER_STAGE_TASK_BIT_EXT, VK_PIPELINE_STAGE_2_TASK_SHADER_BIT_EXT, kVertexPart},
    {ShaderStage::Mesh, VK_SHADER_STAGE_MESH_BIT_EXT, VK_PIPELINE_STAGE_2_MESH_SHADER_BIT_EXT, kVertexPart},
    {ShaderStage::Fragment, VK_SHADER_STAGE_FRAGMENT_BIT, VK_PIPELINE_STAGE_2_FRAGMENT_SHADER_BIT, kFragmentPart},
    {ShaderStage::Compute, VK_SHADER_STAGE_COMPUTE_BIT, VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT, 0},
}}};

static_assert(isa::in_order(kStageRows));

/// The stage of a flag. Flags that no valid program gives are taken for compute.
[[nodiscard]] constexpr ShaderStage stage_of_flag(VkShaderStageFlagBits flag) {
  for (const StageRow& row : kStageRows)
    if (row.flag == flag) return row.stage;
  return ShaderStage::Compute;
}

}  // namespace heddle::vulkan
