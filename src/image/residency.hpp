// SPDX-License-Identifier: MIT
#pragma once
// Which parts of a sparse image have memory.

#include <compare>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace heddle::image {

/// A sparse image's levels are grids of blocks, each with memory or without; its smallest levels, the mip tail, have
/// memory together, a tail for each layer. What has none reads as zeros and keeps nothing (SUR-6, RTW-21).
class Residency {
 public:
  /// In elements of the format (texels, or compressed blocks) and slices of a volume.
  struct Size {
    std::uint32_t width = 1, height = 1, depth = 1;
    auto operator<=>(const Size&) const = default;
  };
  /// Nothing has memory at first. `levels`: sizes of the levels before the tail, the greatest first. `slices`: stored
  /// slices of one layer (the samples); 0: a volume, whose slices are its depth.
  Residency(Size block, std::span<const Size> levels, std::uint32_t layers, std::uint32_t slices);

  [[nodiscard]] Size block() const { return block_; }
  /// The first level of the mip tail.
  [[nodiscard]] std::uint32_t tail() const { return static_cast<std::uint32_t>(grids_.size()); }
  /// Blocks of a level before the tail.
  [[nodiscard]] Size grid(std::uint32_t level) const { return grids_[level].blocks; }
  /// The element of a stored slice, counted in elements.
  [[nodiscard]] bool is_resident(std::uint32_t level, std::uint32_t slice, std::uint32_t column,
                                 std::uint32_t row) const;
  /// `at`: in blocks, within the level's grid.
  void set(std::uint32_t level, std::uint32_t layer, Size at, bool resident);
  void set_tail(std::uint32_t layer, bool resident) { tails_[layer] = resident ? 1 : 0; }

 private:
  struct Grid {
    Size blocks;
    std::vector<std::uint8_t> resident;  ///< layer after layer, slice after slice, row after row
  };
  [[nodiscard]] static std::size_t index(const Grid& grid, std::uint32_t layer, Size at);

  Size block_;
  std::uint32_t slices_;
  std::vector<Grid> grids_;
  std::vector<std::uint8_t> tails_;
};

inline constexpr std::uint32_t kSparseBlockBytes = 65536;

/// SPR-1: the elements of a block of 64 KiB, by the standard shapes of Vulkan ("Standard Sparse Image Block Shapes")
/// and Direct3D's tiled resources. Nothing for elements of other sizes than 1, 2, 4, 8 and 16 bytes, and for volumes of
/// several samples.
[[nodiscard]] std::optional<Residency::Size> standard_block(std::uint32_t element_bytes, bool volume,
                                                            std::uint32_t samples);

}  // namespace heddle::image
