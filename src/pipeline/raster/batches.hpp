// SPDX-License-Identifier: MIT
#pragma once
// What set-up does for many at a time: vertices from clip to window coordinates, bounds and coverage of tiny triangles.
// Built for several targets (batches.inc); plain data only, so that these builds share no code.

#include <cstddef>
#include <cstdint>

#include "pipeline/raster/edge.hpp"

#define HEDDLE_BATCH_INLINE __attribute__((always_inline)) inline

namespace heddle::pipeline {

/// Where the clip volume ends, but for the user's planes (PIX-5).
struct ClipLimits {
  double guard_x = 1, guard_y = 1;  ///< how far x and y may reach, in multiples of w
  double least = 0;                 ///< z at the near plane, in multiples of w
  bool depth = true;                ///< there are a near and a far plane
};

/// Whether vertices are on the right side of each plane. `V`: double, or a vector of them.
template <typename V>
[[nodiscard]] HEDDLE_BATCH_INLINE auto is_within(const ClipLimits& limits, const V& x, const V& y, const V& z,
                                                 const V& w) {
  auto within = (w - 1e-30 >= 0) & (limits.guard_x * w - x >= 0) & (limits.guard_x * w + x >= 0) &
                (limits.guard_y * w - y >= 0) & (limits.guard_y * w + y >= 0);
  if (limits.depth) within = within & (z - limits.least * w >= 0) & (w - z >= 0);
  return within;
}

/// A vertex in window coordinates (PIX-6).
struct WindowVertex {
  std::int32_t x, y;  ///< 1/256 pixel
  double z;
};

struct WindowWork {
  double x, half_width, y, half_height, near, depth;  ///< of the viewport; depth: far - near
  bool negative_one_to_one;
  ClipLimits limits;
  const double* positions;  ///< x, y, z, w of each vertex
  WindowVertex* to;         ///< of those that are within the limits; of others anything
  std::uint8_t* within;     ///< not 0: is_within()
  std::size_t count;
};

/// Eight triangles that need no clipping, with one sample a pixel.
struct TriangleBatch {
  static constexpr std::size_t kCount = 8;
  const WindowVertex* corners;      ///< three of each, one triangle after the other
  Bounds<std::int32_t> pixels;      ///< that may be drawn
  std::int32_t sample_x, sample_y;  ///< of each pixel, 1/256 pixel
  // What is found:
  std::uint8_t drawn[kCount];     ///< not 0: there are pixels that it may cover, or does where `in_block`
  std::uint8_t tiny[kCount];      ///< not 0: Primitive::is_tiny
  std::uint8_t in_block[kCount];  ///< not 0: of tiny ones: the pixels lie in one block
  std::uint16_t block[kCount];    ///< of those: Primitive::block
  std::int32_t area[kCount];      ///< of tiny ones: Primitive::area
  std::int32_t left[kCount], top[kCount], right[kCount], bottom[kCount];  ///< of Primitive
};

/// The builds for this machine.
struct BatchFunctions {
  void (*window)(const WindowWork&);
  void (*triangles)(TriangleBatch&);
};
[[nodiscard]] BatchFunctions batch_functions();

}  // namespace heddle::pipeline
