// SPDX-License-Identifier: MIT
#pragma once
// From points, lines and triangles to 2x2 subspans: clipping, snapping, exact edge functions, sample coverage,
// barycentrics (PIX-5 to PIX-9, PRM-4 to PRM-6, RAS-1 to RAS-9, RAS-11).

#include <array>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <vector>

#include "pipeline/primitives/mesh.hpp"
#include "pipeline/raster/batches.hpp"
#include "pipeline/raster/plane.hpp"
#include "pipeline/raster/state.hpp"

namespace heddle::pipeline {

inline constexpr std::int64_t kPixel = 1 << kPixelBits;  ///< units of window coordinates in a pixel

/// A point, line or triangle in window coordinates, ready to be scanned. Of a clipped triangle this is a piece.
struct Primitive {
  enum class Shape : std::uint8_t { Triangle, Outline, Bresenham, Smooth, Conservative };
  /// Where values are interpolated, in 1/256 pixel: a triangle's corners. Of a line its ends, and the first one moved
  /// at a right angle; of a point three corners of its square (RAS-1, RAS-2).
  std::array<std::int32_t, 3> x{}, y{};
  std::array<double, 3> w{}, z{};  ///< clip w; window z
  std::int64_t area = 0;           ///< twice the signed area, in 1/65536 pixel: the sum of the edge functions
  std::int32_t left = 0, top = 0, right = 0, bottom = 0;  ///< pixels that may be covered: [left, right) x [top, bottom)
  std::uint32_t source = 0;                               ///< index in the mesh
  std::uint32_t number = 0;                               ///< SystemValue::Primitive
  std::array<std::uint32_t, 3> corners{};                 ///< see PrimitiveList::values
  std::uint32_t layer = 0, viewport_name = 0;             ///< as they are named (PRM-5)
  std::uint8_t viewport = 0, view = 0;                    ///< the viewport that is used
  std::uint8_t rate = 0;                                  ///< code of its shading rate (FSR-1)
  bool front = true;
  bool is_point = false;
  /// A triangle whose corners lie within kTiny pixels of each other, and its pixels in one tile of CoverageScan.
  bool is_tiny = false;
  /// Of tiny ones with one sample a pixel whose pixels lie in one block of 4 x 4, where both coordinates are even:
  /// those that are covered, subspan after subspan, four bits for each. 0: not known.
  std::uint16_t block = 0;
  Shape shape = Shape::Triangle;
  /// Of shape Conservative: which of the pieces of one triangle it is, and how many stand side by side in the list.
  std::uint8_t piece = 0, pieces = 1;
  bool lacks_layer = false;  ///< the targets do not have `layer` (PRM-5)
  // Of lines and points:
  std::array<std::int32_t, 4> outline_x{}, outline_y{};  ///< what is covered, but of Bresenham lines
  std::int32_t columns = 1;                              ///< width of a Bresenham line, pixels
  double stipple_at = 0;                                 ///< the stipple counter at its beginning
  /// Where it is drawn.
  [[nodiscard]] std::uint32_t target_layer() const { return lacks_layer ? 0 : layer; }
};

/// Primitives of a mesh, whose memory is used again for the next ones.
class PrimitiveList {
 public:
  /// They are `mesh`'s, which must outlive them.
  void begin(const Mesh& mesh);
  void clear() { count_ = cuts_ = 0; }
  /// One more, as it was left.
  [[nodiscard]] Primitive& add() {
    if (count_ == primitives_.size()) primitives_.resize(count_ == 0 ? 64 : 2 * count_);
    return primitives_[count_++];
  }
  void remove_last() { --count_; }
  /// Those from `first` on are the pieces of one triangle.
  void number_pieces(std::size_t first) {
    for (std::size_t i = first; i < count_; ++i) {
      primitives_[i].piece = static_cast<std::uint8_t>(i - first);
      primitives_[i].pieces = static_cast<std::uint8_t>(count_ - first);
    }
  }
  [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(count_); }
  [[nodiscard]] const Primitive& operator[](std::size_t at) const { return primitives_[at]; }
  [[nodiscard]] const Primitive* begin() const { return primitives_.data(); }
  [[nodiscard]] const Primitive* end() const { return primitives_.data() + count_; }

  /// Scalar components of the mesh's attributes, one attribute after the other.
  [[nodiscard]] std::size_t components() const { return components_.size(); }
  /// A component at the corners of a primitive; flat ones have the value of a vertex of the whole primitive: the
  /// provoking one, or the one that the attribute names.
  [[nodiscard]] std::array<double, 3> values(const Primitive& primitive, std::size_t component) const {
    const Component& of = components_[component];
    const auto [i, j, k] = primitive.corners;
    if (of.values == nullptr || ((i | j | k) & kCut) != 0) {
      const std::array<double, 3> others = other_values(primitive, component);  // so that the result stays in registers
      return {others[0], others[1], others[2]};
    }
    const auto at = [&](std::uint32_t vertex) -> double {
      double wide = 0;
      float narrow = 0;
      if (of.is_narrow) {
        std::memcpy(&narrow, of.values + vertex * of.step, sizeof narrow);
        return narrow;
      }
      std::memcpy(&wide, of.values + vertex * of.step, sizeof wide);
      return wide;
    };
    return {at(i), at(j), at(k)};
  }
  /// How many components from this one on are binary32 and lie side by side in the memory of each vertex; 0: it does
  /// not.
  [[nodiscard]] std::uint32_t beside(std::size_t component) const { return components_[component].beside; }
  /// Where such a component lies at the corners of a primitive; false where clipping made one of them.
  [[nodiscard]] bool find_corners(const Primitive& primitive, std::size_t component,
                                  const std::uint8_t* (&at)[3]) const {
    const Component& of = components_[component];
    const auto [i, j, k] = primitive.corners;
    at[0] = of.values + i * of.step;
    at[1] = of.values + j * of.step;
    at[2] = of.values + k * of.step;
    return ((i | j | k) & kCut) == 0;
  }
  /// All of them.
  void values(const Primitive& primitive, std::vector<std::array<double, 3>>& out) const;
  /// A component at a vertex of the mesh, as a corner of one of its primitives.
  [[nodiscard]] double value(std::uint32_t source, std::uint32_t vertex, std::size_t component) const;
  /// Whether the vertex shader left a component unwritten that the primitive has.
  [[nodiscard]] bool unwritten(const Primitive& primitive, std::size_t component) const;
  /// Whether clipping divides a component in the window.
  [[nodiscard]] bool is_linear(std::size_t component) const { return components_[component].attribute->linear; }
  /// A corner that clipping made, with its values of all components.
  [[nodiscard]] std::uint32_t add_cut(const double* values);
  /// The vertices of a primitive of the mesh.
  [[nodiscard]] std::array<std::uint32_t, 3> vertices(std::uint32_t source) const;
  [[nodiscard]] std::uint32_t provoking(std::uint32_t source) const;

 private:
  static constexpr std::uint32_t kCut = 1u << 31;  ///< corners that clipping made
  struct Component {
    const MeshAttribute* attribute;
    std::uint32_t index;
    const std::uint8_t* values;  ///< of vertex 0; null: they are not those of the primitive's corners
    std::size_t step;            ///< bytes from one vertex to the next
    bool is_narrow;              ///< binary32, not binary64
    std::uint32_t beside;        ///< beside()
  };
  /// Where corners were cut, or values are not those of the corners.
  [[nodiscard]] std::array<double, 3> other_values(const Primitive& primitive, std::size_t component) const;
  std::vector<Primitive> primitives_;
  std::size_t count_ = 0;
  const Mesh* mesh_ = nullptr;
  std::vector<Component> components_;
  std::vector<double> cut_values_;
  std::size_t cuts_ = 0;
};

/// Vertices of a mesh in window coordinates, as far as set-up has come; their memory is used again for the next mesh.
struct KnownVertices {
  std::vector<WindowVertex> at;
  std::vector<std::uint8_t> within;  ///< ClipVolume::contains()
  std::size_t count = 0;             ///< how many are known
  /// Room for those of a mesh, of which none is known.
  void begin(const Mesh& mesh);
};

/// Clips (near, far; the sides by the guard band and the viewport's rectangle), culls, snaps. Degenerate primitives
/// vanish.
class SetUp {
 public:
  /// All must outlive it. `known`: begun with the mesh.
  SetUp(const Mesh& mesh, const RasterState& state, KnownVertices& known);
  ~SetUp();
  SetUp(const SetUp&) = delete;
  SetUp& operator=(const SetUp&) = delete;
  /// Those of the mesh's primitives from `first` to `last` are added to `list`, which has begun with the mesh.
  void add(std::size_t first, std::size_t last, PrimitiveList& list);
  /// Vertices are known by their window; else know() does nothing.
  [[nodiscard]] bool knows_vertices() const;
  /// Finds those from `first` to `last`; several threads may find theirs at once. KnownVertices::count is the caller's.
  void know(std::size_t first, std::size_t last);
  /// Primitives that clipping has left so far, whether they are culled or not (FBO-4).
  [[nodiscard]] std::uint64_t clipped() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};
/// All of them.
[[nodiscard]] PrimitiveList set_up(const Mesh& mesh, const RasterState& state);

/// Four pixels, both coordinates even: upper left, upper right, lower left, lower right (EXE-4).
struct Subspan {
  std::uint16_t x = 0, y = 0;
  std::array<std::uint16_t, 4> coverage{};  ///< samples covered in each pixel
  [[nodiscard]] bool any() const { return (coverage[0] | coverage[1] | coverage[2] | coverage[3]) != 0; }
};

/// The coverage of pixels with one sample, by their bits.
inline constexpr auto kCoverageOfOne = [] {
  std::array<std::array<std::uint16_t, 4>, 16> all{};
  for (std::uint32_t pixels = 0; pixels < 16; ++pixels)
    for (std::uint32_t k = 0; k < 4; ++k) all[pixels][k] = pixels >> k & 1u;
  return all;
}();

/// Where a scan leaves what it finds; each returns false to stop.
class SubspanSink {
 public:
  virtual bool subspan(const Subspan& subspan) = 0;
  /// Subspans of pixels with one sample, one after another: x | y << 16, and a bit for each covered pixel.
  virtual bool list(const std::uint32_t* places, const std::uint8_t* pixels, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      Subspan one;
      one.x = static_cast<std::uint16_t>(places[i]);
      one.y = static_cast<std::uint16_t>(places[i] >> 16);
      one.coverage = kCoverageOfOne[pixels[i]];
      if (!subspan(one)) return false;
    }
    return true;
  }
  /// columns x rows subspans, covered everywhere, row by row from (x, y).
  virtual bool rectangle(std::uint32_t x, std::uint32_t y, std::uint32_t columns, std::uint32_t rows) = 0;

 protected:
  ~SubspanSink() = default;
};

/// The subspans of a primitive that have a covered sample: row by row inside 32 x 32 tiles, tiles row by row.
class CoverageScan {
 public:
  /// The primitive and the state must outlive it; pieces of a triangle stand in their list.
  CoverageScan(const Primitive& primitive, const RasterState& state);
  static constexpr std::int32_t kTile = kTinyTile;
  /// Rows of tiles: first_row(), first_row() + 1 ... last_row() - 1.
  [[nodiscard]] std::int32_t first_row() const { return primitive_.top / kTile; }
  [[nodiscard]] std::int32_t last_row() const { return (primitive_.bottom + kTile - 1) / kTile; }
  /// False when the sink stopped it.
  bool row(std::int32_t row, SubspanSink& sink) const;
  /// One tile, by its upper left pixel.
  bool tile(std::int32_t x, std::int32_t y, SubspanSink& sink) const;
  /// How many subspans row() finds.
  [[nodiscard]] std::uint64_t count(std::int32_t row) const;

 private:
  static constexpr std::size_t kMaxSamples = 16;
  using Edges = std::array<std::int64_t, 4>;
  void set_edges(const std::int32_t* x, const std::int32_t* y, std::size_t corners, std::int64_t area);
  template <std::size_t kEdges>
  struct Steps;
  struct Part {
    std::int32_t left, top, right, bottom;
  };
  template <std::size_t kEdges>
  void cover(const std::array<std::int64_t, kEdges>& first, const Steps<kEdges>& steps, Subspan& subspan) const;
  void stipple_subspan(Subspan& subspan) const;
  bool covered(std::int32_t x, std::int32_t y, SubspanSink& sink) const;
  [[nodiscard]] bool is_outside(std::int32_t tile_x, std::int32_t tile_y) const;
  [[nodiscard]] bool covers_conservatively(std::int32_t x, std::int32_t y) const;
  [[nodiscard]] bool has_center(std::int32_t x, std::int32_t y) const;
  [[nodiscard]] bool covers_pixel(std::int32_t x, std::int32_t y) const;
  [[nodiscard]] std::uint16_t line_coverage(std::int32_t x, std::int32_t y) const;
  [[nodiscard]] std::uint16_t stippled(std::int32_t x, std::int32_t y, std::uint16_t covered) const;
  template <std::size_t kEdges>
  bool pixels(const Part& part, SubspanSink& sink) const;
  bool parts(const Part& part, SubspanSink& sink) const;
  bool spans(const Part& part, SubspanSink& sink) const;
  bool few(const Part& part, SubspanSink& sink) const;
  bool line_pixels(std::int32_t x, std::int32_t y, SubspanSink& sink) const;

  const Primitive& primitive_;
  const RasterState& state_;
  Edges dx_{}, dy_{};       ///< change of each edge function for one unit, positive inside
  Edges at_{};              ///< at the window's corner
  Edges bias_{};            ///< 0 is inside on top and left edges only
  std::size_t edges_ = 3;   ///< how many there are
  std::uint16_t mask_ = 0;  ///< samples that count
  bool whole_ = true;       ///< all of them, and no stipple
};

/// The whole of it, one subspan after the other.
void scan(const Primitive& primitive, const RasterState& state, const std::function<bool(const Subspan&)>& visit);

/// Edge functions of the corners at a point in 1/256 pixel; e[0] + e[1] + e[2] = area. e[i] belongs to corner i.
[[nodiscard]] std::array<std::int64_t, 3> edges_at(const Primitive& primitive, std::int64_t x, std::int64_t y);

[[nodiscard]] inline PlaneCorners plane_corners(const Primitive& t) {
  return {t.x.data(), t.y.data(), t.left, t.top, t.area, t.w.data()};
}
/// Between the values at the corners: the sum of e[i] * v[i] / area.
[[nodiscard]] Plane linear_plane(const Primitive& primitive, const std::array<double, 3>& v);
/// The plane of 1 / w (Vulkan's FragCoord.w).
[[nodiscard]] Plane inverse_w_plane(const Primitive& primitive);
/// Perspective interpolation is v[0] + this / inverse_w_plane().
[[nodiscard]] Plane perspective_plane(const Primitive& primitive, const std::array<double, 3>& v);
/// Perspective interpolation is linear.
[[nodiscard]] inline bool is_flat(const Primitive& t) { return t.w[0] == t.w[1] && t.w[0] == t.w[2]; }

}  // namespace heddle::pipeline
