// SPDX-License-Identifier: MIT
#include "vulkan/execution/passes.hpp"

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include "pipeline/transfer/transfer.hpp"
#include "vulkan/execution/context/command_context.hpp"
#include "vulkan/execution/resolve_modes.hpp"
#include "vulkan/generated/commands.hpp"
#include "vulkan/objects/images/image_view.hpp"
#include "vulkan/objects/passes/framebuffer.hpp"
#include "vulkan/objects/passes/render_pass.hpp"

namespace heddle::vulkan {
namespace {

namespace transfer = pipeline::transfer;

/// Whether the average of an attachment's samples is of sRGB values as they are stored.
bool skips_transfer(const VkRenderingAttachmentInfo& attachment) {
  const auto* info = find_in_chain<VkRenderingAttachmentFlagsInfoKHR>(
      attachment.pNext, VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_FLAGS_INFO_KHR);
  return info != nullptr && (info->flags & VK_RENDERING_ATTACHMENT_RESOLVE_SKIP_TRANSFER_FUNCTION_BIT_KHR) != 0;
}

constexpr VkImageAspectFlags kColor = VK_IMAGE_ASPECT_COLOR_BIT, kDepth = VK_IMAGE_ASPECT_DEPTH_BIT,
                             kStencil = VK_IMAGE_ASPECT_STENCIL_BIT;

/// The layers that commands without a layer of their own touch: with multiview those of the views in `mask`.
std::vector<VkClearRect> rects_of(const Rendering& r, const VkRect2D& area, std::uint32_t mask) {
  if (mask == 0) return {{area, 0, r.layers}};
  std::vector<VkClearRect> rects;
  for (std::uint32_t view = 0; view < 32; ++view)
    if ((mask >> view & 1) != 0) rects.push_back({area, view, 1});
  return rects;
}

}  // namespace

void Passes::clear_view(const machine::SurfaceResource& surface, VkImageAspectFlags aspect, const VkClearValue& value,
                        const VkClearRect& rect) {
  if (!surface || rect.baseArrayLayer >= surface->view_layers) return;
  image::Surface& s = *surface;
  const std::uint32_t level = s.rt_level;
  const auto inside = [](std::int64_t at, std::uint32_t end) {
    return static_cast<std::int32_t>(std::clamp<std::int64_t>(at, 0, end));
  };
  const VkRect2D& r = rect.rect;
  const std::int32_t left = inside(r.offset.x, s.level_width(level)), top = inside(r.offset.y, s.level_height(level)),
                     right = inside(std::int64_t{r.offset.x} + r.extent.width, s.level_width(level)),
                     bottom = inside(std::int64_t{r.offset.y} + r.extent.height, s.level_height(level));
  if (left >= right || top >= bottom) return;
  const transfer::ImageBox box{level,
                               s.min_array_element + rect.baseArrayLayer,
                               std::min(rect.layerCount, s.view_layers - rect.baseArrayLayer),
                               {left, top, 0},
                               {static_cast<std::uint32_t>(right - left), static_cast<std::uint32_t>(bottom - top), 1}};
  base::Result<base::Done> done = base::Done{};
  if (aspect == kColor) {
    image::Texel texel;
    std::copy_n(value.color.uint32, 4, texel.bits.begin());
    done = transfer::clear(s, box, texel, {context_.workers});
  } else if (aspect == kDepth) {
    done = transfer::clear_depth(s, box, value.depthStencil.depth, {context_.workers});
    if (context_.rendering.depth != nullptr && context_.rendering.depth->attachment.depth.get() == &s)
      context_.tiles.clear(s, {left, top, right, bottom, rect.baseArrayLayer, rect.layerCount},
                           value.depthStencil.depth);
  } else {
    done = transfer::clear_stencil(s, box, value.depthStencil.stencil, {context_.workers});
  }
  if (!done.ok())
    for (const base::Diagnostic& d : done.diagnostics()) context_.error("a clear of an attachment: " + d.message);
}

void Passes::clear_views(std::uint32_t attachment, const VkClearValue& value, std::uint32_t mask) {
  const Rendering& r = context_.rendering;
  const ImageView* view = r.views[attachment];
  const RenderPass::Attachment& a = r.pass->attachments[attachment];
  if (view == nullptr) return;
  if (context_.observers.passes) {
    context_.observers.passes->load(*view, kColor | kDepth, a.load, mask);
    context_.observers.passes->load(*view, kStencil, a.stencil_load, mask);
  }
  for (const VkClearRect& rect : rects_of(r, r.area, mask)) {
    if (a.load == VK_ATTACHMENT_LOAD_OP_CLEAR) {
      clear_view(view->attachment.color, kColor, value, rect);
      clear_view(view->attachment.depth, kDepth, value, rect);
    }
    if (a.stencil_load == VK_ATTACHMENT_LOAD_OP_CLEAR) clear_view(view->attachment.stencil, kStencil, value, rect);
  }
}

void Passes::begin_pass(const VkRenderPassBeginInfo& info) {
  const Framebuffer& frame = *from_handle(info.framebuffer);
  Rendering& r = context_.rendering;
  r = {};
  r.active = true;
  r.pass = from_handle(info.renderPass);
  r.area = info.renderArea;
  r.width = frame.width;
  r.height = frame.height;
  r.layers = frame.layers;
  r.views = frame.views;
  if (const auto* list = find_in_chain<VkRenderPassAttachmentBeginInfo>(
          info.pNext, VK_STRUCTURE_TYPE_RENDER_PASS_ATTACHMENT_BEGIN_INFO);
      list != nullptr && frame.views.empty())
    for (const VkImageView view : std::span(list->pAttachments, list->attachmentCount))
      r.views.push_back(from_handle(view));
  r.views.resize(r.pass->attachments.size());
  r.clear_values.assign(info.pClearValues, info.pClearValues + info.clearValueCount);
  r.clear_values.resize(r.views.size());
  r.begun.resize(r.views.size());
  if (context_.observers.passes) context_.observers.passes->begin_pass();
  begin_subpass(0);
}

void Passes::begin_subpass(std::uint32_t index) {
  Rendering& r = context_.rendering;
  context_.tiles.forget();
  if (r.pass == nullptr || index >= r.pass->subpasses.size()) return;
  const RenderPass::Subpass& subpass = r.pass->subpasses[index];
  r.subpass = index;
  r.view_mask = subpass.view_mask;
  r.dithers = subpass.dithers;
  if (context_.observers.passes) context_.observers.passes->begin_subpass();
  const auto use = [&](const RenderPass::Reference& reference) -> ImageView* {
    if (!reference || *reference >= r.views.size()) return nullptr;
    // Each view begins when the first subpass with it uses the attachment.
    const std::uint32_t begins = (r.view_mask != 0 ? r.view_mask : 1) & ~r.begun[*reference];
    r.begun[*reference] |= begins;
    if (begins != 0) clear_views(*reference, r.clear_values[*reference], r.view_mask != 0 ? begins : 0);
    return r.views[*reference];
  };
  r.colors.fill(nullptr);
  for (std::size_t i = 0; i < subpass.colors.size() && i < kMaxColors; ++i) r.colors[i] = use(subpass.colors[i]);
  r.attached = r.colors;
  // Known before it is used: a clear as the subpass begins tells the tiles, which are those of the depth attachment.
  if (subpass.depth_stencil && *subpass.depth_stencil < r.views.size()) r.depth = r.views[*subpass.depth_stencil];
  r.depth = r.stencil = use(subpass.depth_stencil);
  for (const RenderPass::Use& used : subpass.uses) (void)use(used.attachment);  // input attachments begin too
  r.shading_rate = use(subpass.shading_rate);
  r.shading_rate_texel = subpass.shading_rate_texel;
  const auto encoded = [&](const RenderPass::Reference& reference) {
    return reference && *reference < r.pass->attachments.size() && r.pass->attachments[*reference].resolves_encoded;
  };
  r.resolves.clear();
  for (std::size_t i = 0; i < subpass.resolves.size() && i < kMaxColors; ++i)
    if (ImageView* to = use(subpass.resolves[i]); to != nullptr && r.colors[i] != nullptr)
      r.resolves.push_back({r.colors[i], to, kColor, VK_RESOLVE_MODE_AVERAGE_BIT, encoded(subpass.resolves[i])});
  if (ImageView* to = use(subpass.depth_stencil_resolve); to != nullptr && r.depth != nullptr) {
    r.resolves.push_back({r.depth, to, kDepth, subpass.depth_resolve});
    r.resolves.push_back({r.depth, to, kStencil, subpass.stencil_resolve});
  }
  twins_.clear();
  if (subpass.samples == 0) return;
  for (std::size_t i = 0; i < r.colors.size(); ++i)
    use_twin(r.colors[i], subpass.samples,
             {{kColor, VK_RESOLVE_MODE_AVERAGE_BIT, i < subpass.colors.size() && encoded(subpass.colors[i])}});
  r.attached = r.colors;
  use_twin(r.depth, subpass.samples, {{kDepth, subpass.depth_resolve}, {kStencil, subpass.stencil_resolve}});
  r.stencil = r.depth;
}

/// Draws have several samples of an attachment with one, of which it is made when the pass ends.
void Passes::use_twin(ImageView*& attachment, std::uint32_t samples, std::initializer_list<TwinAspect> aspects) {
  if (attachment == nullptr) return;
  ImageView* const twin = twins_.twin_of(*attachment, samples, context_.workers);
  if (twin == attachment) return;
  for (const TwinAspect& one : aspects)
    context_.rendering.resolves.push_back(
        {twin, attachment, one.aspect,
         one.mode == VK_RESOLVE_MODE_NONE ? VK_RESOLVE_MODE_AVERAGE_BIT : one.mode,  // the format's own way
         one.encoded});
  attachment = twin;
  context_.tiles.forget();
}

void Passes::resolve_all() {
  const Rendering& r = context_.rendering;
  for (const Rendering::Resolve& resolve : r.resolves) {
    const machine::SurfaceResource& from = attachment_of(*resolve.from, resolve.aspect);
    const machine::SurfaceResource& to = attachment_of(*resolve.to, resolve.aspect);
    if (!from || !to || resolve.mode == VK_RESOLVE_MODE_NONE) continue;
    const VkRect2D& area = r.area;
    const transfer::Offset offset{area.offset.x, area.offset.y, 0};
    for (const VkClearRect& rect : rects_of(r, area, r.view_mask)) {
      const std::uint32_t first = rect.baseArrayLayer, most = std::min(from->view_layers, to->view_layers);
      if (first >= most) continue;
      const transfer::ImageBox box{from->rt_level,
                                   from->min_array_element + first,
                                   std::min(rect.layerCount, most - first),
                                   offset,
                                   {area.extent.width, area.extent.height, 1}};
      const auto done = vulkan::resolve(*from, box, *to, {to->rt_level, to->min_array_element + first, offset},
                                        resolve.mode, resolve.encoded, context_.workers);
      if (context_.observers.passes) context_.observers.passes->resolve(*to, rect);
      if (done.ok()) continue;
      for (const base::Diagnostic& d : done.diagnostics()) context_.error("the resolve of an attachment: " + d.message);
    }
  }
}

void Passes::next_subpass() {
  if (context_.rendering.active) resolve_all();
  begin_subpass(context_.rendering.subpass + 1);
}

void Passes::end_pass() {
  if (context_.rendering.active) resolve_all();
  if (context_.observers.passes) context_.observers.passes->end_pass();
  context_.rendering = {};
  twins_.clear();
}

// --- dynamic rendering ---

void Passes::begin_attachment(const VkRenderingAttachmentInfo& from, VkImageAspectFlags aspect, ImageView*& to) {
  if (from.imageView == VK_NULL_HANDLE) return;
  to = from_handle(from.imageView);
  Rendering& r = context_.rendering;
  r.width = std::min(r.width, to->width);
  r.height = std::min(r.height, to->height);
  if (from.loadOp == VK_ATTACHMENT_LOAD_OP_CLEAR)
    for (const VkClearRect& rect : rects_of(r, r.area, r.view_mask))
      clear_view(attachment_of(*to, aspect), aspect, from.clearValue, rect);
  if (from.resolveMode != VK_RESOLVE_MODE_NONE && from.resolveImageView != VK_NULL_HANDLE)
    r.resolves.push_back({to, from_handle(from.resolveImageView), aspect, from.resolveMode, skips_transfer(from)});
}

/// After all of them have begun: depth and stencil are one view, and each has a load operation of its own.
void Passes::use_twins(const VkRenderingInfo& info, std::uint32_t samples) {
  Rendering& r = context_.rendering;
  for (std::uint32_t i = 0; i < info.colorAttachmentCount && i < kMaxColors; ++i)
    use_twin(r.colors[i], samples,
             {{kColor, info.pColorAttachments[i].resolveMode, skips_transfer(info.pColorAttachments[i])}});
  r.attached = r.colors;
  if (r.depth != nullptr) use_twin(r.depth, samples, {{kDepth, info.pDepthAttachment->resolveMode}});
  if (r.stencil != nullptr) use_twin(r.stencil, samples, {{kStencil, info.pStencilAttachment->resolveMode}});
}

void Passes::run(const commands::BeginRendering& c) {
  const VkRenderingInfo& info = *c.pRenderingInfo;
  Rendering& r = context_.rendering;
  r = {};
  context_.tiles.forget();
  r.active = true;
  r.area = info.renderArea;
  r.layers = info.layerCount;
  r.view_mask = info.viewMask;
  r.dithers = (info.flags & VK_RENDERING_ENABLE_LEGACY_DITHERING_BIT_EXT) != 0;
  r.width = r.height = UINT32_MAX;
  // What goes on is not begun again, and what will go on is not ended.
  const bool resumes = (info.flags & VK_RENDERING_RESUMING_BIT) != 0,
             suspends = (info.flags & VK_RENDERING_SUSPENDING_BIT) != 0;
  if (!resumes) twins_.clear();
  suspended_ = suspends;
  PassObserver* const observer = context_.observers.passes.get();
  if (observer != nullptr) observer->begin_rendering(resumes);
  const auto begin = [&](const VkRenderingAttachmentInfo* from, VkImageAspectFlags aspect, ImageView*& to) {
    if (from == nullptr) return;
    VkRenderingAttachmentInfo one = *from;
    if (resumes) one.loadOp = VK_ATTACHMENT_LOAD_OP_LOAD;
    if (suspends) one.resolveMode = VK_RESOLVE_MODE_NONE;
    if (observer != nullptr && one.imageView != VK_NULL_HANDLE)
      observer->begin_attachment(one, aspect, resumes, suspends);
    begin_attachment(one, aspect, to);
  };
  for (std::uint32_t i = 0; i < info.colorAttachmentCount && i < kMaxColors; ++i)
    begin(&info.pColorAttachments[i], kColor, r.colors[i]);
  r.attached = r.colors;
  begin(info.pDepthAttachment, kDepth, r.depth);
  begin(info.pStencilAttachment, kStencil, r.stencil);
  if (const auto* rate = find_in_chain<VkRenderingFragmentShadingRateAttachmentInfoKHR>(
          info.pNext, VK_STRUCTURE_TYPE_RENDERING_FRAGMENT_SHADING_RATE_ATTACHMENT_INFO_KHR);
      rate != nullptr && rate->imageView != VK_NULL_HANDLE) {
    r.shading_rate = from_handle(rate->imageView);
    r.shading_rate_texel = rate->shadingRateAttachmentTexelSize;
  }
  if (observer != nullptr) observer->rendering_begun();
  if (const std::uint32_t samples = samples_of(info.pNext); samples != 0) use_twins(info, samples);
  if (suspends) r.resolves.clear();
  const auto end = [](std::int32_t offset, std::uint32_t extent) {
    return static_cast<std::uint32_t>(std::max<std::int64_t>(0, std::int64_t{offset} + extent));
  };
  r.width = std::min(r.width, end(r.area.offset.x, r.area.extent.width));
  r.height = std::min(r.height, end(r.area.offset.y, r.area.extent.height));
}
void Passes::run(const commands::SetRenderingAttachmentLocations& c) {
  Rendering& r = context_.rendering;
  const VkRenderingAttachmentLocationInfo& info = *c.pLocationInfo;
  r.colors.fill(nullptr);
  r.at_location.fill(~0u);
  for (std::uint32_t i = 0; i < info.colorAttachmentCount && i < kMaxColors; ++i) {
    const std::uint32_t location = info.pColorAttachmentLocations != nullptr ? info.pColorAttachmentLocations[i] : i;
    if (location >= kMaxColors) continue;  // VK_ATTACHMENT_UNUSED
    r.colors[location] = r.attached[i];
    r.at_location[location] = i;
  }
}
// Shaders read attachments by their descriptors, whichever number those have.
void Passes::run(const commands::SetRenderingInputAttachmentIndices&) {}

void Passes::end_rendering() {
  if (context_.rendering.active) resolve_all();
  if (context_.observers.passes) context_.observers.passes->end_rendering();
  context_.rendering = {};
  if (!suspended_) twins_.clear();
}

void Passes::run(const commands::ClearAttachments& c) {
  const Rendering& r = context_.rendering;
  if (context_.skips) return;
  if (context_.observers.passes) context_.observers.passes->draw();
  for (const VkClearAttachment& a : std::span(c.pAttachments, c.attachmentCount))
    for (const VkClearRect& given : std::span(c.pRects, c.rectCount))
      for (const VkClearRect& rect : r.view_mask != 0 ? rects_of(r, given.rect, r.view_mask) : std::vector{given}) {
        if ((a.aspectMask & kColor) != 0 && a.colorAttachment < kMaxColors && r.attached[a.colorAttachment] != nullptr)
          clear_view(r.attached[a.colorAttachment]->attachment.color, kColor, a.clearValue, rect);
        if ((a.aspectMask & kDepth) != 0 && r.depth != nullptr)
          clear_view(r.depth->attachment.depth, kDepth, a.clearValue, rect);
        if ((a.aspectMask & kStencil) != 0 && r.stencil != nullptr)
          clear_view(r.stencil->attachment.stencil, kStencil, a.clearValue, rect);
      }
}

}  // namespace heddle::vulkan
