// SPDX-License-Identifier: MIT
#include "vulkan/texels/texel_observers.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "vulkan/commands/command.hpp"
#include "vulkan/device/device.hpp"
#include "vulkan/execution/context/command_context.hpp"
#include "vulkan/execution/context/regions.hpp"
#include "vulkan/generated/commands.hpp"
#include "vulkan/objects/images/image.hpp"
#include "vulkan/objects/images/image_view.hpp"
#include "vulkan/objects/memory/buffer.hpp"
#include "vulkan/pipelines/graphics_pipeline.hpp"

namespace heddle::vulkan {
namespace {

namespace transfer = pipeline::transfer;

constexpr std::array kAspects{VK_IMAGE_ASPECT_COLOR_BIT, VK_IMAGE_ASPECT_DEPTH_BIT, VK_IMAGE_ASPECT_STENCIL_BIT};

/// The part of an attachment inside a rectangle.
transfer::ImageBox part_of(const image::Surface& s, const VkClearRect& rect) {
  const std::uint32_t layers = s.view_layers - std::min(rect.baseArrayLayer, s.view_layers);
  return {s.rt_level,
          s.min_array_element + rect.baseArrayLayer,
          std::min(rect.layerCount, layers),
          {rect.rect.offset.x, rect.rect.offset.y, 0},
          {rect.rect.extent.width, rect.rect.extent.height, 1}};
}

/// use(rectangle) for what a pass draws to; `mask`: of views, 0: all layers.
template <typename Use>
void for_each_drawn(const Rendering& r, std::uint32_t mask, Use&& use) {
  if (mask == 0) return use(VkClearRect{r.area, 0, r.layers});
  for (std::uint32_t view = 0; view < 32; ++view)
    if ((mask >> view & 1u) != 0) use(VkClearRect{r.area, view, 1});
}

/// A layer of an attachment is a slice of a volume.
transfer::ImageBox in_record(const PlaneRecord& record, transfer::ImageBox box) {
  if (!record.shape.volume) return box;
  box.offset.z = static_cast<std::int32_t>(box.first_layer);
  box.extent.depth = box.layers;
  box.first_layer = 0;
  box.layers = 1;
  return box;
}

}  // namespace

std::unique_ptr<DeviceObserver> make_object_observer() {
  TexelSession* const session = TexelSession::instance();
  return session == nullptr ? nullptr : std::make_unique<TexelObjects>(*session);
}

// --- objects ---

TexelObjects::TexelObjects(TexelSession& session)
    : session_(session), number_(session.add_device([this] { end_last_frame(); })) {}

TexelObjects::~TexelObjects() {
  end_last_frame();
  session_.remove_device(number_);
}

void TexelObjects::end_last_frame() { session_.end_unit({.device = number_, .frame = frame}, frames); }

void TexelObjects::image_written(const Image& image, const image::Surface& plane, const transfer::ImageBox& box) {
  if (PlaneRecord* record = session_.record_of(number_, image, plane); record != nullptr)
    session_.upload_from_host(*record, image, box);
}

void TexelObjects::image_write_ended(const Image& image, const image::Surface& plane, const transfer::ImageBox& box) {
  session_.host_upload_ended(image, plane, box);
}

// --- what the observers share ---

void TexelWork::count(const TransferredSurface& of, const transfer::ImageBox& box, TexelUse use) const {
  if (PlaneRecord* record = record_of(of.image, of.surface); record != nullptr) session.count_box(*record, box, use);
}

PlaneRecord* TexelWork::attached(const image::Surface& surface) const { return session.counts().record_of(surface); }

void TexelWork::count(const image::Surface& attachment, const VkClearRect& rect, TexelUse use) const {
  if (PlaneRecord* record = attached(attachment); record != nullptr)
    session.count_box(*record, in_record(*record, part_of(attachment, rect)), use);
}

void TexelWork::clear_attachments(const Command& recorded) const {
  const auto& c = static_cast<const commands::ClearAttachments&>(recorded);
  const Rendering& r = context.rendering;
  if (context.skips || !r.active) return;
  const auto clear = [&](const ImageView* view, VkImageAspectFlags aspect, const VkClearRect& rect) {
    if (view != nullptr && attachment_of(*view, aspect)) count(*attachment_of(*view, aspect), rect, TexelUse::Cleared);
  };
  for (const VkClearAttachment& a : std::span(c.pAttachments, c.attachmentCount))
    for (const VkClearRect& given : std::span(c.pRects, c.rectCount)) {
      const auto all = [&](const VkClearRect& rect) {
        if ((a.aspectMask & VK_IMAGE_ASPECT_COLOR_BIT) != 0 && a.colorAttachment < kMaxColors)
          clear(r.attached[a.colorAttachment], VK_IMAGE_ASPECT_COLOR_BIT, rect);
        if ((a.aspectMask & VK_IMAGE_ASPECT_DEPTH_BIT) != 0) clear(r.depth, VK_IMAGE_ASPECT_DEPTH_BIT, rect);
        if ((a.aspectMask & VK_IMAGE_ASPECT_STENCIL_BIT) != 0) clear(r.stencil, VK_IMAGE_ASPECT_STENCIL_BIT, rect);
      };
      if (r.view_mask == 0) all(given);
      for (std::uint32_t view = 0; view < 32; ++view)
        if ((r.view_mask >> view & 1u) != 0) all({given.rect, view, 1});
    }
}

void TexelWork::end_command() {
  if (name.empty()) return;
  for (PlaneRecord* record : std::exchange(inputs, {})) {
    session.settle(*record);
    record->is_input = false;
  }
  session.settle_stores(objects.number());
  if (session.by_draw()) {
    TexelUnit unit{.device = objects.number(), .frame = objects.frame, .command = command, .name = name};
    unit.labels = context.labels;
    unit.id = context.frame;
    session.end_unit(std::move(unit), objects.frames);
  }
  name.clear();
}

void TexelWork::end_frame() {
  end_command();
  if (!session.by_draw())
    session.end_unit({.device = objects.number(), .frame = objects.frame, .id = frame_id}, objects.frames);
  frame_id.reset();
  ++objects.frame;
  command = 0;
  used = false;
}

void TexelWork::follow_boundaries() {
  if (objects.frames == TexelSession::Frames::Submissions && std::exchange(used, false)) end_frame();
  objects.frames = TexelSession::Frames::Boundaries;
}

void TexelWork::prepare(const GraphicsPipeline& pipeline) {
  // What is blended is read.
  const auto& targets = pipeline.pixels.targets;
  for (std::size_t n = 0; n < targets.size() && pipeline.draw.state != nullptr; ++n) {
    const ImageView* view = targets[n].location < kMaxColors ? context.rendering.colors[targets[n].location] : nullptr;
    PlaneRecord* record = view != nullptr && view->attachment.color ? attached(*view->attachment.color) : nullptr;
    if (record == nullptr) continue;
    const image::BlendEntry& blend = pipeline.draw.state->output.blend.at(n);
    const bool blends = blend.enable || blend.logic_op_enable;
    if (record->blends == blends) continue;
    session.settle(*record);
    record->blends = blends;
  }
  // Input attachments are sampled images by another name.
  for (const Shader::Slot& slot : pipeline.stages[isa::ShaderStage::Fragment].surfaces)
    for (std::uint32_t k = 0;
         slot.kind == shader_interface::ResourceKind::InputAttachment && k < std::max(slot.count, 1u); ++k) {
      const std::lock_guard guard(context.device.descriptors);
      const Descriptor* d = context.graphics.find(slot, k);
      PlaneRecord* record = d != nullptr && d->surface ? attached(*d->surface) : nullptr;
      if (record == nullptr || record->is_input) continue;
      session.settle(*record);
      record->is_input = true;
      inputs.push_back(record);
    }
}

// --- commands ---

void TexelCommands::begin_submission() {
  if (work_->context.frame && work_->objects.frames != TexelSession::Frames::Boundaries) work_->follow_boundaries();
  if (work_->objects.frames == TexelSession::Frames::Submissions && std::exchange(work_->used, false))
    work_->end_frame();
  work_->session.count_host_writes(work_->objects.number());
}

void TexelCommands::presented() const {
  if (work_->objects.frames != TexelSession::Frames::Boundaries) work_->end_frame();
}

void TexelCommands::frame_ended() const {
  if (work_->objects.frames != TexelSession::Frames::Boundaries) work_->follow_boundaries();
  work_->frame_id = work_->context.frame;
  work_->end_frame();
}

void TexelCommands::begin_command(const Command& command) {
  work_->end_command();
  work_->used = true;
  ++work_->command;
  work_->name = command_name(command.type);
  if (command.type == CommandType::ClearAttachments) work_->clear_attachments(command);
}

// --- transfers ---

void TexelTransfers::copy(const TransferredSurface& from, const transfer::ImageBox& box, const TransferredSurface& to,
                          const transfer::ImageOrigin& at) {
  work_->count(from, box, TexelUse::Copied);
  work_->count(to, copied_box(from.surface, box, to.surface, at), TexelUse::CopiedTo);
}
void TexelTransfers::copy(const Buffer&, const transfer::BufferLayout&, const TransferredSurface& to,
                          const transfer::ImageBox& box) {
  work_->count(to, box, TexelUse::Uploaded);
}
void TexelTransfers::copy(const TransferredSurface& from, const transfer::ImageBox& box, const Buffer& to,
                          const transfer::BufferLayout&) {
  work_->count(from, box, TexelUse::Copied);
  wrote(to);
}
void TexelTransfers::wrote(const Buffer& to) const { work_->session.buffer_written(to.bytes()); }
void TexelTransfers::resolve(const TransferredSurface& from, const transfer::ImageBox& box,
                             const TransferredSurface& to, const transfer::ImageOrigin& at) {
  work_->count(from, box, TexelUse::Copied);
  work_->count(to, copied_box(from.surface, box, to.surface, at), TexelUse::CopiedTo);
}
void TexelTransfers::blit(const TransferredSurface& from, const transfer::BlitBox& source, const TransferredSurface& to,
                          const transfer::BlitBox& target) {
  work_->count(from, between(source), TexelUse::Copied);
  work_->count(to, between(target), TexelUse::CopiedTo);
}
void TexelTransfers::clear(const TransferredSurface& to, const transfer::ImageBox& box) {
  work_->count(to, box, TexelUse::Cleared);
}

// --- passes ---

void TexelPasses::begin_attachment(const VkRenderingAttachmentInfo& attachment, VkImageAspectFlags aspect, bool resumes,
                                   bool) {
  if (!resumes) load(*from_handle(attachment.imageView), aspect, attachment.loadOp, work_->context.rendering.view_mask);
}

void TexelPasses::load(const ImageView& view, VkImageAspectFlags aspects, VkAttachmentLoadOp operation,
                       std::uint32_t mask) {
  if (operation != VK_ATTACHMENT_LOAD_OP_LOAD && operation != VK_ATTACHMENT_LOAD_OP_CLEAR) return;
  const TexelUse use = operation == VK_ATTACHMENT_LOAD_OP_LOAD ? TexelUse::Attachment : TexelUse::Cleared;
  for (const VkImageAspectFlagBits aspect : kAspects) {
    const machine::SurfaceResource& surface = attachment_of(view, aspect);
    if ((aspects & aspect) != 0 && surface)
      for_each_drawn(work_->context.rendering, mask,
                     [&](const VkClearRect& rect) { work_->count(*surface, rect, use); });
  }
}

void TexelPasses::resolve(const image::Surface& to, const VkClearRect& rect) {
  for (const Rendering::Resolve& r : work_->context.rendering.resolves) {
    const machine::SurfaceResource &from = attachment_of(*r.from, r.aspect), &into = attachment_of(*r.to, r.aspect);
    if (into.get() == &to && from) work_->count(*from, rect, TexelUse::Copied);
  }
  work_->count(to, rect, TexelUse::CopiedTo);
}

void TexelPasses::settle() const {
  const Rendering& r = work_->context.rendering;
  const auto settle_one = [&](const ImageView* view, VkImageAspectFlags aspect) {
    if (view == nullptr) return;
    const machine::SurfaceResource& surface = attachment_of(*view, aspect);
    PlaneRecord* record = surface ? work_->attached(*surface) : nullptr;
    if (record != nullptr && record->unwritten != 0) work_->session.settle(*record);
  };
  for (const ImageView* view : r.colors) settle_one(view, VK_IMAGE_ASPECT_COLOR_BIT);
  settle_one(r.depth, VK_IMAGE_ASPECT_DEPTH_BIT);
  settle_one(r.stencil, VK_IMAGE_ASPECT_STENCIL_BIT);
}

}  // namespace heddle::vulkan
