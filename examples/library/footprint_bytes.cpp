// SPDX-License-Identifier: MIT
// heddle/footprint_bytes.hpp: how many cache lines and pages a column of texels takes in each tiling.
#include <heddle/footprint_bytes.hpp>
#include <iostream>

int main() {
  const auto image = heddle::Image::create({.width = 128, .height = 128});
  if (!image.ok()) return 1;
  std::vector<heddle::TexelPlace> column;
  for (std::uint32_t y = 0; y < 32; ++y) column.push_back({.x = 5, .y = y});
  std::size_t linear = 0, tiled = 0;
  for (const std::string tile : {"linear", "y", "tile4", "tile64"}) {
    const auto found = heddle::footprint_bytes(*image, column, {.tile = tile});
    if (!found.ok()) return std::cerr << heddle::to_text(found.diagnostics()), 1;
    std::cout << tile << ": " << found->lines.size() << " lines, " << found->pages.size() << " pages\n";
    if (tile == "linear") linear = found->lines.size();
    if (tile == "tile4") tiled = found->lines.size();
  }
  return linear == 32 && tiled == 8 ? 0 : 1;
}
