// SPDX-License-Identifier: MIT
#pragma once
// How planes and aspects of images with memory in parts are named.

#include <vulkan/vulkan.h>

#include <cstddef>

#include "image/vulkan_formats.hpp"

namespace heddle::vulkan {

/// The aspect by which a plane of a format is bound in parts.
[[nodiscard]] inline VkImageAspectFlags plane_aspect(const image::VulkanFormat& format, std::size_t plane) {
  if (format.multi_planar()) return VkImageAspectFlags{VK_IMAGE_ASPECT_PLANE_0_BIT} << plane;
  return format.depth     ? VK_IMAGE_ASPECT_DEPTH_BIT
         : format.stencil ? VK_IMAGE_ASPECT_STENCIL_BIT
                          : VK_IMAGE_ASPECT_COLOR_BIT;
}

}  // namespace heddle::vulkan
