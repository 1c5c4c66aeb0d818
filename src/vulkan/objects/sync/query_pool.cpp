// SPDX-License-Identifier: MIT
#include "vulkan/objects/sync/query_pool.hpp"

#include <cstring>
#include <memory>
#include <string>

#include "vulkan/device/device.hpp"
#include "vulkan/device/waits.hpp"
#include "vulkan/generated/entry_points.hpp"

namespace heddle::vulkan {

VkResult write_results(const QueryPool& pool, std::uint32_t first, std::uint32_t count, std::span<std::byte> to,
                       std::uint64_t stride, VkQueryResultFlags flags, std::vector<std::span<std::byte>>* written) {
  VkResult result = VK_SUCCESS;
  const bool performance = pool.type == VK_QUERY_TYPE_PERFORMANCE_QUERY_KHR;  // a union of 8 bytes for each counter
  const bool wide = performance || (flags & VK_QUERY_RESULT_64_BIT) != 0;
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
      for (std::uint64_t v = 0; v < values; ++v) put(v, query.values[performance ? pool.counters[v] : v]);
    else
      result = VK_NOT_READY;
    if (says) put(values, available);
  }
  return result;
}

namespace entry {

VKAPI_ATTR VkResult VKAPI_CALL CreateQueryPool(VkDevice device, const VkQueryPoolCreateInfo* pCreateInfo,
                                               const VkAllocationCallbacks*, VkQueryPool* pQueryPool) {
  return guarded([&] {
    auto pool = std::make_unique<QueryPool>();
    pool->type = pCreateInfo->queryType;
    pool->statistics = pCreateInfo->pipelineStatistics & ((1u << kMaxStatistics) - 1);
    if (const auto* wanted = find_in_chain<VkQueryPoolPerformanceCreateInfoKHR>(
            pCreateInfo->pNext, VK_STRUCTURE_TYPE_QUERY_POOL_PERFORMANCE_CREATE_INFO_KHR))
      for (const std::uint32_t counter : std::span(wanted->pCounterIndices, wanted->counterIndexCount)) {
        if (counter >= kPerformanceCounters.size()) {
          from_handle(device)->physical.instance.error(
              "vulkan-query", "vkCreateQueryPool: there is no performance counter " + std::to_string(counter) +
                                  "; vkEnumeratePhysicalDeviceQueueFamilyPerformanceQueryCountersKHR lists them");
          return VK_ERROR_INITIALIZATION_FAILED;
        }
        pool->counters.push_back(counter);
      }
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
    wait_without_end(d, lock, "vkGetQueryPoolResults", "", [&] { return available() || d.queue_state.idle(); });
    if (!available() && d.lost) return VK_ERROR_DEVICE_LOST;
    if (!available()) {
      lock.unlock();
      d.physical.instance.error("vulkan-wait", "vkGetQueryPoolResults waits for a query that nothing submitted ends");
    }
  }
  const std::lock_guard guard(d.mutex);
  return write_results(pool, firstQuery, queryCount, {static_cast<std::byte*>(pData), dataSize}, stride, flags);
}

}  // namespace entry
}  // namespace heddle::vulkan
