// SPDX-License-Identifier: MIT
#pragma once
// A value over the pixels of a triangle. Plain data only: builds for several targets share this file.

#include <cstdint>

#include "pipeline/raster/edge.hpp"

namespace heddle::pipeline {

/// A function that is linear in the window: `at` in the upper left corner of the triangle's pixels, and its change for
/// 1/256 pixel. Good to a few units of binary64's last place of the greatest value inside the triangle.
struct Plane {
  double at = 0, dx = 0, dy = 0;
  /// At (x, y) 1/256 pixel from that corner.
  [[nodiscard]] double value(double x, double y) const { return at + dx * x + dy * y; }
};

/// Two corners' values, stored and loaded as one.
typedef double PlanePair __attribute__((vector_size(16)));

// Used where instructions differ, so none of these may become a function of its own.
#define HEDDLE_PLANE_INLINE __attribute__((always_inline)) inline

/// The corners of a primitive, as Primitive has them.
struct PlaneCorners {
  const std::int32_t *x, *y;
  std::int32_t left, top;
  std::int64_t area;
  const double* w;
};

/// What all planes of one primitive are made from.
struct PlaneBase {
  typedef double Four __attribute__((vector_size(32)));
  Four first, second;  ///< e[1] and e[2] (PIX-8) at the corner of the pixels, and their changes in x and y
  double area;         ///< the sum of the edge functions
  const double* w;     ///< clip w of the corners
};

HEDDLE_PLANE_INLINE void make_base(PlaneBase& base, const PlaneCorners& t) {
  const std::int64_t left = t.left * (std::int64_t{1} << kPixelBits), top = t.top * (std::int64_t{1} << kPixelBits);
  const auto edge = [&](unsigned a, unsigned b) __attribute__((always_inline)) {
    return static_cast<double>(cross<std::int64_t>(t.x[a], t.y[a], t.x[b], t.y[b], left, top));
  };
  const auto by = [](std::int32_t a, std::int32_t b)
                      __attribute__((always_inline)) { return static_cast<double>(std::int64_t{a} - b); };
  base.first = PlaneBase::Four{edge(2, 0), by(t.y[2], t.y[0]), -by(t.x[2], t.x[0]), 0};
  base.second = PlaneBase::Four{edge(0, 1), -by(t.y[1], t.y[0]), by(t.x[1], t.x[0]), 0};
  base.area = static_cast<double>(t.area);
  base.w = t.w;
}

/// at + (e[1] * f1 + e[2] * f2) / area
[[nodiscard]] HEDDLE_PLANE_INLINE Plane plane_of(const PlaneBase& base, double at, double f1, double f2) {
  const PlaneBase::Four sum = (base.first * f1 + base.second * f2) / base.area;
  return {at + sum[0], sum[1], sum[2]};
}
/// Between the values at the corners, the first one and the others: the sum of e[i] * v[i] / area.
[[nodiscard]] HEDDLE_PLANE_INLINE Plane linear_of(const PlaneBase& base, double first, PlanePair others) {
  const PlanePair f = others - first;
  return plane_of(base, first, f[0], f[1]);
}
/// Perspective interpolation is v[0] + this / (the plane of 1 / w).
[[nodiscard]] HEDDLE_PLANE_INLINE Plane perspective_of(const PlaneBase& base, double first, PlanePair others) {
  const PlanePair f = (others - first) / PlanePair{base.w[1], base.w[2]};
  return plane_of(base, 0, f[0], f[1]);
}
/// The plane of 1 / w.
[[nodiscard]] HEDDLE_PLANE_INLINE Plane inverse_w_of(const PlaneBase& base) {
  return linear_of(base, 1 / base.w[0], 1.0 / PlanePair{base.w[1], base.w[2]});
}

}  // namespace heddle::pipeline
