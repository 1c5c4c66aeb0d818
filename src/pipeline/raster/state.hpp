// SPDX-License-Identifier: MIT
#pragma once
// The state of the rasterizer.

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace heddle::pipeline {

enum class Cull : std::uint8_t { None, Back, Front, FrontAndBack };
enum class PolygonMode : std::uint8_t { Fill, Line, Point };
/// RAS-9: pixels that a triangle meets, or that it covers whole.
enum class Conservative : std::uint8_t { Off, Over, Under };
enum class LineMode : std::uint8_t { Rectangular, Bresenham, Smooth };

/// A sample's place inside its pixel, in 1/16.
struct SamplePosition {
  std::uint8_t x = 8, y = 8;
  bool operator==(const SamplePosition&) const = default;
};
/// MSP-1; one sample: the center.
[[nodiscard]] std::vector<SamplePosition> sample_positions(std::uint32_t samples);

using Viewport = std::array<double, 6>;       ///< x, y, width, height, least and greatest depth
using Scissor = std::array<std::int32_t, 4>;  ///< x, y, width, height

/// RAS-6.
struct DepthBias {
  double constant = 0, slope = 0, clamp = 0;
  unsigned bits = 0;  ///< of a fixed-point depth: 16 or 24; 0: binary32
};

/// RAS-4.
struct LineStipple {
  std::uint32_t factor = 1;
  std::uint16_t pattern = 0xffff;
};

/// RAS-11: fragments stay in the rectangles, or outside of them.
enum class DiscardMode : std::uint8_t { Inclusive, Exclusive };
struct DiscardRectangles {
  static constexpr std::uint32_t kMax = 16;
  DiscardMode mode = DiscardMode::Inclusive;
  std::uint32_t count = 0;
  std::array<Scissor, kMax> at{};
};

struct ShadingRates;  // shading_rate.hpp

struct RasterState {
  static constexpr std::uint32_t kMaxViewports = 16;
  static constexpr Scissor kNoScissor{0, 0, INT32_MAX, INT32_MAX};
  RasterState() { scissors.fill(kNoScissor); }

  std::uint32_t width = 1, height = 1;  ///< of the target
  /// A vertex stage may choose among the first `viewport_count` (PRM-5).
  std::array<Viewport, kMaxViewports> viewports{Viewport{0, 0, 1, 1, 0, 1}};
  std::array<Scissor, kMaxViewports> scissors{};
  std::uint32_t viewport_count = 1;
  std::uint32_t layer = 0;           ///< of the targets, where the vertex stage names none
  std::uint32_t layers = 2048;       ///< others count as 0 (PRM-5)
  std::uint32_t view = 0;            ///< SystemValue::View
  std::uint32_t sample_mask = ~0u;   ///< taken from the coverage (RAS-7)
  bool depth_clip = true;            ///< at the near and the far plane
  bool negative_one_to_one = false;  ///< depths of clip space reach from -w to w
  PolygonMode polygon_mode = PolygonMode::Fill;
  Conservative conservative = Conservative::Off;  ///< of filled triangles
  Cull cull = Cull::None;
  bool front_ccw = true;
  std::optional<DepthBias> depth_bias = {};
  LineMode line_mode = LineMode::Rectangular;
  double line_width = 1;
  std::optional<LineStipple> line_stipple = {};
  std::vector<SamplePosition> samples{SamplePosition{}};
  std::optional<DiscardRectangles> discards = {};
  std::shared_ptr<const ShadingRates> rates = {};  ///< null: each fragment is a pixel (FSR-3)
};
/// The coverage of a pixel that is covered everywhere.
[[nodiscard]] inline std::uint16_t all_samples(std::size_t samples) {
  return static_cast<std::uint16_t>((1u << samples) - 1);
}
[[nodiscard]] inline std::uint16_t all_samples(const RasterState& state) { return all_samples(state.samples.size()); }

}  // namespace heddle::pipeline
