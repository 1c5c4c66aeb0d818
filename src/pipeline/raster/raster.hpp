#pragma once
// From triangles to 2x2 subspans: clipping, snapping, exact edge functions, sample coverage, barycentrics (PIX-5
// to PIX-9).

#include <array>
#include <cstdint>
#include <functional>
#include <vector>

#include "pipeline/raster/mesh.hpp"
#include "pipeline/raster/plane.hpp"
#include "pipeline/raster/state.hpp"

namespace heddle::pipeline {

inline constexpr std::int64_t kPixel = 256;  ///< units of window coordinates in a pixel

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

/// Triangles whose memory is used again for the next ones.
class TriangleList {
 public:
  void clear() { count_ = 0; }
  /// One more; its values are empty, the rest is as it was left.
  [[nodiscard]] Triangle& add() {
    if (count_ == triangles_.size()) triangles_.emplace_back();
    Triangle& next = triangles_[count_++];
    next.values.clear();
    return next;
  }
  void remove_last() { --count_; }
  [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(count_); }
  [[nodiscard]] const Triangle& operator[](std::size_t at) const { return triangles_[at]; }

 private:
  std::vector<Triangle> triangles_;
  std::size_t count_ = 0;
};

/// Clips (near, far; the sides by the guard band and the viewport's rectangle), culls, snaps. Degenerate triangles
/// vanish. Those of the mesh's triangles from `first` to `last` are added to `list`.
void set_up(const Mesh& mesh, const RasterState& state, std::size_t first, std::size_t last, TriangleList& list);
/// All of them.
[[nodiscard]] std::vector<Triangle> set_up(const Mesh& mesh, const RasterState& state);

/// Four pixels, both coordinates even: upper left, upper right, lower left, lower right (EXE-4).
struct Subspan {
  std::uint16_t x = 0, y = 0;
  std::array<std::uint16_t, 4> coverage{};  ///< samples covered in each pixel
  [[nodiscard]] bool any() const { return (coverage[0] | coverage[1] | coverage[2] | coverage[3]) != 0; }
};

/// Where a walk leaves what it finds; both return false to stop.
class SubspanSink {
 public:
  virtual bool subspan(const Subspan& subspan) = 0;
  /// columns x rows subspans, covered everywhere, row by row from (x, y).
  virtual bool rectangle(std::uint32_t x, std::uint32_t y, std::uint32_t columns, std::uint32_t rows) = 0;

 protected:
  ~SubspanSink() = default;
};

/// The subspans of a triangle that have a covered sample: row by row inside 32 x 32 tiles, tiles row by row.
class Walk {
 public:
  /// The triangle must outlive it.
  Walk(const Triangle& triangle, const RasterState& state);
  static constexpr std::int32_t kTile = 32;
  /// Rows of tiles: first_row(), first_row() + 1 ... last_row() - 1.
  [[nodiscard]] std::int32_t first_row() const { return triangle_.top / kTile; }
  [[nodiscard]] std::int32_t last_row() const { return (triangle_.bottom + kTile - 1) / kTile; }
  /// False when the sink stopped it.
  bool row(std::int32_t row, SubspanSink& sink) const;
  /// How many subspans row() finds.
  [[nodiscard]] std::uint64_t count(std::int32_t row) const;

 private:
  [[nodiscard]] std::uint16_t coverage(std::int32_t x, std::int32_t y, const std::array<std::int64_t, 3>& edges) const;
  bool tile(std::int32_t x, std::int32_t y, SubspanSink& sink) const;
  const Triangle& triangle_;
  std::array<std::int64_t, 3> dx_{}, dy_{};  ///< change of each edge function for one unit, positive inside
  std::array<std::int64_t, 3> bias_{};       ///< 0 is inside on top and left edges only
  std::int64_t sign_ = 1;
  std::vector<std::array<std::int64_t, 3>> at_sample_;  ///< from the pixel's corner to each sample, bias included
};

/// The whole of it, one subspan after the other.
void walk(const Triangle& triangle, const RasterState& state, const std::function<bool(const Subspan&)>& visit);

/// Edge functions at a point in 1/256 pixel; e[0] + e[1] + e[2] = area. e[i] belongs to vertex i.
[[nodiscard]] std::array<std::int64_t, 3> edges_at(const Triangle& triangle, std::int64_t x, std::int64_t y);

/// Between the values at the vertices: the sum of e[i] * v[i] / area.
[[nodiscard]] Plane linear_plane(const Triangle& triangle, const std::array<double, 3>& v);
/// The plane of 1 / w (Vulkan's FragCoord.w).
[[nodiscard]] Plane inverse_w_plane(const Triangle& triangle);
/// Perspective interpolation is v[0] + this / inverse_w_plane().
[[nodiscard]] Plane perspective_plane(const Triangle& triangle, const std::array<double, 3>& v);
/// Perspective interpolation is linear.
[[nodiscard]] inline bool is_flat(const Triangle& t) { return t.w[0] == t.w[1] && t.w[0] == t.w[2]; }

}  // namespace heddle::pipeline
