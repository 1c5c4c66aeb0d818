// SPDX-License-Identifier: MIT
// The shaders of patches become programs.
// Rules: TES-12, TES-13.
#include <optional>
#include <utility>

#include "shader_interface/record_layout.hpp"
#include "vulkan/pipelines/graphics_stages.hpp"
#include "vulkan/pipelines/stage_parts.hpp"

namespace heddle::vulkan {
namespace {

using shader_interface::ResourceKind;
using shader_interface::ShaderInterface;

/// What both programs' plans have.
template <typename Plan>
void take_kernel(const GraphicsStage& shader, Plan& plan) {
  const isa::Object& kernel = shader.loaded->program->object();
  plan.simd = static_cast<unsigned>(kernel.integer_attribute("SimdSize").value_or(kPixelLanes));
  plan.scratch_bytes = pipeline::scratch_of(kernel);
  for (const shader_interface::ValueLine& v : shader.loaded->interface.values)
    plan.values.push_back({v.value, offset_of(kernel, v.variable)});
}

/// Loaded and of that stage, and so is its counterpart: nothing; else what is wrong.
std::optional<base::Diagnostic> problem(ShaderStage stage, ShaderStage other, const GraphicsPipeline& pipeline) {
  const std::string name(isa::stage_info(stage).name), counterpart(isa::stage_info(other).name);
  if (pipeline.stages[stage].loaded->interface.stage != stage)
    return base::error("compile-entry", "the shader is no " + name + " shader");
  if (!pipeline.stages[other].loaded)
    return base::error("compile-entry", "the pipeline has no " + counterpart + " shader beside it");
  return std::nullopt;
}

}  // namespace

base::Result<base::Done> make_control_stage(Device& device, GraphicsPipeline& to) {
  GraphicsStage& shader = to.stages[ShaderStage::TessellationControl];
  if (auto wrong = problem(ShaderStage::TessellationControl, ShaderStage::TessellationEvaluation, to)) return *wrong;
  set_shader(device, *shader.loaded, shader);
  const ShaderInterface& interface = shader.loaded->interface;
  shader.bound.payload.resize(payload_bytes(shader.loaded->program->object()));
  const auto own = [&](ResourceKind kind) { return own_surface(shader, *interface.of_kind(kind)); };
  pipeline::ControlPlan plan;
  take_kernel(shader, plan);
  shader_interface::take_control(interface, before(ShaderStage::TessellationControl, to), plan);
  plan.inputs_at = own(ResourceKind::VertexInputs);
  plan.table = own(ResourceKind::PrimitiveVertices);
  plan.records = own(ResourceKind::VertexOutputs);
  plan.patches = own(ResourceKind::PatchOutputs);
  to.control = pipeline::ControlProgram::create(shader.loaded->program, std::move(plan), shader.bound,
                                                code_options(device, shader));
  return base::Done{};
}

base::Result<base::Done> make_evaluation_stage(Device& device, GraphicsPipeline& to) {
  GraphicsStage& shader = to.stages[ShaderStage::TessellationEvaluation];
  if (auto wrong = problem(ShaderStage::TessellationEvaluation, ShaderStage::TessellationControl, to)) return *wrong;
  set_shader(device, *shader.loaded, shader);
  const ShaderInterface& interface = shader.loaded->interface;
  const ShaderInterface& control = to.stages[ShaderStage::TessellationControl].loaded->interface;
  shader.bound.payload.resize(payload_bytes(shader.loaded->program->object()));
  const auto own = [&](ResourceKind kind) { return own_surface(shader, *interface.of_kind(kind)); };
  pipeline::EvaluationPlan plan;
  take_kernel(shader, plan);
  shader_interface::take_evaluation(interface, control, plan);
  plan.inputs_at = own(ResourceKind::VertexInputs);
  plan.patch_inputs_at = own(ResourceKind::PatchInputs);
  plan.records = own(ResourceKind::VertexOutputs);
  to.evaluation = pipeline::EvaluationProgram::create(shader.loaded->program, std::move(plan), shader.bound,
                                                      code_options(device, shader));
  const shader_interface::PatchModes modes = shader_interface::patch_modes(control, interface);
  to.tessellation = modes.state;
  to.counterclockwise = modes.counterclockwise;
  return base::Done{};
}

}  // namespace heddle::vulkan
