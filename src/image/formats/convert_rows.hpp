// SPDX-License-Identifier: MIT
#pragma once
// Rows of raw values to the words of texels, by the conversions of conversions.hpp. Four values and four words a texel.

#include <cstddef>
#include <cstdint>

#include "image/format.hpp"

namespace heddle::image {

struct RowConversions {
  /// Elements of plain formats (codecs Plain, Unorm8 and Words).
  void (*channels)(const FormatInfo& format, const std::uint8_t* elements, std::size_t count, bool srgb,
                   std::uint32_t* words);
  /// 8-bit results; `srgb` decodes the color channels.
  void (*bytes)(const std::uint8_t* from, std::size_t texels, bool srgb, std::uint32_t* words);
  void (*halves)(const std::uint16_t* from, std::size_t texels, std::uint32_t* words);
  /// libastcenc's floats of LDR formats, 0 to 1, rounded to 8 bits and then converted as these are. NaN, its value of
  /// what is no block, becomes the specification's opaque magenta.
  void (*round_to_bytes)(std::uint32_t* words, std::size_t texels, bool srgb);
};

/// The quickest that the machine can run, and what every machine can.
[[nodiscard]] const RowConversions& row_conversions();
[[nodiscard]] const RowConversions& portable_row_conversions();

}  // namespace heddle::image
