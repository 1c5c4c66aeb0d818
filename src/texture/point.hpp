// SPDX-License-Identifier: MIT
#pragma once
// The texture unit at one point: short calls for people who want a value, not a message. Each is the full operation
// with one active lane.

#include <array>
#include <cstdint>

#include "image/sampler.hpp"
#include "image/surface.hpp"
#include "texture/context.hpp"

namespace heddle::texture {

/// u, v and r (3D), or a cube direction; `index`: array layer or cube.
struct Point {
  float u = 0, v = 0, r = 0;
  float index = 0;
};

/// gather4 (GA-3, GA-4): R (i0, j1), G (i1, j1), B (i1, j0), A (i0, j0) of one source channel. Float-class formats;
/// others give their words' bits. Refusals go to `context`.
[[nodiscard]] std::array<float, 4> gather4_at(const image::Surface& surface, const image::Sampler& sampler,
                                              const Point& at, unsigned channel = 0,
                                              OperationContext* context = nullptr);
/// sample_l: filtered at a level of detail (SAM-5).
[[nodiscard]] std::array<float, 4> sample_at(const image::Surface& surface, const image::Sampler& sampler,
                                             const Point& at, float lod = 0, OperationContext* context = nullptr);
/// ld: one texel (LD-1 to LD-3).
[[nodiscard]] std::array<float, 4> load_at(const image::Surface& surface, std::uint32_t x, std::uint32_t y = 0,
                                           std::uint32_t z = 0, std::uint32_t lod = 0,
                                           OperationContext* context = nullptr);

}  // namespace heddle::texture
