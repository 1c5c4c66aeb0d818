// SPDX-License-Identifier: MIT
// The town of vulkan_streaming: its triangles, and its one large texture, of which any tile can be had.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace example {

constexpr std::uint32_t kTexture = 4096, kLevels = 13, kTile = 64;

struct Vertex {
  std::array<float, 3> position;
  std::array<float, 2> coordinate;  ///< in the texture, 0 to 1
  float light;
};

/// Triangles, three vertices each: a floor and houses.
std::vector<Vertex> build_town();

/// Tiles in a row of a level.
constexpr std::uint32_t tiles_across(std::uint32_t level) {
  const std::uint32_t edge = kTexture >> level;
  return edge < kTile ? 1 : edge / kTile;
}
/// Texels in a row of a tile.
constexpr std::uint32_t tile_edge(std::uint32_t level) {
  const std::uint32_t edge = kTexture >> level;
  return edge < kTile ? edge : kTile;
}

/// A texel, red, green and blue.
std::array<std::uint8_t, 3> texel_of_town(std::uint32_t level, std::uint32_t x, std::uint32_t y);
/// A tile as RGBA8, rows without gaps, alpha 255.
void read_tile(std::uint32_t level, std::uint32_t tile_x, std::uint32_t tile_y, std::uint8_t* to);

}  // namespace example
