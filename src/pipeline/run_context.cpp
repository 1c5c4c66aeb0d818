#include "pipeline/run_context.hpp"

#include <algorithm>

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/info.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_group.h>

#include "base/arenas.hpp"
#include "base/handover.hpp"

namespace heddle::pipeline {

std::uint64_t scratch_of(const isa::Object& kernel) {
  const std::int64_t own = kernel.integer_attribute("SpillMemOffset").value_or(0);
  return static_cast<std::uint64_t>(std::clamp<std::int64_t>(own, kLeastScratch, 1 << 24));
}

unsigned available_processors() { return static_cast<unsigned>(std::max(1, oneapi::tbb::info::default_concurrency())); }

bool share_items(RunContext& context, unsigned workers, std::uint64_t count,
                 const std::function<bool(unsigned, std::uint64_t)>& work) {
  const auto part = [count](std::uint64_t done) { return static_cast<double>(done) / static_cast<double>(count); };
  std::atomic<std::uint64_t> done{0};
  std::atomic<bool> good{true};
  std::mutex showing;
  tbb::task_group_context group;
  base::Handover handover;
  base::run_in_arena(std::min<std::uint64_t>(workers, count), [&] {
    tbb::parallel_for(
        tbb::blocked_range<std::uint64_t>(0, count),
        [&](const tbb::blocked_range<std::uint64_t>& range) {
          const base::Handover::Part mine(handover);
          const auto worker = static_cast<unsigned>(tbb::this_task_arena::current_thread_index());
          for (std::uint64_t item = range.begin(); item < range.end(); ++item) {
            if (group.is_group_execution_cancelled()) return;
            if (!work(worker, item)) {
              good.store(false);
              group.cancel_group_execution();
              return;
            }
            const std::uint64_t finished = done.fetch_add(1, std::memory_order_relaxed) + 1;
            if (!context.progress) continue;
            if (const std::unique_lock shown(showing, std::try_to_lock); shown) context.progress(part(finished));
          }
        },
        group);
  });
  return good.load();
}

}  // namespace heddle::pipeline
