// Pixels that triangles meet, or cover whole, in exact integers. Rules: RAS-9.
#include <algorithm>
#include <span>

#include "pipeline/raster/raster.hpp"

namespace heddle::pipeline {
namespace {

/// The edge functions, not negative inside.
std::array<std::int64_t, 3> inward_edges(const Primitive& t, std::int64_t x, std::int64_t y) {
  std::array<std::int64_t, 3> e = edges_at(t, x, y);
  if (t.area < 0)
    for (std::int64_t& value : e) value = -value;
  return e;
}

/// A corner of a pixel lies in the triangle or on its edge.
bool contains(const Primitive& t, std::int64_t x, std::int64_t y) {
  const auto [a, b, c] = inward_edges(t, x, y);
  return a >= 0 && b >= 0 && c >= 0;
}

/// The triangle and the square of a pixel, with their edges, have a point in common: no side of either parts them.
bool meets(const Primitive& t, std::int64_t x, std::int64_t y) {
  const auto [min_x, max_x] = std::minmax({t.x[0], t.x[1], t.x[2]});
  const auto [min_y, max_y] = std::minmax({t.y[0], t.y[1], t.y[2]});
  if (max_x < x || min_x > x + kPixel || max_y < y || min_y > y + kPixel) return false;
  std::array<bool, 3> reached{};
  for (const std::int64_t corner : {0, 1, 2, 3}) {
    const std::array<std::int64_t, 3> e = inward_edges(t, x + (corner & 1) * kPixel, y + (corner >> 1) * kPixel);
    for (std::size_t i = 0; i < 3; ++i) reached[i] = reached[i] || e[i] >= 0;
  }
  return reached[0] && reached[1] && reached[2];
}

}  // namespace

/// Among the pieces of a triangle the first one that meets the pixel has it; or the one with the pixel's centre.
bool CoverageScan::covers_conservatively(std::int32_t px, std::int32_t py) const {
  const std::int64_t x = px * kPixel, y = py * kPixel;
  const Primitive* first = &primitive_ - primitive_.piece;
  if (state_.conservative == Conservative::Over)
    return meets(primitive_, x, y) &&
           std::none_of(first, &primitive_, [&](const Primitive& other) { return meets(other, x, y); });
  if (!has_center(px, py)) return false;
  const std::span pieces(first, primitive_.pieces);
  for (const std::int64_t corner : {0, 1, 2, 3})
    if (std::ranges::none_of(pieces, [&](const Primitive& piece) {
          return contains(piece, x + (corner & 1) * kPixel, y + (corner >> 1) * kPixel);
        }))
      return false;
  return true;
}

/// By the rule of PIX-8.
bool CoverageScan::has_center(std::int32_t x, std::int32_t y) const {
  for (std::size_t i = 0; i < edges_; ++i)
    if (at_[i] + dx_[i] * (x * kPixel + kPixel / 2) + dy_[i] * (y * kPixel + kPixel / 2) + bias_[i] < 0) return false;
  return true;
}

}  // namespace heddle::pipeline
