// SPDX-License-Identifier: MIT
// The tessellator: counts, coverage, edges, order.
// Rules: TES-1 to TES-10.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <random>
#include <set>

#include "pipeline/primitives/domain_division.hpp"
#include "pipeline/primitives/tessellator.hpp"

namespace heddle::pipeline {
namespace {

using Domain = TessellationDomain;
using Spacing = TessellationSpacing;

constexpr std::array kDomains{Domain::Triangles, Domain::Quads};
constexpr std::array kSpacings{Spacing::Equal, Spacing::FractionalEven, Spacing::FractionalOdd};
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

DomainMesh made_of(const TessellationState& state, const PatchLevels& levels) {
  DomainMesh mesh;
  tessellate(state, effective_levels(state, levels), mesh);
  return mesh;
}
PatchLevels all(float level) { return {{level, level, level, level}, {level, level}}; }

/// Levels of all kinds: small and large ones, integers, and what lies a little above one.
float any_level(std::mt19937& random) {
  switch (random() % 4) {
    case 0:
      return static_cast<float>(1 + random() % 64);
    case 1:
      return static_cast<float>(1 + random() % 63) + std::ldexp(1.0f, -static_cast<int>(random() % 17));
    default:
      return std::exp2(std::uniform_real_distribution<float>(-1, 6.2f)(random));
  }
}
PatchLevels any_levels(std::mt19937& random) {
  PatchLevels levels;
  for (float& level : levels.outer) level = any_level(random);
  for (float& level : levels.inner) level = any_level(random);
  return levels;
}
std::string shown(const TessellationState& state, const PatchLevels& l) {
  return "domain " + std::to_string(int(state.domain)) + ", spacing " + std::to_string(int(state.spacing)) +
         ", outer " + std::to_string(l.outer[0]) + " " + std::to_string(l.outer[1]) + " " + std::to_string(l.outer[2]) +
         " " + std::to_string(l.outer[3]) + ", inner " + std::to_string(l.inner[0]) + " " + std::to_string(l.inner[1]);
}

/// Twice the area in units of 2^-32: positive where counterclockwise.
std::int64_t area(const DomainMesh& mesh, std::size_t triangle) {
  const auto at = [&](std::size_t k) { return mesh.points[mesh.indices[3 * triangle + k]]; };
  const auto [a, b, c] = std::tuple(at(0), at(1), at(2));
  return (std::int64_t{b.u} - a.u) * (std::int64_t{c.v} - a.v) - (std::int64_t{b.v} - a.v) * (std::int64_t{c.u} - a.u);
}

std::uint32_t edges_of(Domain domain) { return domain == Domain::Triangles ? 3 : 4; }

/// Places of the points along an edge of the domain, from its lower end on.
std::vector<std::uint32_t> edge_points(const TessellationState& state, const PatchLevels& levels, std::uint32_t edge) {
  const EffectiveLevels effective = effective_levels(state, levels);
  const DomainMesh mesh = made_of(state, levels);
  std::uint32_t first = 0, all = 0;
  for (std::uint32_t k = 0; k < edges_of(state.domain); ++k) {
    if (k == edge) first = all;
    all += Division(state.spacing, effective.outer[k]).segments();
  }
  std::vector<std::uint32_t> places;
  for (std::uint32_t k = 0; k <= Division(state.spacing, effective.outer[edge]).segments(); ++k) {
    const DomainPoint p = mesh.points[(first + k) % all];
    const bool upright = edge == 0 || (edge == 2 && state.domain == Domain::Quads);
    const std::uint32_t across = upright ? p.u : edge == 2 ? kDomainOne - p.u - p.v : p.v;
    EXPECT_EQ(across, edge < 2 || state.domain == Domain::Triangles ? 0 : kDomainOne);
    places.push_back(upright ? p.v : p.u);
  }
  std::ranges::sort(places);
  return places;
}

TEST(Tessellator, CullsByOuterLevelsAlone_TES1) {
  for (const Domain domain : {Domain::Triangles, Domain::Quads, Domain::Isolines}) {
    const std::uint32_t relevant = domain == Domain::Isolines ? 2 : edges_of(domain);
    for (const float bad : {0.0f, -0.0f, -3.0f, kNan, -std::numeric_limits<float>::infinity()}) {
      for (std::uint32_t k = 0; k < 4; ++k) {
        PatchLevels levels = all(4);
        levels.outer[k] = bad;
        const DomainMesh mesh = made_of({.domain = domain}, levels);
        EXPECT_EQ(mesh.points.empty(), k < relevant);
        EXPECT_EQ(mesh.indices.empty(), k < relevant);
      }
      PatchLevels levels = all(4);
      levels.inner = {bad, bad};
      EXPECT_FALSE(made_of({.domain = domain}, levels).points.empty());
    }
  }
}

TEST(Tessellator, ClampsAndRoundsLevels_TES2) {
  const auto outer = [](Spacing spacing, float level) {
    return effective_levels({.domain = Domain::Quads, .spacing = spacing}, all(level)).outer[0];
  };
  EXPECT_EQ(outer(Spacing::Equal, 0.25f), kDomainOne);
  EXPECT_EQ(outer(Spacing::Equal, 1.001f), 2 * kDomainOne);
  EXPECT_EQ(outer(Spacing::Equal, 3), 3 * kDomainOne);
  EXPECT_EQ(outer(Spacing::Equal, std::numeric_limits<float>::infinity()), 64 * kDomainOne);
  EXPECT_EQ(outer(Spacing::FractionalEven, 0.25f), 2 * kDomainOne);
  EXPECT_EQ(outer(Spacing::FractionalEven, 1000), 64 * kDomainOne);
  EXPECT_EQ(outer(Spacing::FractionalOdd, 63.5f), 63 * kDomainOne);
  EXPECT_EQ(outer(Spacing::FractionalOdd, 2.5f), 5 * kDomainOne / 2);
  EXPECT_EQ(outer(Spacing::FractionalOdd, 2 + std::ldexp(1.0f, -17)), 2 * kDomainOne + 1);
  const EffectiveLevels lines =
      effective_levels({.domain = Domain::Isolines, .spacing = Spacing::FractionalOdd}, all(2.5f));
  EXPECT_EQ(lines.outer[0], 3 * kDomainOne);
  EXPECT_EQ(lines.outer[1], 5 * kDomainOne / 2);
}

TEST(Tessellator, AnInnerLevelOfOneIsALittleMore_TES3) {
  for (const Spacing spacing : {Spacing::Equal, Spacing::FractionalOdd}) {
    EXPECT_EQ(made_of({.spacing = spacing}, all(1)).indices.size(), 3u);
    EXPECT_EQ(made_of({.domain = Domain::Quads, .spacing = spacing}, all(1)).indices.size(), 6u);
    PatchLevels levels = all(1);
    levels.outer[1] = 2;
    EXPECT_GT(made_of({.spacing = spacing}, levels).points.size(), spacing == Spacing::Equal ? 4u : 6u);
    levels = all(1);
    levels.inner[1] = 3;
    const EffectiveLevels quads = effective_levels({.domain = Domain::Quads, .spacing = spacing}, levels);
    EXPECT_EQ(quads.inner[0], spacing == Spacing::Equal ? 2 * kDomainOne : kDomainOne + 1);
  }
  PatchLevels nothing = all(4);
  nothing.inner = {kNan, kNan};
  EXPECT_EQ(effective_levels({.domain = Domain::Quads}, nothing).inner[0], 2 * kDomainOne);
}

/// How many segments a level makes.
std::uint32_t segments_of(Spacing spacing, double level) {
  const auto n = static_cast<std::uint32_t>(std::ceil(level));
  if (spacing == Spacing::Equal) return n;
  return (n % 2 != 0) == (spacing == Spacing::FractionalOdd) ? n : n + 1;
}

TEST(Division, HasTheSegmentsOfTheSpecification_TES4) {
  for (const Spacing spacing : kSpacings) {
    const std::uint32_t least = spacing == Spacing::FractionalEven ? 2 : 1,
                        most = spacing == Spacing::FractionalOdd ? 63 : 64;
    const std::uint32_t step = spacing == Spacing::Equal ? kDomainOne : 251;
    for (std::uint32_t level = least * kDomainOne; level <= most * kDomainOne; level += step) {
      const Division edge(spacing, level);
      const std::uint32_t n = edge.segments();
      ASSERT_EQ(n, segments_of(spacing, double(level) / kDomainOne)) << level;
      ASSERT_EQ(edge.at(0), 0u);
      for (std::uint32_t k = 0; k <= n; ++k) ASSERT_EQ(edge.at(k) + edge.at(n - k), kDomainOne) << level << " " << k;
      for (std::uint32_t k = 0; k < n; ++k) ASSERT_LE(edge.at(k), edge.at(k + 1)) << level << " " << k;
    }
  }
}

// All segments have one length, but for two that are shorter; which, and how long they are, only the level decides.
TEST(Division, HasTwoShorterSegments_TES4_TES5) {
  constexpr std::uint32_t kRounding = 48;  // of reciprocals, times the places of half an edge
  for (const Spacing spacing : {Spacing::FractionalEven, Spacing::FractionalOdd})
    for (std::uint32_t level = 3 * kDomainOne + 7; level < 63 * kDomainOne; level += 4099) {
      const Division edge(spacing, level);
      const std::uint32_t n = edge.segments();
      std::uint32_t longest = 0, shorter = 0;
      for (std::uint32_t k = 0; k < n; ++k) longest = std::max(longest, edge.at(k + 1) - edge.at(k));
      for (std::uint32_t k = 0; k < n; ++k)
        if (edge.at(k + 1) - edge.at(k) + kRounding < longest) ++shorter;
      EXPECT_LE(shorter, 2u) << level;
      // What n - 2 whole segments leave is the part of the two.
      const double part = (n - double(level) / kDomainOne) / 2;
      if (part > 0.2 && longest > 8 * kRounding) EXPECT_EQ(shorter, 2u) << level;
    }
  // Level 2 + 1/2 even: the new point leaves the middle; level 1 + 1/2 odd: the corners.
  const Division even(Spacing::FractionalEven, 5 * kDomainOne / 2);
  EXPECT_EQ(even.at(1), 0x7000u);  // 1/2 * 3/4 + 1/4 * 1/4
  const Division odd(Spacing::FractionalOdd, 3 * kDomainOne / 2);
  EXPECT_EQ(odd.at(1), 0x1555u);  // 1/3 * 1/4
}

// The greatest even level just above an integer: the points beside the middle stay in their half.
TEST(Division, NoPointCrossesTheMiddle_TES4) {
  for (std::uint32_t n = 2; n < 64; n += 2) {
    const Division edge(Spacing::FractionalEven, n * kDomainOne + 2);
    EXPECT_LE(edge.at(edge.segments() / 2 - 1), kDomainOne / 2) << n;
  }
}

// A little above an even level, the new point lies beside that which it comes from.
TEST(Division, InsertsAPointAtATime_TES5) {
  constexpr std::array<std::uint32_t, 31> kPlaces{1, 1, 3, 1, 3,  5,  7,  1,  3,  5,  7,  9,  11, 13, 15, 1,
                                                  3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31};
  for (std::uint32_t few = 1; few < 32; ++few) {
    const Division before(Spacing::FractionalEven, 2 * few * kDomainOne),
        after(Spacing::FractionalEven, 2 * few * kDomainOne + 2);
    ASSERT_EQ(after.segments(), before.segments() + 2);
    for (std::uint32_t k = 0; k <= few; ++k)
      EXPECT_NEAR(after.at(k), before.at(k > kPlaces[few - 1] ? k - 1 : k), 1) << few << " " << k;
  }
}

TEST(Tessellator, PlacesAreAddedLevelByLevel_TES7) {
  std::set<std::uint32_t> orders;
  for (std::uint32_t place = 0; place <= 32; ++place) {
    orders.insert(order_of_place(place));
    // A half of 16 segments has every second place.
    EXPECT_EQ(order_of_place(place) < 16, place == 0 || (place % 2 == 1 && place != 1)) << place;
  }
  EXPECT_EQ(orders.size(), 33u);
  EXPECT_EQ(order_of_place(17), 1u);  // the first point that is added lies in the middle of the half
}

// Every triangle is counterclockwise or empty, and together they cover the domain exactly; no edge is used twice, and
// those that only one triangle has are the segments of the domain's edges: there is no T junction.
TEST(Tessellator, CoversTheDomainExactly_TES4_TES6_TES7_TES8) {
  std::mt19937 random(41);
  for (int round = 0; round < 200; ++round) {
    const TessellationState state{.domain = kDomains[round % 2], .spacing = kSpacings[round / 2 % 3]};
    const PatchLevels levels = any_levels(random);
    const EffectiveLevels effective = effective_levels(state, levels);
    const DomainMesh mesh = made_of(state, levels);
    std::int64_t sum = 0;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> edges;
    for (std::size_t t = 0; t < mesh.indices.size() / 3; ++t) {
      const std::int64_t one = area(mesh, t);
      ASSERT_GE(one, 0) << shown(state, levels) << ", triangle " << t;
      sum += one;
      for (std::size_t k = 0; k < 3; ++k)
        edges.emplace_back(mesh.indices[3 * t + k], mesh.indices[3 * t + (k + 1) % 3]);
    }
    ASSERT_EQ(sum, std::int64_t{1} << (state.domain == Domain::Triangles ? 32 : 33)) << shown(state, levels);
    std::ranges::sort(edges);
    ASSERT_EQ(std::ranges::adjacent_find(edges), edges.end()) << shown(state, levels);
    std::size_t border = 0, segments = 0;
    for (const auto& [from, to] : edges)
      if (!std::ranges::binary_search(edges, std::pair(to, from))) ++border;
    for (std::uint32_t k = 0; k < edges_of(state.domain); ++k)
      segments += Division(state.spacing, effective.outer[k]).segments();
    ASSERT_EQ(border, segments) << shown(state, levels);
  }
}

// The same level gives the same points, whatever the other levels are, on every edge and from either end.
TEST(Tessellator, AnEdgeDependsOnItsLevelAlone_TES6) {
  std::mt19937 random(42);
  for (int round = 0; round < 300; ++round) {
    const Spacing spacing = kSpacings[round % 3];
    const float level = any_level(random);
    std::vector<std::uint32_t> known;
    for (const Domain domain : kDomains)
      for (std::uint32_t edge = 0; edge < edges_of(domain); ++edge) {
        PatchLevels levels = any_levels(random);
        levels.outer[edge] = level;
        const auto places = edge_points({.domain = domain, .spacing = spacing}, levels, edge);
        auto mirrored = places;
        std::ranges::reverse(mirrored);
        for (std::uint32_t& place : mirrored) place = kDomainOne - place;
        ASSERT_EQ(places, mirrored) << level;
        if (known.empty()) known = places;
        ASSERT_EQ(places, known) << level << ", edge " << edge;
      }
  }
}

TEST(Tessellator, CountsByFormula_TES4_TES7_TES8) {
  // Of one level n everywhere a triangle has a triangle of n^2 parts less what rings leave out, known for small n.
  const std::map<int, std::pair<std::size_t, std::size_t>> triangles{{1, {3, 1}},   {2, {7, 6}},   {3, {12, 13}},
                                                                     {4, {19, 24}}, {5, {27, 37}}, {6, {37, 54}}};
  for (const auto& [n, counts] : triangles) {
    const DomainMesh mesh = made_of({}, all(static_cast<float>(n)));
    EXPECT_EQ(mesh.points.size(), counts.first) << n;
    EXPECT_EQ(mesh.indices.size(), 3 * counts.second) << n;
  }
  for (std::uint32_t u = 2; u <= 64; u += 3)
    for (std::uint32_t v = 2; v <= 64; v += 5) {
      PatchLevels levels{{float(v), float(u), float(v), float(u)}, {float(u), float(v)}};
      const DomainMesh mesh = made_of({.domain = Domain::Quads}, levels);
      EXPECT_EQ(mesh.points.size(), (u + 1) * (v + 1)) << u << " " << v;
      EXPECT_EQ(mesh.indices.size(), 6 * u * v) << u << " " << v;
    }
  // Euler: triangles = 2 points - 2 - segments of the border, of any levels.
  std::mt19937 random(43);
  for (int round = 0; round < 300; ++round) {
    const TessellationState state{.domain = kDomains[round % 2], .spacing = kSpacings[round / 2 % 3]};
    const PatchLevels levels = any_levels(random);
    const EffectiveLevels effective = effective_levels(state, levels);
    std::size_t border = 0;
    for (std::uint32_t k = 0; k < edges_of(state.domain); ++k)
      border += Division(state.spacing, effective.outer[k]).segments();
    const DomainMesh mesh = made_of(state, levels);
    ASSERT_EQ(mesh.indices.size() / 3, 2 * mesh.points.size() - 2 - border) << shown(state, levels);
  }
}

// The ring of level 3: its corners are as far from both edges; the center of level 2 is that of the triangle.
TEST(Tessellator, RingsLieWherePerpendicularsMeet_TES8) {
  const DomainMesh three = made_of({}, all(3));
  const std::uint32_t d = (0x5555 * 0xaaaa + 0x8000) >> 16;
  EXPECT_EQ(three.points[9], (DomainPoint{d, kDomainOne - 2 * d}));
  EXPECT_EQ(three.points[10], (DomainPoint{d, d}));
  EXPECT_EQ(three.points[11], (DomainPoint{kDomainOne - 2 * d, d}));
  EXPECT_EQ(made_of({}, all(2)).points.back(), (DomainPoint{0x5555, 0x5555}));
  // Two rings of quads, and the row in the middle.
  PatchLevels levels{{2, 4, 2, 4}, {4, 2}};
  const DomainMesh quads = made_of({.domain = Domain::Quads}, levels);
  ASSERT_EQ(quads.points.size(), 15u);
  for (std::uint32_t k = 0; k < 3; ++k) EXPECT_EQ(quads.points[12 + k], (DomainPoint{(k + 1) * 0x4000, 0x8000}));
}

// A quad of two triangles, alone or in the middle of rings, is divided by the line from u = 1, v = 0 to u = 0, v = 1.
TEST(Tessellator, QuadsAreDividedFromTheRightToTheTop_TES8) {
  const auto divides = [](const DomainMesh& mesh, DomainPoint from, DomainPoint to) {
    int sides = 0;
    for (std::size_t k = 0; k < mesh.indices.size(); k += 3)
      for (std::size_t c = 0; c < 3; ++c) {
        const DomainPoint a = mesh.points[mesh.indices[k + c]], b = mesh.points[mesh.indices[k + (c + 1) % 3]];
        sides += (a == from && b == to) || (a == to && b == from) ? 1 : 0;
      }
    return sides == 2;  // of the triangles on either side
  };
  for (const Spacing spacing : {Spacing::Equal, Spacing::FractionalOdd}) {
    const DomainMesh one = made_of({.domain = Domain::Quads, .spacing = spacing}, all(1));
    EXPECT_TRUE(divides(one, {kDomainOne, 0}, {0, kDomainOne}));
    EXPECT_FALSE(divides(one, {0, 0}, {kDomainOne, kDomainOne}));
    const DomainMesh three = made_of({.domain = Domain::Quads, .spacing = spacing}, all(3));
    const std::uint32_t low = kDomainOne / 3, high = kDomainOne - low;  // 65536 / 3 is nearest to 21845
    EXPECT_TRUE(divides(three, {high, low}, {low, high}));
    EXPECT_FALSE(divides(three, {low, low}, {high, high}));
  }
}

TEST(Tessellator, WindingTurnsTrianglesRound_TES9) {
  for (const Domain domain : kDomains) {
    const DomainMesh forward = made_of({.domain = domain}, all(5)),
                     back = made_of({.domain = domain, .reversed = true}, all(5));
    EXPECT_EQ(forward.points, back.points);
    ASSERT_EQ(forward.indices.size(), back.indices.size());
    for (std::size_t t = 0; t < forward.indices.size() / 3; ++t) {
      EXPECT_GT(area(forward, t), 0);
      EXPECT_EQ(area(back, t), -area(forward, t));
    }
  }
}

TEST(Tessellator, OrdersPointsAndLines_TES10) {
  const DomainMesh quad = made_of({.domain = Domain::Quads}, all(1));
  EXPECT_EQ(quad.points,
            (std::vector<DomainPoint>{{0, kDomainOne}, {0, 0}, {kDomainOne, 0}, {kDomainOne, kDomainOne}}));
  const DomainMesh triangle = made_of({}, all(1));
  EXPECT_EQ(triangle.points, (std::vector<DomainPoint>{{0, kDomainOne}, {0, 0}, {kDomainOne, 0}}));
  EXPECT_EQ(triangle.indices, (std::vector<std::uint32_t>{0, 1, 2}));
  // Lines of level 4 and 2: none at v = 1.
  PatchLevels levels = all(1);
  levels.outer = {4, 2, 0, 0};
  const TessellationState state{.domain = Domain::Isolines};
  const DomainMesh lines = made_of(state, levels);
  ASSERT_EQ(lines.points.size(), 12u);
  ASSERT_EQ(corners_of(state), 2u);
  EXPECT_EQ(lines.indices, (std::vector<std::uint32_t>{0, 1, 1, 2, 3, 4, 4, 5, 6, 7, 7, 8, 9, 10, 10, 11}));
  for (std::uint32_t k = 0; k < 12; ++k) EXPECT_EQ(lines.points[k], (DomainPoint{k % 3 * 0x8000, k / 3 * 0x4000})) << k;
  // In point mode the same points, each once.
  for (const Domain domain : {Domain::Triangles, Domain::Quads, Domain::Isolines}) {
    const DomainMesh points = made_of({.domain = domain, .points = true}, all(7));
    EXPECT_EQ(points.points, made_of({.domain = domain}, all(7)).points);
    ASSERT_EQ(points.indices.size(), points.points.size());
    for (std::uint32_t k = 0; k < points.indices.size(); ++k) EXPECT_EQ(points.indices[k], k);
    const std::set<std::pair<std::uint32_t, std::uint32_t>> unique = [&] {
      std::set<std::pair<std::uint32_t, std::uint32_t>> found;
      for (const DomainPoint& p : points.points) found.emplace(p.u, p.v);
      return found;
    }();
    EXPECT_EQ(unique.size(), points.points.size());
  }
}

}  // namespace
}  // namespace heddle::pipeline
