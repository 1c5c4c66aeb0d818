// SPDX-License-Identifier: MIT
#pragma once
// What random programs are bound to: a buffer (T6), the same bytes at 64-bit addresses, an image of a random format and
// type (T7), a sampler (S0).

#include "engine/bindings.hpp"

namespace heddle::engine::testing {

constexpr unsigned kBufferBytes = 1000;
constexpr std::uint64_t kBufferAddress = 0x100000000;

inline void bind_random(machine::Bindings& bindings, unsigned seed) {
  std::mt19937 random(seed * 31 + 5);
  const auto below = [&](unsigned n) { return static_cast<unsigned>(random() % n); };
  const auto buffer = buffer_of(kBufferBytes);
  for (unsigned i = 0; i < kBufferBytes; ++i) (*buffer->memory)[i] = static_cast<std::uint8_t>(i * 31 + seed);

  constexpr const char* kFormats[] = {"R8G8B8A8_UNORM",    "R8G8B8A8_UNORM_SRGB", "R32_FLOAT",   "R16G16B16A16_FLOAT",
                                      "R8_UNORM",          "R32G32B32A32_FLOAT",  "R32_UINT",    "R8G8B8A8_SINT",
                                      "R10G10B10A2_UNORM", "R11G11B10_FLOAT",     "R16_UNORM",   "BC1_UNORM",
                                      "R8G8_SNORM",        "R9G9B9E5_SHAREDEXP",  "R16G16_UINT", "L8_UNORM"};
  constexpr image::SurfaceType kTypes[] = {image::SurfaceType::Dim2, image::SurfaceType::Dim2,
                                           image::SurfaceType::Dim2, image::SurfaceType::Dim3,
                                           image::SurfaceType::Cube, image::SurfaceType::Dim1};
  auto picture = std::make_shared<image::Surface>();
  picture->type = kTypes[below(6)];
  picture->format = image::find_format(kFormats[below(16)])->format;
  if (picture->info().compression != image::Compression::None) picture->type = image::SurfaceType::Dim2;
  picture->width = 1 + below(40);
  picture->height = picture->type == image::SurfaceType::Dim1 ? 1 : 1 + below(24);
  if (picture->type == image::SurfaceType::Cube) picture->height = picture->width, picture->layers = 6;
  if (picture->type == image::SurfaceType::Dim3) picture->depth = 1 + below(6);
  if (picture->type == image::SurfaceType::Dim2 && below(3) == 0) {
    picture->array = true;
    picture->layers = picture->view_layers = 1 + below(4);
  }
  picture->levels = 1 + below(3);
  while (picture->levels > 1 &&
         std::max({picture->width, picture->height, picture->depth}) >> (picture->levels - 1) == 0)
    --picture->levels;
  picture->mip_count = picture->levels - 1;
  if (image::allocate(*picture).ok())
    for (std::uint8_t& byte : *picture->memory) byte = static_cast<std::uint8_t>(random() >> 9);

  auto sampler = std::make_shared<image::Sampler>();
  sampler->min_filter = below(2) != 0 ? image::Filter::Linear : image::Filter::Nearest;
  sampler->mag_filter = below(2) != 0 ? image::Filter::Linear : image::Filter::Nearest;
  constexpr image::MipFilter kMips[] = {image::MipFilter::None, image::MipFilter::Nearest, image::MipFilter::Linear};
  sampler->mip_filter = kMips[below(3)];
  constexpr image::AddressMode kModes[] = {image::AddressMode::Wrap, image::AddressMode::Mirror,
                                           image::AddressMode::Clamp, image::AddressMode::ClampBorder};
  sampler->tcx = kModes[below(4)];
  sampler->tcy = kModes[below(4)];
  sampler->tcz = kModes[below(4)];
  sampler->set_api_rounding();

  bind(bindings, buffer, picture, sampler);
  (void)bindings.memory.add({kBufferAddress, kBufferBytes, buffer->memory->data(), buffer->memory, "buffer"});
}

}  // namespace heddle::engine::testing
