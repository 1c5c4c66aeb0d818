// SPDX-License-Identifier: MIT
#pragma once
// YCbCr conversions: how samplers make a color of the channels of several planes.

#include <vulkan/vulkan.h>

#include "spirv/compile/compile.hpp"
#include "vulkan/api/handles.hpp"

namespace heddle::vulkan {

struct YcbcrConversion {
  spirv::SampledPlanes planes;
};
/// VKF-8: how an image is sampled through the conversion. Of none of the formats with chroma: as one plane.
[[nodiscard]] spirv::SampledPlanes sampled_planes(const VkSamplerYcbcrConversionCreateInfo& info);

HEDDLE_HANDLE(YcbcrConversion, VkSamplerYcbcrConversion)

}  // namespace heddle::vulkan
