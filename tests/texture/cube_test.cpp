// SPDX-License-Identifier: MIT
// CUB-1..5, LOD-3, ADR-9.
#include "texture/cube.hpp"

#include <cmath>
#include <limits>

#include "support.hpp"

namespace heddle::texture {
namespace {

using test::Random;
using Vector = std::array<double, 3>;

/// The direction of a point of a face's plane, written from the pictures of the faces rather than from CUB-1.
Vector direction(unsigned face, double sc, double tc) {
  switch (face) {
    case 0:
      return {1, -tc, -sc};
    case 1:
      return {-1, -tc, sc};
    case 2:
      return {sc, 1, tc};
    case 3:
      return {sc, -1, -tc};
    case 4:
      return {sc, -tc, 1};
    default:
      return {-sc, -tc, -1};
  }
}

CubeTexel texel_of(const Vector& d, int n) {
  const CubeFace f = cube_face(static_cast<float>(d[0]), static_cast<float>(d[1]), static_cast<float>(d[2]));
  return {f.face, static_cast<std::int32_t>(std::floor(static_cast<double>(f.s) * n)),
          static_cast<std::int32_t>(std::floor(static_cast<double>(f.t) * n))};
}

TEST(Cube, CUB1_FacesInvert) {
  for (unsigned face = 0; face < 6; ++face)
    for (const double sc : {-0.75, 0.0, 0.5})
      for (const double tc : {-0.25, 0.0, 0.75}) {
        const Vector d = direction(face, sc, tc);
        const CubeFace f = cube_face(static_cast<float>(d[0]), static_cast<float>(d[1]), static_cast<float>(d[2]));
        EXPECT_EQ(f.face, face);
        EXPECT_EQ(f.s, static_cast<float>(sc * 0.5 + 0.5));
        EXPECT_EQ(f.t, static_cast<float>(tc * 0.5 + 0.5));
      }
}

TEST(Cube, CUB1_Ties) {  // C39
  EXPECT_EQ(cube_face(1, 1, 1).face, 4u);
  EXPECT_EQ(cube_face(1, 1, -1).face, 5u);
  EXPECT_EQ(cube_face(1, 1, 0.5f).face, 2u);
  EXPECT_EQ(cube_face(1, -1, 0.5f).face, 3u);
  EXPECT_EQ(cube_face(0, 0, 0).face, 4u);
  EXPECT_EQ(cube_face(0, 0, -0.0f).face, 4u);
  EXPECT_EQ(cube_face(0, 0, 0).s, 0.5f);
  const float nan = std::numeric_limits<float>::quiet_NaN(), inf = std::numeric_limits<float>::infinity();
  EXPECT_EQ(cube_face(nan, nan, nan).face, 4u);
  EXPECT_EQ(cube_face(nan, -2, 1).face, 3u);
  EXPECT_EQ(cube_face(inf, inf, 1).s, 0.5f);  // NaN quotient counts as 0
}

TEST(Cube, CUB4_SeamsFollowGeometry) {
  for (const int n : {1, 2, 3, 8, 64})
    for (unsigned face = 0; face < 6; ++face)
      for (int k = 0; k < n; ++k)
        for (int side = 0; side < 4; ++side) {
          const int i = side == 0 ? -1 : side == 1 ? n : k, j = side == 2 ? -1 : side == 3 ? n : k;
          // The tap's center on the extended plane of its face; seen from the cube's center it lies in the adjoining
          // face's edge texel.
          const Vector d = direction(face, (2 * i + 1.0) / n - 1, (2 * j + 1.0) / n - 1);
          const CubeTexel expected = texel_of(d, n), got = adjoining_texel(face, i, j, n);
          EXPECT_EQ(got.face, expected.face) << face << ' ' << i << ' ' << j << " of " << n;
          if (n == 1) continue;
          EXPECT_EQ(got.i, expected.i) << face << ' ' << i << ' ' << j << " of " << n;
          EXPECT_EQ(got.j, expected.j) << face << ' ' << i << ' ' << j << " of " << n;
        }
}

TEST(Cube, CUB4_SeamsAreMutual) {
  // Crossing an edge and stepping back over it returns to the edge texel one came from.
  const int n = 5;
  for (unsigned face = 0; face < 6; ++face)
    for (int k = 0; k < n; ++k)
      for (const auto& [i, j] : {std::pair{-1, k}, {n, k}, {k, -1}, {k, n}}) {
        const CubeTexel there = adjoining_texel(face, i, j, n);
        const int own_i = std::clamp(i, 0, n - 1), own_j = std::clamp(j, 0, n - 1);
        bool back = false;
        for (const auto& [di, dj] : {std::pair{-1, 0}, {1, 0}, {0, -1}, {0, 1}}) {
          const int bi = there.i + di, bj = there.j + dj;
          if (bi >= 0 && bi < n && bj >= 0 && bj < n) continue;
          const CubeTexel home = adjoining_texel(there.face, bi, bj, n);
          back |= home.face == face && home.i == own_i && home.j == own_j;
        }
        EXPECT_TRUE(back) << face << ' ' << i << ' ' << j;
      }
}

TEST(Cube, LOD3_DerivativesMatchFiniteDifferences) {  // C38: of a lane on its own face; CUB-6
  Random random(3);
  for (int n = 0; n < 2000; ++n) {
    const std::array<float, 3> v{random.between(-1, 1), random.between(-1, 1), random.between(-1, 1)};
    const std::array<float, 3> d{random.between(-1, 1), random.between(-1, 1), random.between(-1, 1)};
    const CubeFace f = cube_face(v[0], v[1], v[2]);
    if (f.m < 0.1f) continue;
    const auto got = cube_derivative(f, d);
    // Central difference on the same face, in binary64.
    const auto at = [&](double h) {
      Vector p{v[0] + h * d[0], v[1] + h * d[1], v[2] + h * d[2]};
      double sc = 0, tc = 0, m = 1;
      switch (f.face) {
        case 0:
          sc = -p[2], tc = -p[1], m = p[0];
          break;
        case 1:
          sc = p[2], tc = -p[1], m = -p[0];
          break;
        case 2:
          sc = p[0], tc = p[2], m = p[1];
          break;
        case 3:
          sc = p[0], tc = -p[2], m = -p[1];
          break;
        case 4:
          sc = p[0], tc = -p[1], m = p[2];
          break;
        default:
          sc = -p[0], tc = -p[1], m = -p[2];
          break;
      }
      return std::pair{0.5 * sc / m, 0.5 * tc / m};
    };
    const double h = 1e-5;
    const auto [s1, t1] = at(h);
    const auto [s0, t0] = at(-h);
    EXPECT_NEAR(static_cast<double>(got[0]), (s1 - s0) / (2 * h), 1e-3 * (1 + std::fabs(static_cast<double>(got[0]))));
    EXPECT_NEAR(static_cast<double>(got[1]), (t1 - t0) / (2 * h), 1e-3 * (1 + std::fabs(static_cast<double>(got[1]))));
  }
  EXPECT_EQ(cube_derivative(cube_face(0, 0, 0), {1, 1, 1})[0], 0.0f);
}

TEST(Cube, ADR9_FaceEnables) {
  // bit 5 -X, 4 +X, 3 -Y, 2 +Y, 1 -Z, 0 +Z
  EXPECT_TRUE(cube_face_enabled(1u << 4, 0));
  EXPECT_TRUE(cube_face_enabled(1u << 5, 1));
  EXPECT_TRUE(cube_face_enabled(1u << 2, 2));
  EXPECT_TRUE(cube_face_enabled(1u << 3, 3));
  EXPECT_TRUE(cube_face_enabled(1u << 0, 4));
  EXPECT_TRUE(cube_face_enabled(1u << 1, 5));
  EXPECT_FALSE(cube_face_enabled(63u & ~(1u << 4), 0));
}

}  // namespace
}  // namespace heddle::texture
