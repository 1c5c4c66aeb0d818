// SPDX-License-Identifier: MIT
// Any bytes as a JPEG, BMP, TGA, WebP or Radiance file: a surface within the limits, or a message. The first byte
// chooses a name, the rest tells the kind itself where it has a signature.

#include "image_file.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  heddle::base::Limits limits;
  limits.surface_bytes = 1 << 22;
  const auto image =
      heddle::image::decode_image({data + 1, size - 1}, data[0] % 2 == 0 ? "a.tga" : "a.jpg", {}, limits);
  if (image.ok() && heddle::image::packed_texels(*image).empty()) __builtin_trap();
  return 0;
}
