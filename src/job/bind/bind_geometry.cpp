// SPDX-License-Identifier: MIT
// Binding of compiled geometry shaders. Rules: PRM-7.
#include "job/bind/bind.hpp"
#include "job/bind/primitive_stage.hpp"
#include "shader_interface/record_layout.hpp"

namespace heddle::job {

pipeline::GeometryPlan bind_geometry(Binder& binder, unsigned simd, const ShaderInterface& before) {
  pipeline::GeometryPlan plan;
  shader_interface::take_geometry(*binder.shader(), before, plan);
  const OwnSurfaces own = bind_primitive_stage(binder, simd,
                                               {ResourceKind::VertexOutputs, ResourceKind::VertexInputs,
                                                ResourceKind::PrimitiveVertices, ResourceKind::EmittedCounts},
                                               plan);
  plan.records = own.find(ResourceKind::VertexOutputs);
  plan.vertices = own.find(ResourceKind::VertexInputs);
  plan.table = own.find(ResourceKind::PrimitiveVertices);
  plan.counts = own.find(ResourceKind::EmittedCounts);
  return plan;
}

}  // namespace heddle::job
