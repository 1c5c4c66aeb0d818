// SPDX-License-Identifier: MIT
// Rules: TRF-1, TRF-21.
#include "vulkan/objects/images/copied_boxes.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "vulkan/device/instance.hpp"

namespace heddle::vulkan {

namespace transfer = pipeline::transfer;

namespace {

/// Texels of the image's surfaces.
std::uint32_t across(const Image& image, std::uint32_t texels) {
  return texels / image.across() + (texels % image.across() != 0 ? 1 : 0);
}

base::Result<transfer::Offset> offset_of(const Image& image, const VkOffset3D& o) {
  const auto side = static_cast<std::int32_t>(image.across());
  if (o.x % side != 0)
    return base::error("transfer-region", fmt::format("the region begins at x = {}, inside a pair of texels of {}", o.x,
                                                      image.format->name));
  return transfer::Offset{o.x / side, o.y, o.z};
}

/// Of a side that a copy has accepted: how much of it was copied.
std::uint32_t whole(std::int32_t offset, std::uint32_t extent, std::uint32_t size, std::uint32_t block) {
  const std::uint64_t blocks = (std::uint64_t{extent} + block - 1) / block;
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(blocks * block, size - static_cast<std::uint32_t>(offset)));
}

}  // namespace

std::uint32_t layers_of(const Image& image, std::uint32_t first, std::uint32_t count) {
  return count == VK_REMAINING_ARRAY_LAYERS ? image.layers - std::min(first, image.layers) : count;
}

base::Result<transfer::ImageBox> box_of(const AskedBox& asked) {
  const auto offset = offset_of(asked.image, asked.offset);
  if (!offset.ok()) return offset.failure();
  return transfer::ImageBox{asked.at.mipLevel,
                            asked.at.baseArrayLayer,
                            layers_of(asked.image, asked.at.baseArrayLayer, asked.at.layerCount),
                            *offset,
                            {across(asked.image, asked.extent.width), asked.extent.height, asked.extent.depth}};
}

base::Result<transfer::ImageOrigin> origin_of(const Image& image, const VkImageSubresourceLayers& at,
                                              const VkOffset3D& offset) {
  const auto place = offset_of(image, offset);
  if (!place.ok()) return place.failure();
  return transfer::ImageOrigin{at.mipLevel, at.baseArrayLayer, *place};
}

transfer::BufferLayout layout_of(const Image& image, std::uint64_t offset, std::uint32_t row_length,
                                 std::uint32_t image_height) {
  return {offset, across(image, row_length), image_height};
}

base::Result<base::Done> tell_of_blocks(Instance& instance, const AskedBox& asked, const image::Surface& surface,
                                        base::Result<base::Done> done) {
  if (!done.ok()) return done;
  const image::FormatInfo& format = surface.info();
  const image::LevelLayout& level = surface.layout[asked.at.mipLevel];
  const std::uint32_t pair = asked.image.across(), columns = format.block_width * pair,
                      level_width = pair > 1 ? asked.image.extent.width : level.width;  // pairs have one level
  const std::uint32_t width = whole(asked.offset.x, asked.extent.width, level_width, columns),
                      height = whole(asked.offset.y, asked.extent.height, level.height, format.block_height);
  if (width == asked.extent.width && height == asked.extent.height) return done;
  const std::uint32_t bit = std::uint32_t{1} << asked.at.mipLevel;
  if ((asked.image.blocks_told.fetch_or(bit, std::memory_order_relaxed) & bit) != 0) return done;
  instance.message(
      VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT, "vulkan-blocks",
      fmt::format("a copy of {}x{} texels at ({}, {}) ends inside a block of {}x{}, and not at the edge of level {}: "
                  "{}x{} texels are copied",
                  asked.extent.width, asked.extent.height, asked.offset.x, asked.offset.y, columns, format.block_height,
                  asked.at.mipLevel, width, height));
  return done;
}

}  // namespace heddle::vulkan
