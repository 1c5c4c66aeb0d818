// SPDX-License-Identifier: MIT
#include "town.hpp"

#include <algorithm>
#include <cmath>

namespace example {
namespace {

using Color = std::array<float, 3>;
using Point = std::array<float, 3>;

// The texture: the floor in the upper left three quarters, walls in four cells at the right, roofs at the bottom.
constexpr float kFloor = 0.75f, kCell = 0.25f;

float hash(int x, int y, int seed) {
  std::uint32_t h = static_cast<std::uint32_t>(x) * 0x9e3779b1u ^ static_cast<std::uint32_t>(y) * 0x85ebca77u ^
                    static_cast<std::uint32_t>(seed) * 0xc2b2ae3du;
  h = (h ^ h >> 15) * 0x2c1b3c6du;
  h = (h ^ h >> 12) * 0x297a2d39u;
  return static_cast<float>((h ^ h >> 15) & 0xffff) / 65535.0f;
}

Color mix(const Color& a, const Color& b, float t) {
  return {a[0] + (b[0] - a[0]) * t, a[1] + (b[1] - a[1]) * t, a[2] + (b[2] - a[2]) * t};
}

/// Values that change from 0 to 1 and back over the plane.
float noise(float x, float y, int seed) {
  const float fx = std::floor(x), fy = std::floor(y), s = x - fx, t = y - fy;
  const int i = static_cast<int>(fx), j = static_cast<int>(fy);
  const float u = s * s * (3 - 2 * s), v = t * t * (3 - 2 * t);
  const float top = hash(i, j, seed) * (1 - u) + hash(i + 1, j, seed) * u;
  const float below = hash(i, j + 1, seed) * (1 - u) + hash(i + 1, j + 1, seed) * u;
  return top * (1 - v) + below * v;
}

Color floor_color(float u, float v) {
  const float grass = noise(u * 900, v * 900, 1), patches = noise(u * 24, v * 24, 2);
  Color color = mix({0.26f, 0.38f, 0.16f}, {0.44f, 0.50f, 0.22f}, 0.6f * grass + 0.4f * patches);
  // Two roads of cobbles that cross in a square.
  const float x = std::abs(u / kFloor - 0.5f), y = std::abs(v / kFloor - 0.5f);
  if (std::min(x, y) < 0.035f || std::max(x, y) < 0.13f) {
    const float row = v * 220, column = u * 220 + (static_cast<int>(row) % 2 != 0 ? 0.5f : 0.0f);
    const int i = static_cast<int>(column), j = static_cast<int>(row);
    const float s = column - static_cast<float>(i), t = row - static_cast<float>(j);
    const float stone = 0.45f + 0.25f * hash(i, j, 3);
    color = {stone * 1.05f, stone, stone * 0.92f};
    if (s < 0.09f || t < 0.09f) color = {0.27f, 0.25f, 0.22f};
  }
  return color;
}

Color wall_color(float s, float t, int style) {
  constexpr std::array<Color, 4> kPlaster{
      {{0.85f, 0.78f, 0.62f}, {0.80f, 0.56f, 0.44f}, {0.70f, 0.74f, 0.76f}, {0.88f, 0.82f, 0.48f}}};
  const float rough = noise(s * 300, t * 300, 10 + style);
  Color color = mix(kPlaster[static_cast<std::size_t>(style)], {0.5f, 0.45f, 0.4f}, 0.22f * rough);
  if (style == 1) {  // bricks
    const float row = t * 48, column = s * 20 + (static_cast<int>(row) % 2 != 0 ? 0.5f : 0.0f);
    const int i = static_cast<int>(column), j = static_cast<int>(row);
    color = mix({0.58f, 0.26f, 0.18f}, {0.72f, 0.40f, 0.28f}, hash(i, j, 4));
    if (column - static_cast<float>(i) < 0.06f || row - static_cast<float>(j) < 0.14f) color = {0.72f, 0.68f, 0.62f};
  }
  // Windows of four panes, with frames; below them a sill.
  const float wx = s * 4 - std::floor(s * 4), wy = t * 3 - std::floor(t * 3);
  if (wx > 0.26f && wx < 0.74f && wy > 0.2f && wy < 0.74f) {
    const bool frame = wx < 0.31f || wx > 0.69f || wy < 0.25f || wy > 0.69f || std::abs(wx - 0.5f) < 0.02f ||
                       std::abs(wy - 0.45f) < 0.02f;
    color = frame ? Color{0.93f, 0.92f, 0.88f} : mix({0.16f, 0.22f, 0.30f}, {0.45f, 0.58f, 0.70f}, 1 - wy);
  }
  if (wx > 0.22f && wx < 0.78f && wy > 0.74f && wy < 0.80f) color = {0.55f, 0.50f, 0.46f};
  return color;
}

Color roof_color(float s, float t, int style) {
  constexpr std::array<Color, 3> kTiles{{{0.62f, 0.25f, 0.17f}, {0.38f, 0.36f, 0.40f}, {0.52f, 0.34f, 0.22f}}};
  const float row = t * 40, column = s * 40 + (static_cast<int>(row) % 2 != 0 ? 0.5f : 0.0f);
  const int i = static_cast<int>(column), j = static_cast<int>(row);
  const float down = row - static_cast<float>(j), across = column - static_cast<float>(i) - 0.5f;
  const float shade = (0.72f + 0.28f * down) * (1 - 0.9f * across * across) * (0.8f + 0.35f * hash(i, j, 5 + style));
  const Color& base = kTiles[static_cast<std::size_t>(style)];
  return {base[0] * shade, base[1] * shade, base[2] * shade};
}

Color color_at(float u, float v) {
  if (u >= kFloor) {
    const float cell = std::min(v / kCell, 3.999f);
    return wall_color((u - kFloor) / kCell, cell - std::floor(cell), static_cast<int>(cell));
  }
  if (v >= kFloor)
    return roof_color(u / kCell - std::floor(u / kCell), (v - kFloor) / kCell, static_cast<int>(u / kCell));
  return floor_color(u, v);
}

struct Builder {
  std::vector<Vertex> all;

  /// A flat piece with four corners in order; the texture's rectangle from (u, v) to (u2, v2).
  void quad(const std::array<Point, 4>& p, std::array<float, 4> r, float light) {
    const std::array<Vertex, 4> corner{{{p[0], {r[0], r[1]}, light},
                                        {p[1], {r[2], r[1]}, light},
                                        {p[2], {r[2], r[3]}, light},
                                        {p[3], {r[0], r[3]}, light}}};
    for (const std::size_t k : {0u, 1u, 2u, 0u, 2u, 3u}) all.push_back(corner[k]);
  }

  /// Walls of height h around a rectangle, and a roof whose ridge goes along x.
  void house(float x, float z, float w, float d, float h, int style) {
    const float x2 = x + w, z2 = z + d, ridge = h + 0.45f * d, middle = z + d / 2;
    const float v = static_cast<float>(style % 4) * kCell, e = 0.002f;
    const std::array<float, 4> wall{kFloor + e, v + e, kFloor + std::min(1.0f, w / 4) * kCell - e, v + kCell - e};
    const std::array<float, 4> side{kFloor + e, v + e, kFloor + std::min(1.0f, d / 4) * kCell - e, v + kCell - e};
    quad({{{x, h, z2}, {x2, h, z2}, {x2, 0, z2}, {x, 0, z2}}}, wall, 0.95f);
    quad({{{x2, h, z}, {x, h, z}, {x, 0, z}, {x2, 0, z}}}, wall, 0.55f);
    quad({{{x, h, z}, {x, h, z2}, {x, 0, z2}, {x, 0, z}}}, side, 0.72f);
    quad({{{x2, h, z2}, {x2, h, z}, {x2, 0, z}, {x2, 0, z2}}}, side, 0.8f);
    const float u = static_cast<float>(style % 3) * kCell;
    const std::array<float, 4> roof{u + e, kFloor + e, u + kCell - e, 1 - e};
    const float o = 0.25f;  // eaves
    quad({{{x - o, ridge, middle}, {x2 + o, ridge, middle}, {x2 + o, h - 0.2f, z2 + o}, {x - o, h - 0.2f, z2 + o}}},
         roof, 1.0f);
    quad({{{x2 + o, ridge, middle}, {x - o, ridge, middle}, {x - o, h - 0.2f, z - o}, {x2 + o, h - 0.2f, z - o}}}, roof,
         0.62f);
    for (const float at : {x, x2}) {                                 // gables
      const float light = at == x ? 0.72f : 0.8f, top = v + 0.015f;  // above the windows
      all.push_back({{at, ridge, middle}, {kFloor + 0.11f, v + e}, light});
      all.push_back({{at, h, z2}, {kFloor + 0.12f, top}, light});
      all.push_back({{at, h, z}, {kFloor + 0.10f, top}, light});
    }
  }
};

}  // namespace

std::vector<Vertex> build_town() {
  Builder town;
  constexpr float kHalf = 24;
  town.quad({{{-kHalf, 0, -kHalf}, {kHalf, 0, -kHalf}, {kHalf, 0, kHalf}, {-kHalf, 0, kHalf}}}, {0, 0, kFloor, kFloor},
            0.9f);
  int style = 0;
  for (int row = -3; row <= 2; ++row)
    for (int column = -3; column <= 2; ++column) {
      // Two roads stay free.
      const float x = static_cast<float>(column) * 7 + (column < 0 ? 0.2f : 2.2f),
                  z = static_cast<float>(row) * 7 + (row < 0 ? 0.2f : 2.2f);
      const bool in_the_square = (row == -1 || row == 0) && (column == -1 || column == 0);
      if (!in_the_square)
        town.house(x + 1.5f * hash(row, column, 6), z + hash(row, column, 7), 2.6f + 1.4f * hash(row, column, 8),
                   2.6f + hash(row, column, 9), 2.2f + 2.4f * hash(row, column, 10), style);
      style += 1 + (row + column + 6) % 3;
    }
  return town.all;
}

std::array<std::uint8_t, 3> texel_of_town(std::uint32_t level, std::uint32_t x, std::uint32_t y) {
  // The mean of some points of the texel: of more where it is larger.
  const int points = level == 0 ? 1 : level < 3 ? 2 : 4;
  const float edge = static_cast<float>(kTexture >> level);
  Color sum{};
  for (int j = 0; j < points; ++j)
    for (int i = 0; i < points; ++i) {
      const float s = (static_cast<float>(i) + 0.5f) / static_cast<float>(points),
                  t = (static_cast<float>(j) + 0.5f) / static_cast<float>(points);
      const Color color = color_at((static_cast<float>(x) + s) / edge, (static_cast<float>(y) + t) / edge);
      for (std::size_t c = 0; c < 3; ++c) sum[c] += color[c];
    }
  std::array<std::uint8_t, 3> texel{};
  for (std::size_t c = 0; c < 3; ++c)
    texel[c] = static_cast<std::uint8_t>(std::clamp(sum[c] / static_cast<float>(points * points), 0.0f, 1.0f) * 255.0f);
  return texel;
}

void read_tile(std::uint32_t level, std::uint32_t tile_x, std::uint32_t tile_y, std::uint8_t* to) {
  const std::uint32_t edge = tile_edge(level);
  for (std::uint32_t y = 0; y < edge; ++y)
    for (std::uint32_t x = 0; x < edge; ++x) {
      const auto texel = texel_of_town(level, tile_x * kTile + x, tile_y * kTile + y);
      std::copy(texel.begin(), texel.end(), to);
      to[3] = 255;
      to += 4;
    }
}

}  // namespace example
