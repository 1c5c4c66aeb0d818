// SPDX-License-Identifier: MIT
#pragma once
// Cube maps: which face a direction meets, where, and what lies beyond a face's edge (CUB-1..5).

#include <array>
#include <cstdint>

namespace heddle::texture {

/// Faces +X 0, -X 1, +Y 2, -Y 3, +Z 4, -Z 5.
struct CubeFace {
  std::uint32_t face = 4;
  float sc = 0, tc = 0, m = 0;  ///< signed components and the magnitude of the major axis
  float s = 0, t = 0;           ///< coordinates inside the face, 0..1
};

/// CUB-1, CUB-2 [C39].
[[nodiscard]] CubeFace cube_face(float x, float y, float z);

/// A derivative of the direction as derivatives of (s, t) of the face that `at` found (LOD-3).
[[nodiscard]] std::array<float, 2> cube_derivative(const CubeFace& at,
                                                   const std::array<float, 3>& direction_derivative);

struct CubeTexel {
  std::uint32_t face = 0;
  std::int32_t i = 0, j = 0;
};

/// CUB-4: the texel of the adjoining face for tap (i, j) that is outside `face` (of n x n texels) in exactly one axis.
[[nodiscard]] CubeTexel adjoining_texel(std::uint32_t face, std::int32_t i, std::int32_t j, std::int32_t n);

/// ADR-9: whether the Cube Face Enables field has this face.
[[nodiscard]] bool cube_face_enabled(std::uint32_t cube_faces, std::uint32_t face);

}  // namespace heddle::texture
