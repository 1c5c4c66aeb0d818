// SPDX-License-Identifier: MIT
#pragma once
// Draws whose vertices are captured: what the stages before the rasterizer made, word by word.

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "vulkan/canvas.hpp"

namespace heddle::test {

/// A small canvas on a device with transform feedback, four buffers, and counters behind each other in a fifth.
class Feedback {
 public:
  explicit Feedback(std::vector<const char*> more_extensions = {}, std::uint64_t bytes = 4096);

  using Record = std::function<void(VkCommandBuffer)>;
  /// Captures from the start of the buffers what `record` draws with the pipeline; the counters say how far.
  void run(VkPipeline pipeline, const Record& record);
  /// The same of `vertices` vertices of an instance; the words of a buffer.
  std::vector<std::uint32_t> draw(const PipelineState& state, std::uint32_t vertices, std::size_t buffer = 0);
  /// What a buffer was filled with.
  [[nodiscard]] std::vector<std::uint32_t> words(std::size_t buffer = 0) const;
  void bind(VkCommandBuffer c) const;

  Canvas canvas;
  std::array<VulkanDevice::Buffer, 4> buffers;
  VulkanDevice::Buffer counters;
  PFN_vkCmdBindTransformFeedbackBuffersEXT bind_buffers;
  PFN_vkCmdBeginTransformFeedbackEXT begin;
  PFN_vkCmdEndTransformFeedbackEXT end;
  PFN_vkCmdDrawIndirectByteCountEXT draw_byte_count;
  PFN_vkCmdBeginQueryIndexedEXT begin_query;
  PFN_vkCmdEndQueryIndexedEXT end_query;
};

/// A vertex shader that says its index as `v`, and its position (v, 0, 0, 1).
[[nodiscard]] std::string numbered_vertices();

}  // namespace heddle::test
