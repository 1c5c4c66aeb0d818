// SPDX-License-Identifier: MIT
#pragma once
// Parts of images: aspects, and rows of bytes.

#include <functional>

#include "pipeline/transfer/transfer.hpp"
#include "vulkan/execution/context/observers.hpp"

namespace heddle::vulkan {

/// use(aspect) for each aspect of a mask.
template <typename Use>
void for_each_aspect(VkImageAspectFlags mask, const Use& use) {
  for (VkImageAspectFlags left = mask; left != 0; left &= left - 1) use(left & (~left + 1));
}

/// use(bytes) for the texels of a box, row by row where they do not lie together; what is outside the image is left
/// out. A surface without memory has none.
void for_each_row(const image::Surface& surface, pipeline::transfer::ImageBox box,
                  const std::function<void(Bytes)>& use);
/// The bytes from the first to the last texel of whole layers of a level, which lie one behind the other.
[[nodiscard]] Bytes from_first_to_last(const image::Surface& surface, const pipeline::transfer::ImageBox& box);

}  // namespace heddle::vulkan
