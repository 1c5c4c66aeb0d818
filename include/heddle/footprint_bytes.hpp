// SPDX-License-Identifier: MIT
#pragma once
// Which cache lines and pages a set of texels occupies in the tilings of the hardware (FP-35).

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "heddle/image.hpp"

namespace heddle {

struct FootprintBytesOptions {
  std::string tile = "tile4";                        ///< one of tile_modes()
  std::uint64_t line_bytes = 64, page_bytes = 4096;  ///< powers of two, at least 4
};

/// "linear", "x", "y", "w", "tile4", "tile64", "ys", "yf".
[[nodiscard]] std::vector<std::string_view> tile_modes();

/// A stretch of the image's memory, and how many bytes of touched elements lie in it.
struct TouchedBytes {
  std::uint64_t offset = 0;  ///< from the image's first byte
  std::uint64_t bytes = 0;
};

struct FootprintBytes {
  std::uint64_t elements = 0, bytes = 0;   ///< touched elements (texels or blocks), each once
  std::uint64_t image_bytes = 0;           ///< of the whole image in this tiling
  std::vector<TouchedBytes> lines, pages;  ///< in ascending order
};

/// The image's texels stay where they are; only its sizes and format count. Ids: usage-argument, footprint-query,
/// HW-42.
Result<FootprintBytes> footprint_bytes(const Image& image, std::span<const TexelPlace> texels,
                                       const FootprintBytesOptions& options = {});

}  // namespace heddle
