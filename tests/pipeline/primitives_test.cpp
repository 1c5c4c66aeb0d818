// SPDX-License-Identifier: MIT
// Topologies, points, lines, polygon modes, viewports, layers, depth bias.
// Rules: PRM-1 to PRM-6, RAS-1 to RAS-9.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>
#include <random>

#include "base/half.hpp"
#include "pipeline/primitives/topology.hpp"
#include "pipeline/raster/lines.hpp"
#include "pipeline/raster/raster.hpp"

namespace heddle::pipeline {
namespace {

using Numbers = std::vector<std::vector<std::uint32_t>>;

/// The primitives of vertices 0 ... count - 1; a restart stands in front of `restart`.
Numbers made_of(Topology topology, std::uint32_t count, bool last = false, std::uint32_t restart = UINT32_MAX) {
  PrimitiveAssembly<std::uint32_t> assembly(topology, last);
  Numbers made;
  for (std::uint32_t v = 0; v < count; ++v) {
    if (v == restart) assembly.restart();
    const auto p = assembly.add(v);
    if (p.made) made.push_back({p.at.begin(), p.at.begin() + corners_of(topology)});
  }
  return made;
}

TEST(Topologies, MakeThePrimitivesOfTheSpecification_PRM1) {
  EXPECT_EQ(made_of(Topology::PointList, 2), (Numbers{{0}, {1}}));
  EXPECT_EQ(made_of(Topology::LineList, 5), (Numbers{{0, 1}, {2, 3}}));
  EXPECT_EQ(made_of(Topology::LineStrip, 4), (Numbers{{0, 1}, {1, 2}, {2, 3}}));
  EXPECT_EQ(made_of(Topology::LineListAdjacency, 9), (Numbers{{1, 2}, {5, 6}}));
  EXPECT_EQ(made_of(Topology::LineStripAdjacency, 6), (Numbers{{1, 2}, {2, 3}, {3, 4}}));
  EXPECT_EQ(made_of(Topology::TriangleList, 8), (Numbers{{0, 1, 2}, {3, 4, 5}}));
  EXPECT_EQ(made_of(Topology::TriangleStrip, 5), (Numbers{{0, 1, 2}, {1, 3, 2}, {2, 3, 4}}));
  EXPECT_EQ(made_of(Topology::TriangleFan, 5), (Numbers{{1, 2, 0}, {2, 3, 0}, {3, 4, 0}}));
  EXPECT_EQ(made_of(Topology::TriangleListAdjacency, 13), (Numbers{{0, 2, 4}, {6, 8, 10}}));
  EXPECT_EQ(made_of(Topology::TriangleStripAdjacency, 11), (Numbers{{0, 2, 4}, {2, 6, 4}, {4, 6, 8}}));
  EXPECT_EQ(made_of(Topology::TriangleStripAdjacency, 5), Numbers{});
}

// The same triangles, turned so that the provoking vertex stands last.
TEST(Topologies, TheLastVertexMayProvoke_PRM2) {
  EXPECT_EQ(made_of(Topology::TriangleStrip, 5, true), (Numbers{{0, 1, 2}, {2, 1, 3}, {2, 3, 4}}));
  EXPECT_EQ(made_of(Topology::TriangleFan, 5, true), (Numbers{{0, 1, 2}, {0, 2, 3}, {0, 3, 4}}));
  EXPECT_EQ(made_of(Topology::TriangleStripAdjacency, 9, true), (Numbers{{0, 2, 4}, {4, 2, 6}}));
  EXPECT_EQ(made_of(Topology::TriangleList, 3, true), (Numbers{{0, 1, 2}}));
  Mesh mesh;
  mesh.positions = {{-1, -1, 0, 1}, {1, -1, 0, 1}, {-1, 1, 0, 1}};
  mesh.triangles = {{0, 1, 2}};
  mesh.attributes = {{1, true, false, {5, 6, 7}}};
  for (const bool last : {false, true}) {
    mesh.provoking_last = last;
    RasterState state;
    state.width = state.height = 8;
    state.viewports[0] = {0, 0, 8, 8, 0, 1};
    const PrimitiveList list = set_up(mesh, state);
    ASSERT_EQ(list.size(), 1u);
    EXPECT_EQ(list.values(list[0], 0)[1], last ? 7 : 5);
  }
}

TEST(Topologies, RestartBeginsAnew_PRM3) {
  EXPECT_EQ(made_of(Topology::LineStrip, 5, false, 2), (Numbers{{0, 1}, {2, 3}, {3, 4}}));
  EXPECT_EQ(made_of(Topology::TriangleFan, 6, false, 3), (Numbers{{1, 2, 0}, {4, 5, 3}}));
  EXPECT_EQ(made_of(Topology::TriangleList, 8, false, 2), (Numbers{{2, 3, 4}, {5, 6, 7}}));
}

struct Picture {
  RasterState state;
  Mesh mesh;
  Picture(std::uint32_t width, std::uint32_t height, std::uint32_t samples = 1) {
    state.width = width;
    state.height = height;
    state.viewports[0] = {0, 0, static_cast<double>(width), static_cast<double>(height), 0, 1};
    state.samples = sample_positions(samples);
  }
  std::uint32_t vertex(double x, double y, double z = 0.5, double w = 1) {
    mesh.positions.push_back({(x / state.width * 2 - 1) * w, (y / state.height * 2 - 1) * w, z * w, w});
    return static_cast<std::uint32_t>(mesh.positions.size() - 1);
  }
  void line(double ax, double ay, double bx, double by, bool continues = false) {
    const std::uint32_t a = vertex(ax, ay);
    mesh.lines.push_back({a, vertex(bx, by), continues});
  }
  /// For each covered pixel and sample how often.
  std::map<std::array<int, 3>, int> hits() const {
    std::map<std::array<int, 3>, int> found;
    const PrimitiveList list = set_up(mesh, state);
    for (const Primitive& p : list)
      scan(p, state, [&](const Subspan& s) {
        for (int k = 0; k < 4; ++k)
          for (int sample = 0; sample < 16; ++sample)
            if ((s.coverage[static_cast<std::size_t>(k)] >> sample & 1) != 0)
              ++found[{s.x + (k & 1), s.y + (k >> 1), sample}];
        return true;
      });
    return found;
  }
};

// A sample is covered when it lies in the square, with its left and upper side.
TEST(Points, AreSquares_RAS1) {
  std::mt19937 random(5);
  for (int round = 0; round < 100; ++round) {
    Picture p(24, 24, 1u << random() % 5);
    const double x = random() % 6000 / 256.0, y = random() % 6000 / 256.0, size = 1 + random() % 1000 / 128.0;
    p.mesh.points = {p.vertex(x, y)};
    p.mesh.point_sizes = {size};
    const auto found = p.hits();
    for (int py = 0; py < 24; ++py)
      for (int px = 0; px < 24; ++px)
        for (std::size_t s = 0; s < p.state.samples.size(); ++s) {
          const double sx = px + p.state.samples[s].x / 16.0, sy = py + p.state.samples[s].y / 16.0;
          const bool inside = sx >= x - size / 2 && sx < x + size / 2 && sy >= y - size / 2 && sy < y + size / 2;
          ASSERT_EQ(found.contains({px, py, static_cast<int>(s)}), inside) << round << ' ' << px << ' ' << py;
        }
  }
}

TEST(Points, OutsideTheVolumeAreGone_PRM4) {
  Picture p(16, 16);
  p.state.scissors[0] = {0, 0, 9, 16};
  p.mesh.points = {p.vertex(8, 8), p.vertex(17, 8), p.vertex(8, 8, 1.5)};
  p.mesh.point_sizes = {4, 8, 4};
  EXPECT_EQ(p.hits().size(), 3u * 4u);  // cut by the scissor only
  const PrimitiveList list = set_up(p.mesh, p.state);
  ASSERT_EQ(list.size(), 1u);
  // Place in the point: 0 to 1 from its left to its right side.
  EXPECT_TRUE(list[0].is_point);
  EXPECT_EQ(linear_plane(list[0], {0, 1, 0}).value((7 - list[0].left) * 256.0 + 128, 128), (7.5 - 6) / 4);
  EXPECT_EQ(linear_plane(list[0], {0, 0, 1}).value(128, (8 - list[0].top) * 256.0 + 128), (8.5 - 6) / 4);
}

// Rectangles of connected lines share edges; the model is that of real numbers where the point is clearly in or out.
TEST(Lines, AreRectangles_RAS2) {
  std::mt19937 random(6);
  for (int round = 0; round < 200; ++round) {
    Picture p(32, 32, 1u << random() % 5);
    const auto number = [&] { return 2 + random() % 7168 / 256.0; };
    const double ax = number(), ay = number(), bx = number(), by = number(), width = 1 + random() % 4;
    p.state.line_width = width;
    p.line(ax, ay, bx, by);
    const auto found = p.hits();
    const double length = std::hypot(bx - ax, by - ay);
    for (int py = 0; py < 32; ++py)
      for (int px = 0; px < 32; ++px)
        for (std::size_t s = 0; s < p.state.samples.size(); ++s) {
          const double sx = px + p.state.samples[s].x / 16.0 - ax, sy = py + p.state.samples[s].y / 16.0 - ay;
          const double along = (sx * (bx - ax) + sy * (by - ay)) / length,
                       across = std::abs(sx * (by - ay) - sy * (bx - ax)) / length;
          const double edge = std::min({std::abs(along), std::abs(along - length), std::abs(across - width / 2)});
          if (edge < 0.01) continue;  // its corners are snapped
          const bool inside = along > 0 && along < length && across < width / 2;
          ASSERT_EQ(found.contains({px, py, static_cast<int>(s)}), inside) << round << ' ' << px << ' ' << py;
        }
  }
}

TEST(Lines, ValuesChangeAlongThem_RAS2) {
  Picture p(64, 64);
  p.mesh.lines = {{p.vertex(10, 10, 0.25, 1), p.vertex(50, 10, 0.75, 4)}};
  p.mesh.attributes = {{1, false, true, {2, 6}}, {1, false, false, {1, 0}}};
  const PrimitiveList list = set_up(p.mesh, p.state);
  ASSERT_EQ(list.size(), 1u);
  const Primitive& t = list[0];
  for (const int x : {12, 30, 47}) {
    const double right = (x - t.left) * 256.0 + 128, share = (x + 0.5 - 10) / 40;
    for (const double down : {0.0, 300.0}) {
      EXPECT_NEAR(linear_plane(t, list.values(t, 0)).value(right, down), 2 + 4 * share, 1e-12);
      EXPECT_NEAR(linear_plane(t, t.z).value(right, down), 0.25 + 0.5 * share, 1e-12);
      const double inverse = inverse_w_plane(t).value(right, down);
      EXPECT_NEAR(inverse, (1 - share) + share / 4, 1e-12);
      EXPECT_NEAR(1 + perspective_plane(t, list.values(t, 1)).value(right, down) / inverse, (1 - share) / inverse,
                  1e-12);
    }
  }
}

/// The diamond-exit rule, word for word, in rationals over a grid so fine that the perturbation is one of its units:
/// whether the segment meets the diamond of the pixel, and does not end in it.
bool diamond_exit(double ax, double ay, double bx, double by, int px, int py) {
  constexpr double kSmall = 1.0 / (1 << 20);  // epsilon; its square is far below 1/256 of any difference too
  const double cx = px + 0.5, cy = py + 0.5, e2 = kSmall * kSmall;
  ax = ax - kSmall - cx, bx = bx - kSmall - cx, ay = ay - e2 - cy, by = by - e2 - cy;
  if (std::abs(bx) + std::abs(by) < 0.5) return false;
  // The part of the segment in each of the four half planes.
  double low = 0, high = 1;
  for (const double sx : {-1.0, 1.0})
    for (const double sy : {-1.0, 1.0}) {
      const double a = sx * ax + sy * ay - 0.5, b = sx * bx + sy * by - 0.5;  // inside where negative
      if (a >= 0 && b >= 0) return false;
      if (a >= 0) low = std::max(low, a / (a - b));
      if (b >= 0) high = std::min(high, a / (a - b));
    }
  return low < high;
}

TEST(Lines, FollowTheDiamondExitRule_RAS3) {
  std::mt19937 random(7);
  for (int round = 0; round < 600; ++round) {
    Picture p(20, 20);
    p.state.line_mode = LineMode::Bresenham;
    // Corners and edges of diamonds are the hard ones: multiples of 1/4.
    const auto number = [&] { return 2 + random() % 64 / 4.0; };
    const double ax = number(), ay = number(), bx = number(), by = number();
    p.line(ax, ay, bx, by);
    const auto found = p.hits();
    for (int py = 0; py < 20; ++py)
      for (int px = 0; px < 20; ++px)
        ASSERT_EQ(found.contains({px, py, 0}), diamond_exit(ax, ay, bx, by, px, py))
            << ax << ' ' << ay << " to " << bx << ' ' << by << " at " << px << ' ' << py;
  }
}

TEST(Lines, OfAStripMeetInOneFragment_RAS3) {
  std::mt19937 random(8);
  for (int round = 0; round < 200; ++round) {
    Picture p(64, 32);
    p.state.line_mode = LineMode::Bresenham;
    double x = 2, y = 16;
    for (int k = 0; k < 6; ++k) {  // all x-major, left to right
      const double dx = 1 + random() % 2000 / 256.0, dy = (random() % 513 / 256.0 - 1) * dx / 1.01;
      p.line(x, y, x + dx, y + dy, k != 0);
      x += dx, y += dy;
    }
    std::map<int, int> columns;
    for (const auto& [at, count] : p.hits()) columns[at[0]] += count;
    int expected = columns.begin()->first;
    for (const auto& [column, count] : columns) {
      EXPECT_EQ(count, 1) << round;
      EXPECT_EQ(column, expected++) << round;
    }
  }
}

TEST(Lines, WideOnesHaveColumns_RAS3) {
  Picture p(32, 32, 4);
  p.state.line_mode = LineMode::Bresenham;
  p.state.line_width = 3.4;
  p.line(4.5, 10.5, 20.5, 10.5);
  const auto found = p.hits();
  EXPECT_EQ(found.size(), 16u * 3 * 4);  // all samples
  EXPECT_TRUE(found.contains({4, 9, 3}));
  EXPECT_TRUE(found.contains({19, 11, 0}));
  EXPECT_FALSE(found.contains({20, 10, 0}));
}

TEST(Lines, AreStippled_RAS4) {
  for (const LineMode mode : {LineMode::Bresenham, LineMode::Rectangular}) {
    Picture p(64, 8);
    p.state.line_mode = mode;
    p.state.line_stipple = {2, 0x000b};  // bits 0, 1 and 3
    p.line(4.5, 2.5, 24.5, 2.5);
    p.line(24.5, 2.5, 60.5, 2.5, true);
    p.line(4.5, 6.5, 60.5, 6.5);
    const auto found = p.hits();
    for (int x = 4; x < 60; ++x) {
      const int bit = (x - 4) / 2 % 16;
      for (const int y : {2, 6})
        EXPECT_EQ(found.contains({x, y, 0}), bit == 0 || bit == 1 || bit == 3)
            << x << ' ' << y << ' ' << static_cast<int>(mode);
    }
  }
}

// The parts of all pixels make the rectangle; each pixel that has a part is covered whole, and no other.
TEST(Lines, SmoothOnesCoverWhatTheirRectangleMeets_RAS8) {
  std::mt19937 random(11);
  for (int round = 0; round < 12; ++round) {
    Picture p(40, 40, round % 2 == 0 ? 1 : 4);
    const auto number = [&] { return 8 + random() % 6144 / 256.0; };
    const double ax = number(), ay = number(), bx = number(), by = number();
    p.state.line_mode = LineMode::Smooth;
    p.state.line_width = 1 + random() % 4 / 2.0;
    p.line(ax, ay, bx, by);
    const auto found = p.hits();
    const PrimitiveList list = set_up(p.mesh, p.state);
    if (list.size() == 0) continue;
    const Primitive& t = list[0];
    double sum = 0;
    for (int py = 0; py < 40; ++py)
      for (int px = 0; px < 40; ++px) {
        // Brute force: points of a grid inside the rectangle.
        constexpr int kGrid = 8;
        int inside = 0;
        for (int k = 0; k < kGrid * kGrid; ++k) {
          const double x = (px + (k % kGrid + 0.5) / kGrid) * 256, y = (py + (k / kGrid + 0.5) / kGrid) * 256;
          int sides = 0;
          for (std::size_t i = 0; i < 4; ++i) {
            const std::size_t j = (i + 1) % 4;
            const double side = (t.outline_x[j] - t.outline_x[i]) * (y - t.outline_y[i]) -
                                (t.outline_y[j] - t.outline_y[i]) * (x - t.outline_x[i]);
            sides += side > 0 ? 1 : side < 0 ? -1 : 0;
          }
          inside += std::abs(sides) == 4 ? 1 : 0;
        }
        const double part = covered_part(t, px, py);
        sum += part;
        ASSERT_NEAR(part, inside / double{kGrid * kGrid}, 0.2) << round << ' ' << px << ' ' << py;
        for (std::size_t s = 0; s < p.state.samples.size(); ++s)
          ASSERT_EQ(found.contains({px, py, static_cast<int>(s)}), part > 0) << round << ' ' << px << ' ' << py;
      }
    double twice = 0;
    for (std::size_t i = 0; i < 4; ++i) {
      const std::size_t j = (i + 1) % 4;
      twice += double(t.outline_x[i]) * t.outline_y[j] - double(t.outline_x[j]) * t.outline_y[i];
    }
    EXPECT_NEAR(sum, std::abs(twice) / 2 / 65536, 1e-9) << round;
  }
  Picture p(64, 8);
  p.state.line_mode = LineMode::Smooth;
  p.state.line_stipple = {4, 0x5555};
  p.line(4, 4.5, 60, 4.5);
  const auto found = p.hits();
  for (int x = 4; x < 60; ++x) EXPECT_EQ(found.contains({x, 4, 0}), (x - 4) / 4 % 2 == 0) << x;
}

/// Whether a convex polygon (clockwise or not) and the square of a pixel have a point in common, or it has all of the
/// square: by cutting the polygon, in quarters of units, which are exact.
double part_of_square(std::vector<std::array<double, 2>> polygon, double x, double y, bool& touches) {
  for (const auto& [nx, ny, d] : {std::array{1.0, 0.0, -x}, std::array{-1.0, 0.0, x + 1}, std::array{0.0, 1.0, -y},
                                  std::array{0.0, -1.0, y + 1}}) {
    std::vector<std::array<double, 2>> kept;
    for (std::size_t i = 0; i < polygon.size(); ++i) {
      const auto &a = polygon[i], &b = polygon[(i + 1) % polygon.size()];
      const double da = nx * a[0] + ny * a[1] + d, db = nx * b[0] + ny * b[1] + d;
      if (da >= 0) kept.push_back(a);
      if ((da > 0 && db < 0) || (da < 0 && db > 0)) {
        const double t = da / (da - db);
        kept.push_back({a[0] + t * (b[0] - a[0]), a[1] + t * (b[1] - a[1])});
      }
    }
    polygon = std::move(kept);
  }
  touches = !polygon.empty();
  double twice = 0;
  for (std::size_t i = 0; i < polygon.size(); ++i) {
    const auto &a = polygon[i], &b = polygon[(i + 1) % polygon.size()];
    twice += a[0] * b[1] - b[0] * a[1];
  }
  return std::abs(twice) / 2;
}

/// Whether a triangle has all of the square of a pixel, and no edge touches it.
bool lies_inside(const std::vector<std::array<double, 2>>& corners, double x, double y) {
  int left = 0, right = 0;
  for (std::size_t i = 0; i < 3; ++i)
    for (int k = 0; k < 4; ++k) {
      const auto &a = corners[i], &b = corners[(i + 1) % 3];
      const double side = (b[0] - a[0]) * (y + (k >> 1) - a[1]) - (b[1] - a[1]) * (x + (k & 1) - a[0]);
      left += side > 0 ? 1 : 0;
      right += side < 0 ? 1 : 0;
    }
  return left == 12 || right == 12;
}

TEST(Conservative, TrianglesTakeWhatTheyMeetOrCoverWhole_RAS9) {
  std::mt19937 random(5);
  for (int round = 0; round < 300; ++round) {
    Picture p(24, 24, round % 2 == 0 ? 1 : 4);
    // Borders and corners of pixels are the hard ones: halves.
    const auto number = [&] { return 1 + random() % 44 / 2.0; };
    std::vector<std::array<double, 2>> corners;
    for (int k = 0; k < 3; ++k) corners.push_back({number(), number()});
    p.mesh.triangles = {{p.vertex(corners[0][0], corners[0][1]), p.vertex(corners[1][0], corners[1][1]),
                         p.vertex(corners[2][0], corners[2][1])}};
    const double twice = (corners[1][0] - corners[0][0]) * (corners[2][1] - corners[0][1]) -
                         (corners[1][1] - corners[0][1]) * (corners[2][0] - corners[0][0]);
    for (const Conservative mode : {Conservative::Over, Conservative::Under}) {
      p.state.conservative = mode;
      const auto found = p.hits();
      for (int py = 0; py < 24; ++py)
        for (int px = 0; px < 24; ++px) {
          bool touches = false;
          const double part = part_of_square(corners, px, py, touches);
          const bool wanted = twice != 0 && (mode == Conservative::Over ? touches : lies_inside(corners, px, py));
          // Where only a corner meets, the cut is not exact.
          if (mode == Conservative::Over && part < 1e-9) continue;
          for (int s = 0; s < static_cast<int>(p.state.samples.size()); ++s)
            ASSERT_EQ(found.contains({px, py, s}), wanted) << round << ' ' << px << ' ' << py << " part " << part;
        }
    }
  }
  // What only touches: a corner at the corner of a pixel, an edge along its side.
  Picture p(8, 8);
  p.state.conservative = Conservative::Over;
  p.mesh.triangles = {{p.vertex(2, 2), p.vertex(4, 2), p.vertex(2, 4)}};
  const auto found = p.hits();
  EXPECT_TRUE(found.contains({1, 1, 0}));
  EXPECT_TRUE(found.contains({4, 1, 0}));
  EXPECT_TRUE(found.contains({3, 3, 0}));  // the diagonal passes its corner
  EXPECT_FALSE(found.contains({4, 4, 0}));
  EXPECT_EQ(found.size(), 13u);
  p.state.conservative = Conservative::Under;
  p.mesh.triangles = {{p.vertex(2, 2), p.vertex(6, 2), p.vertex(2, 6)}};
  EXPECT_TRUE(p.hits().empty());  // (3, 3) has a corner on the diagonal
}

// Pieces that clipping makes produce each pixel once, and together what the whole would.
TEST(Conservative, PiecesMakeOneTriangle_RAS9) {
  std::mt19937 random(6);
  for (int round = 0; round < 100; ++round) {
    Picture p(24, 24);
    const auto number = [&] { return 2 + random() % 5120 / 256.0; };
    p.mesh.triangles = {{p.vertex(number(), number()), p.vertex(number(), number()), p.vertex(number(), number())}};
    for (const Conservative mode : {Conservative::Over, Conservative::Under}) {
      p.state.conservative = mode;
      p.mesh.clip_distances.clear();
      const auto whole = p.hits();
      for (const auto& [at, count] : whole) ASSERT_EQ(count, 1);
      // One corner is cut off.
      p.mesh.clip_distances = {{-0.25, 1, 1}};
      const auto cut = p.hits();
      for (const auto& [at, count] : cut) {
        ASSERT_EQ(count, 1) << round;
        if (mode == Conservative::Under) ASSERT_TRUE(whole.contains(at)) << round;
      }
      ASSERT_LE(cut.size(), whole.size() + 8) << round;
    }
  }
  // The edge between two pieces passes corners of pixels, and is none of the triangle.
  Picture p(24, 24);
  p.state.conservative = Conservative::Under;
  p.mesh.triangles = {{p.vertex(2, 2), p.vertex(22, 2), p.vertex(2, 22)}};
  p.mesh.clip_distances = {{-0.25, 1, 1}};
  const auto found = p.hits();
  for (int y = 0; y < 24; ++y)
    for (int x = 0; x < 24; ++x)
      EXPECT_EQ(found.contains({x, y, 0}), x > 2 && y > 2 && x + y + 2 < 24 && x + y > 8) << x << ' ' << y;
}

TEST(PolygonModes, DrawEdgesOrCorners_RAS5) {
  Picture p(32, 32);
  p.mesh.triangles = {{p.vertex(4.5, 4.5), p.vertex(20.5, 4.5), p.vertex(4.5, 20.5)}};
  p.mesh.attributes = {{1, true, false, {7, 8, 9}}};
  p.state.line_mode = LineMode::Bresenham;
  p.state.polygon_mode = PolygonMode::Line;
  const auto edges = p.hits();
  EXPECT_EQ(edges.size(), 3u * 16);
  EXPECT_TRUE(edges.contains({12, 12, 0}));
  EXPECT_FALSE(edges.contains({7, 7, 0}));
  p.state.polygon_mode = PolygonMode::Point;
  EXPECT_EQ(p.hits().size(), 3u);
  const PrimitiveList list = set_up(p.mesh, p.state);
  for (const Primitive& t : list) {
    EXPECT_EQ(list.values(t, 0)[0], 7);  // still the triangle's provoking vertex
    EXPECT_FALSE(t.front);
  }
  p.state.cull = Cull::Back;
  EXPECT_TRUE(p.hits().empty());
  p.state.cull = Cull::Front;
  EXPECT_EQ(p.hits().size(), 3u);
  p.state.cull = Cull::FrontAndBack;
  EXPECT_TRUE(p.hits().empty());
}

TEST(Viewports, AreChosenByThePrimitive_PRM5) {
  Picture p(32, 32);
  p.state.viewport_count = 2;
  p.state.viewports[1] = {16, 0, 16, 32, 0.5, 1};
  p.state.scissors[1] = {0, 0, 32, 8};
  p.mesh.positions = {{-1, -1, 0.5, 1}, {3, -1, 0.5, 1}, {-1, 3, 0.5, 1}};
  p.mesh.viewports = {1, 0, 9};  // of those that are not there the first counts
  p.mesh.layers = {3, 0, 5000};  // so does the first layer
  p.mesh.triangles = {{0, 1, 2}};
  EXPECT_EQ(p.hits().size(), 16u * 8);
  p.mesh.triangles = {{0, 1, 2}, {2, 1, 0}};
  const PrimitiveList list = set_up(p.mesh, p.state);
  ASSERT_EQ(list.size(), 2u);
  EXPECT_EQ(list[0].viewport, 1);
  EXPECT_EQ(list[0].target_layer(), 3u);
  EXPECT_EQ(list[0].z[0], 0.75);
  EXPECT_EQ(list[0].viewport_name, 1u);
  EXPECT_EQ(list[1].viewport, 0);
  EXPECT_EQ(list[1].viewport_name, 9u);
  EXPECT_EQ(list[1].target_layer(), 0u);
  EXPECT_EQ(list[1].layer, 5000u);
  p.mesh.layers.clear();
  p.state.layer = 2;
  EXPECT_EQ(set_up(p.mesh, p.state)[1].target_layer(), 2u);
  EXPECT_EQ(set_up(p.mesh, p.state)[1].viewport, 0);
}

/// Viewports beyond the guard band, or of no numbers.
TEST(Viewports, ThatAreNoPlaceShowNothing_PIX6) {
  const double nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();
  const Viewport wrong[] = {{nan, 0, 32, 32, 0, 1},   {0, 0, 32, nan, 0, 1},      {0, 0, inf, 32, 0, 1},
                            {-inf, 0, inf, 32, 0, 1}, {-1e38, 0, 2e38, 32, 0, 1}, {0, 1048576, 32, 1, 0, 1}};
  for (const int kind : {0, 1, 2})
    for (const Conservative mode : {Conservative::Off, Conservative::Over}) {
      Picture p(32, 32);
      p.state.conservative = mode;
      p.mesh.positions = {{-1, -1, 0.5, 1}, {3, -1, 0.5, 1}, {-1, 3, 0.5, 1}, {0, 0, 0.5, 1}};
      if (kind == 0) p.mesh.triangles.assign(9, {0, 1, 2});  // also as many as are set up together
      if (kind == 1) p.mesh.lines = {{0, 3, false}};
      if (kind == 2) p.mesh.points = {3};
      EXPECT_FALSE(p.hits().empty());
      for (const Viewport& v : wrong) {
        p.state.viewports[0] = v;
        EXPECT_EQ(set_up(p.mesh, p.state).size(), 0u) << v[0];
      }
    }
}

TEST(DepthClip, MayBeOffOrFromMinusOne_PRM6) {
  Picture p(16, 16);
  p.mesh.triangles = {{0, 1, 2}};
  p.mesh.positions = {{-1, -1, -0.5, 1}, {3, -1, -0.5, 1}, {-1, 3, -0.5, 1}};
  EXPECT_TRUE(p.hits().empty());
  p.state.depth_clip = false;
  EXPECT_EQ(p.hits().size(), 256u);
  EXPECT_EQ(set_up(p.mesh, p.state)[0].z[0], -0.5);
  p.state.depth_clip = p.state.negative_one_to_one = true;
  EXPECT_EQ(p.hits().size(), 256u);
  EXPECT_EQ(set_up(p.mesh, p.state)[0].z[0], 0.25);
}

TEST(DepthBias, IsAddedToTheWholeTriangle_RAS6) {
  Picture p(16, 16);
  p.mesh.triangles = {{p.vertex(0, 0, 0.25), p.vertex(16, 0, 0.5), p.vertex(0, 16, 0.25)}};
  const auto z = [&](const DepthBias& bias) {
    p.state.depth_bias = bias;
    return set_up(p.mesh, p.state)[0].z[0] - 0.25;
  };
  EXPECT_EQ(z({.constant = 3, .bits = 16}), 3.0 / 65536);
  EXPECT_EQ(z({.constant = 3, .bits = 24}), 3.0 / (1 << 24));
  EXPECT_EQ(z({.constant = -4}), -4 * std::ldexp(1.0, -1 - 23));  // 0.5 has the exponent -1
  EXPECT_EQ(z({.slope = 2}), 2 * 0.25 / 16);
  EXPECT_EQ(z({.slope = 2, .clamp = 0.01}), 0.26 - 0.25);
  EXPECT_EQ(z({.slope = -2, .clamp = -0.01}), 0.24 - 0.25);
  p.state.polygon_mode = PolygonMode::Line;
  EXPECT_EQ(z({.slope = 2}), 2 * 0.25 / 16);
}

TEST(SampleMask, LimitsTheCoverage_RAS7) {
  Picture p(16, 16, 4);
  p.mesh = full_screen_triangle();
  p.state.sample_mask = 0b0101;
  const auto found = p.hits();
  EXPECT_EQ(found.size(), 2u * 256);
  EXPECT_FALSE(found.contains({3, 3, 1}));
  p.state.sample_mask = 0;
  EXPECT_TRUE(p.hits().empty());
}

}  // namespace
}  // namespace heddle::pipeline
