// SPDX-License-Identifier: MIT
#pragma once
// Checks of render passes and dynamic rendering: the layouts of attachments, and what load and store operations do with
// their bytes. Rules: run-memory-unwritten, run-image-layout, run-barrier-missing.

#include <memory>
#include <optional>
#include <set>
#include <string_view>
#include <vector>

#include "vulkan/execution/context/observers.hpp"
#include "vulkan/sanitizer/command_watch.hpp"

namespace heddle::vulkan {

struct CommandContext;

class PassChecks final : public PassObserver {
 public:
  PassChecks(const CommandContext& context, std::shared_ptr<CommandWatch> watch)
      : context_(context), watch_(std::move(watch)) {}

  void begin_pass() override;
  void begin_subpass() override;
  void end_pass() override;
  void begin_rendering(bool resumes) override;
  void begin_attachment(const VkRenderingAttachmentInfo& from, VkImageAspectFlags aspect, bool resumes,
                        bool suspends) override;
  void rendering_begun() override { watch_->begin_subpass(readable_); }
  void end_rendering() override;
  void load(const ImageView& view, VkImageAspectFlags aspects, VkAttachmentLoadOp operation,
            std::uint32_t mask) override;
  void resolve(const image::Surface& to, const VkClearRect& rect) override;
  void draw() override;

 private:
  void forget_pass();
  void store(const ImageView& view, VkImageAspectFlags aspects, VkAttachmentStoreOp operation, bool reads_only);
  /// The dependencies of the render pass before a subpass, or behind the last one.
  void depend(std::uint32_t subpass);
  /// What views show is in the layout that is declared; then it is in `next`.
  void expect_layout(const ImageView& view, VkImageAspectFlags aspect, VkImageLayout declared,
                     std::optional<VkImageLayout> next, std::string_view who);

  const CommandContext& context_;
  std::shared_ptr<CommandWatch> watch_;
  // Of the pass that goes on:
  bool drawn_ = false;                        ///< something was drawn in the subpass
  std::set<const image::Surface*> readable_;  ///< color attachments whose layouts let shaders read them meanwhile
  /// Of dynamic rendering: what store operations do when it ends.
  struct Kept {
    const ImageView* view;
    VkImageAspectFlags aspect;
    VkAttachmentStoreOp store;
    bool reads_only;
  };
  std::vector<Kept> kept_;
};

}  // namespace heddle::vulkan
