// SPDX-License-Identifier: MIT
// Windows and OS/2 bitmaps: indices, bit fields, run lengths, rows from the bottom up or from the top down.

#include <algorithm>
#include <cstring>

#include "image/files/photo/bmp_header.hpp"
#include "image/files/photo/photo.hpp"
#include "image/formats/codecs.hpp"

namespace heddle::image {
namespace {

constexpr std::uint32_t kByte = 255, kWord = 65535;

class Decoder {
 public:
  Decoder(Bytes bytes, const std::string& name, const BmpHeader& header, Surface& surface, base::Diagnostics* notes)
      : bytes_(bytes), name_(name), header_(header), surface_(surface), notes_(notes) {}

  base::Result<base::Done> run() {
    if (header_.texels == BmpTexels::Runs) {
      if (const auto read = read_runs(); !read.ok()) return read.failure();
    } else if (header_.texels == BmpTexels::Indices) {
      read_indices();
    } else {
      read_fields();
    }
    if (outside_ != 0)
      warn_of(notes_, FileKind::Bmp,
              fmt::format("{} texels have an index of no color (the palette has {}): they are black", outside_,
                          header_.palette.size()),
              name_, header_.texels_at);
    return base::Done{};
  }

 private:
  base::Diagnostic fail(std::string_view why, std::uint64_t at) const { return broken(FileKind::Bmp, why, name_, at); }
  std::uint32_t row_of(std::uint32_t line) const { return header_.top_down ? line : header_.height - 1 - line; }

  /// IMF-2: an index behind the palette is black.
  Rgba8 color(std::uint32_t index) {
    if (index < header_.palette.size()) {
      const auto& [r, g, b] = header_.palette[index];
      return {r, g, b, 255};
    }
    ++outside_;
    return {0, 0, 0, 255};
  }

  void read_indices() {
    const unsigned bits = header_.bits, in_byte = 8 / bits;
    for (std::uint32_t line = 0; line < header_.height; ++line) {
      const std::uint8_t* from = bytes_.data() + header_.texels_at + line * header_.row_bytes();
      std::uint8_t* to = texel_at(surface_, 0, row_of(line));
      for (std::uint32_t x = 0; x < header_.width; ++x, to += 4) {
        const unsigned shift = 8 - bits - x % in_byte * bits;  // the first texel stands in the highest bits
        put_texel(to, color(from[x / in_byte] >> shift & ((1u << bits) - 1)));
      }
    }
  }

  void read_fields() {
    const bool wide = surface_.format == Format::R16G16B16A16_UNORM;
    const unsigned bytes = header_.bits / 8;
    const std::uint32_t top = wide ? kWord : kByte;
    std::uint8_t unused_and = 0xff, unused_or = 0;
    for (std::uint32_t line = 0; line < header_.height; ++line) {
      const std::uint8_t* from = bytes_.data() + header_.texels_at + line * header_.row_bytes();
      std::uint8_t* to = surface_.memory->data() + std::size_t{row_of(line)} * header_.width * (wide ? 8 : 4);
      for (std::uint32_t x = 0; x < header_.width; ++x, from += bytes) {
        const std::uint64_t element = load_little(from, bytes);
        for (unsigned c = 0; c < 4; ++c) {
          const BitField field = header_.channels[c];
          const std::uint64_t code = element >> field.start & ((std::uint64_t{1} << field.count) - 1);
          const std::uint32_t value = field.count != 0 ? widened(code, field.count, top) : c == 3 ? top : 0;
          *to++ = static_cast<std::uint8_t>(value);
          if (wide) *to++ = static_cast<std::uint8_t>(value >> 8);
        }
        if (header_.unused_byte) {
          unused_and &= from[3];
          unused_or |= from[3];
        }
      }
    }
    if (header_.unused_byte && unused_and != unused_or)
      say_of(notes_, FileKind::Bmp, "the fourth byte of its texels differs, but no mask calls it alpha: it is not read",
             name_, header_.texels_at);
  }

  base::Result<base::Done> read_runs() {
    const unsigned bits = header_.bits, unit = bits == 24 ? 3 : 1;  // bytes of a run's value
    const bool nibbles = bits == 4;
    fill();
    std::uint64_t named = 0, beyond = 0;
    std::size_t at = header_.texels_at;
    std::uint32_t x = 0, line = 0;
    const auto value = [&](std::size_t from, unsigned i) {
      if (unit == 3) return Rgba8{bytes_[from + 2], bytes_[from + 1], bytes_[from], 255};
      return color(!nibbles ? bytes_[from] : i % 2 == 0 ? bytes_[from] >> 4 : bytes_[from] & 15);
    };
    for (;;) {
      if (bytes_.size() < at || bytes_.size() - at < 2) {
        if (line + 1 > header_.height || (line + 1 == header_.height && x == header_.width)) break;
        return fail("the file ends before its runs do", bytes_.size());
      }
      const std::size_t run_at = at;
      const std::uint8_t count = bytes_[at], escape = bytes_[at + 1];
      const bool literal = count == 0 && escape > 2;
      if (count == 0 && escape == 1) break;
      if (count == 0 && escape == 0) {
        x = 0;
        ++line;
        at += 2;
        continue;
      }
      if (count == 0 && escape == 2) {
        if (bytes_.size() - at < 4) return fail("the file ends before its runs do", bytes_.size());
        x += bytes_[at + 2];
        line += bytes_[at + 3];
        at += 4;
        if (x > header_.width || line > header_.height) return fail("a move leaves the picture", run_at);
        continue;
      }
      const unsigned texels = literal ? escape : count;
      const std::size_t values_at = at + (literal ? 2 : 1);
      const std::size_t values = literal ? (nibbles ? (texels + 1u) / 2 : std::size_t{texels} * unit) : unit;
      if (bytes_.size() - values_at < values) return fail("the file ends before its runs do", bytes_.size());
      // IMF-3: what reaches beyond its row is cut off.
      const unsigned inside = line < header_.height ? std::min(texels, header_.width - x) : 0;
      std::uint8_t* to = inside != 0 ? texel_at(surface_, x, row_of(line)) : nullptr;
      for (unsigned i = 0; i < inside; ++i, to += 4)
        put_texel(to, value(values_at + (literal ? (nibbles ? i / 2 : std::size_t{i} * unit) : 0), i));
      x += inside;
      named += inside;
      beyond += texels - inside;
      at = values_at + values + (literal ? values % 2 : 0);  // literals end at an even byte
    }
    const std::uint64_t all = std::uint64_t{header_.width} * header_.height;
    if (named != all)
      say_of(notes_, FileKind::Bmp,
             fmt::format("its runs leave out {} texels of {}: they have the first color", all - named, all), name_,
             header_.texels_at);
    if (beyond != 0)
      say_of(notes_, FileKind::Bmp,
             fmt::format("{} texels of its runs lie beyond the ends of rows: they are cut off", beyond), name_,
             header_.texels_at);
    return base::Done{};
  }

  /// IMF-3: texels that no run names have the first color of the palette.
  void fill() {
    const Rgba8 first = header_.bits == 24 ? Rgba8{} : color(0);
    outside_ = 0;
    for (std::uint32_t y = 0; y < header_.height; ++y)
      for (std::uint32_t x = 0; x < header_.width; ++x) put_texel(texel_at(surface_, x, y), first);
  }

  Bytes bytes_;
  const std::string& name_;
  const BmpHeader& header_;
  Surface& surface_;
  base::Diagnostics* notes_;
  std::uint64_t outside_ = 0;
};

}  // namespace

base::Result<Surface> decode_bmp(Bytes bytes, const std::string& name, const LoadOptions& options,
                                 const base::Limits& limits, base::Diagnostics* notes) {
  const auto header = read_bmp_header(bytes, name, notes);
  if (!header.ok()) return header.failure();
  if (header->texels != BmpTexels::Runs) {
    const std::uint64_t needed = std::uint64_t{header->row_bytes()} * header->height;
    const std::uint64_t there = bytes.size() - std::min(bytes.size(), header->texels_at);
    // The padding of the last row may be missing.
    const std::uint64_t padding = header->row_bytes() - (std::uint64_t{header->width} * header->bits + 7) / 8;
    if (there < needed - padding)
      return broken(FileKind::Bmp,
                    fmt::format("its {} x {} texels need {} bytes, {} follow byte {}", header->width, header->height,
                                needed, there, header->texels_at),
                    name, header->sizes_at);
  }
  const bool wide = header->texels == BmpTexels::Fields &&
                    std::ranges::any_of(header->channels, [](BitField field) { return field.count > 8; });
  auto surface = rgba8_surface(header->width, header->height, name, header->sizes_at, options, limits);
  if (wide) {
    Surface words;
    words.width = header->width;
    words.height = header->height;
    words.format = Format::R16G16B16A16_UNORM;
    surface = allocate_for_file(std::move(words), name, header->sizes_at, limits);
  }
  if (!surface.ok()) return surface;
  const auto done = Decoder(bytes, name, *header, *surface, notes).run();
  if (!done.ok()) return done.failure();
  return surface;
}

}  // namespace heddle::image
