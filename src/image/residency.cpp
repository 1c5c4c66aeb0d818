// SPDX-License-Identifier: MIT
#include "image/residency.hpp"

#include <bit>

namespace heddle::image {
namespace {

std::uint32_t divide_up(std::uint32_t size, std::uint32_t by) { return (size + by - 1) / by; }

}  // namespace

Residency::Residency(Size block, std::span<const Size> levels, std::uint32_t layers, std::uint32_t slices)
    : block_(block), slices_(slices), tails_(layers, 0) {
  for (const Size& level : levels) {
    const Size blocks{divide_up(level.width, block.width), divide_up(level.height, block.height),
                      divide_up(level.depth, block.depth)};
    const std::size_t count = std::size_t{blocks.width} * blocks.height * blocks.depth * layers;
    grids_.push_back({blocks, std::vector<std::uint8_t>(count, 0)});
  }
}

std::size_t Residency::index(const Grid& grid, std::uint32_t layer, Size at) {
  const Size& n = grid.blocks;
  return ((std::size_t{layer} * n.depth + at.depth) * n.height + at.height) * n.width + at.width;
}

bool Residency::is_resident(std::uint32_t level, std::uint32_t slice, std::uint32_t column, std::uint32_t row) const {
  const std::uint32_t layer = slices_ == 0 ? 0 : slice / slices_;
  if (layer >= tails_.size()) return false;
  if (level >= grids_.size()) return tails_[layer] != 0;
  const Size at{column / block_.width, row / block_.height, slices_ == 0 ? slice / block_.depth : 0};
  const Grid& grid = grids_[level];
  return at.width < grid.blocks.width && at.height < grid.blocks.height && at.depth < grid.blocks.depth &&
         grid.resident[index(grid, layer, at)] != 0;
}

void Residency::set(std::uint32_t level, std::uint32_t layer, Size at, bool resident) {
  Grid& grid = grids_[level];
  grid.resident[index(grid, layer, at)] = resident ? 1 : 0;
}

std::optional<Residency::Size> standard_block(std::uint32_t element_bytes, bool volume, std::uint32_t samples) {
  if (!std::has_single_bit(element_bytes) || element_bytes > 16 || !std::has_single_bit(samples) || samples > 16 ||
      (volume && samples > 1))
    return std::nullopt;
  // Each doubling of the element halves one side, in turn; so does each doubling of the samples.
  const auto halvings = static_cast<unsigned>(std::countr_zero(element_bytes));
  if (volume) return Residency::Size{64u >> (halvings + 2) / 3, 32u >> halvings / 3, 32u >> (halvings + 1) / 3};
  const auto of_samples = static_cast<unsigned>(std::countr_zero(samples));
  return Residency::Size{256u >> halvings / 2 >> (of_samples + 1) / 2, 256u >> (halvings + 1) / 2 >> of_samples / 2, 1};
}

}  // namespace heddle::image
