// SPDX-License-Identifier: MIT
// Rules: PRM-7, SPV-43.
#include "shader_interface/record_layout.hpp"

#include <algorithm>
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
    } else if (v.location == kPositionLocation) {
      layout.position[v.component & 3u] = v.offset;
      found |= 1u << (v.component & 3u);
    }
  return found == 15;
}

pipeline::RecordLink link_of(const ShaderInterface& from, const ShaderInterface& to) {
  std::vector<pipeline::RecordCopy> copies;
  for (const StageVariable& v : to.record_inputs) {
    const auto found = std::ranges::find_if(
        from.outputs, [&](const StageVariable& o) { return o.location == v.location && o.component == v.component; });
    if (found != from.outputs.end()) copies.push_back({found->offset, v.offset, 1});
  }
  return {to.of_kind(ResourceKind::VertexInputs)->stride, std::move(copies)};
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

pipeline::CapturePlan capture_plan(const ShaderInterface& last) {
  pipeline::CapturePlan plan;
  for (const CaptureLine& line : last.captures) {
    std::vector<pipeline::RecordCopy> dwords;
    for (const CaptureLine::Dword& d : line.dwords) dwords.push_back({d.from, d.to, 1});
    plan.at(line.buffer) = {line.stride, line.stream, pipeline::in_runs(std::move(dwords))};
  }
  return plan;
}

}  // namespace heddle::shader_interface
