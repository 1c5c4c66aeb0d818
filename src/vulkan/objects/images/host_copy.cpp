// SPDX-License-Identifier: MIT
// Copies between images and the host's own memory, without a queue (VK_EXT_host_image_copy): an image is memory here.

#include <cstdint>
#include <limits>
#include <span>

#include "pipeline/transfer/transfer.hpp"
#include "vulkan/device/device.hpp"
#include "vulkan/device/object_observer.hpp"
#include "vulkan/generated/entry_points.hpp"
#include "vulkan/objects/images/copied_blocks.hpp"
#include "vulkan/objects/images/image.hpp"
#include "vulkan/objects/memory/device_memory.hpp"

namespace heddle::vulkan {
namespace {

namespace transfer = pipeline::transfer;

/// Nobody says how long the application's memory is.
constexpr std::size_t kAnyLength = static_cast<std::size_t>(std::numeric_limits<std::ptrdiff_t>::max());

// In texels of the image's surfaces.
transfer::Offset offset_of(const Image& image, const VkOffset3D& o) {
  return {o.x / static_cast<std::int32_t>(image.across()), o.y, o.z};
}
std::uint32_t across(const Image& image, std::uint32_t texels) {
  return texels / image.across() + (texels % image.across() != 0 ? 1 : 0);
}

std::uint32_t layers_of(const Image& image, const VkImageSubresourceLayers& at) {
  return at.layerCount == VK_REMAINING_ARRAY_LAYERS ? image.layers - std::min(at.baseArrayLayer, image.layers)
                                                    : at.layerCount;
}

transfer::ImageBox box_of(const Image& image, const VkImageSubresourceLayers& at, const VkOffset3D& offset,
                          const VkExtent3D& extent) {
  return {at.mipLevel,
          at.baseArrayLayer,
          layers_of(image, at),
          offset_of(image, offset),
          {across(image, extent.width), extent.height, extent.depth}};
}

/// How the region's texels lie at its pointer. Whole subresources by memcpy lie as copies without gaps do.
template <typename Region>
transfer::BufferLayout layout_of(const Image& image, const Region& region, VkHostImageCopyFlags flags) {
  if ((flags & VK_HOST_IMAGE_COPY_MEMCPY_BIT) != 0) return {};
  return {0, across(image, region.memoryRowLength), region.memoryImageHeight};
}

/// TRF-21.
transfer::ImageBox copied_blocks(VkDevice device, const image::Surface& surface, const transfer::ImageBox& box) {
  return copied_blocks(from_handle(device)->physical.instance, surface, box);
}

base::Result<base::Done> no_aspect() {
  return base::error("transfer-format", "the image does not have the aspect that the region names");
}

/// The result of one region; what is wrong with it is said.
VkResult report(VkDevice device, const char* command, const base::Result<base::Done>& done) {
  if (done.ok()) return VK_SUCCESS;
  for (const base::Diagnostic& d : done.diagnostics())
    from_handle(device)->physical.instance.error(d.id.c_str(), std::string(command) + ": " + d.message);
  return VK_ERROR_MEMORY_MAP_FAILED;
}

/// copy(region) for each; the last result that is no success.
template <typename Region, typename Copy>
VkResult each_region(VkDevice device, const char* command, const Region* regions, std::uint32_t count, Copy&& copy) {
  return guarded([&] {
    VkResult result = VK_SUCCESS;
    for (const Region& region : std::span(regions, count))
      if (const VkResult one = report(device, command, copy(region)); one != VK_SUCCESS) result = one;
    return result;
  });
}

/// While it lives, the host writes the plane's bytes, those of the box: who watches hears of it.
class HostWrite {
 public:
  HostWrite(VkDevice device, const Image& image, const image::Surface& surface, const transfer::ImageBox& box)
      : image_(image), surface_(surface), box_(box) {
    DeviceObserver* observer = from_handle(device)->observer.get();
    if (observer == nullptr || !surface.memory) return;
    observer->memory_mapped(*surface.memory);
    objects_ = dynamic_cast<ObjectObserver*>(observer);
    if (objects_ != nullptr) objects_->image_written(image, surface, box);
  }
  ~HostWrite() {
    if (objects_ != nullptr) objects_->image_write_ended(image_, surface_, box_);
  }
  HostWrite(const HostWrite&) = delete;
  HostWrite& operator=(const HostWrite&) = delete;

 private:
  const Image& image_;
  const image::Surface& surface_;
  const transfer::ImageBox box_;
  ObjectObserver* objects_ = nullptr;
};

}  // namespace

namespace entry {

VKAPI_ATTR VkResult VKAPI_CALL CopyMemoryToImage(VkDevice device, const VkCopyMemoryToImageInfo* pInfo) {
  Image& image = *from_handle(pInfo->dstImage);
  const auto copy = [&](const VkMemoryToImageCopy& r) -> base::Result<base::Done> {
    Image::Plane* plane = image.plane_of(r.imageSubresource.aspectMask);
    if (plane == nullptr) return no_aspect();
    const transfer::ImageBox box =
        copied_blocks(device, plane->surface, box_of(image, r.imageSubresource, r.imageOffset, r.imageExtent));
    const HostWrite write(device, image, plane->surface, box);
    return transfer::copy_to_image({static_cast<const std::uint8_t*>(r.pHostPointer), kAnyLength},
                                   layout_of(image, r, pInfo->flags), plane->surface, box);
  };
  return each_region(device, "vkCopyMemoryToImage", pInfo->pRegions, pInfo->regionCount, copy);
}

VKAPI_ATTR VkResult VKAPI_CALL CopyImageToMemory(VkDevice device, const VkCopyImageToMemoryInfo* pInfo) {
  const Image& image = *from_handle(pInfo->srcImage);
  const auto copy = [&](const VkImageToMemoryCopy& r) -> base::Result<base::Done> {
    const Image::Plane* plane = image.plane_of(r.imageSubresource.aspectMask);
    if (plane == nullptr) return no_aspect();
    const transfer::ImageBox box =
        copied_blocks(device, plane->surface, box_of(image, r.imageSubresource, r.imageOffset, r.imageExtent));
    return transfer::copy_to_buffer(plane->surface, box, {static_cast<std::uint8_t*>(r.pHostPointer), kAnyLength},
                                    layout_of(image, r, pInfo->flags));
  };
  return each_region(device, "vkCopyImageToMemory", pInfo->pRegions, pInfo->regionCount, copy);
}

VKAPI_ATTR VkResult VKAPI_CALL CopyImageToImage(VkDevice device, const VkCopyImageToImageInfo* pInfo) {
  const Image& from = *from_handle(pInfo->srcImage);
  Image& to = *from_handle(pInfo->dstImage);
  const auto copy = [&](const VkImageCopy2& r) -> base::Result<base::Done> {
    const transfer::ImageBox asked = box_of(from, r.srcSubresource, r.srcOffset, r.extent);
    const transfer::ImageOrigin at{r.dstSubresource.mipLevel, r.dstSubresource.baseArrayLayer,
                                   offset_of(to, r.dstOffset)};
    VkImageAspectFlags of = r.srcSubresource.aspectMask, into = r.dstSubresource.aspectMask;
    for (; of != 0 && into != 0; of &= of - 1, into &= into - 1) {
      const Image::Plane* source = from.plane_of(of & (~of + 1));
      Image::Plane* target = to.plane_of(into & (~into + 1));
      if (source == nullptr || target == nullptr) return no_aspect();
      const transfer::ImageBox box = copied_blocks(device, source->surface, asked);
      const HostWrite write(device, to, target->surface, {at.level, at.first_layer, box.layers, at.offset, box.extent});
      if (auto done = transfer::copy_image(source->surface, box, target->surface, at); !done.ok()) return done;
    }
    return base::Done{};
  };
  return each_region(device, "vkCopyImageToImage", pInfo->pRegions, pInfo->regionCount, copy);
}

// Every layout is the same to memory; checks alone know which one an image is in.
VKAPI_ATTR VkResult VKAPI_CALL TransitionImageLayout(VkDevice device, uint32_t transitionCount,
                                                     const VkHostImageLayoutTransitionInfo* pTransitions) {
  return guarded([&] {
    if (DeviceObserver* observer = from_handle(device)->observer.get(); observer != nullptr)
      for (const VkHostImageLayoutTransitionInfo& t : std::span(pTransitions, transitionCount))
        observer->image_changed(*from_handle(t.image), t.subresourceRange, t.newLayout);
    return VK_SUCCESS;
  });
}

}  // namespace entry
}  // namespace heddle::vulkan
