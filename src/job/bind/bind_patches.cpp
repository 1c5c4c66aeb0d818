// SPDX-License-Identifier: MIT
// Binding of compiled tessellation shaders. Rules: TES-12, TES-13.
#include "job/bind/bind.hpp"
#include "job/bind/primitive_stage.hpp"
#include "shader_interface/record_layout.hpp"

namespace heddle::job {

pipeline::ControlPlan bind_control(Binder& binder, unsigned simd, const ShaderInterface& before) {
  pipeline::ControlPlan plan;
  shader_interface::take_control(*binder.shader(), before, plan);
  const OwnSurfaces own = bind_primitive_stage(binder, simd,
                                               {ResourceKind::VertexInputs, ResourceKind::PrimitiveVertices,
                                                ResourceKind::VertexOutputs, ResourceKind::PatchOutputs},
                                               plan);
  plan.inputs_at = own.find(ResourceKind::VertexInputs);
  plan.table = own.find(ResourceKind::PrimitiveVertices);
  plan.records = own.find(ResourceKind::VertexOutputs);
  plan.patches = own.find(ResourceKind::PatchOutputs);
  return plan;
}

pipeline::EvaluationPlan bind_evaluation(Binder& binder, unsigned simd, const ShaderInterface& control) {
  pipeline::EvaluationPlan plan;
  shader_interface::take_evaluation(*binder.shader(), control, plan);
  const OwnSurfaces own = bind_primitive_stage(
      binder, simd, {ResourceKind::VertexInputs, ResourceKind::PatchInputs, ResourceKind::VertexOutputs}, plan);
  plan.inputs_at = own.find(ResourceKind::VertexInputs);
  plan.patch_inputs_at = own.find(ResourceKind::PatchInputs);
  plan.records = own.find(ResourceKind::VertexOutputs);
  return plan;
}

}  // namespace heddle::job
