// SPDX-License-Identifier: MIT
#pragma once
// What kernels of these tests are bound to.

#include <memory>
#include <random>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "image/format.hpp"
#include "machine/bindings.hpp"

namespace heddle::engine::testing {

/// Plain bytes, all zero.
inline std::shared_ptr<image::Surface> buffer_of(std::uint32_t bytes) {
  auto buffer = std::make_shared<image::Surface>();
  buffer->type = image::SurfaceType::Buffer;
  buffer->entries = bytes;
  buffer->format = image::find_format("RAW")->format;
  buffer->memory = std::make_shared<image::Memory>(bytes);
  return buffer;
}

/// One level of random bytes.
inline std::shared_ptr<image::Surface> texture_of(std::string_view format, std::uint32_t width, std::uint32_t height,
                                                  std::mt19937& random) {
  auto texture = std::make_shared<image::Surface>();
  texture->type = image::SurfaceType::Dim2;
  texture->width = width;
  texture->height = height;
  texture->format = image::find_format(format)->format;
  EXPECT_TRUE(image::allocate(*texture).ok());
  for (auto& byte : *texture->memory) byte = static_cast<std::uint8_t>(random());
  return texture;
}

/// As T6, T7 and S0.
inline void bind(machine::Bindings& bindings, std::shared_ptr<image::Surface> t6, std::shared_ptr<image::Surface> t7,
                 std::shared_ptr<image::Sampler> s0) {
  bindings.surfaces = {std::move(t6), std::move(t7)};
  bindings.samplers = {std::move(s0)};
  bindings.surface_variables[6] = {0};
  bindings.surface_variables[7] = {1};
  bindings.sampler_variables[0] = {0};
}

}  // namespace heddle::engine::testing
