// SPDX-License-Identifier: MIT
#pragma once
// The words of interface lines.

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>
#include <utility>

#include "shader_interface/interface.hpp"

namespace heddle::shader_interface {

using pipeline::ComponentType;
using pipeline::Interpolation;
using pipeline::InterpolationPoint;
using pipeline::SystemValue;

template <typename E, std::size_t N>
std::optional<E> find(const std::array<std::pair<std::string_view, E>, N>& words, std::string_view word) {
  for (const auto& [name, value] : words)
    if (name == word) return value;
  return std::nullopt;
}

/// In place of a format: an image that the shader reads or writes as integers of any format.
inline constexpr std::string_view kIntegers = "integers";

inline constexpr std::array<std::pair<std::string_view, ResourceKind>, 27> kKinds{{
    {"image", ResourceKind::Image},
    {"storage_image", ResourceKind::StorageImage},
    {"texel_buffer", ResourceKind::TexelBuffer},
    {"storage_texel_buffer", ResourceKind::StorageTexelBuffer},
    {"uniform_buffer", ResourceKind::UniformBuffer},
    {"storage_buffer", ResourceKind::StorageBuffer},
    {"input_attachment", ResourceKind::InputAttachment},
    {"rect_image", ResourceKind::RectImage},
    {"storage_samples", ResourceKind::StorageSamples},
    {"plane1", ResourceKind::Plane1},
    {"plane2", ResourceKind::Plane2},
    {"push_constant", ResourceKind::PushConstant},
    {"target", ResourceKind::Target},
    {"vertex_outputs", ResourceKind::VertexOutputs},
    {"sampler_record", ResourceKind::SamplerRecord},
    {"no_target", ResourceKind::NoTarget},
    {"messages", ResourceKind::Messages},
    {"vertex_inputs", ResourceKind::VertexInputs},
    {"primitive_vertices", ResourceKind::PrimitiveVertices},
    {"patch_outputs", ResourceKind::PatchOutputs},
    {"patch_inputs", ResourceKind::PatchInputs},
    {"emitted_counts", ResourceKind::EmittedCounts},
    {"constants", ResourceKind::Constants},
    {"work_groups", ResourceKind::WorkGroups},
    {"group_counts", ResourceKind::GroupCounts},
    {"task_payload", ResourceKind::TaskPayload},
    {"primitive_outputs", ResourceKind::PrimitiveOutputs},
}};

inline constexpr std::array<std::pair<std::string_view, ImageShape>, 9> kShapes{{
    {"1d", ImageShape::Dim1},
    {"1d_array", ImageShape::Dim1Array},
    {"2d", ImageShape::Dim2},
    {"2d_array", ImageShape::Dim2Array},
    {"3d", ImageShape::Dim3},
    {"cube", ImageShape::Cube},
    {"cube_array", ImageShape::CubeArray},
    {"2d_samples", ImageShape::Samples},
    {"2d_samples_array", ImageShape::SamplesArray},
}};

inline constexpr std::array<std::pair<std::string_view, SystemValue>, 53> kValues{{
    {"position.x", SystemValue::PositionX},
    {"position.y", SystemValue::PositionY},
    {"position.z", SystemValue::PositionZ},
    {"position.w", SystemValue::PositionW},
    {"front", SystemValue::Front},
    {"primitive", SystemValue::Primitive},
    {"sample", SystemValue::Sample},
    {"coverage", SystemValue::Coverage},
    {"layer", SystemValue::Layer},
    {"sample_position.x", SystemValue::SamplePositionX},
    {"sample_position.y", SystemValue::SamplePositionY},
    {"sample_table.0", SystemValue::SampleTable0},
    {"sample_table.1", SystemValue::SampleTable1},
    {"sample_table.2", SystemValue::SampleTable2},
    {"sample_table.3", SystemValue::SampleTable3},
    {"vertex", SystemValue::Vertex},
    {"instance", SystemValue::Instance},
    {"slot", SystemValue::Slot},
    {"base_vertex", SystemValue::BaseVertex},
    {"base_instance", SystemValue::BaseInstance},
    {"draw", SystemValue::Draw},
    {"group_count", SystemValue::GroupCount},
    {"first_group", SystemValue::FirstGroup},
    {"invocation", SystemValue::Invocation},
    {"primitive_slot", SystemValue::PrimitiveSlot},
    {"first_corner", SystemValue::FirstCorner},
    {"patch_vertices", SystemValue::PatchVertices},
    {"tess_coord.x", SystemValue::TessCoordX},
    {"tess_coord.y", SystemValue::TessCoordY},
    {"tess_coord.z", SystemValue::TessCoordZ},
    {"view", SystemValue::View},
    {"point_coord.x", SystemValue::PointCoordX},
    {"point_coord.y", SystemValue::PointCoordY},
    {"barycentric.x", SystemValue::BarycentricX},
    {"barycentric.y", SystemValue::BarycentricY},
    {"barycentric.z", SystemValue::BarycentricZ},
    {"barycentric_linear.x", SystemValue::BarycentricLinearX},
    {"barycentric_linear.y", SystemValue::BarycentricLinearY},
    {"barycentric_linear.z", SystemValue::BarycentricLinearZ},
    {"barycentric_centroid.x", SystemValue::BarycentricCentroidX},
    {"barycentric_centroid.y", SystemValue::BarycentricCentroidY},
    {"barycentric_centroid.z", SystemValue::BarycentricCentroidZ},
    {"barycentric_linear_centroid.x", SystemValue::BarycentricLinearCentroidX},
    {"barycentric_linear_centroid.y", SystemValue::BarycentricLinearCentroidY},
    {"barycentric_linear_centroid.z", SystemValue::BarycentricLinearCentroidZ},
    {"barycentric_sample.x", SystemValue::BarycentricSampleX},
    {"barycentric_sample.y", SystemValue::BarycentricSampleY},
    {"barycentric_sample.z", SystemValue::BarycentricSampleZ},
    {"barycentric_linear_sample.x", SystemValue::BarycentricLinearSampleX},
    {"barycentric_linear_sample.y", SystemValue::BarycentricLinearSampleY},
    {"barycentric_linear_sample.z", SystemValue::BarycentricLinearSampleZ},
    {"shading_rate", SystemValue::ShadingRate},
    {"viewport", SystemValue::Viewport},
}};

inline constexpr std::array<std::pair<std::string_view, Interpolation>, 10> kQualifiers{{
    {"smooth", {false, false, InterpolationPoint::Center}},
    {"flat", {true, false, InterpolationPoint::Center}},
    {"linear", {false, true, InterpolationPoint::Center}},
    {"centroid", {false, false, InterpolationPoint::Centroid}},
    {"linear_centroid", {false, true, InterpolationPoint::Centroid}},
    {"sample", {false, false, InterpolationPoint::Sample}},
    {"linear_sample", {false, true, InterpolationPoint::Sample}},
    {"vertex0", {true, false, InterpolationPoint::Center, 0}},
    {"vertex1", {true, false, InterpolationPoint::Center, 1}},
    {"vertex2", {true, false, InterpolationPoint::Center, 2}},
}};

inline constexpr std::array<std::pair<std::string_view, ComponentType>, 6> kComponentTypes{{
    {"f32", ComponentType::F32},
    {"i32", ComponentType::I32},
    {"u32", ComponentType::U32},
    {"f64", ComponentType::F64},
    {"i64", ComponentType::I64},
    {"u64", ComponentType::U64},
}};

inline constexpr std::array<std::pair<std::string_view, std::uint32_t>, 5> kTaken{
    {{"points", 1}, {"lines", 2}, {"lines_adjacency", 4}, {"triangles", 3}, {"triangles_adjacency", 6}}};
/// What groups of mesh shaders make: vertices of a primitive.
inline constexpr std::array<std::pair<std::string_view, std::uint32_t>, 3> kMeshPrimitives{
    {{"points", 1}, {"lines", 2}, {"triangles", 3}}};
inline constexpr std::array<std::pair<std::string_view, pipeline::Topology>, 3> kMade{
    {{"points", pipeline::Topology::PointList},
     {"line_strip", pipeline::Topology::LineStrip},
     {"triangle_strip", pipeline::Topology::TriangleStrip}}};

inline constexpr std::array<std::pair<std::string_view, pipeline::TessellationDomain>, 3> kDomains{
    {{"triangles", pipeline::TessellationDomain::Triangles},
     {"quads", pipeline::TessellationDomain::Quads},
     {"isolines", pipeline::TessellationDomain::Isolines}}};
inline constexpr std::array<std::pair<std::string_view, pipeline::TessellationSpacing>, 3> kSpacings{
    {{"equal", pipeline::TessellationSpacing::Equal},
     {"fractional_even", pipeline::TessellationSpacing::FractionalEven},
     {"fractional_odd", pipeline::TessellationSpacing::FractionalOdd}}};

}  // namespace heddle::shader_interface
