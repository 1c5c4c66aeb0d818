#pragma once
// The vertex stage of a draw: a compiled vertex shader runs over all vertices of all instances; its records become the
// mesh that is rasterized (PIX-3).

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "pipeline/bound.hpp"
#include "pipeline/pixels/plan.hpp"
#include "pipeline/run_context.hpp"
#include "pipeline/shader_values.hpp"

namespace heddle::pipeline {

struct VertexPlan {
  // --- decided by the program ---
  unsigned simd = 16;
  std::uint64_t scratch_bytes = kLeastScratch;  ///< of a thread
  struct Value {
    SystemValue value;
    std::uint32_t offset;  ///< of the variable in the register file
  };
  std::vector<Value> values;
  std::uint32_t stride = 0;                 ///< of a record
  std::array<std::uint32_t, 4> position{};  ///< bytes in the record
  std::vector<std::uint32_t> clip, cull;    ///< of the distances, bytes in the record
  // --- may change from draw to draw ---
  std::uint32_t vertices = 0, instances = 1;  ///< slot = instance * vertices + vertex
  std::vector<std::array<std::uint32_t, 3>> triangles;
  struct Input {
    std::uint32_t offset = 0;  ///< of the variable in the register file
    ComponentType type = ComponentType::F32;
    std::vector<double> values;  ///< by vertex; empty: `constant`
    std::uint64_t constant = 0;  ///< bits
  };
  std::vector<Input> inputs;
  std::shared_ptr<std::vector<std::uint8_t>> records;

  [[nodiscard]] std::uint64_t slots() const { return std::uint64_t{vertices} * instances; }
};

/// Runs the shader. False when a limit was hit or a report stopped the run.
bool run_vertices(const VertexPlan& plan, const Bound& bound, RunContext& context, Counters& counters);

/// Positions, triangles and attribute values of the pixel plan, from the records.
void take_records(const VertexPlan& vertices, PixelPlan& plan);

}  // namespace heddle::pipeline
