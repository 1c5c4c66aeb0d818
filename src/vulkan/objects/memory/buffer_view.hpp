// SPDX-License-Identifier: MIT
#pragma once
// Buffer views: the elements of a buffer as texels.

#include <vulkan/vulkan.h>

#include "machine/bindings.hpp"
#include "vulkan/api/handles.hpp"

namespace heddle::vulkan {

struct BufferView {
  machine::SurfaceResource surface;
};

HEDDLE_HANDLE(BufferView, VkBufferView)

}  // namespace heddle::vulkan
