// SPDX-License-Identifier: MIT
#pragma once
// Vulkan's ways to make one sample of several, in the words of transfers.

#include <vulkan/vulkan.h>

#include "pipeline/transfer/transfer.hpp"

namespace heddle::vulkan {

[[nodiscard]] inline pipeline::transfer::ResolveMode mode_of(VkResolveModeFlagBits mode,
                                                             const image::FormatInfo& format) {
  using pipeline::transfer::ResolveMode;
  switch (mode) {
    case VK_RESOLVE_MODE_SAMPLE_ZERO_BIT:
      return ResolveMode::SampleZero;
    case VK_RESOLVE_MODE_MIN_BIT:
      return ResolveMode::Minimum;
    case VK_RESOLVE_MODE_MAX_BIT:
      return ResolveMode::Maximum;
    default:
      return pipeline::transfer::default_resolve_mode(format);
  }
}

}  // namespace heddle::vulkan
