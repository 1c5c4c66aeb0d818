// SPDX-License-Identifier: MIT
#pragma once
// Framebuffers: the views that a render pass draws to.

#include <vulkan/vulkan.h>

#include <cstdint>
#include <vector>

#include "vulkan/api/handles.hpp"

namespace heddle::vulkan {

struct ImageView;

struct Framebuffer {
  std::vector<ImageView*> views;  ///< empty: given when a pass begins
  std::uint32_t width = 0, height = 0, layers = 0;
};

HEDDLE_HANDLE(Framebuffer, VkFramebuffer)

}  // namespace heddle::vulkan
