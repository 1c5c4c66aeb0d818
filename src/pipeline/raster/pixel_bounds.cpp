// SPDX-License-Identifier: MIT
// Rules: PIX-8, RAS-9.
#include "pipeline/raster/pixel_bounds.hpp"

#include <algorithm>
#include <cmath>

#include "pipeline/raster/clip.hpp"

namespace heddle::pipeline {

Wide scissor_bounds(const RasterState& state, const Scissor& s) {
  return {std::max(std::int64_t{s[0]}, std::int64_t{0}), std::max(std::int64_t{s[1]}, std::int64_t{0}),
          std::min(std::int64_t{s[0]} + s[2], static_cast<std::int64_t>(state.width)),
          std::min(std::int64_t{s[1]} + s[3], static_cast<std::int64_t>(state.height))};
}

Wide viewport_bounds(const Wide& scissor, const Viewport& v) {
  const auto first = [](double edge) {
    return static_cast<std::int64_t>(std::ceil(std::clamp(edge - 0.5, -kGuardBand, kGuardBand)));
  };
  return {std::max(scissor.left, first(std::min(v[0], v[0] + v[2]))),
          std::max(scissor.top, first(std::min(v[1], v[1] + v[3]))),
          std::min(scissor.right, first(std::max(v[0], v[0] + v[2]))),
          std::min(scissor.bottom, first(std::max(v[1], v[1] + v[3])))};
}

Wide conservative_bounds(const Wide& scissor, const Viewport& v, Conservative mode) {
  const auto low = [&](double edge) {
    const double at = std::clamp(edge, -kGuardBand, kGuardBand);
    return static_cast<std::int64_t>(mode == Conservative::Over ? std::floor(at) : std::ceil(at));
  };
  const auto high = [&](double edge) {
    const double at = std::clamp(edge, -kGuardBand, kGuardBand);
    return static_cast<std::int64_t>(mode == Conservative::Over ? std::ceil(at) : std::floor(at));
  };
  return {std::max(scissor.left, low(std::min(v[0], v[0] + v[2]))),
          std::max(scissor.top, low(std::min(v[1], v[1] + v[3]))),
          std::min(scissor.right, high(std::max(v[0], v[0] + v[2]))),
          std::min(scissor.bottom, high(std::max(v[1], v[1] + v[3])))};
}

Wide sample_bounds(const RasterState& state, bool whole) {
  if (whole) return {0, 0, kPixel, kPixel};
  Wide bounds{kPixel, kPixel, 0, 0};
  for (const SamplePosition& s : state.samples) {
    bounds.left = std::min<std::int64_t>(bounds.left, s.x * 16);
    bounds.top = std::min<std::int64_t>(bounds.top, s.y * 16);
    bounds.right = std::max<std::int64_t>(bounds.right, s.x * 16);
    bounds.bottom = std::max<std::int64_t>(bounds.bottom, s.y * 16);
  }
  return bounds;
}

}  // namespace heddle::pipeline
