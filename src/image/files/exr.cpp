// OpenEXR through its library, which sees the file behind a header that read_exr_header has checked and rebuilt.

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
#include <stdexcept>

#include "base/byte_cursor.hpp"
#include "base/half.hpp"
#include "image/files/codec.hpp"
#include "image/files/exr_header.hpp"

namespace heddle::image {
namespace {

class MemoryInput : public Imf::IStream {
 public:
  MemoryInput(Bytes bytes, Bytes head, const std::string& name) : IStream(name.c_str()), bytes_(bytes), head_(head) {}
  bool read(char to[], int count) override {
    if (count < 0 || bytes_.size() - position_ < static_cast<std::size_t>(count))
      throw std::length_error("the file ends too early");
    const std::size_t size = static_cast<std::size_t>(count);
    const std::size_t from_head = position_ < head_.size() ? std::min(size, head_.size() - position_) : 0;
    if (from_head != 0) std::memcpy(to, head_.data() + position_, from_head);
    if (size != from_head) std::memcpy(to + from_head, bytes_.data() + position_ + from_head, size - from_head);
    position_ += size;
    return position_ < bytes_.size();
  }
  std::uint64_t tellg() override { return position_; }
  void seekg(std::uint64_t position) override {
    if (position > bytes_.size()) throw std::length_error("a chunk lies outside the file");
    position_ = static_cast<std::size_t>(position);
  }
  [[nodiscard]] std::size_t position() const { return position_; }

 private:
  Bytes bytes_, head_;
  std::size_t position_ = 0;
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

/// The surface's channels: which file channel feeds each (empty: a constant).
struct Mapping {
  std::vector<std::string> sources;
  Format format = Format::R32_FLOAT;
};

base::Result<Mapping> map_channels(const ExrHeader& header, const std::string& name) {
  std::vector<std::string> names;
  std::array<bool, 3> types{};
  for (const ExrChannel& channel : header.channels) {
    names.push_back(channel.name);
    types[channel.type] = true;
  }
  const auto has = [&](const char* channel) { return std::ranges::find(names, channel) != names.end(); };
  if (types[0] && (types[1] || types[2]))
    return at_byte("exr-format", "uint channels together with half or float ones are not supported", name,
                   header.channels_at);
  Mapping mapping;
  if (has("R") || has("G") || has("B")) {
    if (has("B") || has("A") || (has("G") && !has("R")))
      mapping.sources = {"R", "G", "B", "A"};
    else if (has("G"))
      mapping.sources = {"R", "G"};
    else
      mapping.sources = {"R"};
  } else if (has("Y") && (names.size() == 1 || (names.size() == 2 && has("A")))) {
    mapping.sources = names.size() == 1 ? std::vector<std::string>{"Y"} : std::vector<std::string>{"Y", "Y", "Y", "A"};
  } else if (names.size() == 1) {
    mapping.sources = {names[0]};
  } else {
    auto diagnostic = at_byte("exr-format", fmt::format("no way to make a texel of the {} channels", names.size()),
                              name, header.channels_at);
    for (const std::string& n : names) diagnostic.note(fmt::format("channel '{}'", n));
    return diagnostic;
  }
  for (std::string& source : mapping.sources)
    if (!has(source.c_str())) source.clear();
  const std::size_t count = mapping.sources.size();
  if (types[0])
    mapping.format = count == 1 ? Format::R32_UINT : count == 2 ? Format::R32G32_UINT : Format::R32G32B32A32_UINT;
  else if (types[2])
    mapping.format = count == 1 ? Format::R32_FLOAT : count == 2 ? Format::R32G32_FLOAT : Format::R32G32B32A32_FLOAT;
  else
    mapping.format = count == 1 ? Format::R16_FLOAT : count == 2 ? Format::R16G16_FLOAT : Format::R16G16B16A16_FLOAT;
  return mapping;
}

Imf::PixelType pixel_type(const FormatInfo& format) {
  if (format.value_class == ValueClass::Uint) return Imf::UINT;
  return format.channels[0].bits == 16 ? Imf::HALF : Imf::FLOAT;
}

}  // namespace

base::Result<Surface> decode_exr(Bytes bytes, const std::string& name, const base::Limits& limits) {
  const auto header = read_exr_header(bytes, name);
  if (!header.ok()) return header.failure();
  const auto mapping = map_channels(*header, name);
  if (!mapping.ok()) return mapping.failure();
  Surface surface;
  surface.width = static_cast<std::uint32_t>(header->width);
  surface.height = static_cast<std::uint32_t>(header->height);
  surface.format = mapping->format;
  auto allocated = allocate_for_file(std::move(surface), name, header->window_at, limits);
  if (!allocated.ok()) return allocated;

  MemoryInput input(bytes, header->head, name);
  try {
    Imf::MultiPartInputFile file(input, 0, false);
    Imf::InputPart part(file, 0);
    const Imath::Box2i& box = part.header().dataWindow();
    if (box.min.x != header->min_x || box.min.y != header->min_y ||
        std::int64_t{box.max.x} - box.min.x + 1 != header->width ||
        std::int64_t{box.max.y} - box.min.y + 1 != header->height)
      return at_byte("exr-header", "the data window is not the one that was checked", name, header->window_at, 16);
    const FormatInfo& format = allocated->info();
    const Imf::PixelType type = pixel_type(format);
    const std::size_t channel_bytes = type == Imf::HALF ? 2 : 4, texel_bytes = format.bytes_per_element();
    const std::size_t row_bytes = texel_bytes * static_cast<std::size_t>(header->width);
    char* memory = reinterpret_cast<char*>(allocated->memory->data());
    Imf::FrameBuffer frame;
    // A channel that feeds several (grey with alpha) is read once and copied.
    for (std::size_t i = 0; i < mapping->sources.size(); ++i) {
      const std::string& source = mapping->sources[i];
      const bool again = std::find(mapping->sources.begin(), mapping->sources.begin() + static_cast<std::ptrdiff_t>(i),
                                   source) != mapping->sources.begin() + static_cast<std::ptrdiff_t>(i);
      if (source.empty() || again) continue;
      // Imf::Slice::Make moves the base so that the window's corner is the first texel.
      frame.insert(source, Imf::Slice::Make(type, memory + i * channel_bytes, box, texel_bytes, row_bytes));
    }
    part.setFrameBuffer(frame);
    part.readPixels(box.min.y, box.max.y);
    for (std::size_t i = 0; i < mapping->sources.size(); ++i) {
      const std::string& source = mapping->sources[i];
      const auto first =
          static_cast<std::size_t>(std::ranges::find(mapping->sources, source) - mapping->sources.begin());
      const bool constant = source.empty() && i == 3;
      if (!constant && (source.empty() || first == i)) continue;
      const std::uint32_t one = type == Imf::HALF ? 0x3c00u : type == Imf::FLOAT ? 0x3f800000u : 1u;
      for (std::size_t t = 0; t < std::size_t{allocated->width} * allocated->height; ++t)
        std::memcpy(memory + t * texel_bytes + i * channel_bytes,
                    constant ? reinterpret_cast<const char*>(&one) : memory + t * texel_bytes + first * channel_bytes,
                    channel_bytes);
    }
  } catch (const std::exception& problem) {
    return at_byte("exr-data", fmt::format("broken OpenEXR: {}", problem.what()), name, input.position());
  } catch (...) {
    return at_byte("exr-data", "broken OpenEXR", name, input.position());
  }
  return allocated;
}

base::Result<std::vector<std::uint8_t>> encode_exr(const Surface& surface, const SaveOptions& options,
                                                   base::Diagnostics* notes) {
  const auto picture = choose_picture(surface, FileKind::Exr, options, notes);
  if (!picture.ok()) return picture.failure();
  const FormatInfo& format = surface.info();
  std::vector<std::pair<const char*, unsigned>> channels;  // name, channel of the texel
  switch (picture_channels(format)) {
    case Channels::Grey:
      channels = {{format.has_channel('L') || format.has_channel('I') ? "Y" : "R", 0}};
      break;
    case Channels::GreyAlpha:
      channels = {{"Y", 0}, {"A", 3}};
      break;
    case Channels::Rg:
      channels = {{"R", 0}, {"G", 1}};
      break;
    case Channels::Rgb:
      channels = {{"R", 0}, {"G", 1}, {"B", 2}};
      break;
    case Channels::Rgba:
      channels = {{"R", 0}, {"G", 1}, {"B", 2}, {"A", 3}};
      break;
  }
  // Halves hold every value of the 16-bit, 11-bit, 10-bit and shared-exponent floats.
  const Channel& first = format.channels[0];
  const bool halves =
      (first.type == ChannelType::Float && first.bits == 16) || first.type == ChannelType::UnsignedFloat;
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
          if (format.value_class == ValueClass::Sint)
            word = base::bits_of(static_cast<float>(static_cast<std::int32_t>(word)));
          std::memcpy(to, &word, channel_bytes);
          to += channel_bytes;
        }
      Imf::FrameBuffer frame;
      const Imath::Box2i line(Imath::V2i(0, static_cast<int>(y)),
                              Imath::V2i(static_cast<int>(picture->width) - 1, static_cast<int>(y)));
      for (std::size_t i = 0; i < channels.size(); ++i)
        frame.insert(channels[i].first,
                     Imf::Slice::Make(type, pixels.data() + i * channel_bytes, line, texel_bytes, pixels.size()));
      file.setFrameBuffer(frame);
      file.writePixels(1);
    }
  } catch (const std::exception& problem) {
    return base::error("exr-format", fmt::format("{}: OpenEXR can't be written: {}", surface.name, problem.what()));
  }
  return std::move(output.bytes);
}

}  // namespace heddle::image
