#pragma once
// decode_texel for many texels at once.

#include <cstdint>

#include "image/format.hpp"

namespace heddle::image {

/// Decodes `rows` (1 to block_height) rows of `width` texels of a row of elements that lie one after the other; the
/// last one need not be full. Four words a texel, row after row, each what decode_texel gives.
void decode_rows(const FormatInfo& format, const std::uint8_t* elements, std::uint32_t width, std::uint32_t rows,
                 bool srgb_decode, std::uint32_t* words);

}  // namespace heddle::image
