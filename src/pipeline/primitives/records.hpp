// SPDX-License-Identifier: MIT
#pragma once
// The records that the last stage before the rasterizer writes, one for each vertex, and the mesh that is made of them.

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "machine/bindings.hpp"
#include "pipeline/primitives/mesh.hpp"
#include "pipeline/primitives/stream.hpp"
#include "pipeline/primitives/topology.hpp"
#include "pipeline/run_context.hpp"
#include "pipeline/shader_values.hpp"

namespace heddle::pipeline {

/// Where the record of a mesh shader's primitive has what the rasterizer needs: bytes in it.
struct PrimitiveLayout {
  std::uint32_t stride = 0;  ///< 0: there are no such records
  std::optional<std::uint32_t> layer, viewport, shading_rate;
};

/// Where a record has what the rasterizer needs: bytes in it.
struct RecordLayout {
  std::uint32_t stride = 0;  ///< of a record
  std::array<std::uint32_t, 4> position{};
  std::vector<std::uint32_t> clip, cull;  ///< of the distances
  std::optional<std::uint32_t> point_size, layer, viewport, shading_rate;
  std::optional<std::uint32_t> primitive;  ///< the number that a stage gives its primitives: the provoking vertex's
  PrimitiveLayout primitives = {};
};

/// A primitive of numbered vertices, of which the first corners_of(topology) count.
struct ListedPrimitive {
  std::array<std::uint32_t, 3> at{};
  std::uint32_t number = 0;  ///< of the primitive, counted from 0 in each instance
  bool continues = false;    ///< a line of a strip
};

/// What a draw says of its primitives.
struct PrimitiveState {
  Topology topology = Topology::TriangleList;
  bool provoking_last = false;  ///< the last vertex of a primitive is the provoking one
  bool with_points = false;     ///< triangles may be drawn as points: their sizes are wanted
  bool records_stay = false;    ///< as they are until the mesh is drawn, which may refer to them
};

/// The surface that records are written to: zeros. `checked`: as many bytes follow them
/// (machine/memory.hpp).
void make_records(machine::SurfaceResource& records, std::uint64_t bytes, bool checked);
/// The same where those who write the records clear them, each his own: not all by one thread, whose bytes the others
/// would have to fetch.
void make_room_for_records(machine::SurfaceResource& records, std::uint64_t bytes);
/// Of a run that is checked: nothing has been written there yet. Stages that write records piece by piece begin so.
void mark_all_unwritten(const image::Surface& records);

/// Makes a mesh of records. What it is given outlives it.
class RecordMesh {
 public:
  /// `from`: where each attribute of the mesh lies. Of a run that is checked it is noted what the shader did not write,
  /// of one that is observed where each vertex was read.
  RecordMesh(const RecordLayout& layout, std::span<const RecordComponent> from, Mesh& mesh, const RunContext& context)
      : layout_(layout),
        from_(from),
        mesh_(mesh),
        checked_(context.reports.checking()),
        observed_(context.observer != nullptr) {}

  /// All of the mesh that is not in the records, and room for what is, in `slots` of them.
  /// `base`: the record of slot 0.
  void begin(const PrimitiveState& state, std::span<const ListedPrimitive> primitives, const image::Surface& records,
             std::size_t slots, std::size_t base = 0);
  /// The records of the slots from `first` to `last`. Several threads may take theirs at once.
  void take(const image::Surface& records, std::size_t first, std::size_t last) const {
    take(records, {}, first, last);
  }
  /// The same of a stage's primitives, each of one to three vertices (of `state` the topology does not count), but for
  /// which vertices they have.
  void begin(const PrimitiveState& state, const PrimitiveStream& stream);
  /// Those of the primitives from `first` to `last`. Several threads may set theirs at once.
  void set_primitives(const PrimitiveStream& stream, std::size_t first, std::size_t last) const;
  void take(const PrimitiveStream& stream, std::size_t first, std::size_t last) const {
    take(*stream.records, stream.places, first, last);
  }
  /// Of a mesh shader: the records of the primitives from `first` to `last`.
  void take_primitives(const PrimitiveStream& stream, std::size_t first, std::size_t last) const;

 private:
  void make_room(const PrimitiveState& state, std::uint32_t corners, std::size_t primitives, std::size_t slots);
  void refer_to(const image::Surface& records, std::size_t slots);
  void note_records(const image::Surface& records, std::span<const std::uint32_t> places, std::size_t slots);
  void set_primitive(std::uint32_t corners, std::size_t k, const std::uint32_t* at, const PrimitiveTag& tag) const;
  void take(const image::Surface& records, std::span<const std::uint32_t> places, std::size_t first,
            std::size_t last) const;
  template <typename Reader>
  void take_attributes(const Reader& records, bool of_primitives) const;
  template <typename Reader>
  void take_choices(const Reader& records, const std::optional<std::uint32_t>& layer,
                    const std::optional<std::uint32_t>& viewport, const std::optional<std::uint32_t>& rate) const;
  template <typename Reader>
  void take_vertices(const Reader& records) const;
  void take_unwritten(const image::Surface& records, std::span<const std::uint32_t> places, std::size_t first,
                      std::size_t last) const;

  const RecordLayout& layout_;
  const std::span<const RecordComponent> from_;
  Mesh& mesh_;
  const bool checked_, observed_;
  std::optional<std::size_t> base_;  ///< the record of slot 0, where those of the others follow it
};

}  // namespace heddle::pipeline
