// SPDX-License-Identifier: MIT
#pragma once
// What watches the objects of a device (sanitizer/ does, with HEDDLE_CHECK), as those who make and destroy them see it.

#include <vulkan/vulkan.h>

#include <cstdint>
#include <memory>
#include <span>

#include "image/memory.hpp"

namespace heddle::vulkan {

struct Device;
struct Image;
struct ImageView;

/// May be called from several threads.
class DeviceObserver {
 public:
  DeviceObserver() = default;
  virtual ~DeviceObserver() = default;
  DeviceObserver(const DeviceObserver&) = delete;
  DeviceObserver& operator=(const DeviceObserver&) = delete;

  virtual void memory_allocated(const image::Memory& memory) = 0;
  virtual void memory_freed(const image::Memory& memory) = 0;
  /// The host may write the bytes from now on.
  virtual void memory_mapped(std::span<std::uint8_t> bytes) = 0;
  /// The host gives a part of an image another layout.
  virtual void image_changed(Image& image, const VkImageSubresourceRange& range, VkImageLayout to) = 0;
  virtual void image_created(Image& image, VkImageLayout initial) = 0;
  virtual void view_created(const ImageView& view, const VkImageViewCreateInfo& info) = 0;
  virtual void view_destroyed(const ImageView& view) = 0;
};

/// Defined by sanitizer/.
[[nodiscard]] std::unique_ptr<DeviceObserver> make_device_observer(Device& device);

}  // namespace heddle::vulkan
