// SPDX-License-Identifier: MIT
// What the lines of an interface say together.
// Rules: SPV-31.
#include "shader_interface/contradiction.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace heddle::shader_interface {
namespace {

constexpr std::uint32_t kMaxEmittedBytes = 1 << 20, kMaxGroupBytes = 1 << 24;

/// Of shaders of patches: whether they have their surfaces, and what they read and write of patches lies there.
std::string patch_contradiction(const ShaderInterface& interface) {
  constexpr std::uint32_t kLevelBytes = 24;
  const bool control = interface.stage == ShaderStage::TessellationControl;
  const SurfaceLine* patches = interface.of_kind(control ? ResourceKind::PatchOutputs : ResourceKind::PatchInputs);
  if (interface.of_kind(ResourceKind::VertexOutputs) == nullptr ||
      interface.of_kind(ResourceKind::VertexInputs) == nullptr || patches == nullptr ||
      (control && interface.of_kind(ResourceKind::PrimitiveVertices) == nullptr))
    return control ? "a tessellation control shader has lines 'surface' of vertex_inputs, primitive_vertices, "
                     "vertex_outputs and patch_outputs"
                   : "a tessellation evaluation shader has lines 'surface' of vertex_inputs, patch_inputs and "
                     "vertex_outputs";
  if (control && patches->stride < kLevelBytes) return "the levels do not lie in the record of a patch";
  for (const StageVariable& v : control ? interface.patch_outputs : interface.patch_inputs)
    if (v.offset % 4 != 0 || v.offset + 4 > patches->stride)
      return fmt::format("'{}' at byte {} does not lie in the record of a patch", v.name, v.offset);
  return {};
}

/// Of task and mesh shaders: whether they have their surfaces, and what they write of primitives lies in the record.
std::string group_contradiction(const ShaderInterface& interface) {
  const bool mesh = interface.stage == ShaderStage::Mesh;
  const SurfaceLine* primitives = interface.of_kind(ResourceKind::PrimitiveOutputs);
  if (interface.of_kind(ResourceKind::WorkGroups) == nullptr || interface.of_kind(ResourceKind::GroupCounts) == nullptr)
    return "a task or mesh shader has lines 'surface' of work_groups and group_counts";
  if (mesh && (interface.of_kind(ResourceKind::VertexOutputs) == nullptr || primitives == nullptr))
    return "a mesh shader has lines 'surface' of vertex_outputs and primitive_outputs";
  const auto bytes = [&](std::uint32_t most, ResourceKind kind) {
    return mesh ? std::uint64_t{most} * interface.of_kind(kind)->stride : 0;
  };
  if (bytes(interface.mesh.max_vertices, ResourceKind::VertexOutputs) +
          bytes(interface.mesh.max_primitives, ResourceKind::PrimitiveOutputs) >
      kMaxGroupBytes)
    return fmt::format("a group makes more than {} bytes", kMaxGroupBytes);
  for (const StageVariable& v : interface.primitive_outputs)
    if (primitives == nullptr || v.offset % 4 != 0 || v.offset + 4 > primitives->stride)
      return fmt::format("'{}' at byte {} does not lie in the record of a primitive", v.name, v.offset);
  return {};
}

}  // namespace

std::string contradiction(const ShaderInterface& interface) {
  const SurfaceLine* records = interface.of_kind(ResourceKind::VertexOutputs);
  if (interface.stage == ShaderStage::Vertex && records == nullptr)
    return "a vertex shader has a line 'surface T vertex_outputs STRIDE'";
  const SurfaceLine* inputs = interface.of_kind(ResourceKind::VertexInputs);
  if (interface.stage == ShaderStage::Geometry &&
      (records == nullptr || inputs == nullptr || interface.of_kind(ResourceKind::PrimitiveVertices) == nullptr ||
       interface.of_kind(ResourceKind::EmittedCounts) == nullptr))
    return "a geometry shader has lines 'surface' of vertex_inputs, primitive_vertices, vertex_outputs and "
           "emitted_counts";
  if (interface.stage == ShaderStage::Geometry &&
      (interface.geometry.header % 4 != 0 || interface.geometry.header + 4 > records->stride))
    return "the header of a vertex does not lie in the record";
  if (interface.stage == ShaderStage::Geometry &&
      std::uint64_t{interface.geometry.max_vertices} * records->stride > kMaxEmittedBytes)
    return fmt::format("an invocation emits more than {} bytes", kMaxEmittedBytes);
  for (const StageVariable& v : interface.record_inputs)
    if (inputs == nullptr || v.offset % 4 != 0 || v.offset + 4 > inputs->stride)
      return fmt::format("input '{}' at byte {} does not lie in the record", v.name, v.offset);
  if (interface.stage == ShaderStage::TessellationControl || interface.stage == ShaderStage::TessellationEvaluation)
    if (std::string why = patch_contradiction(interface); !why.empty()) return why;
  if (interface.stage == ShaderStage::Task || interface.stage == ShaderStage::Mesh)
    if (std::string why = group_contradiction(interface); !why.empty()) return why;
  for (const CaptureLine& line : interface.captures) {
    const auto lies = [&](const CaptureLine::Dword& d, std::uint32_t bytes) {
      return records != nullptr && d.from % 4 == 0 && d.from + 4 <= records->stride && d.to % bytes == 0 &&
             d.to + bytes <= line.stride;
    };
    if (!std::ranges::all_of(line.dwords, [&](const auto& d) { return lies(d, 4); }) ||
        !std::ranges::all_of(line.shorts, [&](const auto& d) { return lies(d, 2); }))
      return fmt::format("a dword of the capture buffer {} lies in no record or no vertex", line.buffer);
  }
  for (const StageVariable& v : interface.outputs)
    if (records == nullptr || v.offset % 4 != 0 || v.offset + 4 > records->stride)
      return fmt::format("output '{}' at byte {} does not lie in the record", v.name, v.offset);
  for (const SurfaceLine& line : interface.surfaces)
    if (line.kind == ResourceKind::Target && interface.stage != ShaderStage::Fragment)
      return "only a fragment shader has targets";
  for (const SurfaceLine& line : interface.surfaces)
    if (line.kind == ResourceKind::Constants && line.data.size() != line.bytes)
      return fmt::format("T{} has {} bytes of constants, its data lines {}", line.variable, line.bytes,
                         line.data.size());
  if (!interface.prints.empty() && interface.of_kind(ResourceKind::Messages) == nullptr)
    return "a shader that prints has a line 'surface T messages BYTES'";
  for (const SurfaceLine& line : interface.surfaces)
    if (line.kind == ResourceKind::SamplerRecord && interface.sampler(line.sampler) == nullptr)
      return fmt::format("T{} is the record of S{}, which no line describes", line.variable, line.sampler);
  return {};
}

}  // namespace heddle::shader_interface
