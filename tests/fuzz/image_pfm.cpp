// SPDX-License-Identifier: MIT
// Any bytes as a PFM file: a surface within the limits, or a message.

#include "image_file.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return heddle::fuzz::read_image(data, size, heddle::image::FileKind::Pfm);
}
