// SPDX-License-Identifier: MIT
#pragma once
// Vulkan's ways to make one sample of several, in the words of transfers.

#include <vulkan/vulkan.h>

#include <string_view>

#include "image/format.hpp"
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

/// The surface without its format's transfer function, of the same memory.
[[nodiscard]] inline image::Surface without_transfer(const image::Surface& surface) {
  constexpr std::string_view kEnd = "_SRGB";
  image::Surface plain = surface;
  const std::string_view name = surface.info().name;
  if (name.ends_with(kEnd))
    if (const image::FormatInfo* format = image::find_format(name.substr(0, name.size() - kEnd.size())))
      plain.format = format->format;
  return plain;
}

/// As pipeline::transfer::resolve. `encoded`: the average is of sRGB values as they are stored (TRF-15).
[[nodiscard]] inline base::Result<base::Done> resolve(const image::Surface& from,
                                                      const pipeline::transfer::ImageBox& box, image::Surface& to,
                                                      const pipeline::transfer::ImageOrigin& at,
                                                      VkResolveModeFlagBits mode, bool encoded, unsigned workers) {
  const pipeline::transfer::ResolveMode how = mode_of(mode, from.info());
  if (!encoded || !from.info().is_srgb()) return pipeline::transfer::resolve(from, box, to, at, how, {workers});
  image::Surface target = without_transfer(to);
  return pipeline::transfer::resolve(without_transfer(from), box, target, at, how, {workers});
}

}  // namespace heddle::vulkan
