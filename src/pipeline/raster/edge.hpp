// SPDX-License-Identifier: MIT
#pragma once
// The rules of edges and bounds (PIX-7, PIX-8), for integers of any width that holds the numbers, and for vectors of
// them. Plain data only: builds for several targets share this file, so none of these may become a function of its own.

#include <cstdint>

namespace heddle::pipeline {

#define HEDDLE_EDGE_INLINE __attribute__((always_inline)) constexpr inline

/// The cross product of b - a and p - a.
template <typename T>
[[nodiscard]] HEDDLE_EDGE_INLINE T cross(T ax, T ay, T bx, T by, T px, T py) {
  return (bx - ax) * (py - ay) - (by - ay) * (px - ax);
}

/// The function of one edge of a convex outline, positive inside: the edge covers (x, y) where
/// at + dx * x + dy * y + bias is not negative.
template <typename T>
struct Edge {
  T dx{}, dy{}, at{};
  T bias{};  ///< 0 is inside on top and left edges only
};

/// From corner a to the next one, b. `sign`: of the outline's area.
template <typename T>
[[nodiscard]] HEDDLE_EDGE_INLINE Edge<T> edge_between(T ax, T ay, T bx, T by, T sign) {
  const T ex = sign * (bx - ax), ey = sign * (by - ay);
  const auto top_left = (ey < 0) | ((ey == 0) & (ex > 0));
  return {-ey, ex, ey * ax - ex * ay, top_left ? T{} : T{} - 1};
}

template <typename T>
[[nodiscard]] HEDDLE_EDGE_INLINE T least_of(T a, T b) {
  return a < b ? a : b;
}
template <typename T>
[[nodiscard]] HEDDLE_EDGE_INLINE T greatest_of(T a, T b) {
  return a > b ? a : b;
}

inline constexpr std::int32_t kPixelBits = 8;  ///< units of window coordinates: 1/256 pixel

/// A rectangle of [left, right) x [top, bottom) pixels, or where in the window something lies.
template <typename T>
struct Bounds {
  T left{}, top{}, right{}, bottom{};
};
/// Where samples lie inside a pixel.
template <typename T>
using SampleBounds = Bounds<T>;

template <typename T>
[[nodiscard]] HEDDLE_EDGE_INLINE Bounds<T> bounds_of(const T (&x)[3], const T (&y)[3]) {
  return {least_of(least_of(x[0], x[1]), x[2]), least_of(least_of(y[0], y[1]), y[2]),
          greatest_of(greatest_of(x[0], x[1]), x[2]), greatest_of(greatest_of(y[0], y[1]), y[2])};
}

/// The pixels of `pixels` that have a sample between the positions of `outline`.
template <typename T>
[[nodiscard]] HEDDLE_EDGE_INLINE Bounds<T> covered_bounds(const Bounds<T>& outline, const Bounds<T>& pixels,
                                                          const Bounds<T>& samples) {
  constexpr std::int32_t kRest = (1 << kPixelBits) - 1;
  return {greatest_of<T>(pixels.left, (outline.left - samples.right + kRest) >> kPixelBits),
          greatest_of<T>(pixels.top, (outline.top - samples.bottom + kRest) >> kPixelBits),
          least_of<T>(pixels.right, ((outline.right - samples.left) >> kPixelBits) + 1),
          least_of<T>(pixels.bottom, ((outline.bottom - samples.top) >> kPixelBits) + 1)};
}

/// Whether a triangle with these corners and pixels is tiny (Primitive::is_tiny).
inline constexpr std::int32_t kTiny = 16, kTinyTile = 32;  ///< pixels
template <typename T>
[[nodiscard]] HEDDLE_EDGE_INLINE auto is_tiny(const Bounds<T>& outline, const Bounds<T>& pixels) {
  constexpr std::int32_t kMax = kTiny << kPixelBits;
  return (outline.right - outline.left <= kMax) & (outline.bottom - outline.top <= kMax) &
         (((pixels.left ^ (pixels.right - 1)) | (pixels.top ^ (pixels.bottom - 1))) < kTinyTile) &
         (pixels.left < pixels.right) & (pixels.top < pixels.bottom);
}

}  // namespace heddle::pipeline
