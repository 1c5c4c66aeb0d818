// Rules: PIX-1, PIX-4.
#include "pipeline/raster/mesh.hpp"

#include "pipeline/raster/state.hpp"

namespace heddle::pipeline {

Mesh full_screen_triangle() {
  Mesh mesh;
  mesh.positions = {{-1, -1, 0, 1}, {3, -1, 0, 1}, {-1, 3, 0, 1}};
  mesh.attributes.push_back({2, false, false, {0, 0, 2, 0, 0, 2}});
  mesh.triangles = {{0, 1, 2}};
  mesh.full_screen = true;
  return mesh;
}

std::vector<std::array<std::uint32_t, 3>> triangles_of(Topology topology, std::uint32_t vertices) {
  const std::uint32_t count = topology == Topology::TriangleList ? vertices / 3 : vertices < 3 ? 0 : vertices - 2;
  std::vector<std::array<std::uint32_t, 3>> triangles;
  for (std::uint32_t t = 0; t < count; ++t) {
    switch (topology) {
      case Topology::TriangleList:
        triangles.push_back({3 * t, 3 * t + 1, 3 * t + 2});
        break;
      case Topology::TriangleFan:  // the provoking vertex is t + 1
        triangles.push_back({t + 1, t + 2, 0});
        break;
      case Topology::TriangleStrip:
        triangles.push_back(t % 2 == 0 ? std::array{t, t + 1, t + 2} : std::array{t, t + 2, t + 1});
        break;
    }
  }
  return triangles;
}

}  // namespace heddle::pipeline
