// SPDX-License-Identifier: MIT
#pragma once
// Counts as images: a map has a pixel for each texel, and the levels and layers of the image.

#include <cstdint>
#include <functional>
#include <vector>

#include "vulkan/texels/plane_record.hpp"
#include "vulkan/texels/texel_session.hpp"

namespace heddle::vulkan {

/// A KTX2 file of R32_UINT, compressed; samples of a texel are added. Empty: it would be too large.
[[nodiscard]] std::vector<std::uint8_t> encode_map(const TexelShape& shape, const Counters& counts);

/// Sums and levels of counts, of the uses that have some. `taken` is called for each row that is not all zeros, behind
/// its sum: the use, the row's first counter, how many there are.
using RowTaken = std::function<void(std::size_t, std::uint64_t, std::uint64_t)>;
[[nodiscard]] PlaneUse summarize(const PlaneRecord& record, const TexelCounters& counts, const TexelUses& some,
                                 const RowTaken& taken = {});

/// Pictures for people (PNG): all levels of one layer side by side, each texel a pixel or more.
struct MapPictures {
  std::uint32_t layer = 0, width = 0, height = 0;
  std::vector<std::uint8_t> reads;  ///< how often shaders read it
  std::vector<std::uint8_t> fate;   ///< read, uploaded and never read, read before it was written
};
[[nodiscard]] std::vector<MapPictures> draw_pictures(const PlaneRecord& record, std::uint32_t most_layers);

}  // namespace heddle::vulkan
