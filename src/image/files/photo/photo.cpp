// SPDX-License-Identifier: MIT
#include "image/files/photo/photo.hpp"

namespace heddle::image {
namespace {

std::string id_of(FileKind kind) {
  switch (kind) {
    case FileKind::Jpeg:
      return "jpeg-data";
    case FileKind::Bmp:
      return "bmp-data";
    case FileKind::Tga:
      return "tga-data";
    case FileKind::Hdr:
      return "hdr-data";
    default:
      return "webp-data";
  }
}

}  // namespace

base::Diagnostic broken(FileKind kind, std::string_view why, const std::string& name, std::uint64_t at) {
  return at_byte(id_of(kind), fmt::format("this {} file cannot be read: {}", name_of(kind), why), name, at);
}

void say_of(base::Diagnostics* notes, FileKind kind, std::string message, const std::string& name, std::uint64_t at) {
  say(notes, base::remark(id_of(kind), std::move(message), base::Place::binary(name, at)));
}

void warn_of(base::Diagnostics* notes, FileKind kind, std::string message, const std::string& name, std::uint64_t at) {
  say(notes, base::warning(id_of(kind), std::move(message), base::Place::binary(name, at)));
}

base::Result<Surface> rgba8_surface(std::uint32_t width, std::uint32_t height, const std::string& name,
                                    std::uint64_t at, const LoadOptions& options, const base::Limits& limits) {
  Surface surface;
  surface.width = width;
  surface.height = height;
  surface.format = options.srgb ? Format::R8G8B8A8_UNORM_SRGB : Format::R8G8B8A8_UNORM;
  return allocate_for_file(std::move(surface), name, at, limits);
}

}  // namespace heddle::image
