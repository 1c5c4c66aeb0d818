// SPDX-License-Identifier: MIT
// Copies between images and the host's own memory, without a queue (VK_EXT_host_image_copy): an image is memory here.

#include <cstdint>
#include <limits>
#include <span>
#include <utility>

#include "pipeline/transfer/transfer.hpp"
#include "vulkan/device/device.hpp"
#include "vulkan/device/object_observer.hpp"
#include "vulkan/generated/entry_points.hpp"
#include "vulkan/objects/images/copied_boxes.hpp"
#include "vulkan/objects/images/image.hpp"
#include "vulkan/objects/memory/device_memory.hpp"

namespace heddle::vulkan {
namespace {

namespace transfer = pipeline::transfer;

/// Nobody says how long the application's memory is.
constexpr std::size_t kAnyLength = static_cast<std::size_t>(std::numeric_limits<std::ptrdiff_t>::max());

/// How the region's texels lie at its pointer. Whole subresources by memcpy lie as copies without gaps do.
template <typename Region>
transfer::BufferLayout layout_of(const Image& image, const Region& region, VkHostImageCopyFlags flags) {
  if ((flags & VK_HOST_IMAGE_COPY_MEMCPY_BIT) != 0) return {};
  return layout_of(image, 0, region.memoryRowLength, region.memoryImageHeight);
}

/// TRF-21: `done`, once the application knows.
base::Result<base::Done> tell_of_blocks(VkDevice device, const AskedBox& asked, const image::Surface& surface,
                                        base::Result<base::Done> done) {
  return tell_of_blocks(from_handle(device)->physical.instance, asked, surface, std::move(done));
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
    const AskedBox asked{image, r.imageSubresource, r.imageOffset, r.imageExtent};
    const auto named = box_of(asked);
    if (!named.ok()) return named.failure();
    const transfer::ImageBox box = transfer::whole_blocks(plane->surface, *named);
    const HostWrite write(device, image, plane->surface, box);
    return tell_of_blocks(device, asked, plane->surface,
                          transfer::copy_to_image({static_cast<const std::uint8_t*>(r.pHostPointer), kAnyLength},
                                                  layout_of(image, r, pInfo->flags), plane->surface, box));
  };
  return each_region(device, "vkCopyMemoryToImage", pInfo->pRegions, pInfo->regionCount, copy);
}

VKAPI_ATTR VkResult VKAPI_CALL CopyImageToMemory(VkDevice device, const VkCopyImageToMemoryInfo* pInfo) {
  const Image& image = *from_handle(pInfo->srcImage);
  const auto copy = [&](const VkImageToMemoryCopy& r) -> base::Result<base::Done> {
    const Image::Plane* plane = image.plane_of(r.imageSubresource.aspectMask);
    if (plane == nullptr) return no_aspect();
    const AskedBox asked{image, r.imageSubresource, r.imageOffset, r.imageExtent};
    const auto named = box_of(asked);
    if (!named.ok()) return named.failure();
    return tell_of_blocks(device, asked, plane->surface,
                          transfer::copy_to_buffer(plane->surface, transfer::whole_blocks(plane->surface, *named),
                                                   {static_cast<std::uint8_t*>(r.pHostPointer), kAnyLength},
                                                   layout_of(image, r, pInfo->flags)));
  };
  return each_region(device, "vkCopyImageToMemory", pInfo->pRegions, pInfo->regionCount, copy);
}

VKAPI_ATTR VkResult VKAPI_CALL CopyImageToImage(VkDevice device, const VkCopyImageToImageInfo* pInfo) {
  const Image& from = *from_handle(pInfo->srcImage);
  Image& to = *from_handle(pInfo->dstImage);
  const auto copy = [&](const VkImageCopy2& r) -> base::Result<base::Done> {
    const AskedBox asked{from, r.srcSubresource, r.srcOffset, r.extent};
    const auto named = box_of(asked);
    if (!named.ok()) return named.failure();
    const auto at = origin_of(to, r.dstSubresource, r.dstOffset);
    if (!at.ok()) return at.failure();
    VkImageAspectFlags of = r.srcSubresource.aspectMask, into = r.dstSubresource.aspectMask;
    for (; of != 0 && into != 0; of &= of - 1, into &= into - 1) {
      const Image::Plane* source = from.plane_of(of & (~of + 1));
      Image::Plane* target = to.plane_of(into & (~into + 1));
      if (source == nullptr || target == nullptr) return no_aspect();
      const transfer::ImageBox box = transfer::whole_blocks(source->surface, *named);
      const HostWrite write(device, to, target->surface,
                            {at->level, at->first_layer, box.layers, at->offset, box.extent});
      auto done = tell_of_blocks(device, asked, source->surface,
                                 transfer::copy_image(source->surface, box, target->surface, *at));
      if (!done.ok()) return done;
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
