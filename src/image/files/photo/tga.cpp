// SPDX-License-Identifier: MIT
// Truevision TGA: color-mapped, true-color and gray, plain or in packets, from any corner.

#include <algorithm>
#include <cstring>

#include "base/byte_cursor.hpp"
#include "image/files/photo/photo.hpp"
#include "image/formats/codecs.hpp"

namespace heddle::image {
namespace {

using namespace std::string_view_literals;

constexpr std::size_t kHeader = 18, kFooter = 26, kExtension = 495, kAttributesType = 494;

/// What the attribute bits of a texel are by the file's extension area.
enum class Attributes : std::uint8_t { None, Ignored, Retained, Alpha, Premultiplied, Unsaid };

struct Header {
  unsigned id_bytes = 0, map_type = 0, type = 0, first = 0, count = 0, map_bits = 0;
  std::uint32_t width = 0, height = 0;
  unsigned bits = 0, descriptor = 0;

  [[nodiscard]] bool mapped() const { return (type & 7) == 1; }
  [[nodiscard]] bool gray() const { return (type & 7) == 3; }
  [[nodiscard]] bool packets() const { return type >= 8; }
  [[nodiscard]] unsigned attribute_bits() const { return descriptor & 15; }
  [[nodiscard]] unsigned bytes() const { return (bits + 7) / 8; }
  [[nodiscard]] unsigned map_entry() const { return (map_bits + 7) / 8; }
};

Header read_header(Bytes bytes) {
  base::ByteCursor cursor(bytes);
  Header header;
  header.id_bytes = cursor.u8();
  header.map_type = cursor.u8();
  header.type = cursor.u8();
  header.first = cursor.u16();
  header.count = cursor.u16();
  header.map_bits = cursor.u8();
  cursor.u32();  // where the picture stands on a screen
  header.width = cursor.u16();
  header.height = cursor.u16();
  header.bits = cursor.u8();
  header.descriptor = cursor.u8();
  return header;
}

/// Empty, or why this is no picture that can be read, and at which byte.
std::string what_is_wrong(const Header& header, std::uint64_t& at) {
  const auto one_of = [](unsigned bits, std::initializer_list<unsigned> known) {
    return std::ranges::find(known, bits) != known.end();
  };
  at = 2;
  if (header.type == 0) return "it has no picture (type 0)";
  if (header.type == 32 || header.type == 33)
    return fmt::format("its texels are compressed by Huffman's code (type {})", header.type);
  if ((header.type & 7) == 0 || (header.type & 7) > 3 || header.type > 11)
    return fmt::format("type {} is none of 1, 2, 3, 9, 10, 11", header.type);
  at = 1;
  if (header.map_type > 1) return fmt::format("color maps of type {} are not defined", header.map_type);
  if (header.mapped() && header.map_type == 0) return "its texels are indices, but it has no color map";
  at = 7;
  if (header.mapped() && !one_of(header.map_bits, {15, 16, 24, 32}))
    return fmt::format("a color map of {} bits a color is not one of 15, 16, 24, 32", header.map_bits);
  at = 16;
  const bool known = header.mapped() ? one_of(header.bits, {8, 15, 16})
                     : header.gray() ? one_of(header.bits, {8, 16})
                                     : one_of(header.bits, {15, 16, 24, 32});
  if (!known) return fmt::format("{} bits a texel do not go with type {}", header.bits, header.type);
  at = 12;
  if (header.width == 0 || header.height == 0) return fmt::format("it has {} x {} texels", header.width, header.height);
  at = 17;
  if (header.descriptor >> 6 == 3) return "its rows are interleaved in a way that is not defined";
  return {};
}

Attributes attributes_of(Bytes bytes) {
  if (bytes.size() < kHeader + kFooter || !base::as_text(bytes).ends_with("TRUEVISION-XFILE.\0"sv))
    return Attributes::Unsaid;
  base::ByteCursor cursor(bytes, bytes.size() - kFooter);
  const std::size_t at = cursor.u32();
  if (at == 0 || at > bytes.size() || bytes.size() - at < kExtension) return Attributes::Unsaid;
  if (base::ByteCursor(bytes, at).u16() < kExtension || bytes[at + kAttributesType] > 4) return Attributes::Unsaid;
  return static_cast<Attributes>(bytes[at + kAttributesType]);
}

class Decoder {
 public:
  Decoder(Bytes bytes, const std::string& name, const Header& header, base::Diagnostics* notes)
      : bytes_(bytes), name_(name), header_(header), notes_(notes), attributes_(attributes_of(bytes)) {}

  /// Of the texels' first byte.
  std::uint64_t texels_at() const {
    const std::uint64_t map = header_.map_type == 0 ? 0 : std::uint64_t{header_.count} * header_.map_entry();
    return kHeader + header_.id_bytes + map;
  }

  /// Empty, or why the file is too short for its texels, before anything is allocated.
  std::string too_short() const {
    const std::uint64_t texels = std::uint64_t{header_.width} * header_.height, at = texels_at();
    const std::uint64_t there = bytes_.size() > at ? bytes_.size() - at : 0;
    constexpr std::uint64_t most_of_packet = 128;
    const std::uint64_t packets = (texels + most_of_packet - 1) / most_of_packet;
    const std::uint64_t needed = header_.packets() ? packets * (1 + header_.bytes()) : texels * header_.bytes();
    if (there >= needed) return {};
    return fmt::format("its {} x {} texels need {}{} bytes, {} follow byte {}", header_.width, header_.height,
                       header_.packets() ? "at least " : "", needed, there, at);
  }

  base::Result<base::Done> run(Surface& surface) {
    if (header_.mapped()) read_map();
    if (header_.packets()) {
      if (const auto read = read_packets(surface); !read.ok()) return read.failure();
    } else {
      const std::uint8_t* from = bytes_.data() + texels_at();
      const std::uint64_t texels = std::uint64_t{header_.width} * header_.height;
      for (std::uint64_t i = 0; i < texels; ++i, from += header_.bytes()) put(surface, i, texel(from));
    }
    settle_alpha(surface);
    if (outside_ != 0)
      warn_of(notes_, FileKind::Tga,
              fmt::format("{} texels have an index of no color (the map has {} colors from {} on): they are black",
                          outside_, map_.size(), header_.first),
              name_, texels_at());
    return base::Done{};
  }

 private:
  /// 5 bits a channel; the highest bit is alpha where the file has attribute bits.
  Rgba8 from_word(std::uint64_t word) const {
    const auto channel = [&](unsigned start) { return static_cast<std::uint8_t>(widened(word >> start & 31, 5, 255)); };
    const bool alpha = header_.attribute_bits() != 0 && attributes_ != Attributes::Ignored;
    return {channel(10), channel(5), channel(0), static_cast<std::uint8_t>(alpha && word >> 15 == 0 ? 0 : 255)};
  }

  Rgba8 from_bytes(const std::uint8_t* from, unsigned bytes) {
    if (bytes == 2) return from_word(load_little(from, 2));
    const std::uint8_t alpha = bytes == 4 ? from[3] : 255;
    if (bytes == 4) see_alpha(alpha);
    return {from[2], from[1], from[0], alpha};
  }

  void see_alpha(std::uint8_t alpha) {
    has_alpha_ = true;
    alpha_bits_ |= alpha;
  }

  void read_map() {
    const std::uint8_t* from = bytes_.data() + kHeader + header_.id_bytes;
    for (unsigned i = 0; i < header_.count; ++i, from += header_.map_entry())
      map_.push_back(from_bytes(from, header_.map_entry()));
  }

  Rgba8 texel(const std::uint8_t* from) {
    if (header_.mapped()) {
      const std::uint64_t index = load_little(from, header_.bytes());
      if (index >= header_.first && index - header_.first < map_.size()) return map_[index - header_.first];
      ++outside_;  // IMF-2
      return {0, 0, 0, 255};
    }
    if (!header_.gray()) return from_bytes(from, header_.bytes());
    const std::uint8_t alpha = header_.bits == 16 ? from[1] : 255;
    if (header_.bits == 16) see_alpha(alpha);
    return {from[0], from[0], from[0], alpha};
  }

  /// The i-th texel of the file: rows from the bottom up and from the left, unless the descriptor says otherwise.
  void put(Surface& surface, std::uint64_t i, Rgba8 texel) const {
    const auto column = static_cast<std::uint32_t>(i % header_.width);
    std::uint32_t row = static_cast<std::uint32_t>(i / header_.width);
    if (const unsigned ways = 1u << (header_.descriptor >> 6); ways != 1) row = interleaved_row(row, ways);
    const bool right_to_left = (header_.descriptor & 0x10) != 0, top_down = (header_.descriptor & 0x20) != 0;
    put_texel(texel_at(surface, right_to_left ? header_.width - 1 - column : column,
                       top_down ? row : header_.height - 1 - row),
              texel);
  }

  /// First every `ways`-th row from row 0, then every `ways`-th from row 1 ...
  std::uint32_t interleaved_row(std::uint32_t row, unsigned ways) const {
    for (std::uint32_t first = 0; first < ways; ++first) {
      const std::uint32_t rows = (header_.height + ways - 1 - first) / ways;
      if (row < rows) return first + row * ways;
      row -= rows;
    }
    return 0;
  }

  /// Packets may go on in the next row.
  base::Result<base::Done> read_packets(Surface& surface) {
    const std::uint64_t texels = std::uint64_t{header_.width} * header_.height;
    const unsigned one = header_.bytes();
    std::size_t at = static_cast<std::size_t>(texels_at());
    for (std::uint64_t done = 0; done < texels;) {
      const std::size_t packet_at = at;
      const std::uint8_t packet = at < bytes_.size() ? bytes_[at] : 0;
      const unsigned count = (packet & 0x7fu) + 1u;
      const std::uint64_t used = std::min<std::uint64_t>(count, texels - done);
      const bool run = (packet & 0x80u) != 0;
      if (++at > bytes_.size() || bytes_.size() - at < (run ? 1 : used) * one)
        return broken(FileKind::Tga,
                      fmt::format("the file ends within its packets, {} texels of {} before", done, texels), name_,
                      packet_at);
      if (used != count)
        warn_of(notes_, FileKind::Tga,
                fmt::format("the last packet has {} texels, {} are left: the others are not read", count, used), name_,
                packet_at);
      for (std::uint64_t i = 0; i < used; ++i)
        put(surface, done + i, texel(bytes_.data() + at + (run ? 0 : static_cast<std::size_t>(i) * one)));
      at += static_cast<std::size_t>((run ? 1 : used) * one);
      done += used;
    }
    return base::Done{};
  }

  /// IMF-4: whether the fourth byte is alpha.
  void settle_alpha(Surface& surface) const {
    if (attributes_ == Attributes::Premultiplied)
      say_of(notes_, FileKind::Tga, "its colors are multiplied by alpha: they are read as they are", name_, 17);
    if (!has_alpha_) return;
    const bool promised = header_.attribute_bits() != 0;
    const bool opaque =
        attributes_ == Attributes::Ignored || (!promised && (attributes_ == Attributes::None || alpha_bits_ == 0));
    if (!opaque) {
      if (!promised)
        say_of(notes_, FileKind::Tga, "it names no attribute bits, but the byte behind each color is read as alpha",
               name_, 17);
      return;
    }
    for (std::size_t i = 3; i < surface.memory->size(); i += 4) (*surface.memory)[i] = 255;
  }

  Bytes bytes_;
  const std::string& name_;
  const Header& header_;
  base::Diagnostics* notes_;
  Attributes attributes_;
  std::vector<Rgba8> map_;
  std::uint64_t outside_ = 0;
  bool has_alpha_ = false;
  std::uint8_t alpha_bits_ = 0;  ///< of all alphas
};

}  // namespace

base::Result<Surface> decode_tga(Bytes bytes, const std::string& name, const LoadOptions& options,
                                 const base::Limits& limits, base::Diagnostics* notes) {
  if (bytes.size() < kHeader) return broken(FileKind::Tga, "it is shorter than its header", name);
  const Header header = read_header(bytes);
  std::uint64_t at = 0;
  if (const std::string why = what_is_wrong(header, at); !why.empty()) return broken(FileKind::Tga, why, name, at);
  Decoder decoder(bytes, name, header, notes);
  constexpr std::uint64_t sizes_at = 12;
  if (const std::string why = decoder.too_short(); !why.empty()) return broken(FileKind::Tga, why, name, sizes_at);
  auto surface = rgba8_surface(header.width, header.height, name, sizes_at, options, limits);
  if (!surface.ok()) return surface;
  const auto done = decoder.run(*surface);
  if (!done.ok()) return done.failure();
  return surface;
}

}  // namespace heddle::image
