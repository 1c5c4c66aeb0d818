// SPDX-License-Identifier: MIT
#include "vulkan/queue/queue.hpp"

#include <algorithm>
#include <exception>
#include <span>
#include <string>
#include <utility>

#include "base/arenas.hpp"
#include "base/locks/brief_mutex.hpp"
#include "vulkan/capture/capture.hpp"
#include "vulkan/capture/frame_recorder.hpp"
#include "vulkan/commands/command_buffer.hpp"
#include "vulkan/device/device.hpp"
#include "vulkan/device/waits.hpp"
#include "vulkan/execution/executor.hpp"
#include "vulkan/generated/entry_points.hpp"
#include "vulkan/sanitizer/attach_checks.hpp"
#include "vulkan/texels/attach_texels.hpp"

namespace heddle::vulkan {

std::shared_ptr<Queues> make_queues(Device& device) { return std::make_shared<Queues>(device); }

Queues::Queues(Device& device)
    : device_(device), state_(device.queue_state), queues_{Queue(*this, 0), Queue(*this, kTransferQueueFamily)} {}

Queues::~Queues() {
  std::string waits_for;
  {
    const std::lock_guard guard(device_.mutex);
    waits_for = state_.blocked_by;
    state_.stopping = true;
    device_.changed.notify_all();
  }
  if (!waits_for.empty())
    device_.physical.instance.error("vulkan-wait", "vkDestroyDevice: " + waits_for + "; its work is dropped");
  if (thread_.joinable()) thread_.join();
}

namespace {

/// Counts `by` more submissions for what a submission uses.
void count_uses(const Submission& submission, unsigned by) {
  for (const auto* points : {&submission.waits, &submission.signals})
    for (const Submission::Point& p : *points) p.semaphore->pending += by;
  for (const CommandBuffer* buffer : submission.buffers) buffer->pending += by;
  if (submission.fence != nullptr) submission.fence->pending += by;
  for (const Submission::Present& p : submission.presents)
    if (p.fence != nullptr) p.fence->pending += by;
}
constexpr unsigned kOneLess = ~0u;

}  // namespace

std::string Queues::name_of(const Semaphore& semaphore) const {
  const std::string name = device_.name_of(reinterpret_cast<std::uint64_t>(&semaphore));
  return name.empty() ? "a semaphore" : "semaphore '" + name + "'";
}

std::string Queues::bind(std::vector<Submission>& submissions) const {
  for (Submission& submission : submissions) {
    for (auto wait = submission.waits.begin(); wait != submission.waits.end(); ++wait) {
      Semaphore& s = *wait->semaphore;
      wait->payload = s.payload;
      if (s.timeline()) continue;
      const auto same = [&](const Submission::Point& p) { return p.semaphore == &s; };
      const bool promised = s.payload->promised() != s.payload->taken();
      if (!promised && !s.payload->is_shared() && std::none_of(submission.waits.begin(), wait, same))
        return name_of(s) + " is waited for, and nothing that was submitted before signals it";
      wait->value = s.payload->take();
      if (s.permanent != nullptr) s.payload = std::exchange(s.permanent, nullptr);
    }
    for (Submission::Point& signal : submission.signals) {
      signal.payload = signal.semaphore->payload;
      if (!signal.semaphore->timeline()) signal.value = signal.payload->promise();
    }
  }
  return {};
}

VkResult Queues::submit(Queue& to, std::vector<Submission> submissions, const char* command) {
  const Uncanceled uncanceled;
  std::unique_lock lock = base::lock_soon(device_.mutex);
  std::string hopeless;
  if (!device_.lost && !(hopeless = bind(submissions)).empty()) {
    lock.unlock();
    device_.lose(std::string(command) + ": " + hopeless + ": it would wait for good");
    lock.lock();
  }
  if (device_.lost) {
    device_.changed.others().wait(lock, [&] { return state_.idle(); });
    return VK_ERROR_DEVICE_LOST;
  }
  if (!thread_.joinable()) {
    executor_ = std::make_unique<Executor>(device_);
    attach_capture(executor_->context());
    attach_frame_recorder(executor_->context());
    attach_checks(executor_->context());
    attach_texels(executor_->context());
    thread_ = std::thread([this] { run(); });
  }
  for (Submission& submission : submissions) {
    count_uses(submission, 1);
    submission.number = ++submitted_;
    presents_ += submission.presents.size();
    to.waiting.push_back(std::move(submission));
    ++to.submissions;
    ++state_.submissions;
  }
  lock.unlock();  // or who is woken would sleep again until it is
  device_.changed.of_queues().notify_all();
  return VK_SUCCESS;
}

VkResult Queues::wait_idle(const Queue* queue, const char* command) {
  std::unique_lock lock(device_.mutex);
  wait_without_end(device_, lock, command, "the queue is not idle",
                   [&] { return queue != nullptr ? queue->submissions == 0 : state_.idle(); });
  return device_.lost ? VK_ERROR_DEVICE_LOST : VK_SUCCESS;
}

void Queues::wait_presented(const char* command) {
  std::unique_lock lock(device_.mutex);
  wait_without_end(device_, lock, command, "a picture waits to be shown", [&] { return presents_ == 0; });
}

namespace {

/// The first of its semaphores that has not reached its value; null: it is ready.
const Submission::Point* missing(const Submission& submission) {
  const auto found =
      std::ranges::find_if(submission.waits, [](const Submission::Point& p) { return p.payload->value() < p.value; });
  return found != submission.waits.end() ? &*found : nullptr;
}

}  // namespace

/// The queue whose first submission came earliest; null: there is none (that is ready).
Queue* Queues::first(bool only_ready) {
  Queue* found = nullptr;
  for (Queue& queue : queues_) {
    if (queue.waiting.empty() || (only_ready && missing(queue.waiting.front()) != nullptr)) continue;
    if (found == nullptr || queue.waiting.front().number < found->waiting.front().number) found = &queue;
  }
  return found;
}

/// Another process may go on.
bool Queues::waits_for_others() const {
  return std::ranges::any_of(queues_, [](const Queue& queue) {
    const Submission::Point* p = queue.waiting.empty() ? nullptr : missing(queue.waiting.front());
    return p != nullptr && p->payload->is_shared();
  });
}

/// Whoever waits may destroy the semaphores and command buffers of what is dropped here.
void Queues::drop_all() {
  for (Queue& queue : queues_) {
    for (const Submission& dropped : queue.waiting) {
      count_uses(dropped, kOneLess);
      presents_ -= dropped.presents.size();
    }
    state_.submissions -= queue.waiting.size();
    queue.submissions -= queue.waiting.size();
    queue.waiting.clear();
  }
  device_.changed.notify_all();
}

/// Waits until one queue's first submission has its semaphores.
Queue* Queues::next(Submission& submission) {
  std::unique_lock lock = base::lock_soon(device_.mutex);
  for (;;) {
    device_.changed.of_queues().wait(lock, [&] { return state_.stopping || first(false) != nullptr; });
    while (!state_.stopping && !device_.lost && first(true) == nullptr) {
      if (waits_for_others()) {
        state_.blocked_by.clear();
      } else {
        const Submission::Point& p = *missing(first(false)->waiting.front());
        device_.block_queue("the queue waits until " + name_of(*p.semaphore) + " is " + std::to_string(p.value) +
                            " (it is " + std::to_string(p.payload->value()) +
                            "), which nothing that was submitted does");
      }
      device_.changed.of_queues().wait(lock);
    }
    state_.blocked_by.clear();
    if (device_.lost) drop_all();
    if (first(false) == nullptr && !state_.stopping) continue;
    break;
  }
  Queue* const queue = first(true);
  if (queue == nullptr) return nullptr;  // the application destroys a device that waits for it
  submission = std::move(queue->waiting.front());
  queue->waiting.pop_front();
  return queue;
}

void Queues::run() {
  base::name_own_thread();
  Submission submission;
  while (Queue* const from = next(submission)) {
    carry_out(*from, submission);
    submission = {};
  }
}

namespace {

/// Does what may want memory that the host does not have: nobody else catches on the queue's thread.
template <typename Work>
void attempt(Device& device, const char* command, Work&& work) {
  try {
    work();
  } catch (const std::exception&) {
    device.lose(std::string(command) + ": the host has no memory left");
  }
}

}  // namespace

void Queues::bind_sparse(const SparseBinds& binds) const {
  if (device_.lost || binds.empty()) return;
  attempt(device_, "vkQueueBindSparse", [&] {
    device_.sparse.settle();
    for (const std::string& problem : vulkan::carry_out(binds))
      device_.physical.instance.error("vulkan-sparse-bind", "vkQueueBindSparse: " + problem + "; it is passed over");
  });
}

void Queues::carry_out(Queue& from, const Submission& submission) {
  bind_sparse(submission.binds);
  executor_->context().frame = submission.frame ? std::optional(submission.frame->id) : std::nullopt;
  if (!device_.lost && !submission.buffers.empty())
    attempt(device_, "vkQueueSubmit", [&] {
      executor_->begin(from.family == kTransferQueueFamily);
      for (const CommandBuffer* buffer : submission.buffers) {
        if (device_.lost) break;
        executor_->run_primary(*buffer);
      }
      if (const auto& after = executor_->context().hooks.after_submission; after && !device_.lost) after();
    });
  for (const Submission::Present& p : submission.presents)
    if (p.presenter != nullptr) p.presenter->show(p.index, p.id);
  attempt(device_, "vkQueueSubmit", [&] {
    if (submission.frame && submission.frame->ends) tell_frame_end(executor_->context());
    if (!submission.presents.empty()) tell_presented(executor_->context());
  });
  end(from, submission);
  if (device_.lost) return device_.changed.notify_all();
  // None of the fences need be there any more: only where their waiters wait is asked for.
  device_.changed.others().notify_all();
  if (submission.fence != nullptr) device_.changed.of_fence(submission.fence).notify_all();
  for (const Submission::Present& p : submission.presents)
    if (p.fence != nullptr) device_.changed.of_fence(p.fence).notify_all();
}

void Queues::end(Queue& from, const Submission& submission) {
  const std::unique_lock lock = base::lock_soon(device_.mutex);
  if (!device_.lost) {
    for (const Submission::Point& p : submission.signals) p.payload->raise(p.value);
    if (submission.fence != nullptr) submission.fence->signal();
    for (const Submission::Present& p : submission.presents)
      if (p.fence != nullptr) p.fence->signal();
  }
  count_uses(submission, kOneLess);
  --from.submissions;
  --state_.submissions;
  presents_ -= submission.presents.size();
}

std::optional<Submission::Frame> read_frame(const void* chain) {
  const auto* boundary = find_in_chain<VkFrameBoundaryEXT>(chain, VK_STRUCTURE_TYPE_FRAME_BOUNDARY_EXT);
  if (boundary == nullptr) return std::nullopt;
  return Submission::Frame{boundary->frameID, (boundary->flags & VK_FRAME_BOUNDARY_FRAME_END_BIT_EXT) != 0};
}

namespace {

/// A command buffer that can't be executed is told and left out.
void add_buffer(VkQueue queue, VkCommandBuffer handle, Submission& to) {
  const char* const why = handle == VK_NULL_HANDLE         ? "is VK_NULL_HANDLE"
                          : from_handle(handle)->secondary ? "is a secondary one"
                          : !from_handle(handle)->ended    ? "was not ended (vkEndCommandBuffer)"
                                                           : nullptr;
  if (why == nullptr) return to.buffers.push_back(from_handle(handle));
  from_handle(queue)->all.device().physical.instance.error(
      "vulkan-command", std::string("vkQueueSubmit: a command buffer ") + why + "; it is passed over");
}

void add_point(VkQueue queue, VkSemaphore handle, std::uint64_t value, std::vector<Submission::Point>& to) {
  if (handle != VK_NULL_HANDLE) return to.push_back({from_handle(handle), value});
  from_handle(queue)->all.device().physical.instance.error(
      "vulkan-command", "vkQueueSubmit, vkQueueBindSparse: a semaphore is VK_NULL_HANDLE; it is passed over");
}

/// The semaphores of a VkSubmitInfo or VkBindSparseInfo, with the values of their timelines.
template <typename Info>
void add_points(VkQueue queue, const Info& from, Submission& to) {
  const auto* timeline =
      find_in_chain<VkTimelineSemaphoreSubmitInfo>(from.pNext, VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO);
  const auto value = [](const std::uint64_t* values, std::uint32_t count, std::uint32_t i) {
    return values != nullptr && i < count ? values[i] : std::uint64_t{0};
  };
  for (std::uint32_t i = 0; i < from.waitSemaphoreCount; ++i)
    add_point(queue, from.pWaitSemaphores[i],
              timeline == nullptr ? 0 : value(timeline->pWaitSemaphoreValues, timeline->waitSemaphoreValueCount, i),
              to.waits);
  for (std::uint32_t i = 0; i < from.signalSemaphoreCount; ++i)
    add_point(queue, from.pSignalSemaphores[i],
              timeline == nullptr ? 0 : value(timeline->pSignalSemaphoreValues, timeline->signalSemaphoreValueCount, i),
              to.signals);
}

}  // namespace

namespace entry {

VKAPI_ATTR void VKAPI_CALL GetDeviceQueue(VkDevice device, uint32_t queueFamilyIndex, uint32_t, VkQueue* pQueue) {
  *pQueue = to_handle(from_handle(device)->queues->of_family(queueFamilyIndex));
}
VKAPI_ATTR void VKAPI_CALL GetDeviceQueue2(VkDevice device, const VkDeviceQueueInfo2* pQueueInfo, VkQueue* pQueue) {
  const bool plain = pQueueInfo->flags == 0;  // none is protected
  *pQueue = plain ? to_handle(from_handle(device)->queues->of_family(pQueueInfo->queueFamilyIndex)) : VK_NULL_HANDLE;
}

VKAPI_ATTR VkResult VKAPI_CALL QueueSubmit(VkQueue queue, uint32_t submitCount, const VkSubmitInfo* pSubmits,
                                           VkFence fence) {
  return guarded([&] {
    std::vector<Submission> list;
    for (const VkSubmitInfo& from : std::span(pSubmits, submitCount)) {
      Submission& to = list.emplace_back();
      add_points(queue, from, to);
      to.frame = read_frame(from.pNext);
      for (const VkCommandBuffer buffer : std::span(from.pCommandBuffers, from.commandBufferCount))
        add_buffer(queue, buffer, to);
    }
    if (fence != VK_NULL_HANDLE) list.emplace_back().fence = from_handle(fence);
    return from_handle(queue)->all.submit(*from_handle(queue), std::move(list), "vkQueueSubmit");
  });
}

VKAPI_ATTR VkResult VKAPI_CALL QueueSubmit2(VkQueue queue, uint32_t submitCount, const VkSubmitInfo2* pSubmits,
                                            VkFence fence) {
  return guarded([&] {
    std::vector<Submission> list;
    for (const VkSubmitInfo2& from : std::span(pSubmits, submitCount)) {
      Submission& to = list.emplace_back();
      to.frame = read_frame(from.pNext);
      for (const VkSemaphoreSubmitInfo& s : std::span(from.pWaitSemaphoreInfos, from.waitSemaphoreInfoCount))
        add_point(queue, s.semaphore, s.value, to.waits);
      for (const VkSemaphoreSubmitInfo& s : std::span(from.pSignalSemaphoreInfos, from.signalSemaphoreInfoCount))
        add_point(queue, s.semaphore, s.value, to.signals);
      for (const VkCommandBufferSubmitInfo& b : std::span(from.pCommandBufferInfos, from.commandBufferInfoCount))
        add_buffer(queue, b.commandBuffer, to);
    }
    if (fence != VK_NULL_HANDLE) list.emplace_back().fence = from_handle(fence);
    return from_handle(queue)->all.submit(*from_handle(queue), std::move(list), "vkQueueSubmit2");
  });
}

// Labels of the queue's own timeline: this driver's messages name kernels, whose names are above.
VKAPI_ATTR void VKAPI_CALL QueueBeginDebugUtilsLabelEXT(VkQueue, const VkDebugUtilsLabelEXT*) {}
VKAPI_ATTR void VKAPI_CALL QueueEndDebugUtilsLabelEXT(VkQueue) {}
VKAPI_ATTR void VKAPI_CALL QueueInsertDebugUtilsLabelEXT(VkQueue, const VkDebugUtilsLabelEXT*) {}

VKAPI_ATTR VkResult VKAPI_CALL QueueBindSparse(VkQueue queue, uint32_t bindInfoCount, const VkBindSparseInfo* pBindInfo,
                                               VkFence fence) {
  return guarded([&] {
    std::vector<Submission> list;
    for (const VkBindSparseInfo& from : std::span(pBindInfo, bindInfoCount)) {
      Submission& to = list.emplace_back();
      add_points(queue, from, to);
      to.binds = read_binds(from);
      to.frame = read_frame(from.pNext);
    }
    if (fence != VK_NULL_HANDLE) list.emplace_back().fence = from_handle(fence);
    return from_handle(queue)->all.submit(*from_handle(queue), std::move(list), "vkQueueBindSparse");
  });
}
VKAPI_ATTR VkResult VKAPI_CALL QueueWaitIdle(VkQueue queue) {
  return from_handle(queue)->all.wait_idle(from_handle(queue), "vkQueueWaitIdle");
}
VKAPI_ATTR VkResult VKAPI_CALL DeviceWaitIdle(VkDevice device) {
  return from_handle(device)->queues->wait_idle(nullptr, "vkDeviceWaitIdle");
}

}  // namespace entry
}  // namespace heddle::vulkan
