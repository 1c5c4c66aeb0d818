// SPDX-License-Identifier: MIT
// Task and mesh shaders become programs.
// Rules: MSH-1, MSH-3, MSH-5.
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
void take_groups(GraphicsStage& shader, pipeline::GroupPlan& plan) {
  const isa::Object& kernel = shader.loaded->program->object();
  const ShaderInterface& interface = shader.loaded->interface;
  std::uint32_t bytes = 0;
  plan.compute = group_plan(kernel, bytes);
  plan.local = interface.local;
  shader.bound.payload.resize(bytes);
  for (const shader_interface::ValueLine& v : interface.values)
    plan.values.push_back({v.value, offset_of(kernel, v.variable)});
  plan.groups = own_surface(shader, *interface.of_kind(ResourceKind::WorkGroups));
  plan.counts = own_surface(shader, *interface.of_kind(ResourceKind::GroupCounts));
  if (const auto* payload = interface.of_kind(ResourceKind::TaskPayload)) plan.payload = own_surface(shader, *payload);
}

/// Nothing, or what is wrong.
std::optional<base::Diagnostic> problem(ShaderStage stage, const GraphicsPipeline& pipeline) {
  if (pipeline.stages[stage].loaded->interface.stage != stage)
    return base::error("compile-entry", "the shader is no " + std::string(isa::stage_info(stage).name) + " shader");
  if (!pipeline.stages[ShaderStage::Mesh].loaded)
    return base::error("compile-entry", "the pipeline has no mesh shader behind it");
  return std::nullopt;
}

}  // namespace

base::Result<base::Done> make_task_stage(Device& device, GraphicsPipeline& to) {
  GraphicsStage& shader = to.stages[ShaderStage::Task];
  if (auto wrong = problem(ShaderStage::Task, to)) return *wrong;
  set_shader(device, *shader.loaded, shader);
  pipeline::TaskPlan plan;
  take_groups(shader, plan);
  if (const auto* payload = shader.loaded->interface.of_kind(ResourceKind::TaskPayload))
    plan.payload_bytes = payload->stride;
  to.task = pipeline::TaskProgram::create(shader.loaded->program, std::move(plan), shader.bound,
                                          code_options(device, shader));
  return base::Done{};
}

base::Result<base::Done> make_mesh_stage(Device& device, GraphicsPipeline& to) {
  GraphicsStage& shader = to.stages[ShaderStage::Mesh];
  if (auto wrong = problem(ShaderStage::Mesh, to)) return *wrong;
  set_shader(device, *shader.loaded, shader);
  const ShaderInterface& interface = shader.loaded->interface;
  pipeline::MeshPlan plan;
  take_groups(shader, plan);
  shader_interface::take_mesh(interface, plan);
  plan.records = own_surface(shader, *interface.of_kind(ResourceKind::VertexOutputs));
  plan.primitive_records = own_surface(shader, *interface.of_kind(ResourceKind::PrimitiveOutputs));
  to.mesh = pipeline::MeshProgram::create(shader.loaded->program, std::move(plan), shader.bound,
                                          code_options(device, shader));
  return base::Done{};
}

}  // namespace heddle::vulkan
