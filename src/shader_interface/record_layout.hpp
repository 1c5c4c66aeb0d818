// SPDX-License-Identifier: MIT
#pragma once
// What a shader's lines say of the records that stages hand to each other, in the words of the pipeline.

#include <span>

#include "pipeline/meshlets/mesh_program.hpp"
#include "pipeline/primitives/geometry.hpp"
#include "pipeline/primitives/record_link.hpp"
#include "pipeline/primitives/records.hpp"
#include "pipeline/primitives/tessellation.hpp"
#include "pipeline/primitives/transform_feedback.hpp"
#include "shader_interface/interface.hpp"

namespace heddle::shader_interface {

/// Places of the outputs that the rasterizer needs; false: there is no position.
bool take_outputs(std::span<const StageVariable> outputs, pipeline::RecordLayout& layout);
/// What the records of a stage's inputs take from those that the stage before writes.
[[nodiscard]] pipeline::RecordLink link_of(const ShaderInterface& from, const ShaderInterface& to);
/// What the plan of a geometry shader has from its interface, and from that of the stage before.
void take_geometry(const ShaderInterface& shader, const ShaderInterface& before, pipeline::GeometryPlan& plan);
/// The same of shaders of patches, each with the one before it.
void take_control(const ShaderInterface& shader, const ShaderInterface& before, pipeline::ControlPlan& plan);
void take_evaluation(const ShaderInterface& shader, const ShaderInterface& control, pipeline::EvaluationPlan& plan);
/// TES-12: what either of the two shaders says. `reversed` is left: it depends on the domain's origin too.
struct PatchModes {
  pipeline::TessellationState state;
  bool counterclockwise = true;
};
[[nodiscard]] PatchModes patch_modes(const ShaderInterface& control, const ShaderInterface& evaluation);
/// What the plan of a mesh shader has from its interface.
void take_mesh(const ShaderInterface& shader, pipeline::MeshPlan& plan);
/// Of the records of a mesh shader's primitives, what the rasterizer needs.
void take_primitive_outputs(const ShaderInterface& shader, pipeline::PrimitiveLayout& layout);
/// What transform feedback takes of the records of the last stage.
[[nodiscard]] pipeline::CapturePlan capture_plan(const ShaderInterface& last);

}  // namespace heddle::shader_interface
