// SPDX-License-Identifier: MIT
#pragma once
// The pass that goes on: what draws write to.

#include <vulkan/vulkan.h>

#include <array>
#include <cstdint>
#include <vector>

#include "machine/bindings.hpp"
#include "vulkan/device/properties/limits.hpp"

namespace heddle::vulkan {

struct ImageView;
struct RenderPass;

struct Rendering {
  bool active = false;
  VkRect2D area{};
  std::uint32_t layers = 1, view_mask = 0;
  bool dithers = false;                           ///< OM-27
  std::uint32_t width = 0, height = 0;            ///< of all attachments
  std::array<ImageView*, kMaxColors> colors{};    ///< by the location of what a fragment shader writes
  std::array<ImageView*, kMaxColors> attached{};  ///< in the order of the pass
  /// Which of `attached` is at a location, whose blending it has; ~0: none.
  std::array<std::uint32_t, kMaxColors> at_location{0, 1, 2, 3, 4, 5, 6, 7};
  ImageView *depth = nullptr, *stencil = nullptr;
  ImageView* shading_rate = nullptr;
  VkExtent2D shading_rate_texel{};  ///< pixels of a texel of it
  struct Resolve {
    ImageView *from, *to;
    VkImageAspectFlags aspect;
    VkResolveModeFlagBits mode;
    bool encoded = false;  ///< the average is of sRGB values as they are stored
  };
  std::vector<Resolve> resolves;  ///< when it ends
  // Of a render pass object:
  const RenderPass* pass = nullptr;
  std::uint32_t subpass = 0;
  std::vector<ImageView*> views;
  std::vector<VkClearValue> clear_values;
  std::vector<std::uint32_t> begun;  ///< of each attachment: the views in which a subpass has used it
};

/// The surface of one aspect of an attachment; null where its format has no such aspect.
[[nodiscard]] const machine::SurfaceResource& attachment_of(const ImageView& view, VkImageAspectFlags aspect);

}  // namespace heddle::vulkan
