// SPDX-License-Identifier: MIT
#pragma once
// Buffers, and bytes as surfaces that shaders read and write.

#include <vulkan/vulkan.h>

#include <cstdint>
#include <memory>
#include <span>

#include "image/memory.hpp"
#include "machine/bindings.hpp"
#include "vulkan/api/handles.hpp"
#include "vulkan/objects/memory/sparse_pages.hpp"

namespace heddle::vulkan {

struct Buffer {
  std::uint64_t size = 0;
  VkBufferUsageFlags2 usage = 0;
  std::shared_ptr<image::Memory> memory;  ///< this buffer's bytes; null before it is bound
  bool addressed = false;                 ///< sparse: shaders may use its addresses
  bool replayable = false;                ///< another run may ask for its address
  std::unique_ptr<SparsePages> sparse;    ///< whose bytes they are where memory is bound by the queue

  [[nodiscard]] std::span<std::uint8_t> bytes() const {
    return memory ? std::span<std::uint8_t>(*memory) : std::span<std::uint8_t>();
  }
  /// `offset` within the buffer; VK_WHOLE_SIZE: to its end. Empty where that is outside.
  [[nodiscard]] std::span<std::uint8_t> range(std::uint64_t offset, std::uint64_t size) const;
};

/// A surface of raw bytes at `offset` of `memory`; null where there are none.
[[nodiscard]] machine::SurfaceResource raw_surface(const std::shared_ptr<image::Memory>& memory, std::uint64_t offset,
                                                   std::uint64_t size);

HEDDLE_HANDLE(Buffer, VkBuffer)

}  // namespace heddle::vulkan
