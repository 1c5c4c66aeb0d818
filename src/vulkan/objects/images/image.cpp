// SPDX-License-Identifier: MIT
#include "vulkan/objects/images/image.hpp"

#include <algorithm>
#include <bit>
#include <functional>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "vulkan/device/device.hpp"
#include "vulkan/device/object_observer.hpp"
#include "vulkan/device/plane_aspect.hpp"
#include "vulkan/device/properties/limits.hpp"
#include "vulkan/device/properties/properties.hpp"
#include "vulkan/generated/entry_points.hpp"
#include "vulkan/objects/memory/buffer.hpp"
#include "vulkan/objects/memory/device_memory.hpp"
#include "vulkan/objects/memory/requirements.hpp"

namespace heddle::vulkan {

std::optional<image::Aspect> aspect_of(VkImageAspectFlags aspect, const image::VulkanFormat& format) {
  switch (aspect) {
    case VK_IMAGE_ASPECT_COLOR_BIT:
      return format.depth || format.stencil ? std::nullopt : std::optional(image::Aspect::Color);
    case VK_IMAGE_ASPECT_DEPTH_BIT:
      return image::Aspect::Depth;
    case VK_IMAGE_ASPECT_STENCIL_BIT:
      return image::Aspect::Stencil;
    case VK_IMAGE_ASPECT_PLANE_0_BIT:
      return image::Aspect::Plane0;
    case VK_IMAGE_ASPECT_PLANE_1_BIT:
      return image::Aspect::Plane1;
    case VK_IMAGE_ASPECT_PLANE_2_BIT:
      return image::Aspect::Plane2;
    default:
      return std::nullopt;
  }
}

Image::Plane* Image::plane_of(VkImageAspectFlags aspect) {
  constexpr VkImageAspectFlags kMemory[] = {VK_IMAGE_ASPECT_MEMORY_PLANE_0_BIT_EXT,
                                            VK_IMAGE_ASPECT_MEMORY_PLANE_1_BIT_EXT,
                                            VK_IMAGE_ASPECT_MEMORY_PLANE_2_BIT_EXT};
  for (unsigned i = 0; i < format->plane_count; ++i)
    if (aspect == kMemory[i]) return &planes[i];
  const auto wanted = aspect_of(aspect, *format);
  const auto index = wanted ? format->plane_of(*wanted) : std::nullopt;
  return index ? &planes[*index] : nullptr;
}

namespace {

std::uint32_t divide_up(std::uint32_t size, std::uint32_t by) { return (size + by - 1) / by; }

image::SurfaceType surface_type(VkImageType type) {
  switch (type) {
    case VK_IMAGE_TYPE_1D:
      return image::SurfaceType::Dim1;
    case VK_IMAGE_TYPE_3D:
      return image::SurfaceType::Dim3;
    default:
      return image::SurfaceType::Dim2;
  }
}

constexpr VkImageCreateFlags kSparseFlags =
    VK_IMAGE_CREATE_SPARSE_BINDING_BIT | VK_IMAGE_CREATE_SPARSE_RESIDENCY_BIT | VK_IMAGE_CREATE_SPARSE_ALIASED_BIT;

/// Of the planes of an image that has memory in parts; none for others.
std::vector<SparseLayout> parts_of(const Image& image) {
  return (image.flags & VK_IMAGE_CREATE_SPARSE_RESIDENCY_BIT) != 0 ? sparse_layouts(image)
                                                                   : std::vector<SparseLayout>();
}

/// Of a plane that is bound for itself; 0: of the whole image.
VkMemoryRequirements requirements_of(const Image& image, VkImageAspectFlags plane = 0) {
  if (const auto parts = parts_of(image); !parts.empty())
    return vulkan::requirements_of(parts.back().first + parts.back().bytes, kSparsePage);
  if ((image.flags & kSparseFlags) != 0) return vulkan::requirements_of(image.size, kSparsePage);
  const Image::Plane* of = plane != 0 ? image.plane_of(plane) : nullptr;
  return vulkan::requirements_of(of == nullptr ? image.size : of->surface.bytes, kImageAlignment);
}

VkSubresourceLayout layout_of(const Image& image, const VkImageSubresource& subresource) {
  VkSubresourceLayout to{};
  const Image::Plane* plane = image.plane_of(subresource.aspectMask);
  if (plane == nullptr || subresource.mipLevel >= plane->surface.layout.size()) return to;
  const image::LevelLayout& at = plane->surface.layout[subresource.mipLevel];
  const bool deep = image.type == VK_IMAGE_TYPE_3D;
  to.offset = plane->offset + at.offset + (deep ? 0 : at.slice_pitch * image.samples * subresource.arrayLayer);
  to.rowPitch = at.row_pitch;
  to.arrayPitch = at.slice_pitch * (deep ? at.slices : image.samples);
  to.depthPitch = at.slice_pitch;
  to.size = at.slice_pitch * (deep ? at.slices : image.samples);
  return to;
}

/// Bytes of a subresource that the host copies whole, without gaps.
void add_host_size(const Image& image, const VkImageSubresource& subresource, void* chain) {
  auto* host = find_out_chain<VkSubresourceHostMemcpySize>(chain, VK_STRUCTURE_TYPE_SUBRESOURCE_HOST_MEMCPY_SIZE);
  if (host == nullptr) return;
  host->size = 0;
  const Image::Plane* plane = image.plane_of(subresource.aspectMask);
  if (plane == nullptr || subresource.mipLevel >= plane->surface.layout.size()) return;
  const image::LevelLayout& at = plane->surface.layout[subresource.mipLevel];
  const std::uint64_t rows = std::uint64_t{at.element_rows} * (image.type == VK_IMAGE_TYPE_3D ? at.depth : 1);
  host->size = rows * at.element_columns * plane->surface.info().bytes_per_element();
}

}  // namespace

void see_halves(const image::VulkanFormat& format, image::Surface& surface) {
  const image::LevelLayout pairs = surface.layout[0];
  surface.format = *format.sampled;
  surface.width *= 2;
  (void)image::lay_out(surface);
  surface.layout[0].row_pitch = pairs.row_pitch;
  surface.layout[0].slice_pitch = pairs.slice_pitch;
}

bool bind_plane(Image::Plane& plane, const std::shared_ptr<image::Memory>& memory, std::uint64_t offset) {
  if (offset > memory->size() || plane.surface.bytes > memory->size() - offset) return false;
  // A little of what lies behind it, so that the last texels can be loaded as vectors.
  const std::uint64_t bytes = std::min<std::uint64_t>(plane.surface.bytes + 64, memory->size() - offset);
  plane.surface.memory =
      std::make_shared<image::Memory>(memory, std::span<std::uint8_t>(*memory).subspan(offset, bytes));
  plane.surface.base = 0;
  return true;
}

bool bind_image(Image& image, const std::shared_ptr<image::Memory>& memory, std::uint64_t offset) {
  bool fits = offset <= memory->size();
  for (unsigned i = 0; fits && i < image.format->plane_count; ++i)
    fits = bind_plane(image.planes[i], memory, offset + image.planes[i].offset);
  return fits;
}

namespace {

/// What one element of a binding binds; false: it doesn't fit.
bool bind(const VkBindImageMemoryInfo& info) {
  Image& image = *from_handle(info.image);
  const auto* of = find_in_chain<VkBindImageMemorySwapchainInfoKHR>(
      info.pNext, VK_STRUCTURE_TYPE_BIND_IMAGE_MEMORY_SWAPCHAIN_INFO_KHR);
  if (of != nullptr && of->swapchain != VK_NULL_HANDLE) {
    image.layouts = nullptr;
    return bind_image(image, picture_memory(of->swapchain, of->imageIndex), 0);
  }
  if (info.memory == VK_NULL_HANDLE) return false;
  const std::shared_ptr<image::Memory>& memory = from_handle(info.memory)->bytes;
  const auto* aspect =
      find_in_chain<VkBindImagePlaneMemoryInfo>(info.pNext, VK_STRUCTURE_TYPE_BIND_IMAGE_PLANE_MEMORY_INFO);
  Image::Plane* plane = aspect != nullptr ? image.plane_of(aspect->planeAspect) : nullptr;
  return plane != nullptr ? bind_plane(*plane, memory, info.memoryOffset)
                          : bind_image(image, memory, info.memoryOffset);
}

bool lies_in(const std::shared_ptr<image::Memory>& part, const image::Memory& whole) {
  return part != nullptr && !std::less()(part->data(), whole.data()) &&
         std::less()(part->data(), whole.data() + whole.size());
}

}  // namespace

bool lies_in(const NamedObject& object, const image::Memory& bytes) {
  if (object.type == VK_OBJECT_TYPE_BUFFER)
    return lies_in(reinterpret_cast<const Buffer*>(object.handle)->memory, bytes);  // NOLINT: a handle
  if (object.type != VK_OBJECT_TYPE_IMAGE) return false;
  const auto& planes = reinterpret_cast<const Image*>(object.handle)->planes;  // NOLINT: a handle
  return std::ranges::any_of(planes, [&](const Image::Plane& p) { return lies_in(p.surface.memory, bytes); });
}

namespace {

/// Puts the planes where the application says, which others have laid out; what can't be is refused.
VkResult place_planes(const VkImageDrmFormatModifierExplicitCreateInfoEXT& given, Image& image) {
  if (given.drmFormatModifier != kLinearModifier || given.drmFormatModifierPlaneCount != image.format->plane_count ||
      image.levels != 1 || image.layers != 1 || image.type != VK_IMAGE_TYPE_2D || image.samples != 1)
    return VK_ERROR_INVALID_DRM_FORMAT_MODIFIER_PLANE_LAYOUT_EXT;
  image.size = 0;
  for (unsigned i = 0; i < image.format->plane_count; ++i) {
    const VkSubresourceLayout& from = given.pPlaneLayouts[i];
    Image::Plane& plane = image.planes[i];
    image::LevelLayout& at = plane.surface.layout[0];
    if (from.rowPitch < at.row_pitch || from.rowPitch % plane.surface.info().bytes_per_element() != 0 ||
        from.rowPitch > kMaxImageBytes / std::max(1u, at.element_rows) || from.offset > kMaxImageBytes)
      return VK_ERROR_INVALID_DRM_FORMAT_MODIFIER_PLANE_LAYOUT_EXT;
    at.row_pitch = from.rowPitch;
    at.slice_pitch = from.rowPitch * at.element_rows;
    plane.surface.bytes = at.slice_pitch;
    plane.offset = from.offset;
    image.size = std::max(image.size, plane.offset + plane.surface.bytes);
  }
  return VK_SUCCESS;
}

/// An image whose layout devices agree on.
VkResult lay_out_for_all(const VkImageCreateInfo& info, Image& image) {
  if (const auto* given = find_in_chain<VkImageDrmFormatModifierExplicitCreateInfoEXT>(
          info.pNext, VK_STRUCTURE_TYPE_IMAGE_DRM_FORMAT_MODIFIER_EXPLICIT_CREATE_INFO_EXT))
    return place_planes(*given, image);
  const auto* list = find_in_chain<VkImageDrmFormatModifierListCreateInfoEXT>(
      info.pNext, VK_STRUCTURE_TYPE_IMAGE_DRM_FORMAT_MODIFIER_LIST_CREATE_INFO_EXT);
  if (list == nullptr) return VK_ERROR_FORMAT_NOT_SUPPORTED;
  const std::span modifiers(list->pDrmFormatModifiers, list->drmFormatModifierCount);
  return std::ranges::find(modifiers, kLinearModifier) != modifiers.end() ? VK_SUCCESS : VK_ERROR_FORMAT_NOT_SUPPORTED;
}

}  // namespace

VkResult lay_out_image(const VkImageCreateInfo& info, Image& image) {
  image.format = image::find_vulkan_format(info.format);
  if (image.format == nullptr) return VK_ERROR_FORMAT_NOT_SUPPORTED;
  image.type = info.imageType;
  image.flags = info.flags;
  image.usage = info.usage;
  if (const auto* stencil =
          find_in_chain<VkImageStencilUsageCreateInfo>(info.pNext, VK_STRUCTURE_TYPE_IMAGE_STENCIL_USAGE_CREATE_INFO))
    image.usage |= stencil->stencilUsage;
  image.extent = info.extent;
  image.levels = info.mipLevels;
  image.layers = info.arrayLayers;
  image.samples = info.samples;
  if ((info.flags & VK_IMAGE_CREATE_PROTECTED_BIT) != 0) return VK_ERROR_FEATURE_NOT_PRESENT;
  std::uint64_t offset = 0;
  for (unsigned i = 0; i < image.format->plane_count; ++i) {
    const image::FormatPlane& from = image.format->planes[i];
    Image::Plane& plane = image.planes[i];
    image::Surface& s = plane.surface;
    s.type = surface_type(info.imageType);
    s.format = from.format;
    s.width = divide_up(info.extent.width, from.width_divisor);
    s.height = divide_up(info.extent.height, from.height_divisor);
    s.depth = info.extent.depth;
    s.layers = info.imageType == VK_IMAGE_TYPE_3D ? 1 : info.arrayLayers;
    s.array = info.imageType != VK_IMAGE_TYPE_3D && info.arrayLayers > 1;
    s.view_layers = s.layers;
    s.levels = info.mipLevels;
    s.mip_count = info.mipLevels - 1;
    s.samples = info.samples;
    if (!image::lay_out(s).ok()) return VK_ERROR_OUT_OF_DEVICE_MEMORY;
    plane.offset = offset = aligned(offset, i == 0 ? 1 : kImageAlignment);
    offset = (info.flags & VK_IMAGE_CREATE_DISJOINT_BIT) != 0 ? 0 : offset + s.bytes;
  }
  // Planes that lie apart say each what it needs.
  if ((info.flags & VK_IMAGE_CREATE_DISJOINT_BIT) != 0) offset = image.planes[0].surface.bytes;
  image.size = offset;
  if ((info.flags & VK_IMAGE_CREATE_SPARSE_RESIDENCY_BIT) != 0 && sparse_layouts(image).empty())
    return VK_ERROR_FEATURE_NOT_PRESENT;
  return info.tiling == VK_IMAGE_TILING_DRM_FORMAT_MODIFIER_EXT ? lay_out_for_all(info, image) : VK_SUCCESS;
}

namespace {

/// An image whose memory the queue binds has addresses from the beginning.
VkResult place_sparse(Device& device, Image& image) {
  if (image.size > kMaxImageBytes) return VK_ERROR_OUT_OF_DEVICE_MEMORY;
  if (const auto parts = parts_of(image); !parts.empty()) {
    image.sparse = std::make_unique<SparseImage>(image, parts, device.sparse);
    return VK_SUCCESS;
  }
  image.sparse_pages = std::make_unique<SparsePages>(image.size, device.sparse);
  return bind_image(image, image.sparse_pages->memory(), 0) ? VK_SUCCESS : VK_ERROR_OUT_OF_DEVICE_MEMORY;
}

/// What vkGetImageSparseMemoryRequirements says of an image; nothing where it isn't in parts.
std::vector<VkSparseImageMemoryRequirements> sparse_requirements_of(const Image& image) {
  std::vector<VkSparseImageMemoryRequirements> all;
  for (const SparseLayout& part : parts_of(image))
    all.push_back({{plane_aspect(*image.format, all.size()), part.granularity, 0},
                   part.tail,
                   part.tail_bytes,
                   part.first + part.tail_offset,
                   part.tail_bytes});
  return all;
}

void give_requirements(const Image& image, uint32_t* count, VkSparseImageMemoryRequirements2* out) {
  (void)give_list(sparse_requirements_of(image), count, out,
                  [](VkSparseImageMemoryRequirements2& to, const VkSparseImageMemoryRequirements& from) {
                    to.memoryRequirements = from;
                  });
}

/// Null: nobody watches them.
ObjectObserver* objects_of(VkDevice device) {
  return dynamic_cast<ObjectObserver*>(from_handle(device)->observer.get());
}

}  // namespace

namespace entry {

VKAPI_ATTR VkResult VKAPI_CALL CreateImage(VkDevice device, const VkImageCreateInfo* pCreateInfo,
                                           const VkAllocationCallbacks*, VkImage* pImage) {
  return guarded([&] {
    auto image = std::make_unique<Image>();
    const VkResult result = lay_out_image(*pCreateInfo, *image);
    if (result != VK_SUCCESS) return result;
    if ((image->flags & kSparseFlags) != 0)
      if (const VkResult placed = place_sparse(*from_handle(device), *image); placed != VK_SUCCESS) return placed;
    if (DeviceObserver* observer = from_handle(device)->observer.get(); observer != nullptr)
      observer->image_created(*image, pCreateInfo->initialLayout);
    if (ObjectObserver* objects = objects_of(device);
        objects != nullptr && pCreateInfo->tiling == VK_IMAGE_TILING_LINEAR)
      objects->linear_image_created(*image);
    *pImage = to_handle(image.release());
    return VK_SUCCESS;
  });
}
VKAPI_ATTR void VKAPI_CALL DestroyImage(VkDevice device, VkImage image, const VkAllocationCallbacks*) {
  if (ObjectObserver* objects = objects_of(device); objects != nullptr && image != VK_NULL_HANDLE)
    objects->image_destroyed(*from_handle(image));
  destroy(device, from_handle(image));
}

VKAPI_ATTR void VKAPI_CALL GetImageMemoryRequirements(VkDevice, VkImage image,
                                                      VkMemoryRequirements* pMemoryRequirements) {
  *pMemoryRequirements = requirements_of(*from_handle(image));
}
VKAPI_ATTR void VKAPI_CALL GetImageMemoryRequirements2(VkDevice, const VkImageMemoryRequirementsInfo2* pInfo,
                                                       VkMemoryRequirements2* pMemoryRequirements) {
  const auto* plane = find_in_chain<VkImagePlaneMemoryRequirementsInfo>(
      pInfo->pNext, VK_STRUCTURE_TYPE_IMAGE_PLANE_MEMORY_REQUIREMENTS_INFO);
  pMemoryRequirements->memoryRequirements =
      requirements_of(*from_handle(pInfo->image), plane == nullptr ? 0 : plane->planeAspect);
  set_dedicated(pMemoryRequirements->pNext);
}
VKAPI_ATTR void VKAPI_CALL GetDeviceImageMemoryRequirements(VkDevice, const VkDeviceImageMemoryRequirements* pInfo,
                                                            VkMemoryRequirements2* pMemoryRequirements) {
  Image image;
  if (lay_out_image(*pInfo->pCreateInfo, image) != VK_SUCCESS) image.flags = 0;  // nothing can be said of it
  const bool apart = (pInfo->pCreateInfo->flags & VK_IMAGE_CREATE_DISJOINT_BIT) != 0;
  pMemoryRequirements->memoryRequirements = requirements_of(image, apart ? pInfo->planeAspect : 0);
  set_dedicated(pMemoryRequirements->pNext);
}
VKAPI_ATTR void VKAPI_CALL GetImageSparseMemoryRequirements(VkDevice, VkImage image, uint32_t* pCount,
                                                            VkSparseImageMemoryRequirements* pRequirements) {
  (void)give_list(sparse_requirements_of(*from_handle(image)), pCount, pRequirements,
                  [](VkSparseImageMemoryRequirements& to, const VkSparseImageMemoryRequirements& from) { to = from; });
}
VKAPI_ATTR void VKAPI_CALL GetImageSparseMemoryRequirements2(VkDevice,
                                                             const VkImageSparseMemoryRequirementsInfo2* pInfo,
                                                             uint32_t* pCount,
                                                             VkSparseImageMemoryRequirements2* pRequirements) {
  give_requirements(*from_handle(pInfo->image), pCount, pRequirements);
}
VKAPI_ATTR void VKAPI_CALL GetDeviceImageSparseMemoryRequirements(VkDevice,
                                                                  const VkDeviceImageMemoryRequirements* pInfo,
                                                                  uint32_t* pCount,
                                                                  VkSparseImageMemoryRequirements2* pRequirements) {
  Image image;
  if (lay_out_image(*pInfo->pCreateInfo, image) != VK_SUCCESS) image.flags = 0;
  give_requirements(image, pCount, pRequirements);
}

VKAPI_ATTR VkResult VKAPI_CALL BindImageMemory(VkDevice device, VkImage image, VkDeviceMemory memory,
                                               VkDeviceSize memoryOffset) {
  const VkBindImageMemoryInfo info{VK_STRUCTURE_TYPE_BIND_IMAGE_MEMORY_INFO, nullptr, image, memory, memoryOffset};
  return BindImageMemory2(device, 1, &info);
}
VKAPI_ATTR VkResult VKAPI_CALL BindImageMemory2(VkDevice device, uint32_t bindInfoCount,
                                                const VkBindImageMemoryInfo* pBindInfos) {
  const auto visits = from_handle(device)->keep_from_visits();
  return guarded([&] {
    VkResult result = VK_SUCCESS;
    for (const VkBindImageMemoryInfo& info : std::span(pBindInfos, bindInfoCount)) {
      const VkResult one = bind(info) ? VK_SUCCESS : VK_ERROR_OUT_OF_DEVICE_MEMORY;
      if (tell_status(info.pNext, one) != VK_SUCCESS) result = one;
      if (ObjectObserver* objects = objects_of(device); objects != nullptr && one == VK_SUCCESS)
        objects->image_bound(*from_handle(info.image));
    }
    return result;
  });
}

VKAPI_ATTR void VKAPI_CALL GetImageSubresourceLayout(VkDevice, VkImage image, const VkImageSubresource* pSubresource,
                                                     VkSubresourceLayout* pLayout) {
  *pLayout = layout_of(*from_handle(image), *pSubresource);
}
VKAPI_ATTR void VKAPI_CALL GetImageSubresourceLayout2(VkDevice, VkImage image, const VkImageSubresource2* pSubresource,
                                                      VkSubresourceLayout2* pLayout) {
  pLayout->subresourceLayout = layout_of(*from_handle(image), pSubresource->imageSubresource);
  add_host_size(*from_handle(image), pSubresource->imageSubresource, pLayout->pNext);
}
VKAPI_ATTR void VKAPI_CALL GetDeviceImageSubresourceLayout(VkDevice, const VkDeviceImageSubresourceInfo* pInfo,
                                                           VkSubresourceLayout2* pLayout) {
  Image image;
  const VkResult result = lay_out_image(*pInfo->pCreateInfo, image);
  pLayout->subresourceLayout =
      result == VK_SUCCESS ? layout_of(image, pInfo->pSubresource->imageSubresource) : VkSubresourceLayout{};
  if (result == VK_SUCCESS) add_host_size(image, pInfo->pSubresource->imageSubresource, pLayout->pNext);
}

}  // namespace entry
}  // namespace heddle::vulkan
