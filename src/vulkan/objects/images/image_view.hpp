// SPDX-License-Identifier: MIT
#pragma once
// Image views: what shaders see of an image, and what draws write to.

#include <vulkan/vulkan.h>

#include <array>
#include <cstdint>

#include "image/surface.hpp"
#include "machine/bindings.hpp"
#include "vulkan/api/handles.hpp"

namespace heddle::vulkan {

struct ImageView {
  machine::SurfaceResource sampled;  ///< as sampled image and input attachment
  machine::SurfaceResource storage;  ///< as storage image
  machine::SurfaceResource samples;  ///< multisampled: its samples as layers
  /// Further planes of `sampled`, whose color is made of several (VKF-8).
  std::array<machine::SurfaceResource, 2> planes;

  /// As attachment: one level and its layers; null where the format has no such aspect.
  struct Attachment {
    machine::SurfaceResource color, depth, stencil;
  };
  Attachment attachment;
  VkFormat format = VK_FORMAT_UNDEFINED;
  std::uint64_t number = 0;  ///< in descriptor buffers; 0: the device has none
  std::uint32_t width = 1, height = 1, layers = 1;
};

HEDDLE_HANDLE(ImageView, VkImageView)

}  // namespace heddle::vulkan
