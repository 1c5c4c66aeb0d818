#include "vulkan/objects/sync/query_pool.hpp"

#include <time.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "vulkan/device/device.hpp"
#include "vulkan/device/waits.hpp"
#include "vulkan/generated/entry_points.hpp"

namespace heddle::vulkan {

std::uint64_t timestamp_now() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000u + static_cast<std::uint64_t>(now.tv_nsec);
}

VkResult write_results(const QueryPool& pool, std::uint32_t first, std::uint32_t count, std::span<std::byte> to,
                       std::uint64_t stride, VkQueryResultFlags flags, std::vector<std::span<std::byte>>* written) {
  VkResult result = VK_SUCCESS;
  const bool wide = (flags & VK_QUERY_RESULT_64_BIT) != 0;
  const std::uint64_t word = wide ? 8 : 4;
  const bool says = (flags & VK_QUERY_RESULT_WITH_AVAILABILITY_BIT) != 0;
  for (std::uint32_t i = 0; i < count && std::size_t{first} + i < pool.queries.size(); ++i) {
    const QueryPool::Query& query = pool.queries[first + i];
    if (stride != 0 && i > to.size() / stride) break;
    const std::uint64_t at = i * stride;
    const std::uint64_t values = pool.values();
    if (at + word * (values + (says ? 1 : 0)) > to.size()) break;
    const std::uint64_t available = query.available ? 1 : 0;
    const auto put = [&](std::uint64_t place, std::uint64_t value) {
      const std::span<std::byte> part = to.subspan(at + place * word, word);
      std::memcpy(part.data(), &value, word);
      if (written != nullptr) written->push_back(part);
    };
    if (query.available || (flags & VK_QUERY_RESULT_PARTIAL_BIT) != 0)
      for (std::uint64_t v = 0; v < values; ++v) put(v, query.values[v]);
    else
      result = VK_NOT_READY;
    if (says) put(values, available);
  }
  return result;
}

namespace {

using Clock = std::chrono::steady_clock;

/// Waits until `done`, the time is over (VK_TIMEOUT) or the device is lost.
template <typename Done>
VkResult wait(Device& device, std::uint64_t timeout, const char* command, std::string_view what, Done&& done) {
  std::unique_lock lock(device.mutex);
  const auto over = [&] { return device.reports_loss() || done(); };
  // About 30 years and more are for ever.
  if (timeout > std::uint64_t{1'000'000'000} * 1'000'000'000) {
    wait_without_end(device, lock, command, what, done);
  } else {
    const Uncanceled uncanceled;
    if (!device.changed.wait_until(lock, Clock::now() + std::chrono::nanoseconds(timeout), over)) return VK_TIMEOUT;
  }
  return done() ? VK_SUCCESS : VK_ERROR_DEVICE_LOST;
}

/// Fences and semaphores that submissions still use: said, and they live until those have ended
/// (SUB-4).
template <typename Object>
void destroy_unused(VkDevice handle, Object* object, const char* command, const char* what) {
  if (object == nullptr) return;
  Device& device = *from_handle(handle);
  {
    std::unique_lock lock(device.mutex);
    if (object->pending != 0) {
      lock.unlock();
      device.physical.instance.error("vulkan-in-use", std::string(command) + ": a submission still uses the " + what +
                                                          ", which waits for its end");
      lock.lock();
      wait_without_end(device, lock, command, "", [&] { return object->pending == 0; });
    }
  }
  destroy(handle, object);
}

template <typename Object, typename Handle>
VkResult create(Object object, Handle* handle) {
  return guarded([&] {
    *handle = to_handle(new Object(object));
    return VK_SUCCESS;
  });
}

}  // namespace

namespace entry {

// --- fences ---

VKAPI_ATTR VkResult VKAPI_CALL CreateFence(VkDevice, const VkFenceCreateInfo* pCreateInfo, const VkAllocationCallbacks*,
                                           VkFence* pFence) {
  return create(Fence{(pCreateInfo->flags & VK_FENCE_CREATE_SIGNALED_BIT) != 0}, pFence);
}
VKAPI_ATTR void VKAPI_CALL DestroyFence(VkDevice device, VkFence fence, const VkAllocationCallbacks*) {
  destroy_unused(device, from_handle(fence), "vkDestroyFence", "fence");
}
VKAPI_ATTR VkResult VKAPI_CALL ResetFences(VkDevice device, uint32_t fenceCount, const VkFence* pFences) {
  const std::lock_guard guard(from_handle(device)->mutex);
  for (const VkFence fence : std::span(pFences, fenceCount))
    if (fence != VK_NULL_HANDLE) from_handle(fence)->signaled = false;
  return VK_SUCCESS;
}
VKAPI_ATTR VkResult VKAPI_CALL GetFenceStatus(VkDevice device, VkFence fence) {
  Device& d = *from_handle(device);
  const std::lock_guard guard(d.mutex);
  if (from_handle(fence)->signaled) return VK_SUCCESS;
  return d.reports_loss() ? VK_ERROR_DEVICE_LOST : VK_NOT_READY;
}
VKAPI_ATTR VkResult VKAPI_CALL WaitForFences(VkDevice device, uint32_t fenceCount, const VkFence* pFences,
                                             VkBool32 waitAll, uint64_t timeout) {
  const std::span fences(pFences, fenceCount);
  const auto signaled = [](VkFence fence) { return fence == VK_NULL_HANDLE || from_handle(fence)->signaled; };
  return wait(*from_handle(device), timeout, "vkWaitForFences", "no submission signals the fence", [&] {
    return waitAll == VK_TRUE ? std::ranges::all_of(fences, signaled) : std::ranges::any_of(fences, signaled);
  });
}

// --- semaphores ---

VKAPI_ATTR VkResult VKAPI_CALL CreateSemaphore(VkDevice, const VkSemaphoreCreateInfo* pCreateInfo,
                                               const VkAllocationCallbacks*, VkSemaphore* pSemaphore) {
  Semaphore semaphore;
  if (const auto* type =
          find_in_chain<VkSemaphoreTypeCreateInfo>(pCreateInfo->pNext, VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO);
      type != nullptr && type->semaphoreType == VK_SEMAPHORE_TYPE_TIMELINE)
    semaphore = {true, type->initialValue};
  return create(semaphore, pSemaphore);
}
VKAPI_ATTR void VKAPI_CALL DestroySemaphore(VkDevice device, VkSemaphore semaphore, const VkAllocationCallbacks*) {
  destroy_unused(device, from_handle(semaphore), "vkDestroySemaphore", "semaphore");
}
VKAPI_ATTR VkResult VKAPI_CALL GetSemaphoreCounterValue(VkDevice device, VkSemaphore semaphore, uint64_t* pValue) {
  Device& d = *from_handle(device);
  const std::lock_guard guard(d.mutex);
  *pValue = from_handle(semaphore)->value;
  return d.reports_loss() ? VK_ERROR_DEVICE_LOST : VK_SUCCESS;
}
VKAPI_ATTR VkResult VKAPI_CALL WaitSemaphores(VkDevice device, const VkSemaphoreWaitInfo* pWaitInfo, uint64_t timeout) {
  const char* const what = "no submission signals the semaphore";
  return wait(*from_handle(device), timeout, "vkWaitSemaphores", what, [&] {
    bool any = false, all = true;
    for (std::uint32_t i = 0; i < pWaitInfo->semaphoreCount; ++i)
      (from_handle(pWaitInfo->pSemaphores[i])->value >= pWaitInfo->pValues[i] ? any : all) =
          from_handle(pWaitInfo->pSemaphores[i])->value >= pWaitInfo->pValues[i];
    return (pWaitInfo->flags & VK_SEMAPHORE_WAIT_ANY_BIT) != 0 ? any : all;
  });
}
VKAPI_ATTR VkResult VKAPI_CALL SignalSemaphore(VkDevice device, const VkSemaphoreSignalInfo* pSignalInfo) {
  Device& d = *from_handle(device);
  const std::lock_guard guard(d.mutex);
  Semaphore& semaphore = *from_handle(pSignalInfo->semaphore);
  if (semaphore.timeline)
    semaphore.value = std::max(semaphore.value, pSignalInfo->value);  // it never goes back
  else
    semaphore.signal_now();
  d.changed.notify_all();
  return VK_SUCCESS;
}

// --- events ---

VKAPI_ATTR VkResult VKAPI_CALL CreateEvent(VkDevice, const VkEventCreateInfo*, const VkAllocationCallbacks*,
                                           VkEvent* pEvent) {
  return create(Event{}, pEvent);
}
VKAPI_ATTR void VKAPI_CALL DestroyEvent(VkDevice device, VkEvent event, const VkAllocationCallbacks*) {
  destroy(device, from_handle(event));
}
VKAPI_ATTR VkResult VKAPI_CALL GetEventStatus(VkDevice device, VkEvent event) {
  Device& d = *from_handle(device);
  const std::lock_guard guard(d.mutex);
  if (d.reports_loss()) return VK_ERROR_DEVICE_LOST;
  return from_handle(event)->set ? VK_EVENT_SET : VK_EVENT_RESET;
}
VKAPI_ATTR VkResult VKAPI_CALL SetEvent(VkDevice device, VkEvent event) {
  Device& d = *from_handle(device);
  const std::lock_guard guard(d.mutex);
  from_handle(event)->set = true;
  d.changed.notify_all();
  return VK_SUCCESS;
}
VKAPI_ATTR VkResult VKAPI_CALL ResetEvent(VkDevice device, VkEvent event) {
  Device& d = *from_handle(device);
  const std::lock_guard guard(d.mutex);
  from_handle(event)->set = false;
  return VK_SUCCESS;
}

// --- queries ---

VKAPI_ATTR VkResult VKAPI_CALL CreateQueryPool(VkDevice, const VkQueryPoolCreateInfo* pCreateInfo,
                                               const VkAllocationCallbacks*, VkQueryPool* pQueryPool) {
  return guarded([&] {
    auto pool = std::make_unique<QueryPool>();
    pool->type = pCreateInfo->queryType;
    pool->statistics = pCreateInfo->pipelineStatistics & 0x7ff;
    pool->queries.resize(pCreateInfo->queryCount);
    *pQueryPool = to_handle(pool.release());
    return VK_SUCCESS;
  });
}
VKAPI_ATTR void VKAPI_CALL DestroyQueryPool(VkDevice device, VkQueryPool queryPool, const VkAllocationCallbacks*) {
  destroy(device, from_handle(queryPool));
}
VKAPI_ATTR void VKAPI_CALL ResetQueryPool(VkDevice device, VkQueryPool queryPool, uint32_t firstQuery,
                                          uint32_t queryCount) {
  const std::lock_guard guard(from_handle(device)->mutex);
  QueryPool& pool = *from_handle(queryPool);
  for (std::uint32_t i = 0; i < queryCount && std::size_t{firstQuery} + i < pool.queries.size(); ++i)
    pool.queries[firstQuery + i] = {};
}
VKAPI_ATTR VkResult VKAPI_CALL GetQueryPoolResults(VkDevice device, VkQueryPool queryPool, uint32_t firstQuery,
                                                   uint32_t queryCount, size_t dataSize, void* pData,
                                                   VkDeviceSize stride, VkQueryResultFlags flags) {
  const QueryPool& pool = *from_handle(queryPool);
  Device& d = *from_handle(device);
  const auto available = [&] {
    for (std::uint32_t i = 0; i < queryCount && std::size_t{firstQuery} + i < pool.queries.size(); ++i)
      if (!pool.queries[firstQuery + i].available) return false;
    return true;
  };
  if ((flags & VK_QUERY_RESULT_WAIT_BIT) != 0) {
    // What no submission makes available never will be.
    std::unique_lock lock(d.mutex);
    wait_without_end(d, lock, "vkGetQueryPoolResults", "", [&] { return available() || d.queue->idle(); });
    if (!available() && d.lost) return VK_ERROR_DEVICE_LOST;
    if (!available()) {
      lock.unlock();
      d.physical.instance.error("vulkan-wait", "vkGetQueryPoolResults waits for a query that nothing submitted ends");
    }
  }
  const std::lock_guard guard(d.mutex);
  return write_results(pool, firstQuery, queryCount, {static_cast<std::byte*>(pData), dataSize}, stride, flags);
}

VKAPI_ATTR VkResult VKAPI_CALL GetPhysicalDeviceCalibrateableTimeDomainsEXT(VkPhysicalDevice,
                                                                            uint32_t* pTimeDomainCount,
                                                                            VkTimeDomainEXT* pTimeDomains) {
  constexpr std::array kDomains{VK_TIME_DOMAIN_DEVICE_EXT, VK_TIME_DOMAIN_CLOCK_MONOTONIC_EXT};
  return give_list(kDomains, pTimeDomainCount, pTimeDomains,
                   [](VkTimeDomainEXT& to, VkTimeDomainEXT from) { to = from; });
}
VKAPI_ATTR VkResult VKAPI_CALL GetCalibratedTimestampsEXT(VkDevice, uint32_t timestampCount,
                                                          const VkCalibratedTimestampInfoEXT*, uint64_t* pTimestamps,
                                                          uint64_t* pMaxDeviation) {
  // The device's clock is the monotonic one.
  std::fill(pTimestamps, pTimestamps + timestampCount, timestamp_now());
  *pMaxDeviation = 1;
  return VK_SUCCESS;
}

}  // namespace entry
}  // namespace heddle::vulkan
