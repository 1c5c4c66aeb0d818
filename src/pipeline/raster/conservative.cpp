// SPDX-License-Identifier: MIT
// Pixels that triangles meet, or cover whole, in exact integers.
// Rules: PIX-8, RAS-9.
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

/// Another piece has both ends of the edge that corner `i` does not belong to.
bool is_shared(std::span<const Primitive> pieces, const Primitive& of, std::size_t i) {
  return std::ranges::any_of(pieces, [&](const Primitive& other) {
    const auto has = [&](std::size_t corner) {
      for (std::size_t k = 0; k < 3; ++k)
        if (other.x[k] == of.x[corner] && other.y[k] == of.y[corner]) return true;
      return false;
    };
    return &other != &of && has((i + 1) % 3) && has((i + 2) % 3);
  });
}

/// A corner of a pixel lies in the triangle, not on its edge.
bool contain(std::span<const Primitive> pieces, std::int64_t x, std::int64_t y) {
  bool found = false;
  for (const Primitive& piece : pieces) {
    const std::array<std::int64_t, 3> e = inward_edges(piece, x, y);
    if (std::ranges::any_of(e, [](std::int64_t value) { return value < 0; })) continue;
    for (std::size_t i = 0; i < 3; ++i)
      if (e[i] == 0 && !is_shared(pieces, piece, i)) return false;
    found = true;
  }
  return found;
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

/// Among the pieces of a triangle the first one that meets the pixel has it; or the one with the pixel's center.
bool CoverageScan::covers_conservatively(std::int32_t px, std::int32_t py) const {
  const std::int64_t x = px * kPixel, y = py * kPixel;
  const Primitive* first = &primitive_ - primitive_.piece;
  if (state_.conservative == Conservative::Over)
    return meets(primitive_, x, y) &&
           std::none_of(first, &primitive_, [&](const Primitive& other) { return meets(other, x, y); });
  if (!has_center(px, py)) return false;
  const std::span pieces(first, primitive_.pieces);
  for (const std::int64_t corner : {0, 1, 2, 3})
    if (!contain(pieces, x + (corner & 1) * kPixel, y + (corner >> 1) * kPixel)) return false;
  return true;
}

/// By the rule of PIX-8.
bool CoverageScan::has_center(std::int32_t x, std::int32_t y) const {
  for (std::size_t i = 0; i < edges_; ++i)
    if (at_[i] + dx_[i] * (x * kPixel + kPixel / 2) + dy_[i] * (y * kPixel + kPixel / 2) + bias_[i] < 0) return false;
  return true;
}

}  // namespace heddle::pipeline
