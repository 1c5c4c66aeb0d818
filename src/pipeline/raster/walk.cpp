// Coverage of a triangle tile by tile, and values over its pixels. Rules: PIX-8, PIX-9, PIX-17.
#include <algorithm>
#include <cstddef>

#include "pipeline/raster/raster.hpp"

namespace heddle::pipeline {
namespace {

std::int64_t orientation(std::int64_t ax, std::int64_t ay, std::int64_t bx, std::int64_t by, std::int64_t px,
                         std::int64_t py) {
  return (bx - ax) * (py - ay) - (by - ay) * (px - ax);
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

std::array<std::int64_t, 3> edges_at(const Triangle& t, std::int64_t x, std::int64_t y) {
  return {orientation(t.x[1], t.y[1], t.x[2], t.y[2], x, y), orientation(t.x[2], t.y[2], t.x[0], t.y[0], x, y),
          orientation(t.x[0], t.y[0], t.x[1], t.y[1], x, y)};
}

Walk::Walk(const Triangle& triangle, const RasterState& state)
    : triangle_(triangle), sign_(triangle.area > 0 ? 1 : -1) {
  for (std::size_t i = 0; i < 3; ++i) {
    const std::size_t a = (i + 1) % 3, b = (i + 2) % 3;
    const std::int64_t ex = sign_ * (triangle.x[b] - triangle.x[a]), ey = sign_ * (triangle.y[b] - triangle.y[a]);
    dx_[i] = -ey;
    dy_[i] = ex;
    const bool top_left = ey < 0 || (ey == 0 && ex > 0);
    bias_[i] = top_left ? 0 : -1;
  }
  for (const SamplePosition& s : state.samples) {
    std::array<std::int64_t, 3>& at = at_sample_.emplace_back();
    for (std::size_t i = 0; i < 3; ++i) at[i] = dx_[i] * s.x * 16 + dy_[i] * s.y * 16 + bias_[i];
  }
}

/// Samples of the pixel whose upper left corner has these edge functions.
std::uint16_t Walk::coverage(std::int32_t x, std::int32_t y, const std::array<std::int64_t, 3>& edges) const {
  if (x < triangle_.left || x >= triangle_.right || y < triangle_.top || y >= triangle_.bottom) return 0;
  std::uint32_t covered = 0;
  for (std::size_t s = 0; s < at_sample_.size(); ++s) {
    const std::array<std::int64_t, 3>& at = at_sample_[s];
    if (((edges[0] + at[0]) | (edges[1] + at[1]) | (edges[2] + at[2])) >= 0) covered |= 1u << s;
  }
  return static_cast<std::uint16_t>(covered);
}

bool Walk::tile(std::int32_t tile_x, std::int32_t tile_y, SubspanSink& sink) const {
  const Triangle& t = triangle_;
  std::array<std::int64_t, 3> corner = edges_at(t, tile_x * kPixel, tile_y * kPixel);
  const std::int32_t left = std::max(tile_x, t.left), top = std::max(tile_y, t.top),
                     right = std::min(tile_x + kTile, t.right), bottom = std::min(tile_y + kTile, t.bottom);
  bool outside = false, inside = ((left | top | right | bottom) & 1) == 0;
  // No sample lies at its pixel's lower or right border.
  const std::int64_t from_x = (left - tile_x) * kPixel, from_y = (top - tile_y) * kPixel,
                     to_x = (right - tile_x) * kPixel - 16, to_y = (bottom - tile_y) * kPixel - 16;
  for (std::size_t i = 0; i < 3; ++i) {
    corner[i] *= sign_;
    const std::int64_t best = corner[i] + std::max<std::int64_t>(0, dx_[i]) * kTile * kPixel +
                              std::max<std::int64_t>(0, dy_[i]) * kTile * kPixel;
    const std::int64_t worst =
        corner[i] + bias_[i] + std::min(dx_[i] * from_x, dx_[i] * to_x) + std::min(dy_[i] * from_y, dy_[i] * to_y);
    outside = outside || best < 0;
    inside = inside && worst >= 0;
  }
  if (outside) return true;
  if (inside)
    return sink.rectangle(static_cast<std::uint32_t>(left), static_cast<std::uint32_t>(top),
                          static_cast<std::uint32_t>(right - left) / 2, static_cast<std::uint32_t>(bottom - top) / 2);
  for (std::int32_t y = top & ~1; y < bottom; y += 2) {
    for (std::int32_t x = left & ~1; x < right; x += 2) {
      Subspan subspan;
      subspan.x = static_cast<std::uint16_t>(x);
      subspan.y = static_cast<std::uint16_t>(y);
      std::array<std::int64_t, 3> edges{};
      for (unsigned pixel = 0; pixel < 4; ++pixel) {
        const std::int32_t px = static_cast<std::int32_t>(pixel & 1u), py = static_cast<std::int32_t>(pixel >> 1);
        for (std::size_t i = 0; i < 3; ++i)
          edges[i] = corner[i] + dx_[i] * ((x - tile_x + px) * kPixel) + dy_[i] * ((y - tile_y + py) * kPixel);
        subspan.coverage[pixel] = coverage(x + px, y + py, edges);
      }
      if (subspan.any() && !sink.subspan(subspan)) return false;
    }
  }
  return true;
}

bool Walk::row(std::int32_t row, SubspanSink& sink) const {
  for (std::int32_t x = triangle_.left / kTile * kTile; x < triangle_.right; x += kTile)
    if (!tile(x, row * kTile, sink)) return false;
  return true;
}

std::uint64_t Walk::count(std::int32_t row) const {
  struct Counter final : SubspanSink {
    std::uint64_t found = 0;
    bool subspan(const Subspan&) override { return ++found, true; }
    bool rectangle(std::uint32_t, std::uint32_t, std::uint32_t columns, std::uint32_t rows) override {
      return found += std::uint64_t{columns} * rows, true;
    }
  } counter;
  (void)this->row(row, counter);
  return counter.found;
}

void walk(const Triangle& triangle, const RasterState& state, const std::function<bool(const Subspan&)>& visit) {
  struct Visitor final : SubspanSink {
    const std::function<bool(const Subspan&)>& visit;
    std::uint16_t all;
    Visitor(const std::function<bool(const Subspan&)>& f, std::uint16_t samples) : visit(f), all(samples) {}
    bool subspan(const Subspan& s) override { return visit(s); }
    bool rectangle(std::uint32_t x, std::uint32_t y, std::uint32_t columns, std::uint32_t rows) override {
      Subspan s;
      s.coverage.fill(all);
      for (std::uint32_t row = 0; row < rows; ++row)
        for (std::uint32_t column = 0; column < columns; ++column) {
          s.x = static_cast<std::uint16_t>(x + 2 * column);
          s.y = static_cast<std::uint16_t>(y + 2 * row);
          if (!visit(s)) return false;
        }
      return true;
    }
  } visitor{visit, all_samples(state)};
  const Walk walking(triangle, state);
  for (std::int32_t row = walking.first_row(); row < walking.last_row(); ++row)
    if (!walking.row(row, visitor)) return;
}

namespace {
/// at + sum of e[i] * f[i] / area
Plane plane_of(const Triangle& t, double at, const std::array<long double, 3>& f) {
  const std::array<std::int64_t, 3> e = edges_at(t, t.left * kPixel, t.top * kPixel);
  long double sum = 0, x = 0, y = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    const std::size_t a = (i + 1) % 3, b = (i + 2) % 3;
    sum += static_cast<long double>(e[i]) * f[i];
    x -= static_cast<long double>(t.y[b] - t.y[a]) * f[i];
    y += static_cast<long double>(t.x[b] - t.x[a]) * f[i];
  }
  const auto area = static_cast<long double>(t.area);
  return {static_cast<double>(static_cast<long double>(at) + sum / area), static_cast<double>(x / area),
          static_cast<double>(y / area)};
}
long double difference(double a, double b) { return static_cast<long double>(a) - static_cast<long double>(b); }
}  // namespace

Plane linear_plane(const Triangle& t, const std::array<double, 3>& v) {
  return plane_of(t, v[0], {0, difference(v[1], v[0]), difference(v[2], v[0])});
}

Plane inverse_w_plane(const Triangle& t) { return linear_plane(t, {1 / t.w[0], 1 / t.w[1], 1 / t.w[2]}); }

Plane perspective_plane(const Triangle& t, const std::array<double, 3>& v) {
  return plane_of(t, 0,
                  {0, difference(v[1], v[0]) / static_cast<long double>(t.w[1]),
                   difference(v[2], v[0]) / static_cast<long double>(t.w[2])});
}

}  // namespace heddle::pipeline
