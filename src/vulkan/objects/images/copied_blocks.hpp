// SPDX-License-Identifier: MIT
#pragma once
// Blocks of compressed formats that a copy names a part of (TRF-21).

#include "image/surface.hpp"
#include "pipeline/transfer/transfer.hpp"

namespace heddle::vulkan {

struct Instance;

/// `box` with whole blocks of the surface; where that is more than was asked for, the application is told.
[[nodiscard]] pipeline::transfer::ImageBox copied_blocks(Instance& instance, const image::Surface& surface,
                                                         const pipeline::transfer::ImageBox& box);

}  // namespace heddle::vulkan
