// SPDX-License-Identifier: MIT
// The village under the mountains, the flower and the leaf.

#include "drawings.hpp"

namespace examples {
namespace {

Color sky(double u, double v) {
  const Color zenith{0.24, 0.47, 0.78}, horizon{0.98, 0.83, 0.66};
  Color c = mix(zenith, horizon, smooth_step(0.0, 0.46, v));
  const double glow = exponential(-(power((u - 0.72) * 1.5, 2) + power(v - 0.22, 2)) * 22);
  c = mix(c, {1.0, 0.93, 0.74}, 0.75 * glow);
  if (length_of((u - 0.72) * 1.5, v - 0.22) < 0.045) c = {1.0, 0.98, 0.90};
  const double cloud = smooth_step(0.52, 0.78, fractal(u * 5 + 3, v * 14, 64, 201));
  return mix(c, {1.0, 0.96, 0.93}, 0.7 * cloud * (1 - smooth_step(0.25, 0.42, v)));
}

struct House {
  double x, base, width, height;  // left edge, ground line; in units of the picture's height
  std::uint32_t number;
};

/// Paints a house with a pitched roof, a door and lit windows over `c`.
void paint(Color& c, const House& h, double x, double y) {
  const double u = (x - h.x) / h.width, wall = h.base - h.height, roof = h.height * 0.62;
  if (u < -0.1 || u > 1.1 || y > h.base || y < wall - roof) return;
  const double shade = u > 0.62 ? 0.72 : 1.0;
  constexpr std::array<Color, 5> kWalls{Color{0.95, 0.90, 0.80}, Color{0.90, 0.72, 0.52}, Color{0.80, 0.84, 0.86},
                                        Color{0.93, 0.80, 0.62}, Color{0.78, 0.60, 0.50}};
  constexpr std::array<Color, 4> kRoofs{Color{0.70, 0.24, 0.16}, Color{0.58, 0.20, 0.18}, Color{0.36, 0.30, 0.36},
                                        Color{0.78, 0.36, 0.20}};
  if (y < wall) {
    const double inset = (wall - y) / roof * 0.5;
    const double chimney = (u > 0.68 && u < 0.78 && y > wall - roof * 0.9) ? 1 : 0;
    if (chimney > 0 && u > 1.1 - inset) c = {0.45, 0.26, 0.22};
    if (u < -0.1 + inset * 1.1 || u > 1.1 - inset * 1.1) {
      if (chimney > 0) c = Color{0.52, 0.30, 0.25} * shade;
      return;
    }
    const double tiles = 0.86 + 0.14 * sine(y * 700);
    c = kRoofs[h.number % 4] * (shade * tiles);
    return;
  }
  if (u < 0 || u > 1) return;
  c = kWalls[h.number % 5] * shade;
  const double row = (y - wall) / h.height, cell = u * 4 - std::floor(u * 4);
  if (row > 0.15 && row < 0.45 && cell > 0.26 && cell < 0.74)
    c = h.number % 3 == 0 ? Color{1.0, 0.85, 0.45} : Color{0.25, 0.32, 0.42};
  if (row > 0.52 && u > 0.42 && u < 0.58) c = {0.34, 0.20, 0.12};
}

void paint_tree(Color& c, double tree_x, double base, double size, std::uint32_t number, double x, double y) {
  const double dx = (x - tree_x) / size, dy = (base - y) / size;
  if (dy < 0 || dy > 2.3 || std::abs(dx) > 0.8) return;
  if (number % 3 == 0) {  // round
    const double d = length_of(dx, (dy - 1.2) * 0.85) + 0.14 * (fractal(x * 90, y * 90, 256, number) - 0.5);
    if (d < 0.62)
      c = mix(
          {0.13, 0.27, 0.12}, {0.50, 0.58, 0.22},
          std::clamp(0.5 + 0.6 * dx + 0.35 * (dy - 1.2) + 0.5 * (fractal(x * 120, y * 120, 256, 7) - 0.5), 0.0, 1.0));
    else if (std::abs(dx) < 0.07 && dy < 0.8)
      c = {0.30, 0.20, 0.13};
    return;
  }
  const double tier = dy * 2.2 - std::floor(dy * 2.2), half = 0.5 * (1 - dy / 2.2) * (1.12 - 0.35 * tier);
  if (dy > 0.25 && std::abs(dx) < half)
    c = mix({0.06, 0.20, 0.16}, {0.26, 0.43, 0.24},
            std::clamp(0.5 + dx / std::max(half, 0.02) * 0.45 - 0.25 * tier, 0.0, 1.0));
  else if (std::abs(dx) < 0.06 && dy <= 0.3)
    c = {0.28, 0.19, 0.13};
}

}  // namespace

/// Evening over a valley: three ranges, a lake, a village on the near slope. The picture is 3 wide, 2 high.
Color village(double u, double v) {
  const double x = u * 1.5, y = v;
  Color c = sky(u, v);
  // Far ranges, hazier the farther.
  constexpr std::array<Color, 3> kRanges{Color{0.66, 0.62, 0.72}, Color{0.43, 0.46, 0.60}, Color{0.25, 0.36, 0.40}};
  for (std::uint32_t i = 0; i < 3; ++i) {
    const double scale = 2.2 + i * 1.3, height = 0.26 - 0.05 * i;
    const double ridge = 0.46 + 0.055 * i - height * power(fractal(x * scale + i * 7.3, 0.5 + i, 512, 40 + i), 1.5);
    if (y > ridge) {
      c = mix(kRanges[i], {0.97, 0.80, 0.66}, 0.45 * smooth_step(ridge, 0.62, y) * (1 - 0.25 * i));
      const double rock = fractal(x * 30 + y * 18, y * 40, 512, 60 + i);
      if (i == 0 && y < ridge + 0.045 + 0.05 * (rock - 0.5)) c = mix(c, {0.98, 0.95, 0.94}, 0.75);
      c = c * (0.90 + 0.2 * rock);
    }
  }
  // The lake mirrors the sky and is drawn out into streaks.
  if (y > 0.565 && y < 0.64) {
    const double streak = fractal(x * 6, y * 160, 512, 91);
    c = mix(sky(u, 0.98 - y * 1.05) * 0.86, {0.30, 0.42, 0.52}, 0.25 + 0.35 * streak);
  }
  const double slope = 0.62 + 0.03 * sine(x * 4.2 + 0.6) + 0.012 * sine(x * 11);
  if (y > slope) {
    const double grass = fractal(x * 48, y * 90, 512, 17), field = fractal(x * 5, y * 9, 512, 28);
    c = mix({0.27, 0.40, 0.15}, {0.68, 0.66, 0.28}, smooth_step(0.3, 0.7, field)) * (0.72 + 0.5 * grass);
    const double path = 0.66 + 0.25 * sine(y * 7.5) * (y - 0.55);
    if (std::abs(x - path) < 0.012 + 0.11 * (y - 0.6)) c = Color{0.80, 0.70, 0.52} * (0.8 + 0.35 * grass);
    const double rows = sine((x * 0.8 + y * 0.5) * 180);
    const double furrows =
        smooth_step(0.0, 0.05, x - 1.0 - 0.6 * (0.95 - y)) * smooth_step(0.0, 0.02, y - 0.86 + 0.10 * (x - 1.0));
    c = mix(c, {0.42, 0.26, 0.16}, furrows * (0.25 + 0.25 * rows));
  }
  // Houses and trees from far to near.
  for (std::uint32_t row = 0; row < 5; ++row) {
    const double base = 0.655 + 0.068 * row, size = 0.040 + 0.017 * row;
    for (std::uint32_t i = 0; i < 14; ++i) {
      const double at = (i + 0.75 * random_at(i, row, 5)) * (1.62 / 14) - 0.06,
                   ground = base + 0.03 * (random_at(i, row, 6) - 0.5);
      const double path = 0.66 + 0.25 * sine(ground * 7.5) * (ground - 0.55);
      const double pick = random_at(i, row, 8);
      const bool clear = std::abs(at + size * 0.5 - path) > 0.05 + 0.22 * (ground - 0.6);
      if (!clear) continue;
      if (pick < 0.45 && row < 4)
        paint(c, {at, ground, size * (1.0 + 0.5 * random_at(i, row, 9)), size * 0.72, i * 3 + row}, x, y);
      else if (pick < 0.86)
        paint_tree(c, at, ground, size * 0.85, i + row * 5, x, y);
    }
  }
  return c;
}

/// A dahlia on dark green: rings of petals around a yellow disc.
Color flower(double u, double v) {
  const double x = u * 2 - 1, y = v * 2 - 1, radius = length_of(x, y), angle = angle_of(y, x);
  Color c = mix({0.05, 0.16, 0.12}, {0.13, 0.34, 0.20}, fractal(u * 6, v * 6, 8, 3));
  constexpr double kTurn = 6.28318530717959;
  for (int ring = 4; ring >= 0; --ring) {
    const double outer = 0.34 + 0.14 * ring, petals = 9 + ring, turn = angle / kTurn * petals + ring * 0.37;
    const double across = std::abs(turn - std::round(turn)) * 2;
    const double edge = outer * (1 - 0.34 * power(across, 2.2));
    if (radius < edge) {
      const double along = radius / edge;
      c = mix({0.55, 0.04, 0.24}, {0.99, 0.47, 0.42}, smooth_step(0.35, 1.0, along)) * (1.05 - 0.45 * across * across) *
          (0.8 + 0.06 * ring);
    }
  }
  if (radius < 0.20)
    c = mix({1.0, 0.85, 0.25}, {0.80, 0.45, 0.08},
            smooth_step(0.05, 0.2, radius + 0.06 * (noise(u * 20, v * 20, 64, 6) - 0.5)));
  return c;
}

/// A spray of nine leaflets on a stem; alpha is the cut-out, with an edge soft enough for coverage.
Color leaf(double u, double v) {
  const double x = u * 2 - 1, y = 1 - v;  // the stem grows upwards from (0, 0)
  Color c{0.24, 0.38, 0.12, 0};
  const auto leaflet = [&](double px, double py, double angle, double length, double width, double tone) {
    const double sx = (x - px) * 0.5, sy = y - py;  // the card is square: x runs over twice the range of y
    const double along = (sx * sine(angle) + sy * cosine(angle)) / length,
                 across = (sx * cosine(angle) - sy * sine(angle)) / width;
    if (along < 0 || along > 1) return;
    const double half = power(along, 0.6) * (1 - along) * 1.9;
    const double cover = smooth_step(-0.04, 0.10, half - std::abs(across));
    if (cover <= c.a * 0.5) return;
    const double vein = smooth_step(0.0, 0.10, std::abs(across)) *
                        (0.85 + 0.15 * smooth_step(-0.2, 0.2, sine((along * 7 - std::abs(across) * 2.0) * 6.283)));
    const Color green = mix({0.24, 0.43, 0.10}, {0.62, 0.72, 0.22}, tone + 0.3 * along - (across > 0 ? 0.18 : 0.0));
    c = green * (0.62 + 0.38 * vein);
    c.a = std::max(cover, c.a);
  };
  if (std::abs(x) < 0.022 && y < 0.70) c = {0.34, 0.30, 0.12, 1};
  for (int i = 0; i < 4; ++i) {
    const double length = 0.45 - 0.06 * i;
    leaflet(0, 0.08 + 0.16 * i, 1.15 - 0.10 * i, length, 0.085, 0.2 + 0.1 * i);
    leaflet(0, 0.12 + 0.16 * i, -1.15 + 0.10 * i, length, 0.085, 0.25 + 0.1 * i);
  }
  leaflet(0, 0.66, 0, 0.33, 0.085, 0.6);
  return c;
}

}  // namespace examples
