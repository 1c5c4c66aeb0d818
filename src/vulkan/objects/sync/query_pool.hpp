// SPDX-License-Identifier: MIT
#pragma once
// Query pools. Their state changes under Device::mutex.

#include <vulkan/vulkan.h>

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "vulkan/api/handles.hpp"
#include "vulkan/objects/sync/performance_counters.hpp"

namespace heddle::vulkan {

inline constexpr std::size_t kMaxStatistics = 13;  ///< of pipelines
static_assert(kPerformanceCounters.size() <= kMaxStatistics);

struct QueryPool {
  VkQueryType type = VK_QUERY_TYPE_TIMESTAMP;
  VkQueryPipelineStatisticFlags statistics = 0;
  std::vector<std::uint32_t> counters;  ///< of performance queries, in the order of their results
  struct Query {
    /// The first one; of statistics one for each that is wanted; of performance queries all counters.
    std::array<std::uint64_t, kMaxStatistics> values{};
    bool available = false;
  };
  [[nodiscard]] std::size_t values() const {
    if (type == VK_QUERY_TYPE_TRANSFORM_FEEDBACK_STREAM_EXT) return 2;
    if (type == VK_QUERY_TYPE_PERFORMANCE_QUERY_KHR) return counters.size();
    return type == VK_QUERY_TYPE_PIPELINE_STATISTICS ? static_cast<std::size_t>(std::popcount(statistics)) : 1;
  }
  std::vector<Query> queries;
};

HEDDLE_HANDLE(QueryPool, VkQueryPool)

/// Writes the queries' results as vkGetQueryPoolResults does; VK_NOT_READY where one is not available. The caller holds
/// Device::mutex. `written`: may be null; gets the parts that were written.
VkResult write_results(const QueryPool& pool, std::uint32_t first, std::uint32_t count, std::span<std::byte> to,
                       std::uint64_t stride, VkQueryResultFlags flags,
                       std::vector<std::span<std::byte>>* written = nullptr);

}  // namespace heddle::vulkan
