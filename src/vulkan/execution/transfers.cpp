// Copies, blits, resolves, clears and fills: Vulkan's regions as those of pipeline/transfer.

#include <algorithm>
#include <span>

#include "vulkan/execution/executor.hpp"

namespace heddle::vulkan {
namespace {

namespace transfer = pipeline::transfer;

transfer::Offset offset_of(const VkOffset3D& o) { return {o.x, o.y, o.z}; }
transfer::Extent extent_of(const VkExtent3D& e) { return {e.width, e.height, e.depth}; }

std::uint32_t layers_of(const Image& image, std::uint32_t first, std::uint32_t count) {
  return count == VK_REMAINING_ARRAY_LAYERS ? image.layers - std::min(first, image.layers) : count;
}

transfer::ImageBox box_of(const Image& image, const VkImageSubresourceLayers& at, const VkOffset3D& offset,
                          const VkExtent3D& extent) {
  return {at.mipLevel, at.baseArrayLayer, layers_of(image, at.baseArrayLayer, at.layerCount), offset_of(offset),
          extent_of(extent)};
}

base::Result<base::Done> no_aspect() {
  return base::error("transfer-format", "the image does not have the aspect that the region names");
}

/// work(surface of the one, surface of the other) for each aspect of `from` and the aspect of `to` at its place.
template <typename Work>
base::Result<base::Done> each_aspect(const Image& from, VkImageAspectFlags of, Image& to, VkImageAspectFlags into,
                                     Work&& work) {
  while (of != 0 && into != 0) {
    const VkImageAspectFlags a = of & (~of + 1), b = into & (~into + 1);
    of &= ~a;
    into &= ~b;
    const Image::Plane* source = from.plane_of(a);
    Image::Plane* target = to.plane_of(b);
    if (source == nullptr || target == nullptr) return no_aspect();
    if (auto done = work(source->surface, target->surface); !done.ok()) return done;
  }
  return base::Done{};
}

template <typename From, typename To>
To as_region(const From& from, VkStructureType type);

template <>
VkBufferCopy2 as_region(const VkBufferCopy& r, VkStructureType type) {
  return {type, nullptr, r.srcOffset, r.dstOffset, r.size};
}
template <>
VkImageCopy2 as_region(const VkImageCopy& r, VkStructureType type) {
  return {type, nullptr, r.srcSubresource, r.srcOffset, r.dstSubresource, r.dstOffset, r.extent};
}
template <>
VkBufferImageCopy2 as_region(const VkBufferImageCopy& r, VkStructureType type) {
  return {type,          nullptr,      r.bufferOffset, r.bufferRowLength, r.bufferImageHeight, r.imageSubresource,
          r.imageOffset, r.imageExtent};
}
template <>
VkImageResolve2 as_region(const VkImageResolve& r, VkStructureType type) {
  return {type, nullptr, r.srcSubresource, r.srcOffset, r.dstSubresource, r.dstOffset, r.extent};
}
template <>
VkImageBlit2 as_region(const VkImageBlit& r, VkStructureType type) {
  return {type,
          nullptr,
          r.srcSubresource,
          {r.srcOffsets[0], r.srcOffsets[1]},
          r.dstSubresource,
          {r.dstOffsets[0], r.dstOffsets[1]}};
}

// --- one region each ---

base::Result<base::Done> copy_region(VkBuffer from, VkBuffer to, const VkBufferCopy2& r, transfer::Work work) {
  const auto source = from_handle(from)->range(r.srcOffset, r.size);
  const auto target = from_handle(to)->range(r.dstOffset, r.size);
  if (source.size() != r.size || target.size() != r.size)
    return base::error("transfer-region", "the region leaves a buffer");
  transfer::copy_bytes(source, target, work);
  return base::Done{};
}

base::Result<base::Done> copy_region(VkImage from, VkImage to, const VkImageCopy2& r, transfer::Work work) {
  Image& source = *from_handle(from);
  Image& target = *from_handle(to);
  const transfer::ImageBox box = box_of(source, r.srcSubresource, r.srcOffset, r.extent);
  const transfer::ImageOrigin at{r.dstSubresource.mipLevel, r.dstSubresource.baseArrayLayer, offset_of(r.dstOffset)};
  return each_aspect(
      source, r.srcSubresource.aspectMask, target, r.dstSubresource.aspectMask,
      [&](const image::Surface& a, image::Surface& b) { return transfer::copy_image(a, box, b, at, work); });
}

transfer::BufferLayout layout_of(const VkBufferImageCopy2& r) {
  return {r.bufferOffset, r.bufferRowLength, r.bufferImageHeight};
}

base::Result<base::Done> to_image(VkBuffer from, VkImage to, const VkBufferImageCopy2& r, transfer::Work work) {
  Image& target = *from_handle(to);
  Image::Plane* plane = target.plane_of(r.imageSubresource.aspectMask);
  if (plane == nullptr) return no_aspect();
  return transfer::copy_to_image(from_handle(from)->bytes(), layout_of(r), plane->surface,
                                 box_of(target, r.imageSubresource, r.imageOffset, r.imageExtent), work);
}

base::Result<base::Done> to_buffer(VkImage from, VkBuffer to, const VkBufferImageCopy2& r, transfer::Work work) {
  Image& source = *from_handle(from);
  const Image::Plane* plane = source.plane_of(r.imageSubresource.aspectMask);
  if (plane == nullptr) return no_aspect();
  return transfer::copy_to_buffer(plane->surface, box_of(source, r.imageSubresource, r.imageOffset, r.imageExtent),
                                  from_handle(to)->bytes(), layout_of(r), work);
}

base::Result<base::Done> resolve_region(VkImage from, VkImage to, const VkImageResolve2& r, transfer::Work work) {
  Image& source = *from_handle(from);
  Image& target = *from_handle(to);
  const transfer::ImageBox box = box_of(source, r.srcSubresource, r.srcOffset, r.extent);
  const transfer::ImageOrigin at{r.dstSubresource.mipLevel, r.dstSubresource.baseArrayLayer, offset_of(r.dstOffset)};
  return each_aspect(source, r.srcSubresource.aspectMask, target, r.dstSubresource.aspectMask,
                     [&](const image::Surface& a, image::Surface& b) {
                       return transfer::resolve(a, box, b, at, transfer::default_resolve_mode(a.info()), work);
                     });
}

base::Result<base::Done> blit_region(VkImage from, VkImage to, const VkImageBlit2& r, VkFilter filter,
                                     transfer::Work work) {
  Image& source = *from_handle(from);
  Image& target = *from_handle(to);
  const auto box = [](const Image& image, const VkImageSubresourceLayers& at, const VkOffset3D* corners) {
    return transfer::BlitBox{at.mipLevel,
                             at.baseArrayLayer,
                             layers_of(image, at.baseArrayLayer, at.layerCount),
                             {offset_of(corners[0]), offset_of(corners[1])}};
  };
  const transfer::BlitBox a = box(source, r.srcSubresource, r.srcOffsets);
  const transfer::BlitBox b = box(target, r.dstSubresource, r.dstOffsets);
  return each_aspect(source, r.srcSubresource.aspectMask, target, r.dstSubresource.aspectMask,
                     [&](const image::Surface& x, image::Surface& y) {
                       return transfer::blit(
                           x, a, y, b, filter == VK_FILTER_LINEAR ? image::Filter::Linear : image::Filter::Nearest,
                           work);
                     });
}

/// clear(surface, box) for each level of each range, in the aspects that it names.
template <typename Clear>
base::Result<base::Done> clear_ranges(VkImage handle, std::span<const VkImageSubresourceRange> ranges, Clear&& clear) {
  Image& image = *from_handle(handle);
  for (const VkImageSubresourceRange& range : ranges) {
    const std::uint32_t levels = range.levelCount == VK_REMAINING_MIP_LEVELS
                                     ? image.levels - std::min(range.baseMipLevel, image.levels)
                                     : range.levelCount;
    const std::uint32_t layers = layers_of(image, range.baseArrayLayer, range.layerCount);
    for (VkImageAspectFlags left = range.aspectMask; left != 0; left &= left - 1) {
      const VkImageAspectFlags aspect = left & (~left + 1);
      Image::Plane* plane = image.plane_of(aspect);
      if (plane == nullptr) return no_aspect();
      for (std::uint32_t level = range.baseMipLevel; level < range.baseMipLevel + levels; ++level)
        if (auto done = clear(plane->surface, aspect,
                              transfer::whole_level(plane->surface, level, range.baseArrayLayer, layers));
            !done.ok())
          return done;
    }
  }
  return base::Done{};
}

}  // namespace

// --- commands ---

void Executor::run(const commands::CopyBuffer& c) {
  for (const VkBufferCopy& r : std::span(c.pRegions, c.regionCount))
    report(c, copy_region(c.srcBuffer, c.dstBuffer,
                          as_region<VkBufferCopy, VkBufferCopy2>(r, VK_STRUCTURE_TYPE_BUFFER_COPY_2), work()));
}
void Executor::run(const commands::CopyBuffer2& c) {
  const VkCopyBufferInfo2& info = *c.pCopyBufferInfo;
  for (const VkBufferCopy2& r : std::span(info.pRegions, info.regionCount))
    report(c, copy_region(info.srcBuffer, info.dstBuffer, r, work()));
}
void Executor::run(const commands::CopyImage& c) {
  for (const VkImageCopy& r : std::span(c.pRegions, c.regionCount))
    report(c, copy_region(c.srcImage, c.dstImage,
                          as_region<VkImageCopy, VkImageCopy2>(r, VK_STRUCTURE_TYPE_IMAGE_COPY_2), work()));
}
void Executor::run(const commands::CopyImage2& c) {
  const VkCopyImageInfo2& info = *c.pCopyImageInfo;
  for (const VkImageCopy2& r : std::span(info.pRegions, info.regionCount))
    report(c, copy_region(info.srcImage, info.dstImage, r, work()));
}
void Executor::run(const commands::CopyBufferToImage& c) {
  for (const VkBufferImageCopy& r : std::span(c.pRegions, c.regionCount))
    report(c, to_image(c.srcBuffer, c.dstImage,
                       as_region<VkBufferImageCopy, VkBufferImageCopy2>(r, VK_STRUCTURE_TYPE_BUFFER_IMAGE_COPY_2),
                       work()));
}
void Executor::run(const commands::CopyBufferToImage2& c) {
  const VkCopyBufferToImageInfo2& info = *c.pCopyBufferToImageInfo;
  for (const VkBufferImageCopy2& r : std::span(info.pRegions, info.regionCount))
    report(c, to_image(info.srcBuffer, info.dstImage, r, work()));
}
void Executor::run(const commands::CopyImageToBuffer& c) {
  for (const VkBufferImageCopy& r : std::span(c.pRegions, c.regionCount))
    report(c, to_buffer(c.srcImage, c.dstBuffer,
                        as_region<VkBufferImageCopy, VkBufferImageCopy2>(r, VK_STRUCTURE_TYPE_BUFFER_IMAGE_COPY_2),
                        work()));
}
void Executor::run(const commands::CopyImageToBuffer2& c) {
  const VkCopyImageToBufferInfo2& info = *c.pCopyImageToBufferInfo;
  for (const VkBufferImageCopy2& r : std::span(info.pRegions, info.regionCount))
    report(c, to_buffer(info.srcImage, info.dstBuffer, r, work()));
}
void Executor::run(const commands::BlitImage& c) {
  for (const VkImageBlit& r : std::span(c.pRegions, c.regionCount))
    report(c, blit_region(c.srcImage, c.dstImage,
                          as_region<VkImageBlit, VkImageBlit2>(r, VK_STRUCTURE_TYPE_IMAGE_BLIT_2), c.filter, work()));
}
void Executor::run(const commands::BlitImage2& c) {
  const VkBlitImageInfo2& info = *c.pBlitImageInfo;
  for (const VkImageBlit2& r : std::span(info.pRegions, info.regionCount))
    report(c, blit_region(info.srcImage, info.dstImage, r, info.filter, work()));
}
void Executor::run(const commands::ResolveImage& c) {
  for (const VkImageResolve& r : std::span(c.pRegions, c.regionCount))
    report(c, resolve_region(c.srcImage, c.dstImage,
                             as_region<VkImageResolve, VkImageResolve2>(r, VK_STRUCTURE_TYPE_IMAGE_RESOLVE_2), work()));
}
void Executor::run(const commands::ResolveImage2& c) {
  const VkResolveImageInfo2& info = *c.pResolveImageInfo;
  for (const VkImageResolve2& r : std::span(info.pRegions, info.regionCount))
    report(c, resolve_region(info.srcImage, info.dstImage, r, work()));
}
void Executor::run(const commands::ClearColorImage& c) {
  image::Texel value;
  std::copy_n(c.pColor->uint32, 4, value.bits.begin());
  report(c, clear_ranges(c.image, {c.pRanges, c.rangeCount},
                         [&](image::Surface& surface, VkImageAspectFlags, const transfer::ImageBox& box) {
                           return transfer::clear(surface, box, value, work());
                         }));
}
void Executor::run(const commands::ClearDepthStencilImage& c) {
  report(c, clear_ranges(c.image, {c.pRanges, c.rangeCount},
                         [&](image::Surface& surface, VkImageAspectFlags aspect, const transfer::ImageBox& box) {
                           return aspect == VK_IMAGE_ASPECT_DEPTH_BIT
                                      ? transfer::clear_depth(surface, box, c.pDepthStencil->depth, work())
                                      : transfer::clear_stencil(surface, box, c.pDepthStencil->stencil, work());
                         }));
}
void Executor::run(const commands::FillBuffer& c) {
  transfer::fill(from_handle(c.dstBuffer)->range(c.dstOffset, c.size), c.data, work());
}
void Executor::run(const commands::UpdateBuffer& c) {
  const std::span<std::uint8_t> to = from_handle(c.dstBuffer)->range(c.dstOffset, c.dataSize);
  if (to.size() == c.dataSize)
    transfer::copy_bytes({static_cast<const std::uint8_t*>(c.pData), c.dataSize}, to, work());
}

}  // namespace heddle::vulkan
