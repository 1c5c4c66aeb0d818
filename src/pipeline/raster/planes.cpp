// Edge functions, and values over the pixels of a primitive. Rules: PIX-8, PIX-17, RAS-2.
#include <cstddef>

#include "pipeline/raster/raster.hpp"

namespace heddle::pipeline {
namespace {

std::int64_t orientation(std::int64_t ax, std::int64_t ay, std::int64_t bx, std::int64_t by, std::int64_t px,
                         std::int64_t py) {
  return (bx - ax) * (py - ay) - (by - ay) * (px - ax);
}

/// at + sum of e[i] * f[i] / area
Plane plane_of(const Primitive& t, double at, const std::array<long double, 3>& f) {
  const std::array<std::int64_t, 3> e = edges_at(t, std::int64_t{t.left} * kPixel, std::int64_t{t.top} * kPixel);
  long double sum = 0, x = 0, y = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    const std::size_t a = (i + 1) % 3, b = (i + 2) % 3;
    sum += static_cast<long double>(e[i]) * f[i];
    x -= static_cast<long double>(std::int64_t{t.y[b]} - t.y[a]) * f[i];
    y += static_cast<long double>(std::int64_t{t.x[b]} - t.x[a]) * f[i];
  }
  const auto area = static_cast<long double>(t.area);
  return {static_cast<double>(static_cast<long double>(at) + sum / area), static_cast<double>(x / area),
          static_cast<double>(y / area)};
}
long double difference(double a, double b) { return static_cast<long double>(a) - static_cast<long double>(b); }

}  // namespace

std::array<std::int64_t, 3> edges_at(const Primitive& t, std::int64_t x, std::int64_t y) {
  return {orientation(t.x[1], t.y[1], t.x[2], t.y[2], x, y), orientation(t.x[2], t.y[2], t.x[0], t.y[0], x, y),
          orientation(t.x[0], t.y[0], t.x[1], t.y[1], x, y)};
}

Plane linear_plane(const Primitive& t, const std::array<double, 3>& v) {
  return plane_of(t, v[0], {0, difference(v[1], v[0]), difference(v[2], v[0])});
}

Plane inverse_w_plane(const Primitive& t) { return linear_plane(t, {1 / t.w[0], 1 / t.w[1], 1 / t.w[2]}); }

Plane perspective_plane(const Primitive& t, const std::array<double, 3>& v) {
  return plane_of(t, 0,
                  {0, difference(v[1], v[0]) / static_cast<long double>(t.w[1]),
                   difference(v[2], v[0]) / static_cast<long double>(t.w[2])});
}

}  // namespace heddle::pipeline
