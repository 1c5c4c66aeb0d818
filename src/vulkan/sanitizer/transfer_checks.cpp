// SPDX-License-Identifier: MIT
#include "vulkan/sanitizer/transfer_checks.hpp"

#include <algorithm>
#include <functional>

#include "pipeline/transfer/transfer.hpp"
#include "vulkan/execution/context/regions.hpp"
#include "vulkan/objects/images/image.hpp"
#include "vulkan/objects/memory/buffer.hpp"

namespace heddle::vulkan {
namespace {

namespace transfer = pipeline::transfer;

constexpr Usage kCopyReads{VK_PIPELINE_STAGE_2_COPY_BIT, VK_ACCESS_2_TRANSFER_READ_BIT},
    kCopyWrites{VK_PIPELINE_STAGE_2_COPY_BIT, VK_ACCESS_2_TRANSFER_WRITE_BIT},
    kBlitReads{VK_PIPELINE_STAGE_2_BLIT_BIT, VK_ACCESS_2_TRANSFER_READ_BIT},
    kBlitWrites{VK_PIPELINE_STAGE_2_BLIT_BIT, VK_ACCESS_2_TRANSFER_WRITE_BIT},
    kResolveReads{VK_PIPELINE_STAGE_2_RESOLVE_BIT, VK_ACCESS_2_TRANSFER_READ_BIT},
    kResolveWrites{VK_PIPELINE_STAGE_2_RESOLVE_BIT, VK_ACCESS_2_TRANSFER_WRITE_BIT},
    kClearWrites{VK_PIPELINE_STAGE_2_CLEAR_BIT, VK_ACCESS_2_TRANSFER_WRITE_BIT},
    // Both commands that fill buffers count as clears and as copies: run-barrier-missing says why.
    kFillWrites{VK_PIPELINE_STAGE_2_CLEAR_BIT | VK_PIPELINE_STAGE_2_COPY_BIT, VK_ACCESS_2_TRANSFER_WRITE_BIT};

Usage of(const Usage& usage, const Buffer& buffer) {
  return usage.of("buffer", reinterpret_cast<std::uint64_t>(&buffer));
}
Usage of(const Usage& usage, const Image& image) { return usage.of("image", reinterpret_cast<std::uint64_t>(&image)); }

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

}  // namespace

void TransferChecks::declare(const Image& image, const VkImageSubresourceLayers& at, VkImageLayout declared,
                             const char* who) {
  if (image.layouts == nullptr) return;
  for_each_aspect(at.aspectMask, [&](VkImageAspectFlags aspect) {
    const Image::Plane* plane = image.plane_of(aspect);
    if (plane == nullptr) return;
    const auto number = static_cast<std::uint32_t>(plane - image.planes.data());
    for (std::uint32_t layer = at.baseArrayLayer; layer < at.baseArrayLayer + at.layerCount; ++layer) {
      if (at.mipLevel >= image.levels || layer >= image.layers) continue;
      const VkImageLayout current = image.layouts->of(number, at.mipLevel, layer);
      if (same_layout(declared, current, aspect)) continue;
      watch_->report_layout(reinterpret_cast<std::uint64_t>(&image), at.mipLevel, layer, current, declared, who);
    }
  });
}

void TransferChecks::copy(const Buffer& from, Bytes source, const Buffer& to, Bytes target) {
  watch_->copy(source, target, of(kCopyReads, from), of(kCopyWrites, to));
}
void TransferChecks::copy(const TransferredSurface& from, const transfer::ImageBox& box, const TransferredSurface& to,
                          const transfer::ImageOrigin& at) {
  watch_->read_box(from.surface, box, of(kCopyReads, from.image));
  watch_->write_box(to.surface, copied_box(from.surface, box, to.surface, at), of(kCopyWrites, to.image));
}
void TransferChecks::copy(const Buffer& from, const transfer::BufferLayout& layout, const TransferredSurface& to,
                          const transfer::ImageBox& box) {
  for_each_buffer_row(from.bytes(), layout, to.surface, box,
                      [&](Bytes bytes) { watch_->read(bytes, of(kCopyReads, from)); });
  watch_->write_box(to.surface, box, of(kCopyWrites, to.image));
}
void TransferChecks::copy(const TransferredSurface& from, const transfer::ImageBox& box, const Buffer& to,
                          const transfer::BufferLayout& layout) {
  watch_->read_box(from.surface, box, of(kCopyReads, from.image));
  for_each_buffer_row(to.bytes(), layout, from.surface, box,
                      [&](Bytes bytes) { watch_->write(bytes, of(kCopyWrites, to)); });
}
void TransferChecks::resolve(const TransferredSurface& from, const transfer::ImageBox& box,
                             const TransferredSurface& to, const transfer::ImageOrigin& at) {
  watch_->read_box(from.surface, box, of(kResolveReads, from.image));
  watch_->write_box(to.surface, copied_box(from.surface, box, to.surface, at), of(kResolveWrites, to.image));
}
void TransferChecks::blit(const TransferredSurface& from, const transfer::BlitBox& source, const TransferredSurface& to,
                          const transfer::BlitBox& target) {
  watch_->read_box(from.surface, between(source), of(kBlitReads, from.image));
  watch_->write_box(to.surface, between(target), of(kBlitWrites, to.image));
}
void TransferChecks::clear(const TransferredSurface& to, const transfer::ImageBox& box) {
  watch_->write_box(to.surface, box, of(kClearWrites, to.image));
}
void TransferChecks::fill(const Buffer& to, Bytes target) { watch_->write(target, of(kFillWrites, to)); }
void TransferChecks::copy_results(const Buffer& to, Bytes target) { watch_->write(target, of(kCopyWrites, to)); }

}  // namespace heddle::vulkan
