// What the executor tells the sanitizer: barriers and layouts, passes and attachments, shaders.
// Rules: run-memory-unwritten, run-image-layout, run-barrier-missing.

#include <algorithm>
#include <span>

#include <fmt/format.h>

#include "vulkan/device/device.hpp"
#include "vulkan/execution/executor.hpp"

namespace heddle::vulkan {
namespace {

namespace transfer = pipeline::transfer;
using shader_interface::ResourceKind;

constexpr VkImageAspectFlags kColor = VK_IMAGE_ASPECT_COLOR_BIT, kDepth = VK_IMAGE_ASPECT_DEPTH_BIT,
                             kStencil = VK_IMAGE_ASPECT_STENCIL_BIT;

/// How shaders read what stands in a slot; 0: it is none of the application's memory.
VkAccessFlags2 reads_of(ResourceKind kind) {
  switch (kind) {
    case ResourceKind::Image:
    case ResourceKind::RectImage:
    case ResourceKind::Plane1:
    case ResourceKind::Plane2:
      return VK_ACCESS_2_SHADER_SAMPLED_READ_BIT;
    case ResourceKind::TexelBuffer:
      return VK_ACCESS_2_SHADER_SAMPLED_READ_BIT | VK_ACCESS_2_SHADER_STORAGE_READ_BIT;
    case ResourceKind::UniformBuffer:
      return VK_ACCESS_2_UNIFORM_READ_BIT;
    case ResourceKind::StorageBuffer:
    case ResourceKind::StorageImage:
    case ResourceKind::StorageTexelBuffer:
    case ResourceKind::StorageSamples:
      return VK_ACCESS_2_SHADER_STORAGE_READ_BIT;
    case ResourceKind::InputAttachment:
      return VK_ACCESS_2_INPUT_ATTACHMENT_READ_BIT | VK_ACCESS_2_SHADER_SAMPLED_READ_BIT;
    default:
      return 0;
  }
}

bool is_image(ResourceKind kind) {
  return kind == ResourceKind::Image || kind == ResourceKind::RectImage || kind == ResourceKind::StorageImage ||
         kind == ResourceKind::StorageSamples || kind == ResourceKind::InputAttachment;
}

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

/// The aspects of a mask one by one.
template <typename Use>
void for_each_aspect(VkImageAspectFlags mask, const Use& use) {
  for (VkImageAspectFlags left = mask; left != 0; left &= left - 1) use(left & (~left + 1));
}

const machine::SurfaceResource& surface_of_aspect(const ImageView& view, VkImageAspectFlags aspect) {
  return aspect == kColor ? view.attachment.color : aspect == kDepth ? view.attachment.depth : view.attachment.stencil;
}

/// use(bytes) for the part of an attachment's layer inside an area.
void for_each_part(const machine::SurfaceResource& surface, const VkRect2D& area, std::uint32_t first,
                   std::uint32_t layers, const std::function<void(Bytes)>& use) {
  if (!surface || first >= surface->view_layers) return;
  for_each_row(*surface,
               {surface->rt_level,
                surface->min_array_element + first,
                std::min(layers, surface->view_layers - first),
                {area.offset.x, area.offset.y, 0},
                {area.extent.width, area.extent.height, 1}},
               use);
}

/// The same for the layers that a pass draws to; `mask`: of views, 0: all layers.
void for_each_drawn(const Rendering& r, const machine::SurfaceResource& surface, std::uint32_t mask,
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

/// work(plane, its surface, aspect, level, first layer, layers) for what of an image a range names.
template <typename Work>
void for_each_level(Image& image, const VkImageSubresourceRange& range, const Work& work) {
  const std::uint32_t first = image.type == VK_IMAGE_TYPE_3D ? 0 : range.baseArrayLayer;
  if (range.baseMipLevel >= image.levels || first >= image.layers) return;
  const std::uint32_t levels = std::min(range.levelCount, image.levels - range.baseMipLevel);
  const std::uint32_t layers = image.type == VK_IMAGE_TYPE_3D ? 1 : std::min(range.layerCount, image.layers - first);
  for (std::uint32_t plane = 0; plane < image.format->plane_count; ++plane) {
    VkImageAspectFlags own = 0;
    for_each_aspect(range.aspectMask, [&](VkImageAspectFlags aspect) {
      const Image::Plane* of = image.plane_of(aspect);
      if (of == &image.planes[plane] || (aspect == kColor && image.format->multi_planar())) own = aspect;
    });
    if (own == 0) continue;
    for (std::uint32_t level = range.baseMipLevel; level < range.baseMipLevel + levels; ++level)
      work(plane, image.planes[plane].surface, own, level, first, layers);
  }
}

transfer::ImageBox whole(const image::Surface& s, std::uint32_t level, std::uint32_t first, std::uint32_t layers) {
  return transfer::whole_level(s, level, first, layers);
}

}  // namespace

// --- barriers ---

void Executor::watch_image_barrier(const VkImageMemoryBarrier2& b) {
  if (b.image == VK_NULL_HANDLE) return;
  Image& image = *from_handle(b.image);
  const bool changes = b.oldLayout != b.newLayout;
  Dependency dependency{b.srcStageMask, b.dstStageMask, b.srcAccessMask, b.dstAccessMask, {}};
  std::optional<std::uint32_t> last_plane;  // the levels of a plane lie one behind the other
  for_each_level(image, b.subresourceRange,
                 [&](std::uint32_t plane, const image::Surface& s, VkImageAspectFlags aspect, std::uint32_t level,
                     std::uint32_t first, std::uint32_t layers) {
                   const transfer::ImageBox box = whole(s, level, first, layers);
                   if (const Bytes bytes = from_first_to_last(s, box); !bytes.empty()) {
                     const bool goes_on = last_plane == plane && layers == image.layers;
                     if (!goes_on) dependency.memory.push_back(bytes);
                     Bytes& all = dependency.memory.back();
                     all = {all.data(), bytes.data() + bytes.size()};
                     last_plane = plane;
                   }
                   if (changes && b.oldLayout == VK_IMAGE_LAYOUT_UNDEFINED)
                     for_each_row(s, box, [&](Bytes bytes) { watch_->forget(bytes); });
                   if (!changes || image.layouts == nullptr) return;
                   for (std::uint32_t layer = first; layer < first + layers; ++layer) {
                     const VkImageLayout current = image.layouts->of(plane, level, layer);
                     if (b.oldLayout != VK_IMAGE_LAYOUT_UNDEFINED && !same_layout(b.oldLayout, current, aspect))
                       watch_->report_layout(reinterpret_cast<std::uint64_t>(&image), level, layer, current,
                                             b.oldLayout, "the barrier's oldLayout");
                     image.layouts->set(plane, level, layer, b.newLayout);
                   }
                 });
  if (!dependency.memory.empty()) watch_->depend(std::move(dependency));
}

void Executor::watch_barriers(const VkDependencyInfo& info) {
  if (!watch_) return;
  for (const VkMemoryBarrier2& b : std::span(info.pMemoryBarriers, info.memoryBarrierCount))
    watch_->depend({b.srcStageMask, b.dstStageMask, b.srcAccessMask, b.dstAccessMask, {}});
  for (const VkBufferMemoryBarrier2& b : std::span(info.pBufferMemoryBarriers, info.bufferMemoryBarrierCount)) {
    if (b.buffer == VK_NULL_HANDLE) continue;
    const std::span<std::uint8_t> bytes = from_handle(b.buffer)->range(b.offset, b.size);
    if (!bytes.empty()) watch_->depend({b.srcStageMask, b.dstStageMask, b.srcAccessMask, b.dstAccessMask, {bytes}});
  }
  for (const VkImageMemoryBarrier2& b : std::span(info.pImageMemoryBarriers, info.imageMemoryBarrierCount))
    watch_image_barrier(b);
}

namespace {

/// The barriers of the older commands as the newer ones, with the stages of the command.
struct NewerBarriers {
  std::vector<VkMemoryBarrier2> memory;
  std::vector<VkBufferMemoryBarrier2> buffers;
  std::vector<VkImageMemoryBarrier2> images;

  template <typename Command>
  explicit NewerBarriers(const Command& c) {
    const VkPipelineStageFlags2 from = c.srcStageMask, to = c.dstStageMask;
    // An execution dependency is there without any barrier.
    memory.push_back({VK_STRUCTURE_TYPE_MEMORY_BARRIER_2, nullptr, from, 0, to, 0});
    for (const VkMemoryBarrier& b : std::span(c.pMemoryBarriers, c.memoryBarrierCount))
      memory.push_back({VK_STRUCTURE_TYPE_MEMORY_BARRIER_2, nullptr, from, b.srcAccessMask, to, b.dstAccessMask});
    for (const VkBufferMemoryBarrier& b : std::span(c.pBufferMemoryBarriers, c.bufferMemoryBarrierCount))
      buffers.push_back({VK_STRUCTURE_TYPE_BUFFER_MEMORY_BARRIER_2, nullptr, from, b.srcAccessMask, to, b.dstAccessMask,
                         b.srcQueueFamilyIndex, b.dstQueueFamilyIndex, b.buffer, b.offset, b.size});
    for (const VkImageMemoryBarrier& b : std::span(c.pImageMemoryBarriers, c.imageMemoryBarrierCount))
      images.push_back({VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER_2, nullptr, from, b.srcAccessMask, to, b.dstAccessMask,
                        b.oldLayout, b.newLayout, b.srcQueueFamilyIndex, b.dstQueueFamilyIndex, b.image,
                        b.subresourceRange});
  }
  [[nodiscard]] VkDependencyInfo info() const {
    return {VK_STRUCTURE_TYPE_DEPENDENCY_INFO,
            nullptr,
            0,
            static_cast<std::uint32_t>(memory.size()),
            memory.data(),
            static_cast<std::uint32_t>(buffers.size()),
            buffers.data(),
            static_cast<std::uint32_t>(images.size()),
            images.data()};
  }
};

}  // namespace

void Executor::run(const commands::PipelineBarrier& c) {
  if (watch_) watch_barriers(NewerBarriers(c).info());
}
void Executor::run(const commands::PipelineBarrier2& c) { watch_barriers(*c.pDependencyInfo); }
void Executor::run(const commands::WaitEvents& c) {
  wait_for(c.pEvents, c.eventCount);
  if (watch_) watch_barriers(NewerBarriers(c).info());
}

// --- shaders ---

/// The attachments that the pipeline reads in rasterization order (FBO-8).
std::vector<Bytes> Executor::ordered_attachments() const {
  std::vector<Bytes> found;
  const VkImageAspectFlags ordered = graphics_.pipeline->graphics->ordered;
  const auto add = [&](const ImageView* view, VkImageAspectFlags aspect) {
    if (view == nullptr || (ordered & aspect) == 0) return;
    if (const machine::SurfaceResource& s = surface_of_aspect(*view, aspect); s && s->memory)
      found.emplace_back(s->memory->data() + s->base, s->bytes);
  };
  for (const ImageView* view : rendering_.colors) add(view, kColor);
  add(rendering_.depth, kDepth);
  add(rendering_.stencil, kStencil);
  return found;
}

void Executor::watch_stage(VkPipelineStageFlags2 stage, const char* words, Shader& shader, const BindPoint& point) {
  if (!watch_) return;
  struct Slots {
    std::uint32_t first, end;
    VkAccessFlags2 reads;
  };
  std::vector<Slots> slots;
  for (const Shader::Slot& slot : shader.surfaces)
    slots.push_back({slot.index, slot.index + std::max(slot.count, 1u), reads_of(slot.kind)});
  watch_->begin_stage({
      .stage = stage,
      .what = fmt::format("{} shader '{}'", words, shader.name),
      .reads =
          [slots = std::move(slots)](std::uint32_t surface) {
            for (const Slots& s : slots)
              if (surface >= s.first && surface < s.end) return s.reads;
            return VkAccessFlags2{0};
          },
      .layouts =
          [this, &shader, &point](const image::Surface* surface) {
            std::vector<VkImageLayout> found;
            const std::lock_guard guard(device_.descriptors);
            for (const Shader::Slot& slot : shader.surfaces)
              for (std::uint32_t k = 0; is_image(slot.kind) && k < std::max(slot.count, 1u); ++k) {
                const Descriptor* d = descriptor_of(slot, point, k);
                if (d != nullptr && (d->surface.get() == surface || d->samples.get() == surface))
                  found.push_back(d->layout);
              }
            return found;
          },
      .ordered = stage == VK_PIPELINE_STAGE_2_FRAGMENT_SHADER_BIT ? ordered_attachments() : std::vector<Bytes>(),
  });
}

// --- attachments ---

void Executor::expect_layout(const ImageView& view, VkImageAspectFlags aspect, VkImageLayout declared,
                             std::optional<VkImageLayout> next, std::string_view who) {
  const auto tracked = checks_of(device_).find(&view);
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

void Executor::watch_load(const ImageView& view, VkImageAspectFlags aspects, VkAttachmentLoadOp load,
                          std::uint32_t mask) {
  for_each_aspect(aspects, [&](VkImageAspectFlags aspect) {
    const auto usage = [&](bool write) {
      return attachment_usage(aspect, write, PassRole::Begin).of("attachment", reinterpret_cast<std::uint64_t>(&view));
    };
    for_each_drawn(rendering_, surface_of_aspect(view, aspect), mask, [&](Bytes bytes) {
      if (load == VK_ATTACHMENT_LOAD_OP_LOAD)
        watch_->read(bytes, usage(false));
      else if (load == VK_ATTACHMENT_LOAD_OP_CLEAR || load == VK_ATTACHMENT_LOAD_OP_DONT_CARE)
        watch_->write(bytes, usage(true));
      if (load == VK_ATTACHMENT_LOAD_OP_DONT_CARE) watch_->forget(bytes);
    });
  });
}

void Executor::watch_store(const ImageView& view, VkImageAspectFlags aspects, VkAttachmentStoreOp store,
                           bool reads_only) {
  if (reads_only || store == VK_ATTACHMENT_STORE_OP_NONE) return;
  for_each_aspect(aspects, [&](VkImageAspectFlags aspect) {
    for_each_drawn(rendering_, surface_of_aspect(view, aspect), rendering_.view_mask, [&](Bytes bytes) {
      watch_->order(
          bytes,
          attachment_usage(aspect, true, PassRole::End).of("attachment", reinterpret_cast<std::uint64_t>(&view)));
      if (store == VK_ATTACHMENT_STORE_OP_DONT_CARE) watch_->forget(bytes);
    });
  });
}

void Executor::watch_drawn() {
  if (rendering_.drawn) return;
  rendering_.drawn = true;
  const auto written = [&](const ImageView* view, VkImageAspectFlags aspect) {
    if (view == nullptr) return;
    for_each_drawn(rendering_, surface_of_aspect(*view, aspect), rendering_.view_mask,
                   [&](Bytes bytes) { checks_of(device_).written.write(bytes); });
  };
  for (const ImageView* view : rendering_.colors) written(view, kColor);
  written(rendering_.depth, kDepth);
  written(rendering_.stencil, kStencil);
}

void Executor::watch_resolve(const machine::SurfaceResource& to, const VkClearRect& rect) {
  for_each_part(to, rect.rect, rect.baseArrayLayer, rect.layerCount,
                [&](Bytes bytes) { watch_->write(bytes, attachment_usage(kColor, true, PassRole::End)); });
}

void Executor::watch_attachment(const VkRenderingAttachmentInfo& from, VkImageAspectFlags aspect, bool resumes,
                                bool suspends) {
  ImageView* view = from_handle(from.imageView);
  expect_layout(*view, aspect, from.imageLayout, std::nullopt, "the attachment's imageLayout");
  if (from.resolveMode != VK_RESOLVE_MODE_NONE && from.resolveImageView != VK_NULL_HANDLE)
    expect_layout(*from_handle(from.resolveImageView), aspect, from.resolveImageLayout, std::nullopt,
                  "the attachment's resolveImageLayout");
  if (aspect == kColor && lets_read(from.imageLayout) && view->attachment.color)
    rendering_.readable.insert(&*view->attachment.color);
  if (!resumes) watch_load(*view, aspect, from.loadOp, rendering_.view_mask);
  if (!suspends) rendering_.kept.push_back({view, aspect, from.storeOp, is_read_only(from.imageLayout, aspect)});
}

// --- render passes ---

void Executor::watch_pass_begin() {
  Rendering& r = rendering_;
  watch_->begin_pass(false);
  for (std::size_t i = 0; i < r.views.size(); ++i) {
    const ImageView* view = r.views[i];
    if (view == nullptr) continue;
    const AttachmentLayout& initial = r.pass->attachments[i].initial;
    for (const VkImageAspectFlags aspect : {kColor, kDepth, kStencil}) {
      const VkImageLayout layout = aspect == kStencil ? initial.stencil : initial.main;
      expect_layout(*view, aspect, layout, std::nullopt, "the attachment's initialLayout");
      if (layout == VK_IMAGE_LAYOUT_UNDEFINED)
        for_each_part(surface_of_aspect(*view, aspect), {{0, 0}, {view->width, view->height}}, 0, view->layers,
                      [&](Bytes bytes) { watch_->forget(bytes); });
    }
  }
}

void Executor::watch_dependencies(std::uint32_t subpass) {
  for (const RenderPass::Dependency& d : rendering_.pass->dependencies)
    if (d.target == subpass && d.source != subpass)
      watch_->depend({d.source_stages, d.target_stages, d.source_accesses, d.target_accesses, {}});
}

void Executor::watch_subpass_begin() {
  Rendering& r = rendering_;
  r.drawn = false;
  r.readable.clear();
  watch_dependencies(r.subpass);
  for (const RenderPass::Use& use : r.pass->subpasses[r.subpass].uses) {
    const ImageView* view = use.attachment < r.views.size() ? r.views[use.attachment] : nullptr;
    if (view == nullptr) continue;
    for (const VkImageAspectFlags aspect : {kColor, kDepth, kStencil})
      expect_layout(*view, aspect, VK_IMAGE_LAYOUT_UNDEFINED, aspect == kStencil ? use.layout.stencil : use.layout.main,
                    "the subpass");
    if (lets_read(use.layout.main) && view->attachment.color) r.readable.insert(&*view->attachment.color);
  }
  watch_->begin_subpass(r.readable);
}

void Executor::watch_pass_end() {
  Rendering& r = rendering_;
  if (r.pass == nullptr) return;
  for (std::size_t i = 0; i < r.views.size(); ++i) {
    const ImageView* view = r.views[i];
    if (view == nullptr) continue;
    const RenderPass::Attachment& a = r.pass->attachments[i];
    for (const VkImageAspectFlags aspect : {kColor, kDepth, kStencil})
      if (r.begun[i] != 0)
        watch_store(*view, aspect, aspect == kStencil ? a.stencil_store : a.store,
                    only_reads(*r.pass, static_cast<std::uint32_t>(i), aspect));
    for (const VkImageAspectFlags aspect : {kColor, kDepth, kStencil})
      expect_layout(*view, aspect, VK_IMAGE_LAYOUT_UNDEFINED, aspect == kStencil ? a.final.stencil : a.final.main,
                    "the pass");
  }
  watch_dependencies(VK_SUBPASS_EXTERNAL);
  // The dependency that is there where a pass does not say another one.
  watch_->depend({VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT,
                  VK_PIPELINE_STAGE_2_BOTTOM_OF_PIPE_BIT,
                  VK_ACCESS_2_COLOR_ATTACHMENT_WRITE_BIT | VK_ACCESS_2_DEPTH_STENCIL_ATTACHMENT_WRITE_BIT,
                  0,
                  {}});
  watch_->end_pass();
}

}  // namespace heddle::vulkan
