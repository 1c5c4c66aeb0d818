// SPDX-License-Identifier: MIT
#pragma once
// Images for the tests of transfers.

#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "pipeline/transfer/transfer.hpp"

namespace transfer_test {

using heddle::image::Format;
using heddle::image::Surface;
using heddle::image::SurfaceType;
using heddle::image::Texel;

struct Shape {
  std::uint32_t width = 1, height = 1, depth = 1, layers = 1, levels = 1, samples = 1;
};

inline Surface make(Format format, const Shape& shape, SurfaceType type = SurfaceType::Dim2) {
  Surface surface;
  surface.type = type;
  surface.format = format;
  surface.width = shape.width;
  surface.height = shape.height;
  surface.depth = shape.depth;
  surface.layers = shape.layers;
  surface.array = shape.layers > 1;
  surface.view_layers = shape.layers;
  surface.levels = shape.levels;
  surface.mip_count = shape.levels - 1;
  surface.samples = shape.samples;
  const auto done = heddle::image::allocate(surface);
  EXPECT_TRUE(done.ok()) << (done.ok() ? "" : done.diagnostics()[0].message);
  return surface;
}

/// The same image with memory of its own.
inline Surface copy_of(const Surface& surface) {
  Surface copy = surface;
  EXPECT_TRUE(heddle::image::allocate(copy).ok());
  std::memcpy(copy.memory->data(), surface.memory->data(), surface.memory->size());
  return copy;
}

inline std::vector<std::uint8_t> bytes_of(const Surface& surface) {
  return {surface.memory->begin(), surface.memory->end()};
}

inline void randomize(Surface& surface, std::mt19937& random) {
  for (std::uint8_t& byte : *surface.memory) byte = static_cast<std::uint8_t>(random());
}

/// Texel (x, y) of a level's slice, as its element's bytes.
inline std::vector<std::uint8_t> element(const Surface& surface, std::uint32_t x, std::uint32_t y,
                                         std::uint32_t slice = 0, std::uint32_t level = 0) {
  const std::uint8_t* at = heddle::image::element_bytes(surface, level, slice, x, y);
  return {at, at + surface.info().bytes_per_element()};
}

inline void put(Surface& surface, std::uint32_t x, std::uint32_t y, const std::vector<std::uint8_t>& bytes,
                std::uint32_t slice = 0, std::uint32_t level = 0) {
  std::memcpy(heddle::image::element_bytes(surface, level, slice, x, y), bytes.data(), bytes.size());
}

template <typename T>
std::vector<std::uint8_t> bits(T value) {
  std::vector<std::uint8_t> bytes(sizeof value);
  std::memcpy(bytes.data(), &value, sizeof value);
  return bytes;
}

template <typename ResultType>
std::string id_of(const ResultType& result) {
  return result.ok() ? "" : result.diagnostics()[0].id;
}

}  // namespace transfer_test
