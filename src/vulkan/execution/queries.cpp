// Queries of draws: samples that pass, and how often the stages run.

#include <algorithm>
#include <bit>

#include "vulkan/device/device.hpp"
#include "vulkan/device/timestamps.hpp"
#include "vulkan/execution/executor.hpp"
#include "vulkan/objects/sync/query_pool.hpp"

namespace heddle::vulkan {
namespace {

/// The statistics of draws in the order of their bits.
std::array<std::uint64_t, 11> statistics_of(const pipeline::Counters& c) {
  return {c.input_vertices,
          c.input_primitives,
          c.vertex_invocations,
          0,
          0,
          c.clipping_invocations,
          c.clipping_primitives,
          c.fragment_invocations,
          0,
          0,
          0};
}
constexpr std::size_t kComputeInvocations = 10;

}  // namespace

bool Executor::has_query(const Command& command, const QueryPool& pool, std::uint32_t query) const {
  if (query < pool.queries.size()) return true;
  device_.physical.instance.error("vulkan-command", std::string(command_name(command.type)) + ": query " +
                                                        std::to_string(query) + " of a pool of " +
                                                        std::to_string(pool.queries.size()));
  return false;
}

void Executor::run(const commands::BeginQuery& c) {
  QueryPool& pool = *from_handle(c.queryPool);
  if (!has_query(c, pool, c.query)) return;
  const std::lock_guard guard(device_.mutex);
  pool.queries[c.query] = {};
  active_.push_back({&pool, c.query});
}

/// With several views so many queries are used; the first has the sum, the others 0.
void Executor::make_available(QueryPool& pool, std::size_t query) {
  const auto views = static_cast<std::size_t>(std::max(1, std::popcount(rendering_.view_mask)));
  for (std::size_t i = 0; i < views && query + i < pool.queries.size(); ++i) {
    if (i != 0) pool.queries[query + i] = {};
    pool.queries[query + i].available = true;
  }
  device_.changed.notify_all();
}

void Executor::run(const commands::EndQuery& c) {
  QueryPool& pool = *from_handle(c.queryPool);
  if (!has_query(c, pool, c.query)) return;
  const std::lock_guard guard(device_.mutex);
  std::erase(active_, Active{&pool, c.query});
  make_available(pool, c.query);
}

void Executor::write_timestamp(const Command& command, VkQueryPool to, std::uint32_t query) {
  QueryPool& pool = *from_handle(to);
  if (!has_query(command, pool, query)) return;
  const std::lock_guard guard(device_.mutex);
  pool.queries[query] = {{timestamp_now()}, true};
  make_available(pool, query);
}
void Executor::run(const commands::WriteTimestamp& c) { write_timestamp(c, c.queryPool, c.query); }
void Executor::run(const commands::WriteTimestamp2& c) { write_timestamp(c, c.queryPool, c.query); }

void Executor::count(const pipeline::Counters& counters) {
  if (active_.empty()) return;
  const std::array<std::uint64_t, 11> statistics = statistics_of(counters);
  const std::lock_guard guard(device_.mutex);
  for (const Active& active : active_) {
    std::array<std::uint64_t, 11>& to = active.pool->queries.at(active.query).values;
    if (active.pool->type == VK_QUERY_TYPE_OCCLUSION) to[0] += counters.samples_passed;
    if (active.pool->type != VK_QUERY_TYPE_PIPELINE_STATISTICS) continue;
    std::size_t place = 0;
    for (std::size_t bit = 0; bit < statistics.size(); ++bit)
      if ((active.pool->statistics >> bit & 1u) != 0) to[place++] += statistics[bit];
  }
}

void Executor::count_invocations(std::uint64_t invocations) {
  const std::lock_guard guard(device_.mutex);
  for (const Active& active : active_)
    if (active.pool->type == VK_QUERY_TYPE_PIPELINE_STATISTICS &&
        (active.pool->statistics >> kComputeInvocations & 1u) != 0) {
      const auto place = static_cast<std::size_t>(std::popcount(active.pool->statistics)) - 1;
      active.pool->queries.at(active.query).values[place] += invocations;
    }
}

}  // namespace heddle::vulkan
