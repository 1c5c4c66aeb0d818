// SPDX-License-Identifier: MIT
// The table of stages has SPIR-V's own numbers.

#include <gtest/gtest.h>

#include <spirv/unified1/spirv.hpp11>

#include "isa/shader_stage.hpp"
#include "spirv/names.hpp"

namespace heddle::spirv {
namespace {

using isa::ShaderStage;

TEST(ShaderStages, HaveTheExecutionModelsOfSpirv) {
  isa::PerStage<spv::ExecutionModel> models;
  models[ShaderStage::Vertex] = spv::ExecutionModel::Vertex;
  models[ShaderStage::TessellationControl] = spv::ExecutionModel::TessellationControl;
  models[ShaderStage::TessellationEvaluation] = spv::ExecutionModel::TessellationEvaluation;
  models[ShaderStage::Geometry] = spv::ExecutionModel::Geometry;
  models[ShaderStage::Task] = spv::ExecutionModel::TaskEXT;
  models[ShaderStage::Mesh] = spv::ExecutionModel::MeshEXT;
  models[ShaderStage::Fragment] = spv::ExecutionModel::Fragment;
  models[ShaderStage::Compute] = spv::ExecutionModel::GLCompute;
  for (const isa::ShaderStageInfo& row : isa::kShaderStages)
    EXPECT_EQ(row.execution_model, static_cast<std::uint32_t>(models[row.stage])) << row.name;
  EXPECT_EQ(execution_model_name(isa::stage_info(ShaderStage::Mesh).execution_model), "MeshEXT");
}

}  // namespace
}  // namespace heddle::spirv
