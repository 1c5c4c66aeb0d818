// SPDX-License-Identifier: MIT
#pragma once
// Queries: samples that pass, how often the stages run, timestamps.

#include <vulkan/vulkan.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "vulkan/commands/command.hpp"

namespace heddle::pipeline {
struct Counters;
}

namespace heddle::vulkan {

struct CommandContext;
struct QueryPool;

class Queries {
 public:
  explicit Queries(CommandContext& context) : context_(context) {}

  void run(const commands::ResetQueryPool& c);
  void run(const commands::BeginQuery& c);
  void run(const commands::EndQuery& c);
  void run(const commands::BeginQueryIndexedEXT& c);
  void run(const commands::EndQueryIndexedEXT& c);
  void run(const commands::WriteTimestamp& c);
  void run(const commands::WriteTimestamp2& c);
  void run(const commands::CopyQueryPoolResults& c);

  /// A primary command buffer begins: no query goes on.
  void forget_active() { active_.clear(); }
  /// Whether a query of this type has begun and not ended.
  [[nodiscard]] bool has_active(VkQueryType type) const;
  /// What a draw adds to the queries that go on.
  void count(const pipeline::Counters& counters);
  /// The same of a dispatch, which ran a compute shader so often.
  void count_dispatch(const pipeline::Counters& counters, std::uint64_t invocations);

 private:
  [[nodiscard]] bool has_query(const Command& command, const QueryPool& pool, std::uint32_t query) const;
  void begin(const Command& command, QueryPool& pool, std::uint32_t query, std::uint32_t stream);
  void end(const Command& command, QueryPool& pool, std::uint32_t query);
  void make_available(QueryPool& pool, std::size_t query);  ///< under Device::mutex
  void write_timestamp(const Command& command, VkQueryPool pool, std::uint32_t query);

  CommandContext& context_;
  /// Queries that have begun and not ended.
  struct Active {
    QueryPool* pool;
    std::uint32_t query;
    std::uint32_t stream = 0;  ///< of vertices, where the query is about one
    std::uint64_t instructions_before = 0,
                  begins = 0;  ///< of performance queries: those of the submission, nanoseconds
    bool operator==(const Active&) const = default;
  };
  std::vector<Active> active_;
};

}  // namespace heddle::vulkan
