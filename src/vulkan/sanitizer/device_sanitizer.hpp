// SPDX-License-Identifier: MIT
#pragma once
// What the sanitizer remembers of a device's memory and images; there where checks are on.

#include <memory>
#include <mutex>
#include <optional>
#include <unordered_map>

#include "image/surface.hpp"
#include "image/vulkan_formats.hpp"
#include "vulkan/device/device_observer.hpp"
#include "vulkan/sanitizer/check_log.hpp"
#include "vulkan/sanitizer/tracked_layouts.hpp"
#include "vulkan/sanitizer/written_bytes.hpp"

namespace heddle::vulkan {

struct Instance;

/// What a view shows of an image whose layouts are tracked.
struct TrackedView {
  std::shared_ptr<TrackedLayouts> layouts;
  VkImageSubresourceRange range{};  ///< without VK_REMAINING_...
  std::uint32_t plane = 0;          ///< that shaders see
  VkImageAspectFlags aspect = 0;    ///< of that
  std::uint32_t samples = 1;
  bool volume = false;
  const image::VulkanFormat* format = nullptr;  ///< of the image
  std::uint64_t image = 0;                      ///< handle, for its name
};

/// May be used from several threads.
class DeviceSanitizer : public DeviceObserver {
 public:
  explicit DeviceSanitizer(Instance& instance) : log(instance) {}
  WrittenBytes written;
  CheckLog log;

  void memory_allocated(const image::Memory& memory) override { written.add(memory); }
  void memory_freed(const image::Memory& memory) override { written.remove(memory.data()); }
  void memory_mapped(std::span<std::uint8_t> bytes) override { written.map(bytes); }
  void image_created(Image& image, VkImageLayout initial) override;
  void image_changed(Image& image, const VkImageSubresourceRange& range, VkImageLayout to) override;
  /// The view's surfaces are known by their addresses until it is destroyed.
  void view_created(const ImageView& view, const VkImageViewCreateInfo& info) override;
  void view_destroyed(const ImageView& view) override;
  [[nodiscard]] std::optional<TrackedView> find(const ImageView* view) const;
  [[nodiscard]] std::optional<TrackedView> find(const image::Surface* surface) const;

 private:
  mutable std::mutex mutex_;
  std::unordered_map<const ImageView*, TrackedView> views_;
  std::unordered_map<const image::Surface*, const ImageView*> surfaces_;
};

/// Of a device with `checks`.
[[nodiscard]] DeviceSanitizer& checks_of(const Device& device);

}  // namespace heddle::vulkan
