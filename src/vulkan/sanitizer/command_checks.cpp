// SPDX-License-Identifier: MIT
#include "vulkan/sanitizer/command_checks.hpp"

#include <algorithm>
#include <optional>
#include <span>
#include <utility>

#include "pipeline/transfer/transfer.hpp"
#include "vulkan/commands/command.hpp"
#include "vulkan/objects/images/image.hpp"
#include "vulkan/objects/memory/buffer.hpp"

namespace heddle::vulkan {
namespace {

namespace transfer = pipeline::transfer;

/// work(plane, its surface, aspect, level, first layer, layers) for what of an image a range names.
template <typename Work>
void for_each_level(Image& image, const VkImageSubresourceRange& range, const Work& work) {
  const std::uint32_t first = image.type == VK_IMAGE_TYPE_3D ? 0 : range.baseArrayLayer;
  if (range.baseMipLevel >= image.levels || first >= image.layers) return;
  const std::uint32_t levels = std::min(range.levelCount, image.levels - range.baseMipLevel);
  const std::uint32_t layers = image.type == VK_IMAGE_TYPE_3D ? 1 : std::min(range.layerCount, image.layers - first);
  for (std::uint32_t plane = 0; plane < image.format->plane_count; ++plane) {
    VkImageAspectFlags own = 0;
    for_each_aspect(range.aspectMask, [&](VkImageAspectFlags aspect) {
      const Image::Plane* of = image.plane_of(aspect);
      if (of == &image.planes[plane] || (aspect == VK_IMAGE_ASPECT_COLOR_BIT && image.format->multi_planar()))
        own = aspect;
    });
    if (own == 0) continue;
    for (std::uint32_t level = range.baseMipLevel; level < range.baseMipLevel + levels; ++level)
      work(plane, image.planes[plane].surface, own, level, first, layers);
  }
}

}  // namespace

void CommandChecks::end_buffer() {
  watch_->end_buffer(outer_.back());
  outer_.pop_back();
}
void CommandChecks::begin_command(const Command& command) { watch_->begin_command(command_name(command.type)); }

void CommandChecks::depend(const VkImageMemoryBarrier2& b) {
  if (b.image == VK_NULL_HANDLE) return;
  Image& image = *from_handle(b.image);
  const bool changes = b.oldLayout != b.newLayout, handed_over = b.srcQueueFamilyIndex != b.dstQueueFamilyIndex;
  Dependency dependency{b.srcStageMask, b.dstStageMask, b.srcAccessMask, b.dstAccessMask, {}};
  std::optional<std::uint32_t> last_plane;  // the levels of a plane lie one behind the other
  for_each_level(
      image, b.subresourceRange,
      [&](std::uint32_t plane, const image::Surface& s, VkImageAspectFlags aspect, std::uint32_t level,
          std::uint32_t first, std::uint32_t layers) {
        const transfer::ImageBox box = transfer::whole_level(s, level, first, layers);
        if (const Bytes bytes = from_first_to_last(s, box); !bytes.empty()) {
          const bool goes_on = last_plane == plane && layers == image.layers;
          if (!goes_on) dependency.memory.push_back(bytes);
          Bytes& all = dependency.memory.back();
          all = {all.data(), bytes.data() + bytes.size()};
          last_plane = plane;
        }
        if (changes && b.oldLayout == VK_IMAGE_LAYOUT_UNDEFINED)
          for_each_row(s, box, [&](Bytes bytes) { watch_->forget(bytes); });
        if (!changes || image.layouts == nullptr) return;
        for (std::uint32_t layer = first; layer < first + layers; ++layer) {
          const VkImageLayout current = image.layouts->of(plane, level, layer);
          // Of a queue that hands the image over and one that takes it, the first has changed it.
          const bool taken = handed_over && same_layout(b.newLayout, current, aspect);
          if (!taken && b.oldLayout != VK_IMAGE_LAYOUT_UNDEFINED && !same_layout(b.oldLayout, current, aspect))
            watch_->report_layout(reinterpret_cast<std::uint64_t>(&image), level, layer, current, b.oldLayout,
                                  "the barrier's oldLayout");
          image.layouts->set(plane, level, layer, b.newLayout);
        }
      });
  if (!dependency.memory.empty()) watch_->depend(std::move(dependency));
}

void CommandChecks::depend(const VkDependencyInfo& info) {
  for (const VkMemoryBarrier2& b : std::span(info.pMemoryBarriers, info.memoryBarrierCount))
    watch_->depend({b.srcStageMask, b.dstStageMask, b.srcAccessMask, b.dstAccessMask, {}});
  for (const VkBufferMemoryBarrier2& b : std::span(info.pBufferMemoryBarriers, info.bufferMemoryBarrierCount)) {
    if (b.buffer == VK_NULL_HANDLE) continue;
    const std::span<std::uint8_t> bytes = from_handle(b.buffer)->range(b.offset, b.size);
    if (!bytes.empty()) watch_->depend({b.srcStageMask, b.dstStageMask, b.srcAccessMask, b.dstAccessMask, {bytes}});
  }
  for (const VkImageMemoryBarrier2& b : std::span(info.pImageMemoryBarriers, info.imageMemoryBarrierCount)) depend(b);
}

}  // namespace heddle::vulkan
