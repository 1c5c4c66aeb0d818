// SPDX-License-Identifier: MIT
#include "image/files/files.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "base/byte_cursor.hpp"
#include "base/file.hpp"
#include "image/files/codec.hpp"

namespace heddle::image {
namespace {

struct Kind {
  FileKind kind;
  std::string_view name, extension, signature;
};
using namespace std::string_view_literals;
constexpr Kind kKinds[] = {{FileKind::Png, "PNG", ".png", "\x89PNG\r\n\x1a\n"sv},
                           {FileKind::Ktx2, "KTX2", ".ktx2", "\xabKTX 20\xbb\r\n\x1a\n"sv},
                           {FileKind::Dds, "DDS", ".dds", "DDS "sv},
                           {FileKind::Exr, "OpenEXR", ".exr", "\x76\x2f\x31\x01"sv},
                           {FileKind::Pfm, "PFM", ".pfm", "PF"sv},
                           {FileKind::Jpeg, "JPEG", ".jpg", "\xff\xd8\xff"sv},
                           {FileKind::Bmp, "BMP", ".bmp", "BM"sv},
                           {FileKind::Hdr, "Radiance", ".hdr", "#?"sv},
                           {FileKind::Webp, "WebP", ".webp", {}},  // told by two words
                           {FileKind::Tga, "TGA", ".tga", {}}};    // has no signature: told by its name

constexpr std::pair<std::string_view, FileKind> kOtherExtensions[] = {
    {".jpeg", FileKind::Jpeg}, {".jpe", FileKind::Jpeg}, {".dib", FileKind::Bmp}, {".rgbe", FileKind::Hdr},
    {".icb", FileKind::Tga},   {".vda", FileKind::Tga},  {".vst", FileKind::Tga}};

constexpr std::string_view kKnown = "PNG, KTX2, DDS, OpenEXR, Radiance, PFM, JPEG, BMP, WebP, TGA (by its name)";

bool ends_with_any_case(std::string_view text, std::string_view end) {
  if (text.size() < end.size()) return false;
  return std::equal(end.begin(), end.end(), text.end() - static_cast<std::ptrdiff_t>(end.size()),
                    [](char a, char b) { return a == (b >= 'A' && b <= 'Z' ? b - 'A' + 'a' : b); });
}

}  // namespace

std::string_view name_of(FileKind kind) {
  for (const Kind& row : kKinds)
    if (row.kind == kind) return row.name;
  return {};
}

std::optional<FileKind> kind_of_path(std::string_view path) {
  for (const Kind& row : kKinds)
    if (ends_with_any_case(path, row.extension)) return row.kind;
  for (const auto& [extension, kind] : kOtherExtensions)
    if (ends_with_any_case(path, extension)) return kind;
  return std::nullopt;
}

std::optional<PictureFile> picture_file(const std::string& path) {
  if (path == "-") return PictureFile{"-", FileKind::Png};
  const auto kind = kind_of_path(path);
  if (!kind) return std::nullopt;
  return PictureFile{path.starts_with("-.") ? "-" : path, *kind};
}

namespace {

base::Diagnostic not_written(FileKind kind, const base::Place& place) {
  return base::error("image-kind", fmt::format("{} files are read, not written", name_of(kind)), place)
      .note("written kinds: PNG, KTX2, OpenEXR, PFM");
}

bool is_written(FileKind kind) {
  return kind == FileKind::Png || kind == FileKind::Ktx2 || kind == FileKind::Exr || kind == FileKind::Pfm;
}

}  // namespace

base::Result<PictureFile> written_picture(const std::string& path, const base::Place& place) {
  const base::Place at = place.kind == base::Place::Kind::None ? base::Place::in_file(path) : place;
  const auto file = picture_file(path);
  if (!file)
    return base::error("image-kind", fmt::format("'{}' has no extension of an image file", path), at)
        .note("written kinds: .png, .ktx2, .exr, .pfm; - and -.png are standard output");
  if (!is_written(file->kind)) return not_written(file->kind, base::Place::in_file(path));
  return *file;
}

std::optional<FileKind> kind_of_bytes(Bytes bytes) {
  const std::string_view text = base::as_text(bytes);
  for (const Kind& row : kKinds)
    if (!row.signature.empty() && text.starts_with(row.signature)) return row.kind;
  if (text.starts_with("Pf")) return FileKind::Pfm;
  if (text.starts_with("BA") && text.substr(0, 16).ends_with("BM")) return FileKind::Bmp;  // an array of bitmaps
  if (text.starts_with("RIFF") && text.substr(0, 12).ends_with("WEBP")) return FileKind::Webp;
  if (text.size() >= 44 && text.ends_with("TRUEVISION-XFILE.\0"sv)) return FileKind::Tga;
  return std::nullopt;
}

base::Result<Surface> decode_image(Bytes bytes, const std::string& name, const LoadOptions& options,
                                   const base::Limits& limits, base::Diagnostics* notes) {
  auto kind = kind_of_bytes(bytes);
  if (!kind && bytes.size() >= 18 && kind_of_path(name) == FileKind::Tga) kind = FileKind::Tga;
  if (bytes.empty()) return at_byte("image-kind", fmt::format("'{}' is empty", name), name, 0);
  if (!kind) {
    auto diagnostic = at_byte("image-kind", fmt::format("'{}' is not an image file of a known kind", name), name, 0);
    diagnostic.note(fmt::format("known kinds: {}", kKnown));
    return diagnostic;
  }
  switch (*kind) {
    case FileKind::Png:
      return decode_png(bytes, name, options, limits, notes);
    case FileKind::Ktx2:
      return decode_ktx2(bytes, name, options, limits, notes);
    case FileKind::Dds:
      return decode_dds(bytes, name, limits, notes);
    case FileKind::Exr:
      return decode_exr(bytes, name, limits, notes);
    case FileKind::Pfm:
      return decode_pfm(bytes, name, limits);
    case FileKind::Hdr:
      return decode_hdr(bytes, name, limits, notes);
    case FileKind::Jpeg:
      return decode_jpeg(bytes, name, options, limits, notes);
    case FileKind::Bmp:
      return decode_bmp(bytes, name, options, limits, notes);
    case FileKind::Tga:
      return decode_tga(bytes, name, options, limits, notes);
    case FileKind::Webp:
      return decode_webp(bytes, name, options, limits);
  }
  return at_byte("image-kind", "unknown kind", name, 0);
}

base::Result<Surface> load_image(const std::string& path, const LoadOptions& options, const base::Limits& limits,
                                 base::Diagnostics* notes) {
  const auto bytes = base::read_file(path, limits);
  if (!bytes.ok()) return bytes.failure();
  return decode_image(*bytes, path, options, limits, notes);
}

base::Result<std::vector<std::uint8_t>> encode_image(const Surface& surface, FileKind kind, const SaveOptions& options,
                                                     base::Diagnostics* notes) {
  switch (kind) {
    case FileKind::Png:
      return encode_png(surface, options, notes);
    case FileKind::Ktx2:
      return encode_ktx2(surface, options, notes);
    case FileKind::Exr:
      return encode_exr(surface, options, notes);
    case FileKind::Pfm:
      return encode_pfm(surface, options, notes);
    case FileKind::Dds:
    case FileKind::Jpeg:
    case FileKind::Bmp:
    case FileKind::Tga:
    case FileKind::Webp:
    case FileKind::Hdr:
      break;
  }
  return not_written(kind, {});
}

base::Result<std::vector<std::uint8_t>> encode_image_of(const PictureFile& file, const Surface& surface,
                                                        const SaveOptions& options, base::Diagnostics* notes) {
  auto bytes = encode_image(surface, file.kind, options, notes);
  if (bytes.ok()) return bytes;
  std::vector<base::Diagnostic> problems = bytes.diagnostics();
  for (base::Diagnostic& d : problems)
    if (d.place.kind == base::Place::Kind::None) d.place = base::Place::in_file(file.path);
  return base::Failure(std::move(problems));
}

base::Result<base::Done> save_image(const std::string& path, const Surface& surface, const SaveOptions& options,
                                    base::Diagnostics* notes) {
  const auto file = written_picture(path);
  if (!file.ok()) return file.failure();
  const auto bytes = encode_image_of(*file, surface, options, notes);
  return bytes.ok() ? base::write_file(file->path, *bytes) : bytes.failure();
}

void put_slice(Surface& surface, std::uint32_t level, std::uint32_t slice, Bytes from) {
  const LevelLayout& at = surface.layout[level];
  std::memcpy(surface.memory->data() + surface.base + at.offset + slice * at.slice_pitch, from.data(),
              slice_bytes(surface, level));
}

base::Result<Surface> allocate_for_file(Surface surface, const std::string& name, std::uint64_t offset,
                                        const base::Limits& limits) {
  surface.name = name;
  const auto at_sizes = [&](base::Failure failure) {
    for (auto& diagnostic : failure.diagnostics) diagnostic.place = base::Place::binary(name, offset);
    return failure;
  };
  const auto allocated = allocate(surface, limits);
  if (!allocated.ok()) return at_sizes(allocated.failure());
  return surface;
}

base::Result<Picture> choose_picture(const Surface& surface, FileKind kind, const SaveOptions& options,
                                     base::Diagnostics* notes) {
  if (surface.is_buffer() || surface.type == SurfaceType::Null || surface.layout.empty())
    return base::error("image-slice",
                       fmt::format("{}: a surface without pictures can't be a {} file", surface.name, name_of(kind)));
  if (options.level >= surface.layout.size() || options.slice >= surface.layout[options.level].slices)
    return base::error("image-slice",
                       fmt::format("{}: level {} slice {} does not exist", surface.name, options.level, options.slice));
  const LevelLayout& at = surface.layout[options.level];
  if (surface.layout.size() > 1 || at.slices > 1)
    say(notes,
        base::remark("image-slice",
                     fmt::format("{}: a {} file holds one picture: level {} of {}, slice {} of {}", surface.name,
                                 name_of(kind), options.level, surface.layout.size(), options.slice, at.slices)));
  return Picture{at.width, at.height};
}

Channels picture_channels(const FormatInfo& format) {
  if (format.compression == Compression::Ycrcb422 || format.compression == Compression::Planar420) return Channels::Rgb;
  const bool alpha = format.has_channel('A');
  if (format.has_channel('L')) return alpha ? Channels::GrayAlpha : Channels::Gray;
  if (format.has_channel('I')) return Channels::Gray;
  if (alpha) return Channels::Rgba;
  if (format.has_channel('B')) return Channels::Rgb;
  if (format.has_channel('G')) return Channels::Rg;
  return Channels::Gray;
}

}  // namespace heddle::image
