#pragma once
// Device memory and buffers. All memory is the host's: demand-zeroed pages, or pages of the application.

#include <vulkan/vulkan.h>

#include <cstdint>
#include <memory>
#include <span>

#include "image/memory.hpp"
#include "machine/bindings.hpp"
#include "vulkan/api/handles.hpp"

namespace heddle::vulkan {

struct Device;

inline constexpr std::uint64_t kBufferAlignment = 64, kImageAlignment = 256;

struct DeviceMemory {
  std::shared_ptr<image::Memory> bytes;
  std::uint64_t taken = 0;  ///< of the heap
  bool addressed = false;   ///< shaders may use addresses of its buffers
};

struct Buffer {
  std::uint64_t size = 0;
  VkBufferUsageFlags usage = 0;
  std::shared_ptr<image::Memory> memory;  ///< this buffer's bytes; null before it is bound

  [[nodiscard]] std::span<std::uint8_t> bytes() const {
    return memory ? std::span<std::uint8_t>(*memory) : std::span<std::uint8_t>();
  }
  /// `offset` within the buffer; VK_WHOLE_SIZE: to its end. Empty where that is outside.
  [[nodiscard]] std::span<std::uint8_t> range(std::uint64_t offset, std::uint64_t size) const;
};

struct BufferView {
  machine::SurfaceResource surface;
};

/// A surface of raw bytes at `offset` of `memory`; null where there are none.
[[nodiscard]] machine::SurfaceResource raw_surface(const std::shared_ptr<image::Memory>& memory, std::uint64_t offset,
                                                   std::uint64_t size);

HEDDLE_HANDLE(DeviceMemory, VkDeviceMemory)
HEDDLE_HANDLE(Buffer, VkBuffer)
HEDDLE_HANDLE(BufferView, VkBufferView)

}  // namespace heddle::vulkan
