// SPDX-License-Identifier: MIT
#pragma once
// BasisLZ with ETC1S (KTX 2.0, appendices "BasisLZ Global Data" and "BasisLZ/ETC1S Bitstream"): two codebooks for the
// whole file; a slice names an entry of each for every block of 4x4 texels.

#include <string_view>

#include "image/files/ktx2/huffman.hpp"

namespace heddle::image {

/// Entries of the codebooks.
struct Etc1sBlock {
  std::uint16_t endpoint = 0, selector = 0;
};

/// The blocks of a slice, row after row. The next frame of an animation refers to them.
struct Etc1sSlice {
  std::uint32_t columns = 0, rows = 0;
  std::vector<Etc1sBlock> blocks{};
};

class BasisLz {
 public:
  /// Each reads one part of the global data and says what is wrong with it; nothing: it is good.
  [[nodiscard]] std::string_view read_endpoints(Bytes bytes, std::uint32_t count);
  [[nodiscard]] std::string_view read_selectors(Bytes bytes, std::uint32_t count);
  [[nodiscard]] std::string_view read_tables(Bytes bytes);

  /// Decodes one slice into `slice`, whose blocks are those of the frame before where this one refers to it. What is
  /// wrong; nothing: it is good.
  [[nodiscard]] std::string_view decode(Bytes bytes, bool refers_to_frame_before, Etc1sSlice& slice) const;

  using Color = std::array<std::uint8_t, 3>;
  /// The 16 texels of a block, row by row.
  [[nodiscard]] std::array<Color, 16> texels(Etc1sBlock block) const;

 private:
  friend class Etc1sSliceReader;

  struct Endpoint {
    Color color{};  // 5 bits a channel
    std::uint8_t table = 0;
  };
  using Selector = std::array<std::uint8_t, 4>;  // a byte a row, two bits a texel

  std::vector<Endpoint> endpoints_;
  std::vector<Selector> selectors_;
  HuffmanTable predictions_, endpoint_deltas_, selector_symbols_, selector_runs_;
  std::uint32_t history_size_ = 0;
};

}  // namespace heddle::image
