// SPDX-License-Identifier: MIT
#include "vulkan/objects/images/copied_blocks.hpp"

#include <fmt/format.h>

#include "vulkan/device/instance.hpp"

namespace heddle::vulkan {

namespace transfer = pipeline::transfer;

transfer::ImageBox copied_blocks(Instance& instance, const image::Surface& surface, const transfer::ImageBox& box) {
  const transfer::ImageBox whole = transfer::whole_blocks(surface, box);
  if (whole.extent.width != box.extent.width || whole.extent.height != box.extent.height) {
    const image::FormatInfo& format = surface.info();
    instance.message(
        VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT, "vulkan-blocks",
        fmt::format("a copy of {}x{} texels at ({}, {}) ends inside a block of {}x{}, and not at the edge of level {}: "
                    "{}x{} texels are copied",
                    box.extent.width, box.extent.height, box.offset.x, box.offset.y, format.block_width,
                    format.block_height, box.level, whole.extent.width, whole.extent.height));
  }
  return whole;
}

}  // namespace heddle::vulkan
