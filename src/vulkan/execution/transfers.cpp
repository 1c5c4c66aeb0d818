// Copies, blits, resolves, clears and fills: Vulkan's regions as those of pipeline/transfer.
// Rules: run-memory-unwritten, run-image-layout, run-barrier-missing.

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <span>

#include "vulkan/execution/executor.hpp"

namespace heddle::vulkan {
namespace {

namespace transfer = pipeline::transfer;

/// What transfers need of their executor.
struct Means {
  transfer::Work work;
  CommandWatch* watch;  ///< null without checks
};

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

// --- what checks see ---

constexpr Usage kCopyReads{VK_PIPELINE_STAGE_2_COPY_BIT, VK_ACCESS_2_TRANSFER_READ_BIT},
    kCopyWrites{VK_PIPELINE_STAGE_2_COPY_BIT, VK_ACCESS_2_TRANSFER_WRITE_BIT},
    kBlitReads{VK_PIPELINE_STAGE_2_BLIT_BIT, VK_ACCESS_2_TRANSFER_READ_BIT},
    kBlitWrites{VK_PIPELINE_STAGE_2_BLIT_BIT, VK_ACCESS_2_TRANSFER_WRITE_BIT},
    kResolveReads{VK_PIPELINE_STAGE_2_RESOLVE_BIT, VK_ACCESS_2_TRANSFER_READ_BIT},
    kResolveWrites{VK_PIPELINE_STAGE_2_RESOLVE_BIT, VK_ACCESS_2_TRANSFER_WRITE_BIT},
    kClearWrites{VK_PIPELINE_STAGE_2_CLEAR_BIT, VK_ACCESS_2_TRANSFER_WRITE_BIT},
    // Both commands that fill buffers count as clears and as copies: run-barrier-missing says why.
    kFillWrites{VK_PIPELINE_STAGE_2_CLEAR_BIT | VK_PIPELINE_STAGE_2_COPY_BIT, VK_ACCESS_2_TRANSFER_WRITE_BIT};
constexpr const char *kSource = "srcImageLayout", *kTarget = "dstImageLayout";

Usage of(const Usage& usage, VkBuffer buffer) {
  return usage.of("buffer", reinterpret_cast<std::uint64_t>(from_handle(buffer)));
}
Usage of(const Usage& usage, VkImage image) {
  return usage.of("image", reinterpret_cast<std::uint64_t>(from_handle(image)));
}

/// An image in the layout that the command says.
struct UsedImage {
  VkImage image;
  VkImageLayout layout;
};
struct CopiedImages {
  VkImage from;
  VkImageLayout from_layout;
  VkImage to;
  VkImageLayout to_layout;
};

void expect(const Means& means, const Image& image, const VkImageSubresourceLayers& at, VkImageLayout declared,
            const char* who) {
  if (means.watch == nullptr || image.layouts == nullptr) return;
  const std::uint32_t layers = layers_of(image, at.baseArrayLayer, at.layerCount);
  for (VkImageAspectFlags left = at.aspectMask; left != 0; left &= left - 1) {
    const VkImageAspectFlags aspect = left & (~left + 1);
    const Image::Plane* plane = image.plane_of(aspect);
    if (plane == nullptr) continue;
    const auto number = static_cast<std::uint32_t>(plane - image.planes.data());
    for (std::uint32_t layer = at.baseArrayLayer; layer < at.baseArrayLayer + layers; ++layer) {
      if (at.mipLevel >= image.levels || layer >= image.layers) continue;
      const VkImageLayout current = image.layouts->of(number, at.mipLevel, layer);
      if (same_layout(declared, current, aspect)) continue;
      means.watch->report_layout(reinterpret_cast<std::uint64_t>(&image), at.mipLevel, layer, current, declared, who);
    }
  }
}

/// What of `to` a copy of a box writes: texels of blocks of another size are others, slices may become layers.
transfer::ImageBox copied_box(const image::Surface& from, const transfer::ImageBox& box, const image::Surface& to,
                              const transfer::ImageOrigin& at) {
  const auto scaled = [](std::uint32_t count, std::uint32_t block, std::uint32_t other) {
    return (count + block - 1) / block * other;
  };
  const image::FormatInfo &a = from.info(), &b = to.info();
  const std::uint32_t slices = box.extent.depth * box.layers;
  const bool volume = to.type == image::SurfaceType::Dim3;
  return {at.level,
          at.first_layer,
          volume ? 1 : slices,
          at.offset,
          {scaled(box.extent.width, a.block_width, b.block_width),
           scaled(box.extent.height, a.block_height, b.block_height), volume ? slices : 1}};
}

/// The texels between two corners.
transfer::ImageBox between(const transfer::BlitBox& box) {
  const auto& [a, b] = box.corners;
  const auto size = [](std::int32_t x, std::int32_t y) { return static_cast<std::uint32_t>(std::abs(x - y)); };
  return {box.level,
          box.first_layer,
          box.layers,
          {std::min(a.x, b.x), std::min(a.y, b.y), std::min(a.z, b.z)},
          {size(a.x, b.x), size(a.y, b.y), size(a.z, b.z)}};
}

/// use(bytes) for the rows of a box of an image in a buffer (TRF-2); not where the buffer ends before: such regions are
/// refused.
void for_each_buffer_row(std::span<const std::uint8_t> buffer, const transfer::BufferLayout& layout,
                         const image::Surface& image, const transfer::ImageBox& box,
                         const std::function<void(Bytes)>& use) {
  const image::FormatInfo& format = image.info();
  const auto blocks = [](std::uint32_t count, std::uint32_t block) {
    return std::uint64_t{count} / block + (count % block != 0 ? 1 : 0);
  };
  const std::uint64_t texel = format.bytes_per_element(), rows = blocks(box.extent.height, format.block_height),
                      bytes = blocks(box.extent.width, format.block_width) * texel,
                      pitch = blocks(std::max(layout.row_length, box.extent.width), format.block_width) * texel,
                      height = blocks(std::max(layout.image_height, box.extent.height), format.block_height),
                      slices = std::uint64_t{box.extent.depth} * box.layers;
  if (bytes == 0 || layout.offset > buffer.size()) return;
  const std::uint64_t most = buffer.size() / pitch + 1;  // rows that may begin in the buffer
  if (rows > most || (slices > 1 && (height > most || slices > most))) return;
  const std::uint64_t slice = std::min(height, most) * pitch;
  for (std::uint64_t z = 0; z < slices; ++z)
    for (std::uint64_t y = 0; y < rows; ++y) {
      const std::uint64_t at = layout.offset + z * slice + y * pitch;
      if (at + bytes <= buffer.size()) use(buffer.subspan(at, bytes));
    }
}

// --- one region each ---

base::Result<base::Done> copy_region(VkBuffer from, VkBuffer to, const VkBufferCopy2& r, const Means& means) {
  const auto source = from_handle(from)->range(r.srcOffset, r.size);
  const auto target = from_handle(to)->range(r.dstOffset, r.size);
  if (source.size() != r.size || target.size() != r.size)
    return base::error("transfer-region", "the region leaves a buffer");
  if (means.watch != nullptr) means.watch->copy(source, target, of(kCopyReads, from), of(kCopyWrites, to));
  transfer::copy_bytes(source, target, means.work);
  return base::Done{};
}

base::Result<base::Done> copy_region(const CopiedImages& images, const VkImageCopy2& r, const Means& means) {
  Image& source = *from_handle(images.from);
  Image& target = *from_handle(images.to);
  expect(means, source, r.srcSubresource, images.from_layout, kSource);
  expect(means, target, r.dstSubresource, images.to_layout, kTarget);
  const transfer::ImageBox box = box_of(source, r.srcSubresource, r.srcOffset, r.extent);
  const transfer::ImageOrigin at{r.dstSubresource.mipLevel, r.dstSubresource.baseArrayLayer, offset_of(r.dstOffset)};
  return each_aspect(source, r.srcSubresource.aspectMask, target, r.dstSubresource.aspectMask,
                     [&](const image::Surface& a, image::Surface& b) {
                       if (means.watch != nullptr) {
                         means.watch->read_box(a, box, kCopyReads);
                         means.watch->write_box(b, copied_box(a, box, b, at), kCopyWrites);
                       }
                       return transfer::copy_image(a, box, b, at, means.work);
                     });
}

transfer::BufferLayout layout_of(const VkBufferImageCopy2& r) {
  return {r.bufferOffset, r.bufferRowLength, r.bufferImageHeight};
}

base::Result<base::Done> to_image(VkBuffer from, const UsedImage& to, const VkBufferImageCopy2& r, const Means& means) {
  Image& target = *from_handle(to.image);
  expect(means, target, r.imageSubresource, to.layout, kTarget);
  Image::Plane* plane = target.plane_of(r.imageSubresource.aspectMask);
  if (plane == nullptr) return no_aspect();
  const transfer::ImageBox box = box_of(target, r.imageSubresource, r.imageOffset, r.imageExtent);
  const std::span<std::uint8_t> buffer = from_handle(from)->bytes();
  if (means.watch != nullptr) {
    for_each_buffer_row(buffer, layout_of(r), plane->surface, box,
                        [&](Bytes bytes) { means.watch->read(bytes, of(kCopyReads, from)); });
    means.watch->write_box(plane->surface, box, of(kCopyWrites, to.image));
  }
  return transfer::copy_to_image(buffer, layout_of(r), plane->surface, box, means.work);
}

base::Result<base::Done> to_buffer(const UsedImage& from, VkBuffer to, const VkBufferImageCopy2& r,
                                   const Means& means) {
  Image& source = *from_handle(from.image);
  expect(means, source, r.imageSubresource, from.layout, kSource);
  const Image::Plane* plane = source.plane_of(r.imageSubresource.aspectMask);
  if (plane == nullptr) return no_aspect();
  const transfer::ImageBox box = box_of(source, r.imageSubresource, r.imageOffset, r.imageExtent);
  const std::span<std::uint8_t> buffer = from_handle(to)->bytes();
  if (means.watch != nullptr) {
    means.watch->read_box(plane->surface, box, of(kCopyReads, from.image));
    for_each_buffer_row(buffer, layout_of(r), plane->surface, box,
                        [&](Bytes bytes) { means.watch->write(bytes, of(kCopyWrites, to)); });
  }
  return transfer::copy_to_buffer(plane->surface, box, buffer, layout_of(r), means.work);
}

base::Result<base::Done> resolve_region(const CopiedImages& images, const VkImageResolve2& r, const Means& means) {
  Image& source = *from_handle(images.from);
  Image& target = *from_handle(images.to);
  expect(means, source, r.srcSubresource, images.from_layout, kSource);
  expect(means, target, r.dstSubresource, images.to_layout, kTarget);
  const transfer::ImageBox box = box_of(source, r.srcSubresource, r.srcOffset, r.extent);
  const transfer::ImageOrigin at{r.dstSubresource.mipLevel, r.dstSubresource.baseArrayLayer, offset_of(r.dstOffset)};
  return each_aspect(source, r.srcSubresource.aspectMask, target, r.dstSubresource.aspectMask,
                     [&](const image::Surface& a, image::Surface& b) {
                       if (means.watch != nullptr) {
                         means.watch->read_box(a, box, of(kResolveReads, images.from));
                         means.watch->write_box(b, copied_box(a, box, b, at), of(kResolveWrites, images.to));
                       }
                       return transfer::resolve(a, box, b, at, transfer::default_resolve_mode(a.info()), means.work);
                     });
}

base::Result<base::Done> blit_region(const CopiedImages& images, const VkImageBlit2& r, VkFilter filter,
                                     const Means& means) {
  Image& source = *from_handle(images.from);
  Image& target = *from_handle(images.to);
  expect(means, source, r.srcSubresource, images.from_layout, kSource);
  expect(means, target, r.dstSubresource, images.to_layout, kTarget);
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
                       if (means.watch != nullptr) {
                         means.watch->read_box(x, between(a), of(kBlitReads, images.from));
                         means.watch->write_box(y, between(b), of(kBlitWrites, images.to));
                       }
                       return transfer::blit(
                           x, a, y, b, filter == VK_FILTER_LINEAR ? image::Filter::Linear : image::Filter::Nearest,
                           means.work);
                     });
}

/// clear(surface, box) for each level of each range, in the aspects that it names.
template <typename Clear>
base::Result<base::Done> clear_ranges(const UsedImage& used, std::span<const VkImageSubresourceRange> ranges,
                                      const Means& means, Clear&& clear) {
  Image& image = *from_handle(used.image);
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
        expect(means, image, {aspect, level, range.baseArrayLayer, layers}, used.layout, "imageLayout");
        if (means.watch != nullptr) means.watch->write_box(plane->surface, box, of(kClearWrites, used.image));
        if (auto done = clear(plane->surface, aspect, box); !done.ok()) return done;
      }
    }
  }
  return base::Done{};
}

}  // namespace

// --- commands ---

void Executor::run(const commands::CopyBuffer2& c) {
  const VkCopyBufferInfo2& info = *c.pCopyBufferInfo;
  for (const VkBufferCopy2& r : std::span(info.pRegions, info.regionCount))
    report(c, copy_region(info.srcBuffer, info.dstBuffer, r, {work(), watch_.get()}));
}
void Executor::run(const commands::CopyImage2& c) {
  const VkCopyImageInfo2& info = *c.pCopyImageInfo;
  for (const VkImageCopy2& r : std::span(info.pRegions, info.regionCount))
    report(c, copy_region({info.srcImage, info.srcImageLayout, info.dstImage, info.dstImageLayout}, r,
                          {work(), watch_.get()}));
}
void Executor::run(const commands::CopyBufferToImage2& c) {
  const VkCopyBufferToImageInfo2& info = *c.pCopyBufferToImageInfo;
  for (const VkBufferImageCopy2& r : std::span(info.pRegions, info.regionCount))
    report(c, to_image(info.srcBuffer, {info.dstImage, info.dstImageLayout}, r, {work(), watch_.get()}));
}
void Executor::run(const commands::CopyImageToBuffer2& c) {
  const VkCopyImageToBufferInfo2& info = *c.pCopyImageToBufferInfo;
  for (const VkBufferImageCopy2& r : std::span(info.pRegions, info.regionCount))
    report(c, to_buffer({info.srcImage, info.srcImageLayout}, info.dstBuffer, r, {work(), watch_.get()}));
}
void Executor::run(const commands::BlitImage2& c) {
  const VkBlitImageInfo2& info = *c.pBlitImageInfo;
  for (const VkImageBlit2& r : std::span(info.pRegions, info.regionCount))
    report(c, blit_region({info.srcImage, info.srcImageLayout, info.dstImage, info.dstImageLayout}, r, info.filter,
                          {work(), watch_.get()}));
}
void Executor::run(const commands::ResolveImage2& c) {
  const VkResolveImageInfo2& info = *c.pResolveImageInfo;
  for (const VkImageResolve2& r : std::span(info.pRegions, info.regionCount))
    report(c, resolve_region({info.srcImage, info.srcImageLayout, info.dstImage, info.dstImageLayout}, r,
                             {work(), watch_.get()}));
}
void Executor::run(const commands::ClearColorImage& c) {
  image::Texel value;
  std::copy_n(c.pColor->uint32, 4, value.bits.begin());
  report(c, clear_ranges({c.image, c.imageLayout}, {c.pRanges, c.rangeCount}, {work(), watch_.get()},
                         [&](image::Surface& surface, VkImageAspectFlags, const transfer::ImageBox& box) {
                           return transfer::clear(surface, box, value, work());
                         }));
}
void Executor::run(const commands::ClearDepthStencilImage& c) {
  report(c, clear_ranges({c.image, c.imageLayout}, {c.pRanges, c.rangeCount}, {work(), watch_.get()},
                         [&](image::Surface& surface, VkImageAspectFlags aspect, const transfer::ImageBox& box) {
                           return aspect == VK_IMAGE_ASPECT_DEPTH_BIT
                                      ? transfer::clear_depth(surface, box, c.pDepthStencil->depth, work())
                                      : transfer::clear_stencil(surface, box, c.pDepthStencil->stencil, work());
                         }));
}
void Executor::run(const commands::FillBuffer& c) {
  const std::span<std::uint8_t> to = from_handle(c.dstBuffer)->range(c.dstOffset, c.size);
  if (watch_) watch_->write(to.first(to.size() / 4 * 4), of(kFillWrites, c.dstBuffer));
  transfer::fill(to, c.data, work());
}
void Executor::run(const commands::UpdateBuffer& c) {
  const std::span<std::uint8_t> to = from_handle(c.dstBuffer)->range(c.dstOffset, c.dataSize);
  if (to.size() != c.dataSize) return;
  if (watch_) watch_->write(to, of(kFillWrites, c.dstBuffer));
  transfer::copy_bytes({static_cast<const std::uint8_t*>(c.pData), c.dataSize}, to, work());
}

}  // namespace heddle::vulkan
