// SPDX-License-Identifier: MIT
// Writing OpenEXR: one picture, scan lines, ZIP.

#include <ImfChannelList.h>
#include <ImfCompression.h>
#include <ImfFrameBuffer.h>
#include <ImfHeader.h>
#include <ImfIO.h>
#include <ImfOutputFile.h>

#include <cstring>
#include <exception>

#include "base/half.hpp"
#include "image/files/codec.hpp"
#include "image/rows.hpp"

namespace heddle::image {
namespace {

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

struct NamedChannel {
  const char* name;
  unsigned from;  ///< channel of the texel
};

std::vector<NamedChannel> file_channels(const FormatInfo& format) {
  switch (picture_channels(format)) {
    case Channels::Gray:
      return {{format.has_channel('L') || format.has_channel('I') ? "Y" : "R", 0}};
    case Channels::GrayAlpha:
      return {{"Y", 0}, {"A", 3}};
    case Channels::Rg:
      return {{"R", 0}, {"G", 1}};
    case Channels::Rgb:
      return {{"R", 0}, {"G", 1}, {"B", 2}};
    case Channels::Rgba:
      break;
  }
  return {{"R", 0}, {"G", 1}, {"B", 2}, {"A", 3}};
}

/// Halves hold every value of the 16-bit, 11-bit, 10-bit and shared-exponent floats.
Imf::PixelType file_type(const FormatInfo& format) {
  const Channel& first = format.channels[0];
  const bool halves =
      (first.type == ChannelType::Float && first.bits == 16) || first.type == ChannelType::UnsignedFloat;
  return format.value_class == ValueClass::Uint ? Imf::UINT : halves ? Imf::HALF : Imf::FLOAT;
}

/// The bits of one value in the file; signed integers become floats.
std::uint32_t file_word(const Texel& texel, unsigned channel, Imf::PixelType type, ValueClass value_class) {
  if (type == Imf::HALF) return base::float_to_half(texel.f(static_cast<int>(channel)));
  const std::uint32_t word = texel.bits[channel];
  return value_class == ValueClass::Sint ? base::bits_of(static_cast<float>(static_cast<std::int32_t>(word))) : word;
}

}  // namespace

base::Result<std::vector<std::uint8_t>> encode_exr(const Surface& surface, const SaveOptions& options,
                                                   base::Diagnostics* notes) {
  const auto picture = choose_picture(surface, FileKind::Exr, options, notes);
  if (!picture.ok()) return picture.failure();
  const FormatInfo& format = surface.info();
  const std::vector<NamedChannel> channels = file_channels(format);
  const Imf::PixelType type = file_type(format);
  const std::size_t channel_bytes = type == Imf::HALF ? 2 : 4, texel_bytes = channel_bytes * channels.size();
  MemoryOutput output;
  try {
    Imf::Header header(static_cast<int>(picture->width), static_cast<int>(picture->height));
    header.compression() = Imf::ZIP_COMPRESSION;
    for (const auto& [name, from] : channels) header.channels().insert(name, Imf::Channel(type));
    std::vector<char> pixels(texel_bytes * picture->width);
    RowReader rows(surface, options.level, options.slice);
    Imf::OutputFile file(output, header, 0);
    for (std::uint32_t y = 0; y < picture->height; ++y) {
      char* to = pixels.data();
      for (const Texel& texel : rows.row(y))
        for (const auto& [name, from] : channels) {
          const std::uint32_t word = file_word(texel, from, type, format.value_class);
          std::memcpy(to, &word, channel_bytes);
          to += channel_bytes;
        }
      Imf::FrameBuffer frame;
      const Imath::Box2i line(Imath::V2i(0, static_cast<int>(y)),
                              Imath::V2i(static_cast<int>(picture->width) - 1, static_cast<int>(y)));
      for (std::size_t i = 0; i < channels.size(); ++i)
        frame.insert(channels[i].name,
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
