// SPDX-License-Identifier: MIT
#pragma once
// What vkQueueBindSparse binds, kept until the queue comes to it.

#include <vulkan/vulkan.h>

#include <string>
#include <vector>

#include "vulkan/objects/memory/sparse_pages.hpp"

namespace heddle::vulkan {

struct Buffer;
struct Image;

struct SparseBinds {
  /// Bytes of a buffer, of an image that is bound whole, or of an image's mip tails.
  struct Opaque {
    Buffer* buffer;
    Image* image;  ///< where `buffer` is null
    VkDeviceSize offset, bytes;
    BoundMemory memory;
  };
  struct Blocks {
    Image* image;
    VkImageSubresource at;
    VkOffset3D offset;
    VkExtent3D extent;
    BoundMemory memory;
  };
  std::vector<Opaque> opaque;
  std::vector<Blocks> blocks;

  [[nodiscard]] bool empty() const { return opaque.empty() && blocks.empty(); }
};

/// With the memory that the handles name now.
[[nodiscard]] SparseBinds read_binds(const VkBindSparseInfo& info);

/// On the queue's thread. What can't be bound, in words; the rest is.
[[nodiscard]] std::vector<std::string> carry_out(const SparseBinds& binds);

}  // namespace heddle::vulkan
