// SPDX-License-Identifier: MIT
// Reading OpenEXR through its library, which sees the file behind a header that read_exr_header has checked and
// rebuilt.

#include <ImfFrameBuffer.h>
#include <ImfHeader.h>
#include <ImfIO.h>
#include <ImfInputPart.h>
#include <ImfMultiPartInputFile.h>
#include <ImfRgbaFile.h>
#include <ImfRgbaYca.h>
#include <ImfStandardAttributes.h>

#include <algorithm>
#include <cstring>
#include <exception>
#include <stdexcept>

#include "image/files/codec.hpp"
#include "image/files/exr/exr_channels.hpp"
#include "image/files/exr/exr_deep.hpp"

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

Imf::PixelType pixel_type(const FormatInfo& format) {
  if (format.value_class == ValueClass::Uint) return Imf::UINT;
  return format.channels[0].bits == 16 ? Imf::HALF : Imf::FLOAT;
}

/// Reads the channels of the first part into an allocated surface.
class ChannelReader {
 public:
  ChannelReader(const ExrMapping& mapping, Surface& surface)
      : mapping_(mapping),
        type_(pixel_type(surface.info())),
        channel_bytes_(type_ == Imf::HALF ? 2 : 4),
        texel_bytes_(surface.info().bytes_per_element()),
        width_(surface.width),
        height_(surface.height),
        memory_(reinterpret_cast<char*>(surface.memory->data())) {}

  void run(Imf::InputPart& part) {
    const Imath::Box2i& box = part.header().dataWindow();
    std::vector<std::vector<char>> subsampled(mapping_.sources.size());
    Imf::FrameBuffer frame;
    for (std::size_t i = 0; i < mapping_.sources.size(); ++i) {
      const ExrChannel* source = mapping_.sources[i];
      if (source == nullptr || first_use(i) != i) continue;
      const auto x = static_cast<std::size_t>(source->x_sampling), y = static_cast<std::size_t>(source->y_sampling);
      char* to = memory_ + i * channel_bytes_;
      std::size_t step = texel_bytes_, row = texel_bytes_ * width_;
      if (x != 1 || y != 1) {  // both divide the sizes
        subsampled[i].resize(width_ / x * (height_ / y) * channel_bytes_);
        to = subsampled[i].data();
        step = channel_bytes_;
        row = width_ / x * channel_bytes_;
      }
      // Imf::Slice::Make moves the base so that the window's corner is the first texel.
      frame.insert(source->name, Imf::Slice::Make(type_, to, box, step, row, source->x_sampling, source->y_sampling));
    }
    part.setFrameBuffer(frame);
    part.readPixels(box.min.y, box.max.y);
    for (std::size_t i = 0; i < subsampled.size(); ++i)
      if (!subsampled[i].empty()) replicate(i, subsampled[i]);
    for (std::size_t i = 0; i < mapping_.sources.size(); ++i) fill(i);
  }

 private:
  /// The first channel of the surface that has the same source; a channel that feeds several (gray) is read once.
  std::size_t first_use(std::size_t i) const {
    return static_cast<std::size_t>(std::ranges::find(mapping_.sources, mapping_.sources[i]) -
                                    mapping_.sources.begin());
  }

  /// Every sample of a subsampled channel stands for a rectangle of texels.
  void replicate(std::size_t i, const std::vector<char>& samples) {
    const auto x_sampling = static_cast<std::size_t>(mapping_.sources[i]->x_sampling),
               y_sampling = static_cast<std::size_t>(mapping_.sources[i]->y_sampling);
    const std::size_t columns = width_ / x_sampling;
    for (std::size_t y = 0; y < height_; ++y)
      for (std::size_t x = 0; x < width_; ++x)
        std::memcpy(memory_ + (y * width_ + x) * texel_bytes_ + i * channel_bytes_,
                    samples.data() + (y / y_sampling * columns + x / x_sampling) * channel_bytes_, channel_bytes_);
  }

  /// Copies a source that was read already; a missing alpha is 1, a missing color 0 as allocated.
  void fill(std::size_t i) {
    const std::size_t first = first_use(i);
    const bool missing = mapping_.sources[i] == nullptr;
    if (missing ? i != 3 : first == i) return;
    const std::uint32_t one = type_ == Imf::HALF ? 0x3c00u : type_ == Imf::FLOAT ? 0x3f800000u : 1u;
    for (std::size_t t = 0; t < width_ * height_; ++t) {
      char* texel = memory_ + t * texel_bytes_;
      std::memcpy(texel + i * channel_bytes_,
                  missing ? reinterpret_cast<const char*>(&one) : texel + first * channel_bytes_, channel_bytes_);
    }
  }

  const ExrMapping& mapping_;
  Imf::PixelType type_;
  std::size_t channel_bytes_, texel_bytes_, width_, height_;
  char* memory_;
};

/// What red, green and blue are of the luminance; primaries that no weights follow from make this throw.
Imath::V3f weights(const Imf::Header& header) {
  return Imf::RgbaYca::computeYw(Imf::hasChromaticities(header) ? Imf::chromaticities(header) : Imf::Chromaticities());
}

/// Y, RY, BY: the library filters the chroma and makes R, G, B of the file's primaries.
void read_filtered_chroma(const Imf::Header& header, MemoryInput& input, const std::string& layer, Surface& surface) {
  (void)weights(header);  // in its constructor below the library would lose memory
  Imf::RgbaInputFile file(input, layer, 0);
  const Imath::Box2i& box = file.dataWindow();
  auto* texels = reinterpret_cast<Imf::Rgba*>(surface.memory->data());
  file.setFrameBuffer(Imf::ComputeBasePointer(texels, box), 1, surface.width);
  file.readPixels(box.min.y, box.max.y);
}

/// R, G, B of texels that hold RY, Y, BY.
void convert_plain_chroma(const Imf::Header& header, bool has_luminance, Surface& surface) {
  const Imath::V3f weight = weights(header);
  for (std::size_t i = 0; i < surface.memory->size(); i += sizeof(float) * 4) {
    float texel[3];
    std::memcpy(texel, surface.memory->data() + i, sizeof texel);
    const float luminance = has_luminance ? texel[1] : 0.5f;
    const float red = (texel[0] + 1) * luminance, blue = (texel[2] + 1) * luminance;
    const float rgb[] = {red, (luminance - red * weight.x - blue * weight.z) / weight.y, blue};
    std::memcpy(surface.memory->data() + i, rgb, sizeof rgb);
  }
}

bool same_window(const Imath::Box2i& box, const ExrHeader& header) {
  return box.min.x == header.min_x && box.min.y == header.min_y &&
         std::int64_t{box.max.x} - box.min.x + 1 == header.width &&
         std::int64_t{box.max.y} - box.min.y + 1 == header.height;
}

}  // namespace

base::Result<Surface> decode_exr(Bytes bytes, const std::string& name, const base::Limits& limits,
                                 base::Diagnostics* notes) {
  const auto header = read_exr_header(bytes, name);
  if (!header.ok()) return header.failure();
  const auto mapping = map_exr_channels(*header, name, notes);
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
    if (!same_window(file.header(0).dataWindow(), *header))
      return at_byte("exr-header", "the data window is not the one that was checked", name, header->window_at, 16);
    if (header->deep) {
      flatten_deep(file, *header, *mapping, bytes.size(), *allocated);
    } else if (mapping->chroma == ExrChroma::Filtered) {
      MemoryInput again(bytes, header->head, name);
      read_filtered_chroma(file.header(0), again, mapping->layer, *allocated);
    } else {
      Imf::InputPart part(file, 0);
      ChannelReader(*mapping, *allocated).run(part);
    }
    if (mapping->chroma == ExrChroma::Plain)
      convert_plain_chroma(file.header(0), mapping->sources[1] != nullptr, *allocated);
  } catch (const std::exception& problem) {
    return at_byte("exr-data", fmt::format("broken OpenEXR: {}", problem.what()), name, input.position());
  } catch (...) {
    return at_byte("exr-data", "broken OpenEXR", name, input.position());
  }
  return allocated;
}

}  // namespace heddle::image
