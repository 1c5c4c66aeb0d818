// SPDX-License-Identifier: MIT
#include "vulkan/execution/context/rendering.hpp"

#include "vulkan/objects/images/image_view.hpp"

namespace heddle::vulkan {

const machine::SurfaceResource& attachment_of(const ImageView& view, VkImageAspectFlags aspect) {
  return aspect == VK_IMAGE_ASPECT_COLOR_BIT   ? view.attachment.color
         : aspect == VK_IMAGE_ASPECT_DEPTH_BIT ? view.attachment.depth
                                               : view.attachment.stencil;
}

}  // namespace heddle::vulkan
