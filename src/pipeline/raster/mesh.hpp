#pragma once
// Triangle meshes with attributes (PIX-1).

#include <array>
#include <cstdint>
#include <vector>

namespace heddle::pipeline {

struct MeshAttribute {
  std::uint32_t components = 1;
  bool flat = false;           ///< the first vertex's value, for the whole triangle
  bool linear = false;         ///< linear in the window, not in perspective
  std::vector<double> values;  ///< components for each vertex
  /// Where the values come from: the vertices, a vertex of the triangle for all of it, or the weight of that vertex
  /// (1 there, 0 at the others; `values` is not used).
  enum class Source : std::uint8_t { Vertices, AtVertex, Weight };
  Source source = Source::Vertices;
  std::uint8_t vertex = 0;
};

struct Mesh {
  std::vector<std::array<double, 4>> positions;  ///< clip coordinates
  std::vector<MeshAttribute> attributes;
  std::vector<std::array<std::uint32_t, 3>> triangles;
  /// Vulkan's user clip and cull distances: for each plane its value at the vertices.
  std::vector<std::vector<double>> clip_distances, cull_distances;
  bool full_screen = false;      ///< front-facing whatever its orientation
  std::uint32_t primitives = 0;  ///< triangles of one instance; 0: there is only one
};

/// One triangle over the whole target: NDC (-1,-1), (3,-1), (-1,3), z = 0, w = 1. Its one attribute runs from (0, 0) to
/// (1, 1) over the target.
[[nodiscard]] Mesh full_screen_triangle();

}  // namespace heddle::pipeline
