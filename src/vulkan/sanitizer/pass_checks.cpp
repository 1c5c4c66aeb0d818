// SPDX-License-Identifier: MIT
#include "vulkan/sanitizer/pass_checks.hpp"

#include <algorithm>
#include <functional>

#include "pipeline/transfer/transfer.hpp"
#include "vulkan/device/device.hpp"
#include "vulkan/execution/context/command_context.hpp"
#include "vulkan/objects/images/image.hpp"
#include "vulkan/objects/images/image_view.hpp"
#include "vulkan/objects/passes/render_pass.hpp"

namespace heddle::vulkan {
namespace {

constexpr VkImageAspectFlags kColor = VK_IMAGE_ASPECT_COLOR_BIT, kDepth = VK_IMAGE_ASPECT_DEPTH_BIT,
                             kStencil = VK_IMAGE_ASPECT_STENCIL_BIT;

/// Layouts of attachments that nothing writes.
bool is_read_only(VkImageLayout layout, VkImageAspectFlags aspect) {
  return same_layout(layout, VK_IMAGE_LAYOUT_READ_ONLY_OPTIMAL, aspect);
}

/// Layouts of attachments that shaders may read while draws write them.
bool lets_read(VkImageLayout layout) {
  return layout == VK_IMAGE_LAYOUT_GENERAL || layout == VK_IMAGE_LAYOUT_ATTACHMENT_FEEDBACK_LOOP_OPTIMAL_EXT;
}

/// Whether no subpass writes this aspect of an attachment. Depth and stencil may have layouts of their own.
bool only_reads(const RenderPass& pass, std::uint32_t attachment, VkImageAspectFlags aspect) {
  for (const RenderPass::Subpass& subpass : pass.subpasses)
    for (const RenderPass::Use& use : subpass.uses)
      if (use.attachment == attachment &&
          !is_read_only(aspect == kStencil ? use.layout.stencil : use.layout.main, aspect))
        return false;
  return true;
}

/// use(bytes) for the part of an attachment's layer inside an area.
void for_each_part(const image::Surface* surface, const VkRect2D& area, std::uint32_t first, std::uint32_t layers,
                   const std::function<void(Bytes)>& use) {
  if (surface == nullptr || first >= surface->view_layers) return;
  for_each_row(*surface,
               {surface->rt_level,
                surface->min_array_element + first,
                std::min(layers, surface->view_layers - first),
                {area.offset.x, area.offset.y, 0},
                {area.extent.width, area.extent.height, 1}},
               use);
}

/// The same for the layers that a pass draws to; `mask`: of views, 0: all layers.
void for_each_drawn(const Rendering& r, const image::Surface* surface, std::uint32_t mask,
                    const std::function<void(Bytes)>& use) {
  if (mask == 0) return for_each_part(surface, r.area, 0, r.layers, use);
  for (std::uint32_t view = 0; view < 32; ++view)
    if ((mask >> view & 1u) != 0) for_each_part(surface, r.area, view, 1, use);
}

Usage attachment_usage(VkImageAspectFlags aspect, bool write, PassRole role) {
  Usage usage{.role = role, .kind = "attachment"};
  if (aspect == kColor) {
    usage.stages = VK_PIPELINE_STAGE_2_COLOR_ATTACHMENT_OUTPUT_BIT;
    usage.accesses = write ? VK_ACCESS_2_COLOR_ATTACHMENT_WRITE_BIT : VK_ACCESS_2_COLOR_ATTACHMENT_READ_BIT;
  } else {
    usage.stages = VK_PIPELINE_STAGE_2_EARLY_FRAGMENT_TESTS_BIT | VK_PIPELINE_STAGE_2_LATE_FRAGMENT_TESTS_BIT;
    usage.accesses =
        write ? VK_ACCESS_2_DEPTH_STENCIL_ATTACHMENT_WRITE_BIT : VK_ACCESS_2_DEPTH_STENCIL_ATTACHMENT_READ_BIT;
  }
  return usage;
}

}  // namespace

void PassChecks::expect_layout(const ImageView& view, VkImageAspectFlags aspect, VkImageLayout declared,
                               std::optional<VkImageLayout> next, std::string_view who) {
  const auto tracked = checks_of(context_.device).find(&view);
  if (!tracked || tracked->layouts == nullptr || (tracked->range.aspectMask & aspect) == 0) return;
  const auto own = aspect_of(aspect, *tracked->format);
  const auto index = own ? tracked->format->plane_of(*own) : std::nullopt;
  if (!index) return;
  const auto plane = static_cast<std::uint32_t>(*index);
  const VkImageSubresourceRange& range = tracked->range;
  for (std::uint32_t layer = range.baseArrayLayer; layer < range.baseArrayLayer + range.layerCount; ++layer) {
    const VkImageLayout current = tracked->layouts->of(plane, range.baseMipLevel, layer);
    if (declared != VK_IMAGE_LAYOUT_UNDEFINED && !same_layout(declared, current, aspect))
      watch_->report_layout(tracked->image, range.baseMipLevel, layer, current, declared, who);
    if (next) tracked->layouts->set(plane, range.baseMipLevel, layer, *next);
  }
}

void PassChecks::load(const ImageView& view, VkImageAspectFlags aspects, VkAttachmentLoadOp operation,
                      std::uint32_t mask) {
  for_each_aspect(aspects, [&](VkImageAspectFlags aspect) {
    const auto usage = [&](bool write) {
      return attachment_usage(aspect, write, PassRole::Begin).of("attachment", reinterpret_cast<std::uint64_t>(&view));
    };
    for_each_drawn(context_.rendering, attachment_of(view, aspect).get(), mask, [&](Bytes bytes) {
      if (operation == VK_ATTACHMENT_LOAD_OP_LOAD)
        watch_->read(bytes, usage(false));
      else if (operation == VK_ATTACHMENT_LOAD_OP_CLEAR || operation == VK_ATTACHMENT_LOAD_OP_DONT_CARE)
        watch_->write(bytes, usage(true));
      if (operation == VK_ATTACHMENT_LOAD_OP_DONT_CARE) watch_->forget(bytes);
    });
  });
}

void PassChecks::store(const ImageView& view, VkImageAspectFlags aspects, VkAttachmentStoreOp operation,
                       bool reads_only) {
  if (reads_only || operation == VK_ATTACHMENT_STORE_OP_NONE) return;
  for_each_aspect(aspects, [&](VkImageAspectFlags aspect) {
    for_each_drawn(
        context_.rendering, attachment_of(view, aspect).get(), context_.rendering.view_mask, [&](Bytes bytes) {
          watch_->order(
              bytes,
              attachment_usage(aspect, true, PassRole::End).of("attachment", reinterpret_cast<std::uint64_t>(&view)));
          if (operation == VK_ATTACHMENT_STORE_OP_DONT_CARE) watch_->forget(bytes);
        });
  });
}

void PassChecks::draw() {
  if (drawn_) return;
  drawn_ = true;
  const auto written = [&](const ImageView* view, VkImageAspectFlags aspect) {
    if (view == nullptr) return;
    for_each_drawn(context_.rendering, attachment_of(*view, aspect).get(), context_.rendering.view_mask,
                   [&](Bytes bytes) { checks_of(context_.device).written.write(bytes); });
  };
  for (const ImageView* view : context_.rendering.colors) written(view, kColor);
  written(context_.rendering.depth, kDepth);
  written(context_.rendering.stencil, kStencil);
}

void PassChecks::resolve(const image::Surface& to, const VkClearRect& rect) {
  for_each_part(&to, rect.rect, rect.baseArrayLayer, rect.layerCount,
                [&](Bytes bytes) { watch_->write(bytes, attachment_usage(kColor, true, PassRole::End)); });
}

void PassChecks::begin_attachment(const VkRenderingAttachmentInfo& from, VkImageAspectFlags aspect, bool resumes,
                                  bool suspends) {
  ImageView* view = from_handle(from.imageView);
  expect_layout(*view, aspect, from.imageLayout, std::nullopt, "the attachment's imageLayout");
  if (from.resolveMode != VK_RESOLVE_MODE_NONE && from.resolveImageView != VK_NULL_HANDLE)
    expect_layout(*from_handle(from.resolveImageView), aspect, from.resolveImageLayout, std::nullopt,
                  "the attachment's resolveImageLayout");
  if (aspect == kColor && lets_read(from.imageLayout) && view->attachment.color)
    readable_.insert(&*view->attachment.color);
  if (!resumes) load(*view, aspect, from.loadOp, context_.rendering.view_mask);
  if (!suspends) kept_.push_back({view, aspect, from.storeOp, is_read_only(from.imageLayout, aspect)});
}

// --- render pass objects ---

void PassChecks::begin_pass() {
  const Rendering& r = context_.rendering;
  forget_pass();
  watch_->begin_pass(false);
  for (std::size_t i = 0; i < r.views.size(); ++i) {
    const ImageView* view = r.views[i];
    if (view == nullptr) continue;
    const AttachmentLayout& initial = r.pass->attachments[i].initial;
    for (const VkImageAspectFlags aspect : {kColor, kDepth, kStencil}) {
      const VkImageLayout layout = aspect == kStencil ? initial.stencil : initial.main;
      expect_layout(*view, aspect, layout, std::nullopt, "the attachment's initialLayout");
      if (layout == VK_IMAGE_LAYOUT_UNDEFINED)
        for_each_part(attachment_of(*view, aspect).get(), {{0, 0}, {view->width, view->height}}, 0, view->layers,
                      [&](Bytes bytes) { watch_->forget(bytes); });
    }
  }
}

void PassChecks::depend(std::uint32_t subpass) {
  for (const RenderPass::Dependency& d : context_.rendering.pass->dependencies)
    if (d.target == subpass && d.source != subpass)
      watch_->depend({d.source_stages, d.target_stages, d.source_accesses, d.target_accesses, {}});
}

void PassChecks::begin_subpass() {
  const Rendering& r = context_.rendering;
  drawn_ = false;
  readable_.clear();
  depend(r.subpass);
  for (const RenderPass::Use& use : r.pass->subpasses[r.subpass].uses) {
    const ImageView* view = use.attachment < r.views.size() ? r.views[use.attachment] : nullptr;
    if (view == nullptr) continue;
    for (const VkImageAspectFlags aspect : {kColor, kDepth, kStencil})
      expect_layout(*view, aspect, VK_IMAGE_LAYOUT_UNDEFINED, aspect == kStencil ? use.layout.stencil : use.layout.main,
                    "the subpass");
    if (lets_read(use.layout.main) && view->attachment.color) readable_.insert(&*view->attachment.color);
  }
  watch_->begin_subpass(readable_);
}

void PassChecks::end_pass() {
  const Rendering& r = context_.rendering;
  if (r.pass == nullptr) return;
  for (std::size_t i = 0; i < r.views.size(); ++i) {
    const ImageView* view = r.views[i];
    if (view == nullptr) continue;
    const RenderPass::Attachment& a = r.pass->attachments[i];
    for (const VkImageAspectFlags aspect : {kColor, kDepth, kStencil})
      if (r.begun[i] != 0)
        store(*view, aspect, aspect == kStencil ? a.stencil_store : a.store,
              only_reads(*r.pass, static_cast<std::uint32_t>(i), aspect));
    for (const VkImageAspectFlags aspect : {kColor, kDepth, kStencil})
      expect_layout(*view, aspect, VK_IMAGE_LAYOUT_UNDEFINED, aspect == kStencil ? a.final.stencil : a.final.main,
                    "the pass");
  }
  depend(VK_SUBPASS_EXTERNAL);
  // The dependency that is there where a pass does not say another one.
  watch_->depend({VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT,
                  VK_PIPELINE_STAGE_2_BOTTOM_OF_PIPE_BIT,
                  VK_ACCESS_2_COLOR_ATTACHMENT_WRITE_BIT | VK_ACCESS_2_DEPTH_STENCIL_ATTACHMENT_WRITE_BIT,
                  0,
                  {}});
  watch_->end_pass();
}

// --- dynamic rendering ---

void PassChecks::begin_rendering(bool resumes) {
  forget_pass();
  watch_->begin_pass(resumes);
}

void PassChecks::end_rendering() {
  for (const Kept& k : kept_) store(*k.view, k.aspect, k.store, k.reads_only);
  watch_->end_pass();
}

void PassChecks::forget_pass() {
  drawn_ = false;
  readable_.clear();
  kept_.clear();
}

}  // namespace heddle::vulkan
