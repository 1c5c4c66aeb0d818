#pragma once
// Images, their views, samplers and YCbCr conversions.

#include <vulkan/vulkan.h>

#include <array>
#include <memory>
#include <optional>
#include <vector>

#include "image/sampler.hpp"
#include "image/surface.hpp"
#include "image/vulkan_formats.hpp"
#include "machine/bindings.hpp"
#include "spirv/compile/compile.hpp"
#include "vulkan/api/handles.hpp"
#include "vulkan/checks/tracked_layouts.hpp"

namespace heddle::vulkan {

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
  std::uint64_t size = 0;                   ///< bytes
  std::shared_ptr<TrackedLayouts> layouts;  ///< where checks are on; null also where another image has the same ones

  /// The surface of an aspect; nullptr where the image has none.
  [[nodiscard]] Plane* plane_of(VkImageAspectFlags aspect);
  [[nodiscard]] const Plane* plane_of(VkImageAspectFlags aspect) const {
    return const_cast<Image*>(this)->plane_of(aspect);
  }
};

/// State of an image; the result says what is wrong with it.
[[nodiscard]] VkResult lay_out_image(const VkImageCreateInfo& info, Image& image);

/// Gives one plane of a disjoint image its memory; false where that is too small.
[[nodiscard]] bool bind_plane(Image::Plane& plane, const std::shared_ptr<image::Memory>& memory, std::uint64_t offset);
/// Gives the image its memory, from `offset` on; false where that is too small.
[[nodiscard]] bool bind_image(Image& image, const std::shared_ptr<image::Memory>& memory, std::uint64_t offset);

struct ImageView {
  machine::SurfaceResource sampled;  ///< as sampled image and input attachment
  machine::SurfaceResource storage;  ///< as storage image
  machine::SurfaceResource samples;  ///< multisampled: its samples as layers
  /// Further planes of `sampled`, whose color is made of several (VKF-8).
  std::array<machine::SurfaceResource, 2> planes;

  /// As attachment: one level and its layers; null where the format has no such aspect.
  struct Attachment {
    machine::SurfaceResource color, depth, stencil;
  };
  Attachment attachment;
  VkFormat format = VK_FORMAT_UNDEFINED;
  std::uint32_t width = 1, height = 1, layers = 1;
};

struct Sampler {
  machine::SamplerResource state;
  spirv::SampledPlanes planes;  ///< of its conversion
};

struct YcbcrConversion {
  spirv::SampledPlanes planes;
};
/// VKF-8: how an image is sampled through the conversion. Of none of the formats with chroma: as one plane.
[[nodiscard]] spirv::SampledPlanes sampled_planes(const VkSamplerYcbcrConversionCreateInfo& info);

[[nodiscard]] std::optional<image::Aspect> aspect_of(VkImageAspectFlags aspect, const image::VulkanFormat& format);

HEDDLE_HANDLE(Image, VkImage)
HEDDLE_HANDLE(ImageView, VkImageView)
HEDDLE_HANDLE(Sampler, VkSampler)
HEDDLE_HANDLE(YcbcrConversion, VkSamplerYcbcrConversion)

}  // namespace heddle::vulkan
