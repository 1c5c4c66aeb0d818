// SPDX-License-Identifier: MIT
// Rules: RAS-3, RAS-8.
#include "pipeline/raster/lines.hpp"

#include <algorithm>
#include <cstdlib>

namespace heddle::pipeline {
namespace {

constexpr std::int64_t kHalf = kPixel / 2;

}  // namespace

BresenhamLine::BresenhamLine(const Primitive& line) : columns_(line.columns) {
  const std::int64_t dx = std::int64_t{line.x[1]} - line.x[0], dy = std::int64_t{line.y[1]} - line.y[0];
  x_major_ = std::abs(dx) >= std::abs(dy);
  const std::int64_t major = x_major_ ? dx : dy, down = (columns_ - 1) * kHalf;
  forward_ = major < 0 ? -1 : 1;
  length_ = std::abs(major);
  rise_ = x_major_ ? dy : dx;
  for (const std::size_t k : {0u, 1u})
    (k == 0 ? from_ : to_) = {x_major_ ? line.x[k] : line.y[k], (x_major_ ? line.y[k] : line.x[k]) - down};
}

/// How far the line is above the pixel's center where it passes the center's column, times length_.
std::int64_t BresenhamLine::offset_of(std::int64_t major, std::int64_t minor) const {
  return length_ * (from_.minor - minor) + forward_ * rise_ * (major - from_.major);
}

/// Whether the line has left the diamond of the column that it is in when it comes to `end`. The ends lie a little to
/// the left of where they are given, and much less above: equalities are decided by that.
bool BresenhamLine::leaves_before(const End& end, std::int64_t major, std::int64_t offset) const {
  const std::int64_t along = forward_ * (end.major - major);
  const std::int64_t upper = along * (length_ + rise_) - kHalf * length_ + offset,
                     lower = along * (length_ - rise_) - kHalf * length_ - offset;
  const bool tie_upper = x_major_ ? forward_ < 0 : false, tie_lower = x_major_ ? forward_ < 0 : true;
  return upper > 0 || lower > 0 || (upper == 0 && tie_upper) || (lower == 0 && tie_lower);
}

bool BresenhamLine::may_touch(std::int32_t x, std::int32_t y, std::int32_t size) const {
  const std::int64_t major = x_major_ ? x : y, minor = x_major_ ? y : x, half = size * kHalf;
  // The line rises no faster than the square is wide.
  const std::int64_t reach = (std::int64_t{size} + columns_ + 2) * kPixel;
  return std::abs(offset_of(major * kPixel + half, minor * kPixel + half)) <= length_ * reach;
}

bool BresenhamLine::is_produced(std::int32_t major, std::int32_t minor) const {
  const std::int64_t column = major * kPixel + kHalf, offset = offset_of(column, minor * kPixel + kHalf);
  const std::int64_t reach = kHalf * length_;
  // The one pixel of the column that the line passes.
  const bool up = x_major_ && forward_ * rise_ > 0;
  if (offset < -reach || (offset == -reach && !up) || offset > reach || (offset == reach && up)) return false;
  return leaves_before(to_, column, offset) && !leaves_before(from_, column, offset);
}

/// The first column, in steps, that the line has not left at `end`.
std::int64_t BresenhamLine::end_step(const End& end) const {
  const std::int64_t near = forward_ * ((end.major >> 8) - start());
  for (std::int64_t step = near - 1; step <= near + 1; ++step) {
    const std::int64_t column = (start() + forward_ * step) * kPixel + kHalf;
    // The row that the line passes.
    const std::int64_t at = offset_of(column, 0);
    std::int64_t row = at / (length_ * kPixel) - 1;
    const bool up = x_major_ && forward_ * rise_ > 0;
    const auto beyond = [&](std::int64_t r) {
      const std::int64_t rest = at - length_ * (r * kPixel + kHalf);
      return rest > kHalf * length_ || (rest == kHalf * length_ && up);
    };
    while (beyond(row)) ++row;
    while (!beyond(row - 1)) --row;
    if (!leaves_before(end, column, at - length_ * (row * kPixel + kHalf))) return step;
  }
  return near + 2;
}

namespace {

struct Point {
  double x, y;
};
/// A convex polygon that is cut; each cut adds one corner at most.
struct Polygon {
  std::array<Point, 8> at{};
  std::size_t count = 0;
  /// Keeps where `distance` is not negative.
  template <typename Distance>
  void cut(const Distance& distance) {
    Polygon kept;
    for (std::size_t i = 0; i < count; ++i) {
      const Point &a = at[i], &b = at[(i + 1) % count];
      const double da = distance(a), db = distance(b);
      if (da >= 0) kept.at[kept.count++] = a;
      if ((da >= 0) == (db >= 0)) continue;
      const double t = da / (da - db);
      kept.at[kept.count++] = {a.x + t * (b.x - a.x), a.y + t * (b.y - a.y)};
    }
    *this = kept;
  }
  [[nodiscard]] double area() const {
    double twice = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const Point &a = at[i], &b = at[(i + 1) % count];
      twice += a.x * b.y - b.x * a.y;
    }
    return std::abs(twice) / 2;
  }
};

}  // namespace

double covered_part(const Primitive& line, std::int32_t x, std::int32_t y) {
  Polygon p;
  for (std::size_t k = 0; k < 4; ++k)
    p.at[p.count++] = {static_cast<double>(line.outline_x[k] - x * kPixel) / kPixel,
                       static_cast<double>(line.outline_y[k] - y * kPixel) / kPixel};
  p.cut([](const Point& at) { return at.x; });
  p.cut([](const Point& at) { return 1 - at.x; });
  p.cut([](const Point& at) { return at.y; });
  p.cut([](const Point& at) { return 1 - at.y; });
  return std::min(p.area(), 1.0);
}

}  // namespace heddle::pipeline
