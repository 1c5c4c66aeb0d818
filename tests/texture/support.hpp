// SPDX-License-Identifier: MIT
#pragma once
// Small surfaces and requests for the texture unit's tests.

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "base/half.hpp"
#include "image/format.hpp"
#include "image/sampler.hpp"
#include "image/surface.hpp"
#include "texture/context.hpp"
#include "texture/request.hpp"

namespace heddle::texture::test {

inline image::Format format_named(std::string_view name) {
  const image::FormatInfo* info = image::find_format(name);
  EXPECT_NE(info, nullptr) << name;
  return info ? info->format : image::Format::R8G8B8A8_UNORM;
}

/// Sets mip_count and view_layers from levels and layers, lays out and zero-fills.
inline image::Surface make(image::SurfaceType type, std::string_view format, std::uint32_t width,
                           std::uint32_t height = 1, std::uint32_t depth = 1, std::uint32_t levels = 1,
                           std::uint32_t layers = 1, bool array = false, std::uint32_t samples = 1) {
  image::Surface s;
  s.type = type;
  s.format = format_named(format);
  s.width = width;
  s.height = height;
  s.depth = depth;
  s.levels = levels;
  s.mip_count = levels - 1;
  s.layers = layers;
  s.array = array;
  s.view_layers = type == image::SurfaceType::Cube ? layers / 6 : layers;
  s.samples = samples;
  const auto done = image::allocate(s);
  EXPECT_TRUE(done.ok()) << (done.ok() ? "" : done.diagnostics()[0].message);
  return s;
}
inline image::Surface make2d(std::string_view format, std::uint32_t width, std::uint32_t height,
                             std::uint32_t levels = 1) {
  return make(image::SurfaceType::Dim2, format, width, height, 1, levels);
}

/// Writes the bytes of each element from a function of (level, slice, x, y).
inline void fill(
    image::Surface& s,
    const std::function<std::uint64_t(std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t)>& value) {
  const std::uint32_t bytes = s.info().bytes_per_element();
  for (std::uint32_t level = 0; level < s.levels; ++level)
    for (std::uint32_t slice = 0; slice < s.stored_slices(level); ++slice)
      for (std::uint32_t y = 0; y < s.level_height(level); ++y)
        for (std::uint32_t x = 0; x < s.level_width(level); ++x) {
          const auto offset = image::element_offset(s, level, slice, x, y);
          ASSERT_TRUE(offset.has_value());
          const std::uint64_t v = value(level, slice, x, y);
          for (std::uint32_t k = 0; k < bytes && k < 8; ++k)
            (*s.memory)[*offset + k] = static_cast<std::uint8_t>(v >> (8 * k));
        }
}
/// R32_FLOAT surfaces.
inline void fill_float(image::Surface& s,
                       const std::function<float(std::uint32_t, std::uint32_t, std::uint32_t, std::uint32_t)>& value) {
  fill(s, [&](auto l, auto z, auto x, auto y) { return std::uint64_t{base::bits_of(value(l, z, x, y))}; });
}

inline LaneWords all(float value) {
  LaneWords w;
  w.fill(base::bits_of(value));
  return w;
}
inline LaneWords all_words(std::uint32_t value) {
  LaneWords w;
  w.fill(value);
  return w;
}
inline LaneWords lanes(std::initializer_list<float> values) {
  LaneWords w{};
  std::size_t k = 0;
  for (const float v : values) w[k++] = base::bits_of(v);
  return w;
}

/// A request with its own parameter storage.
struct Call {
  LaneRequest request;
  std::vector<std::pair<Param, LaneWords>> parameters;
  Call(Op op, const image::Surface& surface, const image::Sampler* sampler = nullptr) {
    request.op = op;
    request.surface = &surface;
    request.sampler = sampler;
  }
  Call& with(Param p, float value) { return with(p, all(value)); }
  Call& with(Param p, const LaneWords& words) {
    parameters.emplace_back(p, words);
    return *this;
  }
  Call& word(Param p, std::uint32_t value) { return with(p, all_words(value)); }
  LaneResult run(OperationContext& context) {
    for (const auto& [p, words] : parameters) request.set(p, words);
    return execute(request, context);
  }
  LaneResult run() {
    OperationContext context;
    LaneResult result = run(context);
    EXPECT_FALSE(context.reports.has_errors()) << context.reports.all()[0].message;
    return result;
  }
};

inline float f(const LaneResult& r, unsigned channel, unsigned lane = 0) {
  return base::float_from_bits(r.channels[channel][lane]);
}

/// 64-bit generator with a printable seed.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed * 2654435769u + 88172645463325252ull) {}
  std::uint32_t word() {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    return static_cast<std::uint32_t>(state_ >> 16);
  }
  std::uint32_t below(std::uint32_t n) { return word() % n; }
  float unit() { return static_cast<float>(word() >> 8) / 16777216.0f; }
  float between(float lo, float hi) { return lo + (hi - lo) * unit(); }

 private:
  std::uint64_t state_;
};

}  // namespace heddle::texture::test
