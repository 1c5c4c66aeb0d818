// SPDX-License-Identifier: MIT
// Binding of compiled task and mesh shaders. Rules: MSH-1, MSH-3, MSH-5.
#include "job/bind/bind.hpp"
#include "job/bind/own_surfaces.hpp"
#include "shader_interface/record_layout.hpp"

namespace heddle::job {
namespace {

/// What both stages bind alike.
OwnSurfaces bind_groups(Binder& binder, unsigned simd, std::initializer_list<ResourceKind> kinds,
                        pipeline::GroupPlan& plan) {
  const ShaderInterface& shader = *binder.shader();
  OwnSurfaces own(binder);
  for (const ResourceKind kind : {ResourceKind::WorkGroups, ResourceKind::GroupCounts}) own.preset(kind);
  for (const ResourceKind kind : kinds) own.preset(kind);
  if (shader.of_kind(ResourceKind::TaskPayload) != nullptr) own.preset(ResourceKind::TaskPayload);
  plan.compute = bind_compute(binder, nullptr, simd);
  plan.local = shader.local;
  binder.fill_values(
      [&](pipeline::SystemValue value, std::uint32_t offset) { plan.values.push_back({value, offset}); });
  plan.groups = own.find(ResourceKind::WorkGroups);
  plan.counts = own.find(ResourceKind::GroupCounts);
  if (shader.of_kind(ResourceKind::TaskPayload) != nullptr) plan.payload = own.find(ResourceKind::TaskPayload);
  return own;
}

}  // namespace

pipeline::TaskPlan bind_task(Binder& binder, unsigned simd) {
  pipeline::TaskPlan plan;
  (void)bind_groups(binder, simd, {}, plan);
  if (const SurfaceLine* payload = binder.shader()->of_kind(ResourceKind::TaskPayload))
    plan.payload_bytes = payload->stride;
  return plan;
}

pipeline::MeshPlan bind_mesh(Binder& binder, unsigned simd) {
  pipeline::MeshPlan plan;
  shader_interface::take_mesh(*binder.shader(), plan);
  const OwnSurfaces own =
      bind_groups(binder, simd, {ResourceKind::VertexOutputs, ResourceKind::PrimitiveOutputs}, plan);
  plan.records = own.find(ResourceKind::VertexOutputs);
  plan.primitive_records = own.find(ResourceKind::PrimitiveOutputs);
  return plan;
}

}  // namespace heddle::job
