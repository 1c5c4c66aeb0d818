// SPDX-License-Identifier: MIT
#pragma once
// The readers and writers behind files.hpp, one pair a kind, and what they share.

#include <fmt/format.h>

#include "image/files/files.hpp"

namespace heddle::image {

using Bytes = std::span<const std::uint8_t>;

[[nodiscard]] base::Result<Surface> decode_png(Bytes bytes, const std::string& name, const LoadOptions& options,
                                               const base::Limits& limits, base::Diagnostics* notes);
[[nodiscard]] base::Result<Surface> decode_ktx2(Bytes bytes, const std::string& name, const LoadOptions& options,
                                                const base::Limits& limits, base::Diagnostics* notes);
[[nodiscard]] base::Result<Surface> decode_dds(Bytes bytes, const std::string& name, const base::Limits& limits,
                                               base::Diagnostics* notes);
[[nodiscard]] base::Result<Surface> decode_exr(Bytes bytes, const std::string& name, const base::Limits& limits,
                                               base::Diagnostics* notes);
[[nodiscard]] base::Result<Surface> decode_pfm(Bytes bytes, const std::string& name, const base::Limits& limits);
/// Id: jpeg-data.
[[nodiscard]] base::Result<Surface> decode_jpeg(Bytes bytes, const std::string& name, const LoadOptions& options,
                                                const base::Limits& limits, base::Diagnostics* notes);
/// Id: bmp-data.
[[nodiscard]] base::Result<Surface> decode_bmp(Bytes bytes, const std::string& name, const LoadOptions& options,
                                               const base::Limits& limits, base::Diagnostics* notes);
/// Id: tga-data.
[[nodiscard]] base::Result<Surface> decode_tga(Bytes bytes, const std::string& name, const LoadOptions& options,
                                               const base::Limits& limits, base::Diagnostics* notes);
/// Radiance. Id: hdr-data.
[[nodiscard]] base::Result<Surface> decode_hdr(Bytes bytes, const std::string& name, const base::Limits& limits,
                                               base::Diagnostics* notes);
/// Id: webp-data.
[[nodiscard]] base::Result<Surface> decode_webp(Bytes bytes, const std::string& name, const LoadOptions& options,
                                                const base::Limits& limits);

[[nodiscard]] base::Result<std::vector<std::uint8_t>> encode_png(const Surface& surface, const SaveOptions& options,
                                                                 base::Diagnostics* notes);
[[nodiscard]] base::Result<std::vector<std::uint8_t>> encode_ktx2(const Surface& surface, const SaveOptions& options,
                                                                  base::Diagnostics* notes);
[[nodiscard]] base::Result<std::vector<std::uint8_t>> encode_exr(const Surface& surface, const SaveOptions& options,
                                                                 base::Diagnostics* notes);
[[nodiscard]] base::Result<std::vector<std::uint8_t>> encode_pfm(const Surface& surface, const SaveOptions& options,
                                                                 base::Diagnostics* notes);

/// A diagnostic at a byte of a file.
[[nodiscard]] inline base::Diagnostic at_byte(std::string id, std::string message, const std::string& name,
                                              std::uint64_t offset, std::uint32_t length = 0) {
  return base::error(std::move(id), std::move(message), base::Place::binary(name, offset, length));
}
inline void say(base::Diagnostics* notes, base::Diagnostic diagnostic) {
  if (notes != nullptr) notes->add(std::move(diagnostic));
}

/// Allocates a surface that a file describes; the limit is checked first and every message gets the place of the sizes
/// in the file.
[[nodiscard]] base::Result<Surface> allocate_for_file(Surface surface, const std::string& name, std::uint64_t offset,
                                                      const base::Limits& limits);

/// Copies one slice of tightly packed elements into an allocated linear surface. `from` has slice_bytes(surface, level)
/// bytes.
void put_slice(Surface& surface, std::uint32_t level, std::uint32_t slice, Bytes from);

/// One picture of a surface.
struct Picture {
  std::uint32_t width = 0, height = 0;
};
/// Checks that the picture exists; notes say what of the surface is left out. Id: image-slice.
[[nodiscard]] base::Result<Picture> choose_picture(const Surface& surface, FileKind kind, const SaveOptions& options,
                                                   base::Diagnostics* notes);

/// Which channels a one-picture file gets: Gray (R, L, I only), GrayAlpha (LA), Rgb (RG too), Rgba.
enum class Channels : std::uint8_t { Gray, GrayAlpha, Rg, Rgb, Rgba };
[[nodiscard]] Channels picture_channels(const FormatInfo& format);

}  // namespace heddle::image
