#pragma once
// What the sanitizer remembers of a device's memory and images; there where checks are on.

#include <memory>
#include <mutex>
#include <optional>
#include <unordered_map>

#include "image/surface.hpp"
#include "image/vulkan_formats.hpp"
#include "vulkan/checks/tracked_layouts.hpp"
#include "vulkan/checks/written_bytes.hpp"

namespace heddle::vulkan {

struct Image;
struct ImageView;

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
class DeviceChecks {
 public:
  WrittenBytes written;

  /// The view's surfaces are known by their addresses until it is destroyed.
  void add(const ImageView& view, TrackedView tracked);
  void remove(const ImageView& view);
  [[nodiscard]] std::optional<TrackedView> find(const ImageView* view) const;
  [[nodiscard]] std::optional<TrackedView> find(const image::Surface* surface) const;

 private:
  mutable std::mutex mutex_;
  std::unordered_map<const ImageView*, TrackedView> views_;
  std::unordered_map<const image::Surface*, const ImageView*> surfaces_;
};

}  // namespace heddle::vulkan
