#pragma once
// The vertex stage of a pixel dispatch: a compiled vertex shader runs over all vertices of all instances, its records
// become the mesh that is rasterized.

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "dispatch/bind.hpp"
#include "dispatch/pixels.hpp"
#include "dispatch/run_context.hpp"

namespace heddle::dispatch {

struct VertexPlan {
  const ShaderInterface* shader = nullptr;
  unsigned simd = 16;
  std::uint32_t vertices = 0, instances = 1;  ///< slot = instance * vertices + vertex
  std::vector<std::array<std::uint32_t, 3>> triangles;
  struct Input {
    std::uint32_t offset = 0;  ///< of the variable in the register file
    ComponentType type = ComponentType::F32;
    std::vector<double> values;  ///< by vertex; empty: `constant`
    std::uint32_t constant = 0;  ///< bits
  };
  std::vector<Input> inputs;
  struct Value {
    DispatchWord word;
    std::uint32_t offset;
  };
  std::vector<Value> values;
  std::uint32_t stride = 0;
  std::array<std::uint32_t, 4> position{};  ///< bytes in the record
  std::vector<std::uint32_t> clip, cull;    ///< of the distances, bytes in the record
  std::shared_ptr<std::vector<std::uint8_t>> records;

  [[nodiscard]] std::uint64_t slots() const { return std::uint64_t{vertices} * instances; }
};

/// Binds a vertex shader: geometry to its inputs by name or location. Problems go to the binder's diagnostics.
[[nodiscard]] VertexPlan bind_vertices(Binder& binder, unsigned simd);

/// Runs it. False when a limit was hit or a report stopped the run.
bool run_vertices(const VertexPlan& plan, const Bound& bound, RunContext& context, Counters& counters);

/// Positions, triangles and attribute values of the pixel plan, from the records.
void take_records(const VertexPlan& vertices, PixelPlan& plan);

}  // namespace heddle::dispatch
