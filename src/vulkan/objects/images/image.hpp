// SPDX-License-Identifier: MIT
#pragma once
// Images.

#include <vulkan/vulkan.h>

#include <array>
#include <atomic>
#include <memory>
#include <optional>

#include "image/surface.hpp"
#include "image/vulkan_formats.hpp"
#include "vulkan/api/handles.hpp"
#include "vulkan/objects/images/sparse_image.hpp"

namespace heddle::vulkan {

class TrackedLayouts;  // of sanitizer/

/// An image is a surface for each plane or aspect, one behind the other in its memory.
struct Image {
  const image::VulkanFormat* format = nullptr;
  VkImageType type = VK_IMAGE_TYPE_2D;
  VkImageCreateFlags flags = 0;
  VkImageUsageFlags usage = 0;
  VkExtent3D extent{};
  std::uint32_t levels = 1, layers = 1, samples = 1;
  struct Plane {
    image::Surface surface;    ///< its `memory` is null before the image is bound
    std::uint64_t offset = 0;  ///< in the image
  };
  std::array<Plane, 3> planes;
  std::uint64_t size = 0;                     ///< bytes
  std::unique_ptr<SparsePages> sparse_pages;  ///< where the queue binds the image's memory, whole
  std::unique_ptr<SparseImage> sparse;        ///< where it binds it in parts
  std::shared_ptr<TrackedLayouts> layouts;    ///< where checks are on; null also where another image has the same ones
  mutable std::atomic<std::uint32_t> blocks_told = 0;  ///< bit for level: `vulkan-blocks` has been said of it

  /// Texels side by side that are one texel of the surface: 2 of 4:2:2 in one plane, where boxes of copies count them.
  [[nodiscard]] std::uint32_t across() const { return format->pairs ? 2 : 1; }
  /// The surface of an aspect; nullptr where the image has none.
  [[nodiscard]] Plane* plane_of(VkImageAspectFlags aspect);
  [[nodiscard]] const Plane* plane_of(VkImageAspectFlags aspect) const {
    return const_cast<Image*>(this)->plane_of(aspect);
  }
};

/// State of an image; the result says what is wrong with it.
[[nodiscard]] VkResult lay_out_image(const VkImageCreateInfo& info, Image& image);

/// 4:2:2 in one plane: texels of twice the width in place of pairs, at the same places.
void see_halves(const image::VulkanFormat& format, image::Surface& surface);

/// Gives one plane of a disjoint image its memory; false where that is too small.
[[nodiscard]] bool bind_plane(Image::Plane& plane, const std::shared_ptr<image::Memory>& memory, std::uint64_t offset);
/// Gives the image its memory, from `offset` on; false where that is too small.
[[nodiscard]] bool bind_image(Image& image, const std::shared_ptr<image::Memory>& memory, std::uint64_t offset);

/// The memory of a picture that is shown on a surface. Defined by surface/.
[[nodiscard]] const std::shared_ptr<image::Memory>& picture_memory(VkSwapchainKHR swapchain, std::uint32_t index);

[[nodiscard]] std::optional<image::Aspect> aspect_of(VkImageAspectFlags aspect, const image::VulkanFormat& format);

HEDDLE_HANDLE(Image, VkImage)

}  // namespace heddle::vulkan
