// SPDX-License-Identifier: MIT
#pragma once
// Image files: PNG, KTX2, DDS, OpenEXR, Radiance, PFM, JPEG, BMP, TGA and WebP in; PNG, KTX2, OpenEXR and PFM out.
// Every file is treated as hostile: lengths are checked against the bytes that are there and against the limits before
// anything is allocated, and a message names the file and the byte.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/diagnostic.hpp"
#include "base/limits.hpp"
#include "base/result.hpp"
#include "image/surface.hpp"

namespace heddle::image {

enum class FileKind : std::uint8_t { Png, Ktx2, Dds, Exr, Pfm, Jpeg, Bmp, Webp, Hdr, Tga };
[[nodiscard]] std::string_view name_of(FileKind kind);                      ///< "PNG" ...
[[nodiscard]] std::optional<FileKind> kind_of_path(std::string_view path);  ///< by its extension, any case
/// Where a picture goes: "-" is standard output, which gets PNG; "-.exr" and the like choose the kind.
struct PictureFile {
  std::string path;
  FileKind kind = FileKind::Png;
};
[[nodiscard]] std::optional<PictureFile> picture_file(const std::string& path);
/// The same of a file that is to be written: refused where no kind has its name, or one that is only read (image-kind).
[[nodiscard]] base::Result<PictureFile> written_picture(const std::string& path,
                                                        const base::Place& place = base::Place{});
[[nodiscard]] std::optional<FileKind> kind_of_bytes(std::span<const std::uint8_t> bytes);  ///< by the first bytes

struct LoadOptions {
  bool srgb = false;  ///< PNG of up to 8 bits, JPEG, BMP, TGA, WebP: R8G8B8A8_UNORM_SRGB in place of R8G8B8A8_UNORM
  bool bc7 = false;   ///< KTX2 of UASTC: BC7 in place of R8G8B8A8
};

/// What comes back is allocated and named after the file. PNG: R8G8B8A8_UNORM, 16-bit ones R16G16B16A16_UNORM (gray and
/// palette expanded). EXR: one channel R, two RG, else RGBA, of half, float or uint (luminance with chroma: RGBA). PFM:
/// R32_FLOAT or R32G32B32A32_FLOAT. Radiance: R32G32B32A32_FLOAT. JPEG, BMP, TGA, WebP: R8G8B8A8_UNORM (a BMP with a
/// channel of more than 8 bits: R16G16B16A16_UNORM). KTX2, DDS: what the file says. Ids:
/// file-open, file-read, limit-input, limit-surface, image-kind, and png-*, ktx2-*, dds-*, exr-*, pfm-*, jpeg-data,
/// bmp-data, tga-data, webp-data, hdr-data. `notes`: what a reader of the texels should know (a part of the file that
/// was left out, a format that had to be chosen).
[[nodiscard]] base::Result<Surface> load_image(const std::string& path, const LoadOptions& options = {},
                                               const base::Limits& limits = {}, base::Diagnostics* notes = nullptr);
/// The same from memory; `name` stands for the file in messages.
[[nodiscard]] base::Result<Surface> decode_image(std::span<const std::uint8_t> bytes, const std::string& name,
                                                 const LoadOptions& options = {}, const base::Limits& limits = {},
                                                 base::Diagnostics* notes = nullptr);

struct SaveOptions {
  std::uint32_t level = 0, slice = 0;  ///< PNG, EXR, PFM: which picture of the surface
  bool zstd = false;                   ///< KTX2: compress the levels
};

/// The whole file in memory. KTX2 keeps the texels as they are. The others hold one decoded picture: PNG 8 bits a
/// channel, 16 where the format has UNORM, UINT or SINT channels of more than 8; EXR halves where they are exact for
/// the format, else floats (UINT formats: uint); PFM floats. What had to be clamped or left out is said in `notes`.
/// Ids: png-format, ktx2-format, exr-format, pfm-format, image-slice.
[[nodiscard]] base::Result<std::vector<std::uint8_t>> encode_image(const Surface& surface, FileKind kind,
                                                                   const SaveOptions& options = {},
                                                                   base::Diagnostics* notes = nullptr);
/// The same; what is refused names the file.
[[nodiscard]] base::Result<std::vector<std::uint8_t>> encode_image_of(const PictureFile& file, const Surface& surface,
                                                                      const SaveOptions& options = {},
                                                                      base::Diagnostics* notes = nullptr);
/// encode_image by the path's extension, then base::write_file. Ids: image-kind, file-write.
[[nodiscard]] base::Result<base::Done> save_image(const std::string& path, const Surface& surface,
                                                  const SaveOptions& options = {}, base::Diagnostics* notes = nullptr);

}  // namespace heddle::image
