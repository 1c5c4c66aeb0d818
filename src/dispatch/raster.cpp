#include "dispatch/raster.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace heddle::dispatch {
namespace {

constexpr int kTile = 32;
constexpr std::int64_t kPixel = 256;  // units in a pixel
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

std::int64_t orientation(std::int64_t ax, std::int64_t ay, std::int64_t bx, std::int64_t by, std::int64_t px,
                         std::int64_t py) {
  return (bx - ax) * (py - ay) - (by - ay) * (px - ax);
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

}  // namespace

std::vector<SamplePosition> sample_positions(std::uint32_t samples) {
  switch (samples) {  // MSP-1
    case 2:
      return {{12, 12}, {4, 4}};
    case 4:
      return {{6, 2}, {14, 6}, {2, 10}, {10, 14}};
    case 8:
      return {{9, 5}, {7, 11}, {13, 9}, {5, 3}, {3, 13}, {1, 7}, {11, 15}, {15, 1}};
    case 16:
      return {{9, 9},  {7, 5}, {5, 10}, {12, 7}, {3, 6}, {10, 13}, {13, 11}, {11, 3},
              {6, 14}, {8, 1}, {4, 2},  {2, 12}, {0, 8}, {15, 4},  {14, 15}, {1, 0}};
    default:
      return {{8, 8}};
  }
}

std::vector<Triangle> set_up(const Mesh& mesh, const RasterState& state) {
  std::vector<Triangle> result;
  const std::array<double, 6>& view = state.viewport;
  const Bounds bounds = pixel_bounds(state);
  const std::vector<bool> linear = window_linear(mesh);
  // Beyond the guard band triangles are clipped; inside it the viewport's rectangle does it, so that the full-screen
  // triangle stays one.
  const double guard_x =
      std::max(1.0, (kGuardBand - std::abs(view[0]) - std::abs(view[2])) / std::max(std::abs(view[2]) / 2, 1e-6));
  const double guard_y =
      std::max(1.0, (kGuardBand - std::abs(view[1]) - std::abs(view[3])) / std::max(std::abs(view[3]) / 2, 1e-6));
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
    std::vector<ClipVertex> polygon;
    for (const std::uint32_t index : mesh.triangles[t]) {
      ClipVertex v;
      v.p = mesh.positions[index];
      for (const MeshAttribute& a : mesh.attributes)
        for (std::uint32_t c = 0; c < a.components; ++c)
          v.values.push_back(a.values[std::size_t{index} * a.components + c]);
      for (const std::vector<double>& plane : mesh.clip_distances) v.clip.push_back(plane[index]);
      polygon.push_back(std::move(v));
    }
    // A triangle whose vertices are all on the wrong side of one cull plane is gone.
    if (std::any_of(mesh.cull_distances.begin(), mesh.cull_distances.end(), [&](const std::vector<double>& plane) {
          return std::all_of(mesh.triangles[t].begin(), mesh.triangles[t].end(),
                             [&](std::uint32_t index) { return plane[index] < 0; });
        }))
      continue;
    const std::vector<double> provoking = polygon[0].values;
    clip(polygon, linear, [](const ClipVertex& v) { return v.p[2]; });           // 0 <= z
    clip(polygon, linear, [](const ClipVertex& v) { return v.p[3] - v.p[2]; });  // z <= w
    clip(polygon, linear, [](const ClipVertex& v) { return v.p[3] - 1e-30; });   // z = w = 0 has no place in the window
    clip(polygon, linear, [&](const ClipVertex& v) { return guard_x * v.p[3] - v.p[0]; });
    clip(polygon, linear, [&](const ClipVertex& v) { return guard_x * v.p[3] + v.p[0]; });
    clip(polygon, linear, [&](const ClipVertex& v) { return guard_y * v.p[3] - v.p[1]; });
    clip(polygon, linear, [&](const ClipVertex& v) { return guard_y * v.p[3] + v.p[1]; });
    for (std::size_t plane = 0; plane < mesh.clip_distances.size(); ++plane)
      clip(polygon, linear, [plane](const ClipVertex& v) { return v.clip[plane]; });
    for (std::size_t i = 2; i < polygon.size(); ++i) {
      const std::array<const ClipVertex*, 3> v{&polygon[0], &polygon[i - 1], &polygon[i]};
      Triangle tri;
      tri.primitive = static_cast<std::uint32_t>(mesh.primitives != 0 ? t % mesh.primitives : t);
      for (std::size_t k = 0; k < 3; ++k) {
        const std::array<double, 4>& p = v[k]->p;
        const double wx = view[0] + (p[0] / p[3] + 1) * (view[2] / 2), wy = view[1] + (p[1] / p[3] + 1) * (view[3] / 2);
        tri.x[k] = std::llrint(wx * kPixel);  // half to even
        tri.y[k] = std::llrint(wy * kPixel);
        tri.w[k] = p[3];
        tri.z[k] = view[4] + p[2] / p[3] * (view[5] - view[4]);
      }
      tri.area = orientation(tri.x[0], tri.y[0], tri.x[1], tri.y[1], tri.x[2], tri.y[2]);
      if (tri.area == 0) continue;
      // Vulkan: the signed area -1/2 sum(x_i y_j - x_j y_i) is positive for counter-clockwise; y points down.
      tri.front = mesh.full_screen || (tri.area < 0) == state.front_ccw;
      if ((state.cull == Cull::Back && !tri.front) || (state.cull == Cull::Front && tri.front)) continue;
      std::size_t component = 0;
      for (const MeshAttribute& a : mesh.attributes)
        for (std::uint32_t c = 0; c < a.components; ++c, ++component) {
          if (a.flat)
            tri.values.push_back({provoking[component], provoking[component], provoking[component]});
          else
            tri.values.push_back({v[0]->values[component], v[1]->values[component], v[2]->values[component]});
        }
      const auto [min_x, max_x] = std::minmax({tri.x[0], tri.x[1], tri.x[2]});
      const auto [min_y, max_y] = std::minmax({tri.y[0], tri.y[1], tri.y[2]});
      tri.left = static_cast<std::int32_t>(std::max(bounds.left, floor_div(min_x, kPixel)));
      tri.top = static_cast<std::int32_t>(std::max(bounds.top, floor_div(min_y, kPixel)));
      tri.right = static_cast<std::int32_t>(std::min(bounds.right, floor_div(max_x, kPixel) + 1));
      tri.bottom = static_cast<std::int32_t>(std::min(bounds.bottom, floor_div(max_y, kPixel) + 1));
      if (tri.left < tri.right && tri.top < tri.bottom) result.push_back(std::move(tri));
    }
  }
  return result;
}

std::array<std::int64_t, 3> edges_at(const Triangle& t, std::int64_t x, std::int64_t y) {
  return {orientation(t.x[1], t.y[1], t.x[2], t.y[2], x, y), orientation(t.x[2], t.y[2], t.x[0], t.y[0], x, y),
          orientation(t.x[0], t.y[0], t.x[1], t.y[1], x, y)};
}

void walk(const Triangle& t, const RasterState& state, const std::function<bool(const Subspan&)>& visit) {
  const std::int64_t sign = t.area > 0 ? 1 : -1;
  std::array<std::int64_t, 3> dx{}, dy{},
      bias{};  // change of each edge function for one unit; 0 is inside on top and left edges only
  for (std::size_t i = 0; i < 3; ++i) {
    const std::size_t a = (i + 1) % 3, b = (i + 2) % 3;
    const std::int64_t ex = sign * (t.x[b] - t.x[a]), ey = sign * (t.y[b] - t.y[a]);
    dx[i] = -ey;
    dy[i] = ex;
    const bool top_left = ey < 0 || (ey == 0 && ex > 0);
    bias[i] = top_left ? 0 : -1;
  }
  const auto inside_at = [&](std::int64_t x, std::int64_t y) {
    const std::array<std::int64_t, 3> e = edges_at(t, x, y);
    return sign * e[0] + bias[0] >= 0 && sign * e[1] + bias[1] >= 0 && sign * e[2] + bias[2] >= 0;
  };
  for (std::int32_t tile_y = t.top / kTile * kTile; tile_y < t.bottom; tile_y += kTile) {
    for (std::int32_t tile_x = t.left / kTile * kTile; tile_x < t.right; tile_x += kTile) {
      const std::array<std::int64_t, 3> corner = edges_at(t, tile_x * kPixel, tile_y * kPixel);
      bool outside = false;
      for (std::size_t i = 0; i < 3; ++i) {
        const std::int64_t best = sign * corner[i] + std::max<std::int64_t>(0, dx[i]) * kTile * kPixel +
                                  std::max<std::int64_t>(0, dy[i]) * kTile * kPixel;
        outside = outside || best < 0;
      }
      if (outside) continue;
      for (std::int32_t y = tile_y; y < std::min(tile_y + kTile, t.bottom); y += 2) {
        for (std::int32_t x = tile_x; x < std::min(tile_x + kTile, t.right); x += 2) {
          Subspan subspan;
          subspan.x = static_cast<std::uint16_t>(x);
          subspan.y = static_cast<std::uint16_t>(y);
          for (unsigned pixel = 0; pixel < 4; ++pixel) {
            const std::int32_t px = x + static_cast<std::int32_t>(pixel & 1u),
                               py = y + static_cast<std::int32_t>(pixel >> 1);
            if (px < t.left || px >= t.right || py < t.top || py >= t.bottom) continue;
            for (std::size_t s = 0; s < state.samples.size(); ++s)
              if (inside_at(px * kPixel + state.samples[s].x * 16, py * kPixel + state.samples[s].y * 16))
                subspan.coverage[pixel] = static_cast<std::uint16_t>(subspan.coverage[pixel] | 1u << s);
          }
          if (subspan.any() && !visit(subspan)) return;
        }
      }
    }
  }
}

Barycentric linear_at(const Triangle& t, std::int64_t x, std::int64_t y) {
  const std::array<std::int64_t, 3> e = edges_at(t, x, y);
  const double area = static_cast<double>(t.area);
  return {static_cast<double>(e[1]) / area, static_cast<double>(e[2]) / area};
}

Barycentric perspective_at(const Triangle& t, std::int64_t x, std::int64_t y) {
  const std::array<std::int64_t, 3> e = edges_at(t, x, y);
  const double p0 = static_cast<double>(e[0]) / t.w[0], p1 = static_cast<double>(e[1]) / t.w[1],
               p2 = static_cast<double>(e[2]) / t.w[2];
  const double sum = p0 + p1 + p2;
  return {p1 / sum, p2 / sum};
}

float depth_at(const Triangle& t, std::int64_t x, std::int64_t y) {
  const Barycentric b = linear_at(t, x, y);
  return static_cast<float>(t.z[0] + b.b1 * (t.z[1] - t.z[0]) + b.b2 * (t.z[2] - t.z[0]));
}

float inverse_w_at(const Triangle& t, std::int64_t x, std::int64_t y) {
  const Barycentric b = linear_at(t, x, y);
  const double i0 = 1 / t.w[0], i1 = 1 / t.w[1], i2 = 1 / t.w[2];
  return static_cast<float>(i0 + b.b1 * (i1 - i0) + b.b2 * (i2 - i0));
}

}  // namespace heddle::dispatch
