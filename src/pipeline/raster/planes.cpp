// SPDX-License-Identifier: MIT
// Edge functions, and values over the pixels of a primitive. Rules: PIX-8, PIX-17, RAS-2.
#include <cstddef>

#include "pipeline/raster/edge.hpp"
#include "pipeline/raster/raster.hpp"

namespace heddle::pipeline {
namespace {

PlaneBase base_of(const Primitive& t) {
  PlaneBase base;
  make_base(base, plane_corners(t));
  return base;
}

}  // namespace

std::array<std::int64_t, 3> edges_at(const Primitive& t, std::int64_t x, std::int64_t y) {
  return {cross<std::int64_t>(t.x[1], t.y[1], t.x[2], t.y[2], x, y),
          cross<std::int64_t>(t.x[2], t.y[2], t.x[0], t.y[0], x, y),
          cross<std::int64_t>(t.x[0], t.y[0], t.x[1], t.y[1], x, y)};
}

Plane linear_plane(const Primitive& t, const std::array<double, 3>& v) {
  return linear_of(base_of(t), v[0], PlanePair{v[1], v[2]});
}

Plane inverse_w_plane(const Primitive& t) { return inverse_w_of(base_of(t)); }

Plane perspective_plane(const Primitive& t, const std::array<double, 3>& v) {
  return perspective_of(base_of(t), v[0], PlanePair{v[1], v[2]});
}

}  // namespace heddle::pipeline
