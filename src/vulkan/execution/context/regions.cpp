// SPDX-License-Identifier: MIT
#include "vulkan/execution/context/regions.hpp"

#include <algorithm>
#include <cstdlib>

namespace heddle::vulkan {

namespace transfer = pipeline::transfer;

transfer::ImageBox copied_box(const image::Surface& from, const transfer::ImageBox& box, const image::Surface& to,
                              const transfer::ImageOrigin& at) {
  const auto scaled = [](std::uint32_t count, std::uint32_t block, std::uint32_t other) {
    return (count + block - 1) / block * other;
  };
  const image::FormatInfo &a = from.info(), &b = to.info();
  const std::uint32_t slices = box.extent.depth * box.layers;
  const bool volume = to.type == image::SurfaceType::Dim3;
  return {at.level,
          at.first_layer,
          volume ? 1 : slices,
          at.offset,
          {scaled(box.extent.width, a.block_width, b.block_width),
           scaled(box.extent.height, a.block_height, b.block_height), volume ? slices : 1}};
}

transfer::ImageBox between(const transfer::BlitBox& box) {
  const auto& [a, b] = box.corners;
  const auto size = [](std::int32_t x, std::int32_t y) { return static_cast<std::uint32_t>(std::abs(x - y)); };
  return {box.level,
          box.first_layer,
          box.layers,
          {std::min(a.x, b.x), std::min(a.y, b.y), std::min(a.z, b.z)},
          {size(a.x, b.x), size(a.y, b.y), size(a.z, b.z)}};
}

}  // namespace heddle::vulkan
