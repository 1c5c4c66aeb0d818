// SPDX-License-Identifier: MIT
// Binding of compiled geometry shaders. Rules: PRM-7.
#include <algorithm>

#include "job/bind/bind.hpp"
#include "job/bind/own_surfaces.hpp"
#include "shader_interface/record_layout.hpp"

namespace heddle::job {

pipeline::GeometryPlan bind_geometry(Binder& binder, unsigned simd, const ShaderInterface& before) {
  pipeline::GeometryPlan plan;
  plan.simd = simd;
  plan.scratch_bytes = pipeline::scratch_of(binder.kernel());
  shader_interface::take_geometry(*binder.shader(), before, plan);
  std::uint32_t end = 128;
  for (const isa::Input& i : binder.kernel().inputs) end = std::max(end, i.offset + i.size);
  binder.bound().payload.resize(end);
  binder.fill_values(
      [&](pipeline::SystemValue value, std::uint32_t offset) { plan.values.push_back({value, offset}); });
  OwnSurfaces own(binder);
  for (const ResourceKind kind : {ResourceKind::VertexOutputs, ResourceKind::VertexInputs,
                                  ResourceKind::PrimitiveVertices, ResourceKind::EmittedCounts})
    own.preset(kind);
  binder.bind_blocks();
  binder.bind_state_variables();
  binder.bind_inputs([](const isa::Input& i, const isa::VariableInfo&) { return i.offset < 32; });
  binder.bind_memory();
  plan.records = own.find(ResourceKind::VertexOutputs);
  plan.vertices = own.find(ResourceKind::VertexInputs);
  plan.table = own.find(ResourceKind::PrimitiveVertices);
  plan.counts = own.find(ResourceKind::EmittedCounts);
  return plan;
}

}  // namespace heddle::job
