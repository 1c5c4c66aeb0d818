// SPDX-License-Identifier: MIT
#include "vulkan/execution/queries.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <mutex>
#include <span>
#include <string>

#include "pipeline/run_context.hpp"
#include "vulkan/device/device.hpp"
#include "vulkan/device/timestamps.hpp"
#include "vulkan/execution/context/command_context.hpp"
#include "vulkan/generated/commands.hpp"
#include "vulkan/objects/memory/buffer.hpp"
#include "vulkan/objects/sync/query_pool.hpp"

namespace heddle::vulkan {
namespace {

using Statistics = std::array<std::uint64_t, kMaxStatistics>;

/// The statistics of draws in the order of their bits.
Statistics statistics_of(const pipeline::Counters& c) {
  return {c.input_vertices,
          c.input_primitives,
          c.vertex_invocations,
          c.geometry_invocations,
          c.geometry_primitives,
          c.clipping_invocations,
          c.clipping_primitives,
          c.fragment_invocations,
          c.control_patches,
          c.evaluation_invocations,
          0,  // invocations of compute shaders
          c.task_invocations,
          c.mesh_invocations};
}
constexpr std::size_t kComputeInvocations = 10;

void add_performance(QueryPool::Query& to, const pipeline::Counters& c) {
  const auto add = [&](PerformanceCounter counter, std::uint64_t value) {
    to.values[static_cast<std::size_t>(counter)] += value;
  };
  add(PerformanceCounter::Threads, c.threads);
  add(PerformanceCounter::Vertices, c.input_vertices);
  add(PerformanceCounter::VertexInvocations, c.vertex_invocations);
  add(PerformanceCounter::ClippingInvocations, c.clipping_invocations);
  add(PerformanceCounter::ClippingPrimitives, c.clipping_primitives);
  add(PerformanceCounter::FragmentInvocations, c.fragment_invocations);
  add(PerformanceCounter::SamplesPassed, c.samples_passed);
}

}  // namespace

bool Queries::has_query(const Command& command, const QueryPool& pool, std::uint32_t query) const {
  if (query < pool.queries.size()) return true;
  context_.error(std::string(command_name(command.type)) + ": query " + std::to_string(query) + " of a pool of " +
                 std::to_string(pool.queries.size()));
  return false;
}

void Queries::run(const commands::ResetQueryPool& c) {
  const std::lock_guard guard(context_.device.mutex);
  QueryPool& pool = *from_handle(c.queryPool);
  for (std::uint32_t i = 0; i < c.queryCount && std::size_t{c.firstQuery} + i < pool.queries.size(); ++i)
    pool.queries[c.firstQuery + i] = {};
}

void Queries::begin(const Command& command, QueryPool& pool, std::uint32_t query, std::uint32_t stream) {
  if (!has_query(command, pool, query)) return;
  const std::lock_guard guard(context_.device.mutex);
  pool.queries[query] = {};
  active_.push_back({&pool, query, stream, context_.budget ? context_.budget->used() : 0, timestamp_now()});
}
void Queries::run(const commands::BeginQuery& c) { begin(c, *from_handle(c.queryPool), c.query, 0); }
void Queries::run(const commands::BeginQueryIndexedEXT& c) { begin(c, *from_handle(c.queryPool), c.query, c.index); }

/// With several views so many queries are used; the first has the sum, the others 0.
void Queries::make_available(QueryPool& pool, std::size_t query) {
  const auto views = static_cast<std::size_t>(std::max(1, std::popcount(context_.rendering.view_mask)));
  for (std::size_t i = 0; i < views && query + i < pool.queries.size(); ++i) {
    if (i != 0) pool.queries[query + i] = {};
    pool.queries[query + i].available = true;
  }
  context_.device.changed.notify_all();
}

void Queries::end(const Command& command, QueryPool& pool, std::uint32_t query) {
  if (!has_query(command, pool, query)) return;
  const std::lock_guard guard(context_.device.mutex);
  if (pool.type == VK_QUERY_TYPE_PERFORMANCE_QUERY_KHR)
    for (const Active& active : active_) {
      if (active.pool != &pool || active.query != query) continue;
      auto& values = pool.queries[query].values;
      const std::uint64_t used = context_.budget ? context_.budget->used() : 0;
      values[static_cast<std::size_t>(PerformanceCounter::Instructions)] = used - active.instructions_before;
      values[static_cast<std::size_t>(PerformanceCounter::Time)] = timestamp_now() - active.begins;
    }
  std::erase_if(active_, [&](const Active& active) { return active.pool == &pool && active.query == query; });
  make_available(pool, query);
}
void Queries::run(const commands::EndQuery& c) { end(c, *from_handle(c.queryPool), c.query); }
void Queries::run(const commands::EndQueryIndexedEXT& c) { end(c, *from_handle(c.queryPool), c.query); }

void Queries::write_timestamp(const Command& command, VkQueryPool to, std::uint32_t query) {
  QueryPool& pool = *from_handle(to);
  if (!has_query(command, pool, query)) return;
  const std::lock_guard guard(context_.device.mutex);
  pool.queries[query] = {{timestamp_now()}, true};
  make_available(pool, query);
}
void Queries::run(const commands::WriteTimestamp& c) { write_timestamp(c, c.queryPool, c.query); }
void Queries::run(const commands::WriteTimestamp2& c) { write_timestamp(c, c.queryPool, c.query); }

void Queries::run(const commands::CopyQueryPoolResults& c) {
  const Buffer& buffer = *from_handle(c.dstBuffer);
  TransferObserver* const observer = context_.observers.transfers.get();
  std::vector<std::span<std::byte>> written;
  {
    const std::lock_guard guard(context_.device.mutex);
    (void)write_results(*from_handle(c.queryPool), c.firstQuery, c.queryCount,
                        std::as_writable_bytes(buffer.range(c.dstOffset, VK_WHOLE_SIZE)), c.stride, c.flags,
                        observer != nullptr ? &written : nullptr);
  }
  // Reports go to the application, which may ask for events and queries: not under the lock.
  for (const std::span<std::byte> part : written)
    observer->copy_results(buffer, {reinterpret_cast<const std::uint8_t*>(part.data()), part.size()});
}

bool Queries::has_active(VkQueryType type) const {
  return std::ranges::any_of(active_, [type](const Active& active) { return active.pool->type == type; });
}

void Queries::count(const pipeline::Counters& counters) {
  if (active_.empty()) return;
  const Statistics statistics = statistics_of(counters);
  const std::lock_guard guard(context_.device.mutex);
  for (const Active& active : active_) {
    Statistics& to = active.pool->queries.at(active.query).values;
    if (active.pool->type == VK_QUERY_TYPE_OCCLUSION) to[0] += counters.samples_passed;
    const std::size_t stream = std::min<std::size_t>(active.stream, counters.generated.size() - 1);
    if (active.pool->type == VK_QUERY_TYPE_PRIMITIVES_GENERATED_EXT) to[0] += counters.generated[stream];
    if (active.pool->type == VK_QUERY_TYPE_MESH_PRIMITIVES_GENERATED_EXT) to[0] += counters.mesh_primitives;
    if (active.pool->type == VK_QUERY_TYPE_TRANSFORM_FEEDBACK_STREAM_EXT) {
      to[0] += counters.captured[stream];
      to[1] += counters.capturable[stream];
    }
    if (active.pool->type == VK_QUERY_TYPE_PERFORMANCE_QUERY_KHR)
      add_performance(active.pool->queries.at(active.query), counters);
    if (active.pool->type != VK_QUERY_TYPE_PIPELINE_STATISTICS) continue;
    std::size_t place = 0;
    for (std::size_t bit = 0; bit < statistics.size(); ++bit)
      if ((active.pool->statistics >> bit & 1u) != 0) to[place++] += statistics[bit];
  }
}

void Queries::count_dispatch(const pipeline::Counters& counters, std::uint64_t invocations) {
  if (active_.empty()) return;
  const std::lock_guard guard(context_.device.mutex);
  for (const Active& active : active_) {
    if (active.pool->type == VK_QUERY_TYPE_PERFORMANCE_QUERY_KHR) {
      QueryPool::Query& to = active.pool->queries.at(active.query);
      to.values[static_cast<std::size_t>(PerformanceCounter::Threads)] += counters.threads;
      to.values[static_cast<std::size_t>(PerformanceCounter::ComputeInvocations)] += invocations;
    }
    if (active.pool->type == VK_QUERY_TYPE_PIPELINE_STATISTICS &&
        (active.pool->statistics >> kComputeInvocations & 1u) != 0) {
      const auto place =
          static_cast<std::size_t>(std::popcount(active.pool->statistics & ((1u << kComputeInvocations) - 1)));
      active.pool->queries.at(active.query).values[place] += invocations;
    }
  }
}

}  // namespace heddle::vulkan
