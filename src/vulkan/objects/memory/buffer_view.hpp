// SPDX-License-Identifier: MIT
#pragma once
// Buffer views: the elements of a buffer as texels.

#include <vulkan/vulkan.h>

#include <cstdint>
#include <memory>

#include "image/memory.hpp"
#include "machine/bindings.hpp"
#include "vulkan/api/handles.hpp"

namespace heddle::vulkan {

struct BufferView {
  machine::SurfaceResource surface;
};

/// Bytes at `offset` of `memory` as texels, as many as fit; null where that is none. `format`: the number of a
/// VkFormat, or any other, as it may stand in memory.
[[nodiscard]] machine::SurfaceResource texel_surface(const std::shared_ptr<image::Memory>& memory, std::uint64_t offset,
                                                     std::uint64_t bytes, std::uint32_t format);

HEDDLE_HANDLE(BufferView, VkBufferView)

}  // namespace heddle::vulkan
