// SPDX-License-Identifier: MIT
#pragma once
// Where the texels of one plane of an image have their counters.

#include <cstdint>
#include <vector>

#include "image/surface.hpp"

namespace heddle::vulkan {

struct TexelShape {
  struct Level {
    std::uint32_t width = 1, height = 1;
    std::uint32_t slices = 1;               ///< layers times samples; of a volume z
    std::uint64_t first = 0;                ///< counter of the first texel
    std::uint64_t row = 1, slice = 1;       ///< counters from row to row, from slice to slice
    std::uint32_t columns = 1, blocks = 1;  ///< of blocks: how many there are across and down

    [[nodiscard]] std::uint64_t at(std::uint32_t z, std::uint32_t x, std::uint32_t y) const {
      return first + z * slice + y * row + x;
    }
  };
  std::vector<Level> levels;
  std::uint64_t counters = 0;  ///< of all levels; rows may have some behind them that no texel has
  std::uint64_t texels = 0;    ///< of all levels
  std::uint32_t samples = 1;   ///< slices of a layer
  bool volume = false;         ///< slices are no layers
  bool blocks = false;         ///< compressed: elements are blocks, and counters are in an order of their own
  std::uint32_t bytes = 4;     ///< of an element
  std::uint32_t block_width = 1, block_height = 1;
  std::uint32_t across = 1;  ///< texels side by side that a copy's box counts as one: 2 of 4:2:2 in one plane

  /// use(level, counter of the row's first texel, row) for each row of each slice.
  template <typename Use>
  void for_each_row(Use&& use) const {
    for (const Level& level : levels)
      for (std::uint32_t z = 0; z < level.slices; ++z)
        for (std::uint32_t y = 0; y < level.height; ++y) use(level, level.at(z, 0, y), y);
  }
};

/// Of a surface as an image has it, before any view changes it.
[[nodiscard]] TexelShape shape_of(const image::Surface& surface);

}  // namespace heddle::vulkan
