// SPDX-License-Identifier: MIT
#pragma once
// The layout of each subresource of an image, as the commands that were carried out left it (run-image-layout).

#include <vulkan/vulkan.h>

#include <cstdint>
#include <string_view>
#include <vector>

namespace heddle::vulkan {

/// Changed by the queue's thread while no shader runs.
class TrackedLayouts {
 public:
  /// `planes`: surfaces that the image is made of, one for each aspect; a volume has one layer.
  TrackedLayouts(std::uint32_t planes, std::uint32_t levels, std::uint32_t layers, VkImageLayout initial)
      : levels_(levels), layers_(layers), current_(std::size_t{planes} * levels * layers, initial) {}

  /// VK_IMAGE_LAYOUT_MAX_ENUM where the image has no such place.
  [[nodiscard]] VkImageLayout of(std::uint32_t plane, std::uint32_t level, std::uint32_t layer) const {
    const std::size_t at = place(plane, level, layer);
    return at < current_.size() ? current_[at] : VK_IMAGE_LAYOUT_MAX_ENUM;
  }
  void set(std::uint32_t plane, std::uint32_t level, std::uint32_t layer, VkImageLayout layout) {
    const std::size_t at = place(plane, level, layer);
    if (at < current_.size()) current_[at] = layout;
  }
  [[nodiscard]] std::uint32_t levels() const { return levels_; }
  [[nodiscard]] std::uint32_t layers() const { return layers_; }

 private:
  [[nodiscard]] std::size_t place(std::uint32_t plane, std::uint32_t level, std::uint32_t layer) const {
    if (level >= levels_ || layer >= layers_) return current_.size();
    return (std::size_t{plane} * levels_ + level) * layers_ + layer;
  }
  std::uint32_t levels_, layers_;
  std::vector<VkImageLayout> current_;
};

/// Whether what is declared is the layout that an aspect is in. Layouts that are the same for one aspect are alike:
/// those to be read, and those of attachments.
[[nodiscard]] bool same_layout(VkImageLayout declared, VkImageLayout current, VkImageAspectFlags aspect);

/// "SHADER_READ_ONLY_OPTIMAL".
[[nodiscard]] std::string_view layout_name(VkImageLayout layout);

}  // namespace heddle::vulkan
