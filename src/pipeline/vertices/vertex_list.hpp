// SPDX-License-Identifier: MIT
#pragma once
// Which vertices a draw names, and which primitives they make (PIX-3, PRM-1 to PRM-3).

#include <cstdint>
#include <optional>
#include <vector>

#include "pipeline/primitives/records.hpp"
#include "pipeline/primitives/topology.hpp"
#include "pipeline/vertices/vertices.hpp"

namespace heddle::pipeline {

/// A vertex that the shader runs for.
struct ShadedVertex {
  std::uint32_t vertex = 0;    ///< Vulkan's VertexIndex
  std::uint32_t instance = 0;  ///< counted from 0
};

/// Goes through a draw, and those that run together with it, piece by piece. The vertices of a piece stand once for
/// each instance of each draw, in the order of their first use.
class VertexList {
 public:
  void begin(const VertexDraw& draw);
  /// The next piece: it ends behind the primitive that is its `primitives`-th, or before the vertex that would be one
  /// more than `vertices`; or when many indices were looked at. False where nothing is left.
  bool next(const VertexDraw& draw, std::uint64_t primitives, std::uint64_t vertices);

  [[nodiscard]] const std::vector<ShadedVertex>& vertices() const { return vertices_; }
  [[nodiscard]] std::uint32_t count() const { return static_cast<std::uint32_t>(vertices_.size()); }
  using Entry = ListedPrimitive;  ///< of numbers in vertices()
  [[nodiscard]] const std::vector<ListedPrimitive>& primitives() const { return primitives_; }
  /// The primitives of a draw whose stages take them whole (VertexDraw::whole), instead of primitives().
  [[nodiscard]] const std::vector<std::uint32_t>& corners() const { return corners_; }
  [[nodiscard]] const std::vector<PrimitiveTag>& tags() const { return tags_; }
  [[nodiscard]] std::size_t primitive_count() const { return primitives_.size() + tags_.size(); }
  /// Vertices that the piece has read, restarts left out.
  [[nodiscard]] std::uint64_t read() const { return read_; }

 private:
  struct Vertex {
    std::uint32_t index = 0;  ///< VertexIndex
    std::uint32_t place = 0;  ///< in vertices_
    std::uint64_t piece = 0;  ///< which piece it stands in
  };
  [[nodiscard]] std::uint32_t place_of(std::uint32_t index, bool shared);
  [[nodiscard]] std::uint32_t place_again(const Vertex& vertex, bool shared);
  void grow();
  bool add(const VertexDraw& draw, std::uint64_t n);
  void add_whole(const WholeAssembly<Vertex>::Primitive& made, bool shared);
  void restart(bool shared);
  void add_list(const VertexDraw& draw, std::uint64_t primitives, std::uint64_t vertices);
  [[nodiscard]] bool add_draw(const VertexDraw& draw, std::uint64_t primitives, std::uint64_t vertices);
  [[nodiscard]] bool next_draw(const VertexDraw& draw);

  std::vector<ShadedVertex> vertices_;
  std::vector<ListedPrimitive> primitives_;
  PrimitiveAssembly<Vertex> assembly_{Topology::TriangleList, false};
  // With VertexDraw::whole:
  std::vector<std::uint32_t> corners_;
  std::vector<PrimitiveTag> tags_;
  std::optional<WholeAssembly<Vertex>> whole_;
  std::uint32_t whole_corners_ = 0;
  VertexRange range_;       ///< of the draw in work
  std::size_t others_ = 0;  ///< VertexDraw::others that were in work
  std::uint64_t at_ = 0;    ///< the next vertex of the instance
  std::uint32_t instance_ = 0, number_ = 0;
  std::uint64_t piece_ = 0, read_ = 0;  ///< pieces of one draw each: vertices are found again in them alone
  std::uint64_t looks_ = 0;             ///< at vertices of a piece
  /// By index, the place of each vertex of the instance in this piece: a table with open addresses.
  struct Known {
    std::uint64_t piece = 0;
    std::uint32_t instance = 0, index = 0, place = 0;
  };
  std::vector<Known> known_;
  std::size_t used_ = 0;
};

}  // namespace heddle::pipeline
