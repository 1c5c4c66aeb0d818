// Edge functions, and values over the pixels of a primitive. Rules: PIX-8, PIX-17, RAS-2.
#include <cstddef>

#include "pipeline/raster/raster.hpp"

namespace heddle::pipeline {
namespace {

std::int64_t orientation(std::int64_t ax, std::int64_t ay, std::int64_t bx, std::int64_t by, std::int64_t px,
                         std::int64_t py) {
  return (bx - ax) * (py - ay) - (by - ay) * (px - ax);
}

}  // namespace

PlaneMaker::PlaneMaker(const Primitive& t) {
  const std::int64_t x = t.left * kPixel, y = t.top * kPixel;
  const auto number = [](std::int64_t n) { return static_cast<double>(n); };
  const auto by = [&](std::int32_t a, std::int32_t b) { return number(std::int64_t{a} - b); };
  first_ = {number(orientation(t.x[2], t.y[2], t.x[0], t.y[0], x, y)), by(t.y[2], t.y[0]), -by(t.x[2], t.x[0]), 0};
  second_ = {number(orientation(t.x[0], t.y[0], t.x[1], t.y[1], x, y)), -by(t.y[1], t.y[0]), by(t.x[1], t.x[0]), 0};
  area_ = number(t.area);
}

std::array<std::int64_t, 3> edges_at(const Primitive& t, std::int64_t x, std::int64_t y) {
  return {orientation(t.x[1], t.y[1], t.x[2], t.y[2], x, y), orientation(t.x[2], t.y[2], t.x[0], t.y[0], x, y),
          orientation(t.x[0], t.y[0], t.x[1], t.y[1], x, y)};
}

Plane linear_plane(const Primitive& t, const std::array<double, 3>& v) { return PlaneMaker(t).linear(v); }

Plane inverse_w_plane(const Primitive& t) { return linear_plane(t, {1 / t.w[0], 1 / t.w[1], 1 / t.w[2]}); }

Plane perspective_plane(const Primitive& t, const std::array<double, 3>& v) { return PlaneMaker(t).perspective(t, v); }

}  // namespace heddle::pipeline
