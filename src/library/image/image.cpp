// SPDX-License-Identifier: MIT
#include "heddle/image.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "image/files/files.hpp"
#include "image/names.hpp"
#include "library/image/impl.hpp"

namespace heddle {
namespace library {

Image make_image(image::Surface surface) {
  auto impl = std::make_shared<Image::Impl>();
  impl->surface = std::make_shared<image::Surface>(std::move(surface));
  return Image(std::move(impl));
}

Diagnostic empty_image(std::string_view what) {
  return wrong_argument(fmt::format("{} is empty; make it by Image::create or Image::load", what));
}

namespace {

image::SurfaceType surface_type(ImageType type) {
  switch (type) {
    case ImageType::Dim1:
      return image::SurfaceType::Dim1;
    case ImageType::Dim2:
      return image::SurfaceType::Dim2;
    case ImageType::Dim3:
      return image::SurfaceType::Dim3;
    case ImageType::Cube:
      return image::SurfaceType::Cube;
    case ImageType::Buffer:
      return image::SurfaceType::Buffer;
  }
  return image::SurfaceType::Dim2;
}

Result<Image> finish(base::Result<image::Surface>&& loaded, const base::Diagnostics& notes, const LoadOptions& options,
                     const Limits& limits) {
  if (options.notes != nullptr) append(*options.notes, to_public(notes));
  if (!loaded.ok()) return to_public(loaded.diagnostics());
  if (!options.mips) return make_image(std::move(*loaded));
  return map(image::with_mip_chain(*loaded, to_base(limits)), make_image);
}

/// True where the texel exists.
bool inside(const image::Surface& s, const TexelPlace& at) {
  if (s.is_buffer()) return at.y == 0 && at.slice == 0 && at.level == 0 && at.x < s.entries;
  return at.level < s.levels && at.x < s.level_width(at.level) && at.y < s.level_height(at.level) &&
         at.slice < s.stored_slices(at.level);
}

}  // namespace
}  // namespace library

using library::surface_of;

Color Color::of(const std::array<float, 4>& rgba) {
  Color color;
  for (std::size_t c = 0; c < 4; ++c) color.words[c] = __builtin_bit_cast(std::uint32_t, rgba[c]);
  return color;
}

namespace {

/// The surface that the options describe, without texels.
Result<image::Surface> surface_for(const ImageOptions& o) {
  const image::FormatInfo* format = image::find_format_word(o.format);
  if (format == nullptr) return library::unknown_format(o.format);
  image::SurfaceMembers members;
  members.type = library::surface_type(o.type);
  members.format = format->format;
  if (o.type == ImageType::Buffer) {
    members.entries = o.width;
    return image::apply(members);
  }
  members.width = o.width;
  if (o.type != ImageType::Dim1) members.height = o.height;
  if (o.type == ImageType::Dim3) members.depth = o.depth;
  const std::uint64_t layers = std::uint64_t{o.layers} * (o.type == ImageType::Cube ? 6 : 1);
  if (layers > UINT32_MAX) return library::wrong_argument(fmt::format("{} cubes are too many", o.layers));
  if (o.type != ImageType::Dim3) members.layers = static_cast<std::uint32_t>(layers);
  members.array = o.array || o.layers > 1;
  const std::uint32_t largest = std::max({o.width, members.height.value_or(1), members.depth.value_or(1)});
  if (o.levels > static_cast<std::uint32_t>(std::bit_width(largest)) && largest != 0)
    return library::wrong_argument(
        fmt::format("{} levels are too many; the last of {} has one texel", o.levels, std::bit_width(largest)));
  members.levels = o.levels;
  members.samples = o.samples;
  return image::apply(members);
}

}  // namespace

Diagnostic library::unknown_format(std::string_view name) {
  Diagnostic d = wrong_argument(fmt::format("unknown format '{}'", name));
  const std::string_view near = image::nearest_format_word(name);
  if (!near.empty()) d.notes.push_back({fmt::format("did you mean '{}'?", near), {}});
  return d;
}

Result<Image> Image::create(const ImageOptions& o, const Limits& limits) {
  auto surface = surface_for(o);
  if (!surface.ok()) return surface.diagnostics();
  const auto allocated = image::allocate(*surface, library::to_base(limits));
  if (!allocated.ok()) return library::to_public(allocated.diagnostics());
  return library::make_image(std::move(*surface));
}

Result<Image> Image::wrap(const ImageOptions& o, std::span<std::uint8_t> bytes, std::shared_ptr<void> owner,
                          const Limits& limits) {
  auto surface = surface_for(o);
  if (!surface.ok()) return surface.diagnostics();
  const auto laid = image::lay_out(*surface);
  if (!laid.ok()) return library::to_public(laid.diagnostics());
  if (surface->size_bytes() != bytes.size())
    return library::wrong_argument(
        fmt::format("{} bytes are given, the image has {} bytes of texels", bytes.size(), surface->size_bytes()));
  if (bytes.size() > limits.surface_bytes)
    return library::to_public(base::limit_error(
        "limit-surface", fmt::format("the image has {} bytes, the limit is {}", bytes.size(), limits.surface_bytes)));
  surface->memory = std::make_shared<image::Memory>(std::move(owner), bytes);
  return library::make_image(std::move(*surface));
}

Result<Image> Image::load(const std::string& path, const LoadOptions& options, const Limits& limits) {
  base::Diagnostics notes;
  auto loaded = image::load_image(path, {.srgb = options.srgb, .bc7 = options.bc7}, library::to_base(limits), &notes);
  return library::finish(std::move(loaded), notes, options, limits);
}

Result<Image> Image::decode(std::span<const std::uint8_t> bytes, const std::string& name, const LoadOptions& options,
                            const Limits& limits) {
  base::Diagnostics notes;
  auto decoded =
      image::decode_image(bytes, name, {.srgb = options.srgb, .bc7 = options.bc7}, library::to_base(limits), &notes);
  return library::finish(std::move(decoded), notes, options, limits);
}

Result<Done> Image::save(const std::string& path, const SaveOptions& options) const {
  if (empty()) return library::empty_image();
  image::SaveOptions o;
  o.level = options.level;
  o.slice = options.slice;
  o.zstd = options.zstd;
  base::Diagnostics notes;
  auto saved = image::save_image(path, surface_of(*this), o, &notes);
  if (options.notes != nullptr) library::append(*options.notes, library::to_public(notes));
  return library::done(saved);
}

Image Image::copy() const {
  if (empty()) return {};
  image::Surface surface = surface_of(*this);
  if (surface.memory) surface.memory = std::make_shared<image::Memory>(*surface.memory);
  return library::make_image(std::move(surface));
}

Result<Image> Image::with_mips(const Limits& limits) const {
  if (empty()) return library::empty_image();
  return library::map(image::with_mip_chain(surface_of(*this), library::to_base(limits)), library::make_image);
}

Result<Image> Image::with_swizzle(std::string_view letters) const {
  if (empty()) return library::empty_image();
  const auto swizzle = image::find_swizzle(letters);
  if (!swizzle) return library::wrong_argument(fmt::format("'{}' is not four letters of R G B A 0 1", letters));
  image::Surface surface = surface_of(*this);
  surface.swizzle = *swizzle;
  return library::make_image(std::move(surface));
}

std::optional<ImageFile> image_file_kind(std::string_view path) {
  const auto kind = image::kind_of_path(path);
  return kind && *kind <= image::FileKind::Pfm ? std::optional(static_cast<ImageFile>(*kind)) : std::nullopt;
}

std::string_view to_string(ImageType type) { return image::name_of(library::surface_type(type)); }

ImageType Image::type() const {
  if (empty()) return ImageType::Dim2;
  switch (surface_of(*this).type) {
    case image::SurfaceType::Dim1:
      return ImageType::Dim1;
    case image::SurfaceType::Dim3:
      return ImageType::Dim3;
    case image::SurfaceType::Cube:
      return ImageType::Cube;
    case image::SurfaceType::Buffer:
    case image::SurfaceType::StrBuf:
    case image::SurfaceType::Scratch:
      return ImageType::Buffer;
    case image::SurfaceType::Dim2:
    case image::SurfaceType::Null:
      break;
  }
  return ImageType::Dim2;
}

std::string_view Image::format() const { return empty() ? std::string_view() : surface_of(*this).info().name; }
NumberClass Image::number_class() const {
  return empty() ? NumberClass::Float : static_cast<NumberClass>(surface_of(*this).info().value_class);
}
std::uint32_t Image::width(std::uint32_t level) const {
  if (empty()) return 0;
  const image::Surface& s = surface_of(*this);
  return s.is_buffer() ? static_cast<std::uint32_t>(s.entries) : level < s.levels ? s.level_width(level) : 0;
}
std::uint32_t Image::height(std::uint32_t level) const {
  return empty() || level >= surface_of(*this).levels ? 0 : surface_of(*this).level_height(level);
}
std::uint32_t Image::depth(std::uint32_t level) const {
  return empty() || level >= surface_of(*this).levels ? 0 : surface_of(*this).level_depth(level);
}
std::uint32_t Image::layers() const {
  if (empty()) return 0;
  const image::Surface& s = surface_of(*this);
  return s.type == image::SurfaceType::Cube ? s.layers / 6 : s.layers;
}
bool Image::is_array() const { return !empty() && surface_of(*this).array; }
std::uint32_t Image::levels() const { return empty() ? 0 : surface_of(*this).levels; }
std::uint32_t Image::slices(std::uint32_t level) const {
  if (empty()) return 0;
  const image::Surface& s = surface_of(*this);
  return s.is_buffer() ? 1 : level < s.levels ? s.stored_slices(level) : 0;
}
std::uint32_t Image::samples() const { return empty() ? 0 : surface_of(*this).samples; }

Color Image::texel(const TexelPlace& at) const {
  Color color;
  color.number_class = number_class();
  if (empty() || !library::inside(surface_of(*this), at)) return color;
  const image::Surface& s = surface_of(*this);
  color.words = s.is_buffer() ? image::fetch_entry(s, at.x).texel.bits
                              : image::fetch(s, at.level, at.slice, at.x, at.y).texel.bits;
  return color;
}

bool Image::set_texel(const TexelPlace& at, const Color& color) {
  if (empty() || !library::inside(surface_of(*this), at)) return false;
  image::Surface& s = surface_of(*this);
  if (!image::encodable(s.info())) return false;
  image::Texel texel;
  texel.bits = color.words;
  if (number_class() != color.number_class)
    for (unsigned c = 0; c < 4; ++c) {
      const float value = color[c];
      if (number_class() == NumberClass::Float)
        texel.set(static_cast<int>(c), value);
      else if (number_class() == NumberClass::Uint)
        texel.bits[c] = value >= 4294967296.0f ? UINT32_MAX : value > 0 ? static_cast<std::uint32_t>(value) : 0;
      else
        texel.bits[c] = static_cast<std::uint32_t>(value >= 2147483648.0f    ? INT32_MAX
                                                   : value > -2147483648.0f  ? static_cast<std::int32_t>(value)
                                                   : value <= -2147483648.0f ? INT32_MIN
                                                                             : 0);
    }
  return s.is_buffer() ? image::store_entry(s, at.x, texel) : image::store(s, at.level, at.slice, at.x, at.y, texel);
}

}  // namespace heddle
