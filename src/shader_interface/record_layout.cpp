// SPDX-License-Identifier: MIT
// Rules: MSH-5, PRM-7, SPV-43, TES-12, TES-13.
#include "shader_interface/record_layout.hpp"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

namespace heddle::shader_interface {

bool take_outputs(std::span<const StageVariable> outputs, pipeline::RecordLayout& layout) {
  std::uint32_t found = 0;
  for (const StageVariable& v : outputs)
    if (v.location == kClipDistanceLocation) {
      layout.clip.push_back(v.offset);
    } else if (v.location == kCullDistanceLocation) {
      layout.cull.push_back(v.offset);
    } else if (v.location == kPointSizeLocation) {
      layout.point_size = v.offset;
    } else if (v.location == kLayerLocation) {
      layout.layer = v.offset;
    } else if (v.location == kViewportLocation) {
      layout.viewport = v.offset;
    } else if (v.location == kPrimitiveLocation) {
      layout.primitive = v.offset;
    } else if (v.location == kShadingRateLocation) {
      layout.shading_rate = v.offset;
    } else if (v.location == kPositionLocation) {
      layout.position[v.component & 3u] = v.offset;
      found |= 1u << (v.component & 3u);
    }
  return found == 15;
}

namespace {

pipeline::RecordLink link_of(const std::vector<StageVariable>& written, const std::vector<StageVariable>& read,
                             std::uint32_t stride) {
  std::vector<pipeline::RecordCopy> copies;
  for (const StageVariable& v : read) {
    const auto found = std::ranges::find_if(
        written, [&](const StageVariable& o) { return o.location == v.location && o.component == v.component; });
    if (found != written.end()) copies.push_back({found->offset, v.offset, 1});
  }
  return {stride, std::move(copies)};
}

template <typename T>
T said(const std::optional<T>& control, const std::optional<T>& evaluation, T otherwise) {
  return evaluation ? *evaluation : control.value_or(otherwise);
}

}  // namespace

pipeline::RecordLink link_of(const ShaderInterface& from, const ShaderInterface& to) {
  return link_of(from.outputs, to.record_inputs, to.of_kind(ResourceKind::VertexInputs)->stride);
}

void take_geometry(const ShaderInterface& shader, const ShaderInterface& before, pipeline::GeometryPlan& plan) {
  (void)take_outputs(shader.outputs, plan);
  plan.stride = shader.of_kind(ResourceKind::VertexOutputs)->stride;
  plan.inputs = link_of(before, shader);
  plan.corners = shader.geometry.corners;
  plan.made = shader.geometry.made;
  plan.max_vertices = shader.geometry.max_vertices;
  plan.invocations = shader.geometry.invocations;
  plan.header = shader.geometry.header;
}

void take_control(const ShaderInterface& shader, const ShaderInterface& before, pipeline::ControlPlan& plan) {
  plan.inputs = link_of(before, shader);
  plan.vertices = shader.tessellation.output_vertices;
  plan.stride = shader.of_kind(ResourceKind::VertexOutputs)->stride;
  plan.patch_stride = shader.of_kind(ResourceKind::PatchOutputs)->stride;
}

void take_evaluation(const ShaderInterface& shader, const ShaderInterface& control, pipeline::EvaluationPlan& plan) {
  (void)take_outputs(shader.outputs, plan);
  plan.stride = shader.of_kind(ResourceKind::VertexOutputs)->stride;
  plan.inputs = link_of(control, shader);
  plan.patch_inputs =
      link_of(control.patch_outputs, shader.patch_inputs, shader.of_kind(ResourceKind::PatchInputs)->stride);
}

PatchModes patch_modes(const ShaderInterface& control, const ShaderInterface& evaluation) {
  const TessellationLine &first = control.tessellation, &second = evaluation.tessellation;
  PatchModes modes;
  modes.state.domain = said(first.domain, second.domain, pipeline::TessellationDomain::Triangles);
  modes.state.spacing = said(first.spacing, second.spacing, pipeline::TessellationSpacing::Equal);
  modes.state.points = first.points || second.points;
  modes.counterclockwise = said(first.counterclockwise, second.counterclockwise, true);
  return modes;
}

void take_primitive_outputs(const ShaderInterface& shader, pipeline::PrimitiveLayout& layout) {
  const SurfaceLine* records = shader.of_kind(ResourceKind::PrimitiveOutputs);
  if (records == nullptr) return;
  layout.stride = records->stride;
  for (const StageVariable& v : shader.primitive_outputs)
    if (v.location == kLayerLocation)
      layout.layer = v.offset;
    else if (v.location == kViewportLocation)
      layout.viewport = v.offset;
    else if (v.location == kShadingRateLocation)
      layout.shading_rate = v.offset;
}

void take_mesh(const ShaderInterface& shader, pipeline::MeshPlan& plan) {
  (void)take_outputs(shader.outputs, plan);
  take_primitive_outputs(shader, plan.primitives);
  plan.stride = shader.of_kind(ResourceKind::VertexOutputs)->stride;
  plan.corners = shader.mesh.corners;
  plan.max_vertices = shader.mesh.max_vertices;
  plan.max_primitives = shader.mesh.max_primitives;
  for (const StageVariable& v : shader.primitive_outputs)
    if (v.location == kIndexLocation && v.component < plan.index.size())
      plan.index[v.component] = v.offset;
    else if (v.location == kCullPrimitiveLocation)
      plan.culled = v.offset;
    else if (v.location == kPrimitiveLocation)
      plan.number = v.offset;
}

pipeline::CapturePlan capture_plan(const ShaderInterface& last) {
  pipeline::CapturePlan plan;
  for (const CaptureLine& line : last.captures) {
    std::vector<pipeline::RecordCopy> dwords;
    for (const CaptureLine::Dword& d : line.dwords) dwords.push_back({d.from, d.to, 1});
    std::vector<pipeline::ShortCopy> shorts;
    for (const CaptureLine::Dword& d : line.shorts) shorts.push_back({d.from, d.to});
    plan.at(line.buffer) = {line.stride, line.stream, pipeline::in_runs(std::move(dwords)), std::move(shorts)};
  }
  return plan;
}

}  // namespace heddle::shader_interface
