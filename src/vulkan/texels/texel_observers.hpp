// SPDX-License-Identifier: MIT
#pragma once
// What commands do with texels but for shaders, which count by themselves; and when a frame or a command ends.

#include <vulkan/vulkan.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "vulkan/device/object_observer.hpp"
#include "vulkan/execution/context/observers.hpp"
#include "vulkan/texels/texel_session.hpp"

namespace heddle::vulkan {

struct CommandContext;

/// Images, views and samplers of a device.
class TexelObjects final : public ObjectObserver {
 public:
  explicit TexelObjects(TexelSession& session);
  /// The queue's thread has ended: what was counted since the last frame is one more.
  ~TexelObjects() override;
  void memory_allocated(const image::Memory&) override {}
  void memory_freed(const image::Memory& memory) override { session_.memory_freed(memory); }
  void memory_mapped(std::span<std::uint8_t>) override {}
  void image_changed(Image&, const VkImageSubresourceRange&, VkImageLayout) override {}
  void image_created(Image& image, VkImageLayout) override { session_.add_image(image); }
  void view_created(const ImageView& view, const VkImageViewCreateInfo& info) override {
    session_.add_view(number_, view, info);
  }
  void view_destroyed(const ImageView& view) override { session_.remove_view(view); }
  void image_written(const Image& image, const image::Surface& plane, const pipeline::transfer::ImageBox& box) override;
  void image_write_ended(const Image& image, const image::Surface& plane,
                         const pipeline::transfer::ImageBox& box) override;
  void linear_image_created(const Image& image) override { session_.add_linear_image(number_, image); }
  void image_bound(const Image& image) override { session_.image_bound(image); }
  void image_destroyed(const Image& image) override { session_.remove_image(image); }
  void sampler_created(const Sampler& sampler, const VkSamplerCreateInfo& info) override {
    session_.add_sampler(sampler, info);
  }
  void object_named(std::uint64_t object, const std::string& name) override { session_.set_name(object, name); }
  [[nodiscard]] std::uint32_t number() const { return number_; }

  // The frame that goes on:
  std::uint64_t frame = 0;
  TexelSession::Frames frames = TexelSession::Frames::Submissions;

 private:
  void end_last_frame();
  TexelSession& session_;
  const std::uint32_t number_;
};

/// What the observers of one queue share.
struct TexelWork {
  CommandContext& context;
  TexelSession& session;
  TexelObjects& objects;
  std::uint64_t command = 0;              ///< in the frame
  std::string name;                       ///< of the command that runs
  std::optional<std::uint64_t> frame_id;  ///< of the application, for the frame that ends
  bool used = false;                      ///< the frame has had commands
  std::vector<PlaneRecord*> inputs;       ///< input attachments of the draw

  [[nodiscard]] PlaneRecord* record_of(const Image& image, const image::Surface& plane) const {
    return session.record_of(objects.number(), image, plane);
  }
  void count(const TransferredSurface& of, const pipeline::transfer::ImageBox& box, TexelUse use) const;
  /// Of a surface that a view shows as attachment.
  [[nodiscard]] PlaneRecord* attached(const image::Surface& surface) const;
  /// The command that ran is done.
  void end_command();
  void end_frame();
  /// Frames end where the application says so, from now on.
  void follow_boundaries();
  /// vkCmdClearAttachments is about to run.
  void clear_attachments(const Command& recorded) const;
  /// One use of each texel of an attachment inside a rectangle.
  void count(const image::Surface& attachment, const VkClearRect& rect, TexelUse use) const;
  /// A draw is about to run.
  void prepare(const GraphicsPipeline& pipeline);
};

class TexelCommands final : public CommandObserver {
 public:
  explicit TexelCommands(std::shared_ptr<TexelWork> work) : work_(std::move(work)) {}
  void begin_submission() override;
  void begin_buffer() override {}
  void end_buffer() override { work_->end_command(); }
  void begin_command(const Command& command) override;
  void presented() const;
  void frame_ended() const;
  void depend(const VkDependencyInfo&) override {}

 private:
  std::shared_ptr<TexelWork> work_;
};

class TexelTransfers final : public TransferObserver {
 public:
  explicit TexelTransfers(std::shared_ptr<TexelWork> work) : work_(std::move(work)) {}
  void declare(const Image&, const VkImageSubresourceLayers&, VkImageLayout, const char*) override {}
  void copy(const Buffer&, Bytes, const Buffer& to, Bytes) override { wrote(to); }
  void copy(const TransferredSurface& from, const pipeline::transfer::ImageBox& box, const TransferredSurface& to,
            const pipeline::transfer::ImageOrigin& at) override;
  void copy(const Buffer& from, const pipeline::transfer::BufferLayout& layout, const TransferredSurface& to,
            const pipeline::transfer::ImageBox& box) override;
  void copy(const TransferredSurface& from, const pipeline::transfer::ImageBox& box, const Buffer& to,
            const pipeline::transfer::BufferLayout& layout) override;
  void resolve(const TransferredSurface& from, const pipeline::transfer::ImageBox& box, const TransferredSurface& to,
               const pipeline::transfer::ImageOrigin& at) override;
  void blit(const TransferredSurface& from, const pipeline::transfer::BlitBox& source, const TransferredSurface& to,
            const pipeline::transfer::BlitBox& target) override;
  void clear(const TransferredSurface& to, const pipeline::transfer::ImageBox& box) override;
  void fill(const Buffer& to, Bytes) override { wrote(to); }
  void copy_results(const Buffer& to, Bytes) override { wrote(to); }

 private:
  /// A linear image may lie in the same memory.
  void wrote(const Buffer& to) const;
  std::shared_ptr<TexelWork> work_;
};

class TexelPasses final : public PassObserver {
 public:
  explicit TexelPasses(std::shared_ptr<TexelWork> work) : work_(std::move(work)) {}
  void begin_pass() override {}
  void begin_subpass() override { settle(); }
  void end_pass() override { settle(); }
  void begin_rendering(bool) override {}
  void begin_attachment(const VkRenderingAttachmentInfo& attachment, VkImageAspectFlags aspect, bool resumes,
                        bool suspends) override;
  void rendering_begun() override {}
  void end_rendering() override { settle(); }
  void load(const ImageView& view, VkImageAspectFlags aspects, VkAttachmentLoadOp operation,
            std::uint32_t mask) override;
  void resolve(const image::Surface& to, const VkClearRect& rect) override;
  void draw() override {}

 private:
  /// What was drawn is written, for who samples it later.
  void settle() const;
  std::shared_ptr<TexelWork> work_;
};

}  // namespace heddle::vulkan
