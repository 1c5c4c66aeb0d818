// SPDX-License-Identifier: MIT
// Copies, blits, resolves, clears and fills: Vulkan's regions as those of pipeline/transfer.

#include "vulkan/execution/transfers.hpp"

#include <algorithm>
#include <span>
#include <utility>

#include "pipeline/transfer/transfer.hpp"
#include "vulkan/device/device.hpp"
#include "vulkan/execution/context/queue_context.hpp"
#include "vulkan/execution/resolve_modes.hpp"
#include "vulkan/generated/commands.hpp"
#include "vulkan/objects/images/copied_boxes.hpp"
#include "vulkan/objects/images/image.hpp"
#include "vulkan/objects/memory/buffer.hpp"

namespace heddle::vulkan {
namespace {

namespace transfer = pipeline::transfer;

constexpr const char *kSource = "srcImageLayout", *kTarget = "dstImageLayout";

transfer::Offset offset_of(const VkOffset3D& o) { return {o.x, o.y, o.z}; }

/// TRF-21: `done`, once the application knows.
base::Result<base::Done> tell_of_blocks(const QueueContext& context, const AskedBox& asked,
                                        const image::Surface& surface, base::Result<base::Done> done) {
  return tell_of_blocks(context.device.physical.instance, asked, surface, std::move(done));
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

/// The layout that a command declares for one of its images.
void declare(const QueueContext& context, const Image& image, VkImageSubresourceLayers at, VkImageLayout layout,
             const char* who) {
  if (!context.observers.transfers) return;
  at.layerCount = layers_of(image, at.baseArrayLayer, at.layerCount);
  context.observers.transfers->declare(image, at, layout, who);
}
/// Of both images of a region.
template <typename Region>
void declare(const QueueContext& context, const Image& from, VkImageLayout from_layout, const Image& to,
             VkImageLayout to_layout, const Region& r) {
  declare(context, from, r.srcSubresource, from_layout, kSource);
  declare(context, to, r.dstSubresource, to_layout, kTarget);
}

// --- one region each ---

base::Result<base::Done> copy_region(const QueueContext& context, const VkCopyBufferInfo2& info,
                                     const VkBufferCopy2& r) {
  const Buffer &from = *from_handle(info.srcBuffer), &to = *from_handle(info.dstBuffer);
  const auto source = from.range(r.srcOffset, r.size);
  const auto target = to.range(r.dstOffset, r.size);
  if (source.size() != r.size || target.size() != r.size)
    return base::error("transfer-region", "the region leaves a buffer");
  if (context.observers.transfers) context.observers.transfers->copy(from, source, to, target);
  transfer::copy_bytes(source, target, {context.workers});
  return base::Done{};
}

base::Result<base::Done> copy_region(const QueueContext& context, const VkCopyImageInfo2& info, const VkImageCopy2& r) {
  Image &from = *from_handle(info.srcImage), &to = *from_handle(info.dstImage);
  declare(context, from, info.srcImageLayout, to, info.dstImageLayout, r);
  const AskedBox asked{from, r.srcSubresource, r.srcOffset, r.extent};
  const auto named = box_of(asked);
  if (!named.ok()) return named.failure();
  const auto at = origin_of(to, r.dstSubresource, r.dstOffset);
  if (!at.ok()) return at.failure();
  return each_aspect(from, r.srcSubresource.aspectMask, to, r.dstSubresource.aspectMask,
                     [&](const image::Surface& a, image::Surface& b) {
                       const transfer::ImageBox box = transfer::whole_blocks(a, *named);
                       if (context.observers.transfers) context.observers.transfers->copy({from, a}, box, {to, b}, *at);
                       return tell_of_blocks(context, asked, a,
                                             transfer::copy_image(a, box, b, *at, {context.workers}));
                     });
}

transfer::BufferLayout layout_of(const Image& image, const VkBufferImageCopy2& r) {
  return layout_of(image, r.bufferOffset, r.bufferRowLength, r.bufferImageHeight);
}

base::Result<base::Done> copy_region(const QueueContext& context, const VkCopyBufferToImageInfo2& info,
                                     const VkBufferImageCopy2& r) {
  const Buffer& from = *from_handle(info.srcBuffer);
  Image& to = *from_handle(info.dstImage);
  declare(context, to, r.imageSubresource, info.dstImageLayout, kTarget);
  Image::Plane* plane = to.plane_of(r.imageSubresource.aspectMask);
  if (plane == nullptr) return no_aspect();
  const AskedBox asked{to, r.imageSubresource, r.imageOffset, r.imageExtent};
  const auto named = box_of(asked);
  if (!named.ok()) return named.failure();
  const transfer::ImageBox box = transfer::whole_blocks(plane->surface, *named);
  if (context.observers.transfers) context.observers.transfers->copy(from, layout_of(to, r), {to, plane->surface}, box);
  return tell_of_blocks(
      context, asked, plane->surface,
      transfer::copy_to_image(from.bytes(), layout_of(to, r), plane->surface, box, {context.workers}));
}

base::Result<base::Done> copy_region(const QueueContext& context, const VkCopyImageToBufferInfo2& info,
                                     const VkBufferImageCopy2& r) {
  const Image& from = *from_handle(info.srcImage);
  const Buffer& to = *from_handle(info.dstBuffer);
  declare(context, from, r.imageSubresource, info.srcImageLayout, kSource);
  const Image::Plane* plane = from.plane_of(r.imageSubresource.aspectMask);
  if (plane == nullptr) return no_aspect();
  const AskedBox asked{from, r.imageSubresource, r.imageOffset, r.imageExtent};
  const auto named = box_of(asked);
  if (!named.ok()) return named.failure();
  const transfer::ImageBox box = transfer::whole_blocks(plane->surface, *named);
  if (context.observers.transfers)
    context.observers.transfers->copy({from, plane->surface}, box, to, layout_of(from, r));
  return tell_of_blocks(
      context, asked, plane->surface,
      transfer::copy_to_buffer(plane->surface, box, to.bytes(), layout_of(from, r), {context.workers}));
}

base::Result<base::Done> resolve_region(const QueueContext& context, const VkResolveImageInfo2& info,
                                        const VkImageResolve2& r) {
  Image &from = *from_handle(info.srcImage), &to = *from_handle(info.dstImage);
  declare(context, from, info.srcImageLayout, to, info.dstImageLayout, r);
  const auto box = box_of({from, r.srcSubresource, r.srcOffset, r.extent});
  if (!box.ok()) return box.failure();
  const auto at = origin_of(to, r.dstSubresource, r.dstOffset);
  if (!at.ok()) return at.failure();
  const auto* modes =
      find_in_chain<VkResolveImageModeInfoKHR>(info.pNext, VK_STRUCTURE_TYPE_RESOLVE_IMAGE_MODE_INFO_KHR);
  return each_aspect(from, r.srcSubresource.aspectMask, to, r.dstSubresource.aspectMask,
                     [&](const image::Surface& a, image::Surface& b) {
                       const Image::Plane* stencil = from.plane_of(VK_IMAGE_ASPECT_STENCIL_BIT);
  const bool encoded = modes != nullptr && (modes->flags & VK_RESOLVE_IMAGE_SKIP_TRANSFER_FUNCTION_BIT_KHR) != 0;
                       const bool of_stencil = stencil != nullptr && &a == &stencil->surface;
                       const VkResolveModeFlagBits mode = modes == nullptr ? VK_RESOLVE_MODE_AVERAGE_BIT
                                                          : of_stencil     ? modes->stencilResolveMode
                                                                           : modes->resolveMode;
                       if (mode == VK_RESOLVE_MODE_NONE) return base::Result<base::Done>(base::Done{});
                       if (context.observers.transfers)
                         context.observers.transfers->resolve({from, a}, *box, {to, b}, *at);
                       return resolve(a, *box, b, *at, mode, encoded, context.workers);
                     });
}

base::Result<base::Done> blit_region(const QueueContext& context, const VkBlitImageInfo2& info, const VkImageBlit2& r) {
  Image &from = *from_handle(info.srcImage), &to = *from_handle(info.dstImage);
  declare(context, from, info.srcImageLayout, to, info.dstImageLayout, r);
  const auto box = [](const Image& image, const VkImageSubresourceLayers& at, const VkOffset3D* corners) {
    return transfer::BlitBox{at.mipLevel,
                             at.baseArrayLayer,
                             layers_of(image, at.baseArrayLayer, at.layerCount),
                             {offset_of(corners[0]), offset_of(corners[1])}};
  };
  const transfer::BlitBox source = box(from, r.srcSubresource, r.srcOffsets);
  const transfer::BlitBox target = box(to, r.dstSubresource, r.dstOffsets);
  const image::Filter filter = info.filter == VK_FILTER_LINEAR ? image::Filter::Linear : image::Filter::Nearest;
  return each_aspect(from, r.srcSubresource.aspectMask, to, r.dstSubresource.aspectMask,
                     [&](const image::Surface& a, image::Surface& b) {
                       if (context.observers.transfers)
                         context.observers.transfers->blit({from, a}, source, {to, b}, target);
                       return transfer::blit(a, source, b, target, filter, {context.workers});
                     });
}

/// clear(surface, aspect, box) for each level of each range, in the aspects that it names.
template <typename Clear>
base::Result<base::Done> clear_ranges(const QueueContext& context, Image& image, VkImageLayout layout,
                                      std::span<const VkImageSubresourceRange> ranges, Clear&& clear) {
  for (const VkImageSubresourceRange& range : ranges) {
    const std::uint32_t levels = range.levelCount == VK_REMAINING_MIP_LEVELS
                                     ? image.levels - std::min(range.baseMipLevel, image.levels)
                                     : range.levelCount;
    const std::uint32_t layers = layers_of(image, range.baseArrayLayer, range.layerCount);
    for (VkImageAspectFlags left = range.aspectMask; left != 0; left &= left - 1) {
      const VkImageAspectFlags aspect = left & (~left + 1);
      Image::Plane* plane = image.plane_of(aspect);
      if (plane == nullptr) return no_aspect();
      for (std::uint32_t level = range.baseMipLevel; level < range.baseMipLevel + levels; ++level) {
        const transfer::ImageBox box = transfer::whole_level(plane->surface, level, range.baseArrayLayer, layers);
        declare(context, image, {aspect, level, range.baseArrayLayer, layers}, layout, "imageLayout");
        if (context.observers.transfers) context.observers.transfers->clear({image, plane->surface}, box);
        if (auto done = clear(plane->surface, aspect, box); !done.ok()) return done;
      }
    }
  }
  return base::Done{};
}

}  // namespace

// --- commands ---

void Transfers::run(const commands::CopyBuffer2& c) {
  const VkCopyBufferInfo2& info = *c.pCopyBufferInfo;
  for (const VkBufferCopy2& r : std::span(info.pRegions, info.regionCount))
    context_.report(c, copy_region(context_, info, r));
}
void Transfers::run(const commands::CopyImage2& c) {
  const VkCopyImageInfo2& info = *c.pCopyImageInfo;
  for (const VkImageCopy2& r : std::span(info.pRegions, info.regionCount))
    context_.report(c, copy_region(context_, info, r));
}
void Transfers::run(const commands::CopyBufferToImage2& c) {
  const VkCopyBufferToImageInfo2& info = *c.pCopyBufferToImageInfo;
  for (const VkBufferImageCopy2& r : std::span(info.pRegions, info.regionCount))
    context_.report(c, copy_region(context_, info, r));
}
void Transfers::run(const commands::CopyImageToBuffer2& c) {
  const VkCopyImageToBufferInfo2& info = *c.pCopyImageToBufferInfo;
  for (const VkBufferImageCopy2& r : std::span(info.pRegions, info.regionCount))
    context_.report(c, copy_region(context_, info, r));
}
void Transfers::run(const commands::BlitImage2& c) {
  const VkBlitImageInfo2& info = *c.pBlitImageInfo;
  for (const VkImageBlit2& r : std::span(info.pRegions, info.regionCount))
    context_.report(c, blit_region(context_, info, r));
}
void Transfers::run(const commands::ResolveImage2& c) {
  const VkResolveImageInfo2& info = *c.pResolveImageInfo;
  for (const VkImageResolve2& r : std::span(info.pRegions, info.regionCount))
    context_.report(c, resolve_region(context_, info, r));
}
void Transfers::run(const commands::ClearColorImage& c) {
  image::Texel value;
  std::copy_n(c.pColor->uint32, 4, value.bits.begin());
  const auto clear = [&](image::Surface& surface, VkImageAspectFlags, const transfer::ImageBox& box) {
    return transfer::clear(surface, box, value, {context_.workers});
  };
  context_.report(c, clear_ranges(context_, *from_handle(c.image), c.imageLayout, {c.pRanges, c.rangeCount}, clear));
}
void Transfers::run(const commands::ClearDepthStencilImage& c) {
  const auto clear = [&](image::Surface& surface, VkImageAspectFlags aspect, const transfer::ImageBox& box) {
    return aspect == VK_IMAGE_ASPECT_DEPTH_BIT
               ? transfer::clear_depth(surface, box, c.pDepthStencil->depth, {context_.workers})
               : transfer::clear_stencil(surface, box, c.pDepthStencil->stencil, {context_.workers});
  };
  context_.report(c, clear_ranges(context_, *from_handle(c.image), c.imageLayout, {c.pRanges, c.rangeCount}, clear));
}
void Transfers::run(const commands::FillBuffer& c) {
  const Buffer& buffer = *from_handle(c.dstBuffer);
  const std::span<std::uint8_t> to = buffer.range(c.dstOffset, c.size);
  if (context_.observers.transfers) context_.observers.transfers->fill(buffer, to.first(to.size() / 4 * 4));
  transfer::fill(to, c.data, {context_.workers});
}
void Transfers::run(const commands::UpdateBuffer& c) {
  const Buffer& buffer = *from_handle(c.dstBuffer);
  const std::span<std::uint8_t> to = buffer.range(c.dstOffset, c.dataSize);
  if (to.size() != c.dataSize) return;
  if (context_.observers.transfers) context_.observers.transfers->fill(buffer, to);
  transfer::copy_bytes({static_cast<const std::uint8_t*>(c.pData), c.dataSize}, to, {context_.workers});
}

}  // namespace heddle::vulkan
