// SPDX-License-Identifier: MIT
#include "image/files/exr/exr_header.hpp"

#include <algorithm>

#include "base/byte_cursor.hpp"

namespace heddle::image {
namespace {

constexpr std::uint32_t kTiledFlag = 0x200, kMultiPartFlag = 0x1000;
constexpr std::size_t kMaxChannels = 64, kMaxParts = 1024;
constexpr std::int32_t kMaxSampling = 16;
constexpr std::int64_t kMaxSide = 1 << 20, kUsualTile = 1024;
constexpr std::uint64_t kMaxChunkBytes = std::uint64_t{1} << 28;  // of one chunk, decompressed

/// The attributes that the library needs, with the one size that each may have (0: any).
struct Known {
  std::string_view name, type;
  std::uint32_t size;
};
constexpr Known kKnown[] = {{"channels", "chlist", 0},
                            {"chromaticities", "chromaticities", 32},
                            {"compression", "compression", 1},
                            {"dataWindow", "box2i", 16},
                            {"displayWindow", "box2i", 16},
                            {"lineOrder", "lineOrder", 1},
                            {"pixelAspectRatio", "float", 4},
                            {"screenWindowCenter", "v2f", 8},
                            {"screenWindowWidth", "float", 4},
                            {"tiles", "tiledesc", 9},
                            {"type", "string", 0},
                            {"name", "string", 0},
                            {"chunkCount", "int", 4},
                            {"version", "int", 4},  // of deep data
                            {"maxSamplesPerPixel", "int", 4}};

std::string read_name(base::ByteCursor& cursor, bool& good) {
  std::string text;
  while (text.size() < 256) {
    const std::uint8_t c = cursor.u8();
    if (cursor.failed()) break;
    if (c == 0) return text;
    text.push_back(static_cast<char>(c));
  }
  good = false;
  return text;
}

std::int64_t divide_up(std::int64_t value, std::int64_t by) { return (value + by - 1) / by; }

/// Scan lines of a chunk, by compression; unknown ones count as the largest.
std::int64_t lines_of_chunk(std::uint32_t compression) {
  constexpr std::uint16_t lines[] = {1, 1, 1, 16, 32, 16, 32, 32, 32, 256};
  return compression < std::size(lines) ? lines[compression] : 256;
}

class Reader {
 public:
  Reader(Bytes bytes, const std::string& name) : bytes_(bytes), name_(name), cursor_(bytes, 4) {}

  base::Result<ExrHeader> run() {
    const std::uint32_t version = cursor_.u32();
    if (cursor_.failed() || (version & 0xff) != 2)
      return fail("exr-header", fmt::format("version {} is not 2", version & 0xff), 4);
    multi_part_ = (version & kMultiPartFlag) != 0;
    copy(0, 8);
    for (std::size_t parts = 0;; ++parts) {
      Part part;
      part.tiled = (version & kTiledFlag) != 0;
      const std::size_t start = cursor_.position();
      const auto empty = read_attributes(part);
      if (!empty.ok()) return empty.failure();
      if (*empty) {
        if (multi_part_ && parts > 0) break;  // an empty header ends the list
        return fail("exr-header", "the file has no parts", start);
      }
      if (const auto checked = check(part, start); !checked.ok()) return checked.failure();
      part.header.tiled = part.tiled;
      if (parts == 0) {
        part.header.head.swap(header_.head);
        header_ = std::move(part.header);
      }
      header_.parts = parts + 1;
      if (!multi_part_) break;
      if (parts == kMaxParts) return fail("exr-header", "too many parts", start);
    }
    return std::move(header_);
  }

 private:
  struct Part {
    ExrHeader header;
    std::vector<std::string_view> seen;
    bool tiled = false;
    std::uint32_t tile_width = 0, tile_height = 0, compression = 0;
    std::int64_t chunk_count = -1;
  };

  base::Diagnostic fail(const char* id, std::string message, std::uint64_t at) const {
    return at_byte(id, std::move(message), name_, at);
  }
  void copy(std::size_t from, std::size_t to) {
    header_.head.insert(header_.head.end(), bytes_.begin() + static_cast<std::ptrdiff_t>(from),
                        bytes_.begin() + static_cast<std::ptrdiff_t>(to));
  }

  /// Reads one header up to its end mark; true: it was empty.
  base::Result<bool> read_attributes(Part& part) {
    std::size_t dropped = 0;
    bool empty = true;
    for (;; empty = false) {
      const std::size_t at = cursor_.position();
      bool good = true;
      const std::string attribute = read_name(cursor_, good);
      if (good && attribute.empty()) break;
      const std::string type = read_name(cursor_, good);
      const std::uint32_t size = cursor_.u32();
      if (!good || type.empty() || cursor_.failed()) return fail("exr-header", "broken attribute", at);
      const std::size_t value_at = cursor_.position();
      const Bytes value = cursor_.take(size);
      if (cursor_.failed())
        return fail("exr-header",
                    fmt::format("attribute '{}' of {} bytes reaches beyond the end of the file", attribute, size), at);
      const auto* known = std::ranges::find(kKnown, std::string_view(attribute), &Known::name);
      if (known == std::end(kKnown)) {
        dropped += cursor_.position() - at;
        continue;
      }
      if (type != known->type || (known->size != 0 && known->size != size) ||
          std::ranges::find(part.seen, known->name) != part.seen.end())
        return fail("exr-header",
                    fmt::format("attribute '{}' is of type '{}' with {} bytes, or there twice", attribute, type, size),
                    at);
      part.seen.push_back(known->name);
      if (const auto read = read_value(part, known->name, value, value_at); !read.ok()) return read.failure();
      copy(at, cursor_.position());
    }
    if (dropped != 0) {  // at least "n", "t" and a size: 8 bytes
      base::ByteWriter blob;
      blob.bytes(std::string_view("-\0-\0", 4));
      blob.u32(dropped - 8);
      for (std::size_t i = 8; i < dropped; ++i) blob.u8(0);
      header_.head.insert(header_.head.end(), blob.data().begin(), blob.data().end());
    }
    header_.head.push_back(0);
    return empty;
  }

  base::Result<base::Done> read_value(Part& part, std::string_view attribute, Bytes value, std::size_t at) {
    base::ByteCursor cursor(value);
    if (attribute == "dataWindow" || attribute == "displayWindow") {
      const auto min_x = cursor.read<std::int32_t>(), min_y = cursor.read<std::int32_t>(),
                 max_x = cursor.read<std::int32_t>(), max_y = cursor.read<std::int32_t>();
      const std::int64_t width = std::int64_t{max_x} - min_x + 1, height = std::int64_t{max_y} - min_y + 1;
      if (attribute == "displayWindow") return base::Done{};
      if (width <= 0 || height <= 0 || width > kMaxSide || height > kMaxSide)
        return fail("exr-header", fmt::format("data window of {} x {} texels", width, height), at);
      part.header.min_x = min_x;
      part.header.min_y = min_y;
      part.header.width = width;
      part.header.height = height;
      part.header.window_at = at;
    } else if (attribute == "channels") {
      return read_channels(part, cursor, at);
    } else if (attribute == "tiles") {
      part.tile_width = cursor.u32();
      part.tile_height = cursor.u32();
      part.header.has_levels = (cursor.u8() & 0xf) != 0;  // level mode; the upper half is the rounding
    } else if (attribute == "compression") {
      part.compression = cursor.u8();
    } else if (attribute == "chunkCount") {
      part.chunk_count = cursor.read<std::int32_t>();
      if (part.chunk_count <= 0 || static_cast<std::uint64_t>(part.chunk_count) * 8 > bytes_.size())
        return fail("exr-header", fmt::format("{} chunks do not fit in the file", part.chunk_count), at);
    } else if (attribute == "type") {
      const std::string_view text = base::as_text(value);
      part.header.deep = text.starts_with("deep");
      part.tiled = text == "tiledimage" || text == "deeptile";
    }
    return base::Done{};
  }

  base::Result<base::Done> read_channels(Part& part, base::ByteCursor& cursor, std::size_t at) {
    part.header.channels_at = at;
    for (;;) {
      bool good = true;
      ExrChannel channel;
      channel.name = read_name(cursor, good);
      if (good && channel.name.empty()) break;
      channel.type = cursor.u32();
      cursor.u32();
      channel.x_sampling = cursor.read<std::int32_t>();
      channel.y_sampling = cursor.read<std::int32_t>();
      if (!good || cursor.failed() || channel.type > 2 || part.header.channels.size() == kMaxChannels)
        return fail("exr-header", "broken list of channels", at + cursor.position());
      if (std::min(channel.x_sampling, channel.y_sampling) < 1 ||
          std::max(channel.x_sampling, channel.y_sampling) > kMaxSampling)
        return fail("exr-format",
                    fmt::format("channel '{}' has one sample for {} x {} texels: each number is 1 to {}", channel.name,
                                channel.x_sampling, channel.y_sampling, kMaxSampling),
                    at);
      part.header.channels.push_back(std::move(channel));
    }
    if (!cursor.at_end() || part.header.channels.empty())
      return fail("exr-header", "broken list of channels", at + cursor.position());
    return base::Done{};
  }

  base::Result<base::Done> check(const Part& part, std::size_t start) {
    const ExrHeader& header = part.header;
    if (header.width == 0 || header.channels.empty())
      return fail("exr-header", "a header lacks dataWindow or channels", start);
    for (const ExrChannel& channel : header.channels) {
      const bool whole = channel.x_sampling == 1 && channel.y_sampling == 1;
      if (!whole && part.tiled)
        return fail("exr-header", fmt::format("channel '{}' of a tiled image is subsampled", channel.name),
                    header.channels_at);
      if (header.min_x % channel.x_sampling != 0 || header.width % channel.x_sampling != 0 ||
          header.min_y % channel.y_sampling != 0 || header.height % channel.y_sampling != 0)
        return fail("exr-header",
                    fmt::format("the samples of channel '{}' ({} x {} texels) do not fit the data window", channel.name,
                                channel.x_sampling, channel.y_sampling),
                    header.channels_at);
    }
    std::int64_t chunks = 0, chunk_width = header.width, chunk_lines = lines_of_chunk(part.compression);
    if (part.tiled) {
      const std::int64_t tile_width = part.tile_width, tile_height = part.tile_height;
      if (tile_width == 0 || tile_height == 0 || tile_width > std::max(kUsualTile, 2 * header.width) ||
          tile_height > std::max(kUsualTile, 2 * header.height))
        return fail("exr-header", fmt::format("tiles of {} x {} texels", tile_width, tile_height), start);
      chunks = divide_up(header.width, tile_width) * divide_up(header.height, tile_height);
      chunk_width = std::max(header.width, tile_width);  // a row of tiles is held at once
      chunk_lines = tile_height;
    } else {
      chunks = divide_up(header.height, chunk_lines);
    }
    // Each chunk has 8 bytes in the table and at least 8 of its own.
    if (static_cast<std::uint64_t>(chunks) * 16 > bytes_.size())
      return fail(
          "exr-header",
          fmt::format("{} x {} texels are {} chunks: more than the file can hold", header.width, header.height, chunks),
          header.window_at);
    const std::uint64_t chunk_bytes =
        static_cast<std::uint64_t>(chunk_width) * static_cast<std::uint64_t>(chunk_lines) * header.channels.size() * 4;
    if (chunk_bytes > kMaxChunkBytes)
      return fail("exr-format", fmt::format("chunks of {} bytes: at most {}", chunk_bytes, kMaxChunkBytes),
                  header.window_at);
    return base::Done{};
  }

  Bytes bytes_;
  const std::string& name_;
  base::ByteCursor cursor_;
  ExrHeader header_;
  bool multi_part_ = false;
};

}  // namespace

base::Result<ExrHeader> read_exr_header(Bytes bytes, const std::string& name) { return Reader(bytes, name).run(); }

}  // namespace heddle::image
