// SPDX-License-Identifier: MIT
#pragma once
// An image of Heddle's as Vulkan's.

#include "image/surface.hpp"
#include "peers/vulkan/vulkan_client.hpp"

namespace heddle::test {

/// Same format, sizes, layers, levels and texels; the view is of the surface's own type.
[[nodiscard]] inline PeerImage peer_image(const image::Surface& s) {
  const bool line = s.type == image::SurfaceType::Dim1, solid = s.type == image::SurfaceType::Dim3,
             cube = s.type == image::SurfaceType::Cube;
  PeerImage p;
  p.format = static_cast<VkFormat>(*image::vulkan_format(s.format));
  p.width = s.width;
  p.height = line ? 1 : s.height;
  p.depth = solid ? s.depth : 1;
  p.layers = solid ? 1 : s.layers;
  p.levels = s.levels;
  p.data = s.memory->copy();
  p.view = line    ? (s.array ? VK_IMAGE_VIEW_TYPE_1D_ARRAY : VK_IMAGE_VIEW_TYPE_1D)
           : solid ? VK_IMAGE_VIEW_TYPE_3D
           : cube  ? (s.array ? VK_IMAGE_VIEW_TYPE_CUBE_ARRAY : VK_IMAGE_VIEW_TYPE_CUBE)
                   : (s.array ? VK_IMAGE_VIEW_TYPE_2D_ARRAY : VK_IMAGE_VIEW_TYPE_2D);
  return p;
}

}  // namespace heddle::test
