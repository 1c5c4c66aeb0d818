// SPDX-License-Identifier: MIT
#pragma once
// Render passes: what is drawn to, part by part.

#include <vulkan/vulkan.h>

#include <cstdint>
#include <optional>
#include <vector>

#include "vulkan/api/handles.hpp"

namespace heddle::vulkan {

/// Of an attachment; `stencil` may differ where depth and stencil have layouts of their own.
struct AttachmentLayout {
  VkImageLayout main = VK_IMAGE_LAYOUT_UNDEFINED, stencil = VK_IMAGE_LAYOUT_UNDEFINED;
};

struct RenderPass {
  struct Attachment {
    VkFormat format = VK_FORMAT_UNDEFINED;
    bool resolves_encoded = false;  ///< its samples are averaged as they are stored, sRGB too
    VkAttachmentLoadOp load = VK_ATTACHMENT_LOAD_OP_DONT_CARE, stencil_load = VK_ATTACHMENT_LOAD_OP_DONT_CARE;
    // Seen by checks only:
    VkAttachmentStoreOp store = VK_ATTACHMENT_STORE_OP_STORE, stencil_store = VK_ATTACHMENT_STORE_OP_STORE;
    AttachmentLayout initial, final;
  };
  /// Of an attachment in a subpass, input attachments too.
  struct Use {
    std::uint32_t attachment = 0;
    AttachmentLayout layout;
  };
  using Reference = std::optional<std::uint32_t>;  ///< index of an attachment; none: unused
  struct Subpass {
    std::vector<Reference> colors, resolves;  ///< resolves: none at all, or one for each color
    Reference depth_stencil, depth_stencil_resolve;
    VkResolveModeFlagBits depth_resolve = VK_RESOLVE_MODE_NONE, stencil_resolve = VK_RESOLVE_MODE_NONE;
    Reference shading_rate;
    VkExtent2D shading_rate_texel{};  ///< pixels of one of its texels
    std::uint32_t view_mask = 0;
    bool dithers = false;       ///< OM-27
    std::uint32_t samples = 0;  ///< that draws have of attachments with one; 0: no more than those
    std::vector<Use> uses;
  };
  struct Dependency {
    std::uint32_t source = VK_SUBPASS_EXTERNAL, target = VK_SUBPASS_EXTERNAL;
    VkPipelineStageFlags2 source_stages = 0, target_stages = 0;
    VkAccessFlags2 source_accesses = 0, target_accesses = 0;
  };
  std::vector<Dependency> dependencies;
  std::vector<Attachment> attachments;
  std::vector<Subpass> subpasses;
};

/// How many samples draws have of attachments with one, by the chain of a subpass or of dynamic rendering; 0: no more.
[[nodiscard]] std::uint32_t samples_of(const void* chain);

HEDDLE_HANDLE(RenderPass, VkRenderPass)

}  // namespace heddle::vulkan
