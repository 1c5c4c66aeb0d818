// SPDX-License-Identifier: MIT
// Rules: TES-1 to TES-3, TES-6 to TES-10.
#include "pipeline/primitives/tessellator.hpp"

#include <algorithm>
#include <cmath>
#include <span>

#include "pipeline/primitives/domain_division.hpp"

namespace heddle::pipeline {
namespace {

constexpr std::uint32_t kTwoThirds = 0xaaaa, kThird = 0x5555;
constexpr float kMaxLevel = 64;

/// TES-2.
std::uint32_t clamped(TessellationSpacing spacing, float level) {
  const float least = spacing == TessellationSpacing::FractionalEven ? 2 : 1;
  const float most = spacing == TessellationSpacing::FractionalOdd ? kMaxLevel - 1 : kMaxLevel;
  float f = level > least ? std::min(level, most) : least;  // NaN: the least
  if (spacing == TessellationSpacing::Equal) f = std::ceil(f);
  return static_cast<std::uint32_t>(std::floor(double{f} * kDomainOne + 0.5));
}

/// Points of one side of a ring, by their numbers, from its first corner to the last one.
struct Side {
  std::array<std::uint32_t, Division::kMaxSegments + 1> at{};
  std::uint32_t segments = 0;
};

/// The triangles of triangles and quads: rings of points, from the domain's edge inwards, and what lies between them.
class Rings {
 public:
  Rings(const TessellationState& state, const EffectiveLevels& levels, DomainMesh& to)
      : state_(state), levels_(levels), to_(to) {}

  void triangles() {
    std::array<Side, 4> outer{}, inner{};
    outer_ring(3, outer);
    const Division axis(state_.spacing, levels_.inner[0]);
    const std::uint32_t n = axis.segments();
    if (n == 1) return triangle(outer[0].at[0], outer[1].at[0], outer[2].at[0]);
    for (std::uint32_t ring = 1; 2 * ring <= n; ++ring) {
      triangle_ring(axis, ring, inner);
      for (std::uint32_t side = 0; side < 3; ++side) stitch(ring, outer[side], inner[side], n);
      if (n - 2 * ring == 1) triangle(inner[0].at[0], inner[1].at[0], inner[2].at[0]);
      std::swap(outer, inner);
    }
  }

  void quads() {
    std::array<Side, 4> outer{}, inner{};
    outer_ring(4, outer);
    const Division u(state_.spacing, levels_.inner[0]), v(state_.spacing, levels_.inner[1]);
    if (u.segments() == 1 && v.segments() == 1) return strip(outer[1], outer[3]);
    for (std::uint32_t ring = 1;; ++ring) {
      quad_ring(u, v, ring, inner);
      for (std::uint32_t side = 0; side < 4; ++side)
        stitch(ring, outer[side], inner[side], side % 2 == 0 ? v.segments() : u.segments());
      const std::uint32_t across = u.segments() - 2 * ring, up = v.segments() - 2 * ring;
      if (up == 1 && across >= 1) return strip(inner[1], inner[3]);
      if (across == 1 && up >= 1) return strip(inner[2], inner[0]);
      if (across == 0 || up == 0) return;
      std::swap(outer, inner);
    }
  }

 private:
  std::uint32_t point(std::uint32_t u, std::uint32_t v) {
    to_.points.push_back({u, v});
    return static_cast<std::uint32_t>(to_.points.size() - 1);
  }

  void triangle(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
    if (state_.points) return;
    if (state_.reversed) std::swap(b, c);
    to_.indices.insert(to_.indices.end(), {a, b, c});
  }

  /// The points of a ring whose sides have so many segments: `place(side, k)` makes one.
  template <typename Place>
  static void walk(std::span<Side> sides, const Place& place) {
    for (std::uint32_t s = 0; s < sides.size(); ++s)
      for (std::uint32_t k = 0; k < sides[s].segments; ++k) sides[s].at[k] = place(s, k);
    for (std::size_t s = 0; s < sides.size(); ++s) sides[s].at[sides[s].segments] = sides[(s + 1) % sides.size()].at[0];
  }

  /// TES-6: the domain's own edges, each by its level.
  void outer_ring(std::uint32_t count, std::array<Side, 4>& sides) {
    std::vector<Division> edges;
    for (std::uint32_t s = 0; s < count; ++s) {
      edges.emplace_back(state_.spacing, levels_.outer[s]);
      sides[s].segments = edges[s].segments();
    }
    walk(std::span(sides).first(count), [&](std::uint32_t s, std::uint32_t k) {
      const std::uint32_t forward = edges[s].at(k), back = edges[s].at(edges[s].segments() - k);
      switch (s) {
        case 0:
          return point(0, back);
        case 1:
          return point(forward, 0);
        case 2:
          return count == 3 ? point(back, kDomainOne - back) : point(kDomainOne, forward);
        default:
          return point(back, kDomainOne);
      }
    });
  }

  void triangle_ring(const Division& axis, std::uint32_t ring, std::array<Side, 4>& sides) {
    const std::uint32_t n = axis.segments();
    for (Side& side : sides) side.segments = n - 2 * ring;
    if (n == 2 * ring) {
      const std::uint32_t center = point(kThird, kThird);
      for (Side& side : sides) side.at[0] = center;
      return;
    }
    const auto inwards = static_cast<std::uint32_t>((std::uint64_t{axis.at(ring)} * kTwoThirds + kDomainOne / 2) >> 16);
    const std::uint32_t half = (inwards + 1) / 2, most = kDomainOne - 2 * inwards;
    walk(std::span(sides).first(3), [&](std::uint32_t s, std::uint32_t k) {
      const bool rises = s == 1;
      const std::uint32_t free = std::clamp(axis.at(rises ? ring + k : n - ring - k) - half, inwards, most);
      const std::uint32_t along = k != 0 ? free : rises ? inwards : most;  // a corner is as far from both edges
      return s == 0   ? point(inwards, along)
             : s == 1 ? point(along, inwards)
                      : point(along, kDomainOne - along - inwards);
    });
  }

  void quad_ring(const Division& u, const Division& v, std::uint32_t ring, std::array<Side, 4>& sides) {
    const std::uint32_t across = u.segments() - 2 * ring, up = v.segments() - 2 * ring;
    for (std::uint32_t s = 0; s < 4; ++s) sides[s].segments = s % 2 == 0 ? up : across;
    if (across == 0 || up == 0) return row(u, v, ring, sides);
    walk(std::span(sides), [&](std::uint32_t s, std::uint32_t k) {
      switch (s) {
        case 0:
          return point(u.at(ring), v.at(v.segments() - ring - k));
        case 1:
          return point(u.at(ring + k), v.at(ring));
        case 2:
          return point(u.at(u.segments() - ring), v.at(ring + k));
        default:
          return point(u.at(u.segments() - ring - k), v.at(v.segments() - ring));
      }
    });
  }

  /// The innermost ring where an axis is even: a row of points, or one point.
  void row(const Division& u, const Division& v, std::uint32_t ring, std::array<Side, 4>& sides) {
    const std::uint32_t across = sides[1].segments, up = sides[0].segments, last = std::max(across, up);
    for (std::uint32_t k = 0; k <= last; ++k) {
      const std::uint32_t number =
          up == 0 ? point(u.at(ring + k), kDomainOne / 2) : point(kDomainOne / 2, v.at(v.segments() - ring - k));
      Side& along = up == 0 ? sides[1] : sides[0];
      Side& against = up == 0 ? sides[3] : sides[2];
      along.at[k] = number;
      against.at[last - k] = number;
    }
    sides[up == 0 ? 0 : 3].at[0] = sides[up == 0 ? 1 : 0].at[0];
    sides[up == 0 ? 2 : 1].at[0] = sides[up == 0 ? 1 : 0].at[last];
  }

  void stitch(std::uint32_t ring, const Side& outer, const Side& inner, std::uint32_t axis_segments) {
    if (ring == 1)
      join(outer, inner, axis_segments);
    else
      between(outer, inner);
  }

  /// TES-7: sides of any two numbers of points, joined in the order in which levels add points.
  void join(const Side& outer, const Side& inner, std::uint32_t axis_segments) {
    const std::uint32_t outer_half = outer.segments / 2, inner_half = axis_segments / 2;
    const bool outer_odd = outer.segments % 2 != 0, inner_odd = axis_segments % 2 != 0;
    std::uint32_t o = 0, i = 0;
    const auto step_outer = [&] {
      triangle(outer.at[o], outer.at[o + 1], inner.at[i]);
      ++o;
    };
    const auto step_inner = [&] {
      triangle(inner.at[i], outer.at[o], inner.at[i + 1]);
      ++i;
    };
    if (outer_half > 0) step_outer();
    for (std::uint32_t place = 1; place <= 32; ++place) {
      if (order_of_place(place) < inner_half) step_inner();
      if (order_of_place(place) < outer_half) step_outer();
    }
    if (inner_odd) step_inner();
    if (outer_odd) step_outer();
    for (std::uint32_t place = 32; place >= 1; --place) {
      if (order_of_place(place) < outer_half) step_outer();
      if (order_of_place(place) < inner_half) step_inner();
    }
    if (outer_half > 0) step_outer();
  }

  /// TES-8: a side and the next ring's, which is two segments shorter.
  void between(const Side& outer, const Side& inner) {
    triangle(outer.at[0], outer.at[1], inner.at[0]);
    for (std::uint32_t j = 0; j < inner.segments; ++j)
      cell(2 * j < inner.segments, {outer.at[j + 1], outer.at[j + 2], inner.at[j + 1], inner.at[j]});
    triangle(outer.at[outer.segments - 1], outer.at[outer.segments], inner.at[inner.segments]);
  }

  /// TES-8: what two opposite sides leave where the innermost ring is one segment wide; a cell in the middle belongs to
  /// the second half.
  void strip(const Side& bottom, const Side& top) {
    const std::uint32_t n = bottom.segments;
    for (std::uint32_t j = 0; j < n; ++j)
      cell(2 * j + 1 < n, {bottom.at[j], bottom.at[j + 1], top.at[n - j - 1], top.at[n - j]});
  }

  /// A cell of the first or the second half, its corners in turn.
  void cell(bool first_half, const std::array<std::uint32_t, 4>& c) {
    if (first_half) {
      triangle(c[0], c[2], c[3]);
      triangle(c[0], c[1], c[2]);
    } else {
      triangle(c[0], c[1], c[3]);
      triangle(c[3], c[1], c[2]);
    }
  }

  const TessellationState& state_;
  const EffectiveLevels& levels_;
  DomainMesh& to_;
};

void isolines(const TessellationState& state, const EffectiveLevels& levels, DomainMesh& to) {
  const Division lines(TessellationSpacing::Equal, levels.outer[0]), along(state.spacing, levels.outer[1]);
  for (std::uint32_t line = 0; line < lines.segments(); ++line)
    for (std::uint32_t k = 0; k <= along.segments(); ++k) {
      const auto number = static_cast<std::uint32_t>(to.points.size());
      to.points.push_back({along.at(k), lines.at(line)});
      if (!state.points && k > 0) to.indices.insert(to.indices.end(), {number - 1, number});
    }
}

}  // namespace

std::uint32_t outer_count(TessellationDomain domain) {
  return domain == TessellationDomain::Triangles ? 3 : domain == TessellationDomain::Quads ? 4 : 2;
}
std::uint32_t inner_count(TessellationDomain domain) {
  return domain == TessellationDomain::Triangles ? 1 : domain == TessellationDomain::Quads ? 2 : 0;
}

std::uint32_t corners_of(const TessellationState& state) {
  return state.points ? 1 : state.domain == TessellationDomain::Isolines ? 2 : 3;
}

EffectiveLevels effective_levels(const TessellationState& state, const PatchLevels& levels) {
  EffectiveLevels made;
  bool divided = false;
  for (std::uint32_t k = 0; k < outer_count(state.domain); ++k) {
    if (!(levels.outer[k] > 0)) return {.culled = true};  // TES-1, NaN too
    const bool lines = state.domain == TessellationDomain::Isolines && k == 0;
    made.outer[k] = clamped(lines ? TessellationSpacing::Equal : state.spacing, levels.outer[k]);
    divided = divided || made.outer[k] > kDomainOne;
  }
  const std::uint32_t inner = inner_count(state.domain);
  for (std::uint32_t k = 0; k < inner; ++k) {
    made.inner[k] = clamped(state.spacing, levels.inner[k]);
    divided = divided || made.inner[k] > kDomainOne;
  }
  for (std::uint32_t k = 0; divided && k < inner; ++k)  // TES-3
    if (made.inner[k] == kDomainOne)
      made.inner[k] = state.spacing == TessellationSpacing::Equal ? 2 * kDomainOne : kDomainOne + 1;
  return made;
}

void tessellate(const TessellationState& state, const EffectiveLevels& levels, DomainMesh& to) {
  to.points.clear();
  to.indices.clear();
  if (levels.culled) return;
  switch (state.domain) {
    case TessellationDomain::Triangles:
      Rings(state, levels, to).triangles();
      break;
    case TessellationDomain::Quads:
      Rings(state, levels, to).quads();
      break;
    case TessellationDomain::Isolines:
      isolines(state, levels, to);
      break;
  }
  if (state.points) {
    to.indices.resize(to.points.size());
    for (std::uint32_t k = 0; k < to.indices.size(); ++k) to.indices[k] = k;
  }
}

}  // namespace heddle::pipeline
