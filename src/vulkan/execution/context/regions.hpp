// SPDX-License-Identifier: MIT
#pragma once
// Which texels of an image transfers touch, for those who look on.

#include "pipeline/transfer/transfer.hpp"

namespace heddle::vulkan {

/// What of `to` a copy of a box writes: texels of blocks of another size are others, slices may become layers.
[[nodiscard]] pipeline::transfer::ImageBox copied_box(const image::Surface& from,
                                                      const pipeline::transfer::ImageBox& box, const image::Surface& to,
                                                      const pipeline::transfer::ImageOrigin& at);

/// The texels between two corners.
[[nodiscard]] pipeline::transfer::ImageBox between(const pipeline::transfer::BlitBox& box);

}  // namespace heddle::vulkan
