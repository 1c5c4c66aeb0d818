// SPDX-License-Identifier: MIT
// Rules: SPR-2, SPR-3, SPR-4.
#include "vulkan/queue/sparse_binds.hpp"

#include <fmt/format.h>

#include <span>

#include "vulkan/objects/images/image.hpp"
#include "vulkan/objects/memory/buffer.hpp"
#include "vulkan/objects/memory/device_memory.hpp"

namespace heddle::vulkan {
namespace {

BoundMemory memory_of(VkDeviceMemory memory, VkDeviceSize offset) {
  if (memory == VK_NULL_HANDLE) return {};
  return {from_handle(memory)->bytes, offset};
}

void add(Buffer* buffer, Image* image, const VkSparseMemoryBind* binds, std::uint32_t count, SparseBinds& to) {
  for (const VkSparseMemoryBind& bind : std::span(binds, count))
    to.opaque.push_back({buffer, image, bind.resourceOffset, bind.size, memory_of(bind.memory, bind.memoryOffset)});
}

SparsePages* pages_of(const SparseBinds::Opaque& o) {
  if (o.buffer != nullptr) return o.buffer->sparse.get();
  return o.image != nullptr ? o.image->sparse_pages.get() : nullptr;
}

/// Whether the second one goes on where the first one ends, in the object and in the memory.
bool follows(const SparseBinds::Opaque& first, const SparseBinds::Opaque& second) {
  return first.buffer == second.buffer && first.image == second.image && first.bytes % kSparsePage == 0 &&
         second.offset > first.offset && second.offset == first.offset + first.bytes &&
         second.bytes <= UINT64_MAX - second.offset && second.memory.bytes == first.memory.bytes &&
         (first.memory.bytes == nullptr || second.memory.offset == first.memory.offset + first.bytes);
}

bool bind(const SparseBinds::Opaque& o) {
  if (o.memory.offset % kSparsePage != 0 || (o.buffer == nullptr && o.image == nullptr)) return false;
  SparsePages* const pages = pages_of(o);
  if (pages != nullptr) return pages->bind(o.offset, o.bytes, o.memory);
  return o.buffer == nullptr && o.image->sparse != nullptr && o.image->sparse->bind_bytes(o.offset, o.bytes, o.memory);
}

bool bind(const SparseBinds::Blocks& b) {
  return b.image != nullptr && b.memory.offset % kSparsePage == 0 && b.image->sparse != nullptr &&
         b.image->sparse->bind_blocks(b.at, b.offset, b.extent, b.memory);
}

/// How many of them, from the first on, are parts of one binding: the system is asked once for all.
std::size_t run_at(std::span<const SparseBinds::Opaque> binds) {
  std::size_t count = 1;
  if (pages_of(binds[0]) == nullptr) return count;
  while (count < binds.size() && follows(binds[count - 1], binds[count])) ++count;
  return count;
}

/// Where they can't be bound together, each is bound that can be.
void bind_run(std::span<const SparseBinds::Opaque> run, std::vector<std::string>& problems) {
  SparseBinds::Opaque whole = run.front();
  for (const SparseBinds::Opaque& o : run.subspan(1)) whole.bytes += o.bytes;
  if (run.size() > 1 && bind(whole)) return;
  for (const SparseBinds::Opaque& o : run)
    if (!bind(o))
      problems.push_back(fmt::format(
          "{} bytes at byte {} of a{} can't be bound: the object is sparse, its bytes and the memory's begin at "
          "multiples of {}, both are long enough, and the memory is none that another library gave",
          o.bytes, o.offset, o.buffer != nullptr ? " buffer" : "n image", kSparsePage));
}

}  // namespace

SparseBinds read_binds(const VkBindSparseInfo& info) {
  SparseBinds to;
  for (const VkSparseBufferMemoryBindInfo& b : std::span(info.pBufferBinds, info.bufferBindCount))
    add(from_handle(b.buffer), nullptr, b.pBinds, b.bindCount, to);
  for (const VkSparseImageOpaqueMemoryBindInfo& b : std::span(info.pImageOpaqueBinds, info.imageOpaqueBindCount))
    add(nullptr, from_handle(b.image), b.pBinds, b.bindCount, to);
  for (const VkSparseImageMemoryBindInfo& image : std::span(info.pImageBinds, info.imageBindCount))
    for (const VkSparseImageMemoryBind& b : std::span(image.pBinds, image.bindCount))
      to.blocks.push_back(
          {from_handle(image.image), b.subresource, b.offset, b.extent, memory_of(b.memory, b.memoryOffset)});
  return to;
}

std::vector<std::string> carry_out(const SparseBinds& binds) {
  std::vector<std::string> problems;
  const std::span all(binds.opaque);
  for (std::size_t at = 0; at < all.size();) {
    const std::size_t run = run_at(all.subspan(at));
    bind_run(all.subspan(at, run), problems);
    at += run;
  }
  for (const SparseBinds::Blocks& b : binds.blocks)
    if (!bind(b))
      problems.push_back(fmt::format(
          "{}x{}x{} texels at ({}, {}, {}) of level {}, layer {} of an image can't be bound: the image has sparse "
          "residency, the region is one of whole blocks before the mip tail, and the memory begins at a multiple of {} "
          "and is long enough",
          b.extent.width, b.extent.height, b.extent.depth, b.offset.x, b.offset.y, b.offset.z, b.at.mipLevel,
          b.at.arrayLayer, kSparsePage));
  return problems;
}

}  // namespace heddle::vulkan
