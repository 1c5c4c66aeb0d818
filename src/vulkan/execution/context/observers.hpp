// SPDX-License-Identifier: MIT
#pragma once
// Who looks on while commands are carried out. Execution calls these interfaces and knows nothing else of the sanitizer
// that implements them (sanitizer/). The queue's thread calls every function, before what it names happens unless the
// function says otherwise; where nobody looks on, the pointers are null.

#include <vulkan/vulkan.h>

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>

#include "isa/shader_stage.hpp"
#include "machine/observer.hpp"

namespace heddle::image {
struct Surface;
}
namespace heddle::machine {
class MemoryWatch;
class Reports;
}  // namespace heddle::machine
namespace heddle::pipeline {
struct Grid;
struct VertexDraw;
namespace transfer {
struct BlitBox;
struct BufferLayout;
struct ImageBox;
struct ImageOrigin;
}  // namespace transfer
}  // namespace heddle::pipeline

namespace heddle::vulkan {

struct BindPoint;
struct Buffer;
struct Command;
struct GraphicsPipeline;
struct Image;
struct ImageView;
struct Pipeline;
struct Shader;

using Bytes = std::span<const std::uint8_t>;

class CommandObserver {
 public:
  virtual ~CommandObserver() = default;
  /// What was submitted before is done, and ordered.
  virtual void begin_submission() = 0;
  /// Commands of another command buffer: of a secondary one, within the commands of the primary one.
  virtual void begin_buffer() = 0;
  virtual void end_buffer() = 0;
  virtual void begin_command(const Command& command) = 0;
  /// A barrier, or what an event orders that was waited for.
  virtual void depend(const VkDependencyInfo& dependency) = 0;
};

/// A plane or an aspect of an image, which a transfer reads or writes.
struct TransferredSurface {
  const Image& image;
  const image::Surface& surface;
};

/// Of transfers outside of render passes.
class TransferObserver {
 public:
  virtual ~TransferObserver() = default;
  /// A command says that these layers of an image are in the layout `declared`, by its parameter `who`.
  virtual void declare(const Image& image, const VkImageSubresourceLayers& at, VkImageLayout declared,
                       const char* who) = 0;
  virtual void copy(const Buffer& from, Bytes source, const Buffer& to, Bytes target) = 0;
  virtual void copy(const TransferredSurface& from, const pipeline::transfer::ImageBox& box,
                    const TransferredSurface& to, const pipeline::transfer::ImageOrigin& at) = 0;
  virtual void copy(const Buffer& from, const pipeline::transfer::BufferLayout& layout, const TransferredSurface& to,
                    const pipeline::transfer::ImageBox& box) = 0;
  virtual void copy(const TransferredSurface& from, const pipeline::transfer::ImageBox& box, const Buffer& to,
                    const pipeline::transfer::BufferLayout& layout) = 0;
  virtual void resolve(const TransferredSurface& from, const pipeline::transfer::ImageBox& box,
                       const TransferredSurface& to, const pipeline::transfer::ImageOrigin& at) = 0;
  virtual void blit(const TransferredSurface& from, const pipeline::transfer::BlitBox& source,
                    const TransferredSurface& to, const pipeline::transfer::BlitBox& target) = 0;
  virtual void clear(const TransferredSurface& to, const pipeline::transfer::ImageBox& box) = 0;
  /// vkCmdFillBuffer and vkCmdUpdateBuffer.
  virtual void fill(const Buffer& to, Bytes target) = 0;
  /// Results of queries, after they were written.
  virtual void copy_results(const Buffer& to, Bytes target) = 0;
};

/// Of render passes and dynamic rendering, with what they do to attachments.
class PassObserver {
 public:
  virtual ~PassObserver() = default;
  /// Of a render pass object: CommandContext::rendering has its attachments, and then the subpass that begins.
  virtual void begin_pass() = 0;
  virtual void begin_subpass() = 0;
  virtual void end_pass() = 0;
  /// Dynamic rendering begins, then each of its attachments, then draws may come.
  virtual void begin_rendering(bool resumes) = 0;
  virtual void begin_attachment(const VkRenderingAttachmentInfo& attachment, VkImageAspectFlags aspect, bool resumes,
                                bool suspends) = 0;
  virtual void rendering_begun() = 0;
  virtual void end_rendering() = 0;
  /// A load operation on the views in `mask`; 0: on all layers.
  virtual void load(const ImageView& view, VkImageAspectFlags aspects, VkAttachmentLoadOp operation,
                    std::uint32_t mask) = 0;
  /// A resolve at the end of a subpass, after it was done.
  virtual void resolve(const image::Surface& to, const VkClearRect& rect) = 0;
  /// A draw or a clear may write all attachments.
  virtual void draw() = 0;
};

/// Of shaders that run.
class ShaderObserver {
 public:
  virtual ~ShaderObserver() = default;
  /// A stage of a dispatch or a draw runs from now on.
  virtual void begin_stage(isa::ShaderStage stage, const Shader& shader, const BindPoint& point) = 0;
  /// The last stage of a dispatch or a draw has run.
  virtual void end_stage() = 0;
  /// Is told what shaders do with memory.
  [[nodiscard]] virtual machine::MemoryWatch& memory() = 0;
  /// What the engine found while the stage ran.
  virtual void report(isa::ShaderStage stage, const Shader& shader, const BindPoint& point,
                      const machine::Reports& reports) = 0;
};

/// Of what commands fetch before their shaders run.
class InputObserver {
 public:
  virtual ~InputObserver() = default;
  virtual void fetch_indirect(const Buffer& from, Bytes bytes) = 0;
  /// A region that a copy finds in memory.
  virtual void fetch_copy(const Buffer& from, Bytes bytes) = 0;
  /// Descriptors that a stage reads from a buffer. `several`: not all of them need be there.
  virtual void fetch_descriptors(isa::ShaderStage stage, Bytes bytes, bool several) = 0;
  virtual void fetch_condition(const Buffer& from, Bytes bytes) = 0;
  /// A counter of transform feedback; `draws`: a draw takes its number of vertices from it.
  virtual void fetch_counter(const Buffer& from, Bytes bytes, bool draws) = 0;
  /// What transform feedback has written: a counter, or vertices.
  virtual void write_counter(const Buffer& to, Bytes bytes) = 0;
  virtual void capture(const Buffer& to, Bytes bytes) = 0;
  /// Indices and attributes of a draw.
  virtual void fetch_vertices(const GraphicsPipeline& pipeline, const pipeline::VertexDraw& draw) = 0;
};

/// All there or none.
struct ExecutionObservers {
  std::unique_ptr<CommandObserver> commands;
  std::unique_ptr<TransferObserver> transfers;
  std::unique_ptr<PassObserver> passes;
  std::unique_ptr<ShaderObserver> shaders;
  std::unique_ptr<InputObserver> inputs;
};

/// A draw that is about to run: of vertices, or of groups of task or mesh shaders.
struct DrawStart {
  const pipeline::VertexDraw& vertices;
  const std::optional<std::array<std::uint32_t, 3>>& groups;
  bool rasterized = false;
};

/// Who wants dispatches and draws one by one; empty: nobody.
struct ExecutionHooks {
  /// A command of any kind is about to run.
  std::function<void(const Command&)> before_command;
  /// It is about to run, and everything is bound.
  std::function<void(const Pipeline&, const pipeline::Grid&)> before_dispatch;
  std::function<void(const GraphicsPipeline&, const DrawStart&)> before_draw;
  /// All command buffers of a submission have run.
  std::function<void()> after_submission;
  /// Who is told each instruction of a dispatch; null: nobody.
  std::function<std::unique_ptr<machine::Observer>(const Pipeline&, const pipeline::Grid&)> trace_dispatch;
};

}  // namespace heddle::vulkan
