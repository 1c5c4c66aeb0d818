// SPDX-License-Identifier: MIT
#pragma once
// The vertex stage of a draw: a compiled vertex shader runs over the vertices that the draw names; its records become
// the mesh that is rasterized (PIX-3).

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "image/format.hpp"
#include "pipeline/bound.hpp"
#include "pipeline/primitives/mesh.hpp"
#include "pipeline/primitives/mesh_pieces.hpp"
#include "pipeline/primitives/record_link.hpp"
#include "pipeline/primitives/records.hpp"
#include "pipeline/primitives/topology.hpp"
#include "pipeline/program.hpp"
#include "pipeline/run_context.hpp"
#include "pipeline/shader_values.hpp"

namespace heddle::pipeline {

/// One component of an input, as it lies in a buffer: that of the element of `format` which begins `offset` bytes
/// behind the vertex's place. Components that the format lacks read 0, 0, 0, 1, and so does what lies beyond the
/// buffer, but for the 1 (Vulkan's rules).
struct VertexFetch {
  std::uint32_t register_offset = 0;  ///< of the variable in the register file
  ComponentType type = ComponentType::F32;
  std::uint32_t buffer = 0;
  std::uint32_t offset = 0;
  image::Format format = image::Format::R32_UINT;  ///< of types of 64 bits only the number of components counts
  std::uint32_t component = 0;                     ///< of the format
};

/// What the program decides, and how its records lie.
struct VertexPlan : RecordLayout {
  unsigned simd = 16;
  std::uint64_t scratch_bytes = kMinScratch;  ///< of a thread
  struct Value {
    SystemValue value;
    std::uint32_t offset;  ///< of the variable in the register file
  };
  std::vector<Value> values;
  std::vector<VertexFetch> fetches;
  OwnSurface records;  ///< that records are written to
};

/// Bytes that elements are fetched from.
struct VertexBuffer {
  std::span<const std::uint8_t> bytes;
  std::uint32_t stride = 0;                   ///< bytes from one element to the next
  std::optional<std::uint32_t> divisor = {};  ///< instances that share an element, 0 = all; none: one for each vertex
};

struct IndexBuffer {
  std::span<const std::uint8_t> bytes;  ///< an index beyond them is 0
  std::uint32_t index_bytes = 4;        ///< 1, 2 or 4
  bool restart = false;                 ///< the greatest index begins a new strip, fan or primitive
};

/// The vertices of a draw, as VertexDraw has them.
struct VertexRange {
  std::uint32_t first_vertex = 0, vertices = 0;
  std::int32_t vertex_offset = 0;
};

/// One draw command. Vulkan's VertexIndex is first_vertex + n, or the index + vertex_offset.
struct VertexDraw {
  std::uint32_t vertices = 0, instances = 1;  ///< with `indices`: how many of those
  std::uint32_t first_vertex = 0;             ///< with `indices`: the first of those
  std::uint32_t first_instance = 0, draw = 0;
  std::int32_t vertex_offset = 0;
  std::uint32_t view = 0;  ///< SystemValue::View
  Topology topology = Topology::TriangleList;
  bool provoking_last = false;  ///< the last vertex of a primitive is the provoking one
  bool with_points = false;     ///< triangles may be drawn as points: their sizes are wanted
  bool whole = false;           ///< the next stage takes primitives with the vertices of their neighbors, or patches
  std::uint32_t patch_vertices = 3;  ///< of Topology::PatchList
  std::optional<IndexBuffer> indices = {};
  std::span<const VertexBuffer> buffers;
  /// Draws behind this one that differ in nothing but these vertices: they run together, and share threads (FBO-9).
  std::span<const VertexRange> others = {};
  /// Of all of them and every instance.
  [[nodiscard]] std::uint64_t all_vertices() const {
    std::uint64_t all = vertices;
    for (const VertexRange& other : others) all += other.vertices;
    return all * instances;
  }
};

/// A vertex kernel made ready: created once, run many times, by several threads at once.
class VertexProgram {
 public:
  /// `slots`: as for ComputeProgram::create.
  [[nodiscard]] static std::shared_ptr<const VertexProgram> create(std::shared_ptr<const Program> program,
                                                                   VertexPlan plan, const Bound& slots,
                                                                   const CodeOptions& options = {});
  ~VertexProgram();
  VertexProgram(const VertexProgram&) = delete;
  VertexProgram& operator=(const VertexProgram&) = delete;

  [[nodiscard]] const Program& program() const;
  [[nodiscard]] const VertexPlan& plan() const;
  /// As ComputeProgram::prepare.
  std::shared_ptr<const engine::jit::CompiledKernel> prepare(const Bound& bound, std::string& why_reference) const;
  /// Runs the shader once for each vertex and instance that the draw names, and makes `mesh` of the records: positions,
  /// distances, primitives, and the values of the attributes that it has; `from`: where each of those lies. Binds a
  /// surface of its own for the records. False as ComputeProgram::run.
  bool run(const VertexDraw& draw, Bound& bound, std::span<const RecordComponent> from, Mesh& mesh, RunContext& context,
           Counters& counters) const;
  /// The same piece by piece, each a mesh that `use` draws, however many vertices there are; `use` returns false to
  /// stop. `share`, where it is given, may be called once in its place, with pieces that its own workers make.
  bool run_pieces(const VertexDraw& draw, Bound& bound, std::span<const RecordComponent> from, Mesh& mesh,
                  RunContext& context, Counters& counters, const std::function<bool()>& use,
                  const UsePieces& share = {}) const;
  /// The same for a stage that takes the vertices' records: each piece is a stream of primitives.
  bool run_stream(const VertexDraw& draw, Bound& bound, RunContext& context, Counters& counters,
                  const UseStream& use) const;

 private:
  struct Impl;
  explicit VertexProgram(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace heddle::pipeline
