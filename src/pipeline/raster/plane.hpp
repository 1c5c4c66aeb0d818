#pragma once
// A value over the pixels of a triangle.

namespace heddle::pipeline {

/// A function that is linear in the window: `at` in the upper left corner of the triangle's pixels, and its change for
/// 1/256 pixel. Good to a few units of binary64's last place of the greatest value inside the triangle.
struct Plane {
  double at = 0, dx = 0, dy = 0;
  /// At (x, y) 1/256 pixel from that corner.
  [[nodiscard]] double value(double x, double y) const { return at + dx * x + dy * y; }
};
}  // namespace heddle::pipeline
