// SPDX-License-Identifier: MIT
#pragma once
// What the fuzz targets of the image files share.

#include <cstdint>
#include <cstdlib>
#include <span>

#include "image/files/files.hpp"

namespace heddle::fuzz {

/// Reads the bytes as a file of that kind, touches every level and, where it was read, writes it as KTX2 and reads that
/// again.
inline int read_image(const std::uint8_t* data, std::size_t size, image::FileKind kind) {
  const std::span<const std::uint8_t> bytes(data, size);
  if (image::kind_of_bytes(bytes) != kind) return -1;
  base::Limits limits;
  limits.surface_bytes = 4u << 20;
  const auto surface = image::decode_image(bytes, "fuzz", {}, limits);
  if (!surface.ok()) {
    if (surface.diagnostics().empty()) std::abort();
    return 0;
  }
  if (surface->memory->size() > limits.surface_bytes) std::abort();
  for (std::uint32_t level = 0; level < surface->layout.size(); ++level) (void)image::fetch(*surface, level, 0, 0, 0);
  const auto written = image::encode_image(*surface, image::FileKind::Ktx2);
  if (!written.ok()) return 0;
  const auto back = image::decode_image(*written, "again", {}, limits);
  if (!back.ok() || *back->memory != *surface->memory) std::abort();
  return 0;
}

}  // namespace heddle::fuzz
