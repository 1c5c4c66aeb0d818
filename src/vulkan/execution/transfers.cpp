// SPDX-License-Identifier: MIT
// Copies, blits, resolves, clears and fills: Vulkan's regions as those of pipeline/transfer.

#include "vulkan/execution/transfers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
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
  const bool encoded = modes != nullptr && (modes->flags & VK_RESOLVE_IMAGE_SKIP_TRANSFER_FUNCTION_BIT_KHR) != 0;
  return each_aspect(from, r.srcSubresource.aspectMask, to, r.dstSubresource.aspectMask,
                     [&](const image::Surface& a, image::Surface& b) {
                       const Image::Plane* stencil = from.plane_of(VK_IMAGE_ASPECT_STENCIL_BIT);
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

// --- regions that stand in memory ---

/// Memory of the device as a buffer, as long as this lives: `size` bytes at an address, or all from there on. Empty
/// where there is none.
class AddressedBytes {
 public:
  AddressedBytes(const Device& device, std::uint64_t address, std::uint64_t size = VK_WHOLE_SIZE) {
    const bool all = size == VK_WHOLE_SIZE;
    const machine::MemoryRange* range = device.addresses->find(address, all ? 1 : size);
    if (range == nullptr) return;
    const std::uint64_t before = address - range->address;
    buffer_.size = all ? range->size - before : size;
    buffer_.memory = std::make_shared<image::Memory>(
        range->owner, std::span(range->data + before, static_cast<std::size_t>(buffer_.size)));
  }
  explicit operator bool() const { return buffer_.memory != nullptr; }
  [[nodiscard]] Buffer& buffer() { return buffer_; }

 private:
  Buffer buffer_;
};

base::Diagnostic no_memory(const char* what, std::uint64_t address) {
  return base::error("transfer-region",
                     fmt::format("{} is at the address {:#x}, where the device has no such memory", what, address));
}

/// work(region, its number) for each that is read from there.
template <typename Region, typename Work>
base::Result<base::Done> each_region(const QueueContext& context, const VkStridedDeviceAddressRangeKHR& at,
                                     std::uint32_t count, Work&& work) {
  if (count != 0 && at.stride < sizeof(Region))
    return base::error("transfer-region", "copyAddressRange has a stride that is smaller than a region");
  for (std::uint32_t i = 0; i < count; ++i) {
    if (at.size < sizeof(Region) || i > (at.size - sizeof(Region)) / at.stride)
      return base::error("transfer-region", "copyAddressRange ends before the last region");
    const std::uint64_t offset = i * at.stride;
    AddressedBytes from(context.device, at.address + offset, sizeof(Region));
    if (!from) return no_memory("a region", at.address + offset);
    const auto bytes = from.buffer().range(0, sizeof(Region));
    if (context.observers.inputs) context.observers.inputs->fetch_copy(from.buffer(), bytes);
    Region region;
    std::memcpy(&region, bytes.data(), sizeof region);
    if (auto done = work(region, i); !done.ok()) return done;
  }
  return base::Done{};
}

base::Result<base::Done> copy_region(const QueueContext& context, const VkCopyMemoryIndirectCommandKHR& r) {
  if (r.size == 0) return base::Done{};
  AddressedBytes from(context.device, r.srcAddress, r.size), to(context.device, r.dstAddress, r.size);
  if (!from) return no_memory("the source of a region", r.srcAddress);
  if (!to) return no_memory("the destination of a region", r.dstAddress);
  VkCopyBufferInfo2 info{VK_STRUCTURE_TYPE_COPY_BUFFER_INFO_2};
  info.srcBuffer = to_handle(&from.buffer());
  info.dstBuffer = to_handle(&to.buffer());
  return copy_region(context, info, VkBufferCopy2{VK_STRUCTURE_TYPE_BUFFER_COPY_2, nullptr, 0, 0, r.size});
}

bool are_alike(const VkImageSubresourceLayers& a, const VkImageSubresourceLayers& b) {
  return a.aspectMask == b.aspectMask && a.mipLevel == b.mipLevel && a.baseArrayLayer == b.baseArrayLayer &&
         a.layerCount == b.layerCount;
}

/// TRF-22: slices of a volume are named as layers.
VkBufferImageCopy2 region_of(const Image& image, const VkCopyMemoryToImageIndirectCommandKHR& r) {
  VkBufferImageCopy2 region{VK_STRUCTURE_TYPE_BUFFER_IMAGE_COPY_2};
  region.bufferRowLength = r.bufferRowLength;
  region.bufferImageHeight = r.bufferImageHeight;
  region.imageSubresource = r.imageSubresource;
  region.imageOffset = r.imageOffset;
  region.imageExtent = r.imageExtent;
  if (image.type != VK_IMAGE_TYPE_3D) return region;
  VkImageSubresourceLayers& at = region.imageSubresource;
  const std::uint32_t depth = std::max(1u, image.extent.depth >> std::min(at.mipLevel, 31u));
  region.imageOffset.z = static_cast<std::int32_t>(at.baseArrayLayer);
  region.imageExtent.depth = at.layerCount != VK_REMAINING_ARRAY_LAYERS ? at.layerCount
                             : at.baseArrayLayer < depth                ? depth - at.baseArrayLayer
                                                                        : 0;
  at.baseArrayLayer = 0;
  at.layerCount = 1;
  return region;
}

base::Result<base::Done> copy_region(const QueueContext& context, const VkCopyMemoryToImageIndirectInfoKHR& info,
                                     const VkCopyMemoryToImageIndirectCommandKHR& r, std::uint32_t number) {
  if (!are_alike(r.imageSubresource, info.pImageSubresources[number]))
    return base::error("transfer-region", "a region in memory names another subresource than the command");
  const VkBufferImageCopy2 region = region_of(*from_handle(info.dstImage), r);
  const VkExtent3D& extent = region.imageExtent;
  if (extent.width == 0 || extent.height == 0 || extent.depth == 0) return base::Done{};
  AddressedBytes from(context.device, r.srcAddress);
  if (!from) return no_memory("the source of a region", r.srcAddress);
  VkCopyBufferToImageInfo2 copy{VK_STRUCTURE_TYPE_COPY_BUFFER_TO_IMAGE_INFO_2};
  copy.srcBuffer = to_handle(&from.buffer());
  copy.dstImage = info.dstImage;
  copy.dstImageLayout = info.dstImageLayout;
  return copy_region(context, copy, region);
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
void Transfers::run(const commands::CopyMemoryIndirectKHR& c) {
  const VkCopyMemoryIndirectInfoKHR& info = *c.pCopyMemoryIndirectInfo;
  context_.report(c, each_region<VkCopyMemoryIndirectCommandKHR>(
                         context_, info.copyAddressRange, info.copyCount,
                         [&](const auto& region, std::uint32_t) { return copy_region(context_, region); }));
}
void Transfers::run(const commands::CopyMemoryToImageIndirectKHR& c) {
  const VkCopyMemoryToImageIndirectInfoKHR& info = *c.pCopyMemoryToImageIndirectInfo;
  context_.report(c, each_region<VkCopyMemoryToImageIndirectCommandKHR>(
                         context_, info.copyAddressRange, info.copyCount,
                         [&](const auto& region, std::uint32_t i) { return copy_region(context_, info, region, i); }));
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
