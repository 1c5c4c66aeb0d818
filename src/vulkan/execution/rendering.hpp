#pragma once
// The pass that goes on: what draws write to.

#include <vulkan/vulkan.h>

#include <array>
#include <set>
#include <vector>

#include "pipeline/transfer/resolve_mode.hpp"
#include "vulkan/device/limits.hpp"
#include "vulkan/objects/images/image_view.hpp"
#include "vulkan/objects/passes/render_pass.hpp"

namespace heddle::vulkan {

struct Rendering {
  bool active = false;
  VkRect2D area{};
  std::uint32_t layers = 1, view_mask = 0;
  std::uint32_t width = 0, height = 0;  ///< of all attachments
  std::array<ImageView*, kMaxColors> colors{};
  ImageView *depth = nullptr, *stencil = nullptr;
  struct Resolve {
    ImageView *from, *to;
    VkImageAspectFlags aspect;
    VkResolveModeFlagBits mode;
  };
  std::vector<Resolve> resolves;  ///< when it ends
  // Of a render pass object:
  const RenderPass* pass = nullptr;
  std::uint32_t subpass = 0;
  std::vector<ImageView*> views;
  std::vector<VkClearValue> clear_values;
  // For checks:
  bool drawn = false;                        ///< something was drawn in the subpass
  std::set<const image::Surface*> readable;  ///< color attachments whose layouts let shaders read them meanwhile
  /// Of dynamic rendering.
  struct Kept {
    ImageView* view;
    VkImageAspectFlags aspect;
    VkAttachmentStoreOp store;
    bool reads_only;
  };
  std::vector<Kept> kept;
  std::vector<std::uint32_t> begun;  ///< of each attachment: the views in which a subpass has used it
};

}  // namespace heddle::vulkan
