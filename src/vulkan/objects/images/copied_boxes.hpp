// SPDX-License-Identifier: MIT
#pragma once
// What copies take of images: Vulkan's regions as boxes of an image's surfaces, on a queue and by the host (TRF-1,
// TRF-21).

#include <vulkan/vulkan.h>

#include <cstdint>

#include "base/result.hpp"
#include "pipeline/transfer/transfer.hpp"
#include "vulkan/objects/images/image.hpp"

namespace heddle::vulkan {

struct Instance;

/// As many as are there, where all that remain are asked for.
[[nodiscard]] std::uint32_t layers_of(const Image& image, std::uint32_t first, std::uint32_t count);

/// What a copy names of an image, in texels of the image.
struct AskedBox {
  const Image& image;
  const VkImageSubresourceLayers& at;
  const VkOffset3D& offset;
  const VkExtent3D& extent;
};

/// The box in texels of the image's surfaces. Refused where it begins inside a pair of 4:2:2 in one plane (TRF-1); a
/// width that ends inside one takes it whole (TRF-21).
[[nodiscard]] base::Result<pipeline::transfer::ImageBox> box_of(const AskedBox& asked);
/// The same of a place alone.
[[nodiscard]] base::Result<pipeline::transfer::ImageOrigin> origin_of(const Image& image,
                                                                      const VkImageSubresourceLayers& at,
                                                                      const VkOffset3D& offset);
[[nodiscard]] pipeline::transfer::BufferLayout layout_of(const Image& image, std::uint64_t offset,
                                                         std::uint32_t row_length, std::uint32_t image_height);

/// `done`, the result of a copy of whole blocks. Where it took more of the surface than was asked for, the application
/// is told, once for each level of an image (TRF-21).
[[nodiscard]] base::Result<base::Done> tell_of_blocks(Instance& instance, const AskedBox& asked,
                                                      const image::Surface& surface, base::Result<base::Done> done);

}  // namespace heddle::vulkan
