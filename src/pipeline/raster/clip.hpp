// SPDX-License-Identifier: MIT
#pragma once
// Clipping of primitives in clip coordinates (PIX-5, PRM-4).

#include <array>
#include <cstddef>
#include <vector>

#include "pipeline/primitives/mesh.hpp"
#include "pipeline/raster/batches.hpp"
#include "pipeline/raster/raster.hpp"
#include "pipeline/raster/state.hpp"

namespace heddle::pipeline {

// Window coordinates stay within +-2^20 pixels, so that edge functions fit 64 bits with room: (2^29)^2 * 2.
inline constexpr double kGuardBand = 1 << 20;

using Position = std::array<double, 4>;

/// Vertices of one primitive while it is clipped: for each a row of its position, the user's distances, its values.
class ClipRows {
 public:
  void begin(std::size_t planes, std::size_t values) {
    planes_ = planes;
    stride_ = 4 + planes + values;
    count_ = 0;
  }
  [[nodiscard]] std::size_t count() const { return count_; }
  void resize(std::size_t count) {
    count_ = count;
    if (rows_.size() < count * stride_) rows_.resize(count * stride_);
  }
  /// One more; other rows may move.
  [[nodiscard]] double* add() { return resize(count_ + 1), row(count_ - 1); }
  [[nodiscard]] double* row(std::size_t k) { return rows_.data() + k * stride_; }
  [[nodiscard]] const double* row(std::size_t k) const { return rows_.data() + k * stride_; }
  [[nodiscard]] Position position(std::size_t k) const {
    const double* r = row(k);
    return {r[0], r[1], r[2], r[3]};
  }
  [[nodiscard]] const double* values(std::size_t k) const { return row(k) + 4 + planes_; }
  [[nodiscard]] std::size_t planes() const { return planes_; }
  [[nodiscard]] std::size_t stride() const { return stride_; }

 private:
  std::vector<double> rows_;
  std::size_t planes_ = 0, stride_ = 4, count_ = 0;
};

/// What is kept of primitives that one viewport shows.
class ClipVolume {
 public:
  ClipVolume(const Mesh& mesh, const RasterState& state, const Viewport& viewport);

  /// Whether a vertex is on the right side of each plane, but for the user's.
  [[nodiscard]] bool contains(const Position& p) const { return is_within(limits_, p[0], p[1], p[2], p[3]); }
  [[nodiscard]] const ClipLimits& limits() const { return limits_; }
  /// The same with the sides of the view volume in place of the guard band.
  [[nodiscard]] bool shows(const Position& p) const {
    return contains(p) && p[3] - p[0] >= 0 && p[3] + p[0] >= 0 && p[3] - p[1] >= 0 && p[3] + p[1] >= 0;
  }
  /// `linear(k)`: value k is linear in the window. `spare` is for its own use.
  template <typename Linear>
  void clip_polygon(ClipRows& polygon, ClipRows& spare, const Linear& linear) const {
    each_plane(limits_.guard_x, limits_.guard_y,
               [&](const auto& distance) { cut_polygon(polygon, spare, linear, distance); });
  }
  /// A line of two rows, of which none may remain. `sides`: cut where the view volume ends.
  template <typename Linear>
  void clip_line(ClipRows& line, const Linear& linear, bool sides) const {
    each_plane(sides ? 1 : limits_.guard_x, sides ? 1 : limits_.guard_y,
               [&](const auto& distance) { cut_line(line, linear, distance); });
  }

 private:
  template <typename Use>
  void each_plane(double x, double y, const Use& use) const {
    if (limits_.depth) {
      use([this](const double* v) { return v[2] - limits_.least * v[3]; });
      use([](const double* v) { return v[3] - v[2]; });
    }
    use([](const double* v) { return v[3] - 1e-30; });  // z = w = 0 has no place in the window
    use([x](const double* v) { return x * v[3] - v[0]; });
    use([x](const double* v) { return x * v[3] + v[0]; });
    use([y](const double* v) { return y * v[3] - v[1]; });
    use([y](const double* v) { return y * v[3] + v[1]; });
    for (std::size_t plane = 0; plane < planes_; ++plane) use([plane](const double* v) { return v[4 + plane]; });
  }

  /// Where the edge from a to b meets the plane. The same vertex results whichever way the shared edge of two triangles
  /// runs.
  template <typename Linear>
  static void cut(const ClipRows& rows, const double* a, const double* b, double da, double db, const Linear& linear,
                  double* to) {
    const bool forward = da < db;
    const double *u = forward ? a : b, *v = forward ? b : a;
    const double du = forward ? da : db, dv = forward ? db : da, t = du / (du - dv);
    for (std::size_t k = 0; k < 4 + rows.planes(); ++k) to[k] = u[k] + t * (v[k] - u[k]);
    const double inside = to[3] > 0 && v[3] > 0 ? t * v[3] / to[3] : t;
    const double window = inside < 0 ? 0 : inside > 1 ? 1 : inside;
    for (std::size_t k = 4 + rows.planes(); k < rows.stride(); ++k)
      to[k] = u[k] + (linear(k - 4 - rows.planes()) ? window : t) * (v[k] - u[k]);
  }

  /// Sutherland-Hodgman against one plane: keeps where `distance` >= 0. Positions and attributes are linear in clip
  /// space.
  template <typename Linear, typename Distance>
  static void cut_polygon(ClipRows& polygon, ClipRows& spare, const Linear& linear, const Distance& distance) {
    const std::size_t count = polygon.count();
    bool all = true;
    for (std::size_t i = 0; i < count; ++i) all = all && distance(polygon.row(i)) >= 0;
    if (all) return;
    spare.begin(polygon.planes(), polygon.stride() - 4 - polygon.planes());
    for (std::size_t i = 0; i < count; ++i) {
      const double *a = polygon.row(i), *b = polygon.row((i + 1) % count);
      const double da = distance(a), db = distance(b);
      if (da >= 0) std::copy_n(a, polygon.stride(), spare.add());
      if ((da >= 0) != (db >= 0)) cut(polygon, a, b, da, db, linear, spare.add());
    }
    std::swap(polygon, spare);
  }

  template <typename Linear, typename Distance>
  static void cut_line(ClipRows& line, const Linear& linear, const Distance& distance) {
    if (line.count() != 2) return;
    const double da = distance(line.row(0)), db = distance(line.row(1));
    if (da >= 0 && db >= 0) return;
    if (!(da >= 0) && !(db >= 0)) return line.resize(0);
    double* to = line.add();
    cut(line, line.row(0), line.row(1), da, db, linear, to);
    std::copy_n(to, line.stride(), line.row(da >= 0 ? 1 : 0));
    line.resize(2);
  }

  std::size_t planes_;  ///< of the user
  ClipLimits limits_;
};

}  // namespace heddle::pipeline
