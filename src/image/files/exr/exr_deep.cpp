// SPDX-License-Identifier: MIT
#include "image/files/exr/exr_deep.hpp"

#include <ImathBox.h>
#include <ImfDeepFrameBuffer.h>
#include <ImfDeepScanLineInputPart.h>
#include <ImfDeepTiledInputPart.h>
#include <ImfHeader.h>
#include <half.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <tuple>

namespace heddle::image {
namespace {

/// Deflate makes at most 1032 bytes of one; what a few samples need is always granted.
constexpr std::uint64_t kMaxGrowth = 1032, kAlways = std::uint64_t{1} << 16, kMaxBytes = std::uint64_t{1} << 30;

/// The samples of a rectangle of texels: a scan line or a tile.
class Block {
 public:
  Block(const ExrMapping& mapping, std::size_t file_bytes) : mapping_(mapping), file_bytes_(file_bytes) {
    const auto add = [&](const ExrChannel* channel) {
      if (channel != nullptr && std::ranges::find(channels_, channel) == channels_.end()) channels_.push_back(channel);
    };
    add(mapping.front);
    add(mapping.back);
    for (const ExrChannel* channel : mapping.sources) add(channel);
    pointers_.resize(channels_.size());
    values_.resize(channels_.size());
  }

  /// Where the library puts the numbers of samples, and the samples.
  Imf::DeepFrameBuffer begin(const Imath::Box2i& box) {
    box_ = box;
    columns_ = static_cast<std::size_t>(box.max.x - box.min.x) + 1;
    const std::size_t texels = columns_ * (static_cast<std::size_t>(box.max.y - box.min.y) + 1);
    counts_.assign(texels, 0);
    Imf::DeepFrameBuffer frame;
    frame.insertSampleCountSlice(
        Imf::Slice(Imf::UINT, base(counts_.data()), sizeof(std::uint32_t), sizeof(std::uint32_t) * columns_));
    for (std::size_t c = 0; c < channels_.size(); ++c) {
      pointers_[c].assign(texels, nullptr);
      frame.insert(channels_[c]->name, Imf::DeepSlice(Imf::FLOAT, base(pointers_[c].data()), sizeof(float*),
                                                      sizeof(float*) * columns_, sizeof(float)));
    }
    return frame;
  }

  /// Makes room for the samples that were counted.
  void reserve() {
    const std::uint64_t all = std::accumulate(counts_.begin(), counts_.end(), std::uint64_t{0});
    const std::uint64_t bytes = all * sizeof(float) * channels_.size();
    if (bytes > std::min(kMaxBytes, file_bytes_ * kMaxGrowth + kAlways))
      throw std::length_error(fmt::format("{} samples in one chunk are more than the file can hold", all));
    for (std::size_t c = 0; c < channels_.size(); ++c) {
      values_[c].assign(static_cast<std::size_t>(all), 0);
      float* next = values_[c].data();
      for (std::size_t i = 0; i < counts_.size(); next += counts_[i++]) pointers_[c][i] = next;
    }
  }

  void flatten(const ExrHeader& header, Surface& surface) {
    const std::size_t x0 = static_cast<std::size_t>(box_.min.x - header.min_x),
                      y0 = static_cast<std::size_t>(box_.min.y - header.min_y);
    for (std::size_t i = 0; i < counts_.size(); ++i)
      put(surface, (y0 + i / columns_) * surface.width + x0 + i % columns_, laid_over(i));
  }

 private:
  /// The address of texel (0, 0) of an array whose first element is the block's corner.
  template <typename T>
  char* base(T* first) const {
    const auto offset =
        static_cast<std::ptrdiff_t>(sizeof(T)) * (box_.min.x + static_cast<std::ptrdiff_t>(columns_) * box_.min.y);
    return reinterpret_cast<char*>(reinterpret_cast<std::uintptr_t>(first) - static_cast<std::uintptr_t>(offset));
  }

  const float* samples(const ExrChannel* channel, std::size_t texel) const {
    if (channel == nullptr) return nullptr;
    return pointers_[static_cast<std::size_t>(std::ranges::find(channels_, channel) - channels_.begin())][texel];
  }

  /// The channels of the surface. Colors are multiplied by alpha already; without alpha the nearest sample hides the
  /// others.
  std::array<float, 4> laid_over(std::size_t texel) {
    const std::uint32_t count = counts_[texel];
    const float *front = samples(mapping_.front, texel), *back = samples(mapping_.back, texel);
    order_.resize(count);
    std::iota(order_.begin(), order_.end(), 0u);
    // A depth that is no number is behind all others, so that the order is one.
    const auto depth = [](const float* of, std::uint32_t i) {
      return of == nullptr ? 0.0f : std::isnan(of[i]) ? std::numeric_limits<float>::infinity() : of[i];
    };
    std::ranges::sort(order_, [&](std::uint32_t a, std::uint32_t b) {
      return std::tuple(depth(front, a), depth(back, a), a) < std::tuple(depth(front, b), depth(back, b), b);
    });
    const auto& sources = mapping_.sources;
    const float* alpha = sources.size() == 4 ? samples(sources[3], texel) : nullptr;
    std::array<float, 4> result{};
    float covered = 0;
    for (const std::uint32_t i : order_) {
      if (covered >= 1) break;
      for (std::size_t c = 0; c < sources.size(); ++c)
        if (const float* from = samples(sources[c], texel)) result[c] += (1 - covered) * from[i];
      covered += (1 - covered) * (alpha != nullptr ? alpha[i] : 1);
    }
    if (sources.size() == 4 && sources[3] == nullptr) result[3] = 1;
    return result;
  }

  void put(Surface& surface, std::size_t texel, const std::array<float, 4>& values) const {
    const bool halves = surface.info().channels[0].bits == 16;
    std::uint8_t* to = surface.memory->data() + texel * surface.info().bytes_per_element();
    for (std::size_t c = 0; c < mapping_.sources.size(); ++c) {
      const half narrow(values[c]);
      std::memcpy(to + c * (halves ? 2 : 4), halves ? static_cast<const void*>(&narrow) : &values[c], halves ? 2 : 4);
    }
  }

  const ExrMapping& mapping_;
  std::uint64_t file_bytes_;
  std::vector<const ExrChannel*> channels_;
  Imath::Box2i box_;
  std::size_t columns_ = 0;
  std::vector<std::uint32_t> counts_, order_;
  std::vector<std::vector<float*>> pointers_;  // of each channel, at each texel
  std::vector<std::vector<float>> values_;
};

}  // namespace

void flatten_deep(Imf::MultiPartInputFile& file, const ExrHeader& header, const ExrMapping& mapping,
                  std::size_t file_bytes, Surface& surface) {
  Block block(mapping, file_bytes);
  if (!header.tiled) {
    Imf::DeepScanLineInputPart part(file, 0);
    const Imath::Box2i window = part.header().dataWindow();
    for (int y = window.min.y; y <= window.max.y; ++y) {
      part.setFrameBuffer(block.begin({{window.min.x, y}, {window.max.x, y}}));
      part.readPixelSampleCounts(y);
      block.reserve();
      part.readPixels(y);
      block.flatten(header, surface);
    }
    return;
  }
  Imf::DeepTiledInputPart part(file, 0);
  for (int y = 0; y < part.numYTiles(0); ++y)
    for (int x = 0; x < part.numXTiles(0); ++x) {
      part.setFrameBuffer(block.begin(part.dataWindowForTile(x, y, 0, 0)));
      part.readPixelSampleCounts(x, x, y, y, 0, 0);
      block.reserve();
      part.readTile(x, y, 0, 0);
      block.flatten(header, surface);
    }
}

}  // namespace heddle::image
