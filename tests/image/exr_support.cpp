// SPDX-License-Identifier: MIT
#include "exr_support.hpp"

#include <ImfChannelList.h>
#include <ImfChromaticitiesAttribute.h>
#include <ImfFrameBuffer.h>
#include <ImfOutputFile.h>
#include <ImfRgbaFile.h>
#include <ImfStandardAttributes.h>
#include <ImfStringAttribute.h>
#include <ImfTiledOutputFile.h>

#include <cstring>

namespace heddle::image::files_test {

void MemoryFile::write(const char from[], int count) {
  const auto size = static_cast<std::size_t>(count);
  if (bytes.size() < at_ + size) bytes.resize(at_ + size);
  std::memcpy(bytes.data() + at_, from, size);
  at_ += size;
}

ByteList library_exr(bool tiled, int compression) {
  MemoryFile output;
  Imf::Header header(45, 37);
  header.compression() = static_cast<Imf::Compression>(compression);
  header.insert("comments", Imf::StringAttribute("nothing about texels"));
  header.insert("zoom", Imf::StringAttribute(""));
  header.channels().insert("Z", Imf::Channel(Imf::FLOAT));
  std::vector<float> values(45 * 37);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i);
  Imf::FrameBuffer frame;
  frame.insert("Z", Imf::Slice(Imf::FLOAT, reinterpret_cast<char*>(values.data()), 4, 4 * 45));
  if (tiled) {
    header.setTileDescription(Imf::TileDescription(16, 8, Imf::MIPMAP_LEVELS));
    Imf::TiledOutputFile file(output, header, 0);
    for (int level = 0; level < file.numLevels(); ++level) {
      file.setFrameBuffer(frame);
      file.writeTiles(0, file.numXTiles(level) - 1, 0, file.numYTiles(level) - 1, level);
    }
  } else {
    Imf::OutputFile file(output, header, 0);
    file.setFrameBuffer(frame);
    file.writePixels(37);
  }
  return output.bytes;
}

ByteList luminance_chroma(Imf::RgbaChannels channels, const Imf::Chromaticities* primaries) {
  constexpr int kWidth = 16, kHeight = 12;
  std::vector<Imf::Rgba> texels;
  for (int y = 0; y < kHeight; ++y)
    for (int x = 0; x < kWidth; ++x) texels.emplace_back(0.8f, 0.4f + 0.001f * static_cast<float>(x), 0.1f, 0.5f);
  MemoryFile file;
  {
    Imf::Header header(kWidth, kHeight);
    if (primaries != nullptr) Imf::addChromaticities(header, *primaries);
    Imf::RgbaOutputFile out(file, header, channels, 0);
    out.setFrameBuffer(texels.data(), 1, kWidth);
    out.writePixels(kHeight);
  }
  return file.bytes;
}

ByteList channels_file(const std::vector<TestChannel>& channels, int x0, int y0, int width, int height) {
  const Imath::Box2i window({x0, y0}, {x0 + width - 1, y0 + height - 1});
  Imf::Header header(window, window);
  std::vector<std::vector<char>> values(channels.size());
  Imf::FrameBuffer frame;
  for (std::size_t c = 0; c < channels.size(); ++c) {
    const auto& [name, type, sampling] = channels[c];
    header.channels().insert(name, Imf::Channel(type, sampling, sampling));
    const std::size_t bytes = type == Imf::HALF ? 2 : 4;
    for (int y = 0; y < height; y += sampling)
      for (int x = 0; x < width; x += sampling) {
        const float value = static_cast<float>(x + 10 * y) + 100 * static_cast<float>(c);
        const auto integer = static_cast<std::uint32_t>(value);
        const half small(value);
        const void* from = type == Imf::HALF   ? static_cast<const void*>(&small)
                           : type == Imf::UINT ? &integer
                                               : static_cast<const void*>(&value);
        values[c].insert(values[c].end(), static_cast<const char*>(from), static_cast<const char*>(from) + bytes);
      }
    frame.insert(name, Imf::Slice::Make(type, values[c].data(), window, bytes,
                                        bytes * static_cast<std::size_t>(width / sampling), sampling, sampling));
  }
  MemoryFile file;
  {
    Imf::OutputFile out(file, header, 0);
    out.setFrameBuffer(frame);
    out.writePixels(height);
  }
  return file.bytes;
}

}  // namespace heddle::image::files_test
