#pragma once
// The bytes of parts of images.

#include <cstdint>
#include <functional>
#include <span>

#include "pipeline/transfer/transfer.hpp"

namespace heddle::vulkan {

using Bytes = std::span<const std::uint8_t>;

/// use(bytes) for the texels of a box, row by row where they do not lie together; what is outside the image is left
/// out. A surface without memory has none.
void for_each_row(const image::Surface& surface, pipeline::transfer::ImageBox box,
                  const std::function<void(Bytes)>& use);

}  // namespace heddle::vulkan
