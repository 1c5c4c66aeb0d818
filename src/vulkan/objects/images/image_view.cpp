// SPDX-License-Identifier: MIT
#include "vulkan/objects/images/image_view.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "image/sample_layers.hpp"
#include "vulkan/device/device.hpp"
#include "vulkan/generated/entry_points.hpp"
#include "vulkan/objects/images/image.hpp"
#include "vulkan/objects/images/object_numbers.hpp"

namespace heddle::vulkan {
namespace {

image::ChannelSelect channel_of(VkComponentSwizzle swizzle, image::ChannelSelect identity) {
  switch (swizzle) {
    case VK_COMPONENT_SWIZZLE_ZERO:
      return image::ChannelSelect::Zero;
    case VK_COMPONENT_SWIZZLE_ONE:
      return image::ChannelSelect::One;
    case VK_COMPONENT_SWIZZLE_R:
      return image::ChannelSelect::Red;
    case VK_COMPONENT_SWIZZLE_G:
      return image::ChannelSelect::Green;
    case VK_COMPONENT_SWIZZLE_B:
      return image::ChannelSelect::Blue;
    case VK_COMPONENT_SWIZZLE_A:
      return image::ChannelSelect::Alpha;
    default:
      return identity;
  }
}

/// VKF-10: elements of another size of block at the same place: a compressed image seen as its blocks. One level, its
/// layers.
void see_blocks(image::Surface& s, std::uint32_t level, image::Format format) {
  const image::LevelLayout at = s.layout[level];
  s.base += at.offset;
  s.residency_level += level;
  s.format = format;
  s.width = at.element_columns;
  s.height = s.type == image::SurfaceType::Dim1 ? 1 : at.element_rows;
  if (s.type == image::SurfaceType::Dim3) s.depth = at.depth;
  s.levels = 1;
  s.mip_count = 0;
  (void)image::lay_out(s);
}

/// Gives the surface of an image the format of a view from `level` on; the result is that level's number in what the
/// surface is then.
std::uint32_t see_as(image::Surface& s, std::uint32_t level, image::Format format) {
  if (image::format_info(format)->block_width != s.info().block_width) {
    see_blocks(s, level, format);
    return 0;
  }
  s.format = format;
  return level;
}

void set_shape(image::Surface& s, VkImageViewType type, std::uint32_t first_layer, std::uint32_t layers) {
  s.min_array_element = first_layer;
  s.view_layers = layers;
  s.array = false;
  switch (type) {
    case VK_IMAGE_VIEW_TYPE_1D_ARRAY:
      s.array = true;
      [[fallthrough]];
    case VK_IMAGE_VIEW_TYPE_1D:
      s.type = image::SurfaceType::Dim1;
      break;
    case VK_IMAGE_VIEW_TYPE_2D_ARRAY:
      s.array = true;
      [[fallthrough]];
    case VK_IMAGE_VIEW_TYPE_2D:
      s.type = image::SurfaceType::Dim2;
      break;
    case VK_IMAGE_VIEW_TYPE_3D:
      s.type = image::SurfaceType::Dim3;
      s.min_array_element = 0;
      s.view_layers = 1;
      break;
    case VK_IMAGE_VIEW_TYPE_CUBE_ARRAY:
      s.array = true;
      [[fallthrough]];
    case VK_IMAGE_VIEW_TYPE_CUBE:
      s.type = image::SurfaceType::Cube;
      s.view_layers = std::max(1u, layers / 6);
      break;
    default:
      break;
  }
}

/// VKF-10: typed messages find the view's first level in the state, queries and loads where those of a sampled image
/// do.
std::shared_ptr<image::Surface> storage_view(const image::Surface& sampled) {
  auto s = std::make_shared<image::Surface>(sampled);
  s->rt_level = sampled.surf_min_lod;
  s->resource_min_lod = 0;
  s->unread_levels = 0;
  s->swizzle = image::Surface().swizzle;
  return s;
}

/// What draws write to: the first level, without swizzle.
std::shared_ptr<image::Surface> attachment_view(const Image& image, VkImageAspectFlags aspect, image::Format format,
                                                const VkImageSubresourceRange& range, std::uint32_t layers) {
  const Image::Plane* plane = image.plane_of(aspect);
  if (plane == nullptr) return nullptr;
  auto s = std::make_shared<image::Surface>(plane->surface);
  s->rt_level = see_as(*s, range.baseMipLevel, format);
  // Slices of a volume are layers here.
  if (s->type == image::SurfaceType::Dim3) s->type = image::SurfaceType::Dim2;
  s->array = layers > 1;
  s->mip_count = 0;
  s->min_array_element = range.baseArrayLayer;
  s->view_layers = layers;
  s->rt_extent = layers - 1;
  return s;
}

/// The surfaces that draws through the view change.
void add_attachments(const Image& image, const image::VulkanFormat& format, const VkImageSubresourceRange& range,
                     std::uint32_t layers, ImageView& view) {
  constexpr VkImageUsageFlags kAttachments = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT |
                                             VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT |
                                             VK_IMAGE_USAGE_FRAGMENT_SHADING_RATE_ATTACHMENT_BIT_KHR;
  view.width = std::max(1u, image.extent.width >> range.baseMipLevel);
  view.height = std::max(1u, image.extent.height >> range.baseMipLevel);
  view.layers = layers;
  if ((image.usage & kAttachments) == 0 || format.multi_planar()) return;
  const auto of = [&](VkImageAspectFlags flag) -> machine::SurfaceResource {
    const auto aspect = aspect_of(flag, format);
    const auto index = aspect ? format.plane_of(*aspect) : std::nullopt;
    // A view of one plane has that plane's format, and names the plane by its aspect.
    const VkImageAspectFlags own = image.format->multi_planar() ? range.aspectMask : flag;
    return index ? attachment_view(image, own, format.planes[*index].format, range, layers) : nullptr;
  };
  if (format.depth || format.stencil) {
    view.attachment = {nullptr, of(VK_IMAGE_ASPECT_DEPTH_BIT), of(VK_IMAGE_ASPECT_STENCIL_BIT)};
    return;
  }
  view.attachment.color = of(VK_IMAGE_ASPECT_COLOR_BIT);
  if (const image::Surface* color = view.attachment.color.get()) {  // of blocks: as many as there are
    view.width = color->level_width(color->rt_level);
    view.height = color->level_height(color->rt_level);
  }
}

/// VKF-8: what a view of several planes is sampled from, all but the first plane; of 4:2:2 in one plane the pairs,
/// whose halves, with luma, `first` becomes.
void add_planes(const Image& image, bool of_plane, image::Surface& first, ImageView& view) {
  if (of_plane) return;
  if (image.format->pairs) {
    view.planes[0] = std::make_shared<image::Surface>(first);
    see_halves(*image.format, first);
    return;
  }
  for (unsigned i = 1; image.format->multi_planar() && i < image.format->plane_count; ++i) {
    auto plane = std::make_shared<image::Surface>(image.planes[i].surface);
    plane->type = first.type;
    plane->array = first.array;
    plane->min_array_element = first.min_array_element;
    plane->view_layers = first.view_layers;
    view.planes[i - 1] = std::move(plane);
  }
}

/// Whether views of that type show images of that one.
bool shows(VkImageViewType view, VkImageType image) {
  switch (view) {
    case VK_IMAGE_VIEW_TYPE_1D:
    case VK_IMAGE_VIEW_TYPE_1D_ARRAY:
      return image == VK_IMAGE_TYPE_1D;
    case VK_IMAGE_VIEW_TYPE_2D:
    case VK_IMAGE_VIEW_TYPE_2D_ARRAY:
      return image != VK_IMAGE_TYPE_1D;
    case VK_IMAGE_VIEW_TYPE_3D:
      return image == VK_IMAGE_TYPE_3D;
    default:
      return image == VK_IMAGE_TYPE_2D;
  }
}

VkResult make_view(const VkImageViewCreateInfo& info, ImageView& view) {
  const Image& image = *from_handle(info.image);
  const VkImageSubresourceRange& range = info.subresourceRange;
  const image::VulkanFormat* format = image::find_vulkan_format(info.format);
  if (format == nullptr) return VK_ERROR_FORMAT_NOT_SUPPORTED;
  // Of a view with both, shaders read depth.
  VkImageAspectFlags aspect = range.aspectMask;
  if (std::popcount(aspect) > 1) aspect = VK_IMAGE_ASPECT_DEPTH_BIT;
  const Image::Plane* plane = image.plane_of(aspect);
  // Slices of a volume are the layers of a view that is no volume.
  const bool slices = image.type == VK_IMAGE_TYPE_3D && info.viewType != VK_IMAGE_VIEW_TYPE_3D;
  const std::uint32_t there = slices ? std::max(1u, image.extent.depth >> range.baseMipLevel) : image.layers;
  const bool cube = info.viewType == VK_IMAGE_VIEW_TYPE_CUBE || info.viewType == VK_IMAGE_VIEW_TYPE_CUBE_ARRAY;
  if (plane == nullptr || !shows(info.viewType, image.type) || range.baseMipLevel >= image.levels ||
      range.baseArrayLayer >= there || range.levelCount == 0 ||
      std::min(range.layerCount, there - range.baseArrayLayer) < (cube ? 6u : 1u))
    return VK_ERROR_OUT_OF_DEVICE_MEMORY;
  const std::uint32_t levels = std::min(range.levelCount, image.levels - range.baseMipLevel);
  const std::uint32_t layers = std::min(range.layerCount, there - range.baseArrayLayer);

  auto s = std::make_shared<image::Surface>(plane->surface);
  const auto own = aspect_of(aspect, *format);
  const auto index = own ? format->plane_of(*own) : std::nullopt;
  // A view of one plane says so by its aspect, and has the format of that plane.
  const bool of_plane = image.format->multi_planar() && !format->multi_planar();
  const image::Format wanted = of_plane                           ? format->planes[0].format
                               : index && !format->multi_planar() ? format->planes[*index].format
                                                                  : s->format;
  const bool blocks = image::format_info(wanted)->block_width != s->info().block_width;
  const std::uint32_t first_level = see_as(*s, range.baseMipLevel, wanted);
  set_shape(*s, info.viewType, range.baseArrayLayer, layers);
  s->surf_min_lod = first_level;
  s->mip_count = blocks ? 0 : levels - 1;
  s->swizzle = {channel_of(info.components.r, image::ChannelSelect::Red),
                channel_of(info.components.g, image::ChannelSelect::Green),
                channel_of(info.components.b, image::ChannelSelect::Blue),
                channel_of(info.components.a, image::ChannelSelect::Alpha)};
  if (const auto* least = find_in_chain<VkImageViewMinLodCreateInfoEXT>(
          info.pNext, VK_STRUCTURE_TYPE_IMAGE_VIEW_MIN_LOD_CREATE_INFO_EXT)) {
    // Both count levels of the image (LOD-5); a view of blocks is an image of its own.
    const float lod = std::max(0.0f, least->minLod - static_cast<float>(range.baseMipLevel - first_level));
    s->resource_min_lod = static_cast<std::int32_t>(std::nearbyint(std::min(lod, 15.0f) * 256));
    const float first = std::floor(least->minLod) - static_cast<float>(range.baseMipLevel);
    s->unread_levels = static_cast<std::uint32_t>(std::clamp(first, 0.0f, 15.0f));  // LD-10
  }
  if (of_plane || aspect == VK_IMAGE_ASPECT_COLOR_BIT) add_planes(image, of_plane, *s, view);
  view.storage = storage_view(*s);
  if (s->samples > 1) view.samples = image::samples_as_layers(*s);
  view.sampled = std::move(s);
  view.format = info.format;
  add_attachments(image, *format, range, layers, view);
  return VK_SUCCESS;
}

}  // namespace

namespace entry {

VKAPI_ATTR VkResult VKAPI_CALL CreateImageView(VkDevice device, const VkImageViewCreateInfo* pCreateInfo,
                                               const VkAllocationCallbacks*, VkImageView* pView) {
  return guarded([&] {
    auto view = std::make_unique<ImageView>();
    VkResult result = make_view(*pCreateInfo, *view);
    if (result == VK_SUCCESS) result = number_view(*from_handle(device), *view, pCreateInfo->flags, pCreateInfo->pNext);
    if (DeviceObserver* observer = from_handle(device)->observer.get(); observer != nullptr && result == VK_SUCCESS)
      try {
        observer->view_created(*view, *pCreateInfo);
      } catch (...) {
        forget_number(*from_handle(device), *view);
        throw;
      }
    if (result == VK_SUCCESS) *pView = to_handle(view.release());
    return result;
  });
}
VKAPI_ATTR void VKAPI_CALL DestroyImageView(VkDevice device, VkImageView imageView, const VkAllocationCallbacks*) {
  if (DeviceObserver* observer = from_handle(device)->observer.get();
      observer != nullptr && imageView != VK_NULL_HANDLE)
    observer->view_destroyed(*from_handle(imageView));
  if (imageView != VK_NULL_HANDLE) forget_number(*from_handle(device), *from_handle(imageView));
  destroy(device, from_handle(imageView));
}

}  // namespace entry
}  // namespace heddle::vulkan
