// SPDX-License-Identifier: MIT
#pragma once
// The state of the command buffer that runs: what its commands have set, and what later ones depend on.

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/fixed_limits.hpp"
#include "engine/reference/run.hpp"
#include "pipeline/primitives/transform_feedback.hpp"
#include "pipeline/tiles/depth_tiles.hpp"
#include "vulkan/device/properties/limits.hpp"
#include "vulkan/execution/context/bind_point.hpp"
#include "vulkan/execution/context/queue_context.hpp"
#include "vulkan/execution/context/rendering.hpp"
#include "vulkan/pipelines/graphics_state.hpp"

namespace heddle::vulkan {

struct GraphicsPipeline;

/// Buffers that draws fetch from.
struct DrawBuffers {
  std::array<std::span<const std::uint8_t>, kMaxVertexBindings> vertices;
  std::span<const std::uint8_t> indices;
  std::uint32_t index_bytes = 4;
  // For messages:
  std::array<VkBuffer, kMaxVertexBindings> bound{};
  VkBuffer bound_indices = VK_NULL_HANDLE;
};

/// Transform feedback: what is bound, and how far it is filled.
struct FeedbackState {
  bool active = false;
  pipeline::CaptureTargets targets;
  std::array<VkBuffer, base::kMaxCaptureBuffers> buffers{};
};

struct CommandContext : QueueContext {
  explicit CommandContext(Device& of) : QueueContext(of) {}

  std::optional<engine::reference::Budget> budget;  ///< of the submission
  std::optional<std::uint64_t> frame;               ///< of the application, that the submission belongs to
  bool only_transfers = false;                      ///< it is in a queue that does nothing else
  std::vector<std::string> labels;                  ///< of the application, around the command
  BindPoint compute, graphics;
  std::array<std::uint64_t, kMaxDescriptorBuffers> descriptor_buffers{};  ///< addresses; 0: none is bound
  /// Counts what may make writes to descriptor buffers visible: submissions, barriers, passes.
  std::uint64_t visible_writes = 0;
  std::array<std::byte, kPushConstantBytes> push{};
  GraphicsState state;
  VertexInput input;  ///< of pipelines that have none
  DrawBuffers buffers;
  FeedbackState feedback;
  /// The pipeline that has the state of draws already; null where a command since may have changed that.
  const GraphicsPipeline* prepared = nullptr;
  bool skips = false;          ///< by conditional rendering: draws, dispatches and clears of attachments do nothing
  Rendering rendering;         ///< secondary buffers draw into the pass of the primary one
  pipeline::DepthTiles tiles;  ///< of the pass's depth attachment

  /// A submission begins: its time runs from here.
  void begin_submission();
  /// Nothing is bound and set any more, as at the start of each command buffer: a secondary one inherits nothing.
  void reset_state();
  /// A primary command buffer begins.
  void begin_primary();
};

}  // namespace heddle::vulkan
