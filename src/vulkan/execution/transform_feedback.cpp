// SPDX-License-Identifier: MIT
#include "vulkan/execution/transform_feedback.hpp"

#include <algorithm>
#include <cstring>
#include <span>

#include "vulkan/execution/context/command_context.hpp"
#include "vulkan/generated/commands.hpp"
#include "vulkan/objects/memory/buffer.hpp"

namespace heddle::vulkan {
namespace {

/// Calls `use(buffer of feedback, counter)` for the counters that a command names.
template <typename C, typename Use>
void for_each_counter(const C& c, const Use& use) {
  for (std::uint32_t i = 0; c.pCounterBuffers != nullptr && i < c.counterBufferCount; ++i) {
    const std::size_t buffer = std::size_t{c.firstCounterBuffer} + i;
    if (buffer >= pipeline::kCaptureBuffers || c.pCounterBuffers[i] == VK_NULL_HANDLE) continue;
    const VkDeviceSize offset = c.pCounterBufferOffsets != nullptr ? c.pCounterBufferOffsets[i] : 0;
    use(buffer, *from_handle(c.pCounterBuffers[i]), offset);
  }
}

}  // namespace

void TransformFeedback::run(const commands::BindTransformFeedbackBuffersEXT& c) {
  for (std::uint32_t i = 0; i < c.bindingCount; ++i) {
    const std::size_t binding = std::size_t{c.firstBinding} + i;
    if (binding >= pipeline::kCaptureBuffers) continue;
    FeedbackState& feedback = context_.feedback;
    feedback.buffers[binding] = c.pBuffers[i];
    feedback.targets[binding] = {};
    if (c.pBuffers[i] == VK_NULL_HANDLE) continue;
    const std::span<std::uint8_t> all = from_handle(c.pBuffers[i])->range(c.pOffsets[i], VK_WHOLE_SIZE);
    const std::uint64_t size = c.pSizes == nullptr ? VK_WHOLE_SIZE : c.pSizes[i];
    feedback.targets[binding].bytes = all.first(static_cast<std::size_t>(std::min<std::uint64_t>(size, all.size())));
  }
}

/// Buffers without a counter are filled from their beginning, the others from where it says.
void TransformFeedback::run(const commands::BeginTransformFeedbackEXT& c) {
  FeedbackState& feedback = context_.feedback;
  feedback.active = true;
  for (pipeline::CaptureTarget& target : feedback.targets) target.at = 0;
  for_each_counter(c, [&](std::size_t buffer, const Buffer& counter, VkDeviceSize offset) {
    const std::span<std::uint8_t> bytes = counter.range(offset, 4);
    if (context_.observers.inputs) context_.observers.inputs->fetch_counter(counter, bytes, false);
    std::uint32_t at = 0;
    if (bytes.size() == 4) std::memcpy(&at, bytes.data(), 4);
    feedback.targets[buffer].at = at;
  });
}

void TransformFeedback::run(const commands::EndTransformFeedbackEXT& c) {
  FeedbackState& feedback = context_.feedback;
  for_each_counter(c, [&](std::size_t buffer, const Buffer& counter, VkDeviceSize offset) {
    const std::span<std::uint8_t> bytes = counter.range(offset, 4);
    const auto at = static_cast<std::uint32_t>(feedback.targets[buffer].at);
    if (bytes.size() != 4) return;
    std::memcpy(bytes.data(), &at, 4);
    if (context_.observers.inputs) context_.observers.inputs->write_counter(counter, bytes);
  });
  feedback.active = false;
}

}  // namespace heddle::vulkan
