// SPDX-License-Identifier: MIT
// The instructions of geometry, task and mesh shaders: the stage says what they do (stages/).
// Rules: MSH-2, MSH-4, SPV-44.
#include <spirv/unified1/spirv.hpp11>

#include "spirv/compile/operations/operations.hpp"

namespace heddle::spirv::compiler {
namespace {

using Spv = spv::Op;

/// The stream that an instruction names, a constant; 0 without one.
std::uint32_t stream_of(ShaderContext& t) {
  return t.at->operands.empty() ? 0 : static_cast<std::uint32_t>(t.values.integer(t.operand(0)).value_or(0));
}

void emit_vertex(ShaderContext& t) {
  if (t.emission.vertex)
    t.emission.vertex(stream_of(t));
  else
    t.refuse("only geometry shaders emit vertices");
}

void end_primitive(ShaderContext& t) {
  if (t.emission.end_primitive)
    t.emission.end_primitive(stream_of(t));
  else
    t.refuse("only geometry shaders end primitives");
}

void set_mesh_outputs(ShaderContext& t) {
  if (t.emission.mesh_size)
    t.emission.mesh_size(t.values.part(t.operand(0)), t.values.part(t.operand(1)));
  else
    t.refuse("only mesh shaders set the number of their outputs");
}

constexpr Op kOps[] = {
    {static_cast<std::uint16_t>(Spv::OpEmitVertex), emit_vertex},
    {static_cast<std::uint16_t>(Spv::OpEndPrimitive), end_primitive},
    {static_cast<std::uint16_t>(Spv::OpEmitStreamVertex), emit_vertex},
    {static_cast<std::uint16_t>(Spv::OpEndStreamPrimitive), end_primitive},
    {static_cast<std::uint16_t>(Spv::OpSetMeshOutputsEXT), set_mesh_outputs},
};

}  // namespace

std::span<const Op> emission_ops() { return kOps; }

}  // namespace heddle::spirv::compiler
