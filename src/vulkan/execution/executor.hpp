#pragma once
// Carries recorded commands out. Belongs to the queue's thread.

#include <array>
#include <map>
#include <optional>
#include <vector>

#include "engine/reference/run.hpp"
#include "pipeline/transfer/transfer.hpp"
#include "vulkan/checks/check_log.hpp"
#include "vulkan/device/limits.hpp"
#include "vulkan/generated/commands.hpp"
#include "vulkan/objects/descriptors.hpp"
#include "vulkan/objects/image.hpp"
#include "vulkan/objects/memory.hpp"
#include "vulkan/objects/pipeline.hpp"

namespace heddle::vulkan {

struct CommandBuffer;
struct Device;

class Executor {
 public:
  explicit Executor(Device& device);

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

  void run(const commands::CopyBuffer& c);
  void run(const commands::CopyBuffer2& c);
  void run(const commands::CopyImage& c);
  void run(const commands::CopyImage2& c);
  void run(const commands::CopyBufferToImage& c);
  void run(const commands::CopyBufferToImage2& c);
  void run(const commands::CopyImageToBuffer& c);
  void run(const commands::CopyImageToBuffer2& c);
  void run(const commands::BlitImage& c);
  void run(const commands::BlitImage2& c);
  void run(const commands::ResolveImage& c);
  void run(const commands::ResolveImage2& c);
  void run(const commands::ClearColorImage& c);
  void run(const commands::ClearDepthStencilImage& c);
  void run(const commands::FillBuffer& c);
  void run(const commands::UpdateBuffer& c);

  void run(const commands::SetEvent& c);
  void run(const commands::SetEvent2& c);
  void run(const commands::ResetEvent& c);
  void run(const commands::ResetEvent2& c);
  void run(const commands::WaitEvents& c);
  void run(const commands::WaitEvents2& c);
  void run(const commands::ResetQueryPool& c);
  void run(const commands::WriteTimestamp& c);
  void run(const commands::WriteTimestamp2& c);
  void run(const commands::CopyQueryPoolResults& c);
  // One command after another: every barrier holds already.
  void run(const commands::PipelineBarrier&) {}
  void run(const commands::PipelineBarrier2&) {}
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
  void bind_resources(Pipeline& pipeline);
  void log_findings(const Pipeline& pipeline, const machine::Reports& reports);
  [[nodiscard]] std::optional<CheckedResource> resource_of(const Pipeline& pipeline, std::uint32_t surface) const;
  [[nodiscard]] const Descriptor* descriptor_of(const Pipeline::Slot& slot) const;
  [[nodiscard]] machine::SurfaceResource surface_of(Pipeline::Slot& slot) const;
  void wait_for(const VkEvent* events, std::uint32_t count);
  void set_event(VkEvent event, bool value);

  Device& device_;
  const unsigned workers_;
  std::optional<engine::reference::Budget> budget_;
  std::vector<std::string> labels_;
  // State of the command buffer that runs.
  Pipeline* pipeline_ = nullptr;
  struct BoundSet {
    const DescriptorSet* set = nullptr;
    std::vector<std::uint32_t> offsets;
  };
  std::array<BoundSet, kMostSets> sets_;
  std::array<DescriptorSet, kMostSets> pushed_;
  std::array<std::byte, kPushConstantBytes> push_{};
  machine::SurfaceResource null_surface_;
  machine::SamplerResource null_sampler_;
};

}  // namespace heddle::vulkan
