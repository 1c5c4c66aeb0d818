// SPDX-License-Identifier: MIT
// Rules: PIX-1.
#include "pipeline/primitives/mesh.hpp"

namespace heddle::pipeline {

Mesh full_screen_triangle() {
  Mesh mesh;
  mesh.positions = {{-1, -1, 0, 1}, {3, -1, 0, 1}, {-1, 3, 0, 1}};
  mesh.attributes.push_back({2, false, false, {0, 0, 2, 0, 0, 2}});
  mesh.triangles = {{0, 1, 2}};
  mesh.full_screen = true;
  return mesh;
}

}  // namespace heddle::pipeline
