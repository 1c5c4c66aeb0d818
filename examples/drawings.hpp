// SPDX-License-Identifier: MIT
#pragma once
// What the drawings of the examples share: colors, noise, saving. Everything is computed, so the pictures are the
// project's own.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <string>

#include "image/surface.hpp"
#include "machine/numbers/math.hpp"

namespace examples {

struct Color {
  double r = 0, g = 0, b = 0, a = 1;
  Color operator*(double k) const { return {r * k, g * k, b * k, a}; }
  Color operator+(const Color& o) const { return {r + o.r, g + o.g, b + o.b, a}; }
};
inline Color mix(const Color& x, const Color& y, double t) {
  return {x.r + (y.r - x.r) * t, x.g + (y.g - x.g) * t, x.b + (y.b - x.b) * t, x.a + (y.a - x.a) * t};
}

// Functions whose results are the same with every C library, so that the pictures are: Heddle's own, of binary32.
inline double sine(double x) { return heddle::machine::math::sine(static_cast<float>(x)); }
inline double cosine(double x) { return heddle::machine::math::cosine(static_cast<float>(x)); }
inline double power(double x, double y) {
  return heddle::machine::math::power(static_cast<float>(x), static_cast<float>(y));
}
inline double exponential(double x) { return heddle::machine::math::exp2(static_cast<float>(x * 1.4426950408889634)); }
inline double length_of(double x, double y) { return std::sqrt(x * x + y * y); }
/// The angle of (x, y), -pi to pi: halved twice, then a series.
inline double angle_of(double y, double x) {
  constexpr double kPi = 3.14159265358979324;
  const double wide = std::abs(x), high = std::abs(y);
  if (wide == 0 && high == 0) return 0;
  double t = std::min(wide, high) / std::max(wide, high);
  for (int i = 0; i < 2; ++i) t = t / (1 + std::sqrt(1 + t * t));
  double sum = 0;
  for (int k = 17; k > 0; k -= 2) sum = (k % 4 == 1 ? 1.0 : -1.0) / k + t * t * sum;
  double angle = 4 * t * sum;
  if (high > wide) angle = kPi / 2 - angle;
  if (x < 0) angle = kPi - angle;
  return y < 0 ? -angle : angle;
}

double random_at(std::uint32_t x, std::uint32_t y, std::uint32_t seed);  ///< 0...1
/// Smooth value noise with a period, so that the texture tiles; and four octaves of it.
double noise(double x, double y, std::uint32_t period, std::uint32_t seed);
double fractal(double x, double y, std::uint32_t period, std::uint32_t seed);
double smooth_step(double low, double high, double x);

/// A drawing: the color at (u, v), both 0...1, v downwards.
using Drawing = Color (*)(double, double);
Color brick(double u, double v);
Color paving(double u, double v);
Color cloth(double u, double v);
Color village(double u, double v);
Color flower(double u, double v);
Color leaf(double u, double v);

/// An R8G8B8A8_UNORM picture, four samples a texel (colors weighted by alpha).
heddle::image::Surface draw(Drawing drawing, std::uint32_t width, std::uint32_t height);
bool save(const std::string& path, const heddle::image::Surface& surface);
bool write(const std::string& path, const std::string& bytes);

bool save_environment(const std::string& path);    ///< a cube with mip levels
bool save_tinted_levels(const std::string& path);  ///< a plane whose mip levels differ in color
/// A 4:2:0 video frame of an R8G8B8A8_UNORM picture of even size: luma, then pairs of chroma.
bool save_nv12(const std::string& path, const heddle::image::Surface& picture);
bool save_meshes(const std::string& folder);

}  // namespace examples
