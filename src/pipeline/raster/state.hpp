#pragma once
// The state of the rasterizer, and how vertices make triangles.

#include <array>
#include <cstdint>
#include <vector>

namespace heddle::pipeline {

enum class Cull : std::uint8_t { None, Back, Front };
enum class Topology : std::uint8_t { TriangleList, TriangleStrip, TriangleFan };

/// The triangles of `vertices` vertices in a row, in Vulkan's order: the provoking vertex comes first.
[[nodiscard]] std::vector<std::array<std::uint32_t, 3>> triangles_of(Topology topology, std::uint32_t vertices);

/// A sample's place inside its pixel, in 1/16.
struct SamplePosition {
  std::uint8_t x = 8, y = 8;
};
/// MSP-1; one sample: the centre.
[[nodiscard]] std::vector<SamplePosition> sample_positions(std::uint32_t samples);

struct RasterState {
  std::uint32_t width = 1, height = 1;  ///< of the target
  std::array<double, 6> viewport{0, 0, 1, 1, 0, 1};
  std::array<std::int32_t, 4> scissor{0, 0, INT32_MAX, INT32_MAX};  ///< x, y, w, h
  Cull cull = Cull::None;
  bool front_ccw = true;
  std::vector<SamplePosition> samples{SamplePosition{}};
};
/// The coverage of a pixel that is covered everywhere.
[[nodiscard]] inline std::uint16_t all_samples(std::size_t samples) {
  return static_cast<std::uint16_t>((1u << samples) - 1);
}
[[nodiscard]] inline std::uint16_t all_samples(const RasterState& state) { return all_samples(state.samples.size()); }

}  // namespace heddle::pipeline
