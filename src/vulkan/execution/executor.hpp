#pragma once
// Carries recorded commands out. Belongs to the queue's thread.

#include <array>
#include <compare>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "engine/reference/run.hpp"
#include "pipeline/pixels/depth_tiles.hpp"
#include "pipeline/transfer/transfer.hpp"
#include "vulkan/checks/check_log.hpp"
#include "vulkan/checks/command_watch.hpp"
#include "vulkan/device/limits.hpp"
#include "vulkan/execution/rendering.hpp"
#include "vulkan/generated/commands.hpp"
#include "vulkan/objects/descriptors/descriptor_set.hpp"
#include "vulkan/objects/images/image.hpp"
#include "vulkan/objects/images/image_view.hpp"
#include "vulkan/objects/memory/buffer.hpp"
#include "vulkan/pipelines/graphics_pipeline.hpp"
#include "vulkan/pipelines/pipeline.hpp"

namespace heddle::vulkan {

struct CommandBuffer;
struct Device;
struct QueryPool;

class Executor {
 public:
  explicit Executor(Device& device);
  ~Executor();

  /// A submission begins: its time runs from here.
  void begin();
  void run_primary(const CommandBuffer& buffer);

  // --- one for each command that is offered; commands::visit calls them ---
  void run(const commands::BindPipeline& c);
  void run(const commands::BindDescriptorSets& c);
  void run(const commands::PushDescriptorSetKHR& c);
  void run(const commands::PushConstants& c);
  void run(const commands::Dispatch& c);
  void run(const commands::DispatchBase& c);
  void run(const commands::DispatchIndirect& c);
  void run(const commands::ExecuteCommands& c);

  void run(const commands::CopyBuffer2& c);
  void run(const commands::CopyImage2& c);
  void run(const commands::CopyBufferToImage2& c);
  void run(const commands::CopyImageToBuffer2& c);
  void run(const commands::BlitImage2& c);
  void run(const commands::ResolveImage2& c);
  void run(const commands::ClearColorImage& c);
  void run(const commands::ClearDepthStencilImage& c);
  void run(const commands::FillBuffer& c);
  void run(const commands::UpdateBuffer& c);

  void run(const commands::BeginRenderPass& c);
  void run(const commands::BeginRenderPass2& c);
  void run(const commands::NextSubpass& c);
  void run(const commands::NextSubpass2& c);
  void run(const commands::EndRenderPass& c);
  void run(const commands::EndRenderPass2& c);
  void run(const commands::BeginRendering& c);
  void run(const commands::EndRendering& c);
  void run(const commands::ClearAttachments& c);

  void run(const commands::BindVertexBuffers& c);
  void run(const commands::BindVertexBuffers2& c);
  void run(const commands::BindIndexBuffer& c);
  void run(const commands::Draw& c);
  void run(const commands::DrawIndexed& c);
  void run(const commands::DrawIndirect& c);
  void run(const commands::DrawIndexedIndirect& c);
  void run(const commands::DrawIndirectCount& c);
  void run(const commands::DrawIndexedIndirectCount& c);

  void run(const commands::DrawMultiEXT& c);
  void run(const commands::DrawMultiIndexedEXT& c);
  void run(const commands::BeginConditionalRenderingEXT& c);
  void run(const commands::EndConditionalRenderingEXT&) { skips_ = false; }

  void run(const commands::SetViewport& c);
  void run(const commands::SetViewportWithCount& c);
  void run(const commands::SetScissor& c);
  void run(const commands::SetScissorWithCount& c);
  void run(const commands::SetLineWidth& c);
  void run(const commands::SetLineStippleEXT& c);
  void run(const commands::SetDepthBias& c);
  void run(const commands::SetDepthBiasEnable& c);
  void run(const commands::SetBlendConstants& c);
  void run(const commands::SetDepthBounds& c);
  void run(const commands::SetDepthBoundsTestEnable& c);
  void run(const commands::SetStencilCompareMask& c);
  void run(const commands::SetStencilWriteMask& c);
  void run(const commands::SetStencilReference& c);
  void run(const commands::SetStencilOp& c);
  void run(const commands::SetStencilTestEnable& c);
  void run(const commands::SetDepthTestEnable& c);
  void run(const commands::SetDepthWriteEnable& c);
  void run(const commands::SetDepthCompareOp& c);
  void run(const commands::SetCullMode& c);
  void run(const commands::SetFrontFace& c);
  void run(const commands::SetPrimitiveTopology& c);
  void run(const commands::SetPrimitiveRestartEnable& c);
  void run(const commands::SetRasterizerDiscardEnable& c);
  void run(const commands::SetLogicOpEXT& c);
  void run(const commands::SetVertexInputEXT& c);
  void run(const commands::SetDepthClampEnableEXT& c);
  void run(const commands::SetDepthClipEnableEXT& c);
  void run(const commands::SetDepthClipNegativeOneToOneEXT& c);
  void run(const commands::SetPolygonModeEXT& c);
  void run(const commands::SetConservativeRasterizationModeEXT& c);
  void run(const commands::SetSampleLocationsEXT& c);
  void run(const commands::SetSampleLocationsEnableEXT& c);
  void run(const commands::SetProvokingVertexModeEXT& c);
  void run(const commands::SetLineRasterizationModeEXT& c);
  void run(const commands::SetLineStippleEnableEXT& c);
  void run(const commands::SetRasterizationSamplesEXT& c);
  void run(const commands::SetSampleMaskEXT& c);
  void run(const commands::SetAlphaToCoverageEnableEXT& c);
  void run(const commands::SetAlphaToOneEnableEXT& c);
  void run(const commands::SetLogicOpEnableEXT& c);
  void run(const commands::SetColorBlendEnableEXT& c);
  void run(const commands::SetColorBlendEquationEXT& c);
  void run(const commands::SetColorWriteMaskEXT& c);
  void run(const commands::SetColorWriteEnableEXT& c);

  void run(const commands::SetEvent& c);
  void run(const commands::SetEvent2& c);
  void run(const commands::ResetEvent& c);
  void run(const commands::ResetEvent2& c);
  void run(const commands::WaitEvents& c);
  void run(const commands::WaitEvents2& c);
  void run(const commands::ResetQueryPool& c);
  void run(const commands::BeginQuery& c);
  void run(const commands::EndQuery& c);
  void run(const commands::WriteTimestamp& c);
  void run(const commands::WriteTimestamp2& c);
  void run(const commands::CopyQueryPoolResults& c);
  // One command after another: every barrier holds already. Checks look at what they say.
  void run(const commands::PipelineBarrier& c);
  void run(const commands::PipelineBarrier2& c);
  void run(const commands::SetDeviceMask&) {}
  void run(const commands::BeginDebugUtilsLabelEXT& c);
  void run(const commands::EndDebugUtilsLabelEXT& c);
  void run(const commands::InsertDebugUtilsLabelEXT&) {}
  /// What only a queue that draws has.
  void run(const Command& c);

 private:
  void run_all(const CommandBuffer& buffer);
  void reset_state();
  void report(const Command& command, const base::Result<base::Done>& done);
  [[nodiscard]] pipeline::transfer::Work work() const { return {workers_}; }

  void dispatch(std::array<std::uint32_t, 3> groups, std::array<std::uint32_t, 3> base = {});
  struct BoundSet {
    DescriptorSet* set = nullptr;
    std::vector<std::uint32_t> offsets;
  };
  /// What is bound for dispatches, and for draws.
  struct BindPoint {
    Pipeline* pipeline = nullptr;
    std::array<BoundSet, kMaxSets> sets;
    std::array<DescriptorSet, kMaxSets> pushed;
  };
  void bind_resources(Shader& shader, const BindPoint& point);
  /// Element `k` of a slot.
  [[nodiscard]] static Descriptor* descriptor_of(const Shader::Slot& slot, const BindPoint& point, std::uint32_t k);
  [[nodiscard]] machine::SurfaceResource surface_of(Shader::Slot& slot, const BindPoint& point, std::uint32_t k) const;
  [[nodiscard]] std::optional<CheckedResource> resource_of(const Shader& shader, const BindPoint& point,
                                                           std::uint32_t surface);
  void log_findings(const char* stage, const Shader& shader, const BindPoint& point, const machine::Reports& reports);
  /// What the shader printed goes to the application's messengers and to standard error (SPV-37).
  void print_messages(const char* stage, const Shader& shader);
  /// "vertex shader 'main' of 'the pipeline's name'".
  [[nodiscard]] std::string words_of(const char* stage, const Shader& shader, const BindPoint& point) const;
  /// A run that did not finish: the device is lost. `how_far` it came, where a limit ended it.
  void lose(const std::string& what, const std::string& how_far, const base::Diagnostics& found);
  [[nodiscard]] pipeline::RunContext run_context(machine::Reports& reports);

  void begin_pass(const VkRenderPassBeginInfo& info);
  void begin_subpass(std::uint32_t index);
  void end_subpass();
  /// `mask`: the views that begin; 0: all layers.
  void clear_views(std::uint32_t attachment, const VkClearValue& value, std::uint32_t mask);
  void clear_view(const machine::SurfaceResource& surface, VkImageAspectFlags aspect, const VkClearValue& value,
                  const VkClearRect& rect);
  void begin_attachment(const VkRenderingAttachmentInfo* from, VkImageAspectFlags aspect, ImageView*& to);
  void resolve_all();

  void bind_vertex_buffer(std::uint32_t binding, VkBuffer buffer, VkDeviceSize offset, VkDeviceSize size);
  void draw(pipeline::VertexDraw what);
  void set_buffers(const std::vector<std::optional<std::uint32_t>>& divisors);
  /// HEDDLE_CAPTURE: writes the draw, or says why it can't.
  void capture(const GraphicsPipeline& pipeline, const pipeline::VertexDraw& what, bool rasterized);
  void draw_view(GraphicsPipeline& pipeline, pipeline::VertexDraw& what, std::uint32_t view);
  void draw_indirect(const Command& c, VkBuffer buffer, VkDeviceSize offset, std::uint32_t count, std::uint32_t stride,
                     bool indexed);
  [[nodiscard]] std::uint32_t count_of(VkBuffer buffer, VkDeviceSize offset, std::uint32_t most);
  void set_raster_state(GraphicsPipeline& pipeline, std::uint32_t view) const;
  void set_targets(GraphicsPipeline& pipeline);
  bool draw_pixels(GraphicsPipeline& pipeline, pipeline::Counters& counters,
                   const std::function<std::string()>& how_far);
  void count(const pipeline::Counters& counters);
  void make_available(QueryPool& pool, std::size_t query);  ///< under Device::mutex
  [[nodiscard]] bool has_query(const Command& command, const QueryPool& pool, std::uint32_t query) const;
  void write_timestamp(const Command& command, VkQueryPool pool, std::uint32_t query);
  void count_invocations(std::uint64_t invocations);  ///< of a compute shader

  // --- for checks (checks.cpp, input_checks.cpp); nothing where they are off ---
  void watch_barriers(const VkDependencyInfo& info);
  void watch_image_barrier(const VkImageMemoryBarrier2& b);
  void watch_stage(VkPipelineStageFlags2 stage, const char* words, Shader& shader, const BindPoint& point);
  [[nodiscard]] std::vector<Bytes> ordered_attachments() const;
  void watch_inputs(const VertexPrograms& vertices, const pipeline::VertexDraw& what);
  /// An attribute as draws fetch it: bytes of an element of a binding.
  struct FetchedAttribute {
    std::uint32_t binding = 0, offset = 0, size = 0;
    auto operator<=>(const FetchedAttribute&) const = default;
  };
  [[nodiscard]] bool may_go_on();
  void watch_element(const pipeline::VertexDraw& what, const FetchedAttribute& a, std::uint64_t element,
                     const char* word);
  void watch_elements(const pipeline::VertexDraw& what, const FetchedAttribute& a);
  void watch_indexed(pipeline::VertexDraw what, std::span<const FetchedAttribute> attributes);
  void watch_indirect(std::span<const std::uint8_t> bytes, VkBuffer buffer);
  void watch_condition(std::span<const std::uint8_t> bytes, VkBuffer buffer);
  /// The layouts that attachments must have, and what is left of them, when a pass begins, and those of a subpass.
  void watch_pass_begin();
  void watch_subpass_begin();
  void watch_dependencies(std::uint32_t subpass);
  void watch_pass_end();
  void watch_load(const ImageView& view, VkImageAspectFlags aspect, VkAttachmentLoadOp load, std::uint32_t mask);
  void watch_store(const ImageView& view, VkImageAspectFlags aspect, VkAttachmentStoreOp store, bool reads_only);
  void watch_attachment(const VkRenderingAttachmentInfo& from, VkImageAspectFlags aspect, bool resumes, bool suspends);
  /// A draw may write all attachments.
  void watch_drawn();
  void watch_resolve(const machine::SurfaceResource& to, const VkClearRect& rect);
  /// What views show is in the layout that is declared; then it is in `next`.
  void expect_layout(const ImageView& view, VkImageAspectFlags aspect, VkImageLayout declared,
                     std::optional<VkImageLayout> next, std::string_view who);

  void wait_for(const VkEvent* events, std::uint32_t count);
  void set_event(VkEvent event, bool value);

  Device& device_;
  const unsigned workers_;
  std::optional<engine::reference::Budget> budget_;
  std::vector<std::string> labels_;
  // State of the command buffer that runs.
  BindPoint compute_, graphics_;
  std::array<std::byte, kPushConstantBytes> push_{};
  GraphicsState state_;
  VertexInput input_;  ///< of pipelines that have none
  std::array<std::span<const std::uint8_t>, kMaxVertexBindings> vertex_buffers_;
  std::span<const std::uint8_t> indices_;
  std::uint32_t index_bytes_ = 4;
  std::array<VkBuffer, kMaxVertexBindings> bound_buffers_{};  ///< of those, for messages
  VkBuffer index_buffer_ = VK_NULL_HANDLE;
  std::vector<pipeline::VertexBuffer> draw_buffers_;
  /// The pipeline that has the state of draws already; null where a command since may have changed that.
  const GraphicsPipeline* prepared_ = nullptr;
  bool skips_ = false;  ///< by conditional rendering: draws, dispatches and clears of attachments do nothing
  /// Queries of draws that have begun and not ended.
  struct Active {
    QueryPool* pool;
    std::uint32_t query;
    bool operator==(const Active&) const = default;
  };
  std::vector<Active> active_;
  pipeline::DepthTiles tiles_;           ///< of the pass's depth attachment
  Rendering rendering_;                  ///< secondary buffers draw into the pass of the primary one
  std::unique_ptr<CommandWatch> watch_;  ///< null without checks
  machine::SurfaceResource null_surface_;
  machine::SamplerResource null_sampler_;
};

}  // namespace heddle::vulkan
