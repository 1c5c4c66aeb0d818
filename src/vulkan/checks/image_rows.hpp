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
/// The bytes from the first to the last texel of whole layers of a level, which lie one behind the other.
[[nodiscard]] Bytes from_first_to_last(const image::Surface& surface, const pipeline::transfer::ImageBox& box);

}  // namespace heddle::vulkan
