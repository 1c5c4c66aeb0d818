// SPDX-License-Identifier: MIT
// WebP through libwebp: one picture, eight bits a channel, read only.

#include <webp/decode.h>

#include "image/files/photo/photo.hpp"

namespace heddle::image {

base::Result<Surface> decode_webp(Bytes bytes, const std::string& name, const LoadOptions& options,
                                  const base::Limits& limits) {
  WebPBitstreamFeatures features;
  if (WebPGetFeatures(bytes.data(), bytes.size(), &features) != VP8_STATUS_OK)
    return broken(FileKind::Webp, "unknown header", name);
  if (features.has_animation != 0) return broken(FileKind::Webp, "it is an animation, not one picture", name);
  auto surface = rgba8_surface(static_cast<std::uint32_t>(features.width), static_cast<std::uint32_t>(features.height),
                               name, 0, options, limits);
  if (!surface.ok()) return surface;
  const std::size_t row = static_cast<std::size_t>(features.width) * 4;
  Memory& memory = *surface->memory;
  if (WebPDecodeRGBAInto(bytes.data(), bytes.size(), memory.data(), memory.size(), static_cast<int>(row)) == nullptr)
    return broken(FileKind::Webp, "the data ends or is damaged", name);
  return surface;
}

}  // namespace heddle::image
