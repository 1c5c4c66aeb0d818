// SPDX-License-Identifier: MIT
#pragma once
// Whole levels as texels: what `fetch` gives for each, many at once.

#include <cstdint>
#include <span>
#include <vector>

#include "image/surface.hpp"

namespace heddle::image {

/// The texels of one stored slice of an absolute level, level.width * level.height of them, row after row, four words
/// each. The slice must be there; a surface without a layout gives zeros.
void decode_slice(const Surface& surface, std::uint32_t level, std::uint32_t slice, std::span<std::uint32_t> words,
                  bool srgb_decode = true);

/// The entries of a buffer, four words each.
void decode_entries(const Surface& surface, std::span<std::uint32_t> words);

/// The rows of one slice one at a time. Blocks are decoded once for the rows that they share, where these are read one
/// after the other, up or down.
class RowReader {
 public:
  RowReader(const Surface& surface, std::uint32_t level, std::uint32_t slice, bool srgb_decode = true);
  /// Valid until the next call. `y` must be inside the level.
  [[nodiscard]] std::span<const Texel> row(std::uint32_t y);

 private:
  const Surface& surface_;
  std::uint32_t level_, slice_;
  bool srgb_decode_;
  std::vector<Texel> texels_;  // of the rows of one row of elements
  std::uint32_t decoded_;      // which
};

}  // namespace heddle::image
