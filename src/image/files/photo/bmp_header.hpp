// SPDX-License-Identifier: MIT
#pragma once
// The headers of a BMP file: OS/2's of 12 and of 16 to 64 bytes, Windows's of 40 bytes and more.

#include <array>

#include "image/files/packed_format.hpp"

namespace heddle::image {

enum class BmpTexels : std::uint8_t { Indices, Fields, Runs };

struct BmpHeader {
  std::uint32_t width = 0, height = 0;
  bool top_down = false;
  unsigned bits = 0;                                 ///< of a texel: 1, 2, 4, 8, 16, 24, 32
  BmpTexels texels{};                                ///< Runs: RLE4, RLE8, RLE24 by `bits`
  std::array<BitField, 4> channels{};                ///< Fields: R, G, B, A; absent alpha is 1
  bool unused_byte = false;                          ///< 32 bits without masks: the highest byte is not read (IMF-5)
  std::vector<std::array<std::uint8_t, 3>> palette;  ///< R, G, B; as many entries as the file has, 2^bits at most
  std::size_t sizes_at = 0, texels_at = 0;           ///< bytes of the file

  [[nodiscard]] std::size_t row_bytes() const { return (std::size_t{width} * bits + 31) / 32 * 4; }
};

/// Id: bmp-data.
[[nodiscard]] base::Result<BmpHeader> read_bmp_header(Bytes bytes, const std::string& name, base::Diagnostics* notes);

}  // namespace heddle::image
