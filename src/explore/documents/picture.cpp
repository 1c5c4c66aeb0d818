// SPDX-License-Identifier: MIT
#include "explore/documents/picture.hpp"

#include "explore/documents/documents.hpp"
#include "image/names.hpp"

namespace heddle::explore {

std::string channels_of(const image::FormatInfo& format) {
  std::string channels;
  for (const char name : {'R', 'G', 'B', 'A'})
    if (format.has_channel(name)) channels += name;
  const bool plain = format.compression == image::Compression::None && format.color_space != image::ColorSpace::Yuv;
  return channels.empty() || !plain ? "RGBA" : channels;
}

void describe_image(Json& json, const image::Surface& s) {
  const image::FormatInfo& format = s.info();
  json.member("format", format.name).member("type", image::name_of(s.type));
  json.member("width", s.width).member("height", s.type == image::SurfaceType::Dim1 ? 1u : s.height);
  json.member("depth", s.type == image::SurfaceType::Dim3 ? s.depth : 1u);
  json.member("levels", s.levels).member("layers", s.layers).member("samples", s.samples);
  json.member("channels", channels_of(format)).member("srgb", format.is_srgb());
  json.member("values", format.value_class == image::ValueClass::Float  ? "float"
                        : format.value_class == image::ValueClass::Uint ? "uint"
                                                                        : "sint");
  json.member("bits", format.channel_count != 0 ? format.channels[0].bits : 0);
  const bool unorm = format.channel_count != 0 && format.channels[0].type == image::ChannelType::Unorm;
  json.member("unorm", unorm);
}

std::vector<std::uint8_t> texel_words(const image::Surface& surface, std::uint32_t level, std::uint32_t slice) {
  const std::uint32_t width = surface.level_width(level),
                      height = surface.type == image::SurfaceType::Dim1 ? 1 : surface.level_height(level);
  const std::string channels = channels_of(surface.info());
  const std::size_t texels = std::size_t{width} * height;
  std::vector<std::uint32_t> words(texels * channels.size());
  for (std::uint32_t y = 0; y < height; ++y)
    for (std::uint32_t x = 0; x < width; ++x) {
      const image::Texel texel = image::fetch(surface, level, slice, x, y).texel;
      for (std::size_t c = 0; c < channels.size(); ++c)
        words[c * texels + std::size_t{y} * width + x] = texel.bits[std::string_view("RGBA").find(channels[c])];
    }
  return byte_planes(words);
}

}  // namespace heddle::explore
