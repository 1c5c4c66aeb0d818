// SPDX-License-Identifier: MIT
// Rules: PIX-1, PIX-5 to PIX-9, PIX-17.
#include "pipeline/raster/raster.hpp"

#include <gtest/gtest.h>

#include "pipeline/raster/tiny.hpp"

#include <cmath>
#include <map>
#include <random>
#include <tuple>

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
    // Points on pixel centers and corners are the hard ones.
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

using Covered = std::vector<std::pair<std::uint32_t, std::uint32_t>>;  ///< x | y << 16 of a subspan, its pixels

Covered covered_by(const Primitive& t, const RasterState& state) {
  Covered found;
  scan(t, state, [&](const Subspan& s) {
    std::uint32_t pixels = 0;
    for (unsigned p = 0; p < 4; ++p) pixels |= (s.coverage[p] & 1u) << p;
    found.emplace_back(s.x | static_cast<std::uint32_t>(s.y) << 16, pixels);
    return true;
  });
  return found;
}

/// A triangle within `most` pixels of a place; `units`: halves of pixels are the hard ones.
void add_small_triangle(Mesh& mesh, const RasterState& state, std::mt19937& random, std::uint32_t most,
                        std::uint32_t units) {
  const auto place = [&] { return static_cast<double>(random() % 60); };
  const double left = place(), top = place();
  const auto coordinate = [&](double from) {
    return from + static_cast<double>(random() % (most * units + 1)) / units;
  };
  const auto first = static_cast<std::uint32_t>(mesh.positions.size());
  for (int k = 0; k < 3; ++k)
    mesh.positions.push_back(clip_of(state, coordinate(left), coordinate(top), static_cast<double>(random() % 8) / 8,
                                     1 + static_cast<double>(random() % 3)));
  mesh.triangles.push_back({first, first + 1, first + 2});
}

SamplePosition any_position(std::mt19937& random) {  // RAS-10
  return {static_cast<std::uint8_t>(random() % 16), static_cast<std::uint8_t>(random() % 16)};
}

// Tiny triangles are scanned in another way: the same subspans in the same order (PIX-8, PIX-9).
TEST(Raster, TinyTrianglesAreCoveredAsOthers) {
  std::mt19937 random(12);
  int tiny = 0, covered = 0;
  for (int round = 0; round < 3000; ++round) {
    RasterState state = state_of(70, 70);
    if (round % 3 == 0) state.scissors[0] = {static_cast<std::int32_t>(random() % 40), 3, 21, 29};
    if (round % 2 == 0) state.samples[0] = any_position(random);
    Mesh mesh;
    add_small_triangle(mesh, state, random, 1 + random() % 20, std::array{2u, 256u, 16u}[round % 3]);
    for (const Primitive& t : set_up(mesh, state)) {
      const auto reach = [](const auto& at) { return *std::ranges::max_element(at) - *std::ranges::min_element(at); };
      const bool one_tile = t.left / 32 == (t.right - 1) / 32 && t.top / 32 == (t.bottom - 1) / 32;
      ASSERT_EQ(t.is_tiny, one_tile && reach(t.x) <= 16 * 256 && reach(t.y) <= 16 * 256);
      if (!t.is_tiny) continue;
      ++tiny;
      const Covered expected = covered_by(t, state);
      Covered found, first;
      const auto keep = [&](std::uint32_t at, std::uint32_t pixels) { return found.emplace_back(at, pixels), true; };
      ASSERT_TRUE(scan_tiny(t, state.samples[0], keep));
      ASSERT_EQ(found, expected) << round;
      covered += found.empty() ? 0 : 1;
      const auto one = [&](std::uint32_t at, std::uint32_t pixels) { return first.emplace_back(at, pixels), false; };
      ASSERT_EQ(scan_tiny(t, state.samples[0], one), expected.empty());
      ASSERT_EQ(first.size(), expected.empty() ? 0u : 1u);
    }
  }
  EXPECT_GT(tiny, 1000);
  EXPECT_GT(covered, 500);
}

// Set-up takes eight triangles at once where it can, and leaves out tiny ones that cover nothing.
TEST(Raster, TrianglesAreSetUpTogetherAsAlone) {
  std::mt19937 random(14);
  int blocks = 0, dropped = 0;
  for (int round = 0; round < 400; ++round) {
    RasterState state = state_of(70, 70);
    if (round % 3 == 0) state.scissors[0] = {static_cast<std::int32_t>(random() % 40), 3, 21, 29};
    if (round % 2 == 0) state.samples[0] = any_position(random);
    state.cull = std::array{Cull::None, Cull::Back, Cull::Front}[random() % 3];
    state.front_ccw = random() % 2 == 0;
    if (round % 5 == 0) state.depth_bias = {1, 2, 0, 24};
    Mesh mesh;
    const std::uint32_t count = 1 + random() % 40;
    for (std::uint32_t n = 0; n < count; ++n)
      add_small_triangle(mesh, state, random, 1 + random() % (random() % 8 == 0 ? 100 : 5),
                         std::array{2u, 256u, 16u}[round % 3]);
    if (round % 4 == 0) mesh.positions[random() % mesh.positions.size()][3] = -1;            // is clipped
    if (round % 4 == 1) std::shuffle(mesh.triangles.begin(), mesh.triangles.end(), random);  // corners here and there
    const PrimitiveList together = set_up(mesh, state);
    std::size_t at = 0;
    for (std::uint32_t n = 0; n < count; ++n) {
      Mesh alone = mesh;
      alone.triangles = {mesh.triangles[n]};
      const PrimitiveList one = set_up(alone, state);
      dropped += one.size() == 0 ? 1 : 0;
      for (const Primitive& t : one) {
        const Covered expected = covered_by(t, state);
        const bool in_block = t.right - (t.left & ~1) <= 4 && t.bottom - (t.top & ~1) <= 4;
        ASSERT_FALSE(t.is_tiny && in_block && expected.empty()) << round;
        ASSERT_LT(at, together.size()) << round;
        const Primitive& same = together[at++];
        ASSERT_EQ(same.source, n);
        ASSERT_EQ(std::tie(same.x, same.y, same.z, same.w, same.area, same.front, same.is_tiny, same.shape),
                  std::tie(t.x, t.y, t.z, t.w, t.area, t.front, t.is_tiny, t.shape));
        ASSERT_EQ(std::tie(same.left, same.top, same.right, same.bottom), std::tie(t.left, t.top, t.right, t.bottom));
        if (same.block == 0) continue;
        ++blocks;
        Covered found;
        const auto keep = [&](std::uint32_t where, std::uint32_t pixels) {
          return found.emplace_back(where, pixels), true;
        };
        ASSERT_TRUE(scan_tiny(same, state.samples[0], keep));
        ASSERT_EQ(found, expected) << round;
      }
    }
    ASSERT_EQ(at, together.size());
  }
  EXPECT_GT(blocks, 500);
  EXPECT_GT(dropped, 100);
}

// However many vertices there are, each gets the values of the formula.
TEST(Raster, WindowCoordinatesOfAnyNumberOfVertices_PIX6) {
  std::mt19937 random(13);
  const auto number = [&](double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random);
  };
  for (std::uint32_t count = 3; count < 40; ++count) {
    RasterState state = state_of(200, 100);
    const Viewport v =
        state.viewports[0] = {number(-5, 5), number(-5, 5), 190, count % 2 == 0 ? 99.0 : -90.0, 0.25, 0.75};
    if (count % 2 != 0) state.viewports[0][1] = 95;
    state.negative_one_to_one = count % 3 == 0;
    Mesh mesh;
    for (std::uint32_t k = 0; k < count; ++k) {
      const double w = count % 4 == 0 || (count % 4 == 1 && k % 8 < 7) ? 1 : number(0.5, 4);
      mesh.positions.push_back({number(-1, 1) * w, number(-1, 1) * w, number(0, 1) * w, w});
      if (k >= 2) mesh.triangles.push_back({k - 2, k - 1, k});
    }
    for (const Primitive& t : set_up(mesh, state))
      for (std::size_t k = 0; k < 3; ++k) {
        const auto& p = mesh.positions[t.corners[k]];
        const double z = state.negative_one_to_one ? (p[2] / p[3] + 1) / 2 : p[2] / p[3];
        EXPECT_EQ(t.x[k], std::nearbyint((v[0] + (p[0] / p[3] + 1) * (v[2] / 2)) * 256));
        EXPECT_EQ(t.y[k], std::nearbyint((state.viewports[0][1] + (p[1] / p[3] + 1) * (v[3] / 2)) * 256));
        EXPECT_EQ(t.z[k], v[4] + z * (v[5] - v[4]));
        EXPECT_EQ(t.w[k], p[3]);
      }
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

// Rows of pixels by their ends: the same pixels as by the edge functions at each, in order (PIX-8, PIX-9).
TEST(Raster, RowsBeginAndEndWhereEdgesSay) {
  std::mt19937 random(16);
  int partial = 0;
  for (int round = 0; round < 400; ++round) {
    RasterState state = state_of(150, 140);
    if (round % 3 == 0) state.scissors[0] = {static_cast<std::int32_t>(random() % 60), 7, 71, 83};
    if (round % 2 == 0) state.samples[0] = any_position(random);
    // Corners inside, on whole pixels (level edges), and far away.
    const double reach = std::array{140.0, 140.0, 30000.0}[round % 3];
    std::uniform_real_distribution<double> where(-reach / 4, reach);
    Mesh mesh;
    for (int k = 0; k < 3; ++k) {
      const double x = where(random), y = where(random);
      mesh.positions.push_back(round % 4 == 0 ? clip_of(state, std::floor(x / 8) * 8, std::floor(y / 8) * 8)
                                              : clip_of(state, x, y));
    }
    mesh.triangles = {{0, 1, 2}};
    for (const Primitive& t : set_up(mesh, state)) {
      std::array<Edge<std::int64_t>, 3> edges;
      const std::int64_t sign = t.area > 0 ? 1 : -1;
      for (std::size_t k = 0; k < 3; ++k)
        edges[k] = edge_between<std::int64_t>(t.x[k], t.y[k], t.x[k == 2 ? 0 : k + 1], t.y[k == 2 ? 0 : k + 1], sign);
      const auto covers = [&](std::int64_t x, std::int64_t y) {
        if (x < t.left || x >= t.right || y < t.top || y >= t.bottom) return false;
        const std::int64_t at_x = x * 256 + state.samples[0].x * 16, at_y = y * 256 + state.samples[0].y * 16;
        return std::ranges::all_of(edges,
                                   [&](const auto& e) { return e.at + e.dx * at_x + e.dy * at_y + e.bias >= 0; });
      };
      std::map<std::tuple<int, int, int, int>, std::uint32_t> expected;  // by tile and subspan, rows first
      for (int y = 0; y < 140; y += 2)
        for (int x = 0; x < 150; x += 2) {
          std::uint32_t pixels = 0;
          for (int k = 0; k < 4; ++k) pixels |= covers(x + (k & 1), y + (k >> 1)) ? 1u << k : 0;
          if (pixels != 0) expected[{y / 32, x / 32, y, x}] = pixels;
          partial += pixels != 0 && pixels != 15 ? 1 : 0;
        }
      auto next = expected.begin();
      scan(t, state, [&](const Subspan& s) {
        std::uint32_t pixels = 0;
        for (std::uint32_t k = 0; k < 4; ++k) pixels |= s.coverage[k] != 0 ? 1u << k : 0;
        EXPECT_TRUE(next != expected.end() && next->second == pixels &&
                    next->first == std::tuple(s.y / 32, s.x / 32, int{s.y}, int{s.x}))
            << round << " at " << s.x << ", " << s.y << ": " << pixels;
        if (next != expected.end()) ++next;
        return !::testing::Test::HasFailure();
      });
      ASSERT_FALSE(::testing::Test::HasFailure());
      ASSERT_TRUE(next == expected.end()) << round;
    }
  }
  EXPECT_GT(partial, 5000);
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
