// OpenEXR through its library, after a look at the headers of our own: window, channels, tiles and the chunk table must fit the file and
// the limits before the library sees them.

#include <ImfChannelList.h>
#include <ImfCompression.h>
#include <ImfFrameBuffer.h>
#include <ImfHeader.h>
#include <ImfIO.h>
#include <ImfInputPart.h>
#include <ImfMultiPartInputFile.h>
#include <ImfOutputFile.h>
#include <ImfPartType.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <exception>

#include "base/byte_cursor.hpp"
#include "base/half.hpp"
#include "image/files/codec.hpp"

namespace heddle::image {
namespace {

class MemoryInput : public Imf::IStream {
 public:
  MemoryInput(Bytes bytes, const std::string& name) : IStream(name.c_str()), bytes_(bytes) {}
  bool read(char to[], int count) override {
    if (count < 0 || bytes_.size() - position_ < static_cast<std::size_t>(count)) throw std::length_error("the file ends too early");
    std::memcpy(to, bytes_.data() + position_, static_cast<std::size_t>(count));
    position_ += static_cast<std::size_t>(count);
    furthest_ = std::max(furthest_, position_);
    return position_ < bytes_.size();
  }
  std::uint64_t tellg() override { return position_; }
  void seekg(std::uint64_t position) override {
    if (position > bytes_.size()) throw std::length_error("a chunk lies outside the file");
    position_ = static_cast<std::size_t>(position);
  }
  [[nodiscard]] std::size_t position() const { return position_; }

 private:
  Bytes bytes_;
  std::size_t position_ = 0, furthest_ = 0;
};

class MemoryOutput : public Imf::OStream {
 public:
  MemoryOutput() : OStream("memory") {}
  void write(const char from[], int count) override {
    const auto size = static_cast<std::size_t>(count);
    if (bytes.size() < position_ + size) bytes.resize(position_ + size);
    std::memcpy(bytes.data() + position_, from, size);
    position_ += size;
  }
  std::uint64_t tellp() override { return position_; }
  void seekp(std::uint64_t position) override { position_ = static_cast<std::size_t>(position); }

  std::vector<std::uint8_t> bytes;

 private:
  std::size_t position_ = 0;
};

struct FileChannel {
  std::string name;
  std::uint32_t type = 0;  ///< 0 uint, 1 half, 2 float
  std::int32_t x_sampling = 1, y_sampling = 1;
};

/// What the first part's header says, with the bytes where it says so.
struct Window {
  std::int64_t min_x = 0, min_y = 0, width = 0, height = 0;
  std::size_t at = 0;
  std::vector<FileChannel> channels;
  std::size_t channels_at = 0;
};

constexpr std::size_t kMaxChannels = 64;
constexpr std::int64_t kMaxSide = 1 << 20;

/// A text that ends with a zero byte, at most 255 characters.
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

class HeaderCheck {
 public:
  HeaderCheck(Bytes bytes, const std::string& name) : bytes_(bytes), name_(name) {}

  base::Result<Window> run() {
    base::ByteCursor cursor(bytes_);
    cursor.u32();
    const std::uint32_t version = cursor.u32();
    if (cursor.failed() || (version & 0xff) != 2) return at_byte("exr-header", fmt::format("version {} is not 2", version & 0xff), name_, 4, 4);
    if ((version & 0x800) != 0) return at_byte("exr-format", "deep images are not supported", name_, 4, 4);
    const bool tiled = (version & 0x200) != 0, multi_part = (version & 0x1000) != 0;
    Window window;
    bool first = true;
    for (;;) {
      Part part;
      part.tiled = tiled;
      const std::size_t start = cursor.position();
      const auto empty = read_attributes(cursor, part);
      if (!empty.ok()) return empty.failure();
      if (multi_part && *empty) break;  // the list of headers ends with an empty one
      if (const auto checked = check_part(part, start); !checked.ok()) return checked.failure();
      if (first) window = part.window;
      first = false;
      if (!multi_part) break;
    }
    if (first) return at_byte("exr-header", "the file has no parts", name_, 8);
    return window;
  }

 private:
  struct Part {
    Window window;
    bool tiled = false, has_window = false, has_channels = false;
    std::uint32_t tile_width = 0, tile_height = 0, compression = 0;
  };

  /// Reads one header; true: it was empty.
  base::Result<bool> read_attributes(base::ByteCursor& cursor, Part& part) {
    bool empty = true;
    for (;;) {
      const std::size_t at = cursor.position();
      bool good = true;
      const std::string attribute = read_name(cursor, good);
      if (good && attribute.empty()) return empty;
      empty = false;
      const std::string type = read_name(cursor, good);
      const std::uint32_t size = cursor.u32();
      if (!good || cursor.failed()) return at_byte("exr-header", "broken attribute", name_, at);
      const std::size_t value_at = cursor.position();
      const Bytes value = cursor.take(size);
      if (cursor.failed())
        return at_byte("exr-header", fmt::format("attribute '{}' of {} bytes reaches beyond the end of the file", attribute, size), name_, at);
      if (auto read = read_value(part, attribute, type, value, value_at); !read.ok()) return read.failure();
    }
  }

  base::Result<base::Done> read_value(Part& part, const std::string& attribute, const std::string& type, Bytes value, std::size_t at) {
    base::ByteCursor cursor(value);
    if (attribute == "dataWindow" && type == "box2i") {
      const auto min_x = cursor.read<std::int32_t>(), min_y = cursor.read<std::int32_t>(), max_x = cursor.read<std::int32_t>(), max_y = cursor.read<std::int32_t>();
      part.window.min_x = min_x;
      part.window.min_y = min_y;
      part.window.width = std::int64_t{max_x} - min_x + 1;
      part.window.height = std::int64_t{max_y} - min_y + 1;
      part.window.at = at;
      part.has_window = !cursor.failed();
    } else if (attribute == "channels" && type == "chlist") {
      part.window.channels_at = at;
      part.has_channels = true;
      for (;;) {
        bool good = true;
        FileChannel channel;
        channel.name = read_name(cursor, good);
        if (good && channel.name.empty()) break;
        channel.type = cursor.u32();
        cursor.u32();
        channel.x_sampling = cursor.read<std::int32_t>();
        channel.y_sampling = cursor.read<std::int32_t>();
        if (!good || cursor.failed() || channel.type > 2 || part.window.channels.size() == kMaxChannels)
          return at_byte("exr-header", "broken list of channels", name_, at + cursor.position());
        part.window.channels.push_back(std::move(channel));
      }
    } else if (attribute == "tiles" && type == "tiledesc") {
      part.tile_width = cursor.u32();
      part.tile_height = cursor.u32();
      if (cursor.failed()) return at_byte("exr-header", "broken tile description", name_, at);
    } else if (attribute == "compression") {
      part.compression = cursor.u8();
    } else if (attribute == "type" && type == "string") {
      const std::string_view text = base::as_text(value);
      if (text.starts_with("deep")) return at_byte("exr-format", "deep images are not supported", name_, at);
      part.tiled = text == "tiledimage";
    } else if (type == "preview") {
      const std::uint64_t width = cursor.u32(), height = cursor.u32();
      if (cursor.failed() || width * height * 4 != value.size() - 8) return at_byte("exr-header", "the preview's size does not fit its bytes", name_, at);
    }
    return base::Done{};
  }

  base::Result<base::Done> check_part(const Part& part, std::size_t start) {
    const Window& window = part.window;
    if (!part.has_window || !part.has_channels) return at_byte("exr-header", "a header lacks dataWindow or channels", name_, start);
    if (window.width <= 0 || window.height <= 0 || window.width > kMaxSide || window.height > kMaxSide)
      return at_byte("exr-header", fmt::format("data window of {} x {} texels", window.width, window.height), name_, window.at, 16);
    for (const FileChannel& channel : window.channels)
      if (channel.x_sampling != 1 || channel.y_sampling != 1)
        return at_byte("exr-format", fmt::format("channel '{}' is subsampled, which is not supported", channel.name), name_, window.channels_at);
    std::int64_t chunks = 0;
    if (part.tiled) {
      if (part.tile_width == 0 || part.tile_height == 0 || part.tile_width > kMaxSide || part.tile_height > kMaxSide)
        return at_byte("exr-header", fmt::format("tiles of {} x {} texels", part.tile_width, part.tile_height), name_, start);
      chunks = divide_up(window.width, part.tile_width) * divide_up(window.height, part.tile_height);
    } else {
      chunks = divide_up(window.height, 256);  // no compression has more lines a chunk
    }
    // Each chunk has 8 bytes in the table and at least 8 of its own.
    if (static_cast<std::uint64_t>(chunks) * 16 > bytes_.size())
      return at_byte("exr-header", fmt::format("{} x {} texels need {} chunks: more than the file can hold", window.width, window.height, chunks), name_, window.at, 16);
    const std::uint64_t tile_bytes = std::uint64_t{part.tile_width} * part.tile_height * window.channels.size() * 4;
    if (part.tiled && tile_bytes > kMaxTileBytes) return at_byte("exr-header", fmt::format("tiles of {} bytes", tile_bytes), name_, start);
    return base::Done{};
  }

  static constexpr std::uint64_t kMaxTileBytes = std::uint64_t{1} << 28;
  Bytes bytes_;
  const std::string& name_;
};

/// The surface's channels: which file channel feeds each (empty: a constant).
struct Mapping {
  std::vector<std::string> sources;
  Format format = Format::R32_FLOAT;
};

base::Result<Mapping> map_channels(const Window& window, const std::string& name) {
  std::vector<std::string> names;
  std::array<bool, 3> types{};
  for (const FileChannel& channel : window.channels) {
    names.push_back(channel.name);
    types[channel.type] = true;
  }
  const auto has = [&](const char* channel) { return std::ranges::find(names, channel) != names.end(); };
  if (types[0] && (types[1] || types[2])) return at_byte("exr-format", "uint channels together with half or float ones are not supported", name, window.channels_at);
  Mapping mapping;
  const bool extra = std::ranges::any_of(names, [](const std::string& n) { return n != "R" && n != "G" && n != "B" && n != "A"; });
  if (has("R") || has("G") || has("B")) {
    if (has("B") || has("A") || (has("G") && !has("R"))) mapping.sources = {"R", "G", "B", "A"};
    else if (has("G")) mapping.sources = {"R", "G"};
    else mapping.sources = {"R"};
  } else if (has("Y") && (names.size() == 1 || (names.size() == 2 && has("A")))) {
    mapping.sources = names.size() == 1 ? std::vector<std::string>{"Y"} : std::vector<std::string>{"Y", "Y", "Y", "A"};
  } else if (names.size() == 1) {
    mapping.sources = {names[0]};
  } else {
    auto diagnostic = at_byte("exr-format", fmt::format("no way to make a texel of the {} channels", names.size()), name, window.channels_at);
    for (const std::string& n : names) diagnostic.note(fmt::format("channel '{}'", n));
    return diagnostic;
  }
  (void)extra;
  for (std::string& source : mapping.sources)
    if (!has(source.c_str())) source.clear();
  const std::size_t count = mapping.sources.size();
  if (types[0]) mapping.format = count == 1 ? Format::R32_UINT : count == 2 ? Format::R32G32_UINT : Format::R32G32B32A32_UINT;
  else if (types[2]) mapping.format = count == 1 ? Format::R32_FLOAT : count == 2 ? Format::R32G32_FLOAT : Format::R32G32B32A32_FLOAT;
  else mapping.format = count == 1 ? Format::R16_FLOAT : count == 2 ? Format::R16G16_FLOAT : Format::R16G16B16A16_FLOAT;
  return mapping;
}

Imf::PixelType pixel_type(const FormatInfo& format) {
  if (format.value_class == ValueClass::Uint) return Imf::UINT;
  return format.channels[0].bits == 16 ? Imf::HALF : Imf::FLOAT;
}

}  // namespace

base::Result<Surface> decode_exr(Bytes bytes, const std::string& name, const base::Limits& limits) {
  const auto window = HeaderCheck(bytes, name).run();
  if (!window.ok()) return window.failure();
  const auto mapping = map_channels(*window, name);
  if (!mapping.ok()) return mapping.failure();
  Surface surface;
  surface.width = static_cast<std::uint32_t>(window->width);
  surface.height = static_cast<std::uint32_t>(window->height);
  surface.format = mapping->format;
  auto allocated = allocate_for_file(std::move(surface), name, window->at, limits);
  if (!allocated.ok()) return allocated;

  MemoryInput input(bytes, name);
  try {
    Imf::MultiPartInputFile file(input, 0, false);
    Imf::InputPart part(file, 0);
    const Imath::Box2i& box = part.header().dataWindow();
    if (box.min.x != window->min_x || box.min.y != window->min_y || std::int64_t{box.max.x} - box.min.x + 1 != window->width ||
        std::int64_t{box.max.y} - box.min.y + 1 != window->height)
      return at_byte("exr-header", "two data windows", name, window->at, 16);
    const FormatInfo& format = allocated->info();
    const Imf::PixelType type = pixel_type(format);
    const std::size_t channel_bytes = type == Imf::HALF ? 2 : 4, texel_bytes = format.bytes_per_element();
    const std::size_t row_bytes = texel_bytes * static_cast<std::size_t>(window->width);
    char* memory = reinterpret_cast<char*>(allocated->memory->data());
    Imf::FrameBuffer frame;
    // A channel that feeds several (grey with alpha) is read once and copied.
    for (std::size_t i = 0; i < mapping->sources.size(); ++i) {
      const std::string& source = mapping->sources[i];
      const bool again = std::find(mapping->sources.begin(), mapping->sources.begin() + static_cast<std::ptrdiff_t>(i), source) !=
                         mapping->sources.begin() + static_cast<std::ptrdiff_t>(i);
      if (source.empty() || again) continue;
      // Imf::Slice::Make moves the base so that the window's corner is the first texel.
      frame.insert(source, Imf::Slice::Make(type, memory + i * channel_bytes, box, texel_bytes, row_bytes));
    }
    part.setFrameBuffer(frame);
    part.readPixels(box.min.y, box.max.y);
    for (std::size_t i = 0; i < mapping->sources.size(); ++i) {
      const std::string& source = mapping->sources[i];
      const auto first = static_cast<std::size_t>(std::ranges::find(mapping->sources, source) - mapping->sources.begin());
      const bool constant = source.empty() && i == 3;
      if (!constant && (source.empty() || first == i)) continue;
      const std::uint32_t one = type == Imf::HALF ? 0x3c00u : type == Imf::FLOAT ? 0x3f800000u : 1u;
      for (std::size_t t = 0; t < std::size_t{allocated->width} * allocated->height; ++t)
        std::memcpy(memory + t * texel_bytes + i * channel_bytes,
                    constant ? reinterpret_cast<const char*>(&one) : memory + t * texel_bytes + first * channel_bytes, channel_bytes);
    }
  } catch (const std::exception& problem) {
    return at_byte("exr-data", fmt::format("broken OpenEXR: {}", problem.what()), name, input.position());
  } catch (...) {
    return at_byte("exr-data", "broken OpenEXR", name, input.position());
  }
  return allocated;
}

base::Result<std::vector<std::uint8_t>> encode_exr(const Surface& surface, const SaveOptions& options, base::Diagnostics* notes) {
  const auto picture = choose_picture(surface, FileKind::Exr, options, notes);
  if (!picture.ok()) return picture.failure();
  const FormatInfo& format = surface.info();
  std::vector<std::pair<const char*, unsigned>> channels;  // name, channel of the texel
  switch (picture_channels(format)) {
    case Channels::Grey: channels = {{format.has_channel('L') || format.has_channel('I') ? "Y" : "R", 0}}; break;
    case Channels::GreyAlpha: channels = {{"Y", 0}, {"A", 3}}; break;
    case Channels::Rg: channels = {{"R", 0}, {"G", 1}}; break;
    case Channels::Rgb: channels = {{"R", 0}, {"G", 1}, {"B", 2}}; break;
    case Channels::Rgba: channels = {{"R", 0}, {"G", 1}, {"B", 2}, {"A", 3}}; break;
  }
  // Halves hold every value of the 16-bit, 11-bit, 10-bit and shared-exponent floats.
  const Channel& first = format.channels[0];
  const bool halves = (first.type == ChannelType::Float && first.bits == 16) || first.type == ChannelType::UnsignedFloat;
  const Imf::PixelType type = format.value_class == ValueClass::Uint ? Imf::UINT : halves ? Imf::HALF : Imf::FLOAT;
  const std::size_t channel_bytes = type == Imf::HALF ? 2 : 4, texel_bytes = channel_bytes * channels.size();
  MemoryOutput output;
  try {
    Imf::Header header(static_cast<int>(picture->width), static_cast<int>(picture->height));
    header.compression() = Imf::ZIP_COMPRESSION;
    for (const auto& [name, from] : channels) header.channels().insert(name, Imf::Channel(type));
    std::vector<char> pixels(texel_bytes * picture->width);
    std::vector<Texel> row;
    Imf::OutputFile file(output, header, 0);
    for (std::uint32_t y = 0; y < picture->height; ++y) {
      read_row(surface, options, y, true, row);
      char* to = pixels.data();
      for (const Texel& texel : row)
        for (const auto& [name, from] : channels) {
          std::uint32_t word = texel.bits[from];
          if (type == Imf::HALF) word = base::float_to_half(texel.f(static_cast<int>(from)));
          if (format.value_class == ValueClass::Sint) word = base::bits_of(static_cast<float>(static_cast<std::int32_t>(word)));
          std::memcpy(to, &word, channel_bytes);
          to += channel_bytes;
        }
      Imf::FrameBuffer frame;
      const Imath::Box2i line(Imath::V2i(0, static_cast<int>(y)), Imath::V2i(static_cast<int>(picture->width) - 1, static_cast<int>(y)));
      for (std::size_t i = 0; i < channels.size(); ++i)
        frame.insert(channels[i].first, Imf::Slice::Make(type, pixels.data() + i * channel_bytes, line, texel_bytes, pixels.size()));
      file.setFrameBuffer(frame);
      file.writePixels(1);
    }
  } catch (const std::exception& problem) {
    return base::error("exr-format", fmt::format("{}: OpenEXR can't be written: {}", surface.name, problem.what()));
  }
  return std::move(output.bytes);
}

}  // namespace heddle::image
