// JPEG, BMP and TGA through stb_image, WebP through libwebp: eight bits a channel, read only.
// The readers are given sizes only after they were checked, and stb_image reads zeros behind the end of a file, so what
// must be there is counted first.
#include <webp/decode.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "base/byte_cursor.hpp"
#include "image/files/codec.hpp"

#define STB_IMAGE_STATIC
#define STB_IMAGE_IMPLEMENTATION
#define STBI_ONLY_JPEG
#define STBI_ONLY_BMP
#define STBI_ONLY_TGA
#define STBI_NO_STDIO
#define STBI_NO_LINEAR
#define STBI_NO_HDR
#define STBI_MAX_DIMENSIONS 65535
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-function"
#include <stb/stb_image.h>
#pragma GCC diagnostic pop

namespace heddle::image {
namespace {

constexpr std::uint32_t kMostSize = 16384;

std::uint32_t little(Bytes bytes, std::size_t at, unsigned count) {
  std::uint32_t value = 0;
  for (unsigned i = 0; i < count && at + i < bytes.size(); ++i) value |= std::uint32_t{bytes[at + i]} << 8 * i;
  return value;
}

/// Bytes of the pixels that a BMP needs behind its header; 0 where they are compressed.
std::uint64_t bmp_bytes(Bytes bytes) {
  const std::uint32_t header = little(bytes, 14, 4);
  const bool old = header == 12;
  const auto width = old ? little(bytes, 18, 2) : little(bytes, 18, 4);
  const auto height = static_cast<std::int32_t>(old ? little(bytes, 20, 2) : little(bytes, 22, 4));
  const std::uint32_t bits = little(bytes, old ? 24 : 28, 2);
  const std::uint32_t compression = old ? 0 : little(bytes, 30, 4);
  if (compression != 0 && compression != 3) return 0;
  const std::uint64_t row = (std::uint64_t{width} * bits + 31) / 32 * 4;
  const std::uint64_t rows =
      height < 0 ? static_cast<std::uint64_t>(-std::int64_t{height}) : static_cast<std::uint64_t>(height);
  return little(bytes, 10, 4) + row * rows;
}

/// The bytes that a TGA needs, its packets of run lengths walked through; more than there are where one is cut off.
std::uint64_t tga_bytes(Bytes bytes) {
  const std::uint64_t texels = std::uint64_t{little(bytes, 12, 2)} * little(bytes, 14, 2);
  const std::uint64_t one = (little(bytes, 16, 1) + 7) / 8;
  const std::uint64_t map =
      little(bytes, 1, 1) == 0 ? 0 : std::uint64_t{little(bytes, 5, 2)} * ((little(bytes, 7, 1) + 7) / 8);
  std::uint64_t at = 18 + little(bytes, 0, 1) + map;
  if (little(bytes, 2, 1) < 8) return at + texels * one;
  for (std::uint64_t done = 0; done < texels && at < bytes.size();) {
    const std::uint8_t packet = bytes[static_cast<std::size_t>(at)];
    const std::uint64_t count = (packet & 0x7fu) + 1u;
    at += 1 + ((packet & 0x80u) != 0 ? one : one * count);
    done += count;
    if (done >= texels) return at;
  }
  return std::max<std::uint64_t>(at, bytes.size() + 1);
}

std::string_view word_of(FileKind kind) {
  return kind == FileKind::Jpeg ? "jpeg" : kind == FileKind::Bmp ? "bmp" : kind == FileKind::Tga ? "tga" : "webp";
}

base::Diagnostic broken(FileKind kind, const std::string& why, const std::string& name) {
  return at_byte(fmt::format("{}-data", word_of(kind)),
                 fmt::format("this {} file cannot be read: {}", name_of(kind), why), name, 0);
}

/// Empty, or what is missing.
std::string too_short(Bytes bytes, FileKind kind) {
  std::uint64_t needed = 0;
  if (kind == FileKind::Bmp) needed = bmp_bytes(bytes);
  if (kind == FileKind::Tga) needed = tga_bytes(bytes);
  if (bytes.size() < needed) return fmt::format("it has {} bytes, its header promises {}", bytes.size(), needed);
  if (kind == FileKind::Jpeg && base::as_text(bytes).rfind("\xff\xd9") == std::string_view::npos)
    return "it ends before the picture does";
  return {};
}

base::Result<Surface> surface_of(std::uint32_t width, std::uint32_t height, const std::string& name,
                                 const LoadOptions& options, const base::Limits& limits) {
  Surface surface;
  surface.width = width;
  surface.height = height;
  surface.format = options.srgb ? Format::R8G8B8A8_UNORM_SRGB : Format::R8G8B8A8_UNORM;
  return allocate_for_file(std::move(surface), name, 0, limits);
}

}  // namespace

base::Result<Surface> decode_photo(Bytes bytes, FileKind kind, const std::string& name, const LoadOptions& options,
                                   const base::Limits& limits) {
  int width = 0, height = 0, channels = 0;
  const auto length = static_cast<int>(std::min<std::size_t>(bytes.size(), INT32_MAX));
  if (stbi_info_from_memory(bytes.data(), length, &width, &height, &channels) == 0)
    return broken(kind, stbi_failure_reason() == nullptr ? "unknown header" : stbi_failure_reason(), name);
  if (width <= 0 || height <= 0 || std::max(width, height) > static_cast<int>(kMostSize))
    return broken(kind, fmt::format("{} x {} texels; 1 to {} each way are read", width, height, kMostSize), name);
  if (const std::string why = too_short(bytes, kind); !why.empty()) return broken(kind, why, name);
  auto surface =
      surface_of(static_cast<std::uint32_t>(width), static_cast<std::uint32_t>(height), name, options, limits);
  if (!surface.ok()) return surface;
  const std::unique_ptr<stbi_uc, decltype(&std::free)> texels(
      stbi_load_from_memory(bytes.data(), length, &width, &height, &channels, 4), &std::free);
  if (!texels) return broken(kind, stbi_failure_reason() == nullptr ? "bad data" : stbi_failure_reason(), name);
  if (static_cast<std::uint32_t>(width) != surface->width || static_cast<std::uint32_t>(height) != surface->height)
    return broken(kind, "its size changes while it is read", name);
  put_slice(*surface, 0, 0,
            Bytes(texels.get(), static_cast<std::size_t>(width) * static_cast<std::size_t>(height) * 4));
  return surface;
}

base::Result<Surface> decode_webp(Bytes bytes, const std::string& name, const LoadOptions& options,
                                  const base::Limits& limits) {
  WebPBitstreamFeatures features;
  if (WebPGetFeatures(bytes.data(), bytes.size(), &features) != VP8_STATUS_OK)
    return broken(FileKind::Webp, "unknown header", name);
  if (features.has_animation != 0) return broken(FileKind::Webp, "it is an animation, not one picture", name);
  auto surface = surface_of(static_cast<std::uint32_t>(features.width), static_cast<std::uint32_t>(features.height),
                            name, options, limits);
  if (!surface.ok()) return surface;
  const std::size_t row = static_cast<std::size_t>(features.width) * 4;
  std::vector<std::uint8_t> texels(row * static_cast<std::size_t>(features.height));
  if (WebPDecodeRGBAInto(bytes.data(), bytes.size(), texels.data(), texels.size(), static_cast<int>(row)) == nullptr)
    return broken(FileKind::Webp, "the data ends or is damaged", name);
  put_slice(*surface, 0, 0, texels);
  return surface;
}

}  // namespace heddle::image
