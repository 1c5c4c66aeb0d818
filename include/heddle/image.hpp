// SPDX-License-Identifier: MIT
#pragma once
// Images: textures, storage images and render targets, with their texels. Files: PNG, KTX2, DDS, OpenEXR, Radiance,
// PFM, JPEG, BMP, TGA and WebP are read; PNG, KTX2, OpenEXR and PFM are written (docs/image-files.md).

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "heddle/result.hpp"

namespace heddle {

enum class ImageType : std::uint8_t { Dim1, Dim2, Dim3, Cube, Buffer };
[[nodiscard]] std::string_view to_string(ImageType type);  ///< "1d", "2d", "3d", "cube", "buffer"

/// What the numbers of a format are, seen from a program.
enum class NumberClass : std::uint8_t { Float, Uint, Sint };

/// Four numbers R, G, B, A of 32 bits each.
struct Color {
  Color() = default;
  std::array<std::uint32_t, 4> words{};  ///< binary32 bits, or integers
  NumberClass number_class = NumberClass::Float;

  /// Component 0 (R) to 3 (A) as a float; integers are converted.
  float operator[](unsigned component) const {
    const std::uint32_t word = words[component];
    if (number_class == NumberClass::Uint) return static_cast<float>(word);
    if (number_class == NumberClass::Sint) return static_cast<float>(static_cast<std::int32_t>(word));
    return __builtin_bit_cast(float, word);
  }
  [[nodiscard]] std::array<float, 4> floats() const { return {(*this)[0], (*this)[1], (*this)[2], (*this)[3]}; }
  static Color of(const std::array<float, 4>& rgba);
  bool operator==(const Color&) const = default;
};

/// What a channel's bits are. Packed: they mean nothing alone (shared exponents, palette indices, unusual floats).
enum class ChannelKind : std::uint8_t { Unorm, Snorm, Uint, Sint, Float, Packed, Unused };

struct FormatChannel {
  char name = 0;  ///< R G B A, L luminance, I intensity, P palette index, E shared exponent
  ChannelKind kind = ChannelKind::Unused;
  unsigned bits = 0, start = 0;  ///< of the little-endian element; of block formats: of the decoded channel, and 0
};

struct FormatDescription {
  std::string_view name;       ///< Intel's
  unsigned element_bytes = 0;  ///< of a texel, or of a block
  unsigned block_width = 1, block_height = 1;
  NumberClass number_class = NumberClass::Float;
  bool srgb = false;
  bool readable = false, writable = false;      ///< texel by texel, by Image::texel and Image::set_texel
  bool sampleable = false, renderable = false;  ///< by some platform
  std::vector<FormatChannel> channels;
};
/// Intel's names of all formats. Everything that takes a format by its name takes Vulkan's names and GLSL's words
/// (rgba8, r32f, rgb10_a2ui ...) too.
[[nodiscard]] std::vector<std::string_view> format_names();
/// By Intel's or Vulkan's name, in any case; nothing for other words.
[[nodiscard]] std::optional<FormatDescription> describe_format(std::string_view name);

struct ImageOptions {
  ImageType type = ImageType::Dim2;
  /// Intel's name ("R8G8B8A8_UNORM") or Vulkan's ("VK_FORMAT_R8G8B8A8_UNORM", "r8g8b8a8_srgb"), in any case.
  std::string format = "R8G8B8A8_UNORM";
  std::uint32_t width = 1, height = 1, depth = 1;  ///< texels of level 0, from 1; Buffer: `width` elements
  std::uint32_t layers = 1;                        ///< array layers; cubes: number of cubes
  bool array = false;                              ///< an array, also where it has one layer
  std::uint32_t levels = 1;                        ///< levels stored, at most 1 + log2 of the largest size
  std::uint32_t samples = 1;                       ///< 1, 2, 4, 8 or 16
};

enum class ImageFile : std::uint8_t { Png, Ktx2, Dds, Exr, Pfm };
/// By the extension of a path, in any case.
[[nodiscard]] std::optional<ImageFile> image_file_kind(std::string_view path);

struct LoadOptions {
  bool srgb = false;             ///< PNG of up to 8 bits a channel: sRGB in place of linear
  bool mips = false;             ///< make all levels from level 0 (a box filter in linear light)
  bool bc7 = false;              ///< KTX2 of UASTC: BC7 blocks in place of RGBA8
  Diagnostics* notes = nullptr;  ///< gets warnings: a damaged checksum, a part of the file that was passed over
};

struct SaveOptions {
  std::uint32_t level = 0, slice = 0;  ///< PNG, EXR, PFM: which picture of the image
  bool zstd = false;                   ///< KTX2: compress the levels
  Diagnostics* notes = nullptr;        ///< gets what had to be clamped or left out
};

/// Where the texels of one level lie in memory. Elements are texels, or blocks of a block format.
struct LevelMemory {
  std::uint8_t* first = nullptr;                    ///< valid as long as a copy of the image lives
  std::uint32_t slices = 0, rows = 0, columns = 0;  ///< elements
  std::size_t slice_pitch = 0, row_pitch = 0;       ///< bytes
  std::size_t element_bytes = 0;
};

/// Which part of an image a view shows, and how.
struct ViewOptions {
  std::string format;                         ///< another one of elements of that size; empty: the image's
  std::uint32_t first_level = 0, levels = 0;  ///< 0 levels: all that follow
  std::uint32_t first_layer = 0, layers = 0;  ///< 0 layers: all that follow; of cubes: cubes
  std::string swizzle;                        ///< as with_swizzle takes it; empty: the image's
};

/// A place in an image: texel (x, y) of a level. `slice`: z of 3D images, else the layer; faces of a cube count as six
/// layers, samples of a multisampled image as `samples` slices a layer.
struct TexelPlace {
  std::uint32_t x = 0, y = 0, slice = 0, level = 0;
};

/// A handle: copies name the same texels, `copy()` makes others. A default-constructed one is empty; functions that are
/// given an empty image fail with id usage-argument. Different threads may read one image; writing needs care of the
/// caller's own.
class Image {
 public:
  Image() = default;
  /// Texels are 0. Ids: usage-argument (format), limit-surface, and those of the rules that the sizes break ("SUR-8").
  static Result<Image> create(const ImageOptions& options, const Limits& limits = {});
  /// An image over bytes that the caller keeps: packed() order, exactly that many. `owner` is released with the last
  /// image that names them. Ids: as create, and usage-argument (another number of bytes).
  static Result<Image> wrap(const ImageOptions& options, std::span<std::uint8_t> bytes, std::shared_ptr<void> owner,
                            const Limits& limits = {});
  /// PNG: R8G8B8A8_UNORM, or R16G16B16A16_UNORM where it has 16 bits. EXR: halves, floats or uints of one, two or four
  /// channels. Radiance: R32G32B32A32_FLOAT. JPEG, BMP, TGA, WebP: R8G8B8A8_UNORM. KTX2, DDS: what the file says; UASTC
  /// and BasisLZ are RGBA8. Ids: file-open, file-read, image-kind, limit-input, limit-surface, and png-*, ktx2-*,
  /// dds-*, exr-*, pfm-*, hdr-data, jpeg-data, bmp-data, tga-data, webp-data.
  static Result<Image> load(const std::string& path, const LoadOptions& options = {}, const Limits& limits = {});
  /// The same from the bytes of a file; `name` stands for it in messages.
  static Result<Image> decode(std::span<const std::uint8_t> bytes, const std::string& name,
                              const LoadOptions& options = {}, const Limits& limits = {});

  /// Writes the whole file or nothing. The extension (.png .ktx2 .exr .pfm) chooses the kind. Ids: image-kind,
  /// image-slice, file-write, and png-*, ktx2-*, exr-*, pfm-*.
  Result<Done> save(const std::string& path, const SaveOptions& options = {}) const;
  /// An image of its own with the same texels.
  [[nodiscard]] Image copy() const;
  /// A copy with all levels, made from level 0. Id: surface-mips (formats that cannot be filtered), limit-surface.
  Result<Image> with_mips(const Limits& limits = {}) const;

  /// Another view of the same texels: what programs and the texture unit read of them is exchanged as four letters of
  /// R G B A 0 1 say ("BGR1"). Id: usage-argument.
  Result<Image> with_swizzle(std::string_view letters) const;

  /// A view of some levels and layers, which are counted from 0 again, by another format or swizzle. It names the same
  /// texels. Id: usage-argument.
  Result<Image> view(const ViewOptions& options) const;
  /// Nothing for an empty image, a level that is not there, tiled and planar layouts, and several samples stored apart.
  [[nodiscard]] std::optional<LevelMemory> level_memory(std::uint32_t level = 0) const;
  /// All texels of a level as texel() gives them: four words each, row after row, slice after slice; `words` has room
  /// for just these. Id: usage-argument.
  Result<Done> decode_level(std::uint32_t level, std::span<std::uint32_t> words) const;

  [[nodiscard]] bool empty() const { return impl_ == nullptr; }
  // The following are 0 or empty for an empty image.
  [[nodiscard]] ImageType type() const;
  [[nodiscard]] std::string_view format() const;  ///< Intel's name
  [[nodiscard]] NumberClass number_class() const;
  [[nodiscard]] std::uint32_t width(std::uint32_t level = 0) const;
  [[nodiscard]] std::uint32_t height(std::uint32_t level = 0) const;
  [[nodiscard]] std::uint32_t depth(std::uint32_t level = 0) const;
  [[nodiscard]] std::uint32_t layers() const;  ///< array layers; cubes: number of cubes
  [[nodiscard]] bool is_array() const;         ///< also where it has one layer
  [[nodiscard]] std::uint32_t levels() const;
  [[nodiscard]] std::uint32_t samples() const;
  [[nodiscard]] std::uint32_t slices(std::uint32_t level = 0) const;  ///< as TexelPlace::slice counts them

  /// One texel, decoded (sRGB to linear). Zeros outside the image.
  [[nodiscard]] Color texel(const TexelPlace& at) const;
  /// Encodes and stores one texel; false outside the image and for formats that are not written texel by texel
  /// (compressed ones).
  bool set_texel(const TexelPlace& at, const Color& color);
  bool set_texel(const TexelPlace& at, const std::array<float, 4>& rgba) { return set_texel(at, Color::of(rgba)); }

  /// The texels tightly packed: level after level, slice after slice, row after row.
  [[nodiscard]] std::vector<std::uint8_t> packed() const;
  /// Replaces all texels by bytes in that order. Id: usage-argument (another number of bytes than packed() has).
  Result<Done> set_packed(std::span<const std::uint8_t> bytes);

  struct Impl;  ///< of the library
  explicit Image(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}
  [[nodiscard]] Impl* impl() const { return impl_.get(); }

 private:
  std::shared_ptr<Impl> impl_;
};

}  // namespace heddle
