#include "vulkan/execution/executor.hpp"

#include <algorithm>
#include <cstring>
#include <span>

#include "base/arenas.hpp"
#include "pipeline/run_context.hpp"
#include "vulkan/commands/command_buffer.hpp"
#include "vulkan/device/device.hpp"
#include "vulkan/objects/sync/event.hpp"
#include "vulkan/objects/sync/query_pool.hpp"

namespace heddle::vulkan {
namespace {

base::Limits limits_of(const Device& device) {
  base::Limits limits;
  limits.seconds = device.time_limit;
  return limits;
}

}  // namespace

Executor::Executor(Device& device) : device_(device), workers_(pipeline::available_processors()) {
  base::open_arenas();
  auto surface = std::make_shared<image::Surface>();
  surface->type = image::SurfaceType::Null;
  null_surface_ = std::move(surface);
  auto sampler = std::make_shared<image::Sampler>();
  sampler->disable = true;
  null_sampler_ = std::move(sampler);
}

Executor::~Executor() = default;

void Executor::begin() {
  budget_.emplace(limits_of(device_), engine::reference::Seconds::Processor, workers_);
  if (!device_.checks) return;
  if (!watch_) watch_ = std::make_unique<CommandWatch>(device_, labels_);
  watch_->begin_submission();
}

void Executor::reset_state() {
  for (BindPoint* point : {&compute_, &graphics_}) {
    point->pipeline = nullptr;
    for (BoundSet& bound : point->sets) bound.set = nullptr;
    for (DescriptorSet& set : point->pushed) set.layout = nullptr;
  }
  state_ = {};
  input_ = {};
  prepared_ = nullptr;
  vertex_buffers_.fill({});
  bound_buffers_.fill(VK_NULL_HANDLE);
  indices_ = {};
  index_buffer_ = VK_NULL_HANDLE;
  push_.fill(std::byte{0});
}

void Executor::run_primary(const CommandBuffer& buffer) {
  reset_state();
  rendering_ = {};
  active_.clear();
  labels_.clear();
  skips_ = false;
  run_all(buffer);
}

namespace {

/// Commands that leave all state as it is.
bool only_draws(CommandType type) {
  return type == CommandType::Draw || type == CommandType::DrawIndexed || type == CommandType::DrawIndirect ||
         type == CommandType::DrawIndexedIndirect;
}

}  // namespace

void Executor::run_all(const CommandBuffer& buffer) {
  const std::uint64_t before = watch_ ? watch_->begin_buffer() : 0;
  for (const Command* command = buffer.first; command != nullptr && !device_.lost; command = command->next) {
    if (watch_) watch_->begin_command(command_name(command->type));
    if (!only_draws(command->type)) prepared_ = nullptr;
    try {
      commands::visit(*command, *this);
    } catch (const std::bad_alloc&) {
      device_.lose(std::string(command_name(command->type)) + ": the host has no memory left");
    } catch (const std::exception& problem) {
      device_.lose(std::string(command_name(command->type)) + ": " + problem.what());
    }
  }
  if (watch_) watch_->end_buffer(before);
}

void Executor::run(const Command& c) {
  device_.physical.instance.error("vulkan-command",
                                  std::string(command_name(c.type)) + ": the driver does not have this command");
}

void Executor::report(const Command& command, const base::Result<base::Done>& done) {
  if (done.ok()) return;
  for (const base::Diagnostic& d : done.diagnostics())
    device_.physical.instance.error("vulkan-command", std::string(command_name(command.type)) + ": " + d.message);
}

// --- state ---

void Executor::run(const commands::BindPipeline& c) {
  if (c.pipeline == VK_NULL_HANDLE) {  // its creation failed, and nobody looked
    (c.pipelineBindPoint == VK_PIPELINE_BIND_POINT_COMPUTE ? compute_ : graphics_).pipeline = nullptr;
    return device_.physical.instance.error(
        "vulkan-command",
        "vkCmdBindPipeline: the pipeline is VK_NULL_HANDLE; draws and dispatches after it do nothing");
  }
  Pipeline& pipeline = *from_handle(c.pipeline);
  (pipeline.graphics ? graphics_ : compute_).pipeline = &pipeline;
  if (pipeline.graphics) copy_static(pipeline.graphics->state, pipeline.graphics->dynamic, state_);
}

void Executor::run(const commands::BindDescriptorSets& c) {
  BindPoint& point = c.pipelineBindPoint == VK_PIPELINE_BIND_POINT_COMPUTE ? compute_ : graphics_;
  std::span<const std::uint32_t> offsets;
  if (c.pDynamicOffsets != nullptr) offsets = {c.pDynamicOffsets, c.dynamicOffsetCount};
  for (std::uint32_t i = 0; i < c.descriptorSetCount && c.firstSet + i < kMaxSets; ++i) {
    BoundSet& bound = point.sets[c.firstSet + i];
    bound.set = from_handle(c.pDescriptorSets[i]);
    if (bound.set == nullptr) continue;
    // An application that gives too few gets zeros for the rest.
    const std::size_t count = bound.set->layout->dynamic_offsets, given = std::min(count, offsets.size());
    bound.offsets.assign(offsets.begin(), offsets.begin() + static_cast<std::ptrdiff_t>(given));
    bound.offsets.resize(count);
    offsets = offsets.subspan(given);
  }
}

void Executor::run(const commands::PushDescriptorSetKHR& c) {
  const PushedDescriptors& from = *c.pushed;
  if (from.set >= kMaxSets) return;
  BindPoint& point = from.compute ? compute_ : graphics_;
  DescriptorSet& set = point.pushed[from.set];
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
  point.sets[from.set].set = &set;
  point.sets[from.set].offsets.clear();
}

void Executor::run(const commands::PushConstants& c) {
  if (c.offset > kPushConstantBytes || c.size > kPushConstantBytes - c.offset) return;
  std::memcpy(push_.data() + c.offset, c.pValues, c.size);
}

void Executor::run(const commands::ExecuteCommands& c) {
  for (const VkCommandBuffer handle : std::span(c.pCommandBuffers, c.commandBufferCount)) {
    reset_state();  // a secondary buffer inherits nothing
    const CommandBuffer& buffer = *from_handle(handle);
    if (buffer.secondary && buffer.ended)
      run_all(buffer);
    else
      device_.physical.instance.error("vulkan-command",
                                      "vkCmdExecuteCommands: the command buffer is no secondary one, or "
                                      "vkEndCommandBuffer was not called; it is passed over");
  }
  reset_state();
}

void Executor::run(const commands::BeginDebugUtilsLabelEXT& c) {
  labels_.emplace_back(c.pLabelInfo->pLabelName != nullptr ? c.pLabelInfo->pLabelName : "");
}
void Executor::run(const commands::EndDebugUtilsLabelEXT&) {
  if (!labels_.empty()) labels_.pop_back();
}

// --- events and queries ---

void Executor::set_event(VkEvent event, bool value) {
  const std::lock_guard guard(device_.mutex);
  from_handle(event)->set = value;
  device_.changed.notify_all();
}
void Executor::run(const commands::SetEvent& c) { set_event(c.event, true); }
void Executor::run(const commands::SetEvent2& c) { set_event(c.event, true); }
void Executor::run(const commands::ResetEvent& c) { set_event(c.event, false); }
void Executor::run(const commands::ResetEvent2& c) { set_event(c.event, false); }

void Executor::wait_for(const VkEvent* events, std::uint32_t count) {
  std::unique_lock lock(device_.mutex);
  const std::span all(events, count);
  const auto done = [&] {
    return device_.lost || std::ranges::all_of(all, [](VkEvent event) { return from_handle(event)->set; });
  };
  if (done()) return;
  const auto name = [&] {
    const auto unset = std::ranges::find_if(all, [](VkEvent event) { return !from_handle(event)->set; });
    const std::string given = device_.name_of(reinterpret_cast<std::uint64_t>(*unset));
    return given.empty() ? std::string("an event") : "event '" + given + "'";
  };
  device_.block_queue("the queue waits in vkCmdWaitEvents for " + name() + ", which nobody sets");
  device_.changed.wait(lock, [&] { return done() || device_.queue_state.stopping; });
  device_.block_queue({});
  if (!done()) device_.lost = true;  // the application destroys a device that waits for it
}
void Executor::run(const commands::WaitEvents2& c) {
  wait_for(c.pEvents, c.eventCount);
  for (const VkDependencyInfo& info : std::span(c.pDependencyInfos, c.eventCount)) watch_barriers(info);
}

void Executor::run(const commands::ResetQueryPool& c) {
  const std::lock_guard guard(device_.mutex);
  QueryPool& pool = *from_handle(c.queryPool);
  for (std::uint32_t i = 0; i < c.queryCount && std::size_t{c.firstQuery} + i < pool.queries.size(); ++i)
    pool.queries[c.firstQuery + i] = {};
}
void Executor::run(const commands::CopyQueryPoolResults& c) {
  const std::span<std::uint8_t> to = from_handle(c.dstBuffer)->range(c.dstOffset, VK_WHOLE_SIZE);
  std::vector<std::span<std::byte>> written;
  {
    const std::lock_guard guard(device_.mutex);
    (void)write_results(*from_handle(c.queryPool), c.firstQuery, c.queryCount, std::as_writable_bytes(to), c.stride,
                        c.flags, watch_ ? &written : nullptr);
  }
  // Reports go to the application, which may ask for events and queries: not under the lock.
  const Usage usage{VK_PIPELINE_STAGE_2_COPY_BIT, VK_ACCESS_2_TRANSFER_WRITE_BIT};
  for (const std::span<std::byte> part : written)
    watch_->write({reinterpret_cast<const std::uint8_t*>(part.data()), part.size()},
                  usage.of("buffer", reinterpret_cast<std::uint64_t>(from_handle(c.dstBuffer))));
}

}  // namespace heddle::vulkan
