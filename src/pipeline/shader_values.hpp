// SPDX-License-Identifier: MIT
#pragma once
// What a shader reads beside memory: components of its inputs, and values that the pipeline itself gives.

#include <cstdint>
#include <optional>

namespace heddle::pipeline {

enum class ComponentType : std::uint8_t { F32, I32, U32, F64, I64, U64 };  ///< of 64 bits: inputs of vertex shaders
[[nodiscard]] inline bool is_wide(ComponentType type) { return type >= ComponentType::F64; }

/// One dword of the record that a stage writes for each vertex, or for each primitive.
struct RecordComponent {
  std::uint32_t offset = 0;  ///< byte in the record
  ComponentType type = ComponentType::F32;
  bool of_primitive = false;
};

/// The point of its pixel at which an input is evaluated.
enum class InterpolationPoint : std::uint8_t { Center, Centroid, Sample };

struct Interpolation {
  bool flat = false, linear = false;
  InterpolationPoint point = InterpolationPoint::Center;
  std::optional<std::uint8_t> vertex = std::nullopt;  ///< the value at this vertex of the triangle
};

/// What SPIR-V calls a built-in.
enum class SystemValue : std::uint8_t {
  PositionX,
  PositionY,
  PositionZ,
  PositionW,
  Front,
  Primitive,
  Sample,
  Coverage,
  Layer,
  SamplePositionX,
  SamplePositionY,
  SampleTable0,  ///< where the samples of a pixel lie, four in a word (PIX-20)
  SampleTable1,
  SampleTable2,
  SampleTable3,
  Vertex,
  Instance,
  Slot,
  BaseVertex,
  BaseInstance,
  Draw,
  GroupCount,
  View,
  PointCoordX,
  PointCoordY,
  BarycentricX,
  BarycentricY,
  BarycentricZ,
  BarycentricLinearX,
  BarycentricLinearY,
  BarycentricLinearZ,
  BarycentricCentroidX,
  BarycentricCentroidY,
  BarycentricCentroidZ,
  BarycentricLinearCentroidX,
  BarycentricLinearCentroidY,
  BarycentricLinearCentroidZ,
  BarycentricSampleX,
  BarycentricSampleY,
  BarycentricSampleZ,
  BarycentricLinearSampleX,
  BarycentricLinearSampleY,
  BarycentricLinearSampleZ,
  ShadingRate,
  Viewport,
  FirstGroup,     ///< of task and mesh shaders: the number that the first group of a window has in the payload
  Invocation,     ///< of a primitive: Vulkan's InvocationId
  PrimitiveSlot,  ///< the primitive's place in what a stage is given
  FirstCorner,    ///< of a patch: the place of its first vertex among those of all patches
  PatchVertices,  ///< of a patch, for the control shader; those that it made, for the evaluation shader
  TessCoordX,
  TessCoordY,
  TessCoordZ
};

/// A value that is the weight of one of the primitive's vertices (PIX-20).
struct VertexWeight {
  std::uint8_t vertex = 0;
  Interpolation interpolation;
};
/// Nothing: another value.
[[nodiscard]] constexpr std::optional<VertexWeight> weight_of(SystemValue value) {
  constexpr unsigned kFirst = static_cast<unsigned>(SystemValue::BarycentricX),
                     kLast = static_cast<unsigned>(SystemValue::BarycentricLinearSampleZ);
  const auto number = static_cast<unsigned>(value);
  if (number < kFirst || number > kLast) return std::nullopt;
  VertexWeight weight;
  weight.vertex = static_cast<std::uint8_t>((number - kFirst) % 3);
  weight.interpolation.linear = (number - kFirst) / 3 % 2 != 0;
  weight.interpolation.point = static_cast<InterpolationPoint>((number - kFirst) / 6);
  return weight;
}

/// Whether a shader that reads it runs once for each sample.
[[nodiscard]] constexpr bool asks_for_samples(SystemValue value) {
  if (const auto weight = weight_of(value)) return weight->interpolation.point == InterpolationPoint::Sample;
  return value == SystemValue::Sample || value == SystemValue::SamplePositionX || value == SystemValue::SamplePositionY;
}

}  // namespace heddle::pipeline
