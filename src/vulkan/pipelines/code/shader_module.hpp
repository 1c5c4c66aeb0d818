// SPDX-License-Identifier: MIT
#pragma once
// Shader modules: SPIR-V as the application gives it.

#include <vulkan/vulkan.h>

#include <cstdint>
#include <vector>

#include "vulkan/api/handles.hpp"

namespace heddle::vulkan {

struct ShaderModule {
  std::vector<std::uint32_t> words;
};

HEDDLE_HANDLE(ShaderModule, VkShaderModule)

}  // namespace heddle::vulkan
