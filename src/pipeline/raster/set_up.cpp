// Clipping, culling and snapping of triangles. Rules: PIX-5 to PIX-7.
#include "pipeline/raster/raster.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace heddle::pipeline {
namespace {

// Window coordinates stay within +-2^20 pixels, so that edge functions fit 64 bits with room: (2^29)^2 * 2.
constexpr double kGuardBand = 1 << 20;

struct ClipVertex {
  std::array<double, 4> p{};
  std::vector<double> values;
  std::vector<double> clip;  ///< user clip distances
};

/// Components that are linear in the window: a cut edge is divided there, not in clip space.
std::vector<bool> window_linear(const Mesh& mesh) {
  std::vector<bool> result;
  for (const MeshAttribute& a : mesh.attributes) result.insert(result.end(), a.components, a.linear);
  return result;
}

/// Sutherland-Hodgman against one plane: keeps where `distance` >= 0. Positions and attributes are linear in clip
/// space.
template <typename Distance>
void clip(std::vector<ClipVertex>& polygon, const std::vector<bool>& linear, Distance distance) {
  std::vector<ClipVertex> result;
  for (std::size_t i = 0; i < polygon.size(); ++i) {
    const ClipVertex& a = polygon[i];
    const ClipVertex& b = polygon[(i + 1) % polygon.size()];
    const double da = distance(a), db = distance(b);
    if (da >= 0) result.push_back(a);
    if ((da >= 0) == (db >= 0)) continue;
    // The same vertex results whichever way the shared edge of two triangles runs.
    const bool forward = da < db;
    const ClipVertex& u = forward ? a : b;
    const ClipVertex& v = forward ? b : a;
    const double du = forward ? da : db, dv = forward ? db : da, t = du / (du - dv);
    ClipVertex cut;
    for (std::size_t k = 0; k < 4; ++k) cut.p[k] = u.p[k] + t * (v.p[k] - u.p[k]);
    cut.values.resize(u.values.size());
    const double window = cut.p[3] > 0 && v.p[3] > 0 ? std::clamp(t * v.p[3] / cut.p[3], 0.0, 1.0) : t;
    for (std::size_t k = 0; k < cut.values.size(); ++k)
      cut.values[k] = u.values[k] + (linear[k] ? window : t) * (v.values[k] - u.values[k]);
    cut.clip.resize(u.clip.size());
    for (std::size_t k = 0; k < cut.clip.size(); ++k) cut.clip[k] = u.clip[k] + t * (v.clip[k] - u.clip[k]);
    result.push_back(std::move(cut));
  }
  polygon = std::move(result);
}

std::int64_t floor_div(std::int64_t a, std::int64_t b) { return a >= 0 ? a / b : -((-a + b - 1) / b); }

struct Bounds {
  std::int64_t left, top, right, bottom;
};

/// Pixels whose centre lies in the viewport (the side planes of the clip volume), in the scissor and on the target.
Bounds pixel_bounds(const RasterState& state) {
  const auto first = [](double edge) {
    return static_cast<std::int64_t>(std::ceil(std::clamp(edge - 0.5, -kGuardBand, kGuardBand)));
  };
  const std::array<double, 6>& v = state.viewport;
  Bounds b{first(std::min(v[0], v[0] + v[2])), first(std::min(v[1], v[1] + v[3])), first(std::max(v[0], v[0] + v[2])),
           first(std::max(v[1], v[1] + v[3]))};
  const std::array<std::int32_t, 4>& s = state.scissor;
  b.left = std::max({b.left, std::int64_t{s[0]}, std::int64_t{0}});
  b.top = std::max({b.top, std::int64_t{s[1]}, std::int64_t{0}});
  b.right = std::min({b.right, std::int64_t{s[0]} + s[2], static_cast<std::int64_t>(state.width)});
  b.bottom = std::min({b.bottom, std::int64_t{s[1]} + s[3], static_cast<std::int64_t>(state.height)});
  return b;
}

/// The corners of a triangle, before clipping.
std::vector<ClipVertex> polygon_of(const Mesh& mesh, const std::array<std::uint32_t, 3>& triangle) {
  std::vector<ClipVertex> polygon;
  for (const std::uint32_t index : triangle) {
    ClipVertex v;
    v.p = mesh.positions[index];
    for (const MeshAttribute& a : mesh.attributes)
      for (std::uint32_t c = 0; c < a.components; ++c)
        v.values.push_back(a.source != MeshAttribute::Source::Weight ? a.values[std::size_t{index} * a.components + c]
                           : polygon.size() == a.vertex              ? 1.0
                                                                     : 0.0);
    for (const std::vector<double>& plane : mesh.clip_distances) v.clip.push_back(plane[index]);
    polygon.push_back(std::move(v));
  }
  return polygon;
}

/// A triangle whose vertices are all on the wrong side of one cull plane is gone.
bool is_culled(const Mesh& mesh, const std::array<std::uint32_t, 3>& triangle) {
  return std::ranges::any_of(mesh.cull_distances, [&](const std::vector<double>& plane) {
    return std::ranges::all_of(triangle, [&](std::uint32_t index) { return plane[index] < 0; });
  });
}

/// How far clip coordinates may reach, in multiples of w: beyond this band triangles are clipped; inside it the
/// viewport's rectangle does it, so that the full-screen triangle stays one.
double guard_band(double origin, double size) {
  return std::max(1.0, (kGuardBand - std::abs(origin) - std::abs(size)) / std::max(std::abs(size) / 2, 1e-6));
}

struct ClipVolume {
  ClipVolume(const Mesh& mesh, const RasterState& state)
      : linear(window_linear(mesh)),
        planes(mesh.clip_distances.size()),
        guard_x(guard_band(state.viewport[0], state.viewport[2])),
        guard_y(guard_band(state.viewport[1], state.viewport[3])) {}
  const std::vector<bool> linear;
  const std::size_t planes;  ///< of the user
  const double guard_x, guard_y;

  void clip_polygon(std::vector<ClipVertex>& polygon) const;
  /// Whether a vertex is on the right side of each plane, but for the user's.
  [[nodiscard]] bool contains(const std::array<double, 4>& p) const {
    return p[2] >= 0 && p[3] - p[2] >= 0 && p[3] - 1e-30 >= 0 && guard_x * p[3] - p[0] >= 0 &&
           guard_x * p[3] + p[0] >= 0 && guard_y * p[3] - p[1] >= 0 && guard_y * p[3] + p[1] >= 0;
  }
};

/// The planes are those of contains().
void ClipVolume::clip_polygon(std::vector<ClipVertex>& polygon) const {
  clip(polygon, linear, [](const ClipVertex& v) { return v.p[2]; });           // 0 <= z
  clip(polygon, linear, [](const ClipVertex& v) { return v.p[3] - v.p[2]; });  // z <= w
  clip(polygon, linear, [](const ClipVertex& v) { return v.p[3] - 1e-30; });   // z = w = 0 has no place in the window
  clip(polygon, linear, [&](const ClipVertex& v) { return guard_x * v.p[3] - v.p[0]; });
  clip(polygon, linear, [&](const ClipVertex& v) { return guard_x * v.p[3] + v.p[0]; });
  clip(polygon, linear, [&](const ClipVertex& v) { return guard_y * v.p[3] - v.p[1]; });
  clip(polygon, linear, [&](const ClipVertex& v) { return guard_y * v.p[3] + v.p[1]; });
  for (std::size_t plane = 0; plane < planes; ++plane)
    clip(polygon, linear, [plane](const ClipVertex& v) { return v.clip[plane]; });
}

using Position = std::array<double, 4>;

/// Window coordinates (PIX-6), orientation, and the pixels that may be covered.
void set_window(Triangle& t, const std::array<const Position*, 3>& corners, const RasterState& state,
                const Bounds& bounds) {
  const std::array<double, 6>& view = state.viewport;
  for (std::size_t k = 0; k < 3; ++k) {
    const Position& p = *corners[k];
    const double x = view[0] + (p[0] / p[3] + 1) * (view[2] / 2), y = view[1] + (p[1] / p[3] + 1) * (view[3] / 2);
    t.x[k] = std::llrint(x * kPixel);  // half to even
    t.y[k] = std::llrint(y * kPixel);
    t.w[k] = p[3];
    t.z[k] = view[4] + p[2] / p[3] * (view[5] - view[4]);
  }
  t.area = edges_at(t, t.x[2], t.y[2])[2];
  const auto [min_x, max_x] = std::minmax({t.x[0], t.x[1], t.x[2]});
  const auto [min_y, max_y] = std::minmax({t.y[0], t.y[1], t.y[2]});
  t.left = static_cast<std::int32_t>(std::max(bounds.left, floor_div(min_x, kPixel)));
  t.top = static_cast<std::int32_t>(std::max(bounds.top, floor_div(min_y, kPixel)));
  t.right = static_cast<std::int32_t>(std::min(bounds.right, floor_div(max_x, kPixel) + 1));
  t.bottom = static_cast<std::int32_t>(std::min(bounds.bottom, floor_div(max_y, kPixel) + 1));
}

/// The attributes of a triangle: value(corner, attribute, component, place), where `place` counts the components of all
/// attributes; those that are flat have the value of a vertex of the whole triangle: the first, or the one that the
/// attribute names.
template <typename Value, typename Whole>
void set_values(Triangle& t, const Mesh& mesh, const Value& value, const Whole& whole) {
  std::size_t place = 0;
  for (const MeshAttribute& a : mesh.attributes)
    for (std::uint32_t c = 0; c < a.components; ++c, ++place) {
      if (a.flat) {
        const double same = whole(a.source == MeshAttribute::Source::AtVertex ? a.vertex : 0u, a, c);
        t.values.push_back({same, same, same});
      } else {
        t.values.push_back({value(0, a, c, place), value(1, a, c, place), value(2, a, c, place)});
      }
    }
}

/// The triangles of one draw.
class SetUp {
 public:
  SetUp(const Mesh& mesh, const RasterState& state, TriangleList& list)
      : mesh_(mesh), state_(state), list_(list), bounds_(pixel_bounds(state)), volume_(mesh, state) {}

  void add(std::size_t index) {
    const std::array<std::uint32_t, 3>& triangle = mesh_.triangles[index];
    if (!mesh_.cull_distances.empty() && is_culled(mesh_, triangle)) return;
    const auto at_vertex = [&](std::size_t corner, const MeshAttribute& a, std::uint32_t c) {
      return a.source != MeshAttribute::Source::Weight ? a.values[std::size_t{triangle[corner]} * a.components + c]
             : corner == a.vertex                      ? 1.0
                                                       : 0.0;
    };
    if (is_inside(triangle)) {
      const std::array<const Position*, 3> corners{&mesh_.positions[triangle[0]], &mesh_.positions[triangle[1]],
                                                   &mesh_.positions[triangle[2]]};
      if (Triangle* t = begin(index, corners))
        set_values(
            *t, mesh_,
            [&](std::size_t k, const MeshAttribute& a, std::uint32_t c, std::size_t) { return at_vertex(k, a, c); },
            at_vertex);
      return;
    }
    std::vector<ClipVertex> polygon = polygon_of(mesh_, triangle);
    volume_.clip_polygon(polygon);
    for (std::size_t i = 2; i < polygon.size(); ++i) {
      const std::array<const ClipVertex*, 3> corners{&polygon[0], &polygon[i - 1], &polygon[i]};
      if (Triangle* t = begin(index, {&corners[0]->p, &corners[1]->p, &corners[2]->p}))
        set_values(
            *t, mesh_,
            [&](std::size_t k, const MeshAttribute&, std::uint32_t, std::size_t place) {
              return corners[k]->values[place];
            },
            at_vertex);
    }
  }

 private:
  /// Nothing is to be cut off.
  [[nodiscard]] bool is_inside(const std::array<std::uint32_t, 3>& triangle) const {
    for (const std::uint32_t index : triangle) {
      const Position& p = mesh_.positions[index];
      if (!volume_.contains(p)) return false;
      for (const std::vector<double>& plane : mesh_.clip_distances)
        if (!(plane[index] >= 0)) return false;
    }
    return true;
  }
  /// A triangle of the list without its values; null where no pixel would see it.
  Triangle* begin(std::size_t index, const std::array<const Position*, 3>& corners) {
    Triangle& t = list_.add();
    set_window(t, corners, state_, bounds_);
    // Vulkan: the signed area -1/2 sum(x_i y_j - x_j y_i) is positive for counter-clockwise; y points down.
    t.front = mesh_.full_screen || (t.area < 0) == state_.front_ccw;
    if (t.area == 0 || state_.cull == (t.front ? Cull::Front : Cull::Back) || t.left >= t.right || t.top >= t.bottom) {
      list_.remove_last();
      return nullptr;
    }
    t.primitive = static_cast<std::uint32_t>(mesh_.primitives != 0 ? index % mesh_.primitives : index);
    return &t;
  }

  const Mesh& mesh_;
  const RasterState& state_;
  TriangleList& list_;
  const Bounds bounds_;
  const ClipVolume volume_;
};

}  // namespace

void set_up(const Mesh& mesh, const RasterState& state, std::size_t first, std::size_t last, TriangleList& list) {
  SetUp set_up(mesh, state, list);
  for (std::size_t index = first; index < last; ++index) set_up.add(index);
}

std::vector<Triangle> set_up(const Mesh& mesh, const RasterState& state) {
  TriangleList list;
  set_up(mesh, state, 0, mesh.triangles.size(), list);
  std::vector<Triangle> result;
  for (std::uint32_t t = 0; t < list.size(); ++t) result.push_back(list[t]);
  return result;
}

}  // namespace heddle::pipeline
