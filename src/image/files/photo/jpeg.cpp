// SPDX-License-Identifier: MIT
// JPEG through libjpeg-turbo: baseline, progressive and arithmetic coding, gray, YCbCr, RGB, CMYK and YCCK.

#include <csetjmp>
#include <cstddef>
#include <cstdio>

#include <jerror.h>
#include <jpeglib.h>  // needs the two above

#include <algorithm>
#include <string_view>

#include "base/byte_cursor.hpp"
#include "image/files/photo/photo.hpp"

namespace heddle::image {
namespace {

using namespace std::string_view_literals;

constexpr int kMaxScans = 1000;  // of a progressive file; each is a pass over the whole picture

/// The library's state and what it says. Its errors leave by longjmp: no function between setjmp and the library has
/// anything to destroy.
struct Library {
  jpeg_decompress_struct info{};
  jpeg_error_mgr errors{};
  jpeg_progress_mgr progress{};
  std::jmp_buf escape{};
  char failure[JMSG_LENGTH_MAX] = {};  ///< the text of the error
  char warning[JMSG_LENGTH_MAX] = {};  ///< of the first warning
  bool file_ended = false;             ///< the library made an end mark up
  bool texels_missing = false;         ///< and needed data behind it
  std::uint8_t* row = nullptr;

  Library() = default;
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;
  ~Library() { jpeg_destroy_decompress(&info); }
};

Library& library_of(j_common_ptr info) { return *static_cast<Library*>(info->client_data); }

[[noreturn]] void leave(j_common_ptr info) {
  Library& library = library_of(info);
  info->err->format_message(info, library.failure);
  std::longjmp(library.escape, 1);
}

void hear(j_common_ptr info, int level) {
  if (level >= 0) return;  // a trace
  Library& library = library_of(info);
  const int code = info->err->msg_code;
  if (code == JWRN_JPEG_EOF) {
    library.file_ended = true;
    return;
  }
  if (library.file_ended) library.texels_missing = true;
  if (info->err->num_warnings++ == 0) info->err->format_message(info, library.warning);
}

void count_scans(j_common_ptr info) {
  if (!info->is_decompressor) return;
  if (reinterpret_cast<j_decompress_ptr>(info)->input_scan_number <= kMaxScans) return;
  Library& library = library_of(info);
  std::snprintf(library.failure, sizeof library.failure, "it has more than %d scans", kMaxScans);
  std::longjmp(library.escape, 1);
}

/// False: `failure` says why.
bool read_head(Library& library, Bytes bytes) {
  library.info.err = jpeg_std_error(&library.errors);
  library.info.client_data = &library;
  library.errors.error_exit = leave;
  library.errors.emit_message = hear;
  library.progress.progress_monitor = count_scans;
  if (setjmp(library.escape) != 0) return false;
  jpeg_create_decompress(&library.info);
  library.info.progress = &library.progress;
  jpeg_mem_src(&library.info, bytes.data(), bytes.size());
  jpeg_save_markers(&library.info, JPEG_APP0 + 1, 0xffff);
  jpeg_read_header(&library.info, TRUE);
  const bool inks = library.info.jpeg_color_space == JCS_CMYK || library.info.jpeg_color_space == JCS_YCCK;
  library.info.out_color_space = inks ? JCS_CMYK : JCS_EXT_RGBA;
  return true;
}

/// Four bytes a texel, rows from the top down.
bool read_texels(Library& library, std::uint8_t* texels) {
  if (setjmp(library.escape) != 0) return false;
  jpeg_start_decompress(&library.info);
  library.row = texels;
  while (library.info.output_scanline < library.info.output_height) {
    const JDIMENSION rows = jpeg_read_scanlines(&library.info, &library.row, 1);
    library.row += std::size_t{rows} * library.info.output_width * 4;
  }
  // Coefficients of which no scan came, or not every bit.
  if (library.file_ended && library.info.progressive_mode != FALSE && library.info.coef_bits != nullptr)
    for (int c = 0; c < library.info.num_components; ++c)
      for (int k = 0; k < DCTSIZE2; ++k) library.texels_missing |= library.info.coef_bits[c][k] != 0;
  // Arithmetic coding goes on with zeros where its data ends: what is missing can't be told.
  library.texels_missing |= library.file_ended && library.info.arith_code != FALSE;
  jpeg_finish_decompress(&library.info);
  return true;
}

/// IMF-9: Adobe's files hold 255 minus the ink, others the ink.
void inks_to_colors(Memory& memory, bool inverted) {
  for (std::size_t i = 0; i < memory.size(); i += 4) {
    std::uint8_t* texel = memory.data() + i;
    const auto light = [&](std::size_t c) { return std::uint32_t{inverted ? texel[c] : 255u - texel[c]}; };
    const std::uint32_t black = light(3);
    for (std::size_t c = 0; c < 3; ++c) texel[c] = static_cast<std::uint8_t>((light(c) * black + 127) / 255);
    texel[3] = 255;
  }
}

/// The orientation of a block of EXIF data, 1 (as the texels stand) where it has none.
std::uint32_t orientation_of(Bytes exif) {
  if (exif.size() < 14 || !base::as_text(exif).starts_with("Exif\0\0"sv)) return 1;
  const Bytes tiff = exif.subspan(6);
  const bool big = tiff[0] == 'M';
  const auto number = [&](std::size_t at, std::size_t bytes) {
    std::uint32_t value = 0;
    for (std::size_t i = 0; i < bytes && at + i < tiff.size(); ++i)
      value |= std::uint32_t{tiff[at + i]} << 8 * (big ? bytes - 1 - i : i);
    return value;
  };
  const std::size_t directory = number(4, 4);
  if (directory > tiff.size()) return 1;
  const std::uint32_t entries = number(directory, 2);
  for (std::size_t i = 0; i < entries; ++i) {
    const std::size_t at = directory + 2 + i * 12;
    if (at + 12 > tiff.size()) return 1;
    if (number(at, 2) == 0x112) return number(at + 8, 2);
  }
  return 1;
}

/// Of the first block of EXIF data that turns the picture; the markers are gone when it has been read.
std::uint32_t orientation_of(const jpeg_decompress_struct& info) {
  for (auto* marker = info.marker_list; marker != nullptr; marker = marker->next) {
    const std::uint32_t found = orientation_of(Bytes(marker->data, marker->data_length));
    if (found >= 2 && found <= 8) return found;
  }
  return 1;
}

/// Huffman codes need a bit for each block of 8 x 8 texels; arithmetic coding may do with less.
bool too_large(const jpeg_decompress_struct& info, std::size_t bytes) {
  const std::uint64_t blocks = (std::uint64_t{info.image_width} + 7) / 8 * ((std::uint64_t{info.image_height} + 7) / 8);
  return info.arith_code == FALSE && blocks / 8 > bytes;
}

}  // namespace

base::Result<Surface> decode_jpeg(Bytes bytes, const std::string& name, const LoadOptions& options,
                                  const base::Limits& limits, base::Diagnostics* notes) {
  Library library;
  const auto fail = [&](std::string_view why) { return broken(FileKind::Jpeg, why, name); };
  if (!read_head(library, bytes)) return fail(library.failure);
  const jpeg_decompress_struct& info = library.info;
  if (too_large(info, bytes.size()))
    return fail(
        fmt::format("{} x {} texels do not fit in {} bytes", info.image_width, info.image_height, bytes.size()));
  auto surface = rgba8_surface(info.image_width, info.image_height, name, 0, options, limits);
  if (!surface.ok()) return surface;
  const std::uint32_t orientation = orientation_of(info);
  if (!read_texels(library, surface->memory->data())) return fail(library.failure);
  if (library.texels_missing) return fail("it ends before the picture does");
  if (library.file_ended) warn_of(notes, FileKind::Jpeg, "the file ends without an end mark", name, bytes.size());
  if (library.warning[0] != '\0')
    warn_of(notes, FileKind::Jpeg, fmt::format("{}: its texels may be wrong", library.warning), name, 0);
  if (info.out_color_space == JCS_CMYK) {
    inks_to_colors(*surface->memory, info.saw_Adobe_marker != FALSE);
    say_of(notes, FileKind::Jpeg, "its colors are inks (CMYK): they are read without a color profile", name, 0);
  }
  if (orientation != 1)
    say_of(notes, FileKind::Jpeg,
           fmt::format("its EXIF orientation {} is not applied: the texels are as they stand in the file", orientation),
           name, 0);
  return surface;
}

}  // namespace heddle::image
