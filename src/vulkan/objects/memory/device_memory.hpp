// SPDX-License-Identifier: MIT
#pragma once
// Device memory. All of it is the host's: demand-zeroed pages, or pages of the application.

#include <vulkan/vulkan.h>

#include <cstdint>
#include <memory>

#include "image/memory.hpp"
#include "vulkan/api/handles.hpp"
#include "vulkan/objects/sync/shared_file.hpp"

namespace heddle::vulkan {

struct NamedObject;

struct DeviceMemory {
  std::shared_ptr<image::Memory> bytes;
  std::uint64_t taken = 0;  ///< of the heap
  bool shareable = false;   ///< its pages may stand at other addresses too
  bool addressed = false;   ///< shaders may use addresses of its buffers
  bool replayable = false;  ///< another run can have it at the same address
  FileHandle file;          ///< that it lies in, where others may share it
  bool dma_buf = false;     ///< `file` is a buffer of the kind that devices share
};

/// Whether it is a buffer or an image with bytes in that memory. Defined by images/.
[[nodiscard]] bool lies_in(const NamedObject& object, const image::Memory& bytes);

/// Whether a buffer's or an image's bytes are pages of an application (VK_EXT_external_memory_host) whose memory was
/// freed, so that they may be gone. While a visit of named objects goes on, none become so.
[[nodiscard]] bool is_gone(const image::Memory& part);

HEDDLE_HANDLE(DeviceMemory, VkDeviceMemory)

}  // namespace heddle::vulkan
