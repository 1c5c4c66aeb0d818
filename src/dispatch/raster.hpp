#pragma once
// From triangles to 2x2 subspans: clipping, snapping, exact edge functions, sample coverage, barycentrics (pixel
// dispatch, sections 1-3).

#include <array>
#include <cstdint>
#include <functional>
#include <vector>

#include "dispatch/job.hpp"
#include "dispatch/mesh.hpp"

namespace heddle::dispatch {

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

/// A triangle in window coordinates, ready to be walked. Vertices of a clipped triangle are new ones.
struct Triangle {
  std::array<std::int64_t, 3> x{}, y{};  ///< 1/256 pixel
  std::array<double, 3> w{}, z{};        ///< clip w; window z
  std::int64_t area = 0;                 ///< twice the signed area, in 1/65536 pixel: the sum of the edge functions
  bool front = true;
  std::uint32_t primitive = 0;  ///< index of the triangle in the mesh
  std::vector<std::array<double, 3>>
      values;  ///< for each scalar component of the mesh's attributes: its value at the vertices
  std::int32_t left = 0, top = 0, right = 0, bottom = 0;  ///< pixels that may be covered: [left, right) x [top, bottom)
};

/// Clips (near, far; the sides by the guard band and the viewport's rectangle), culls, snaps. Degenerate triangles
/// vanish.
[[nodiscard]] std::vector<Triangle> set_up(const Mesh& mesh, const RasterState& state);

/// Four pixels, both coordinates even: upper left, upper right, lower left, lower right (EXE-4).
struct Subspan {
  std::uint16_t x = 0, y = 0;
  std::array<std::uint16_t, 4> coverage{};  ///< samples covered in each pixel
  [[nodiscard]] bool any() const { return (coverage[0] | coverage[1] | coverage[2] | coverage[3]) != 0; }
};

/// The subspans of a triangle that have a covered sample: row by row inside 32 x 32 tiles, tiles row by row. `visit`
/// returns false to stop.
void walk(const Triangle& triangle, const RasterState& state, const std::function<bool(const Subspan&)>& visit);

/// Edge functions at a point in 1/256 pixel; e[0] + e[1] + e[2] = area. e[i] belongs to vertex i.
[[nodiscard]] std::array<std::int64_t, 3> edges_at(const Triangle& triangle, std::int64_t x, std::int64_t y);

struct Barycentric {
  double b1 = 0, b2 = 0;  ///< of vertices 1 and 2
};
[[nodiscard]] Barycentric linear_at(const Triangle& triangle, std::int64_t x, std::int64_t y);
[[nodiscard]] Barycentric perspective_at(const Triangle& triangle, std::int64_t x, std::int64_t y);
/// Window depth at a point, rounded once.
[[nodiscard]] float depth_at(const Triangle& triangle, std::int64_t x, std::int64_t y);
/// 1 / w at a point (Vulkan's FragCoord.w), rounded once.
[[nodiscard]] float inverse_w_at(const Triangle& triangle, std::int64_t x, std::int64_t y);

}  // namespace heddle::dispatch
