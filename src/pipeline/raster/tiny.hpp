// SPDX-License-Identifier: MIT
#pragma once
// Coverage of very small triangles with one sample: the same as CoverageScan's, in 32-bit integers.

#include <cstdint>
#include <cstring>

#include "pipeline/raster/edge.hpp"
#include "pipeline/raster/raster.hpp"

namespace heddle::pipeline {

/// As scan_tiny() where Primitive::block says nothing.
template <typename Visit>
bool scan_tiny_slowly(const Primitive& t, const SamplePosition& sample, const Visit& visit) {
  typedef std::int32_t Pixels __attribute__((vector_size(16)));
  constexpr auto kUnits = static_cast<std::int32_t>(kPixel);
  const std::int32_t x0 = t.left & ~1, y0 = t.top & ~1, sign = t.area > 0 ? 1 : -1;
  const auto corner_x = [&](std::size_t k) { return t.x[k] - x0 * kUnits; };
  const auto corner_y = [&](std::size_t k) { return t.y[k] - y0 * kUnits; };
  Pixels row[3];
  std::int32_t right[3], down[3];  // changes from one subspan to the next
  for (std::size_t i = 0; i < 3; ++i) {
    const std::size_t next = i == 2 ? 0 : i + 1;
    const auto edge = edge_between(corner_x(i), corner_y(i), corner_x(next), corner_y(next), sign);
    const std::int32_t dx = edge.dx * kUnits, dy = edge.dy * kUnits,
                       first = edge.at + edge.dx * sample.x * 16 + edge.dy * sample.y * 16 + edge.bias;
    row[i] = Pixels{first, first + dx, first + dy, first + dx + dy};
    right[i] = 2 * dx;
    down[i] = 2 * dy;
  }
  for (std::int32_t y = y0; y < t.bottom; y += 2) {
    const std::uint32_t rows = (y >= t.top ? 3u : 0u) | (y + 1 < t.bottom ? 12u : 0u);
    Pixels e0 = row[0], e1 = row[1], e2 = row[2];
    for (std::int32_t x = x0; x < t.right; x += 2) {
      const Pixels inside = ~(e0 | e1 | e2) >> 31 & Pixels{1, 2, 4, 8};
      std::uint64_t halves[2];
      std::memcpy(halves, &inside, sizeof inside);
      const std::uint64_t both = halves[0] | halves[1];
      const std::uint32_t columns = (x >= t.left ? 5u : 0u) | (x + 1 < t.right ? 10u : 0u),
                          pixels = static_cast<std::uint32_t>(both | both >> 32) & rows & columns;
      if (pixels != 0 && !visit(static_cast<std::uint32_t>(x) | static_cast<std::uint32_t>(y) << 16, pixels))
        return false;
      e0 += right[0];
      e1 += right[1];
      e2 += right[2];
    }
    for (std::size_t i = 0; i < 3; ++i) row[i] += down[i];
  }
  return true;
}

/// Calls visit(x | y << 16, pixels) for each subspan of a tiny triangle (Primitive::is_tiny) that has a covered pixel,
/// row by row; bit k of `pixels`: pixel k is covered. It returns false to stop.
template <typename Visit>
bool scan_tiny(const Primitive& t, const SamplePosition& sample, const Visit& visit) {
  if (t.block != 0) {
    for (std::uint32_t left = t.block; left != 0;) {
      const auto s = static_cast<std::uint32_t>(__builtin_ctz(left)) / 4;
      const std::uint32_t pixels = left >> 4 * s & 15u, x = (static_cast<std::uint32_t>(t.left) & ~1u) + s % 2 * 2,
                          y = (static_cast<std::uint32_t>(t.top) & ~1u) + s / 2 * 2;
      left &= ~(15u << 4 * s);
      if (!visit(x | y << 16, pixels)) return false;
    }
    return true;
  }
  return scan_tiny_slowly(t, sample, visit);
}

}  // namespace heddle::pipeline
