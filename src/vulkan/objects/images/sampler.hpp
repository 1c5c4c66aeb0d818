// SPDX-License-Identifier: MIT
#pragma once
// Samplers.

#include <vulkan/vulkan.h>

#include "machine/bindings.hpp"
#include "spirv/compile/compile.hpp"
#include "vulkan/api/handles.hpp"

namespace heddle::vulkan {

struct Sampler {
  machine::SamplerResource state;
  spirv::SampledPlanes planes;  ///< of its conversion
};

HEDDLE_HANDLE(Sampler, VkSampler)

}  // namespace heddle::vulkan
