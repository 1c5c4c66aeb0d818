// SPDX-License-Identifier: MIT
#pragma once
// Which cache lines and pages a set of texels occupies in a tiling of the hardware (FP-35).

#include <cstdint>
#include <span>
#include <vector>

#include "base/result.hpp"
#include "image/surface.hpp"

namespace heddle::image {

struct ByteFootprintOptions {
  TileMode tile = TileMode::Linear;
  std::uint64_t line_bytes = 64, page_bytes = 4096;  ///< powers of two, at least 4
};

struct ByteFootprint {
  /// A stretch of memory, and how many bytes of touched elements lie in it.
  struct Piece {
    std::uint64_t offset = 0;  ///< from the surface's base
    std::uint64_t bytes = 0;
    bool operator==(const Piece&) const = default;
  };
  std::uint64_t elements = 0, bytes = 0;  ///< touched elements, each once, and their bytes
  std::uint64_t surface_bytes = 0;        ///< of the whole layout
  std::vector<Piece> lines, pages;        ///< in ascending order
};

/// Texels of absolute levels; `slice` is a stored slice, or z. Ids: footprint-query, and those of lay_out (HW-42,
/// limit-surface ...).
[[nodiscard]] base::Result<ByteFootprint> byte_footprint(const Surface& surface,
                                                         std::span<const Surface::TexelIndex> texels,
                                                         const ByteFootprintOptions& options = {});

}  // namespace heddle::image
