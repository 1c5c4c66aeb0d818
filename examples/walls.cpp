// SPDX-License-Identifier: MIT
// Brickwork and cloth, and the noise they are made of.

#include "drawings.hpp"

namespace examples {
namespace {

constexpr std::uint32_t kSize = 512;

std::uint32_t hash(std::uint32_t x, std::uint32_t y, std::uint32_t seed) {
  std::uint32_t h = x * 0x9e3779b1u ^ y * 0x85ebca77u ^ seed * 0xc2b2ae3du;
  h = (h ^ h >> 15) * 0x2c1b3c6du;
  h = (h ^ h >> 12) * 0x297a2d39u;
  return h ^ h >> 15;
}

}  // namespace

double random_at(std::uint32_t x, std::uint32_t y, std::uint32_t seed) { return hash(x, y, seed) / 4294967295.0; }

double noise(double x, double y, std::uint32_t period, std::uint32_t seed) {
  const double fx = std::floor(x), fy = std::floor(y);
  const auto at = [&](int dx, int dy) {
    const auto wrap = [&](double v) {
      return static_cast<std::uint32_t>((static_cast<std::int64_t>(v) % period + period) % period);
    };
    return random_at(wrap(fx + dx), wrap(fy + dy), seed);
  };
  const auto ease = [](double t) { return t * t * (3 - 2 * t); };
  const double u = ease(x - fx), v = ease(y - fy);
  return (at(0, 0) * (1 - u) + at(1, 0) * u) * (1 - v) + (at(0, 1) * (1 - u) + at(1, 1) * u) * v;
}

double fractal(double x, double y, std::uint32_t period, std::uint32_t seed) {
  double sum = 0, weight = 0.5;
  for (std::uint32_t octave = 0; octave < 4; ++octave, weight *= 0.5, x *= 2, y *= 2, period *= 2)
    sum += weight * noise(x, y, period, seed + octave);
  return sum / 0.9375;
}

double smooth_step(double low, double high, double x) {
  const double t = std::clamp((x - low) / (high - low), 0.0, 1.0);
  return t * t * (3 - 2 * t);
}

/// Eight courses of four bricks in running bond; bevelled edges lit from the upper left.
Color brick(double u, double v) {
  constexpr double kRows = 8, kColumns = 4;
  const double wobble_u = (fractal(u * 16, v * 16, 16, 11) - 0.5) * 0.008,
               wobble_v = (fractal(u * 16, v * 16, 16, 23) - 0.5) * 0.008;
  const double row = std::floor((v + wobble_v) * kRows);
  const double x = (u + wobble_u) * kColumns + (static_cast<int>(row) % 2 != 0 ? 0.5 : 0), column = std::floor(x);
  const double fx = x - column, fy = (v + wobble_v) * kRows - row;
  const auto bx = static_cast<std::uint32_t>(static_cast<int>(column + kColumns) % static_cast<int>(kColumns)),
             by = static_cast<std::uint32_t>(static_cast<int>(row + kRows) % static_cast<int>(kRows));
  const double edge_x = std::min(fx, 1 - fx) / kColumns, edge_y = std::min(fy, 1 - fy) / kRows,
               edge = std::min(edge_x, edge_y);
  const double inside = smooth_step(0.0045, 0.0075, edge);
  const double grain = fractal(u * 64, v * 64, 64, 5), stain = fractal(u * 6, v * 6, 6, 77);
  const double tone = 0.78 + 0.4 * random_at(bx, by, 3);
  const Color warm{0.62, 0.27, 0.19}, dark{0.42, 0.20, 0.17}, pale{0.72, 0.42, 0.30};
  const double pick = random_at(bx, by, 9);
  Color clay = pick < 0.25 ? dark : pick > 0.8 ? pale : warm;
  clay = clay * (tone * (0.72 + 0.42 * grain) * (0.82 + 0.3 * stain));
  // Light falls from the upper left: the upper and left bevels are bright, the lower and right ones dark.
  const double bevel = 0.016;
  const double lit = (1 - smooth_step(0, bevel, fy / kRows)) + (1 - smooth_step(0, bevel, fx / kColumns));
  const double shaded =
      (1 - smooth_step(0, bevel, (1 - fy) / kRows)) + (1 - smooth_step(0, bevel, (1 - fx) / kColumns));
  clay = clay * (1 + 0.28 * lit - 0.42 * shaded);
  const Color mortar = Color{0.66, 0.63, 0.58} * (0.62 + 0.45 * fractal(u * 96, v * 96, 96, 41));
  return clay * inside + mortar * (1 - inside);
}

/// A lane of bricks, 2 x 4 pieces of the wall.
Color paving(double u, double v) { return brick(u * 2 - std::floor(u * 2), v * 4 - std::floor(v * 4)); }

/// Plain weave of two colored yarns: each crossing shows the warp or the weft, rounded and twisted.
Color cloth(double u, double v) {
  constexpr double kThreads = 32;
  const double x = u * kThreads, y = v * kThreads;
  const auto ix = static_cast<std::uint32_t>(x), iy = static_cast<std::uint32_t>(y);
  const double fx = x - ix, fy = y - iy;
  const bool warp = (ix + iy) % 2 == 0;
  const double across = warp ? fx : fy, along = warp ? fy : fx;
  const double round = std::sqrt(std::max(0.0, 1 - (2 * across - 1) * (2 * across - 1)));
  const double arch = sine(along * 3.14159265358979);
  const double twist = 0.5 + 0.5 * sine((along * 3 + across * 1.4) * 6.28318530717959);
  const Color indigo{0.16, 0.25, 0.47}, cream{0.86, 0.80, 0.66}, rust{0.66, 0.28, 0.16};
  const std::uint32_t thread = warp ? ix : iy;
  const Color yarn = warp ? (thread % 8 == 3 ? rust : indigo) : (thread % 8 == 5 ? rust : cream);
  const double fiber = 0.85 + 0.3 * random_at(static_cast<std::uint32_t>(u * kSize),
                                              static_cast<std::uint32_t>(v * kSize), warp ? 1 : 2);
  return yarn * ((0.25 + 0.75 * round * (0.45 + 0.55 * arch)) * (0.86 + 0.2 * twist) * fiber);
}

}  // namespace examples
