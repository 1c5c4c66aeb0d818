// Rules: PIX-1, PIX-5 to PIX-9, PIX-17.
#include "pipeline/raster/raster.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <random>

using namespace heddle::pipeline;

namespace {

RasterState state_of(std::uint32_t width, std::uint32_t height, std::uint32_t samples = 1) {
  RasterState state;
  state.width = width;
  state.height = height;
  state.viewports[0] = {0, 0, static_cast<double>(width), static_cast<double>(height), 0, 1};
  state.samples = sample_positions(samples);
  return state;
}

/// Window position to clip space with a given w.
std::array<double, 4> clip_of(const RasterState& s, double x, double y, double z = 0.5, double w = 1) {
  return {(x / s.width * 2 - 1) * w, (y / s.height * 2 - 1) * w, z * w, w};
}

TEST(Raster, FullScreenTriangleCoversEveryPixelOnceAsOneTriangle) {
  for (const auto& [w, h] : {std::pair{64u, 48u}, {33u, 7u}, {1u, 1u}, {100u, 65u}}) {
    const RasterState state = state_of(w, h);
    const Mesh mesh = full_screen_triangle();
    const auto triangles = set_up(mesh, state);
    ASSERT_EQ(triangles.size(), 1u);
    EXPECT_TRUE(triangles[0].front);
    std::vector<int> hits(std::size_t{w} * h);
    scan(triangles[0], state, [&](const Subspan& s) {
      EXPECT_EQ(s.x % 2, 0);
      EXPECT_EQ(s.y % 2, 0);
      for (unsigned p = 0; p < 4; ++p)
        if (s.coverage[p] != 0) ++hits.at((s.y + (p >> 1)) * w + s.x + (p & 1u));
      return true;
    });
    for (const int n : hits) EXPECT_EQ(n, 1);
  }
}

TEST(Raster, SubspansComeRowByRowInsideTiles) {
  const RasterState state = state_of(80, 70);
  const Mesh mesh = full_screen_triangle();
  const auto triangles = set_up(mesh, state);
  std::vector<std::array<int, 4>> order;
  scan(triangles[0], state, [&](const Subspan& s) {
    order.push_back({s.y / 32, s.x / 32, s.y, s.x});
    return true;
  });
  EXPECT_EQ(order.size(), 40u * 35u);
  EXPECT_TRUE(std::is_sorted(order.begin(), order.end()));
}

// A fan around an inner point: whatever the point, every sample inside belongs to exactly one triangle (top-left rule,
// exact edges).
TEST(Raster, SharedEdgesAreCoveredExactlyOnce) {
  std::mt19937 random(7);
  for (int round = 0; round < 60; ++round) {
    const std::uint32_t samples = 1u << (round % 5);
    const RasterState state = state_of(40, 40, samples);
    // Points on pixel centres and corners are the hard ones.
    const auto coordinate = [&] { return static_cast<double>(random() % 73) / 2 + 2; };
    Mesh mesh;
    mesh.positions.push_back(clip_of(state, coordinate(), coordinate()));
    const std::array<std::array<double, 2>, 8> ring{
        {{0, 0}, {20, 0}, {40, 0}, {40, 20}, {40, 40}, {20, 40}, {0, 40}, {0, 20}}};
    for (const auto& p : ring) mesh.positions.push_back(clip_of(state, p[0], p[1]));
    for (std::uint32_t i = 0; i < 8; ++i) {
      if (random() % 2 != 0)
        mesh.triangles.push_back({0, 1 + i, 1 + (i + 1) % 8});
      else
        mesh.triangles.push_back({1 + (i + 1) % 8, 1 + i, 0});
    }
    std::vector<int> hits(40 * 40 * samples);
    for (const Primitive& t : set_up(mesh, state))
      scan(t, state, [&](const Subspan& s) {
        for (unsigned p = 0; p < 4; ++p)
          for (std::uint32_t k = 0; k < samples; ++k)
            if ((s.coverage[p] >> k & 1) != 0) ++hits[((s.y + (p >> 1)) * 40u + s.x + (p & 1u)) * samples + k];
        return true;
      });
    for (const int n : hits) ASSERT_EQ(n, 1) << "round " << round;
  }
}

// Coverage against real-number point-in-triangle where the point is clearly inside or outside.
TEST(Raster, CoverageAgreesWithRealArithmetic) {
  std::mt19937 random(11);
  std::uniform_real_distribution<double> where(-30, 90);
  for (int round = 0; round < 100; ++round) {
    const RasterState state = state_of(64, 64);
    Mesh mesh;
    std::array<std::array<double, 2>, 3> v{};
    for (auto& p : v) {
      p = {where(random), where(random)};
      mesh.positions.push_back(clip_of(state, p[0], p[1]));
    }
    mesh.triangles = {{0, 1, 2}};
    std::vector<int> hits(64 * 64);
    for (const Primitive& t : set_up(mesh, state))
      scan(t, state, [&](const Subspan& s) {
        for (unsigned p = 0; p < 4; ++p)
          if (s.coverage[p] != 0) ++hits.at((s.y + (p >> 1)) * 64u + s.x + (p & 1u));
        return true;
      });
    const auto side = [](const auto& a, const auto& b, double x, double y) {
      return (b[0] - a[0]) * (y - a[1]) - (b[1] - a[1]) * (x - a[0]);
    };
    for (int y = 0; y < 64; ++y)
      for (int x = 0; x < 64; ++x) {
        const double e0 = side(v[1], v[2], x + .5, y + .5), e1 = side(v[2], v[0], x + .5, y + .5),
                     e2 = side(v[0], v[1], x + .5, y + .5);
        const double nearest = std::min({std::abs(e0), std::abs(e1), std::abs(e2)});
        if (nearest < 1) continue;  // snapping may move the edge
        const bool inside = (e0 > 0) == (e1 > 0) && (e1 > 0) == (e2 > 0);
        ASSERT_EQ(hits[static_cast<std::size_t>(y * 64 + x)], inside ? 1 : 0) << round << ' ' << x << ' ' << y;
      }
  }
}

TEST(Raster, EdgesSumToTheAreaAndBarycentricsReproducePositions) {
  const RasterState state = state_of(100, 80);
  Mesh mesh;
  mesh.positions = {clip_of(state, 10, 12, 0.1, 1), clip_of(state, 90, 20, 0.5, 4), clip_of(state, 30, 75, 0.9, 0.5)};
  mesh.triangles = {{0, 1, 2}};
  const auto triangles = set_up(mesh, state);
  ASSERT_EQ(triangles.size(), 1u);
  const Primitive& t = triangles[0];
  for (const auto& [x, y] : {std::pair{30, 30}, {40, 40}, {50, 25}}) {
    const auto e = edges_at(t, x * 256 + 128, y * 256 + 128);
    EXPECT_EQ(e[0] + e[1] + e[2], t.area);
    const auto area = static_cast<double>(t.area);
    const double b1 = static_cast<double>(e[1]) / area, b2 = static_cast<double>(e[2]) / area;
    EXPECT_NEAR(10 + b1 * 80 + b2 * 20, x + 0.5, 1e-9);
    EXPECT_NEAR(12 + b1 * 8 + b2 * 63, y + 0.5, 1e-9);
    const double right = (x - t.left) * 256 + 128, down = (y - t.top) * 256 + 128;
    EXPECT_NEAR(linear_plane(t, {0, 1, 0}).value(right, down), b1, 1e-14);
    EXPECT_NEAR(linear_plane(t, {5, 5, 6}).value(right, down), 5 + b2, 1e-14);
    EXPECT_NEAR(linear_plane(t, t.z).value(right, down), 0.1 + b1 * 0.4 + b2 * 0.8, 1e-6);
    // Perspective: (e_i / w_i) / sum; interpolating w itself inverts the linear interpolation of 1/w.
    const double inverse = inverse_w_plane(t).value(right, down);
    const double p0 = (1 - b1 - b2) / t.w[0], p1 = b1 / t.w[1], p2 = b2 / t.w[2], sum = p0 + p1 + p2;
    EXPECT_NEAR(inverse, sum, 1e-14);
    EXPECT_NEAR(perspective_plane(t, {0, 1, 0}).value(right, down) / inverse, p1 / sum, 1e-14);
    EXPECT_NEAR(3 + perspective_plane(t, {3, 3, 4}).value(right, down) / inverse, 3 + p2 / sum, 1e-14);
    EXPECT_NEAR(t.w[0] + perspective_plane(t, t.w).value(right, down) / inverse, 1 / sum, 1e-12);
  }
}

TEST(Raster, FacingCullingAndDegenerateTriangles) {
  RasterState state = state_of(16, 16);
  Mesh mesh;
  // Counter-clockwise as seen with y down: (2,2) -> (2,14) -> (14,2).
  mesh.positions = {clip_of(state, 2, 2), clip_of(state, 2, 14), clip_of(state, 14, 2)};
  mesh.triangles = {{0, 1, 2}, {0, 2, 1}, {0, 1, 1}};
  auto triangles = set_up(mesh, state);
  ASSERT_EQ(triangles.size(), 2u);
  EXPECT_TRUE(triangles[0].front);
  EXPECT_FALSE(triangles[1].front);
  state.cull = Cull::Back;
  triangles = set_up(mesh, state);
  ASSERT_EQ(triangles.size(), 1u);
  EXPECT_EQ(triangles[0].number, 0u);
  state.front_ccw = false;
  EXPECT_EQ(set_up(mesh, state)[0].number, 1u);
}

TEST(Raster, NearAndFarAreClipped) {
  const RasterState state = state_of(32, 32);
  Mesh mesh;
  mesh.positions = {
      {-1, -1, -1, 1}, {1, -1, 1, 1}, {1, 1, 1, 1}, {-1, 1, -1, 1}};  // z from -1 at the left to 1 at the right
  mesh.attributes.push_back({1, false, false, {-1, 1, 1, -1}});
  mesh.triangles = {{0, 1, 2}, {0, 2, 3}};
  std::vector<int> hits(32 * 32);
  const PrimitiveList list = set_up(mesh, state);
  for (const Primitive& t : list)
    scan(t, state, [&](const Subspan& s) {
      for (unsigned p = 0; p < 4; ++p)
        if (s.coverage[p] != 0) {
          const std::uint32_t x = s.x + (p & 1u), y = s.y + (p >> 1);
          ++hits[y * 32 + x];
          const Plane plane = linear_plane(t, list.values(t, 0));
          const double right = (static_cast<std::int32_t>(x) - t.left) * 256.0 + 128,
                       down = (static_cast<std::int32_t>(y) - t.top) * 256.0 + 128;
          EXPECT_NEAR(plane.value(right, down), (x + 0.5) / 16 - 1, 1e-2);
        }
      return true;
    });
  for (std::size_t y = 0; y < 32; ++y)
    for (std::size_t x = 0; x < 32; ++x) EXPECT_EQ(hits[y * 32 + x], x >= 16 ? 1 : 0) << x << ' ' << y;
}

TEST(Raster, HugeTrianglesStayExact) {
  const RasterState state = state_of(64, 64);
  Mesh mesh;
  mesh.positions = {{-1e7, -1e7, 0.5, 1}, {3e7, -1e7, 0.5, 1}, {-1e7, 3e7, 0.5, 1}};
  mesh.triangles = {{0, 1, 2}};
  std::map<std::pair<int, int>, int> hits;
  for (const Primitive& t : set_up(mesh, state))
    scan(t, state, [&](const Subspan& s) {
      for (unsigned p = 0; p < 4; ++p)
        if (s.coverage[p] != 0) ++hits[{s.x + (p & 1u), s.y + (p >> 1)}];
      return true;
    });
  EXPECT_EQ(hits.size(), 64u * 64u);
  for (const auto& [pixel, n] : hits) EXPECT_EQ(n, 1);
}

TEST(Raster, ScissorAndViewportLimitPixels) {
  RasterState state = state_of(64, 64);
  state.scissors[0] = {10, 20, 5, 6};
  std::size_t count = 0;
  const Mesh full = full_screen_triangle();
  for (const Primitive& t : set_up(full, state))
    scan(t, state, [&](const Subspan& s) {
      for (const auto c : s.coverage) count += c != 0;
      return true;
    });
  EXPECT_EQ(count, 30u);
  state = state_of(64, 64);
  state.viewports[0] = {16, 8, 32, 16, 0, 1};
  count = 0;
  for (const Primitive& t : set_up(full, state))
    scan(t, state, [&](const Subspan& s) {
      for (const auto c : s.coverage) count += c != 0;
      return true;
    });
  EXPECT_EQ(count, 32u * 16u);
}

}  // namespace
