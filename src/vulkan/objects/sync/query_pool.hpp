#pragma once
// Fences, semaphores, events, query pools. Their state changes under Device::mutex.

#include <vulkan/vulkan.h>

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "vulkan/api/handles.hpp"

namespace heddle::vulkan {

struct Fence {
  bool signaled = false;
  unsigned pending = 0;  ///< submissions that will signal it
};
/// A binary semaphore is a flag, whose signals are numbered as they are submitted: one signal more before the flag is
/// taken changes nothing, and a wait takes it as it is submitted (SUB-2).
struct Semaphore {
  bool timeline = false;
  std::uint64_t value = 0;     ///< binary: the number of the last signal that has happened
  std::uint64_t promised = 0;  ///< binary: of the last one that was submitted
  std::uint64_t taken = 0;     ///< binary: of the last one that a submitted wait belongs to
  unsigned pending = 0;        ///< uses in submissions that have not ended
  /// Of a picture that may be used at once.
  void signal_now() { value = ++promised; }
};
struct Event {
  bool set = false;
};
struct QueryPool {
  VkQueryType type = VK_QUERY_TYPE_TIMESTAMP;
  VkQueryPipelineStatisticFlags statistics = 0;
  struct Query {
    std::array<std::uint64_t, 11> values{};  ///< the first one; of statistics one for each that is wanted
    bool available = false;
  };
  [[nodiscard]] std::size_t values() const {
    return type == VK_QUERY_TYPE_PIPELINE_STATISTICS ? static_cast<std::size_t>(std::popcount(statistics)) : 1;
  }
  std::vector<Query> queries;
};

HEDDLE_HANDLE(Fence, VkFence)
HEDDLE_HANDLE(Semaphore, VkSemaphore)
HEDDLE_HANDLE(Event, VkEvent)
HEDDLE_HANDLE(QueryPool, VkQueryPool)

/// Nanoseconds of the clock of timestamps.
[[nodiscard]] std::uint64_t timestamp_now();

/// Writes the queries' results as vkGetQueryPoolResults does; VK_NOT_READY where one is not available. The caller holds
/// Device::mutex. `written`: may be null; gets the parts that were written.
VkResult write_results(const QueryPool& pool, std::uint32_t first, std::uint32_t count, std::span<std::byte> to,
                       std::uint64_t stride, VkQueryResultFlags flags,
                       std::vector<std::span<std::byte>>* written = nullptr);

}  // namespace heddle::vulkan
