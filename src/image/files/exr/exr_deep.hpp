// SPDX-License-Identifier: MIT
#pragma once
// Deep OpenEXR images: any number of samples at each texel, made flat.

#include <ImfMultiPartInputFile.h>

#include "image/files/exr/exr_channels.hpp"

namespace heddle::image {

/// IMF-8: lays the samples of each texel of the first part over each other, the nearest first, into an allocated
/// surface of the mapping's format. `file_bytes` bounds what the samples may need. Throws what the library throws, and
/// std::length_error.
void flatten_deep(Imf::MultiPartInputFile& file, const ExrHeader& header, const ExrMapping& mapping,
                  std::size_t file_bytes, Surface& surface);

}  // namespace heddle::image
