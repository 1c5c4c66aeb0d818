// SPDX-License-Identifier: MIT
#pragma once
// Render passes and dynamic rendering: which attachments draws have, what they hold at the start, what becomes of their
// samples at the end.

#include <vulkan/vulkan.h>

#include <cstdint>
#include <initializer_list>

#include "machine/bindings.hpp"
#include "vulkan/commands/command.hpp"
#include "vulkan/execution/sampled_twins.hpp"

namespace heddle::vulkan {

struct CommandContext;
struct ImageView;

class Passes {
 public:
  explicit Passes(CommandContext& context) : context_(context) {}

  void run(const AnyOf<commands::BeginRenderPass, commands::BeginRenderPass2> auto& c) {
    begin_pass(*c.pRenderPassBegin);
  }
  void run(const AnyOf<commands::NextSubpass, commands::NextSubpass2> auto&) { next_subpass(); }
  void run(const AnyOf<commands::EndRenderPass, commands::EndRenderPass2> auto&) { end_pass(); }
  void run(const commands::BeginRendering& c);
  void run(const commands::SetRenderingAttachmentLocations& c);
  void run(const commands::SetRenderingInputAttachmentIndices& c);
  void run(const AnyOf<commands::EndRendering, commands::EndRendering2KHR> auto&) { end_rendering(); }
  void run(const commands::ClearAttachments& c);

 private:
  void begin_pass(const VkRenderPassBeginInfo& info);
  void end_pass();
  void end_rendering();
  void begin_subpass(std::uint32_t index);
  void next_subpass();
  void resolve_all();
  /// The load operations of an attachment that a render pass begins to use. `mask`: the views that begin; 0: all
  /// layers.
  void clear_views(std::uint32_t attachment, const VkClearValue& value, std::uint32_t mask);
  /// Within the area, and only in layers that the view has.
  void clear_view(const machine::SurfaceResource& surface, VkImageAspectFlags aspect, const VkClearValue& value,
                  const VkClearRect& rect);
  void begin_attachment(const VkRenderingAttachmentInfo& from, VkImageAspectFlags aspect, ImageView*& to);

  struct TwinAspect {
    VkImageAspectFlags aspect;
    VkResolveModeFlagBits mode;
    bool encoded = false;  ///< Rendering::Resolve
  };
  void use_twins(const VkRenderingInfo& info, std::uint32_t samples);
  void use_twin(ImageView*& attachment, std::uint32_t samples, std::initializer_list<TwinAspect> aspects);

  CommandContext& context_;
  SampledTwins twins_;
  bool suspended_ = false;  ///< what is rendered now goes on later
};

}  // namespace heddle::vulkan
