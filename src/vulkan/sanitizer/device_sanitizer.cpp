// SPDX-License-Identifier: MIT
#include "vulkan/sanitizer/device_sanitizer.hpp"

#include <algorithm>
#include <bit>

#include "vulkan/device/device.hpp"
#include "vulkan/objects/images/image.hpp"
#include "vulkan/objects/images/image_view.hpp"

namespace heddle::vulkan {
namespace {

/// What the view shows of an image whose layouts are tracked.
std::optional<TrackedView> tracked_view(const VkImageViewCreateInfo& info) {
  const Image& image = *from_handle(info.image);
  if (image.layouts == nullptr) return std::nullopt;
  TrackedView view;
  view.layouts = image.layouts;
  view.range = info.subresourceRange;
  VkImageSubresourceRange& range = view.range;
  view.volume = image.type == VK_IMAGE_TYPE_3D;
  range.levelCount = std::min(range.levelCount, image.levels - range.baseMipLevel);
  if (view.volume) range.baseArrayLayer = 0;
  range.layerCount = std::min(range.layerCount, image.layers - range.baseArrayLayer);
  view.aspect = std::popcount(range.aspectMask) > 1 ? VK_IMAGE_ASPECT_DEPTH_BIT : range.aspectMask;
  const auto aspect = aspect_of(view.aspect, *image.format);
  const auto plane = aspect ? image.format->plane_of(*aspect) : std::nullopt;
  if (!plane) return std::nullopt;  // a color of several planes
  view.plane = static_cast<std::uint32_t>(*plane);
  view.samples = image.samples;
  view.format = image.format;
  view.image = reinterpret_cast<std::uint64_t>(&image);
  return view;
}

}  // namespace

std::unique_ptr<DeviceObserver> make_device_observer(Device& device) {
  return std::make_unique<DeviceSanitizer>(device.physical.instance);
}

DeviceSanitizer& checks_of(const Device& device) { return static_cast<DeviceSanitizer&>(*device.observer); }

void DeviceSanitizer::image_created(Image& image, VkImageLayout initial) {
  // Each slice of such a volume may have a layout of its own; a volume is followed as a whole.
  if (image.type == VK_IMAGE_TYPE_3D && (image.flags & VK_IMAGE_CREATE_2D_ARRAY_COMPATIBLE_BIT) != 0) return;
  image.layouts = std::make_shared<TrackedLayouts>(image.format->plane_count, image.levels, image.layers, initial);
}

void DeviceSanitizer::image_changed(Image& image, const VkImageSubresourceRange& range, VkImageLayout to) {
  if (image.layouts == nullptr) return;
  const std::uint32_t levels = std::min(range.levelCount, image.levels - std::min(range.baseMipLevel, image.levels));
  const std::uint32_t layers = std::min(range.layerCount, image.layers - std::min(range.baseArrayLayer, image.layers));
  for (VkImageAspectFlags left = range.aspectMask; left != 0; left &= left - 1) {
    const auto aspect = aspect_of(left & (~left + 1), *image.format);
    const auto plane = aspect ? image.format->plane_of(*aspect) : std::nullopt;
    for (std::uint32_t level = 0; plane && level < levels; ++level)
      for (std::uint32_t layer = 0; layer < layers; ++layer)
        image.layouts->set(static_cast<std::uint32_t>(*plane), range.baseMipLevel + level, range.baseArrayLayer + layer,
                           to);
  }
}

void DeviceSanitizer::view_created(const ImageView& view, const VkImageViewCreateInfo& info) {
  auto tracked = tracked_view(info);
  if (!tracked) return;
  const std::lock_guard guard(mutex_);
  views_[&view] = std::move(*tracked);
  for (const machine::SurfaceResource* s : {&view.sampled, &view.storage, &view.samples})
    if (*s) surfaces_[s->get()] = &view;
}

void DeviceSanitizer::view_destroyed(const ImageView& view) {
  const std::lock_guard guard(mutex_);
  views_.erase(&view);
  for (const machine::SurfaceResource* s : {&view.sampled, &view.storage, &view.samples})
    if (*s) surfaces_.erase(s->get());
}

std::optional<TrackedView> DeviceSanitizer::find(const ImageView* view) const {
  const std::lock_guard guard(mutex_);
  const auto found = views_.find(view);
  return found == views_.end() ? std::nullopt : std::optional(found->second);
}

std::optional<TrackedView> DeviceSanitizer::find(const image::Surface* surface) const {
  const std::lock_guard guard(mutex_);
  const auto found = surfaces_.find(surface);
  return found == surfaces_.end() ? std::nullopt : std::optional(views_.at(found->second));
}

}  // namespace heddle::vulkan
