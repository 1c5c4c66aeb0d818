// SPDX-License-Identifier: MIT
#pragma once
// What the readers of photographs and plain pictures share: BMP, TGA, JPEG and WebP hold colors of up to eight bits a
// channel and become R8G8B8A8_UNORM.

#include "image/files/codec.hpp"

namespace heddle::image {

/// "this BMP file cannot be read: WHY", at a byte. Ids: jpeg-data, bmp-data, tga-data, webp-data, hdr-data.
[[nodiscard]] base::Diagnostic broken(FileKind kind, std::string_view why, const std::string& name,
                                      std::uint64_t at = 0);
/// The same id as a note of a file that was read.
void say_of(base::Diagnostics* notes, FileKind kind, std::string message, const std::string& name, std::uint64_t at);
/// A file that was read although something in it is wrong.
void warn_of(base::Diagnostics* notes, FileKind kind, std::string message, const std::string& name, std::uint64_t at);

/// An allocated R8G8B8A8_UNORM surface, sRGB where the options ask for it; `at`: where the sizes stand in the file.
[[nodiscard]] base::Result<Surface> rgba8_surface(std::uint32_t width, std::uint32_t height, const std::string& name,
                                                  std::uint64_t at, const LoadOptions& options,
                                                  const base::Limits& limits);

/// The code of `top` steps that is nearest to `value` of `bits` bits (1 to 32), each code standing for a number from 0
/// to 1 (NUM-50, IMF-1).
[[nodiscard]] constexpr std::uint32_t widened(std::uint64_t value, unsigned bits, std::uint32_t top) {
  const std::uint64_t most = (std::uint64_t{1} << bits) - 1;
  return static_cast<std::uint32_t>((value * top + most / 2) / most);
}

/// Four bytes of a texel.
struct Rgba8 {
  std::uint8_t r = 0, g = 0, b = 0, a = 255;
};

/// The texels of a surface of rgba8_surface, row by row.
[[nodiscard]] inline std::uint8_t* texel_at(Surface& surface, std::uint32_t x, std::uint32_t y) {
  return surface.memory->data() + (std::size_t{y} * surface.width + x) * 4;
}
inline void put_texel(std::uint8_t* to, Rgba8 texel) {
  to[0] = texel.r;
  to[1] = texel.g;
  to[2] = texel.b;
  to[3] = texel.a;
}

}  // namespace heddle::image
