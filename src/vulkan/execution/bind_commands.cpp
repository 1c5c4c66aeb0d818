// SPDX-License-Identifier: MIT
// What is bound: pipelines, descriptors, push constants, buffers; conditions and labels.

#include <algorithm>
#include <cstring>
#include <memory>
#include <span>

#include "base/fixed_limits.hpp"
#include "vulkan/commands/command_buffer.hpp"
#include "vulkan/execution/context/command_context.hpp"
#include "vulkan/execution/state_commands.hpp"
#include "vulkan/generated/commands.hpp"
#include "vulkan/objects/memory/buffer.hpp"
#include "vulkan/pipelines/graphics_pipeline.hpp"

namespace heddle::vulkan {

BindPoint& StateCommands::point_of(bool compute) { return compute ? context_.compute : context_.graphics; }

void StateCommands::run(const commands::BindPipeline& c) {
  if (c.pipeline == VK_NULL_HANDLE) {  // its creation failed, and nobody looked
    BindPoint& point = point_of(c.pipelineBindPoint == VK_PIPELINE_BIND_POINT_COMPUTE);
    point.pipeline = nullptr;
    point.shaders = {};
    return context_.error(
        "vkCmdBindPipeline: the pipeline is VK_NULL_HANDLE; draws and dispatches after it do nothing");
  }
  Pipeline& pipeline = *from_handle(c.pipeline);
  point_of(!pipeline.graphics).shaders = {};
  point_of(!pipeline.graphics).pipeline = &pipeline;
  if (pipeline.graphics) copy_static(pipeline.graphics->state, pipeline.graphics->dynamic, context_.state);
}

/// Objects take the place of the pipeline of their bind point; draws link those that are bound then.
void StateCommands::run(const commands::BindShadersEXT& c) {
  for (std::uint32_t i = 0; i < c.stageCount; ++i) {
    const ShaderStage stage = stage_of_flag(c.pStages[i]);
    const ShaderObject* shader = c.pShaders != nullptr ? from_handle(c.pShaders[i]) : nullptr;
    const bool computes = stage == ShaderStage::Compute;
    BindPoint& point = point_of(computes);
    point.shaders[stage] = shader;
    point.pipeline = computes && shader != nullptr ? shader->compute.get() : nullptr;
    // RAS-11: the number of rectangles was the pipeline's alone.
    if (!computes) context_.state.discard_count = pipeline::DiscardRectangles::kMax;
  }
}

namespace {

/// `offsets`: those of all dynamic buffers of the sets, one behind the other.
void bind_sets(BindPoint& point, std::uint32_t first, std::span<const VkDescriptorSet> sets,
               std::span<const std::uint32_t> offsets) {
  for (std::uint32_t i = 0; i < sets.size() && i < kMaxSets && first < kMaxSets - i; ++i) {
    BoundSet& bound = point.sets[first + i];
    bound.set = from_handle(sets[i]);
    bound.placed = nullptr;
    if (bound.set == nullptr) continue;
    // An application that gives too few gets zeros for the rest.
    const std::size_t count = bound.set->layout->dynamic_offsets, given = std::min(count, offsets.size());
    bound.offsets.assign(offsets.begin(), offsets.begin() + static_cast<std::ptrdiff_t>(given));
    bound.offsets.resize(count);
    offsets = offsets.subspan(given);
  }
}

template <typename T>
std::span<const T> span_of(const T* list, std::uint32_t count) {
  return list != nullptr ? std::span(list, count) : std::span<const T>();
}

}  // namespace

void StateCommands::run(const commands::BindDescriptorSets& c) {
  bind_sets(point_of(c.pipelineBindPoint == VK_PIPELINE_BIND_POINT_COMPUTE), c.firstSet,
            span_of(c.pDescriptorSets, c.descriptorSetCount), span_of(c.pDynamicOffsets, c.dynamicOffsetCount));
}
void StateCommands::run(const commands::BindDescriptorSets2& c) {
  const VkBindDescriptorSetsInfo& info = *c.pBindDescriptorSetsInfo;
  const auto bind = [&](BindPoint& point) {
    bind_sets(point, info.firstSet, span_of(info.pDescriptorSets, info.descriptorSetCount),
              span_of(info.pDynamicOffsets, info.dynamicOffsetCount));
  };
  if ((info.stageFlags & VK_SHADER_STAGE_COMPUTE_BIT) != 0) bind(context_.compute);
  if ((info.stageFlags & VK_SHADER_STAGE_ALL_GRAPHICS) != 0) bind(context_.graphics);
}

void StateCommands::run(const commands::PushDescriptorSet& c) {
  const PushedDescriptors& from = *c.pushed;
  if (from.set >= kMaxSets) return;
  BindPoint& point = point_of(from.compute);
  auto& pushed = point.pushed[from.set];
  if (!pushed) pushed = std::make_unique<DescriptorSet>();
  DescriptorSet& set = *pushed;
  if (set.layout == nullptr || *set.layout != *from.layout) {
    set.layout = from.layout;
    set.descriptors.assign(from.layout->descriptors, {});
    for (const auto& [number, binding] : from.layout->bindings)
      for (std::size_t k = 0; k < binding.immutable.size(); ++k)
        set.descriptors[binding.first + k].sampler = binding.immutable[k];
  }
  for (const PushedDescriptors::Write& write : from.writes)
    if (write.index < set.descriptors.size()) set.descriptors[write.index] = write.descriptor;
  ++set.changes;
  point.sets[from.set] = {&set, nullptr, {}};
}

// --- sets that lie in buffers ---

void StateCommands::run(const commands::BindDescriptorBuffersEXT& c) {
  for (std::uint32_t i = 0; i < c.bufferCount && i < kMaxDescriptorBuffers; ++i)
    context_.descriptor_buffers[i] = c.pBindingInfos[i].address;
}

void StateCommands::run(const commands::SetDescriptorBufferOffsetsEXT& c) {
  const PlacedSets& from = *c.placed;
  BindPoint& point = point_of(from.compute);
  for (const PlacedSets::One& one : from.sets) {
    auto& known = point.placed[one.set];
    if (!known) known = std::make_unique<PlacedSet>();
    PlacedSet& placed = *known;
    // A buffer that is not bound has no memory, which reads as null descriptors.
    const std::uint64_t base = one.buffer < kMaxDescriptorBuffers ? context_.descriptor_buffers[one.buffer] : 0;
    placed.place(one.layout, base == 0 || one.offset > UINT64_MAX - base ? 0 : base + one.offset);
    point.sets[one.set] = {&placed.set(), &placed, {}};
  }
}

void StateCommands::push_constants(std::uint32_t offset, std::uint32_t size, const void* values) {
  if (offset > kPushConstantBytes || size > kPushConstantBytes - offset) return;
  std::memcpy(context_.push.data() + offset, values, size);
}
void StateCommands::run(const commands::PushConstants& c) { push_constants(c.offset, c.size, c.pValues); }
void StateCommands::run(const commands::PushConstants2& c) {
  push_constants(c.pPushConstantsInfo->offset, c.pPushConstantsInfo->size, c.pPushConstantsInfo->pValues);
}

// --- vertex and index buffers ---

void StateCommands::bind_vertex_buffer(std::uint32_t binding, VkBuffer buffer, VkDeviceSize offset, VkDeviceSize size) {
  if (binding >= kMaxVertexBindings) return;
  context_.buffers.vertices[binding] = {};
  context_.buffers.bound[binding] = buffer;
  if (buffer == VK_NULL_HANDLE) return;
  const std::span<std::uint8_t> all = from_handle(buffer)->range(offset, VK_WHOLE_SIZE);
  context_.buffers.vertices[binding] = all.first(static_cast<std::size_t>(std::min<std::uint64_t>(size, all.size())));
}

void StateCommands::run(const commands::BindVertexBuffers& c) {
  for (std::uint32_t i = 0; i < c.bindingCount; ++i)
    bind_vertex_buffer(c.firstBinding + i, c.pBuffers[i], c.pOffsets[i], VK_WHOLE_SIZE);
}
void StateCommands::run(const commands::BindVertexBuffers2& c) {
  for (std::uint32_t i = 0; i < c.bindingCount; ++i) {
    const std::uint32_t binding = c.firstBinding + i;
    bind_vertex_buffer(binding, c.pBuffers[i], c.pOffsets[i], c.pSizes == nullptr ? VK_WHOLE_SIZE : c.pSizes[i]);
    if (c.pStrides != nullptr && binding < kMaxVertexBindings)
      context_.state.strides[binding] = static_cast<std::uint32_t>(c.pStrides[i]);
  }
}
void StateCommands::bind_index_buffer(VkBuffer buffer, VkDeviceSize offset, VkDeviceSize size, VkIndexType type) {
  context_.buffers.indices = {};
  context_.buffers.bound_indices = buffer;
  if (buffer != VK_NULL_HANDLE) context_.buffers.indices = from_handle(buffer)->range(offset, size);
  context_.buffers.index_bytes = type == VK_INDEX_TYPE_UINT32 ? 4 : type == VK_INDEX_TYPE_UINT16 ? 2 : 1;
}
void StateCommands::run(const commands::BindIndexBuffer& c) {
  bind_index_buffer(c.buffer, c.offset, VK_WHOLE_SIZE, c.indexType);
}
void StateCommands::run(const commands::BindIndexBuffer2& c) {
  bind_index_buffer(c.buffer, c.offset, c.size, c.indexType);
}

// --- transform feedback ---

namespace {

/// Calls `use(buffer of feedback, counter)` for the counters that a command names.
template <typename C, typename Use>
void for_each_counter(const C& c, const Use& use) {
  for (std::uint32_t i = 0; c.pCounterBuffers != nullptr && i < c.counterBufferCount; ++i) {
    const std::size_t buffer = std::size_t{c.firstCounterBuffer} + i;
    if (buffer >= base::kMaxCaptureBuffers || c.pCounterBuffers[i] == VK_NULL_HANDLE) continue;
    const VkDeviceSize offset = c.pCounterBufferOffsets != nullptr ? c.pCounterBufferOffsets[i] : 0;
    use(buffer, *from_handle(c.pCounterBuffers[i]), offset);
  }
}

}  // namespace

void StateCommands::run(const commands::BindTransformFeedbackBuffersEXT& c) {
  for (std::uint32_t i = 0; i < c.bindingCount; ++i) {
    const std::size_t binding = std::size_t{c.firstBinding} + i;
    if (binding >= base::kMaxCaptureBuffers) continue;
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
void StateCommands::run(const commands::BeginTransformFeedbackEXT& c) {
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

void StateCommands::run(const commands::EndTransformFeedbackEXT& c) {
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

// --- conditions and labels ---

void StateCommands::run(const commands::BeginConditionalRenderingEXT& c) {
  const VkConditionalRenderingBeginInfoEXT& info = *c.pConditionalRenderingBegin;
  const Buffer& buffer = *from_handle(info.buffer);
  const std::span<std::uint8_t> bytes = buffer.range(info.offset, 4);
  if (context_.observers.inputs) context_.observers.inputs->fetch_condition(buffer, bytes);
  std::uint32_t value = 0;
  if (bytes.size() == 4) std::memcpy(&value, bytes.data(), 4);
  const bool inverted = (info.flags & VK_CONDITIONAL_RENDERING_INVERTED_BIT_EXT) != 0;
  context_.skips = (value == 0) != inverted;
}

void StateCommands::run(const commands::EndConditionalRenderingEXT&) { context_.skips = false; }

void StateCommands::run(const commands::BeginDebugUtilsLabelEXT& c) {
  context_.labels.emplace_back(c.pLabelInfo->pLabelName != nullptr ? c.pLabelInfo->pLabelName : "");
}
void StateCommands::run(const commands::EndDebugUtilsLabelEXT&) {
  if (!context_.labels.empty()) context_.labels.pop_back();
}

}  // namespace heddle::vulkan
