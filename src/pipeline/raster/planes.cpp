// Edge functions, and values over the pixels of a primitive. Rules: PIX-8, PIX-17, RAS-2.
#include <cstddef>

#include "pipeline/raster/edge.hpp"
#include "pipeline/raster/raster.hpp"

namespace heddle::pipeline {
PlaneMaker::PlaneMaker(const Primitive& t) {
  const std::int64_t x = t.left * kPixel, y = t.top * kPixel;
  const auto number = [](std::int64_t n) { return static_cast<double>(n); };
  const auto by = [&](std::int32_t a, std::int32_t b) { return number(std::int64_t{a} - b); };
  base_ = {
      {number(cross<std::int64_t>(t.x[2], t.y[2], t.x[0], t.y[0], x, y)), by(t.y[2], t.y[0]), -by(t.x[2], t.x[0]), 0},
      {number(cross<std::int64_t>(t.x[0], t.y[0], t.x[1], t.y[1], x, y)), -by(t.y[1], t.y[0]), by(t.x[1], t.x[0]), 0},
      number(t.area),
      {t.w[0], t.w[1], t.w[2]}};
}

std::array<std::int64_t, 3> edges_at(const Primitive& t, std::int64_t x, std::int64_t y) {
  return {cross<std::int64_t>(t.x[1], t.y[1], t.x[2], t.y[2], x, y),
          cross<std::int64_t>(t.x[2], t.y[2], t.x[0], t.y[0], x, y),
          cross<std::int64_t>(t.x[0], t.y[0], t.x[1], t.y[1], x, y)};
}

Plane linear_plane(const Primitive& t, const std::array<double, 3>& v) { return PlaneMaker(t).linear(v); }

Plane inverse_w_plane(const Primitive& t) { return inverse_w_of(PlaneMaker(t).base()); }

Plane perspective_plane(const Primitive& t, const std::array<double, 3>& v) { return PlaneMaker(t).perspective(v); }

}  // namespace heddle::pipeline
