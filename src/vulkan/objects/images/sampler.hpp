// SPDX-License-Identifier: MIT
#pragma once
// Samplers.

#include <vulkan/vulkan.h>

#include <cstdint>

#include "machine/bindings.hpp"
#include "spirv/compile/compile.hpp"
#include "vulkan/api/handles.hpp"

namespace heddle::vulkan {

struct Sampler {
  machine::SamplerResource state;
  spirv::SampledPlanes planes;  ///< of its conversion
  std::uint64_t number = 0;     ///< in descriptor buffers; 0: the device has none
};

HEDDLE_HANDLE(Sampler, VkSampler)

}  // namespace heddle::vulkan
