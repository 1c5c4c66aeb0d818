// SPDX-License-Identifier: MIT
#include "texture/cube.hpp"

#include <cmath>

namespace heddle::texture {
namespace {

float zero_if_nan(float x) { return std::isnan(x) ? 0.0f : x; }

/// How a position along a face's edge is carried over to the adjoining face, e = n - 1.
enum class EdgeCoordinate : std::uint8_t { First, Last, Same, Reversed };  // 0, e, k, e - k

struct Edge {
  std::uint8_t face;
  EdgeCoordinate i, j;
};

// clang-format off
// CUB-4: rows are faces; columns i = -1, i = n, j = -1, j = n.
constexpr Edge kEdges[6][4] = {
    {{4, EdgeCoordinate::Last, EdgeCoordinate::Same}, {5, EdgeCoordinate::First, EdgeCoordinate::Same}, {2, EdgeCoordinate::Last, EdgeCoordinate::Reversed}, {3, EdgeCoordinate::Last, EdgeCoordinate::Same}},
    {{5, EdgeCoordinate::Last, EdgeCoordinate::Same}, {4, EdgeCoordinate::First, EdgeCoordinate::Same}, {2, EdgeCoordinate::First, EdgeCoordinate::Same}, {3, EdgeCoordinate::First, EdgeCoordinate::Reversed}},
    {{1, EdgeCoordinate::Same, EdgeCoordinate::First}, {0, EdgeCoordinate::Reversed, EdgeCoordinate::First}, {5, EdgeCoordinate::Reversed, EdgeCoordinate::First}, {4, EdgeCoordinate::Same, EdgeCoordinate::First}},
    {{1, EdgeCoordinate::Reversed, EdgeCoordinate::Last}, {0, EdgeCoordinate::Same, EdgeCoordinate::Last}, {4, EdgeCoordinate::Same, EdgeCoordinate::Last}, {5, EdgeCoordinate::Reversed, EdgeCoordinate::Last}},
    {{1, EdgeCoordinate::Last, EdgeCoordinate::Same}, {0, EdgeCoordinate::First, EdgeCoordinate::Same}, {2, EdgeCoordinate::Same, EdgeCoordinate::Last}, {3, EdgeCoordinate::Same, EdgeCoordinate::First}},
    {{0, EdgeCoordinate::Last, EdgeCoordinate::Same}, {1, EdgeCoordinate::First, EdgeCoordinate::Same}, {2, EdgeCoordinate::Reversed, EdgeCoordinate::First}, {3, EdgeCoordinate::Reversed, EdgeCoordinate::Last}},
};
// clang-format on

std::int32_t carry(EdgeCoordinate along, std::int32_t k, std::int32_t e) {
  switch (along) {
    case EdgeCoordinate::First:
      return 0;
    case EdgeCoordinate::Last:
      return e;
    case EdgeCoordinate::Same:
      return k;
    case EdgeCoordinate::Reversed:
      return e - k;
  }
  return 0;
}

}  // namespace

CubeFace cube_face(float x, float y, float z) {
  // CUB-1: ties go to z, then y, then x; -0 counts as >= 0.
  x = zero_if_nan(x);
  y = zero_if_nan(y);
  z = zero_if_nan(z);
  const float ax = std::fabs(x), ay = std::fabs(y), az = std::fabs(z);
  CubeFace f;
  if (az >= ax && az >= ay) {
    f.face = z >= 0 ? 4 : 5;
    f.sc = z >= 0 ? x : -x;
    f.tc = -y;
    f.m = az;
  } else if (ay >= ax) {
    f.face = y >= 0 ? 2 : 3;
    f.sc = x;
    f.tc = y >= 0 ? z : -z;
    f.m = ay;
  } else {
    f.face = x >= 0 ? 0 : 1;
    f.sc = x >= 0 ? -z : z;
    f.tc = -y;
    f.m = ax;
  }
  f.s = zero_if_nan(f.sc / f.m) * 0.5f + 0.5f;
  f.t = zero_if_nan(f.tc / f.m) * 0.5f + 0.5f;
  return f;
}

std::array<float, 2> cube_derivative(const CubeFace& at, const std::array<float, 3>& d) {
  if (at.m == 0) return {0, 0};  // LOD-3, CUB-6; C38: `at` is the lane's own face
  float dsc = 0, dtc = 0, dm = 0;
  switch (at.face) {
    case 0:
      dsc = -d[2], dtc = -d[1], dm = d[0];
      break;
    case 1:
      dsc = d[2], dtc = -d[1], dm = -d[0];
      break;
    case 2:
      dsc = d[0], dtc = d[2], dm = d[1];
      break;
    case 3:
      dsc = d[0], dtc = -d[2], dm = -d[1];
      break;
    case 4:
      dsc = d[0], dtc = -d[1], dm = d[2];
      break;
    default:
      dsc = -d[0], dtc = -d[1], dm = -d[2];
      break;
  }
  const float mm = at.m * at.m;
  return {0.5f * ((at.m * dsc - at.sc * dm) / mm), 0.5f * ((at.m * dtc - at.tc * dm) / mm)};
}

CubeTexel adjoining_texel(std::uint32_t face, std::int32_t i, std::int32_t j, std::int32_t n) {
  const bool u_axis = i < 0 || i >= n;
  const unsigned column = u_axis ? (i < 0 ? 0u : 1u) : (j < 0 ? 2u : 3u);
  const Edge& edge = kEdges[face][column];
  const std::int32_t k = u_axis ? j : i;
  return {edge.face, carry(edge.i, k, n - 1), carry(edge.j, k, n - 1)};
}

bool cube_face_enabled(std::uint32_t cube_faces, std::uint32_t face) {
  constexpr unsigned kBit[6] = {4, 5, 2, 3, 0, 1};  // +X -X +Y -Y +Z -Z
  return (cube_faces >> kBit[face] & 1u) != 0;
}

}  // namespace heddle::texture
