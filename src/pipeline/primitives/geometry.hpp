// SPDX-License-Identifier: MIT
#pragma once
// Geometry shaders: primitives in, the vertices of points and strips out (PRM-7, PRM-9, PRM-10).

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "pipeline/primitives/mesh_pieces.hpp"
#include "pipeline/primitives/record_link.hpp"
#include "pipeline/primitives/records.hpp"
#include "pipeline/primitives/stream.hpp"
#include "pipeline/primitives/topology.hpp"
#include "pipeline/program.hpp"
#include "pipeline/run_context.hpp"
#include "pipeline/shader_values.hpp"

namespace heddle::pipeline {

/// What the program decides, and how the records lie that it writes.
struct GeometryPlan : RecordLayout {
  unsigned simd = 16;
  std::uint64_t scratch_bytes = kMinScratch;  ///< of a thread
  struct Value {
    SystemValue value;
    std::uint32_t offset;  ///< of the variable in the register file
  };
  std::vector<Value> values;
  RecordLink inputs;                            ///< from the records of the stage before
  std::uint32_t corners = 3;                    ///< vertices of a primitive that it takes
  Topology made = Topology::TriangleStrip;      ///< or PointList, LineStrip
  std::uint32_t max_vertices = 1;               ///< of an invocation
  std::uint32_t invocations = 1;                ///< for each primitive
  std::uint32_t header = 0;                     ///< byte of the record: its stream, and whether it begins a strip
  OwnSurface records, vertices, table, counts;  ///< what it writes, reads, which vertices; how many each lane emitted
};

/// Of the header of an emitted vertex.
inline constexpr std::uint32_t kBeginsStrip = 1, kStreamShift = 1;

/// A geometry kernel made ready: created once, run many times, by several threads at once.
class GeometryProgram {
 public:
  /// `slots`: as for ComputeProgram::create.
  [[nodiscard]] static std::shared_ptr<const GeometryProgram> create(std::shared_ptr<const Program> program,
                                                                     GeometryPlan plan, const Bound& slots,
                                                                     const CodeOptions& options = {});
  ~GeometryProgram();
  GeometryProgram(const GeometryProgram&) = delete;
  GeometryProgram& operator=(const GeometryProgram&) = delete;

  [[nodiscard]] const Program& program() const;
  [[nodiscard]] const GeometryPlan& plan() const;
  /// Runs the shader for each primitive of `in`, and gives what it makes to `use`, window by window, in the primitives'
  /// order; a window once for each stream that has vertices. Binds surfaces of its own. False as ComputeProgram::run,
  /// or when `use` returns it.
  bool run(const PrimitiveStream& in, bool provoking_last, Bound& bound, RunContext& context, Counters& counters,
           const UseStream& use) const;
  /// The same where the primitives of one stream become a mesh, in pieces that `share` draws: nothing where nobody
  /// could make them piece by piece, or where they are few. `from`: where each attribute of the mesh lies.
  std::optional<bool> run_pieces(const PrimitiveStream& in, const PrimitiveState& state, std::uint32_t stream,
                                 std::span<const RecordComponent> from, Bound& bound, RunContext& context,
                                 Counters& counters, const UsePieces& share) const;

 private:
  struct Impl;
  class Pieces;
  explicit GeometryProgram(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace heddle::pipeline
